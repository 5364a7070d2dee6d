"""The pool: counters that belong to nobody yet.

What goes into the pool and what comes out of it are rewards like any other, so that
agents and pool together always have what they began with: nothing.
"""

from __future__ import annotations

import numpy as np

from whist_env.engine.compile import rule
from whist_env.engine.record import FieldList, Record, pay


def pool_fields() -> FieldList:
    """The fields of a game that has a pool."""
    return [("pool", np.int32)]


@rule
def pay_into_pool(record: Record, agent: int, amount: int) -> None:
    """An agent puts counters into the pool."""
    pay(record, agent, -amount)
    record.pool += amount


@rule
def stake(record: Record, amount: int) -> None:
    """Every agent puts the same number of counters into the pool."""
    for agent in range(record.reward.size):
        pay_into_pool(record, agent, amount)


@rule
def take_from_pool(record: Record, agent: int, amount: int) -> None:
    """An agent takes counters out of the pool."""
    pay(record, agent, amount)
    record.pool -= amount


@rule
def divide_pool(record: Record) -> None:
    """All take equal numbers of whole counters; what cannot be divided stays."""
    share = record.pool // record.reward.size
    for agent in range(record.reward.size):
        take_from_pool(record, agent, share)
