"""A slow, obvious German Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine. Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``; the two
players are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"


def card_id(card: str) -> int:
    """Number of a card: ``13 * suit + rank``, clubs 0, deuce 0."""
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def card_name(number: int) -> str:
    """Card with the number ``13 * suit + rank``."""
    return SUITS[number // 13] + RANKS[number % 13]


def pack(ranks: int = 13, suits: int = 4) -> list[str]:
    """The highest ranks of the first suits."""
    return [suit + rank for suit in SUITS[:suits] for rank in RANKS[13 - ranks :]]


def second_wins(first: str, second: str, trump: str) -> bool:
    """Whether the follower's card takes the trick."""
    if second[0] == first[0]:
        return RANKS.index(second[1]) > RANKS.index(first[1])
    return second[0] == trump


class GermanDeal:
    """One deal.

    Attributes:
        hands: Cards held, by player.
        talon: Cards left, the first face up.
        trump: Suit of the first card turned.
        to_move: Player that plays next.
        lead: Card led to the trick on the table, or None.
        winners: Who took each trick.
        turned: Cards that have lain face up on the talon.
        played: Cards that have been played.
        private: Cards that a player was dealt or has drawn unseen.
        seen_taken: Cards that a player took face up and has not played.
        voids: Suits that a player has shown that he does not hold.
        drawn_after: Number of the trick after which a card came from the talon.
    """

    def __init__(
        self, hands: Sequence[Iterable[str]], talon: Sequence[str], dealer: int
    ) -> None:
        self.hands = [set(hand) for hand in hands]
        self.talon = list(talon)
        self.size = len(self.hands[0])
        assert len(self.hands[1]) == self.size
        assert len(self.talon) == 2 * self.size
        self.dealer = dealer
        self.trump = self.talon[0][0]
        self.leader = self.to_move = 1 - dealer
        self.lead: str | None = None
        self.winners: list[int] = []
        self.turned = {self.talon[0]}
        self.played: set[str] = set()
        self.private = [set(hand) for hand in self.hands]
        self.seen_taken: list[set[str]] = [set(), set()]
        self.voids: list[set[str]] = [set(), set()]
        self.drawn_after: dict[str, int] = {}

    @property
    def is_over(self) -> bool:
        """Whether both hands and the talon are gone."""
        return len(self.winners) == 2 * self.size

    def legal_cards(self) -> list[str]:
        """The cards that the player to move may play."""
        hand = self.hands[self.to_move]
        if self.lead is not None:
            in_suit = [card for card in hand if card[0] == self.lead[0]]
            if in_suit:
                return in_suit
        return list(hand)

    def play(self, card: str) -> int | None:
        """Play a card; returns who takes the trick if it ends one."""
        assert card in self.legal_cards()
        player = self.to_move
        self.hands[player].remove(card)
        self.seen_taken[player].discard(card)
        self.played.add(card)
        if self.lead is None:
            self.lead = card
            self.to_move = 1 - player
            return None
        if card[0] != self.lead[0]:
            self.voids[player].add(self.lead[0])
        winner = player
        if not second_wins(self.lead, card, self.trump):
            winner = 1 - player
        self.lead = None
        self.winners.append(winner)
        if self.talon:
            self.draw(winner)
        self.leader = self.to_move = winner
        return winner

    def draw(self, winner: int) -> None:
        """The winner takes the card face up, the loser the next one."""
        face_up, unseen = self.talon.pop(0), self.talon.pop(0)
        loser = 1 - winner
        self.hands[winner].add(face_up)
        self.seen_taken[winner].add(face_up)
        self.voids[winner].discard(face_up[0])
        self.hands[loser].add(unseen)
        self.private[loser].add(unseen)
        self.voids[loser] = set()
        self.drawn_after[face_up] = self.drawn_after[unseen] = len(self.winners)
        if self.talon:
            self.turned.add(self.talon[0])

    def tricks(self, first: int = 0) -> list[int]:
        """Tricks of each player, from the trick with this number (0 the first)."""
        return [self.winners[first:].count(player) for player in (0, 1)]


def points(deal: GermanDeal, count: str) -> list[int]:
    """What each player scores: the majority gets the difference."""
    mine, theirs = counted(deal, count)
    return [max(0, mine - theirs), max(0, theirs - mine)]


def counted(deal: GermanDeal, count: str) -> list[int]:
    """Tricks that count: all, or those after the talon is gone."""
    return deal.tricks(0 if count == "all" else deal.size)


@dataclass(frozen=True)
class Options:
    """What is played for."""

    count: str = "all"
    deals: int = 1
    reward: str = "points"
    ranks: int = 13
    suits: int = 4


class Match:
    """Deals in a row; the dealer alternates."""

    def __init__(self, options: Options, dealer: int) -> None:
        self.options = options
        self.dealer = dealer
        self.deal: GermanDeal | None = None
        self.points = [0, 0]
        self.tricks = [0, 0]
        self.deals_played = 0

    @property
    def over(self) -> bool:
        """Whether all deals have been played."""
        return self.deals_played == self.options.deals

    @property
    def winner(self) -> int | None:
        """Who has won; None before the end and when it is even."""
        if not self.over or self.points[0] == self.points[1]:
            return None
        return 0 if self.points[0] > self.points[1] else 1

    def start_deal(
        self, hands: Sequence[Iterable[str]], talon: Sequence[str]
    ) -> GermanDeal:
        """Deal these hands and this talon."""
        self.deal = GermanDeal(hands, talon, self.dealer)
        return self.deal

    def play(self, card: str) -> list[int]:
        """Play a card; returns what it earns each player."""
        deal = self.deal
        assert deal is not None
        winner = deal.play(card)
        reward = 0
        if winner is not None and self.options.reward == "tricks":
            in_talon = len(deal.winners) <= deal.size
            if self.options.count == "all" or not in_talon:
                reward = 1 if winner == 0 else -1
        if deal.is_over:
            scored = points(deal, self.options.count)
            for player in (0, 1):
                self.points[player] += scored[player]
                self.tricks[player] += deal.tricks()[player]
            self.deals_played += 1
            self.dealer = 1 - self.dealer
            if self.options.reward == "points":
                reward = scored[0] - scored[1]
            if self.options.reward == "match" and self.winner is not None:
                reward = 1 if self.winner == 0 else -1
        return [reward, -reward]
