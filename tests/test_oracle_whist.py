"""The oracle of Whist, held against the worked examples of the rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest
from oracle_whist import (
    PACK,
    RANKS,
    SCORINGS,
    SUITS,
    DealScore,
    IllegalPlay,
    Match,
    Options,
    OracleDeal,
    above_the_line,
    card_id,
    card_name,
    count_honours,
    game_winner,
    left_of,
    partner_of,
    random_deal,
    robber_honours_score,
    rubber_points,
    score_deal,
    sequence_length,
    sequence_score,
    side_of,
    simple_honours_score,
    slam_score,
    winning_card,
)

# In these tests spades are trumps, unless something else is said.


def hands_with(*wanted: str) -> list[list[str]]:
    """Four hands that hold the wanted cards, given by seat and parted by spaces.

    All other cards are dealt round from the ace down, suit by suit, so that neighbours
    in rank go to neighbours at the table: no honours or sequences arise by accident.
    """
    hands = [seat.split() for seat in wanted]
    placed = [card for hand in hands for card in hand]
    seat = 0
    for suit in reversed(SUITS):
        for rank in reversed(RANKS):
            if suit + rank not in placed:
                while len(hands[seat]) == 13:
                    seat = left_of(seat)
                hands[seat].append(suit + rank)
                seat = left_of(seat)
    return hands


# Two of A K Q J to each side. Side A has the ten besides: in robber, where one side
# always holds three of five honours, that is 2 points to A above the line.
NO_HONOURS = hands_with("SA ST", "SK", "SQ", "SJ")
THREE_FOR_A = hands_with("SA SK", "SJ", "SQ", "")
FOUR_FOR_A = hands_with("SA SK", "", "SQ SJ", "")
THREE_FOR_B = hands_with("SJ", "SA SK", "", "SQ")
FOUR_FOR_B = hands_with("", "SA SK", "", "SQ SJ")


def suit_from_the_ace(suit: str, lowest: str) -> str:
    ranks = RANKS[RANKS.index(lowest) :]
    return " ".join(suit + rank for rank in reversed(ranks))


def scored(
    scores: tuple[int, int],
    tricks: tuple[int, int],
    hands: Sequence[Sequence[str]] = NO_HONOURS,
    **options: Any,
) -> DealScore:
    return score_deal(Options(**options), scores, hands, "S", tricks)


def after_deals(
    match: Match, *deals: tuple[Sequence[Sequence[str]], tuple[int, int]]
) -> Match:
    for hands, tricks in deals:
        match.score(hands, "S", tricks)
    return match


def won_by(side: int, tricks: int) -> tuple[Sequence[Sequence[str]], tuple[int, int]]:
    """A deal without honours in which a side takes a number of tricks."""
    return NO_HONOURS, (tricks, 13 - tricks) if side == 0 else (13 - tricks, tricks)


# Cards and seats


def test_card_numbers_run_by_suit_then_rank() -> None:
    assert [card_id(card) for card in ("C2", "CA", "D2", "HT", "S2", "SA")] == [
        0,
        12,
        13,
        34,
        39,
        51,
    ]
    assert [card_name(card_id(card)) for card in PACK] == PACK


@pytest.mark.parametrize("text", ["", "S", "AS", "S1", "S10", "XA"])
def test_text_that_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        card_id(text)


@pytest.mark.parametrize("number", [-1, 52])
def test_a_number_that_is_no_card_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="is not a card number"):
        card_name(number)


def test_partners_sit_opposite() -> None:
    assert [partner_of(seat) for seat in range(4)] == [2, 3, 0, 1]
    assert [left_of(seat) for seat in range(4)] == [1, 2, 3, 0]
    assert [side_of(seat) for seat in range(4)] == [0, 1, 0, 1]


def test_the_dealer_turns_the_last_card_of_the_pack() -> None:
    for dealer in range(4):
        hands, turned = random_deal(random.Random(dealer), dealer)
        assert sorted(chain(*hands)) == sorted(PACK)
        assert hands[dealer][-1] == turned


# Tricks


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("C5 CK D2 CA", "D2"),
        ("C5 HA SA C6", "C6"),
        ("D7 DJ CA D9", "DJ"),
        ("C5 D9 D2 CA", "D9"),
        ("C5 HA SA H6", "C5"),
    ],
)
def test_highest_trump_else_highest_of_the_suit_led_wins(
    cards: str, winner: str
) -> None:
    assert winning_card(cards.split(), trump="D") == winner


def beats(card: str, other: str, suit_led: str, trump: str) -> bool:
    if card[0] == other[0]:
        return RANKS.index(card[1]) > RANKS.index(other[1])
    if trump in (card[0], other[0]):
        return card[0] == trump
    return card[0] == suit_led


def test_the_winner_of_a_trick_is_beaten_by_no_card_of_it() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        cards, trump = rng.sample(PACK, 4), rng.choice(SUITS)
        winner = winning_card(cards, trump)
        assert not any(beats(card, winner, cards[0][0], trump) for card in cards)


# One deal


def test_left_of_the_dealer_leads_and_the_winner_leads_next() -> None:
    for dealer in range(4):
        hands, turned = random_deal(random.Random(dealer), dealer)
        deal = OracleDeal(hands, dealer, turned)
        assert deal.seat_to_move == left_of(dealer)
        leader = deal.seat_to_move
        for place in range(4):
            assert deal.seat_to_move == (leader + place) % 4
            deal.play(deal.legal_cards()[0])
        assert deal.finished_tricks[0].leader == leader
        assert deal.seat_to_move == deal.finished_tricks[0].winner


# Dealer 3 turns the deuce of diamonds, seat 0 leads; seat 1 has one club, seat 2 none.
VOIDS_DEAL = [
    ["C2", "C3", *(f"H{rank}" for rank in "23456789TJQ")],
    ["C4", *(f"S{rank}" for rank in "3456789TJQKA")],
    ["HK", "HA", "S2", *(f"D{rank}" for rank in "456789TJQK")],
    ["D2", "D3", "DA", *(f"C{rank}" for rank in "56789TJQKA")],
]


def test_a_follower_follows_suit_if_he_can_and_else_plays_any_card() -> None:
    deal = OracleDeal(VOIDS_DEAL, dealer=3, turned="D2")
    assert sorted(deal.legal_cards()) == sorted(VOIDS_DEAL[0])
    assert deal.play("C2") is None
    assert deal.legal_cards() == ["C4"]
    deal.play("C4")
    assert sorted(deal.legal_cards()) == sorted(VOIDS_DEAL[2])
    deal.play("HK")
    assert sorted(deal.legal_cards()) == sorted(f"C{rank}" for rank in "56789TJQKA")
    assert deal.play("C5") == 3
    assert deal.tricks == [0, 1]
    assert deal.history == [(0, "C2"), (1, "C4"), (2, "HK"), (3, "C5")]


def test_a_seat_that_does_not_follow_proves_a_void() -> None:
    deal = OracleDeal(VOIDS_DEAL, dealer=3, turned="D2")
    for card in ("C2", "C4", "D4", "C5"):  # seat 2 trumps
        deal.play(card)
    assert deal.voids == [set(), set(), {"C"}, set()]
    for card in ("S2", "DA", "H2", "SA"):  # seat 3 over-trumps, seat 0 throws away
        deal.play(card)
    assert deal.voids == [{"S"}, set(), {"C"}, {"S"}]
    assert [trick.winner for trick in deal.finished_tricks] == [2, 3]
    assert deal.tricks == [1, 1]


def test_the_turned_card_lies_in_view_until_the_dealer_plays() -> None:
    deal = OracleDeal(VOIDS_DEAL, dealer=3, turned="D2")
    for card in ("C2", "C4", "HK"):
        assert deal.turned_card_on_table
        deal.play(card)
    assert deal.turned_card_on_table
    deal.play("C5")
    assert not deal.turned_card_on_table
    assert "D2" in deal.hands[3]


def test_a_revoke_is_refused_and_changes_nothing() -> None:
    deal = OracleDeal(VOIDS_DEAL, dealer=3, turned="D2")
    deal.play("C2")
    for card in ("S3", "C3", "C5", "nonsense"):
        with pytest.raises(IllegalPlay, match="seat 1 may not play"):
            deal.play(card)
    assert deal.history == [(0, "C2")]
    assert deal.seat_to_move == 1
    assert deal.voids == [set(), set(), set(), set()]


def test_no_card_is_legal_after_thirteen_tricks() -> None:
    deal = OracleDeal(VOIDS_DEAL, dealer=3, turned="D2")
    while not deal.is_over:
        deal.play(deal.legal_cards()[0])
    assert deal.legal_cards() == []
    with pytest.raises(IllegalPlay):
        deal.play("C2")


def test_a_deal_that_is_none_is_refused() -> None:
    twice = [list(hand) for hand in VOIDS_DEAL]
    twice[0][0] = "C4"
    uneven = [VOIDS_DEAL[0] + VOIDS_DEAL[1][:1], VOIDS_DEAL[1][1:], *VOIDS_DEAL[2:]]
    with pytest.raises(ValueError, match="each of the 52 cards once"):
        OracleDeal(twice, 3, "D2")
    with pytest.raises(ValueError, match="four hands of thirteen"):
        OracleDeal(uneven, 3, "D2")
    with pytest.raises(ValueError, match="must be in the dealer's hand"):
        OracleDeal(VOIDS_DEAL, 2, "D2")
    with pytest.raises(ValueError, match="dealer is a seat"):
        OracleDeal(VOIDS_DEAL, 4, "D2")


# Honours and sequences


def test_hands_with_gives_no_honours_and_sequences_of_its_own() -> None:
    assert [count_honours(NO_HONOURS, side, "S", "AKQJ") for side in (0, 1)] == [2, 2]
    for holder in ("hand", "side"):
        options = Options(scoring="robber", sequence_holder=holder)
        assert above_the_line(options, NO_HONOURS, 0, "S", 7) == 2
        assert above_the_line(options, NO_HONOURS, 1, "S", 6) == 0


@pytest.mark.parametrize(
    ("hands", "points"),
    [
        (NO_HONOURS, (0, 0)),
        (THREE_FOR_A, (2, 0)),
        (FOUR_FOR_A, (4, 0)),
        (THREE_FOR_B, (0, 2)),
        (FOUR_FOR_B, (0, 4)),
    ],
)
def test_four_honours_count_4_and_three_2(
    hands: list[list[str]], points: tuple[int, int]
) -> None:
    assert tuple(simple_honours_score(hands, side, "S") for side in (0, 1)) == points


def test_only_honours_of_the_trump_suit_count() -> None:
    assert simple_honours_score(FOUR_FOR_A, 0, "S") == 4
    assert [simple_honours_score(FOUR_FOR_A, 0, suit) for suit in "CDH"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("hands", "five", "six"),
    [
        (hands_with("SA SK SQ", "S9", "SJ ST", ""), (5, 0), (5, 0)),
        (hands_with("SA SK SQ", "", "SJ ST S9", ""), (5, 0), (6, 0)),
        (hands_with("SA SK", "SQ", "SJ ST S9", ""), (4, 0), (5, 0)),
        (hands_with("SA SK", "SQ ST", "SJ S9", ""), (2, 0), (4, 0)),
        (hands_with("SA S9", "SQ ST", "SJ", "SK"), (0, 2), (2, 2)),
        (hands_with("SA", "SQ ST", "SJ", "SK S9"), (0, 2), (0, 4)),
    ],
)
def test_robber_counts_five_honours_or_six(
    hands: list[list[str]], five: tuple[int, int], six: tuple[int, int]
) -> None:
    sides = (0, 1)
    assert tuple(robber_honours_score(hands, side, "S", 5) for side in sides) == five
    assert tuple(robber_honours_score(hands, side, "S", 6) for side in sides) == six


def test_slams() -> None:
    assert [slam_score(tricks) for tricks in (0, 11, 12, 13)] == [0, 0, 10, 20]


@pytest.mark.parametrize(
    ("cards", "length"),
    [
        ("", 0),
        ("SK SQ SJ", 0),
        ("SA SQ SJ ST", 1),
        ("SA SK SJ", 2),
        ("S2 SQ SA SK HJ", 3),
        (suit_from_the_ace("S", "8"), 7),
        (suit_from_the_ace("S", "2"), 7),
    ],
)
def test_a_sequence_runs_from_the_ace_down_to_the_eight(
    cards: str, length: int
) -> None:
    assert sequence_length(cards.split(), "S") == length


@pytest.mark.parametrize(
    ("length", "step", "per_card"),
    [
        (1, 0, 0),
        (2, 0, 0),
        (3, 5, 5),
        (4, 10, 10),
        (5, 20, 20),
        (6, 25, 30),
        (7, 30, 35),
    ],
)
def test_sequences_and_their_double_in_trumps(
    length: int, step: int, per_card: int
) -> None:
    assert sequence_score(length, False, "step") == step
    assert sequence_score(length, True, "step") == 2 * step
    assert sequence_score(length, False, "per_card") == per_card
    assert sequence_score(length, True, "per_card") == 2 * per_card


# The ten worked examples of the rules


def test_example_1_awl_and_american() -> None:
    awl = Match(Options(scoring="awl", episode="game"), scores=(5, 3))
    after_deals(awl, won_by(0, 9))
    assert (awl.scores, awl.settlement, awl.winner) == ([7, 3], [4, -4], 0)
    assert awl.points == [2, 0]  # points above seven do not count
    assert awl.totals == [7, 3]
    american = Match(Options(scoring="american", episode="game"), scores=(5, 3))
    after_deals(american, won_by(0, 9))
    assert (american.scores, american.settlement) == ([8, 3], [5, -5])
    assert american.points == [3, 0]


@pytest.mark.parametrize(
    ("count_order", "scores", "winner"),
    [("tricks_first", [7, 6], 0), ("sum", [7, 8], 1)],
)
def test_example_2_hoyle7(count_order: str, scores: list[int], winner: int) -> None:
    options = Options(scoring="hoyle7", episode="game", count_order=count_order)
    match = after_deals(Match(options, scores=(5, 6)), (THREE_FOR_B, (8, 5)))
    assert match.over
    assert (match.scores, match.winner) == (scores, winner)
    assert match.settlement == ([1, -1] if winner == 0 else [-1, 1])


def test_example_3_short5_honours_stop_at_four() -> None:
    score = scored((3, 1), (5, 8), THREE_FOR_A, scoring="short5")
    assert score == DealScore((4, 3), (0, 0), None)


def test_example_4_short5_majority_goes_out_by_honours() -> None:
    options = Options(scoring="short5", episode="game")
    match = after_deals(Match(options), (THREE_FOR_A, (9, 4)))
    assert (match.scores, match.winner) == ([5, 0], 0)
    assert match.rubber_points == [3, 0]
    assert match.settlement == [3, -3]


def test_example_5_short5_out_by_tricks_bars_honours() -> None:
    options = Options(scoring="short5", episode="game")
    match = after_deals(Match(options, scores=(2, 4)), (FOUR_FOR_B, (9, 4)))
    assert (match.scores, match.winner) == ([5, 4], 0)
    assert match.settlement == [1, -1]


def test_example_6_short5_four_stays_four() -> None:
    score = scored((4, 2), (6, 7), FOUR_FOR_A, scoring="short5")
    assert score == DealScore((4, 3), (0, 0), None)


SHORT5_GAMES = {
    "A 5-0": [won_by(0, 11)],
    "A 5-2": [won_by(1, 8), won_by(0, 11)],
    "A 5-3": [won_by(1, 9), won_by(0, 11)],
    "A 5-4": [won_by(1, 10), won_by(0, 11)],
    "B 5-0": [won_by(1, 11)],
    "B 5-4": [won_by(0, 10), won_by(1, 11)],
}


@pytest.mark.parametrize(
    ("games", "value"),
    [
        (("A 5-0", "B 5-4", "A 5-2"), 6),
        (("A 5-3", "A 5-0"), 6),
        (("A 5-0", "A 5-0"), 8),
        (("A 5-4", "A 5-4"), 4),
        (("A 5-4", "B 5-0", "A 5-4"), 1),
        (("B 5-0", "B 5-4"), -6),
    ],
)
def test_example_7_short5_rubbers(games: tuple[str, ...], value: int) -> None:
    match = Match(Options(scoring="short5", episode="rubber"))
    for game in games:
        assert not match.over
        assert match.scores == [0, 0]
        after_deals(match, *SHORT5_GAMES[game])
    assert match.over
    assert match.settlement == [value, -value]
    assert match.winner == (0 if value > 0 else 1)
    assert sorted(match.games) == [len(games) - 2, 2]


def test_example_8_to25() -> None:
    options = Options(scoring="to25", episode="game")
    match = after_deals(Match(options, scores=(24, 20)), won_by(0, 13))
    assert (match.scores, match.winner) == ([31, 20], 0)
    assert match.settlement == [11, -11]


def test_example_9_robber_sequence_and_honours() -> None:
    hands = hands_with("SA SK SQ", "ST", "SJ", "")
    match = after_deals(Match(Options(scoring="robber")), (hands, (9, 4)))
    assert match.scores == [6, 0]
    assert match.above == [14, 0]
    assert match.totals == [20, 0]


def test_example_10_robber_big_slam() -> None:
    hands = hands_with(suit_from_the_ace("S", "T"), "S9", "", "")
    options = Options(scoring="robber", episode="game")
    match = after_deals(Match(options), (hands, (13, 0)))
    assert match.scores == [14, 0]
    assert match.above == [65, 0]
    assert (match.games, match.over) == ([1, 0], True)
    assert match.settlement == [79, -79]


# Presets and their options


def test_odd_tricks_count_for_the_majority_alone() -> None:
    for tricks in range(14):
        odd = (max(tricks - 6, 0), max(13 - tricks - 6, 0))
        for scoring in ("awl", "american", "hoyle7", "to25"):
            assert scored((0, 0), (tricks, 13 - tricks), scoring=scoring).scores == odd
        below = scored((0, 0), (tricks, 13 - tricks), scoring="robber").scores
        assert below == (2 * odd[0], 2 * odd[1])


def test_hands_count_for_nothing_where_honours_do_not() -> None:
    for scoring in ("awl", "american", "to25"):
        assert scored((0, 0), (7, 6), FOUR_FOR_B, scoring=scoring).scores == (1, 0)


@pytest.mark.parametrize(
    ("scoring", "target"),
    [
        ("awl", 7),
        ("american", 7),
        ("hoyle7", 7),
        ("short5", 5),
        ("to25", 25),
        ("robber", 10),
    ],
)
def test_targets_of_the_presets(scoring: str, target: int) -> None:
    assert Options(scoring=scoring).points_for_game == target
    odd = 2 if scoring == "robber" else 1
    short = scored((target - odd - 1, 0), (7, 6), scoring=scoring)
    exact = scored((target - odd, 0), (7, 6), scoring=scoring)
    assert (short.game_winner, exact.game_winner) == (None, 0)


def test_target_replaces_the_points_for_game() -> None:
    match = Match(Options(scoring="awl", episode="game", target=9), scores=(5, 3))
    after_deals(match, won_by(0, 9))
    assert (match.over, match.scores) == (False, [8, 3])
    after_deals(match, won_by(0, 9))
    assert (match.scores, match.settlement) == ([9, 3], [6, -6])


def test_hoyle7_honours_of_both_sides_go_in_when_tricks_do_not_decide() -> None:
    for count_order in ("tricks_first", "sum"):
        score = scored(
            (3, 6), (8, 5), THREE_FOR_B, scoring="hoyle7", count_order=count_order
        )
        assert score == DealScore((5, 8), (0, 0), 1)
        score = scored(
            (4, 6), (7, 6), THREE_FOR_A, scoring="hoyle7", count_order=count_order
        )
        assert score == DealScore((7, 6), (0, 0), 0)


def test_hoyle7_own_honours_add_to_tricks_that_win_only_under_sum() -> None:
    first = scored((5, 0), (8, 5), FOUR_FOR_A, scoring="hoyle7")
    both = scored((5, 0), (8, 5), FOUR_FOR_A, scoring="hoyle7", count_order="sum")
    assert (first.scores, both.scores) == ((7, 0), (11, 0))


def test_hoyle7_equal_sums_past_the_target_play_on() -> None:
    options = Options(scoring="hoyle7", episode="game", count_order="sum")
    match = after_deals(Match(options, scores=(5, 5)), (THREE_FOR_B, (8, 5)))
    assert (match.scores, match.over, match.games) == ([7, 7], False, [0, 0])
    after_deals(match, won_by(1, 7))
    assert (match.scores, match.over, match.winner) == ([7, 8], True, 1)
    assert match.settlement == [-1, 1]


def test_game_winner_is_the_higher_at_or_past_the_target() -> None:
    assert game_winner((6, 6), 7) is None
    assert game_winner((7, 6), 7) == 0
    assert game_winner((7, 8), 7) == 1
    assert game_winner((8, 8), 7) is None
    assert game_winner((80, 8), None) is None


def test_rubber_points_by_the_losers_score() -> None:
    assert [rubber_points(score, 5) for score in range(5)] == [3, 2, 2, 1, 1]
    assert [rubber_points(score, 6) for score in range(6)] == [3, 2, 2, 1, 1, 1]
    assert [rubber_points(score, 1) for score in range(1)] == [3]


def test_short5_honours_stop_one_short_of_any_target() -> None:
    score = scored((3, 1), (5, 8), FOUR_FOR_A, scoring="short5", target=7)
    assert score == DealScore((6, 3), (0, 0), None)


def test_short5_honours_are_not_counted_once_tricks_have_won() -> None:
    score = scored((3, 0), (8, 5), FOUR_FOR_A, scoring="short5")
    assert score == DealScore((5, 0), (0, 0), 0)


def test_short5_surplus_is_lost() -> None:
    match = Match(Options(scoring="short5", episode="rubber"), scores=(4, 2))
    after_deals(match, won_by(0, 9))
    assert (match.games, match.scores, match.rubber_points) == ([1, 0], [0, 0], [2, 0])
    assert match.points == [3, 0]


def test_short5_surplus_is_carried_by_the_winner_alone() -> None:
    options = Options(scoring="short5", episode="rubber", surplus="carried")
    match = after_deals(Match(options, scores=(4, 2)), won_by(0, 9))
    assert (match.games, match.scores) == ([1, 0], [2, 0])
    match = after_deals(Match(options, scores=(2, 4)), won_by(1, 11))
    assert (match.games, match.scores) == ([0, 1], [0, 4])


def test_short5_surplus_of_a_whole_game_wins_the_next_at_once() -> None:
    options = Options(scoring="short5", episode="rubber", surplus="carried")
    match = after_deals(Match(options, scores=(3, 4)), won_by(0, 13))
    assert (match.games, match.over) == ([2, 0], True)
    assert match.rubber_points == [4, 0]
    assert match.settlement == [6, -6]


def test_robber_line_is_drawn_after_a_game() -> None:
    match = Match(Options(scoring="robber", episode="rubber"))
    after_deals(match, won_by(1, 8), won_by(0, 11))
    assert (match.games, match.scores) == ([1, 0], [0, 0])
    # Figures below a drawn line still count.
    assert match.totals == [10 + 2 + 2, 4]


def test_robber_rubber_two_nil() -> None:
    match = Match(Options(scoring="robber", episode="rubber"))
    after_deals(match, won_by(0, 11), won_by(0, 11))
    assert (match.over, match.games) == (True, [2, 0])
    assert match.totals == [10 + 10 + 2 * 2, 0]
    assert (match.settlement, match.winner) == ([24, -24], 0)


def test_robber_rubber_two_one() -> None:
    match = Match(Options(scoring="robber", episode="rubber"))
    after_deals(match, won_by(0, 11), won_by(1, 11))
    assert (match.over, match.games) == (False, [1, 1])
    after_deals(match, won_by(0, 11))
    assert (match.over, match.games) == (True, [2, 1])
    assert match.totals == [10 + 10 + 3 * 2, 10]
    assert (match.settlement, match.winner) == ([16, -16], 0)


# B holds three of the five honours and hearts from the ace to the eight: 2 + 30.
RICH_FOR_B = hands_with("SA", "SK " + suit_from_the_ace("H", "8"), "SQ", "SJ ST")


def test_robber_the_loser_of_the_rubber_may_win_more_points() -> None:
    match = Match(Options(scoring="robber", episode="rubber"))
    after_deals(match, (RICH_FOR_B, (11, 2)), (RICH_FOR_B, (11, 2)))
    assert (match.games, match.totals) == ([2, 0], [20, 64])
    assert (match.settlement, match.winner) == ([-44, 44], 1)


def test_robber_game_goes_to_its_winner_whatever_the_points() -> None:
    match = Match(Options(scoring="robber", episode="game", reward="match"))
    after_deals(match, (RICH_FOR_B, (11, 2)))
    assert (match.settlement, match.winner) == ([10 - 32, 32 - 10], 0)


def test_robber_rubber_of_equal_totals_has_no_winner() -> None:
    hearts = suit_from_the_ace("H", "J")  # worth as much as five odd tricks
    honours_to_a = hands_with("SA ST HT", "SK " + hearts, "SQ", "SJ")
    honours_to_b = hands_with("SA HT", "SK " + hearts, "SQ", "SJ ST")
    match = Match(Options(scoring="robber", episode="rubber"))
    after_deals(match, (honours_to_a, (11, 2)), (honours_to_b, (11, 2)))
    assert match.over
    assert match.totals == [22, 22]
    assert (match.settlement, match.winner) == ([0, 0], None)


def test_robber_rubber_bonus_goes_above_the_line_of_the_rubbers_winner() -> None:
    match = Match(Options(scoring="robber", episode="rubber", rubber_bonus=10))
    after_deals(match, won_by(1, 11), won_by(0, 11))
    assert match.above == [2 + 2, 0]
    after_deals(match, won_by(0, 11))
    assert match.above == [2 + 2 + 2 + 10, 0]
    assert match.points == [10 + 2 + 10, 0]
    assert match.settlement == [26, -26]


def test_robber_rubber_bonus_is_not_paid_for_a_game() -> None:
    match = Match(Options(scoring="robber", episode="game", rubber_bonus=10))
    after_deals(match, won_by(0, 11))
    assert match.settlement == [12, -12]


def robber_above(
    hands: Sequence[Sequence[str]], tricks: tuple[int, int], **options: Any
) -> tuple[int, int]:
    return scored((0, 0), tricks, hands, scoring="robber", **options).above


def test_robber_slam_is_a_bonus_or_replaces_honours() -> None:
    hands = hands_with("SA SQ", "ST", "SK SJ", "")
    for tricks, slam in (((12, 1), 10), ((13, 0), 20)):
        assert robber_above(hands, tricks) == (slam + 4, 0)
        assert robber_above(hands, tricks, slam="replaces_honours") == (slam, 0)
    assert robber_above(hands, (11, 2), slam="replaces_honours") == (4, 0)


def test_robber_slam_leaves_the_honours_of_the_other_side() -> None:
    hands = hands_with("", "SA SQ", "ST", "SK SJ")
    assert robber_above(hands, (13, 0), slam="replaces_honours") == (20, 4)


def test_robber_sequence_is_held_by_one_hand_or_by_a_side() -> None:
    hands = hands_with("SA SJ HA HQ", "SK ST HT", "HK HJ", "SQ")
    assert robber_above(hands, (7, 6)) == (0, 2)
    assert robber_above(hands, (7, 6), sequence_holder="side") == (10, 2)


def test_robber_counts_sequences_in_every_suit_and_for_both_sides() -> None:
    hands = hands_with(
        "SA SK SQ HA HK HQ HJ",
        "SJ CA CK CQ",
        "HT D9 CJ",
        "ST DA DK DQ DJ DT",
    )
    assert robber_above(hands, (7, 6)) == (2 + 10 + 10, 5 + 20)


def test_robber_long_sequences() -> None:
    spades, hearts = suit_from_the_ace("S", "9"), suit_from_the_ace("H", "8")
    hands = hands_with(spades, hearts, "S8", "")
    assert robber_above(hands, (7, 6)) == (5 + 50, 30)
    assert robber_above(hands, (7, 6), long_sequence="per_card") == (5 + 60, 35)


def test_robber_trump_sequence_and_honours_or_the_higher_of_the_two() -> None:
    hands = hands_with("SA SK SQ HA HK HQ", "ST HJ", "SJ", "")
    assert robber_above(hands, (7, 6)) == (4 + 10 + 5, 0)
    assert robber_above(hands, (7, 6), trump_sequence_and_honours="one") == (10 + 5, 0)
    apart = hands_with("SA SK", "ST HA HK HQ", "SQ SJ", "HJ")
    assert robber_above(apart, (7, 6), trump_sequence_and_honours="one") == (4, 5)


def test_robber_slam_that_replaces_honours_leaves_the_trump_sequence() -> None:
    hands = hands_with("SA SK SQ", "ST", "SJ", "")
    for counted in ("both", "one"):
        above = robber_above(
            hands,
            (13, 0),
            slam="replaces_honours",
            trump_sequence_and_honours=counted,
        )
        assert above == (20 + 10, 0)


# The end of a match


@pytest.mark.parametrize("scoring", SCORINGS)
def test_one_deal_is_the_default_end(scoring: str) -> None:
    match = after_deals(Match(Options(scoring=scoring), scores=(1, 2)), won_by(1, 8))
    points = [2, 4] if scoring == "robber" else [0, 2]
    assert match.over
    assert (match.points, match.settlement) == (points, [-2, 2])
    assert match.winner == 1
    with pytest.raises(ValueError, match="the match is over"):
        match.score(NO_HONOURS, "S", (7, 6))


def test_one_deal_of_equal_points_has_no_winner() -> None:
    hands = hands_with("SJ", "SA SK", "", "SQ")
    match = after_deals(Match(Options(scoring="hoyle7")), (hands, (8, 5)))
    assert (match.points, match.settlement, match.winner) == ([2, 2], [0, 0], None)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_fixed_number_of_deals_has_no_target(scoring: str) -> None:
    match = Match(Options(scoring=scoring, deals=3))
    after_deals(match, won_by(0, 12), (FOUR_FOR_B, (11, 2)))
    assert not match.over
    after_deals(match, won_by(1, 8))
    assert match.over
    expected = {"awl": [11, 2], "american": [11, 2], "to25": [11, 2]} | {
        "hoyle7": [11, 6],
        "short5": [11, 6],
        "robber": [(12 + 10 + 2) + 10 + 2, 4 + 4],
    }
    assert match.totals == expected[scoring]
    difference = match.totals[0] - match.totals[1]
    assert match.settlement == [difference, -difference]
    assert match.winner == 0
    assert match.games == [0, 0]
    if scoring != "robber":
        assert match.scores == match.totals


def test_a_fixed_number_of_robber_deals_draws_no_lines() -> None:
    match = Match(Options(scoring="robber", deals=4))
    after_deals(match, *[won_by(0, 11)] * 4)
    assert (match.scores, match.games) == ([40, 0], [0, 0])


def test_a_fixed_number_of_deals_may_be_drawn() -> None:
    match = Match(Options(deals=2))
    after_deals(match, won_by(0, 9), won_by(1, 9))
    assert (match.over, match.settlement, match.winner) == (True, [0, 0], None)


def test_the_dealer_rotates_to_the_left() -> None:
    match = Match(Options(deals=5), dealer=2)
    dealers = []
    for _ in range(5):
        dealers.append(match.dealer)
        after_deals(match, won_by(0, 7))
    assert dealers == [2, 3, 0, 1, 2]


# Rewards


def played_out(rng: random.Random, match: Match) -> list[list[list[int]]]:
    """Play a match at random; rewards of every play, by deal."""
    rewards_by_deal = []
    while not match.over:
        deal = match.start_deal(*random_deal(rng, match.dealer))
        rewards = []
        while not deal.is_over:
            rewards.append(match.play(rng.choice(deal.legal_cards())))
        rewards_by_deal.append(rewards)
    return rewards_by_deal


def test_points_are_paid_at_the_end_of_each_deal() -> None:
    match = Match(Options(scoring="american", deals=3))
    rng = random.Random(3)
    for _ in range(3):
        deal = match.start_deal(*random_deal(rng, match.dealer))
        for _ in range(51):
            assert match.play(rng.choice(deal.legal_cards())) == [0, 0, 0, 0]
        last = match.play(deal.legal_cards()[0])
        gain = deal.tricks[0] - 6 if deal.tricks[0] > 6 else 6 - deal.tricks[1]
        assert last == [gain, -gain, gain, -gain]


def test_tricks_are_paid_as_they_are_taken() -> None:
    match = Match(Options(reward="tricks"))
    (rewards,) = played_out(random.Random(4), match)
    assert match.deal is not None
    for index, trick in enumerate(match.deal.finished_tricks):
        assert rewards[4 * index : 4 * index + 3] == [[0, 0, 0, 0]] * 3
        sign = 1 if trick.winner in (0, 2) else -1
        assert rewards[4 * index + 3] == [sign, -sign, sign, -sign]
    taken, lost = match.deal.tricks
    assert sum(vector[0] for vector in rewards) == taken - lost


@pytest.mark.parametrize("reward", ["match", "settlement"])
def test_the_result_is_paid_once_at_the_end(reward: str) -> None:
    options = Options(scoring="short5", episode="rubber", reward=reward)
    for seed in range(10):
        match = Match(options)
        rewards = list(chain(*played_out(random.Random(seed), match)))
        assert rewards[:-1] == [[0, 0, 0, 0]] * (len(rewards) - 1)
        side_0 = match.settlement[0]
        if reward == "match":
            side_0 = 1 if match.games[0] == 2 else -1
        assert rewards[-1] == [side_0, -side_0, side_0, -side_0]


def test_a_drawn_match_pays_nobody() -> None:
    drawn = 0
    for seed in range(60):
        match = Match(Options(scoring="american", deals=2, reward="match"))
        rewards = list(chain(*played_out(random.Random(seed), match)))
        if match.totals[0] == match.totals[1]:
            drawn += 1
            assert rewards[-1] == [0, 0, 0, 0]
        else:
            assert rewards[-1] in ([1, -1, 1, -1], [-1, 1, -1, 1])
    assert drawn > 0


# Whole deals by play


def test_one_hand_of_trumps_takes_every_trick() -> None:
    """The dealer holds all spades and everyone else a suit of his own."""
    hands = [[suit + rank for rank in RANKS] for suit in "SHDC"]
    match = Match(Options(scoring="robber", episode="game"))
    deal = match.start_deal(hands, "S5")
    while not deal.is_over:
        match.play(deal.legal_cards()[0])
    assert deal.tricks == [13, 0]
    assert [trick.winner for trick in deal.finished_tricks] == [0] * 13
    # Seat 1 led a heart, then the dealer led spades to the end.
    assert deal.voids == [{"H"}, {"S"}, {"H", "S"}, {"H", "S"}]
    # Slam 20, honours 5, trump sequence 60, partner's diamonds 30; two runs of 30.
    assert match.above == [20 + 5 + 60 + 30, 30 + 30]
    assert match.scores == [14, 0]


def test_a_deal_must_be_started_and_finished() -> None:
    match = Match(Options(deals=2))
    with pytest.raises(ValueError, match="no deal is in play"):
        match.play("SA")
    hands, turned = random_deal(random.Random(5), 0)
    match.start_deal(hands, turned)
    with pytest.raises(ValueError, match="has not been finished"):
        match.start_deal(hands, turned)


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": "bridge"}, "scoring is one of"),
        ({"episode": "session"}, "episode is one of"),
        ({"episode": "rubber"}, "played in rubbers"),
        ({"scoring": "to25", "episode": "rubber"}, "played in rubbers"),
        ({"deals": 0}, "deals is None or at least 1"),
        ({"target": 0}, "target is None or at least 1"),
        ({"reward": "money"}, "reward is one of"),
        ({"count_order": "honours"}, "count_order is one of"),
        ({"surplus": "kept"}, "surplus is one of"),
        ({"honours_counted": 4}, "honours_counted is 5 or 6"),
        ({"rubber_bonus": -1}, "rubber_bonus is at least 0"),
        ({"slam": "none"}, "slam is one of"),
        ({"sequence_holder": "table"}, "sequence_holder is one of"),
        ({"long_sequence": "none"}, "long_sequence is one of"),
        ({"trump_sequence_and_honours": "none"}, "trump_sequence_and_honours is one"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Options(**options)


def test_starting_scores_must_be_in_a_game() -> None:
    for scores in ((7, 0), (0, 9), (-1, 0)):
        with pytest.raises(ValueError, match="are not in a game"):
            Match(Options(), scores=scores)
    assert Match(Options(deals=1), scores=(70, 0)).totals == [70, 0]


def test_a_deal_has_thirteen_tricks() -> None:
    with pytest.raises(ValueError, match="13 tricks"):
        Match().score(NO_HONOURS, "S", (7, 7))


# Random matches


def random_options(rng: random.Random) -> Options:
    scoring = rng.choice(SCORINGS)
    episodes = ["deal", "game"] + ["rubber"] * (scoring in ("short5", "robber"))
    return Options(
        scoring=scoring,
        episode=rng.choice(episodes),
        deals=rng.choice([None, None, 1, 3]),
        target=rng.choice([None, None, 1, 2, 9]),
        reward=rng.choice(["points", "tricks", "match", "settlement"]),
        count_order=rng.choice(["tricks_first", "sum"]),
        surplus=rng.choice(["lost", "carried"]),
        honours_counted=rng.choice([5, 6]),
        rubber_bonus=rng.choice([0, 10]),
        slam=rng.choice(["bonus", "replaces_honours"]),
        sequence_holder=rng.choice(["hand", "side"]),
        long_sequence=rng.choice(["step", "per_card"]),
        trump_sequence_and_honours=rng.choice(["both", "one"]),
    )


def check_finished_deal(deal: OracleDeal) -> None:
    assert sorted(card for _, card in deal.history) == sorted(PACK)
    assert all(card in deal.dealt[seat] for seat, card in deal.history)
    assert len(deal.finished_tricks) == sum(deal.tricks) == 13
    assert [play for trick in deal.finished_tricks for play in trick.plays] == (
        deal.history
    )
    assert deal.hands == [[], [], [], []]
    check_that_voids_were_true(deal)


def check_that_voids_were_true(deal: OracleDeal) -> None:
    """A seat that once failed to follow a suit plays no card of it afterwards."""
    void: set[tuple[int, str]] = set()
    for trick in deal.finished_tricks:
        suit_led = trick.plays[0][1][0]
        for seat, card in trick.plays:
            assert (seat, card[0]) not in void
            if card[0] != suit_led:
                void.add((seat, suit_led))
    assert void == {(seat, suit) for seat in range(4) for suit in deal.voids[seat]}


def check_finished_match(match: Match) -> None:
    options = match.options
    assert sum(match.settlement) == 0
    assert min(match.scores + match.totals + match.above) >= 0
    if match.winner is None:
        assert match.settlement == [0, 0]
    if options.scoring != "robber":
        assert match.above == [0, 0]
    if options.deals is not None:
        assert (match.deals_scored, match.games) == (options.deals, [0, 0])
    elif options.episode == "deal":
        assert match.deals_scored == 1
    else:
        assert max(match.games) == (2 if options.episode == "rubber" else 1)


def test_random_matches_keep_the_accounts() -> None:
    rng = random.Random(6)
    for _ in range(300):
        options = random_options(rng)
        match = Match(options, dealer=rng.randrange(4))
        points = [0, 0]
        paid = [0, 0, 0, 0]
        while not match.over:
            deal = match.start_deal(*random_deal(rng, match.dealer))
            while not deal.is_over:
                vector = match.play(rng.choice(deal.legal_cards()))
                assert sum(vector) == 0
                assert vector[0] == vector[2]
                assert vector[1] == vector[3]
                paid = [sum(pair) for pair in zip(paid, vector, strict=True)]
            check_finished_deal(deal)
            assert match.dealer == left_of(deal.dealer)
            points = [sum(pair) for pair in zip(points, match.points, strict=True)]
        check_finished_match(match)
        assert points == match.totals
        if options.reward == "points":
            assert paid[0] == match.totals[0] - match.totals[1]
        if options.reward == "settlement":
            assert paid[0] == match.settlement[0]
