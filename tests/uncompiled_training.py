"""Every game trains, for every number of players; run by `test_training`."""

from __future__ import annotations

import numpy as np
import pytest

from whist_agents.net import NetAgent
from whist_agents.search.loops import RANDOM
from whist_env import Tables, Views
from whist_env.games import GAMES, forms_of
from whist_train import lesson
from whist_train.ppo import PPO, PPOConfig
from whist_train.strength import training_game

FORMS = [(name, form.agents) for name in GAMES for form in forms_of(name)]


@pytest.mark.parametrize(("name", "players"), FORMS)
def test_every_game_trains_for_every_number_of_players(
    name: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, few in (("LABELS", 8), ("TABLES", 4), ("MINIBATCH", 4)):
        monkeypatch.setattr(lesson, constant, few)
    # To play on by rules of thumb takes long where nothing is compiled.
    monkeypatch.setattr(lesson, "HOYLE", RANDOM)
    several = len(forms_of(name)) > 1
    game = training_game(name, players if several else None)
    config = PPOConfig(*(4, 20, (16,), (16,)), minibatch=64, value_scale=10.0)
    learner = PPO(game, config, seed=0)
    lessons = learner.iterate(0.0)
    assert learner._lessons is not None and learner._lessons._newest is not None
    mattered = learner._lessons._newest.mattered
    assert mattered.sum() == 8 and lessons["decisions"] == len(mattered)
    for figures in (learner.iterate(0.72), learner.iterate(0.9)):
        assert all(
            np.isfinite(value) for value in (*figures.values(), *lessons.values())
        )
        assert figures["decisions"] > 20
    agent = NetAgent(learner.policy)
    tables = Tables(game, 4, seed=1, dtype=np.int8)
    batch = tables.reset()
    for _ in range(8):
        bits = np.zeros(4, np.uint64)
        views = Views(game, batch.observation, batch.action_mask, bits)
        batch = tables.step(agent.act(views))
