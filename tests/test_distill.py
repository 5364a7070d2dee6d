"""The warm start from the double-dummy solver."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from whist_agents.sight import sight
from whist_env import Table
from whist_env.solver import Solution, solve
from whist_train import distill as distillation
from whist_train.distill import Distillation, DistillConfig, Labels, distill, labels
from whist_train.lesson import above_mean
from whist_train.ppo import PPO, PPOConfig
from whist_train.run import TrainConfig, train
from whist_train.strength import training_game

GAME = training_game("whist", None)
SEEN = sight(GAME, advised=False)
SMALL: dict[str, Any] = {"hidden": (32,), "critic_hidden": (32,)}


@pytest.fixture(autouse=True)
def late_positions_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Positions of the last tricks are solved at once."""
    monkeypatch.setattr(distillation, "SHARES", (*[0.0] * 8, 0.3))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def some(count: int) -> Labels:
    parts: list[Labels] = []
    for part in labels(SEEN, 5):
        parts.append(part)
        if sum(map(len, parts)) >= count:
            break
    return Labels.joined(parts)


def test_labels_are_what_the_solver_says_under_canonical_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Table, Solution]] = []

    def noting(table: Table) -> Solution:
        asked.append((table, solve(table)))
        return asked[-1][1]

    monkeypatch.setattr(distillation, "solve", noting)
    known = some(200)
    assert len(known) == len(asked)
    trumps_first = 0
    for row, (table, solution) in enumerate(asked):
        legal = np.flatnonzero(known.masks[row])
        # Names of suits change, ranks do not.
        assert sorted(zip(legal % 13, known.values[row][legal], strict=True)) == sorted(
            (card % 13, value) for card, value in solution.values.items()
        )
        assert not np.delete(known.values[row], legal).any()
        assert known.left[row] == 13 - table.record.tricks_played
        trumps = {card for card in solution.values if card // 13 == table.record.trump}
        trumps_first += bool(trumps)
        assert (legal < 13).sum() == len(trumps)
    assert trumps_first > 20


def test_fitting_lowers_the_regret_and_keeps_the_best_epoch() -> None:
    known = some(3000)
    config = DistillConfig(
        **SMALL, epochs=12, minibatch=64, learning_rate=3e-3, dropout=0.0
    )
    fitted = Distillation(SEEN, config)
    held_out = known.rows(slice(int(0.05 * len(known))))
    before = fitted.judge(held_out)
    seen: list[dict[str, float]] = []
    best = fitted.fit(known, seen.append)
    assert len(seen) == 12 and best in seen
    assert best["regret"] == min(figures["regret"] for figures in seen)
    after = fitted.judge(held_out)
    assert after["regret"] == pytest.approx(best["regret"])
    assert after["regret"] < 0.8 * before["regret"]
    assert after["value_error"] < 0.6 * before["value_error"]


def test_illegal_cards_and_the_level_of_the_outputs_count_nothing() -> None:
    masks = torch.tensor([[1, 1, 0, 1]])
    values = torch.tensor([[3.0, 1.0, 99.0, 2.0]])
    above = above_mean(values, masks)
    assert above.tolist() == [[1.0, -1.0, 0.0, 0.0]]
    assert torch.equal(above_mean(values + 7, masks), above)


def test_a_distillation_goes_on_from_its_files_and_training_starts_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "SHARD", 100)
    config = DistillConfig(**SMALL, out=tmp_path / "warm", labels=250, epochs=2)
    said: list[str] = []
    path = distill(config, said.append)
    assert "250 of 250 positions solved" in said
    files = sorted((tmp_path / "warm" / "labels").iterdir())
    assert [len(Labels.load(file)) for file in files] == [100, 100, 50]
    first = path.read_bytes()
    files[1].unlink()
    assert distill(config).read_bytes() == first

    ppo = PPOConfig(
        tables=16, **SMALL, value_scale=4.0, minibatch=128, lessons=0, critic_alone=0
    )
    run = TrainConfig(
        out=tmp_path / "run",
        start=path,
        deals=1,
        judge_minutes=0,
        device="cpu",
        precision="float32",
        ppo=dataclasses.replace(ppo, learning_rate=1e-12),
    )
    train(run)
    learner = PPO(GAME, ppo, seed=0)
    learner.start_from(distillation.load_networks(path))
    trained = torch.load(
        tmp_path / "run" / (tmp_path / "run" / "latest").read_text() / "learner.pt"
    )
    for name, value in learner.policy.state_dict().items():
        assert torch.allclose(trained["policy"][name], value, atol=1e-6)
    train(dataclasses.replace(run, resume=True, deals=20))


def test_networks_of_another_size_are_refused(tmp_path: Path) -> None:
    path = distill(DistillConfig(**SMALL, out=tmp_path / "warm", labels=40, epochs=1))
    learner = PPO(GAME, PPOConfig(tables=4, value_scale=4.0, lessons=0.0), seed=0)
    with pytest.raises(ValueError, match="other sizes"):
        learner.start_from(distillation.load_networks(path))
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no networks to start from"):
        distillation.load_networks(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("game", "boston"), ("labels", 0), ("epochs", 0), ("dropout", 1.0)),
        *(("weight_decay", -1.0), ("learning_rate", 0.0), ("minibatch", 0)),
    ],
)
def test_a_setting_that_cannot_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        DistillConfig(**{name: value})
