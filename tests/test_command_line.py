"""The command `whist`: its verbs, its exit codes, its errors."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tyro

import whist_env
import whist_train.demo
from whist_env import IllegalAction
from whist_env.games import rules_of
from whist_env.games.whist import WhistOptions
from whist_train.command_line import FAILURE, MISUSE, STOPPED, SUCCESS, VERBS, main
from whist_train.crossplay import crossplay
from whist_train.evaluate import Evaluation, evaluate
from whist_train.ppo import PPOConfig
from whist_train.run import TrainConfig
from whist_train.sequential import SequentialTest

RULES = rules_of("whist")
COMMAND = Path(sys.executable).with_name("whist")
QUICK_TRAINING = (
    *("--deals", "16", "--ppo.tables", "16"),
    *("--ppo.hidden", "16", "--ppo.critic-hidden", "16"),
    *("--ppo.lessons", "0", "--ppo.critic-alone", "0"),
)

Captured = pytest.CaptureFixture[str]


def printed_json(capsys: Captured) -> Any:
    return json.loads(capsys.readouterr().out)


# The command ------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]])
def test_help_names_every_verb_and_what_it_does(
    words: list[str], capsys: Captured
) -> None:
    assert main(words) == SUCCESS
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    for name, verb in VERBS.items():
        assert [name, verb.__doc__] in lines


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_its_defaults(verb: str, capsys: Captured) -> None:
    assert main([verb, "--help"]) == SUCCESS
    text = capsys.readouterr().out
    assert text.startswith(f"usage: whist {verb} ")
    assert "(default: " in text


def test_help_loads_no_library_that_computes() -> None:
    program = (
        "import sys; from whist_train.command_line import main; main(['--help']); "
        "print([n for n in ('torch', 'numba', 'numpy') if n in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words", [["games", "whist"], ["evaluate", "random", "random", "--deals", "4"]]
)
def test_verbs_without_networks_do_not_load_torch(words: list[str]) -> None:
    program = (
        f"import sys; from whist_train.command_line import main; "
        f"print(main({words}), 'torch' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "0 False"


def test_the_installed_command_ends_with_the_exit_code() -> None:
    result = subprocess.run(
        [COMMAND, "games", "wist"], capture_output=True, text=True, check=False
    )
    assert result.returncode == MISUSE
    assert result.stdout == ""
    assert result.stderr == (
        "whist games: there is no game 'wist' (did you mean 'whist'?); the games are "
        + ", ".join(whist_env.games())
        + " (see 'whist games --help')\n"
    )


def test_an_unknown_verb_is_refused_with_the_one_that_was_meant(
    capsys: Captured,
) -> None:
    assert main(["evalute"]) == MISUSE
    complaint = capsys.readouterr().err
    assert "did you mean 'evaluate'?" in complaint
    assert "see 'whist --help'" in complaint


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "random"],
        ["evaluate", "random", "random", "--deal", "many"],
        ["evaluate", "random", "random", "--scoring", "short7"],
        ["evaluate", "random", "random", "--game"],
        ["draw"],
        ["games", "whist", "whist"],
    ],
)
def test_arguments_that_cannot_be_read_are_refused(
    words: list[str], capsys: Captured
) -> None:
    assert main(words) == MISUSE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"whist {words[0]} --help" in captured.err


def failing(error: BaseException) -> Any:
    def verb(words: list[str]) -> None:
        """Fail."""
        raise error

    return verb


@pytest.mark.parametrize(
    ("error", "code", "complaint"),
    [
        (ValueError("not\nso"), MISUSE, "not so (see 'whist games --help')"),
        (FileNotFoundError("no run"), MISUSE, "no run (see 'whist games --help')"),
        (IllegalAction("bad card"), FAILURE, "bad card (WHIST_DEBUG=1 shows where)"),
        (ZeroDivisionError(), FAILURE, "ZeroDivisionError (WHIST_DEBUG=1 shows where)"),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            FAILURE,
            "No module named 'torch' (pip install 'whist-env[torch]')",
        ),
        (KeyboardInterrupt(), STOPPED, "stopped"),
    ],
)
def test_an_error_is_one_line_that_names_the_next_step(
    error: BaseException,
    code: int,
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    monkeypatch.delenv("WHIST_DEBUG", raising=False)
    monkeypatch.setitem(VERBS, "games", failing(error))
    assert main(["games"]) == code
    assert capsys.readouterr().err == f"whist games: {complaint}\n"


def test_the_debug_variable_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WHIST_DEBUG", "1")
    monkeypatch.setitem(VERBS, "games", failing(ZeroDivisionError("here")))
    with pytest.raises(ZeroDivisionError, match="here"):
        main(["games"])


def test_no_color_is_respected(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(tyro._experimental_options, "ansi_codes", True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["games", "--help"]) == SUCCESS
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["games", "--help"]) == SUCCESS
    assert "\x1b[" not in capsys.readouterr().out


# Verbs ------------------------------------------------------------------------------


def test_games_lists_every_game(capsys: Captured) -> None:
    assert main(["games", "--json"]) == SUCCESS
    listed = printed_json(capsys)
    assert [game["name"] for game in listed] == whist_env.games()
    assert listed[0] == {
        "name": "whist",
        "title": "Whist",
        "agents": [4],
        "actions": 52,
        "features": RULES.features.size,
    }
    hearts = next(game for game in listed if game["name"] == "omnibus_hearts")
    assert hearts["agents"] == [4, 5, 6]
    assert main(["games"]) == SUCCESS
    assert re.search(r"│ whist +│ Whist +│", capsys.readouterr().out)


def test_games_describes_a_game_from_its_rules(capsys: Captured) -> None:
    assert main(["games", "whist", "--json"]) == SUCCESS
    game = printed_json(capsys)
    assert game["actions"] == list(RULES.action_names)
    assert [option["name"] for option in game["options"]] == [
        field.name for field in dataclasses.fields(WhistOptions)
    ]
    scoring = next(part for part in game["options"] if part["name"] == "scoring")
    assert scoring["values"][-1] == "robber"
    assert [phase["name"] for phase in game["phases"]] == ["play"]
    voids = next(part for part in game["features"] if part["name"] == "voids")
    assert slice(voids["place"], voids["place"] + 16) == RULES.features["voids"]
    assert voids["axes"] == ["seat", "suit"]
    assert list(game["measures"]) == list(RULES.measures)


def test_games_prints_every_option_action_and_feature(capsys: Captured) -> None:
    assert main(["games", "whist"]) == SUCCESS
    text = capsys.readouterr().out
    words = {
        *(field.name for field in dataclasses.fields(WhistOptions)),
        *RULES.action_names,
        *RULES.features,
        *RULES.measures,
    }
    assert words <= set(text.split())


def test_evaluate_prints_what_the_function_gives(capsys: Captured) -> None:
    words = ["evaluate", "hoyle", "random", "--rubbers", "10", "--seed", "7", "--json"]
    assert main(words) == SUCCESS
    given = Evaluation.from_json(capsys.readouterr().out)
    assert given == evaluate("hoyle", "random", rubbers=10, seed=7)


def test_evaluate_passes_the_options_of_the_game_on(capsys: Captured) -> None:
    words = "evaluate random random --rubbers 4 --scoring robber --rubber-bonus 20"
    assert main([*words.split(), "--json"]) == SUCCESS
    options = printed_json(capsys)["options"]
    assert (options["scoring"], options["rubber_bonus"]) == ("robber", 20)
    assert options["episode"] == "rubber"


def test_evaluate_prints_a_table(capsys: Captured) -> None:
    assert main("evaluate hoyle random --deals 20 --seed 3".split()) == SUCCESS
    text = " ".join(capsys.readouterr().out.split())
    assert "hoyle against random: 20 duplicate deals" in text
    assert "exactly 0" in text
    assert "seed 3" in text


def test_evaluate_stops_when_its_sequential_test_is_decided(capsys: Captured) -> None:
    words = "evaluate hoyle random --deals 5000 --sprt 0 0.5 --alpha 0.01 --json"
    assert main(words.split()) == SUCCESS
    given = Evaluation.from_json(capsys.readouterr().out)
    test = SequentialTest(0, 0.5, alpha=0.01)
    expected = evaluate("hoyle", "random", deals=5000, sprt=test)
    assert given == expected
    assert main("evaluate hoyle random --deals 40 --sprt 0.5 0".split()) == MISUSE
    assert "must be below" in capsys.readouterr().err


def test_crossplay_prints_what_the_function_gives(capsys: Captured) -> None:
    words = "crossplay random hoyle --deals 8 --seed 3 --scoring robber --json"
    assert main(words.split()) == SUCCESS
    given = capsys.readouterr().out.strip()
    expected = crossplay(["random", "hoyle"], deals=8, seed=3, scoring="robber")
    assert given == expected.to_json()
    assert main("crossplay random hoyle --deals 8".split()) == SUCCESS
    assert "cross-play gap" in capsys.readouterr().out


def test_evaluate_finds_an_agent_in_the_folder_where_it_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_agent.py").write_text(
        "class First:\n"
        "    def act(self, views):\n"
        "        return views.action_mask.argmax(axis=1)\n"
    )
    words = "evaluate own_agent:First random --deals 4 --workers 2 --json"
    assert main(words.split()) == SUCCESS
    assert printed_json(capsys)["agents"] == ["own_agent:First", "random"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_agents_print_does_not_come_between_json(
    workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    words = f"evaluate faulty_agents:Prints random --deals 4 --workers {workers} --json"
    assert main(words.split()) == SUCCESS
    captured = capfd.readouterr()
    assert json.loads(captured.out)["agents"] == ["faulty_agents:Prints", "random"]
    assert "here I am" in captured.err


@pytest.mark.parametrize("verb", ["evaluate", "crossplay"])
@pytest.mark.parametrize("agent", ["ExitsWhenMade", "RaisesWhenMade", "Speaks"])
def test_the_failure_of_an_agent_is_one_line_and_no_mistake_of_the_user(
    verb: str, agent: str, capsys: Captured
) -> None:
    words = [verb, f"faulty_agents:{agent}", "random", "--deals", "4"]
    assert main(words) == FAILURE
    (line,) = capsys.readouterr().err.splitlines()
    assert f"agent 'faulty_agents:{agent}' " in line


def test_nothing_that_runs_can_end_the_command_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(VERBS, "version", lambda words: sys.exit(0))
    assert main(["version"]) == FAILURE
    assert "SystemExit(0)" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["tournament no.toml --out x", "replay no.jsonl"])
def test_a_file_that_is_not_there_is_named_plainly(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == MISUSE
    verb, file = words.split()[:2]
    error = capsys.readouterr().err
    assert error.startswith(f"whist {verb}: {file}: No such file or directory (")


def test_evaluate_refuses_an_unknown_agent(capsys: Captured) -> None:
    assert main(["evaluate", "hoile", "random"]) == MISUSE
    assert "hoile" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "begins"), [("hand.svg", b"<svg"), ("new/hand.png", b"\x89PNG")]
)
def test_draw_writes_the_picture_of_a_deal(
    name: str, begins: bytes, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / name
    assert main(["draw", "whist", "--seed", "3", "--out", str(out)]) == SUCCESS
    assert capsys.readouterr().out.strip() == str(out)
    assert out.read_bytes().startswith(begins)


def test_draw_shows_all_hands_on_request(tmp_path: Path) -> None:
    shown = []
    for viewer in ("agent", "0", "all"):
        out = tmp_path / f"{viewer}.svg"
        words = ["draw", "whist", "--viewer", viewer, "--out", str(out)]
        assert main(words) == SUCCESS
        shown.append(out.read_text().count('aria-label="'))
    assert shown[0] < shown[2]
    assert shown[1] < shown[2]


def test_draw_refuses_a_format_that_it_does_not_write(
    tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "new" / "hand.gif"
    assert main(["draw", "whist", "--out", str(out)]) == MISUSE
    assert "must end in .svg or .png" in capsys.readouterr().err
    assert not out.parent.exists()


def test_draw_refuses_a_folder_in_place_of_a_file(
    tmp_path: Path, capsys: Captured
) -> None:
    folder = tmp_path / "hand.svg"
    folder.mkdir()
    assert main(["draw", "whist", "--out", str(folder)]) == MISUSE
    assert "this is a folder; name a file" in capsys.readouterr().err


def test_train_refuses_a_file_in_place_of_a_folder(
    tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "run"
    file.write_text("notes")
    assert main(["train", "whist", "--out", str(file), *QUICK_TRAINING]) == MISUSE
    assert "is a file; name a folder for the run" in capsys.readouterr().err
    assert file.read_text() == "notes"


def test_version_names_the_project_and_what_it_computes_with(
    capsys: Captured,
) -> None:
    assert main(["version", "--json"]) == SUCCESS
    versions = printed_json(capsys)
    assert versions["whist_env"] == whist_env.__version__
    assert {"python", "numpy", "numba", "torch"} < set(versions)
    assert main(["version"]) == SUCCESS
    assert f"whist_env {whist_env.__version__}" in capsys.readouterr().out


def test_train_names_the_agent_that_it_made(tmp_path: Path, capsys: Captured) -> None:
    run = str(tmp_path / "run")
    assert main(["train", "whist", "--out", run, *QUICK_TRAINING]) == SUCCESS
    agent = capsys.readouterr().out.strip()
    assert agent == f"net:{run}"
    assert main(["evaluate", agent, "random", "--deals", "4"]) == SUCCESS
    assert main(["train", "whist", "--out", run, *QUICK_TRAINING]) == MISUSE
    assert "--resume" in capsys.readouterr().err


def test_demo_trains_judges_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(whist_train.demo, "RUBBERS", 2)
    small = PPOConfig(
        tables=16, hidden=(16,), critic_hidden=(16,), lessons=0.0, critic_alone=0.0
    )
    quick = functools.partial(TrainConfig, ppo=small)
    monkeypatch.setattr(whist_train.demo, "TrainConfig", quick)
    out = tmp_path / "demo"
    earlier = out / "run" / "config.json"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("an earlier demonstration")
    assert main(["demo", "--out", str(out), "--minutes", "0.001"]) == SUCCESS
    printed = capsys.readouterr().out
    for opponent in ("random", "hoyle"):
        judged = Evaluation.from_json((out / f"against_{opponent}.json").read_text())
        assert judged.agents == (f"net:{out / 'run'}", opponent)
        assert judged.control.unequal == 0
        assert judged.options["episode"] == "rubber"
    assert (out / "hand.svg").read_text().startswith("<svg")
    for name in ("run", "against_random.json", "against_hoyle.json", "hand.svg"):
        assert f"\n{out / name}: " in printed


def test_the_hand_of_the_demonstration_stands_in_the_seventh_trick() -> None:
    table = whist_train.demo.hand_in_play("hoyle", seed=1)
    assert table.record.tricks_played == 6
    assert table.record.cards_in_trick == 3
