"""Loops over worlds: what Python calls.

`whist_env.worlds.compiled.bind` puts the worlds of a game in place of the names
declared below.
"""

# ruff: noqa: F821

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from whist_env.engine.loops import Memory
from whist_env.engine.random import split_mix
from whist_env.engine.record import Record

# What `bind` supplies for each game.
RECORD: np.dtype[Any]
PLAN: np.dtype[Any]
read: Callable[[Record, int, Any], None]
draw: Callable[[Record, Any, np.uint64], None]
marginals: Callable[[Any, npt.NDArray[np.float64]], None]


def read_view(memory: Memory, agent: int, plan: Memory) -> None:
    """Take note of what an agent knows of a table."""
    read(memory.view(RECORD)[0], agent, plan.view(PLAN)[0])


def draw_worlds(
    memory: Memory, plan: Memory, seed: np.uint64, first: int, out: Memory
) -> None:
    """Fill the output with the worlds of a seed, from one on."""
    table = memory.view(RECORD)
    worlds = out.view(RECORD)
    for index in range(worlds.size):
        worlds[index] = table[0]
        draw(worlds[index], plan.view(PLAN)[0], split_mix(seed, first + index))


def find_marginals(plan: Memory, out: npt.NDArray[np.float64]) -> None:
    """Write the chance of each place of each card."""
    marginals(plan.view(PLAN)[0], out)
