"""Standings: a pure function of a cup and of the records of its boards.

A board counts when it was played in all its rooms; what an entrant has made there is
its mean over the rooms in which it sat. What that is depends on the option ``reward``
of the game: points, tricks, or the match. Between two sides it is what the first makes
above the middle of the two (`whist_train.evaluate.Pairs`); where everybody plays for
itself it is what it earned.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import math
from collections.abc import Iterable, Mapping

from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from whist_train.statistics import Estimate, ratio_of_sums
from whist_train.tournament.cup import Cup
from whist_train.tournament.ledger import Entry
from whist_train.tournament.schedule import Meeting

WIN, DRAW = 2, 1
"""Match points of a Swiss cup; a bye is a win."""

_Board = tuple[int, int, int]


@dataclasses.dataclass(frozen=True)
class Standing:
    """Where an entrant stands.

    Attributes:
        name: the entrant.
        rank: its place, from 1; the same for those that cannot be told apart; ``None``
            for one that is disqualified.
        points: match points, in a Swiss cup.
        won: meetings won.
        even: meetings drawn.
        lost: meetings lost.
        boards: boards that count.
        mean: what it makes per board, 0 without any.
        margin: the same with its interval; ``None`` with fewer than two boards.
        faults: how often each kind of fault was committed.
        forfeits: episodes that it forfeited.
    """

    name: str
    rank: int | None
    points: int
    won: int
    even: int
    lost: int
    boards: int
    mean: float
    margin: Estimate | None
    faults: Mapping[str, int]
    forfeits: int


@dataclasses.dataclass(frozen=True)
class Standings:
    """Standings; they print as a table with `rich.print`.

    Attributes:
        cup: the cup.
        episodes: how many episodes were played.
        rows: the entrants, the best first.
    """

    cup: Cup
    episodes: int
    rows: tuple[Standing, ...]

    def to_json(self) -> str:
        """The rows, best first, and what was played, as text."""
        fields = {
            "name": self.cup.name,
            "format": self.cup.format,
            "game": self.cup.game,
            "options": dict(vars(self.cup.made_game().options)),
            "episodes": self.episodes,
            "standings": [dataclasses.asdict(row) for row in self.rows],
        }
        return json.dumps(fields, indent=2, ensure_ascii=False)

    def __rich__(self) -> Group:
        """The table that people read, and below it who has done what wrong.

        Where it is narrow the names of the entrants and the intervals go on in another
        line; nothing is cut off.
        """
        faults = ((row.name, faults_in_words(row)) for row in self.rows)
        lines = [Text(f"{name}: {kinds}") for name, kinds in faults if kinds]
        return Group(self._table(), *lines)

    def _table(self) -> RichTable:
        cup = self.cup
        caption = (
            f"{self.episodes} episodes of {cup.made_game()!r}, seed {cup.seed}. What "
            "an entrant makes is per board, with its 95% interval."
        )
        table = RichTable(
            title=Text(f"{cup.name}: {cup.format}"), caption=Text(caption)
        )
        table.add_column("", justify="right")
        table.add_column("entrant", overflow="fold")
        swiss = ["match\npoints"] if cup.format == "swiss" else []
        for heading in (*swiss, "won", "even", "lost", "boards", "makes"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("interval", justify="right")
        for row in self.rows:
            points = [str(row.points)] if swiss else []
            record = map(str, (row.won, row.even, row.lost, row.boards))
            interval = "" if row.margin is None else _interval(row.margin)
            rank = "-" if row.rank is None else str(row.rank)
            makes = f"{row.mean:+.3f}"
            cells = [*points, *record, makes, interval]
            table.add_row(rank, Text(row.name), *cells)
        return table


def _interval(margin: Estimate) -> str:
    return f"{margin.low:+.3f} to {margin.high:+.3f}"


def faults_in_words(row: Standing) -> str:
    """The faults of an entrant by kind, and whether it is out."""
    parts = [f"{kind} {count}" for kind, count in sorted(row.faults.items())]
    if row.forfeits:
        parts.append(f"forfeits {row.forfeits}")
    if row.rank is None:
        parts.insert(0, "disqualified")
    return ", ".join(parts)


def disqualified(cup: Cup, entries: Iterable[Entry]) -> set[str]:
    """The entrants that are out: those that have committed a fault, if that is so."""
    if cup.faults != "disqualify":
        return set()
    return {entry.entrant(seat) for entry in entries for seat, _ in entry.faults}


def has_left(meeting: Meeting, out: set[str]) -> bool:
    """Whether somebody that is out was to play in a meeting."""
    return not out.isdisjoint(meeting.entrants or meeting.agents)


def standings(cup: Cup, entries: Iterable[Entry]) -> Standings:
    """Where everybody stands.

    Args:
        cup: the cup.
        entries: what was played, each episode once, in any order.
    """
    played = sorted(entries, key=lambda entry: entry.key)
    out = disqualified(cup, played)
    boards = _boards(played, out)
    tallies = {name: _Tally() for name in cup.entrants}
    for number, meeting in boards:
        for name, values in boards[number, meeting].items():
            tallies[name].add_meeting(values)
    if cup.format == "swiss":
        for name in _free_wins(cup, played, out):
            tallies[name].free_wins += 1
    for entry in played:
        _note_faults(entry, tallies)
    order = sorted(
        cup.entrants, key=lambda name: (name in out, *_order(cup, tallies[name]))
    )
    return Standings(cup, len(played), tuple(_ranked(cup, order, tallies, out)))


class _Tally:
    """What an entrant has made."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.meetings: list[float] = []
        self.free_wins = 0
        self.faults: collections.Counter[str] = collections.Counter()
        self.forfeits = 0

    def add_meeting(self, values: list[float]) -> None:
        """Add what it made at each board of a meeting."""
        self.values += values
        self.meetings.append(math.fsum(values))

    @property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values) if self.values else 0.0

    @property
    def won(self) -> int:
        return sum(total > 0 for total in self.meetings)

    @property
    def even(self) -> int:
        return sum(total == 0 for total in self.meetings)

    @property
    def points(self) -> int:
        return WIN * (self.won + self.free_wins) + DRAW * self.even


def _order(cup: Cup, tally: _Tally) -> tuple[float, ...]:
    """What entrants are ranked by, the smallest first."""
    points = (-tally.points,) if cup.format == "swiss" else ()
    return (*points, -tally.mean)


def _ranked(
    cup: Cup, order: list[str], tallies: Mapping[str, _Tally], out: set[str]
) -> Iterable[Standing]:
    rank, before = 0, None
    for place, name in enumerate(order, start=1):
        tally = tallies[name]
        worth = _order(cup, tally)
        if worth != before:
            rank, before = place, worth
        values = tally.values
        yield Standing(
            name=name,
            rank=None if name in out else rank,
            points=tally.points,
            won=tally.won,
            even=tally.even,
            lost=len(tally.meetings) - tally.won - tally.even,
            boards=len(values),
            mean=tally.mean,
            margin=ratio_of_sums(values, [1] * len(values))
            if len(values) > 1
            else None,
            faults=dict(tally.faults),
            forfeits=tally.forfeits,
        )


def _boards(
    played: Iterable[Entry], out: set[str]
) -> dict[tuple[int, int], dict[str, list[float]]]:
    """For each meeting what each entrant made at each board that counts."""
    rooms: dict[_Board, list[Entry]] = {}
    for entry in played:
        number, meeting, board, _ = entry.key
        rooms.setdefault((number, meeting, board), []).append(entry)
    meetings: dict[tuple[int, int], dict[str, list[float]]] = {}
    for (number, meeting, _), entries in rooms.items():
        entrants = {
            name for entry in entries for name in entry.entrants or entry.agents
        }
        if len(entries) < entries[0].rooms or entrants & out:
            continue
        made = meetings.setdefault((number, meeting), {})
        for name in sorted(entrants):
            credits = [earned for entry in entries for earned in earned_in(entry, name)]
            made.setdefault(name, []).append(math.fsum(credits) / len(credits))
    return meetings


def earned_in(entry: Entry, name: str) -> list[float]:
    """What an entrant earned in a room: nothing, or one number."""
    if not entry.entrants:
        return [
            earned
            for agent, earned in zip(entry.agents, entry.returns, strict=True)
            if agent == name
        ]
    first = math.fsum(
        -earned if side else earned
        for side, earned in zip(entry.sides, entry.returns, strict=True)
    ) / len(entry.returns)
    return [first if name == entry.entrants[0] else -first]


def _free_wins(cup: Cup, played: Iterable[Entry], out: set[str]) -> list[str]:
    """Who has won a round without a game: by a bye, or against one that is out."""
    rounds: dict[int, set[tuple[str, ...]]] = {}
    for entry in played:
        rounds.setdefault(entry.key[0], set()).add(entry.entrants)
    found = []
    for pairs in rounds.values():
        present = {name for pair in pairs for name in pair}
        absent = [n for n in cup.entrants if n not in present and n not in out]
        # More than one are absent while a round is being played.
        found += absent if len(absent) == 1 else []
        for first, second in pairs:
            if (first in out) != (second in out):
                found.append(second if first in out else first)
    return found


def _note_faults(entry: Entry, tallies: Mapping[str, _Tally]) -> None:
    """Add the faults of an episode, and whose forfeit it was."""
    for place, (seat, kind) in enumerate(entry.faults, start=1):
        tally = tallies[entry.entrant(seat)]
        tally.faults[kind] += 1
        tally.forfeits += entry.forfeited and place == len(entry.faults)
