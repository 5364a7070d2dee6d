"""Deals of every game played again in their worlds, run by `test_inference`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import worlds_tables
from policies import Fake, uniform
from worlds_tables import Manner, at

import whist_env
from whist_agents.search.inference import deeds, weights
from whist_env.envs.play import view_of
from whist_env.worlds import Worlds

KINDS = [
    ("whist", {"revokes": "penalty"}, ()),
    ("dummy_whist", {"deals": 2}, ()),
    ("bridge_whist", {}, ("pass_to_partner", "double", "redouble")),
    ("german_whist", {}, ()),
    ("chinese_whist", {}, ()),
    ("solo_whist", {}, ("propose", "accept")),
    ("solo_whist", {"trump_named": "with_call"}, ("abundance", "slam")),
    ("boston", {}, ("six_clubs", "little_spread")),
    ("boston", {"come_back": "freely"}, ("five_hearts", "little_misere")),
    ("boston_de_fontainebleau", {}, ("piccolissimo", "whist")),
    ("russian_boston", {"carte_blanche": "auto"}, ("six_clubs", "declare")),
    ("french_boston", {}, ("petite_misere",)),
    ("french_boston", {"raised_demand": "laid_suit"}, ("demand_petite", "accept")),
    ("cayenne", {}, ("nullo",)),
    ("polignac", {}, ("capot",)),
    ("slobberhannes", {}, ()),
    ("omnibus_hearts", {"pass_cycle": "left,right,across,hold", "deals": 2}, ()),
]


def test_every_game_is_played_again() -> None:
    assert {name for name, _, _ in KINDS} == set(whist_env.games())


@pytest.mark.parametrize(("name", "options", "calls"), KINDS)
def test_a_deal_is_played_again_in_every_world(
    name: str, options: dict[str, Any], calls: tuple[str, ...]
) -> None:
    game = whist_env.game(name, **options)
    for position in worlds_tables.positions(game, 1, Manner(calls), 36):
        table = position.start.clone()
        shown: list[bytes] = []
        for deed in deeds(position.table):
            told = table.agent != position.table.agent and not deed.is_laid_aside
            if told and len(table.legal_actions()) > 1:
                shown.append(view_of(table, 0)[0].observation.tobytes())
            table.apply(deed.action)
        assert table == position.table
        fake = Fake(uniform)
        itself = np.frombuffer(table.record.tobytes(), game.rules.record)
        weights(fake, table, itself)
        assert fake.shown == shown
        worlds = Worlds(position.table).sample(3, 1)
        shares = weights(Fake(uniform), position.table, worlds)
        assert shares.sum() == pytest.approx(1)
        assert len(deeds(at(game, worlds[0]))) == len(position.actions)
