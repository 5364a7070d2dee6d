"""Playing a cup from its beginning, or from where it was cut short."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from whist_env.records import DamagedLine
from whist_train.tournament.cup import Cup, load_all
from whist_train.tournament.executor import Executor
from whist_train.tournament.ledger import (
    RECORDS,
    Entry,
    Ledger,
    Lines,
    entry_of,
    write_new,
)
from whist_train.tournament.play import Sitting, sittings_of
from whist_train.tournament.schedule import (
    Meeting,
    rounds_known_beforehand,
    swiss_round,
)
from whist_train.tournament.standings import Standings, disqualified, standings

CUP: Final = "cup.json"
"""The cup as it was asked for."""

SETTLED: Final = "settled.json"
"""The cup as it is played: a run stands for the checkpoint that was its newest."""


SHARD: Final = "shard.txt"
"""Which part of the cup is played in the folder, such as ``2/8``."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """A part of a cup: every ``of``-th sitting, from the ``number``-th, from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ValueError(
                f"shard {self.number}/{self.of}: the first number must be from 1 to "
                "the second"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that a text such as ``"2/8"`` names.

        Raises:
            ValueError: it names none.
        """
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal()):
            raise ValueError(
                f"shard {text!r}: write it as 2/8, for the second of eight"
            )
        return cls(int(number), int(of))


WHOLE: Final = Shard(1, 1)
"""No part of a cup, but all of it."""


def play_cup(
    cup: Cup,
    folder: str | os.PathLike[str],
    executor: Executor,
    shard: Shard = WHOLE,
) -> Standings:
    """Play a cup into a folder, or what is missing there.

    Args:
        cup: the cup.
        folder: the folder, which is made if there is none.
        executor: where sittings are played.
        shard: the part that is played.

    Returns:
        The standings by all records of the folder.

    Raises:
        BlockingIOError: another process plays the cup in this folder.
        OSError: a file cannot be written.
        ValueError: the folder holds another cup, or an agent cannot be.
    """
    if shard.of > 1 and cup.format == "swiss":
        raise ValueError(
            "a Swiss cup cannot be played in shards: who meets whom depends on results"
        )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cup = _kept(cup, folder, shard)
    with Ledger(folder) as ledger:
        entries = _Play(cup, ledger, executor, shard).run()
        ledger.finish()
        for complaint in ledger.complaints:
            warnings.warn(complaint, DamagedLine, stacklevel=2)
    return standings(cup, entries)


def _kept(cup: Cup, folder: Path, shard: Shard) -> Cup:
    """The cup of a folder, with the specs as they were settled at first.

    Raises:
        ValueError: it is another cup or shard, or an agent cannot be.
    """
    path, settled = folder / CUP, folder / SETTLED
    if not path.exists():
        if (folder / RECORDS).exists():
            raise ValueError(
                f"{folder} holds records, but no {CUP}: name another folder"
            )
        played = cup.settled()
        load_all(played)
        write_new(folder / SHARD, f"{shard}\n")
        write_new(settled, played.to_json())
        write_new(path, cup.to_json())
    kept = _read(path)
    changed = [
        field.name
        for field in dataclasses.fields(Cup)
        if getattr(kept, field.name) != getattr(cup, field.name)
    ]
    if changed:
        raise ValueError(
            f"{folder} holds a cup with another {' and '.join(changed)}; name another "
            "folder, or ask for the same cup to go on with it"
        )
    kept_shard = Shard.parse((folder / SHARD).read_text("utf-8").strip())
    if kept_shard != shard:
        raise ValueError(
            f"{folder} holds shard {kept_shard} of this cup, not {shard}; every shard "
            "needs a folder of its own"
        )
    return _read(settled)


def _read(path: Path) -> Cup:
    return Cup.from_json(path.read_text("utf-8"), str(path))


class _Play:
    """A cup that is being played."""

    def __init__(
        self, cup: Cup, ledger: Ledger, executor: Executor, shard: Shard
    ) -> None:
        self._cup = cup
        self._ledger = ledger
        self._executor = executor
        self._shard = shard
        self._entries: list[Entry] = []
        self._out: set[str] = set()
        self._sittings = 0

    def run(self) -> list[Entry]:
        """Play everything; gives what there is to know of every episode."""
        if self._cup.format == "swiss":
            for number in range(1, (self._cup.rounds or 0) + 1):
                self._play(self._next_round(number))
        else:
            rounds = rounds_known_beforehand(self._cup)
            self._play([meeting for meetings in rounds for meeting in meetings])
        return self._entries

    def _next_round(self, number: int) -> list[Meeting]:
        """A round of a Swiss cup, which follows from those before it."""
        met: dict[str, set[str]] = {name: set() for name in self._cup.entrants}
        rounds: dict[int, set[str]] = {}
        for entry in self._entries:
            first, second = entry.entrants
            met[first].add(second)
            met[second].add(first)
            rounds.setdefault(entry.key[0], set()).update(entry.entrants)
        for present in rounds.values():
            for name in set(met) - present:
                met[name].add(name)  # a bye
        rows = standings(self._cup, self._entries).rows
        order = [row.name for row in rows if row.rank is not None]
        return swiss_round(self._cup, number, order, met)

    def _play(self, meetings: Sequence[Meeting]) -> None:
        """Play meetings, and write them down in their order."""
        sittings = [s for s in self._cut(meetings) if self._is_ours(s)]
        missing = (
            sitting
            for sitting in sittings
            if self._ledger.recorded(sitting) is None and not self._is_out(sitting)
        )
        with contextlib.closing(self._executor.play(self._cup, missing)) as played:
            for sitting in sittings:
                if self._is_out(sitting):
                    continue
                lines = self._ledger.recorded(sitting)
                if lines is not None:
                    self._ledger.commit(lines)
                else:
                    # Those of agents that are out meanwhile are passed over.
                    new = next(p for p in played if p.number == sitting.number)
                    lines = new.lines
                    self._ledger.commit(lines, new.log)
                self._note(lines)

    def _note(self, lines: Sequence[str]) -> None:
        entries = [entry_of(line) for line in lines]
        self._entries += entries
        self._out |= disqualified(self._cup, entries)

    def _cut(self, meetings: Sequence[Meeting]) -> Iterator[Sitting]:
        for meeting in meetings:
            for sitting in sittings_of(self._cup, meeting, self._sittings):
                self._sittings += 1
                yield sitting

    def _is_ours(self, sitting: Sitting) -> bool:
        return sitting.number % self._shard.of == self._shard.number - 1

    def _is_out(self, sitting: Sitting) -> bool:
        entrants = sitting.meeting.entrants or sitting.meeting.agents
        return not self._out.isdisjoint(entrants)


def read_standings(folders: Sequence[str | os.PathLike[str]]) -> Standings:
    """The standings by the records of a cup, or of its shards.

    A line that cannot be read is reported with the warning `DamagedLine`.

    Raises:
        FileNotFoundError: a folder holds no cup.
        ValueError: the folders hold different cups.
    """
    if not folders:
        raise ValueError("name at least one folder of a cup")
    cups: list[Cup] = []
    lines = Lines()
    for folder in map(Path, folders):
        if not (folder / CUP).exists():
            raise FileNotFoundError(
                f"{folder} is no folder of a cup: it holds no {CUP}"
            )
        cups.append(_read(folder / CUP))
        if cups[-1] != cups[0]:
            raise ValueError(f"{folders[0]} and {folder} hold different cups")
        if (folder / RECORDS).exists():
            lines.read(folder / RECORDS)
    for complaint in lines.complaints:
        warnings.warn(complaint, DamagedLine, stacklevel=2)
    return standings(cups[0], lines.entries.values())
