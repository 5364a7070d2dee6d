"""Self-play training: the algorithm, the run folder, and going on after a stop."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from uncompiled import run_uncompiled

import whist_env
from whist_agents.net import (
    NetAgent,
    PolicyNetwork,
    load_net,
    load_policy,
    masked,
    save_policy,
)
from whist_agents.sight import sight
from whist_env import Tables, Views
from whist_train import lesson
from whist_train.dmc import DMCConfig
from whist_train.heat import ENTROPY
from whist_train.ppo import PPO, PPOConfig, Rollout, _normalised, standpoints
from whist_train.recipe import NAMES, Recipe, read_recipe
from whist_train.run import Progress, Run, TrainConfig, Watcher, train
from whist_train.statistics import Estimate
from whist_train.strength import judge, measure_of, usual_return

GAME = whist_env.game("whist", reward="tricks")
SMALL = PPOConfig(
    tables=32,
    hidden=(32,),
    critic_hidden=(32,),
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


# The algorithm ----------------------------------------------------------------------


def test_an_illegal_action_has_no_probability_and_no_gradient() -> None:
    logits = torch.tensor([[5.0, 1.0, 2.0]], requires_grad=True)
    probabilities = masked(logits, torch.tensor([[0, 1, 1]])).softmax(1)
    assert probabilities[0, 0].item() == 0.0
    probabilities[0, 1].log().backward()
    assert logits.grad is not None and logits.grad[0, 0].item() == 0.0


def test_the_policy_never_chooses_an_illegal_card_and_draws_as_it_says() -> None:
    learner = PPO(GAME, SMALL, seed=1)
    played = learner.play()
    chosen = np.take_along_axis(played.masks, played.actions[..., None], axis=2)
    assert chosen.all()
    first = played.states[0, :1].repeat(20000, axis=0)
    mask = played.masks[0, :1].repeat(20000, axis=0)
    actions, log_probabilities = learner._choose(first, mask)
    for action in np.flatnonzero(mask[0]):
        expected = np.exp(log_probabilities[actions == action][0])
        assert abs((actions == action).mean() - expected) < 0.012


def test_advantages_are_those_of_the_definition_over_all_plies_of_a_table() -> None:
    learner = PPO(GAME, SMALL, seed=2)
    played = learner.play()
    targets, advantages = learner.judge(played)
    values = learner._values(played.states)[..., 0]
    signs = side_signs(played)
    discount = SMALL.gae_lambda
    for table in range(3):
        value = values[:, table] * signs[:, table]
        reward = played.rewards[:, table, 0] / 4
        for ply in range(52):
            # The whole sum, term by term, to the end of the deal.
            total = 0.0
            for later in range(ply, 52):
                following = value[later + 1] if later < 51 else 0.0
                total += discount ** (later - ply) * (
                    reward[later] + following - value[later]
                )
            sign = signs[ply, table]
            assert advantages[ply, table] == pytest.approx(sign * total, abs=1e-5)
            assert targets[ply, table, 0] == pytest.approx(
                sign * (total + value[ply]), abs=1e-5
            )


def test_advantages_go_on_to_the_value_of_a_deal_that_is_not_finished() -> None:
    learner = PPO(GAME, dataclasses.replace(SMALL, plies=30), seed=2)
    played = learner.play()
    assert not played.ends.any()
    _, advantages = learner.judge(played)
    value_now = learner._values_now()[:, 0]
    sign = side_signs(played)[-1]
    last = learner._values(played.states)[-1, :, 0] * sign
    expected = (played.rewards[-1, :, 0] / 4 + value_now - last) * sign
    assert advantages[-1] == pytest.approx(expected, abs=1e-5)


def test_advantages_do_not_flow_back_from_the_next_deal() -> None:
    learner = PPO(GAME, dataclasses.replace(SMALL, plies=104), seed=2)
    played = learner.play()
    assert played.ends[51].all() and played.ends[103].all()
    _, before = learner.judge(played)
    played.rewards[52:] += 100
    _, after = learner.judge(played)
    assert (before[:52] == after[:52]).all()
    assert (before[52:] != after[52:]).all()


def side_signs(played: Rollout) -> Any:
    """+1 where the player is of side 0, -1 elsewhere."""
    return np.where(played.agents % 2, -1, 1)


def test_two_sides_have_one_value_which_partners_see_alike_and_opponents_opposed() -> (
    None
):
    assert standpoints(GAME).tolist() == [[[1]], [[-1]], [[1]], [[-1]]]


def test_others_have_a_value_each_and_count_from_themselves_to_the_left() -> None:
    seen_from = standpoints(whist_env.game("polignac", players=5))
    values = np.array([10, 11, 12, 13, 14], np.float32)
    assert (seen_from @ values)[2].tolist() == [12, 13, 14, 10, 11]
    assert (
        seen_from.transpose(0, 2, 1) @ (seen_from @ values)[..., None]
        == (values[:, None])
    ).all()


def test_each_that_plays_for_itself_is_given_its_own_advantages() -> None:
    game = whist_env.game("polignac")
    learner = PPO(game, dataclasses.replace(SMALL, plies=40), seed=2)
    played = learner.play()
    targets, advantages = learner.judge(played)
    values = learner._values(played.states)
    checked = set()
    for table in range(8):
        end = int(np.argmax(played.ends[:, table]))
        last = end - 3
        player = int(played.agents[last, table])
        total, weight = 0.0, 1.0
        for ply in range(last, end + 1):
            value = own_value(values, played, ply, table, player)
            goes_on = own_value(values, played, ply + 1, table, player)
            following = goes_on if ply < end else 0.0
            reward = played.rewards[ply, table, player] / 4
            total += weight * (reward + following - value)
            weight *= SMALL.gae_lambda
        assert advantages[last, table] == pytest.approx(total, abs=1e-5)
        own = own_value(values, played, last, table, player)
        assert targets[last, table, 0] == pytest.approx(total + own, abs=1e-5)
        checked.add(player)
    assert len(checked) > 1


def test_a_call_is_judged_by_all_that_came_of_it() -> None:
    game = whist_env.game("polignac")
    learner = PPO(game, dataclasses.replace(SMALL, plies=40), seed=3)
    played = learner.play()
    _, advantages = learner.judge(played)
    values = learner._values(played.states)
    for table in range(8):
        end = int(np.argmax(played.ends[:, table]))
        player = int(played.agents[0, table])
        assert played.masks[0, table, 52:].any()
        earned = played.rewards[: end + 1, table, player].sum() / 4
        first = own_value(values, played, 0, table, player)
        assert advantages[0, table] == pytest.approx(earned - first, abs=1e-5)


def own_value(values: Any, played: Rollout, ply: int, table: int, agent: int) -> float:
    """What the critic gives an agent at a ply, found by counting from the player."""
    return float(values[ply, table, (agent - played.agents[ply, table]) % 4])


def test_the_policy_sees_no_hidden_card_and_the_critic_sees_them_all() -> None:
    learner = PPO(GAME, SMALL, seed=5)
    played = learner.play()
    states = torch.from_numpy(played.states[0].copy())
    masks = torch.from_numpy(played.masks[0])
    hidden = states.clone()
    hidden[:, learner.policy.sight.features.size :] = 0
    assert torch.equal(learner._logits(states, masks), learner._logits(hidden, masks))
    assert not torch.equal(learner.critic(states), learner.critic(hidden))
    features = learner.policy.sight.state_features
    hands = features.part(played.states[0], "hands")
    assert (hands.sum((1, 2)) == 52).all()


def test_decisions_with_one_legal_card_are_left_out() -> None:
    learner = PPO(GAME, SMALL, seed=6)
    figures = learner.iterate(0.0)
    free = (learner._rollout.masks.sum(2) > 1).sum()
    assert figures["decisions"] == free < 52 * SMALL.tables


def test_learning_wins_tricks_from_random_players() -> None:
    config = PPOConfig(
        tables=256,
        hidden=(64, 64),
        critic_hidden=(64, 64),
        minibatch=512,
        learning_rate=2e-3,
        value_scale=4.0,
        advice=False,
        lessons=0.0,
        critic_alone=0.0,
    )
    learner = PPO(GAME, config, seed=0)
    assert abs(tricks_over_random(learner)) < 0.25
    for iteration in range(14):
        learner.iterate(iteration / 14)
    assert tricks_over_random(learner) > 0.7


def tricks_over_random(learner: PPO) -> float:
    """Tricks a deal of the policy's side above random players on the same deals."""

    agent = NetAgent(learner.policy)
    won = 0.0
    for side in range(2):
        tables = Tables(GAME, 1000, seed=99, dtype=np.int8)
        batch = tables.reset()
        for _ in range(52):
            actions = tables.sample_actions()
            mine = np.flatnonzero(batch.agent % 2 == side)
            actions[mine] = agent.act(
                Views(
                    GAME,
                    batch.observation[mine],
                    batch.action_mask[mine],
                    np.zeros(len(mine), np.uint64),
                )
            )
            batch = tables.step(actions)
            won += batch.rewards[:, side].sum() / 2
    learner.policy.train()
    return won / 2000


def test_advantages_of_calls_and_of_cards_have_each_a_spread_of_one() -> None:
    advantages = np.array([100.0, -300.0, 0.1, 0.2, 0.6], np.float32)
    masks = np.zeros((5, 56), np.int8)
    masks[:, :2] = 1
    masks[:2, 52:54] = 1
    normal = _normalised(advantages, masks)
    assert normal[:2].tolist() == pytest.approx([1, -1])
    assert normal[2:].mean() == pytest.approx(0, abs=1e-6)
    assert normal[2:].std() == pytest.approx(1, abs=1e-5)
    assert (np.argsort(normal[2:]) == [0, 1, 2]).all()


def few_labels(patch: pytest.MonkeyPatch) -> None:
    """Make lessons small; those of a real training take seconds each."""
    for name, small in (
        *(("LABELS", 256), ("TABLES", 32), ("MINIBATCH", 64), ("KEPT", 2)),
    ):
        patch.setattr(lesson, name, small)


def test_training_begins_with_lessons_then_the_critic_learns_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few_labels(monkeypatch)
    config = dataclasses.replace(SMALL, lessons=0.5, critic_alone=0.2)
    learner = PPO(GAME, config, seed=0)

    def changed(progress: float) -> tuple[bool, bool]:
        """Whether an iteration changes the policy and the critic."""
        networks = (learner.policy, learner.critic)
        before = [copy.deepcopy(network.state_dict()) for network in networks]
        figures = learner.iterate(progress)
        assert figures["deals"] >= 0 and figures["decisions"] > 0
        policy, critic = (
            any(not torch.equal(value, old[name]) for name, value in new.items())
            for old, new in zip(before, [n.state_dict() for n in networks], strict=True)
        )
        return policy, critic

    assert [changed(progress) for progress in (0.0, 0.25, 0.49)] == [(True, False)] * 3
    learner.iterate(0.5)  # the logits are made ready for self-play first
    assert changed(0.69) == (False, True)
    assert changed(0.7) == (True, True)


def test_after_lessons_the_policy_is_changed_more_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few_labels(monkeypatch)
    for lessons, usual in ((0.0, 2e-3), (0.4, 1e-4)):
        for given, rate in ((None, usual), (3e-4, 3e-4)):
            config = dataclasses.replace(
                SMALL, lessons=lessons, critic_alone=0.1, learning_rate=given
            )
            learner = PPO(GAME, config, seed=1)
            learner.iterate(0.0)
            before = lessons + 0.1
            # Half of what is left is behind.
            learner.iterate((1 + before) / 2)
            found = learner._optimiser.param_groups[0]["lr"]
            assert found == pytest.approx(0.55 * rate)
    # Nor is more of it changed where a run starts from what has learnt.
    for lessons in (0.0, 0.7):
        learnt = PPOConfig(lessons=lessons).without_lessons()
        assert learnt.settled_for(GAME).learning_rate == 1e-4


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_a_policy_is_written_as_one_that_explores_while_it_learns_values(
    algorithm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_labels(monkeypatch)
    chosen: dict[str, Any] = {
        "ppo": dataclasses.replace(SMALL, lessons=1.0),
        "dmc": DMCConfig(tables=32, hidden=(32,), minibatch=256, value_scale=4.0),
    }
    others = {"ppo": PPOConfig(), "dmc": DMCConfig()}
    of_algorithms = others | {algorithm: chosen[algorithm]}
    config = dataclasses.replace(
        settings(tmp_path / "run"), algorithm=algorithm, **of_algorithms
    )
    run = Run.create(config)
    for _ in run.iterations():
        pass
    _, written = load_policy(run.save() / "model.safetensors")
    learner = run.learner
    batch = learner.tables.reset()
    orders = written.sight.orders(batch.observation)
    rows = written.sight.observation(batch.observation, batch.action_mask, orders)
    masks = torch.from_numpy(written.sight.mask(batch.action_mask, orders))
    found = []
    for network in (written, learner.policy):
        with torch.inference_mode():
            logits = masked(network(torch.from_numpy(rows)), masks).log_softmax(1)
        found.append((logits.argmax(1), -(logits.exp() * logits).sum(1).mean()))
    (chosen, entropy), (preferred, of_values) = found
    assert torch.equal(chosen, preferred)
    # At the first card of a deal there is more choice than in the mean.
    assert ENTROPY[0] / 2 < entropy < of_values / 2


def test_an_iteration_without_a_decision_says_what_to_change() -> None:
    learner = PPO(GAME, dataclasses.replace(SMALL, tables=1, plies=1), seed=1)
    with pytest.raises(ValueError, match="no decision with a choice; take more tables"):
        # At the last card of a deal there is no choice.
        for _ in range(52):
            learner.iterate(0.0)


def test_whoever_had_no_lessons_begins_with_trust_in_advice() -> None:
    trusts = [
        PPO(GAME, dataclasses.replace(SMALL, advice=advice)).policy.trust.tolist()
        for advice in (True, False)
    ]
    assert trusts == [[2.0, 2.0], [0.0, 0.0]]
    learnt = dataclasses.replace(PPOConfig(), lessons=0.5).without_lessons()
    assert learnt.lessons == 0.0 and learnt.critic_alone == PPOConfig().critic_alone


def test_a_policy_that_explores_no_more_is_reported() -> None:
    learner = PPO(GAME, SMALL, seed=1)
    with torch.no_grad():
        learner.policy.layers[-1].weight.zero_()
        learner.policy.layers[-1].bias[:] = 1e5 * torch.randn(104)
    with pytest.raises(FloatingPointError, match=r"explores no more.*--ppo.entropy"):
        learner.iterate(0.0)


def test_every_game_trains_for_every_number_of_players() -> None:
    run_uncompiled("uncompiled_training.py")


# The run folder ---------------------------------------------------------------------


def settings(out: Path, **changes: Any) -> TrainConfig:
    return TrainConfig(
        out=out,
        deals=320,
        checkpoint_minutes=1e-6,
        judge_minutes=0,
        precision="float32",
        device="cpu",
        ppo=SMALL,
        **changes,
    )


def lines(folder: Path) -> list[dict[str, float]]:
    """The metrics of a run, without what depends on the clock."""
    rows = [json.loads(x) for x in (folder / "metrics.jsonl").read_text().splitlines()]
    for row in rows:
        del row["seconds"], row["deals_per_second"]
    return rows


def latest(folder: Path) -> Path:
    return folder / (folder / "latest").read_text().strip()


def test_a_run_writes_its_settings_metrics_and_a_policy_that_plays(
    tmp_path: Path,
) -> None:
    last = train(settings(tmp_path / "run"))
    rows = lines(tmp_path / "run")
    assert [row["deals"] for row in rows] == [32 * (i + 1) for i in range(10)]
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["seed"] == 0 and config["ppo"]["tables"] == 32
    assert "torch" in json.loads((tmp_path / "run" / "environment.json").read_text())
    header, _ = load_policy(last / "model.safetensors")
    assert header.game == "whist" and header.notes["deals"] == 320
    batch = Tables(GAME, 8, seed=1, dtype=np.int8).reset()
    views = Views(GAME, batch.observation, batch.action_mask, np.zeros(8, np.uint64))
    actions = [
        load_net(place).act(views).tolist() for place in (tmp_path / "run", last)
    ]
    assert actions[0] == actions[1]
    assert batch.action_mask[np.arange(8), actions[0]].all()


def test_the_same_seed_trains_the_same_policy(tmp_path: Path) -> None:
    first = train(settings(tmp_path / "a"))
    second = train(settings(tmp_path / "b"))
    other = train(settings(tmp_path / "c", seed=1))
    weights = [load_policy(p / "model.safetensors")[1] for p in (first, second, other)]
    assert torch.equal(weights[0].layers[0].weight, weights[1].layers[0].weight)
    assert not torch.equal(weights[0].layers[0].weight, weights[2].layers[0].weight)
    assert lines(tmp_path / "a") == lines(tmp_path / "b")


def test_a_run_killed_at_any_moment_goes_on_exactly(tmp_path: Path) -> None:
    whole = train(settings(tmp_path / "whole"))
    script = (
        "import sys, torch; torch.set_num_threads(1)\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from test_training import settings\n"
        "from whist_train.run import train\n"
        "train(settings(Path(sys.argv[2])))\n"
    )
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(Path(__file__).parent), str(killed)]
    )
    deadline = time.monotonic() + 120
    while (
        not (killed / "latest").is_file()
        or "iteration_00000000" in (killed / "latest").read_text()
    ):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with (killed / "metrics.jsonl").open("a") as file:
        file.write('{"half a li')
    resumed = train(settings(killed, resume=True))
    assert resumed.name == whole.name
    assert lines(killed) == lines(tmp_path / "whole")
    mine = load_policy(resumed / "model.safetensors")[1].state_dict()
    theirs = load_policy(whole / "model.safetensors")[1].state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_a_run_that_is_stopped_in_its_lessons_goes_on_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_labels(monkeypatch)
    taught = dataclasses.replace(SMALL, lessons=0.5, critic_alone=0.25, plies=13)
    config = dataclasses.replace(
        settings(tmp_path / "whole"), game="solo_whist", ppo=taught
    )
    whole = train(config)
    kinds = [kind_of(row) for row in lines(tmp_path / "whole")]
    lessons, alone = kinds.count("lesson"), kinds.count("critic")
    assert lessons >= 4 and alone >= 2 and kinds.count("self-play") >= 2
    assert kinds == sorted(kinds, key=["lesson", "critic", "self-play"].index)
    halves = dataclasses.replace(config, out=tmp_path / "halves")
    for stop_at in (1, lessons - 1, lessons, lessons + alone):
        with pytest.raises(KeyboardInterrupt):
            train(halves, stop_after(stop_at))
        halves = dataclasses.replace(halves, resume=True)
    assert train(halves).name == whole.name
    assert lines(tmp_path / "halves") == lines(tmp_path / "whole")
    mine = load_policy(latest(tmp_path / "halves") / "model.safetensors")[1]
    theirs = load_policy(whole / "model.safetensors")[1].state_dict()
    assert all(
        torch.equal(value, theirs[name]) for name, value in mine.state_dict().items()
    )


def kind_of(figures: dict[str, float]) -> str:
    """What was done in an iteration."""
    if "lesson_loss" in figures:
        return "lesson"
    return "self-play" if "policy_loss" in figures else "critic"


def stop_after(iterations: int) -> Watcher:
    def watch(progress: Progress, part: float, figures: dict[str, float]) -> None:
        if progress.iterations > iterations:
            raise KeyboardInterrupt

    return watch


def test_the_strength_is_judged_now_and_then_and_the_best_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([0.5, 2.0, *([1.0] * 20)])

    def judge(policy: Any, pairs: int) -> Estimate:
        assert pairs == 7
        return Estimate(next(found), 0.1, 0.0, 0.0, 0.0)

    monkeypatch.setattr("whist_train.run.judge", judge)
    run = tmp_path / "run"
    config = dataclasses.replace(settings(run), judge_minutes=1e-9, judge_pairs=7)
    train(config)
    rows = lines(run)
    assert [row["strength"] for row in rows] == [0.5, 2.0, *([1.0] * 8)]
    assert (run / "best").read_text() == "checkpoints/iteration_00000002"
    kept = {path.name for path in (run / "checkpoints").iterdir()}
    assert "iteration_00000002" in kept and "iteration_00000003" not in kept
    assert load_net(run / "best").game == GAME
    picture = (run / "curve.svg").read_text()
    assert picture.count("<circle") == 10 and "whist: strength against hoyle" in picture


def test_the_judge_plays_hoyle_in_the_unit_of_the_game() -> None:
    policy = PolicyNetwork(sight(GAME, advised=False), (8,))
    found = judge(policy, 60)
    assert -5 < found.mean < -0.5 and found.standard_error < 0.5
    assert measure_of("whist") == "tricks" and measure_of("boston") == "points"


def test_the_judge_leaves_the_policy_as_it_was() -> None:
    policy = PolicyNetwork(sight(GAME, advised=True), (8,))
    before = copy.deepcopy(policy.state_dict())
    judge(policy, 4)
    assert policy.training
    assert all(torch.equal(v, before[n]) for n, v in policy.state_dict().items())


def test_the_critic_counts_in_what_a_deal_usually_brings() -> None:
    assert usual_return(GAME) == 4.0


def test_a_recipe_decides_what_is_not_said(tmp_path: Path) -> None:
    assert read_recipe("quick") == Recipe(10, PPOConfig())
    own = tmp_path / "own.toml"
    own.write_text("minutes = 3\n[ppo]\ntables = 7\nhidden = [9, 8]\n")
    assert read_recipe(str(own)) == Recipe(3, PPOConfig(tables=7, hidden=(9, 8)))
    usual = TrainConfig.usual(str(own))
    small = dataclasses.replace(usual, ppo=SMALL, device="cpu")
    assert small.settled().minutes == 3
    assert dataclasses.replace(small, deals=5).settled().minutes is None
    assert usual.folder == Path("runs/whist")
    assert TrainConfig(game="boston").folder == Path("runs/boston")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("minutes = ", "cannot be read"),
        ("", "minutes"),
        ("minutes = 3\ntables = 5", "tables"),
        ("minutes = 3\n[ppo]\ntabels = 5", "tabels"),
        ("minutes = 3\n[ppo]\ntables = 0", "must be at least 1"),
    ],
)
def test_a_recipe_that_cannot_be_read_says_why(
    tmp_path: Path, text: str, complaint: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        read_recipe(str(own))
    for name in ("fast", str(tmp_path / "none.toml"), str(tmp_path)):
        with pytest.raises(ValueError, match="recipes are quick, hour, flagship"):
            read_recipe(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_of_the_house_can_be_read(name: str) -> None:
    assert read_recipe(name).minutes >= 10


def test_a_number_of_players_that_a_game_has_not_is_refused(tmp_path: Path) -> None:
    for game, players in (("whist", 3), ("polignac", 3)):
        config = dataclasses.replace(
            settings(tmp_path / "run"), game=game, players=players
        )
        with pytest.raises((TypeError, ValueError), match="players"):
            train(config)


def test_a_finished_run_can_be_given_more_deals(tmp_path: Path) -> None:
    train(settings(tmp_path / "run"))
    more = dataclasses.replace(settings(tmp_path / "run", resume=True), deals=384)
    assert train(more).name == "iteration_00000012"
    assert len(lines(tmp_path / "run")) == 12


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    train(settings(tmp_path / "run"))
    with pytest.raises(FileExistsError, match="--resume"):
        train(settings(tmp_path / "run"))
    with pytest.raises(FileNotFoundError, match="no run to resume"):
        train(settings(tmp_path / "other", resume=True))


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    train(settings(tmp_path / "run"))
    kept = sorted(p.name for p in (tmp_path / "run" / "checkpoints").iterdir())
    assert kept == ["iteration_00000008", "iteration_00000009", "iteration_00000010"]


def test_metrics_go_to_tensorboard_when_asked(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    train(settings(tmp_path / "run", track=True))
    assert list((tmp_path / "run").glob("events.out.tfevents.*"))


def test_divergence_names_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = PPO.iterate

    def broken(self: PPO, progress: float) -> dict[str, float]:
        if progress > 0.5:
            with torch.no_grad():
                next(self.policy.parameters()).fill_(float("nan"))
        return plain(self, progress)

    monkeypatch.setattr(PPO, "iterate", broken)
    with pytest.raises(FloatingPointError, match="iteration_00000006"):
        train(settings(tmp_path / "run"))
    _, network = load_policy(latest(tmp_path / "run") / "model.safetensors")
    assert all(torch.isfinite(p).all() for p in network.parameters())


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    last = train(settings(tmp_path / "run"))
    (last / "learner.pt").write_bytes(b"not a checkpoint")
    more = dataclasses.replace(settings(tmp_path / "run", resume=True), deals=640)
    with pytest.raises(ValueError, match="iteration_00000010 is damaged"):
        train(more)


def test_a_run_that_goes_on_from_an_older_checkpoint_heals(tmp_path: Path) -> None:
    run = tmp_path / "run"
    last = train(settings(run))
    (last / "learner.pt").write_bytes(b"not a checkpoint")
    (run / "latest").write_text("checkpoints/iteration_00000008")
    again = train(settings(run, resume=True))
    assert again == last
    assert lines(run) == lines(run)[:10] and len(lines(run)) == 10
    assert train(settings(run, resume=True)) == last  # reads the checkpoint anew


def test_progress_is_kept_where_an_iteration_ends_no_deal(tmp_path: Path) -> None:
    short = dataclasses.replace(SMALL, plies=13)
    config = dataclasses.replace(settings(tmp_path / "run"), ppo=short, deals=1)
    assert train(config).name == "iteration_00000004"


def test_a_resumed_run_keeps_its_budget_and_its_settings(tmp_path: Path) -> None:
    run = tmp_path / "run"
    last = train(settings(run))
    assert train(TrainConfig(out=run, resume=True)) == last
    assert len(lines(run)) == 10
    with pytest.raises(ValueError, match="seed=3 is not the setting of the run"):
        train(TrainConfig(out=run, resume=True, seed=3))
    other = dataclasses.replace(SMALL, clip=0.3)
    with pytest.raises(ValueError, match=r"ppo=.* is not the setting of the run"):
        train(TrainConfig(out=run, resume=True, ppo=other))
    train(TrainConfig(out=run, resume=True, deals=352))
    assert json.loads((run / "config.json").read_text())["deals"] == 352


def test_a_folder_where_no_run_has_begun_can_be_used(tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(settings(run))
    (run / "latest").unlink()
    assert train(settings(run)).name == "iteration_00000010"
    assert len(lines(run)) == 10


def test_damaged_settings_of_a_run_are_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(settings(run))
    (run / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config.json holds no settings"):
        train(settings(run, resume=True))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("tables", 0), ("plies", -1), ("epochs", 0), ("minibatch", 0)),
        *(("hidden", (0,)), ("critic_hidden", (8, -1))),
        *(("tables", 8.5), ("hidden", (8.5,))),
        *(("learning_rate", -1.0), ("clip", float("nan")), ("value_scale", 0.0)),
        *(("gradient_norm", float("inf")), ("entropy", -0.1), ("gae_lambda", 1.5)),
        *(("lessons", -0.1), ("lessons", float("nan")), ("lessons", 0.96)),
        *(("critic_alone", -0.1), ("critic_alone", 0.8)),
    ],
)
def test_a_setting_of_the_algorithm_that_cannot_be_is_refused(
    name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=name):
        PPOConfig(**{name: value})


@pytest.mark.parametrize("seed", [-1, 2**62])
def test_a_seed_that_is_too_large_or_negative_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seed={seed} must be from 0 to"):
        TrainConfig(seed=seed)


def test_a_device_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    config = dataclasses.replace(settings(tmp_path / "run"), device="foo")
    with pytest.raises(ValueError, match="device='foo' cannot be used here"):
        train(config)
    assert not (tmp_path / "run").exists()


# Policy files -----------------------------------------------------------------------


def test_a_policy_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    network = PolicyNetwork(sight(GAME, advised=False), (16,))
    path = tmp_path / "policy.safetensors"
    save_policy(path, network, {"seed": 1})
    header, loaded = load_policy(path)
    assert header.hidden == (16,) or header.hidden == [16]
    assert torch.equal(loaded.layers[0].weight, network.layers[0].weight)

    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="cannot be read as a policy"):
        load_policy(path)
    path.write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match="cannot be read as a policy"):
        load_policy(path)
    from safetensors.torch import save_file

    save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="not a policy of this project"):
        load_policy(path)
    with pytest.raises(FileNotFoundError, match="no policy at"):
        load_net(tmp_path / "nothing")


def test_a_policy_of_other_features_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whist_agents import net

    path = tmp_path / "policy.safetensors"
    monkeypatch.setattr(net, "features_digest", lambda features: "old")
    save_policy(path, PolicyNetwork(sight(GAME, advised=False), (8,)), {})
    monkeypatch.undo()
    with pytest.raises(ValueError, match="other features"):
        load_policy(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("minutes", 0), ("minutes", float("nan")), ("deals", 0)),
        *(("checkpoint_minutes", -1.0), ("judge_minutes", -1.0), ("judge_pairs", 1)),
    ],
)
def test_an_impossible_budget_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        TrainConfig(**{name: value})
    with pytest.raises(ValueError, match="not both"):
        TrainConfig(minutes=1.0, deals=5)


def test_a_file_that_is_no_policy_and_names_none_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.md"
    other.write_bytes(b"\xff" * 5000)
    with pytest.raises(ValueError, match="neither a policy"):
        load_net(other)


def test_a_header_that_says_too_little_or_too_much_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "policy.safetensors"
    for header in ({}, {"policy": "{}"}, {"policy": json.dumps({"other": 1})}):
        metadata = {"format": "whist_env.policy/2", **header}
        save_file({"weight": torch.zeros(3)}, path, metadata)
        with pytest.raises(ValueError, match=r"header of .*policy.safetensors"):
            load_policy(path)
