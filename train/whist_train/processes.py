"""Processes that play for this one."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor


def process_pool(workers: int) -> ProcessPoolExecutor:
    """New processes that work for this one, and do not outlive it.

    Args:
        workers: how many.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, _end_with_parent)


def _end_with_parent() -> None:
    """End this process when the one that started it ends, even if that is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
