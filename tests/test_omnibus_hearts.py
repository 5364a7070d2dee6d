"""Omnibus Hearts by its rule sheet: every example, every option, and a slow oracle."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from contract import Options, contract
from individual_tables import (
    deal_of,
    every_way,
    features_of,
    hands_of,
    measures_of,
    play_beside,
    play_tricks,
    won_by,
)
from oracle_omnibus_hearts import (
    DEFAULTS,
    LOWEST_CLUB,
    REMOVED,
    Match,
    card_id,
    card_name,
    score_of,
)

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import members

CYCLE = "left,right,across,hold"


class OmnibusHeartsReferee:
    """The slow oracle of Omnibus Hearts as a referee."""

    match: Match | None = None

    def __init__(self, options: Options) -> None:
        self.options = {k: v for k, v in options.items() if k in DEFAULTS}

    def deal(self, table: Table) -> None:
        record = table.record
        if self.match is None:
            self.match = Match(int(record.dealer), **self.options)
        assert self.match.dealer == record.dealer
        self.dealt = [set(members(hand)) for hand in record.hands]
        self.match.start_deal([list(map(card_name, hand)) for hand in self.dealt])

    def agent(self) -> int:
        assert self.match is not None
        assert self.match.deal is not None
        return -1 if self.match.over else self.match.deal.seat

    def legal_actions(self) -> list[int]:
        assert self.match is not None
        assert self.match.deal is not None
        return sorted(map(card_id, self.match.deal.legal()))

    def play(self, action: int) -> list[float]:
        assert self.match is not None
        return [float(earned) for earned in self.match.act(card_name(action))]

    def knows(self, agent: int) -> set[int]:
        assert self.match is not None
        deal = self.match.deal
        assert deal is not None
        seen = {*deal.history, *deal.received[agent]}
        if deal.options["lead"] == "2c" and not deal.passing:
            seen.add(LOWEST_CLUB[deal.players])
        return self.dealt[agent] | set(map(card_id, seen))


def cards_laid_aside(record: Any) -> Iterable[int]:
    """The cards that are passed on, until all have chosen."""
    if record.phase == 0:
        for cards in record.passed:
            yield from members(cards)


TestOmnibusHearts = contract(
    "omnibus_hearts",
    OmnibusHeartsReferee,
    {},
    {"players": 5, "episode": "game", "limit": 30, "lead": "2c", "hearts_broken": True},
    {
        "players": 6,
        "deals": 4,
        "pass_cycle": CYCLE,
        "no_points_first_trick": True,
        "reward": "match",
        "low_cards_out": "black",
        "cards_passed": 2,
    },
    {
        "episode": "game",
        "limit": 40,
        "pass_cycle": CYCLE,
        "lead": "2c",
        "hearts_broken": True,
        "no_points_first_trick": True,
        "bonus_card": "DJ",
        "history": "last_trick",
    },
    piles=cards_laid_aside,
)

# Tables at which given tricks can be played after the cards are passed ----------------


def table_after_passing(tricks: list[str], dealer: int = 3, **how: Any) -> Table:
    """A table at which all have passed three cards to the left."""
    hands = hands_of(tricks)
    seats = range(len(hands))
    got = [set(sorted(hand)[:3]) for hand in hands]
    dealt = [hands[s] - got[s] | got[(s + 1) % len(hands)] for s in seats]
    game = whist_env.game("omnibus_hearts", **how)
    table = game.new_table(0, deal=deal_of(dealt), dealer=dealer)
    for turn in seats:
        giver = (dealer + 1 + turn) % len(hands)
        for card in sorted(got[(giver + 1) % len(hands)]):
            assert table.agent == giver
            table.apply(card)
    assert [set(members(hand)) for hand in table.record.hands] == hands
    return table


def scored(tricks: list[str], **how: Any) -> Table:
    """A table after one deal with these tricks."""
    table = table_after_passing(tricks, **how)
    play_tricks(table, tricks)
    return table


# Four tricks in which all follow suit; in the others seat 3 discards its hearts.
HEARTS_FOR_THREE = [
    won_by(0, "C5 C4 C3 C2"),
    won_by(0, "D5 D4 D3 D2"),
    won_by(0, "S5 S4 S3 S2"),
    won_by(0, "HA HK HQ HJ"),
    "DJ DT D9 HT",
    "SK SA SQ H9",
    "ST SJ S9 H8",
    "S7 S8 S6 H7",
    "CK CQ CA H6",
    "CT C9 CJ H5",
    "C7 C6 C8 H4",
    "DK DQ DA H3",
    "D7 D6 D8 H2",
]


def tricks_in_suits(winner: int, winner_of_ten: int) -> list[str]:
    """Three tricks of each suit, and one of the deuces, which the winner leads."""
    tricks = [
        won_by(winner_of_ten if suit == "D" and "T" in ranks else winner, cards)
        for suit in "DCSH"
        for ranks in ("AKQJ", "T987", "6543")
        for cards in [" ".join(suit + rank for rank in ranks)]
    ]
    return [*tricks, won_by(winner, "S2 H2 D2 C2")]


# The worked examples ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("tricks", "scores", "net"),
    [
        (HEARTS_FOR_THREE, [5, -16, -5, 0], [9, -12, -1, 4]),
        (tricks_in_suits(2, 2), [0, 0, 26, 0], [-6.5, -6.5, 19.5, -6.5]),
        (tricks_in_suits(0, 1), [-26, 10, 0, 0], [-22, 14, 4, 4]),
    ],
)
def test_the_worked_examples(
    tricks: list[str], scores: list[int], net: list[float]
) -> None:
    table = scored(tricks)
    assert table.record.points.tolist() == scores
    assert sum(scores) in (-16, 26)
    assert table.rewards() == table.returns() == net
    assert measures_of(table)["points"] == net


def test_the_highest_score_wins() -> None:
    table = scored(HEARTS_FOR_THREE, reward="match")
    assert table.returns() == [3, -1, -1, -1]
    assert measures_of(table)["won"] == [1, 0, 0, 0]
    table = scored(tricks_in_suits(0, 0), reward="match")
    assert table.returns() == [3, -1, -1, -1]


def test_the_jack_of_diamonds_may_count_instead_of_the_ten() -> None:
    table = scored(tricks_in_suits(0, 1), bonus_card="DJ")
    assert table.record.points.tolist() == [26, 0, 0, 0]
    table = scored(tricks_in_suits(1, 0), bonus_card="DJ")
    assert table.record.points.tolist() == [0, 26, 0, 0]
    assert score_of(["DJ", "H2"], "DJ") == 9
    assert score_of(["DJ", "H2"], "DT") == -1


# Pack and passing -------------------------------------------------------------------


@pytest.mark.parametrize(("players", "size"), [(4, 52), (5, 50), (6, 48)])
def test_the_pack_depends_on_the_number_of_players(players: int, size: int) -> None:
    table = whist_env.game("omnibus_hearts", players=players).new_table(3)
    cards = {card_name(card) for card in table.record.pack if card >= 0}
    assert len(cards) == size
    assert not cards & set(REMOVED["mixed"][players])
    hands = [len(list(members(hand))) for hand in table.record.hands]
    assert hands == [size // players] * players


@pytest.mark.parametrize(
    ("players", "out"), [(5, {"C2", "S2"}), (6, {"C2", "C3", "S2", "S3"})]
)
def test_black_cards_alone_may_be_out(players: int, out: set[str]) -> None:
    how = {"players": players, "low_cards_out": "black", "deals": 2}
    table = whist_env.game("omnibus_hearts", **how).new_table(3)
    pack = {card_name(card) for card in range(52)}
    rng = random.Random(0)
    while not table.is_over:
        cards = {card_name(card) for card in table.record.pack if card >= 0}
        assert cards == pack - out
        table.apply(rng.choice(table.legal_actions()))


@pytest.mark.parametrize("number", [1, 5])
def test_another_number_of_cards_may_be_passed(number: int) -> None:
    game = whist_env.game("omnibus_hearts", dealer=3, cards_passed=number)
    table = game.new_table(5)
    dealt = [set(members(hand)) for hand in table.record.hands]
    for turn in range(4 * number):
        assert table.agent == turn // number
        assert features_of(table, 0)["phase"].tolist() == [1, 0]
        table.apply(table.legal_actions()[0])
    assert features_of(table, 0)["phase"].tolist() == [0, 1]
    for seat in range(4):
        giver = (seat - 1) % 4
        lowest = set(sorted(dealt[giver])[:number])
        kept = dealt[seat] - set(sorted(dealt[seat])[:number])
        assert set(members(table.record.hands[seat])) == kept | lowest
        assert features_of(table, seat)["received"].sum() == number


def test_each_in_turn_lays_three_cards_aside_that_change_hands_together() -> None:
    table = whist_env.game("omnibus_hearts", dealer=1).new_table(5)
    dealt = [set(members(hand)) for hand in table.record.hands]
    chosen: dict[int, list[int]] = {seat: [] for seat in range(4)}
    for turn in range(12):
        seat = (2 + turn // 3) % 4
        assert table.agent == seat
        assert table.legal_actions() == sorted(dealt[seat] - set(chosen[seat]))
        assert not any(
            features_of(table, agent)["received"].any() for agent in range(4)
        )
        chosen[seat].append(table.legal_actions()[turn % 5])
        table.apply(chosen[seat][-1])
    assert features_of(table, 0)["phase"].tolist() == [0, 1]
    for seat in range(4):
        got = chosen[(seat - 1) % 4]
        seen = features_of(table, seat)
        assert seen["passes_to"].tolist() == [0, 1, 0, 0]
        assert seen["passed"].nonzero()[0].tolist() == sorted(chosen[seat])
        assert seen["received"].nonzero()[0].tolist() == sorted(got)
        hand = dealt[seat] - set(chosen[seat]) | set(got)
        assert set(members(table.record.hands[seat])) == hand
    assert table.agent == 2


def test_what_is_laid_aside_shows_to_nobody_else() -> None:
    game = whist_env.game("omnibus_hearts", dealer=3)
    one, other = game.new_table(5), game.new_table(5)
    for place in range(3):
        one.apply(one.legal_actions()[0])
        other.apply(other.legal_actions()[-1])
        for agent in (1, 2, 3):
            assert (one.observe(agent) == other.observe(agent)).all()
            assert one.draw(agent) == other.draw(agent)
            notes = one.game.rules.notes(one.record, agent)
            assert notes == other.game.rules.notes(other.record, agent)
            assert notes == (("phase", "passing"),)
        assert (one.observe(0) != other.observe(0)).any()
        assert one.agent == other.agent == (0 if place < 2 else 1)
    for table in (one, other):
        passed = table.state(2)[table.game.state_features["all_passed"]].reshape(4, 52)
        assert passed.sum(axis=1).tolist() == [0, 0, 3, 0]


@pytest.mark.parametrize(
    ("players", "distances"), [(4, [1, 3, 2, 0]), (5, [1, 4, 2, 0]), (6, [1, 5, 3, 0])]
)
def test_cards_may_be_passed_left_right_across_and_not(
    players: int, distances: list[int]
) -> None:
    how = {"players": players, "deals": 5, "dealer": 0}
    for cycle, expected in ((CYCLE, [*distances, 1]), ("left", [1] * 5)):
        table = whist_env.game("omnibus_hearts", pass_cycle=cycle, **how).new_table(2)
        rng = random.Random(0)
        for distance in expected:
            seen = features_of(table, 3)
            to = [0] * players
            to[distance] = 1
            assert seen["passes_to"].tolist() == (to if distance else [0] * players)
            assert seen["phase"].tolist() == ([1, 0] if distance else [0, 1])
            deals = table.record.deals_played
            while not table.is_over and table.record.deals_played == deals:
                table.apply(rng.choice(table.legal_actions()))
        assert table.is_over


# Leading and following ----------------------------------------------------------------


@pytest.mark.parametrize("players", [4, 5, 6])
def test_the_lowest_club_may_have_to_be_led(players: int) -> None:
    club = LOWEST_CLUB[players]
    holders = set()
    for seed in range(10):
        game = whist_env.game("omnibus_hearts", players=players, lead="2c", dealer=0)
        table = game.new_table(seed)
        for _ in range(3 * players):
            table.apply(table.legal_actions()[0])
        assert table.legal_actions() == [card_id(club)]
        holders.add(table.agent)
        other = next(c for c in members(table.record.hands[table.agent]) if c > 3)
        with pytest.raises(IllegalAction, match=f"the first lead is {club}"):
            table.apply(other)
        table.apply(card_id(club))
    assert len(holders) > 1


def test_hearts_may_have_to_be_broken() -> None:
    plain = table_after_passing(HEARTS_FOR_THREE)
    strict = table_after_passing(HEARTS_FOR_THREE, hearts_broken=True)
    assert card_id("HA") in plain.legal_actions()
    assert strict.legal_actions() == [c for c in plain.legal_actions() if c // 13 != 2]
    with pytest.raises(IllegalAction, match="hearts may not be led before"):
        strict.apply(card_id("HA"))
    play_tricks(strict, HEARTS_FOR_THREE[:3])
    assert card_id("HA") not in strict.legal_actions()
    play_tricks(strict, ["DJ DT D9 HT"])
    assert card_id("HA") in strict.legal_actions()


def test_who_holds_hearts_alone_may_lead_them() -> None:
    first = [
        won_by(3, "C5 C4 C3 C2"),
        won_by(3, "D5 D4 D3 D2"),
        won_by(3, "S5 S4 S3 S2"),
    ]
    table = table_after_passing([*first, *HEARTS_FOR_THREE[3:]], hearts_broken=True)
    play_tricks(table, first)
    assert table.agent == 3
    assert len(table.legal_actions()) == 10
    assert {card // 13 for card in table.legal_actions()} == {2}


def test_the_first_trick_may_be_kept_free_of_points() -> None:
    how = {"no_points_first_trick": True}
    # Seat 3 has no clubs but hearts, the queen of spades and one diamond.
    hearts = "HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 SQ".split()
    others = [card_name(card) for card in range(52)]
    others = [card for card in others if card not in (*hearts, "D2")]
    columns = [others[0:13], others[13:26], others[26:39]]
    tricks = [" ".join(row) for row in zip(*columns, [*hearts, "D2"], strict=True)]
    table = table_after_passing(tricks, **how)
    assert all(card // 13 != 2 for card in table.legal_actions())
    table.apply(card_id(columns[0][-1]))
    table.apply(next(c for c in table.legal_actions()))
    table.apply(next(c for c in table.legal_actions()))
    assert table.agent == 3
    assert table.legal_actions() == [card_id("D2")]
    with pytest.raises(IllegalAction, match="are kept from the first trick"):
        table.apply(card_id("SQ"))
    free = table_after_passing(tricks)
    for card in table.record.history[:3]:
        free.apply(card)
    assert len(free.legal_actions()) == 13


def test_a_first_trick_of_nothing_but_points_is_possible() -> None:
    suits = [[card_name(13 * suit + rank) for rank in range(13)] for suit in range(4)]
    tricks = [" ".join(row) for row in zip(*suits, strict=True)]
    table = table_after_passing(tricks, no_points_first_trick=True)
    for _ in range(2):
        table.apply(table.legal_actions()[0])
    assert len(table.legal_actions()) == 13
    table.apply(table.legal_actions()[0])
    assert len(table.legal_actions()) == 12
    assert card_id("SQ") not in table.legal_actions()


def test_everybody_sees_what_was_taken() -> None:
    table = table_after_passing(HEARTS_FOR_THREE)
    play_tricks(table, HEARTS_FOR_THREE[:6])
    seen = features_of(table, 1)
    assert seen["hearts"].tolist() == [1, 0, 0, 5]
    assert seen["queen"].tolist() == [1, 0, 0, 0]
    assert seen["bonus"].tolist() == [0, 0, 0, 1]
    assert seen["tricks"].tolist() == [1, 0, 0, 5]
    taken = dict(table.game.rules.notes(table.record, 1))
    assert taken["player_0 has taken"] == "5 hearts, DT"
    assert taken["player_1 has taken"] == "1 heart, SQ"


# The end ----------------------------------------------------------------------------


def test_a_game_ends_when_somebody_is_at_minus_100() -> None:
    game = whist_env.game("omnibus_hearts", episode="game")
    table = game.new_table(0, scores=(-99, 50, -120 + 21, 3))
    rng = random.Random(1)
    while not table.is_over:
        assert table.record.points.min() > -100
        table.apply(rng.choice(table.legal_actions()))
    score = table.record.points.tolist()
    assert min(score) <= -100
    assert table.record.winners.tolist() == [int(s == max(score)) for s in score]
    assert score[1] == max(score)
    mean = sum(score) / 4
    assert measures_of(table)["points"] == [s - mean for s in score]
    assert features_of(table, 2)["score"].tolist() == [
        [(abs(s) // 100) * (1 if s > 0 else -1), (abs(s) % 100) * (1 if s > 0 else -1)]
        for s in score[2:] + score[:2]
    ]


def test_a_game_ends_after_a_hundred_deals() -> None:
    game = whist_env.game("omnibus_hearts", episode="game", limit=1000)
    table = game.new_table(0, scores=(999,) * 4)
    rng = random.Random(1)
    while not table.is_over:
        table.apply(rng.choice(table.legal_actions()))
    assert table.record.deals_played == 100
    assert table.record.points.min() > -1000
    assert features_of(table, 0)["deals_left"] == 0


def test_a_forfeit_costs_26_points() -> None:
    table = table_after_passing(HEARTS_FOR_THREE)
    table.forfeit()
    assert table.returns() == [-19.5, 6.5, 6.5, 6.5]
    assert measures_of(table)["points"] == [-19.5, 6.5, 6.5, 6.5]


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 3}, "players=3 must be a whole number from 4 to 6"),
        ({"players": 5, "dealer": 5}, "with players=5 the seats are 0 to 4"),
        ({"limit": 50}, "limit=50 has a meaning only with episode='game'"),
        ({"episode": "game", "deals": 3}, "deals=3 has a meaning only with episode"),
        ({"pass_cycle": "right"}, "pass_cycle='right' is not a value"),
        ({"lead": "c2"}, "lead='c2' is not a value"),
        ({"hearts_broken": "yes"}, "hearts_broken='yes' is not a value"),
        ({"bonus_card": "TD"}, "bonus_card='TD' is not a value"),
        ({"low_cards_out": "black"}, "only with players=5 or 6"),
        ({"cards_passed": 0}, "cards_passed=0 must be a whole number from 1 to 5"),
    ],
)
def test_options_that_cannot_be_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("omnibus_hearts", **options)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"deal": "A... .A.. ..A."}, "deals 3 hands; 4 players need 4"),
        ({"deal": "A... .A.. ..A. ...A"}, "has 1 cards, but is dealt 13"),
        ({"dealer": 9}, "dealer=9 is not a seat; the seats are 0 to 3"),
        ({"scores": (1, 2, 3, 4)}, "scores= belongs to a game"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    position: dict[str, Any], message: str
) -> None:
    table = whist_env.game("omnibus_hearts").new_table(0)
    before = table.to_bytes()
    with pytest.raises(ValueError, match=message):
        table.reset(**position)
    assert table.to_bytes() == before
    table = whist_env.game("omnibus_hearts", episode="game").new_table(0)
    with pytest.raises(ValueError, match="4 whole numbers from -99 to 999"):
        table.reset(scores=(-100, 0, 0, 0))


def test_reasons_name_the_card_and_the_rule() -> None:
    table = table_after_passing(HEARTS_FOR_THREE)
    table.apply(card_id("C5"))
    with pytest.raises(IllegalAction, match="clubs were led and must be followed"):
        table.apply(card_id("SA"))
    table = whist_env.game("omnibus_hearts", players=5).new_table(0)
    with pytest.raises(IllegalAction, match="the hand does not hold D2"):
        table.apply(card_id("D2"))


# The oracle -------------------------------------------------------------------------

WAYS = [
    {**rules, **length}
    | ({"low_cards_out": "black"} if rules["players"] > 4 and length else {})
    for rules in every_way(
        players=[4, 5, 6],
        pass_cycle=["left", CYCLE],
        lead=["eldest", "2c"],
        hearts_broken=[False, True],
        no_points_first_trick=[False, True],
        bonus_card=["DT", "DJ"],
    )
    for length in (
        {},
        {"deals": 4, "reward": "match", "cards_passed": 2},
        {"episode": "game", "limit": 25},
    )
]


@pytest.mark.parametrize("players", [4, 5, 6])
def test_random_games_agree_with_the_oracle(players: int) -> None:
    rng = random.Random(players)
    for options in WAYS:
        if options["players"] == players:
            game = whist_env.game("omnibus_hearts", **options)
            for seed in range(4):
                table = game.new_table(seed)
                referee = OmnibusHeartsReferee(options)
                play_beside(table, referee, rng)
                assert referee.match is not None
                assert table.record.points.tolist() == referee.match.totals
                winners = referee.match.winners
                won = [int(seat in winners) for seat in range(players)]
                assert table.record.winners.tolist() == won
