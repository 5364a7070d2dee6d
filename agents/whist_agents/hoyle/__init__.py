"""The rule-of-thumb player, by the maxims of the old books.

It sees one observation at a time and counts the cards: it knows the voids that were
proven, the best card left of each suit, and which trumps are out. What it knows is in
`whist_agents.hoyle.mind`; the maxims of play, which games share, are small functions in
modules of their own. Each game has a module of its name with a rule ``choose``, which
holds the maxims of its bidding and says how its cards are played. They are written as
the rules of a game are, so that the same functions run in a debugger and compiled.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import whist_env
from whist_agents.hoyle.mind import Mind, Row, new_mind
from whist_env import Game, Views
from whist_env.engine.compile import bind

choose: Callable[[Row, Row, Any, Mind], int]
"""What `bind` supplies for each game: the rule that chooses an action.

Its arguments: an observation, ``(features.size,)`` int8; its action mask,
``(num_actions,)`` int8; the options of the game as integers by name; one mind to think
with, of which only the number of seats is given.
"""


def _choose_all(rows: Any, masks: Any, options: Any, minds: Any, actions: Any) -> None:
    mind = minds[0]
    for index in range(rows.shape[0]):
        actions[index] = choose(rows[index], masks[index], options[0], mind)


@functools.cache
def games() -> tuple[str, ...]:
    """The games that hoyle plays."""
    return tuple(name for name in whist_env.games() if _finds(name))


class HoyleAgent:
    """Plays by rules of thumb; the same view always gets the same action."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """An action for each view, ``(len(views),)`` int64.

        Raises:
            ValueError: the game is none that it plays.
        """
        game = views.game
        if game.name not in games():
            raise ValueError(f"hoyle plays {', '.join(games())}; not {game.name}")
        loop, (options, seats) = loop_of(game.name), table_of(game)
        actions = np.empty(len(views), np.int64)
        rows = np.ascontiguousarray(views.observation, np.int8)
        masks = np.ascontiguousarray(views.action_mask, np.int8)
        loop(rows, masks, options, new_mind(seats), actions)
        return actions


def _finds(name: str) -> bool:
    return importlib.util.find_spec(f"{__name__}.{name}") is not None


@functools.lru_cache(maxsize=64)
def table_of(game: Game) -> tuple[npt.NDArray[Any], int]:
    """The options of a game as integers by name, and how many hands it has.

    The options are an array of one record. A dummy is a hand, too.
    """
    layout = np.dtype((np.record, game.options.dtype()))
    options = np.array([game.options.as_integers()], layout)
    dealer = next(f for f in game.features.features if f.name == "dealer")
    return options, dealer.size


@functools.cache
def loop_of(name: str) -> Any:
    """`_choose_all` for a game, under a name that changes with the sources it is from.

    The disk cache looks at this file only; see `whist_env.engine.compile`.
    """
    module = importlib.import_module(f"{__name__}.{name}")
    form = f"hoyle_{name}_{digest_of(name)}"
    return bind(_choose_all, name, form, {"choose": module.choose})


def digest_of(name: str) -> str:
    """A digest of the sources of the rules of thumb of a game."""
    digest = hashlib.sha256()
    for file in sorted({Path(__file__), *_files_of(name)}):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _files_of(module: str) -> set[Path]:
    """The file of a module of this package, and those of the modules it imports."""
    file = Path(__file__).with_name(f"{module}.py")
    imports = r"^from whist_agents\.hoyle\.(\w+) import"
    found = {file}
    for other in re.findall(imports, file.read_text(), re.MULTILINE):
        found |= _files_of(other)
    return found
