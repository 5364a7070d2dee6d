"""Players that are neural networks.

A network sees a position as `whist_agents.sight` shows it and gives one logit for each
action. Its file is a safetensors file whose header says everything that is needed to
build it again.
"""

from __future__ import annotations

import dataclasses
import functools
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

from whist_agents.sight import ADVICE, HIGHER, Sight, sight
from whist_env import Game, Views, game
from whist_env.cards import CARDS, RANKS_IN_SUIT
from whist_env.engine.features import FeatureTable
from whist_env.engine.rules import Rules

FORMAT: Final = "whist_env.policy/2"
HOUSE: Final = Path(__file__).parent / "weights"
"""Where the networks are that come with the package."""
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
        return self.dropped(rows, 0.0)

    def dropped(self, rows: Tensor, dropout: float) -> Tensor:
        """The outputs with a part of the hidden units left out at random."""
        outputs = rows.to(self.scale.dtype) * self.scale
        for layer in self.layers:
            outputs = layer(outputs)
            if dropout and isinstance(layer, nn.ReLU):
                outputs = _thinned(outputs, dropout)
        return outputs

    @property
    def hidden(self) -> tuple[int, ...]:
        """The width of each hidden layer."""
        linear = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        return tuple(layer.out_features for layer in linear[:-1])


class PolicyNetwork(Network):
    """A network with an output for each action.

    What a card is worth depends on its name, but more on how many higher ones are still
    out. So it has an output for each card by name and one for each place in a suit, and
    the logit of a card is the sum of both.

    Args:
        seen: what the network sees.
        hidden: the width of each hidden layer.

    Attributes:
        sight: what the network sees.
        trust: what the logit of the advised action gains from being advised: first
            that of a card, then that of a call.
    """

    suits: Tensor

    def __init__(self, seen: Sight, hidden: tuple[int, ...]) -> None:
        super().__init__(seen.features, hidden, seen.game.num_actions + CARDS)
        self.sight = seen
        self.trust = nn.Parameter(torch.zeros(2))
        first = torch.arange(CARDS) // RANKS_IN_SUIT * RANKS_IN_SUIT
        self.register_buffer("suits", first, persistent=False)
        self._higher = seen.features[HIGHER]
        self._advice = seen.features[ADVICE] if seen.advised else None

    def forward(self, rows: Tensor) -> Tensor:
        """Logits ``(len, num_actions)`` for rows ``(len, sight.features.size)``."""
        logits = self.values(rows)
        if self._advice is not None:
            calls = logits.shape[1] - CARDS
            trust = nn.functional.pad(self.trust[:1].expand(CARDS), (0, calls))
            trust = trust + nn.functional.pad(self.trust[1:].expand(calls), (CARDS, 0))
            logits = logits + trust * rows[:, self._advice]
        return logits

    def values(self, rows: Tensor, dropout: float = 0.0) -> Tensor:
        """What the network itself makes of the actions, without trust in advice."""
        outputs = self.dropped(rows, dropout).float()
        by_name, by_place = outputs[:, :-CARDS], outputs[:, -CARDS:]
        by_place = by_place.gather(1, self.suits + rows[:, self._higher])
        others = by_name.shape[1] - CARDS
        values: Tensor = by_name + nn.functional.pad(by_place, (0, others))
        return values


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits with those of illegal actions forbidden, in float32."""
    return logits.float().masked_fill(mask == 0, FORBIDDEN)


def are_calls(masks: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether the decisions with these action masks are calls, not cards."""
    return np.asarray(masks[..., CARDS:].any(-1))


class NetAgent:
    """Plays the action with the highest logit among the legal ones.

    Attributes:
        game: the game it was made for.
        network: the policy.
    """

    def __init__(self, network: PolicyNetwork) -> None:
        self.game = network.sight.game
        self.network = network.eval()
        self._sight = network.sight

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """The chosen action for each view."""
        self._check_game(views.game)
        actions: npt.NDArray[np.int64] = views.action_mask.argmax(1)
        # Whoever has no choice need not think.
        free = np.flatnonzero(views.action_mask.sum(1) > 1)
        if len(free):
            actions[free] = self._chosen(
                np.ascontiguousarray(views.observation[free], np.int8),
                np.ascontiguousarray(views.action_mask[free], np.int8),
            )
        return actions

    def _chosen(
        self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        orders = self._sight.orders(observation)
        rows = self._sight.observation(observation, action_mask, orders)
        mask = self._sight.mask(action_mask, orders)
        with torch.inference_mode():
            device = self.network.scale.device
            logits = self.network(torch.from_numpy(rows).to(device))
            best = masked(logits, torch.from_numpy(mask).to(device)).argmax(1)
        return self._sight.action(best.cpu().numpy(), orders)

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
        advised: whether it is told what the rule-of-thumb player would do.
        features: a digest of the table of the features that it sees.
        notes: anything about its training, for people.
    """

    game: str
    options: dict[str, Any]
    hidden: tuple[int, ...]
    advised: bool
    features: str
    notes: dict[str, Any]


def save_policy(path: Path, network: PolicyNetwork, notes: dict[str, Any]) -> None:
    """Write a policy as one safetensors file."""
    seen = network.sight
    header = PolicyHeader(
        seen.game.name,
        dataclasses.asdict(seen.game.options),
        network.hidden,
        seen.advised,
        features_digest(seen.features),
        notes,
    )
    tensors = {
        name: tensor.detach().cpu().contiguous()
        for name, tensor in network.state_dict().items()
    }
    metadata = {"format": FORMAT, "policy": json.dumps(dataclasses.asdict(header))}
    save_file(tensors, path, metadata)


def load_policy(path: Path) -> tuple[PolicyHeader, PolicyNetwork]:
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
        seen = sight(game(header.game, **header.options), header.advised)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the header of {path} cannot be read: {error!r}") from None
    if header.features != features_digest(seen.features):
        raise ValueError(
            f"{path} was trained on other features than {header.game} has now; "
            "train it again"
        )
    network = PolicyNetwork(seen, tuple(header.hidden))
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise ValueError(f"{path} does not fit its own header: {error}") from None
    return header, network


class HouseAgent:
    """Plays every game by the network that comes with the package for it."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """The chosen action for each view.

        Raises:
            ValueError: no network for the game comes with the package.
        """
        return _of_the_house(views.game.rules).act(views)


def house_file(rules: Rules) -> Path:
    """Where the network that comes with the package for a game is, if there is one."""
    return HOUSE / f"{rules.name}_{rules.agents}.safetensors"


@functools.cache
def _of_the_house(rules: Rules) -> NetAgent:
    path = house_file(rules)
    if not path.is_file():
        raise ValueError(
            f"no network for {rules.name} with {rules.agents} agents comes with the "
            f"package; train one with 'whist train {rules.name}' and write its path "
            "after the colon, such as 'net:runs/a'"
        )
    return load_net(path)


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
    _, network = load_policy(policy_file(Path(path)))
    return NetAgent(network.to(device))


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


def _thinned(units: Tensor, dropout: float) -> Tensor:
    """Units with a part of them, in whole 256ths, left out at random.

    As `torch.nn.functional.dropout`, but that a byte of chance for each unit is drawn
    many times faster on a CPU than a float.
    """
    out = min(round(256 * dropout), 255)
    words = torch.empty(-(-units.numel() // 8), dtype=torch.int64, device=units.device)
    lots = words.random_(-(2**63), None).view(torch.uint8)[: units.numel()]
    return units * (lots.view_as(units) >= out) * (256 / (256 - out))


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
