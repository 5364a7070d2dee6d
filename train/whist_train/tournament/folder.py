"""The folder of a cup: what was asked for, what is played, and which part of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

from whist_train.tournament.cup import Cup, load_all
from whist_train.tournament.ledger import RECORDS, write_new
from whist_train.tournament.shards import Shard
from whist_train.tournament.weights import (
    changed_since,
    from_folder,
    read_weights,
    weights_of,
    with_copies,
    write_weights,
)

CUP: Final = "cup.json"
"""The cup as it was asked for."""

SETTLED: Final = "settled.json"
"""The cup as it is played: with a seed, and with copies of networks."""

SHARD: Final = "shard.txt"
"""Which part of the cup is played in the folder, such as ``2/8``."""


def kept(cup: Cup, folder: Path, shard: Shard) -> Cup:
    """The cup of a folder as it was settled at first.

    Only one process at a time may ask; see `ledger.locked_records`.

    Raises:
        ValueError: it is another cup or shard, an agent cannot be, or it is made from
            another file than before.
    """
    if not (folder / CUP).exists():
        _begin(cup, folder, shard)
    _refuse_other(cup, folder, shard)
    played = from_folder(_read(folder / SETTLED), folder)
    changed = changed_since(read_weights(folder), played)
    if changed:
        raise ValueError(
            f"{folder}: not the same as when the cup began: {changed}; put back what "
            "was there, or play a new cup in another folder"
        )
    return played


def _begin(cup: Cup, folder: Path, shard: Shard) -> None:
    """Settle a cup in a new folder."""
    if (folder / RECORDS).stat().st_size:
        raise ValueError(f"{folder} holds records, but no {CUP}: name another folder")
    played = cup.settled()
    load_all(played)
    write_weights(folder, weights_of(played))
    write_new(folder / SHARD, f"{shard}\n")
    write_new(folder / SETTLED, with_copies(played, folder).to_json())
    write_new(folder / CUP, cup.to_json())


def _refuse_other(cup: Cup, folder: Path, shard: Shard) -> None:
    there = _read(folder / CUP)
    changed = [
        field.name
        for field in dataclasses.fields(Cup)
        if getattr(there, field.name) != getattr(cup, field.name)
    ]
    if changed:
        raise ValueError(
            f"{folder} holds a cup with another {' and '.join(changed)}; name another "
            "folder, or ask for the same cup to go on with it"
        )
    kept_shard = shard_in(folder)
    if kept_shard != shard:
        raise ValueError(
            f"{folder} holds shard {kept_shard} of this cup, not {shard}; every shard "
            "needs a folder of its own"
        )


def cup_in(folder: Path) -> Cup:
    """The cup of a folder as it was asked for, with the seed that it is played with.

    Raises:
        FileNotFoundError: the folder holds no cup.
        ValueError: the file is damaged.
    """
    if not (folder / CUP).exists():
        raise FileNotFoundError(f"{folder} is no folder of a cup: it holds no {CUP}")
    seed = _read(folder / SETTLED).seed
    return dataclasses.replace(_read(folder / CUP), seed=seed)


def shard_in(folder: Path) -> Shard:
    """The part of the cup that is played in a folder."""
    return Shard.parse((folder / SHARD).read_text("utf-8").strip())


def _read(path: Path) -> Cup:
    return Cup.from_json(path.read_text("utf-8"), str(path))
