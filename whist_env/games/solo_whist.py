"""Solo Whist.

Four players, each for himself. The cards are dealt three at a time, the last four one
at a time; the last is the dealer's and is turned. Then the players call what they
undertake, each call higher than the one before. The highest call is played: by its
caller against the three others, or by the one who proposed and the one who accepted
against the other two. Their alliance is for one deal.

Sources: the laws of Solo Whist and Foster's Complete Hoyle (calls, payments); the
Encyclopaedia Britannica of 1911 ("eb": other stakes, general misère). What neither
settles is an option.
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
    single,
    suit_of,
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
    stack_turned_pack,
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
from whist_env.engine.options import NOT_GIVEN, choice, number
from whist_env.engine.record import NOBODY, Record, begin_action, pay, record_dtype
from whist_env.engine.rules import Rules
from whist_env.engine.sight import (
    HISTORY_ALL,
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
BID, NAME, PLAY = range(3)
"""The phases of a deal."""

# Calls, from the lowest to the highest ----------------------------------------------

CALLS: Final = (
    *("pass", "propose", "accept", "solo", "misere", "abundance"),
    *("abundance_in_trumps", "spread", "slam"),
)
PASS, PROPOSE, ACCEPT, SOLO, MISERE, ABUNDANCE, IN_TRUMPS, SPREAD, SLAM = range(9)
"""As actions they follow the cards. The call that stands is kept as one of them: `PASS`
where there is none, `PROPOSE` while nobody has accepted, `ACCEPT` for an alliance."""
CALL_COUNT: Final = len(CALLS)
FIRST_SUIT: Final = CARDS + CALL_COUNT
"""The first of the four actions that name a trump suit."""

UNDERTAKEN: Final = (0, 8, 8, 5, 0, 9, 9, 0, 13)
"""The tricks undertaken, by call."""
RED: Final = 5
"""White counters in a red one."""
STAKES: Final = (
    (RED, RED, RED, 2 * RED, 3 * RED, 4 * RED, 4 * RED, 6 * RED, 8 * RED),
    (1, 1, 1, 1, 2, 3, 3, 4, 6),
)
"""What each adversary pays or gets: in white counters (Foster), and in units of
sixpence (eb). The first is the single stake of a general misère."""

# Options ----------------------------------------------------------------------------

FOSTER, EB = range(2)
MAY_RETURN, STAYS_OUT = range(2)
ANY_CALL, SOLO_ONLY = range(2)
AFTER_BIDDING, WITH_CALL = range(2)
NAMED, NO_TRUMP = range(2)
OFF, ON = range(2)
EACH, NONE = range(2)
NEXT_DEALER, SAME_DEALER = range(2)
PLAY_ON, STOP = range(2)


@dataclasses.dataclass(frozen=True)
class SoloWhistOptions(PlayOptions):
    """Options of Solo Whist. What no source settles is an option."""

    deals: int = number(1, 1, 100, meaning="The deals of an episode.")
    reward: str = choice(
        "points",
        *("points", "match"),
        meaning=(
            "What is rewarded: the counters won in each deal, or being first at the "
            "end (each other player pays 1 to each who is)."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    stakes: str = choice(
        "foster",
        *("foster", "eb"),
        meaning=(
            "What is paid, for proposal, solo, misere, abundance, spread and slam: 5, "
            "10, 15, 20, 30, 40 white counters, or 1, 1, 2, 3, 4, 6 units."
        ),
    )
    solo_stake: int = number(
        1, 1, 2, meaning="The units paid for a solo.", stakes=("eb",)
    )
    trick_stake: int | None = number(
        None,
        0,
        10,
        meaning=(
            "What each trick above or below the number undertaken is worth; None takes "
            "1 with stakes='foster' and 0 with stakes='eb'."
        ),
    )
    eldest: str = choice(
        "may_return",
        *("may_return", "stays_out"),
        meaning=(
            "Whether eldest hand, having passed, may still accept a proposal over "
            "which nobody has called."
        ),
    )
    amendment: str = choice(
        "any_call",
        *("any_call", "solo_only"),
        meaning="To what a proposer whom nobody accepted may amend.",
    )
    trump_named: str = choice(
        "after_bidding",
        *("after_bidding", "with_call"),
        meaning=(
            "When the trumps of an abundance or a slam are named: by the last caller "
            "after the bidding, or by each at once."
        ),
    )
    slam_trump: str = choice(
        "named",
        *("named", "none"),
        meaning="Whether a slam has trumps, which its caller names.",
    )
    general_misere: str = choice(
        "off",
        *("off", "on"),
        meaning=(
            "Whether, when all pass, the hands are played without trumps, and who "
            "takes most tricks pays each other a single stake."
        ),
    )
    general_misere_tie: str = choice(
        "each",
        *("each", "none"),
        meaning=(
            "Who pays where several take most tricks: each of them, to those with "
            "fewer, or none."
        ),
        general_misere=("on",),
    )
    redeal: str = choice(
        "next_dealer",
        *("next_dealer", "same_dealer"),
        meaning="Who deals after hands that were thrown in without play.",
    )
    decided_hands: str = choice(
        "play_on",
        *("play_on", "stop"),
        meaning="Whether a misere, spread or slam stops as soon as it has failed.",
    )


RECORD: Final = record_dtype(
    SEATS,
    SoloWhistOptions,
    [
        *trick_fields(SEATS),
        *match_fields(SEATS),
        ("phase", np.int8),
        ("turned", np.int8),
        # The call that stands, and who made each call: calls only rise, so that each is
        # made once in a deal at most.
        ("standing", np.int8),
        ("made_by", np.int8, (CALL_COUNT,)),
        # By seat and call: 1 if the seat passed while this call stood.
        ("passed", np.int8, (SEATS, CALL_COUNT)),
        # By seat and suit: 1 if the seat has named it as trumps.
        ("named", np.int8, (SEATS, 4)),
    ],
)


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_points(record)
    record.dealer = first_dealer(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def place_in_deal(card: int) -> int:
    """Who gets a card of the pack, counted from the dealer's left (law 13).

    Three cards at a time until four remain, and these one at a time.
    """
    return card // 3 % SEATS if card < CARDS - SEATS else card % SEATS


@rule
def eldest_hand(record: Record) -> int:
    """The dealer's left: first to call, and first to lead."""
    return left_of(int(record.dealer), SEATS)


@rule
def deal_out(record: Record) -> None:
    """Deal the pack, turn the last card, and let eldest hand call first."""
    clear_table(record)
    clear_calls(record)
    for card in range(CARDS):
        seat = (eldest_hand(record) + place_in_deal(card)) % SEATS
        give(record, seat, record.pack[card])
    record.turned = record.pack[CARDS - 1]
    lead(record, eldest_hand(record))
    give_turn(record, BID, eldest_hand(record))


@rule
def clear_calls(record: Record) -> None:
    """No call has been made."""
    record.standing = PASS
    record.trump = NO_SUIT
    for call in range(CALL_COUNT):
        record.made_by[call] = NOBODY
        for seat in range(SEATS):
            record.passed[seat, call] = 0
    for seat in range(SEATS):
        for suit in range(4):
            record.named[seat, suit] = 0


@rule
def give_turn(record: Record, phase: int, seat: int) -> None:
    """Let a seat act in a phase of the deal."""
    record.phase = phase
    record.seat = seat
    record.agent = seat


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left; by option not where the hands were thrown in."""
    thrown_in = record.cards_played == 0
    record.deal_number += 1
    if not (thrown_in and record.options.redeal == SAME_DEALER):
        record.dealer = eldest_hand(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def turned_card_lies_open(record: Record) -> bool:
    """The turned card is public until the dealer plays to the first trick."""
    return record.played[record.dealer] == NO_CARDS and holds(
        record.hands[record.dealer], record.turned
    )


# Bidding ----------------------------------------------------------------------------


@rule
def caller_of(record: Record) -> int:
    """The seat whose call stands; of an alliance, the proposer; -1 without a call."""
    call = PROPOSE if record.standing == ACCEPT else record.standing
    return int(record.made_by[call])


@rule
def ally_of(record: Record) -> int:
    """The seat that accepted, -1 where no alliance stands.

    An alliance dissolves when it is over-called.
    """
    return int(record.made_by[ACCEPT]) if record.standing == ACCEPT else NOBODY


@rule
def is_on_callers_side(record: Record, seat: int) -> bool:
    """Whether a seat is the caller or its ally."""
    return seat == caller_of(record) or seat == ally_of(record)


@rule
def has_passed(record: Record, seat: int) -> bool:
    """Whether a seat has passed, and so is out of the bidding."""
    for call in range(CALL_COUNT):
        if record.passed[seat, call]:
            return True
    return False


@rule
def may_return(record: Record, seat: int) -> bool:
    """Eldest hand may accept after having passed, if only the proposal stands.

    It is asked once.
    """
    return bool(
        record.options.eldest == MAY_RETURN
        and seat == eldest_hand(record)
        and record.standing == PROPOSE
        and not record.passed[seat, PROPOSE]
    )


@rule
def has_turn(record: Record, seat: int) -> bool:
    """Whether a seat calls when its turn comes.

    A player whose call stands has no turn: he may amend it only if over-called. A
    proposer has one if nobody has accepted when the turn comes round to him.
    """
    if has_passed(record, seat):
        return may_return(record, seat)
    if is_on_callers_side(record, seat):
        return bool(record.standing == PROPOSE)
    return True


@rule
def next_to_call(record: Record) -> int:
    """The next seat clockwise that has a turn, last the one that called; or -1."""
    for step in range(1, SEATS + 1):
        seat = int(record.seat + step) % SEATS
        if has_turn(record, seat):
            return seat
    return NOBODY


@rule
def may_call(record: Record, call: int) -> bool:
    """Whether the seat whose turn it is may make a call other than a pass."""
    standing = record.standing
    if call == PROPOSE:
        return bool(standing == PASS)
    if call == ACCEPT:
        return bool(standing == PROPOSE and record.seat != caller_of(record))
    if has_passed(record, record.seat):
        return False
    if record.seat == caller_of(record) and record.options.amendment == SOLO_ONLY:
        return call == SOLO
    return bool(call > standing)


@rule
def legal_calls(record: Record) -> np.uint64:
    """A pass always; any call that is higher than the one that stands."""
    calls = single(CARDS + PASS)
    for call in range(PROPOSE, CALL_COUNT):
        if may_call(record, call):
            calls = np.uint64(calls | single(CARDS + call))
    return calls


@rule
def bid(record: Record, call: int) -> None:
    """The seat whose turn it is passes or calls."""
    if call == PASS:
        record.passed[record.seat, record.standing] = 1
    else:
        make_call(record, call)
    if record.options.trump_named == WITH_CALL and trump_is_to_be_named(record):
        give_turn(record, NAME, record.seat)
    else:
        go_on_bidding(record)


@rule
def make_call(record: Record, call: int) -> None:
    """A call stands until a higher one is made."""
    record.made_by[call] = record.seat
    record.standing = call
    record.trump = NO_SUIT
    if call <= SOLO or call == IN_TRUMPS:
        record.trump = suit_of(record.turned)


@rule
def go_on_bidding(record: Record) -> None:
    """Bidding goes on until all others have passed."""
    seat = next_to_call(record)
    if seat != NOBODY:
        give_turn(record, BID, seat)
    elif record.standing == PROPOSE:
        finish_deal(record)
    elif record.standing == PASS and record.options.general_misere == OFF:
        finish_deal(record)
    elif trump_is_to_be_named(record):
        give_turn(record, NAME, caller_of(record))
    else:
        begin_play(record)


# Naming trumps ----------------------------------------------------------------------


@rule
def trump_is_to_be_named(record: Record) -> bool:
    """Whether the caller of an abundance or a slam has yet to name trumps."""
    if record.trump != NO_SUIT:
        return False
    if record.standing == SLAM:
        return bool(record.options.slam_trump == NAMED)
    return bool(record.standing == ABUNDANCE)


@rule
def may_name(record: Record, suit: int) -> bool:
    """Any suit; abundance in the turned suit is a call of its own."""
    return bool(record.standing == SLAM or suit != suit_of(record.turned))


@rule
def legal_suits(record: Record) -> tuple[np.uint64, np.uint64]:
    """The suits that the caller may name."""
    first, second = NO_CARDS, NO_CARDS
    for suit in range(4):
        if may_name(record, suit):
            first, second = with_action(first, second, FIRST_SUIT + suit)
    return first, second


@rule
def name_trump(record: Record, suit: int) -> None:
    """The caller names trumps; then the bidding goes on or, if it is over, the play."""
    record.trump = suit
    record.named[record.seat, suit] = 1
    go_on_bidding(record)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """Calls, suits to name, or the cards that follow suit."""
    if record.phase == BID:
        return legal_calls(record), NO_CARDS
    if record.phase == NAME:
        return legal_suits(record)
    return following(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """The agent to act calls, names trumps or plays a card."""
    begin_action(record)
    if record.phase == BID:
        bid(record, action - CARDS)
    elif record.phase == NAME:
        name_trump(record, action - FIRST_SUIT)
    else:
        play(record, action)


@rule
def begin_play(record: Record) -> None:
    """Eldest hand leads, but the caller of a slam leads himself."""
    leader = caller_of(record) if record.standing == SLAM else eldest_hand(record)
    lead(record, leader)
    give_turn(record, PLAY, leader)


@rule
def play(record: Record, card: int) -> None:
    """A card is played; all tricks are, unless it stops when decided."""
    play_card(record, card)
    if trick_is_complete(record):
        take_trick(record)
    record.agent = record.seat
    stops = record.options.decided_hands == STOP and has_failed(record)
    if record.tricks_played == TRICKS or stops:
        settle(record)
        finish_deal(record)


@rule
def hand_is_exposed(record: Record, seat: int) -> bool:
    """The hand of the caller of a spread is exposed after the first trick."""
    return bool(
        record.standing == SPREAD
        and seat == caller_of(record)
        and record.tricks_played > 0
    )


# Payments ---------------------------------------------------------------------------


@rule
def takes_all_or_none(record: Record) -> bool:
    """Misère, spread and slam: no tricks above or below are paid."""
    return bool(
        record.standing == MISERE
        or record.standing == SPREAD
        or record.standing == SLAM
    )


@rule
def has_failed(record: Record) -> bool:
    """Whether a misère, spread or slam can no longer be made."""
    taken = record.tricks_won[caller_of(record)]
    if record.standing == SLAM:
        return bool(taken < record.tricks_played)
    return takes_all_or_none(record) and bool(taken > 0)


@rule
def stake(record: Record) -> int:
    """What the call played is worth to each adversary, without tricks."""
    if record.options.stakes == EB and record.standing == SOLO:
        return int(record.options.solo_stake)
    return STAKES[record.options.stakes][record.standing]


@rule
def trick_stake(record: Record) -> int:
    """What a trick above or below the number undertaken is worth.

    Foster: one white counter. The Britannica: only if it is arranged.
    """
    if record.options.trick_stake != NOT_GIVEN:
        return int(record.options.trick_stake)
    return 1 if record.options.stakes == FOSTER else 0


@rule
def tricks_above(record: Record) -> int:
    """The caller's tricks and its ally's above the number undertaken."""
    tricks = 0
    for seat in range(SEATS):
        if is_on_callers_side(record, seat):
            tricks += record.tricks_won[seat]
    return int(tricks) - UNDERTAKEN[record.standing]


@rule
def amount(record: Record) -> int:
    """What each adversary pays, or gets if negative."""
    above = tricks_above(record)
    if takes_all_or_none(record):
        return stake(record) if above == 0 else -stake(record)
    if above < 0:
        return above * trick_stake(record) - stake(record)
    return above * trick_stake(record) + stake(record)


@rule
def settle(record: Record) -> None:
    """A single caller settles with each of three, an ally with one adversary.

    Which of the two adversaries is whose makes no difference to what each pays.
    """
    if record.standing == PASS:
        settle_general_misere(record)
    elif record.standing == ACCEPT:
        settle_in_pairs(record, caller_of(record), ally_of(record), amount(record))
    else:
        settle_with_each(record, caller_of(record), amount(record))


@rule
def settle_general_misere(record: Record) -> None:
    """Who takes most tricks pays a single stake to each other (eb)."""
    most = 0
    takers = 0
    for seat in range(SEATS):
        tricks = int(record.tricks_won[seat])
        takers = 1 if tricks > most else takers + int(tricks == most)
        most = max(most, tricks)
    if takers > 1 and record.options.general_misere_tie == NONE:
        return
    for taker in range(SEATS):
        for other in range(SEATS):
            if record.tricks_won[taker] == most and record.tricks_won[other] < most:
                pay(record, taker, -stake(record))
                pay(record, other, stake(record))


# End of a deal ----------------------------------------------------------------------


@rule
def finish_deal(record: Record) -> None:
    """Enter what was paid, if anything; end the episode or deal again."""
    enter_points(record, record.options.reward == REWARD_POINTS)
    record.deals_played += 1
    if record.deals_played < record.options.deals:
        next_deal(record)
    else:
        find_winners(record)
        throw_in(record)
        finish(record, 1)


@rule
def throw_in(record: Record) -> None:
    """Cards that were not played are thrown in."""
    for seat in range(SEATS):
        record.hands[seat] = NO_CARDS


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act.

    It pays each other the stake of a slam and nine tricks, which is more than any call
    costs, or one where being first is rewarded.
    """
    loser = int(record.agent)
    begin_action(record)
    slam = STAKES[record.options.stakes][SLAM]
    settle_with_each(record, loser, -slam - 9 * trick_stake(record))
    enter_points(record, record.options.reward == REWARD_POINTS)
    all_win_but(record, loser)
    finish(record, 1)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature(
        "turned",
        ("card",),
        (52,),
        0,
        1,
        "The card that the dealer turned.",
    ),
    Feature(
        "turned_lies_open",
        (),
        (),
        0,
        1,
        "Whether the turned card still lies on the table.",
    ),
    Feature("phase", ("phase",), (3,), 0, 1, "Bidding, naming trumps, or play."),
    Feature(
        "calls",
        ("seat", "call"),
        (SEATS, CALL_COUNT - 1),
        0,
        1,
        "The calls that each seat has made, from the proposal to the slam.",
    ),
    Feature(
        "passes",
        ("seat", "call"),
        (SEATS, CALL_COUNT),
        0,
        1,
        "The call that stood when each seat passed; the first place is no call.",
    ),
    Feature(
        "standing",
        ("call",),
        (CALL_COUNT,),
        0,
        1,
        "The highest call, which is played; the first place is no call.",
    ),
    Feature("caller", ("seat",), (SEATS,), 0, 1, "The seat that made it."),
    Feature("ally", ("seat",), (SEATS,), 0, 1, "The seat that accepted a proposal."),
    Feature(
        "named",
        ("seat", "suit"),
        (SEATS, 4),
        0,
        1,
        "Suits that each seat has named as trumps.",
    ),
    Feature(
        "exposed",
        ("seat", "card"),
        (SEATS, 52),
        0,
        1,
        "Cards of a hand that lies exposed.",
    ),
    Feature("tricks", ("seat",), (SEATS,), 0, 13, "Tricks taken in this deal."),
    Feature(
        "points",
        ("seat", "digit"),
        (SEATS, 3),
        -99,
        99,
        "Counters won in the whole episode: ten thousands, hundreds, and the rest.",
    ),
    Feature("deals_left", (), (), 0, 100, "Deals still to end."),
)
STATE_FEATURES: Final = FeatureTable(
    *FEATURES.features,
    Feature("hands", ("seat", "card"), (4, 52), 0, 1, "Cards in every hand."),
)

_TURNED = FEATURES.offset("turned")
_TURNED_LIES_OPEN = FEATURES.offset("turned_lies_open")
_PHASE = FEATURES.offset("phase")
_CALLS = FEATURES.offset("calls")
_PASSES = FEATURES.offset("passes")
_STANDING = FEATURES.offset("standing")
_CALLER = FEATURES.offset("caller")
_ALLY = FEATURES.offset("ally")
_NAMED = FEATURES.offset("named")
_EXPOSED = FEATURES.offset("exposed")
_TRICKS = FEATURES.offset("tricks")
_POINTS = FEATURES.offset("points")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    write_turned(record, out)
    write_contract(record, seat, out)
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write_bidding(record, other, place, out)
        if hand_is_exposed(record, other):
            write_cards(out, _EXPOSED + CARDS * place, record.hands[other])
        write(out, _TRICKS + place, record.tricks_won[other])
        write_number(out, _POINTS + 3 * place, record.points[other], 3)
    write(out, _DEALS_LEFT, record.options.deals - record.deals_played)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation and every hand."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = _HANDS + CARDS * relative(other, seat, SEATS)
        write_cards(out, place, record.hands[other])


@rule
def write_turned(record: Record, out: npt.NDArray[Any]) -> None:
    """The turned card, which a player remembers or not."""
    lies_open = turned_card_lies_open(record)
    if lies_open or record.options.history == HISTORY_ALL:
        write(out, _TURNED + int(record.turned), 1)
    if lies_open:
        write(out, _TURNED_LIES_OPEN, 1)


@rule
def write_contract(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The phase, the call that stands, and the sides."""
    write(out, _PHASE + int(record.phase), 1)
    write(out, _STANDING + int(record.standing), 1)
    if caller_of(record) != NOBODY:
        write(out, _CALLER + relative(caller_of(record), seat, SEATS), 1)
    if ally_of(record) != NOBODY:
        write(out, _ALLY + relative(ally_of(record), seat, SEATS), 1)


@rule
def write_bidding(
    record: Record, other: int, place: int, out: npt.NDArray[Any]
) -> None:
    """What a seat has called and named, and when it passed."""
    for call in range(CALL_COUNT):
        if record.made_by[call] == other:
            write(out, _CALLS + (CALL_COUNT - 1) * place + call - 1, 1)
        write(out, _PASSES + CALL_COUNT * place + call, record.passed[other, call])
    for suit in range(4):
        write(out, _NAMED + 4 * place + suit, record.named[other, suit])


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, an exposed hand, and the turned card while it lies open."""
    if agent == seat or hand_is_exposed(record, seat):
        return np.uint64(record.hands[seat])
    if turned_card_lies_open(record):
        return np.uint64(record.hands[seat] & single(record.turned))
    return NO_CARDS


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The calls in their order, the suits named, who has passed, an exposed hand."""
    calls = [
        f"player_{seat} {name}"
        for seat, name in zip(record.made_by.tolist(), CALLS, strict=True)
        if seat != NOBODY
    ]
    passed = [f"player_{seat}" for seat in range(SEATS) if has_passed(record, seat)]
    named = [
        f"player_{seat} {SUIT_NAMES[suit]}"
        for seat, suit in np.argwhere(record.named).tolist()
    ]
    lines = {"calls": calls, "named": named, "passed": passed}
    if hand_is_exposed(record, caller_of(record)):
        lines["exposed"] = [f"player_{caller_of(record)}"]
    return tuple((name, ", ".join(texts)) for name, texts in lines.items() if texts)


# Judging finished episodes -----------------------------------------------------------


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Counters won, in white counters or, with stakes='eb', in units."""
    points: npt.NDArray[Any] = records["points"]
    return points


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    turned: str | None = None,
    dealer: int | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        turned: the card that the dealer turns, such as ``"H7"``, one of the dealer's;
            drawn from the dealer's hand where it is not given.
        dealer: the seat that deals.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_points(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    if deal is not None:
        stack_turned_pack(record, deal, turned, tuple(map(place_in_deal, range(CARDS))))
    elif turned is not None:
        raise ValueError("turned= names a card of a given deal; give deal= as well")
    else:
        shuffle(record, FULL_PACK)
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why the agent to act may not do this."""
    if record.phase == BID:
        return _no_call(record, action)
    if record.phase == NAME:
        return _no_trump(record, action)
    if action >= CARDS:
        return "the bidding is over, and a card is to be played"
    return reason_not_to_play(record, action)


def _no_call(record: Record, action: int) -> str:
    call, standing = action - CARDS, int(record.standing)
    if not PASS <= call < CALL_COUNT:
        return "the bidding goes on: pass or make a call"
    if call == PROPOSE:
        return f"a call has been made: {CALLS[standing]}"
    if call == ACCEPT and standing == PROPOSE:
        return "nobody accepts his own proposal"
    if call == ACCEPT:
        return "there is no proposal to accept that is neither accepted nor over-called"
    if has_passed(record, record.seat):
        return "eldest hand has passed, and may only accept the proposal or pass again"
    if call <= standing:
        return f"a call must be higher than the one that stands, {CALLS[standing]}"
    return "a proposer whom nobody has accepted may amend to a solo only"


def _no_trump(record: Record, action: int) -> str:
    if action < FIRST_SUIT:
        return "trumps are to be named: clubs, diamonds, hearts or spades"
    return (
        f"{SUIT_NAMES[action - FIRST_SUIT]} were turned; an abundance in the turned "
        "suit is a call of its own, abundance_in_trumps"
    )


RULES: Final = (
    Rules(
        name="solo_whist",
        title="Solo Whist",
        agents=SEATS,
        partners=((0,), (1,), (2,), (3,)),
        action_names=(*map(card_name, range(CARDS)), *CALLS, *SUIT_NAMES),
        options=SoloWhistOptions,
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
            ("bid", "Each call is higher than the last, until all others have passed."),
            ("name", "The caller of an abundance or a slam names trumps."),
            ("play", "Thirteen tricks; eldest hand leads, or the caller of a slam."),
        ),
        visible=visible,
        notes=notes,
    ),
)
