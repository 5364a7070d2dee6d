"""The games: one file each, which reads like its rule sheet."""

from __future__ import annotations

import difflib
import importlib
from typing import Final

from whist_env.engine.rules import Rules

GAMES: Final = ("whist",)
"""The names of all games; each is a module here that defines ``RULES``."""


def rules_of(name: str) -> Rules:
    """The rules of the game with this name.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        near = difflib.get_close_matches(str(name), GAMES, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(
            f"there is no game {name!r}{hint}; the games are " + ", ".join(GAMES)
        )
    rules = importlib.import_module(f"whist_env.games.{name}").RULES
    assert isinstance(rules, Rules)
    return rules
