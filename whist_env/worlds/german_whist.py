"""Worlds of German Whist: the other hand, what it drew unseen, and the talon.

A player knows his own cards, every card that has lain face up, who took it, and all
that was played. Of the other cards each has one of three places: the hand dealt to the
other player, the covered card that he drew after a certain trick, or what is left of
the talon. Time binds them. A card that he played had come to him before that trick. A
suit that he did not follow was not in his hand at that trick, so that any card of it
that he played later, or may hold now, was drawn after it; the talon may hold more.

The worlds are counted backwards in time. At each trick there is a pool: the cards that
came to the other player after that trick or earlier. Before it are put the cards that
are not left in the talon. Going back over a trick, one card of the pool takes the place
of the draw after it, if that was covered; the suit that was not followed must be gone
from the pool; and the card that he played to the trick enters it, since no later place
was open to it. At last the pool is the hand that was dealt. How many ways lead on
depends on the size of each suit in the pool alone, so that a table of numbers, a level
for each trick, counts all worlds exactly.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    NO_CARDS,
    RANKS_IN_SUIT,
    count,
    holds,
    lowest,
    nth,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.random import signed, split_mix
from whist_env.engine.record import Record
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.games.german_whist import (
    SEATS,
    hand_size,
    pack_of,
    talon_size,
    top_of_talon,
)
from whist_env.worlds.choosing import find_rank, pick
from whist_env.worlds.counting import CHOICES, hands_only
from whist_env.worlds.wide import ZERO, fair_wide

SUITS: Final = 4
DRAWS: Final = RANKS_IN_SUIT
"""Tricks with a draw, at most."""
SIZES: Final = RANKS_IN_SUIT + 1
"""Sizes that a suit of the pool can have, from nothing."""
POOLS: Final = SIZES**3
"""Pools of one level: the size of the last suit follows from the others."""

PLAN: Final = np.dtype(
    [
        # Worlds, but for the order of the cards left in the talon.
        ("ways", np.int64),
        # By level, from the deal on, and by pool: how many ways lead on from it.
        ("ways_on", np.int64, ((DRAWS + 1) * POOLS,)),
        # By what the other player holds of the cards not seen yet, numbered like a
        # pool: the worlds with this holding or one before it.
        ("ways_up_to", np.int64, (POOLS,)),
        # Cards whose places are to be found: not seen yet, and played by the other
        # player after the last draw so far.
        ("unseen", np.uint64),
        ("played_late", np.uint64),
        # Cards known to be in each hand now, and the card face up.
        ("known", np.uint64, (SEATS,)),
        ("face_up", np.uint64),
        # Cards left in the talon under the one face up; draws so far; cards dealt.
        ("talon", np.int64),
        ("draws", np.int64),
        ("hand_size", np.int64),
        # By suit: the most that a pool can have, and the step between pools.
        ("most", np.int64, (SUITS,)),
        ("step", np.int64, (SUITS,)),
        # By level: the cards of the pool.
        ("total", np.int64, (DRAWS + 1,)),
        # By trick, from 1: whether the other player drew unseen after it, the suit
        # that he did not follow, or -1, and the card that he played, or -1 where all
        # have seen him take it.
        ("drew", np.int64, (DRAWS + 1,)),
        ("void", np.int64, (DRAWS + 1,)),
        ("card", np.int64, (DRAWS + 1,)),
        ("other", np.int64),
    ]
)
"""What a player knows, and the tables by which worlds are counted and drawn."""


def places(record: Record) -> tuple[str, ...]:
    """The names of the places where cards may lie."""
    return (*hands_only(record), "talon")


# What a player knows ----------------------------------------------------------------


@rule
def read(record: Record, agent: int, plan: Any) -> None:
    """Take note of what an agent knows, and count.

    Args:
        record: the table.
        agent: who looks.
        plan: the working memory, one element of type `PLAN`.
    """
    plan.other = 1 - agent
    plan.hand_size = hand_size(record)
    plan.draws = min(int(record.tricks_played), hand_size(record))
    plan.talon = max(0, talon_size(record) - 1)
    read_cards(record, agent, plan)
    read_draws(record, agent, plan)
    read_tricks(record, plan)
    measure_pools(plan)
    count_ways(plan)
    count_holdings(plan)


@rule
def read_cards(record: Record, agent: int, plan: Any) -> None:
    """The cards that the agent has seen, and those in known hands."""
    other = 1 - agent
    face_up = NO_CARDS if record.face_up == NO_CARD else single(record.face_up)
    seen = record.dealt[agent] | record.drawn[agent] | face_up
    seen |= record.taken[agent] | record.taken[other] | record.played[other]
    plan.unseen = without(pack_of(record), seen)
    plan.face_up = face_up
    plan.known[agent] = record.hands[agent]
    plan.known[other] = without(record.taken[other], record.played[other])


@rule
def read_draws(record: Record, agent: int, plan: Any) -> None:
    """After which tricks the other player drew unseen: those that the agent won."""
    for trick in range(DRAWS + 1):
        plan.drew[trick] = 0
    taken = record.taken[agent]
    while taken:
        plan.drew[record.drawn_after[lowest(taken)]] = 1
        taken = without_lowest(taken)


@rule
def read_tricks(record: Record, plan: Any) -> None:
    """What the other player played, and which suits he did not follow."""
    for trick in range(DRAWS + 1):
        plan.void[trick] = NO_SUIT
        plan.card[trick] = NO_CARD
    plan.played_late = NO_CARDS
    for place in range(record.cards_played):
        if record.history_seats[place] == plan.other:
            read_play(record, place, plan)


@rule
def read_play(record: Record, place: int, plan: Any) -> None:
    """One card of the other player.

    When there are no draws any more, what he does not follow tells nothing new: both
    know all cards.
    """
    card = int(record.history[place])
    trick = place // SEATS + 1
    is_known = holds(record.taken[plan.other], card)
    if trick > plan.draws:
        if not is_known:
            plan.played_late |= single(card)
        return
    if not is_known:
        plan.card[trick] = card
    if place % SEATS == 1:
        led = suit_of(int(record.history[place - 1]))
        if suit_of(card) != led:
            plan.void[trick] = led


# Counting ---------------------------------------------------------------------------


@rule
def measure_pools(plan: Any) -> None:
    """How large each suit and each level of the pool can be."""
    cards = plan.unseen | plan.played_late
    plan.total[0] = plan.hand_size
    for trick in range(1, plan.draws + 1):
        plan.total[trick] = plan.total[trick - 1] + plan.drew[trick]
        if plan.card[trick] != NO_CARD:
            plan.total[trick] -= 1
            cards |= single(plan.card[trick])
    step = 1
    for suit in range(SUITS):
        plan.most[suit] = count(cards & whole_suit(suit))
        plan.step[suit] = 0
        if suit < SUITS - 1:
            plan.step[suit] = step
            step *= plan.most[suit] + 1


@rule
def pool_number(plan: Any, level: int, cards: np.uint64) -> int:
    """The place of a pool in the table of a level, counted from the first level."""
    number = level * POOLS
    for suit in range(SUITS - 1):
        number += plan.step[suit] * count(cards & whole_suit(suit))
    return number


@rule
def pools(plan: Any) -> int:
    """How many pools a level has."""
    return int(plan.step[2] * (plan.most[2] + 1))


@rule
def size_in(plan: Any, number: int, suit: int) -> int:
    """The size of one of the first three suits of a pool, by the pool's number."""
    return int(number // plan.step[suit] % (plan.most[suit] + 1))


@rule
def size_of_last(plan: Any, number: int, total: int) -> int:
    """The size of the last suit of a pool of so many cards; it may be impossible."""
    for suit in range(SUITS - 1):
        total -= size_in(plan, number, suit)
    return total


@rule
def count_ways(plan: Any) -> None:
    """Fill the table, from the hand that was dealt to the pool after the last draw."""
    for number in range(pools(plan)):
        plan.ways_on[number] = 1
    for level in range(1, plan.draws + 1):
        total = plan.total[level]
        for number in range(pools(plan)):
            last = size_of_last(plan, number, total)
            ways = 0
            if 0 <= last <= plan.most[SUITS - 1]:
                ways = ways_of_pool(plan, level, number, last)
            plan.ways_on[level * POOLS + number] = ways


@rule
def ways_of_pool(plan: Any, level: int, number: int, last: int) -> int:
    """How many ways lead on from a pool: each of its cards may have been the draw."""
    if not plan.drew[level]:
        return ways_before(plan, level, number, last)
    ways = last * ways_before(plan, level, number, last - 1) if last > 0 else 0
    for suit in range(SUITS - 1):
        size = size_in(plan, number, suit)
        if size > 0:
            smaller = number - plan.step[suit]
            ways += size * ways_before(plan, level, smaller, last)
    return ways


@rule
def ways_before(plan: Any, level: int, number: int, last: int) -> int:
    """How many ways lead on from what was held when a trick was played."""
    void = int(plan.void[level])
    if void == SUITS - 1 and last > 0:
        return 0
    if 0 <= void < SUITS - 1 and size_in(plan, number, void) > 0:
        return 0
    if plan.card[level] != NO_CARD:
        number += plan.step[suit_of(plan.card[level])]
    return int(plan.ways_on[(level - 1) * POOLS + number])


@rule
def count_holdings(plan: Any) -> None:
    """Sum up the worlds over all that the other player may hold of unseen cards."""
    plan.ways = 0
    held = count(plan.unseen) - plan.talon
    if held + count(plan.played_late) != plan.total[plan.draws]:
        return
    late = pool_number(plan, plan.draws, plan.played_late)
    ways = 0
    for number in range(pools(plan)):
        last = size_of_last(plan, number, held)
        choices = choices_of(plan, number, last)
        if choices > 0:
            ways += choices * plan.ways_on[late + number]
        plan.ways_up_to[number] = ways
    plan.ways = ways


@rule
def choices_of(plan: Any, number: int, last: int) -> int:
    """How many choices of unseen cards have these sizes; none if they are too large."""
    available = count(plan.unseen & whole_suit(SUITS - 1))
    if not 0 <= last <= available:
        return 0
    choices = CHOICES[available, last]
    for suit in range(SUITS - 1):
        size = size_in(plan, number, suit)
        choices *= CHOICES[count(plan.unseen & whole_suit(suit)), size]
    return signed(choices)


def number(plan: Any) -> int:
    """How many worlds there are: other hands, other draws, or another talon order.

    The ways to deal and to draw are below 2**59 and kept in 64 bits. Each leaves the
    cards under the one face up in any order, and there Python's integers go on.
    """
    return int(plan["ways"]) * math.factorial(int(plan["talon"]))


@rule
def marginals(plan: Any, out: npt.NDArray[np.float64]) -> None:
    """The chance of each place of each card that is not played.

    Args:
        plan: the working memory after `read`.
        out: an array of shape ``(52, 3)``.
    """
    out[:] = 0
    for place in range(SEATS):
        write_certain(out, plan.known[place], place)
    write_certain(out, plan.face_up, SEATS)
    for suit in range(SUITS):
        cards = plan.unseen & whole_suit(suit)
        if cards != NO_CARDS:
            held = expected_holding(plan, suit) / count(cards)
            while cards:
                out[lowest(cards), plan.other] = held
                out[lowest(cards), SEATS] = 1.0 - held
                cards = without_lowest(cards)


@rule
def write_certain(out: npt.NDArray[np.float64], cards: np.uint64, place: int) -> None:
    """Cards whose place is known."""
    while cards:
        out[lowest(cards), place] = 1.0
        cards = without_lowest(cards)


@rule
def expected_holding(plan: Any, suit: int) -> float:
    """How many unseen cards of a suit the other player holds, on average."""
    held = count(plan.unseen) - plan.talon
    expected = 0.0
    before = 0
    for number in range(pools(plan)):
        ways = plan.ways_up_to[number] - before
        before = plan.ways_up_to[number]
        if ways > 0:
            if suit < SUITS - 1:
                size = size_in(plan, number, suit)
            else:
                size = size_of_last(plan, number, held)
            expected += size * (ways / plan.ways)
    return expected


# Drawing ----------------------------------------------------------------------------

SEED, WAY, HOLDING, TALON, DEALT = 0, 1, 64, 128, 192
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
    rank = signed(fair_wide(start, WAY, ZERO, np.uint64(plan.ways))[1])
    holding = find_rank(plan.ways_up_to, pools(plan), rank)
    held = draw_holding(plan, holding, start)
    lay_talon(record, without(plan.unseen, held), start)
    pool = held | plan.played_late
    ways = plan.ways_on[pool_number(plan, plan.draws, pool)]
    # The ranks of a holding are as many for each of the ways on from it.
    dealt = lay_draws(record, plan, pool, rank % ways)
    lay_hand(record, plan, dealt, start)
    take_up_cards(record, plan)


@rule
def draw_holding(plan: Any, holding: int, start: np.uint64) -> np.uint64:
    """Draw the unseen cards that the other player holds, so many of each suit."""
    held = NO_CARDS
    index = HOLDING
    missing = count(plan.unseen) - plan.talon
    for suit in range(SUITS):
        size = missing
        if suit < SUITS - 1:
            size = size_in(plan, holding, suit)
        missing -= size
        left = plan.unseen & whole_suit(suit)
        for _ in range(size):
            card = pick(left, start, index)
            held |= single(card)
            left = without(left, single(card))
            index += 1
    return held


@rule
def lay_talon(record: Record, cards: np.uint64, start: np.uint64) -> None:
    """Lay cards under the one face up in any order."""
    place = top_of_talon(record) + 1
    while cards:
        card = pick(cards, start, TALON + place)
        record.pack[place] = card
        cards = without(cards, single(card))
        place += 1


@rule
def lay_draws(record: Record, plan: Any, pool: np.uint64, rank: int) -> np.uint64:
    """Go back over the tricks by the ways on from a pool; returns the hand dealt."""
    for level in range(plan.draws, 0, -1):
        if plan.drew[level]:
            card, rank = card_drawn(plan, level, pool, rank)
            record.pack[2 * plan.hand_size + 2 * level - 1] = card
            pool = without(pool, single(card))
        if plan.card[level] != NO_CARD:
            pool |= single(plan.card[level])
    return pool


@rule
def card_drawn(plan: Any, level: int, pool: np.uint64, rank: int) -> tuple[int, int]:
    """The card drawn after a trick by the way with this rank, and the rank left over.

    The ways are in order of suits, then of cards, then of the ways from there on.
    """
    suit = 0
    cards = pool & whole_suit(suit)
    ways = ways_without(plan, level, pool, cards)
    while rank >= count(cards) * ways:
        rank -= count(cards) * ways
        suit += 1
        cards = pool & whole_suit(suit)
        ways = ways_without(plan, level, pool, cards)
    return nth(cards, rank // ways), rank % ways


@rule
def ways_without(plan: Any, level: int, pool: np.uint64, cards: np.uint64) -> int:
    """How many ways lead on from a pool if one of these cards was drawn after it."""
    if cards == NO_CARDS:
        return 0
    smaller = without(pool, single(lowest(cards)))
    return ways_before(
        plan,
        level,
        pool_number(plan, 0, smaller),
        count(smaller & whole_suit(SUITS - 1)),
    )


@rule
def lay_hand(record: Record, plan: Any, dealt: np.uint64, start: np.uint64) -> None:
    """Lay the cards dealt to the other player in any order."""
    first = (plan.other - record.dealer - 1) % SEATS
    for place in range(first, 2 * plan.hand_size, SEATS):
        card = pick(dealt, start, DEALT + place)
        record.pack[place] = card
        dealt = without(dealt, single(card))


@rule
def take_up_cards(record: Record, plan: Any) -> None:
    """Give the other player his cards from the pack."""
    other = int(plan.other)
    known = record.taken[0] | record.taken[1] | record.drawn[1 - other]
    for place in range(4 * plan.hand_size):
        card = int(record.pack[place])
        if not holds(known, card):
            record.drawn_after[card] = 0
    record.dealt[other] = NO_CARDS
    first = (other - record.dealer - 1) % SEATS
    for place in range(first, 2 * plan.hand_size, SEATS):
        record.dealt[other] |= single(record.pack[place])
    record.drawn[other] = NO_CARDS
    for trick in range(1, plan.draws + 1):
        if plan.drew[trick]:
            card = int(record.pack[2 * plan.hand_size + 2 * trick - 1])
            record.drawn[other] |= single(card)
            record.drawn_after[card] = trick
    held = record.dealt[other] | record.drawn[other] | record.taken[other]
    record.hands[other] = without(held, record.played[other])
