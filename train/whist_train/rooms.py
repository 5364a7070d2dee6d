"""Rooms: boards that are played side by side, and who may play them.

Whoever judges agents plays sittings: a block of boards in one room, with certain agents
at certain seats. The tables of a block advance together, and agents are asked for many
tables at once. What comes of a sitting depends on the sitting alone, so that it can be
played in any process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import operator
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import whist_agents
import whist_env
from whist_agents.agent import AgentError, blamed
from whist_agents.spec import ORACLE, Loader, load_oracle, refuse_two_ways, settled
from whist_env import Game, IllegalAction, Player, Tables, Views
from whist_env.engine.random import split_mix
from whist_env.envs.seeding import seed_word
from whist_env.envs.view import Oracle, worlds_for
from whist_env.games import rules_of
from whist_env.worlds import check
from whist_train.processes import process_ended, process_pool

_Array: TypeAlias = npt.NDArray[Any]
Agent: TypeAlias = str | Player | Oracle
"""An agent: its spec, such as ``"hoyle"`` or ``"net:runs/a"``, or the player itself.

What sees all hands is taken where oracles are allowed, and marked in every result.
"""

BLOCK, SMALL_BLOCK = 256, 32
"""Boards that are played side by side: as a rule, and where the match may end soon.

The second divides the first.
"""

RUBBER_SCORING: Final = {"whist": "short5"}
"""The scoring of rubbers, in games whose usual scoring has none."""

_BOARDS, _CHANCE = range(2)
"""What is drawn from the seed: the boards, and the random bits of the agents."""


@dataclasses.dataclass(frozen=True)
class Block:
    """Boards that are played side by side.

    Attributes:
        game: the game.
        seed: the seed of the evaluation, a word of 64 bits.
        number: which block it is.
        size: how many boards it has.
        most: how many boards a block has at the most.
    """

    game: Game
    seed: int
    number: int
    size: int
    most: int

    def board(self, place: int) -> int:
        """The number of a board in the evaluation."""
        return self.number * self.most + place

    def table_seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of both tables of each board, ``(size,)``.

        They come from a stream of their own, so that no board is one that training with
        the same seed has seen.
        """
        start = np.uint64(self._source(_BOARDS).generate_state(1, np.uint64)[0])
        return np.array(
            [split_mix(start, self.board(place)) for place in range(self.size)],
            np.uint64,
        )

    def chance(self) -> Iterator[npt.NDArray[np.uint64]]:
        """Random bits for each decision in turn: ``(size, num_agents)``.

        They are drawn for so many boards together that they do not depend on the size
        of this block: a board is played alike with a sequential test and without.
        """
        source, first = divmod(self.board(0), BLOCK)
        bits = np.random.PCG64(self._source(_CHANCE, source))
        shape = BLOCK, self.game.num_agents
        while True:
            drawn = bits.random_raw(math.prod(shape)).reshape(shape)
            yield drawn[first : first + self.size]

    def _source(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=key)


def what_to_play(
    game: str,
    rubbers: int | None,
    deals: int | None,
    usual: int,
    options: dict[str, Any],
) -> tuple[Game, int]:
    """The game with its options, and how many boards; the arguments are checked."""
    if rubbers is not None and deals is not None:
        raise ValueError("give rubbers= or deals=, not both")
    if "episode" in options:
        raise ValueError("episode= follows from rubbers= or deals=; leave it out")
    if rubbers is None:
        boards = usual if deals is None else whole_number("deals", deals, 2)
        return whist_env.game(game, **options), boards
    boards = whole_number("rubbers", rubbers, 2)
    if "rubber" not in _episodes_of(game):
        raise ValueError(f"{game} has no rubbers; give deals= (--deals) instead")
    scoring = {"scoring": RUBBER_SCORING[game]} if game in RUBBER_SCORING else {}
    return whist_env.game(game, **scoring | options | {"episode": "rubber"}), boards


def _episodes_of(game: str) -> Sequence[str]:
    """What an episode of a game can be, where its options let one choose."""
    options = dataclasses.fields(rules_of(game).options)
    values = {option.name: option.metadata.get("values", ()) for option in options}
    episodes: Sequence[str] = values.get("episode", ())
    return episodes


def measure_of(game: Game, measure: str | None) -> str:
    """A measure of a game by its name; by default tricks, or else points.

    Raises:
        ValueError: the game has no such measure.
    """
    known = game.rules.measures
    if measure is None:
        return "tricks" if "tricks" in known else "points"
    if measure not in known:
        raise ValueError(
            f"measure={measure!r} is none of {game.name}'s: " + ", ".join(known)
        )
    return measure


def blocks_of(game: Game, pairs: int, seed: int, most: int = BLOCK) -> list[Block]:
    """All boards of an evaluation; the arguments are checked."""
    whole_number("pairs", pairs, 1)
    seed = int(seed_word(seed))
    return [
        Block(game, seed, begin // most, min(most, pairs - begin), most)
        for begin in range(0, pairs, most)
    ]


def whole_number(name: str, value: int, least: int) -> int:
    """A number of an argument.

    Raises:
        TypeError: it is not whole.
        ValueError: it is below the least that it may be.
    """
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be a whole number") from None
    if whole < least:
        raise ValueError(f"{name}={value!r} must be at least {least}")
    return whole


def groups(game: Game) -> tuple[list[int], list[int]]:
    """The seats of one agent, and those of the other: every other side."""
    sides = sorted(set(game.rules.partners))
    first, second = (
        [seat for side in sides[start::2] for seat in side] for start in range(2)
    )
    return first, second


def sides_of_agents(game: Game) -> list[int]:
    """For each agent whether its seat belongs to the first group or to the second."""
    _, second = groups(game)
    return [int(agent in second) for agent in range(game.num_agents)]


@dataclasses.dataclass(frozen=True)
class Sitting:
    """A block of boards and who plays them, in one room.

    Attributes:
        sides: the agents; each is asked for all its seats at once.
        side_of_agent: for each seat the number of the agent that has it.
        block: the boards.
    """

    sides: tuple[Contestant, ...]
    side_of_agent: tuple[int, ...]
    block: Block


@dataclasses.dataclass(frozen=True)
class Played:
    """What was played in one room.

    Attributes:
        finished: the records of one finished episode at each table, ``(size,)``.
        actions: what was done at each table, action by action, ``(most, size)`` uint8.
        lengths: how many actions each episode took, ``(size,)``.
    """

    finished: _Array
    actions: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int64]

    def actions_at(self, place: int) -> list[int]:
        """The actions of the episode at a table."""
        actions: list[int] = self.actions[: self.lengths[place], place].tolist()
        return actions


# Contestants ------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Contestant:
    """An agent that was let in; see `admitted`.

    Attributes:
        agent: its spec, with which it can play in any process, or the player itself.
        sees_all: whether it is given the tables instead of views. This is settled when
            it is let in, whatever the agent says of itself later.
    """

    agent: Agent
    sees_all: bool

    @property
    def name(self) -> str:
        """Its name; the path of a network is that of its file."""
        return _shown(self.agent, self.sees_all)


def admitted(agents: Sequence[Agent], game: Game, oracles: bool) -> list[Contestant]:
    """Let agents in, as they are now: a run goes on while it is judged.

    Args:
        agents: the agents.
        game: what they are to play.
        oracles: whether what sees all hands is let in.

    Raises:
        FileNotFoundError: there is no network at a path.
        TypeError: something is no agent.
        ValueError: an agent sees all hands, and that is not allowed; it could be asked
            in two ways; or it imagines hands, which the rules do not let it.
    """
    found = []
    for agent in agents:
        sees_all = _sees_all(agent)
        if sees_all and not oracles:
            raise ValueError(
                f"{name_of(agent)} is no fair agent; oracles=True (--oracles) lets it "
                "play"
            )
        kept = settled(agent) if isinstance(agent, str) else agent
        found.append(Contestant(kept, sees_all))
    if _why_no_worlds(game) is not None:
        for contestant in found:
            if not contestant.sees_all:
                refuse_imagining(_ready(contestant, _load), contestant.name, game)
    return found


def name_of(agent: Agent) -> str:
    """The name of an agent in results."""
    return _shown(agent, _sees_all(agent))


def _shown(agent: Agent, sees_all: bool) -> str:
    name = agent if isinstance(agent, str) else type(agent).__name__
    return f"{name} (sees all hands)" if sees_all else name


def _sees_all(agent: Agent) -> bool:
    """Whether an agent sees all hands.

    Raises:
        TypeError: it is no agent.
        ValueError: it could be asked in two ways.
    """
    if isinstance(agent, str):
        return agent == ORACLE
    if isinstance(agent, Oracle):
        refuse_two_ways(agent, type(agent).__name__)
        return True
    if not hasattr(agent, "act"):
        raise TypeError(f"{agent!r} is not an agent: give a spec or a player")
    return False


def refuse_imagining(player: Player | Oracle, name: str, game: Game) -> None:
    """Refuse a player that imagines hands where the rules do not let it.

    Raises:
        ValueError: it does; the message has the reason.
    """
    why = _why_no_worlds(game)
    if why is not None and getattr(player, "imagines", False):
        raise ValueError(f"{name} imagines hands, and cannot play: {why}")


@functools.lru_cache(64)
def _why_no_worlds(game: Game) -> str | None:
    """Why nobody can imagine hands in some deal of an episode; None if one can."""
    table = game.new_table(0)
    try:
        check(table)
        while not (table.is_over or table.record.deals_played):
            table.apply(table.legal_actions()[-1])
        if not table.is_over:
            check(table)
    except ValueError as error:
        return str(error)
    return None


# Processes --------------------------------------------------------------------------


def play_sittings(
    sittings: Sequence[Sitting], workers: int
) -> Generator[Played, None, None]:
    """Play sittings in this process, or in several others, one after the other.

    Raises:
        AgentError: an agent fails.
        IllegalAction: an agent chooses what the rules forbid.
        RuntimeError: one of the other processes ended.
        ValueError: other processes are to play with an object of this one.
    """
    if whole_number("workers", workers, 1) == 1:
        load = Loader(_load)
        yield from (_play_sitting(sitting, load) for sitting in sittings)
        return
    for side in itertools.chain.from_iterable(sitting.sides for sitting in sittings):
        if not isinstance(side.agent, str):
            raise ValueError(
                f"workers={workers} needs agents given by specs, such as 'hoyle'; "
                f"{side.name} is an object of this process: take workers=1"
            )
    done = 0
    with process_pool(min(workers, len(sittings))) as pool:
        try:
            for played in pool.map(_play_in_worker, sittings):
                yield played
                done += 1
        except BrokenProcessPool:
            rest = itertools.chain.from_iterable(s.sides for s in sittings[done:])
            raise RuntimeError(process_ended(side.name for side in rest)) from None


def _load(spec: str) -> Player | Oracle:
    return load_oracle(spec) if spec == ORACLE else whist_agents.load(spec)


_LOADED_IN_WORKER: Final = Loader(_load)


def _play_in_worker(sitting: Sitting) -> Played:
    return _play_sitting(sitting, _LOADED_IN_WORKER)


def _play_sitting(sitting: Sitting, load: Callable[[str], Player | Oracle]) -> Played:
    sides = [_Side(side, _ready(side, load)) for side in sitting.sides]
    with one_torch_thread():
        return _Room(sitting.block, sitting.side_of_agent).play(sides)


def _ready(
    contestant: Contestant, load: Callable[[str], Player | Oracle]
) -> Player | Oracle:
    agent = contestant.agent
    return load(agent) if isinstance(agent, str) else agent


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let PyTorch, where an agent has loaded it, compute in one thread.

    Several threads add up in another order, with other last bits, and those of several
    processes wait for one another.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


# Play -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Side:
    """A contestant that is ready to play."""

    contestant: Contestant
    player: Player | Oracle

    @property
    def name(self) -> str:
        return self.contestant.name


class _Room:
    """One table for each board of a block, all at the same action.

    Args:
        block: the boards.
        side_of_agent: for each seat the number of the agent that has it.
    """

    def __init__(self, block: Block, side_of_agent: Sequence[int]) -> None:
        self._block = block
        self._tables = Tables(
            block.game, block.size, block.table_seeds(), dtype=np.int8
        )
        self._batch = self._tables.reset()
        self._side_of_agent = np.array(side_of_agent)

    def play(self, sides: Sequence[_Side]) -> Played:
        """One finished episode at each table.

        A table that is over plays on at random, unseen, until the last one is over.
        """
        finished = np.empty_like(self._tables.finished)
        playing = np.ones(len(finished), np.bool_)
        lengths = np.zeros(len(finished), np.int64)
        log: list[npt.NDArray[np.uint8]] = []
        chance = self._block.chance()
        while playing.any():
            actions = self._actions(sides, playing, next(chance))
            log.append(actions.astype(np.uint8))
            lengths += playing
            self._batch = self._tables.step(actions)
            ended = playing & self._batch.done
            finished[ended] = self._tables.finished[ended]
            playing &= ~ended
        return Played(finished, np.array(log), lengths)

    def _actions(
        self,
        sides: Sequence[_Side],
        playing: npt.NDArray[np.bool_],
        chance: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        actions = self._tables.sample_actions()
        side_to_act = self._side_of_agent[self._batch.agent]
        for number, side in enumerate(sides):
            rows = np.flatnonzero(playing & (side_to_act == number))
            if len(rows):
                actions[rows] = self._choices(side, rows, chance)
        return actions

    def _choices(
        self,
        side: _Side,
        rows: npt.NDArray[np.intp],
        chance: npt.NDArray[np.uint64],
    ) -> _Array:
        """What a side does at some of the tables; it is given copies."""
        batch = self._batch
        boards = self._boards(rows)
        with blamed(side.name, f"on {boards}"):
            chosen = self._answers(side, rows, chance[rows, batch.agent[rows]])
        if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
            raise AgentError(
                f"agent {side.name!r} must return one whole number for each "
                f"view, of shape {rows.shape}; for {boards} it returned {chosen.dtype} "
                f"of shape {chosen.shape}"
            )
        known = (chosen >= 0) & (chosen < self._block.game.num_actions)
        legal = known & (batch.action_mask[rows, np.where(known, chosen, 0)] == 1)
        if not legal.all():
            first = int(np.argmin(legal))
            self._refuse(side, int(rows[first]), int(chosen[first]))
        return chosen

    def _boards(self, rows: npt.NDArray[np.intp]) -> str:
        """The boards at some of the tables, in words."""
        first, last = self._block.board(rows[0]), self._block.board(rows[-1])
        return f"board {first}" if first == last else f"boards {first} to {last}"

    def _answers(
        self,
        side: _Side,
        rows: npt.NDArray[np.intp],
        chance: npt.NDArray[np.uint64],
    ) -> _Array:
        tables = map(self._tables.table, rows.tolist())
        if side.contestant.sees_all:
            oracle = cast(Oracle, side.player)
            return np.asarray(oracle.act_on(list(tables), chance))
        player = cast(Player, side.player)
        views = Views(
            self._block.game,
            self._batch.observation[rows],
            self._batch.action_mask[rows],
            chance,
            worlds_for(player, tables),
        )
        return np.asarray(player.act(views))

    def _refuse(self, side: _Side, row: int, action: int) -> None:
        try:
            self._tables.table(row).apply(action)
        except IllegalAction as error:
            raise IllegalAction(
                f"agent {side.name!r} on board {self._block.board(row)}: {error}"
            ) from None
