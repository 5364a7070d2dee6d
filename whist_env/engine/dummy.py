"""Dummy: a hand that lies open, and that another plays.

The agent that decides and the seat whose hand plays are then two things. Both are in
the record, and both are in what a player observes, which begins with the features of
play and then has those of this file.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS
from whist_env.engine.compile import rule
from whist_env.engine.features import Feature, FeatureTable, write, write_cards
from whist_env.engine.sight import play_features, relative

SEATS: Final = 4

DUMMY_FEATURES: Final = (
    Feature(
        "decides",
        ("seat",),
        (SEATS,),
        0,
        1,
        "The seat of the agent that decides for the hand to act; none at the end.",
    ),
    Feature(
        "open_hands",
        ("seat", "card"),
        (SEATS, 52),
        0,
        1,
        "Cards in the hands of other seats that the observer sees.",
    ),
)

_TABLE: Final = FeatureTable(*play_features(SEATS), *DUMMY_FEATURES)
_DECIDES = _TABLE.offset("decides")
_OPEN_HANDS = _TABLE.offset("open_hands")


@rule
def write_decider(decider: int, seat: int, out: npt.NDArray[Any]) -> None:
    """Write at which seat the agent sits that decides, as seen from a seat."""
    write(out, _DECIDES + relative(decider, seat, SEATS), 1)


@rule
def write_open_hand(
    cards: np.uint64, other: int, seat: int, out: npt.NDArray[Any]
) -> None:
    """Write a hand that lies open at another seat, as seen from a seat."""
    write_cards(out, _OPEN_HANDS + CARDS * relative(other, seat, SEATS), cards)
