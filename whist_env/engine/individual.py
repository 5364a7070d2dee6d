"""Games without partners: the whole pack is dealt, and each plays for itself.

What one player scores it gains from all, itself included, in equal parts, so that it
earns its score less the mean of all scores. That is exact where a record counts points
in as many parts as there are players (`Rules.unit`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, count, parse_hand
from whist_env.engine.compile import rule
from whist_env.engine.contracts import all_win_but
from whist_env.engine.deals import check_pack, dealer_option, stack_pack
from whist_env.engine.options import NOT_GIVEN, choice, is_whole, number
from whist_env.engine.record import (
    FieldList,
    Record,
    begin_action,
    end_episode,
    pay,
)
from whist_env.engine.sight import MOST_SEATS, PlayOptions
from whist_env.engine.tricks import (
    NO_CARD,
    NO_SUIT,
    clear_table,
    give,
    lead,
    left_of,
)

MOST_DEALS: Final = 100
ONE_DEAL, ONE_GAME = range(2)
REWARD_POINTS, REWARD_MATCH = range(2)


@dataclasses.dataclass(frozen=True)
class IndividualOptions(PlayOptions):
    """Options of every game without partners."""

    players: int = number(4, 2, MOST_SEATS, meaning="The number of players.")
    episode: str = choice(
        "deal", *("deal", "game"), meaning="How long an episode lasts."
    )
    deals: int | None = number(
        None,
        1,
        MOST_DEALS,
        meaning="A fixed number of deals instead.",
        episode=("deal",),
    )
    reward: str = choice(
        "points",
        *("points", "match"),
        meaning=(
            "What is rewarded: what is scored in each deal, or the episode, whose "
            "losers pay 1 to each of its winners."
        ),
    )
    dealer: int | None = dealer_option(MOST_SEATS)

    def __post_init__(self) -> None:
        """Check each option, and that the dealer sits at the table."""
        super().__post_init__()
        if self.dealer is not None and self.dealer >= self.players:
            raise ValueError(
                f"dealer={self.dealer} is not a seat; with players={self.players} the "
                f"seats are 0 to {self.players - 1}"
            )


def individual_fields(players: int) -> FieldList:
    """The fields of a game without partners."""
    return [
        # The points of each player in this episode.
        ("score", np.int32, (players,)),
        # 1 for each player that won the episode.
        ("winners", np.int8, (players,)),
    ]


# Deal -------------------------------------------------------------------------------


@rule
def clear_scores(record: Record) -> None:
    """Nobody has a point, and nobody has won."""
    for player in range(record.score.size):
        record.score[player] = 0
        record.winners[player] = 0


@rule
def eldest(record: Record) -> int:
    """The player on the dealer's left."""
    return left_of(int(record.dealer), record.hands.size)


@rule
def deal_whole_pack(record: Record) -> None:
    """Deal all cards singly from the dealer's left, who acts first; no trumps."""
    clear_table(record)
    record.trump = NO_SUIT
    seat = eldest(record)
    for place in range(CARDS):
        if record.pack[place] != NO_CARD:
            give(record, seat, record.pack[place])
            seat = left_of(seat, record.hands.size)
    lead(record, eldest(record))
    record.agent = record.seat


# Scoring ----------------------------------------------------------------------------


@rule
def number_of_deals(record: Record) -> int:
    """The deals of an episode that is no game."""
    if record.options.deals == NOT_GIVEN:
        return 1
    return int(record.options.deals)


@rule
def gain_from_all(record: Record, player: int, points: int) -> None:
    """A player gains points that all players pay in equal parts, itself included."""
    players = record.score.size
    for other in range(players):
        pay(record, other, -points)
    pay(record, player, players * points)


@rule
def let_win(record: Record, score: int) -> None:
    """The players with this score win the episode."""
    for player in range(record.score.size):
        record.winners[player] = int(record.score[player] == score)


@rule
def highest_score(record: Record) -> int:
    """The most points that anybody has."""
    highest = int(record.score[0])
    for player in range(record.score.size):
        highest = max(highest, int(record.score[player]))
    return highest


@rule
def lowest_score(record: Record) -> int:
    """The fewest points that anybody has."""
    lowest = int(record.score[0])
    for player in range(record.score.size):
        lowest = min(lowest, int(record.score[player]))
    return lowest


@rule
def finish(record: Record) -> None:
    """End the episode; where that is rewarded, each loser pays 1 to each winner."""
    if record.options.reward == REWARD_MATCH:
        players = record.score.size
        winners = 0
        for player in range(players):
            winners += int(record.winners[player])
        for player in range(players):
            if record.winners[player] != 0:
                pay(record, player, players * (players - winners))
            else:
                pay(record, player, -players * winners)
    end_episode(record)


@rule
def concede(record: Record, points: int) -> None:
    """End the episode against the agent to act.

    All others win; it pays them points in equal parts, or what a loser pays.
    """
    loser = int(record.agent)
    begin_action(record)
    all_win_but(record, loser)
    if record.options.reward == REWARD_POINTS:
        gain_from_all(record, loser, -points)
    finish(record)


# Judging finished episodes -----------------------------------------------------------


def above_the_mean(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The points of each player less the mean of all."""
    score = records["score"]
    return np.asarray(score - score.mean(axis=1, keepdims=True))


def won(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winner of the episode and 0 for the others; several winners share 1."""
    winners = records["winners"]
    return np.asarray(winners / winners.sum(axis=1, keepdims=True))


# Setting up a given position --------------------------------------------------------


def stack_hands(record: Record, deal: str, pack: np.uint64) -> None:
    """Order the pack so that dealing all of it gives these hands.

    Args:
        record: the table.
        deal: the hands in Portable Bridge Notation from seat 0 on, parted by spaces.
        pack: the cards of the pack.

    Raises:
        TypeError: the deal is no text.
        ValueError: it does not deal this pack to these seats.
    """
    seats = record.hands.size
    if not isinstance(deal, str):
        raise TypeError(f"deal={deal!r} must be a text: {seats} hands between spaces")
    hands = [parse_hand(hand) for hand in deal.split()]
    if len(hands) != seats:
        raise ValueError(
            f"{deal!r} deals {len(hands)} hands; {seats} players need {seats}, with "
            "spaces between them"
        )
    check_pack(hands, pack)
    first = eldest(record)
    stack_pack(record, hands, [(first + n) % seats for n in range(count(pack))])


def give_scores(record: Record, scores: Sequence[int], low: int, high: int) -> None:
    """Begin in the middle of a game, with scores from ``low`` to ``high``.

    Raises:
        ValueError: no game is played, or these are no such scores.
    """
    if record.options.episode != ONE_GAME:
        raise ValueError("scores= belongs to a game; take episode='game'")
    players = record.score.size
    given = tuple(scores) if isinstance(scores, Sequence) else ()
    if len(given) != players or not all(is_whole(score, low, high) for score in given):
        raise ValueError(
            f"scores={scores!r} must be {players} whole numbers from {low} to {high}, "
            "one for each player"
        )
    record.score[:] = given
