"""The play where a hand lies open, and its partner plays it, too.

Who plays both hands counts them as one where there are no trumps: a king is as good as
the best card of its suit if the ace lies opposite.
"""

from __future__ import annotations

from whist_agents.hoyle.history import recall
from whist_agents.hoyle.mind import (
    PARTNER,
    Mind,
    Row,
    know_cards,
    know_open_hands,
    place,
    read_one,
    side_with,
)
from whist_agents.hoyle.partners import play_with_partner
from whist_agents.hoyle.questions import is_in
from whist_agents.hoyle.taking import take
from whist_env.cards import NO_CARDS, count, lowest, without
from whist_env.engine.compile import rule
from whist_env.engine.dummy import DUMMY_FEATURES
from whist_env.engine.features import FeatureTable
from whist_env.engine.partners import SEATS
from whist_env.engine.sight import play_features
from whist_env.engine.tricks import NO_SUIT, left_of

_TABLE = FeatureTable(*play_features(SEATS), *DUMMY_FEATURES)
_DEALER = _TABLE.offset("dealer")
_OPEN_HANDS = _TABLE.offset("open_hands")


@rule
def see_open_hands(row: Row, mind: Mind) -> None:
    """Partners sit opposite; hands that lie open are known, and what follows."""
    side_with(mind, PARTNER)
    know_open_hands(mind, row, _OPEN_HANDS)
    know_last_hand(mind)


@rule
def know_last_hand(mind: Mind) -> None:
    """If all other hands are known, the last holds the cards that are left."""
    last = 0
    unknown = 0
    for seat in range(1, SEATS):
        if mind.may_hold[seat] != mind.holds[seat]:
            last = seat
            unknown += 1
    if unknown == 1 and count(mind.may_hold[last]) == size_of_hand(mind, last):
        know_cards(mind, last, mind.may_hold[last])


@rule
def size_of_hand(mind: Mind, seat: int) -> int:
    """How many cards a seat holds; one less once it has played to the trick."""
    has_played = mind.position > 0 and not is_in(mind.to_follow, seat)
    return count(mind.hand) - int(has_played)


@rule
def dealer_of(row: Row, mind: Mind) -> int:
    """Where the dealer sits, counted from the seat that plays."""
    return place(mind, read_one(row, _DEALER, SEATS))


@rule
def play_beside_dummy(row: Row, mind: Mind) -> int:
    """The card to play for a side, of which one hand may lie open, or the other's."""
    if count(mind.legal) == 1:
        return lowest(mind.legal)
    if mind.trump == NO_SUIT:
        count_both_hands(mind)
        return take(mind)
    recall(row, mind, left_of(dealer_of(row, mind), SEATS))
    return play_with_partner(mind)


@rule
def count_both_hands(mind: Mind) -> None:
    """What partner's open hand holds is not out against the side."""
    if mind.holds[PARTNER] != NO_CARDS:
        mind.out = without(mind.out, mind.holds[PARTNER])
