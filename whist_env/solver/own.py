"""Our own search, set up for what is asked about a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, card_set
from whist_env.engine.record import Record
from whist_env.solver import search
from whist_env.solver.compiled import value_all, value_positions

if TYPE_CHECKING:
    from whist_env.solver.questions import Question

_Bounds = npt.NDArray[np.int16]

_TABLE_BITS: Final = (4, 4, 6, 7, 9, 11, 13, 14, 16, 18, 19, 20, 20, 21)
"""The size of the table of bounds by a fourth of the cards left, as a power of two."""


class Search:
    """A problem laid out for the compiled search, and the memory that it needs.

    Args:
        question: what is asked.
        record: the table, with a card to be played next.
        limit: how many positions to look at before giving up.
    """

    def __init__(self, question: Question, record: Record, limit: int) -> None:
        tricks = int(record.hands[record.seat]).bit_count()
        self._record = record
        self._work = _work_for(question, record, tricks)
        self._work["limit"] = limit
        self._frames = np.empty(search.FRAMES, search.FRAME)
        self._places = np.array(question.places, np.int8)
        self._priced = card_set(card for card, _ in question.cards)
        self._mark = mark_of(question)

    @property
    def positions(self) -> int:
        """How many positions were looked at for the last answer."""
        return int(self._work["nodes"][0])

    def value_all(self, worlds: npt.NDArray[np.uint64]) -> tuple[_Bounds, _Bounds, int]:
        """What the counted seats take by each card of the seat to play.

        Args:
            worlds: by world and seat, the cards held.

        Returns:
            The least and the most by world and card, and the number of worlds solved;
            what follows those and one more is not written.
        """
        low = np.empty((len(worlds), CARDS), np.int16)
        high = np.empty((len(worlds), CARDS), np.int16)
        solved = value_all()(
            self._work[0],
            _entries_for(worlds),
            self._frames,
            np.array(worlds),
            np.array(self._record.trick),
            int(self._record.leader),
            self._mark,
            self._places,
            self._priced,
            low,
            high,
        )
        return low, high, int(solved)

    def value_positions(
        self,
        hands: npt.NDArray[np.uint64],
        tricks: npt.NDArray[np.int8],
        leaders: npt.NDArray[np.int8],
        marks: npt.NDArray[np.int8],
        gained: npt.NDArray[np.int16],
    ) -> tuple[_Bounds, int]:
        """What the counted seats take from each position of a play on.

        Args:
            hands: by position and seat, the cards held.
            tricks: by position and seat, the card in the trick on the table, or -1.
            leaders: by position, who led to it, or is to lead.
            marks: by position, what is still possible of the bonus; see `mark_of`.
            gained: by position, what the counted seats take between it and the next.

        Returns:
            The values, and the first position of which the value was found.
        """
        low = np.empty(len(hands), np.int16)
        first = value_positions()(
            self._work[0],
            _entries_for(hands),
            self._frames,
            hands,
            tricks,
            leaders,
            marks,
            gained,
            self._places,
            self._priced,
            low,
            np.empty(len(hands), np.int16),
        )
        return low, int(first)


def _entries_for(hands: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    """Memory for the table of bounds, by the cards that are left."""
    cards = sum(int(hand).bit_count() for row in hands[:1] for hand in row)
    return np.empty(1 << _TABLE_BITS[min(-(-cards // 4), 13)], search.ENTRY)


def mark_of(question: Question) -> int:
    """What is possible of the bonus; see `whist_env.solver.search.next_mark`."""
    if question.exactly is None:
        return int(question.all_of_it != 0)
    return max(0, 1 + question.exactly)


def _work_for(question: Question, record: Record, tricks: int) -> npt.NDArray[Any]:
    """Memory for the search, with everything about the problem but the hands."""
    work = np.zeros(1, search.WORK)
    work["seats"] = record.hands.size
    work["turn"] = question.turn
    work["trump"] = record.trump
    work["counted"] = sum(1 << seat for seat in question.counted)
    prices = work["trick_prices"][0]
    prices[1 : tricks + 1] = question.trick
    prices[tricks] += question.first_trick
    prices[1] += question.last_trick
    work["lane_prices"] = question.suits
    for card, price in question.cards:
        work["card_prices"][0, question.places[card] // search.LANE] = price
    single_prices = [price for _, price in question.cards]
    work["cards_count"] = any(question.suits) or any(single_prices)
    work["plain"] = question.trick == 1
    work["avoids"] = min(question.trick, *question.suits, *single_prices) < 0
    exact = question.exactly is not None
    work["exact"] = exact
    work["bonus"] = 1 if exact else question.all_of_it
    work["barred"] = question.barred
    work["barred_size"] = question.barred_size
    return work
