"""Features: the named parts of an observation.

A game declares its features once, in a table. The table gives the observation space
with its bounds, the page of documentation, the meaning of each axis, and the slice of
each name; the game's `observe` rule writes at the offsets the table gives.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from whist_env.cards import NO_CARDS, lowest, without_lowest
from whist_env.engine.compile import rule


@dataclasses.dataclass(frozen=True)
class Feature:
    """One named part of an observation.

    Attributes:
        name: how users ask for it.
        axes: what each axis counts: ``"seat"`` (relative: the observer is 0, the seat
            on its left 1), ``"side"`` (the observer's 0, the other 1), ``"suit"``,
            ``"card"``, or any other word for an axis without such a meaning.
        shape: the length of each axis; an empty shape is one number.
        low: the smallest value.
        high: the largest value.
        meaning: one sentence.
    """

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers the feature has."""
        return math.prod(self.shape)


class FeatureTable(Mapping[str, slice]):
    """The features of an observation in order; ``table["voids"]`` is a slice."""

    def __init__(self, *features: Feature) -> None:
        self.features = features
        self._slices: dict[str, slice] = {}
        start = 0
        for feature in features:
            if feature.name in self._slices:
                raise ValueError(f"there are two features named {feature.name!r}")
            if not -128 <= feature.low <= feature.high <= 127:
                raise ValueError(
                    f"feature {feature.name!r} runs from {feature.low} to "
                    f"{feature.high}; observations are kept in signed bytes, so its "
                    "bounds must lie within -128 and 127 (split a large number into "
                    "digits)"
                )
            self._slices[feature.name] = slice(start, start + feature.size)
            start += feature.size
        self.size = start

    def __getitem__(self, name: str) -> slice:
        try:
            return self._slices[name]
        except KeyError:
            raise KeyError(
                f"there is no feature {name!r}; the features are "
                + ", ".join(self._slices)
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    def offset(self, name: str) -> int:
        """The place of the first number of a feature."""
        start = self[name].start
        assert isinstance(start, int)
        return start

    def part(self, observation: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """A feature out of an observation, in its own shape.

        Args:
            observation: an array whose last axis is the whole observation.
            name: the name of the feature.

        Returns:
            A view with the observation's other axes first.
        """
        feature = next(f for f in self.features if f.name == self._checked(name))
        return observation[..., self[name]].reshape(
            observation.shape[:-1] + feature.shape
        )

    def named(self, observation: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """All features of an observation by name, each in its own shape."""
        return {name: self.part(observation, name) for name in self}

    @functools.cached_property
    def low(self) -> npt.NDArray[np.int8]:
        """The smallest value of every number of the observation."""
        return np.repeat(
            np.array([f.low for f in self.features], np.int8),
            [f.size for f in self.features],
        )

    @functools.cached_property
    def high(self) -> npt.NDArray[np.int8]:
        """The largest value of every number of the observation."""
        return np.repeat(
            np.array([f.high for f in self.features], np.int8),
            [f.size for f in self.features],
        )

    def _checked(self, name: str) -> str:
        self[name]
        return name


def is_row(out: npt.NDArray[Any], size: int, dtype: np.dtype[Any]) -> bool:
    """Whether a buffer is one row of this many numbers of a type.

    A compiled write into any other would be unchecked.
    """
    return out.ndim == 1 and out.size == size and out.dtype == dtype


@overload(is_row)  # type: ignore[untyped-decorator]
def _is_row(out: Any, size: Any, dtype: Any) -> Any:
    # Type and number of axes are known when the loop is compiled, and cost nothing.
    fits = isinstance(out, types.Array) and (out.ndim, out.dtype) == (1, dtype.dtype)

    def code(out: Any, size: Any, dtype: Any) -> Any:
        return fits and out.size == size

    return code


@rule
def write(out: npt.NDArray[Any], place: int, value: int) -> None:
    """Write one number of an observation; the place is never negative.

    Saying so spares compiled code a test at each of some hundred writes.
    """
    out[np.uint64(place)] = value


@rule
def write_cards(out: npt.NDArray[Any], offset: int, cards: np.uint64) -> None:
    """Mark a set of cards."""
    while cards != NO_CARDS:
        write(out, offset + lowest(cards), 1)
        cards = without_lowest(cards)
