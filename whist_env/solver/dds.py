"""Solving the play of partners with DDS, the double-dummy solver of bridge.

DDS (Bo Haglund, Soren Hein; Apache licence 2.0) comes with the package `endplay`, which
the extra `solve` installs. Only its library is loaded, not the package around it. From
six cards a hand on it is faster than our own search, which is no match for it where
whole deals are concerned.

DDS is fast and trusting: it takes impossible positions and answers with nonsense,
writes a file into the working directory when it does notice, and is wrong or crashes
where two threads use it at once. So every position is checked before it sees it, it
works with one thread of its own, and whoever calls waits for a lock. Processes have
nothing in common and may solve at the same time; none is forked while DDS is at work.
Only a program that also calls `endplay` itself must not do so from another thread.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import importlib.util
import os
import threading
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, FULL_PACK, RANKS_IN_SUIT, card_name, whole_suit
from whist_env.engine.options import is_whole
from whist_env.engine.tricks import NO_CARD, NO_SUIT

FEWEST_CARDS: Final = 6
"""The cards a hand from which on DDS is asked; below, our own search is faster."""
BATCH: Final = 200
"""The most positions that DDS takes in one call."""
SEATS: Final = 4
NO_VALUE: Final = -1
"""The value of a card that is not played."""

_DONE: Final = 1
_SUITS: Final = 4
_LOWEST_RANK: Final = 2

# What DDS reads and writes, as its header file `dll.h` declares it. Its suits are
# spades 0 to clubs 3 and no trumps 4, its ranks 2 to 14 (as a bit or as a number).
_INT: Final = np.dtype(np.int32)
_DEAL: Final = np.dtype(
    [
        ("trump", _INT),
        ("first", _INT),
        ("trick_suits", _INT, (3,)),
        ("trick_ranks", _INT, (3,)),
        ("cards", np.uint32, (SEATS, _SUITS)),
    ]
)
_BOARDS: Final = np.dtype(
    [
        ("number", _INT),
        ("deals", _DEAL, (BATCH,)),
        ("target", _INT, (BATCH,)),
        ("solutions", _INT, (BATCH,)),
        ("mode", _INT, (BATCH,)),
    ]
)
_CARD_VALUES: Final = np.dtype(
    [
        ("nodes", _INT),
        ("number", _INT),
        ("suit", _INT, (RANKS_IN_SUIT,)),
        ("rank", _INT, (RANKS_IN_SUIT,)),
        ("equals", _INT, (RANKS_IN_SUIT,)),
        ("score", _INT, (RANKS_IN_SUIT,)),
    ]
)
_SOLVED: Final = np.dtype([("number", _INT), ("boards", _CARD_VALUES, (BATCH,))])
_PLAY: Final = np.dtype(
    [("number", _INT), ("suit", _INT, (CARDS,)), ("rank", _INT, (CARDS,))]
)
_PLAYS: Final = np.dtype([("number", _INT), ("plays", _PLAY, (BATCH,))])
_PLAY_VALUES: Final = np.dtype([("number", _INT), ("tricks", _INT, (CARDS + 1,))])
_ANALYSED: Final = np.dtype([("number", _INT), ("plays", _PLAY_VALUES, (BATCH,))])

_THE_MOST: Final = -1
"""The target that asks for as many tricks as can be had."""
_ALL_CARDS_TO_PLAY: Final = 3
_ALWAYS_SEARCH: Final = 1

_lock: Final = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire,
        after_in_parent=_lock.release,
        after_in_child=_lock.release,
    )


@dataclasses.dataclass(frozen=True)
class Position:
    """Four hands of partners who sit opposite, in any number of worlds.

    Attributes:
        hands: the cards that each seat holds now, sets of cards of shape
            ``(num_worlds, 4)``.
        trick: by seat, the card in the trick on the table, or -1.
        leader: who led to it, or is to lead.
        trump: the trump suit, or -1.
        turn: 1 where the turn goes round clockwise, else -1.

    Raises:
        ValueError: there is no such position; the message says why.
    """

    hands: npt.NDArray[np.uint64]
    trick: tuple[int, ...]
    leader: int
    trump: int
    turn: int = 1

    def __post_init__(self) -> None:
        """Refuse what DDS would not refuse in so many words."""
        _check_table(self)
        _check_cards(self)

    @functools.cached_property
    def order(self) -> list[int]:
        """The seats in the order in which they play to the trick."""
        return [(self.leader + self.turn * place) % SEATS for place in range(SEATS)]


def _check_table(position: Position) -> None:
    trick, turn = position.trick, position.turn
    if not is_whole(position.leader, 0, SEATS - 1):
        raise ValueError(f"leader={position.leader!r} must be a seat, 0 to 3")
    if not is_whole(position.trump, NO_SUIT, _SUITS - 1):
        raise ValueError(f"trump={position.trump!r} must be a suit, 0 to 3, or -1")
    if turn not in (1, -1):
        raise ValueError(f"turn={turn!r} must be 1 or -1")
    if len(trick) != SEATS or not all(is_whole(c, NO_CARD, CARDS - 1) for c in trick):
        raise ValueError(f"trick={trick!r} must be four cards, -1 where there is none")
    are_there = [trick[seat] != NO_CARD for seat in position.order]
    if are_there != sorted(are_there, reverse=True) or all(are_there):
        raise ValueError(
            f"trick={trick!r} must be the cards of the leader and of up to two seats "
            "after it"
        )


def _check_cards(position: Position) -> None:
    hands = position.hands
    if hands.dtype != np.uint64 or hands.ndim != 2 or hands.shape[1] != SEATS:
        raise ValueError("hands must be a uint64 array of shape (num_worlds, 4)")
    if (hands & ~FULL_PACK).any():
        raise ValueError("hands hold bits that stand for no card")
    played = [card for card in position.trick if card != NO_CARD]
    on_table = sum(1 << card for card in set(played))
    together = np.bitwise_or.reduce(hands, axis=1) | np.uint64(on_table)
    sizes = np.bitwise_count(hands).astype(np.int64)
    if (np.bitwise_count(together) != sizes.sum(1) + len(played)).any():
        raise ValueError("a card is held twice, or is held and on the table")
    sizes += np.array([card != NO_CARD for card in position.trick])
    if (sizes != sizes[:, :1]).any() or (sizes < 1).any() or (sizes > 13).any():
        raise ValueError(
            "all seats must have had the same number of cards before the trick, 1 to 13"
        )


@functools.cache
def library() -> Any:
    """The library of DDS, ready for use; None where it is not installed.

    Raises:
        RuntimeError: it is installed and cannot be loaded.
    """
    package = importlib.util.find_spec("endplay")
    if package is None or package.origin is None:
        return None
    file = Path(package.origin).parent / "_dds" / "libdds.so"
    try:
        loaded = ctypes.CDLL(str(file))
        functions = ("SetMaxThreads", "SolveAllBoardsBin", "AnalyseAllPlaysBin")
        for name in functions:
            getattr(loaded, name)
    except (OSError, AttributeError) as error:
        raise RuntimeError(
            f"the solver of the package endplay cannot be used: {error}; install it "
            "anew with pip install --force-reinstall 'whist-env[solve]', or uninstall "
            "endplay to do without"
        ) from None
    with _lock:
        loaded.SetMaxThreads(1)
    return loaded


def value_all(position: Position) -> npt.NDArray[np.int16]:
    """The tricks of the side of the seat to play, by its card.

    Args:
        position: the position.

    Returns:
        For each world and card, the tricks from here on, that on the table included, if
        the card is played; -1 for cards that cannot be. Shape ``(num_worlds, 52)``.
    """
    deals = _deals(position)
    values = np.full((len(deals), CARDS), NO_VALUE, np.int16)
    for begin in range(0, len(deals), BATCH):
        batch = deals[begin : begin + BATCH]
        boards, solved = _boards(batch), np.zeros(1, _SOLVED)
        with _lock:
            _check_answer(library().SolveAllBoardsBin(_at(boards), _at(solved)))
        _read_values(solved["boards"][0, : len(batch)], values[begin:])
    return values


def value_play(position: Position, cards: list[int]) -> list[int]:
    """The tricks of the side of the leader before and after each card of a play.

    Args:
        position: one world, before a lead.
        cards: the cards played from there on, in order.

    Returns:
        How many of all tricks from the position on the leader's side takes by perfect
        play of all: as it stands at first, and after each card.
    """
    (deal,) = _deals(position)
    tricks = int(position.hands[0, 0]).bit_count()
    plays, analysed = np.zeros(1, _PLAYS), np.zeros(1, _ANALYSED)
    plays["number"] = 1
    play = plays["plays"][0, 0]
    # Nothing is left to choose in the last trick, and DDS says nothing about it.
    asked = cards[: SEATS * (tricks - 1)]
    play["number"] = len(asked)
    play["suit"][: len(asked)] = [_suit(card) for card in asked]
    play["rank"][: len(asked)] = [_rank(card) for card in asked]
    boards = _boards(deal[None])
    with _lock:
        _check_answer(
            library().AnalyseAllPlaysBin(_at(boards), _at(plays), _at(analysed), 1)
        )
    found = analysed["plays"][0, 0]
    if found["number"] != len(asked) + 1:
        raise RuntimeError(
            f"DDS has judged {found['number'] - 1} cards of {len(asked)}; the first is "
            f"{card_name(cards[0])}"
        )
    # DDS counts the tricks of the declarer, whose left hand adversary leads.
    values = [tricks - int(value) for value in found["tricks"][: len(asked) + 1]]
    return values + values[-1:] * (len(cards) - len(asked))


# The language of DDS ----------------------------------------------------------------


def _suit(card: int) -> int:
    return _SUITS - 1 - card // RANKS_IN_SUIT


def _rank(card: int) -> int:
    return card % RANKS_IN_SUIT + _LOWEST_RANK


def _hand(position: Position, seat: int) -> int:
    """The hand of a seat, counted so that the turn goes round from each to the next."""
    return position.turn * seat % SEATS


def _deals(position: Position) -> npt.NDArray[Any]:
    """The position in each world, an array of `_DEAL`."""
    deals = np.zeros(len(position.hands), _DEAL)
    deals["trump"] = _SUITS - 1 - position.trump if position.trump != NO_SUIT else 4
    deals["first"] = _hand(position, position.leader)
    played = [position.trick[seat] for seat in position.order]
    for place, card in enumerate(card for card in played if card != NO_CARD):
        deals["trick_suits"][:, place] = _suit(card)
        deals["trick_ranks"][:, place] = _rank(card)
    for seat in range(SEATS):
        for suit in range(_SUITS):
            cards = position.hands[:, seat] & whole_suit(suit)
            ranks = cards >> np.uint64(RANKS_IN_SUIT * suit)
            hand = deals["cards"][:, _hand(position, seat)]
            hand[:, _SUITS - 1 - suit] = ranks << np.uint64(_LOWEST_RANK)
    return deals


def _boards(deals: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The question what each card of the seat to play is worth in these deals."""
    boards = np.zeros(1, _BOARDS)
    boards["number"] = len(deals)
    boards["deals"][0, : len(deals)] = deals
    boards["target"] = _THE_MOST
    boards["solutions"] = _ALL_CARDS_TO_PLAY
    boards["mode"] = _ALWAYS_SEARCH
    return boards


def _read_values(solved: npt.NDArray[Any], values: npt.NDArray[np.int16]) -> None:
    """Write the answers of DDS, where lower cards worth the same stand in one line."""
    alike = np.int64(1) << solved["rank"].astype(np.int64) | solved["equals"]
    alike = alike[:, :, None] >> np.arange(_LOWEST_RANK, _LOWEST_RANK + RANKS_IN_SUIT)
    is_line = np.arange(RANKS_IN_SUIT) < solved["number"][:, None]
    board, line, rank = np.nonzero((alike & 1) * is_line[:, :, None])
    suit = _SUITS - 1 - solved["suit"][board, line]
    values[board, RANKS_IN_SUIT * suit + rank] = solved["score"][board, line]


def _at(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _check_answer(code: int) -> None:
    if code != _DONE:
        message = ctypes.create_string_buffer(80)
        library().ErrorMessage(code, message)
        raise RuntimeError(f"DDS gave up: {message.value.decode()}")
