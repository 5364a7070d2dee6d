"""The player of German Whist.

While the talon lasts the winner of a trick takes the card that lies face up, and the
loser one unseen: how much is worth spending depends on how much better the one is than
the other is likely to be. When the talon is gone, who counted the cards knows the
other's hand.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from whist_agents.hoyle.alone import TRICK, play_for, value
from whist_agents.hoyle.mind import (
    LEFT,
    Mind,
    Row,
    know_cards,
    know_hand,
    lay_aside,
    read,
    read_cards,
    read_one,
)
from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    count,
    lowest,
    single,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import small_pack
from whist_env.engine.tricks import NO_CARD
from whist_env.games.german_whist import COUNT_ALL, FEATURES

LAST_TRICKS_PRIZE: Final = 80
"""What a trick is worth when both hands are known.

It is less than a whole one, since one that is not taken now may still be made later.
"""

_FACE_UP: Final = FEATURES.offset("face_up")
_TALON: Final = FEATURES.offset("talon")
_KNOWN: Final = FEATURES.offset("known")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The card to play."""
    read(row, mask, mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    face_up = read_one(row, _FACE_UP, CARDS)
    reflect(row, options, mind, face_up)
    if face_up == NO_CARD:
        return play_for(mind, LAST_TRICKS_PRIZE)
    return play_for(mind, prize(mind, face_up, options.count == COUNT_ALL))


# What the rules tell ------------------------------------------------------------------


@rule
def reflect(row: Row, options: Any, mind: Mind, face_up: int) -> None:
    """The pack, the cards that the other took face up, its whole hand in the end."""
    lay_aside(mind, without(FULL_PACK, small_pack(options.ranks, options.suits)))
    know_cards(mind, LEFT, read_cards(row, _KNOWN + CARDS))
    if face_up != NO_CARD:
        mind.may_hold[LEFT] = without(mind.may_hold[LEFT], single(face_up))
    elif count(mind.out) == count(mind.hand) - mind.position:
        know_hand(mind, LEFT, mind.out)


# While the talon lasts ----------------------------------------------------------------


@rule
def prize(mind: Mind, face_up: int, counts: bool) -> int:
    """What is won with the trick, in hundredths of a trick.

    It is the trick itself, where it counts, and a better card than the one unseen. The
    winner has what the other would have had, so that the difference counts twice.
    """
    better = value(mind, face_up) - value_unseen(mind, face_up)
    return TRICK * counts + 2 * better


@rule
def value_unseen(mind: Mind, face_up: int) -> int:
    """The same of a card that nobody has shown, on the average."""
    unseen = without(mind.out, np.uint64(mind.holds[LEFT] | single(face_up)))
    total = 0
    cards = unseen
    while cards != NO_CARDS:
        total += value(mind, lowest(cards))
        cards = without_lowest(cards)
    return total // max(1, count(unseen))
