"""Tests of every game that touch little of each: compiling would take longest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_uncompiled(module: str) -> None:
    """Run the tests of a module of this folder in a process that compiles nothing."""
    tests = Path(__file__).parent
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(tests / module)]
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=tests.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
