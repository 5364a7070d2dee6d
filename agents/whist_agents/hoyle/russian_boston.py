"""The player of Russian Boston: that of Boston de Fontainebleau with three maxims more.

A strong hand says solo; carte blanche is declared; a partner adds four tricks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whist_agents.hoyle.boston_de_fontainebleau import (
    answer,
    choose_card,
    worth_alone,
    worth_of_open_bid,
)
from whist_agents.hoyle.mind import Mind, Row, read, read_one
from whist_env.engine.compile import rule
from whist_env.engine.options import NOT_GIVEN
from whist_env.games.boston_de_fontainebleau import (
    ACCEPT,
    BID,
    BIDS,
    FIRST_BID,
    FIVE,
    PASS,
    RUNGS,
    TRICKS_BID,
)
from whist_env.games.russian_boston import (
    DECLARE,
    FEATURES,
    FIRST_SOLO,
    MORE_WITH_PARTNER,
    OPEN_OR_SOLO,
    SILENT,
    SOLO_BIDS,
    SOLO_FORMS,
)

_PHASE = FEATURES.offset("phase")
_CONTRACT = FEATURES.offset("contract")
_ASKING = FEATURES.offset("asking")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, an answer, the card to discard or to play."""
    read(row, mask, mind)
    if row[_ASKING] != 0:
        return DECLARE if mask[DECLARE] != 0 else SILENT
    phase = read_one(row, _PHASE, 4)
    if phase == BID:
        return best_call(row, mask, options, mind)
    if phase == ACCEPT:
        rung = RUNGS[read_one(row, _CONTRACT, BIDS)]
        return answer(mind, TRICKS_BID[rung], target_of(options, rung))
    return choose_card(row, mind, phase)


@rule
def target_of(options: Any, rung: int) -> int:
    """What two allies undertake."""
    if rung == FIVE:
        return int(options.five_with_partner)
    return TRICKS_BID[rung] + MORE_WITH_PARTNER


@rule
def best_call(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The bid that promises most, open to a partner or solo."""
    call = PASS
    most = 0
    for bid in range(BIDS):
        if mask[np.uint64(FIRST_BID + bid)] != 0:
            worth = worth_of_bid(row, options, mind, bid)
            if worth > most:
                call = FIRST_BID + bid
                most = worth
    for form in range(SOLO_FORMS):
        if mask[np.uint64(FIRST_SOLO + form)] != 0:
            worth = worth_alone(row, options, mind, SOLO_BIDS[form])
            if worth >= most and worth > 0:
                call = FIRST_SOLO + form
                most = worth
    return call


@rule
def worth_of_bid(row: Row, options: Any, mind: Mind, bid: int) -> int:
    """What a bid promises that is not said solo, in hundredths of a counter."""
    if options.partner and may_have_partner(options, RUNGS[bid]):
        target = target_of(options, RUNGS[bid])
        return worth_of_open_bid(row, options, mind, bid, target)
    return worth_alone(row, options, mind, bid)


@rule
def may_have_partner(options: Any, rung: int) -> bool:
    """Six, seven and eight are open; five are by one reading."""
    if rung == FIVE:
        return bool(options.five_with_partner != NOT_GIVEN)
    return rung in OPEN_OR_SOLO
