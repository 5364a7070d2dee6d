"""Statistics of paired observations: a mean, and an interval that covers it."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CONFIDENCE: Final = 0.95
"""The chance with which an interval covers the true value."""

REPLICAS: Final = 2000
"""How many times a bootstrap draws all boards anew."""

_AT_ONCE: Final = 1 << 18
"""How many boards are drawn at once, so that they stay in fast memory."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean with its uncertainty.

    Attributes:
        mean: the mean.
        standard_error: its standard error.
        low: the lower end of the 95% interval.
        high: the upper end.
        p_value: how often a mean at least as far from 0 comes by chance where the true
            one is 0 (two-sided t test).
    """

    mean: float
    standard_error: float
    low: float
    high: float
    p_value: float


@dataclasses.dataclass(frozen=True)
class Interval:
    """A figure with its 95% interval, from a bootstrap over boards.

    Attributes:
        value: the figure.
        low: the lower end of the interval.
        high: the upper end.
    """

    value: float
    low: float
    high: float


def ratio_of_sums(totals: npt.ArrayLike, counts: npt.ArrayLike) -> Estimate:
    """The mean per unit of observations that each have a total and a count of units.

    The mean is the sum of the totals over the sum of the counts: points per deal, from
    rubbers of different lengths. Its standard error is that of the residuals
    ``total - mean * count`` (the delta method; Cochran 1977, section 2.11). Where all
    counts are equal this is exactly the paired t interval.

    Args:
        totals: one number for each observation, ``(n,)``.
        counts: how many units each has, ``(n,)``, above 0.

    Raises:
        ValueError: fewer than two observations, which leave the error unknown.
    """
    total, count = np.asarray(totals, float), np.asarray(counts, float)
    size = len(total)
    if size < 2:
        raise ValueError(f"an interval needs at least 2 observations, not {size}")
    mean = float(total.sum() / count.sum())
    spread = (total - mean * count).std(ddof=1)
    error = float(spread / math.sqrt(size) / count.mean())
    reach = t_quantile(CONFIDENCE, size - 1) * error
    if error:
        by_chance = max(0.0, 1 - t_within(abs(mean) / error, size - 1))
    else:
        # All are equal, and the t test has nothing to go by: the sign test has.
        by_chance = 2.0 ** (1 - size) if mean else 1.0
    return Estimate(mean, error, mean - reach, mean + reach, by_chance)


def bootstrap_ratios(
    totals: npt.ArrayLike, counts: npt.ArrayLike, seed: int = 0
) -> list[Interval]:
    """The means of `ratio_of_sums` with intervals that suppose no distribution.

    Args:
        totals: for each observation one number of each kind, ``(n, kinds)``.
        counts: how many units each has, ``(n, kinds)``, above 0.
        seed: the seed of the draws; the same seed gives the same intervals.

    Returns:
        An interval for each kind.

    Raises:
        ValueError: fewer than two observations.
    """
    both = np.concatenate([np.asarray(totals, float), np.asarray(counts, float)], 1)
    drawn = np.concatenate([both.sum(0)[None], resampled_sums(both, seed)])
    total, count = np.split(drawn, 2, axis=1)
    means = total / count
    return intervals(means[0], means[1:])


def resampled_sums(
    boards: npt.ArrayLike, seed: int = 0, replicas: int = REPLICAS
) -> npt.NDArray[np.float64]:
    """Sums over boards that are drawn again, with replacement.

    Whatever was played on one board is drawn together, in all columns: tables with the
    same cards are not independent observations. A figure that is computed from the sums
    of each draw, as it was from those of the boards themselves, varies from draw to
    draw as it would from match to match.

    Args:
        boards: one row for each board, ``(n, columns)``.
        seed: the seed of the draws.
        replicas: how many times all boards are drawn.

    Returns:
        One row of sums for each time, ``(replicas, columns)``.

    Raises:
        ValueError: fewer than two boards, which leave the variation unknown.
    """
    rows = np.asarray(boards, float)
    size = len(rows)
    if size < 2:
        raise ValueError(f"a bootstrap needs at least 2 boards, not {size}")
    random = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // size)
    parts = [
        _times_drawn(random, size, min(at_once, replicas - begin)) @ rows
        for begin in range(0, replicas, at_once)
    ]
    return np.concatenate(parts)


def _times_drawn(
    random: np.random.Generator, size: int, replicas: int
) -> npt.NDArray[np.float64]:
    """How often each board comes up in each of several draws, ``(replicas, size)``."""
    drawn = random.integers(size, size=(replicas, size))
    places = drawn + size * np.arange(replicas)[:, None]
    times = np.bincount(places.ravel(), minlength=replicas * size)
    return times.reshape(replicas, size).astype(float)


def intervals(values: npt.ArrayLike, drawn: npt.ArrayLike) -> list[Interval]:
    """Percentile intervals: what the middle 95% of the draws gave.

    They are taken rather than those corrected for bias and skewness (Efron's BCa)
    because they hold for any figure that can be computed from a draw, however it is
    computed. For means of skewed pairs both cover the truth equally often, and less
    often than they say with fewer than some 50 boards, as any bootstrap does; there the
    t interval of `ratio_of_sums` is the better one.

    Args:
        values: the figures, ``(k,)``.
        drawn: the same figures of each draw, ``(replicas, k)``.
    """
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(np.asarray(drawn, float), [tail, 1 - tail], axis=0)
    figures = zip(np.asarray(values, float), low, high, strict=True)
    return [Interval(*map(float, figure)) for figure in figures]


@functools.lru_cache(maxsize=256)
def t_quantile(probability: float, degrees: int) -> float:
    """How far from 0 Student's t lies at most, with this probability.

    Args:
        probability: between 0 and 1, two-sided: 0.95 with many degrees gives 1.96.
        degrees: degrees of freedom, at least 1.
    """
    low, high = 0.0, 1.0
    while t_within(high, degrees) < probability:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        if t_within(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return high


def t_within(distance: float, degrees: int) -> float:
    """The probability that Student's t lies no farther from 0 than a distance.

    The finite series of Abramowitz and Stegun 26.7.3 and 26.7.4, exact for whole
    degrees of freedom; all its terms are positive.
    """
    angle = math.atan(distance / math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    if degrees % 2 == 0:
        even = np.arange(2, degrees - 1, 2)
        return sine * _series((even - 1) / even, cosine)
    if degrees == 1:
        return 2 * angle / math.pi
    odd = np.arange(3, degrees - 1, 2)
    return 2 / math.pi * (angle + sine * cosine * _series((odd - 1) / odd, cosine))


def _series(ratios: npt.NDArray[Any], cosine: float) -> float:
    """1 and the products of the first ratios, each times the squared cosine."""
    return 1 + float(np.cumprod(ratios * cosine**2).sum())
