"""Playing a cup from its beginning, or from where it was cut short."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from whist_env.records import DamagedLine
from whist_train.tournament.cup import Cup
from whist_train.tournament.executor import Executor
from whist_train.tournament.folder import cup_in, kept
from whist_train.tournament.ledger import Entry, Ledger, entry_of, locked_records
from whist_train.tournament.play import Sitting
from whist_train.tournament.schedule import (
    Meeting,
    rounds_known_beforehand,
    swiss_round,
)
from whist_train.tournament.shards import WHOLE, Shard, cut
from whist_train.tournament.standings import (
    Standings,
    disqualified,
    has_left,
    standings,
)


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
        ValueError: the folder holds another cup, an agent cannot be, or the weights of
            a network are not those with which the cup began.
    """
    _refuse_shards(cup, shard)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked_records(folder) as file:
        settled = kept(cup, folder, shard)
        ledger = Ledger(folder, file, settled)
        entries = _Play(settled, ledger, executor, shard).run()
        ledger.finish()
    for complaint in ledger.complaints:
        warnings.warn(complaint, DamagedLine, stacklevel=2)
    return standings(cup_in(folder), entries)


def _refuse_shards(cup: Cup, shard: Shard) -> None:
    if shard.of > 1 and cup.format == "swiss":
        raise ValueError(
            "a Swiss cup cannot be played in shards: who meets whom depends on results"
        )
    if shard.of > 1 and cup.seed is None:
        raise ValueError(
            "shards of a cup need a seed in common: write seed = and a large number "
            "that nobody can guess into its file"
        )


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
        planned = list(cut(self._cup, meetings, self._sittings))
        self._sittings += len(planned)
        sittings = [s for s in planned if self._shard.has(s.number)]
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

    def _is_out(self, sitting: Sitting) -> bool:
        return has_left(sitting.meeting, self._out)
