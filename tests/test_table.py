"""The native table: exact copies, checked actions, buffers, bytes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import card_name

GAME = whist_env.game("whist", scoring="short5", episode="rubber")


def played(cards: int, seed: int = 0) -> Table:
    table = GAME.new_table(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(cards):
        table.apply(int(rng.choice(table.legal_actions())))
    return table


@pytest.mark.parametrize("cards", [0, 1, 26, 51, 52, 75])
@pytest.mark.parametrize(
    "copied",
    [
        Table.clone,
        copy.copy,
        copy.deepcopy,
        lambda table: pickle.loads(pickle.dumps(table)),
        lambda table: GAME.from_bytes(table.to_bytes()),
        lambda table: whist_env.game("whist").from_bytes(table.to_bytes()),
    ],
)
def test_a_copy_is_equal_plays_on_alike_and_shares_nothing(
    cards: int, copied: Any
) -> None:
    table = played(cards)
    other = copied(table)
    assert other == table and other.game == table.game
    assert other.legal_actions() == table.legal_actions()
    before = table.to_bytes()
    while not other.is_over:
        other.apply(other.legal_actions()[-1])
    assert table.to_bytes() == before
    while not table.is_over:
        table.apply(table.legal_actions()[-1])
    assert table.to_bytes() == other.to_bytes()
    assert table.returns() == other.returns()


def test_tables_differ_when_one_byte_differs() -> None:
    table = played(10)
    other = table.clone()
    other.apply(other.legal_actions()[0])
    assert table != other
    assert table != "a table"


def test_every_card_outside_the_legal_set_is_refused_and_changes_nothing() -> None:
    for cards in range(0, 52, 3):
        table = played(cards, seed=cards)
        before, legal = table.to_bytes(), table.legal_actions()
        for card in sorted(set(range(52)) - set(legal)):
            with pytest.raises(IllegalAction) as caught:
                table.apply(card)
            message = str(caught.value)
            assert f"player_{table.agent} " in message and card_name(card) in message
            held = card in {
                c for c in range(52) if int(table.record.hands[table.agent]) >> c & 1
            }
            assert ("must be followed" if held else "does not hold") in message
        assert table.to_bytes() == before and table.legal_actions() == legal


@pytest.mark.parametrize("action", [-1, 52, 63, 64, 127, 128, 10**6, 2**63, -(2**70)])
def test_a_number_that_is_no_action_is_refused(action: int) -> None:
    table = played(7)
    before = table.to_bytes()
    with pytest.raises(IllegalAction, match="the actions are 0 to 51"):
        table.apply(action)
    assert table.to_bytes() == before


@pytest.mark.parametrize("action", [1.0, "SA", None, np.float32(3), [1]])
def test_what_is_not_a_whole_number_is_refused(action: Any) -> None:
    table = played(7)
    before = table.to_bytes()
    with pytest.raises(TypeError, match="must be a whole number"):
        table.apply(action)
    assert table.to_bytes() == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint64])
def test_any_kind_of_whole_number_is_taken(kind: Any) -> None:
    table = played(5)
    other = table.clone()
    action = table.legal_actions()[0]
    table.apply(kind(action))
    other.apply(np.array(action))
    assert table == other


def test_nobody_acts_when_the_episode_is_over() -> None:
    table = played(0)
    while not table.is_over:
        table.apply(table.legal_actions()[0])
    assert table.agent == -1 and table.legal_actions() == []
    assert not table.action_mask().any()
    assert (table.observe() == table.observe(0)).all()
    with pytest.raises(IllegalAction, match="the episode is over"):
        table.apply(0)
    with pytest.raises(IllegalAction, match="the episode is over"):
        table.forfeit()


def test_one_call_that_applies_and_observes_equals_two() -> None:
    for dtype in (np.float32, np.int8):
        one, two = played(0, seed=3), played(0, seed=3)
        out = np.full(GAME.features.size, 9, dtype)
        while not one.is_over:
            card = one.legal_actions()[len(one.legal_actions()) // 2]
            one.apply(card, out)
            two.apply(card)
            assert one == two
            assert (out == two.observe()).all()
            assert one.legal_actions() == two.clone().legal_actions()


def test_legal_actions_follow_every_way_of_changing_the_table() -> None:
    table = played(3)
    table.legal_actions()
    table.reset()
    assert table.legal_actions() == table.clone().legal_actions()
    table.reset(seed=9, dealer=2)
    assert table.legal_actions() == table.clone().legal_actions()
    table.forfeit()
    assert table.legal_actions() == []


@pytest.mark.parametrize(
    "out",
    [
        np.zeros(3, np.float32),
        np.zeros((1, GAME.features.size), np.float32),
        np.zeros(2 * GAME.features.size, np.float32)[::2],
        np.zeros(GAME.features.size, np.float64),
        np.zeros(GAME.features.size, np.int64),
    ],
)
def test_a_buffer_that_does_not_fit_is_refused_before_anything_happens(
    out: np.ndarray,
) -> None:
    table = played(4)
    before = table.to_bytes()
    strided = out.ndim == 1 and not out.flags.c_contiguous
    if not strided:  # a row with gaps is written through its gaps
        with pytest.raises(ValueError, match=f"shape \\({GAME.features.size},\\)"):
            table.observe(out=out)
        with pytest.raises(ValueError, match=f"shape \\({GAME.features.size},\\)"):
            table.apply(table.legal_actions()[0], out)
        assert table.to_bytes() == before and not out.any()


def test_a_read_only_buffer_is_refused() -> None:
    table = played(4)
    frozen = np.zeros(GAME.features.size, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        table.observe(out=frozen)
    with pytest.raises(ValueError, match="int8"):
        table.action_mask(out=np.zeros(52, np.float64))  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", [-1, 4, 100])
def test_an_agent_that_does_not_exist_is_refused(agent: int) -> None:
    with pytest.raises(ValueError, match="0 to 3"):
        played(4).observe(agent)


def test_waiting_agents_have_no_legal_action_and_see_their_own_cards() -> None:
    table = played(6)
    for agent in range(4):
        mask = table.action_mask(agent)
        assert bool(mask.any()) == (agent == table.agent)
        hand = GAME.features.part(table.observe(agent), "hand")
        held = int(table.record.hands[agent])
        assert sum(1 << int(card) for card in np.flatnonzero(hand)) == held


def test_the_record_is_to_be_read_only() -> None:
    table = played(6)
    with pytest.raises(ValueError, match="read-only"):
        table.record.hands[0] = 0


@pytest.mark.parametrize("cut", [0, 1, 100])
def test_bytes_that_are_no_table_are_refused(cut: int) -> None:
    whole = played(6).to_bytes()
    with pytest.raises(ValueError, match="not a saved table of whist"):
        GAME.from_bytes(whole[:cut])
    with pytest.raises(ValueError, match="not a saved table of whist"):
        GAME.from_bytes(b"\xff" * len(whole))


def test_a_seed_repeats_and_no_seed_goes_on() -> None:
    table = GAME.new_table(seed=5)
    first = table.to_bytes()
    table.reset()
    second = table.to_bytes()
    assert first != second
    for _ in range(3):
        table.apply(table.legal_actions()[0])
    table.reset(seed=5)
    assert table.to_bytes() == first == GAME.new_table(seed=5).to_bytes()
    table.reset()
    assert (table.record.dealt == GAME.from_bytes(second).record.dealt).all()
    assert GAME.new_table().to_bytes() != GAME.new_table().to_bytes()


@pytest.mark.parametrize(
    ("position", "complaint"),
    [
        ({"dealer": 7}, "dealer=7 is not a seat"),
        ({"scores": (5, 0)}, "scores="),
        ({"scores": (1, 2, 3)}, "scores="),
        ({"games": (2, 0)}, "games="),
        ({"deal": "N:AKQ"}, "is not a deal"),
        ({"deal": "N:" + " ".join(["AKQJT98765432..."] * 4)}, "twice"),
        ({"turned": "H7"}, "deal="),
    ],
)
def test_an_impossible_position_is_refused_and_changes_nothing(
    position: dict[str, Any], complaint: str
) -> None:
    table = played(9)
    before = table.to_bytes()
    with pytest.raises(ValueError, match=complaint):
        table.reset(seed=1, **position)
    assert table.to_bytes() == before


def test_an_unknown_part_of_a_position_is_refused() -> None:
    with pytest.raises(TypeError, match="no 'dael'"):
        GAME.new_table(seed=0, dael="N:...")


def test_random_play_from_a_table_is_repeatable_fair_and_changes_nothing() -> None:
    table = whist_env.game("whist").new_table(seed=3)
    for _ in range(48):
        table.apply(table.legal_actions()[0])
    before = table.to_bytes()
    returns = table.play_out(500, seed=1)
    assert table.to_bytes() == before
    assert (returns == table.play_out(500, seed=1)).all()
    assert (returns[:100] == table.play_out(100, seed=1)).all()
    assert (returns.sum(1) == 0).all()
    with pytest.raises(ValueError, match="count"):
        table.play_out(-1, seed=0)


def test_a_thousand_clones_are_a_thousand_tables() -> None:
    table = played(20)
    clones = [table.clone() for _ in range(1000)]
    for number, clone in enumerate(clones):
        for _ in range(number % 4):
            clone.apply(clone.legal_actions()[0])
    by_cards = {clone.record.cards_played - 20 for clone in clones}
    assert by_cards == {0, 1, 2, 3}
    assert all(clones[i] == clones[i % 4] for i in range(1000))
