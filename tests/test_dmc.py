"""Deep Monte Carlo, and choosing between algorithms."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import whist_agents
import whist_env
from whist_agents.net import NetAgent, load_net, load_policy
from whist_agents.sight import ADVICE, HIGHER, sight
from whist_env import Batch, Game, Tables, Views
from whist_train.command_line import MISUSE, STOPPED, SUCCESS, main
from whist_train.dmc import DMC, Decisions, DMCConfig
from whist_train.ppo import PPOConfig
from whist_train.recipe import NAMES, read_recipe
from whist_train.run import Progress, TrainConfig, Watcher, train

GAME = whist_env.game("whist", reward="tricks")
SMALL = DMCConfig(tables=32, hidden=(32,), minibatch=256, value_scale=4.0)
QUICK = ("--algorithm", "dmc", "--dmc.tables", "16", "--dmc.hidden", "16")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """The same arithmetic in every process, and no contest between test workers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


# Play -------------------------------------------------------------------------------


@dataclasses.dataclass
class Ply:
    """What was seen at all tables before and after an action."""

    agents: Any
    masks: Any
    rewards: Any
    done: Any


def watched(learner: DMC, **how: Any) -> tuple[Decisions, list[Ply]]:
    """What a learner plays, and what goes on at its tables meanwhile."""
    plies: list[Ply] = []
    step = learner.tables.step

    def watch(actions: Any) -> Batch:
        before = learner.tables.look(learner.tables.new_batch())
        batch = step(actions)
        seen = before.agent, before.action_mask, batch.rewards.copy(), batch.done.copy()
        plies.append(Ply(*seen))
        return batch

    learner.tables.step = watch  # type: ignore[method-assign,assignment]
    return learner.play(**how), plies


@pytest.mark.parametrize("name", ["whist", "polignac"])
def test_returns_are_what_the_player_earns_from_there_to_the_end_of_the_deal(
    name: str,
) -> None:
    game = whist_env.game(name)
    if name == "whist":
        game = GAME
    played, plies = watched(DMC(game, SMALL, seed=2), epsilon=0.1)
    done = np.array([ply.done for ply in plies])
    assert done.any(0).all()
    ends = done.argmax(0)
    assert ends.max() == len(plies) - 1
    expected = []
    for number, ply in enumerate(plies):
        for table in range(SMALL.tables):
            if number <= ends[table] and ply.masks[table].sum() > 1:
                agent = ply.agents[table]
                rewards = [p.rewards[table, agent] for p in plies[: ends[table] + 1]]
                expected.append(sum(rewards[number:]))
    assert played.returns.tolist() == pytest.approx(expected, abs=1e-4)
    assert len({*expected}) >= 5


def test_decisions_with_one_legal_action_are_left_out() -> None:
    learner = DMC(GAME, SMALL, seed=6)
    figures = learner.iterate(0.0)
    assert 20 * SMALL.tables < figures["decisions"] < 48 * SMALL.tables
    assert figures["deals"] == SMALL.tables
    assert (learner.play(0.0).masks.sum(1) > 1).all()


def test_the_policy_sees_what_its_seat_sees_with_canonical_suits() -> None:
    played = DMC(GAME, SMALL, seed=1).play(0.0)
    assert played.observations.shape[1] == sight(GAME, True).features.size
    trump = GAME.features.part(played.observations, "trump")
    assert (trump == [1, 0, 0, 0]).all()
    hand = GAME.features.part(played.observations, "hand")
    legal = played.masks.astype(bool)
    assert (hand.reshape(len(legal), -1)[legal] == 1).all()
    assert legal[np.arange(len(legal)), played.actions].all()


def test_now_and_then_any_legal_action_is_taken_and_otherwise_the_best() -> None:
    learner = DMC(GAME, SMALL, seed=3)
    played = learner.play(0.0)
    mask = played.masks[0]
    legal = np.flatnonzero(mask)
    assert len(legal) > 5
    seen = played.observations[:1].repeat(20000, 0), mask[None].repeat(20000, 0)
    outputs = learner._outputs(torch.from_numpy(seen[0][:1]))[0].detach().numpy()
    best = legal[outputs[legal].argmax()]
    assert (learner._choose(*seen, 0.0) == best).all()
    for epsilon in (0.3, 1.0):
        chosen = learner._choose(*seen, epsilon)
        for action in legal:
            expected = epsilon / len(legal) + (1 - epsilon) * (action == best)
            assert (chosen == action).mean() == pytest.approx(expected, abs=0.015)
        assert np.isin(chosen, legal).all()


# Learning ---------------------------------------------------------------------------


def test_only_the_output_of_the_action_that_was_taken_is_moved() -> None:
    learner = DMC(GAME, dataclasses.replace(SMALL, gradient_norm=1e9), seed=4)
    played = learner.play(0.0)
    rows = slice(0, 8)
    observations = torch.from_numpy(played.observations[rows])
    actions = torch.from_numpy(played.actions[rows])
    returns = torch.arange(8.0)
    outputs = learner._outputs(observations).detach()
    taken = outputs.gather(1, actions[:, None])[:, 0]
    figures = learner._gradient_step(observations, actions, returns)
    moves = 2 * (taken - returns) / 8
    # The output of a card by its name, and that by its place in the suit.
    seen = learner.policy.sight.features
    higher = seen.part(played.observations[rows], HIGHER)
    places = [
        52 + 13 * (card // 13) + higher[n, card] for n, card in enumerate(actions)
    ]
    expected = torch.zeros(GAME.num_actions + 52)
    expected.index_add_(0, actions, moves)
    expected.index_add_(0, torch.tensor(places), moves)
    gradient = learner.policy.layers[-1].bias.grad
    assert gradient is not None
    assert torch.allclose(gradient, expected, atol=1e-6)
    advised = seen.part(played.observations[rows], ADVICE).argmax(1)
    trust = learner.policy.trust.grad
    assert trust is not None
    followed = moves[torch.from_numpy(advised) == actions].sum().item()
    # There are no calls in Whist.
    assert trust.tolist() == pytest.approx([followed, 0.0], abs=1e-6)
    squares = (taken - returns).square().mean().item()
    assert figures["value_loss"] == pytest.approx(squares)


def test_the_learning_rate_and_the_random_actions_fall_to_a_tenth() -> None:
    learner = DMC(GAME, dataclasses.replace(SMALL, epsilon=0.5), seed=1)
    asked: list[float] = []
    plain = learner.play

    def play(epsilon: float, teacher: Any = None) -> Decisions:
        asked.append(epsilon)
        return plain(epsilon, teacher)

    learner.play = play  # type: ignore[method-assign]
    for progress, part in ((0.0, 1.0), (0.5, 0.55), (1.0, 0.1)):
        learner.iterate(progress)
        rate = learner._optimiser.param_groups[0]["lr"]
        assert rate == pytest.approx(part * SMALL.learning_rate)
        assert asked[-1] == pytest.approx(part * 0.5)


def test_learning_wins_tricks_from_random_players() -> None:
    config = DMCConfig(
        *(256, (64,)),
        learning_rate=3e-3,
        minibatch=256,
        epsilon=0.3,
        value_scale=4.0,
        advice=False,
    )
    learner = DMC(GAME, config, seed=0)
    figures = [learner.iterate(iteration / 16) for iteration in range(16)]
    # The standard error is 0.08.
    assert tricks_over_random(learner) > 0.32
    assert figures[-1]["value_loss"] < 0.9 * figures[-1]["value_spread"]


def tricks_over_random(learner: DMC) -> float:
    """Tricks a deal of the policy's side above random players on the same deals."""
    agent = NetAgent(learner.policy)
    won = 0.0
    for side in range(2):
        tables = Tables(GAME, 1000, seed=99, dtype=np.int8)
        batch = tables.reset()
        for _ in range(52):
            actions = tables.sample_actions()
            mine = np.flatnonzero(batch.agent % 2 == side)
            actions[mine] = agent.act(seen_by(GAME, batch, mine))
            batch = tables.step(actions)
            won += batch.rewards[:, side].sum() / 2
    learner.policy.train()
    return won / 2000


def seen_by(game: Game, batch: Batch, rows: Any) -> Views:
    bits = np.zeros(len(rows), np.uint64)
    return Views(game, batch.observation[rows], batch.action_mask[rows], bits)


def test_in_games_with_calls_the_rule_of_thumb_player_sits_in_at_first() -> None:
    game = whist_env.game("solo_whist")
    given = dataclasses.replace(SMALL, imitation=None, value_scale=None)
    assert given.settled_for(game).imitation == 0.2
    assert given.settled_for(GAME).imitation == 0
    learner = DMC(game, SMALL, seed=0)
    alone = agreement(learner.play(0.1), game)
    followed = agreement(learner.play(0.1, whist_agents.load("hoyle")), game)
    assert followed > 0.88 > alone + 0.2
    agreements: list[float] = []
    plain = learner.learn

    def learn(played: Decisions, learning_rate: float) -> dict[str, float]:
        agreements.append(agreement(played, game))
        return plain(played, learning_rate)

    learner.learn = learn  # type: ignore[method-assign]
    for progress in (0.0, 0.19, 0.2):
        assert learner.iterate(progress)["deals"] == SMALL.tables
    assert min(agreements[:2]) > 0.88 > agreements[2]


def agreement(played: Decisions, game: Game) -> float:
    """How often the rule-of-thumb player would have done the same.

    Canonical suits are a position of the game as well.
    """
    bits = np.zeros(len(played.actions), np.uint64)
    observations = played.observations[:, : game.features.size]
    views = Views(game, observations, played.masks, bits)
    return float((whist_agents.load("hoyle").act(views) == played.actions).mean())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("tables", 0), ("epochs", 0), ("minibatch", -1), ("hidden", (8, 0))),
        *(("learning_rate", 0.0), ("gradient_norm", float("inf"))),
        *(("value_scale", float("nan")), ("epsilon", 1.5), ("epsilon", -0.1)),
        *(("imitation", -0.1), ("imitation", 1.5), ("imitation", float("nan"))),
    ],
)
def test_a_setting_of_the_algorithm_that_cannot_be_is_refused(
    name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=name):
        DMCConfig(**{name: value})


# Runs -------------------------------------------------------------------------------


def settings(out: Path, **changes: Any) -> TrainConfig:
    given = TrainConfig(
        out=out,
        algorithm="dmc",
        deals=192,
        checkpoint_minutes=1e-6,
        judge_minutes=0,
        precision="float32",
        device="cpu",
        dmc=SMALL,
    )
    return dataclasses.replace(given, **changes)


def stop_after(iterations: int) -> Watcher:
    def watch(progress: Progress, part: float, figures: dict[str, float]) -> None:
        if progress.iterations > iterations:
            raise KeyboardInterrupt

    return watch


def lines(folder: Path) -> list[dict[str, float]]:
    """The metrics of a run, without what depends on the clock."""
    rows = [json.loads(x) for x in (folder / "metrics.jsonl").read_text().splitlines()]
    for row in rows:
        del row["seconds"], row["deals_per_second"]
    return rows


@pytest.mark.parametrize("game", ["whist", "solo_whist"])
def test_a_stopped_run_goes_on_exactly(tmp_path: Path, game: str) -> None:
    learner = dataclasses.replace(SMALL, imitation=0.3 if game == "solo_whist" else 0)
    config = settings(tmp_path / "whole", game=game, dmc=learner)
    whole = train(config)
    halves = dataclasses.replace(config, out=tmp_path / "halves")
    for stop_at in (0, 3):
        with pytest.raises(KeyboardInterrupt, match="--resume"):
            train(halves, stop_after(stop_at))
        halves = dataclasses.replace(halves, resume=True)
    again = train(halves)
    assert again.name == whole.name == "iteration_00000006"
    assert lines(tmp_path / "halves") == lines(tmp_path / "whole")
    mine = load_policy(again / "model.safetensors")[1].state_dict()
    theirs = load_policy(whole / "model.safetensors")[1].state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_the_policy_plays_the_action_with_the_largest_output(tmp_path: Path) -> None:
    # Of equal cards the rule-of-thumb player takes one by its name: its advice may be
    # another where suits have canonical names.
    plain = dataclasses.replace(SMALL, advice=False)
    last = train(settings(tmp_path / "run", dmc=plain))
    header, network = load_policy(last / "model.safetensors")
    assert header.game == "whist" and header.notes["algorithm"] == "dmc"
    learner = DMC(GAME, plain, seed=9)
    learner.policy.load_state_dict(network.state_dict())
    played = learner.play(0.0)
    bits = np.zeros(len(played.actions), np.uint64)
    observations = played.observations[:, : GAME.features.size]
    views = Views(GAME, observations, played.masks, bits)
    assert (load_net(tmp_path / "run").act(views) == played.actions).all()


def test_divergence_names_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = DMC.iterate

    def broken(self: DMC, progress: float) -> dict[str, float]:
        if progress > 0.5:
            with torch.no_grad():
                next(self.policy.parameters()).fill_(float("nan"))
        return plain(self, progress)

    monkeypatch.setattr(DMC, "iterate", broken)
    with pytest.raises(FloatingPointError, match=r"diverged.*iteration_00000004"):
        train(settings(tmp_path / "run"))
    _, network = load_policy(
        tmp_path / "run" / "checkpoints" / "iteration_00000004" / "model.safetensors"
    )
    assert all(torch.isfinite(p).all() for p in network.parameters())


def test_networks_that_were_distilled_can_be_started_from() -> None:
    other = DMC(GAME, SMALL, seed=8).policy.state_dict()
    learner = DMC(GAME, SMALL, seed=9)
    learner.start_from({"policy": other, "critic": {}})
    assert torch.equal(learner.policy.layers[0].weight, other["layers.0.weight"])
    wider = DMC(GAME, dataclasses.replace(SMALL, hidden=(64,)))
    with pytest.raises(ValueError, match="another size"):
        wider.start_from({"policy": other})


# Choosing between algorithms --------------------------------------------------------


def test_only_the_settings_of_the_chosen_algorithm_may_be_given() -> None:
    with pytest.raises(ValueError, match=r"settings of dmc are given.*'ppo'"):
        TrainConfig(dmc=SMALL)
    with pytest.raises(ValueError, match=r"settings of ppo are given.*'dmc'"):
        TrainConfig(algorithm="dmc", ppo=PPOConfig(tables=8))
    with pytest.raises(ValueError, match="algorithm='sarsa' must be one of ppo, dmc"):
        TrainConfig(algorithm="sarsa")  # type: ignore[arg-type]


def test_a_recipe_has_settings_for_each_algorithm(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("minutes = 3\n[dmc]\ntables = 7\nhidden = [9, 8]\n")
    chosen = TrainConfig.usual(str(own), "dmc")
    assert chosen.dmc == DMCConfig(tables=7, hidden=(9, 8))
    assert TrainConfig.usual(str(own)).ppo == PPOConfig()
    assert read_recipe("quick").dmc == DMCConfig()
    for name in NAMES:
        recipe = read_recipe(name)
        assert recipe.dmc.hidden == recipe.ppo.hidden
        assert recipe.dmc.tables == recipe.ppo.tables


def test_a_resumed_run_keeps_its_algorithm(tmp_path: Path) -> None:
    run = tmp_path / "run"
    last = train(settings(run))
    stored = json.loads((run / "config.json").read_text())
    assert stored["algorithm"] == "dmc" and stored["dmc"]["tables"] == 32
    assert "ppo" not in stored
    assert train(TrainConfig(out=run, resume=True)) == last
    assert train(TrainConfig(out=run, resume=True, algorithm="dmc")) == last
    other = dataclasses.replace(SMALL, epsilon=0.3)
    with pytest.raises(ValueError, match=r"dmc=.* is not the setting of the run"):
        train(TrainConfig(out=run, resume=True, algorithm="dmc", dmc=other))
    with pytest.raises(ValueError, match=r"ppo=.* is not the setting of the run"):
        train(TrainConfig(out=run, resume=True, ppo=PPOConfig(tables=8)))
    small = PPOConfig(
        tables=32,
        hidden=(8,),
        critic_hidden=(8,),
        value_scale=4.0,
        lessons=0.0,
        critic_alone=0.0,
    )
    usual = settings(tmp_path / "usual", algorithm="ppo", dmc=DMCConfig(), ppo=small)
    train(usual)
    with pytest.raises(ValueError, match="algorithm='dmc' is not the setting"):
        train(TrainConfig(out=usual.out, resume=True, algorithm="dmc"))


def test_train_takes_the_algorithm_and_its_settings(
    tmp_path: Path, capsys: Captured
) -> None:
    run = tmp_path / "run"
    words = ["train", "whist", "--out", str(run), "--deals", "32", *QUICK]
    assert main([*words, "--judge-pairs", "2"]) == SUCCESS
    printed = capsys.readouterr()
    assert printed.out == f"net:{run}\n"
    assert printed.err.startswith("100% trained, 32 deals, hoyle ")
    assert json.loads((run / "config.json").read_text())["dmc"]["hidden"] == [16]
    assert main(["train", "whist", "--algorithm", "sarsa"]) == MISUSE
    assert "algorithm='sarsa' must be one of ppo, dmc" in capsys.readouterr().err
    assert main(["train", "whist", "--dmc.tables", "5"]) == MISUSE
    assert "settings of dmc are given" in capsys.readouterr().err


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = DMC.iterate

    def stopped(self: DMC, progress: float) -> dict[str, float]:
        if progress >= 0.5:
            raise KeyboardInterrupt
        return plain(self, progress)

    run = tmp_path / "a run"
    words = ["train", "whist", "--out", str(run), "--deals", "64", *QUICK]
    words += ["--checkpoint-minutes", "0", "--judge-minutes", "0"]
    with monkeypatch.context() as patch:
        patch.setattr(DMC, "iterate", stopped)
        assert main(words) == STOPPED == 130
    complaint = capsys.readouterr().err.strip()
    kept = run / "checkpoints" / "iteration_00000002"
    assert f"whist train: stopped; {kept} is kept; go on with: " in complaint
    name, *command = shlex.split(complaint.partition("go on with: ")[2])
    assert name == "whist" and main(command) == SUCCESS
    assert len(lines(run)) == 4
