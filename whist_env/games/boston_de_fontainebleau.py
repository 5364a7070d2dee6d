"""Boston de Fontainebleau, in its American form.

Four players, each for himself: one undertakes a contract against the other three, or
for five, six or seven tricks with a partner who offers himself. The whole pack is dealt
by fours and fives, no card is turned, and the highest bidder names the trumps. A pool
goes to whoever makes his contract.

Sources: the frame of the game, its limits (a hand moves at least 30 and at most 2400
counters), the pool and the number of deals are those of Foster's Complete Hoyle; what a
partner undertakes is in Hoyle's Games Improved. No source that gives the rows of the
table of payments is known. The table here meets both of Foster's limits; its amounts,
its steps and its shape are options.
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
    card_name,
    lowest,
    single,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.contracts import (
    enter_points,
    settle_in_pairs,
    settle_with_each,
    with_action,
)
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    dealer_option,
    first_dealer,
    parse_given_deal,
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
from whist_env.engine.honours import honours_held
from whist_env.engine.individual import (
    REWARD_POINTS,
    all_win_but,
    clear_points,
    find_winners,
    finish,
    match_fields,
    won,
)
from whist_env.engine.options import NOT_GIVEN, choice, flag, is_whole, number
from whist_env.engine.pool import (
    divide_pool,
    pay_into_pool,
    pool_fields,
    take_from_pool,
)
from whist_env.engine.record import (
    NOBODY,
    FieldList,
    Record,
    begin_action,
    record_dtype,
)
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
TRICKS: Final = 13
GAME: Final = 12
"""Deals in a game."""
DEALER_STAKE: Final = 5
"""What each dealer puts into the pool."""
FORFEIT: Final = 800
"""What a forfeit pays to each of the others: a third of the most that a contract costs
with the default amounts, what it puts into the pool included."""

# The ladder of bids, from low to high -----------------------------------------------

FIVE, SIX, LITTLE_MISERE, SEVEN, PICCOLISSIMO, EIGHT, GRAND_MISERE, NINE = range(8)
LITTLE_SPREAD, TEN, GRAND_SPREAD, ELEVEN, TWELVE, SLAM, EXPOSED_SLAM = range(8, 15)
RUNG_NAMES: Final = (
    *("five", "six", "little_misere", "seven", "piccolissimo", "eight"),
    *("grand_misere", "nine", "little_spread", "ten", "grand_spread"),
    *("eleven", "twelve", "slam", "exposed_slam"),
)
TRICKS_BID: Final = (5, 6, 0, 7, 1, 8, 0, 9, 0, 10, 0, 11, 12, 13, 13)
"""By rung: the tricks undertaken, at least or (without trumps) exactly."""
ALLIANCE_TARGETS: Final = (8, 10, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
"""By rung: the tricks that a caller undertakes with a partner, who adds three, four or
five; 0 where he takes none."""
EXACT: Final = (LITTLE_MISERE, PICCOLISSIMO, GRAND_MISERE, LITTLE_SPREAD, GRAND_SPREAD)
"""The misères and piccolissimo: no trumps, and a number of tricks to take exactly."""
AFTER_DISCARD: Final = (LITTLE_MISERE, PICCOLISSIMO, LITTLE_SPREAD)
EXPOSED: Final = (LITTLE_SPREAD, GRAND_SPREAD, EXPOSED_SLAM)

SPADES, CLUBS, HEARTS, DIAMONDS, GRAND = range(5)
PLACE_NAMES: Final = ("spades", "clubs", "hearts", "diamonds", "grand")
TRUMPS: Final = (3, 0, 2, 1, NO_SUIT)
"""By place within a rung: the trump suit."""
LADDER: Final = tuple(
    (rung, place)
    for rung in range(len(RUNG_NAMES))
    for place in ((GRAND,) if rung in EXACT else range(5))
)
RUNGS: Final = tuple(rung for rung, _ in LADDER)
PLACES: Final = tuple(place for _, place in LADDER)
BIDS: Final = len(LADDER)
BID_NAMES: Final = tuple(
    RUNG_NAMES[rung] + ("" if rung in EXACT else f"_{PLACE_NAMES[place]}")
    for rung, place in LADDER
)

PASS: Final = CARDS
FIRST_BID: Final = PASS + 1
WHIST: Final = FIRST_BID + BIDS
"""The call of the player who becomes the caller's partner."""
ACTION_NAMES: Final = (*map(card_name, range(CARDS)), "pass", *BID_NAMES, "whist")

BID, ACCEPT, DISCARD, PLAY = range(4)

# Options ----------------------------------------------------------------------------

ONE_DEAL, ONE_GAME = range(2)
DIAMONDS_FIRST, HEARTS_FIRST = range(2)
BY_ALL, BY_CALLER = range(2)
BEFORE_LEAD, AFTER_FIRST_TRICK = range(2)
NEXT_DEALER, SAME_DEALER = range(2)
STAYS, RETURNED = range(2)
ALIKE, DIFFER = range(2)
FLAT, BY_TRICKS = range(2)
ROW_OF_BID, ROW_OF_TARGET = range(2)
BY_THE_CALLER, BY_THE_PARTNER = range(2)


@dataclasses.dataclass(frozen=True)
class FontainebleauOptions(PlayOptions):
    """Options of Boston de Fontainebleau. What no source settles is an option."""

    episode: str = choice(
        "deal",
        *("deal", "game"),
        meaning="How long an episode lasts; a game has twelve deals.",
    )
    deals: int | None = number(
        None,
        1,
        100,
        meaning="A game of another number of deals.",
        episode=("deal",),
    )
    reward: str = choice(
        "points",
        *("points", "match"),
        meaning=(
            "What is rewarded: the counters made in each deal, or having the most at "
            "the end, for which each loser pays each winner 1."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    suit_order: str = choice(
        "DHCS",
        *("DHCS", "HDCS"),
        meaning="The rank of the suits, from the highest: American, or French.",
    )
    partner: bool = flag(
        True, meaning="Whether a caller of few tricks may have a partner."
    )
    discards: str = choice(
        "all",
        *("all", "caller"),
        meaning="Who discards before little misère, little spread and piccolissimo.",
    )
    expose: str = choice(
        "before_lead",
        *("before_lead", "after_first_trick"),
        meaning="When the hand of a spread or an exposed slam is laid on the table.",
    )
    all_pass: str = choice(
        "next_dealer",
        *("next_dealer", "same_dealer"),
        meaning="Who deals after a deal in which everybody has passed.",
    )
    passed_stake: str = choice(
        "stays",
        *("stays", "returned"),
        meaning=(
            "Whether the stake of the dealer stays in the pool after such a deal, or "
            "goes back to him."
        ),
    )
    alliance_row: str = choice(
        "bid",
        *("bid", "target"),
        meaning=(
            "What allies are paid for: the number of tricks bid, or the number that "
            "they have undertaken together."
        ),
        partner=(True,),
    )
    odd_counter: str = choice(
        "caller",
        *("caller", "partner"),
        meaning="Which ally pays or takes the odd counter where they halve the pool.",
        partner=(True,),
    )
    divide_leftover: bool = flag(
        True,
        meaning="Whether the players divide what the pool holds at the end of a game.",
    )
    honours: bool = flag(
        False,
        meaning=(
            "Whether four honours of the caller's side count as four tricks over, and "
            "three as two."
        ),
    )
    honours_on_failure: bool = flag(
        True,
        meaning="Whether honours add to what a caller pays who fails.",
        honours=(True,),
    )
    level_step: int = number(
        20, 0, 50, meaning="Counters for each trick bid beyond five."
    )
    level_growth: int = number(
        0,
        0,
        20,
        meaning=(
            "By how many counters each trick bid beyond six adds more than the one "
            "before; with 0 the table rises evenly."
        ),
    )
    suit_step: int = number(
        10, 0, 50, meaning="Counters for the trumps: 1 black, 2, 3, 4 (grand) times."
    )
    black_suits: str = choice(
        "alike",
        *("alike", "differ"),
        meaning=(
            "Whether both black suits are paid alike, or clubs a step above spades: "
            "then the trumps count 1 to 5 times."
        ),
    )
    over_trick: int = number(
        5,
        0,
        50,
        meaning="Counters for each trick over, and for each that honours count as.",
    )
    under_trick: int | None = number(
        None,
        0,
        50,
        meaning="Counters for each trick under; None takes as much as for one over.",
    )
    slam: int = number(400, 0, 1000, meaning="Counters for a slam in spades.")
    exposed_slam: int = number(450, 0, 1000, meaning="The same for an exposed slam.")
    slam_step: int = number(
        50, 0, 100, meaning="What each better suit, and grand, adds to a slam."
    )
    slam_failure: str = choice(
        "flat",
        *("flat", "by_tricks"),
        meaning=(
            "What a slam costs that fails: as much as it would have earned, or besides "
            "what each trick under costs."
        ),
    )
    little_misere: int = number(75, 0, 1000, meaning="Counters for a little misère.")
    piccolissimo: int = number(100, 0, 1000, meaning="Counters for piccolissimo.")
    grand_misere: int = number(150, 0, 1000, meaning="Counters for a grand misère.")
    little_spread: int = number(200, 0, 1000, meaning="Counters for a little spread.")
    grand_spread: int = number(250, 0, 1000, meaning="Counters for a grand spread.")


FIELDS: Final[FieldList] = [
    *trick_fields(SEATS),
    *match_fields(SEATS),
    *pool_fields(),
    ("phase", np.int8),
    # The seat that made each bid, or -1; the seats that have passed.
    ("bidders", np.int8, (BIDS,)),
    ("passed", np.int8, (SEATS,)),
    # The highest bid so far, who made it, and his partner; -1 for none.
    ("contract", np.int8),
    ("caller", np.int8),
    ("partner", np.int8),
    # The tricks undertaken, and those with a partner if the caller is to find one.
    ("target", np.int8),
    ("alliance_target", np.int8),
    # By seat, the set of the card that it has discarded.
    ("discards", np.uint64, (SEATS,)),
]
RECORD: Final = record_dtype(SEATS, FontainebleauOptions, FIELDS)


@rule
def game_length(record: Record) -> int:
    """The number of deals in a game; 0 where a deal is played by itself."""
    if record.options.deals != NOT_GIVEN:
        return int(record.options.deals)
    return GAME if record.options.episode == ONE_GAME else 0


@rule
def rewards_points(record: Record) -> bool:
    """Whether the counters made are the reward."""
    return bool(record.options.reward == REWARD_POINTS)


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_points(record)
    record.pool = 0
    record.dealer = first_dealer(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def deal_out(record: Record) -> None:
    """Deal by four, four and five from the dealer's left, who bids first."""
    clear_table(record)
    for card in range(CARDS):
        seat = (record.dealer + 1 + place_in_packets(card)) % SEATS
        give(record, seat, record.pack[card])
    clear_calls(record)
    lead(record, left_of(record.dealer, SEATS))
    record.agent = record.seat


@rule
def clear_calls(record: Record) -> None:
    """Nobody has called or discarded anything."""
    record.phase = BID
    record.trump = NO_SUIT
    record.contract = NOBODY
    record.caller = NOBODY
    record.partner = NOBODY
    record.target = 0
    record.alliance_target = 0
    for bid in range(BIDS):
        record.bidders[bid] = NOBODY
    for seat in range(SEATS):
        record.passed[seat] = 0
        record.discards[seat] = NO_CARDS


@rule
def pass_the_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    stays = record.options.all_pass == SAME_DEALER and record.contract == NOBODY
    if not stays:
        record.dealer = left_of(record.dealer, SEATS)
    shuffle(record, FULL_PACK)


# The bids ---------------------------------------------------------------------------


@rule
def place_of(options: Any, bid: int) -> int:
    """The rank of a bid within its rung: spades, clubs, hearts, diamonds, grand.

    In France hearts stand above diamonds.
    """
    place = PLACES[bid]
    swapped = place == HEARTS or place == DIAMONDS
    if swapped and options.suit_order == HEARTS_FIRST:
        return HEARTS + DIAMONDS - place
    return place


@rule
def over_calls(record: Record, bid: int) -> bool:
    """Whether a bid is higher than the highest so far."""
    standing = int(record.contract)
    if standing == NOBODY or RUNGS[bid] > RUNGS[standing]:
        return True
    options = record.options
    same_rung = RUNGS[bid] == RUNGS[standing]
    return same_rung and place_of(options, bid) > place_of(options, standing)


@rule
def rung(record: Record) -> int:
    """The rung of the contract."""
    return RUNGS[record.contract]


@rule
def alliance_target(record: Record) -> int:
    """What the caller undertakes with a partner; 0 where he is to play alone."""
    return ALLIANCE_TARGETS[rung(record)] if record.options.partner else 0


# Phases and legality ----------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """The actions of each phase; in play, suit must be followed."""
    if record.phase == BID:
        return legal_bids(record)
    if record.phase == ACCEPT:
        first, second = with_action(NO_CARDS, NO_CARDS, PASS)
        return with_action(first, second, WHIST)
    if record.phase == DISCARD:
        return np.uint64(record.hands[record.seat]), NO_CARDS
    return following(record), NO_CARDS


@rule
def legal_bids(record: Record) -> tuple[np.uint64, np.uint64]:
    """Pass, or any higher bid."""
    first, second = with_action(NO_CARDS, NO_CARDS, PASS)
    for bid in range(BIDS):
        if over_calls(record, bid):
            first, second = with_action(first, second, FIRST_BID + bid)
    return first, second


@rule
def apply(record: Record, action: int) -> None:
    """Carry out an action; a deal that has ended is settled and the next is dealt."""
    begin_action(record)
    if record.phase == BID:
        call(record, action)
        if bidding_is_over(record):
            end_bidding(record, alliance_target(record))
    else:
        go_on(record, action)
    if deal_is_over(record):
        end_deal(record)
        if not record.over:
            deal_out(record)


@rule
def go_on(record: Record, action: int) -> None:
    """What is done after the bidding."""
    if record.phase == ACCEPT:
        answer(record, action)
    elif record.phase == DISCARD:
        discard(record, action)
    else:
        play(record, action)


@rule
def turn_to(record: Record, seat: int) -> None:
    """Let a seat act."""
    record.seat = seat
    record.agent = seat


@rule
def call(record: Record, action: int) -> None:
    """Bid, or pass and be out of the bidding."""
    seat = int(record.seat)
    if action == PASS:
        record.passed[seat] = 1
    else:
        record.contract = action - FIRST_BID
        record.caller = seat
        record.bidders[record.contract] = seat
    if players_out(record) < SEATS:
        turn_to(record, next_bidder(record))


@rule
def players_out(record: Record) -> int:
    """How many have passed."""
    passed = 0
    for seat in range(SEATS):
        passed += int(record.passed[seat])
    return passed


@rule
def next_bidder(record: Record) -> int:
    """The next on the left who has not passed."""
    seat = left_of(record.seat, SEATS)
    while record.passed[seat]:
        seat = left_of(seat, SEATS)
    return seat


@rule
def bidding_is_over(record: Record) -> bool:
    """Whether there is a bid, and all the others have passed."""
    return bool(record.contract != NOBODY and players_out(record) == SEATS - 1)


@rule
def end_bidding(record: Record, with_partner: int) -> None:
    """The highest bid is the contract.

    Args:
        record: the table.
        with_partner: the tricks that the caller undertakes if he finds a partner; 0 if
            he is to play alone.
    """
    record.trump = TRUMPS[PLACES[record.contract]]
    record.target = TRICKS_BID[rung(record)]
    record.alliance_target = with_partner
    if with_partner > 0:
        record.phase = ACCEPT
        turn_to(record, left_of(record.caller, SEATS))
    elif rung(record) in AFTER_DISCARD:
        record.phase = DISCARD
        turn_to(record, record.caller)
    else:
        begin_play(record)


@rule
def answer(record: Record, action: int) -> None:
    """From the caller's left, the first who takes the offer becomes the partner."""
    asked_next = left_of(record.seat, SEATS)
    if action == WHIST:
        record.partner = record.seat
        record.target = record.alliance_target
        begin_play(record)
    elif asked_next == record.caller:
        begin_play(record)
    else:
        turn_to(record, asked_next)


@rule
def discard(record: Record, card: int) -> None:
    """Put a card aside, face down; the caller first, then the others."""
    seat = int(record.seat)
    record.discards[seat] = single(card)
    record.hands[seat] = without(record.hands[seat], single(card))
    discards_next = left_of(seat, SEATS)
    if record.options.discards == BY_CALLER or discards_next == record.caller:
        begin_play(record)
    else:
        turn_to(record, discards_next)


@rule
def begin_play(record: Record) -> None:
    """The dealer's left leads, whatever the contract."""
    record.phase = PLAY
    lead(record, left_of(record.dealer, SEATS))
    record.agent = record.seat


@rule
def play(record: Record, card: int) -> None:
    """The seat to play plays a card."""
    play_card(record, card)
    if trick_is_complete(record):
        take_trick(record)
    record.agent = record.seat


@rule
def tricks_in_deal(record: Record) -> int:
    """All tricks are played: one less after a discard."""
    return TRICKS - 1 if rung(record) in AFTER_DISCARD else TRICKS


@rule
def deal_is_over(record: Record) -> bool:
    """Whether all have passed, or all tricks are played."""
    if record.phase == BID:
        return players_out(record) == SEATS
    all_played = record.tricks_played == tricks_in_deal(record)
    return bool(record.phase == PLAY and all_played)


# Payments ---------------------------------------------------------------------------


@rule
def is_ally(record: Record, seat: int) -> bool:
    """Whether a seat is the caller or his partner."""
    return bool(seat == record.caller or seat == record.partner)


@rule
def tricks_made(record: Record) -> int:
    """The tricks of the caller's side."""
    tricks = 0
    for seat in range(SEATS):
        if is_ally(record, seat):
            tricks += int(record.tricks_won[seat])
    return tricks


@rule
def is_made(record: Record) -> bool:
    """Whether the caller's side has done what it undertook."""
    if rung(record) in EXACT:
        return bool(tricks_made(record) == record.target)
    return bool(tricks_made(record) >= record.target)


@rule
def honours_as_tricks(record: Record) -> int:
    """A K Q J of trumps dealt to the caller's side: four count 4, three count 2.

    On failure they add to what is paid, as Hoyle's Games Improved has it, or do not
    count.
    """
    options = record.options
    counted = options.honours_on_failure or is_made(record)
    if not options.honours or not counted or record.trump == NO_SUIT:
        return 0
    dealt = NO_CARDS
    for seat in range(SEATS):
        if is_ally(record, seat):
            dealt |= record.dealt[seat]
    held = honours_held(dealt, record.trump, 4)
    if held == 4:
        return 4
    return 2 if held == 3 else 0


@rule
def suit_value(options: Any, bid: int) -> int:
    """By the trumps of a bid: 1 for both black suits, 2 and 3 for the red, 4 for grand.

    Or 1 to 5, where the black suits differ.
    """
    place = place_of(options, bid)
    return place + 1 if options.black_suits == DIFFER else max(1, place)


@rule
def price_of_tricks(options: Any, bid: int, tricks: int) -> int:
    """The amount in the row of so many tricks, for the trumps of a bid."""
    beyond = tricks - TRICKS_BID[FIVE]
    growth = options.level_growth * (beyond * (beyond - 1) // 2)
    better = options.suit_step * suit_value(options, bid)
    return int(options.level_step * beyond + growth + better)


@rule
def price_of_slam(options: Any, bid: int) -> int:
    """The amount of a slam, or of one with the hand on the table."""
    better = options.slam_step * (suit_value(options, bid) - 1)
    if RUNGS[bid] == EXPOSED_SLAM:
        return int(options.exposed_slam + better)
    return int(options.slam + better)


@rule
def price_without_trumps(options: Any, bid: int) -> int:
    """The amount of a misère, or of piccolissimo."""
    level = RUNGS[bid]
    if level == LITTLE_MISERE:
        return int(options.little_misere)
    if level == PICCOLISSIMO:
        return int(options.piccolissimo)
    if level == GRAND_MISERE:
        return int(options.grand_misere)
    if level == LITTLE_SPREAD:
        return int(options.little_spread)
    return int(options.grand_spread)


@rule
def price_of_difference(record: Record) -> int:
    """What the tricks over or under the contract add to its amount."""
    options = record.options
    over = tricks_made(record) - int(record.target)
    if over >= 0 or options.under_trick == NOT_GIVEN:
        return int(options.over_trick * max(over, -over))
    return int(options.under_trick * -over)


@rule
def amount(record: Record) -> int:
    """What the caller wins from each adversary, or loses to him and to the pool."""
    options = record.options
    bid = int(record.contract)
    level = rung(record)
    if level in EXACT:
        return price_without_trumps(options, bid)
    if level == SLAM or level == EXPOSED_SLAM:
        by_tricks = options.slam_failure == BY_TRICKS
        return price_of_slam(options, bid) + (
            price_of_difference(record) if by_tricks else 0
        )
    row = TRICKS_BID[level]
    if options.alliance_row == ROW_OF_TARGET:
        row = int(record.target)
    honours = int(options.over_trick) * honours_as_tricks(record)
    return price_of_tricks(options, bid, row) + price_of_difference(record) + honours


@rule
def settle(record: Record) -> None:
    """The dealer's stake, and what the contract earns or costs."""
    if record.contract == NOBODY:
        if record.options.passed_stake == STAYS:
            pay_into_pool(record, record.dealer, DEALER_STAKE)
        return
    pay_into_pool(record, record.dealer, DEALER_STAKE)
    value = amount(record) if is_made(record) else -amount(record)
    if record.partner == NOBODY:
        settle_with_each(record, record.caller, value)
    else:
        settle_in_pairs(record, record.caller, record.partner, value)
    if is_made(record):
        take_pool(record)
    else:
        pay_pool(record, -value)


@rule
def take_pool(record: Record) -> None:
    """The pool goes with every successful play; allies halve it."""
    pool = int(record.pool)
    partners_part = part_of_partner(record, pool)
    if record.partner != NOBODY:
        take_from_pool(record, record.partner, partners_part)
    take_from_pool(record, record.caller, pool - partners_part)


@rule
def pay_pool(record: Record, value: int) -> None:
    """The unsuccessful pay the pool as much as each adversary; allies halve that."""
    partners_part = part_of_partner(record, value)
    if record.partner != NOBODY:
        pay_into_pool(record, record.partner, partners_part)
    pay_into_pool(record, record.caller, value - partners_part)


@rule
def part_of_partner(record: Record, counters: int) -> int:
    """Half of some counters, in whole ones; nothing where there is no partner."""
    if record.partner == NOBODY:
        return 0
    if record.options.odd_counter == BY_THE_PARTNER:
        return (counters + 1) // 2
    return counters // 2


# The end of a deal and of a game ----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Settle the deal; then the episode ends, or the deal passes."""
    settle(record)
    record.deals_played += 1
    length = game_length(record)
    if record.deals_played == length:
        empty_pool(record)
    enter_points(record, rewards_points(record))
    if record.deals_played >= length:
        end_match(record)
    else:
        pass_the_deal(record)


@rule
def empty_pool(record: Record) -> None:
    """After the last deal of a game the pool is divided.

    The adversaries of a caller who has failed divide it; otherwise all do.
    """
    if record.contract != NOBODY and not is_made(record):
        divide_among_adversaries(record)
    elif record.options.divide_leftover:
        divide_pool(record)


@rule
def divide_among_adversaries(record: Record) -> None:
    """They take equal numbers of whole counters; what cannot be divided stays."""
    share = int(record.pool) // (3 if record.partner == NOBODY else 2)
    for seat in range(SEATS):
        if not is_ally(record, seat):
            take_from_pool(record, seat, share)


@rule
def end_match(record: Record) -> None:
    """Whoever has made most wins; the cards that are left are thrown in."""
    find_winners(record)
    for seat in range(SEATS):
        record.hands[seat] = NO_CARDS
    finish(record, 1)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, who pays 600 to each of the others.

    It pays 1 to each where only winning is rewarded.
    """
    begin_action(record)
    all_win_but(record, record.agent)
    settle_with_each(record, record.agent, -FORFEIT)
    enter_points(record, rewards_points(record))
    finish(record, 1)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature(
        "phase",
        ("phase",),
        (4,),
        0,
        1,
        "What is done now: bid, accept, discard, play.",
    ),
    Feature(
        "bids",
        ("seat", "bid"),
        (4, BIDS),
        0,
        1,
        "Every bid that each seat has made, by its place in the list of actions.",
    ),
    Feature("passed", ("seat",), (4,), 0, 1, "The seats that are out of the bidding."),
    Feature("contract", ("bid",), (BIDS,), 0, 1, "The highest bid."),
    Feature("caller", ("seat",), (4,), 0, 1, "Who made it."),
    Feature("partner", ("seat",), (4,), 0, 1, "His partner."),
    Feature(
        "target",
        (),
        (),
        0,
        13,
        "The tricks that they have undertaken; 0 before the end of the bidding.",
    ),
    Feature("discard", ("card",), (52,), 0, 1, "The observer's discard."),
    Feature(
        "exposed",
        ("card",),
        (52,),
        0,
        1,
        "Cards in the hand of the caller while it lies on the table.",
    ),
    Feature("tricks", ("seat",), (4,), 0, 13, "Tricks taken in this deal."),
    Feature(
        "pool",
        ("digit",),
        (3,),
        0,
        99,
        "Counters in the pool, with the stake of the deal in progress: ten thousands, "
        "hundreds, and the rest.",
    ),
    Feature(
        "points",
        ("seat", "digit"),
        (4, 3),
        -99,
        99,
        "Counters made in the whole episode: ten thousands, hundreds, and the rest.",
    ),
    Feature(
        "deals_left",
        (),
        (),
        0,
        100,
        "Deals still to end in this game; 0 where a deal is played by itself.",
    ),
)
HIDDEN: Final = (
    Feature("hands", ("seat", "card"), (4, 52), 0, 1, "Cards in every hand."),
    Feature("discards", ("seat", "card"), (4, 52), 0, 1, "The discard of every seat."),
)
STATE_FEATURES: Final = FeatureTable(*FEATURES.features, *HIDDEN)

_PHASE = FEATURES.offset("phase")
_BIDS = FEATURES.offset("bids")
_PASSED = FEATURES.offset("passed")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_PARTNER = FEATURES.offset("partner")
_TARGET = FEATURES.offset("target")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_TRICKS = FEATURES.offset("tricks")
_POOL = FEATURES.offset("pool")
_POINTS = FEATURES.offset("points")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")


@rule
def lies_open(record: Record, seat: int) -> bool:
    """Whether the hand of a seat lies on the table: of a spread, or exposed slam."""
    if record.phase != PLAY or seat != record.caller or rung(record) not in EXPOSED:
        return False
    return bool(record.options.expose == BEFORE_LEAD or record.tricks_played > 0)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, and one that lies on the table."""
    if agent == seat or lies_open(record, seat):
        return np.uint64(record.hands[seat])
    return NO_CARDS


@rule
def pool_with_stake(record: Record) -> int:
    """What lies in the pool; the dealer has staked for the deal in progress."""
    return int(record.pool) + (0 if record.over else DEALER_STAKE)


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    write(out, _PHASE + int(record.phase), 1)
    write_calls(record, seat, out)
    write_contract(record, seat, out)
    write_scores(record, seat, out)
    write_cards(out, _DISCARD, record.discards[seat])


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, every hand, every discard."""
    observe(record, seat, out)
    write_hidden(record, seat, out, _HANDS)


@rule
def write_calls(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Who made each bid, and who has passed."""
    for bid in range(BIDS):
        if record.bidders[bid] != NOBODY:
            bidder = relative(record.bidders[bid], seat, SEATS)
            write(out, _BIDS + BIDS * bidder + bid, 1)
    for other in range(SEATS):
        write(out, _PASSED + relative(other, seat, SEATS), record.passed[other])


@rule
def write_contract(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The contract, who plays it, and his hand if it lies on the table."""
    if record.contract == NOBODY:
        return
    write(out, _CONTRACT + int(record.contract), 1)
    write(out, _CALLER + relative(record.caller, seat, SEATS), 1)
    write(out, _TARGET, record.target)
    if record.partner != NOBODY:
        write(out, _PARTNER + relative(record.partner, seat, SEATS), 1)
    if lies_open(record, record.caller):
        write_cards(out, _EXPOSED, record.hands[record.caller])


@rule
def write_scores(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Tricks, counters and the pool."""
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write(out, _TRICKS + place, record.tricks_won[other])
        write_number(out, _POINTS + 3 * place, record.points[other], 3)
    write_number(out, _POOL, pool_with_stake(record), 3)
    if game_length(record) > 0:
        write(out, _DEALS_LEFT, game_length(record) - record.deals_played)


@rule
def write_hidden(record: Record, seat: int, out: npt.NDArray[Any], start: int) -> None:
    """Every hand and every discard, from a place on."""
    for other in range(SEATS):
        place = start + CARDS * relative(other, seat, SEATS)
        write_cards(out, place, record.hands[other])
        write_cards(out, place + SEATS * CARDS, record.discards[other])


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The pool, the bidding and the contract, and the discards that an agent knows."""
    lines = [("pool", str(pool_with_stake(record)))]
    highest = {int(record.bidders[bid]): BID_NAMES[bid] for bid in range(BIDS)}
    calls = [
        f"player_{seat} {highest.get(seat, '')}{' (out)' * int(record.passed[seat])}"
        for seat in range(SEATS)
        if seat in highest or record.passed[seat]
    ]
    if calls:
        lines.append(("calls", ", ".join(call.replace("  ", " ") for call in calls)))
    if record.contract != NOBODY and record.phase != BID:
        lines.append(("contract", _contract_text(record)))
    known = [
        f"player_{seat} {card_name(lowest(card))}"
        for seat, card in enumerate(record.discards)
        if card and agent in (seat, NOBODY)
    ]
    if known:
        lines.append(("discards", ", ".join(known)))
    return tuple(lines)


def _contract_text(record: Record) -> str:
    partner = "" if record.partner == NOBODY else f" and player_{record.partner}"
    exactly = "exactly " if rung(record) in EXACT else ""
    return (
        f"{BID_NAMES[record.contract]} by player_{record.caller}{partner}: {exactly}"
        f"{record.target} tricks"
    )


# Judging finished episodes -----------------------------------------------------------


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Counters made in the episode; what stays in the pool is nobody's."""
    return np.asarray(records["points"])


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    dealer: int | None = None,
    pool: int = 0,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        dealer: the seat that deals.
        pool: the counters in the pool before the dealer adds his stake.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_points(record)
    if not is_whole(pool, 0, 100_000):
        raise ValueError(f"pool={pool!r} must be a whole number from 0 to 100000")
    record.pool = pool
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    if deal is None:
        shuffle(record, FULL_PACK)
    else:
        first = int(record.dealer) + 1
        order = [(first + place_in_packets(card)) % SEATS for card in range(CARDS)]
        stack_pack(record, parse_given_deal(deal), order)
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why an action is not open to the seat to act."""
    if record.phase == BID:
        return _reason_not_to_call(record, action)
    if record.phase == ACCEPT:
        return (
            f"player_{record.caller} asks for a partner: the answer is 'whist' or "
            "'pass'"
        )
    if action >= CARDS:
        return "the bidding is over, and a card is due"
    if record.phase == DISCARD:
        return f"the hand does not hold {card_name(action)}, which cannot be discarded"
    return reason_not_to_play(record, action)


def _reason_not_to_call(record: Record, action: int) -> str:
    if action < CARDS:
        return "no card is played during the bidding"
    if action == WHIST:
        return "no partner is asked for before the bidding is over"
    return (
        f"the bid is not higher than {BID_NAMES[record.contract]} of "
        f"player_{record.caller}"
    )


RULES: Final = (
    Rules(
        name="boston_de_fontainebleau",
        title="Boston de Fontainebleau",
        agents=SEATS,
        partners=((0,), (1,), (2,), (3,)),
        action_names=ACTION_NAMES,
        options=FontainebleauOptions,
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
            ("bid", "From the dealer's left; whoever passes is out."),
            (
                "accept",
                "After a bid of five, six or seven tricks the others are asked in "
                "turn from the caller's left; the first who says whist is the partner.",
            ),
            (
                "discard",
                "Before little misère, little spread and piccolissimo each puts a card "
                "aside, face down; the caller first.",
            ),
            (
                "play",
                "The dealer's left leads; the hand of a spread or exposed slam lies on "
                "the table.",
            ),
        ),
        visible=visible,
        notes=notes,
    ),
)
