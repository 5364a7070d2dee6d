"""Where the time of self-play training goes.

    pip install -e ".[demo]"
    python benchmarks/training.py [GAME] [--iterations 20] [--precision bfloat16]

Runs the trainer for a game with its default settings and prints decisions a second and
the share of the engine (stepping tables, observations, states), of canonical suits, of
choosing actions, of the critic's judgement, and of learning. Figures are of the whole
process on all cores.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import defaultdict
from typing import Any

import torch

from whist_train.ppo import PPO, PPOConfig
from whist_train.run import faster_precision
from whist_train.strength import training_game


class Stopwatch:
    """Adds up the time that methods take, by the name of their part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def watch(self, owner: Any, method: str, part: str) -> None:
        """From now on count the time of a method of an object."""
        plain = getattr(owner, method)

        @functools.wraps(plain)
        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return plain(*args, **kwargs)
            finally:
                self.seconds[part] += time.perf_counter() - begun

        setattr(owner, method, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="whist")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--precision", choices=("float32", "bfloat16"))
    given = parser.parse_args()
    precision = given.precision or faster_precision("cpu")
    game = training_game(given.game, None)
    learner = PPO(game, PPOConfig(), precision=precision)
    learner.iterate(0.0)

    watch = Stopwatch()
    for method in ("step", "look", "state"):
        watch.watch(learner.tables, method, "engine")
    for method in ("orders", "observation", "state", "mask", "action"):
        watch.watch(learner._canonical, method, "canonical suits")
    watch.watch(learner, "_choose", "choosing actions")
    watch.watch(learner, "_values", "critic")
    watch.watch(learner, "learn", "learning")
    begun = time.perf_counter()
    figures = [learner.iterate(0.0) for _ in range(given.iterations)]
    whole = time.perf_counter() - begun

    plies = given.iterations * learner.config.plies * learner.config.tables
    free = sum(figure["decisions"] for figure in figures)
    deals = sum(figure["deals"] for figure in figures)
    print(f"{given.game}: {precision} on {torch.get_num_threads()} threads")
    print(f"{deals / whole:>12,.0f} deals a second")
    print(f"{plies / whole:>12,.0f} actions a second")
    print(f"{free / whole:>12,.0f} decisions with a choice a second")
    for part, seconds in watch.seconds.items():
        print(f"{seconds / whole:>12.1%} {part}")
    rest = whole - sum(watch.seconds.values())
    print(f"{rest / whole:>12.1%} the rest")


if __name__ == "__main__":
    main()
