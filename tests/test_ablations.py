"""Variants of the method lack what their names say, and nothing else."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import ablations
import numpy as np
import pytest
import torch
from ablations import VARIANTS, BlindCritic, Job, PerSeat

import whist_env
from whist_agents.sight import BY_PLACE, HANDS, Sight, sight
from whist_train import lesson
from whist_train.ppo import PPO, PPOConfig, Rollout

GAME = whist_env.game("whist", reward="tricks")
SMALL = PPOConfig(
    tables=16,
    hidden=(16,),
    critic_hidden=(16,),
    minibatch=256,
    value_scale=4.0,
    lessons=0.0,
    critic_alone=0.0,
    advice=False,
)


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_a_blind_critic_judges_alike_whatever_is_hidden() -> None:
    for learner, same in ((BlindCritic, True), (PPO, False)):
        made = learner(GAME, SMALL, seed=1)
        played = made.play()
        made.learn(played, *made.judge(played), progress=0.0)
        states = played.states[3]
        hidden = states.copy()
        hidden[:, made.policy.sight.features.size :] = 0
        assert np.any(hidden != states)
        with torch.inference_mode():
            seen = made.critic(torch.from_numpy(states))
            blind = made.critic(torch.from_numpy(hidden))
        assert torch.equal(seen, blind) == same


def test_advantages_per_seat_are_those_of_each_player_by_itself() -> None:
    chance = np.random.default_rng(5)
    plies, tables = 40, 6
    learner = PerSeat(GAME, SMALL, seed=1)
    played = Rollout(
        states=np.zeros((plies, tables, 1), np.int8),
        masks=np.zeros((plies, tables, 1), np.int8),
        actions=np.zeros((plies, tables), np.int64),
        log_probabilities=np.zeros((plies, tables), np.float32),
        agents=chance.integers(0, 4, (plies, tables)),
        rewards=chance.normal(size=(plies, tables, 1)).astype(np.float32),
        ends=(chance.random((plies, tables)) < 0.1).astype(np.float32),
        own=np.ones((plies, tables), np.bool_),
    )
    values = chance.normal(size=(plies, tables, 1))
    values_now = chance.normal(size=(tables, 1))
    found = learner._advantages(played, values, values_now, 0.8)
    expected = np.zeros_like(values)
    for table in range(tables):
        for ply in reversed(range(plies)):
            earned, ahead, after = 0.0, 0.0, values_now[table, 0]
            for later in range(ply, plies):
                same = played.agents[later, table] == played.agents[ply, table]
                if later > ply and same:
                    after, ahead = values[later, table, 0], expected[later, table, 0]
                    break
                earned += played.rewards[later, table, 0] / SMALL.value_scale
                if played.ends[later, table]:
                    after = 0.0
                    break
            surprise = earned + after - values[ply, table, 0]
            expected[ply, table, 0] = surprise + 0.8 * ahead
    np.testing.assert_allclose(found, expected, atol=1e-5)


def _positions() -> Any:
    tables = whist_env.Tables(GAME, 64, 3, dtype=np.int8)
    batch = tables.reset()
    chance = np.random.default_rng(2)
    for _ in range(30):
        batch = tables.step(
            np.array([chance.choice(np.flatnonzero(row)) for row in batch.action_mask])
        )
    return batch.observation, tables.state(), batch.action_mask


def test_without_canonical_suits_a_network_sees_the_suits_as_they_are() -> None:
    observation, _, mask = _positions()
    seen = ablations.SuitsAsTheyAre(GAME, advised=False)
    orders = seen.orders(observation)
    shown = seen.observation(observation, mask, orders)
    assert np.array_equal(shown[:, : GAME.features.size], observation)
    assert np.array_equal(seen.mask(mask, orders), mask)
    usual = sight(GAME, advised=False)
    moved = usual.observation(observation, mask, usual.orders(observation))
    assert not np.array_equal(moved, shown)


def test_without_the_view_by_place_nothing_else_is_missing() -> None:
    observation, state, mask = _positions()
    whole, less = Sight(GAME, True), ablations.CardsByNameAlone(GAME, True)
    orders = whole.orders(observation)
    for given, features, names in (
        ("observation", whole.features, BY_PLACE),
        ("state", whole.state_features, (*BY_PLACE, HANDS)),
    ):
        position = observation if given == "observation" else state
        expected = getattr(whole, given)(position, mask, orders)
        shown = getattr(less, given)(position, mask, orders)
        for name in names:
            assert (
                expected[:, features[name]].any() and not shown[:, features[name]].any()
            )
            expected[:, features[name]] = 0
        assert np.array_equal(shown, expected)


def test_without_the_view_by_place_it_is_missing_from_revised_lessons_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observation, _, mask = _positions()
    seen = ablations.CardsByNameAlone(GAME, True)
    rows = seen.observation(observation, mask, seen.orders(observation))
    monkeypatch.setattr(lesson, "LABELS", len(rows))
    shelf = lesson._Shelf(seen, 1)
    nothing: Any = np.zeros((len(rows), GAME.num_actions), np.int8)
    labels: Any = SimpleNamespace(rows=rows, tried=nothing, values=nothing)
    shelf.put(0, labels)
    again, _, _ = shelf.labels(torch.arange(len(rows)))
    assert np.array_equal(again.numpy(), rows)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_trains(name: str) -> None:
    variant = VARIANTS[name]
    config = dataclasses.replace(SMALL, **{**variant.settings, "lessons": 0.0})
    learner = variant.learner(GAME, config, seed=1)
    assert learner.iterate(0.5)["deals"] > 0


def test_a_run_is_judged_before_it_and_after_it_and_keeps_to_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ablations, "PAIRS", 60)
    monkeypatch.setattr(ablations, "PAIRS_ON_THE_WAY", 40)
    curve, iterations, stopped_by = ablations.curve_of(PPO(GAME, SMALL, seed=1), 0.1)
    assert iterations > 0 and not stopped_by
    assert curve[0]["minutes"] == 0 and curve[0]["deals"] == 0
    assert curve[-1]["minutes"] >= 0.1 / 60 and curve[-1]["deals"] > 0


def test_the_table_has_the_mean_over_seeds_and_their_spread() -> None:
    runs = {
        Job("no lessons", seed, 2.0): {"strength": strength, "deals": 1000}
        for seed, strength in enumerate((0.5, -0.1, 0.2))
    }
    runs[Job("no lessons", 0, 9.0)] = {"strength": 7.0, "deals": 5}
    rows = ablations.table(runs, 2.0).splitlines()
    assert len(rows) == 3
    assert rows[2].split() == [
        "no",
        "lessons",
        "3",
        "1,000",
        "+0.200",
        "-0.100",
        "+0.500",
    ]
