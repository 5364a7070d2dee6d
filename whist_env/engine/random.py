"""The random stream of a table.

A stream is a function of its address, not of what was drawn before: bits number
``index`` of stream ``stream`` of deal ``deal`` of the table with seed ``seed``. A deal
thus depends on the table's seed and on the deal's number and on nothing else, neither
on the number of tables or threads nor on what was played earlier.

The function is the SplitMix64 generator (Steele, Lea and Flood 2014): a hash of the
address gives its starting point, from which it steps by the golden ratio.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.extending import overload

from whist_env.engine.compile import rule

DEAL, DEALER, PLAY, TURN_UP, CUT, PACK_CUT = range(6)
"""The streams of a table: the shuffle, the first dealer, random play, the turned card
of a given deal, the cut of the other pack, the cut of a pack that is not shuffled."""
STREAMS: Final = 8
"""Room for the streams of a table."""

_WORD: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_GOLDEN_WORD: Final = np.uint64(_GOLDEN)
_FIRST_WORD: Final = np.uint64(_FIRST)
_SECOND_WORD: Final = np.uint64(_SECOND)
_HALF: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


def split_mix(start: np.uint64, index: int) -> np.uint64:
    """Bits number ``index`` of the SplitMix64 generator with this starting point."""
    bits = (int(start) + (int(index) + 1) * _GOLDEN) & _WORD
    bits = ((bits ^ (bits >> 30)) * _FIRST) & _WORD
    bits = ((bits ^ (bits >> 27)) * _SECOND) & _WORD
    return np.uint64(bits ^ (bits >> 31))


@overload(split_mix)  # type: ignore[untyped-decorator]
def _split_mix(start: Any, index: Any) -> Any:
    # Compiled code wraps around by itself, where Python and NumPy would grow or warn.
    def code(start: Any, index: Any) -> Any:
        bits = np.uint64(start) + (np.uint64(index) + np.uint64(1)) * _GOLDEN_WORD
        bits = (bits ^ (bits >> _S30)) * _FIRST_WORD
        bits = (bits ^ (bits >> _S27)) * _SECOND_WORD
        return bits ^ (bits >> _S31)

    return code


@rule
def stream_start(seed: np.uint64, deal: int, stream: int) -> np.uint64:
    """The starting point of one stream of one deal of a table."""
    return split_mix(seed, STREAMS * deal + stream)


@rule
def signed(number: np.uint64) -> int:
    """A number as rules count with it.

    In compiled code ``int`` alone leaves it unsigned, and a rule that gives either an
    unsigned or a signed number gives a float.
    """
    return int(np.int64(number))


@rule
def below(bits: np.uint64, limit: int) -> int:
    """An integer from 0 to ``limit - 1`` from 64 random bits.

    The upper half of the bits is scaled to the limit. Of 2**32 equally likely values
    one result may have one more than another, so its chance is off by at most
    ``limit / 2**32`` of itself (for choices among 52 things: 1 in 82 million).
    """
    return signed(((bits >> _HALF) * np.uint64(limit)) >> _HALF)


@rule
def fair_below(start: np.uint64, index: int, limit: int) -> int:
    """An exactly uniform integer from 0 to ``limit - 1`` (Lemire 2019).

    Bits that would favour one result are thrown away; the next are taken from a
    stream of their own, so that each index stays independent of every other.
    """
    size = np.uint64(limit)
    product = (split_mix(start, index) & _LOW_HALF) * size
    if (product & _LOW_HALF) < size:
        surplus = ((_LOW_HALF - size) + np.uint64(1)) % size
        retry = 0
        while (product & _LOW_HALF) < surplus:
            bits = split_mix(split_mix(start, index), retry)
            product = (bits & _LOW_HALF) * size
            retry += 1
    return signed(product >> _HALF)
