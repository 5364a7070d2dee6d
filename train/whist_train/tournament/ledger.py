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

from whist_env.records import Episode, RecordError
from whist_train.tournament.play import Sitting

RECORDS: Final = "records.jsonl"
"""One line an episode, in the form of ``docs/episode.schema.json``."""

LOG: Final = "log.jsonl"
"""Times and standard error: what differs from run to run."""

DAMAGED: Final = "records.damaged-{}.jsonl"
"""The name of a file of records that was damaged, with a number."""

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
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
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
    """The lines of a file of records by their keys.

    Attributes:
        by_key: each line once, without its end.
        entries: what standings need of each.
        complaints: what was wrong with the file, in words.
    """

    def __init__(self) -> None:
        self.by_key: dict[Key, str] = {}
        self.entries: dict[Key, Entry] = {}
        self.complaints: list[str] = []

    def read(self, path: Path) -> Self:
        """Add what can be read of a file.

        A line that cannot, or that has another content than one before with the same
        key, is complained of and left out.
        """
        with open(path, "rb") as file:
            for number, raw in enumerate(file, start=1):
                self._add(f"{path}, line {number}", raw)
        return self

    def _add(self, where: str, raw: bytes) -> None:
        if not raw.endswith(b"\n"):
            self.complaints.append(f"{where} is torn and was left out")
            return
        try:
            line = raw[:-1].decode()
            entry = entry_of(line)
            known = self.by_key.get(entry.key)
            if known is None:
                Episode.from_json(line)
        except (UnicodeDecodeError, RecordError):
            self.complaints.append(f"{where} is damaged and was left out")
            return
        if known is None:
            self.by_key[entry.key] = line
            self.entries[entry.key] = entry
        elif known != line:
            self.complaints.append(
                f"{where} differs from another record of round {entry.key[0]}, meeting "
                f"{entry.key[1]}, board {entry.key[2]}, room {entry.key[3]}, and was "
                "left out"
            )


class Ledger:
    """The records of a cup that is being played.

    Only one process at a time can have the ledger of a folder.

    Args:
        folder: the folder of the cup.

    Attributes:
        complaints: what was wrong with the records that were found, in words.

    Raises:
        BlockingIOError: another process plays this cup.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / RECORDS
        self._file: BinaryIO = open(self._path, "ab+", buffering=0)
        try:
            _lock(self._file, folder)
            self._file.seek(0)
            self._old = self._file.read()
            found = Lines()
            for path in [self._path, *sorted(folder.glob(DAMAGED.format("*")))]:
                found.read(path)
        except BaseException:
            self._file.close()
            raise
        self.complaints = found.complaints
        self._recorded = found.by_key
        self._place = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def recorded(self, sitting: Sitting) -> tuple[str, ...] | None:
        """The lines of a sitting, if all are there."""
        lines = [self._recorded.get(key) for key in _keys(sitting)]
        return None if None in lines else tuple(line for line in lines if line)

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
            with open(self._folder / LOG, "ab", buffering=0) as file:
                file.write(log.encode() + b"\n")

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
        _write_whole(path, rest)
        self.complaints.append(f"what stood in the way in {self._path} is in {path}")

    def _append(self, piece: bytes) -> None:
        try:
            _write_all(self._file, piece)
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


def write_new(path: Path, text: str) -> None:
    """Write a small file in one piece: it is there as a whole or not at all."""
    _write_whole(path, text.encode())


def _write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    with open(part, "wb", buffering=0) as file:
        _write_all(file, data)
        os.fsync(file.fileno())
    part.replace(path)


def _write_all(file: Any, data: bytes) -> None:
    """Write everything; a disk may take a part of it at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


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
