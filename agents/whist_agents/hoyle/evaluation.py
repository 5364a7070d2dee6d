"""What a hand is worth in bidding: the tricks that it takes, and the danger of any.

There is one scale for all games, hundredths of a trick, by the trumps that are supposed
(`suppose_trumps`) and the ranks that cards have in play. The same things are counted
for one who plays alone against three and for one with a partner of whom nothing is
known; only their weights differ. They are those that count best the tricks of many
deals played by this player.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_agents.hoyle.mind import ME, Mind
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.questions import (
    holding,
    is_master,
    is_trump,
    length,
    lower,
    of_suit,
    out_above,
    out_below,
    rank_in_play,
    strongest,
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
ALONE, WITH_PARTNER = range(2)
"""Who takes the tricks that are counted; the weights below are for the two in turn."""
EVEN: Final = 650
"""Tricks of two partners that are as many as the others take."""
ALL_SUITS: Final = 0b1111
FEWEST_TRUMPS: Final = 4
"""Nobody names a shorter suit as trumps."""

TRUMP_CARD: Final = ((80, 47, 22), (56, 38, 20))
PLAIN_CARD: Final = ((83, 46, 23), (57, 34, 15))
CARD_WITHOUT_TRUMPS: Final = ((96, 63, 29), (68, 49, 24))
"""A card by the number of cards above it, if as many guard it."""
ROUNDS, ROUNDS_OF_TRUMPS, ROUNDS_WITHOUT_TRUMPS = 3, 4, 5
"""How many rounds of a suit high cards win at most; what is left wins by length."""
EACH_TRUMP: Final = (66, 46)
TRUMP_BEYOND_FOUR: Final = (18, 19)
SHORT_SUIT: Final = (23, 14)
"""Each card of a plain suit less than three: it will be ruffed."""
SMALL_CARD_OF_A_RUN: Final = (22, 7)
"""Without trumps, each card of a suit that its top cards draw from the others."""
WITH_TRUMPS: Final = (-175, 346)
WITHOUT_TRUMPS: Final = (21, 472)
"""What all hands have in common; of two it is what an average partner takes."""

TWO_HANDS: Final = 140
"""Two allied hands take more than each would take alone: each leads to the other."""

SPREAD: Final = (97, 137)
SPREAD_OF_TWO: Final = (115, 168)
"""How far tricks are from the value of one hand, or of two, in the mean: with trumps
and without."""
ODDS: Final = (0, 2, 7, 16, 31, 50, 69, 84, 93, 98, 100)
"""That a value is reached which lies above the middle by -5, -4, ... 5 half-spreads."""

MISERES: Final = (86, 79, 69, 60, 53, 48, 43, 36, 30, 26, 23, 20, 17, 14, 0)
"""That a hand takes no trick, in per cent, by tens of hundredths of its danger."""
HARDER_IN_THE_OPEN: Final = 11
"""By how much it is less likely with the hand on the table."""
LEADS_FIRST: Final = 4
"""By how much it is less likely where its caller leads to the first trick."""

# The value of a hand ------------------------------------------------------------------


@rule
def suppose_trumps(mind: Mind, trump: int) -> None:
    """Think of a suit as trumps, or of none."""
    mind.trump = trump
    mind.trumps = NO_CARDS if trump == NO_SUIT else whole_suit(trump)
    mind.best_trump = NO_CARD


@rule
def value_of_hand(mind: Mind, company: int) -> int:
    """The tricks that the hand, or the hand with a partner's, is likely to take.

    Args:
        mind: what `read` has filled; its trumps are those supposed.
        company: `ALONE` or `WITH_PARTNER`.
    """
    value = high_cards(mind, company)
    if mind.trump == NO_SUIT:
        return value + runs(mind, company) + WITHOUT_TRUMPS[company]
    value += long_trumps(mind, company) + short_suits(mind, company)
    return value + WITH_TRUMPS[company]


@rule
def high_cards(mind: Mind, company: int) -> int:
    """High cards, each guarded by as many cards as are above it.

    Few rounds of a suit are made before it is ruffed, drawn, or the others are in.
    """
    value = 0
    for suit in range(4):
        cards = holding(mind, suit)
        for _ in range(min(rounds(mind, suit), count(cards))):
            card = strongest(mind, cards)
            cards = without(cards, single(card))
            above = out_above(mind, card)
            if above <= 2 and length(mind, suit) > above:
                value += value_of_card(mind, card, above, company)
    return value


@rule
def rounds(mind: Mind, suit: int) -> int:
    """How many rounds of a suit high cards may win."""
    if mind.trump == NO_SUIT:
        return ROUNDS_WITHOUT_TRUMPS
    return ROUNDS_OF_TRUMPS if suit == mind.trump else ROUNDS


@rule
def value_of_card(mind: Mind, card: int, above: int, company: int) -> int:
    """What a guarded card is worth that has none, one or two cards above it."""
    if mind.trump == NO_SUIT:
        return CARD_WITHOUT_TRUMPS[company][above]
    if is_trump(mind, card):
        return TRUMP_CARD[company][above]
    return PLAIN_CARD[company][above]


@rule
def long_trumps(mind: Mind, company: int) -> int:
    """Each trump, and more for each beyond four."""
    trumps = length(mind, mind.trump)
    more = max(0, trumps - 4)
    return EACH_TRUMP[company] * trumps + TRUMP_BEYOND_FOUR[company] * more


@rule
def short_suits(mind: Mind, company: int) -> int:
    """Plain suits of less than three cards, to be ruffed."""
    missing = 0
    for suit in range(4):
        if suit != mind.trump:
            missing += max(0, 3 - length(mind, suit))
    return SHORT_SUIT[company] * missing


@rule
def runs(mind: Mind, company: int) -> int:
    """Without trumps the small cards of a long suit that is headed by the best."""
    small = 0
    for suit in range(4):
        best = masters(mind, suit)
        if best >= 2:
            small += max(0, length(mind, suit) - max(4, best))
    return SMALL_CARD_OF_A_RUN[company] * small


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
def value_to_a_caller(mind: Mind) -> int:
    """The value of the hand to one who names the trumps: not those of a short suit."""
    if mind.trump != NO_SUIT and length(mind, mind.trump) < FEWEST_TRUMPS:
        return 0
    return value_of_hand(mind, ALONE)


@rule
def best_trump(mind: Mind, suits: int) -> int:
    """The suit with the most likely tricks as trumps, among a set of suits.

    It is supposed from then on.
    """
    best = -1
    most = -10000
    for suit in range(4):
        if (suits >> suit) & 1 != 0:
            suppose_trumps(mind, suit)
            tricks = value_of_hand(mind, ALONE)
            if tricks > most:
                best = suit
                most = tricks
    suppose_trumps(mind, best)
    return best


# The odds of a number of tricks -------------------------------------------------------


@rule
def odds_alone(mind: Mind, tricks: int) -> int:
    """That a caller takes so many tricks alone, in per cent."""
    return SURE if sure_tricks(mind) >= tricks else odds_with_help(mind, 0, tricks)


@rule
def odds_with_help(mind: Mind, value: int, tricks: int) -> int:
    """The same where others bring him tricks of some value."""
    value += value_to_a_caller(mind)
    return odds_of_tricks(value, tricks, SPREAD[int(mind.trump == NO_SUIT)])


@rule
def odds_of_two(mind: Mind, callers: int, partners: int, tricks: int) -> int:
    """That two allies take so many tricks, by the value of the hand of each."""
    value = callers + partners + TWO_HANDS
    return odds_of_tricks(value, tricks, SPREAD_OF_TWO[int(mind.trump == NO_SUIT)])


@rule
def odds_of_tricks(value: int, tricks: int, spread: int) -> int:
    """That a value comes to so many tricks, in per cent."""
    # From where half of the deals succeed: half a trick below the number.
    margin = value - TRICK * tricks + TRICK // 2
    place = max(0, min(500, 250 + 50 * margin // (spread // 2)))
    step = min(9, place // 50)
    return ODDS[step] + (ODDS[step + 1] - ODDS[step]) * (place - 50 * step) // 50


@rule
def sure_tricks(mind: Mind) -> int:
    """How many tricks cannot be lost: top trumps, and all once trumps are drawn.

    Without trumps only a hand of nothing but top cards is sure, and where another leads
    it must stop each suit.
    """
    tricks = 0
    stopped = 0
    for suit in range(4):
        tricks += winners(mind, suit)
        stopped += int(masters(mind, suit) > 0)
    if mind.trump == NO_SUIT:
        is_safe = mind.leader == ME or stopped == 4
        return tricks if is_safe and tricks == count(mind.hand) else 0
    return tricks if draws_all(mind, mind.trump) else masters(mind, mind.trump)


@rule
def winners(mind: Mind, suit: int) -> int:
    """The whole suit where its top cards draw the others, else the top cards alone."""
    return length(mind, suit) if draws_all(mind, suit) else masters(mind, suit)


@rule
def draws_all(mind: Mind, suit: int) -> bool:
    """Whether the top cards of a suit draw all that the others hold of it."""
    return masters(mind, suit) >= count(np.uint64(mind.out & of_suit(mind, suit)))


# Taking none --------------------------------------------------------------------------


@rule
def odds_of_misere(mind: Mind, cards: np.uint64, is_open: bool) -> int:
    """That a hand of these cards takes no trick, in per cent."""
    if takes_none(mind, cards):
        return SURE
    danger = danger_of_none(mind, cards)
    step = min(13, danger // 10)
    odds = MISERES[step] - (MISERES[step] - MISERES[step + 1]) * (danger % 10) // 10
    odds -= HARDER_IN_THE_OPEN * is_open + LEADS_FIRST * (mind.leader == ME)
    return max(0, odds)


@rule
def takes_none(mind: Mind, cards: np.uint64) -> bool:
    """Whether no card of a hand can be made to take a trick.

    It cannot if below it the hand has as many cards as all others: deuce, four, six.
    """
    rest = cards
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        if out_below(mind, card) > count(np.uint64(cards & lower(mind, card))):
            return False
    return True


@rule
def danger_of_none(mind: Mind, cards: np.uint64) -> int:
    """How far some cards of the hand are from ducking every trick, in hundredths.

    A card takes a trick if lower ones are out when it must be played; each card below
    it in the same hand is played before, and draws two of them.
    """
    danger = 0
    rest = cards
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        below = out_below(mind, card)
        guards = count(np.uint64(cards & lower(mind, card)))
        others = 1 + below + out_above(mind, card)
        danger += TRICK * max(0, below - 2 * guards) // others
    return danger


@rule
def most_dangerous(mind: Mind, cards: np.uint64) -> int:
    """The card without which the others are safest, and of such the highest."""
    worst = lowest(cards)
    least = 1000000
    rest = cards
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        left = danger_of_none(mind, without(cards, single(card)))
        left = RANKS_IN_SUIT * left - rank_in_play(mind, card)
        if left < least:
            worst = card
            least = left
    return worst


@rule
def after_discard(mind: Mind, cards: np.uint64) -> np.uint64:
    """Some cards without the most dangerous of them."""
    return without(cards, single(most_dangerous(mind, cards)))


@rule
def sure_trick(mind: Mind) -> int:
    """The highest card of the hand, which takes a trick where one is to be taken."""
    best = lowest(mind.hand)
    cards = mind.hand
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        if rank_in_play(mind, card) > rank_in_play(mind, best):
            best = card
    return best
