"""Worlds of French Boston.

A player knows his own hand, his own discard and the suit that he laid for a demand, the
hand of the caller of a misère sur table while it lies open, all cards played, the card
that the dealer turned, which is the dealer's until it is played, and the suits, as they
are played, that each has failed to follow; but where players may revoke, that proves
nothing. Who has called a misère of four aces had them all.

Who has demanded laid a card of belle or of petite, and the others do not know which
before the demand is played; but what the player then bids may show it. There is a plan
for each of the two suits. In the worlds of either the player was dealt a card of it.
What was discarded was laid aside before the play, so that a suit not followed may have
been discarded. All other bids may be made with any hand.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    lowest,
    single,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.record import NOBODY, Record
from whist_env.engine.revokes import PENALTY
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.games.french_boston import (
    ACES,
    DEMAND,
    FIRST_ALONE,
    FREELY,
    KIND_OF,
    PASS,
    PLAY,
    QUATRE_AS,
    SEATS,
    SIX,
    cards_of,
    has_called,
    is_misere,
    receiver,
    suit_as_played,
    trump_of,
    visible,
)
from whist_env.worlds import counting
from whist_env.worlds.counting import (
    CHOICE,
    NONE,
    SOUND,
    Plan,
    add_marginals,
    all_ways,
    bar,
    begin,
    complain,
    hands_and_discards,
    know,
    know_owner,
    know_pile,
    pile_of,
    prepare,
    require,
)
from whist_env.worlds.dealing import (
    begin_pack,
    draw_discards,
    draw_hands,
    know_turned,
    put_back,
    put_turned_back,
)
from whist_env.worlds.wide import as_float, fair_wide, is_less, plus

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]

PLAN: Final = np.dtype(
    [
        # The worlds in which belle was laid for a hidden demand, or nothing was, and
        # those in which petite was; who made the demand, or -1.
        ("belle", counting.PLAN),
        ("petite", counting.PLAN),
        ("demander", np.int64),
    ]
)
"""What a player knows, counted."""

places = hands_and_discards

# What a player knows ----------------------------------------------------------------


@rule
def read(record: Record, agent: int, plan: Any) -> None:
    """Take note of what an agent knows, and count."""
    plan.demander = NOBODY
    for seat in range(SEATS):
        if seat != agent and has_called(record, seat, DEMAND):
            plan.demander = seat
    note(record, agent, plan.belle)
    note(record, agent, plan.petite)
    demander = int(plan.demander)
    if demander == NOBODY:
        complain(plan.petite, NONE, NO_CARD, NO_CARDS)
    else:
        note_demand(record, plan.belle, demander, int(record.belle))
        note_demand(record, plan.petite, demander, int(record.petite))
    prepare(plan.belle)
    prepare(plan.petite)


@rule
def note(record: Record, agent: int, plan: Plan) -> None:
    """Take note of all but a hidden demand."""
    begin(record, agent, plan, FULL_PACK)
    for seat in range(SEATS):
        know(plan, seat, visible(record, agent, seat))
        know_pile(plan, seat, record.discards[seat])
    know_turned(record, plan, int(record.turn_up))
    for seat in range(SEATS):
        if has_called(record, seat, QUATRE_AS):
            know_owner(plan, seat, without(ACES, record.played[seat]))
        if record.options.revokes != PENALTY:
            bar_voids(record, plan, seat)


@rule
def bar_voids(record: Record, plan: Plan, seat: int) -> None:
    """A hand has no suit, as it is played, that it has failed to follow."""
    for suit in range(4):
        if (record.voids[seat] >> suit) & 1:
            bar(plan, seat, cards_of(record, suit))


@rule
def note_demand(record: Record, plan: Plan, seat: int, suit: int) -> None:
    """A suit was laid for a demand, so that a card of it was dealt to the demander."""
    if suit == NO_SUIT or not may_have_laid(record, seat, suit):
        complain(plan, NONE, NO_CARD, NO_CARDS)
        return
    pile = pile_of(plan, seat)
    seen = plan.held[seat] | plan.held[pile] | record.played[seat]
    if seen & whole_suit(suit) == NO_CARDS:
        both = np.uint64(single(seat) | single(pile))
        require(plan, both, whole_suit(suit))


@rule
def may_have_laid(record: Record, seat: int, suit: int) -> bool:
    """Whether a demander may have laid a suit, by what he has bid since."""
    if seat == record.caller and record.phase == PLAY:
        if record.contract == DEMAND:
            return bool(record.trump == suit)
        if not shows_nothing_else(record, int(record.contract), suit):
            return False
    calls = record.calls[seat]
    while calls:
        if not shows_nothing_else(record, PASS + lowest(calls), suit):
            return False
        calls = without_lowest(calls)
    return True


@rule
def shows_nothing_else(record: Record, call: int, suit: int) -> bool:
    """Whether a demander who laid a suit may have made a call or declared it.

    He raises to six in this suit alone and, by an option, to other tricks as well.
    """
    if call < FIRST_ALONE or is_misere(call):
        return True
    is_free = record.options.raised_demand == FREELY and KIND_OF[call - PASS] != SIX
    return bool(is_free or trump_of(record, call) == suit)


# Drawing ----------------------------------------------------------------------------


@rule
def draw(record: Record, plan: Any, start: np.uint64) -> None:
    """Make a table one of the worlds, each with the same chance."""
    belle = all_ways(plan.belle)
    high, low = plus(belle[0], belle[1], all_ways(plan.petite))
    high, low = fair_wide(start, CHOICE, high, low)
    demander = int(plan.demander)
    if is_less(high, low, belle):
        draw_from(record, plan.belle, start)
        if demander != NOBODY:
            record.laid[demander] = record.belle
    else:
        draw_from(record, plan.petite, start)
        record.laid[demander] = record.petite


@rule
def draw_from(record: Record, plan: Plan, start: np.uint64) -> None:
    """Make a table one of the worlds of a plan."""
    draw_hands(record, plan, start)
    draw_discards(record, plan)
    begin_pack(record, plan)
    put_turned_back(record, plan, int(record.turn_up))
    for place in range(CARDS - 1):
        put_back(record, plan, place, receiver(record, place), start)
    if record.options.revokes == PENALTY:
        recount_revokes(record, plan)


@rule
def recount_revokes(record: Record, plan: Plan) -> None:
    """Who did not follow suit, as it is played, has revoked if he could and had to."""
    begin_pack(record, plan)
    for seat in range(SEATS):
        record.revokes[seat] = 0
        plan.undealt[seat] = without(plan.undealt[seat], record.discards[seat])
    led = 0
    for place in range(record.cards_played):
        card = int(record.history[place])
        seat = int(record.history_seats[place])
        suit = suit_as_played(record, card)
        if place % SEATS == 0:
            led = suit
        if suit != led and must_follow(record, seat, place // SEATS):
            held = plan.undealt[seat] & cards_of(record, led)
            record.revokes[seat] += int(held != NO_CARDS)
        plan.undealt[seat] = without(plan.undealt[seat], single(card))


@rule
def must_follow(record: Record, seat: int, trick: int) -> bool:
    """All must, but the caller of a misère of four aces in the first ten tricks."""
    is_caller = record.contract == QUATRE_AS and seat == record.caller
    return bool(not is_caller or trick >= 10)


# What is asked of a plan ------------------------------------------------------------


@rule
def marginals(plan: Any, out: npt.NDArray[np.float64]) -> None:
    """The chance of each place of each card that is not played.

    Args:
        plan: what is known; its tables are filled anew.
        out: an array of shape ``(52, places)``.
    """
    belle, petite = all_ways(plan.belle), all_ways(plan.petite)
    total = plus(belle[0], belle[1], petite)
    share = as_float(belle[0], belle[1]) / as_float(total[0], total[1])
    out[:] = 0
    if share > 0:
        add_marginals(plan.belle, out, share)
    if share < 1:
        add_marginals(plan.petite, out, 1 - share)


def number(plan: Any) -> int:
    """How many worlds there are: deals, discards, and suits laid for a demand."""
    return counting.number(plan.belle) + counting.number(plan.petite)


def complaint(plan: Any) -> str:
    """What makes a position impossible, in words; nothing if nothing does."""
    if SOUND in (plan.belle.fault, plan.petite.fault):
        return ""
    return counting.complaint(plan.belle)
