"""The bootstrap over boards; the t interval is tested with evaluation."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from whist_train.statistics import (
    REPLICAS,
    Interval,
    bootstrap_ratios,
    intervals,
    ratio_of_sums,
    resampled_sums,
)


def test_sums_of_two_boards_are_drawn_as_often_as_two_coins_fall() -> None:
    sums = resampled_sums([[1.0], [3.0]], seed=1, replicas=40_000)
    values, times = np.unique(sums, return_counts=True)
    assert values.tolist() == [2, 4, 6]
    assert times / 40_000 == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def test_sums_of_three_boards_have_the_exact_distribution() -> None:
    boards = [1.0, 10.0, 100.0]
    sums = resampled_sums(np.array(boards)[:, None], seed=2, replicas=27_000)
    exact = [sum(draw) for draw in itertools.product(boards, repeat=3)]
    for value in set(exact):
        share = exact.count(value) / 27
        assert np.mean(sums == value) == pytest.approx(share, abs=0.012)


def test_a_board_is_drawn_with_everything_that_was_played_on_it() -> None:
    random = np.random.default_rng(3)
    one = random.normal(size=100)
    sums = resampled_sums(np.stack([one, -2 * one, np.ones(100)], axis=1))
    assert sums.shape == (REPLICAS, 3)
    assert sums[:, 1] == pytest.approx(-2 * sums[:, 0])
    assert (sums[:, 2] == 100).all()


def test_draws_vary_as_the_means_of_matches_do() -> None:
    random = np.random.default_rng(4)
    means = resampled_sums(random.normal(0, 3, (400, 1)))[:, 0] / 400
    assert means.std() == pytest.approx(3 / 20, rel=0.1)


@pytest.mark.parametrize("size", [300, 5000])
def test_the_same_seed_draws_the_same_and_another_others(size: int) -> None:
    boards = np.arange(size, dtype=float)[:, None]
    first = resampled_sums(boards, seed=5, replicas=1000)
    assert (resampled_sums(boards, seed=5, replicas=1000) == first).all()
    assert (resampled_sums(boards, seed=6, replicas=1000) != first).any()
    assert len(np.unique(first)) > 900


def test_an_interval_is_what_the_middle_of_the_draws_gave() -> None:
    draws = np.arange(1001.0)[:, None] * [1, -1]
    first, second = map(dataclasses.astuple, intervals([400, -7], draws))
    assert first == pytest.approx((400, 25, 975))
    assert second == pytest.approx((-7, -975, -25))


def test_the_bootstrap_of_many_pairs_agrees_with_the_t_interval() -> None:
    random = np.random.default_rng(7)
    deals = random.integers(4, 16, 2000)
    points = 0.3 * deals + random.normal(0, 5, 2000)
    t = ratio_of_sums(points, deals)
    rubbers = np.full(2000, 2)
    bootstrap, other = bootstrap_ratios(
        np.stack([points, points], axis=1), np.stack([deals, rubbers], axis=1)
    )
    assert other.value == pytest.approx(points.mean() / 2)
    assert bootstrap.value == pytest.approx(t.mean)
    assert bootstrap.low == pytest.approx(t.low, abs=0.1 * t.standard_error)
    assert bootstrap.high == pytest.approx(t.high, abs=0.1 * t.standard_error)


def test_the_bootstrap_covers_the_mean_of_skewed_pairs() -> None:
    random = np.random.default_rng(8)
    covered = []
    for seed in range(300):
        # One board in twenty goes for twenty points, all others for one the other way.
        points = np.where(random.random((300, 1)) < 0.05, 20.0, -1.0)
        sums = resampled_sums(points, seed, replicas=400)
        (figure,) = intervals(points.mean(0), sums / 300)
        covered.append(figure.low <= 0.05 <= figure.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.035)


def test_pairs_that_are_all_zero_leave_no_doubt() -> None:
    assert bootstrap_ratios(np.zeros((9, 1)), np.full((9, 1), 2)) == [Interval(0, 0, 0)]


def test_one_board_gives_no_interval() -> None:
    with pytest.raises(ValueError, match="at least 2 boards, not 1"):
        bootstrap_ratios([[1]], [[1]])


def test_an_interval_of_a_long_match_is_drawn_in_parts() -> None:
    boards = np.random.default_rng(9).normal(size=(100_000, 1))
    sums = resampled_sums(boards, replicas=100)
    assert sums.shape == (100, 1)
    assert sums.std() == pytest.approx(math.sqrt(100_000), rel=0.25)
