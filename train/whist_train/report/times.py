"""How long agents have taken, by the logs of a cup.

A log has for each sitting how many actions an agent took, how long all of them took,
how long the longest, and how many took how long, counted in logarithmic steps. Agents
of the process of the cup are asked for many tables at once, so that there is no time of
a single action but its share.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from whist_train.report.reading import CupRecords
from whist_train.tournament.play import middle_of_step


@dataclasses.dataclass(frozen=True)
class TimeUse:
    """How long an agent has taken, in seconds.

    Attributes:
        name: the agent.
        actions: how many actions it has taken.
        total: how long they took together.
        median: what half of the actions did not exceed, to a step of the log.
        high: what 95% of them did not exceed, likewise.
        longest: how long the longest took.
    """

    name: str
    actions: int
    total: float
    median: float
    high: float
    longest: float


def times_of(records: CupRecords) -> list[TimeUse]:
    """How long each agent has taken, in the order of the cup."""
    sittings: dict[str, list[Mapping[str, Any]]] = {}
    for sitting in records.sittings:
        for agent in sitting["agents"]:
            if agent["actions"]:
                sittings.setdefault(agent["name"], []).append(agent)
    return [
        _time_use(name, sittings[name])
        for name in records.cup.agents
        if name in sittings
    ]


def _time_use(name: str, logged: Sequence[Mapping[str, Any]]) -> TimeUse:
    counts: collections.Counter[int] = collections.Counter()
    for step, count in itertools.chain.from_iterable(log["counts"] for log in logged):
        counts[step] += count
    longest = max(log["longest"] for log in logged)
    return TimeUse(
        name,
        actions=sum(log["actions"] for log in logged),
        total=sum(log["seconds"] for log in logged),
        median=min(_quantile(counts, 0.5), longest),
        high=min(_quantile(counts, 0.95), longest),
        longest=longest,
    )


def _quantile(counts: Mapping[int, int], part: float) -> float:
    """The time that a part of all counted did not exceed."""
    wanted = part * sum(counts.values())
    steps = sorted(counts)
    reached = itertools.accumulate(counts[step] for step in steps)
    return next(
        middle_of_step(step)
        for step, count in zip(steps, reached, strict=True)
        if count >= wanted
    )
