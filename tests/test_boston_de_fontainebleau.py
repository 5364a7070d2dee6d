"""Boston de Fontainebleau: its contract, its rules one by one, and its oracle."""

from __future__ import annotations

import collections
import random
from typing import Any

import numpy as np
import pytest
from contract import contract
from fontainebleau_tables import (
    FOUR_PASSES,
    PLAIN_DEAL,
    READINGS,
    SEVEN_HEARTS,
    FontainebleauReferee,
    bought,
    compare_episode,
    do,
    finish,
    legal_names,
    names_of,
    piles,
    play_on,
    random_options,
)
from oracle_boston_de_fontainebleau import AMERICAN, BIDS, DEFAULTS, FRENCH, LADDER
from whist_tables import deal_with

from whist_env import game
from whist_env.cards import members, parse_card
from whist_env.engine.sight import PlayOptions
from whist_env.envs.game import Game
from whist_env.envs.table import Table
from whist_env.games import boston_de_fontainebleau as rules

TestBostonDeFontainebleau = contract(
    "boston_de_fontainebleau",
    FontainebleauReferee,
    {},
    {
        "deals": 2,
        "suit_order": "HDCS",
        "honours": True,
        "alliance_row": "target",
        "passed_stake": "returned",
        "level_growth": 3,
        "black_suits": "differ",
        "under_trick": 2,
        "slam_failure": "by_tricks",
    },
    {
        "deals": 2,
        "reward": "match",
        "discards": "caller",
        "expose": "after_first_trick",
        "all_pass": "same_dealer",
        "history": "last_trick",
    },
    piles=piles,
)


def fontainebleau(**options: Any) -> Game:
    return game("boston_de_fontainebleau", **options)


def contract_of(bid: str, deal: str = PLAIN_DEAL, **how: Any) -> Table:
    """A table at which seat 0 has the contract, dealt by seat 3 to an empty pool."""
    position = {key: how.pop(key) for key in ("pool", "dealer") if key in how}
    return bought(fontainebleau(**how), bid, deal, **position)


def alone(bid: str, tricks: int, deal: str = PLAIN_DEAL, **how: Any) -> list[float]:
    """The rewards where seat 0 plays alone and takes so many tricks."""
    table = contract_of(bid, deal, **how)
    while "whist" in legal_names(table):
        do(table, "pass")
    return finish(table, tricks)


def together(bid: str, tricks: int, deal: str = PLAIN_DEAL, **how: Any) -> list[float]:
    """The rewards where seat 2 is the partner of seat 0 and they take so many."""
    table = contract_of(bid, deal, **how)
    do(table, "pass", "whist")
    return finish(table, tricks)


# The dealer is seat 3, who has put 5 into the pool.

# The worked examples of the rules ---------------------------------------------------


def test_six_in_hearts_with_seven_tricks() -> None:
    rewards = alone("six_hearts", 7, SEVEN_HEARTS, pool=20)
    assert rewards == [135 + 25, -45, -45, -45 - 5]


def test_eight_in_clubs_with_six_tricks() -> None:
    deal = deal_with("CA CK CQ CT C9 C7")
    table = contract_of("eight_clubs", deal)
    assert finish(table, 6) == [-320, 80, 80, 80 - 5]
    assert table.record.pool == 80 + 5


def test_exposed_slam_in_grand_costs_the_most_that_a_hand_can() -> None:
    table = contract_of("exposed_slam_grand")
    assert finish(table, 3) == [-2400, 600, 600, 600 - 5]
    assert table.record.pool == 600 + 5


def test_five_in_spades_made_exactly_wins_the_least_that_a_hand_can() -> None:
    rewards = alone("five_spades", 5, pool=0)
    assert rewards == [30 + 5, -10, -10, -10 - 5]


# The lowest cards for seat 0, and the same with one ace.
LOW = deal_with("S2 S3 S4 H2 H3 H4 H5 D2 D3 D4 C2 C3 C4")
LOW_BUT_ONE = deal_with("SA S2 S3 H2 H3 H4 H5 D2 D3 D4 C2 C3 C4")


def test_piccolissimo_takes_exactly_one_trick() -> None:
    none = contract_of("piccolissimo", LOW)
    assert finish(none, 0) == [-400, 100, 100, 100 - 5]
    one = contract_of("piccolissimo", LOW_BUT_ONE, pool=30)
    assert finish(one, 1) == [300 + 35, -100, -100, -100 - 5]
    two = contract_of("piccolissimo", deal_with("SA HA"))
    assert finish(two, 2)[0] == -400


def test_adversaries_divide_the_pool_when_the_last_caller_fails() -> None:
    table = contract_of("grand_misere", pool=55, deals=1)
    assert finish(table, 2) == [-600, 220, 220, 220 - 5]
    assert table.record.pool == 0


# The table of payments --------------------------------------------------------------

ROWS = {
    "five": (10, 10, 20, 30, 40),
    "six": (30, 30, 40, 50, 60),
    "seven": (50, 50, 60, 70, 80),
    "eight": (70, 70, 80, 90, 100),
    "nine": (90, 90, 100, 110, 120),
    "ten": (110, 110, 120, 130, 140),
    "eleven": (130, 130, 140, 150, 160),
    "twelve": (150, 150, 160, 170, 180),
    "slam": (400, 400, 450, 500, 550),
    "exposed_slam": (450, 450, 500, 550, 600),
}
MISERES = {
    "little_misere": 75,
    "piccolissimo": 100,
    "grand_misere": 150,
    "little_spread": 200,
    "grand_spread": 250,
}


def amount(bid: str, tricks: int, **options: Any) -> int:
    """What a contract that is played alone is worth with so many tricks."""
    record = fontainebleau(**options).new_records(1)[0]
    rules.deal_out(record)
    record.contract = BIDS.index(bid)
    record.caller = 0
    rules.end_bidding(record, 0)
    record.tricks_won[0] = tricks
    return int(rules.amount(record))


@pytest.mark.parametrize("row", ROWS)
def test_the_table_of_payments(row: str) -> None:
    tricks = LADDER[row]
    american = tuple(amount(f"{row}_{suit}", tricks) for suit in AMERICAN)
    assert american == ROWS[row]
    french = tuple(amount(f"{row}_{s}", tricks, suit_order="HDCS") for s in FRENCH)
    assert french == ROWS[row]


@pytest.mark.parametrize("bid", MISERES)
def test_misères_have_one_price_whatever_is_taken(bid: str) -> None:
    assert {amount(bid, tricks) for tricks in range(4)} == {MISERES[bid]}
    assert amount(bid, 0, **{bid: 7}) == 7


def test_tricks_over_and_under_count_but_not_in_slams() -> None:
    assert [amount("six_clubs", tricks) for tricks in (4, 5, 6, 7, 13)] == [
        *(40, 35, 30, 35, 65)
    ]
    assert amount("six_clubs", 8, over_trick=1) == 32
    assert {amount("slam_hearts", tricks) for tricks in range(14)} == {450}
    assert {amount("exposed_slam_hearts", t) for t in range(14)} == {500}


def test_every_number_of_the_table_is_an_option() -> None:
    steps = {"level_step": 7, "suit_step": 3}
    assert amount("eight_diamonds", 8, **steps) == 3 * 7 + 3 * 3
    slams = {"slam": 100, "exposed_slam": 200, "slam_step": 1}
    assert amount("slam_grand", 13, **slams) == 103
    assert amount("exposed_slam_diamonds", 13, **slams) == 202


def test_the_table_may_rise_ever_faster() -> None:
    rows = ("five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    prices = [amount(f"{row}_hearts", LADDER[row], level_growth=4) for row in rows]
    # 20, 24, 28, 32, 36, 40 and 44 for the tricks beyond five.
    assert prices == [20, 40, 64, 92, 124, 160, 200, 244]


def test_clubs_may_be_paid_above_spades() -> None:
    def column(bid: str, tricks: int, **options: Any) -> list[int]:
        how = {"black_suits": "differ", **options}
        return [amount(f"{bid}_{suit}", tricks, **how) for suit in AMERICAN]

    assert column("five", 5) == [10, 20, 30, 40, 50]
    assert column("slam", 13) == [400, 450, 500, 550, 600]
    assert column("exposed_slam", 13, slam_step=37) == [450, 487, 524, 561, 598]
    assert column("five", 5, suit_order="HDCS") == [10, 20, 40, 30, 50]


def test_tricks_under_may_have_a_price_of_their_own() -> None:
    for tricks, price in ((3, 36), (5, 32), (6, 30), (8, 40)):
        assert amount("six_clubs", tricks, under_trick=2) == price
    assert amount("six_clubs", 3, under_trick=0) == 30
    four = deal_with("HA HK HQ HJ")
    how = {"honours": True, "under_trick": 1}
    # The honours of a caller who fails are still paid like tricks over.
    assert alone("eight_hearts", 7, four, **how)[1] == 80 + 1 + 4 * 5


def test_a_failed_slam_may_cost_more_by_every_trick() -> None:
    by_tricks = {"slam_failure": "by_tricks"}
    assert amount("slam_hearts", 13, **by_tricks) == 450
    assert amount("slam_hearts", 11, **by_tricks) == 450 + 10
    assert amount("exposed_slam_grand", 3, under_trick=7, **by_tricks) == 600 + 70


def test_honours_count_as_tricks_over_where_that_is_played() -> None:
    four = deal_with("HA HK HQ HJ HT")
    assert alone("five_hearts", 6, four)[1] == -(20 + 5)
    assert alone("five_hearts", 6, four, honours=True)[1] == -(20 + 5 + 20)
    three = deal_with("HA HK HJ HT H9", "HQ")
    assert alone("five_hearts", 5, three, honours=True)[1] == -(20 + 10)
    two = deal_with("HA HK HT H9", "HQ", "HJ")
    assert alone("five_hearts", 5, two, honours=True)[1] == -20
    assert alone("five_grand", 5, four, honours=True)[1] == -40


def test_honours_add_to_a_failure_or_do_not_count() -> None:
    four = deal_with("HA HK HQ HJ")
    assert alone("eight_hearts", 7, four, honours=True)[1] == 80 + 5 + 20
    rewards = alone("eight_hearts", 7, four, honours=True, honours_on_failure=False)
    assert rewards[1] == 80 + 5


def test_honours_of_allies_count_together() -> None:
    deal = deal_with("HA HQ HT H9 H8", "", "HK HJ H7")
    assert together("five_hearts", 8, deal, honours=True)[1] == -(20 + 20)
    assert together("five_hearts", 8, deal)[1] == -20


# Bidding ----------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "suits"), [("DHCS", AMERICAN), ("HDCS", FRENCH)])
def test_bids_over_call_all_lower_ones_and_no_others(
    order: str, suits: list[str]
) -> None:
    ladder = [
        bid
        for name in LADDER
        for bid in ([name] if name in MISERES else [f"{name}_{s}" for s in suits])
    ]
    assert len(ladder) == 55
    for place, bid in enumerate(ladder):
        table = fontainebleau(suit_order=order, dealer=3).new_table(0)
        do(table, bid)
        assert set(legal_names(table)) == {"pass", *ladder[place + 1 :]}


def test_the_actions_are_cards_and_the_calls_in_their_order() -> None:
    names = fontainebleau().action_names
    assert len(names) == 52 + 1 + 55 + 1
    assert names[52:58] == (
        *("pass", "five_spades", "five_clubs", "five_hearts", "five_diamonds"),
        "five_grand",
    )
    assert names[63] == "little_misere"
    assert names[69] == "piccolissimo"
    assert names[107:] == ("exposed_slam_grand", "whist")


def test_eldest_bids_first_and_who_passes_is_out() -> None:
    table = fontainebleau().new_table(0, dealer=1)
    assert table.agent == 2
    do(table, "five_spades", "pass", "five_hearts")
    assert table.agent == 1
    do(table, "pass", "six_spades")
    # Seat 3 and seat 1 have passed; seat 2 was over-called by seat 0 and raised.
    assert table.agent == 0
    do(table, "pass")
    assert table.record.caller == 2
    assert BIDS[int(table.record.contract)] == "six_spades"
    assert table.record.phase == rules.ACCEPT


def test_the_bidding_ends_at_once_when_all_others_have_passed() -> None:
    table = fontainebleau().new_table(0, dealer=3)
    do(table, "pass", "pass", "pass")
    assert "five_spades" in legal_names(table)
    do(table, "nine_clubs")
    assert table.record.phase == rules.PLAY
    assert table.agent == 0
    assert table.record.trump == 0


def test_a_deal_that_all_pass_leaves_the_stake_in_the_pool() -> None:
    table = fontainebleau(episode="game").new_table(0, dealer=3)
    do(table, *FOUR_PASSES)
    assert table.rewards() == [0, 0, 0, -5]
    assert table.record.pool == 5
    assert table.record.dealer == 0
    assert table.record.deals_played == 1
    table = fontainebleau(all_pass="same_dealer", deals=2).new_table(0, dealer=3)
    do(table, *FOUR_PASSES)
    assert table.record.dealer == 3
    assert table.agent == 0
    do(table, "nine_clubs", "pass", "pass", "pass")
    play_on(table, random.Random(0))
    assert table.is_over


def test_the_stake_of_a_deal_that_all_pass_may_go_back_to_the_dealer() -> None:
    table = fontainebleau(episode="game", passed_stake="returned").new_table(
        0, dealer=3, pool=20
    )
    assert table.game.features.part(table.observe(0), "pool")[2] == 25
    do(table, *FOUR_PASSES)
    assert table.rewards() == [0, 0, 0, 0]
    assert table.record.pool == 20
    assert table.record.dealer == 0
    assert table.game.features.part(table.observe(0), "pool")[2] == 25


def test_a_single_deal_that_all_pass_ends_the_episode() -> None:
    table = fontainebleau().new_table(0, dealer=2)
    do(table, *FOUR_PASSES)
    assert table.is_over
    assert table.returns() == [0, 0, -5, 0]
    assert not table.record.hands.any()


# Partners ---------------------------------------------------------------------------


def test_after_five_six_and_seven_the_others_are_asked_from_the_callers_left() -> None:
    for bid, target in (("five", 8), ("six", 10), ("seven", 12)):
        table = contract_of(f"{bid}_clubs")
        for seat in (1, 2, 3):
            assert table.agent == seat
            assert legal_names(table) == ["pass", "whist"]
            taken = table.clone()
            do(taken, "whist")
            assert taken.record.partner == seat
            assert taken.record.target == target
            assert taken.record.phase == rules.PLAY
            assert taken.agent == 0
            do(table, "pass")
        assert table.record.partner == -1
        assert table.record.target == LADDER[bid]
        assert table.record.phase == rules.PLAY


def test_other_bids_and_other_agreements_have_no_partner() -> None:
    for bid in ("eight_clubs", "twelve_grand", "slam_hearts", "grand_misere"):
        assert contract_of(bid).record.phase == rules.PLAY
    for bid in ("five_clubs", "six_clubs", "seven_clubs"):
        assert contract_of(bid, partner=False).record.phase == rules.PLAY


def test_allies_each_settle_with_one_adversary_and_halve_the_pool() -> None:
    strong = deal_with("HA HK HQ HJ HT", "", "H9 H8 H7 SA DA CA")
    assert together("five_hearts", 9, strong, pool=20) == [
        *(25 + 13, -25, 25 + 12, -25 - 5)
    ]
    failed = contract_of("seven_hearts", strong)
    do(failed, "pass", "whist")
    # Twelve were undertaken: 60 and 5 for the trick under; the odd one is the caller's.
    assert finish(failed, 11) == [-65 - 33, 65, -65 - 32, 65 - 5]
    assert failed.record.pool == 65 + 5


def test_the_odd_counter_may_be_the_partners() -> None:
    strong = deal_with("HA HK HQ HJ HT", "", "H9 H8 H7 SA DA CA")
    how = {"odd_counter": "partner"}
    assert together("five_hearts", 8, strong, **how) == [22, -20, 23, -25]
    assert together("seven_hearts", 11, strong, **how) == [
        *(-65 - 32, 65, -65 - 33, 60)
    ]


def test_allies_may_be_paid_by_the_row_of_what_they_undertook() -> None:
    strong = deal_with("HA HK HQ HJ HT", "", "H9 H8 H7 SA DA CA")
    assert together("five_hearts", 9, strong)[1] == -(20 + 5)
    assert together("five_hearts", 9, strong, alliance_row="target")[1] == -(80 + 5)
    assert together("five_hearts", 7, strong, alliance_row="target")[1] == 80 + 5
    assert alone("five_hearts", 6, strong, alliance_row="target")[1] == -(20 + 5)


def test_two_adversaries_divide_the_pool_when_allies_fail_in_the_last_deal() -> None:
    table = contract_of("five_hearts", deals=1, pool=4)
    do(table, "whist")
    assert table.record.partner == 1
    # 20 and 5 for the trick under; the pool of 9 grows by 25 to 34.
    assert finish(table, 7) == [-25 - 13, -25 - 12, 25 + 17, 25 + 17 - 5]
    assert table.record.pool == 0


# Discards and exposed hands ---------------------------------------------------------


def test_all_discard_before_little_misère_little_spread_and_piccolissimo() -> None:
    for bid in ("little_misere", "little_spread", "piccolissimo"):
        table = contract_of(bid)
        assert table.record.phase == rules.DISCARD
        for seat in range(4):
            assert table.agent == seat
            assert table.legal_actions() == list(members(table.record.hands[seat]))
            table.apply(table.legal_actions()[0])
        assert table.record.phase == rules.PLAY
        assert table.agent == 0
        assert [len(names_of(hand)) for hand in table.record.hands] == [12] * 4
        assert sum(len(names_of(cards)) for cards in table.record.discards) == 4
        play_on(table, random.Random(0))
        assert table.record.tricks_played == 12


def test_the_caller_discards_first_wherever_he_sits() -> None:
    table = fontainebleau().new_table(0, dealer=0)
    do(table, "pass", "little_misere", "pass", "pass")
    seats = []
    while table.record.phase == rules.DISCARD:
        seats.append(table.agent)
        table.apply(table.legal_actions()[0])
    assert seats == [2, 3, 0, 1]
    assert table.agent == 1


def test_the_caller_may_be_the_only_one_to_discard() -> None:
    table = contract_of("piccolissimo", discards="caller")
    table.apply(table.legal_actions()[0])
    assert table.record.phase == rules.PLAY
    assert [len(names_of(hand)) for hand in table.record.hands] == [12, 13, 13, 13]
    for _ in range(48):
        assert not table.is_over
        table.apply(table.legal_actions()[0])
    assert table.is_over


def test_other_contracts_are_played_with_all_the_cards() -> None:
    for bid in ("grand_misere", "grand_spread", "slam_clubs"):
        assert contract_of(bid).record.phase == rules.PLAY


def exposed(table: Table, seat: int) -> set[int]:
    seen = table.game.features.part(table.observe(seat), "exposed")
    return set(np.flatnonzero(seen).tolist())


def test_the_hand_of_a_spread_or_exposed_slam_lies_open_before_the_lead() -> None:
    for bid in BIDS:
        if rules.TRICKS_BID[rules.RUNGS[BIDS.index(bid)]] > 8 or bid in MISERES:
            table = contract_of(bid)
            while table.record.phase == rules.DISCARD:
                assert not exposed(table, 1)
                table.apply(table.legal_actions()[0])
            is_open = bid.startswith("exposed") or bid.endswith("spread")
            held = set(members(table.record.hands[0]))
            for seat in range(4):
                assert exposed(table, seat) == (held if is_open else set())
            assert (rules.visible(table.record, 1, 0) > 0) == is_open
            assert rules.visible(table.record, 1, 2) == 0


def test_the_hand_may_be_exposed_after_the_first_trick() -> None:
    table = contract_of("grand_spread", expose="after_first_trick")
    for _ in range(4):
        assert exposed(table, 2) == set()
        table.apply(table.legal_actions()[0])
    held = set(members(table.record.hands[0]))
    assert exposed(table, 2) == held
    assert len(held) == 12
    assert rules.visible(table.record, 2, 0) == table.record.hands[0]


def test_misères_and_grand_have_no_trumps() -> None:
    trumps = {"spades": 3, "clubs": 0, "hearts": 2, "diamonds": 1}
    for bid in BIDS:
        table = contract_of(bid)
        assert table.record.trump == trumps.get(bid.rpartition("_")[2], -1)


def test_a_misère_is_made_without_a_trick_and_fails_with_one() -> None:
    for bid in ("little_misere", "grand_misere", "little_spread", "grand_spread"):
        price = MISERES[bid]
        assert finish(contract_of(bid, LOW), 0)[0] == 3 * price + 5
        assert finish(contract_of(bid), 1)[0] == -4 * price


def test_slams_need_all_tricks() -> None:
    every = deal_with("SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 S2")
    assert finish(contract_of("slam_spades", every), 13)[0] == 1200 + 5
    assert finish(contract_of("exposed_slam_spades", every), 13)[0] == 1350 + 5
    twelve = deal_with("SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 H2", "S2")
    assert finish(contract_of("slam_spades", twelve), 12)[0] == -1600


# The pool and the game --------------------------------------------------------------


def test_each_dealer_adds_five_to_the_pool_in_turn() -> None:
    table = fontainebleau(deals=100).new_table(0, dealer=2)
    for number in range(1, 9):
        do(table, *FOUR_PASSES)
        assert table.record.pool == 5 * number
        assert table.record.dealer == (2 + number) % 4
    assert table.returns() == [-10] * 4


def test_the_pool_has_no_limit_and_goes_to_whoever_succeeds() -> None:
    assert alone("five_spades", 5, pool=5000)[0] == 30 + 5005


def test_the_pool_seen_holds_the_stake_of_the_deal_in_progress() -> None:
    table = fontainebleau(deals=2).new_table(0, dealer=0, pool=12_340)
    for staked in (12_345, 12_350):
        for seat in range(4):
            seen = table.game.features.part(table.observe(seat), "pool")
            assert seen @ [10_000, 100, 1] == staked
        do(table, *FOUR_PASSES)


def test_what_the_pool_holds_at_the_end_is_divided_or_left() -> None:
    table = fontainebleau(deals=1).new_table(0, dealer=3, pool=57)
    do(table, *FOUR_PASSES)
    assert table.returns() == [15, 15, 15, 10]
    assert table.record.pool == 2
    table = fontainebleau(deals=1, divide_leftover=False).new_table(0, dealer=3)
    do(table, *FOUR_PASSES)
    assert table.returns() == [0, 0, 0, -5]
    assert table.record.pool == 5


def test_a_deal_by_itself_leaves_the_pool_to_the_rest_of_the_game() -> None:
    table = fontainebleau().new_table(0, dealer=3, pool=55)
    do(table, *FOUR_PASSES)
    assert table.record.pool == 60


def test_a_game_has_twelve_deals() -> None:
    table = fontainebleau(episode="game").new_table(5)
    rng = random.Random(5)
    for number in range(12):
        assert table.record.deals_played == number
        seen = table.game.features.part(table.observe(0), "deals_left")
        assert seen == 12 - number
        play_on(table, rng)
    assert table.is_over


def test_a_win_pays_one_from_each_loser_to_each_winner() -> None:
    table = contract_of("grand_misere", LOW, reward="match")
    assert finish(table, 0) == [3, -1, -1, -1]
    table = contract_of("grand_misere", reward="match", pool=0, deals=1)
    # The adversaries get 150 and 51 each; the dealer has staked 5 of that.
    assert finish(table, 1) == [-2, 2, 2, -2]
    assert table.record.points.tolist() == [-600, 201, 201, 196]
    finished = np.array([table.record], table.record.dtype)
    measures = table.game.rules.measures
    assert measures["points"](finished).tolist() == [[-600, 201, 201, 196]]
    assert measures["won"](finished).tolist() == [[0, 0.5, 0.5, 0]]


@pytest.mark.parametrize(("reward", "price"), [("points", 800), ("match", 1)])
def test_a_forfeit_pays_each_of_the_others(reward: str, price: int) -> None:
    table = contract_of("six_hearts", reward=reward, deals=3)
    assert table.agent == 1
    table.forfeit()
    assert table.returns() == [price, -3 * price, price, price]
    finished = np.array([table.record], table.record.dtype)
    won = table.game.rules.measures["won"](finished)
    assert won[0].tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])


def test_the_largest_sums_stay_within_their_bounds() -> None:
    dear: dict[str, Any] = {"slam": 1000, "exposed_slam": 1000, "slam_step": 100}
    dearer = {"black_suits": "differ", "slam_failure": "by_tricks", "under_trick": 50}
    how = dear | dearer
    table = fontainebleau(deals=100, dealer=3, **how).new_table(0, pool=100_000)
    rng = random.Random(0)
    low, high = table.game.features.low, table.game.features.high
    while not table.is_over:
        if table.agent == 0 and "exposed_slam_grand" in legal_names(table):
            do(table, "exposed_slam_grand")
        elif "pass" in legal_names(table):
            do(table, "pass")
        else:
            table.apply(rng.choice(table.legal_actions()))
        for seat in range(4):
            seen = table.observe(seat)
            assert (seen >= low).all()
            assert (seen <= high).all()
            points = table.game.features.part(seen, "points") @ [10_000, 100, 1]
            assert points.tolist() == np.roll(table.record.points, -seat).tolist()
    # 1400 each time, and something for the tricks under.
    assert table.record.points[0] < -100 * 4 * 1700
    assert table.record.points[1] > 100 * 1700 + 270_000 // 3


# What players see -------------------------------------------------------------------


def test_every_call_is_seen_by_all() -> None:
    table = fontainebleau().new_table(0, dealer=3)
    do(table, "five_spades", "six_clubs", "pass", "six_hearts", "pass", "seven_clubs")
    do(table, "pass", "whist")
    bids = {0: ["five_spades"], 1: ["six_clubs", "seven_clubs"], 3: ["six_hearts"]}
    for seat in range(4):
        seen = table.game.features.named(table.observe(seat))
        for offset in range(4):
            other = (seat + offset) % 4
            shown = [BIDS[bid] for bid in np.flatnonzero(seen["bids"][offset])]
            assert shown == bids.get(other, [])
            assert seen["passed"][offset] == (other != 1)
            assert seen["caller"][offset] == (other == 1)
            assert seen["partner"][offset] == (other == 2)
        assert [BIDS[bid] for bid in np.flatnonzero(seen["contract"])] == [
            "seven_clubs"
        ]
        assert seen["target"] == 12
        assert seen["phase"].tolist() == [0, 0, 0, 1]
        assert seen["trump"].tolist() == [1, 0, 0, 0]


def test_a_discard_is_seen_by_its_owner_alone() -> None:
    table = contract_of("little_spread")
    discarded = []
    for seat in range(4):
        discarded.append(table.legal_actions()[seat])
        table.apply(discarded[-1])
    for seat in range(4):
        seen = table.game.features.named(table.observe(seat))
        assert np.flatnonzero(seen["discard"]).tolist() == [discarded[seat]]
        others = [discarded[other] for other in range(4) if other != seat]
        for name in ("hand", "exposed", "played"):
            assert not seen[name].reshape(-1, 52)[:, others].any()
        notes = dict(table.game.rules.notes(table.record, seat))
        card = table.game.action_names[discarded[seat]]
        assert notes["discards"] == f"player_{seat} {card}"
        state = table.game.state_features.named(table.state(seat))
        for offset in range(4):
            shown = np.flatnonzero(state["discards"][offset]).tolist()
            assert shown == [discarded[(seat + offset) % 4]]


def test_pictures_tell_calls_contract_and_pool() -> None:
    table = fontainebleau().new_table(0, dealer=3, pool=10)
    do(table, "pass", "six_clubs")
    assert table.game.rules.notes(table.record, 0) == (
        ("pool", "15"),
        ("calls", "player_0 (out), player_1 six_clubs"),
    )
    do(table, "pass", "pass", "whist")
    assert table.game.rules.notes(table.record, 3)[2] == (
        "contract",
        "six_clubs by player_1 and player_2: 10 tricks",
    )


# Positions and options --------------------------------------------------------------


def test_a_given_deal_is_dealt_exactly() -> None:
    for dealer in range(4):
        table = fontainebleau().new_table(0, deal=SEVEN_HEARTS, dealer=dealer)
        assert names_of(table.record.hands[0])[-7:] != []
        assert {"HA", "H8"} < set(names_of(table.record.hands[0]))
        assert table.agent == (dealer + 1) % 4
        # Four, four and five cards at a time.
        eldest = table.record.hands[(dealer + 1) % 4]
        packets = [*range(4), *range(16, 20), *range(32, 37)]
        assert {int(table.record.pack[card]) for card in packets} == set(
            members(eldest)
        )


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": 5}, TypeError, "deal=5 must be a text"),
        ({"deal": "N:AK"}, ValueError, "is not a deal"),
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat"),
        ({"pool": -1}, ValueError, "pool=-1 must be a whole number from 0 to 100000"),
        ({"pool": 1.5}, ValueError, "pool=1.5 must be a whole number"),
        ({"turned": "S2"}, TypeError, "deal, dealer, pool"),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_changes_nothing(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = fontainebleau().new_table(0)
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suit_order": "SHDC"}, "suit_order='SHDC' .*'DHCS' or 'HDCS'"),
        ({"deals": 0}, "deals=0 must be a whole number from 1 to 100, or None"),
        ({"deals": 3, "episode": "game"}, "only with episode='deal'"),
        ({"episode": "rubber"}, "episode='rubber' .*'deal' or 'game'"),
        ({"reward": "tricks"}, "reward='tricks' .*'points' or 'match'"),
        ({"honours_on_failure": False}, "only with honours=True"),
        ({"slam": 1001}, "slam=1001 must be a whole number from 0 to 1000"),
        ({"level_step": -1}, "level_step=-1 must be a whole number from 0 to 50"),
        ({"partner": "yes"}, "partner='yes'"),
        ({"level_growth": 21}, "level_growth=21 must be a whole number from 0 to 20"),
        ({"black_suits": "apart"}, "'alike' or 'differ'"),
        ({"under_trick": 51}, "under_trick=51 .* from 0 to 50, or None"),
        ({"slam_failure": "none"}, "'flat' or 'by_tricks'"),
        ({"passed_stake": "kept"}, "'stays' or 'returned'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fontainebleau(**options)


def test_reasons_say_what_is_wrong() -> None:
    def why(table: Table, action: str) -> str:
        number = table.game.action_names.index(action)
        assert number not in table.legal_actions()
        return table.game.rules.reason(table.record, number)

    table = fontainebleau().new_table(0, deal=SEVEN_HEARTS, dealer=3)
    assert "during the bidding" in why(table, "HA")
    assert "before the bidding is over" in why(table, "whist")
    do(table, "six_hearts")
    assert why(table, "six_clubs") == (
        "the bid is not higher than six_hearts of player_0"
    )
    do(table, "pass", "pass", "pass")
    assert "player_0 asks for a partner" in why(table, "HA")
    do(table, "pass", "pass", "pass")
    assert "a card is due" in why(table, "pass")
    assert "does not hold H2" in why(table, "H2")
    do(table, "HA")
    held = next(
        name
        for name in names_of(table.record.hands[1])
        if parse_card(name) not in table.legal_actions()
    )
    assert "must be followed" in why(table, held)
    table = contract_of("little_misere", SEVEN_HEARTS)
    assert "cannot be discarded" in why(table, "H2")


# The oracle -------------------------------------------------------------------------


def test_play_agrees_with_the_oracle_at_every_step() -> None:
    contracts: collections.Counter[str] = collections.Counter()
    partners = 0
    for seed in range(1200):
        table = compare_episode(
            "boston_de_fontainebleau",
            FontainebleauReferee,
            random_options(random.Random(seed)),
            seed,
        )
        bid = int(table.record.contract)
        contracts[rules.RUNG_NAMES[rules.RUNGS[bid]] if bid >= 0 else "pass"] += 1
        partners += int(table.record.partner >= 0)
    assert set(contracts) == {"pass", *LADDER}
    assert partners > 50


def test_both_have_the_same_options() -> None:
    fields = rules.FontainebleauOptions.__dataclass_fields__
    common = set(PlayOptions.__dataclass_fields__)
    assert set(fields) - set(DEFAULTS) == {"dealer", *common}
    assert {name: fields[name].default for name in DEFAULTS} == DEFAULTS
    words = {name for name in DEFAULTS if "values" in fields[name].metadata}
    assert words - {"episode", "honours_on_failure"} <= set(READINGS)
