"""Perfect information Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_agents.search.exact import Values, can_be_solved, solved
from whist_agents.search.inference import (
    NetworkPolicy,
    Policy,
    resampled,
    tempered,
    weights,
)
from whist_agents.search.loops import HOYLE
from whist_agents.search.thinking import (
    Position,
    SearchAgent,
    best,
    play_out,
    whole,
)
from whist_env import Views

POSITIONS: Final = 300_000
"""Positions that our own search may look at in a world: some 50 milliseconds."""

CANDIDATES: Final = 5
"""How many worlds are weighed for each that is chosen, where a policy weighs them."""

OPINION: Final = 0.11
"""What a network's opinion counts for: so many tricks, or points, for each factor of e
by which its softened policy makes one action likelier than another. With that the
network of Whist, fitted to what actions are worth, and the search count about the same;
for other games it has not been measured."""

_TOGETHER: Final = 10
"""Worlds that are chosen together where there is a time limit."""

_MANY_CARDS, _MORE_CARDS = 40, 48
"""Cards in all hands above which there are half the samples, and a quarter."""


class PimcAgent(SearchAgent):
    """Draws worlds, solves each with all hands open, and plays the best on average.

    Levy (1989) proposed this for bridge and Ginsberg's GIB made it strong ("GIB:
    Imperfect Information in a Computationally Challenging Game", JAIR 14, 2001). It
    suits games of tricks, in which hidden cards come out fast and most leaves of a
    deal are worth the same (Long, Sturtevant, Buro and Furtak, "Understanding the
    Success of Perfect Information Monte Carlo Sampling in Game Tree Search", AAAI
    2010).

    It has two faults that no number of samples mends (Frank and Basin, "Search in
    games with incomplete information", Artificial Intelligence 100, 1998). *Strategy
    fusion*: within each world it plays on as if it could see the cards, and so counts
    on guessing every finesse right, sees no use in finding anything out and none in
    hiding anything. *Non-locality*: it takes all worlds that are possible to be
    equally likely, although the others would have played otherwise in some of them.

    A network mends a part of both. It has learnt to play without seeing the cards, so
    its opinion counts beside the mean over worlds: the action is taken for which the
    sum of the mean and a part of the logarithm of its probability is the highest
    (policy improvement with a regulariser: Grill et al., "Monte-Carlo Tree Search as
    Regularized Policy Optimization", ICML 2020). And the network says how likely the
    others were to call and play as they did in each world
    (`whist_agents.search.inference`). It is quick, and to solve a world is not. So five
    times as many worlds are weighed as are solved, and those to be solved are chosen
    from them by their weights, the likely ones more than once: each is solved once and
    counts as often as it was chosen. Where the weights of all are worth less than so
    many equal ones, they are made more even before.

    What is averaged is what `whist_env.solve` counts: tricks of the side where there
    are sides (also in contracts, whatever was undertaken), the seat's own score against
    all others where each plays for itself. Where the solver does not help, the same
    worlds are played out instead, by the rules of thumb of `hoyle` for all seats, and
    the earnings of the deal are averaged: in bidding, declaring, discarding and
    passing, in positions that the solver refuses (such as German Whist while there is
    a talon), and where our own search is at a loss after 300,000 positions in some
    world.

    A whole deal is dear to solve. While more than 48 cards are in all hands a quarter
    of the samples are solved, while more than 40 are half of them, rounded up.

    Of several cards that are best, it plays that of `hoyle` if it is among them, else
    the lowest in rank.

    Args:
        samples: how many worlds are drawn for a decision.
        seed: part of the agent's chance, besides the random bits of each view.
        milliseconds: a time limit for a decision, looked at after each world, and with
            a network after each ten.
        net: the path of a network that says which worlds are likely and which actions
            good: a run, a checkpoint or a file; ``"net"`` for those that come with the
            package.

    Raises:
        ValueError: a setting that cannot be.
        FileNotFoundError: there is no network at the path.
        ImportError: a library that networks need is not installed.
    """

    def __init__(
        self,
        samples: int = 20,
        seed: int = 0,
        milliseconds: int | None = None,
        net: str | None = None,
    ) -> None:
        super().__init__(seed, milliseconds)
        self.samples = whole("samples", samples)
        self.policy: Policy | None = None if net is None else NetworkPolicy(net)

    def think(self, position: Position) -> int:
        """The action that is best on average."""
        found, unit = None, 1
        if can_be_solved(position.table):
            found = self._solved(position)
        if found is None:
            # Records count in parts of a trick or point, so that they are whole.
            found, unit = self._played_out(position), position.table.game.rules.unit
        actions, values = found
        worth = values.sum(0)
        if self.policy is not None:
            thought = opinion(self.policy, position.views, actions)
            worth = worth + len(values) * unit * OPINION * thought
        return best(actions, worth, position.views)

    def _solved(self, position: Position) -> Values | None:
        """The values of cards in as many worlds as there is time for."""
        number = samples_at(position, self.samples)
        size = number
        if self.milliseconds is not None:
            size = 1 if self.policy is None else min(number, _TOGETHER)
        values: list[npt.NDArray[np.int64]] = []
        cards: list[int] = []
        for begin, end in self.slices(number, size):
            worlds, times = self._drawn(position, begin, end)
            hands = np.array(worlds["hands"])
            found = solved(position.table, hands, POSITIONS)
            if found is None:
                return None
            cards = found[0]
            values.append(np.repeat(found[1], times, 0))
        return cards, np.concatenate(values)

    def _played_out(self, position: Position) -> tuple[list[int], npt.NDArray[Any]]:
        """What actions bring where all play on by rules of thumb, as records count."""
        worlds, times = self._drawn(position, 0, self.samples)
        return position.legal, np.repeat(play_out(position, worlds, HOYLE), times, 0)

    def _drawn(
        self, position: Position, begin: int, end: int
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """A part of the samples: different worlds, and how often each counts."""
        number = end - begin
        if self.policy is None:
            return position.worlds(number, begin), np.ones(number, np.int64)
        worlds = position.worlds(CANDIDATES * number, begin)
        shares = weights(self.policy, position.table, worlds)
        chosen, times = resampled(tempered(shares, number), number)
        return worlds[chosen], times


def opinion(
    policy: Policy, views: Views, actions: Sequence[int]
) -> npt.NDArray[np.float64]:
    """The logarithm of what a policy makes the probability of each action.

    Args:
        policy: the policy.
        views: the view of the decision, as the only row of a batch.
        actions: legal actions.
    """
    rows = np.zeros(len(actions), np.int64)
    seen = views.observation[rows], views.action_mask[rows], views.random[rows]
    chances = policy.chances(Views(views.game, *seen), np.array(actions))
    return np.log(np.maximum(chances, np.finfo(np.float64).tiny))


def samples_at(position: Position, samples: int) -> int:
    """How many worlds are solved: fewer of them where each takes long."""
    cards = int(np.bitwise_count(position.table.record.hands).sum())
    share = 4 if cards > _MORE_CARDS else 2 if cards > _MANY_CARDS else 1
    return -(-samples // share)
