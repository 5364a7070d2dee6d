"""Cards and sets of cards, compiled and in plain Python, and their texts."""

from __future__ import annotations

import inspect
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whist_env import cards
from whist_env.cards import (
    FULL_PACK,
    NO_CARDS,
    card_name,
    card_set,
    deal_text,
    hand_text,
    members,
    parse_card,
    parse_deal,
    parse_hand,
)

SETS = st.sets(st.integers(0, 51))
BOTH_ENDS = [set(), {0}, {51}, {0, 51}, set(range(52)), {12, 13}, {31, 32, 33}]

# Each operation that the rules use: how it is called with two sets and a card, and what
# it means for ordinary Python sets.
OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "single": (
        lambda a, b, card: cards.single(card),
        lambda a, b, card: {card},
    ),
    "whole_suit": (
        lambda a, b, card: cards.whole_suit(cards.suit_of(card)),
        lambda a, b, card: {c for c in range(52) if c // 13 == card // 13},
    ),
    "holds": (
        lambda a, b, card: cards.holds(a, card),
        lambda a, b, card: card in a,
    ),
    "without": (
        lambda a, b, card: cards.without(a, b),
        lambda a, b, card: a - b,
    ),
    "without_lowest": (
        lambda a, b, card: cards.without_lowest(a),
        lambda a, b, card: a - set(sorted(a)[:1]),
    ),
    "count": (lambda a, b, card: cards.count(a), lambda a, b, card: len(a)),
    "lowest": (
        lambda a, b, card: cards.lowest(a),
        lambda a, b, card: min(a, default=64),
    ),
    "highest": (
        lambda a, b, card: cards.highest(a),
        lambda a, b, card: max(a, default=-1),
    ),
    "nth": (
        lambda a, b, card: cards.nth(a, cards.count(a) - 1),
        lambda a, b, card: max(a, default=64),
    ),
    "suit_of": (lambda a, b, card: cards.suit_of(card), lambda a, b, card: card // 13),
    "rank_of": (lambda a, b, card: cards.rank_of(card), lambda a, b, card: card % 13),
}
SETS_OF_CARDS = ("single", "whole_suit", "without", "without_lowest")
COMPILED = {name: numba.njit(call) for name, (call, _) in OPERATIONS.items()}


def test_every_operation_on_sets_is_tested_here() -> None:
    source = inspect.getsource(cards)
    rules = source[source.index("# Sets of cards") : source.index("# One machine")]
    defined = {
        line[4 : line.index("(")] for line in rules.splitlines() if "def " in line
    }
    assert defined == set(OPERATIONS)


@pytest.mark.parametrize("how", ["plain", "compiled"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_do_what_sets_do(name: str, how: str) -> None:
    call, meaning = OPERATIONS[name]
    operation = call if how == "plain" else COMPILED[name]
    rng = random.Random(name)
    examples = [*BOTH_ENDS, *(set(rng.sample(range(52), k)) for k in range(53))]
    for first in examples:
        second = set(rng.sample(range(52), 26))
        for card in (0, 12, 13, 51, rng.randrange(52)):
            expected = meaning(first, second, card)
            result = operation(card_set(first), card_set(second), card)
            if isinstance(expected, set):
                assert type(result) is (np.uint64 if how == "plain" else int)
                assert set(members(result)) == expected
            else:
                assert result == expected
                assert isinstance(result, (bool, np.bool_, int))


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_gives_a_float_in_plain_python(name: str) -> None:
    """Cards come as Python integers, and as the signed bytes of a record."""
    call, _ = OPERATIONS[name]
    for card in (51, np.int8(51), np.int64(51)):
        result = call(card_set({3, 50, 51}), card_set({50}), card)
        kind = np.asarray(result).dtype
        assert kind == np.uint64 if name in SETS_OF_CARDS else kind.kind in "bi"


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("card_type", [numba.int8, numba.int64])
def test_no_operation_gives_a_float_when_compiled(name: str, card_type: Any) -> None:
    function = numba.njit(OPERATIONS[name][0])
    function.compile((numba.uint64, numba.uint64, card_type))
    (signature,) = function.nopython_signatures
    if name in SETS_OF_CARDS:
        assert signature.return_type == numba.uint64
    else:
        assert isinstance(
            signature.return_type, numba.types.Integer | numba.types.Boolean
        )
    machine_code = function.inspect_llvm(function.signatures[0])
    assert re.search(r"\b(double|float)\b", machine_code) is None


def test_sets_keep_every_card_that_a_float_would_lose() -> None:
    """A float has 53 bits: it cannot tell a set with bit 53 and bit 0 from less."""
    awkward = np.uint64((1 << 63) | 1)
    assert cards.lowest(awkward) == 0
    assert cards.lowest(cards.without_lowest(awkward)) == 63
    assert cards.count(cards.without(awkward, np.uint64(1))) == 1
    assert int(cards.without(FULL_PACK, cards.single(0))) == (1 << 52) - 2


# Text


def test_every_card_has_the_name_of_its_suit_and_rank() -> None:
    names = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    assert [card_name(card) for card in range(52)] == names
    assert [parse_card(name) for name in names] == list(range(52))


@pytest.mark.parametrize(
    "text", ["", "S", "AS", "S1", "XA", "SAA", "sa", "10S", "♠A", 5, None]
)
def test_what_is_not_a_card_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="is not a card: write a suit of CDHS"):
        parse_card(text)


@given(SETS)
def test_a_set_gives_back_its_members_in_order(held: set[int]) -> None:
    assert list(members(card_set(held))) == sorted(held)
    assert card_set(held).dtype == np.uint64


@given(SETS)
def test_a_hand_is_read_as_it_is_written(held: set[int]) -> None:
    text = hand_text(card_set(held))
    assert parse_hand(text) == card_set(held)
    assert parse_hand(text.lower()) == card_set(held)


def test_hands_are_written_as_portable_bridge_notation_writes_them() -> None:
    held = [parse_card(name) for name in "S2 DA SA H9 HT CQ CJ SK".split()]
    assert hand_text(card_set(held)) == "AK2.T9.A.QJ"
    assert hand_text(NO_CARDS) == "..."
    assert hand_text(FULL_PACK) == ".".join(["AKQJT98765432"] * 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AKQ.T9.87", "is not a hand: write spades, hearts, diamonds and clubs"),
        ("AKQ.T9.87.2.3", "is not a hand"),
        ("AKX...", "'X' in the hand 'AKX...' is not one of 23456789TJQKA"),
        ("AKA...", "holds a card twice"),
    ],
)
def test_what_is_not_a_hand_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        parse_hand(text)


def random_hands(seed: int) -> list[np.uint64]:
    pack = list(range(52))
    random.Random(seed).shuffle(pack)
    return [card_set(pack[13 * seat : 13 * seat + 13]) for seat in range(4)]


def test_a_deal_is_read_as_it_is_written_from_any_seat() -> None:
    for seed in range(50):
        hands = random_hands(seed)
        assert deal_text(hands).startswith("N:")
        assert list(parse_deal(deal_text(hands))) == hands
        for first, letter in enumerate("NESW"):
            turned = [hand_text(hands[(first + k) % 4]) for k in range(4)]
            assert list(parse_deal(f"{letter}:" + " ".join(turned))) == hands
            assert (
                list(parse_deal(f" {letter.lower()}:  " + "  ".join(turned))) == hands
            )


SUITS_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a deal: write a seat of NESW"),
        (SUITS_EACH[2:], "is not a deal"),
        ("X" + SUITS_EACH[1:], "is not a deal"),
        (SUITS_EACH + " ...", "is not a deal"),
        (SUITS_EACH.replace("N:A", "N:"), "hand 1 of the deal has 12 cards"),
        (SUITS_EACH.replace("N:A", "N:AA"), "holds a card twice"),
        (SUITS_EACH.replace(" .A", " A."), "SA is in the deal twice"),
    ],
)
def test_what_is_not_a_deal_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_deal(text)


def test_sets_work_without_the_compiler_and_without_warnings() -> None:
    program = """
from whist_env import cards
import numpy as np
pack = cards.FULL_PACK
for card in np.arange(52, dtype=np.int8):
    assert cards.holds(pack, card)
    pack = cards.without(pack, cards.single(card))
    assert type(pack) is np.uint64, type(pack)
    assert cards.count(pack) == 51 - card
assert pack == cards.NO_CARDS
"""
    command = [sys.executable, "-W", "error", "-c", program]
    subprocess.run(command, check=True, env={"NUMBA_DISABLE_JIT": "1"})
