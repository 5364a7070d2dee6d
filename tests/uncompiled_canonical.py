"""Canonical suits: what may take another name does, and nothing is lost by it.

A table is laid several times with its suits renamed in every way that the rules of the
game do not notice, and played alike. The ways are written down here once more, from the
rules and not from what the code says about them.

This touches every game, but little of each, so it is run without compiling anything, by
`test_canonical`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import whist_env
from whist_agents.canonical import ORDERS, SYMMETRIES, canonical
from whist_agents.sight import sight
from whist_env import Game, Tables
from whist_env.cards import CARDS, SUIT_NAMES
from whist_env.games import GAMES, forms_of

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
TRUMP: Final = HEARTS
"""The suit that is named where the names of the others alone may change."""
SEED: Final = 0
"""Of a deal that is not thrown in, in any game."""

Names = tuple[int, ...]
"""The new name of each suit."""


def any_names(names: Names, cut: int) -> bool:
    return True


def colours_stay_together(names: Names, cut: int) -> bool:
    return names[CLUBS] + names[SPADES] == 3


def ranks_by_the_cut_stay(names: Names, cut: int) -> bool:
    """The third suit is clubs if cayenne is red, and hearts if it is black."""
    third = CLUBS if cut in (DIAMONDS, HEARTS) else HEARTS
    new_third = CLUBS if names[cut] in (DIAMONDS, HEARTS) else HEARTS
    return colours_stay_together(names, cut) and names[third] == new_third


def trumps_stay(names: Names, cut: int) -> bool:
    return names[TRUMP] == TRUMP


def stays(*suits: int) -> Callable[[Names, int], bool]:
    return lambda names, cut: all(names[suit] == suit for suit in suits)


# By game and players: the renamings that the rules do not notice, and the phase from
# which on the network is not to notice them either.
ALIKE: Final[dict[tuple[str, int], tuple[Callable[[Names, int], bool], int]]] = {
    ("whist", 4): (any_names, 0),
    ("dummy_whist", 3): (any_names, 0),
    ("dummy_whist", 2): (any_names, 0),
    ("german_whist", 2): (any_names, 0),
    ("chinese_whist", 4): (any_names, 0),
    ("chinese_whist", 3): (any_names, 0),
    ("chinese_whist", 2): (any_names, 0),
    ("solo_whist", 4): (any_names, 0),
    ("bridge_whist", 4): (trumps_stay, 3),
    ("cayenne", 4): (ranks_by_the_cut_stay, 0),
    ("boston", 4): (colours_stay_together, 0),
    ("boston_de_fontainebleau", 4): (trumps_stay, 3),
    ("russian_boston", 4): (trumps_stay, 3),
    ("polignac", 4): (stays(SPADES), 0),
    ("polignac", 5): (stays(CLUBS, SPADES), 0),
    ("slobberhannes", 4): (stays(CLUBS), 0),
    ("slobberhannes", 6): (stays(CLUBS, SPADES), 0),
}


def game_for(name: str, players: int) -> Game:
    if players == forms_of(name)[0].agents:
        return whist_env.game(name)
    return whist_env.game(name, players=players)


def renamed_card(card: int, names: Names) -> int:
    return 13 * names[card // 13] + card % 13 if card >= 0 else card


def renamed_action(game: Game, action: int, names: Names) -> int:
    if action < CARDS:
        return renamed_card(action, names)
    words = [
        SUIT_NAMES[names[SUIT_NAMES.index(word)]] if word in SUIT_NAMES else word
        for word in game.action_names[action].split("_")
    ]
    return game.action_names.index("_".join(words))


def renamings(game: Game, alike: Callable[[Names, int], bool], cut: int) -> list[Names]:
    """The ways in which suits may be renamed, the one that changes nothing first."""
    ways = [names for names in map(tuple, ORDERS.tolist()) if alike(names, cut)]
    return ways[:: len(ways) // 4 or 1]


def laid_again(game: Game, ways: list[Names], tables: Tables) -> None:
    """Deal the pack of the first table at each table, with its suits renamed."""
    deal_out = importlib.import_module(f"whist_env.games.{game.name}").deal_out
    first = tables.records[0].copy()
    tables.records[:] = first
    for record, names in zip(tables.records, ways, strict=True):
        record.pack[:] = [renamed_card(card, names) for card in first.pack.tolist()]
        if "cut" in first.dtype.names:
            record.cut = renamed_card(int(first.cut), names)
        deal_out(record)


def played_alike(
    tables: Tables, ways: list[Names], other_suits_called: bool
) -> Iterator[Any]:
    """Play one episode at all tables, each with the names of its own; every batch."""
    game, rng = tables.game, np.random.default_rng(0)
    batch = tables.look()
    over = False
    while not over:
        yield batch
        legal = np.flatnonzero(batch.action_mask[0])
        if not other_suits_called:
            legal = legal[[names_no_other(game, int(action)) for action in legal]]
        action = int(rng.choice(legal))
        batch = tables.step([renamed_action(game, action, names) for names in ways])
        over = bool(batch.done[0])
        assert (batch.done == over).all()
        assert (batch.rewards == batch.rewards[0]).all()


def in_phase(game: Game, batch: Any, phase: int) -> bool:
    return bool(game.features.part(batch.observation[0], "phase")[phase])


def suits_differ(game: Game, batch: Any) -> bool:
    """Whether the hand tells all suits apart; of equal ones their names decide."""
    hand = game.features.part(batch.observation[0], "hand")
    played = game.features.part(batch.observation[0], "played")[0]
    return len({suit.tobytes() for suit in (hand | played).reshape(4, 13)}) == 4


def names_no_other(game: Game, action: int) -> bool:
    """Whether an action is a card, or a call that names no suit but `TRUMP`."""
    words = set(game.action_names[action].split("_"))
    return action < CARDS or not words & {*SUIT_NAMES} - {SUIT_NAMES[TRUMP]}


@pytest.mark.parametrize(("name", "players"), ALIKE)
def test_renamed_deals_give_equal_returns_and_one_canonical_position(
    name: str, players: int
) -> None:
    alike, from_phase = ALIKE[name, players]
    game = game_for(name, players)
    suits, seen = canonical(game), sight(game, advised=False)
    first = Tables(game, 1, SEED, dtype=np.int8)
    first.reset()
    record = first.records[0]
    cut = int(record.cut) // 13 if "cut" in record.dtype.names else 0
    ways = renamings(game, alike, cut)
    tables = Tables(game, len(ways), SEED, dtype=np.int8)
    tables.reset()
    laid_again(game, ways, tables)
    compared = 0
    for batch in played_alike(tables, ways, alike is not trumps_stay):
        if from_phase and not in_phase(game, batch, from_phase):
            continue
        if not suits_differ(game, batch):
            continue
        orders = suits.orders(batch.observation)
        for rows in (
            suits.observation(batch.observation, orders),
            suits.state(tables.state(), orders),
            suits.mask(batch.action_mask, orders),
            seen.observation(batch.observation, batch.action_mask, orders),
            seen.state(tables.state(), batch.action_mask, orders),
        ):
            assert (rows == rows[0]).all()
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", GAMES)
def test_a_canonical_action_means_the_action_that_its_mask_marks(name: str) -> None:
    game = whist_env.game(name)
    suits = canonical(game)
    tables = Tables(game, 10, seed=3, dtype=np.int8)
    batch = tables.reset()
    for _ in range(12):
        orders = suits.orders(batch.observation)
        mask = suits.mask(batch.action_mask, orders)
        assert (mask.sum(1) == batch.action_mask.sum(1)).all()
        rows, places = np.nonzero(mask)
        actions = suits.action(places, orders[rows])
        assert batch.action_mask[rows, actions].all()
        batch = tables.step(tables.sample_actions())


@pytest.mark.parametrize("name", sorted(set(GAMES) - set(SYMMETRIES)))
def test_where_every_suit_has_a_part_of_its_own_nothing_is_renamed(name: str) -> None:
    game = whist_env.game(name)
    suits = canonical(game)
    batch = Tables(game, 5, seed=1, dtype=np.int8).reset()
    orders = suits.orders(batch.observation)
    assert (suits.observation(batch.observation, orders) == batch.observation).all()
    assert (suits.mask(batch.action_mask, orders) == batch.action_mask).all()
