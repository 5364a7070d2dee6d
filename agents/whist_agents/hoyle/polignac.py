"""The player of Polignac: capot with a hand that takes all, and no Jack without."""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_agents.hoyle.mind import (
    ME,
    Mind,
    Row,
    lay_aside,
    read,
    read_one,
    side_with,
)
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.penalties import shed
from whist_agents.hoyle.questions import (
    holding,
    is_in,
    is_master,
    of_suit,
    out_above,
    strongest,
)
from whist_agents.hoyle.taking import take
from whist_env.cards import (
    FULL_PACK,
    JACK,
    NO_CARDS,
    RANKS_IN_SUIT,
    count,
    lowest,
    single,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import offsets
from whist_env.engine.nullo import PACKS
from whist_env.engine.tricks import left_of
from whist_env.games.polignac import (
    ANNOUNCER,
    CAPOT,
    FEATURES,
    KING_HIGH,
    PASS,
    SPADES,
    SUITS,
)

ACE_BELOW_JACK = JACK
"""The rank of aces where king, queen and Jack are above them."""

_ANNOUNCED = offsets(FEATURES, "announced")
_TRICKS = offsets(FEATURES, "tricks")
_DEALER = offsets(FEATURES, "dealer")

GOOD_ODDS = 50
"""Capot gains as much as it costs, in hundredths."""

A_JACK = 4
A_TRICK = 7
"""Who takes a trick must lead, and may take what others throw away."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """Capot or a pass; the card to play."""
    read(row, mask, mind)
    lay_aside(mind, without(FULL_PACK, PACKS[mind.seats]))
    if options.rank == KING_HIGH:
        mind.ace_rank = ACE_BELOW_JACK
    if mask[np.uint64(PASS)] != 0:
        return announce(row, options, mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    return play(row, mind)


# Capot --------------------------------------------------------------------------------


@rule
def announce(row: Row, options: Any, mind: Mind) -> int:
    """Announce capot with a hand that is likely to take every trick."""
    odds = odds_of_running_all(mind)
    if not leads_to_capot(row, options, mind):
        odds = odds * odds_of_getting_in(mind) // SURE
    return CAPOT if odds >= GOOD_ODDS else PASS


@rule
def leads_to_capot(row: Row, options: Any, mind: Mind) -> bool:
    """Whether the player would lead to its own capot."""
    seats = int(mind.seats)
    if options.capot_lead == ANNOUNCER:
        return read_one(row, _ANNOUNCED[seats], seats) < 0
    return left_of(read_one(row, _DEALER[seats], seats), seats) == ME


@rule
def odds_of_running_all(mind: Mind) -> int:
    """That every suit of the hand can be played from the top without a loser."""
    odds = SURE
    for suit in range(SUITS):
        odds = odds * odds_of_running(mind, suit) // SURE
    return odds


@rule
def odds_of_running(mind: Mind, suit: int) -> int:
    """That no other hand can stop a suit.

    A hand stops it that holds a card above the first that is no master, and more cards
    of the suit than there are masters to draw them. The cards that are out are taken to
    be in any hand with the same chance; all ways to hold them are counted.
    """
    masters = 0
    cards = holding(mind, suit)
    while cards != NO_CARDS and is_master(mind, strongest(mind, cards)):
        masters += 1
        cards = without(cards, single(strongest(mind, cards)))
    if cards == NO_CARDS:
        return SURE
    others = int(mind.seats) - 1
    out = count(np.uint64(mind.out & of_suit(mind, suit)))
    lower = out - out_above(mind, strongest(mind, cards))
    stopping = 0
    for held in range(masters + 1, out + 1):
        ways = choices(out, held) - choices(lower, held)
        stopping += ways * (others - 1) ** (out - held)
    return max(0, SURE - SURE * others * stopping // others**out)


@rule
def choices(number: int, taken: int) -> int:
    """In how many ways some of a number of cards can be taken."""
    ways = 1
    for place in range(taken):
        ways = ways * (number - place) // (place + 1)
    return ways


@rule
def odds_of_getting_in(mind: Mind) -> int:
    """That another's lead is in a suit of which the player holds the master."""
    stopped = 0
    for suit in range(SUITS):
        cards = holding(mind, suit)
        if cards != NO_CARDS and is_master(mind, strongest(mind, cards)):
            stopped += count(np.uint64(mind.out & of_suit(mind, suit)))
    return SURE * stopped // max(1, count(mind.out))


# Play ---------------------------------------------------------------------------------


@rule
def play(row: Row, mind: Mind) -> int:
    """Make a capot, break that of another, or avoid the Jacks."""
    capots = capots_to_be_made(row, mind)
    if capots == 0:
        price_jacks(mind)
        return shed(mind, A_TRICK)
    if not is_in(capots, ME):
        side_against(mind, capots)
    return take(mind)


@rule
def capots_to_be_made(row: Row, mind: Mind) -> int:
    """The set of seats that announced capot and have lost no trick."""
    seats = int(mind.seats)
    tricks = 0
    for seat in range(seats):
        tricks += int(row[np.uint64(_TRICKS[seats] + seat)])
    capots = 0
    for seat in range(seats):
        announced = row[np.uint64(_ANNOUNCED[seats] + seat)] != 0
        if announced and row[np.uint64(_TRICKS[seats] + seat)] == tricks:
            capots |= 1 << seat
    return capots


@rule
def side_against(mind: Mind, capots: int) -> None:
    """All that can break a capot are partners."""
    for seat in range(1, int(mind.seats)):
        if not is_in(capots, seat):
            side_with(mind, seat)


@rule
def price_jacks(mind: Mind) -> None:
    """Polignac costs as much as two other Jacks."""
    for suit in range(SUITS):
        price = 2 * A_JACK if suit == SPADES else A_JACK
        mind.prices[RANKS_IN_SUIT * suit + JACK] = price
