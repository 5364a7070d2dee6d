"""Boston de Fontainebleau with solo bids, honours and carte blanche.

Four players, each for himself, bid for a contract against the three others as in
Boston de Fontainebleau. Whoever bids six, seven or eight tricks is open to a partner,
with whom he must make four tricks more, unless he says solo; both forms of a bid rank
alike. A bid of five may find a partner too, for eight tricks together. Four honours
(ace, king, queen and jack of trumps) of the caller's side are paid like four tricks
over, and three like two.

Where there are trumps, each player is asked before his first card whether he declares
*carte blanche*, a hand without a trump. All are asked, so that being asked tells
nothing, and one with a trump can only be silent.

Seats run clockwise from `player_0`. An episode is one deal out of a game, or with
`episode="game"` a game of twelve deals, with `deals=` one of another length.

### Rewards

At the end of each deal a caller who has made his contract gets an amount from each of
the three others, and the pool; one who has failed pays the amount to each of them and
to the pool. With a partner each of the two settles with one of the others, and they
halve what is taken from the pool or paid into it. The dealer puts 5 counters into the
pool. The amount depends on the bid, and in bids of five to twelve tricks on the tricks
over or under and on the honours. A declared carte blanche gets 10 counters from each
of the others at once. The players and the pool together always have nothing.

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
    return GameEnv("russian_boston", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
