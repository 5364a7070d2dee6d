"""The player of Russian Boston: each maxim on a hand, and how strong it is."""

from __future__ import annotations

from typing import Any

import pytest
from hoyle_calls import check_legality, check_plain_python, chosen, deal_of, do

import whist_env
from whist_agents.hoyle.russian_boston import choose
from whist_env import Table
from whist_train.evaluate import evaluate

NAME = "russian_boston"
HOPELESS = "Q532.J64.J75.J74"
SIX = "AKQ832.A7.KQ4.92"
LONG = "AKQJT98.A32.32.2"
THIN = "QJ85.AKT42.A.Q54"
VOID_IN_SPADES = "H4 H5 H6 H7 H8 H9 D4 D5 D6 D7 C4 C5 C6"


def table_with(
    hand: str,
    *calls: str,
    seat: int = 0,
    other: tuple[int, str] | None = None,
    **options: Any,
) -> Table:
    """A table at which a seat has a hand and calls were made; seat 0 is eldest."""
    game = whist_env.game(NAME, **options)
    table = game.new_table(seed=0, deal=deal_of(hand, seat, other), dealer=3)
    do(table, *calls)
    return table


def call_of(hand: str, *calls: str, **options: Any) -> str:
    """What hoyle calls with a hand after these calls of the seats before it."""
    return chosen(table_with(hand, *calls, seat=len(calls) % 4, **options))


# Bidding ------------------------------------------------------------------------------


def test_passes_a_hopeless_hand() -> None:
    assert call_of(HOPELESS) == "pass"
    assert call_of(HOPELESS, "six_diamonds") == "pass"


def test_says_solo_with_the_tricks_to_play_alone() -> None:
    assert call_of(SIX) == "six_spades_solo"
    assert call_of(SIX, "six_diamonds") == "seven_spades_solo"
    assert call_of(LONG) == "eight_spades_solo"


def test_leaves_a_bid_open_where_a_partner_is_needed() -> None:
    assert call_of(THIN, "five_grand") == "six_hearts"


def test_bids_a_slam_and_a_spread_that_cannot_fail() -> None:
    assert call_of("AKQJT98765432...") == "exposed_slam_grand"
    assert call_of("AKQJT98765432...", "pass") == "exposed_slam_spades"
    assert call_of("5432.432.432.432") == "grand_spread"


# Answers ------------------------------------------------------------------------------


def answer_to(hand: str, bid: str, **options: Any) -> str:
    """What the left neighbour of a caller answers."""
    return chosen(table_with(hand, bid, "pass", "pass", "pass", seat=1, **options))


def test_joins_a_caller_with_help_and_only_with_it() -> None:
    for bid in ("five_hearts", "six_hearts", "seven_hearts"):
        assert answer_to("AK32.K64.A5.J743", bid) == "whist"
        assert answer_to("9532.J64.J75.J74", bid) == "pass"


def test_looks_at_what_two_undertake_after_a_bid_of_five() -> None:
    hand = "K532.K64.J75.Q74"
    assert answer_to(hand, "five_hearts", five_with_partner=6) == "whist"
    assert answer_to(hand, "five_hearts", five_with_partner=13) == "pass"


def test_declares_carte_blanche_and_is_silent_without_it() -> None:
    table = table_with(
        LONG, "nine_spades", "pass", "pass", "pass", other=(1, VOID_IN_SPADES)
    )
    assert chosen(table) == "silent"
    do(table, "silent", "SA")
    assert chosen(table) == "declare"


OPTIONS: list[dict[str, Any]] = [
    {},
    {"deals": 2, "five_with_partner": None, "carte_blanche": "auto"},
    {"deals": 2, "carte_blanche_hand": "no_court_card", "honours": False},
    {"deals": 2, "history": "last_trick", "partner": False, "reward": "match"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    check_legality(whist_env.game(NAME, **options), count=100, steps=150, seed=1)


def test_the_maxims_choose_alike_in_plain_python_and_compiled() -> None:
    check_plain_python(NAME, choose)


def test_beats_random_play_clearly() -> None:
    result = evaluate("hoyle", "random", game=NAME, deals=200, seed=1)
    assert result.estimates["points"].low > 500
