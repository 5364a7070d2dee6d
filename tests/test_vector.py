"""Many tables: the same results whatever their number, their threads and buffers."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from whist_tables import PRESETS, WITH_RUBBERS, whist_game

import whist_env
from whist_env import Batch, IllegalAction, Tables
from whist_env.cards import card_name

FIELDS = [field.name for field in dataclasses.fields(Batch)]


def copied(batch: Batch) -> dict[str, Any]:
    return {name: getattr(batch, name).copy() for name in FIELDS}


def played(tables: Tables, steps: int) -> Batch:
    batch = tables.reset()
    for _ in range(steps):
        batch = tables.step(tables.sample_actions())
    return batch


# Number of tables, threads, types -----------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 31, 64])
@pytest.mark.parametrize("threads", [1, 3])
def test_results_do_not_depend_on_the_number_of_tables_or_threads(
    size: int, threads: int
) -> None:
    game = whist_game(scoring="short5", episode="rubber", reward="tricks")
    reference = Tables(game, 64, seed=5)
    other = Tables(game, size, seed=5, threads=threads)
    expected, batch = reference.reset(), other.reset()
    for _ in range(120):
        for name in FIELDS:
            assert (getattr(batch, name) == getattr(expected, name)[:size]).all()
        assert other.records.tobytes() == reference.records[:size].tobytes()
        actions = reference.sample_actions()
        assert (other.sample_actions() == actions[:size]).all()
        expected, batch = reference.step(actions), other.step(actions[:size])
    assert (other.state() == reference.state()[:size]).all()
    assert other.finished.tobytes() == reference.finished[:size].tobytes()
    other.close()


def test_there_may_be_more_threads_than_tables() -> None:
    few, one = Tables(whist_game(), 2, seed=1, threads=7), Tables(whist_game(), 2, 1)
    played(few, 60)
    played(one, 60)
    assert few.records.tobytes() == one.records.tobytes()
    few.close()


def test_int8_and_float32_observations_hold_the_same_numbers() -> None:
    game = whist_game(scoring="robber", deals=2)
    wide = Tables(game, 20, seed=2)
    narrow = Tables(game, 20, seed=2, dtype=np.int8)
    first, second = wide.reset(), narrow.reset()
    for _ in range(110):
        assert first.observation.dtype == np.float32
        assert second.observation.dtype == np.int8
        assert (first.observation == second.observation).all()
        actions = wide.sample_actions()
        first, second = wide.step(actions), narrow.step(actions)
    assert narrow.state().dtype == np.int8
    assert (narrow.state() == wide.state()).all()


def test_observations_can_be_left_out() -> None:
    with_them = Tables(whist_game(), 20, seed=2)
    without = Tables(whist_game(), 20, seed=2, observations=False)
    first, second = played(with_them, 70), played(without, 70)
    assert second.observation.shape == (20, 0)
    for name in set(FIELDS) - {"observation"}:
        assert (getattr(first, name) == getattr(second, name)).all()


# Against native tables --------------------------------------------------------------


@pytest.mark.parametrize("scoring", PRESETS)
def test_tables_play_as_native_tables_do(scoring: str) -> None:
    episode = "rubber" if scoring in WITH_RUBBERS else "game"
    game = whist_game(scoring=scoring, episode=episode, target=2)
    tables = Tables(game, 8, seed=3)
    batch = tables.reset()
    natives = [game.new_table(seed) for seed in tables.records["seed"]]
    ended = 0
    for _ in range(400):
        for index, native in enumerate(natives):
            assert tables.table(index) == native
            assert batch.agent[index] == native.agent
            assert (batch.observation[index] == native.observe()).all()
            assert (batch.action_mask[index] == native.action_mask()).all()
        states = tables.state()
        actions = tables.sample_actions()
        for index, native in enumerate(natives):
            assert (states[index] == native.state(native.agent)).all()
            assert actions[index] in native.legal_actions()
        batch = tables.step(actions)
        for index, native in enumerate(natives):
            native.apply(actions[index])
            assert batch.rewards[index].tolist() == native.rewards()
            assert batch.done[index] == native.is_over
            if native.is_over:
                assert tables.finished[index].tobytes() == native.record.tobytes()
                native.reset()
                ended += 1
    assert ended > 8


def test_a_table_begins_its_next_episode_at_once() -> None:
    tables = Tables(whist_game(), 5, seed=1)
    batch = tables.reset()
    assert not tables.finished.view(np.uint8).any()
    first = tables.records["pack"].copy()
    for step in range(1, 157):
        batch = tables.step(tables.sample_actions())
        assert batch.done.all() == batch.done.any() == (step % 52 == 0)
        if step % 52 == 0:
            assert (tables.finished["over"] == 1).all()
            assert (tables.finished["agent"] == -1).all()
            assert (tables.finished["tricks"].sum(axis=1) == 13).all()
            earned = (
                tables.finished["points"][:, [0]] - tables.finished["points"][:, [1]]
            )
            assert (batch.rewards == earned * [1, -1, 1, -1]).all()
            assert (tables.finished["returns"] == batch.rewards).all()
            # What is shown already belongs to the next deal.
            assert (tables.records["cards_played"] == 0).all()
            assert (tables.records["pack"] != first).any(axis=1).all()
            assert (batch.action_mask.sum(axis=1) == 13).all()
    assert (tables.records["deal_number"] == 3).all()


def test_a_table_taken_out_shares_nothing() -> None:
    tables = Tables(whist_game(), 3, seed=1)
    tables.reset()
    before = tables.to_bytes()
    table = tables.table(1)
    table.apply(table.legal_actions()[0])
    assert tables.to_bytes() == before


# Illegal actions --------------------------------------------------------------------


def test_an_illegal_action_names_the_table_and_changes_nothing() -> None:
    tables = Tables(whist_game(), 10, seed=1)
    batch = played(tables, 30)
    legal = tables.sample_actions()
    before = tables.to_bytes(), tables.finished.tobytes(), copied(batch)
    for index in (0, 4, 9):
        for illegal in np.flatnonzero(batch.action_mask[index] == 0):
            actions = legal.copy()
            actions[index] = illegal
            with pytest.raises(IllegalAction) as refused:
                tables.step(actions)
            start = f"table {index}: player_{batch.agent[index]} may not choose "
            assert str(refused.value).startswith(start + card_name(illegal))
        for illegal in (-1, 52, 64, 128, 2**62, -(2**63)):
            actions = legal.copy()
            actions[index] = illegal
            with pytest.raises(IllegalAction, match=f"table {index}: .* is not an act"):
                tables.step(actions)
    after = tables.to_bytes(), tables.finished.tobytes(), copied(batch)
    assert after[:2] == before[:2]
    for name in FIELDS:
        assert (after[2][name] == before[2][name]).all()
    tables.step(legal)


def test_the_first_illegal_action_is_named() -> None:
    tables = Tables(whist_game(), 6, seed=1)
    tables.reset()
    actions = tables.sample_actions()
    actions[[2, 5]] = 99
    with pytest.raises(IllegalAction, match=r"^table 2: "):
        tables.step(actions)


def test_a_finished_table_among_the_records_takes_no_action() -> None:
    tables = Tables(whist_game(), 3, seed=1)
    tables.reset()
    actions = tables.sample_actions()
    forfeited = tables.table(1)
    forfeited.forfeit()
    tables.records[1] = forfeited.record
    with pytest.raises(IllegalAction, match="table 1: the episode is over"):
        tables.step(actions)


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(3, np.int64),
        np.zeros((4, 1), np.int64),
        np.zeros(4, np.float64),
        np.zeros(4, np.bool_),
        ["SA"] * 4,
        5,
        [0, 1, 2, 2**70],
    ],
)
def test_what_are_not_actions_is_refused(actions: Any) -> None:
    tables = Tables(whist_game(), 4, seed=1)
    tables.reset()
    before = tables.to_bytes()
    with pytest.raises(
        ValueError, match=r"actions must be whole numbers of shape \(4,"
    ):
        tables.step(actions)
    assert tables.to_bytes() == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, list])
def test_any_whole_numbers_are_actions(kind: Any) -> None:
    tables, other = Tables(whist_game(), 4, seed=1), Tables(whist_game(), 4, seed=1)
    tables.reset()
    actions = other.reset() and other.sample_actions()
    given = actions.tolist() if kind is list else actions.astype(kind)
    tables.step(given)
    tables.step(np.repeat(tables.sample_actions(), 2)[::2])
    other.step(actions)
    other.step(other.sample_actions())
    assert tables.to_bytes() == other.to_bytes()


# Buffers ----------------------------------------------------------------------------


def test_batches_of_ones_own_are_kept() -> None:
    tables, reference = Tables(whist_game(), 6, seed=1), Tables(whist_game(), 6, seed=1)
    mine = [tables.new_batch() for _ in range(4)]
    shown = tables.reset(out=mine[0])
    assert shown is mine[0]
    seen = [copied(reference.reset())]
    for batch in mine[1:]:
        actions = tables.sample_actions()
        assert tables.step(actions, out=batch) is batch
        seen.append(copied(reference.step(actions)))
    for batch, expected in zip(mine, seen, strict=True):
        for name in FIELDS:
            assert (getattr(batch, name) == expected[name]).all()


def test_the_default_batch_is_used_again_at_every_step() -> None:
    tables = Tables(whist_game(), 6, seed=1)
    first = tables.reset()
    assert tables.step(tables.sample_actions()) is first
    assert tables.look() is first


def test_a_look_shows_the_tables_and_no_rewards() -> None:
    tables = Tables(whist_game(reward="tricks"), 6, seed=1)
    shown = copied(played(tables, 52))
    assert shown["rewards"].any()
    assert shown["done"].all()
    looked = tables.look()
    assert not looked.rewards.any()
    assert not looked.done.any()
    for name in ("observation", "action_mask", "agent"):
        assert (getattr(looked, name) == shown[name]).all()


@pytest.mark.parametrize("name", FIELDS)
def test_a_buffer_that_does_not_fit_is_refused_by_name(name: str) -> None:
    tables = Tables(whist_game(), 4, seed=1)
    tables.reset()
    before = tables.to_bytes()
    good = tables.new_batch()
    right = getattr(good, name)
    locked = right.copy()
    locked.flags.writeable = False
    for wrong in (right[:-1], right[..., None], right.astype(np.int16), locked):
        batch = dataclasses.replace(good, **{name: wrong})
        with pytest.raises(
            ValueError, match=rf"out\.{name} must be writable {right.dtype}"
        ):
            tables.step(tables.sample_actions(), out=batch)
        assert tables.to_bytes() == before


def test_buffers_for_actions_and_states_are_checked() -> None:
    tables = Tables(whist_game(), 4, seed=1)
    tables.reset()
    out = np.empty(4, np.int64)
    assert tables.sample_actions(out) is out
    size = tables.game.state_features.size
    state = np.empty((4, size), np.float32)
    assert tables.state(state) is state
    for wrong in (np.empty(3, np.int64), np.empty(4, np.int32)):
        with pytest.raises(
            ValueError, match=r"out must be an int64 array of shape \(4,"
        ):
            tables.sample_actions(wrong)  # type: ignore[arg-type]
    for wrong_state in (state[:3], state.astype(np.int8)):
        with pytest.raises(
            ValueError, match=r"out must be a float32 array of shape \(4"
        ):
            tables.state(wrong_state)
    with pytest.raises(TypeError, match="out=5 must be an array"):
        tables.state(5)  # type: ignore[arg-type]


# Seeds and saving -------------------------------------------------------------------


def test_reset_repeats_by_seed_and_otherwise_goes_on() -> None:
    tables = Tables(whist_game(), 8, seed=4)
    tables.reset()
    first = tables.to_bytes()
    tables.reset()
    second = tables.to_bytes()
    assert second != first
    for _ in range(20):
        tables.step(tables.sample_actions())
    tables.reset(seed=4)
    assert tables.to_bytes() == first
    tables.reset()
    assert tables.to_bytes() == second
    tables.reset(seed=0)
    assert tables.to_bytes() != first
    unseeded = [Tables(whist_game(), 2) for _ in range(2)]
    assert (unseeded[0].records["seed"] != unseeded[1].records["seed"]).all()


def test_each_table_may_have_a_seed_of_its_own() -> None:
    seeds = np.array([7, 7, 9], np.uint64)
    tables = Tables(whist_game(), 3, seed=seeds)
    tables.reset()
    assert tables.table(0) == tables.table(1) == whist_game().new_table(7)
    assert tables.table(2) == whist_game().new_table(9)
    tables.reset(seed=seeds[::-1].copy())
    assert tables.table(0) == whist_game().new_table(9)
    for wrong in (seeds[:2], seeds.astype(np.int64), seeds[:, None]):
        with pytest.raises(ValueError, match=r"seeds must be uint64 of shape \(3,\)"):
            tables.reset(seed=wrong)


def test_restored_tables_resume_exactly() -> None:
    game = whist_game(scoring="robber", episode="rubber")
    tables, other = Tables(game, 9, seed=1), Tables(game, 9, seed=99, threads=2)
    played(tables, 333)
    saved = tables.to_bytes()
    other.restore(saved)
    assert other.to_bytes() == saved
    first, second = tables.look(), other.look()
    for _ in range(200):
        for name in FIELDS:
            assert (getattr(first, name) == getattr(second, name)).all()
        actions = tables.sample_actions()
        assert (other.sample_actions() == actions).all()
        first, second = tables.step(actions), other.step(actions)
    tables.restore(saved)
    assert tables.to_bytes() == saved != other.to_bytes()
    other.close()


def test_what_are_not_these_tables_is_not_restored() -> None:
    tables = Tables(whist_game(), 4, seed=1)
    tables.reset()
    before = tables.to_bytes()
    damaged = bytearray(before)
    damaged[100] ^= 4
    five = Tables(whist_game(), 5, seed=1)
    five.reset()
    for wrong in (b"", before[:-1], bytes(damaged), five.to_bytes()):
        with pytest.raises(
            ValueError, match="the bytes are not 4 saved tables of whist"
        ):
            tables.restore(wrong)
    other = Tables(whist_game(scoring="to25"), 4, seed=1)
    other.reset()
    with pytest.raises(ValueError, match="have other options than these"):
        tables.restore(other.to_bytes())
    assert tables.to_bytes() == before


# Arguments --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"num_tables": 0}, "num_tables=0 must be a whole number from 1"),
        ({"num_tables": 2.5}, "num_tables=2.5 must be a whole number from 1"),
        ({"num_tables": 2, "threads": 0}, "threads=0 must be a whole number from 1"),
        ({"num_tables": 2, "dtype": np.float64}, "must be 'float32' or 'int8'"),
        ({"num_tables": 2, "dtype": bool}, "must be 'float32' or 'int8'"),
        ({"num_tables": 2, "dtype": "int9"}, "must be 'float32' or 'int8'"),
        ({"num_tables": 2, "scoring": "x"}, "scoring='x' is not a value"),
        ({"num_tables": 2, "seed": -1}, "seed=-1 must not be negative"),
    ],
)
def test_what_cannot_be_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.vector("whist", **how)


def test_nothing_can_be_done_before_the_first_deal() -> None:
    tables = Tables(whist_game(), 2, seed=1)
    for action in (
        lambda: tables.step([0, 0]),
        tables.sample_actions,
        tables.state,
        tables.look,
    ):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            action()


def test_vector_takes_options_of_the_game_and_settings_of_its_own() -> None:
    tables = whist_env.vector(
        "whist", 3, seed=1, dtype=np.int8, threads=2, scoring="robber", deals=2
    )
    assert tables.game == whist_game(scoring="robber", deals=2)
    assert tables.reset().observation.dtype == np.int8
    tables.close()


def test_sampled_actions_are_uniform_over_the_legal_ones() -> None:
    tables = Tables(whist_game(), 13000, seed=6, observations=False)
    batch = tables.reset()
    places = (batch.action_mask.cumsum(axis=1) - 1)[
        np.arange(13000), tables.sample_actions()
    ]
    counts = np.bincount(places, minlength=13)
    assert ((counts - 1000) ** 2 / 1000).sum() < 32.9  # one in a thousand
    assert (tables.sample_actions() == tables.sample_actions()).all()


@pytest.mark.parametrize("index", [-1, 3, 2**40, 1.0, True])
def test_a_table_that_is_not_there_is_refused(index: Any) -> None:
    tables = Tables(whist_env.game("whist"), 3, seed=0)
    tables.reset()
    with pytest.raises(IndexError, match="the tables are 0 to 2"):
        tables.table(index)
