"""The rule-of-thumb player of Slobberhannes, card by card and against chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hoyle_nullo import HOYLE, chosen, decisions_that_are_legal, hand_with, play
from hoyle_nullo import table_around as around
from individual_tables import every_way, play_tricks, table_with

import whist_env
from whist_env import Tables, Views
from whist_train.evaluate import evaluate


def first_card(hand: str, *trick: str, **options: Any) -> str:
    """The card that hoyle plays to the first trick, behind these cards."""
    game = whist_env.game("slobberhannes", **options)
    hands = {seat: hand_with(card) for seat, card in enumerate(trick)}
    return chosen(play(around(game, {**hands, len(trick): hand}), *trick))


def card_after(tricks: list[str], done: int, *trick: str) -> str:
    """The card that hoyle plays after some tricks and cards of the next."""
    table = table_with("slobberhannes", tricks, dealer=3)
    play_tricks(table, tricks[:done])
    return chosen(play(table, *trick))


# The first trick ----------------------------------------------------------------------


def test_leads_low_to_the_first_trick() -> None:
    assert first_card("AK7.AK.KQ.A") == "S7"


def test_plays_the_highest_card_that_loses_the_first_trick() -> None:
    assert first_card("KT8.98.98.8", "SJ") == "ST"


def test_throws_the_queen_of_clubs_away() -> None:
    assert first_card(".A98.AK9.AQ", "SA", "SK") == "CQ"


def test_plays_the_queen_of_clubs_under_a_higher_card() -> None:
    assert first_card("98.98.98.Q7", "CA") == "CQ"
    assert first_card("98.98.98.Q7", "C8", "C9", "CT") == "C7"


# Later --------------------------------------------------------------------------------

EVEN = [
    "SA SK SQ SJ",
    "ST S9 S8 S7",
    "HA HK HQ HJ",
    "HT H9 H8 H7",
    "DA DK DQ DJ",
    "DT D9 D8 D7",
    "CA CK CQ CJ",
    "CT C9 C8 C7",
]


def test_gets_rid_of_high_cards_in_tricks_that_cost_nothing() -> None:
    tricks = ["S9 SK SQ SJ", "ST SA S8 S7", *EVEN[2:]]
    # The first trick is over; seat 3 plays last, and no queen of clubs is in sight.
    rows = [trick.split() for trick in tricks]
    rows[2] = ["HT", "HQ", "H8", "HA"]
    rows[3] = ["HK", "H9", "HJ", "H7"]
    table = table_with("slobberhannes", [" ".join(row) for row in rows], dealer=3)
    play_tricks(table, ["S9 SK SQ SJ", "ST SA S8 S7"])
    assert chosen(play(table, "HQ", "H8")) == "HA"


def test_does_not_take_the_queen_of_clubs_at_the_end() -> None:
    tricks = [*EVEN[:6], "CA CK CT CQ", "C7 C9 C8 CJ"]
    assert card_after(tricks, 6) == "C7"


# All together -------------------------------------------------------------------------


def test_never_revokes_where_players_may() -> None:
    game = whist_env.game("slobberhannes", revokes="penalty")
    tables = Tables(game, 100, seed=8, dtype=np.int8)
    batch = tables.reset()
    for _ in range(31):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        batch = tables.step(HOYLE.act(views))
    assert not tables.records["revokes"].any()


@pytest.mark.parametrize(
    "options",
    every_way(
        players=(3, 4, 5, 6),
        revokes=("never", "penalty"),
        all_three=(True, False),
        history=("all", "last_trick"),
    ),
)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    assert decisions_that_are_legal("slobberhannes", **options) > 1000


@pytest.mark.parametrize("players", (3, 4, 5, 6))
def test_beats_random_play(players: int) -> None:
    judged = evaluate(
        "hoyle", "random", game="slobberhannes", deals=200, players=players
    )
    assert judged.estimates["points"].low > 0
