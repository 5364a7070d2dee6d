"""What a hand is worth before trumps, or none, are named.

The tricks that a player and an average partner are likely to take are counted, in
hundredths: of each high card, each trump, each suit that is short. The weights are
those that count best the tricks of many deals played by this player.
"""

from __future__ import annotations

from typing import Final

from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.questions import length
from whist_env.cards import ACE, JACK, KING, QUEEN, RANKS_IN_SUIT, TEN, holds
from whist_env.engine.compile import rule

EVEN: Final = 650
"""Hundredths of tricks that are as many as the other side takes."""

# With trumps --------------------------------------------------------------------------


@rule
def tricks_with_trumps(mind: Mind, trump: int) -> int:
    """The tricks of both partners with a suit as trumps."""
    tricks = 320 + high_trumps(mind, trump) + long_trumps(mind, trump)
    for suit in range(4):
        if suit != trump:
            tricks += high_plain_cards(mind, suit) + short_suit(mind, suit)
    return tricks


@rule
def high_trumps(mind: Mind, trump: int) -> int:
    """Count the honours in trumps."""
    return (
        76 * has(mind, trump, ACE)
        + 62 * has(mind, trump, KING)
        + 40 * has(mind, trump, QUEEN)
        + 20 * has(mind, trump, JACK)
        + 10 * has(mind, trump, TEN)
    )


@rule
def long_trumps(mind: Mind, trump: int) -> int:
    """Every trump counts, and those above four count more."""
    trumps = length(mind, trump)
    return 40 * trumps + 25 * max(0, trumps - 4)


@rule
def high_plain_cards(mind: Mind, suit: int) -> int:
    """Aces are quick tricks, kings and queens if they are guarded."""
    cards = length(mind, suit)
    return (
        76 * has(mind, suit, ACE)
        + 52 * (has(mind, suit, KING) and cards >= 2)
        + 25 * (has(mind, suit, QUEEN) and cards >= 3)
        + 8 * has(mind, suit, JACK)
    )


@rule
def short_suit(mind: Mind, suit: int) -> int:
    """The shorter a plain suit, the sooner it is ruffed."""
    cards = length(mind, suit)
    if cards == 0:
        return 75
    if cards == 1:
        return 50
    return 17 if cards == 2 else 0


# Without trumps -----------------------------------------------------------------------


@rule
def tricks_without_trumps(mind: Mind) -> int:
    """The tricks of both partners where there are no trumps: count high cards."""
    tricks = 400
    for suit in range(4):
        tricks += stoppers(mind, suit)
    return tricks


@rule
def stoppers(mind: Mind, suit: int) -> int:
    """High cards win, and stop the long suits of the others, if they are guarded."""
    cards = length(mind, suit)
    return (
        88 * has(mind, suit, ACE)
        + 80 * (has(mind, suit, KING) and cards >= 2)
        + 49 * (has(mind, suit, QUEEN) and cards >= 3)
        + 21 * has(mind, suit, JACK)
        + 9 * has(mind, suit, TEN)
    )


@rule
def aces(mind: Mind) -> int:
    """How many aces the player holds."""
    held = 0
    for suit in range(4):
        held += int(has(mind, suit, ACE))
    return held


@rule
def has(mind: Mind, suit: int, rank: int) -> bool:
    """Whether the player holds a card."""
    return holds(mind.hand, RANKS_IN_SUIT * suit + rank)
