"""Worlds are exactly what an agent must reckon with: all of it, and each as likely."""

from __future__ import annotations

import collections
import functools
import itertools
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from worlds_tables import (
    DISCARD,
    HIDDEN_DEMANDS,
    Look,
    Manner,
    all_parts,
    at,
    changed,
    game_of,
    parts_of,
    parts_of_all,
    positions,
)

import whist_env
from whist_env import Table, Worlds
from whist_env.cards import (
    CARDS,
    card_set,
    count,
    deal_text,
    members,
    parse_card,
    parse_deal,
)
from whist_env.worlds import check, counting
from whist_env.worlds.compiled import _digest
from whist_env.worlds.worlds import compiled_loops

Case = tuple[str, dict[str, Any], Manner]

MISERES = ("little_misere", "little_spread")
SPREADS = ("little_spread",)
DEMANDS = ("demand_petite", "demand_belle_hidden", "demand_belle", "six_clubs")
PETITES = ("petite_misere", "petite_misere_sur_table", "demand_petite")
COURT_CARDS = {
    "carte_blanche": "auto",
    "carte_blanche_hand": "no_court_card",
    "carte_blanche_contracts": "all",
}
STRICT = {"lead": "2c", "hearts_broken": True, "no_points_first_trick": True}

CASES: list[Case] = [
    ("whist", {}, Manner()),
    ("whist", {"ranks": 5, "suits": 4, "deals": 3}, Manner()),
    ("whist", {"revokes": "penalty"}, Manner()),
    ("dummy_whist", {"deals": 2}, Manner()),
    ("bridge_whist", {}, Manner(("pass",))),
    ("bridge_whist", {"revokes": "penalty"}, Manner(("pass",))),
    ("cayenne", {}, Manner(("nullo",))),
    ("solo_whist", {}, Manner(("spread",))),
    ("solo_whist", {"general_misere": "on"}, Manner(("pass", "slam"))),
    ("boston", {}, Manner(MISERES)),
    ("boston", {"spread_exposed": "after_first_trick"}, Manner(SPREADS)),
    ("boston_de_fontainebleau", {}, Manner((*MISERES, "piccolissimo"))),
    ("boston_de_fontainebleau", {"discards": "caller"}, Manner(SPREADS)),
    ("russian_boston", {"carte_blanche": "auto"}, Manner(("six_clubs", "declare"))),
    ("russian_boston", COURT_CARDS, Manner(("little_misere", "declare"))),
    ("french_boston", {}, Manner(PETITES)),
    ("french_boston", {"raised_demand": "laid_suit"}, Manner(DEMANDS)),
    ("french_boston", {"revokes": "penalty"}, Manner(DEMANDS)),
    ("polignac", {}, Manner()),
    ("slobberhannes", {}, Manner()),
    ("slobberhannes", {"revokes": "penalty"}, Manner()),
    ("omnibus_hearts", STRICT, Manner()),
    ("omnibus_hearts", {"pass_cycle": "left,right,across,hold", "deals": 4}, Manner()),
    ("omnibus_hearts", {"players": 6, "hearts_broken": True}, Manner()),
]
NAMES = [f"{name}-{number}" for number, (name, _, _) in enumerate(CASES)]
cases = pytest.mark.parametrize("case", CASES, ids=NAMES)


def looks(case: Case, number: int, **how: Any) -> Iterator[Look]:
    """Positions of a game, each as some agent sees it."""
    name, options, manner = case
    game = game_of(name, **options)
    rng = random.Random(0)
    found = (
        position
        for seed in itertools.count()
        for position in positions(game, seed, manner, **how)
    )
    for position in itertools.islice(found, number):
        yield Look(position, rng.randrange(game.num_agents))


def chi_square(seen: list[int], expected: list[float]) -> float:
    """How many standard deviations the fit of frequencies is off.

    Args:
        seen: how often each thing was seen.
        expected: how often it should have been, on average.
    """
    number = len(expected) - 1
    fit = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True))
    return (fit - number) / math.sqrt(2 * number) if number else 0.0


# Worlds are positions that the rules produce ----------------------------------------


@cases
def test_samples_come_about_by_legal_actions_and_the_agent_sees_no_difference(
    case: Case,
) -> None:
    per_game = sum(name == case[0] for name, _, _ in CASES)
    drawn = hidden = 0
    for look in looks(case, 10_000 // 80 // per_game + 1):
        hidden += len(look.hidden)
        samples = Worlds(look.position.table, look.agent).sample(80, seed=1)
        assert (look.dealt(samples[0]).record.dealt == samples[0].dealt).all()
        for world in samples:
            replayed = look.replayed(world)
            assert replayed is not None
            assert replayed == at(replayed.game, world)
            drawn += 1
    assert drawn * per_game >= 10_000
    if case[0] in ("omnibus_hearts", *DISCARD) and "carte_blanche" not in case[1]:
        assert hidden > 10


@cases
def test_tables_that_look_the_same_have_the_same_worlds(case: Case) -> None:
    for look in looks(case, 12):
        table, agent = look.position.table, look.agent
        worlds = Worlds(table, agent)
        samples = worlds.sample(20, seed=3)
        for world in worlds.sample(3, seed=4):
            twin = Worlds(at(table.game, world), agent)
            assert twin.count == worlds.count
            assert twin.sample(20, seed=3).tobytes() == samples.tobytes()
            assert twin.marginals().tobytes() == worlds.marginals().tobytes()


@cases
def test_everything_that_the_agent_sees_and_holds_stays_as_it_is(case: Case) -> None:
    for look in looks(case, 6):
        record = look.position.table.record
        seat = record.dtype.names and look.position.table.game.rules.seat_of(
            record, look.agent
        )
        for world in Worlds(look.position.table, look.agent).sample(5, seed=0):
            for field in ("hands", "dealt"):
                assert world[field][seat] == record[field][seat]
            for field in ("played", "history", "trick", "returns", "voids", "dealer"):
                assert np.array_equal(world[field], record[field])


@cases
def test_nobody_can_foresee_the_next_deal(case: Case) -> None:
    for look in looks(case, 2):
        table = look.position.table
        samples = Worlds(table, look.agent).sample(50, seed=0)
        assert len(set(samples["seed"].tolist()) | {int(table.record.seed)}) == 51


# All worlds, and each as likely -----------------------------------------------------


@functools.cache
def small_looks(number: int) -> list[tuple[Look, dict[Any, Table]]]:
    """Positions in which few ways to deal are left, and all of those that look alike.

    Args:
        number: the number of the case.
    """
    name, options, manner = CASES[number]
    game = game_of(name, **options)
    rng = random.Random(0)
    found: list[tuple[Look, dict[Any, Table]]] = []
    for seed in range(300):
        for position in positions(game, seed, manner, longest=5):
            if may_be_small(position.table):
                look = Look(position, rng.randrange(game.num_agents))
                parts = all_parts(look, 300)
                if parts is not None and len(parts) > 1:
                    found.append((look, parts))
                    break
        if len(found) == 3:
            return found
    raise AssertionError("there are not enough positions")


def may_be_small(table: Table) -> bool:
    """Whether so much was played that all deals can be tried."""
    return bool(3 < np.bitwise_count(table.record.hands).sum() < 12)


def hidden_passes(record: Any, agent: int) -> int:
    """How many ways there were to pass on cards of which an agent does not know."""
    if "pass_distance" not in record.dtype.names or record.pass_distance == 0:
        return 1
    seats = record.hands.size
    size = count(record.dealt[0])
    return math.comb(size, int(record.options.cards_passed)) ** (seats - 2)


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_there_are_as_many_worlds_as_deals_that_look_alike_each_as_likely(
    number: int,
) -> None:
    for look, parts in small_looks(number):
        record = look.position.table.record
        worlds = Worlds(look.position.table, look.agent)
        assert worlds.count == len(parts) * hidden_passes(record, look.agent)
        seen = parts_of_all(worlds.sample(40 * len(parts), seed=5))
        assert seen.keys() <= parts.keys()
        times = [seen[part] for part in parts]
        assert chi_square(times, [40.0] * len(parts)) < 5


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_other_unseen_cards_never_change_what_is_drawn(number: int) -> None:
    for look, parts in small_looks(number):
        samples = Worlds(look.position.table, look.agent).sample(20, seed=5)
        for table in itertools.islice(parts.values(), 10):
            twins = Worlds(table, look.agent).sample(20, seed=5)
            assert twins.tobytes() == samples.tobytes()


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_marginals_are_the_shares_of_all_worlds(number: int) -> None:
    for look, parts in small_looks(number):
        worlds = Worlds(look.position.table, look.agent)
        seats = look.position.table.record.hands.size
        shares = np.zeros((2 * seats, CARDS))
        for part in parts:
            for place in range(2 * seats):
                shares[place, list(members(part[place]))] += 1 / len(parts)
        assert worlds.marginals() == pytest.approx(shares[: len(worlds.places)])


@cases
def test_marginals_add_up_and_are_near_the_frequencies(case: Case) -> None:
    for look in looks(case, 5):
        table = look.position.table
        worlds = Worlds(table, look.agent)
        chances = worlds.marginals()
        assert chances.shape == (len(worlds.places), CARDS)
        parts = parts_of(table.record)[: len(worlds.places)]
        assert chances.sum(1) == pytest.approx([part.bit_count() for part in parts])
        left = [sum(part >> card & 1 for part in parts) for card in range(CARDS)]
        assert chances.sum(0) == pytest.approx(left)
        samples = worlds.sample(2000, seed=1)
        for place in range(table.record.hands.size):
            held = samples["hands"][:, place, None] >> np.arange(CARDS, dtype=np.uint64)
            frequency = (held & np.uint64(1)).mean(0)
            assert np.abs(frequency - chances[place]).max() < 5 * 0.5 / math.sqrt(2000)


def test_whole_deals_are_as_many_as_they_should_be() -> None:
    table = game_of("whist").new_table(0)
    # The turned card lies in a hand that is not the leader's.
    expected = math.factorial(38) // math.factorial(13) ** 2 // math.factorial(12)
    assert Worlds(table).count == expected
    assert Worlds(table, int(table.record.dealer)).count == expected * 39 // 13
    hearts = game_of("omnibus_hearts", players=6).new_table(0)
    assert Worlds(hearts).count == math.factorial(40) // math.factorial(8) ** 5
    for _ in range(18):
        hearts.apply(hearts.legal_actions()[0])
    assert hearts.record.phase == 1
    # Three cards in the receiver's hand are known; four others passed on any three.
    deals = math.factorial(37) // math.factorial(8) ** 4 // math.factorial(5)
    assert Worlds(hearts).count == deals * math.comb(8, 3) ** 4


# Counting, apart from any game ------------------------------------------------------

Plan = Any


def random_plan(rng: random.Random, needs: bool) -> Plan:
    """Cards to place at random, few of which may lie anywhere."""
    plan = np.zeros(1, np.dtype((np.record, counting.PLAN)))[0]
    cards = rng.sample(range(52), rng.randrange(1, 8))
    plan.seats = 3
    plan.unseen = card_set(cards)
    plan.choices = 1
    for _ in cards:
        plan.hidden[rng.randrange(5)] += 1
    for place in range(counting.PLACES):
        some = [card for card in range(52) if rng.random() < 0.7]
        plan.allowed[place] = card_set(some if rng.random() < 0.8 else range(52))
    wanted = card_set(card for card in range(52) if rng.random() < 0.4)
    for _ in range(rng.randrange(3) if needs else 0):
        places = card_set({rng.randrange(5), rng.randrange(5)})
        counting.require(plan, places, wanted)
    return plan


def all_placings(plan: Plan) -> list[tuple[int, ...]]:
    """Every way to place the cards: the place of each, found by trying all."""
    cards = list(members(plan.unseen))
    return [
        placing
        for placing in itertools.product(range(5), repeat=len(cards))
        if all(placing.count(place) == plan.hidden[place] for place in range(5))
        and all(
            int(plan.allowed[place]) >> card & 1
            for card, place in zip(cards, placing, strict=True)
        )
        and all(
            any(
                int(plan.need[need]) >> place & 1 and int(plan.needed) >> card & 1
                for card, place in zip(cards, placing, strict=True)
            )
            for need in range(plan.needs)
        )
    ]


@pytest.mark.parametrize("needs", [False, True])
def test_ways_and_chances_are_those_found_by_trying_everything(needs: bool) -> None:
    several = 0
    for seed in range(60):
        plan = random_plan(random.Random(seed), needs)
        placings = all_placings(plan) if count(plan.unseen) < 7 else []
        if not placings:
            continue
        counting.prepare(plan)
        assert counting.number(plan) == len(placings)
        several += int(plan.classes > 2)
        out = np.empty((CARDS, 5))
        counting.marginals(plan, out)
        for number, card in enumerate(members(plan.unseen)):
            places = [placing[number] for placing in placings]
            shares = [places.count(place) / len(places) for place in range(5)]
            assert out[card] == pytest.approx(shares)
        assert counting.number(plan) == len(placings)
    assert several > 5


@pytest.mark.parametrize("needs", [False, True])
def test_cards_are_placed_in_each_way_with_the_same_chance(needs: bool) -> None:
    tried = 0
    for seed in range(40):
        plan = random_plan(random.Random(seed), needs)
        placings = all_placings(plan) if count(plan.unseen) < 6 else []
        if not 3 < len(placings) < 25:
            continue
        counting.prepare(plan)
        cards = list(members(plan.unseen))
        seen = collections.Counter()
        for start in range(20 * len(placings)):
            counting.deal_unseen(plan, np.uint64(start))
            seen[
                tuple(
                    next(p for p in range(5) if int(plan.drawn[p]) >> card & 1)
                    for card in cards
                )
            ] += 1
        assert set(seen) <= set(placings)
        times = [seen[placing] for placing in placings]
        assert chi_square(times, [20.0] * len(placings)) < 5
        tried += 1
    assert tried > 3


def test_what_nothing_can_meet_is_no_world() -> None:
    for cards, hidden in ((card_set([1, 2]), (1, 1)), (card_set([1]), (0, 1))):
        plan = np.zeros(1, np.dtype((np.record, counting.PLAN)))[0]
        plan.seats, plan.unseen, plan.choices = 3, cards, 1
        plan.hidden[:2] = hidden
        plan.allowed[:] = card_set(range(52))
        counting.require(
            plan, card_set([0]), card_set([1] if sum(hidden) == 1 else [9])
        )
        counting.prepare(plan)
        assert counting.number(plan) == 0
        assert "no deal agrees" in counting.complaint(plan)


def test_more_differences_than_the_table_holds_are_refused() -> None:
    plan = np.zeros(1, np.dtype((np.record, counting.PLAN)))[0]
    plan.seats, plan.choices = 6, 1
    plan.unseen = card_set(range(50))
    for place in range(5):
        plan.hidden[place] = 10
        plan.allowed[place] = card_set(c for c in range(52) if (c + place) % 6 != 0)
    counting.prepare(plan)
    assert counting.number(plan) == 0
    assert counting.complaint(plan) == (
        "what is known of the hands differs too much to be counted"
    )


# Dead ends --------------------------------------------------------------------------


def fill_greedily(table: Table, agent: int, rng: random.Random) -> bool:
    """Whether dealing each unseen card to any hand that may have it works out."""
    record = table.record
    others = [seat for seat in range(4) if seat != agent]
    room = {seat: count(record.hands[seat]) for seat in others}
    unseen = [card for seat in others for card in members(record.hands[seat])]
    rng.shuffle(unseen)
    for card in unseen:
        able = [
            seat
            for seat in others
            if room[seat] and not int(record.voids[seat]) >> (card // 13) & 1
        ]
        if not able:
            return False
        room[rng.choice(able)] -= 1
    return True


def test_deals_in_which_greedy_filling_runs_into_dead_ends_are_drawn() -> None:
    game = game_of("whist")
    rng = random.Random(0)
    found = 0
    for seed in range(40):
        for position in positions(game, seed, Manner(), longest=5):
            agent = rng.randrange(4)
            table = position.table
            if not 6 < int(np.bitwise_count(table.record.hands).sum()) < 24:
                continue
            failed = sum(not fill_greedily(table, agent, rng) for _ in range(20))
            if failed > 5:
                look = Look(position, agent)
                samples = Worlds(table, agent).sample(20, seed=0)
                assert all(look.replayed(world) is not None for world in samples)
                found += 1
    assert found > 20


def test_a_deal_that_leaves_no_choice_is_found_at_once() -> None:
    """Three hands of two cards: one may have hearts alone, and one all but clubs."""
    clubs, diamonds, hearts = (
        card_set([13 * suit, 13 * suit + 1]) for suit in range(3)
    )
    plan = np.zeros(1, np.dtype((np.record, counting.PLAN)))[0]
    plan.seats, plan.choices, plan.unseen = 3, 1, clubs | diamonds | hearts
    plan.hidden[:3] = 2
    plan.allowed[:3] = (hearts, hearts | diamonds, hearts | diamonds | clubs)
    counting.prepare(plan)
    assert counting.number(plan) == 1
    for start in range(20):
        counting.deal_unseen(plan, np.uint64(start))
        assert plan.drawn[:3].tolist() == [hearts, diamonds, clubs]


# What is known ----------------------------------------------------------------------


def test_the_turned_card_stays_with_the_dealer_until_it_is_played() -> None:
    game = game_of("whist", dealer=0)
    rng = random.Random(0)
    for seed in range(20):
        table = game.new_table(seed)
        turned = int(table.record.turned)
        while not int(table.record.played[0]) >> turned & 1:
            worlds = Worlds(table, 1)
            assert worlds.marginals()[0, turned] == 1
            assert worlds.marginals()[0].max() == 1
            table.apply(rng.choice(table.legal_actions()))


def test_who_may_revoke_proves_nothing_and_may_have_revoked() -> None:
    game = game_of("whist", revokes="penalty")
    rng = random.Random(1)
    table = game.new_table(1)
    for _ in range(24):
        table.apply(rng.choice(table.legal_actions()))
    record = table.record
    agent = int(record.seat)
    assert sum(int(voids).bit_count() for voids in record.voids) > 2
    chances = Worlds(table, agent).marginals()
    unseen = np.flatnonzero((0 < chances.max(0)) & (chances.max(0) < 1))
    for seat in range(4):
        if seat != agent:
            assert (chances[seat, unseen] > 0).all()
    samples = Worlds(table, agent).sample(200, seed=0)
    assert (samples["revokes"][:, agent] == record.revokes[agent]).all()
    assert len({tuple(revokes) for revokes in samples["revokes"].tolist()}) > 5


def test_dummy_is_known_once_it_lies_open_and_to_its_player_before() -> None:
    game = game_of("dummy_whist", dealer=0, dummy_exposed="after_lead")
    table = game.new_table(0)
    assert (Worlds(table, 0).marginals()[2] % 1 == 0).all()
    assert (Worlds(table, 1).marginals()[2] < 1).all()
    table.apply(table.legal_actions()[0])
    for agent in range(3):
        assert (Worlds(table, agent).marginals()[2] % 1 == 0).all()
    bridge = game_of("bridge_whist", dealer=0).new_table(0)
    for name in ("hearts", "pass", "pass"):
        bridge.apply(bridge.game.action_names.index(name))
    assert (Worlds(bridge, 0).marginals()[2] < 1).all()
    bridge.apply(bridge.legal_actions()[0])
    assert Worlds(bridge).marginals()[2].sum() == 13
    assert (Worlds(bridge, 1).marginals()[2] % 1 == 0).all()
    assert (Worlds(bridge, 2).marginals()[0] < 1).all()


def test_two_players_with_a_dummy_each_know_all_hands_once_both_lie_open() -> None:
    game = game_of("dummy_whist", players=2, dummy_exposed="after_lead")
    table = game.new_table(0)
    assert Worlds(table).count > 1
    table.apply(table.legal_actions()[0])
    for agent in range(2):
        worlds = Worlds(table, agent)
        assert worlds.count == 1
        assert (worlds.sample(5, seed=0)["hands"] == table.record.hands).all()


def called(table: Table, *names: str) -> Table:
    """The table after these calls."""
    for name in names:
        table.apply(table.game.action_names.index(name))
    return table


def test_a_suit_not_followed_may_have_been_discarded() -> None:
    deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    game = game_of("boston", dealer=3)
    table = called(game.new_table(0, deal=deal), "little_misere", *["pass"] * 3)
    for card in ("S2", "H2", "D2", "C2", "S3", "H3"):
        table.apply(parse_card(card))
    worlds = Worlds(table, 0)
    names = worlds.places
    assert names[5] == "discard of player_1"
    chances = worlds.marginals()
    # Seat 1 has failed to follow spades: the agent has twelve of them, one is gone.
    table = called(
        game.new_table(0, deal=swapped(deal)), "little_misere", *["pass"] * 3
    )
    for card in ("S2", "S4", "D2", "C2", "S3", "H3"):
        table.apply(parse_card(card))
    worlds = Worlds(table, 0)
    chances = worlds.marginals()
    four = parse_card("S4")
    assert chances[1, four] == 0
    assert 0 < chances[5, four] < 1
    samples = worlds.sample(500, seed=0)
    share = np.mean([int(cards) >> four & 1 for cards in samples["discards"][:, 1]])
    assert share == pytest.approx(chances[5, four], abs=0.1)


def swapped(deal: str) -> str:
    """The deal with the four of spades and the two of hearts in each other's hand."""
    hands = [int(hand) for hand in parse_deal(deal)]
    four, two = 1 << parse_card("S4"), 1 << parse_card("H2")
    hands[0] ^= four | two
    hands[1] ^= four | two
    return deal_text(hands)


def test_cards_passed_on_are_known_to_lie_with_their_receiver() -> None:
    table = game_of("omnibus_hearts", dealer=3).new_table(0)
    passed = []
    for turn in range(12):
        if turn < 3:
            passed.append(table.legal_actions()[-1])
        elif turn == 3:
            chances = Worlds(table, 0).marginals()
            assert chances[4, passed].tolist() == [1, 1, 1]
            assert Worlds(table, 0).places[4] == "cards passed on by player_0"
        table.apply(table.legal_actions()[-1])
    worlds = Worlds(table, 0)
    assert worlds.marginals()[1, passed].tolist() == [1, 1, 1]
    received = int(table.record.passed[3])
    samples = worlds.sample(100, seed=0)
    assert set(samples["passed"][:, 3].tolist()) == {received}
    assert set(samples["passed"][:, 0].tolist()) == {int(card_set(passed))}
    assert len(set(samples["passed"][:, 1].tolist())) > 90
    assert len(set(samples["passed"][:, 2].tolist())) > 90


def hearts_table(deal: str, **options: Any) -> Table:
    """Omnibus Hearts without passing, the leader at seat 0."""
    game = game_of(
        "omnibus_hearts", pass_cycle="left,right,across,hold", deals=4, **options
    )
    table = game.new_table(0, deal=deal, dealer=3)
    return changed(table, phase=1, pass_distance=0, deals_played=3)


def test_rules_about_hearts_prove_what_else_was_not_held() -> None:
    hands = ["..AKQ.AKQJT98765", "..JT9876543.432.", "..2.."]
    hands = [
        ".AKQJT98765432..",
        "AKQJT98765432...",
        "..AKQJT98765432.",
        "...AKQJT98765432",
    ]
    table = hearts_table(" ".join(hands), hearts_broken=True)
    table.apply(parse_card("HA"))
    assert Worlds(table, 1).marginals()[0].sum() == 12
    chances = Worlds(table, 1).marginals()
    assert chances[0, [parse_card(c) for c in ("C5", "D5")]].max() == 0
    assert chances[0, parse_card("H5")] == 1
    table = hearts_table(" ".join([hands[2], *hands[:2], hands[3]]))
    table.apply(parse_card("DA"))
    free = Worlds(table, 3).marginals()
    assert free[1, parse_card("S5")] > 0
    table = hearts_table(
        " ".join([hands[2], *hands[:2], hands[3]]), no_points_first_trick=True
    )
    table.apply(parse_card("DA"))
    table.apply(parse_card("HA"))
    strict = Worlds(table, 3).marginals()
    clubs = [parse_card(f"C{rank}") for rank in "23456789TJQKA"]
    assert strict[1, parse_card("S5")] == strict[1, clubs].max() == 0
    assert strict[1, parse_card("SQ")] > 0


def test_who_holds_the_deuce_of_clubs_leads() -> None:
    game = game_of("omnibus_hearts", lead="2c")
    for seed in range(5):
        table = game.new_table(seed)
        while table.record.phase == 0:
            table.apply(table.legal_actions()[-1])
        leader = int(table.record.leader)
        other = (leader + 1) % 4
        assert Worlds(table, other).marginals()[leader, 0] == 1


FOUR_ACES = "N:AKQJ.A65.A43.A32 T98.KQJ.KQJ.KQJ4 765.T98.T987.T98 432.7432.652.765"


def test_who_calls_a_misere_of_four_aces_has_them() -> None:
    game = game_of("french_boston", dealer=3, counterclockwise="nothing")
    table = game.new_table(0, deal=FOUR_ACES, belle="H", turned="D2")
    called(table, "misere_des_quatre_as")
    aces = [parse_card(f"{suit}A") for suit in "CDHS"]
    assert (Worlds(table, 1).marginals()[0, aces] == 1).all()
    # A higher misere lets all discard: an ace may be laid aside, face down.
    called(table, "petite_misere_sur_table", "pass", "pass", "pass")
    for card in ("S8", "S7", "S4", "SA"):
        table.apply(parse_card(card))
    chances = Worlds(table, 1).marginals()
    assert chances[0, aces] + chances[4, aces] == pytest.approx(np.ones(4))
    assert (chances[4, aces] > 0).all()


def test_a_hidden_demand_is_as_likely_as_its_deals() -> None:
    game = game_of("french_boston", dealer=3, counterclockwise="nothing")
    table = game.new_table(0, deal=FOUR_ACES, belle="H", turned="D2")
    called(table, "demand_petite")
    worlds = Worlds(table, 1)
    samples = worlds.sample(20_000, seed=0)
    shares = collections.Counter(samples["laid"][:, 0].tolist())
    # The agent holds three of each suit but clubs, and seat 3 has turned a diamond.
    deals = math.comb(38, 13)
    with_heart = deals - math.comb(38 - 10, 13)
    with_diamond = deals - math.comb(38 - 9, 13)
    rest = math.comb(25, 13)
    assert worlds.count == (with_heart + with_diamond) * rest
    assert shares[2] / 20_000 == pytest.approx(
        with_heart / (with_heart + with_diamond), abs=0.02
    )
    assert set(shares) == {1, 2}
    for laid, seat in ((2, 0), (1, 0)):
        hands = samples["hands"][samples["laid"][:, 0] == laid][:, seat]
        suit = np.uint64(0x1FFF << 13 * laid)
        assert (hands & suit).all()
    assert Worlds(table, 0).sample(1, 0)[0].laid[0] == table.record.laid[0]


def kept_demand() -> Iterator[Look]:
    """Ends of deals in which a demander may have shown no card of the suit he laid."""
    options = {"counterclockwise": "nothing"}
    deal = "N:2.2.AKQJT98.6543 AKQ.AKQ.765.AKQJ JT9.JT98.43.T987 876543.76543.2.2"
    game = game_of("french_boston", dealer=3, **options)
    manner = Manner(("demand_petite", "grand_misere"), kept=(2, 3))
    for seed in range(400):
        for position in positions(
            game, seed, manner, 4, deal=deal, belle="H", turned="S8"
        ):
            if (
                position.table.record.phase == 3
                and position.table.record.caller != 0
                and position.actions[0] in HIDDEN_DEMANDS
                and may_be_small(position.table)
            ):
                yield Look(position, seed % 3 + 1)


def test_a_demander_who_has_shown_none_of_a_suit_still_holds_one() -> None:
    tried = bound = 0
    for look in itertools.islice(kept_demand(), 30):
        parts = all_parts(look, 900)
        if parts is None or len(parts) < 2:
            continue
        worlds = Worlds(look.position.table, look.agent)
        assert worlds.count == len(parts)
        seen = parts_of_all(worlds.sample(40 * len(parts), seed=0))
        assert seen.keys() <= parts.keys()
        assert chi_square([seen[p] for p in parts], [40.0] * len(parts)) < 5
        tried += 1
        bound += int(worlds._plan[0].petite.needs + worlds._plan[0].belle.needs > 0)
    assert tried > 3
    assert bound > 1


def test_who_must_declare_and_is_silent_holds_what_he_must() -> None:
    game = game_of("russian_boston", carte_blanche="auto")
    manner = Manner(("five_spades", "six_spades"), kept=(3,))
    tried = 0
    for seed in range(400):
        for position in positions(game, seed, manner, longest=4):
            if position.table.record.trump == 3 and may_be_small(position.table):
                look = Look(position, seed % 4)
                worlds = Worlds(position.table, look.agent)
                parts = all_parts(look, 300) if worlds._plan[0].needs > 0 else None
                if parts is not None:
                    assert worlds.count == len(parts)
                    tried += 1
        if tried > 2:
            return
    raise AssertionError("no such position was found")


# Plain Python, the disk cache -------------------------------------------------------

SEVERAL = """
import hashlib
import whist_env

digest = hashlib.sha256()
for name, options in (
    ("whist", {"revokes": "penalty"}),
    ("whist", {}),
    ("omnibus_hearts", {"hearts_broken": True}),
    ("french_boston", {}),
):
    table = whist_env.game(name, **options).new_table(5)
    for turn in range(44):
        if turn % 6 == 4:
            worlds = whist_env.Worlds(table, turn % 4)
            digest.update(worlds.sample(3, seed=turn).tobytes())
            digest.update(worlds.marginals().round(12).tobytes())
            digest.update(str(worlds.count).encode())
        legal = table.legal_actions()
        table.apply(legal[turn * turn % len(legal)])
print(digest.hexdigest())
"""


def test_plain_python_draws_the_very_same_worlds_as_compiled_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", SEVERAL],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(whist_env.__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    exec(SEVERAL, {})
    assert plain.stdout == capsys.readouterr().out


def test_the_cached_name_of_every_loop_ends_in_a_digest_of_its_sources() -> None:
    loops = compiled_loops(game_of("whist").rules)
    for name, loop in vars(loops).items():
        assert loop.py_func.__qualname__ == f"{name}_whist_4_{_digest('whist', ())}"
        assert loop.py_func.__closure__ is None
    assert _digest("whist", ()) != _digest("boston", ())
    assert _digest("whist", ()) != _digest("whist", (Path(__file__),))


# Seeds ------------------------------------------------------------------------------


def test_a_seed_draws_the_same_worlds_however_many_are_drawn() -> None:
    worlds = Worlds(game_of("whist").new_table(0))
    assert worlds.sample(5, 7).tobytes() == worlds.sample(50, 7)[:5].tobytes()
    assert (worlds.hands(9000, 7)[:50] == worlds.sample(50, 7)["hands"]).all()
    assert len(np.unique(worlds.hands(9000, 7), axis=0)) == 9000
    assert (worlds.hands(50, 8) != worlds.hands(50, 7)).any()
    assert (worlds.hands(50, None) != worlds.hands(50, None)).any()


def test_the_pack_is_dealt_in_any_order() -> None:
    table = game_of("whist", dealer=3).new_table(0)
    own = list(members(table.record.hands[0]))
    samples = Worlds(table, 0).sample(2600, seed=0)
    first = collections.Counter(samples["pack"][:, 0].tolist())
    assert set(first) == set(own)
    assert chi_square([first[card] for card in own], [200.0] * 13) < 5
    assert (samples["pack"][:, 51] == table.record.turned).all()


def test_hands_are_what_the_solver_takes() -> None:
    game = game_of("whist", ranks=4, suits=4)
    table = game.new_table(0)
    hands = Worlds(table).hands(20, seed=0)
    cards, values = whist_env.solver.solve_worlds(table, hands)
    assert values.shape == (20, len(cards))


def test_the_table_is_left_as_it_is_and_not_looked_at_again() -> None:
    table = game_of("whist").new_table(0)
    before = table.clone()
    worlds = Worlds(table)
    sample = worlds.sample(3, 0).tobytes()
    worlds.marginals()
    assert table == before
    for _ in range(9):
        table.apply(table.legal_actions()[0])
    assert worlds.sample(3, 0).tobytes() == sample
    assert repr(worlds) == f"<{worlds.count} worlds of player_{worlds.agent} at whist>"


# What makes no sense ----------------------------------------------------------------


def test_a_finished_table_has_no_worlds() -> None:
    table = game_of("whist").new_table(0)
    table.forfeit()
    with pytest.raises(ValueError, match="the episode is over"):
        Worlds(table)


@pytest.mark.parametrize("agent", [-1, 4, 1.5, True, "0"])
def test_there_is_no_view_of_somebody_who_is_no_agent(agent: Any) -> None:
    table = game_of("whist").new_table(0)
    with pytest.raises(ValueError, match="is not one of this game's agents, 0 to 3"):
        Worlds(table, agent)
    with pytest.raises(TypeError, match="must be a table"):
        Worlds(table.record, agent)
    assert check(table) == table.agent
    assert check(table, 2) == 2


@pytest.mark.parametrize("number", [0, -3, 2.5, None, True])
def test_at_least_one_world_is_drawn(number: Any) -> None:
    worlds = Worlds(game_of("whist").new_table(0))
    for draw in (worlds.sample, worlds.hands):
        with pytest.raises(ValueError, match=r"n=.* must be a whole number from 1 on"):
            draw(number, 0)
    with pytest.raises(ValueError, match="must not be negative"):
        worlds.sample(1, -1)


def test_rules_that_change_what_is_known_are_refused() -> None:
    table = game_of("whist", history="last_trick").new_table(0)
    with pytest.raises(ValueError, match="take history='all'"):
        Worlds(table)
    table = game_of("whist", shuffle="gather_and_cut", deals=2).new_table(0)
    assert Worlds(table).count > 1
    while table.record.deals_played == 0:
        table.apply(table.legal_actions()[0])
    with pytest.raises(ValueError, match="in the first deal of an episode alone"):
        Worlds(table)


def played(steps: int, name: str = "whist") -> Table:
    """A table after some actions, each the first that is legal."""
    table = game_of(name).new_table(3)
    for _ in range(steps):
        table.apply(table.legal_actions()[0])
    return table


def test_a_card_in_two_places_is_an_impossible_position() -> None:
    table = played(6)
    record = table.record
    seat = int(record.seat)
    hands = record.hands.copy()
    hands[seat] ^= card_set([min(members(hands[seat])), int(record.history[0])])
    with pytest.raises(
        ValueError, match=rf"impossible position: .* the hand of player_{seat}, is in"
    ):
        Worlds(changed(table, hands=hands))


def test_wrong_counts_are_an_impossible_position() -> None:
    table = played(6)
    hands = table.record.hands.copy()
    other = (table.agent + 1) % 4
    hands[other] &= hands[other] - np.uint64(1)
    with pytest.raises(ValueError, match="33 cards are unseen, but"):
        Worlds(changed(table, hands=hands))


def test_a_void_that_is_contradicted_is_an_impossible_position() -> None:
    table = played(6)
    record = table.record
    voids = record.voids.copy()
    voids[table.agent] = 15
    with pytest.raises(
        ValueError, match=rf"player_{table.agent} holds .., which it is proven not to"
    ):
        Worlds(changed(table, voids=voids))
    voids = np.full(4, 1 << (min(members(record.hands[table.agent - 1])) // 13), "u1")
    voids[table.agent] = 0
    with pytest.raises(ValueError, match="no deal agrees with all that is known"):
        Worlds(changed(table, voids=voids))


def test_an_impossible_position_of_french_boston_is_told_as_well() -> None:
    table = played(0, "french_boston")
    hands = table.record.hands.copy()
    hands[table.agent] &= hands[table.agent] - np.uint64(1)
    with pytest.raises(
        ValueError, match=r"4. cards are unseen, but|3. cards are unseen, but"
    ):
        Worlds(changed(table, hands=hands))
