"""Worlds of Cayenne.

A player knows his own hand, all cards played, and the suits that each has failed to
follow. The cut card is of the other pack. What is declared, and how an ace counts at
nullo, is said with any hand.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import FULL_PACK
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.worlds.counting import (
    PLAN,
    Plan,
    begin,
    complaint,
    hands_only,
    know,
    marginals,
    number,
    prepare,
)
from whist_env.worlds.dealing import (
    bar_voids,
    begin_pack,
    draw_hands,
    put_back_in_packets,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

places = hands_only


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    begin(record, agent, plan, FULL_PACK)
    know(plan, agent, record.hands[agent])
    bar_voids(record, plan)
    prepare(plan)


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    begin_pack(record, plan)
    put_back_in_packets(record, plan, start)
