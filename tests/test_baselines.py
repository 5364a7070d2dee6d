"""The networks that come with the package play at least as well as their cards say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch

import whist_agents
import whist_env
from whist_agents.net import HOUSE, are_calls, load_policy, masked
from whist_env import Tables, Views, game
from whist_train.evaluate import evaluate
from whist_train.strength import measure_of

LARGEST = 2 * 2**20

# What each makes against the rule-of-thumb player at the very least, a deal, and over
# how many deals: about half of what docs/models.md says, several standard errors below.
LEAST = {
    "boston_4": (0.3, 10_000),
    "boston_de_fontainebleau_4": (0.4, 20_000),
    "bridge_whist_4": (0.3, 10_000),
    "cayenne_4": (0.2, 10_000),
    "chinese_whist_4": (0.09, 2000),
    "dummy_whist_3": (0.03, 2000),
    "french_boston_4": (0.2, 20_000),
    "german_whist_2": (0.5, 1000),
    "omnibus_hearts_4": (0.6, 1000),
    "polignac_4": (0.03, 1000),
    "russian_boston_4": (0.15, 60_000),
    "slobberhannes_4": (0.03, 1000),
    "solo_whist_4": (0.03, 20_000),
    "whist_4": (0.15, 1000),
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
    assert f" train {rules.name} " in header.notes["command"] + " "
    assert header.notes["deals"] > 0


@pytest.mark.parametrize("name", LEAST)
def test_it_explores_when_it_draws_its_actions_but_not_at_random(name: str) -> None:
    _, network = load_policy(HOUSE / f"{name}.safetensors")
    made_for = network.sight.game
    tables = Tables(made_for, 256, 3, dtype=np.int8)
    batch = tables.reset()
    found: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(60):
        orders = network.sight.orders(batch.observation)
        rows = network.sight.observation(batch.observation, batch.action_mask, orders)
        masks = network.sight.mask(batch.action_mask, orders)
        with torch.inference_mode():
            logits = masked(network(torch.from_numpy(rows)), torch.from_numpy(masks))
        spread = logits.log_softmax(1)
        entropy = -(spread.exp() * spread).sum(1).numpy()
        free = masks.sum(1) > 1
        for kind in (False, True):
            those = free & (are_calls(masks) == kind)
            found[kind].extend(entropy[those] / np.log(masks[those].sum(1)))
        views = Views(made_for, batch.observation, batch.action_mask, no_chance(256))
        batch = tables.step(whist_agents.load("hoyle").act(views))
    for entropies in found.values():
        if entropies:
            assert 0.005 < np.mean(entropies) < 0.5


def no_chance(size: int) -> npt.NDArray[np.uint64]:
    return np.zeros(size, np.uint64)


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
