"""Self-play with deep Monte Carlo (DMC).

The method of DouZero (Zha et al. 2021, arXiv 2106.06135): a network learns what comes
of each action. Every deal is played to its end, and for every decision the output of
the action that was taken is moved towards what its player earned from there on. Nothing
is bootstrapped, and there is no critic. While it learns, the policy now and then takes
any legal action; otherwise, and when it plays in earnest, the one with the largest
output. Here the network has one output for each action, so that all legal actions are
valued at once.

* In an iteration one deal is played at every table. Those that end early wait.
* It makes no difference who chose an action: what came of it is learnt all the same. So
  in games with calls the rule-of-thumb player sits in for the policy at first.
* Decisions with one legal action teach nothing about choosing and are left out.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

import whist_agents
from whist_agents.net import PolicyNetwork, masked
from whist_agents.sight import sight
from whist_env import Batch, Game, Player, Tables, Views
from whist_env.cards import CARDS
from whist_train import parallel
from whist_train.descent import check_count, descend, improve, set_learning_rate
from whist_train.heat import heated
from whist_train.strength import usual_return

_Array = npt.NDArray[Any]

IMITATION: Final = 0.2
"""The part of the training in which others show how to play, in games with calls."""
TEACHER: Final = "hoyle"
FOLLOWED: Final = 0.9
"""How often a teacher's action is carried out and not the policy's own."""


@dataclasses.dataclass(frozen=True)
class DMCConfig:
    """Settings of the algorithm.

    Attributes:
        tables: tables played side by side, one deal at each in an iteration.
        hidden: widths of the hidden layers.
        learning_rate: at the start; it falls linearly to a tenth.
        epochs: passes over the decisions of an iteration.
        minibatch: decisions in a gradient step.
        epsilon: how often any legal action is taken, at the start; it falls linearly
            to a tenth.
        gradient_norm: the largest norm of the gradient.
        value_scale: the reward that counts as 1 for the network; ``None`` takes what a
            deal of the game usually brings (`whist_train.strength.usual_return`).
        advice: whether the policy is told what the rule-of-thumb player would do.
        imitation: the part of the training in which the rule-of-thumb player plays and
            the policy learns what comes of it; ``None`` takes a fifth in games with
            calls. Whoever knows nothing loses by every bid, learns to pass, and then
            learns no more.
    """

    tables: int = 512
    hidden: tuple[int, ...] = (256, 256)
    learning_rate: float = 1e-3
    epochs: int = 2
    minibatch: int = 2048
    epsilon: float = 0.1
    gradient_norm: float = 1.0
    value_scale: float | None = None
    advice: bool = True
    imitation: float | None = None

    def settled_for(self, game: Game) -> DMCConfig:
        """The same with all that is left open decided for a game."""
        scale, imitation = self.value_scale, self.imitation
        if scale is None:
            scale = usual_return(game)
        if imitation is None:
            imitation = IMITATION if game.num_actions > CARDS else 0.0
        return dataclasses.replace(self, value_scale=scale, imitation=imitation)

    def __post_init__(self) -> None:
        for name in ("tables", "epochs", "minibatch"):
            check_count(name, getattr(self, name))
        for width in self.hidden:
            check_count("a width of hidden", width)
        for name in ("learning_rate", "gradient_norm", "value_scale"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}={value!r} must be more than 0")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon={self.epsilon!r} must be from 0 to 1")
        if self.imitation is not None and not 0 <= self.imitation <= 1:
            raise ValueError(f"imitation={self.imitation!r} must be from 0 to 1")


@dataclasses.dataclass
class Decisions:
    """The decisions of some deals, with canonical suits.

    Attributes:
        observations: what the player knew, ``(len, features.size)`` int8.
        masks: ``(len, num_actions)`` int8.
        actions: those taken, ``(len,)`` int64.
        returns: what the player earned from there to the end of the deal, ``(len,)``
            float32.
    """

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]


class DMC:
    """The learner: network, optimiser, tables and chance.

    Attributes:
        game: the game with its options; rewards are the game's own.
        policy: the network; its outputs are returns in units of
            `DMCConfig.value_scale`.
    """

    def __init__(
        self,
        game: Game,
        config: DMCConfig,
        *,
        seed: int = 0,
        device: str = "cpu",
        precision: str = "float32",
    ) -> None:
        """A learner before its first iteration.

        Args:
            game: the game with its options.
            config: settings.
            seed: of the network, the tables and the choice of actions.
            device: where the network computes.
            precision: ``"float32"``, or ``"bfloat16"`` for the products of matrices.
        """
        torch.manual_seed(seed)
        self.game = game
        self.config = config.settled_for(game)
        assert self.config.value_scale is not None
        self._scale = self.config.value_scale
        self._sight = sight(game, config.advice)
        self.policy = PolicyNetwork(self._sight, config.hidden)
        self.policy.to(device)
        self._device = torch.device(device)
        self._autocast = precision == "bfloat16"
        self._optimiser = torch.optim.Adam(
            self.policy.parameters(), eps=1e-5, fused=True
        )
        seed = parallel.own_seed(seed)
        self._chance = torch.Generator(device).manual_seed(seed)
        self._order = torch.Generator().manual_seed(seed)
        self._teacher = whist_agents.load(TEACHER)
        self.tables = Tables(game, config.tables, seed, dtype=np.int8)
        self._played: Decisions | None = None

    def iterate(self, progress: float) -> dict[str, float]:
        """Play a deal at every table, then learn what came of each decision.

        Args:
            progress: the part of the training that is behind, 0 to 1; it sets the
                learning rate and how often any action is taken.

        Returns:
            Figures about the iteration by name.

        Raises:
            FloatingPointError: the loss is no longer a finite number.
        """
        assert self.config.imitation is not None
        shown = progress < self.config.imitation
        part = 1 - 0.9 * progress
        played = self.play(self.config.epsilon * part, self._teacher if shown else None)
        self._played = played
        return self.learn(played, self.config.learning_rate * part)

    def player(self) -> PolicyNetwork:
        """The policy as one that draws its actions; several processes call it together.

        Its own outputs are values.
        """
        played = self._played
        if played is None:
            return self.policy
        return heated(self.policy, played.observations, played.masks)

    # Play -------------------------------------------------------------------------

    def play(self, epsilon: float, teacher: Player | None = None) -> Decisions:
        """Play a deal at every table; the policy plays all seats.

        Args:
            epsilon: how often any legal action is taken instead of the best one.
            teacher: an agent whose actions are mostly carried out instead.
        """
        batch = self.tables.reset()
        earned = np.zeros_like(batch.rewards)
        playing = np.ones(self.config.tables, np.bool_)
        decisions: list[tuple[_Array, ...]] = []
        while playing.any():
            # Whoever has no choice is not asked.
            actions = self.tables.sample_actions()
            rows = np.flatnonzero(playing & (batch.action_mask.sum(1) > 1))
            seats = batch.agent[rows]
            if len(rows):
                views = _views(self.game, batch, rows)
                orders = self._sight.orders(views.observation)
                observations = self._sight.observation(
                    views.observation, views.action_mask, orders
                )
                masks = self._sight.mask(views.action_mask, orders)
                chosen = self._choose(observations, masks, epsilon)
                if teacher is not None:
                    shown = teacher.act(views)
                    shown = self._sight.canonical_action(shown, orders)
                    followed = self._chances(len(rows)) < FOLLOWED
                    chosen = np.where(followed, shown, chosen)
                before = earned[rows, seats]
                decisions.append((observations, masks, chosen, rows, seats, before))
                actions[rows] = self._sight.action(chosen, orders)
            batch = self.tables.step(actions)
            earned[playing] += batch.rewards[playing]
            playing &= ~batch.done
        parts = (np.concatenate(part) for part in zip(*decisions, strict=True))
        observations, masks, taken, tables, seats, before = parts
        returns = earned[tables, seats] - before
        return Decisions(observations, masks, taken, returns)

    def _choose(self, observations: _Array, masks: _Array, epsilon: float) -> _Array:
        """The actions with the largest outputs, and now and then any."""
        with torch.inference_mode():
            outputs = self._outputs(self._tensor(observations)).float()
            chances = torch.rand(
                (len(outputs), 1 + outputs.shape[1]),
                generator=self._chance,
                device=self._device,
            )
            explores, drawn = chances[:, :1] < epsilon, chances[:, 1:]
            preferred = torch.where(explores, drawn, outputs)
            chosen = masked(preferred, self._tensor(masks)).argmax(1)
        return chosen.cpu().numpy()

    def _chances(self, size: int) -> _Array:
        """Random numbers from 0 to 1."""
        chances = torch.rand(size, generator=self._chance, device=self._device)
        drawn: _Array = chances.cpu().numpy()
        return drawn

    # Learn ------------------------------------------------------------------------

    def learn(self, played: Decisions, learning_rate: float) -> dict[str, float]:
        """Move the outputs of the actions that were taken towards their returns."""
        set_learning_rate(self._optimiser, learning_rate)
        returns = played.returns / self._scale
        figures = improve(
            self._gradient_step,
            [
                self._tensor(array)
                for array in (played.observations, played.actions, returns)
            ],
            epochs=self.config.epochs,
            minibatch=self.config.minibatch,
            order=self._order,
        )
        # What would be left of the loss if the network knew nothing.
        figures |= parallel.mean({"value_spread": float(returns.var())})
        figures["deals"] = float(self.config.tables)
        return figures

    def _gradient_step(
        self, observations: Tensor, actions: Tensor, returns: Tensor
    ) -> dict[str, float]:
        outputs = self._outputs(observations).float()
        taken = outputs.gather(1, actions[:, None])[:, 0]
        loss = nn.functional.mse_loss(taken, returns)
        descend(loss, self._optimiser, [self.policy], self.config.gradient_norm)
        return {"value_loss": loss.item()}

    def _outputs(self, observations: Tensor) -> Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._autocast):
            outputs: Tensor = self.policy(observations)
        return outputs

    def _tensor(self, array: _Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    # Starting ---------------------------------------------------------------------

    def start_from(self, weights: Mapping[str, dict[str, Tensor]]) -> None:
        """Take over a policy, such as `whist_train.distill` makes.

        Args:
            weights: those of ``"policy"`` by name; a critic has no use here.

        Raises:
            ValueError: they are of another network.
        """
        try:
            self.policy.load_state_dict(weights["policy"])
        except RuntimeError:
            raise ValueError(
                "the network to start from has another size than that to train; give "
                "both the same hidden and advice"
            ) from None

    # Saving -----------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        return {
            "policy": self.policy.state_dict(),
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
        self._optimiser.load_state_dict(state["optimiser"])
        self._chance.set_state(state["chance"].cpu())
        self._order.set_state(state["order"].cpu())
        self.tables.restore(state["tables"].cpu().numpy().tobytes())


def _views(game: Game, batch: Batch, rows: _Array) -> Views:
    """What the players at some of the tables see."""
    no_chance = np.zeros(len(rows), np.uint64)
    return Views(game, batch.observation[rows], batch.action_mask[rows], no_chance)
