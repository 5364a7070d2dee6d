"""Trains as one of several processes; `test_parallel_training` starts them.

What each process finds out is written into the folder that is given, under the number
of the process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from whist_train import descent, lesson, parallel
from whist_train.command_line import main
from whist_train.dmc import DMCConfig
from whist_train.ppo import PPOConfig
from whist_train.run import Run, TrainConfig

PPO_SETTINGS = PPOConfig(
    tables=32,
    hidden=(32,),
    critic_hidden=(32,),
    minibatch=256,
    value_scale=4.0,
    lessons=0.0,
    critic_alone=0.0,
)
DMC_SETTINGS = DMCConfig(tables=32, hidden=(32,), minibatch=256, value_scale=4.0)
SETTINGS: dict[str, Any] = {
    "ppo": PPO_SETTINGS,
    "dmc": DMC_SETTINGS,
    "lessons": dataclasses.replace(PPO_SETTINGS, lessons=0.6, critic_alone=0.1),
}
FEW = {"LABELS": 256, "TABLES": 32, "MINIBATCH": 64, "KEPT": 3}
"""What a lesson consists of here; a real one takes seconds."""
COMMAND = (
    *("train", "whist", "--deals", "128", "--ppo.tables", "32", "--judge-pairs", "2"),
    *("--ppo.hidden", "16", "--ppo.critic-hidden", "16", "--precision", "float32"),
    *("--ppo.lessons", "0", "--ppo.critic-alone", "0"),
)


def settings(out: Path, kind: str, **changes: Any) -> TrainConfig:
    algorithm: Any = "dmc" if kind == "dmc" else "ppo"
    given = TrainConfig(
        out=out,
        algorithm=algorithm,
        deals=320,
        checkpoint_minutes=1e-6,
        judge_minutes=0,
        precision="float32",
        device="cpu",
        **{algorithm: SETTINGS[kind]},
    )
    return dataclasses.replace(given, **changes)


def weights(run: Run) -> dict[str, Any]:
    return {
        name: value.clone() for name, value in run.learner.policy.named_parameters()
    }


def trained(run: Run, iterations: int | None = None) -> Run:
    """Make the iterations of a run, or some of them, as `train` does."""
    with run.metrics() as write:
        for figures in itertools.islice(run.iterations(), iterations):
            write(figures)
    return run


def gradients_of_each_step(run: Run) -> list[tuple[Any, Any]]:
    """The gradients of an iteration, before and after they are averaged."""
    seen: list[tuple[Any, Any]] = []
    plain = parallel.average_gradients

    def watched(parameters: Any) -> None:
        given = [p for p in parameters if p.grad is not None]
        own = torch.cat([p.grad.reshape(-1) for p in given])
        plain(given)
        seen.append((own, torch.cat([p.grad.reshape(-1) for p in given])))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(descent.parallel, "average_gradients", watched)
        trained(run, 1)
    return seen


def whole_and_halves(folder: Path, kind: str) -> dict[str, Any]:
    """What becomes of a run, and of the same one stopped and resumed."""
    whole = trained(Run.create(settings(folder / "whole", kind)))
    whole.save()
    config = settings(folder / "halves", kind)
    trained(Run.create(config), 3)
    halves = trained(Run.open(dataclasses.replace(config, resume=True)))
    return {
        "whole": weights(whole),
        "halves": weights(halves),
        "tables": whole.learner.state_dict()["tables"],
        "iterations": whole.progress.iterations,
    }


def lessons_of_its_own(folder: Path) -> dict[str, Any]:
    """The values of the newest lesson, and the margins that were chosen."""
    learner = trained(Run.create(settings(folder / "own", "lessons")), 2).learner
    newest = learner._lessons._newest
    return {
        "values": torch.from_numpy(newest.values),
        "margins": learner.policy.trust.tolist(),
    }


def stops_together(folder: Path) -> int:
    """Train by the clock, which runs much faster in the second process."""
    plain, speed = time.perf_counter, 1 + 99 * parallel.rank()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: speed * plain())
        config = settings(folder / "clock", "dmc", deals=None, minutes=0.02)
        return trained(Run.create(config)).progress.iterations


def diverges_together(folder: Path) -> str:
    """Begin an iteration with a weight that is no number in the second process."""
    run = Run.create(settings(folder / "diverged", "dmc"))
    if parallel.rank() == 1:
        with torch.no_grad():
            next(run.learner.policy.parameters()).fill_(float("nan"))
    try:
        trained(run)
    except FloatingPointError as error:
        return str(error)
    return "it did not diverge"


def command(folder: Path) -> dict[str, Any]:
    """What the command prints, and how it ends."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main([*COMMAND, "--out", str(folder / "command")])
    return {"code": code, "printed": printed.getvalue()}


def work(folder: Path) -> None:
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    with parallel.joined(), pytest.MonkeyPatch.context() as patch:
        for name, few in FEW.items():
            patch.setattr(lesson, name, few)
        rank = parallel.rank()
        found["processes"] = parallel.processes()
        for kind in SETTINGS:
            run = Run.create(settings(folder / f"{kind}_steps", kind))
            found[kind] = {
                "first": weights(run),
                "gradients": gradients_of_each_step(run),
                **whole_and_halves(folder / kind, kind),
            }
        found["lessons"]["lessons"] = lessons_of_its_own(folder)
        found["clock"] = stops_together(folder)
        found["diverged"] = diverges_together(folder)
        found["command"] = command(folder)
    torch.save(found, folder / f"found_{rank}.pt")


if __name__ == "__main__":
    work(Path(sys.argv[1]))
