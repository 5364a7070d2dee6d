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
    within = t_within(abs(mean) / error, size - 1) if error else float(mean != 0)
    return Estimate(mean, error, mean - reach, mean + reach, max(0.0, 1 - within))


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
