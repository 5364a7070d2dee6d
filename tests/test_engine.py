"""The engine below the games: chance, tricks, options, features, saved records."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from whist_tables import whist_game

from whist_env.engine import random as chance
from whist_env.engine import tricks
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    is_row,
    write_by_card,
    write_cards,
)
from whist_env.engine.options import Options, choice, number
from whist_env.engine.record import CHECKSUM, load, record_dtype, save
from whist_env.envs.seeding import seed_word, seed_words
from whist_env.envs.vector import Tables
from whist_env.games import whist

WORD = (1 << 64) - 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@numba.njit
def compiled_split_mix(start: Any, index: int) -> Any:
    return chance.split_mix(start, index)


@numba.njit
def compiled_below(bits: Any, limit: int) -> int:
    return chance.below(bits, limit)


@numba.njit
def compiled_fair_below(start: Any, index: int, limit: int) -> int:
    return chance.fair_below(start, index, limit)


# Random numbers ---------------------------------------------------------------------


def test_the_generator_is_split_mix() -> None:
    """The first numbers of the published generator, seeded with 1234567."""
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    start = np.uint64(1234567)
    assert [int(chance.split_mix(start, i)) for i in range(5)] == published
    assert [compiled_split_mix(start, i) for i in range(5)] == published


def test_compiled_and_plain_random_numbers_are_the_same() -> None:
    rng = random.Random(0)
    for _ in range(2000):
        start = np.uint64(rng.choice([0, WORD, rng.getrandbits(64)]))
        index = rng.choice([0, 51, 2**40, rng.getrandbits(20)])
        limit = rng.choice([1, 2, 13, 52, 2**31, 3 << 30, rng.randrange(1, 2**32)])
        assert compiled_split_mix(start, index) == chance.split_mix(start, index)
        assert compiled_below(start, limit) == chance.below(start, limit)
        drawn = chance.fair_below(start, index, limit)
        assert compiled_fair_below(start, index, limit) == drawn
        assert 0 <= chance.below(start, limit) < limit
        assert 0 <= drawn < limit


def start_that_gives(bits: int, index: int) -> np.uint64:
    """The starting point whose number ``index`` is ``bits``, found backwards."""
    bits ^= bits >> 31 ^ bits >> 62
    bits = bits * pow(SECOND, -1, 1 << 64) & WORD
    bits ^= bits >> 27 ^ bits >> 54
    bits = bits * pow(FIRST, -1, 1 << 64) & WORD
    bits ^= bits >> 30 ^ bits >> 60
    return np.uint64((bits - (index + 1) * GOLDEN) & WORD)


@pytest.mark.parametrize("draw", [chance.fair_below, compiled_fair_below])
def test_bits_that_would_favour_a_result_are_thrown_away(draw: Any) -> None:
    """Of 2**32 numbers 48 are one too many for 52 cards; the first of them is 0."""
    start = start_that_gives(0, 7)
    assert chance.split_mix(start, 7) == 0
    taken_next = int(chance.split_mix(np.uint64(0), 0)) & 0xFFFFFFFF
    assert draw(start, 7, 52) == taken_next * 52 >> 32 != 0
    # The edge of what is kept: a number whose product with 52 ends in just 48.
    kept = 12 * pow(13, -1, 1 << 30) % (1 << 30)
    assert kept * 52 % (1 << 32) == 48
    assert draw(start_that_gives(kept, 7), 7, 52) == kept * 52 >> 32


def test_numbers_are_uniform_where_a_quarter_is_thrown_away() -> None:
    limit = 3 << 30
    thirds = np.zeros(3)
    start = np.uint64(99)
    for index in range(30000):
        thirds[compiled_fair_below(start, index, limit) >> 30] += 1
    assert chi_square(thirds, 10000) < 13.8  # one in a thousand, two degrees


def chi_square(counts: np.ndarray[Any, Any], expected: float) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def dealt(tables: int, seed: int, **options: Any) -> np.ndarray[Any, Any]:
    batch = Tables(whist_game(**options), tables, seed=seed, observations=False)
    batch.reset()
    return batch.records


def test_every_card_comes_to_every_place_of_the_pack_equally_often() -> None:
    packs = dealt(26000, seed=1)["pack"].astype(np.int64)
    counts = np.zeros((52, 52))
    np.add.at(counts, (packs, np.arange(52)), 1)
    degrees = 51 * 51
    deviation = (chi_square(counts, 500) - degrees) / np.sqrt(2 * degrees)
    assert abs(deviation) < 4


def test_every_card_comes_to_every_seat_equally_often() -> None:
    records = dealt(26000, seed=2)
    bits = np.left_shift(np.uint64(1), np.arange(52, dtype=np.uint64))
    counts = ((records["dealt"][:, :, None] & bits) != 0).sum(axis=0)
    # A seat holds 13 of 52 cards: the variance is 51/52 of the usual, summed over 153.
    degrees = 3 * 51
    deviation = (chi_square(counts, 6500) - degrees) / np.sqrt(2 * degrees)
    assert abs(deviation) < 4


def test_two_cards_fall_to_one_hand_as_often_as_they_should() -> None:
    records = dealt(26000, seed=3)
    bits = np.left_shift(np.uint64(1), np.arange(52, dtype=np.uint64))
    held = (records["dealt"][:, :, None] & bits) != 0
    together = np.einsum("nsi,nsj->ij", *[held.astype(np.float32)] * 2)
    pairs = together[np.triu_indices(52, 1)]
    chance_of_both = 12 / 51
    spread = np.sqrt(26000 * chance_of_both * (1 - chance_of_both))
    deviations = (pairs - 26000 * chance_of_both) / spread
    assert np.abs(deviations).max() < 4.5
    assert 0.9 < deviations.std() < 1.1


def test_successive_deals_of_a_table_are_independent() -> None:
    """The place of a card in one deal says nothing of its place in the next."""
    tables = Tables(whist_game(), 26000, seed=4, observations=False)
    tables.reset()
    first = tables.records["pack"].argsort(axis=1)
    tables.reset()
    second = tables.records["pack"].argsort(axis=1)
    counts = np.zeros((52, 52))
    np.add.at(counts, (first, second), 1)
    degrees = 51 * 51
    deviation = (chi_square(counts, 500) - degrees) / np.sqrt(2 * degrees)
    assert abs(deviation) < 4


def test_the_first_dealer_is_uniform_and_independent_of_the_deal() -> None:
    records = dealt(26000, seed=5)
    counts = np.zeros((4, 52))
    np.add.at(counts, (records["dealer"], records["pack"][:, 0].astype(int)), 1)
    degrees = 4 * 52 - 1
    deviation = (chi_square(counts, 125) - degrees) / np.sqrt(2 * degrees)
    assert abs(deviation) < 4
    assert chi_square(counts.sum(axis=1), 6500) < 16.3  # one in a thousand


def test_a_given_dealer_leaves_the_deal_as_it_is() -> None:
    drawn = dealt(100, seed=6)
    for dealer in range(4):
        given = dealt(100, seed=6, dealer=dealer)
        assert (given["dealer"] == dealer).all()
        assert (given["pack"] == drawn["pack"]).all()


def test_streams_start_at_different_points() -> None:
    starts = {
        int(chance.stream_start(np.uint64(seed), deal, stream))
        for seed in range(50)
        for deal in range(50)
        for stream in (chance.DEAL, chance.DEALER, chance.PLAY, chance.TURN_UP)
    }
    assert len(starts) == 50 * 50 * 4


# What a deal depends on ---------------------------------------------------------------


def packs_in_turn(seed: int, deals: int, choose: Any) -> list[bytes]:
    """The packs of a table's successive deals, with cards chosen by a function."""
    table = whist_game(deals=deals).new_table(seed)
    packs = []
    while not table.is_over:
        if table.record.cards_played == 0:
            packs.append(table.record.pack.tobytes())
        table.apply(choose(table.legal_actions()))
    return packs


def test_a_deal_depends_on_the_seed_and_its_number_alone() -> None:
    rng = random.Random(0)
    first, last, at_random = (
        packs_in_turn(7, 5, choose) for choose in (min, max, rng.choice)
    )
    assert first == last == at_random
    assert len(set(first)) == 5
    # Nor on the options, nor on whether the deals belong to one episode or to many.
    table = whist_game(scoring="robber", reward="tricks").new_table(7)
    for pack in first:
        assert table.record.pack.tobytes() == pack
        for _ in range(rng.randrange(10)):
            table.apply(table.legal_actions()[0])
        table.reset()


@pytest.mark.parametrize("size", [1, 7, 64])
def test_the_deals_of_a_table_do_not_depend_on_the_tables_beside_it(size: int) -> None:
    many, few = Tables(whist_game(), 64, seed=3), Tables(whist_game(), size, seed=3)
    for _ in range(3):
        many.reset()
        few.reset()
        assert many.records[:size].tobytes() == few.records.tobytes()


def test_a_seed_begins_the_stream_anew_and_none_goes_on() -> None:
    table = whist_game().new_table(1)
    first = table.to_bytes()
    table.reset()
    second = table.to_bytes()
    assert second != first
    table.reset()
    assert table.to_bytes() not in (first, second)
    for _ in range(30):
        table.apply(table.legal_actions()[0])
    table.reset(seed=1)
    assert table.to_bytes() == first
    table.reset()
    assert table.to_bytes() == second
    table.reset(seed=2)
    assert table.to_bytes() not in (first, second)


def test_seed_zero_is_a_seed() -> None:
    game = whist_game()
    assert game.new_table(0) == game.new_table(0)
    table = game.new_table(5)
    table.reset(seed=0)
    assert table == game.new_table(0)


def test_tables_without_a_seed_differ() -> None:
    game = whist_game()
    assert game.new_table() != game.new_table()
    table = game.new_table()
    copies = {table.to_bytes()}
    for _ in range(20):
        table.reset()
        copies.add(table.to_bytes())
    assert len(copies) == 21


def test_seeds_of_any_size_are_taken() -> None:
    for seed in (0, 1, WORD, np.uint64(WORD), np.int8(5), True):
        assert seed_word(seed) == int(seed)
    assert seed_word(2**64) != seed_word(0)
    assert seed_word(2**200 + 1) != seed_word(2**200)
    assert seed_word(2**200) == seed_word(2**200)
    words = seed_words(3, 1000)
    assert words.dtype == np.uint64
    assert len(set(words.tolist())) == 1000
    assert (seed_words(3, 10) == words[:10]).all()


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (1.0, TypeError), ("1", TypeError)]
)
def test_what_is_not_a_seed_is_refused(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed="):
        seed_word(seed)


# Tricks -----------------------------------------------------------------------------


@numba.njit
def winners(records: Any, plays: Any, trump: int, leader: int, found: Any) -> None:
    """The winner of each four cards, played from a leader."""
    record = records[0]
    for index in range(len(plays)):
        record.trump = trump
        record.cards_played = 0
        tricks.lead(record, leader)
        for place in range(4):
            tricks.play_card(record, plays[index, place])
        found[index] = tricks.take_trick(record)


def strongest(cards: tuple[int, ...], trump: int) -> int:
    """The place of the winning card, said in another way than the engine says it."""
    values = [
        (2 if card // 13 == trump else card // 13 == cards[0] // 13, card % 13)
        for card in cards
    ]
    return values.index(max(values))


def test_every_trick_of_a_small_pack_goes_to_the_right_seat() -> None:
    pack = [13 * suit + rank for suit in range(4) for rank in (0, 8, 12)]
    plays = list(itertools.permutations(pack, 4))
    records = whist_game().new_records(1)
    found = np.zeros(len(plays), np.int64)
    for trump in range(4):
        expected = np.array([strongest(cards, trump) for cards in plays])
        for leader in range(4):
            winners(records, np.array(plays), trump, leader, found)
            assert (found == (expected + leader) % 4).all()


def test_every_pair_of_cards_is_ranked() -> None:
    """Nine below ten, king below ace, and no card of a side suit beats the suit led."""
    for card, other in itertools.permutations(range(52), 2):
        for trump in range(4):
            pair = (other, card)
            assert tricks.beats(card, other, trump) == (strongest(pair, trump) == 1)


def test_voids_follow_the_same_suits_as_legality() -> None:
    """A seat is marked void in the suit led exactly where it was free to choose."""
    rng = random.Random(3)
    for seed in range(40):
        table = whist_game().new_table(seed)
        for _ in range(51):
            record = table.record
            seat, hand = table.agent, int(record.hands[record.seat])
            free = [card for card in range(52) if hand >> card & 1]
            led = record.trick[record.leader] // 13
            in_suit = [card for card in free if card // 13 == led]
            follower = bool(record.cards_in_trick)
            legal = in_suit if follower and in_suit else free
            assert table.legal_actions() == legal
            card = rng.choice(legal)
            table.apply(card)
            if table.record.tricks_played < 13 and follower:
                marked = bool(table.record.voids[seat] >> led & 1)
                assert marked or card // 13 == led
                if card // 13 != led:
                    assert not in_suit


# Options ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class ToyOptions(Options):
    colour: str = choice("red", "red", "green", meaning="A colour.")
    size: int = number(3, 1, 9, meaning="A size.", colour=("green",))
    limit: int | None = number(None, 0, 5, meaning="A limit.")


def test_options_stand_in_a_record_as_integers_and_come_back() -> None:
    for given in (
        {},
        {"colour": "green"},
        {"colour": "green", "size": 9},
        {"limit": 0},
    ):
        options = ToyOptions.from_names(**given)
        record = np.zeros(1, ToyOptions.dtype())
        record[0] = options.as_integers()
        assert ToyOptions.from_integers(record[0]) == options
    assert ToyOptions().as_integers() == (0, 3, -1)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"color": "red"}, TypeError, r"'color' \(did you mean 'colour'\?\)"),
        ({"x": 1}, TypeError, "the options are colour, size, limit"),
        ({"colour": "blue"}, ValueError, "colour='blue'.* it takes 'red' or 'green'"),
        ({"size": 5}, ValueError, "size=5 has a meaning only with colour='green'"),
        (
            {"colour": "green", "size": 10},
            ValueError,
            "size=10 must be a whole number from 1 to 9$",
        ),
        ({"limit": 6}, ValueError, "limit=6 .* from 0 to 5, or None"),
        ({"limit": -1}, ValueError, "limit=-1 must be"),
        ({"limit": 1.0}, ValueError, "limit=1.0 must be"),
        ({"limit": False}, ValueError, "limit=False must be"),
        ({"limit": "none"}, ValueError, "limit='none' must be"),
    ],
)
def test_bad_options_are_refused_with_their_values(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ToyOptions.from_names(**given)


def test_options_are_plain_integers_whatever_was_given() -> None:
    options = ToyOptions(limit=np.int8(4))
    assert type(options.limit) is int
    assert options == ToyOptions(limit=4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.limit = 3  # type: ignore[misc]


# Features -----------------------------------------------------------------------------

TOY_FEATURES = FeatureTable(
    Feature("flags", ("seat", "suit"), (2, 3), 0, 1, "Flags."),
    Feature("count", (), (), -5, 100, "A number."),
    Feature("row", ("suit",), (4,), 0, 7, "A row."),
)


def test_features_stand_one_after_another() -> None:
    assert dict(TOY_FEATURES) == {
        "flags": slice(0, 6),
        "count": slice(6, 7),
        "row": slice(7, 11),
    }
    assert TOY_FEATURES.size == 11
    assert TOY_FEATURES.offset("row") == 7
    assert TOY_FEATURES.low.tolist() == [0] * 6 + [-5] + [0] * 4
    assert TOY_FEATURES.high.tolist() == [1] * 6 + [100] + [7] * 4


def test_parts_of_an_observation_have_their_own_shapes() -> None:
    observation = np.arange(11, dtype=np.float32)
    named = TOY_FEATURES.named(observation)
    assert {name: part.shape for name, part in named.items()} == {
        "flags": (2, 3),
        "count": (),
        "row": (4,),
    }
    assert named["flags"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert named["count"] == 6
    batch = np.stack([observation, observation + 1])
    assert TOY_FEATURES.part(batch, "flags").shape == (2, 2, 3)
    assert TOY_FEATURES.part(batch, "count").tolist() == [6, 7]
    assert np.shares_memory(TOY_FEATURES.part(observation, "row"), observation)


def test_features_that_cannot_be_are_refused() -> None:
    with pytest.raises(KeyError, match="no feature 'rows'; the features are flags"):
        TOY_FEATURES["rows"]
    with pytest.raises(KeyError, match="no feature 'rows'"):
        TOY_FEATURES.part(np.zeros(11), "rows")
    one = Feature("one", (), (), 0, 1, "One.")
    with pytest.raises(ValueError, match="two features named 'one'"):
        FeatureTable(one, one)
    for low, high in ((0, 128), (-129, 0), (5, 4)):
        with pytest.raises(ValueError, match=f"'one' runs from {low} to {high}"):
            FeatureTable(dataclasses.replace(one, low=low, high=high))


def test_every_feature_of_every_table_has_its_axes_named() -> None:
    for table in (whist.FEATURES, whist.STATE_FEATURES):
        for feature in table.features:
            assert len(feature.axes) == len(feature.shape)
            lengths = {"seat": 4, "side": 2, "suit": 4, "card": 52}
            for axis, length in zip(feature.axes, feature.shape, strict=True):
                assert lengths.get(axis, length) == length
            assert feature.meaning.endswith(".")


@numba.njit
def compiled_is_row(out: Any, size: int) -> bool:
    return is_row(out, size, np.dtype("float32"))


def test_compiled_loops_know_a_buffer_that_fits() -> None:
    fitting = np.zeros(6, np.float32)
    buffers = {
        True: [fitting, np.zeros(12, np.float32)[::2]],
        False: [
            fitting[:5],
            fitting.reshape(1, 6),
            fitting.reshape(6, 1),
            fitting.astype(np.float64),
            fitting.astype(np.int32),
        ],
    }
    for fits, examples in buffers.items():
        for buffer in examples:
            assert is_row(buffer, 6, np.dtype(np.float32)) == fits
            assert compiled_is_row(buffer, 6) == fits


# Records ------------------------------------------------------------------------------


def fields_in_order(layout: np.dtype[Any]) -> Iterator[tuple[int, np.dtype[Any]]]:
    assert layout.fields is not None
    for kind, offset, *_ in layout.fields.values():
        yield offset, kind


@pytest.mark.parametrize("extra", range(9))
def test_records_are_aligned_and_have_no_bytes_between_fields(extra: int) -> None:
    """So that equal positions have equal bytes."""
    fields = [("odd", np.int8, (extra,)), ("wide", np.uint64), ("half", np.int16)]
    for layout in (whist.RECORD, record_dtype(3, ToyOptions, fields)):
        end = 0
        for offset, kind in sorted(fields_in_order(layout), key=lambda f: f[0]):
            assert offset == end
            assert offset % kind.alignment == 0
            end += kind.itemsize
        assert end == layout.itemsize
        assert layout.itemsize % 8 == 0


def test_saved_records_come_back() -> None:
    records = dealt(5, seed=1)
    saved = save(records)
    assert len(saved) == records.nbytes + CHECKSUM
    loaded = load(whist.RECORD, 5, saved)
    assert loaded.tobytes() == records.tobytes()
    loaded["trump"] = 0  # its own memory, and writable
    assert save(records) == saved


def test_damaged_bytes_are_refused() -> None:
    saved = save(dealt(1, seed=1))
    for place in range(len(saved)):
        for change in (1, 0x80, 0xFF):
            damaged = bytearray(saved)
            damaged[place] ^= change
            with pytest.raises(ValueError, match="they are damaged"):
                load(whist.RECORD, 1, bytes(damaged))


def test_bytes_of_another_length_are_refused() -> None:
    saved = save(dealt(1, seed=1))
    size = whist.RECORD.itemsize + CHECKSUM
    for other in (b"", saved[:-1], saved[1:], saved + b"\0", saved * 2):
        with pytest.raises(ValueError, match=f"be {size} bytes, not {len(other)}"):
            load(whist.RECORD, 1, other)


def test_bytes_of_another_layout_of_the_same_size_are_refused() -> None:
    one, other = (np.dtype([(name, np.int32)]) for name in ("one", "other"))
    with pytest.raises(ValueError, match="another layout"):
        load(other, 1, save(np.zeros(1, one)))


# Rows of 52 numbers -----------------------------------------------------------------


@numba.njit
def written(out: Any, offset: int, cards: np.uint64, values: Any) -> None:
    write_cards(out, offset, cards)
    write_by_card(out, offset + 60, values)


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
@pytest.mark.parametrize("gap", [1, 3])
def test_numbers_by_card_are_written_alike_one_by_one_and_at_once(
    dtype: type[np.generic], gap: int
) -> None:
    chance = np.random.default_rng(0)
    for offset in (0, 1, 7):
        cards = chance.integers(0, 2**64, dtype=np.uint64)
        values = chance.integers(-128, 128, 52).astype(np.int8)
        plain, compiled = (np.full(130 * gap, 77, dtype)[::gap] for _ in range(2))
        write_cards(plain, offset, cards)
        write_by_card(plain, offset + 60, values)
        written(compiled, offset, cards, values)
        expected = [int(cards) >> card & 1 for card in range(52)]
        assert compiled[offset : offset + 52].tolist() == expected
        assert compiled[offset + 60 : offset + 112].tolist() == values.tolist()
        assert plain.tolist() == compiled.tolist()  # and 77 in all other places
