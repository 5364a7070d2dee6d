"""Tournaments: cups whose results can be repeated to the byte."""

from __future__ import annotations

from whist_train.tournament.cup import Clock, Cup, Team, read_cup
from whist_train.tournament.executor import Executor, InProcess, ProcessPool
from whist_train.tournament.run import Shard, play_cup, read_standings
from whist_train.tournament.standings import Standing, Standings, standings

__all__ = [
    "Clock",
    "Cup",
    "Executor",
    "InProcess",
    "ProcessPool",
    "Shard",
    "Standing",
    "Standings",
    "Team",
    "play_cup",
    "read_cup",
    "read_standings",
    "standings",
]
