"""Whole numbers of two words: as many as 2**128, for counting worlds exactly.

A number is a pair of 64-bit words, the upper and the lower. Nothing here wraps around,
so that plain Python and compiled code count alike.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from whist_env.cards import highest
from whist_env.engine.compile import rule
from whist_env.engine.random import split_mix

Wide: TypeAlias = tuple[np.uint64, np.uint64]

ZERO: Final = np.uint64(0)
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_LOW_HALF: Final = np.uint64(0xFFFF_FFFF)
_HALF: Final = np.uint64(32)
_ONE: Final = np.uint64(1)


@rule
def wide(number: int) -> Wide:
    """A whole number that fits one word."""
    return ZERO, np.uint64(number)


@rule
def is_zero(high: np.uint64, low: np.uint64) -> bool:
    """Whether a number is 0."""
    return bool(high == ZERO and low == ZERO)


@rule
def is_less(high: np.uint64, low: np.uint64, than: Wide) -> bool:
    """Whether a number is smaller than another."""
    return bool(high < than[0] or (high == than[0] and low < than[1]))


@rule
def plus(high: np.uint64, low: np.uint64, other: Wide) -> Wide:
    """The sum of two numbers."""
    if low > _ALL - other[1]:
        return (
            np.uint64(high + other[0] + _ONE),
            np.uint64(other[1] - (_ALL - low) - _ONE),
        )
    return np.uint64(high + other[0]), np.uint64(low + other[1])


@rule
def minus(high: np.uint64, low: np.uint64, other: Wide) -> Wide:
    """The first number less the second, which is not larger."""
    if low < other[1]:
        return (
            np.uint64(high - other[0] - _ONE),
            np.uint64(_ALL - (other[1] - low) + _ONE),
        )
    return np.uint64(high - other[0]), np.uint64(low - other[1])


@rule
def times(high: np.uint64, low: np.uint64, word: np.uint64) -> Wide:
    """A number multiplied by a word; the product must be below 2**128."""
    low_0, low_1 = low & _LOW_HALF, low >> _HALF
    word_0, word_1 = word & _LOW_HALF, word >> _HALF
    first, second, third = low_0 * word_0, low_0 * word_1, low_1 * word_0
    middle = (first >> _HALF) + (second & _LOW_HALF) + (third & _LOW_HALF)
    carried = (second >> _HALF) + (third >> _HALF) + (middle >> _HALF)
    return (
        np.uint64(high * word + low_1 * word_1 + carried),
        np.uint64((first & _LOW_HALF) | ((middle & _LOW_HALF) << _HALF)),
    )


@rule
def as_float(high: np.uint64, low: np.uint64) -> float:
    """The number in floating point, off by three parts in 10**16 at the most."""
    return float(high) * 18446744073709551616.0 + float(low)


@rule
def fair_wide(start: np.uint64, index: int, high: np.uint64, low: np.uint64) -> Wide:
    """An exactly uniform number below a limit that is not 0.

    Bits are drawn, as many as the largest of these numbers has, until they are below
    the limit: on average less than twice. Each index has a stream of its own.
    """
    last = minus(high, low, wide(1))
    mask_high = ZERO if last[0] == ZERO else _ALL >> np.uint64(63 - highest(last[0]))
    mask_low = _ALL
    if last[0] == ZERO:
        mask_low = ZERO if last[1] == ZERO else _ALL >> np.uint64(63 - highest(last[1]))
    stream = split_mix(start, index)
    retry = 0
    while True:
        drawn_low = np.uint64(split_mix(stream, 2 * retry) & mask_low)
        drawn_high = ZERO
        if mask_high != ZERO:
            drawn_high = np.uint64(split_mix(stream, 2 * retry + 1) & mask_high)
        if is_less(drawn_high, drawn_low, (high, low)):
            return drawn_high, drawn_low
        retry += 1
