"""What a report says."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

from whist_train.report.costs import Costs
from whist_train.report.encounters import Board, boards_that_count, largest_swings
from whist_train.report.mistakes import Faults, faults_of
from whist_train.report.reading import CupRecords
from whist_train.tournament.cup import Cup
from whist_train.tournament.standings import Standing


@dataclasses.dataclass(frozen=True)
class Report:
    """What a report says.

    Attributes:
        records: the cup as it was played.
        boards: the boards that count.
        swings: those on which most was made.
        faults: what agents did wrong.
        costs: what the cards of a sample of deals have cost.
    """

    records: CupRecords
    boards: Sequence[Board]
    swings: Sequence[Board]
    faults: Faults
    costs: Costs

    @classmethod
    def of(cls, records: CupRecords, costs: Costs) -> Self:
        """The report of a cup."""
        boards = boards_that_count(records)
        swings = largest_swings(boards)
        return cls(records, boards, swings, faults_of(records), costs)

    @property
    def cup(self) -> Cup:
        """What was to be played."""
        return self.records.cup

    @property
    def rows(self) -> tuple[Standing, ...]:
        """The standings."""
        return self.records.standings.rows

    @property
    def unit(self) -> str:
        """What the standings count."""
        reward = vars(self.cup.made_game().options)["reward"]
        return f"{reward} per board"
