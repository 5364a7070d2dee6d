"""A match that ends when it has decided: the sequential test of paired differences.

Wald's sequential probability ratio test (1945) asks after every pair how much likelier
what was seen is under one hypothesis than under another, and stops when the answer is
clear. Of all tests with the same chances of error it needs the fewest pairs on average.
Here the hypotheses are about the mean of the pairs, in the unit of the game, as those
who test chess engines put them: it is at most ``low``, or at least ``high``. The spread
of the pairs is unknown, so the likelihoods are those of the normal distributions that
fit best under each hypothesis (a generalised test). Pairs need not be normal: means of
many pairs are, and no decision is taken before many of them carry the spread.

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
        ratios = self.ratios(differences)
        low, high = self.thresholds
        crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
        if len(crossed):
            ratio = float(ratios[crossed[0]])
            decision: Decision = "high" if ratio > 0 else "low"
            return Verdict(decision, int(crossed[0]) + 1, ratio, self)
        ratio = float(ratios[-1]) if len(ratios) else 0.0
        return Verdict("undecided", len(ratios), ratio, self)

    def decide(self, batches: Iterable[npt.ArrayLike]) -> Verdict:
        """Take batches of pairs until they decide, or until there are no more.

        The verdict is that of all pairs in one batch, whatever the sizes.

        Args:
            batches: the differences in the order of play; what plays them is asked for
                no batch beyond the one that decides.
        """
        played: list[_Floats] = []
        verdict = self.verdict([])
        for batch in batches:
            played.append(np.asarray(batch, float))
            verdict = self.verdict(np.concatenate(played))
            if verdict.decision != "undecided":
                break
        return verdict

    def ratios(self, differences: npt.ArrayLike) -> _Floats:
        """The log likelihood ratio of ``high`` to ``low`` after each pair, ``(n,)``.

        It is 0 as long as too few pairs carry the spread.
        """
        pairs = np.asarray(differences, float)
        counts = np.arange(1, len(pairs) + 1)
        above = pairs - self.low
        sums, squares = np.cumsum(above), np.cumsum(above * above)
        gap = self.high - self.low
        about_high = squares - 2 * gap * sums + counts * gap**2
        known = carriers(pairs) >= ENOUGH
        ratios = np.zeros(len(pairs))
        likelier = np.log(squares[known] / about_high[known])
        ratios[known] = counts[known] / 2 * likelier
        return ratios

    def chance_of_high(self, mean: float) -> float:
        """How often ``high`` is accepted where the true mean is this.

        Wald's approximation; it does not depend on the spread, which the length of the
        match makes up for.
        """
        low, high = self.thresholds
        # Twice the drift of the ratio per pair, by its variance.
        drift = 2 * self._from_middle(mean) / (self.high - self.low)
        if abs(drift) < 1e-9:
            return -low / (high - low)
        return math.expm1(-drift * low) / (
            math.exp(-drift * low) - math.exp(-drift * high)
        )

    def expected_pairs(self, mean: float, deviation: float) -> float:
        """How many pairs a decision takes on average, by Wald's approximation.

        Args:
            mean: the true mean of the pairs.
            deviation: their standard deviation.
        """
        low, high = self.thresholds
        gap = self.high - self.low
        drift = gap * self._from_middle(mean) / deviation**2
        if abs(drift) < 1e-9:
            return -low * high * (deviation / gap) ** 2
        chance = self.chance_of_high(mean)
        return (chance * high + (1 - chance) * low) / drift

    def _from_middle(self, mean: float) -> float:
        return mean - (self.low + self.high) / 2


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
    if not len(pairs):
        return np.zeros(0)
    count = np.arange(1, len(pairs) + 1)
    # From the first on, so that pairs that are all alike have a spread of exactly 0.
    apart = pairs - pairs[0]
    squares = apart * apart
    powers = (apart, squares, apart * squares, squares * squares)
    mean, second, third, fourth = (np.cumsum(power) / count for power in powers)
    middle = mean * mean
    spread = second - middle
    tails = fourth - 4 * mean * third + 6 * middle * second - 3 * middle * middle
    return np.divide(
        count * spread * spread, tails, np.zeros(len(pairs)), where=tails > 0
    )
