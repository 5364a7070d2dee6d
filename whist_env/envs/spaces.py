"""Spaces: what an environment observes and which actions it takes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from whist_env.engine.features import FeatureTable

_INT8 = np.dtype(np.int8)

if TYPE_CHECKING:
    _Discrete = spaces.Discrete[np.int64]
else:  # It takes a parameter from some release of Gymnasium on.
    _Discrete = spaces.Discrete


class MaskedDiscrete(_Discrete):
    """A `Discrete` space that samples under a mask about ten times as fast.

    The contract is that of `Discrete`; the numbers drawn for a seed are not.
    """

    # Plain numbers are quicker to work with than those that NumPy makes.

    @functools.cached_property
    def _mask_shape(self) -> tuple[int]:
        return (int(self.n),)

    @functools.cached_property
    def _first(self) -> int:
        return int(self.start)

    def sample(
        self,
        mask: npt.NDArray[np.int8] | None = None,
        probability: npt.NDArray[Any] | None = None,
    ) -> np.int64:
        """A random member: uniform, uniform under a mask, or with given chances.

        Args:
            mask: ``(n,)`` int8, 1 for each member that may be drawn, else 0. Where all
                are 0 the smallest member is returned.
            probability: ``(n,)`` float64, the chance of each member.

        Raises:
            AssertionError: the mask or the chances are not such an array.
        """
        if probability is not None:
            return super().sample(mask, probability)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype is not _INT8
            or mask.shape != self._mask_shape
        ):
            return super().sample(mask)
        members = mask.nonzero()[0]
        size = len(members)
        if mask.tobytes().count(1) != size:
            return super().sample(mask)  # which refuses numbers other than 0 and 1
        if size == 0:
            return self.start
        # Once there is a generator, the property need not look for one.
        generator = self._np_random or self.np_random
        drawn: np.int64 = members[int(generator.random() * size)]
        return self.start + drawn if self._first else drawn


def feature_box(features: FeatureTable, dtype: npt.DTypeLike) -> spaces.Box:
    """The space of arrays that hold these features, with their true bounds."""
    kind = np.dtype(dtype)
    return spaces.Box(
        features.low.astype(kind), features.high.astype(kind), dtype=kind.type
    )


def mask_box(num_actions: int) -> spaces.Box:
    """The space of action masks."""
    return spaces.Box(0, 1, (num_actions,), np.int8)
