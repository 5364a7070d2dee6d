"""Choices by chance, for drawing worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_env.cards import count, nth
from whist_env.engine.compile import rule
from whist_env.engine.random import fair_below


@rule
def pick(cards: np.uint64, start: np.uint64, index: int) -> int:
    """A card of a set, each with the same chance."""
    return nth(cards, fair_below(start, index, count(cards)))


@rule
def find_rank(sums: Any, size: int, rank: int) -> int:
    """The first of some places, with running sums, whose sum is above a rank."""
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > rank:
            high = middle
        else:
            low = middle + 1
    return low
