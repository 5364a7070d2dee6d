"""What tests ask about processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether a process runs (Linux)."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()
