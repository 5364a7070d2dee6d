"""The ladder: how strong each kind of agent is, and what a decision costs.

    pip install -e '.[solve]'
    python benchmarks/ladder.py [--game whist] [--deals 150] [--seed 7] [--workers 2]

Every rung plays deals at duplicate against `hoyle`, the rule-of-thumb player: each deal
twice with the sides swapped, the same deals for all rungs. --deals says how many deals
PIMC with 20 samples plays, which is the dearest; the others play more by fixed factors.
Play is deterministic; the times are those of the machine.

What was played is kept in --log, deal by deal, and is not played again: a run that was
broken off goes on where it stopped, and a run with more deals adds to what is there.
Where an agent has changed, delete its lines first.
The table of all that was played goes to --out, and is printed.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import math
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import whist_agents
import whist_env
from whist_agents.spec import ORACLE, load_oracle
from whist_env import Player, Table, Views
from whist_env.envs.view import Oracle
from whist_env.solver import dds
from whist_train.evaluate import play_pairs, versions
from whist_train.statistics import ratio_of_sums

REFERENCE: Final = "hoyle"
PART: Final = 10
"""Deals that are played side by side and kept together, by agents that search."""
MANY: Final = 500
"""The same for the others, which need as long for one table as for a hundred."""


@dataclasses.dataclass(frozen=True)
class Rung:
    """An agent of the ladder.

    Attributes:
        spec: its spec.
        factor: how many deals it plays for each of the dearest agent.
        together: how many of them it plays side by side.
    """

    spec: str
    factor: float
    together: int = PART


LADDER: Final = (
    Rung("random", 20, MANY),
    Rung("greedy", 20, MANY),
    Rung("rollout:worlds=16", 4),
    Rung("rollout:worlds=100", 2),
    Rung("ismcts:iterations=1000", 2),
    Rung("pimc:samples=5", 2),
    Rung("pimc:samples=20", 1),
    Rung("net", 40, MANY),
    Rung(ORACLE, 2),
)


@dataclasses.dataclass(frozen=True)
class Job:
    """A part of the deals of a rung."""

    game: str
    spec: str
    seed: int
    part: int
    deals: int


class Timed:
    """An agent and the time that its decisions take, forced ones left out."""

    def __init__(self, spec: str) -> None:
        self._agent: Player = whist_agents.load(spec)
        self.imagines = getattr(self._agent, "imagines", False)
        self.seconds, self.decisions = 0.0, 0

    def act(self, views: Views) -> npt.NDArray[Any]:
        begun = time.process_time()
        actions = self._agent.act(views)
        self.seconds += time.process_time() - begun
        self.decisions += int((views.action_mask.sum(1) > 1).sum())
        return actions


class TimedOracle:
    """What sees all hands, timed in the same way."""

    def __init__(self, spec: str) -> None:
        self._oracle: Oracle = load_oracle(spec)
        self.seconds, self.decisions = 0.0, 0

    def act_on(
        self, tables: Sequence[Table], random: npt.NDArray[np.uint64]
    ) -> npt.NDArray[Any]:
        begun = time.process_time()
        actions = self._oracle.act_on(tables, random)
        self.seconds += time.process_time() - begun
        self.decisions += sum(len(table.legal_actions()) > 1 for table in tables)
        return actions


@functools.cache
def timed(game: str, spec: str) -> Timed | TimedOracle:
    """An agent that has loaded or compiled all that it needs."""
    agent = TimedOracle(spec) if spec == ORACLE else Timed(spec)
    play_pairs(agent, REFERENCE, whist_env.game(game), 1, oracles=True)
    return agent


def play(job: Job) -> dict[str, Any]:
    """Play a part of the deals of a rung; what is kept of it."""
    agent = timed(job.game, job.spec)
    agent.seconds, agent.decisions = 0.0, 0
    seed = job.part + (job.seed << 32)
    game = whist_env.game(job.game)
    pairs = play_pairs(agent, REFERENCE, game, job.deals, seed, oracles=True)
    return {
        **dataclasses.asdict(job),
        "margins": pairs.results[measure_of(job.game)].sum(1).tolist(),
        "seconds": agent.seconds,
        "decisions": agent.decisions,
        "versions": versions(),
    }


def measure_of(game: str) -> str:
    """What rungs are judged by: tricks where the game counts them, else points."""
    measures = whist_env.game(game).rules.measures
    return "tricks" if "tricks" in measures else "points"


# The log ----------------------------------------------------------------------------


def read_log(path: Path) -> dict[Job, dict[str, Any]]:
    """All that was played, by job."""
    if not path.exists():
        return {}
    fields = [field.name for field in dataclasses.fields(Job)]
    played = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        played[Job(**{name: entry[name] for name in fields})] = entry
    return played


def jobs(game: str, seed: int, deals: int) -> Iterator[Job]:
    """All parts of all rungs, the first part of every rung first."""
    parts = [math.ceil(rung.factor * deals / rung.together) for rung in LADDER]
    for part in range(max(parts)):
        for rung, number in zip(LADDER, parts, strict=True):
            if part < number:
                yield Job(game, rung.spec, seed, part, rung.together)


def play_all(todo: Sequence[Job], workers: int, log: Path) -> None:
    """Play jobs in several processes, each kept as soon as it is done."""
    log.parent.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool, log.open("a") as file:
        waiting = [pool.submit(play, job) for job in todo]
        for number, done in enumerate(as_completed(waiting), 1):
            file.write(json.dumps(done.result()) + "\n")
            file.flush()
            print(f"\r{number} of {len(todo)} parts", end="", flush=True)
    print()


# The page ---------------------------------------------------------------------------


def page(game: str, seed: int, deals: int, played: dict[Job, dict[str, Any]]) -> str:
    """The ladder as a page of the documentation."""
    measure = measure_of(game)
    rows = [
        row_of(rung, [e for j, e in played.items() if fits(j, game, rung.spec, seed)])
        for rung in LADDER
    ]
    rows.append((0.0, f"| `{REFERENCE}` | | 0 | by definition | |"))
    table = "\n".join(row for _, row in sorted(rows))
    solver = "DDS and our own search" if dds.library() else "our own search alone"
    made_by = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"""# The ladder of {game}

What each agent makes against `{REFERENCE}`, in {measure} a deal: the mean over deals at
duplicate, each played twice with the sides swapped, with its 95% interval. Above 0 it
is the better player. The cost is the mean processor time of a decision in which
there is a choice; agents that search think about one after the other, the others of
{MANY} deals at once.

| agent | deals | {measure} a deal | 95% interval | ms a decision |
| --- | ---: | ---: | ---: | ---: |
{table}

The oracle sees all hands: it is no player, and shows what hidden cards are worth.
`whist_agents.search` says how the agents that search think, and where they err.

`python benchmarks/ladder.py --game {game} --seed {seed} --deals {deals}` printed this,
with positions solved by {solver}; {made_by}.
"""


def fits(job: Job, game: str, spec: str, seed: int) -> bool:
    return (job.game, job.spec, job.seed) == (game, spec, seed)


def row_of(rung: Rung, parts: Sequence[dict[str, Any]]) -> tuple[float, str]:
    """What a rung makes, to sort by, and its row in the table."""
    margins = [margin for part in parts for margin in part["margins"]]
    found = ratio_of_sums(margins, [2] * len(margins))
    decisions = sum(part["decisions"] for part in parts)
    cost = 1000 * sum(part["seconds"] for part in parts) / decisions
    name = f"`{rung.spec}`" + (" (sees all hands)" if rung.spec == ORACLE else "")
    return found.mean, (
        f"| {name} | {len(margins)} | {found.mean:+.3f} | "
        f"{found.low:+.3f} to {found.high:+.3f} | {cost:.2g} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="whist", choices=whist_env.games())
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--log", type=Path, default=Path("runs/ladder.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("docs/ladder.md"))
    given = parser.parse_args()
    played = read_log(given.log)
    planned = jobs(given.game, given.seed, given.deals)
    todo = [job for job in planned if job not in played]
    if todo:
        play_all(todo, given.workers, given.log)
    text = page(given.game, given.seed, given.deals, read_log(given.log))
    given.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
