"""How fast each game is, beside Whist in the same run, and how long it compiles.

    python benchmarks/games.py [--rounds 5] [--seconds 0.5] [--json]

For each game: the numbers of its observation, its actions, the bytes of a table,
random play of many tables with int8 observations and masks on one core in actions a
second, the ratio of that to Whist (the median of the ratios of each round), and the
seconds that a fresh process with an empty cache needs for the import and the first
steps, nearly all of them compilation. A later process loads from the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

import whist_env

TABLES = 2048
STEPS = 20


def tables_of(game: str) -> whist_env.Tables:
    """Tables of a game that have played for a while, so that they are not in step."""
    tables = whist_env.vector(game, num_tables=TABLES, seed=0, dtype="int8")
    tables.reset()
    for _ in range(200):
        tables.step(tables.sample_actions())
    return tables


def rate(tables: whist_env.Tables, seconds: float) -> float:
    """Actions a second."""
    actions = np.empty(TABLES, np.int64)
    done = 0
    begun = now = time.perf_counter()
    while now - begun < seconds:
        for _ in range(STEPS):
            tables.step(tables.sample_actions(actions))
        done += STEPS * TABLES
        now = time.perf_counter()
    return done / (now - begun)


def first_start(game: str) -> float:
    """Seconds of a process that finds nothing compiled."""
    code = (
        "import whist_env\n"
        f"tables = whist_env.vector({game!r}, num_tables=4, seed=0)\n"
        "tables.reset(); tables.step(tables.sample_actions())\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - begun


def measure(rounds: int, seconds: float) -> list[dict[str, Any]]:
    """A row for each game."""
    tables = {name: tables_of(name) for name in whist_env.games()}
    rates: dict[str, list[float]] = {name: [] for name in tables}
    for _ in range(rounds):
        for name, played in tables.items():
            rates[name].append(rate(played, seconds))
    return [
        {
            "game": name,
            "features": played.game.features.size,
            "actions": played.game.num_actions,
            "bytes": played.game.rules.record.itemsize,
            "per_second": statistics.median(rates[name]),
            "to_whist": statistics.median(
                a / b for a, b in zip(rates[name], rates["whist"], strict=True)
            ),
            "first_start_s": first_start(name),
        }
        for name, played in tables.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    given = parser.parse_args()
    rows = measure(given.rounds, given.seconds)
    if given.json:
        print(json.dumps(rows))
        return
    print(f"{'game':<24} features actions bytes  per second  to whist  compiling")
    for row in rows:
        print(
            f"{row['game']:<24} {row['features']:>8} {row['actions']:>7} "
            f"{row['bytes']:>5} {row['per_second']:>11,.0f} {row['to_whist']:>9.2f} "
            f"{row['first_start_s']:>8.1f} s"
        )


if __name__ == "__main__":
    main()
