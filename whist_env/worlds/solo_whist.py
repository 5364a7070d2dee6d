"""Worlds of Solo Whist.

A player knows his own hand, that of the caller of a spread after the first trick, all
cards played, the card that the dealer turned, which is in the dealer's hand until it is
played, and the suits that each has failed to follow. Calls may be made with any hand.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import CARDS, FULL_PACK
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.games.solo_whist import SEATS, eldest_hand, place_in_deal, visible
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
    put_back,
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
    for place in range(CARDS - 1):
        seat = (eldest_hand(record) + place_in_deal(place)) % SEATS
        put_back(record, plan, place, seat, start)
