"""Solving a table: what each card is worth with all hands open."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from whist_env.cards import card_name, card_set
from whist_env.engine.options import is_whole
from whist_env.engine.record import Record
from whist_env.engine.tricks import NO_CARD
from whist_env.envs.table import Table
from whist_env.solver import dds
from whist_env.solver.own import Search
from whist_env.solver.search import LANE

if TYPE_CHECKING:
    from whist_env.solver.questions import Question

POSITIONS: Final = 100_000_000
"""How many positions are looked at by default before giving up: some ten seconds."""
_MOST_POSITIONS: Final = 2**62
Solver = Literal["own", "dds"]
"""Our own search, or DDS, the double-dummy solver of bridge."""


class SolverLimit(RuntimeError):
    """The solver has looked at as many positions as it may and does not know yet.

    Attributes:
        bounds: for each card the least and the most that it is worth, as far as the
            solver got.
    """

    def __init__(self, message: str, bounds: dict[int, tuple[int, int]]) -> None:
        super().__init__(message)
        self.bounds = bounds

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.bounds)


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
        solver: who has solved it: ``"own"``, or ``"dds"``.
        positions: how many positions our own search looked at; 0 with DDS.
    """

    values: dict[int, int]
    seat: int
    counted: tuple[int, ...]
    solver: Solver
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

    The play of four who are partners across the table, for tricks alone, is solved by
    DDS where the extra ``solve`` is installed and each has six cards or more; all else
    by our own search. Both are exact.

    Args:
        table: a table at which cards are being played and all that are left are in
            hands.
        seat: where each plays for itself (Polignac, Slobberhannes, Omnibus Hearts,
            Chinese Whist of three, misère for all), the seat that all others play
            against; by default the seat to play. What the others score among
            themselves does not count.
        positions: how many positions our own search looks at before giving up. DDS
            takes as long as it takes: a whole deal some tens of milliseconds.

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
        problem.solver,
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
        positions: how many positions our own search looks at in each world before
            giving up.

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
    """What is asked about a table, and who is to answer.

    Attributes:
        question: what is asked.
        cards: the cards of the seat to play that are valued.
        solver: who answers.
        positions: how many positions our own search looked at for the last world.
    """

    def __init__(self, table: Table, seat: int | None, positions: int) -> None:
        # Whoever solves nothing need not load all games.
        from whist_env.solver.questions import question_of

        check_positions(positions)
        if table.is_over:
            raise ValueError("the episode is over: there are no cards left to value")
        self._record = record = table.record
        self.question = question = question_of(table.game.name, record, seat)
        self.cards = _following(record, table.legal_actions(), question)
        self._allowed = positions
        self.positions = 0
        self.solver = solver_for(question, record.hands)

    def values(self, worlds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
        """The values of the cards in each world, from the side of the seat to play.

        Raises:
            SolverLimit: some world took too much work.
        """
        if self.solver == "dds":
            return self._values_by_dds(worlds)
        return self._values_by_search(worlds)

    def _values_by_dds(self, worlds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
        record = self._record
        position = dds.Position(
            worlds,
            tuple(record.trick.tolist()),
            int(record.leader),
            int(record.trump),
            self.question.turn,
        )
        return dds.value_all(position)[:, self.cards]

    def _values_by_search(
        self, worlds: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int16]:
        search = Search(self.question, self._record, self._allowed)
        low, high, solved = search.value_all(worlds)
        self.positions = search.positions
        if self._record.seat not in self.question.counted:
            low, high = -high, -low
        if solved < len(worlds):
            bounds = zip(low[solved, self.cards], high[solved, self.cards], strict=True)
            reached = [(int(least), int(most)) for least, most in bounds]
            raise self._limit(dict(zip(self.cards, reached, strict=True)))
        return low[:, self.cards]

    def _limit(self, bounds: dict[int, tuple[int, int]]) -> SolverLimit:
        reached = ", ".join(
            f"{card_name(card)} {low}"
            if low == high
            else f"{card_name(card)} {low}..{high}"
            for card, (low, high) in bounds.items()
        )
        message = (
            f"not solved after {self._allowed:,} positions; reached so far: {reached}. "
            "Allow more positions, or solve later in the deal"
        )
        return SolverLimit(message + advice(self.question, self._record.hands), bounds)


def check_positions(positions: int) -> None:
    """Refuse a number of positions that cannot be.

    Raises:
        ValueError: it is not a whole number from 1 on.
    """
    if not is_whole(positions, 1, _MOST_POSITIONS):
        raise ValueError(f"positions={positions!r} must be a whole number from 1 on")


def solver_for(question: Question, hands: npt.NDArray[np.uint64]) -> Solver:
    """Who answers a question about some hands, those of all seats."""
    is_for_dds = _is_for_dds(question, hands) and dds.library() is not None
    return "dds" if is_for_dds else "own"


def advice(question: Question, hands: npt.NDArray[np.uint64]) -> str:
    """What else to do where our own search gives up, to end a sentence with."""
    if not _is_for_dds(question, hands):
        return ""
    return (
        ", or let DDS solve it at once: pip install 'whist-env[solve]' (with Python up "
        "to 3.13)"
    )


def _is_for_dds(question: Question, hands: npt.NDArray[np.uint64]) -> bool:
    most = max(int(hand).bit_count() for hand in hands)
    is_of_four = len(hands) == dds.SEATS
    return is_of_four and question.of_partners and most >= dds.FEWEST_CARDS


def _following(record: Record, legal: list[int], question: Question) -> list[int]:
    """The legal cards that follow suit, where others may be legal too."""
    if record.cards_in_trick == 0:
        return legal
    suits = [place // LANE for place in question.places]
    led = suits[record.trick[record.leader]]
    return [card for card in legal if suits[card] == led] or legal


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
