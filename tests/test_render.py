"""Pictures of a table: what they show, to whom, and that they show nothing else."""

import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
import resvg_py

import whist_env
from whist_env.cards import (
    CARDS,
    NO_CARDS,
    RANK_NAMES,
    SUIT_NAMES,
    card_name,
    card_set,
    members,
    parse_card,
)
from whist_env.engine.options import Options
from whist_env.engine.record import record_dtype
from whist_env.engine.rules import no_notes, own_hand, own_seat
from whist_env.engine.tricks import following, trick_fields
from whist_env.render.pixels import svg_pixels
from whist_env.render.scene import see
from whist_env.render.svg import table_svg
from whist_env.render.text import SYMBOLS, table_text

GAME = whist_env.game("whist")
GOLD = "#ffcf5c"
HANDS = (
    "A63.KT4.QJ97.Q82",
    "KQJ7.Q93.T43.J53",
    "T842.A85.852.KT7",
    "95.J762.AK6.A964",
)


def given_table(*cards: str) -> whist_env.Table:
    """A table with known hands; seat 3 dealt and turned the six of hearts."""
    table = GAME.new_table(
        seed=0, deal="N:" + " ".join(HANDS), dealer=3, turned="H6", scores=(2, 0)
    )
    for card in cards:
        table.apply(parse_card(card))
    return table


FIRST_TRICK = ("DQ", "D3", "D8", "DA")


def spoken(card: int) -> str:
    return f"{RANK_NAMES[card % 13]} of {SUIT_NAMES[card // 13]}"


def card_drawings(svg: str) -> dict[str, ElementTree.Element]:
    """The drawing of each card that is face up, by its spoken name."""
    drawings = {}
    for element in ElementTree.fromstring(svg).iter():
        if element.get("role") == "img":
            name = element.get("aria-label")
            assert name not in drawings, f"{name} is drawn twice"
            drawings[name] = element
    return drawings


def cards_drawn(svg: str) -> set[int]:
    cards = {spoken(card): card for card in range(CARDS)}
    return {cards[name] for name in card_drawings(svg)}


def position_drawn(svg: str, card: str) -> tuple[float, float]:
    """Where the middle of a card is drawn."""
    for element in ElementTree.fromstring(svg).iter():
        for child in element:
            if child.get("aria-label") == spoken(parse_card(card)):
                place = element.attrib["transform"].split(")")[0]
                x, y = place.removeprefix("translate(").split()
                return float(x), float(y)
    raise AssertionError(f"{card} is not drawn")


def shown_to(table: whist_env.Table, seat: int) -> set[int]:
    """The cards that a seat may see now, from the rules of the game."""
    record = table.record
    shown = set(members(record.hands[seat]))
    shown |= {int(card) for card in record.trick if card >= 0}
    finished = 4 * int(record.tricks_played)
    shown |= {int(card) for card in record.history[max(0, finished - 4) : finished]}
    if record.tricks_played == 0:
        shown.add(int(record.turned))
    return shown


def positions(seed: int) -> Iterator[whist_env.Table]:
    """Every position of a deal that is played at random."""
    table = GAME.new_table(seed=seed)
    rng = np.random.default_rng(seed)
    while not table.is_over:
        yield table
        table.apply(rng.choice(table.legal_actions()))
    yield table


# Text -------------------------------------------------------------------------------

TEXT = """\
Whist, deal 1, trumps ♥, player_1 to play

                      trick    tricks  hand
   player_0           ♠A wins  0       11 cards
>  player_1                    0       ♠KQJ7 ♥Q93 ♦T4 ♣J53
   player_2                    0       12 cards
   player_3 (dealer)  ♠9 led   1       11 cards

         tricks  score
0 and 2  0       2
1 and 3  1       0

last trick ♦Q ♦3 ♦8 ♦A, taken by player_3"""


def test_text_shows_the_table_as_the_seat_to_play_sees_it() -> None:
    assert table_text(given_table(*FIRST_TRICK, "S9", "SA")) == TEXT


def test_text_in_letters_is_ascii_and_writes_hands_as_bridge_notation_does() -> None:
    text = table_text(given_table(*FIRST_TRICK, "S9", "SA"), 1, symbols=False)
    assert text.isascii()
    assert "trumps H" in text
    assert "SA wins" in text
    assert "KQJ7.Q93.T4.J53" in text
    assert "last trick DQ D3 D8 DA, taken by player_3" in text


def test_text_shows_the_turned_card_of_a_hand_that_is_otherwise_hidden() -> None:
    lines = table_text(given_table(), 0).splitlines()
    assert lines[0] == "Whist, deal 1, trumps ♥, ♥6 lies open, player_0 to play"
    assert lines[6].split("  ")[-1].strip() == "♥6 and 12 cards"


def test_text_says_what_the_episode_earned_when_it_is_over() -> None:
    *_, table = positions(seed=5)
    first, second, *_ = table.returns()
    headline = table_text(table).splitlines()[0]
    assert headline.endswith(
        f"the episode is over, 0 and 2 earned {first:+}, 1 and 3 earned {second:+}"
    )


# Who sees what ----------------------------------------------------------------------


@pytest.mark.parametrize("draw", [table_text, table_svg])
def test_the_seat_to_play_looks_by_default(draw: Callable[..., str]) -> None:
    table = given_table("DQ")
    assert draw(table) == draw(table, "agent") == draw(table, 1)
    assert draw(table) != draw(table, 0)


@pytest.mark.parametrize("draw", [table_text, table_svg])
def test_seat_0_looks_by_default_when_the_episode_is_over(
    draw: Callable[..., str],
) -> None:
    table = given_table("DQ")
    table.forfeit()
    assert draw(table) == draw(table, 0)


def test_whoever_sees_all_sees_every_card_once() -> None:
    assert cards_drawn(table_svg(given_table(), "all")) == set(range(CARDS))
    text = table_text(given_table(), "all", symbols=False)
    assert all(hand in text for hand in HANDS)


@pytest.mark.parametrize("viewer", [-1, 4, 1.0, True, None, "north"])
@pytest.mark.parametrize("draw", [table_text, table_svg])
def test_a_viewer_who_does_not_exist_is_refused(
    draw: Callable[..., str], viewer: Any
) -> None:
    message = f"viewer={viewer!r} must be 'agent', 'all' or an agent from 0 to 3"
    with pytest.raises(ValueError, match=message):
        draw(given_table(), viewer)


def test_a_seat_is_shown_the_cards_it_may_see_and_no_others() -> None:
    for table in positions(seed=1):
        for seat in range(4):
            svg, shown = table_svg(table, seat), shown_to(table, seat)
            assert cards_drawn(svg) == shown
            assert see(table, seat).playable <= shown
            words = re.sub(r' d="[^"]*"', "", svg)
            text = table_text(table, seat)
            for card in set(range(CARDS)) - shown:
                assert spoken(card) not in words
                assert card_name(card) not in words
                assert SYMBOLS[card // 13] + card_name(card)[1] not in text


def test_hidden_cards_leave_no_trace_in_what_is_drawn() -> None:
    rng = np.random.default_rng(2)
    for table in positions(seed=2):
        for viewer in range(4):
            other = with_hidden_cards_moved(table, viewer, rng)
            for draw in (table_text, table_svg):
                assert draw(other, viewer) == draw(table, viewer)


def with_hidden_cards_moved(
    table: whist_env.Table, viewer: int, rng: np.random.Generator
) -> Any:
    """The table with the cards that a viewer does not see dealt out anew."""
    record = table.record.copy()
    shown = shown_to(table, viewer)
    held = [list(members(hand)) for hand in record.hands]
    hidden = [card for hand in held for card in hand if card not in shown]
    moved = dict(zip(hidden, rng.permutation(hidden).tolist(), strict=True))
    for seat, hand in enumerate(held):
        record.hands[seat] = card_set(moved.get(card, card) for card in hand)
    record.dealt[:] = record.hands
    record.pack[:] = rng.permutation(CARDS)
    return SimpleNamespace(game=table.game, record=record)


# The drawing ------------------------------------------------------------------------


def test_the_drawing_uses_no_font_and_nothing_from_outside() -> None:
    for viewer in ("agent", "all"):
        root = ElementTree.fromstring(table_svg(given_table("DQ", "D3"), viewer))
        names = {element.tag.split("}")[1] for element in root.iter()}
        assert names == {"svg", "title", "g", "path", "rect", "circle", "ellipse"}
        attributes = {name for element in root.iter() for name in element.attrib}
        assert attributes.isdisjoint({"id", "href", "class", "font-family"})


def test_the_drawing_says_what_it_shows() -> None:
    root = ElementTree.fromstring(table_svg(given_table("DQ")))
    assert root.get("aria-label") == (
        "Whist, deal 1, hearts are trumps, player 1 to act, tricks 0 to 0, score 2 to 0"
    )


def test_the_viewer_sits_at_the_bottom_and_the_others_follow_clockwise() -> None:
    table = given_table("DQ", "D3", "D8")
    svg = table_svg(table, 3)
    left, top, right = (position_drawn(svg, card) for card in ("DQ", "D3", "D8"))
    assert left[0] < top[0] < right[0]
    assert top[1] < left[1] == right[1]
    svg = table_svg(table, 0)
    bottom, left, top = (position_drawn(svg, card) for card in ("DQ", "D3", "D8"))
    assert left[0] < bottom[0] == top[0]
    assert top[1] < left[1] < bottom[1]


def test_the_card_that_wins_the_trick_has_a_golden_edge() -> None:
    drawings = card_drawings(table_svg(given_table("D7", "DT", "D8"), 3))
    golden = [
        name
        for name, drawing in drawings.items()
        if any(part.get("stroke") == GOLD for part in drawing.iter())
    ]
    assert golden == ["ten of diamonds"]


def test_cards_that_may_not_be_played_are_dim() -> None:
    drawings = card_drawings(table_svg(given_table("DQ")))
    bright = {
        name
        for name, drawing in drawings.items()
        if not any(part.get("opacity") == ".38" for part in drawing)
    }
    table_cards = {"queen of diamonds", "six of hearts"}
    playable = {"ten of diamonds", "four of diamonds", "three of diamonds"}
    assert bright == table_cards | playable


def test_the_turned_card_is_taken_up_after_the_first_trick() -> None:
    six = "six of hearts"
    assert six in card_drawings(table_svg(given_table("DQ", "D3", "D8"), 0))
    assert six not in card_drawings(table_svg(given_table(*FIRST_TRICK), 0))


def test_a_table_draws_itself_in_notebooks_and_prints_itself() -> None:
    table = given_table("DQ")
    assert table._repr_svg_() == table.draw() == table_svg(table)
    assert table.draw(3) == table_svg(table, 3)
    assert str(table) == table_text(table)


# Other games ------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("viewer", ["agent", "all"])
def test_a_game_of_any_number_of_seats_is_drawn(seats: int, viewer: Any) -> None:
    table = table_of_another_game(seats)
    held = list(map(int, table.record.hands))
    shown = set(members(held[0] if viewer == "agent" else sum(held)))
    shown.add(int(table.record.trick[seats - 1]))
    assert cards_drawn(table_svg(table, viewer)) == shown
    lines = table_text(table, viewer).splitlines()
    assert lines[0] == "Six-handed Game, deal 1, player_0 to play"
    assert len([line for line in lines if "player_" in line]) == seats + 1


def table_of_another_game(seats: int) -> Any:
    """A game without trumps, dealer or scores; the last seat has led."""
    layout = record_dtype(seats, Options, trick_fields(seats))
    record = np.zeros(1, layout)[0]
    pack = np.random.default_rng(seats).permutation(CARDS).tolist()
    for seat in range(seats):
        record.hands[seat] = card_set(pack[8 * seat : 8 * seat + 8])
    record.trick[:] = -1
    record.trick[seats - 1] = pack[-1]
    record.cards_in_trick = record.cards_played = 1
    record.leader = record.winner = seats - 1
    record.trump = -1
    rules = SimpleNamespace(
        title="Six-handed Game",
        agents=seats,
        partners=tuple((seat,) for seat in range(seats)),
        legal=lambda record: (following(record), NO_CARDS),
        action_names=tuple(map(card_name, range(CARDS))),
        visible=own_hand,
        seat_of=own_seat,
        notes=no_notes,
        unit=1,
    )
    return SimpleNamespace(game=SimpleNamespace(rules=rules), record=record)


# Pixels -----------------------------------------------------------------------------


def test_pixels_have_the_size_of_the_drawing_or_the_width_asked_for() -> None:
    svg = table_svg(given_table())
    full, half = svg_pixels(svg), svg_pixels(svg, width=400)
    assert full.shape == (640, 800, 3)
    assert half.shape == (320, 400, 3)
    assert full.dtype == half.dtype == np.uint8
    assert full.std() > 30


def test_pixels_have_the_colours_of_the_drawing_on_white() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2">'
        '<rect width="1" height="2" fill="#102030"/>'
        '<rect x="1" width="1" height="1" fill="#fa0"/></svg>'
    )
    dark, orange, white = [16, 32, 48], [255, 170, 0], [255, 255, 255]
    assert svg_pixels(svg).tolist() == [[dark, orange, white], [dark, white, white]]


def test_pixels_are_those_that_a_plain_reading_of_the_file_gives() -> None:
    svg = table_svg(given_table("DQ"), "all")
    png = resvg_py.svg_to_bytes(svg_string=svg, width=160, background="white")
    expected, filters = read_png(png)
    assert filters >= {1, 2, 3, 4}
    assert (svg_pixels(svg, width=160) == expected).all()


def read_png(png: bytes) -> tuple[npt.NDArray[np.uint8], set[int]]:
    """The pixels of an 8-bit RGBA file, byte by byte, and the filters it uses."""
    width, height = struct.unpack(">II", png[16:24])
    assert png.count(b"IDAT") == 1
    data = zlib.decompress(png[png.index(b"IDAT") + 4 :])
    size = 4 * width
    above = [0] * size
    rows, filters = [], set()
    for start in range(0, len(data), size + 1):
        kind, row = data[start], list(data[start + 1 : start + 1 + size])
        for place in range(size):
            left = row[place - 4] if place >= 4 else 0
            corner = above[place - 4] if place >= 4 else 0
            up = above[place]
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            predictions = (0, left, up, (left + up) // 2, paeth)
            row[place] = (row[place] + predictions[kind]) % 256
        rows.append(row)
        filters.add(kind)
        above = row
    pixels = np.array(rows, np.uint8).reshape(height, width, 4)
    return pixels[:, :, :3], filters


def test_pixels_need_an_extra_and_say_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r'pip install "whist-env\[render\]"'):
        svg_pixels("<svg/>")


def test_a_width_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="width=0 must be a positive number"):
        svg_pixels(table_svg(given_table()), width=0)
