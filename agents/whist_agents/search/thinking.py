"""What agents that search have in common: worlds, budgets, and the last word."""

from __future__ import annotations

import abc
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_agents.agent import SingleAgent
from whist_agents.hoyle import HoyleAgent
from whist_agents.search import compiled
from whist_agents.search.loops import HOYLE, RANDOM
from whist_env import Game, View, Views
from whist_env.cards import CARDS, rank_of
from whist_env.engine.options import is_whole
from whist_env.engine.random import split_mix
from whist_env.worlds import Worlds

POLICIES: Final = {"random": RANDOM, "hoyle": HOYLE}
"""How deals are played to their end, by the names that users write."""

_MOST: Final = 2**31 - 1
_WORLDS, _PLAY = range(2)
"""What is drawn from the chance of a decision: worlds, and random play."""


def whole(name: str, value: Any, least: int = 1) -> int:
    """A setting that is a whole number.

    Raises:
        ValueError: it is none, or too small or too large.
    """
    if not is_whole(value, least, _MOST):
        raise ValueError(
            f"{name}={value!r} must be a whole number from {least} to {_MOST}"
        )
    return int(value)


def policy_named(name: str, value: Any) -> int:
    """A setting that names a policy.

    Raises:
        ValueError: there is no such policy.
    """
    if value not in POLICIES:
        raise ValueError(f"{name}={value!r} must be 'hoyle' or 'random'")
    return POLICIES[value]


class Position:
    """A decision to be thought about: what an agent imagines, and its chance.

    Attributes:
        views: the view that asks for the decision, as the only row of a batch.
        table: a table that could be the true one for all that the agent knows.
        legal: the legal actions, more than one.
    """

    def __init__(self, view: View, seed: int) -> None:
        self.views = Views(
            view.game,
            view.observation[None],
            view.action_mask[None],
            np.array([view.random], np.uint64),
        )
        self.table = view.table()
        self.legal = view.legal_actions()
        self._start = split_mix(np.uint64(view.random), seed)
        self._worlds = Worlds(self.table)

    def worlds(self, number: int, begin: int = 0) -> npt.NDArray[Any]:
        """So many worlds, records of the game; others for another beginning."""
        seed = split_mix(split_mix(self._start, _WORLDS), begin)
        worlds: npt.NDArray[Any] = self._worlds.sample(number, int(seed))
        if _is_judged_later(self.table.game):
            worlds["options"]["reward"] = 0
        return worlds

    def chance(self, begin: int = 0) -> np.uint64:
        """Random bits for play in the worlds with the same beginning."""
        return split_mix(split_mix(self._start, _PLAY), begin)


def _is_judged_later(game: Game) -> bool:
    """Whether a deal by itself earns nothing.

    Only deals are looked ahead to. Where matches or settlements are rewarded and a
    match has several deals, the points of the deal, the first choice of every game,
    stand in for them.
    """
    options = vars(game.options)
    is_a_deal = options.get("episode", "deal") == "deal" and options["deals"] in (
        None,
        1,
    )
    return options["reward"] in ("match", "settlement") and not is_a_deal


class SearchAgent(SingleAgent):
    """Thinks about worlds wherever there is a choice.

    Args:
        seed: part of the agent's chance, besides the random bits of each view.
        milliseconds: how long a decision may take; by default as long as it needs.
            With a limit the same view may get another answer another time.
    """

    imagines: Final = True

    def __init__(self, seed: int = 0, milliseconds: int | None = None) -> None:
        self.seed = whole("seed", seed, 0)
        self.milliseconds = milliseconds
        if milliseconds is not None:
            whole("milliseconds", milliseconds)

    def choose(self, view: View) -> int:
        """A legal action for one view.

        Raises:
            ValueError: the view brings no world, or worlds cannot be drawn under a
                rule in force.
        """
        if view.action_mask.sum() == 1:
            return view.legal_actions()[0]
        return self.think(Position(view, self.seed))

    @abc.abstractmethod
    def think(self, position: Position) -> int:
        """A legal action where there are several."""

    def slices(self, number: int, size: int) -> Iterator[tuple[int, int]]:
        """Parts of a budget in turn, from and to; none follow when the time is up.

        Args:
            number: the budget.
            size: how much of it is spent between two looks at the clock.
        """
        begun = time.perf_counter()
        for begin in range(0, number, size):
            yield begin, min(begin + size, number)
            passed = 1000 * (time.perf_counter() - begun)
            if self.milliseconds is not None and passed > self.milliseconds:
                return


def play_out(
    position: Position, worlds: npt.NDArray[Any], policy: int
) -> npt.NDArray[np.int64]:
    """What the agent to act earns to the end of the deal, by world and legal action.

    Args:
        position: the decision.
        worlds: the worlds.
        policy: how all seats play on.

    Returns:
        In the units of the record, of shape ``(len(worlds), len(position.legal))``.
    """
    game = position.table.game
    desk = compiled.Desk(game)
    earned = np.empty((len(worlds), len(position.legal)), np.int64)
    compiled.play_out(game.rules)(
        worlds.view(np.uint8),
        np.array(position.legal, np.int64),
        policy,
        position.chance(),
        *desk.room,
        earned,
    )
    return earned


def best(legal: Sequence[int], values: npt.NDArray[Any], views: Views) -> int:
    """The action with the highest value.

    Of several with the same value, that of the rule-of-thumb player if it is among
    them; else the lowest, by rank among cards.

    Args:
        legal: the actions that are valued.
        values: their values; sums, which are exact, rather than means.
        views: the view of the decision, as the only row of a batch.
    """
    highest = values.max()
    ties = [
        action for action, value in zip(legal, values, strict=True) if value == highest
    ]
    if len(ties) == 1:
        return ties[0]
    thumb = int(HoyleAgent().act(views)[0])
    return thumb if thumb in ties else min(ties, key=_height)


def _height(action: int) -> tuple[int, int]:
    return (rank_of(action) if action < CARDS else action, action)
