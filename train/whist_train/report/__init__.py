"""Reports of cups: one page of HTML, with replays in a folder beside it."""

from __future__ import annotations

from whist_train.report.contents import Report
from whist_train.report.page import report_page
from whist_train.report.reading import CupRecords, read_cup_records
from whist_train.report.writing import PAGE, write_report

__all__ = [
    "PAGE",
    "CupRecords",
    "Report",
    "read_cup_records",
    "report_page",
    "write_report",
]
