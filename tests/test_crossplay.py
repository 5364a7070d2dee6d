"""Cross-play: who meets whom, what comes of it, the control, the errors."""

from __future__ import annotations

import dataclasses
import functools
import io
import itertools
import json
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rich.console import Console

import whist_env
from whist_env import Game, Views
from whist_env.envs.play import ask
from whist_train.crossplay import CrossPlay, _plan, crossplay
from whist_train.evaluate import play_pairs
from whist_train.ratings import Cycle
from whist_train.rooms import Agent, blocks_of


class LowestCard:
    """Plays its lowest legal card, the lower suit where two are equal."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        ranks = np.arange(views.action_mask.shape[1]) % 13
        return np.where(views.action_mask == 1, ranks, 13).argmin(axis=1)


class HighestCard:
    """Plays its highest legal card, the lower suit where two are equal."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        ranks = np.arange(views.action_mask.shape[1]) % 13
        return np.where(views.action_mask == 1, ranks, -1).argmax(axis=1)


class FirstCard:
    """Plays the first legal card in the order of the suits."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        return views.action_mask.argmax(axis=1)


class LastCard:
    """Plays the last legal card in the order of the suits."""

    def act(self, views: Views) -> npt.NDArray[Any]:
        last = views.action_mask[:, ::-1].argmax(axis=1)
        return views.action_mask.shape[1] - 1 - last


class OwnChance:
    """Plays at random from a source of its own."""

    source = np.random.default_rng(0)

    def act(self, views: Views) -> npt.NDArray[Any]:
        chances = self.source.random(views.action_mask.shape)
        return np.where(views.action_mask == 1, chances, -1).argmax(axis=1)


FOUR: tuple[Agent, ...] = (LowestCard(), HighestCard(), FirstCard(), LastCard())


@functools.cache
def four_at_whist() -> CrossPlay:
    return crossplay(FOUR[:3], deals=120, seed=5)


def text_of(result: CrossPlay) -> str:
    """The printed tables as one line of words."""
    file = io.StringIO()
    Console(file=file, width=150).print(result)
    return " ".join(file.getvalue().split())


# Who meets whom ---------------------------------------------------------------------


def test_every_partnership_meets_every_other() -> None:
    plan = _plan(whist_env.game("whist"), 3, None)
    assert plan.sides == ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    assert plan.cells == tuple(itertools.combinations(range(6), 2))
    assert plan.origin is None


@pytest.mark.parametrize(("reference", "last"), [(3, ((3, 3),)), (1, ())])
def test_every_partnership_meets_two_of_the_reference(
    reference: int, last: tuple[tuple[int, int], ...]
) -> None:
    plan = _plan(whist_env.game("whist"), 3, reference)
    assert plan.sides == ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), *last)
    assert plan.sides[plan.origin or 0] == (reference, reference)
    assert len(plan.cells) == len(plan.sides) - 1
    assert {second for _, second in plan.cells} == {plan.origin}


@pytest.mark.parametrize(
    ("game", "cells"),
    [
        ("german_whist", ((0, 1), (0, 2), (1, 2))),
        ("dummy_whist", tuple(itertools.permutations(range(3), 2))),
        ("polignac", tuple(itertools.permutations(range(3), 2))),
    ],
)
def test_without_partners_one_agent_meets_a_table_of_each_other(
    game: str, cells: tuple[tuple[int, int], ...]
) -> None:
    plan = _plan(whist_env.game(game), 3, None)
    assert plan.sides == ((0,), (1,), (2,))
    assert plan.cells == cells
    assert _plan(whist_env.game(game), 2, 2).cells == ((0, 2), (1, 2))


def test_each_of_four_agents_has_each_hand_once_and_sits_with_its_partner() -> None:
    plan = _plan(whist_env.game("whist"), 4, None)
    cell = (plan.sides.index((0, 1)), plan.sides.index((2, 3)))
    tables = plan.seatings(cell)
    assert len(tables) == 4
    for seat in range(4):
        assert sorted(table.agents[seat] for table in tables) == [0, 1, 2, 3]
    for table in tables:
        assert {table.agents[seat] for seat in table.own} == {0, 1}
        assert abs(table.own[0] - table.own[1]) == 2


def test_partners_of_one_kind_need_two_tables() -> None:
    plan = _plan(whist_env.game("whist"), 2, None)
    assert [table.agents for table in plan.seatings((0, 2))] == [
        (0, 1, 0, 1),
        (1, 0, 1, 0),
    ]
    assert len(plan.seatings((0, 1))) == 4


def test_one_agent_has_each_hand_of_the_table_in_turn() -> None:
    plan = _plan(whist_env.game("dummy_whist"), 2, None)
    assert [(t.agents, t.own) for t in plan.seatings((0, 1))] == [
        ((0, 1, 1), (0,)),
        ((1, 0, 1), (1,)),
        ((1, 1, 0), (2,)),
    ]


# What comes of it -------------------------------------------------------------------


def test_two_of_a_kind_against_two_make_what_they_make_in_evaluation() -> None:
    result = four_at_whist()
    for encounter in result.encounters:
        first, second = (result.sides[side] for side in encounter.sides)
        if len(set(first)) == len(set(second)) == 1:
            a, b = FOUR[first[0]], FOUR[second[0]]
            played = play_pairs(a, b, whist_env.game("whist"), 120, seed=5)
            assert encounter.margin == played.estimates()["tricks"]
            pairs = played.results["tricks"].sum(1)
            assert encounter.won == (pairs > 0).sum()
            assert encounter.even == (pairs == 0).sum()
            assert encounter.won + encounter.lost + encounter.even == 120


def results_by_hand(game: Game, agents: list[Agent], boards: int, seed: int) -> Any:
    """The measures of tables at which these agents sit, one after the other."""
    (block,) = blocks_of(game, boards, seed)
    records = []
    for table_seed in block.table_seeds():
        table = game.new_table(int(table_seed))
        while not table.is_over:
            player: Any = agents[table.agent]
            table.apply(ask(player, table, 0))
        records.append(table.record)
    return game.rules.measures["tricks"](np.array(records, game.rules.record))


def test_mixed_partners_make_what_their_tables_say_one_by_one() -> None:
    low, high, first, last = FOUR
    result = crossplay(FOUR, deals=6, seed=3)
    game = whist_env.game("whist")
    total = np.zeros(6)
    for agents, sign in [
        ([low, first, high, last], 1),
        ([high, last, low, first], 1),
        ([first, low, last, high], -1),
        ([last, high, first, low], -1),
    ]:
        tricks = results_by_hand(game, agents, 6, 3)
        total += sign * (tricks[:, [0, 2]].sum(1) - tricks[:, [1, 3]].sum(1)) / 4
    cell = (result.sides.index((0, 1)), result.sides.index((2, 3)))
    (encounter,) = [each for each in result.encounters if each.sides == cell]
    assert encounter.margin.mean == pytest.approx(total.mean() / 4)
    assert encounter.won == (total > 0).sum()


def test_one_among_others_makes_what_its_tables_say_one_by_one() -> None:
    game = whist_env.game("dummy_whist")
    low, high = FOUR[:2]
    result = crossplay([low, high], game="dummy_whist", deals=5, seed=2)
    total = np.zeros(5)
    for seat in range(3):
        agents = [high] * 3
        agents[seat] = low
        tricks = results_by_hand(game, agents, 5, 2)
        total += tricks[:, seat] - tricks.mean(1)
    assert result.encounters[0].sides == (0, 1)
    assert result.encounters[0].margin.mean == pytest.approx(total.mean() / 3)


def test_points_that_are_paid_are_what_one_among_others_wins() -> None:
    result = crossplay(FOUR[:2], game="polignac", deals=40)
    assert (result.measure, result.unit) == ("points", "deal")
    assert {len(side) for side in result.sides} == {1}
    assert result.ratings.partnerships == ()
    first, second = (each.margin.mean for each in result.encounters)
    strength = result.ratings.agents[0].value
    assert strength == pytest.approx((first - second) / 4)


def test_rubbers_are_counted_by_their_deals() -> None:
    result = crossplay(FOUR[:2], rubbers=12, seed=1)
    game = whist_env.game("whist", episode="rubber", scoring="short5")
    played = play_pairs(FOUR[0], FOUR[1], game, 12, seed=1)
    assert result.episode == "rubber"
    whole = result.encounters[1]
    assert [result.sides[side] for side in whole.sides] == [(0, 0), (1, 1)]
    assert whole.margin == played.estimates()["tricks"]
    won = crossplay(FOUR[:2], rubbers=12, seed=1, measure="won")
    assert won.unit == "rubber"
    assert won.encounters[1].margin == played.estimates()["won"]


def test_strengths_do_not_depend_on_the_order_of_the_agents() -> None:
    result, back = four_at_whist(), crossplay(FOUR[2::-1], deals=120, seed=5)
    forth = [figure.value for figure in result.ratings.agents]
    assert [figure.value for figure in back.ratings.agents] == pytest.approx(
        forth[::-1]
    )
    gaps = {pair.agents: pair.gap.value for pair in result.ratings.partnerships}
    for pair in back.ratings.partnerships:
        a, b = pair.agents
        assert pair.gap.value == pytest.approx(gaps[2 - b, 2 - a])


def test_the_gap_is_that_of_the_strengths() -> None:
    result = four_at_whist()
    strength = dict(
        zip(result.sides, (s.value for s in result.ratings.sides), strict=True)
    )
    for pair in result.ratings.partnerships:
        a, b = pair.agents
        alone = (strength[a, a] + strength[b, b]) / 2
        assert pair.gap.value == pytest.approx(strength[a, b] - alone)


def test_a_reference_is_worth_nothing_and_the_others_what_they_make_against_it() -> (
    None
):
    result = crossplay(FOUR[:2], against=FOUR[3], deals=60)
    assert result.agents == ("LowestCard", "HighestCard")
    assert (result.against, result.sides[-1]) == ("LastCard", (2, 2))
    assert result.side_name(3) == "LastCard + LastCard"
    assert result.ratings.sides[-1].value == 0
    for encounter in result.encounters:
        side, reference = encounter.sides
        assert reference == 3
        strength = result.ratings.sides[side].value
        assert strength == pytest.approx(encounter.margin.mean)


def test_one_encounter_is_counted_as_one() -> None:
    assert "1 encounter on the same" in text_of(
        crossplay(["greedy"], against="random", deals=4)
    )


def test_one_of_the_agents_may_be_the_reference() -> None:
    result = crossplay(FOUR[:2], against=FOUR[0], deals=30)
    assert result.sides == ((0, 0), (0, 1), (1, 1))
    assert [each.sides for each in result.encounters] == [(1, 0), (2, 0)]
    assert result.ratings.sides[0].value == 0
    by_spec = crossplay(["random", FOUR[0]], against="random", deals=30)
    assert (by_spec.against, by_spec.sides[-1]) == ("random", (1, 1))


def test_the_same_seed_gives_the_same_result_and_another_another() -> None:
    again = crossplay(FOUR[:3], deals=120, seed=5)
    assert again == four_at_whist()
    other = crossplay(FOUR[:3], deals=120, seed=6)
    assert other.encounters != again.encounters


def test_the_number_of_workers_changes_nothing() -> None:
    specs = ["random", "test_crossplay:LowestCard"]
    one = crossplay(specs, deals=300, seed=3)
    assert crossplay(specs, deals=300, seed=3, workers=2) == one


# The control ------------------------------------------------------------------------


def test_an_agent_alone_at_a_table_plays_the_same_twice() -> None:
    result = crossplay(["random", FOUR[0]], deals=40)
    assert [(each.pairs, each.unequal) for each in result.controls] == [(40, 0)] * 2


def test_an_agent_that_draws_on_chance_of_its_own_is_told() -> None:
    result = crossplay([FOUR[0], OwnChance()], deals=40)
    first, second = result.controls
    assert first.unequal == 0
    assert second.unequal > 20
    assert f"{second.unequal} differ" in text_of(result)


def test_two_agents_that_play_alike_are_exactly_equal() -> None:
    @dataclasses.dataclass(eq=False)
    class Twin(LowestCard):
        pass

    result = crossplay([FOUR[0], Twin(), FOUR[1]], deals=50)
    strengths = dict(zip(result.sides, result.ratings.sides, strict=True))
    assert strengths[0, 0].value == pytest.approx(strengths[1, 1].value)
    (equal,) = [e for e in result.encounters if e.sides == (0, 3)]
    assert (equal.margin.mean, equal.margin.high, equal.even) == (0, 0, 50)
    # Mixed partners that play alike as well, at all four tables.
    (mixed,) = [e for e in result.encounters if e.sides == (0, 1)]
    assert (mixed.margin.mean, mixed.margin.high, mixed.even) == (0, 0, 50)


# Text -------------------------------------------------------------------------------


def test_a_result_survives_json_that_every_reader_takes() -> None:
    results = [
        four_at_whist(),
        crossplay(["random"], against=FOUR[0], deals=2),
        crossplay(FOUR[:3], game="polignac", deals=10),
    ]
    assert any(
        math.isinf(figure.low) for each in results for figure in each.ratings.elo
    )

    def refused(constant: str) -> None:
        raise AssertionError(constant)

    for result in results:
        text = result.to_json()
        json.loads(text, parse_constant=refused)
        assert CrossPlay.from_json(text) == result


def test_the_tables_name_every_figure() -> None:
    result = four_at_whist()
    text = text_of(result)
    for agent, name in enumerate(result.agents):
        assert name in text
        assert f"{result.ratings.agents[agent].value:+.3f}" in text
    for pair in result.ratings.partnerships:
        assert f"{pair.gap.value:+.3f} ({pair.gap.low:+.3f} to" in text
    for figure in result.ratings.sides:
        assert f"{figure.value:+.3f}" in text
    assert "15 encounters on the same 120 deals, 6480 tables in all" in text
    assert "0 is the mean of all sides" in text
    assert "whist_env.game('whist'), seed 5" in text


def test_the_largest_cycle_is_printed() -> None:
    result = four_at_whist()
    assert "Largest cycle: " in text_of(result)
    figure = dataclasses.replace(result.ratings.sides[0], value=0.25)
    cycle = Cycle((0, 3, 5), (figure, figure, figure))
    ratings = dataclasses.replace(result.ratings, cycle=cycle)
    text = text_of(dataclasses.replace(result, ratings=ratings))
    assert "LowestCard + LowestCard beats HighestCard + HighestCard by 0.250" in text
    assert "FirstCard + FirstCard beats LowestCard + LowestCard by" in text
    ordered = dataclasses.replace(result.ratings, cycle=None)
    text = text_of(dataclasses.replace(result, ratings=ordered))
    assert "Largest cycle: none." in text


def test_one_among_others_is_printed_as_such() -> None:
    result = crossplay(FOUR[:2], game="polignac", deals=20)
    text = text_of(result)
    assert "points per deal, one of, among" in text
    for encounter in result.encounters:
        assert f"{encounter.margin.mean:+.3f}" in text


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agents", "arguments", "error", "message"),
    [
        (["random"], {}, ValueError, "give 2 agents or more, not 1"),
        (["random"], {"against": "random"}, ValueError, "2 agents or more, not 1"),
        ([], {}, ValueError, "2 agents or more, not 0"),
        ("random", {}, TypeError, "give a list of agents, not 'random' alone"),
        (["random", "random"], {}, ValueError, "'random' comes twice"),
        ([FOUR[0], LowestCard()], {}, ValueError, "'LowestCard' comes twice"),
        ([FOUR[0], 5], {}, TypeError, "5 is not an agent"),
        (["random", "hoile"], {}, ValueError, "hoile"),
        (FOUR, {"measure": "trick"}, ValueError, "'trick' is none of whist's: points"),
        (FOUR, {"deals": 1}, ValueError, "deals=1 must be at least 2"),
        (FOUR, {"rubbers": 5}, ValueError, "rubbers= or deals=, not both"),
        (FOUR, {"workers": 0}, ValueError, "workers=0 must be at least 1"),
        (FOUR, {"workers": 2}, ValueError, "LowestCard is an object of this"),
        (FOUR, {"episode": "game"}, ValueError, "episode= follows from"),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    agents: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        crossplay(agents, **{"deals": 4} | arguments)
