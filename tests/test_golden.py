"""Nothing that a user can see changes unnoticed."""

from __future__ import annotations

import pytest
from playthrough import EPISODES, GOLDEN, playthrough


@pytest.mark.parametrize("title", EPISODES)
def test_an_episode_is_what_it_was(title: str) -> None:
    name, options = EPISODES[title]
    assert playthrough(name, options) == (GOLDEN / f"{title}.txt").read_text()


def test_every_golden_file_is_compared() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(EPISODES)
