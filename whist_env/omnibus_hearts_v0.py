"""Four to six players avoid hearts and the spade queen and want the ten of diamonds.

Four players have thirteen cards each; five have ten, without the deuces of clubs and
diamonds; six have eight, without these, the three of clubs and the deuce of spades.
There are no partners and no trumps. First each chooses three cards for its left
neighbour: in turn, one card after the other, each an action of its own. Nobody sees
what was chosen until all have, and then only what it gets itself. The dealer's left
leads. Each follows suit if it can, and else plays any card; the highest card of the
suit led wins the trick and leads next.

Each heart taken counts -1, the queen of spades -13, and the ten of diamonds +10. Who
takes all fifteen of them scores +26 instead.

Seats run clockwise from `player_0`. An episode is one deal, or with `episode="game"` as
many as it takes until somebody is 100 points below 0, a hundred at most, and with
`deals=` a number of deals; the deal passes to the left. The highest score wins.

### Rewards

At the end of each deal every agent gets its own points in it less the mean of the
points of all, so that the rewards of all agents add up to 0. `reward="match"` pays at
the end of the episode: each loser pays 1 to each winner.

A forfeit costs 26 points that all share, or what a loser pays with `reward="match"`.

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
    return GameEnv("omnibus_hearts", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
