"""The oracle, which sees all hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from whist_agents.hoyle import HoyleAgent
from whist_agents.search.exact import can_be_solved, solved
from whist_agents.search.thinking import best
from whist_env import Table
from whist_env.envs.play import view_of

POSITIONS: Final = 3_000_000
"""Positions that our own search may look at: half a second."""


class OracleAgent:
    """Plays the best card with all hands open: no player, but a measure.

    It is not given views but the tables themselves, so that no driver can seat it by
    mistake. Its play shows what hidden cards cost those who cannot see them. In calls,
    in positions that the solver refuses, and where our own search is at a loss after
    three million positions, it does what `hoyle` does with its own cards. Ties are
    broken as by `PimcAgent`.
    """

    def act_on(
        self, tables: Sequence[Table], random: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """A legal action for the agent to act at each table; it draws on no chance."""
        return np.array([_choose(table) for table in tables], np.int64)


def _choose(table: Table) -> int:
    legal = table.legal_actions()
    if len(legal) == 1:
        return legal[0]
    views = view_of(table, random=0)
    if can_be_solved(table):
        found = solved(table, np.array(table.record.hands)[None], POSITIONS)
        if found is not None:
            cards, values = found
            return best(cards, values[0], views)
    return int(HoyleAgent().act(views)[0])
