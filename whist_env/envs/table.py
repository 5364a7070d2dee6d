"""One table, without any framework: for search, scripts and tests."""

from __future__ import annotations

import operator
from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, Any, NoReturn, Self, SupportsIndex

import numpy as np
import numpy.typing as npt
from numba.core.errors import TypingError

from whist_env.engine.loops import ILLEGAL, NO_BUFFER
from whist_env.engine.options import is_whole
from whist_env.engine.record import NOBODY, save
from whist_env.envs.game import Game, IllegalAction
from whist_env.envs.seeding import seed_word

if TYPE_CHECKING:
    from whist_env.render.scene import Viewer

_Array = npt.NDArray[Any]
_OBSERVATION_TYPES = (np.dtype(np.float32), np.dtype(np.int8))


def observation_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """The type of observations.

    Raises:
        ValueError: it is not float32 or int8.
    """
    for kind in _OBSERVATION_TYPES:
        if dtype in (kind, kind.name, kind.type):
            return kind
    raise ValueError(f"dtype={dtype!r} must be 'float32' or 'int8'")


class Table:
    """A table of a game: a record of a few hundred bytes and the rules on it.

    Copying a table copies its bytes. Two tables are equal if every byte is.
    """

    __slots__ = (
        "_agent_place",
        "_listed",
        "_listing",
        "_loops",
        "_memory",
        "_outcome_format",
        "_size",
        "_unit",
        "game",
    )

    # The legal actions as `apply` left them: the bytes, the same bytes as an array,
    # and their number, -1 where they are not known.
    _listed: bytearray | None
    _listing: npt.NDArray[np.uint8]
    _size: int

    def __init__(self, game: Game, memory: npt.NDArray[np.uint8]) -> None:
        """A table in the given memory, which holds one record."""
        self.game = game
        self._memory = memory
        self._loops = game.loops
        self._agent_place = _place(game, "agent")
        self._outcome_format = _outcome_format(game)
        self._unit = game.rules.unit
        self._listed = None
        self._size = -1

    @property
    def record(self) -> Any:
        """The record itself, to be read only."""
        memory = self._memory.view(self.game.rules.record)
        memory.flags.writeable = False
        return memory[0]

    @property
    def agent(self) -> int:
        """The agent to act; -1 when the episode is over."""
        agent = self._memory.item(self._agent_place)
        return agent if agent < 128 else NOBODY

    @property
    def is_over(self) -> bool:
        """Whether the episode is over."""
        return self._memory.item(self._agent_place) > 127

    def legal_actions(self) -> list[int]:
        """The actions open to the agent to act, in order; none when it is over."""
        if self._size < 0:
            if self._listed is None:
                self._make_list()
            self._size = self._loops.list_one(self._memory, self._listing)
        return list(self._listed[: self._size])  # type: ignore[index]

    def action_mask(
        self, agent: int | None = None, out: npt.NDArray[np.int8] | None = None
    ) -> npt.NDArray[np.int8]:
        """An agent's action mask.

        Args:
            agent: whose; by default the agent to act.
            out: an int8 array of shape ``(num_actions,)`` to write into.

        Returns:
            1 for each legal action; all 0 for an agent that is not to act.
        """
        if out is None:
            out = np.empty(self.game.num_actions, np.int8)
        self._write(self._loops.mask_one, agent, out, self.game.num_actions)
        return out

    def apply(self, action: SupportsIndex, out: _Array | None = None) -> None:
        """Carry out an action of the agent to act.

        Args:
            action: the action.
            out: a buffer as `observe` takes it: also write what the next agent to act
                observes (agent 0 when the episode is over). One call is faster than
                two.

        Raises:
            IllegalAction: the rules forbid it; the table is unchanged.
            TypeError: the action is not a whole number.
            ValueError: the buffer does not fit; the table is unchanged.
        """
        try:
            whole = operator.index(action)
        except TypeError:
            raise TypeError(f"action={action!r} must be a whole number") from None
        if self._listed is None:
            self._make_list()
        if whole >> 7:  # beyond the two sets of 64 actions
            size = ILLEGAL
        elif out is None:
            size = self._loops.apply_one(self._memory, whole, self._listing)
        else:
            try:
                size = self._loops.apply_and_observe_one(
                    self._memory, whole, self._listing, out
                )
            except TypingError:
                size = NO_BUFFER
        if size >= 0:
            self._size = size
        elif size == ILLEGAL:
            raise IllegalAction(self._complaint(whole))
        else:
            self._refuse_buffer(out, self.game.features.size)

    def forfeit(self) -> None:
        """End the episode against the side of the agent to act.

        Raises:
            IllegalAction: the episode is over.
        """
        if self.is_over:
            raise IllegalAction(self._complaint(0))
        self._loops.forfeit_one(self._memory)
        self._size = -1

    def observe(self, agent: int | None = None, out: _Array | None = None) -> _Array:
        """What an agent may know.

        Args:
            agent: who observes; by default the agent to act, and agent 0 when the
                episode is over.
            out: a float32 or int8 array of shape ``(features.size,)`` to write into;
                by default a new float32 array.
        """
        if out is None:
            out = np.empty(self.game.features.size, np.float32)
        self._write(self._loops.observe_one, agent, out, self.game.features.size)
        return out

    def see(self, agent: int, observation: _Array, mask: npt.NDArray[np.int8]) -> None:
        """Write what an agent observes and its action mask in one go, unchecked.

        Args:
            agent: who observes.
            observation: a float32 or int8 array of shape ``(features.size,)``.
            mask: an int8 array of shape ``(num_actions,)``.
        """
        self._loops.see_one(self._memory, agent, observation, mask)

    def state(self, agent: int = 0, out: _Array | None = None) -> _Array:
        """Everything, as seen from an agent: for critics, never for players.

        Args:
            agent: from whose seat.
            out: a float32 or int8 array of shape ``(state_features.size,)``.
        """
        if out is None:
            out = np.empty(self.game.state_features.size, np.float32)
        self._write(self._loops.state_one, agent, out, self.game.state_features.size)
        return out

    def rewards(self) -> list[float]:
        """What the last action earned each agent, whole numbers in most games."""
        return list(self.outcome()[:-1])

    def outcome(self) -> tuple[Any, ...]:
        """What the last action earned each agent, and then the agent to act.

        One look at the record for what a loop needs after every action.
        """
        memory: Any = self._memory  # a buffer, as type checkers know from 3.12 on
        outcome = self._outcome_format.unpack_from(memory)
        if self._unit == 1:
            return outcome
        return (*(earned / self._unit for earned in outcome[:-1]), outcome[-1])

    def returns(self) -> list[float]:
        """What each agent has earned in this episode, whole numbers in most games."""
        returns: list[float] = self.record.returns.tolist()
        if self._unit != 1:
            returns = [earned / self._unit for earned in returns]
        return returns

    def reset(self, seed: SupportsIndex | None = None, **position: Any) -> None:
        """Begin the next episode.

        Args:
            seed: begin the random stream anew; ``None`` goes on with fresh deals.
            **position: a position to begin from, as the game's ``set_up`` takes it.

        Raises:
            TypeError: there is no such part of a position; the table is unchanged.
            ValueError: an impossible value; the table is unchanged.
        """
        unknown = [name for name in position if name not in self.game.positions]
        if unknown:
            raise TypeError(
                f"there is no {unknown[0]!r} to begin from; a position of "
                f"{self.game.name} has " + ", ".join(self.game.positions)
            )
        before = self._memory.copy()
        self._size = -1
        record = self._memory.view(self.game.rules.record)[0]
        if seed is not None:
            restart_stream(record, seed_word(seed))
        if not position:
            self._loops.start_all(self._memory)
            return
        try:
            self.game.rules.set_up(record, **position)
        except Exception:
            self._memory[:] = before
            raise

    def play_out(self, count: int, seed: SupportsIndex) -> npt.NDArray[np.float32]:
        """Play on at random to the end of the episode, many times from here.

        Args:
            count: how many times.
            seed: the seed of the random play, and of later deals of the episode.

        Returns:
            Returns of shape ``(count, num_agents)``. The table itself is unchanged.

        Raises:
            ValueError: the count is negative.
        """
        if count < 0:
            raise ValueError(f"count={count!r} must not be negative")
        returns = np.empty((count, self.game.num_agents), np.float32)
        self._loops.play_out(
            self._memory, self._memory.copy(), seed_word(seed), returns, 0, count
        )
        return returns

    def clone(self) -> Self:
        """A table equal to this one that shares nothing with it."""
        other = object.__new__(type(self))
        other.game = self.game
        other._memory = self._memory.copy()
        other._loops = self._loops
        other._agent_place = self._agent_place
        other._outcome_format = self._outcome_format
        other._unit = self._unit
        other._listed = None
        other._size = -1
        return other

    def to_bytes(self) -> bytes:
        """The whole table, options included; `Game.from_bytes` takes it back."""
        return save(self._memory.view(self.game.rules.record))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.game.rules is other.game.rules and bool(
            (self._memory == other._memory).all()
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return self.game.from_bytes, (self.to_bytes(),)

    def _make_list(self) -> None:
        self._listed = bytearray(self.game.num_actions)
        self._listing = np.frombuffer(self._listed, np.uint8)

    def _write(
        self, loop: Callable[..., bool], agent: int | None, out: _Array, size: int
    ) -> None:
        """Let a loop write into a buffer; the loop itself checks agent and size."""
        try:
            written = loop(self._memory, NOBODY if agent is None else agent, out)
        except TypingError:
            written = False
        if not written or agent == NOBODY:
            self._check_agent(agent)
            kinds = "int8" if loop is self._loops.mask_one else "float32 or int8"
            self._refuse_buffer(out, size, kinds)

    def _refuse_buffer(
        self, out: Any, size: int, kinds: str = "float32 or int8"
    ) -> NoReturn:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be an array, not {type(out).__name__}")
        kind = f"{'' if out.flags.writeable else 'read-only '}{out.dtype}"
        raise ValueError(
            f"out must be a writable {kinds} array of shape ({size},), not {kind} of "
            f"shape {out.shape}"
        )

    def _check_agent(self, agent: int | None) -> None:
        agents = self.game.num_agents
        if agent is not None and not is_whole(agent, 0, agents - 1):
            raise ValueError(
                f"agent={agent!r} is not one of this game's agents, 0 to {agents - 1}"
            )

    def _complaint(self, action: int) -> str:
        agent = self.agent
        if agent == NOBODY:
            return "the episode is over: nobody is to act; call reset() for the next"
        if not 0 <= action < self.game.num_actions:
            return (
                f"player_{agent}: {action} is not an action; the actions are 0 to "
                f"{self.game.num_actions - 1}"
            )
        why = self.game.rules.reason(self.record, action)
        return f"player_{agent} may not choose {self.game.action_names[action]}: {why}"

    # Whoever draws nothing need not load what draws.

    def draw(self, viewer: Viewer = "agent") -> str:
        """The table as an SVG document.

        Args:
            viewer: who looks: an agent; ``"agent"`` for the agent to act, agent 0
                when the episode is over; or ``"all"``, who sees every hand.

        Raises:
            ValueError: there is no such viewer.
        """
        from whist_env.render.svg import table_svg

        return table_svg(self, viewer)

    def _repr_svg_(self) -> str:
        """What a notebook shows: the table as the seat to play sees it."""
        return self.draw()

    def __str__(self) -> str:
        """The table in text, as the seat to play sees it."""
        from whist_env.render.text import table_text

        return table_text(self)


def restart_stream(records: Any, seed: Any) -> None:
    """Begin the random stream of one record or of an array of records."""
    records["seed"] = seed
    records["deal_number"] = -1
    records["actions_taken"] = 0


def _place(game: Game, field: str) -> int:
    """Where a field begins in the memory of a table."""
    fields = game.rules.record.fields
    assert fields is not None
    return int(fields[field][1])


def _outcome_format(game: Game) -> Struct:
    """Where a record keeps the rewards and, further on, the agent to act."""
    start, agent = _place(game, "reward"), _place(game, "agent")
    gap = agent - (start + 4 * game.num_agents)
    return Struct(f"={start}x{game.num_agents}i{gap}xb")
