"""The playthroughs kept in ``tests/golden`` are what the games do today."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from playthrough import GOLDEN, WAYS, file_of, playthrough
from whist_tables import PRESETS

from whist_env.games import GAMES

SHOWN = 60  # lines of a difference
LARGEST = 150_000  # bytes of a file


def difference(expected: str, actual: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), "golden", "now", lineterm="", n=2
    )
    return "\n".join(list(lines)[:SHOWN])


EACH = [(name, options) for name, ways in WAYS.items() for options in ways]


@pytest.mark.parametrize(
    ("name", "options"), EACH, ids=[file_of(*each).stem for each in EACH]
)
def test_the_game_plays_as_its_golden_playthrough_says(
    name: str, options: dict[str, Any]
) -> None:
    path = file_of(name, options)
    expected, actual = path.read_text("utf-8"), playthrough(name, options)
    if actual != expected:
        pytest.fail(
            f"{path.name} differs; if that is meant, run python tests/playthrough.py\n"
            + difference(expected, actual)
        )


def test_there_is_a_playthrough_for_every_preset_and_no_other_file() -> None:
    assert set(GOLDEN.iterdir()) == {file_of(*each) for each in EACH}
    whist = WAYS["whist"]
    assert {options["scoring"] for options in whist} == set(PRESETS)
    assert any(options.get("episode") == "rubber" for options in whist)
    assert any(options.get("deals") == 3 for options in whist)


def test_there_is_a_playthrough_of_every_game() -> None:
    assert set(WAYS) == set(GAMES)


@pytest.mark.parametrize("path", sorted(GOLDEN.iterdir()), ids=lambda path: path.stem)
def test_a_playthrough_is_small_enough_to_read(path: Path) -> None:
    assert 10_000 < path.stat().st_size < LARGEST
