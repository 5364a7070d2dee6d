"""Shapes for the drawing: suits, and an alphabet of strokes.

Everything is a path, because fonts differ from machine to machine and the drawing must
not.
"""

from __future__ import annotations

from typing import Final

SUIT_PATHS: Final = (
    # Clubs, diamonds, hearts, spades; each about 200 high around the origin.
    "M17 38C20 70 28 88 42 100H-42C-28 88-20 70-17 38A45 45 0 1 1-37-24"
    "A45 45 0 1 1 37-24A45 45 0 1 1 17 38Z",
    "M0-102C20-64 46-30 76 0C46 30 20 64 0 102C-20 64-46 30-76 0C-46-30-20-64 0-102Z",
    "M0 98C-24 54-96 22-96-38C-96-74-72-94-46-94C-24-94-8-80 0-60"
    "C8-80 24-94 46-94C72-94 96-74 96-38C96 22 24 54 0 98Z",
    "M0-102C26-60 94-28 94 26C94 58 72 76 48 76C32 76 20 69 13 58C17 78 25 91 38 100"
    "H-38C-25 91-17 78-13 58C-20 69-32 76-48 76C-72 76-94 58-94 26C-94-28-26-60 0-102Z",
)

# Each character as its width and its strokes, ten high from 0 (top) to 10.
_ALPHABET: Final[dict[str, tuple[float, str]]] = {
    "A": (7.4, "M0 10L3.7 0L7.4 10M1.4 6.6H6"),
    "B": (6, "M3.2 4.6H0M0 0V10H3.3A2.7 2.7 0 0 0 3.3 4.6A2.3 2.3 0 0 0 3.2 0H0"),
    "C": (7.4, "M7.4 1.8A4.4 5 0 1 0 7.4 8.2"),
    "D": (7.4, "M0 0V10H2.6A4.8 5 0 0 0 2.6 0Z"),
    "E": (5.4, "M5.4 0H0V10H5.4M0 4.8H4.8"),
    "F": (5.2, "M5.2 0H0V10M0 4.9H4.6"),
    "G": (8.4, "M7.4 1.8A4.4 5 0 1 0 8.4 5H5.2"),
    "H": (6.8, "M0 0V10M6.8 0V10M0 4.8H6.8"),
    "I": (0, "M0 0V10"),
    "J": (4.6, "M4.6 0V7.4A2.3 2.6 0 0 1 0 7.4"),
    "K": (6.4, "M0 0V10M6.2 0L0 6.4M2.4 3.9L6.4 10"),
    "L": (5.2, "M0 0V10H5.2"),
    "M": (8.4, "M0 10V0L4.2 7L8.4 0V10"),
    "N": (6.8, "M0 10V0L6.8 10V0"),
    "O": (8.6, "M4.3 0A4.3 5 0 0 1 4.3 10A4.3 5 0 0 1 4.3 0Z"),
    "P": (6, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0"),
    "Q": (8.6, "M4.3 0A4.3 5 0 0 1 4.3 10A4.3 5 0 0 1 4.3 0ZM5.2 7L8.4 10.4"),
    "R": (6.4, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0M3.2 5.6L6.4 10"),
    "S": (6, "M5.6 1.6C5 .5 4 0 2.9 0C1.4 0 .3 1 .3 2.4C.3 5.4 6 4.2 6 7.4"
          "C6 9 4.7 10 3 10C1.7 10 .6 9.4 0 8.3"),
    "T": (6.8, "M0 0H6.8M3.4 0V10"),
    "U": (6.8, "M0 0V6.6A3.4 3.4 0 0 0 6.8 6.6V0"),
    "V": (7.2, "M0 0L3.6 10L7.2 0"),
    "W": (10.4, "M0 0L2.7 10L5.2 1.6L7.7 10L10.4 0"),
    "X": (6.6, "M0 0L6.6 10M6.6 0L0 10"),
    "Y": (6.8, "M0 0L3.4 5V10M6.8 0L3.4 5"),
    "Z": (6.2, "M0 0H6.2L0 10H6.2"),
    "0": (6, "M3 0A3 5 0 0 1 3 10A3 5 0 0 1 3 0Z"),
    "1": (2.4, "M0 1.8L2.4 0V10"),
    "2": (6, "M.2 2.6C.4 1 1.5 0 3.1 0C4.7 0 5.8 1 5.8 2.6C5.8 5 2 7 0 10H6"),
    "3": (6, "M.4 1.7C.8 .6 1.8 0 3 0A2.4 2.3 0 0 1 3 4.6H2.4M3 4.6"
          "A2.8 2.7 0 0 1 3 10C1.5 10 .4 9.3 0 8"),
    "4": (6.4, "M4.8 10V0L0 7.2H6.4"),
    "5": (6, "M5.4 0H1L.5 4.5C1.2 3.9 2 3.6 2.9 3.6A3.1 3.2 0 1 1 0 8.2"),
    "6": (6, "M4.7 0L.5 5.2M3 3.8A3 3.1 0 0 1 3 10A3 3.1 0 0 1 3 3.8Z"),
    "7": (6, "M0 0H6L2.2 10"),
    "8": (6, "M3 0A2.5 2.3 0 0 1 3 4.6A2.5 2.3 0 0 1 3 0ZM3 4.6A3 2.7 0 0 1 3 10"
          "A3 2.7 0 0 1 3 4.6Z"),
    "9": (6, "M1.3 10L5.5 4.8M3 6.2A3 3.1 0 0 1 3 0A3 3.1 0 0 1 3 6.2Z"),
    "+": (5, "M0 5.4H5M2.5 2.9V7.9"),
    "-": (4, "M0 5.4H4"),
    ".": (0, "M0 9.9V10"),
    ",": (1, "M.8 9.4L0 11.6"),
    ":": (0, "M0 3.9V4M0 9.9V10"),
    "/": (4, "M0 10L4 0"),
    "(": (2, "M2 -1A8 8 0 0 0 2 11"),
    ")": (2, "M0 -1A8 8 0 0 1 0 11"),
    " ": (2.6, ""),
}  # fmt: skip
_GAP: Final = 2.2
"""Between two characters."""


def rounded(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{round(value, 1) + 0:g}"


def placed(
    content: str, x: float, y: float, *, scale: float = 1, turn: float = 0
) -> str:
    """Content moved to a point, turned by degrees, and scaled."""
    transform = f"translate({rounded(x)} {rounded(y)})"
    if turn:
        transform += f"rotate({rounded(turn)})"
    if scale != 1:
        transform += f"scale({scale:.4g})"
    return f'<g transform="{transform}">{content}</g>'


def suit(of: int, x: float, y: float, height: float, colour: str) -> str:
    """A suit sign around a point."""
    path = f'<path fill="{colour}" d="{SUIT_PATHS[of]}"/>'
    return placed(path, x, y, scale=height / 200)


def width_of(text: str, height: float) -> float:
    """How wide a lettering is."""
    widths = [_ALPHABET[letter][0] for letter in text.upper()]
    return (sum(widths) + _GAP * (len(widths) - 1)) * height / 10


def lettering(
    text: str,
    x: float,
    y: float,
    height: float,
    colour: str,
    *,
    anchor: float = 0,
    weight: float = 1.3,
) -> str:
    """Text in capitals.

    Args:
        text: letters, digits, spaces, and the signs `+-.,:/()`.
        x: where it starts, or the point that `anchor` says.
        y: the line on which it stands.
        height: the height of the capitals.
        colour: the colour.
        anchor: the part of the text that lies left of `x`: 0, 0.5 or 1.
        weight: the width of the strokes, in tenths of the height.
    """
    at = 0.0
    strokes = []
    for letter in text.upper():
        width, path = _ALPHABET[letter]
        strokes.append(f'<path transform="translate({rounded(at)})" d="{path}"/>')
        at += width + _GAP
    left = x - anchor * width_of(text, height)
    style = (
        f'fill="none" stroke="{colour}" stroke-width="{weight:g}" '
        'stroke-linecap="round" stroke-linejoin="round"'
    )
    content = f"<g {style}>{''.join(strokes)}</g>"
    return placed(content, left, y - height, scale=height / 10)
