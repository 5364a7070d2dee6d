"""Elements of HTML and SVG whose text cannot be mistaken for markup.

Whatever agents have said is text: it goes into a page only as an argument of `element`,
which escapes it. Only what `element` itself has made is taken as it is.
"""

from __future__ import annotations

import html
from typing import Final

_PLAIN: Final = "\n\t"
"""What is no letter or sign, and may stand in a page."""


class Markup(str):
    """HTML, as opposed to text."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """An element.

    Args:
        name: its name.
        *content: what it holds: text, which is escaped, and other elements.
        **attributes: its attributes. An underscore stands for a hyphen, and one at the
            end for nothing, as in ``class_``; an attribute that is ``None`` is left
            out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{shown(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: str) -> Markup:
    """Texts and elements, one after the other."""
    return Markup(
        "".join(part if isinstance(part, Markup) else shown(part) for part in content)
    )


def shown(text: str) -> Markup:
    r"""Text as a page shows it.

    Signs that have no picture, among them those that turn the direction of a line and
    halves of pairs that no file can hold, are written as ``\x1b`` or ``\u202e``.
    """
    visible = (
        sign
        if sign.isprintable() or sign in _PLAIN
        else sign.encode("unicode_escape").decode()
        for sign in text
    )
    return Markup(html.escape("".join(visible)))
