"""Self-play with proximal policy optimisation (PPO).

One policy plays all seats of many tables. It sees what its seat may know; the critic,
used in training only, sees every hand. The algorithm is PPO with clipping (Schulman et
al. 2017) and generalised advantage estimation (Schulman et al. 2016), with masked
actions (Huang and Ontanon 2022) and a critic with perfect information, as in PerfectDou
(Yang et al. 2022). What is particular to tables of two sides:

* There is one value, that of side 0; for the other side it is its negative. Advantages
  run over *all* plies of a table with this one value, and the player of each ply gets
  them with the sign of its side. No seat ever bootstraps across the others' turns.
* Illegal actions get no probability inside the distribution, before the softmax.
* Decisions with one legal action carry no gradient and are left out.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from whist_agents.canonical import canonical
from whist_agents.net import Network, masked
from whist_env import Game, Tables

_Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Settings of the algorithm.

    Attributes:
        tables: tables played side by side.
        plies: actions at each table in an iteration; 52 are one deal of Whist.
        hidden: widths of the policy's hidden layers.
        critic_hidden: widths of the critic's hidden layers.
        learning_rate: at the start; it falls linearly to a tenth.
        epochs: passes over the decisions of an iteration.
        minibatch: decisions in a gradient step.
        clip: how far the probability of an action may move in an iteration.
        gae_lambda: how far advantages look ahead, per ply of the table.
        entropy: weight of the entropy at the start; it falls linearly to a fifth.
        gradient_norm: the largest norm of the gradient of each network.
        value_scale: the reward that counts as 1 for the critic.
    """

    tables: int = 512
    plies: int = 52
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    learning_rate: float = 2e-3
    epochs: int = 2
    minibatch: int = 2048
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy: float = 0.01
    gradient_norm: float = 0.5
    value_scale: float = 4.0

    def __post_init__(self) -> None:
        for name in ("tables", "plies", "epochs", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        for name in ("hidden", "critic_hidden"):
            if any(width < 1 for width in getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)!r} has a width below 1")
        for name in ("learning_rate", "clip", "gradient_norm", "value_scale"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)!r} must be more than 0")
        if not 0 <= self.entropy < math.inf:
            raise ValueError(f"entropy={self.entropy!r} must not be negative")
        if not 0 <= self.gae_lambda <= 1:
            raise ValueError(f"gae_lambda={self.gae_lambda!r} must be from 0 to 1")


@dataclasses.dataclass
class Rollout:
    """What was played in an iteration; the first two axes are ply and table.

    Attributes:
        states: everything, with canonical suits; starts with the observation.
        masks: action masks with canonical suits.
        actions: canonical actions.
        log_probabilities: of the actions, when they were chosen.
        signs: +1 where the player is of side 0, -1 elsewhere.
        rewards: what side 0 earned.
        ends: 1 where the action ended an episode.
    """

    states: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    log_probabilities: npt.NDArray[np.float32]
    signs: npt.NDArray[np.float32]
    rewards: npt.NDArray[np.float32]
    ends: npt.NDArray[np.float32]


class PPO:
    """The learner: networks, optimisers, tables and chance.

    Attributes:
        game: the game with its options; rewards are the game's own.
        policy: the network that plays.
        critic: the network that judges; it sees every hand.
    """

    def __init__(
        self,
        game: Game,
        config: PPOConfig,
        *,
        seed: int = 0,
        device: str = "cpu",
        precision: str = "float32",
    ) -> None:
        """A learner before its first iteration.

        Args:
            game: a game of two sides.
            config: settings.
            seed: of the networks, the tables and the choice of actions.
            device: where the networks compute.
            precision: ``"float32"``, or ``"bfloat16"`` for the products of matrices.
        """
        torch.manual_seed(seed)
        self.game = game
        self.config = config
        self.policy = Network(game.features, config.hidden, game.num_actions)
        self.critic = Network(game.state_features, config.critic_hidden, 1)
        self.policy.to(device)
        self.critic.to(device)
        self._device = torch.device(device)
        self._autocast = precision == "bfloat16"
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self._optimiser = torch.optim.Adam(parameters, eps=1e-5, fused=True)
        self._chance = torch.Generator(device).manual_seed(seed)
        self._order = torch.Generator().manual_seed(seed)
        self._canonical = canonical(game)
        self._sides = _sides(game)
        self.tables = Tables(game, config.tables, seed, dtype=np.int8)
        self.tables.reset()
        self._rollout = _empty_rollout(game, config)

    def iterate(self, progress: float) -> dict[str, float]:
        """Play, then learn from what was played.

        Args:
            progress: the part of the training that is behind, 0 to 1; it sets the
                learning rate and the weight of the entropy.

        Returns:
            Figures about the iteration by name.

        Raises:
            FloatingPointError: the losses are no longer finite numbers.
        """
        played = self.play()
        values, advantages = self.judge(played)
        figures = self.learn(played, values, advantages, progress)
        figures["deals"] = float(played.ends.sum())
        return figures

    # Play -------------------------------------------------------------------------

    def play(self) -> Rollout:
        """Let the policy play all seats of all tables for some plies."""
        played = self._rollout
        batch = self.tables.look()
        for ply in range(self.config.plies):
            orders = self._canonical.orders(batch.observation)
            state = self._canonical.state(self.tables.state(), orders)
            mask = self._canonical.mask(batch.action_mask, orders)
            action, log_probability = self._choose(state, mask)
            played.states[ply] = state
            played.masks[ply] = mask
            played.actions[ply] = action
            played.log_probabilities[ply] = log_probability
            played.signs[ply] = self._sides[batch.agent]
            batch = self.tables.step(self._canonical.action(action, orders))
            played.rewards[ply] = batch.rewards[:, 0]
            played.ends[ply] = batch.done
        return played

    def _choose(self, state: _Array, mask: _Array) -> tuple[_Array, _Array]:
        """Draw actions from the policy; also the logarithm of their probability."""
        with torch.inference_mode():
            logits = self._logits(self._tensor(state), self._tensor(mask))
            # The largest of logits plus Gumbel noise is a draw from their softmax.
            noise = torch.empty_like(logits).exponential_(generator=self._chance)
            action = (logits - noise.log()).argmax(1)
            chosen = logits.log_softmax(1).gather(1, action[:, None])[:, 0]
        return action.cpu().numpy(), chosen.cpu().numpy()

    # Judge ------------------------------------------------------------------------

    def judge(self, played: Rollout) -> tuple[_Array, _Array]:
        """The values of side 0 and the advantages of the player at every ply.

        Returns:
            Targets for the critic and advantages, both as seen by the player to act
            and in units of `PPOConfig.value_scale`.
        """
        values = self._values(played.states) * played.signs
        after = self._values_now()
        rewards = played.rewards / self.config.value_scale
        advantages = np.zeros_like(values)
        ahead = np.zeros_like(after)
        for ply in reversed(range(self.config.plies)):
            goes_on = 1 - played.ends[ply]
            surprise = rewards[ply] + goes_on * after - values[ply]
            ahead = surprise + self.config.gae_lambda * goes_on * ahead
            advantages[ply] = ahead
            after = values[ply]
        targets = (advantages + values) * played.signs
        return targets, advantages * played.signs

    def _values_now(self) -> _Array:
        """The value of side 0 at every table as it stands."""
        batch = self.tables.look()
        orders = self._canonical.orders(batch.observation)
        state = self._canonical.state(self.tables.state(), orders)
        values: _Array = self._values(state[None])[0] * self._sides[batch.agent]
        return values

    def _values(self, states: _Array) -> _Array:
        """The critic's values for states by ply, as seen by the player to act."""
        with torch.inference_mode(), self._mixed():
            rows = [self.critic(self._tensor(row))[:, 0] for row in states]
        values: _Array = torch.stack(rows).float().cpu().numpy()
        return values

    # Learn ------------------------------------------------------------------------

    def learn(
        self, played: Rollout, targets: _Array, advantages: _Array, progress: float
    ) -> dict[str, float]:
        """Improve the policy and the critic by some gradient steps."""
        for group in self._optimiser.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.9 * progress)
        entropy_weight = self.config.entropy * (1 - 0.8 * progress)
        free = played.masks.sum(2) > 1
        normal = _normalised(advantages[free])
        data = (
            self._tensor(played.states[free]),
            self._tensor(played.masks[free]),
            self._tensor(played.actions[free]),
            self._tensor(played.log_probabilities[free]),
            self._tensor(targets[free]),
            self._tensor(normal),
        )
        sums: dict[str, float] = {}
        steps = 0
        for rows in self._minibatches(len(normal)):
            figures = self._gradient_step(entropy_weight, *(d[rows] for d in data))
            for name, value in figures.items():
                sums[name] = sums.get(name, 0.0) + value
            steps += 1
        means = {name: value / steps for name, value in sums.items()}
        if not all(np.isfinite(value) for value in means.values()):
            raise FloatingPointError(f"training has diverged: {means}")
        means["decisions"] = float(len(normal))
        return means

    def _gradient_step(
        self,
        entropy_weight: float,
        states: Tensor,
        masks: Tensor,
        actions: Tensor,
        old_log_probabilities: Tensor,
        targets: Tensor,
        advantages: Tensor,
    ) -> dict[str, float]:
        log_probabilities = self._logits(states, masks).log_softmax(1)
        chosen = log_probabilities.gather(1, actions[:, None])[:, 0]
        entropy = -(log_probabilities.exp() * log_probabilities).sum(1).mean()
        change = chosen - old_log_probabilities
        ratio = change.exp()
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        with self._mixed():
            values = self.critic(states)[:, 0]
        value_loss = 0.5 * (values.float() - targets).square().mean()
        loss = policy_loss + value_loss - entropy_weight * entropy
        self._optimiser.zero_grad()
        loss.backward()
        for network in (self.policy, self.critic):
            nn.utils.clip_grad_norm_(network.parameters(), self.config.gradient_norm)
        self._optimiser.step()
        return {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": entropy.item(),
            # The usual low-variance estimate (Schulman 2020).
            "divergence": (ratio - 1 - change).mean().item(),
        }

    def _logits(self, states: Tensor, masks: Tensor) -> Tensor:
        """The policy's logits for the observations that the states start with."""
        with self._mixed():
            logits = self.policy(states[:, : self.game.features.size])
        return masked(logits, masks)

    def _minibatches(self, size: int) -> Iterator[Tensor]:
        for _ in range(self.config.epochs):
            order = torch.randperm(size, generator=self._order).to(self._device)
            yield from torch.split(order, self.config.minibatch)

    def _mixed(self) -> torch.autocast:
        return torch.autocast(self._device.type, torch.bfloat16, enabled=self._autocast)

    def _tensor(self, array: _Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    # Saving -----------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        return {
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "chance": self._chance.get_state(),
            "order": self._order.get_state(),
            "tables": torch.frombuffer(
                bytearray(self.tables.to_bytes()), dtype=torch.uint8
            ),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._chance.set_state(state["chance"])
        self._order.set_state(state["order"])
        self.tables.restore(state["tables"].numpy().tobytes())


def _sides(game: Game) -> npt.NDArray[np.float32]:
    """+1 for each agent that shares the rewards of agent 0, -1 for the others."""
    partners = game.rules.partners
    if len(set(partners)) != 2:
        raise ValueError(
            f"{game.name} has {len(set(partners))} sides; this trainer needs two"
        )
    return np.array([1 if p == partners[0] else -1 for p in partners], np.float32)


def _empty_rollout(game: Game, config: PPOConfig) -> Rollout:
    shape = (config.plies, config.tables)
    return Rollout(
        states=np.empty((*shape, game.state_features.size), np.int8),
        masks=np.empty((*shape, game.num_actions), np.int8),
        actions=np.empty(shape, np.int64),
        log_probabilities=np.empty(shape, np.float32),
        signs=np.empty(shape, np.float32),
        rewards=np.empty(shape, np.float32),
        ends=np.empty(shape, np.float32),
    )


def _normalised(values: _Array) -> _Array:
    normal: _Array = (values - values.mean()) / (values.std() + 1e-8)
    return normal
