"""Canonical suits: one name for positions that differ only in the names of suits.

In Whist, trumps come first; the three side suits follow in the order of the player's
own hand as it was dealt: the shortest first, and of equal lengths the one with the
lower cards. That order is fixed for the whole deal, since the hand as dealt is what the
player still holds and what it has played. A network that sees canonical suits need not
learn the twenty-four ways of naming suits one by one.

Other games are less even: a suit ranks above another in the bidding, or one card of it
counts. `SYMMETRIES` says for each game which suits may take one another's names, and
when. What names suits is renamed together: cards, trumps, voids, and calls with their
record. What is not renamed keeps telling what the rules make of the true suit, such as
the contract and its value. So nothing is lost but names that mean nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt

from whist_env import Game
from whist_env.cards import CARDS, RANKS_IN_SUIT, SUIT_NAMES
from whist_env.engine.features import FeatureTable

ORDERS: Final = np.array(list(itertools.permutations(range(4))), np.int64)
"""All orders of the suits, ``(24, 4)``: the suit at each canonical place."""

_Bytes = npt.NDArray[np.int8]
_Integers = npt.NDArray[np.int64]
_Places = tuple[int, int, int, int]

# What each game leaves free ---------------------------------------------------------

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
FREE: Final = -1
"""A place for any of the suits that have no place of their own."""


@dataclasses.dataclass(frozen=True)
class Naming:
    """How suits are placed in a phase of a deal.

    Attributes:
        leading: features by suit or by card. The suit that the first of them shows that
            is not empty leads; none leads where all are empty.
        places: the suits at the canonical places, for each leading suit, and last
            where none leads.
    """

    leading: tuple[str, ...]
    places: tuple[_Places, ...]


def _fixed(*places: int) -> Naming:
    """The same places whatever the position."""
    first, second, third, fourth = places
    return Naming((), ((first, second, third, fourth),) * 5)


def _led_by(*leading: str) -> Naming:
    """The leading suit first and the others free."""
    led: list[_Places] = [(suit, FREE, FREE, FREE) for suit in range(4)]
    return Naming(leading, (*led, (FREE, FREE, FREE, FREE)))


AS_THEY_ARE: Final = _fixed(CLUBS, DIAMONDS, HEARTS, SPADES)
TRUMPS_FIRST: Final = _led_by("trump")


@dataclasses.dataclass(frozen=True)
class Symmetry:
    """Which suits of a game may take one another's names.

    Attributes:
        phases: the naming in each phase of a deal in the order of the feature
            ``phase``, or a single one for all.
        named: features whose last axis counts calls that name suits, with the names of
            the actions that it counts. They are renamed with the suits.
    """

    phases: tuple[Naming, ...]
    named: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)


def _all_alike(game: Game) -> Symmetry:
    """All suits are alike but for the trump suit."""
    return Symmetry((TRUMPS_FIRST,))


def _solo_whist(game: Game) -> Symmetry:
    """All are alike but for the suit turned and the one named for trumps."""
    return Symmetry((_led_by("trump", "turned"),))


def _bridge_whist(game: Game) -> Symmetry:
    """The suits differ in value; in the play that value is seen and is all."""
    return Symmetry((AS_THEY_ARE, AS_THEY_ARE, AS_THEY_ARE, TRUMPS_FIRST))


def _cayenne(game: Game) -> Symmetry:
    """By the cut suit the others rank; in the play the value is seen and is all."""
    options: Any = game.options
    third_black = SUIT_NAMES.index(options.third_black)
    third_red = SUIT_NAMES.index(options.third_red)
    places: list[_Places] = []
    for cut in range(4):
        third = third_black if cut in (DIAMONDS, HEARTS) else third_red
        places.append((cut, _of_its_colour(cut), third, _of_its_colour(third)))
    by_rank = Naming(("cut",), (*places, AS_THEY_ARE.places[0]))
    return Symmetry((by_rank, by_rank, TRUMPS_FIRST, TRUMPS_FIRST))


def _boston(game: Game) -> Symmetry:
    """The cut suit ranks first, then the other of its colour; the plain are alike."""
    places: list[_Places] = [(cut, FREE, FREE, _of_its_colour(cut)) for cut in range(4)]
    by_rank = Naming(("cut",), (*places, AS_THEY_ARE.places[0]))
    bids = game.action_names[CARDS + 1 :]
    return Symmetry((by_rank,), {"bids": bids, "contract": bids})


def _boston_de_fontainebleau(game: Game) -> Symmetry:
    """The suits rank in the bidding; in the play the contract is seen and is all."""
    names, first = game.action_names, CARDS + 1
    named: dict[str, Sequence[str]] = {"bids": names[first : first + 55]}
    if "solos" in game.features:
        named["solos"] = [name for name in names if name.endswith("_solo")]
    return Symmetry((AS_THEY_ARE, AS_THEY_ARE, AS_THEY_ARE, TRUMPS_FIRST), named)


def _polignac(game: Game) -> Symmetry:
    """The Jack of spades counts double; five or six play without the black sevens."""
    if game.num_agents > 4:
        return Symmetry((_fixed(CLUBS, FREE, FREE, SPADES),))
    return Symmetry((_fixed(FREE, FREE, FREE, SPADES),))


def _slobberhannes(game: Game) -> Symmetry:
    """The queen of clubs counts; unless four play, sevens of one colour are out."""
    options: Any = game.options
    if game.num_agents != 4 or options.sevens_out == "red":
        return Symmetry((_fixed(CLUBS, FREE, FREE, SPADES),))
    return Symmetry((_fixed(CLUBS, FREE, FREE, FREE),))


def _of_its_colour(suit: int) -> int:
    """The other suit of the colour of a suit."""
    return 3 - suit


SYMMETRIES: Final[Mapping[str, Callable[[Game], Symmetry]]] = {
    "whist": _all_alike,
    "dummy_whist": _all_alike,
    "german_whist": _all_alike,
    "chinese_whist": _all_alike,
    "solo_whist": _solo_whist,
    "bridge_whist": _bridge_whist,
    "cayenne": _cayenne,
    "boston": _boston,
    "boston_de_fontainebleau": _boston_de_fontainebleau,
    "russian_boston": _boston_de_fontainebleau,
    "polignac": _polignac,
    "slobberhannes": _slobberhannes,
}
"""Games whose suits may change names. In the others each suit has a part of its own: in
French Boston a red Jack counts and the suits rank, in Omnibus Hearts hearts, a spade
and a diamond count."""


# Renaming ---------------------------------------------------------------------------


class Canonical:
    """Renames suits in the observations, masks and actions of a game.

    Attributes:
        game: the game.
        symmetry: which of its suits may take one another's names.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.symmetry = SYMMETRIES.get(game.name, _none_alike)(game)
        self._rows = _Rows(game.features, self.symmetry)
        named = self.symmetry.named
        self._observation_moves = _Moves(game.features, named)
        self._state_moves = _Moves(game.state_features, named)
        self._action_places = np.array(
            [_renamed_places(game.action_names, order) for order in ORDERS]
        )
        self._canonical_places = np.argsort(self._action_places, axis=1)

    def orders(self, observation: _Bytes) -> _Integers:
        """The order of suits of each observation, as an index into `ORDERS`.

        Args:
            observation: ``(len, features.size)`` int8.
        """
        return self._rows.orders(observation)

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

    def canonical_action(self, action: _Integers, orders: _Integers) -> _Integers:
        """The canonical actions that stand for actions of the game."""
        named: _Integers = self._canonical_places[orders, action]
        return named


def _none_alike(game: Game) -> Symmetry:
    return Symmetry((AS_THEY_ARE,))


class _Rows:
    """Finds the order of suits of rows of observations."""

    def __init__(self, features: FeatureTable, symmetry: Symmetry) -> None:
        namings = symmetry.phases
        most = max(len(naming.leading) for naming in namings)
        # By phase: where each leading feature begins and how many numbers it has for a
        # suit, none where there are fewer; and the places by leading suit.
        self._leading = np.zeros((len(namings), most, 2), np.int64)
        for phase, naming in enumerate(namings):
            for number, name in enumerate(naming.leading):
                size = features[name].stop - features[name].start
                self._leading[phase, number] = features.offset(name), size // 4
        self._places = np.array([naming.places for naming in namings], np.int64)
        self._phase = features.offset("phase") if len(namings) > 1 else 0
        self._hand = features.offset("hand")
        self._played = features.offset("played")

    def orders(self, rows: _Bytes) -> _Integers:
        """The order of each row, as an index into `ORDERS`."""
        found: _Integers = _find_orders(
            rows,
            self._phase,
            self._hand,
            self._played,
            self._leading,
            self._places,
            _ORDER_NUMBERS,
        )
        return found


def _renamed_places(names: Sequence[str], order: _Integers) -> _Integers:
    """For each canonical name the place of the true name that it stands for."""
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[_true_name(name, order)] for name in names])


def _true_name(name: str, order: _Integers) -> str:
    """The true name of an action whose canonical name is given."""
    if len(name) == 2:
        return "CDHS"[order["CDHS".index(name[0])]] + name[1]
    words = [
        SUIT_NAMES[order[SUIT_NAMES.index(word)]] if word in SUIT_NAMES else word
        for word in name.split("_")
    ]
    return "_".join(words)


def _suit_places(
    features: FeatureTable, named: Mapping[str, Sequence[str]], order: _Integers
) -> _Integers:
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
        if feature.name in named:
            places = places.take(_renamed_places(named[feature.name], order), -1)
        parts.append(features.offset(feature.name) + places.reshape(-1))
    return np.concatenate(parts)


class _Moves:
    """Where to copy numbers from and to, for each order.

    Attributes:
        suits: ``(24, count, 2)`` target and source of runs of thirteen numbers.
        singles: ``(24, count, 2)`` target and source of single numbers.
    """

    def __init__(
        self, features: FeatureTable, named: Mapping[str, Sequence[str]]
    ) -> None:
        by_suit, alone = [], []
        for feature in features.features:
            places = np.arange(feature.size) + features.offset(feature.name)
            if "card" in feature.axes:
                by_suit.append(places[::RANKS_IN_SUIT])
            else:
                alone.append(places)
        sources = np.array([_suit_places(features, named, order) for order in ORDERS])
        self.suits = _pairs(np.concatenate(by_suit), sources)
        self.singles = _pairs(np.concatenate(alone), sources)


def _pairs(targets: _Integers, sources: _Integers) -> _Integers:
    return np.stack([np.tile(targets, (len(sources), 1)), sources[:, targets]], axis=2)


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
def _phase_of(row: Any, first: int, phases: int) -> Any:
    for phase in range(phases):
        if row[first + phase]:
            return phase
    return 0


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _leading_suit(row: Any, leading: Any) -> Any:
    """The suit that the first feature shows that is not empty; 4 where all are."""
    for number in range(leading.shape[0]):
        first, size = leading[number, 0], leading[number, 1]
        for place in range(4 * size):
            if row[first + place]:
                return place // size
    return 4


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _write_keys(row: Any, hand: int, played: int, keys: Any) -> None:
    """Order the suits by length, then by the cards, each as they were dealt."""
    for suit in range(4):
        length = 0
        cards = 0
        for rank in range(13):
            card = 13 * suit + rank
            if row[hand + card] or row[played + card]:
                length += 1
                cards |= 1 << rank
        keys[suit] = (length << 15) + cards


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_orders(
    rows: Any,
    phase: int,
    hand: int,
    played: int,
    leading: Any,
    places: Any,
    order_numbers: Any,
) -> Any:
    found = np.empty(rows.shape[0], np.int64)
    keys = np.empty(4, np.int64)
    order = np.empty(4, np.int64)
    for row in range(rows.shape[0]):
        now = _phase_of(rows[row], phase, places.shape[0])
        template = places[now, _leading_suit(rows[row], leading[now])]
        _write_keys(rows[row], hand, played, keys)
        for suit in template:
            if suit >= 0:
                keys[suit] = -1
        for place in range(4):
            order[place] = template[place]
            if template[place] < 0:
                # The first in order of those that are left; of equal ones, by name.
                first = -1
                for suit in range(4):
                    if keys[suit] >= 0 and (first < 0 or keys[suit] < keys[first]):
                        first = suit
                order[place] = first
                keys[first] = -1
        found[row] = order_numbers[order[0], order[1], order[2]]
    return found


@functools.lru_cache(maxsize=16)
def canonical(game: Game) -> Canonical:
    """The canonical suits of a game."""
    return Canonical(game)
