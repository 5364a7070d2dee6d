"""Files of records: JSON Lines, one episode a line, to which lines are only added.

Whatever kills the writer can at most tear the last line, which is reported when the
file is read; the next writer begins on a line of its own.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from whist_env.records.episode import DamagedRecord, Episode


class DamagedLine(UserWarning):
    """A line of a file of records that cannot be read, and was left out."""


def write_jsonl(path: str | os.PathLike[str], episodes: Iterable[Episode]) -> None:
    """Add episodes to a file, which is made if there is none.

    What is in the file already is never changed. Each line is written in one piece, and
    all of them are on the disk when this returns.

    Args:
        path: the file; its folder is made if there is none.
        episodes: the episodes; they may come one by one.

    Raises:
        OSError: the file cannot be written; the lines before stay.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+", buffering=0) as file:
        if is_torn(file):
            write_all(file, b"\n")
        for episode in episodes:
            write_all(file, episode.to_json().encode() + b"\n")
        os.fsync(file.fileno())


def is_torn(file: BinaryIO) -> bool:
    """Whether the file ends in the middle of a line."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write everything to an unbuffered file; a disk may take a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[Episode]:
    """The episodes of a file in order.

    A line that is torn or otherwise no JSON is reported with the warning `DamagedLine`
    and left out.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file.
        RecordError: a line is JSON, but no record that this version reads; the message
            names the line.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            source = f"{Path(path)}, line {number}"
            try:
                episode = Episode.from_json(line.decode(), source)
            except (UnicodeDecodeError, DamagedRecord):
                warnings.warn(
                    f"{source} is damaged and was left out", DamagedLine, stacklevel=2
                )
            else:
                yield episode
