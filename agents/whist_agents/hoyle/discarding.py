"""Void of the suit led: ruff, or throw a card away."""

from __future__ import annotations

from whist_agents.hoyle.mind import LEFT, PARTNER, RIGHT, Mind
from whist_agents.hoyle.questions import (
    beats_the_table,
    can_ruff,
    has_trumps,
    holding,
    is_master,
    is_trump,
    is_void,
    length,
    opponents_may_hold_trumps,
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
            worth = trump_gain(mind, card) - trump_cost(mind, card)
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
        4 * out_above(mind, card)
        - 33 * is_master(mind, card)
        - 56 * guards_a_king(mind, suit)
        - 34 * guards_a_queen(mind, suit)
        + 12 * opponents_void(mind, suit)
        + 30 * makes_void(mind, suit)
        + 16 * two_cards(mind, suit)
        + 14 * is_lowest(mind, card)
    )


@rule
def guards_a_king(mind: Mind, suit: int) -> bool:
    """The second-best card of a suit with one small card beside it."""
    cards = holding(mind, suit)
    return count(cards) == 2 and out_above(mind, highest(cards)) == 1


@rule
def guards_a_queen(mind: Mind, suit: int) -> bool:
    """The third-best card of a suit with two small cards beside it."""
    cards = holding(mind, suit)
    return count(cards) == 3 and out_above(mind, highest(cards)) == 2


@rule
def opponents_void(mind: Mind, suit: int) -> int:
    """A suit that opponents do not hold cannot be made; throw it."""
    return int(is_void(mind, LEFT, suit)) + int(is_void(mind, RIGHT, suit))


@rule
def makes_void(mind: Mind, suit: int) -> bool:
    """A lone card thrown makes a suit to ruff."""
    return length(mind, suit) == 1 and has_trumps(mind)


@rule
def two_cards(mind: Mind, suit: int) -> bool:
    """A suit of two is soon void."""
    return length(mind, suit) == 2


@rule
def is_lowest(mind: Mind, card: int) -> bool:
    """Of each suit the lowest card goes first."""
    return card == lowest(holding(mind, suit_of(card)))


@rule
def trump_cost(mind: Mind, card: int) -> int:
    """What is given up with a trump: ruff low."""
    return (
        37 * is_master(mind, card)
        + 2 * rank_of(card)
        - 23 * is_lowest(mind, card)
        - 23 * opponents_have_none(mind)
    )


@rule
def trump_gain(mind: Mind, card: int) -> int:
    """What a ruff wins."""
    if not beats_the_table(mind, card):
        return -50
    gain = (
        105 * opponents_win(mind)
        - 57 * partner_wins_surely(mind)
        + 95 * partner_wins_so_far(mind)
        - 4 * partners_rank(mind)
    )
    if mind.position == SECOND:
        gain -= (
            24
            + 38 * not_yet_lost(mind)
            + 14 * doubtful(mind)
            + 53 * can_ruff(mind, PARTNER, mind.led)
            + 44 * over_ruff_threatens(mind, card)
        )
    elif mind.position == THIRD:
        gain -= 59 * over_ruff_threatens(mind, card)
    return gain


@rule
def opponents_have_none(mind: Mind) -> bool:
    """Trumps that no opponent can hold are not needed to ruff."""
    return not opponents_may_hold_trumps(mind)


@rule
def opponents_win(mind: Mind) -> bool:
    """Ruff what the opponents win."""
    return not partner_wins(mind)


@rule
def partner_wins_surely(mind: Mind) -> bool:
    """Do not ruff partner's certain winner."""
    return partner_wins(mind) and stands(mind, mind.winning_card)


@rule
def partner_wins_so_far(mind: Mind) -> bool:
    """Ruff where the last player may beat partner."""
    return partner_wins(mind) and not stands(mind, mind.winning_card)


@rule
def partners_rank(mind: Mind) -> int:
    """But the higher partner's card, the less."""
    return rank_of(mind.winning_card) if partner_wins_so_far(mind) else 0


@rule
def not_yet_lost(mind: Mind) -> bool:
    """Partner may win what is not led by the best card."""
    return not is_master(mind, mind.winning_card)


@rule
def over_ruff_threatens(mind: Mind, card: int) -> bool:
    """The next player cannot follow either and may hold a higher trump."""
    return can_ruff(mind, LEFT, mind.led) and not stands(mind, card)


@rule
def doubtful(mind: Mind) -> bool:
    """Partner may win the trick; with long trumps a doubtful trick is passed."""
    return not is_master(mind, mind.winning_card) and length(mind, mind.trump) >= 4
