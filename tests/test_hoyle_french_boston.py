"""The player of French Boston: each maxim on a hand, and how strong it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hoyle_calls import (
    HOYLE,
    check_legality,
    check_plain_python,
    chosen,
    deal_of,
    do,
    play_out,
)

import whist_env
from whist_agents.hoyle.french_boston import choose
from whist_env import Table, Tables, Views
from whist_train.evaluate import evaluate

NAME = "french_boston"
HOPELESS = "QJT9.J64.T75.J74"
DEMAND = "32.AKJ83.A4.K762"
SIX = "2.AKQJ843.A4.K76"
NO_TRICK = "432.5432.432.432"
FOUR_ACES = "A432.A32.A32.A32"


def table_with(
    hand: str, *calls: str, place: int = 0, turned: str = "C9", **options: Any
) -> Table:
    """A table at which a player has a hand and calls were made.

    Seat 0 deals, so that 3, 2, 1 and 0 call in this order; the player is the one that
    calls in some place. Hearts are belle, clubs petite, and 20 counters in the pool.
    """
    seat = 3 - place
    deal = deal_of(hand, seat, None if seat == 0 else (0, turned))
    table = whist_env.game(NAME, **options).new_table(
        seed=0, deal=deal, dealer=0, turned=turned, belle="H", pool=20
    )
    do(table, *calls)
    return table


def call_of(hand: str, *calls: str, **how: Any) -> str:
    """What hoyle calls with a hand after these calls of the players before it."""
    return chosen(table_with(hand, *calls, place=len(calls) % 4, **how))


# Bidding ------------------------------------------------------------------------------


def test_passes_a_hopeless_hand() -> None:
    assert call_of(HOPELESS) == "pass"
    assert call_of(HOPELESS, "demand_petite") == "pass"
    assert call_of(HOPELESS, "six_spades") == "pass"


def test_demands_with_five_tricks_in_belle_or_petite() -> None:
    assert call_of(DEMAND) == "demand_belle_hidden"
    assert call_of("32.K72.A4.AKJ863") == "demand_petite"
    assert call_of("AKJ83.K7.A43.642") != "demand_petite"


def test_demands_in_public_over_another_demand() -> None:
    assert call_of(DEMAND, "demand_petite") == "demand_belle"


def test_plays_alone_with_six_tricks() -> None:
    assert call_of(SIX) == "six_hearts"
    assert call_of("AKQJ843.2.A4.K76", "demand_petite") == "six_spades"


def test_does_not_over_call_beyond_its_tricks() -> None:
    assert call_of(DEMAND, "six_hearts") == "pass"
    assert call_of(SIX, "nine_spades") == "pass"


def test_counts_the_jack_of_diamonds_as_the_best_trump() -> None:
    assert call_of("T54.983.J42.T732", "demand_petite") == "accept"
    assert call_of("T54.983.T42.J732", "demand_petite") == "pass"


def test_counts_the_jack_of_hearts_where_diamonds_are_turned() -> None:
    hand, other = "T54.J83.T42.7632", "T54.T83.J42.7632"
    demand = "demand_petite"
    assert call_of(hand, demand, turned="D7") == "accept"
    assert call_of(other, demand, turned="D7") == "pass"


def test_accepts_a_demand_with_tricks_for_it() -> None:
    assert call_of("K54.AQ83.A42.732", "demand_petite") == "accept"


def test_spreads_a_hand_that_cannot_take_a_trick() -> None:
    assert call_of(NO_TRICK) in ("petite_misere_sur_table", "grand_misere_sur_table")
    assert call_of("K32.5432.432.432") == "petite_misere_sur_table"


def test_bids_no_misere_with_dangers_left_in_it() -> None:
    assert call_of("K43.Q52.K42.Q632") == "pass"


def test_bids_misere_with_four_aces_and_low_cards_beside_them() -> None:
    assert call_of(FOUR_ACES) == "misere_des_quatre_as"
    assert call_of("AQJ.AQT.AQT.AQJT") != "misere_des_quatre_as"


def test_declares_what_pays_most() -> None:
    table = table_with(SIX, "six_spades", "pass", "pass", "pass")
    assert chosen(table) == "six_hearts"


# Cards --------------------------------------------------------------------------------


def test_lays_the_most_dangerous_card_away_before_a_petite_misere() -> None:
    table = table_with("K32.5432.432.432", "petite_misere", "pass", "pass", "pass")
    assert chosen(table) == "SK"


def test_throws_aces_away_at_pleasure() -> None:
    table = table_with(
        FOUR_ACES, "pass", "misere_des_quatre_as", "pass", "pass", place=1
    )
    led = chosen(table)
    do(table, led)
    thrown = chosen(table)
    assert thrown[1] == "A"
    assert thrown[0] != led[0]


@pytest.mark.parametrize("hand", [NO_TRICK, FOUR_ACES])
def test_makes_a_misere_that_cannot_fail(hand: str) -> None:
    table = table_with(hand)
    do(table, chosen(table), "pass", "pass", "pass")
    play_out(table)
    assert table.record.tricks_won[3] == 0
    assert table.record.points[3] > 0


def test_makes_as_many_tricks_as_it_declares() -> None:
    table = table_with(".AKQJT987.AKJ.A2")
    do(table, chosen(table), "pass", "pass", "pass")
    play_out(table)
    assert table.record.tricks_won[3] >= 12


def test_hoyle_never_revokes_where_players_may() -> None:
    game = whist_env.game(NAME, revokes="penalty")
    tables = Tables(game, 100, seed=8, dtype=np.int8)
    batch = tables.reset()
    for _ in range(60):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        batch = tables.step(HOYLE.act(views))
        assert not tables.records["revokes"].any()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"episode": "game", "deals": 3, "double_deals": 1, "revokes": "penalty"},
    {"belle": "turned", "counts": "double", "reward": "match"},
    {
        "episode": "game",
        "deals": 2,
        "counterclockwise": "nothing",
        "deal_passes": "left",
        "after_passing": "any_higher",
        "raised_demand": "laid_suit",
        "pool_left": "played_out",
    },
    {
        "counterclockwise": "deal_and_bidding",
        "history": "last_trick",
        "jack_suit": "printed",
        "declare_after": "no",
        "sur_table_exposed": "after_first_trick",
    },
    {"jack_of_hearts": "diamonds_trumps", "unaccepted": "thrown_in", "nine": "row"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    check_legality(whist_env.game(NAME, **options), count=100, steps=150, seed=1)


def test_the_maxims_choose_alike_in_plain_python_and_compiled() -> None:
    check_plain_python(NAME, choose)


def test_beats_random_play_clearly() -> None:
    result = evaluate("hoyle", "random", game=NAME, deals=200, seed=1)
    assert result.estimates["points"].low > 80
