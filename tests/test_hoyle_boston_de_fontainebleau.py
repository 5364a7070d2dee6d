"""The player of Boston de Fontainebleau: each maxim on a hand, and how strong it is."""

from __future__ import annotations

from typing import Any

import pytest
from hoyle_calls import (
    check_legality,
    check_plain_python,
    chosen,
    deal_of,
    do,
    play_out,
)

import whist_env
from whist_agents.hoyle.boston_de_fontainebleau import choose
from whist_env import Table
from whist_train.evaluate import evaluate

NAME = "boston_de_fontainebleau"
HOPELESS = "Q532.J64.J75.J74"
SEVEN = "AKQ832.A7.KQ4.92"
NO_TRICK = "5432.432.432.432"
ONE_TRICK = "AK.5432.5432.432"
LONG = "AKQJT98.A32.32.2"


def table_with(
    hand: str,
    *calls: str,
    seat: int = 0,
    other: tuple[int, str] | None = None,
    pool: int = 0,
    **options: Any,
) -> Table:
    """A table at which a seat has a hand and calls were made; seat 0 is eldest."""
    game = whist_env.game(NAME, **options)
    deal = deal_of(hand, seat, other)
    table = game.new_table(seed=0, deal=deal, dealer=3, pool=pool)
    do(table, *calls)
    return table


def call_of(hand: str, *calls: str, **how: Any) -> str:
    """What hoyle calls with a hand after these calls of the seats before it."""
    return chosen(table_with(hand, *calls, seat=len(calls) % 4, **how))


# Bidding ------------------------------------------------------------------------------


def test_passes_a_hopeless_hand() -> None:
    assert call_of(HOPELESS) == "pass"
    assert call_of(HOPELESS, pool=300) == "pass"
    assert call_of(HOPELESS, "six_diamonds") == "pass"
    assert call_of(HOPELESS, "pass", "pass", "pass") == "pass"


def test_bids_as_many_tricks_as_are_likely() -> None:
    assert call_of("AKJ83.A72.K4.962") == "five_spades"
    assert call_of("962.AKJ83.A4.K72") == "five_hearts"
    assert call_of("AKQ832.A72.94.92") == "six_spades"
    assert call_of(SEVEN) == "seven_spades"
    assert call_of(LONG) == "eight_spades"


def test_bids_a_slam_that_cannot_fail() -> None:
    assert call_of("AKQJT98765432...") == "exposed_slam_grand"
    assert call_of("AKQJT98765432...", "pass") == "exposed_slam_spades"
    assert call_of(".AKQJT987.AKQJT.") == "exposed_slam_grand"
    assert call_of(".AKQJT987.AKQJT.", "pass") == "exposed_slam_hearts"


def test_over_calls_with_what_the_hand_is_worth_and_passes_above_that() -> None:
    assert call_of(SEVEN, "six_diamonds") == "seven_spades"
    assert call_of(SEVEN, "seven_diamonds") == "pass"
    assert call_of("AKJ83.A72.K4.962", "six_diamonds") == "pass"


def test_bids_more_freely_for_a_full_pool() -> None:
    hand = "KQ832.Q7.A42.J92"
    assert call_of(hand) == "pass"
    assert call_of(hand, pool=300) == "five_spades"


def test_names_no_short_suit_as_trumps() -> None:
    assert call_of("AKQ.32.AK32.AQ32").split("_")[1] not in ("spades", "hearts")


def test_spreads_a_hand_that_cannot_take_a_trick() -> None:
    assert call_of(NO_TRICK) == "grand_spread"
    assert call_of(NO_TRICK, "ten_spades") == "grand_spread"
    assert call_of(NO_TRICK, "eleven_spades") == "pass"


def test_bids_no_misere_with_dangers_left_in_it() -> None:
    assert call_of("K43.Q52.K42.Q632") == "pass"


def test_lays_a_single_danger_aside() -> None:
    hand = "K.5432.5432.5432"
    assert call_of(hand) == "little_spread"
    table = table_with(hand, "little_spread", "pass", "pass", "pass")
    assert chosen(table) == "SK"


def test_bids_piccolissimo_with_one_ace_and_keeps_it() -> None:
    assert call_of(ONE_TRICK) == "piccolissimo"
    table = table_with(ONE_TRICK, "piccolissimo", "pass", "pass", "pass")
    assert chosen(table) == "SK"


# Answering a caller -------------------------------------------------------------------


def answer_to(hand: str, bid: str) -> str:
    """What the left neighbour of a caller answers."""
    return chosen(table_with(hand, bid, "pass", "pass", "pass", seat=1))


def test_joins_a_caller_with_help() -> None:
    for bid in ("five_hearts", "six_hearts"):
        assert answer_to("AK32.K64.A5.J743", bid) == "whist"


def test_joins_no_caller_without_help() -> None:
    for bid in ("five_hearts", "six_hearts", "seven_hearts"):
        assert answer_to("9532.J64.J75.J74", bid) == "pass"


def test_joins_a_higher_bid_only_with_more_help() -> None:
    assert answer_to("KQ32.K64.Q5.J743", "five_hearts") == "whist"
    assert answer_to("KQ32.K64.Q5.J743", "seven_hearts") == "pass"


# Play ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [(NO_TRICK, 0), (ONE_TRICK, 1), ("AKQJT98765432...", 13)],
)
def test_makes_a_contract_that_cannot_fail(hand: str, tricks: int) -> None:
    table = table_with(hand)
    do(table, chosen(table), "pass", "pass", "pass")
    play_out(table)
    assert table.record.tricks_won[0] == tricks
    assert table.record.points[0] > 0


def test_all_others_are_partners_against_a_caller() -> None:
    calls = ("pass", "pass", "pass", "nine_spades")
    hand = "432.A3.5432.5432"
    table = table_with(hand, *calls, seat=2, other=(0, "HK HQ"))
    do(table, "HK")
    do(table, chosen(table))
    assert chosen(table) == "H3"


OPTIONS: list[dict[str, Any]] = [
    {},
    {"deals": 2, "suit_order": "HDCS", "honours": True, "alliance_row": "target"},
    {"deals": 2, "discards": "caller", "expose": "after_first_trick"},
    {"deals": 2, "reward": "match", "all_pass": "same_dealer", "partner": False},
    {"deals": 2, "history": "last_trick", "shuffle": "gather_and_cut"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    check_legality(whist_env.game(NAME, **options), count=100, steps=150, seed=1)


def test_the_maxims_choose_alike_in_plain_python_and_compiled() -> None:
    check_plain_python(NAME, choose)


def test_beats_random_play_clearly() -> None:
    result = evaluate("hoyle", "random", game=NAME, deals=200, seed=1)
    assert result.estimates["points"].low > 500
