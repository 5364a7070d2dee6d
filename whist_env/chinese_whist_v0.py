"""Four, three or two players; most cards lie on the table, and half of these face down.

With four players, partners opposite, each has six cards face down before him, a card
face up on each of them, and one down card in his hand; with three players eight, eight
and one (the deuce of spades is left out); with two twelve, twelve and two. Nobody knows
the cards face down, not even their owner. The dealer sees the cards face up and his
down cards and names trumps.

The dealer's left leads, to the first trick a card that lies face up. Each follows suit
from the cards face up before him and his down cards if he can, and else plays any of
them; the highest trump, or else the highest card of the suit led, wins the trick and
leads next. After each trick, before the next lead, every card that is uncovered is
turned up and may be played from then on. Tricks above the book score: above six, and
above thirteen for two players.

Seats run clockwise from `player_0`; of four players `player_0` and `player_2` are
partners, and so are `player_1` and `player_3`. An episode is one deal, with `deals=` a
number of deals, or with `episode="game"` a game, which ends when one side alone has
most points and at least `target`. The deal passes to the left.

### Rewards

At the end of each deal every agent gets the points that its side has scored in it, less
those of each other side. Partners get the same, and the rewards of all agents add up to
0. `reward="tricks"` pays each trick as it is taken (1 from each other side). At the end
of the episode `reward="match"` pays the winner 1 from each other side, the flat stake,
and `reward="settlement"` the winner's total less that of the side which pays, the stake
per point. Where several share the first place, the others pay each of them.

A forfeit pays each other side a point for every trick of a deal (13, 17 or 26), or one
with `reward="match"`.

### Version History

* v0: first release (0.1.0)
"""

from __future__ import annotations

from typing import Any

from whist_env.envs.aec import GameEnv, ParallelGameEnv
from whist_env.envs.page import environment_page


def env(**settings: Any) -> GameEnv:
    """The environment; its options and settings are in the module's documentation."""
    return GameEnv("chinese_whist", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
