"""Agents that search: what they are given, what they do with it, what is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from whist_tables import twin_deal

import whist_agents
import whist_env
from whist_agents import SingleAgent
from whist_agents import spec as spec_module
from whist_agents.hoyle import HoyleAgent
from whist_agents.search import IsmctsAgent, OracleAgent, PimcAgent, RolloutAgent
from whist_agents.search import ismcts as ismcts_module
from whist_agents.search import pimc as pimc_module
from whist_agents.search.loops import HOYLE
from whist_agents.search.rollout import play_out_by
from whist_agents.search.thinking import Position, best, play_out
from whist_agents.spec import load_oracle
from whist_env import Game, GameEnv, Table, View, Views, whist_v0
from whist_env.cards import card_name, parse_card
from whist_env.envs.play import ask, view_of
from whist_env.solver import dds, solve
from whist_env.worlds import Worlds
from whist_train.evaluate import evaluate, play_pairs

WHIST = whist_env.game("whist")
HEARTS = whist_env.game("omnibus_hearts")


class Imagining(SingleAgent):
    """Keeps the views that it is given, and plays the first legal action."""

    imagines = True

    def __init__(self) -> None:
        self.given: list[View] = []

    def choose(self, view: View) -> int:
        self.given.append(view)
        return view.legal_actions()[0]


IMAGINING = Imagining()


def seen(table: Table, random: int = 5) -> View:
    """The view of the agent to act, with a world."""
    return view_of(table, random, IMAGINING)[0]


def positions(
    game: Game, count: int, least: int = 0, most: int = 52
) -> Iterator[Table]:
    """Tables after random play of so many actions, with a choice to be made."""
    seed = 0
    while count:
        rng = np.random.default_rng(seed)
        table = game.new_table(seed=seed)
        for _ in range(int(rng.integers(least, most))):
            if not table.is_over:
                table.apply(int(rng.choice(table.legal_actions())))
        if len(table.legal_actions()) > 1:
            yield table
            count -= 1
        seed += 1


def twins(table: Table, count: int) -> list[Table]:
    """Tables that look the same to the agent to act."""
    worlds = Worlds(table).sample(count, 99)
    return [
        Table(table.game, worlds[index : index + 1].copy().view(np.uint8))
        for index in range(count)
    ]


# Views with worlds ------------------------------------------------------------------


@pytest.mark.parametrize("name", whist_env.games())
def test_a_world_looks_to_the_agent_like_the_table_itself(name: str) -> None:
    for table in positions(whist_env.game(name), 4):
        view, imagined = seen(table), seen(table).table()
        assert imagined.agent == table.agent
        assert imagined.legal_actions() == view.legal_actions()
        assert np.array_equal(imagined.observe(), table.observe())


@pytest.mark.parametrize("name", whist_env.games())
def test_a_world_depends_on_nothing_that_the_agent_does_not_know(name: str) -> None:
    changed = False
    for table in positions(whist_env.game(name), 4):
        for twin in twins(table, 3):
            changed |= twin.to_bytes() != table.to_bytes()
            assert seen(twin).world is not None
            assert seen(twin).world.tobytes() == seen(table).world.tobytes()  # type: ignore[union-attr]
    assert changed


def test_a_world_has_the_same_worlds_as_the_table_itself() -> None:
    for table in positions(WHIST, 5):
        imagined = Worlds(seen(table).table()).sample(4, 1)
        assert (imagined == Worlds(table).sample(4, 1)).all()


def test_only_players_that_ask_for_worlds_are_given_them() -> None:
    table = next(positions(WHIST, 1))
    assert view_of(table, 5, HoyleAgent()).worlds is None
    assert view_of(table, 5).worlds is None
    with pytest.raises(ValueError, match="imagines = True"):
        view_of(table, 5)[0].table()
    with pytest.raises(ValueError, match="imagines = True"):
        PimcAgent().act(view_of(table, 5))


def test_every_driver_gives_worlds_to_those_who_ask() -> None:
    player = Imagining()
    env = whist_v0.env()
    env.reset(seed=0)
    whist_env.play_episode(env, player, seed=0)
    single = whist_env.single("whist", others=player)
    single.reset(seed=0)
    play_pairs(player, player, WHIST, 2)
    assert len(player.given) >= 52 + 4 * 52
    for view in player.given:
        assert view.table().legal_actions() == view.legal_actions()


def test_the_table_of_a_view_is_the_players_own() -> None:
    view = seen(next(positions(WHIST, 1)))
    before = view.world.tobytes()  # type: ignore[union-attr]
    table = view.table()
    table.apply(table.legal_actions()[0])
    assert view.world.tobytes() == before  # type: ignore[union-attr]


# Fairness, chance, batches ----------------------------------------------------------

SMALL = ["pimc:samples=3", "ismcts:iterations=40", "rollout:worlds=3"]


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("game", [WHIST, HEARTS], ids=["whist", "omnibus_hearts"])
def test_a_move_does_not_depend_on_cards_that_are_not_seen(
    game: Game, spec: str
) -> None:
    agent = whist_agents.load(spec)
    for table in positions(game, 6):
        moves = {ask(agent, twin, 7) for twin in [table, *twins(table, 3)]}
        assert len(moves) == 1


@pytest.mark.parametrize("spec", SMALL)
def test_a_move_does_not_change_when_unseen_cards_change_hands(spec: str) -> None:
    agent = whist_agents.load(spec)
    for table in positions(WHIST, 4, 4, 40):
        rng = np.random.default_rng(1)
        twin = WHIST.new_table(seed=1, **twin_deal(table, table.agent, rng))
        record = table.record
        for card in record.history[: record.cards_played]:
            twin.apply(int(card))
        assert (twin.record.hands != record.hands).any()
        assert ask(agent, twin, 7) == ask(agent, table, 7)


@pytest.mark.parametrize("spec", SMALL)
def test_a_batch_is_answered_as_each_view_by_itself(spec: str) -> None:
    views = [view_of(t, 10 + i, IMAGINING) for i, t in enumerate(positions(WHIST, 6))]
    fields = [f.name for f in dataclasses.fields(Views)][1:]
    batch = Views(
        WHIST, *(np.concatenate([getattr(v, name) for v in views]) for name in fields)
    )
    singly = [int(whist_agents.load(spec).act(view)[0]) for view in views]
    assert whist_agents.load(spec).act(batch).tolist() == singly
    assert whist_agents.load(spec).act(batch).tolist() == singly


def test_the_seed_and_the_bits_of_the_view_are_all_the_chance_there_is() -> None:
    table = next(positions(WHIST, 1, 4, 5))
    draws = {
        (seed, bits): Position(seen(table, bits), seed).worlds(3).tobytes()
        for seed in (0, 1)
        for bits in (5, 6)
    }
    assert len(set(draws.values())) == 4
    assert Position(seen(table, 5), 1).worlds(3).tobytes() == draws[1, 5]


def test_search_agents_play_legal_actions_through_whole_deals() -> None:
    for game in (WHIST, HEARTS):
        env = GameEnv(game.name)
        env.reset(seed=1)
        players = [whist_agents.load(spec) for spec in SMALL]
        whist_env.play_episode(env, [*players, players[0]], seed=0)
        assert env.unwrapped.table.is_over


# Playing out ------------------------------------------------------------------------


def played_by_hand(table: Table, action: int) -> float:
    """What the agent to act earns if it takes an action and all play on as hoyle."""
    table = table.clone()
    agent, deal = table.agent, table.record.deal_number
    before = table.returns()[agent]
    table.apply(action)
    while not table.is_over and table.record.deal_number == deal:
        table.apply(ask(HoyleAgent(), table, 0))
    return table.returns()[agent] - before


@pytest.mark.parametrize("game", [WHIST, HEARTS], ids=["whist", "omnibus_hearts"])
def test_a_play_out_earns_what_play_by_hand_earns(game: Game) -> None:
    for table in positions(game, 3, 0, 30):
        position = Position(seen(table), 0)
        worlds = position.worlds(2)
        earned = play_out(position, worlds, HOYLE) / game.rules.unit
        for index in range(2):
            world = Table(game, worlds[index : index + 1].copy().view(np.uint8))
            by_hand = [played_by_hand(world, action) for action in position.legal]
            assert earned[index].tolist() == pytest.approx(by_hand)
        assert play_out_by(HoyleAgent(), position, worlds) == pytest.approx(earned)


def test_a_network_plays_worlds_out_as_any_policy_does() -> None:
    by_thumb, by_player = RolloutAgent(worlds=5), RolloutAgent(worlds=5)
    by_player.net = HoyleAgent()
    for table in positions(WHIST, 4):
        assert ask(by_player, table, 3) == ask(by_thumb, table, 3)


def test_a_deal_of_a_rubber_is_judged_by_its_points() -> None:
    game = whist_env.game("whist", scoring="short5", episode="rubber", reward="match")
    for table in positions(game, 2, 30, 31):
        position = Position(seen(table), 0)
        earned = play_out(position, position.worlds(20), HOYLE)
        assert (earned != 0).any()
        assert abs(earned).max() > 1


# Perfect information Monte Carlo ----------------------------------------------------


def certain(count: int) -> Iterator[Table]:
    """Tables with a choice of cards at which the agent to act knows every hand."""
    seed = 0
    while count:
        rng = np.random.default_rng(seed)
        table = WHIST.new_table(seed=seed)
        for _ in range(40 + seed % 8):
            table.apply(int(rng.choice(table.legal_actions())))
        if len(table.legal_actions()) > 1 and Worlds(table).count == 1:
            yield table
            count -= 1
        seed += 1


def test_pimc_plays_a_best_card_where_nothing_is_hidden() -> None:
    agent = PimcAgent(samples=2)
    for table in certain(8):
        assert ask(agent, table, 3) in solve(table).best


def test_pimc_plays_the_best_card_on_average() -> None:
    for table in positions(WHIST, 4, 28, 40):
        position = Position(seen(table, 3), 0)
        hands = position.worlds(6)
        values = [
            solve(Table(WHIST, hands[i : i + 1].copy().view(np.uint8))).values
            for i in range(6)
        ]
        totals = {card: sum(v[card] for v in values) for card in position.legal}
        chosen = ask(PimcAgent(samples=6), table, 3)
        assert totals[chosen] == max(totals.values())


def test_pimc_solves_fewer_worlds_where_each_takes_long() -> None:
    class Fixed:
        def __init__(self, cards: int) -> None:
            hands = np.array([(1 << cards) - 1, 0, 0, 0], np.uint64)
            record = {"hands": hands}
            self.table = type("T", (), {"record": type("R", (), record)})

    def at(cards: int, samples: int) -> int:
        return pimc_module.samples_at(Fixed(cards), samples)  # type: ignore[arg-type]

    assert [at(cards, 20) for cards in (52, 49, 48, 41, 40, 8)] == [
        5,
        5,
        10,
        10,
        20,
        20,
    ]
    assert [at(cards, 1) for cards in (52, 48, 40)] == [1, 1, 1]
    assert [at(cards, 5) for cards in (52, 48, 40)] == [2, 3, 5]


def test_pimc_draws_as_many_worlds_as_it_is_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved: list[int] = []

    def count(table: Table, hands: Any, positions: int) -> Any:
        solved.append(len(hands))
        return original(table, hands, positions)

    original = pimc_module.solved
    monkeypatch.setattr(pimc_module, "solved", count)
    table = next(positions(WHIST, 1, 32, 33))
    ask(PimcAgent(samples=7), table, 3)
    assert solved == [7]
    solved.clear()
    ask(PimcAgent(samples=10**6, milliseconds=1), table, 3)
    assert 1 <= len(solved) < 1000 and set(solved) == {1}


def test_pimc_plays_worlds_out_where_the_solver_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dds, "library", lambda: None)
    monkeypatch.setattr(pimc_module, "POSITIONS", 10)
    for table in positions(WHIST, 2, 8, 12):
        position = Position(seen(table, 3), 0)
        values = play_out(position, position.worlds(5), HOYLE).sum(0)
        chosen = ask(PimcAgent(samples=5), table, 3)
        assert values[position.legal.index(chosen)] == values.max()


def test_ties_go_to_the_rule_of_thumb_and_then_to_the_lowest_card() -> None:
    for table in positions(WHIST, 5, 0, 20):
        views = view_of(table, 0)
        legal = table.legal_actions()
        thumb = ask(HoyleAgent(), table, 0)
        level = np.zeros(len(legal), np.int64)
        assert best(legal, level, views) == thumb
        others = np.array([int(card != thumb) for card in legal])
        lowest = min(card % 13 for card in legal if card != thumb)
        assert best(legal, others, views) % 13 == lowest
        highest = np.arange(len(legal))
        assert best(legal, highest, views) == legal[-1]


# Information set Monte Carlo tree search --------------------------------------------


def test_the_tree_is_gone_down_once_for_each_iteration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trees: list[Any] = []
    original = ismcts_module._Tree

    def kept(game: Game, iterations: int) -> Any:
        trees.append(original(game, iterations))
        return trees[-1]

    monkeypatch.setattr(ismcts_module, "_Tree", kept)
    for table in positions(WHIST, 3, 0, 20):
        ask(IsmctsAgent(iterations=300), table, 3)
        visits = trees[-1].visits()
        assert sum(visits.values()) == 300
        assert set(visits) == set(table.legal_actions())
    ask(IsmctsAgent(iterations=10**6, milliseconds=20), table, 3)
    assert 128 <= sum(trees[-1].visits().values()) < 10**6


def test_tree_search_finds_the_best_card_where_nothing_is_hidden() -> None:
    agent = IsmctsAgent(iterations=400, rollout="random")
    right = [ask(agent, table, 3) in solve(table).best for table in certain(12)]
    assert sum(right) >= 11


def test_tree_search_with_one_iteration_still_answers() -> None:
    for table in positions(HEARTS, 2):
        assert ask(IsmctsAgent(iterations=1), table, 3) in table.legal_actions()


# Strength, in a few deals -----------------------------------------------------------


@pytest.mark.parametrize("spec", ["pimc:samples=2", *SMALL[1:]])
def test_search_beats_random_play(spec: str) -> None:
    pairs = play_pairs(spec, "random", WHIST, 4, seed=1)
    assert pairs.results["tricks"].sum(1).mean() > 1


# Greed ------------------------------------------------------------------------------


def greedy_card(deal: str, turned: str, *played: str) -> str:
    table = WHIST.new_table(seed=0, deal=deal, turned=turned, dealer=3)
    for card in played:
        table.apply(parse_card(card))
    return card_name(ask(whist_agents.load("greedy"), table, 0))


DEAL = "N:AK2.543.AK2.5432 543.AKQ.QJ43.876 QJT9.J876.T9.KQJ 876.T92.8765.AT9"


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        # Leads its highest.
        ([], "DA"),
        # Nothing of East's beats the king of spades: its lowest.
        (["SK"], "S3"),
        # East takes the five of hearts as cheaply as it can.
        (["H5"], "HQ"),
        # South cannot beat the queen with a heart.
        (["H5", "HQ"], "H6"),
    ],
)
def test_the_greedy_agent_takes_what_it_can(played: list[str], expected: str) -> None:
    assert greedy_card(DEAL, "C9", *played) == expected


def test_the_greedy_agent_plays_every_game() -> None:
    agent = whist_agents.load("greedy")
    for name in whist_env.games():
        for table in positions(whist_env.game(name), 6):
            assert ask(agent, table, 0) in table.legal_actions()


# The oracle -------------------------------------------------------------------------


def test_the_oracle_is_refused_where_players_are_asked_for() -> None:
    with pytest.raises(ValueError, match="sees all hands and is no fair agent"):
        whist_agents.load("oracle")
    with pytest.raises(ValueError, match="no fair agent; oracles=True"):
        evaluate("oracle", "hoyle", deals=2)
    with pytest.raises(ValueError, match="no fair agent; oracles=True"):
        play_pairs("hoyle", OracleAgent(), WHIST, 2)  # type: ignore[arg-type]
    env = whist_v0.env()
    env.reset(seed=0)
    oracle: Any = load_oracle("oracle")
    with pytest.raises(TypeError, match="not a player"):
        whist_env.play_episode(env, oracle)
    with pytest.raises(TypeError, match="not a player"):
        whist_env.single("whist", others=oracle)


def test_the_oracle_is_marked_where_it_is_allowed() -> None:
    result = evaluate("oracle", "hoyle", deals=2, oracles=True)
    assert result.agents == ("oracle (sees all hands)", "hoyle")
    assert result.control.unequal == 0
    assert result.estimates["tricks"].mean > 0


def test_the_oracle_plays_a_best_card_with_all_hands_open() -> None:
    oracle = OracleAgent()
    tables = list(positions(WHIST, 8, 26, 48))
    chosen = oracle.act_on(tables, np.zeros(8, np.uint64))
    for table, card in zip(tables, chosen, strict=True):
        assert card in solve(table).best


def test_the_oracle_calls_and_discards_as_the_rule_of_thumb_player() -> None:
    tables = list(positions(HEARTS, 4, 0, 3))
    chosen = OracleAgent().act_on(tables, np.zeros(4, np.uint64))
    assert chosen.tolist() == [ask(HoyleAgent(), table, 0) for table in tables]


# Specs ------------------------------------------------------------------------------


def test_specs_name_the_settings_of_search() -> None:
    pimc = whist_agents.load("pimc:samples=5,seed=3")
    assert isinstance(pimc, PimcAgent) and (pimc.samples, pimc.seed) == (5, 3)
    tree = whist_agents.load("ismcts:iterations=9,rollout=random,milliseconds=50")
    assert isinstance(tree, IsmctsAgent)
    assert (tree.iterations, tree.policy, tree.milliseconds) == (9, 0, 50)
    plain = whist_agents.load("pimc"), whist_agents.load("ismcts")
    assert (plain[0].samples, plain[1].iterations) == (20, 1000)  # type: ignore[attr-defined]
    rollout = whist_agents.load("rollout:worlds=4,policy=random")
    assert isinstance(rollout, RolloutAgent)
    assert (rollout.worlds, rollout.policy) == (4, 0)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("pimc:sample=5", "no setting 'sample'; it takes samples, seed, milliseconds"),
        ("pimc:5", "write '5' as name=value"),
        ("pimc:samples=0", "samples=0 must be a whole number from 1"),
        ("pimc:samples=many", "samples='many' must be a whole number"),
        ("pimc:seed=-1", "seed=-1 must be a whole number from 0"),
        ("ismcts:iterations=0.5", "iterations=0.5 must be a whole number"),
        ("ismcts:rollout=net", "rollout='net' must be 'hoyle' or 'random'"),
        ("ismcts:exploration=-1", "exploration=-1 must be a number from 0 on"),
        ("ismcts:milliseconds=0", "milliseconds=0 must be a whole number from 1"),
        ("rollout:policy=best", "policy='best' must be 'hoyle' or 'random'"),
        ("rollout:policy=hoyle,net=x", "both play worlds out; give one"),
        ("greedy:3", "takes nothing after the colon"),
        ("pimk", "did you mean 'pimc'"),
    ],
)
def test_a_wrong_setting_is_named(spec: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        whist_agents.load(spec)


def test_a_network_that_is_to_play_worlds_out_is_looked_for() -> None:
    with pytest.raises(FileNotFoundError, match="runs/none"):
        whist_agents.load("rollout:net=runs/none,worlds=4")


def test_the_network_of_a_rollout_is_settled_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spec_module, "_file", lambda path: f"{path}/best.safetensors")
    settled = spec_module.settled("rollout:worlds=4,net=runs/a")
    assert settled == "rollout:worlds=4,net=runs/a/best.safetensors"
    assert spec_module.settled("rollout") == "rollout"
    assert spec_module.settled("rollout:worlds=4") == "rollout:worlds=4"


def test_rules_under_which_worlds_cannot_be_drawn_are_named() -> None:
    game = whist_env.game("whist", history="last_trick")
    with pytest.raises(ValueError, match="history='last_trick'"):
        ask(PimcAgent(), game.new_table(seed=0), 0)
