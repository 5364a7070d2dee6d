"""How long worlds take: what an agent knows is read once, then worlds are drawn.

    pip install -e .
    python benchmarks/worlds.py [--worlds 20000] [--positions 9] [--seed 0] [GAME ...]

For each game, at the first trick and in the middle of the deal: the median over some
positions of random play of the time to take note of what the agent to act knows and to
count (µs), of the time to draw one world (µs), and the worlds drawn in a second.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator

import numpy as np

import whist_env
from whist_env import Table, Worlds
from whist_env.worlds.compiled import sampler_of
from whist_env.worlds.worlds import compiled_loops


def positions(name: str, played: int, seed: int) -> Iterator[Table]:
    """Tables at which so many fourths of the cards have been played at random."""
    game = whist_env.game(name)
    generator = np.random.default_rng(seed)
    while True:
        table = game.new_table(seed=int(generator.integers(2**60)))
        cards = sum(int(card) >= 0 for card in table.record.pack)
        while not table.is_over and table.record.deals_played == 0:
            legal = table.legal_actions()
            is_play = all(action < 52 for action in legal)
            if is_play and table.record.cards_played == played * cards // 4:
                yield table
                break
            table.apply(int(generator.choice(legal)))


def time_reading(table: Table) -> float:
    """The seconds that it takes to note what the agent to act knows, and to count."""
    read_view = compiled_loops(table.game.rules).read_view
    plan = np.zeros(sampler_of(table.game.name).PLAN.itemsize, np.uint8)
    memory = np.frombuffer(table.record.tobytes(), np.uint8)
    times = []
    for _ in range(20):
        begun = time.perf_counter()
        read_view(memory, table.agent, plan)
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


def time_drawing(table: Table, number: int) -> float:
    """The seconds that it takes to draw one world."""
    worlds = Worlds(table)
    begun = time.perf_counter()
    worlds.hands(number, seed=0)
    return (time.perf_counter() - begun) / number


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=whist_env.games(), metavar="GAME")
    parser.add_argument("--worlds", type=int, default=20_000)
    parser.add_argument("--positions", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    print(f"{'':24}{'':12}{'read, µs':>10}{'draw, µs':>10}{'worlds/s':>12}")
    for name in chosen.games:
        for when, played in (("first trick", 0), ("mid-deal", 2)):
            found = positions(name, played, chosen.seed)
            tables = list(itertools.islice(found, chosen.positions))
            reading = np.median([time_reading(table) for table in tables])
            drawing = np.median(
                [time_drawing(table, chosen.worlds) for table in tables]
            )
            print(
                f"{name:24}{when:12}{1e6 * reading:10.1f}{1e6 * drawing:10.2f}"
                f"{1 / drawing:12,.0f}"
            )


if __name__ == "__main__":
    main()
