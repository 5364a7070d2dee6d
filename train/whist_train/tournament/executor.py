"""Where sittings are played: in this process, in several, or on other machines.

An executor is given sittings and gives back what came of them, in the same order. What
that is does not depend on the executor.
"""

from __future__ import annotations

import collections
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Final, Protocol

from whist_train.processes import process_ended, process_pool
from whist_train.tournament.cup import Cup
from whist_train.tournament.play import Played, Sitting, play_sitting

AHEAD: Final = 2
"""Sittings that are handed out at a time, for each process."""

MOST_TRIES: Final = 3
"""How often a sitting is played anew whose process was killed."""


class Executor(Protocol):
    """Whatever plays sittings."""

    def play(
        self, cup: Cup, sittings: Iterable[Sitting]
    ) -> Generator[Played, None, None]:
        """Play sittings; what came of each, in order.

        Sittings are asked for one by one, not long before they are played.
        """
        ...


class InProcess:
    """Plays in this process, one sitting after the other."""

    def play(
        self, cup: Cup, sittings: Iterable[Sitting]
    ) -> Generator[Played, None, None]:
        """Play sittings; what came of each, in order."""
        for sitting in sittings:
            yield play_sitting(cup, sitting)


class ProcessPool:
    """Plays in other processes; a sitting whose process is killed is played anew.

    Args:
        workers: how many processes.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def play(
        self, cup: Cup, sittings: Iterable[Sitting]
    ) -> Generator[Played, None, None]:
        """Play sittings; what came of each, in order.

        Raises:
            RuntimeError: processes were killed again and again.
        """
        rest = iter(sittings)
        waiting: collections.deque[Sitting] = collections.deque()
        stuck, tries = -1, 0
        while True:
            try:
                yield from self._until_broken(cup, waiting, rest)
                return
            except BrokenProcessPool:
                tries = tries + 1 if waiting[0].number == stuck else 1
                stuck = waiting[0].number
                if tries == MOST_TRIES:
                    agents = (name for sitting in waiting for name in sitting.agents)
                    raise RuntimeError(
                        f"sitting {stuck} was not finished in {tries} tries; each time "
                        + process_ended(agents)
                    ) from None

    def _until_broken(
        self,
        cup: Cup,
        waiting: collections.deque[Sitting],
        rest: Iterator[Sitting],
    ) -> Generator[Played, None, None]:
        """Play on; what is not finished stays in ``waiting``."""
        pool = process_pool(self._workers)
        futures: collections.deque[Future[Played]] = collections.deque(
            pool.submit(play_sitting, cup, sitting) for sitting in waiting
        )
        try:
            while True:
                while len(waiting) < AHEAD * self._workers:
                    sitting = next(rest, None)
                    if sitting is None:
                        break
                    waiting.append(sitting)
                    futures.append(pool.submit(play_sitting, cup, sitting))
                if not waiting:
                    return
                played = futures[0].result()
                futures.popleft()
                waiting.popleft()
                yield played
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
