"""Contracts: what games in which one player bids against the others have in common."""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_env.cards import single
from whist_env.engine.compile import rule
from whist_env.engine.record import Record, pay

WORD: Final = 64
"""Actions in one set of actions."""


@rule
def with_action(
    first: np.uint64, second: np.uint64, action: int
) -> tuple[np.uint64, np.uint64]:
    """Two sets of actions with one action more."""
    if action < WORD:
        return np.uint64(first | single(action)), second
    return first, np.uint64(second | single(action - WORD))


@rule
def settle_with_each(record: Record, soloist: int, amount: int) -> None:
    """A soloist gets an amount from each of the others, or pays it if negative."""
    for other in range(record.reward.size):
        if other != soloist:
            pay(record, other, -amount)
            pay(record, soloist, amount)


@rule
def settle_in_pairs(record: Record, caller: int, ally: int, amount: int) -> None:
    """Two allies each get an amount from one of the two others, or pay it to one."""
    for agent in range(record.reward.size):
        pay(record, agent, amount if agent == caller or agent == ally else -amount)


@rule
def enter_points(record: Record, rewarded: bool) -> None:
    """Add what this action earned to the points of each agent.

    Args:
        record: a table with a field of points by agent.
        rewarded: whether points are the reward; where they are not, the reward of this
            action is nothing so far.
    """
    for agent in range(record.reward.size):
        earned = record.reward[agent]
        record.points[agent] += earned
        if not rewarded:
            pay(record, agent, -earned)
