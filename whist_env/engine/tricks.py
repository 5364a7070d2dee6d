"""Tricks: what every trick-taking game does with the cards on the table.

Standard play (rules of whist, all codes): the leader plays any card; each other seat in
turn follows suit if it can and otherwise plays any card; the highest trump wins, or
else the highest card of the suit led; the winner leads next. Nobody is ever obliged to
trump or to beat.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    SUIT_NAMES,
    card_name,
    count,
    holds,
    lowest,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.random import DEAL, PACK_CUT, fair_below, stream_start
from whist_env.engine.record import NOBODY, FieldList, Record
from whist_env.engine.sight import GATHER_AND_CUT

NO_CARD: Final = -1
NO_SUIT: Final = -1
"""The suit led before a lead, and the trump suit of a game without trumps."""


def trick_fields(seats: int) -> FieldList:
    """The fields of a game that plays tricks with a full pack or a part of it."""
    return [
        # Sets of cards by seat: held now, held when dealt, and played in this deal.
        ("hands", np.uint64, (seats,)),
        ("dealt", np.uint64, (seats,)),
        ("played", np.uint64, (seats,)),
        # The shuffled pack in the order in which it is dealt.
        ("pack", np.int8, (CARDS,)),
        # By card: its place, from 1, in a pack gathered from the last deal, before the
        # cut; 0 where the pack was shuffled or nobody saw it played.
        ("gathered", np.int8, (CARDS,)),
        # The cards in the order in which they were played, and who played each.
        ("history", np.int8, (CARDS,)),
        ("history_seats", np.int8, (CARDS,)),
        # By card: the trick to which it was played, counted from 1; 0 if it was not.
        ("trick_of", np.int8, (CARDS,)),
        ("cards_played", np.int8),
        # The card of each seat in the trick on the table.
        ("trick", np.int8, (seats,)),
        ("cards_in_trick", np.int8),
        ("leader", np.int8),
        # The suit led to the trick on the table, -1 before its lead.
        ("led", np.int8),
        # The seat whose card wins the trick so far.
        ("winner", np.int8),
        ("trump", np.int8),
        ("dealer", np.int8),
        ("tricks_won", np.int8, (seats,)),
        ("tricks_played", np.int8),
        # Suits that a seat is proven not to hold: bit *suit* set.
        ("voids", np.uint8, (seats,)),
    ]


@rule
def shuffle(record: Record, cards: np.uint64) -> None:
    """Make a pack ready to be dealt: shuffled, or as the last deal left it and cut.

    Args:
        record: the table.
        cards: the cards of the pack; the places after them stay empty.
    """
    for card in range(CARDS):
        record.gathered[card] = 0
    if record.options.shuffle == GATHER_AND_CUT and record.deals_played > 0:
        gather(record, cards)
        cut(record, count(cards))
    else:
        shuffle_afresh(record, cards)


@rule
def gather(record: Record, cards: np.uint64) -> None:
    """Lay the tricks of the last deal on one another, then what was not played.

    Hands that were thrown in follow one another, from the left of the next dealer;
    cards that were laid aside come last. One pack is used.
    """
    size = int(record.cards_played)
    seats = record.hands.size
    left = cards
    for place in range(size):
        card = int(record.history[place])
        record.pack[place] = card
        record.gathered[card] = place + 1
        left = without(left, single(card))
    for turn in range(1, seats + 1):
        hand = left & record.hands[(record.dealer + turn) % seats]
        left = without(left, hand)
        size = lay_down(record, hand, size)
    lay_down(record, left, size)


@rule
def lay_down(record: Record, cards: np.uint64, place: int) -> int:
    """Put cards into the pack from a place on; returns the next place."""
    while cards:
        record.pack[place] = lowest(cards)
        cards = without_lowest(cards)
        place += 1
    return place


@rule
def cut(record: Record, size: int) -> None:
    """Cut the pack at random, with at least four cards in each packet (law 10)."""
    start = stream_start(record.seed, record.deal_number, PACK_CUT)
    upper = 4 + fair_below(start, 0, max(1, size - 7))
    # To turn both packets round, and then the whole, puts the lower one first.
    turn_round(record, 0, upper)
    turn_round(record, upper, size)
    turn_round(record, 0, size)


@rule
def turn_round(record: Record, begin: int, end: int) -> None:
    """Reverse the order of a part of the pack."""
    for step in range((end - begin) // 2):
        card = record.pack[begin + step]
        record.pack[begin + step] = record.pack[end - 1 - step]
        record.pack[end - 1 - step] = card


@rule
def shuffle_afresh(record: Record, cards: np.uint64) -> None:
    """Put a pack in an order that depends on seed and deal number alone."""
    start = stream_start(record.seed, record.deal_number, DEAL)
    size = lay_down(record, cards, 0)
    for place in range(size, CARDS):
        record.pack[place] = NO_CARD
    for last in range(size - 1, 0, -1):
        other = fair_below(start, last, last + 1)
        card = record.pack[last]
        record.pack[last] = record.pack[other]
        record.pack[other] = card


@rule
def clear_table(record: Record) -> None:
    """Take up all cards before a deal."""
    for seat in range(record.hands.size):
        record.hands[seat] = NO_CARDS
        record.dealt[seat] = NO_CARDS
        record.played[seat] = NO_CARDS
        record.trick[seat] = NO_CARD
        record.tricks_won[seat] = 0
        record.voids[seat] = 0
    for place in range(record.history.size):
        record.history[place] = NO_CARD
        record.history_seats[place] = NOBODY
        record.trick_of[place] = 0
    record.cards_played = 0
    record.cards_in_trick = 0
    record.tricks_played = 0


@rule
def give(record: Record, seat: int, card: int) -> None:
    """Deal a card to a seat."""
    record.hands[seat] |= single(card)
    record.dealt[seat] |= single(card)


@rule
def lead(record: Record, seat: int) -> None:
    """Let a seat lead to the next trick."""
    for other in range(record.trick.size):
        record.trick[other] = NO_CARD
    record.cards_in_trick = 0
    record.leader = seat
    record.led = NO_SUIT
    record.winner = seat
    record.seat = seat


@rule
def left_of(seat: int, seats: int) -> int:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < seats else 0


@rule
def following(record: Record) -> np.uint64:
    """The cards that the seat to play may play: the suit led if held, else any."""
    hand = record.hands[record.seat]
    if record.cards_in_trick == 0:
        return hand
    same_suit = hand & whole_suit(record.led)
    return hand if same_suit == NO_CARDS else same_suit


@rule
def beats(card: int, other: int, trump: int) -> bool:
    """Whether a card played later beats the card that wins the trick so far."""
    suit = suit_of(card)
    same_suit = suit == suit_of(other)
    return (same_suit and card > other) or (not same_suit and suit == trump)


@rule
def play_card(record: Record, card: int) -> None:
    """The seat to play puts a card on the table; the next seat is to play."""
    # A lead beats the empty place before it or does not; the leader is the winner so
    # far either way.
    wins = beats(card, record.trick[record.winner], record.trump)
    play_card_as(record, card, suit_of(card), wins)


@rule
def play_card_as(record: Record, card: int, suit: int, wins: bool) -> None:
    """As `play_card`, for games with cards that are not what they are printed as.

    Args:
        record: the table.
        card: the card.
        suit: the suit to which it belongs.
        wins: whether it beats the card that wins the trick so far.
    """
    seat = int(record.seat)
    if record.cards_in_trick == 0:
        record.led = suit
    # No branches: which way these go is as random as the cards, and a processor that
    # guesses wrong pays for it.
    led = int(record.led)
    record.voids[seat] |= np.uint8(int(suit != led) << led)
    record.winner = seat if wins else record.winner
    record.hands[seat] = without(record.hands[seat], single(card))
    record.played[seat] |= single(card)
    record.trick[seat] = card
    record.cards_in_trick += 1
    place = int(record.cards_played)
    record.history[place] = card
    record.history_seats[place] = seat
    record.trick_of[card] = record.tricks_played + 1
    record.cards_played = place + 1
    record.seat = left_of(seat, record.hands.size)


@rule
def trick_is_complete(record: Record) -> bool:
    """Whether every seat has played to the trick."""
    return bool(record.cards_in_trick == record.hands.size)


@rule
def take_trick(record: Record) -> int:
    """The winner takes the trick and leads next; returns the winner's seat."""
    winner = record.winner
    record.tricks_won[winner] += 1
    record.tricks_played += 1
    lead(record, winner)
    return int(winner)


def reason_not_to_play(record: Record, card: int) -> str:
    """Why the seat to play may not play a card, in words."""
    hand = record.hands[record.seat]
    if not holds(hand, card):
        return f"the hand does not hold {card_name(card)}"
    held = count(hand & whole_suit(record.led))
    return (
        f"{SUIT_NAMES[record.led]} were led and must be followed: the hand holds "
        f"{held} of that suit"
    )
