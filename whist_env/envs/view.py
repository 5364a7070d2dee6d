"""Views: what a player is given when it is to act.

A view is made of an observation and an action mask, and of nothing else of the table,
so there is no way from it to a hidden card. Observations hold everything a player with
a perfect memory may know; a player therefore needs no memory of its own, and the same
view always stands for the same knowledge.

A view also brings the player's chance: 64 random bits for this decision. A player that
draws only from them is reproducible whatever else is played beside it, and in whatever
order or batch.

A player that searches asks for one thing more, by the attribute ``imagines = True``:
one of the complete deals that agree with all that it knows, which stands in for the
table wherever rules are to be carried out. It is drawn from what the player knows and
from nothing else (`whist_env.worlds`), so that it tells no more than the observation.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from whist_env.envs.game import Game
from whist_env.envs.table import Table

_SEED: Final = 0
"""The seed of the world that stands in for a table: one and the same for all."""


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """What one player may know when it is to act.

    Attributes:
        game: the game and its options; no part of any table.
        observation: ``(features.size,)`` int8, the player's own copy.
        action_mask: ``(num_actions,)`` int8, the player's own copy.
        random: 64 random bits for this decision.
        world: one of the complete deals that the player must reckon with, as the bytes
            of a record; None for players that do not ask for it.
    """

    game: Game
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    random: int
    world: npt.NDArray[np.uint8] | None = None

    def part(self, name: str) -> npt.NDArray[np.int8]:
        """A feature of the observation by its name, in its own shape."""
        part: npt.NDArray[np.int8] = self.game.features.part(self.observation, name)
        return part

    def legal_actions(self) -> list[int]:
        """The legal actions in order."""
        actions: list[int] = np.flatnonzero(self.action_mask).tolist()
        return actions

    def generator(self) -> np.random.Generator:
        """A random generator of this decision's own."""
        return np.random.default_rng(self.random)

    def table(self) -> Table:
        """A table of the player's own that could be the true one for all it knows.

        What is hidden from the player is made up. ``whist_env.worlds.Worlds`` of it
        has the same worlds as that of the true table, in the same order.

        Raises:
            ValueError: the player does not ask for worlds.
        """
        if self.world is None:
            raise ValueError(
                "this view brings no world: it is given to players that have the "
                "attribute imagines = True"
            )
        return Table(self.game, self.world.copy())


@dataclasses.dataclass(frozen=True, slots=True)
class Views:
    """The views of many decisions, one row each.

    Attributes:
        game: the game and its options.
        observation: ``(len, features.size)`` int8.
        action_mask: ``(len, num_actions)`` int8.
        random: ``(len,)`` uint64, 64 random bits for each decision.
        worlds: ``(len, bytes of a record)`` uint8, for each view one of the complete
            deals that agree with it; None for players that do not ask for them.
    """

    game: Game
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    random: npt.NDArray[np.uint64]
    worlds: npt.NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.observation)

    def __getitem__(self, index: int) -> View:
        return View(
            self.game,
            self.observation[index].copy(),
            self.action_mask[index].copy(),
            int(self.random[index]),
            None if self.worlds is None else self.worlds[index].copy(),
        )


class Player(Protocol):
    """Whatever chooses actions: every agent of `whist_agents` is one.

    A player with the attribute ``imagines = True`` is given views with worlds.
    """

    def act(self, views: Views) -> npt.NDArray[Any]:
        """A legal action for each view, whole numbers of shape ``(len(views),)``."""
        ...


@runtime_checkable
class Oracle(Protocol):
    """What looks at all hands: no player, and refused wherever one is asked for."""

    def act_on(
        self, tables: Sequence[Table], random: npt.NDArray[np.uint64]
    ) -> npt.NDArray[Any]:
        """A legal action for the agent to act at each table.

        Args:
            tables: the tables, to be looked at only.
            random: 64 random bits for each decision.

        Returns:
            Whole numbers of shape ``(len(tables),)``.
        """
        ...


def worlds_for(player: Player, tables: Iterable[Table]) -> npt.NDArray[np.uint8] | None:
    """What `Views` bring as worlds: for the agent to act at each of some tables.

    Returns:
        None for players that do not ask for worlds.

    Raises:
        ValueError: under a rule in force worlds cannot be drawn.
    """
    if not getattr(player, "imagines", False):
        return None
    # Worlds are drawn at tables, and stand above this part of the package.
    worlds = importlib.import_module("whist_env.worlds").Worlds
    return np.stack([worlds(table).sample(1, _SEED).view(np.uint8) for table in tables])
