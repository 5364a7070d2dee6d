"""The report of a cup as one page of HTML, which needs nothing but itself.

The page has no script and may load nothing, so that a hostile text that an agent has
left in the records could do nothing even if it came to be markup.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from typing import Final

from whist_train.evaluate import versions
from whist_train.report.conduct import (
    costs_section,
    faults_section,
    swings_section,
    times_section,
)
from whist_train.report.contents import Report
from whist_train.report.markup import Markup, element, joined
from whist_train.report.parts import (
    column,
    descriptions,
    folded,
    heading,
    note,
    table,
    text_cell,
)
from whist_train.report.results import (
    encounters_section,
    partners_section,
    standings_section,
)
from whist_train.tournament.cup import Cup
from whist_train.tournament.ledger import Key

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def report_page(report: Report, links: Mapping[Key, str]) -> str:
    """The report as a page of HTML.

    Args:
        report: what it says.
        links: the addresses of the replays that there are, relative to the page.
    """
    sections = [
        ("standings", "Standings", standings_section(report)),
        ("encounters", "Each against each", encounters_section(report)),
        ("partners", "Partners", partners_section(report)),
        ("costs", "What cards have cost", costs_section(report)),
        ("faults", "Faults", faults_section(report, links)),
        ("time", "Time", times_section(report)),
        ("swings", "Largest swings", swings_section(report, links)),
    ]
    contents = (element("a", title, href=f"#{name}") for name, title, _ in sections)
    body = element(
        "main",
        *_head(report),
        element("nav", *contents, aria_label="Contents"),
        *(
            element("section", element("h2", title), *parts, id=name)
            for name, title, parts in sections
        ),
        note(f"Written by {_versions()}."),
    )
    return _document(f"{report.cup.name}: {report.cup.format}", body)


def _document(title: str, body: Markup) -> str:
    style = (
        resources.files("whist_train.report").joinpath("style.css").read_text("utf-8")
    )
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        element("title", title),
        f"<style>\n{style}</style>",
    ]
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>"]
    return "\n".join([*lines, "<body>", body, "</body>", "</html>", ""])


# What was played --------------------------------------------------------------------


def _head(report: Report) -> list[Markup]:
    cup = report.cup
    options = vars(cup.made_game().options)
    facts = [
        ("Format", cup.format + (f", {cup.rounds} rounds" if cup.rounds else "")),
        ("Game", cup.made_game().rules.title),
        *(
            (name.capitalize(), str(options[name]))
            for name in ("scoring", "episode", "reward")
            if name in options
        ),
        ("Boards", f"{cup.boards} in each meeting"),
        ("Seed", str(cup.seed)),
        ("Faults", _policy(cup)),
        ("Clock", _clock(cup)),
    ]
    played = (
        f"{len(report.records.entries)} episodes of {cup.made_game().rules.title}, "
        f"{len(report.boards)} boards that count, {len(cup.entrants)} entrants."
    )
    return [
        element("h1", cup.name),
        element("p", played, class_="lead"),
        descriptions(facts),
        folded("All options of the game", descriptions(_in_text(options))),
        folded("The agents", _agents(cup)),
    ]


def _policy(cup: Cup) -> str:
    return {
        "forfeit": "forfeit: the episode is lost",
        "fallback": f"fallback: {cup.fallback} acts instead",
        "disqualify": "disqualify: all results are struck out",
    }[cup.faults]


def _clock(cup: Cup) -> str:
    clock = cup.clock
    parts = [f"{clock.move:g} s an action"]
    if clock.deal is not None:
        parts.append(f"{clock.deal:g} s a deal + {clock.increment:g} s an action")
    parts.append(f"{clock.start:g} s to start; for programs only")
    return ", ".join(parts)


def _agents(cup: Cup) -> Markup:
    rows = [[heading(name), text_cell(spec)] for name, spec in cup.agents.items()]
    tables = [
        table([column("agent", is_text=True), column("spec", is_text=True)], rows)
    ]
    if cup.teams:
        teams = [
            [heading(team.name), text_cell(", ".join(team.agents))]
            for team in cup.teams
        ]
        heads = [column("team", is_text=True), column("agents", is_text=True)]
        tables.append(table(heads, teams))
    return joined(*tables)


def _in_text(options: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in options.items()]


@functools.cache
def _versions() -> str:
    return ", ".join(f"{name} {number}" for name, number in versions().items())
