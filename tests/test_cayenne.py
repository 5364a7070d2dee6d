"""Cayenne by its rule sheet: every example, every option, every phase."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import oracle_cayenne as oracle
import pytest
from contract import Options, contract
from whist_tables import deal_with, play_deal

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import card_set, members, parse_card, parse_deal
from whist_env.engine.partners import points_made, won
from whist_env.engine.record import begin_action
from whist_env.games import cayenne


class CayenneReferee:
    """The slow oracle of Cayenne as a referee."""

    match: oracle.Match
    current: oracle.Deal | None = None

    def __init__(self, options: Options) -> None:
        known = {field.name for field in dataclasses.fields(oracle.Options)}
        own = {name: value for name, value in options.items() if name in known}
        self.options = oracle.Options(**own)

    def deal(self, table: Table) -> None:
        record = table.record
        if self.current is None:
            scores, games = record.score.tolist(), record.games.tolist()
            self.match = oracle.Match(self.options, int(record.dealer), scores, games)
        assert self.match.dealer == record.dealer
        hands = [[oracle.PACK[card] for card in members(h)] for h in record.hands]
        self.current = self.match.start_deal(hands, oracle.PACK[int(record.cut)])
        self.played: set[int] = set()

    def agent(self) -> int:
        assert self.current is not None
        return -1 if self.match.over else self.current.seat

    def legal_actions(self) -> list[int]:
        assert self.current is not None
        return sorted(map(oracle.ACTIONS.index, self.current.legal()))

    def play(self, action: int) -> list[int]:
        self.played.add(action)
        return self.match.play(oracle.ACTIONS[action])

    def knows(self, agent: int) -> set[int]:
        assert self.current is not None
        return self.played | set(map(oracle.PACK.index, self.current.dealt[agent]))


TestCayenne = contract(
    "cayenne",
    CayenneReferee,
    {},
    {"episode": "rubber"},
    {"episode": "game", "reward": "match", "nullo_ace": "low"},
    {"deals": 3, "reward": "tricks", "nullo_ace": "high", "history": "last_trick"},
    {
        "episode": "rubber",
        "rubber_games": 2,
        "loser_score": "kept",
        "dealer": 2,
        "trick_side_honours": "stop",
        "last_deal": "stops",
        "third_red": "diamonds",
    },
)

# Helpers ----------------------------------------------------------------------------

# Seat 0 deals and hearts are cayenne, unless something else is said. A is side 0 and B
# is side 1.

TRUMP_DECLARATIONS = oracle.DECLARATIONS[:4]


def honours(suit: str, for_a: int) -> str:
    """A deal in which A has so many honours of a suit, and B the rest."""
    cards = [suit + rank for rank in "AKQJT"]
    first, second = cards[:for_a], cards[for_a:]
    return deal_with(
        *(" ".join(half) for half in (first[::2], second[::2])),
        *(" ".join(half) for half in (first[1::2], second[1::2])),
    )


ANY_DEAL = deal_with()
POSITION = ("cut", "dealer", "scores", "games")


def cayenne_game(**options: Any) -> whist_env.Game:
    return whist_env.game("cayenne", **options)


def new_table(deal: str | None = ANY_DEAL, seed: int = 0, **how: Any) -> Table:
    """A table with a deal on it; options and the parts of a position as keywords."""
    position = {key: how.pop(key) for key in POSITION if key in how}
    position = {"cut": "H7", "dealer": 0, **position}
    return cayenne_game(**how).new_table(seed, deal=deal, **position)


def do(table: Table, *names: str) -> Table:
    for name in names:
        table.apply(oracle.ACTIONS.index(name))
    return table


def may(table: Table) -> list[str]:
    return [oracle.ACTIONS[action] for action in table.legal_actions()]


def feature(table: Table, agent: int, name: str) -> Any:
    return table.game.features.part(table.observe(agent), name).astype(int)


def scored(declared: str, tricks: int, deal: str = ANY_DEAL, **how: Any) -> Any:
    """The record after a deal of seat 0 in which A takes this many tricks."""
    position = {key: how.pop(key) for key in POSITION if key in how}
    position = {"cut": "H7", "dealer": 0, **position}
    record = cayenne_game(**how).new_records(1)[0]
    record.deal_number = -1
    cayenne.set_up(record, deal=deal, **position)
    enter(record, declared, tricks)
    return record


def enter(record: Any, declared: str, tricks: int, deal: str | None = None) -> None:
    """Score the deal on the table as if it had been played with this result."""
    if deal is not None:
        record.dealt[:] = parse_deal(deal)
    cayenne.declare(record, oracle.ACTIONS.index(declared))
    record.tricks_won[:] = [tricks, 13 - tricks, 0, 0]
    record.tricks_played = 13
    begin_action(record)
    cayenne.end_deal(record)


def state_of(record: Any) -> tuple[list[int], list[int], list[int]]:
    """The totals, the games and the running scores."""
    return record.points.tolist(), record.games.tolist(), record.score.tolist()


# The worked examples of the rules ---------------------------------------------------


def test_cayenne_with_three_odd_tricks_and_three_honours_wins_two_games() -> None:
    record = scored("hearts", 9, honours("H", 3))
    assert state_of(record) == ([20, 0], [2, 0], [0, 0])


def test_the_other_side_stops_at_nine_by_honours() -> None:
    record = scored("spades", 7, honours("S", 1), scores=(6, 8), episode="game")
    assert state_of(record) == ([7, 9], [0, 0], [7, 9])
    assert not record.over


def test_tricks_at_nullo_count_for_the_adversaries() -> None:
    record = scored("nullo", 5, scores=(3, 0), episode="game")
    assert state_of(record) == ([19, 0], [1, 0], [9, 0])


def test_four_odd_tricks_at_grand_win_three_games() -> None:
    record = scored("grand", 10, episode="rubber")
    assert state_of(record) == ([32, 0], [3, 0], [2, 0])
    assert not record.over


def test_the_value_of_a_rubber() -> None:
    record = cayenne_game(episode="rubber", dealer=0).new_records(1)[0]
    record.deal_number = -1
    cayenne.set_up(record, games=(3, 2), scores=(9, 4), cut="H7")
    record.points[:] = [57 - 4, 31]
    enter(record, "hearts", 7, honours("H", 2))
    assert record.over
    assert state_of(record) == ([57 + 8, 31], [4, 2], [3, 0])
    judged = cayenne.RULES[0].measures["points"](np.array([record]))[0].tolist()
    assert judged == [34, -34, 34, -34]
    assert record.winning_side == 0


def test_a_side_scores_no_honours_where_the_other_goes_out_by_cards() -> None:
    record = scored("clubs", 8, honours("C", 2), scores=(7, 0), episode="rubber")
    assert state_of(record) == ([11, 0], [1, 0], [1, 0])


# What tricks count ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "values"),
    [
        # Clubs, diamonds, hearts, spades.
        ("H", [2, 3, 4, 1]),
        ("D", [2, 4, 3, 1]),
        ("C", [4, 1, 2, 3]),
        ("S", [3, 1, 2, 4]),
    ],
)
@pytest.mark.parametrize("rank", "2A")
def test_suits_rank_by_the_suit_of_the_cut_card(
    cut: str, rank: str, values: list[int]
) -> None:
    for declared, value in zip(TRUMP_DECLARATIONS, values, strict=True):
        table = do(new_table(cut=cut + rank), declared)
        assert feature(table, 2, "trick_value") == value
        record = scored(declared, 8, honours(declared[0].upper(), 2), cut=cut + rank)
        assert record.points[0] == 2 * value


@pytest.mark.parametrize(
    ("options", "cut", "values"),
    [
        ({"third_black": "spades"}, "H", [1, 3, 4, 2]),
        ({"third_black": "spades"}, "D", [1, 4, 3, 2]),
        ({"third_black": "spades"}, "C", [4, 1, 2, 3]),
        ({"third_red": "diamonds"}, "C", [4, 2, 1, 3]),
        ({"third_red": "diamonds"}, "S", [3, 2, 1, 4]),
        ({"third_red": "diamonds"}, "D", [2, 4, 3, 1]),
    ],
)
def test_the_third_and_the_fourth_suit_may_change_places(
    options: Options, cut: str, values: list[int]
) -> None:
    seen = [
        feature(do(new_table(cut=cut + "9", **options), declared), 0, "trick_value")
        for declared in TRUMP_DECLARATIONS
    ]
    assert seen == values


@pytest.mark.parametrize("tricks", range(14))
@pytest.mark.parametrize("cut", ["H7", "S7"])
def test_grand_and_nullo_count_eight_whatever_is_cut(tricks: int, cut: str) -> None:
    no_slams: Options = {"little_slam": 0, "grand_slam": 0, "deals": 1, "cut": cut}
    over, under = 8 * max(0, tricks - 6), 8 * max(0, 7 - tricks)
    assert scored("grand", tricks, **no_slams).points.tolist() == [over, under]
    assert scored("nullo", tricks, **no_slams).points.tolist() == [under, over]


def test_the_side_with_the_odd_trick_scores_it_whoever_declared() -> None:
    for dealer in range(4):
        table = do(new_table(honours("H", 2), dealer=dealer), "hearts")
        play_deal(table, 5)
        assert table.record.declarer == dealer
        # B took two odd tricks and had three honours.
        assert table.record.points.tolist() == [0, 4 * 2 + 4 * 2]


# Honours and slams ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "points"), [(0, 0), (1, 0), (2, 0), (3, 2), (4, 4), (5, 6)]
)
def test_honours_count_by_the_value_of_a_trick(held: int, points: int) -> None:
    for declared in TRUMP_DECLARATIONS:
        deal = honours(declared[0].upper(), held)
        other = {0: 6, 1: 4, 2: 2}.get(held, 0)
        for cut in ("H7", "C7"):
            record = scored(declared, 7, deal, cut=cut, deals=1)
            value = oracle.value_of(oracle.Options(), declared, cut[0])
            assert record.points.tolist() == [(1 + points) * value, other * value]


def test_honours_in_one_hand_and_in_two_count_alike() -> None:
    for deal in (deal_with("HA HK HQ", "HJ", "", "HT"), honours("H", 3)):
        assert scored("hearts", 7, deal, deals=1).points.tolist() == [4 + 8, 0]


def test_there_are_no_honours_at_grand_and_nullo() -> None:
    deal = deal_with("SA SK SQ SJ ST HA HK HQ HJ HT DA CA", "", "DK CK")
    assert scored("grand", 7, deal, deals=1).points.tolist() == [8, 0]
    assert scored("nullo", 7, deal, deals=1).points.tolist() == [0, 8]


@pytest.mark.parametrize(
    ("options", "trumps", "grand"),
    [
        ({}, [16, 24], [32, 48]),
        ({"little_slam": 20, "grand_slam": 0}, [80, 0], [160, 0]),
        ({"slams_multiplied": False}, [4, 6], [4, 6]),
        ({"slams": "suits"}, [16, 24], [0, 0]),
    ],
)
def test_slams_count_by_the_options(
    options: Options, trumps: list[int], grand: list[int]
) -> None:
    deal = honours("H", 0)
    for side in (0, 1):
        for index, tricks in enumerate((12, 13)):
            taken = tricks if side == 0 else 13 - tricks
            odd = tricks - 6
            record = scored("hearts", taken, deal, deals=1, **options)
            # B holds all honours.
            others = 24 if side == 1 else 0
            assert record.points[side] == 4 * odd + others + trumps[index]
            assert record.points[1 - side] == 24 - others
            record = scored("grand", taken, deal, deals=1, **options)
            assert record.points[side] == 8 * odd + grand[index]
            record = scored("nullo", taken, deal, deals=1, **options)
            assert record.points.tolist()[side] == 0
            assert record.points[1 - side] == 8 * odd


def test_slams_count_toward_game() -> None:
    # Six odd tricks in spades and four for the slam.
    record = scored("spades", 12, honours("S", 2), episode="rubber")
    assert state_of(record) == ([10, 2], [1, 0], [0, 0])


# Games of ten -----------------------------------------------------------------------


def test_tricks_are_added_before_honours() -> None:
    """B could go to nine by honours, but A wins a game by tricks first."""
    deal = honours("H", 1)
    record = scored("hearts", 8, deal, scores=(2, 0), episode="rubber")
    assert state_of(record) == ([10, 0], [1, 0], [0, 0])
    record = scored("hearts", 8, deal, scores=(1, 0), episode="rubber")
    assert state_of(record) == ([9, 9], [0, 0], [9, 9])


@pytest.mark.parametrize("before", range(10))
def test_a_side_without_the_odd_trick_never_goes_out(before: int) -> None:
    record = scored("hearts", 7, honours("H", 0), scores=(0, before), episode="game")
    assert state_of(record) == ([4, 9], [0, 0], [4, 9])
    assert record.reward[0] == 4 - (9 - before)


def test_without_games_nobody_stops_at_nine() -> None:
    record = scored("hearts", 13, honours("H", 0), deals=2)
    assert state_of(record) == ([28 + 24, 24], [0, 0], [0, 0])


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("reset", ([12, 7], [1, 0], [2, 0])),
        ("kept", ([12, 7], [1, 0], [2, 7])),
    ],
)
def test_the_losers_score_is_reset_or_kept(
    reading: str, expected: tuple[list[int], ...]
) -> None:
    record = scored(
        "hearts",
        8,
        honours("H", 2),
        scores=(4, 7),
        episode="rubber",
        loser_score=reading,
    )
    assert state_of(record) == expected


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("may_win", ([5 + 8 + 8, 0], [2, 0], [1, 0])),
        ("stop", ([5 + 8 + 6, 0], [1, 0], [9, 0])),
    ],
)
def test_honours_of_the_trick_side_win_games_or_stop_at_nine(
    reading: str, expected: tuple[list[int], ...]
) -> None:
    how = {"scores": (5, 0), "episode": "rubber", "trick_side_honours": reading}
    record = scored("hearts", 8, honours("H", 3), **how)
    assert state_of(record) == expected


@pytest.mark.parametrize(
    ("reading", "total"), [("counts", 7 + 28 + 8 + 24), ("stops", 20)]
)
def test_the_deal_that_decides_a_rubber_counts_whole_or_to_the_last_game(
    reading: str, total: int
) -> None:
    """Seven odd tricks, three honours and the grand slam, where 13 points win."""
    how = {"games": (2, 3), "scores": (7, 5), "episode": "rubber"}
    record = scored("hearts", 13, honours("H", 3), last_deal=reading, **how)
    assert record.over
    assert record.points.tolist() == [total + 8, 5]
    assert record.games[0] == (2 + total // 10 if reading == "counts" else 4)
    assert record.games[1] == 3
    assert record.winning_side == 0
    assert record.reward[0] == total + 8 - 7


def test_several_games_may_end_in_one_deal_and_the_surplus_is_carried() -> None:
    record = scored("grand", 9, scores=(7, 9), episode="rubber")
    assert state_of(record) == ([31, 9], [3, 0], [1, 0])
    enter(record, "nullo", 8)
    assert state_of(record) == ([31, 25], [3, 1], [0, 6])
    enter(record, "grand", 8)
    assert record.over
    assert state_of(record) == ([47 + 8, 25], [4, 1], [6, 0])


# Deals, games, rubbers --------------------------------------------------------------


def test_a_game_ends_with_the_deal_in_which_it_is_won() -> None:
    for before, over in ((5, False), (6, True)):
        record = scored(
            "hearts", 7, honours("H", 2), episode="game", scores=(before, 0)
        )
        assert record.over == over
        assert record.winning_side == (0 if over else -1)


@pytest.mark.parametrize("games", [1, 4, 10])
def test_a_rubber_has_as_many_games_as_the_option_says(games: int) -> None:
    how = {"episode": "rubber", "rubber_games": games}
    record = scored("spades", 7, honours("S", 2), scores=(9, 0), **how)
    for finished in range(1, games):
        assert not record.over
        assert record.games[0] == finished
        record.score[:] = [9, 0]
        enter(record, "spades", 7, honours("S", 2))
    assert record.over
    assert record.games[0] == games


def test_a_rubber_is_won_by_games_even_where_its_value_is_negative() -> None:
    how = {"episode": "rubber", "reward": "match", "rubber_games": 1}
    record = cayenne_game(**how, dealer=0).new_records(1)[0]
    record.deal_number = -1
    cayenne.set_up(record, scores=(9, 0), cut="H7")
    record.points[1] = 40
    enter(record, "hearts", 7, honours("H", 2))
    assert record.points.tolist() == [9 + 4 + 8, 40]
    assert record.reward.tolist() == [1, -1, 1, -1]
    assert won(np.array([record]))[0].tolist() == [1, 0, 1, 0]


def test_a_number_of_deals_adds_up() -> None:
    record = scored("grand", 8, deals=3)
    for declared, tricks in (("nullo", 8), ("grand", 7)):
        assert not record.over
        enter(record, declared, tricks)
    assert record.over
    assert state_of(record) == ([24, 16], [0, 0], [0, 0])
    assert record.winning_side == 0
    # Two, one, and at nullo two for the other side.
    assert record.tricks.tolist() == [8 + 5 + 7, 5 + 8 + 6]


def test_equal_points_have_no_winner() -> None:
    record = scored("grand", 8, deals=2, reward="match")
    enter(record, "grand", 5)
    assert record.points.tolist() == [16, 16]
    assert record.over
    assert record.winning_side == -1
    assert record.reward.tolist() == [0, 0, 0, 0]
    assert won(np.array([record])).tolist() == [[0.5] * 4]


def test_every_hand_is_played_out_and_the_deal_passes_to_the_left() -> None:
    table = new_table(None, episode="rubber", dealer=3)
    rng = random.Random(1)
    dealer, deals = 3, 0
    while not table.is_over:
        assert table.record.dealer == dealer
        assert table.agent == dealer
        while not table.is_over and table.record.deals_played == deals:
            table.apply(rng.choice(table.legal_actions()))
        assert int(table.record.tricks.sum()) == 13 * (deals + 1)
        dealer, deals = (dealer + 1) % 4, deals + 1
    assert deals > 2


def test_rewards_of_a_rubber_add_up_to_its_value() -> None:
    for seed in range(5):
        table = cayenne_game(episode="rubber").new_table(seed)
        rng = random.Random(seed)
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
        winner = int(table.record.winning_side)
        totals = table.record.points.copy()
        totals[winner] -= 8
        value = totals[winner] + 8 - totals[1 - winner]
        assert table.returns()[winner] == value


@pytest.mark.parametrize(("declared", "sign"), [("grand", 1), ("nullo", -1)])
def test_each_trick_may_be_rewarded(declared: str, sign: int) -> None:
    table = do(new_table(reward="tricks", nullo_ace="high"), declared)
    while not table.is_over:
        before = table.record.tricks_won.copy()
        table.apply(table.legal_actions()[0])
        taken = table.record.tricks_won - before
        for_a = sign * int(taken[::2].sum() - taken[1::2].sum())
        assert table.rewards() == [for_a, -for_a, for_a, -for_a]
    made = cayenne.RULES[0].measures["tricks"](np.array([table.record]))[0].tolist()
    assert [2 * each for each in made] == table.returns()


@pytest.mark.parametrize(
    ("reward", "amount"), [("points", 56), ("tricks", 13), ("match", 1)]
)
@pytest.mark.parametrize("played", [0, 1, 2, 20, 40])
def test_a_forfeit_costs_the_side_to_act(reward: str, amount: int, played: int) -> None:
    table = cayenne_game(reward=reward).new_table(4)
    rng = random.Random(played)
    for _ in range(played):
        table.apply(rng.choice(table.legal_actions()))
    side = table.agent % 2
    before = np.array(table.returns())
    table.forfeit()
    expected = [-amount if seat % 2 == side else amount for seat in range(4)]
    assert table.rewards() == expected
    assert table.returns() == (before + expected).tolist()
    finished = np.array([table.record], table.record.dtype)
    assert won(finished)[0].tolist() == [side != seat % 2 for seat in range(4)]
    assert abs(points_made(finished)[0, 0]) == 56


# The deal and the cut ---------------------------------------------------------------


def test_the_pack_is_dealt_four_four_five_from_the_left() -> None:
    table = new_table(None, dealer=1)
    pack = table.record.pack.tolist()
    for number, seat in enumerate((2, 3, 0, 1)):
        own = pack[4 * number :][:4] + pack[16 + 4 * number :][:4]
        own += pack[32 + 5 * number :][:5]
        assert sorted(own) == list(members(table.record.hands[seat]))


def test_a_given_deal_is_dealt_whoever_deals() -> None:
    for dealer in range(4):
        table = new_table(honours("S", 4), dealer=dealer)
        hands = [int(hand) for hand in table.record.hands]
        assert hands == [int(hand) for hand in parse_deal(honours("S", 4))]


def test_the_still_pack_is_cut_apart_from_the_deal() -> None:
    """Any of 52 cards, and the hands say nothing about it."""
    game = cayenne_game(dealer=3)
    cuts, in_hand = [], [0, 0, 0, 0]
    for seed in range(2000):
        record = game.new_table(seed).record
        cuts.append(int(record.cut))
        for seat, hand in enumerate(record.hands):
            in_hand[seat] += int(hand) >> int(record.cut) & 1
    counts = np.bincount(cuts, minlength=52)
    assert 15 < counts.min() <= counts.max() < 70
    assert sum(in_hand) == 2000
    assert all(420 < number < 580 for number in in_hand)


def test_every_deal_of_a_rubber_has_its_own_cut() -> None:
    table = cayenne_game(deals=12).new_table(3)
    cuts = []
    while not table.is_over:
        if table.record.phase == cayenne.DECLARE:
            cuts.append(int(table.record.cut))
        table.apply(table.legal_actions()[0])
    assert len(cuts) == 12
    assert len(set(cuts)) > 8


# Declaring --------------------------------------------------------------------------


def test_the_dealer_declares_or_passes_it_to_his_partner_who_must() -> None:
    table = new_table(dealer=3)
    assert table.agent == 3
    assert may(table) == [*oracle.DECLARATIONS, "pass_to_partner"]
    do(table, "pass_to_partner")
    assert table.agent == 1
    assert may(table) == oracle.DECLARATIONS
    do(table, "spades")
    assert (table.record.trump, table.record.declarer) == (3, 1)
    # Who declared makes no difference to the play: the dealer's left leads.
    assert (table.agent, table.record.leader) == (0, 0)


def test_trumps_are_the_suit_declared_and_there_are_none_at_grand_and_nullo() -> None:
    trumps = [do(new_table(), name).record.trump for name in oracle.DECLARATIONS]
    assert trumps == [0, 1, 2, 3, -1, -1]


def test_the_trick_goes_to_the_highest_trump_or_else_the_suit_led() -> None:
    deal = "N:AKQ.432.432.5432 432.AKQ.AKQ.AKQJ JT9.JT98.JT9.T98 8765.765.8765.76"
    cards = ["CA", "C8", "C6", "C2", "CK", "C9", "C7", "C3", "CQ", "CT", "S5", "C4"]
    assert do(new_table(deal), "spades", *cards).agent == 3
    assert do(new_table(deal), "grand", *cards).agent == 1


def test_no_hand_is_laid_open() -> None:
    table = do(new_table(), "grand")
    while not table.is_over:
        for agent in range(4):
            for seat in range(4):
                seen = table.game.rules.visible(table.record, agent, seat)
                assert seen == (table.record.hands[seat] if seat == agent else 0)
        table.apply(table.legal_actions()[0])


# The ace at nullo -------------------------------------------------------------------

# East leads the three of clubs; South has no other club than the ace.
ACES = "N:T9872.T987.75.K2 AKQ.64.T986.QT53 6543.AKQ.KQJ42.A J.J532.A3.J98764"
# North has all spades but the deuce, which is South's only one.
DEUCE = "N:AKQJT9876543.2.. .T987.T987.T9876 2.AKQJ.AKQJ.AKQJ .6543.65432.5432"
SUIT_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


def nullo_table(**how: Any) -> Table:
    return do(new_table(ACES, dealer=0, **how), "nullo")


def test_who_plays_an_ace_at_nullo_says_how_it_counts() -> None:
    table = do(nullo_table(), "C3")
    assert table.agent == 2
    do(table, "CA")
    assert (table.agent, table.record.phase) == (2, cayenne.SAY_ACE)
    assert may(table) == ["ace_low", "ace_high"]
    do(table, "ace_low")
    assert (table.agent, table.record.phase) == (3, cayenne.PLAY)


@pytest.mark.parametrize(("call", "taker"), [("ace_low", 0), ("ace_high", 2)])
def test_an_ace_takes_the_trick_or_does_not_as_it_is_said(
    call: str, taker: int
) -> None:
    table = do(nullo_table(), "C3", "CA", call, "C4", "CK")
    assert table.agent == taker
    assert table.record.tricks_won[taker] == 1


@pytest.mark.parametrize(("call", "taker"), [("ace_low", 2), ("ace_high", 0)])
def test_a_low_ace_ranks_below_the_deuce(call: str, taker: int) -> None:
    table = do(new_table(DEUCE, dealer=3), "nullo", "SA", call, "H7", "S2", "H3")
    assert table.agent == taker


def test_a_low_ace_takes_its_trick_where_nobody_follows() -> None:
    table = do(new_table(SUIT_EACH, dealer=3), "nullo", "SA", "ace_low")
    assert do(table, "H2", "D2", "C2").agent == 0


@pytest.mark.parametrize("call", ["ace_low", "ace_high"])
def test_an_ace_that_is_thrown_away_takes_nothing_whatever_is_said(call: str) -> None:
    table = do(nullo_table(), "C3", "CA", "ace_low", "C4", "C2")
    assert table.agent == 3
    assert do(table, "C6", "CK", "C5", "HA", call).agent == 0


@pytest.mark.parametrize(("reading", "taker"), [("low", 0), ("high", 2)])
def test_aces_at_nullo_may_always_count_the_same(reading: str, taker: int) -> None:
    table = do(nullo_table(nullo_ace=reading), "C3", "CA")
    assert (table.agent, table.record.phase) == (3, cayenne.PLAY)
    do(table, "C4", "CK")
    assert table.agent == taker
    assert feature(table, 0, "low_aces").tolist() == [int(reading == "low"), 0, 0, 0]


def test_aces_are_high_and_nothing_is_said_of_them_but_at_nullo() -> None:
    for declared in ("grand", "hearts"):
        for reading in ("called", "low"):
            table = do(new_table(ACES, nullo_ace=reading), declared, "C3", "CA")
            assert table.record.phase == cayenne.PLAY
            assert do(table, "C4", "CK").agent == 2


def test_the_last_trick_waits_for_what_is_said_of_an_ace() -> None:
    table = do(new_table(SUIT_EACH, dealer=3), "nullo")
    for rank in "23456789TJQK":
        do(table, *(suit + rank for suit in "SHDC"))
    for suit in "SHDC":
        assert not table.is_over
        do(table, suit + "A")
        assert not table.is_over
        do(table, "ace_low")
    assert table.is_over
    assert table.record.tricks_won.tolist() == [13, 0, 0, 0]
    assert table.returns() == [-56, 56, -56, 56]


# What players see -------------------------------------------------------------------


def test_the_cut_and_the_declaration_are_seen_by_all() -> None:
    table = do(new_table(cut="D9", dealer=1), "pass_to_partner")
    for agent in range(4):
        assert feature(table, agent, "cut").nonzero()[0].tolist() == [parse_card("D9")]
        assert feature(table, agent, "phase").tolist() == [0, 1, 0, 0]
        assert feature(table, agent, "declaration").sum() == 0
        assert feature(table, agent, "trick_value") == 0
    do(table, "nullo")
    for agent in range(4):
        assert feature(table, agent, "phase").tolist() == [0, 0, 1, 0]
        assert feature(table, agent, "declaration").tolist() == [0, 0, 0, 0, 0, 1]
        assert feature(table, agent, "declarer").argmax() == (3 - agent) % 4
        assert feature(table, agent, "trick_value") == 8


def test_an_ace_on_the_table_is_seen_to_count_low_until_it_is_said_to_be_high() -> None:
    table = do(nullo_table(), "C3", "CA")
    for call in ("ace_low", "ace_high"):
        said = do(table.clone(), call)
        for agent in range(4):
            assert feature(table, agent, "low_aces").tolist() == [1, 0, 0, 0]
            assert feature(table, agent, "phase").tolist() == [0, 0, 0, 1]
            assert feature(table, agent, "to_act").argmax() == (2 - agent) % 4
            low = int(call == "ace_low")
            assert feature(said, agent, "low_aces").tolist() == [low, 0, 0, 0]
            winning = feature(said, agent, "winning_card").nonzero()[0].tolist()
            assert winning == [parse_card("C3" if low else "CA")]


@pytest.mark.parametrize("history", ["all", "last_trick"])
def test_low_aces_are_remembered_like_the_cards(history: str) -> None:
    table = do(nullo_table(history=history), "C3", "CA", "ace_low", "C4", "C2")
    assert feature(table, 1, "low_aces").tolist() == [1, 0, 0, 0]
    do(table, "C6", "CK", "C5", "HA", "ace_low")
    remembered = int(history == "all")
    assert feature(table, 1, "low_aces").tolist() == [remembered, 0, 1, 0]


def test_pictures_tell_what_was_cut_and_declared() -> None:
    table = do(new_table(ACES), "pass_to_partner")
    assert dict(cayenne.notes(table.record, 0)) == {
        "cut": "H7, cayenne is hearts",
        "declaration": "passed by player_0",
    }
    do(table, "diamonds")
    declared = dict(cayenne.notes(table.record, 0))["declaration"]
    assert declared == "diamonds by player_2, 3 a trick"
    table = do(nullo_table(), "C3", "CA")
    assert dict(cayenne.notes(table.record, 3))["counts low"] == "CA"
    do(table, "ace_high")
    assert "counts low" not in dict(cayenne.notes(table.record, 3))


def test_every_feature_shows_what_it_claims() -> None:
    for how in ({"episode": "rubber"}, {"deals": 4}):
        rng = random.Random(str(how))
        table = cayenne_game(**how).new_table(1)
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
            for agent in range(4):
                check_observation(table, agent)


def check_observation(table: Table, agent: int) -> None:
    record, parts = table.record, table.game.features.named(table.observe(agent))
    state = table.game.state_features.part(table.state(agent), "hands")
    for offset in range(4):
        held = list(members(record.hands[(agent + offset) % 4]))
        assert np.flatnonzero(state[offset]).tolist() == held
    assert parts["phase"].argmax() == record.phase
    assert parts["cut"].argmax() == record.cut
    assert parts["declaration"].sum() == (record.declaration >= 0)
    if record.declaration >= 0:
        assert parts["declaration"].argmax() == record.declaration
        assert (parts["declarer"].argmax() + agent) % 4 == record.declarer
    for offset in range(2):
        side = (agent + offset) % 2
        assert parts["tricks"][offset] == record.tricks_won[side::2].sum()
        assert parts["score"][offset] == record.score[side]
        assert parts["games"][offset] == record.games[side]
        digits = parts["points"][offset] @ np.array([10**4, 100, 1])
        assert digits == record.points[side]
    deals = int(record.options.deals)
    assert parts["deals_left"] == (deals - record.deals_played if deals > 0 else 0)


@pytest.mark.parametrize(
    "how", [{"deals": 100}, {"episode": "rubber", "rubber_games": 10}]
)
def test_bounds_hold_for_the_richest_deals(how: dict[str, Any]) -> None:
    game = cayenne_game(**how, little_slam=20, grand_slam=20)
    table = game.new_table(0)
    record = table._memory.view(game.rules.record)[0]
    if "deals" not in how:
        record.games[:] = 9
        record.score[:] = 9
    while not record.over:
        enter(record, "grand", 13)
        for agent in range(4):
            seen = table.observe(agent)
            assert (seen >= game.features.low).all()
            assert (seen <= game.features.high).all()
    if "deals" in how:
        assert record.points[0] == 100 * 8 * 27
        assert feature(table, 0, "points").tolist() == [[2, 16, 0], [0, 0, 0]]
    else:
        assert record.games[0] == 31 == game.features.high[game.features["games"]][0]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rubber_games": 3}, "rubber_games=3 .* only with episode='rubber'"),
        ({"episode": "rubber", "rubber_games": 11}, "from 1 to 10"),
        ({"episode": "rubber", "deals": 2}, "deals=2 .* only with episode='deal'"),
        ({"third_black": "hearts"}, "third_black='hearts' .* 'clubs' or 'spades'"),
        ({"third_red": "clubs"}, "third_red='clubs' .* 'hearts' or 'diamonds'"),
        ({"nullo_ace": "said"}, "'called' or 'low' or 'high'"),
        ({"little_slam": -1}, "little_slam=-1 must be a whole number from 0 to 20"),
        ({"grand_slam": 21}, "grand_slam=21"),
        ({"slams": "grand"}, "'suits_and_grand' or 'suits'"),
        ({"slams_multiplied": 2}, "False or True"),
        ({"loser_score": "kept"}, "loser_score='kept' .* only with episode='rubber'"),
        (
            {"deals": 2, "trick_side_honours": "stop"},
            "trick_side_honours='stop' .* only with deals=None",
        ),
        ({"last_deal": "stops"}, "last_deal='stops' .* only with episode='rubber'"),
        ({"reward": "settlement"}, "'points' or 'tricks' or 'match'"),
        ({"dealer": 4}, "dealer=4 .* from 0 to 3, or None"),
    ],
)
def test_wrong_options_are_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cayenne_game(**options)


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": 7}, TypeError, "deal=7 must be a text"),
        ({"deal": "N:AK"}, ValueError, "not a deal"),
        ({"cut": "H1"}, ValueError, "'H1' is not a card"),
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat; the seats are 0 to 3"),
        ({"scores": (10, 0)}, ValueError, r"scores=\(10, 0\) .* from 0 to 9"),
        ({"scores": 5}, ValueError, "two whole numbers"),
        ({"games": (4, 0)}, ValueError, r"games=\(4, 0\) .* from 0 to 3"),
        ({"turned": "H7"}, TypeError, "has deal, cut, dealer, scores, games"),
    ],
)
def test_impossible_positions_are_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = cayenne_game(episode="rubber").new_table(0)
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


def test_scores_and_games_belong_to_games_and_rubbers() -> None:
    with pytest.raises(ValueError, match="scores= belongs to a game"):
        cayenne_game(deals=2).new_table(0, scores=(1, 0))
    with pytest.raises(ValueError, match="games= belongs to a rubber"):
        cayenne_game(episode="game").new_table(0, games=(1, 0))


@pytest.mark.parametrize(
    ("done", "action", "why"),
    [
        ([], "SA", "no card is played before trumps, grand or nullo are declared"),
        ([], "ace_low", "how an ace counts is said when it is played at nullo"),
        (["pass_to_partner"], "pass_to_partner", "his partner, who must declare"),
        (["grand"], "nullo", "the declaration is made, and a card must be played"),
        (["grand"], "ace_low", "when it has just been played at nullo"),
        (["grand"], "CA", "the hand does not hold CA"),
        (["grand", "C3"], "HA", "clubs were led and must be followed"),
        (["nullo", "C3", "CA"], "C4", "must say first how it counts"),
        (["nullo", "C3", "CA"], "nullo", "must say first how it counts"),
    ],
)
def test_an_illegal_action_is_explained(done: list[str], action: str, why: str) -> None:
    table = do(new_table(ACES), *done)
    with pytest.raises(IllegalAction, match=why):
        do(table, action)


# The oracle -------------------------------------------------------------------------


def random_options(rng: random.Random) -> dict[str, Any]:
    options = {
        "reward": rng.choice(["points", "tricks", "match"]),
        "third_black": rng.choice(["clubs", "spades"]),
        "third_red": rng.choice(["hearts", "diamonds"]),
        "nullo_ace": rng.choice(["called", "called", "low", "high"]),
        "little_slam": rng.choice([0, 4, 20]),
        "grand_slam": rng.choice([0, 6, 20]),
        "slams": rng.choice(["suits_and_grand", "suits"]),
        "slams_multiplied": rng.choice([True, False]),
    }
    length = rng.choice(["deal", "game", "rubber", "rubber", 2])
    if length == 2:
        return {**options, "deals": 2}
    options["episode"] = length
    options["trick_side_honours"] = rng.choice(["may_win", "stop"])
    if length == "rubber":
        options["rubber_games"] = rng.choice([1, 2, 4, 10])
        options["loser_score"] = rng.choice(["reset", "kept"])
        options["last_deal"] = rng.choice(["counts", "stops"])
    return options


def assert_alike(record: Any, match: oracle.Match) -> None:
    assert record.points.tolist() == match.totals
    assert record.games.tolist() == match.games
    assert record.score.tolist() == match.scores
    assert record.tricks.tolist() == match.good_tricks
    assert bool(record.over) == match.over
    assert record.winning_side == (-1 if match.winner is None else match.winner)


@pytest.mark.parametrize("part", range(4))
def test_over_a_thousand_random_games_agree_with_the_oracle(part: int) -> None:
    rng = random.Random(part)
    for seed in range(260):
        how = random_options(rng)
        table, referee = cayenne_game(**how).new_table(seed), CayenneReferee(how)
        referee.deal(table)
        while not table.is_over:
            deals = int(table.record.deals_played)
            assert table.agent == referee.agent()
            legal = table.legal_actions()
            assert legal == referee.legal_actions()
            action = rng.choice(legal)
            if "nullo" in may(table) and rng.random() < 0.3:
                action = oracle.ACTIONS.index("nullo")
            table.apply(action)
            assert table.rewards() == referee.play(action)
            if table.record.deals_played > deals:
                assert_alike(table.record, referee.match)
                if not table.is_over:
                    referee.deal(table)
        assert referee.agent() == -1


def uneven_deal(rng: random.Random) -> list[list[str]]:
    """Four hands of which one, or one side, has most of the high cards."""
    favour = rng.choice([[1, 1, 1, 1], [9, 1, 9, 1], [1, 30, 1, 1], [1, 9, 1, 30]])
    hands: list[list[str]] = [[], [], [], []]
    for card in sorted(oracle.PACK, key=lambda card: -oracle.RANKS.index(card[1])):
        weights = [favour[seat] * (len(hands[seat]) < 13) for seat in range(4)]
        hands[rng.choices(range(4), weights)[0]].append(card)
    return hands


def test_scores_agree_with_the_oracle_for_every_result() -> None:
    """Whole rubbers of results that random play seldom has."""
    rng = random.Random(5)
    slams = 0
    for _ in range(600):
        how = random_options(rng)
        record = cayenne_game(**how, dealer=0).new_records(1)[0]
        record.deal_number = -1
        cayenne.start(record)
        match = oracle.Match(CayenneReferee(how).options)
        while not match.over:
            hands = uneven_deal(rng)
            tricks = rng.choice([*range(14), 0, 1, 12, 13])
            declared = rng.choice(oracle.DECLARATIONS)
            cut = oracle.PACK[int(record.cut)]
            record.dealt[:] = [card_set(map(parse_card, hand)) for hand in hands]
            enter(record, declared, tricks)
            match.score(hands, declared, cut[0], [tricks, 13 - tricks])
            assert_alike(record, match)
            slams += tricks in (0, 1, 12, 13)
    assert slams > 500
