"""Parts of a cup that are played apart: together they are what one run is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whist_train.command_line import SUCCESS, main
from whist_train.tournament import (
    Cup,
    InProcess,
    Shard,
    UnevenShards,
    play_cup,
    read_standings,
)


def cup(**changes: Any) -> Cup:
    usual: dict[str, Any] = {
        "name": "spring",
        "format": "round robin",
        "agents": {"ann": "random", "ben": "greedy", "cleo": "faulty_agents:First"},
        "boards": 3,
        "seed": 5,
    }
    return Cup(**usual | changes)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A whole cup, and its three shards."""
    whole, *parts = (tmp_path_factory.mktemp(name) for name in ("whole", *"123"))
    play_cup(cup(), whole, InProcess())
    for number, part in enumerate(parts, start=1):
        play_cup(cup(), part, InProcess(), Shard(number, 3))
    return [whole, *parts]


def complaints(parts: list[Path]) -> list[str]:
    with pytest.warns(UnevenShards) as warned:
        read_standings(parts)
    return [str(warning.message) for warning in warned]


def test_all_shards_in_any_order_are_the_whole_cup(folders: list[Path]) -> None:
    whole, *parts = folders
    assert read_standings(parts) == read_standings([whole])
    assert read_standings(parts[::-1]) == read_standings([whole])


def test_missing_shards_are_named(folders: list[Path]) -> None:
    _, first, second, third = folders
    assert complaints([first, third]) == ["1 shard missing: 2/3"]
    assert complaints([second]) == ["2 shards missing: 1/3, 3/3"]


def test_folders_that_overlap_are_named_and_count_once(folders: list[Path]) -> None:
    whole, first, second, third = folders
    with pytest.warns(UnevenShards) as warned:
        together = read_standings([first, second, third, second])
    assert together == read_standings([whole])
    assert [str(warning.message) for warning in warned] == [
        f"{second} (shard 2/3) overlaps with {second} (shard 2/3): what they have in "
        "common counts once"
    ]
    with pytest.warns(UnevenShards, match=r"\(shard 1/1\) overlaps with") as warned:
        together = read_standings([first, whole])
    assert together == read_standings([whole])
    assert len(warned) == 1


def test_a_cup_that_was_cut_in_two_ways_has_its_gaps_named(
    folders: list[Path], tmp_path: Path
) -> None:
    """Sittings 1, 3, 5 of the six, and 0, 3: 2 and 4 are missing."""
    play_cup(cup(), tmp_path, InProcess(), Shard(2, 2))
    first = folders[1]
    overlap, gap = complaints([tmp_path, first])
    assert f"{first} (shard 1/3) overlaps with {tmp_path} (shard 2/2)" in overlap
    assert gap == "2 shards missing: 3/6, 5/6"


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ((1, 2), (1, 2), True),
        ((1, 2), (2, 2), False),
        ((1, 2), (3, 4), True),
        ((2, 2), (3, 4), False),
        ((2, 3), (4, 4), True),
        ((1, 1), (7, 9), True),
    ],
)
def test_shards_overlap_where_they_have_a_sitting_in_common(
    one: tuple[int, int], other: tuple[int, int], common: bool
) -> None:
    first, second = Shard(*one), Shard(*other)
    assert first.overlaps(second) == second.overlaps(first) == common
    assert common == any(first.has(n) and second.has(n) for n in range(36))


def test_a_shard_that_was_cut_short_is_named(
    folders: list[Path], tmp_path: Path
) -> None:
    _, first, second, third = folders
    play_cup(cup(), tmp_path, InProcess(), Shard(2, 3))
    path = tmp_path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    (complaint,) = complaints([first, tmp_path, third])
    assert complaint == (
        f"{tmp_path} lacks 2 sittings of shard 2/3: play it to its end with the "
        "command that began it"
    )
    path.unlink()
    (complaint,) = complaints([first, tmp_path, third])
    assert "lacks 2 sittings" in complaint
    play_cup(cup(), tmp_path, InProcess(), Shard(2, 3))
    assert path.read_bytes() == (second / "records.jsonl").read_bytes()


def test_many_missing_shards_are_counted(tmp_path: Path) -> None:
    agents = dict.fromkeys(("ann", "ben", "cleo", "dan"), "random")
    play_cup(cup(agents=agents, boards=1), tmp_path, InProcess(), Shard(1, 12))
    assert complaints([tmp_path]) == ["11 of 12 shards are missing"]


def test_who_is_disqualified_in_one_shard_is_so_in_all(tmp_path: Path) -> None:
    agents = {"bad": "faulty_agents:WrongShape", "ann": "random", "ben": "greedy"}
    strict = cup(agents=agents, faults="disqualify")
    whole = play_cup(strict, tmp_path / "whole", InProcess())
    parts = [tmp_path / "one", tmp_path / "two"]
    for number, part in enumerate(parts, start=1):
        play_cup(strict, part, InProcess(), Shard(number, 2))
    lines = [len((part / "records.jsonl").read_bytes().splitlines()) for part in parts]
    assert sum(lines) > whole.episodes
    assert read_standings(parts) == whole


def test_the_report_prints_what_is_missing(
    folders: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, first, second, third = map(str, folders)
    assert main(["report", first, third, "--json"]) == SUCCESS
    assert capsys.readouterr().err == "1 shard missing: 2/3\n"
    assert main(["report", first, second, third, "--json"]) == SUCCESS
    assert capsys.readouterr().err == ""


def test_a_part_of_a_cup_has_no_standings_but_says_how_much_was_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        "format = 'round robin'\nboards = 2\nseed = 3\nagents = ['random', 'greedy']"
    )
    words = ["tournament", str(file), "--out", str(tmp_path / "part")]
    words += ["--shard", "1/2", "--workers", "1"]
    assert main(words) == SUCCESS
    (line,) = capsys.readouterr().out.splitlines()
    assert "part 1 of 2, of which 2 episodes were played" in line
    assert "whist report DIR..." in line
    assert main([*words, "--json"]) == SUCCESS
    fields = json.loads(capsys.readouterr().out)
    assert fields == {"name": "cup", "shard": "1/2", "episodes": 2}
