"""Self-play with proximal policy optimisation (PPO).

One policy plays all seats of many tables. It sees what its seat may know; the critic,
used in training only, sees every hand. The algorithm is PPO with clipping (Schulman et
al. 2017) and generalised advantage estimation (Schulman et al. 2016), with masked
actions (Huang and Ontanon 2022) and a critic with perfect information, as in PerfectDou
(Yang et al. 2022). What is particular to tables of cards:

* Advantages run over *all* plies of a table, with the values of all that play for
  themselves, and the player of each ply gets its own. No seat ever bootstraps across
  the others' turns. Two sides have one value: that of the other is its negative.
* A policy begins with lessons from the rule-of-thumb player (`whist_train.lesson`),
  then the critic learns to judge it, then both go on by self-play.
* A call is judged by what came of it, a card mostly by what the critic makes of the
  next plies (lambda 1 and `PPOConfig.gae_lambda`): a critic that has seen only good
  hands bid would take any bid for good news. Calls whose deal has not ended when an
  iteration does teach nothing.
* Illegal actions get no probability inside the distribution, before the softmax.
* Decisions with one legal action carry no gradient and are left out.
* Others may sit at some tables (`whist_train.opponents`): past selves, agents by spec.
  The critic learns from all plies; the policy from those it has chosen itself.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from whist_agents.net import Network, PolicyNetwork, are_calls, masked
from whist_agents.sight import sight
from whist_agents.spec import settled
from whist_env import Game, Tables
from whist_env.cards import CARDS
from whist_train import parallel
from whist_train.descent import check_count, descend, improve, set_learning_rate
from whist_train.equity import Equity, RubberTables
from whist_train.lesson import Lessons
from whist_train.opponents import League, Others
from whist_train.strength import usual_return

_Array = npt.NDArray[Any]

COLLAPSED: Final = 1e-3
"""A mean entropy, in nats, below which nothing more is learnt."""

LEARNING_RATE: Final = 2e-3
"""For a policy that knows nothing."""
AFTER_LESSONS: Final = 1e-4
"""The learning rate for a policy that has learnt already: what it knows are small
differences, and larger steps in the noise of self-play would undo it."""
PLIES_WITH_CALLS: Final = 128
"""Plies of an iteration in games with calls, so that most deals end in it."""
TRUST: Final = 2.0
"""The trust in advice of a policy that had no lessons, as a logit."""


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Settings of the algorithm.

    Attributes:
        tables: tables played side by side.
        plies: actions at each table in an iteration; ``None`` takes 52, one deal of
            Whist, and in games with calls what two deals take.
        hidden: widths of the policy's hidden layers.
        critic_hidden: widths of the critic's hidden layers.
        learning_rate: of self-play at its start; it falls linearly to a tenth. ``None``
            takes 0.002, but 0.0001 after lessons.
        epochs: passes over the decisions of an iteration.
        minibatch: decisions in a gradient step.
        clip: how far the probability of an action may move in an iteration.
        gae_lambda: how far advantages of cards look ahead, per ply of the table.
        entropy: weight of the entropy at the start; it falls linearly to a fifth.
        gradient_norm: the largest norm of the gradient of each network.
        value_scale: the reward that counts as 1 for the critic; ``None`` takes what a
            deal of the game usually brings (`whist_train.strength.usual_return`).
        advice: whether the policy is told what the rule-of-thumb player would do.
        lessons: the part of the training that is spent in lessons. Whoever knows
            nothing loses by every bid, learns to pass, and then learns no more.
        critic_alone: the part, after the lessons, in which the critic alone learns; at
            a learning rate of 0.002, as it knows nothing yet.
        league: how often an episode is shared with a player from a pool: as a partner
            of the policy, as an opponent, or as both.
        league_every: iterations between two past selves that join the pool; 0 for none.
        opponents: agents that are in the pool from the beginning, such as hoyle.
    """

    tables: int = 512
    plies: int | None = None
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    learning_rate: float | None = None
    epochs: int = 2
    minibatch: int = 2048
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy: float = 0.01
    gradient_norm: float = 0.5
    value_scale: float | None = None
    advice: bool = True
    lessons: float = 0.7
    critic_alone: float = 0.05
    league: float = 0.0
    league_every: int = 20
    opponents: tuple[str, ...] = ()

    def settled_for(self, game: Game) -> PPOConfig:
        """The same with all that is left open decided for a game."""
        scale, plies, rate = self.value_scale, self.plies, self.learning_rate
        if plies is None:
            plies = CARDS if game.num_actions == CARDS else PLIES_WITH_CALLS
        if rate is None:
            rate = AFTER_LESSONS if self.lessons else LEARNING_RATE
        return dataclasses.replace(
            self,
            plies=plies,
            learning_rate=rate,
            value_scale=usual_return(game) if scale is None else scale,
            opponents=tuple(map(settled, self.opponents)),
        )

    def without_lessons(self) -> PPOConfig:
        """The same for a policy that has learnt already; as after lessons."""
        rate = AFTER_LESSONS if self.learning_rate is None else self.learning_rate
        return dataclasses.replace(self, lessons=0.0, learning_rate=rate)

    def __post_init__(self) -> None:
        for name in ("tables", "plies", "epochs", "minibatch"):
            value = getattr(self, name)
            if value is not None:
                check_count(name, value)
        for name in ("hidden", "critic_hidden"):
            for width in getattr(self, name):
                check_count(f"a width of {name}", width)
        for name in ("learning_rate", "clip", "gradient_norm", "value_scale"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}={value!r} must be more than 0")
        if not (self.lessons >= 0 and self.critic_alone >= 0):
            raise ValueError(
                f"lessons={self.lessons!r} and critic_alone={self.critic_alone!r} must "
                "not be negative"
            )
        if self.lessons + self.critic_alone > 1:
            raise ValueError(
                f"lessons={self.lessons!r} and critic_alone={self.critic_alone!r} are "
                "more than the whole training, which is 1"
            )
        if not 0 <= self.entropy < math.inf:
            raise ValueError(f"entropy={self.entropy!r} must not be negative")
        if not 0 <= self.gae_lambda <= 1:
            raise ValueError(f"gae_lambda={self.gae_lambda!r} must be from 0 to 1")
        self._check_league()

    def _check_league(self) -> None:
        if not 0 <= self.league <= 1:
            raise ValueError(f"league={self.league!r} must be from 0 to 1")
        if self.league_every < 0:
            raise ValueError(f"league_every={self.league_every!r} must not be negative")
        if self.opponents and not self.league:
            raise ValueError(
                f"opponents={self.opponents!r} are never met with league=0; set league "
                "to the part of the episodes that they shall play in"
            )
        if self.league and not (self.opponents or self.league_every):
            raise ValueError(
                f"league={self.league!r} has nobody to play: name opponents, or set "
                "league_every above 0 for past selves"
            )


@dataclasses.dataclass
class Rollout:
    """What was played in an iteration; the first two axes are ply and table.

    Attributes:
        states: what the critic sees; it starts with what the policy sees.
        masks: action masks with canonical suits.
        actions: canonical actions.
        log_probabilities: of the actions, when they were chosen.
        agents: the player.
        rewards: what was earned by side 0 or, where there are not two sides, by each
            agent; a third axis.
        ends: 1 where the action ended an episode.
        own: whether the policy chose the action, and not another player.
    """

    states: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    log_probabilities: npt.NDArray[np.float32]
    agents: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float32]
    ends: npt.NDArray[np.float32]
    own: npt.NDArray[np.bool_]

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Whether the deal of each ply came to its end."""
        ends = np.maximum.accumulate(self.ends[::-1])[::-1]
        return np.asarray(ends > 0)


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
        others: Others | None = None,
    ) -> None:
        """A learner before its first iteration.

        Args:
            game: the game with its options.
            config: settings.
            seed: of the networks, the tables and the choice of actions.
            device: where the networks compute.
            precision: ``"float32"``, or ``"bfloat16"`` for the products of matrices.
            others: who else sits at the tables; by default a league, if one is set.

        Raises:
            ValueError: there is no agent of some spec among the opponents.
            FileNotFoundError: there is no network at the path of some spec.
        """
        torch.manual_seed(seed)
        self.game = game
        self.config = config.settled_for(game)
        assert self.config.value_scale is not None
        self._scale = self.config.value_scale
        self._sight = sight(game, config.advice)
        self.policy = PolicyNetwork(self._sight, config.hidden)
        self._standpoints = standpoints(game)
        values = self._standpoints.shape[1]
        features = self._sight.state_features
        self.critic = Network(features, config.critic_hidden, values)
        self.policy.to(device)
        self.critic.to(device)
        self._device = torch.device(device)
        self._autocast = precision == "bfloat16"
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self._optimiser = torch.optim.Adam(parameters, eps=1e-5, fused=True)
        self._seed = seed = parallel.own_seed(seed)
        self._chance = torch.Generator(device).manual_seed(seed)
        self._order = torch.Generator().manual_seed(seed)
        self.tables = Tables(game, config.tables, seed, dtype=np.int8)
        self.tables.reset()
        self._rollout = _empty_rollout(game, self.config, features.size)
        self._has_begun = False
        self._lessons: Lessons | None = None
        if config.lessons:
            self._lessons = Lessons(
                self.policy, scale=self._scale, seed=seed, precision=self._mixed()
            )
        elif config.advice:
            nn.init.constant_(self.policy.trust, TRUST)
        self._others = self._league(seed) if others is None else others

    def _league(self, seed: int) -> League | None:
        """The league that the settings ask for."""
        config = self.config
        if not config.league:
            return None
        return League(
            self.game,
            self.policy,
            tables=config.tables,
            share=config.league,
            every=config.league_every,
            specs=config.opponents,
            seed=seed,
        )

    def iterate(self, progress: float) -> dict[str, float]:
        """Take a lesson; later play, then learn from what was played.

        Args:
            progress: the part of the training that is behind, 0 to 1; it decides what
                is done, and sets the learning rate and the weight of the entropy.

        Returns:
            Figures about the iteration by name.

        Raises:
            FloatingPointError: the losses are no longer finite numbers, or the policy
                has stopped exploring.
        """
        config = self.config
        if self._lessons is not None and progress < config.lessons:
            return self._lessons.teach(progress / config.lessons)
        if self._lessons is not None:
            self._lessons.end()
            self._lessons = None
        before = config.lessons + config.critic_alone
        if progress < before and not self._has_begun:
            return self.warm_critic()
        self._has_begun = True
        played = self.play()
        values, advantages = self.judge(played)
        progress = max(0.0, (progress - before) / (1 - before)) if before < 1 else 1.0
        figures = self.learn(played, values, advantages, progress)
        if self._others is not None:
            self._others.end_iteration()
        figures["deals"] = float(played.ends.sum())
        return figures

    def player(self) -> PolicyNetwork:
        """The policy as one that draws its actions; several processes call it together.

        During lessons its outputs are still values.
        """
        return self.policy if self._lessons is None else self._lessons.player()

    def warm_critic(self) -> dict[str, float]:
        """Play, and let the critic alone learn from it.

        A policy that plays well would unlearn it from a critic that knows nothing yet.

        Returns:
            Figures about the iteration by name.

        Raises:
            FloatingPointError: the loss is no longer a finite number.
        """
        played = self.play()
        targets, _ = self.judge(played)
        set_learning_rate(self._optimiser, LEARNING_RATE)
        free = played.masks.sum(2) > 1
        figures = self._improve(self._value_step, played.states[free], targets[free])
        figures["deals"] = float(played.ends.sum())
        return figures

    # Play -------------------------------------------------------------------------

    def play(self) -> Rollout:
        """Play at all tables for some plies; others hold the seats that are theirs."""
        played, others = self._rollout, self._others
        batch = self.tables.look()
        for ply in range(len(played.ends)):
            orders = self._sight.orders(batch.observation)
            state = self._sight.state(self.tables.state(), batch.action_mask, orders)
            mask = self._sight.mask(batch.action_mask, orders)
            action, log_probability = self._choose(state, mask)
            played.states[ply] = state
            played.masks[ply] = mask
            played.actions[ply] = action
            played.log_probabilities[ply] = log_probability
            played.agents[ply] = batch.agent
            carried_out = self._sight.action(action, orders)
            if others is not None:
                played.own[ply] = others.play(self.tables, batch, carried_out)
            batch = self.tables.step(carried_out)
            if others is not None:
                others.begin_episodes(batch.done)
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
        calls = are_calls(played.masks)
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
        for ply in reversed(range(len(played.ends))):
            goes_on = 1 - played.ends[ply, :, None]
            surprise = rewards[ply] + goes_on * after - values[ply]
            ahead = surprise + gae_lambda * goes_on * ahead
            advantages[ply] = ahead
            after = values[ply]
        return advantages

    def _values_now(self) -> _Array:
        """The values at every table as it stands, ``(tables, values)``."""
        batch = self.tables.look()
        orders = self._sight.orders(batch.observation)
        state = self._sight.state(self.tables.state(), batch.action_mask, orders)
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
        assert self.config.learning_rate is not None
        rate = self.config.learning_rate * (1 - 0.9 * progress)
        set_learning_rate(self._optimiser, rate)
        entropy_weight = self.config.entropy * (1 - 0.8 * progress)
        free = played.masks.sum(2) > 1
        own = free & played.own & (played.finished | ~are_calls(played.masks))
        normal = np.zeros_like(advantages)
        normal[own] = _normalised(advantages[own], played.masks[own])
        means = self._improve(
            functools.partial(self._gradient_step, entropy_weight),
            played.states[free],
            targets[free],
            own[free],
            played.masks[free],
            played.actions[free],
            played.log_probabilities[free],
            normal[free],
        )
        means |= parallel.total({"decisions": float(own.sum())})
        if means["entropy"] < COLLAPSED:
            raise FloatingPointError(
                f"the policy explores no more: its entropy is {means['entropy']:.2g}; "
                "give it more weight with --ppo.entropy"
            )
        return means

    def _improve(
        self, step: Callable[..., dict[str, float]], *arrays: _Array
    ) -> dict[str, float]:
        """Take gradient steps on all decisions; gives the means of their figures."""
        return improve(
            step,
            [self._tensor(array) for array in arrays],
            epochs=self.config.epochs,
            minibatch=self.config.minibatch,
            order=self._order,
        )

    def _gradient_step(
        self,
        entropy_weight: float,
        states: Tensor,
        targets: Tensor,
        own: Tensor,
        masks: Tensor,
        actions: Tensor,
        old_log_probabilities: Tensor,
        advantages: Tensor,
    ) -> dict[str, float]:
        value_loss = self._value_loss(states, targets)
        log_probabilities = self._logits(states[own], masks[own]).log_softmax(1)
        chosen = log_probabilities.gather(1, actions[own, None])[:, 0]
        entropy = -_mean((log_probabilities.exp() * log_probabilities).sum(1))
        change = chosen - old_log_probabilities[own]
        advantages = advantages[own]
        ratio = change.exp()
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        policy_loss = -_mean(torch.minimum(ratio * advantages, clipped * advantages))
        self._descend(policy_loss + value_loss - entropy_weight * entropy)
        return {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": entropy.item(),
            # The usual low-variance estimate (Schulman 2020).
            "divergence": _mean(ratio - 1 - change).item(),
        }

    def _value_step(self, states: Tensor, targets: Tensor) -> dict[str, float]:
        value_loss = self._value_loss(states, targets)
        self._descend(value_loss)
        return {"value_loss": value_loss.item()}

    def _value_loss(self, states: Tensor, targets: Tensor) -> Tensor:
        with self._mixed():
            values = self.critic(states)
        loss: Tensor = 0.5 * (values.float() - targets).square().mean()
        return loss

    def _descend(self, loss: Tensor) -> None:
        networks = (self.policy, self.critic)
        descend(loss, self._optimiser, networks, self.config.gradient_norm)

    def _logits(self, states: Tensor, masks: Tensor) -> Tensor:
        """The policy's logits for the observations that the states start with."""
        with self._mixed():
            logits = self.policy(states[:, : self._sight.features.size])
        return masked(logits, masks)

    def _mixed(self) -> torch.autocast:
        return torch.autocast(self._device.type, torch.bfloat16, enabled=self._autocast)

    def _tensor(self, array: _Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    # Starting ---------------------------------------------------------------------

    def start_from(self, weights: Mapping[str, dict[str, Tensor]]) -> None:
        """Take over networks, such as `whist_train.distill` makes.

        Args:
            weights: those of ``"policy"`` and, where there is one, of ``"critic"``, by
                name.

        Raises:
            ValueError: they are of other networks.
        """
        try:
            self.policy.load_state_dict(weights["policy"])
            if "critic" in weights:
                self.critic.load_state_dict(weights["critic"])
        except RuntimeError:
            raise ValueError(
                "the networks to start from have other sizes than those to train; give "
                "both the same hidden, critic-hidden and advice"
            ) from None

    def play_for(self, equity: Equity) -> None:
        """Play rubbers, in which each deal earns what it changes in their prospects.

        Args:
            equity: what the scores of a rubber of the learner's game are worth.
        """
        self.tables = RubberTables(equity, self.config.tables, self._seed)
        self.tables.reset()

    # Saving -----------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        state = {
            "has_begun": self._has_begun,
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "chance": self._chance.get_state(),
            "order": self._order.get_state(),
            "tables": torch.frombuffer(
                bytearray(self.tables.to_bytes()), dtype=torch.uint8
            ),
        }
        if self._lessons is not None:
            state["lessons"] = self._lessons.state_dict()
        if self._others is not None:
            state["others"] = self._others.state_dict()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        self._has_begun = state["has_begun"]
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._chance.set_state(state["chance"].cpu())
        self._order.set_state(state["order"].cpu())
        self.tables.restore(state["tables"].cpu().numpy().tobytes())
        if self._lessons is not None and "lessons" in state:
            self._lessons.load_state_dict(state["lessons"])
        else:
            self._lessons = None
        if self._others is not None:
            self._others.load_state_dict(state["others"])


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


def _empty_rollout(game: Game, config: PPOConfig, features: int) -> Rollout:
    assert config.plies is not None
    shape = (config.plies, config.tables)
    values = standpoints(game).shape[1]
    return Rollout(
        states=np.empty((*shape, features), np.int8),
        masks=np.empty((*shape, game.num_actions), np.int8),
        actions=np.empty(shape, np.int64),
        log_probabilities=np.empty(shape, np.float32),
        agents=np.empty(shape, np.int64),
        rewards=np.empty((*shape, values), np.float32),
        ends=np.empty(shape, np.float32),
        own=np.ones(shape, np.bool_),
    )


def _mean(values: Tensor) -> Tensor:
    """The mean; 0 of nothing, where others have made all decisions of a step."""
    return values.sum() / max(1, len(values))


def _normalised(advantages: _Array, masks: _Array) -> _Array:
    """Advantages with mean 0 and spread 1, those of calls and of cards apart.

    A call may be worth tens of tricks. Beside such advantages those of cards would
    vanish, and the weight of the entropy would undo what the play has learnt.
    """
    normal = np.empty_like(advantages)
    calls = are_calls(masks)
    for rows in (calls, ~calls):
        if rows.any():
            those = advantages[rows]
            normal[rows] = (those - those.mean()) / (those.std() + 1e-8)
    return normal
