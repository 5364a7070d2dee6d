"""Every game trains, for every number of players; run by `test_training`."""

from __future__ import annotations

import numpy as np
import pytest

from whist_agents.net import NetAgent
from whist_env import Tables, Views
from whist_env.games import GAMES, forms_of
from whist_train.ppo import PPO, PPOConfig
from whist_train.strength import training_game

FORMS = [(name, form.agents) for name in GAMES for form in forms_of(name)]


@pytest.mark.parametrize(("name", "players"), FORMS)
def test_every_game_trains_for_every_number_of_players(name: str, players: int) -> None:
    several = len(forms_of(name)) > 1
    game = training_game(name, players if several else None)
    config = PPOConfig(
        *(4, 20, (16,), (16,)), minibatch=64, value_scale=10.0, imitation=1
    )
    learner = PPO(game, config, seed=0)
    for figures in (learner.imitate(), learner.iterate(0.5)):
        assert all(np.isfinite(value) for value in figures.values())
        assert figures["decisions"] > 20
    agent = NetAgent(game, learner.policy)
    tables = Tables(game, 4, seed=1, dtype=np.int8)
    batch = tables.reset()
    for _ in range(8):
        bits = np.zeros(4, np.uint64)
        views = Views(game, batch.observation, batch.action_mask, bits)
        batch = tables.step(agent.act(views))
