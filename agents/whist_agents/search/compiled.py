"""The loops of search compiled for a game, and the memory that they work with.

As with the loops over tables (`whist_env.engine.compile`), the name under which a loop
is kept in the disk cache ends in a digest of all sources that it can come from.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_agents.hoyle import digest_of, loop_of, table_of
from whist_agents.hoyle.mind import new_mind
from whist_agents.search import loops
from whist_env import Game
from whist_env.engine.compile import bind
from whist_env.engine.rules import Rules
from whist_env.envs.game import compiled_loops

_WORD: Final = 8
"""Bytes in a word."""


@functools.cache
def play_out(rules: Rules) -> Any:
    """`whist_agents.search.loops.play_out` for a game."""
    return _compiled(loops.play_out, rules, _names(rules))


@functools.cache
def value_all(rules: Rules) -> Any:
    """`whist_agents.search.loops.value_all` for a game."""
    return _compiled(loops.value_all, rules, _names(rules))


@functools.cache
def grow(rules: Rules) -> Any:
    """`whist_agents.search.loops.grow` for a game."""
    return _compiled(loops.grow, rules, _names(rules))


class Desk:
    """Room to play deals on in, for one thread: what all loops take last.

    Args:
        game: the game that is played.
    """

    def __init__(self, game: Game) -> None:
        options, seats = table_of(game)
        size = game.features.size
        self.sight = np.zeros(-(-size // _WORD) * _WORD, np.int8)
        self.room: tuple[npt.NDArray[Any], ...] = (
            np.zeros(game.rules.record.itemsize, np.uint8),
            np.zeros(game.num_actions, np.uint8),
            np.zeros((1, size), np.int8),
            np.zeros((1, game.num_actions), np.int8),
            np.zeros(1, np.int64),
            options,
            new_mind(seats),
        )


@functools.cache
def _names(rules: Rules) -> dict[str, Any]:
    """What the loops may call by these names."""
    compiled = compiled_loops(rules)
    names = {
        "RECORD": rules.record,
        "list_one": compiled.list_one,
        "apply_one": compiled.apply_one,
        "see_one": compiled.see_one,
        "choose_all": loop_of(rules.name),
    }
    names["play_to_the_end"] = _compiled(loops.to_the_end, rules, names)
    return names


def _compiled(loop: Callable[..., Any], rules: Rules, names: Mapping[str, Any]) -> Any:
    form = f"{rules.name}_{rules.agents}_{digest_of(rules.name)}_{_digest()}"
    return bind(loop, rules.name, form, names)


@functools.cache
def _digest() -> str:
    file = Path(loops.__file__)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
