"""Canonical suits: their order, and what may take another name."""

from __future__ import annotations

from typing import Final

import numpy as np
from uncompiled import run_uncompiled

import whist_env
from whist_agents.canonical import ORDERS, canonical

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
WHIST: Final = whist_env.game("whist")


def test_in_every_game_what_may_take_another_name_does_and_nothing_else() -> None:
    run_uncompiled("uncompiled_canonical.py")


def test_trumps_come_first_and_then_the_shortest_suit() -> None:
    table = WHIST.new_table(
        deal="N:AKQ.J98.6.765432 JT98.AKQT.543.AK 765.76.AKQJ.QJT9 432.5432.T9872.8",
        turned="H3",
        dealer=3,
    )
    row = table.observe(0, np.empty(WHIST.features.size, np.int8))[None]
    assert ORDERS[canonical(WHIST).orders(row)[0]].tolist() == [
        *(HEARTS, DIAMONDS, SPADES, CLUBS)
    ]


def test_the_order_of_suits_does_not_change_within_a_deal() -> None:
    suits = canonical(WHIST)
    table = WHIST.new_table(seed=11)
    orders: dict[int, set[int]] = {seat: set() for seat in range(4)}
    while table.record.tricks_played < 12:
        row = table.observe(out=np.empty(WHIST.features.size, np.int8))
        orders[table.agent].add(int(suits.orders(row[None])[0]))
        table.apply(table.legal_actions()[0])
    assert [len(found) for found in orders.values()] == [1, 1, 1, 1]


def test_the_cut_suit_of_boston_comes_first_and_the_other_of_its_colour_last() -> None:
    game = whist_env.game("boston")
    for cut, first, last in (("H7", HEARTS, DIAMONDS), ("S2", SPADES, CLUBS)):
        table = game.new_table(seed=1, cut=cut)
        row = table.observe(out=np.empty(game.features.size, np.int8))[None]
        order = ORDERS[canonical(game).orders(row)[0]]
        assert (order[0], order[3]) == (first, last)
