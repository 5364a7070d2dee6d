"""Our own search beside plain minimax over the games themselves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import whist_env
from whist_env import Table
from whist_env.cards import members, parse_card, suit_of
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.games import boston_de_fontainebleau, omnibus_hearts, solo_whist
from whist_env.solver import (
    SolverLimit,
    dds,
    principal_variation,
    solve,
    solve_worlds,
)

PICCOLISSIMO = boston_de_fontainebleau.PICCOLISSIMO


@pytest.fixture(autouse=True)
def our_own_search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """DDS, which would solve some of this, has tests of its own."""
    monkeypatch.setattr(dds, "library", lambda: None)


# What each game counts, in the words of its own record -------------------------------


def tricks_of(record: Any, seats: tuple[int, ...]) -> int:
    return int(sum(record.tricks_won[seat] for seat in seats))


def opposite(record: Any) -> tuple[tuple[int, ...], int]:
    """The side of partners to play, and that its tricks are wanted."""
    side = record.seat % 2
    return (side, side + 2), 1


def alone(record: Any) -> tuple[tuple[int, ...], int]:
    return (int(record.seat),), 1


def cayenne(record: Any) -> tuple[tuple[int, ...], int]:
    seats, _ = opposite(record)
    return seats, -1 if record.declaration == 5 else 1


def contract(
    record: Any, caller: int, ally: int, avoids: bool
) -> tuple[tuple[int, ...], int]:
    allies = tuple(seat for seat in (caller, ally) if seat >= 0)
    if avoids or record.seat in allies:
        return allies, -1 if avoids else 1
    return tuple(set(range(record.hands.size)) - set(allies)), 1


def solo(record: Any) -> tuple[tuple[int, ...], int]:
    if record.standing == solo_whist.PASS:
        return (int(record.seat),), -1
    avoids = record.standing in (solo_whist.MISERE, solo_whist.SPREAD)
    call = solo_whist.PROPOSE
    if record.standing != solo_whist.ACCEPT:
        call = record.standing
    ally = -1
    if record.standing == solo_whist.ACCEPT:
        ally = int(record.made_by[solo_whist.ACCEPT])
    return contract(record, int(record.made_by[call]), ally, avoids)


def american_boston(record: Any) -> tuple[tuple[int, ...], int]:
    if record.caller < 0:
        return (int(record.seat),), -1
    return contract(record, int(record.caller), -1, record.trump == NO_SUIT)


def fontainebleau(record: Any) -> tuple[tuple[int, ...], int]:
    avoids = int(record.target) == 0
    return contract(record, int(record.caller), int(record.partner), avoids)


def french(record: Any) -> tuple[tuple[int, ...], int]:
    avoids = record.trump == NO_SUIT
    return contract(record, int(record.caller), int(record.acceptor), avoids)


Sides = Callable[[Any], tuple[tuple[int, ...], int]]


def takings(name: str, record: Any, seats: tuple[int, ...], wish: int) -> int:
    """What some seats have taken so far in a deal."""
    seat = seats[0]
    if name == "polignac":
        if record.announced.any():
            return tricks_of(record, seats)
        taken = [suit for suit in range(4) if record.jack_taker[suit] == seat]
        return -sum(2 if suit == 3 else 1 for suit in taken)
    if name == "slobberhannes":
        takers = (record.first_taker, record.queen_taker, record.last_taker)
        points = sum(taker == seat for taker in takers)
        return -4 if points == 3 and record.options.all_three else -points
    if name == "omnibus_hearts":
        return int(omnibus_hearts.points_of(record, seat))
    return wish * tricks_of(record, seats)


# Minimax ----------------------------------------------------------------------------


def cards_following(table: Table) -> list[int]:
    """The legal cards less those that would be revokes."""
    record = table.record
    legal = table.legal_actions()
    if "revokes" not in record.options.dtype.names or not record.options.revokes:
        return legal
    same_suit = [card for card in legal if suit_of(card) == record.led]
    return same_suit or legal


def minimax(table: Table, seats: tuple[int, ...], final: Callable[[Any], int]) -> int:
    """What some seats get out of the rest of a deal that is the last of its episode."""
    if table.is_over:
        return final(table.record)
    values = []
    for card in cards_following(table):
        after = table.clone()
        after.apply(card)
        values.append(minimax(after, seats, final))
    return max(values) if table.record.seat in seats else min(values)


def cards_left(table: Table) -> int:
    return max(int(hand).bit_count() for hand in table.record.hands)


def endings(
    name: str, options: dict[str, Any], number: int, size: int
) -> Iterator[Table]:
    """Random endings at any point of a trick with up to so many cards a hand."""
    generator = np.random.default_rng(7 * number + size)
    game = whist_env.game(name, **options)
    found = 0
    while found < number:
        table = game.new_table(seed=int(generator.integers(2**60)))
        stop = 1 + int(generator.integers(game.num_agents if size < 4 else 3))
        while not table.is_over:
            legal = table.legal_actions()
            ending = cards_left(table) <= size and int(table.record.cards_played) > 0
            if ending and all(action < 52 for action in legal):
                stop -= 1
                if stop == 0:
                    found += 1
                    yield table
                    break
            table.apply(int(generator.choice(legal)))


CASES: list[tuple[str, dict[str, Any], Sides]] = [
    ("whist", {}, opposite),
    ("whist", {"revokes": "penalty", "ranks": 13, "suits": 4}, opposite),
    ("dummy_whist", {}, opposite),
    ("bridge_whist", {}, opposite),
    ("german_whist", {}, alone),
    ("chinese_whist", {}, opposite),
    ("chinese_whist", {"players": 3}, alone),
    ("chinese_whist", {"players": 2}, alone),
    ("solo_whist", {"general_misere": "on"}, solo),
    ("boston", {}, american_boston),
    ("french_boston", {}, french),
    ("french_boston", {"counterclockwise": "nothing"}, french),
    ("boston_de_fontainebleau", {}, fontainebleau),
    ("russian_boston", {}, fontainebleau),
    ("cayenne", {"nullo_ace": "low"}, cayenne),
    ("cayenne", {"nullo_ace": "high"}, cayenne),
    ("polignac", {}, alone),
    ("polignac", {"players": 5, "rank": "KQJA10987"}, alone),
    ("polignac", {"players": 6}, alone),
    ("slobberhannes", {}, alone),
    ("slobberhannes", {"players": 3}, alone),
    ("slobberhannes", {"players": 6, "all_three": False}, alone),
    ("omnibus_hearts", {}, alone),
    ("omnibus_hearts", {"players": 5, "hearts_broken": True}, alone),
    ("omnibus_hearts", {"players": 6, "bonus_card": "DJ"}, alone),
]


def is_beyond_the_solver(table: Table) -> bool:
    """Whether this is one of the few deals that the solver refuses."""
    record = table.record
    name = table.game.name
    if name == "polignac":
        return bool(record.announced.sum() > 1)
    if name == "german_whist":
        return bool(record.face_up != NO_CARD)
    if name == "chinese_whist":
        return bool((record.covered != NO_CARD).any())
    return False


def check(table: Table, sides: Sides) -> None:
    """Compare each card of an ending with minimax."""
    name, record = table.game.name, table.record
    seats, wish = sides(record)
    if name == "polignac" and record.announced.any():
        seats, wish = contract(record, int(record.announced.argmax()), -1, False)
    exact = name in ("boston_de_fontainebleau", "russian_boston")
    exact = exact and boston_de_fontainebleau.rung(record) == PICCOLISSIMO
    if exact:
        seats = (int(record.caller),)
    before = 0 if exact else takings(name, record, seats, wish)

    def final(record: Any) -> int:
        if exact:
            return int(tricks_of(record, seats) == 1)
        return takings(name, record, seats, wish) - before

    sign = 1 if record.seat in seats else -1
    expected = {}
    for card in cards_following(table):
        after = table.clone()
        after.apply(card)
        expected[card] = sign * minimax(after, seats, final)
    assert solve(table).values == expected, f"{table.game!r}\n{table}"


@pytest.mark.parametrize(("name", "options", "sides"), CASES)
def test_every_card_has_the_value_that_the_game_gives_it_in_the_end(
    name: str, options: dict[str, Any], sides: Sides
) -> None:
    many_seats = options.get("players", 4) > 4
    for size, number in ((2, 50), (3, 1 if many_seats else 12)):
        for table in endings(name, options, number, size):
            if not is_beyond_the_solver(table):
                check(table, sides)


# Worlds -----------------------------------------------------------------------------


def by_sets(
    hands: tuple[frozenset[int], ...],
    trick: tuple[tuple[int, int], ...],
    seat: int,
    trump: int,
    side: tuple[int, ...],
    known: dict[Any, int],
) -> int:
    """The tricks that a side takes, by nothing but the rules of the trick."""
    if len(trick) == len(hands):
        suits = [suit_of(trick[0][1])]
        suits += [trump] if any(suit_of(card) == trump for _, card in trick) else []
        winner = max(
            (card, player) for player, card in trick if suit_of(card) == suits[-1]
        )[1]
        taken = int(winner in side)
        return taken + by_sets(hands, (), winner, trump, side, known)
    if not trick and not any(hands):
        return 0
    key = (hands, trick, seat)
    if key not in known:
        values = [
            by_sets(*after, trump, side, known) for after in plays(hands, trick, seat)
        ]
        known[key] = max(values) if seat in side else min(values)
    return known[key]


def plays(
    hands: tuple[frozenset[int], ...], trick: tuple[tuple[int, int], ...], seat: int
) -> Iterator[tuple[Any, Any, int]]:
    """What every card that follows suit leads to."""
    same_suit = {
        card for card in hands[seat] if trick and suit_of(card) == suit_of(trick[0][1])
    }
    for card in sorted(same_suit or hands[seat]):
        left = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
        yield left, (*trick, (seat, card)), (seat + 1) % len(hands)


def redealt(record: Any, number: int, generator: Any) -> Any:
    """Worlds in which the others hold each other's cards in any way."""
    others = [seat for seat in range(record.hands.size) if seat != record.seat]
    cards = [card for seat in others for card in members(record.hands[seat])]
    worlds = np.empty((number, record.hands.size), np.uint64)
    worlds[:, record.seat] = record.hands[record.seat]
    for world in worlds:
        rest = generator.permutation(cards).tolist()
        for seat in others:
            size = int(record.hands[seat]).bit_count()
            held, rest = rest[:size], rest[size:]
            world[seat] = sum(1 << card for card in held)
    return worlds


@pytest.mark.parametrize(
    ("name", "side", "size", "number"),
    [
        ("whist", (0, 2), 3, 40),
        ("whist", (0, 2), 4, 5),
        ("bridge_whist", (0, 2), 3, 20),
        ("german_whist", (0,), 5, 10),
        ("german_whist", (0,), 7, 2),
    ],
)
def test_solving_many_worlds_agrees_with_the_rules_of_the_trick(
    name: str, side: tuple[int, ...], size: int, number: int
) -> None:
    generator = np.random.default_rng(size)
    endings_of = (t for t in endings(name, {}, 1000, size) if cards_left(t) == size)
    for _ in range(10):
        table = next(endings_of)
        record = table.record
        worlds = redealt(record, number, generator)
        cards, values = solve_worlds(table, worlds)
        seats = range(record.hands.size)
        own = side if record.seat in side else tuple(set(seats) - set(side))
        trick = tuple(
            (seat, int(record.trick[seat]))
            for seat in ((record.leader + turn) % len(seats) for turn in seats)
            if record.trick[seat] != NO_CARD
        )
        for world, found in zip(worlds, values, strict=True):
            hands = tuple(frozenset(members(hand)) for hand in world)
            known: dict[Any, int] = {}
            expected = [
                by_sets(*after, int(record.trump), own, known)
                for after in plays(hands, trick, int(record.seat))
            ]
            assert found.tolist() == expected
        assert cards == table.legal_actions()


def test_worlds_that_cannot_be_at_the_table_are_refused() -> None:
    table = next(endings("whist", {}, 1, 5))
    record = table.record
    hands = record.hands[None].copy()
    swapped = hands[:, ::-1].copy()
    fewer = hands.copy()
    fewer[0, record.seat - 1] = 0
    doubled = hands.copy()
    doubled[0, record.seat - 1] = doubled[0, record.seat - 2]
    with pytest.raises(TypeError, match="uint64"):
        solve_worlds(table, hands.astype(np.int64))
    with pytest.raises(ValueError, match=re.escape("(num_worlds, 4)")):
        solve_worlds(table, hands[:, :3])
    with pytest.raises(ValueError, match="must hold"):
        solve_worlds(table, fewer)
    with pytest.raises(ValueError, match="must hold"):
        solve_worlds(table, swapped)
    with pytest.raises(ValueError, match=r"two seats|must hold"):
        solve_worlds(table, doubled)


# Whole deals ------------------------------------------------------------------------

DUKE = "W:AKQ.AKQJ.AK.KJ97 ..T98765432.AQT8 JT9876.T9876.QJ. 5432.5432..65432"


def duke_of_cumberland() -> Table:
    """The Duke of Cumberland's hand, West to lead the seven of trumps."""
    game = whist_env.game("whist")
    table = game.new_table(deal=DUKE, turned="C2", dealer=2)
    assert table.record.seat == 3
    return table


def test_the_duke_of_cumberland_loses_every_trick_with_his_trump_lead() -> None:
    table = duke_of_cumberland()
    table.apply(parse_card("C7"))
    solution = solve(table)
    assert solution.seat == 0
    assert solution.counted == (0, 2)
    assert solution.value == 13
    assert solution.best == [parse_card("C8")]


def test_the_principal_variation_takes_what_the_solution_promises() -> None:
    table = duke_of_cumberland()
    table.apply(parse_card("C7"))
    before = table.clone()
    line = principal_variation(table)
    assert table == before
    assert len(line) == 51
    for card in line:
        table.apply(card)
    assert table.is_over
    assert tricks_of(table.record, (0, 2)) == 13


@pytest.mark.parametrize(
    ("name", "options"), [("omnibus_hearts", {}), ("german_whist", {})]
)
def test_principal_variations_of_other_games_keep_their_promise(
    name: str, options: dict[str, Any]
) -> None:
    for table in endings(name, options, 10, 4):
        solution = solve(table)
        seats = solution.counted
        before = takings(name, table.record, seats, 1)
        for card in principal_variation(table):
            table.apply(card)
        assert takings(name, table.record, seats, 1) - before == solution.value


def test_where_each_plays_for_itself_any_seat_can_be_looked_at() -> None:
    for table in endings("slobberhannes", {}, 10, 3):
        seat = (int(table.record.seat) + 1) % 4
        before = takings("slobberhannes", table.record, (seat,), 1)
        solution = solve(table, seat=seat)
        worst = minimax(
            table,
            (seat,),
            lambda record, seat=seat: takings("slobberhannes", record, (seat,), 1),  # type: ignore[misc]
        )
        assert solution.counted == (seat,)
        assert solution.value == before - worst


def test_the_search_does_the_same_when_it_is_not_compiled() -> None:
    program = """
import whist_env
from whist_env.solver import solve

for seed in range(3):
    table = whist_env.game("german_whist", ranks=8, suits=2).new_table(seed=seed)
    while table.record.tricks_played < 4:
        table.apply(table.legal_actions()[0])
    print(solve(table))
"""
    command = [sys.executable, "-c", program]
    compiled, plain = (
        subprocess.run(
            command,
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in "01"
    )
    assert compiled.count("Solution") == 3
    assert compiled == plain


# Limits and errors ------------------------------------------------------------------


def test_a_deal_that_takes_too_much_work_is_not_guessed() -> None:
    table = whist_env.game("whist").new_table(seed=1)
    with pytest.raises(SolverLimit, match="after 5,000 positions") as caught:
        solve(table, positions=5_000)
    bounds = caught.value.bounds
    assert set(bounds) == set(table.legal_actions())
    assert all(0 <= low <= high <= 13 for low, high in bounds.values())
    assert any(low < high for low, high in bounds.values())


def test_bounds_reached_hold_the_value() -> None:
    for table in endings("whist", {}, 20, 7):
        values = solve(table).values
        try:
            solve(table, positions=300)
        except SolverLimit as limit:
            for card, (low, high) in limit.bounds.items():
                assert low <= values[card] <= high


def test_the_same_position_is_always_solved_with_the_same_work() -> None:
    table = next(endings("whist", {}, 1, 7))
    assert solve(table) == solve(table.clone())


def refused(table: Table, message: str, **how: Any) -> None:
    with pytest.raises(ValueError, match=message):
        solve(table, **how)


def test_bids_are_not_solved() -> None:
    for name in ("bridge_whist", "solo_whist", "boston", "cayenne", "polignac"):
        refused(whist_env.game(name).new_table(seed=0), "only the play can be solved")


def test_german_whist_is_not_solved_before_the_talon_is_drawn() -> None:
    refused(whist_env.game("german_whist").new_table(seed=0), "talon still has 26")


def test_chinese_whist_is_not_solved_while_cards_lie_face_down() -> None:
    table = whist_env.game("chinese_whist").new_table(seed=0)
    table.apply(52)
    refused(table, "face down")


def test_an_episode_that_is_over_is_not_solved() -> None:
    table = whist_env.game("whist").new_table(seed=0)
    while not table.is_over:
        table.apply(table.legal_actions()[0])
    refused(table, "the episode is over")


def test_a_seat_is_refused_where_the_sides_are_given_or_it_does_not_exist() -> None:
    refused(next(endings("whist", {}, 1, 3)), "sides are given", seat=0)
    refused(next(endings("slobberhannes", {}, 1, 3)), "seats are 0 to 3", seat=4)


def test_a_limit_of_no_positions_is_refused() -> None:
    refused(next(endings("whist", {}, 1, 3)), "from 1 on", positions=0)


def test_aces_that_are_called_at_nullo_are_not_solved() -> None:
    nullo = [t for t in endings("cayenne", {}, 60, 3) if t.record.declaration == 5]
    assert nullo
    for table in nullo:
        refused(table, "nullo_ace='low' or 'high'")
