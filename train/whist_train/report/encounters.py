"""Who has made what against whom, and with whom."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from whist_train.ratings import largest_cycle
from whist_train.report.reading import CupRecords
from whist_train.statistics import Estimate, ratio_of_sums
from whist_train.tournament.ledger import Entry
from whist_train.tournament.standings import disqualified, earned_in

MOST_SWINGS: Final = 5
"""How many of the largest swings are shown."""

Pair: TypeAlias = tuple[str, str]
_Floats: TypeAlias = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Board:
    """A board that counts: it was played in all its rooms.

    Attributes:
        round: the number of the round.
        meeting: the number of the meeting.
        number: its own number.
        rooms: what was played in each room.
        made: what each entrant has made: its mean over the rooms.
    """

    round: int
    meeting: int
    number: int
    rooms: tuple[Entry, ...]
    made: Mapping[str, float]

    @property
    def swing(self) -> float:
        """The most that anybody has made of it, or lost."""
        return max(map(abs, self.made.values()))

    @property
    def is_played_out(self) -> bool:
        """Whether nobody has forfeited it."""
        return not any(entry.forfeited for entry in self.rooms)


@dataclasses.dataclass(frozen=True)
class Cell:
    """What one has made against another, or with it.

    Attributes:
        boards: on how many boards.
        mean: how much, per board.
        margin: the same with its interval; ``None`` with fewer than two boards.
    """

    boards: int
    mean: float
    margin: Estimate | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Cell:
        """The cell of what was made on each of some boards."""
        ones = [1] * len(values)
        margin = ratio_of_sums(values, ones) if len(values) > 1 else None
        return cls(len(values), math.fsum(values) / len(values), margin)


@dataclasses.dataclass(frozen=True)
class Interaction:
    """What partners are worth to one another, by a model of margins.

    The strength of a side is the mean of those of its two players, and the difference
    of the strengths of two sides is what the one makes against the other.

    Attributes:
        strengths: the strength of each player; their mean is 0.
        pairs: what two partners have made above what the strengths of the four players
            let expect.
    """

    strengths: Mapping[str, Estimate]
    pairs: Mapping[Pair, Estimate]


def boards_that_count(records: CupRecords) -> list[Board]:
    """The boards that the standings are made of, in the order of the cup."""
    out = disqualified(records.cup, records.entries)
    found = []
    by_board = itertools.groupby(records.entries, key=lambda entry: entry.key[:3])
    for (number, meeting, board), group in by_board:
        rooms = tuple(group)
        entrants = sorted({n for room in rooms for n in room.entrants or room.agents})
        if len(rooms) < rooms[0].rooms or not out.isdisjoint(entrants):
            continue
        made = {name: _meanearned_in(rooms, name) for name in entrants}
        found.append(Board(number, meeting, board, rooms, made))
    return found


def _meanearned_in(rooms: Iterable[Entry], name: str) -> float:
    earned = [each for room in rooms for each in earned_in(room, name)]
    return math.fsum(earned) / len(earned)


# Pairs ------------------------------------------------------------------------------


def against(records: CupRecords, boards: Iterable[Board]) -> dict[Pair, Cell]:
    """What each makes against each: half of what is between their results."""
    values: dict[Pair, list[float]] = {}
    for board in boards:
        for one, other in _opponents(records, board.rooms[0]):
            half = (board.made[one] - board.made[other]) / 2
            values.setdefault((one, other), []).append(half)
            values.setdefault((other, one), []).append(-half)
    return {pair: Cell.of(made) for pair, made in values.items()}


def partners(records: CupRecords, boards: Iterable[Board]) -> dict[Pair, Cell]:
    """What each two make as partners, where single players have changing partners."""
    values: dict[Pair, list[float]] = {}
    for board in boards:
        for one, other in _pairs_of_partners(records, board.rooms[0]):
            values.setdefault((one, other), []).append(board.made[one])
            values.setdefault((other, one), []).append(board.made[other])
    return {pair: Cell.of(made) for pair, made in values.items()}


def _opponents(records: CupRecords, entry: Entry) -> list[Pair]:
    """Every two that play against one another, once."""
    if entry.entrants:
        return [(entry.entrants[0], entry.entrants[1])]
    sides = _sides(records, entry)
    return [
        pair
        for one, other in itertools.combinations(sides, 2)
        for pair in itertools.product(one, other)
    ]


def _pairs_of_partners(records: CupRecords, entry: Entry) -> list[Pair]:
    if entry.entrants:
        return []
    return [(side[0], side[1]) for side in _sides(records, entry) if len(side) == 2]


def _sides(records: CupRecords, entry: Entry) -> list[tuple[str, ...]]:
    """The single players at a table, as sides."""
    seats = sorted(set(records.cup.made_game().rules.partners))
    return [tuple(entry.agents[seat] for seat in side) for side in seats]


def find_cycle(names: Sequence[str], cells: Mapping[Pair, Cell]) -> list[str]:
    """Three that beat one another in a circle, by as much as can be; or nobody."""
    nobody = Cell(0, math.nan, None)
    margins = [
        [cells.get((one, other), nobody).mean for other in names] for one in names
    ]
    cycle = largest_cycle(margins)
    return [] if cycle is None else [names[place] for place in cycle]


def largest_swings(boards: Iterable[Board]) -> list[Board]:
    """The boards on which most was made, the largest first."""
    swings = [board for board in boards if board.is_played_out and board.swing]
    swings.sort(key=lambda board: -board.swing)
    return swings[:MOST_SWINGS]


# Partner interaction ----------------------------------------------------------------


def interaction(records: CupRecords, boards: Sequence[Board]) -> Interaction | None:
    """What partners are worth to one another.

    All figures are linear in what was made, so that every number of a board gives an
    estimate of its own; the intervals are those of their means.

    Returns:
        ``None`` where there are no changing partners, or too few tables to tell a
        partnership from its players: with four, their strengths explain all results.
    """
    tables = _tables(records, boards)
    if not tables or not _pairs_of_partners(records, tables[0][0].rooms[0]):
        return None
    names = sorted({name for table in tables for name in table[0].made})
    sides = [_pairs_of_partners(records, table[0].rooms[0]) for table in tables]
    design = np.zeros((len(tables), len(names)))
    for row, (first, second) in enumerate(sides):
        design[row, [names.index(name) for name in first]] = 0.5
        design[row, [names.index(name) for name in second]] = -0.5
    told_apart = np.linalg.matrix_rank(design) == len(names) - 1 < len(tables)
    if not told_apart or records.cup.boards < 2:
        return None
    made = np.array(
        [
            [board.made[first[0]] for board in table]
            for table, (first, _) in zip(tables, sides, strict=True)
        ]
    )
    strengths = np.linalg.pinv(design) @ made
    rest = made - design @ strengths
    return Interaction(
        {name: _estimate(row) for name, row in zip(names, strengths, strict=True)},
        {pair: _estimate(row) for pair, row in _above(sides, rest).items()},
    )


def _tables(records: CupRecords, boards: Sequence[Board]) -> list[list[Board]]:
    """The boards of each meeting that was played to its end."""
    meetings: dict[tuple[int, int], list[Board]] = {}
    for board in boards:
        meetings.setdefault((board.round, board.meeting), []).append(board)
    return [table for table in meetings.values() if len(table) == records.cup.boards]


def _above(sides: Sequence[Sequence[Pair]], rest: _Floats) -> dict[Pair, _Floats]:
    """For each two partners what no strength explains, as a mean over their tables."""
    found: dict[Pair, list[_Floats]] = {}
    for (first, second), row in zip(sides, rest, strict=True):
        for pair, own in ((first, row), (second, -row)):
            found.setdefault((min(pair), max(pair)), []).append(own)
    return {pair: np.mean(rows, axis=0) for pair, rows in sorted(found.items())}


def _estimate(values: _Floats) -> Estimate:
    return ratio_of_sums(values, np.ones(len(values)))
