"""Partners: four players in two sides, partners opposite.

Seats 0 and 2 are side 0, seats 1 and 3 are side 1. Partners earn the same, and what one
side earns the other pays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.engine.compile import rule
from whist_env.engine.options import is_whole
from whist_env.engine.record import NOBODY, FieldList, Record, pay

SEATS: Final = 4
SIDES: Final = 2
PARTNERS: Final = ((0, 2), (1, 3), (0, 2), (1, 3))
"""The agents of each agent's side."""


def transfer_fields() -> FieldList:
    """The field of a game in which revokes cost tricks."""
    return [
        # By side: tricks that it gained (or lost) by revokes when the deal was settled.
        ("transferred", np.int8, (SIDES,)),
    ]


def side_fields() -> FieldList:
    """The fields by which an episode of two sides is judged."""
    return [
        # By side: points in the whole episode, and the tricks in deals finished that
        # counted for it.
        ("points", np.int32, (SIDES,)),
        ("tricks", np.int32, (SIDES,)),
        # The side that won the episode, or -1.
        ("winning_side", np.int8),
    ]


@rule
def clear_sides(record: Record) -> None:
    """Neither side has made anything or won."""
    for side in range(SIDES):
        record.points[side] = 0
        record.tricks[side] = 0
    record.winning_side = NOBODY


@rule
def side_of(seat: int) -> int:
    """The side of a seat."""
    return seat % SIDES


@rule
def partner_of(seat: int) -> int:
    """The seat opposite."""
    return (seat + 2) % SEATS


@rule
def tricks_taken(record: Record, side: int) -> int:
    """The tricks that a side has taken in this deal."""
    return int(record.tricks_won[side]) + int(record.tricks_won[side + 2])


@rule
def pay_sides(record: Record, side: int, amount: int) -> None:
    """The other side pays an amount to this side; partners get the same."""
    for agent in range(SEATS):
        pay(record, agent, amount if side_of(agent) == side else -amount)


# Revokes ----------------------------------------------------------------------------


@rule
def revokes_of(record: Record, side: int) -> int:
    """The revokes of a side in this deal."""
    return int(record.revokes[side]) + int(record.revokes[side + 2])


@rule
def transfer_tricks(record: Record, tricks: int) -> None:
    """So many tricks pass over for each revoke, as far as there are any."""
    first = min(tricks * revokes_of(record, 0), tricks_taken(record, 0))
    second = min(tricks * revokes_of(record, 1), tricks_taken(record, 1))
    record.transferred[0] = second - first
    record.transferred[1] = first - second


@rule
def clear_transfers(record: Record) -> None:
    """No tricks have passed over, before a deal."""
    for side in range(SIDES):
        record.transferred[side] = 0


@rule
def tricks_counted(record: Record, side: int) -> int:
    """The tricks that count for a side in this deal, in a game with revokes."""
    return tricks_taken(record, side) + int(record.transferred[side])


# Judging finished episodes -----------------------------------------------------------


def for_agents(by_side: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values by side, ``(len, 2)``, as values by agent, ``(len, 4)``."""
    return by_side[:, [0, 1, 0, 1]]


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points of the agent's side less those of the other."""
    return for_agents(records["points"] - records["points"][:, ::-1])


def tricks_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Half the difference in tricks: tricks above an even share of each deal."""
    return for_agents(records["tricks"] - records["tricks"][:, ::-1]) / 2


def won(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winners of the episode, 0 for the losers, a half where it is even."""
    side = records["winning_side"][:, None]
    return for_agents(np.where(side == NOBODY, 0.5, side == np.arange(SIDES)))


# Setting up a given position --------------------------------------------------------


def check_pair(name: str, values: tuple[int, int], most: int) -> tuple[int, int]:
    """What a user says that each side has.

    Raises:
        ValueError: it is not a whole number from 0 to ``most`` for each side.
    """
    pair = tuple(values) if isinstance(values, Sequence) else ()
    if len(pair) != SIDES or not all(is_whole(value, 0, most) for value in pair):
        raise ValueError(
            f"{name}={values!r} must be two whole numbers from 0 to {most}: for side 0 "
            "(seats 0 and 2) and side 1"
        )
    return pair
