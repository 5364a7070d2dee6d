"""Made-up policies for tests of inference."""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_env import Views


class Fake:
    """A policy made of a function of one view and an action; it keeps what it is asked.

    Attributes:
        asked: the actions that it was asked about.
        shown: the observations that it was shown.
    """

    def __init__(self, chance: Any) -> None:
        self._chance = chance
        self.asked: list[int] = []
        self.shown: list[bytes] = []

    def chances(self, views: Views, actions: Any) -> Any:
        self.asked += actions.tolist()
        self.shown += [row.tobytes() for row in views.observation]
        pairs = zip(range(len(views)), actions.tolist(), strict=True)
        return np.array([self._chance(views[row], action) for row, action in pairs])


def uniform(view: Any, action: int) -> float:
    return 1 / int(view.action_mask.sum())
