"""The compiled search.

As with the loops over tables (`whist_env.engine.compile`), the name under which a
function is kept in the disk cache ends in a digest of all sources that it can come
from, so that an edited source never runs as it was before.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, Final, cast

import numba

from whist_env.engine.compile import PACKAGE, digest_of, engine_files
from whist_env.solver import search

_DIGEST: Final = digest_of([*engine_files(), PACKAGE / "solver" / "search.py"])


def value_all() -> Any:
    """`whist_env.solver.search.value_all`, compiled."""
    return _compiled(search.value_all)


def value_positions() -> Any:
    """`whist_env.solver.search.value_positions`, compiled."""
    return _compiled(search.value_positions)


@functools.cache
def _compiled(loop: Any) -> Any:
    original = cast(FunctionType, loop)
    copy = FunctionType(original.__code__, original.__globals__, original.__name__)
    copy.__qualname__ = f"{original.__name__}_{_DIGEST}"
    copy.__module__ = original.__module__
    return numba.njit(cache=True, nogil=True)(copy)
