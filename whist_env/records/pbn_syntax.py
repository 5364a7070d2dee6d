"""The syntax of Portable Bridge Notation 2.1: tag pairs, sections, comments.

The standard is free to implement; chapters are named by their numbers. What a tag means
is left to `whist_env.records.pbn`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from whist_env.records.episode import RecordError

MANDATORY: Final = (
    *("Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer"),
    *("Vulnerable", "Deal", "Scoring", "Declarer", "Contract", "Result"),
)
"""The tags that every game of an exported file has, in order (chapter 3.4)."""

_TOKEN: Final = re.compile(
    r"""
      (?P<gap> \n [ \t\r]* (?=\n) )
    | (?P<space> \s )
    | (?P<comment> ;[^\n]* | \{[^}]*\} )
    | \[ \s* (?P<name>\w+) \s* "(?P<value>(?:\\.|[^"\\\n])*)" \s* \]
    | (?P<word> [^\s\[\]{};"]+ )
    """,
    re.VERBOSE,
)
_ESCAPED_LINE: Final = re.compile(r"^%.*\n?", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class PbnGame:
    """A game as it is written.

    Attributes:
        tags: the value of each tag.
        sections: the words that follow a tag, such as those of ``Play``.
        number: the number of the game in its file, from 1.
    """

    tags: dict[str, str]
    sections: dict[str, list[str]]
    number: int


def parse_games(text: str) -> Iterator[PbnGame]:
    """The games of a file.

    Lines that begin with ``%`` and comments are skipped, and values that games inherit
    from earlier ones are filled in (chapter 4.8).

    Raises:
        RecordError: the text is not of this syntax; the message names the line.
    """
    header: dict[str, str] = {}
    last: dict[str, str] = {}
    for game in _split(text):
        _inherit(game.tags, header, last)
        yield game


def _split(text: str) -> Iterator[PbnGame]:
    """The games as they are written: an empty line ends each."""
    # Escaped lines are taken away whole; an empty line in their place would end a game.
    text = _ESCAPED_LINE.sub("", text)
    tags: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    words: list[str] | None = None
    number = 1
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise RecordError(_complaint(text, place))
        place = token.end()
        kind = token.lastgroup
        if kind == "gap" and tags:
            yield PbnGame(tags, sections, number)
            tags, sections, words = {}, {}, None
            number += 1
        elif kind == "value":
            words = []
            # Of a tag that is given twice the first counts (chapter 3.4).
            if token["name"] not in tags:
                tags[token["name"]] = re.sub(r"\\(.)", r"\1", token["value"])
                sections[token["name"]] = words
        elif kind == "word":
            if words is None:
                raise RecordError(_complaint(text, token.start()))
            words.append(token["word"])
    if tags:
        yield PbnGame(tags, sections, number)


def _complaint(text: str, place: int) -> str:
    snippet = text[place : place + 20].split("\n")[0]
    line = text.rstrip("\n")[:place].rsplit("\n", 1)[-1] + snippet
    return (
        f"{snippet!r} cannot be read, in the line {line[:80]!r}; PBN has tags such as "
        '[Dealer "N"], each with what belongs to it, and comments in braces or after ;'
    )


def _inherit(
    tags: dict[str, str], header: dict[str, str], last: dict[str, str]
) -> None:
    """Fill in what a game takes from earlier ones.

    ``#`` is the value of the game before; ``##`` and a text are for all games to come,
    until the tag is given another value.
    """
    for name, value in tags.items():
        if value == "#":
            tags[name] = last.get(name, "")
        elif value.startswith("##"):
            tags[name] = header[name] = value[2:]
        elif name in header:
            header[name] = value
    for name, value in header.items():
        tags.setdefault(name, value)
    last.update(tags)


def tag_pair(name: str, value: str) -> str:
    """A tag with its value, on a line."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    printable = "".join(letter if letter.isprintable() else " " for letter in quoted)
    return f'[{name} "{printable}"]'


def game_text(game: PbnGame) -> str:
    """A game as an exported file has it: the mandatory tags, others by name, sections.

    A section follows its tag, and the tags that have one stand last.
    """
    with_section = [name for name in game.tags if game.sections.get(name)]
    others = sorted(set(game.tags) - set(MANDATORY) - set(with_section))
    lines = [tag_pair(name, game.tags.get(name, "?")) for name in MANDATORY]
    lines += [tag_pair(name, game.tags[name]) for name in others]
    for name in with_section:
        words = game.sections[name]
        lines.append(tag_pair(name, game.tags[name]))
        lines += [" ".join(words[at : at + 4]) for at in range(0, len(words), 4)]
    return "\n".join(lines) + "\n"
