"""One-ply rollouts of a policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from whist_agents.agent import Agent
from whist_agents.search.inference import spec_of
from whist_agents.search.thinking import (
    Position,
    SearchAgent,
    best,
    play_out,
    policy_named,
    whole,
)
from whist_env import Tables, Views


class RolloutAgent(SearchAgent):
    """Tries each action in many worlds, plays each out by a policy, takes the best.

    The policy plays all seats to the end of the deal; what the agent earns in it is
    averaged. Unlike in perfect information Monte Carlo nobody sees the cards while a
    world is played out (Furtak and Buro, "Recursive Monte Carlo Search for Imperfect
    Information Games", IEEE CIG 2013, go further and let the policy search as well).
    Ties are broken as by `PimcAgent`.

    Args:
        worlds: how many worlds are drawn for a decision.
        policy: who plays the worlds out, ``"hoyle"`` or ``"random"``.
        net: the path of a network that plays them out instead: a run, a checkpoint or
            a file; ``"net"`` for those that come with the package.
        seed: part of the agent's chance, besides the random bits of each view.
        milliseconds: a time limit for a decision, looked at after each four worlds.

    Raises:
        ValueError: a setting that cannot be.
        FileNotFoundError: there is no network at the path.
        ImportError: a library that networks need is not installed.
    """

    def __init__(
        self,
        worlds: int = 16,
        policy: str | None = None,
        net: str | None = None,
        seed: int = 0,
        milliseconds: int | None = None,
    ) -> None:
        super().__init__(seed, milliseconds)
        self.worlds = whole("worlds", worlds)
        if net is not None and policy is not None:
            raise ValueError(
                f"net={net!r} and policy={policy!r} both play worlds out; give one"
            )
        self.policy = policy_named("policy", "hoyle" if policy is None else policy)
        self.net: Agent | None = None
        if net is not None:
            from whist_agents.spec import load

            self.net = load(spec_of(net))

    def think(self, position: Position) -> int:
        """The action that earns most on average."""
        earned = np.zeros(len(position.legal), np.float64)
        size = self.worlds if self.milliseconds is None else 4
        for begin, end in self.slices(self.worlds, size):
            worlds = position.worlds(end - begin, begin)
            if self.net is None:
                earned += play_out(position, worlds, self.policy).sum(0)
            else:
                earned += play_out_by(self.net, position, worlds).sum(0)
        return best(position.legal, earned, position.views)


def play_out_by(
    player: Agent, position: Position, worlds: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """As `whist_agents.search.thinking.play_out`, by a player for all seats.

    All worlds advance together, so that a network answers many views at once.

    Returns:
        What the agent to act earns in the units of the game, by world and action.
    """
    actions = np.tile(np.array(position.legal, np.int64), len(worlds))
    game, agent = position.table.game, position.table.agent
    tables = Tables(game, len(actions), 0, dtype=np.int8)
    tables.reset()
    tables.records[:] = np.repeat(worlds, len(position.legal))
    deal = tables.records["deal_number"].copy()
    earned = np.zeros(len(actions), np.float64)
    playing = np.ones(len(actions), np.bool_)
    while playing.any():
        batch = tables.step(actions)
        earned += np.where(playing, batch.rewards[:, agent], 0)
        playing &= ~batch.done & (tables.records["deal_number"] == deal)
        actions = tables.sample_actions()
        rows = np.flatnonzero(playing)
        if len(rows):
            views = Views(
                game,
                batch.observation[rows],
                batch.action_mask[rows],
                np.zeros(len(rows), np.uint64),
            )
            actions[rows] = player.act(views)
    tables.close()
    return earned.reshape(len(worlds), -1)
