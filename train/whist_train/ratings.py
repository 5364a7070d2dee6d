"""Ratings: what agents are worth, alone and as partners, from sides that met.

A *side* is what meets another at a table: two partners, or one agent where everybody
plays for itself. Three questions are put to the same boards. By how much does a side
win (the margin model)? How often (Bradley-Terry)? And is there an order at all, or do
sides beat one another in a circle?

All sides play the same boards, so that what they hold is no difference between them.
Intervals come from a bootstrap over boards (`whist_train.statistics.resampled_sums`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from whist_train.statistics import Interval, intervals, resampled_sums

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating

_Floats: TypeAlias = npt.NDArray[np.float64]
_Bools: TypeAlias = npt.NDArray[np.bool_]

ELO: Final = 400 / math.log(10)
"""Points of Elo's scale in one unit of log odds: 400 points are odds of ten to one."""

HALF_A_WIN: Final = 0.5
"""What each of two that met is given beyond what it won, so that odds are finite."""

MOST_STEPS: Final = 1000
"""Steps of Newton's method; a dozen are enough, but where odds are beyond belief."""

AT_ONCE: Final = 256
"""Draws that are rated at once, so that memory stays small."""


@dataclasses.dataclass(frozen=True)
class Results:
    """What sides made against sides, on boards that are common to all.

    Attributes:
        sides: the agents of each side, by number: ``(0, 1)`` is agent 0 with agent 1.
        cells: which side met which, pairs of numbers of sides.
        totals: for each board and cell what the first side made above the second,
            ``(boards, cells)``.
        counts: by how many units that is to be divided, ``(boards, cells)``.

    Raises:
        ValueError: the arrays do not fit, or the sides fall into groups that never met.
    """

    sides: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[int, int], ...]
    totals: _Floats
    counts: _Floats

    def __post_init__(self) -> None:
        shape = (len(self.totals), len(self.cells))
        if self.totals.shape != shape or self.counts.shape != shape:
            raise ValueError(
                f"totals and counts must have one row a board and one column for each "
                f"of {len(self.cells)} cells, not the shapes {self.totals.shape} and "
                f"{self.counts.shape}"
            )
        if not _all_reached(self._met()):
            raise ValueError("some sides never met, not even by way of others")

    @property
    def num_agents(self) -> int:
        """How many agents there are."""
        return 1 + max(max(side) for side in self.sides)

    def outcomes(self) -> _Floats:
        """1 where the first side won the board, 1/2 where it was even, else 0."""
        return (np.sign(self.totals) + 1) / 2

    def encounters(self) -> _Floats:
        """1 for the first side of a cell and -1 for the second, ``(cells, sides)``."""
        signs = np.zeros((len(self.cells), len(self.sides)))
        for cell, (first, second) in enumerate(self.cells):
            signs[cell, first], signs[cell, second] = 1, -1
        return signs

    def members(self) -> _Floats:
        """The share of each agent in each side, ``(sides, agents)``."""
        shares = np.zeros((len(self.sides), self.num_agents))
        for number, side in enumerate(self.sides):
            for agent in side:
                shares[number, agent] += 1 / len(side)
        return shares

    def _met(self) -> _Bools:
        met = np.zeros((len(self.sides), len(self.sides)), np.bool_)
        for first, second in self.cells:
            met[first, second] = met[second, first] = True
        return met


@dataclasses.dataclass(frozen=True)
class Partnership:
    """Two different agents as partners.

    Attributes:
        agents: the two, by number.
        gap: what they make together above the mean of what each makes with itself: the
            cross-play gap. Below 0 they understand one another less well than
            themselves.
    """

    agents: tuple[int, int]
    gap: Interval


@dataclasses.dataclass(frozen=True)
class Cycle:
    """Three sides that beat one another in a circle.

    Attributes:
        sides: the three by number; each beats the next, and the last the first.
        margins: by how much. The cycle is the one of all whose smallest margin is
            largest, so its margins overstate what would be found again.
    """

    sides: tuple[int, int, int]
    margins: tuple[Interval, Interval, Interval]


@dataclasses.dataclass(frozen=True)
class Ratings:
    """What a set of results says about sides and agents.

    Attributes:
        sides: the strength of each side: the differences of two are what the first
            makes against the second, as nearly as one number each can say
            (least squares).
        agents: the strength of each agent: those numbers of which the mean over a side
            comes nearest to the strength of the side.
        partnerships: the interaction of all partners that met one another, where each
            was also its own partner.
        gap: the mean of their gaps; ``None`` where there are none.
        elo: the strength of each side by boards won, in points of Elo's scale. Its
            interval has no upper end where the origin, or any side if there is none,
            never won even half a board from it, nor from one that did, and so on; and
            no lower end where it never won one from them.
        cycle: the strongest circle; ``None`` where sides can be put in an order.
    """

    sides: tuple[Interval, ...]
    agents: tuple[Interval, ...]
    partnerships: tuple[Partnership, ...]
    gap: Interval | None
    elo: tuple[Interval, ...]
    cycle: Cycle | None


def rate(results: Results, origin: int | None = None, seed: int = 0) -> Ratings:
    """Rate sides and agents.

    Args:
        results: what was played.
        origin: the side whose strength is called 0; by default the mean of all sides.
        seed: the seed of the bootstrap.

    Raises:
        ValueError: agents that always played together cannot be told apart.
    """
    columns = [results.totals, results.counts, results.outcomes()]
    drawn = np.split(resampled_sums(np.concatenate(columns, axis=1), seed), 3, axis=1)
    # The first row is what was played; the others are the draws.
    totals, counts, won = (
        np.concatenate([column.sum(0)[None], draws])
        for column, draws in zip(columns, drawn, strict=True)
    )
    margins = totals / counts
    sides = _strengths_of_sides(results, margins, origin)
    partners, gaps = _gaps(results, sides)
    return Ratings(
        sides=_figures(sides),
        agents=_figures(_strengths_of_agents(results, sides)),
        partnerships=tuple(map(Partnership, partners, _figures(gaps))),
        gap=_figures(gaps.mean(1, keepdims=True))[0] if partners else None,
        elo=_elo(results, won, origin, seed),
        cycle=_cycle(results, margins),
    )


def _figures(rows: _Floats) -> tuple[Interval, ...]:
    """Intervals for each column; the first row is the figure, the others its draws."""
    return tuple(intervals(rows[0], rows[1:]))


# The margin model -------------------------------------------------------------------


def _strengths_of_sides(
    results: Results, margins: _Floats, origin: int | None
) -> _Floats:
    """The strengths of sides whose differences come nearest to the margins."""
    strengths = margins @ np.linalg.pinv(results.encounters()).T
    return _from_origin(strengths, origin)


def _from_origin(strengths: _Floats, origin: int | None) -> _Floats:
    zero = strengths.mean(1) if origin is None else strengths[:, origin]
    return strengths - zero[:, None]


def _strengths_of_agents(results: Results, sides: _Floats) -> _Floats:
    members = results.members()
    if np.linalg.matrix_rank(members) < results.num_agents:
        raise ValueError(
            "some agents cannot be told apart: each needs other partners than the other"
        )
    return sides @ np.linalg.pinv(members).T


def _gaps(results: Results, sides: _Floats) -> tuple[list[tuple[int, int]], _Floats]:
    """All pairs of different partners, and their gaps, ``(rows, pairs)``."""
    number = {side: place for place, side in enumerate(results.sides)}
    pairs = [
        (side[0], side[1])
        for side in results.sides
        if len(set(side)) == 2 and all((agent,) * 2 in number for agent in side)
    ]
    gaps = [
        sides[:, number[a, b]] - (sides[:, number[a, a]] + sides[:, number[b, b]]) / 2
        for a, b in pairs
    ]
    return pairs, np.array(gaps).reshape(len(pairs), len(sides)).T


# Bradley-Terry ----------------------------------------------------------------------


def bradley_terry(scores: npt.ArrayLike, extra: npt.ArrayLike = HALF_A_WIN) -> _Floats:
    """Strengths of which the differences are the log odds of winning, with mean 0.

    The model of Bradley and Terry (1952), most likely under the scores after each of
    two that met is given half a win more (Haldane's correction): so the strength of one
    that won all is finite, and grows with the number of its wins.

    Args:
        scores: what each won from each other, an even result being half a win to both,
            ``(..., n, n)``.
        extra: what is added to the scores of those that met.

    Returns:
        ``(..., n)``.

    Raises:
        ValueError: a score is below 0, or some never met, not even by way of others.
    """
    won = np.asarray(scores, float)
    met = won + won.swapaxes(-1, -2) > 0
    if (won < 0).any():
        raise ValueError("scores must not be negative")
    if not all(map(_all_reached, met.reshape(-1, *met.shape[-2:]))):
        raise ValueError("some players never met, not even by way of others")
    won = won + np.asarray(extra) * met
    games = won + won.swapaxes(-1, -2)
    strengths = np.zeros(won.shape[:-1])
    for _ in range(MOST_STEPS):
        step = _newton_step(strengths, won, games)
        # Far from the solution a whole step may lead beyond it.
        size = abs(step).max(-1, keepdims=True)
        strengths += step / np.maximum(1, size)
        if size.max() < 1e-6:  # the next step would be its square
            return np.asarray(strengths - strengths.mean(-1, keepdims=True))
    raise RuntimeError(f"no strengths found in {MOST_STEPS} steps")


def _newton_step(strengths: _Floats, won: _Floats, games: _Floats) -> _Floats:
    apart = strengths[..., :, None] - strengths[..., None, :]
    to_win = 1 / (1 + np.exp(-apart))
    # Not 1 less the chance to win, which would be rounded where that is near 1.
    to_lose = to_win.swapaxes(-1, -2)
    slope = (won * to_lose - won.swapaxes(-1, -2) * to_win).sum(-1)
    curvature = games * to_win * to_lose
    # Curvature is the Laplacian of a graph. A constant changes no odds; adding ones
    # keeps the mean and makes the matrix invertible.
    total = curvature.sum(-1)
    matrix = total[..., None] * np.eye(won.shape[-1]) - curvature
    matrix += total.mean(-1)[..., None, None]
    step: _Floats = np.linalg.solve(matrix, slope[..., None])[..., 0]
    return step


def _elo(
    results: Results, won: _Floats, origin: int | None, seed: int
) -> tuple[Interval, ...]:
    """Bradley-Terry from boards won, with intervals.

    In each draw the half win that everybody is given is drawn as well, from the gamma
    distribution with its mean. Between two that met alone the interval is then that of
    Jeffreys, which tells twenty boards won of twenty from a thousand of a thousand.
    """
    random, sides = np.random.default_rng(seed), len(results.sides)
    strengths = [bradley_terry(_scores(results, won[:1]))]
    for part in np.array_split(won[1:], math.ceil(len(won) / AT_ONCE)):
        extra = random.gamma(HALF_A_WIN, size=(len(part), sides, sides))
        strengths.append(bradley_terry(_scores(results, part), extra))
    figures = _figures(_from_origin(ELO * np.concatenate(strengths), origin))
    took = _reached(_scores(results, won[:1])[0] > 0)
    measured_by = slice(None) if origin is None else [origin]
    return tuple(
        Interval(
            figure.value,
            figure.low if took[side, measured_by].all() else -math.inf,
            figure.high if took[measured_by, side].all() else math.inf,
        )
        for side, figure in enumerate(figures)
    )


def _scores(results: Results, won: _Floats) -> _Floats:
    """What each side won from each, ``(rows, sides, sides)``."""
    boards, sides = len(results.totals), len(results.sides)
    scores = np.zeros((len(won), sides, sides))
    for cell, (first, second) in enumerate(results.cells):
        scores[:, first, second] += won[:, cell]
        scores[:, second, first] += boards - won[:, cell]
    return scores


def _reached(steps: _Bools) -> _Bools:
    """Whether each can be reached from each by any number of steps, ``(n, n)``."""
    reached = steps | np.eye(len(steps), dtype=np.bool_)
    while (further := reached @ reached).sum() > reached.sum():
        reached = further
    return reached


def _all_reached(steps: _Bools) -> bool:
    return bool(_reached(steps).all())


# Cycles -----------------------------------------------------------------------------


def largest_cycle(margins: npt.ArrayLike) -> tuple[int, int, int] | None:
    """The three that beat one another in a circle, the smallest margin being largest.

    Args:
        margins: what each makes against each other, ``(n, n)``: the number at
            ``[j, i]`` is that at ``[i, j]`` with the sign changed, or NaN where the two
            did not meet.

    Returns:
        The three, each of whom beats the next, the first having the lowest number;
        ``None`` where there is no such circle.
    """
    won_from = np.nan_to_num(np.asarray(margins, float)).clip(min=0)
    best, found = 0.0, None
    for first, won in enumerate(won_from):
        # At [second, third]: first beats second, second third, and third first.
        smallest = np.minimum(
            np.minimum(won[:, None], won_from), won_from[None, :, first]
        )
        second, third = np.unravel_index(smallest.argmax(), smallest.shape)
        if smallest[second, third] > best:
            best, found = smallest[second, third], (first, int(second), int(third))
    return found


def _cycle(results: Results, margins: _Floats) -> Cycle | None:
    cycle = largest_cycle(_table_of_margins(results, margins[0]))
    if cycle is None:
        return None
    a, b, c = cycle
    steps = [_between(results, margins, *step) for step in ((a, b), (b, c), (c, a))]
    first, second, third = _figures(np.stack(steps, axis=1))
    return Cycle(cycle, (first, second, third))


def _table_of_margins(results: Results, margins: _Floats) -> _Floats:
    """What each side makes against each by all their cells; NaN without any."""
    table = np.full((len(results.sides),) * 2, np.nan)
    for first, second in {tuple(sorted(cell)) for cell in results.cells}:
        margin = _between(results, margins[None], first, second)[0]
        table[first, second], table[second, first] = margin, -margin
    return table


def _between(results: Results, margins: _Floats, first: int, second: int) -> _Floats:
    """What one side makes against another by all cells in which they met."""
    cells = np.array(results.cells)
    there = (cells == (first, second)).all(1)
    back = (cells == (second, first)).all(1)
    total: _Floats = margins[:, there].sum(1) - margins[:, back].sum(1)
    return total / int(there.sum() + back.sum())


# Running ladders --------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Standing:
    """The place of an agent on a ladder.

    Attributes:
        agent: its name.
        skill: what it is believed to be worth; everybody begins at 25.
        doubt: the standard deviation of that belief; at first 25/3.
    """

    agent: str
    skill: float
    doubt: float


class Ladder:
    """Ratings that change with every episode, for events that never end.

    The Plackett-Luce model of Weng and Lin (2011) as the library OpenSkill computes it:
    any number of sides of any size. It depends on the order of the episodes and forgets
    the boards; where all results are at hand, `rate` is the better judge.

    Raises:
        ModuleNotFoundError: OpenSkill is not installed (the extra ``ratings``).
    """

    def __init__(self) -> None:
        from openskill.models import PlackettLuce

        self._model = PlackettLuce()
        self._standings: dict[str, Standing] = {}

    def record(self, results: Mapping[tuple[str, ...], float]) -> None:
        """Change the ratings after one episode.

        Args:
            results: the score of each side, which is named by its agents; the higher is
                the better.

        Raises:
            ValueError: fewer than two sides, or an agent on two of them.
        """
        names = [name for side in results for name in set(side)]
        if len(results) < 2 or len(names) > len(set(names)):
            raise ValueError(
                "an episode needs two sides or more without a common agent, not "
                + (" against ".join(" and ".join(side) for side in results) or "none")
            )
        ratings = self._model.rate(
            [[self._rating(name) for name in side] for side in results],
            scores=[float(score) for score in results.values()],
        )
        for side, rated in zip(results, ratings, strict=True):
            for name, rating in zip(side, rated, strict=True):
                self._standings[name] = Standing(name, rating.mu, rating.sigma)

    def standings(self) -> list[Standing]:
        """All agents, first those that are surely good.

        They are in the order of the skill that each has at least with near certainty:
        its own less three times the doubt.
        """
        return sorted(
            self._standings.values(), key=lambda own: 3 * own.doubt - own.skill
        )

    def _rating(self, name: str) -> PlackettLuceRating:
        if name not in self._standings:
            return self._model.rating()
        own = self._standings[name]
        return self._model.rating(mu=own.skill, sigma=own.doubt)
