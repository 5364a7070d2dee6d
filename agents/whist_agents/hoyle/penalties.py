"""Cards that are charged for: Jacks, hearts, a queen; and prizes among them.

A card is judged by what the trick is likely to cost with it, by what it may still cost
if it is kept, and by what is saved by giving it away while another takes the trick
(`mind.prices`). The trick itself may have a price, which now is another than later
(`mind.trick_price` is that of later tricks). The weights were fitted by playing many
deals of Polignac, Slobberhannes and Omnibus Hearts.
"""

from __future__ import annotations

import numpy as np

from whist_agents.hoyle.avoiding import (
    danger_less,
    lowest_lead,
    makes_short,
    price_of_suit,
    price_on_the_table,
)
from whist_agents.hoyle.mind import Mind
from whist_agents.hoyle.odds import (
    SURE,
    odds_for_the_side,
    odds_of_void,
    suit_of_trick,
)
from whist_agents.hoyle.questions import can_follow, is_in, of_suit, suit_in_play
from whist_env.cards import NO_CARDS, count, holds, lowest, without, without_lowest
from whist_env.engine.compile import rule

LEAST = -10000000
"""Below anything that speaks for a card."""

FALLS, PRIZE_FALLS = 140, 20
"""How much of its price counts that a card of the suit led may fall, in hundredths.

A Jack or a queen is as good as given to a higher card that takes the trick, and what
else the trick may bring is charged with it; a prize is kept back.
"""


@rule
def shed(mind: Mind, now: int) -> int:
    """The card to play where cards are charged for.

    Args:
        mind: what is known, with the prices of cards and of later tricks.
        now: the price of the trick on the table, besides its cards.
    """
    best = lowest(mind.legal)
    if count(mind.legal) == 1:
        return best
    most = LEAST
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = burden(mind, card, now) - charge(mind, card, now)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def charge(mind: Mind, card: int, now: int) -> int:
    """What the trick is likely to cost with this card."""
    price = now + int(mind.prices[card]) + price_on_the_table(mind)
    likely = 100 * price + price_to_come(mind, card)
    return 100 * odds_for_the_side(mind, card) * likely // SURE


@rule
def price_to_come(mind: Mind, card: int) -> int:
    """The price of the cards that others are likely to add, in hundredths."""
    led = suit_of_trick(mind, card)
    return price_of_suit_led(mind, led) + price_of_discards(mind, led)


@rule
def price_of_suit_led(mind: Mind, led: int) -> int:
    """A charged card of the suit falls gladly to a higher one, a prize does not."""
    price = 0
    cards = np.uint64(mind.out & of_suit(mind, led))
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        cost = int(mind.prices[card])
        if cost != 0:
            share = FALLS if cost > 0 else PRIZE_FALLS
            price += cost * share * odds_of_following(mind, card) // SURE
    return price


@rule
def odds_of_following(mind: Mind, card: int) -> int:
    """That a card is in the hand of a seat that is still to play."""
    to_follow = 0
    others = 0
    for seat in range(1, int(mind.seats)):
        if holds(mind.may_hold[seat], card):
            others += 1
            to_follow += int(is_in(mind.to_follow, seat))
    return SURE * to_follow // max(1, others)


@rule
def price_of_discards(mind: Mind, led: int) -> int:
    """Who cannot follow throws the dearest card away."""
    others = without(mind.out, of_suit(mind, led))
    price = SURE * dear_cards(mind, others) // (int(mind.seats) - 1)
    if price == 0:
        return 0
    voids = 0
    for seat in range(1, int(mind.seats)):
        if is_in(mind.to_follow, seat):
            voids += odds_of_void(mind, seat, led)
    return price * voids // SURE


@rule
def dear_cards(mind: Mind, cards: np.uint64) -> int:
    """The price of the charged cards among some, without the prizes."""
    price = 0
    while cards != NO_CARDS:
        price += max(0, int(mind.prices[lowest(cards)]))
        cards = without_lowest(cards)
    return price


@rule
def burden(mind: Mind, card: int, now: int) -> int:
    """What a card is likely to cost if it is kept.

    A charged card is given away for a part of its price, which others pay then. In a
    suit with a prize high cards are kept, and low ones are in nobody's way.
    """
    price = int(mind.prices[card])
    later = price_of_suit(mind, suit_in_play(mind, card))
    if mind.position == 0:
        worth = lead_burden(mind, card, now)
        given_away = 700 * price
    elif can_follow(mind):
        worth = 25 * danger_less(mind, card)
        given_away = 700 * price
    else:
        worth = 60 * danger_less(mind, card)
        given_away = 2000 * price
    if later < 0:
        worth = max(0, worth)
    return worth * later // SURE + given_away


@rule
def lead_burden(mind: Mind, card: int, now: int) -> int:
    """What speaks for leading a card besides the trick itself.

    A short suit is led to be void, a lowest card to lose the lead; where a trick costs
    nothing, a dangerous card is led to be rid of it.
    """
    worth = 400 * makes_short(mind, suit_in_play(mind, card))
    worth += 400 * lowest_lead(mind, card)
    if now == 0:
        worth += 20 * danger_less(mind, card)
    return worth
