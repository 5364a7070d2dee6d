"""What agents did wrong, with what they said."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping
from typing import Final

from whist_env.records import Fault
from whist_train.report.reading import CupRecords
from whist_train.tournament.ledger import Key

SHOWN: Final = 3
"""How many faults of each kind are shown of an agent, with different answers."""


@dataclasses.dataclass(frozen=True)
class FaultShown:
    """A fault of an agent.

    Attributes:
        name: the agent.
        key: round, meeting, board and room.
        fault: what it did.
    """

    name: str
    key: Key
    fault: Fault


@dataclasses.dataclass(frozen=True)
class Faults:
    """The faults of all agents.

    Attributes:
        counts: how often, by agent and kind.
        shown: the first few of each agent and kind whose answers differ.
    """

    counts: Mapping[tuple[str, str], int]
    shown: tuple[FaultShown, ...]

    @property
    def kinds(self) -> list[str]:
        """All kinds of faults that were committed."""
        return sorted({kind for _, kind in self.counts})


def faults_of(records: CupRecords) -> Faults:
    """What agents did wrong, in the order of the cup."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    shown: list[FaultShown] = []
    answers: dict[tuple[str, str], set[str | None]] = {}
    for entry in records.entries:
        if not entry.faults:
            continue
        for fault in records.episode(entry.key).faults:
            name = entry.agents[fault.agent]
            counts[name, fault.kind] += 1
            known = answers.setdefault((name, fault.kind), set())
            if len(known) < SHOWN and fault.reply not in known:
                known.add(fault.reply)
                shown.append(FaultShown(name, entry.key, fault))
    return Faults(counts, tuple(shown))
