"""Where the time of training goes.

    pip install -e ".[demo]"
    python benchmarks/training.py [GAME] [--seconds 20] [--device cuda]

Runs the trainer for a game with its usual settings, each of its three phases for some
seconds: the lessons, the critic alone, and self-play. For each it prints the samples a
second and the shares of its parts. A sample is a decision with a choice: in lessons one
at which actions were tried, whether it mattered or not, later one that was learnt from.
Figures are of the whole process on all cores.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import defaultdict
from typing import Any

import torch

from whist_train.ppo import PPO, PPOConfig
from whist_train.run import check_device, faster_precision
from whist_train.strength import training_game


class Stopwatch:
    """Adds up the time that methods take, by the name of their part.

    Time within a method that is watched as well counts for that one alone. The methods
    give their results in main memory, so a GPU has finished when they return.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._counted = 0.0

    def watch(self, owner: Any, part: str, *methods: str) -> None:
        """From now on count the time of some methods of an object."""
        for method in methods:
            setattr(owner, method, self._timed(getattr(owner, method), part))

    def _timed(self, plain: Any, part: str) -> Any:
        @functools.wraps(plain)
        def timed(*args: Any, **kwargs: Any) -> Any:
            begun, counted = time.perf_counter(), self._counted
            try:
                return plain(*args, **kwargs)
            finally:
                spent = time.perf_counter() - begun
                self.seconds[part] += spent - (self._counted - counted)
                self._counted = counted + spent

        return timed


def watched(learner: PPO) -> Stopwatch:
    """A stopwatch on the parts of a learner that is about to take lessons."""
    watch = Stopwatch()
    lessons = learner._lessons
    assert lessons is not None
    watch.watch(lessons._labeller, "labelling", "lesson")
    watch.watch(lessons, "exam", "_exam")
    watch.watch(lessons, "fitting", "_step")
    watch.watch(learner.tables, "engine", "step", "look", "state")
    watch.watch(
        learner._sight,
        "sight",
        *("orders", "observation", "state", "mask", "action"),
        *("canonical_action", "by_action"),
    )
    watch.watch(learner, "choosing", "_choose")
    watch.watch(learner, "judging", "judge")
    watch.watch(learner, "learning", "_improve", "learn")
    return watch


def measure(
    learner: PPO, watch: Stopwatch, phase: str, progress: float, seconds: float
) -> None:
    """Run a phase for some seconds and print what came of it."""
    learner.iterate(progress)  # compiles what is not compiled yet
    watch.seconds.clear()
    samples = deals = 0.0
    begun = time.perf_counter()
    while (whole := time.perf_counter() - begun) < seconds:
        figures = learner.iterate(progress)
        samples += figures["decisions"]
        deals += figures["deals"]
    print(f"\n{phase}")
    print(f"{samples / whole:>12,.0f} samples a second")
    print(f"{deals / whole:>12,.0f} deals a second")
    for part, spent in watch.seconds.items():
        print(f"{spent / whole:>12.1%} {part}")
    print(f"{1 - sum(watch.seconds.values()) / whole:>12.1%} the rest")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="whist")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", choices=("float32", "bfloat16"))
    given = parser.parse_args()
    check_device(given.device)
    precision = given.precision or faster_precision(given.device)
    game = training_game(given.game, None)
    learner = PPO(game, PPOConfig(), device=given.device, precision=precision)
    config = learner.config
    watch = watched(learner)
    threads = torch.get_num_threads()
    print(f"{given.game} on {given.device}: {precision}, {threads} threads")
    after_lessons = config.lessons + config.critic_alone
    measure(learner, watch, "lessons", 0.0, given.seconds)
    measure(learner, watch, "the critic alone", config.lessons, given.seconds)
    measure(learner, watch, "self-play", after_lessons, given.seconds)


if __name__ == "__main__":
    main()
