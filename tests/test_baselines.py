"""The networks that come with the package play at least as well as their cards say."""

from __future__ import annotations

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.net import HOUSE, load_policy
from whist_env import Views, game
from whist_train.evaluate import evaluate
from whist_train.strength import measure_of

LARGEST = 2 * 2**20

# What each makes against the rule-of-thumb player at the very least, a deal, and over
# how many deals: about half of what docs/models.md says, several standard errors below.
LEAST = {
    "bridge_whist_4": (0.3, 10_000),
    "cayenne_4": (0.2, 10_000),
    "chinese_whist_4": (0.09, 2000),
    "dummy_whist_3": (0.03, 2000),
    "german_whist_2": (0.5, 1000),
    "omnibus_hearts_4": (0.6, 1000),
    "polignac_4": (0.03, 1000),
    "slobberhannes_4": (0.03, 1000),
    "solo_whist_4": (0.03, 20_000),
    "whist_4": (0.1, 1000),
}


def test_every_network_of_the_package_has_a_threshold() -> None:
    assert {path.stem for path in HOUSE.glob("*.safetensors")} == set(LEAST)


@pytest.mark.parametrize(("name", "threshold"), LEAST.items())
def test_it_beats_the_rule_of_thumb_player(
    name: str, threshold: tuple[float, int]
) -> None:
    least, deals = threshold
    title = name.rpartition("_")[0]
    played = evaluate("net", "hoyle", game=title, deals=deals, seed=20)
    margin = played.estimates[measure_of(title)]
    assert margin.mean > least, margin
    assert margin.p_value < 0.01


@pytest.mark.parametrize("name", LEAST)
def test_it_is_small_and_says_how_it_was_made(name: str) -> None:
    path = HOUSE / f"{name}.safetensors"
    assert path.stat().st_size <= LARGEST
    header, network = load_policy(path)
    rules = network.sight.game.rules
    assert f"{rules.name}_{rules.agents}" == name
    assert header.notes["command"].startswith(f"whist train {rules.name}")
    assert header.notes["deals"] > 0


def test_a_game_without_a_network_says_how_to_train_one() -> None:
    made_for = game("polignac", players=6)
    views = Views(
        made_for,
        np.zeros((1, made_for.features.size), np.int8),
        np.ones((1, made_for.num_actions), np.int8),
        np.zeros(1, np.uint64),
    )
    with pytest.raises(ValueError, match="no network for polignac with 6 agents"):
        whist_agents.load("net").act(views)


def test_the_games_are_those_of_the_family() -> None:
    assert {name.rpartition("_")[0] for name in LEAST} <= set(whist_env.games())
