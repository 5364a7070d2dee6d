"""The games: one file each, which reads like its rule sheet."""

from __future__ import annotations

import difflib
import importlib
from typing import Final

from whist_env.engine.compile import source_digest
from whist_env.engine.rules import Rules

GAMES: Final = (
    "whist",
    "dummy_whist",
    "bridge_whist",
    "german_whist",
    "chinese_whist",
    "solo_whist",
    "boston",
    "french_boston",
    "boston_de_fontainebleau",
    "russian_boston",
    "cayenne",
    "polignac",
    "slobberhannes",
    "omnibus_hearts",
)
"""The names of all games; each is a module here that defines ``RULES``.

They are the rules for each number of players, the usual number first.
"""


def forms_of(name: str) -> tuple[Rules, ...]:
    """The rules of a game for each number of players, the usual number first.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        near = difflib.get_close_matches(str(name), GAMES, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(
            f"there is no game {name!r}{hint}; the games are " + ", ".join(GAMES)
        )
    forms: tuple[Rules, ...] = importlib.import_module(f"whist_env.games.{name}").RULES
    source_digest(name)  # of the file as it is now, when its rules are imported
    return forms


def rules_of(name: str, players: int | None = None) -> Rules:
    """The rules of the game with this name.

    Args:
        name: the name of the game.
        players: for how many players, in games that leave this open; by default, or
            where the number is none that the game has, the usual number.

    Raises:
        ValueError: there is no such game.
    """
    forms = forms_of(name)
    return next((form for form in forms if form.agents == players), forms[0])
