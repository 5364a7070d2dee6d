"""A slow, obvious French Boston to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine, so that a mistake has to be made twice before it can hide.

Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Calls are names.
Seats are 0 to 3 clockwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
SUITS_FROM_THE_LOWEST = "SCDH"
WORDS = {"spades": "S", "clubs": "C", "diamonds": "D", "hearts": "H"}

HIDDEN_DEMANDS = ("demand_petite", "demand_belle_hidden")
MISERES = (
    "petite_misere",
    "grand_misere",
    "misere_des_quatre_as",
    "petite_misere_sur_table",
    "grand_misere_sur_table",
)
WITH_DISCARDS = ("petite_misere", "petite_misere_sur_table")
SUR_TABLE = ("petite_misere_sur_table", "grand_misere_sur_table")
CALLS = [
    "pass",
    "demand_petite",
    "demand_belle_hidden",
    "demand_belle",
    "accept",
    *("six_spades", "six_clubs", "six_diamonds", "six_hearts"),
    "petite_misere",
    *("eight_spades", "eight_clubs", "eight_diamonds", "eight_hearts"),
    "grand_misere",
    "misere_des_quatre_as",
    *("nine_spades", "nine_clubs", "nine_diamonds", "nine_hearts"),
    "nine_petite",
    "nine_belle",
    "petite_misere_sur_table",
    "grand_misere_sur_table",
]
ACTIONS = PACK + CALLS
SOLO_BIDS = CALLS[CALLS.index("six_spades") :]
"""From the lowest to the highest."""

# The table of payments: by suit S, C, D, H.
TABLE = {
    "demand": (4, 8, 12, 16),
    "demand, 3 honours": (3, 6, 9, 12),
    "demand, 4 honours": (4, 8, 12, 16),
    "demand, trick": (1, 2, 3, 4),
    "six": (6, 12, 18, 24),
    "six, 3 honours": (4, 8, 12, 16),
    "six, 4 honours": (6, 12, 18, 24),
    "six, trick": (2, 4, 6, 8),
    "eight": (8, 16, 24, 32),
    "eight, 3 honours": (6, 12, 18, 24),
    "eight, 4 honours": (8, 16, 24, 32),
    "eight, trick": (4, 8, 12, 16),
    "petite_misere": (16, 32, 48, 64),
    "grand_misere": (32, 64, 96, 128),
    "misere_des_quatre_as": (32, 64, 96, 128),
    "petite_misere_sur_table": (64, 128, 192, 256),
    "grand_misere_sur_table": (64, 128, 192, 256),
    "slam of two": (50, 100, 150, 200),
    "slam alone": (100, 200, 300, 400),
}


@dataclass(frozen=True)
class Options:
    """What is played for; the names and defaults of the game's own options."""

    episode: str = "deal"
    deals: int = 40
    double_deals: int = 8
    belle: str = "drawn"
    counts: str = "single"
    reward: str = "points"
    counterclockwise: str = "everything"
    deal_passes: str = "right"
    jack_of_hearts: str = "diamonds_turned"
    jack_suit: str = "trumps"
    jack_bonus: str = "diamonds"
    belle_overcall: str = "public"
    after_passing: str = "accept"
    raised_demand: str = "freely"
    unaccepted: str = "alone"
    declare_after: str = "yes"
    sur_table_exposed: str = "before_lead"
    failure: str = "all"
    ally_slam: str = "text"
    solo_slam: str = "column"
    nine: str = "row_and_extra"
    doubles: str = "everything"
    dealer_stake: int = 8
    stake: int = 4
    added_stake: int = 8
    pool_limit: int = 250
    pool_left: str = "divided"
    extra_deals: int = 20
    revokes: str = "never"


def is_solo_of_tricks(call: str) -> bool:
    """Six, eight or nine alone."""
    return call.split("_")[0] in ("six", "eight", "nine")


# One deal ----------------------------------------------------------------------------


class OracleDeal:
    """One deal from the first call to the last card.

    Attributes:
        calls: All calls as (seat, call) in order, hidden demands as they were meant.
        declared: What the winner of a bid of tricks fixed, or None.
        discards: The card of each seat that discarded.
        tricks: All finished tricks, each a list of (seat, card) with its winner.
        revokers: Who did not follow suit and could, once for each time.
    """

    def __init__(
        self,
        options: Options,
        hands: Sequence[Iterable[str]],
        dealer: int,
        turned: str,
        belle: str,
        petite: str | None,
    ) -> None:
        self.options = options
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.dealer = dealer
        self.turned = turned
        self.belle = belle
        self.petite = petite
        self.calls: list[tuple[int, str]] = []
        self.bidding_is_over = False
        self.thrown_in = False
        self.declared: str | None = None
        self.discards: dict[int, str] = {}
        self.trick: list[tuple[int, str]] = []
        self.tricks: list[tuple[list[tuple[int, str]], int]] = []
        self.revokers: list[int] = []
        self.turn: int = self.after_in_bidding(dealer)

    # Directions

    def after_in_bidding(self, seat: int) -> int:
        """Who calls after a seat."""
        if self.options.counterclockwise == "nothing":
            return (seat + 1) % 4
        return (seat + 3) % 4

    def after_in_play(self, seat: int) -> int:
        """Who plays after a seat."""
        if self.options.counterclockwise == "everything":
            return (seat + 3) % 4
        return (seat + 1) % 4

    # What has been called

    def bid_that_stands(self) -> tuple[int, str] | None:
        """The last call that is neither pass nor accept."""
        bids = [(s, call) for s, call in self.calls if call not in ("pass", "accept")]
        return bids[-1] if bids else None

    def partner(self) -> int | None:
        """Who has accepted the demand that stands."""
        stands = self.bid_that_stands()
        if stands is None:
            return None
        later = self.calls[self.calls.index(stands) + 1 :]
        accepting = [seat for seat, call in later if call == "accept"]
        return accepting[0] if accepting else None

    def has_called(self, seat: int, *calls: str) -> bool:
        """Whether a seat has made one of these calls."""
        return any(s == seat and call in calls for s, call in self.calls)

    def laid_suit(self, seat: int) -> str | None:
        """The suit that a seat has laid for a demand."""
        if self.has_called(seat, "demand_petite"):
            return self.petite
        if self.has_called(seat, "demand_belle_hidden", "demand_belle"):
            return self.belle
        return None

    def demand_stands_open(self) -> bool:
        """Whether the bid that stands is a demand that nobody has accepted."""
        stands = self.bid_that_stands()
        return (
            stands is not None
            and stands[1].startswith("demand")
            and self.partner() is None
        )

    def suit_of_bid(self, call: str) -> str | None:
        """The trump suit of a bid."""
        if call in ("demand_petite", "nine_petite"):
            return self.petite
        if call in ("demand_belle_hidden", "demand_belle", "nine_belle"):
            return self.belle
        return WORDS.get(call.split("_")[1])

    # Legal calls

    def legal_calls(self) -> list[str]:
        """The calls open to the seat to call."""
        return [call for call in CALLS if self.is_legal_call(self.turn, call)]

    def is_legal_call(self, seat: int, call: str) -> bool:
        """Whether a seat may make a call."""
        stands = self.bid_that_stands()
        if call == "pass":
            return True
        if call == "accept":
            return self.demand_stands_open()
        if self.has_called(seat, "pass") and self.options.after_passing == "accept":
            return False
        if call in HIDDEN_DEMANDS:
            suit = self.suit_of_bid(call)
            holds_one = any(card[0] == suit for card in self.hands[seat])
            return stands is None and holds_one
        if call == "demand_belle":
            return (
                self.options.belle_overcall == "public"
                and stands is not None
                and stands[1] in HIDDEN_DEMANDS
                and self.petite is not None
            )
        if stands is not None and stands[1] in SOLO_BIDS:
            if SOLO_BIDS.index(call) <= SOLO_BIDS.index(stands[1]):
                return False
        if call in MISERES:
            return self.may_call_misere(seat, call)
        return self.may_play(seat, call)

    def may_call_misere(self, seat: int, call: str) -> bool:
        """Whether a misere is open to a seat, if it is high enough."""
        if self.has_called(seat, "pass", "accept"):
            return False
        if self.laid_suit(seat) and self.options.raised_demand == "laid_suit":
            return False
        if call == "misere_des_quatre_as":
            return all(suit + "A" in self.hands[seat] for suit in SUITS)
        return True

    def may_play(self, seat: int, call: str) -> bool:
        """Whether a bid of tricks alone is open to a seat, if it is high enough."""
        suit = self.suit_of_bid(call)
        if suit is None:
            return False
        laid = self.laid_suit(seat)
        if laid is None:
            return True
        if call.startswith("six") or self.options.raised_demand == "laid_suit":
            return suit == laid
        return True

    # Calling

    def call(self, call: str) -> None:
        """The seat to call makes a call."""
        self.calls.append((self.turn, call))
        after = self.next_caller()
        if after is None:
            self.end_bidding()
        else:
            self.turn = after

    def next_caller(self) -> int | None:
        """Who is asked next: nobody once it is the turn of who last did not pass."""
        stands = self.bid_that_stands()
        raisers = [seat for seat, call in self.calls if call != "pass"]
        seat = self.calls[-1][0]
        for _ in range(4):
            seat = self.after_in_bidding(seat)
            if raisers and seat == raisers[-1]:
                return None
            if stands and seat in (stands[0], self.partner()):
                continue
            if not self.has_called(seat, "pass"):
                return seat
            if self.demand_stands_open():
                return seat
            if stands and self.options.after_passing == "any_higher":
                return seat
        return None

    def end_bidding(self) -> None:
        """Nobody is left to call."""
        self.bidding_is_over = True
        stands = self.bid_that_stands()
        if stands is None:
            self.thrown_in = True
            return
        caller, bid = stands
        if self.demand_stands_open() and self.options.unaccepted == "thrown_in":
            place = self.calls.index(stands)
            fourth_after_passes = place == 3 and bid in HIDDEN_DEMANDS
            self.thrown_in = not fourth_after_passes
        if is_solo_of_tricks(bid) and self.options.declare_after == "yes":
            self.turn = caller
        elif bid in WITH_DISCARDS:
            self.turn = caller
        else:
            self.turn = self.after_in_bidding(self.dealer)

    # After the bidding

    @property
    def caller(self) -> int:
        """Whose bid is played."""
        stands = self.bid_that_stands()
        assert stands is not None
        return stands[0]

    @property
    def contract(self) -> str:
        """What is played."""
        stands = self.bid_that_stands()
        assert stands is not None
        return self.declared or stands[1]

    def is_to_declare(self) -> bool:
        """Whether the caller has still to fix number and suit."""
        return (
            self.bidding_is_over
            and not self.thrown_in
            and is_solo_of_tricks(self.contract)
            and self.options.declare_after == "yes"
            and self.declared is None
        )

    def is_to_discard(self) -> bool:
        """Whether somebody has still to discard."""
        return (
            self.bidding_is_over
            and not self.thrown_in
            and self.contract in WITH_DISCARDS
            and len(self.discards) < 4
        )

    def is_in_play(self) -> bool:
        """Whether cards are played."""
        return (
            self.bidding_is_over
            and not self.thrown_in
            and not self.is_to_declare()
            and not self.is_to_discard()
        )

    def is_over(self) -> bool:
        """Whether the cards were thrown in or all are played."""
        return self.thrown_in or not any(self.hands)

    def legal(self) -> list[str]:
        """What the seat whose turn it is may do."""
        if not self.bidding_is_over:
            return self.legal_calls()
        hand = self.hands[self.turn]
        if self.is_to_discard():
            return list(hand)
        if self.is_to_declare():
            least = SOLO_BIDS.index(self.contract)
            return [
                call
                for call in SOLO_BIDS[least:]
                if is_solo_of_tricks(call) and self.may_play(self.turn, call)
            ]
        return self.legal_cards()

    def act(self, action: str) -> None:
        """The seat whose turn it is does something legal."""
        assert action in self.legal()
        if not self.bidding_is_over:
            self.call(action)
        elif self.is_to_declare():
            self.declared = action
            self.turn = self.after_in_bidding(self.dealer)
        elif self.is_to_discard():
            self.hands[self.turn].remove(action)
            self.discards[self.turn] = action
            self.turn = self.after_in_bidding(self.turn)
            if len(self.discards) == 4:
                self.turn = self.after_in_bidding(self.dealer)
        else:
            self.play(action)

    # Cards

    @property
    def trump(self) -> str | None:
        """The trump suit."""
        if self.contract in MISERES:
            return None
        return self.suit_of_bid(self.contract)

    def best_jack(self) -> str | None:
        """The Jack that is the best trump."""
        if self.trump is None:
            return None
        if self.options.jack_of_hearts == "diamonds_turned":
            return "HJ" if self.turned[0] == "D" else "DJ"
        return "HJ" if self.trump == "D" else "DJ"

    def suit_of_card(self, card: str) -> str | None:
        """The suit to which a card belongs in play."""
        if card == self.best_jack() and self.options.jack_suit == "trumps":
            return self.trump
        return card[0]

    def legal_cards(self) -> list[str]:
        """The cards that the seat to play may play."""
        if self.options.revokes == "penalty":
            return list(self.hands[self.turn])
        return self.cards_to_follow()

    def cards_to_follow(self) -> list[str]:
        """The cards with which the seat to play does not revoke."""
        hand = self.hands[self.turn]
        is_free = (
            self.contract == "misere_des_quatre_as"
            and self.turn == self.caller
            and len(self.tricks) < 10
        )
        if not self.trick or is_free:
            return list(hand)
        led = self.suit_of_card(self.trick[0][1])
        in_suit = [card for card in hand if self.suit_of_card(card) == led]
        return in_suit or list(hand)

    def play(self, card: str) -> None:
        """The seat to play plays a card."""
        if card not in self.cards_to_follow():
            self.revokers.append(self.turn)
        self.hands[self.turn].remove(card)
        self.trick.append((self.turn, card))
        self.turn = self.after_in_play(self.turn)
        if len(self.trick) == 4:
            best = self.winning_card([played for _, played in self.trick])
            self.turn = next(seat for seat, played in self.trick if played == best)
            self.tricks.append((self.trick, self.turn))
            self.trick = []

    def winning_card(self, cards: list[str]) -> str:
        """The best Jack, else the highest trump, else the highest of the suit led."""
        best_jack = self.best_jack()
        if best_jack in cards:
            return best_jack
        led = [card for card in cards if card[0] == cards[0][0]]
        trumps = [card for card in cards if card[0] == self.trump]
        return max(trumps or led, key=lambda card: RANKS.index(card[1]))

    def is_exposed(self) -> bool:
        """Whether the caller's hand lies open."""
        if not self.is_in_play() or self.contract not in SUR_TABLE:
            return False
        return self.options.sur_table_exposed == "before_lead" or bool(self.tricks)

    def suits_not_followed(self, seat: int) -> tuple[set[str], set[str]]:
        """The suits that a seat seems not to hold, and those in which it revoked."""
        shown: set[str] = set()
        come_out: set[str] = set()
        finished = [trick for trick, _ in self.tricks]
        for number, trick in enumerate([*finished, self.trick]):
            if not trick:
                continue
            led = self.suit_of_card(trick[0][1])
            is_free = (
                self.contract == "misere_des_quatre_as"
                and seat == self.caller
                and number < 10
            )
            for player, card in trick:
                suit = self.suit_of_card(card)
                if player == seat and suit in shown:
                    shown.remove(suit)
                    come_out.add(suit)
                if player == seat and suit != led and not is_free:
                    assert led is not None
                    shown.add(led)
        return shown, come_out

    def tricks_of(self, *seats: int | None) -> int:
        """The tricks of some seats together."""
        return len([winner for _, winner in self.tricks if winner in seats])


# Payments ----------------------------------------------------------------------------


def price(row: str, suit: str) -> int:
    """A number of the table."""
    return TABLE[row][SUITS_FROM_THE_LOWEST.index(suit)]


def honours(deal: OracleDeal, row: str) -> int:
    """Honours of the caller's side."""
    assert deal.trump is not None
    cards = list(deal.dealt[deal.caller])
    partner = deal.partner()
    if partner is not None:
        cards += deal.dealt[partner]
    held = len([rank for rank in "AKQJ" if deal.trump + rank in cards])
    return price(f"{row}, {held} honours", deal.trump) if held >= 3 else 0


def was_made(deal: OracleDeal) -> bool:
    """Whether the callers did what they undertook."""
    if deal.contract in MISERES:
        return deal.tricks_of(deal.caller) == 0
    partner = deal.partner()
    if partner is not None:
        return deal.tricks_of(deal.caller, partner) >= 8
    number = deal.contract.split("_")[0]
    target = {"demand": 5, "six": 6, "eight": 8, "nine": 9}[number]
    return deal.tricks_of(deal.caller) >= target


def base_of(deal: OracleDeal) -> int:
    """What a contract costs without honours and tricks."""
    if deal.contract in MISERES:
        return price(deal.contract, deal.turned[0])
    assert deal.trump is not None
    number = deal.contract.split("_")[0]
    if number != "nine":
        return price(number, deal.trump)
    more = deal.options.nine == "row_and_extra"
    return price("eight", deal.trump) + more * price("eight, trick", deal.trump)


def amount_and_slam(deal: OracleDeal) -> tuple[int, bool]:
    """What each adversary pays or receives in a simple deal, and if it is a slam's."""
    options, contract = deal.options, deal.contract
    if contract in MISERES:
        return price(contract, deal.turned[0]), False
    trump = deal.trump
    assert trump is not None
    partner = deal.partner()
    taken = deal.tricks_of(deal.caller, partner)
    by_text = 48 if trump == deal.belle else 24
    if contract.startswith("demand"):
        row, tricks = "demand", 5 if partner is None else 8
        if partner is None and taken >= 8:
            return by_text, True
        if partner is not None and taken == 13:
            if options.ally_slam == "table":
                return price("slam of two", trump), True
            return by_text, True
    else:
        number = contract.split("_")[0]
        row = "six" if number == "six" else "eight"
        tricks = {"six": 6, "eight": 8, "nine": 9}[number]
        if taken == 13 and options.solo_slam == "column":
            return price("slam alone", trump) + honours(deal, row), True
    amount = price(row, trump)
    if contract.startswith("nine") and options.nine == "row_and_extra":
        amount += price("eight, trick", trump)
    failed = taken < tricks
    if not (failed and options.failure == "base"):
        amount += abs(taken - tricks) * price(f"{row}, trick", trump)
    if not (failed and options.failure in ("base", "tricks")):
        amount += honours(deal, row)
    return amount, False


class OracleMatch:
    """An episode: deals, the pool, and what each player made.

    Attributes:
        points: What each seat has made so far.
        pool: What lies in the pool, without the stakes of the deal in progress.
        winners: The seats that won the episode, once it is over.
    """

    def __init__(
        self, options: Options, dealer: int, belle: str | None = None, pool: int = 0
    ) -> None:
        self.options = options
        self.dealer = dealer
        self.belle = belle
        self.pool = pool
        self.points = [0, 0, 0, 0]
        self.deals_played = 0
        self.thrown_in_before = False
        self.over = False
        self.winners: list[int] = []

    def start_deal(self, hands: Sequence[Iterable[str]], turned: str) -> OracleDeal:
        """The cards are dealt."""
        petite: str | None = turned[0]
        if self.belle is None:
            self.belle = turned[0]
        if petite == self.belle:
            petite = None
        self.deal = OracleDeal(
            self.options, hands, self.dealer, turned, self.belle, petite
        )
        return self.deal

    def is_double(self) -> bool:
        """Whether this deal counts double."""
        if self.options.episode == "deal":
            return self.options.counts == "double"
        first = self.options.deals - self.options.double_deals
        return first <= self.deals_played < self.options.deals

    def play(self, action: str) -> list[int]:
        """The seat whose turn it is acts; returns what that earns each seat."""
        self.deal.act(action)
        if not self.deal.is_over():
            return [0, 0, 0, 0]
        earned = self.settle()
        self.thrown_in_before = self.deal.thrown_in
        self.deals_played += 1
        step = 3 if self.options.deal_passes == "right" else 1
        self.dealer = (self.dealer + step) % 4
        self.over = self.is_last()
        if self.over:
            for seat in range(4):
                earned[seat] += self.pool // 4
            self.pool %= 4
        for seat in range(4):
            self.points[seat] += earned[seat]
        if self.options.reward == "match":
            earned = [0, 0, 0, 0]
        if self.over:
            most = max(self.points)
            self.winners = [seat for seat in range(4) if self.points[seat] == most]
            if self.options.reward == "match":
                losers = [seat for seat in range(4) if seat not in self.winners]
                for winner in self.winners:
                    for loser in losers:
                        earned[winner] += 1
                        earned[loser] -= 1
        return earned

    def is_last(self) -> bool:
        """Whether the deal just settled was the last."""
        if self.options.episode == "deal":
            return True
        if self.deals_played < self.options.deals:
            return False
        if self.options.pool_left == "divided" or self.pool == 0:
            return True
        most = self.options.deals + self.options.extra_deals
        return self.deals_played >= most

    def stakes(self) -> list[int]:
        """What each seat puts in for the deal in progress."""
        dealer = self.deal.dealer
        stakes = [0, 0, 0, 0]
        if self.pool == 0:
            stakes = [self.options.stake] * 4
            stakes[dealer] = self.options.dealer_stake
        elif self.thrown_in_before:
            stakes[dealer] = self.options.added_stake
        return stakes

    def settle(self) -> list[int]:
        """What the deal earns each seat."""
        deal = self.deal
        earned = [-stake for stake in self.stakes()]
        self.pool -= sum(earned)
        if deal.thrown_in:
            return earned
        amount, is_slam = amount_and_slam(deal)
        if self.is_double() and (is_slam or self.options.doubles == "everything"):
            amount *= 2
        callers = {deal.caller, deal.partner()}
        revokers_are_callers = [seat in callers for seat in set(deal.revokers)]
        self.pay_revokes(earned, callers)
        if was_made(deal) not in revokers_are_callers:
            self.pay_contract(earned, amount)
        if deal.contract not in MISERES:
            self.pay_jack(earned)
        return earned

    def pay_revokes(self, earned: list[int], callers: set[int | None]) -> None:
        """Who has revoked pays each of the other side and doubles the pool."""
        amount = base_of(self.deal)
        if self.is_double() and self.options.doubles == "everything":
            amount *= 2
        at_stake = min(self.pool, self.options.pool_limit)
        for seat in set(self.deal.revokers):
            for other in range(4):
                if (other in callers) != (seat in callers):
                    earned[other] += amount
                    earned[seat] -= amount
            earned[seat] -= at_stake
            self.pool += at_stake

    def pay_contract(self, earned: list[int], amount: int) -> None:
        """Settle between the callers, the adversaries and the pool."""
        deal = self.deal
        caller, partner = deal.caller, deal.partner()
        callers = [caller] if partner is None else [caller, partner]
        adversaries = [seat for seat in range(4) if seat not in callers]
        at_stake = min(self.pool, self.options.pool_limit)
        if partner is None:
            sign = 1 if was_made(deal) else -1
            earned[caller] += sign * (3 * amount + at_stake)
            for adversary in adversaries:
                earned[adversary] -= sign * amount
            self.pool -= sign * at_stake
            return
        tricks, others = deal.tricks_of(caller), deal.tricks_of(partner)
        if was_made(deal):
            for ally in callers:
                earned[ally] += amount + at_stake // 2
                self.pool -= at_stake // 2
            for adversary in adversaries:
                earned[adversary] -= amount
            return
        for adversary in adversaries:
            earned[adversary] += amount
        if tricks < 5 and others < 3:
            for ally in callers:
                earned[ally] -= amount + at_stake // 2
                self.pool += at_stake // 2
        else:
            short = caller if tricks < 5 else partner
            earned[short] -= 2 * amount + at_stake
            self.pool += at_stake

    def pay_jack(self, earned: list[int]) -> None:
        """The holder of the Jack of diamonds gets 2 from each, 4 in a double deal."""
        jack = "DJ"
        if self.options.jack_bonus == "best_trump":
            jack = self.deal.best_jack() or jack
        bonus = 4 if self.is_double() else 2
        for seat, hand in enumerate(self.deal.dealt):
            earned[seat] += 3 * bonus if jack in hand else -bonus
