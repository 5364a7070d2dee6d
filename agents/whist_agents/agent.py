"""What an agent is."""

from __future__ import annotations

import abc

import numpy as np
import numpy.typing as npt

from whist_env import Player as Agent
from whist_env import View, Views

__all__ = ["Agent", "SingleAgent"]


class SingleAgent(abc.ABC):
    """An agent that thinks about one view at a time.

    Write `choose`; `act` asks it once for every view of a batch. Draw chance from
    ``view.generator()`` only: then the agent plays the same whatever is played beside
    it.
    """

    @abc.abstractmethod
    def choose(self, view: View) -> int:
        """A legal action for one view."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A legal action for each view, ``(len(views),)`` int64."""
        return np.array(
            [self.choose(views[index]) for index in range(len(views))], np.int64
        )
