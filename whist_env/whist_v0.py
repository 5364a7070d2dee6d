"""Four players, partners opposite, play all thirteen tricks of a deal.

The whole pack is dealt one card at a time from the dealer's left. The last card is the
dealer's and is turned: its suit is trumps, and it lies open until the first trick is
over. The dealer's left leads. Each follows suit if it can, and else plays any card; the
highest trump, or else the highest card of the suit led, wins the trick and leads next.
Tricks above the six of the book score.

Seats run clockwise from `player_0`; `player_0` and `player_2` are partners, and so are
`player_1` and `player_3`. An episode is one deal, or with `episode=` a game or a rubber
and with `deals=` a number of deals; the deal passes to the left.

### Rewards

At the end of each deal every agent gets the points that its side has scored in it, less
those of the other side. Partners get the same, and the rewards of all agents add up to
0. `reward="tricks"` pays each trick as it is taken (+1 to the side that takes it, -1 to
the other), `reward="match"` pays +1 to the winners of the episode and -1 to the losers,
and `reward="settlement"` pays what the losers of the episode owe to its winners.

A forfeit pays the other side thirteen points, or one with `reward="match"`.

The last reward of an episode is given to each agent in the step that it takes with
`None`; `whist_env.play_episode` is a loop that collects all of them.

### Version History

* v0: first release (0.1.0)
"""

from __future__ import annotations

from typing import Any

from whist_env.envs.aec import GameEnv, ParallelGameEnv
from whist_env.envs.page import environment_page


def env(**settings: Any) -> GameEnv:
    """The environment; its options and settings are in the module's documentation."""
    return GameEnv("whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
