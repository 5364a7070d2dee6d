"""How long the solver takes.

    pip install -e .
    python benchmarks/solver.py [--positions 200] [--seed 0]

Prints the median, the mean and the slowest twentieth of the times in which every card
of the seat to lead is valued: whist with so many cards a hand, once without anything
around it (many worlds in one call, as search agents do) and once as `solve` of a table;
the last tricks of German Whist and of games in which tricks are avoided; and whole
deals, of which some may be given up at the limit.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import whist_env
from whist_env import Table
from whist_env.solver import SolverLimit, solve, solve_worlds


def endings(name: str, cards: int, seed: int) -> Iterator[Table]:
    """Tables at which random play has left so many cards to everybody."""
    game = whist_env.game(name)
    generator = np.random.default_rng(seed)
    while True:
        table = game.new_table(seed=int(generator.integers(2**60)))
        while not table.is_over:
            legal = table.legal_actions()
            if is_ending(table, legal, cards):
                yield table
                break
            table.apply(int(generator.choice(legal)))


def is_ending(table: Table, legal: list[int], cards: int) -> bool:
    """Whether a trick is about to be led with so many cards in each hand to play."""
    record = table.record
    sizes = np.bitwise_count(record.hands)
    is_play = all(action < 52 for action in legal) and record.cards_in_trick == 0
    return bool(is_play and (sizes == cards).all() and is_solved(table))


def is_solved(table: Table) -> bool:
    """Whether this is a position that the solver takes."""
    try:
        solve(table, positions=1)
    except SolverLimit:
        return True
    except ValueError:
        return False
    return True


def measure(what: str, jobs: Sequence[Callable[[], Any]]) -> None:
    """Run the jobs one after the other and print how long one takes."""
    times, given_up = [], 0
    for job in jobs:
        begun = time.perf_counter()
        try:
            job()
        except SolverLimit:
            given_up += 1
        times.append(1000 * (time.perf_counter() - begun))
    median, late = np.percentile(times, [50, 95])
    print(
        f"{what:34} {len(jobs):4} positions: median {median:9.3f} ms, "
        f"mean {np.mean(times):9.3f} ms, 95% {late:9.3f} ms"
        + (f", {given_up} given up" if given_up else "")
    )


def tables_of(name: str, cards: int, number: int, seed: int) -> list[Table]:
    """So many endings."""
    return list(itertools.islice(endings(name, cards, seed), number))


def time_worlds(cards: int, number: int, seed: int) -> None:
    """The time of one world where many are solved in one call."""
    table = next(endings("whist", cards, seed))
    record = table.record
    generator = np.random.default_rng(seed)
    held = [[c for c in range(52) if int(hand) >> c & 1] for hand in record.hands]
    others = [seat for seat in range(4) if seat != record.seat]
    pool = [card for seat in others for card in held[seat]]
    worlds = np.tile(np.asarray(record.hands), (number, 1))
    for world in worlds:
        rest = generator.permutation(pool).tolist()
        for place, seat in enumerate(others):
            hand = rest[place * cards : (place + 1) * cards]
            world[seat] = sum(1 << card for card in hand)
    begun = time.perf_counter()
    solve_worlds(table, worlds)
    each = 1e6 * (time.perf_counter() - begun) / number
    print(f"whist, {cards} cards, {number} worlds in one call: {each:.0f} µs each")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    number, seed = chosen.positions, chosen.seed
    solve(next(endings("whist", 2, seed)))  # compile
    for cards in range(3, 9):
        time_worlds(cards, number, seed)
    for name, cards in [
        *(("whist", cards) for cards in range(3, 9)),
        ("german_whist", 13),
        ("polignac", 8),
        ("slobberhannes", 8),
        ("omnibus_hearts", 6),
        ("omnibus_hearts", 8),
        ("boston", 8),
    ]:
        tables = tables_of(name, cards, number, seed)
        jobs = [functools.partial(solve, table) for table in tables]
        measure(f"{name}, {cards} cards", jobs)
    for cards in (10, 13):
        tables = tables_of("whist", cards, max(2, number // 20), seed)
        jobs = [functools.partial(solve, table) for table in tables]
        measure(f"whist, {cards} cards", jobs)


if __name__ == "__main__":
    main()
