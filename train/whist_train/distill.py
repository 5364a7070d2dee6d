"""A warm start from the double-dummy solver.

With all hands open the solver knows what every card is worth. A network that sees its
own hand alone cannot, but it can learn the mean over what the others may hold: it is
fitted to the values of the true hands at very many positions (Q-distillation). The
critic, which sees every hand, is fitted to the value of the position. What comes of it
plays about as well as the rule-of-thumb player, and learns from there by self-play:
mistakes of the solver's kind, which takes hidden cards for known, are left to that.

Positions come from tables at which the rule-of-thumb player now and then plays any card
at random. Few are taken from the first tricks, which take longest to solve. Labels are
written in files of some thousand and fitted when there are enough; a stopped
distillation goes on from the files that are there.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from tyro.conf import Positional

import whist_agents
from whist_agents.net import Network, PolicyNetwork, features_digest, masked
from whist_agents.sight import Sight, sight
from whist_env import Game, Tables, Views
from whist_env.solver import dds, solve
from whist_train.lesson import above_mean
from whist_train.strength import training_game

_Array = npt.NDArray[Any]

GAMES: Final = ("whist",)
"""Games whose play the solver knows, from the first card to the last."""
TABLES: Final = 256
TEACHER: Final = "hoyle"
RANDOM_CARDS: Final = 0.2
SHARES: Final = (0.02, 0.04, 0.08, 0.15)
"""What part of the decisions is labelled in the first tricks; then always the last."""
SHARD: Final = 10_000
"""Labels in a file."""
HELD_OUT: Final = 0.05
"""The part of the labels that is not fitted, but tells when to stop."""


@dataclasses.dataclass(frozen=True)
class DistillConfig:
    """Settings of a distillation.

    Attributes:
        game: the game; Whist.
        out: the folder of the labels and of what is fitted to them.
        labels: how many positions to solve; some 500 a second on one core.
        seed: the seed of everything.
        hidden: widths of the policy's hidden layers, those of the training to come.
        critic_hidden: widths of the critic's hidden layers.
        advice: whether the policy is told what the rule-of-thumb player would do.
        epochs: passes over the labels at most.
        minibatch: labels in a gradient step.
        learning_rate: at the start; it falls linearly to 0.
        dropout: the part of the hidden units left out in a step.
        weight_decay: of the optimiser.
        value_scale: the reward that counts as 1 for the critic.
    """

    game: Positional[str] = "whist"
    out: Path = Path("runs/distilled")
    labels: int = 400_000
    seed: int = 0
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    advice: bool = True
    epochs: int = 9
    minibatch: int = 2048
    learning_rate: float = 1e-3
    dropout: float = 0.3
    weight_decay: float = 0.1
    value_scale: float = 4.0

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise ValueError(
                f"game={self.game!r}: the solver teaches {', '.join(GAMES)}; other "
                "games begin with lessons, which 'whist train' gives by itself"
            )
        for name in ("labels", "epochs", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        for name in ("learning_rate", "value_scale"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)!r} must be more than 0")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout={self.dropout!r} must be from 0 to below 1")
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay={self.weight_decay!r} must not be negative")


# Labels -----------------------------------------------------------------------------


@dataclasses.dataclass
class Labels:
    """Positions and what the solver makes of them, with canonical suits.

    Attributes:
        states: ``(len, state_features.size)`` int8; each starts with the observation.
        masks: ``(len, num_actions)`` int8.
        values: the tricks that the side to play takes from here on, by card; 0 for
            cards that may not be played. ``(len, num_actions)`` int8.
        left: the tricks that are left, that on the table included, ``(len,)`` int8.
    """

    states: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    values: npt.NDArray[np.int8]
    left: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.states)

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """All labels of several parts, in order."""
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in dataclasses.fields(cls)
            )
        )

    def rows(self, chosen: slice | _Array) -> Self:
        """Some of the labels."""
        return type(self)(
            *(getattr(self, field.name)[chosen] for field in dataclasses.fields(self))
        )

    def save(self, path: Path) -> None:
        """Write them so that the file is there whole or not at all."""
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            np.savez_compressed(file, **vars(self))
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The labels that `save` wrote."""
        with np.load(path) as arrays:
            return cls(**arrays)


def labels(seen: Sight, seed: int) -> Iterator[Labels]:
    """Solve positions without end, in parts of one ply of many tables.

    Args:
        seen: what the networks see of a game with tricks, without calls.
        seed: of the deals, of the random cards and of the positions that are taken.
    """
    game, rng = seen.game, np.random.default_rng(seed)
    tables = Tables(game, TABLES, seed, dtype=np.int8)
    player = whist_agents.load(TEACHER)
    batch = tables.reset()
    while True:
        tricks = tables.records["tricks_played"].astype(np.int64)
        share = np.array(SHARES)[np.minimum(tricks, len(SHARES) - 1)]
        free = batch.action_mask.sum(1) > 1
        rows = np.flatnonzero(free & (rng.random(TABLES) < share))
        if len(rows):
            masks = batch.action_mask[rows]
            orders = seen.orders(batch.observation[rows])
            values = np.array([_values(game, tables, row) for row in rows.tolist()])
            yield Labels(
                seen.state(tables.state()[rows], masks, orders),
                seen.mask(masks, orders),
                seen.by_action(values, orders),
                (13 - tricks[rows]).astype(np.int8),
            )
        views = Views(
            game,
            batch.observation,
            batch.action_mask,
            rng.integers(0, 2**64, TABLES, dtype=np.uint64),
        )
        by_chance = rng.random(TABLES) < RANDOM_CARDS
        batch = tables.step(
            np.where(by_chance, tables.sample_actions(), player.act(views))
        )


def _values(game: Game, tables: Tables, row: int) -> npt.NDArray[np.int8]:
    values = np.zeros(game.num_actions, np.int8)
    for card, value in solve(tables.table(row)).values.items():
        values[card] = value
    return values


# Fitting ----------------------------------------------------------------------------


class Distillation:
    """Fits a policy and a critic to labels.

    Attributes:
        policy: its outputs are tricks above the mean of the legal cards, and serve as
            logits as they are.
        critic: its output is the reward to come for the side to play.
    """

    def __init__(self, seen: Sight, config: DistillConfig) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.policy = PolicyNetwork(seen, config.hidden)
        self.critic = Network(seen.state_features, config.critic_hidden, 1)
        self._inputs = seen.features.size
        self._order = torch.Generator().manual_seed(config.seed)

    def fit(
        self, known: Labels, watch: Callable[[dict[str, float]], None] | None = None
    ) -> dict[str, float]:
        """Fit, and keep what does best on labels that were held out.

        Args:
            known: the labels.
            watch: called after each epoch with its figures.

        Returns:
            The figures of the best epoch: ``regret``, the mean number of tricks that
            the policy's card is worth less than the best one with all hands open, and
            ``value_error``, the root of the critic's mean squared error in tricks.
        """
        kept_back = max(1, int(HELD_OUT * len(known)))
        held_out, fitted = (
            known.rows(slice(kept_back)),
            known.rows(slice(kept_back, None)),
        )
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        optimiser = torch.optim.AdamW(
            parameters, weight_decay=self.config.weight_decay, fused=True
        )
        best: dict[str, float] = {}
        kept: list[dict[str, Tensor]] = []
        for epoch in range(self.config.epochs):
            self._epoch(fitted, optimiser, epoch)
            figures = {"epoch": epoch + 1.0, **self.judge(held_out)}
            if watch is not None:
                watch(figures)
            if not best or figures["regret"] < best["regret"]:
                best = figures
                kept = [
                    {name: value.clone() for name, value in net.state_dict().items()}
                    for net in (self.policy, self.critic)
                ]
        self.policy.load_state_dict(kept[0])
        self.critic.load_state_dict(kept[1])
        return best

    def judge(self, held_out: Labels) -> dict[str, float]:
        """How far policy and critic are from the solver."""
        with torch.inference_mode():
            states = torch.from_numpy(held_out.states)
            masks = torch.from_numpy(held_out.masks)
            values = torch.from_numpy(held_out.values).float()
            chosen = masked(self.policy(states[:, : self._inputs]), masks).argmax(1)
            regret = values.max(1).values - values.gather(1, chosen[:, None])[:, 0]
            error = self.critic(states)[:, 0] - _to_come(
                values, torch.from_numpy(held_out.left), self.config.value_scale
            )
        # The margin changes by two with every trick.
        tricks = self.config.value_scale / 2
        return {
            "regret": regret.mean().item(),
            "value_error": tricks * error.square().mean().sqrt().item(),
        }

    def _epoch(
        self, fitted: Labels, optimiser: torch.optim.Optimizer, epoch: int
    ) -> None:
        order = torch.randperm(len(fitted), generator=self._order).numpy()
        parts = np.array_split(order, math.ceil(len(order) / self.config.minibatch))
        for step, rows in enumerate(parts):
            done = (epoch + step / len(parts)) / self.config.epochs
            for group in optimiser.param_groups:
                group["lr"] = self.config.learning_rate * (1 - done)
            optimiser.zero_grad()
            torch.autograd.backward(self._loss(fitted.rows(rows)))
            optimiser.step()

    def _loss(self, part: Labels) -> Tensor:
        states, masks = torch.from_numpy(part.states), torch.from_numpy(part.masks)
        values = torch.from_numpy(part.values).float()
        dropout = self.config.dropout
        outputs = self.policy.values(states[:, : self._inputs], dropout)
        wrong = above_mean(outputs, masks) - above_mean(values, masks)
        policy_loss = wrong.square().sum() / masks.sum()
        to_come = _to_come(values, torch.from_numpy(part.left), self.config.value_scale)
        judged = self.critic.dropped(states, dropout)[:, 0]
        loss: Tensor = policy_loss + (judged - to_come).square().mean()
        return loss


def _to_come(values: Tensor, left: Tensor, value_scale: float) -> Tensor:
    """The reward to come for the side to play: its tricks less those of the other."""
    return (2 * values.max(1).values - left) / value_scale


# The folder -------------------------------------------------------------------------


def distill(
    config: DistillConfig, watch: Callable[[str], None] = lambda text: None
) -> Path:
    """Solve positions, fit networks to them, and write these into the folder.

    Args:
        config: the settings.
        watch: is told in words how far it is.

    Returns:
        The file to give to ``whist train --start``.

    Raises:
        ImportError: the solver of whole deals is not installed.
        ValueError: the folder is a file.
    """
    seen = sight(training_game(config.game, None), config.advice)
    known = _known_labels(seen, config, watch)
    distillation = Distillation(seen, config)
    figures = distillation.fit(
        known, lambda f: watch(", ".join(f"{name} {f[name]:.3f}" for name in f))
    )
    path = config.out / "networks.safetensors"
    tensors = {
        f"{part}.{name}": value.contiguous()
        for part in ("policy", "critic")
        for name, value in getattr(distillation, part).state_dict().items()
    }
    notes = {**dataclasses.asdict(config), "out": str(config.out), **figures}
    save_file(tensors, path, {"notes": json.dumps(notes)})
    return path


def load_networks(path: Path) -> dict[str, dict[str, Tensor]]:
    """The weights that `distill` wrote: those of ``"policy"`` and of ``"critic"``.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        tensors = load_file(path)
    except Exception as error:
        raise ValueError(f"{path} holds no networks to start from: {error}") from None
    weights: dict[str, dict[str, Tensor]] = {"policy": {}, "critic": {}}
    for name, tensor in tensors.items():
        part, _, rest = name.partition(".")
        weights.setdefault(part, {})[rest] = tensor
    return weights


def _known_labels(
    seen: Sight, config: DistillConfig, watch: Callable[[str], None]
) -> Labels:
    """As many labels as were asked for, from files and from the solver."""
    folder = config.out / "labels"
    if SHARES[0] and dds.library() is None:
        raise ImportError(
            "whole deals are solved by DDS, which is not installed: "
            "pip install 'whist-env[solve]'"
        )
    if config.out.is_file():
        raise ValueError(f"{config.out} is a file; name a folder for the labels")
    folder.mkdir(parents=True, exist_ok=True)
    layout = features_digest(seen.state_features)
    shards: list[Labels] = []
    while (size := sum(map(len, shards))) < config.labels:
        path = folder / f"{layout}_{config.seed}_{len(shards):05d}.npz"
        if not path.exists():
            # Each file has deals of its own, so that it does not matter who wrote it.
            words = np.random.SeedSequence(config.seed, spawn_key=(len(shards),))
            seed = int(words.generate_state(1, np.uint64)[0])
            _solved(seen, seed, min(SHARD, config.labels - size)).save(path)
        shards.append(Labels.load(path))
        watch(f"{sum(map(len, shards))} of {config.labels} positions solved")
    return Labels.joined(shards).rows(slice(config.labels))


def _solved(seen: Sight, seed: int, size: int) -> Labels:
    parts: list[Labels] = []
    for part in labels(seen, seed):
        parts.append(part)
        if sum(map(len, parts)) >= size:
            break
    return Labels.joined(parts).rows(slice(size))
