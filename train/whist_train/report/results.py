"""The sections about results: who has made what, against whom and with whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from whist_train.report.contents import Report
from whist_train.report.encounters import (
    Cell,
    Interaction,
    Pair,
    against,
    find_cycle,
    interaction,
    partners,
)
from whist_train.report.markup import Markup, element
from whist_train.report.parts import (
    NOTHING,
    column,
    figure_cell,
    heading,
    note,
    paragraph,
    table,
    text_cell,
)
from whist_train.report.plots import in_words, interval_plot
from whist_train.statistics import Estimate
from whist_train.tournament.cup import Cup
from whist_train.tournament.ledger import Entry
from whist_train.tournament.standings import Standing, faults_in_words

LIKELY, SURE = 0.05, 0.001
"""The chances of an error below which a figure is marked once and twice."""

# Standings --------------------------------------------------------------------------


def standings_section(report: Report) -> list[Markup]:
    """Where everybody stands."""
    rows = report.rows
    plotted = [(row.name, row.mean, row.margin) for row in rows if row.rank is not None]
    swiss = ["match points"] if report.cup.format == "swiss" else []
    heads = [
        column(""),
        column("entrant", is_text=True),
        *map(column, [*swiss, "won", "even", "lost", "boards"]),
        *map(column, ["makes", "95% interval"]),
        column("faults", is_text=True),
    ]
    unfinished = _unfinished(report)
    return [
        interval_plot(
            f"What each makes, {report.unit}, with its 95% interval", plotted
        ),
        table(heads, [_standing(row, bool(swiss)) for row in rows]),
        note(
            f"What an entrant makes is in {report.unit}, with the 95% interval of a "
            "paired t test over boards."
        ),
        *([note(unfinished)] if unfinished else []),
    ]


def _standing(row: Standing, is_swiss: bool) -> list[Markup]:
    counts = [row.points] * is_swiss + [row.won, row.even, row.lost, row.boards]
    rank = NOTHING if row.rank is None else str(row.rank)
    return [
        figure_cell(rank),
        heading(row.name),
        *(figure_cell(str(count)) for count in counts),
        figure_cell(f"{row.mean:+.3f}"),
        figure_cell(_reach(row.margin)),
        text_cell(faults_in_words(row)),
    ]


def _reach(margin: Estimate | None) -> str:
    if margin is None:
        return NOTHING
    return f"{margin.low:+.3f} to {margin.high:+.3f}"


def _unfinished(report: Report) -> str:
    """What is said of boards that were not played in all their rooms."""
    rooms: dict[tuple[int, ...], list[Entry]] = {}
    for entry in report.records.entries:
        rooms.setdefault(entry.key[:3], []).append(entry)
    count = sum(len(entries) < entries[0].rooms for entries in rooms.values())
    if not count:
        return ""
    return f"Boards not played in all their rooms, which do not count: {count}."


# Each against each ------------------------------------------------------------------


def encounters_section(report: Report) -> list[Markup]:
    """What each makes against each."""
    cells = against(report.records, report.boards)
    names = [row.name for row in report.rows if row.rank is not None]
    if not cells:
        return [paragraph("No board counts yet.")]
    tested = sum(cell.margin is not None for cell in cells.values()) // 2
    return [
        paragraph(
            f"What the entrant of the row makes against that of the column, in "
            f"{report.unit}, with half the width of its 95% interval.",
        ),
        _cross_table(names, cells),
        _marks(tested),
        element("h3", "Largest cycle"),
        paragraph(_cycle(find_cycle(names, cells), cells)),
    ]


def _cross_table(names: Sequence[str], cells: Mapping[Pair, Cell]) -> Markup:
    """Columns have the numbers of rows, so that names do not make them wide."""
    heads = [column("", is_text=True)]
    heads += [
        element("th", element("abbr", str(number), title=name), scope="col")
        for number, name in enumerate(names, start=1)
    ]
    rows = [
        [
            heading(f"{number} {one}"),
            *(_cross_cell(one, other, cells.get((one, other))) for other in names),
        ]
        for number, one in enumerate(names, start=1)
    ]
    return table(heads, rows, "cross")


def _cross_cell(one: str, other: str, cell: Cell | None) -> Markup:
    if cell is None:
        return element("td", "■" if one == other else "", class_="self")
    figure = f"{cell.mean:+.3f}"
    if cell.margin is None:
        return element("td", figure)
    reach = (cell.margin.high - cell.margin.low) / 2
    stars = (cell.margin.p_value < LIKELY) + (cell.margin.p_value < SURE)
    shade = ["", "", " sure"][stars]
    sign = "" if not stars else "up" if cell.mean > 0 else "down"
    return element(
        "td",
        figure + "*" * stars,
        element("small", f"±{reach:.3f}"),
        class_=(sign + shade) or None,
    )


def _marks(tested: int) -> Markup:
    return note(
        f"* where a difference as large comes by chance less than once in "
        f"{1 / LIKELY:g} times, ** less than once in {1 / SURE:g}; blue is more than "
        f"0, orange less. Of {tested} figures that were tested, some "
        f"{LIKELY * tested:.1f} would be marked if there were no differences at all."
    )


def _cycle(cycle: Sequence[str], cells: Mapping[Pair, Cell]) -> str:
    if not cycle:
        return "None: no three beat one another in a circle."
    steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    beaten = ", ".join(
        f"{one} beats {other} by {in_words(cells[one, other].mean, margin)}"
        for one, other in steps
        for margin in [cells[one, other].margin]
    )
    return (
        f"{beaten}. It is the one of all whose smallest margin is largest, so its "
        "margins overstate what would be found again."
    )


# Partners ---------------------------------------------------------------------------


def partners_section(report: Report) -> list[Markup]:
    """What partners make, and are worth to one another."""
    cells = partners(report.records, report.boards)
    if not cells:
        return [paragraph(_why_no_partners(report.cup))]
    names = [row.name for row in report.rows if row.rank is not None]
    found = interaction(report.records, report.boards)
    tested = sum(cell.margin is not None for cell in cells.values()) // 2
    return [
        paragraph(f"What two make as partners, in {report.unit}."),
        _cross_table(names, cells),
        _marks(tested),
        element("h3", "Strength and interaction"),
        *(_interaction(found) if found else [paragraph(_NO_INTERACTION)]),
    ]


_NO_INTERACTION: Final = (
    "What partners are worth to one another cannot be told from what each of them is "
    "worth: that needs as many finished meetings as there are players, and two boards "
    "in each."
)


def _why_no_partners(cup: Cup) -> str:
    if all(len(side) == 1 for side in cup.made_game().rules.partners):
        return "This game has no partners."
    if cup.format == "teams":
        return (
            "The pairs of a team have their results in common; 'whist crossplay' tells "
            "apart what agents are worth to one another."
        )
    if cup.format in ("individual", "club"):
        return "No board counts yet."
    return (
        "Both partners were the same agent throughout, so there is no cross-play gap. "
        "'whist crossplay' measures it, and a cup of the format 'individual' has "
        "partners that change."
    )


def _interaction(found: Interaction) -> list[Markup]:
    strengths = sorted(found.strengths.items(), key=lambda each: -each[1].mean)
    pairs = sorted(found.pairs.items(), key=lambda each: -each[1].mean)
    return [
        paragraph(
            "A model of margins: the strength of a side is the mean of those of its "
            "players, and the difference of two is what the one makes against the "
            "other. 0 is the mean of the players.",
        ),
        interval_plot(
            "The strength of each player, with its 95% interval",
            [(name, figure.mean, figure) for name, figure in strengths],
        ),
        table(
            [
                column("player", is_text=True),
                column("strength"),
                column("95% interval"),
            ],
            [_figure_row(name, figure) for name, figure in strengths],
        ),
        paragraph(
            "What two partners have made above what the strengths of the four at their "
            "tables let expect: below 0 they understand one another less well than "
            "others. What no strength explains at a table is shared by its two pairs, "
            "so that a pair can be told from others only where it met several.",
        ),
        table(
            [
                column("partners", is_text=True),
                column("above"),
                column("95% interval"),
            ],
            [_figure_row(" + ".join(pair), figure) for pair, figure in pairs],
        ),
    ]


def _figure_row(name: str, figure: Estimate) -> list[Markup]:
    return [
        heading(name),
        figure_cell(f"{figure.mean:+.3f}"),
        figure_cell(_reach(figure)),
    ]
