"""The questions of a card player, asked of a mind.

Which cards are above this one, is it the best that is left of its suit, can that
opponent ruff, does partner win the trick.
"""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.mind import Mind
from whist_env.cards import (
    ACE,
    NO_CARDS,
    RANKS_IN_SUIT,
    count,
    highest,
    holds,
    lowest,
    rank_of,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.sight import MOST_SEATS
from whist_env.engine.tricks import NO_CARD

# Suits and ranks ----------------------------------------------------------------------


@rule
def of_suit(mind: Mind, suit: int) -> np.uint64:
    """All cards that belong to a suit in play."""
    if suit == mind.trump:
        return np.uint64(mind.trumps)
    return without(whole_suit(suit), mind.trumps)


@rule
def is_trump(mind: Mind, card: int) -> bool:
    """Whether a card is a trump."""
    return holds(mind.trumps, card)


@rule
def suit_in_play(mind: Mind, card: int) -> int:
    """The suit to which a card belongs in play."""
    return int(mind.trump) if is_trump(mind, card) else suit_of(card)


@rule
def rank_in_play(mind: Mind, card: int) -> int:
    """How high a card ranks in its suit, from 0."""
    if card == mind.best_trump:
        return RANKS_IN_SUIT
    rank = rank_of(card)
    if mind.ace_rank == ACE or rank < mind.ace_rank:
        return rank
    return int(mind.ace_rank) if rank == ACE else rank + 1


@rule
def ranks_as_printed(mind: Mind) -> bool:
    """Whether in every suit the order is that of the numbers of the cards."""
    return bool(mind.best_trump == NO_CARD and mind.ace_rank == ACE)


@rule
def higher(mind: Mind, card: int) -> np.uint64:
    """The cards of its suit above a card."""
    below_and_it = np.uint64((single(card) << np.uint64(1)) - np.uint64(1))
    if ranks_as_printed(mind):
        return without(whole_suit(suit_of(card)), below_and_it)
    return higher_in_play(mind, card)


@rule
def higher_in_play(mind: Mind, card: int) -> np.uint64:
    """The same, card by card, where ranks are not as printed."""
    above = NO_CARDS
    cards = of_suit(mind, suit_in_play(mind, card))
    while cards != NO_CARDS:
        other = lowest(cards)
        cards = without_lowest(cards)
        if rank_in_play(mind, other) > rank_in_play(mind, card):
            above |= single(other)
    return above


@rule
def lower(mind: Mind, card: int) -> np.uint64:
    """The cards of its suit below a card."""
    suit = of_suit(mind, suit_in_play(mind, card))
    return without(suit, np.uint64(higher(mind, card) | single(card)))


@rule
def strongest(mind: Mind, cards: np.uint64) -> int:
    """The highest of some cards of one suit."""
    if ranks_as_printed(mind):
        return highest(cards)
    best = lowest(cards)
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if rank_in_play(mind, card) > rank_in_play(mind, best):
            best = card
    return best


@rule
def weakest(mind: Mind, cards: np.uint64) -> int:
    """The lowest of some cards of one suit."""
    if ranks_as_printed(mind):
        return lowest(cards)
    best = lowest(cards)
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if rank_in_play(mind, card) < rank_in_play(mind, best):
            best = card
    return best


# The player's hand --------------------------------------------------------------------


@rule
def holding(mind: Mind, suit: int) -> np.uint64:
    """The player's own cards of a suit."""
    return np.uint64(mind.hand & of_suit(mind, suit))


@rule
def length(mind: Mind, suit: int) -> int:
    """How many cards of a suit the player holds."""
    return count(holding(mind, suit))


@rule
def has_trumps(mind: Mind) -> bool:
    """Whether the player holds a trump."""
    return mind.hand & mind.trumps != NO_CARDS


@rule
def out_above(mind: Mind, card: int) -> int:
    """How many higher cards of its suit are in other hands."""
    return count(np.uint64(higher(mind, card) & mind.out))


@rule
def out_below(mind: Mind, card: int) -> int:
    """How many lower cards of its suit are in other hands."""
    return count(np.uint64(lower(mind, card) & mind.out))


@rule
def is_master(mind: Mind, card: int) -> bool:
    """Whether a card is the best that is left of its suit."""
    return higher(mind, card) & mind.out == NO_CARDS


@rule
def equals(mind: Mind, card: int) -> np.uint64:
    """The player's cards that are worth the same: none of another hand lies between."""
    cards = holding(mind, suit_in_play(mind, card))
    over = np.uint64(higher(mind, card) & mind.out)
    under = np.uint64(lower(mind, card) & mind.out)
    if over != NO_CARDS:
        cards &= lower(mind, weakest(mind, over))
    if under != NO_CARDS:
        cards &= higher(mind, strongest(mind, under))
    return np.uint64(cards)


# The other seats ----------------------------------------------------------------------


@rule
def is_in(seats: int, seat: int) -> bool:
    """Whether a set of seats holds a seat."""
    return (seats >> seat) & 1 != 0


@rule
def opponents(mind: Mind) -> int:
    """The set of seats that are neither the player nor a partner."""
    everyone = (1 << int(mind.seats)) - 1
    return everyone & ~int(mind.partners) & ~1


@rule
def opponents_may_hold(mind: Mind) -> np.uint64:
    """The cards that some opponent may hold."""
    cards = NO_CARDS
    for seat in range(1, MOST_SEATS):
        if not is_in(mind.partners, seat):
            cards |= mind.may_hold[seat]
    return cards


@rule
def opponents_may_hold_trumps(mind: Mind) -> bool:
    """Whether trumps may be out against the player's side."""
    return opponents_may_hold(mind) & mind.trumps != NO_CARDS


@rule
def is_void(mind: Mind, seat: int, suit: int) -> bool:
    """Whether a seat certainly holds no card of a suit."""
    return mind.may_hold[seat] & of_suit(mind, suit) == NO_CARDS


@rule
def may_hold_trumps(mind: Mind, seat: int) -> bool:
    """Whether a seat may hold a trump."""
    return mind.may_hold[seat] & mind.trumps != NO_CARDS


@rule
def can_ruff(mind: Mind, seat: int, suit: int) -> bool:
    """Whether a seat certainly cannot follow a plain suit and may hold a trump."""
    return (
        suit != mind.trump and is_void(mind, seat, suit) and may_hold_trumps(mind, seat)
    )


# The trick ----------------------------------------------------------------------------


@rule
def can_follow(mind: Mind) -> bool:
    """Whether the player holds the suit led."""
    return holding(mind, mind.led) != NO_CARDS


@rule
def beats_the_table(mind: Mind, card: int) -> bool:
    """Whether a card beats all that lie on the table; a lead does."""
    if mind.position == 0:
        return True
    suit = suit_in_play(mind, card)
    if suit == suit_in_play(mind, mind.winning_card):
        return rank_in_play(mind, card) > rank_in_play(mind, mind.winning_card)
    return suit == mind.trump


@rule
def may_beat(mind: Mind, seat: int, card: int) -> bool:
    """Whether a seat still to play may beat a card in the trick on the table."""
    if mind.may_hold[seat] & higher(mind, card) != NO_CARDS:
        return suit_in_play(mind, card) == mind.led or is_void(mind, seat, mind.led)
    return not is_trump(mind, card) and can_ruff(mind, seat, mind.led)


@rule
def partner_wins(mind: Mind) -> bool:
    """Whether a partner's card wins the trick so far."""
    return mind.position > 0 and is_in(mind.partners, mind.winner)


@rule
def stands(mind: Mind, card: int) -> bool:
    """Whether no opponent still to play can beat a card that wins so far."""
    for seat in range(1, MOST_SEATS):
        is_against = is_in(mind.to_follow, seat) and not is_in(mind.partners, seat)
        if is_against and may_beat(mind, seat, card):
            return False
    return True
