"""Reset options: from the dictionary that users give to a position of a game."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from whist_env.envs.game import Game


def position_from(game: Game, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The position that reset options ask for, as keywords of the game's `set_up`.

    PettingZoo's tests require that options unknown to an environment are ignored. A
    name that looks like a misspelt one is refused all the same.

    Raises:
        TypeError: the options are not a dictionary.
        ValueError: a name is nearly, but not quite, that of a reset option.
    """
    if not options:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={options!r} must be a dictionary or None")
    for name in options:
        refuse_misspelt("reset option", name, game.positions, ValueError)
    return {name: options[name] for name in game.positions if name in options}


def refuse_misspelt(
    kind: str, given: object, names: Sequence[str], error: type[Exception]
) -> None:
    """Raise an error if a word is none of the names but close to one of them."""
    if given in names:
        return
    near = difflib.get_close_matches(str(given), names, 1)
    if near:
        raise error(f"there is no {kind} {given!r} (did you mean {near[0]!r}?)")
