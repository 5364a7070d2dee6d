"""What the scores of a rubber are worth, and training for it."""

from __future__ import annotations

import dataclasses
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import oracle_whist as oracle
import pytest
import torch

import whist_agents
import whist_env
from whist_agents.net import (
    NetAgent,
    Network,
    PolicyNetwork,
    house_file,
    load_policy,
    save_policy,
)
from whist_agents.sight import sight
from whist_env import Game, Tables
from whist_env.cards import card_name, members
from whist_train import equity as equities
from whist_train import run as runs
from whist_train.equity import Equity, RubberTables, rubber_equity
from whist_train.ppo import PPO, PPOConfig
from whist_train.run import TrainConfig, train
from whist_train.start import SCORES, networks_to_start_from
from whist_train.strength import judge, training_game

SHORT = training_game("whist", None, "short5")
ROBBER = training_game("whist", None, "robber")
RANDOM = whist_agents.load("random")
DEALS = 60


def rubbers(**options: Any) -> Game:
    """Short whist in rubbers."""
    usual = {"scoring": "short5", "episode": "rubber", "reward": "settlement"}
    return whist_env.game("whist", **usual | options)


GAMES = (SHORT, ROBBER, rubbers(surplus="carried"), rubbers(target=3))


@dataclasses.dataclass
class PlayedDeal:
    """What scores count of a deal, written as the slow Whist takes it.

    The dealer is of side 0.
    """

    hands: list[list[str]]
    trump: str
    tricks: list[int]


def played_deals(game: Game) -> tuple[Any, list[PlayedDeal]]:
    """Deals but for their last card, and what comes of them."""
    records = equities._before_last_card(game, RANDOM, DEALS, seed=3)
    tables = Tables(whist_env.game("whist", deals=2), DEALS, 0, dtype=np.int8)
    tables.reset()
    for name in records.dtype.names:
        if name != "options":
            tables.records[name] = records[name]
    tables.step(tables.sample_actions())
    known = []
    for record, tricks in zip(records, tables.records["tricks"], strict=True):
        hands = [[card_name(c) for c in members(h)] for h in record["dealt"]]
        side = int(record["dealer"]) % 2
        turned = hands[side:] + hands[:side]
        by_side = [int(tricks[side]), int(tricks[1 - side])]
        known.append(PlayedDeal(turned, card_name(int(record["turned"]))[0], by_side))
    return records, known


def match_of(game: Game, games: tuple[int, int], scores: tuple[int, int]) -> Any:
    """A slow match at a score; side 0 deals."""
    options: Any = game.options
    match = oracle.Match(
        oracle.Options(
            scoring=options.scoring,
            episode="rubber",
            surplus=options.surplus,
            target=options.target,
        ),
        scores=scores,
    )
    match.games = list(games)
    match.totals = [0, 0]
    return match


def so_far(match: Any) -> int:
    """What side 0 is owed in a match that goes on."""
    robber = match.options.scoring == "robber"
    made: list[int] = match.totals if robber else match.rubber_points
    return made[0] - made[1]


# The worth of scores ----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_deals_lead_from_score_to_score_as_a_slow_whist_says(game: Game) -> None:
    records, known = played_deals(game)
    chain = equities._chain(game, records)
    rng = random.Random(0)
    scores = list(np.ndindex(chain.shape))
    for score in rng.sample(scores, min(40, len(scores))):
        passes, won, paid = np.zeros(chain.shape), 0, 0
        for deal in known:
            match = match_of(game, score[:2], score[2:])
            match.score(deal.hands, deal.trump, deal.tricks)
            if match.over:
                won += 1 if match.games[0] == 2 else -1
                paid += match.settlement[0]
            else:
                # Side 1 deals next.
                passes[*match.games[::-1], *match.scores[::-1]] += 1
                paid += so_far(match)
        place = np.ravel_multi_index(score, chain.shape)
        assert (chain.passes[place] == passes.ravel() / DEALS).all()
        assert chain.won[place] == won / DEALS
        assert chain.paid[place] == pytest.approx(paid / DEALS)


@pytest.mark.parametrize("game", (SHORT, ROBBER), ids=repr)
def test_the_worth_of_the_start_is_the_mean_of_many_rubbers(game: Game) -> None:
    _, known = played_deals(game)
    equity = rubber_equity(game, RANDOM, deals=DEALS, seed=3)
    rng = random.Random(1)
    won, paid = [], []
    for _ in range(2000):
        match, dealing = match_of(game, (0, 0), (0, 0)), 0
        while not match.over:
            deal = rng.choice(known)
            hands = deal.hands[-dealing:] + deal.hands[:-dealing]
            match.score(hands, deal.trump, deal.tricks[:: 1 - 2 * dealing])
            dealing = 1 - dealing
        won.append(match.games[0] == 2)
        paid.append(match.settlement[0])
    for worth, results in ((equity.chance, won), (equity.settlement, paid)):
        error = np.std(results) / np.sqrt(len(results))
        assert worth[0, 0, 0, 0] == pytest.approx(np.mean(results), abs=4 * error)


def test_a_rubber_of_single_tricks_comes_to_what_the_hand_reckons() -> None:
    game = rubbers(target=1)
    _, known = played_deals(game)
    equity = rubber_equity(game, RANDOM, deals=DEALS, seed=3)
    # Each deal is a game for whoever takes seven tricks; the sides deal in turn.
    p = sum(deal.tricks[0] >= 7 for deal in known) / DEALS
    q = 1 - p
    assert 0 < p < 1
    ahead, behind = p + q * q, p * q
    chance = equity.chance[:, :, 0, 0]
    assert chance[1, 1] == pytest.approx(p)
    assert chance[1, 0] == pytest.approx(ahead)
    assert chance[0, 1] == pytest.approx(behind)
    assert chance[0, 0] == pytest.approx(p * (1 - behind) + q * (1 - ahead))
    # A game against nothing counts three, the rubber two.
    paid = equity.settlement[:, :, 0, 0]
    assert paid[1, 1] == pytest.approx(5 * (p - q))
    assert paid[1, 0] == pytest.approx(5 * p + q * (-3 - 5 * (p - q)))


@pytest.mark.parametrize("game", (SHORT, ROBBER), ids=repr)
def test_what_a_deal_changes_is_nothing_in_the_mean(game: Game) -> None:
    equity = rubber_equity(game, RANDOM, deals=DEALS, seed=3)
    deals = equities._before_last_card(game, RANDOM, DEALS, seed=3)
    tables = RubberTables(equity, DEALS, seed=0)
    tables.reset()
    for games, scores in (((0, 0), (0, 0)), ((1, 0), (2, 4)), ((1, 1), (4, 0))):
        tables.records[:] = deals
        equities._put(tables.records["games"], deals, *games)
        equities._put(tables.records["score"], deals, *scores)
        batch = tables.step(tables.sample_actions())
        assert batch.done.all()
        earned = batch.rewards[np.arange(DEALS), deals["dealer"]]
        assert earned.mean() == pytest.approx(0, abs=1e-5)
        assert earned.std() > 0.1


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_what_one_side_expects_the_other_loses(game: Game) -> None:
    equity = rubber_equity(game, RANDOM, deals=DEALS)
    records = game.new_records(500)
    rng = np.random.default_rng(0)
    records["dealer"] = rng.integers(0, 4, 500)
    records["games"] = rng.integers(0, 2, (500, 2))
    records["score"] = rng.integers(0, equity.chance.shape[2], (500, 2))
    records["points"] = rng.integers(0, 9, (500, 2))
    swapped = records.copy()
    swapped["dealer"] = (records["dealer"] + 1) % 4
    for name in ("games", "score", "points"):
        swapped[name] = records[name][:, ::-1]
    expected = equity.expected(records)
    assert (expected == -equity.expected(swapped)).all()
    assert expected.std() > 0.1


def test_more_points_and_more_games_are_worth_more() -> None:
    chance = rubber_equity(SHORT, RANDOM, deals=1000).chance
    assert (chance > 0).all() and (chance < 1).all()
    assert (np.diff(chance, axis=0) > 0).all() and (np.diff(chance, axis=1) < 0).all()
    assert (np.diff(chance, axis=2) > 0).all() and (np.diff(chance, axis=3) < 0).all()


def test_what_was_found_is_kept_as_text() -> None:
    found = rubber_equity(rubbers(target=2), RANDOM, deals=DEALS)
    kept = Equity.from_json(found.to_json())
    assert kept.game == found.game and kept.deals == DEALS
    assert (kept.chance == found.chance).all()
    assert (kept.settlement == found.settlement).all()


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (training_game("whist", None), "no rubbers of Whist"),
        (rubbers(reward="points"), "not what a rubber is played for"),
        (
            rubbers(scoring="robber", reward="match"),
            "robber whist is won by the points",
        ),
        (rubbers(revokes="penalty"), "take revokes='never'"),
    ],
)
def test_games_whose_scores_do_not_tell_all_are_refused(game: Game, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rubber_equity(game, RANDOM, deals=DEALS)


# Tables -----------------------------------------------------------------------------


@pytest.mark.parametrize("game", (SHORT, ROBBER, GAMES[2]), ids=repr)
def test_the_deals_of_a_rubber_earn_its_result_less_what_was_expected(
    game: Game,
) -> None:
    equity = rubber_equity(game, RANDOM, deals=DEALS)
    tables = RubberTables(equity, 16, seed=5)
    tables.reset()
    start = equity.expected(tables.records)
    earned, finished = np.zeros(16), np.zeros(16, np.bool_)
    for ply in range(1, 2000):
        before = tables.records["deals_played"].copy()
        batch = tables.step(tables.sample_actions())
        assert (batch.done == (ply % 52 == 0)).all()
        assert (batch.rewards[:, 0] == batch.rewards[:, 2]).all()
        assert (batch.rewards[:, 0] == -batch.rewards[:, 1]).all()
        assert (batch.rewards[:, 1] == batch.rewards[:, 3]).all()
        assert batch.done.all() or not batch.rewards.any()
        earned += np.where(finished, 0, batch.rewards[:, 0])
        finished |= tables.records["deals_played"] < before
        if finished.all():
            break
    assert finished.all()
    # The tables play on; the result is that of the last rubber only where it is new.
    first = Tables(game, 16, seed=5, dtype=np.int8)
    first.reset()
    results, over = np.zeros(16), np.zeros(16, np.bool_)
    while not over.all():
        batch = first.step(first.sample_actions())
        new = batch.done & ~over
        results[new] = equity.result(first.finished)[new]
        over |= new
    assert earned == pytest.approx(results - start, abs=1e-4)


# Starting and training --------------------------------------------------------------

SMALL = PPOConfig(
    tables=16,
    hidden=(16,),
    critic_hidden=(16,),
    minibatch=256,
    value_scale=1.0,
    lessons=0.0,
    critic_alone=0.0,
)


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fewer deals for the chances from score to score, and one thread."""

    def few(game: Game, player: Any, *, seed: int) -> Equity:
        return rubber_equity(game, player, deals=50, seed=seed)

    monkeypatch.setattr(runs, "rubber_equity", few)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def settings(out: Path, **changes: Any) -> TrainConfig:
    usual: dict[str, Any] = {
        "deals": 16,
        "judge_minutes": 0,
        "precision": "float32",
        "device": "cpu",
        "ppo": SMALL,
    }
    return TrainConfig(out=out, **usual | changes)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has learnt a little about single deals."""
    folder = tmp_path_factory.mktemp("deals") / "run"
    train(settings(folder))
    return folder


def weights_of(checkpoint: Path) -> dict[str, dict[str, torch.Tensor]]:
    state: dict[str, Any] = torch.load(checkpoint / "learner.pt", weights_only=True)
    return {part: state[part] for part in ("policy", "critic")}


def latest(folder: Path) -> Path:
    return folder / (folder / "latest").read_text().strip()


def test_training_starts_from_the_policy_and_the_critic_of_a_run(trained: Path) -> None:
    deals = training_game("whist", None)
    kept = weights_of(latest(trained))
    for path in (trained, latest(trained), latest(trained) / "model.safetensors"):
        found = networks_to_start_from(path, deals)
        for part, weights in kept.items():
            assert found[part].keys() == weights.keys()
            for name, weight in weights.items():
                assert torch.equal(found[part][name], weight)


def test_networks_to_start_from_keep_their_sizes(trained: Path) -> None:
    usual = TrainConfig(start=trained)
    found = usual.settled().ppo
    assert usual.ppo.hidden == usual.ppo.critic_hidden == (256, 256)
    assert (found.hidden, found.critic_hidden) == ((16,), (16,))
    alone = dataclasses.replace(usual, start=latest(trained) / "model.safetensors")
    assert alone.settled().ppo.hidden == (16,)
    packaged = dataclasses.replace(usual, start=Path("net")).settled().ppo
    assert packaged.hidden == load_policy(house_file(SHORT.rules))[1].hidden
    assert (packaged.lessons, packaged.learning_rate) == (0.0, 1e-4)


def test_a_policy_by_itself_brings_no_critic(trained: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.safetensors"
    shutil.copy(latest(trained) / "model.safetensors", alone)
    game = training_game("whist", None)
    found = networks_to_start_from(alone, game)
    assert set(found) == {"policy"}
    learner = PPO(game, SMALL, seed=7)
    critic = {name: w.clone() for name, w in learner.critic.state_dict().items()}
    learner.start_from(found)
    policy = learner.policy.state_dict()
    assert all(torch.equal(policy[name], w) for name, w in found["policy"].items())
    now = learner.critic.state_dict()
    assert all(torch.equal(now[name], w) for name, w in critic.items())


def test_scores_that_were_never_seen_have_no_effect_at_first(trained: Path) -> None:
    found = networks_to_start_from(trained, SHORT)
    policy = PolicyNetwork(sight(SHORT, True), (16,))
    policy.load_state_dict(found["policy"])
    critic = Network(sight(SHORT, True).state_features, (16,), 1)
    critic.load_state_dict(found["critic"])
    before = weights_of(latest(trained))
    changed = torch.zeros(SHORT.features.size, dtype=torch.bool)
    for name in SCORES:
        changed[SHORT.features[name]] = True
    for network, part in ((policy, "policy"), (critic, "critic")):
        rows = torch.zeros((2, network.scale.numel()), dtype=torch.int8)
        rows[1, SHORT.features["score"]] = 4
        rows[1, SHORT.features["games"]] = 1
        outputs = network(rows)
        assert torch.equal(outputs[0], outputs[1])
        size = SHORT.features.size
        kept = network.state_dict()["layers.0.weight"][:, :size][:, ~changed]
        given = before[part]["layers.0.weight"][:, :size][:, ~changed]
        assert torch.equal(kept, given)


def test_scores_are_seen_by_the_measure_of_the_game() -> None:
    deal, short = sight(training_game("whist", None), True), sight(SHORT, True)
    assert short.features.size == deal.features.size
    scale = PolicyNetwork(short, (4,)).scale
    assert scale[short.features["score"]].tolist() == pytest.approx([1 / 5] * 4)
    assert short.features.high[short.features["games"]].tolist() == [2, 2]
    assert (deal.features.high == sight(rubbers(target=99), True).features.high).all()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "nothing to start from at"),
        ("other.safetensors", "plays polignac with 4 players, not whist with 4"),
        ("broken.safetensors", "holds no networks to start from"),
        ("damaged", r"learner\.pt is damaged"),
    ],
)
def test_what_cannot_be_started_from_is_named(
    trained: Path, tmp_path: Path, name: str, words: str
) -> None:
    seen = sight(training_game("polignac", None), False)
    save_policy(tmp_path / "other.safetensors", PolicyNetwork(seen, (4,)), {})
    (tmp_path / "broken.safetensors").write_bytes(b"no networks")
    shutil.copytree(latest(trained), tmp_path / "damaged")
    (tmp_path / "damaged" / "learner.pt").write_bytes(b"no learner")
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        networks_to_start_from(tmp_path / name, SHORT)


def test_a_policy_is_trained_for_rubbers_and_goes_on_exactly(
    trained: Path, tmp_path: Path
) -> None:
    start: dict[str, Any] = {"start": trained, "rubber": "short5"}
    last = train(
        settings(tmp_path / "whole", **start, deals=160, checkpoint_minutes=1e-6)
    )
    rows = (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()
    # Deals are counted, not rubbers.
    assert [json.loads(row)["deals"] for row in rows] == [
        16 * (i + 1) for i in range(10)
    ]
    header, policy = load_policy(last / "model.safetensors")
    assert header.options["episode"] == "rubber"
    assert header.options["scoring"] == "short5"
    learnt = policy.state_dict()["layers.0.weight"][:, SHORT.features["score"]]
    assert (learnt != 0).any()
    parts = tmp_path / "parts"
    shutil.copytree(tmp_path / "whole", parts)
    earlier = min((parts / "checkpoints").iterdir())
    assert earlier.name < last.name
    (parts / "latest").write_text(f"checkpoints/{earlier.name}")
    resumed = train(TrainConfig(out=parts, resume=True))
    assert resumed.name == last.name
    assert json.loads((parts / "equity.json").read_text())["deals"] == 50
    second = weights_of(resumed)
    for part, weights in weights_of(last).items():
        for name, weight in weights.items():
            assert torch.equal(second[part][name], weight)


def test_a_policy_for_rubbers_is_judged_by_the_rubbers_that_it_wins() -> None:
    policy = PolicyNetwork(sight(SHORT, False), (8,))
    found = judge(policy, 40)
    # An untrained policy wins few rubbers against rules of thumb, but none below zero.
    assert -0.5 <= found.mean < -0.2
    assert NetAgent(policy).game == SHORT


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rubber": "short5"}, "a last stage"),
        ({"rubber": "short5", "game": "boston", "start": Path("a")}, "is for whist"),
        (
            {"rubber": "robber", "algorithm": "dmc", "start": Path("a")},
            "the algorithm ppo, not for whist and dmc",
        ),
        (
            {"rubber": "short5", "start": Path("a"), "players": 4},
            "players=4 is not for rubbers",
        ),
    ],
)
def test_rubbers_are_refused_where_they_cannot_be_learnt(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        TrainConfig(**changes)
