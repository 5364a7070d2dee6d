"""Cups of networks: what they are made from is kept, and others are refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import torch

import whist_env
from whist_agents.net import PolicyNetwork, save_policy
from whist_agents.sight import sight
from whist_train.tournament import Cup, InProcess, Shard, play_cup, read_standings
from whist_train.tournament.weights import weights_of

GAME = whist_env.game("whist")


def train(run: Path, seed: int) -> Path:
    """A run with one checkpoint; another seed has other weights."""
    checkpoint = run / "checkpoints" / "iteration_00000001"
    checkpoint.mkdir(parents=True, exist_ok=True)
    (run / "latest").write_text("checkpoints/iteration_00000001")
    torch.manual_seed(seed)
    file = checkpoint / "model.safetensors"
    save_policy(file, PolicyNetwork(sight(GAME, advised=False), (8,)), {})
    return file


def cup(**agents: str) -> Cup:
    return Cup(name="nets", format="round robin", agents=agents, boards=2, seed=1)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_digest_of_each_network_is_kept_with_the_records(tmp_path: Path) -> None:
    file = train(tmp_path / "a", 1)
    nets = cup(net=f"net:{tmp_path / 'a'}", random="random")
    play_cup(nets, tmp_path / "out", InProcess())
    kept = json.loads((tmp_path / "out" / "weights.json").read_text())
    assert kept == {str(file): digest(file)}


def test_every_file_that_a_spec_names_counts(tmp_path: Path) -> None:
    files = [train(tmp_path / name, seed) for seed, name in enumerate("abc")]
    made = cup(
        net=f"net:{files[0]}",
        deep=f"rollout:worlds=1,net={tmp_path / 'b'}",
        own=f"faulty_agents:KillsItsProcess,marker={files[2]}",
        program=f"cmd:python {__file__}",
        bare="hoyle",
    )
    assert weights_of(made.settled()) == {str(file): digest(file) for file in files}


def test_a_cup_goes_on_when_the_checkpoint_is_deleted_or_changed(
    tmp_path: Path,
) -> None:
    file = train(tmp_path / "a", 1)
    nets, out = cup(net=f"net:{tmp_path / 'a'}", deep="random"), tmp_path / "out"
    standings = play_cup(nets, out, InProcess())
    before, records = digest(file), (out / "records.jsonl").read_bytes()
    train(tmp_path / "a", 2)
    (out / "records.jsonl").write_bytes(b"")
    assert play_cup(nets, out, InProcess()) == standings
    file.unlink()
    (out / "records.jsonl").write_bytes(b"")
    assert play_cup(nets, out, InProcess()) == standings
    assert (out / "records.jsonl").read_bytes() == records
    (copy,) = (out / "networks").iterdir()
    assert copy.stem == digest(copy) == before
    settled = json.loads((out / "settled.json").read_text())
    assert settled["cup"]["agents"]["net"] == f"net:networks/{copy.name}"


def test_the_folder_of_a_cup_can_be_moved(tmp_path: Path) -> None:
    train(tmp_path / "a", 1)
    net = f"rollout:worlds=1,net={tmp_path / 'a'}"
    nets, out = cup(net=net, other="random"), tmp_path / "out"
    standings = play_cup(nets, out, InProcess())
    shutil.rmtree(tmp_path / "a")
    out.rename(tmp_path / "moved")
    (tmp_path / "moved" / "records.jsonl").write_bytes(b"")
    assert play_cup(nets, tmp_path / "moved", InProcess()) == standings


def test_nobody_goes_on_with_other_weights_under_the_same_name(tmp_path: Path) -> None:
    train(tmp_path / "a", 1)
    marker = tmp_path / "marker"
    marker.write_text("one")
    own = f"faulty_agents:KillsItsProcess,marker={marker}"
    nets, out = cup(net=f"net:{tmp_path / 'a'}", own=own), tmp_path / "out"
    standings = play_cup(nets, out, InProcess())
    (copy,) = (out / "networks").iterdir()
    for file in (copy, marker):
        before = file.read_bytes()
        file.write_bytes(before + b" ")
        with pytest.raises(ValueError, match=rf"not the same as when .*: {file}; put"):
            play_cup(nets, out, InProcess())
        file.unlink()
        with pytest.raises(ValueError, match=rf"not the same as when .*: {file};"):
            play_cup(nets, out, InProcess())
        file.write_bytes(before)
    assert play_cup(nets, out, InProcess()) == standings


def test_a_newer_checkpoint_of_a_run_does_not_matter(tmp_path: Path) -> None:
    file = train(tmp_path / "a", 1)
    nets, out = cup(net=f"net:{tmp_path / 'a'}", random="random"), tmp_path / "out"
    standings = play_cup(nets, out, InProcess())
    newer = tmp_path / "a" / "checkpoints" / "iteration_00000002"
    newer.mkdir()
    (newer / "model.safetensors").write_bytes(file.read_bytes() + b" ")
    (tmp_path / "a" / "latest").write_text("checkpoints/iteration_00000002")
    assert play_cup(nets, out, InProcess()) == standings


def test_shards_of_other_weights_are_not_put_together(tmp_path: Path) -> None:
    shards = [tmp_path / "1", tmp_path / "2"]
    nets = cup(net=f"net:{tmp_path / 'a'}", random="random")
    for number, folder in enumerate(shards, start=1):
        train(tmp_path / "a", number)
        play_cup(nets, folder, InProcess(), Shard(number, 2))
    with pytest.raises(ValueError, match=r"not made from the same files: .*model"):
        read_standings(shards)


def test_a_cup_of_rules_of_thumb_is_made_from_no_files(tmp_path: Path) -> None:
    play_cup(cup(a="random", b="greedy"), tmp_path, InProcess())
    assert not (tmp_path / "weights.json").exists()
