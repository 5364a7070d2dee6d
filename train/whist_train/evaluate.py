"""Judging two agents at duplicate.

Every board is played in two rooms with the seats swapped, so that both agents hold the
same cards: the pair of tables is one observation. Partners are one agent; where there
are none, the agents take every other seat. What an agent holds in one room the other
holds in the other. Luck cancels within the pair in two
ways. Deal *k* of an episode depends on the seed of its table and on *k* alone, and both
tables of a board have the same seed. And the random bits that an agent is given for a
decision depend on the board, the seat and the number of the decision, not on who sits
there. An agent against itself therefore plays alike in both rooms, card by card, and
comes to exactly 0 on every board, even an agent that plays at random: the control.

Boards are played in blocks of a fixed size, whatever the number of processes, so that
the same seed gives the same results to the last bit. The tables of a block in one room
advance together; an agent never sees both tables of a board in one call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.metadata
import itertools
import json
import math
import multiprocessing
import operator
import os
import platform
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.table import Table as RichTable
from rich.text import Text

import whist_agents
import whist_env
from whist_agents.spec import ORACLE, load_oracle, settled
from whist_env import Game, IllegalAction, Player, Tables, Views
from whist_env.engine.random import split_mix
from whist_env.envs.seeding import seed_word
from whist_env.envs.view import Oracle, worlds_for
from whist_env.records import Episode, Start, write_jsonl
from whist_train.sequential import SequentialTest, Verdict
from whist_train.statistics import (
    Estimate,
    Interval,
    bootstrap_ratios,
    ratio_of_sums,
)

_Array: TypeAlias = npt.NDArray[Any]
Agent: TypeAlias = str | Player | Oracle
"""An agent: its spec, such as ``"hoyle"`` or ``"net:runs/a"``, or the player itself.

What sees all hands is taken where oracles are allowed, and marked in every result.
"""

BLOCK, SMALL_BLOCK = 256, 32
"""Boards that are played side by side: as a rule, and where the match may end soon."""

DEFAULT_DEALS: Final = 1000
"""Boards that are played if no number is given."""

MOST_DEALS: Final = 100_000
"""Boards after which a sequential test gives up if no number is given."""

PER_DEAL: Final = ("points", "tricks")
"""Measures that add up over the deals of an episode; others belong to the whole."""

RUBBER_SCORING: Final = {"whist": "short5"}
"""The scoring of rubbers, in games whose usual scoring has none."""

_BOARDS, _CHANCE = range(2)
"""What is drawn from the seed: the boards, and the random bits of the agents."""


@dataclasses.dataclass(frozen=True)
class Pairs:
    """What was played: one row a board, one column a room.

    In the first room A has the seats of the first group, in the second the others.

    Attributes:
        deals: deals played, ``(pairs, 2)``.
        results: for each measure of the game how far A is above the middle between the
            agents, ``(pairs, 2)``: what its seats have less what the others have, by
            the number of seats. A measure that is already a difference between two
            sides, such as points of Whist, is that difference.
    """

    deals: npt.NDArray[np.int64]
    results: Mapping[str, npt.NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.deals)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All pairs of several parts, in order."""
        results = {
            name: np.concatenate([part.results[name] for part in parts])
            for name in parts[0].results
        }
        return cls(np.concatenate([part.deals for part in parts]), results)

    def estimates(self) -> dict[str, Estimate]:
        """Each measure as A makes it against B, per deal or per episode."""
        return {
            name: ratio_of_sums(result.sum(1), self._counts(name))
            for name, result in self.results.items()
        }

    def bootstraps(self, seed: int) -> dict[str, Interval]:
        """The same figures, with intervals from a bootstrap over boards."""
        totals = [result.sum(1) for result in self.results.values()]
        counts = [self._counts(name) for name in self.results]
        figures = bootstrap_ratios(np.stack(totals, 1), np.stack(counts, 1), seed)
        return dict(zip(self.results, figures, strict=True))

    def differences(self, measure: str) -> npt.NDArray[np.float64]:
        """What A makes against B in each pair, per episode, ``(pairs,)``."""
        return np.asarray(self.results[measure].mean(1))

    def _counts(self, measure: str) -> npt.NDArray[np.int64]:
        """How many deals, or episodes, each pair has."""
        return self.deals.sum(1) if measure in PER_DEAL else np.full(len(self), 2)

    def won(self) -> tuple[int, int, int]:
        """Episodes that A won, that B won, and that were even."""
        won = self.results["won"]
        return int((won > 0).sum()), int((won < 0).sum()), int((won == 0).sum())

    def unequal(self) -> int:
        """How many pairs differ from 0 in any measure."""
        differs = [result.sum(1) != 0 for result in self.results.values()]
        return int(np.any(differs, axis=0).sum())


@dataclasses.dataclass(frozen=True)
class Control:
    """An agent against itself, on the first boards of the evaluation.

    Attributes:
        pairs: how many pairs were played.
        unequal: how many of them did not come to exactly 0 in every measure. Above 0
            the agent draws on chance of its own, and its results cannot be repeated.
    """

    pairs: int
    unequal: int

    def in_words(self) -> tuple[str, str, str]:
        """Its row in a table."""
        name = f"control, {self.pairs} pairs"
        if self.unequal:
            return name, "not 0", f"{self.unequal} pairs differ"
        return name, "0", "exactly 0 at each"


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Two agents judged at duplicate; prints as a table with `rich.print`.

    Attributes:
        agents: the names of A and B.
        players: the agents that played; the path of a network is that of its file.
        game: the name of the game.
        options: all its options.
        seed: the seed of the boards and of the agents' chance.
        pairs: how many deals, or rubbers, were played twice.
        deals: deals played in all, at both tables of every pair.
        estimates: for each measure of the game what A makes against B; 0 is even.
            Points and settlements are those of A less those of B, tricks and wins are
            counted from an even share.
        bootstraps: the same figures, with intervals from a bootstrap over boards.
        verdicts: for the measure of a sequential test, if there was one, what it
            decided. The match ended with its block, so the figures are a little
            farther from 0 than those of a match of fixed length would be.
        won: episodes won by A and by B.
        even: episodes that nobody won.
        control: A against itself.
        versions: of what the result depends on.
    """

    agents: tuple[str, str]
    players: tuple[str, str]
    game: str
    options: dict[str, Any]
    seed: int
    pairs: int
    deals: int
    estimates: dict[str, Estimate]
    bootstraps: dict[str, Interval]
    verdicts: dict[str, Verdict]
    won: tuple[int, int]
    even: int
    control: Control
    versions: dict[str, str]

    @property
    def episode(self) -> str:
        """What was played twice: ``"deal"`` or ``"rubber"``."""
        return str(self.options.get("episode", "deal"))

    def unit(self, measure: str) -> str:
        """What the figure of a measure is counted by: a deal or a rubber."""
        return "deal" if measure in PER_DEAL else self.episode

    def to_json(self) -> str:
        """Everything, as text that `from_json` takes back."""
        return json.dumps(dataclasses.asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The evaluation that `to_json` wrote."""
        fields = json.loads(text)
        fields["agents"] = tuple(fields["agents"])
        fields["players"] = tuple(fields["players"])
        fields["won"] = tuple(fields["won"])
        fields["control"] = Control(**fields["control"])
        fields["estimates"] = {
            name: Estimate(**figures) for name, figures in fields["estimates"].items()
        }
        fields["bootstraps"] = {
            name: Interval(**figures) for name, figures in fields["bootstraps"].items()
        }
        fields["verdicts"] = {
            name: Verdict(**verdict | {"test": SequentialTest(**verdict["test"])})
            for name, verdict in fields["verdicts"].items()
        }
        return cls(**fields)

    def __rich__(self) -> RichTable:
        """The table that people read."""
        a, b = self.agents
        title = f"{a} against {b}: {self.pairs} duplicate {self.episode}s"
        caption = Text(self._caption(), justify="left")
        table = RichTable("measure", title=Text(title), caption=caption)
        for heading in ("mean", "95% interval", "p", "bootstrap"):
            table.add_column(heading, justify="right")
        for name, figures in self.estimates.items():
            bootstrap = self.bootstraps[name]
            table.add_row(
                f"{name} per {self.unit(name)}",
                f"{figures.mean:+.3f}",
                f"{figures.low:+.3f} to {figures.high:+.3f}",
                "<0.001" if figures.p_value < 0.001 else f"{figures.p_value:.3f}",
                f"{bootstrap.low:+.3f} to {bootstrap.high:+.3f}",
            )
        table.add_section()
        table.add_row(*self.control.in_words())
        return table

    def _caption(self) -> str:
        """What the figures mean, and how they can be repeated."""
        (a, b), (won, lost) = self.agents, self.won
        even = f", even {self.even}" if self.even else ""
        versions = ", ".join(f"{name} {v}" for name, v in self.versions.items())
        tested = [
            f"Sequential test of {name} per {self.episode}: {verdict.in_words()}."
            for name, verdict in self.verdicts.items()
        ]
        return "\n".join(
            [
                f"Above 0 is in favour of {a}. Tricks and wins are counted from an "
                f"even share. The control is {a} against itself.",
                f"{self.episode.capitalize()}s won: {a} {won}, {b} {lost}{even}. Each "
                f"of the {self.pairs} was played twice with the sides swapped, "
                f"{self.deals} deals in all.",
                *tested,
                f"{whist_env.game(self.game, **self.options)!r}, seed {self.seed}",
                versions,
            ]
        )


def evaluate(
    a: Agent,
    b: Agent,
    *,
    game: str = "whist",
    rubbers: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    workers: int = 1,
    records: str | os.PathLike[str] | None = None,
    oracles: bool = False,
    sprt: SequentialTest | None = None,
    measure: str | None = None,
    **options: Any,
) -> Evaluation:
    """Judge two agents at duplicate.

    Args:
        a: the first agent, a spec or a player.
        b: the second agent.
        game: the name of the game.
        rubbers: how many rubbers to play twice.
        deals: how many single deals to play twice instead; 1000 if neither is given.
            Either is at least 2, which an interval needs.
        seed: the seed; the same seed gives the same result.
        workers: how many processes play; with more than one, agents are given by specs.
        records: a file to which every episode that counts is added, the control left
            out; see `whist_env.records`.
        oracles: whether an agent may see all hands, as the ``oracle`` does.
        sprt: a sequential test that ends the match as soon as it is decided; ``deals``
            or ``rubbers`` is then the most to be played, by default 100,000 deals.
        measure: the measure that it tests, per episode; by default tricks, or points
            where tricks are not what is played for.
        **options: options of the game, such as ``scoring="robber"``.

    Raises:
        IllegalAction: an agent chose an action that the rules forbid.
        OSError: the records cannot be written.
        TypeError: there is no option of some name, or a number is not whole.
        ValueError: a number, an option, an agent or what an agent returned is wrong.
    """
    usual = DEFAULT_DEALS if sprt is None else MOST_DEALS
    played_game, boards = _what_to_play(game, rubbers, deals, usual, options)
    tested = measure_of(played_game, measure)
    size = BLOCK if sprt is None else SMALL_BLOCK
    blocks = _blocks(played_game, boards, seed, size)
    _refuse_oracles((a, b), oracles)
    names = (_name(a), _name(b))
    a, b = _settled(a), _settled(b)
    contests = [_Contest(a, a, blocks[0]), *(_Contest(a, b, block) for block in blocks)]
    if records is not None:
        write_jsonl(records, [])  # what cannot be written is found out before the play
    with contextlib.closing(_play(contests, workers)) as outcomes:
        control = next(outcomes).pairs
        played, verdicts = _until_decided(outcomes, sprt, tested, records)
    won, lost, even = played.won()
    return Evaluation(
        agents=names,
        players=(_name(a), _name(b)),
        game=game,
        options=dataclasses.asdict(played_game.options),
        seed=int(seed),
        pairs=len(played),
        deals=int(played.deals.sum()),
        estimates=played.estimates(),
        bootstraps=played.bootstraps(int(seed)),
        verdicts=verdicts,
        won=(won, lost),
        even=even,
        control=Control(len(control), control.unequal()),
        versions=versions(),
    )


def play_pairs(
    a: Agent,
    b: Agent,
    game: Game,
    pairs: int,
    seed: int = 0,
    *,
    workers: int = 1,
    oracles: bool = False,
) -> Pairs:
    """Play boards in two rooms and give back every result.

    Args:
        a: the first agent, a spec or a player.
        b: the second agent.
        game: the game with its options.
        pairs: how many boards; the first are the same however many follow.
        seed: the seed; the same seed gives the same result.
        workers: how many processes play; with more than one, agents are given by specs.
        oracles: whether an agent may see all hands, as the ``oracle`` does.

    Raises:
        IllegalAction: an agent chose an action that the rules forbid.
        TypeError: a number is not whole.
        ValueError: a number, an agent or what an agent returned is wrong.
    """
    _refuse_oracles((a, b), oracles)
    contests = [_Contest(a, b, block) for block in _blocks(game, pairs, seed)]
    return Pairs.joined([part.pairs for part in _play(contests, workers)])


def versions() -> dict[str, str]:
    """The versions of what a result depends on."""
    found = {"whist_env": whist_env.__version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "torch"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


# Boards -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Block:
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
        """Random bits for each decision in turn: ``(most, num_agents)``."""
        bits = np.random.PCG64(self._source(_CHANCE, self.number))
        shape = self.most, self.game.num_agents
        while True:
            yield bits.random_raw(math.prod(shape)).reshape(shape)

    def _source(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=key)


def _what_to_play(
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
        boards = usual if deals is None else _whole_number("deals", deals, 2)
        return whist_env.game(game, **options), boards
    boards = _whole_number("rubbers", rubbers, 2)
    scoring = {"scoring": RUBBER_SCORING[game]} if game in RUBBER_SCORING else {}
    return whist_env.game(game, **scoring | options | {"episode": "rubber"}), boards


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


def _blocks(game: Game, pairs: int, seed: int, most: int = BLOCK) -> list[_Block]:
    """All boards of an evaluation; the arguments are checked."""
    _whole_number("pairs", pairs, 1)
    seed = int(seed_word(seed))
    return [
        _Block(game, seed, begin // most, min(most, pairs - begin), most)
        for begin in range(0, pairs, most)
    ]


def _whole_number(name: str, value: int, least: int) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be a whole number") from None
    if whole < least:
        raise ValueError(f"{name}={value!r} must be at least {least}")
    return whole


# Contests, agents and processes -----------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Contest:
    """A block of boards for two agents; it is played in two rooms."""

    a: Agent
    b: Agent
    block: _Block

    def sittings(self) -> tuple[_Sitting, _Sitting]:
        """The two rooms, the sides swapped in the second."""
        side_of_agent = tuple(_sides_of_agents(self.block.game))
        return (
            _Sitting((self.a, self.b), side_of_agent, self.block),
            _Sitting((self.b, self.a), side_of_agent, self.block),
        )


@dataclasses.dataclass(frozen=True)
class _Sitting:
    """A block of boards and who plays them, in one room.

    Attributes:
        sides: the agents; each is asked for all its seats at once.
        side_of_agent: for each seat the number of the agent that has it.
        block: the boards.
    """

    sides: tuple[Agent, ...]
    side_of_agent: tuple[int, ...]
    block: _Block


@dataclasses.dataclass(frozen=True)
class _Played:
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


@dataclasses.dataclass(frozen=True)
class _Outcome:
    """What came of a contest: its pairs, and what was played in both rooms."""

    contest: _Contest
    rooms: tuple[_Played, _Played]
    pairs: Pairs

    def episodes(self) -> Iterator[Episode]:
        """Every episode, board by board."""
        block = self.contest.block
        seeds = block.table_seeds()
        for place in range(block.size):
            for room, sitting in enumerate(self.contest.sittings()):
                yield self._episode(sitting, place, int(seeds[place]), room)

    def _episode(self, sitting: _Sitting, place: int, seed: int, room: int) -> Episode:
        game, played = sitting.block.game, self.rooms[room]
        names = [_name(agent) for agent in sitting.sides]
        returns = played.finished[place]["returns"].tolist()
        unit = game.rules.unit
        return Episode(
            game=game,
            start=Start(seed),
            agents=tuple(names[side] for side in sitting.side_of_agent),
            actions=tuple(
                game.action_names[action] for action in played.actions_at(place)
            ),
            returns=tuple(returns if unit == 1 else (r / unit for r in returns)),
            notes={"board": sitting.block.board(place), "room": room + 1},
        )


@dataclasses.dataclass(frozen=True)
class _Contestant:
    """An agent that is ready to play."""

    name: str
    player: Player | Oracle


def _play(
    contests: Sequence[_Contest], workers: int
) -> Generator[_Outcome, None, None]:
    """Play contests one after the other; closed before the end, leave the rest."""
    sittings = [sitting for contest in contests for sitting in contest.sittings()]
    with contextlib.closing(_sit(sittings, workers)) as played:
        for contest, first, second in zip(contests, played, played, strict=True):
            pairs = _judged(contest.block.game, first.finished, second.finished)
            yield _Outcome(contest, (first, second), pairs)


def _until_decided(
    outcomes: Iterator[_Outcome],
    test: SequentialTest | None,
    measure: str,
    records: str | os.PathLike[str] | None,
) -> tuple[Pairs, dict[str, Verdict]]:
    """What is played until a test has decided; without a test, everything."""
    parts: list[Pairs] = []

    def batches() -> Iterator[npt.NDArray[np.float64]]:
        for outcome in outcomes:
            if records is not None:
                write_jsonl(records, outcome.episodes())
            parts.append(outcome.pairs)
            yield outcome.pairs.differences(measure)

    if test is None:
        for _ in batches():
            pass
        return Pairs.joined(parts), {}
    verdict = test.decide(batches())
    return Pairs.joined(parts), {measure: verdict}


def _judged(game: Game, first: _Array, second: _Array) -> Pairs:
    """Pairs from the finished records of both rooms."""
    results = {
        name: np.stack([_margin(game, measure(first)), -_margin(game, measure(second))])
        for name, measure in game.rules.measures.items()
    }
    deals = np.stack([first["deals_played"], second["deals_played"]])
    return Pairs(
        deals.T.astype(np.int64), {name: both.T for name, both in results.items()}
    )


def _margin(game: Game, values: _Array) -> npt.NDArray[np.float64]:
    """How far the first group is above the middle between the two, ``(len,)``."""
    first, second = (values[:, group].astype(np.float64) for group in _groups(game))
    margin: npt.NDArray[np.float64] = (first.sum(1) - second.sum(1)) / values.shape[1]
    return margin


def _groups(game: Game) -> tuple[list[int], list[int]]:
    """The seats of one agent, and those of the other: every other side."""
    sides = sorted(set(game.rules.partners))
    first, second = (
        [seat for side in sides[start::2] for seat in side] for start in range(2)
    )
    return first, second


def _sides_of_agents(game: Game) -> list[int]:
    """For each agent whether its seat belongs to the first group or to the second."""
    _, second = _groups(game)
    return [int(agent in second) for agent in range(game.num_agents)]


def _sit(sittings: Sequence[_Sitting], workers: int) -> Generator[_Played, None, None]:
    """Play sittings in this process, or in several others, one after the other."""
    if _whole_number("workers", workers, 1) == 1:
        load = functools.cache(_load)
        yield from (_play_sitting(sitting, load) for sitting in sittings)
        return
    for agent in itertools.chain.from_iterable(sitting.sides for sitting in sittings):
        if not isinstance(agent, str):
            raise ValueError(
                f"workers={workers} needs agents given by specs, such as 'hoyle'; "
                f"{_name(agent)} is an object of this process: take workers=1"
            )
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(sittings)), context) as pool:
        yield from pool.map(_play_in_worker, sittings)


def _load(spec: str) -> Player | Oracle:
    return load_oracle(spec) if spec == ORACLE else whist_agents.load(spec)


@functools.cache
def _load_in_worker(spec: str) -> Player | Oracle:
    return _load(spec)


def _play_in_worker(sitting: _Sitting) -> _Played:
    return _play_sitting(sitting, _load_in_worker)


def _play_sitting(sitting: _Sitting, load: Callable[[str], Player | Oracle]) -> _Played:
    contestants = [
        _Contestant(_name(agent), load(agent) if isinstance(agent, str) else agent)
        for agent in sitting.sides
    ]
    with _one_torch_thread():
        return _Room(sitting.block, sitting.side_of_agent).play(contestants)


def _settled(agent: Agent) -> Agent:
    """The same agent for every process: a run goes on while it is judged."""
    if isinstance(agent, str):
        return settled(agent)
    if not hasattr(agent, "act") and not _sees_all(agent):
        raise TypeError(f"{agent!r} is not an agent: give a spec or a player")
    return agent


def _sees_all(agent: Agent) -> bool:
    return agent == ORACLE or isinstance(agent, Oracle)


def _refuse_oracles(agents: Sequence[Agent], allowed: bool) -> None:
    """Refuse what sees all hands where nobody has asked for it.

    Raises:
        ValueError: such an agent is there, and not allowed.
    """
    for agent in agents:
        if _sees_all(agent) and not allowed:
            raise ValueError(
                f"{_name(agent)} is no fair agent; oracles=True (--oracles) lets it "
                "play"
            )


def _name(agent: Agent) -> str:
    name = agent if isinstance(agent, str) else type(agent).__name__
    return f"{name} (sees all hands)" if _sees_all(agent) else name


@contextlib.contextmanager
def _one_torch_thread() -> Iterator[None]:
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


class _Room:
    """One table for each board of a block, all at the same action.

    Args:
        block: the boards.
        side_of_agent: for each seat the number of the agent that has it.
    """

    def __init__(self, block: _Block, side_of_agent: Sequence[int]) -> None:
        self._block = block
        self._tables = Tables(
            block.game, block.size, block.table_seeds(), dtype=np.int8
        )
        self._batch = self._tables.reset()
        self._side_of_agent = np.array(side_of_agent)

    def play(self, sides: Sequence[_Contestant]) -> _Played:
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
        return _Played(finished, np.array(log), lengths)

    def _actions(
        self,
        sides: Sequence[_Contestant],
        playing: npt.NDArray[np.bool_],
        chance: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        actions = self._tables.sample_actions()
        side_to_act = self._side_of_agent[self._batch.agent]
        for side, contestant in enumerate(sides):
            rows = np.flatnonzero(playing & (side_to_act == side))
            if len(rows):
                actions[rows] = self._choices(contestant, rows, chance)
        return actions

    def _choices(
        self,
        contestant: _Contestant,
        rows: npt.NDArray[np.intp],
        chance: npt.NDArray[np.uint64],
    ) -> _Array:
        """What a contestant does at some of the tables; it is given copies."""
        batch = self._batch
        chosen = self._answers(contestant.player, rows, chance[rows, batch.agent[rows]])
        if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"agent {contestant.name!r} must return one whole number for each "
                f"view, of shape {rows.shape}; for boards {self._block.board(rows[0])} "
                f"to {self._block.board(rows[-1])} it returned {chosen.dtype} of shape "
                f"{chosen.shape}"
            )
        known = (chosen >= 0) & (chosen < self._block.game.num_actions)
        legal = known & (batch.action_mask[rows, np.where(known, chosen, 0)] == 1)
        if not legal.all():
            first = int(np.argmin(legal))
            self._refuse(contestant, int(rows[first]), int(chosen[first]))
        return chosen

    def _answers(
        self,
        player: Player | Oracle,
        rows: npt.NDArray[np.intp],
        chance: npt.NDArray[np.uint64],
    ) -> _Array:
        tables = map(self._tables.table, rows.tolist())
        if isinstance(player, Oracle):
            return np.asarray(player.act_on(list(tables), chance))
        views = Views(
            self._block.game,
            self._batch.observation[rows],
            self._batch.action_mask[rows],
            chance,
            worlds_for(player, tables),
        )
        return np.asarray(player.act(views))

    def _refuse(self, contestant: _Contestant, row: int, action: int) -> None:
        try:
            self._tables.table(row).apply(action)
        except IllegalAction as error:
            raise IllegalAction(
                f"agent {contestant.name!r} on board {self._block.board(row)}: {error}"
            ) from None
