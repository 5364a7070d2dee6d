"""A slow, obvious Boston to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine, so that a mistake has to be made twice before it can hide.

Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Calls are
``"pass"``, ``"six_hearts"``, ``"little_misere"``. Seats are 0 to 3 clockwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]

SUIT_OF_WORD = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
LEVELS = {
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
}
LADDER = [
    "five",
    "six",
    "seven",
    "little_misere",
    "eight",
    "nine",
    "grand_misere",
    "ten",
    "eleven",
    "little_spread",
    "twelve",
    "grand_spread",
    "thirteen",
]
MISERES = {
    "little_misere": 20,
    "grand_misere": 40,
    "little_spread": 80,
    "grand_spread": 160,
}
BIDS = [
    bid
    for rung in LADDER
    for bid in (
        [rung] if rung in MISERES else [f"{rung}_{suit}" for suit in SUIT_OF_WORD]
    )
]
ACTIONS = [*PACK, "pass", *BIDS]

SUCCESS = {5: 10, 6: 15, 7: 20, 8: 25, 9: 35, 10: 45, 11: 65, 12: 105, 13: 170}
DECIMAL = {
    5: "10 20 30 40 50",
    6: "15 25 35 45 55 65",
    7: "20 30 40 50 60 70 80",
    8: "25 35 45 55 70 85 100 115",
    9: "35 45 55 65 80 95 110 125 140",
    10: "45 55 70 80 95 110 125 140 155 170",
    11: "70 80 95 110 125 140 155 170 185 200 220",
    12: "120 130 145 160 180 200 220 240 260 280 300 320",
    13: "180 200 220 240 260 280 300 320 340 360 390 420 450",
}
ENGLISH = {
    5: "11 21 31 41 50",
    6: "15 24 35 45 55 66",
    7: "19 29 40 50 60 72 82",
    8: "23 34 46 56 67 78 89 110",
    9: "33 44 57 68 82 92 103 115 127",
    10: "44 56 70 82 94 107 119 132 145 157",
    11: "67 80 95 109 123 138 151 165 180 194 208",
    12: "113 130 148 165 182 200 217 234 252 270 286 304",
    13: "177 198 222 241 262 284 305 326 348 369 390 412 433",
}
POOL_LIMIT = 250


@dataclass(frozen=True)
class Options:
    """What is played for."""

    episode: str = "deal"
    deals: int | None = None
    reward: str = "points"
    failure_scale: str = "decimal"
    overtrick: int = 1
    pool_min_bid: int = 7
    come_back: str = "miseres"
    red_counter: int = 10
    spread_exposed: str = "before_lead"
    partout_tie: str = "all_pay"
    pool_left: str = "divided"

    @property
    def deals_in_episode(self) -> int:
        """How many deals an episode has."""
        if self.deals is not None:
            return self.deals
        return {"deal": 1, "game": 12}[self.episode]


def rung_of(bid: str) -> str:
    """The bid without its suit."""
    return bid if bid in MISERES else bid.split("_")[0]


def trump_of(bid: str) -> str | None:
    """The trump suit that a bid names."""
    return None if bid in MISERES else SUIT_OF_WORD[bid.split("_")[1]]


def overcalls(bid: str, other: str | None, cut: str) -> bool:
    """Whether a bid is higher than the one that stands."""
    if other is None:
        return True
    places = LADDER.index(rung_of(bid)), LADDER.index(rung_of(other))
    if places[0] != places[1]:
        return places[0] > places[1]
    if bid in MISERES:
        return False
    values = []
    for suit in (trump_of(bid), trump_of(other)):
        if suit == cut[0]:
            values.append("2 preference")
        elif suit == SAME_COLOUR[cut[0]]:
            values.append("1 colour")
        else:
            values.append("0 plain")
    return values[0] > values[1]


def failure(bid_tricks: int, short: int, scale: str) -> int:
    """What a bid of tricks that fails costs to each adversary."""
    table = {"decimal": DECIMAL, "english": ENGLISH}[scale]
    return int(table[bid_tricks].split()[short - 1])


class Deal:
    """One deal: bidding, discards, tricks."""

    def __init__(
        self, hands: Sequence[Iterable[str]], dealer: int, cut: str, come_back: str
    ):
        self.come_back = come_back
        self.hands = [list(hand) for hand in hands]
        assert sorted(card for hand in self.hands for card in hand) == sorted(PACK)
        self.cut = cut
        self.eldest = (dealer + 1) % 4
        self.seat = self.eldest
        self.phase = "bid"
        self.calls: list[tuple[int, str]] = []
        self.discards: dict[int, str] = {}
        self.trick: list[tuple[int, str]] = []
        self.tricks = [0, 0, 0, 0]
        self.tricks_played = 0

    @property
    def bids(self) -> list[tuple[int, str]]:
        """The calls that are no passes."""
        return [(seat, call) for seat, call in self.calls if call != "pass"]

    @property
    def caller(self) -> int | None:
        """Who made the highest bid."""
        return self.bids[-1][0] if self.bids else None

    @property
    def bid(self) -> str | None:
        """The highest bid."""
        return self.bids[-1][1] if self.bids else None

    @property
    def trump(self) -> str | None:
        """The trump suit; none in misères and in misère partout."""
        return None if self.bid is None else trump_of(self.bid)

    @property
    def is_over(self) -> bool:
        """Whether all cards are played."""
        return self.phase == "over"

    def legal(self) -> list[str]:
        """What the seat to act may do."""
        hand = self.hands[self.seat]
        if self.phase == "bid":
            higher = [bid for bid in BIDS if overcalls(bid, self.bid, self.cut)]
            own = [call for seat, call in self.calls if seat == self.seat]
            bound = own[-1:] if self.come_back == "freely" else own
            if "pass" in bound:
                higher = [bid for bid in higher if bid in MISERES]
            return ["pass", *higher]
        if self.phase == "play" and self.trick:
            same = [card for card in hand if card[0] == self.trick[0][1][0]]
            return same or list(hand)
        return list(hand)

    def act(self, action: str) -> None:
        """The seat to act does something legal."""
        assert action in self.legal()
        if self.phase == "bid":
            self._call(action)
        elif self.phase == "discard":
            self.hands[self.seat].remove(action)
            self.discards[self.seat] = action
            self.seat = (self.seat + 1) % 4
            if len(self.discards) == 4:
                self._begin_play()
        else:
            self._play(action)

    def _call(self, call: str) -> None:
        self.calls.append((self.seat, call))
        last_calls = [made for _, made in self.calls]
        all_pass = last_calls == ["pass"] * 4
        contract = self.bid is not None and last_calls[-3:] == ["pass"] * 3
        if all_pass or contract:
            if self.bid in ("little_misere", "little_spread"):
                assert self.caller is not None
                self.phase = "discard"
                self.seat = self.caller
            else:
                self._begin_play()
        else:
            self.seat = (self.seat + 1) % 4

    def _begin_play(self) -> None:
        self.phase = "play"
        self.seat = self.eldest

    def _play(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        self.seat = (self.seat + 1) % 4
        if len(self.trick) < 4:
            return
        cards = [played for _, played in self.trick]
        trumps = [played for played in cards if played[0] == self.trump]
        of_suit = [played for played in cards if played[0] == cards[0][0]]
        best = max(trumps or of_suit, key=lambda played: RANKS.index(played[1]))
        self.seat = next(seat for seat, played in self.trick if played == best)
        self.tricks[self.seat] += 1
        self.tricks_played += 1
        self.trick = []
        if not self.hands[self.seat]:
            self.phase = "over"

    def exposed(self, options: Options) -> set[str]:
        """The cards that lie open in the hand of the caller of a spread."""
        if self.phase != "play" or self.bid not in ("little_spread", "grand_spread"):
            return set()
        if options.spread_exposed == "after_first_trick" and self.tricks_played == 0:
            return set()
        assert self.caller is not None
        return set(self.hands[self.caller])

    def amount(self, options: Options) -> int:
        """What each adversary pays the caller; negative, what he pays to each."""
        assert self.bid is not None and self.caller is not None
        taken = self.tricks[self.caller]
        if self.bid in MISERES:
            return MISERES[self.bid] if taken == 0 else -MISERES[self.bid]
        wanted = LEVELS[rung_of(self.bid)]
        if taken >= wanted:
            return SUCCESS[wanted] + (taken - wanted) * options.overtrick
        return -failure(wanted, wanted - taken, options.failure_scale)


def misere_partout(tricks: Sequence[int], options: Options) -> list[int]:
    """What each earns where nobody has bid, in white counters."""
    most = max(tricks)
    earned = [0, 0, 0, 0]
    if list(tricks).count(most) > 1 and options.partout_tie == "nobody_pays":
        return earned
    for loser in range(4):
        for other in range(4):
            if tricks[loser] == most and tricks[other] < most:
                red = most - tricks[other]
                earned[loser] -= red * options.red_counter
                earned[other] += red * options.red_counter
    return earned


class Match:
    """An episode: deals, the pool, what each has made."""

    def __init__(self, options: Options, dealer: int, pool: int = 0):
        self.options = options
        self.dealer = dealer
        self.pool = pool
        self.points = [0, 0, 0, 0]
        self.deals_played = 0
        self.deal: Deal | None = None

    @property
    def over(self) -> bool:
        """Whether all deals have been played."""
        return self.deals_played == self.options.deals_in_episode

    def start_deal(self, hands: Sequence[Iterable[str]], cut: str) -> Deal:
        """The next deal."""
        self.deal = Deal(hands, self.dealer, cut, self.options.come_back)
        return self.deal

    def act(self, action: str) -> list[int]:
        """The seat to act does something; returns what it earns each player."""
        assert self.deal is not None
        self.deal.act(action)
        if not self.deal.is_over:
            return [0, 0, 0, 0]
        return self._settle(self.deal)

    def _settle(self, deal: Deal) -> list[int]:
        options = self.options
        earned = [-options.red_counter] * 4
        self.pool += 4 * options.red_counter
        if deal.caller is None:
            for seat, red in enumerate(misere_partout(deal.tricks, options)):
                earned[seat] += red
        else:
            self._settle_contract(deal, deal.caller, earned)
        self.deals_played += 1
        self.dealer = (self.dealer + 1) % 4
        if self.over and options.pool_left == "divided":
            share = self.pool // 4
            self.pool -= 4 * share
            earned = [made + share for made in earned]
        self.points = [a + b for a, b in zip(self.points, earned, strict=True)]
        if options.reward == "points":
            return earned
        return self._winnings() if self.over else [0, 0, 0, 0]

    def _settle_contract(self, deal: Deal, caller: int, earned: list[int]) -> None:
        amount = deal.amount(self.options)
        for seat in range(4):
            earned[seat] += 3 * amount if seat == caller else -amount
        assert deal.bid is not None
        lowest = next(
            word for word in LEVELS if LEVELS[word] == self.options.pool_min_bid
        )
        if LADDER.index(rung_of(deal.bid)) < LADDER.index(lowest):
            return
        pool = min(self.pool, POOL_LIMIT)
        earned[caller] += pool if amount > 0 else -pool
        self.pool -= pool if amount > 0 else -pool

    def _winnings(self) -> list[int]:
        most = max(self.points)
        firsts = [seat for seat in range(4) if self.points[seat] == most]
        return [
            4 - len(firsts) if seat in firsts else -len(firsts) for seat in range(4)
        ]
