"""Canonical suits: one name for positions that differ only in the names of suits.

Trumps come first; the three side suits follow in the order of the player's own hand as
it was dealt: the shortest first, and of equal lengths the one with the lower cards.
The order is fixed for the whole deal, since the hand as dealt is what the player still
holds and what it has played. A network that sees canonical suits need not learn the
twenty-four ways of naming suits one by one.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt

from whist_env import Game
from whist_env.cards import CARDS, RANKS_IN_SUIT
from whist_env.engine.features import FeatureTable

ORDERS: Final = np.array(list(itertools.permutations(range(4))), np.int64)
"""All orders of the suits, ``(24, 4)``: the suit at each canonical place."""

_Bytes = npt.NDArray[np.int8]
_Integers = npt.NDArray[np.int64]


class Canonical:
    """Renames suits in the observations, masks and actions of a game.

    Attributes:
        game: the game; its observation has the features hand, played and trump.
    """

    def __init__(self, game: Game) -> None:
        if game.num_actions > CARDS:
            raise ValueError(
                f"networks do not play {game.name} yet: its calls name suits, which "
                "they would be shown under other names"
            )
        self.game = game
        features = game.features
        self._hand = features.offset("hand")
        self._played = features.offset("played")
        self._trump = features.offset("trump")
        self._observation_moves = _Moves(features)
        self._state_moves = _Moves(game.state_features)
        self._action_places = _action_places(game.num_actions)

    def orders(self, observation: _Bytes) -> _Integers:
        """The order of suits of each observation, as an index into `ORDERS`.

        Args:
            observation: ``(len, features.size)`` int8.
        """
        found: _Integers = _find_orders(
            observation, self._hand, self._played, self._trump, _ORDER_NUMBERS
        )
        return found

    def observation(self, observation: _Bytes, orders: _Integers) -> _Bytes:
        """Observations with their suits in canonical order, as a new array."""
        return _moved(observation, orders, self._observation_moves)

    def state(self, state: _Bytes, orders: _Integers) -> _Bytes:
        """States with their suits in canonical order, as a new array."""
        return _moved(state, orders, self._state_moves)

    def mask(self, mask: _Bytes, orders: _Integers) -> _Bytes:
        """Action masks with their suits in canonical order, as a new array."""
        moved: _Bytes = np.take_along_axis(mask, self._action_places[orders], axis=1)
        return moved

    def action(self, canonical_action: _Integers, orders: _Integers) -> _Integers:
        """The actions of the game that canonical actions stand for."""
        named: _Integers = self._action_places[orders, canonical_action]
        return named


def _suit_places(features: FeatureTable, order: _Integers) -> _Integers:
    """For each place of a canonical observation the place it is taken from."""
    parts = []
    for feature in features.features:
        places = np.arange(feature.size).reshape(feature.shape)
        for axis, counts in enumerate(feature.axes):
            if counts == "suit":
                places = places.take(order, axis)
            elif counts == "card":
                cards = np.arange(CARDS).reshape(4, RANKS_IN_SUIT)[order]
                places = places.take(cards.reshape(-1), axis)
        parts.append(features.offset(feature.name) + places.reshape(-1))
    return np.concatenate(parts)


class _Moves:
    """Where to copy numbers from and to, for each order.

    Attributes:
        suits: ``(24, count, 2)`` target and source of runs of thirteen numbers.
        singles: ``(24, count, 2)`` target and source of single numbers.
    """

    def __init__(self, features: FeatureTable) -> None:
        by_suit, alone = [], []
        for feature in features.features:
            places = np.arange(feature.size) + features.offset(feature.name)
            if "card" in feature.axes:
                by_suit.append(places[::RANKS_IN_SUIT])
            else:
                alone.append(places)
        sources = np.array([_suit_places(features, order) for order in ORDERS])
        self.suits = _pairs(np.concatenate(by_suit), sources)
        self.singles = _pairs(np.concatenate(alone), sources)


def _pairs(targets: _Integers, sources: _Integers) -> _Integers:
    return np.stack([np.tile(targets, (len(sources), 1)), sources[:, targets]], axis=2)


def _action_places(num_actions: int) -> _Integers:
    """For each order and canonical action the action of the game; calls stay."""
    places = np.tile(np.arange(num_actions), (len(ORDERS), 1))
    for number, order in enumerate(ORDERS):
        cards = np.arange(CARDS).reshape(4, RANKS_IN_SUIT)[order]
        places[number, :CARDS] = cards.reshape(-1)
    return places


def _order_numbers() -> _Integers:
    """Number of an order in `ORDERS` by its first three suits: ``[a, b, c]``."""
    numbers = np.full((4, 4, 4), -1, np.int64)
    for number, order in enumerate(ORDERS):
        numbers[tuple(order[:3])] = number
    return numbers


_ORDER_NUMBERS: Final = _order_numbers()


def _moved(rows: _Bytes, orders: _Integers, moves: _Moves) -> _Bytes:
    moved = np.empty_like(rows)
    _copy(rows, orders, moves.suits, moves.singles, moved)
    return moved


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _copy(rows: Any, orders: Any, suits: Any, singles: Any, moved: Any) -> None:
    for row in range(rows.shape[0]):
        order = orders[row]
        source, target = rows[row], moved[row]
        for run in range(suits.shape[1]):
            to = np.uint64(suits[order, run, 0])
            start = np.uint64(suits[order, run, 1])
            for rank in range(np.uint64(13)):
                target[to + rank] = source[start + rank]
        for place in range(singles.shape[1]):
            to = np.uint64(singles[order, place, 0])
            target[to] = source[np.uint64(singles[order, place, 1])]


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_orders(
    rows: Any, hand: int, played: int, trump: int, order_numbers: Any
) -> Any:
    found = np.empty(rows.shape[0], np.int64)
    keys = np.empty(4, np.int64)
    order = np.empty(4, np.int64)
    for row in range(rows.shape[0]):
        for suit in range(4):
            length = 0
            cards = 0
            for rank in range(13):
                card = 13 * suit + rank
                if rows[row, hand + card] or rows[row, played + card]:
                    length += 1
                    cards |= 1 << rank
            # Trumps before all; then by length, then by the cards, then by name.
            keys[suit] = -1 if rows[row, trump + suit] else (length << 15) + cards
        for suit in range(4):
            place = 0
            for other in range(4):
                before = keys[other] < keys[suit]
                if before or (keys[other] == keys[suit] and other < suit):
                    place += 1
            order[place] = suit
        found[row] = order_numbers[order[0], order[1], order[2]]
    return found


@functools.lru_cache(maxsize=16)
def canonical(game: Game) -> Canonical:
    """The canonical suits of a game."""
    return Canonical(game)
