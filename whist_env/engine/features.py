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
from llvmlite import ir
from numba import types
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from whist_env.cards import CARDS, holds
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


def offsets(tables: Mapping[int, FeatureTable], name: str) -> tuple[int, ...]:
    """The places of a feature by the number of seats, for which the tables are given.

    Rules take the place for the table in hand: ``offsets[record.hands.size]``.
    """
    return tuple(
        tables[seats].offset(name) if seats in tables else -1
        for seats in range(max(tables) + 1)
    )


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
def clear(out: npt.NDArray[Any], begin: int) -> None:
    """Set all numbers of an observation from a place on to 0."""
    for place in range(begin, out.size):
        write(out, place, 0)


@rule
def write_number(out: npt.NDArray[Any], place: int, value: int, digits: int) -> None:
    """Write a large number as digits to the base of 100, each with the number's sign.

    The highest digit stands first; the place is clear.
    """
    if value == 0:
        return
    sign = -1 if value < 0 else 1
    rest = sign * int(value)
    for digit in range(digits - 1, -1, -1):
        write(out, place + digit, sign * (rest % 100))
        rest //= 100


def write_cards(out: npt.NDArray[Any], offset: int, cards: np.uint64) -> None:
    """Write a set of cards as 52 numbers: 1 for a card of the set, 0 for any other."""
    for card in range(CARDS):
        out[offset + card] = holds(cards, card)


def write_by_card(out: npt.NDArray[Any], offset: int, values: npt.NDArray[Any]) -> None:
    """Write the 52 small numbers of a field that has one for each card."""
    for card in range(CARDS):
        out[offset + card] = values[card]


# Compiled, each of the two is a few instructions on all 52 numbers at once, which makes
# an observation half as dear. The functions above are what a debugger runs, and what is
# compiled for a buffer that has gaps.


@overload(write_cards)  # type: ignore[untyped-decorator]
def _write_cards(out: Any, offset: Any, cards: Any) -> Any:
    def at_once(out: Any, offset: Any, cards: Any) -> None:
        _spread(out, offset, cards)

    def one_by_one(out: Any, offset: Any, cards: Any) -> None:
        for card in range(CARDS):
            out[offset + card] = holds(cards, card)

    return at_once if out.layout == "C" else one_by_one


@overload(write_by_card)  # type: ignore[untyped-decorator]
def _write_by_card(out: Any, offset: Any, values: Any) -> Any:
    def at_once(out: Any, offset: Any, values: Any) -> None:
        _copy(out, offset, values)

    def one_by_one(out: Any, offset: Any, values: Any) -> None:
        for card in range(CARDS):
            out[offset + card] = values[card]

    return at_once if out.layout == "C" else one_by_one


_ALL = ir.Constant(ir.VectorType(ir.IntType(32), CARDS), list(range(CARDS)))
_BYTES = ir.VectorType(ir.IntType(8), CARDS)


@intrinsic  # type: ignore[untyped-decorator]
def _spread(_context: Any, out: Any, offset: Any, cards: Any) -> tuple[Signature, Any]:
    """Store bit *i* of a word as number *i*, for 52 numbers."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.VectorType(ir.IntType(1), 64)
        bits = builder.bitcast(arguments[2], word)
        first = builder.shuffle_vector(bits, ir.Constant(word, ir.Undefined), _ALL)
        _store(context, builder, signature, arguments, builder.zext(first, _BYTES))
        return context.get_dummy_value()

    return types.void(out, types.intp, types.uint64), code


@intrinsic  # type: ignore[untyped-decorator]
def _copy(_context: Any, out: Any, offset: Any, values: Any) -> tuple[Signature, Any]:
    """Store 52 bytes as numbers."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = make_array(signature.args[2])(context, builder, arguments[2]).data
        packed = builder.load(builder.bitcast(source, _BYTES.as_pointer()), align=1)
        _store(context, builder, signature, arguments, packed)
        return context.get_dummy_value()

    return types.void(out, types.intp, values), code


def _store(
    context: Any, builder: Any, signature: Any, arguments: Any, numbers: Any
) -> None:
    """Store 52 bytes, as floats where the row has such, from an offset on."""
    out = signature.args[0]
    kind = context.get_data_type(out.dtype)
    row = ir.VectorType(kind, CARDS)
    if isinstance(out.dtype, types.Float):
        numbers = builder.sitofp(numbers, row)
    data = make_array(out)(context, builder, arguments[0]).data
    place = builder.bitcast(builder.gep(data, [arguments[1]]), row.as_pointer())
    builder.store(numbers, place, align=1)
