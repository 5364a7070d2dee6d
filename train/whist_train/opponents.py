"""Others at the tables of a learner: past selves, and agents by spec.

A policy that meets nobody but itself learns conventions that only it understands, and
may forget what beat its earlier selves. In a league some tables are shared with a
player from a pool: at each of them one such player holds some of the seats, from one
to all but one, so that it is now the partner of the learner, now an opponent, and now
both. Who sits where is drawn anew when an episode begins.

The learner's own seats are numbered `LEARNER`. What others decide is no decision of the
policy: it is not improved by it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

import whist_agents
from whist_agents.net import PolicyNetwork, masked
from whist_env import Batch, Game, Player, Tables, Views
from whist_env.envs.seeding import seed_word
from whist_env.envs.view import worlds_for

_Integers = npt.NDArray[np.int64]

LEARNER: Final = 0
"""Who holds the seats that the policy plays."""

MOST_PAST_SELVES: Final = 8
"""Past selves in a league; when there are more, every other one leaves it."""


class Others:
    """Players who hold seats at the learner's tables, and hold them for good.

    Attributes:
        players: the players by number; no number is `LEARNER`.
        held_by: the number of the player at each seat, ``(tables, agents)`` int64.
    """

    def __init__(
        self, players: Mapping[int, Player], held_by: _Integers, seed: int
    ) -> None:
        """Others who take their seats.

        Args:
            players: the players by number.
            held_by: who holds each seat, ``(tables, agents)``.
            seed: of all chance of theirs.
        """
        self.players = dict(players)
        self.held_by = held_by
        # A stream of its own, that has nothing to do with the learner's chance.
        words = np.random.SeedSequence(int(seed_word(seed)), spawn_key=(0,))
        self._chance = torch.Generator().manual_seed(int(words.generate_state(1)[0]))

    def play(
        self, tables: Tables, batch: Batch, actions: _Integers
    ) -> npt.NDArray[np.bool_]:
        """Let the others choose where it is their turn.

        Each is shown what its own seats may know, and nothing else.

        Args:
            tables: the tables.
            batch: what their agents to act observe.
            actions: what the learner would do at each table, ``(tables,)``; it is
                overwritten where it is not the learner's turn.

        Returns:
            Where it is the learner's turn, ``(tables,)``.

        Raises:
            ValueError: an answer is not one whole number for each view.
        """
        acting = self.held_by[np.arange(len(actions)), batch.agent]
        chance = self._bits(len(actions))
        for number in np.unique(acting[acting != LEARNER]).tolist():
            rows = np.flatnonzero(acting == number)
            player = self.players[number]
            views = Views(
                tables.game,
                batch.observation[rows],
                batch.action_mask[rows],
                chance[rows],
                worlds_for(player, map(tables.table, rows.tolist())),
            )
            actions[rows] = _answers(player, views)
        return np.asarray(acting == LEARNER)

    def begin_episodes(self, at: npt.NDArray[np.bool_]) -> None:
        """Hear where an episode begins, ``(tables,)``; these keep their seats."""

    def end_iteration(self) -> None:
        """Hear that the policy has been improved; to these it makes no difference."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        return {
            "chance": self._chance.get_state(),
            "held_by": torch.from_numpy(self.held_by.copy()),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        self._chance.set_state(state["chance"].cpu())
        self.held_by[:] = state["held_by"].cpu().numpy()

    def _bits(self, count: int) -> npt.NDArray[np.uint64]:
        """64 random bits for each of some decisions."""
        least, most = -(2**63), 2**63 - 1
        bits = torch.randint(least, most, (count,), generator=self._chance)
        return bits.numpy().view(np.uint64)


class League(Others):
    """A pool of past selves and fixed agents, and who of them sits where.

    Past selves join at even distances. When there are too many the distance is doubled
    and those that no longer fit in leave: so the pool spans the whole training, from
    its beginning to lately. Whoever leaves the pool still ends its episodes.

    Agents by spec have the numbers -1, -2 and so on; the number of a past self is that
    of the iterations that it had learnt for.
    """

    def __init__(
        self,
        game: Game,
        policy: PolicyNetwork,
        *,
        tables: int,
        share: float,
        every: int,
        specs: Sequence[str],
        seed: int,
    ) -> None:
        """A league that nobody has sat down for yet.

        Args:
            game: the game.
            policy: the learner, whose past selves join the pool.
            tables: how many tables there are.
            share: how often an episode is shared with a player of the pool.
            every: iterations between two past selves; 0 for none.
            specs: fixed agents of the pool.
            seed: of all chance.

        Raises:
            ValueError: there is no agent of a spec.
            FileNotFoundError: there is no network at the path of a spec.
        """
        fixed = {-n: whist_agents.load(spec) for n, spec in enumerate(specs, 1)}
        seats = np.full((tables, game.num_agents), LEARNER, np.int64)
        super().__init__(fixed, seats, seed)
        self._game = game
        self._policy = policy
        self._share = share
        self._every = every
        self._iterations = 0

    @property
    def pool(self) -> list[int]:
        """The numbers of those who may be drawn."""
        return [n for n in self.players if n < LEARNER or n % self._every == 0]

    def begin_episodes(self, at: npt.NDArray[np.bool_]) -> None:
        """Draw anew who sits where at the tables where an episode begins."""
        rows = np.flatnonzero(at)
        if len(rows):
            self.held_by[rows] = self._drawn(len(rows))

    def _drawn(self, count: int) -> _Integers:
        """Who sits where at some tables, ``(count, agents)``."""
        pool, agents = np.array(self.pool, np.int64), self.held_by.shape[1]
        if not len(pool):
            return np.full((count, agents), LEARNER, np.int64)
        column, chance = (count, 1), self._chance
        shared = torch.rand(column, generator=chance) < self._share
        seats = torch.randint(1, agents, column, generator=chance)
        # The places of random numbers in their order are a random order.
        order = torch.rand((count, agents), generator=chance).argsort(1)
        who = pool[torch.randint(len(pool), column, generator=chance).numpy()]
        return np.where((shared & (order < seats)).numpy(), who, LEARNER)

    def end_iteration(self) -> None:
        """Let the policy as it is now join the pool, when it is time."""
        self._iterations += 1
        if not self._every or self._iterations % self._every:
            return
        self.players[self._iterations] = self._past_self()
        if sum(number > LEARNER for number in self.pool) > MOST_PAST_SELVES:
            self._every *= 2
        staying = {*self.pool, *self.held_by.flat}
        self.players = {n: p for n, p in self.players.items() if n in staying}

    def _past_self(self, weights: Mapping[str, torch.Tensor] | None = None) -> PastSelf:
        """A copy of the policy, by default as it is now."""
        network = copy.deepcopy(self._policy)
        if weights is not None:
            network.load_state_dict(weights)
        return PastSelf(network)

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""
        past = {
            number: player.network.state_dict()
            for number, player in self.players.items()
            if isinstance(player, PastSelf)
        }
        league = {"past": past, "every": self._every, "iterations": self._iterations}
        return super().state_dict() | league

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        super().load_state_dict(state)
        self._every, self._iterations = state["every"], state["iterations"]
        fixed = {n: p for n, p in self.players.items() if n < LEARNER}
        past = {n: self._past_self(weights) for n, weights in state["past"].items()}
        self.players = fixed | past


class PastSelf:
    """Plays as a policy does while it learns: by the probabilities that it gives.

    Attributes:
        network: the policy.
    """

    def __init__(self, network: PolicyNetwork) -> None:
        self.network = network

    def act(self, views: Views) -> _Integers:
        """An action for each view, drawn by its random bits."""
        seen = self.network.sight
        orders = seen.orders(views.observation)
        rows = seen.observation(views.observation, views.action_mask, orders)
        mask = seen.mask(views.action_mask, orders)
        device = self.network.scale.device
        with torch.inference_mode():
            logits = self.network(torch.from_numpy(rows).to(device))
            logits = masked(logits, torch.from_numpy(mask).to(device))
            reached = logits.double().softmax(1).cumsum(1).cpu()
        # Illegal actions have no probability: nothing is reached there for the first
        # time. The numbers drawn are below 1, after rounding as well.
        drawn = torch.from_numpy((views.random >> np.uint64(32)) / 2.0**32)
        action = torch.searchsorted(
            reached, drawn[:, None] * reached[:, -1:], right=True
        )
        return seen.action(action[:, 0].numpy(), orders)


def _answers(player: Player, views: Views) -> npt.NDArray[Any]:
    answers = np.asarray(player.act(views))
    if answers.shape != (len(views),) or answers.dtype.kind not in "iu":
        raise ValueError(
            f"{player!r} must return one whole number for each of {len(views)} views; "
            f"it returned {answers.dtype} of shape {answers.shape}"
        )
    return answers
