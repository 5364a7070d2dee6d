"""What the rule-of-thumb player takes a hand to be worth in bidding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whist_agents.hoyle.evaluation import (
    ALL_SUITS,
    ALONE,
    EVEN,
    TRICK,
    WITH_PARTNER,
    after_discard,
    best_trump,
    odds_alone,
    odds_of_misere,
    odds_of_tricks,
    odds_of_two,
    odds_with_help,
    suppose_trumps,
    sure_trick,
    sure_tricks,
    takes_none,
    value_of_hand,
    value_to_a_caller,
)
from whist_agents.hoyle.mind import new_mind, rank_as_best_trump, read
from whist_env.cards import card_name, members, parse_card, parse_hand
from whist_env.engine.features import FeatureTable
from whist_env.engine.sight import play_features
from whist_env.engine.tricks import NO_SUIT

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
TABLE = FeatureTable(*play_features(4))


def holding(hand: str, trump: int = NO_SUIT, leader: int = 1) -> Any:
    """A mind that holds a hand before the play, and supposes trumps."""
    row = np.zeros(TABLE.size, np.int8)
    parts = TABLE.named(row)
    parts["hand"][list(members(parse_hand(hand)))] = 1
    parts["leader"][leader] = 1
    parts["to_act"][0] = 1
    mind = new_mind(4)[0]
    read(row, np.zeros(52, np.int8), mind)
    suppose_trumps(mind, trump)
    return mind


def tricks(hand: str, trump: int, company: int = ALONE) -> float:
    """The tricks that a hand is taken to make."""
    return value_of_hand(holding(hand, trump), company) / TRICK


# Tricks -------------------------------------------------------------------------------


def test_a_hand_alone_is_worth_the_tricks_that_it_is_seen_to_take() -> None:
    assert tricks("AKQJ74.A53.82.96", SPADES) == pytest.approx(7, abs=0.2)
    assert tricks("AKQJT2.KQ5.82.96", SPADES) == pytest.approx(7, abs=0.2)
    assert tricks("8642.753.9642.53", SPADES) < 1.5


def test_two_average_hands_share_the_tricks_with_the_others() -> None:
    average = "KJ42.Q53.A642.53"
    for trump in (SPADES, HEARTS, DIAMONDS, NO_SUIT):
        assert tricks(average, trump, WITH_PARTNER) == pytest.approx(6.5, abs=0.6)
    assert EVEN == 6.5 * TRICK


@pytest.mark.parametrize("company", [ALONE, WITH_PARTNER])
@pytest.mark.parametrize("trump", [SPADES, HEARTS, NO_SUIT])
def test_a_higher_card_is_worth_more_and_one_without_guard_nothing(
    company: int, trump: int
) -> None:
    hands = ("9732.Q532.542.53", "Q732.Q532.542.53", "K732.Q532.542.53")
    worth = [tricks(hand, trump, company) for hand in hands]
    assert worth[0] < worth[1] < worth[2]
    bare = tricks("9732.Q532.5432.K", trump, company)
    assert bare == tricks("9732.Q532.5432.2", trump, company)


def test_a_card_is_worth_what_is_left_above_it() -> None:
    assert tricks("KQ32.Q532.542.53", SPADES) - tricks(
        "K432.Q532.542.53", SPADES
    ) == pytest.approx(0.47)


def test_the_longer_the_trumps_and_the_shorter_a_plain_suit_the_better() -> None:
    hands = ("A32.5432.5432.32", "A432.5432.432.32", "A5432.5432.32.32")
    worth = [tricks(hand, SPADES) for hand in hands]
    assert worth[0] < worth[1] < worth[2]


def test_the_best_trump_of_the_rules_counts_as_the_best() -> None:
    mind = holding("T543.983.J42.T73", SPADES)
    before = value_of_hand(mind, ALONE)
    rank_as_best_trump(mind, parse_card("DJ"))
    assert value_of_hand(mind, ALONE) > before + 100


def test_nobody_names_a_suit_of_three_as_trumps() -> None:
    assert value_to_a_caller(holding("AKQ.8642.642.642", SPADES)) == 0
    assert value_to_a_caller(holding("AKQ2.842.642.642", SPADES)) > 300
    assert value_to_a_caller(holding("AKQ.8642.642.642", NO_SUIT)) > 200


def test_the_best_trumps_are_looked_for_among_some_suits() -> None:
    mind = holding("AKJ742.QJ32.82.9")
    assert best_trump(mind, ALL_SUITS) == SPADES == mind.trump
    assert best_trump(mind, ALL_SUITS & ~(1 << SPADES)) == HEARTS == mind.trump


# Odds ---------------------------------------------------------------------------------


def test_half_a_trick_below_a_number_the_chances_are_even() -> None:
    assert odds_of_tricks(550, 6, 100) == 50
    assert odds_of_tricks(650, 6, 100) == 84
    assert odds_of_tricks(450, 6, 100) == 16
    assert odds_of_tricks(1000, 6, 100) == 100
    assert odds_of_tricks(0, 6, 100) == 0


def test_help_and_a_partner_make_more_tricks_likely() -> None:
    mind = holding("AKJ83.A72.K4.962", SPADES)
    alone = odds_alone(mind, 6)
    assert alone < odds_with_help(mind, 100, 6)
    value = value_to_a_caller(mind)
    assert odds_of_two(mind, value, 200, 8) > odds_alone(mind, 8) + 20


def test_top_trumps_are_sure_and_all_top_cards_once_trumps_are_drawn() -> None:
    assert sure_tricks(holding("AKQ32.A72.K4.962", SPADES)) == 3
    assert sure_tricks(holding("AKQJT98.AK2.4.96", SPADES)) == 7 + 2
    assert sure_tricks(holding("AKQJT98765.AKQ..", SPADES)) == 13


def test_without_trumps_only_the_leader_or_who_stops_each_suit_is_sure() -> None:
    for leader, tricks in ((0, 13), (1, 0)):
        assert sure_tricks(holding("AKQJT98765.AKQ..", leader=leader)) == tricks
        assert sure_tricks(holding("AKQJT98765.A.A.A", leader=leader)) == 13
        assert sure_tricks(holding("AKQJT98765.A.A.2", leader=leader)) == 0


def test_what_is_sure_has_all_odds() -> None:
    mind = holding("AKQJT987.AKQJT..", SPADES)
    assert odds_alone(mind, 13) == 100
    assert odds_alone(holding("KQJT9876.AKQJT..", SPADES), 13) < 50


# Misères ------------------------------------------------------------------------------


def odds_of_none(hand: str, *, is_open: bool = False, leader: int = 1) -> int:
    """That a hand takes no trick."""
    mind = holding(hand, leader=leader)
    return odds_of_misere(mind, mind.hand, is_open)


def test_a_hand_of_even_cards_cannot_be_made_to_take_a_trick() -> None:
    hand = "8642.642.642.642"
    mind = holding(hand)
    assert takes_none(mind, mind.hand)
    for is_open in (False, True):
        assert odds_of_none(hand, is_open=is_open, leader=0) == 100
    higher = holding("9642.642.642.642")
    assert not takes_none(higher, higher.hand)


def test_a_misere_is_less_likely_with_dangers_in_the_open_and_with_the_lead() -> None:
    hands = ("9643.642.742.642", "J743.742.T52.532", "KQ4.J63.T82.Q962")
    odds = [odds_of_none(hand) for hand in hands]
    assert 100 > odds[0] > 70 > odds[1] > 40 > 20 > odds[2]
    assert odds_of_none(hands[0], is_open=True) < odds[0]
    assert odds_of_none(hands[0], leader=0) < odds[0]


def test_the_most_dangerous_card_is_laid_away() -> None:
    mind = holding("K.5432.5432.5432")
    assert mind.hand & ~after_discard(mind, mind.hand) == 1 << parse_card("SK")
    mind = holding("A2.K42.8642.7532")
    assert mind.hand & ~after_discard(mind, mind.hand) == 1 << parse_card("SA")


def test_the_highest_card_is_the_trick_of_who_must_take_one() -> None:
    assert card_name(sure_trick(holding("32.A432.K43.Q432"))) == "HA"
