"""Many tables: the same results for any number of tables and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_env
from whist_env import IllegalAction, Tables
from whist_env.envs.seeding import seed_words

GAME = whist_env.game("whist", scoring="short5", episode="game")


def stepped(count: int, steps: int = 130, **settings: Any) -> Tables:
    tables = Tables(GAME, count, seed=4, dtype=np.int8, **settings)
    tables.reset()
    for _ in range(steps):
        tables.step(tables.sample_actions())
    return tables


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_a_table_does_not_depend_on_how_many_tables_or_threads_there_are(
    count: int, threads: int
) -> None:
    whole = stepped(40)
    part = stepped(count, threads=threads)
    assert part.records.tobytes() == whole.records[:count].tobytes()
    assert part.finished.tobytes() == whole.finished[:count].tobytes()
    mine, theirs = part.look(), whole.look()
    assert (mine.observation == theirs.observation[:count]).all()
    assert (mine.action_mask == theirs.action_mask[:count]).all()


def test_the_vector_equals_native_tables_step_by_step() -> None:
    tables = Tables(GAME, 6, seed=8)
    batch = tables.reset()
    natives = [GAME.new_table(int(seed)) for seed in seed_words(8, 6)]
    for _ in range(300):
        actions = tables.sample_actions()
        for row, native in enumerate(natives):
            assert batch.agent[row] == native.agent
            assert (batch.observation[row] == native.observe()).all()
            assert (batch.action_mask[row] == native.action_mask()).all()
            native.apply(int(actions[row]))
        batch = tables.step(actions)
        for row, native in enumerate(natives):
            assert batch.rewards[row].tolist() == native.rewards()
            assert batch.done[row] == native.is_over
            if native.is_over:
                assert tables.finished[row].tobytes() == native.record.tobytes()
                native.reset()
            assert tables.table(row) == native


def test_bytes_and_floats_are_the_same_observations() -> None:
    small, large = Tables(GAME, 9, 1, dtype="int8"), Tables(GAME, 9, 1)
    ours, theirs = small.reset(), large.reset()
    for _ in range(60):
        assert ours.observation.dtype == np.int8
        assert theirs.observation.dtype == np.float32
        assert (ours.observation == theirs.observation).all()
        assert (small.state() == large.state()).all()
        actions = small.sample_actions()
        ours, theirs = small.step(actions), large.step(actions)


def test_an_illegal_action_names_its_table_and_changes_none() -> None:
    tables = stepped(12)
    before = tables.to_bytes()
    actions = tables.sample_actions()
    actions[5] = int(np.flatnonzero(tables.look().action_mask[5] == 0)[0])
    with pytest.raises(IllegalAction, match="table 5: player_"):
        tables.step(actions)
    assert tables.to_bytes() == before


@pytest.mark.parametrize(
    "actions", [np.zeros(11, int), np.zeros((12, 1), int), np.zeros(12), "no"]
)
def test_actions_of_the_wrong_shape_or_type_are_refused(actions: Any) -> None:
    with pytest.raises(ValueError, match="whole numbers of shape \\(12,\\)"):
        stepped(12, 3).step(actions)


def test_steps_write_into_a_batch_of_ones_own() -> None:
    tables = stepped(5, 10)
    mine = tables.new_batch()
    again = tables.step(tables.sample_actions(), out=mine)
    assert again is mine
    kept = mine.observation.copy()
    shared = tables.step(tables.sample_actions())
    assert shared is not mine and (mine.observation == kept).all()
    with pytest.raises(ValueError, match="new_batch"):
        tables.step(tables.sample_actions(), out=stepped(4, 1).new_batch())


def test_saved_tables_go_on_exactly() -> None:
    tables = stepped(8, 70)
    saved = tables.to_bytes()
    for _ in range(90):
        tables.step(tables.sample_actions())
    other = Tables(GAME, 8, seed=99, dtype=np.int8)
    other.restore(saved)
    for _ in range(90):
        other.step(other.sample_actions())
    assert other.to_bytes() == tables.to_bytes()
    with pytest.raises(ValueError, match="bytes"):
        other.restore(saved[:-1])


def test_a_seed_repeats_and_no_seed_goes_on() -> None:
    tables = Tables(GAME, 4, seed=2)
    first = tables.reset().observation.copy()
    assert (tables.reset().observation != first).any()
    assert (tables.reset(seed=2).observation == first).all()
    seeds = seed_words(2, 4)
    assert (Tables(GAME, 4, seeds).reset().observation == first).all()


@pytest.mark.parametrize(
    "settings",
    [{"num_tables": 0}, {"threads": 0}, {"dtype": "float64"}, {"seed": -1}],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Tables(**{"game": GAME, "num_tables": 3, **settings})


def test_stepping_before_reset_says_what_to_do() -> None:
    tables = Tables(GAME, 3, seed=0)
    with pytest.raises(RuntimeError, match="reset"):
        tables.step(np.zeros(3, int))


def test_tables_without_observations_step_alike() -> None:
    blind = Tables(GAME, 5, seed=4, dtype=np.int8, observations=False)
    assert blind.reset().observation.shape == (5, 0)
    for _ in range(130):
        blind.step(blind.sample_actions())
    assert blind.to_bytes() == stepped(5).to_bytes()
