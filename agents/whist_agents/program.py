"""Agents that are other programs, spoken to in lines of JSON (``docs/protocol.md``).

A program is given messages on its standard input and answers on its standard output. A
message holds what a view holds: the player's own cards, and what is public.

A program may be faulty or hostile. It is run by a keeper in a group of processes of its
own, which is killed when it is closed and when this process ends in whatever way; it
is given a deadline for everything; of its output no more than one line of limited
length is ever read for a question, so that a flood of it stays in the pipe and blocks
the program alone.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from whist_agents.agent import SingleAgent
from whist_env import Game, View
from whist_env.cards import CARDS
from whist_env.engine.features import Feature

PROTOCOL: Final = 1
"""The version of the protocol."""

LONGEST_REPLY: Final = 1 << 16
"""Bytes in a line of an answer; a longer one is garbage."""

KEPT: Final = 500
"""Characters of an answer that are kept with a fault."""

STDERR_KEPT: Final = 2000
"""Bytes of standard error that are kept: the last."""

LARGEST_FILE: Final = 16 << 20
"""Bytes that a program may write to one file."""

START_LIMIT: Final = 10.0
"""Seconds for the start of a program, if nothing else is agreed."""

MOVE_LIMIT: Final = 10.0
"""Seconds for an action, if nothing else is agreed."""

QUIT_LIMIT: Final = 0.5
"""Seconds for a program to end by itself when it is asked to."""

KEEPER_LIMIT: Final = 5
"""Seconds for a keeper to end its program; one that was stopped is woken each second.

Where it is killed for want of an answer, Linux kills its program.
"""

NOT_STARTED: Final = 127
"""The code with which the keeper ends if there is no such program."""

_PIECE: Final = 1 << 14
_KEEPER: Final = Path(__file__).with_name("keeper.py")


class ProgramFault(RuntimeError):
    """A program did not do what it was asked.

    Attributes:
        kind: ``"start"``: it was not ready in time; ``"timeout"``: it did not answer in
            time; ``"crash"``: it ended; ``"garbage"``: its answer cannot be read;
            ``"illegal"``: the action is not one of those offered.
        raw: what it answered; ``None`` if it did not.
        reply: the same as text, at most `KEPT` characters.
    """

    def __init__(self, kind: str, what: str, reply: bytes | None = None) -> None:
        super().__init__(what)
        self.kind = kind
        self.raw = reply
        self.reply = None if reply is None else as_text(reply)


def as_text(reply: bytes) -> str:
    """The beginning of an answer as text, whatever its bytes are."""
    text = reply[: 4 * KEPT].decode("utf-8", "backslashreplace")
    return text[:KEPT]


def split_command(command: str) -> list[str]:
    """The words of a command, as a shell splits them.

    Raises:
        ValueError: there is none, a quotation is not closed, or this system cannot end
            whatever a program has started.
    """
    if os.name != "posix":
        raise ValueError("programs as agents need Linux, macOS or another POSIX system")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"cmd:{command}: {error}") from None
    if not words:
        raise ValueError("'cmd:' names no program; write a command, as 'cmd:./agent'")
    return words


class Program:
    """A program that is running, or will be when it is first needed.

    Args:
        command: the command with its arguments.
        hello: what it is told first; see `hello`.
        start_limit: the seconds within which it must be ready.

    Attributes:
        is_running: whether it has been started and not been ended since.
        stderr: the last that it wrote to standard error.
    """

    def __init__(
        self,
        command: str,
        hello: Mapping[str, Any],
        start_limit: float = START_LIMIT,
    ) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._command = command
        self._words = split_command(command)
        self._hello = dict(hello)
        self._start_limit = start_limit
        self._control = -1
        self._unread = bytearray()
        self._has_stderr = True
        self._quit_by = 0.0
        self.stderr = b""

    @property
    def is_running(self) -> bool:
        """Whether it has been started and not been ended since."""
        return self._process is not None

    def start(self) -> None:
        """Start the program and wait until it is ready.

        Raises:
            ProgramFault: it does not get ready in time; it is ended.
        """
        self.close()
        self._unread.clear()
        self._has_stderr, self.stderr = True, b""
        self._process = self._launched()
        try:
            answer = self._exchange(self._hello, self._start_limit)
            if _parsed(answer).get("ready") is not True:
                raise ProgramFault("start", 'it did not say {"ready":true}', answer)
        except ProgramFault as fault:
            if self.close() == NOT_STARTED:
                reason = self.stderr.decode("utf-8", "backslashreplace").strip()
                what = f"{self._command} could not be started: {reason}"
                raise ProgramFault("start", what) from None
            what = f"{self._command} did not get ready: {fault}"
            raise ProgramFault("start", what, fault.raw) from None

    def ask(self, message: Mapping[str, Any], limit: float) -> str:
        """The action that the program answers with, one of those in ``legal``.

        Args:
            message: an ``act`` message.
            limit: the seconds within which the answer must be here.

        Raises:
            ProgramFault: there is no such answer in time. But for an illegal action
                the program is ended: which question would it answer next?
        """
        if not self.is_running:
            self.start()
        try:
            return self._answered(message, self._exchange(message, limit))
        except ProgramFault as fault:
            if fault.kind != "illegal":
                self.close()
            raise

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message that needs no answer, if the program runs and listens."""
        if self.is_running:
            with contextlib.suppress(ProgramFault):
                self._send(_line(message), time.monotonic() + 1)

    def dismiss(self) -> None:
        """Ask the program to end by itself; it is sent nothing more."""
        if self.is_running and not self._is_dismissed:
            self.tell({"type": "quit"})
            self._quit_by = time.monotonic() + QUIT_LIMIT
            stdin = self._running().stdin
            assert stdin is not None
            with contextlib.suppress(OSError):
                stdin.close()

    def quit(self) -> None:
        """Ask the program to end, and end it if it does not.

        Several programs are asked with `dismiss` first, and end side by side.
        """
        self.dismiss()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(max(0.0, self._quit_by - time.monotonic()))
        self.close()

    def close(self) -> int | None:
        """End the program and whatever it has started, at once.

        Returns:
            With what code its keeper has ended; ``None`` if there was none.
        """
        process, self._process = self._process, None
        if process is None:
            return None
        self._read_stderr(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        os.close(self._control)
        for _ in range(KEEPER_LIMIT):
            # A program may have stopped its keeper, to outlive this.
            process.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(1)
        process.kill()
        return process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _launched(self) -> subprocess.Popen[bytes]:
        """The keeper of the program, whose streams are those of the program."""
        watched, self._control = os.pipe()
        # Without the user's site and environment: nothing but the standard library.
        keeper = [sys.executable, "-I", "-S", str(_KEEPER)]
        try:
            process = subprocess.Popen(
                [*keeper, str(watched), str(LARGEST_FILE), *self._words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[watched],
            )
        except OSError:
            os.close(self._control)
            raise
        finally:
            os.close(watched)
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        return process

    def _exchange(self, message: Mapping[str, Any], limit: float) -> bytes:
        """Send a message and read one line."""
        deadline = time.monotonic() + limit
        self._send(_line(message), deadline)
        return self._read_line(deadline)

    def _send(self, line: bytes, deadline: float) -> None:
        process = self._running()
        assert process.stdin is not None
        rest = memoryview(line)
        while True:
            try:
                rest = rest[os.write(process.stdin.fileno(), rest) :]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise ProgramFault("crash", f"{self._command} has ended") from None
            if not rest:
                return
            self._wait([], [process.stdin], deadline, None)

    def _read_line(self, deadline: float) -> bytes:
        process = self._running()
        assert process.stdout is not None
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > LONGEST_REPLY:
                break
            reply = bytes(self._unread) or None
            if process.stdout in self._wait([process.stdout], [], deadline, reply):
                piece = os.read(process.stdout.fileno(), _PIECE)
                if not piece:
                    raise ProgramFault("crash", f"{self._command} has ended", reply)
                self._unread += piece
        if not 0 <= end <= LONGEST_REPLY:
            raise ProgramFault(
                "garbage",
                f"{self._command} answered with a line above {LONGEST_REPLY} bytes",
                bytes(self._unread),
            )
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _wait(
        self, read: list[Any], write: list[Any], deadline: float, reply: bytes | None
    ) -> list[Any]:
        """Wait for a stream, or for standard error, which is read.

        A program that fills its standard error would otherwise wait for this process.

        Returns:
            The streams that are ready.
        """
        process = self._running()
        errors = [process.stderr] if self._has_stderr else []
        left = deadline - time.monotonic()
        with selectors.DefaultSelector() as selector:
            for stream in (*read, *errors):
                selector.register(stream, selectors.EVENT_READ)
            for stream in write:
                selector.register(stream, selectors.EVENT_WRITE)
            ready = [key.fileobj for key, _ in selector.select(max(0.0, left))]
        if left <= 0 or not ready:
            raise ProgramFault("timeout", f"{self._command} did not answer", reply)
        if process.stderr in ready:
            self._read_stderr(process)
        return ready

    def _read_stderr(self, process: subprocess.Popen[bytes]) -> None:
        """Keep the last of what stands in standard error."""
        assert process.stderr is not None
        try:
            piece = os.read(process.stderr.fileno(), _PIECE)
        except BlockingIOError:
            return
        self._has_stderr = bool(piece)
        self.stderr = (self.stderr + piece)[-STDERR_KEPT:]

    @property
    def _is_dismissed(self) -> bool:
        stdin = self._running().stdin
        assert stdin is not None
        return stdin.closed

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _answered(self, message: Mapping[str, Any], answer: bytes) -> str:
        """The action of an answer.

        Raises:
            ProgramFault: it is none, it answers another question, or it is illegal.
        """
        fields = _parsed(answer)
        action, move = fields.get("action"), fields.get("move")
        if not isinstance(action, str):
            raise ProgramFault(
                "garbage", f"{self._command} names no action in its answer", answer
            )
        if move != message["move"] or isinstance(move, bool):
            raise ProgramFault(
                "garbage",
                f"{self._command} answered move {move!r}, not {message['move']}",
                answer,
            )
        if action not in message["legal"]:
            raise ProgramFault(
                "illegal", f"{self._command} may not choose {action!r}", answer
            )
        return action


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _parsed(answer: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(answer)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise ProgramFault("garbage", "the answer is no object of JSON", answer)
    return fields


# Messages ---------------------------------------------------------------------------


def hello(game: Game, budget: int | None = None) -> dict[str, Any]:
    """The first message: what will be played.

    Args:
        game: the game with its options.
        budget: how much work the program may put into an action, in its own unit.
    """
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.name,
        "options": {
            name: value
            for name, value in vars(game.options).items()
            if isinstance(value, str | int | bool | None)
        },
        "agents": game.num_agents,
        "actions": list(game.action_names),
        **({} if budget is None else {"budget": budget}),
    }


def act(view: View, move: int, **others: Any) -> dict[str, Any]:
    """The question for an action: a view in words.

    Args:
        view: what the player may know.
        move: the number of the question, which the answer repeats.
        **others: what is added.
    """
    names = view.game.action_names
    return {
        "type": "act",
        "move": move,
        "legal": [names[action] for action in view.legal_actions()],
        "observation": in_words(view.game, view.observation),
        "random": str(view.random),
        **others,
    }


def in_words(game: Game, observation: npt.NDArray[np.int8]) -> dict[str, Any]:
    """An observation by the names of its features.

    A set of cards becomes a list of their names; numbers that belong to cards become an
    object with those that are not 0; everything else is a number or lists of numbers.
    """
    numbers = observation.tolist()
    return {
        feature.name: _in_words(game, feature, numbers[game.features[feature.name]])
        for feature in game.features.features
    }


def _in_words(game: Game, feature: Feature, numbers: list[int]) -> Any:
    """A feature in words, from all its numbers in a row."""
    if feature.axes[-1:] != ("card",) or feature.shape[-1] != CARDS:
        return _nested(numbers, feature.shape)
    is_set = (feature.low, feature.high) == (0, 1)
    rows = [
        _cards_in_words(game, numbers[start : start + CARDS], is_set)
        for start in range(0, len(numbers), CARDS)
    ]
    return _nested(rows, feature.shape[:-1])


def _cards_in_words(game: Game, numbers: list[int], is_set: bool) -> Any:
    if is_set:
        return list(itertools.compress(game.action_names, numbers))
    cards = zip(game.action_names, numbers, strict=False)
    return {name: number for name, number in cards if number}


def _nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    """Values in a row as lists of lists, one level for each axis."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    size = len(values) // shape[0]
    starts = range(0, len(values), size)
    return [_nested(values[start : start + size], shape[1:]) for start in starts]


# The agent --------------------------------------------------------------------------


class ProgramAgent(SingleAgent):
    """Another program as an agent, wherever agents are taken.

    One process answers for all seats that the agent has, and any fault is an error. A
    tournament runs one process for each seat, and lives with faults.

    Args:
        command: the command with its arguments.
    """

    def __init__(self, command: str) -> None:
        split_command(command)
        self._command = command
        self._program: Program | None = None
        self._game: Game | None = None
        self._moves = 0

    def choose(self, view: View) -> int:
        """A legal action for one view.

        Raises:
            ProgramFault: the program does not give one.
        """
        if self._program is None or view.game != self._game:
            if self._program is not None:
                self._program.close()
            self._program = Program(self._command, hello(view.game))
            self._game = view.game
        self._moves += 1
        name = self._program.ask(act(view, self._moves), MOVE_LIMIT)
        return view.game.action_names.index(name)
