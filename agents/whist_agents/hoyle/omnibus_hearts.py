"""The player of Omnibus Hearts: no heart and no queen of spades, but the bonus card."""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_agents.hoyle.avoiding import danger_less, price_of_suit
from whist_agents.hoyle.mind import (
    ME,
    Mind,
    Row,
    know_cards,
    lay_aside,
    price_suit,
    read,
    read_cards,
    read_one,
)
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.penalties import LEAST, shed
from whist_agents.hoyle.questions import is_master, length, lower
from whist_agents.hoyle.taking import take
from whist_env.cards import (
    FULL_PACK,
    NO_CARDS,
    count,
    holds,
    lowest,
    suit_of,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import offsets
from whist_env.games.omnibus_hearts import (
    A_HEART,
    BONUS_CARDS,
    FEATURES,
    PASS,
    QUEEN_OF_SPADES,
    THE_BONUS,
    THE_QUEEN,
    pack_for,
)

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

_PHASE = offsets(FEATURES, "phase")
_PASSES_TO = offsets(FEATURES, "passes_to")
_PASSED = offsets(FEATURES, "passed")
_HEARTS = offsets(FEATURES, "hearts")
_QUEEN = offsets(FEATURES, "queen")
_BONUS = offsets(FEATURES, "bonus")

A_TRICK = 7
"""Who takes a trick must lead, and may take what others throw away."""

A_SLAM = 10
"""So many of the fifteen cards that count, with the queen, threaten to become all."""

A_HEART_TO_STOP = -3
"""The price of a heart, then: a prize."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The card to pass on or to play."""
    read(row, mask, mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    lay_aside(mind, without(FULL_PACK, pack_for(options, mind.seats)))
    know_passed(row, mind)
    price_cards(mind, BONUS_CARDS[options.bonus_card])
    if row[np.uint64(_PHASE[int(mind.seats)] + PASS)] != 0:
        return pass_on(mind)
    return play(row, mind)


@rule
def know_passed(row: Row, mind: Mind) -> None:
    """The cards that were passed on are in the hand of who got them."""
    seats = int(mind.seats)
    receiver = read_one(row, _PASSES_TO[seats], seats)
    passed = read_cards(row, _PASSED[seats])
    if receiver > 0:
        know_cards(mind, receiver, np.uint64(passed & mind.out))


@rule
def price_cards(mind: Mind, bonus: int) -> None:
    """What each card costs its taker; the bonus card is a prize."""
    price_suit(mind, HEARTS, -A_HEART)
    mind.prices[QUEEN_OF_SPADES] = -THE_QUEEN
    mind.prices[bonus] = -THE_BONUS


# Passing ------------------------------------------------------------------------------


@rule
def pass_on(mind: Mind) -> int:
    """The card to pass on: the one that is likely to cost most."""
    best = lowest(mind.legal)
    most = LEAST
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = pass_worth(mind, card)
        if worth > most:
            best = card
            most = worth
    return best


@rule
def pass_worth(mind: Mind, card: int) -> int:
    """What speaks for passing a card on."""
    danger = danger_less(mind, card) * price_of_suit(mind, suit_of(card)) // SURE
    return (
        5 * danger
        + 375 * int(mind.prices[card])
        + 600 * makes_clubs_short(mind, card)
        - 1000 * may_catch_the_bonus(card)
        - 1500 * guards_the_queen(mind, card)
    )


@rule
def makes_clubs_short(mind: Mind, card: int) -> int:
    """Clubs cost nothing, and where there are few the suit is soon void."""
    return max(0, 4 - length(mind, CLUBS)) if suit_of(card) == CLUBS else 0


@rule
def may_catch_the_bonus(card: int) -> bool:
    """Diamonds are kept to catch the bonus card, or to hold it."""
    return suit_of(card) == DIAMONDS


@rule
def guards_the_queen(mind: Mind, card: int) -> bool:
    """Spades below the queen are kept, to play while others draw it."""
    return holds(lower(mind, QUEEN_OF_SPADES), card)


# Play ---------------------------------------------------------------------------------


@rule
def play(row: Row, mind: Mind) -> int:
    """Win all, keep another from it, or avoid what costs."""
    taker = only_taker(row, mind)
    if taker == ME and holds_masters_only(mind):
        return take(mind)
    if taker > ME and slam_threatens(row, mind, taker):
        price_suit(mind, HEARTS, A_HEART_TO_STOP)
    return shed(mind, A_TRICK)


@rule
def slam_threatens(row: Row, mind: Mind, taker: int) -> bool:
    """Whether a player with the queen of spades has nearly all other cards, too."""
    has_queen = row[np.uint64(_QUEEN[int(mind.seats)] + taker)] != 0
    return has_queen and counting_cards(row, mind, taker) >= A_SLAM


@rule
def counting_cards(row: Row, mind: Mind, seat: int) -> int:
    """How many cards that count a seat has taken."""
    seats = int(mind.seats)
    return (
        int(row[np.uint64(_HEARTS[seats] + seat)])
        + int(row[np.uint64(_QUEEN[seats] + seat)])
        + int(row[np.uint64(_BONUS[seats] + seat)])
    )


@rule
def only_taker(row: Row, mind: Mind) -> int:
    """The seat that has taken all the cards that count so far, or -1."""
    taker = -1
    for seat in range(int(mind.seats)):
        if counting_cards(row, mind, seat) > 0:
            if taker >= 0:
                return -1
            taker = seat
    return taker


@rule
def holds_masters_only(mind: Mind) -> bool:
    """Whether no card of another hand is above any card of the player's."""
    cards = mind.hand
    while cards != NO_CARDS:
        if not is_master(mind, lowest(cards)):
            return False
        cards = without_lowest(cards)
    return True
