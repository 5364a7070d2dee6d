"""Ratings of sides and agents: closed forms, published figures, planted strengths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest

from whist_train.ratings import (
    ELO,
    Ladder,
    Results,
    bradley_terry,
    largest_cycle,
    rate,
)
from whist_train.statistics import Interval

Floats = npt.NDArray[np.float64]
PARTNERS = tuple(itertools.combinations_with_replacement(range(3), 2))


def all_meet(sides: int) -> tuple[tuple[int, int], ...]:
    return tuple(itertools.combinations(range(sides), 2))


def results_of(
    sides: tuple[tuple[int, ...], ...],
    strengths: Floats,
    noise: float = 0.0,
    boards: int = 200,
    cells: tuple[tuple[int, int], ...] | None = None,
) -> Results:
    """Sides of given strengths that met one another twice on every board."""
    cells = all_meet(len(sides)) if cells is None else cells
    margins = np.array([strengths[a] - strengths[b] for a, b in cells])
    random = np.random.default_rng(1)
    totals = 2 * (margins + noise * random.normal(size=(boards, len(cells))))
    return Results(sides, cells, totals, np.full(totals.shape, 2.0))


def values(figures: tuple[Interval, ...]) -> list[float]:
    return [figure.value for figure in figures]


# The margin model -------------------------------------------------------------------


def test_strengths_of_sides_are_recovered_exactly_and_have_the_mean_zero() -> None:
    strengths = np.array([0.5, 0.1, -0.2, 0.4, 0.0, -0.7])
    ratings = rate(results_of(PARTNERS, strengths))
    assert values(ratings.sides) == pytest.approx(strengths - strengths.mean())
    for figure in ratings.sides:
        assert figure.high - figure.low == pytest.approx(0, abs=1e-12)


def test_strengths_are_counted_from_the_origin() -> None:
    strengths = np.array([0.5, 0.1, -0.2, 0.4, 0.0, -0.7])
    cells = tuple((side, 3) for side in (0, 1, 2, 4, 5))
    ratings = rate(results_of(PARTNERS, strengths, cells=cells), origin=3)
    assert values(ratings.sides) == pytest.approx(strengths - 0.4)
    assert ratings.elo[3] == Interval(0, 0, 0)
    assert ratings.cycle is None


def test_additive_agents_have_their_strength_and_no_gaps() -> None:
    agents = np.array([0.6, 0.0, -0.6])
    ratings = rate(
        results_of(PARTNERS, np.array([agents[[*s]].mean() for s in PARTNERS]))
    )
    assert values(ratings.agents) == pytest.approx(agents)
    assert [pair.agents for pair in ratings.partnerships] == [(0, 1), (0, 2), (1, 2)]
    for pair in ratings.partnerships:
        assert pair.gap.value == pytest.approx(0, abs=1e-12)


def test_the_gap_is_what_partners_make_above_the_mean_of_each_with_itself() -> None:
    # Agents 0 and 1 spoil one another's play by 0.3.
    agents, spoiled = np.array([0.6, 0.0, -0.6]), np.array([0, -0.3, 0, 0, 0, 0])
    strengths = np.array([agents[[*side]].mean() for side in PARTNERS]) + spoiled
    ratings = rate(results_of(PARTNERS, strengths))
    gaps = [pair.gap.value for pair in ratings.partnerships]
    assert gaps == pytest.approx([-0.3, 0, 0])
    assert ratings.gap is not None
    assert ratings.gap.value == pytest.approx(-0.1)
    # Both are worth less as partners than with themselves, the third is not.
    first, second, third = values(ratings.agents)
    assert first - second == pytest.approx(0.6)
    assert third - second > -0.6


def test_intervals_are_those_of_the_noise() -> None:
    agents = np.array([0.3, 0.0, -0.3])
    strengths = np.array([agents[[*side]].mean() for side in PARTNERS])
    ratings = rate(results_of(PARTNERS, strengths, noise=0.8, boards=1000))
    # With noise s in every cell a side's strength has the variance s^2 / (sides n).
    error = 0.8 / math.sqrt(6 * 1000)
    for figure, strength in zip(ratings.sides, strengths, strict=True):
        assert figure.low < figure.value < figure.high
        assert figure.value == pytest.approx(strength, abs=3 * error)
        expected = 2 * 1.96 * error * math.sqrt(5 / 6)
        assert figure.high - figure.low == pytest.approx(expected, rel=0.12)
    # A gap has the variance of one and two halves.
    for pair in ratings.partnerships:
        length = pair.gap.high - pair.gap.low
        assert length == pytest.approx(2 * 1.96 * error * math.sqrt(1.5), rel=0.12)
        assert pair.gap.low < 0 < pair.gap.high


def test_boards_that_are_common_to_all_cells_are_drawn_together() -> None:
    # All cells of a board share its luck, which the strengths of sides do not.
    random = np.random.default_rng(2)
    luck = random.normal(size=(300, 1)) * np.ones((1, 3))
    sides = ((0,), (1,), (2,))
    cells = ((0, 1), (1, 2), (2, 0))
    ratings = rate(Results(sides, cells, luck, np.ones((300, 3))))
    for figure in ratings.sides:
        assert figure.high - figure.low == pytest.approx(0, abs=1e-9)


def test_totals_are_divided_by_the_sum_of_the_counts() -> None:
    results = Results(
        ((0,), (1,)), ((0, 1),), np.array([[2.0], [10.0]]), np.array([[1.0], [3.0]])
    )
    assert values(rate(results).sides) == pytest.approx([1.5, -1.5])


def test_one_among_others_counts_beside_the_reverse() -> None:
    sides = ((0,), (1,))
    totals = np.array([[3.0, 1.0], [3.0, 1.0]])
    ratings = rate(Results(sides, ((0, 1), (1, 0)), totals, np.ones((2, 2))))
    assert values(ratings.sides) == pytest.approx([0.5, -0.5])
    assert values(ratings.agents) == pytest.approx([0.5, -0.5])
    assert (ratings.partnerships, ratings.gap) == ((), None)


def test_the_same_seed_gives_the_same_intervals() -> None:
    results = results_of(PARTNERS, np.arange(6.0), noise=2)
    assert rate(results, seed=3) == rate(results, seed=3)
    assert rate(results, seed=3) != rate(results, seed=4)


def test_sides_that_never_met_are_refused() -> None:
    with pytest.raises(ValueError, match="never met"):
        results_of(((0,), (1,), (2,), (3,)), np.zeros(4), cells=((0, 1), (2, 3)))


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"each of 1 cells, not the shapes \(5, 2\)"):
        Results(((0,), (1,)), ((0, 1),), np.zeros((5, 2)), np.ones((5, 2)))


def test_agents_that_always_played_together_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="cannot be told apart"):
        rate(results_of(((0, 1), (2, 3)), np.array([1.0, 0.0])))


# Bradley-Terry ----------------------------------------------------------------------

BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
"""Games won in the American League of 1987, Eastern Division: Milwaukee, Detroit,
Toronto, New York, Boston, Cleveland, Baltimore (Agresti, Categorical Data Analysis)."""


def test_strengths_are_those_published_for_the_american_league() -> None:
    strengths = bradley_terry(BASEBALL, extra=0)
    from_baltimore = strengths - strengths[-1]
    published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0]
    assert from_baltimore == pytest.approx(published, abs=1e-4)
    assert strengths.mean() == pytest.approx(0, abs=1e-12)


def test_half_a_win_more_pulls_strengths_together_a_little() -> None:
    plain, pulled = bradley_terry(BASEBALL, extra=0), bradley_terry(BASEBALL)
    assert pulled == pytest.approx(plain, abs=0.1)
    assert pulled[0] - pulled[-1] < plain[0] - plain[-1]


def test_between_two_the_strengths_are_half_the_log_odds() -> None:
    assert bradley_terry([[0, 7], [3, 0]]) == pytest.approx(
        [math.log(7.5 / 3.5) / 2, -math.log(7.5 / 3.5) / 2]
    )


def test_one_that_won_all_has_a_finite_strength_that_grows_with_its_wins() -> None:
    few, many = (bradley_terry([[0, wins], [0, 0]])[0] for wins in (10, 1000))
    assert few == pytest.approx(math.log(10.5 / 0.5) / 2)
    assert many == pytest.approx(math.log(1000.5 / 0.5) / 2)


def test_tables_are_rated_side_by_side() -> None:
    random = np.random.default_rng(3)
    tables = random.integers(0, 50, (40, 5, 5)).astype(float)
    together = bradley_terry(tables)
    for table, strengths in zip(tables, together, strict=True):
        assert bradley_terry(table) == pytest.approx(strengths)


@pytest.mark.parametrize("wins", [1.0, 1e3, 1e9])
def test_strengths_are_found_where_odds_are_beyond_belief(wins: float) -> None:
    chain = bradley_terry(np.diag(np.full(11, wins), 1))
    step = math.log((wins + 0.5) / 0.5)
    assert np.diff(chain) == pytest.approx(np.full(11, -step), rel=1e-6)


def test_planted_strengths_are_recovered_from_wins() -> None:
    strengths = np.array([0.8, 0.3, -0.3, -0.8])
    chances = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
    assert bradley_terry(1e6 * chances) == pytest.approx(strengths, abs=1e-4)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0, -1], [2, 0]], "must not be negative"),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "never met"),
    ],
)
def test_scores_that_cannot_be_rated_are_refused(
    scores: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bradley_terry(scores)


def boards_won(won: int, even: int, lost: int) -> Results:
    totals = np.repeat([1.0, 0.0, -1.0], [won, even, lost])[:, None]
    return Results(((0,), (1,)), ((0, 1),), totals, np.ones(totals.shape))


def test_elo_counts_boards_won_and_half_of_the_even_ones() -> None:
    first, second = rate(boards_won(60, 20, 20)).elo
    assert first.value == pytest.approx(ELO * math.log(70.5 / 30.5) / 2)
    assert second.value == pytest.approx(-first.value)
    assert 0 < first.low < first.value < first.high
    # 400 points are odds of ten to one.
    tenfold = rate(boards_won(999, 1, 99), origin=1).elo[0]
    assert tenfold.value == pytest.approx(400, abs=1)


def test_the_interval_of_elo_is_that_of_the_binomial_odds() -> None:
    figure = rate(boards_won(250, 0, 150), origin=1).elo[0]
    error = ELO * math.sqrt(1 / 250 + 1 / 150)
    assert figure.high - figure.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_one_that_won_all_has_no_upper_end() -> None:
    winner, loser = rate(boards_won(300, 0, 0)).elo
    assert winner.high == math.inf
    assert loser.low == -math.inf
    # The lower end is Jeffreys's: with 300 of 300 a chance of 0.9917.
    bound = ELO * math.log(0.9917 / 0.0083)
    assert 2 * winner.low == pytest.approx(bound, rel=0.05)
    assert rate(boards_won(300, 1, 0)).elo[0].high < math.inf


def test_points_that_come_back_by_way_of_others_bound_the_strength() -> None:
    sides = ((0,), (1,), (2,))
    cells = all_meet(3)
    # 0 always beats 1, 1 always beats 2, and 2 took one board from 0.
    totals = np.ones((50, 3))
    totals[0, 1] = -1
    bounded = rate(Results(sides, cells, totals, np.ones(totals.shape)))
    assert all(math.isfinite(end) for f in bounded.elo for end in (f.low, f.high))
    totals[0, 1] = 1
    totals[0, 0] = -1
    first, second, third = rate(Results(sides, cells, totals, np.ones((50, 3)))).elo
    assert first.high == second.high == math.inf
    assert math.isfinite(first.low) and math.isfinite(third.high)
    assert third.low == -math.inf


# Cycles -----------------------------------------------------------------------------


def test_the_largest_cycle_is_the_one_with_the_largest_smallest_margin() -> None:
    margins = np.zeros((5, 5))
    for first, second, margin in [
        (0, 1, 9.0),
        (1, 2, 8.0),
        (2, 0, 0.1),
        (3, 1, 0.5),
        (1, 4, 0.6),
        (4, 3, 0.7),
        (0, 3, 1.0),
        (0, 4, 1.0),
        (3, 2, 1.0),
        (2, 4, 1.0),
    ]:
        margins[first, second], margins[second, first] = margin, -margin
    assert largest_cycle(margins) == (2, 4, 3)


def test_where_there_is_an_order_there_is_no_cycle() -> None:
    strengths = np.random.default_rng(4).normal(size=20)
    assert largest_cycle(strengths[:, None] - strengths[None]) is None
    assert largest_cycle(np.zeros((3, 3))) is None


def test_sides_that_did_not_meet_are_in_no_cycle() -> None:
    margins = np.array([[0, 1, np.nan], [-1, 0, 1], [np.nan, -1, 0]])
    assert largest_cycle(margins) is None


def test_every_cycle_of_a_random_table_is_no_larger_than_that_found() -> None:
    half = np.random.default_rng(5).normal(size=(9, 9))
    margins = half - half.T
    found = largest_cycle(margins)
    assert found is not None

    def smallest(a: int, b: int, c: int) -> float:
        return float(min(margins[a, b], margins[b, c], margins[c, a]))

    best = max(smallest(*three) for three in itertools.permutations(range(9), 3))
    assert smallest(*found) == best > 0
    assert found[0] == min(found)


def test_a_circle_of_agents_is_rated_with_its_margins() -> None:
    random = np.random.default_rng(6)
    sides = ((0,), (1,), (2,))
    totals = random.normal([0.5, -0.7, 0.6], 1, (400, 3))
    ratings = rate(Results(sides, all_meet(3), totals, np.ones((400, 3))))
    assert ratings.cycle is not None
    assert ratings.cycle.sides == (0, 1, 2)
    means = totals.mean(0) * [1, -1, 1]
    first, second, third = values(ratings.cycle.margins)
    assert (first, second, third) == pytest.approx((means[0], means[2], means[1]))
    for margin in ratings.cycle.margins:
        assert margin.low < margin.value < margin.high


# Running ladders --------------------------------------------------------------------


def test_a_ladder_rises_and_falls_with_every_episode() -> None:
    pytest.importorskip("openskill")
    ladder = Ladder()
    for _ in range(20):
        ladder.record({("a", "b"): 3, ("c", "d"): 1})
        ladder.record({("a", "c"): 3, ("b", "d"): 1})
    skills = {each.agent: each.skill for each in ladder.standings()}
    assert skills["a"] > 25 > skills["d"]
    assert [each.agent for each in ladder.standings()][::3] == ["a", "d"]
    for each in ladder.standings():
        assert each.doubt < 25 / 3


def test_equal_results_leave_strangers_equal() -> None:
    pytest.importorskip("openskill")
    ladder = Ladder()
    ladder.record({("a", "b"): 1, ("c", "d"): 1})
    assert {each.skill for each in ladder.standings()} == {25}
    # One alone, and an agent that is its own partner, are sides as well.
    ladder.record({("a",): 1, ("b",): 0, ("e",): 2})
    ladder.record({("a", "a"): 1, ("b", "b"): 0})
    assert [each.agent for each in ladder.standings()][-1] == "b"
    assert len(ladder.standings()) == 5


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({("a", "b"): 1, ("b", "c"): 0}, "a and b against b and c"),
        ({("a", "b"): 1}, "not a and b"),
        ({}, "not none"),
    ],
)
def test_episodes_that_cannot_be_rated_are_refused(
    results: dict[tuple[str, ...], float], message: str
) -> None:
    pytest.importorskip("openskill")
    with pytest.raises(ValueError, match=message):
        Ladder().record(results)
