"""Writing a report, and the replays that it links to.

Replays are files of their own beside the page, and not parts of it: the page needs no
script then, and is small. Their names are numbers of places on the page, so that a
later report of the same cup writes over those of an earlier one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

from whist_env.records.page import replay_page
from whist_train.report.contents import Report
from whist_train.report.costs import Progress, costs_of
from whist_train.report.page import report_page
from whist_train.report.reading import CupRecords
from whist_train.tournament.ledger import Key, write_new

PAGE: Final = "report.html"
"""The name of the page in the folder of a cup."""

REPLAYS: Final = "{}-replays"
"""The name of the folder of replays, with that of the page."""


def write_report(records: CupRecords, page: Path, progress: Progress) -> None:
    """Write the report of a cup.

    Args:
        records: the cup as it was played.
        page: the file of the page; replays go into a folder beside it.
        progress: is told how many deals were judged, and of how many.

    Raises:
        OSError: a file cannot be written.
    """
    report = Report.of(records, costs_of(records, progress))
    replays = page.with_name(REPLAYS.format(page.stem))
    replays.mkdir(parents=True, exist_ok=True)
    links = {}
    for key, name in _replays(report).items():
        write_new(replays / name, replay_page(records.episode(key)))
        links[key] = f"{quote(replays.name)}/{name}"
    write_new(page, report_page(report, links))


def _replays(report: Report) -> dict[Key, str]:
    """The episodes that are replayed, with the names of their files."""
    names = {
        entry.key: f"swing-{number}-room-{entry.key[3]}.html"
        for number, board in enumerate(report.swings, start=1)
        for entry in board.rooms
    }
    first_of_kind = {
        (shown.name, shown.fault.kind): shown.key
        for shown in reversed(report.faults.shown)
    }
    keys = dict.fromkeys(sorted(first_of_kind.values()))
    for number, key in enumerate(keys, start=1):
        names.setdefault(key, f"fault-{number}.html")
    return names
