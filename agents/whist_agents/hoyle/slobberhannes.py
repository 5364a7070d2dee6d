"""The player of Slobberhannes: no first trick, no last trick, no queen of clubs."""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_agents.hoyle.mind import Mind, Row, follow_suit, lay_aside, read
from whist_agents.hoyle.penalties import shed
from whist_env.cards import FULL_PACK, count, lowest, without
from whist_env.engine.compile import rule
from whist_env.engine.features import offsets
from whist_env.games.slobberhannes import FEATURES, QUEEN_OF_CLUBS, pack_for

FIRST_TRICK = 0
"""The first of the tricks to be avoided, as the observation counts them."""

_TAKEN = offsets(FEATURES, "taken")

A_POINT = 10
LATER_TRICK = 3
"""Any trick of a suit kept may be the last, or bring it nearer."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The card to play."""
    read(row, mask, mind)
    follow_suit(mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    lay_aside(mind, without(FULL_PACK, pack_for(options, mind.seats)))
    mind.prices[QUEEN_OF_CLUBS] = A_POINT
    mind.trick_price = LATER_TRICK
    return shed(mind, price_of_trick(row, mind))


@rule
def price_of_trick(row: Row, mind: Mind) -> int:
    """The first trick costs a point; later ones are for getting rid of high cards.

    The last is not chosen: it is lost by the cards that were kept for it.
    """
    return 0 if first_is_taken(row, mind) else A_POINT


@rule
def first_is_taken(row: Row, mind: Mind) -> bool:
    """Whether anybody has taken the first trick."""
    seats = int(mind.seats)
    for seat in range(seats):
        if row[np.uint64(_TAKEN[seats] + 3 * seat + FIRST_TRICK)] != 0:
            return True
    return False
