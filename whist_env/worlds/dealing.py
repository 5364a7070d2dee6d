"""A drawn world, written into a record: hands, the pack as it was dealt, revokes."""

from __future__ import annotations

import numpy as np

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    holds,
    single,
    suit_of,
    whole_suit,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import place_in_packets
from whist_env.engine.random import split_mix
from whist_env.engine.record import Record
from whist_env.worlds.choosing import pick
from whist_env.worlds.counting import (
    DEALT,
    SEED,
    Plan,
    bar,
    deal_unseen,
    know_owner,
    pile_of,
)

# What most games have in common of what is known ------------------------------------


@rule
def know_turned(record: Record, plan: Plan, card: int) -> None:
    """The card that the dealer turned is his until he plays it."""
    if not holds(record.played[record.dealer], card):
        know_owner(plan, int(record.dealer), single(card))


@rule
def bar_voids(record: Record, plan: Plan) -> None:
    """No hand has a suit that it has failed to follow."""
    for seat in range(record.hands.size):
        for suit in range(4):
            if (record.voids[seat] >> suit) & 1:
                bar(plan, seat, whole_suit(suit))


# What is written ---------------------------------------------------------------------


@rule
def draw_hands(record: Record, plan: Plan, start: np.uint64) -> None:
    """Draw all hands, and what was dealt where nothing was laid aside or passed.

    Later deals of the world are its own: nobody knows those of the table.
    """
    record.seed = split_mix(start, SEED)
    deal_unseen(plan, start)
    for seat in range(record.hands.size):
        hand = plan.held[seat] | plan.drawn[seat]
        record.hands[seat] = hand
        record.dealt[seat] = hand | record.played[seat]


@rule
def draw_discards(record: Record, plan: Plan) -> None:
    """After the hands, what each has laid aside and was dealt as well."""
    for seat in range(record.hands.size):
        pile = pile_of(plan, seat)
        record.discards[seat] = plan.held[pile] | plan.drawn[pile]
        record.dealt[seat] |= record.discards[seat]


@rule
def begin_pack(record: Record, plan: Plan) -> None:
    """The hands as they were dealt are to be put back into the pack."""
    for seat in range(record.hands.size):
        plan.undealt[seat] = record.dealt[seat]


@rule
def put_turned_back(record: Record, plan: Plan, card: int) -> None:
    """The turned card lies where all have seen it, at the end of the pack."""
    dealer = int(record.dealer)
    plan.undealt[dealer] = without(plan.undealt[dealer], single(card))


@rule
def put_back(
    record: Record, plan: Plan, place: int, seat: int, start: np.uint64
) -> None:
    """Put any card of a hand at the place of the pack from which it was dealt."""
    card = pick(plan.undealt[seat], start, DEALT + place)
    record.pack[place] = card
    plan.undealt[seat] = without(plan.undealt[seat], single(card))


@rule
def put_back_singly(record: Record, plan: Plan, size: int, start: np.uint64) -> None:
    """Put back so many cards that were dealt one at a time from the dealer's left."""
    seats = record.hands.size
    for place in range(size):
        put_back(record, plan, place, int(record.dealer + 1 + place) % seats, start)


@rule
def put_back_in_packets(record: Record, plan: Plan, start: np.uint64) -> None:
    """Put back 52 cards that were dealt four, four and five at a time to four."""
    for place in range(CARDS):
        seat = int(record.dealer + 1 + place_in_packets(place)) % record.hands.size
        put_back(record, plan, place, seat, start)


@rule
def recount_revokes(record: Record, plan: Plan) -> None:
    """Who did not follow suit has revoked if he could: that depends on his hand."""
    seats = record.hands.size
    begin_pack(record, plan)
    led = 0
    for seat in range(seats):
        record.revokes[seat] = 0
    for place in range(record.cards_played):
        card = int(record.history[place])
        seat = int(record.history_seats[place])
        if place % seats == 0:
            led = suit_of(card)
        if suit_of(card) != led:
            held = plan.undealt[seat] & whole_suit(led)
            record.revokes[seat] += int(held != NO_CARDS)
        plan.undealt[seat] = without(plan.undealt[seat], single(card))
