"""Many tables of a game, stepped together."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from whist_env.engine.options import is_whole
from whist_env.engine.record import load, save
from whist_env.envs.game import Game, IllegalAction
from whist_env.envs.seeding import seed_words
from whist_env.envs.table import Table, observation_dtype, restart_stream

_Array = npt.NDArray[Any]
MOST = 2**31 - 1
"""No count of tables or threads is larger."""


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """What a step of many tables gives, one row a table.

    The arrays are buffers: the next step that writes into the same batch overwrites
    them. Copy what must outlive it, or step into a batch of your own
    (`Tables.new_batch`). Those of tables on a GPU are arrays there.

    Attributes:
        observation: what the agent to act observes, ``(num_tables, features.size)``,
            float32 or int8. Empty where the tables were made without observations.
        action_mask: its legal actions, ``(num_tables, num_actions)`` int8.
        agent: the agent to act, ``(num_tables,)`` int64.
        rewards: what the last action earned, ``(num_tables, num_agents)`` float32.
        done: whether it ended an episode, ``(num_tables,)`` bool. The agent,
            observation and mask of such a table belong to its next episode.
    """

    observation: _Array
    action_mask: npt.NDArray[np.int8]
    agent: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float32]
    done: npt.NDArray[np.bool_]


class Tables:
    """A vector environment: many tables of one game, with automatic reset.

    What happens at table *i* depends on the seed, on *i* and on the actions taken at
    that table; the number of tables and of threads changes nothing.

    Attributes:
        game: the game.
        num_tables: how many tables there are.
        records: the records of all tables, ``(num_tables,)``.
        finished: for each table the record of its last finished episode, as it stood
            at the end, ``(num_tables,)``; all zero before the first.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        seed: SupportsIndex | npt.NDArray[np.uint64] | None = None,
        *,
        dtype: npt.DTypeLike = np.float32,
        observations: bool = True,
        threads: int = 1,
    ) -> None:
        """Tables, not dealt yet: call `reset` first.

        Args:
            game: the game with its options.
            num_tables: how many tables.
            seed: a seed for all, or an array of one uint64 seed for each table.
            dtype: the type of observations, float32 or int8; the values are the same.
            observations: False to leave observations out (agents that need none).
            threads: how many threads step the tables.

        Raises:
            ValueError: a number or a type that cannot be.
        """
        check_number("num_tables", num_tables)
        check_number("threads", threads)
        self.game = game
        self.num_tables = num_tables
        self.records = game.new_records(num_tables)
        self.finished = np.zeros(num_tables, game.rules.record)
        self._memory = self.records.view(np.uint8)
        self._finished_memory = self.finished.view(np.uint8)
        self._dtype = observation_dtype(dtype)
        self._observed = observations
        self._parts = _split(num_tables, threads)
        # The threads start with the first work; one part is done by the caller's.
        self._pool = ThreadPoolExecutor(max(1, threads - 1))
        self._batch = self.new_batch()
        self._dealt = False
        self._restart(seed)

    def new_batch(self) -> Batch:
        """Buffers for one step, of your own."""
        return zero_batch(self.game, self.num_tables, self._dtype, self._observed)

    def reset(
        self,
        seed: SupportsIndex | npt.NDArray[np.uint64] | None = None,
        out: Batch | None = None,
    ) -> Batch:
        """Begin an episode at every table.

        Args:
            seed: begin the random streams anew; ``None`` goes on with fresh deals.
            out: the batch to write into, by default one that is used at every step.
        """
        if seed is not None:
            self._restart(seed)
        self.game.loops.start_all(self._memory)
        self._dealt = True
        return self.look(out)

    def look(self, out: Batch | None = None) -> Batch:
        """The tables as they stand, with no rewards: after a change of `records`."""
        batch = self._checked(out)
        batch.rewards[:] = 0
        batch.done[:] = False
        self._run(
            self.game.loops.see_all,
            self._observed,
            batch.agent,
            batch.observation,
            batch.action_mask,
        )
        return batch

    def step(self, actions: npt.ArrayLike, out: Batch | None = None) -> Batch:
        """Carry out one action at every table.

        Args:
            actions: whole numbers, ``(num_tables,)``.
            out: the batch to write into, by default one that is used at every step.

        Raises:
            IllegalAction: an action is illegal; no table is changed.
            ValueError: the actions are not one whole number for each table.
            RuntimeError: `reset` was never called.
        """
        self._check_dealt()
        batch = self._checked(out)
        chosen = whole_numbers(actions, self.num_tables)
        self._refuse_illegal(chosen)
        self._run(
            self.game.loops.step_all,
            self._finished_memory,
            chosen,
            batch.rewards,
            batch.done,
            self._observed,
            batch.agent,
            batch.observation,
            batch.action_mask,
        )
        return batch

    def sample_actions(
        self, out: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """A uniformly random legal action for each table, ``(num_tables,)`` int64.

        It comes from the table's own stream: the same position at the same table
        always gives the same action.
        """
        if out is None:
            out = np.empty(self.num_tables, np.int64)
        elif out.shape != (self.num_tables,) or out.dtype != np.int64:
            raise ValueError(
                f"out must be an int64 array of shape ({self.num_tables},), not "
                f"{out.dtype} of shape {out.shape}"
            )
        self._run(self.game.loops.sample_all, out)
        return out

    def state(self, out: _Array | None = None) -> _Array:
        """Everything about each table as seen from its agent to act.

        Args:
            out: an array of the observations' type and of shape
                ``(num_tables, state_features.size)`` to write into.
        """
        shape = (self.num_tables, self.game.state_features.size)
        if out is None:
            out = np.empty(shape, self._dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out={out!r} must be an array")
        elif (out.shape, out.dtype) != (shape, self._dtype):
            raise ValueError(
                f"out must be a {self._dtype} array of shape {shape}, not {out.dtype} "
                f"of shape {out.shape}"
            )
        self._run(self.game.loops.state_all, out)
        return out

    def table(self, index: int) -> Table:
        """A native table equal to one of these, sharing nothing with it.

        Raises:
            IndexError: there is no such table.
        """
        check_index(index, self.num_tables)
        return Table(self.game, self.records[index : index + 1].copy().view(np.uint8))

    def to_bytes(self) -> bytes:
        """All tables as they stand; `restore` takes them back."""
        return save(self.records)

    def restore(self, data: bytes) -> None:
        """Put all tables back as `to_bytes` saved them.

        Raises:
            ValueError: the bytes are not this number of tables of this game.
        """
        self.records[:] = saved_tables(self.game, self.num_tables, data)
        self._dealt = True

    def close(self) -> None:
        """End the threads; the tables can no longer be stepped by several."""
        self._pool.shutdown()

    def _restart(self, seed: SupportsIndex | npt.NDArray[np.uint64] | None) -> None:
        restart_stream(self.records, table_seeds(seed, self.num_tables))

    def _run(self, loop: Callable[..., Any], *arguments: Any) -> None:
        """Run a loop over all tables: a part here and the others in threads."""
        self._check_dealt()
        (begin, end), *others = self._parts
        waiting = [
            self._pool.submit(loop, self._memory, *arguments, *part) for part in others
        ]
        loop(self._memory, *arguments, begin, end)
        for part in waiting:
            part.result()

    def _check_dealt(self) -> None:
        if not self._dealt:
            raise RuntimeError("nothing has been dealt yet: call reset() first")

    def _refuse_illegal(self, actions: npt.NDArray[np.int64]) -> None:
        index = self.game.loops.first_illegal(self._memory, actions, 0, self.num_tables)
        if index >= 0:
            try:
                self.table(index).apply(actions[index])
            except IllegalAction as error:
                raise IllegalAction(f"table {index}: {error}") from None

    def _checked(self, out: Batch | None) -> Batch:
        if out is None:
            return self._batch
        for field in dataclasses.fields(Batch):
            mine, theirs = getattr(self._batch, field.name), getattr(out, field.name)
            fits = (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
            if not fits or not theirs.flags.writeable:
                kind = f"{'' if theirs.flags.writeable else 'read-only '}{theirs.dtype}"
                raise ValueError(
                    f"out.{field.name} must be writable {mine.dtype} of shape "
                    f"{mine.shape}, not {kind} of shape {theirs.shape}; new_batch() "
                    "makes fitting buffers"
                )
        return out


def _split(count: int, parts: int) -> list[tuple[int, int]]:
    bounds = np.linspace(0, count, parts + 1).astype(int).tolist()
    return [(a, b) for a, b in itertools.pairwise(bounds) if a < b]


def check_number(name: str, number: int) -> None:
    """Check a number of tables or threads.

    Raises:
        ValueError: it is no whole number, or out of bounds.
    """
    if not is_whole(number, 1, MOST):
        raise ValueError(f"{name}={number!r} must be a whole number from 1 to {MOST}")


def check_index(index: int, num_tables: int) -> None:
    """Check the number of a table.

    Raises:
        IndexError: there is no such table.
    """
    if not is_whole(index, 0, num_tables - 1):
        raise IndexError(
            f"there is no table {index!r}; the tables are 0 to {num_tables - 1}"
        )


def zero_batch(
    game: Game, num_tables: int, dtype: npt.DTypeLike, observed: bool
) -> Batch:
    """Buffers for one step of so many tables."""
    size = game.features.size if observed else 0
    return Batch(
        np.zeros((num_tables, size), dtype),
        np.zeros((num_tables, game.num_actions), np.int8),
        np.zeros(num_tables, np.int64),
        np.zeros((num_tables, game.num_agents), np.float32),
        np.zeros(num_tables, np.bool_),
    )


def table_seeds(
    seed: SupportsIndex | npt.NDArray[np.uint64] | None, num_tables: int
) -> npt.NDArray[np.uint64]:
    """The seed of each table, from one for all or as they are given.

    Raises:
        ValueError: an array of seeds is not one uint64 number for each table.
    """
    if not (isinstance(seed, np.ndarray) and seed.ndim):
        return seed_words(seed, num_tables)
    if seed.shape != (num_tables,) or seed.dtype != np.uint64:
        raise ValueError(
            f"an array of seeds must be uint64 of shape ({num_tables},), not "
            f"{seed.dtype} of shape {seed.shape}"
        )
    return seed


def saved_tables(game: Game, num_tables: int, data: bytes) -> _Array:
    """The records that `save` saved of so many tables of a game.

    Raises:
        ValueError: the bytes are not this number of tables of this game.
    """
    try:
        saved: _Array = load(game.rules.record, num_tables, data)
    except ValueError as error:
        raise ValueError(
            f"the bytes are not {num_tables} saved tables of {game.name}: {error}"
        ) from None
    if (saved["options"] != game.new_records(1)["options"]).any():
        raise ValueError("the saved tables have other options than these")
    return saved


def whole_numbers(actions: npt.ArrayLike, num_tables: int) -> npt.NDArray[np.int64]:
    """Actions for so many tables, as a compiled loop takes them.

    Raises:
        ValueError: they are not one whole number for each table.
    """
    chosen = np.asarray(actions)
    if chosen.shape != (num_tables,) or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"actions must be whole numbers of shape ({num_tables},), not "
            f"{chosen.dtype} of shape {chosen.shape}"
        )
    return np.ascontiguousarray(chosen, np.int64)
