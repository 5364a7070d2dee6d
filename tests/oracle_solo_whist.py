"""A slow, obvious Solo Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with
the engine. The bidding is kept as the list of all that was said, and everything about
it is read off that list anew whenever it is asked.

Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Seats are 0 to 3
clockwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
SEATS = [0, 1, 2, 3]

LADDER = [
    *("propose", "accept", "solo", "misere", "abundance", "abundance_in_trumps"),
    *("spread", "slam"),
]
ALONE = LADDER[2:]
TRICKS = {"accept": 8, "solo": 5, "abundance": 9, "abundance_in_trumps": 9}
RED_COUNTERS = {
    "accept": 1,
    "solo": 2,
    "misere": 3,
    "abundance": 4,
    "abundance_in_trumps": 4,
    "spread": 6,
    "slam": 8,
}
EB_UNITS = {
    "accept": 1,
    "solo": 1,
    "misere": 2,
    "abundance": 3,
    "abundance_in_trumps": 3,
    "spread": 4,
    "slam": 6,
}

Said = tuple[int, str]
"""A seat, and what it said: a call, ``"pass"``, or a suit named (``"C"``)."""


@dataclass(frozen=True)
class Options:
    """What the sources leave open."""

    deals: int = 1
    reward: str = "points"
    stakes: str = "foster"
    solo_stake: int = 1
    trick_stake: int | None = None
    eldest: str = "may_return"
    amendment: str = "any_call"
    trump_named: str = "after_bidding"
    slam_trump: str = "named"
    general_misere: str = "off"
    general_misere_tie: str = "each"
    redeal: str = "next_dealer"
    decided_hands: str = "play_on"


def left_of(seat: int) -> int:
    """Next seat clockwise."""
    return (seat + 1) % 4


def deal_in_threes(pack: Sequence[str], dealer: int) -> list[list[str]]:
    """Deal three cards at a time until four remain, and these singly."""
    hands: list[list[str]] = [[], [], [], []]
    rest = list(pack)
    seat = left_of(dealer)
    while len(rest) > 4:
        hands[seat] += rest[:3]
        rest = rest[3:]
        seat = left_of(seat)
    for card in rest:
        hands[seat].append(card)
        seat = left_of(seat)
    return hands


# The bidding, read off what has been said -------------------------------------------


def calls_made(said: Sequence[Said]) -> list[Said]:
    """All that was said but passes and suits."""
    return [(seat, word) for seat, word in said if word in LADDER]


def standing_call(said: Sequence[Said]) -> str | None:
    """The highest call so far, which is the last."""
    calls = calls_made(said)
    return calls[-1][1] if calls else None


def callers(said: Sequence[Said]) -> list[int]:
    """The seats whose call stands; an alliance is the proposer and who accepted."""
    calls = calls_made(said)
    if not calls:
        return []
    if calls[-1][1] == "accept":
        return [calls[-2][0], calls[-1][0]]
    return [calls[-1][0]]


def words_of(said: Sequence[Said], seat: int) -> list[str]:
    """What one seat has said, in order."""
    return [word for speaker, word in said if speaker == seat]


def since_the_last_call(said: Sequence[Said]) -> list[Said]:
    """What was said after the call that stands."""
    places = [place for place, (_, word) in enumerate(said) if word in LADDER]
    return list(said[places[-1] + 1 :]) if places else list(said)


def next_to_speak(said: Sequence[Said], eldest: int, options: Options) -> int | None:
    """Whose turn it is; ``None`` when the bidding is over."""
    if not said:
        return eldest
    speaker = said[-1][0]
    for step in (1, 2, 3, 4):
        seat = (speaker + step) % 4
        if speaks(said, seat, eldest, options):
            return seat
    return None


def speaks(said: Sequence[Said], seat: int, eldest: int, options: Options) -> bool:
    """Whether a seat is still asked."""
    standing = standing_call(said)
    is_out = "pass" in words_of(said, seat)
    if is_out:
        asked_already = seat in [speaker for speaker, _ in since_the_last_call(said)]
        return (
            options.eldest == "may_return"
            and seat == eldest
            and standing == "propose"
            and seat not in callers(said)
            and not asked_already
        )
    if seat in callers(said):
        others_passed = all(
            "pass" in words_of(said, other) for other in SEATS if other != seat
        )
        return standing == "propose" and others_passed
    return True


def legal_words(
    said: Sequence[Said], seat: int, eldest: int, options: Options
) -> list[str]:
    """What the seat whose turn it is may say."""
    standing = standing_call(said)
    if "pass" in words_of(said, seat):
        return ["pass", "accept"]
    if seat in callers(said):
        return ["pass", *(["solo"] if options.amendment == "solo_only" else ALONE)]
    words = ["pass"]
    if standing is None:
        words.append("propose")
    if standing == "propose":
        words.append("accept")
    return words + [
        call
        for call in ALONE
        if standing is None or LADDER.index(call) > LADDER.index(standing)
    ]


def names_trumps(call: str | None, options: Options) -> bool:
    """Whether a call leaves its trumps to be named."""
    return call == "abundance" or (call == "slam" and options.slam_trump == "named")


# The play and the payments ----------------------------------------------------------


def winning_card(cards: Sequence[str], trump: str | None) -> str:
    """Card that wins a trick, the first of ``cards`` having been led."""
    trumps = [card for card in cards if card[0] == trump]
    suit_led = [card for card in cards if card[0] == cards[0][0]]
    return max(trumps or suit_led, key=lambda card: RANKS.index(card[1]))


def payments(
    call: str | None, side: Sequence[int], tricks: Sequence[int], options: Options
) -> list[int]:
    """What each seat wins with the play of a deal, by the tricks of each seat."""
    units = EB_UNITS if options.stakes == "eb" else RED_COUNTERS
    unit = 1 if options.stakes == "eb" else 5
    if call is None:
        return general_misere(unit * units["accept"], tricks, options)
    stake = unit * units[call]
    if call == "solo" and options.stakes == "eb":
        stake = options.solo_stake
    taken = sum(tricks[seat] for seat in side)
    if call in ("misere", "spread"):
        amount = stake if taken == 0 else -stake
    elif call == "slam":
        amount = stake if taken == 13 else -stake
    else:
        trick = options.trick_stake
        if trick is None:
            trick = 0 if options.stakes == "eb" else 1
        difference = abs(taken - TRICKS[call]) * trick
        amount = stake + difference if taken >= TRICKS[call] else -stake - difference
    adversaries = [seat for seat in SEATS if seat not in side]
    won = [0, 0, 0, 0]
    if len(side) == 2:
        proposer, ally = side
        nearer = next(
            (proposer + step) % 4
            for step in (1, 2, 3)
            if (proposer + step) % 4 in adversaries
        )
        other = next(seat for seat in adversaries if seat != nearer)
        pairs = [(proposer, nearer), (ally, other)]
    else:
        pairs = [(side[0], adversary) for adversary in adversaries]
    for caller, adversary in pairs:
        won[caller] += amount
        won[adversary] -= amount
    return won


def general_misere(stake: int, tricks: Sequence[int], options: Options) -> list[int]:
    """The taker of most tricks pays each other one stake."""
    most = [seat for seat in SEATS if tricks[seat] == max(tricks)]
    won = [0, 0, 0, 0]
    if len(most) > 1 and options.general_misere_tie == "none":
        return won
    for taker in most:
        for other in SEATS:
            if other not in most:
                won[taker] -= stake
                won[other] += stake
    return won


class OracleDeal:
    """One deal, from the first call to the payments.

    Attributes:
        said: All that was said, in order.
        trump: The trump suit of the call that stands, as far as it is known.
        phase: ``"bid"``, ``"name"``, ``"play"`` or ``"over"``.
        seat: Seat to act; None when the deal is over.
        plays: All cards played, as (seat, card) in order.
        tricks: Tricks won by each seat.
        won: What each seat has won, when the deal is over.
        thrown_in: Whether it ended without play.
    """

    def __init__(self, hands: Sequence[Sequence[str]], dealer: int, options: Options):
        self.hands = [list(hand) for hand in hands]
        self.dealer = dealer
        self.eldest = left_of(dealer)
        self.options = options
        self.turned = ""
        self.said: list[Said] = []
        self.trump: str | None = None
        self.phase = "bid"
        self.seat: int | None = self.eldest
        self.plays: list[Said] = []
        self.trick: list[Said] = []
        self.tricks = [0, 0, 0, 0]
        self.won = [0, 0, 0, 0]
        self.thrown_in = False

    @property
    def call(self) -> str | None:
        """The call that stands."""
        return standing_call(self.said)

    def legal(self) -> list[str]:
        """What the seat to act may say or play."""
        assert self.seat is not None
        if self.phase == "bid":
            return legal_words(self.said, self.seat, self.eldest, self.options)
        if self.phase == "name":
            if self.call == "abundance":
                return [suit for suit in SUITS if suit != self.turned[0]]
            return list(SUITS)
        hand = self.hands[self.seat]
        if not self.trick:
            return list(hand)
        led = self.trick[0][1][0]
        return [card for card in hand if card[0] == led] or list(hand)

    def act(self, what: str) -> None:
        """Say or play something legal."""
        assert what in self.legal()
        assert self.seat is not None
        if self.phase == "play":
            self.play(self.seat, what)
            return
        self.said.append((self.seat, what))
        if self.phase == "name":
            self.trump = what
        elif what in LADDER:
            by_turned = ("propose", "accept", "solo", "abundance_in_trumps")
            self.trump = self.turned[0] if what in by_turned else None
            at_once = self.options.trump_named == "with_call"
            if at_once and names_trumps(what, self.options):
                self.phase = "name"
                return
        self.go_on()

    def go_on(self) -> None:
        """Whose turn it is after something was said."""
        speaker = next_to_speak(self.said, self.eldest, self.options)
        unfinished = names_trumps(self.call, self.options) and self.trump is None
        if speaker is not None:
            self.phase, self.seat = "bid", speaker
        elif self.call == "propose":
            self.end(thrown_in=True)
        elif self.call is None and self.options.general_misere == "off":
            self.end(thrown_in=True)
        elif unfinished:
            self.phase, self.seat = "name", callers(self.said)[0]
        else:
            self.phase = "play"
            self.seat = self.eldest
            if self.call == "slam":
                self.seat = callers(self.said)[0]

    def play(self, seat: int, card: str) -> None:
        """Play a card."""
        self.hands[seat].remove(card)
        self.plays.append((seat, card))
        self.trick.append((seat, card))
        self.seat = left_of(seat)
        if len(self.trick) < 4:
            return
        best = winning_card([card for _, card in self.trick], self.trump)
        winner = next(seat for seat, card in self.trick if card == best)
        self.tricks[winner] += 1
        self.trick = []
        self.seat = winner
        decided = self.options.decided_hands == "stop" and self.has_failed()
        if sum(self.tricks) == 13 or decided:
            side = callers(self.said)
            self.won = payments(self.call, side, self.tricks, self.options)
            self.end(thrown_in=False)

    def has_failed(self) -> bool:
        """Whether a misère, spread or slam is lost for certain."""
        side = callers(self.said)
        taken = sum(self.tricks[seat] for seat in side)
        if self.call in ("misere", "spread"):
            return taken > 0
        return self.call == "slam" and taken < sum(self.tricks)

    def end(self, thrown_in: bool) -> None:
        """The deal is over."""
        self.phase, self.seat, self.thrown_in = "over", None, thrown_in

    def exposed_seat(self) -> int | None:
        """The seat whose hand lies open: of a spread, after trick 1."""
        if self.phase == "play" and self.call == "spread" and sum(self.tricks) >= 1:
            return callers(self.said)[0]
        return None

    def turned_card_is_public(self) -> bool:
        """Whether the turned card lies on the table."""
        return self.dealer not in [seat for seat, _ in self.plays]


class Sitting:
    """A number of deals, each a game by itself; what they won is added up."""

    def __init__(self, options: Options, dealer: int):
        self.options = options
        self.dealer = dealer
        self.totals = [0, 0, 0, 0]
        self.deals_over = 0
        self.deal: OracleDeal | None = None

    @property
    def over(self) -> bool:
        """Whether all deals are over."""
        return self.deals_over == self.options.deals

    def start_deal(self, hands: Sequence[Sequence[str]], turned: str) -> OracleDeal:
        """The next deal."""
        assert turned in hands[self.dealer]
        self.deal = OracleDeal(hands, self.dealer, self.options)
        self.deal.turned = turned
        return self.deal

    def act(self, what: str) -> list[int]:
        """Act for the seat to act; returns the reward of each seat."""
        assert self.deal is not None
        self.deal.act(what)
        if self.deal.phase != "over":
            return [0, 0, 0, 0]
        self.deals_over += 1
        for seat in SEATS:
            self.totals[seat] += self.deal.won[seat]
        same = self.deal.thrown_in and self.options.redeal == "same_dealer"
        if not same:
            self.dealer = left_of(self.dealer)
        if self.options.reward == "points":
            return self.deal.won
        return self.match_rewards() if self.over else [0, 0, 0, 0]

    def first(self) -> list[int]:
        """The seats with the most counters."""
        return [seat for seat in SEATS if self.totals[seat] == max(self.totals)]

    def match_rewards(self) -> list[int]:
        """Every seat that is not first pays 1 to every seat that is."""
        first = self.first()
        return [
            4 - len(first) if seat in first else -len(first) if len(first) < 4 else 0
            for seat in SEATS
        ]
