"""What a network sees of a position.

Players do not look at names of cards alone. They see which card is the best one left of
its suit, and they know the maxims of the game. So besides the observation with
canonical suits (`whist_agents.canonical`) a network is shown

* for each card that is still out, how many higher ones of its suit are;
* the cards by that place in their suit: which of them it holds, which lie on the table,
  and where a suit ends;
* advice, if it takes any: what the rule-of-thumb player would do.

A card that has been played and gathered is no longer out; those on the table are.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final, Self

import numba
import numpy as np
import numpy.typing as npt

from whist_agents.canonical import ORDERS, canonical
from whist_agents.hoyle import HoyleAgent
from whist_env import Game, Views
from whist_env.cards import CARDS, RANKS_IN_SUIT
from whist_env.engine.features import Feature, FeatureTable
from whist_env.games.whist import target

HIGHER, PLACES, ADVICE, HANDS = "higher", "places", "advice", "hands_by_place"
"""The names of what is shown besides the observation."""
BY_PLACE: Final = (HIGHER, PLACES)
"""What `Sight.show_places` shows."""
NO_CARD: Final = -1
"""Marks the places of a suit after the last card that is out."""

_Bytes = npt.NDArray[np.int8]
_Integers = npt.NDArray[np.int64]


class Sight:
    """Turns observations and states of a game into what networks are given.

    Attributes:
        game: the game.
        advised: whether a network is told what the rule-of-thumb player would do.
        features: what a policy sees.
        state_features: what a critic sees: the same, then what is hidden.
    """

    def __init__(self, game: Game, advised: bool) -> None:
        self.game = game
        self.advised = advised
        self._canonical = canonical(game)
        seats = _shape(game.features, "trick")[0]
        self._shown = _shown(game, seats, advised)
        self.features = FeatureTable(*_observed(game), *self._shown)
        hidden = game.state_features.features[len(game.features.features) :]
        by_place = _hands_by_place(_shape(game.state_features, "hands")[0])
        self.state_features = FeatureTable(*self.features.features, *hidden, by_place)
        self._hoyle = HoyleAgent()

    def __deepcopy__(self, memo: Any) -> Self:
        """Itself: it never changes, so that copies of a network share it."""
        return self

    def orders(self, observation: _Bytes) -> _Integers:
        """The order of suits of each observation, as an index into `ORDERS`.

        Args:
            observation: the game's own, ``(len, game.features.size)`` int8; those of
                states serve as well.
        """
        return self._canonical.orders(observation[:, : self.game.features.size])

    def observation(
        self, observation: _Bytes, mask: _Bytes, orders: _Integers
    ) -> _Bytes:
        """What a policy sees, ``(len, features.size)`` int8.

        Args:
            observation: ``(len, game.features.size)`` int8.
            mask: action masks, ``(len, game.num_actions)`` int8.
            orders: the orders of suits.
        """
        rows = np.zeros((len(observation), self.features.size), np.int8)
        size = self.game.features.size
        rows[:, :size] = self._canonical.observation(observation, orders)
        self._show(rows, observation, mask, orders)
        return rows

    def state(self, state: _Bytes, mask: _Bytes, orders: _Integers) -> _Bytes:
        """What a critic sees, ``(len, state_features.size)`` int8.

        It starts with what the policy sees. The arguments are as for `observation`,
        with states ``(len, game.state_features.size)`` int8.
        """
        rows = np.zeros((len(state), self.state_features.size), np.int8)
        moved = self._canonical.state(state, orders)
        size, shown = self.game.features.size, self.features.size
        rows[:, :size] = moved[:, :size]
        rows[:, shown : shown + moved.shape[1] - size] = moved[:, size:]
        self._show(rows, np.ascontiguousarray(state[:, :size]), mask, orders)
        features = self.state_features
        _show_hands(
            rows,
            features.offset(HIGHER),
            features.offset("hands"),
            features.offset(HANDS),
            _shape(features, "hands")[0],
        )
        return rows

    def mask(self, mask: _Bytes, orders: _Integers) -> _Bytes:
        """Action masks with their suits in canonical order, as a new array."""
        return self._canonical.mask(mask, orders)

    def action(self, canonical_action: _Integers, orders: _Integers) -> _Integers:
        """The actions of the game that canonical actions stand for."""
        return self._canonical.action(canonical_action, orders)

    def canonical_action(self, action: _Integers, orders: _Integers) -> _Integers:
        """The canonical actions that stand for actions of the game."""
        return self._canonical.canonical_action(action, orders)

    def by_action(self, values: npt.NDArray[Any], orders: _Integers) -> Any:
        """Values by action, ``(len, num_actions)``, by canonical action instead."""
        return np.take_along_axis(values, self._actions[orders], axis=1)

    def show_places(self, rows: _Bytes) -> None:
        """Write how many higher cards are out, and the cards by their places.

        Args:
            rows: what a policy or a critic sees, ``(len, size)`` int8, with the
                canonical observation in its place; the rest is overwritten.
        """
        features = self.features
        for name in BY_PLACE:
            rows[:, features[name]] = 0
        _show_places(
            rows,
            features.offset("hand"),
            features.offset("played"),
            features.offset("trick"),
            features.offset(HIGHER),
            features.offset(PLACES),
            _shape(features, "trick")[0],
        )

    def _show(
        self, rows: _Bytes, observation: _Bytes, mask: _Bytes, orders: _Integers
    ) -> None:
        """Write what is shown besides; the canonical observation is there already."""
        self.show_places(rows)
        if self.advised:
            views = Views(self.game, observation, mask, np.zeros(len(rows), np.uint64))
            advice = self.canonical_action(self._hoyle.act(views), orders)
            rows[np.arange(len(rows)), self.features.offset(ADVICE) + advice] = 1

    @functools.cached_property
    def _actions(self) -> _Integers:
        """The action that each canonical one stands for, by order of suits."""
        canonical_actions = np.arange(self.game.num_actions)
        return np.stack(
            [
                self.action(canonical_actions, np.full(len(canonical_actions), order))
                for order in range(len(ORDERS))
            ]
        )


def _observed(game: Game) -> list[Feature]:
    """The features of an observation; in a rubber a score is bounded by the game.

    Networks scale what they see by its bounds. The rules have games of up to 100
    points, but in short whist a score of 4 is a high one.
    """
    features = list(game.features.features)
    if game.name != "whist" or getattr(game.options, "episode", "deal") != "rubber":
        return features
    points = target(game.new_records(1)[0])
    place = [feature.name for feature in features].index("score")
    features[place] = dataclasses.replace(features[place], high=points)
    return features


def _shown(game: Game, seats: int, advised: bool) -> list[Feature]:
    """The features that a policy is shown besides the observation."""
    shown = [
        Feature(
            HIGHER,
            ("card",),
            (CARDS,),
            0,
            RANKS_IN_SUIT - 1,
            "higher cards of the suit that are still out, for a card that is",
        ),
        Feature(
            PLACES,
            ("holder", "place"),
            (1 + seats, CARDS),
            NO_CARD,
            1,
            "who holds the cards in hand, then who has them on the table, from the "
            "highest that is out of each suit down",
        ),
    ]
    if advised:
        meaning = "what the rule-of-thumb player would do"
        shown.append(Feature(ADVICE, ("action",), (game.num_actions,), 0, 1, meaning))
    return shown


def _hands_by_place(seats: int) -> Feature:
    meaning = "the hands, from the highest card that is out of each suit down"
    return Feature(HANDS, ("seat", "place"), (seats, CARDS), 0, 1, meaning)


def _shape(features: FeatureTable, name: str) -> tuple[int, ...]:
    return next(f.shape for f in features.features if f.name == name)


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _on_table(row: Any, trick: int, seats: int, card: int) -> int:
    """The seat that has played a card to the trick on the table, or -1."""
    for seat in range(seats):
        if row[trick + 52 * seat + card]:
            return seat
    return -1


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _has_been_played(row: Any, played: int, seats: int, card: int) -> Any:
    for seat in range(seats):
        if row[played + 52 * seat + card]:
            return True
    return False


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _show_places(
    rows: Any, hand: int, played: int, trick: int, higher: int, places: int, seats: int
) -> None:
    for index in range(rows.shape[0]):
        row = rows[index]
        for suit in range(4):
            place = 0
            for rank in range(12, -1, -1):
                card = 13 * suit + rank
                seat = _on_table(row, trick, seats, card)
                if seat < 0 and _has_been_played(row, played, seats, card):
                    continue
                row[higher + card] = place
                at = places + 13 * suit + place
                if seat >= 0:
                    row[at + 52 * (1 + seat)] = 1
                elif row[hand + card]:
                    row[at] = 1
                place += 1
            for after in range(place, 13):
                row[places + 13 * suit + after] = -1


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _show_hands(rows: Any, higher: int, hands: int, by_place: int, seats: int) -> None:
    for index in range(rows.shape[0]):
        row = rows[index]
        for seat in range(seats):
            for card in range(52):
                if row[hands + 52 * seat + card]:
                    place = 13 * (card // 13) + int(row[higher + card])
                    row[by_place + 52 * seat + place] = 1


@functools.lru_cache(maxsize=16)
def sight(game: Game, advised: bool) -> Sight:
    """What networks see of a game."""
    return Sight(game, advised)
