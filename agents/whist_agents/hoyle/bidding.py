"""What a hand is worth to one who would undertake something alone.

How many tricks it is likely to take with a suit as trumps, how many it cannot fail to
take, and how far it is from taking none. Tricks are counted in hundredths; the weights
are those of many deals in which one player played against three.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.hoyle.mind import Mind
from whist_env.cards import (
    ACE,
    CARDS,
    JACK,
    KING,
    NO_CARDS,
    QUEEN,
    RANKS_IN_SUIT,
    TEN,
    count,
    highest,
    holds,
    lowest,
    rank_of,
    single,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule

TRICK: Final = 100
ALL_SUITS: Final = 0b1111
GAPS_OF_THE_LEAD: Final = 5
"""Who leads to the first trick of a misère is so much nearer to taking one."""

# Tricks with a trump suit -------------------------------------------------------------


@rule
def held(mind: Mind, suit: int) -> np.uint64:
    """The cards of a suit, whatever is trumps."""
    return np.uint64(mind.hand & whole_suit(suit))


@rule
def has(mind: Mind, suit: int, rank: int) -> bool:
    """Whether the hand holds a card."""
    return holds(mind.hand, RANKS_IN_SUIT * suit + rank)


@rule
def likely_tricks(mind: Mind, trump: int) -> int:
    """The tricks that the hand is likely to take alone with this suit as trumps."""
    tricks = trump_tricks(mind, trump)
    for suit in range(4):
        if suit != trump:
            tricks += top_card_tricks(mind, suit) + shape_tricks(mind, suit)
    return tricks


@rule
def trump_tricks(mind: Mind, suit: int) -> int:
    """Trumps: each beyond the fourth is a trick, and so are the ace and king."""
    return (
        104 * (count(held(mind, suit)) - 4)
        + 128 * has(mind, suit, ACE)
        + 98 * has(mind, suit, KING)
        + 72 * has(mind, suit, QUEEN)
        + 46 * has(mind, suit, JACK)
        + 27 * has(mind, suit, TEN)
    )


@rule
def top_card_tricks(mind: Mind, suit: int) -> int:
    """Quick tricks beside trumps: an ace, a guarded king half, together a bit more."""
    length = count(held(mind, suit))
    ace, king = has(mind, suit, ACE), has(mind, suit, KING)
    queen = has(mind, suit, QUEEN)
    return (
        99 * ace
        + 58 * (king and length >= 2)
        + 30 * (queen and length >= 3)
        + 22 * (ace and king)
        + 19 * (king and queen)
    )


@rule
def shape_tricks(mind: Mind, suit: int) -> int:
    """A void is ruffed at once; a long suit makes small cards in the end."""
    length = count(held(mind, suit))
    return 21 * (length == 0) + 25 * max(0, length - 3)


@rule
def best_trump(mind: Mind, suits: int) -> int:
    """The suit with the most likely tricks as trumps, among a set of suits."""
    best = -1
    most = -10000
    for suit in range(4):
        tricks = likely_tricks(mind, suit)
        if (suits >> suit) & 1 != 0 and tricks > most:
            best = suit
            most = tricks
    return best


# Tricks that cannot be lost -----------------------------------------------------------


@rule
def sure_tricks(mind: Mind, trump: int) -> int:
    """How many tricks top cards make: those of trumps, and all once they are drawn."""
    tricks = 0
    draws_all = trump < 0 or draws_all_others(mind, trump)
    for suit in range(4):
        if suit == trump or draws_all:
            tricks += winners(mind, suit)
    return tricks


@rule
def draws_all_others(mind: Mind, suit: int) -> bool:
    """Whether the top cards of a suit draw all that the others hold of it."""
    return top_cards(mind, suit) >= RANKS_IN_SUIT - count(held(mind, suit))


@rule
def winners(mind: Mind, suit: int) -> int:
    """The whole suit where its top cards draw the others, else the top cards alone."""
    if draws_all_others(mind, suit):
        return count(held(mind, suit))
    return top_cards(mind, suit)


@rule
def top_cards(mind: Mind, suit: int) -> int:
    """The cards from the ace down without a gap."""
    missing = without(whole_suit(suit), mind.hand)
    if missing == NO_CARDS:
        return RANKS_IN_SUIT
    return RANKS_IN_SUIT * suit + ACE - highest(missing)


# Taking none --------------------------------------------------------------------------


@rule
def gaps(cards: np.uint64) -> int:
    """How far some cards are from ducking every trick.

    A suit of deuce, four, six, eight and so on cannot be made to take a trick; each
    step that a card stands above its place in this row is a gap through which it can.
    """
    total = 0
    for suit in range(4):
        rest = np.uint64(cards & whole_suit(suit))
        safe = 0
        while rest != NO_CARDS:
            total += max(0, rank_of(lowest(rest)) - safe)
            rest = without_lowest(rest)
            safe += 2
    return total


@rule
def worst_card(cards: np.uint64) -> int:
    """The card without which the fewest gaps are left, and of such the highest."""
    worst = lowest(cards)
    least = RANKS_IN_SUIT * CARDS
    rest = cards
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        left = RANKS_IN_SUIT * gaps(without(cards, single(card))) - rank_of(card)
        if left < least:
            worst = card
            least = left
    return worst
