"""Keeps another program: starts it, and lets nothing of it outlive its master.

It is run as a process of its own between the master and the program, and needs the
standard library only. Its standard streams become those of the program. It ends the
program, and whatever that has started, when the master closes the other end of a pipe;
this happens by itself when the master is killed. On Linux even a process that has left
the group of the program is found, because orphans are handed to the keeper; on other
systems only the group is ended.

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

_TICK = 0.005
"""Seconds between two looks at whether killed processes are gone."""

_PATIENCE = 5.0
"""Seconds for which processes that will not end are killed again and again."""

_UNHEARD = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)

_PR_SET_CHILD_SUBREAPER = 36


def main(words: list[str]) -> int:
    """Start the command, wait for its end or the master's, and clear up."""
    control, most_bytes, command = int(words[0]), int(words[1]), words[2:]
    os.set_inheritable(control, False)
    for number in _UNHEARD:
        # What ends the master closes the pipe; by itself the keeper does not end.
        signal.signal(number, signal.SIG_IGN)
    _adopt_orphans()
    ended = _told_of_ends()
    try:
        program = _start(command, most_bytes)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
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


def _adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _start(command: list[str], most_bytes: int) -> int:
    """Start the program as the leader of a group of its own; gives its id."""
    failed, fails = os.pipe()
    program = os.fork()
    if program == 0:
        try:
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
