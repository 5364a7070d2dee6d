"""What the scores of a rubber are worth, and tables that are played for it.

A rubber is won, not counted: a point that makes the game is worth more than one beyond
it. The worth of a score follows from what deals bring. A player plays many against
itself, and each is ended by the rules of the game from every score that a rubber can
have. That gives the chances from score to score, a Markov chain, and what can be
expected of it is the solution of linear equations (Kemeny and Snell 1960, "Finite
Markov Chains", chapter III). The chances are estimates, the rest is exact.

Scores are seen from the side that deals: it turns a trump, and that is worth something.
The deal passes to the left, so the sides deal in turn; and what is worth v to one side
is worth -v to the other.

How deals are played is taken not to depend on the score. That of good players does
somewhat, so what they are worth to them is somewhat different.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

import whist_env
from whist_env import Game, Player, Tables, Views
from whist_env.cards import CARDS
from whist_env.engine.partners import SIDES
from whist_env.envs.vector import Batch
from whist_env.games.whist import target

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]
_Places = tuple[_Array, _Array, _Array, _Array]

DEALS: Final = 20_000
"""Deals that are played to find out what deals bring."""
TABLES: Final = 1000

# What is known ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Equity:
    """What the scores of a rubber are worth to the side that deals next.

    The four axes are games won by that side, games won by the other, points of that
    side in the game in progress, and points of the other: ``(2, 2, target, target)``.

    Attributes:
        game: the game; its reward is what is played for: ``"match"``, to win the
            rubber, or ``"settlement"``.
        deals: how many deals it was computed from.
        chance: the chance to win two games before the other side does.
        settlement: what the other side is expected to pay for what is still to come,
            the rubber included. What games and points have earned so far comes on top.
    """

    game: Game
    deals: int
    chance: _Floats
    settlement: _Floats

    def expected(self, records: _Array) -> _Floats:
        """What side 0 can expect of the rubbers at tables, ``(len,)``.

        Where the rubber is played for, winning it counts +1 and losing it -1.

        Args:
            records: the tables, ``(len,)``; only their scores and dealers count.
        """
        place, sign = _places(records), _sign_of_dealer(records)
        if _is_for_winning(self.game):
            return sign * (2 * self.chance[place] - 1)
        return _paid_so_far(records, self.game) + sign * self.settlement[place]

    def result(self, finished: _Array) -> _Floats:
        """What side 0 got of rubbers that are finished, ``(len,)``.

        Args:
            finished: the records of the tables as they stood at the end, ``(len,)``.
        """
        if _is_for_winning(self.game):
            return np.where(finished["winning_side"] == 0, 1.0, -1.0)
        return finished["settlement"][:, 0].astype(np.float64)

    def to_json(self) -> str:
        """Everything, as text that `from_json` takes back."""
        fields = {
            "game": self.game.name,
            "options": dataclasses.asdict(self.game.options),
            "deals": self.deals,
            "chance": self.chance.tolist(),
            "settlement": self.settlement.tolist(),
        }
        return json.dumps(fields)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The table that `to_json` wrote."""
        fields = json.loads(text)
        game = whist_env.game(fields["game"], **fields["options"])
        chance, settlement = np.array(fields["chance"]), np.array(fields["settlement"])
        return cls(game, fields["deals"], chance, settlement)


def _is_for_winning(game: Game) -> bool:
    options: Any = game.options
    return bool(options.reward == "match")


def _dealing_side(records: _Array) -> _Array:
    return np.asarray(records["dealer"] % SIDES, np.int64)


def _sign_of_dealer(records: _Array) -> _Floats:
    """+1 where side 0 deals, -1 elsewhere."""
    return np.where(_dealing_side(records) == 0, 1.0, -1.0)


def _places(records: _Array) -> _Places:
    """Where the scores of tables are found, seen from the sides that deal."""
    rows, dealing = np.arange(len(records)), _dealing_side(records)
    games, score = records["games"], records["score"]
    return (
        games[rows, dealing],
        games[rows, 1 - dealing],
        score[rows, dealing],
        score[rows, 1 - dealing],
    )


def _paid_so_far(records: _Array, game: Game) -> _Floats:
    """What side 1 would owe side 0 for the games and points made so far."""
    options: Any = game.options
    made = records["points" if options.scoring == "robber" else "rubber_points"]
    return np.asarray(made[:, 0] - made[:, 1], np.float64)


# Finding it out ---------------------------------------------------------------------


def rubber_equity(
    game: Game, player: Player, *, deals: int = DEALS, seed: int = 0
) -> Equity:
    """What the scores of a rubber are worth if all play like a player.

    Args:
        game: Whist in rubbers, rewarded by ``"match"`` or by ``"settlement"``.
        player: who plays all seats.
        deals: how many deals to play, all of them at the start of rubbers.
        seed: of the deals and of the player's chance.

    Raises:
        ValueError: it is another game, or there are too few deals.
    """
    _check_game(game)
    if deals < 1:
        raise ValueError(f"deals={deals!r} must be at least 1")
    chain = _chain(game, _before_last_card(game, player, deals, seed))
    return Equity(
        game, deals, (1 + chain.worth(chain.won)) / 2, chain.worth(chain.paid)
    )


def _check_game(game: Game) -> None:
    """Refuse what is not a rubber of Whist whose scores tell all that counts."""
    options: Any = game.options
    if game.name != "whist" or options.episode != "rubber":
        raise ValueError(
            f"{game!r} has no rubbers of Whist; take game('whist', scoring='short5', "
            "episode='rubber', reward='match')"
        )
    if options.reward not in ("match", "settlement"):
        raise ValueError(
            f"reward={options.reward!r} is not what a rubber is played for; take "
            "reward='match' or 'settlement'"
        )
    if options.scoring == "robber" and options.reward == "match":
        raise ValueError(
            "robber whist is won by the points of the whole rubber, which are no part "
            "of the score of a game; take reward='settlement'"
        )
    if options.revokes != "never":
        raise ValueError(f"revokes={options.revokes!r}: take revokes='never'")


def _before_last_card(game: Game, player: Player, deals: int, seed: int) -> _Array:
    """Deals that the player has played against itself but for the last card."""
    tables = Tables(game, min(deals, TABLES), seed, dtype=np.int8)
    chance = np.random.PCG64(seed)
    parts = []
    for _ in range(math.ceil(deals / tables.num_tables)):
        batch = tables.reset()
        for _ in range(CARDS - 1):
            bits = chance.random_raw(tables.num_tables)
            views = Views(game, batch.observation, batch.action_mask, bits)
            batch = tables.step(player.act(views))
        parts.append(tables.records.copy())
    return np.concatenate(parts)[:deals]


@dataclasses.dataclass(frozen=True)
class _Chain:
    """How a rubber goes from score to score, each seen from the side that deals.

    Attributes:
        shape: how many scores there are, by axis.
        passes: the chance that a deal leads from a score to another, ``(scores,
            scores)``; what a row lacks to 1 is the chance that the rubber ends.
        won: how much oftener a deal wins the rubber for the dealer's side than it
            loses it, ``(scores,)``.
        paid: what a deal earns the dealer's side in the mean, ``(scores,)``.
    """

    shape: tuple[int, ...]
    passes: _Floats
    won: _Floats
    paid: _Floats

    def worth(self, earned: _Floats) -> _Floats:
        """What all deals to come are worth where each earns so much, by score.

        The next dealer is of the other side: worth = earned - passes * worth.
        """
        worth = np.linalg.solve(np.eye(len(earned)) + self.passes, earned)
        return np.asarray(worth, np.float64).reshape(self.shape)


def _chain(game: Game, deals: _Array) -> _Chain:
    """The chain that deals make which lack their last card."""
    points = target(deals[0])
    shape = (2, 2, points, points)
    size = math.prod(shape)
    chain = _Chain(shape, np.zeros((size, size)), np.zeros(size), np.zeros(size))
    tables = Tables(game, len(deals), 0, observations=False)
    tables.reset()
    sign = _sign_of_dealer(deals)
    for score, (own_games, other_games, own, other) in enumerate(np.ndindex(shape)):
        tables.records[:] = deals
        _put(tables.records["games"], deals, own_games, other_games)
        _put(tables.records["score"], deals, own, other)
        over = tables.step(tables.sample_actions()).done
        following, ended = tables.records[~over], tables.finished[over]
        reached = np.ravel_multi_index(_places(following), shape)
        chain.passes[score] = np.bincount(reached, minlength=size) / len(deals)
        won = np.where(_two_games(ended), sign[over], -sign[over])
        chain.won[score] = won.sum() / len(deals)
        paid = sign[over] @ ended["settlement"][:, 0]
        paid += sign[~over] @ _paid_so_far(following, game)
        chain.paid[score] = paid / len(deals)
    return chain


def _put(by_side: _Array, deals: _Array, own: int, other: int) -> None:
    """Give a number to the dealer's side of each table, and one to the other side."""
    rows, dealing = np.arange(len(deals)), _dealing_side(deals)
    by_side[rows, dealing] = own
    by_side[rows, 1 - dealing] = other


def _two_games(finished: _Array) -> npt.NDArray[np.bool_]:
    """Whether side 0 is the one that has won two games."""
    return np.asarray(finished["games"][:, 0] == 2)


# Playing for it ---------------------------------------------------------------------


class RubberTables(Tables):
    """Tables of rubbers at which every deal is an episode of its own.

    At its end each side earns what the deal has changed in what it can expect of the
    rubber. Over a rubber that adds up to its result less what was expected of it at the
    start. The next deal does not belong to what a deal has earned: all that it can be
    expected to bring is in the worth of the score.

    Attributes:
        equity: what the scores are worth.
    """

    def __init__(self, equity: Equity, num_tables: int, seed: int) -> None:
        """Tables, not dealt yet: call `reset` first.

        Args:
            equity: what the scores are worth.
            num_tables: how many tables.
            seed: a seed for all.
        """
        super().__init__(equity.game, num_tables, seed, dtype=np.int8)
        self.equity = equity

    def step(self, actions: npt.ArrayLike, out: Batch | None = None) -> Batch:
        """Carry out one action at every table; ``done`` tells where it ended a deal."""
        deals = self.records["deals_played"].copy()
        before = self.equity.expected(self.records)
        batch = super().step(actions, out)
        ended = batch.done.copy()
        batch.done[self.records["deals_played"] != deals] = True
        after = self.equity.expected(self.records)
        after[ended] = self.equity.result(self.finished[ended])
        # Between the first card of a deal and the last nothing changes.
        earned = after - before
        for agent in range(self.game.num_agents):
            batch.rewards[:, agent] = earned if agent % SIDES == 0 else -earned
        return batch
