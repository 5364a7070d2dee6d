"""Reading what was played: the records of a cup, or of its shards, put together."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from whist_env.records import DamagedLine
from whist_train.tournament.cup import Cup
from whist_train.tournament.folder import cup_in, shard_in
from whist_train.tournament.ledger import RECORDS, Entry, Key, Lines
from whist_train.tournament.play import Sitting
from whist_train.tournament.shards import (
    WHOLE,
    UnevenShards,
    gaps,
    overlaps,
    sittings_beforehand,
)
from whist_train.tournament.standings import (
    Standings,
    disqualified,
    has_left,
    standings,
)
from whist_train.tournament.weights import differing, read_weights


class Records(NamedTuple):
    """What the folders of a cup hold.

    Attributes:
        cup: the cup as it was asked for, with its seed.
        entries: what there is to know of each episode that counts.
        lines: the record of each episode that was played.
    """

    cup: Cup
    entries: Sequence[Entry]
    lines: Mapping[Key, str]


def read_records(folders: Sequence[str | os.PathLike[str]]) -> Records:
    """The records of a cup, or of its shards.

    A line that cannot be read, or that is of no board of the cup, is reported with the
    warning `DamagedLine`; shards that overlap, or of which some is missing, with
    `UnevenShards`.

    Raises:
        FileNotFoundError: a folder holds no cup.
        ValueError: the folders hold different cups, or cups of different agents.
    """
    if not folders:
        raise ValueError("name at least one folder of a cup")
    paths = list(map(Path, folders))
    cup = _cup_of_all(paths)
    lines = Lines(cup)
    for folder in paths:
        if (folder / RECORDS).exists():
            lines.read(folder / RECORDS)
    for complaint in lines.complaints:
        warnings.warn(complaint, DamagedLine, stacklevel=2)
    shards = [(folder, shard_in(folder)) for folder in paths]
    uneven = list(overlaps(shards))
    entries = list(lines.entries.values())
    if any(shard != WHOLE for _, shard in shards):
        entries, missing = _put_together(cup, lines)
        uneven += gaps(shards, missing)
    for complaint in uneven:
        warnings.warn(complaint, UnevenShards, stacklevel=2)
    return Records(cup, entries, lines.by_key)


def read_standings(folders: Sequence[str | os.PathLike[str]]) -> Standings:
    """The standings by the records of a cup, or of its shards; see `read_records`.

    Raises:
        FileNotFoundError: a folder holds no cup.
        ValueError: the folders hold different cups, or cups of different agents.
    """
    records = read_records(folders)
    return standings(records.cup, records.entries)


def _cup_of_all(folders: Iterable[Path]) -> Cup:
    """The cup that all folders hold."""
    first, *others = folders
    cup, weights = cup_in(first), read_weights(first)
    for folder in others:
        if cup_in(folder) != cup:
            raise ValueError(f"{first} and {folder} hold different cups")
        other = differing(weights, read_weights(folder))
        if other:
            raise ValueError(
                f"the agents of {first} and {folder} were not made from the same "
                f"files: {other}"
            )
    return cup


def _put_together(cup: Cup, lines: Lines) -> tuple[list[Entry], list[Sitting]]:
    """What shards hold of what one run would have played, and what is missing of that.

    A shard does not know who is disqualified in another, and plays on with them.
    """
    entries: list[Entry] = []
    missing: list[Sitting] = []
    out: set[str] = set()
    for sitting in sittings_beforehand(cup):
        if has_left(sitting.meeting, out):
            continue
        played = lines.entries_of(sitting)
        if len(played) < sitting.size:
            missing.append(sitting)
        entries += played
        out |= disqualified(cup, played)
    return entries, missing
