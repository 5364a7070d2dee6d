"""What the tricks that are over show of the players."""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import PARTNER, Mind, Row
from whist_env.cards import CARDS, NO_CARDS, count, lowest, suit_of, without_lowest
from whist_env.engine.compile import rule
from whist_env.engine.features import FeatureTable, offsets
from whist_env.engine.sight import MOST_SEATS, play_features
from whist_env.engine.tricks import NO_CARD, NO_SUIT

_TABLES = {
    seats: FeatureTable(*play_features(seats)) for seats in range(2, MOST_SEATS + 1)
}
_PLAYED_TRICK = offsets(_TABLES, "played_trick")


@rule
def recall(row: Row, mind: Mind, leader: int) -> None:
    """Go through the complete tricks from the first on.

    A player who may look at the last trick only remembers none of this.

    Args:
        row: the observation.
        mind: what `read` has filled.
        leader: the seat that led to the first trick, counted as in the mind.
    """
    for suit in range(4):
        mind.rounds[suit] = 0
    for seat in range(int(mind.seats)):
        mind.thrown[seat] = NO_SUIT
    mind.partner_suit = NO_SUIT
    tricks = order_by_trick(row, mind)
    for trick in range(tricks):
        leader = review_trick(mind, trick, leader)


@rule
def order_by_trick(row: Row, mind: Mind) -> int:
    """Note who played which card to which trick; returns the tricks that are complete.

    They are none if the first is forgotten.
    """
    seats = int(mind.seats)
    mind.history[0] = NO_CARD
    remembered = 0
    for seat in range(seats):
        cards = mind.played[seat]
        remembered += count(cards)
        while cards != NO_CARDS:
            card = lowest(cards)
            cards = without_lowest(cards)
            trick = int(row[np.uint64(_PLAYED_TRICK[seats] + card)]) - 1
            mind.history[np.uint64(seats * trick + seat)] = card
    return 0 if mind.history[0] == NO_CARD else remembered // seats


@rule
def review_trick(mind: Mind, trick: int, leader: int) -> int:
    """Note what a complete trick shows; returns who won it."""
    seats = int(mind.seats)
    first = seats * trick
    led = suit_of(int(mind.history[np.uint64(first + leader)]))
    mind.rounds[led] += 1
    if leader == PARTNER and mind.partner_suit == NO_SUIT and led != mind.trump:
        mind.partner_suit = led
    winner = leader
    most = 0
    for seat in range(seats):
        card = int(mind.history[np.uint64(first + seat)])
        suit = suit_of(card)
        follows, ruffs = suit == led, suit == mind.trump
        worth = card + CARDS * (int(follows) + 2 * int(ruffs))
        if worth > most:
            winner = seat
            most = worth
        if not (follows or ruffs) and mind.thrown[seat] == NO_SUIT:
            mind.thrown[seat] = suit
    return winner
