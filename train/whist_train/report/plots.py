"""Plots in SVG, drawn for any width: across in percent, down in pixels.

So letters and points keep their size on a phone as on a wide screen. Every plot has a
text alternative, and says nothing that a table of the page does not say in numbers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Final

from whist_train.report.markup import Markup, element
from whist_train.statistics import Estimate

ROW: Final = 42
"""The height of a row, in pixels."""

TICKS: Final = 24
"""The height of the line of ticks below."""

MARGIN: Final = 4
"""What is left free at both sides, in percent."""

MOST_LETTERS: Final = 26
"""How much of a name is written beside a figure, where the screen is narrow."""

_SECONDS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclasses.dataclass(frozen=True)
class _Axis:
    """Values from left to right."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Where a value is, in percent of the width."""
        share = (value - self.low) / (self.high - self.low)
        return MARGIN + (100 - 2 * MARGIN) * share

    def place(self, value: float) -> str:
        """The same, as an attribute."""
        return f"{self.at(value):.2f}%"


# Intervals --------------------------------------------------------------------------


def interval_plot(
    title: str,
    rows: Sequence[tuple[str, float, Estimate | None]],
    form: str = "+.3f",
) -> Markup:
    """A point and its interval for each of several names.

    Args:
        title: what is plotted.
        rows: the name, the value, and the value with its interval if there is one.
        form: how numbers are written.
    """
    ends = [0.0]
    for _, value, margin in rows:
        ends += [value] if margin is None else [margin.low, margin.high]
    step = _round_step(max(ends) - min(ends))
    axis = _Axis(
        step * math.floor(min(ends) / step), step * (math.floor(max(ends) / step) + 1)
    )
    count = round((axis.high - axis.low) / step)
    ticks = [(axis.low + step * place) for place in range(count + 1)]
    marks = [
        *_frame(
            axis, [(tick, f"{tick:g}") for tick in _without_dust(ticks)], len(rows)
        ),
        *(
            _interval_row(axis, row, ROW * number, form)
            for number, row in enumerate(rows)
        ),
    ]
    said = "; ".join(
        f"{name} {in_words(value, margin, form)}" for name, value, margin in rows
    )
    return _plot(f"{title}: {said}", len(rows), marks)


def in_words(value: float, margin: Estimate | None, form: str = "+.3f") -> str:
    """A figure with its interval."""
    if margin is None:
        return f"{value:{form}}"
    return f"{value:{form}} ({margin.low:{form}} to {margin.high:{form}})"


def _interval_row(
    axis: _Axis, row: tuple[str, float, Estimate | None], top: int, form: str
) -> Markup:
    name, value, margin = row
    y = top + 28
    parts = [element("title", f"{name}: {in_words(value, margin, form)}")]
    parts += _texts(name, f"{value:{form}}", top)
    if margin is not None:
        low, high = axis.place(margin.low), axis.place(margin.high)
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_="reach"))
        parts += [
            element("line", x1=end, x2=end, y1=y - 5, y2=y + 5, class_="reach")
            for end in (low, high)
        ]
    parts.append(element("circle", cx=axis.place(value), cy=y, r=5, class_="point"))
    return element("g", *parts)


def _round_step(span: float) -> float:
    """A round distance of ticks, of which about five fit."""
    if span == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(power * part for part in (1, 2, 5, 10) if power * part >= span / 5)


def _without_dust(ticks: Sequence[float]) -> list[float]:
    """Without what adding fractions leaves behind."""
    return [round(tick, 9) + 0.0 for tick in ticks]


# Times ------------------------------------------------------------------------------


def time_plot(title: str, rows: Sequence[tuple[str, float, float, float]]) -> Markup:
    """The median, a high value and the longest time for each of several names.

    Args:
        title: what is plotted.
        rows: the name and the three times in seconds.
    """
    values = [max(value, 1e-7) for row in rows for value in row[1:]]
    low = math.floor(math.log10(min(values)))
    high = math.floor(math.log10(max(values))) + 1
    axis = _Axis(low, high)
    ticks = [(float(power), in_seconds(10.0**power)) for power in range(low, high + 1)]
    while len(ticks) > 5:
        ticks = ticks[::2]
    marks = _frame(axis, ticks, len(rows))
    for number, row in enumerate(rows):
        marks.append(_time_row(axis, row, ROW * number))
    said = "; ".join(_times_in_words(row) for row in rows)
    return _plot(f"{title}: {said}", len(rows), marks)


def in_seconds(value: float) -> str:
    """A time in a unit in which it can be read."""
    size, unit = next(
        (each for each in _SECONDS if value >= 0.9995 * each[0]), _SECONDS[-1]
    )
    return f"{value / size:.3g} {unit}"


def _times_in_words(row: tuple[str, float, float, float]) -> str:
    name, *times = row
    median, high, longest = map(in_seconds, times)
    return f"{name}: median {median}, 95th percentile {high}, longest {longest}"


def _time_row(axis: _Axis, row: tuple[str, float, float, float], top: int) -> Markup:
    name, *times = row
    median, high, longest = (
        axis.place(math.log10(max(value, 1e-7))) for value in times
    )
    y = top + 28
    return element(
        "g",
        element("title", _times_in_words(row)),
        *_texts(name, in_seconds(times[0]), top),
        element("line", x1=median, x2=high, y1=y, y2=y, class_="reach"),
        element("line", x1=high, x2=longest, y1=y, y2=y, class_="far"),
        element("line", x1=longest, x2=longest, y1=y - 6, y2=y + 6, class_="reach"),
        element("circle", cx=median, cy=y, r=5, class_="point"),
    )


# Bars -------------------------------------------------------------------------------


def bar_plot(title: str, values: Sequence[float], highest: float) -> Markup:
    """A bar for each of several values, numbered from 1.

    Args:
        title: what is plotted.
        values: the values, none below 0.
        highest: what the height stands for, so that plots can be compared.
    """
    height, wide = 72, 100 / len(values)
    bars = []
    for number, value in enumerate(values, start=1):
        tall = height * value / highest if highest else 0.0
        left = wide * (number - 1)
        middle = f"{left + wide / 2:.2f}%"
        bar = element(
            "rect",
            element("title", f"{number}: {value:.1f}"),
            x=f"{left + 0.12 * wide:.2f}%",
            width=f"{0.76 * wide:.2f}%",
            y=f"{4 + height - tall:.1f}",
            height=f"{tall:.1f}",
            class_="bar",
        )
        bars.append(bar)
        if number % 2 or len(values) <= 10:
            bars.append(
                element("text", str(number), x=middle, y=height + 18, class_="tick")
            )
    base = element(
        "line", x1="0%", x2="100%", y1=height + 4, y2=height + 4, class_="axis"
    )
    said = ", ".join(f"{n}: {value:.1f}" for n, value in enumerate(values, start=1))
    return element(
        "svg",
        *bars,
        base,
        role="img",
        aria_label=f"{title}. {said}",
        width="100%",
        height=height + 22,
    )


# Parts ------------------------------------------------------------------------------


def _plot(said: str, rows: int, marks: Sequence[Markup]) -> Markup:
    return element(
        "svg",
        *marks,
        role="img",
        aria_label=said,
        width="100%",
        height=ROW * rows + TICKS,
        class_="plot",
    )


def _frame(axis: _Axis, ticks: Sequence[tuple[float, str]], rows: int) -> list[Markup]:
    """Lines down the plot, with what they stand for below."""
    bottom = ROW * rows
    parts = []
    for value, text in ticks:
        x = axis.place(value)
        zero = "zero" if text == "0" else "grid"
        parts.append(element("line", x1=x, x2=x, y1=0, y2=bottom, class_=zero))
        parts.append(element("text", text, x=x, y=bottom + 16, class_="tick"))
    return parts


def _texts(name: str, figure: str, top: int) -> list[Markup]:
    """The name of a row to its left, a figure to its right."""
    short = name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
    return [
        element("text", short, x="0%", y=top + 16, class_="name"),
        element("text", figure, x="100%", y=top + 16, class_="figure"),
    ]
