"""Records: what is written is what was played, and what is read was possible."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playthrough import WAYS

import whist_env
from whist_env import Game, IllegalAction, Table
from whist_env.cards import card_name, parse_deal
from whist_env.engine.random import split_mix
from whist_env.records import (
    DamagedLine,
    DamagedRecord,
    Episode,
    Fault,
    Recorder,
    RecordError,
    from_pbn,
    read_jsonl,
    read_pbn,
    to_pbn,
    write_jsonl,
    write_pbn,
)
from whist_env.records.pbn import GAMES, single_deals
from whist_env.records.pbn_syntax import parse_games

SCHEMA = Path(__file__).parent.parent / "docs" / "episode.schema.json"
WHIST = whist_env.game("whist")
NAMES = ("ann", "ben", "cleo", "dan", "eve", "finn")
DEAL = "N:AKQJ.T98.765.432 T987.AKQJ.432.65 65.7654.AKQJ.T98 432.32.T98.AKQJ7"
FORMS = [(name, options) for name, ways in WAYS.items() for options in ways]


def choice(table: Table, salt: int = 0) -> int:
    """A legal action that depends on the number of the action alone."""
    legal = table.legal_actions()
    bits = split_mix(np.uint64(salt), int(table.record.actions_taken))
    return legal[int(bits) % len(legal)]


def recorder_of(game: Game, seed: int = 1) -> Recorder:
    return Recorder(game, NAMES[: game.num_agents], seed)


def play(recorder: Recorder, actions: int | None = None) -> Episode:
    """Play to the end of the episode, or only so many actions."""
    while not recorder.table.is_over and actions != 0:
        recorder.apply(choice(recorder.table))
        actions = None if actions is None else actions - 1
    return recorder.episode()


def whist_episode(seed: int = 1, actions: int | None = None) -> Episode:
    return play(recorder_of(WHIST, seed), actions)


def changed(episode: Episode, **fields: Any) -> str:
    """The record of an episode, with some of its fields changed."""
    return json.dumps(json.loads(episode.to_json()) | fields)


# Round trips ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), FORMS, ids=str)
def test_an_episode_of_any_game_comes_back_as_it_was_played(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    recorder = recorder_of(whist_env.game(name, **options))
    episode = play(recorder)
    file = tmp_path / "games.jsonl"
    write_jsonl(file, [episode])
    (read,) = read_jsonl(file)
    assert read == episode
    assert read.game == recorder.table.game
    assert read.returns == tuple(recorder.table.returns())
    assert read.last_table() == recorder.table


def test_each_table_of_a_replay_is_the_one_that_was_played_at() -> None:
    recorder = recorder_of(WHIST)
    played = [recorder.table.clone()]
    while not recorder.table.is_over:
        recorder.apply(choice(recorder.table))
        played.append(recorder.table.clone())
    assert list(recorder.episode().replay()) == played


def test_the_next_episode_of_a_stream_is_laid_again_to_the_byte(
    tmp_path: Path,
) -> None:
    game = whist_env.game("whist", deals=2)
    recorder = recorder_of(game)
    episodes = []
    for _ in range(3):
        episodes.append(play(recorder))
        assert episodes[-1].last_table() == recorder.table
        recorder.reset()
    assert [episode.start.deals for episode in episodes] == [0, 2, 4]
    assert [episode.start.actions for episode in episodes] == [0, 104, 208]
    write_jsonl(tmp_path / "games.jsonl", episodes)
    assert list(read_jsonl(tmp_path / "games.jsonl")) == episodes


@pytest.mark.parametrize(
    ("name", "options", "position"),
    [
        ("whist", {}, {"deal": DEAL, "turned": "SA", "dealer": 0}),
        (
            "whist",
            {"scoring": "short5", "episode": "rubber"},
            {"scores": [np.int64(3), 0], "games": (0, 1)},
        ),
        ("boston", {}, {"cut": "H7", "pool": np.int64(40)}),
        ("german_whist", {}, {"dealer": 1}),
        ("slobberhannes", {"episode": "game"}, {"scores": (1, 2, 3, 4)}),
    ],
)
def test_an_episode_from_a_position_comes_back(
    name: str, options: dict[str, Any], position: dict[str, Any]
) -> None:
    recorder = recorder_of(whist_env.game(name, **options))
    recorder.reset(seed=9, **position)
    episode = play(recorder)
    again = Episode.from_json(episode.to_json())
    assert again == episode
    assert again.last_table() == recorder.table
    assert set(again.start.position) == set(position)


def test_the_largest_seed_loses_no_digit() -> None:
    seed = 2**64 - 1
    episode = whist_episode(seed, actions=3)
    assert json.loads(episode.to_json())["start"]["seed"] == "18446744073709551615"
    assert Episode.from_json(episode.to_json()).start.seed == seed


def test_an_unfinished_episode_has_no_returns_and_comes_back() -> None:
    episode = whist_episode(actions=30)
    assert (episode.returns, len(episode.actions)) == (None, 30)
    again = Episode.from_json(episode.to_json())
    assert again == episode
    assert again.last_table().record.cards_played == 30


def test_a_forfeit_is_recorded_and_replayed() -> None:
    recorder = recorder_of(WHIST)
    play(recorder, 5)
    recorder.forfeit()
    episode = Episode.from_json(recorder.episode().to_json())
    assert episode.forfeit
    assert episode.returns == tuple(recorder.table.returns())
    tables = list(episode.replay())
    assert len(tables) == 7
    assert tables[-1] == recorder.table


def test_times_faults_and_notes_come_back() -> None:
    recorder = recorder_of(WHIST)
    play(recorder, 2)
    fault = Fault(2, 3, "illegal", 'card "S1"\n')
    episode = recorder.episode(times=[0.5, 2], faults=[fault], board=7, event="Café ♠")
    again = Episode.from_json(episode.to_json())
    assert again == episode
    assert (again.times, again.faults) == ((0.5, 2), (fault,))
    assert again.notes == {"board": 7, "event": "Café ♠"}


def test_an_illegal_action_is_not_recorded() -> None:
    recorder = recorder_of(WHIST)
    held = recorder.table.legal_actions()
    with pytest.raises(IllegalAction):
        recorder.apply(next(card for card in range(52) if card not in held))
    assert recorder.episode().actions == ()


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**70), salt=st.integers(0, 2**60), length=st.integers(0, 60)
)
def test_any_part_of_a_play_comes_back(seed: int, salt: int, length: int) -> None:
    recorder = recorder_of(WHIST, seed)
    for _ in range(length):
        if not recorder.table.is_over:
            recorder.apply(choice(recorder.table, salt))
    episode = Episode.from_json(recorder.episode().to_json())
    assert episode == recorder.episode()
    assert episode.last_table() == recorder.table
    (deal,) = single_deals(episode)
    (again,) = from_pbn(to_pbn([episode]))
    assert (again.actions, again.returns) == (episode.actions, episode.returns)
    assert again.start == deal.start


# Files ------------------------------------------------------------------------------


def test_a_line_is_one_object_that_fits_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    recorder = recorder_of(whist_env.game("omnibus_hearts", players=6))
    episodes = [
        play(recorder),
        recorder.episode(
            times=[0.25] * len(recorder.episode().actions),
            faults=[Fault(1, 5, "timeout")],
            board=3,
        ),
        whist_episode(actions=1),
    ]
    recorder.reset(dealer=2)
    recorder.forfeit()
    for episode in [*episodes, recorder.episode()]:
        line = episode.to_json()
        assert "\n" not in line
        jsonschema.validate(json.loads(line), schema)


def test_a_file_only_grows(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    write_jsonl(file, [whist_episode(1)])
    before = file.read_bytes()
    write_jsonl(file, (whist_episode(seed) for seed in (2, 3)))
    assert file.read_bytes().startswith(before)
    assert [episode.start.seed for episode in read_jsonl(file)] == [1, 2, 3]


@pytest.mark.parametrize("cut", [1, 2, 100])
def test_a_torn_last_line_is_reported_and_the_rest_is_kept(
    cut: int, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    write_jsonl(file, map(whist_episode, (1, 2)))
    file.write_bytes(file.read_bytes()[:-cut])
    if cut == 1:  # only the end of the line is missing, and nothing of the record
        assert len(list(read_jsonl(file))) == 2
    else:
        with pytest.warns(DamagedLine, match=r"games\.jsonl, line 2 is damaged"):
            assert len(list(read_jsonl(file))) == 1


def test_what_is_written_after_a_torn_line_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    write_jsonl(file, map(whist_episode, (1, 2)))
    torn = file.read_bytes()[:-40]
    file.write_bytes(torn)
    write_jsonl(file, [whist_episode(3)])
    assert file.read_bytes().startswith(torn)
    with pytest.warns(DamagedLine, match="line 2"):
        seeds = [episode.start.seed for episode in read_jsonl(file)]
    assert seeds == [1, 3]


@pytest.mark.parametrize(
    "garbage", [b"\x00" * 50, b"\xff\xfe", b"{", b"[" * 100_000, b"no JSON"]
)
def test_garbage_in_the_middle_is_reported_and_the_rest_is_kept(
    garbage: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    line = whist_episode().to_json().encode()
    file.write_bytes(b"\n".join([line, garbage, b"", line]))
    with pytest.warns(DamagedLine, match="line 2"):
        assert len(list(read_jsonl(file))) == 2


def test_a_file_that_is_whole_gives_no_warning(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "games.jsonl", [whist_episode()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(read_jsonl(tmp_path / "games.jsonl"))) == 1


def test_an_empty_file_has_no_episodes(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "games.jsonl", [])
    assert list(read_jsonl(tmp_path / "games.jsonl")) == []


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"format": "chess"}, 'no record: it has no "format":"whist_env.episode"'),
        ({"version": 2}, "version 2 of the format, and this program reads version 1"),
        ({"game": "wist"}, "no game 'wist' (did you mean 'whist'?)"),
        ({"game": 7}, "game must be a text, not 7"),
        (
            {"options": {"scorin": "awl"}},
            "no option 'scorin' (did you mean 'scoring'?)",
        ),
        ({"options": {"scoring": "awful"}}, "scoring='awful' is not a value"),
        ({"options": {"scoring": []}}, "scoring=[] is not a value"),
        ({"options": []}, "options must be an object, not []"),
        ({"start": {}}, 'seed=None must be a text of digits, such as "7"'),
        ({"start": {"seed": 7}}, 'seed=7 must be a text of digits, such as "7"'),
        ({"start": {"seed": str(2**64)}}, "must be a whole number from 0 to"),
        ({"start": {"seed": "1", "deals": -1}}, "deals=-1 must be a whole number"),
        ({"start": {"seed": "1", "dels": 1}}, "'dels' (did you mean 'deals'?)"),
        ({"agents": ["ann", "ben"]}, "must be 4 texts"),
        ({"agents": ["ann", "ben", "cleo", 4]}, "must be 4 texts"),
        ({"agents": "abcd"}, "agents must be a list, not 'abcd'"),
        ({"actions": ["SA", "S1"]}, "action 2: 'S1' is not an action of whist"),
        ({"actions": ["pass"]}, "action 1: 'pass' is not an action of whist"),
        ({"actions": [0]}, "action 1: 0 is not an action of whist"),
        ({"returns": [1, -1]}, "returns=[1, -1] must be 4 numbers"),
        ({"returns": [True, 0, 0, 0]}, "must be 4 numbers"),
        ({"forfeit": 1}, "forfeit=1 must be true or false"),
        ({"forfeit": True, "returns": None}, "forfeited is over and has returns"),
        ({"times": [1.0]}, "times=[1.0] must be 52 numbers"),
        ({"faults": [{"action": 1}]}, "the part of a fault 'agent' is missing"),
        ({"faults": [{"action": 1, "agent": 4, "kind": "x"}]}, "an agent from 0 to 3"),
        ({"notes": {"board": [1]}}, "the note 'board' is [1]"),
        ({"note": {}}, "no field 'note' (did you mean 'notes'?)"),
    ],
)
def test_a_wrong_record_is_refused_with_what_is_wrong(
    fields: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    good = whist_episode()
    file.write_text(good.to_json() + "\n" + changed(good, **fields) + "\n")
    episodes = read_jsonl(file)
    assert next(episodes) == good
    with pytest.raises(RecordError) as refused:
        next(episodes)
    assert str(refused.value).startswith(f"{file}, line 2: ")
    assert complaint in str(refused.value)


@pytest.mark.parametrize("field", ["game", "options", "start", "agents", "actions"])
def test_a_record_without_a_field_is_refused(field: str) -> None:
    fields = json.loads(whist_episode().to_json())
    del fields[field]
    with pytest.raises(RecordError, match=f"the field '{field}' is missing"):
        Episode.from_json(json.dumps(fields))


@pytest.mark.parametrize("text", ["", "{", "1 2", "]"])
def test_a_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(DamagedRecord, match="this is no JSON"):
        Episode.from_json(text)


@pytest.mark.parametrize("text", ["1", "[]", "null", '{"a": 1}', '{"a": NaN}'])
def test_json_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match=r"no record|not a number of JSON"):
        Episode.from_json(text)


def test_an_illegal_action_is_refused_with_line_number_and_reason(
    tmp_path: Path,
) -> None:
    episode = whist_episode()
    before, table = list(episode.replay())[4:6]
    assert before.record.cards_in_trick == 0
    not_held = next(
        card
        for card in range(52)
        if not int(table.record.hands[table.agent]) >> card & 1
    )
    actions = [*episode.actions[:5], card_name(not_held), *episode.actions[6:]]
    file = tmp_path / "games.jsonl"
    file.write_text("\n" + changed(episode, actions=actions))
    (read,) = read_jsonl(file)
    tables = read.replay()
    assert [next(tables).record.cards_played for _ in range(6)] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RecordError) as refused:
        next(tables)
    assert str(refused.value) == (
        f"{file}, line 2: action 6: player_{table.agent} may not choose "
        f"{card_name(not_held)}: the hand does not hold {card_name(not_held)}"
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            lambda e: {"returns": [0, 0, 0, 0]},
            r"its returns are \[0, 0, 0, 0\], but its",
        ),
        (lambda e: {"returns": None}, "no returns, but the episode is over"),
        (
            lambda e: {"actions": e.actions[:-1]},
            "after action 51 the episode is not over",
        ),
        (lambda e: {"actions": [*e.actions, "SA"]}, "action 53: the episode is over"),
        (lambda e: {"forfeit": True}, "nobody can forfeit after action 52"),
        (
            lambda e: {"start": {"seed": "1", "position": {"deal": "N:"}}},
            "it cannot begin: 'N:' is not a deal",
        ),
        (
            lambda e: {"start": {"seed": "1", "position": {"talon": "S2"}}},
            "it cannot begin: there is no 'talon' to begin from",
        ),
    ],
)
def test_an_episode_that_the_rules_contradict_is_refused(
    change: Callable[[Episode], dict[str, Any]], complaint: str
) -> None:
    episode = whist_episode()
    other = Episode.from_json(changed(episode, **change(episode)))
    with pytest.raises(RecordError, match=complaint):
        list(other.replay())


def test_another_seed_is_another_episode() -> None:
    episode = whist_episode(1)
    other = Episode.from_json(changed(episode, start={"seed": "2"}))
    with pytest.raises(RecordError, match=r"may not choose|its returns are"):
        other.last_table()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_record_is_refused_and_nothing_else_happens(
    data: st.DataObject,
) -> None:
    text = whist_episode().to_json()
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    damaged = text[:place] + letter + text[place + 1 :]
    try:
        episode = Episode.from_json(damaged)
        episode.last_table()
    except RecordError:
        return
    # What passes all checks was played as it says: a name or an option was changed.
    assert episode.actions == whist_episode().actions


# Portable Bridge Notation -----------------------------------------------------------


NOTATION_FORMS = [
    *(form for form in FORMS if form[0] in ("whist", "bridge_whist")),
    ("whist", {"revokes": "penalty", "scoring": "short5"}),
    ("bridge_whist", {"max_trick_value": None, "notrump_value": 12}),
]


@pytest.mark.parametrize(("name", "options"), NOTATION_FORMS, ids=str)
def test_deals_of_an_episode_come_back_from_pbn(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    game = whist_env.game(name, **options)
    episode = play(recorder_of(game))
    file = tmp_path / "games.pbn"
    write_pbn(file, [episode])
    read = read_pbn(file)
    deals = list(single_deals(episode))
    assert len(deals) == len(read) == episode.last_table().record.deals_played
    for deal, again in zip(deals, read, strict=True):
        assert again.game == deal.game
        assert (again.start, again.agents) == (deal.start, deal.agents)
        assert (again.actions, again.returns) == (deal.actions, deal.returns)
        assert again.returns is not None
    assert tuple(a for deal in read for a in deal.actions) == episode.actions
    assert to_pbn(read) == file.read_text()


def test_the_returns_of_deals_with_running_totals_add_up() -> None:
    episode = play(recorder_of(whist_env.game("whist", scoring="robber", deals=3)))
    deals = from_pbn(to_pbn([episode]))
    assert len(deals) == 3
    total = np.sum([deal.returns for deal in deals], axis=0)
    assert tuple(total) == episode.returns


def test_a_deal_of_whist_is_written_as_the_standard_says() -> None:
    recorder = recorder_of(WHIST)
    recorder.reset(deal=DEAL, dealer=3, turned="CA")
    text = to_pbn([play(recorder)])
    lines = text.splitlines()
    assert lines[:2] == ["% PBN 2.1", "% EXPORT"]
    names = [line[1:].split()[0] for line in lines if line.startswith("[")]
    mandatory = (
        "Event Site Date Board West North East South Dealer Vulnerable Deal Scoring "
        "Declarer Contract Result"
    )
    assert names == [*mandatory.split(), "Game", "TurnUp", "Play"]
    # The deal begins with the dealer, and each trick with the opening leader's column.
    assert f'[Deal "W:{DEAL.split()[3]} {DEAL[2:].rsplit(" ", 1)[0]}"]' in lines
    assert {'[Dealer "W"]', '[Declarer "W"]', '[Contract "1C"]'} <= set(lines)
    assert {'[Game "Whist"]', '[TurnUp "CA"]', '[Play "N"]'} <= set(lines)
    assert {'[North "ann"]', '[West "dan"]', '[Vulnerable "None"]'} <= set(lines)
    tricks = [line.split() for line in lines[lines.index('[Play "N"]') + 1 :]]
    assert len(tricks) == 13
    hands = [set(hand_cards(hand)) for hand in DEAL[2:].split()]
    for column in range(4):
        assert {trick[column] for trick in tricks} == hands[column]


def hand_cards(hand: str) -> Iterator[str]:
    for suit, ranks in zip("SHDC", hand.split("."), strict=True):
        yield from (suit + rank for rank in ranks)


def test_the_result_is_the_tricks_of_the_dealers_side() -> None:
    episode = whist_episode()
    record = episode.last_table().record
    tricks = int(record.tricks_won[record.dealer % 2 :: 2].sum())
    assert f'[Result "{tricks}"]' in to_pbn([episode])


def test_a_play_that_is_not_over_shows_who_plays_next() -> None:
    text = to_pbn([whist_episode(actions=6)])
    record = whist_episode(actions=6).last_table().record
    last_row = text.splitlines()[-1].split()
    assert sorted(last_row)[:2] == ["+", "-"]
    leader = (int(record.dealer) + 1) % 4
    assert last_row[(int(record.seat) - leader) % 4] == "+"
    (again,) = from_pbn(text)
    assert (len(again.actions), again.returns) == (6, None)


def test_a_deal_that_was_not_played_is_a_position() -> None:
    (deal,) = from_pbn(f'[Game "Whist"]\n[Dealer "E"]\n[Deal "{DEAL}"]\n')
    assert (deal.actions, deal.returns) == ((), None)
    table = deal.last_table()
    assert (table.record.dealer, table.agent) == (1, 2)
    assert deal.start.position == {"deal": DEAL, "dealer": 1}


CALLED = f'[Game "Bridge Whist"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n'


def test_calls_alone_are_kept() -> None:
    (deal,) = from_pbn(CALLED + '[Calls "pass_to_partner hearts pass double"]\n')
    assert deal.actions == ("pass_to_partner", "hearts", "pass", "double")
    text = to_pbn([deal])
    assert '[Contract "?"]' in text
    assert '[Play "' not in text
    assert from_pbn(text)[0].actions == deal.actions


BRIDGE = f"""% PBN 2.1
% a line for another program
[Event "##Club \\"Open\\""]
[Site "?"]
[Dealer "S"] ; the dealer does not matter here
[Deal "W:{DEAL.split()[3]} {DEAL[2:].rsplit(" ", 1)[0]}"]
{{a comment

over an empty line; with [Tags "in it"]}}
[Declarer "N"] [Contract "2SX"]
% [Declarer "E"]
[Auction "S"]
Pass 2S X =1= AP
[Note "1:for take-out"]
[Result "10"]
[Play "W"]
S2 sq! ST =1= $7 S5
-  SA  -  +
*

[Board "2"]
[North "Ann"]
[Dealer "N"]
[Deal "{DEAL}"]
[Contract "3NT"]
[Declarer "N"]
"""


def test_bridge_is_read_as_bridge_whist() -> None:
    first, second = from_pbn(BRIDGE, source="club.pbn")
    assert first.game.name == second.game.name == "bridge_whist"
    assert first.start.position == {"deal": DEAL, "dealer": 0}
    calls = ("spades", "double", "pass", "pass")
    assert first.actions == (*calls, "ST", "S5", "S2", "SQ", "SA")
    assert first.source == "club.pbn, game 1"
    assert first.notes == {"event": 'Club "Open"'}
    assert second.actions == ("notrump", "pass", "pass")
    assert second.agents == ("Ann", "player_1", "player_2", "player_3")
    assert second.notes == {"event": 'Club "Open"', "board": "2"}


def test_bridge_is_read_as_whist_where_that_is_asked_for() -> None:
    text = BRIDGE.split("\n\n[Board")[0].replace("2SX", "2S")
    (episode,) = from_pbn(text, "whist")
    assert episode.start.position == {"deal": DEAL, "dealer": 0, "turned": "SJ"}
    assert episode.actions == ("ST", "S5", "S2", "SQ", "SA")


def play_of(*rows: str) -> str:
    tags = f'[Game "Whist"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n[TurnUp "SA"]\n'
    return tags + '[Play "E"]\n' + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (play_of("ST S5 S2 HT"), "trick 1, N: player_0 may not choose HT: spades were"),
        (
            play_of("SA S5 S2 S7"),
            "trick 1, E: player_1 may not choose SA: the hand does",
        ),
        (play_of("ST - S2 SA"), "trick 1: W plays S2, but not every card before it"),
        (play_of("ST S5 S2 SA", "- ^L D5 - -"), "a lead out of turn"),
        (play_of("ST S5 S2 SA:"), "'SA:' in the play is neither a card nor a mark"),
        (play_of("ST S5 S2 10"), "'10' is not a card"),
        (play_of("ST").replace('"E"', '"?"'), "must name the player of its first"),
        ('[Deal "N:A.K.Q.J - - -"]\n[Dealer "N"]', "'-' is not a hand"),
        (f'[Deal "{DEAL}"]', "neither a Dealer nor a Declarer"),
        ('[Dealer "N"]', "the tag Deal is missing"),
        (f'[Deal "{DEAL}"]\n[Dealer "X"]', '[Dealer "X"] must be one of N, E, S, W'),
        (f'[Deal "{DEAL}"]\n[Dealer "N"]\n[Contract "8H"]', "must be one such as 1H"),
        (
            f'[Deal "{DEAL}"]\n[Dealer "N"]\n[Play "E"]\nST\n',
            "cards are played, but neither Contract nor Calls are given",
        ),
        (
            '[Game "Polignac"]\n',
            '[Game "Polignac"] is not read from PBN: only Whist and',
        ),
        (
            CALLED + '[Calls "hearts hearts"]',
            "action 2: player_1 may not choose hearts",
        ),
        (CALLED + '[Calls "clubz"]', "did you mean 'clubs'?"),
        (CALLED + '[WhistOptions "chicane=never"]', "chicane='never' is not a value"),
        (CALLED + '[WhistOptions "colour=red"]', "there is no option 'colour'"),
        ('[Dealer "N"', "cannot be read, in the line '[Dealer \"N\"'"),
        ("{ a comment without end", "cannot be read"),
        ("hello", "cannot be read"),
    ],
)
def test_pbn_that_cannot_be_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as refused:
        from_pbn(text, source="club.pbn")
    assert str(refused.value).startswith("club.pbn")
    assert complaint in str(refused.value)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_pbn_is_refused_or_means_something(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([BRIDGE, play_of("ST S5 S2 SA"), CALLED]))
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 10)))
    damaged = (
        text[:begin]
        + data.draw(st.text('[]"{};%#^+-*1SAN \n', max_size=5))
        + text[end:]
    )
    try:
        episodes = from_pbn(damaged)
    except RecordError:
        return
    for episode in episodes:
        episode.last_table()


@pytest.mark.parametrize(
    ("contract", "complaint"),
    [
        ("3NT", "cannot be Whist, which always has trumps"),
        ("3SX", "cannot be Whist, which always has trumps and no doubles"),
        ("1H", "SA was turned, but the contract is 1H"),
    ],
)
def test_a_contract_that_whist_does_not_have_is_refused(
    contract: str, complaint: str
) -> None:
    turned = "SA" if contract == "1H" else "?"
    text = (
        f'[Game "Whist"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n[Contract "{contract}"]\n'
        f'[TurnUp "{turned}"]\n'
    )
    with pytest.raises(RecordError, match=complaint):
        from_pbn(text)


def test_a_dealer_without_a_trump_cannot_have_turned_one() -> None:
    void = "N:AKQJ.AT98.76543. T987.KQJ.2.65432 65.7654.AKQJ.T98 432.32.T98.AKQJ7"
    text = f'[Dealer "N"]\n[Deal "{void}"]\n[Contract "1C"]\n'
    with pytest.raises(RecordError, match="has no card of the trump suit"):
        from_pbn(text, "whist")


def test_a_wrong_result_is_refused_and_an_agreed_one_is_not() -> None:
    text = to_pbn([whist_episode()])
    (tricks,) = re.findall(r'\[Result "(\d+)"\]', text)
    wrong = (int(tricks) + 1) % 14
    with pytest.raises(RecordError, match=rf'game 1: \[Result "{wrong}"\], but'):
        from_pbn(text.replace(f'[Result "{tricks}"]', f'[Result "{wrong}"]'))
    agreed = text.replace(f'[Result "{tricks}"]', f'[Result "^{wrong}"]')
    assert from_pbn(agreed)[0].returns == whist_episode().returns


def test_values_are_inherited_as_the_standard_says() -> None:
    first, second, third, fourth = (
        game.tags
        for game in parse_games(
            '[Event "##Cup"]\n[Site "Bath"]\n\n[Site "#"]\n\n'
            '[Event "Final"]\n[Site ""]\n\n\t\n[Site "#"]\n[Date "#"]\n'
        )
    )
    assert first == {"Event": "Cup", "Site": "Bath"}
    assert second == {"Event": "Cup", "Site": "Bath"}
    assert third == {"Event": "Final", "Site": ""}
    assert fourth == {"Event": "Final", "Site": "", "Date": ""}


def test_names_with_quotes_and_foreign_letters_come_back(tmp_path: Path) -> None:
    names = ('"Q" \\ Smith', "Zoë", "Ann; Ben", "{x}")
    recorder = Recorder(WHIST, names, seed=1)
    write_pbn(tmp_path / "games.pbn", [play(recorder)])
    (read,) = read_pbn(tmp_path / "games.pbn")
    assert read.agents == names


@pytest.mark.parametrize(
    "name", [name for name in whist_env.games() if name not in GAMES]
)
def test_other_games_refuse_pbn_and_say_which_can(name: str) -> None:
    recorder = recorder_of(whist_env.game(name))
    with pytest.raises(RecordError, match="whist and bridge_whist can"):
        to_pbn([recorder.episode()])


def test_a_small_pack_refuses_pbn() -> None:
    recorder = recorder_of(whist_env.game("whist", ranks=5))
    with pytest.raises(RecordError, match="whole pack of 52 cards"):
        to_pbn([recorder.episode()])


# Against another program ------------------------------------------------------------


@pytest.mark.parametrize("name", ["whist", "bridge_whist"])
@pytest.mark.parametrize("seed", range(5))
def test_endplay_reads_what_we_write(name: str, seed: int) -> None:
    pbn = pytest.importorskip("endplay.parsers.pbn")
    suppress_unicode = pytest.importorskip("endplay.config").suppress_unicode
    episode = play(recorder_of(whist_env.game(name), seed))
    record = episode.last_table().record
    (board,) = pbn.loads(to_pbn([episode]))
    assert parse_deal(board.deal.to_pbn()) == tuple(record.dealt)
    assert board.dealer.abbr == board.contract.declarer.abbr == "NESW"[record.dealer]
    trumps = ("clubs", "diamonds", "hearts", "spades", "nt")
    assert board.contract.denom.name == trumps[record.trump]
    played = [card_name(card) for card in record.history[: record.cards_played]]
    with suppress_unicode():
        assert [str(card) for card in board.play] == played
    tricks = int(record.tricks_won[record.dealer % 2 :: 2].sum())
    assert board.contract.level + 6 + board.contract.result == tricks


@pytest.mark.parametrize("seed", range(5))
def test_we_read_what_endplay_writes(seed: int) -> None:
    pbn = pytest.importorskip("endplay.parsers.pbn")
    episode = play(recorder_of(whist_env.game("bridge_whist"), seed))
    boards = pbn.loads(to_pbn([episode]))
    (again,) = from_pbn(pbn.dumps(boards))
    assert again.actions == episode.actions
    assert again.returns == episode.returns
