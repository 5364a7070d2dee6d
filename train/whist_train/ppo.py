"""Self-play with proximal policy optimisation (PPO).

One policy plays all seats of many tables. It sees what its seat may know; the critic,
used in training only, sees every hand. The algorithm is PPO with clipping (Schulman et
al. 2017) and generalised advantage estimation (Schulman et al. 2016), with masked
actions (Huang and Ontanon 2022) and a critic with perfect information, as in PerfectDou
(Yang et al. 2022). What is particular to tables of cards:

* Advantages run over *all* plies of a table, with the values of all that play for
  themselves, and the player of each ply gets its own. No seat ever bootstraps across
  the others' turns. Two sides have one value: that of the other is its negative.
* A call is judged by what came of it, a card mostly by what the critic makes of the
  next plies (lambda 1 and `PPOConfig.gae_lambda`): a critic that has seen only good
  hands bid would take any bid for good news.
* Illegal actions get no probability inside the distribution, before the softmax.
* Decisions with one legal action carry no gradient and are left out.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

import whist_agents
from whist_agents.canonical import canonical
from whist_agents.net import Network, masked
from whist_env import Batch, Game, Player, Tables, Views
from whist_env.cards import CARDS
from whist_train.strength import usual_return

_Array = npt.NDArray[Any]

COLLAPSED: Final = 1e-3
"""A mean entropy, in nats, below which nothing more is learnt."""

IMITATION: Final = 60
"""Iterations of imitation in games with calls."""
AFTER_IMITATION: Final = 0.5
"""What remains of the learning rate and of the weight of the entropy afterwards."""
TEACHER: Final = "hoyle"
FOLLOWED: Final = 0.9
"""How often a teacher's action is carried out and not the policy's own."""


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Settings of the algorithm.

    Attributes:
        tables: tables played side by side.
        plies: actions at each table in an iteration; 52 are one deal of Whist.
        hidden: widths of the policy's hidden layers.
        critic_hidden: widths of the critic's hidden layers.
        learning_rate: at the start; it falls linearly to a tenth. After imitation
            half of it is taken, and of the entropy.
        epochs: passes over the decisions of an iteration.
        minibatch: decisions in a gradient step.
        clip: how far the probability of an action may move in an iteration.
        gae_lambda: how far advantages of cards look ahead, per ply of the table.
        entropy: weight of the entropy at the start; it falls linearly to a fifth.
        gradient_norm: the largest norm of the gradient of each network.
        value_scale: the reward that counts as 1 for the critic; ``None`` takes what a
            deal of the game usually brings (`whist_train.strength.usual_return`).
        imitation: iterations in which the policy first learns to do as the
            rule-of-thumb player does; ``None`` takes some in games with calls. Whoever
            knows nothing loses by every bid, learns to pass, and then learns no more.
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
    value_scale: float | None = None
    imitation: int | None = None

    def settled_for(self, game: Game) -> PPOConfig:
        """The same with all that is left open decided for a game."""
        scale, imitation = self.value_scale, self.imitation
        if scale is None:
            scale = usual_return(game)
        if imitation is None:
            imitation = IMITATION if game.num_actions > CARDS else 0
        return dataclasses.replace(self, value_scale=scale, imitation=imitation)

    def __post_init__(self) -> None:
        for name in ("tables", "plies", "epochs", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        for name in ("hidden", "critic_hidden"):
            if any(width < 1 for width in getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)!r} has a width below 1")
        for name in ("learning_rate", "clip", "gradient_norm", "value_scale"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}={value!r} must be more than 0")
        if self.imitation is not None and self.imitation < 0:
            raise ValueError(f"imitation={self.imitation!r} must not be negative")
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
        agents: the player.
        rewards: what was earned by side 0 or, where there are not two sides, by each
            agent; a third axis.
        ends: 1 where the action ended an episode.
    """

    states: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    log_probabilities: npt.NDArray[np.float32]
    agents: npt.NDArray[np.int64]
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
            game: the game with its options.
            config: settings.
            seed: of the networks, the tables and the choice of actions.
            device: where the networks compute.
            precision: ``"float32"``, or ``"bfloat16"`` for the products of matrices.
        """
        torch.manual_seed(seed)
        self.game = game
        self.config = config.settled_for(game)
        assert self.config.value_scale is not None
        self._scale = self.config.value_scale
        self.policy = Network(game.features, config.hidden, game.num_actions)
        self._standpoints = standpoints(game)
        values = self._standpoints.shape[1]
        self.critic = Network(game.state_features, config.critic_hidden, values)
        self.policy.to(device)
        self.critic.to(device)
        self._device = torch.device(device)
        self._autocast = precision == "bfloat16"
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self._optimiser = torch.optim.Adam(parameters, eps=1e-5, fused=True)
        self._chance = torch.Generator(device).manual_seed(seed)
        self._order = torch.Generator().manual_seed(seed)
        self._canonical = canonical(game)
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
            FloatingPointError: the losses are no longer finite numbers, or the policy
                has stopped exploring.
        """
        played = self.play()
        values, advantages = self.judge(played)
        figures = self.learn(played, values, advantages, progress)
        figures["deals"] = float(played.ends.sum())
        return figures

    def imitate(self) -> dict[str, float]:
        """Watch the rule-of-thumb player, and learn to do as it does.

        The policy sometimes plays instead, so that it also learns what to do after its
        own mistakes. The critic learns what such play brings.

        Returns:
            Figures about the iteration by name.

        Raises:
            FloatingPointError: the losses are no longer finite numbers.
        """
        played = self.play(whist_agents.load(TEACHER))
        targets, _ = self.judge(played)
        self._set_learning_rate(1.0)
        free = played.masks.sum(2) > 1
        figures = self._improve(
            self._imitation_step,
            played.states[free],
            played.masks[free],
            played.actions[free],
            targets[free],
        )
        figures["deals"] = float(played.ends.sum())
        return figures

    # Play -------------------------------------------------------------------------

    def play(self, teacher: Player | None = None) -> Rollout:
        """Let the policy play all seats of all tables for some plies.

        Args:
            teacher: an agent whose actions are noted instead, and at most tables also
                carried out.
        """
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
            if teacher is not None:
                shown = self._shown_by(teacher, batch, orders)
                played.actions[ply] = shown
                action = np.where(self._chances(len(shown)) < FOLLOWED, shown, action)
            played.log_probabilities[ply] = log_probability
            played.agents[ply] = batch.agent
            batch = self.tables.step(self._canonical.action(action, orders))
            played.rewards[ply] = batch.rewards[:, : played.rewards.shape[2]]
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

    def _shown_by(self, teacher: Player, batch: Batch, orders: _Array) -> _Array:
        """The canonical actions that a teacher would take."""
        no_chance = np.zeros(len(orders), np.uint64)
        views = Views(self.game, batch.observation, batch.action_mask, no_chance)
        return self._canonical.canonical_action(teacher.act(views), orders)

    def _chances(self, size: int) -> _Array:
        """Random numbers from 0 to 1."""
        chances = torch.rand(size, generator=self._chance, device=self._device)
        drawn: _Array = chances.cpu().numpy()
        return drawn

    # Judge ------------------------------------------------------------------------

    def judge(self, played: Rollout) -> tuple[_Array, _Array]:
        """What the critic shall learn, and the advantages of the player at every ply.

        Returns:
            Targets for the critic, from the standpoint of the player, ``(plies, tables,
            values)``; and advantages, ``(plies, tables)``. Both are in units of
            `PPOConfig.value_scale`.
        """
        seen_from = self._standpoints[played.agents]
        values = _in_common(self._values(played.states), seen_from)
        values_now = self._values_now()
        advantages = self._advantages(
            played, values, values_now, self.config.gae_lambda
        )
        calls = _are_calls(played.masks)
        if calls.any():
            outcomes = self._advantages(played, values, values_now, 1.0)
            advantages[calls] = outcomes[calls]
        targets = _from_standpoint(advantages + values, seen_from)
        return targets, _from_standpoint(advantages, seen_from)[..., 0]

    def _advantages(
        self, played: Rollout, values: _Array, values_now: _Array, gae_lambda: float
    ) -> _Array:
        """Generalised advantages of all at every ply, ``(plies, tables, values)``."""
        rewards = played.rewards / self._scale
        advantages = np.zeros_like(values)
        after, ahead = values_now, np.zeros_like(values_now)
        for ply in reversed(range(self.config.plies)):
            goes_on = 1 - played.ends[ply, :, None]
            surprise = rewards[ply] + goes_on * after - values[ply]
            ahead = surprise + gae_lambda * goes_on * ahead
            advantages[ply] = ahead
            after = values[ply]
        return advantages

    def _values_now(self) -> _Array:
        """The values at every table as it stands, ``(tables, values)``."""
        batch = self.tables.look()
        orders = self._canonical.orders(batch.observation)
        state = self._canonical.state(self.tables.state(), orders)
        return _in_common(self._values(state[None])[0], self._standpoints[batch.agent])

    def _values(self, states: _Array) -> _Array:
        """The critic's values for states by ply, from the standpoint of the player."""
        with torch.inference_mode(), self._mixed():
            rows = [self.critic(self._tensor(row)) for row in states]
        values: _Array = torch.stack(rows).float().cpu().numpy()
        return values

    # Learn ------------------------------------------------------------------------

    def learn(
        self, played: Rollout, targets: _Array, advantages: _Array, progress: float
    ) -> dict[str, float]:
        """Improve the policy and the critic by some gradient steps."""
        part = AFTER_IMITATION if self.config.imitation else 1.0
        self._set_learning_rate(part * (1 - 0.9 * progress))
        entropy_weight = part * self.config.entropy * (1 - 0.8 * progress)
        free = played.masks.sum(2) > 1
        means = self._improve(
            functools.partial(self._gradient_step, entropy_weight),
            played.states[free],
            played.masks[free],
            played.actions[free],
            played.log_probabilities[free],
            targets[free],
            _normalised(advantages[free], played.masks[free]),
        )
        if means["entropy"] < COLLAPSED:
            raise FloatingPointError(
                f"the policy explores no more: its entropy is {means['entropy']:.2g}; "
                "give it more weight with --ppo.entropy"
            )
        return means

    def _set_learning_rate(self, part: float) -> None:
        for group in self._optimiser.param_groups:
            group["lr"] = self.config.learning_rate * part

    def _improve(
        self, step: Callable[..., dict[str, float]], *arrays: _Array
    ) -> dict[str, float]:
        """Take gradient steps on all decisions; gives the means of their figures."""
        data = [self._tensor(array) for array in arrays]
        sums: dict[str, float] = {}
        steps = 0
        for rows in self._minibatches(len(data[0])):
            figures = step(*(part[rows] for part in data))
            for name, value in figures.items():
                sums[name] = sums.get(name, 0.0) + value
            steps += 1
        means = {name: value / steps for name, value in sums.items()}
        if not all(np.isfinite(value) for value in means.values()):
            raise FloatingPointError(f"training has diverged: {means}")
        means["decisions"] = float(len(data[0]))
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
        value_loss = self._value_loss(states, targets)
        self._descend(policy_loss + value_loss - entropy_weight * entropy)
        return {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": entropy.item(),
            # The usual low-variance estimate (Schulman 2020).
            "divergence": (ratio - 1 - change).mean().item(),
        }

    def _imitation_step(
        self, states: Tensor, masks: Tensor, actions: Tensor, targets: Tensor
    ) -> dict[str, float]:
        logits = self._logits(states, masks)
        imitation_loss = nn.functional.cross_entropy(logits, actions)
        value_loss = self._value_loss(states, targets)
        self._descend(imitation_loss + value_loss)
        return {
            "imitation_loss": imitation_loss.item(),
            "value_loss": value_loss.item(),
            "agreement": (logits.argmax(1) == actions).float().mean().item(),
        }

    def _value_loss(self, states: Tensor, targets: Tensor) -> Tensor:
        with self._mixed():
            values = self.critic(states)
        loss: Tensor = 0.5 * (values.float() - targets).square().mean()
        return loss

    def _descend(self, loss: Tensor) -> None:
        self._optimiser.zero_grad()
        torch.autograd.backward(loss)
        for network in (self.policy, self.critic):
            nn.utils.clip_grad_norm_(network.parameters(), self.config.gradient_norm)
        self._optimiser.step()

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

    # Starting ---------------------------------------------------------------------

    def start_from(self, weights: Mapping[str, dict[str, Tensor]]) -> None:
        """Take over networks, such as `whist_train.distill` makes.

        Args:
            weights: those of ``"policy"`` and of ``"critic"``, by name.

        Raises:
            ValueError: they are of other networks.
        """
        try:
            self.policy.load_state_dict(weights["policy"])
            self.critic.load_state_dict(weights["critic"])
        except RuntimeError as error:
            raise ValueError(
                "the networks to start from have other sizes than those to train; give "
                f"both the same hidden and critic-hidden: {error}"
            ) from None

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


def standpoints(game: Game) -> npt.NDArray[np.float32]:
    """How the values of a table look to each agent: ``(agents, values, values)``.

    Times the values of the table, such a matrix gives those from the standpoint of the
    agent, its own first. With two sides there is one value, that of side 0, which for
    the other has the other sign. Else there is one for each agent, and an agent counts
    them from itself to the left. The matrix is orthogonal: transposed, it leads back.
    """
    partners = game.rules.partners
    if len(set(partners)) == 2:
        signs = [1 if side == partners[0] else -1 for side in partners]
        return np.array(signs, np.float32).reshape(-1, 1, 1)
    each = np.eye(game.num_agents, dtype=np.float32)
    return np.stack([np.roll(each, -agent, 0) for agent in range(game.num_agents)])


def _from_standpoint(values: _Array, seen_from: _Array) -> _Array:
    """Values of the table as agents see them; the matrices are those of the agents."""
    seen: _Array = np.einsum("...ij,...j->...i", seen_from, values)
    return seen


def _in_common(values: _Array, seen_from: _Array) -> _Array:
    """Values that agents see as those of the table."""
    common: _Array = np.einsum("...ij,...i->...j", seen_from, values)
    return common


def _empty_rollout(game: Game, config: PPOConfig) -> Rollout:
    shape = (config.plies, config.tables)
    values = standpoints(game).shape[1]
    return Rollout(
        states=np.empty((*shape, game.state_features.size), np.int8),
        masks=np.empty((*shape, game.num_actions), np.int8),
        actions=np.empty(shape, np.int64),
        log_probabilities=np.empty(shape, np.float32),
        agents=np.empty(shape, np.int64),
        rewards=np.empty((*shape, values), np.float32),
        ends=np.empty(shape, np.float32),
    )


def _are_calls(masks: _Array) -> npt.NDArray[np.bool_]:
    """Whether the decisions with these action masks are calls, not cards."""
    return np.asarray(masks[..., CARDS:].any(-1))


def _normalised(advantages: _Array, masks: _Array) -> _Array:
    """Advantages with mean 0 and spread 1, those of calls and of cards apart.

    A call may be worth tens of tricks. Beside such advantages those of cards would
    vanish, and the weight of the entropy would undo what the play has learnt.
    """
    normal = np.empty_like(advantages)
    calls = _are_calls(masks)
    for rows in (calls, ~calls):
        if rows.any():
            those = advantages[rows]
            normal[rows] = (those - those.mean()) / (those.std() + 1e-8)
    return normal
