"""The lead.

Each maxim speaks for or against a card with a weight; the card for which they speak
most is led. The maxims are those of Hoyle, Cavendish and Pole; the weights were fitted
by playing many deals.
"""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import (
    LEFT,
    PARTNER,
    RIGHT,
    Mind,
    can_ruff,
    equals,
    has_trumps,
    holding,
    in_suit,
    is_master,
    is_trump,
    length,
    may_hold_trumps,
    opponents_may_hold_trumps,
    unseen_above,
)
from whist_env.cards import (
    NO_CARDS,
    count,
    highest,
    holds,
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
        3 * length(mind, suit)
        + 8 * free_length(mind, suit)
        + 22 * singleton(mind, suit)
        + 6 * doubleton(mind, suit)
        + 5 * return_of_partners_lead(mind, suit)
        + 7 * ruff_for_partner(mind, suit)
        - 15 * can_ruff(mind, RIGHT, suit)
        - 3 * can_ruff(mind, LEFT, suit)
        + thrown_by_opponents(mind, suit)
        - 2 * thrown_by_partner(mind, suit)
        + 6 * rounds_led(mind, suit)
        + cards_out(mind, suit)
        + 5 * partner_has_the_best(mind, suit)
    )


@rule
def card_worth(mind: Mind, card: int) -> int:
    """What speaks for leading a card of a plain suit."""
    return (
        12 * top_of_a_master_sequence(mind, card)
        + 9 * top_of_a_sequence(mind, card)
        - 4 * top_of_suit(mind, card)
        + high_of_two(mind, card)
        + fourth_best(mind, card)
        - 15 * away_from_the_master(mind, card)
        + 13 * free_master(mind, card)
    )


@rule
def trump_lead_worth(mind: Mind, card: int) -> int:
    """What speaks for leading a trump."""
    return (
        9 * opponents_may_hold_trumps(mind)
        + 14 * five_trumps(mind)
        + 17 * is_master(mind, card)
        - early_master(mind, card)
        + 11 * top_of_touching(mind, card)
        + 25 * draws_the_last(mind, card)
        - 4 * (mind.turned_by == RIGHT)
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
def rounds_led(mind: Mind, suit: int) -> int:
    """Go on with a suit that was begun, rather than open another."""
    return min(int(mind.rounds[suit]), 2)


@rule
def cards_out(mind: Mind, suit: int) -> int:
    """The more of a suit is out, the surer it is followed to."""
    return count(in_suit(mind.unseen, suit))


@rule
def partner_has_the_best(mind: Mind, suit: int) -> bool:
    """The best card of the suit is out and neither opponent can hold it."""
    out = in_suit(mind.unseen, suit)
    if out == NO_CARDS or highest(out) < highest(holding(mind, suit)):
        return False
    best = highest(out)
    return not holds(mind.may_hold[LEFT], best) and not holds(
        mind.may_hold[RIGHT], best
    )


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
    above = unseen_above(mind, card)
    return top_of_touching(mind, card) and 1 <= above <= 2


@rule
def top_of_suit(mind: Mind, card: int) -> bool:
    """The highest card is kept where nothing else speaks for it."""
    return card == highest(holding(mind, suit_of(card)))


@rule
def high_of_two(mind: Mind, card: int) -> bool:
    """From two small cards the higher."""
    cards = holding(mind, suit_of(card))
    return count(cards) == 2 and card == highest(cards) and not is_master(mind, card)


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
def early_master(mind: Mind, card: int) -> int:
    """The best trump keeps its worth; early in the deal it is kept."""
    return count(mind.hand) if is_master(mind, card) else 0


@rule
def draws_the_last(mind: Mind, card: int) -> bool:
    """The best trump draws the last trumps of the opponents and none of partner's."""
    out = count(np.uint64(in_suit(mind.unseen, mind.trump)))
    return (
        is_master(mind, card)
        and out <= 2
        and opponents_may_hold_trumps(mind)
        and not may_hold_trumps(mind, PARTNER)
    )
