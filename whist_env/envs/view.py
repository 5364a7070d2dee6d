"""Views: what a player is given when it is to act.

A view is made of an observation and an action mask, and of nothing else of the table,
so there is no way from it to a hidden card. Observations hold everything a player with
a perfect memory may know; a player therefore needs no memory of its own, and the same
view always stands for the same knowledge.

A view also brings the player's chance: 64 random bits for this decision. A player that
draws only from them is reproducible whatever else is played beside it, and in whatever
order or batch.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from whist_env.envs.game import Game


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """What one player may know when it is to act.

    Attributes:
        game: the game and its options; no part of any table.
        observation: ``(features.size,)`` int8, the player's own copy.
        action_mask: ``(num_actions,)`` int8, the player's own copy.
        random: 64 random bits for this decision.
    """

    game: Game
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    random: int

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


@dataclasses.dataclass(frozen=True, slots=True)
class Views:
    """The views of many decisions, one row each.

    Attributes:
        game: the game and its options.
        observation: ``(len, features.size)`` int8.
        action_mask: ``(len, num_actions)`` int8.
        random: ``(len,)`` uint64, 64 random bits for each decision.
    """

    game: Game
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    random: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.observation)

    def __getitem__(self, index: int) -> View:
        return View(
            self.game,
            self.observation[index].copy(),
            self.action_mask[index].copy(),
            int(self.random[index]),
        )


class Player(Protocol):
    """Whatever chooses actions: every agent of `whist_agents` is one."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        """A legal action for each view, whole numbers of shape ``(len(views),)``."""
        ...
