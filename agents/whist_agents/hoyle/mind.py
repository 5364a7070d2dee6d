"""What a player has in mind: all that one observation tells.

A mind is one record, as a table is (see `whist_env.engine.record`). `read` fills it
from the observation; the maxims then ask it the questions of a card player: is this
card the best that is left of its suit, can that opponent ruff, which suit did partner
lead.

Seats are as in the observation: the player is 0, its left neighbour 1.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    count,
    highest,
    holds,
    lowest,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.record import NOBODY
from whist_env.engine.tricks import NO_CARD, NO_SUIT, beats
from whist_env.games.whist import FEATURES, SEATS, TRICKS

ME, LEFT, PARTNER, RIGHT = range(4)

Row: TypeAlias = npt.NDArray[Any]
Mind: TypeAlias = Any
"""A record of type `MIND`."""

MIND: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Sets of cards: held, held and legal to play, in the other three hands.
                ("hand", np.uint64),
                ("legal", np.uint64),
                ("unseen", np.uint64),
                # Cards that each seat may hold for all that is proven.
                ("may_hold", np.uint64, (SEATS,)),
                ("trump", np.int8),
                # The trick: cards on the table, suit led, the card that wins so far
                # and whose it is.
                ("position", np.int8),
                ("led", np.int8),
                ("winning_card", np.int8),
                ("winner", np.int8),
                # Card by seat and trick, and what that history shows: how often each
                # suit was led, the first plain suit that partner led, the first suit
                # that each seat threw away.
                ("history", np.int8, (TRICKS * SEATS,)),
                ("rounds", np.int8, (4,)),
                ("partner_suit", np.int8),
                ("thrown", np.int8, (SEATS,)),
                # The owner of the turned card while it is in hand.
                ("turned_by", np.int8),
            ],
            align=True,
        ),
    )
)

_HAND = FEATURES.offset("hand")
_PLAYED = FEATURES.offset("played")
_PLAYED_TRICK = FEATURES.offset("played_trick")
_TRICK = FEATURES.offset("trick")
_WINNING_CARD = FEATURES.offset("winning_card")
_VOIDS = FEATURES.offset("voids")
_TURNED = FEATURES.offset("turned")
_TRUMP = FEATURES.offset("trump")
_DEALER = FEATURES.offset("dealer")
_LEADER = FEATURES.offset("leader")


# Reading an observation ---------------------------------------------------------------


@rule
def read(row: Row, mind: Mind) -> None:
    """Take in one observation of Whist."""
    mind.hand = read_cards(row, _HAND)
    mind.trump = read_one(row, _TRUMP, 4)
    read_past_cards(row, mind)
    read_trick(row, mind)
    read_holdings(row, mind)
    read_turned(row, mind)
    read_history(row, mind)


@rule
def read_cards(row: Row, offset: int) -> np.uint64:
    """The set of cards marked in 52 numbers of the observation."""
    cards = NO_CARDS
    for card in range(CARDS):
        if row[np.uint64(offset + card)] != 0:
            cards |= single(card)
    return cards


@rule
def read_one(row: Row, offset: int, size: int) -> int:
    """The first place that is marked in some numbers of the observation, or -1."""
    for place in range(size):
        if row[np.uint64(offset + place)] != 0:
            return place
    return -1


@rule
def read_past_cards(row: Row, mind: Mind) -> None:
    """Note who played which card to which trick, and which cards are still unseen."""
    for place in range(TRICKS * SEATS):
        mind.history[place] = NO_CARD
    seen = mind.hand
    for seat in range(SEATS):
        cards = read_cards(row, _PLAYED + CARDS * seat)
        seen |= cards
        while cards != NO_CARDS:
            card = lowest(cards)
            cards = without_lowest(cards)
            trick = int(row[np.uint64(_PLAYED_TRICK + card)]) - 1
            mind.history[SEATS * trick + seat] = card
    mind.unseen = without(FULL_PACK, seen)


@rule
def read_trick(row: Row, mind: Mind) -> None:
    """The trick on the table and what may be played to it."""
    leader = read_one(row, _LEADER, SEATS)
    mind.position = (ME - leader) % SEATS
    mind.led = NO_SUIT
    mind.winning_card = NO_CARD
    mind.winner = NOBODY
    mind.legal = mind.hand
    if mind.position > 0:
        mind.led = suit_of(read_one(row, _TRICK + CARDS * leader, CARDS))
        mind.winning_card = read_one(row, _WINNING_CARD, CARDS)
        for seat in range(leader, SEATS):
            if row[_TRICK + CARDS * seat + int(mind.winning_card)] != 0:
                mind.winner = seat
        if in_suit(mind.hand, mind.led) != NO_CARDS:
            mind.legal = in_suit(mind.hand, mind.led)


@rule
def read_holdings(row: Row, mind: Mind) -> None:
    """The unseen cards that each seat may hold: not in a suit it failed to follow."""
    mind.may_hold[ME] = mind.hand
    for seat in range(1, SEATS):
        cards = mind.unseen
        for suit in range(4):
            if row[_VOIDS + 4 * seat + suit] != 0:
                cards = without(cards, whole_suit(suit))
        mind.may_hold[seat] = cards


@rule
def read_turned(row: Row, mind: Mind) -> None:
    """The turned card is in the dealer's hand, and in no other, until it is played."""
    mind.turned_by = NOBODY
    turned = read_one(row, _TURNED, CARDS)
    if turned == NO_CARD or not holds(mind.unseen, turned):
        return
    mind.turned_by = read_one(row, _DEALER, SEATS)
    for seat in range(1, SEATS):
        if seat != mind.turned_by:
            mind.may_hold[seat] = without(mind.may_hold[seat], single(turned))


@rule
def read_history(row: Row, mind: Mind) -> None:
    """Go through the complete tricks from the first on.

    A player who may look at the last trick only remembers none of this.
    """
    for suit in range(4):
        mind.rounds[suit] = 0
    for seat in range(SEATS):
        mind.thrown[seat] = NO_SUIT
    mind.partner_suit = NO_SUIT
    leader = (read_one(row, _DEALER, SEATS) + 1) % SEATS
    for trick in range(TRICKS):
        if not is_complete(mind, trick):
            return
        leader = review_trick(mind, trick, leader)


@rule
def is_complete(mind: Mind, trick: int) -> bool:
    """Whether all four cards of a trick are remembered."""
    for seat in range(SEATS):
        if mind.history[SEATS * trick + seat] == NO_CARD:
            return False
    return True


@rule
def review_trick(mind: Mind, trick: int, leader: int) -> int:
    """Note what a complete trick shows; returns who won it."""
    best = int(mind.history[SEATS * trick + leader])
    winner = leader
    led = suit_of(best)
    mind.rounds[led] += 1
    if leader == PARTNER and mind.partner_suit == NO_SUIT and led != mind.trump:
        mind.partner_suit = led
    for place in range(1, SEATS):
        seat = (leader + place) % SEATS
        card = int(mind.history[SEATS * trick + seat])
        suit = suit_of(card)
        if suit != led and suit != mind.trump and mind.thrown[seat] == NO_SUIT:
            mind.thrown[seat] = suit
        if beats(card, best, mind.trump):
            best = card
            winner = seat
    return winner


# Sets of cards ------------------------------------------------------------------------


@rule
def in_suit(cards: np.uint64, suit: int) -> np.uint64:
    """The cards of a set that are of this suit."""
    return np.uint64(cards & whole_suit(suit))


@rule
def lower(card: int) -> np.uint64:
    """The cards of its suit below a card."""
    return np.uint64(whole_suit(suit_of(card)) & (single(card) - np.uint64(1)))


@rule
def higher(card: int) -> np.uint64:
    """The cards of its suit above a card."""
    return without(whole_suit(suit_of(card)), np.uint64(lower(card) | single(card)))


# Questions ----------------------------------------------------------------------------


@rule
def holding(mind: Mind, suit: int) -> np.uint64:
    """The player's own cards of a suit."""
    return in_suit(mind.hand, suit)


@rule
def length(mind: Mind, suit: int) -> int:
    """How many cards of a suit the player holds."""
    return count(holding(mind, suit))


@rule
def has_trumps(mind: Mind) -> bool:
    """Whether the player holds a trump."""
    return holding(mind, mind.trump) != NO_CARDS


@rule
def is_trump(mind: Mind, card: int) -> bool:
    """Whether a card is a trump."""
    return suit_of(card) == mind.trump


@rule
def unseen_above(mind: Mind, card: int) -> int:
    """How many higher cards of its suit are in other hands."""
    return count(np.uint64(higher(card) & mind.unseen))


@rule
def is_master(mind: Mind, card: int) -> bool:
    """Whether a card is the best that is left of its suit."""
    return higher(card) & mind.unseen == NO_CARDS


@rule
def equals(mind: Mind, card: int) -> np.uint64:
    """The player's cards that are worth the same: no unseen card lies between."""
    cards = holding(mind, suit_of(card))
    over = np.uint64(higher(card) & mind.unseen)
    under = np.uint64(lower(card) & mind.unseen)
    if over != NO_CARDS:
        cards &= lower(lowest(over))
    if under != NO_CARDS:
        cards &= higher(highest(under))
    return np.uint64(cards)


@rule
def is_void(mind: Mind, seat: int, suit: int) -> bool:
    """Whether a seat certainly holds no card of a suit."""
    return in_suit(mind.may_hold[seat], suit) == NO_CARDS


@rule
def may_hold_trumps(mind: Mind, seat: int) -> bool:
    """Whether a seat may hold a trump."""
    return not is_void(mind, seat, mind.trump)


@rule
def opponents_may_hold_trumps(mind: Mind) -> bool:
    """Whether trumps may be out against the player's side."""
    return may_hold_trumps(mind, LEFT) or may_hold_trumps(mind, RIGHT)


@rule
def can_ruff(mind: Mind, seat: int, suit: int) -> bool:
    """Whether a seat certainly cannot follow a plain suit and may hold a trump."""
    return (
        suit != mind.trump and is_void(mind, seat, suit) and may_hold_trumps(mind, seat)
    )


@rule
def may_beat(mind: Mind, seat: int, card: int) -> bool:
    """Whether a seat still to play may beat a card in the trick on the table."""
    if mind.may_hold[seat] & higher(card) != NO_CARDS:
        return suit_of(card) == mind.led or is_void(mind, seat, mind.led)
    return not is_trump(mind, card) and can_ruff(mind, seat, mind.led)


@rule
def beats_the_table(mind: Mind, card: int) -> bool:
    """Whether a card beats all that lie on the table."""
    return beats(card, mind.winning_card, mind.trump)


@rule
def partner_wins(mind: Mind) -> bool:
    """Whether partner's card wins the trick so far."""
    return mind.winner == PARTNER


@rule
def stands(mind: Mind, card: int) -> bool:
    """Whether no opponent still to play can beat a card that wins so far."""
    return mind.position == SEATS - 1 or not may_beat(mind, LEFT, card)
