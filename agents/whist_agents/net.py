"""Players that are neural networks.

A network sees observations with canonical suits (`whist_agents.canonical`) and gives
one logit for each action. Its file is a safetensors file whose header says everything
that is needed to build it again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from whist_agents.canonical import canonical
from whist_env import Game, Views, game
from whist_env.engine.features import FeatureTable

FORMAT: Final = "whist_env.policy/1"
FORBIDDEN: Final = -1e9
"""The logit of an illegal action; its probability is exactly zero."""


class Network(nn.Module):
    """A multilayer perceptron on whole numbers.

    Args:
        features: the features of its input; each is scaled by its largest value.
        hidden: the width of each hidden layer.
        outputs: the number of outputs.
    """

    scale: Tensor

    def __init__(
        self, features: FeatureTable, hidden: tuple[int, ...], outputs: int
    ) -> None:
        super().__init__()
        largest = np.maximum(features.high.astype(np.float32), 1)
        self.register_buffer("scale", torch.from_numpy(1 / largest), persistent=False)
        layers: list[nn.Module] = []
        width = features.size
        for size in hidden:
            layers += [_linear(width, size, 2**0.5), nn.ReLU()]
            width = size
        # A small last layer starts from near-uniform play and values near zero.
        layers.append(_linear(width, outputs, 0.01))
        self.layers = nn.Sequential(*layers)

    def forward(self, rows: Tensor) -> Tensor:
        """Outputs ``(len, outputs)`` for rows of features ``(len, features.size)``."""
        outputs: Tensor = self.layers(rows.to(self.scale.dtype) * self.scale)
        return outputs


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits with those of illegal actions forbidden, in float32."""
    return logits.float().masked_fill(mask == 0, FORBIDDEN)


class NetAgent:
    """Plays the action with the highest logit among the legal ones.

    Attributes:
        game: the game it was made for.
        network: the policy.
    """

    def __init__(self, made_for: Game, network: Network) -> None:
        self.game = made_for
        self.network = network.eval()
        self._canonical = canonical(made_for)

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """The chosen action for each view."""
        self._check_game(views.game)
        orders = self._canonical.orders(views.observation)
        rows = self._canonical.observation(views.observation, orders)
        mask = self._canonical.mask(views.action_mask, orders)
        with torch.inference_mode():
            device = self.network.scale.device
            logits = self.network(torch.from_numpy(rows).to(device))
            best = masked(logits, torch.from_numpy(mask).to(device)).argmax(1)
        return self._canonical.action(best.cpu().numpy(), orders)

    def _check_game(self, other: Game) -> None:
        if other.rules is not self.game.rules:
            raise ValueError(
                f"this network plays {self.game.name}, not {other.name}; "
                "train or load one for that game"
            )


@dataclasses.dataclass(frozen=True)
class PolicyHeader:
    """What the header of a policy file says.

    Attributes:
        game: the name of the game.
        options: the options with which it was trained.
        hidden: the widths of the hidden layers.
        features: a digest of the feature table.
        notes: anything about its training, for people.
    """

    game: str
    options: dict[str, Any]
    hidden: tuple[int, ...]
    features: str
    notes: dict[str, Any]


def save_policy(
    path: Path, made_for: Game, network: Network, notes: dict[str, Any]
) -> None:
    """Write a policy as one safetensors file."""
    hidden = [m.out_features for m in network.layers if isinstance(m, nn.Linear)][:-1]
    header = PolicyHeader(
        made_for.name,
        dataclasses.asdict(made_for.options),
        tuple(hidden),
        features_digest(made_for.features),
        notes,
    )
    tensors = {
        name: tensor.detach().cpu().contiguous()
        for name, tensor in network.state_dict().items()
    }
    metadata = {"format": FORMAT, "policy": json.dumps(dataclasses.asdict(header))}
    save_file(tensors, path, metadata)


def load_policy(path: Path) -> tuple[PolicyHeader, Network]:
    """Read a policy file.

    Raises:
        ValueError: the file is damaged, or made for other features than the game has.
    """
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} cannot be read as a policy: {error}") from None
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} is not a policy of this project: its format is "
            f"{metadata.get('format')!r}, not {FORMAT!r}"
        )
    try:
        header = PolicyHeader(**json.loads(metadata["policy"]))
        made_for = game(header.game, **header.options)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the header of {path} cannot be read: {error!r}") from None
    if header.features != features_digest(made_for.features):
        raise ValueError(
            f"{path} was trained on other features than {header.game} has now; "
            "train it again"
        )
    network = Network(made_for.features, tuple(header.hidden), made_for.num_actions)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise ValueError(f"{path} does not fit its own header: {error}") from None
    return header, network


def load_net(path: str | Path, device: str = "cpu") -> NetAgent:
    """The player in a policy file, a checkpoint or a run folder.

    Args:
        path: a ``.safetensors`` file, the folder of a checkpoint, a run folder (its
            latest checkpoint), or the file ``latest`` in it.
        device: where the network computes.

    Raises:
        FileNotFoundError: there is no policy at the path.
        ValueError: the file is damaged or does not fit.
    """
    header, network = load_policy(policy_file(Path(path)))
    return NetAgent(game(header.game, **header.options), network.to(device))


def policy_file(path: Path) -> Path:
    """The policy file meant by a path that `load_net` takes."""
    if path.is_dir() and (path / "latest").is_file():
        path = path / "latest"
    if path.is_file() and path.suffix != ".safetensors":
        path = path.parent / _name_in(path)
    if path.is_dir():
        path = path / "model.safetensors"
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no policy at {path}; give a .safetensors file, a checkpoint or "
            "the folder of a training run"
        )
    return path


def _name_in(pointer: Path) -> str:
    """The name of a checkpoint that a small file such as ``latest`` holds."""
    head = pointer.read_bytes()[:200]
    if re.fullmatch(rb"checkpoints/\w+\s*", head):
        return head.decode().strip()
    raise ValueError(
        f"{pointer} is neither a policy (.safetensors) nor names a checkpoint"
    )


def features_digest(features: FeatureTable) -> str:
    """A digest of the names, shapes and bounds of features."""
    table = [
        (feature.name, feature.axes, feature.shape, feature.low, feature.high)
        for feature in features.features
    ]
    return hashlib.sha256(json.dumps(table).encode()).hexdigest()[:16]


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
