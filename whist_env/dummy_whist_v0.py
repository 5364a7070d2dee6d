"""Three players and an open hand, which the dealer plays, play a deal of whist.

Four hands are dealt one card at a time. The dealer's last card is turned, its suit is
trumps, and it lies open until the first trick is over. The hand opposite the dealer is
dummy: it lies open, and the dealer plays it with his own against the other two. The
dealer's left leads. Each hand follows suit if it can, and else plays any card; the
highest trump, or else the highest card of the suit led, wins the trick, and that hand
leads next. Tricks above the six of the book score, and so do honours: of ace, king,
queen and jack of trumps four dealt to a side count 4, three count 2.

There are three agents and four seats. The dealer sits at the seat of its own number,
with `player_0` as dealer at seat 0; clockwise follow the next player, dummy, and the
last player. The deal passes to the left, and the seats move with it, so that each plays
with dummy in turn. An agent that is to act decides for its own hand or for dummy's: the
observation shows which (`to_act`), and whose decision it is (`decides`).

`players=2` is double dummy: `player_0` and `player_1` sit side by side at seats 0 and
1, and each plays the open hand opposite. While both lie open, each can work out the one
hand that it does not see: nothing is hidden.

An episode is one deal, or `deals=` of them; three, six or nine let all deal alike.

### Rewards

The dealer scores what its side makes, and each of the two others what theirs makes, in
full (`split="half"`: by halves). At the end of each deal every agent gets what it has
scored in it, less the mean of what all have scored, so that the rewards of all agents
add up to 0. `reward="tricks"` pays each trick in the same way as it is taken, and
`reward="match"` pays at the end: each loser pays 1 to each winner, who has the highest
total or shares it.

A forfeit credits each of the others with thirteen points, or tricks, and makes them
winners.

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
    return GameEnv("dummy_whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
