"""The player of Bridge Whist."""

from __future__ import annotations

from typing import Any, Final

from whist_agents.hoyle.dummies import play_beside_dummy, see_open_hands
from whist_agents.hoyle.evaluation import (
    EVEN,
    WITH_PARTNER,
    suppose_trumps,
    value_of_hand,
)
from whist_agents.hoyle.mind import PARTNER, Mind, Row, follow_suit, read, read_one
from whist_env.cards import ACE, NO_CARDS, RANKS_IN_SUIT, holds
from whist_env.engine.compile import rule
from whist_env.engine.honours import honours_held
from whist_env.engine.partners import SEATS
from whist_env.games.bridge_whist import (
    DOUBLE,
    FEATURES,
    MOST_DOUBLES,
    NOTRUMP,
    PASS,
    PASS_TO_PARTNER,
    REDOUBLE,
    SPADES,
    SUIT_DECLARED,
    VALUES,
)

_DEALER = FEATURES.offset("dealer")
_DECLARER = FEATURES.offset("declarer")
_DOUBLED_BY = FEATURES.offset("doubled_by")

WORTH_DECLARING: Final = 1700
"""Hundredths of points for which the dealer declares."""
PARTNER_PASSED: Final = 60
"""Hundredths of tricks that a partner who passed has less."""
DEALER_DECLARED: Final = 100
"""Hundredths of tricks that the hand of a dealer who did not pass has more."""
TO_DOUBLE: Final = 75
"""Hundredths of tricks above an even share with which to double."""

HONOURS: Final = (-230, -58, 140, 320, 840, 1000)
"""By the honours of a hand what those of all hands are likely to count for its side,
in hundredths of the value of a trick."""
ACES: Final = (-1700, -70, 1780, 3300, 10000)
"""The same at no trump by its aces, in hundredths of points."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, or the card to play from the hand in turn."""
    read(row, mask, mind)
    if mind.legal != NO_CARDS:
        see_open_hands(row, mind)
        follow_suit(mind)
        return play_beside_dummy(row, mind)
    if mask[PASS] != 0:
        return call_in_doubling(row, mask, mind)
    return declare(mind, options, mask[PASS_TO_PARTNER] != 0)


# Declaring ----------------------------------------------------------------------------


@rule
def declare(mind: Mind, options: Any, may_pass: bool) -> int:
    """Name what is worth most; the dealer leaves it to partner if that is little.

    A partner with a poor hand so comes to name spades, where little is lost.
    """
    missing = 0 if may_pass else PARTNER_PASSED
    best = SPADES
    most = worth(mind, options, best, missing)
    for call in range(SPADES + 1, NOTRUMP + 1):
        here = worth(mind, options, call, missing)
        if here > most:
            best = call
            most = here
    return PASS_TO_PARTNER if may_pass and most < WORTH_DECLARING else best


@rule
def worth(mind: Mind, options: Any, call: int, missing: int) -> int:
    """What a declaration is likely to score, in hundredths of points."""
    suppose_trumps(mind, SUIT_DECLARED[call - SPADES])
    odd_tricks = value_of_hand(mind, WITH_PARTNER) - missing - EVEN
    if call == NOTRUMP:
        return int(options.notrump_value) * odd_tricks + ACES[aces(mind)]
    return VALUES[call - SPADES] * (odd_tricks + honours(mind, call))


@rule
def honours(mind: Mind, call: int) -> int:
    """Honours count for the side that has most of them."""
    return HONOURS[honours_held(mind.hand, SUIT_DECLARED[call - SPADES], 5)]


@rule
def aces(mind: Mind) -> int:
    """How many aces the player holds."""
    held = 0
    for suit in range(4):
        held += int(holds(mind.hand, RANKS_IN_SUIT * suit + ACE))
    return held


# Doubling -----------------------------------------------------------------------------


@rule
def call_in_doubling(row: Row, mask: Row, mind: Mind) -> int:
    """Double with tricks alone, and after each double only with more of them."""
    more = (1 + doubles(row)) * TO_DOUBLE
    if value_of_hand(mind, WITH_PARTNER) + what_was_told(row) < EVEN + more:
        return PASS
    if mask[DOUBLE] != 0:
        return DOUBLE
    return REDOUBLE if mask[REDOUBLE] != 0 else PASS


@rule
def what_was_told(row: Row) -> int:
    """A dealer who declares shows strength: for a partner, against the others."""
    declarer = read_one(row, _DECLARER, SEATS)
    if declarer == 0 or declarer != read_one(row, _DEALER, SEATS):
        return 0
    return DEALER_DECLARED if declarer == PARTNER else -DEALER_DECLARED


@rule
def doubles(row: Row) -> int:
    """How often it was doubled and redoubled."""
    number = 0
    for place in range(MOST_DOUBLES * SEATS):
        number += int(row[_DOUBLED_BY + place])
    return number
