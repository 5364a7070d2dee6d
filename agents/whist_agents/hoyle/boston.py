"""The player of Boston."""

from __future__ import annotations

from typing import Any, Final

from whist_agents.hoyle.avoiding import avoid
from whist_agents.hoyle.bidding import (
    ALL_SUITS,
    GAPS_OF_THE_LEAD,
    TRICK,
    best_trump,
    gaps,
    likely_tricks,
    sure_tricks,
    worst_card,
)
from whist_agents.hoyle.contracts import (
    discard_against_misere,
    join_side,
    play_misere,
)
from whist_agents.hoyle.mind import (
    ME,
    RIGHT,
    Mind,
    Row,
    know_open_hands,
    lay_aside,
    read,
    read_cards,
    read_one,
)
from whist_agents.hoyle.taking import take
from whist_env.cards import single, without
from whist_env.engine.compile import rule
from whist_env.engine.record import NOBODY
from whist_env.games.boston import (
    BID,
    BIDS,
    DISCARD,
    FEATURES,
    FIRST_BID,
    GRAND_SPREAD,
    LITTLE_MISERE,
    LITTLE_SPREAD,
    LOWEST_BID,
    PASS,
    RUNG_NAMES,
    RUNG_OF,
    SEATS,
    TRICKS_BID,
    TRUMP_OF,
    is_misere,
)

_PHASE = FEATURES.offset("phase")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_DEALER = FEATURES.offset("dealer")

TO_STRETCH: Final = 20
"""How far a hand may fall short of the lowest bid that takes the pool."""
ENOUGH_FOR_FIVE: Final = 420
"""Both in hundredths of a trick that the hand is likely to take."""
GRAND_MISERE: Final = RUNG_NAMES.index("grand_misere")
GAPS_OF_A_MISERE: Final = 9
GAPS_OF_A_SPREAD: Final = 8
"""How many gaps a misère may have, and one with the hand exposed."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, the card to lay away, or the card to play."""
    read(row, mask, mind)
    phase = read_one(row, _PHASE, 3)
    caller = read_one(row, _CALLER, SEATS)
    if phase == BID:
        return call(row, mask, options, mind)
    if phase == DISCARD:
        return discard(mind, caller)
    lay_aside(mind, read_cards(row, _DISCARD))
    know_open_hands(mind, row, _EXPOSED)
    return play(mind, caller, read_one(row, _CONTRACT, BIDS))


# Bidding ------------------------------------------------------------------------------


@rule
def call(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The dearest bid that is sound and over-calls the others; else pass."""
    trump = best_trump(mind, ALL_SUITS)
    tricks = tricks_to_bid(mind, trump, options)
    for bid in range(BIDS - 1, -1, -1):
        if mask[FIRST_BID + bid] == 0:
            continue
        if is_misere(bid):
            if misere_is_sound(mind, RUNG_OF[bid], leads_first(row)):
                return FIRST_BID + bid
        elif TRUMP_OF[bid] == trump and TRICKS_BID[RUNG_OF[bid]] <= tricks:
            return FIRST_BID + bid
    return PASS


@rule
def tricks_to_bid(mind: Mind, trump: int, options: Any) -> int:
    """Bid in full what is likely, and what is sure."""
    likely = likely_tricks(mind, trump)
    tricks = max(sure_tricks(mind, trump), likely // TRICK)
    if plays_for_pool(likely, options):
        tricks = max(tricks, int(options.pool_min_bid))
    if five_is_better_than_passing(likely):
        tricks = max(tricks, LOWEST_BID)
    return tricks


@rule
def plays_for_pool(likely: int, options: Any) -> bool:
    """Stretch a little for the lowest bid that takes the pool."""
    return likely >= TRICK * int(options.pool_min_bid) - TO_STRETCH


@rule
def five_is_better_than_passing(likely: int) -> bool:
    """Who passes with a good hand loses most where all pass, in misère partout."""
    return likely >= ENOUGH_FOR_FIVE


@rule
def misere_is_sound(mind: Mind, rung: int, leads: bool) -> bool:
    """Bid a misère on low cards; with a card to lay away the worst does not count."""
    cards = mind.hand
    if rung == LITTLE_MISERE or rung == LITTLE_SPREAD:
        cards = without(cards, single(worst_card(cards)))
    is_exposed = rung == LITTLE_SPREAD or rung == GRAND_SPREAD
    most = GAPS_OF_A_SPREAD if is_exposed else GAPS_OF_A_MISERE
    return gaps(cards) + GAPS_OF_THE_LEAD * leads <= most


@rule
def leads_first(row: Row) -> bool:
    """The dealer's left leads, whatever the bid."""
    return read_one(row, _DEALER, SEATS) == RIGHT


# Discards and play --------------------------------------------------------------------


@rule
def discard(mind: Mind, caller: int) -> int:
    """The caller lays away the most dangerous card, the others what would save him."""
    if caller == ME:
        return worst_card(mind.hand)
    return discard_against_misere(mind)


@rule
def play(mind: Mind, caller: int, bid: int) -> int:
    """The card to play for the contract or against it, or in misère partout."""
    if caller == NOBODY:
        mind.trick_price = 1
        return avoid(mind)
    if is_misere(bid):
        return play_misere(mind, caller)
    join_side(mind, 1 << caller)
    return take(mind)
