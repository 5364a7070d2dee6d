"""What each part of the method of training is worth.

    pip install -e ".[demo]"
    python benchmarks/ablations.py --out runs/ablations.jsonl [--minutes 10]

Trains Whist with the usual settings of PPO, and again without each part of the method,
three times each with different seeds; then by self-play alone, and without each part of
that. A run has so many minutes of processor time on one thread; judging is not counted.
What a policy makes against the rule-of-thumb player is judged on the way, and at the
end over 4,000 pairs of deals. --workers says how many runs are made at a time; take no
more than there are cores.

A finished run is a line of JSON in --out and is not made again: what was broken off
goes on with the runs that are missing. The same file may hold runs of other lengths. At
the end a table of the runs of this length is printed.

Every variant is PPO with one method replaced, or with other settings.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, ClassVar, Final
from unittest import mock

import numpy as np
import numpy.typing as npt
import torch

from whist_agents.net import PolicyNetwork
from whist_agents.sight import BY_PLACE, HANDS, Sight
from whist_env import Game
from whist_train import ppo
from whist_train.ppo import PPO, PPOConfig, Rollout
from whist_train.processes import process_pool
from whist_train.run import faster_precision
from whist_train.strength import judge, training_game

GAME: Final = "whist"
SEEDS: Final = (0, 1, 2)
POINTS: Final = 10
"""How often a run is judged after its start."""
PAIRS: Final = 4000
"""Pairs of deals of the judgement at the end."""
PAIRS_ON_THE_WAY: Final = 1000

_Array = npt.NDArray[Any]


# The variants -----------------------------------------------------------------------


class BlindCritic(PPO):
    """The critic sees what the policy sees, and no hidden card."""

    def __init__(self, game: Game, config: PPOConfig, **settings: Any) -> None:
        super().__init__(game, config, **settings)
        # A state starts with what the policy sees; all after it is made zero.
        self.critic.scale[self._sight.features.size :] = 0


class PerSeat(PPO):
    """Advantages look ahead over the decisions of the same player alone.

    What is earned until its next decision, and the value there, are all that a player
    learns of what the others have done in between. Lambda counts its own decisions.
    """

    def _advantages(
        self, played: Rollout, values: _Array, values_now: _Array, gae_lambda: float
    ) -> _Array:
        rewards = played.rewards / self._scale
        tables = np.arange(played.ends.shape[1])
        advantages = np.zeros_like(values)
        # By table and player: the value at its next decision, its advantage there, and
        # what is earned until then. Decisions still to come are worth what the table
        # is worth now.
        after = np.repeat(values_now[:, None], self.game.num_agents, axis=1)
        ahead, earned = np.zeros_like(after), np.zeros_like(after)
        for ply in reversed(range(len(played.ends))):
            goes_on = 1 - played.ends[ply, :, None, None]
            for part in (after, ahead, earned):
                part *= goes_on
            earned += rewards[ply][:, None]
            own = tables, played.agents[ply]
            surprise = earned[own] + after[own] - values[ply]
            ahead[own] = surprise + gae_lambda * ahead[own]
            advantages[ply] = ahead[own]
            after[own], earned[own] = values[ply], 0
        return advantages


class SuitsAsTheyAre(Sight):
    """Suits keep their names."""

    def orders(self, observation: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return np.zeros(len(observation), np.int64)  # the first order changes nothing


class CardsByNameAlone(Sight):
    """Nobody is shown which cards are still out above a card, nor cards by place."""

    def state(self, *position: Any) -> npt.NDArray[np.int8]:
        rows = super().state(*position)
        rows[:, self.state_features[HANDS]] = 0
        return rows

    def show_places(self, rows: npt.NDArray[np.int8]) -> None:
        for name in BY_PLACE:
            rows[:, self.features[name]] = 0


class OtherSight(PPO):
    """PPO whose networks see positions in another way."""

    kind: ClassVar[type[Sight]]

    def __init__(self, game: Game, config: PPOConfig, **settings: Any) -> None:
        with mock.patch.object(ppo, "sight", self.kind):
            super().__init__(game, config, **settings)


class WithoutCanonicalSuits(OtherSight):
    kind = SuitsAsTheyAre


class WithoutPlaces(OtherSight):
    kind = CardsByNameAlone


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to train.

    Attributes:
        learner: the algorithm.
        settings: what differs from the usual settings.
    """

    learner: type[PPO] = PPO
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)


FULL: Final = "full method"
ALONE: Final = "self-play alone"
NO_TEACHER: Final = {"lessons": 0.0, "advice": False}
VARIANTS: Final[Mapping[str, Variant]] = {
    FULL: Variant(),
    "no lessons": Variant(settings={"lessons": 0.0}),
    "no advice": Variant(settings={"advice": False}),
    "no canonical suits": Variant(WithoutCanonicalSuits),
    "no view by place": Variant(WithoutPlaces),
    "half as wide": Variant(settings={"hidden": (128, 128)}),
    "twice as wide": Variant(settings={"hidden": (512, 512)}),
    ALONE: Variant(settings=NO_TEACHER),
    f"{ALONE}, blind critic": Variant(BlindCritic, NO_TEACHER),
    f"{ALONE}, per seat": Variant(PerSeat, NO_TEACHER),
}
"""The first is compared with those that lack one part each. Most of its time is spent
in lessons, so that parts of self-play are judged where there is nothing else."""


# A run ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Job:
    """What tells a run from all others."""

    variant: str
    seed: int
    minutes: float


def train(job: Job, precision: str) -> dict[str, Any]:
    """Train one variant with one seed; what is kept of it."""
    torch.set_num_threads(1)
    variant = VARIANTS[job.variant]
    learner = variant.learner(
        training_game(GAME, None),
        PPOConfig(**variant.settings),
        seed=job.seed,
        precision=precision,
    )
    curve, iterations, stopped_by = curve_of(learner, 60 * job.minutes)
    return {
        **dataclasses.asdict(job),
        "precision": precision,
        "deals": curve[-1]["deals"],
        "iterations": iterations,
        "stopped_by": stopped_by,
        "strength": curve[-1]["strength"],
        "standard_error": curve[-1]["standard_error"],
        "pairs": PAIRS,
        "curve": curve,
    }


def curve_of(learner: PPO, budget: float) -> tuple[list[dict[str, Any]], int, str]:
    """Train for so many seconds.

    Returns:
        The curve of the strength, the number of iterations, and what has stopped the
        training before its time.
    """
    spent, deals, iterations, stopped_by = 0.0, 0, 0, ""
    curve = [point(learner.policy, spent, deals, PAIRS_ON_THE_WAY)]
    while spent < budget and not stopped_by:
        begun = time.process_time()
        try:
            deals += int(learner.iterate(spent / budget)["deals"])
            iterations += 1
        except FloatingPointError as error:
            stopped_by = str(error)
        spent += time.process_time() - begun
        if budget * len(curve) / POINTS <= spent < budget:
            curve.append(point(learner.policy, spent, deals, PAIRS_ON_THE_WAY))
    curve.append(point(learner.policy, spent, deals, PAIRS))
    return curve, iterations, stopped_by


def point(
    policy: PolicyNetwork, seconds: float, deals: int, pairs: int
) -> dict[str, Any]:
    """A point of a curve: the strength after so much training."""
    found = judge(policy, pairs)
    return {
        "minutes": round(seconds / 60, 3),
        "deals": deals,
        "strength": round(found.mean, 4),
        "standard_error": round(found.standard_error, 4),
    }


# All runs ---------------------------------------------------------------------------


def read_runs(path: Path) -> dict[Job, dict[str, Any]]:
    """The runs that are finished."""
    if not path.exists():
        return {}
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    return {Job(run["variant"], run["seed"], run["minutes"]): run for run in runs}


def train_all(todo: Sequence[Job], workers: int, path: Path) -> None:
    """Make runs in several processes; each is kept as soon as it is finished."""
    path.parent.mkdir(parents=True, exist_ok=True)
    precision = faster_precision("cpu")
    with process_pool(workers) as pool, path.open("a") as file:
        waiting = [pool.submit(train, job, precision) for job in todo]
        for number, done in enumerate(as_completed(waiting), 1):
            run = done.result()
            file.write(json.dumps(run) + "\n")
            file.flush()
            print(
                f"{number} of {len(todo)}: {run['variant']}, seed {run['seed']}: "
                f"{run['strength']:+.3f} after {run['deals']:,} deals",
                flush=True,
            )


def table(runs: Mapping[Job, Mapping[str, Any]], minutes: float) -> str:
    """The strength of every variant that has been trained for so long."""
    lines = [
        f"{GAME}, {minutes:g} minutes on one core: tricks a deal against hoyle",
        f"{'':30}{'seeds':>6}{'deals':>12}{'mean':>9}{'lowest':>9}{'highest':>9}",
    ]
    for name in VARIANTS:
        made = [run for job, run in runs.items() if fits(job, name, minutes)]
        if made:
            lines.append(row_of(name, made))
    return "\n".join(lines)


def fits(job: Job, variant: str, minutes: float) -> bool:
    return (job.variant, job.minutes) == (variant, minutes)


def row_of(name: str, made: Sequence[Mapping[str, Any]]) -> str:
    """The row of a variant: its mean over the seeds, and their spread."""
    strengths = [run["strength"] for run in made]
    deals = statistics.mean(run["deals"] for run in made)
    mean, low, high = statistics.mean(strengths), min(strengths), max(strengths)
    return (
        f"{name:30}{len(made):>6}{deals:>12,.0f}{mean:>+9.3f}{low:>+9.3f}{high:>+9.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    # All variants with the first seed come first.
    jobs = [Job(name, seed, given.minutes) for seed in SEEDS for name in VARIANTS]
    finished = read_runs(given.out)
    train_all([job for job in jobs if job not in finished], given.workers, given.out)
    print(table(read_runs(given.out), given.minutes))


if __name__ == "__main__":
    main()
