"""Playing a sitting: some boards of a meeting in one of its rooms.

What comes of a sitting depends on the cup and the sitting alone, so that it can be
played in any process, and again after a crash: boards and the agents' chance come from
the seed of the cup, the round and the board. All rooms of a round play the same boards,
and every seat has the same chance in each. Only what takes time can differ, that is
whether a program is in time.

Boards of agents in this process are played side by side, and agents are asked for many
tables at once; what a spec ``module:attribute`` names is made afresh for every sitting.
Programs play one board after the other, each seat in a process of its
own, which sees no hand but its own.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

import whist_agents
from whist_agents.program import Program, ProgramFault, act, as_text, hello
from whist_agents.spec import Loader
from whist_env import Player, Table, Views
from whist_env.engine.random import split_mix
from whist_env.envs.play import ask
from whist_env.envs.view import worlds_for
from whist_env.records import Fault, Recorder
from whist_env.records.telling import as_seen, trick_of
from whist_train.rooms import one_torch_thread
from whist_train.tournament.cup import Clock, Cup
from whist_train.tournament.schedule import Meeting

TOGETHER: Final = 256
"""Boards of a sitting where all agents are in this process."""

FEW: Final = 8
"""Boards of a sitting with programs: so many are lost at most when it is cut short."""

MOST_STARTS: Final = 4
"""How often a program is started in a sitting before it is given up."""

STEPS_OF_TIME: Final = 20
"""Steps in which times are counted to a power of ten; one is longer by an eighth."""

_SHORTEST: Final = 1e-7
"""Seconds; what takes less is counted as this."""

_BOARDS, _CHANCE = range(2)
"""What is drawn from the seed of the cup; cuts have 2."""

_Answer: TypeAlias = int | ProgramFault
"""An action by its number, legal or not, or what went wrong."""


@dataclasses.dataclass(frozen=True)
class Sitting:
    """Some boards of a meeting in one room.

    Attributes:
        number: its place among all sittings of the cup, from 0.
        meeting: the meeting.
        room: the room, from 0.
        boards: the numbers of the first board, from 1, and of the one after the last.
    """

    number: int
    meeting: Meeting
    room: int
    boards: tuple[int, int]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agent at each seat."""
        return self.meeting.rooms[self.room]

    @property
    def size(self) -> int:
        """How many boards it has."""
        begin, end = self.boards
        return end - begin

    def notes(self, board: int) -> dict[str, Any]:
        """What is noted in the record of a board."""
        meeting = self.meeting
        notes: dict[str, Any] = {
            "round": meeting.round,
            "meeting": meeting.number,
            "board": board,
            "room": self.room + 1,
            "rooms": len(meeting.rooms),
        }
        if meeting.entrants:
            first, second = meeting.entrants
            sides = "".join(map(str, meeting.sides[self.room]))
            notes |= {"first": first, "second": second, "sides": sides}
        return notes


@dataclasses.dataclass(frozen=True)
class Played:
    """What came of a sitting.

    Attributes:
        number: the number of the sitting.
        lines: the record of each board, in order.
        log: times, counted in steps (`step_of_time`), and standard error as a line of
            JSON: what differs from run to run.
    """

    number: int
    lines: tuple[str, ...]
    log: str


def sittings_of(cup: Cup, meeting: Meeting, first: int) -> Iterator[Sitting]:
    """A meeting cut into sittings.

    Args:
        cup: the cup.
        meeting: the meeting.
        first: the number of the first sitting.
    """
    size = FEW if any(map(cup.is_program, meeting.agents)) else TOGETHER
    places = [
        (room, (begin, min(begin + size, cup.boards + 1)))
        for begin in range(1, cup.boards + 1, size)
        for room in range(len(meeting.rooms))
    ]
    for number, (room, boards) in enumerate(places, start=first):
        yield Sitting(number, meeting, room, boards)


def play_sitting(cup: Cup, sitting: Sitting) -> Played:
    """Play a sitting; whatever agents do, it comes to an end."""
    seated = _Seated(cup, sitting)
    numbers = list(range(*sitting.boards))
    try:
        with one_torch_thread():
            boards = [
                board
                for group in seated.groups(numbers)
                for board in _play_boards(cup, sitting, seated, group)
            ]
    finally:
        seated.close()
    lines = tuple(board.line() for board in boards)
    return Played(sitting.number, lines, seated.log())


def _play_boards(
    cup: Cup, sitting: Sitting, seated: _Seated, numbers: Sequence[int]
) -> list[_Board]:
    """Play boards side by side to their ends."""
    boards = [_Board(cup, sitting, number, seated) for number in numbers]
    active = boards
    while active := [board for board in active if not board.table.is_over]:
        asked: dict[int, list[_Board]] = {}
        for board in active:
            asked.setdefault(seated.place_of(board.table.agent), []).append(board)
        for place, group in asked.items():
            answers = seated.contestants[place].answers(group)
            for board, answer in zip(group, answers, strict=True):
                board.take(answer)
    for board in boards:
        seated.tell_end(board)
    return boards


# Boards -----------------------------------------------------------------------------


class _Board:
    """A board at a table.

    Attributes:
        number: the number of the board, from 1.
        table: the table, to be looked at only.
        bits: the random bits for the decision that is next.
        events: for each seat with a program what it has not been told yet.
    """

    def __init__(
        self, cup: Cup, sitting: Sitting, number: int, seated: _Seated
    ) -> None:
        game = cup.made_game()
        self.number = number
        self._cup = cup
        self._sitting = sitting
        self._seated = seated
        seed = board_seed(cup.settled_seed, sitting.meeting.round, number)
        self._recorder = Recorder(game, sitting.agents, seed)
        self.table: Table = self._recorder.table
        key = (_CHANCE, sitting.meeting.round, number)
        self._chance = np.random.PCG64(
            np.random.SeedSequence(cup.settled_seed, spawn_key=key)
        )
        self._draw()
        self._actions = 0
        self._faults: list[Fault] = []
        self.events: dict[int, list[dict[str, Any]]] = {
            seat: [{"deal": 1}] for seat in seated.programs
        }

    def take(self, answer: _Answer) -> None:
        """Carry out what an agent has answered, or what the policy says instead."""
        if not isinstance(answer, ProgramFault):
            if answer in self.table.legal_actions():
                self._apply(answer)
                return
            reply = str(answer).encode()
            answer = ProgramFault("illegal", f"{answer} is illegal", reply)
        self._faults.append(
            Fault(self._actions + 1, self.table.agent, answer.kind, answer.reply)
        )
        if self._cup.faults == "fallback":
            self._apply(ask(self._seated.fallback, self.table, self.bits))
        else:
            self._recorder.forfeit()

    def line(self) -> str:
        """The record of the board."""
        notes = self._sitting.notes(self.number)
        return self._recorder.episode(faults=self._faults, **notes).to_json()

    def _apply(self, action: int) -> None:
        before = self.table.clone() if self.events else None
        self._recorder.apply(action)
        self._actions += 1
        self._draw()
        if before is not None:
            self._note(before, action)

    def _draw(self) -> None:
        """Draw the chance of the next decision: some for each seat, for one to use."""
        drawn = self._chance.random_raw(self.table.game.num_agents)
        self.bits = int(drawn[self.table.agent])

    def _note(self, before: Table, action: int) -> None:
        """Note for each program what it may know of an action."""
        seats = before.game.num_agents
        name = before.game.action_names[action]
        is_played = trick_of(before, name, self.table) > 0
        ended = int(self.table.record.deals_played) - int(before.record.deals_played)
        for seat, events in self.events.items():
            shown = name if is_played else as_seen(before, action, seat)
            known = shown if shown == name else None
            events.append({"seat": (before.agent - seat) % seats, "action": known})
            if ended and not self.table.is_over:
                events.append({"deal": int(self.table.record.deals_played) + 1})


@functools.lru_cache(1 << 10)
def _first_word(seed: int, number: int) -> np.uint64:
    key = (_BOARDS, number)
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


def board_seed(seed: int, number: int, board: int) -> int:
    """The seed of the table for a board of a round."""
    return int(split_mix(_first_word(seed, number), board))


# Contestants ------------------------------------------------------------------------


class _Contestant(Protocol):
    """An agent at one seat or more."""

    def answers(self, boards: Sequence[_Board]) -> list[_Answer]:
        """What it answers at each of some boards, at all of which it is to act."""
        ...


class _Seated:
    """Who sits where in a sitting.

    Attributes:
        contestants: all contestants; an agent of this process is one for all its seats.
        programs: the seats of programs.
    """

    def __init__(self, cup: Cup, sitting: Sitting) -> None:
        self._cup = cup
        self._sitting = sitting
        self.contestants: list[_InProcess | _OtherProcess] = []
        self._place_of_seat: list[int] = []
        self.programs = [
            seat for seat, name in enumerate(sitting.agents) if cup.is_program(name)
        ]
        places: dict[str, int] = {}
        for seat, name in enumerate(sitting.agents):
            if seat in self.programs:
                self._add(_OtherProcess(cup, name, seat))
            elif name in places:
                self._place_of_seat.append(places[name])
            else:
                places[name] = len(self.contestants)
                self._add(_InProcess(name, _LOADED(cup.agents[name])))

    def _add(self, contestant: _InProcess | _OtherProcess) -> None:
        self._place_of_seat.append(len(self.contestants))
        self.contestants.append(contestant)

    @functools.cached_property
    def fallback(self) -> Player:
        """Who acts in the place of those that do wrong."""
        return _LOADED(self._cup.fallback)

    def place_of(self, seat: int) -> int:
        """The place of the contestant at a seat."""
        return self._place_of_seat[seat]

    def groups(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        """The boards that are played side by side."""
        return [[number] for number in numbers] if self.programs else [numbers]

    def tell_end(self, board: _Board) -> None:
        """Tell programs how a board has ended."""
        for seat in self.programs:
            program = self.contestants[self.place_of(seat)]
            assert isinstance(program, _OtherProcess)
            program.tell_end(board)

    def close(self) -> None:
        """End all programs."""
        programs = [c for c in self.contestants if isinstance(c, _OtherProcess)]
        for program in programs:
            program.dismiss()
        for program in programs:
            program.close()

    def log(self) -> str:
        """Times and standard error as a line of JSON."""
        meeting = self._sitting.meeting
        fields = {
            "round": meeting.round,
            "meeting": meeting.number,
            "room": self._sitting.room + 1,
            "boards": self._sitting.boards,
            "agents": [contestant.log() for contestant in self.contestants],
        }
        return json.dumps(fields, separators=(",", ":"))


def step_of_time(seconds: float) -> int:
    """The step in which a time is counted."""
    return math.floor(STEPS_OF_TIME * math.log10(max(seconds, _SHORTEST)))


def middle_of_step(step: int) -> float:
    """The seconds in the middle of a step."""
    return float(10 ** ((step + 0.5) / STEPS_OF_TIME))


class _Stopwatch:
    """Times of one contestant."""

    def __init__(self) -> None:
        self._actions = 0
        self._seconds = self._longest = 0.0
        self._counts: collections.Counter[int] = collections.Counter()

    def note(self, actions: int, seconds: float) -> None:
        """Note the time that some actions took together."""
        each = seconds / actions
        self._actions += actions
        self._seconds += seconds
        self._longest = max(self._longest, each)
        self._counts[step_of_time(each)] += actions

    def fields(self) -> dict[str, Any]:
        """The times in seconds, by their names."""
        return {
            "actions": self._actions,
            "seconds": round(self._seconds, 6),
            "longest": round(self._longest, 6),
            "counts": sorted(self._counts.items()),
        }


class _InProcess:
    """An agent of this process."""

    def __init__(self, name: str, player: Player) -> None:
        self._name = name
        self._player = player
        self._watch = _Stopwatch()

    def answers(self, boards: Sequence[_Board]) -> list[_Answer]:
        """What it answers at each board.

        Where it fails for many at once, it is asked one by one, to find out where.
        """
        begin = time.perf_counter()
        try:
            found = _asked(self._player, boards)
        except (Exception, SystemExit) as error:
            if len(boards) > 1:
                return [answer for board in boards for answer in self.answers([board])]
            what = f"{type(error).__name__}: {error}"
            reply = what.encode("utf-8", "backslashreplace")
            found = [ProgramFault("crash", what, reply)]
        self._watch.note(len(boards), time.perf_counter() - begin)
        return found

    def log(self) -> dict[str, Any]:
        """Its times."""
        return {"name": self._name, **self._watch.fields()}


class _OtherProcess:
    """A program at one seat."""

    def __init__(self, cup: Cup, name: str, seat: int) -> None:
        self._clock: Clock = cup.clock
        self._name = name
        self._seat = seat
        greeting = hello(cup.made_game(), cup.budget)
        self._program = Program(cup.command(name), greeting, cup.clock.start)
        self._starts = 0
        self._moves = 0
        self._deal: tuple[int, int] | None = None
        self._left: float | None = None
        self._watch = _Stopwatch()

    def answers(self, boards: Sequence[_Board]) -> list[_Answer]:
        """What it answers at each board, one after the other."""
        return [self._answer(board) for board in boards]

    def _answer(self, board: _Board) -> _Answer:
        try:
            self._look_at_clock(board)
            self._make_ready()
            return self._timed(board)
        except ProgramFault as fault:
            return fault

    def _look_at_clock(self, board: _Board) -> None:
        """Begin a deal with a full clock; in it, see whether there is time left.

        One that has none is not asked, and neither started nor ended: a deal for which
        it was too slow leaves it the next.
        """
        deal = (board.number, int(board.table.record.deals_played))
        if deal != self._deal:
            self._deal, self._left = deal, self._clock.deal
        if self._left is not None and self._left <= 0:
            raise ProgramFault("timeout", "no time left for this deal")

    def _make_ready(self) -> None:
        if self._program.is_running:
            return
        if self._starts == MOST_STARTS:
            raise ProgramFault("gone", f"{self._name} has failed {MOST_STARTS} times")
        self._starts += 1
        self._program.start()

    def _timed(self, board: _Board) -> int:
        """The answer, if it comes within the time that is left."""
        limit = self._clock.move if self._left is None else self._left
        limit = min(limit, self._clock.move)
        message = self._message(board)
        begin = time.perf_counter()
        try:
            name = self._program.ask(message, limit)
        finally:
            spent = time.perf_counter() - begin
            self._watch.note(1, spent)
            if self._left is not None:
                self._left = max(0.0, self._left - spent) + self._clock.increment
        return board.table.game.action_names.index(name)

    def _message(self, board: _Board) -> dict[str, Any]:
        self._moves += 1
        view = _views(None, [board])[0]
        seconds = {"move": self._clock.move}
        if self._left is not None:
            seconds["deal"] = round(self._left, 3)
        events = self._untold(board)
        return act(view, self._moves, events=events, seconds=seconds)

    def _untold(self, board: _Board) -> list[dict[str, Any]]:
        events = board.events[self._seat]
        board.events[self._seat] = []
        return events

    def tell_end(self, board: _Board) -> None:
        """Tell it how a board has ended; its own seat comes first."""
        returns = board.table.returns()
        own_first = returns[self._seat :] + returns[: self._seat]
        events = self._untold(board)
        self._program.tell({"type": "end", "events": events, "returns": own_first})

    def dismiss(self) -> None:
        """Ask the program to end by itself."""
        self._program.dismiss()

    def close(self) -> None:
        """End the program."""
        self._program.quit()

    def log(self) -> dict[str, Any]:
        """Its times, and the last that it wrote to standard error."""
        stderr = as_text(self._program.stderr)
        said = {"stderr": stderr} if stderr else {}
        starts = {"starts": self._starts}
        return {"name": self._name, **self._watch.fields(), **starts, **said}


def _asked(player: Player, boards: Sequence[_Board]) -> list[_Answer]:
    """What a player answers.

    Raises:
        ValueError: the answer is not one whole number for each board.
    """
    answer = np.asarray(player.act(_views(player, boards)))
    if answer.shape != (len(boards),) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"act() must return {len(boards)} whole numbers, not {answer.dtype} of "
            f"shape {answer.shape}"
        )
    found: list[_Answer] = answer.tolist()
    return found


def _views(player: Player | None, boards: Sequence[_Board]) -> Views:
    """What the agent to act at each board may know."""
    tables = [board.table for board in boards]
    game = tables[0].game
    observation = np.empty((len(tables), game.features.size), np.int8)
    mask = np.empty((len(tables), game.num_actions), np.int8)
    for row, table in enumerate(tables):
        table.see(table.agent, observation[row], mask[row])
    random = np.array([board.bits for board in boards], np.uint64)
    worlds = None if player is None else worlds_for(player, tables)
    return Views(game, observation, mask, random, worlds)


_LOADED: Final = Loader(whist_agents.load)
"""The agents of this process."""
