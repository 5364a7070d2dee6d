"""Polignac by its rule sheet: every example, every option, and a slow oracle."""

from __future__ import annotations

import itertools
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
from oracle_polignac import DEFAULTS, Match, card_id, card_name

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import members

PASS, CAPOT = 52, 53
CALLS = {"pass": PASS, "capot": CAPOT}


class PolignacReferee:
    """The slow oracle of Polignac as a referee."""

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
        legal = self.match.deal.legal()
        return sorted(CALLS.get(what) or card_id(what) for what in legal)

    def play(self, action: int) -> list[float]:
        assert self.match is not None
        if action < PASS:
            self.open_cards.add(action)
        what = {PASS: "pass", CAPOT: "capot"}.get(action) or card_name(action)
        return [float(earned) for earned in self.match.act(what)]

    def knows(self, agent: int) -> set[int]:
        return self.open_cards | self.dealt[agent]


TestPolignac = contract(
    "polignac",
    PolignacReferee,
    {},
    {"players": 5, "deals": 3, "settlement": "stacks", "stack": 7},
    {"players": 6, "episode": "game", "reward": "match", "announcements": "all"},
    {
        "episode": "game",
        "game_end": "points",
        "capot_early_stop": True,
        "capot_lead": "announcer",
        "rank": "KQJA10987",
        "history": "last_trick",
    },
)

# The worked examples ----------------------------------------------------------------

HIGH = {suit: f"{suit}A {suit}K {suit}Q {suit}J" for suit in "CDHS"}
LOW = {suit: f"{suit}T {suit}9 {suit}8 {suit}7" for suit in "CDHS"}


def tricks_with(high: dict[str, int], low: int) -> list[str]:
    """Eight tricks of one suit each: who takes the Jack of each suit, and the rest."""
    return [
        *(won_by(high[suit], HIGH[suit]) for suit in "CDHS"),
        *(won_by(low, LOW[suit]) for suit in "CDHS"),
    ]


def all_tricks_of(winner: int) -> list[str]:
    return tricks_with(dict.fromkeys("CDHS", winner), winner)


JACKS_FOR_1_AND_3 = tricks_with({"S": 1, "H": 1, "D": 3, "C": 3}, low=0)


def announce(table: Table, announcer: int | None) -> None:
    """All pass up to the one who announces capot, if anybody does."""
    while features_of(table, 0)["phase"][0]:
        table.apply(CAPOT if table.agent == announcer else PASS)


def scored(tricks: list[str], announcer: int | None = None, **how: Any) -> Table:
    """A table after one deal with these tricks."""
    table = table_with("polignac", tricks, **how)
    announce(table, announcer)
    play_tricks(table, tricks)
    return table


@pytest.mark.parametrize(
    ("tricks", "announcer", "payments", "net"),
    [
        (JACKS_FOR_1_AND_3, None, [0, 3, 0, 2], [1.25, -1.75, 1.25, -0.75]),
        (all_tricks_of(2), 2, [5, 5, 0, 5], [-1.25, -1.25, 3.75, -1.25]),
        (JACKS_FOR_1_AND_3, 2, [0, 0, 5, 0], [1.25, 1.25, -3.75, 1.25]),
        (all_tricks_of(0), None, [5, 0, 0, 0], [-3.75, 1.25, 1.25, 1.25]),
    ],
    ids=["jacks", "capot made", "capot failed", "all tricks unannounced"],
)
def test_the_worked_examples(
    tricks: list[str], announcer: int | None, payments: list[int], net: list[float]
) -> None:
    table = scored(tricks, announcer)
    assert table.record.penalties.tolist() == payments
    assert table.record.points.tolist() == payments
    assert table.rewards() == table.returns() == net
    assert measures_of(table)["points"] == net


def test_polignac_costs_two_and_each_other_jack_one() -> None:
    for suit, price in {"S": 2, "H": 1, "D": 1, "C": 1}.items():
        takers = {**dict.fromkeys("CDHS", 0), suit: 3}
        payments = scored(tricks_with(takers, low=2)).record.penalties.tolist()
        assert payments == [5 - price, 0, 0, price]


# Pack, deal, announcements ----------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "size", "each"), [(4, 32, 8), (5, 30, 6), (6, 30, 5)]
)
def test_the_pack_depends_on_the_number_of_players(
    players: int, size: int, each: int
) -> None:
    table = whist_env.game("polignac", players=players).new_table(3)
    cards = [card_name(card) for card in table.record.pack if card >= 0]
    assert len(cards) == len(set(cards)) == size
    assert {card[1] for card in cards} == set("789TJQKA")
    assert ("C7" in cards) == ("S7" in cards) == (players == 4)
    assert {"D7", "H7"} <= set(cards)
    assert [len(list(members(hand))) for hand in table.record.hands] == [each] * players


@pytest.mark.parametrize("shuffle", ["fresh", "gather_and_cut"])
@pytest.mark.parametrize(
    ("players", "packets"), [(4, (3, 2, 3)), (5, (3, 3)), (6, (3, 2))]
)
def test_the_cards_are_dealt_in_packets_of_three_and_two(
    players: int, packets: tuple[int, ...], shuffle: str
) -> None:
    how = {"players": players, "shuffle": shuffle, "deals": 2}
    table = whist_env.game("polignac", **how).new_table(1)
    rng = random.Random(1)
    for deal in range(2):
        pack = [int(card) for card in table.record.pack if card >= 0]
        hands: list[list[int]] = [[] for _ in range(players)]
        for packet in packets:
            for turn in range(players):
                seat = (table.record.dealer + 1 + turn) % players
                hands[seat] += pack[:packet]
                pack = pack[packet:]
        assert pack == []
        dealt = [sorted(members(hand)) for hand in table.record.hands]
        assert dealt == [sorted(hand) for hand in hands]
        while table.record.deals_played == deal and not table.is_over:
            table.apply(rng.choice(table.legal_actions()))


def test_the_dealers_left_is_asked_first_and_leads_and_the_deal_passes_left() -> None:
    table = whist_env.game("polignac", deals=3, dealer=3).new_table(1)
    for dealer in (3, 0, 1):
        assert table.record.dealer == dealer
        asked = []
        for _ in range(4):
            asked.append(table.agent)
            table.apply(PASS)
        assert asked == [(dealer + place) % 4 for place in (1, 2, 3, 4)]
        assert table.agent == (dealer + 1) % 4
        for _ in range(32):
            table.apply(table.legal_actions()[0])
    assert table.is_over


def test_the_first_announcement_closes_the_phase_or_all_are_asked() -> None:
    table = table_with("polignac", all_tricks_of(2))
    table.apply(PASS)
    table.apply(CAPOT)
    assert features_of(table, 0)["phase"].tolist() == [0, 1]
    assert features_of(table, 0)["announced"].tolist() == [0, 0, 1, 0]
    assert features_of(table, 3)["announced"].tolist() == [0, 0, 0, 1]
    table = table_with("polignac", all_tricks_of(2), announcements="all")
    for call in (PASS, CAPOT, CAPOT):
        table.apply(call)
    assert features_of(table, 0)["phase"].tolist() == [1, 0]
    table.apply(PASS)
    assert features_of(table, 0)["announced"].tolist() == [0, 0, 1, 1]
    play_tricks(table, all_tricks_of(2))
    # Three pay for the capot made, and one of them for its own that failed.
    assert table.record.penalties.tolist() == [5, 5, 0, 5 + 5]


def test_under_capot_the_dealers_left_leads_or_the_announcer() -> None:
    for how, leader in ({}, 1), ({"capot_lead": "announcer"}, 3):
        table = table_with("polignac", all_tricks_of(2), **how)
        announce(table, 3)
        assert (table.agent, table.record.leader) == (leader, leader)
    table = table_with("polignac", all_tricks_of(2), capot_lead="announcer")
    announce(table, None)
    assert table.agent == 1
    how = {"capot_lead": "announcer", "announcements": "all"}
    table = table_with("polignac", all_tricks_of(2), dealer=2, **how)
    for call in (PASS, CAPOT, PASS, CAPOT):
        table.apply(call)
    assert table.agent == 0


def test_a_capot_that_is_lost_may_stop_the_play() -> None:
    played = []
    for stops in (False, True):
        table = table_with("polignac", JACKS_FOR_1_AND_3, capot_early_stop=stops)
        announce(table, 1)
        play_tricks(table, JACKS_FOR_1_AND_3[:1])
        played.append(table.is_over)
        if stops:
            assert table.record.penalties.tolist() == [0, 5, 0, 0]
            assert str(table).startswith("Polignac, deal 1, the episode is over")
        else:
            play_tricks(table, JACKS_FOR_1_AND_3[1:])
            assert table.rewards() == [1.25, -3.75, 1.25, 1.25]
    assert played == [False, True]


def test_a_capot_is_not_stopped_before_it_is_lost_nor_play_without_one() -> None:
    tricks = [*all_tricks_of(1)[:7], won_by(3, LOW["S"])]
    table = table_with("polignac", tricks, capot_early_stop=True)
    announce(table, 1)
    play_tricks(table, tricks[:7])
    assert not table.is_over
    play_tricks(table, tricks[7:])
    assert table.record.penalties.tolist() == [0, 5, 0, 0]
    table = scored(JACKS_FOR_1_AND_3, None, capot_early_stop=True)
    assert table.record.penalties.tolist() == [0, 3, 0, 2]


def test_play_after_a_capot_stopped_goes_on_with_a_whole_pack() -> None:
    for shuffle in ("fresh", "gather_and_cut"):
        how = {"capot_early_stop": True, "shuffle": shuffle, "deals": 2}
        table = table_with("polignac", JACKS_FOR_1_AND_3, **how)
        announce(table, 1)
        play_tricks(table, JACKS_FOR_1_AND_3[:1])
        assert table.record.deals_played == 1
        assert sorted(table.record.pack[:32]) == sorted(
            13 * suit + rank for suit in range(4) for rank in range(5, 13)
        )
        assert [len(list(members(hand))) for hand in table.record.hands] == [8] * 4


# Rank of cards ----------------------------------------------------------------------


@pytest.mark.parametrize("rank", ["AKQJ10987", "KQJA10987"])
def test_the_cards_of_a_suit_rank_as_the_option_says(rank: str) -> None:
    order = [f"S{card}" for card in rank.replace("10", "T")]
    for better, worse in itertools.pairwise(order):
        others = [card for card in order if card not in (better, worse)]
        trick = " ".join([worse, better, *others[:2]])
        table = table_with("polignac", [trick, *rest_of_the_pack(trick)], 3, rank=rank)
        announce(table, None)
        table.apply(card_id(worse))
        table.apply(card_id(better))
        assert table.record.winner == 1


def rest_of_the_pack(trick: str) -> list[str]:
    """The other 28 cards, four at a time."""
    pack = [f"{suit}{rank}" for suit in "CDHS" for rank in "789TJQKA"]
    rest = [card for card in pack if card not in trick.split()]
    return [" ".join(rest[at : at + 4]) for at in range(0, len(rest), 4)]


# Settlement and the end -------------------------------------------------------------


def test_with_stacks_all_draw_when_a_player_is_down_to_its_last_counter() -> None:
    how = {"settlement": "stacks", "stack": 6, "deals": 2}
    table = scored(all_tricks_of(0), **how)
    # Six less five leaves one; the pool of five gives one to each and keeps one.
    assert table.rewards() == [-5 + 1, 1, 1, 1]
    assert table.record.stacks.tolist() == [2, 7, 7, 7]
    assert table.record.pool == 4 * 1
    seen = features_of(table, 1)
    assert seen["stacks"].tolist() == [[0, 7], [0, 7], [0, 7], [0, 2]]
    assert seen["pool"].tolist() == [0, 1]
    assert ("stacks", "2 7 7 7") in table.game.rules.notes(table.record, 2)


def test_with_stacks_nobody_draws_before_and_the_rest_stays_in_the_pool() -> None:
    how = {"settlement": "stacks", "stack": 7}
    table = scored(all_tricks_of(0), deals=2, **how)
    assert table.rewards() == [-5, 0, 0, 0]
    assert table.record.pool == 4 * 5
    table = scored(all_tricks_of(0), **how)
    assert table.rewards() == [-4, 1, 1, 1]
    assert table.record.pool == 4 * 1


def test_stacks_may_go_below_nothing() -> None:
    how = {"settlement": "stacks", "stack": 2, "deals": 2}
    table = scored(all_tricks_of(3), **how)
    assert table.record.stacks.tolist() == [3, 3, 3, -2]
    assert features_of(table, 3)["stacks"].tolist()[0] == [0, -2]


def test_a_game_is_two_deals_for_each_player() -> None:
    for players in (4, 5, 6):
        game = whist_env.game("polignac", players=players, episode="game")
        table = game.new_table(players)
        assert features_of(table, 0)["deals_left"] == 2 * players
        rng = random.Random(1)
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
        assert table.record.deals_played == 2 * players
        least = table.record.points.min()
        assert table.record.winners.tolist() == (table.record.points == least).tolist()


def test_a_game_may_be_lost_with_a_number_of_points() -> None:
    how = {"episode": "game", "game_end": "points", "reward": "match"}
    game = whist_env.game("polignac", limit=20, **how)
    table = game.new_table(0, scores=(19, 0, 18, 3), dealer=0)
    assert features_of(table, 0)["deals_left"] == 0
    rng = random.Random(1)
    while not table.is_over:
        assert table.record.points.max() < 20
        table.apply(rng.choice(table.legal_actions()))
    score = table.record.points.tolist()
    assert max(score) >= 20
    assert table.record.winners.tolist() == [int(s < max(score)) for s in score]
    assert score.count(max(score)) == 1
    assert table.returns() == [-3 if s == max(score) else 1 for s in score]
    assert sum(measures_of(table)["won"]) == pytest.approx(1)


def test_a_forfeit_costs_as_much_as_a_failed_capot() -> None:
    table = table_with("polignac", all_tricks_of(0), dealer=1)
    table.forfeit()
    assert table.returns() == [1.25, 1.25, -3.75, 1.25]
    assert measures_of(table) == {
        "points": [1.25, 1.25, -3.75, 1.25],
        "won": pytest.approx([1 / 3, 1 / 3, 0, 1 / 3]),
    }


def test_a_forfeit_is_paid_into_the_pool_which_is_divided() -> None:
    how = {"settlement": "stacks", "stack": 20, "deals": 3}
    table = scored(all_tricks_of(0), **how)
    assert table.record.pool == 4 * 5
    assert table.agent == 2
    table.forfeit()
    # Of ten counters each takes two.
    assert table.rewards() == [2, 2, -5 + 2, 2]
    assert table.record.pool == 4 * 2
    assert table.returns() == [-3, 2, -3, 2]
    assert measures_of(table)["points"] == [-2.5, 2.5, -2.5, 2.5]
    # Down to its last counter: all draw at once, and no counter is drawn twice.
    table = table_with("polignac", all_tricks_of(0), settlement="stacks", stack=6)
    table.forfeit()
    assert table.rewards() == [1, -5 + 1, 1, 1]
    assert table.record.pool == 4 * 1
    assert table.record.stacks.tolist() == [7, 2, 7, 7]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 3}, "players=3 must be a whole number from 4 to 6"),
        ({"players": 7}, "players=7 must be a whole number from 4 to 6"),
        ({"dealer": 4}, "dealer=4 is not a seat; with players=4 the seats are 0 to 3"),
        ({"episode": "game", "deals": 4}, "deals=4 has a meaning only with episode"),
        ({"limit": 20}, "limit=20 has a meaning only with game_end='points'"),
        ({"game_end": "points"}, "has a meaning only with episode='game'"),
        ({"stack": 30}, "stack=30 has a meaning only with settlement='stacks'"),
        (
            {"settlement": "stacks", "reward": "match"},
            "settlement='stacks' has a meaning only with reward='points'",
        ),
        ({"rank": "ace"}, "rank='ace' is not a value"),
    ],
)
def test_options_that_cannot_be_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("polignac", **options)


GOOD = table_with("polignac", JACKS_FOR_1_AND_3).record.dealt


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"deal": "A.. "}, "is not a hand"),
        ({"deal": "A... .A.. ..A."}, "deals 3 hands; 4 players need 4"),
        ({"deal": "A... .A.. ..A. ...A"}, "has 1 cards, but is dealt 8"),
        ({"deal": "A... A... ..A. ...A"}, "SA is in the deal twice"),
        ({"deal": "6... .A.. ..A. ...A"}, "S6 is not in the pack of this game"),
        ({"dealer": 4}, "dealer=4 is not a seat; the seats are 0 to 3"),
        ({"scores": (1, 2, 3, 4)}, "scores= belongs to a game"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    position: dict[str, Any], message: str
) -> None:
    table = whist_env.game("polignac").new_table(0)
    before = table.to_bytes()
    with pytest.raises(ValueError, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


def test_scores_that_cannot_be_are_refused() -> None:
    for how, most in (
        ({}, 99),
        ({"game_end": "points"}, 9),
        ({"settlement": "stacks", "stack": 8}, 6),
    ):
        game = whist_env.game("polignac", episode="game", **how)
        table = game.new_table(0, scores=(most, 0, 0, 0))
        assert table.record.points.tolist() == [most, 0, 0, 0]
        if how.get("settlement"):
            assert table.record.stacks.tolist() == [2, 8, 8, 8]
            assert table.record.pool == 4 * 6
        for scores in (
            (most + 1, 0, 0, 0),
            (0, 0, 0),
            (0, 0, -1, 0),
            3,
            (0, 0, 0, 1.5),
        ):
            with pytest.raises(ValueError, match=f"4 whole numbers from 0 to {most}"):
                game.new_table(0, scores=scores)
    with pytest.raises(TypeError, match="must be a text"):
        whist_env.game("polignac").new_table(0, deal=7)


def test_reasons_name_the_phase_and_the_rule() -> None:
    table = table_with("polignac", JACKS_FOR_1_AND_3)
    with pytest.raises(IllegalAction, match="no card is played before"):
        table.apply(card_id("CK"))
    announce(table, None)
    with pytest.raises(IllegalAction, match="calls are made before the first lead"):
        table.apply(CAPOT)
    table.apply(table.legal_actions()[0])
    with pytest.raises(IllegalAction, match="clubs were led and must be followed"):
        table.apply(next(card for card in members(table.record.hands[2]) if card > 12))
    with pytest.raises(IllegalAction, match="the hand does not hold C2"):
        table.apply(card_id("C2"))


# The oracle -------------------------------------------------------------------------

WAYS = [
    {**rules, **length}
    for rules in every_way(
        players=[4, 5, 6],
        rank=["AKQJ10987", "KQJA10987"],
        announcements=["first", "all"],
        capot_lead=["eldest", "announcer"],
        capot_early_stop=[False, True],
    )
    for length in (
        {},
        {"deals": 4, "settlement": "stacks", "stack": 9},
        {"episode": "game", "game_end": "points", "reward": "match"},
    )
]


@pytest.mark.parametrize("players", [4, 5, 6])
def test_random_games_agree_with_the_oracle(players: int) -> None:
    rng = random.Random(players)
    for options in WAYS:
        if options["players"] == players:
            game = whist_env.game("polignac", **options)
            for seed in range(8):
                # At random somebody announces capot in most deals.
                quiet = CAPOT if seed % 2 else None
                table = game.new_table(seed)
                referee = PolignacReferee(options)
                play_beside(table, referee, rng, without=quiet)
                assert referee.match is not None
                ledger = referee.match.ledger
                assert table.record.points.tolist() == ledger.paid
                won = [int(seat in ledger.winners) for seat in range(players)]
                assert table.record.winners.tolist() == won
