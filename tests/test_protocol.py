"""Programs as agents: the protocol, and what becomes of those that break it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from processes import is_alive, wait_until

import whist_agents
import whist_env
from whist_agents.program import (
    KEPT,
    LONGEST_REPLY,
    QUIT_LIMIT,
    Program,
    ProgramFault,
    act,
    hello,
    split_command,
)
from whist_env.envs.play import view_of
from whist_train.evaluate import play_pairs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs groups of processes")

CLIENTS = Path(__file__).parent.parent / "docs" / "clients"
PYTHON = f"{sys.executable} -I -S"

Write = Callable[[str], str]


@pytest.fixture
def program(tmp_path: Path) -> Write:
    """Write a program that answers a hello and then does as it is told."""

    def write(then: str, first: str = "print('{\"ready\":true}', flush=True)") -> str:
        lines = [
            "import json, os, sys, time",
            "hello = json.loads(sys.stdin.readline())",
            first,
            "for line in sys.stdin:",
            "    message = json.loads(line)",
            textwrap.indent(textwrap.dedent(then), "    "),
        ]
        path = tmp_path / f"agent{len(list(tmp_path.iterdir()))}.py"
        path.write_text("\n".join(lines))
        return f"{PYTHON} {path}"

    return write


ANSWER = """
if message["type"] == "act":
    reply = {"move": message["move"], "action": message["legal"][0]}
    print(json.dumps(reply), flush=True)
"""


def question(move: int = 1, game: str = "whist", seed: int = 1) -> dict[str, object]:
    table = whist_env.game(game).new_table(seed)
    return act(view_of(table, 5)[0], move)


def fault_of(command: str, limit: float = 5.0, start: float = 5.0) -> ProgramFault:
    greeting = hello(whist_env.game("whist"))
    with Program(command, greeting, start) as running:
        with pytest.raises(ProgramFault) as caught:
            running.ask(question(), limit)
        assert not running.is_running or caught.value.kind == "illegal"
    return caught.value


# What is said -----------------------------------------------------------------------


def test_a_question_holds_the_hand_and_the_legal_actions_by_name() -> None:
    table = whist_env.game("whist").new_table(1)
    asked = act(view_of(table, 5)[0], 7)
    names = table.game.action_names
    assert list(asked)[:3] == ["type", "move", "legal"]
    assert asked["move"] == 7
    assert asked["legal"] == [names[action] for action in table.legal_actions()]
    assert sorted(asked["observation"]["hand"]) == sorted(asked["legal"])
    assert asked["observation"]["turned"] == [
        names[i] for i in np.flatnonzero(view_of(table, 5)[0].part("turned"))
    ]
    assert asked["random"] == "5"


def test_an_observation_is_told_by_the_names_of_its_features() -> None:
    table = whist_env.game("bridge_whist").new_table(3)
    for _ in range(20):
        table.apply(table.legal_actions()[-1])
    view = view_of(table, 5)[0]
    told, names = act(view, 1)["observation"], table.game.action_names
    assert list(told) == list(table.game.features)
    for feature in table.game.features.features:
        part, words = view.part(feature.name), told[feature.name]
        if feature.axes[-1:] != ("card",):
            assert words == part.tolist()
        elif feature.high > 1:
            assert words == {names[c]: part[c] for c in np.flatnonzero(part)}
        elif part.ndim == 1:
            assert words == [names[c] for c in np.flatnonzero(part)]
        else:
            assert words == [[names[c] for c in np.flatnonzero(row)] for row in part]


def test_a_question_says_nothing_but_the_view() -> None:
    """Whoever has the same view is asked the same, whatever others hold."""
    game = whist_env.game("whist")
    table = game.new_table(1)
    view = view_of(table, 5, whist_agents.load("pimc:samples=1"))[0]
    other = view.table()
    assert other != table
    assert act(view_of(other, 5)[0], 1) == act(view_of(table, 5)[0], 1)


@pytest.mark.parametrize("client", ["high_low.py", "lowest.sh"])
def test_the_example_clients_play_whole_deals(client: str) -> None:
    command = str(CLIENTS / client)
    if client.endswith(".py"):
        command = f"{PYTHON} {command}"
    pairs = play_pairs(f"cmd:{command}", "random", whist_env.game("whist"), 2)
    assert len(pairs) == 2


def test_a_program_is_told_the_game_first(program: Write, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    command = program(
        ANSWER,
        f"open({str(told)!r}, 'w').write(json.dumps(hello))\n"
        "print('{\"ready\":true}', flush=True)",
    )
    game = whist_env.game("whist", scoring="short5")
    with Program(command, hello(game, budget=9)) as running:
        running.start()
    said = json.loads(told.read_text())
    assert said["type"] == "hello"
    assert said["protocol"] == 1
    assert said["options"]["scoring"] == "short5"
    assert said["actions"][0] == "C2"
    assert said["budget"] == 9
    assert "seed" not in json.dumps(said)


def test_a_program_answers_question_after_question(program: Write) -> None:
    with Program(program(ANSWER), hello(whist_env.game("whist"))) as running:
        for move in range(1, 50):
            asked = question(move, seed=move)
            assert running.ask(asked, 5.0) == asked["legal"][0]


def test_a_command_is_split_as_a_shell_splits_it() -> None:
    assert split_command("sh -c 'exec ./agent --fast'") == [
        *("sh", "-c", "exec ./agent --fast")
    ]
    with pytest.raises(ValueError, match="names no program"):
        whist_agents.load("cmd:")
    with pytest.raises(ValueError, match="No closing quotation"):
        whist_agents.load("cmd:'agent")


# What goes wrong --------------------------------------------------------------------


def test_an_illegal_action_is_kept_and_the_program_goes_on(program: Write) -> None:
    command = program("""
        card = "C2" if message["move"] == 1 else message["legal"][0]
        print(json.dumps({"move": message["move"], "action": card}), flush=True)
    """)
    first = question(1)
    first["legal"] = [name for name in first["legal"] if name != "C2"]  # type: ignore
    with Program(command, hello(whist_env.game("whist"))) as running:
        with pytest.raises(ProgramFault) as caught:
            running.ask(first, 5.0)
        assert caught.value.kind == "illegal"
        assert json.loads(caught.value.reply or "") == {"move": 1, "action": "C2"}
        second = question(2)
        assert running.ask(second, 5.0) == second["legal"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    "reply",
    [
        "hello there",
        "[1, 2]",
        '{"action": 3, "move": 1}',
        '{"action": "CA"}',
        '{"action": "CA", "move": 2}',
        '{"action": "CA", "move": true}',
        "[" * 60000,
        "\\xff\\xfe",
    ],
)
def test_what_cannot_be_read_is_garbage(program: Write, reply: str) -> None:
    fault = fault_of(program(f"print({reply!r}, flush=True)"))
    assert fault.kind == "garbage"
    assert fault.reply is not None
    assert fault.reply == reply[:KEPT]


def test_bytes_that_are_no_text_are_garbage(program: Write) -> None:
    fault = fault_of(program("os.write(1, b'\\xff\\x00\\xfe\\n')"))
    assert (fault.kind, fault.reply) == ("garbage", "\\xff\x00\\xfe")


def test_endless_output_is_cut_off(program: Write) -> None:
    begin = time.monotonic()
    fault = fault_of(program("while True: os.write(1, b'x' * 10000)"), limit=30.0)
    assert fault.kind == "garbage"
    assert fault.reply == "x" * KEPT
    assert time.monotonic() - begin < 10
    assert LONGEST_REPLY < 1 << 20


def test_a_flood_on_standard_error_does_not_hold_up_the_answer(program: Write) -> None:
    command = program("os.write(2, b'e' * 300000)" + ANSWER)
    with Program(command, hello(whist_env.game("whist"))) as running:
        running.ask(question(), 5.0)
        assert 0 < len(running.stderr) <= 2000


def test_a_program_that_hangs_is_ended_in_time(program: Write) -> None:
    begin = time.monotonic()
    fault = fault_of(program("time.sleep(1000)"), limit=0.3)
    assert (fault.kind, fault.reply) == ("timeout", None)
    assert time.monotonic() - begin < 5


def test_a_half_answer_is_kept_with_the_timeout(program: Write) -> None:
    fault = fault_of(program("os.write(1, b'{\"act'); time.sleep(1000)"), limit=0.3)
    assert (fault.kind, fault.reply) == ("timeout", '{"act')


def test_a_program_that_does_not_read_cannot_hold_up_the_question(
    program: Write,
) -> None:
    command = program("", "print('{\"ready\":true}', flush=True); time.sleep(1000)")
    asked = question() | {"padding": "x" * (1 << 20)}
    with Program(command, hello(whist_env.game("whist"))) as running:
        with pytest.raises(ProgramFault) as caught:
            running.ask(asked, 0.5)
    assert caught.value.kind == "timeout"


def test_a_crash_is_found_out_at_once(program: Write) -> None:
    begin = time.monotonic()
    fault = fault_of(program("sys.exit('broken')"), limit=60.0)
    assert fault.kind == "crash"
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("first", "limit"),
    [
        ("time.sleep(1000)", 0.5),
        ("sys.exit(3)", 5.0),
        ("print('{\"ready\":false}', flush=True)", 5.0),
        ("print('good morning', flush=True)", 5.0),
    ],
)
def test_a_program_that_does_not_get_ready_has_not_started(
    program: Write, first: str, limit: float
) -> None:
    assert fault_of(program(ANSWER, first), start=limit).kind == "start"


def not_started(command: str) -> str:
    fault = fault_of(command)
    assert (fault.kind, fault.reply) == ("start", None)
    return str(fault)


def test_a_program_that_is_not_there_is_said_not_to_be_found() -> None:
    assert not_started("./no/such/agent --fast") == (
        "./no/such/agent --fast could not be started: ./no/such/agent was not found"
    )
    assert not_started("no-such-agent").endswith(
        "no-such-agent was not found on the PATH"
    )


def test_a_file_that_is_no_program_could_not_be_started(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    path.write_text("#!/no/such/interpreter\n")
    assert not_started(str(path)).endswith(f"{path}: Permission denied")
    path.chmod(0o755)
    assert not_started(str(path)).endswith(
        f"{path} names an interpreter that was not found"
    )


def test_a_program_that_ends_as_if_it_were_not_there_has_been_started(
    program: Write,
) -> None:
    told = not_started(program(ANSWER, "sys.exit(127)"))
    assert told.endswith("has ended")
    assert "did not get ready" in told


# How it ends ------------------------------------------------------------------------


def test_a_program_that_reads_to_the_end_of_its_input_ends_by_itself(
    program: Write, tmp_path: Path
) -> None:
    path = tmp_path / "heard"
    command = program(ANSWER) + f" {path}"
    source = Path(command.split()[-2])
    source.write_text(
        source.read_text() + "\nopen(sys.argv[1], 'w').write(message['type'])\n"
    )
    with Program(command, hello(whist_env.game("whist"))) as running:
        running.ask(question(), 5.0)
        running.quit()
    assert path.read_text() == "quit"


def test_programs_that_will_not_end_are_waited_for_together(program: Write) -> None:
    command = program(ANSWER + "\nif message['type'] == 'quit': time.sleep(1000)")
    running = [Program(command, hello(whist_env.game("whist"))) for _ in range(4)]
    for each in running:
        each.start()
    begin = time.monotonic()
    for each in running:
        each.dismiss()
    for each in running:
        each.quit()
    assert QUIT_LIMIT <= time.monotonic() - begin < 4 * QUIT_LIMIT
    assert not any(each.is_running for each in running)


# What may not outlive ---------------------------------------------------------------

ESCAPE = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({path!r}, "w").write(str(os.getpid()))
        while True:
            time.sleep(1)
    os._exit(0)
print('{{"ready":true}}', flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux")
def test_a_process_that_left_the_group_is_ended_with_the_program(
    program: Write, tmp_path: Path
) -> None:
    path = tmp_path / "escaped"
    command = program(ANSWER, ESCAPE.format(path=str(path)))
    with Program(command, hello(whist_env.game("whist"))) as running:
        running.ask(question(), 5.0)
        assert wait_until(path.exists)
        assert wait_until(lambda: path.read_text() != "")
        escaped = int(path.read_text())
        assert is_alive(escaped)
    assert wait_until(lambda: not is_alive(escaped))


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux")
def test_a_program_does_not_outlive_a_master_that_is_killed(
    program: Write, tmp_path: Path
) -> None:
    path = tmp_path / "escaped"
    command = program(ANSWER, ESCAPE.format(path=str(path)))
    master = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from whist_agents.program import Program\n"
            "program = Program(sys.argv[1], {'type': 'hello'})\n"
            "program.start()\n"
            "print(program._process.pid, flush=True)\n"
            "time.sleep(1000)",
            command,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert master.stdout is not None
    keeper = int(master.stdout.readline())
    assert wait_until(lambda: path.exists() and path.read_text() != "")
    escaped = int(path.read_text())
    master.send_signal(signal.SIGKILL)
    master.wait()
    master.stdout.close()
    assert wait_until(lambda: not is_alive(escaped) and not is_alive(keeper))


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_program_does_not_outlive_a_keeper_that_it_kills_or_stops(
    number: int, program: Write, tmp_path: Path
) -> None:
    path = tmp_path / "id"
    command = program(
        "pass",
        f"open({str(path)!r}, 'w').write(str(os.getpid()))\n"
        "print('{\"ready\":true}', flush=True)\n"
        f"os.kill(os.getppid(), {int(number)})\n"
        "time.sleep(1000)",
    )
    with Program(command, hello(whist_env.game("whist"))) as running:
        running.start()
        process = int(path.read_text())
        begin = time.monotonic()
        running.close()
        assert time.monotonic() - begin < 5
    assert wait_until(lambda: not is_alive(process), 5)


def test_programs_are_heard_where_many_files_are_open(program: Write) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        with Program(program(ANSWER), hello(whist_env.game("whist"))) as running:
            asked = question()
            assert running.ask(asked, 5.0) == asked["legal"][0]  # type: ignore[index]
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_keeper_does_not_end_before_its_program(program: Write) -> None:
    with Program(program(ANSWER), hello(whist_env.game("whist"))) as running:
        running.start()
        assert running._process is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            running._process.send_signal(number)
        asked = question()
        assert running.ask(asked, 5.0) == asked["legal"][0]  # type: ignore[index]
        assert running._process.poll() is None


def test_a_program_cannot_write_a_large_file(program: Write, tmp_path: Path) -> None:
    path = tmp_path / "large"
    command = program(f"""
        with open({str(path)!r}, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 22))
    """)
    assert fault_of(command).kind == "crash"
    assert path.stat().st_size <= 16 << 20
