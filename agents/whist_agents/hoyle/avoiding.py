"""Avoiding tricks, and making one take them who wants none.

A trick has a price, which its taker is charged: one for any trick where none is wanted,
more or less for the cards that it holds (`mind.trick_price`, `mind.prices`; a price
below nothing is a prize). A card is judged by what it is likely to cost now and by the
danger of keeping it. The highest card that still loses, the dangerous card thrown away,
the low lead follow from these two. The weights were fitted by playing many deals of one
against three, with and without trumps and with hearts and a queen to be avoided.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.odds import (
    SURE,
    odds_for_the_side,
    odds_of_none,
    odds_of_void,
    suit_of_trick,
)
from whist_agents.hoyle.questions import (
    beats_the_table,
    can_follow,
    higher,
    holding,
    is_in,
    is_void,
    length,
    lower,
    of_suit,
    out_above,
    out_below,
    rank_in_play,
    suit_in_play,
    weakest,
)
from whist_env.cards import NO_CARDS, count, lowest, single, without, without_lowest
from whist_env.engine.compile import rule

ONE: Final = 100
"""What one hundredth of a trick is worth among the maxims of avoiding."""

DECIDES: Final = 10000
"""A trick that the caller surely takes is the last that matters."""

# Avoiding -----------------------------------------------------------------------------


@rule
def avoid(mind: Mind) -> int:
    """The card to play for a side that wants no tricks, or none that cost."""
    best = lowest(mind.legal)
    if count(mind.legal) == 1:
        return best
    most = -1000000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = relief(mind, card) - cost(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def cost(mind: Mind, card: int) -> int:
    """What the trick is likely to cost the side with this card."""
    return ONE * odds_for_the_side(mind, card) * price_of_trick(mind, card) // SURE


@rule
def price_of_trick(mind: Mind, card: int) -> int:
    """The price of the trick with this card and those that may come, in hundredths."""
    price = int(mind.trick_price) + int(mind.prices[card]) + price_on_the_table(mind)
    to_come = count(np.uint64(mind.to_follow))
    return 100 * price + to_come * price_of_a_card_out(mind)


@rule
def price_on_the_table(mind: Mind) -> int:
    """The price of the cards that lie on the table."""
    return prices_of(mind, mind.on_table)


@rule
def price_of_a_card_out(mind: Mind) -> int:
    """What a card of another hand costs on the average, in hundredths."""
    return 100 * prices_of(mind, mind.out) // max(1, count(mind.out))


@rule
def prices_of(mind: Mind, cards: np.uint64) -> int:
    """The price of some cards together."""
    price = 0
    while cards != NO_CARDS:
        price += int(mind.prices[lowest(cards)])
        cards = without_lowest(cards)
    return price


@rule
def relief(mind: Mind, card: int) -> int:
    """What speaks for being rid of a card."""
    suit = suit_in_play(mind, card)
    if mind.position == 0:
        worth = lead_relief(mind, card)
    elif can_follow(mind):
        worth = danger_less(mind, card)
    else:
        worth = discard_relief(mind, card)
    return worth * price_of_suit(mind, suit) // SURE + 569 * dearness(mind, card)


@rule
def lead_relief(mind: Mind, card: int) -> int:
    """What speaks for a lead besides the trick itself."""
    suit = suit_in_play(mind, card)
    return 1750 * makes_short(mind, suit) + 130 * lowest_lead(mind, card)


@rule
def discard_relief(mind: Mind, card: int) -> int:
    """What speaks for throwing a card away."""
    suit = suit_in_play(mind, card)
    return 28 * danger_less(mind, card) + 300 * makes_short(mind, suit)


@rule
def danger_less(mind: Mind, card: int) -> int:
    """By how much its suit is less dangerous without a card; a guard makes it more."""
    cards = holding(mind, suit_in_play(mind, card))
    return danger(mind, cards) - danger(mind, without(cards, single(card)))


@rule
def danger(mind: Mind, cards: np.uint64) -> int:
    """How many tricks some cards of one suit may take in the end, in hundredths.

    A card takes a trick if lower ones are out when it must be played; each card below
    it in the same hand is played before, and draws one of them.
    """
    tricks = 0
    rest = cards
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        below = out_below(mind, card)
        guards = count(np.uint64(cards & lower(mind, card)))
        tricks += SURE * max(0, below - guards) // (1 + below + out_above(mind, card))
    return tricks


@rule
def makes_short(mind: Mind, suit: int) -> int:
    """Where suit need not be followed: the shorter a suit, the sooner it is gone."""
    is_free = mind.position == 0 or not can_follow(mind)
    return max(0, 4 - length(mind, suit)) if is_free else 0


@rule
def lowest_lead(mind: Mind, card: int) -> bool:
    """A lead below all that is out of its suit cannot take the trick."""
    nothing_below = out_below(mind, card) == 0
    return mind.position == 0 and nothing_below and out_above(mind, card) > 0


@rule
def dearness(mind: Mind, card: int) -> int:
    """A card that is charged for is better given away than taken home."""
    return int(mind.prices[card])


@rule
def price_of_suit(mind: Mind, suit: int) -> int:
    """What a later trick in a suit is likely to cost, in hundredths."""
    out = np.uint64(mind.out & of_suit(mind, suit))
    rounds = max(1, count(out) // (int(mind.seats) - 1))
    average = 100 * prices_of(mind, out) // rounds
    return 100 * int(mind.trick_price) + average + price_of_a_card_out(mind)


# Forcing ------------------------------------------------------------------------------


@rule
def force(mind: Mind, caller: int) -> int:
    """The card to play against a seat that undertook to take no trick."""
    best = lowest(mind.legal)
    if count(mind.legal) == 1:
        return best
    most = -10000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        odds = odds_of_taking(mind, card, caller)
        worth = 5 * odds + DECIDES * (odds == SURE) + burden(mind, card, caller)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def odds_of_taking(mind: Mind, card: int, caller: int) -> int:
    """That the caller has to take the trick if this card is played."""
    if not is_in(mind.to_follow, caller):
        caller_wins = mind.position > 0 and mind.winner == caller
        return SURE if caller_wins and not beats_the_table(mind, card) else 0
    top = card if beats_the_table(mind, card) else int(mind.winning_card)
    led = suit_of_trick(mind, card)
    if suit_in_play(mind, top) != led:
        return 0
    cannot_duck = odds_of_none(mind, caller, lower(mind, top), led)
    follows = SURE - odds_of_void(mind, caller, led)
    return cannot_duck * follows // SURE * odds_unaided(mind, caller, top, led) // SURE


@rule
def odds_unaided(mind: Mind, caller: int, top: int, led: int) -> int:
    """That nobody else still to play must take the trick from the caller.

    He is taken to play the lowest card above those on the table. Where his hand is
    hidden that card is not known, and his taking the trick never quite sure.
    """
    above = np.uint64(mind.holds[caller] & higher(mind, top))
    if above == NO_CARDS:
        return SURE - 1
    below = lower(mind, weakest(mind, above))
    odds = SURE
    for seat in range(1, int(mind.seats)):
        if seat != caller and is_in(mind.to_follow, seat):
            must_save = odds_of_none(mind, seat, below, led)
            must_save = must_save * (SURE - odds_of_void(mind, seat, led)) // SURE
            odds = odds * (SURE - must_save) // SURE
    return odds


@rule
def burden(mind: Mind, card: int, caller: int) -> int:
    """What speaks for being rid of a card besides the trick itself.

    The short suit is led, to throw high cards away later; low cards are kept to be led
    and high ones would save the caller.
    """
    suit = suit_in_play(mind, card)
    if mind.position == 0:
        return (
            680 * makes_short(mind, suit)
            - 2400 * is_void(mind, caller, suit)
            + 21 * caller_above(mind, card, caller)
            - 2 * caller_below(mind, card, caller)
        )
    return (
        2 * rank_in_play(mind, card)
        + 3 * caller_below(mind, card, caller)
        - 7 * length(mind, suit)
        + danger_less(mind, card)
    )


@rule
def caller_above(mind: Mind, card: int, caller: int) -> int:
    """How many cards the caller may hold that take the trick from this one."""
    return count(np.uint64(mind.may_hold[caller] & higher(mind, card)))


@rule
def caller_below(mind: Mind, card: int, caller: int) -> int:
    """How many cards the caller may hold that duck it."""
    return count(np.uint64(mind.may_hold[caller] & lower(mind, card)))
