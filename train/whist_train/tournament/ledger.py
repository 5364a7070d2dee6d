"""The records of a cup on disk: lines that are only added, in the order of the plan.

The final file is the same to the byte however often the cup was cut short, by whatever,
and however many processes played it. A sitting is written in one piece when all before
it are written. What a killed writer has torn is played again. If anything else is wrong
with the file, it is kept under another name, and what can be read of it is used.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self, TypeAlias

from whist_env.records import Episode, RecordError, Start
from whist_env.records.jsonl import is_torn, write_all
from whist_train.tournament.cup import Cup
from whist_train.tournament.play import Sitting, board_seed

RECORDS: Final = "records.jsonl"
"""One line an episode, in the form of ``docs/episode.schema.json``."""

LOG: Final = "log.jsonl"
"""Times and standard error: what differs from run to run."""

DAMAGED: Final = "records.damaged-{}.jsonl"
"""The name of a file of records that was damaged, with a number."""

_UNREADABLE: Final = (
    *(ValueError, KeyError, TypeError, IndexError, AttributeError),
    *(OverflowError, RecursionError),
)
"""What is raised by reading a line that is no record of a cup."""

Key: TypeAlias = tuple[int, int, int, int]
"""Round, meeting, board and room."""


class Entry(NamedTuple):
    """What standings need of a record.

    Attributes:
        key: round, meeting, board and room.
        rooms: in how many rooms the board is played.
        entrants: the two sides; empty where everybody plays for itself.
        sides: the side of each seat, 0 or 1.
        agents: the agent at each seat.
        returns: what each seat earned.
        faults: seat and kind of each fault.
        forfeited: whether the episode ended by a forfeit.
    """

    key: Key
    rooms: int
    entrants: tuple[str, ...]
    sides: tuple[int, ...]
    agents: tuple[str, ...]
    returns: tuple[float, ...]
    faults: tuple[tuple[int, str], ...]
    forfeited: bool

    def entrant(self, seat: int) -> str:
        """For whom a seat plays: a side, or the agent itself."""
        return self.entrants[self.sides[seat]] if self.entrants else self.agents[seat]


def entry_of(line: str) -> Entry:
    """What standings need of a line.

    Raises:
        RecordError: it is no record of a cup.
    """
    try:
        return _entry(json.loads(line))
    except _UNREADABLE as error:
        raise RecordError(f"this is no record of a cup: {error!r}") from None


def _entry(fields: dict[str, Any]) -> Entry:
    notes, agents = fields["notes"], fields["agents"]
    key = tuple(int(notes[name]) for name in ("round", "meeting", "board", "room"))
    sided = "first" in notes
    return Entry(
        key=(key[0], key[1], key[2], key[3]),
        rooms=int(notes["rooms"]),
        entrants=(notes["first"], notes["second"]) if sided else (),
        sides=tuple(map(int, notes["sides"])) if sided else (),
        agents=tuple(agents),
        returns=tuple(map(float, fields["returns"])),
        faults=tuple(
            (int(fault["agent"]), fault["kind"]) for fault in fields.get("faults", ())
        ),
        forfeited=bool(fields.get("forfeit", False)),
    )


class Lines:
    """The lines of files of records by their keys.

    Args:
        cup: the cup that they are to belong to, with its seed.

    Attributes:
        by_key: each line once, without its end.
        entries: what standings need of each.
        complaints: what was wrong with the files, in words.
    """

    def __init__(self, cup: Cup) -> None:
        self._cup = cup
        self.by_key: dict[Key, str] = {}
        self.entries: dict[Key, Entry] = {}
        self.complaints: list[str] = []

    def read(self, path: Path) -> Self:
        """Add what can be read of a file.

        A line that cannot, that belongs to no board of the cup or cannot have been
        played so, or that has another content than one before with the same key, is
        complained of and left out.
        """
        with open(path, "rb") as file:
            for number, raw in enumerate(file, start=1):
                self._add(f"{path}, line {number}", raw)
        return self

    def entries_of(self, sitting: Sitting) -> list[Entry]:
        """What there is of a sitting."""
        return [self.entries[key] for key in _keys(sitting) if key in self.entries]

    def played(self, sitting: Sitting) -> tuple[str, ...] | None:
        """The lines of a sitting, if all are there.

        One that says that others sat there is complained of and forgotten.
        """
        for key in _keys(sitting):
            line = self.by_key.get(key)
            if line is not None and not _is_from(sitting, key, line):
                del self.by_key[key], self.entries[key]
                what = "is not of those who sat there, and was left out"
                self.complaints.append(f"the record of {_in_words(key)} {what}")
        lines = [self.by_key.get(key) for key in _keys(sitting)]
        return None if None in lines else tuple(line for line in lines if line)

    def _add(self, where: str, raw: bytes) -> None:
        if not raw.endswith(b"\n"):
            self.complaints.append(f"{where} is torn and was left out")
            return
        try:
            line = raw[:-1].decode()
            entry = entry_of(line)
            known = self.by_key.get(entry.key)
            if known is None:
                episode = Episode.from_json(line)
                _check_belongs(self._cup, entry, episode)
                _check_played(self._cup, episode, line)
        except (UnicodeDecodeError, RecordError) as error:
            why = f": {error}" if isinstance(error, ForeignRecord) else ""
            self.complaints.append(f"{where} is damaged and was left out{why}")
            return
        if known is None:
            self.by_key[entry.key] = line
            self.entries[entry.key] = entry
        elif known != line:
            self.complaints.append(
                f"{where} differs from another record of {_in_words(entry.key)}, and "
                "was left out"
            )


class ForeignRecord(RecordError):
    """A record that is of no board of the cup, or not as that was played."""


def _check_belongs(cup: Cup, entry: Entry, episode: Episode) -> None:
    """Check that a record is of some board of a cup.

    Raises:
        ForeignRecord: it is of none.
    """
    number, _, board, room = entry.key
    strangers = {*entry.agents} - {*cup.agents} | {*entry.entrants} - {*cup.entrants}
    if strangers:
        raise ForeignRecord(f"nobody of this cup is called {min(strangers)!r}")
    if not (number > 0 and 0 < board <= cup.boards and 0 < room <= entry.rooms):
        raise ForeignRecord(f"there is no {_in_words(entry.key)}")
    if episode.game != cup.made_game():
        raise ForeignRecord("the cup is of another game")
    if episode.start != Start(board_seed(cup.settled_seed, number, board)):
        raise ForeignRecord("the cup has another seed")
    sides = [side in (0, 1) for side in entry.sides]
    if entry.entrants and (len(sides) != len(entry.agents) or not all(sides)):
        raise ForeignRecord("it does not say who sat for whom")


def _check_played(cup: Cup, episode: Episode, line: str) -> None:
    """Check that an episode can have been played and written down so.

    Raises:
        ForeignRecord: it cannot.
    """
    try:
        tables = list(episode.replay())
        asked = [tables[fault.action - 1].agent for fault in episode.faults]
    except (RecordError, IndexError) as error:
        raise ForeignRecord(f"it was not played so: {error}") from None
    if not tables[-1].is_over:
        raise ForeignRecord("the episode is not over")
    if asked != [fault.agent for fault in episode.faults]:
        raise ForeignRecord("a fault is of an agent that was not to act")
    if episode.forfeit != (bool(episode.faults) and cup.faults != "fallback"):
        raise ForeignRecord("faults have other consequences in this cup")
    if episode.to_json() != line:
        raise ForeignRecord("it is not written as a cup writes it")


def _is_from(sitting: Sitting, key: Key, line: str) -> bool:
    """Whether a record is of those who sat there."""
    episode = Episode.from_json(line)
    notes = sitting.notes(key[2])
    return episode.agents == sitting.agents and episode.notes == notes


def _in_words(key: Key) -> str:
    return f"round {key[0]}, meeting {key[1]}, board {key[2]}, room {key[3]}"


@contextlib.contextmanager
def locked_records(folder: Path) -> Iterator[BinaryIO]:
    """The file of records of a folder, for nobody else as long as it is open.

    Raises:
        BlockingIOError: another process plays the cup of the folder.
        OSError: the file cannot be written.
    """
    with open(folder / RECORDS, "ab+", buffering=0) as file:
        _lock(file, folder)
        yield file


class Ledger:
    """The records of a cup that is being played.

    Args:
        folder: the folder of the cup.
        file: its records, locked.
        cup: the cup as it was settled.
    """

    def __init__(self, folder: Path, file: BinaryIO, cup: Cup) -> None:
        self._folder = folder
        self._path = folder / RECORDS
        self._file = file
        self._file.seek(0)
        self._old = self._file.read()
        self._found = Lines(cup)
        for path in [self._path, *sorted(folder.glob(DAMAGED.format("*")))]:
            self._found.read(path)
        self._known: dict[int, tuple[str, ...] | None] = {}
        self._place = 0

    @property
    def complaints(self) -> list[str]:
        """What was wrong with the records that were found, in words."""
        return self._found.complaints

    def recorded(self, sitting: Sitting) -> tuple[str, ...] | None:
        """The lines of a sitting, if all are there as it can have been played."""
        if sitting.number not in self._known:
            self._known[sitting.number] = self._found.played(sitting)
        return self._known[sitting.number]

    def commit(self, lines: Sequence[str], log: str | None = None) -> None:
        """Make the lines of a sitting the next ones of the file.

        Args:
            lines: the lines.
            log: its line of the log, if it has just been played.

        Raises:
            OSError: the disk is full or fails. What was written before stays.
        """
        piece = "".join(f"{line}\n" for line in lines).encode()
        end = self._place + len(piece)
        if self._old[self._place : end] != piece:
            self._drop_rest(piece)
            self._append(piece)
        self._place = end
        if log is not None:
            with open(self._folder / LOG, "ab+", buffering=0) as file:
                begin = b"\n" if is_torn(file) else b""
                write_all(file, begin + log.encode() + b"\n")

    def finish(self) -> None:
        """The cup is over: nothing follows in the file."""
        self._drop_rest(b"")

    def _drop_rest(self, instead: bytes) -> None:
        """Cut off what the old file has from here on, unless it is already gone.

        It is kept under another name, but for a piece that a killed writer has torn and
        that is about to be written again.
        """
        rest, self._old = self._old[self._place :], b""
        if not rest:
            return
        if not instead.startswith(rest):
            self._keep(rest)
        self._file.truncate(self._place)

    def _keep(self, rest: bytes) -> None:
        numbers = range(1, 1 << 31)
        paths = (self._folder / DAMAGED.format(number) for number in numbers)
        path = next(path for path in paths if not path.exists())
        write_new(path, rest)
        self.complaints.append(f"what stood in the way in {self._path} is in {path}")

    def _append(self, piece: bytes) -> None:
        try:
            write_all(self._file, piece)
            os.fsync(self._file.fileno())
        except OSError as error:
            # A torn line would be harmless, but a whole file is better.
            with contextlib.suppress(OSError):
                self._file.truncate(self._place)
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                what = f"{self._path} is full; all before is kept: make room, and run"
                raise OSError(error.errno, f"{what} the same command again") from None
            raise


def _keys(sitting: Sitting) -> Iterator[Key]:
    meeting = sitting.meeting
    for board in range(*sitting.boards):
        yield meeting.round, meeting.number, board, sitting.room + 1


def write_new(path: Path, content: str | bytes) -> None:
    """Write a file in one piece: it is there as a whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(path.name + ".part")
    with open(part, "wb", buffering=0) as file:
        write_all(file, data)
        os.fsync(file.fileno())
    part.replace(path)


def _lock(file: BinaryIO, folder: Path) -> None:
    """Keep others out, until this file is closed or the process ends."""
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(
            f"{folder}: another process is playing this cup"
        ) from None
