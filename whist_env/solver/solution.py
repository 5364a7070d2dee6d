"""Solving a table: what each card is worth with all hands open."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, card_name, card_set
from whist_env.engine.options import is_whole
from whist_env.engine.record import Record
from whist_env.engine.tricks import NO_CARD
from whist_env.envs.table import Table
from whist_env.solver import search
from whist_env.solver.compiled import value_all

if TYPE_CHECKING:
    from whist_env.solver.questions import Question

POSITIONS: Final = 100_000_000
"""How many positions are looked at by default before giving up: some ten seconds."""
_MOST_POSITIONS: Final = 2**62
_TABLE_BITS: Final = (4, 4, 6, 7, 9, 11, 13, 14, 16, 18, 19, 20, 20, 21)
"""The size of the table of bounds by a fourth of the cards left, as a power of two."""


class SolverLimit(RuntimeError):
    """The solver has looked at as many positions as it may and does not know yet.

    Attributes:
        bounds: for each card the least and the most that it is worth, as far as the
            solver got.
    """

    def __init__(self, positions: int, bounds: dict[int, tuple[int, int]]) -> None:
        reached = ", ".join(
            f"{card_name(card)} {low}"
            if low == high
            else f"{card_name(card)} {low}..{high}"
            for card, (low, high) in bounds.items()
        )
        super().__init__(
            f"not solved after {positions:,} positions; reached so far: {reached}. "
            "Allow more positions, or solve later in the deal"
        )
        self.bounds = bounds


@dataclasses.dataclass(frozen=True)
class Solution:
    """What the cards of the seat to play are worth with all hands open.

    All values are from here on, the trick on the table included, and the higher the
    better for the side to play. What they count depends on the game:

    * partners, German Whist, Chinese Whist, a contract for a number of tricks: the
      tricks of the side to play;
    * nullo, misère: the tricks of the side to play, or those of the caller where he
      plays against all others, negative if they count against it;
    * piccolissimo: 1 if the caller takes exactly one trick in the whole deal, negative
      for the others;
    * each for itself: what the one seat pays or scores, negative for the others.

    Attributes:
        values: the value of each card that may be played. Where players may revoke,
            only cards that follow suit are valued, and nobody is thought to revoke.
        seat: the seat to play.
        counted: the seats whose takings are counted.
        positions: how many positions were looked at.
    """

    values: dict[int, int]
    seat: int
    counted: tuple[int, ...]
    positions: int

    @property
    def value(self) -> int:
        """What the best card is worth."""
        return max(self.values.values())

    @property
    def best(self) -> list[int]:
        """The cards that are worth most, in order."""
        return [card for card, value in self.values.items() if value == self.value]


def solve(
    table: Table, seat: int | None = None, positions: int = POSITIONS
) -> Solution:
    """Value every card of the seat to play, if all hands were open.

    Args:
        table: a table at which cards are being played and all that are left are in
            hands.
        seat: where each plays for itself (Polignac, Slobberhannes, Omnibus Hearts,
            Chinese Whist of three, misère for all), the seat that all others play
            against; by default the seat to play. What the others score among
            themselves does not count.
        positions: how many positions to look at before giving up.

    Raises:
        SolverLimit: that was not enough.
        ValueError: the table is not in such a phase, a rule in force is beyond the
            solver, or the other arguments make no sense here; the message says which.
    """
    problem = _Problem(table, seat, positions)
    values = problem.values(table.record.hands[None])
    return Solution(
        {
            card: int(value)
            for card, value in zip(problem.cards, values[0], strict=True)
        },
        int(table.record.seat),
        problem.question.counted,
        problem.positions,
    )


def solve_worlds(
    table: Table,
    worlds: npt.NDArray[np.uint64],
    seat: int | None = None,
    positions: int = POSITIONS,
) -> tuple[list[int], npt.NDArray[np.int16]]:
    """As `solve`, with other hands than those of the table: many at once.

    Args:
        table: the table; of what others hold, only the numbers of cards matter.
        worlds: an array of shape ``(num_worlds, seats)``: for each world the cards
            that each seat holds now, as sets of cards. The seat to play holds what it
            holds at the table.
        seat: as in `solve`.
        positions: how many positions to look at in each world before giving up.

    Returns:
        The cards that may be played, and their values, of shape ``(num_worlds,
        num_cards)``.

    Raises:
        SolverLimit: that was not enough for some world.
        ValueError: as in `solve`, or the worlds do not fit the table.
    """
    problem = _Problem(table, seat, positions)
    _check_worlds(table.record, worlds)
    return problem.cards, problem.values(worlds)


def principal_variation(
    table: Table, seat: int | None = None, positions: int = POSITIONS
) -> list[int]:
    """The cards with which all sides play best from here to the end of the deal.

    Of cards worth the same, the lowest is played. Arguments and errors are those of
    `solve`; the table is unchanged.
    """
    question = _Problem(table, seat, positions).question
    against = question.counted[0] if question.individual else None
    table = table.clone()
    left = sum(int(hand).bit_count() for hand in table.record.hands)
    line: list[int] = []
    while len(line) < left:
        if line:
            table.apply(line[-1])
        line.append(solve(table, against, positions).best[0])
    return line


class _Problem:
    """What is asked about a table, laid out for the search.

    Attributes:
        question: what is asked.
        cards: the cards of the seat to play that are valued.
        positions: how many positions were looked at for the last world.
    """

    def __init__(self, table: Table, seat: int | None, positions: int) -> None:
        # Whoever solves nothing need not load all games.
        from whist_env.solver.questions import question_of

        if not is_whole(positions, 1, _MOST_POSITIONS):
            raise ValueError(
                f"positions={positions!r} must be a whole number from 1 on"
            )
        if table.is_over:
            raise ValueError("the episode is over: there are no cards left to value")
        self._record = record = table.record
        self._legal = table.legal_actions()
        self.question = question = question_of(table.game.name, record, seat)
        self.cards = _following(record, self._legal, question)
        self._tricks = int(record.hands[record.seat]).bit_count()
        self._work = _work_for(question, record, self._tricks)
        self._work["limit"] = positions

    @property
    def positions(self) -> int:
        return int(self._work["nodes"][0])

    def values(self, worlds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
        """The values of the cards in each world, from the side of the seat to play.

        Raises:
            SolverLimit: some world took too much work.
        """
        low = np.empty((len(worlds), CARDS), np.int16)
        high = np.empty((len(worlds), CARDS), np.int16)
        fourth = -(-self._tricks * self._record.hands.size // 4)
        solved = value_all()(
            self._work[0],
            np.empty(1 << _TABLE_BITS[min(fourth, 13)], search.ENTRY),
            np.empty(search.FRAMES, search.FRAME),
            np.array(worlds),
            np.array(self._record.trick),
            int(self._record.leader),
            _mark(self.question),
            np.array(self.question.places, np.int8),
            card_set(card for card, _ in self.question.cards),
            low,
            high,
        )
        if self._record.seat not in self.question.counted:
            low, high = -high, -low
        if solved < len(worlds):
            bounds = zip(low[solved, self.cards], high[solved, self.cards], strict=True)
            reached = [(int(least), int(most)) for least, most in bounds]
            allowed = int(self._work["limit"][0])
            raise SolverLimit(allowed, dict(zip(self.cards, reached, strict=True)))
        return low[:, self.cards]


def _following(record: Record, legal: list[int], question: Question) -> list[int]:
    """The legal cards that follow suit, where others may be legal too."""
    if record.cards_in_trick == 0:
        return legal
    suits = [place // search.LANE for place in question.places]
    led = suits[record.trick[record.leader]]
    return [card for card in legal if suits[card] == led] or legal


def _mark(question: Question) -> int:
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


def _check_worlds(record: Record, worlds: Any) -> None:
    """Refuse worlds that cannot be at a table.

    Raises:
        TypeError: they are no array of sets of cards.
        ValueError: they do not fit the table.
    """
    if not isinstance(worlds, np.ndarray) or worlds.dtype != np.uint64:
        raise TypeError("worlds must be a uint64 array of shape (num_worlds, seats)")
    seats = record.hands.size
    if worlds.ndim != 2 or worlds.shape[1] != seats:
        raise ValueError(
            f"worlds must have shape (num_worlds, {seats}), not {worlds.shape}"
        )
    sizes = np.bitwise_count(record.hands)
    if (np.bitwise_count(worlds) != sizes).any():
        raise ValueError(f"in each world the seats must hold {sizes.tolist()} cards")
    if (worlds[:, record.seat] != record.hands[record.seat]).any():
        raise ValueError("the seat to play must hold the same cards in each world")
    together = np.bitwise_or.reduce(worlds, axis=1)
    if (np.bitwise_count(together) != sizes.sum()).any():
        raise ValueError("in some world two seats hold the same card")
    on_table = card_set(int(card) for card in record.trick if card != NO_CARD)
    if (together & on_table).any():
        raise ValueError("in some world a card on the table is held too")
