"""Processes that play for this one."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor


def process_pool(workers: int) -> ProcessPoolExecutor:
    """New processes that work for this one, and do not outlive it.

    Args:
        workers: how many.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, _begin)


def process_ended(agents: Iterable[str]) -> str:
    """That a process which played ended, in words: nobody can know by whose doing.

    Args:
        agents: the agents that may have been playing.
    """
    names = ", ".join(map(repr, dict.fromkeys(agents)))
    return (
        f"a process that played ended: one of {names} may have ended it, or it was "
        "killed for want of memory, of which fewer workers need less"
    )


def _begin() -> None:
    """Set a new process up."""
    _end_with_parent()
    # What agents print is none of the results on the standard output.
    os.dup2(2, 1)


def _end_with_parent() -> None:
    """End this process when the one that started it ends, even if that is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
