"""Worlds of Omnibus Hearts.

A player knows its own hand, what it has passed on and to whom, what was passed to it,
all cards played, and the suits that each has failed to follow. Some options prove more:

* ``lead='2c'``: who is to lead first holds the lowest club.
* ``hearts_broken``: who leads a heart before one was played holds nothing else.
* ``no_points_first_trick``: who plays a heart or the queen of spades to the first trick
  could play nothing else.

While cards are being passed, those that the others have laid aside lie in piles. Later
they are in hands, and each of the other players may have passed on any of the cards
that its receiver then had.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import (
    FULL_PACK,
    count,
    holds,
    single,
    suit_of,
    whole_suit,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.games.omnibus_hearts import (
    HEARTS,
    PASS,
    PENALTY_CARDS,
    TWO_OF_CLUBS,
    giver,
    lowest_club,
    pack_of,
    receiver,
    tricks_of_deal,
)
from whist_env.worlds.counting import (
    CHOICE,
    CHOICES,
    PLAN,
    Plan,
    bar,
    begin,
    complaint,
    know,
    know_pile,
    marginals,
    number,
    pick_cards,
    pile_of,
    place_name,
    prepare,
)
from whist_env.worlds.dealing import (
    bar_voids,
    begin_pack,
    draw_hands,
    put_back_singly,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]


def places(record: Record) -> tuple[str, ...]:
    """The hands, and the cards that each is passing on."""
    seats = record.hands.size
    pile = "cards passed on by"
    names = (place_name(place, seats, pile) for place in range(2 * seats))
    return tuple(name.replace("by of", "by") for name in names)


# What a player knows ----------------------------------------------------------------


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    begin(record, agent, plan, pack_of(record))
    know(plan, agent, record.hands[agent])
    if record.phase == PASS:
        for seat in range(record.hands.size):
            know_pile(plan, seat, record.passed[seat])
    else:
        note_passing(record, plan)
        note_play(record, plan)
    prepare(plan)


@rule
def is_secret(record: Record, agent: int, seat: int) -> bool:
    """Whether an agent does not know which cards a seat has passed on."""
    return seat != agent and receiver(record, seat) != agent


@rule
def note_passing(record: Record, plan: Plan) -> None:
    """The agent's cards went to its receiver; of others any may have been passed."""
    if record.pass_distance == 0:
        return
    agent = int(plan.agent)
    to = receiver(record, agent)
    know(plan, to, without(record.passed[agent], record.played[to]))
    for seat in range(record.hands.size):
        if is_secret(record, agent, seat):
            plan.choices *= CHOICES[tricks_of_deal(record), record.options.cards_passed]


@rule
def note_play(record: Record, plan: Plan) -> None:
    """What was played, and what that proves."""
    if record.cards_played == 0 and record.options.lead == TWO_OF_CLUBS:
        know(plan, int(record.leader), single(lowest_club(record)))
    bar_voids(record, plan)
    is_broken = not record.options.hearts_broken
    for place in range(record.cards_played):
        note_card(record, plan, place, is_broken)
        is_broken = is_broken or holds(HEARTS, record.history[place])


@rule
def note_card(record: Record, plan: Plan, place: int, is_broken: bool) -> None:
    """What a card proves of the hand that it comes from, besides a suit not followed.

    Of the cards that were to choose from, those that come last may be played only when
    there are no others.
    """
    seats = record.hands.size
    card, seat = int(record.history[place]), int(record.history_seats[place])
    led = suit_of(int(record.history[place - place % seats]))
    choice = FULL_PACK
    if place % seats > 0 and suit_of(card) == led:
        choice = whole_suit(led)
    if place % seats == 0 and not is_broken:
        if holds(HEARTS, card):
            bar(plan, seat, without(FULL_PACK, HEARTS))
        else:
            choice = without(FULL_PACK, HEARTS)
    if place < seats and record.options.no_points_first_trick:
        if holds(PENALTY_CARDS, card):
            bar(plan, seat, without(choice, PENALTY_CARDS))


# Drawing ----------------------------------------------------------------------------


@rule
def draw(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    draw_hands(record, plan, start)
    if record.phase == PASS:
        draw_piles(record, plan)
    elif record.pass_distance != 0:
        draw_passing(record, plan, start)
    begin_pack(record, plan)
    put_back_singly(record, plan, count(pack_of(record)), start)


@rule
def draw_piles(record: Record, plan: Plan) -> None:
    """The cards that are being passed on come from the hands that were dealt."""
    for seat in range(record.hands.size):
        pile = pile_of(plan, seat)
        record.passed[seat] = plan.held[pile] | plan.drawn[pile]
        record.dealt[seat] |= record.passed[seat]


@rule
def draw_passing(record: Record, plan: Plan, start: np.uint64) -> None:
    """Any of the cards with which a receiver began to play may have been passed on."""
    size = int(record.options.cards_passed)
    for seat in range(record.hands.size):
        if is_secret(record, int(plan.agent), seat):
            cards = record.dealt[receiver(record, seat)]
            index = CHOICE + size * seat
            record.passed[seat] = pick_cards(cards, size, start, index)
    for seat in range(record.hands.size):
        kept = without(record.dealt[seat], record.passed[giver(record, seat)])
        record.dealt[seat] = kept | record.passed[seat]
