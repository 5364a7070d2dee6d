"""Two players, a talon of twenty-six cards, and twenty-six tricks.

Each is dealt thirteen cards, and the next card is turned: its suit is trumps, and it
lies face up on the talon. Each follows suit if he can, and else plays any card; the
higher trump, or else the higher card of the suit led, wins the trick. After each of the
first thirteen tricks the winner takes the card that lies face up, the loser takes the
next one, which the winner does not see, and another is turned. Thirteen more tricks are
played from the hands so made. The non-dealer leads first, then who won the last trick.

All know the cards that were taken face up, and the cards drawn unseen only who drew
them. A player who remembers everything knows the other hand when the talon is gone.

An episode is one deal, or with `deals=` a number of deals; the deal alternates.
`count="last13"` counts the tricks after the talon alone, as modern players do. With
`ranks=` and `suits=` the pack is smaller: a quarter of it is dealt to each player, and
the "last thirteen" are as many tricks as cards dealt.

### Rewards

At the end of each deal the player with the majority of the tricks that count gets the
difference, and the other loses it. `reward="tricks"` pays each trick that counts as it
is taken (+1 to who takes it, -1 to the other), and `reward="match"` pays +1 to the
winner of the episode and -1 to the loser.

A forfeit pays the other player a point for each trick of a deal that counts (26, or 13
with `count="last13"`), or one with `reward="match"`.

### Version History

* v0: first release (0.1.0)
"""

from __future__ import annotations

from typing import Any

from whist_env.envs.aec import GameEnv, ParallelGameEnv
from whist_env.envs.page import environment_page


def env(**settings: Any) -> GameEnv:
    """The environment; its options and settings are in the module's documentation."""
    return GameEnv("german_whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
