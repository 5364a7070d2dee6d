"""Keeps another program: starts it, and lets nothing of it outlive its master.

It is run as a process of its own between the master and the program, and needs the
standard library only. Its standard streams become those of the program. It ends the
program, and whatever that has started, when the master closes the other end of a pipe;
this happens by itself when the master is killed. On Linux even a process that has left
the group of the program is found, because orphans are handed to the keeper, and a
program that kills its keeper is killed with it. On other systems the group alone is
ended, and a keeper that was killed ends nothing.

    python keeper.py FD BYTES COMMAND ...

where FD is the number of the reading end of the pipe and BYTES the most that the
program may write to one file.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable

_TICK = 0.005
"""Seconds between two looks at whether killed processes are gone."""

_PATIENCE = 5.0
"""Seconds for which processes that will not end are killed again and again."""

_UNHEARD = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_NOT_STARTED = 127
"""The code with which the keeper ends if it could not start the program.

`whist_agents.program` knows it too. Otherwise the code is 0, whatever the program's is.
"""


def main(words: list[str]) -> int:
    """Start the command, wait for its end or the master's, and clear up."""
    given, most_bytes, command = int(words[0]), int(words[1]), words[2:]
    # The program does not inherit the copy; its number is low, as select asks for.
    control = os.dup(given)
    os.close(given)
    for number in _UNHEARD:
        # What ends the master closes the pipe; by itself the keeper does not end.
        signal.signal(number, signal.SIG_IGN)
    prctl = _prctl()
    # Become the parent of every descendant that loses its own.
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ended = _told_of_ends()
    try:
        program = _start(command, most_bytes, prctl)
    except OSError as error:
        print(_why(command[0], error), file=sys.stderr)
        return _NOT_STARTED
    _let_go_of_streams()
    while not _reaped(program):
        ready = select.select([control, ended], [], [])[0]
        if control in ready:
            break
        os.read(ended, 1 << 10)
    _end_all(program)
    return 0


def _told_of_ends() -> int:
    """The end of a pipe that can be read whenever a child has ended."""
    ended, ends = os.pipe()
    os.set_blocking(ends, False)
    signal.set_wakeup_fd(ends, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ended


def _prctl() -> Callable[..., int]:
    """The call of Linux that sets what belongs to a process; nothing elsewhere."""
    if sys.platform != "linux":
        return lambda *_: 0
    import ctypes

    found: Callable[..., int] = ctypes.CDLL(None).prctl
    return found


def _start(command: list[str], most_bytes: int, prctl: Callable[..., int]) -> int:
    """Start the program as the leader of a group of its own; gives its id.

    The keeper has a single thread: what is true of that is true of the keeper.
    """
    failed, fails = os.pipe()
    keeper = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != keeper:
                os._exit(127)  # the keeper ended before it could be watched
            os.setsid()
            for signal_number in (*_UNHEARD, *_IGNORED_BY_PYTHON):
                signal.signal(signal_number, signal.SIG_DFL)
            _limit(most_bytes)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(fails, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(fails)
    with os.fdopen(failed) as report:
        number = report.read()
    if number:
        raise OSError(int(number), os.strerror(int(number)))
    return program


def _why(program: str, error: OSError) -> str:
    """Why a program could not be started, in words."""
    if not isinstance(error, FileNotFoundError):
        return f"{program}: {error.strerror}"
    import shutil  # needed by nobody whose program is there

    if shutil.which(program):
        return f"{program} names an interpreter that was not found"
    return f"{program} was not found" + ("" if "/" in program else " on the PATH")


def _limit(most_bytes: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def _let_go_of_streams() -> None:
    """Leave the streams to the program, so that they end when it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def _reaped(program: int) -> bool:
    """Whether the program has ended; adopted orphans that have are cleared away."""
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if ended == program:
            return True
        if ended == 0:
            return False


def _end_all(program: int) -> None:
    """Kill the group of the program and all descendants, until none is left."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            os.killpg(program, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        for process in _descendants(os.getpid()):
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_TICK)


def _descendants(ancestor: int) -> list[int]:
    """The children of a process, their children, and so on; none without ``/proc``."""
    children: dict[int, list[int]] = {}
    if os.path.isdir("/proc/self"):
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(name))
    found, rest = [], [ancestor]
    while rest:
        rest += (new := children.pop(rest.pop(), []))
        found += new
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
