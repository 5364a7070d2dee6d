"""A slow, obvious Dummy Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine. Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. A table
is four hands clockwise from the dealer, each with the player who decides for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
# Clockwise from the dealer: who plays each hand, and whether it is a dummy. With three
# players: dealer, left, dummy, right.
THREE = {
    0: [(0, False), (1, False), (0, True), (2, False)],
    1: [(1, False), (2, False), (1, True), (0, False)],
    2: [(2, False), (0, False), (2, True), (1, False)],
}
# With two, player 1 on the left of player 0, and then the dummies of both.
TWO = {
    0: [(0, False), (1, False), (0, True), (1, True)],
    1: [(1, False), (0, True), (1, True), (0, False)],
}
HONOUR_POINTS = {4: 4, 3: 2}


@dataclass(frozen=True)
class Options:
    """What is played for; see the options of the game."""

    players: int = 3
    deals: int = 1
    reward: str = "points"
    dummy_exposed: str = "before_lead"
    split: str = "full"
    honours: bool = True
    tie: str = "shared"


class Deal:
    """One deal; places are counted clockwise from the dealer."""

    def __init__(
        self,
        options: Options,
        hands: Sequence[Iterable[str]],
        dealer: int,
        turned: str,
    ) -> None:
        self.options = options
        self.table = (THREE if options.players == 3 else TWO)[dealer]
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.dealer = dealer
        self.trump = turned[0]
        self.place = 1
        self.trick: list[tuple[int, str]] = []
        self.cards_played = 0
        # Of the dealer's side and of the other.
        self.tricks = [0, 0]

    @property
    def agent(self) -> int:
        return self.table[self.place][0]

    @property
    def is_over(self) -> bool:
        return sum(self.tricks) == 13

    def seen_by(self, player: int) -> list[int]:
        """The places of the hands that a player sees now."""
        opened = self.options.dummy_exposed == "before_lead" or self.cards_played > 0
        return [
            place
            for place, (owner, is_dummy) in enumerate(self.table)
            if owner == player or (is_dummy and opened)
        ]

    def legal(self) -> list[str]:
        hand = self.hands[self.place]
        if not self.trick:
            return list(hand)
        led = self.trick[0][1][0]
        return [card for card in hand if card[0] == led] or list(hand)

    def play(self, card: str) -> int | None:
        """Returns the side that takes a trick with this card, if one does."""
        self.hands[self.place].remove(card)
        self.trick.append((self.place, card))
        self.cards_played += 1
        self.place = (self.place + 1) % 4
        if len(self.trick) < 4:
            return None
        led = self.trick[0][1][0]
        of_trumps = [play for play in self.trick if play[1][0] == self.trump]
        of_suit = [play for play in self.trick if play[1][0] == led]
        winner, _ = max(of_trumps or of_suit, key=lambda play: RANKS.index(play[1][1]))
        self.trick = []
        self.place = winner
        self.tricks[winner % 2] += 1
        return winner % 2

    def points(self) -> list[int]:
        """Points of the dealer's side and of the other."""
        return [
            deal_points(self.options, self.dealt, self.trump, self.tricks, side)
            for side in (0, 1)
        ]


def deal_points(
    options: Options,
    dealt: Sequence[Sequence[str]],
    trump: str,
    tricks: Sequence[int],
    side: int,
) -> int:
    points = tricks[side] - 6 if tricks[side] > 6 else 0
    if options.honours:
        cards = [*dealt[side], *dealt[side + 2]]
        held = [rank for rank in "AKQJ" if trump + rank in cards]
        points += HONOUR_POINTS.get(len(held), 0)
    return points


def credits_of(options: Options, dealer: int, side: int, points: int) -> list[Fraction]:
    """What each player is credited with for the points of a side, the dealer's 0."""
    credited = [Fraction(0)] * options.players
    if side == 0:
        credited[dealer] += points
        return credited
    for player in range(options.players):
        if player != dealer:
            halved = options.split == "half" and options.players == 3
            credited[player] += Fraction(points, 2) if halved else points
    return credited


def less_the_mean(credited: Sequence[Fraction]) -> list[Fraction]:
    mean = sum(credited, Fraction(0)) / len(credited)
    return [own - mean for own in credited]


class Match:
    """A number of deals."""

    def __init__(self, options: Options, dealer: int = 0) -> None:
        self.options = options
        self.dealer = dealer
        self.deal: Deal | None = None
        self.totals = [Fraction(0)] * options.players
        self.tricks = [Fraction(0)] * options.players
        self.deals_scored = 0
        self.over = False

    def start_deal(self, hands: Sequence[Iterable[str]], turned: str) -> Deal:
        """Hands clockwise from the dealer."""
        self.deal = Deal(self.options, hands, self.dealer, turned)
        return self.deal

    def play(self, card: str) -> list[float]:
        """Play a card from the hand in turn; returns the reward of each player."""
        assert self.deal is not None
        nothing = [Fraction(0)] * self.options.players
        tricks, points = nothing, nothing
        taker = self.deal.play(card)
        if taker is not None:
            tricks = credits_of(self.options, self.dealer, taker, 1)
            self.tricks = [a + b for a, b in zip(self.tricks, tricks, strict=True)]
        if self.deal.is_over:
            points = self.score(self.deal.points())
        earned = {"points": points, "tricks": tricks, "match": nothing}
        rewards = less_the_mean(earned[self.options.reward])
        if self.options.reward == "match" and self.over:
            rewards = self.match_rewards()
        return [float(reward) for reward in rewards]

    def score(self, by_side: Sequence[int]) -> list[Fraction]:
        """Enter the points of a deal; returns what each player is credited with."""
        of_dealer, of_others = (
            credits_of(self.options, self.dealer, side, by_side[side])
            for side in (0, 1)
        )
        credited = [a + b for a, b in zip(of_dealer, of_others, strict=True)]
        self.totals = [a + b for a, b in zip(self.totals, credited, strict=True)]
        self.deals_scored += 1
        self.dealer = (self.dealer + 1) % self.options.players
        self.over = self.deals_scored == self.options.deals
        return credited

    def winners(self) -> list[int]:
        first = [p for p, total in enumerate(self.totals) if total == max(self.totals)]
        if len(first) > 1 and self.options.tie == "undecided":
            return list(range(self.options.players))
        return first

    def match_rewards(self) -> list[Fraction]:
        """Each loser pays 1 to each winner."""
        winners = self.winners()
        losers = self.options.players - len(winners)
        return [
            Fraction(losers if player in winners else -len(winners))
            for player in range(self.options.players)
        ]
