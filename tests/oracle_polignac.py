"""A slow, obvious Polignac to compare the fast engine with.

Written from the rules alone and sharing no code with the engine. Cards are two
characters, suit and rank: ``"SA"``, ``"HT"``, ``"D7"``; calls are ``"pass"`` and
``"capot"``. Seats run clockwise from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

SUITS = "CDHS"
RANKS = "23456789TJQKA"
DEFAULTS: dict[str, Any] = {
    "players": 4,
    "episode": "deal",
    "deals": None,
    "reward": "points",
    "settlement": "ledger",
    "stack": 20,
    "game_end": "deals",
    "limit": 10,
    "rank": "AKQJ10987",
    "announcements": "first",
    "capot_lead": "eldest",
    "capot_early_stop": False,
}


def card_id(card: str) -> int:
    """Number of a card: ``13 * suit + rank``, clubs 0, deuce 0."""
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def card_name(number: int) -> str:
    """Card with the number ``13 * suit + rank``."""
    return SUITS[number // 13] + RANKS[number % 13]


def short_pack(players: int) -> set[str]:
    """32 cards for four players, 30 for any other number."""
    pack = {suit + rank for suit in SUITS for rank in "789TJQKA"}
    return pack if players == 4 else pack - {"C7", "S7"}


def winner_of(trick: Sequence[tuple[int, str]], order: str) -> int:
    """Seat with the highest card of the suit led; the order has the highest first."""
    led = trick[0][1][0]
    following = [(order.index(card[1]), seat) for seat, card in trick if card[0] == led]
    return min(following)[1]


class Deal:
    """One deal: announcements, then tricks."""

    def __init__(
        self, hands: Sequence[Sequence[str]], dealer: int, options: dict[str, Any]
    ) -> None:
        self.players = len(hands)
        assert {card for hand in hands for card in hand} == short_pack(self.players)
        assert len({len(hand) for hand in hands}) == 1
        self.options = options
        self.hands = [set(hand) for hand in hands]
        self.eldest = (dealer + 1) % self.players
        self.seat = self.eldest
        self.to_ask = self.players
        self.announcers: list[int] = []
        self.trick: list[tuple[int, str]] = []
        self.taken: list[list[str]] = [[] for _ in hands]
        self.tricks = [0] * self.players

    def legal(self) -> list[str]:
        """What the seat to act may say or play."""
        if self.to_ask:
            return ["pass", "capot"]
        hand = self.hands[self.seat]
        if self.trick:
            following = [card for card in hand if card[0] == self.trick[0][1][0]]
            return following or list(hand)
        return list(hand)

    def act(self, what: str) -> None:
        """Say or play something."""
        assert what in self.legal()
        if self.to_ask:
            self._speak(what)
        else:
            self._play(what)

    def _speak(self, what: str) -> None:
        self.to_ask -= 1
        if what == "capot":
            self.announcers.append(self.seat)
            if self.options["announcements"] == "first":
                self.to_ask = 0
        self.seat = (self.seat + 1) % self.players
        if self.to_ask == 0:
            self.seat = self.eldest
            if self.announcers and self.options["capot_lead"] == "announcer":
                self.seat = self.announcers[0]

    def _play(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        self.seat = (self.seat + 1) % self.players
        if len(self.trick) == self.players:
            order = self.options["rank"].replace("10", "T")
            self.seat = winner_of(self.trick, order)
            self.taken[self.seat] += [card for _, card in self.trick]
            self.tricks[self.seat] += 1
            self.trick = []

    @property
    def over(self) -> bool:
        """Whether all is played, or a lost capot stops the play."""
        if self.to_ask or self.trick:
            return False
        if not any(self.hands):
            return True
        can_make_it = any(self.has_all(seat) for seat in self.announcers)
        stops = self.options["capot_early_stop"] and self.announcers
        return bool(stops and not can_make_it)

    def has_all(self, seat: int) -> bool:
        """Whether a seat took all tricks so far."""
        return self.tricks[seat] == sum(self.tricks)

    def payments(self) -> list[int]:
        """What each pays in the end."""
        pays = [0] * self.players
        for announcer in self.announcers:
            made = self.has_all(announcer)
            for seat in range(self.players):
                if made and seat != announcer:
                    pays[seat] += 5
                if not made and seat == announcer:
                    pays[seat] += 5
        if self.announcers:
            return pays
        for seat in range(self.players):
            if self.has_all(seat):
                pays[seat] = 5
                return pays
        for seat, cards in enumerate(self.taken):
            for card in cards:
                if card == "SJ":
                    pays[seat] += 2
                elif card[1] == "J":
                    pays[seat] += 1
        return pays


class Ledger:
    """The payments of an episode: what they earn, when it ends, and who wins it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.players = options["players"]
        self.paid = [0] * self.players
        self.stacks = [options["stack"]] * self.players
        self.pool = 0
        self.deals = 0
        self.over = False
        self.winners: list[int] = []

    def enter(self, payments: Sequence[int]) -> list[Fraction]:
        """Settle a deal; returns what it earns each seat."""
        self.deals += 1
        self.paid = [a + b for a, b in zip(self.paid, payments, strict=True)]
        self.over = self._has_ended()
        if self.over:
            self.winners = self._who_wins()
        if self.options["reward"] == "match":
            return self._match()
        if self.options["settlement"] == "stacks":
            return [Fraction(change) for change in self._stacks(payments)]
        mean = Fraction(sum(payments), self.players)
        return [mean - payment for payment in payments]

    def _stacks(self, payments: Sequence[int]) -> list[int]:
        before = list(self.stacks)
        for seat, payment in enumerate(payments):
            self.stacks[seat] -= payment
            self.pool += payment
        if min(self.stacks) <= 1:
            self._draw()
        if self.over:
            self._draw()
        return [now - then for now, then in zip(self.stacks, before, strict=True)]

    def _draw(self) -> None:
        share = self.pool // self.players
        self.stacks = [stack + share for stack in self.stacks]
        self.pool -= share * self.players

    def _has_ended(self) -> bool:
        if self.options["episode"] == "deal":
            return bool(self.deals == (self.options["deals"] or 1))
        if self.options["game_end"] == "points":
            return bool(max(self.paid) >= self.options["limit"])
        return bool(self.deals == 2 * self.players)

    def _who_wins(self) -> list[int]:
        seats = range(self.players)
        if self.options["game_end"] == "deals":
            return [seat for seat in seats if self.paid[seat] == min(self.paid)]
        best = [seat for seat in seats if self.paid[seat] < max(self.paid)]
        return best or list(seats)

    def _match(self) -> list[Fraction]:
        earned = [Fraction(0)] * self.players
        if self.over:
            for winner in self.winners:
                for loser in range(self.players):
                    if loser not in self.winners:
                        earned[winner] += 1
                        earned[loser] -= 1
        return earned


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

    def act(self, what: str) -> list[Fraction]:
        """Say or play something; returns what it earns each seat."""
        assert self.deal is not None
        self.deal.act(what)
        if not self.deal.over:
            return [Fraction(0)] * self.deal.players
        self.dealer = (self.dealer + 1) % self.deal.players
        return self.ledger.enter(self.deal.payments())
