"""Players at a table: from a view to a legal action, and whole episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from whist_env.engine.random import below
from whist_env.envs.table import Table
from whist_env.envs.view import Oracle, Player, Views, worlds_for


class RandomPlayer:
    """A player that chooses uniformly among its legal actions."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A legal action for each view, ``(len(views),)`` int64."""
        return np.array(
            [
                _choose(mask, bits)
                for mask, bits in zip(views.action_mask, views.random, strict=True)
            ],
            np.int64,
        )


def _choose(mask: npt.NDArray[np.int8], bits: np.uint64) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[below(bits, len(legal))])


def view_of(table: Table, random: int, player: Player | None = None) -> Views:
    """What the agent to act may know, as the only row of a batch.

    Args:
        table: the table.
        random: 64 random bits for the decision, from a stream that has nothing to do
            with the deal.
        player: who is to be given the view; without one it brings no worlds.
    """
    observation = np.empty((1, table.game.features.size), np.int8)
    mask = np.empty((1, table.game.num_actions), np.int8)
    table.see(table.agent, observation[0], mask[0])
    worlds = None if player is None else worlds_for(player, [table])
    return Views(table.game, observation, mask, np.array([random], np.uint64), worlds)


def ask(player: Player, table: Table, random: int) -> int:
    """The action that a player chooses for the agent to act.

    Raises:
        ValueError: the answer is not one whole number; whether it is legal is not
            looked at.
    """
    answer = np.asarray(player.act(view_of(table, random, player)))
    if answer.shape != (1,) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"{player!r} answered one view with {answer!r}; act() must return an array "
            "of whole numbers with one action for each view"
        )
    return int(answer[0])


def seat_players(
    players: Player | Sequence[Player], count: int, places: str
) -> list[Player]:
    """One player for each of a number of places.

    Args:
        players: one for all places, or one for each.
        count: how many places there are.
        places: what they are, for the message of an error.

    Raises:
        TypeError: something is not a player.
        ValueError: a wrong number of players.
    """
    if hasattr(players, "act"):
        return [players] * count
    if isinstance(players, str):
        raise TypeError(
            f"{players!r} is not a player: whist_agents.load({players!r}) makes one"
        )
    if isinstance(players, Oracle):
        raise TypeError(f"{players!r} is not a player: it looks at all hands")
    seated = list(players)
    for player in seated:
        if not hasattr(player, "act"):
            raise TypeError(f"{player!r} is not a player: it has no method act(views)")
    if len(seated) != count:
        raise ValueError(f"there are {len(seated)} players for {count} {places}")
    return seated


def play_episode(
    env: AECEnv[str, Any, Any],
    players: Player | Sequence[Player],
    seed: int | None = None,
) -> dict[str, float]:
    """Play the episode in progress to its end.

    What an agent has earned since its last action is what `last` gives it before its
    next one. The reward at the end of an episode reaches three of four agents only in
    this way, in the step that each finished agent takes with ``None``; a loop that
    stops when the episode is over loses it.

    Args:
        env: an environment of this package, wrapped or not, after `reset`.
        players: one for all agents, or a list with one for each, from ``player_0``.
        seed: the seed of the players' randomness; ``None`` draws one.

    Returns:
        What each agent has earned since `reset`, or since it last acted.

    Raises:
        IllegalAction: a player chose an illegal action, and the environment raises.
    """
    table = cast(Any, env.unwrapped).table
    agents = list(env.agents)
    seated = seat_players(players, table.game.num_agents, "agents")
    chance = np.random.default_rng(seed).bit_generator
    earned = dict.fromkeys(agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last(observe=False)
        earned[agent] += reward
        if termination or truncation:
            env.step(None)
        else:
            env.step(ask(seated[table.agent], table, chance.random_raw()))
    return earned
