"""Void of the suit led: ruff, or throw a card away."""

from __future__ import annotations

from whist_agents.hoyle.mind import (
    LEFT,
    PARTNER,
    RIGHT,
    Mind,
    beats_the_table,
    can_ruff,
    has_trumps,
    holding,
    is_master,
    is_trump,
    is_void,
    length,
    opponents_may_hold_trumps,
    partner_wins,
    stands,
    unseen_above,
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

SECOND, THIRD = 1, 2


@rule
def ruff_or_discard(mind: Mind) -> int:
    """The card for which the maxims speak most."""
    best = lowest(mind.legal)
    most = -1000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if is_trump(mind, card):
            worth = 34 - trump_cost(mind, card) + trump_gain(mind, card)
        else:
            worth = discard_worth(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def discard_worth(mind: Mind, card: int) -> int:
    """Throw from the weakest suit; keep best cards, and guards to honours."""
    suit = suit_of(card)
    return (
        2 * unseen_above(mind, card)
        - 18 * is_master(mind, card)
        - 22 * guards_a_king(mind, suit)
        - 4 * guards_a_queen(mind, suit)
        + 7 * opponents_void(mind, suit)
        + 13 * makes_void(mind, suit)
        + 4 * (length(mind, suit) == 2)
        - 3 * (length(mind, suit) == 4)
        - 2 * (card == lowest(holding(mind, suit)))
        - 12 * free_master(mind, card)
    )


@rule
def guards_a_king(mind: Mind, suit: int) -> bool:
    """The second-best card of a suit with one small card beside it."""
    cards = holding(mind, suit)
    return count(cards) == 2 and unseen_above(mind, highest(cards)) == 1


@rule
def guards_a_queen(mind: Mind, suit: int) -> bool:
    """The third-best card of a suit with two small cards beside it."""
    cards = holding(mind, suit)
    return count(cards) == 3 and unseen_above(mind, highest(cards)) == 2


@rule
def opponents_void(mind: Mind, suit: int) -> int:
    """A suit that opponents do not hold cannot be made; throw it."""
    return int(is_void(mind, LEFT, suit)) + int(is_void(mind, RIGHT, suit))


@rule
def makes_void(mind: Mind, suit: int) -> bool:
    """A lone card thrown makes a suit to ruff."""
    return length(mind, suit) == 1 and has_trumps(mind)


@rule
def free_master(mind: Mind, card: int) -> bool:
    """A best card that no opponent can ruff will win a trick."""
    return is_master(mind, card) and not opponents_may_hold_trumps(mind)


@rule
def trump_cost(mind: Mind, card: int) -> int:
    """What is given up with a trump: ruff low, and keep long trumps together."""
    return (
        30 * is_master(mind, card)
        + 2 * rank_of(card)
        + 6 * (card == lowest(holding(mind, mind.trump)))
        + 3 * length(mind, mind.trump)
        - 17 * (length(mind, mind.trump) == 1)
        - 30 * (not opponents_may_hold_trumps(mind))
    )


@rule
def trump_gain(mind: Mind, card: int) -> int:
    """What a ruff wins: not from partner's sure winner, not under an over-ruff."""
    if not beats_the_table(mind, card):
        return -52
    gain = 45
    if partner_wins(mind):
        if stands(mind, mind.winning_card):
            gain = -43
        else:
            gain = 51 - 3 * rank_of(mind.winning_card)
    if mind.position == SECOND:
        gain -= 14
        gain -= 32 * can_ruff(mind, PARTNER, mind.led)
        gain -= 32 * over_ruff_threatens(mind, card)
        gain -= 28 * doubtful(mind)
    elif mind.position == THIRD:
        gain -= 6 + 35 * over_ruff_threatens(mind, card)
    return gain


@rule
def over_ruff_threatens(mind: Mind, card: int) -> bool:
    """The next player cannot follow either and may hold a higher trump."""
    return can_ruff(mind, LEFT, mind.led) and not stands(mind, card)


@rule
def doubtful(mind: Mind) -> bool:
    """Partner may win the trick; with long trumps a doubtful trick is passed."""
    return not is_master(mind, mind.winning_card) and length(mind, mind.trump) >= 4
