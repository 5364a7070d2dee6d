"""Contracts of one player, or of two allies, against the others: value and play.

What a hand is worth is told in hundredths of a trick, by the trumps that are supposed
(`suppose_trumps`). The numbers were fitted by playing many deals.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.hoyle.avoiding import avoid, danger, danger_less, force
from whist_agents.hoyle.mind import ME, Mind, side_with
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.questions import (
    holding,
    is_in,
    is_master,
    is_trump,
    length,
    of_suit,
    out_above,
    rank_in_play,
    strongest,
    suit_in_play,
)
from whist_env.cards import (
    NO_CARDS,
    RANKS_IN_SUIT,
    count,
    lowest,
    single,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.tricks import NO_CARD, NO_SUIT

TRICK: Final = 100
"""What values are counted in."""
TWO_HANDS: Final = TRICK
"""Two allied hands take a trick more than their values: each leads to the other."""
TRUMP_CARD: Final = (81, 48, 26)
PLAIN_CARD: Final = (86, 48, 26)
CARD_WITHOUT_TRUMPS: Final = (92, 67, 37)
"""The value of a card by the number of cards above it, if as many guard it."""
ODDS: Final = (0, 2, 7, 16, 31, 50, 69, 84, 93, 98, 99)
"""That a value is reached which lies above the middle by -5, -4, ... 5 half-spreads."""
FEWEST_TRUMPS: Final = 4
"""Nobody names a shorter suit as trumps."""
SPREAD, SPREAD_WITHOUT_TRUMPS = 110, 150
"""How far tricks taken are from the value of the hand, in the mean."""
LEADS_FIRST: Final = 6
"""By how much a misère is less likely where its caller leads to the first trick."""

# The value of a hand ------------------------------------------------------------------


@rule
def suppose_trumps(mind: Mind, trump: int) -> None:
    """Think of a suit as trumps, or of none."""
    mind.trump = trump
    mind.trumps = NO_CARDS if trump == NO_SUIT else whole_suit(trump)
    mind.best_trump = NO_CARD


@rule
def value_to_a_caller(mind: Mind) -> int:
    """The value of the hand to one who names the trumps: not those of a short suit."""
    if mind.trump != NO_SUIT and length(mind, mind.trump) < FEWEST_TRUMPS:
        return 0
    return value_of_hand(mind)


@rule
def value_of_hand(mind: Mind) -> int:
    """The tricks that the hand is likely to take alone against the others."""
    value = top_cards(mind)
    if mind.trump == NO_SUIT:
        return value + long_suits(mind) + 34
    return value + long_trumps(mind) + short_suits(mind) - 97


@rule
def top_cards(mind: Mind) -> int:
    """High cards, each guarded by as many cards as are above it.

    Of a plain suit three rounds are made at most, before it is ruffed.
    """
    value = 0
    for suit in range(4):
        may_be_ruffed = suit != mind.trump and mind.trump != NO_SUIT
        rounds = 3 if may_be_ruffed else RANKS_IN_SUIT
        cards = holding(mind, suit)
        for _ in range(min(rounds, count(cards))):
            card = strongest(mind, cards)
            cards = without(cards, single(card))
            above = out_above(mind, card)
            if above <= 2 and length(mind, suit) > above:
                value += value_of_card(mind, card, above)
    return value


@rule
def value_of_card(mind: Mind, card: int, above: int) -> int:
    """What a guarded card is worth that has none, one or two cards above it."""
    if mind.trump == NO_SUIT:
        return CARD_WITHOUT_TRUMPS[above]
    return TRUMP_CARD[above] if is_trump(mind, card) else PLAIN_CARD[above]


@rule
def long_trumps(mind: Mind) -> int:
    """Each trump, and more for each beyond four."""
    trumps = length(mind, mind.trump)
    return 46 * trumps + 29 * max(0, trumps - 4)


@rule
def short_suits(mind: Mind) -> int:
    """Plain suits of less than three cards, to be ruffed, and very long ones."""
    value = 0
    for suit in range(4):
        if suit != mind.trump:
            cards = length(mind, suit)
            value += 31 * max(0, 3 - cards) + 98 * max(0, cards - 5)
    return value


@rule
def long_suits(mind: Mind) -> int:
    """Without trumps the small cards of a long suit that is headed by the best."""
    value = 0
    for suit in range(4):
        best = masters(mind, suit)
        if best >= 2:
            value += 30 * max(0, length(mind, suit) - max(4, best))
    return value


@rule
def masters(mind: Mind, suit: int) -> int:
    """How many of the best cards of a suit the hand holds."""
    found = 0
    cards = holding(mind, suit)
    while cards != NO_CARDS:
        found += int(is_master(mind, lowest(cards)))
        cards = without_lowest(cards)
    return found


@rule
def odds_of_tricks(mind: Mind, value: int, tricks: int) -> int:
    """That a side takes so many tricks, in per cent, by the value of its hands."""
    spread = SPREAD_WITHOUT_TRUMPS if mind.trump == NO_SUIT else SPREAD
    # From where half of the deals succeed: half a trick below the number.
    margin = value - TRICK * tricks + TRICK // 2
    place = max(0, min(500, 250 + 50 * margin // (spread // 2)))
    step = min(9, place // 50)
    return ODDS[step] + (ODDS[step + 1] - ODDS[step]) * (place - 50 * step) // 50


# Misères ------------------------------------------------------------------------------


@rule
def danger_of_cards(mind: Mind, cards: np.uint64) -> int:
    """How many tricks some cards of the hand may have to take, in hundredths."""
    tricks = 0
    for suit in range(4):
        tricks += danger(mind, np.uint64(cards & of_suit(mind, suit)))
    return tricks


@rule
def odds_of_misere(mind: Mind, tricks: int) -> int:
    """That a hand of such a danger takes no trick, in per cent."""
    leads = LEADS_FIRST if mind.leader == ME else 0
    return max(0, min(SURE, 102 - tricks // 2) - leads)


@rule
def danger_after_discard(mind: Mind) -> int:
    """The danger of the hand without its most dangerous card."""
    card = most_dangerous(mind, mind.hand)
    return danger_of_cards(mind, without(mind.hand, single(card)))


@rule
def danger_beside_one_trick(mind: Mind) -> int:
    """The same, where one trick is to be taken: its highest card is no danger."""
    rest = without(mind.hand, single(sure_trick(mind)))
    card = most_dangerous(mind, rest)
    return danger_of_cards(mind, without(rest, single(card)))


@rule
def most_dangerous(mind: Mind, cards: np.uint64) -> int:
    """The card without which a misère is safest."""
    best = lowest(cards)
    most = -10000
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = danger_less(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def sure_trick(mind: Mind) -> int:
    """The highest card of the hand."""
    best = lowest(mind.hand)
    cards = mind.hand
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if rank_in_play(mind, card) > rank_in_play(mind, best):
            best = card
    return best


# Discarding a card before the play ----------------------------------------------------


@rule
def discard_before_misere(mind: Mind, caller: int) -> int:
    """A caller who must take no trick puts the most dangerous card aside."""
    if caller == ME:
        return most_dangerous(mind, mind.legal)
    return discard_against_misere(mind)


@rule
def discard_before_one_trick(mind: Mind, caller: int) -> int:
    """A caller who must take one trick does so, too, but keeps his highest card."""
    if caller == ME and count(mind.legal) > 1:
        return most_dangerous(mind, without(mind.legal, single(sure_trick(mind))))
    return discard_against_misere(mind)


@rule
def discard_against_misere(mind: Mind) -> int:
    """The others keep low cards, and would be void: a high card of a short suit."""
    best = lowest(mind.legal)
    most = -10000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = rank_in_play(mind, card) - 2 * length(mind, suit_in_play(mind, card))
        if worth > most:
            best = card
            most = worth
    return best


# Playing ------------------------------------------------------------------------------


@rule
def join_side(mind: Mind, allies: int) -> None:
    """The allies are one side, all others the other.

    Args:
        mind: what `read` has filled.
        allies: the set of seats of the caller's side.
    """
    for seat in range(1, int(mind.seats)):
        if is_in(allies, seat) == is_in(allies, ME):
            side_with(mind, seat)


@rule
def play_misere(mind: Mind, caller: int) -> int:
    """The card to play where the caller must take no trick, or no more."""
    if caller == ME:
        mind.trick_price = 1
        return avoid(mind)
    return force(mind, caller)
