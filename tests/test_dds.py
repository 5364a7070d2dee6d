"""DDS behind our wrapper: right answers, and none of its dangers."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from test_solver import cards_left, duke_of_cumberland, endings, redealt

import whist_env
from whist_env import SolverLimit, Table, solve
from whist_env.cards import members, parse_card, suit_of
from whist_env.engine.tricks import NO_CARD
from whist_env.solver import dds, solve_worlds
from whist_env.solver.own import Search
from whist_env.solver.questions import Question

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="DDS comes with endplay, which has no wheels for Python 3.14",
)

LIMIT = 100_000_000


def test_dds_is_installed_for_these_tests() -> None:
    assert dds.library() is not None, "pip install -e '.[dev]' installs it"


@pytest.fixture
def without_dds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dds, "library", lambda: None)


# Beside our own search --------------------------------------------------------------


def random_position(
    cards: int, worlds: int, generator: np.random.Generator
) -> dds.Position:
    """Any pack, trump, leader and turn, with nought to three cards on the table."""
    leader, turn = int(generator.integers(4)), int(generator.choice([1, -1]))
    pack = generator.permutation(52)[: 4 * cards]
    on_table = int(generator.integers(4))
    trick = [NO_CARD] * 4
    for place in range(on_table):
        trick[(leader + turn * place) % 4] = int(pack[place])
    hands = np.zeros((worlds, 4), np.uint64)
    for world in hands:
        rest = generator.permutation(pack[on_table:]).tolist()
        for seat in range(4):
            size = cards - (trick[seat] != NO_CARD)
            held, rest = rest[:size], rest[size:]
            world[seat] = sum(1 << card for card in held)
    trump = int(generator.integers(-1, 4))
    return dds.Position(hands, tuple(trick), leader, trump, turn)


def seat_to_play(position: dds.Position) -> int:
    return next(s for s in position.order if position.trick[s] == NO_CARD)


def cards_to_play(position: dds.Position, world: int) -> list[int]:
    hand = list(members(position.hands[world, seat_to_play(position)]))
    led = position.trick[position.leader]
    return [
        card for card in hand if led != NO_CARD and suit_of(card) == suit_of(led)
    ] or hand


def values_by_our_search(position: dds.Position) -> npt.NDArray[np.int16]:
    seat = seat_to_play(position)
    record = SimpleNamespace(
        hands=position.hands[0],
        seat=seat,
        trick=np.array(position.trick, np.int8),
        leader=position.leader,
        trump=position.trump,
    )
    question = Question((seat, (seat + 2) % 4), trick=1, turn=position.turn)
    low, _, solved = Search(question, record, LIMIT).value_all(position.hands)
    assert solved == len(position.hands)
    return low


@pytest.mark.parametrize(
    ("cards", "positions", "worlds"),
    [
        *((cards, 50, 20) for cards in range(1, 7)),
        *((7, 50, 20), (8, 50, 2), (9, 10, 1), (10, 5, 1), (11, 3, 1)),
    ],
)
def test_dds_and_our_search_give_every_card_the_same_value(
    cards: int, positions: int, worlds: int
) -> None:
    generator = np.random.default_rng(cards)
    for _ in range(positions):
        position = random_position(cards, worlds, generator)
        ours, theirs = values_by_our_search(position), dds.value_all(position)
        for world in range(worlds):
            legal = cards_to_play(position, world)
            assert theirs[world, legal].tolist() == ours[world, legal].tolist()
            others = sorted(set(range(52)) - set(legal))
            assert (theirs[world, others] == dds.NO_VALUE).all()


CALLS = ("pass", "propose", "accept", "demand", "five", "whist")


def quiet_action(table: Table, generator: np.random.Generator) -> int:
    """A card, or a call of those with which two players come together."""
    legal = table.legal_actions()
    names = table.game.action_names
    quiet = [a for a in legal if a < 52 or names[a].startswith(CALLS)]
    return int(generator.choice(quiet or legal))


def endings_for_dds(name: str, options: dict[str, Any], number: int) -> Iterator[Table]:
    """Random positions of six or seven cards a hand that DDS is asked about."""
    game = whist_env.game(name, **options)
    generator = np.random.default_rng(number)
    while number > 0:
        table = game.new_table(seed=int(generator.integers(2**60)))
        left = int(generator.integers(6, 8))
        while not table.is_over and cards_left(table) > left:
            table.apply(quiet_action(table, generator))
        for _ in range(generator.integers(3)):
            if not table.is_over:
                table.apply(quiet_action(table, generator))
        if not table.is_over and solve(table).solver == "dds":
            number -= 1
            yield table


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("whist", {}),
        ("whist", {"revokes": "penalty"}),
        ("whist", {"ranks": 8}),
        ("dummy_whist", {}),
        ("bridge_whist", {}),
        ("cayenne", {"nullo_ace": "low"}),
        ("solo_whist", {}),
        ("boston_de_fontainebleau", {}),
    ],
)
def test_games_of_partners_are_solved_by_dds_as_by_our_search(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = [(table, solve(table)) for table in endings_for_dds(name, options, 30)]
    monkeypatch.setattr(dds, "library", lambda: None)
    for table, found in theirs:
        ours = solve(table)
        assert (ours.solver, found.solver) == ("own", "dds")
        assert ours.values == found.values
        assert (ours.seat, ours.counted) == (found.seat, found.counted)
        assert found.positions == 0


# Whole deals ------------------------------------------------------------------------


def test_the_duke_of_cumberland_lost_thirteen_tricks_with_the_seven_of_clubs() -> None:
    table = duke_of_cumberland()
    lead = solve(table)
    assert lead.solver == "dds"
    assert lead.counted == (1, 3)
    assert lead.value == 6
    assert lead.values[parse_card("C7")] == 0
    table.apply(parse_card("C7"))
    answer = solve(table)
    assert answer.solver == "dds"
    assert answer.counted == (0, 2)
    assert answer.value == 13
    assert answer.best == [parse_card("C8")]


def test_thirteen_top_cards_take_thirteen_tricks_and_none_against_a_trump() -> None:
    suits = [0x1FFF << 13 * suit for suit in range(4)]
    hands = np.array([suits], np.uint64)
    for leader in range(4):
        for trump in range(-1, 4):
            position = dds.Position(hands, (NO_CARD,) * 4, leader, trump)
            values = dds.value_all(position)[0, list(members(suits[leader]))]
            takes_all = trump == -1 or trump % 2 == leader % 2
            assert (values == (13 if takes_all else 0)).all()


def test_worlds_beyond_one_batch_are_solved_as_each_alone() -> None:
    table = next(t for t in endings("whist", {}, 100, 6) if cards_left(t) == 6)
    generator = np.random.default_rng(0)
    worlds = redealt(table.record, 2 * dds.BATCH + 1, generator)
    cards, values = solve_worlds(table, worlds)
    assert cards == table.legal_actions()
    for world in (0, dds.BATCH - 1, dds.BATCH, 2 * dds.BATCH):
        _, alone = solve_worlds(table, worlds[world : world + 1])
        assert values[world].tolist() == alone[0].tolist()


def test_no_worlds_have_no_values() -> None:
    table = whist_env.game("whist").new_table(seed=0)
    _, values = solve_worlds(table, np.empty((0, 4), np.uint64))
    assert values.shape == (0, 13)


# Who is asked -----------------------------------------------------------------------


def test_dds_is_asked_from_six_cards_on() -> None:
    table = whist_env.game("whist").new_table(seed=3)
    solvers = []
    while not table.is_over:
        if table.record.cards_in_trick == 0 and table.record.tricks_played > 4:
            solvers.append(solve(table).solver)
        table.apply(table.legal_actions()[0])
    assert solvers == ["dds"] * 3 + ["own"] * 5


@pytest.mark.parametrize(
    ("name", "options"),
    [("german_whist", {}), ("polignac", {}), ("chinese_whist", {"players": 3})],
)
def test_other_games_are_solved_by_our_search(
    name: str, options: dict[str, Any]
) -> None:
    for table in endings(name, options, 30, 6):
        if table.game.name != "chinese_whist" or not (table.record.covered >= 0).any():
            assert solve(table).solver == "own"


def test_nullo_is_solved_by_our_search() -> None:
    tables = endings("cayenne", {"nullo_ace": "low"}, 100, 6)
    nullo = [t for t in tables if t.record.declaration == 5 and cards_left(t) == 6]
    assert nullo
    for table in nullo:
        assert solve(table).solver == "own"


@pytest.mark.usefixtures("without_dds")
def test_without_the_extra_our_search_solves_or_names_it() -> None:
    table = whist_env.game("whist").new_table(seed=1)
    with pytest.raises(SolverLimit, match=re.escape("pip install 'whist-env[solve]'")):
        solve(table, positions=1000)
    ending = next(t for t in endings("whist", {}, 10, 6) if cards_left(t) == 6)
    assert solve(ending).solver == "own"


def test_the_extra_is_not_named_where_it_would_not_help() -> None:
    table = next(t for t in endings("polignac", {}, 10, 6) if cards_left(t) == 6)
    with pytest.raises(SolverLimit) as caught:
        solve(table, positions=1)
    assert "whist-env[solve]" not in str(caught.value)


def test_a_limit_reached_in_another_process_comes_back_whole() -> None:
    limit = SolverLimit("not solved", {3: (1, 2)})
    again = pickle.loads(pickle.dumps(limit))
    assert (str(again), again.bounds) == ("not solved", {3: (1, 2)})


# Dangers ----------------------------------------------------------------------------

NO_TRICK = (NO_CARD,) * 4
FOUR_HANDS = [[0x7F, 0x7F << 13, 0x7F << 26, 0x7F << 39]]


@pytest.mark.parametrize(
    ("hands", "trick", "leader", "trump", "message"),
    [
        ([[0x7F, 0x7F << 13, 0x7F << 26, 0x7F << 26]], NO_TRICK, 0, 0, "held twice"),
        ([[0x3F, 0x7F << 13, 0x7F << 26, 0x7F << 39]], NO_TRICK, 0, 0, "same number"),
        ([[0, 0, 0, 0]], NO_TRICK, 0, 0, "same number"),
        ([[1 << 52, 1, 2, 4]], NO_TRICK, 0, 0, "no card"),
        (FOUR_HANDS, (0, NO_CARD, NO_CARD, NO_CARD), 0, 0, "on the table"),
        (FOUR_HANDS, (7, NO_CARD, NO_CARD, NO_CARD), 0, 0, "same number"),
        (FOUR_HANDS, (NO_CARD, 20, NO_CARD, NO_CARD), 0, 0, "of the leader"),
        (FOUR_HANDS, (7, 20, 33, 46), 0, 0, "of the leader"),
        (FOUR_HANDS, (99, NO_CARD, NO_CARD, NO_CARD), 0, 0, "four cards"),
        (FOUR_HANDS, NO_TRICK, 4, 0, "leader=4"),
        (FOUR_HANDS, NO_TRICK, 0, 4, "trump=4"),
        ([[1, 2, 4]], NO_TRICK, 0, 0, "num_worlds, 4"),
    ],
)
def test_impossible_positions_never_reach_dds(
    hands: list[list[int]],
    trick: tuple[int, ...],
    leader: int,
    trump: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        dds.value_all(dds.Position(np.array(hands, np.uint64), trick, leader, trump))
    assert list(tmp_path.iterdir()) == []


def test_solving_leaves_nothing_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = whist_env.game("whist").new_table(seed=0)
    hands = table.record.hands[None].copy()
    hands[0, 0] = hands[0, 1]
    with pytest.raises(ValueError, match=r"must hold the same|two seats"):
        solve_worlds(table, hands)
    solve(table)
    assert list(tmp_path.iterdir()) == []


def worlds_and_values() -> tuple[Table, npt.NDArray[np.uint64], list[list[int]]]:
    table = next(t for t in endings("whist", {}, 100, 9) if cards_left(t) == 9)
    worlds = redealt(table.record, 40, np.random.default_rng(5))
    return table, worlds, solve_worlds(table, worlds)[1].tolist()


def test_threads_that_solve_at_once_get_right_answers() -> None:
    table, worlds, expected = worlds_and_values()

    def values(world: int) -> list[int]:
        return solve_worlds(table, worlds[world : world + 1])[1].tolist()[0]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(values, [*range(40)] * 5)) == expected * 5


def solve_in_worker(
    job: tuple[Table, npt.NDArray[np.uint64]],
) -> list[list[int]]:
    return solve_worlds(*job)[1].tolist()


def test_processes_that_solve_at_once_get_right_answers() -> None:
    table, worlds, expected = worlds_and_values()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        halves = pool.map(solve_in_worker, [(table, worlds[:20]), (table, worlds[20:])])
        assert [values for half in halves for values in half] == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_forked_while_another_thread_solves_gets_right_answers() -> None:
    program = """
import os, threading
from test_dds import worlds_and_values, solve_worlds

table, worlds, expected = worlds_and_values()
stop = threading.Event()

def solve_on():
    while not stop.is_set():
        solve_worlds(table, worlds[:5])

thread = threading.Thread(target=solve_on)
thread.start()
children = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        os._exit(int(solve_worlds(table, worlds)[1].tolist() != expected))
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
stop.set()
thread.join()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == str([0] * 6)


def test_a_library_that_cannot_be_loaded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "endplay").mkdir()
    (tmp_path / "endplay" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    load = dds.library.__wrapped__
    with pytest.raises(RuntimeError, match=re.escape("'whist-env[solve]'")):
        load()


def test_loading_dds_does_not_load_the_package_around_it() -> None:
    program = (
        "import sys; from whist_env.solver import dds; assert dds.library(); "
        "sys.exit('endplay' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
