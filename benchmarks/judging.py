"""How quickly agents are judged: programs, networks, and a whole round robin.

    pip install -e ".[torch]"
    python benchmarks/judging.py [--net runs/a ...] [--pairs 20000] [--workers 2]

It prints, each as the best and the median of several runs:

* What a move of an agent that is another program takes, with everything: the question
  is put into words, sent, read and answered by a client in plain Python that plays its
  first legal card, and the answer is read, checked and carried out. First at a table
  with one program, then in a cup of two programs with a process for each seat, where
  starting, ending and recording are counted too.
* Duplicate pairs of deals a second between two networks, in one process, and in several
  with the time that they take to start. Without --net two networks of 2 x 256 with
  random weights are made; how well they play does not matter here.
* The time of a round robin of twelve agents without search, with so many boards that
  what each makes per board has a standard error of 0.02 tricks at the most: random,
  greedy, hoyle, and networks.

Every time is that of the wall clock, so that whatever else the machine does is counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

import whist_env
from whist_agents.net import PolicyNetwork, policy_file, save_policy
from whist_agents.program import MOVE_LIMIT, Program, act, hello
from whist_agents.sight import sight
from whist_env.envs.play import view_of
from whist_train.evaluate import play_pairs, versions
from whist_train.tournament import Cup, InProcess, ProcessPool, Standings, play_cup

GAME = whist_env.game("whist")
AGENTS = 12
STANDARD_ERROR = 0.02
PILOT = 32
"""Boards of each meeting from which it is estimated how many are needed."""

CLIENT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"ready":true}', flush=True)
    elif message["type"] == "act":
        answer = {"move": message["move"], "action": message["legal"][0]}
        print(json.dumps(answer), flush=True)
"""


def best_and_median(what: str, unit: str, figures: list[float], best: float) -> None:
    middle = statistics.median(figures)
    print(f"{what}: {best:.3g} {unit} (median of {len(figures)}: {middle:.3g})")


# Programs ---------------------------------------------------------------------------


def conversation(command: str, deals: int, runs: int) -> list[float]:
    """Milliseconds for a move, with one program that plays all seats of a table."""
    with Program(command, hello(GAME)) as program:
        program.start()
        moves = itertools.count(1)
        return [
            timed_moves(lambda run=run: whole_deals(program, moves, deals, run))
            for run in range(runs)
        ]


def timed_moves(play: Callable[[], int]) -> float:
    begun = time.perf_counter()
    moves = play()
    return 1000 * (time.perf_counter() - begun) / moves


def whole_deals(program: Program, moves: Iterator[int], deals: int, run: int) -> int:
    done = 0
    for deal in range(deals):
        table = GAME.new_table(run * deals + deal)
        while not table.is_over:
            question = act(view_of(table, 0)[0], next(moves))
            name = program.ask(question, MOVE_LIMIT)
            table.apply(GAME.action_names.index(name))
            done += 1
    return done


def cup_of_programs(command: str, boards: int) -> int:
    """Play a cup of two programs; gives how many moves it had."""
    agents = {"first": f"cmd:{command} first", "second": f"cmd:{command} second"}
    cup = Cup(name="programs", format="round robin", agents=agents, boards=boards)
    with tempfile.TemporaryDirectory() as folder:
        play_cup(cup, folder, InProcess())
        lines = (Path(folder) / "records.jsonl").read_text().splitlines()
    return sum(len(json.loads(line)["actions"]) for line in lines)


def measure_programs(folder: Path, runs: int) -> None:
    client = folder / "client.py"
    client.write_text(CLIENT)
    command = f"{sys.executable} -I -S {client}"
    times = conversation(command, 50, runs)
    best_and_median("a move of a program, at a table", "ms", times, min(times))
    times = [timed_moves(lambda: cup_of_programs(command, 16)) for _ in range(runs)]
    best_and_median("a move of a program, in a cup", "ms", times, min(times))


# Networks ---------------------------------------------------------------------------


def networks(folder: Path, count: int) -> list[str]:
    """Specs of networks with random weights."""
    specs = []
    for seed in range(count):
        torch.manual_seed(seed)
        path = folder / f"net{seed}.safetensors"
        network = PolicyNetwork(sight(GAME, advised=True), (256, 256))
        save_policy(path, network, {})
        specs.append(f"net:{path}")
    return specs


def measure_pairs(a: str, b: str, pairs: int, workers: int, runs: int) -> None:
    for processes in sorted({1, workers}):
        rates = []
        for run in range(runs):
            begun = time.perf_counter()
            play_pairs(a, b, GAME, pairs, run, workers=processes)
            rates.append(pairs / (time.perf_counter() - begun))
        what = f"duplicate pairs between networks, processes: {processes}"
        best_and_median(what, "a second", rates, max(rates))


# A round robin ----------------------------------------------------------------------


def round_robin(specs: list[str], boards: int, workers: int) -> Standings:
    cup = Cup(
        name="twelve",
        format="round robin",
        agents={f"{number}: {spec[-20:]}": spec for number, spec in enumerate(specs)},
        options={"reward": "tricks"},
        boards=boards,
    )
    executor = ProcessPool(workers) if workers > 1 else InProcess()
    with tempfile.TemporaryDirectory() as folder:
        return play_cup(cup, folder, executor)


def largest_error(standings: Standings) -> float:
    return max(row.margin.standard_error for row in standings.rows if row.margin)


def measure_round_robin(specs: list[str], workers: int) -> None:
    pilot = largest_error(round_robin(specs, PILOT, workers))
    # A little more than the pilot says, since that is an estimate itself.
    boards = math.ceil(1.1 * PILOT * (pilot / STANDARD_ERROR) ** 2)
    begun = time.perf_counter()
    standings = round_robin(specs, boards, workers)
    seconds = time.perf_counter() - begun
    print(
        f"a round robin of {len(specs)} agents, {boards} boards a meeting, "
        f"{standings.episodes} deals: {seconds:.0f} s, standard error "
        f"{largest_error(standings):.4f} tricks at the most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--net", action="append", default=[], help="a run or a policy")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(", ".join(f"{name} {number}" for name, number in versions().items()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.name == "posix":
            measure_programs(folder, given.runs)
        made = networks(folder, AGENTS)
        nets = [f"net:{policy_file(Path(path))}" for path in given.net] + made
        measure_pairs(nets[0], nets[1], given.pairs, given.workers, given.runs)
        twelve = ["random", "greedy", "hoyle", *nets][:AGENTS]
        measure_round_robin(twelve, given.workers)


if __name__ == "__main__":
    main()
