"""Worlds of Polignac.

A player knows its own hand, all cards played, and the suits that each has failed to
follow. Capot may be announced with any hand.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import count
from whist_env.engine.compile import rule
from whist_env.engine.individual import receiver
from whist_env.engine.nullo import pack_of
from whist_env.engine.record import Record
from whist_env.games.polignac import PACKETS
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
from whist_env.worlds.dealing import bar_voids, begin_pack, draw_hands, put_back

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

places = hands_only


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    begin(record, agent, plan, pack_of(record))
    know(plan, agent, record.hands[agent])
    bar_voids(record, plan)
    prepare(plan)


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    begin_pack(record, plan)
    for place in range(count(pack_of(record))):
        seat = receiver(record, place, PACKETS[record.hands.size])
        put_back(record, plan, place, seat, start)
