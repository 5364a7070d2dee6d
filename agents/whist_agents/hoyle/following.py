"""Following suit: second hand low, third hand high, fourth hand cheaply."""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import LEFT, PARTNER, Mind
from whist_agents.hoyle.questions import (
    beats_the_table,
    equals,
    higher,
    is_master,
    is_trump,
    lower,
    may_beat,
    out_above,
    partner_wins,
    stands,
)
from whist_env.cards import (
    NO_CARDS,
    count,
    highest,
    lowest,
    rank_of,
    suit_of,
    without_lowest,
)
from whist_env.engine.compile import rule


@rule
def second_hand(mind: Mind) -> int:
    """Second hand plays low, unless enough speaks for a higher card."""
    best = lowest(mind.legal)
    most = -1000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = -second_hand_cost(mind, card)
        if beats_the_table(mind, card):
            worth += second_hand_gain(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def second_hand_cost(mind: Mind, card: int) -> int:
    """What is given up with a card: the fewer stand above it, the more."""
    return (
        19 * highest_held(mind, card)
        - 9 * out_above(mind, card)
        + 18 * best_trump(mind, card)
        - 28 * lowest_trump(mind, card)
    )


@rule
def second_hand_gain(mind: Mind, card: int) -> int:
    """What speaks for beating the lead at once."""
    return (
        18 * sure_length(mind, card)
        + 17 * stands(mind, card)
        + 5 * rank_of(mind.winning_card)
        + 42 * is_a_finesse(mind, card)
        + 39 * partner_cannot_beat(mind)
        - 20
    )


@rule
def highest_held(mind: Mind, card: int) -> bool:
    """Second hand plays low: the highest card is kept."""
    return card == highest(mind.legal)


@rule
def best_trump(mind: Mind, card: int) -> bool:
    """The best trump wins a later trick as well."""
    return is_trump(mind, card) and is_master(mind, card)


@rule
def lowest_trump(mind: Mind, card: int) -> bool:
    """Of trumps the lowest is played."""
    return is_trump(mind, card) and card == lowest(mind.legal)


@rule
def sure_length(mind: Mind, card: int) -> int:
    """A card that must win, by the length that will make it fall later else."""
    return count(mind.legal) if stands(mind, card) else 0


@rule
def is_a_finesse(mind: Mind, card: int) -> bool:
    """With the best and the third best, try the third best."""
    best = highest(mind.legal)
    return is_master(mind, best) and card != best and out_above(mind, card) == 1


@rule
def partner_cannot_beat(mind: Mind) -> bool:
    """Partner cannot beat the lead, so that this hand must."""
    return not may_beat(mind, PARTNER, mind.winning_card)


@rule
def winners(mind: Mind) -> np.uint64:
    """The legal cards that beat the table without ruffing; none over a ruff."""
    if suit_of(mind.winning_card) != mind.led:
        return NO_CARDS
    return np.uint64(mind.legal & higher(mind, mind.winning_card))


@rule
def third_hand(mind: Mind) -> int:
    """Third hand plays high, with the lowest of touching cards, and never wastes.

    Partner's card is left alone where the last player cannot beat it, or where no card
    that the last player may hold lies between it and ours.
    """
    above = winners(mind)
    if above == NO_CARDS:
        return lowest(mind.legal)
    top = highest(above)
    if partner_wins(mind):
        between = (
            mind.may_hold[LEFT] & higher(mind, mind.winning_card) & lower(mind, top)
        )
        if between == NO_CARDS or not may_beat(mind, LEFT, mind.winning_card):
            return lowest(mind.legal)
    return lowest(np.uint64(above & equals(mind, top)))


@rule
def fourth_hand(mind: Mind) -> int:
    """Fourth hand wins as cheaply as it can, and never from partner."""
    above = winners(mind)
    if partner_wins(mind) or above == NO_CARDS:
        return lowest(mind.legal)
    return lowest(above)
