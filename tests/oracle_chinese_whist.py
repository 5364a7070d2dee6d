"""A slow, obvious Chinese Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine. Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
CALLS = {52: "C", 53: "D", 54: "H", 55: "S"}
PILES = {4: 6, 3: 8, 2: 12}
DOWN_CARDS = {4: 1, 3: 1, 2: 2}
SIDES = {4: [[0, 2], [1, 3]], 3: [[0], [1], [2]], 2: [[0], [1]]}
BOOK = {4: 6, 3: 6, 2: 13}

Piles = list[list[str | None]]
"""By player and pile: a card, or None where it has gone."""


def card_id(card: str) -> int:
    """Number of a card: ``13 * suit + rank``, clubs 0, deuce 0."""
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def card_name(number: int) -> str:
    """Card with the number ``13 * suit + rank``."""
    return SUITS[number // 13] + RANKS[number % 13]


def pack(players: int) -> list[str]:
    """All cards; three players leave out the deuce of spades."""
    cards = [suit + rank for suit in SUITS for rank in RANKS]
    if players == 3:
        cards.remove("S2")
    return cards


@dataclass(frozen=True)
class Options:
    """What is played for."""

    players: int = 4
    episode: str = "deal"
    deals: int | None = None
    reward: str = "points"
    target: int = 10
    book: int | None = None
    honours: bool = False
    exposed_leads_only: bool = False
    tie: str = "played_on"


class ChineseDeal:
    """One deal.

    Attributes:
        exposed: Cards face up by player and pile.
        covered: Cards face down by player and pile.
        down: Down cards still held, by player.
        dealt: All cards of each player.
        trump: Suit that the dealer named, or None.
        to_move: Player that names trumps or plays next.
        trick: Cards of the unfinished trick, as (player, card).
        winners: Who took each trick.
        played: Cards that have been played.
        first_down: Down cards that each player was dealt.
        face_up_since: First trick for which a card lay face up.
        voids: Suits that a player is proven not to hold.
        down_voids: Suits that are proven not to be among his down cards.
    """

    def __init__(
        self,
        options: Options,
        exposed: Piles,
        covered: Piles,
        down: Sequence[Sequence[str]],
        dealer: int,
    ) -> None:
        self.options = options
        self.players = options.players
        self.exposed = [list(row) for row in exposed]
        self.covered = [list(row) for row in covered]
        self.down = [set(cards) for cards in down]
        self.first_down = [set(cards) for cards in down]
        self.dealt: list[set[str]] = []
        for player in range(self.players):
            assert len(exposed[player]) == len(covered[player]) == PILES[self.players]
            assert len(down[player]) == DOWN_CARDS[self.players]
            piles = [*exposed[player], *covered[player]]
            self.dealt.append({c for c in piles if c is not None} | self.down[player])
        assert sorted(c for cards in self.dealt for c in cards) == sorted(
            pack(self.players)
        )
        self.dealer = self.to_move = dealer
        self.leader = (dealer + 1) % self.players
        self.trump: str | None = None
        self.trick: list[tuple[int, str]] = []
        self.winners: list[int] = []
        self.played: list[str] = []
        self.face_up_since = {
            card: 1 for row in self.exposed for card in row if card is not None
        }
        self.voids: list[set[str]] = [set() for _ in range(self.players)]
        self.down_voids: list[set[str]] = [set() for _ in range(self.players)]

    @property
    def is_over(self) -> bool:
        """Whether all tricks have been played."""
        return len(self.winners) == {4: 13, 3: 17, 2: 26}[self.players]

    def visible(self, player: int) -> set[str]:
        """Cards of a player that lie face up."""
        return {card for card in self.exposed[player] if card is not None}

    def legal_cards(self) -> set[str]:
        """Cards that the player to move may play."""
        visible, down = self.visible(self.to_move), self.down[self.to_move]
        if not self.trick:
            first = not self.winners
            if visible and (first or self.options.exposed_leads_only):
                return visible
            return visible | down
        led = self.trick[0][1][0]
        return {card for card in visible | down if card[0] == led} or visible | down

    def legal_actions(self) -> list[int]:
        """Actions of the player to move."""
        if self.trump is None:
            return list(CALLS)
        return sorted(map(card_id, self.legal_cards()))

    def act(self, action: int) -> int | None:
        """Name trumps or play; returns who takes the trick if one ends."""
        assert action in self.legal_actions()
        if self.trump is None:
            self.trump = CALLS[action]
            self.to_move = self.leader
            return None
        card, player = card_name(action), self.to_move
        if card in self.down[player]:
            self.down[player].remove(card)
        else:
            pile = self.exposed[player].index(card)
            self.exposed[player][pile] = None
        if self.trick and card[0] != self.trick[0][1][0]:
            self.voids[player].add(self.trick[0][1][0])
            self.down_voids[player].add(self.trick[0][1][0])
        self.trick.append((player, card))
        self.played.append(card)
        self.to_move = (player + 1) % self.players
        if len(self.trick) < self.players:
            return None
        return self.end_trick()

    def end_trick(self) -> int:
        """Find who takes the trick, and turn up what is uncovered."""
        cards = [card for _, card in self.trick]
        trumps = [card for card in cards if card[0] == self.trump]
        in_suit = [card for card in cards if card[0] == cards[0][0]]
        best = max(trumps or in_suit, key=lambda card: RANKS.index(card[1]))
        winner = self.trick[cards.index(best)][0]
        self.trick = []
        self.winners.append(winner)
        self.leader = self.to_move = winner
        for player in range(self.players):
            for pile in range(PILES[self.players]):
                card = self.covered[player][pile]
                if card is not None and self.exposed[player][pile] is None:
                    self.exposed[player][pile] = card
                    self.covered[player][pile] = None
                    self.face_up_since[card] = len(self.winners) + 1
                    self.voids[player].discard(card[0])
        return winner

    def tricks(self) -> list[int]:
        """Tricks of each side."""
        return [
            sum(self.winners.count(player) for player in side)
            for side in SIDES[self.players]
        ]

    def points(self) -> list[int]:
        """What each side scores."""
        book = BOOK[self.players] if self.options.book is None else self.options.book
        scored = []
        for side, tricks in zip(SIDES[self.players], self.tricks(), strict=True):
            points = max(0, tricks - book)
            if self.options.honours:
                assert self.trump is not None
                cards = set().union(*(self.dealt[player] for player in side))
                held = len(cards & {self.trump + rank for rank in "AKQJ"})
                points += {4: 4, 3: 2}.get(held, 0)
            scored.append(points)
        return scored


class Match:
    """Deals in a row; the deal passes to the left."""

    def __init__(
        self, options: Options, dealer: int, scores: Sequence[int] | None = None
    ) -> None:
        self.options = options
        self.dealer = dealer
        self.deal: ChineseDeal | None = None
        self.sides = SIDES[options.players]
        self.scores = list(scores) if scores else [0] * len(self.sides)
        self.tricks = [0] * len(self.sides)
        self.deals_played = 0
        self.over = False

    def start_deal(
        self, exposed: Piles, covered: Piles, down: Sequence[Sequence[str]]
    ) -> ChineseDeal:
        """Lay these cards."""
        self.deal = ChineseDeal(self.options, exposed, covered, down, self.dealer)
        return self.deal

    def winners(self) -> list[int]:
        """Sides that have most points."""
        best = max(self.scores)
        return [s for s, score in enumerate(self.scores) if score == best]

    def by_player(self, by_side: Sequence[int]) -> list[int]:
        """Amounts by side as amounts by player."""
        amounts = [0] * self.options.players
        for side, amount in zip(self.sides, by_side, strict=True):
            for player in side:
                amounts[player] = amount
        return amounts

    def act(self, action: int) -> list[int]:
        """Act; returns what it earns each player."""
        assert self.deal is not None
        winner = self.deal.act(action)
        reward = self.options.reward
        earned = [0] * len(self.sides)
        if winner is not None and reward == "tricks":
            for number, side in enumerate(self.sides):
                earned[number] = len(self.sides) - 1 if winner in side else -1
        if self.deal.is_over:
            scored = self.deal.points()
            self.enter(scored, self.deal.tricks())
            if reward == "points":
                earned = [sum(mine - theirs for theirs in scored) for mine in scored]
            if self.over and reward in ("match", "settlement"):
                earned = self.stakes()
        return self.by_player(earned)

    def enter(self, scored: Sequence[int], tricks: Sequence[int]) -> None:
        """Enter a deal in the score."""
        for side in range(len(self.sides)):
            self.scores[side] += scored[side]
            self.tricks[side] += tricks[side]
        self.deals_played += 1
        self.dealer = (self.dealer + 1) % self.options.players
        if self.options.episode == "game":
            reached = max(self.scores) >= self.options.target
            alone = len(self.winners()) == 1
            self.over = reached and (alone or self.options.tie == "shared")
        else:
            self.over = self.deals_played == (self.options.deals or 1)

    def stakes(self) -> list[int]:
        """What each side gets at the end: the losers pay, flat or per point."""
        earned = [0] * len(self.sides)
        for winner in self.winners():
            for loser in range(len(self.sides)):
                if loser not in self.winners():
                    amount = 1
                    if self.options.reward == "settlement":
                        amount = self.scores[winner] - self.scores[loser]
                    earned[winner] += amount
                    earned[loser] -= amount
        return earned
