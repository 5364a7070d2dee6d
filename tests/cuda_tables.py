"""Tables on a GPU, or on the simulated one, beside the same tables on the CPU."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from whist_env import Batch, CudaTables, Game, Tables

FIELDS = [field.name for field in dataclasses.fields(Batch)]


def on_host(array: Any) -> Any:
    """An array on the GPU, copied to the CPU; any other as it is."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def assert_same_array(ours: Any, expected: Any) -> None:
    """The same shape, type and bytes."""
    host, other = on_host(ours), on_host(expected)
    assert (host.shape, host.dtype) == (other.shape, other.dtype)
    assert host.tobytes() == other.tobytes()


def assert_same_batch(ours: Batch, expected: Batch) -> None:
    for field in FIELDS:
        assert_same_array(getattr(ours, field), getattr(expected, field))


def play_side_by_side(game: Game, size: int, steps: int, dtype: str) -> int:
    """Play the same on both, comparing all there is; returns the episodes ended."""
    ours = CudaTables(game, size, seed=3, dtype=dtype)
    expected = Tables(game, size, seed=3, dtype=dtype)
    assert_same_batch(ours.reset(), expected.reset())
    ended = 0
    for _ in range(steps):
        actions = expected.sample_actions()
        assert_same_array(ours.sample_actions(), actions)
        batch = expected.step(actions)
        assert_same_batch(ours.step(actions), batch)
        ended += int(np.count_nonzero(batch.done))
    assert_same_batch(ours.look(), expected.look())
    assert_same_array(ours.state(), expected.state())
    assert_same_array(ours.records, expected.records)
    assert_same_array(ours.finished, expected.finished)
    return ended
