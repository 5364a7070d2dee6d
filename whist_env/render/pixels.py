"""The pixels of an SVG picture.

The library that draws gives a PNG file. What it writes is one kind of PNG, 8-bit RGBA
without interlacing, and the standard library has the decompression, so that reading it
back takes no further dependency.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_EIGHT_BIT_RGBA: Final = (8, 6, 0, 0, 0)
_CHANNELS: Final = 4


def svg_pixels(svg: str, width: int | None = None) -> npt.NDArray[np.uint8]:
    """Draw an SVG picture in pixels, on white where it is transparent.

    Args:
        svg: the picture.
        width: the width in pixels; by default the picture's own. The height follows.

    Returns:
        Red, green and blue, ``(height, width, 3)`` uint8.

    Raises:
        ImportError: the extra ``render`` is not installed.
        ValueError: the text is not an SVG picture, or the width is not positive.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(
            "pixels need the extra 'render': pip install \"whist-env[render]\""
        ) from error
    if width is not None and width < 1:
        raise ValueError(f"width={width!r} must be a positive number of pixels")
    png = svg_to_bytes(
        svg_string=svg, width=width, background="white", skip_system_fonts=True
    )
    return _decoded(png)[:, :, :3].copy()


def _decoded(png: bytes) -> npt.NDArray[np.uint8]:
    """The pixels of an 8-bit RGBA PNG, ``(height, width, 4)``."""
    chunks = list(_chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[0][1])
    assert tuple(kind) == _EIGHT_BIT_RGBA, kind
    data = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + _CHANNELS * width)
    return _unfiltered(rows[:, 0], rows[:, 1:].reshape(height, width, _CHANNELS))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The name and the content of each chunk of a PNG file."""
    place = len(_SIGNATURE)
    while place < len(png):
        length, name = struct.unpack_from(">I4s", png, place)
        yield name, png[place + 8 : place + 8 + length]
        place += 12 + length


def _unfiltered(
    filters: npt.NDArray[np.uint8], differences: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Pixels from their differences to a prediction (PNG specification, section 9).

    A pixel is predicted from those to the left, above, and above to the left. The
    pixels on a diagonal do not depend on one another, so that whole diagonals are
    computed at once: pixel (row, column) stands in ``diagonals[row + column]``, one
    place further on, after a margin of zeros.
    """
    height, width, channels = differences.shape
    diagonals = np.zeros((height + width, height + 1, channels), np.int16)
    for row in range(height):
        diagonals[row + 1 : row + 1 + width, row + 1] = differences[row]
    kinds = filters[:, None]
    for number in range(1, height + width):
        first, last = max(0, number - width), min(height, number)
        before, here = diagonals[number - 1], diagonals[number, first + 1 : last + 1]
        left, up = before[first + 1 : last + 1], before[first:last]
        corner = diagonals[max(0, number - 2), first:last]
        here += _predicted(kinds[first:last], left, up, corner)
        here &= 255
    pixels = np.empty((height, width, channels), np.uint8)
    for row in range(height):
        pixels[row] = diagonals[row + 1 : row + 1 + width, row + 1]
    return pixels


def _predicted(kinds: Any, left: Any, up: Any, corner: Any) -> Any:
    """The predictions by filters 0 to 4: none, left, up, their mean, and Paeth's."""
    slope = left + up - corner
    from_left, from_up = abs(slope - left), abs(slope - up)
    nearest = np.where(from_left <= from_up, left, up)
    least = np.minimum(from_left, from_up)
    paeth = np.where(least <= abs(slope - corner), nearest, corner)
    return np.choose(kinds, (np.int16(0), left, up, (left + up) >> 1, paeth))
