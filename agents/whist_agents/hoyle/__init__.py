"""The rule-of-thumb player of Whist, by the maxims of the old books.

It sees one observation at a time and counts the cards: it knows the voids that were
proven, the best card left of each suit, and which trumps are out. What it knows is in
`whist_agents.hoyle.mind`; the maxims are in the three other modules. They are written
as the rules of a game are, so that the same functions run in a debugger and compiled.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import FunctionType
from typing import Any, Final, cast

import numba
import numpy as np
import numpy.typing as npt

from whist_agents.hoyle.discarding import ruff_or_discard
from whist_agents.hoyle.following import fourth_hand, second_hand, third_hand
from whist_agents.hoyle.leading import lead
from whist_agents.hoyle.mind import MIND, Mind, Row, in_suit, read
from whist_env import Views
from whist_env.cards import NO_CARDS, count, lowest
from whist_env.engine.compile import rule, source_digest

HOYLE_VERSION: Final = "hoyle-v1"
"""The reference player is frozen; a player that plays otherwise gets another number."""

_LEADING, _SECOND, _THIRD = range(3)


@rule
def choose(row: Row, mind: Mind) -> int:
    """The card to play.

    Args:
        row: an observation of Whist, ``(features.size,)`` int8.
        mind: one record to think with; what it held does not matter.
    """
    read(row, mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    if mind.position == _LEADING:
        return lead(mind)
    if in_suit(mind.hand, mind.led) == NO_CARDS:
        return ruff_or_discard(mind)
    if mind.position == _SECOND:
        return second_hand(mind)
    if mind.position == _THIRD:
        return third_hand(mind)
    return fourth_hand(mind)


def _choose_all(rows: Any, memory: Any, cards: Any) -> None:
    mind = memory[0]
    for index in range(rows.shape[0]):
        cards[index] = choose(rows[index], mind)


def _compiled() -> Any:
    """`_choose_all`, compiled under a name that changes with the sources it is from.

    The disk cache looks at this file only; see `whist_env.engine.compile`.
    """
    digest = hashlib.sha256(source_digest("whist").encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    plain = cast(FunctionType, _choose_all)
    copy = FunctionType(plain.__code__, plain.__globals__, plain.__name__)
    copy.__qualname__ = f"choose_all_{digest.hexdigest()[:16]}"
    return numba.njit(cache=True, nogil=True)(copy)


_COMPILED: Final = _compiled()


class HoyleAgent:
    """Plays Whist by rules of thumb; the same view always gets the same card."""

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A card for each view, ``(len(views),)`` int64.

        Raises:
            ValueError: the game is not Whist.
        """
        if views.game.name != "whist":
            raise ValueError(f"hoyle plays whist, not {views.game.name}")
        cards = np.empty(len(views), np.int64)
        rows = np.ascontiguousarray(views.observation, np.int8)
        _COMPILED(rows, np.zeros(1, MIND), cards)
        return cards
