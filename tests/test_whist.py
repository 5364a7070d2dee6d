"""Whist by its rule sheet: every example, every option, every position of play."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whist_tables import (
    PRESETS,
    WITH_RUBBERS,
    changed,
    deal_with,
    new_table,
    play_at_random,
    play_deal,
    redeal,
    whist_game,
)

from whist_env import IllegalAction
from whist_env.cards import (
    NO_CARDS,
    RANKS,
    card_set,
    hand_text,
    members,
    parse_card,
    parse_deal,
    single,
    whole_suit,
)
from whist_env.envs.table import Table
from whist_env.envs.vector import Tables
from whist_env.games import whist

# In these deals spades are trumps and seat 0 deals, unless something else is said. A is
# side 0 and B is side 1.

TWO_HONOURS_EACH = deal_with("SA ST", "SK", "SQ", "SJ")
STRONG_A = deal_with("SA ST HA DA", "SK", "SQ CA", "SJ")
STRONG_B = deal_with("SK", "SA ST HA DA", "SJ", "SQ CA")
THREE_FOR_A = deal_with("SA SK", "SJ", "SQ", "")
FOUR_FOR_A = deal_with("SA SK", "", "SQ SJ", "")
THREE_FOR_B = deal_with("SJ", "SA SK", "", "SQ")
FOUR_FOR_B = deal_with("", "SA SK", "", "SQ SJ")
SUIT_EACH = [f"{'.' * (3 - suit)}AKQJT98765432{'.' * suit}" for suit in range(4)]


def suit_from_the_ace(suit: str, lowest: str) -> str:
    return " ".join(suit + rank for rank in RANKS[RANKS.index(lowest) :])


def scored(tricks: int, deal: str = TWO_HONOURS_EACH, **how: Any) -> Table:
    """A table after one deal in which A takes this many tricks."""
    table = new_table(deal, **how)
    play_deal(table, tricks)
    return table


def pairs(table: Table, *names: str) -> list[list[int]]:
    return [table.record[name].tolist() for name in names]


def even(*tricks: int) -> list[tuple[int, str]]:
    """Results of deals with two honours to each side, good for so many tricks of A."""
    return [(taken, STRONG_A if taken > 6 else STRONG_B) for taken in tricks]


def rubber(*results: tuple[int, str], **how: Any) -> Table:
    """A table after deals in which A took so many tricks."""
    table = new_table(results[0][1], episode="rubber", **how)
    for tricks, deal in results:
        table = redeal(table, deal)
        play_deal(table, tricks)
    return table


# The worked examples of the rules ---------------------------------------------------


def test_american_whist_league_points_above_seven_do_not_count() -> None:
    table = scored(9, scoring="awl", episode="game", scores=(5, 3))
    assert table.is_over
    assert pairs(table, "score", "settlement") == [[7, 3], [4, -4]]
    assert table.record.winning_side == 0


def test_american_whist_counts_the_overshoot() -> None:
    table = scored(9, scoring="american", episode="game", scores=(5, 3))
    assert pairs(table, "score", "settlement") == [[8, 3], [5, -5]]


def test_hoyle_counts_tricks_before_honours() -> None:
    table = scored(8, THREE_FOR_B, scoring="hoyle7", episode="game", scores=(5, 6))
    assert pairs(table, "score", "games") == [[7, 6], [1, 0]]
    assert table.record.winning_side == 0


def test_hoyle_may_add_tricks_and_honours() -> None:
    table = scored(
        8,
        THREE_FOR_B,
        scoring="hoyle7",
        episode="game",
        scores=(5, 6),
        count_order="sum",
    )
    assert pairs(table, "score", "games") == [[7, 8], [0, 1]]
    assert table.record.winning_side == 1


def test_short_whist_scores_tricks_for_one_side_and_honours_for_the_other() -> None:
    how = {"scoring": "short5", "episode": "rubber", "scores": (3, 1)}
    table = scored(5, THREE_FOR_A, **how)
    assert not table.is_over
    assert pairs(table, "score", "games") == [[4, 3], [0, 0]]


def test_short_whist_is_won_by_tricks_and_honours_together() -> None:
    table = scored(9, THREE_FOR_A, scoring="short5", episode="game")
    assert pairs(table, "score", "rubber_points") == [[5, 0], [3, 0]]
    assert pairs(table, "settlement") == [[3, -3]]


def test_short_whist_gives_no_honours_to_the_losers_of_the_game() -> None:
    how = {"scoring": "short5", "episode": "game", "scores": (2, 4)}
    table = scored(9, FOUR_FOR_B, **how)
    assert pairs(table, "score", "rubber_points") == [[5, 4], [1, 0]]


def test_short_whist_is_not_won_by_honours_without_the_majority_of_tricks() -> None:
    how = {"scoring": "short5", "episode": "game", "scores": (4, 2)}
    table = scored(6, FOUR_FOR_A, **how)
    assert not table.is_over
    assert pairs(table, "score") == [[4, 3]]


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("tricks", "rubber_points", "value"),
    [
        # A 5-0, B 5-4, A 5-2.
        ([11, 10, 4, 3, 10, 5, 8], (5, 1), 6),
        # A 5-3 and 5-0.
        ([10, 3, 8, 11], (4, 0), 6),
        # The most: 5-0 and 5-0. The least: A 5-4 twice, B 5-0 between.
        ([11, 11], (6, 0), 8),
        ([9, 3, 8, 2, 9, 3, 8], (2, 3), 1),
    ],
)
def test_short_whist_rubber_points(
    tricks: list[int], rubber_points: tuple[int, int], value: int, mirrored: bool
) -> None:
    if mirrored:
        tricks = [13 - taken for taken in tricks]
        rubber_points = rubber_points[::-1]
        value = -value
    table = rubber(*even(*tricks), scoring="short5")
    assert table.is_over
    assert pairs(table, "rubber_points") == [list(rubber_points)]
    assert pairs(table, "settlement") == [[value, -value]]
    assert table.record.winning_side == (1 if mirrored else 0)


def test_whist_to_25_is_won_by_who_reaches_it() -> None:
    # A holds all trumps in one hand and the other aces in the other.
    strong = deal_with(suit_from_the_ace("S", "2"), "", "HA DA CA", "")
    table = scored(13, strong, scoring="to25", episode="game", scores=(24, 20))
    assert pairs(table, "score", "games") == [[31, 20], [1, 0]]
    assert table.record.winning_side == 0


def test_robber_scores_tricks_below_and_honours_and_sequences_above() -> None:
    deal = deal_with("SA SK SQ", "ST", "SJ", "")
    table = scored(9, deal, scoring="robber", episode="rubber")
    assert pairs(table, "score", "above", "points") == [[6, 0], [14, 0], [20, 0]]


def test_robber_big_slam_with_all_honours_in_one_hand() -> None:
    deal = deal_with("SA SK SQ SJ ST S9 S8 S7 HA HK DA DK CA")
    table = scored(13, deal, scoring="robber", episode="game")
    assert table.is_over
    # Below 14; above 20 + 5 + 60 for ace to eight. With ace to ten alone: 40.
    assert pairs(table, "score") == [[14, 0]]
    assert table.record.above[0] == 20 + 5 + 60


def test_robber_big_slam_with_the_sequence_of_the_example() -> None:
    top = "SA SK SQ SJ ST S7 S6 S5 HA HK DA DK CA"
    table = scored(13, deal_with(top, "S9", "S8"), scoring="robber", episode="game")
    assert pairs(table, "score", "above") == [[14, 0], [20 + 5 + 40, 0]]


def test_robber_settles_by_totals_at_the_end_of_the_rubber() -> None:
    """A side may win the rubber and yet have fewer points."""
    # B has honours 4 and hearts from ace to eight 30.
    rich_for_b = deal_with("SQ", "SA ST", "", f"SK SJ {suit_from_the_ace('H', '8')}")
    table = rubber((7, rich_for_b), (7, rich_for_b), scoring="robber", target=2)
    assert table.is_over
    assert pairs(table, "games", "points") == [[2, 0], [4, 2 * 34]]
    assert pairs(table, "settlement") == [[-64, 64]]
    assert table.record.winning_side == 1


# The other readings -----------------------------------------------------------------


def test_short_whist_surplus_is_lost_or_carried() -> None:
    results = [(10, TWO_HONOURS_EACH), (9, TWO_HONOURS_EACH)]
    assert pairs(rubber(*results, scoring="short5"), "score", "games") == [
        [0, 0],
        [1, 0],
    ]
    carried = rubber(*results, scoring="short5", surplus="carried")
    assert pairs(carried, "score", "games") == [[2, 0], [1, 0]]


def test_short_whist_surplus_that_is_a_game_wins_it_at_once() -> None:
    strong = deal_with(suit_from_the_ace("S", "2"), "", "HA DA CA", "")
    table = rubber((13, strong), scoring="short5", surplus="carried", target=3)
    assert table.is_over
    assert pairs(table, "games", "rubber_points") == [[2, 0], [6, 0]]
    assert pairs(table, "settlement") == [[8, -8]]


def test_a_game_won_by_a_surplus_is_won_from_opponents_without_a_point() -> None:
    strong = deal_with(suit_from_the_ace("S", "2"), "", "HA DA CA", "")
    how = {"scoring": "short5", "surplus": "carried", "target": 3}
    table = scored(13, strong, episode="rubber", scores=(0, 2), **how)
    assert table.is_over
    # Seven points: three for the game from 0-2, and four for the next, from 0-0.
    assert pairs(table, "rubber_points", "score") == [[1 + 3, 0], [4, 0]]


def robber_above(tricks: int, deal: str, **options: Any) -> list[int]:
    table = scored(tricks, deal, scoring="robber", **options)
    above: list[int] = table.record.above.tolist()
    return above


def test_robber_counts_five_or_six_honours() -> None:
    five = deal_with("SA SQ", "S9", "SK SJ ST", "")
    six = deal_with("SA SQ", "", "SK SJ ST S9", "")
    assert robber_above(8, five) == [5, 0]
    assert robber_above(8, five, honours_counted=6) == [5, 0]
    assert robber_above(8, six) == [5, 0]
    assert robber_above(8, six, honours_counted=6) == [6, 0]
    three_each = deal_with("SA SQ", "SJ ST", "SK", "S9")
    assert robber_above(8, three_each) == [2, 0]
    assert robber_above(8, three_each, honours_counted=6) == [2, 2]


@pytest.mark.parametrize("bonus", [0, 10])
def test_robber_rubber_bonus_goes_to_the_winner_of_the_rubber(bonus: int) -> None:
    results = [(11, TWO_HONOURS_EACH), (11, TWO_HONOURS_EACH)]
    table = rubber(*results, scoring="robber", rubber_bonus=bonus)
    assert pairs(table, "above") == [[2 + 2 + bonus, 0]]
    assert pairs(table, "settlement") == [[24 + bonus, -24 - bonus]]


def test_robber_rubber_bonus_is_not_paid_for_a_game() -> None:
    table = scored(11, scoring="robber", episode="game", rubber_bonus=10)
    assert pairs(table, "settlement") == [[12, -12]]


def test_robber_slam_counts_besides_honours_or_in_their_place() -> None:
    deal = deal_with("SA SQ", "ST", "SK SJ", "")
    assert robber_above(12, deal) == [10 + 4, 0]
    assert robber_above(12, deal, slam="replaces_honours") == [10, 0]
    assert robber_above(11, deal, slam="replaces_honours") == [4, 0]


def test_robber_slam_leaves_the_honours_of_the_other_side() -> None:
    deal = deal_with("SA S9 S8 HA", "SK SQ", "DA CA", "SJ ST")
    assert robber_above(12, deal, slam="replaces_honours") == [10, 4]


def test_robber_sequence_lies_in_one_hand_or_in_a_side() -> None:
    deal = deal_with("SA SJ HA HQ", "SK ST HT", "HK HJ", "SQ")
    assert robber_above(7, deal) == [0, 2]
    assert robber_above(7, deal, sequence_holder="side") == [10, 2]


@pytest.mark.parametrize(
    ("lowest", "step", "per_card"),
    [
        ("K", 0, 0),
        ("Q", 5, 5),
        ("J", 10, 10),
        ("T", 20, 20),
        ("9", 25, 30),
        ("8", 30, 35),
        ("7", 30, 35),
        ("2", 30, 35),
    ],
)
def test_robber_long_sequences(lowest: str, step: int, per_card: int) -> None:
    """Hearts are no trumps in the first deal and trumps in the second."""
    run = suit_from_the_ace("H", lowest)
    next_down = "" if lowest == "2" else "H" + RANKS[RANKS.index(lowest) - 1]
    plain = deal_with("SA", run, "SQ ST", f"SK SJ {next_down}")
    assert robber_above(7, plain) == [2, step]
    assert robber_above(7, plain, long_sequence="per_card") == [2, per_card]
    table = new_table(plain, "H", dealer=1, scoring="robber")
    record = table.record
    assert whist.side_sequence_points(record, 1, 2) == 2 * step
    assert whist.side_sequence_points(record, 1, 3) == 0


def test_robber_counts_a_sequence_of_trumps_besides_honours_or_the_higher() -> None:
    run = deal_with("SA SK SQ", "ST", "SJ", "")
    assert robber_above(8, run) == [4 + 10, 0]
    assert robber_above(8, run, trump_sequence_and_honours="one") == [10, 0]
    no_run = deal_with("SA SQ", "ST", "SK SJ", "")
    assert robber_above(8, no_run, trump_sequence_and_honours="one") == [4, 0]


def test_robber_counts_sequences_in_every_suit_and_for_both_sides() -> None:
    deal = deal_with(
        "SA SK SQ HA HK HQ HJ", "SJ CA CK CQ", "HT D9 CJ", "ST DA DK DQ DJ DT"
    )
    assert robber_above(7, deal) == [2 + 10 + 10, 5 + 20]


@pytest.mark.parametrize("scoring", ["hoyle7", "short5"])
@pytest.mark.parametrize(
    ("deal", "honours"),
    [
        (TWO_HONOURS_EACH, (0, 0)),
        (THREE_FOR_A, (2, 0)),
        (FOUR_FOR_A, (4, 0)),
        (deal_with("SA SK SQ SJ"), (4, 0)),
        (THREE_FOR_B, (0, 2)),
        (FOUR_FOR_B, (0, 4)),
    ],
)
def test_honours_count_where_they_were_dealt(
    scoring: str, deal: str, honours: tuple[int, int]
) -> None:
    table = scored(7, deal, scoring=scoring, deals=1)
    assert pairs(table, "points") == [[1 + honours[0], honours[1]]]


@pytest.mark.parametrize("target", [1, 9, 100])
def test_another_target_makes_the_game(target: int) -> None:
    table = scored(8, scoring="american", episode="game", target=target)
    assert table.is_over == (target == 1)
    before = (target - 1, 0)
    table = scored(7, scoring="american", episode="game", target=target, scores=before)
    assert table.is_over
    assert table.record.settlement[0] == target


def test_a_deal_of_the_league_counts_no_more_than_a_game() -> None:
    assert pairs(scored(9, scoring="awl", target=2), "points") == [[2, 0]]
    assert pairs(scored(9, scoring="awl", deals=1), "points") == [[3, 0]]


def test_the_other_sides_honours_never_make_a_game_of_short_whist() -> None:
    how = {"scoring": "short5", "target": 3}
    assert pairs(scored(6, FOUR_FOR_A, **how), "points") == [[2, 1]]
    assert pairs(scored(6, FOUR_FOR_A, scoring="short5", deals=1), "points") == [[4, 1]]


# Games and rubbers ------------------------------------------------------------------


def test_a_rubber_stops_at_two_games_to_nothing() -> None:
    for winner in (0, 1):
        tricks = 11 if winner == 0 else 2
        assert not rubber(*even(tricks), scoring="short5").is_over
        table = rubber(*even(tricks, tricks), scoring="short5")
        assert table.is_over
        assert table.record.games[winner] == 2
        assert table.record.games[1 - winner] == 0
        assert table.record.winning_side == winner


def test_a_rubber_goes_to_a_third_game() -> None:
    for last, winner in ((11, 0), (2, 1)):
        assert not rubber(*even(11, 2), scoring="robber").is_over
        table = rubber(*even(11, 2, last), scoring="robber")
        assert table.is_over
        assert sorted(table.record.games.tolist()) == [1, 2]
        assert table.record.games[winner] == 2


@pytest.mark.parametrize("scoring", WITH_RUBBERS)
def test_both_scores_begin_again_after_a_game(scoring: str) -> None:
    table = new_table(TWO_HONOURS_EACH, scoring=scoring, episode="rubber")
    for tricks in (5, 11, 11):
        table = redeal(table, TWO_HONOURS_EACH)
        play_deal(table, tricks)
        if table.record.games[0]:
            break
    assert pairs(table, "score", "games") == [[0, 0], [1, 0]]


def test_the_last_card_decides_game_and_rubber() -> None:
    table = new_table(
        TWO_HONOURS_EACH,
        scoring="short5",
        episode="rubber",
        scores=(4, 4),
        games=(1, 1),
        reward="match",
    )
    rng = random.Random(1)
    for _ in range(51):
        table.apply(rng.choice(table.legal_actions()))
        assert not table.is_over
        assert table.rewards() == [0, 0, 0, 0]
    table.apply(table.legal_actions()[0])
    assert table.is_over
    side = int(table.record.winning_side)
    assert table.record.tricks[side] >= 7
    assert table.rewards() == ([1, -1, 1, -1] if side == 0 else [-1, 1, -1, 1])


@pytest.mark.parametrize("scoring", PRESETS)
def test_a_fixed_number_of_deals_compares_running_totals(scoring: str) -> None:
    table = new_table(TWO_HONOURS_EACH, scoring=scoring, deals=4)
    for number in range(4):
        assert table.record.deals_played == number
        table = redeal(table, TWO_HONOURS_EACH)
        play_deal(table, 10)
    assert table.is_over
    each = {"robber": 8 + 2}.get(scoring, 4)
    assert pairs(table, "points", "games") == [[4 * each, 0], [0, 0]]
    assert pairs(table, "settlement") == [[4 * each, -4 * each]]
    assert table.record.winning_side == 0


def test_equal_totals_have_no_winner_and_pay_nobody() -> None:
    for first in (0, 1):
        table = new_table(TWO_HONOURS_EACH, deals=2, reward="match")
        for tricks in (8, 5) if first == 0 else (5, 8):
            table = redeal(table, TWO_HONOURS_EACH)
            rewards = play_deal(table, tricks)
        assert table.is_over
        assert rewards == [0, 0, 0, 0]
        assert table.record.winning_side == -1
        finished = np.array([table.record], table.record.dtype)
        assert whist.won(finished).tolist() == [[0.5] * 4]


def test_equal_sums_of_hoyle_play_on() -> None:
    how = {"scoring": "hoyle7", "episode": "game", "count_order": "sum"}
    table = scored(8, FOUR_FOR_B, scores=(6, 4), **how)
    assert pairs(table, "score", "games") == [[8, 8], [0, 0]]
    assert not table.is_over
    table = redeal(table, TWO_HONOURS_EACH)
    play_deal(table, 6)
    assert table.is_over
    assert pairs(table, "score", "games") == [[8, 9], [0, 1]]


def test_the_dealer_rotates_to_the_left_and_the_eldest_hand_leads() -> None:
    for first in range(4):
        table = whist_game(deals=9, dealer=first).new_table(first)
        for number in range(9):
            dealer = (first + number) % 4
            assert table.record.dealer == dealer
            assert table.agent == (dealer + 1) % 4
            turned = int(table.record.turned)
            assert single(turned) & table.record.dealt[dealer]
            assert table.record.trump == turned // 13
            play_deal_at_random(table)


def play_deal_at_random(table: Table) -> None:
    rng = random.Random(0)
    for _ in range(52):
        table.apply(rng.choice(table.legal_actions()))


def test_the_first_dealer_is_drawn_or_given() -> None:
    drawn = {whist_game().new_table(seed).record.dealer.item() for seed in range(50)}
    assert drawn == {0, 1, 2, 3}
    for dealer in range(4):
        game = whist_game(dealer=dealer)
        assert {game.new_table(s).record.dealer.item() for s in range(20)} == {dealer}


def test_partners_sit_opposite() -> None:
    partners = whist.RULES[0].partners
    assert partners == ((0, 2), (1, 3), (0, 2), (1, 3))
    for seat, group in enumerate(partners):
        assert group == tuple(sorted({seat, (seat + 2) % 4}))
        assert whist.side_of(seat) == whist.side_of((seat + 2) % 4)
        assert whist.side_of(seat) != whist.side_of((seat + 1) % 4)


# Play -------------------------------------------------------------------------------


def test_a_follower_must_follow_suit_and_need_not_trump_or_beat() -> None:
    deal = "N:AKQ.432.432.5432 432.AKQ.AKQ.AKQJ JT9.JT98.JT9.T98 8765.765.8765.76"
    table = whist_game().new_table(0, deal=deal, dealer=3, turned="S8")
    assert table.agent == 0
    assert len(table.legal_actions()) == 13
    table.apply(parse_card("H2"))
    assert [whist.card_name(c) for c in table.legal_actions()] == ["HQ", "HK", "HA"]
    table.apply(parse_card("HQ"))
    # Partner may play under the queen or over the ten.
    assert len(table.legal_actions()) == 4
    table.apply(parse_card("H8"))
    table.apply(parse_card("H5"))
    assert table.agent == 1


def test_a_seat_void_in_the_suit_led_may_play_anything() -> None:
    deal = deal_with("", "H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA")
    table = new_table(deal, dealer=3)
    lead = next(card for card in table.legal_actions() if card // 13 != 2)
    table.apply(lead)
    assert table.agent == 1
    # Void at the first trick, and without a trump: still any card.
    assert table.legal_actions() == list(range(26, 39))
    table.apply(26)
    assert table.record.voids.tolist() == [0, 1 << (lead // 13), 0, 0]


def test_whoever_wins_the_trick_leads_next() -> None:
    """All four places of the winner, with a trump, an overtrump and a discard."""
    cases = [
        ("C5 CK D2 CA", 2),
        ("C5 HA SA C6", 3),
        ("D7 DJ CA D9", 1),
        ("CA CK CQ CJ", 0),
        ("CA D2 D3 CK", 2),
        ("CA D3 D2 CK", 1),
        ("C2 HA DA SA", 2),
        ("C2 HA SA H3", 0),
    ]
    for text, winner in cases:
        record = whist_game().new_records(1)[0]
        whist.start(record)
        record.trump = 1
        for leader in range(4):
            whist.lead(record, leader)
            for place, card in enumerate(map(parse_card, text.split())):
                seat = (leader + place) % 4
                assert record.seat == seat
                record.hands[seat] |= single(card)
                whist.play_card(record, card)
            assert whist.trick_is_complete(record)
            assert whist.take_trick(record) == (leader + winner) % 4
            assert record.seat == record.leader == (leader + winner) % 4
            record.cards_played = 0


def test_one_hand_of_trumps_takes_every_trick() -> None:
    """Each seat holds a suit; whoever holds the trumps takes all thirteen tricks."""
    for owner in range(4):
        hands = [SUIT_EACH[(owner + seat) % 4] for seat in range(4)]
        deal = "N:" + " ".join(hands)
        dealt = parse_deal(deal)
        trump_seat = next(s for s in range(4) if dealt[s] == whole_suit(3))
        game = whist_game(scoring="american", reward="points")
        table = game.new_table(0, deal=deal, dealer=trump_seat, turned="S5")
        while not table.is_over:
            assert (table.observe() <= game.features.high).all()
            table.apply(table.legal_actions()[0])
        side = trump_seat % 2
        assert table.record.tricks[side] == 13
        assert table.record.tricks_won[trump_seat] == 13
        assert table.rewards()[trump_seat] == 7
        for seat in range(4):
            tricks = game.features.part(table.observe(seat), "tricks").tolist()
            assert tricks == ([13, 0] if seat % 2 == side else [0, 13])


@pytest.mark.parametrize("tricks", [6, 7])
def test_the_final_trick_goes_to_its_winner(tricks: int) -> None:
    table = new_table(TWO_HONOURS_EACH, scoring="american")
    play_deal(table, tricks)
    assert pairs(table, "tricks") == [[tricks, 13 - tricks]]
    assert pairs(table, "points") == [[1, 0] if tricks == 7 else [0, 1]]
    last = int(table.record.leader)
    played = dict(
        zip(
            table.record.history_seats[48:].tolist(),
            table.record.history[48:].tolist(),
            strict=True,
        )
    )
    trumps = {s: c for s, c in played.items() if c // 13 == table.record.trump}
    led = table.record.history[48] // 13
    in_suit = {s: c for s, c in played.items() if c // 13 == led}
    contenders = trumps or in_suit
    assert last == max(contenders, key=lambda seat: contenders[seat])


def test_voids_are_what_play_has_proved_and_are_true() -> None:
    for seed in range(50):
        table = whist_game().new_table(seed)
        rng = random.Random(seed)
        shown = [0, 0, 0, 0]
        while not table.is_over:
            seat, record = table.agent, table.record
            led = record.trick[record.leader] // 13 if record.cards_in_trick else None
            card = rng.choice(table.legal_actions())
            if led is not None and card // 13 != led:
                shown[seat] |= 1 << led
            table.apply(card)
            if not table.is_over:
                assert table.record.voids.tolist() == shown
                for other in range(4):
                    for suit in range(4):
                        if shown[other] >> suit & 1:
                            held = table.record.hands[other] & whole_suit(suit)
                            assert held == NO_CARDS


# Rewards ----------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["points", "tricks", "match", "settlement"])
@pytest.mark.parametrize("scoring", PRESETS)
def test_rewards_are_zero_sum_and_the_same_for_partners(
    scoring: str, reward: str
) -> None:
    episode = "rubber" if scoring in WITH_RUBBERS else "game"
    game = whist_game(scoring=scoring, episode=episode, reward=reward)
    for seed in range(10):
        table = game.new_table(seed)
        rng = random.Random(seed)
        total = [0, 0, 0, 0]
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
            rewards = table.rewards()
            assert rewards[0] == rewards[2] == -rewards[1] == -rewards[3]
            total = [sum(pair) for pair in zip(total, rewards, strict=True)]
            assert table.returns() == total
        record = table.record
        expected = {
            "points": record.points[0] - record.points[1],
            "tricks": record.tricks[0] - record.tricks[1],
            "match": {0: 1, 1: -1, -1: 0}[int(record.winning_side)],
            "settlement": record.settlement[0],
        }[reward]
        assert total[0] == expected


def test_rewards_come_with_the_card_that_earns_them() -> None:
    taken = {"tricks": 13, "points": 1, "match": 1, "settlement": 1}
    for reward, times in taken.items():
        table = whist_game(reward=reward).new_table(3)
        rng = random.Random(3)
        paid = []
        for place in range(52):
            table.apply(rng.choice(table.legal_actions()))
            if any(table.rewards()):
                paid.append(place)
        assert len(paid) == times
        assert all(place % 4 == 3 for place in paid)
        assert paid[-1] == 51


@pytest.mark.parametrize("reward", ["points", "tricks", "match", "settlement"])
def test_forfeiting_costs_both_partners_and_sums_to_zero(reward: str) -> None:
    for agent in range(4):
        table = whist_game(reward=reward, dealer=(agent + 3) % 4).new_table(1)
        assert table.agent == agent
        table.forfeit()
        amount = 1 if reward == "match" else 13
        assert table.is_over
        assert table.legal_actions() == []
        expected = [-amount if seat % 2 == agent % 2 else amount for seat in range(4)]
        assert table.rewards() == table.returns() == expected
        assert table.record.winning_side == 1 - agent % 2
        assert table.record.settlement.sum() == 0


def check_that_the_next_episode_is_clean(used: Table) -> None:
    """It is that of a fresh table, but for the number of the deal and of actions."""

    def as_far(record: Any) -> None:
        record.deal_number = used.record.deal_number
        record.actions_taken = used.record.actions_taken

    fresh = changed(used.game.new_table(int(used.record.seed)), as_far)
    used.reset()
    fresh.reset()
    assert used == fresh


def test_a_game_after_a_forfeited_one_is_clean() -> None:
    for actions in (0, 1, 30, 51):
        table = whist_game().new_table(5)
        for _ in range(actions):
            table.apply(table.legal_actions()[0])
        table.forfeit()
        check_that_the_next_episode_is_clean(table)


@pytest.mark.parametrize("scoring", PRESETS)
def test_a_second_episode_begins_as_at_a_fresh_table(scoring: str) -> None:
    episode = "rubber" if scoring in WITH_RUBBERS else "game"
    table = whist_game(scoring=scoring, episode=episode).new_table(1)
    play_at_random(table, random.Random(1))
    check_that_the_next_episode_is_clean(table)


# Positions to begin from -------------------------------------------------------------


def test_a_given_deal_is_dealt_exactly() -> None:
    rng = random.Random(0)
    for seed in range(40):
        pack = rng.sample(range(52), 52)
        hands = [card_set(pack[13 * seat : 13 * seat + 13]) for seat in range(4)]
        deal = "N:" + " ".join(map(hand_text, hands))
        for dealer in range(4):
            turned = rng.choice(list(members(hands[dealer])))
            table = whist_game().new_table(
                seed, deal=deal, dealer=dealer, turned=whist.card_name(turned)
            )
            assert table.record.dealt.tolist() == [int(hand) for hand in hands]
            assert table.record.hands.tolist() == table.record.dealt.tolist()
            assert table.record.turned == turned
            assert table.record.trump == turned // 13
            assert sorted(table.record.pack.tolist()) == list(range(52))
            assert table.agent == (dealer + 1) % 4


def test_the_turned_card_of_a_given_deal_is_drawn_if_not_given() -> None:
    deal = deal_with()
    hands = parse_deal(deal)
    for dealer in range(4):
        turned = {
            int(whist_game().new_table(s, deal=deal, dealer=dealer).record.turned)
            for s in range(100)
        }
        assert turned == set(members(hands[dealer]))


def test_given_scores_and_games_stand_in_the_record() -> None:
    game = whist_game(scoring="robber", episode="rubber")
    table = game.new_table(0, scores=(8, 4), games=(1, 0))
    assert pairs(table, "score", "games", "points") == [[8, 4], [1, 0], [8, 4]]
    assert game.features.part(table.observe(1), "score").tolist() == [[0, 4], [0, 8]]
    assert game.features.part(table.observe(1), "games").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "position", "error", "message"),
    [
        ({}, {"dealer": 4}, ValueError, "dealer=4 is not a seat"),
        ({}, {"dealer": 1.0}, ValueError, "dealer=1.0 is not a seat"),
        ({}, {"scores": (7, 0)}, ValueError, "two whole numbers from 0 to 6"),
        ({}, {"scores": (1, -1)}, ValueError, "two whole numbers from 0 to 6"),
        ({}, {"scores": (1,)}, ValueError, "two whole numbers"),
        ({}, {"scores": 3}, ValueError, "two whole numbers"),
        ({}, {"scores": (0.5, 0)}, ValueError, "two whole numbers"),
        ({"deals": 2}, {"scores": (1, 0)}, ValueError, "with deals= there are no"),
        ({}, {"games": (1, 0)}, ValueError, "games= belongs to a rubber"),
        (
            {"scoring": "short5", "episode": "rubber"},
            {"games": (2, 0)},
            ValueError,
            r"games=\(2, 0\) must be two whole numbers from 0 to 1",
        ),
        ({}, {"turned": "S2"}, ValueError, "give deal= as well"),
        ({}, {"deal": "N:AK"}, ValueError, "is not a deal"),
        (
            {},
            {"deal": "N:" + " ".join(SUIT_EACH[3:] * 4)},
            ValueError,
            "S2 is in the d",
        ),
        ({}, {"deal": 5}, TypeError, "deal=5 must be a text"),
        ({}, {"trumps": "S"}, TypeError, "deal, turned, dealer, scores, games"),
        (
            {},
            {"deal": TWO_HONOURS_EACH, "dealer": 1, "turned": "SA"},
            ValueError,
            r"turned='SA' is not in the hand of the dealer \(seat 1\)",
        ),
        ({}, {"deal": TWO_HONOURS_EACH, "turned": "S1"}, ValueError, "is not a card"),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_changes_nothing(
    options: dict[str, Any],
    position: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    game = whist_game(**options)
    table = game.new_table(9)
    table.apply(table.legal_actions()[0])
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(seed=4, **position)
    assert table.to_bytes() == before
    with pytest.raises(error, match=message):
        game.new_table(0, **position)


# Options ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scorin": "awl"}, TypeError, "no option 'scorin' .did you mean 'scoring'"),
        ({"trumps": "S"}, TypeError, "the options are history, shuffle, scoring"),
        ({"scoring": "bridge"}, ValueError, "scoring='bridge' .*'awl' or 'american'"),
        ({"episode": "session"}, ValueError, "episode='session' .*'deal' or 'game'"),
        ({"scoring": None}, ValueError, "scoring=None is not a value"),
        ({"deals": 0}, ValueError, "deals=0 must be a whole number from 1 to 100"),
        ({"deals": 101}, ValueError, "deals=101 must be .* from 1 to 100, or None"),
        ({"deals": 2.5}, ValueError, "deals=2.5 must be a whole number"),
        ({"deals": True}, ValueError, "deals=True must be a whole number"),
        ({"deals": "3"}, ValueError, "deals='3' must be a whole number"),
        ({"dealer": 4}, ValueError, "dealer=4 must be a whole number from 0 to 3"),
        ({"target": 0}, ValueError, "target=0 must be a whole number from 1 to 100"),
        ({"reward": "money"}, ValueError, "reward='money' .*'tricks' or 'match'"),
        ({"history": "none"}, ValueError, "history='none' .*'all' or 'last_trick'"),
        ({"episode": "rubber"}, ValueError, "needs scoring='short5' or 'robber'"),
        ({"scoring": "to25", "episode": "rubber"}, ValueError, "to25' has no rubbers"),
        ({"deals": 3, "episode": "game"}, ValueError, "only with episode='deal'"),
        ({"count_order": "sum"}, ValueError, "only with scoring='hoyle7'"),
        ({"surplus": "carried"}, ValueError, "only with scoring='short5'"),
        ({"honours_counted": 6}, ValueError, "only with scoring='robber'"),
        ({"honours_counted": None}, ValueError, "honours_counted=None must be a whole"),
        ({"scoring": "robber", "honours_counted": 4}, ValueError, "from 5 to 6"),
        ({"rubber_bonus": 10}, ValueError, "only with scoring='robber'"),
        ({"slam": "replaces_honours"}, ValueError, "only with scoring='robber'"),
        ({"sequence_holder": "side"}, ValueError, "only with scoring='robber'"),
        ({"long_sequence": "per_card"}, ValueError, "only with scoring='robber'"),
        ({"trump_sequence_and_honours": "one"}, ValueError, "only with scoring='rob"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        whist_game(**options)


def test_an_unknown_game_is_refused_by_name() -> None:
    from whist_env import game

    with pytest.raises(ValueError, match=r"no game 'wist' \(did you mean 'whist'"):
        game("wist")


def test_options_survive_every_reset() -> None:
    options = {
        "scoring": "robber",
        "episode": "rubber",
        "honours_counted": 6,
        "rubber_bonus": 10,
        "dealer": 2,
    }
    game = whist_game(**options)
    table = game.new_table(0)
    for reset in ({}, {"seed": 3}, {"seed": None, "scores": (2, 2)}):
        play_at_random(table, random.Random(0))
        table.reset(**reset)
        kept = whist.WhistOptions.from_integers(table.record.options)
        assert kept == game.options
    assert {name: getattr(kept, name) for name in options} == options


def test_options_are_kept_in_the_record_as_integers() -> None:
    options = whist.WhistOptions(scoring="robber", deals=7, reward="match")
    assert whist.WhistOptions.from_integers(options.as_integers()) == options
    for field in dataclasses.fields(whist.WhistOptions):
        for value in field.metadata.get("values", ()):
            only = {name: values[0] for name, values in field.metadata["only"].items()}
            given = {"scoring": "robber", "episode": "game", **only, field.name: value}
            options = whist.WhistOptions(**given)
            assert whist.WhistOptions.from_integers(options.as_integers()) == options


# What players see -------------------------------------------------------------------


def features_of(table: Table, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    return table.game.features.named(table.observe(seat))


def names_at(plane: np.ndarray[Any, Any]) -> set[int]:
    return set(np.flatnonzero(plane).tolist())


def check_observation(table: Table, seat: int) -> None:
    """Each named feature shows the value of the record that it claims to show."""
    record, seen = table.record, features_of(table, seat)
    remembers = table.game.options.history == "all"
    over = table.is_over
    assert names_at(seen["hand"]) == set(members(record.hands[seat]))
    places = range(int(record.cards_played))
    if not remembers:
        places = range(max(0, 4 * (int(record.tricks_played) - 1)), len(places))
    plays = [(int(record.history_seats[p]), int(record.history[p]), p) for p in places]
    for offset in range(4):
        other = (seat + offset) % 4
        by_other = {card for player, card, _ in plays if player == other}
        assert names_at(seen["played"][offset]) == by_other
        shown = record.voids[other] if remembers else 0
        suits = [shown >> suit & 1 for suit in range(4)]
        assert seen["voids"][offset].tolist() == suits
        on_table = set() if record.trick[other] < 0 else {int(record.trick[other])}
        assert names_at(seen["trick"][offset]) == on_table
        assert seen["dealer"][offset] == (other == record.dealer)
        assert seen["leader"][offset] == (other == record.leader and not over)
        assert seen["to_act"][offset] == (other == record.agent)
    tricks = {card: 1 + place // 4 for _, card, place in plays}
    assert {
        card: int(seen["played_trick"][card]) for card in names_at(seen["played_trick"])
    } == tricks
    winning = {int(record.trick[record.winner])} if record.cards_in_trick else set()
    assert names_at(seen["winning_card"]) == winning
    lies_open = int(record.cards_played) < 4
    assert seen["turned_lies_open"] == lies_open
    expected = {int(record.turned)} if lies_open or remembers else set()
    assert names_at(seen["turned"]) == expected
    assert names_at(seen["trump"]) == {int(record.trump)}
    games = record.options.deals < 0
    for offset in range(2):
        side = (seat + offset) % 2
        assert seen["tricks"][offset] == record.tricks_won[side::2].sum()
        score = seen["score"][offset] @ np.array([100, 1])
        assert score == (record.score[side] if games else 0)
        assert seen["games"][offset] == record.games[side]
        digits = seen["points"][offset] @ np.array([10000, 100, 1])
        assert digits == record.points[side]
    left = 0 if games else record.options.deals - record.deals_played
    assert seen["deals_left"] == left


@pytest.mark.parametrize("history", ["all", "last_trick"])
@pytest.mark.parametrize(
    "how",
    [
        {"scoring": "awl"},
        {"scoring": "short5", "episode": "rubber"},
        {"scoring": "robber", "episode": "rubber"},
        {"scoring": "hoyle7", "deals": 3},
    ],
)
def test_every_feature_shows_what_it_claims(how: dict[str, Any], history: str) -> None:
    game = whist_game(history=history, **how)
    rng = random.Random(str(how))
    table = game.new_table(rng.randrange(99))
    while not table.is_over:
        table.apply(rng.choice(table.legal_actions()))
        for seat in range(4):
            check_observation(table, seat)


def test_the_state_shows_every_hand_and_the_observation() -> None:
    game = whist_game()
    table = game.new_table(2)
    rng = random.Random(2)
    while not table.is_over:
        for seat in range(4):
            state = table.state(seat)
            assert (state[: game.features.size] == table.observe(seat)).all()
            hands = game.state_features.part(state, "hands")
            for offset in range(4):
                held = set(members(table.record.hands[(seat + offset) % 4]))
                assert names_at(hands[offset]) == held
        table.apply(rng.choice(table.legal_actions()))


def test_an_observation_depends_on_no_hidden_card() -> None:
    """Permute the cards that a seat cannot see, as far as play allows."""
    rng = random.Random(0)
    for seed in range(30):
        table = whist_game(scoring="robber", deals=3).new_table(seed)
        for _ in range(rng.randrange(51)):
            table.apply(rng.choice(table.legal_actions()))
        for seat in range(4):
            other = with_hidden_cards_moved(table, seat, rng)
            assert (table.observe(seat) == other.observe(seat)).all()
            assert (table.action_mask(seat) == other.action_mask(seat)).all()


def with_hidden_cards_moved(table: Table, seat: int, rng: random.Random) -> Table:
    """The same table with the hands of the other seats dealt anew, of equal size."""
    others = [s for s in range(4) if s != seat]
    hidden = [c for s in others for c in members(table.record.hands[s])]
    rng.shuffle(hidden)

    def change(record: Any) -> None:
        for s in others:
            size = len(list(members(record.hands[s])))
            mine = card_set(hidden.pop() for _ in range(size))
            record.dealt[s] = record.dealt[s] & ~record.hands[s] | mine
            record.hands[s] = mine
        rng.shuffle(record.pack[:51])

    return changed(table, change)


def plays_remembered(table: Table, seat: int) -> list[tuple[int, int]]:
    """The plays of this deal in order, worked out from one observation alone."""
    seen = features_of(table, seat)
    trick_of = seen["played_trick"]
    player_of = {
        card: offset for offset in range(4) for card in names_at(seen["played"][offset])
    }
    trump = int(np.flatnonzero(seen["trump"])[0])
    leader = (int(np.flatnonzero(seen["dealer"])[0]) + 1) % 4
    plays = []
    for number in range(1, int(trick_of.max()) + 1):
        cards = np.flatnonzero(trick_of == number).tolist()
        cards.sort(key=lambda card: (player_of[card] - leader) % 4)
        plays += [((player_of[card] + seat) % 4, card) for card in cards]
        led = cards[0] // 13
        best = max(cards, key=lambda c: (c // 13 == trump, c // 13 == led, c % 13))
        leader = player_of[best]
    return plays


def test_an_observation_holds_the_whole_play_of_the_deal() -> None:
    for seed in range(40):
        table = whist_game().new_table(seed)
        rng = random.Random(seed)
        played = []
        while not table.is_over:
            card = rng.choice(table.legal_actions())
            played.append((table.agent, card))
            table.apply(card)
            seat = rng.randrange(4)
            assert plays_remembered(table, seat) == played
            own = {card for player, card in played if player == seat}
            own |= names_at(features_of(table, seat)["hand"])
            assert card_set(own) == table.record.dealt[seat]


def test_two_histories_that_a_seat_can_tell_apart_look_different() -> None:
    """Play one deal along many lines; compare each pair of positions met."""
    dealt = whist_game().new_table(8)
    seen: dict[tuple[int, bytes], tuple[Any, ...]] = {}
    for line in range(300):
        table = dealt.clone()
        rng = random.Random(line)
        history: tuple[Any, ...] = ()
        for _ in range(9):
            card = rng.choice(table.legal_actions())
            history += ((table.agent, card),)
            table.apply(card)
            for seat in range(4):
                key = (seat, table.observe(seat).tobytes())
                assert seen.setdefault(key, history) == history
    assert len(seen) > 4 * 1500


def test_the_short_memory_hides_all_but_the_last_trick() -> None:
    """Positions that differ in older tricks alone look alike."""
    full, short = (
        whist_game(history=history).new_table(3) for history in ("all", "last_trick")
    )
    rng = random.Random(3)
    while not full.is_over:
        older = max(0, 4 * (int(full.record.tricks_played) - 1))
        forgotten = set(full.record.history[:older].tolist())
        for seat in range(4):
            remembered, seen = features_of(full, seat), features_of(short, seat)
            for name in ("played", "played_trick"):
                assert (seen[name][..., sorted(forgotten)] == 0).all()
                kept = [card for card in range(52) if card not in forgotten]
                assert (seen[name][..., kept] == remembered[name][..., kept]).all()
            assert not seen["voids"].any()
            assert seen["turned"].any() == (full.record.tricks_played == 0)
            hidden = {"played", "played_trick", "voids", "turned"}
            for name in set(seen) - hidden:
                assert (seen[name] == remembered[name]).all()
        card = rng.choice(full.legal_actions())
        full.apply(card)
        short.apply(card)


def test_the_turned_card_lies_open_until_the_dealer_has_played() -> None:
    table = whist_game(history="last_trick").new_table(1)
    dealer, turned = int(table.record.dealer), int(table.record.turned)
    for _ in range(4):
        for seat in range(4):
            seen = features_of(table, seat)
            assert seen["turned_lies_open"] == 1
            assert names_at(seen["turned"]) == {turned}
        assert single(turned) & table.record.hands[dealer]
        table.apply(table.legal_actions()[0])
    for seat in range(4):
        seen = features_of(table, seat)
        assert seen["turned_lies_open"] == 0
        assert not seen["turned"].any()


def test_waiting_players_are_shown_an_empty_mask() -> None:
    table = whist_game().new_table(0)
    while not table.is_over:
        for seat in range(4):
            mask = table.action_mask(seat)
            if seat == table.agent:
                assert np.flatnonzero(mask).tolist() == table.legal_actions()
                assert mask.any()
            else:
                assert not mask.any()
        table.apply(table.legal_actions()[-1])
    for seat in range(4):
        assert not table.action_mask(seat).any()
    assert not table.action_mask().any()


# Thousands of random rubbers ----------------------------------------------------------

EVERY_WAY = [
    {"scoring": scoring, **length}
    for scoring in PRESETS
    for length in (
        {"episode": "deal"},
        {"episode": "rubber" if scoring in WITH_RUBBERS else "game"},
        {"deals": 3},
    )
]


@pytest.mark.parametrize(
    "how", EVERY_WAY, ids=lambda how: "-".join(map(str, how.values()))
)
def test_laws_hold_at_every_step_of_random_play(how: dict[str, Any]) -> None:
    by_deals = how.get("episode") == "deal" or "deals" in how
    size, steps = (200, 160) if by_deals else (30, 1000)
    tables = Tables(whist_game(**how), size, seed=7, dtype=np.int8)
    low, high = tables.game.features.low, tables.game.features.high
    batch = tables.reset()
    finished = 0
    for _ in range(steps):
        records = tables.records
        check_cards(records)
        check_masks(records, batch.agent, batch.action_mask)
        assert (batch.observation >= low).all()
        assert (batch.observation <= high).all()
        batch = tables.step(tables.sample_actions())
        assert (batch.rewards.sum(axis=1) == 0).all()
        assert (batch.rewards[:, :2] == batch.rewards[:, 2:]).all()
        finished += int(batch.done.sum())
        check_finished(tables.finished[batch.done])
    assert finished >= size // 2


CARD_BITS = np.left_shift(np.uint64(1), np.arange(52, dtype=np.uint64))


def planes(sets: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Sets of cards as planes of 52 truth values."""
    return (sets[..., None] & CARD_BITS) != 0


def check_cards(records: np.ndarray[Any, Any]) -> None:
    """Each card is in one hand or has been played, and hands have the right size."""
    held = planes(records["hands"])
    gone = (records["history"][:, :, None] == np.arange(52)).sum(axis=1)
    assert (held.sum(axis=1) + gone == 1).all()
    assert (gone.sum(axis=1) == records["cards_played"]).all()
    dealt = planes(records["dealt"])
    assert (dealt.sum(axis=1) == 1).all()
    assert (dealt.sum(axis=2) == 13).all()
    has_played = records["trick"] >= 0
    expected = 13 - records["tricks_played"][:, None] - has_played
    assert (held.sum(axis=2) == expected).all()
    assert (records["tricks_won"].sum(axis=1) == records["tricks_played"]).all()


def check_masks(records: Any, agents: Any, mask: Any) -> None:
    """The law of following suit, stated on arrays and apart from the engine."""
    rows = np.arange(len(records))
    assert (records["agent"] == agents).all()
    holds = planes(records["hands"][rows, agents])
    led = records["trick"][rows, records["leader"]] // 13
    in_suit = holds & (np.arange(52) // 13 == led[:, None])
    follows = (records["cards_in_trick"] > 0) & in_suit.any(axis=1)
    expected = np.where(follows[:, None], in_suit, holds)
    assert (mask == expected).all()
    assert mask.any(axis=1).all()


def check_finished(records: Any) -> None:
    assert (records["settlement"].sum(axis=1) == 0).all()
    assert (records["over"] == 1).all()
    assert (records["agent"] == -1).all()
    assert (records["tricks"].sum(axis=1) == 13 * records["deals_played"]).all()
    assert (records["score"] >= 0).all()
    assert (records["above"] <= records["points"]).all()


def test_bounds_hold_for_the_richest_hundred_deals() -> None:
    """Robber, a hundred deals, every one a slam with every honour and sequence."""
    how = {"scoring": "robber", "deals": 100, "honours_counted": 6}
    rich = {"long_sequence": "per_card", "sequence_holder": "side"}
    game = whist_game(dealer=0, **how, **rich)
    table = game.new_table(0)
    richest = deal_with(
        suit_from_the_ace("S", "2"),
        "",
        suit_from_the_ace("H", "8") + " DA DK DQ DJ DT D9",
    )
    low, high = game.features.low, game.features.high
    for _ in range(100):
        table = redeal_rich(table, richest)
        for _ in range(52):
            table.apply(table.legal_actions()[-1])
        for seat in range(4):
            seen = table.observe(seat)
            assert (seen >= low).all()
            assert (seen <= high).all()
        assert features_of(table, 0)["deals_left"] == 100 - table.record.deals_played
    assert table.is_over
    each = 14 + 20 + 6 + 70 + 35 + 30
    # All of the clubs are with the other side.
    assert table.record.points.tolist() == [100 * each, 100 * 35]
    digits = features_of(table, 0)["points"].tolist()
    assert digits == [[1, 75, 0], [0, 35, 0]]
    assert features_of(table, 1)["points"].tolist() == digits[::-1]


def redeal_rich(table: Table, deal: str) -> Table:
    """The table with these hands, and spades for trumps whoever deals."""

    def change(record: Any) -> None:
        record.dealt[:] = record.hands[:] = parse_deal(deal)
        record.trump = 3

    return changed(table, change)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**64 - 1),
    how=st.sampled_from(EVERY_WAY),
    reward=st.sampled_from(["points", "tricks", "match", "settlement"]),
    choices=st.randoms(use_true_random=False),
)
def test_any_episode_ends_settled(
    seed: int, how: dict[str, Any], reward: str, choices: random.Random
) -> None:
    table = whist_game(**how, reward=reward).new_table(seed)
    actions = 0
    while not table.is_over:
        table.apply(choices.choice(table.legal_actions()))
        actions += 1
    record = table.record
    assert actions == record.actions_taken == 52 * record.deals_played
    assert record.settlement[0] == -record.settlement[1]
    assert record.winning_side in (-1, 0, 1)
    assert sum(table.returns()) == 0
    with pytest.raises(IllegalAction, match="the episode is over"):
        table.apply(0)


def test_measures_judge_finished_episodes_by_agent() -> None:
    table = new_table(THREE_FOR_A, scoring="hoyle7", deals=1)
    play_deal(table, 9)
    finished = np.array([table.record], table.record.dtype)
    measures = {
        name: f(finished)[0].tolist() for name, f in whist.RULES[0].measures.items()
    }
    assert measures == {
        "points": [5, -5, 5, -5],
        "tricks": [2.5, -2.5, 2.5, -2.5],
        "settlement": [5, -5, 5, -5],
        "won": [1, 0, 1, 0],
    }
