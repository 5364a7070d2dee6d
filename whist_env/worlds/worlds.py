"""Worlds: the complete deals that an agent must reckon with."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any, Final, SupportsIndex

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS
from whist_env.engine.options import is_whole
from whist_env.engine.record import Record
from whist_env.engine.rules import Rules
from whist_env.engine.sight import GATHER_AND_CUT, HISTORY_LAST_TRICK
from whist_env.envs.seeding import seed_word
from whist_env.envs.table import Table
from whist_env.worlds import loops
from whist_env.worlds.compiled import bind, sampler_of

AT_ONCE: Final = 4096
"""Worlds drawn in one go where only their hands are kept."""


@functools.cache
def compiled_loops(rules: Rules) -> SimpleNamespace:
    """The loops over worlds of a game by name, compiled when first called."""
    found = (loops.read_view, loops.draw_worlds, loops.find_marginals)
    return SimpleNamespace(**{loop.__name__: bind(loop, rules) for loop in found})


class Worlds:
    """All complete deals that agree with everything that one agent knows of a table.

    A world is a position that the rules could have produced with the same public
    history and the same private knowledge of the agent: other hands, another order of
    the pack, other hidden choices of the other players. All packs are equally likely,
    and so are all hidden choices that were open; what others play and call says nothing
    here beyond what the rules prove by it. Samples are exactly uniform, and depend on
    what the agent knows and on the seed alone: two tables that look the same to the
    agent have the same worlds in the same order.

    Nobody knows the deals to come, so that each world goes on with deals of its own.

    Attributes:
        agent: whose view it is.
        count: how many worlds there are, as far as they differ in where cards lie or in
            hidden choices. The order of the pack within a hand is random besides.
        places: the names of the places where cards may lie: the hands of all seats,
            then what lies elsewhere.
    """

    def __init__(self, table: Table, agent: int | None = None) -> None:
        """Take note of what an agent knows now; the table is not looked at again.

        Args:
            table: the table.
            agent: whose view; by default the agent to act.

        Raises:
            ValueError: the episode is over, there is no such agent, the position is
                impossible, or players do not know what the rules in force have them
                know exactly; the message says which.
        """
        self.agent = check(table, agent)
        record = table.record
        self._rules = table.game.rules
        self._sampler = sampler_of(table.game.name)
        self._loops = compiled_loops(self._rules)
        self._plan = np.zeros(1, np.dtype((np.record, self._sampler.PLAN)))
        self._memory = np.frombuffer(record.tobytes(), np.uint8)
        self._loops.read_view(self._memory, self.agent, self._plan.view(np.uint8))
        self.count: int = self._sampler.number(self._plan[0])
        if self.count == 0:
            raise ValueError("impossible position: " + self._complaint())
        self.places: tuple[str, ...] = self._sampler.places(record)
        # From here on one of the worlds stands for the table.
        self._memory = self._draw(seed_word(0), 0, 1).view(np.uint8)

    def sample(self, n: int, seed: SupportsIndex | None) -> Any:
        """Draw worlds, each with the same chance and independent of the others.

        Args:
            n: how many.
            seed: the seed; the same seed draws the same worlds, of which the first do
                not depend on how many are drawn. ``None`` draws one.

        Returns:
            An array of shape ``(n,)`` of the records of the game.

        Raises:
            ValueError: the number is not a whole number from 1 on, or the seed is
                negative.
        """
        _check_number(n)
        return self._draw(seed_word(seed), 0, n)

    def hands(self, n: int, seed: SupportsIndex | None) -> npt.NDArray[np.uint64]:
        """The hands of the worlds that `sample` draws, as `solve_worlds` takes them.

        Returns:
            An array of shape ``(n, seats)``: the set of cards that each seat holds now.

        Raises:
            ValueError: as in `sample`.
        """
        _check_number(n)
        word = seed_word(seed)
        parts = [
            self._draw(word, first, min(AT_ONCE, n - first))["hands"].copy()
            for first in range(0, n, AT_ONCE)
        ]
        return np.concatenate(parts)

    def marginals(self) -> npt.NDArray[np.float64]:
        """The exact chance that each card lies at each place.

        Returns:
            An array of shape ``(len(places), 52)``. Each row adds up to the cards that
            lie at the place, each column to 1 for a card that has not been played.
        """
        out = np.empty((CARDS, len(self.places)), np.float64)
        self._loops.find_marginals(self._plan.view(np.uint8), out)
        return np.ascontiguousarray(out.T)

    def __repr__(self) -> str:
        return f"<{self.count} worlds of player_{self.agent} at {self._rules.name}>"

    def _complaint(self) -> str:
        """What makes the position impossible, as far as the game can tell."""
        if hasattr(self._sampler, "complaint"):
            said: str = self._sampler.complaint(self._plan[0])
            return said
        return "no deal agrees with all that is known"

    def _draw(self, seed: np.uint64, first: int, n: int) -> Any:
        """So many worlds of a seed, from one on."""
        worlds = np.empty(n, self._rules.record)
        plan, out = self._plan.view(np.uint8), worlds.view(np.uint8)
        self._loops.draw_worlds(self._memory, plan, seed, first, out)
        return worlds


def check(table: Table, agent: int | None = None) -> int:
    """Check that worlds can be drawn from the view of an agent.

    Args:
        table: the table.
        agent: whose view; by default the agent to act.

    Returns:
        The number of the agent.

    Raises:
        TypeError: the table is none.
        ValueError: the episode is over, there is no such agent, or players do not know
            what the rules in force have them know exactly.
    """
    if not isinstance(table, Table):
        raise TypeError(f"table={table!r} must be a table, as game.new_table() makes")
    if table.is_over:
        raise ValueError("the episode is over: nothing is left to be imagined")
    agents = table.game.num_agents
    if agent is not None and not is_whole(agent, 0, agents - 1):
        raise ValueError(
            f"agent={agent!r} is not one of this game's agents, 0 to {agents - 1}"
        )
    _refuse_rules(table.record)
    return table.agent if agent is None else int(agent)


def _refuse_rules(record: Record) -> None:
    if record.options.history == HISTORY_LAST_TRICK:
        raise ValueError(
            "with history='last_trick' players forget what was played, and worlds "
            "that agree with what they still know cannot be drawn; take history='all'"
        )
    if record.options.shuffle == GATHER_AND_CUT and record.deals_played > 0:
        raise ValueError(
            "with shuffle='gather_and_cut' the order of the last deal is known but for "
            "a cut, and worlds can be drawn in the first deal of an episode alone; "
            "take shuffle='fresh'"
        )


def _check_number(n: int) -> None:
    if not is_whole(n, 1, 2**40):
        raise ValueError(f"n={n!r} must be a whole number from 1 on")
