"""What a player has in mind: all that one observation tells.

A mind is one record, as a table is (see `whist_env.engine.record`). `read` fills it
from the features of play that all games share; a game's player then adds what its own
rules tell: who is partner, which hands lie open, which cards are in no hand, how the
cards rank. The maxims ask it the questions of a card player
(`whist_agents.hoyle.questions`).

Seats are counted from the one whose hand plays: it is 0, its left neighbour 1. That is
the observer, but for a dummy.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from whist_env.cards import (
    ACE,
    CARDS,
    FULL_PACK,
    NO_CARDS,
    holds,
    lowest,
    single,
    suit_of,
    whole_suit,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import FeatureTable, offsets
from whist_env.engine.record import NOBODY
from whist_env.engine.sight import MOST_SEATS, play_features, relative
from whist_env.engine.tricks import NO_CARD, NO_SUIT

ME, LEFT, PARTNER, RIGHT = range(4)
"""The seats at a table of four where partners sit opposite."""

Row: TypeAlias = npt.NDArray[Any]
Mind: TypeAlias = Any
"""A record of type `MIND`."""

MIND: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # How many seats there are, which the maker of the mind sets, and which
                # of them, counted from the observer, is the one whose hand plays.
                ("seats", np.int64),
                ("player", np.int64),
                # Sets of cards: held, legal to play, and those that are in another
                # hand, or may be.
                ("hand", np.uint64),
                ("legal", np.uint64),
                ("out", np.uint64),
                # By seat: cards it may hold for all that is proven, cards it holds for
                # certain, cards it played.
                ("may_hold", np.uint64, (MOST_SEATS,)),
                ("holds", np.uint64, (MOST_SEATS,)),
                ("played", np.uint64, (MOST_SEATS,)),
                # Sets of seats (bit *seat*): partners, those that play to this trick
                # after this one.
                ("partners", np.int64),
                ("to_follow", np.int64),
                # The cards that are trumps, their suit, a card that is the best of
                # them whatever is printed on it, and the rank of aces, which is not
                # the highest everywhere.
                ("trumps", np.uint64),
                ("trump", np.int64),
                ("best_trump", np.int64),
                ("ace_rank", np.int64),
                # The trick: how many cards are on the table and which, who led which
                # card of which suit, the card that wins so far and whose it is.
                ("position", np.int64),
                ("on_table", np.uint64),
                ("leader", np.int64),
                ("led_card", np.int64),
                ("led", np.int64),
                ("winning_card", np.int64),
                ("winner", np.int64),
                # What its taker is charged for a trick and for each card in it, where
                # tricks are better avoided.
                ("trick_price", np.int64),
                ("prices", np.int8, (CARDS,)),
                # Card by seat and trick, and what that history shows: how often each
                # suit was led, the first plain suit that partner led, the first suit
                # that each seat threw away (`whist_agents.hoyle.history`).
                ("history", np.int8, (CARDS,)),
                ("rounds", np.int64, (4,)),
                ("partner_suit", np.int64),
                ("thrown", np.int64, (MOST_SEATS,)),
                # The owner of the turned card while it is in hand.
                ("turned_by", np.int64),
            ],
            align=True,
        ),
    )
)

_TABLES: Final = {
    seats: FeatureTable(*play_features(seats)) for seats in range(2, MOST_SEATS + 1)
}
_HAND = offsets(_TABLES, "hand")
_PLAYED = offsets(_TABLES, "played")
_TRICK = offsets(_TABLES, "trick")
_WINNING_CARD = offsets(_TABLES, "winning_card")
_VOIDS = offsets(_TABLES, "voids")
_TRUMP = offsets(_TABLES, "trump")
_LEADER = offsets(_TABLES, "leader")
_TO_ACT = offsets(_TABLES, "to_act")


def new_mind(seats: int) -> npt.NDArray[Any]:
    """One empty mind for a table with this many seats, as an array of one record."""
    mind = np.zeros(1, MIND)
    mind["seats"] = seats
    return mind


# Numbers of an observation ------------------------------------------------------------


def read_cards(row: Row, offset: int) -> np.uint64:
    """The set of cards marked in 52 numbers of an observation or an action mask."""
    cards = NO_CARDS
    for card in range(CARDS):
        if row[offset + card] != 0:
            cards |= single(card)
    return cards


@rule
def read_one(row: Row, offset: int, size: int) -> int:
    """The first place that is marked in some numbers of the observation, or -1."""
    for place in range(size):
        if row[np.uint64(offset + place)] != 0:
            return place
    return -1


# Compiled, a set is read with a few instructions on all 52 numbers at once, as it is
# written (see `whist_env.engine.features`); the function above is what a debugger runs.


@overload(read_cards)  # type: ignore[untyped-decorator]
def _read_cards(row: Any, offset: Any) -> Any:
    def code(row: Any, offset: Any) -> Any:
        return _gather(row, offset)

    return code


@intrinsic  # type: ignore[untyped-decorator]
def _gather(_context: Any, row: Any, offset: Any) -> tuple[Signature, Any]:
    """Set bit *i* of a word where number *i* of 52 bytes is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = ir.VectorType(ir.IntType(8), CARDS)
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        packed = builder.load(builder.bitcast(place, numbers.as_pointer()), align=1)
        marked = builder.icmp_signed("!=", packed, ir.Constant(numbers, None))
        word = builder.bitcast(marked, ir.IntType(CARDS))
        return builder.zext(word, ir.IntType(64))

    if row != types.Array(types.int8, 1, "C"):
        raise TypeError(f"cards are read from a row of signed bytes, not from {row}")
    return types.uint64(row, types.intp), code


# Reading an observation ---------------------------------------------------------------


@rule
def read(row: Row, mask: Row, mind: Mind) -> None:
    """Take in what all games show of the play.

    Nobody is partner yet, the pack is whole, cards rank as printed, no trick has a
    price; whatever else a game tells is added by the functions below.

    Args:
        row: an observation, which begins with the features of play.
        mask: its action mask.
        mind: what to fill; of what it held only the number of seats counts.
    """
    seats = int(mind.seats)
    mind.player = max(0, read_one(row, _TO_ACT[seats], seats))
    mind.partners = 0
    mind.best_trump = NO_CARD
    mind.ace_rank = ACE
    mind.turned_by = NOBODY
    clear_prices(mind)
    mind.legal = read_cards(mask, 0)
    read_trump(row, mind)
    read_cards_gone(row, mind)
    read_trick(row, mind)
    read_holdings(row, mind)
    if mind.player != 0:
        know_hand(mind, place(mind, 0), read_cards(row, _HAND[seats]))


@rule
def place(mind: Mind, seat: int) -> int:
    """Where a seat sits for the one that plays; it is given as the observer counts."""
    return relative(seat, mind.player, mind.seats)


@rule
def clear_prices(mind: Mind) -> None:
    """Neither tricks nor cards are charged for."""
    mind.trick_price = 0
    for card in range(CARDS):
        mind.prices[card] = 0


@rule
def read_trump(row: Row, mind: Mind) -> None:
    """The trumps, if there are any."""
    mind.trump = read_one(row, _TRUMP[int(mind.seats)], 4)
    mind.trumps = NO_CARDS
    if mind.trump != NO_SUIT:
        mind.trumps = whole_suit(mind.trump)


@rule
def read_cards_gone(row: Row, mind: Mind) -> None:
    """The player's hand, the cards played, and those that are left."""
    seats = int(mind.seats)
    mind.hand = read_cards(row, _HAND[seats]) if mind.player == 0 else NO_CARDS
    seen = mind.hand
    for seat in range(seats):
        cards = read_cards(row, _PLAYED[seats] + CARDS * seat)
        mind.played[place(mind, seat)] = cards
        seen |= cards
    mind.out = without(FULL_PACK, seen)


@rule
def read_trick(row: Row, mind: Mind) -> None:
    """The trick on the table, and who is still to play to it."""
    seats = int(mind.seats)
    mind.leader = place(mind, read_one(row, _LEADER[seats], seats))
    mind.winning_card = NO_CARD
    mind.winner = NOBODY
    mind.led_card = NO_CARD
    mind.led = NO_SUIT
    mind.position = 0
    mind.on_table = NO_CARDS
    mind.to_follow = 0
    best = read_cards(row, _WINNING_CARD[seats])
    for seat in range(seats):
        cards = read_cards(row, _TRICK[seats] + CARDS * seat)
        here = place(mind, seat)
        if cards == NO_CARDS:
            mind.to_follow |= int(here != ME) << here
        else:
            mind.position += 1
            mind.on_table |= cards
            if here == mind.leader:
                mind.led_card = lowest(cards)
                mind.led = suit_of(mind.led_card)
            if cards == best:
                mind.winning_card = lowest(cards)
                mind.winner = here


@rule
def read_holdings(row: Row, mind: Mind) -> None:
    """The cards that each seat may hold: not in a suit it failed to follow."""
    seats = int(mind.seats)
    for seat in range(MOST_SEATS):
        mind.may_hold[seat] = NO_CARDS
        mind.holds[seat] = NO_CARDS
    for seat in range(seats):
        cards = mind.out
        for suit in range(4):
            if row[np.uint64(_VOIDS[seats] + 4 * seat + suit)] != 0:
                cards = without(cards, whole_suit(suit))
        mind.may_hold[place(mind, seat)] = cards
    mind.may_hold[ME] = mind.hand
    mind.holds[ME] = mind.hand


# What a game's own rules tell ---------------------------------------------------------


@rule
def side_with(mind: Mind, seat: int) -> None:
    """A seat is partner."""
    mind.partners |= 1 << seat


@rule
def know_cards(mind: Mind, seat: int, cards: np.uint64) -> None:
    """A seat holds these cards for certain, so that nobody else does."""
    for other in range(1, int(mind.seats)):
        if other != seat:
            mind.may_hold[other] = without(mind.may_hold[other], cards)
    mind.may_hold[seat] |= cards
    mind.holds[seat] |= cards


@rule
def know_hand(mind: Mind, seat: int, cards: np.uint64) -> None:
    """A seat holds these cards and no others: its hand lies open."""
    know_cards(mind, seat, cards)
    mind.may_hold[seat] = cards
    mind.holds[seat] = cards
    if seat == ME:
        mind.hand = cards
        mind.out = without(mind.out, cards)


@rule
def know_open_hands(mind: Mind, row: Row, offset: int) -> None:
    """Hands that lie open, as a feature shows them: 52 numbers for each seat.

    The hand of a dummy that plays is one of them.
    """
    for seat in range(int(mind.seats)):
        cards = read_cards(row, offset + CARDS * seat)
        if cards != NO_CARDS:
            know_hand(mind, place(mind, seat), cards)


@rule
def lay_aside(mind: Mind, cards: np.uint64) -> None:
    """Cards that nobody holds: not in the pack, discarded, left over."""
    mind.out = without(mind.out, cards)
    for seat in range(1, int(mind.seats)):
        mind.may_hold[seat] = without(mind.may_hold[seat], cards)


@rule
def rank_as_best_trump(mind: Mind, card: int) -> None:
    """A card is the best trump whatever its suit, as a Jack of diamonds in Boston.

    Where there are no trumps it ranks as printed.
    """
    if mind.trump == NO_SUIT:
        return
    mind.best_trump = card
    mind.trumps |= single(card)
    if mind.led_card == card:
        mind.led = mind.trump
    if not holds(mind.out, card):
        return
    for seat in range(1, int(mind.seats)):
        # Where nobody's hand shows it, whoever may hold trumps may hold it.
        if mind.may_hold[seat] != mind.holds[seat]:
            mind.may_hold[seat] = without(mind.may_hold[seat], single(card))
            if mind.may_hold[seat] & mind.trumps != NO_CARDS:
                mind.may_hold[seat] |= single(card)


@rule
def follow_suit(mind: Mind) -> None:
    """Where a game lets players revoke, do not."""
    same_suit = np.uint64(mind.legal & whole_suit(mind.led))
    if mind.position > 0 and same_suit != NO_CARDS:
        mind.legal = same_suit


@rule
def price_suit(mind: Mind, suit: int, price: int) -> None:
    """Whoever takes a card of this suit is charged for it."""
    for card in range(13 * suit, 13 * suit + 13):
        mind.prices[card] = price
