"""Worlds of Bridge Whist.

A player knows his own hand, that of dummy after the opening lead, all cards played, and
the suits that each has failed to follow; but where players may revoke, that proves
nothing. What is declared and doubled may be declared and doubled with any hand.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import CARDS, FULL_PACK
from whist_env.engine.compile import rule
from whist_env.engine.partners import SEATS
from whist_env.engine.record import Record
from whist_env.engine.revokes import PENALTY
from whist_env.games.bridge_whist import visible
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
    put_back_singly,
    recount_revokes,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

places = hands_only


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    begin(record, agent, plan, FULL_PACK)
    for seat in range(SEATS):
        know(plan, seat, visible(record, agent, seat))
    if record.options.revokes != PENALTY:
        bar_voids(record, plan)
    prepare(plan)


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    begin_pack(record, plan)
    put_back_singly(record, plan, CARDS, start)
    if record.options.revokes == PENALTY:
        recount_revokes(record, plan)
