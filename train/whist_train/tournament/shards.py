"""Parts of a cup that are played in folders of their own and put together later."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from whist_train.tournament.cup import Cup
from whist_train.tournament.play import Sitting, sittings_of
from whist_train.tournament.schedule import Meeting, rounds_known_beforehand

MOST_NAMED: Final = 8
"""So many missing shards are named; of more, how many there are."""


class UnevenShards(UserWarning):
    """The shards of a cup overlap, or some of it is missing."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """A part of a cup: every ``of``-th sitting, from the ``number``-th, from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ValueError(
                f"shard {self.number}/{self.of}: the first number must be from 1 to "
                "the second"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that a text such as ``"2/8"`` names.

        Raises:
            ValueError: it names none.
        """
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal()):
            raise ValueError(
                f"shard {text!r}: write it as 2/8, for the second of eight"
            )
        return cls(int(number), int(of))

    def has(self, sitting: int) -> bool:
        """Whether a sitting, by its number from 0, is a part of it."""
        return sitting % self.of == self.number - 1

    def overlaps(self, other: Shard) -> bool:
        """Whether the two have sittings in common, if there are enough."""
        return (self.number - other.number) % math.gcd(self.of, other.of) == 0


WHOLE: Final = Shard(1, 1)
"""No part of a cup, but all of it."""


def cut(cup: Cup, meetings: Iterable[Meeting], first: int = 0) -> Iterator[Sitting]:
    """Meetings cut into sittings, which are numbered on from the first."""
    for meeting in meetings:
        for sitting in sittings_of(cup, meeting, first):
            first += 1
            yield sitting


def sittings_beforehand(cup: Cup) -> Iterator[Sitting]:
    """All sittings of a cup.

    Raises:
        ValueError: they depend on results.
    """
    return cut(cup, itertools.chain.from_iterable(rounds_known_beforehand(cup)))


def overlaps(shards: Sequence[tuple[Path, Shard]]) -> Iterator[str]:
    """Which folders have a part of the cup in common, in words."""
    for (folder, shard), (other, its) in itertools.combinations(shards, 2):
        if shard.overlaps(its):
            yield (
                f"{other} (shard {its}) overlaps with {folder} (shard {shard}): what "
                "they have in common counts once"
            )


def gaps(
    shards: Sequence[tuple[Path, Shard]], missing: Collection[Sitting]
) -> Iterator[str]:
    """Why some of a cup is missing, in words.

    Args:
        shards: the folders and what is to be played there.
        missing: the sittings of which there are no records.
    """
    for folder, shard in shards:
        lacking = sum(shard.has(sitting.number) for sitting in missing)
        if lacking:
            yield (
                f"{folder} lacks {_counted(lacking, 'sitting')} of shard {shard}: play "
                "it to its end with the command that began it"
            )
    of = math.lcm(*(shard.of for _, shard in shards))
    absent = {
        str(Shard(sitting.number % of + 1, of)): sitting.number % of
        for sitting in missing
        if not any(shard.has(sitting.number) for _, shard in shards)
    }
    if len(absent) > MOST_NAMED:
        yield f"{len(absent)} of {of} shards are missing"
    elif absent:
        names = ", ".join(sorted(absent, key=absent.__getitem__))
        yield f"{_counted(len(absent), 'shard')} missing: {names}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"
