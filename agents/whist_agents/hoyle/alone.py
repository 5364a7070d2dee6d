"""The play of one against others whose cards are known in part or in whole.

A trick has a prize, which a game sets: the trick itself, and what comes with it. Each
card is worth what it may win later. No more is spent on a trick than it is worth.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.odds import SURE, odds_for_the_side
from whist_agents.hoyle.questions import (
    is_master,
    is_trump,
    length,
    of_suit,
    rank_in_play,
    suit_in_play,
)
from whist_env.cards import NO_CARDS, count, lowest, without_lowest
from whist_env.engine.compile import rule

TRICK: Final = 100
"""The prize of a trick that counts, with which nothing else comes."""


@rule
def play_for(mind: Mind, prize: int) -> int:
    """The card that wins most for what is spent; a prize below nothing is not wanted.

    Args:
        mind: what the player knows.
        prize: what is won with the trick, in hundredths of a trick.
    """
    best = lowest(mind.legal)
    most = -1000000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        odds = odds_for_the_side(mind, card)
        worth = prize * odds // SURE - value(mind, card)
        if mind.position == 0:
            worth -= short_suit_first(mind, card) + drawn_from_others(mind, card, odds)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def value(mind: Mind, card: int) -> int:
    """What a card may win if it is kept, in hundredths of a trick."""
    return (
        30 * is_master(mind, card)
        + 75 * is_trump(mind, card)
        + 3 * rank_in_play(mind, card)
    )


@rule
def short_suit_first(mind: Mind, card: int) -> int:
    """What speaks against a lead from a long plain suit; a short one can be ruffed."""
    return 0 if is_trump(mind, card) else 4 * length(mind, suit_in_play(mind, card))


@rule
def drawn_from_others(mind: Mind, card: int, odds: int) -> int:
    """What speaks against a lead that is sure to lose in a suit that others show."""
    if odds > 0:
        return 0
    shown = NO_CARDS
    for seat in range(1, int(mind.seats)):
        shown |= mind.holds[seat]
    suit = suit_in_play(mind, card)
    return 10 * count(np.uint64(shown & of_suit(mind, suit)))
