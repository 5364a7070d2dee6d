"""The record: everything about one table, in a fixed number of bytes.

A record has no pointers and no padding. Copying its bytes clones the table, the bytes
(with a checksum) are the save file, equal bytes are equal positions, and an array of
records is many tables.
"""

from __future__ import annotations

import functools
import zlib
from typing import Any, TypeAlias

import numpy as np

from whist_env.engine.compile import rule
from whist_env.engine.options import Options

Record: TypeAlias = Any
"""One table: an element of a structured array (``numpy.record``)."""

FieldList: TypeAlias = list[tuple[Any, ...]]

CHECKSUM = 4
"""Bytes of the checksum at the end of saved records."""

NOBODY = -1
"""The agent to act, or the owner of a thing, where there is none."""


def record_dtype(agents: int, options: type[Options], fields: FieldList) -> Any:
    """The layout of a game's record.

    Args:
        agents: how many agents the game has.
        options: the options of the game.
        fields: the game's own fields as NumPy declares them: (name, type[, shape]).

    Returns:
        A structured type that starts with the fields every game has, ordered so that
        each number is aligned and there is no padding.
    """
    common: FieldList = [
        # The random stream: see whist_env.engine.random.
        ("seed", np.uint64),
        ("deal_number", np.int64),
        ("actions_taken", np.int64),
        # What the last action earned each agent, and the sum over the episode.
        ("reward", np.int32, (agents,)),
        ("returns", np.int32, (agents,)),
        # Deals played to the end in this episode.
        ("deals_played", np.int32),
        ("options", options.dtype()),
        # The agent that decides and the seat whose hand plays; usually the same.
        ("agent", np.int8),
        ("seat", np.int8),
        ("over", np.int8),
    ]
    ordered = sorted(common + fields, key=lambda field: -np.dtype(field[1]).alignment)
    size = np.dtype(ordered, align=True).itemsize
    used = sum(np.dtype([field]).itemsize for field in ordered)
    if used < size:
        ordered.append(("unused", np.uint8, (size - used,)))
    layout = np.dtype(ordered, align=True)
    assert layout.itemsize == size == sum(np.dtype([f]).itemsize for f in ordered)
    return np.dtype((np.record, layout))


def save(records: Any) -> bytes:
    """The bytes of an array of records, and a checksum of them and of their layout."""
    data: bytes = records.tobytes()
    return data + _checksum(records.dtype, data)


def load(layout: np.dtype[Any], count: int, saved: bytes) -> Any:
    """The records that `save` saved.

    Raises:
        ValueError: the bytes are damaged, or are not this many records of this layout.
        TypeError: they are no bytes.
    """
    if not isinstance(saved, bytes | bytearray | memoryview):
        raise TypeError(f"saved tables are bytes, not {type(saved).__name__}")
    data, checksum = saved[:-CHECKSUM], saved[-CHECKSUM:]
    if len(saved) != count * layout.itemsize + CHECKSUM:
        raise ValueError(
            f"there should be {count * layout.itemsize + CHECKSUM} bytes, not "
            f"{len(saved)}"
        )
    if checksum != _checksum(layout, data):
        raise ValueError("they are damaged, or saved with another layout of tables")
    return np.frombuffer(data, layout).copy()


def _checksum(layout: np.dtype[Any], data: bytes) -> bytes:
    return zlib.crc32(data, _fingerprint(layout)).to_bytes(CHECKSUM, "little")


@functools.cache
def _fingerprint(layout: np.dtype[Any]) -> int:
    return zlib.crc32(repr(layout.descr).encode())


@rule
def pay(record: Record, agent: int, amount: int) -> None:
    """Add to an agent's reward for this action and to its return."""
    record.reward[agent] += amount
    record.returns[agent] += amount


@rule
def clear_rewards(record: Record) -> None:
    """Forget what the action before earned."""
    for agent in range(record.reward.size):
        record.reward[agent] = 0


@rule
def begin_action(record: Record) -> None:
    """Count an action; nothing is earned by it yet."""
    record.actions_taken += 1
    clear_rewards(record)


@rule
def end_episode(record: Record) -> None:
    """Nobody is to act any more."""
    record.over = 1
    record.agent = NOBODY
    record.seat = NOBODY
