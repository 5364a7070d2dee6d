"""Showing recorded episodes: in a terminal, as a page, and as the account of each deal.

In a terminal the viewer steps forward and back; where nobody can type, every step is
printed, so that the output can be kept or searched.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

from rich.console import Console

import whist_env
from whist_env import SolverLimit, Table
from whist_env.records import Episode, read_jsonl, read_pbn
from whist_env.records.telling import Step, steps_of
from whist_env.render.scene import Viewer
from whist_env.render.text import table_text

PROMPT = "Enter: on   b: back   a number: go there   q: quit > "


def episode_from(file: Path, number: int) -> Episode:
    """An episode of a file, ``.pbn`` or else JSON Lines.

    Damaged lines are reported on the standard error and not counted.

    Args:
        file: the file.
        number: which of its episodes, counted from 1.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: there is no such episode, or the file is wrong.
    """
    if number < 1:
        raise ValueError(f"--episode {number}: episodes are counted from 1")
    if file.is_dir():
        raise ValueError(f"{file} is a folder; name a file of records")
    with warnings.catch_warnings(record=True) as damages:
        warnings.simplefilter("always")
        episodes = list(islice(_episodes(file), number))
    for damage in damages:
        print(f"whist replay: {damage.message}", file=sys.stderr)
    if not episodes:
        raise ValueError(f"{file} holds no episode")
    if len(episodes) < number:
        many = "one episode" if len(episodes) == 1 else f"{len(episodes)} episodes"
        raise ValueError(f"--episode {number}: {file} has {many}")
    return episodes[-1]


def _episodes(file: Path) -> Iterator[Episode]:
    return iter(read_pbn(file)) if file.suffix == ".pbn" else read_jsonl(file)


def show(episode: Episode, viewer: Viewer, step: int | None) -> None:
    """Show an episode in the terminal.

    Args:
        episode: the episode.
        viewer: an agent, from whose seat the table is seen, or ``"all"``.
        step: where to begin; where nobody can type, the only step that is printed.

    Raises:
        RecordError: the rules forbid the episode.
        ValueError: there is no such step or viewer.
    """
    tables = list(episode.replay())
    pages = _pages(tables, steps_of(episode, tables, viewer), viewer)
    if step is not None and not 0 <= step < len(pages):
        raise ValueError(f"--step {step}: the steps are 0 to {len(pages) - 1}")
    if sys.stdin.isatty() and sys.stdout.isatty():
        _browse(pages, step or 0)
    else:
        print("\n\n".join(pages if step is None else [pages[step]]))


def _pages(tables: list[Table], steps: list[Step], viewer: Viewer) -> list[str]:
    """What is shown of each step: what was done, and the table after it."""
    done = ["the beginning", *map(str, steps)]
    return [
        f"step {number} of {len(steps)}: {what}\n\n{table_text(table, viewer)}"
        for number, (what, table) in enumerate(zip(done, tables, strict=True))
    ]


def _browse(pages: list[str], at: int) -> None:
    """Show one step at a time, as the viewer asks."""
    console = Console()
    hint = ""
    while True:
        console.clear()
        # `input` would write the prompt to the standard error, wherever that goes.
        print(f"{pages[at]}\n\n{hint}{PROMPT}", end="", flush=True)
        try:
            answer = input().strip().lower()
        except EOFError:
            return
        if answer == "q":
            return
        at, hint = _after(answer, at, len(pages) - 1)


def _after(answer: str, at: int, last: int) -> tuple[int, str]:
    """Where an answer leads, and what is to be said of it."""
    to = {"": at + 1, "b": at - 1}.get(answer)
    if to is None:
        if not answer.isdecimal():
            return at, f"{answer!r} is none of these.\n"
        to = int(answer)
    if to < 0:
        return 0, "This is the first step.\n"
    if to > last:
        return last, "This is the last step.\n"
    return to, ""


def print_accounts(episode: Episode) -> None:
    """Print the exact account of each deal of an episode.

    Raises:
        SolverLimit: a deal took too much work, and no other has an account.
        ValueError: no deal can have an account; the message says why.
    """
    refusal: Exception | None = None
    printed = False
    for number, table in enumerate(ends_of_deals(list(episode.replay())), start=1):
        try:
            text = str(whist_env.account(table))
            printed = True
        except (SolverLimit, ValueError) as error:
            refusal, text = error, str(error)
        print(f"{'' if number == 1 else chr(10)}deal {number}\n\n{text}")
    if refusal is not None and not printed:
        raise refusal


def ends_of_deals(tables: list[Table]) -> Iterator[Table]:
    """For each deal the last table at which its cards can be seen.

    The action that ends a deal also makes the next.
    """
    for before, after in pairwise(tables):
        if after.record.deals_played > before.record.deals_played:
            yield after if after.is_over else before
    last = tables[-1]
    if not last.is_over or len(tables) == 1:
        yield last
