"""Agents that do something wrong now and then, for tests of tournaments."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import numpy.typing as npt

from whist_agents import SingleAgent
from whist_env import View, Views


class First:
    """Plays its first legal action."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        return (views.action_mask != 0).argmax(1)


class Illegal:
    """Plays its first legal action, but the deuce of clubs when it has it not."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        legal = views.action_mask != 0
        has_deuce = views.observation[:, views.game.features["hand"].start] != 0
        late = views.observation[:, views.game.features["hand"]].sum(1) < 10
        return np.where(late & ~has_deuce, 0, legal.argmax(1))


class Raises(SingleAgent):
    """Gives up at one decision in a hundred."""

    def choose(self, view: View) -> int:
        if view.random % 100 == 0:
            raise RuntimeError("no idea")
        return view.legal_actions()[0]


class WrongShape:
    """Answers for one table more than it was asked about."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        return np.zeros(len(views) + 1, np.int64)


class KillsItsProcess(SingleAgent):
    """Kills the process it plays in, the first time that it plays anywhere."""

    def __init__(self, marker: str) -> None:
        self._marker = Path(marker)

    def choose(self, view: View) -> int:
        if not self._marker.exists():
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal_actions()[0]
