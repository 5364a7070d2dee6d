"""Taking tricks, whoever the partners are, with trumps or without.

Each maxim speaks for or against a card with a weight; the card for which they speak
most is played. Second hand low, third hand high, fourth hand cheaply, and leaving a
trick to partner are not maxims of their own: they follow from what a card is likely to
win now and what it is worth to keep. The weights were fitted by playing many deals of
two against two and of one against three.
"""

from __future__ import annotations

from whist_agents.hoyle.discarding import guards_a_king, guards_a_queen
from whist_agents.hoyle.leading import (
    away_from_the_master,
    five_trumps,
    free_length,
    top_of_a_master_sequence,
    top_of_a_sequence,
    trumps_out,
)
from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.odds import odds_for_the_side
from whist_agents.hoyle.questions import (
    can_follow,
    can_ruff,
    has_trumps,
    is_in,
    is_master,
    is_trump,
    length,
    opponents_may_hold_trumps,
    out_above,
    rank_in_play,
    suit_in_play,
)
from whist_env.cards import NO_CARDS, count, lowest, without_lowest
from whist_env.engine.compile import rule


@rule
def take(mind: Mind) -> int:
    """The card to play for a side that wants tricks."""
    best = lowest(mind.legal)
    if count(mind.legal) == 1:
        return best
    most = -10000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = trick_worth(mind, card) - keeping_worth(mind, card)
        if mind.position == 0:
            worth += lead_worth(mind, card)
        elif not can_follow(mind) and not is_trump(mind, card):
            worth += discard_worth(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def trick_worth(mind: Mind, card: int) -> int:
    """A trick, by the odds that the side takes it."""
    return 2 * odds_for_the_side(mind, card)


@rule
def keeping_worth(mind: Mind, card: int) -> int:
    """What a card may still win if it is kept."""
    return (
        50 * is_master(mind, card)
        + 26 * second_best(mind, card)
        + 12 * third_best(mind, card)
        + 4 * rank_in_play(mind, card)
        + 43 * is_trump(mind, card)
    )


@rule
def second_best(mind: Mind, card: int) -> bool:
    """One card is above it, and falls to a card beside it."""
    guarded = length(mind, suit_in_play(mind, card)) >= 2
    return guarded and out_above(mind, card) == 1


@rule
def third_best(mind: Mind, card: int) -> bool:
    """Two cards are above it, and there are two beside it."""
    guarded = length(mind, suit_in_play(mind, card)) >= 3
    return guarded and out_above(mind, card) == 2


# The lead -----------------------------------------------------------------------------


@rule
def lead_worth(mind: Mind, card: int) -> int:
    """What speaks for a lead besides the trick itself."""
    if is_trump(mind, card):
        return trump_lead_worth(mind, card)
    suit = suit_in_play(mind, card)
    return (
        6 * length(mind, suit)
        + 23 * free_length(mind, suit)
        + 51 * short_to_ruff(mind, suit)
        + 69 * ruff_for_partners(mind, suit)
        - 48 * ruff_for_opponents(mind, suit)
        + 234 * top_of_a_master_sequence(mind, card)
        + 76 * top_of_a_sequence(mind, card)
        - 144 * away_from_the_master(mind, card)
    )


@rule
def trump_lead_worth(mind: Mind, card: int) -> int:
    """Draw trumps as the stronger side, and while they are out against masters."""
    return (
        32 * length(mind, mind.trump)
        + 28 * five_trumps(mind)
        - 2 * trumps_out(mind)
        + 72 * more_trumps_than_all(mind)
        - 120 * nobody_to_draw_from(mind)
        + 39 * top_of_a_master_sequence(mind, card)
    )


@rule
def short_to_ruff(mind: Mind, suit: int) -> int:
    """A suit of one or two cards is led in the hope of ruffing it later."""
    return max(0, 3 - length(mind, suit)) if has_trumps(mind) else 0


@rule
def ruff_for_partners(mind: Mind, suit: int) -> int:
    """Let a partner ruff who is void."""
    found = 0
    for seat in range(1, int(mind.seats)):
        found += int(is_in(mind.partners, seat) and can_ruff(mind, seat, suit))
    return found


@rule
def ruff_for_opponents(mind: Mind, suit: int) -> int:
    """But no opponent."""
    found = 0
    for seat in range(1, int(mind.seats)):
        found += int(not is_in(mind.partners, seat) and can_ruff(mind, seat, suit))
    return found


@rule
def more_trumps_than_all(mind: Mind) -> bool:
    """As many trumps as are out in all: draw them."""
    return length(mind, mind.trump) >= trumps_out(mind)


@rule
def nobody_to_draw_from(mind: Mind) -> bool:
    """No opponent has a trump."""
    return not opponents_may_hold_trumps(mind)


# Void of the suit led -----------------------------------------------------------------


@rule
def discard_worth(mind: Mind, card: int) -> int:
    """What speaks for throwing a card away: guards are kept, suits made void."""
    suit = suit_in_play(mind, card)
    return (
        40 * makes_void(mind, suit)
        - 18 * guards_a_king(mind, suit)
        - 24 * guards_a_queen(mind, suit)
    )


@rule
def makes_void(mind: Mind, suit: int) -> bool:
    """A lone card thrown makes a suit to ruff."""
    return length(mind, suit) == 1 and has_trumps(mind)
