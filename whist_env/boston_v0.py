"""Four players, each for himself, bid for tricks or for taking none.

One pack is dealt; the other lies still and is cut. The suit of the cut card is the
*preference*, the other suit of its colour is *colour*, and the two others are *plain*.
From the dealer's left each bids or passes: five to thirteen tricks with a trump suit,
or one of four misères, which are played without trumps and in which the caller is to
take no trick. Of equal numbers of tricks colour is higher than plain and preference the
highest. In a *little misère* all four first lay a card face down; in a *spread* the
caller plays with his hand open. The highest bidder plays alone against the three
others, and the dealer's left leads. If all pass, they play *misère partout*, in which
who takes most tricks pays the others.

Seats run clockwise from `player_0`. An episode is one deal, or with `episode="game"`
twelve deals, or with `deals=` any number; the deal passes to the left. Before each deal
everyone puts a red counter into the pool. A caller of seven tricks or better takes the
pool (up to 250, the rest stays for the next) if he succeeds and doubles it if he fails.

### Rewards

At the end of each deal every agent gets what it won in white counters, less what it
lost and its stake. Rewards and pool together add up to 0. What is left in the pool at
the end of the episode is divided, and up to three counters that cannot be divided stay.
With `reward="match"` the agents that made most in the episode get 1 from each of the
others, and nothing else is rewarded.

A forfeit pays 540 to each of the others, or with `reward="match"` 1 to each; the pool
stays where it is.

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
    return GameEnv("boston", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
