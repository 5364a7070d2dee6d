"""Worlds of Chinese Whist: the cards face down, and the down cards of the others.

All see what lies face up, what is turned up and what is played, from a pile or from the
hand. Nobody has seen a card that lies face down, its owner no more than the others, and
only its owner has seen a down card. Who does not follow a suit has no down card of it,
then and ever after, for down cards are never drawn; what lies face down under his piles
may be of any suit, and proves nothing when it is turned up.

So the down cards are drawn first, at most three, with as many ways as there are
choices of suits that were never denied; everything else lies face down in any order.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    count,
    lowest,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.random import fair_below, split_mix
from whist_env.engine.record import Record
from whist_env.engine.tricks import NO_CARD
from whist_env.games.chinese_whist import (
    DOWN_CARDS,
    PILES,
    PLAYERS,
    exposed_cards,
    pack_of,
    pile_dealt,
    receiver,
)
from whist_env.worlds.choosing import find_rank, pick
from whist_env.worlds.counting import place_name

SEATS: Final = max(PLAYERS)
SUITS: Final = 4
UNKNOWN: Final = 3
"""Down cards that a player does not know, at most."""
POWERS: Final = tuple(SUITS**size for size in range(UNKNOWN + 1))
"""By a number of cards: how many choices there are of a suit for each of them."""

PLAN: Final = np.dtype(
    [
        # Cards that the agent has not seen.
        ("unseen", np.uint64),
        # Cards known to be in each hand now, to be played: face up, or own down cards.
        ("known", np.uint64, (SEATS,)),
        # By choice of suits for the unknown down cards: the ways to deal them with
        # this choice or one before it; and all ways.
        ("ways_up_to", np.int64, (POWERS[UNKNOWN],)),
        ("ways", np.int64),
        # How many down cards are unknown, and whose each is.
        ("down", np.int64),
        ("owner", np.int64, (UNKNOWN,)),
        # By seat: suits that none of its down cards has, bit *suit* set, and how many
        # of its cards lie face down.
        ("denied", np.int64, (SEATS,)),
        ("covered", np.int64, (SEATS,)),
        ("agent", np.int64),
    ]
)
"""What a player knows, and the tables by which worlds are counted and drawn."""


def places(record: Record) -> tuple[str, ...]:
    """The names of the places where cards may lie."""
    seats = record.hands.size
    return tuple(
        place_name(place, seats, "cards face down") for place in range(2 * seats)
    )


# What a player knows ----------------------------------------------------------------


@rule
def read(record: Record, agent: int, plan: Any) -> None:
    """Take note of what an agent knows, and count.

    Args:
        record: the table.
        agent: who looks.
        plan: the working memory, one element of type `PLAN`.
    """
    plan.agent = agent
    plan.down = 0
    for seat in range(SEATS):
        plan.covered[seat] = 0
    seen = np.uint64(record.down[agent])
    for card in range(CARDS):
        if record.face_up_since[card] > 0:
            seen |= single(card)
    for seat in range(record.hands.size):
        seen |= record.played[seat]
        read_seat(record, seat, plan)
    plan.unseen = without(pack_of(record), seen)
    count_ways(plan)


@rule
def read_seat(record: Record, seat: int, plan: Any) -> None:
    """What lies before a seat, and what is known of its down cards."""
    plan.known[seat] = exposed_cards(record, seat)
    plan.denied[seat] = record.down_voids[seat]
    for pile in range(PILES[record.hands.size]):
        if record.covered[seat, pile] != NO_CARD:
            plan.covered[seat] += 1
    if seat == plan.agent:
        plan.known[seat] = record.hands[seat]
        return
    # More than there can be are no position, and the count will say so.
    for _ in range(min(count(record.down[seat]), UNKNOWN - plan.down)):
        plan.owner[plan.down] = seat
        plan.down += 1


# Counting ---------------------------------------------------------------------------


@rule
def suitings(plan: Any) -> int:
    """How many choices there are of a suit for each unknown down card."""
    return int(POWERS[plan.down])


@rule
def suit_chosen(suiting: int, down_card: int) -> int:
    """The suit of an unknown down card in a choice."""
    return int(suiting // POWERS[down_card] % SUITS)


@rule
def count_ways(plan: Any) -> None:
    """Sum up the ways to deal the unknown down cards over all choices of suits."""
    plan.ways = 0
    if count(plan.unseen) != plan.down + face_down(plan):
        return
    ways = 0
    for suiting in range(suitings(plan)):
        ways += ways_of(plan, suiting)
        plan.ways_up_to[suiting] = ways
    plan.ways = ways


@rule
def face_down(plan: Any) -> int:
    """How many cards lie face down."""
    cards = 0
    for seat in range(SEATS):
        cards += plan.covered[seat]
    return int(cards)


@rule
def ways_of(plan: Any, suiting: int) -> int:
    """How many ways there are to deal the unknown down cards of these suits."""
    ways = 1
    for down_card in range(plan.down):
        suit = suit_chosen(suiting, down_card)
        left = count(plan.unseen & whole_suit(suit))
        for other in range(down_card):
            if suit_chosen(suiting, other) == suit:
                left -= 1
        if (plan.denied[plan.owner[down_card]] >> suit) & 1:
            left = 0
        ways *= max(left, 0)
    return ways


def number(plan: Any) -> int:
    """How many worlds there are: other down cards, or another card under a pile.

    The ways to deal the unknown down cards are below 2**15 and kept in 64 bits; two
    cards in one hand can be dealt in two orders. Each leaves all other cards to lie
    face down in any order, and there Python's integers go on.
    """
    owners = plan["owner"][: plan["down"]].tolist()
    orders = math.prod(math.factorial(owners.count(seat)) for seat in set(owners))
    return int(plan["ways"]) // orders * math.factorial(int(plan["covered"].sum()))


@rule
def marginals(plan: Any, out: npt.NDArray[np.float64]) -> None:
    """The chance of each place of each card that is not played.

    Args:
        plan: the working memory after `read`.
        out: an array of shape ``(52, 2 * players)``: held by each seat, to be played;
            then face down before each seat.
    """
    out[:] = 0
    seats = out.shape[1] // 2
    for seat in range(seats):
        cards = plan.known[seat]
        while cards:
            out[lowest(cards), seat] = 1.0
            cards = without_lowest(cards)
    cards = plan.unseen
    while cards:
        write_chances(plan, lowest(cards), out)
        cards = without_lowest(cards)


@rule
def write_chances(plan: Any, card: int, out: npt.NDArray[np.float64]) -> None:
    """The chance of each place of a card that is not seen.

    All cards of a suit have the same chances, and so have all places for cards that lie
    face down.
    """
    suit = suit_of(card)
    ways = plan.ways * count(plan.unseen & whole_suit(suit))
    left = ways
    for down_card in range(plan.down):
        here = ways_with(plan, down_card, suit)
        out[card, plan.owner[down_card]] += here / ways
        left -= here
    covered = max(1, face_down(plan))
    seats = out.shape[1] // 2
    for seat in range(seats):
        out[card, seats + seat] = left / ways * plan.covered[seat] / covered


@rule
def ways_with(plan: Any, down_card: int, suit: int) -> int:
    """How many ways there are with an unknown down card of a suit."""
    ways = 0
    before = 0
    for suiting in range(suitings(plan)):
        if suit_chosen(suiting, down_card) == suit:
            ways += plan.ways_up_to[suiting] - before
        before = plan.ways_up_to[suiting]
    return ways


# Drawing ----------------------------------------------------------------------------

SEED, SUITING, DOWN, IN_HAND, FACE_DOWN = 0, 1, 8, 64, 128
"""Where the random numbers for each part of a draw begin."""


@rule
def draw(record: Record, plan: Any, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance.

    Args:
        record: a copy of the table; all that is hidden from the agent is overwritten.
        plan: the working memory after `read`.
        start: the starting point of the random numbers.
    """
    record.seed = split_mix(start, SEED)
    left = draw_down_cards(record, plan, start)
    lay_down_cards(record, plan, start)
    lay_face_down(record, left, start)
    collect_dealt(record)


@rule
def draw_down_cards(record: Record, plan: Any, start: np.uint64) -> np.uint64:
    """Draw the unknown down cards; returns the cards that lie face down."""
    for seat in range(record.hands.size):
        if seat != plan.agent:
            record.down[seat] = NO_CARDS
    rank = fair_below(start, SUITING, plan.ways)
    suiting = find_rank(plan.ways_up_to, suitings(plan), rank)
    left = np.uint64(plan.unseen)
    for down_card in range(plan.down):
        suit = suit_chosen(suiting, down_card)
        card = pick(left & whole_suit(suit), start, DOWN + down_card)
        record.down[plan.owner[down_card]] |= single(card)
        left = without(left, single(card))
    return left


@rule
def lay_down_cards(record: Record, plan: Any, start: np.uint64) -> None:
    """Give the others their hands, and lay their down cards in the pack in any order.

    Those that are played lay in the hand as well: they never lay face up.
    """
    seats = record.hands.size
    for seat in range(seats):
        if seat == plan.agent:
            continue
        record.hands[seat] = plan.known[seat] | record.down[seat]
        cards = record.down[seat] | played_from_hand(record, seat)
        for number_dealt in range(seats * DOWN_CARDS[seats]):
            if receiver(record, number_dealt) == seat:
                card = pick(cards, start, IN_HAND + number_dealt)
                record.pack[2 * seats * PILES[seats] + number_dealt] = card
                cards = without(cards, single(card))


@rule
def played_from_hand(record: Record, seat: int) -> np.uint64:
    """The down cards that a seat has played."""
    cards = np.uint64(record.played[seat])
    for card in range(CARDS):
        if record.face_up_since[card] > 0:
            cards = without(cards, single(card))
    return cards


@rule
def lay_face_down(record: Record, cards: np.uint64, start: np.uint64) -> None:
    """Lay cards face down in any order where cards lie face down."""
    seats = record.hands.size
    for number_dealt in range(seats * PILES[seats]):
        seat, pile = receiver(record, number_dealt), pile_dealt(record, number_dealt)
        if record.covered[seat, pile] != NO_CARD:
            card = pick(cards, start, FACE_DOWN + number_dealt)
            record.covered[seat, pile] = card
            record.pack[number_dealt] = card
            cards = without(cards, single(card))


@rule
def collect_dealt(record: Record) -> None:
    """Note all cards dealt to each seat, from the pack."""
    seats = record.hands.size
    layer = seats * PILES[seats]
    for seat in range(seats):
        record.dealt[seat] = NO_CARDS
    for place in range(2 * layer + seats * DOWN_CARDS[seats]):
        seat = receiver(record, place % layer)
        record.dealt[seat] |= single(record.pack[place])
