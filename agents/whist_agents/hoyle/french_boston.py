"""The player of French Boston."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from whist_agents.hoyle.contracts import discard_before_misere, join_side, play_misere
from whist_agents.hoyle.evaluation import (
    ALONE,
    TRICK,
    after_discard,
    odds_alone,
    odds_of_misere,
    odds_of_two,
    odds_with_help,
    suppose_trumps,
    value_of_hand,
    value_to_a_caller,
)
from whist_agents.hoyle.mind import (
    ME,
    Mind,
    Row,
    know_open_hands,
    lay_aside,
    rank_as_best_trump,
    read,
    read_cards,
    read_one,
)
from whist_agents.hoyle.odds import SURE
from whist_agents.hoyle.questions import of_suit
from whist_agents.hoyle.taking import take
from whist_env.cards import NO_CARDS, count, lowest, rank_of, suit_of, without_lowest
from whist_env.engine.compile import rule
from whist_env.engine.honours import honours_held
from whist_env.engine.record import NOBODY
from whist_env.engine.tricks import NO_SUIT
from whist_env.games.french_boston import (
    ACCEPT,
    BASE,
    BID,
    CALLS,
    DECLARE,
    DEMAND_BELLE,
    DEMAND_PETITE,
    DIAMONDS,
    DIAMONDS_TURNED,
    DISCARD,
    EXTRA_TRICK,
    FEATURES,
    FOUR_HONOURS,
    GRAND_AMOUNT,
    JACK_IN_TRUMPS,
    JACK_OF_DIAMONDS,
    JACK_OF_HEARTS,
    KIND_OF,
    NINE,
    NINE_BELLE,
    NINE_PETITE,
    PASS,
    PETITE_AMOUNT,
    PETITE_MISERE,
    PETITE_SUR_TABLE,
    PRICES,
    QUATRE_AS,
    ROW_AND_EXTRA,
    ROWS,
    SEATS,
    SHARES,
    SUIT_OF,
    SUR_TABLE_AMOUNT,
    TARGETS,
    THREE_HONOURS,
    TOGETHER,
    is_demand,
    is_misere,
    is_petite_misere,
)

HELP: Final = 100
"""How much more a partner is taken to bring than the tricks that he adds."""
WILLING: Final = 30
"""What speaks for joining a demander: against him one would pay as often as not."""
SOUND: Final = 50
"""How much more than five tricks a demander is taken to hold."""
FOUR: Final = 2
"""The rank of a four."""

_PHASE = FEATURES.offset("phase")
_TURN_UP = FEATURES.offset("turn_up")
_BELLE = FEATURES.offset("belle")
_PETITE = FEATURES.offset("petite")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_ACCEPTOR = FEATURES.offset("acceptor")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_POOL = FEATURES.offset("pool")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The call to make or declare, the card to discard or to play."""
    read(row, mask, mind)
    phase = read_one(row, _PHASE, 5)
    if phase == BID:
        return best_call(row, mask, options, mind, PASS, 0)
    if phase == DECLARE:
        return best_call(row, mask, options, mind, NOBODY, -1000000)
    return choose_card(row, options, mind, phase)


# Calls --------------------------------------------------------------------------------


@rule
def best_call(
    row: Row, mask: Row, options: Any, mind: Mind, least: int, worth_of_least: int
) -> int:
    """The call that promises most.

    Args:
        row: the observation.
        mask: its action mask.
        options: those of the game.
        mind: what `read` has filled.
        least: what is called where nothing promises more.
        worth_of_least: what it promises.
    """
    best = least
    most = worth_of_least
    for call in range(PASS + 1, PASS + CALLS):
        if mask[np.uint64(call)] != 0:
            if call == ACCEPT:
                worth = worth_of_accepting(row, options, mind)
            else:
                worth = worth_of_call(row, options, mind, call)
            if worth > most:
                best = call
                most = worth
    return best


@rule
def worth_of_call(row: Row, options: Any, mind: Mind, call: int) -> int:
    """What a call promises, in hundredths of a counter; a demand finds help.

    Success is paid by three and wins the pool, failure is paid to three and doubles it.
    """
    suppose(row, options, mind, trump_of(row, call))
    if is_misere(call):
        odds = odds_of_misere_call(mind, call)
        counters = amount_of_misere(row, call)
    else:
        tricks = TARGETS[KIND_OF[call - PASS]]
        if is_demand(call):
            odds = odds_with_help(mind, HELP, tricks)
        else:
            odds = odds_alone(mind, tricks)
        counters = amount_of_tricks(options, mind, KIND_OF[call - PASS])
    return (2 * odds - SURE) * (3 * counters + pool(row, options))


@rule
def trump_of(row: Row, call: int) -> int:
    """The trump suit of a call; a demand or nine may name belle or petite."""
    if call == DEMAND_PETITE or call == NINE_PETITE:
        return read_one(row, _PETITE, 4)
    if is_demand(call) or call == NINE_BELLE:
        return read_one(row, _BELLE, 4)
    return SUIT_OF[call - PASS]


@rule
def odds_of_misere_call(mind: Mind, call: int) -> int:
    """That a misère succeeds, in per cent."""
    if call == QUATRE_AS:
        return odds_of_four_aces(mind)
    is_open = call >= PETITE_SUR_TABLE
    if is_petite_misere(call):
        return odds_of_misere(mind, after_discard(mind, mind.hand), is_open)
    return odds_of_misere(mind, mind.hand, is_open)


@rule
def odds_of_four_aces(mind: Mind) -> int:
    """Ten cards are thrown away at pleasure: with three low cards it is safe.

    Who leads to the first trick needs a fourth.
    """
    low = 0
    cards = mind.hand
    while cards != NO_CARDS:
        low += int(rank_of(lowest(cards)) <= FOUR)
        cards = without_lowest(cards)
    return SURE if low >= 3 + int(mind.leader == ME) else 0


@rule
def amount_of_misere(row: Row, call: int) -> int:
    """Misères are paid by the suit turned."""
    price = PRICES[turned_suit(row)]
    if call >= PETITE_SUR_TABLE:
        return SUR_TABLE_AMOUNT * price
    return (PETITE_AMOUNT if call == PETITE_MISERE else GRAND_AMOUNT) * price


@rule
def amount_of_tricks(options: Any, mind: Mind, kind: int) -> int:
    """What tricks earn from each adversary, with those over and honours."""
    over = max(0, value_to_a_caller(mind) // TRICK - TARGETS[kind])
    if kind == NINE and options.nine == ROW_AND_EXTRA:
        over += 1
    counters = ROWS[kind][BASE] + over * ROWS[kind][EXTRA_TRICK]
    held = honours_held(mind.hand, int(mind.trump), 4)
    if held >= 3:
        counters += ROWS[kind][FOUR_HONOURS if held == 4 else THREE_HONOURS]
    return counters * PRICES[mind.trump]


@rule
def pool(row: Row, options: Any) -> int:
    """The counters in the pool that can be won."""
    high, middle, low = row[_POOL], row[_POOL + 1], row[_POOL + 2]
    counters = 10000 * int(high) + 100 * int(middle) + int(low)
    return min(counters, int(options.pool_limit))


# Accepting a demand -------------------------------------------------------------------


@rule
def worth_of_accepting(row: Row, options: Any, mind: Mind) -> int:
    """What it promises to be a demander's partner, in hundredths of a counter.

    One pays for success, which wins half the pool.
    """
    odds, counters = 0, 0
    suits = 0
    for call in range(DEMAND_PETITE, DEMAND_BELLE + 1):
        suit = trump_of(row, call)
        if suit != NO_SUIT and may_be_meant(row, call):
            suppose(row, options, mind, suit)
            odds += odds_of_alliance(mind)
            counters += ROWS[TOGETHER][BASE] * PRICES[suit]
            suits += 1
    odds = odds // max(1, suits)
    counters = counters // max(1, suits)
    return (2 * odds - SURE + WILLING) * (counters + pool(row, options) // 2)


@rule
def may_be_meant(row: Row, call: int) -> bool:
    """A demand is in petite or belle, and does not say so; a public one is in belle."""
    is_public = read_one(row, _CONTRACT, CALLS) == DEMAND_BELLE - PASS
    return (call == DEMAND_BELLE) if is_public else (call != DEMAND_BELLE)


@rule
def odds_of_alliance(mind: Mind) -> int:
    """That two hands take the eight tricks that they undertake, in per cent.

    A hand without half of its own three tricks is no partner.
    """
    help_brought = value_of_hand(mind, ALONE)
    if 2 * help_brought < TRICK * SHARES[1]:
        return 0
    demanders = TRICK * SHARES[0] + SOUND
    return odds_of_two(mind, demanders, help_brought, SHARES[0] + SHARES[1])


# Trumps -------------------------------------------------------------------------------


@rule
def suppose(row: Row, options: Any, mind: Mind, trump: int) -> None:
    """Think of a suit as trumps, with the Jack that is the best of them."""
    suppose_trumps(mind, trump)
    rank_as_best_trump(mind, best_jack(row, options, trump))


@rule
def best_jack(row: Row, options: Any, trump: int) -> int:
    """The Jack of diamonds, or that of hearts where it is in its place."""
    diamonds = trump == DIAMONDS
    if options.jack_of_hearts == DIAMONDS_TURNED:
        diamonds = turned_suit(row) == DIAMONDS
    return JACK_OF_HEARTS if diamonds else JACK_OF_DIAMONDS


@rule
def turned_suit(row: Row) -> int:
    """The suit turned is petite, or where there is none belle."""
    petite = read_one(row, _PETITE, 4)
    return read_one(row, _BELLE, 4) if petite == NO_SUIT else petite


# Cards --------------------------------------------------------------------------------


@rule
def choose_card(row: Row, options: Any, mind: Mind, phase: int) -> int:
    """The card to discard or to play."""
    caller = read_one(row, _CALLER, SEATS)
    contract = PASS + read_one(row, _CONTRACT, CALLS)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    if phase == DISCARD:
        return discard_before_misere(mind, caller)
    know_table(row, options, mind)
    follow(mind, contract == QUATRE_AS and caller == ME)
    if is_misere(contract):
        return play_misere(mind, caller)
    join_side(mind, allies(row, caller))
    return take(mind)


@rule
def know_table(row: Row, options: Any, mind: Mind) -> None:
    """The best trump, the observer's discard, the hand of a caller that lies open."""
    if mind.trump != NO_SUIT:
        rank_as_best_trump(mind, best_jack(row, options, mind.trump))
        if mind.led_card == mind.best_trump and options.jack_suit != JACK_IN_TRUMPS:
            mind.led = suit_of(mind.led_card)
    lay_aside(mind, read_cards(row, _DISCARD))
    know_open_hands(mind, row, _EXPOSED)


@rule
def follow(mind: Mind, at_pleasure: bool) -> None:
    """Do not revoke where one may; with four aces ten cards are thrown at pleasure."""
    if mind.position == 0 or (at_pleasure and count(mind.hand) > 3):
        return
    same_suit = np.uint64(mind.legal & of_suit(mind, mind.led))
    if same_suit != NO_CARDS:
        mind.legal = same_suit


@rule
def allies(row: Row, caller: int) -> int:
    """The set of the caller and his partner."""
    acceptor = read_one(row, _ACCEPTOR, SEATS)
    return (1 << caller) | (0 if acceptor == NOBODY else 1 << acceptor)
