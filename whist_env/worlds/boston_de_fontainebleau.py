"""Worlds of Boston de Fontainebleau.

A player knows his own hand and his own discard, the hand of a caller while it lies
open, all cards played, and the suits that each has failed to follow. What others have
discarded was laid aside before the play, so that a suit not followed may have been
discarded. Bids and offers of partnership may be made with any hand.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import FULL_PACK
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.games.boston_de_fontainebleau import SEATS, visible
from whist_env.worlds.counting import (
    PLAN,
    Plan,
    begin,
    complaint,
    hands_and_discards,
    know,
    know_pile,
    marginals,
    number,
    prepare,
)
from whist_env.worlds.dealing import (
    bar_voids,
    begin_pack,
    draw_discards,
    draw_hands,
    put_back_in_packets,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

places = hands_and_discards


@rule
def note(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows."""
    begin(record, agent, plan, FULL_PACK)
    for seat in range(SEATS):
        know(plan, seat, visible(record, agent, seat))
        know_pile(plan, seat, record.discards[seat])
    bar_voids(record, plan)


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    note(record, agent, plan)
    prepare(plan)


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    draw_discards(record, plan)
    begin_pack(record, plan)
    put_back_in_packets(record, plan, start)
