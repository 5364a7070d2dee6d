"""Slobberhannes.

Four players have the 32 cards from the seven up, eight each; three, five or six have 30
without two sevens of one colour. There are no partners, no trumps and nothing to
announce. Nobody wants the first trick, the last, or the one with the queen of clubs.

Sources: later descriptions, which agree where they overlap; one alone has the fourth
point for who takes all three, and one alone the point for a revoke. The settlement by a
pool of counters, and the pack without the black sevens, are those of Polignac, in whose
chapter of Hoyle's games it stands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    card_name,
    card_set,
    parse_card,
    without,
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
    ONE_AT_A_TIME,
    deal_whole_pack,
    stack_hands,
    won,
)
from whist_env.engine.nullo import (
    PACKS,
    PIQUET_PACK,
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
    pay_penalties,
    settle,
    tricks_of_deal,
    write_counters,
)
from whist_env.engine.options import choice, flag, number
from whist_env.engine.record import NOBODY, Record, begin_action, record_dtype
from whist_env.engine.revokes import (
    PENALTY,
    clear_revokes,
    note_revoke,
    playable,
    revoke_features,
    revoke_fields,
    revokes_option,
    write_revokes,
)
from whist_env.engine.rules import Rules
from whist_env.engine.sight import play_features, relative, write_play
from whist_env.engine.tricks import (
    left_of,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

PLAYERS: Final = (4, 3, 5, 6)
FEWEST, MOST = min(PLAYERS), max(PLAYERS)
QUEEN_OF_CLUBS: Final = parse_card("CQ")
MOST_POINTS: Final = 4
PACK_WITH_BLACK_SEVENS: Final = without(
    PIQUET_PACK, card_set(map(parse_card, ("D7", "H7")))
)

# Options ----------------------------------------------------------------------------

BLACK, RED = range(2)


@dataclasses.dataclass(frozen=True)
class SlobberhannesOptions(NulloOptions):
    """Options of Slobberhannes. What no source settles is an option."""

    players: int = number(PLAYERS[0], FEWEST, MOST, meaning="The number of players.")
    all_three: bool = flag(
        True,
        meaning="Whether who takes all three tricks to be avoided gets a fourth point.",
    )
    sevens_out: str = choice(
        "black",
        *("black", "red"),
        meaning="Which sevens are out of the pack where three, five or six play.",
        players=(3, 5, 6),
    )
    revokes: str = revokes_option()


def record_of(players: int) -> Any:
    """The record of a table for so many players."""
    return record_dtype(
        players,
        SlobberhannesOptions,
        [
            *trick_fields(players),
            *revoke_fields(players),
            *nullo_fields(players),
            # Who took the first trick, the queen of clubs and the last trick of this
            # deal; -1 while nobody has.
            ("first_taker", np.int8),
            ("queen_taker", np.int8),
            ("last_taker", np.int8),
        ],
    )


# Deal -------------------------------------------------------------------------------


@rule
def pack_for(options: Any, players: int) -> np.uint64:
    """The pack for so many players: all cards from the seven up, or two sevens less."""
    if options.sevens_out == RED:
        return PACK_WITH_BLACK_SEVENS
    return PACKS[players]


@rule
def pack_of(record: Record) -> np.uint64:
    """The pack for the players at the table."""
    return pack_for(record.options, record.hands.size)


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
    """Deal the whole pack; the dealer's left leads."""
    deal_whole_pack(record, ONE_AT_A_TIME)
    clear_revokes(record)
    record.first_taker = NOBODY
    record.queen_taker = NOBODY
    record.last_taker = NOBODY


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = left_of(int(record.dealer), record.hands.size)
    shuffle(record, pack_of(record))
    deal_out(record)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """A follower plays a card of the suit led if it holds one, else any card."""
    return playable(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """A player plays a card; all tricks are played."""
    begin_action(record)
    note_revoke(record, action)
    play_card(record, action)
    if trick_is_complete(record):
        note_taker(record)
        take_trick(record)
    record.agent = record.seat
    if record.tricks_played == tricks_of_deal(record):
        end_deal(record)


@rule
def note_taker(record: Record) -> None:
    """Note who takes the first trick, the last, or the queen of clubs."""
    if record.tricks_played == 0:
        record.first_taker = record.winner
    if record.tricks_played == tricks_of_deal(record) - 1:
        record.last_taker = record.winner
    for seat in range(record.hands.size):
        if record.trick[seat] == QUEEN_OF_CLUBS:
            record.queen_taker = record.winner


# Scoring ----------------------------------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """All pay for their penalty points; the next deal, or the end."""
    count_points(record)
    pay_penalties(record)
    record.deals_played += 1
    if episode_is_complete(record):
        settle(record)
    else:
        next_deal(record)


@rule
def count_points(record: Record) -> None:
    """A point for each trick to be avoided, one more for all three; one a revoke."""
    clear_penalties(record)
    record.penalties[record.first_taker] += 1
    record.penalties[record.last_taker] += 1
    record.penalties[record.queen_taker] += 1
    for seat in range(record.hands.size):
        if record.penalties[seat] == 3 and record.options.all_three:
            record.penalties[seat] += 1
        if record.options.revokes == PENALTY:
            record.penalties[seat] += record.revokes[seat]


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, as if it had taken all three."""
    concede(record, MOST_POINTS)


# Information ------------------------------------------------------------------------

FEATURES: Final = {
    players: FeatureTable(
        *play_features(players),
        *nullo_features(players),
        Feature(
            "taken",
            ("seat", "trick"),
            (players, 3),
            0,
            1,
            "Who took the first trick, the queen of clubs, and the last trick.",
        ),
        *revoke_features(players),
    )
    for players in PLAYERS
}
STATE_FEATURES: Final = {
    players: FeatureTable(
        *FEATURES[players].features,
        Feature("hands", ("seat", "card"), (players, 52), 0, 1, "Cards in every hand."),
        Feature(
            "revokes", ("seat",), (players,), 0, 26, "Revokes of each in this deal."
        ),
    )
    for players in PLAYERS
}

_TAKEN = offsets(FEATURES, "taken")
_REVOKED = offsets(FEATURES, "revoked")
_HANDS = offsets(STATE_FEATURES, "hands")
_REVOKES = offsets(STATE_FEATURES, "revokes")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a player may know; it is 0 itself, its left neighbour 1."""
    write_play(record, seat, out)
    write_counters(record, seat, out)
    write_taker(record, seat, record.first_taker, 0, out)
    write_taker(record, seat, record.queen_taker, 1, out)
    write_taker(record, seat, record.last_taker, 2, out)
    if record.options.revokes == PENALTY:
        write_revokes(record, seat, out, _REVOKED[record.hands.size])


@rule
def write_taker(
    record: Record, seat: int, taker: int, which: int, out: npt.NDArray[Any]
) -> None:
    """Who took one of the three tricks, once somebody has."""
    players = record.hands.size
    if taker != NOBODY:
        write(out, _TAKEN[players] + 3 * relative(taker, seat, players) + which, 1)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, every hand and revoke."""
    observe(record, seat, out)
    players = record.hands.size
    for other in range(players):
        place = relative(other, seat, players)
        write_cards(out, _HANDS[players] + CARDS * place, record.hands[other])
        write(out, _REVOKES[players] + place, record.revokes[other])


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """Who took the tricks to be avoided, and the counters."""
    takers = (
        ("first trick", record.first_taker),
        (card_name(QUEEN_OF_CLUBS), record.queen_taker),
        ("last trick", record.last_taker),
    )
    taken = [(what, f"player_{taker}") for what, taker in takers if taker != NOBODY]
    return (*taken, *counter_notes(record))


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
        scores: the points that each player has in the game in progress; with stacks
            the counters lie in the pool.

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
        stack_hands(record, deal, pack_of(record), ONE_AT_A_TIME)
    deal_out(record)


def rules_for(players: int) -> Rules:
    """The game for so many players."""
    return Rules(
        name="slobberhannes",
        title="Slobberhannes",
        agents=players,
        partners=tuple((player,) for player in range(players)),
        action_names=tuple(card_name(card) for card in range(CARDS)),
        options=SlobberhannesOptions,
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
        reason=reason_not_to_play,
        phases=(
            ("play", "All cards are played; the dealer's left leads to the first."),
        ),
        notes=notes,
        unit=players,
    )


RULES: Final = tuple(rules_for(players) for players in PLAYERS)
