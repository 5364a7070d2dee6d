"""A slow, obvious Bridge Whist to compare the fast engine with.

Written from the rules alone, in lists, dicts and strings, and sharing no code with the
engine. Cards are two characters, suit and rank: ``"SA"``, ``"HT"``, ``"D2"``. Seats are
0 to 3 clockwise. Side 0 is seats 0 and 2, side 1 is seats 1 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [suit + rank for suit in SUITS for rank in RANKS]
DECLARATIONS = ["spades", "clubs", "diamonds", "hearts", "notrump"]
TRUMP = {"spades": "S", "clubs": "C", "diamonds": "D", "hearts": "H", "notrump": ""}
VALUE = {"spades": 2, "clubs": 4, "diamonds": 6, "hearts": 8, "notrump": 10}
ACTIONS = [*PACK, *DECLARATIONS, "pass_to_partner", "double", "redouble", "pass"]
HONOURS = "AKQJT"
# By how the honours of a side lie in its two hands, times the value of a trick.
HONOUR_TABLE = {
    (2, 1): 2,
    (3, 0): 2,
    (2, 2): 4,
    (3, 1): 4,
    (3, 2): 5,
    (4, 0): 8,
    (4, 1): 9,
    (5, 0): 10,
}
ACE_TABLE = {(2, 1): 30, (3, 0): 30, (2, 2): 40, (3, 1): 40, (4, 0): 100}
SLAMS = {12: 20, 13: 40}


@dataclass(frozen=True)
class Options:
    """What is played for; see the options of the game."""

    episode: str = "deal"
    deals: int | None = None
    reward: str = "points"
    max_trick_value: int | None = 100
    max_doubles: int = 6
    notrump_value: int = 10
    five_honours: int = 5
    chicane: str = "scored"
    revokes: str = "never"


def left_of(seat: int) -> int:
    return [1, 2, 3, 0][seat]


def partner_of(seat: int) -> int:
    return [2, 3, 0, 1][seat]


def by_seat(for_side_0: int) -> list[int]:
    return [for_side_0, -for_side_0, for_side_0, -for_side_0]


# The score of one deal ---------------------------------------------------------------


def undoubled(options: Options, declared: str) -> int:
    if declared == "notrump":
        return options.notrump_value
    return VALUE[declared]


def value_of_a_trick(options: Options, declared: str, doubles: int) -> int:
    value = undoubled(options, declared)
    for _ in range(doubles):
        value *= 2
        if options.max_trick_value is not None:
            value = min(value, options.max_trick_value)
    return value


def hands_of(dealt: Sequence[Sequence[str]], side: int) -> list[Sequence[str]]:
    return [dealt[side], dealt[side + 2]]


def how_divided(
    cards: Sequence[str], dealt: Sequence[Sequence[str]], side: int
) -> tuple[int, int]:
    """How many of some cards lie in each of the hands of a side, the more first."""
    one, other = (
        len([card for card in cards if card in hand]) for hand in hands_of(dealt, side)
    )
    return max(one, other), min(one, other)


def honours(
    options: Options, dealt: Sequence[Sequence[str]], side: int, trump: str
) -> int:
    """Times the value of a trick that the honours of a side count."""
    divided = how_divided([trump + rank for rank in HONOURS], dealt, side)
    if divided == (3, 2):
        return options.five_honours
    return HONOUR_TABLE.get(divided, 0)


def chicane(dealt: Sequence[Sequence[str]], side: int, trump: str) -> int:
    """Times the value of a trick that hands without a trump count."""
    without = [
        hand for hand in hands_of(dealt, side) if all(card[0] != trump for card in hand)
    ]
    return {0: 0, 1: 2, 2: 4}[len(without)]


def above_the_line(
    options: Options, dealt: Sequence[Sequence[str]], declared: str, tricks: list[int]
) -> list[int]:
    """What each side scores above the line."""
    above = [SLAMS.get(tricks[side], 0) for side in (0, 1)]
    if declared == "notrump":
        for side in (0, 1):
            aces = how_divided(["CA", "DA", "HA", "SA"], dealt, side)
            above[side] += ACE_TABLE.get(aces, 0)
        return above
    trump, value = TRUMP[declared], undoubled(options, declared)
    counted = [honours(options, dealt, side, trump) * value for side in (0, 1)]
    result = list(counted)
    for side in (0, 1):
        without = chicane(dealt, side, trump) * value
        if options.chicane == "deducted" and counted[1 - side] > 0:
            result[1 - side] -= without
        else:
            result[side] += without
    return [above[side] + result[side] for side in (0, 1)]


def below_the_line(
    options: Options, declared: str, doubles: int, tricks: list[int]
) -> list[int]:
    value = value_of_a_trick(options, declared, doubles)
    return [value * max(0, tricks[side] - 6) for side in (0, 1)]


# One deal ----------------------------------------------------------------------------


class Deal:
    """One deal: calls, then thirteen tricks."""

    def __init__(self, hands: Sequence[Iterable[str]], dealer: int) -> None:
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.dealer = dealer
        self.dummy = partner_of(dealer)
        self.declared = ""
        self.declarer = -1
        self.doublers: list[int] = []
        # Those of the side in turn who may still double, in order.
        self.asked: list[int] = []
        self.phase = "declare"
        self.seat = dealer
        self.trick: list[tuple[int, str]] = []
        self.tricks = [0, 0]
        self.cards_played = 0
        self.revokes = [0, 0]

    @property
    def agent(self) -> int:
        """Who decides: the dealer for dummy."""
        if self.phase == "play" and self.seat == self.dummy:
            return self.dealer
        return self.seat

    @property
    def is_over(self) -> bool:
        return sum(self.tricks) == 13

    def legal(self, options: Options) -> list[str]:
        if self.phase == "declare":
            return [*DECLARATIONS, "pass_to_partner"]
        if self.phase == "declare 2":
            return list(DECLARATIONS)
        if self.phase == "double":
            if options.max_trick_value is None:
                may = len(self.doublers) < options.max_doubles
            else:
                value = value_of_a_trick(options, self.declared, len(self.doublers))
                may = value < options.max_trick_value
            call = "redouble" if self.doublers else "double"
            return [call, "pass"] if may else ["pass"]
        hand = self.hands[self.seat]
        if not self.trick:
            return list(hand)
        if options.revokes == "penalty" and self.seat != self.dummy:
            return list(hand)
        return self.of_suit_led() or list(hand)

    def of_suit_led(self) -> list[str]:
        led = self.trick[0][1][0]
        return [card for card in self.hands[self.seat] if card[0] == led]

    def act(self, action: str) -> int | None:
        """Returns the side that takes a trick with this card, if one does."""
        if self.phase == "declare" and action == "pass_to_partner":
            self.phase, self.seat = "declare 2", partner_of(self.seat)
        elif self.phase in ("declare", "declare 2"):
            self.declared, self.declarer = action, self.seat
            self.phase = "double"
            eldest = left_of(self.dealer)
            self.ask([eldest, partner_of(eldest)])
        elif self.phase == "double":
            self.answer(action)
        else:
            return self.play(action)
        return None

    def ask(self, players: list[int]) -> None:
        self.asked = players
        self.seat = players[0]

    def answer(self, action: str) -> None:
        if action != "pass":
            self.doublers.append(self.seat)
            opponents_doubled_last = self.seat % 2 != self.dealer % 2
            first = self.declarer if opponents_doubled_last else self.doublers[0]
            self.ask([first, partner_of(first)])
        elif len(self.asked) == 2:
            self.ask(self.asked[1:])
        else:
            self.phase = "play"
            self.seat = left_of(self.dealer)

    def play(self, card: str) -> int | None:
        if self.trick and self.of_suit_led() and card not in self.of_suit_led():
            self.revokes[self.seat % 2] += 1
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        self.cards_played += 1
        if len(self.trick) < 4:
            self.seat = left_of(self.seat)
            return None
        led, trump = self.trick[0][1][0], TRUMP[self.declared]
        of_trumps = [play for play in self.trick if play[1][0] == trump]
        of_suit = [play for play in self.trick if play[1][0] == led]
        winner, _ = max(of_trumps or of_suit, key=lambda play: RANKS.index(play[1][1]))
        self.trick = []
        self.seat = winner
        self.tricks[winner % 2] += 1
        return winner % 2


# A deal, some deals, a game or a rubber ----------------------------------------------


class Match:
    """Deals in a row up to the end that the options name."""

    def __init__(
        self,
        options: Options,
        dealer: int = 0,
        scores: Sequence[int] = (0, 0),
        games: Sequence[int] = (0, 0),
    ) -> None:
        self.options = options
        self.dealer = dealer
        self.deal: Deal | None = None
        self.below = list(scores)
        self.games = list(games)
        self.points = list(scores)
        self.deals_scored = 0
        self.over = False
        self.winner: int | None = None
        self.tricks_passed = 0

    def start_deal(self, hands: Sequence[Iterable[str]]) -> Deal:
        self.deal = Deal(hands, self.dealer)
        return self.deal

    def play(self, action: str) -> list[int]:
        """Act for the seat in turn; returns the reward of each agent."""
        assert self.deal is not None
        before = self.points[0] - self.points[1]
        taker = self.deal.act(action)
        if self.deal.is_over:
            self.score(
                self.deal.dealt,
                self.deal.declared,
                len(self.deal.doublers),
                self.deal.tricks,
                self.deal.revokes,
            )
        reward = self.options.reward
        if reward == "tricks" and taker is not None:
            passed = self.tricks_passed if self.deal.is_over else 0
            return by_seat((1 if taker == 0 else -1) + passed)
        if reward == "points":
            return by_seat(self.points[0] - self.points[1] - before)
        if reward == "match" and self.winner is not None:
            return by_seat(1 if self.winner == 0 else -1)
        return by_seat(0)

    def score(
        self,
        dealt: Sequence[Sequence[str]],
        declared: str,
        doubles: int,
        tricks: list[int],
        revokes: Sequence[int] = (0, 0),
    ) -> None:
        options = self.options
        lost = [min(tricks[side], 3 * revokes[side]) for side in (0, 1)]
        self.tricks_passed = lost[1] - lost[0]
        counted = [tricks[0] + self.tricks_passed, tricks[1] - self.tricks_passed]
        below = below_the_line(options, declared, doubles, counted)
        if options.episode != "deal":
            for side in (0, 1):
                if revokes[side]:
                    most = max(0, 28 - self.below[side])
                    below[side] = min(below[side], most)
        above = above_the_line(options, dealt, declared, tricks)
        for side in (0, 1):
            self.points[side] += below[side] + above[side]
        self.deals_scored += 1
        self.dealer = left_of(self.dealer)
        if options.deals is not None:
            self.over = self.deals_scored == options.deals
        elif options.episode == "deal":
            self.over = True
        else:
            self.add_below(below)
        if self.over:
            self.find_winner()

    def add_below(self, below: list[int]) -> None:
        for side in (0, 1):
            self.below[side] += below[side]
        for side in (0, 1):
            if self.below[side] >= 30:
                self.games[side] += 1
                self.below = [0, 0]
                if self.games[side] == 2:
                    self.points[side] += 100
                self.over = self.options.episode == "game" or self.games[side] == 2
                if self.options.episode == "game":
                    self.winner = side

    def find_winner(self) -> None:
        if self.options.episode != "game" and self.points[0] != self.points[1]:
            self.winner = 0 if self.points[0] > self.points[1] else 1
