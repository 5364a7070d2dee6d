"""Processes that play for another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import is_alive, wait_until

from whist_agents.keeper import _descendants


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_workers_of_an_evaluation_do_not_outlive_it_even_if_it_is_killed(
    tmp_path: Path,
) -> None:
    """One of them hangs in the midst of a deal, and could not end by itself."""
    marker = tmp_path / "marker"
    code = f"""if __name__ == "__main__":
        from whist_train.evaluate import evaluate
        hangs = "faulty_agents:HangsOnce,marker={marker}"
        evaluate(hangs, "random", game="whist", deals=2000, workers=2)
    """
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.Popen([sys.executable, "-c", code], env=environment)
    try:
        assert wait_until(lambda: marker.exists() and marker.stat().st_size > 0, 120)
        workers = _descendants(run.pid)
    finally:
        run.kill()
        run.wait()
    assert int(marker.read_text()) in workers
    assert len(workers) >= 2
    assert wait_until(lambda: not any(map(is_alive, workers)))
