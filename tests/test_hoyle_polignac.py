"""The rule-of-thumb player of Polignac: when it announces capot, and how it plays."""

from __future__ import annotations

from typing import Any

import pytest
from hoyle_nullo import chosen, decisions_that_are_legal, hand_with, play
from hoyle_nullo import table_around as around
from individual_tables import every_way

import whist_env
from whist_train.evaluate import evaluate


def call(hand: str, place: int = 0, **options: Any) -> str:
    """What a player with this hand calls, so many places behind the leader."""
    game = whist_env.game("polignac", **options)
    return chosen(play(around(game, {place: hand}), *["pass"] * place))


def card_of(
    hand: str, *trick: str, announced: int | None = None, **options: Any
) -> str:
    """The card that hoyle plays behind these cards; by default without a capot."""
    game = whist_env.game("polignac", **options)
    hands = {seat: hand_with(card) for seat, card in enumerate(trick)}
    table = around(game, {**hands, len(trick): hand})
    calls = ["pass"] * (game.num_agents if announced is None else announced)
    play(table, *calls, *([] if announced is None else ["capot"]))
    return chosen(play(table, *trick))


# Announcing ---------------------------------------------------------------------------


def test_announces_capot_with_a_cold_hand() -> None:
    assert call("AKQJT987...") == "capot"
    assert call("AKQJT.AK.A.") == "capot"


def test_passes_a_hopeless_hand() -> None:
    assert call("987.987.T.7") == "pass"
    assert call("KQJ.KQJ.KQ.") == "pass"


def test_passes_a_strong_hand_with_losers() -> None:
    assert call("AK8.AQ7.A7.") == "pass"


def test_announces_with_a_suit_that_is_likely_to_fall() -> None:
    # Three spades are out, and two rounds draw them unless one hand holds them all.
    assert call("AK987.AK.A.") == "capot"


def test_who_does_not_lead_must_stop_the_suit_that_is_led() -> None:
    assert call("AKQJT987...", place=1) == "pass"
    assert call("AKQJ.AK.A.A", place=1) == "capot"


def test_who_leads_to_its_own_capot_need_not() -> None:
    assert call("AKQJT987...", place=1, capot_lead="announcer") == "capot"


def test_aces_are_no_masters_where_kings_are_above_them() -> None:
    assert call("AKQJ.KQJ.K.", rank="KQJA10987") == "capot"
    assert call("AKQJ.KQJ.K.") == "pass"
    assert call("AT98.AT9.A.", rank="KQJA10987") == "pass"


# Play ---------------------------------------------------------------------------------


def test_throws_polignac_away_when_it_may() -> None:
    assert card_of("J7.98.987.7", "CA", "CK", "CQ") == "C7"
    assert card_of("J7.J98.987.", "CA", "CK", "CQ") == "SJ"


def test_plays_a_jack_under_a_higher_card() -> None:
    assert card_of("J7.98.98.87", "SK", "S8", "S9") == "SJ"


def test_ducks_a_trick_with_a_jack_in_it() -> None:
    assert card_of("K7.98.98.87", "ST", "SJ", "S9") == "S7"


def test_takes_with_the_highest_card_where_it_must_take() -> None:
    assert card_of("AQ.98.98.87", "S9", "S7", "ST") == "SA"


def test_makes_its_own_capot_from_the_top() -> None:
    assert card_of("AKQJT.AK.A.", announced=0)[1] == "A"


def test_breaks_the_capot_of_another() -> None:
    assert card_of("A87.987.T7.", "SK", announced=0) == "SA"
    # Without a capot it would not take Polignac.
    assert card_of("AJ7.98.T87.", "SK", "S8", "ST", announced=0) == "SA"
    assert card_of("AJ7.98.T87.", "SK", "S8", "ST") == "SJ"


# All together -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    every_way(
        players=(4, 5, 6),
        rank=("AKQJ10987", "KQJA10987"),
        announcements=("first", "all"),
        capot_lead=("eldest", "announcer"),
    ),
)
def test_every_action_is_legal(options: dict[str, Any]) -> None:
    others = {"episode": "game", "capot_early_stop": True, "history": "last_trick"}
    assert decisions_that_are_legal("polignac", **options) > 1000
    assert decisions_that_are_legal("polignac", 5, **options, **others) > 500


@pytest.mark.parametrize("players", (4, 5, 6))
def test_beats_random_play(players: int) -> None:
    judged = evaluate("hoyle", "random", game="polignac", deals=200, players=players)
    assert judged.estimates["points"].low > 0.4
