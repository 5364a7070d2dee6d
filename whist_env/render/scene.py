"""What a viewer sees of a table.

A scene holds the cards that its viewer may see and no others, so that whatever is made
from a scene alone cannot show a hidden card.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Literal, Protocol, TypeAlias

from whist_env.cards import (
    CARDS,
    count,
    holds,
    members,
    suit_of,
    without,
)
from whist_env.engine.options import is_whole
from whist_env.engine.record import NOBODY, Record
from whist_env.engine.rules import Rules

Viewer: TypeAlias = int | Literal["agent", "all"]
"""Who looks: an agent, the one to act (``"agent"``), or somebody who sees all."""


SEES_ALL = NOBODY
"""In place of an agent: somebody who sees every hand."""


class HasRules(Protocol):
    """What a scene needs of a game."""

    @property
    def rules(self) -> Rules:
        """The rules."""


class TableLike(Protocol):
    """What a scene needs of a table; `whist_env.Table` is one."""

    @property
    def game(self) -> HasRules:
        """The game that is played."""

    @property
    def record(self) -> Any:
        """The record of the table."""


@dataclasses.dataclass(frozen=True)
class Seat:
    """A seat as the viewer sees it.

    Attributes:
        name: the name of the seat.
        known: the cards of its hand that the viewer may see; spades first, and in each
            suit the highest card first.
        unknown: how many other cards it holds.
        played: its card in the trick on the table.
        tricks: the tricks it has taken in this deal.
    """

    name: str
    known: tuple[int, ...]
    unknown: int
    played: int | None
    tricks: int


@dataclasses.dataclass(frozen=True)
class Trick:
    """A finished trick: its cards in the order of play, and who took it."""

    cards: tuple[int, ...]
    seats: tuple[int, ...]
    taker: int


@dataclasses.dataclass(frozen=True)
class Scene:
    """All that a viewer sees. What a game does not have is ``None`` or empty.

    Attributes:
        title: the name of the game.
        deal: the number of the deal in this episode, from 1.
        seats: every seat.
        viewer: the seat from which the table is seen.
        to_play: the seat whose turn it is; ``None`` when the episode is over.
        playable: the cards it may play, if the viewer sees its hand.
        calls: the calls that the agent to act may make, if the viewer is that agent.
        notes: what else the viewer sees, each with a name.
        dealer: the seat that dealt.
        leader: the seat that leads, or led, to the trick on the table.
        winner: the seat whose card wins that trick so far.
        trump: the trump suit.
        turned: the turned card while it lies open.
        last_trick: the trick before the one on the table.
        sides: the seats of each side.
        scores: the name of each score with its value by side.
        returns: what the episode earned each side, when it is over.
    """

    title: str
    deal: int
    seats: tuple[Seat, ...]
    viewer: int
    to_play: int | None
    playable: frozenset[int]
    calls: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]
    dealer: int | None
    leader: int | None
    winner: int | None
    trump: int | None
    turned: int | None
    last_trick: Trick | None
    sides: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[str, tuple[int, ...]], ...]
    returns: tuple[float, ...]


def see(table: TableLike, viewer: Viewer = "agent") -> Scene:
    """What a viewer sees of a table.

    Args:
        table: the table.
        viewer: an agent; ``"agent"`` for the agent to act, agent 0 when the episode is
            over; or ``"all"`` for every hand, seen from the seat of agent 0.

    Raises:
        ValueError: there is no such viewer.
    """
    rules, record = table.game.rules, table.record
    agent = _viewing_agent(rules, record, viewer)
    acts = not record.over and agent in (record.agent, SEES_ALL)
    turned = _turned(record)
    sides = tuple(dict.fromkeys(rules.partners))
    return Scene(
        title=rules.title,
        deal=int(record.deals_played) + _deal_goes_on(record),
        seats=tuple(
            _seat(rules, record, agent, seat) for seat in range(len(record.hands))
        ),
        viewer=int(rules.seat_of(record, max(0, agent))),
        to_play=_known(record.seat),
        playable=_playable(rules, record) if acts else frozenset(),
        calls=_calls(rules, record) if acts else (),
        notes=rules.notes(record, agent),
        dealer=_optional(record, "dealer"),
        leader=None if record.over else int(record.leader),
        winner=int(record.winner) if record.cards_in_trick else None,
        trump=_optional(record, "trump"),
        turned=turned,
        last_trick=_last_trick(record),
        sides=sides,
        scores=_scores(record, sides),
        returns=_returns(rules, record, sides),
    )


def by_suit(cards: Iterable[int]) -> list[tuple[int, ...]]:
    """Cards as a hand is held, suit by suit; suits without cards are left out."""
    suits = groupby(in_order(cards), key=suit_of)
    return [tuple(suit) for _, suit in suits]


def in_order(cards: Iterable[int]) -> tuple[int, ...]:
    """Cards as a hand is held: spades first, the highest card of a suit first."""
    return tuple(sorted(cards, reverse=True))


def _viewing_agent(rules: Rules, record: Record, viewer: Viewer) -> int:
    if viewer == "all":
        return SEES_ALL
    if viewer == "agent":
        return max(0, int(record.agent))
    if not is_whole(viewer, 0, rules.agents - 1):
        raise ValueError(
            f"viewer={viewer!r} must be 'agent', 'all' or an agent from 0 to "
            f"{rules.agents - 1}"
        )
    return int(viewer)


def _known(value: Any) -> int | None:
    """A number of the record, where -1 says that there is none."""
    return None if value < 0 else int(value)


def _optional(record: Record, name: str) -> int | None:
    """A number of the record that not every game has."""
    return _known(record[name]) if name in record.dtype.names else None


def _turned(record: Record) -> int | None:
    """The turned card: it lies open until its holder plays to trick 1."""
    turned = _optional(record, "turned")
    if turned is None or record.tricks_played > 0:
        return None
    held = zip(record.hands, record.played, strict=True)
    open_now = any(holds(hand, turned) and not played for hand, played in held)
    return turned if open_now else None


def _seat(rules: Rules, record: Record, agent: int, seat: int) -> Seat:
    hand = record.hands[seat]
    known = hand if agent == SEES_ALL else rules.visible(record, agent, seat)
    return Seat(
        name=_name(rules, record, seat),
        known=in_order(members(known)),
        unknown=count(without(hand, known)),
        played=_known(record.trick[seat]),
        tricks=int(record.tricks_won[seat]),
    )


def _name(rules: Rules, record: Record, seat: int) -> str:
    """Seats are named after the agents who sit there; dummy is nobody's."""
    for agent in range(rules.agents):
        if rules.seat_of(record, agent) == seat:
            return f"player_{agent}"
    return "dummy"


def _playable(rules: Rules, record: Record) -> frozenset[int]:
    return frozenset(card for card in members(rules.legal(record)[0]) if card < CARDS)


def _calls(rules: Rules, record: Record) -> tuple[str, ...]:
    first, second = (int(part) for part in rules.legal(record))
    legal = first | second << 64
    return tuple(
        rules.action_names[call]
        for call in range(CARDS, len(rules.action_names))
        if legal >> call & 1
    )


def _deal_goes_on(record: Record) -> bool:
    """Whether a deal is unfinished; one that was forfeited stays so."""
    return not record.over or bool(record.hands.any())


def _last_trick(record: Record) -> Trick | None:
    end = int(record.cards_played) - int(record.cards_in_trick)
    start = end - len(record.hands)
    if start < 0:
        return None
    return Trick(
        cards=tuple(record.history[start:end].tolist()),
        seats=tuple(record.history_seats[start:end].tolist()),
        taker=int(record.leader),
    )


def _scores(
    record: Record, sides: tuple[tuple[int, ...], ...]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The scores by side: tricks always, the others once anybody has scored.

    Points of the whole episode are left out while they are those of the game.
    """
    scores: dict[str, tuple[int, ...]] = {}
    if sum(map(len, sides)) == len(record.hands) > len(sides):
        scores["tricks"] = tuple(
            sum(int(record.tricks_won[seat]) for seat in side) for side in sides
        )
    for name in ("score", "games", "points"):
        if name in record.dtype.names and record[name].shape == (len(sides),):
            scores[name] = tuple(record[name].tolist())
    if scores.get("points") == scores.get("score"):
        scores.pop("points", None)
    return tuple(
        (name, values)
        for name, values in scores.items()
        if name == "tricks" or any(values)
    )


def _returns(
    rules: Rules, record: Record, sides: tuple[tuple[int, ...], ...]
) -> tuple[float, ...]:
    """What the episode earned each side; partners earn the same."""
    if not record.over:
        return ()
    return tuple(int(record.returns[side[0]]) / rules.unit for side in sides)
