"""The player of Boston: each maxim of its bidding on a hand, and how strong it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.hoyle.boston import choose
from whist_agents.hoyle.mind import new_mind
from whist_env import Tables, Views
from whist_env.cards import deal_text, members, parse_hand
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")


def table_of(hand: str, seat: int, **options: Any) -> Any:
    """A table at which a seat has a hand; eldest is seat 0, hearts are preferred.

    The other hands are drawn from the cards that are left.
    """
    held = parse_hand(hand)
    left = sorted(set(range(52)) - set(members(held)))
    cards = np.random.default_rng(0).permutation(left).tolist()
    hands = [sum(1 << card for card in cards[at : at + 13]) for at in (0, 13, 26)]
    hands.insert(seat, int(held))
    game = whist_env.game("boston", **options)
    return game.new_table(seed=0, deal=deal_text(hands), cut="H2", dealer=3)


def answer(table: Any) -> str:
    """What hoyle does for the agent to act."""
    return table.game.action_names[int(HOYLE.act(view_of(table, 0))[0])]


def call_of(hand: str, *calls: str, **options: Any) -> str:
    """What hoyle calls with a hand after these calls of the seats before it."""
    table = table_of(hand, len(calls) % 4, **options)
    names = table.game.action_names
    for call in calls:
        table.apply(names.index(call))
    return answer(table)


def test_passes_a_hopeless_hand() -> None:
    assert call_of("J864.QT3.J92.T85") == "pass"
    assert call_of("J864.QT3.J92.T85", "pass", "pass", "pass") == "pass"
    assert call_of("J864.QT3.J92.T85", "five_clubs") == "pass"


def test_bids_five_on_trumps_with_quick_tricks() -> None:
    assert call_of("AKJ74.A53.82.964") == "five_spades"
    assert call_of("82.A53.AKJ74.964") == "five_diamonds"


def test_bids_as_many_tricks_as_are_likely() -> None:
    assert call_of("AKQ974.A53.82.96") == "six_spades"
    assert call_of("AKQJT2.KQ5.82.96") == "seven_spades"
    assert call_of("AKQJ7432.AK5.8.9") == "nine_spades"


def test_does_not_over_call_beyond_its_tricks() -> None:
    hand = "AKJ74.A53.82.964"
    assert call_of(hand, "five_hearts") == "pass"
    assert call_of(hand, "seven_hearts") == "pass"


def test_bids_thirteen_on_tricks_that_cannot_be_lost() -> None:
    assert call_of("AKQJT98765.AKQ..") == "thirteen_spades"
    assert call_of("AKQJT987.AKQJT..") == "thirteen_spades"


def test_stretches_for_the_lowest_bid_that_takes_the_pool() -> None:
    hand = "AKQJ74.A53.82.96"
    assert call_of(hand, pool_min_bid=13) == "six_spades"
    assert call_of(hand, pool_min_bid=7) == "seven_spades"


def test_spreads_a_hand_that_cannot_take_a_trick() -> None:
    assert call_of("8642.642.642.642") == "grand_spread"
    assert call_of("8642.642.642.642", "twelve_hearts") == "grand_spread"
    assert call_of("8642.642.642.642", "thirteen_hearts") == "pass"


def test_lays_one_danger_away_in_a_little_spread() -> None:
    hand = "8642.6432.6432.A"
    assert call_of(hand, "pass") == "little_spread"
    table = table_of(hand, 1)
    for call in ("pass", "little_spread", "pass", "pass", "pass"):
        table.apply(table.game.action_names.index(call))
    assert answer(table) == "CA"


def test_does_not_bid_a_misere_with_danger_in_it() -> None:
    assert call_of("Q842.J73.T63.982") == "pass"
    assert call_of("KQ42.K73.842.742") == "pass"


def test_is_more_careful_with_a_misere_where_it_leads() -> None:
    hand = "9754.742.632.532"
    assert call_of(hand, "pass") == "grand_spread"
    assert call_of(hand) == "grand_misere"


def test_comes_back_with_a_misere_only_where_that_is_sound() -> None:
    calls = ("pass", "five_clubs", "pass", "pass")
    assert call_of("J864.QT3.J92.T85", *calls) == "pass"


def play_on(table: Any) -> None:
    """Play the deal out with hoyle in all seats."""
    while not table.is_over:
        table.apply(int(HOYLE.act(view_of(table, 0))[0]))


def test_a_cold_misere_and_a_cold_slam_are_made() -> None:
    for hand, call in (
        ("8642.642.642.642", "grand_spread"),
        ("AKQJT987.AKQJT..", "thirteen_spades"),
    ):
        table = table_of(hand, 0)
        assert answer(table) == call
        play_on(table)
        assert table.record.caller == 0
        assert table.record.points[0] > 400


def test_leads_what_the_caller_of_a_spread_must_take() -> None:
    table = table_of("A.8642.8642.8642", 1)
    for call in ("pass", "grand_spread", "pass", "pass", "pass"):
        table.apply(table.game.action_names.index(call))
    assert answer(table)[0] == "S"


OPTIONS: list[dict[str, Any]] = [
    {},
    {"history": "last_trick", "spread_exposed": "after_first_trick"},
    {"episode": "game", "shuffle": "gather_and_cut", "pool_min_bid": 5},
    {"deals": 2, "reward": "match", "pool_min_bid": 13, "failure_scale": "english"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal_whatever_the_others_do(options: dict[str, Any]) -> None:
    game = whist_env.game("boston", **options)
    tables = Tables(game, 200, seed=4, dtype=np.int8)
    batch = tables.reset()
    rng = np.random.default_rng(0)
    rows = np.arange(200)
    for _ in range(150):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(200, np.uint64)
        )
        actions = HOYLE.act(views)
        assert batch.action_mask[rows, actions].all()
        at_random = rng.random(200) < np.where(rows < 100, 0.2, 0.7)
        batch = tables.step(np.where(at_random, tables.sample_actions(), actions))


def test_it_acts_alike_in_plain_python_and_compiled() -> None:
    game = whist_env.game("boston")
    tables = Tables(game, 4, seed=9, dtype=np.int8)
    batch = tables.reset()
    layout = np.dtype((np.record, game.options.dtype()))
    options = np.array([game.options.as_integers()], layout)
    for _ in range(20):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(4, np.uint64)
        )
        actions = HOYLE.act(views)
        plain = [
            choose(row, mask, options[0], new_mind(4)[0])
            for row, mask in zip(views.observation, views.action_mask, strict=True)
        ]
        assert plain == actions.tolist()
        batch = tables.step(actions)


def test_beats_random_play_clearly() -> None:
    result = evaluate("hoyle", "random", game="boston", deals=200, seed=3)
    assert result.estimates["points"].low > 200


def test_most_contracts_that_it_undertakes_are_made() -> None:
    game = whist_env.game("boston")
    tables = Tables(game, 1000, seed=6, dtype=np.int8)
    batch = tables.reset()
    records = tables.finished.copy()
    done = np.zeros(1000, bool)
    while not done.all():
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(1000, np.uint64)
        )
        batch = tables.step(HOYLE.act(views))
        first = batch.done & ~done
        records[first] = tables.finished[first]
        done |= first
    undertaken = records["caller"] >= 0
    earned = records["points"][np.arange(1000), records["caller"]][undertaken]
    assert 0.3 < undertaken.mean() < 0.95
    assert (earned > 0).mean() > 0.65
