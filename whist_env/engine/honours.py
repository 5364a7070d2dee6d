"""Honours: the highest trumps, counted where they were dealt, whoever plays them."""

from __future__ import annotations

import numpy as np

from whist_env.cards import holds
from whist_env.engine.compile import rule
from whist_env.engine.record import Record


@rule
def dealt_to(record: Record, side: int) -> np.uint64:
    """All cards dealt to a side; partners sit opposite."""
    return np.uint64(record.dealt[side] | record.dealt[side + 2])


@rule
def honours_held(cards: np.uint64, trump: int, honours: int) -> int:
    """How many of the highest trumps are among the cards."""
    held = 0
    for place in range(honours):
        if holds(cards, 13 * trump + 12 - place):
            held += 1
    return held


@rule
def honour_points(record: Record, side: int) -> int:
    """The honours of two partners."""
    return points_for_honours(honours_held(dealt_to(record, side), record.trump, 4))


@rule
def points_for_honours(held: int) -> int:
    """Ace, king, queen and jack of trumps: four count 4, three count 2."""
    if held == 4:
        return 4
    return 2 if held == 3 else 0
