"""A slow, obvious Boston de Fontainebleau to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine, so that a mistake has to be made twice before it can hide.

Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Calls are words:
``"pass"``, ``"six_hearts"``, ``"whist"``. Seats are 0 to 3 clockwise.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
LETTERS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S", "grand": ""}

AMERICAN = ["spades", "clubs", "hearts", "diamonds", "grand"]
FRENCH = ["spades", "clubs", "diamonds", "hearts", "grand"]

# From low to high: the name of a bid and what is undertaken.
LADDER: dict[str, int] = {
    "five": 5,
    "six": 6,
    "little_misere": 0,
    "seven": 7,
    "piccolissimo": 1,
    "eight": 8,
    "grand_misere": 0,
    "nine": 9,
    "little_spread": 0,
    "ten": 10,
    "grand_spread": 0,
    "eleven": 11,
    "twelve": 12,
    "slam": 13,
    "exposed_slam": 13,
}
WITHOUT_TRUMPS = (
    "little_misere",
    "piccolissimo",
    "grand_misere",
    "little_spread",
    "grand_spread",
)
AFTER_A_DISCARD = ("little_misere", "piccolissimo", "little_spread")
EXPOSED = ("little_spread", "grand_spread", "exposed_slam")
WITH_A_PARTNER = {"five": 8, "six": 10, "seven": 12}

BIDS = [
    bid
    for name in LADDER
    for bid in (
        [name] if name in WITHOUT_TRUMPS else [f"{name}_{suit}" for suit in AMERICAN]
    )
]
ACTIONS = [*PACK, "pass", *BIDS, "whist"]

DEFAULTS: dict[str, Any] = {
    "episode": "deal",
    "deals": None,
    "reward": "points",
    "suit_order": "DHCS",
    "partner": True,
    "discards": "all",
    "expose": "before_lead",
    "all_pass": "next_dealer",
    "passed_stake": "stays",
    "alliance_row": "bid",
    "odd_counter": "caller",
    "divide_leftover": True,
    "honours": False,
    "honours_on_failure": True,
    "level_step": 20,
    "level_growth": 0,
    "suit_step": 10,
    "black_suits": "alike",
    "over_trick": 5,
    "under_trick": None,
    "slam": 400,
    "exposed_slam": 450,
    "slam_step": 50,
    "slam_failure": "flat",
    "little_misere": 75,
    "piccolissimo": 100,
    "grand_misere": 150,
    "little_spread": 200,
    "grand_spread": 250,
}


def left_of(seat: int) -> int:
    """Next seat clockwise."""
    return (seat + 1) % 4


def name_of(bid: str) -> str:
    """``"six"`` of ``"six_hearts"``."""
    return bid if bid in WITHOUT_TRUMPS else bid.rpartition("_")[0]


def suit_of(bid: str) -> str:
    """``"hearts"`` of ``"six_hearts"``; grand of a bid without trumps."""
    return "grand" if bid in WITHOUT_TRUMPS else bid.rpartition("_")[2]


def trick_winner(trick: Sequence[tuple[int, str]], trump: str) -> int:
    """The highest trump wins, else the highest card of the suit led."""
    trumps = [(seat, card) for seat, card in trick if card[0] == trump]
    in_suit = [(seat, card) for seat, card in trick if card[0] == trick[0][1][0]]
    return max(trumps or in_suit, key=lambda play: RANKS.index(play[1][1]))[0]


class Match:
    """Deals in a row, up to the end that the options name.

    Attributes:
        options: the options.
        dealer: the dealer of the deal in play.
        pool: the counters in the pool, without the stake of the deal in play.
        totals: what each player has made.
        over: whether the match has ended.
        seat: the seat to act.
        hands: the cards that each seat holds.
        dealt: the cards that each seat was dealt.
        aside: the card that each seat has discarded.
        played: all cards played.
        tricks: the tricks that each seat has taken.
        calls: all calls as (seat, call) in order.
    """

    actions: ClassVar[list[str]] = ACTIONS
    defaults: ClassVar[dict[str, Any]] = DEFAULTS

    def __init__(self, options: dict[str, Any], dealer: int, pool: int = 0) -> None:
        self.options = {**self.defaults, **options}
        self.dealer = dealer
        self.pool = pool
        self.totals = [0, 0, 0, 0]
        self.deals = 0
        self.over = False

    # The course of a deal

    def start_deal(self, hands: Sequence[Sequence[str]]) -> None:
        """Deal these hands."""
        self.hands = [list(hand) for hand in hands]
        self.dealt = [list(hand) for hand in hands]
        self.aside: list[str | None] = [None] * 4
        self.tricks = [0, 0, 0, 0]
        self.trick: list[tuple[int, str]] = []
        self.played: list[str] = []
        self.calls: list[tuple[int, str]] = []
        self.contract: str | None = None
        self.caller: int | None = None
        self.partner: int | None = None
        self.target = 0
        self.stage = "bid"
        self.seat = left_of(self.dealer)

    def legal(self) -> list[str]:
        """What the seat to act may do."""
        if self.stage == "bid":
            return ["pass", *(bid for bid in self.bids() if self.is_higher(bid))]
        if self.stage == "accept":
            return ["pass", "whist"]
        hand = self.hands[self.seat]
        if self.stage == "discard" or not self.trick:
            return list(hand)
        in_suit = [card for card in hand if card[0] == self.trick[0][1][0]]
        return in_suit or list(hand)

    def bids(self) -> list[str]:
        """All bids that there are."""
        return BIDS

    def height(self, bid: str) -> tuple[int, int]:
        """The higher bid has the higher of these."""
        order = AMERICAN if self.options["suit_order"] == "DHCS" else FRENCH
        return list(LADDER).index(name_of(bid)), order.index(suit_of(bid))

    def is_higher(self, bid: str) -> bool:
        """Whether a bid over-calls the highest so far."""
        return self.contract is None or self.height(bid) > self.height(self.contract)

    def play(self, action: str) -> list[int]:
        """Carry out an action; returns what it earns each player."""
        assert action in self.legal(), (action, self.legal())
        self.earned = [0, 0, 0, 0]
        self.act(action)
        if self.stage == "over":
            self.end_deal()
        for seat in range(4):
            self.totals[seat] += self.earned[seat]
        if self.options["reward"] == "points":
            return self.earned
        return self.match_rewards() if self.over else [0, 0, 0, 0]

    def act(self, action: str) -> None:
        """What an action does."""
        if self.stage == "bid":
            self.call(action)
        elif self.stage == "accept":
            self.answer(action)
        elif self.stage == "discard":
            self.discard(action)
        else:
            self.play_card(action)

    def call(self, bid: str) -> None:
        """A bid or a pass."""
        self.calls.append((self.seat, bid))
        if bid != "pass":
            self.contract, self.caller = bid, self.seat
        out = {seat for seat, call in self.calls if call == "pass"}
        if len(out) == 4:
            self.stage = "over"
        elif len(out) == 3 and self.contract is not None:
            self.end_bidding()
        else:
            self.seat = left_of(self.seat)
            while self.seat in out:
                self.seat = left_of(self.seat)

    def end_bidding(self) -> None:
        """The highest bidder looks for a partner, or discards, or play begins."""
        assert self.contract is not None
        assert self.caller is not None
        self.target = LADDER[name_of(self.contract)]
        if self.target_with_partner() is not None:
            self.stage = "accept"
            self.seat = left_of(self.caller)
        elif name_of(self.contract) in AFTER_A_DISCARD:
            self.stage = "discard"
            self.seat = self.caller
        else:
            self.begin_play()

    def target_with_partner(self) -> int | None:
        """What caller and partner must make; None if he is to play alone."""
        assert self.contract is not None
        if not self.options["partner"]:
            return None
        return WITH_A_PARTNER.get(name_of(self.contract))

    def answer(self, call: str) -> None:
        """One of the others takes the offer of the caller, or does not."""
        if call == "whist":
            self.partner = self.seat
            target = self.target_with_partner()
            assert target is not None
            self.target = target
            self.begin_play()
        else:
            self.seat = left_of(self.seat)
            if self.seat == self.caller:
                self.begin_play()

    def discard(self, card: str) -> None:
        """A card is put aside."""
        self.hands[self.seat].remove(card)
        self.aside[self.seat] = card
        self.seat = left_of(self.seat)
        if self.seat == self.caller or self.options["discards"] == "caller":
            self.begin_play()

    def begin_play(self) -> None:
        """Eldest hand leads."""
        self.stage = "play"
        self.seat = left_of(self.dealer)

    def play_card(self, card: str) -> None:
        """A card is played."""
        assert self.contract is not None
        self.hands[self.seat].remove(card)
        self.played.append(card)
        self.trick.append((self.seat, card))
        self.seat = left_of(self.seat)
        if len(self.trick) == 4:
            self.seat = trick_winner(self.trick, LETTERS[suit_of(self.contract)])
            self.tricks[self.seat] += 1
            self.trick = []
        last = 12 if name_of(self.contract) in AFTER_A_DISCARD else 13
        if sum(self.tricks) == last:
            self.stage = "over"

    def open_hand(self) -> list[str]:
        """The cards that the caller holds on the table."""
        if self.stage != "play" or name_of(self.contract or "") not in EXPOSED:
            return []
        if self.options["expose"] == "after_first_trick" and sum(self.tricks) == 0:
            return []
        assert self.caller is not None
        return list(self.hands[self.caller])

    # Payments

    def allies(self) -> list[int]:
        """The caller, and his partner if he has one."""
        return [seat for seat in (self.caller, self.partner) if seat is not None]

    def adversaries(self) -> list[int]:
        """The others."""
        return [seat for seat in range(4) if seat not in self.allies()]

    def taken(self) -> int:
        """The tricks of the caller's side."""
        return sum(self.tricks[seat] for seat in self.allies())

    def made(self) -> bool:
        """Whether the contract is made."""
        if self.contract in WITHOUT_TRUMPS:
            return self.taken() == self.target
        return self.taken() >= self.target

    def honours(self) -> int:
        """Honours of the caller's side, as tricks."""
        assert self.contract is not None
        if not self.options["honours"] or suit_of(self.contract) == "grand":
            return 0
        if not self.made() and not self.options["honours_on_failure"]:
            return 0
        trump = LETTERS[suit_of(self.contract)]
        cards = [card for seat in self.allies() for card in self.dealt[seat]]
        held = len([rank for rank in "AKQJ" if trump + rank in cards])
        return {4: 4, 3: 2}.get(held, 0)

    def amount(self) -> int:
        """What the caller's contract is worth."""
        options, contract = self.options, self.contract
        assert contract is not None
        name = name_of(contract)
        if contract in WITHOUT_TRUMPS:
            return int(options[name])
        value = self.column(suit_of(contract))
        difference = self.taken() - self.target
        rate = options["over_trick"]
        if difference < 0 and options["under_trick"] is not None:
            rate = options["under_trick"]
        if name in ("slam", "exposed_slam"):
            price = options[name] + options["slam_step"] * (value - 1)
            if options["slam_failure"] == "by_tricks":
                price += rate * abs(difference)
            return int(price)
        row = LADDER[name] if options["alliance_row"] == "bid" else self.target
        price = options["suit_step"] * value
        for trick in range(6, row + 1):
            price += options["level_step"] + options["level_growth"] * (trick - 6)
        price += rate * abs(difference) + options["over_trick"] * self.honours()
        return int(price)

    def column(self, suit: str) -> int:
        """The column of the table for these trumps, counted from 1."""
        order = AMERICAN if self.options["suit_order"] == "DHCS" else FRENCH
        if self.options["black_suits"] == "differ":
            return order.index(suit) + 1
        return 1 if suit in ("spades", "clubs") else order.index(suit)

    def game_length(self) -> int | None:
        """Deals in a game; None for a deal by itself."""
        if self.options["deals"] is not None:
            return int(self.options["deals"])
        return 12 if self.options["episode"] == "game" else None

    def end_deal(self) -> None:
        """Settle, and pass the deal."""
        if self.contract is not None or self.options["passed_stake"] == "stays":
            self.earned[self.dealer] -= 5
            self.pool += 5
        if self.contract is not None:
            self.settle(self.amount() if self.made() else -self.amount())
        self.deals += 1
        if self.deals == self.game_length():
            self.divide_pool()
        self.over = self.deals >= (self.game_length() or 1)
        same = self.contract is None and self.options["all_pass"] == "same_dealer"
        if not same:
            self.dealer = left_of(self.dealer)

    def settle(self, value: int) -> None:
        """Pay for a contract that was made (a positive value) or failed."""
        allies, adversaries = self.allies(), self.adversaries()
        if len(allies) == 1:
            self.earned[allies[0]] += 3 * value
        else:
            for ally in allies:
                self.earned[ally] += value
        for adversary in adversaries:
            self.earned[adversary] -= value
        into_the_allies = self.pool if self.made() else value
        self.pool -= into_the_allies
        for ally, part in zip(allies, self.parts(into_the_allies), strict=True):
            self.earned[ally] += part

    def parts(self, counters: int) -> list[int]:
        """What each ally gets of some counters, or pays if they are negative."""
        if len(self.allies()) == 1:
            return [counters]
        small, sign = abs(counters) // 2, 1 if counters > 0 else -1
        large = abs(counters) - small
        if self.options["odd_counter"] == "caller":
            return [sign * large, sign * small]
        return [sign * small, sign * large]

    def divide_pool(self) -> None:
        """What the pool holds after the last deal."""
        if self.contract is not None and not self.made():
            takers = self.adversaries()
        elif self.options["divide_leftover"]:
            takers = [0, 1, 2, 3]
        else:
            return
        share = self.pool // len(takers)
        for seat in takers:
            self.earned[seat] += share
            self.pool -= share

    def match_rewards(self) -> list[int]:
        """Every loser pays one counter to every winner."""
        most = max(self.totals)
        winners = [seat for seat in range(4) if self.totals[seat] == most]
        return [
            4 - len(winners) if seat in winners else -len(winners) for seat in range(4)
        ]


def random_hands(rng: random.Random) -> list[list[str]]:
    """Thirteen cards each."""
    pack = list(PACK)
    rng.shuffle(pack)
    return [pack[13 * seat : 13 * seat + 13] for seat in range(4)]
