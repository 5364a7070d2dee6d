"""The networks that training starts from."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Final

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from whist_agents.net import FORMAT, house_file, load_policy, policy_file
from whist_env import Game
from whist_train.distill import load_networks

Weights = dict[str, dict[str, Tensor]]
"""The weights of networks by the name of the network."""

SCORES: Final = ("score", "games", "points")
"""Features of Whist that never vary in single deals."""


def path_of_start(start: str, game: Game) -> Path:
    """Where the networks are that a text names.

    Args:
        start: a path, such as ``"runs/a"``, or the spec of a network, as training
            prints it: ``"net:runs/a"``, or ``"net"`` for that of the package.
        game: the game to train for.

    Raises:
        ValueError: no network for the game comes with the package.
    """
    if start != "net":
        return Path(start.removeprefix("net:"))
    path = house_file(game.rules)
    if not path.is_file():
        raise ValueError(
            f"start='net': no network for {game.name} with {game.num_agents} agents "
            "comes with the package; name one that was trained, such as 'net:runs/a'"
        )
    return path


def networks_to_start_from(path: Path, game: Game) -> Weights:
    """The weights of a ``"policy"`` and, where there is one, of its ``"critic"``.

    Args:
        path: a file of networks that `whist_train.distill` wrote, a run folder (its
            latest checkpoint), a checkpoint, or a policy file. In a checkpoint of PPO
            there is a critic as well.
        game: the game to train for. In a rubber the scores vary, of which networks
            that were trained on single deals have learnt nothing: they see them without
            effect at first.

    Raises:
        FileNotFoundError: there is nothing at the path.
        ValueError: what is there cannot be read, or plays another game.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"there is nothing to start from at {path}; give a run folder, a "
            "checkpoint, a policy file, or what 'whist distill' wrote"
        )
    if path.is_file() and path.suffix == ".safetensors" and not _is_policy(path):
        weights, episode = load_networks(path), "deal"
    else:
        weights, episode = _of_policy(policy_file(path), game)
    if _episode(game) == "rubber" and episode != "rubber":
        _silence_scores(weights, game)
    return weights


def hidden_of(network: dict[str, Tensor]) -> tuple[int, ...]:
    """The widths of the hidden layers of a network, by its weights."""
    widths = {
        int(name.split(".")[1]): weight.shape[0]
        for name, weight in network.items()
        if name.endswith(".weight")
    }
    return tuple(widths[place] for place in sorted(widths)[:-1])


def _is_policy(path: Path) -> bool:
    try:
        with safe_open(path, "pt") as file:
            return (file.metadata() or {}).get("format") == FORMAT
    except (SafetensorError, OSError):
        return False


def _of_policy(path: Path, game: Game) -> tuple[Weights, str]:
    """A policy with the critic that lies beside it, and the episodes it was made for.

    Raises:
        ValueError: it plays another game, or a file is damaged.
    """
    _, network = load_policy(path)
    made_for = network.sight.game
    if made_for.rules is not game.rules:
        raise ValueError(
            f"{path} plays {made_for.name} with {made_for.num_agents} players, not "
            f"{game.name} with {game.num_agents}; start from a network for that"
        )
    weights = {"policy": network.state_dict()}
    learner = path.with_name("learner.pt")
    if learner.is_file():
        critic = _critic(learner)
        if critic is not None:
            weights["critic"] = critic
    return weights, _episode(made_for)


def _critic(path: Path) -> dict[str, Tensor] | None:
    """The critic of a checkpoint; deep Monte Carlo has none."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        critic: dict[str, Tensor] | None = state.get("critic")
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    return critic


def _episode(game: Game) -> str:
    return str(getattr(game.options, "episode", "deal"))


def _silence_scores(weights: Weights, game: Game) -> None:
    """Let the networks see scores without effect, until they have learnt about them.

    What they never saw vary has kept the weights that chance gave it.
    """
    for network in weights.values():
        for name in SCORES:
            network["layers.0.weight"][:, game.features[name]] = 0
