"""Kernels in Numba's simulator of a GPU: plain Python, a few tables, every game.

`test_cuda.py` runs this module in a process of its own, where Numba simulates.
"""

from __future__ import annotations

import numpy as np
import pytest
from cuda_tables import assert_same_batch, on_host, play_side_by_side
from numba import cuda
from whist_tables import whist_game

import whist_env
from whist_env import CudaTables, IllegalAction, Tables
from whist_env.games import GAMES


def test_this_is_the_simulator() -> None:
    assert cuda.config.ENABLE_CUDASIM


@pytest.mark.parametrize("name", GAMES)
def test_every_game_plays_the_same_in_kernels_as_in_loops(name: str) -> None:
    play_side_by_side(whist_env.game(name), size=2, steps=12, dtype="int8")


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_table_whose_episode_ends_begins_the_next_as_on_the_cpu(dtype: str) -> None:
    game = whist_game(scoring="awl", ranks=2, suits=2)
    assert play_side_by_side(game, size=3, steps=9, dtype=dtype) >= 3


def test_tables_beyond_the_first_block_of_threads_are_played() -> None:
    play_side_by_side(whist_env.game("german_whist"), size=34, steps=2, dtype="int8")


def test_an_illegal_action_is_named_and_changes_no_table() -> None:
    tables = CudaTables(whist_game(), 3, seed=1)
    tables.reset()
    actions = on_host(tables.sample_actions())
    before = tables.to_bytes()
    wrong = actions.copy()
    wrong[1:] = 99
    with pytest.raises(IllegalAction, match=r"table 1: .*99"):
        tables.step(wrong)
    assert tables.to_bytes() == before
    tables.step(actions)
    assert tables.to_bytes() != before


def test_tables_without_observations_give_all_else() -> None:
    tables = CudaTables(whist_game(), 2, seed=1, observations=False)
    expected = Tables(whist_game(), 2, seed=1, observations=False)
    assert tables.reset().observation.shape == (2, 0)
    expected.reset()
    actions = expected.sample_actions()
    assert_same_batch(tables.step(actions), expected.step(actions))


def test_saved_tables_go_from_one_device_to_the_other() -> None:
    tables = CudaTables(whist_game(), 2, seed=1)
    tables.reset()
    tables.step(tables.sample_actions())
    other = Tables(whist_game(), 2, seed=2)
    other.restore(tables.to_bytes())
    assert other.to_bytes() == tables.to_bytes()
    assert tables.table(1).to_bytes() == other.table(1).to_bytes()
    other.step(other.sample_actions())
    tables.restore(other.to_bytes())
    assert_same_batch(tables.look(), other.look())


def test_a_seed_begins_anew_and_no_seed_goes_on() -> None:
    tables = CudaTables(whist_game(), 2, seed=1)
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        tables.step(np.zeros(2, np.int64))
    tables.reset()
    first = tables.to_bytes()
    tables.reset()
    assert tables.to_bytes() != first
    tables.reset(seed=1)
    assert tables.to_bytes() == first


def test_a_step_writes_into_a_batch_of_your_own() -> None:
    tables = CudaTables(whist_game(), 2, seed=1)
    first = tables.reset()
    before = on_host(first.action_mask)
    own = tables.new_batch()
    assert tables.step(tables.sample_actions(), out=own) is own
    assert (on_host(first.action_mask) == before).all()
    assert_same_batch(tables.look(), own)


def test_buffers_and_actions_that_do_not_fit_are_refused() -> None:
    tables = CudaTables(whist_game(), 3, seed=1)
    tables.reset()
    small = CudaTables(whist_game(), 2).new_batch()
    with pytest.raises(ValueError, match=r"out\.observation must be float32 of shape"):
        tables.step(tables.sample_actions(), out=small)
    with pytest.raises(TypeError, match=r"out\.observation must be .* on the GPU"):
        tables.look(out=Tables(whist_game(), 3).new_batch())
    with pytest.raises(ValueError, match=r"actions must be whole numbers"):
        tables.step(np.zeros(3))
    with pytest.raises(ValueError, match=r"actions must be int64 of shape \(3,\)"):
        tables.step(cuda.to_device(np.zeros(3, np.int32)))
    with pytest.raises(ValueError, match=r"out must be float32 of shape"):
        tables.state(out=cuda.to_device(np.zeros((3, 4), np.float32)))
    with pytest.raises(IndexError, match="there is no table 3"):
        tables.table(3)
