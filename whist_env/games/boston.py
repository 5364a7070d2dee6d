"""Boston.

Four players, each for himself. Two packs: one is dealt four, four and five cards at a
time, the other lies still and is cut; the suit of the cut card is the *preference*, the
other suit of its colour is *colour*, and two suits are *plain*. Who bids highest plays
alone against the three others: to take a number of tricks with a trump of his choice,
or in a misère to take none. If nobody bids, all play misère partout: no trumps, and who
takes most tricks pays the others. A pool goes to callers who succeed with a high bid
and is doubled by those who fail.

Sources: the game as in Foster's Complete Hoyle, in the Encyclopaedia Britannica (1911)
and in the Encyclopedia Americana (1920); the laws as Foster wrote them between those of
the American Whist League (1893).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    SUIT_NAMES,
    card_name,
    holds,
    lowest,
    parse_card,
    parse_deal,
    single,
    suit_of,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.contracts import enter_points, settle_with_each, with_action
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    cut_other_pack,
    dealer_option,
    first_dealer,
    place_in_packets,
    stack_pack,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.individual import (
    REWARD_POINTS,
    all_win_but,
    clear_points,
    find_winners,
    finish,
    match_fields,
    won,
)
from whist_env.engine.options import NOT_GIVEN, choice, is_whole, number
from whist_env.engine.pool import (
    divide_pool,
    pay_into_pool,
    pool_fields,
    stake,
    take_from_pool,
)
from whist_env.engine.record import NOBODY, Record, begin_action, pay, record_dtype
from whist_env.engine.rules import Rules
from whist_env.engine.sight import (
    PlayOptions,
    play_features,
    relative,
    write_play,
)
from whist_env.engine.tricks import (
    NO_SUIT,
    clear_table,
    following,
    give,
    lead,
    left_of,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

SEATS: Final = 4
DEALS_IN_GAME: Final = 12
POOL_LIMIT: Final = 250
"""What can be won at once; an excess waits for the next pool."""
BID, DISCARD, PLAY = range(3)
NO_BID: Final = -1

# The bids ---------------------------------------------------------------------------

RUNG_NAMES: Final = (
    *("five", "six", "seven", "little_misere", "eight", "nine", "grand_misere"),
    *("ten", "eleven", "little_spread", "twelve", "grand_spread", "thirteen"),
)
"""The rungs of the ladder of bids, from the lowest."""
LITTLE_MISERE: Final = RUNG_NAMES.index("little_misere")
LITTLE_SPREAD: Final = RUNG_NAMES.index("little_spread")
GRAND_SPREAD: Final = RUNG_NAMES.index("grand_spread")
TRICKS_BID: Final = (5, 6, 7, 0, 8, 9, 0, 10, 11, 0, 12, 0, 13)
"""By rung, the tricks to take; none in a misère."""
AMOUNTS: Final = (10, 15, 20, 20, 25, 35, 40, 45, 65, 80, 105, 160, 170)
"""By rung, white counters to and from each adversary: for a bid of tricks made, and
for a misère made or not."""
LOWEST_BID, HIGHEST_BID = 5, 13

_LADDER = tuple(
    (rung, suit)
    for rung, tricks in enumerate(TRICKS_BID)
    for suit in (range(4) if tricks else (NO_SUIT,))
)
BIDS: Final = len(_LADDER)
RUNG_OF: Final = tuple(rung for rung, _ in _LADDER)
TRUMP_OF: Final = tuple(suit for _, suit in _LADDER)
BID_NAMES: Final = tuple(
    RUNG_NAMES[rung] + ("" if suit == NO_SUIT else f"_{SUIT_NAMES[suit]}")
    for rung, suit in _LADDER
)
RUNG_OF_TRICKS: Final = tuple(
    TRICKS_BID.index(tricks) if tricks >= LOWEST_BID else NO_BID
    for tricks in range(HIGHEST_BID + 1)
)
"""By the number of tricks, the rung on which they are bid."""

PASS: Final = CARDS
FIRST_BID: Final = PASS + 1

# What a bid of tricks that fails costs, in white counters to each adversary, by tricks
# bid (from five) and by tricks short (from one).
DECIMAL_SCALE: Final = (
    (10, 20, 30, 40, 50),
    (15, 25, 35, 45, 55, 65),
    (20, 30, 40, 50, 60, 70, 80),
    (25, 35, 45, 55, 70, 85, 100, 115),
    (35, 45, 55, 65, 80, 95, 110, 125, 140),
    (45, 55, 70, 80, 95, 110, 125, 140, 155, 170),
    (70, 80, 95, 110, 125, 140, 155, 170, 185, 200, 220),
    (120, 130, 145, 160, 180, 200, 220, 240, 260, 280, 300, 320),
    (180, 200, 220, 240, 260, 280, 300, 320, 340, 360, 390, 420, 450),
)
ENGLISH_SCALE: Final = (
    (11, 21, 31, 41, 50),
    (15, 24, 35, 45, 55, 66),
    (19, 29, 40, 50, 60, 72, 82),
    (23, 34, 46, 56, 67, 78, 89, 110),
    (33, 44, 57, 68, 82, 92, 103, 115, 127),
    (44, 56, 70, 82, 94, 107, 119, 132, 145, 157),
    (67, 80, 95, 109, 123, 138, 151, 165, 180, 194, 208),
    (113, 130, 148, 165, 182, 200, 217, 234, 252, 270, 286, 304),
    (177, 198, 222, 241, 262, 284, 305, 326, 348, 369, 390, 412, 433),
)
FAILURES: Final = tuple(
    tuple(row + (0,) * (HIGHEST_BID - len(row)) for row in scale)
    for scale in (DECIMAL_SCALE, ENGLISH_SCALE)
)
FORFEIT: Final = 540
"""What a forfeit pays to each of the others: more than a third of what a grand slam
costs that is bid without a trick to take, the fullest pool included."""

# Options ----------------------------------------------------------------------------

ONE_DEAL, ONE_GAME = range(2)
BEFORE_LEAD, AFTER_FIRST_TRICK = range(2)
ALL_PAY, NOBODY_PAYS = range(2)
MISERES_ONLY, FREELY = range(2)
DIVIDED, KEPT = range(2)


@dataclasses.dataclass(frozen=True)
class BostonOptions(PlayOptions):
    """Options of Boston. What no source settles is an option."""

    episode: str = choice(
        "deal",
        *("deal", "game"),
        meaning="How long an episode lasts: a deal, or a game of twelve deals.",
    )
    deals: int | None = number(
        None, 1, 100, meaning="A number of deals instead.", episode=("deal",)
    )
    reward: str = choice(
        "points",
        *("points", "match"),
        meaning=(
            "What is rewarded: the counters won and lost in each deal, or having most "
            "of them at the end of the episode."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    failure_scale: str = choice(
        "decimal",
        *("decimal", "english"),
        meaning="What a bid of tricks that fails costs, by Foster's two tables.",
    )
    overtrick: int = number(
        1, 0, 20, meaning="White counters for each trick above the bid."
    )
    pool_min_bid: int = number(
        7,
        LOWEST_BID,
        HIGHEST_BID,
        meaning="Who bids this number of tricks, or higher, plays for the pool.",
    )
    come_back: str = choice(
        "miseres",
        *("miseres", "freely"),
        meaning=(
            "What a player may bid who has passed, come back with a misère and been "
            "over-called: misères alone, or tricks as well, like any other bidder."
        ),
    )
    red_counter: int = number(
        10, 1, 100, meaning="How many white counters a red one is worth."
    )
    spread_exposed: str = choice(
        "before_lead",
        *("before_lead", "after_first_trick"),
        meaning="When the caller of a spread lays his hand open.",
    )
    partout_tie: str = choice(
        "all_pay",
        *("all_pay", "nobody_pays"),
        meaning="Misere partout: whether players who tie for most tricks pay the rest.",
    )
    pool_left: str = choice(
        "divided",
        *("divided", "kept"),
        meaning=(
            "Whether the pool is divided at the end of an episode, or stays on the "
            "table and is nobody's."
        ),
    )


RECORD: Final = record_dtype(
    SEATS,
    BostonOptions,
    [
        *trick_fields(SEATS),
        *pool_fields(),
        *match_fields(SEATS),
        ("phase", np.int8),
        # The card at which the still pack was cut.
        ("cut", np.int8),
        # By seat: the set of its bids (bid number *n* is bit *n*), and whether it has
        # passed and not come back to bid freely.
        ("bids", np.uint64, (SEATS,)),
        ("passed", np.int8, (SEATS,)),
        # Passes since the last bid, the highest bid, and who made it.
        ("passes", np.int8),
        ("bid", np.int8),
        ("caller", np.int8),
        ("discards", np.uint64, (SEATS,)),
    ],
)

# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_points(record)
    record.pool = 0
    record.dealer = first_dealer(record)
    shuffle(record, FULL_PACK)
    record.cut = cut_other_pack(record)
    deal_out(record)


@rule
def deal_out(record: Record) -> None:
    """Deal four, four and five cards at a time from the dealer's left (law 13)."""
    clear_table(record)
    eldest = left_of(record.dealer, SEATS)
    for card in range(CARDS):
        give(record, (eldest + place_in_packets(card)) % SEATS, record.pack[card])
    record.trump = NO_SUIT
    begin_bidding(record)
    lead(record, eldest)
    record.agent = record.seat


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left; the other pack is cut anew."""
    record.deal_number += 1
    record.dealer = left_of(record.dealer, SEATS)
    shuffle(record, FULL_PACK)
    record.cut = cut_other_pack(record)
    deal_out(record)


# Bidding ----------------------------------------------------------------------------


@rule
def begin_bidding(record: Record) -> None:
    """Nobody has bid or passed yet."""
    record.phase = BID
    record.bid = NO_BID
    record.caller = NOBODY
    record.passes = 0
    for seat in range(SEATS):
        record.bids[seat] = NO_CARDS
        record.passed[seat] = 0
        record.discards[seat] = NO_CARDS


@rule
def suit_rank(record: Record, suit: int) -> int:
    """Preference 2, colour 1, plain 0; the two plain suits are equal."""
    preference = suit_of(record.cut)
    if suit == preference:
        return 2
    # Clubs 0 and spades 3 are black, diamonds 1 and hearts 2 are red.
    return 1 if suit == 3 - preference else 0


@rule
def bid_rank(record: Record, bid: int) -> int:
    """The higher of two bids has the higher rank."""
    if bid == NO_BID:
        return -1
    suit = TRUMP_OF[bid]
    return 3 * RUNG_OF[bid] + (0 if suit == NO_SUIT else suit_rank(record, suit))


@rule
def is_misere(bid: int) -> bool:
    """Whether a bid is one of the four misères."""
    return TRICKS_BID[RUNG_OF[bid]] == 0


@rule
def may_bid(record: Record, bid: int) -> bool:
    """Any higher bid; who has passed may come back only with a misère (Americana)."""
    if record.passed[record.seat] and not is_misere(bid):
        return False
    return bid_rank(record, bid) > bid_rank(record, record.bid)


@rule
def legal_calls(record: Record) -> tuple[np.uint64, np.uint64]:
    """Pass, and the bids that are open to the seat to call."""
    first, second = single(PASS), NO_CARDS
    for bid in range(BIDS):
        if may_bid(record, bid):
            first, second = with_action(first, second, FIRST_BID + bid)
    return first, second


@rule
def make_call(record: Record, call: int) -> None:
    """The seat to call passes or bids; three passes after a bid end the bidding."""
    seat = int(record.seat)
    if call == PASS:
        record.passed[seat] = 1
        record.passes += 1
    else:
        record.bid = call - FIRST_BID
        record.bids[seat] |= single(record.bid)
        record.caller = seat
        record.passes = 0
        if record.options.come_back == FREELY:
            record.passed[seat] = 0
    if record.passes < (SEATS if record.caller == NOBODY else SEATS - 1):
        record.seat = left_of(seat, SEATS)
    elif discards_are_made(record):
        record.phase = DISCARD
        record.seat = record.caller
    else:
        begin_play(record)


# Discards ---------------------------------------------------------------------------


@rule
def discards_are_made(record: Record) -> bool:
    """In the two little misères every player lays a card away."""
    if record.bid == NO_BID:
        return False
    rung = RUNG_OF[record.bid]
    return rung == LITTLE_MISERE or rung == LITTLE_SPREAD


@rule
def discard(record: Record, card: int) -> None:
    """The seat to discard lays a card face down; the caller first, then to the left."""
    seat = int(record.seat)
    record.hands[seat] = without(record.hands[seat], single(card))
    record.discards[seat] = single(card)
    record.seat = left_of(seat, SEATS)
    if record.seat == record.caller:
        begin_play(record)


# Play -------------------------------------------------------------------------------


@rule
def begin_play(record: Record) -> None:
    """Eldest hand leads, whatever the bid; the caller's suit is trumps."""
    record.phase = PLAY
    if record.bid != NO_BID:
        record.trump = TRUMP_OF[record.bid]
    lead(record, left_of(record.dealer, SEATS))


@rule
def play(record: Record, card: int) -> None:
    """The seat to play plays a card; all tricks are played."""
    play_card(record, card)
    if trick_is_complete(record):
        take_trick(record)


@rule
def is_exposed(record: Record, seat: int) -> bool:
    """Whether a seat's hand lies open: that of the caller of a spread."""
    if record.phase != PLAY or seat != record.caller:
        return False
    rung = RUNG_OF[record.bid]
    if rung != LITTLE_SPREAD and rung != GRAND_SPREAD:
        return False
    return record.options.spread_exposed == BEFORE_LEAD or record.tricks_played > 0


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """Calls, then discards where they are made, then standard play."""
    if record.phase == BID:
        return legal_calls(record)
    if record.phase == DISCARD:
        return np.uint64(record.hands[record.seat]), NO_CARDS
    return following(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """The seat whose turn it is calls, discards or plays."""
    begin_action(record)
    if record.phase == BID:
        make_call(record, action)
    elif record.phase == DISCARD:
        discard(record, action)
    else:
        play(record, action)
    record.agent = record.seat
    if record.hands[record.seat] == NO_CARDS and record.cards_in_trick == 0:
        end_deal(record)


# Payments ---------------------------------------------------------------------------


@rule
def contract_amount(record: Record) -> int:
    """White counters from each adversary to the caller; negative, from him to each."""
    rung = RUNG_OF[record.bid]
    bid = TRICKS_BID[rung]
    taken = int(record.tricks_won[record.caller])
    if bid == 0:
        return AMOUNTS[rung] if taken == 0 else -AMOUNTS[rung]
    if taken >= bid:
        return AMOUNTS[rung] + int(record.options.overtrick) * (taken - bid)
    scale = FAILURES[record.options.failure_scale]
    return -scale[bid - LOWEST_BID][bid - taken - 1]


@rule
def plays_for_pool(record: Record) -> bool:
    """Whether the bid is high enough."""
    return RUNG_OF[record.bid] >= RUNG_OF_TRICKS[record.options.pool_min_bid]


@rule
def settle_contract(record: Record) -> None:
    """The caller settles with each adversary; he takes the pool or doubles it."""
    caller = int(record.caller)
    amount = contract_amount(record)
    settle_with_each(record, caller, amount)
    if plays_for_pool(record):
        at_stake = min(int(record.pool), POOL_LIMIT)
        if amount > 0:
            take_from_pool(record, caller, at_stake)
        else:
            pay_into_pool(record, caller, at_stake)


@rule
def settle_misere_partout(record: Record) -> None:
    """Who has most tricks pays each other the difference in red counters."""
    most = 0
    payers = 0
    for seat in range(SEATS):
        most = max(most, int(record.tricks_won[seat]))
    for seat in range(SEATS):
        payers += int(record.tricks_won[seat] == most)
    if payers > 1 and record.options.partout_tie == NOBODY_PAYS:
        return
    for payer in range(SEATS):
        if record.tricks_won[payer] == most:
            for seat in range(SEATS):
                difference = most - int(record.tricks_won[seat])
                pay(record, seat, record.options.red_counter * difference)
                pay(record, payer, -record.options.red_counter * difference)


# End of a deal, end of the episode --------------------------------------------------


@rule
def deals_in_episode(record: Record) -> int:
    """How many deals an episode has; a game has twelve (laws of Boston)."""
    if record.options.deals != NOT_GIVEN:
        return int(record.options.deals)
    return DEALS_IN_GAME if record.options.episode == ONE_GAME else 1


@rule
def end_deal(record: Record) -> None:
    """Settle the deal; end the episode or deal again.

    The stakes of a deal are counted when it is settled, so that each reward belongs to
    an action.
    """
    stake(record, record.options.red_counter)
    if record.caller == NOBODY:
        settle_misere_partout(record)
    else:
        settle_contract(record)
    record.deals_played += 1
    is_complete = record.deals_played == deals_in_episode(record)
    if is_complete and record.options.pool_left == DIVIDED:
        divide_pool(record)
    enter_points(record, record.options.reward == REWARD_POINTS)
    if is_complete:
        find_winners(record)
        finish(record, 1)
    else:
        next_deal(record)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, who pays 540 to each of the others.

    That is more than any failure; where winning is rewarded it loses 1 to each. The
    pool stays where it is.
    """
    loser = int(record.agent)
    begin_action(record)
    settle_with_each(record, loser, -FORFEIT)
    enter_points(record, record.options.reward == REWARD_POINTS)
    all_win_but(record, loser)
    finish(record, 1)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature("phase", ("phase",), (3,), 0, 1, "Bidding, discarding or playing."),
    Feature(
        "cut",
        ("card",),
        (52,),
        0,
        1,
        "The card at which the still pack was cut; its suit is the preference.",
    ),
    Feature(
        "bids",
        ("seat", "bid"),
        (SEATS, BIDS),
        0,
        1,
        "The bids of each seat in this deal, in the order of the actions.",
    ),
    Feature(
        "passed",
        ("seat",),
        (SEATS,),
        0,
        1,
        "Whether each seat has passed, and not come back to bid freely.",
    ),
    Feature(
        "contract",
        ("bid",),
        (BIDS,),
        0,
        1,
        "The highest bid, which is the contract once the bidding is over.",
    ),
    Feature("caller", ("seat",), (SEATS,), 0, 1, "Who made the highest bid."),
    Feature("discard", ("card",), (52,), 0, 1, "The card that the observer discarded."),
    Feature(
        "exposed",
        ("seat", "card"),
        (SEATS, 52),
        0,
        1,
        "The cards of each hand that lies open.",
    ),
    Feature("tricks", ("seat",), (SEATS,), 0, 13, "Tricks taken in this deal."),
    Feature(
        "points",
        ("seat", "digit"),
        (SEATS, 3),
        -99,
        99,
        "White counters made in this episode: ten thousands, hundreds, and the rest, "
        "each with the sign of the whole.",
    ),
    Feature(
        "pool",
        ("digit",),
        (3,),
        0,
        99,
        "White counters in the pool, with the stakes of this deal: ten thousands, "
        "hundreds, and the rest.",
    ),
    Feature("deals_left", (), (), 0, 100, "Deals still to end in this episode."),
)
STATE_FEATURES: Final = FeatureTable(
    *FEATURES.features,
    Feature("hands", ("seat", "card"), (SEATS, 52), 0, 1, "Cards in every hand."),
    Feature("discards", ("seat", "card"), (SEATS, 52), 0, 1, "Every discard."),
)

_PHASE = FEATURES.offset("phase")
_CUT = FEATURES.offset("cut")
_BIDS = FEATURES.offset("bids")
_PASSED = FEATURES.offset("passed")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_TRICKS = FEATURES.offset("tricks")
_POINTS = FEATURES.offset("points")
_POOL = FEATURES.offset("pool")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")
_DISCARDS = STATE_FEATURES.offset("discards")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    write(out, _PHASE + int(record.phase), 1)
    write(out, _CUT + int(record.cut), 1)
    write_calls(record, seat, out)
    write_cards(out, _DISCARD, record.discards[seat])
    for other in range(SEATS):
        if is_exposed(record, other):
            place = _EXPOSED + CARDS * relative(other, seat, SEATS)
            write_cards(out, place, record.hands[other])
    write_scores(record, seat, out)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, every hand, every discard."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = CARDS * relative(other, seat, SEATS)
        write_cards(out, _HANDS + place, record.hands[other])
        write_cards(out, _DISCARDS + place, record.discards[other])


@rule
def write_calls(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """All bids and passes. Bids rise and turns go round, so this tells their order."""
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write(out, _PASSED + place, record.passed[other])
        rest = record.bids[other]
        while rest != NO_CARDS:
            write(out, _BIDS + BIDS * place + lowest(rest), 1)
            rest = without_lowest(rest)
    if record.bid != NO_BID:
        write(out, _CONTRACT + int(record.bid), 1)
        write(out, _CALLER + relative(record.caller, seat, SEATS), 1)


@rule
def write_scores(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Tricks and counters of each seat, the pool, and how long it goes on."""
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write(out, _TRICKS + place, record.tricks_won[other])
        write_number(out, _POINTS + 3 * place, record.points[other], 3)
    write_number(out, _POOL, pool_in_view(record), 3)
    write(out, _DEALS_LEFT, deals_in_episode(record) - record.deals_played)


@rule
def pool_in_view(record: Record) -> int:
    """The pool and, until they are counted, the stakes of the deal in progress."""
    stakes = 0 if record.over else SEATS * int(record.options.red_counter)
    return int(record.pool) + stakes


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, and that of the caller of a spread."""
    if agent == seat or is_exposed(record, seat):
        return np.uint64(record.hands[seat])
    return NO_CARDS


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The cut, calls by player, the contract, discards that the agent knows, pool."""
    seats = range(SEATS)
    lines = (
        ("cut", f"{card_name(record.cut)}, {SUIT_NAMES[record.cut // 13]} preferred"),
        *((f"player_{seat}", _calls_of(record, seat)) for seat in seats),
        ("contract", _contract_text(record)),
        *(
            (f"discard of player_{seat}", card_name(lowest(record.discards[seat])))
            for seat in seats
            if agent in (seat, NOBODY) and record.discards[seat]
        ),
        ("pool", str(pool_in_view(record))),
    )
    return tuple((name, text) for name, text in lines if text)


def _calls_of(record: Record, seat: int) -> str:
    bids = [BID_NAMES[bid] for bid in range(BIDS) if holds(record.bids[seat], bid)]
    return ", ".join([*bids, *(["passed"] if record.passed[seat] else [])])


def _contract_text(record: Record) -> str:
    if record.phase == BID:
        return ""
    if record.bid == NO_BID:
        return "misere partout"
    return f"{BID_NAMES[record.bid]} by player_{record.caller}"


# Judging finished episodes -----------------------------------------------------------


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """White counters that the agent has won, those lost taken off."""
    return np.asarray(records["points"])


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    cut: str | None = None,
    dealer: int | None = None,
    pool: int | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        cut: the card at which the still pack is cut, such as ``"H7"``.
        dealer: the seat that deals.
        pool: white counters that lie in the pool before the stakes of this deal.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_points(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    record.pool = 0 if pool is None else _check_pool(pool)
    record.cut = cut_other_pack(record) if cut is None else parse_card(cut)
    if deal is None:
        shuffle(record, FULL_PACK)
    else:
        _stack_pack(record, deal)
    deal_out(record)


def _check_pool(pool: int) -> int:
    if not is_whole(pool, 0, 10_000):
        raise ValueError(f"pool={pool!r} must be a whole number from 0 to 10000")
    return pool


def _stack_pack(record: Record, deal: str) -> None:
    """Order the pack so that dealing it out gives these hands."""
    if not isinstance(deal, str):
        raise TypeError(f"deal={deal!r} must be a text such as deal_text() writes")
    eldest = int(record.dealer) + 1
    order = [(eldest + place_in_packets(card)) % SEATS for card in range(CARDS)]
    stack_pack(record, parse_deal(deal), order)


def reason(record: Record, action: int) -> str:
    """Why an action is illegal for the seat to act."""
    if record.phase == BID:
        return _reason_not_to_call(record, action)
    if action >= PASS:
        return "the bidding is over"
    if record.phase == DISCARD:
        return f"the hand does not hold {card_name(action)}"
    return reason_not_to_play(record, action)


def _reason_not_to_call(record: Record, action: int) -> str:
    if action < PASS:
        return "cards are played when the bidding is over"
    bid = action - FIRST_BID
    if bid_rank(record, bid) <= bid_rank(record, record.bid):
        return (
            f"it does not over-call {BID_NAMES[record.bid]}; preference is "
            f"{SUIT_NAMES[suit_of(record.cut)]}, then "
            f"{SUIT_NAMES[3 - suit_of(record.cut)]}, and the two plain suits are equal"
        )
    return "who has passed may come back only with a misere"


RULES: Final = (
    Rules(
        name="boston",
        title="Boston",
        agents=SEATS,
        partners=((0,), (1,), (2,), (3,)),
        action_names=(
            *(card_name(card) for card in range(CARDS)),
            "pass",
            *BID_NAMES,
        ),
        options=BostonOptions,
        record=RECORD,
        features=FEATURES,
        state_features=STATE_FEATURES,
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": points_made, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(
            (
                "bid",
                "From the dealer's left each bids higher or passes, until three pass "
                "after a bid, or all four pass: then misere partout is played.",
            ),
            (
                "discard",
                "In a little misere and a little spread all lay one card face down, "
                "the caller first.",
            ),
            ("play", "The dealer's left leads to the first trick, whatever the bid."),
        ),
        visible=visible,
        notes=notes,
    ),
)
