"""How fast everything is, beside other projects in the same run.

    pip install -e ".[bench]"
    python benchmarks/speed.py [--rounds 5] [--seconds 1.0] [--json]

Everything runs on one core, in turn, for several rounds; the figures are medians over
the rounds, and a ratio is the median of the ratios of each round, so that a machine
that is faster now and slower then does not favour anyone. "Action" is one decision of a
player. All play is uniformly random among legal actions.

Peers, each by its fastest path from Python:

* OpenSpiel ``bridge``, the play of the cards after an auction that ends in 1NT, begun
  from a clone of a dealt state (its deal, 52 chance nodes, is left out of the figure;
  ours are included): legal actions, a draw, the tensor written into a buffer by
  ``make_observation(...).set_from``, the action applied.
* OpenSpiel's random rollouts in C++: ``MCTSBot`` with one simulation of many rollouts.
* PettingZoo classic ``tictactoe``: the documented loop with ``action_space.sample``.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo

import whist_env
from whist_env import whist_v0

Timed = Callable[[float], tuple[int, float]]
"""Runs for about so many seconds; returns how many units it did and in what time."""


def repeated(unit: Callable[[], int]) -> Timed:
    """Time a function that does some work and returns how many units it did."""

    def timed(seconds: float) -> tuple[int, float]:
        done = 0
        begun = now = time.perf_counter()
        while now - begun < seconds:
            done += unit()
            now = time.perf_counter()
        return done, now - begun

    unit()
    return timed


# Ours -------------------------------------------------------------------------------


def vector(dtype: str, observations: bool, threads: int = 1) -> Timed:
    tables = whist_env.vector(
        "whist",
        num_tables=2048 if threads == 1 else 16384,
        seed=0,
        dtype=dtype,
        observations=observations,
        threads=threads,
    )
    tables.reset()
    actions = np.empty(tables.num_tables, np.int64)

    def steps() -> int:
        for _ in range(20):
            tables.step(tables.sample_actions(actions))
        return 20 * tables.num_tables

    return repeated(steps)


def playouts() -> Timed:
    table = whist_env.game("whist").new_table(seed=0)

    def play() -> int:
        table.play_out(2000, seed=1)
        return 2000 * 52

    return repeated(play)


def native(dtype: type[np.generic] | None) -> Timed:
    table = whist_env.game("whist").new_table(seed=0)
    out = None if dtype is None else np.zeros(table.game.features.size, dtype)

    def deal() -> int:
        table.reset()
        if out is not None:
            table.observe(out=out)
        draw = random.random
        for _ in range(52):
            legal = table.legal_actions()
            table.apply(legal[int(draw() * len(legal))], out)
        return 52

    return repeated(deal)


def agent_loop(env: Any) -> Timed:
    """The loop of PettingZoo's documentation, with masked sampling."""
    env.reset(seed=0)

    def episode() -> int:
        env.reset()
        count = 0
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(env.action_space(agent).sample(observation["action_mask"]))
            count += 1
        return count

    return repeated(episode)


def clones() -> Timed:
    table = whist_env.game("whist").new_table(seed=0)

    def copy() -> int:
        clone = table.clone
        for _ in range(1000):
            clone()
        return 1000

    return repeated(copy)


# Peers ------------------------------------------------------------------------------


def dealt_bridge() -> Any:
    import pyspiel

    game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    state = game.new_initial_state()
    draw = random.Random(0)
    while state.is_chance_node():
        state.apply_action(draw.choice(state.legal_actions()))
    one_no_trump, no_bid = 59, 52
    for call in (one_no_trump, no_bid, no_bid, no_bid):
        state.apply_action(call)
    return game, state


def openspiel_bridge(tensor: bool) -> Timed:
    from open_spiel.python.observation import make_observation

    game, dealt = dealt_bridge()
    observation = make_observation(game)

    def deal() -> int:
        state = dealt.clone()
        draw = random.random
        count = 0
        while not state.is_terminal():
            if tensor:
                observation.set_from(state, state.current_player())
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            count += 1
        return count

    return repeated(deal)


def openspiel_rollouts() -> Timed:
    import pyspiel

    game, dealt = dealt_bridge()
    rollouts = 2000
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)

    def search() -> int:
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 1, False)
        bot.mcts_search(dealt)
        return rollouts * 52

    return repeated(search)


# The table --------------------------------------------------------------------------


def second_start() -> float:
    """Seconds of a fresh process for the import and the first step."""
    code = (
        "import whist_env, numpy\n"
        "tables = whist_env.vector('whist', num_tables=4, seed=0)\n"
        "tables.reset(); tables.step(tables.sample_actions())\n"
    )
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - begun


def measure(rounds: int, seconds: float) -> dict[str, list[float]]:
    contestants = {
        "vector, int8 observations": vector("int8", True),
        "vector, float32 observations": vector("float32", True),
        "vector, no observations": vector("int8", False),
        "vector, int8, 2 threads, 16384 tables": vector("int8", True, 2),
        "playouts": playouts(),
        "native table, float32 observation": native(np.float32),
        "native table, no observation": native(None),
        "env() agent loop": agent_loop(whist_v0.env()),
        "clones": clones(),
        "OpenSpiel bridge, with tensor": openspiel_bridge(True),
        "OpenSpiel bridge, no tensor": openspiel_bridge(False),
        "OpenSpiel bridge, C++ rollouts": openspiel_rollouts(),
        "PettingZoo tictactoe agent loop": agent_loop(
            pettingzoo.make("aec", "classic/tictactoe-v3")
        ),
    }
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            count, taken = run(seconds)
            rates[name].append(count / taken)
    return rates


RATIOS = (
    ("vector, int8 observations", "OpenSpiel bridge, with tensor"),
    ("vector, float32 observations", "OpenSpiel bridge, with tensor"),
    ("playouts", "OpenSpiel bridge, C++ rollouts"),
    ("native table, float32 observation", "OpenSpiel bridge, with tensor"),
    ("native table, no observation", "OpenSpiel bridge, no tensor"),
    ("env() agent loop", "PettingZoo tictactoe agent loop"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    given = parser.parse_args()
    rates = measure(given.rounds, given.seconds)
    starts = [second_start() for _ in range(given.rounds)]
    medians = {name: statistics.median(values) for name, values in rates.items()}
    ratios = {
        f"{ours} / {peer}": statistics.median(
            a / b for a, b in zip(rates[ours], rates[peer], strict=True)
        )
        for ours, peer in RATIOS
    }
    start = statistics.median(starts)
    if given.json:
        print(json.dumps({"per_second": medians, "ratios": ratios, "start_s": start}))
        return
    print("what, on one core unless said                 per second")
    for name, value in medians.items():
        print(f"{name:<42} {value:>13,.0f}")
    print(f"{'import and first step, second process':<42} {start:>11.2f} s")
    print("\nratio")
    for name, value in ratios.items():
        print(f"{name:<72} {value:>6.1f}")


if __name__ == "__main__":
    main()
