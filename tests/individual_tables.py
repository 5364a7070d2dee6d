"""Helpers for tests of games without partners: deals written as the tricks they give.

A trick is a text with the card of each seat, from seat 0 on: ``"SA SK SQ SJ"``.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from contract import Referee

from whist_env.cards import card_set, hand_text, parse_card
from whist_env.envs.game import game
from whist_env.envs.table import Table


def won_by(winner: int, cards: str) -> str:
    """A trick of which the winner gets the first card and the others the rest."""
    texts = cards.split()
    return " ".join(texts[-winner:] + texts[:-winner] if winner else texts)


def hands_of(tricks: Iterable[str]) -> list[set[int]]:
    """The hands from which these tricks are played."""
    columns = zip(*(map(parse_card, trick.split()) for trick in tricks), strict=True)
    return [set(column) for column in columns]


def deal_of(hands: Iterable[Iterable[int]]) -> str:
    """Hands as a deal to begin from."""
    return " ".join(hand_text(card_set(hand)) for hand in hands)


def table_with(
    name: str, tricks: Sequence[str], dealer: int = 0, **options: Any
) -> Table:
    """A table at which these tricks can be played."""
    deal = deal_of(hands_of(tricks))
    return game(name, **options).new_table(0, deal=deal, dealer=dealer)


def play_tricks(table: Table, tricks: Iterable[str]) -> list[float]:
    """Play tricks; returns what the last card earned."""
    for trick in tricks:
        cards = trick.split()
        for _ in cards:
            table.apply(parse_card(cards[table.agent]))
    return table.rewards()


def features_of(table: Table, agent: int) -> dict[str, Any]:
    """What an agent observes, by name."""
    return table.game.features.named(table.observe(agent).astype(int))


def measures_of(table: Table) -> dict[str, list[float]]:
    """How a finished episode is judged."""
    finished = np.array([table.record], table.record.dtype)
    measures = table.game.rules.measures.items()
    return {name: measure(finished)[0].tolist() for name, measure in measures}


def play_beside(
    table: Table, referee: Referee, rng: random.Random, without: int | None = None
) -> None:
    """Play an episode at random and compare every step with a referee.

    Args:
        table: the table.
        referee: knows the rules.
        rng: what chooses.
        without: an action that is never chosen.
    """
    low, high = table.game.features.low, table.game.features.high
    referee.deal(table)
    while not table.is_over:
        assert table.agent == referee.agent()
        legal = referee.legal_actions()
        assert table.legal_actions() == legal
        deals = int(table.record.deals_played)
        action = rng.choice([action for action in legal if action != without])
        earned = referee.play(action)
        table.apply(action)
        assert table.rewards() == pytest.approx(earned)
        if table.record.deals_played > deals:
            for agent in range(table.game.num_agents):
                seen = table.observe(agent)
                assert ((low <= seen) & (seen <= high)).all()
            if not table.is_over:
                referee.deal(table)
    assert referee.agent() == -1


def every_way(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """All ways to choose a value for each option."""
    return [
        dict(zip(values, chosen, strict=True))
        for chosen in itertools.product(*values.values())
    ]
