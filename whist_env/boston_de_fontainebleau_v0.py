"""Four players, each for himself, bid for a contract against the three others.

The whole pack is dealt. From the dealer's left each bids higher or passes for good. The
bids rise from five tricks over six, little misère (no trick), seven, piccolissimo
(exactly one trick), eight, grand misère, nine, little spread (a little misère with the
hand on the table), ten, grand spread, eleven, twelve and a slam to a slam with the hand
on the table. With an equal number of tricks diamonds stand above hearts, clubs and
spades, and grand (no trumps) above them all. After a bid of five, six or seven the
others are asked in turn whether one will be the caller's partner; together they must
make eight, ten or twelve. Before little misère, little spread and piccolissimo each
puts a card aside, face down. The dealer's left leads; each follows suit if it can, and
the highest trump, or else the highest card of the suit led, wins the trick.

Seats run clockwise from `player_0`. An episode is one deal out of a game, or with
`episode="game"` a game of twelve deals, with `deals=` one of another length.

### Rewards

At the end of each deal a caller who has made his contract gets an amount from each of
the three others, and the pool; one who has failed pays the amount to each of them and
to the pool. With a partner each of the two settles with one of the others, and they
halve what is taken from the pool or paid into it. The dealer puts 5 counters into the
pool. The amount depends on the bid, and in bids of five to twelve tricks on the tricks
over or under. The players and the pool together always have nothing.

If the caller fails in the last deal of a game, his adversaries divide the pool;
otherwise all divide what it holds.

`reward="match"` pays at the end alone: each player that has not made the most counters
pays 1 to each that has.

A forfeit pays each of the three others 800 counters, or 1 with `reward="match"`; the
others win.

### Version History

* v0: first release (0.1.0)
"""

from __future__ import annotations

from typing import Any

from whist_env.envs.aec import GameEnv, ParallelGameEnv
from whist_env.envs.page import environment_page


def env(**settings: Any) -> GameEnv:
    """The environment; its options and settings are in the module's documentation."""
    return GameEnv("boston_de_fontainebleau", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
