"""Compilation: how rules written as plain functions become fast loops.

A rule is an ordinary Python function marked with `rule`. It stays callable as it is
(in a debugger, in a test) and compiled loops may call it as well. A loop is written
once, in `whist_env.engine.loops`, over the names of the rules that every game has,
and `bind` makes a copy of it for one game.

Three properties of Numba's disk cache shape this file. Each would otherwise run old
rules or recompile in every process:

* The cache looks at the source file of the loop only, so a rule edited elsewhere would
  go unnoticed. The name under which a loop is cached therefore ends in a digest of
  every source file that the game's rules can come from. The files are read when the
  rules are imported: what is edited while a process runs is not what it compiles.
* A function kept in a closure has a random identity in each process and never hits the
  cache. `bind` puts a game's rules among the *globals* of the copied loop instead.
* The same function compiled with and without ``parallel=True`` shares one cache entry.
  There is one build only, serial: many threads are many calls on parts of the tables.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

_Rule = TypeVar("_Rule", bound=Callable[..., Any])
PACKAGE = Path(__file__).resolve().parents[1]


def rule(function: _Rule) -> _Rule:
    """Mark a function as a rule: plain Python that compiled loops may call.

    A rule allocates nothing, raises nothing, uses no strings, lists, dictionaries or
    recursion, and touches only the record it is given.
    """
    return cast(_Rule, register_jitable(function))


@functools.cache
def source_digest(game: str) -> str:
    """A digest of the sources of the cards, the engine and one game."""
    return digest_of([*engine_files(), *_files_of(game)])


def digest_of(files: Iterable[Path]) -> str:
    """A digest of the names and texts of source files, as `text_of` gives them."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode())
        digest.update(text_of(file))
    return digest.hexdigest()[:16]


@functools.cache
def text_of(file: Path) -> bytes:
    """The text of a source file when this process first asked for it."""
    return file.read_bytes()


def engine_files() -> list[Path]:
    """The files of the cards and of the engine."""
    return [PACKAGE / "cards.py", *sorted((PACKAGE / "engine").glob("*.py"))]


def _files_of(game: str) -> list[Path]:
    """The file of a game, and first those of the games of which it is a variant."""
    file = PACKAGE / "games" / f"{game}.py"
    imports = r"^from whist_env\.games\.(\w+) import"
    varied = re.findall(imports, text_of(file).decode(), re.MULTILINE)
    return [*(source for other in varied for source in _files_of(other)), file]


def bind(
    loop: Callable[..., Any], game: str, name: str, names: Mapping[str, Any]
) -> Any:
    """Compile a copy of a loop for one game.

    Args:
        loop: a function that calls rules by their global names.
        game: the name of the game.
        name: the name of its rules, part of the name in the disk cache.
        names: the game's rules and constants, by the names that the loop uses.

    Returns:
        The compiled function. A loop over many tables releases the interpreter lock
        while it runs; for a loop over one table that would take longer than the loop.
    """
    many = not loop.__name__.endswith("_one")
    return numba.njit(cache=True, nogil=many)(copied(loop, game, name, names))


def copied(
    loop: Callable[..., Any], game: str, name: str, names: Mapping[str, Any]
) -> FunctionType:
    """A copy of a loop for one game, not compiled; the arguments are as of `bind`."""
    original = cast(FunctionType, loop)
    copy = FunctionType(
        original.__code__, {**original.__globals__, **names}, original.__name__
    )
    copy.__qualname__ = f"{original.__name__}_{name}_{source_digest(game)}"
    copy.__module__ = original.__module__
    return copy


for _file in engine_files():
    text_of(_file)
