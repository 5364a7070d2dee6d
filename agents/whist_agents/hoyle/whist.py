"""The player of Whist; frozen, so that it can be played against as a reference."""

from __future__ import annotations

from typing import Any, Final

from whist_agents.hoyle.history import recall
from whist_agents.hoyle.mind import (
    PARTNER,
    Mind,
    Row,
    follow_suit,
    know_cards,
    read,
    read_one,
    side_with,
)
from whist_agents.hoyle.partners import play_with_partner
from whist_env.cards import CARDS, count, holds, lowest, single
from whist_env.engine.compile import rule
from whist_env.engine.partners import SEATS
from whist_env.engine.tricks import NO_CARD, left_of
from whist_env.games.whist import FEATURES

HOYLE_VERSION: Final = "hoyle-v1"
"""The reference player is frozen; a player that plays otherwise gets another number."""

_TURNED = FEATURES.offset("turned")
_DEALER = FEATURES.offset("dealer")


@rule
def choose(row: Row, mask: Row, options: Any, mind: Mind) -> int:
    """The card to play."""
    read(row, mask, mind)
    follow_suit(mind)
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    reflect(row, mind)
    return play_with_partner(mind)


@rule
def reflect(row: Row, mind: Mind) -> None:
    """What the rules of Whist tell: the partner, the turned card, the tricks before."""
    side_with(mind, PARTNER)
    dealer = read_one(row, _DEALER, SEATS)
    know_turned(row, mind, dealer)
    recall(row, mind, left_of(dealer, SEATS))


@rule
def know_turned(row: Row, mind: Mind, dealer: int) -> None:
    """The turned card is in the dealer's hand, and in no other, until it is played."""
    turned = read_one(row, _TURNED, CARDS)
    if turned != NO_CARD and holds(mind.out, turned):
        mind.turned_by = dealer
        know_cards(mind, dealer, single(turned))
