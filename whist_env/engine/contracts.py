"""Contracts: what games in which one player bids against the others have in common."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import single
from whist_env.engine.compile import rule
from whist_env.engine.record import FieldList, Record, pay

WORD: Final = 64
"""Actions in one set of actions."""


def match_fields(agents: int) -> FieldList:
    """The fields of a match that each agent plays for itself."""
    return [
        # By agent: what it made in this episode, and whether it won the episode.
        ("points", np.int32, (agents,)),
        ("winners", np.int8, (agents,)),
    ]


@rule
def clear_points(record: Record) -> None:
    """Nobody has made anything, and nobody has won."""
    for agent in range(record.points.size):
        record.points[agent] = 0
        record.winners[agent] = 0


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


@rule
def find_winners(record: Record) -> None:
    """The agents that have the most points win the episode."""
    most = record.points[0]
    for agent in range(record.points.size):
        most = max(most, record.points[agent])
    for agent in range(record.points.size):
        record.winners[agent] = record.points[agent] == most


@rule
def all_win_but(record: Record, loser: int) -> None:
    """One agent loses the episode and all others win it."""
    for agent in range(record.winners.size):
        record.winners[agent] = agent != loser


@rule
def pay_winners(record: Record) -> None:
    """Each agent that did not win pays 1 to each that did."""
    for winner in range(record.winners.size):
        for loser in range(record.winners.size):
            if record.winners[winner] > record.winners[loser]:
                pay(record, winner, 1)
                pay(record, loser, -1)


def won_by_winners(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winner of the episode, equal shares where there are several."""
    winners = records["winners"]
    return np.asarray(winners / winners.sum(axis=1, keepdims=True))
