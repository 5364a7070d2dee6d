"""How long the solver takes.

    pip install -e '.[solve]'
    python benchmarks/solver.py [--positions 200] [--deals 10] [--seed 0]

Prints the median, the mean and the slowest twentieth of the times in which every card
of the seat to lead is valued: whist with so many cards a hand, by our own search and by
DDS, many worlds in one call as search agents do, and from how many cards on DDS is the
faster; the same as `solve` of a table; the last tricks of German Whist and of games in
which tricks are avoided; whole deals, of which our own search may give up some at its
limit; and the account of a deal, which values the position before each card.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np

import whist_env
from whist_env import Table
from whist_env.solver import SolverLimit, account, dds, solve, solve_worlds

OWN, DDS = "own search", "DDS"


@contextlib.contextmanager
def solved_by(solver: str) -> Iterator[None]:
    """Let one solver alone answer what both could."""
    library = dds.library if solver == DDS else lambda: None
    with mock.patch.object(dds, "library", library):
        with mock.patch.object(dds, "FEWEST_CARDS", 1):
            yield


def solvers() -> list[str]:
    """The solvers that are installed."""
    return [OWN, DDS] if dds.library() is not None else [OWN]


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


def worlds_of(table: Table, number: int, seed: int) -> Any:
    """Worlds in which the others hold each other's cards in any way."""
    record = table.record
    generator = np.random.default_rng(seed)
    held = [[c for c in range(52) if int(hand) >> c & 1] for hand in record.hands]
    cards = len(held[record.seat])
    others = [seat for seat in range(4) if seat != record.seat]
    pool = [card for seat in others for card in held[seat]]
    worlds = np.tile(np.asarray(record.hands), (number, 1))
    for world in worlds:
        rest = generator.permutation(pool).tolist()
        for place, seat in enumerate(others):
            hand = rest[place * cards : (place + 1) * cards]
            world[seat] = sum(1 << card for card in hand)
    return worlds


def time_worlds(cards: int, number: int, seed: int) -> dict[str, float]:
    """The median time of a world, in µs, where many tables have 20 worlds each."""
    times: dict[str, list[float]] = {solver: [] for solver in solvers()}
    for table in tables_of("whist", cards, max(1, number // 20), seed):
        worlds = worlds_of(table, 20, seed)
        for solver in times:
            with solved_by(solver):
                begun = time.perf_counter()
                solve_worlds(table, worlds)
                times[solver].append(1e6 * (time.perf_counter() - begun) / len(worlds))
    return {solver: float(np.mean(each)) for solver, each in times.items()}


def compare_solvers(number: int, seed: int) -> None:
    """Print what a world costs by the cards left, and who is the faster from where."""
    crossing = None
    for cards in range(3, 11):
        times = time_worlds(cards, number if cards < 9 else number // 5, seed)
        parts = [f"{solver} {each:9.0f} µs" for solver, each in times.items()]
        print(f"whist, {cards:2} cards, 20 worlds a call: {', '.join(parts)} a world")
        if len(times) == 2 and crossing is None and times[DDS] < times[OWN]:
            crossing = cards
    if crossing is not None:
        print(
            f"DDS is the faster from {crossing} cards on; it is asked from "
            f"{dds.FEWEST_CARDS} on"
        )


def finished(seed: int, cards: int) -> Table:
    """A deal of whist with so many cards a hand, played at random."""
    generator = np.random.default_rng(seed)
    table = whist_env.game("whist", ranks=cards).new_table(seed=seed)
    while not table.is_over:
        table.apply(int(generator.choice(table.legal_actions())))
    return table


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deals", type=int, default=10)
    chosen = parser.parse_args()
    number, deals, seed = chosen.positions, chosen.deals, chosen.seed
    solve(next(endings("whist", 2, seed)))  # compile
    account(finished(seed, 2))
    compare_solvers(number, seed)
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
    for cards, solver in itertools.product((10, 13), solvers()):
        tables = tables_of("whist", cards, deals, seed)
        jobs = [functools.partial(solve, table) for table in tables]
        with solved_by(solver):
            measure(f"whist, {cards} cards, {solver}", jobs)
    for cards, solver in itertools.product((8, 13), solvers()):
        jobs = [functools.partial(account, finished(at, cards)) for at in range(deals)]
        with solved_by(solver):
            measure(f"account of {cards} tricks, {solver}", jobs)


if __name__ == "__main__":
    main()
