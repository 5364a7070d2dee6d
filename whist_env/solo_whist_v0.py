"""Four players, each for himself, call what they undertake; the highest call is played.

The cards are dealt three at a time, the last four one at a time, and the last of them
is turned. Eldest hand calls first. A player passes, proposes (eight tricks with an
ally), accepts a proposal, or undertakes alone a solo (five tricks), a misere (no
trick), an abundance (nine tricks, trumps named), an abundance in trumps (nine tricks,
the turned suit trumps), a spread (no trick, the hand exposed after the first) or a slam
(thirteen tricks). Each call is higher than the one before, and a player who has passed
is out, except that eldest hand may still accept a proposal. Who is over-called may call
again; who is not, may not. Bidding ends when all others have passed. A proposal that
nobody accepts and that is not raised to a solo or more is thrown in.

The turned suit is trumps in an alliance, a solo and an abundance in trumps; there are
no trumps in a misere and a spread. Eldest hand leads, but in a slam its caller does.
Each follows suit if it can, and else plays any card.

Sides change with every deal: the observation shows the caller and its ally. An episode
is one deal, or with `deals=` a number of deals; the deal passes to the left.

### Rewards

At the end of each deal a single caller gets an amount from each of the three others, or
pays it to each; each of two allies gets it from one adversary, or pays it. The amounts,
in white counters:

| Call | Amount |
|------|--------|
| proposal and acceptance | 5 |
| solo | 10 |
| misere | 15 |
| abundance, abundance in trumps | 20 |
| spread | 30 |
| slam | 40 |

Each trick above or below the number undertaken is one counter more, but not in misere,
spread and slam. Rewards of all agents add up to 0. `reward="match"` rewards the end of
the episode alone: each agent with fewer points than another pays 1 to each that has
the most.

A forfeit pays each other agent the amount of a slam and nine tricks, or one with
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
    return GameEnv("solo_whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
