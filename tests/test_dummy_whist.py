"""Dummy Whist by its rule sheet: every example, every option, every seat."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from typing import Any

import numpy as np
import oracle_dummy_whist as oracle
import pytest
from contract import Options, contract
from whist_tables import a_card_of, deal_with

import whist_env
from whist_env import IllegalAction, Table, dummy_whist_v0
from whist_env.cards import members, parse_card, parse_deal, single
from whist_env.engine.sight import PlayOptions
from whist_env.games import dummy_whist
from whist_env.games.dummy_whist import DummyWhistOptions

ANY_DEAL = deal_with()
"""Two of the four honours to each side, in every suit."""

# The seat of each player, and of dummy, by dealer.
SEATS_OF_THREE = {0: [0, 1, 3], 1: [0, 1, 2], 2: [3, 1, 2]}
DUMMY_OF_THREE = {0: 2, 1: 3, 2: 0}


class DummyReferee:
    """The slow oracle of Dummy Whist as a referee."""

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
        dealer = self.match.dealer
        assert dealer == record.dealer
        by_seat = [[oracle.PACK[card] for card in members(h)] for h in record.hands]
        hands = [by_seat[(dealer + place) % 4] for place in range(4)]
        self.turned = int(record.turned)
        self.current = self.match.start_deal(hands, oracle.PACK[self.turned])
        self.played: set[int] = set()

    def agent(self) -> int:
        assert self.current is not None
        return -1 if self.match.over else self.current.agent

    def legal_actions(self) -> list[int]:
        assert self.current is not None
        return sorted(map(oracle.PACK.index, self.current.legal()))

    def play(self, action: int) -> list[float]:
        self.played.add(action)
        return self.match.play(oracle.PACK[action])

    def knows(self, agent: int) -> set[int]:
        assert self.current is not None
        seen = self.current.seen_by(agent)
        cards = [card for place in seen for card in self.current.dealt[place]]
        return self.played | {self.turned} | set(map(oracle.PACK.index, cards))


TestDummyWhist = contract(
    "dummy_whist",
    DummyReferee,
    {},
    {"deals": 3, "split": "half", "dummy_exposed": "after_lead"},
    {"deals": 3, "reward": "match", "honours": False, "history": "last_trick"},
    {"reward": "tricks", "split": "half", "dealer": 1},
    {"players": 2, "deals": 2},
    {"players": 2, "dummy_exposed": "after_lead", "reward": "tricks"},
    {"players": 2, "deals": 2, "reward": "match", "dealer": 1},
)


# Helpers ----------------------------------------------------------------------------


def dummy_game(**options: Any) -> whist_env.Game:
    return whist_env.game("dummy_whist", **options)


def new_record(**options: Any) -> Any:
    record = dummy_game(**options).new_records(1)[0]
    record.deal_number = -1
    dummy_whist.start(record)
    return record


def enter(record: Any, tricks: int, deal: str = ANY_DEAL, trump: str = "S") -> None:
    """Score a deal in which the dealer and dummy take so many tricks.

    The hands of the deal are those of the dealer, the left, dummy and the right.
    """
    dealer = int(record.dealer)
    for place, hand in enumerate(parse_deal(deal)):
        record.dealt[(dealer + place) % 4] = hand
    record.trump = "CDHS".index(trump)
    record.tricks_won[:] = 0
    record.tricks_won[dealer] = tricks
    record.tricks_won[(dealer + 1) % 4] = 13 - tricks
    record.tricks_played = 13
    dummy_whist.begin_action(record)
    dummy_whist.end_deal(record)


def points(record: Any) -> list[float]:
    return (record.half_points / 2).tolist()


def rewards(record: Any) -> list[float]:
    return (record.reward / (2 * record.reward.size)).tolist()


def feature(table: Table, agent: int, name: str) -> Any:
    return table.game.features.part(table.observe(agent), name).astype(int)


def three_honours(place: int) -> str:
    hands = ["", "", "", ""]
    hands[place], hands[(place + 1) % 4] = "SA SK SQ", "SJ"
    return deal_with(*hands)


def four_honours(place: int) -> str:
    hands = ["", "", "", ""]
    hands[place], hands[(place + 2) % 4] = "SA SK", "SQ SJ"
    return deal_with(*hands)


# The worked examples of the rules ---------------------------------------------------


def test_three_deals_of_three_players() -> None:
    record = new_record(deals=3, dealer=0)
    enter(record, 9, three_honours(0))
    assert points(record) == [5, 0, 0]
    assert rewards(record) == pytest.approx([10 / 3, -5 / 3, -5 / 3])
    enter(record, 6, four_honours(2))
    assert points(record) == [6, 4, 1]
    assert rewards(record) == pytest.approx([1 - 2, 4 - 2, 1 - 2])
    assert not record.over
    enter(record, 11)
    assert points(record) == [6, 4, 6]
    assert rewards(record) == pytest.approx([-5 / 3, -5 / 3, 10 / 3])
    assert record.over
    assert record.winners.tolist() == [1, 0, 1]
    finished = np.array([record])
    assert dummy_whist.RULES[0].measures["won"](finished).tolist() == [[0.5, 0, 0.5]]
    made = dummy_whist.points_made(finished)[0]
    assert made == pytest.approx([2 / 3, -4 / 3, 2 / 3])
    assert made == pytest.approx(record.returns / 6)


def test_the_deals_of_the_example_by_themselves() -> None:
    results = [(0, 9, three_honours(0)), (1, 6, four_honours(0)), (2, 11, ANY_DEAL)]
    scored = [[5, 0, 0], [1, 4, 1], [0, 0, 5]]
    for (dealer, tricks, deal), expected in zip(results, scored, strict=True):
        record = new_record(dealer=dealer)
        enter(record, tricks, deal)
        assert points(record) == expected


# Seats ------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(3))
def test_three_players_sit_clockwise_and_dummy_opposite_the_dealer(dealer: int) -> None:
    record = new_record(dealer=dealer)
    seats = [dummy_whist.seat_of(record, player) for player in range(3)]
    assert seats == SEATS_OF_THREE[dealer]
    dummy = DUMMY_OF_THREE[dealer]
    assert {*seats, dummy} == {0, 1, 2, 3}
    assert (dummy - seats[dealer]) % 4 == 2
    left, right = (dealer + 1) % 3, (dealer + 2) % 3
    assert (seats[left] - seats[dealer]) % 4 == 1
    assert (seats[right] - seats[dealer]) % 4 == 3
    for player, seat in enumerate(seats):
        assert dummy_whist.player_of(record, seat) == player
        assert not dummy_whist.is_dummy(record, seat)
    assert dummy_whist.player_of(record, dummy) == dealer
    assert dummy_whist.is_dummy(record, dummy)


@pytest.mark.parametrize("dealer", range(2))
def test_two_players_sit_side_by_side_with_a_dummy_opposite_each(dealer: int) -> None:
    record = new_record(players=2, dealer=dealer)
    assert [dummy_whist.seat_of(record, player) for player in range(2)] == [0, 1]
    players = [dummy_whist.player_of(record, seat) for seat in range(4)]
    assert players == [0, 1, 0, 1]
    dummies = [dummy_whist.is_dummy(record, seat) for seat in range(4)]
    assert dummies == [False, False, True, True]


@pytest.mark.parametrize("players", [2, 3])
def test_the_deal_passes_to_the_left_and_the_eldest_hand_leads(players: int) -> None:
    table = dummy_game(players=players, deals=9, dealer=1).new_table(0)
    rng = random.Random(0)
    for number in range(9):
        record = table.record
        dealer = (1 + number) % players
        assert record.dealer == dealer
        assert record.seat == record.leader == (dealer + 1) % 4
        # The dealer's last card is turned.
        assert single(int(record.turned)) & record.hands[dealer]
        assert record.pack[51] == record.turned
        assert record.trump == record.turned // 13
        for _ in range(52):
            table.apply(rng.choice(table.legal_actions()))
    assert table.is_over


def test_each_is_partner_of_nobody_for_good() -> None:
    three, two = dummy_whist.RULES
    assert three.partners == ((0,), (1,), (2,))
    assert two.partners == ((0,), (1,))
    assert (three.agents, two.agents) == (3, 2)
    assert (three.title, two.title) == ("Dummy Whist", "Double Dummy Whist")


@pytest.mark.parametrize("players", [2, 3])
def test_a_player_plays_dummy_with_his_own_hand(players: int) -> None:
    for dealer in range(players):
        table = dummy_game(players=players, dealer=dealer).new_table(dealer)
        plays = dict.fromkeys(range(players), 0)
        while not table.is_over:
            record = table.record
            agent, seat = table.agent, int(record.seat)
            own = dummy_whist.seat_of(record, agent)
            assert seat in (own, (own + 2) % 4)
            assert set(table.legal_actions()) <= set(members(record.hands[seat]))
            for other in range(players):
                own_of_other = dummy_whist.seat_of(record, other)
                for name, shown in (("to_act", seat), ("decides", own)):
                    place = np.flatnonzero(feature(table, other, name))
                    assert place == [(shown - own_of_other) % 4]
            plays[agent] += 1
            table.apply(table.legal_actions()[0])
        expected = dict.fromkeys(range(players), 13)
        for dummy in [dealer] if players == 3 else [0, 1]:
            expected[dummy] += 13
        assert plays == expected


def test_the_winner_leads_and_dummy_leads_where_it_has_won() -> None:
    deal = "N:432.432.AKQ.5432 AKQ.AKQ.432.AKQJ JT9.JT98.JT9.T98 8765.765.8765.76"
    # The hands of the dealer 0, the left, dummy and the right; diamonds are trumps.
    table = dummy_game(dealer=0).new_table(0, deal=deal, turned="DA")

    def play(cards: str) -> tuple[int, int]:
        """Play some cards; returns who acts then, for which seat."""
        for card in cards.split():
            table.apply(parse_card(card))
        return table.agent, int(table.record.seat)

    assert play("CA C8 C6 C2 CK C9 C7 C3") == (1, 1)
    # The right hand has no third club and trumps.
    assert play("CQ CT D5 C4") == (2, 3)
    assert play("H5 H2 HA H8") == (1, 1)
    # Dummy trumps and leads: the dealer leads from it.
    assert play("CJ D9 S5 C5") == (0, 2)
    assert set(table.legal_actions()) == set(members(table.record.hands[2]))
    assert table.record.tricks_won.tolist() == [0, 3, 1, 1]


# Dummy lies open --------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("exposed", ["before_lead", "after_lead"])
def test_dummy_is_seen_by_its_player_and_when_it_lies_open_by_all(
    players: int, exposed: str
) -> None:
    for dealer in range(players):
        game = dummy_game(players=players, dummy_exposed=exposed, dealer=dealer)
        table = game.new_table(3)
        while not table.is_over:
            record = table.record
            lies_open = exposed == "before_lead" or record.cards_played > 0
            for agent in range(players):
                own = dummy_whist.seat_of(record, agent)
                expected = np.zeros((4, 52), int)
                for seat in range(4):
                    dummy = dummy_whist.is_dummy(record, seat)
                    mine = dummy_whist.player_of(record, seat) == agent
                    seen = mine or (dummy and lies_open)
                    held = set(members(record.hands[seat]))
                    if seen and seat != own:
                        expected[(seat - own) % 4, sorted(held)] = 1
                    if not seen:
                        turned = {int(record.turned)}
                        held &= turned if record.tricks_played == 0 else set()
                    visible = dummy_whist.visible(record, agent, seat)
                    assert set(members(visible)) == held
                assert (feature(table, agent, "open_hands") == expected).all()
                hand = np.flatnonzero(feature(table, agent, "hand")).tolist()
                assert hand == list(members(record.hands[own]))
            table.apply(table.legal_actions()[-1])


def test_in_double_dummy_nothing_is_hidden() -> None:
    table = dummy_game(players=2).new_table(1)
    for agent in range(2):
        seen = feature(table, agent, "open_hands").any(0)
        assert (seen | feature(table, agent, "hand")).sum() == 39


def test_pictures_name_dummy_and_show_it() -> None:
    env = dummy_whist_v0.env(render_mode="ansi", viewer=2, dummy_exposed="after_lead")
    position = {"dealer": 0, "deal": ANY_DEAL, "turned": a_card_of(ANY_DEAL, 0)}
    env.reset(options=position)
    text = env.render()
    assert "player_0 (dealer)" in text
    assert "dummy  seat 2, played by player_0" in text
    assert text.count("13 cards") == 2
    env.step(env.table.legal_actions()[0])
    assert env.render().count("13 cards") == 0
    assert env.render().count("12 cards") == 2  # the left's, and the dealer's hidden
    assert "dummy" in env.table.draw(1)
    assert ">  dummy" in env.render()


# Scoring ----------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(3))
@pytest.mark.parametrize("tricks", range(14))
def test_odd_tricks_score_to_the_dealer_or_to_both_others(
    dealer: int, tricks: int
) -> None:
    for split, each in (("full", 1), ("half", 0.5)):
        record = new_record(dealer=dealer, split=split)
        enter(record, tricks)
        expected = [each * max(0, 7 - tricks)] * 3
        expected[dealer] = max(0, tricks - 6)
        assert points(record) == expected
        mean = sum(expected) / 3
        assert rewards(record) == pytest.approx([own - mean for own in expected])
        assert record.reward.sum() == 0


@pytest.mark.parametrize(
    ("deal", "of_dealer", "of_others"),
    [
        (ANY_DEAL, 0, 0),
        (three_honours(0), 2, 0),
        (three_honours(2), 2, 0),
        (four_honours(0), 4, 0),
        (deal_with("", "", "SA SK SQ SJ"), 4, 0),
        (three_honours(1), 0, 2),
        (four_honours(3), 0, 4),
    ],
)
def test_honours_count_for_the_dealer_dummys_included(
    deal: str, of_dealer: int, of_others: int
) -> None:
    for counted in (True, False):
        record = new_record(dealer=2, honours=counted)
        enter(record, 7, deal)
        expected = [of_others, of_others, 1 + of_dealer] if counted else [0, 0, 1]
        assert points(record) == expected
        half = new_record(dealer=2, honours=counted, split="half")
        enter(half, 7, deal)
        assert points(half) == [expected[0] / 2, expected[1] / 2, expected[2]]


@pytest.mark.parametrize("dealer", range(2))
def test_two_players_score_as_two_sides(dealer: int) -> None:
    record = new_record(players=2, dealer=dealer)
    enter(record, 5, three_honours(0))
    expected = [0, 0]
    expected[dealer], expected[1 - dealer] = 2, 2
    assert points(record) == expected
    assert rewards(record) == [0, 0]
    record = new_record(players=2, dealer=dealer)
    enter(record, 10)
    assert points(record)[dealer] == 4
    assert rewards(record)[dealer] == 2
    assert rewards(record)[1 - dealer] == -2


def test_the_match_is_won_by_the_highest_total_or_shared() -> None:
    for results, paid, won in (
        ([9, 8, 8], [2, -1, -1], [1, 0, 0]),
        ([9, 9, 8], [1, 1, -2], [0.5, 0.5, 0]),
        ([9, 9, 9], [0, 0, 0], [1 / 3] * 3),
    ):
        record = new_record(deals=3, dealer=0, reward="match")
        for tricks in results:
            assert record.reward.tolist() == [0, 0, 0]
            enter(record, tricks)
        assert rewards(record) == paid
        judged = dummy_whist.RULES[0].measures["won"](np.array([record]))[0]
        assert judged == pytest.approx(won)
    record = new_record(players=2, deals=2, dealer=1, reward="match")
    enter(record, 9)
    enter(record, 8)
    assert rewards(record) == [-1, 1]


def test_a_tie_may_leave_the_match_undecided() -> None:
    record = new_record(deals=3, dealer=0, reward="match", tie="undecided")
    for tricks in (9, 9, 8):
        enter(record, tricks)
    assert rewards(record) == [0, 0, 0]
    judged = dummy_whist.RULES[0].measures["won"](np.array([record]))[0]
    assert judged == pytest.approx([1 / 3] * 3)
    record = new_record(deals=3, dealer=0, reward="match", tie="undecided")
    for tricks in (9, 8, 8):
        enter(record, tricks)
    assert rewards(record) == [2, -1, -1]


@pytest.mark.parametrize("split", ["full", "half"])
def test_tricks_are_credited_as_points_are(split: str) -> None:
    table = dummy_game(dealer=1, reward="tricks", split=split).new_table(5)
    each = {"full": 1, "half": Fraction(1, 2)}[split]
    by_dealer, by_others = [0, Fraction(1), 0], [each, Fraction(0), each]
    taken = [0, 0]
    while not table.is_over:
        before = table.record.tricks_won.tolist()
        table.apply(table.legal_actions()[0])
        record = table.record
        if record.tricks_won.tolist() == before:
            assert table.rewards() == [0, 0, 0]
            continue
        won = (record.tricks_won - before).tolist().index(1)
        taken[won % 2] += 1
        credited = by_dealer if won % 2 == 1 else by_others
        mean = sum(credited) / Fraction(3)
        expected = [float(own - mean) for own in credited]
        assert table.rewards() == pytest.approx(expected)
    finished = np.array([table.record], table.record.dtype)
    made = dummy_whist.tricks_made(finished)[0]
    assert made == pytest.approx(table.returns())
    assert made[1] == pytest.approx(taken[1] - (taken[1] + 2 * taken[0] * each) / 3)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("reward", ["points", "tricks", "match"])
def test_a_forfeit_lets_all_others_win(players: int, reward: str) -> None:
    for played in (0, 1, 2, 3, 20, 51):
        table = dummy_game(players=players, reward=reward).new_table(played)
        rng = random.Random(played)
        for _ in range(played):
            table.apply(rng.choice(table.legal_actions()))
        loser = table.agent
        table.forfeit()
        each = 1 if reward == "match" else 13 / players
        expected = [each] * players
        expected[loser] = -each * (players - 1)
        assert table.rewards() == pytest.approx(expected)
        assert table.is_over
        finished = np.array([table.record], table.record.dtype)
        judged = dummy_whist.RULES[0].measures["won"](finished)[0]
        share = 1 / (players - 1)
        assert judged.tolist() == [0 if p == loser else share for p in range(players)]


# Information ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    [
        {"deals": 3},
        {"deals": 3, "split": "half", "history": "last_trick"},
        {"players": 2, "deals": 3},
    ],
)
def test_every_feature_shows_what_it_claims(how: dict[str, Any]) -> None:
    table = dummy_game(**how).new_table(2)
    rng = random.Random(str(how))
    while not table.is_over:
        table.apply(rng.choice(table.legal_actions()))
        for agent in range(table.game.num_agents):
            check_observation(table, agent)


def check_observation(table: Table, agent: int) -> None:
    record, parts = table.record, table.game.features.named(table.observe(agent))
    players = table.game.num_agents
    own = int(dummy_whist.seat_of(record, agent))
    state = table.game.state_features.part(table.state(agent), "hands")
    for offset in range(4):
        seat = (own + offset) % 4
        held = list(members(record.hands[seat]))
        assert np.flatnonzero(state[offset]).tolist() == held
        assert parts["dummies"][offset] == dummy_whist.is_dummy(record, seat)
        assert parts["dealer"][offset] == (seat == record.dealer)
        trick = np.flatnonzero(parts["trick"][offset]).tolist()
        assert trick == [card for card in [record.trick[seat]] if card >= 0]
    for offset in range(2):
        side = (own + offset) % 2
        assert parts["tricks"][offset] == record.tricks_won[side::2].sum()
    for offset in range(players):
        halves = record.half_points[(agent + offset) % players]
        assert parts["half_points"][offset] @ np.array([100, 1]) == halves
    assert parts["deals_left"] == record.options.deals - record.deals_played
    lies_open = record.tricks_played == 0
    assert parts["turned_lies_open"] == lies_open
    remembered = lies_open or record.options.history == 0
    turned = [int(record.turned)] if remembered else []
    assert np.flatnonzero(parts["turned"]).tolist() == turned


def test_bounds_hold_for_the_richest_hundred_deals() -> None:
    table = dummy_game(players=2, deals=100).new_table(0)
    record = table._memory.view(table.game.rules.record)[0]
    for _ in range(100):
        tricks = 13 if record.dealer == 0 else 0
        enter(record, tricks, four_honours(0 if record.dealer == 0 else 1))
        for agent in range(2):
            seen = table.observe(agent)
            assert (seen >= table.game.features.low).all()
            assert (seen <= table.game.features.high).all()
    assert points(record) == [1100, 0]
    assert feature(table, 1, "half_points").tolist() == [[0, 0], [22, 0]]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 4}, "players=4 must be a whole number from 2 to 3"),
        ({"players": "three"}, "players='three' must be a whole number"),
        ({"players": 2, "split": "half"}, "split='half' .* only with players=3"),
        ({"players": 2, "dealer": 2}, "dealer=2 is not a player; .* they are 0 to 1"),
        ({"dealer": 3}, "dealer=3 must be .* from 0 to 2, or None"),
        ({"deals": 0}, "deals=0 must be a whole number from 1 to 100"),
        ({"deals": None}, "deals=None must be a whole number from 1 to 100"),
        ({"honours": "no"}, "honours='no' .* False or True"),
        ({"dummy_exposed": "never"}, "'before_lead' or 'after_lead'"),
        ({"reward": "settlement"}, "'points' or 'tricks' or 'match'"),
    ],
)
def test_wrong_options_are_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dummy_game(**options)


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": "N:AKQ"}, ValueError, "is not a deal"),
        ({"deal": 3}, TypeError, "deal=3 must be a text"),
        ({"dealer": 3}, ValueError, "the seats are 0 to 2"),
        ({"turned": "SA"}, ValueError, "give deal= as well"),
        (
            {"deal": ANY_DEAL, "dealer": 0, "turned": "SK"},
            ValueError,
            "turned='SK' is not in the hand of the dealer",
        ),
        ({"scores": (1, 0)}, TypeError, "there is no 'scores'"),
    ],
)
def test_impossible_positions_are_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = dummy_game().new_table(0)
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


def test_a_given_deal_is_dealt() -> None:
    for dealer in range(3):
        turned = a_card_of(ANY_DEAL, dealer, "H")
        table = dummy_game().new_table(0, deal=ANY_DEAL, dealer=dealer, turned=turned)
        assert table.record.hands.tolist() == list(map(int, parse_deal(ANY_DEAL)))
        assert table.record.turned == parse_card(turned)
        assert table.record.trump == 2
        drawn = dummy_game().new_table(1, deal=ANY_DEAL, dealer=dealer)
        assert single(int(drawn.record.turned)) & drawn.record.hands[dealer]


def test_an_illegal_card_is_explained() -> None:
    table = dummy_game(dealer=0).new_table(0, deal=ANY_DEAL)
    east, south = (list(members(hand)) for hand in parse_deal(ANY_DEAL)[1:3])
    with pytest.raises(IllegalAction, match=r"player_1 .* own hand .* does not hold"):
        table.apply(south[0])
    table.apply(east[0])
    assert table.agent == 0
    own = next(members(parse_deal(ANY_DEAL)[0]))
    with pytest.raises(IllegalAction, match=r"player_0 .* dummy is in turn and does"):
        table.apply(own)
    other_suit = next(card for card in south if card // 13 != east[0] // 13)
    with pytest.raises(IllegalAction, match=r"clubs were led .* dummy holds 3"):
        table.apply(other_suit)


# The oracle -------------------------------------------------------------------------


def random_options(rng: random.Random) -> dict[str, Any]:
    players = rng.choice([2, 3, 3])
    return {
        "players": players,
        "deals": rng.choice([1, 1, 2, 3]),
        "reward": rng.choice(["points", "tricks", "match"]),
        "dummy_exposed": rng.choice(["before_lead", "after_lead"]),
        "split": rng.choice(["full", "half"]) if players == 3 else "full",
        "honours": rng.choice([False, True]),
        "tie": rng.choice(["shared", "undecided"]),
    }


@pytest.mark.parametrize("part", range(4))
def test_play_agrees_with_the_oracle(part: int) -> None:
    rng = random.Random(part)
    for seed in range(260):
        how = random_options(rng)
        table, referee = dummy_game(**how).new_table(seed), DummyReferee(how)
        referee.deal(table)
        while not table.is_over:
            deals = int(table.record.deals_played)
            assert table.agent == referee.agent()
            legal = table.legal_actions()
            assert legal == referee.legal_actions()
            action = rng.choice(legal)
            table.apply(action)
            assert table.rewards() == pytest.approx(referee.play(action))
            if table.record.deals_played > deals and not table.is_over:
                referee.deal(table)
        match = referee.match
        assert match.over
        assert points(table.record) == list(map(float, match.totals))
        tricks = (table.record.half_tricks / 2).tolist()
        assert tricks == list(map(float, match.tricks))
        winners = np.flatnonzero(table.record.winners).tolist()
        assert winners == match.winners()


def test_both_have_the_same_options() -> None:
    mine = {f.name: f.default for f in dataclasses.fields(DummyWhistOptions)}
    theirs = {f.name: f.default for f in dataclasses.fields(oracle.Options)}
    shared = {field.name for field in dataclasses.fields(PlayOptions)}
    assert set(mine) - set(theirs) == shared | {"dealer"}
    assert {name: mine[name] for name in theirs} == theirs
