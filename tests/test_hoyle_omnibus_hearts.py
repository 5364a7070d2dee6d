"""The rule-of-thumb player of Omnibus Hearts: what it passes on, and how it plays."""

from __future__ import annotations

from typing import Any

import pytest
from hoyle_nullo import chosen, decisions_that_are_legal, hand_with, play
from hoyle_nullo import table_around as around
from individual_tables import deal_of, every_way

import whist_env
from whist_env.cards import card_name, members
from whist_env.envs.table import Table
from whist_train.evaluate import evaluate


def passed(hand: str, **options: Any) -> set[str]:
    """The three cards that a player with this hand passes on."""
    table = around(whist_env.game("omnibus_hearts", **options), {0: hand})
    cards = []
    for _ in range(3):
        cards.append(chosen(table))
        play(table, cards[-1])
    return set(cards)


def after_passing(hands: dict[int, str], **options: Any) -> Table:
    """A table with these hands, or parts of hands, when cards have been passed.

    Each got the three lowest cards of its hand from the right.
    """
    game = whist_env.game("omnibus_hearts", **options)
    full = [set(members(hand)) for hand in around(game, hands).record.hands]
    got = [sorted(hand)[:3] for hand in full]
    gave = [*got[1:], got[0]]
    dealt = [hand - set(g) | set(p) for hand, g, p in zip(full, got, gave, strict=True)]
    table = game.new_table(seed=0, deal=deal_of(dealt), dealer=len(full) - 1)
    return play(table, *(card_name(card) for cards in gave for card in cards))


def card_of(hand: str, *trick: str, **options: Any) -> str:
    """The card that hoyle plays to the first trick, behind these cards."""
    hands = {seat: hand_with(card) for seat, card in enumerate(trick)}
    return chosen(play(after_passing({**hands, len(trick): hand}, **options), *trick))


# Passing ------------------------------------------------------------------------------


def test_passes_the_queen_of_spades() -> None:
    assert "SQ" in passed("Q4.A865.752.K843")
    assert "SQ" in passed("Q85.A865.752.843")


def test_passes_high_spades_that_take_the_queen() -> None:
    assert {"SA", "SK"} <= passed("AK4.8652.752.843")


def test_keeps_low_spades() -> None:
    assert not any(card[0] == "S" for card in passed("J85.AK65.K75.AK3"))


def test_passes_high_hearts_that_have_no_low_ones_beside_them() -> None:
    assert {"HA", "HK"} <= passed("854.AK.97632.732")


def test_keeps_the_diamonds_that_catch_the_bonus_card() -> None:
    assert not any(card[0] == "D" for card in passed("854.Q762.AKT4.73"))


# Play ---------------------------------------------------------------------------------


def test_does_not_take_the_queen_of_spades() -> None:
    assert card_of("K4.A8652.752.K84", "S9", "SQ", "S7") == "S4"


def test_gives_the_queen_of_spades_away() -> None:
    assert card_of("Q4.A8652.752.K84", "SK") == "SQ"
    assert card_of("Q4.A8652.A752.K8", "CA", "C5", "C7") != "SQ"
    assert card_of("Q4.A8652.A87652.", "CA", "C5", "C7") == "SQ"


def test_ducks_hearts() -> None:
    assert card_of("K43.A82.752.KJ84", "H9", "H7", "H5") == "H8"


def test_catches_the_bonus_card() -> None:
    assert card_of("K43.852.AQ2.KJ84", "DT", "D5", "D7") in ("DA", "DQ")
    assert card_of("K43.852.A92.KJ84", "D8", "DT", "D7") == "DA"
    assert card_of("K43.852.AQ2.KJ84", "D8", "DT", "D7") in ("DA", "DQ")


def test_takes_home_the_bonus_card_last_in_hand() -> None:
    assert card_of("K43.852.T42.KJ84", "D8", "D5", "D7") == "DT"
    assert card_of("K43.852.T42.KJ84", "D8", "DA", "D7") == "D4"


def test_the_bonus_card_may_be_the_jack() -> None:
    assert card_of("K43.852.J42.KJ84", "D8", "D5", "D7", bonus_card="DJ") == "DJ"


SLAM = {
    0: "A.AKQT.AKQ.AKQJT",
    1: "KT987.852.JT7.98",
    2: "Q654.63.9654.762",
    3: "J32.J974.832.543",
}


def test_stops_a_slam_with_the_last_heart_that_can() -> None:
    table = after_passing(SLAM)
    play(table, *"SA SK SQ SJ DA DT D9 D8 HA H2 H3 H4 HK H5 H6 H7".split())
    assert chosen(play(table, "HT", "H8", "C2")) == "HJ"


def test_ducks_where_no_slam_threatens() -> None:
    table = after_passing(SLAM)
    play(table, *"SA SK S4 SJ DA DT D9 D8 HA H2 H3 H4 HK H5 H6 H7".split())
    assert chosen(play(table, "HT", "H8", "C2")) == "H9"


# All together -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    every_way(
        players=(4, 5, 6),
        pass_cycle=("left", "left,right,across,hold"),
        hearts_broken=(False, True),
        no_points_first_trick=(False, True),
    ),
)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    others = {"lead": "2c", "bonus_card": "DJ", "deals": 5, "history": "last_trick"}
    assert decisions_that_are_legal("omnibus_hearts", **options) > 1000
    assert decisions_that_are_legal("omnibus_hearts", 10, **options, **others) > 1000


@pytest.mark.parametrize("players", (4, 5, 6))
def test_beats_random_play(players: int) -> None:
    judged = evaluate(
        "hoyle", "random", game="omnibus_hearts", deals=200, players=players
    )
    assert judged.estimates["points"].low > 1
