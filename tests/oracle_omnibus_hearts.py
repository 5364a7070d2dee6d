"""A slow, obvious Omnibus Hearts to compare the fast engine with.

Written from the rules alone and sharing no code with the engine. Cards are two
characters, suit and rank: ``"SA"``, ``"HT"``, ``"D7"``. Seats run clockwise from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

SUITS = "CDHS"
RANKS = "23456789TJQKA"
REMOVED = {
    "mixed": {4: [], 5: ["C2", "D2"], 6: ["C2", "D2", "C3", "S2"]},
    "black": {5: ["C2", "S2"], 6: ["C2", "S2", "C3", "S3"]},
}
LOWEST_CLUB = {4: "C2", 5: "C3", 6: "C4"}
CYCLE = ("left", "right", "across", "hold")
DEFAULTS: dict[str, Any] = {
    "players": 4,
    "episode": "deal",
    "deals": None,
    "reward": "points",
    "limit": 100,
    "low_cards_out": "mixed",
    "cards_passed": 3,
    "pass_cycle": "left",
    "lead": "eldest",
    "hearts_broken": False,
    "no_points_first_trick": False,
    "bonus_card": "DT",
}


def card_id(card: str) -> int:
    """Number of a card: ``13 * suit + rank``, clubs 0, deuce 0."""
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def card_name(number: int) -> str:
    """Card with the number ``13 * suit + rank``."""
    return SUITS[number // 13] + RANKS[number % 13]


def is_penalty(card: str) -> bool:
    """Whether nobody wants a card."""
    return card[0] == "H" or card == "SQ"


def score_of(cards: Sequence[str], bonus: str) -> int:
    """What the cards that a player has taken count."""
    counting = [card for card in cards if is_penalty(card) or card == bonus]
    if len(counting) == 15:
        return 26
    values = {"SQ": -13, bonus: 10}
    return sum(values.get(card, -1) for card in counting)


class Deal:
    """One deal: passing, then tricks."""

    def __init__(
        self,
        hands: Sequence[Sequence[str]],
        dealer: int,
        direction: str,
        options: dict[str, Any],
    ) -> None:
        self.players = len(hands)
        pack = {suit + rank for suit in SUITS for rank in RANKS}
        dealt = [card for hand in hands for card in hand]
        removed = REMOVED[options["low_cards_out"]][self.players]
        assert sorted(dealt) == sorted(pack - set(removed))
        assert len({len(hand) for hand in hands}) == 1
        self.options = options
        self.hands = [set(hand) for hand in hands]
        self.eldest = (dealer + 1) % self.players
        self.seat = self.eldest
        self.to_left = {
            "left": 1,
            "right": self.players - 1,
            "across": self.players // 2,
            "hold": 0,
        }[direction]
        self.passing = direction != "hold"
        self.chosen: list[list[str]] = [[] for _ in hands]
        self.received: list[list[str]] = [[] for _ in hands]
        self.trick: list[tuple[int, str]] = []
        self.history: list[str] = []
        self.taken: list[list[str]] = [[] for _ in hands]
        if not self.passing:
            self._begin_play()

    def legal(self) -> list[str]:
        """What the seat to act may pass on or play."""
        hand = sorted(self.hands[self.seat])
        if self.passing:
            return hand
        if not self.history and self.options["lead"] == "2c":
            return [LOWEST_CLUB[self.players]]
        cards = hand
        if self.trick:
            led = self.trick[0][1][0]
            cards = [card for card in hand if card[0] == led] or hand
        elif self.options["hearts_broken"]:
            broken = any(card[0] == "H" for card in self.history)
            if not broken:
                cards = [card for card in hand if card[0] != "H"] or hand
        if len(self.history) < self.players and self.options["no_points_first_trick"]:
            cards = [card for card in cards if not is_penalty(card)] or cards
        return cards

    def act(self, card: str) -> None:
        """Pass on a card or play it."""
        assert card in self.legal()
        self.hands[self.seat].remove(card)
        if self.passing:
            self._pass_on(card)
        else:
            self._play(card)

    def _pass_on(self, card: str) -> None:
        self.chosen[self.seat].append(card)
        if len(self.chosen[self.seat]) == self.options["cards_passed"]:
            self.seat = (self.seat + 1) % self.players
            if self.seat == self.eldest:
                for giver, cards in enumerate(self.chosen):
                    receiver = (giver + self.to_left) % self.players
                    self.received[receiver] = cards
                    self.hands[receiver].update(cards)
                self._begin_play()

    def _begin_play(self) -> None:
        self.passing = False
        self.seat = self.eldest
        if self.options["lead"] == "2c":
            club = LOWEST_CLUB[self.players]
            (self.seat,) = [s for s, hand in enumerate(self.hands) if club in hand]

    def _play(self, card: str) -> None:
        self.trick.append((self.seat, card))
        self.history.append(card)
        self.seat = (self.seat + 1) % self.players
        if len(self.trick) == self.players:
            led = self.trick[0][1][0]
            following = [play for play in self.trick if play[1][0] == led]
            self.seat, _ = max(following, key=lambda play: RANKS.index(play[1][1]))
            self.taken[self.seat] += [card for _, card in self.trick]
            self.trick = []

    @property
    def over(self) -> bool:
        """Whether all cards are played."""
        return not self.passing and not any(self.hands)

    def scores(self) -> list[int]:
        """What each scores."""
        return [score_of(cards, self.options["bonus_card"]) for cards in self.taken]


class Match:
    """Deals in a row up to the end of the episode."""

    def __init__(self, dealer: int, **options: Any) -> None:
        self.options = {**DEFAULTS, **options}
        self.players = self.options["players"]
        self.dealer = dealer
        self.totals = [0] * self.players
        self.deals = 0
        self.over = False
        self.winners: list[int] = []
        self.deal: Deal | None = None

    def start_deal(self, hands: Sequence[Sequence[str]]) -> None:
        """Deal these hands."""
        direction = "left"
        if self.options["pass_cycle"] != "left":
            direction = CYCLE[self.deals % 4]
        self.deal = Deal(hands, self.dealer, direction, self.options)

    def act(self, card: str) -> list[Fraction]:
        """Pass on or play a card; returns what it earns each seat."""
        assert self.deal is not None
        self.deal.act(card)
        if not self.deal.over:
            return [Fraction(0)] * self.players
        self.dealer = (self.dealer + 1) % self.players
        self.deals += 1
        scores = self.deal.scores()
        self.totals = [a + b for a, b in zip(self.totals, scores, strict=True)]
        if self.options["episode"] == "deal":
            self.over = self.deals == (self.options["deals"] or 1)
        else:
            self.over = min(self.totals) <= -self.options["limit"] or self.deals == 100
        if self.over:
            best = max(self.totals)
            self.winners = [s for s, total in enumerate(self.totals) if total == best]
        if self.options["reward"] == "match":
            return self._match()
        mean = Fraction(sum(scores), self.players)
        return [score - mean for score in scores]

    def _match(self) -> list[Fraction]:
        losers = [seat for seat in range(self.players) if seat not in self.winners]
        return [
            Fraction(0)
            if not self.over
            else Fraction(len(losers) if seat in self.winners else -len(self.winners))
            for seat in range(self.players)
        ]
