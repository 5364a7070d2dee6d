"""Writes the page of every game, docs/games/NAME.md, and their index.

    python docs/pages.py

A page is the documentation of the module of its environment, which is made from the
same tables as the environment itself. A test sees to it that the files are up to date.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import whist_env
from whist_env.games import forms_of

FOLDER = Path(__file__).parent / "games"


def pages() -> Iterator[tuple[Path, str]]:
    """The path of each page and its text."""
    rows = []
    for name in whist_env.games():
        text = str(importlib.import_module(f"whist_env.{name}_v0").__doc__)
        yield FOLDER / f"{name}.md", text
        rules, *others = forms_of(name)
        players = ", ".join(str(form.agents) for form in (rules, *others))
        summary = " ".join(text.split("\n\n")[2].split())
        rows.append(
            f"| [{rules.title}]({name}.md) | `{name}_v0` | {players} | "
            f"{len(rules.action_names)} | {summary} |"
        )
    heads = ("Game", "Module", "Players", "Actions", "")
    table = [
        f"| {' | '.join(heads)} |",
        f"| {' | '.join('---' for _ in heads)} |",
        *rows,
    ]
    yield FOLDER / "README.md", "\n".join(["# The games", "", *table, ""])


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, "utf-8", newline="\n")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
