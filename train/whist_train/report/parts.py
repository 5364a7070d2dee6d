"""What sections of the page are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from whist_train.report.markup import Markup, element
from whist_train.tournament.ledger import Key

NOTHING: Final = "\N{EN DASH}"
"""What stands where there is no figure."""

LONG: Final = 14
"""Letters of a name from which on it may be broken."""


def place_of(key: Key) -> str:
    """Where an episode was played."""
    return "round {}, meeting {}, board {}, room {}".format(*key)


def link(links: Mapping[Key, str], key: Key, before: str) -> list[str]:
    """A link to the replay of an episode, with a text before it, if there is one."""
    if key not in links:
        return []
    return [
        before,
        element(
            "a", "replay", href=links[key], aria_label=f"replay of {place_of(key)}"
        ),
    ]


def descriptions(facts: Iterable[tuple[str, str]]) -> Markup:
    """A list of facts by name."""
    parts = [
        part
        for name, value in facts
        for part in (element("dt", name), element("dd", value))
    ]
    return element("dl", *parts)


def folded(title: str, content: Markup) -> Markup:
    """What is seen when its title is pressed."""
    return element("details", element("summary", title), content)


def paragraph(text: str) -> Markup:
    """A paragraph."""
    return element("p", text)


def note(text: str) -> Markup:
    """A paragraph that only explains."""
    return element("p", text, class_="note")


def table(
    heads: Sequence[Markup], rows: Iterable[Sequence[Markup]], class_: str | None = None
) -> Markup:
    """A table in a box of its own, in which it scrolls where the screen is narrow."""
    made = element(
        "table",
        element("thead", element("tr", *heads)),
        element("tbody", *(element("tr", *row) for row in rows)),
        class_=class_,
    )
    return element(
        "div", made, class_="scroll", tabindex=0, role="region", aria_label="Table"
    )


def column(text: str, *, is_text: bool = False) -> Markup:
    """The heading of a column."""
    return element("th", text, scope="col", class_="text" if is_text else None)


def heading(text: str) -> Markup:
    """The heading of a row; a long name is broken, so that its figures can be seen."""
    is_long = len(text) > LONG
    return element("th", text, scope="row", class_="text long" if is_long else "text")


def figure_cell(text: str) -> Markup:
    """A figure in a table."""
    return element("td", text)


def text_cell(text: str) -> Markup:
    """A text in a table."""
    return element("td", text, class_="text long")
