"""Worlds of Dummy Whist.

A player knows his own hand and that of the dummy that he plays, those of other dummies
once they lie open, all cards played, the card that the dealer turned, which is in the
dealer's hand until it is played, and the suits that each hand has failed to follow. Of
two players who have a dummy each, both see all hands but one, and so all of them.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import CARDS, FULL_PACK
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.games.dummy_whist import SEATS, visible
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
    know_turned,
    put_back_singly,
    put_turned_back,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

places = hands_only


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    begin(record, agent, plan, FULL_PACK)
    for seat in range(SEATS):
        know(plan, seat, visible(record, agent, seat))
    know_turned(record, plan, int(record.turned))
    bar_voids(record, plan)
    prepare(plan)


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    begin_pack(record, plan)
    put_turned_back(record, plan, int(record.turned))
    put_back_singly(record, plan, CARDS - 1, start)
