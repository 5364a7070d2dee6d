"""The player of Boston."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from whist_agents.hoyle.avoiding import avoid
from whist_agents.hoyle.contracts import discard_before_misere, join_side, play_misere
from whist_agents.hoyle.evaluation import (
    ALL_SUITS,
    ALONE,
    after_discard,
    best_trump,
    odds_alone,
    odds_of_misere,
    suppose_trumps,
    value_of_hand,
)
from whist_agents.hoyle.mind import (
    Mind,
    Row,
    know_open_hands,
    lay_aside,
    read,
    read_cards,
    read_one,
)
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.taking import take
from whist_env.engine.compile import rule
from whist_env.engine.record import NOBODY
from whist_env.games.boston import (
    AMOUNTS,
    BID,
    BIDS,
    DISCARD,
    FAILURES,
    FEATURES,
    FIRST_BID,
    GRAND_SPREAD,
    LITTLE_MISERE,
    LITTLE_SPREAD,
    LOWEST_BID,
    PASS,
    POOL_LIMIT,
    RUNG_OF,
    RUNG_OF_TRICKS,
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
_POOL = FEATURES.offset("pool")

WEAK: Final = 300
"""The value of a hand that loses nothing in misère partout."""
COST_OF_STRENGTH: Final = 5
"""What a hand loses that is stronger, in counters for each trick more."""


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, the card to lay away, or the card to play."""
    read(row, mask, mind)
    phase = read_one(row, _PHASE, 3)
    caller = read_one(row, _CALLER, SEATS)
    if phase == BID:
        return best_bid(row, mask, options, mind, caller)
    if phase == DISCARD:
        return discard_before_misere(mind, caller)
    lay_aside(mind, read_cards(row, _DISCARD))
    know_open_hands(mind, row, _EXPOSED)
    return play(mind, caller, read_one(row, _CONTRACT, BIDS))


# Bidding ------------------------------------------------------------------------------


@rule
def best_bid(row: Row, mask: Row, options: Any, mind: Mind, caller: int) -> int:
    """The bid that promises most; pass where passing does."""
    best = PASS
    most = worth_of_passing(mind) if caller == NOBODY else 0
    for bid in range(BIDS):
        if mask[np.uint64(FIRST_BID + bid)] != 0:
            worth = worth_of_bid(row, options, mind, bid)
            if worth > most:
                best = FIRST_BID + bid
                most = worth
    return best


@rule
def worth_of_passing(mind: Mind) -> int:
    """Who passes with a good hand loses most where all pass, in misère partout."""
    best_trump(mind, ALL_SUITS)
    return -COST_OF_STRENGTH * max(0, value_of_hand(mind, ALONE) - WEAK)


@rule
def worth_of_bid(row: Row, options: Any, mind: Mind, bid: int) -> int:
    """What a bid promises, in hundredths of a counter.

    Three pay for success or are paid for failure, and the pool is won or doubled.
    """
    rung = RUNG_OF[bid]
    won = AMOUNTS[rung]
    suppose_trumps(mind, TRUMP_OF[bid])
    if is_misere(bid):
        odds = odds_of_none(mind, rung)
        lost = won
    else:
        tricks = TRICKS_BID[rung]
        odds = odds_alone(mind, tricks)
        lost = FAILURES[options.failure_scale][tricks - LOWEST_BID][0]
    pool = pool_at_stake(row, options, rung)
    return odds * (3 * won + pool) - (SURE - odds) * (3 * lost + pool)


@rule
def odds_of_none(mind: Mind, rung: int) -> int:
    """That a misère is made; with a card to lay away the worst does not count."""
    is_open = rung == LITTLE_SPREAD or rung == GRAND_SPREAD
    if rung == LITTLE_MISERE or rung == LITTLE_SPREAD:
        return odds_of_misere(mind, after_discard(mind, mind.hand), is_open)
    return odds_of_misere(mind, mind.hand, is_open)


@rule
def pool_at_stake(row: Row, options: Any, rung: int) -> int:
    """The pool, with the stakes of this deal, to who bids enough for it."""
    if rung < RUNG_OF_TRICKS[options.pool_min_bid]:
        return 0
    high, middle, low = row[_POOL], row[_POOL + 1], row[_POOL + 2]
    counters = 10000 * int(high) + 100 * int(middle) + int(low)
    return min(POOL_LIMIT, counters + SEATS * int(options.red_counter))


# Play ---------------------------------------------------------------------------------


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
