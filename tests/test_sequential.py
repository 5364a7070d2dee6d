"""The sequential test: its arithmetic, its errors, its length."""

from __future__ import annotations

import functools
import io
import math
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rich.console import Console

import whist_env
from whist_env import Views
from whist_train.evaluate import Evaluation, evaluate, play_pairs
from whist_train.rooms import SMALL_BLOCK
from whist_train.sequential import ENOUGH, SequentialTest, Verdict, carriers

MATCHES = 2000
"""Matches in each simulation."""

Floats = npt.NDArray[np.float64]


# Arithmetic -------------------------------------------------------------------------


def test_thresholds_are_walds() -> None:
    assert SequentialTest(0, 1).thresholds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    low, high = SequentialTest(0, 1, alpha=0.01, beta=0.1).thresholds
    assert (low, high) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_ratio_is_that_of_the_best_fitting_normal_likelihoods() -> None:
    pairs = np.random.default_rng(1).normal(0.3, 2, 500)
    ratios = SequentialTest(0.1, 0.5).ratios(pairs)
    for count in (200, 500):
        played = pairs[:count]
        likelihoods = [
            -count / 2 * math.log(np.mean((played - mean) ** 2)) for mean in (0.1, 0.5)
        ]
        assert ratios[count - 1] == pytest.approx(likelihoods[1] - likelihoods[0])


def test_small_effects_give_the_ratio_of_normal_means() -> None:
    pairs = np.random.default_rng(2).normal(0.02, 1, 4000)
    ratio = SequentialTest(0, 0.05).ratios(pairs)[-1]
    textbook = 4000 * 0.05 * (pairs.mean() - 0.025) / pairs.var()
    assert ratio == pytest.approx(textbook, rel=0.01)


def test_pairs_that_differ_alike_carry_the_spread_each() -> None:
    pairs = np.zeros(10_000)
    pairs[::1000] = 1
    assert carriers(pairs)[-1] == pytest.approx(10, rel=0.01)
    assert carriers(np.full(50, 0.1)).tolist() == [0] * 50
    # The fourth moment of the normal distribution is three times the squared second.
    normal = np.random.default_rng(3).normal(7, 2, 100_000)
    assert carriers(normal)[-1] == pytest.approx(100_000 / 3, rel=0.03)


def test_nothing_is_decided_before_enough_pairs_carry_the_spread() -> None:
    test = SequentialTest(0, 0.5)
    assert test.verdict(np.zeros(1000)) == Verdict("undecided", 1000, 0, test)
    sure = np.full(5000, 0.5)
    sure[::100] = 1.5
    verdict = test.verdict(sure)
    assert verdict.decision == "high"
    assert carriers(sure)[verdict.pairs - 1] >= ENOUGH
    assert carriers(sure)[verdict.pairs - 2] < ENOUGH


def test_a_verdict_tells_the_first_pair_that_decides() -> None:
    test = SequentialTest(0, 0.4)
    pairs = np.random.default_rng(4).normal(0.5, 1, 3000)
    verdict = test.verdict(pairs)
    assert verdict.decision == "high"
    assert verdict.ratio >= test.thresholds[1]
    assert test.verdict(pairs[: verdict.pairs]) == verdict
    before = test.verdict(pairs[: verdict.pairs - 1])
    assert (before.decision, before.pairs) == ("undecided", verdict.pairs - 1)
    mirrored = SequentialTest(-0.4, 0).verdict(-pairs)
    assert (mirrored.decision, mirrored.pairs) == ("low", verdict.pairs)
    assert mirrored.ratio == pytest.approx(-verdict.ratio)


@pytest.mark.parametrize("size", [1, 7, 256])
def test_the_size_of_batches_changes_nothing(size: int) -> None:
    test = SequentialTest(0, 0.4)
    pairs = np.random.default_rng(5).normal(0.1, 1, 1500)
    batches = [pairs[begin : begin + size] for begin in range(0, 1500, size)]
    assert test.decide(batches) == test.verdict(pairs)


def test_pairs_are_forgotten_once_they_are_counted() -> None:
    """What a batch costs does not grow with the batches before it."""
    given: list[weakref.ref[Floats]] = []

    def batches() -> Iterator[Floats]:
        for number in range(50):
            assert not any(batch() is not None for batch in given[:-1])
            batch = np.random.default_rng(number).normal(0, 1, 32)
            given.append(weakref.ref(batch))
            yield batch

    assert SequentialTest(-1e-6, 1e-6).decide(batches()).pairs == 1600


def test_no_batch_is_played_after_the_decision() -> None:
    played = []

    def batches() -> Iterator[Floats]:
        random = np.random.default_rng(6)
        while True:
            played.append(100)
            yield random.normal(1, 1, 100)

    verdict = SequentialTest(0, 0.5).decide(batches())
    assert verdict.decision == "high"
    assert 0 < sum(played) - verdict.pairs <= 99


def test_a_match_that_ends_too_early_is_undecided() -> None:
    test = SequentialTest(0, 0.01)
    pairs = np.random.default_rng(7).normal(0, 1, 300)
    verdict = test.decide([pairs])
    assert (verdict.decision, verdict.pairs) == ("undecided", 300)
    assert "undecided between at most 0 and at least 0.01" in verdict.in_words()
    assert "log likelihood ratio" in verdict.in_words()
    assert test.decide([]) == Verdict("undecided", 0, 0, test)


def test_a_verdict_in_words_names_the_bound_and_the_chances() -> None:
    test = SequentialTest(0, 0.05, alpha=0.01)
    assert Verdict("high", 700, 5, test).in_words() == (
        "at least 0.05 rather than at most 0, after 700 pairs (alpha 0.01, beta 0.05)"
    )
    assert Verdict("low", 700, -5, test).in_words().startswith("at most 0 rather")


# Chances of error, and length -------------------------------------------------------


def expected_pairs(test: SequentialTest, mean: float, deviation: float) -> float:
    """How many pairs a decision takes on average, by Wald's approximation."""
    low, high = test.thresholds
    gap, from_middle = test.high - test.low, mean - (test.low + test.high) / 2
    if abs(from_middle) < 1e-9:
        return -low * high * (deviation / gap) ** 2
    # Twice the drift of the ratio per pair, by its variance.
    drift = 2 * from_middle / gap
    chance = math.expm1(-drift * low) / (
        math.exp(-drift * low) - math.exp(-drift * high)
    )
    length = (chance * high + (1 - chance) * low) / (gap * from_middle)
    return length * deviation**2


class LowestCard:
    """Plays its lowest legal card."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        ranks = np.arange(views.action_mask.shape[1]) % 13
        return np.where(views.action_mask == 1, ranks, 13).argmin(axis=1)


class SeldomHighest(LowestCard):
    """Plays its highest card now and then instead."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        ranks = np.arange(views.action_mask.shape[1]) % 13
        highest = np.where(views.action_mask == 1, ranks, -1).argmax(axis=1)
        seldom = views.random % np.uint64(400) == 0
        return np.where(seldom, highest, super().act(views))


KINDS: dict[str, tuple[Any, Any, bool, str]] = {
    "deals": (LowestCard(), "random", False, "tricks"),
    "rubbers": (LowestCard(), "random", True, "settlement"),
    "seldom apart": (SeldomHighest(), LowestCard(), False, "tricks"),
}
"""Real matches: the agents, whether over rubbers, and the measure."""


@functools.cache
def pairs_played(kind: str) -> Floats:
    """What pairs of a real match came to, as deviations from their mean."""
    a, b, rubbers, measure = KINDS[kind]
    options = {"episode": "rubber", "scoring": "short5"} if rubbers else {}
    played = play_pairs(a, b, whist_env.game("whist", **options), 1500, seed=1)
    pairs = played.differences(measure)
    return np.asarray(pairs - pairs.mean())


def simulated(kind: str, test: SequentialTest, mean: float) -> tuple[float, float]:
    """The share of matches in which "high" was accepted, and their mean length.

    The pairs are those of a kind, with a standard deviation of 1.
    """
    random = np.random.default_rng(1)
    batch = int(expected_pairs(test, mean, 1))

    def batches() -> Iterator[Floats]:
        for _ in range(8):
            if kind == "normal":
                yield random.normal(mean, 1, batch)
            else:
                played = pairs_played(kind)
                yield random.choice(played, batch) / played.std() + mean

    verdicts = [test.decide(batches()) for _ in range(MATCHES)]
    high = sum(verdict.decision == "high" for verdict in verdicts)
    return high / MATCHES, sum(verdict.pairs for verdict in verdicts) / MATCHES


def error(chance: float) -> float:
    """Two standard errors of the share of matches."""
    return 2 * math.sqrt(chance * (1 - chance) / MATCHES)


@pytest.mark.parametrize("kind", ["normal", "deals", "rubbers"])
def test_errors_are_as_rare_as_promised_and_matches_as_short(kind: str) -> None:
    test = SequentialTest(0, 0.1)
    wrong, length = simulated(kind, test, mean=0)
    assert 0.02 < wrong <= 0.05 + error(0.05)
    assert length == pytest.approx(expected_pairs(test, 0, 1), rel=0.1)
    found, length = simulated(kind, test, mean=0.1)
    assert found >= 0.95 - error(0.05)
    assert length == pytest.approx(expected_pairs(test, 0.1, 1), rel=0.1)


def test_rare_differences_make_matches_longer_and_not_less_sure() -> None:
    test = SequentialTest(0, 0.1)
    # One pair in sixty carries the spread, so that no match ends before 1200 or so.
    wrong, length = simulated("seldom apart", test, mean=0)
    assert wrong <= 0.05 + error(0.05)
    assert 1000 < length < 1500
    found, _ = simulated("seldom apart", test, mean=0.1)
    assert found >= 0.95 - error(0.05)


def test_unequal_chances_of_error_are_both_kept() -> None:
    test = SequentialTest(-0.05, 0.05, alpha=0.01, beta=0.2)
    wrong, _ = simulated("normal", test, mean=-0.05)
    assert wrong <= 0.01 + error(0.01)
    found, length = simulated("normal", test, mean=0.05)
    assert found == pytest.approx(0.8, abs=error(0.2) + 0.01)
    assert length == pytest.approx(expected_pairs(test, 0.05, 1), rel=0.1)


# In evaluation ----------------------------------------------------------------------


def test_an_evaluation_ends_with_the_block_in_which_the_test_is_decided() -> None:
    test = SequentialTest(0, 0.2)
    evaluation = evaluate(LowestCard(), "greedy", sprt=test, seed=4)
    played = play_pairs(
        LowestCard(), "greedy", whist_env.game("whist"), evaluation.pairs, seed=4
    )
    decided_after = evaluation.verdicts["tricks"].pairs
    assert evaluation.pairs == SMALL_BLOCK * math.ceil(decided_after / SMALL_BLOCK)
    assert evaluation.verdicts == {"tricks": test.verdict(played.differences("tricks"))}
    assert evaluation.verdicts["tricks"].decision == "low"
    assert evaluation.estimates == played.estimates()


def test_an_evaluation_ends_undecided_where_it_may_not_go_on() -> None:
    test = SequentialTest(-0.01, 0.01)
    evaluation = evaluate(
        LowestCard(), "random", sprt=test, measure="won", rubbers=20, seed=4
    )
    assert evaluation.pairs == 20
    assert evaluation.verdicts["won"].decision == "undecided"
    file = io.StringIO()
    Console(file=file, width=200).print(evaluation)
    assert "Sequential test of won per rubber: undecided between" in file.getvalue()
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_records_hold_what_was_played_until_the_decision(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    test = SequentialTest(0, 0.2)
    evaluation = evaluate(LowestCard(), "random", sprt=test, records=file)
    assert len(file.read_text().splitlines()) == 2 * evaluation.pairs


def test_a_measure_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="'trick' is none of whist's: points, tricks"):
        evaluate("random", "random", deals=4, measure="trick")


def test_an_evaluation_has_intervals_from_a_bootstrap_as_well() -> None:
    evaluation = evaluate(LowestCard(), "random", deals=600, seed=4)
    assert list(evaluation.bootstraps) == list(evaluation.estimates)
    for name, figures in evaluation.estimates.items():
        bootstrap = evaluation.bootstraps[name]
        assert bootstrap.value == pytest.approx(figures.mean)
        error = figures.standard_error
        assert bootstrap.low == pytest.approx(figures.low, abs=0.2 * error)
        assert bootstrap.high == pytest.approx(figures.high, abs=0.2 * error)


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.1, 0.1), "low=0.1 must be below high=0.1"),
        ((0.2, 0.1), "low=0.2 must be below"),
        ((0, math.inf), "finite numbers, not 0 and inf"),
        ((0, 1, 0.5), "alpha=0.5 must lie between 0 and 0.5"),
        ((0, 1, 0.05, 0), "beta=0 must lie between"),
    ],
)
def test_hypotheses_that_cannot_be_are_refused(
    arguments: tuple[float, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        SequentialTest(*arguments)
