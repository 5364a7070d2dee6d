"""The lead.

Each maxim speaks for or against a card with a weight; the card for which they speak
most is led. The maxims are those of Hoyle, Cavendish and Pole; the weights were fitted
by playing many deals.
"""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import LEFT, PARTNER, RIGHT, Mind
from whist_agents.hoyle.questions import (
    can_ruff,
    equals,
    has_trumps,
    holding,
    is_master,
    is_trump,
    length,
    may_hold_trumps,
    opponents_may_hold_trumps,
    out_above,
)
from whist_env.cards import (
    NO_CARDS,
    count,
    highest,
    lowest,
    nth,
    suit_of,
    without_lowest,
)
from whist_env.engine.compile import rule


@rule
def lead(mind: Mind) -> int:
    """The card for which the maxims of the lead speak most."""
    best = lowest(mind.hand)
    most = -1000
    cards = mind.hand
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if is_trump(mind, card):
            worth = trump_lead_worth(mind, card)
        else:
            worth = suit_worth(mind, suit_of(card)) + card_worth(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def suit_worth(mind: Mind, suit: int) -> int:
    """What speaks for leading a plain suit."""
    return (
        6 * length(mind, suit)
        + 22 * free_length(mind, suit)
        + 60 * singleton(mind, suit)
        + 25 * doubleton(mind, suit)
        + 18 * return_of_partners_lead(mind, suit)
        + 39 * ruff_for_partner(mind, suit)
        - 55 * can_ruff(mind, RIGHT, suit)
        - 15 * can_ruff(mind, LEFT, suit)
        + 13 * thrown_by_opponents(mind, suit)
        - 9 * thrown_by_partner(mind, suit)
        - 20 * new_suit(mind, suit)
    )


@rule
def card_worth(mind: Mind, card: int) -> int:
    """What speaks for leading a card of a plain suit."""
    return (
        47 * top_of_a_master_sequence(mind, card)
        + 30 * top_of_a_sequence(mind, card)
        - 11 * top_of_suit(mind, card)
        + 9 * fourth_best(mind, card)
        - 52 * away_from_the_master(mind, card)
        + 13 * is_master(mind, card)
        + 31 * free_master(mind, card)
    )


@rule
def trump_lead_worth(mind: Mind, card: int) -> int:
    """What speaks for leading a trump."""
    return (
        21 * length(mind, mind.trump)
        + 37 * five_trumps(mind)
        - 10 * trumps_out(mind)
        + 42 * is_master(mind, card)
        + 30 * top_of_touching(mind, card)
        + 70 * draws_the_last(mind, card)
        - 39 * one_opponent_has_none(mind)
        - 16 * up_to_the_turned_card(mind)
    )


# Suits: lead from the long suit, to make its small cards; with trumps in hand a short
# suit serves for ruffing.


@rule
def free_length(mind: Mind, suit: int) -> int:
    """A long suit makes all its cards when no opponent can ruff it."""
    return 0 if opponents_may_hold_trumps(mind) else length(mind, suit)


@rule
def singleton(mind: Mind, suit: int) -> bool:
    """A lone card is led in the hope of ruffing the suit later."""
    return length(mind, suit) == 1 and has_trumps(mind)


@rule
def doubleton(mind: Mind, suit: int) -> bool:
    """So is one of two cards."""
    return length(mind, suit) == 2 and has_trumps(mind)


@rule
def return_of_partners_lead(mind: Mind, suit: int) -> bool:
    """Return the suit that partner opened."""
    return mind.partner_suit == suit and mind.rounds[suit] == 1


@rule
def ruff_for_partner(mind: Mind, suit: int) -> bool:
    """Let partner ruff, if no opponent can over-ruff: the see-saw."""
    return (
        can_ruff(mind, PARTNER, suit)
        and not can_ruff(mind, LEFT, suit)
        and not can_ruff(mind, RIGHT, suit)
    )


@rule
def thrown_by_opponents(mind: Mind, suit: int) -> int:
    """An opponent's first discard is from its weak suit."""
    return int(mind.thrown[LEFT] == suit) + int(mind.thrown[RIGHT] == suit)


@rule
def thrown_by_partner(mind: Mind, suit: int) -> bool:
    """And partner's from partner's."""
    return mind.thrown[PARTNER] == suit


@rule
def new_suit(mind: Mind, suit: int) -> bool:
    """Go on with a suit that was begun, rather than open another."""
    return mind.rounds[suit] == 0


# Cards: the top of a sequence, else the fourth best; of two the higher; never away from
# the best card of the suit.


@rule
def top_of_touching(mind: Mind, card: int) -> bool:
    """The highest of two or more touching cards."""
    same = equals(mind, card)
    return count(same) > 1 and card == highest(same)


@rule
def top_of_a_master_sequence(mind: Mind, card: int) -> bool:
    """From ace and king, or what is left of such, the highest."""
    return top_of_touching(mind, card) and is_master(mind, card)


@rule
def top_of_a_sequence(mind: Mind, card: int) -> bool:
    """The highest of a sequence that has one or two cards above it."""
    above = out_above(mind, card)
    return top_of_touching(mind, card) and 1 <= above <= 2


@rule
def top_of_suit(mind: Mind, card: int) -> bool:
    """The highest card is kept where nothing else speaks for it."""
    return card == highest(holding(mind, suit_of(card)))


@rule
def fourth_best(mind: Mind, card: int) -> bool:
    """From a long suit without a sequence the fourth from the top."""
    cards = holding(mind, suit_of(card))
    return count(cards) >= 4 and card == nth(cards, count(cards) - 4)


@rule
def away_from_the_master(mind: Mind, card: int) -> bool:
    """A small card although the best of the suit is in hand."""
    best = highest(holding(mind, suit_of(card)))
    return not is_master(mind, card) and is_master(mind, best)


@rule
def free_master(mind: Mind, card: int) -> bool:
    """A best card that no opponent can ruff wins a trick: make it."""
    return is_master(mind, card) and not opponents_may_hold_trumps(mind)


# Trumps: lead them from five or more, and while they are out against long suits.


@rule
def five_trumps(mind: Mind) -> bool:
    """With five trumps lead them."""
    return length(mind, mind.trump) >= 5


@rule
def trumps_out(mind: Mind) -> int:
    """The more trumps are in other hands, the dearer it is to draw them."""
    return count(np.uint64(mind.out & mind.trumps))


@rule
def one_opponent_has_none(mind: Mind) -> bool:
    """A trump lead then takes one trump from the opponents and two from the side."""
    return may_hold_trumps(mind, LEFT) != may_hold_trumps(mind, RIGHT)


@rule
def up_to_the_turned_card(mind: Mind) -> bool:
    """The last player is the dealer and still holds the turned trump."""
    return mind.turned_by == RIGHT


@rule
def draws_the_last(mind: Mind, card: int) -> bool:
    """The best trump draws the last trumps of the opponents and none of partner's."""
    out = trumps_out(mind)
    return (
        is_master(mind, card)
        and out <= 2
        and opponents_may_hold_trumps(mind)
        and not may_hold_trumps(mind, PARTNER)
    )
