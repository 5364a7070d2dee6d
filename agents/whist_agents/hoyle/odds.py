"""Odds: how likely a card holds the trick.

All are whole percentages. They take each card that is out to be in any of the hands
that may hold it with the same chance, and the hands to be independent; that errs a
little and needs no search.
"""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.questions import (
    beats_the_table,
    higher,
    is_in,
    of_suit,
    opponents,
    partner_wins,
    suit_in_play,
)
from whist_env.cards import NO_CARDS, count, without
from whist_env.engine.compile import rule
from whist_env.engine.tricks import NO_SUIT

SURE = 100


@rule
def odds_of_holding(mind: Mind, suit: int) -> int:
    """That a hand which may hold a suit has one given card of it that nobody shows.

    The card is in one of the hands that may hold the suit, unless it is in none: in the
    stock, or discarded.
    """
    in_hands = 0
    may_hold = 0
    unknown = mind.out
    for other in range(1, int(mind.seats)):
        unknown = without(unknown, mind.holds[other])
        hidden = without(mind.may_hold[other], mind.holds[other])
        if hidden != NO_CARDS:
            in_hands += max(0, count(mind.hand) - count(mind.holds[other]))
            may_hold += int(hidden & of_suit(mind, suit) != NO_CARDS)
    in_some_hand = min(SURE, SURE * in_hands // max(1, count(unknown)))
    return in_some_hand // max(1, may_hold)


@rule
def odds_of_none(mind: Mind, seat: int, cards: np.uint64, suit: int) -> int:
    """That a seat holds none of some cards of a suit."""
    if mind.holds[seat] & cards != NO_CARDS:
        return 0
    number = count(np.uint64(mind.may_hold[seat] & cards))
    if number == 0:
        return SURE
    not_one = SURE - odds_of_holding(mind, suit)
    odds = SURE
    for _ in range(number):
        odds = odds * not_one // SURE
    return odds


@rule
def odds_of_void(mind: Mind, seat: int, suit: int) -> int:
    """That a seat holds no card of a suit."""
    return odds_of_none(mind, seat, of_suit(mind, suit), suit)


@rule
def odds_of_trump(mind: Mind, seat: int) -> int:
    """That a seat holds a trump."""
    if mind.trump == NO_SUIT:
        return 0
    return SURE - odds_of_none(mind, seat, mind.trumps, mind.trump)


@rule
def odds_of_beating(mind: Mind, seat: int, card: int, led: int) -> int:
    """That a seat can beat a card in a trick to which this suit was led."""
    suit = suit_in_play(mind, card)
    over = SURE - odds_of_none(mind, seat, higher(mind, card), suit)
    if suit != led:
        return over * odds_of_void(mind, seat, led) // SURE
    if led == mind.trump:
        return over
    ruff = odds_of_void(mind, seat, led) * odds_of_trump(mind, seat) // SURE
    return min(SURE, over + ruff)


@rule
def odds_of_standing(mind: Mind, card: int, led: int, seats: int) -> int:
    """That none of a set of seats can beat a card."""
    odds = SURE
    for seat in range(1, int(mind.seats)):
        if is_in(seats, seat):
            odds = odds * (SURE - odds_of_beating(mind, seat, card, led)) // SURE
    return odds


@rule
def suit_of_trick(mind: Mind, card: int) -> int:
    """The suit to be followed where this card is played."""
    return suit_in_play(mind, card) if mind.position == 0 else int(mind.led)


@rule
def odds_for_the_side(mind: Mind, card: int) -> int:
    """That the player or a partner takes the trick if the player plays this card.

    A partner still to play is taken to beat an opponent's card if it can, and to save a
    trick that an opponent would take half as often.
    """
    led = suit_of_trick(mind, card)
    wins = beats_the_table(mind, card)
    top = card if wins else int(mind.winning_card)
    against = opponents(mind) & int(mind.to_follow)
    partners = int(mind.partners) & int(mind.to_follow)
    help_comes = SURE - odds_of_standing(mind, top, led, partners)
    if wins or partner_wins(mind):
        stands = odds_of_standing(mind, top, led, against)
        return stands + (SURE - stands) * help_comes // (2 * SURE)
    return 2 * help_comes // 3
