"""The rule-of-thumb player of German Whist: what it knows, and each maxim on a hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents import hoyle
from whist_agents.hoyle.german_whist import choose, reflect
from whist_agents.hoyle.mind import new_mind, read
from whist_env import Tables, Views
from whist_env.cards import CARDS, card_name, parse_card
from whist_env.engine.tricks import NO_CARD
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")
NAME = "german_whist"

# Seat 0 leads; hearts are trumps, since the first card of the talon is always a trump.
OTHER = "Q9753.654.T76.J7"


def card_of(hand: str, talon: str, *played: str, **options: Any) -> str:
    """The card that the seat plays whose turn it is; seat 0 holds the hand."""
    game = whist_env.game(NAME, **options)
    table = game.new_table(seed=0, deal=f"{hand} {OTHER}", talon=talon, dealer=1)
    for card in played:
        table.apply(parse_card(card))
    return card_name(int(HOYLE.act(view_of(table, table.agent))[0]))


def answer(hand: str, talon: str, *played: str, **options: Any) -> str:
    """The card that seat 1 plays, which holds this hand."""
    game = whist_env.game(NAME, **options)
    table = game.new_table(seed=0, deal=f"{OTHER} {hand}", talon=talon, dealer=1)
    for card in played:
        table.apply(parse_card(card))
    assert table.agent == 1
    return card_name(int(HOYLE.act(view_of(table, 1))[0]))


# While the talon lasts ----------------------------------------------------------------

HAND = "AK82.83.A98.9864"


@pytest.mark.parametrize("count", ["all", "last13"])
def test_a_high_trump_that_lies_face_up_is_worth_an_ace(count: str) -> None:
    assert answer(HAND, "HA", "SQ", count=count) in ("SA", "SK")


def test_a_low_plain_card_is_left_to_the_other_where_the_trick_does_not_count() -> None:
    # Seat 0 wins the first trick with the jack of clubs, and leads again.
    before = ("CJ", "C4", "DT")
    assert answer(HAND, "H7 S4 C2 S6", *before, count="last13") == "D8"


def test_a_trick_that_counts_is_won_where_it_is_cheap() -> None:
    before = ("CJ", "C4", "D7")
    assert answer(HAND, "H7 S4 C2 S6", *before, count="all") == "D8"
    before = ("CJ", "C4", "S7")
    assert answer(HAND, "H7 S4 C2 S6", *before, count="all") == "S2"


def test_a_trick_is_won_as_cheaply_as_it_can_be() -> None:
    hand = "AT82.83.A98.9864"
    assert answer(hand, "HA", "S9") == "ST"


def test_a_good_card_is_won_with_a_lead_that_is_likely_to_hold() -> None:
    assert card_of("AK82.AK83.98.984", "HQ") in ("SA", "SK", "HA", "HK")


def test_a_bad_card_is_lost_with_a_low_lead() -> None:
    # The ace of hearts wins the first trick; then a deuce lies face up.
    hand = "AK82.AK83.98.984"
    led = card_of(hand, "H7 S4 C2 S6", "HA", "H4", count="last13")
    assert led[1] in "2489"
    assert led[0] != "H"


# When it is gone ----------------------------------------------------------------------


def minds(seed: int, plies: int, **options: Any) -> list[tuple[Any, Any]]:
    """What players have in mind after so many cards of random play, and the tables."""
    game = whist_env.game(NAME, **options)
    tables = Tables(game, 100, seed, dtype=np.int8)
    batch = tables.reset()
    for _ in range(plies):
        batch = tables.step(tables.sample_actions())
    found = []
    for index in range(100):
        mind = new_mind(2)[0]
        row, record = batch.observation[index], tables.records[index]
        read(row, batch.action_mask[index], mind)
        reflect(row, hoyle.table_of(game)[0][0], mind, int(record["face_up"]))
        found.append((mind, record))
    return found


@pytest.mark.parametrize("plies", [0, 7, 12, 25])
@pytest.mark.parametrize("options", [{}, {"history": "last_trick"}])
def test_what_it_knows_of_the_other_hand_is_true(plies: int, options: Any) -> None:
    for mind, record in minds(1, plies, **options):
        other = record["hands"][1 - record["agent"]]
        assert other & ~mind.may_hold[1] == 0
        assert mind.holds[1] & ~other == 0
        assert record["face_up"] != NO_CARD


@pytest.mark.parametrize("options", [{}, {"ranks": 8, "suits": 2}])
def test_it_knows_the_other_hand_when_the_talon_is_gone(options: Any) -> None:
    draws = options.get("ranks", 13) * options.get("suits", 4) // 4
    for plies in (2 * draws, 2 * draws + 1, 2 * draws + 4):
        for mind, record in minds(2, plies, **options):
            other = record["hands"][1 - record["agent"]]
            assert mind.holds[1] == mind.may_hold[1] == mind.out == other


def last_tricks(mine: str, other: str, trump: str, led: str = "") -> str:
    """The card played with these hands when the talon is gone; all others are out."""
    game = whist_env.game(NAME)
    features = game.features
    row = np.zeros(features.size, np.int8)
    parts = features.named(row)
    held, others = (
        {parse_card(card) for card in text.split()} for text in (mine, other)
    )
    gone = sorted(set(range(CARDS)) - held - others)
    parts["hand"][sorted(held)] = 1
    parts["played"][1, gone] = 1
    parts["trump"]["CDHS".index(trump)] = 1
    parts["leader"][1 if led else 0] = 1
    parts["to_act"][0] = 1
    legal = held
    if led:
        card = parse_card(led)
        parts["trick"][1, card] = 1
        parts["winning_card"][card] = 1
        legal = {c for c in held if c // 13 == card // 13} or held
    mask = np.zeros(game.num_actions, np.int8)
    mask[sorted(legal)] = 1
    views = Views(game, row[None], mask[None], np.zeros(1, np.uint64))
    return card_name(int(HOYLE.act(views)[0]))


def test_a_card_that_the_other_hand_cannot_beat_is_led() -> None:
    assert last_tricks("S9 D3 C4", "S8 DK C9", trump="H") == "S9"


def test_no_suit_is_led_that_the_other_ruffs() -> None:
    assert last_tricks("SA D9 D3", "H2 DK D8", trump="H") != "SA"


def test_the_last_trumps_of_the_other_are_drawn_before_masters_are_led() -> None:
    assert last_tricks("HA SA SK", "H2 D8 C9", trump="H") == "HA"


def test_the_second_hand_wins_as_cheaply_as_it_can() -> None:
    assert last_tricks("SA ST S2", "C3 C4", trump="H", led="S9") == "ST"
    assert last_tricks("H3 H4 C2", "H8 C4", trump="H", led="S9") == "H3"


# All together -------------------------------------------------------------------------

OPTIONS = [
    {},
    {"count": "last13"},
    {"history": "last_trick"},
    {"deals": 2, "shuffle": "gather_and_cut"},
    {"ranks": 8},
    {"ranks": 4, "suits": 3, "count": "last13"},
    {"ranks": 2, "suits": 2},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_card_is_legal(options: Any) -> None:
    game = whist_env.game(NAME, **options)
    tables = Tables(game, 100, seed=3, dtype=np.int8)
    batch = tables.reset()
    rng = np.random.default_rng(0)
    for _ in range(80):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        cards = HOYLE.act(views)
        assert batch.action_mask[np.arange(100), cards].all()
        at_random = rng.random(100) < 0.5
        batch = tables.step(np.where(at_random, tables.sample_actions(), cards))


@pytest.mark.parametrize("plies", [0, 9, 26, 27])
def test_the_maxims_play_alike_in_plain_python_and_compiled(plies: int) -> None:
    game = whist_env.game(NAME, count="last13")
    tables = Tables(game, 8, seed=4, dtype=np.int8)
    batch = tables.reset()
    for _ in range(plies):
        batch = tables.step(tables.sample_actions())
    options = hoyle.table_of(game)[0][0]
    plain = [
        choose(row, mask, options, new_mind(2)[0])
        for row, mask in zip(batch.observation, batch.action_mask, strict=True)
    ]
    views = Views(game, batch.observation, batch.action_mask, np.zeros(8, np.uint64))
    assert plain == HOYLE.act(views).tolist()


@pytest.mark.parametrize(("count", "least"), [("all", 8.0), ("last13", 6.5)])
def test_beats_random_play_clearly(count: str, least: float) -> None:
    judged = evaluate("hoyle", "random", game=NAME, deals=400, seed=5, count=count)
    assert judged.estimates["points"].low > least
