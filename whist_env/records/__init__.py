"""Records of episodes: JSON Lines for all games, PBN for those that are like bridge."""

from __future__ import annotations

from whist_env.records.episode import (
    DamagedRecord,
    Episode,
    Fault,
    Recorder,
    RecordError,
    Start,
)
from whist_env.records.jsonl import DamagedLine, read_jsonl, write_jsonl
from whist_env.records.pbn import from_pbn, read_pbn, to_pbn, write_pbn

__all__ = [
    "DamagedLine",
    "DamagedRecord",
    "Episode",
    "Fault",
    "RecordError",
    "Recorder",
    "Start",
    "from_pbn",
    "read_jsonl",
    "read_pbn",
    "to_pbn",
    "write_jsonl",
    "write_pbn",
]
