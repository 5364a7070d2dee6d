"""Four players, partners opposite; a second pack is cut to say what each suit counts.

One pack is dealt four, four and five cards at a time. The other lies still and is cut:
the suit of the cut card is cayenne. The dealer names a suit for trumps, or grand (no
trumps), or nullo (no trumps, and tricks are to be lost), or passes that to the partner,
who must name. The dealer's left leads, and all hands stay hidden. Each follows suit if
it can, and else plays any card; the highest trump, or else the highest card of the suit
led, wins the trick and leads next.

At nullo an ace is the lowest card of its suit unless its holder says otherwise. So who
plays one acts once more: `ace_low` or `ace_high`.

The side with more than six tricks scores each above six, whoever declared: four points
if cayenne is trumps, three in the other suit of its colour, two in the third suit and
one in the fourth, and eight at grand. At nullo each trick above six counts eight for
the other side. Honours, ace to ten of trumps as they were dealt to the two partners,
count two (three honours), four (four) or six (all five) times the value of a trick, and
so do slams: twelve tricks four, thirteen six.

Ten points are a game. What is beyond them counts in the next, so that one deal may win
several games; the other side begins each game at nothing. Tricks count first. A side
that scores no tricks stops at nine and loses the rest, and it scores no honours if the
others win a game by tricks. Four games win the rubber, which counts eight more points.

Seats run clockwise from `player_0`; `player_0` and `player_2` are partners, and so are
`player_1` and `player_3`. An episode is one deal, the first of a game, or with
`episode=` a game or a rubber, or with `deals=` a number of deals that are no part of
games; the deal passes to the left.

### Rewards

At the end of each deal every agent gets the points that its side has scored in it, less
those of the other side; in a rubber they add up to its value, which is the winners'
total and eight less the losers' total. Partners get the same, and the rewards of all
agents add up to 0. `reward="tricks"` pays each trick as it is taken (+1 to the side
that takes it, -1 to the other; at nullo the other way round), and `reward="match"` pays
+1 to the winners of the episode and -1 to the losers: games and rubbers are won by
games, all else by points.

A forfeit pays the other side 56 points; 13 with `reward="tricks"`, or 1 with
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
    return GameEnv("cayenne", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
