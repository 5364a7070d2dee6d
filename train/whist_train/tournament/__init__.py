"""Tournaments: cups whose results can be repeated to the byte."""

from __future__ import annotations

from whist_train.tournament.cup import Clock, Cup, Team, read_cup
from whist_train.tournament.executor import Executor, InProcess, ProcessPool
from whist_train.tournament.reading import Records, read_records, read_standings
from whist_train.tournament.run import play_cup
from whist_train.tournament.shards import Shard, UnevenShards
from whist_train.tournament.standings import Standing, Standings, standings

__all__ = [
    "Clock",
    "Cup",
    "Executor",
    "InProcess",
    "ProcessPool",
    "Records",
    "Shard",
    "Standing",
    "Standings",
    "Team",
    "UnevenShards",
    "play_cup",
    "read_cup",
    "read_records",
    "read_standings",
    "standings",
]
