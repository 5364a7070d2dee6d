"""Four players, each for himself, bid for a contract: alone, or with a partner.

All goes to the right: the deal, the bidding and the play. The pack is dealt four, four
and five cards at a time; the dealer's last card is turned. In a game the suit turned
first is *belle* for all deals, and the suit turned in a later deal is the *petite* of
that deal, unless it is belle again.

The bids, from the lowest: a demand, for eight tricks with whoever accepts, in petite or
belle (the demander lays a card of the suit face down, and nobody sees which of the two
it is until the play begins); a public demand in belle over that; six tricks alone, in a
suit; petite misere, to lose all twelve tricks after each player has discarded a card;
eight alone; grand misere, to lose all thirteen; misere des quatre as, the same for the
holder of four aces, who need not follow suit in the first ten tricks; nine alone; nine
in petite; nine in belle; and the two miseres with an exposed hand. Suits rank hearts,
diamonds, clubs, spades. A demand that nobody accepts is played alone for five tricks.
Who wins the bidding with six, eight or nine declares then what he plays, at least as
high as he bid.

The Jack of diamonds is the best trump whatever the trump suit, and belongs to it; if
diamonds were turned, the Jack of hearts takes its place. Miseres have no trumps. The
dealer's right leads. Each follows suit if it can, and else plays any card.

Seats run clockwise from `player_0`, so play goes from `player_0` to `player_3`. An
episode is one deal, in which the belle is drawn as if a deal before had fixed it
(`belle="turned"` makes it the first deal of a game, `counts="double"` one of the last),
or with `episode="game"` a game of forty deals, of which the last eight count double.

### Rewards

At the end of each deal every agent gets the counters that it has won in it, those lost
taken off. Amounts are multiplied by the suit: spades 1, clubs 2, diamonds 3, hearts 4.
A caller settles with each adversary, two allies with one each; success also wins the
pool and failure doubles it. All players fill an empty pool (the dealer with 8, the
others with 4), and the next dealer adds 8 when the cards were thrown in. The stakes of
a deal are counted when it ends. Not more than `pool_limit` can be won or doubled at
once. What is in the pool at the end of the episode is divided. The rewards of all
agents and what went into the pool add up to 0.

With `revokes="penalty"` a player who could follow suit need not. Each who did not pays,
when the deal is over and before the contract is settled, the amount of the contract
without honours and tricks: an ally to both adversaries, a caller who plays alone to all
three, an adversary to the caller and his ally; and puts as much into the pool as it
held. A side that makes or defeats the contract with a revoke of its own gets nothing
for it.

`reward="match"` rewards having most counters at the end of the episode: every other
agent pays 1 to each that has.

A forfeit pays 800 to each of the others, the dearest amount of the table, or 1 with
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
    return GameEnv("french_boston", 0, **settings)


raw_env = env
"""The same: the environment needs no wrappers."""


def parallel_env(**settings: Any) -> ParallelGameEnv:
    """The environment in which all agents hand in actions, and that of one counts."""
    return ParallelGameEnv(env(**settings))


if __doc__:
    __doc__ = environment_page(env(), __doc__)
