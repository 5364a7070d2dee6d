"""Agents that do something wrong now and then, for tests of tournaments."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from whist_agents import SingleAgent
from whist_env import Table, View, Views


class First:
    """Plays its first legal action."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        return (views.action_mask != 0).argmax(1)


class Illegal:
    """Plays its first legal action, but the deuce of clubs when it has it not."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        legal = views.action_mask != 0
        has_deuce = views.observation[:, views.game.features["hand"].start] != 0
        late = views.observation[:, views.game.features["hand"]].sum(1) < 10
        return np.where(late & ~has_deuce, 0, legal.argmax(1))


class Raises(SingleAgent):
    """Gives up at one decision in a hundred."""

    def choose(self, view: View) -> int:
        if view.random % 100 == 0:
            raise RuntimeError("no idea")
        return view.legal_actions()[0]


class WrongShape:
    """Answers for one table more than it was asked about."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        return np.zeros(len(views) + 1, np.int64)


class BothWays(First):
    """Takes the tables where they are given to it, and is shown views otherwise."""

    def act_on(
        self, tables: Sequence[Table], random: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        return np.array([table.legal_actions()[-1] for table in tables])


class Remembers:
    """Plays its first legal action until a hand is dealt that it has held before."""

    def __init__(self) -> None:
        self._held: set[bytes] = set()
        self._knows = False

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        legal = views.action_mask != 0
        hands = views.observation[:, views.game.features["hand"]]
        for hand in hands[hands.sum(1) == 13]:
            self._knows |= hand.tobytes() in self._held
        self._held |= {hand.tobytes() for hand in hands[hands.sum(1) == 13]}
        last = legal.shape[1] - 1 - legal[:, ::-1].argmax(1)
        return last if self._knows else legal.argmax(1)


class Exits(SingleAgent):
    """Tries to end the program that asks it, at one decision in a hundred."""

    def choose(self, view: View) -> int:
        if view.random % 100 == 0:
            raise SystemExit(3)
        return view.legal_actions()[0]


class ExitsWhenMade(First):
    """Tries to end the program that makes it."""

    def __init__(self) -> None:
        sys.exit()


class RaisesWhenMade(First):
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no weights")


class Speaks(SingleAgent):
    """Answers with the name of a card."""

    def choose(self, view: View) -> int:
        return "SA"  # type: ignore[return-value]


class Prints(First):
    """Says what it does."""

    def __init__(self) -> None:
        print("here I am")

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        print("well, the first one")
        return super().act(views)


class KillsItsProcess(SingleAgent):
    """Kills the process it plays in, the first time that it plays anywhere."""

    def __init__(self, marker: str) -> None:
        self._marker = Path(marker)

    def choose(self, view: View) -> int:
        if not self._marker.exists():
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal_actions()[0]


class KillsAll(SingleAgent):
    """Kills the process it plays in."""

    def choose(self, view: View) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return view.legal_actions()[0]


class HangsOnce(SingleAgent):
    """Hangs at its tenth decision, and never again anywhere.

    It leaves the number of the process that hangs in a file, as a line.
    """

    def __init__(self, marker: str) -> None:
        self._marker = marker
        self._decisions = 0

    def choose(self, view: View) -> int:
        self._decisions += 1
        if self._decisions == 10:
            try:
                file = open(self._marker, "x")
            except FileExistsError:
                pass
            else:
                with file:
                    file.write(f"{os.getpid()}\n")
                time.sleep(600)
        return view.legal_actions()[0]
