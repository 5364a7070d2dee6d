"""The player of Chinese Whist.

Most of what the others can play lies face up. The dealer names the trumps of which its
side shows most and best.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from whist_agents.hoyle.alone import TRICK, play_for
from whist_agents.hoyle.mind import (
    ME,
    PARTNER,
    Mind,
    Row,
    know_cards,
    read,
    read_cards,
    side_with,
)
from whist_agents.hoyle.questions import is_in
from whist_agents.hoyle.taking import take
from whist_env.cards import (
    CARDS,
    JACK,
    NO_CARDS,
    count,
    lowest,
    rank_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import offsets
from whist_env.games.chinese_whist import FEATURES

PARTNERS_PLAY: Final = 4
"""Of so many players two are partners against two; fewer play each for itself."""

_EXPOSED: Final = offsets(FEATURES, "exposed")
_DOWN_CARDS: Final = offsets(FEATURES, "down_cards")
_DOWN_VOIDS: Final = offsets(FEATURES, "down_voids")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The trumps to name, or the card to play."""
    read(row, mask, mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    reflect(row, mind)
    if mind.legal == NO_CARDS:
        return CARDS + best_trumps(mind, options.honours)
    if mind.seats == PARTNERS_PLAY:
        return take(mind)
    return play_for(mind, TRICK)


# What the rules tell ------------------------------------------------------------------


@rule
def reflect(row: Row, mind: Mind) -> None:
    """Of four players two are partners; all see what lies face up.

    A card that lies face down is in no hand, but comes to one: it is out.
    """
    seats = int(mind.seats)
    if seats == PARTNERS_PLAY:
        side_with(mind, PARTNER)
    for seat in range(1, seats):
        mind.may_hold[seat] = may_be_down(row, mind, seat)
    for seat in range(1, seats):
        know_cards(mind, seat, read_cards(row, _EXPOSED[seats] + CARDS * seat))


@rule
def may_be_down(row: Row, mind: Mind, seat: int) -> np.uint64:
    """What the down cards of a seat may be: not of a suit that it failed to follow."""
    seats = int(mind.seats)
    if row[np.uint64(_DOWN_CARDS[seats] + seat)] == 0:
        return NO_CARDS
    cards = np.uint64(mind.out)
    for suit in range(4):
        if row[np.uint64(_DOWN_VOIDS[seats] + 4 * seat + suit)] != 0:
            cards = without(cards, whole_suit(suit))
    return cards


# Naming trumps ------------------------------------------------------------------------


@rule
def best_trumps(mind: Mind, honours: bool) -> int:
    """The suit in which the own side is furthest ahead of the others."""
    best = 0
    most = -1000000
    for suit in range(4):
        ahead = trump_strength(mind, suit, honours)
        if ahead > most:
            best = suit
            most = ahead
    return best


@rule
def trump_strength(mind: Mind, suit: int, honours: bool) -> int:
    """The trumps that the own side would hold, less those that the others show."""
    ahead = 0
    for seat in range(int(mind.seats)):
        trumps = np.uint64(mind.holds[seat] & whole_suit(suit))
        is_ours = seat == ME or is_in(mind.partners, seat)
        strength = strength_of(trumps, honours)
        ahead += strength if is_ours else -strength
    return ahead


@rule
def strength_of(trumps: np.uint64, honours: bool) -> int:
    """Length comes first, then rank; honours are worth more where they are scored."""
    strength = 0
    while trumps != NO_CARDS:
        rank = rank_of(lowest(trumps))
        trumps = without_lowest(trumps)
        strength += 20 + rank + 10 * (honours and rank >= JACK)
    return strength
