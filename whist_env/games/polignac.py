"""Polignac, or Four Jacks.

Four players have the 32 cards from the seven up, eight each; five or six have 30
without the black sevens, six or five each. There are no partners and no trumps. Nobody
wants a Jack, least of all Polignac, the Jack of spades; but who announces capot tries
to take every trick.

Sources: the chapter on nullo games in Hoyle's games; the rank of cards from king to
ace, the end of a game at ten or twenty points and the dealing in packets are from later
descriptions (Boussac 1896).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    ACE,
    CARDS,
    JACK,
    NO_CARDS,
    RANKS_IN_SUIT,
    TEN,
    card_name,
    card_set,
    rank_of,
    suit_of,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import begin_episode, check_dealer, first_dealer
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    offsets,
    write,
    write_cards,
)
from whist_env.engine.individual import (
    deal_whole_pack,
    eldest,
    stack_hands,
    won,
)
from whist_env.engine.nullo import (
    NulloOptions,
    clear_counters,
    clear_penalties,
    concede,
    counter_notes,
    counters_made,
    episode_is_complete,
    give_payments,
    nullo_features,
    nullo_fields,
    pack_of,
    pay_penalties,
    settle,
    tricks_of_deal,
    write_counters,
)
from whist_env.engine.options import choice, flag, number
from whist_env.engine.record import NOBODY, Record, begin_action, record_dtype
from whist_env.engine.rules import Rules
from whist_env.engine.sight import play_features, relative, write_play
from whist_env.engine.tricks import (
    following,
    lead,
    left_of,
    play_card_as,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

PLAYERS: Final = (4, 5, 6)
PACKETS: Final = (*((0, 0, 0),) * 4, (3, 2, 3), (3, 3, 0), (3, 2, 0))
"""The cards that each player is dealt at a time, by the number of players."""
SUITS: Final = 4
SPADES: Final = 3

PASS, CAPOT = CARDS, CARDS + 1
CALLS: Final = card_set((PASS, CAPOT))
ANNOUNCE, PLAY = range(2)

A_JACK: Final = 1
POLIGNAC: Final = 2
A_CAPOT: Final = 5
"""What each costs in counters."""

# Options ----------------------------------------------------------------------------

ACE_HIGH, KING_HIGH = range(2)
FIRST, ALL = range(2)
ELDEST, ANNOUNCER = range(2)


@dataclasses.dataclass(frozen=True)
class PolignacOptions(NulloOptions):
    """Options of Polignac. What no source settles is an option."""

    players: int = number(
        PLAYERS[0], PLAYERS[0], PLAYERS[-1], meaning="The number of players."
    )
    rank: str = choice(
        "AKQJ10987",
        *("AKQJ10987", "KQJA10987"),
        meaning="The cards of a suit from the highest to the lowest.",
    )
    announcements: str = choice(
        "first",
        *("first", "all"),
        meaning=(
            "Whether the first announcement of capot is the last, or all players are "
            "asked and each that announces it is settled with by itself."
        ),
    )
    capot_lead: str = choice(
        "eldest",
        *("eldest", "announcer"),
        meaning=(
            "Who leads when capot is announced: the dealer's left, or the first that "
            "announced it."
        ),
    )
    capot_early_stop: bool = flag(
        False,
        meaning="Whether play stops when nobody can make an announced capot any more.",
    )


def record_of(players: int) -> Any:
    """The record of a table for so many players."""
    return record_dtype(
        players,
        PolignacOptions,
        [
            *trick_fields(players),
            *nullo_fields(players),
            ("phase", np.int8),
            # 1 for each player that announced capot.
            ("announced", np.int8, (players,)),
            # By suit, who took the Jack; -1 while nobody has.
            ("jack_taker", np.int8, (SUITS,)),
        ],
    )


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_counters(record)
    record.dealer = first_dealer(record)
    shuffle(record, pack_of(record))
    deal_out(record)


@rule
def deal_out(record: Record) -> None:
    """Deal the whole pack in packets; the dealer's left may announce first."""
    deal_whole_pack(record, PACKETS[record.hands.size])
    record.phase = ANNOUNCE
    for seat in range(record.hands.size):
        record.announced[seat] = 0
    for suit in range(SUITS):
        record.jack_taker[suit] = NOBODY


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = left_of(int(record.dealer), record.hands.size)
    shuffle(record, pack_of(record))
    deal_out(record)


# Announcements ----------------------------------------------------------------------


@rule
def announce(record: Record, call: int) -> None:
    """A player announces capot or passes; then the next, until all have been asked.

    The source lets any player announce before the opening lead. Here the players are
    asked in turn, and by default the first announcement is the only one.
    """
    seat = int(record.seat)
    if call == CAPOT:
        record.announced[seat] = 1
    record.seat = left_of(seat, record.hands.size)
    is_last = call == CAPOT and record.options.announcements == FIRST
    if is_last or record.seat == eldest(record):
        begin_play(record)


@rule
def begin_play(record: Record) -> None:
    """The dealer's left leads, or the first that announced capot."""
    record.phase = PLAY
    leader = eldest(record)
    if record.options.capot_lead == ANNOUNCER and capot_is_announced(record):
        while record.announced[leader] == 0:
            leader = left_of(leader, record.hands.size)
    lead(record, leader)


@rule
def capot_is_announced(record: Record) -> bool:
    """Whether anybody has announced capot."""
    for seat in range(record.hands.size):
        if record.announced[seat] != 0:
            return True
    return False


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """First capot or a pass; then a card of the suit led if one is held, else any."""
    if record.phase == ANNOUNCE:
        return CALLS, NO_CARDS
    return following(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """A player makes a call or plays a card."""
    begin_action(record)
    if record.phase == ANNOUNCE:
        announce(record, action)
    else:
        play(record, action)
    record.agent = record.seat
    if deal_is_over(record):
        end_deal(record)


@rule
def play(record: Record, card: int) -> None:
    """A player plays a card; who wins the trick takes the Jacks in it."""
    play_card_as(record, card, suit_of(card), beats_the_trick(record, card))
    if trick_is_complete(record):
        take_jacks(record)
        take_trick(record)


@rule
def beats_the_trick(record: Record, card: int) -> bool:
    """Whether a card beats the one that wins the trick so far; there are no trumps."""
    best = int(record.trick[record.winner])
    if suit_of(card) != suit_of(best):
        return False
    return strength(record, card) > strength(record, best)


@rule
def strength(record: Record, card: int) -> int:
    """The place of a card in its suit; the ace may stand between Jack and ten."""
    rank = rank_of(card)
    if rank == ACE and record.options.rank == KING_HIGH:
        return 2 * TEN + 1
    return 2 * rank


@rule
def take_jacks(record: Record) -> None:
    """Note who takes each Jack of the trick on the table."""
    for seat in range(record.hands.size):
        card = int(record.trick[seat])
        if rank_of(card) == JACK:
            record.jack_taker[suit_of(card)] = record.winner


@rule
def deal_is_over(record: Record) -> bool:
    """When all tricks are played, or play stops early for a lost capot."""
    if record.tricks_played == tricks_of_deal(record):
        return True
    stops = record.options.capot_early_stop and record.phase == PLAY
    return bool(stops and capot_is_lost(record))


@rule
def capot_is_lost(record: Record) -> bool:
    """Whether capot is announced, and every announcer has lost a trick."""
    for seat in range(record.hands.size):
        if record.announced[seat] != 0 and takes_all(record, seat):
            return False
    return capot_is_announced(record)


@rule
def takes_all(record: Record, seat: int) -> bool:
    """Whether a player has taken every trick played."""
    return bool(record.tricks_won[seat] == record.tricks_played)


# Scoring ----------------------------------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """All pay what they owe; the next deal, or the end."""
    clear_penalties(record)
    if capot_is_announced(record):
        settle_capots(record)
    else:
        charge_for_jacks(record)
    pay_penalties(record)
    record.deals_played += 1
    if episode_is_complete(record):
        throw_in(record)
        settle(record)
    else:
        next_deal(record)


@rule
def settle_capots(record: Record) -> None:
    """Every other player pays for a capot made, the announcer alone for one failed."""
    for announcer in range(record.hands.size):
        if record.announced[announcer] != 0:
            made = takes_all(record, announcer)
            for seat in range(record.hands.size):
                if (seat != announcer) == made:
                    record.penalties[seat] += A_CAPOT


@rule
def charge_for_jacks(record: Record) -> None:
    """Two for Polignac, one for each other Jack.

    Who takes all tricks unannounced takes all Jacks, and so pays five.
    """
    for suit in range(SUITS):
        price = POLIGNAC if suit == SPADES else A_JACK
        record.penalties[record.jack_taker[suit]] += price


@rule
def throw_in(record: Record) -> None:
    """Put away the cards that are left when play stopped early."""
    for seat in range(record.hands.size):
        record.hands[seat] = NO_CARDS


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, which pays as for a failed capot."""
    concede(record, A_CAPOT)


# Information ------------------------------------------------------------------------

FEATURES: Final = {
    players: FeatureTable(
        *play_features(players),
        *nullo_features(players),
        Feature(
            "phase", ("phase",), (2,), 0, 1, "Announcements or play; none at the end."
        ),
        Feature(
            "announced",
            ("seat",),
            (players,),
            0,
            1,
            "The players that have announced capot.",
        ),
        Feature(
            "jacks",
            ("seat", "suit"),
            (players, SUITS),
            0,
            1,
            "The Jacks that each player has taken.",
        ),
    )
    for players in PLAYERS
}
STATE_FEATURES: Final = {
    players: FeatureTable(
        *FEATURES[players].features,
        Feature("hands", ("seat", "card"), (players, 52), 0, 1, "Cards in every hand."),
    )
    for players in PLAYERS
}

_PHASE = offsets(FEATURES, "phase")
_ANNOUNCED = offsets(FEATURES, "announced")
_JACKS = offsets(FEATURES, "jacks")
_HANDS = offsets(STATE_FEATURES, "hands")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a player may know; it is 0 itself, its left neighbour 1."""
    write_play(record, seat, out)
    write_counters(record, seat, out)
    players = record.hands.size
    if record.seat != NOBODY:
        write(out, _PHASE[players] + int(record.phase), 1)
    for other in range(players):
        place = _ANNOUNCED[players] + relative(other, seat, players)
        write(out, place, record.announced[other])
    for suit in range(SUITS):
        taker = int(record.jack_taker[suit])
        if taker != NOBODY:
            row = _JACKS[players] + SUITS * relative(taker, seat, players)
            write(out, row + suit, 1)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation and every hand."""
    observe(record, seat, out)
    players = record.hands.size
    for other in range(players):
        place = _HANDS[players] + CARDS * relative(other, seat, players)
        write_cards(out, place, record.hands[other])


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """What was announced, who took the Jacks, and the counters."""
    announcers = [f"player_{seat}" for seat in np.flatnonzero(record.announced)]
    jacks = [
        f"{card_name(RANKS_IN_SUIT * suit + JACK)} player_{record.jack_taker[suit]}"
        for suit in reversed(range(SUITS))
        if record.jack_taker[suit] != NOBODY
    ]
    public = (("capot", " ".join(announcers)), ("Jacks taken", ", ".join(jacks)))
    return (*(note for note in public if note[1]), *counter_notes(record))


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    dealer: int | None = None,
    scores: Sequence[int] | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the hands in Portable Bridge Notation from seat 0 on, parted by spaces.
        dealer: the seat that deals.
        scores: the counters that each player has paid in the game in progress; with
            stacks they lie in the pool.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_counters(record)
    seats = record.hands.size
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, seats)
    )
    if scores is not None:
        give_payments(record, scores)
    if deal is None:
        shuffle(record, pack_of(record))
    else:
        stack_hands(record, deal, pack_of(record), PACKETS[seats])
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why the agent to act may not make a call or play a card."""
    if record.phase == ANNOUNCE:
        return "no card is played before all have passed or capot is announced"
    if action >= CARDS:
        return "calls are made before the first lead"
    return reason_not_to_play(record, action)


def rules_for(players: int) -> Rules:
    """The game for so many players."""
    return Rules(
        name="polignac",
        title="Polignac",
        agents=players,
        partners=tuple((player,) for player in range(players)),
        action_names=(*(card_name(card) for card in range(CARDS)), "pass", "capot"),
        options=PolignacOptions,
        record=record_of(players),
        features=FEATURES[players],
        state_features=STATE_FEATURES[players],
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": counters_made, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(
            ("announce", "Each in turn from the dealer's left passes or says capot."),
            ("play", "All cards are played; the dealer's left leads to the first."),
        ),
        notes=notes,
        unit=players,
    )


RULES: Final = tuple(rules_for(players) for players in PLAYERS)
