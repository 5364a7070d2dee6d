"""A lower bound on what an agent can be exploited for, from a trained attack."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import whist_agents.net
import whist_env
from whist_agents.net import PolicyNetwork, house_file, load_net, save_policy
from whist_agents.sight import sight
from whist_env import RandomPlayer
from whist_train import lesson
from whist_train.best_response import (
    Bound,
    ExploitConfig,
    _learner,
    against,
    exploit,
)
from whist_train.command_line import SUCCESS, main
from whist_train.evaluate import play_pairs
from whist_train.ppo import PPOConfig
from whist_train.run import Progress
from whist_train.start import networks_to_start_from, path_of_start
from whist_train.statistics import Estimate
from whist_train.strength import training_game

GAME = training_game("whist", None)
SMALL = PPOConfig(
    tables=32,
    hidden=(16,),
    critic_hidden=(16,),
    minibatch=256,
    value_scale=4.0,
    lessons=0.0,
    critic_alone=0.0,
)


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """The same arithmetic in every process, and no contest between test workers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def attack(target: str, out: Path, **more: Any) -> ExploitConfig:
    settings = {"deals": 1, "pairs": 20, "precision": "float32", "ppo": SMALL} | more
    return ExploitConfig(target, out=out, device="cpu", **settings)


def a_network(path: Path, game: whist_env.Game = GAME) -> str:
    """The spec of a network that plays by no rule at all."""
    torch.manual_seed(1)
    network = PolicyNetwork(sight(game, advised=False), (24, 12))
    save_policy(path, network, {})
    return f"net:{path}"


def test_the_learner_has_all_seats_of_one_side_and_the_target_all_others() -> None:
    seats = against(GAME, RandomPlayer(), 4, 0).held_by
    assert seats.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]] * 2


def test_where_there_are_no_partners_one_learner_sits_among_targets() -> None:
    game = whist_env.game("polignac", players=5)
    seats = against(game, RandomPlayer(), 10, 0).held_by
    assert (seats == np.tile(1 - np.eye(5, dtype=int), (2, 1))).all()


def test_an_attack_on_random_play_gains_and_says_that_it_is_a_lower_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "attack"
    words = [
        *("exploit", "random", "--out", str(out), "--deals", "3000", "--pairs", "200"),
        *("--device", "cpu", "--precision", "float32", "--ppo.tables", "128"),
        *("--ppo.minibatch", "256", "--ppo.learning-rate", "0.004"),
        *("--ppo.hidden", "48", "--ppo.critic-hidden", "48"),
        *("--ppo.lessons", "0", "--ppo.critic-alone", "0"),
    ]
    assert main(words) == SUCCESS
    printed = " ".join(capsys.readouterr().out.split())
    assert "whist: random can be exploited for at least +" in printed
    assert "95% interval" in printed and "lower bound" in printed
    assert "seed 0" in printed and f"net:{out}/model.safetensors" in printed

    result = json.loads((out / "result.json").read_text())
    gain = result["gain"]
    assert gain["low"] > 0.2 and result["measure"] == "tricks"
    assert f"{gain['mean']:+.3f} tricks a deal" in printed
    assert 3000 <= result["trained"]["deals"] < 3000 + 128
    assert result["config"]["seed"] == 0 and result["config"]["target"] == "random"
    rows = [json.loads(row) for row in (out / "metrics.jsonl").read_text().splitlines()]
    assert [row["iterations"] for row in rows] == list(range(1, 25))
    assert rows[-1]["deals"] == result["trained"]["deals"]

    # The figure is that of the policy in the folder, at duplicate on the same boards.
    again = play_pairs(load_net(out), "random", GAME, 200, seed=0)
    assert again.estimates()["tricks"].mean == pytest.approx(gain["mean"])


def test_the_same_seed_and_deals_give_the_same_bound(tmp_path: Path) -> None:
    bounds = [
        exploit(attack("random", tmp_path / name, deals=100)) for name in ("a", "b")
    ]
    assert bounds[0].gain == bounds[1].gain
    weights = [load_net(tmp_path / name).network.layers[0].weight for name in "ab"]
    assert torch.equal(*weights)  # type: ignore[arg-type]


def test_an_attack_begins_from_the_weights_of_the_target(tmp_path: Path) -> None:
    target = a_network(tmp_path / "target.safetensors")
    warming = dataclasses.replace(SMALL, critic_alone=0.1)
    bound = exploit(attack(target, tmp_path / "attack", start=target, ppo=warming))
    # One iteration, in which the critic alone has learnt: the target meets itself.
    assert bound.trained.iterations == 1 and bound.config.ppo.hidden == (24, 12)
    assert bound.gain.mean == bound.gain.standard_error == 0.0
    assert not bound.found and "no exploit of net:" in bound.in_words()
    assert "no proof" in bound.in_words()


def test_a_network_to_begin_from_is_named_by_its_path_or_its_spec(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    file = a_network(run / "model.safetensors")
    for start in (str(run), f"net:{run}"):
        config = attack("random", tmp_path / "attack", start=start).settled()
        assert config.start == file and config.ppo.hidden == (24, 12)
        found = networks_to_start_from(path_of_start(start, GAME), GAME)
        begun = load_net(run).network.layers[0].weight
        assert torch.equal(found["policy"]["layers.0.weight"], begun)  # type: ignore[arg-type]


def test_the_network_of_the_package_can_be_begun_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = house_file(GAME.rules)
    config = attack("net", tmp_path, start="net").settled()
    assert config.start == f"net:{house}"
    assert path_of_start("net", GAME) == house
    monkeypatch.setattr(whist_agents.net, "HOUSE", tmp_path)
    with pytest.raises(ValueError, match="no network for whist with 4 agents comes"):
        path_of_start("net", GAME)


def test_training_begins_from_what_training_has_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "train polignac --deals 8 --ppo.tables 8 --ppo.hidden 8 --ppo.critic-hidden"
    words += " 8 --ppo.lessons 0 --ppo.critic-alone 0 --device cpu --precision float32"
    first = f"{words} --out {tmp_path / 'first'}"
    assert main(first.split()) == SUCCESS
    printed = capsys.readouterr().out.strip()
    second = f"{words} --out {tmp_path / 'second'} --start {printed}"
    assert main(second.split()) == SUCCESS


def test_the_critic_is_warm_before_the_policy_moves(tmp_path: Path) -> None:
    start = a_network(tmp_path / "start.safetensors")
    warming = dataclasses.replace(SMALL, critic_alone=0.1)
    config = attack("hoyle", tmp_path, start=start, ppo=warming).settled()
    learner = _learner(config, GAME)
    begun = load_net(tmp_path / "start.safetensors").network.layers[0].weight
    policy, critic = learner.policy.layers[0].weight, learner.critic.layers[0].weight
    before = critic.clone()  # type: ignore[operator]
    for part in (0.0, 0.09):
        learner.iterate(part)
    assert torch.equal(policy, begun)  # type: ignore[arg-type]
    assert not torch.equal(critic, before)  # type: ignore[arg-type]
    learner.iterate(0.1)
    assert not torch.equal(policy, begun)  # type: ignore[arg-type]


def test_an_attack_begins_with_lessons_unless_a_network_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, small in (("LABELS", 128), ("TABLES", 16), ("MINIBATCH", 64)):
        monkeypatch.setattr(lesson, name, small)
    taught = dataclasses.replace(SMALL, lessons=0.4, critic_alone=0.1, plies=8)
    config = attack("random", tmp_path, game="polignac", ppo=taught).settled()
    game = training_game("polignac", None)
    learner = _learner(config, game)
    assert "lesson_loss" in learner.iterate(0.39)
    assert "policy_loss" not in learner.iterate(0.49)
    assert "policy_loss" in learner.iterate(0.5)
    start = a_network(tmp_path / "start.safetensors", game)
    ppo = dataclasses.replace(config, start=start).settled().ppo
    # The network that is given sees no advice.
    assert (ppo.lessons, ppo.critic_alone, ppo.advice) == (0.0, 0.1, False)


def test_a_bound_says_whether_the_gain_is_beyond_chance(tmp_path: Path) -> None:
    gain = Estimate(0.3, 0.1, 0.1, 0.5, 0.01)
    config = attack("hoyle", tmp_path, seed=7, minutes=None)
    bound = Bound(gain, "tricks", Progress(5, 160, 90.0), config, "net:x", {})
    assert bound.found
    assert bound.in_words() == (
        "whist: hoyle can be exploited for at least +0.300 tricks a deal (95% interval "
        "+0.100 to +0.500).\n"
        "It is a lower bound: a longer or better attack may gain more.\n"
        "The attack: PPO from random weights against the frozen target, 1.5 minutes, "
        "160 deals, seed 7; measured on 20 boards at duplicate.\n"
        "The policy: net:x"
    )
    even = dataclasses.replace(bound, gain=Estimate(0.1, 0.1, -0.1, 0.3, 0.3))
    assert not even.found and "no exploit of hoyle was found" in even.in_words()


def test_a_folder_with_a_run_is_left_alone(tmp_path: Path) -> None:
    for name in ("latest", "result.json"):
        out = tmp_path / name.partition(".")[0]
        out.mkdir()
        (out / name).write_text("")
        with pytest.raises(FileExistsError, match="holds a run already"):
            exploit(attack("random", out))
        assert [path.name for path in out.iterdir()] == [name]
    with pytest.raises(ValueError, match="is a file"):
        exploit(attack("random", tmp_path / "latest" / "latest"))


def test_what_cannot_be_begun_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="start='hoyle' is no network"):
        exploit(attack("random", tmp_path / "attack", start="hoyle"))
    other = a_network(tmp_path / "other.safetensors", training_game("polignac", None))
    with pytest.raises(ValueError, match="plays polignac with 4 agents, not whist"):
        exploit(attack("random", tmp_path / "attack", start=other))
    assert not (tmp_path / "attack").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"minutes": 1.0}, "not both"),
        ({"deals": None, "minutes": 0.0}, "minutes=0.0 must be more than 0"),
        ({"deals": 0}, "deals=0 must be at least 1"),
        ({"pairs": 1}, "pairs=1 must be at least 2"),
        ({"ppo": PPOConfig(league=0.5)}, "league=0.5 has no meaning in an attack"),
    ],
)
def test_an_attack_that_cannot_be_is_refused(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        attack("random", tmp_path, **settings)


def test_ten_minutes_are_trained_if_no_budget_is_given() -> None:
    settled = ExploitConfig("random", precision="float32", ppo=SMALL).settled()
    assert settled.minutes == 10.0 and settled.deals is None
    assert settled.part(Progress(0, 0, 300.0)) == 0.5
