"""Playing sittings on a Ray cluster.

The cluster is there already, and Ray and this project are installed on each of its
machines in the same versions. Ray plays a sitting anew whose worker was killed or whose
machine was lost.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import logging
import os
import socket
from collections.abc import Generator, Iterable, Iterator
from typing import Final

import ray

from whist_train.processes import process_ended
from whist_train.tournament.cup import Cup
from whist_train.tournament.executor import AHEAD, MOST_TRIES
from whist_train.tournament.play import Played, Sitting, play_sitting

AUTO: Final = "auto"
"""Stands for the cluster that this machine belongs to."""

PATIENCE: Final = 10.0
"""Seconds to wait for the head of a cluster; by itself Ray tries for a quarter hour."""


class RayCluster:
    """Plays on all processors of a Ray cluster.

    Args:
        address: the address of its head as ``"HOST:PORT"``, or ``"auto"`` for the
            cluster that this machine belongs to.

    Raises:
        ValueError: the address is none.
    """

    def __init__(self, address: str = AUTO) -> None:
        host, _, port = address.rpartition(":")
        if address != AUTO and not (host and port.isdecimal()):
            raise ValueError(
                "a Ray cluster has an address such as 10.0.0.1:6379, or 'auto' for "
                f"that of this machine; not {address!r}"
            )
        self._address = address

    def play(
        self, cup: Cup, sittings: Iterable[Sitting]
    ) -> Generator[Played, None, None]:
        """Play sittings; what came of each, in order.

        Raises:
            ConnectionError: there is no cluster.
            RuntimeError: a sitting could not be finished on the cluster.
        """
        rest = iter(sittings)
        waiting: collections.deque[tuple[Sitting, ray.ObjectRef[Played]]]
        waiting = collections.deque()
        play = ray.remote(max_retries=MOST_TRIES - 1)(_play_in)
        with _connected(self._address):
            while True:
                free = max(0, AHEAD * _processors() - len(waiting))
                waiting.extend(
                    (sitting, play.remote(os.getcwd(), cup, sitting))
                    for sitting in itertools.islice(rest, free)
                )
                if not waiting:
                    return
                yield _result(*waiting[0])
                waiting.popleft()


def _play_in(folder: str, cup: Cup, sitting: Sitting) -> Played:
    """Play a sitting in a folder, from which the paths of agents start.

    Raises:
        FileNotFoundError: this machine has no such folder.
    """
    try:
        os.chdir(folder)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{socket.gethostname()} has no folder {folder}; every machine of a Ray "
            "cluster needs the folder in which the command is run, and the files of "
            "the agents at the same places"
        ) from None
    return play_sitting(cup, sitting)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[None]:
    """Be connected to a cluster; what is still played there at the end is dropped."""
    if address != AUTO:
        _find_head(address)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.WARNING)
    except ConnectionError:
        raise ConnectionError(_no_cluster(address)) from None
    try:
        yield
    finally:
        ray.shutdown()


def _find_head(address: str) -> None:
    """Ensure that something listens at an address."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as error:
        raise ConnectionError(
            f"{_no_cluster(address)}: {error.strerror or error}"
        ) from None


def _no_cluster(address: str) -> str:
    if address == AUTO:
        return (
            "this machine belongs to no Ray cluster; begin one with 'ray start "
            "--head', or name the head of one with --ray HOST:PORT"
        )
    return f"there is no Ray cluster at {address}"


def _processors() -> int:
    """How many processors the cluster has now; it may be about to get its first."""
    there = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(there.get("CPU", 0)))


def _result(sitting: Sitting, played: ray.ObjectRef[Played]) -> Played:
    """What came of a sitting, once it is played."""
    try:
        return ray.get(played)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise RuntimeError(
            f"sitting {sitting.number} was not finished in {MOST_TRIES} tries; "
            f"{process_ended(sitting.agents)}: {error}"
        ) from None
