"""Everything that the folders of a cup hold."""

from __future__ import annotations

import dataclasses
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from whist_env.records import DamagedLine, Episode
from whist_train.tournament import Cup, Standings, read_records, standings
from whist_train.tournament.ledger import LOG, Entry, Key

_TIMES: Final = {"name", "actions", "seconds", "longest", "counts"}
"""What a log has of each agent."""


@dataclasses.dataclass(frozen=True)
class CupRecords:
    """A cup as it was played.

    Attributes:
        standings: where everybody stands.
        entries: what there is to know of each episode, in the order of the cup.
        lines: the record of each episode.
        sittings: the lines of the logs: times, which differ from run to run.
    """

    standings: Standings
    entries: tuple[Entry, ...]
    lines: Mapping[Key, str]
    sittings: tuple[Mapping[str, Any], ...]

    @property
    def cup(self) -> Cup:
        """What was to be played."""
        return self.standings.cup

    def episode(self, key: Key) -> Episode:
        """The episode of a record."""
        return Episode.from_json(self.lines[key])


def read_cup_records(folders: Sequence[str | os.PathLike[str]]) -> CupRecords:
    """Everything that the folders of a cup, or of its shards, hold.

    A line that cannot be read is reported with the warning `DamagedLine`.

    Raises:
        FileNotFoundError: a folder holds no cup.
        ValueError: the folders hold different cups.
    """
    records = read_records(folders)
    logs = dict[str, None]()
    for folder in map(Path, folders):
        # What two folders have in common counts once.
        logs |= dict.fromkeys(_log_lines(folder / LOG))
    return CupRecords(
        standings(records.cup, records.entries),
        tuple(sorted(records.entries, key=lambda entry: entry.key)),
        records.lines,
        tuple(map(json.loads, logs)),
    )


def _log_lines(path: Path) -> Iterator[str]:
    """The lines of a log that can be read."""
    if not path.exists():
        return
    for number, raw in enumerate(path.read_bytes().splitlines(), start=1):
        if _is_log(raw):
            yield raw.decode()
        else:
            what = f"{path}, line {number} is damaged and was left out"
            warnings.warn(what, DamagedLine, stacklevel=3)


def _is_log(raw: bytes) -> bool:
    """Whether a line is one that a sitting has written."""
    try:
        agents = json.loads(raw.decode())["agents"]
        return all(_TIMES <= agent.keys() for agent in agents)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return False
