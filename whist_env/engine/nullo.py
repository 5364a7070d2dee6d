"""Nullo games with short packs: what Polignac and Slobberhannes share.

Whoever takes what nobody wants pays counters. All begin with equal numbers, the
payments go to a pool, and the pool is shared equally whenever a player is down to its
last counter, and at the end. Since all draw equally the result is a ledger: each earns
the mean of all payments less its own.
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
    card_set,
    count,
    parse_card,
    rank_of,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    offsets,
    write,
    write_number,
)
from whist_env.engine.individual import (
    MOST_DEALS,
    ONE_DEAL,
    REWARD_POINTS,
    IndividualOptions,
    above_the_mean,
    all_win_but,
    clear_points,
    fewest_points,
    finish,
    gain_from_all,
    give_scores,
    let_win,
    match_fields,
    most_points,
    number_of_deals,
)
from whist_env.engine.options import choice, number
from whist_env.engine.pool import pay_into_pool, pool_fields, take_from_pool
from whist_env.engine.record import FieldList, Record, begin_action
from whist_env.engine.sight import play_features, relative

SEVEN: Final = 5
PIQUET_PACK: Final = card_set(card for card in range(CARDS) if rank_of(card) >= SEVEN)
"""The 32 cards from the seven up."""
PACK_OF_30: Final = without(PIQUET_PACK, card_set(map(parse_card, ("C7", "S7"))))
"""Without the black sevens, so that three, five or six players get equal hands."""
PACKS: Final = (
    *(NO_CARDS, NO_CARDS, NO_CARDS),
    *(PACK_OF_30, PIQUET_PACK, PACK_OF_30, PACK_OF_30),
)
"""The pack by the number of players."""

LEDGER, STACKS = range(2)
BY_DEALS, BY_POINTS = range(2)
DEALS_EACH: Final = 2
MOST_GIVEN: Final = 99


@dataclasses.dataclass(frozen=True)
class NulloOptions(IndividualOptions):
    """Options of games in which counters are paid to a pool."""

    settlement: str = choice(
        "ledger",
        *("ledger", "stacks"),
        meaning=(
            "How counters are settled: at once, each getting the mean of all payments "
            "less its own, or by stacks of counters and a pool."
        ),
        reward=("points",),
    )
    stack: int = number(
        20,
        2,
        100,
        meaning="The counters with which each player begins.",
        settlement=("stacks",),
    )
    game_end: str = choice(
        "deals",
        *("deals", "points"),
        meaning=(
            "What ends a game: two deals for each player, and who paid least wins; or "
            "a player that has paid `limit` counters: who paid most loses."
        ),
        episode=("game",),
    )
    limit: int = number(
        10, 1, 100, meaning="The counters that lose a game.", game_end=("points",)
    )


def nullo_fields(players: int) -> FieldList:
    """The fields of such a game; ``points`` are the counters that each has paid."""
    return [
        *match_fields(players),
        *pool_fields(),
        # What each owes for the deal that was settled last.
        ("penalties", np.int32, (players,)),
        # With stacks, the counters before each player.
        ("stacks", np.int32, (players,)),
    ]


# Deal -------------------------------------------------------------------------------


@rule
def pack_of(record: Record) -> np.uint64:
    """The pack for the players at the table."""
    return PACKS[record.hands.size]


@rule
def tricks_of_deal(record: Record) -> int:
    """How many tricks a deal has: as many as each player has cards."""
    return count(pack_of(record)) // int(record.hands.size)


@rule
def clear_counters(record: Record) -> None:
    """Nobody has paid anything; with stacks all have equal numbers of counters."""
    clear_points(record)
    clear_penalties(record)
    record.pool = 0
    stack = record.options.stack if record.options.settlement == STACKS else 0
    for player in range(record.points.size):
        record.stacks[player] = stack


# Scoring ----------------------------------------------------------------------------


@rule
def clear_penalties(record: Record) -> None:
    """Nobody owes anything."""
    for player in range(record.points.size):
        record.penalties[player] = 0


@rule
def pay_penalties(record: Record) -> None:
    """All pay what they owe for a deal, and share or draw what was paid."""
    for player in range(record.points.size):
        owed = int(record.penalties[player])
        record.points[player] += owed
        if record.options.settlement == STACKS:
            pay_into_pool(record, player, owed * record.points.size)
            record.stacks[player] -= owed
        elif record.options.reward == REWARD_POINTS:
            gain_from_all(record, player, -owed)
    if record.options.settlement == STACKS and somebody_is_out(record):
        draw_counters(record)


@rule
def somebody_is_out(record: Record) -> bool:
    """Whether a player is down to its last counter, or below."""
    for player in range(record.points.size):
        if record.stacks[player] <= 1:
            return True
    return False


@rule
def draw_counters(record: Record) -> None:
    """All take equal numbers of whole counters; what cannot be divided stays."""
    players = record.points.size
    share = counters_in_pool(record) // players
    for player in range(players):
        take_from_pool(record, player, share * players)
        record.stacks[player] += share


@rule
def counters_in_pool(record: Record) -> int:
    """The whole counters in the pool."""
    return int(record.pool) // int(record.points.size)


@rule
def deals_of_episode(record: Record) -> int:
    """How many deals an episode has, where they end it."""
    if record.options.episode == ONE_DEAL:
        return number_of_deals(record)
    return DEALS_EACH * int(record.points.size)


@rule
def points_end_it(record: Record) -> bool:
    """Whether the episode is a game that is lost with a number of counters."""
    return bool(record.options.game_end == BY_POINTS)


@rule
def episode_is_complete(record: Record) -> bool:
    """Whether the deals asked for are played, or the game is lost."""
    if points_end_it(record):
        return bool(most_points(record) >= record.options.limit)
    return bool(record.deals_played == deals_of_episode(record))


@rule
def settle(record: Record) -> None:
    """Who paid least wins, or all but who paid most; the pool is divided."""
    if points_end_it(record):
        let_all_but_the_last_win(record)
    else:
        let_win(record, fewest_points(record))
    divide_and_finish(record)


@rule
def divide_and_finish(record: Record) -> None:
    """End the episode; the pool is divided."""
    if record.options.settlement == STACKS:
        draw_counters(record)
    finish(record, record.points.size)


@rule
def concede(record: Record, counters: int) -> None:
    """End the episode against the agent to act, which pays some counters more.

    All others win it. With stacks the pool is divided, as at the end of any episode.
    """
    loser = int(record.agent)
    begin_action(record)
    clear_penalties(record)
    record.penalties[loser] = counters
    pay_penalties(record)
    all_win_but(record, loser)
    divide_and_finish(record)


@rule
def let_all_but_the_last_win(record: Record) -> None:
    """Who paid most loses; where all paid the same, nobody does."""
    most = most_points(record)
    all_are_even = fewest_points(record) == most
    for player in range(record.points.size):
        record.winners[player] = int(all_are_even or record.points[player] != most)


# Information ------------------------------------------------------------------------


def nullo_features(players: int) -> tuple[Feature, ...]:
    """The features of counters; they stand next to those of play."""
    return (
        Feature("tricks", ("seat",), (players,), 0, 10, "Tricks taken in this deal."),
        Feature(
            "score",
            ("seat", "digit"),
            (players, 2),
            0,
            99,
            "Counters paid in the whole episode: hundreds, and the rest.",
        ),
        Feature(
            "stacks",
            ("seat", "digit"),
            (players, 2),
            -99,
            99,
            "With stacks, the counters of each: hundreds, and the rest.",
        ),
        Feature(
            "pool",
            ("digit",),
            (2,),
            0,
            99,
            "Counters in the pool: hundreds, and the rest.",
        ),
        Feature(
            "deals_left",
            (),
            (),
            0,
            MOST_DEALS,
            "Deals still to end, where their number ends the episode; 0 otherwise.",
        ),
    )


_TABLES: Final = {
    players: FeatureTable(*play_features(players), *nullo_features(players))
    for players in range(3, len(PACKS))
}
_TRICKS = offsets(_TABLES, "tricks")
_SCORE = offsets(_TABLES, "score")
_STACKS = offsets(_TABLES, "stacks")
_POOL = offsets(_TABLES, "pool")
_DEALS_LEFT = offsets(_TABLES, "deals_left")


@rule
def write_counters(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Tricks and counters of all players, and how long the episode still lasts."""
    players = record.hands.size
    for other in range(players):
        place = relative(other, seat, players)
        write(out, _TRICKS[players] + place, record.tricks_won[other])
        write_number(out, _SCORE[players] + 2 * place, record.points[other], 2)
        write_number(out, _STACKS[players] + 2 * place, record.stacks[other], 2)
    write_number(out, _POOL[players], counters_in_pool(record), 2)
    if not points_end_it(record):
        deals = deals_of_episode(record) - int(record.deals_played)
        write(out, _DEALS_LEFT[players], deals)


def counter_notes(record: Record) -> tuple[tuple[str, str], ...]:
    """With stacks, the pool and the stacks of all players in words."""
    if record.options.settlement != STACKS:
        return ()
    stacks = " ".join(map(str, record.stacks.tolist()))
    return (("pool", str(counters_in_pool(record))), ("stacks", stacks))


# Judging finished episodes -----------------------------------------------------------


def counters_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The mean of what all paid, less what the agent paid itself."""
    return -above_the_mean(records)


# Setting up a given position --------------------------------------------------------


def give_payments(record: Record, scores: Sequence[int]) -> None:
    """Begin in the middle of a game in which each has paid so many counters.

    Raises:
        ValueError: no game is played, or it would be over, or the pool shared, by now.
    """
    most = MOST_GIVEN
    if points_end_it(record):
        most = int(record.options.limit) - 1
    if record.options.settlement == STACKS:
        most = min(most, int(record.options.stack) - 2)
    give_scores(record, scores, 0, most)
    if record.options.settlement == STACKS:
        record.stacks -= record.points
        record.pool = record.points.sum() * record.points.size
