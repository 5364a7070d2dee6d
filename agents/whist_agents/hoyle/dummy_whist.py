"""The player of Dummy Whist, of three players and of two."""

from __future__ import annotations

from typing import Any

from whist_agents.hoyle.dummies import dealer_of, play_beside_dummy, see_open_hands
from whist_agents.hoyle.mind import Mind, Row, know_cards, read, read_one
from whist_env.cards import CARDS, holds, single
from whist_env.engine.compile import rule
from whist_env.engine.features import offsets
from whist_env.engine.tricks import NO_CARD
from whist_env.games.dummy_whist import FEATURES

_TURNED = offsets(FEATURES, "turned")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The card to play from the hand in turn."""
    read(row, mask, mind)
    know_turned(row, mind, read_one(row, _TURNED[options.players], CARDS))
    see_open_hands(row, mind)
    return play_beside_dummy(row, mind)


@rule
def know_turned(row: Row, mind: Mind, turned: int) -> None:
    """The turned card is in the dealer's hand, and in no other, until it is played."""
    if turned != NO_CARD and holds(mind.out, turned):
        mind.turned_by = dealer_of(row, mind)
        know_cards(mind, mind.turned_by, single(turned))
