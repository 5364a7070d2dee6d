"""The player of Cayenne."""

from __future__ import annotations

from typing import Any, Final

from whist_agents.hoyle.avoiding import avoid
from whist_agents.hoyle.evaluation import (
    EVEN,
    WITH_PARTNER,
    danger_of_none,
    suppose_trumps,
    value_of_hand,
)
from whist_agents.hoyle.history import recall
from whist_agents.hoyle.mind import PARTNER, Mind, Row, read, read_one, side_with
from whist_agents.hoyle.partners import play_with_partner
from whist_agents.hoyle.taking import take
from whist_env.cards import ACE, CARDS, NO_CARDS, count, lowest, rank_of, suit_of
from whist_env.engine.compile import rule
from whist_env.engine.honours import honours_held
from whist_env.engine.partners import SEATS
from whist_env.engine.tricks import NO_CARD, NO_SUIT, left_of
from whist_env.games.cayenne import (
    ACE_LOW,
    ALWAYS_HIGH,
    FEATURES,
    FIRST_CALL,
    GRAND,
    HIGHEST_VALUE,
    HONOURS,
    NULLO,
    PASS_TO_PARTNER,
    THIRD_BLACK,
    THIRD_RED,
)

_DEALER = FEATURES.offset("dealer")
_CUT = FEATURES.offset("cut")
_DECLARATION = FEATURES.offset("declaration")
_LOW_ACES = FEATURES.offset("low_aces")

WORTH_DECLARING: Final = 900
"""Hundredths of points for which the dealer declares."""
PARTNER_PASSED: Final = 60
"""Hundredths of tricks that a partner who passed has less."""
LOWEST_AT_NULLO: Final = 400
"""Hundredths of tricks that two partners take at nullo, one of whom has no danger."""
DANGER_AT_NULLO: Final = 93
"""Hundredths of tricks more for each hundred of danger."""
WORTH_OF_HONOURS: Final = (-225, -52, 141, 333, 467, 600)
"""By the honours of a hand what those of all hands are likely to count for its side,
in hundredths of the value of a trick."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The declaration to make, the card to play, or how an ace counts."""
    read(row, mask, mind)
    if mind.legal != NO_CARDS:
        return play(row, mind, options)
    if mask[ACE_LOW] != 0:
        return ACE_LOW
    return declare(mind, options, suit_of(read_one(row, _CUT, CARDS)), mask)


# Declaring ----------------------------------------------------------------------------


@rule
def declare(mind: Mind, options: Any, cayenne: int, mask: Row) -> int:
    """Name what is worth most; the dealer leaves it to partner if that is little.

    A partner with a middling hand so comes to name a suit that counts little.
    """
    may_pass = mask[PASS_TO_PARTNER] != 0
    missing = 0 if may_pass else PARTNER_PASSED
    best = NULLO
    most = worth_of_nullo(mind, options)
    mind.ace_rank = ACE
    for declaration in range(NULLO):
        value = value_of(declaration, cayenne, options)
        here = value * worth(mind, declaration, missing)
        if here > most:
            best = declaration
            most = here
    if may_pass and most < WORTH_DECLARING:
        return PASS_TO_PARTNER
    return FIRST_CALL + best


@rule
def value_of(declaration: int, cayenne: int, options: Any) -> int:
    """Cayenne 4, the other suit of its colour 3, the third 2, the fourth 1; grand 8."""
    if declaration == GRAND:
        return HIGHEST_VALUE
    if declaration == cayenne:
        return 4
    if declaration == 3 - cayenne:
        return 3
    # Clubs 0 and spades 3 are black, diamonds 1 and hearts 2 are red.
    if cayenne % 3 == 0:
        return 2 if declaration == THIRD_RED[options.third_red] else 1
    return 2 if declaration == THIRD_BLACK[options.third_black] else 1


@rule
def worth(mind: Mind, declaration: int, missing: int) -> int:
    """What a suit or grand is likely to score, in hundredths of the value of a trick.

    Honours count for the side that has most of them.
    """
    suppose_trumps(mind, NO_SUIT if declaration == GRAND else declaration)
    odd_tricks = value_of_hand(mind, WITH_PARTNER) - missing - EVEN
    if declaration == GRAND:
        return odd_tricks
    held = honours_held(mind.hand, declaration, HONOURS)
    return odd_tricks + WORTH_OF_HONOURS[held]


@rule
def worth_of_nullo(mind: Mind, options: Any) -> int:
    """What nullo is likely to score, in hundredths of points: count the dangers.

    Those are high cards without low ones below them.
    """
    rank_aces(mind, options)
    tricks = LOWEST_AT_NULLO + DANGER_AT_NULLO * danger_of_none(mind, mind.hand) // 100
    return HIGHEST_VALUE * (EVEN - tricks)


# Play ---------------------------------------------------------------------------------


@rule
def play(row: Row, mind: Mind, options: Any) -> int:
    """The card to play: to lose tricks at nullo, or else to take them."""
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    side_with(mind, PARTNER)
    if row[_DECLARATION + NULLO] != 0:
        rank_aces(mind, options)
        mark_high_ace(row, mind)
        mind.trick_price = 1
        return avoid(mind)
    if mind.trump == NO_SUIT:
        return take(mind)
    recall(row, mind, left_of(read_one(row, _DEALER, SEATS), SEATS))
    return play_with_partner(mind)


@rule
def rank_aces(mind: Mind, options: Any) -> None:
    """At nullo aces rank lowest: whoever may say how they count says so."""
    mind.ace_rank = ACE if options.nullo_ace == ALWAYS_HIGH else 0


@rule
def mark_high_ace(row: Row, mind: Mind) -> None:
    """If an ace wins the trick that was said to count high, aces rank highest."""
    card = int(mind.winning_card)
    if card != NO_CARD and rank_of(card) == ACE and row[_LOW_ACES + suit_of(card)] == 0:
        mind.ace_rank = ACE
