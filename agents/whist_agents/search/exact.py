"""Exact values of cards, where the solver gives them at a bearable price."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from whist_env import SolverLimit, Table
from whist_env.solver import solve_worlds
from whist_env.solver.questions import question_of

Values = tuple[list[int], npt.NDArray[np.int64]]
"""Cards, and what each is worth by world: of shape ``(worlds, cards)``."""


def can_be_solved(table: Table) -> bool:
    """Whether the solver takes a table on."""
    try:
        question_of(table.game.name, table.record, None)
    except ValueError:
        return False
    return True


def solved(
    table: Table, hands: npt.NDArray[np.uint64], positions: int
) -> Values | None:
    """What each card is worth with all hands open; None if that takes too long.

    Args:
        table: a table that can be solved.
        hands: the hands by world and seat.
        positions: how many positions the project's own search may look at in a world.
    """
    try:
        cards, values = solve_worlds(table, hands, positions=positions)
    except SolverLimit:
        return None
    return cards, values.astype(np.int64)
