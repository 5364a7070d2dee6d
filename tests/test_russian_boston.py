"""Russian Boston: its contract, its differences one by one, and its oracle."""

from __future__ import annotations

import collections
import random
from typing import Any

import numpy as np
import pytest
from contract import contract
from fontainebleau_tables import (
    PLAIN_DEAL,
    FontainebleauReferee,
    bought,
    compare_episode,
    do,
    finish,
    legal_names,
    piles,
    random_options,
)
from oracle_boston_de_fontainebleau import BIDS
from oracle_russian_boston import ACTIONS, SOLO_BIDS, RussianMatch
from whist_tables import deal_with

from whist_env import IllegalAction, game
from whist_env.engine.sight import PlayOptions
from whist_env.envs.game import Game
from whist_env.envs.table import Table
from whist_env.games import boston_de_fontainebleau as fontainebleau
from whist_env.games import russian_boston as rules


class RussianReferee(FontainebleauReferee):
    """The slow oracle of Russian Boston as a referee."""

    oracle = RussianMatch


TestRussianBoston = contract(
    "russian_boston",
    RussianReferee,
    {},
    {"deals": 2, "carte_blanche": "auto", "five_with_partner": None},
    {
        "deals": 2,
        "carte_blanche_hand": "no_court_card",
        "carte_blanche_contracts": "all",
        "reward": "match",
    },
    piles=piles,
)


def russian(**options: Any) -> Game:
    return game("russian_boston", **options)


def contract_of(bid: str, deal: str = PLAIN_DEAL, **how: Any) -> Table:
    """A table at which seat 0 has the contract, dealt by seat 3 to an empty pool."""
    return bought(russian(**how), bid, deal)


# The dealer is seat 3, who has put 5 into the pool.

# The worked examples of the rules ---------------------------------------------------


def test_allies_in_seven_diamonds_with_twelve_tricks_and_three_honours() -> None:
    strong = deal_with("DA DK DT D9 D8", "DQ", "DJ D7 D6 SA HA CA SK HK CK")
    table = contract_of("seven_diamonds", strong)
    do(table, "pass", "whist")
    assert table.record.target == 11
    assert finish(table, 12) == [85 + 3, -85, 85 + 2, -85 - 5]


def test_a_declared_carte_blanche_gets_ten_from_each_other_player() -> None:
    blank = deal_with("HA HK HQ HJ HT H9", "H8 H7 H6 H5", "", "H4 H3 H2")
    table = contract_of("nine_hearts", blank)
    do(table, "silent", "HA", "silent", "H8")
    assert legal_names(table) == ["declare", "silent"]
    do(table, "declare")
    assert table.rewards() == table.returns() == [-10, -10, 30, -10]
    assert table.agent == 2
    assert legal_names(table)[-1] not in ("declare", "silent")


def test_eight_spades_solo_with_four_honours() -> None:
    deal = deal_with("SA SK SQ SJ ST S9 S8")
    table = contract_of("eight_spades_solo", deal)
    assert finish(table, 8) == [270 + 5, -90, -90, -90 - 5]


def test_six_clubs_open_that_nobody_accepts() -> None:
    table = contract_of("six_clubs", deal_with("CT C9 C8"))
    do(table, "pass", "pass", "pass")
    assert finish(table, 5) == [-140, 35, 35, 35 - 5]
    assert table.record.pool == 35 + 5


def test_allies_in_six_hearts_a_trick_short_pay_the_odd_counter_of_the_caller() -> None:
    deal = deal_with("HA HT H9 H8 SA CA", "HK HJ", "HQ H7 H6 DA SK CK")
    table = contract_of("six_hearts", deal)
    do(table, "pass", "whist")
    assert table.record.target == 10
    assert finish(table, 9) == [-45 - 23, 45, -45 - 22, 45 - 5]


# Open and solo bids -----------------------------------------------------------------


def test_the_actions_of_fontainebleau_come_first() -> None:
    names = russian().action_names
    assert names[:109] == fontainebleau.ACTION_NAMES
    assert names == tuple(ACTIONS)
    assert len(names) == 126
    assert names[109] == "six_spades_solo"
    assert names[-3:] == ("eight_grand_solo", "declare", "silent")


def test_open_and_solo_rank_alike() -> None:
    for solo in SOLO_BIDS:
        openly = solo.removesuffix("_solo")
        legal = []
        for bid in (openly, solo):
            table = russian(dealer=3).new_table(0)
            do(table, bid)
            legal.append(set(legal_names(table)))
        assert legal[0] == legal[1]
        assert not legal[0] & {openly, solo}
        higher = fontainebleau.BID_NAMES.index(openly) + 1
        every = {
            *fontainebleau.BID_NAMES[higher:],
            *(f"{bid}_solo" for bid in fontainebleau.BID_NAMES[higher:]),
        }
        assert legal[0] == {"pass", *(every & set(ACTIONS))}


def test_open_bids_of_six_to_eight_need_four_more_with_a_partner() -> None:
    for bid, target in (("five", 8), ("six", 10), ("seven", 11), ("eight", 12)):
        table = contract_of(f"{bid}_clubs")
        for seat in (1, 2, 3):
            assert table.agent == seat
            taken = table.clone()
            do(taken, "whist")
            assert (taken.record.partner, taken.record.target) == (seat, target)
            do(table, "pass")
        assert table.record.partner == -1
        assert table.record.phase == fontainebleau.PLAY
        assert (
            table.record.target
            == fontainebleau.TRICKS_BID[fontainebleau.RUNG_NAMES.index(bid)]
        )


def test_solo_bids_and_all_others_have_no_partner() -> None:
    for bid in (*SOLO_BIDS, "nine_clubs", "slam_grand", "grand_misere"):
        table = contract_of(bid)
        assert table.record.phase == fontainebleau.PLAY
        assert table.record.partner == -1


def test_an_open_bid_over_a_solo_one_is_open() -> None:
    table = russian(dealer=3).new_table(0)
    do(table, "six_clubs_solo", "seven_clubs", "pass", "pass", "pass")
    assert table.record.phase == fontainebleau.ACCEPT
    table = russian(dealer=3).new_table(0)
    do(table, "six_clubs", "six_hearts_solo", "pass", "pass", "pass")
    assert table.record.phase == fontainebleau.PLAY


def test_nobody_says_solo_where_no_partner_is_taken() -> None:
    names = game("russian_boston").action_names
    solo = {action for action, name in enumerate(names) if name.endswith("_solo")}
    with_partners = game("russian_boston").new_table(0)
    assert solo <= set(with_partners.legal_actions())
    alone = game("russian_boston", partner=False).new_table(0)
    assert not solo & set(alone.legal_actions())
    with pytest.raises(IllegalAction, match="none is taken"):
        alone.apply(min(solo))


def test_five_may_need_nine_or_find_no_partner() -> None:
    table = contract_of("five_clubs", five_with_partner=9)
    do(table, "whist")
    assert table.record.target == 9
    assert (
        contract_of("five_clubs", five_with_partner=None).record.phase
        == fontainebleau.PLAY
    )
    assert contract_of("six_clubs", partner=False).record.phase == fontainebleau.PLAY


def test_honours_count_unless_it_is_agreed_that_they_do_not() -> None:
    four = deal_with("SA SK SQ SJ ST")
    assert finish(contract_of("nine_spades", four), 7)[1] == 90 + 10 + 20
    assert finish(contract_of("nine_spades", four, honours=False), 7)[1] == 90 + 10


# Carte blanche ----------------------------------------------------------------------

# Hearts are trumps: seat 2 has none. Seat 3 has hearts, but no court card.
BLANK = deal_with(
    "HA HK HQ HJ HT H9",
    "H8 H7 H6 H5",
    "SK SQ SJ DK DQ DJ CK CQ CJ",
    "H4 H3 H2 SA ST S9 S8 DA DT D9 CA CT C9",
)


def answers(table: Table) -> dict[int, list[str]]:
    """What each seat is asked before its first card; all are silent if they may be."""
    asked = {}
    for seat in range(4):
        assert table.agent == seat
        assert table.record.asking
        asked[seat] = legal_names(table)
        do(table, asked[seat][-1])
        assert table.agent == seat
        assert not table.record.asking
        table.apply(table.legal_actions()[0])
    for _ in range(48):
        assert not table.record.asking
        table.apply(table.legal_actions()[0])
    return asked


def test_every_seat_is_asked_once_and_who_holds_a_trump_is_silent() -> None:
    either = ["declare", "silent"]
    asked = answers(contract_of("nine_hearts", BLANK))
    assert asked[2] == either
    assert asked[0] == asked[1] == asked[3] == ["silent"]
    other = contract_of("nine_hearts", BLANK, carte_blanche_hand="no_court_card")
    asked = answers(other)
    assert asked[3] == either
    assert asked[0] == asked[2] == ["silent"]


def test_a_carte_blanche_may_have_to_be_declared() -> None:
    table = contract_of("nine_hearts", BLANK, carte_blanche="auto")
    asked = answers(table)
    assert asked[2] == ["declare"]
    assert asked[0] == asked[1] == asked[3] == ["silent"]


def test_nobody_is_asked_where_there_are_no_trumps() -> None:
    for bid in ("five_grand", "slam_grand", "grand_misere", "piccolissimo"):
        table = contract_of(bid, BLANK)
        while not table.is_over:
            assert not table.record.asking
            assert not {"declare", "silent"} & set(legal_names(table))
            table.apply(table.legal_actions()[0])


def test_a_hand_without_court_cards_may_be_declared_in_every_contract() -> None:
    how = {"carte_blanche_hand": "no_court_card", "carte_blanche_contracts": "all"}
    for bid in ("nine_hearts", "nine_grand", "grand_misere"):
        asked = answers(contract_of(bid, BLANK, **how))
        assert asked[1] == asked[3] == ["declare", "silent"]
        assert asked[0] == asked[2] == ["silent"]


def test_a_court_card_that_was_discarded_counts() -> None:
    how = {"carte_blanche_hand": "no_court_card", "carte_blanche_contracts": "all"}
    one_king = deal_with("", "HK S9 S8 S7 S6 S5 S4 D9 D8 D7 D6 D5 D4")
    table = contract_of("little_misere", one_king, **how)
    for seat in range(4):
        card = "HK" if seat == 1 else legal_names(table)[0]
        do(table, card)
    do(table, "silent")
    table.apply(table.legal_actions()[0])
    assert table.agent == 1
    assert legal_names(table) == ["silent"]


def test_all_see_who_declared_and_that_the_hand_is_void() -> None:
    table = contract_of("nine_hearts", BLANK)
    do(table, "silent", "HA", "silent", "H8")
    part = table.game.features.part
    for seat in range(4):
        assert part(table.observe(seat), "asking") == 1
        assert not part(table.observe(seat), "voids").any()
    do(table, "declare")
    for seat in range(4):
        seen = table.game.features.named(table.observe(seat))
        turned = np.roll(seen["answers"], seat, axis=0).tolist()
        assert turned == [[0, 1], [0, 1], [1, 0], [0, 0]]
        assert seen["voids"][(2 - seat) % 4].tolist() == [0, 0, 1, 0]
        assert seen["asking"] == 0
    assert table.game.rules.notes(table.record, 1)[-1] == ("carte blanche", "player_2")


def test_a_hand_without_court_cards_is_not_said_to_be_void() -> None:
    table = contract_of("nine_hearts", BLANK, carte_blanche_hand="no_court_card")
    do(table, "silent", "HA", "silent", "H8", "silent")
    table.apply(table.legal_actions()[0])
    voids = table.record.voids.tolist()
    do(table, "declare")
    assert table.rewards() == [-10, -10, -10, 30]
    assert table.record.voids.tolist() == voids


def test_solo_bids_are_seen_by_all_and_forgotten_after_the_deal() -> None:
    table = russian(deals=2, dealer=3).new_table(0)
    do(table, "six_clubs_solo", "seven_hearts", "seven_grand_solo")
    for seat in range(4):
        seen = table.game.features.named(table.observe(seat))
        said = [SOLO_BIDS[form] for form in np.flatnonzero(seen["solos"])]
        assert said == ["six_clubs_solo", "seven_grand_solo"]
    notes = dict(table.game.rules.notes(table.record, 0))
    assert notes["solo"] == "six_clubs, seven_grand"
    do(table, "pass", "pass", "pass")
    while table.record.deals_played == 0:
        table.apply(table.legal_actions()[0])
    fresh = table.game.features.named(table.observe(0))
    assert not fresh["solos"].any()
    assert not fresh["answers"].any()
    assert not table.record.asking


def test_answers_are_forgotten_after_the_deal() -> None:
    table = bought(russian(deals=2), "nine_hearts", BLANK)
    while table.record.deals_played == 0:
        table.apply(table.legal_actions()[0])
    assert table.record.answers.tolist() == [0] * 4


# Positions and options --------------------------------------------------------------


def test_reasons_say_what_is_wrong() -> None:
    def why(table: Table, action: str) -> str:
        number = table.game.action_names.index(action)
        assert number not in table.legal_actions()
        return table.game.rules.reason(table.record, number)

    table = russian().new_table(0, deal=BLANK, dealer=3)
    assert why(table, "declare") == "a carte blanche is declared after the bidding"
    do(table, "seven_hearts")
    assert "not higher than seven_hearts" in why(table, "seven_hearts_solo")
    do(table, "nine_hearts", "pass", "pass", "pass")
    assert "holds a trump" in why(table, "declare")
    assert "first a carte blanche is declared" in why(table, "HA")
    do(table, "silent")
    assert "a card is due" in why(table, "silent")
    table = contract_of("nine_hearts", BLANK, carte_blanche_hand="no_court_card")
    assert "king, queen or jack" in why(table, "declare")
    table = contract_of("nine_hearts", BLANK, carte_blanche="auto")
    do(table, "silent", "HA", "silent", "H8")
    assert "always declared" in why(table, "silent")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"carte_blanche": "never"}, "carte_blanche='never' .*'optional' or 'auto'"),
        ({"carte_blanche_hand": "x"}, "'no_trump' or 'no_court_card'"),
        (
            {"carte_blanche_contracts": "all"},
            "only with carte_blanche_hand='no_court_card'",
        ),
        ({"five_with_partner": 5}, "from 6 to 13, or None"),
        ({"partner": False, "five_with_partner": 9}, "only with partner=True"),
        ({"honours": False, "honours_on_failure": False}, "only with honours=True"),
        ({"suit_order": "SHDC"}, "suit_order='SHDC' .*'DHCS' or 'HDCS'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        russian(**options)


def test_a_position_that_cannot_be_is_refused_and_changes_nothing() -> None:
    table = russian().new_table(0)
    before = table.to_bytes()
    for position in ({"deal": "N:AK"}, {"dealer": 4}, {"pool": -1}):
        with pytest.raises(ValueError, match=r"is not a|must be a whole number"):
            table.reset(**position)
        assert table.to_bytes() == before


# The oracle -------------------------------------------------------------------------


def russian_options(rng: random.Random) -> dict[str, Any]:
    options = random_options(rng)
    if options["partner"]:
        options["five_with_partner"] = rng.choice([8, 9, None])
    options["carte_blanche"] = rng.choice(["optional", "auto"])
    options["carte_blanche_hand"] = rng.choice(["no_trump", "no_court_card"])
    if options["carte_blanche_hand"] == "no_court_card":
        options["carte_blanche_contracts"] = rng.choice(["with_trumps", "all"])
    return options


def test_play_agrees_with_the_oracle_at_every_step() -> None:
    seen: collections.Counter[str] = collections.Counter()
    for seed in range(1200):
        options = russian_options(random.Random(seed))
        record = compare_episode("russian_boston", RussianReferee, options, seed).record
        seen["declared"] += int((record.answers == rules.DECLARED).sum())
        seen["solo"] += int(record.solos > 0)
        seen["partner"] += int(record.partner >= 0)
    assert min(seen[what] for what in ("declared", "solo", "partner")) > 20


def amount(bid: str, tricks: int, **options: Any) -> int:
    """What a contract that is played alone is worth with so many tricks."""
    record = russian(honours=False, **options).new_records(1)[0]
    fontainebleau.deal_out(record)
    record.contract = BIDS.index(bid)
    record.caller = 0
    fontainebleau.end_bidding(record, 0)
    record.tricks_won[0] = tricks
    return int(fontainebleau.amount(record))


def test_the_numbers_of_the_table_are_options_here_too() -> None:
    steps = {"level_step": 7, "suit_step": 3}
    assert amount("eight_diamonds", 8) == 90
    assert amount("eight_diamonds", 8, **steps) == 3 * 7 + 3 * 3
    assert amount("slam_grand", 13) == 550
    slams = {"slam": 100, "exposed_slam": 200, "slam_step": 1}
    assert amount("slam_grand", 13, **slams) == 103
    assert amount("exposed_slam_diamonds", 13, **slams) == 202
    for bid, price in (("little_spread", 200), ("grand_spread", 250)):
        assert amount(bid, 0) == price
        assert amount(bid, 0, **{bid: 7}) == 7


def test_both_have_the_same_options() -> None:
    fields = rules.RussianBostonOptions.__dataclass_fields__
    defaults = RussianMatch.defaults
    assert {name: fields[name].default for name in defaults} == defaults
    common = set(PlayOptions.__dataclass_fields__)
    assert set(fields) - set(defaults) == {"dealer", *common}
