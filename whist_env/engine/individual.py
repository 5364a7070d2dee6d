"""Games without partners: each plays for itself.

The match is the same in all of them. Where points are counted, what one player scores
it gains from all, itself included, in equal parts, so that it earns its score less the
mean of all scores. That is exact where a record counts points in as many parts as there
are players (`Rules.unit`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, count, parse_hand
from whist_env.engine.compile import rule
from whist_env.engine.deals import check_pack, dealer_option, stack_pack
from whist_env.engine.options import NOT_GIVEN, choice, is_whole, number
from whist_env.engine.record import FieldList, Record, end_episode, pay
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
ONE_AT_A_TIME: Final = (1, 1, 1)
"""Packets of one card: a deal without packets. See `receiver`."""
ONE_DEAL, ONE_GAME = range(2)
REWARD_POINTS, REWARD_MATCH = range(2)
"""What is rewarded, where a game has these two rewards."""


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


def match_fields(agents: int) -> FieldList:
    """The fields of a match that each agent plays for itself."""
    return [
        # By agent: its points in this episode, and 1 for each that won the episode.
        ("points", np.int32, (agents,)),
        ("winners", np.int8, (agents,)),
    ]


# Deal -------------------------------------------------------------------------------


@rule
def eldest(record: Record) -> int:
    """The player on the dealer's left."""
    return left_of(int(record.dealer), record.hands.size)


@rule
def receiver(record: Record, place: int, packets: tuple[int, ...]) -> int:
    """The player that gets the card at a place of the pack, counted from 0.

    Args:
        record: a table whose dealer is known.
        place: the place.
        packets: how many cards each player gets at a time, round after round; after
            these rounds one.
    """
    players = record.hands.size
    for packet in packets:
        if place < packet * players:
            return int((eldest(record) + place // packet) % players)
        place -= packet * players
    return int((eldest(record) + place) % players)


@rule
def deal_whole_pack(record: Record, packets: tuple[int, ...]) -> None:
    """Deal all cards from the dealer's left, who acts first; no trumps."""
    clear_table(record)
    record.trump = NO_SUIT
    for place in range(CARDS):
        if record.pack[place] != NO_CARD:
            give(record, receiver(record, place, packets), record.pack[place])
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
    players = record.points.size
    for other in range(players):
        pay(record, other, -points)
    pay(record, player, players * points)


@rule
def most_points(record: Record) -> int:
    """The most points that anybody has."""
    most = int(record.points[0])
    for player in range(record.points.size):
        most = max(most, int(record.points[player]))
    return most


@rule
def fewest_points(record: Record) -> int:
    """The fewest points that anybody has."""
    fewest = int(record.points[0])
    for player in range(record.points.size):
        fewest = min(fewest, int(record.points[player]))
    return fewest


# The match --------------------------------------------------------------------------


@rule
def clear_points(record: Record) -> None:
    """Nobody has a point, and nobody has won."""
    for player in range(record.points.size):
        record.points[player] = 0
        record.winners[player] = 0


@rule
def let_win(record: Record, points: int) -> None:
    """Those with so many points win the episode."""
    for player in range(record.points.size):
        record.winners[player] = int(record.points[player] == points)


@rule
def find_winners(record: Record) -> None:
    """Those with the most points win the episode."""
    let_win(record, most_points(record))


@rule
def all_win_but(record: Record, loser: int) -> None:
    """One loses the episode and all others win it."""
    for player in range(record.winners.size):
        record.winners[player] = int(player != loser)


@rule
def pay_winners(record: Record, stake: int) -> None:
    """Each that did not win pays a stake to each that did."""
    for winner in range(record.winners.size):
        for loser in range(record.winners.size):
            if record.winners[winner] > record.winners[loser]:
                pay(record, winner, stake)
                pay(record, loser, -stake)


@rule
def finish(record: Record, stake: int) -> None:
    """End the episode; where that is rewarded, each loser pays each winner a stake."""
    if record.options.reward == REWARD_MATCH:
        pay_winners(record, stake)
    end_episode(record)


# Judging finished episodes -----------------------------------------------------------


def above_the_mean(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The points of each player less the mean of all."""
    points = records["points"]
    return np.asarray(points - points.mean(axis=1, keepdims=True))


def won(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winner of the episode and 0 for the others; several winners share 1."""
    winners = records["winners"]
    return np.asarray(winners / winners.sum(axis=1, keepdims=True))


# Setting up a given position --------------------------------------------------------


def stack_hands(
    record: Record, deal: str, pack: np.uint64, packets: tuple[int, ...]
) -> None:
    """Order the pack so that dealing all of it gives these hands.

    Args:
        record: the table.
        deal: the hands in Portable Bridge Notation from seat 0 on, parted by spaces.
        pack: the cards of the pack.
        packets: see `receiver`.

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
    order = [receiver(record, place, packets) for place in range(count(pack))]
    stack_pack(record, hands, order)


def give_scores(record: Record, scores: Sequence[int], low: int, high: int) -> None:
    """Begin in the middle of a game, with scores from ``low`` to ``high``.

    Raises:
        ValueError: no game is played, or these are no such scores.
    """
    if record.options.episode != ONE_GAME:
        raise ValueError("scores= belongs to a game; take episode='game'")
    players = record.points.size
    given = tuple(scores) if isinstance(scores, Sequence) else ()
    if len(given) != players or not all(is_whole(score, low, high) for score in given):
        raise ValueError(
            f"scores={scores!r} must be {players} whole numbers from {low} to {high}, "
            "one for each player"
        )
    record.points[:] = given
