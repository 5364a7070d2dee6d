"""Information set Monte Carlo tree search."""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.search import compiled
from whist_agents.search.loops import EDGE, NODE, NONE, STEP, TREE
from whist_agents.search.thinking import (
    Position,
    SearchAgent,
    best,
    policy_named,
    whole,
)
from whist_env import Game

_PART: Final = 128
"""Iterations between two looks at the clock."""
_LONGEST: Final = 512
"""Room for the actions of a deal."""


class IsmctsAgent(SearchAgent):
    """Grows one tree over many worlds, and takes the action it came back to most.

    This is information set Monte Carlo tree search with a single observer (Cowling,
    Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions
    on Computational Intelligence and AI in Games 4, 2012); `whist_agents.search.loops`
    says how. Every agent is taken to want its own earnings of the deal, which are
    scaled by the least and the most that anybody has earned in the search.

    A node is what the searching agent sees. Where all actions are public, as in Whist,
    the variant with a tree for each observer would grow the same tree in every seat.
    Where some are hidden (discards, passed cards), the others are given credit here for
    knowing what they did themselves, as in that variant, but not for what their own
    hands tell them.

    Args:
        iterations: how many worlds are drawn, one for each time down the tree.
        rollout: how deals are played on below the tree, ``"hoyle"`` or ``"random"``.
        exploration: how much is tried that promises less.
        seed: part of the agent's chance, besides the random bits of each view.
        milliseconds: a time limit for a decision, looked at every 128 iterations.

    Raises:
        ValueError: a setting that cannot be.
    """

    def __init__(
        self,
        iterations: int = 1000,
        rollout: str = "hoyle",
        exploration: float = 0.7,
        seed: int = 0,
        milliseconds: int | None = None,
    ) -> None:
        super().__init__(seed, milliseconds)
        self.iterations = whole("iterations", iterations)
        self.policy = policy_named("rollout", rollout)
        if not isinstance(exploration, int | float) or not 0 <= exploration < 1e6:
            raise ValueError(f"exploration={exploration!r} must be a number from 0 on")
        self.exploration = float(exploration)

    def think(self, position: Position) -> int:
        """The action that was followed most often."""
        tree = _Tree(position.table.game, self.iterations)
        for begin, end in self.slices(self.iterations, _PART):
            worlds = position.worlds(end - begin, begin)
            compiled.grow(position.table.game.rules)(
                *tree.parts,
                worlds.view(np.uint8),
                self.exploration,
                self.policy,
                position.chance(begin),
                *tree.desk.room,
            )
        visits = tree.visits()
        values = np.array([visits.get(action, 0) for action in position.legal])
        return best(position.legal, values, position.views)


class _Tree:
    """A tree with a root, and room for a number of iterations."""

    def __init__(self, game: Game, iterations: int) -> None:
        self._tree = np.zeros(1, TREE)
        self._nodes = np.zeros(iterations + 1, NODE)
        self._edges = np.zeros(iterations, EDGE)
        slots = np.full(2 << iterations.bit_length(), NONE, np.int64)
        path = np.zeros(_LONGEST, STEP)
        self.desk = compiled.Desk(game)
        self.parts = (
            self._tree,
            slots,
            self._nodes,
            self._edges,
            path,
            self.desk.sight,
        )

    def visits(self) -> dict[int, int]:
        """How often each action at the root was followed."""
        found = {}
        edge = int(self._nodes[0].edge)
        while edge != NONE:
            found[int(self._edges[edge].action)] = int(self._edges[edge].visits)
            edge = int(self._edges[edge].next)
        return found
