"""The rule-of-thumb player of Dummy Whist, of three players and of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.hoyle.dummies import see_open_hands
from whist_agents.hoyle.dummy_whist import know_turned
from whist_agents.hoyle.mind import new_mind, read
from whist_env import Table, Tables, Views
from whist_env.cards import holds, members, parse_card
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")
DEAL = "N:AKQ2.AK2.AK2.AK2 543.QJT.QJT9.QJT JT98.543.543.543 76.9876.876.9876"


def action(table: Table) -> str:
    """What hoyle plays at a table."""
    chosen = int(HOYLE.act(view_of(table, 0))[0])
    return table.game.rules.action_names[chosen]


def play(table: Table, *cards: str) -> Table:
    """The table after these cards, or if none is named, after one of hoyle."""
    for card in cards or (action(table),):
        table.apply(parse_card(card))
    return table


def dealt(players: int, **options: Any) -> Table:
    """The deal above, from player 0, who turns a spade."""
    game = whist_env.game("dummy_whist", players=players, **options)
    return game.new_table(seed=0, deal=DEAL, dealer=0, turned="S2")


def mind_at(table: Table) -> Any:
    """What the player in turn has in mind."""
    view = view_of(table, 0)
    mind = new_mind(4)[0]
    read(view.observation[0], view.action_mask[0], mind)
    know_turned(view.observation[0], mind, parse_card("S2"))
    see_open_hands(view.observation[0], mind)
    return mind


def hands(table: Table) -> list[int]:
    """The hands by seat, counted from the one that plays."""
    seat = int(table.record["seat"])
    return [int(table.record["hands"][(seat + place) % 4]) for place in range(4)]


def test_an_opponent_of_the_dealer_knows_dummy_and_the_turned_card() -> None:
    table = dealt(3)
    mind = mind_at(table)
    _, dummy, partner, dealer = hands(table)
    assert [int(held) for held in mind.holds[1:3]] == [dummy, 0]
    assert int(mind.holds[3]) == 1 << parse_card("S2")
    assert mind.turned_by == 3
    assert not holds(mind.may_hold[2], parse_card("S2"))
    assert int(mind.may_hold[2]) & partner == partner
    assert int(mind.may_hold[3]) & dealer == dealer


def test_the_dealer_plays_dummy_from_its_own_cards() -> None:
    table = play(dealt(3), "S3")
    assert (table.record["seat"], table.agent) == (2, 0)
    mind = mind_at(table)
    dummy, _, dealer, _ = hands(table)
    assert (int(mind.hand), int(mind.holds[2])) == (dummy, dealer)
    assert mind.partners == 0b100
    assert mind.holds[1] == mind.holds[3] == 0
    # The ace lies opposite; nothing is gained by a high card of dummy.
    assert action(table) in ("S8", "S9", "ST", "SJ")


def test_two_players_with_open_dummies_know_all_hands() -> None:
    table = dealt(2)
    for _ in range(20):
        mind = mind_at(table)
        assert [int(held) for held in mind.holds[:4]] == hands(table)
        play(table)


def test_nothing_is_known_of_hands_that_are_not_seen_yet() -> None:
    table = dealt(2, dummy_exposed="after_lead")
    mind = mind_at(table)
    own, _, partner, _ = hands(table)
    assert [int(mind.hand), int(mind.holds[2])] == [own, partner]
    assert int(mind.holds[1]) == 0
    assert int(mind.holds[3]) == 1 << parse_card("S2")


@pytest.mark.parametrize("players", [2, 3])
def test_the_dealer_takes_what_is_cold(players: int) -> None:
    table = dealt(players)
    while not table.is_over:
        play(table)
    tricks = table.record["tricks_won"]
    assert tricks[0] + tricks[2] >= 10


# Legality, strength -------------------------------------------------------------------

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"players": 2},
    {"deals": 3, "reward": "tricks", "history": "last_trick"},
    {"players": 2, "history": "last_trick", "dummy_exposed": "after_lead"},
    {"deals": 2, "dummy_exposed": "after_lead", "split": "half", "honours": False},
    {"players": 2, "deals": 2, "reward": "match", "shuffle": "gather_and_cut"},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_it_always_does_what_is_legal(options: dict[str, Any]) -> None:
    tables = Tables(whist_env.game("dummy_whist", **options), 40, 1, dtype=np.int8)
    batch = tables.reset()
    random = np.random.default_rng(1)
    for _ in range(110):
        views = Views(
            tables.game, batch.observation, batch.action_mask, np.zeros(40, np.uint64)
        )
        chosen = HOYLE.act(views)
        assert batch.action_mask[np.arange(40), chosen].all()
        other = tables.sample_actions()
        batch = tables.step(np.where(random.random(40) < 0.5, chosen, other))


@pytest.mark.parametrize(("players", "least"), [(3, 0.3), (2, 0.9)])
def test_it_beats_random_play_clearly(players: int, least: float) -> None:
    played = evaluate(
        "hoyle", "random", game="dummy_whist", deals=200, seed=1, players=players
    )
    assert played.estimates["points"].low > least


def test_open_hands_hold_no_card_twice() -> None:
    table = dealt(3)
    for _ in range(30):
        play(table)
        mind = mind_at(table)
        known = [set(members(int(held))) for held in mind.holds[:4]]
        assert len(set.union(*known)) == sum(map(len, known))
