"""An episode as one page of HTML: the drawn table, step by step, and every card.

The page needs nothing but itself. It holds the drawing of every state, but each part of
a drawing only once: successive states share nearly all of theirs. A page for one seat
holds nothing that the seat does not see.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
from importlib import resources
from itertools import groupby
from typing import Any, Final

from whist_env.envs.table import Table
from whist_env.records.episode import Episode
from whist_env.records.telling import steps_of
from whist_env.render.scene import Viewer
from whist_env.render.svg import table_svg

_PIECE: Final = re.compile(r"<[^>]+>|[^<]+")


def replay_page(episode: Episode, viewer: Viewer = "all") -> str:
    """An episode as a page of HTML.

    Args:
        episode: the episode.
        viewer: an agent, from whose seat alone the table is seen; or ``"all"``, where
            every hand is seen, or that of any one seat.

    Raises:
        RecordError: the rules forbid the episode.
        ValueError: there is no such viewer.
    """
    tables = list(episode.replay())
    viewers: list[Viewer] = [viewer]
    if viewer == "all":
        viewers += range(episode.game.num_agents)
    drawings = _Drawings()
    views = [_view(episode, tables, each, drawings) for each in viewers]
    data = {"nodes": drawings.nodes, "views": views}
    title = f"{episode.game.rules.title}: {', '.join(dict.fromkeys(episode.agents))}"
    template = resources.files("whist_env.records").joinpath("page.html").read_text()
    parts = {
        "{{title}}": html.escape(title),
        "{{facts}}": _facts(episode, viewer),
        "{{data}}": _in_script(data),
    }
    return re.sub(r"\{\{\w+\}\}", lambda found: parts[found[0]], template)


def _view(
    episode: Episode, tables: list[Table], viewer: Viewer, drawings: _Drawings
) -> dict[str, Any]:
    """What one viewer sees: its name, each state as a drawing, each step in words."""
    steps = steps_of(episode, tables, viewer)
    return {
        "name": "all hands" if viewer == "all" else f"player {viewer}",
        "states": [drawings.add(table_svg(table, viewer)) for table in tables],
        "steps": [dataclasses.astuple(step) for step in steps],
    }


def _facts(episode: Episode, viewer: Viewer) -> str:
    """What is known of an episode, as entries of a list of descriptions.

    The seed gives every hand, and is for those alone who see all of them.
    """
    facts = [(f"player {number}", name) for number, name in enumerate(episode.agents)]
    changed = ", ".join(
        f"{name} {value}"
        for name, value in vars(episode.game.options).items()
        if value != getattr(type(episode.game.options), name)
    )
    start = episode.start
    facts += [("options", changed)] if changed else []
    if viewer == "all":
        facts.append(("seed", f"{start.seed}, deal {start.deals + 1}"))
    facts += [(name, str(value)) for name, value in episode.notes.items()]
    facts += [
        (f"fault of player {fault.agent}", f"{fault.kind} at action {fault.action}")
        for fault in episode.faults
    ]
    return "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in facts
    )


def _in_script(data: Any) -> str:
    """JSON that may stand in an element of a page."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


class _Drawings:
    """Drawings that share their parts.

    Attributes:
        nodes: the parts; each is a text, or the numbers of the parts that it is made
            of. What holds a ``transform`` is taken apart, since a card is the same
            card wherever it lies.
    """

    def __init__(self) -> None:
        self.nodes: list[str | list[int]] = []
        self._numbers: dict[str | tuple[int, ...], int] = {}

    def add(self, svg: str) -> int:
        """Take in a drawing; gives the number of its part."""
        waiting: list[list[str | int]] = [[]]
        for piece in _PIECE.findall(svg):
            if piece.startswith("</"):
                element = [*waiting.pop(), piece]
                waiting[-1].append(self._element(element))
            elif piece.startswith("<") and not piece.endswith("/>"):
                waiting.append([piece])
            else:
                waiting[-1].append(piece)
        return self._number(self._joined(waiting[0]))

    def _element(self, parts: list[str | int]) -> str | int:
        """An element: a part of its own, or plain text where nothing in it is moved."""
        first = str(parts[0])
        if first.startswith("<g transform"):
            return self._number((self._number(first), *self._joined(parts[1:])))
        if all(isinstance(part, str) for part in parts):
            return "".join(map(str, parts))
        return self._number(self._joined(parts))

    def _joined(self, parts: list[str | int]) -> tuple[int, ...]:
        """The numbers of parts; those of a kind beside one another become one.

        The cards of a hand are such, so that a hand is one part until it changes.
        """
        return tuple(
            self._number(
                "".join(map(str, group)) if is_text else tuple(map(int, group))
            )
            for is_text, group in groupby(parts, key=lambda part: isinstance(part, str))
        )

    def _number(self, part: str | tuple[int, ...]) -> int:
        if part not in self._numbers:
            self._numbers[part] = len(self.nodes)
            self.nodes.append(part if isinstance(part, str) else list(part))
        return self._numbers[part]
