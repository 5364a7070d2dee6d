"""Three to six players avoid the first trick, the last, and the queen of clubs.

Four players have the 32 cards from the seven up, eight each; three, five or six have
30, without the black sevens: ten, six or five each. There are no partners and no
trumps. The dealer's left leads. Each follows suit if it can, and else plays any card;
the highest card of the suit led wins the trick and leads next.

The first trick, the last and the one with the queen of clubs each give a point to who
takes them, and a fourth to who takes all three. A point costs a counter, which goes to
a pool that all share equally. With `revokes="penalty"` players need not follow suit, at
a point for each revoke.

Seats run clockwise from `player_0`. An episode is one deal, or with `episode="game"`
two deals for each player (or as many as it takes to lose, with `game_end="points"`),
and with `deals=` a number of deals; the deal passes to the left.

### Rewards

At the end of each deal every agent gets the mean of the points of all in it, less its
own: its part of the pool less its payment. The rewards of all agents add up to 0. With
`settlement="stacks"` payments go to a real pool, of which all draw equal numbers of
whole counters after a deal that leaves a player with one counter or none, and at the
end; agents and pool together have 0, and what cannot be divided stays in the pool.

`reward="match"` pays at the end of the episode: each loser pays 1 to each winner. Who
has the fewest points wins; in a game to a number of points, all but who has the most.

A forfeit pays four counters that all share, or what a loser pays with `reward="match"`.
With stacks it pays them into the pool, which is then divided.

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
    return GameEnv("slobberhannes", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
