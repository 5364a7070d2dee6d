"""Slobberhannes by its rule sheet: every example, every option, and a slow oracle."""

from __future__ import annotations

import random
from typing import Any

import pytest
from contract import Options, contract
from individual_tables import (
    every_way,
    features_of,
    measures_of,
    play_beside,
    play_tricks,
    table_with,
    won_by,
)
from oracle_polignac import card_id, card_name
from oracle_slobberhannes import DEFAULTS, Match

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import members


class SlobberhannesReferee:
    """The slow oracle of Slobberhannes as a referee."""

    match: Match | None = None

    def __init__(self, options: Options) -> None:
        self.options = {k: v for k, v in options.items() if k in DEFAULTS}

    def deal(self, table: Table) -> None:
        record = table.record
        if self.match is None:
            self.match = Match(int(record.dealer), **self.options)
        assert self.match.dealer == record.dealer
        self.dealt = [set(members(hand)) for hand in record.hands]
        self.open_cards: set[int] = set()
        self.match.start_deal([list(map(card_name, hand)) for hand in self.dealt])

    def agent(self) -> int:
        assert self.match is not None
        assert self.match.deal is not None
        return -1 if self.match.ledger.over else self.match.deal.seat

    def legal_actions(self) -> list[int]:
        assert self.match is not None
        assert self.match.deal is not None
        return sorted(map(card_id, self.match.deal.legal()))

    def play(self, action: int) -> list[float]:
        assert self.match is not None
        self.open_cards.add(action)
        return [float(earned) for earned in self.match.play(card_name(action))]

    def knows(self, agent: int) -> set[int]:
        return self.open_cards | self.dealt[agent]


TestSlobberhannes = contract(
    "slobberhannes",
    SlobberhannesReferee,
    {},
    {
        "players": 3,
        "deals": 3,
        "settlement": "stacks",
        "stack": 5,
        "sevens_out": "red",
    },
    {"players": 5, "episode": "game", "reward": "match", "revokes": "penalty"},
    {
        "players": 6,
        "episode": "game",
        "game_end": "points",
        "all_three": False,
        "history": "last_trick",
    },
)

# The worked examples ----------------------------------------------------------------

HIGH_CLUBS = "CA CK CQ CJ"
OTHERS = (
    *("CT C9 C8 C7", "DA DK DQ DJ", "DT D9 D8 D7"),
    *("HA HK HQ HJ", "HT H9 H8 H7", "SA SK SQ SJ", "ST S9 S8 S7"),
)


def tricks_with(
    first: int, queen: int, last: int, *, queen_is_first: bool = False
) -> list[str]:
    """Eight tricks of one suit each, by who takes those to be avoided."""
    first_cards, *between, last_cards = OTHERS
    tricks = [
        won_by(first, first_cards),
        won_by(queen, HIGH_CLUBS),
        *(won_by(2, cards) for cards in between),
        won_by(last, last_cards),
    ]
    if queen_is_first:
        tricks[:2] = tricks[1::-1]
    return tricks


def scored(tricks: list[str], **how: Any) -> Table:
    """A table after one deal with these tricks."""
    table = table_with("slobberhannes", tricks, **how)
    play_tricks(table, tricks)
    return table


@pytest.mark.parametrize(
    ("tricks", "points", "net"),
    [
        (tricks_with(0, 2, 0), [2, 0, 1, 0], [-1.25, 0.75, -0.25, 0.75]),
        (tricks_with(1, 1, 1), [0, 4, 0, 0], [1, -3, 1, 1]),
        (
            tricks_with(2, 3, 1, queen_is_first=True),
            [0, 1, 0, 2],
            [0.75, -0.25, 0.75, -1.25],
        ),
        (tricks_with(1, 1, 3), [0, 2, 0, 1], [0.75, -1.25, 0.75, -0.25]),
    ],
)
def test_the_worked_examples(
    tricks: list[str], points: list[int], net: list[float]
) -> None:
    table = scored(tricks)
    assert table.record.penalties.tolist() == points
    assert table.record.points.tolist() == points
    assert table.rewards() == table.returns() == net
    assert measures_of(table)["points"] == net


def test_the_fourth_point_may_be_left_out() -> None:
    table = scored(tricks_with(1, 1, 1), all_three=False)
    assert table.record.penalties.tolist() == [0, 3, 0, 0]
    assert table.rewards() == [0.75, -2.25, 0.75, 0.75]


def test_the_fewest_points_win() -> None:
    table = scored(tricks_with(0, 2, 0), reward="match")
    assert table.returns() == [-2, 2, -2, 2]
    assert measures_of(table) == {
        "points": [-1.25, 0.75, -0.25, 0.75],
        "won": [0, 0.5, 0, 0.5],
    }


# Pack, deal and play ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "size", "each"), [(3, 30, 10), (4, 32, 8), (5, 30, 6), (6, 30, 5)]
)
def test_the_pack_depends_on_the_number_of_players(
    players: int, size: int, each: int
) -> None:
    table = whist_env.game("slobberhannes", players=players).new_table(3)
    cards = [card_name(card) for card in table.record.pack if card >= 0]
    assert len(cards) == len(set(cards)) == size
    assert ("C7" in cards) == ("S7" in cards) == (players == 4)
    assert [len(list(members(hand))) for hand in table.record.hands] == [each] * players


@pytest.mark.parametrize("players", [3, 5, 6])
def test_the_red_sevens_may_be_out_in_place_of_the_black(players: int) -> None:
    how = {"players": players, "sevens_out": "red", "deals": 2}
    table = whist_env.game("slobberhannes", **how).new_table(3)
    for _ in range(2):
        cards = {card_name(card) for card in table.record.pack if card >= 0}
        assert len(cards) == 30
        assert {"C7", "S7"} < cards
        assert not {"D7", "H7"} & cards
        for _ in range(30):
            table.apply(table.legal_actions()[0])
    with pytest.raises(ValueError, match="D7 is not in the pack of this game"):
        table.reset(deal=" ".join([".".join(("7", "", "7", "7"))] * players))


def test_the_dealers_left_leads_and_the_deal_passes_left() -> None:
    table = whist_env.game("slobberhannes", deals=3, dealer=3).new_table(1)
    for dealer in (3, 0, 1):
        assert table.record.dealer == dealer
        assert table.agent == (dealer + 1) % 4
        for _ in range(32):
            table.apply(table.legal_actions()[0])
    assert table.is_over


def test_everybody_sees_who_took_what_is_to_be_avoided() -> None:
    tricks = tricks_with(1, 3, 0)
    table = table_with("slobberhannes", tricks, deals=2)
    play_tricks(table, tricks[:1])
    assert features_of(table, 0)["taken"].tolist() == [
        [0] * 3,
        [1, 0, 0],
        *[[0] * 3] * 2,
    ]
    play_tricks(table, tricks[1:2])
    seen = features_of(table, 1)["taken"].tolist()
    assert seen == [[1, 0, 0], [0] * 3, [0, 1, 0], [0] * 3]
    assert table.game.rules.notes(table.record, 2) == (
        ("first trick", "player_1"),
        ("CQ", "player_3"),
    )
    play_tricks(table, tricks[2:])
    assert not features_of(table, 0)["taken"].any()
    assert features_of(table, 0)["score"].tolist() == [[0, 1], [0, 1], [0, 0], [0, 1]]


def test_a_revoke_costs_a_point_where_it_is_allowed() -> None:
    tricks = tricks_with(0, 2, 0)
    table = table_with("slobberhannes", tricks, revokes="penalty")
    table.apply(card_id(tricks[0].split()[1]))
    assert table.legal_actions() == list(members(table.record.hands[2]))
    wrong = next(card for card in members(table.record.hands[2]) if card > 12)
    table.apply(wrong)
    assert features_of(table, 2)["own_revokes"] == 1
    assert features_of(table, 1)["own_revokes"] == 0
    assert table.state(0)[table.game.state_features["revokes"]].tolist() == [0, 0, 1, 0]
    rng = random.Random(0)
    while not table.is_over:
        hand = table.record.hands[table.agent]
        led = int(table.record.led)
        following = [card for card in members(hand) if led < 0 or card // 13 == led]
        table.apply(rng.choice(following or table.legal_actions()))
    assert table.record.penalties.sum() in (4, 5)
    assert table.record.penalties[2] >= 1
    strict = table_with("slobberhannes", tricks)
    strict.apply(card_id(tricks[0].split()[1]))
    with pytest.raises(IllegalAction, match="clubs were led and must be followed"):
        strict.apply(wrong)


# Settlement and the end -------------------------------------------------------------


def test_with_stacks_all_draw_when_a_player_is_down_to_its_last_counter() -> None:
    table = scored(tricks_with(1, 1, 1), settlement="stacks", stack=5, deals=2)
    assert table.rewards() == [1, -4 + 1, 1, 1]
    assert table.record.stacks.tolist() == [6, 2, 6, 6]
    assert table.record.pool == 0
    table = scored(tricks_with(1, 1, 1), settlement="stacks", stack=6, deals=2)
    assert table.rewards() == [0, -4, 0, 0]
    assert table.record.pool == 4 * 4


def test_a_game_is_two_deals_for_each_player_or_lost_with_points() -> None:
    for players in (3, 4, 5, 6):
        for how in ({}, {"game_end": "points", "limit": 12}):
            game = whist_env.game(
                "slobberhannes", players=players, episode="game", **how
            )
            table = game.new_table(players)
            rng = random.Random(1)
            while not table.is_over:
                table.apply(rng.choice(table.legal_actions()))
            score = table.record.points.tolist()
            winners = table.record.winners.tolist()
            if how:
                assert max(score) >= 12
                assert winners == [int(points < max(score)) for points in score]
            else:
                assert table.record.deals_played == 2 * players
                assert winners == [int(points == min(score)) for points in score]


def test_a_forfeit_costs_as_much_as_all_three() -> None:
    table = table_with("slobberhannes", tricks_with(0, 0, 0), dealer=1)
    table.forfeit()
    assert table.returns() == [1, 1, -3, 1]
    assert measures_of(table)["points"] == [1, 1, -3, 1]


def test_a_forfeit_is_paid_into_the_pool_which_is_divided() -> None:
    how = {"settlement": "stacks", "stack": 20, "deals": 3}
    table = scored(tricks_with(0, 2, 0), **how)
    assert table.record.pool == 4 * 3
    assert table.agent == 2
    table.forfeit()
    # Of seven counters each takes one.
    assert table.rewards() == [1, 1, -4 + 1, 1]
    assert table.record.pool == 4 * 3
    assert table.returns() == [-1, 1, -4, 1]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 2}, "players=2 must be a whole number from 3 to 6"),
        ({"players": 7}, "players=7 must be a whole number from 3 to 6"),
        ({"players": 3, "dealer": 3}, "with players=3 the seats are 0 to 2"),
        ({"all_three": "no"}, "all_three='no' is not a value"),
        ({"revokes": "always"}, "revokes='always' is not a value"),
        ({"sevens_out": "all"}, "sevens_out='all' is not a value"),
        ({"sevens_out": "red"}, "only with players=3 or 5 or 6"),
    ],
)
def test_options_that_cannot_be_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("slobberhannes", **options)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"deal": "A... .A.. ..A."}, "deals 3 hands; 4 players need 4"),
        ({"deal": "2... .A.. ..A. ...A"}, "S2 is not in the pack of this game"),
        ({"dealer": -1}, "dealer=-1 is not a seat; the seats are 0 to 3"),
        ({"scores": (1, 2, 3, 4)}, "scores= belongs to a game"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    position: dict[str, Any], message: str
) -> None:
    table = whist_env.game("slobberhannes").new_table(0)
    before = table.to_bytes()
    with pytest.raises(ValueError, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


def test_a_game_may_begin_with_points() -> None:
    how = {"episode": "game", "game_end": "points"}
    table = whist_env.game("slobberhannes", **how).new_table(0, scores=(9, 0, 1, 2))
    assert features_of(table, 1)["score"].tolist() == [[0, 0], [0, 1], [0, 2], [0, 9]]
    with pytest.raises(ValueError, match="4 whole numbers from 0 to 9"):
        table.reset(scores=(10, 0, 0, 0))


# The oracle -------------------------------------------------------------------------

WAYS = [
    {**rules, **length}
    | ({"sevens_out": "red"} if rules["players"] != 4 and length else {})
    for rules in every_way(
        players=[3, 4, 5, 6], all_three=[True, False], revokes=["never", "penalty"]
    )
    for length in (
        {},
        {"deals": 4, "settlement": "stacks", "stack": 6},
        {"episode": "game", "game_end": "points", "reward": "match"},
        {"episode": "game"},
    )
]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_random_games_agree_with_the_oracle(players: int) -> None:
    rng = random.Random(players)
    for options in WAYS:
        if options["players"] == players:
            game = whist_env.game("slobberhannes", **options)
            for seed in range(16):
                table = game.new_table(seed)
                referee = SlobberhannesReferee(options)
                play_beside(table, referee, rng)
                assert referee.match is not None
                ledger = referee.match.ledger
                assert table.record.points.tolist() == ledger.paid
                won = [int(seat in ledger.winners) for seat in range(players)]
                assert table.record.winners.tolist() == won
