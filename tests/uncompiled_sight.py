"""What networks see in every game, counted by hand; run by `test_sight`.

This touches every game, but little of each, so it is run without compiling anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import whist_env
from whist_agents.canonical import ORDERS, canonical
from whist_agents.hoyle import HoyleAgent
from whist_agents.sight import ADVICE, HANDS, HIGHER, NO_CARD, PLACES, sight
from whist_env import Game, Table, Tables, Views
from whist_env.games import GAMES, forms_of
from whist_env.worlds import Worlds

FORMS = [(name, form.agents) for name in GAMES for form in forms_of(name)]


def game_for(name: str, players: int) -> Game:
    if players == forms_of(name)[0].agents:
        return whist_env.game(name)
    return whist_env.game(name, players=players)


def positions(game: Game, plies: int) -> Iterator[tuple[Tables, Any]]:
    """Two tables and what is seen there, at every few plies of random play."""
    tables = Tables(game, 2, seed=3, dtype=np.int8)
    batch = tables.reset()
    for ply in range(plies):
        if ply % 4 == 0 or ply % 13 == 5:
            yield tables, batch
        batch = tables.step(tables.sample_actions())


def is_out(game: Game, observation: Any, card: int) -> bool:
    """Whether a card has not been gathered in a trick."""
    on_table = game.features.part(observation, "trick")[:, card].any()
    return bool(
        on_table or not game.features.part(observation, "played")[:, card].any()
    )


def holder(game: Game, observation: Any, card: int) -> int:
    """0 for a card in hand, 1 + seat for one that a seat has on the table, or -1."""
    on_table = game.features.part(observation, "trick")[:, card]
    if on_table.any():
        return 1 + int(on_table.argmax())
    return 0 if game.features.part(observation, "hand")[card] else -1


@pytest.mark.parametrize(("name", "players"), FORMS)
def test_higher_cards_and_places_are_as_counted_by_hand(
    name: str, players: int
) -> None:
    game = game_for(name, players)
    seen = sight(game, advised=False)
    shown = 0
    for tables, batch in positions(game, 44):
        orders = seen.orders(batch.observation)
        rows = seen.observation(batch.observation, batch.action_mask, orders)
        states = seen.state(tables.state(), batch.action_mask, orders)
        assert (states[:, : seen.features.size] == rows).all()
        for row, observation, order, state, own in zip(
            rows, batch.observation, orders, states, tables.state(), strict=True
        ):
            higher = seen.features.part(row, HIGHER)
            places = seen.features.part(row, PLACES).reshape(-1, 4, 13)
            hands = seen.state_features.part(state, HANDS).reshape(-1, 4, 13)
            held = game.state_features.part(own, "hands")
            for first, suit in enumerate(ORDERS[order]):
                cards = [13 * suit + rank for rank in range(12, -1, -1)]
                out = [card for card in cards if is_out(game, observation, card)]
                for card in cards:
                    above = sum(c > card for c in out) if card in out else 0
                    assert higher[13 * first + card % 13] == above
                for place, card in enumerate(out):
                    by = holder(game, observation, card)
                    expected = [int(n == by) for n in range(len(places))]
                    assert places[:, first, place].tolist() == expected
                    assert (hands[:, first, place] == held[:, card]).all()
                    shown += by > 0
                assert (places[0, first, len(out) :] == NO_CARD).all()
                assert not places[1:, first, len(out) :].any()
                assert not hands[:, first, len(out) :].any()
    assert shown > 0


@pytest.mark.parametrize(("name", "players"), FORMS)
def test_names_of_actions_agree_and_advice_is_that_of_the_rule_of_thumb_player(
    name: str, players: int
) -> None:
    game = game_for(name, players)
    seen, suits = sight(game, advised=True), canonical(game)
    everything = np.arange(game.num_actions)
    for _, batch in positions(game, 14):
        mask, observation = batch.action_mask, batch.observation
        orders = seen.orders(observation)
        assert (orders == suits.orders(observation)).all()
        rows = seen.observation(observation, mask, orders)
        views = Views(game, observation, mask, np.zeros(len(mask), np.uint64))
        advised = HoyleAgent().act(views)
        advice = seen.features.part(rows, ADVICE)
        assert (advice.sum(1) == 1).all()
        assert (seen.action(advice.argmax(1), orders) == advised).all()
        assert (seen.mask(mask, orders) == seen.by_action(mask, orders)).all()
        named = seen.by_action(np.tile(everything, (len(mask), 1)), orders)
        for row, order in zip(named, orders, strict=True):
            whole = np.full(game.num_actions, order)
            assert (row == seen.action(everything, whole)).all()
            assert (seen.canonical_action(row, whole) == everything).all()
        size = game.features.size
        assert (rows[:, :size] == suits.observation(observation, orders)).all()


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_shown_nothing_that_its_player_does_not_know(name: str) -> None:
    game = whist_env.game(name)
    seen = sight(game, advised=True)
    hidden_differs = False
    for tables, _ in positions(game, 9):
        table = tables.table(0)
        worlds = Worlds(table).sample(2, 99)
        twins = [Table(game, worlds[n : n + 1].copy().view(np.uint8)) for n in range(2)]
        alike = [what_is_seen(seen, table), *(what_is_seen(seen, t) for t in twins)]
        for policy, critic in alike[1:]:
            assert (policy == alike[0][0]).all()
            assert (critic[:, : seen.features.size] == policy).all()
            hidden_differs |= bool((critic != alike[0][1]).any())
    assert hidden_differs


def what_is_seen(seen: Any, table: Table) -> tuple[Any, Any]:
    """What a policy and a critic are shown at a table."""
    game = table.game
    observation = table.observe(out=np.empty(game.features.size, np.int8))[None]
    state = table.state(table.agent, np.empty(game.state_features.size, np.int8))[None]
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, table.legal_actions()] = 1
    orders = seen.orders(observation)
    policy = seen.observation(observation, mask, orders)
    return policy, seen.state(state, mask, orders)
