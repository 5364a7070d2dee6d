"""A table as one SVG drawing: for notebooks, for frames of pixels, and for files.

The viewer sits at the bottom and the other seats follow clockwise, on an ellipse, so
that one layout serves any number of seats.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from whist_env.cards import (
    ACE,
    CARDS,
    JACK,
    RANK_NAMES,
    RANKS,
    SUIT_NAMES,
    TEN,
    rank_of,
    suit_of,
)
from whist_env.render.scene import Scene, TableLike, Viewer, see
from whist_env.render.shapes import lettering, placed, rounded, suit, width_of

WIDTH: Final = 800
HEIGHT: Final = 640
_HEADER: Final = 91
_CENTRE_X: Final = 400.0
_CENTRE_Y: Final = 316.0

_FELT: Final = "#1d5548"
_FELT_LIGHT: Final = "#236152"
_HEADER_FELT: Final = "#143f36"
_BRIGHT: Final = "#f4f8f5"
_QUIET: Final = "#a9c9bd"
_GOLD: Final = "#ffcf5c"
_INK: Final = "#1c2430"
_PAPER: Final = "#fdfdfb"
_EDGE: Final = "#c9cdd2"
_BACK: Final = "#34548f"
_BACK_LIGHT: Final = "#6f8cc4"
_SUIT_COLOURS: Final = ("#1c7a4b", "#d8701a", "#c8253a", _INK)

_NOTE_WIDTH: Final = 172
_LINES: Final = 6
"""Lines of notes for which there is room in a corner."""

# A card, in its own units.
_CARD_WIDTH: Final = 76
_CARD_HEIGHT: Final = 106


def table_svg(table: TableLike, viewer: Viewer = "agent") -> str:
    """A table as an SVG document, 800 by 640.

    Args:
        table: the table.
        viewer: who looks: an agent; ``"agent"`` for the agent to act, agent 0 when the
            episode is over; or ``"all"``, who sees every hand.

    Raises:
        ValueError: there is no such viewer.
    """
    scene = see(table, viewer)
    drawn = [
        _felt(scene),
        _header(scene),
        _notes(scene),
        *(_seat(scene, seat) for seat in range(len(scene.seats))),
        _turned_card(scene),
        _trick(scene),
        _result(scene),
    ]
    description = _description(scene)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="group" '
        f"aria-label={quoteattr(description)} "
        'style="max-width:100%;height:auto;border-radius:12px">'
        f"<title>{escape(description)}</title>{''.join(drawn)}</svg>"
    )


def _description(scene: Scene) -> str:
    """What a person who does not see the drawing is told first."""
    facts = [f"{scene.title}, deal {scene.deal}"]
    if scene.trump is not None:
        facts.append(f"{SUIT_NAMES[scene.trump]} are trumps")
    if scene.to_play is not None:
        facts.append(f"{_label(scene.seats[scene.to_play].name)} to act")
    if scene.returns:
        facts.append("the episode is over")
    facts += [
        f"{name} {' to '.join(map(str, values))}" for name, values in scene.scores
    ]
    return ", ".join(facts)


# Cards ------------------------------------------------------------------------------


def _card(
    card: int | None,
    x: float,
    y: float,
    width: float,
    *,
    turn: float = 0,
    covered: bool = False,
    dim: bool = False,
    mark: bool = False,
) -> str:
    """A card around a point, or its back where it is not known.

    Args:
        card: the card, or ``None``.
        x: the middle of the card.
        y: the middle of the card.
        width: the width of the card.
        turn: by how many degrees it is turned.
        covered: whether another card lies on its right side.
        dim: whether it may not be played.
        mark: whether it wins the trick.
    """
    if card is None:
        content = _back()
    else:
        content = _face(card, covered=covered, dim=dim, mark=mark)
    return placed(content, x, y, scale=width / _CARD_WIDTH, turn=turn)


def _sheet(fill: str, edge: str, thickness: float = 1) -> str:
    """An empty card and its shadow."""
    place = f'x="{-_CARD_WIDTH / 2:g}" width="{_CARD_WIDTH}" height="{_CARD_HEIGHT}"'
    top = -_CARD_HEIGHT / 2
    return (
        f'<rect {place} y="{top + 2.5:g}" rx="8" opacity=".22"/>'
        f'<rect {place} y="{top:g}" rx="8" fill="{fill}" stroke="{edge}" '
        f'stroke-width="{thickness:g}"/>'
    )


def _face(card: int, *, covered: bool, dim: bool, mark: bool) -> str:
    content = _sheet(_PAPER, _GOLD, 5) if mark else _sheet(_PAPER, _EDGE)
    content += _index(card)
    if not covered:
        content += _emblem(card)
    if dim:
        content += (
            '<rect x="-38" y="-53" width="76" height="106" rx="8" '
            f'fill="{_HEADER_FELT}" opacity=".38"/>'
        )
    return _named(card, content)


def _named(card: int, content: str) -> str:
    """The drawing of a card, with its name for those who do not see it."""
    name = f"{RANK_NAMES[rank_of(card)]} of {SUIT_NAMES[suit_of(card)]}"
    return f'<g role="img" aria-label="{name}">{content}</g>'


def _rank(card: int) -> str:
    return "10" if rank_of(card) == TEN else RANKS[rank_of(card)]


def _index(card: int) -> str:
    """The corner of a card that shows in a fan."""
    of = suit_of(card)
    colour = _SUIT_COLOURS[of]
    rank = lettering(_rank(card), -22, -22, 22, colour, anchor=0.5, weight=1.9)
    return rank + suit(of, -22, -4, 20, colour)


def _emblem(card: int) -> str:
    """The middle of a card: its suit; court cards have their letter in a frame."""
    rank, of = rank_of(card), suit_of(card)
    colour = _SUIT_COLOURS[of]
    if rank == ACE:
        return suit(of, 9, 16, 50, colour)
    if rank < JACK:
        return suit(of, 12, 22, 34, colour)
    frame = (
        f'<rect x="-7" y="-42" width="37" height="84" rx="5" fill="{colour}" '
        f'fill-opacity=".09" stroke="{colour}" stroke-width="1.5"/>'
    )
    letter = lettering(RANKS[rank], 11.5, -2, 26, colour, anchor=0.5, weight=1.3)
    return frame + letter + suit(of, 11.5, 21, 24, colour)


def _back() -> str:
    chevrons = "".join(f"M-30 {y}L0 {y - 16}L30 {y}" for y in range(-29, 48, 15))
    return (
        _sheet(_PAPER, _EDGE)
        + f'<rect x="-33" y="-48" width="66" height="96" rx="5" fill="{_BACK}"/>'
        + f'<path d="{chevrons}" fill="none" stroke="{_BACK_LIGHT}" stroke-width="2"/>'
    )


# Places -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Place:
    """A point of the table, and the turn of a person who sits there, in degrees."""

    x: float
    y: float
    turn: float


def _around(scene: Scene, seat: float, across: float, down: float) -> _Place:
    """The place of a seat on an ellipse around the middle of the table."""
    seats = len(scene.seats)
    turn = 360 * ((seat - scene.viewer) % seats) / seats
    angle = math.radians(turn)
    return _Place(
        _CENTRE_X - across * math.sin(angle),
        _CENTRE_Y + down * math.cos(angle),
        turn,
    )


# Hands ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Drawn:
    """A hand as drawn, and where its name stands."""

    cards: str
    name_x: float
    name_y: float


def _hand(scene: Scene, seat: int) -> _Drawn:
    """The cards that a seat holds, less a turned card that lies on the table."""
    held = scene.seats[seat]
    known = [card for card in held.known if card != scene.turned]
    if seat == scene.viewer:
        return _own_hand(scene, known)
    if known:
        return _open_hand(scene, seat, [*known, *[None] * held.unknown])
    return _closed_hand(scene, seat, held.unknown)


def _own_hand(scene: Scene, cards: list[int]) -> _Drawn:
    """The viewer's hand: a wide fan at the bottom."""
    apart = min(52, 640 / max(1, len(cards) - 1))
    drawn = ""
    for index, card in enumerate(cards):
        aside = apart * (index - (len(cards) - 1) / 2)
        drawn += _card(
            card,
            _CENTRE_X + aside,
            560 + aside * aside / 7000,
            84,
            turn=aside / 61,
            covered=index < len(cards) - 1,
            dim=_is_dim(scene, card),
        )
    return _Drawn(drawn, _CENTRE_X, 472)


def _open_hand(scene: Scene, seat: int, cards: list[int | None]) -> _Drawn:
    """Another's hand face up: upright, in one row opposite and else in two."""
    place = _around(scene, seat, 264, 181)
    in_row = len(cards) if place.turn == 180 else max(7, (len(cards) + 1) // 2)
    rows = [cards[at : at + in_row] for at in range(0, len(cards), in_row)]
    drawn = ""
    for row_index, row in enumerate(rows):
        y = place.y + 43 * (row_index - (len(rows) - 1) / 2)
        for index, card in enumerate(row):
            x = place.x + 28 * (index - (in_row - 1) / 2)
            covered = index < len(row) - 1
            dim = card is not None and _is_dim(scene, card)
            drawn += _card(card, x, y, 52, covered=covered, dim=dim)
    return _Drawn(drawn, place.x, place.y + 21.5 * (len(rows) - 1) + 51)


def _closed_hand(scene: Scene, seat: int, cards: int) -> _Drawn:
    """Another's hand: a fan of backs, held towards the middle."""
    place = _around(scene, seat, 326, 181)
    drawn = ""
    for index in range(cards):
        turn = 2.6 * (index - (cards - 1) / 2)
        angle = math.radians(turn)
        x, y = 280 * math.sin(angle), 280 * (1 - math.cos(angle))
        drawn += _card(None, x, y, 42, turn=turn)
    fan = placed(drawn, place.x, place.y, turn=place.turn)
    half = 16 + 6.5 * CARDS / len(scene.seats)
    reach = half * abs(math.sin(math.radians(place.turn)))
    return _Drawn(fan, place.x, place.y + max(30, reach) + 17)


def _is_dim(scene: Scene, card: int) -> bool:
    """Whether a card of the seat to play may not be played."""
    to_play = scene.to_play
    return (
        to_play is not None
        and bool(scene.playable)
        and card in scene.seats[to_play].known
        and card not in scene.playable
    )


def _seat(scene: Scene, seat: int) -> str:
    """A seat: its hand and its name."""
    hand = _hand(scene, seat)
    return hand.cards + _plate(scene, seat, hand.name_x, hand.name_y)


def _plate(scene: Scene, seat: int, x: float, y: float) -> str:
    """The name of a seat, with its tricks, the dealer's mark, and whose turn it is."""
    name = _label(scene.seats[seat].name)
    tricks = str(scene.seats[seat].tricks)
    is_turn = seat == scene.to_play
    fill, colour = (_GOLD, _INK) if is_turn else (_HEADER_FELT, _BRIGHT)
    mark_width = 26 if seat == scene.dealer else 0
    width = width_of(name, 11) + 56 + mark_width
    left = min(max(x - width / 2, 12), WIDTH - 12 - width)
    right, line = left + width, y + 5.5
    drawn = (
        _pill(left, y, width, 26, fill)
        + _pill(right - 32, y, 29, 20, _PAPER, 0.55 if is_turn else 0.14)
        + lettering(name, left + 14 + mark_width, line, 11, colour)
        + lettering(tricks, right - 17.5, line, 11, colour, anchor=0.5)
    )
    if seat == scene.dealer:
        drawn += _pill(left + 3, y, 29, 20, _PAPER)
        drawn += lettering("D", left + 17.5, line, 11, _INK, anchor=0.5, weight=1.8)
    return drawn


def _pill(
    left: float, y: float, width: float, height: float, fill: str, opacity: float = 1
) -> str:
    """A rectangle with round ends, its middle at a height."""
    return (
        f'<rect x="{rounded(left)}" y="{rounded(y - height / 2)}" '
        f'width="{rounded(width)}" height="{height:g}" rx="{height / 2:g}" '
        f'fill="{fill}" fill-opacity="{opacity:g}"/>'
    )


def _label(name: str) -> str:
    """A name as people read it."""
    return name.replace("_", " ")


# The middle of the table ------------------------------------------------------------


def _felt(scene: Scene) -> str:
    """The table, with the trump suit woven into it while a deal is played."""
    felt = (
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_FELT}"/>'
        f'<ellipse cx="{_CENTRE_X:g}" cy="{_CENTRE_Y:g}" rx="262" ry="170" '
        f'fill="{_FELT_LIGHT}"/>'
    )
    if scene.trump is None or scene.returns:
        return felt
    return felt + suit(scene.trump, _CENTRE_X, _CENTRE_Y, 110, _FELT)


def _trick(scene: Scene) -> str:
    """The trick on the table; the card that wins so far has a golden edge."""
    width = 60 if len(scene.seats) < 5 else 50
    drawn = ""
    for seat, held in enumerate(scene.seats):
        if held.played is None:
            continue
        place = _around(scene, seat, 104, 77)
        drawn += _card(held.played, place.x, place.y, width, mark=seat == scene.winner)
        if seat == scene.leader:
            line = place.y + 0.7 * width + 15
            drawn += lettering("led", place.x, line, 8, _QUIET, anchor=0.5)
    return drawn


def _turned_card(scene: Scene) -> str:
    """The turned card lies beside the dealer."""
    if scene.turned is None or scene.dealer is None:
        return ""
    place = _around(scene, scene.dealer + 0.5, 215, 130)
    label = lettering("turned", place.x, place.y + 49, 8, _QUIET, anchor=0.5)
    return _card(scene.turned, place.x, place.y, 48) + label


def _result(scene: Scene) -> str:
    """What the episode earned each side."""
    if not scene.returns:
        return ""
    y = _CENTRE_Y - 20 * len(scene.sides)
    drawn = lettering("episode over", _CENTRE_X, y, 11, _QUIET, anchor=0.5)
    for side, earned in zip(scene.sides, scene.returns, strict=True):
        y += 42
        colour = _GOLD if earned == max(scene.returns) else _BRIGHT
        drawn += lettering(_side(side), _CENTRE_X - 16, y, 24, colour, anchor=1)
        drawn += lettering(f"{earned:+g}", _CENTRE_X + 24, y, 24, colour, weight=1.7)
    return drawn


def _notes(scene: Scene) -> str:
    """What else there is to see, in the corners under the header: left, then right.

    The lines are short enough for an open hand opposite. That of two players is wide;
    the lines stand beside the table then.
    """
    lines = [line for name, text in scene.notes for line in _wrapped(f"{name}: {text}")]
    top = 112 if len(scene.seats) > 2 else 200
    height = min(8.0, 8.0 * 2 * _LINES / max(1, len(lines)))
    in_corner = max(_LINES, -(-len(lines) // 2))
    drawn = ""
    for number, line in enumerate(lines):
        corner, row = divmod(number, in_corner)
        left = WIDTH - 24 - _NOTE_WIDTH if corner else 24
        drawn += lettering(line, left, top + 1.75 * height * row, height, _QUIET)
    return drawn


def _wrapped(note: str) -> list[str]:
    """A note in lines that are not too wide."""
    lines = [""]
    for word in _label(note).split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, 8) > _NOTE_WIDTH and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


# The header -------------------------------------------------------------------------


def _header(scene: Scene) -> str:
    band = f'<rect width="{WIDTH}" height="{_HEADER}" fill="{_HEADER_FELT}"/>'
    return band + _name_of_game(scene) + _last_trick(scene) + _scores(scene)


def _name_of_game(scene: Scene) -> str:
    left = 24.0
    trump = ""
    if scene.trump is not None:
        left = 94
        trump = f'<circle cx="50" cy="45.5" r="29" fill="{_PAPER}"/>' + suit(
            scene.trump, 50, 45.5, 37, _SUIT_COLOURS[scene.trump]
        )
    facts = f"deal {scene.deal}"
    if scene.trump is not None:
        facts += f"   {SUIT_NAMES[scene.trump]} are trumps"
    return (
        trump
        + _fitted(scene.title, left, 43, 17, _BRIGHT, weight=1.5)
        + _fitted(facts, left, 66, 11, _QUIET, weight=1.3)
    )


def _fitted(
    text: str, x: float, y: float, height: float, colour: str, weight: float
) -> str:
    """A lettering that keeps clear of the last trick."""
    height *= min(1, 216 / width_of(text, height))
    return lettering(text, x, y, height, colour, weight=weight)


def _last_trick(scene: Scene) -> str:
    """The last trick, small; its winner's card has a golden edge."""
    trick = scene.last_trick
    if trick is None:
        return ""
    scale = min(1, 4.5 / len(trick.cards))
    apart = 46 * scale
    left = 424 - apart * (len(trick.cards) - 1) / 2
    drawn = lettering("last trick", 424, 28, 10, _QUIET, anchor=0.5)
    for index, (card, seat) in enumerate(zip(trick.cards, trick.seats, strict=True)):
        label = _small(card, seat == trick.taker)
        drawn += placed(label, left + apart * index, 56, scale=scale)
    return drawn


def _small(card: int, mark: bool) -> str:
    """A card as a small label around the origin: rank and suit side by side."""
    colour = _SUIT_COLOURS[suit_of(card)]
    edge = f' stroke="{_GOLD}" stroke-width="3"' if mark else ""
    return _named(
        card,
        f'<rect x="-21" y="-15" width="42" height="30" rx="6" fill="{_PAPER}"{edge}/>'
        + lettering(_rank(card), -8, 7, 14, colour, anchor=0.5, weight=1.8)
        + suit(suit_of(card), 10, 0, 15, colour),
    )


def _scores(scene: Scene) -> str:
    """A row for each score, a column for each side."""
    if not scene.scores:
        return ""
    apart = min(50, 200 / len(scene.sides))
    first_column = WIDTH - 24 - apart * (len(scene.sides) - 1)
    drawn = ""
    for column, side in enumerate(scene.sides):
        x = first_column + apart * column
        drawn += lettering(_side(side), x, 20, 11, _QUIET, anchor=1)
        for row, (_, values) in enumerate(scene.scores):
            value = str(values[column])
            drawn += lettering(
                value, x, 37 + 16 * row, 12, _BRIGHT, anchor=1, weight=1.6
            )
    for row, (name, _) in enumerate(scene.scores):
        x = first_column - apart
        drawn += lettering(name, x, 36.5 + 16 * row, 11, _QUIET, anchor=1)
    return drawn


def _side(side: tuple[int, ...]) -> str:
    """A side by the numbers of its seats."""
    return "+".join(map(str, side))
