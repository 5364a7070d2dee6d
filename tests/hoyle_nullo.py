"""Helpers for tests of how hoyle plays games of single players that avoid cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from individual_tables import deal_of

import whist_agents
import whist_env
from whist_env import Game, Tables, Views
from whist_env.cards import count, members, parse_hand
from whist_env.envs.play import ask
from whist_env.envs.table import Table

HOYLE = whist_agents.load("hoyle")


def chosen(table: Table) -> str:
    """What hoyle does at a table, by name."""
    return table.game.action_names[ask(HOYLE, table, 0)]


def table_around(game: Game, hands: Mapping[int, str]) -> Table:
    """A table with these hands, or parts of hands; the other cards are dealt at random.

    The last seat deals, so that seat 0 is the first to call and to play.
    """
    dealt = game.new_table(seed=0).record.hands
    held = [set(members(parse_hand(hands.get(s, "...")))) for s in range(len(dealt))]
    left = {card for hand in dealt for card in members(hand)} - set.union(*held)
    cards = np.random.default_rng(0).permutation(sorted(left)).tolist()
    full = [
        hand | {cards.pop() for _ in range(count(size) - len(hand))}
        for hand, size in zip(held, dealt, strict=True)
    ]
    return game.new_table(seed=0, deal=deal_of(full), dealer=len(full) - 1)


def play(table: Table, *actions: str) -> Table:
    """The same table after these calls and cards."""
    for action in actions:
        table.apply(table.game.action_names.index(action))
    return table


def hand_with(card: str) -> str:
    """A part of a hand: this card alone."""
    parts = ["", "", "", ""]
    parts["SHDC".index(card[0])] = card[1]
    return ".".join(parts)


def decisions_that_are_legal(name: str, tables: int = 40, **options: Any) -> int:
    """Play hoyle and chance in turn over whole episodes; returns hoyle's decisions."""
    game = whist_env.game(name, **options)
    vector = Tables(game, tables, seed=1, dtype=np.int8)
    batch = vector.reset()
    rng = np.random.default_rng(2)
    decisions = 0
    for _ in range(150):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(tables, np.uint64)
        )
        actions = HOYLE.act(views)
        assert batch.action_mask[np.arange(tables), actions].all()
        decisions += tables
        chance = rng.random(tables) < 0.3
        batch = vector.step(np.where(chance, vector.sample_actions(), actions))
    return decisions
