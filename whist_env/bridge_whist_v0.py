"""Four players, partners opposite; the dealer names trumps and plays two hands.

The whole pack is dealt one card at a time from the dealer's left, and none is turned.
The dealer names a suit for trumps, or no trump, or passes that to the partner, who must
name. Then the other side may double the value of a trick, the first side may redouble,
and so on: always the two partners of the side in turn, one after the other, until both
pass. The dealer's left leads. Then the hand of the dealer's partner, the dummy, is laid
open, and the dealer plays it with its own: the agent that decides is then not the owner
of the hand that plays, and the observation shows both (`decides` and `to_act`).

Each hand follows suit if it can, and else plays any card; the highest trump, or else
the highest card of the suit led, wins the trick and leads next.

Below the line, the side with more than six tricks scores for each above six: spades 2,
clubs 4, diamonds 6, hearts 8, no trump 10, twice as much for each double up to 100.
Above the line, and never doubled, count honours (ace to ten of trumps, or the aces at
no trump, as they were dealt), a hand dealt no trump, and slams: twelve tricks 20,
thirteen 40. Thirty points below the line are a game, two games a rubber, which counts
100 more.

Seats run clockwise from `player_0`; `player_0` and `player_2` are partners, and so are
`player_1` and `player_3`. An episode is one deal, or with `episode=` a game or a rubber
and with `deals=` a number of deals; the deal passes to the left.

### Rewards

At the end of each deal every agent gets the points that its side has scored in it,
above and below the line, less those of the other side. Partners get the same, and the
rewards of all agents add up to 0. `reward="tricks"` pays each trick as it is taken (+1
to the side that takes it, -1 to the other), and `reward="match"` pays +1 to the winners
of the episode and -1 to the losers: a game is won by who makes it, all else by who has
more points.

A forfeit pays the other side 100 points; 13 with `reward="tricks"`, or 1 with
`reward="match"`.

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
    return GameEnv("bridge_whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
