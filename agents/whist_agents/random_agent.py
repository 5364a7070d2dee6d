"""The agent that plays at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from whist_env import Views

_HALF = np.uint64(32)


class RandomAgent:
    """Chooses uniformly among its legal actions."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A legal action for each view, ``(len(views),)`` int64.

        Of *n* legal actions the upper half of the view's random bits picks one; the
        chance of each is 1/n to within 2**-32.
        """
        legal = views.action_mask != 0
        count = legal.sum(1).astype(np.uint64)
        place = ((views.random >> _HALF) * count >> _HALF).astype(np.int64)
        found: npt.NDArray[np.int64] = (legal.cumsum(1) > place[:, None]).argmax(1)
        return found
