"""What networks see of a position, and that nothing hidden is among it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from uncompiled import run_uncompiled
from whist_tables import twin_deal

import whist_env
from whist_agents.hoyle import HoyleAgent
from whist_agents.net import NetAgent, PolicyNetwork
from whist_agents.sight import ADVICE, HANDS, HIGHER, NO_CARD, PLACES, sight
from whist_env import Table, Tables, Views
from whist_env.cards import parse_card
from whist_env.envs.play import view_of

WHIST = whist_env.game("whist")


def test_what_is_seen_in_every_game_is_as_counted_and_nothing_hidden() -> None:
    run_uncompiled("uncompiled_sight.py")


def after_a_trick() -> Table:
    """Hearts are trumps; east has won a trick in clubs and leads HK."""
    table = WHIST.new_table(
        deal="N:AKQ.J98.6.765432 JT98.AKQT.543.AK 765.76.AKQJ.QJT9 432.5432.T9872.8",
        turned="HT",
        dealer=1,
    )
    for card in ("CQ", "C8", "C7", "CA", "HK"):
        table.apply(parse_card(card))
    return table


def test_places_are_those_of_the_cards_that_are_still_out() -> None:
    table = after_a_trick()
    seen = sight(WHIST, advised=False)
    view = view_of(table, 0)
    orders = seen.orders(view.observation)
    row = seen.observation(view.observation, view.action_mask, orders)[0]
    higher = dict(
        zip(
            seen.action(np.arange(52), orders.repeat(52)).tolist(),
            seen.features.part(row, HIGHER).tolist(),
            strict=True,
        )
    )
    # CA, CQ, C8 and C7 are gone: the king is the best club, then the jack.
    expected = {"CK": 0, "CJ": 1, "C9": 3, "C6": 4, "C2": 8, "HA": 0, "HK": 1, "HQ": 2}
    assert {name: higher[parse_card(name)] for name in expected} == expected
    places = seen.features.part(row, PLACES).reshape(5, 4, 13)
    # South is to play, with the seven and the six of trumps, which come first; the
    # player on its right has led the king.
    assert table.agent == 2
    hearts = places[:, 0]
    assert hearts[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    assert [int(row.argmax()) if (row == 1).any() else -1 for row in hearts[1:]] == [
        *(-1, -1, -1, 1)
    ]
    # Of the suits in hand only clubs are not all out: nine cards, then their end.
    ends = (places[0] == NO_CARD).sum(1)
    assert sorted(ends.tolist()) == [0, 0, 0, 4]
    clubs = places[0, ends.argmax()]
    assert clubs.tolist() == [0, 1, 1, 1, 0, 0, 0, 0, 0, *([NO_CARD] * 4)]


def test_unseen_cards_may_change_hands_without_a_trace() -> None:
    seen, rng = sight(WHIST, advised=True), np.random.default_rng(1)
    for played in (3, 17, 30):
        table = WHIST.new_table(seed=played)
        for _ in range(played):
            table.apply(int(rng.choice(table.legal_actions())))
        twin = WHIST.new_table(seed=1, **twin_deal(table, table.agent, rng))
        record = table.record
        for card in record.history[: record.cards_played]:
            twin.apply(int(card))
        assert (twin.record.hands != record.hands).any()
        rows, states = [], []
        for each in (table, twin):
            view = view_of(each, 0)
            orders = seen.orders(view.observation)
            rows.append(seen.observation(view.observation, view.action_mask, orders))
            own = each.state(each.agent, np.empty(WHIST.state_features.size, np.int8))
            states.append(seen.state(own[None], view.action_mask, orders))
        assert (rows[0] == rows[1]).all()
        differs = seen.state_features.part(states[0] != states[1], HANDS)
        assert differs.any() and not differs[:, 0].any()


def test_advice_is_shown_to_those_alone_that_take_it() -> None:
    plain, advised = sight(WHIST, advised=False), sight(WHIST, advised=True)
    assert ADVICE not in plain.features and ADVICE in advised.features
    assert advised.features.size == plain.features.size + 52
    batch = Tables(WHIST, 5, seed=1, dtype=np.int8).reset()
    orders = plain.orders(batch.observation)
    given = batch.observation, batch.action_mask, orders
    rows = advised.observation(*given)
    assert (rows[:, : plain.features.size] == plain.observation(*given)).all()


def test_numbers_lie_within_their_bounds() -> None:
    seen = sight(WHIST, advised=True)
    tables = Tables(WHIST, 20, seed=1, dtype=np.int8)
    batch = tables.reset()
    for _ in range(52):
        orders = seen.orders(batch.observation)
        rows = seen.state(tables.state(), batch.action_mask, orders)
        assert (rows >= seen.state_features.low).all()
        assert (rows <= seen.state_features.high).all()
        batch = tables.step(tables.sample_actions())


def test_copies_of_a_network_share_what_it_sees() -> None:
    network = PolicyNetwork(sight(WHIST, advised=True), (8,))
    assert copy.deepcopy(network).sight is network.sight is sight(WHIST, advised=True)


# The network that sees it -----------------------------------------------------------


def test_the_logit_of_a_card_is_that_of_its_name_and_of_its_place() -> None:
    seen = sight(WHIST, advised=True)
    network = PolicyNetwork(seen, ())
    last = network.layers[-1]
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.weight.zero_()
        last.bias[:52] = torch.arange(52.0)
        last.bias[52:] = 100 * torch.arange(52.0)
        network.trust[:] = torch.tensor([0.5, 7.0])
    tables = Tables(WHIST, 10, seed=1, dtype=np.int8)
    batch = tables.reset()
    for _ in range(23):
        batch = tables.step(tables.sample_actions())
    orders = seen.orders(batch.observation)
    rows = seen.observation(batch.observation, batch.action_mask, orders)
    higher = seen.features.part(rows, HIGHER)
    cards = np.arange(52)
    expected = cards + 100.0 * (13 * (cards // 13) + higher)
    assert higher.max() > 5
    given = torch.from_numpy(rows)
    assert network.values(given).tolist() == expected.tolist()
    expected += 0.5 * seen.features.part(rows, ADVICE)
    assert network(given).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["whist", "solo_whist"])
def test_a_network_that_trusts_does_as_it_is_advised(name: str) -> None:
    game = whist_env.game(name)
    network = PolicyNetwork(sight(game, advised=True), (8,))
    tables = Tables(game, 50, seed=4, dtype=np.int8)
    batch = tables.reset()
    agreed = []
    for trust in (50.0, 50.0, 0.0):
        torch.nn.init.constant_(network.trust, trust)
        for _ in range(20):
            bits = np.zeros(50, np.uint64)
            views = Views(game, batch.observation, batch.action_mask, bits)
            chosen, advised = NetAgent(network).act(views), HoyleAgent().act(views)
            agreed.append((chosen == advised).mean())
            batch = tables.step(tables.sample_actions())
    assert set(agreed[:40]) == {1.0} and np.mean(agreed[40:]) < 0.9
