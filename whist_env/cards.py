"""Cards and sets of cards.

A card is an integer ``13 * suit + rank``: suits clubs 0, diamonds 1, hearts 2,
spades 3; rank deuce 0 up to ace 12. A set of cards is one unsigned 64-bit integer
with bit *card* set.

Signed and unsigned 64-bit integers mix into floating point, both in NumPy and in
compiled code, and a float silently loses cards. Every operation on card sets is
therefore here, and each of them takes and returns ``numpy.uint64``: nothing else in
the project shifts or masks a card set with a plain integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, overload, register_jitable

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
RANK_NAMES: Final = (
    *("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
CARDS: Final = 52
RANKS_IN_SUIT: Final = 13
TEN, JACK, QUEEN, KING, ACE = 8, 9, 10, 11, 12
COMPASS: Final = "NESW"
"""Seats 0 to 3 in Portable Bridge Notation: clockwise from North."""

NO_CARDS: Final = np.uint64(0)
FULL_PACK: Final = np.uint64((1 << CARDS) - 1)
_ONE: Final = np.uint64(1)
_SUIT: Final = np.uint64((1 << RANKS_IN_SUIT) - 1)


# Sets of cards, as used by the rules ------------------------------------------------


@register_jitable  # type: ignore[untyped-decorator]
def suit_of(card: int) -> int:
    """The suit of a card, 0 to 3."""
    return card // RANKS_IN_SUIT


@register_jitable  # type: ignore[untyped-decorator]
def rank_of(card: int) -> int:
    """The rank of a card, 0 (deuce) to 12 (ace)."""
    return card % RANKS_IN_SUIT


@register_jitable  # type: ignore[untyped-decorator]
def single(card: int) -> np.uint64:
    """The set that holds this card alone."""
    return np.uint64(_ONE << np.uint64(card))


@register_jitable  # type: ignore[untyped-decorator]
def whole_suit(suit: int) -> np.uint64:
    """The set of all thirteen cards of a suit."""
    return np.uint64(_SUIT << np.uint64(RANKS_IN_SUIT * suit))


@register_jitable  # type: ignore[untyped-decorator]
def holds(cards: np.uint64, card: int) -> bool:
    """Whether the set holds the card."""
    return (cards >> np.uint64(card)) & _ONE != NO_CARDS


@register_jitable  # type: ignore[untyped-decorator]
def without(cards: np.uint64, others: np.uint64) -> np.uint64:
    """The cards of the first set that are not in the second."""
    return np.uint64(cards & ~others)


@register_jitable  # type: ignore[untyped-decorator]
def without_lowest(cards: np.uint64) -> np.uint64:
    """The set less its lowest card; of the empty set, the empty set."""
    if cards == NO_CARDS:
        return NO_CARDS
    return np.uint64(cards & (cards - _ONE))


def count(cards: np.uint64) -> int:
    """The number of cards in the set."""
    return int(cards).bit_count()


def lowest(cards: np.uint64) -> int:
    """The card with the smallest id; 64 of the empty set."""
    return 64 if cards == 0 else (int(cards) & -int(cards)).bit_length() - 1


def highest(cards: np.uint64) -> int:
    """The card with the largest id; -1 of the empty set."""
    return int(cards).bit_length() - 1


def nth(cards: np.uint64, index: int) -> int:
    """The card at this place of the set, counted from 0 at its lowest card."""
    for _ in range(index):
        cards = without_lowest(cards)
    return lowest(cards)


# One machine instruction each where the rules are compiled; the functions above are
# what a debugger runs.


@intrinsic  # type: ignore[untyped-decorator]
def _population_count(_context: Any, cards: Any) -> tuple[Signature, Any]:
    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros(_context: Any, cards: Any) -> tuple[Signature, Any]:
    def code(context: Any, builder: Any, __: Any, arguments: Any) -> Any:
        zero_is_defined = context.get_constant(types.boolean, False)
        return builder.cttz(arguments[0], zero_is_defined)

    return types.int64(types.uint64), code


@intrinsic  # type: ignore[untyped-decorator]
def _leading_zeros(_context: Any, cards: Any) -> tuple[Signature, Any]:
    def code(context: Any, builder: Any, __: Any, arguments: Any) -> Any:
        zero_is_defined = context.get_constant(types.boolean, False)
        return builder.ctlz(arguments[0], zero_is_defined)

    return types.int64(types.uint64), code


@overload(count)  # type: ignore[untyped-decorator]
def _count(cards: Any) -> Any:
    def code(cards: Any) -> Any:
        return _population_count(cards)

    return code


@overload(lowest)  # type: ignore[untyped-decorator]
def _lowest(cards: Any) -> Any:
    def code(cards: Any) -> Any:
        return _trailing_zeros(cards)

    return code


@overload(highest)  # type: ignore[untyped-decorator]
def _highest(cards: Any) -> Any:
    def code(cards: Any) -> Any:
        return 63 - _leading_zeros(cards)

    return code


@intrinsic  # type: ignore[untyped-decorator]
def _nth_bit(_context: Any, cards: Any, index: Any) -> tuple[Signature, Any]:
    def code(context: Any, builder: Any, __: Any, arguments: Any) -> Any:
        bits, place = arguments
        word = bits.type
        deposit = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
        )
        only = builder.shl(ir.Constant(word, 1), place)
        found = builder.call(deposit, [only, bits])
        zero_is_defined = context.get_constant(types.boolean, False)
        return builder.cttz(found, zero_is_defined)

    return types.int64(types.uint64, types.int64), code


def _deposits_bits() -> bool:
    """Whether code is compiled for a processor with a quick instruction for `nth`.

    The first two makes of AMD's Zen have it, but slower than a loop.
    """
    _, processor, abilities = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in abilities and processor not in ("znver1", "znver2")


@overload(nth)  # type: ignore[untyped-decorator]
def _nth(cards: Any, index: Any) -> Any:
    # A loop whose end no processor can guess.
    def one_by_one(cards: Any, index: Any) -> Any:
        for _ in range(index):
            cards = without_lowest(cards)
        return lowest(cards)

    return one_by_one


@overload(nth, target="cpu")  # type: ignore[untyped-decorator]
def _nth_at_once(cards: Any, index: Any) -> Any:
    def at_once(cards: Any, index: Any) -> Any:
        return _nth_bit(cards, index)

    return at_once if _deposits_bits() else None


# Text -------------------------------------------------------------------------------


def card_name(card: int) -> str:
    """The card in text, suit first: ``"SA"``, ``"HT"``, ``"D2"``."""
    return SUITS[card // RANKS_IN_SUIT] + RANKS[card % RANKS_IN_SUIT]


def parse_card(text: str) -> int:
    """The card named by a text such as ``"SA"``, ``"HT"`` or ``"D2"``.

    Raises:
        ValueError: the text is not a suit letter followed by a rank.
    """
    if (
        isinstance(text, str)
        and len(text) == 2
        and text[0] in SUITS
        and text[1] in RANKS
    ):
        return RANKS_IN_SUIT * SUITS.index(text[0]) + RANKS.index(text[1])
    raise ValueError(
        f"{text!r} is not a card: write a suit of {SUITS} and then a rank of {RANKS}, "
        "such as 'SA' or 'D2'"
    )


def members(cards: int | np.uint64) -> Iterator[int]:
    """The cards of a set, from the lowest id to the highest."""
    rest = int(cards)
    while rest:
        bit = rest & -rest
        yield bit.bit_length() - 1
        rest ^= bit


def card_set(cards: Iterable[int]) -> np.uint64:
    """The set of these cards."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return np.uint64(bits)


def hand_text(cards: int | np.uint64) -> str:
    """A hand as Portable Bridge Notation writes it: ``"AKQ.T9.87.65432"``.

    Spades stand first, then hearts, diamonds and clubs; in each suit the highest
    card stands first.
    """
    held = set(members(cards))
    return ".".join(
        "".join(
            RANKS[rank]
            for rank in reversed(range(RANKS_IN_SUIT))
            if RANKS_IN_SUIT * suit + rank in held
        )
        for suit in reversed(range(4))
    )


def parse_hand(text: str) -> np.uint64:
    """The set of cards of a hand such as ``"AKQ.T9.87.65432"``.

    Raises:
        ValueError: not four suits between dots, or an unknown or repeated rank.
    """
    suits = text.split(".")
    if len(suits) != 4:
        raise ValueError(
            f"{text!r} is not a hand: write spades, hearts, diamonds and clubs with a "
            "dot between them, such as 'AKQ.T9.87.65432'"
        )
    cards: list[int] = []
    for suit, ranks in zip(reversed(range(4)), suits, strict=True):
        for rank in ranks.upper():
            if rank not in RANKS:
                raise ValueError(f"{rank!r} in the hand {text!r} is not one of {RANKS}")
            cards.append(RANKS_IN_SUIT * suit + RANKS.index(rank))
    if len(set(cards)) < len(cards):
        raise ValueError(f"the hand {text!r} holds a card twice")
    return card_set(cards)


def deal_text(hands: Iterable[int | np.uint64]) -> str:
    """Four hands, from seat 0, as Portable Bridge Notation writes a deal."""
    return "N:" + " ".join(hand_text(hand) for hand in hands)


def parse_deal(text: str, size: int = RANKS_IN_SUIT) -> tuple[np.uint64, ...]:
    """The hands of seats 0 to 3 of a deal in Portable Bridge Notation.

    Args:
        text: a compass letter, a colon, and four hands clockwise from that seat, such
            as ``"N:AKQ.T9.87.65432 ... ... ..."``. Seat 0 is North.
        size: how many cards each hand has.

    Raises:
        ValueError: not four hands of so many different cards each.
    """
    first, colon, rest = text.strip().partition(":")
    hands = rest.split()
    if not colon or first.upper() not in tuple(COMPASS) or len(hands) != 4:
        raise ValueError(
            f"{text!r} is not a deal: write a seat of {COMPASS}, a colon and four "
            "hands with spaces between them"
        )
    parsed = [parse_hand(hand) for hand in hands]
    _check_deal(parsed, size)
    start = COMPASS.index(first.upper())
    return tuple(parsed[(seat - start) % 4] for seat in range(4))


def _check_deal(hands: list[np.uint64], size: int) -> None:
    seen: set[int] = set()
    for number, hand in enumerate(hands, start=1):
        cards = list(members(hand))
        if len(cards) != size:
            raise ValueError(
                f"hand {number} of the deal has {len(cards)} cards; each of the four "
                f"has {size}"
            )
        twice = seen.intersection(cards)
        if twice:
            raise ValueError(f"{card_name(min(twice))} is in the deal twice")
        seen.update(cards)
