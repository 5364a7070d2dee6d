"""The player of Boston de Fontainebleau."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from whist_agents.hoyle.contracts import (
    discard_before_misere,
    discard_before_one_trick,
    join_side,
    play_misere,
)
from whist_agents.hoyle.evaluation import (
    ALONE,
    TRICK,
    TWO_HANDS,
    after_discard,
    odds_alone,
    odds_of_misere,
    odds_of_two,
    suppose_trumps,
    sure_trick,
    value_of_hand,
    value_to_a_caller,
)
from whist_agents.hoyle.mind import (
    ME,
    Mind,
    Row,
    know_hand,
    lay_aside,
    read,
    read_cards,
    read_one,
)
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.taking import take
from whist_env.cards import (
    KING,
    NO_CARDS,
    count,
    lowest,
    rank_of,
    single,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.honours import honours_held, points_for_honours
from whist_env.engine.record import NOBODY
from whist_env.engine.tricks import NO_SUIT
from whist_env.games.boston_de_fontainebleau import (
    ACCEPT,
    AFTER_DISCARD,
    ALLIANCE_TARGETS,
    BID,
    BIDS,
    DISCARD,
    EXACT,
    EXPOSED,
    EXPOSED_SLAM,
    FEATURES,
    FIRST_BID,
    FIVE,
    PASS,
    PICCOLISSIMO,
    PLACES,
    RUNGS,
    SEATS,
    SLAM,
    TRICKS_BID,
    TRUMPS,
    WHIST,
    price_of_slam,
    price_of_tricks,
    price_without_trumps,
)

HARDER: Final = 30
"""By how much a piccolissimo is less likely than a misère with the other cards."""
SOUND: Final = 120
"""How much more than he bids a caller is trusted to take."""
SHARED: Final = 75
"""How much of each trick that he bids beyond five a partner's hand makes as well."""
AVERAGE: Final = 215
"""The value of the hand that joins a caller who needs little help."""
MORE: Final = 110
"""How much more it has than the least that is needed."""
RARE: Final = 400
"""The value that hardly any hand has."""

_PHASE = FEATURES.offset("phase")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_PARTNER = FEATURES.offset("partner")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_TRICKS = FEATURES.offset("tricks")
_POOL = FEATURES.offset("pool")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make, the answer to a caller, the card to discard or to play."""
    read(row, mask, mind)
    phase = read_one(row, _PHASE, 4)
    if phase == BID:
        return best_bid(row, mask, options, mind)
    if phase == ACCEPT:
        rung = RUNGS[read_one(row, _CONTRACT, BIDS)]
        return answer(mind, TRICKS_BID[rung], ALLIANCE_TARGETS[rung])
    return choose_card(row, mind, phase)


# Bidding ------------------------------------------------------------------------------


@rule
def best_bid(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The bid that promises most; pass where none promises anything."""
    best = PASS
    most = 0
    for bid in range(BIDS):
        if mask[np.uint64(FIRST_BID + bid)] != 0:
            worth = worth_of_bid(row, options, mind, bid)
            if worth > most:
                best = FIRST_BID + bid
                most = worth
    return best


@rule
def worth_of_bid(row: Row, options: Any, mind: Mind, bid: int) -> int:
    """What a bid promises, in hundredths of a counter."""
    target = ALLIANCE_TARGETS[RUNGS[bid]]
    if options.partner and target > 0:
        return worth_of_open_bid(row, options, mind, bid, target)
    return worth_alone(row, options, mind, bid)


@rule
def worth_of_open_bid(row: Row, options: Any, mind: Mind, bid: int, target: int) -> int:
    """What a bid promises where one of the others may join to take a target.

    The more help he must bring, the less likely anyone does.
    """
    suppose_trumps(mind, TRUMPS[PLACES[bid]])
    needed = value_needed(TRICKS_BID[RUNGS[bid]], target)
    comes = max(0, min(SURE, (RARE - needed) * 2 // 5))
    odds = odds_with_partner(mind, needed, target)
    joined = worth_with_partner(row, options, mind, bid, odds)
    alone = worth_alone(row, options, mind, bid)
    return (comes * joined + (SURE - comes) * alone) // SURE


@rule
def worth_alone(row: Row, options: Any, mind: Mind, bid: int) -> int:
    """Three pay for success, which wins the pool; failure pays them and the pool."""
    odds = odds_of_bid(mind, bid)
    counters = amount_of_bid(options, mind, bid)
    return odds * (3 * counters + pool(row)) - (SURE - odds) * 4 * counters


@rule
def worth_with_partner(row: Row, options: Any, mind: Mind, bid: int, odds: int) -> int:
    """One pays for success, which wins half the pool.

    Failure is paid to one, and half of it to the pool.
    """
    counters = amount_of_bid(options, mind, bid)
    gain = counters + pool(row) // 2
    return odds * gain - (SURE - odds) * 3 * counters // 2


@rule
def odds_with_partner(mind: Mind, needed: int, target: int) -> int:
    """That two take a target, of whom one has help enough to join."""
    partners = max(AVERAGE, needed + MORE)
    return odds_of_two(mind, value_to_a_caller(mind), partners, target)


@rule
def value_needed(bid: int, target: int) -> int:
    """What a hand must be worth to join a caller who bids some tricks.

    He is trusted to hold what he bids and a little more; less than an even chance is
    enough, since against him one would pay as often as not.
    """
    callers = TRICK * bid + SOUND - SHARED * (bid - TRICKS_BID[FIVE])
    return TRICK * target - TWO_HANDS - callers


@rule
def odds_of_bid(mind: Mind, bid: int) -> int:
    """That a bid succeeds alone, in per cent."""
    rung = RUNGS[bid]
    suppose_trumps(mind, TRUMPS[PLACES[bid]])
    if rung in EXACT:
        return odds_without_trumps(mind, rung)
    return odds_alone(mind, TRICKS_BID[rung])


@rule
def odds_without_trumps(mind: Mind, rung: int) -> int:
    """By the danger of the hand."""
    if rung == PICCOLISSIMO:
        return odds_of_one_trick(mind)
    is_open = rung in EXPOSED
    if rung in AFTER_DISCARD:
        return odds_of_misere(mind, after_discard(mind, mind.hand), is_open)
    return odds_of_misere(mind, mind.hand, is_open)


@rule
def odds_of_one_trick(mind: Mind) -> int:
    """An ace or a king takes the trick; the other cards are to take none."""
    card = sure_trick(mind)
    if rank_of(card) < KING:
        return 0
    others = after_discard(mind, without(mind.hand, single(card)))
    return max(0, odds_of_misere(mind, others, False) - HARDER)


@rule
def pool(row: Row) -> int:
    """The counters in the pool."""
    high, middle, low = row[_POOL], row[_POOL + 1], row[_POOL + 2]
    return 10000 * int(high) + 100 * int(middle) + int(low)


@rule
def amount_of_bid(options: Any, mind: Mind, bid: int) -> int:
    """What a bid earns from each adversary, by the table of payments."""
    rung = RUNGS[bid]
    if rung in EXACT:
        return price_without_trumps(options, bid)
    if rung == SLAM or rung == EXPOSED_SLAM:
        return price_of_slam(options, bid)
    tricks = tricks_to_spare(mind, rung) + honours(options, mind)
    base = price_of_tricks(options, bid, TRICKS_BID[rung])
    return int(base + options.over_trick * tricks)


@rule
def tricks_to_spare(mind: Mind, rung: int) -> int:
    """The tricks over that the hand is likely to take."""
    return max(0, value_to_a_caller(mind) // TRICK - TRICKS_BID[rung])


@rule
def honours(options: Any, mind: Mind) -> int:
    """Honours in hand, where they count as tricks over."""
    if not options.honours or mind.trump == NO_SUIT:
        return 0
    return points_for_honours(honours_held(mind.hand, int(mind.trump), 4))


# Answering a caller -------------------------------------------------------------------


@rule
def answer(mind: Mind, bid: int, target: int) -> int:
    """Be his partner with a fair chance to make up the tricks of both.

    Args:
        mind: what `read` has filled.
        bid: the tricks that he bids.
        target: those that two allies undertake.
    """
    return WHIST if value_of_hand(mind, ALONE) >= value_needed(bid, target) else PASS


# Cards --------------------------------------------------------------------------------


@rule
def choose_card(row: Row, mind: Mind, phase: int) -> int:
    """The card to discard or to play."""
    caller = read_one(row, _CALLER, SEATS)
    rung = RUNGS[read_one(row, _CONTRACT, BIDS)]
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    if phase == DISCARD:
        if rung == PICCOLISSIMO:
            return discard_before_one_trick(mind, caller)
        return discard_before_misere(mind, caller)
    know_table(row, mind, caller)
    if rung in EXACT and not wants_a_trick(row, rung):
        return play_misere(mind, caller)
    join_side(mind, allies(row, caller))
    return take(mind)


@rule
def know_table(row: Row, mind: Mind, caller: int) -> None:
    """The observer's discard, and the hand of the caller if it lies open."""
    lay_aside(mind, read_cards(row, _DISCARD))
    exposed = read_cards(row, _EXPOSED)
    if caller != ME and exposed != NO_CARDS:
        know_hand(mind, caller, exposed)


@rule
def wants_a_trick(row: Row, rung: int) -> bool:
    """The caller of a piccolissimo, until he has his trick."""
    is_caller = row[_CALLER] != 0
    return rung == PICCOLISSIMO and is_caller and row[_TRICKS] == 0


@rule
def allies(row: Row, caller: int) -> int:
    """The set of the caller and his partner."""
    partner = read_one(row, _PARTNER, SEATS)
    return (1 << caller) | (0 if partner == NOBODY else 1 << partner)
