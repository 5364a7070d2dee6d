"""The sections about play: costs of cards, faults, times, and swings to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from whist_env.solver import Tally
from whist_train.report.contents import Report
from whist_train.report.costs import DEALS, HUNDRED, LATE, Costs
from whist_train.report.encounters import Board
from whist_train.report.markup import Markup, element
from whist_train.report.mistakes import SHOWN, FaultShown
from whist_train.report.parts import (
    NOTHING,
    column,
    figure_cell,
    heading,
    link,
    note,
    paragraph,
    place_of,
    table,
)
from whist_train.report.plots import bar_plot, in_seconds, interval_plot, time_plot
from whist_train.report.times import times_of
from whist_train.tournament.ledger import Key
from whist_train.tournament.play import STEPS_OF_TIME

_KINDS: Final = ("follow", "ruff", "discard")

# What cards have cost ---------------------------------------------------------------


def costs_section(report: Report) -> list[Markup]:
    """What the cards of a sample of deals have cost."""
    costs = report.costs
    if not costs.judged:
        return [paragraph(_why_no_costs(costs))]
    total = costs.sums.total
    agents = sorted(costs.lost, key=lambda name: _per_hundred(total[name]))
    roles = list(dict.fromkeys(role for _, role in costs.sums.by_role))
    kinds = [kind for kind in _KINDS if any(k == kind for _, k in costs.sums.by_kind)]
    heads = [column("agent", is_text=True)]
    heads += map(column, ["deals", "cards", "cost", "95% interval", "mistakes"])
    heads += map(column, [role if role == "lead" else f"{role} hand" for role in roles])
    heads += map(column, kinds)
    return [
        paragraph(
            f"What {HUNDRED} cards have cost: how much more the best cards would have "
            "made, with all hands open and perfect play from there on, in tricks, or "
            "in points where cards or tricks have prices. A card can be right by all "
            "that its player could know and cost something, and the other way round.",
        ),
        interval_plot(
            f"What {HUNDRED} cards of each agent have cost, with the 95% interval",
            [(name, _per_hundred(total[name]), costs.lost[name]) for name in agents],
            ".1f",
        ),
        table(heads, [_cost_row(costs, name, roles, kinds) for name in agents]),
        note(
            "Mistakes are cards of a hundred that have cost anything. Behind them, the "
            f"cost of {HUNDRED} cards of each sort: led, played as a second, third ... "
            "hand; following suit, trumps on another suit, and cards thrown away."
        ),
        element("h3", f"What {HUNDRED} cards have cost by trick"),
        *_by_trick(costs, agents),
        note(_rule(costs)),
    ]


def _why_no_costs(costs: Costs) -> str:
    if not costs.chosen:
        return "Left out: no episode was played to its end without a forfeit."
    return f"Left out: none of {costs.chosen} deals can be judged. {costs.refusal}."


def _cost_row(
    costs: Costs, name: str, roles: Sequence[str], kinds: Sequence[str]
) -> list[Markup]:
    total = costs.sums.total[name]
    by_role: Mapping[tuple[str, str], Tally] = costs.sums.by_role
    by_kind = {(agent, str(kind)): t for (agent, kind), t in costs.sums.by_kind.items()}
    sorts = [by_role.get((name, role), Tally()) for role in roles]
    sorts += [by_kind.get((name, kind), Tally()) for kind in kinds]
    margin = costs.lost[name]
    reach = NOTHING if margin is None else f"{margin.low:.1f} to {margin.high:.1f}"
    return [
        heading(name),
        figure_cell(str(costs.sums.deals[name])),
        figure_cell(str(total.cards)),
        figure_cell(f"{_per_hundred(total):.1f}"),
        figure_cell(reach),
        figure_cell(f"{HUNDRED * total.mistakes / total.cards:.1f}"),
        *(figure_cell(f"{_per_hundred(t):.1f}" if t.cards else NOTHING) for t in sorts),
    ]


def _per_hundred(tally: Tally) -> float:
    return HUNDRED * tally.regret / tally.cards if tally.cards else 0.0


def _by_trick(costs: Costs, agents: Sequence[str]) -> list[Markup]:
    """A small plot for each agent, all to the same height."""
    tricks = max(trick for _, trick in costs.sums.by_trick)
    values = {
        name: [
            _per_hundred(costs.sums.by_trick.get((name, trick), Tally()))
            for trick in range(1, tricks + 1)
        ]
        for name in agents
    }
    highest = max(map(max, values.values()))
    plots = (
        element(
            "div",
            element("h4", name),
            bar_plot(f"Cost of {HUNDRED} cards of {name} by trick", row, highest),
        )
        for name, row in values.items()
    )
    return [
        note(f"All to one scale; the highest bar is {highest:.1f}."),
        element("div", *plots, class_="many"),
    ]


def _rule(costs: Costs) -> str:
    """Which deals were judged, and by whom."""
    names = {"dds": "DDS, the double-dummy solver of bridge", "own": "our own search"}
    sentences = [
        f"Judged are {costs.judged} deals: for each agent the first deal of {DEALS} of "
        "its episodes, evenly spaced in the order of the cup, without those that were "
        "forfeited; solved by " + " and ".join(names[each] for each in costs.solvers)
    ]
    if costs.late:
        sentences.append(
            f"{costs.late} of them took too much work, and are judged from where each "
            f"hand has {LATE} cards"
        )
    missing = costs.chosen - costs.judged
    if missing:
        sentences.append(f"{missing} more have no account: {costs.refusal}")
    return ". ".join(sentences) + "."


# Faults -----------------------------------------------------------------------------


def faults_section(report: Report, links: Mapping[Key, str]) -> list[Markup]:
    """What agents did wrong, and what they answered."""
    faults = report.faults
    if not faults.counts:
        return [paragraph("Nobody has done anything wrong.")]
    names = [
        name for name in report.cup.agents if any(n == name for n, _ in faults.counts)
    ]
    heads = [column("agent", is_text=True), *map(column, faults.kinds)]
    rows = [
        [
            heading(name),
            *(
                figure_cell(str(faults.counts.get((name, kind), 0)))
                for kind in faults.kinds
            ),
        ]
        for name in names
    ]
    return [
        table(heads, rows),
        element("h3", "What was answered"),
        note(f"The first {SHOWN} answers of each agent and kind that differ."),
        *(_fault(shown, links) for shown in faults.shown),
    ]


def _fault(shown: FaultShown, links: Mapping[Key, str]) -> Markup:
    what = f"{shown.fault.kind} at action {shown.fault.action}; {place_of(shown.key)}"
    reply = shown.fault.reply
    return element(
        "div",
        element("b", shown.name),
        f": {what}",
        *link(links, shown.key, "; "),
        element("pre", _NO_REPLY if reply is None else reply),
    )


_NO_REPLY: Final = "(no answer)"


# Times ------------------------------------------------------------------------------


def times_section(report: Report) -> list[Markup]:
    """How long agents have taken."""
    times = times_of(report.records)
    if not times:
        return [paragraph("There is no log of times in these folders.")]
    plotted = [(use.name, use.median, use.high, use.longest) for use in times]
    heads = [column("agent", is_text=True)]
    heads += map(column, ["actions", "in all", "median", "95th percentile", "longest"])
    rows = [
        [
            heading(use.name),
            figure_cell(str(use.actions)),
            *map(
                figure_cell,
                map(in_seconds, (use.total, use.median, use.high, use.longest)),
            ),
        ]
        for use in times
    ]
    return [
        time_plot("Time for an action, on a scale of powers of ten", plotted),
        table(heads, rows),
        note(
            "Points are medians, full lines end at the 95th percentile, and strokes "
            "stand at the longest. The log counts times in steps, "
            f"{STEPS_OF_TIME} to a power of ten, so that medians and percentiles are "
            "true to 6%. Agents of the process of the cup answer for many tables at "
            "once, and an action has its share. Times come from the log and differ "
            "from run to run; all else on this page follows from the records."
        ),
    ]


# Swings -----------------------------------------------------------------------------


def swings_section(report: Report, links: Mapping[Key, str]) -> list[Markup]:
    """The boards of which somebody has made most."""
    if not report.swings:
        return [paragraph("Nobody has made anything of any board.")]
    heads = [
        column("board", is_text=True),
        column("made", is_text=True),
        column("what seats 0, 1 ... earned", is_text=True),
    ]
    return [
        paragraph(
            f"The boards without a forfeit of which somebody has made most, in "
            f"{report.unit}. Replays are files beside this page.",
        ),
        table(heads, [_swing(board, links) for board in report.swings]),
    ]


def _swing(board: Board, links: Mapping[Key, str]) -> list[Markup]:
    made = sorted(board.made.items(), key=lambda each: (-each[1], each[0]))
    rooms = [
        element(
            "div",
            f"room {entry.key[3]}: ",
            ", ".join(f"{earned:+g}" for earned in entry.returns),
            *link(links, entry.key, " "),
        )
        for entry in board.rooms
    ]
    place = f"round {board.round}, meeting {board.meeting}, board {board.number}"
    return [
        heading(place),
        element("td", ", ".join(f"{n} {v:+.3f}" for n, v in made), class_="text long"),
        element("td", *rooms, class_="text"),
    ]
