"""The native table: exact copies, refused actions, buffers, playing out."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from whist_tables import deal_with, new_table, play_at_random, whist_game

from whist_env import IllegalAction
from whist_env.cards import SUIT_NAMES, card_name, parse_card
from whist_env.engine.record import CHECKSUM
from whist_env.envs.game import game
from whist_env.envs.table import Table
from whist_env.games import whist

COPIES = {
    "clone": lambda table: table.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "bytes": lambda table: table.game.from_bytes(table.to_bytes()),
    "bytes by another game": lambda table: whist_game().from_bytes(table.to_bytes()),
}


def table_in_play(seed: int, actions: int, **options: Any) -> Table:
    table = whist_game(**options).new_table(seed)
    rng = random.Random(seed)
    for _ in range(actions):
        table.apply(rng.choice(table.legal_actions()))
    return table


def everything(table: Table) -> tuple[Any, ...]:
    """All that a table tells."""
    return (
        table.to_bytes(),
        (table.agent, table.is_over, table.legal_actions()),
        (table.rewards(), table.returns()),
        [table.observe(seat).tobytes() for seat in range(4)],
        [table.state(seat).tobytes() for seat in range(4)],
        [table.action_mask(seat).tobytes() for seat in range(4)],
    )


# Copies -----------------------------------------------------------------------------


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("actions", [0, 1, 27, 51, 52, 75])
def test_a_copy_is_exact_and_goes_on_exactly(how: str, actions: int) -> None:
    options = {"scoring": "short5", "episode": "rubber", "surplus": "carried"}
    table = table_in_play(3, actions, **options)
    other = COPIES[how](table)
    assert other == table
    assert other is not table
    assert other.game == table.game
    assert everything(other) == everything(table)
    for _ in range(60):
        action = table.legal_actions()[-1]
        table.apply(action)
        other.apply(action)
        assert other.to_bytes() == table.to_bytes()
        assert other.rewards() == table.rewards()
    table.reset()
    other.reset()
    assert everything(other) == everything(table)


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_shares_nothing(how: str) -> None:
    table = table_in_play(1, 5)
    other = COPIES[how](table)
    before = everything(other)
    play_at_random(table, random.Random(0))
    assert everything(other) == before
    before = everything(table)
    other.reset(seed=9)
    assert everything(table) == before


@pytest.mark.parametrize("how", COPIES)
def test_a_finished_table_can_be_copied(how: str) -> None:
    table = table_in_play(2, 52)
    other = COPIES[how](table)
    assert other.is_over
    assert everything(other) == everything(table)


def test_tables_are_equal_if_every_byte_is() -> None:
    table = table_in_play(1, 10)
    assert table == table_in_play(1, 10)
    assert table != table_in_play(1, 11)
    assert table != table_in_play(2, 10)
    assert table != table_in_play(1, 10, scoring="american")
    assert table != table.to_bytes()
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_thousands_of_clones_play_out_the_same_position() -> None:
    table = table_in_play(6, 40)
    before = table.to_bytes()
    endings = set()
    for number in range(5000):
        clone = table.clone()
        clone.apply(clone.legal_actions()[number % len(clone.legal_actions())])
        endings.add(clone.to_bytes())
    assert len(endings) == len(table.legal_actions())
    assert table.to_bytes() == before
    clones = [table.clone() for _ in range(3000)]
    play_at_random(clones[0], random.Random(0))
    assert all(clone.to_bytes() == before for clone in clones[1:])


def test_a_saved_table_has_its_options_with_it() -> None:
    table = table_in_play(1, 3, scoring="robber", rubber_bonus=10)
    loaded = whist_game().from_bytes(table.to_bytes())
    assert loaded.game.options == table.game.options
    assert loaded.game != whist_game()
    same = table.game.from_bytes(table.to_bytes())
    assert same.game is table.game


def test_damaged_bytes_are_no_table() -> None:
    saved = table_in_play(1, 20).to_bytes()
    assert len(saved) == whist.RECORD.itemsize + CHECKSUM
    rng = random.Random(0)
    read = whist_game().from_bytes
    for _ in range(300):
        damaged = bytearray(saved)
        damaged[rng.randrange(len(saved))] ^= rng.randrange(1, 256)
        with pytest.raises(ValueError, match="not a saved table of whist: they are da"):
            read(bytes(damaged))
    for wrong in (b"", saved[:-1], saved + b"\0", bytes(len(saved)), saved[::-1]):
        with pytest.raises(ValueError, match="the bytes are not a saved table of whi"):
            read(wrong)
    with pytest.raises(TypeError, match="saved tables are bytes, not int"):
        read(5)  # type: ignore[arg-type]


def test_games_are_equal_if_their_rules_and_options_are() -> None:
    one, same, other = whist_game(deals=2), whist_game(deals=2), whist_game(deals=3)
    assert one == same != other
    assert hash(one) == hash(same)
    assert one != "whist"
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "whist_env.game('whist', deals=2)"
    assert eval(repr(one), {"whist_env": __import__("whist_env")}) == one
    assert game("whist") == whist_game()


# Illegal actions --------------------------------------------------------------------


def test_every_card_outside_the_legal_set_is_refused_by_name() -> None:
    for seed in range(15):
        table = whist_game().new_table(seed)
        rng = random.Random(seed)
        while not table.is_over:
            legal = table.legal_actions()
            before = everything(table)
            hand = int(table.record.hands[table.agent])
            for card in set(range(52)) - set(legal):
                with pytest.raises(IllegalAction) as refused:
                    table.apply(card)
                start = f"player_{table.agent} may not choose {card_name(card)}: "
                assert str(refused.value).startswith(start)
                # Whether the card is held comes before whether it follows suit.
                held = bool(hand >> card & 1)
                rule = "must be followed" if held else "the hand does not hold"
                assert rule in str(refused.value)
            assert everything(table) == before
            table.apply(rng.choice(legal))


def test_a_revoke_is_refused_with_the_suit_and_the_number_held() -> None:
    deal = deal_with("", "HA H2 H3", "", "")
    table = new_table(deal, dealer=3)
    table.apply(next(card for card in table.legal_actions() if card // 13 == 2))
    table_before = table.to_bytes()
    held = sum(1 for card in table.legal_actions())
    revoke = next(
        card
        for card in range(52)
        if int(table.record.hands[1]) >> card & 1 and card // 13 != 2
    )
    with pytest.raises(IllegalAction) as refused:
        table.apply(revoke)
    assert str(refused.value) == (
        f"player_1 may not choose {card_name(revoke)}: {SUIT_NAMES[2]} were led and "
        f"must be followed: the hand holds {held} of that suit"
    )
    assert table.to_bytes() == table_before


@pytest.mark.parametrize(
    "action",
    [-1, 52, 63, 64, 127, 128, 2**31, 2**63, 2**70, -(2**70), np.uint64(2**63)],
)
@pytest.mark.parametrize("observed", [False, True])
def test_what_is_no_action_is_refused_with_the_range(
    action: int, observed: bool
) -> None:
    table = table_in_play(1, 6)
    before = everything(table)
    out = np.full(table.game.features.size, 7, np.float32) if observed else None
    with pytest.raises(IllegalAction, match=f"{action} is not an action; .* 0 to 51"):
        table.apply(action, out)
    assert everything(table) == before
    assert out is None or (out == 7).all()


@pytest.mark.parametrize("action", [1.0, "SA", None, np.float32(1), np.array([1]), [1]])
def test_what_is_no_whole_number_is_refused(action: Any) -> None:
    table = table_in_play(1, 6)
    before = everything(table)
    with pytest.raises(TypeError, match="must be a whole number"):
        table.apply(action)
    assert everything(table) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.array])
def test_any_whole_number_is_an_action(kind: Any) -> None:
    table, other = table_in_play(1, 6), table_in_play(1, 6)
    action = table.legal_actions()[0]
    table.apply(kind(action))
    other.apply(action)
    assert table == other


def test_a_finished_table_takes_no_action() -> None:
    table = table_in_play(1, 52)
    before = everything(table)
    for action in (*range(52), -1, 52):
        with pytest.raises(IllegalAction, match=r"episode is over: .* call reset\(\)"):
            table.apply(action)
    with pytest.raises(IllegalAction, match="the episode is over"):
        table.forfeit()
    assert everything(table) == before
    assert table.legal_actions() == []


# What is known without a look -------------------------------------------------------


def test_legal_actions_are_those_of_the_position_whatever_came_before() -> None:
    """They are kept between calls: each change of the table must renew them."""
    table = whist_game().new_table(4)
    listed = table.legal_actions()
    listed.clear()  # the caller's own list
    assert len(table.legal_actions()) == 13
    for change in (
        lambda: table.apply(table.legal_actions()[0]),
        lambda: table.reset(),
        lambda: table.reset(seed=7),
        lambda: table.reset(dealer=1),
        lambda: table.forfeit(),
        lambda: table.reset(),
    ):
        change()
        assert table.legal_actions() == table.clone().legal_actions()
        mask = np.flatnonzero(table.action_mask()).tolist()
        assert table.legal_actions() == mask
    with pytest.raises(ValueError, match="dealer"):
        table.reset(dealer=8)
    assert table.legal_actions() == table.clone().legal_actions()


def test_a_table_is_over_when_nobody_is_to_act() -> None:
    table = whist_game().new_table(1)
    for _ in range(52):
        assert not table.is_over
        assert table.agent == table.record.agent
        assert table.agent in range(4)
        table.apply(table.legal_actions()[0])
    assert table.is_over
    assert table.agent == table.record.agent == -1
    assert (table.observe() == table.observe(0)).all()


def test_the_record_is_to_be_read_only() -> None:
    table = whist_game().new_table(1)
    with pytest.raises(ValueError, match="read-only"):
        table.record.hands[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        table.record.trump = 1


# Buffers ----------------------------------------------------------------------------


def test_int8_and_float32_hold_the_same_numbers() -> None:
    table = table_in_play(5, 30, scoring="robber", episode="rubber")
    for seat in range(4):
        for look in (table.observe, table.state):
            wide = look(seat)
            narrow = look(seat, np.empty(wide.size, np.int8))
            assert wide.dtype == np.float32
            assert narrow.dtype == np.int8
            assert (wide == narrow).all()


def test_a_buffer_is_written_and_given_back() -> None:
    table = table_in_play(5, 30)
    for look, size, dtype in (
        (table.observe, table.game.features.size, np.float32),
        (table.state, table.game.state_features.size, np.int8),
        (table.action_mask, 52, np.int8),
    ):
        out = np.full(size, 99, dtype)
        assert look(1, out) is out
        assert (out == look(1)).all()


def test_a_buffer_may_be_a_part_of_a_larger_array() -> None:
    table = table_in_play(5, 30)
    larger = np.full((3, 2 * table.game.features.size), 99, np.float32)
    table.observe(1, larger[1, ::2])
    assert (larger[1, ::2] == table.observe(1)).all()
    assert (larger[1, 1::2] == 99).all()
    assert (larger[::2] == 99).all()


def test_arrays_are_fresh_where_no_buffer_is_given() -> None:
    table = table_in_play(5, 10)
    kept = [table.observe(), table.state(), table.action_mask()]
    copies = [array.copy() for array in kept]
    play_at_random(table, random.Random(0))
    table.observe()
    table.state()
    table.action_mask()
    assert all((a == b).all() for a, b in zip(kept, copies, strict=True))


def test_applying_can_also_observe() -> None:
    table, other = table_in_play(3, 0, deals=2), table_in_play(3, 0, deals=2)
    for dtype in (np.float32, np.int8):
        out = np.empty(table.game.features.size, dtype)
        for _ in range(52):
            action = other.legal_actions()[-1]
            other.apply(action)
            table.apply(action, out)
            assert table == other
            assert (out == other.observe()).all()
            assert table.legal_actions() == other.legal_actions()
    assert table.is_over
    assert (out == table.observe(0)).all()


SIZE = whist.FEATURES.size
WRONG_BUFFERS = [
    np.empty(SIZE, np.float64),
    np.empty(SIZE, ">f4"),
    np.empty(SIZE - 1, np.float32),
    np.empty(SIZE + 1, np.int8),
    np.empty((1, SIZE), np.float32),
]


@pytest.mark.parametrize(
    "out", WRONG_BUFFERS, ids=lambda out: f"{out.dtype}{out.shape}".replace(" ", "")
)
def test_a_buffer_that_does_not_fit_is_refused_and_not_written(out: Any) -> None:
    table = table_in_play(1, 5)
    before = everything(table)
    untouched = out.tobytes()
    message = (
        rf"writable float32 or int8 array of shape \({SIZE},\), not {out.dtype} of"
    )
    with pytest.raises(ValueError, match=message):
        table.observe(out=out)
    if out.dtype in (np.float32, np.int8) and out.ndim == 1:
        with pytest.raises(ValueError, match=message):
            table.apply(table.legal_actions()[0], out)
    assert everything(table) == before
    assert out.tobytes() == untouched


def test_other_buffers_that_do_not_fit_are_refused() -> None:
    table = table_in_play(1, 5)
    state_size = table.game.state_features.size
    with pytest.raises(ValueError, match=rf"shape \({state_size},\), not float32 of"):
        table.state(out=np.empty(SIZE, np.float32))
    for wrong in (np.empty(52, np.float32), np.empty(51, np.int8)):
        with pytest.raises(ValueError, match=r"a writable int8 array of shape \(52,\)"):
            table.action_mask(out=wrong)
    locked = np.empty(SIZE, np.float32)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="not read-only float32 of shape"):
        table.observe(out=locked)
    with pytest.raises(TypeError, match="out must be an array, not bytearray"):
        table.observe(out=bytearray(SIZE))  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", [-1, -2, 4, 99, "player_0"])
def test_an_agent_that_does_not_exist_is_refused(agent: Any) -> None:
    table = table_in_play(1, 5)
    for look in (table.observe, table.state, table.action_mask):
        with pytest.raises(
            ValueError, match=f"agent={agent!r} is not one of .* 0 to 3"
        ):
            look(agent)


# Playing out ------------------------------------------------------------------------


def test_playing_out_leaves_the_table_and_repeats_by_seed() -> None:
    table = table_in_play(4, 20, scoring="american")
    before = everything(table)
    returns = table.play_out(200, seed=1)
    assert everything(table) == before
    assert returns.shape == (200, 4)
    assert returns.dtype == np.float32
    assert (returns.sum(axis=1) == 0).all()
    assert (returns[:, 0] == returns[:, 2]).all()
    assert len(set(returns[:, 0].tolist())) > 3
    assert (table.play_out(200, seed=1) == returns).all()
    # The first games are the same however many are played.
    assert (table.play_out(50, seed=1) == returns[:50]).all()
    assert (table.play_out(200, seed=2) != returns).any()


def test_playing_out_a_rubber_deals_anew_each_time() -> None:
    table = table_in_play(4, 50, scoring="short5", episode="rubber", reward="match")
    returns = table.play_out(300, seed=1)
    assert set(returns[:, 0].tolist()) == {-1, 1}


def test_playing_out_from_the_end_gives_what_was_earned() -> None:
    table = table_in_play(4, 52, reward="tricks")
    assert table.play_out(3, seed=0).tolist() == [table.returns()] * 3
    assert table.play_out(0, seed=0).shape == (0, 4)
    with pytest.raises(ValueError, match="count=-1 must not be negative"):
        table.play_out(-1, seed=0)


def test_random_play_chooses_every_legal_card_equally_often() -> None:
    """At the last choice but one of a deal, by the first trick that differs."""
    table = whist_game(reward="tricks").new_table(11)
    while len(table.legal_actions()) != 2 or table.record.cards_played < 40:
        table.apply(table.legal_actions()[0])
        if table.is_over:
            table.reset()
    outcomes = []
    for action in table.legal_actions():
        after = table.clone()
        after.apply(action)
        outcomes.append(after.play_out(4000, seed=3)[:, 0].mean())
    mixed = table.play_out(8000, seed=4)[:, 0].mean()
    assert mixed == pytest.approx(np.mean(outcomes), abs=0.06)


def test_cards_are_called_by_their_names() -> None:
    table = whist_game().new_table(0)
    assert table.game.action_names[parse_card("HT")] == "HT"
    assert table.game.num_actions == len(table.game.action_names) == 52
    assert table.game.num_agents == 4
