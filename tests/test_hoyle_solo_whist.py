"""The player of Solo Whist: each maxim of its calls on a hand, how strong it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.hoyle.mind import new_mind
from whist_agents.hoyle.solo_whist import choose
from whist_env import Tables, Views
from whist_env.cards import deal_text, members, parse_card, parse_hand
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")


def table_of(hand: str, seat: int, turned: str = "H9", **options: Any) -> Any:
    """A table at which a seat has a hand; eldest is seat 0, seat 3 deals.

    The other hands are drawn from the cards that are left.
    """
    held = set(members(parse_hand(hand)))
    dealers = set() if seat == 3 else {parse_card(turned)}
    left = sorted(set(range(52)) - held - dealers)
    cards = np.random.default_rng(0).permutation(left).tolist()
    hands = [held if other == seat else set() for other in range(4)]
    hands[3] = hands[3] | dealers
    for other in hands:
        while len(other) < 13:
            other.add(cards.pop())
    deal = deal_text([sum(1 << card for card in other) for other in hands])
    game = whist_env.game("solo_whist", **options)
    return game.new_table(seed=0, deal=deal, turned=turned, dealer=3)


def do(table: Any, *actions: str) -> Any:
    """Carry out some calls."""
    for action in actions:
        table.apply(table.game.action_names.index(action))
    return table


def answer(table: Any) -> str:
    """What hoyle does for the agent to act."""
    return table.game.action_names[int(HOYLE.act(view_of(table, 0))[0])]


def call_of(hand: str, *calls: str, turned: str = "H9", **options: Any) -> str:
    """What hoyle calls with a hand after these calls of the seats before it."""
    return answer(do(table_of(hand, len(calls) % 4, turned, **options), *calls))


HOPELESS = "JT64.T3.QJ82.T85"
HELPFUL = "A864.KQ43.82.952"
STRONG = "A4.AKQ43.852.952"
COLD_MISERE = "8642.642.642.642"


def test_passes_a_hopeless_hand() -> None:
    assert call_of(HOPELESS) == "pass"
    assert call_of(HOPELESS, "propose") == "pass"
    assert call_of(HOPELESS, "pass", "pass", "pass", turned="H3") == "pass"
    assert call_of(HOPELESS, "solo") == "pass"


def test_proposes_on_three_tricks_in_the_turned_suit() -> None:
    assert call_of(HELPFUL) == "propose"
    assert call_of(HELPFUL, turned="D3") == "pass"


def test_accepts_with_help_in_the_turned_suit() -> None:
    assert call_of(HELPFUL, "propose") == "accept"
    assert call_of(HELPFUL, "propose", turned="D3") == "pass"


def test_eldest_who_passed_does_not_accept_without_help() -> None:
    calls = ("pass", "propose", "pass", "pass")
    assert call_of(HOPELESS, *calls) == "pass"
    assert call_of(HELPFUL, *calls) == "accept"


def test_goes_solo_on_five_tricks_in_the_turned_suit() -> None:
    assert call_of(STRONG) == "solo"
    assert call_of(STRONG, "propose", "accept") == "solo"
    assert call_of(STRONG, turned="D3") != "solo"


def test_does_not_over_call_without_the_hand_for_it() -> None:
    assert call_of(STRONG, "solo") == "pass"
    assert call_of(STRONG, "misere") == "pass"


def test_a_proposer_whom_nobody_accepts_goes_solo_only_with_the_tricks() -> None:
    calls = ("propose", "pass", "pass", "pass")
    assert call_of(HELPFUL, *calls) == "pass"
    assert call_of(STRONG, *calls) == "solo"
    assert call_of(STRONG, *calls, amendment="solo_only") == "solo"


def test_calls_misere_on_low_cards_and_spreads_what_stands_being_seen() -> None:
    assert call_of(COLD_MISERE) == "spread"
    assert call_of("J743.642.T52.532", "pass") == "misere"
    assert call_of("K743.642.AQ5.532", "pass") == "pass"


def test_is_more_careful_with_a_misere_where_it_leads() -> None:
    hand = "QT42.432.752.742"
    assert call_of(hand, "pass") == "misere"
    assert call_of(hand) == "pass"


def test_calls_abundance_on_nine_tricks_and_names_its_best_suit() -> None:
    hand = "AKQJT842.AK.82.9"
    assert call_of(hand) == "abundance"
    table = do(table_of(hand, 0), "abundance", "pass", "pass", "pass")
    assert answer(table) == "spades"
    at_once = do(table_of(hand, 0, trump_named="with_call"), "abundance")
    assert answer(at_once) == "spades"


def test_calls_abundance_in_the_turned_suit() -> None:
    assert call_of("AK.AKQJT842.82.9") == "abundance_in_trumps"


def test_calls_a_slam_that_cannot_be_lost() -> None:
    hand = "AKQJT987.AKQJT.."
    assert call_of(hand) == "slam"
    assert call_of(hand, slam_trump="none") == "slam"
    assert call_of("KQJT9876.AKQJT..") != "slam"
    assert call_of("AKQJT98765.K3.A.", slam_trump="none") != "slam"


def test_cold_hands_are_made() -> None:
    for hand, call in ((COLD_MISERE, "spread"), ("AKQJT987.AKQJT..", "slam")):
        table = table_of(hand, 0)
        assert answer(table) == call
        while not table.is_over:
            table.apply(int(HOYLE.act(view_of(table, 0))[0]))
        assert table.record.points[0] == {"spread": 90, "slam": 120}[call]


def test_allies_do_not_take_from_each_other() -> None:
    deal = "N:A.A32.AK432.K432 2.54.JT98765.765 KQJ3.KQJ.Q.AQJT9 T987654.T9876..8"
    game = whist_env.game("solo_whist")
    table = game.new_table(seed=0, deal=deal, turned="H9", dealer=3)
    do(table, "propose", "pass", "accept", "pass")
    do(table, "SA", "S2")
    assert answer(table) == "S3"


OPTIONS: list[dict[str, Any]] = [
    {},
    {"history": "last_trick", "general_misere": "on", "slam_trump": "none"},
    {"deals": 3, "trump_named": "with_call", "stakes": "eb", "reward": "match"},
    {"deals": 2, "eldest": "stays_out", "amendment": "solo_only"},
    {"decided_hands": "stop", "redeal": "same_dealer", "shuffle": "gather_and_cut"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal_whatever_the_others_do(options: dict[str, Any]) -> None:
    game = whist_env.game("solo_whist", **options)
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
    game = whist_env.game("solo_whist")
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
    result = evaluate("hoyle", "random", game="solo_whist", deals=200, seed=3)
    assert result.estimates["points"].low > 20


def test_most_calls_that_it_plays_are_made() -> None:
    game = whist_env.game("solo_whist")
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
    played = records["cards_played"] > 0
    callers = np.where(
        records["standing"] == 2,
        records["made_by"][:, 1],
        np.take_along_axis(records["made_by"], records["standing"][:, None], 1)[:, 0],
    )
    earned = records["points"][np.arange(1000), callers][played]
    assert 0.3 < played.mean() < 0.95
    assert (earned > 0).mean() > 0.7
