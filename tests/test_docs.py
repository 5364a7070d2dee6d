"""The pages in docs/games are what the code says today."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import FOLDER, pages

PAGES = dict(pages())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == PAGES[path], "run python docs/pages.py"


def test_there_is_no_page_of_anything_else() -> None:
    assert set(FOLDER.iterdir()) == set(PAGES)
