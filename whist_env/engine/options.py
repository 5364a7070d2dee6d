"""Options of a game: validated words for people, integers for the rules.

Options are declared once, as a frozen dataclass whose fields are made by `choice` and
`number`. They live in the record of each table as integers, so that a saved table is
complete by itself.
"""

from __future__ import annotations

import dataclasses
import difflib
import operator
from typing import Any, Self

import numpy as np

NOT_GIVEN = -1
"""How an option whose value is ``None`` is written in a record."""


def choice(default: str, *values: str, meaning: str, **only: tuple[Any, ...]) -> Any:
    """An option that is one of a few words.

    Args:
        default: the word taken when none is given.
        *values: all words, in the order of their numbers in the record.
        meaning: one sentence for the documentation.
        **only: other options with the values under which this one has a meaning.
    """
    return dataclasses.field(
        default=default,
        metadata={"values": values, "meaning": meaning, "only": only},
    )


def flag(default: bool, *, meaning: str, **only: tuple[Any, ...]) -> Any:
    """An option that is either so or not."""
    return dataclasses.field(
        default=default,
        metadata={"values": (False, True), "meaning": meaning, "only": only},
    )


def number(
    default: int | None,
    low: int,
    high: int,
    *,
    meaning: str,
    or_none: bool = False,
    **only: tuple[Any, ...],
) -> Any:
    """An option that is a whole number from ``low`` to ``high``.

    ``None`` may be given as well with ``or_none``, or where it is the default.
    """
    metadata = {
        "low": low,
        "high": high,
        "or_none": or_none or default is None,
        "meaning": meaning,
        "only": only,
    }
    return dataclasses.field(default=default, metadata=metadata)


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether a value that a user gave is a whole number from ``low`` to ``high``."""
    try:
        return not isinstance(value, bool) and low <= operator.index(value) <= high
    except TypeError:
        return False


@dataclasses.dataclass(frozen=True)
class Options:
    """Base of the options of every game.

    Raises:
        ValueError: a value is not one that the option takes, or the option has no
            meaning beside another; the message names the option and its values.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check_value(field)
        for field in dataclasses.fields(self):
            self._check_meaning(field)

    @classmethod
    def from_names(cls, **given: Any) -> Self:
        """Options from keywords.

        Raises:
            TypeError: there is no option of some name.
            ValueError: a value is not one that its option takes.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for name in given:
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise TypeError(
                    f"there is no option {name!r}{hint}; the options are "
                    + ", ".join(names)
                )
        return cls(**given)

    @classmethod
    def dtype(cls) -> np.dtype[Any]:
        """The options as they stand in a record: one int32 each."""
        return np.dtype([(f.name, np.int32) for f in dataclasses.fields(cls)])

    def as_integers(self) -> tuple[int, ...]:
        """The options as the record holds them, in order."""
        return tuple(self._integer(field) for field in dataclasses.fields(self))

    @classmethod
    def from_integers(cls, integers: Any) -> Self:
        """The options that `as_integers` wrote."""
        values = {}
        for field, integer in zip(dataclasses.fields(cls), integers, strict=True):
            words = field.metadata.get("values")
            if words is not None:
                values[field.name] = words[integer]
            else:
                values[field.name] = None if integer == NOT_GIVEN else int(integer)
        return cls(**values)

    def _check_value(self, field: dataclasses.Field[Any]) -> None:
        value = getattr(self, field.name)
        words = field.metadata.get("values")
        if words is not None:
            if value not in words:
                raise ValueError(
                    f"{field.name}={value!r} is not a value of this option; it takes "
                    + " or ".join(repr(word) for word in words)
                )
            return
        if value is None and field.metadata["or_none"]:
            return
        low, high = field.metadata["low"], field.metadata["high"]
        if not is_whole(value, low, high):
            allowed = f"a whole number from {low} to {high}"
            if field.metadata["or_none"]:
                allowed += ", or None"
            raise ValueError(f"{field.name}={value!r} must be {allowed}")
        object.__setattr__(self, field.name, operator.index(value))

    def _check_meaning(self, field: dataclasses.Field[Any]) -> None:
        if getattr(self, field.name) == field.default:
            return
        for other, values in field.metadata["only"].items():
            if getattr(self, other) not in values:
                raise ValueError(
                    f"{field.name}={getattr(self, field.name)!r} has a meaning only "
                    f"with {other}=" + " or ".join(repr(value) for value in values)
                )

    def _integer(self, field: dataclasses.Field[Any]) -> int:
        value = getattr(self, field.name)
        words = field.metadata.get("values")
        if words is not None:
            return int(words.index(value))
        return NOT_GIVEN if value is None else int(value)
