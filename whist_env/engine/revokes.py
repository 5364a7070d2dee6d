"""Revokes, in the games whose laws have a penalty for them (option ``revokes``).

A player revokes who does not follow suit and could. Where the option lets it happen,
every card held may be played. A revoke is recorded when it is made and settled at the
end of the deal, before anything else is scored. Others learn of it only when the card
that should have been played appears.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import NO_CARDS, suit_of, whole_suit
from whist_env.engine.compile import rule
from whist_env.engine.features import Feature, write
from whist_env.engine.options import choice
from whist_env.engine.record import FieldList, Record
from whist_env.engine.sight import HISTORY_ALL, relative
from whist_env.engine.tricks import following

NEVER, PENALTY = range(2)
MOST_DEALS: Final = 100
"""A game that nobody can win for revokes is broken off after so many deals."""


def revokes_option() -> Any:
    """The option that lets players revoke."""
    return choice(
        "never",
        *("never", "penalty"),
        meaning=(
            "Whether players must follow suit, or may revoke and pay the penalty of "
            "the laws."
        ),
    )


def revoke_fields(seats: int) -> FieldList:
    """The fields of a game in which players may revoke."""
    return [
        # By seat: its revokes in this deal, and the suits (bit *suit* set) that it did
        # not follow and then played after all.
        ("revokes", np.int8, (seats,)),
        ("revoked", np.uint8, (seats,)),
    ]


def revoke_features(seats: int) -> tuple[Feature, ...]:
    """The features of a game in which players may revoke."""
    return (
        Feature(
            "revoked",
            ("seat", "suit"),
            (seats, 4),
            0,
            1,
            "Suits that each seat did not follow in this deal and then played.",
        ),
        Feature(
            "own_revokes", (), (), 0, 26, "The observer's own revokes in this deal."
        ),
    )


@rule
def clear_revokes(record: Record) -> None:
    """Nobody has revoked, before a deal."""
    for seat in range(record.revokes.size):
        record.revokes[seat] = 0
        record.revoked[seat] = 0


@rule
def playable(record: Record) -> np.uint64:
    """The cards that the seat to play may play: all it holds, where it may revoke."""
    if record.options.revokes == PENALTY:
        return np.uint64(record.hands[record.seat])
    return following(record)


@rule
def note_revoke(record: Record, card: int) -> None:
    """Note a revoke before the card is played, and an earlier one that it gives away.

    What seemed to prove that a seat holds no card of a suit then proves nothing.
    """
    if record.options.revokes != PENALTY:
        return
    seat = int(record.seat)
    suit = suit_of(card)
    if record.cards_in_trick > 0 and suit != record.led:
        held = record.hands[seat] & whole_suit(record.led)
        record.revokes[seat] += int(held != NO_CARDS)
    given_away = np.uint8(record.voids[seat] & np.uint8(1 << suit))
    record.revoked[seat] |= given_away
    record.voids[seat] ^= given_away


@rule
def broken_off(record: Record) -> bool:
    """Whether a game has lasted as long as one with revokes may.

    A side that has revoked does not win the game; sides that always do would never end
    one.
    """
    return bool(record.options.revokes == PENALTY and record.deals_played >= MOST_DEALS)


@rule
def write_revokes(record: Record, seat: int, out: npt.NDArray[Any], place: int) -> None:
    """Write what a seat knows of revokes, from the place of the feature "revoked"."""
    seats = record.hands.size
    remembers = record.options.history == HISTORY_ALL
    for other in range(seats):
        suits = record.revoked[other]
        if suits != 0 and remembers:
            row = place + 4 * relative(other, seat, seats)
            for suit in range(4):
                write(out, row + suit, (suits >> suit) & 1)
    write(out, place + 4 * seats, record.revokes[seat])
