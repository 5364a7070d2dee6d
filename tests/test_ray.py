"""Tournaments on a Ray cluster: the same records, whatever becomes of its workers."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import wait_until

from whist_train.command_line import MISUSE, SUCCESS, main
from whist_train.tournament import Cup, Executor, InProcess, ProcessPool, play_cup

# Ray reads these when it is imported. The cluster of these tests listens on the
# network, and is for nobody else; and a cluster of somebody's own is left alone.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
os.environ.pop("RAY_ADDRESS", None)
pytest.importorskip("ray", reason="Ray is not installed: pip install 'whist-env[ray]'")

from whist_train.tournament.cluster import RayCluster, _play_in

ROOT = Path(__file__).parent.parent

HEAD = """
import sys, ray
cluster = ray.init(
    num_cpus=2,
    include_dashboard=False,
    object_store_memory=80_000_000,
    log_to_driver=False,
    _temp_dir=sys.argv[1],
)
print(cluster.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""
"""A cluster of two workers, for as long as its standard input is open."""


SETTINGS = {
    "PYTHONPATH": str(Path(__file__).parent),
    "RAY_USAGE_STATS_ENABLED": "0",
    # Workers are not to wait for whatever else this machine does.
    "RAY_worker_niceness": "0",
}

MOST_STARTS = 3
"""Ray gives up when a start takes half a minute, as it may on a busy machine."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a cluster of two workers, which run in a folder of their own."""
    for _ in range(MOST_STARTS):
        with cluster() as found:
            if found:
                yield found
                return
    pytest.fail("Ray could not be started")


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """The address of a new cluster; empty if it could not be started in time."""
    with (
        # The paths of sockets are short.
        tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder,
        subprocess.Popen(
            [sys.executable, "-c", HEAD, folder],
            env=os.environ | SETTINGS,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as head,
    ):
        assert head.stdout is not None
        yield head.stdout.readline().strip()


def cup(**changes: Any) -> Cup:
    usual: dict[str, Any] = {
        "name": "spring",
        "format": "round robin",
        "agents": {"ann": "random", "ben": "greedy"},
        "boards": 4,
        "seed": 5,
    }
    return Cup(**usual | changes)


def records(folder: Path) -> bytes:
    return (folder / "records.jsonl").read_bytes()


def test_this_process_several_and_a_cluster_write_the_same_bytes(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The workers of the cluster were started elsewhere.
    monkeypatch.chdir(ROOT)
    agents = {
        "ann": "random",
        "ben": f"cmd:{sys.executable} -I -S docs/clients/high_low.py",
        "cleo": "faulty_agents:Illegal",
        "dan": "greedy",
    }
    executors: dict[str, Executor] = {
        "one": InProcess(),
        "two": ProcessPool(2),
        "ray": RayCluster(address),
    }
    tables = [
        play_cup(cup(agents=agents), tmp_path / name, executor)
        for name, executor in executors.items()
    ]
    assert records(tmp_path / "one").count(b"\n") == 6 * 2 * 4
    assert records(tmp_path / "two") == records(tmp_path / "one")
    assert records(tmp_path / "ray") == records(tmp_path / "one")
    assert tables[0] == tables[1] == tables[2]


def test_what_the_worker_did_that_was_killed_is_done_by_another(
    address: str, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    agents = {
        "ann": f"faulty_agents:HangsOnce,marker={marker}",
        "ben": "random",
        "dan": "greedy",
    }
    killed = []

    def kill() -> None:
        if wait_until(lambda: marker.exists() and marker.stat().st_size > 0, 300):
            killed.append(int(marker.read_text()))
            os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    play_cup(cup(agents=agents), tmp_path / "ray", RayCluster(address))
    killer.join()
    assert killed
    assert killed[0] != os.getpid()
    play_cup(cup(agents=agents), tmp_path / "one", InProcess())
    assert records(tmp_path / "ray") == records(tmp_path / "one")


def test_a_sitting_that_kills_every_worker_is_given_up_and_the_rest_kept(
    address: str, tmp_path: Path
) -> None:
    agents = {"ann": "random", "ben": "greedy", "dan": "faulty_agents:KillsAll"}
    with pytest.raises(RuntimeError, match="sitting 2 was not finished in 3 tries"):
        play_cup(
            cup(format="gauntlet", agents=agents), tmp_path / "ray", RayCluster(address)
        )
    assert records(tmp_path / "ray").count(b"\n") == 2 * 4


def test_what_only_the_machines_of_the_cluster_lack_is_said_as_it_would_be_here(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("from faulty_agents import First")
    monkeypatch.syspath_prepend(tmp_path)
    here = cup(agents={"ann": "random", "ben": "only_here:First"})
    with pytest.raises(ValueError, match="only_here") as caught:
        play_cup(here, tmp_path / "ray", RayCluster(address))
    assert "\n" not in str(caught.value)


def test_the_command_plays_on_a_cluster(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        "format = 'round robin'\nboards = 2\nseed = 3\nagents = ['random', 'greedy']"
    )
    words = ["tournament", str(file), "--json", "--out"]
    assert main([*words, str(tmp_path / "ray"), "--ray", address]) == SUCCESS
    played = capsys.readouterr().out
    assert main([*words, str(tmp_path / "one"), "--workers", "1"]) == SUCCESS
    assert capsys.readouterr().out == played
    assert records(tmp_path / "ray") == records(tmp_path / "one")
    words.append(str(tmp_path / "none"))
    assert main([*words, "--ray", address, "--workers", "2"]) == MISUSE
    assert "not both" in capsys.readouterr().err
    assert main([*words, "--ray", "nowhere"]) == MISUSE
    assert "such as 10.0.0.1:6379" in capsys.readouterr().err


def test_a_cluster_that_is_not_there_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError, match=r"no Ray cluster at 127\.0\.0\.1:1: "):
        play_cup(cup(), tmp_path, RayCluster("127.0.0.1:1"))


def test_a_machine_without_the_folder_is_named(tmp_path: Path) -> None:
    nothing: Any = None
    with pytest.raises(FileNotFoundError, match=r"has no folder .*nowhere"):
        _play_in(str(tmp_path / "nowhere"), cup(), nothing)


def test_a_machine_that_belongs_to_no_cluster_is_told_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_found(*_: object, **__: object) -> None:
        raise ConnectionError("please specify one by setting `--address`")

    monkeypatch.setattr("ray.init", nothing_found)
    with pytest.raises(
        ConnectionError, match=r"'ray start --head', .* --ray HOST:PORT"
    ):
        play_cup(cup(), tmp_path, RayCluster("auto"))
