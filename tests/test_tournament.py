"""Tournaments: schedules, cutting, standings, faults, and records that survive."""

from __future__ import annotations

import collections
import dataclasses
import errno
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from processes import is_alive, wait_until
from rich.console import Console

from whist_agents import AgentError
from whist_agents.keeper import _descendants
from whist_env.records import DamagedLine, RecordError, read_jsonl
from whist_train.command_line import FAILURE, MISUSE, SUCCESS, main
from whist_train.tournament import (
    Clock,
    Cup,
    InProcess,
    ProcessPool,
    Shard,
    Standings,
    Team,
    play_cup,
    read_cup,
    read_standings,
    standings,
)
from whist_train.tournament import ledger as ledger_module
from whist_train.tournament.cutting import cut_for_partners, stay
from whist_train.tournament.ledger import Entry, entry_of
from whist_train.tournament.schedule import (
    STARTERS,
    Meeting,
    round_robin,
    rounds_known_beforehand,
    swiss_round,
    whist_tournament,
)

SPECS = {
    "ann": "random",
    "ben": "greedy",
    "cleo": "faulty_agents:First",
    "dan": "random",
}
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs groups of processes")


def cup(**changes: Any) -> Cup:
    usual: dict[str, Any] = {
        "name": "spring",
        "format": "round robin",
        "agents": dict(SPECS),
        "boards": 3,
        "seed": 5,
    }
    return Cup(**usual | changes)


def only(*names: str) -> dict[str, str]:
    return {name: SPECS[name] for name in names}


def records(folder: Path) -> bytes:
    return (folder / "records.jsonl").read_bytes()


def entries(folder: Path) -> list[Entry]:
    return [entry_of(line) for line in records(folder).decode().splitlines()]


def row(table: Standings, name: str) -> Any:
    return next(row for row in table.rows if row.name == name)


# Schedules --------------------------------------------------------------------------


def test_in_a_round_robin_every_two_meet_once() -> None:
    assert round_robin("abcd") == [
        [("a", "d"), ("b", "c")],
        [("a", "c"), ("d", "b")],
        [("a", "b"), ("c", "d")],
    ]
    rounds = round_robin("abcde")
    assert [len(pairs) for pairs in rounds] == [2] * 5
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(met) == len(set(met)) == 10


def test_two_sides_swap_their_seats_in_the_second_room() -> None:
    (meeting,) = rounds_known_beforehand(cup(agents=only("ann", "ben")))[0]
    assert meeting.rooms == (("ann", "ben", "ann", "ben"), ("ben", "ann", "ben", "ann"))
    assert meeting.sides == ((0, 1, 0, 1), (1, 0, 1, 0))


def test_in_a_gauntlet_the_first_meets_each_of_the_others() -> None:
    rounds = rounds_known_beforehand(cup(format="gauntlet"))
    assert [meeting.entrants for (meeting,) in rounds] == [
        ("ann", "ben"),
        ("ann", "cleo"),
        ("ann", "dan"),
    ]


def test_teams_have_one_pair_in_each_room_on_the_seats_of_the_others() -> None:
    teams = (
        Team("red", ("ann", "ben", "ann", "ben")),
        Team("blue", ("cleo", "cleo", "dan", "dan")),
    )
    (meeting,) = rounds_known_beforehand(cup(format="teams", teams=teams))[0]
    assert meeting.entrants == ("red", "blue")
    assert meeting.rooms == (
        ("ann", "dan", "ben", "dan"),
        ("cleo", "ann", "cleo", "ben"),
    )
    assert meeting.sides == ((0, 1, 0, 1), (1, 0, 1, 0))


@pytest.mark.parametrize("count", STARTERS)
def test_in_a_whist_tournament_all_are_partners_once_and_opponents_twice(
    count: int,
) -> None:
    partners: collections.Counter[frozenset[int]] = collections.Counter()
    opponents: collections.Counter[frozenset[int]] = collections.Counter()
    rounds = whist_tournament([str(player) for player in range(count)])
    for tables in rounds:
        players = [player for table in tables for player in table]
        assert len(players) == len(set(players)) == count - count % 4
        for a, b, c, d in tables:
            partners.update([frozenset({a, b}), frozenset({c, d})])
            opponents.update(
                frozenset(two) for two in itertools.product((a, b), (c, d))
            )
    pairs = count * (count - 1) // 2
    assert len(rounds) == (count if count % 4 else count - 1)
    assert (len(partners), set(partners.values())) == (pairs, {1})
    assert (len(opponents), set(opponents.values())) == (pairs, {2})


def test_six_single_players_meet_in_every_four_and_all_ways() -> None:
    tables = [table for (table,) in whist_tournament("abcdef")]
    assert len(tables) == 45
    partners = collections.Counter(
        frozenset(two) for a, b, c, d in tables for two in ((a, b), (c, d))
    )
    assert set(partners.values()) == {6}
    with pytest.raises(ValueError, match="no schedule for 14 single players"):
        whist_tournament("abcdefghijklmn")


def test_single_players_hold_every_hand_once_and_keep_their_partner() -> None:
    (meeting,) = rounds_known_beforehand(cup(format="individual"))[0]
    assert len(meeting.rooms) == 4
    for seat in range(4):
        assert {room[seat] for room in meeting.rooms} == set(SPECS)
    for room in meeting.rooms:
        assert {room[0], room[2]} in ({"dan", "ann"}, {"ben", "cleo"})


def test_in_a_swiss_round_neighbours_meet_that_have_not_met() -> None:
    swiss = cup(format="swiss", rounds=3)
    met: dict[str, set[str]] = {name: set() for name in SPECS}
    first = swiss_round(swiss, 1, list(SPECS), met)
    assert [m.entrants for m in first] == [("ann", "ben"), ("cleo", "dan")]
    met = {"ann": {"ben"}, "ben": {"ann"}, "cleo": {"dan"}, "dan": {"cleo"}}
    second = swiss_round(swiss, 2, ["ann", "ben", "cleo", "dan"], met)
    assert [m.entrants for m in second] == [("ann", "cleo"), ("ben", "dan")]


def test_the_first_may_have_to_wait_for_the_pairing_of_the_rest() -> None:
    """ann and cleo have not met, but ben and dan have."""
    met = {"ann": {"ben"}, "ben": {"ann", "dan"}, "cleo": set(), "dan": {"ben"}}
    swiss = cup(format="swiss", rounds=3)
    pairs = swiss_round(swiss, 2, ["ann", "ben", "cleo", "dan"], met)
    assert [m.entrants for m in pairs] == [("ann", "dan"), ("ben", "cleo")]


def test_the_last_without_a_bye_has_the_bye() -> None:
    swiss = cup(format="swiss", rounds=3, agents=only("ann", "ben", "cleo"))
    met = {"ann": set(), "ben": set(), "cleo": {"cleo"}}
    (meeting,) = swiss_round(swiss, 2, ["ann", "ben", "cleo"], met)
    assert meeting.entrants == ("ann", "cleo")


def _after_random_rounds(entrants: int, rounds: int, seed: int) -> Any:
    """Who has met whom, and an order, in a cup in which anybody may win."""
    chance, names = random.Random(seed), [f"p{place}" for place in range(entrants)]
    swiss = cup(format="swiss", rounds=rounds, agents=dict.fromkeys(names, "random"))
    met: dict[str, set[str]] = {name: set() for name in names}
    points = dict.fromkeys(names, 0.0)
    for number in range(1, rounds + 1):
        order = sorted(names, key=lambda name: -points[name])
        meetings = [m.entrants for m in swiss_round(swiss, number, order, met)]
        assert sorted(itertools.chain(*meetings)) == sorted(names)
        yield [second in met[first] for first, second in meetings]
        for first, second in meetings:
            met[first].add(second)
            met[second].add(first)
            points[chance.choice((first, second))] += 2 + chance.random() / 100


@pytest.mark.parametrize("entrants", [8, 30])
def test_a_pairing_is_always_found_and_few_meet_again(entrants: int) -> None:
    for seed in range(3):
        again = list(_after_random_rounds(entrants, entrants - 1, seed))
        assert not any(itertools.chain(*again[: entrants // 2]))
        assert sum(map(sum, again)) < entrants


# Cutting ----------------------------------------------------------------------------

P = ("P0", "P1", "P2", "P3")


@pytest.mark.parametrize(
    ("cards", "seats"),
    [
        ([5, 9, 13, 2], ("P3", "P1", "P0", "P2")),
        # Two equal intermediate cards: the lower of the new cut joins the lowest.
        ([4, 8, 8, 12, 11, 6], ("P0", "P1", "P2", "P3")),
        # Three equal and the fourth the highest: the two lowest of the new cut.
        ([7, 7, 7, 13, 3, 10, 1], ("P2", "P1", "P0", "P3")),
        # Three equal and the fourth the lowest: it deals against the two highest...
        ([7, 7, 7, 2, 3, 10, 1], ("P3", "P0", "P2", "P1")),
        # The two lowest tie: they cut for the deal alone.
        ([4, 4, 9, 10, 8, 6], ("P1", "P2", "P0", "P3")),
        # The two highest tie: no matter.
        ([4, 5, 9, 9], ("P0", "P2", "P1", "P3")),
        # Four equal cards: all cut again.
        ([6, 6, 6, 6, 1, 2, 3, 4], ("P0", "P2", "P1", "P3")),
        # A new cut can tie again.
        ([4, 8, 8, 12, 3, 3, 9, 2], ("P0", "P1", "P2", "P3")),
    ],
)
def test_partners_are_cut_for(cards: list[int], seats: tuple[str, ...]) -> None:
    drawn = iter(cards)
    assert cut_for_partners(P, drawn) == seats
    assert list(drawn) == []


def test_those_with_most_games_in_a_row_retire() -> None:
    games = dict(zip(P, (3, 3, 1, 2), strict=True))
    assert stay(games, 2, iter(())) == (["P2", "P3"], ["P0", "P1"])
    assert stay(games, 0, iter(())) == (["P2", "P3", "P0", "P1"], [])


def test_of_those_that_tie_the_higher_cut_retires() -> None:
    games = dict(zip(P, (3, 3, 1, 2), strict=True))
    assert stay(games, 1, iter([4, 9]))[1] == ["P1"]
    assert stay(games, 1, iter([9, 4]))[1] == ["P0"]
    assert stay(games, 1, iter([9, 9, 4, 1]))[1] == ["P0"]


@pytest.mark.parametrize("count", [4, 5, 6])
def test_everybody_at_a_club_table_plays_about_equally_often(count: int) -> None:
    agents = {f"p{place}": "random" for place in range(count)}
    rounds = rounds_known_beforehand(cup(format="club", agents=agents, rounds=30))
    played = collections.Counter(n for (meeting,) in rounds for n in meeting.rooms[0])
    assert len(rounds) == 30
    assert max(played.values()) - min(played.values()) <= 1
    assert set(rounds[0][0].rooms[0]) == {"p0", "p1", "p2", "p3"}


def test_the_lowest_cut_deals_at_the_club_table(tmp_path: Path) -> None:
    club = cup(format="club", rounds=2, boards=1)
    play_cup(club, tmp_path, InProcess())
    for episode in read_jsonl(tmp_path / "records.jsonl"):
        assert next(episode.replay()).record.dealer == 0


# Standings --------------------------------------------------------------------------


def made(
    board: int, room: int, first: float, *, faults: Iterable[tuple[int, str]] = ()
) -> Entry:
    sides = ((0, 1, 0, 1), (1, 0, 1, 0))[room - 1]
    agents = tuple(("ann", "ben")[side] for side in sides)
    returns = tuple(-first if side else first for side in sides)
    key = (1, 1, board, room)
    return Entry(
        key, 2, ("ann", "ben"), sides, agents, returns, tuple(faults), bool(faults)
    )


def test_a_board_is_the_mean_of_its_rooms() -> None:
    two = cup(agents=only("ann", "ben"))
    table = standings(
        two, [made(1, 1, 3), made(1, 2, -2), made(2, 1, 0), made(2, 2, 5)]
    )
    assert [r.name for r in table.rows] == ["ann", "ben"]
    ann, ben = table.rows
    assert (ann.mean, ann.boards, ann.won, ann.lost) == (1.5, 2, 1, 0)
    assert (ben.mean, ben.rank, ben.won, ben.lost) == (-1.5, 2, 0, 1)
    assert ann.margin is not None
    assert ann.margin.standard_error == pytest.approx(1.0)


def test_a_board_counts_only_when_all_rooms_have_played_it() -> None:
    two = cup(agents=only("ann", "ben"))
    table = standings(two, [made(1, 1, 3), made(1, 2, -3), made(2, 1, 7)])
    assert row(table, "ann").boards == 1
    assert row(table, "ann").mean == 0
    assert [r.rank for r in table.rows] == [1, 1]
    assert row(table, "ann").even == 1


def test_standings_do_not_depend_on_the_order_of_the_records() -> None:
    two = cup(agents=only("ann", "ben"))
    played = [
        made(board, room, board * 1.7 - 0.3) for board in range(9) for room in (1, 2)
    ]
    mixed = random.Random(0).sample(played, len(played))
    assert standings(two, played) == standings(two, mixed)


def test_a_disqualified_agent_counts_for_nobody() -> None:
    both = [made(1, 1, 3), made(1, 2, 3, faults=[(0, "illegal")])]
    table = standings(cup(faults="disqualify"), both)
    assert row(table, "ben").rank is None
    assert row(table, "ben").faults == {"illegal": 1}
    assert row(table, "ann").boards == 0
    table = standings(cup(faults="forfeit"), both)
    assert row(table, "ben").forfeits == 1
    assert row(table, "ann").boards == 1


def test_the_fault_of_an_agent_that_plays_for_both_teams_is_that_of_one(
    tmp_path: Path,
) -> None:
    teams = (
        Team("red", ("dan", "dan", "bad", "bad")),
        Team("blue", ("bad", "dan", "dan", "dan")),
    )
    agents = {"dan": "random", "bad": "faulty_agents:WrongShape"}
    mixed = cup(format="teams", teams=teams, agents=agents, boards=2)
    table = play_cup(mixed, tmp_path, InProcess())
    # bad sits in the second room only: at seat 0 for blue, at 1 and 3 for red.
    faults = [
        (entry.key[3], {0: "blue", 1: "red", 3: "red"}[seat])
        for entry in entries(tmp_path)
        for seat, _ in entry.faults
    ]
    assert sorted(faults) == [(2, "blue"), (2, "red")]
    assert row(table, "red").faults == {"crash": 1}
    assert row(table, "blue").faults == {"crash": 1}
    assert row(table, "red").forfeits == row(table, "blue").forfeits == 1


def test_the_same_agent_under_two_names_comes_to_exactly_zero(tmp_path: Path) -> None:
    table = play_cup(
        cup(agents={"ann": "random", "dan": "random"}, boards=20), tmp_path, InProcess()
    )
    assert [r.mean for r in table.rows] == [0, 0]
    assert [r.rank for r in table.rows] == [1, 1]


@pytest.mark.parametrize("format", ["round robin", "gauntlet", "individual", "swiss"])
def test_what_some_win_others_lose(format: str, tmp_path: Path) -> None:
    rounds = 2 if format == "swiss" else None
    table = play_cup(cup(format=format, rounds=rounds), tmp_path, InProcess())
    total = sum(r.mean * r.boards for r in table.rows)
    assert total == pytest.approx(0, abs=1e-9)
    assert table.rows[0].name == "ben"
    assert len({entry.key for entry in entries(tmp_path)}) == table.episodes


def test_a_bye_of_a_swiss_cup_is_a_win(tmp_path: Path) -> None:
    swiss = cup(format="swiss", rounds=3, agents=only("ann", "ben", "cleo"))
    table = play_cup(swiss, tmp_path, InProcess())
    met = {entry.entrants for entry in entries(tmp_path)}
    assert {frozenset(pair) for pair in met} == {
        frozenset(pair) for pair in itertools.combinations(swiss.agents, 2)
    }
    assert [r.points for r in table.rows] == [6, 4, 2]
    assert [r.won for r in table.rows] == [2, 1, 0]


@pytest.mark.parametrize("game", ["german_whist", "solo_whist", "dummy_whist"])
def test_any_game_can_be_played(game: str, tmp_path: Path) -> None:
    table = play_cup(
        cup(game=game, agents={"ann": "random", "ben": "random"}, boards=2),
        tmp_path,
        InProcess(),
    )
    assert [r.mean for r in table.rows] == [0, 0]
    assert table.episodes == 4
    for episode in read_jsonl(tmp_path / "records.jsonl"):
        episode.last_table()


# Files of cups ----------------------------------------------------------------------


def test_a_cup_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "autumn.toml"
    path.write_text(
        """
        format = "teams"
        faults = "fallback"
        [agents]
        a = "hoyle"
        b = "cmd:./my_agent --fast"
        [teams]
        red = ["a", "a", "a", "a"]
        blue = ["a", "b", "a", "b"]
        [options]
        scoring = "short5"
        [clock]
        deal = 5
        """
    )
    read = read_cup(path)
    assert (read.name, read.faults, read.boards) == ("autumn", "fallback", 32)
    assert read.entrants == ("red", "blue")
    assert read.made_game().options.scoring == "short5"  # type: ignore[attr-defined]
    assert read.clock == Clock(deal=5)
    assert read.is_program("b")
    assert read.command("b") == "./my_agent --fast"
    assert Cup.from_json(read.to_json()) == read


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("format = 'swiss'", "'agents' is missing"),
        ("format = 'swis'\nagents = ['random', 'hoyle']", "did you mean 'swiss'"),
        ("format = 'swiss'\nagents = ['random', 'hoyle']", "rounds=None"),
        ("format = 'gauntlet'\nagents = ['random', 'random']", "one spec twice"),
        ("format = 'gauntlet'\nagents = ['random']", "takes 2 to 1000 entrants, not 1"),
        (
            "format = 'gauntlet'\nboard = 3\nagents = ['a', 'b']",
            "did you mean 'boards'",
        ),
        ("format = 'gauntlet'\nboards = 0\nagents = ['a', 'b']", "boards=0"),
        ("format = 'gauntlet'\nagents = ['a', 'oracle']", "no fair agent"),
        ("format = 'gauntlet'\nagents = ['a', 'cmd:']", "names no program"),
        ("format = 'club'\nrounds = 1\nagents = ['a', 'b']", "takes 4 to 6 entrants"),
        ("format = 'teams'\nagents = ['a', 'b']", "needs teams: give each"),
        (
            "format = 'swiss'\nrounds = 1\nagents = ['a', 'b']\n"
            "[teams]\nred = ['a', 'b', 'a', 'b']",
            "teams have no meaning in the format 'swiss'",
        ),
        (
            "format = 'gauntlet'\nagents = ['a', 'b']\nfallback = 'hoyle'",
            "only with faults = 'fallback'",
        ),
        ("format = 'gauntlet'\nrounds = 2\nagents = ['a', 'b']", "has no meaning"),
        ("format = 'gauntlet'\nagents = ['a', 'b']\nclock.move = 0", "at least 0.001"),
        (
            "format = 'gauntlet'\nagents = ['a', 'b']\nfallback = 'cmd:x'\n"
            "faults = 'fallback'",
            "cannot fail",
        ),
        ("format = ", "Invalid value"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_the_reason(
    text: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_cup(path)
    assert "cup.toml" in str(caught.value)


def test_an_agent_that_cannot_be_is_found_before_the_play(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no agent 'randm'"):
        play_cup(cup(agents={"a": "randm", "b": "greedy"}), tmp_path, InProcess())
    play_cup(cup(agents={"a": "random", "b": "greedy"}), tmp_path, InProcess())


# Faults of agents in this process ---------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "kind"),
    [("Illegal", "illegal"), ("Raises", "crash"), ("WrongShape", "crash")],
)
@pytest.mark.parametrize("policy", ["forfeit", "fallback", "disqualify"])
def test_every_fault_is_met_by_the_policy(
    agent: str, kind: str, policy: str, tmp_path: Path
) -> None:
    agents = {"bad": f"faulty_agents:{agent}", "good": "greedy"}
    table = play_cup(cup(agents=agents, faults=policy, boards=6), tmp_path, InProcess())
    bad = row(table, "bad")
    assert set(bad.faults) == {kind}
    faulty = [e for e in read_jsonl(tmp_path / "records.jsonl") if e.faults]
    assert sum(len(e.faults) for e in faulty) == bad.faults[kind]
    for episode in faulty:
        last = episode.last_table()
        assert episode.forfeit == (policy != "fallback")
        assert last.is_over
        if episode.forfeit:
            (fault,) = episode.faults
            assert episode.agents[fault.agent] == "bad"
            assert fault.action == len(episode.actions) + 1
            assert last.returns()[fault.agent] < 0
        assert all(fault.reply for fault in episode.faults)
    assert (bad.rank is None) == (policy == "disqualify")
    assert bad.forfeits == (0 if policy == "fallback" else len(faulty))
    assert row(table, "good").faults == {}


def test_one_fault_of_many_tables_does_not_touch_the_others(tmp_path: Path) -> None:
    agents = {"bad": "faulty_agents:Raises", "good": "random"}
    play_cup(cup(agents=agents, boards=16), tmp_path, InProcess())
    faults = [bool(entry.faults) for entry in entries(tmp_path)]
    assert 0 < sum(faults) < len(faults)


def test_nothing_is_played_on_by_those_that_are_disqualified(tmp_path: Path) -> None:
    agents = {"bad": "faulty_agents:WrongShape"} | only("ann", "ben", "cleo")
    bad_first = cup(agents=agents, faults="disqualify")
    play_cup(bad_first, tmp_path / "one", InProcess())
    play_cup(bad_first, tmp_path / "two", ProcessPool(2))
    assert records(tmp_path / "one") == records(tmp_path / "two")
    with_bad = [entry for entry in entries(tmp_path / "one") if "bad" in entry.agents]
    assert {entry.key[:2] for entry in with_bad} == {(1, 1)}
    assert {entry.key[3] for entry in with_bad} == {1}


@pytest.mark.parametrize("format", ["round robin", "swiss"])
def test_names_and_faults_are_whole_in_80_columns(format: str, tmp_path: Path) -> None:
    names = [f"net:runs/whist_2026/checkpoints/{n}" for n in ("first", "second")]
    agents = dict.fromkeys(names, "faulty_agents:WrongShape")
    rounds = 1 if format == "swiss" else None
    faulty = cup(agents=agents, format=format, rounds=rounds)
    table = play_cup(faulty, tmp_path, InProcess())
    console = Console(width=80, file=io.StringIO())
    with console.capture() as capture:
        console.print(table)
    lines = capture.get().splitlines()
    assert "…" not in capture.get() and max(map(len, lines)) <= 80
    entrants = "".join(line.split("│")[2].strip() for line in lines if "│" in line)
    assert entrants == "".join(row.name for row in table.rows)
    for name in names:
        crashes = row(table, name).faults["crash"]
        assert f"{name}: crash {crashes}, forfeits {crashes}" in lines


def test_an_agent_that_cannot_be_made_is_named_before_the_play(tmp_path: Path) -> None:
    agents = {"a": "faulty_agents:RaisesWhenMade", "b": "random"}
    with pytest.raises(
        AgentError, match=r"'faulty_agents:RaisesWhenMade' .*no weights"
    ):
        play_cup(cup(agents=agents), tmp_path, InProcess())


def test_an_agent_that_would_end_the_process_has_crashed(tmp_path: Path) -> None:
    agents = {"bad": "faulty_agents:Exits", "good": "random"}
    table = play_cup(cup(agents=agents, boards=8), tmp_path, InProcess())
    assert set(row(table, "bad").faults) == {"crash"}
    assert table.episodes == 16


def test_an_agent_of_a_module_does_not_remember_the_other_room(tmp_path: Path) -> None:
    made = []
    for name in ("First", "Remembers"):
        agents = {"x": f"faulty_agents:{name}", "dan": "random"}
        play_cup(cup(agents=agents), tmp_path / name, InProcess())
        made.append([entry.returns for entry in entries(tmp_path / name)])
    assert made[0] == made[1]


def test_players_that_imagine_hands_are_refused_where_they_cannot(
    tmp_path: Path,
) -> None:
    agents = {"a": "pimc:samples=1", "b": "random"}
    forgetful = cup(agents=agents, options={"history": "last_trick"})
    with pytest.raises(ValueError, match=r"imagines hands, .*take history='all'"):
        play_cup(forgetful, tmp_path, InProcess())


# The seed ---------------------------------------------------------------------------


def test_a_cup_without_a_seed_draws_one_that_nobody_can_guess(tmp_path: Path) -> None:
    unseeded, seeds = cup(agents=only("ann", "ben"), seed=None), set()
    for name in "abcd":
        table = play_cup(unseeded, tmp_path / name, InProcess())
        assert table.cup.seed is not None
        seeds.add(table.cup.seed)
    assert len(seeds) == 4
    assert max(seeds) > 1 << 58
    with pytest.raises(ValueError, match="hold different cups"):
        read_standings([tmp_path / "a", tmp_path / "b"])


def test_a_cup_goes_on_with_the_seed_that_was_drawn(tmp_path: Path) -> None:
    unseeded = cup(agents=only("ann", "ben"), seed=None)
    table, whole = play_cup(unseeded, tmp_path, InProcess()), records(tmp_path)
    (tmp_path / "records.jsonl").write_bytes(whole[: len(whole) // 2 + 9])
    with pytest.warns(DamagedLine):
        assert play_cup(unseeded, tmp_path, InProcess()) == table
    assert records(tmp_path) == whole
    assert read_standings([tmp_path]) == table


def test_shards_need_a_seed_in_common(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="need a seed in common"):
        play_cup(cup(seed=None), tmp_path, InProcess(), Shard(1, 2))


# Programs ---------------------------------------------------------------------------

HOSTILE = {
    "illegal": 'reply(message["move"], "XX")',
    "garbage": 'print("what?", flush=True)',
    "timeout": "time.sleep(1000)",
    "crash": "sys.exit(1)",
}


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Write a program that plays well, and in its second deal as it is told."""

    def write(then: str) -> str:
        lines = f"""
            import json, os, sys, time
            def reply(move, action):
                print(json.dumps({{"move": move, "action": action}}), flush=True)
            sys.stdin.readline()
            print('{{"ready": true}}', flush=True)
            deals = 0
            for line in sys.stdin:
                message = json.loads(line)
                if message["type"] != "act":
                    continue
                deals += any("deal" in event for event in message["events"])
                if deals == 2:
                    {then}
                else:
                    reply(message["move"], message["legal"][0])
        """
        path = tmp_path / f"program{len(list(tmp_path.iterdir()))}.py"
        path.write_text(textwrap.dedent(lines))
        return f"cmd:{sys.executable} -I -S {path}"

    return write


@POSIX
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_program_that_does_wrong_forfeits_the_deal(
    kind: str, program: Callable[[str], str], tmp_path: Path
) -> None:
    agents = {"bad": program(HOSTILE[kind]), "good": "greedy"}
    limit = 1 if kind == "timeout" else 10
    hostile = cup(agents=agents, boards=3, clock=Clock(move=limit))
    table = play_cup(hostile, tmp_path / "out", InProcess())
    bad = row(table, "bad")
    assert set(bad.faults) == {kind}
    assert bad.forfeits == bad.faults[kind] >= 2
    assert bad.boards == 3
    first = [entry for entry in entries(tmp_path / "out") if entry.key[2] == 1]
    assert [entry.faults for entry in first] == [(), ()]


@POSIX
def test_a_fallback_plays_on_for_a_program(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    agents = {"bad": program(HOSTILE["crash"]), "good": "greedy"}
    table = play_cup(
        cup(agents=agents, boards=2, faults="fallback"), tmp_path / "out", InProcess()
    )
    assert row(table, "bad").forfeits == 0
    for episode in read_jsonl(tmp_path / "out" / "records.jsonl"):
        assert len(episode.actions) == 52


@POSIX
def test_a_program_that_never_starts_is_given_up(tmp_path: Path) -> None:
    agents = {"bad": "cmd:./no/such/program", "good": "random"}
    table = play_cup(cup(agents=agents, boards=8), tmp_path, InProcess())
    bad = row(table, "bad")
    assert bad.faults["start"] <= 4 * 4
    assert bad.faults["start"] + bad.faults["gone"] == 16
    log = [json.loads(s) for s in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert "./no/such/program was not found" in log[0]["agents"][0]["stderr"]


@POSIX
def test_a_clock_runs_out_over_a_deal(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    wait = (
        'time.sleep(0.08 * (message["move"] % 13 < 7));'
        'reply(message["move"], message["legal"][0])'
    )
    agents = {"slow": program(wait), "good": "random"}
    short = cup(agents=agents, boards=2, clock=Clock(move=5, deal=0.45))
    table = play_cup(short, tmp_path / "out", InProcess())
    assert row(table, "slow").faults == {"timeout": 2}
    late = [entry for entry in entries(tmp_path / "out") if entry.faults]
    assert {entry.key[2] for entry in late} == {2}
    more = dataclasses.replace(short, clock=Clock(move=5, deal=0.45, increment=0.3))
    table = play_cup(more, tmp_path / "more", InProcess())
    assert row(table, "slow").faults == {}


@POSIX
@pytest.mark.parametrize("policy", ["forfeit", "fallback"])
def test_a_clock_that_runs_out_in_one_deal_is_full_in_the_next(
    policy: str, program: Callable[[str], str], tmp_path: Path
) -> None:
    agents = {"slow": program("time.sleep(1000)"), "good": "greedy"}
    short = cup(agents=agents, boards=3, faults=policy, clock=Clock(deal=1))
    table = play_cup(short, tmp_path / "out", InProcess())
    assert set(row(table, "slow").faults) == {"timeout"}
    # Each process hangs in the second deal in which it is asked.
    late = {entry.key[2] for entry in entries(tmp_path / "out") if entry.faults}
    assert late == ({2, 3} if policy == "forfeit" else {2})
    log = (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    agents_logged = [agent for line in log for agent in json.loads(line)["agents"]]
    assert max(agent.get("starts", 0) for agent in agents_logged) == 2


@POSIX
def test_each_seat_has_a_process_that_sees_no_hand_but_its_own(tmp_path: Path) -> None:
    spy = tmp_path / "spy.py"
    spy.write_text(
        textwrap.dedent(
            f"""
            import json, os, sys
            log = open({str(tmp_path)!r} + f"/heard-{{os.getpid()}}", "w")
            for line in sys.stdin:
                log.write(line); log.flush()
                message = json.loads(line)
                if message["type"] == "hello":
                    print('{{"ready": true}}', flush=True)
                if message["type"] == "act":
                    print(json.dumps({{"move": message["move"],
                                       "action": message["legal"][0]}}), flush=True)
            """
        )
    )
    agents = {"spy": f"cmd:{sys.executable} -I -S {spy}", "dan": "random"}
    out = tmp_path / "out"
    play_cup(cup(agents=agents, boards=1), out, InProcess())
    heard = [path.read_text().splitlines() for path in tmp_path.glob("heard-*")]
    assert len(heard) == 4  # two seats in each of two rooms
    hands = []
    for episode in read_jsonl(out / "records.jsonl"):
        hands += [
            set(episode.actions) & {c for n, c in _cards(episode) if n == seat}
            for seat in range(4)
            if episode.agents[seat] == "spy"
        ]
    for lines in heard:
        messages = [json.loads(line) for line in lines]
        asked = [message for message in messages if message["type"] == "act"]
        assert len(asked) == 13
        hand = set(asked[0]["observation"]["hand"])
        assert hand in hands
        public: set[str] = set()
        for message in asked:
            public |= {
                event["action"] for event in message["events"] if "seat" in event
            }
            seen = {
                card
                for name in ("played", "trick")
                for cards in message["observation"][name]
                for card in cards
            }
            assert seen <= public
            assert set(message["observation"]["hand"]) == hand - public
        assert messages[-2]["type"] == "end"
        assert sum(messages[-2]["returns"]) == 0
        assert messages[-1]["type"] == "quit"


def _cards(episode: Any) -> list[tuple[int, str]]:
    """Who played which card."""
    tables = list(episode.replay())
    return [
        (table.agent, action)
        for table, action in zip(tables, episode.actions, strict=False)
    ]


@POSIX
def test_cards_that_lie_face_down_are_not_told(tmp_path: Path) -> None:
    spy = tmp_path / "spy.py"
    spy.write_text(
        textwrap.dedent(
            f"""
            import json, os, sys
            log = open({str(tmp_path)!r} + f"/heard-{{os.getpid()}}", "w")
            for line in sys.stdin:
                log.write(line); log.flush()
                message = json.loads(line)
                if message["type"] == "hello":
                    print('{{"ready": true}}', flush=True)
                if message["type"] == "act":
                    print(json.dumps({{"move": message["move"],
                                       "action": message["legal"][0]}}), flush=True)
            """
        )
    )
    agents = {"spy": f"cmd:{sys.executable} -I -S {spy}", "dan": "random"}
    passing = cup(game="omnibus_hearts", agents=agents, boards=1)
    play_cup(passing, tmp_path / "out", InProcess())
    (path, *_) = sorted(tmp_path.glob("heard-*"))
    messages = [json.loads(line) for line in path.read_text().splitlines()]
    events = [e for m in messages for e in m.get("events", ()) if "seat" in e]
    hidden = [event for event in events if event["action"] is None]
    assert len(hidden) == 9
    assert all(event["seat"] != 0 for event in hidden)


# Nothing is lost --------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    play_cup(cup(), folder, InProcess())
    return folder


def test_one_and_several_processes_write_the_same_bytes(
    whole: Path, tmp_path: Path
) -> None:
    table = play_cup(cup(), tmp_path, ProcessPool(2))
    assert records(tmp_path) == records(whole)
    assert table == read_standings([whole])


@pytest.mark.filterwarnings("ignore::whist_env.records.DamagedLine")
def test_a_file_torn_anywhere_is_completed_to_the_same_bytes(tmp_path: Path) -> None:
    small = cup(agents=only("ann", "cleo", "dan"), boards=1)
    whole = tmp_path / "whole"
    play_cup(small, whole, InProcess())
    complete = records(whole)
    lines = [place for place, byte in enumerate(complete) if byte == 10]
    cuts = [
        0,
        1,
        len(complete) - 1,
        len(complete),
        lines[3],
        lines[3] + 1,
        lines[5] + 1,
    ]
    cuts += random.Random(1).sample(range(len(complete)), 6)
    for cut in set(cuts):
        torn = tmp_path / str(cut)
        shutil.copytree(whole, torn)
        (torn / "records.jsonl").write_bytes(complete[:cut])
        play_cup(small, torn, InProcess())
        assert records(torn) == complete
        assert not list(torn.glob("*damaged*"))


def test_what_is_there_is_not_played_again(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "copy")

    class Nothing:
        def play(self, cup: Cup, sittings: Iterable[Any]) -> Any:
            assert list(sittings) == []
            yield from ()

    play_cup(cup(), tmp_path / "copy", Nothing())
    assert records(tmp_path / "copy") == records(whole)


def test_corrupt_lines_are_reported_and_the_rest_is_kept(
    whole: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    path = tmp_path / "copy" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[7] = b"\x00\xff rubbish\n"
    path.write_bytes(b"".join(lines))
    with pytest.warns(DamagedLine, match="records.jsonl, line 8 is damaged"):
        table = read_standings([tmp_path / "copy"])
    assert table.episodes == len(lines) - 1
    played = []

    class Noting(InProcess):
        def play(self, cup: Cup, sittings: Iterable[Any]) -> Any:
            for sitting in sittings:
                played.append(sitting)
                yield from super().play(cup, [sitting])

    with pytest.warns(DamagedLine) as warned:
        play_cup(cup(), tmp_path / "copy", Noting())
    assert len(played) == 1
    assert records(tmp_path / "copy") == records(whole)
    assert "is in" in str(warned[-1].message)
    kept = (tmp_path / "copy" / "records.damaged-1.jsonl").read_bytes()
    assert kept == b"".join(lines[6:])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"returns":[', b'"returns":[9'),
        (b'"agents":["ann"', b'"agents":["ben"'),
        (b'"seed":"1', b'"seed":"2'),
        (b'"awl"', b'"short5"'),
        (b'"room":1', b'"room":1.5'),
        (b'"rooms":2', b'"rooms":3'),
        (b'"actions":["', b'"actions": ["'),
        (b'"notes"', b'"faults":[{"action":1,"agent":0,"kind":"x"}],"notes"'),
        (b'"first":"ann"', b'"first":"amm"'),
    ],
    ids=str,
)
def test_a_record_that_cannot_have_been_played_is_reported_and_played_again(
    old: bytes, new: bytes, whole: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    path = tmp_path / "copy" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if old in line)
    lines[number] = lines[number].replace(old, new, 1)
    path.write_bytes(b"".join(lines))
    with pytest.warns(DamagedLine) as warned:
        play_cup(cup(), tmp_path / "copy", InProcess())
    assert "left out" in str(warned[0].message)
    assert records(tmp_path / "copy") == records(whole)


def test_results_that_no_play_gives_do_not_count(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    path = tmp_path / "copy" / "records.jsonl"
    lines = path.read_text().splitlines()
    fields = json.loads(lines[2])
    fields["returns"] = [100 * earned for earned in fields["returns"]]
    lines[2] = json.dumps(fields, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")
    with pytest.warns(DamagedLine, match=r"line 3 .*: it was not played so: its ret"):
        table = read_standings([tmp_path / "copy"])
    assert table.episodes == len(lines) - 1


@pytest.mark.parametrize("name", [b'"ann"', b'"first":"ann"'])
def test_records_of_strangers_are_reported_and_do_not_count(
    name: bytes, whole: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    path = tmp_path / "copy" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if name in line)
    lines[number] = lines[number].replace(name, name.replace(b"ann", b"eve"))
    path.write_bytes(b"".join(lines))
    with pytest.warns(DamagedLine, match="nobody of this cup is called 'eve'"):
        table = read_standings([tmp_path / "copy"])
    assert table.episodes == len(lines) - 1


@pytest.mark.parametrize("line", ['{"notes":{"round":1e999}}', "[" * 100_000])
def test_what_is_no_record_is_refused_whatever_it_is(line: str) -> None:
    with pytest.raises(RecordError, match="no record of a cup"):
        entry_of(line.replace("}}", '},"agents":[]}'))


def test_the_log_goes_on_after_a_torn_line(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    log = tmp_path / "copy" / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-9])
    (tmp_path / "copy" / "records.jsonl").unlink()
    play_cup(cup(), tmp_path / "copy", InProcess())
    lines = log.read_bytes().splitlines()
    count = len((whole / "log.jsonl").read_bytes().splitlines())
    assert len(lines) == 2 * count
    assert all(json.loads(line) for line in lines[count:])


def test_a_full_disk_is_reported_and_the_cup_goes_on_when_there_is_room(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 8000
    write_all = ledger_module.write_all

    def limited(file: Any, data: bytes) -> None:
        nonlocal left
        write_all(file, data[:left])
        if len(data) > left:
            raise OSError(errno.ENOSPC, "No space left on device")
        left -= len(data)

    monkeypatch.setattr(ledger_module, "write_all", limited)
    with pytest.raises(OSError, match="is full; all before is kept"):
        play_cup(cup(), tmp_path, InProcess())
    monkeypatch.undo()
    stopped = records(tmp_path)
    assert records(whole).startswith(stopped)
    assert stopped.endswith(b"\n")
    play_cup(cup(), tmp_path, InProcess())
    assert records(tmp_path) == records(whole)


@POSIX
def test_a_cup_that_is_killed_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path,
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        """
        format = "swiss"
        rounds = 3
        boards = 4
        seed = 4
        faults = "fallback"
        [agents]
        ann = "random"
        ben = "cmd:docs/clients/lowest.sh"
        cleo = "faulty_agents:Illegal"
        dan = "greedy"
        """
    )
    read = read_cup(file)
    play_cup(read, tmp_path / "calm", InProcess())
    expected = records(tmp_path / "calm")
    out, killed, processes = tmp_path / "killed", 0, list[int]()
    words = ["tournament", str(file), "--out", str(out), "--workers", "2"]
    code = "import sys; from whist_train.command_line import main; main(sys.argv[1:])"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    for part in (0.0, 0.5):
        run = subprocess.Popen(
            [sys.executable, "-c", code, *words], env=environment, stderr=-3, stdout=-3
        )
        path = out / "records.jsonl"
        while run.poll() is None:
            if path.exists() and path.stat().st_size > part * len(expected):
                processes += _descendants(run.pid)
                run.kill()
                killed += 1
                break
            time.sleep(0.005)
        run.wait()
    assert killed == 2
    assert wait_until(lambda: not any(map(is_alive, processes)))
    assert len(records(out)) < len(expected)
    play_cup(read, out, InProcess())
    assert records(out) == expected
    assert read_standings([out]) == read_standings([tmp_path / "calm"])


def test_a_sitting_whose_process_is_killed_is_played_again(tmp_path: Path) -> None:
    agents = {
        "ann": f"faulty_agents:KillsItsProcess,marker={tmp_path / 'marker'}",
        "dan": "random",
    }
    play_cup(cup(agents=agents), tmp_path / "pool", ProcessPool(2))
    assert (tmp_path / "marker").exists()
    play_cup(cup(agents=agents), tmp_path / "alone", InProcess())
    assert records(tmp_path / "pool") == records(tmp_path / "alone")


def test_a_sitting_that_kills_every_process_is_given_up_and_its_agents_are_named(
    tmp_path: Path,
) -> None:
    agents = {"ann": "random", "dan": "faulty_agents:KillsAll"}
    with pytest.raises(
        RuntimeError, match=r"not finished in 3 tries.*'ann', 'dan' may"
    ):
        play_cup(cup(agents=agents), tmp_path, ProcessPool(2))


def test_shards_together_have_the_same_standings(whole: Path, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in (1, 2, 3)]
    for number, folder in enumerate(folders, start=1):
        play_cup(cup(), folder, InProcess(), Shard(number, 3))
    lines = [records(folder).splitlines() for folder in folders]
    assert all(lines)
    assert sorted(itertools.chain(*lines)) == sorted(records(whole).splitlines())
    assert read_standings(folders) == read_standings([whole])
    with pytest.raises(ValueError, match="holds shard 1/3 of this cup, not 2/3"):
        play_cup(cup(), folders[0], InProcess(), Shard(2, 3))


def test_folders_of_different_cups_are_not_put_together(
    whole: Path, tmp_path: Path
) -> None:
    play_cup(cup(seed=6, boards=1), tmp_path, InProcess())
    with pytest.raises(ValueError, match="hold different cups"):
        read_standings([whole, tmp_path])
    with pytest.raises(ValueError, match="a cup with another boards and seed"):
        play_cup(cup(), tmp_path, InProcess())
    with pytest.raises(FileNotFoundError, match="no folder of a cup"):
        read_standings([tmp_path / "nowhere"])


def test_a_swiss_cup_has_no_shards(tmp_path: Path) -> None:
    swiss = cup(format="swiss", rounds=2)
    with pytest.raises(ValueError, match="cannot be played in shards"):
        play_cup(swiss, tmp_path, InProcess(), Shard(1, 2))
    with pytest.raises(ValueError, match="shard 3/2"):
        Shard(3, 2)
    with pytest.raises(ValueError, match="write it as 2/8"):
        Shard.parse("two")


@POSIX
def test_only_one_process_at_a_time_plays_a_cup(whole: Path) -> None:
    with (
        ledger_module.locked_records(whole),
        pytest.raises(BlockingIOError, match="another process is playing"),
    ):
        play_cup(cup(), whole, InProcess())


@POSIX
def test_a_cup_is_settled_by_one_process_alone(tmp_path: Path) -> None:
    with (
        ledger_module.locked_records(tmp_path),
        pytest.raises(BlockingIOError, match="another process is playing"),
    ):
        play_cup(cup(), tmp_path, InProcess())
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl"]
    play_cup(cup(agents=only("ann", "dan")), tmp_path, InProcess())


# The command ------------------------------------------------------------------------


def test_the_command_plays_a_cup_and_reports_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text("format = 'round robin'\nboards = 2\nagents = ['random', 'hoyle']")
    words = ["tournament", str(file), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert main(words) == SUCCESS
    played = capsys.readouterr().out
    assert "cup: round robin" in played
    assert main(["report", str(tmp_path / "out")]) == SUCCESS
    assert capsys.readouterr().out == played
    assert main([*words, "--json"]) == SUCCESS
    fields = json.loads(capsys.readouterr().out)
    assert fields["episodes"] == 4
    assert [r["rank"] for r in fields["standings"]] == [1, 2]
    assert main([*words, "--shard", "x"]) == MISUSE
    assert main(["report", str(tmp_path / "no")]) == MISUSE
    assert FAILURE not in (SUCCESS, MISUSE)


def test_meetings_know_their_agents() -> None:
    meeting = Meeting(1, 1, (("ann", "ben"), ("ben", "ann")))
    assert meeting.agents == {"ann", "ben"}
