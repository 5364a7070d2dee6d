"""A match that ends when it has decided: the sequential test of paired differences.

Wald's sequential probability ratio test (1945) asks after every pair how much likelier
what was seen is under one hypothesis than under another, and stops when the answer is
clear. Of all tests with the same chances of error it needs the fewest pairs on average.
Here the hypotheses are about the mean of the pairs, in the unit of the game, as those
who test chess engines put them: it is at most ``low``, or at least ``high``. The spread
of the pairs is unknown, so the likelihoods are those of the normal distributions that
fit best under each hypothesis (a generalised test). The sums of many pairs are nearly
normal, and no decision is taken before many of them carry the spread, so that the
chances of error are near what is asked for where differences are spread as those of
deals are. They are not where rare pairs outweigh the rest: with one pair in twenty that
loses nineteen times what the others win, a test with alpha 0.05 accepted ``high``
wrongly in up to 0.087 of matches, since a match may end before enough such pairs came.

A test that may stop at any time without hypotheses about the size of an effect, such as
a confidence sequence, holds without the normal distribution, but plays about twice as
long; where the sizes that matter can be named, this test is the better one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

_Floats: TypeAlias = npt.NDArray[np.float64]

ENOUGH: Final = 20.0
"""How many pairs must carry the spread before a decision: see `carriers`."""


@dataclasses.dataclass(frozen=True)
class SequentialTest:
    """Two hypotheses about the mean of paired differences, and how sure to be.

    Attributes:
        low: the first hypothesis: the mean is at most this.
        high: the second: it is at least this.
        alpha: how often the second may be accepted where the mean is ``low``.
        beta: how often the first may be accepted where the mean is ``high``.

    Raises:
        ValueError: ``low`` is not below ``high``, or a chance is not between 0 and 0.5.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(
                f"the bounds must be finite numbers, not {self.low} and {self.high}"
            )
        if self.low >= self.high:
            raise ValueError(
                f"low={self.low} must be below high={self.high}: between the two "
                "neither answer is wrong"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise ValueError(f"{name}={chance} must lie between 0 and 0.5")

    @property
    def thresholds(self) -> tuple[float, float]:
        """The log likelihood ratios at which ``low`` and ``high`` are accepted."""
        accept_low = math.log(self.beta / (1 - self.alpha))
        accept_high = math.log((1 - self.beta) / self.alpha)
        return accept_low, accept_high

    def verdict(self, differences: npt.ArrayLike) -> Verdict:
        """What pairs decide, looked at one after the other.

        Args:
            differences: one number for each pair in the order of play, ``(n,)``. Pairs
                after the one that decides change nothing.
        """
        return self.decide([differences])

    def decide(self, batches: Iterable[npt.ArrayLike]) -> Verdict:
        """Take batches of pairs until they decide, or until there are no more.

        The verdict is that of all pairs in one batch, whatever the sizes.

        Args:
            batches: the differences in the order of play; what plays them is asked for
                no batch beyond the one that decides.
        """
        running, verdict = _Running(self), Verdict("undecided", 0, 0.0, self)
        for batch in batches:
            verdict = running.verdict(np.asarray(batch, float))
            if verdict.decision != "undecided":
                break
        return verdict

    def ratios(self, differences: npt.ArrayLike) -> _Floats:
        """The log likelihood ratio of ``high`` to ``low`` after each pair, ``(n,)``.

        It is 0 as long as too few pairs carry the spread.
        """
        return _Running(self).ratios(np.asarray(differences, float))


Decision: TypeAlias = Literal["low", "high", "undecided"]
"""Which hypothesis is accepted."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a sequential test decided.

    Attributes:
        decision: the hypothesis that is accepted, or ``"undecided"``.
        pairs: how many pairs the decision took; all of them where there is none.
        ratio: the log likelihood ratio after them.
        test: the test.
    """

    decision: Decision
    pairs: int
    ratio: float
    test: SequentialTest

    def in_words(self) -> str:
        """One sentence for a table of results."""
        test = self.test
        low, high = f"at most {test.low:g}", f"at least {test.high:g}"
        sure = f"alpha {test.alpha:g}, beta {test.beta:g}"
        if self.decision == "undecided":
            low_end, high_end = test.thresholds
            return (
                f"undecided between {low} and {high} after {self.pairs} pairs ({sure}; "
                f"log likelihood ratio {self.ratio:.2f}, between {low_end:.2f} and "
                f"{high_end:.2f})"
            )
        accepted, other = (high, low) if self.decision == "high" else (low, high)
        return f"{accepted} rather than {other}, after {self.pairs} pairs ({sure})"


def carriers(pairs: _Floats) -> _Floats:
    """How many pairs carry the spread of all so far, after each pair, ``(n,)``.

    The squared sum of squared deviations over the sum of their squares: a third of
    normal pairs; twelve where twelve pairs of a thousand differ from the rest, alike.
    The error of a variance depends on this number and not on the count: a hundred
    pairs that all came to 0 tell nothing of the spread.
    """
    return _carriers(np.arange(1, len(pairs) + 1), np.cumsum(_powers(pairs, pairs), 1))


def _powers(pairs: _Floats, first: _Floats) -> _Floats:
    """The powers of pairs whose sums tell how many carry the spread, ``(4, n)``.

    They are those of the distance from the first pair, so that pairs that are all alike
    have a spread of exactly 0.
    """
    apart = pairs - first[:1]
    squares = apart * apart
    return np.stack([apart, squares, apart * squares, squares * squares])


def _carriers(count: npt.NDArray[np.int64], sums: _Floats) -> _Floats:
    """How many pairs carry the spread, from the sums of their powers."""
    mean, second, third, fourth = sums / count
    middle = mean * mean
    spread = second - middle
    tails = fourth - 4 * mean * third + 6 * middle * second - 3 * middle * middle
    found: _Floats = np.divide(
        count * spread * spread, tails, np.zeros(len(count)), where=tails > 0
    )
    return found


class _Running:
    """A test that is given pairs batch by batch, and keeps nothing of them but sums."""

    def __init__(self, test: SequentialTest) -> None:
        self._test = test
        self._count = 0
        self._ratio = 0.0
        self._first = np.zeros(0)
        self._sums = np.zeros((6, 1))

    def verdict(self, batch: _Floats) -> Verdict:
        """What all pairs so far decide, where those before the batch did not."""
        before = self._count
        ratios = self.ratios(batch)
        low, high = self._test.thresholds
        crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
        if len(crossed):
            ratio = float(ratios[crossed[0]])
            decision: Decision = "high" if ratio > 0 else "low"
            place = before + int(crossed[0]) + 1
            return Verdict(decision, place, ratio, self._test)
        return Verdict("undecided", self._count, self._ratio, self._test)

    def ratios(self, batch: _Floats) -> _Floats:
        """The log likelihood ratio after each pair of the next batch, ``(n,)``."""
        if not self._count:
            self._first = batch[:1].copy()
        test, gap = self._test, self._test.high - self._test.low
        count = self._count + np.arange(1, len(batch) + 1)
        above = batch - test.low
        steps = [above, above * above, *_powers(batch, self._first)]
        sums = np.cumsum(np.column_stack([self._sums, np.stack(steps)]), 1)
        self._count += len(batch)
        self._sums = sums[:, -1:]
        total, squares = sums[:2, 1:]
        about_high = squares - 2 * gap * total + count * gap**2
        known = _carriers(count, sums[2:, 1:]) >= ENOUGH
        ratios = np.zeros(len(batch))
        ratios[known] = count[known] / 2 * np.log(squares[known] / about_high[known])
        self._ratio = float(ratios[-1]) if len(ratios) else self._ratio
        return ratios
