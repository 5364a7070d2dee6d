"""Several processes train one policy; two of them are started once for all tests."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from parallel_training import settings, trained

from whist_train import parallel
from whist_train.run import Run, train

ALGORITHMS = ("ppo", "dmc")
KINDS = (*ALGORITHMS, "lessons")
"""Also the first algorithm with lessons before self-play."""


@dataclasses.dataclass(frozen=True)
class Trained:
    """What the two processes found, in their order, and the folder of their runs."""

    found: tuple[dict[str, Any], dict[str, Any]]
    folder: Path

    def both(self, kind: str, name: str) -> list[Any]:
        return [found[kind][name] for found in self.found]


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("together")
    script = Path(__file__).with_name("parallel_training.py")
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    done = subprocess.run(
        [sys.executable, *launch, str(script), str(folder)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    found = [
        torch.load(folder / f"found_{rank}.pt", weights_only=True) for rank in range(2)
    ]
    return Trained((found[0], found[1]), folder)


def are_equal(some: dict[str, Any], others: dict[str, Any]) -> bool:
    return all(torch.equal(value, others[name]) for name, value in some.items())


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_the_mean_of_those_of_all_processes(
    together: Trained, kind: str
) -> None:
    first, second = together.both(kind, "gradients")
    assert len(first) == len(second) >= 4
    for (own, mean), (other, same) in zip(first, second, strict=True):
        assert own.abs().max() > 0 and not torch.equal(own, other)
        assert torch.equal(mean, same)
        assert torch.allclose(mean, (own + other) / 2, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_are_equal_in_all_processes(together: Trained, kind: str) -> None:
    first, second = together.both(kind, "first")
    assert are_equal(first, second)
    learnt, likewise = together.both(kind, "whole")
    assert are_equal(learnt, likewise) and not are_equal(learnt, first)


@pytest.mark.parametrize("kind", KINDS)
def test_every_process_plays_tables_of_its_own(together: Trained, kind: str) -> None:
    first, second = together.both(kind, "tables")
    assert first.shape == second.shape and not torch.equal(first, second)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_deals_of_all_processes_count(together: Trained, algorithm: str) -> None:
    assert together.both(algorithm, "iterations") == [5, 5]
    metrics = together.folder / algorithm / "whole" / "metrics.jsonl"
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    assert [row["deals"] for row in rows] == [64, 128, 192, 256, 320]


@pytest.mark.parametrize("kind", KINDS)
def test_processes_that_were_stopped_go_on_exactly(
    together: Trained, kind: str
) -> None:
    for found in together.found:
        assert are_equal(found[kind]["halves"], found[kind]["whole"])


def test_every_process_makes_lessons_of_its_own_and_all_agree_on_the_margin(
    together: Trained,
) -> None:
    first, second = together.both("lessons", "lessons")
    assert first["margins"] == second["margins"] != [0.0, 0.0]
    assert not torch.equal(first["values"], second["values"])


def test_processes_stop_together_when_the_time_of_the_first_is_up(
    together: Trained,
) -> None:
    first, second = (found["clock"] for found in together.found)
    assert first == second > 1


def test_processes_that_diverge_all_say_so(together: Trained) -> None:
    for found in together.found:
        assert "training has diverged" in found["diverged"]
        assert "iteration_00000000" in found["diverged"]


def test_only_the_first_process_shows_and_judges(together: Trained) -> None:
    first, second = (found["command"] for found in together.found)
    run = together.folder / "command"
    assert first["code"] == second["code"] == 0
    progress, agent = first["printed"].splitlines()
    assert progress.startswith("100% trained, 128 deals, hoyle ")
    assert agent == f"net:{run}"
    assert second["printed"] == ""
    rows = (run / "metrics.jsonl").read_text().splitlines()
    assert len(rows) == 2 and "strength" in json.loads(rows[-1])
    assert json.loads((run / "environment.json").read_text())["processes"] == 2


def test_a_run_goes_on_with_as_many_processes_as_it_had(
    together: Trained, tmp_path: Path
) -> None:
    config = settings(together.folder / "dmc" / "whole", "dmc", resume=True)
    with pytest.raises(ValueError, match=r"by 2 processes.*--nproc-per-node 2"):
        train(config)
    alone = trained(Run.create(settings(tmp_path / "alone", "dmc")), 2)
    files = [path.name for path in (alone.save()).glob("learner*")]
    assert files == ["learner.pt"]


def test_a_process_by_itself_agrees_with_itself() -> None:
    assert (parallel.processes(), parallel.rank()) == (1, 0)
    assert parallel.own_seed(7) == 7 and parallel.own_device("cuda") == "cuda"
    assert parallel.mean({"loss": 3.0}) == parallel.total({"loss": 3.0})
    assert parallel.least(4) == 4 and parallel.agreed("yes") == "yes"
