"""Seeds: from the integers users give to the 64-bit words that tables keep."""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from whist_env.engine.random import split_mix


def seed_word(seed: SupportsIndex | None) -> np.uint64:
    """The 64-bit seed of a table.

    Args:
        seed: a whole number that is not negative, or ``None`` for a seed from the
            operating system. Numbers below 2**64 are taken as they are.

    Raises:
        ValueError: the number is negative.
        TypeError: it is not a whole number.
    """
    if seed is None:
        return _word(np.random.SeedSequence())
    try:
        whole = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed={seed!r} must be a whole number or None") from None
    if whole < 0:
        raise ValueError(f"seed={seed!r} must not be negative")
    if whole < 1 << 64:
        return np.uint64(whole)
    return _word(np.random.SeedSequence(whole))


def seed_words(seed: SupportsIndex | None, count: int) -> npt.NDArray[np.uint64]:
    """The seeds of many tables.

    The seed of table *i* depends on ``seed`` and *i* alone, not on how many tables
    there are.
    """
    start = seed_word(seed)
    return np.array([split_mix(start, index) for index in range(count)], np.uint64)


def _word(sequence: np.random.SeedSequence) -> np.uint64:
    return np.uint64(sequence.generate_state(1, np.uint64)[0])
