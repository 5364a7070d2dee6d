"""Bridge Whist by its rule sheet: every example, every option, every call."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import oracle_bridge_whist as oracle
import pytest
from contract import Options, contract
from whist_tables import deal_with, play_deal

import whist_env
from whist_env import IllegalAction, Table, bridge_whist_v0
from whist_env.cards import deal_text, members, parse_card, parse_deal
from whist_env.engine.sight import PlayOptions
from whist_env.games import bridge_whist
from whist_env.games.bridge_whist import BridgeWhistOptions

ANY_DEAL = deal_with()
CALLS = oracle.ACTIONS[52:]


class BridgeReferee:
    """The slow oracle of Bridge Whist as a referee."""

    match: oracle.Match
    current: oracle.Deal | None = None

    def __init__(self, options: Options) -> None:
        known = {field.name for field in dataclasses.fields(oracle.Options)}
        own = {name: value for name, value in options.items() if name in known}
        self.options = oracle.Options(**own)

    def deal(self, table: Table) -> None:
        record = table.record
        if self.current is None:
            self.match = oracle.Match(self.options, int(record.dealer))
        assert self.match.dealer == record.dealer
        hands = [[oracle.PACK[card] for card in members(h)] for h in record.hands]
        self.current = self.match.start_deal(hands)
        self.played: set[int] = set()

    def agent(self) -> int:
        assert self.current is not None
        return -1 if self.match.over else self.current.agent

    def legal_actions(self) -> list[int]:
        assert self.current is not None
        return sorted(map(oracle.ACTIONS.index, self.current.legal(self.options)))

    def play(self, action: int) -> list[int]:
        self.played.add(action)
        return self.match.play(oracle.ACTIONS[action])

    def knows(self, agent: int) -> set[int]:
        assert self.current is not None
        hands = [agent, *([self.current.dummy] if self.current.cards_played else [])]
        return self.played.union(
            *(
                {oracle.PACK.index(card) for card in self.current.dealt[h]}
                for h in hands
            )
        )


TestBridgeWhist = contract(
    "bridge_whist",
    BridgeReferee,
    {},
    {"episode": "rubber"},
    {"episode": "game", "reward": "match", "chicane": "deducted"},
    {"deals": 3, "reward": "tricks", "history": "last_trick"},
    {"revokes": "penalty", "deals": 2},
    {"max_trick_value": None, "max_doubles": 3, "dealer": 2, "notrump_value": 12},
)


# Helpers ----------------------------------------------------------------------------


def bridge_game(**options: Any) -> whist_env.Game:
    return whist_env.game("bridge_whist", **options)


def call(table: Table, *names: str) -> Table:
    """Make these calls, or play these cards, one after another."""
    for name in names:
        table.apply(table.game.action_names.index(name))
    return table


def new_table(deal: str = ANY_DEAL, dealer: int = 0, **how: Any) -> Table:
    position = {key: how.pop(key) for key in ("scores", "games") if key in how}
    return bridge_game(**how).new_table(0, deal=deal, dealer=dealer, **position)


def legal_names(table: Table) -> list[str]:
    return [table.game.action_names[action] for action in table.legal_actions()]


def feature(table: Table, agent: int, name: str) -> Any:
    return table.game.features.part(table.observe(agent), name).astype(int)


def scored(
    declared: str,
    tricks: int,
    deal: str = ANY_DEAL,
    doubles: int = 0,
    **how: Any,
) -> Any:
    """The record after a deal of seat 0 in which side 0 takes this many tricks."""
    position = {key: how.pop(key) for key in ("scores", "games") if key in how}
    record = bridge_game(**how).new_records(1)[0]
    record.deal_number = -1
    bridge_whist.set_up(record, deal=deal, dealer=0, **position)
    enter(record, declared, tricks, doubles)
    return record


def enter(record: Any, declared: str, tricks: int, doubles: int = 0) -> None:
    """Score the deal on the table as if it had been played with this result."""
    bridge_whist.declare(record, 52 + CALLS.index(declared))
    record.phase = bridge_whist.PLAY
    record.doubles = doubles
    record.tricks_won[:] = [tricks, 13 - tricks, 0, 0]
    record.tricks_played = 13
    bridge_whist.begin_action(record)
    bridge_whist.end_deal(record)


def columns(record: Any) -> list[list[int]]:
    """What each side has below and above the line, in the whole episode."""
    return [(record.points - record.above).tolist(), record.above.tolist()]


# The worked examples of the rules ---------------------------------------------------


def test_three_odd_tricks_in_hearts_and_four_honours_in_one_hand() -> None:
    record = scored("hearts", 9, deal_with("HA HK HQ HJ", "HT"))
    assert columns(record) == [[24, 0], [64, 0]]


def test_the_adversaries_score_doubled_tricks_and_the_dealer_plain_honours() -> None:
    deal = deal_with("SA SK SQ", "SJ ST")
    assert columns(scored("spades", 5, deal, 2)) == [[0, 16], [4, 0]]


def test_a_grand_slam_at_no_trump_with_three_aces() -> None:
    deal = deal_with("SA HA", "CA", "DA")
    assert columns(scored("notrump", 13, deal)) == [[70, 0], [40 + 30, 0]]
    game = scored("notrump", 13, deal, episode="game")
    assert (game.games.tolist(), game.over) == ([1, 0], 1)


def test_five_honours_divided_three_and_two() -> None:
    deal = deal_with("DA DK DQ", "", "DJ DT")
    assert columns(scored("diamonds", 7, deal))[1] == [30, 0]
    assert columns(scored("diamonds", 7, deal, five_honours=4))[1] == [24, 0]


NORTH_VOID = deal_with(
    "SA SK SQ SJ ST S9 S8 HA HK HQ HJ HT H9", "CJ CT C9 C8", "CA CK CQ"
)
"""North, the dealer, has no club, and South three honours in clubs."""


def test_a_hand_without_a_trump_counts_besides_honours() -> None:
    assert columns(scored("clubs", 7, NORTH_VOID))[1] == [8 + 8, 0]


def test_four_doubles_in_hearts_reach_the_limit() -> None:
    values = [columns(scored("hearts", 8, doubles=n))[0][0] for n in range(5)]
    assert values == [16, 32, 64, 128, 200]


def test_a_rubber_of_three_games_is_settled_by_its_columns() -> None:
    record = bridge_game(episode="rubber", dealer=0).new_records(1)[0]
    record.deal_number = -1
    bridge_whist.set_up(record, games=(1, 1))
    record.above[:] = [120, 48]
    record.points[:] = [92 - 40 + 120, 60 + 48]
    # A last game of four odd tricks at no trump, without aces or other extras.
    record.dealt[:] = parse_deal(deal_with("SA HA", "CA DA"))
    enter(record, "notrump", 10)
    assert record.games.tolist() == [2, 1]
    assert columns(record) == [[92, 60], [120 + 100, 48]]
    assert record.points.tolist() == [312, 108]
    assert bridge_whist.points_made(np.array([record]))[0].tolist() == [
        *(204, -204, 204, -204)
    ]
    assert record.winning_side == 0


# Declaring --------------------------------------------------------------------------


def test_the_dealer_declares_or_passes_it_to_his_partner_who_must() -> None:
    table = new_table(dealer=3)
    assert table.agent == 3
    names = ["spades", "clubs", "diamonds", "hearts", "notrump"]
    assert legal_names(table) == [*names, "pass_to_partner"]
    call(table, "pass_to_partner")
    assert table.agent == 1
    assert legal_names(table) == names
    call(table, "diamonds")
    assert table.record.trump == 1
    assert (table.record.declarer, table.record.dealer) == (1, 3)
    # Who named them makes no difference to the play: the eldest hand leads.
    call(table, "pass", "pass")
    assert (table.agent, table.record.leader) == (0, 0)


@pytest.mark.parametrize(
    ("name", "suit", "value"),
    [
        ("spades", 3, 2),
        ("clubs", 0, 4),
        ("diamonds", 1, 6),
        ("hearts", 2, 8),
        ("notrump", -1, 10),
    ],
)
def test_a_declaration_makes_trumps_and_the_value_of_a_trick(
    name: str, suit: int, value: int
) -> None:
    table = call(new_table(), name)
    assert table.record.trump == suit
    assert feature(table, 1, "trick_value").tolist() == [0, 0, value]


def test_the_eldest_hand_leads_and_no_card_is_turned() -> None:
    for dealer in range(4):
        table = call(new_table(dealer=dealer), "notrump", "pass", "pass")
        assert table.agent == table.record.leader == (dealer + 1) % 4
        assert len(table.legal_actions()) == 13
        assert "turned" not in table.game.features


# Doubling ---------------------------------------------------------------------------


def turns(table: Table, calls: list[str]) -> list[int]:
    """Who makes each call, and who acts after the last."""
    agents = []
    for name in calls:
        agents.append(table.agent)
        call(table, name)
    return [*agents, table.agent]


@pytest.mark.parametrize(
    ("calls", "agents"),
    [
        # Dealer 0; the eldest hand is 1, his partner 3.
        (["spades", "pass", "pass"], [0, 1, 3, 1]),
        (["spades", "double", "pass", "pass"], [0, 1, 0, 2, 1]),
        (["spades", "pass", "double", "pass", "pass"], [0, 1, 3, 0, 2, 1]),
        # Doubled, the player who named the trump is asked first.
        (["pass_to_partner", "clubs", "double", "pass"], [0, 2, 1, 2, 0]),
        # Redoubled, the player who doubled first is asked first.
        (["spades", "double", "redouble", "pass"], [0, 1, 0, 1, 3]),
        (["spades", "pass", "double", "redouble", "pass"], [0, 1, 3, 0, 3, 1]),
        (
            ["spades", "pass", "double", "pass", "redouble", "pass", "redouble"],
            [0, 1, 3, 0, 2, 3, 1, 0],
        ),
        (
            ["spades", "double", "pass", "redouble", "redouble", "redouble", "pass"],
            [0, 1, 0, 2, 1, 0, 1, 3],
        ),
    ],
)
def test_the_sides_double_in_turn(calls: list[str], agents: list[int]) -> None:
    table = new_table()
    assert turns(table, calls) == agents
    plays = calls[-2:] == ["pass", "pass"]
    assert (table.record.phase == bridge_whist.PLAY) == plays
    assert table.record.doubles == sum(name.endswith("double") for name in calls)


LADDERS = {
    "spades": [2, 4, 8, 16, 32, 64, 100],
    "clubs": [4, 8, 16, 32, 64, 100],
    "diamonds": [6, 12, 24, 48, 96, 100],
    "hearts": [8, 16, 32, 64, 100],
    "notrump": [10, 20, 40, 80, 100],
}


@pytest.mark.parametrize("declared", LADDERS)
def test_doubling_stops_at_a_hundred_a_trick(declared: str) -> None:
    table = call(new_table(), declared)
    for doubles, value in enumerate(LADDERS[declared]):
        digits = feature(table, 0, "trick_value")
        assert digits.tolist() == [0, value // 100, value % 100]
        name = "redouble" if doubles else "double"
        if value == 100:
            assert legal_names(table) == ["pass"]
            message = "a trick counts 100, the most that it may"
            with pytest.raises(IllegalAction, match=message):
                call(table, "redouble")
            return
        assert legal_names(table) == [name, "pass"]
        call(table, name)
    raise AssertionError("the ladder ends at 100")


def test_another_limit_may_be_set() -> None:
    table = call(new_table(max_trick_value=1000), "spades", "double")
    for _ in range(8):
        call(table, "redouble")
    assert legal_names(table) == ["pass"]
    assert feature(table, 0, "trick_value").tolist() == [0, 10, 0]
    assert table.record.doubles == 9
    table = call(new_table(max_trick_value=12, notrump_value=12), "notrump")
    assert legal_names(table) == ["pass"]


@pytest.mark.parametrize("most", [1, 6, 10])
def test_without_a_limit_the_number_of_doubles_is_bounded(most: int) -> None:
    table = new_table(max_trick_value=None, max_doubles=most, notrump_value=12)
    call(table, "notrump", "double")
    for _ in range(most - 1):
        call(table, "redouble")
    assert legal_names(table) == ["pass"]
    value = 12 * 2**most
    digits = [value // 10000, value // 100 % 100, value % 100]
    assert feature(table, 3, "trick_value").tolist() == digits
    with pytest.raises(IllegalAction, match=f"all of the {most} doubles"):
        call(table, "double")
    assert oracle.value_of_a_trick(oracle.Options(), "notrump", most) == 100 or most < 4


# Dummy ------------------------------------------------------------------------------


def in_play(dealer: int = 0, deal: str = ANY_DEAL, **how: Any) -> Table:
    return call(new_table(deal, dealer, **how), "notrump", "pass", "pass")


def test_the_dealer_plays_the_hand_of_his_partner() -> None:
    for dealer in range(4):
        table = in_play(dealer)
        owner_acts = dealer_for_dummy = 0
        while not table.is_over:
            record = table.record
            seat = int(record.seat)
            if seat == (dealer + 2) % 4:
                assert table.agent == dealer
                dealer_for_dummy += 1
            else:
                assert table.agent == seat
                owner_acts += 1
            held = set(members(record.hands[seat]))
            assert set(table.legal_actions()) <= held
            for agent in range(4):
                place = (seat - agent) % 4
                assert np.flatnonzero(feature(table, agent, "to_act")) == [place]
                place = (table.agent - agent) % 4
                assert np.flatnonzero(feature(table, agent, "decides")) == [place]
            table.apply(table.legal_actions()[0])
        assert (owner_acts, dealer_for_dummy) == (39, 13)


def test_dummy_calls_for_himself_before_the_play() -> None:
    table = call(new_table(), "pass_to_partner")
    assert (table.agent, table.record.seat) == (2, 2)
    call(table, "spades", "double", "pass")
    assert (table.agent, table.record.seat) == (0, 0)


def test_dummy_lies_open_after_the_opening_lead_and_no_sooner() -> None:
    for dealer in range(4):
        table, dummy = new_table(dealer=dealer), (dealer + 2) % 4
        while not table.is_over:
            record = table.record
            lies_open = record.cards_played > 0
            for agent in range(4):
                hands = feature(table, agent, "open_hands")
                expected = np.zeros((4, 52), int)
                if lies_open and agent != dummy:
                    held = list(members(record.hands[dummy]))
                    expected[(dummy - agent) % 4, held] = 1
                assert (hands == expected).all()
                for seat in range(4):
                    seen = bridge_whist.visible(record, agent, seat)
                    own = seat == agent or (lies_open and seat == dummy)
                    assert seen == (record.hands[seat] if own else 0)
            table.apply(table.legal_actions()[-1])


def test_pictures_show_dummy_once_it_lies_open() -> None:
    env = bridge_whist_v0.env(render_mode="ansi", viewer=3)
    env.reset(options={"deal": ANY_DEAL, "dealer": 0})
    for name in ("notrump", "pass", "pass"):
        env.step(env.game.action_names.index(name))
    assert env.render().count("13 cards") == 3
    env.step(env.table.legal_actions()[0])
    text = env.render()
    assert text.count("13 cards") == 1
    assert text.count("12 cards") == 1
    assert "dummy        player_2, played by player_0" in text
    assert "declaration  notrump by player_0" in text
    assert "a trick      10" in text


def test_the_trick_goes_to_the_highest_trump_or_else_the_suit_led() -> None:
    deal = "N:AKQ.432.432.5432 432.AKQ.AKQ.AKQJ JT9.JT98.JT9.T98 8765.765.8765.76"
    table = new_table(deal)
    call(table, "spades", "pass", "pass")
    call(table, "CA", "C8", "C6", "C2")
    assert (table.agent, table.record.tricks_won.tolist()) == (1, [0, 1, 0, 0])
    call(table, "CK", "C9", "C7", "C3")
    # East has no third club and trumps; no duty to trump or to beat.
    call(table, "CQ", "CT", "S5", "C4")
    assert (table.agent, table.record.seat) == (3, 3)
    table = new_table(deal)
    call(table, "notrump", "pass", "pass")
    call(table, "CA", "C8", "C6", "C2", "CK", "C9", "C7", "C3", "CQ", "CT", "S5", "C4")
    assert table.agent == 1


# Honours, chicane, slams ------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "factor"),
    [
        ("SA SK", "", 0),
        ("SA SK", "SQ", 2),
        ("SA SK SQ", "", 2),
        ("SA SK", "SQ SJ", 4),
        ("SA SK SQ", "ST", 4),
        ("SA SK SQ", "SJ ST", 5),
        ("SA SK SQ SJ", "", 8),
        ("SA SK SQ ST", "SJ", 9),
        ("SA SK SQ SJ ST", "", 10),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_honours_count_by_the_value_of_a_trick(
    one: str, other: str, factor: int, side: int
) -> None:
    """In each suit, for each side; the rest of the honours is divided by the others."""
    for declared, value in oracle.VALUE.items():
        if declared == "notrump":
            continue
        suit = oracle.TRUMP[declared]
        rest = [f"S{rank}" for rank in "AKQJT" if f"S{rank}" not in f"{one} {other}"]
        hands = [one, " ".join(rest[::2]), other, " ".join(rest[1::2])]
        hands = [hand.replace("S", suit) for hand in hands]
        if side == 1:
            hands = [hands[3], *hands[:3]]
        record = scored(declared, 7, deal_with(*hands), doubles=3)
        assert columns(record)[1][side] == factor * value


@pytest.mark.parametrize(
    ("one", "other", "points"),
    [
        ("SA HA", "", 0),
        ("SA HA", "DA", 30),
        ("SA HA CA", "", 30),
        ("SA HA", "DA CA", 40),
        ("SA HA CA", "DA", 40),
        ("SA HA DA CA", "", 100),
    ],
)
def test_aces_count_at_no_trump(one: str, other: str, points: int) -> None:
    aces = [ace for ace in ("SA", "HA", "DA", "CA") if ace not in f"{one} {other}"]
    rest = " ".join(aces)
    for value in (10, 12):
        deal = deal_with(one, rest, other)
        record = scored("notrump", 7, deal, notrump_value=value)
        assert columns(record) == [[value, 0], [points, 0]]
        record = scored("notrump", 6, deal_with(rest, one, "", other), doubles=1)
        assert columns(record) == [[0, 20], [0, points]]


@pytest.mark.parametrize("tricks", range(14))
def test_slams_count_for_either_side_and_are_not_doubled(tricks: int) -> None:
    deal = deal_with("SA HA", "CA DA")
    record = scored("notrump", tricks, deal, doubles=2)
    points = {0: [0, 40], 1: [0, 20], 12: [20, 0], 13: [40, 0]}
    assert columns(record)[1] == points.get(tricks, [0, 0])


HEARTS = "HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 H3 H2"


def hearts_in(*hands: str) -> str:
    """A deal with all hearts where they are wanted, and no others elsewhere."""
    rest = [card for card in oracle.PACK if card[0] != "H"]
    dealt = [hand.split() for hand in hands]
    for hand in dealt:
        while len(hand) < 13:
            hand.append(rest.pop())
    bits = [sum(1 << parse_card(card) for card in hand) for hand in dealt]
    return deal_text(bits)


@pytest.mark.parametrize(
    ("hands", "scored_points", "deducted_points"),
    [
        # A chicane of side 0; its partner or the other side has the honours.
        (["", "HA HK HQ HJ HT H9", "H8 H7 H6 H5", "H4 H3 H2"], [16, 80], [0, 64]),
        (["", "H9 H8 H7 H6", "HA HK HQ HJ HT", "H5 H4 H3 H2"], [96, 0], [96, 0]),
        # Double chicane counts as four honours.
        (["", "HA HK HQ HJ HT H9", "", "H8 H7 H6 H5 H4 H3 H2"], [32, 80], [0, 48]),
        (["", "HA HK HQ H9 H8 H7", "", "HJ HT H6 H5 H4 H3 H2"], [32, 40], [0, 8]),
        # A chicane on each side; the honours of side 1 are less by that of side 0.
        (
            ["", "HA HK HQ H9 H8 H7", "HJ HT H6 H5 H4 H3 H2", ""],
            [16, 16 + 16],
            [0, 16 + 16 - 16],
        ),
        (["", HEARTS, "", ""], [32, 80 + 16], [0, 80 + 16 - 32]),
    ],
)
def test_chicane_is_scored_or_deducted(
    hands: list[str], scored_points: list[int], deducted_points: list[int]
) -> None:
    deal = hearts_in(*hands)
    assert columns(scored("hearts", 7, deal))[1] == scored_points
    assert columns(scored("hearts", 7, deal, chicane="deducted"))[1] == deducted_points
    # The difference is the same.
    assert np.subtract(*scored_points) == np.subtract(*deducted_points)


def test_no_trump_knows_no_chicane() -> None:
    # Each hand has one suit, and each side two aces.
    deal = hearts_in("", HEARTS, "", "")
    assert columns(scored("notrump", 7, deal))[1] == [0, 0]


# Games and rubbers ------------------------------------------------------------------

PLAIN = deal_with("SA HA", "CA DA")
"""Nothing above the line at no trump."""


def test_thirty_points_below_the_line_make_a_game() -> None:
    for before, won in ((19, False), (20, True)):
        record = scored("notrump", 7, PLAIN, episode="game", scores=(before, 29))
        assert record.over == won
        if not won:
            assert record.score.tolist() == [29, 29]
        else:
            assert record.games.tolist() == [1, 0]
            assert record.score.tolist() == [0, 0]
            assert record.winning_side == 0


def test_points_above_the_line_make_no_game() -> None:
    deal = deal_with("SA HA DA CA")
    record = scored("notrump", 7, deal, episode="game")
    assert columns(record) == [[10, 0], [100, 0]]
    assert record.score.tolist() == [10, 0]
    assert not record.over


def test_the_adversaries_win_games_as_well() -> None:
    record = scored("notrump", 3, PLAIN, episode="game", reward="match")
    assert record.games.tolist() == [0, 1]
    assert record.reward.tolist() == [-1, 1, -1, 1]


def test_a_rubber_is_two_games_and_a_hundred_points() -> None:
    record = scored("notrump", 10, PLAIN, episode="rubber")
    assert (record.over, record.games.tolist()) == (0, [1, 0])
    record.dealt[:] = parse_deal(PLAIN)
    enter(record, "notrump", 10)
    assert (record.over, record.games.tolist()) == (1, [2, 0])
    assert columns(record) == [[80, 0], [100, 0]]
    assert record.reward.tolist() == [140, -140, 140, -140]


def test_a_rubber_may_be_lost_by_the_totals() -> None:
    deal = deal_with("", "SA HA DA CA")
    record = scored("notrump", 10, deal, episode="rubber", reward="match")
    record.dealt[:] = parse_deal(deal)
    enter(record, "notrump", 10)
    assert record.games.tolist() == [2, 0]
    assert record.points.tolist() == [180, 200]
    assert record.winning_side == 1
    assert record.reward.tolist() == [-1, 1, -1, 1]


def test_a_number_of_deals_adds_up_without_games() -> None:
    record = scored("notrump", 10, PLAIN, deals=3)
    for tricks in (10, 2):
        assert not record.over
        record.dealt[:] = parse_deal(PLAIN)
        enter(record, "notrump", tricks)
    assert record.over
    assert columns(record) == [[80, 50], [0, 0]]
    assert record.games.tolist() == record.score.tolist() == [0, 0]
    assert record.winning_side == 0


def test_equal_points_have_no_winner() -> None:
    record = scored("notrump", 8, PLAIN, deals=2, reward="match")
    record.dealt[:] = parse_deal(PLAIN)
    enter(record, "notrump", 5)
    assert record.points.tolist() == [20, 20]
    assert record.over
    assert record.winning_side == -1
    assert record.reward.tolist() == [0, 0, 0, 0]
    assert bridge_whist.won(np.array([record])).tolist() == [[0.5] * 4]


def test_the_deal_passes_to_the_left() -> None:
    table = bridge_game(deals=6, dealer=2).new_table(0)
    rng = random.Random(0)
    for number in range(6):
        assert table.record.dealer == (2 + number) % 4
        assert table.agent == table.record.dealer
        while not table.is_over and table.record.deals_played == number:
            table.apply(rng.choice(table.legal_actions()))
    assert table.is_over


@pytest.mark.parametrize("tricks", [6, 7])
def test_rewards_are_the_points_of_a_deal_that_was_played(tricks: int) -> None:
    table = call(new_table(PLAIN), "hearts", "double", "pass", "pass")
    rewards = play_deal(table, tricks)
    points = table.record.points
    assert rewards[0] == rewards[2] == -rewards[1] == points[0] - points[1]
    assert (points - table.record.above).tolist() == (
        [16, 0] if tricks == 7 else [0, 16]
    )


@pytest.mark.parametrize(
    ("reward", "amount"), [("points", 100), ("tricks", 13), ("match", 1)]
)
@pytest.mark.parametrize("played", [0, 1, 2, 3, 10, 40])
def test_a_forfeit_costs_the_side_to_act(reward: str, amount: int, played: int) -> None:
    table = bridge_game(reward=reward).new_table(4)
    rng = random.Random(played)
    for _ in range(played):
        table.apply(rng.choice(table.legal_actions()))
    side = table.agent % 2
    before = np.array(table.returns())
    table.forfeit()
    assert table.is_over
    expected = [-amount if seat % 2 == side else amount for seat in range(4)]
    assert table.rewards() == expected
    assert table.returns() == (before + expected).tolist()
    assert table.record.winning_side == 1 - side
    finished = np.array([table.record], table.record.dtype)
    assert bridge_whist.won(finished)[0].tolist() == [side != s % 2 for s in range(4)]
    if reward == "points":
        assert bridge_whist.points_made(finished)[0].tolist() == expected


def test_measures_judge_finished_episodes_by_agent() -> None:
    record = scored("notrump", 9, PLAIN)
    measures = bridge_whist.RULES[0].measures
    judged = {name: f(np.array([record]))[0].tolist() for name, f in measures.items()}
    assert judged == {
        "points": [30, -30, 30, -30],
        "tricks": [2.5, -2.5, 2.5, -2.5],
        "won": [1, 0, 1, 0],
    }


# Information ------------------------------------------------------------------------


def calls_seen(table: Table, agent: int) -> tuple[Any, ...]:
    """All calls so far, as far as one observation tells them."""
    names = ("phase", "declaration", "declarer", "doubled_by", "passes", "decides")
    return tuple(feature(table, agent, name).tobytes() for name in names)


def test_an_observation_holds_every_call() -> None:
    """Follow all ways of calling to the play; no two look alike to anybody."""
    seen: dict[tuple[Any, ...], tuple[str, ...]] = {}
    waiting: list[tuple[Table, tuple[str, ...]]] = [
        (new_table(max_trick_value=None, max_doubles=4), ())
    ]
    while waiting:
        table, history = waiting.pop()
        for agent in range(4):
            key = (agent, *calls_seen(table, agent))
            assert key not in seen
            seen[key] = history
        if table.record.phase != bridge_whist.PLAY:
            waiting += [
                (call(table.clone(), name), (*history, name))
                for name in legal_names(table)
            ]
    # Eleven ways of declaring, each with as many ways of doubling.
    assert len(seen) > 4 * 10 * 50


def test_every_feature_shows_what_it_claims() -> None:
    for how in ({"episode": "rubber"}, {"deals": 4}, {"max_trick_value": None}):
        rng = random.Random(str(how))
        table = bridge_game(**how).new_table(1)
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
    assert np.flatnonzero(parts["hand"]).tolist() == list(members(record.hands[agent]))
    assert parts["phase"].argmax() == record.phase
    assert parts["declaration"].sum() == (record.declaration >= 0)
    if record.declaration >= 0:
        assert parts["declaration"].argmax() == record.declaration
        assert (parts["declarer"].argmax() + agent) % 4 == record.declarer
    doubled_by = [
        (int(np.argmax(row)) + agent) % 4 for row in parts["doubled_by"] if row.any()
    ]
    assert doubled_by == record.doubled_by[: record.doubles].tolist()
    for offset in range(2):
        side = (agent + offset) % 2
        assert parts["tricks"][offset] == record.tricks_won[side::2].sum()
        assert parts["score"][offset] == record.score[side]
        assert parts["games"][offset] == record.games[side]
        digits = parts["points"][offset] @ np.array([10**6, 10**4, 100, 1])
        assert digits == record.points[side]
    deals = int(record.options.deals)
    assert parts["deals_left"] == (deals - record.deals_played if deals > 0 else 0)


def test_bounds_hold_for_the_richest_hundred_deals() -> None:
    game = bridge_game(
        deals=100, max_trick_value=None, max_doubles=10, notrump_value=12
    )
    table = game.new_table(0)
    record = table._memory.view(game.rules.record)[0]
    richest = parse_deal(deal_with("SA HA DA CA"))
    for _ in range(100):
        record.dealt[:] = richest
        enter(record, "notrump", 13, doubles=10)
        for agent in range(4):
            seen = table.observe(agent)
            assert (seen >= game.features.low).all()
            assert (seen <= game.features.high).all()
    assert record.points[0] == 100 * (7 * 12 * 1024 + 140)
    assert feature(table, 0, "points").tolist() == [[8, 61, 56, 0], [0, 0, 0, 0]]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_trick_value": 8}, "max_trick_value=8 must be .* 12 to 1000, or None"),
        ({"max_doubles": 3}, "max_doubles=3 .* only with max_trick_value=None"),
        ({"max_trick_value": None, "max_doubles": 11}, "from 1 to 10"),
        ({"notrump_value": 13}, "notrump_value=13 .* from 10 to 12"),
        ({"five_honours": 6}, "five_honours=6 .* from 4 to 5"),
        ({"chicane": "none"}, "chicane='none' .* 'scored' or 'deducted'"),
        ({"episode": "rubber", "deals": 2}, "deals=2 .* only with episode='deal'"),
        ({"reward": "settlement"}, "'points' or 'tricks' or 'match'"),
        ({"dealer": 4}, "dealer=4 .* from 0 to 3, or None"),
    ],
)
def test_wrong_options_are_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bridge_game(**options)


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": "N:AKQ"}, ValueError, "is not a deal"),
        ({"deal": 3}, TypeError, "deal=3 must be a text"),
        ({"dealer": 4}, ValueError, "the seats are 0 to 3"),
        ({"scores": (30, 0)}, ValueError, r"scores=\(30, 0\) .* from 0 to 29"),
        ({"scores": 5}, ValueError, "two whole numbers"),
        ({"games": (2, 0)}, ValueError, r"games=\(2, 0\) .* from 0 to 1"),
        ({"turned": "SA"}, TypeError, "there is no 'turned'"),
    ],
)
def test_impossible_positions_are_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = bridge_game(episode="rubber").new_table(0)
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


def test_scores_and_games_belong_to_games_and_rubbers() -> None:
    with pytest.raises(ValueError, match="scores= belongs to a game"):
        bridge_game().new_table(0, scores=(1, 0))
    with pytest.raises(ValueError, match="games= belongs to a rubber"):
        bridge_game(episode="game").new_table(0, games=(1, 0))


@pytest.mark.parametrize(
    ("calls", "action", "why"),
    [
        ([], "SA", "no card is played before trumps are named"),
        ([], "double", "trumps, or no trump, must be declared first"),
        (["pass_to_partner"], "pass_to_partner", "his partner, who must declare"),
        (["hearts"], "SA", "no card is played before"),
        (["hearts"], "notrump", "hearts was declared, and may only be doubled"),
        (["hearts"], "redouble", "there is nothing to redouble"),
        (["hearts", "double"], "double", "which may be redoubled"),
        (["hearts", "pass", "pass"], "pass", "the calls are over"),
        (["hearts", "pass", "pass"], "SA", "the hand is to play and does not hold SA"),
        (["hearts", "pass", "pass", "HA"], "SQ", "dummy holds"),
        (["hearts", "pass", "pass", "HA"], "SA", "dummy is to play and does not hold"),
    ],
)
def test_an_illegal_action_is_explained(
    calls: list[str], action: str, why: str
) -> None:
    # East has the ace of hearts, South the king and the queen of spades.
    table = call(new_table(), *calls)
    with pytest.raises(IllegalAction, match=why):
        call(table, action)


# The oracle -------------------------------------------------------------------------


def random_options(rng: random.Random) -> dict[str, Any]:
    options = {
        "reward": rng.choice(["points", "tricks", "match"]),
        "chicane": rng.choice(["scored", "deducted"]),
        "five_honours": rng.choice([4, 5]),
        "notrump_value": rng.choice([10, 12]),
        "max_trick_value": rng.choice([100, 100, 12, 50, 1000, None]),
    }
    if options["max_trick_value"] is None:
        options["max_doubles"] = rng.choice([1, 2, 6, 10])
    length = rng.choice(["deal", "deal", "game", "rubber", 2])
    options.update({"deals": 2} if length == 2 else {"episode": length})
    if length in ("deal", 2):  # random players would never finish a game
        options["revokes"] = rng.choice(["never", "penalty"])
    return options


@pytest.mark.parametrize("part", range(4))
def test_play_agrees_with_the_oracle(part: int) -> None:
    rng = random.Random(part)
    for seed in range(260):
        how = random_options(rng)
        table, referee = bridge_game(**how).new_table(seed), BridgeReferee(how)
        referee.deal(table)
        while not table.is_over:
            deals = int(table.record.deals_played)
            assert table.agent == referee.agent()
            legal = table.legal_actions()
            assert legal == referee.legal_actions()
            # Half of the time the calls go on as long as they can.
            action = legal[0] if rng.random() < 0.3 else rng.choice(legal)
            table.apply(action)
            assert table.rewards() == referee.play(action)
            if table.record.deals_played > deals and not table.is_over:
                referee.deal(table)
        record, match = table.record, referee.match
        assert match.over
        assert record.points.tolist() == match.points
        assert record.games.tolist() == match.games
        assert record.winning_side == (-1 if match.winner is None else match.winner)


def rich_hands(rng: random.Random) -> list[list[str]]:
    """Four hands between which suits and high cards are unevenly divided."""
    favour = [rng.choice([1, 1, 5, 40]) for _ in range(4)]
    owner = {suit: rng.randrange(4) for suit in "CDHS"}
    long_suits = rng.choice([0, 5, 60])
    hands: list[list[str]] = [[], [], [], []]
    for card in sorted(oracle.PACK, key=lambda card: -oracle.RANKS.index(card[1])):
        weights = [
            (favour[seat] + long_suits * (owner[card[0]] == seat))
            * (len(hands[seat]) < 13)
            for seat in range(4)
        ]
        hands[rng.choices(range(4), weights)[0]].append(card)
    return hands


def test_scores_agree_with_the_oracle_on_rich_deals() -> None:
    rng = random.Random(5)
    above = set()
    for _ in range(1000):
        how = random_options(rng)
        record = bridge_game(**how, dealer=0).new_records(1)[0]
        record.deal_number = -1
        bridge_whist.start(record)
        match = oracle.Match(BridgeReferee(how).options)
        for _ in range(4):
            hands = rich_hands(rng)
            declared = rng.choice(oracle.DECLARATIONS)
            tricks, doubles = rng.choice([0, 1, 12, 13, *range(14)]), rng.randrange(7)
            bits = [sum(1 << oracle.PACK.index(card) for card in h) for h in hands]
            record.dealt[:] = bits
            before = record.above.tolist()
            enter(record, declared, tricks, doubles)
            match.score(hands, declared, doubles, [tricks, 13 - tricks])
            assert record.points.tolist() == match.points
            assert record.games.tolist() == match.games
            assert record.over == match.over
            above.update((record.above - before).tolist())
            if match.over:
                break
    assert {0, 20, 30, 40, 100} <= above
    assert len(above) > 60


def test_both_have_the_same_options() -> None:
    mine = {f.name: f.default for f in dataclasses.fields(BridgeWhistOptions)}
    theirs = {f.name: f.default for f in dataclasses.fields(oracle.Options)}
    shared = {field.name for field in dataclasses.fields(PlayOptions)}
    assert set(mine) - set(theirs) == shared | {"dealer"}
    assert {name: mine[name] for name in theirs} == theirs
    assert [*bridge_whist.RULES[0].action_names] == oracle.ACTIONS
