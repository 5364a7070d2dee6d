"""Reports: one page of HTML about a cup, which says what its records say."""

from __future__ import annotations

import collections
import dataclasses
import html
import html.parser
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

import whist_env
from whist_agents import SingleAgent
from whist_env import View
from whist_env.records import DamagedLine, read_jsonl
from whist_env.solver import sum_accounts
from whist_train.command_line import MISUSE, SUCCESS, main
from whist_train.report import (
    CupRecords,
    Report,
    costs,
    read_cup_records,
    report_page,
    write_report,
)
from whist_train.report.costs import costs_of
from whist_train.report.encounters import (
    against,
    boards_that_count,
    find_cycle,
    interaction,
    largest_swings,
    partners,
)
from whist_train.report.markup import Markup, element, shown
from whist_train.report.mistakes import faults_of
from whist_train.report.plots import bar_plot, in_seconds, interval_plot
from whist_train.report.times import times_of
from whist_train.statistics import Estimate
from whist_train.tournament import Cup, InProcess, Shard, play_cup, standings
from whist_train.tournament.ledger import Entry
from whist_train.tournament.play import step_of_time
from whist_train.tournament.schedule import rounds_known_beforehand

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HOSTILE = '<script>alert("x")</script>'
REPLY = '</pre><script src="http://evil.example/x.js"></script>\u202e&amp;'
EMPTY = ("meta", "br")

Captured = pytest.CaptureFixture[str]


class Hostile(SingleAgent):
    """Fails now and then, and says what would be harmful if it were markup."""

    def choose(self, view: View) -> int:
        if view.random % 8 == 0:
            raise RuntimeError(REPLY)
        return view.legal_actions()[0]


def cup(**changes: Any) -> Cup:
    usual: dict[str, Any] = {
        "name": "spring & summer",
        "format": "round robin",
        "agents": {"ann": "random", "ben": "greedy", HOSTILE: "test_report:Hostile"},
        "options": {"ranks": 4},
        "boards": 6,
        "seed": 5,
    }
    return Cup(**usual | changes)


def told(done: int, of: int) -> None:
    """Whoever hears of progress and does not care."""


def written(folder: Path, *others: Path, name: str = "report.html") -> str:
    """The page that is written about a cup."""
    write_report(read_cup_records([folder, *others]), folder / name, told)
    return (folder / name).read_text("utf-8")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    play_cup(cup(), folder, InProcess())
    return folder


@pytest.fixture(scope="module")
def page(whole: Path) -> str:
    return written(whole)


# Pages ------------------------------------------------------------------------------


class Elements(html.parser.HTMLParser):
    """The elements of a page, which must be nested as they should be.

    Attributes:
        found: the name and the attributes of each.
        tables: for each section the texts of the cells, row by row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = collections.defaultdict(list)
        self._open: list[str] = []
        self._section = ""

    @classmethod
    def of(cls, page: str) -> Self:
        elements = cls()
        elements.feed(page)
        elements.close()
        assert elements._open == []
        return elements

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.found.append((tag, attributes))
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "section":
            self._section = str(attributes["id"])
        if tag == "tr":
            self.tables[self._section].append([])
        if tag in ("td", "th"):
            self.tables[self._section][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self._open or "th" in self._open:
            self.tables[self._section][-1][-1] += data

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.found if tag == name]


def without_times(page: str) -> str:
    """The page without what differs from run to run."""
    return re.sub(r'<section id="time">.*?</section>', "", page, flags=re.DOTALL)


def test_the_standings_of_the_page_are_those_of_the_records(
    whole: Path, page: str
) -> None:
    rows = read_cup_records([whole]).standings.rows
    _, *shown_rows = Elements.of(page).tables["standings"]
    assert len(rows) == len(shown_rows) == 3
    for row, cells in zip(rows, shown_rows, strict=True):
        assert row.margin is not None
        assert cells[:8] == [
            str(row.rank),
            row.name,
            *map(str, (row.won, row.even, row.lost, row.boards)),
            f"{row.mean:+.3f}",
            f"{row.margin.low:+.3f} to {row.margin.high:+.3f}",
        ]
    assert "crash" in next(r for r in shown_rows if r[1] == HOSTILE)[8]


def test_the_page_names_what_was_played(page: str) -> None:
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert {
        ("Format", "round robin"),
        ("Game", "Whist"),
        ("Scoring", "awl"),
        ("Seed", "5"),
        ("Boards", "6 in each meeting"),
        ("ranks", "4"),
    } <= set(facts)
    assert f"whist_env {whist_env.__version__}" in page
    assert "<title>spring &amp; summer: round robin</title>" in page


def test_what_an_agent_says_is_text_and_no_markup(whole: Path, page: str) -> None:
    names = {name for name, _ in Elements.of(page).found}
    assert not names & {"script", "iframe", "img", "link", "object", "base", "form"}
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in page
    replies = re.findall(r"<pre>(.*?)</pre>", page)
    said = "RuntimeError: " + REPLY.replace("\u202e", r"\u202e")
    assert replies == [html.escape(said)]
    for path in (whole / "report-replays").iterdir():
        assert HOSTILE not in path.read_text("utf-8")


def test_the_page_needs_nothing_but_itself_and_its_replays(
    whole: Path, page: str
) -> None:
    elements = Elements.of(page)
    named = {attributes.get("id") for _, attributes in elements.found}
    replays = set()
    for _, attributes in elements.found:
        assert not {"src", "srcset", "action", "style", "onclick"} & attributes.keys()
        link = attributes.get("href") or "#standings"
        if link.startswith("#"):
            assert link[1:] in named
        else:
            replays.add(link)
    assert {(whole / link).resolve() for link in replays} == set(
        (whole / "report-replays").resolve().iterdir()
    )
    assert len(replays) >= 6
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in page
    assert "http" not in re.sub(r"http-equiv|http://evil", "", page)


def test_every_plot_says_in_words_what_it_shows(whole: Path, page: str) -> None:
    plots = Elements.of(page).named("svg")
    assert len(plots) >= 5
    assert all(plot["role"] == "img" and plot["aria-label"] for plot in plots)
    label = str(plots[0]["aria-label"])
    for row in read_cup_records([whole]).standings.rows:
        assert f"{row.name} {row.mean:+.3f} (" in label


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_phone_shows_the_page_without_scrolling_sideways(tmp_path: Path) -> None:
    long = cup(agents={"w" * 300: "random", "two words " * 30: "greedy"}, boards=2)
    play_cup(long, tmp_path, InProcess())
    style = "width:390px;height:20000px;border:0"
    frame = f'<iframe style="{style}" srcdoc="{html.escape(written(tmp_path))}">'
    script = """document.querySelector("iframe").onload = (event) => {
      const root = event.target.contentDocument.documentElement;
      document.title = `${root.clientWidth} ${root.scrollWidth}`;
    };"""
    (tmp_path / "phone.html").write_text(
        f"<title></title><body>{frame}</iframe><script>{script}</script></body>"
    )
    words = [
        *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu"),
        *("--no-first-run", "--disable-background-networking"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
        (tmp_path / "phone.html").as_uri(),
    ]
    dom = subprocess.run(words, capture_output=True, text=True, timeout=120).stdout
    assert "<title>390 390</title>" in dom


# The same records, the same page ----------------------------------------------------


def test_the_same_folder_gives_the_same_bytes(whole: Path, page: str) -> None:
    before = {p.name: p.read_bytes() for p in (whole / "report-replays").iterdir()}
    assert written(whole) == page
    after = {p.name: p.read_bytes() for p in (whole / "report-replays").iterdir()}
    assert before == after


def test_a_cup_that_was_resumed_has_the_same_page(
    whole: Path, page: str, tmp_path: Path
) -> None:
    for name in ("cup.json", "settled.json", "shard.txt", "weights.json"):
        if (whole / name).exists():
            shutil.copy(whole / name, tmp_path)
    complete = (whole / "records.jsonl").read_bytes()
    (tmp_path / "records.jsonl").write_bytes(complete[: len(complete) // 2])
    with pytest.warns(DamagedLine, match="is torn"):
        play_cup(cup(), tmp_path, InProcess())
    resumed = written(tmp_path)
    assert without_times(resumed) == without_times(page)
    assert len(without_times(page)) < len(page)
    replays = [whole / "report-replays", tmp_path / "report-replays"]
    first, second = ({p.name: p.read_bytes() for p in f.iterdir()} for f in replays)
    assert first == second


def test_shards_together_have_the_same_page(
    whole: Path, page: str, tmp_path: Path
) -> None:
    folders = [tmp_path / str(number) for number in (1, 2)]
    for number, folder in enumerate(folders, start=1):
        play_cup(cup(), folder, InProcess(), Shard(number, 2))
    assert without_times(written(*folders)) == without_times(page)
    sittings = read_cup_records(folders).sittings
    assert len(sittings) == len(read_cup_records([whole]).sittings) == 6


def test_a_damaged_line_of_the_log_is_reported_and_the_rest_counts(
    whole: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole, tmp_path / "copy")
    with open(tmp_path / "copy" / "log.jsonl", "ab") as file:
        file.write(b'{"round":1,"mee')
    with pytest.warns(DamagedLine, match=r"log.jsonl, line 7 is damaged"):
        records = read_cup_records([tmp_path / "copy"])
    assert times_of(records) == times_of(read_cup_records([whole]))


# Each against each ------------------------------------------------------------------


def in_two_rooms(
    made: Mapping[tuple[str, str], Sequence[float]], **changes: Any
) -> CupRecords:
    """The records of a cup in which the first of each two makes so much at boards."""
    names = list(dict.fromkeys(name for pair in made for name in pair))
    played = cup(agents=dict.fromkeys(names, "random"), **changes)
    entries = [
        Entry(
            (1, meeting, board, room + 1),
            *(2, pair, sides, tuple(pair[side] for side in sides)),
            *(tuple(-value if side else value for side in sides), (), False),
        )
        for meeting, (pair, values) in enumerate(made.items(), start=1)
        for board, value in enumerate(values, start=1)
        for room, sides in enumerate(((0, 1, 0, 1), (1, 0, 1, 0)))
    ]
    return CupRecords(standings(played, entries), tuple(entries), {}, ())


def page_of(records: CupRecords) -> str:
    """The page of records that are made up, without an account of deals."""
    nothing = costs_of(dataclasses.replace(records, entries=()), told)
    return report_page(Report.of(records, nothing), {})


def test_what_one_makes_against_all_is_what_it_makes_per_board(whole: Path) -> None:
    records = read_cup_records([whole])
    cells = against(records, boards_that_count(records))
    rows = records.standings.rows
    for row in rows:
        own = [cells[row.name, other.name].mean for other in rows if other != row]
        assert np.mean(own) == pytest.approx(row.mean)
    assert cells["ann", "ben"].mean == -cells["ben", "ann"].mean != 0


def test_the_cross_table_is_marked_by_sign_and_significance() -> None:
    made = {
        ("ann", "ben"): [3.0] * 12,
        ("ann", "cleo"): [1.0, -1.5] * 6,
        ("ben", "cleo"): [-1.0, -2.0, 0.5, -1.0],
    }
    page = page_of(in_two_rooms(made))
    head, *rows = Elements.of(page).tables["encounters"]
    assert head == ["", "1", "2", "3"]
    assert rows == [
        ["1 ann", "■", "-0.250±0.830", "+3.000**±0.000"],
        ["2 cleo", "+0.250±0.830", "■", "+0.875±1.640"],
        ["3 ben", "-3.000**±0.000", "-0.875±1.640", "■"],
    ]
    assert page.count('<td class="up sure">') == page.count('class="down sure"') == 1
    likely = page_of(in_two_rooms({("ann", "ben"): [1.0, 2.0, 1.5, 0.5]}))
    assert re.findall(r'<td class="(up|down)">(.*?)<small', likely) == [
        ("up", "+1.250*"),
        ("down", "-1.250*"),
    ]


def test_the_largest_cycle_is_told_with_its_margins() -> None:
    made = {
        ("ann", "ben"): [1.0, 3.0],
        ("ben", "cleo"): [2.0, 4.0],
        ("ann", "cleo"): [-1.0, -1.0],
    }
    records = in_two_rooms(made)
    cells = against(records, boards_that_count(records))
    assert find_cycle(["cleo", "ben", "ann"], cells) == ["cleo", "ann", "ben"]
    page = page_of(records)
    assert "cleo beats ann by +1.000 (" in page
    assert "ann beats ben by +2.000 (" in page
    assert "ben beats cleo by +3.000 (" in page
    in_order = page_of(in_two_rooms(made | {("ann", "cleo"): [1.0, 1.0]}))
    assert "no three beat one another in a circle" in in_order


def test_a_board_that_lacks_a_room_does_not_count() -> None:
    records = in_two_rooms({("ann", "ben"): [1.0, 2.0]})
    torn = dataclasses.replace(records, entries=records.entries[:-1])
    assert [board.number for board in boards_that_count(torn)] == [1]
    page = page_of(torn)
    assert "not played in all their rooms, which do not count: 1." in page


def test_swings_are_the_boards_of_which_most_was_made() -> None:
    records = in_two_rooms({("ann", "ben"): [1.0, -4.0, 0.0, 2.0, 4.5, 0.5, -3.0, 0.2]})
    swings = largest_swings(boards_that_count(records))
    assert [board.number for board in swings] == [5, 2, 7, 4, 1]
    entries = [
        entry._replace(forfeited=entry.key[2:] == (5, 2)) for entry in records.entries
    ]
    forfeited = dataclasses.replace(records, entries=tuple(entries))
    swings = largest_swings(boards_that_count(forfeited))
    assert [board.number for board in swings] == [2, 7, 4, 1, 6]


# Partners ---------------------------------------------------------------------------


def of_single_players(
    strengths: Mapping[str, float], bonus: Mapping[frozenset[str], float]
) -> CupRecords:
    """An individual cup in which partners make what a model says, and some noise."""
    played = cup(
        format="individual", agents=dict.fromkeys(strengths, "random"), boards=8
    )
    noise = np.random.default_rng(1)
    entries = []
    for meeting in (
        m for meetings in rounds_known_beforehand(played) for m in meetings
    ):
        for board in range(1, 9):
            extra = 0.1 * noise.standard_normal()
            for room, seats in enumerate(meeting.rooms, start=1):
                made = [
                    (strengths[own] + strengths[partner]) / 2
                    + bonus.get(frozenset({own, partner}), 0.0)
                    for own, partner in zip(seats, seats[2:] + seats[:2], strict=True)
                ]
                first = made[0] - made[1] + extra * (-1) ** (room + 1)
                returns = (first, -first, first, -first)
                key = (meeting.round, meeting.number, board, room)
                entries.append(Entry(key, 4, (), (), seats, returns, (), False))
    return CupRecords(standings(played, entries), tuple(entries), {}, ())


def test_strength_and_interaction_are_found_again() -> None:
    strengths = {"a": 1.5, "b": 0.5, "c": 0.0, "d": -0.5, "e": -0.5, "f": -1.0}
    records = of_single_players(strengths, {frozenset("ae"): 0.8})
    found = interaction(records, boards_that_count(records))
    assert found is not None
    best = max(found.pairs, key=lambda pair: found.pairs[pair].mean)
    assert best == ("a", "e")
    assert found.pairs[best].low > 0.3
    plain = of_single_players(strengths, {})
    additive = interaction(plain, boards_that_count(plain))
    assert additive is not None
    for name, strength in strengths.items():
        assert additive.strengths[name].mean == pytest.approx(strength, abs=0.1)
    assert all(abs(figure.mean) < 0.1 for figure in additive.pairs.values())
    rows = Elements.of(page_of(plain)).tables["partners"]
    assert ["a", f"{additive.strengths['a'].mean:+.3f}"] in [row[:2] for row in rows]


def test_what_partners_made_is_in_a_table_of_its_own() -> None:
    records = of_single_players(dict.fromkeys("abcd", 0.0) | {"a": 2.0}, {})
    cells = partners(records, boards_that_count(records))
    assert len(cells) == 12
    assert all((cell.mean > 0.5) == ("a" in pair) for pair, cell in cells.items())
    assert cells["a", "b"].mean == cells["b", "a"].mean


def test_four_players_are_too_few_to_tell_partnerships_from_players() -> None:
    records = of_single_players(dict.fromkeys("abcd", 0.0), {})
    assert interaction(records, boards_that_count(records)) is None
    assert "needs as many finished meetings as there are players" in page_of(records)


def test_a_cup_of_agents_with_themselves_has_no_interaction(page: str) -> None:
    assert "Both partners were the same agent throughout" in page


# What cards have cost ---------------------------------------------------------------


def test_costs_are_the_sum_of_the_accounts(tmp_path: Path) -> None:
    play_cup(cup(agents={"ann": "random", "ben": "greedy"}), tmp_path, InProcess())
    heard: list[tuple[int, int]] = []
    found = costs_of(
        read_cup_records([tmp_path]), lambda done, of: heard.append((done, of))
    )
    episodes = list(read_jsonl(tmp_path / "records.jsonl"))
    accounts = [whist_env.account(episode.last_table()) for episode in episodes]
    expected = sum_accounts(accounts, [episode.agents for episode in episodes])
    assert found.sums == expected
    assert heard == [(done, 12) for done in range(13)]
    total = expected.total["ann"]
    estimate = found.lost["ann"]
    assert estimate is not None
    assert total.regret > 0
    assert estimate.mean == pytest.approx(100 * total.regret / total.cards)
    head, *rows = Elements.of(written(tmp_path)).tables["costs"]
    assert head[:7] == [
        *("agent", "deals", "cards", "cost", "95% interval", "mistakes", "lead")
    ]
    lead = expected.by_role["ann", "lead"]
    own = next(row for row in rows if row[0] == "ann")
    assert own[1:4] == ["12", "96", f"{estimate.mean:.1f}"]
    assert own[6] == f"{100 * lead.regret / lead.cards:.1f}"


def test_the_sample_of_deals_is_evenly_spaced_for_each_agent(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "DEALS", 3)
    records = read_cup_records([whole])
    sample = costs._sample(records)
    played = [entry for entry in records.entries if not entry.forfeited]
    expected = set()
    for name in records.cup.agents:
        own = [entry.key for entry in played if name in entry.agents]
        expected |= {own[0], own[len(own) // 3], own[2 * len(own) // 3]}
    assert {entry.key for entry in sample} == expected
    assert 3 <= len(sample) <= 9


def test_deals_that_take_too_much_work_are_left_out_with_the_reason(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "POSITIONS", 1)
    records = read_cup_records([whole])
    found = costs_of(records, told)
    assert (found.judged, found.chosen > 0) == (0, True)
    page = report_page(Report.of(records, found), {})
    assert f"Left out: none of {found.chosen} deals can be judged" in page
    assert "not solved after 1 positions" in page


def test_a_deal_that_takes_too_much_work_is_judged_from_its_last_tricks(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "POSITIONS", 8)
    monkeypatch.setattr(costs, "LATE", 1)
    found = costs_of(read_cup_records([whole]), told)
    assert 0 < found.late <= found.judged == found.chosen
    counted = collections.Counter[int]()
    for (_, trick), tally in found.sums.by_trick.items():
        counted[trick] += tally.cards
    assert counted[4] == 4 * found.judged
    assert counted[1] == 4 * (found.judged - found.late)


# Faults and times -------------------------------------------------------------------


def test_faults_are_counted_by_agent_and_kind(whole: Path, page: str) -> None:
    records = read_cup_records([whole])
    faults = faults_of(records)
    row = next(row for row in records.standings.rows if row.name == HOSTILE)
    assert faults.counts == {(HOSTILE, "crash"): row.faults["crash"]}
    assert Elements.of(page).tables["faults"] == [
        ["agent", "crash"],
        [HOSTILE, str(row.faults["crash"])],
    ]
    (first,) = faults.shown
    assert first.key == min(e.key for e in records.entries if e.faults)


def test_times_are_those_of_the_log() -> None:
    def agent(name: str, longest: float, *times: tuple[float, int]) -> dict[str, Any]:
        return {
            "name": name,
            "actions": sum(count for _, count in times),
            "seconds": sum(seconds * count for seconds, count in times),
            "longest": longest,
            "counts": [(step_of_time(seconds), count) for seconds, count in times],
        }

    # Half of all actions take 20 ms, whatever the means of sittings are.
    agents = [
        [agent("ann", 0.03, (0.002, 40))],
        [agent("ann", 1.25, (0.02, 50), (0.9, 6)), agent("ben", 0.0)],
        [agent("ann", 1.25, (1.25, 4))],
    ]
    records = in_two_rooms({("ann", "ben"): [1.0, 2.0]})
    log = tuple({"agents": sitting} for sitting in agents)
    (use,) = times_of(dataclasses.replace(records, sittings=log))
    assert (use.name, use.actions, use.longest) == ("ann", 100, 1.25)
    assert use.total == pytest.approx(11.48)
    assert (use.median, use.high) == pytest.approx((0.02, 0.9), rel=0.06)
    rows = Elements.of(page_of(dataclasses.replace(records, sittings=log))).tables
    assert rows["time"][1] == ["ann", "100", "11.5 s", "21.1 ms", "944 ms", "1.25 s"]
    assert "There is no log of times" in page_of(records)


# Parts ------------------------------------------------------------------------------


def test_text_is_escaped_and_signs_without_a_picture_are_named() -> None:
    assert shown("a<b>&\"'\n") == "a&lt;b&gt;&amp;&quot;&#x27;\n"
    assert shown("\x00\x1b\u202e\ud800é") == r"\x00\x1b\u202e\ud800é"
    made = element("p", "<i>", element("b", "x"), class_='"', aria_label=None)
    assert made == '<p class="&quot;">&lt;i&gt;<b>x</b></p>'
    assert isinstance(made, Markup)


def test_points_and_intervals_are_where_their_values_are() -> None:
    margin = Estimate(1.0, 0.5, -0.5, 2.5, 0.1)
    plot = interval_plot("made", [("ann", 1.0, margin), ("ben", -3.0, None)])
    ticks = {
        float(text): float(x)
        for x, text in re.findall(r'<text x="([\d.]+)%"[^>]*class="tick">(.*?)<', plot)
    }
    values, places = list(ticks), list(ticks.values())
    slope, start = np.polyfit(values, places, 1)
    assert np.polyval([slope, start], values) == pytest.approx(places, abs=0.02)
    points = [float(x) for x in re.findall(r'<circle cx="([\d.]+)%"', plot)]
    assert points == pytest.approx([start + slope, start - 3 * slope], abs=0.02)
    reach = re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%"[^>]*class="reach"', plot)
    ends = [float(x) for x in reach[0]]
    assert ends == pytest.approx([start - 0.5 * slope, start + 2.5 * slope], abs=0.02)
    assert all(0 <= x <= 100 for x in [*places, *points, *ends])


def test_bars_are_as_high_as_their_values() -> None:
    plot = bar_plot("costs", [0.0, 5.0, 10.0], 20.0)
    heights = [float(h) for h in re.findall(r'<rect[^>]*height="([\d.]+)"', plot)]
    assert heights == [0, 18, 36]


def test_times_are_written_in_a_unit_in_which_they_can_be_read() -> None:
    written = [in_seconds(value) for value in (0, 2.5e-6, 0.00099999, 0.042, 1, 75.2)]
    assert written == ["0 µs", "2.5 µs", "1 ms", "42 ms", "1 s", "75.2 s"]


# The command ------------------------------------------------------------------------


def test_the_command_prints_the_standings_and_writes_the_page(
    whole: Path, page: str, tmp_path: Path, capsys: Captured
) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(whole, folder)
    shutil.rmtree(folder / "report-replays")
    (folder / "report.html").unlink()
    assert main(["report", str(folder), "--json"]) == SUCCESS
    assert json.loads(capsys.readouterr().out)["episodes"] == 36
    assert not (folder / "report.html").exists()
    assert main(["report", str(folder)]) == SUCCESS
    captured = capsys.readouterr()
    assert "spring & summer: round robin" in captured.out
    assert str(folder / "report.html") in captured.err.replace("\n", "")
    assert (folder / "report.html").read_text("utf-8") == page


def test_the_page_of_several_folders_goes_where_it_is_asked_for(
    whole: Path, tmp_path: Path, capsys: Captured
) -> None:
    folders = [str(whole), str(whole)]
    assert main(["report", *folders]) == MISUSE
    assert "--out must name the file" in capsys.readouterr().err
    out = tmp_path / "new" / "my cup.html"
    assert main(["report", *folders, "--out", str(out)]) == SUCCESS
    links = re.findall(r'href="(my%20cup-replays/[^"]+)"', out.read_text("utf-8"))
    assert len(links) >= 6
    assert all((out.parent / link.replace("%20", " ")).exists() for link in links)
    assert main(["report", *folders, "--out", str(tmp_path)]) == MISUSE
    assert "this is a folder; name a file" in capsys.readouterr().err
    assert main(["report", *folders, "--out", str(out), "--json"]) == MISUSE
    assert "not both" in capsys.readouterr().err
