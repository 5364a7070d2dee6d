"""What a player sees of the play of tricks: the features that all games share.

They stand first in the feature table of every game, in this order; what a game has
besides follows. Seats are counted from the observer, who is 0, to the left.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, NO_CARDS, single
from whist_env.engine.compile import rule
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    clear,
    offsets,
    write,
    write_by_card,
    write_cards,
)
from whist_env.engine.options import Options, choice
from whist_env.engine.record import NOBODY, Record

MOST_SEATS: Final = 6
HISTORY_ALL, HISTORY_LAST_TRICK = range(2)
FRESH, GATHER_AND_CUT = range(2)


@dataclasses.dataclass(frozen=True)
class PlayOptions(Options):
    """Options that all games share."""

    history: str = choice(
        "all",
        *("all", "last_trick"),
        meaning=(
            "What players remember: every card played, or, as the laws let them look, "
            "the last trick and the one on the table."
        ),
    )
    shuffle: str = choice(
        "fresh",
        *("fresh", "gather_and_cut"),
        meaning=(
            "Whether the pack is shuffled for each deal, or after the first deal of an "
            "episode only gathered trick by trick and cut; one pack is used."
        ),
    )


def play_features(seats: int) -> tuple[Feature, ...]:
    """The features of play at a table with this many seats: first those by card."""
    return (
        Feature("hand", ("card",), (52,), 0, 1, "Cards in the observer's hand."),
        Feature(
            "played",
            ("seat", "card"),
            (seats, 52),
            0,
            1,
            "Cards that each seat has played in this deal.",
        ),
        Feature(
            "played_trick",
            ("card",),
            (52,),
            0,
            CARDS // seats,
            "The number of the trick to which each card was played; 0 if it was not.",
        ),
        Feature(
            "trick",
            ("seat", "card"),
            (seats, 52),
            0,
            1,
            "The card of each seat in the trick on the table.",
        ),
        Feature(
            "winning_card",
            ("card",),
            (52,),
            0,
            1,
            "The card that wins the trick on the table so far.",
        ),
        Feature(
            "gathered",
            ("card",),
            (52,),
            0,
            52,
            "The place that each card played in the last deal had in the pack before "
            "the cut, where the pack is not shuffled; 0 otherwise.",
        ),
        Feature(
            "voids",
            ("seat", "suit"),
            (seats, 4),
            0,
            1,
            "Suits that each seat is proven not to hold (where it may revoke: that it "
            "did not follow).",
        ),
        Feature(
            "trump", ("suit",), (4,), 0, 1, "The trump suit; none where there is none."
        ),
        Feature("dealer", ("seat",), (seats,), 0, 1, "The dealer."),
        Feature(
            "leader", ("seat",), (seats,), 0, 1, "The seat that leads to this trick."
        ),
        Feature(
            "to_act",
            ("seat",),
            (seats,),
            0,
            1,
            "The seat whose turn it is; none at the end.",
        ),
    )


_TABLES: Final = {
    seats: FeatureTable(*play_features(seats)) for seats in range(2, MOST_SEATS + 1)
}
_HAND = offsets(_TABLES, "hand")
_PLAYED = offsets(_TABLES, "played")
_PLAYED_TRICK = offsets(_TABLES, "played_trick")
_TRICK = offsets(_TABLES, "trick")
_WINNING_CARD = offsets(_TABLES, "winning_card")
_VOIDS = offsets(_TABLES, "voids")
_TRUMP = offsets(_TABLES, "trump")
_DEALER = offsets(_TABLES, "dealer")
_LEADER = offsets(_TABLES, "leader")
_GATHERED = offsets(_TABLES, "gathered")
_TO_ACT = offsets(_TABLES, "to_act")


@rule
def relative(other: int, seat: int, seats: int) -> int:
    """How many places to the left of a seat another seat is."""
    distance = int(other) - int(seat)
    return distance + seats if distance < 0 else distance


@rule
def write_play(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Clear an observation and write what a seat sees of the play."""
    seats = record.hands.size
    if record.options.history == HISTORY_ALL:
        # The features by card are written whole, which is as quick as clearing them.
        clear(out, _VOIDS[seats])
        write_history(record, seat, out)
    else:
        clear(out, 0)
        write_last_cards(record, seat, out)
    write_cards(out, _HAND[seats], record.hands[seat])
    write_trick(record, seat, out)
    if record.trump >= 0:
        write(out, _TRUMP[seats] + int(record.trump), 1)
    write(out, _DEALER[seats] + relative(record.dealer, seat, seats), 1)
    if record.seat != NOBODY:
        write(out, _LEADER[seats] + relative(record.leader, seat, seats), 1)
        write(out, _TO_ACT[seats] + relative(record.seat, seat, seats), 1)


@rule
def write_history(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The cards played, by whom and when, what they proved, and the last deal's."""
    seats = record.hands.size
    for other in range(seats):
        place = _PLAYED[seats] + CARDS * relative(other, seat, seats)
        write_cards(out, place, record.played[other])
    write_by_card(out, _PLAYED_TRICK[seats], record.trick_of)
    write_by_card(out, _GATHERED[seats], record.gathered)
    write_voids(record, seat, out)


@rule
def write_last_cards(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The cards of the last trick and of the one on the table."""
    seats = record.hands.size
    first = max(0, seats * (int(record.tricks_played) - 1))
    for place in range(first, int(record.cards_played)):
        card = int(record.history[place])
        player = relative(record.history_seats[place], seat, seats)
        write(out, _PLAYED[seats] + CARDS * player + card, 1)
        write(out, _PLAYED_TRICK[seats] + card, record.trick_of[card])


@rule
def write_voids(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The suits that each seat has failed to follow."""
    seats = record.hands.size
    for other in range(seats):
        proven = record.voids[other]
        if proven != 0:
            row = _VOIDS[seats] + 4 * relative(other, seat, seats)
            for suit in range(4):
                write(out, row + suit, (proven >> suit) & 1)


@rule
def write_trick(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The trick on the table."""
    seats = record.hands.size
    for other in range(seats):
        place = _TRICK[seats] + CARDS * relative(other, seat, seats)
        write_cards(out, place, lying(record.trick[other]))
    write_cards(out, _WINNING_CARD[seats], lying(record.trick[record.winner]))


@rule
def lying(card: int) -> np.uint64:
    """The set of the card in a place on the table; empty where none lies."""
    return single(card) if card >= 0 else NO_CARDS
