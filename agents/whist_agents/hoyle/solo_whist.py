"""The player of Solo Whist."""

from __future__ import annotations

from typing import Any, Final

from whist_agents.hoyle.avoiding import avoid
from whist_agents.hoyle.contracts import join_side, play_misere
from whist_agents.hoyle.evaluation import (
    ALL_SUITS,
    ALONE,
    best_trump,
    odds_alone,
    odds_of_misere,
    suppose_trumps,
    sure_tricks,
    value_of_hand,
)
from whist_agents.hoyle.mind import (
    Mind,
    Row,
    know_cards,
    know_open_hands,
    read,
    read_one,
)
from whist_agents.hoyle.taking import take
from whist_env.cards import CARDS, holds, single, suit_of
from whist_env.engine.compile import rule
from whist_env.engine.record import NOBODY
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.games.solo_whist import (
    ABUNDANCE,
    ACCEPT,
    BID,
    CALL_COUNT,
    FEATURES,
    FIRST_SUIT,
    IN_TRUMPS,
    MISERE,
    NAME,
    NO_TRUMP,
    PASS,
    PROPOSE,
    SEATS,
    SLAM,
    SOLO,
    SPREAD,
    TRICKS,
    UNDERTAKEN,
)

_TURNED = FEATURES.offset("turned")
_PHASE = FEATURES.offset("phase")
_STANDING = FEATURES.offset("standing")
_CALLER = FEATURES.offset("caller")
_ALLY = FEATURES.offset("ally")
_EXPOSED = FEATURES.offset("exposed")
_DEALER = FEATURES.offset("dealer")

ENOUGH_TO_PROPOSE: Final = 280
ENOUGH_TO_ACCEPT: Final = 210
ENOUGH_FOR_SOLO: Final = 470
"""Tricks that the hand is likely to take alone, in hundredths."""
ODDS_OF_A_MISERE: Final = 57
ODDS_OF_ABUNDANCE: Final = 70
"""With which they are called, in per cent; a hand for abundance or a slam would make
solo almost surely."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, the suit to name, or the card to play."""
    read(row, mask, mind)
    phase = read_one(row, _PHASE, 3)
    if phase == BID:
        return CARDS + call(row, mask, options, mind)
    if phase == NAME:
        return FIRST_SUIT + best_trump(mind, suits_open(mask))
    know_turned(row, mind)
    know_open_hands(mind, row, _EXPOSED)
    return play(row, mind)


# Calls --------------------------------------------------------------------------------


@rule
def call(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The dearest call that is sound; else pass."""
    turned = suit_of(read_one(row, _TURNED, CARDS))
    if is_open(mask, SLAM) and slam_is_sound(mind, options):
        return SLAM
    if is_open(mask, SPREAD) and misere_is_sound(mind, True):
        return SPREAD
    if is_open(mask, IN_TRUMPS) and abundance_is_sound(mind, 1 << turned):
        return IN_TRUMPS
    others = ALL_SUITS & ~(1 << turned)
    if is_open(mask, ABUNDANCE) and abundance_is_sound(mind, others):
        return ABUNDANCE
    if is_open(mask, MISERE) and misere_is_sound(mind, False):
        return MISERE
    suppose_trumps(mind, turned)
    if is_open(mask, SOLO) and solo_is_sound(mind):
        return SOLO
    if is_open(mask, ACCEPT) and can_help(mind):
        return ACCEPT
    if is_open(mask, PROPOSE) and can_lead_an_alliance(mind):
        return PROPOSE
    return PASS


@rule
def is_open(mask: Row, call: int) -> bool:
    """Whether a call may be made."""
    return mask[CARDS + call] != 0


@rule
def can_lead_an_alliance(mind: Mind) -> bool:
    """Propose on three tricks in the turned suit, which a partner makes eight."""
    return value_of_hand(mind, ALONE) >= ENOUGH_TO_PROPOSE


@rule
def can_help(mind: Mind) -> bool:
    """Accept on nearly as many."""
    return value_of_hand(mind, ALONE) >= ENOUGH_TO_ACCEPT


@rule
def solo_is_sound(mind: Mind) -> bool:
    """Go solo on nearly five tricks in the turned suit, as all others are weak."""
    return value_of_hand(mind, ALONE) >= ENOUGH_FOR_SOLO


@rule
def misere_is_sound(mind: Mind, is_open: bool) -> bool:
    """Call misère, or expose a hand, on low cards; more carefully with the lead."""
    suppose_trumps(mind, NO_SUIT)
    return odds_of_misere(mind, mind.hand, is_open) >= ODDS_OF_A_MISERE


@rule
def abundance_is_sound(mind: Mind, suits: int) -> bool:
    """Call abundance on nine likely tricks with one of a set of suits as trumps."""
    best_trump(mind, suits)
    return odds_alone(mind, UNDERTAKEN[ABUNDANCE]) >= ODDS_OF_ABUNDANCE


@rule
def slam_is_sound(mind: Mind, options: Any) -> bool:
    """Undertake all tricks where none is to be feared; without trumps they are sure."""
    if options.slam_trump == NO_TRUMP:
        suppose_trumps(mind, NO_SUIT)
        return sure_tricks(mind) == TRICKS
    best_trump(mind, ALL_SUITS)
    return odds_alone(mind, TRICKS) >= ODDS_OF_ABUNDANCE


@rule
def suits_open(mask: Row) -> int:
    """The set of suits that may be named."""
    suits = 0
    for suit in range(4):
        if mask[FIRST_SUIT + suit] != 0:
            suits |= 1 << suit
    return suits


# Play ---------------------------------------------------------------------------------


@rule
def know_turned(row: Row, mind: Mind) -> None:
    """The turned card is the dealer's until it is played."""
    turned = read_one(row, _TURNED, CARDS)
    if turned != NO_CARD and holds(mind.out, turned):
        know_cards(mind, read_one(row, _DEALER, SEATS), single(turned))


@rule
def play(row: Row, mind: Mind) -> int:
    """The card to play for the call or against it, or in a general misère."""
    caller = read_one(row, _CALLER, SEATS)
    standing = read_one(row, _STANDING, CALL_COUNT)
    if caller == NOBODY:
        mind.trick_price = 1
        return avoid(mind)
    if standing == MISERE or standing == SPREAD:
        return play_misere(mind, caller)
    allies = 1 << caller
    ally = read_one(row, _ALLY, SEATS)
    if ally != NOBODY:
        allies |= 1 << ally
    join_side(mind, allies)
    return take(mind)
