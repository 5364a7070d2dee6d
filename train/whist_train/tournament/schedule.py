"""Schedules: who meets whom in which format, and who sits where.

A *meeting* is a number of boards that a few entrants play with one another. It is
played in several rooms: on the same boards, with other seats. Two sides swap theirs, so
that what one holds in one room the other holds in the other; single players move one
seat on from room to room, until each has held every hand.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from whist_train.rooms import sides_of_agents
from whist_train.tournament.cup import Cup, Team
from whist_train.tournament.cutting import SEATS, cut_for_partners, stay

EVERY_FOUR: Final = 11
"""Up to how many players every four meet, where there is no whist tournament."""

MOST_TRIED: Final = 20_000
"""How many pairs of a Swiss round are tried before a few may meet again."""

STARTERS: Final[dict[int, tuple[tuple[int, int, int, int], ...]]] = {
    4: ((3, 0, 1, 2),),
    5: ((1, 4, 2, 3),),
    8: ((7, 0, 1, 3), (2, 6, 4, 5)),
    12: ((11, 0, 1, 3), (2, 9, 6, 7), (4, 10, 5, 8)),
    13: ((1, 4, 2, 7), (3, 12, 6, 8), (5, 11, 9, 10)),
    16: ((15, 0, 1, 2), (3, 6, 9, 11), (4, 13, 8, 12), (5, 10, 7, 14)),
    17: ((1, 2, 3, 8), (4, 15, 10, 12), (5, 9, 6, 13), (7, 16, 11, 14)),
    20: (
        *((19, 0, 1, 2), (3, 5, 9, 15), (4, 14, 12, 17), (6, 18, 10, 13)),
        (7, 11, 8, 16),
    ),
    21: (
        *((1, 2, 3, 6), (4, 13, 12, 19), (5, 9, 14, 16), (7, 20, 11, 17)),
        (8, 18, 10, 15),
    ),
    24: (
        *((23, 0, 1, 2), (3, 5, 7, 17), (4, 12, 18, 22), (6, 20, 10, 13)),
        *((8, 19, 11, 16), (9, 15, 14, 21)),
    ),
}
"""First rounds of whist tournaments by the number of players.

The first two at a table are partners against the others. Each later round adds 1 to
every player, modulo the number of rounds; where that is one below the number of
players, the last player stays where it is. Every two are then partners once and
opponents twice (Moore 1896; found anew by a search over differences).
"""

_CUTS: Final = 2
"""What is drawn from the seed: boards and chance have 0 and 1."""

_PACK: Final = np.repeat(np.arange(1, 14), 4)
"""The ranks of a pack, from which players cut."""


@dataclasses.dataclass(frozen=True)
class Meeting:
    """Entrants that play the same boards with one another.

    Attributes:
        round: the number of the round, from 1.
        number: the number of the meeting in the round, from 1.
        rooms: for each room the agent at each seat.
        sides: for each room the side of each seat, 0 or 1; empty where everybody plays
            for itself.
        entrants: the two sides; empty where everybody plays for itself.
    """

    round: int
    number: int
    rooms: tuple[tuple[str, ...], ...]
    sides: tuple[tuple[int, ...], ...] = ()
    entrants: tuple[str, ...] = ()

    @property
    def agents(self) -> frozenset[str]:
        """Every agent that plays."""
        return frozenset(itertools.chain.from_iterable(self.rooms))


def rounds_known_beforehand(cup: Cup) -> list[list[Meeting]]:
    """All rounds of a cup that do not depend on results.

    Raises:
        ValueError: they do, or there is no schedule for so many players.
    """
    if cup.format == "gauntlet":
        champion, *others = cup.entrants
        return [
            [_two_sides(cup, number, 1, champion, other)]
            for number, other in enumerate(others, start=1)
        ]
    if cup.format in ("round robin", "teams"):
        return [
            _meetings(cup, number, pairs)
            for number, pairs in enumerate(round_robin(cup.entrants), start=1)
        ]
    if cup.format == "individual":
        return _individual(cup)
    if cup.format == "club":
        return list(_club(cup))
    raise ValueError(f"the rounds of the format {cup.format!r} depend on results")


def round_robin(entrants: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Every two meet once: the circle method.

    The first stays, the others go round; with an odd field one has a bye each round.
    """
    circle: list[str | None] = [*entrants, *([None] if len(entrants) % 2 else [])]
    half = len(circle) // 2
    rounds = []
    for _ in range(len(circle) - 1):
        both = zip(circle[:half], reversed(circle[half:]), strict=True)
        rounds.append([(a, b) for a, b in both if a is not None and b is not None])
        circle.insert(1, circle.pop())
    return rounds


def swiss_round(
    cup: Cup, number: int, order: Sequence[str], met: Mapping[str, set[str]]
) -> list[Meeting]:
    """A round in which neighbours in the order meet that have not met before.

    With an odd field the last in the order that has had none has a bye.

    Args:
        cup: the cup.
        number: the number of the round, from 1.
        order: the entrants that still play, the first first.
        met: whom each has met; one that has had a bye has met itself.
    """
    playing = list(order)
    if len(playing) % 2:
        without = [e for e in reversed(playing) if e not in met[e]]
        playing.remove(without[0] if without else playing[-1])
    pairs = _Search(met).paired(playing)
    return _meetings(cup, number, pairs or _paired_nearly(playing, met))


class _Search:
    """Looks for pairs that have not met; it gives up after `MOST_TRIED` tries.

    Args:
        met: whom each has met.
    """

    def __init__(self, met: Mapping[str, set[str]]) -> None:
        self._met = met
        self._left = MOST_TRIED

    def paired(self, playing: Sequence[str]) -> list[tuple[str, str]] | None:
        """The first with the next that it has not met, such that the rest can pair too.

        Returns:
            None if there is no such pairing, or none was found in time.
        """
        if not playing:
            return []
        first, *others = playing
        for place, other in enumerate(others):
            if other in self._met[first] or self._left == 0:
                continue
            self._left -= 1
            rest = self.paired(others[:place] + others[place + 1 :])
            if rest is not None:
                return [(first, other), *rest]
        return None


def _paired_nearly(
    playing: Sequence[str], met: Mapping[str, set[str]]
) -> list[tuple[str, str]]:
    """Each with the next that it has not met, or else with the next.

    Two that have met then change partners with another pair, where four that have not
    met come of it.
    """
    left, pairs = list(playing), list[tuple[str, str]]()
    while left:
        first = left.pop(0)
        other = next((name for name in left if name not in met[first]), left[0])
        left.remove(other)
        pairs.append((first, other))
    for place, (a, b) in enumerate(pairs):
        if b not in met[a]:
            continue
        for its, (c, d) in enumerate(pairs):
            ways = [((a, c), (b, d)), ((a, d), (b, c))] if its != place else []
            new = [way for way in ways if all(y not in met[x] for x, y in way)]
            if new:
                pairs[place], pairs[its] = new[0]
                break
    return pairs


def _meetings(cup: Cup, number: int, pairs: Sequence[tuple[str, str]]) -> list[Meeting]:
    return [
        _two_sides(cup, number, place, *pair)
        for place, pair in enumerate(pairs, start=1)
    ]


def _two_sides(cup: Cup, number: int, place: int, a: str, b: str) -> Meeting:
    """Two entrants, in two rooms with the seats swapped."""
    if cup.teams:
        return _teams_of_four(cup, number, place, a, b)
    first = tuple(sides_of_agents(cup.made_game()))
    second = tuple(1 - side for side in first)
    rooms = tuple(tuple((a, b)[side] for side in sides) for sides in (first, second))
    return Meeting(number, place, rooms, (first, second), (a, b))


def _teams_of_four(cup: Cup, number: int, place: int, a: str, b: str) -> Meeting:
    """One pair of each team in each room, where they have the seats of the others."""
    teams: dict[str, Team] = {team.name: team for team in cup.teams}
    a1, a2, a3, a4 = teams[a].agents
    b1, b2, b3, b4 = teams[b].agents
    rooms = ((a1, b3, a2, b4), (b1, a3, b2, a4))
    return Meeting(number, place, rooms, ((0, 1, 0, 1), (1, 0, 1, 0)), (a, b))


def _individual(cup: Cup) -> list[list[Meeting]]:
    """Everybody with everybody as partners, and against everybody."""
    return [
        [
            Meeting(number, place, _moving_on(table))
            for place, table in enumerate(tables, start=1)
        ]
        for number, tables in enumerate(whist_tournament(cup.entrants), start=1)
    ]


def whist_tournament(players: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """Rounds of tables; the first two at a table are partners against the others.

    Where there is a first round for so many (`STARTERS`), every two are partners once
    and opponents twice. Otherwise every four meet, in all three ways to be partners.

    Raises:
        ValueError: there is neither.
    """
    count = len(players)
    if count not in STARTERS:
        if count > EVERY_FOUR:
            sizes = ", ".join(map(str, STARTERS))
            raise ValueError(
                f"there is no schedule for {count} single players; there is for up to "
                f"{EVERY_FOUR} and for {sizes}"
            )
        fours = itertools.combinations(players, SEATS)
        return [
            [(a, b, c, d)]
            for w, x, y, z in fours
            for a, b, c, d in ((w, x, y, z), (w, y, x, z), (w, z, x, y))
        ]
    moving = count if count % 2 else count - 1
    return [
        [
            tuple(players[(p + step) % moving if p < moving else p] for p in table)
            for table in STARTERS[count]
        ]
        for step in range(moving)
    ]


def _moving_on(table: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Four rooms in which each of two pairs of partners has every hand once."""
    a, b, c, d = table
    seats = (a, c, b, d)
    return tuple(seats[room:] + seats[:room] for room in range(SEATS))


def _club(cup: Cup) -> Iterator[list[Meeting]]:
    """Four of up to six at one table, by the laws of cutting.

    Who came first plays first: the order of the file.
    """
    cards = _cuts(cup.settled_seed)
    at_table, waiting = list(cup.entrants[:SEATS]), list(cup.entrants[SEATS:])
    games = dict.fromkeys(at_table, 0)
    for number in range(1, (cup.rounds or 0) + 1):
        # The dealer has seat 0 (`Cup.made_game`).
        seats = cut_for_partners(at_table, cards)
        yield [Meeting(number, 1, (seats,))]
        for player in at_table:
            games[player] += 1
        staying, retiring = stay(games, len(waiting), cards)
        at_table = staying + waiting
        games = {player: games.get(player, 0) for player in at_table}
        waiting = retiring


def _cuts(seed: int) -> Iterator[int]:
    """Ranks as they are drawn from a spread pack, pack after pack."""
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_CUTS,)))
    while True:
        yield from random.permutation(_PACK).tolist()
