"""How many ways there are to place the unseen cards, and which of them is drawn.

The cards that an agent has not seen lie at *places*: hands, and piles of cards laid
aside. A place has so many cards, and certain cards may be barred from it. Cards that
may lie at the same places are one *class*, and places from which the same cards are
barred are one *group*; all that matters is how many cards of each class each group
has. The classes are placed one after the other. How many ways lead on depends on the
room that is left in each group alone, so that a table of numbers, a level for each
class, counts all worlds exactly, and they are drawn by going through the levels. In
the last class no choice of numbers is left, and within a class and a group every card
has the same chances.
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    card_name,
    count,
    holds,
    lowest,
    single,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.engine.sight import MOST_SEATS
from whist_env.engine.tricks import NO_CARD
from whist_env.worlds.choosing import pick
from whist_env.worlds.wide import (
    Wide,
    as_float,
    fair_wide,
    is_less,
    is_zero,
    minus,
    plus,
    times,
    wide,
)

Plan: TypeAlias = Any
"""What an agent knows, counted: an element of a structured array."""

PLACES: Final = 2 * MOST_SEATS
"""The hand of every seat, and a pile of every seat."""
GROUPS: Final = 8
CLASSES: Final = 16
NEEDS: Final = MOST_SEATS
ENTRIES: Final = 1 << 14
"""Entries of the table of numbers: several times what any play of a game needs."""
CHOICES: Final = np.array(
    [[math.comb(size, part) for part in range(CARDS + 1)] for size in range(CARDS + 1)],
    np.uint64,
)
"""By the size of a set and of a part of it: how many such parts there are."""

SOUND, TWICE, COUNTS, BARRED, NONE, TOO_MANY = range(6)
"""What can be wrong with a position."""

PLAN: Final = np.dtype(
    [
        # What is wrong, at which place, and with which card.
        ("fault", np.int64),
        ("fault_place", np.int64),
        ("fault_card", np.int64),
        ("seats", np.int64),
        ("agent", np.int64),
        # Cards of which the agent does not know where they lie.
        ("unseen", np.uint64),
        # By place: how many unseen cards it has, the cards that are not barred from
        # it, and those that are known to lie there.
        ("hidden", np.int64, (PLACES,)),
        ("allowed", np.uint64, (PLACES,)),
        ("held", np.uint64, (PLACES,)),
        # Cards of which some places need at least one: sets of places, bit *place* set,
        # that need one together.
        ("needed", np.uint64),
        ("needs", np.int64),
        ("need", np.uint64, (NEEDS,)),
        # Hidden choices that there are besides, equally many in every world.
        ("choices", np.uint64),
        # Groups: of each place, and by group the room for unseen cards.
        ("groups", np.int64),
        ("group_of", np.int64, (PLACES,)),
        ("capacity", np.int64, (GROUPS,)),
        # By need: the groups, bit *group* set, and their room if nothing needed came.
        ("need_groups", np.uint64, (NEEDS,)),
        ("need_room", np.int64, (NEEDS,)),
        # By class, those that are needed first: its cards, and the groups, bit *group*
        # set, that may have them; the number of classes that are needed, where that is
        # to be checked, or -1.
        ("classes", np.int64),
        ("cards", np.uint64, (CLASSES,)),
        ("open_to", np.uint64, (CLASSES,)),
        ("checked", np.int64),
        # The table: what leads on from each level but the first and the last, by the
        # room left in each group but the one whose room follows from the others.
        ("follows", np.int64),
        ("step", np.int64, (GROUPS,)),
        ("width", np.int64, (GROUPS,)),
        ("states", np.int64),
        ("high", np.uint64, (ENTRIES,)),
        ("low", np.uint64, (ENTRIES,)),
        ("total_high", np.uint64),
        ("total_low", np.uint64),
        # Working memory: the room left, the parts of a class that go to each group,
        # what each group and each place has got, what of each hand is not dealt yet.
        ("room", np.int64, (GROUPS,)),
        ("part", np.int64, (GROUPS,)),
        ("given", np.uint64, (GROUPS,)),
        ("drawn", np.uint64, (PLACES,)),
        ("undealt", np.uint64, (MOST_SEATS,)),
    ]
)

# What is known ----------------------------------------------------------------------


@rule
def places_of(plan: Plan) -> int:
    """How many places there are."""
    return int(2 * plan.seats)


@rule
def pile_of(plan: Plan, seat: int) -> int:
    """The place where a seat has laid cards aside."""
    return int(plan.seats) + seat


@rule
def complain(plan: Plan, fault: int, place: int, cards: np.uint64) -> None:
    """Note the first thing that is wrong."""
    if plan.fault == SOUND:
        plan.fault = fault
        plan.fault_place = place
        plan.fault_card = lowest(cards) if cards != NO_CARDS else NO_CARD


@rule
def begin(record: Record, agent: int, plan: Plan, pack: np.uint64) -> None:
    """Nothing is known but the pack, what was played, and how many cards hands have."""
    plan.fault = SOUND
    plan.seats = record.hands.size
    plan.agent = agent
    plan.unseen = pack
    plan.needs = 0
    plan.choices = np.uint64(1)
    for place in range(places_of(plan)):
        plan.hidden[place] = 0
        plan.allowed[place] = pack
        plan.held[place] = NO_CARDS
    for seat in range(record.hands.size):
        plan.hidden[seat] = count(record.hands[seat])
        take_off(plan, seat, record.played[seat])


@rule
def take_off(plan: Plan, place: int, cards: np.uint64) -> None:
    """Cards of a place that are seen now, and seen nowhere else."""
    elsewhere = without(cards, plan.unseen)
    if elsewhere != NO_CARDS:
        complain(plan, TWICE, place, elsewhere)
    plan.unseen = without(plan.unseen, cards)


@rule
def know(plan: Plan, place: int, cards: np.uint64) -> None:
    """Some cards are known to lie at a place."""
    cards = without(cards, plan.held[place])
    take_off(plan, place, cards)
    plan.held[place] |= cards
    plan.hidden[place] -= count(cards)


@rule
def bar(plan: Plan, place: int, cards: np.uint64) -> None:
    """Some cards are known not to lie at a place."""
    plan.allowed[place] = without(plan.allowed[place], cards)


@rule
def know_pile(plan: Plan, seat: int, cards: np.uint64) -> None:
    """A seat has laid cards aside, face down; the agent knows its own."""
    plan.hidden[pile_of(plan, seat)] = count(cards)
    if seat == plan.agent:
        know(plan, pile_of(plan, seat), cards)


@rule
def know_owner(plan: Plan, seat: int, cards: np.uint64) -> None:
    """Some cards that were not played are known to lie with a seat.

    They are in its hand or, where it has laid cards aside that the agent does not know,
    in its pile.
    """
    pile = pile_of(plan, seat)
    cards = without(cards, plan.held[seat] | plan.held[pile])
    if plan.hidden[pile] == 0:
        know(plan, seat, cards)
        return
    for place in range(places_of(plan)):
        if place != seat and place != pile:
            bar(plan, place, cards)


@rule
def require(plan: Plan, places: np.uint64, cards: np.uint64) -> None:
    """Some places have one of certain cards at least, the same cards in each call."""
    plan.needed = cards
    plan.need[plan.needs] = places
    plan.needs += 1


# Groups and classes -----------------------------------------------------------------


@rule
def prepare(plan: Plan) -> None:
    """Count the worlds, once everything that is known has been noted."""
    check_places(plan)
    if plan.fault != SOUND:
        return
    make_groups(plan)
    make_classes(plan)
    lay_out_table(plan)
    if plan.fault == SOUND:
        count_worlds(plan)
        if is_zero(plan.total_high, plan.total_low):
            complain(plan, NONE, NO_CARD, NO_CARDS)


@rule
def check_places(plan: Plan) -> None:
    """The places must have as many cards as are unseen, and nothing that is barred."""
    room = 0
    for place in range(places_of(plan)):
        barred = without(plan.held[place], plan.allowed[place])
        if barred != NO_CARDS:
            complain(plan, BARRED, place, barred)
        if plan.hidden[place] < 0:
            complain(plan, COUNTS, place, NO_CARDS)
        room += plan.hidden[place]
    if room != count(plan.unseen):
        complain(plan, COUNTS, NO_CARD, NO_CARDS)


@rule
def make_groups(plan: Plan) -> None:
    """Places that nothing tells apart are one group."""
    plan.groups = 0
    for place in range(places_of(plan)):
        plan.group_of[place] = NO_CARD
        if plan.hidden[place] > 0:
            join_group(plan, place)
    for need in range(plan.needs):
        plan.need_groups[need] = NO_CARDS
        plan.need_room[need] = 0
        for place in range(places_of(plan)):
            if plan.hidden[place] > 0 and holds(plan.need[need], place):
                plan.need_groups[need] |= single(plan.group_of[place])
                plan.need_room[need] += plan.hidden[place]


@rule
def join_group(plan: Plan, place: int) -> None:
    """Put a place into the group of an earlier one like it, or into a new group."""
    for other in range(place):
        if plan.hidden[other] > 0 and are_alike(plan, place, other):
            plan.group_of[place] = plan.group_of[other]
            plan.capacity[plan.group_of[other]] += plan.hidden[place]
            return
    plan.group_of[place] = plan.groups
    plan.capacity[plan.groups] = plan.hidden[place]
    plan.groups += 1


@rule
def are_alike(plan: Plan, place: int, other: int) -> bool:
    """Whether two places bar the same unseen cards, and are needed alike."""
    for need in range(plan.needs):
        if holds(plan.need[need], place) != holds(plan.need[need], other):
            return False
    return bool(plan.allowed[place] & plan.unseen == plan.allowed[other] & plan.unseen)


@rule
def make_classes(plan: Plan) -> None:
    """Unseen cards that may lie in the same groups are one class."""
    plan.classes = 0
    if plan.unseen != NO_CARDS:
        plan.cards[0] = plan.unseen
        plan.classes = 1
    if plan.needs > 0:
        divide(plan, plan.needed)
    for place in range(places_of(plan)):
        if plan.hidden[place] > 0:
            divide(plan, plan.allowed[place])
    for number in range(plan.classes):
        plan.open_to[number] = groups_open_to(plan, plan.cards[number])
    sort_classes(plan)
    plan.checked = NO_CARD
    if plan.needs > 0:
        set_check(plan)


@rule
def divide(plan: Plan, cards: np.uint64) -> None:
    """Divide every class into its cards inside a set and those outside."""
    for number in range(plan.classes):
        inside = plan.cards[number] & cards
        outside = without(plan.cards[number], cards)
        if inside != NO_CARDS and outside != NO_CARDS:
            plan.cards[number] = inside
            plan.cards[plan.classes] = outside
            plan.classes += 1


@rule
def groups_open_to(plan: Plan, cards: np.uint64) -> np.uint64:
    """The groups that may have the cards of a class."""
    groups = NO_CARDS
    for place in range(places_of(plan)):
        if plan.hidden[place] > 0 and cards & plan.allowed[place] != NO_CARDS:
            groups |= single(plan.group_of[place])
    return np.uint64(groups)


@rule
def is_needed(plan: Plan, number: int) -> bool:
    """Whether the cards of a class are such as some place needs."""
    return bool(plan.needs > 0 and plan.cards[number] & plan.needed != NO_CARDS)


@rule
def sort_classes(plan: Plan) -> None:
    """Classes that are needed come first, then those that fewest groups may have."""
    for number in range(1, plan.classes):
        for earlier in range(number, 0, -1):
            if weight(plan, earlier) < weight(plan, earlier - 1):
                cards, groups = plan.cards[earlier], plan.open_to[earlier]
                plan.cards[earlier] = plan.cards[earlier - 1]
                plan.open_to[earlier] = plan.open_to[earlier - 1]
                plan.cards[earlier - 1] = cards
                plan.open_to[earlier - 1] = groups


@rule
def weight(plan: Plan, number: int) -> int:
    """What decides the order of the classes."""
    weight_of_groups = 64 * count(plan.open_to[number]) + count(plan.cards[number])
    return weight_of_groups if is_needed(plan, number) else 1024 + weight_of_groups


@rule
def set_check(plan: Plan) -> None:
    """The needs are checked when all classes that are needed are placed.

    If there are no others, whatever is placed meets them.
    """
    plan.checked = 0
    while plan.checked < plan.classes and is_needed(plan, plan.checked):
        plan.checked += 1
    if plan.checked == plan.classes and plan.classes > 0:
        plan.checked = NO_CARD
        for need in range(plan.needs):
            if plan.need_room[need] == 0:
                plan.checked = 0


# Counting ---------------------------------------------------------------------------


@rule
def lay_out_table(plan: Plan) -> None:
    """Number the states of a level: the room left in each group but the largest."""
    plan.follows = 0
    for group in range(plan.groups):
        if plan.capacity[group] > plan.capacity[plan.follows]:
            plan.follows = group
    plan.states = 1
    for group in range(plan.groups):
        plan.step[group] = 0
        if group != plan.follows:
            plan.step[group] = plan.states
            plan.width[group] = plan.capacity[group] + 1
            plan.states *= plan.width[group]
    if plan.states * (plan.classes - 2) > ENTRIES:
        complain(plan, TOO_MANY, NO_CARD, NO_CARDS)


@rule
def count_worlds(plan: Plan) -> None:
    """Fill the table from the last level back, and count all worlds."""
    left = count(plan.cards[plan.classes - 1]) if plan.classes > 0 else 0
    for level in range(plan.classes - 2, 0, -1):
        left += count(plan.cards[level])
        for state in range(plan.states):
            if enter_state(plan, state, left):
                high, low = ways_on(plan, level)
                entry = (level - 1) * plan.states + state
                plan.high[entry] = high
                plan.low[entry] = low
    clear_room(plan)
    plan.total_high, plan.total_low = ways_on(plan, 0)


@rule
def clear_room(plan: Plan) -> None:
    """Nothing is placed yet."""
    for group in range(plan.groups):
        plan.room[group] = plan.capacity[group]


@rule
def enter_state(plan: Plan, state: int, left: int) -> bool:
    """Leave the room of a state, with so many cards to place; whether it can be."""
    for group in range(plan.groups):
        if group != plan.follows:
            room = state // plan.step[group] % plan.width[group]
            plan.room[group] = room
            left -= room
    plan.room[plan.follows] = left
    return bool(0 <= left <= plan.capacity[plan.follows])


@rule
def ways_on(plan: Plan, level: int) -> Wide:
    """How many ways there are to place the classes from a level on, counted."""
    if level >= plan.classes - 1:
        return ways_of_last(plan, level)
    high, low = wide(0)
    if level == plan.checked and not needs_are_met(plan):
        return high, low
    is_split = begin_split(plan, level)
    while is_split:
        high, low = plus(high, low, ways_of_split(plan, level))
        is_split = next_split(plan, level)
    return high, low


@rule
def ways_from(plan: Plan, level: int) -> Wide:
    """How many ways there are to place the classes from a level on, looked up."""
    if level >= plan.classes - 1:
        return ways_of_last(plan, level)
    if level == 0:
        return plan.total_high, plan.total_low
    entry = (level - 1) * plan.states
    for group in range(plan.groups):
        entry += plan.step[group] * plan.room[group]
    return plan.high[entry], plan.low[entry]


@rule
def needs_are_met(plan: Plan) -> bool:
    """Whether every place that needs a card has got one, when all are placed."""
    for need in range(plan.needs):
        room = 0
        for group in range(plan.groups):
            if holds(plan.need_groups[need], group):
                room += plan.room[group]
        if room >= plan.need_room[need]:
            return False
    return True


@rule
def ways_of_last(plan: Plan, level: int) -> Wide:
    """How many ways there are to fill all room with the last class."""
    if level == plan.checked and not needs_are_met(plan):
        return wide(0)
    left = 0
    high, low = wide(1)
    for group in range(plan.groups):
        left += plan.room[group]
    for group in range(plan.groups):
        room = plan.room[group]
        if room > 0 and not holds(plan.open_to[plan.classes - 1], group):
            return wide(0)
        high, low = times(high, low, CHOICES[left, room])
        left -= room
    return high, low


# A class is split into the parts that go to each group ------------------------------


@rule
def begin_split(plan: Plan, level: int) -> bool:
    """The first split of a class; whether there is one."""
    return fill(plan, level, 0, count(plan.cards[level]))


@rule
def fill(plan: Plan, level: int, first: int, size: int) -> bool:
    """Give so many cards to the groups from one on; whether they have room."""
    for group in range(first, plan.groups):
        part = 0
        if holds(plan.open_to[level], group):
            part = min(int(plan.room[group]), size)
        plan.part[group] = part
        size -= part
    return size == 0


@rule
def next_split(plan: Plan, level: int) -> bool:
    """The next split of a class: one card moves on to later groups."""
    size = 1
    room = 0
    for group in range(plan.groups - 1, -1, -1):
        if holds(plan.open_to[level], group):
            if plan.part[group] > 0 and size <= room:
                plan.part[group] -= 1
                return fill(plan, level, group + 1, size)
            size += plan.part[group]
            room += plan.room[group]
    return False


@rule
def ways_of_split(plan: Plan, level: int) -> Wide:
    """How many ways there are from a level on with this split of its class."""
    take_room(plan, 1)
    high, low = ways_from(plan, level + 1)
    take_room(plan, -1)
    left = count(plan.cards[level])
    for group in range(plan.groups):
        high, low = times(high, low, CHOICES[left, plan.part[group]])
        left -= plan.part[group]
    return high, low


@rule
def take_room(plan: Plan, sign: int) -> None:
    """The parts take up room, or give it back."""
    for group in range(plan.groups):
        plan.room[group] -= sign * plan.part[group]


# Drawing ----------------------------------------------------------------------------

SEED, SPLIT, CARD, DEALT, CHOICE = 0, 1, 64, 256, 512
"""Where the random numbers for each part of a draw begin."""


@rule
def deal_unseen(plan: Plan, start: np.uint64) -> None:
    """Draw where the unseen cards lie, each way with the same chance."""
    for group in range(plan.groups):
        plan.given[group] = NO_CARDS
    clear_room(plan)
    index = CARD
    for level in range(plan.classes):
        draw_split(plan, level, start)
        cards = np.uint64(plan.cards[level])
        for group in range(plan.groups):
            part = pick_cards(cards, int(plan.part[group]), start, index)
            index += int(plan.part[group])
            plan.given[group] |= part
            cards = without(cards, part)
        take_room(plan, 1)
    for place in range(places_of(plan)):
        plan.drawn[place] = NO_CARDS
        if plan.hidden[place] > 0:
            group = plan.group_of[place]
            cards = np.uint64(plan.given[group])
            part = pick_cards(cards, int(plan.hidden[place]), start, index)
            index += int(plan.hidden[place])
            plan.drawn[place] = part
            plan.given[group] = without(cards, part)


@rule
def pick_cards(cards: np.uint64, size: int, start: np.uint64, index: int) -> np.uint64:
    """So many cards of a set, each such part with the same chance."""
    left = cards
    if size < count(cards):
        for number in range(size):
            left = without(left, single(pick(left, start, index + number)))
        return np.uint64(without(cards, left))
    return cards


@rule
def draw_split(plan: Plan, level: int, start: np.uint64) -> None:
    """Draw how many cards of a class go to each group."""
    if level == plan.classes - 1:
        for group in range(plan.groups):
            plan.part[group] = plan.room[group]
        return
    high, low = ways_from(plan, level)
    high, low = fair_wide(start, SPLIT + level, high, low)
    begin_split(plan, level)
    ways = ways_of_split(plan, level)
    while not is_less(high, low, ways):
        high, low = minus(high, low, ways)
        next_split(plan, level)
        ways = ways_of_split(plan, level)


# What is asked of a plan ------------------------------------------------------------


@rule
def marginals(plan: Plan, out: npt.NDArray[np.float64]) -> None:
    """The chance of each place of each card that is not played.

    Args:
        plan: what is known; its table is filled anew.
        out: an array of shape ``(52, places)``.
    """
    out[:] = 0
    add_marginals(plan, out, 1.0)


@rule
def add_marginals(plan: Plan, out: npt.NDArray[np.float64], scale: float) -> None:
    """Add the chance of each place of each card, by a scale."""
    for place in range(out.shape[1]):
        add_chance(out, plan.held[place], place, scale)
    total = as_float(plan.total_high, plan.total_low)
    for level in range(plan.classes):
        for group in range(plan.groups):
            if holds(plan.open_to[level], group):
                chance = ways_with(plan, level, group) / total
                for place in range(out.shape[1]):
                    if plan.hidden[place] > 0 and plan.group_of[place] == group:
                        share = chance * plan.hidden[place] / plan.capacity[group]
                        add_chance(out, plan.cards[level], place, scale * share)
    count_worlds(plan)


@rule
def add_chance(
    out: npt.NDArray[np.float64], cards: np.uint64, place: int, chance: float
) -> None:
    """Some cards lie at a place with the same chance, besides what is there."""
    while cards:
        out[lowest(cards), place] += chance
        cards = without_lowest(cards)


@rule
def ways_with(plan: Plan, level: int, group: int) -> float:
    """How many worlds have a certain card of a class in a certain group."""
    cards = np.uint64(plan.cards[level])
    meets_needs = is_needed(plan, level)
    plan.cards[level] = without_lowest(cards)
    plan.capacity[group] -= 1
    if not meets_needs:
        change_need_room(plan, group, -1)
    count_worlds(plan)
    if not meets_needs:
        change_need_room(plan, group, 1)
    plan.capacity[group] += 1
    plan.cards[level] = cards
    return as_float(plan.total_high, plan.total_low)


@rule
def change_need_room(plan: Plan, group: int, by: int) -> None:
    """A group that may meet needs has more room, or less."""
    for need in range(plan.needs):
        if holds(plan.need_groups[need], group):
            plan.need_room[need] += by


@rule
def all_ways(plan: Plan) -> Wide:
    """How many worlds there are: the cards of each group lie at any of its places."""
    if plan.fault != SOUND:
        return wide(0)
    high, low = times(plan.total_high, plan.total_low, plan.choices)
    clear_room(plan)
    for place in range(places_of(plan)):
        if plan.hidden[place] > 0:
            group = plan.group_of[place]
            parts = CHOICES[plan.room[group], plan.hidden[place]]
            high, low = times(high, low, parts)
            plan.room[group] -= plan.hidden[place]
    return high, low


def number(plan: Plan) -> int:
    """How many worlds there are: other cards at some place, or other hidden choices."""
    high, low = all_ways(plan)
    return (int(high) << 64) + int(low)


def complaint(plan: Plan) -> str:
    """What makes a position impossible, in words; nothing if nothing does."""
    fault, card = int(plan["fault"]), int(plan["fault_card"])
    place = place_name(int(plan["fault_place"]), int(plan["seats"]))
    if fault == TWICE:
        return (
            f"{card_name(card)}, which is with the {place}, is in two places, or is "
            "not in the pack"
        )
    if fault == COUNTS:
        return (
            f"{count(plan['unseen'])} cards are unseen, but hidden hands and piles "
            f"have {plan['hidden'].tolist()}"
        )
    if fault == BARRED:
        return f"the {place} holds {card_name(card)}, which it is proven not to hold"
    if fault == NONE:
        return (
            "no deal agrees with all that is known: suits that hands are proven not to "
            "hold leave too little room for them elsewhere"
        )
    if fault == TOO_MANY:
        return "what is known of the hands differs too much to be counted"
    return ""


def place_name(place: int, seats: int, pile: str = "pile") -> str:
    """A place in words."""
    if place < seats:
        return f"hand of player_{place}"
    return f"{pile} of player_{place - seats}"


def hands_only(record: Record) -> tuple[str, ...]:
    """The names of the places where all cards are in hands."""
    seats = record.hands.size
    return tuple(place_name(seat, seats) for seat in range(seats))


def hands_and_discards(record: Record) -> tuple[str, ...]:
    """The names of the places where each may have laid a card aside."""
    seats = record.hands.size
    return tuple(place_name(place, seats, "discard") for place in range(2 * seats))
