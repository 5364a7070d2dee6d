"""The greedy agent: takes every trick that it can, as cheaply as it can."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from whist_env import Views
from whist_env.cards import CARDS, RANKS_IN_SUIT

_SUIT: Final = np.arange(CARDS) // RANKS_IN_SUIT
_RANK: Final = np.arange(CARDS) % RANKS_IN_SUIT
_WORST: Final = -2 * CARDS
"""Below the worth of every card."""


class GreedyAgent:
    """Leads high, takes a trick with the lowest card that will, else throws its lowest.

    It looks at the trick on the table and no further: at no partner, no card played
    before, and no contract. Of cards of one rank it plays the first by suit, where it
    can trumps last. Of calls it makes the first: in most games it passes.
    """

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        """A legal action for each view, ``(len(views),)`` int64."""
        mask = views.action_mask != 0
        cards = mask[:, :CARDS]
        chosen = np.where(cards, _worth(views), _WORST).argmax(1)
        found: npt.NDArray[np.int64] = np.where(
            cards.any(1), chosen, mask.argmax(1)
        ).astype(np.int64)
        return found


def _worth(views: Views) -> npt.NDArray[np.int64]:
    """What the agent thinks of playing each card, ``(len(views), 52)``."""
    winning = _feature(views, "winning_card")
    trumps = _feature(views, "trump")[:, _SUIT] != 0
    height = _RANK + RANKS_IN_SUIT * trumps
    is_led = winning.any(1, keepdims=True)
    best = winning.argmax(1)[:, None]
    best_height = np.take_along_axis(height, best, 1)
    beats = is_led & (height > best_height) & (trumps | (_SUIT == _SUIT[best]))
    worth: npt.NDArray[np.int64] = np.where(
        is_led, np.where(beats, CARDS - height, -height), _RANK
    )
    return worth


def _feature(views: Views, name: str) -> npt.NDArray[np.int8]:
    part: npt.NDArray[np.int8] = views.observation[:, views.game.features[name]]
    return part
