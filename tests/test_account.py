"""The exact account of a deal: the identity, and what each card has cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_solver import CASES, cards_following, duke_of_cumberland

import whist_agents
import whist_env
from whist_env import Account, SolverLimit, Table, account, solve, sum_accounts
from whist_env.cards import parse_card
from whist_env.engine.tricks import NO_CARD
from whist_env.games import solo_whist
from whist_env.solver import Tally, dds, principal_variation

needs_dds = pytest.mark.skipif(
    dds.library() is None,
    reason="DDS is not installed: pip install 'whist-env[solve]' (Python up to 3.13)",
)


def tricks_of(table: Table, seats: tuple[int, ...]) -> int:
    return int(sum(table.record.tricks_won[seat] for seat in seats))


def at_random(table: Table, generator: np.random.Generator) -> int:
    return int(generator.choice(cards_following(table)))


def played(
    name: str,
    seed: int,
    choose: Callable[[Table, np.random.Generator], int],
    **how: Any,
) -> Iterator[tuple[Table, int]]:
    """All positions of an episode, each with the action chosen there."""
    generator = np.random.default_rng(seed)
    table = whist_env.game(name, **how).new_table(seed=seed)
    while not table.is_over:
        action = choose(table, generator)
        yield table.clone(), action
        table.apply(action)


def finished(name: str, seed: int, **how: Any) -> Table:
    """A deal played at random."""
    for table, action in played(name, seed, at_random, **how):
        last = table, action
    table, action = last
    table.apply(action)
    return table


def holds_true(found: Account) -> bool:
    return found.result == found.par - found.own + found.others


# The identity -----------------------------------------------------------------------


@needs_dds
@pytest.mark.parametrize(
    ("name", "deals"), [("whist", 100), ("bridge_whist", 30), ("dummy_whist", 30)]
)
def test_tricks_are_par_less_own_regrets_and_more_those_of_the_others(
    name: str, deals: int
) -> None:
    for seed in range(deals):
        table = finished(name, seed)
        found = account(table)
        assert found.is_complete
        assert found.solver == "dds"
        assert len(found.plays) == 52
        assert found.counted == ((0, 2) if found.plays[0].seat in (0, 2) else (1, 3))
        assert found.result == tricks_of(table, found.counted)
        assert holds_true(found)
        assert all(play.regret >= 0 for play in found.plays)


def hoyles_action(hoyle: whist_env.Player, table: Table) -> int:
    views = whist_env.Views(
        table.game,
        table.observe().astype(np.int8)[None],
        table.action_mask()[None],
        np.zeros(1, np.uint64),
    )
    return int(hoyle.act(views)[0])


@needs_dds
def test_deals_of_rule_of_thumb_players_have_an_account_too() -> None:
    hoyle = whist_agents.load("hoyle")
    losses = []
    for seed in range(30):
        table = whist_env.game("whist").new_table(seed=seed)
        while not table.is_over:
            table.apply(hoyles_action(hoyle, table))
        found = account(table)
        assert found.result == tricks_of(table, found.counted)
        assert holds_true(found)
        losses.append(found.own + found.others)
    at_random_lost = [
        found.own + found.others
        for found in (account(finished("whist", seed)) for seed in range(30))
    ]
    assert np.mean(losses) < 0.7 * np.mean(at_random_lost)


@pytest.mark.parametrize("with_dds", [pytest.param(True, marks=needs_dds), False])
def test_each_regret_is_what_the_best_card_was_worth_more(
    with_dds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_dds:
        monkeypatch.setattr(dds, "library", lambda: None)
    for seed in range(4):
        positions = list(played("whist", seed, at_random, ranks=8))
        table, last = positions[-1]
        table.apply(last)
        regrets = [
            solution.value - solution.values[card]
            for solution, card in (
                (solve(before), card) for before, card in positions[:-1]
            )
        ]
        found = account(table)
        assert found.solver == ("dds" if with_dds else "own")
        assert [play.regret for play in found.plays] == [*regrets, 0]
        assert found.par == solve(positions[0][0]).value


@pytest.mark.parametrize(("name", "options", "_sides"), CASES)
def test_regrets_in_the_last_tricks_of_every_game_are_those_of_the_solver(
    name: str, options: dict[str, Any], _sides: Any
) -> None:
    judged = 0
    for seed in range(12):
        try:
            judged += check_last_tricks(played(name, seed, at_random, **options))
        except ValueError as error:
            assert "capot, not two" in str(error) or "revoked" in str(error)
    assert judged > 6


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("solo_whist", "misere"),
        ("boston", "little_misere"),
        ("boston_de_fontainebleau", "piccolissimo"),
        ("cayenne", "nullo"),
        ("polignac", "capot"),
    ],
)
def test_regrets_in_contracts_that_are_rare_are_those_of_the_solver(
    name: str, call: str
) -> None:
    options = {"nullo_ace": "low"} if name == "cayenne" else {}
    for seed in range(8):
        calls = preferring(call)
        assert check_last_tricks(played(name, seed, calls, **options))


def preferring(call: str) -> Callable[[Table, np.random.Generator], int]:
    """Somebody makes a call as soon as it can be made, and nobody outbids it."""
    made = []

    def choose(table: Table, generator: np.random.Generator) -> int:
        legal, names = table.legal_actions(), table.game.action_names
        calls = {names[action]: action for action in legal if action >= 52}
        if call in calls and not made:
            made.append(call)
            return calls[call]
        return calls.get("pass", int(generator.choice(legal)))

    return choose


def check_last_tricks(positions: Iterator[tuple[Table, int]]) -> bool:
    """Compare the account of the last tricks of a deal, if any, with the solver."""
    cards = [(table, action) for table, action in positions if action < 52]
    if not cards:
        return False
    table = cards[-1][0].clone()
    table.apply(cards[-1][1])
    tricks = int(table.record.cards_played) // len(table.record.hands)
    found = account(table, first_trick=max(1, tricks - 3))
    assert holds_true(found)
    seat = found.counted[0] if is_individual(cards[-1][0]) else None
    judged = cards[-len(found.plays) :]
    for play, (before, card) in zip(found.plays, judged, strict=True):
        solution = solve(before, seat)
        assert (play.seat, play.card) == (solution.seat, card)
        assert play.regret == solution.value - solution.values[card]
    return True


def is_individual(table: Table) -> bool:
    try:
        solve(table, seat=0)
    except ValueError:
        return False
    return True


def test_all_positions_of_a_whole_deal_of_polignac_are_judged() -> None:
    for seed in range(6):
        table = finished("polignac", seed)
        if table.record.announced.any():
            continue
        for seat in range(4):
            found = account(table, seat=seat)
            assert found.counted == (seat,)
            assert holds_true(found)
            lost = [
                2 if suit == 3 else 1
                for suit in range(4)
                if table.record.jack_taker[suit] == seat
            ]
            assert found.result == -sum(lost)


def test_a_deal_that_stops_early_is_judged_with_what_was_not_played() -> None:
    stopped = 0
    for seed in range(200):
        table = finished("polignac", seed, capot_early_stop=True)
        if table.record.announced.sum() == 1 and table.record.cards_played < 32:
            found = account(table)
            assert holds_true(found)
            assert not found.is_complete
            assert len(found.plays) == table.record.cards_played
            stopped += 1
            if stopped == 3:
                break
    assert stopped == 3


def test_german_whist_is_judged_from_when_the_talon_is_gone() -> None:
    table = finished("german_whist", 1)
    found = account(table)
    assert [play.trick for play in found.plays] == [
        trick for trick in range(14, 27) for _ in range(2)
    ]
    winners = table.record.history_seats[28::2].tolist()
    last = int(table.record.leader)
    seat = found.counted[0]
    assert found.result == [*winners, last].count(seat)
    assert holds_true(found)


def test_a_misere_is_judged_in_tricks_that_count_against_the_caller() -> None:
    for seed in range(5):
        *_, (table, card) = played("solo_whist", seed, preferring("misere"))
        table.apply(card)
        found = account(table, first_trick=6)
        caller = int(table.record.made_by[solo_whist.MISERE])
        assert found.counted == (caller,)
        winners = table.record.history_seats[24::4].tolist()
        winners.append(int(table.record.leader))
        assert found.result == -winners.count(caller)
        assert holds_true(found)


# What is in an account --------------------------------------------------------------


def test_the_duke_of_cumberland_lost_all_he_had_with_one_card() -> None:
    table = duke_of_cumberland()
    table.apply(parse_card("C7"))
    for card in principal_variation(table):
        table.apply(card)
    found = account(table)
    assert (found.counted, found.par, found.result) == ((1, 3), 6, 0)
    (mistake,) = found.mistakes
    assert (mistake.seat, mistake.card) == (3, parse_card("C7"))
    assert (mistake.trick, mistake.role, mistake.kind) == (1, "lead", "lead")
    assert mistake.regret == 6
    text = str(found)
    assert text.startswith("Whist, clubs are trumps; counted: seats 1 and 3\n")
    assert "par 6 - own losses 6 + losses of the others 0 = result 0" in text
    assert text.endswith("\ntrick  1: seat 3 lost 6 with C7 (lead)")
    (first,) = re.findall(r"^ {4}1 .*$", text, re.MULTILINE)
    assert first.split()[:2] == ["1", "C8"]
    assert first.endswith(">C7 -6")


def test_cards_are_called_what_they_were() -> None:
    game = whist_env.game("whist", ranks=4)
    table = game.new_table(
        deal="N:AK.A.K. QJ.K.A. .QJ.QJ. ...AKQJ", turned="CA", dealer=3
    )
    for card in ("SA", "SJ", "HJ", "CQ"):
        table.apply(parse_card(card))
    found = account(table)
    assert [play.role for play in found.plays] == ["lead", "second", "third", "fourth"]
    assert [play.kind for play in found.plays] == ["lead", "follow", "discard", "ruff"]
    assert [play.seat for play in found.plays] == [0, 1, 2, 3]
    assert {play.trick for play in found.plays} == {1}
    assert found.by_kind()["ruff"] == Tally(1, 0, 0)
    assert sum((tally for tally in found.by_seat().values()), Tally()) == Tally(
        4, len(found.mistakes), found.own + found.others
    )


def test_an_unfinished_deal_comes_out_as_perfect_play_would_end_it() -> None:
    positions = list(played("whist", 5, at_random, ranks=6))
    for before, _ in positions[1:-4]:
        found = account(before)
        assert not found.is_complete
        assert holds_true(found)
        rest = solve(before)
        left = max(int(hand).bit_count() for hand in before.record.hands)
        value = rest.value if rest.counted == found.counted else left - rest.value
        assert found.result == tricks_of(before, found.counted) + value
        assert "perfect play of the rest" in str(found)


def test_the_last_trick_which_nobody_chooses_is_played_out() -> None:
    positions = list(played("whist", 6, at_random, ranks=6))
    table, last = positions[-1]
    after = table.clone()
    after.apply(last)
    whole = account(after)
    assert whole.is_complete
    for before, _ in positions[-4:]:
        assert account(before) == whole


def test_only_tricks_from_the_first_one_asked_for_are_judged() -> None:
    table = finished("whist", 7, ranks=6)
    whole, late = account(table), account(table, first_trick=4)
    assert late.plays == whole.plays[12:]
    assert holds_true(late)
    winners = [play.seat for play in whole.plays if play.kind == "lead"][4:]
    winners.append(int(table.record.leader))
    assert late.result == sum(winner in late.counted for winner in winners)


@needs_dds
def test_our_search_and_dds_agree_on_every_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [finished("whist", seed, ranks=8) for seed in range(30)]
    theirs = [account(table) for table in tables]
    monkeypatch.setattr(dds, "library", lambda: None)
    for table, found in zip(tables, theirs, strict=True):
        ours = account(table)
        assert (ours.solver, found.solver) == ("own", "dds")
        assert ours.plays == found.plays
        assert (ours.par, ours.result) == (found.par, found.result)


# Many accounts ----------------------------------------------------------------------


def test_accounts_of_many_deals_are_summed_by_who_played() -> None:
    accounts = [account(finished("whist", seed, ranks=6)) for seed in range(6)]
    swapped = [("a", "b", "a", "b"), ("b", "a", "b", "a")] * 3
    found = sum_accounts(accounts, swapped)
    assert found.deals == {"a": 6, "b": 6}
    expected = {"a": Tally(), "b": Tally()}
    for judged, names in zip(accounts, swapped, strict=True):
        for seat, tally in judged.by_seat().items():
            expected[names[seat]] += tally
    assert found.total == expected
    assert found.total["a"].cards == 6 * 12
    for by in (found.by_trick, found.by_role, found.by_kind):
        for name in "ab":
            parts = [tally for (player, _), tally in by.items() if player == name]
            assert sum(parts, Tally()) == found.total[name]
    assert found.by_trick["a", 6] == Tally(12, 0, 0)
    lines = str(found).splitlines()
    assert len(lines) == 3
    row = next(line.split() for line in lines if line.startswith("b"))
    assert row[:3] == ["b", "6", f"{found.total['b'].regret / 6:.3f}"]


def test_names_that_do_not_fit_the_accounts_are_refused() -> None:
    judged = account(finished("whist", 1, ranks=4))
    with pytest.raises(ValueError, match="must be 4 names"):
        sum_accounts([judged], [("a", "b")])
    with pytest.raises(ValueError, match="0 rows of names; there are 1"):
        sum_accounts([judged], [])


# Errors -----------------------------------------------------------------------------


def refused(table: Table, message: str, **how: Any) -> None:
    with pytest.raises(ValueError, match=message):
        account(table, **how)


def test_a_deal_of_which_nothing_was_played_has_no_account() -> None:
    refused(whist_env.game("whist").new_table(seed=0), "no card was played")
    refused(whist_env.game("boston").new_table(seed=0), "no card was played")


def test_a_deal_with_a_revoke_has_no_account() -> None:
    game = whist_env.game("whist", ranks=4, revokes="penalty")
    table = game.new_table(
        deal="N:AK.A.K. QJ.K.A. .QJ.QJ. ...AKQJ", turned="CA", dealer=3
    )
    table.apply(parse_card("SA"))
    table.apply(parse_card("HK"))
    refused(table, "seat 1 revoked with HK in trick 1")


def test_german_whist_has_no_account_before_the_talon_is_drawn() -> None:
    table = whist_env.game("german_whist").new_table(seed=0)
    table.apply(table.legal_actions()[0])
    refused(table, "talon still has")


def test_arguments_that_make_no_sense_are_refused() -> None:
    table = finished("whist", 1, ranks=4)
    refused(table, "first_trick=0", first_trick=0)
    refused(table, "no card of trick 9", first_trick=9)
    refused(table, "positions=0", positions=0)
    refused(table, "sides are given", seat=1)
    refused(finished("slobberhannes", 1), "seats are 0 to 3", seat=4)


def test_an_account_that_takes_too_much_work_is_not_guessed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dds, "library", lambda: None)
    table = finished("whist", 1)
    with pytest.raises(SolverLimit, match="first_trick=") as caught:
        account(table, positions=500)
    assert "whist-env[solve]" in str(caught.value)
    trick = int(str(caught.value).split("first_trick=")[1].split(",")[0])
    late = account(table, positions=500, first_trick=trick)
    assert holds_true(late)
    assert late.plays[0].trick == trick


def test_an_account_leaves_the_table_as_it_was() -> None:
    table = finished("whist", 2, ranks=5)
    before = table.clone()
    account(table)
    assert table == before
    assert (table.record.trick == NO_CARD).all()
