"""Replays: in a terminal, as a page of HTML, and as accounts of deals."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whist_env
from whist_env.records import (
    Episode,
    Recorder,
    read_jsonl,
    read_pbn,
    write_jsonl,
    write_pbn,
)
from whist_env.records.page import replay_page
from whist_env.records.telling import signed, steps_of
from whist_env.render.scene import Viewer
from whist_env.render.svg import table_svg
from whist_env.render.text import table_text
from whist_train.command_line import MISUSE, SUCCESS, main
from whist_train.evaluate import evaluate

COMMAND = Path(sys.executable).with_name("whist")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MEGABYTE = 10**6

Captured = pytest.CaptureFixture[str]


def recorded(name: str, seed: int = 1, actions: int = 10**6, **options: Any) -> Episode:
    """An episode of random play, or its first actions."""
    game = whist_env.game(name, **options)
    agents = ["ann", "<b>ben", "cleo", "dan", "eve", "finn"][: game.num_agents]
    recorder = Recorder(game, agents, seed)
    rng = np.random.default_rng(seed)
    while not recorder.table.is_over and actions > 0:
        recorder.apply(rng.choice(recorder.table.legal_actions()))
        actions -= 1
    return recorder.episode(board=12)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [
        recorded("whist"),
        recorded("omnibus_hearts"),
        recorded("bridge_whist"),
        recorded("whist", ranks=4),
    ]


@pytest.fixture(scope="module")
def file(episodes: list[Episode], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    write_jsonl(path, episodes)
    return str(path)


@pytest.fixture(scope="module")
def pages(episodes: list[Episode]) -> list[str]:
    return [replay_page(episode) for episode in episodes]


# What was done, in words --------------------------------------------------------------


def test_each_step_names_the_seat_and_the_card_and_its_trick(
    episodes: list[Episode],
) -> None:
    episode = episodes[0]
    steps = steps_of(episode, list(episode.replay()), "all")
    assert [step.what for step in steps] == [signed(name) for name in episode.actions]
    assert [step.trick for step in steps] == [1 + place // 4 for place in range(52)]
    record = episode.last_table().record
    assert [step.who for step in steps] == [
        f"player_{seat}" for seat in record.history_seats
    ]
    assert [step.earned for step in steps[:-1]] == [""] * 51
    first, second, *_ = episode.returns or ()
    assert steps[-1].earned == f"0 and 2 {first:+g}, 1 and 3 {second:+g}"


def test_cards_are_written_with_the_sign_of_their_suit() -> None:
    assert signed("SA") == "\N{BLACK SPADE SUIT}A"
    assert signed("demand_belle") == "demand belle"


def test_calls_belong_to_no_trick(episodes: list[Episode]) -> None:
    episode = episodes[2]
    steps = steps_of(episode, list(episode.replay()), "all")
    calls = len(episode.actions) - 52
    assert [step.trick for step in steps[: calls + 1]] == [0] * calls + [1]
    assert "dummy" not in {step.who for step in steps[:calls]}


def test_a_seat_is_not_told_what_others_pass(episodes: list[Episode]) -> None:
    episode = episodes[1]
    tables = list(episode.replay())
    steps = steps_of(episode, tables, 1)
    assert len(steps) == 64
    for step, name in zip(steps[:12], episode.actions, strict=False):
        own = step.who == "player_1"
        assert step.what == (signed(name) if own else "hidden card")
    assert [step.what for step in steps[12:]] == list(map(signed, episode.actions[12:]))


def hidden_demand(with_petite: bool) -> Recorder:
    """A table where the first player may demand in belle without naming it.

    Args:
        with_petite: whether the player holds cards of the other suit too, in which it
            could have demanded.
    """
    game = whist_env.game("french_boston")
    for seed in range(2000):
        recorder = Recorder(game, ["", "", "", ""], seed)
        names = [game.action_names[a] for a in recorder.table.legal_actions()]
        if (
            "demand_belle_hidden" in names
            and recorder.table.record.petite >= 0
            and ("demand_petite" in names) == with_petite
        ):
            return recorder
    raise AssertionError("there is no such deal")


@pytest.mark.parametrize("with_petite", [True, False])
def test_a_hidden_demand_of_french_boston_is_told_to_its_caller_alone(
    with_petite: bool,
) -> None:
    recorder = hidden_demand(with_petite)
    caller = recorder.table.agent
    recorder.apply(recorder.table.game.action_names.index("demand_belle_hidden"))
    recorder.apply(recorder.table.game.action_names.index("pass"))
    episode = recorder.episode()
    for viewer in range(4):
        demand, passed = steps_of(episode, list(episode.replay()), viewer)
        told = "demand belle hidden" if viewer == caller else "hidden call"
        assert demand.what == told
        assert passed.what == "pass"


def test_other_calls_are_told_to_all(episodes: list[Episode]) -> None:
    for episode in [episodes[2], recorded("boston"), recorded("russian_boston")]:
        tables = list(episode.replay())
        told = [
            [step.what for step in steps_of(episode, tables, viewer)]
            for viewer in ("all", 0, 1, 2, 3)
        ]
        hidden = {"hidden card"}
        for seen in told[1:]:
            assert all(
                a == b or b in hidden for a, b in zip(told[0], seen, strict=True)
            )


# In the terminal --------------------------------------------------------------------


def test_every_step_is_printed_where_nobody_can_type(
    file: str, episodes: list[Episode], capsys: Captured
) -> None:
    assert main(["replay", file]) == SUCCESS
    text = capsys.readouterr().out
    assert [int(n) for n in re.findall(r"^step (\d+) of 52: ", text, re.MULTILINE)] == [
        *range(53)
    ]
    for table in episodes[0].replay():
        assert table_text(table, "all") in text


def test_one_step_is_printed_on_request(
    file: str, episodes: list[Episode], capsys: Captured
) -> None:
    assert main(["replay", file, "--step", "17"]) == SUCCESS
    table = list(episodes[0].replay())[17]
    who = f"player_{table.record.history_seats[16]}"
    assert capsys.readouterr().out == (
        f"step 17 of 52: {who}: {signed(episodes[0].actions[16])}\n\n"
        f"{table_text(table, 'all')}\n"
    )


def test_a_seat_sees_its_own_hand_alone(
    file: str, episodes: list[Episode], capsys: Captured
) -> None:
    assert main(["replay", file, "--seat", "2", "--step", "0"]) == SUCCESS
    table = next(episodes[0].replay())
    text = capsys.readouterr().out
    assert table_text(table, 2) in text
    assert text.count("13 cards") == 2
    assert " and 12 cards" in text  # the dealer's turned card lies open


def test_another_episode_of_the_file_is_shown(file: str, capsys: Captured) -> None:
    assert main(["replay", file, "--episode", "2", "--step", "64"]) == SUCCESS
    assert "Omnibus Hearts, deal 1, the episode is over" in capsys.readouterr().out


def test_a_file_of_pbn_is_shown(
    episodes: list[Episode], tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "games.pbn"
    write_pbn(path, [episodes[0], episodes[2]])
    assert main(["replay", str(path), "--episode", "2", "--step", "1"]) == SUCCESS
    assert "Bridge Whist, deal 1" in capsys.readouterr().out


def test_damaged_lines_are_reported_and_not_counted(
    file: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"format":"whi\n' + Path(file).read_bytes())
    assert main(["replay", str(path), "--step", "0"]) == SUCCESS
    captured = capsys.readouterr()
    assert captured.err == f"whist replay: {path}, line 1 is damaged and was left out\n"
    assert captured.out.startswith("step 0 of 52: the beginning\n\nWhist, deal 1")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--episode", "9"], "--episode 9: {file} has 4 episodes"),
        (["--episode", "0"], "--episode 0: episodes are counted from 1"),
        (["--step", "53"], "--step 53: the steps are 0 to 52"),
        (["--step", "-1"], "--step -1: the steps are 0 to 52"),
        (["--seat", "4"], "--seat 4: the seats are 0 to 3"),
        (["--html", "out.html", "--dd"], "give --html or --dd, not both"),
        (["--html", "."], "--html .: this is a folder; name a file"),
        (["--html", "out.html", "--step", "1"], "--step has no meaning with --html"),
        (["--dd", "--seat", "1"], "--seat has no meaning with --dd"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    words: list[str], complaint: str, file: str, capsys: Captured
) -> None:
    assert main(["replay", file, *words]) == MISUSE
    assert complaint.format(file=file) in capsys.readouterr().err


def test_a_missing_file_and_a_folder_are_refused(
    tmp_path: Path, capsys: Captured
) -> None:
    assert main(["replay", str(tmp_path / "none.jsonl")]) == MISUSE
    assert main(["replay", str(tmp_path)]) == MISUSE
    missing, folder = capsys.readouterr().err.splitlines()
    assert "No such file or directory" in missing
    assert f"{tmp_path} is a folder; name a file of records" in folder


def test_an_illegal_record_is_refused_with_its_line(
    episodes: list[Episode], tmp_path: Path, capsys: Captured
) -> None:
    fields = json.loads(episodes[0].to_json())
    fields["actions"][1] = fields["actions"][0]
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(fields))
    assert main(["replay", str(path)]) == MISUSE
    error = capsys.readouterr().err
    assert f"{path}, line 1: action 2: player_" in error
    assert f"may not choose {fields['actions'][0]}: the hand does not hold" in error


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_viewer_at_a_terminal_steps_forward_and_back(file: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    words = [str(COMMAND), "replay", file, "--seat", "0", "--step", "3"]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    shown = []
    for answer in ("", "b", "b", "0", "b", "52", "", "x", "q"):
        shown.append(read_until(ours, "quit > "))
        os.write(ours, f"{answer}\n".encode())
    assert process.wait(timeout=30) == 0
    os.close(ours)
    steps = [int(re.findall(r"step (\d+) of 52", text)[0]) for text in shown]
    assert steps == [3, 4, 3, 2, 0, 0, 52, 52, 52]
    assert "This is the first step." in shown[5]
    assert "This is the last step." in shown[7]
    assert "'x' is none of these." in shown[8]


def read_until(terminal: int, end: str) -> str:
    """What a terminal shows up to some text."""
    text = b""
    while not text.endswith(end.encode()):
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, text
        text += os.read(terminal, 4096)
    return text.decode()


# As a page --------------------------------------------------------------------------


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r"const \{ nodes, views \} = (.*);\n", page)
    data: dict[str, Any] = json.loads(text)
    return data


def drawn(data: dict[str, Any], number: int) -> str:
    """As the script of the page puts a drawing together."""
    node = data["nodes"][number]
    if isinstance(node, str):
        return node
    return "".join(drawn(data, part) for part in node)


@pytest.mark.parametrize("which", range(3))
def test_the_page_holds_the_drawing_of_every_state_for_every_viewer(
    which: int, episodes: list[Episode], pages: list[str]
) -> None:
    episode = episodes[which]
    data = data_of(pages[which])
    viewers: list[Viewer] = ["all", *range(episode.game.num_agents)]
    names = ["all hands", "player 0", "player 1", "player 2", "player 3"]
    assert [view["name"] for view in data["views"]] == names
    tables = list(episode.replay())
    for viewer, view in zip(viewers, data["views"], strict=True):
        assert len(view["steps"]) == len(episode.actions)
        shown = [drawn(data, number) for number in view["states"]]
        assert shown == [table_svg(table, viewer) for table in tables]


def test_the_page_of_a_seat_shows_nothing_hidden_from_it(
    episodes: list[Episode],
) -> None:
    episode = episodes[1]
    page = replay_page(episode, 2)
    (view,) = data_of(page)["views"]
    assert view["name"] == "player 2"
    # Whose the cards passed are cannot be read off the list before they are played.
    passed = [what for _, _, who, what, _ in view["steps"][:12] if who != "player_2"]
    assert passed == ["hidden card"] * 9
    first = drawn(data_of(page), view["states"][0])
    assert first.count('role="img"') == 13
    for name in ("all hands", "player 1"):
        assert name not in json.dumps(view)


def test_the_seed_is_told_to_those_alone_who_see_all_hands() -> None:
    """Whoever has the seed can lay the same table, with all hands."""
    episode = recorded("whist", seed=8_472_619_305)
    assert "8472619305" in replay_page(episode)
    for seat in range(4):
        assert "8472619305" not in replay_page(episode, seat)


def test_the_page_needs_nothing_from_elsewhere(pages: list[str]) -> None:
    page = pages[0]
    addresses = set(re.findall(r"""https?:[^\s"'\\<>]+""", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert not re.search(r"\b(src|href)=", page)
    assert "@import" not in page
    assert "url(" not in page


def test_the_page_of_a_deal_is_small(pages: list[str]) -> None:
    for page in pages:
        assert len(page.encode()) < 0.4 * MEGABYTE


def test_names_are_shown_as_text(pages: list[str]) -> None:
    page = pages[0]
    assert "<dd>&lt;b&gt;ben</dd>" in page
    assert "<b>ben" not in page
    assert "<div><dt>board</dt><dd>12</dd></div>" in page


def test_the_page_is_written_to_the_file(
    file: str, episodes: list[Episode], tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "new" / "hand.html"
    assert main(["replay", file, "--seat", "1", "--html", str(out)]) == SUCCESS
    assert capsys.readouterr().out.strip() == str(out)
    assert out.read_text("utf-8") == replay_page(episodes[0], 1)


def dom(page: str, folder: Path, place: str = "", script: str = "") -> str:
    """The page as Chromium shows it, after a script has been run in it."""
    assert CHROMIUM is not None
    path = folder / "page.html"
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"))
    words = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update"),
        *(f"--user-data-dir={folder / 'profile'}", "--dump-dom"),
        f"{path.as_uri()}{place}",
    ]
    result = subprocess.run(
        words, capture_output=True, text=True, check=True, timeout=120
    )
    return result.stdout


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_the_step_of_the_address(
    episodes: list[Episode], pages: list[str], tmp_path: Path
) -> None:
    shown = dom(pages[0], tmp_path, "#17")
    table = list(episodes[0].replay())[17]
    title = re.findall(r"<title>.*?</title>", table_svg(table, "all"))
    assert title[0] in shown
    assert "step 17 of 52" in shown
    assert shown.count('aria-current="step"') == 1
    assert len(re.findall(r'<button data-step="\d+"', shown)) == 52


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_keys_and_buttons_step_through_the_page(
    episodes: list[Episode], pages: list[str], tmp_path: Path
) -> None:
    script = """{
      const seen = [];
      const note = () => seen.push(document.querySelector("#now small").textContent);
      for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight",
                         "Home", "ArrowLeft"]) {
        document.body.dispatchEvent(
          new KeyboardEvent("keydown", { key, bubbles: true }));
        note();
      }
      for (const id of ["on", "last", "back", "first"]) {
        document.getElementById(id).click();
        note();
      }
      document.querySelector('[data-step="9"]').click();
      note();
      const view = document.getElementById("view");
      view.value = "3";
      view.dispatchEvent(new Event("change"));
      note();
      const cards = document.querySelectorAll("#table [role=img]").length;
      document.title = seen.map((text) => text.split(" ")[1]).join(",") + ";" + cards;
    }"""
    shown = dom(pages[0], tmp_path, script=script)
    (title,) = re.findall(r"<head>.*?<title>(.*?)</title>", shown, re.DOTALL)
    steps, cards = title.split(";")
    assert steps == "1,2,1,52,52,0,0,1,52,51,0,9,9"
    table = list(episodes[0].replay())[9]
    svg = table_svg(table, 2)
    assert int(cards) == svg.count('role="img"') < 30


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_notebook_shows_the_page_in_a_frame(
    episodes: list[Episode], tmp_path: Path
) -> None:
    script = """
      document.querySelector("iframe").onload = (event) => {
        const page = event.target.contentDocument;
        page.getElementById("on").click();
        document.title = page.querySelector("#now small").textContent;
      };
    """
    cell = episodes[3]._repr_html_()
    shown = dom(f"<title></title><body>{cell}</body>", tmp_path, script=script)
    assert "<title>step 1 of 16</title>" in shown


# Accounts ---------------------------------------------------------------------------


def test_the_account_of_a_deal_is_printed(
    file: str, episodes: list[Episode], capsys: Captured
) -> None:
    assert main(["replay", file, "--episode", "4", "--dd"]) == SUCCESS
    text = capsys.readouterr().out
    assert text == f"deal 1\n\n{whist_env.account(episodes[3].last_table())}\n"
    par, own, others, result = map(
        int,
        re.findall(r"par (\d+) - own losses (\d+) \+ .* (\d+) = result (\d+)", text)[0],
    )
    assert par - own + others == result
    tricks = episodes[3].last_table().record.tricks_won
    assert result == tricks[0] + tricks[2]


def test_every_deal_of_an_episode_has_an_account(
    tmp_path: Path, capsys: Captured
) -> None:
    episode = recorded("whist", ranks=3, deals=3)
    write_jsonl(tmp_path / "games.jsonl", [episode])
    assert main(["replay", str(tmp_path / "games.jsonl"), "--dd"]) == SUCCESS
    text = capsys.readouterr().out
    assert re.findall(r"^deal (\d)$", text, re.MULTILINE) == ["1", "2", "3"]
    won = 0
    for side, result in re.findall(
        r"seats (\d) and \d\n.*= result (\d)$", text, re.MULTILINE
    ):
        won += int(result) if side == "0" else 3 - int(result)
    assert won == episode.last_table().record.tricks[0]


def test_a_deal_without_a_card_has_no_account(tmp_path: Path, capsys: Captured) -> None:
    write_jsonl(tmp_path / "games.jsonl", [recorded("whist", actions=0)])
    assert main(["replay", str(tmp_path / "games.jsonl"), "--dd"]) == MISUSE
    assert "no card was played in this deal yet" in capsys.readouterr().err


# What an evaluation records ---------------------------------------------------------


def test_an_evaluation_records_every_episode_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    judged = evaluate("hoyle", "random", deals=20, seed=7, records=path)
    read = list(read_jsonl(path))
    assert [(e.notes["board"], e.notes["room"]) for e in read] == [
        (board, room) for board in range(20) for room in (1, 2)
    ]
    hoyle, rand = judged.players
    for first, second in zip(read[::2], read[1::2], strict=True):
        assert first.agents == (hoyle, rand, hoyle, rand)
        assert second.agents == (rand, hoyle, rand, hoyle)
        assert first.start == second.start
    won = [
        episode.last_table().returns()[episode.agents.index(hoyle)] for episode in read
    ]
    assert np.mean(won) == pytest.approx(judged.estimates["points"].mean)


def test_records_of_an_evaluation_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, workers in zip(files, (1, 2), strict=True):
        words = f"evaluate hoyle random --rubbers 3 --seed 5 --workers {workers}"
        assert main([*words.split(), "--records", str(path), "--json"]) == SUCCESS
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sum(1 for _ in read_jsonl(files[0])) == 6


@pytest.mark.parametrize(
    ("name", "options"),
    [("polignac", {"players": 5}), ("bridge_whist", {}), ("boston", {})],
)
def test_evaluations_of_other_games_replay_too(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    evaluate("random", "random", game=name, deals=3, records=path, **options)
    read = list(read_jsonl(path))
    assert len(read) == 6
    for episode in read:
        episode.last_table()


def test_an_evaluation_finds_out_first_that_records_cannot_be_written(
    tmp_path: Path, capsys: Captured
) -> None:
    words = ["evaluate", "random", "random", "--deals", "4", "--records"]
    assert main([*words, str(tmp_path)]) == MISUSE
    assert "this is a folder; name a file" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main([*words, str(tmp_path / "file" / "games.jsonl")]) == MISUSE
    assert "File exists" in capsys.readouterr().err


def test_records_and_pages_make_the_folders_that_they_need(tmp_path: Path) -> None:
    records, page = tmp_path / "a" / "b" / "games.jsonl", tmp_path / "c" / "page.html"
    words = ["evaluate", "random", "random", "--deals", "2", "--records"]
    assert main([*words, str(records)]) == SUCCESS
    assert main(["replay", str(records), "--html", str(page)]) == SUCCESS
    write_pbn(tmp_path / "d" / "e" / "games.pbn", read_jsonl(records))
    assert len(list(read_pbn(tmp_path / "d" / "e" / "games.pbn"))) == 4
    assert page.exists()
