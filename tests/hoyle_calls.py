"""Helpers for tests of the rule-of-thumb player in games with a bidding."""

from __future__ import annotations

from typing import Any

import numpy as np

import whist_agents
import whist_env
from whist_agents import hoyle
from whist_agents.hoyle.mind import new_mind
from whist_env import Game, Table, Tables, Views
from whist_env.cards import deal_text, members, parse_card, parse_hand
from whist_env.envs.play import view_of

HOYLE = whist_agents.load("hoyle")


def deal_of(hand: str, seat: int, other: tuple[int, str] | None = None) -> str:
    """A deal in which a seat holds a hand, and another some cards; the rest is drawn.

    The others get the rest at random, always the same.
    """
    hands: list[set[int]] = [set(), set(), set(), set()]
    hands[seat] = set(members(parse_hand(hand)))
    assert len(hands[seat]) == 13
    if other is not None:
        hands[other[0]] = set(map(parse_card, other[1].split()))
    left = sorted(set(range(52)) - set.union(*hands))
    cards = np.random.default_rng(0).permutation(left).tolist()
    full = [held | {cards.pop() for _ in range(13 - len(held))} for held in hands]
    return deal_text([sum(1 << card for card in held) for held in full])


def do(table: Table, *names: str) -> None:
    """Take these actions, one after another."""
    for name in names:
        table.apply(table.game.action_names.index(name))


def chosen(table: Table) -> str:
    """What hoyle does for the agent to act."""
    return table.game.action_names[int(HOYLE.act(view_of(table, 0))[0])]


def play_out(table: Table) -> None:
    """Let hoyle play for all to the end of the episode."""
    while not table.is_over:
        table.apply(int(HOYLE.act(view_of(table, 0))[0]))


def check_legality(game: Game, count: int, steps: int, seed: int) -> Tables:
    """Play with hoyle and random players mixed, and assert that all is legal."""
    tables = Tables(game, count, seed, dtype=np.int8)
    batch = tables.reset()
    rng = np.random.default_rng(seed)
    rows = np.arange(count)
    for _ in range(steps):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(count, np.uint64)
        )
        actions = HOYLE.act(views)
        assert batch.action_mask[rows, actions].all()
        at_random = (batch.agent + rows) % 3 == rng.integers(3)
        batch = tables.step(np.where(at_random, tables.sample_actions(), actions))
    return tables


def check_plain_python(name: str, choose: Any) -> None:
    """The rule chooses alike in plain Python and compiled, in positions of play."""
    game = whist_env.game(name)
    options = hoyle.table_of(game)[0][0]
    for plies in (0, 3, 6, 12, 40):
        tables = Tables(game, 4, seed=plies, dtype=np.int8)
        batch = tables.reset()
        for _ in range(plies):
            batch = tables.step(tables.sample_actions())
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(4, np.uint64)
        )
        plain = [
            choose(row, mask, options, new_mind(4)[0])
            for row, mask in zip(views.observation, views.action_mask, strict=True)
        ]
        assert plain == HOYLE.act(views).tolist()
