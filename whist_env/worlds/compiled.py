"""The compiled loops over worlds.

As with the loops over tables (`whist_env.engine.compile`), the name under which a
function is kept in the disk cache ends in a digest of all sources that it can come
from, so that an edited source never runs as it was before.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

import numba
import numpy as np

from whist_env.engine.compile import PACKAGE, source_digest
from whist_env.engine.rules import Rules


def sampler_of(game: str) -> ModuleType:
    """The worlds of a game: a module of this package with the game's name."""
    return importlib.import_module(f"whist_env.worlds.{game}")


def bind(
    loop: Callable[..., Any],
    rules: Rules,
    names: Mapping[str, Any] | None = None,
    *sources: Path,
) -> Any:
    """Compile a copy of a loop for one game, its rules and its worlds.

    Args:
        loop: a function that calls by their global names the rules ``start``,
            ``legal``, ``apply``, ``forfeit``, ``observe`` and ``state`` of the game,
            and ``read``, ``draw`` and ``marginals`` of its worlds, and may use
            ``RECORD`` and ``PLAN``, the types of their records.
        rules: the rules of the game.
        names: further rules and constants by the names that the loop uses.
        *sources: the files that these, and the loop, come from.

    Returns:
        The compiled function, which releases the interpreter lock while it runs.
    """
    original = cast(FunctionType, loop)
    given = {**original.__globals__, **names_of(rules), **(names or {})}
    copy = FunctionType(original.__code__, given, original.__name__)
    copy.__qualname__ = "_".join(
        (original.__name__, rules.name, str(rules.agents), _digest(rules.name, sources))
    )
    copy.__module__ = original.__module__
    return numba.njit(cache=True, nogil=True)(copy)


def names_of(rules: Rules) -> dict[str, Any]:
    """What a loop may call by these names."""
    sampler = sampler_of(rules.name)
    return {
        "RECORD": rules.record,
        "PLAN": np.dtype((np.record, sampler.PLAN)),
        "read": sampler.read,
        "draw": sampler.draw,
        "marginals": sampler.marginals,
        "start": rules.start,
        "legal": rules.legal,
        "apply": rules.apply,
        "forfeit": rules.forfeit,
        "observe": rules.observe,
        "state": rules.state,
    }


@functools.cache
def _digest(game: str, sources: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(source_digest(game).encode())
    for file in [*sorted((PACKAGE / "worlds").glob("*.py")), *sources]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
