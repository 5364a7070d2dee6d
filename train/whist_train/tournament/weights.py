"""What is in the files that the specs of a cup name, such as networks.

A spec says where weights lie, not what they are. The digests of all files are kept
beside the records, so that nobody goes on with a cup, or puts its shards together,
whose agents have become others under the same names. Networks are copied besides: a run
of training deletes its old checkpoints, and a cup may take longer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from whist_agents.spec import with_networks
from whist_train.tournament.cup import Cup
from whist_train.tournament.ledger import write_new

WEIGHTS: Final = "weights.json"
"""The SHA-256 of each file that the agents of a cup were made from."""

NETWORKS: Final = "networks"
"""The folder of the copies of networks, each named by its SHA-256."""

Weights: TypeAlias = dict[str, str]
"""The SHA-256 of files by their paths, in hexadecimal digits."""


def weights_of(cup: Cup) -> Weights:
    """What is in the files that the specs of a settled cup name.

    Commands of programs are not looked into.
    """
    specs = [*cup.agents.values(), cup.fallback]
    paths = {path for spec in specs for path in _files(spec)}
    return {path: _digest(Path(path)) for path in sorted(paths)}


def _files(spec: str) -> Iterator[str]:
    """The files that a spec names: all after the colon, or the value of a setting."""
    kind, _, rest = spec.partition(":")
    if kind == "cmd":
        return
    values = [setting.partition("=")[2] for setting in rest.split(",")]
    yield from (path for path in [rest, *values] if path and Path(path).is_file())


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def with_copies(cup: Cup, folder: Path) -> Cup:
    """The same cup, whose networks are copies in a folder, by their paths in it."""

    def copy(path: str) -> Path:
        data = Path(path).read_bytes()
        copied = Path(NETWORKS) / f"{hashlib.sha256(data).hexdigest()}.safetensors"
        (folder / NETWORKS).mkdir(exist_ok=True)
        write_new(folder / copied, data)
        return copied

    return cup.with_specs(lambda spec: with_networks(spec, copy))


def from_folder(cup: Cup, folder: Path) -> Cup:
    """The same cup, whose networks have their paths from here."""
    return cup.with_specs(lambda spec: with_networks(spec, folder.joinpath))


def write_weights(folder: Path, weights: Weights) -> None:
    """Keep what the agents of a cup were made from; nothing is written of none."""
    if weights:
        write_new(folder / WEIGHTS, json.dumps(weights, indent=2) + "\n")


def read_weights(folder: Path) -> Weights:
    """What the agents of the cup in a folder were made from.

    Raises:
        ValueError: the file is damaged.
    """
    path = folder / WEIGHTS
    if not path.exists():
        return {}
    try:
        weights: Weights = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    return weights


def changed_since(kept: Weights, cup: Cup) -> str:
    """The files of a cup that are not what they were, or not there, in words.

    Args:
        kept: what its agents were made from at first.
        cup: the cup, whose networks are copies, named by what is to be in them.
    """
    copies = set[Path]()

    def note(path: str) -> Path:
        copies.add(Path(path))
        return Path(path)

    cup.with_specs(lambda spec: with_networks(spec, note))
    wanted = {str(copy): copy.stem for copy in copies}
    digests = set(wanted.values())
    wanted |= {path: d for path, d in kept.items() if d not in digests}
    return differing(wanted, weights_of(cup))


def differing(kept: Weights, now: Weights) -> str:
    """The files that are not what they were, or not there, as a list in words."""
    paths = sorted(kept.keys() | now.keys())
    return ", ".join(path for path in paths if kept.get(path) != now.get(path))
