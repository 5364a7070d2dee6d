"""A slow, obvious Slobberhannes to compare the fast engine with.

Written from the rules alone and sharing no code with the engine. Cards are two
characters, suit and rank: ``"SA"``, ``"HT"``, ``"D7"``. Seats run clockwise from 0. The
pack and the ledger of payments are those of the oracle of Polignac.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oracle_polignac import Ledger, short_pack, winner_of

DEFAULTS: dict[str, Any] = {
    "players": 4,
    "episode": "deal",
    "deals": None,
    "reward": "points",
    "settlement": "ledger",
    "stack": 20,
    "game_end": "deals",
    "limit": 10,
    "all_three": True,
    "sevens_out": "black",
    "revokes": "never",
}


class Deal:
    """One deal of tricks."""

    def __init__(
        self, hands: Sequence[Sequence[str]], dealer: int, options: dict[str, Any]
    ) -> None:
        self.players = len(hands)
        pack = short_pack(self.players)
        if options["sevens_out"] == "red":
            pack = pack - {"D7", "H7"} | {"C7", "S7"}
        assert {card for hand in hands for card in hand} == pack
        assert len({len(hand) for hand in hands}) == 1
        self.options = options
        self.hands = [set(hand) for hand in hands]
        self.seat = (dealer + 1) % self.players
        self.trick: list[tuple[int, str]] = []
        self.finished: list[tuple[int, list[str]]] = []
        self.revokes = [0] * self.players

    def following(self) -> list[str]:
        """Cards with which the seat to play does not revoke."""
        hand = self.hands[self.seat]
        if not self.trick:
            return list(hand)
        led = self.trick[0][1][0]
        return [card for card in hand if card[0] == led] or list(hand)

    def legal(self) -> list[str]:
        """What the seat to play may play."""
        if self.options["revokes"] == "penalty":
            return list(self.hands[self.seat])
        return self.following()

    def play(self, card: str) -> None:
        """Play a card."""
        assert card in self.legal()
        if card not in self.following():
            self.revokes[self.seat] += 1
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        self.seat = (self.seat + 1) % self.players
        if len(self.trick) == self.players:
            self.seat = winner_of(self.trick, "AKQJT987")
            self.finished.append((self.seat, [card for _, card in self.trick]))
            self.trick = []

    @property
    def over(self) -> bool:
        """Whether all cards are played."""
        return not any(self.hands)

    def points(self) -> list[int]:
        """The penalty points of each."""
        first, _ = self.finished[0]
        last, _ = self.finished[-1]
        (queen,) = [winner for winner, cards in self.finished if "CQ" in cards]
        points = [[first, last, queen].count(seat) for seat in range(self.players)]
        if first == last == queen and self.options["all_three"]:
            points[first] += 1
        return [a + b for a, b in zip(points, self.revokes, strict=True)]


class Match:
    """Deals in a row up to the end of the episode."""

    def __init__(self, dealer: int, **options: Any) -> None:
        self.options = {**DEFAULTS, **options}
        self.dealer = dealer
        self.ledger = Ledger(self.options)
        self.deal: Deal | None = None

    def start_deal(self, hands: Sequence[Sequence[str]]) -> None:
        """Deal these hands."""
        self.deal = Deal(hands, self.dealer, self.options)

    def play(self, card: str) -> list[Fraction]:
        """Play a card; returns what it earns each seat."""
        assert self.deal is not None
        self.deal.play(card)
        if not self.deal.over:
            return [Fraction(0)] * self.deal.players
        self.dealer = (self.dealer + 1) % self.deal.players
        return self.ledger.enter(self.deal.points())
