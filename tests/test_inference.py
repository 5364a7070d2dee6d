"""Policy inference: how likely worlds are by what the others have done in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import worlds_tables
from policies import Fake, uniform
from uncompiled import run_uncompiled
from worlds_tables import at

import whist_agents
import whist_agents.net as net_module
import whist_env
from whist_agents import spec as spec_module
from whist_agents.net import NetAgent, PolicyNetwork, save_policy
from whist_agents.search import PimcAgent, exact, inference
from whist_agents.search import pimc as pimc_module
from whist_agents.search.inference import (
    SURPRISE,
    NetworkPolicy,
    Policy,
    deeds,
    resampled,
    tempered,
    weights,
)
from whist_agents.search.loops import HOYLE
from whist_agents.search.pimc import OPINION, opinion
from whist_agents.search.thinking import Position, play_out
from whist_agents.sight import sight
from whist_env import Game, Table, Views
from whist_env.cards import deal_text, members
from whist_env.envs.play import ask, view_of
from whist_env.worlds import Worlds

WHIST = whist_env.game("whist")
HEARTS = whist_env.game("omnibus_hearts")
BRIDGE = whist_env.game("bridge_whist")


def peculiar(view: Any, action: int) -> float:
    """Anything that depends on all that is seen, and on the action."""
    return (zlib.crc32(view.observation.tobytes()) % 101 + action % 7) / 108


def longest_suit(view: Any, action: int) -> float:
    """Leads a card of its longest suit, and names it for trumps; follows anyhow."""
    lengths = view.part("hand").reshape(4, 13).sum(1)
    names = view.game.action_names
    if action >= 52:
        suits = ("clubs", "diamonds", "hearts", "spades")
        longest = [suits[i] for i in range(4) if lengths[i] == lengths.max()]
        return float(names[action] in longest) / len(longest)
    if view.part("trick").any():
        return uniform(view, action)
    return float(lengths[action // 13] == lengths.max()) / 13


def after_random_play(game: Game, count: int, least: int, most: int) -> Iterator[Table]:
    """Tables after so many random actions, with a choice to be made."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        table = game.new_table(seed=seed)
        for _ in range(int(rng.integers(least, most))):
            table.apply(int(rng.choice(table.legal_actions())))
        if len(table.legal_actions()) > 1:
            yield table
            count -= 1
        if not count:
            return


def network(game: Game, seed: int = 0) -> PolicyNetwork:
    """A small network with random weights and strong opinions."""
    torch.manual_seed(seed)
    made = PolicyNetwork(sight(game, False), (16,))
    with torch.no_grad():
        for parameter in list(made.layers.parameters())[-2:]:
            parameter.mul_(300)
    return made


def saved(folder: Path, game: Game) -> Path:
    path = folder / f"{game.name}.safetensors"
    save_policy(path, network(game), {})
    return path


# The deal again ---------------------------------------------------------------------


def test_a_deal_of_every_game_is_played_again_in_every_world() -> None:
    run_uncompiled("uncompiled_inference.py")


def test_what_cannot_have_been_is_refused() -> None:
    table = next(after_random_play(WHIST, 1, 6, 7))
    voids = worlds_tables.changed(table, voids=[15, 15, 15, 15])
    with pytest.raises(ValueError, match="cannot be played again"):
        deeds(voids)


# Weights ----------------------------------------------------------------------------


def weights_by_hand(chance: Any, table: Table, worlds: Any) -> list[float]:
    """What worlds of Whist weigh, one at a time and one action at a time."""
    found = []
    record = table.record
    for world in worlds:
        replayed = WHIST.new_table(
            seed=0,
            deal=deal_text(world.dealt),
            turned=whist_env.cards.card_name(int(world.turned)),
            dealer=int(record.dealer),
        )
        weight = 1.0
        for card in record.history[: record.cards_played]:
            legal = replayed.legal_actions()
            if replayed.agent != table.agent and len(legal) > 1:
                probability = chance(view_of(replayed, 0)[0], int(card))
                weight *= (1 - SURPRISE) * probability + SURPRISE / len(legal)
            replayed.apply(int(card))
        found.append(weight)
    return [weight / sum(found) for weight in found]


@pytest.mark.parametrize("chance", [uniform, peculiar, longest_suit])
def test_weights_are_those_of_a_slow_computation(chance: Any) -> None:
    for table in after_random_play(WHIST, 3, 5, 40):
        worlds = Worlds(table).sample(5, 2)
        shares = weights(Fake(chance), table, worlds)
        assert shares == pytest.approx(weights_by_hand(chance, table, worlds))


def test_no_weight_is_nothing() -> None:
    table = next(after_random_play(WHIST, 1, 20, 30))
    shares = weights(Fake(lambda view, action: 0.0), table, Worlds(table).sample(8, 2))
    assert (shares > 0).all()


def test_a_lead_tells_of_the_longest_suit() -> None:
    table = WHIST.new_table(seed=3)
    leader = table.agent
    led = table.legal_actions()[0]
    table.apply(led)
    worlds = Worlds(table).sample(400, 5)
    shares = weights(Fake(longest_suit), table, worlds)
    hands = worlds["dealt"][:, leader]
    lengths = np.array([[int(h) >> 13 * s & 8191 for s in range(4)] for h in hands])
    lengths = np.bitwise_count(lengths)
    fits = lengths[:, led // 13] == lengths.max(1)
    assert 0.1 < fits.mean() < 0.7
    assert shares[fits].sum() > 0.9


def test_a_call_tells_of_the_hand_that_made_it() -> None:
    table = BRIDGE.new_table(seed=1)
    dealer = table.agent
    table.apply(BRIDGE.action_names.index("hearts"))
    fake = Fake(longest_suit)
    worlds = Worlds(table).sample(400, 5)
    shares = weights(fake, table, worlds)
    assert set(fake.asked) == {BRIDGE.action_names.index("hearts")}
    hearts = np.array(
        [sum(c // 13 == 2 for c in members(h[dealer])) for h in worlds["dealt"]]
    )
    assert (shares * hearts).sum() > hearts.mean() + 1


def test_cards_that_are_passed_on_do_not_count_and_what_is_played_does() -> None:
    table = next(after_random_play(HEARTS, 1, 18, 19))
    fake = Fake(uniform)
    weights(fake, table, Worlds(table).sample(4, 2))
    history = table.record.history[: table.record.cards_played].tolist()
    assert set(fake.asked) <= set(history)
    assert len(fake.asked) > 4


def test_the_agents_own_decisions_do_not_count() -> None:
    table = next(after_random_play(WHIST, 1, 20, 24))
    fake = Fake(uniform)
    weights(fake, table, Worlds(table).sample(4, 2))
    record = table.record
    others = record.history[: record.cards_played][
        record.history_seats[: record.cards_played] != table.agent
    ]
    assert set(fake.asked) <= set(others.tolist())


# Choosing worlds --------------------------------------------------------------------


def test_worlds_are_chosen_as_often_as_they_weigh() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        shares = rng.dirichlet(np.full(50, 0.2))
        chosen, times = resampled(shares, 10)
        counts = np.bincount(chosen, times, 50)
        assert counts.sum() == 10
        assert (abs(counts - 10 * shares) < 1).all()


def test_of_worlds_that_weigh_the_same_the_first_are_chosen() -> None:
    for number in (1, 2, 3, 5, 20):
        chosen, times = resampled(np.full(5 * number, 1 / (5 * number)), number)
        assert chosen.tolist() == list(range(number))
        assert (times == 1).all()


def test_weights_are_made_more_even_until_enough_worlds_count() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        shares = rng.dirichlet(np.full(50, 0.1)) + 1e-9
        shares /= shares.sum()
        made = tempered(shares, 10)
        assert made.sum() == pytest.approx(1)
        assert 1 / (made**2).sum() == pytest.approx(10, rel=1e-3)
        logs, even = np.log(shares), np.log(made)
        power = np.ptp(even) / np.ptp(logs)
        assert 0 < power < 1
        assert even - even.max() == pytest.approx(power * (logs - logs.max()))


def test_weights_of_which_enough_count_stay_as_they_are() -> None:
    shares = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    assert tempered(shares, 4) is shares
    assert tempered(np.array([1 - 4e-9, *[1e-9] * 4]), 5) == pytest.approx([0.2] * 5)


# The agent --------------------------------------------------------------------------


def weighing(policy: Policy, samples: int = 5) -> PimcAgent:
    agent = PimcAgent(samples=samples)
    agent.policy = policy
    return agent


class Indifferent:
    """Makes the weights of all worlds the same, whatever choice there was."""

    def chances(self, views: Views, actions: Any) -> Any:
        uniformly = SURPRISE / views.action_mask.sum(1)
        return (1 - uniformly) / (1 - SURPRISE)


def test_where_nothing_is_told_it_plays_as_without_a_network() -> None:
    for table in after_random_play(WHIST, 3, 26, 40):
        position = Position(view_of(table, 3, PimcAgent())[0], 0)
        worlds, times = weighing(Indifferent())._drawn(position, 0, 5)
        assert (worlds == position.worlds(5)).all() and (times == 1).all()
        assert ask(weighing(Indifferent()), table, 3) == ask(PimcAgent(5), table, 3)


def test_what_is_averaged_counts_each_world_as_often_as_it_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = next(after_random_play(WHIST, 1, 30, 33))
    drawn: list[Any] = []
    valued: list[Any] = []

    def solved(table: Table, hands: Any, positions: int) -> Any:
        drawn.append(hands)
        return original(table, hands, positions)

    def best(legal: Any, values: Any, views: Views) -> int:
        valued.append(values)
        return int(legal[0])

    original = exact.solved
    monkeypatch.setattr(pimc_module, "solved", solved)
    monkeypatch.setattr(pimc_module, "best", best)
    agent = weighing(Fake(longest_suit), 10)
    ask(agent, table, 3)
    position = Position(view_of(table, 3, agent)[0], 0)
    candidates = position.worlds(50)
    shares = weights(Fake(longest_suit), position.table, candidates)
    chosen, times = resampled(tempered(shares, 10), 10)
    assert (drawn[0] == candidates["hands"][chosen]).all()
    values = original(table, candidates["hands"][chosen], 10**6)
    assert values is not None
    cards, worth = values
    thought = OPINION * opinion(Fake(longest_suit), view_of(table, 3, agent), cards)
    expected = (worth * times[:, None]).sum(0) + 10 * thought
    assert valued[0] == pytest.approx(expected)


class Likes:
    """Makes one action so many times likelier than any other, everywhere."""

    def __init__(self, action: int, odds: float) -> None:
        self.action, self.odds = action, odds

    def chances(self, views: Views, actions: Any) -> Any:
        legal = views.action_mask.sum(1)
        has_it = views.action_mask[:, self.action] == 1
        weight = np.where(actions == self.action, self.odds, 1.0)
        return weight / np.where(has_it, legal - 1 + self.odds, legal)


def test_an_opinion_is_the_logarithm_of_the_chance_of_each_action() -> None:
    table = next(after_random_play(WHIST, 1, 20, 24))
    legal = table.legal_actions()
    thought = opinion(Likes(legal[1], 5.0), view_of(table, 3), legal)
    expected = np.log(np.where(np.arange(len(legal)) == 1, 5, 1) / (len(legal) + 4))
    assert thought == pytest.approx(expected)
    never = opinion(Likes(legal[0], 0.0), view_of(table, 3), legal)
    assert np.isfinite(never).all() and never[0] < -700


def test_the_network_outweighs_the_search_where_it_is_that_much_surer() -> None:
    overruled = 0
    for table in after_random_play(WHIST, 12, 20, 36):
        position = Position(view_of(table, 3, PimcAgent())[0], 0)
        solved_cards = exact.solved(position.table, position.worlds(5)["hands"], 10**6)
        assert solved_cards is not None
        cards, values = solved_cards
        means = values.mean(0)
        worst = cards[int(means.argmin())]
        behind = float(np.ptp(means))
        if not behind:
            continue
        overruled += 1
        for surer, expected in ((0.9, False), (1.1, True)):
            agent = weighing(Likes(worst, np.exp(surer * behind / OPINION)))
            # The worlds are those that anybody would draw; only the opinion differs.
            agent._drawn = PimcAgent(5)._drawn  # type: ignore[method-assign]
            assert (ask(agent, table, 3) == worst) == expected
    assert overruled > 2


def test_an_opinion_counts_in_points_where_records_count_in_parts_of_them() -> None:
    game = whist_env.game("omnibus_hearts", players=5)
    assert game.rules.unit == 5
    overruled = 0
    for seed in range(4):
        table = game.new_table(seed=seed)
        position = Position(view_of(table, 3, PimcAgent())[0], 0)
        worlds, _ = PimcAgent(5)._drawn(position, 0, 5)
        means = play_out(position, worlds, HOYLE).mean(0) / 5
        worst = position.legal[int(means.argmin())]
        behind = float(np.ptp(means))
        overruled += behind > 0
        for surer in (0.9, 1.1) if behind else ():
            agent = weighing(Likes(worst, np.exp(surer * behind / OPINION)))
            agent._drawn = PimcAgent(5)._drawn  # type: ignore[method-assign]
            assert (ask(agent, table, 3) == worst) == (surer > 1)
    assert overruled > 1


@pytest.mark.parametrize("game", [WHIST, HEARTS], ids=["whist", "omnibus_hearts"])
def test_a_move_does_not_depend_on_cards_that_are_not_seen(
    game: Game, tmp_path: Path
) -> None:
    agent = whist_agents.load(f"pimc:samples=3,net={saved(tmp_path, game)}")
    for table in after_random_play(game, 3, 15, 45):
        twins = [at(game, world) for world in Worlds(table).sample(3, 99)]
        moves = {ask(agent, twin, 7) for twin in [table, *twins, table]}
        assert len(moves) == 1


def test_with_a_time_limit_worlds_are_weighed_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts: list[int] = []

    def count(shares: Any, number: int) -> Any:
        parts.append(number)
        return resampled(shares, number)

    monkeypatch.setattr(pimc_module, "resampled", count)
    agent = weighing(Indifferent(), 10**6)
    agent.milliseconds = 1
    ask(agent, next(after_random_play(WHIST, 1, 32, 33)), 3)
    assert parts == [10]


# Networks ---------------------------------------------------------------------------


def test_a_network_is_the_policy_of_its_softened_logits(tmp_path: Path) -> None:
    policy = NetworkPolicy(str(saved(tmp_path, WHIST)))
    player = NetAgent(network(WHIST))
    for table in after_random_play(WHIST, 4, 0, 30):
        legal = table.legal_actions()
        views = view_of(table, 0)
        rows = np.zeros(len(legal), np.int64)
        repeated = Views(
            WHIST, views.observation[rows], views.action_mask[rows], views.random[rows]
        )
        chances = policy.chances(repeated, np.array(legal))
        assert chances.sum() == pytest.approx(1)
        assert legal[int(chances.argmax())] == player.act(views)[0]
        # Softened: the ratios of the chances are the roots of what they were.
        seen = player.network.sight
        orders = seen.orders(views.observation)
        rows = seen.observation(views.observation, views.action_mask, orders)
        taken = seen.canonical_action(np.array(legal), orders.repeat(len(legal)))
        with torch.inference_mode():
            logits = player.network(torch.from_numpy(rows))[0, taken].double()
        softened = torch.exp(logits / inference.HEAT)
        assert chances == pytest.approx((softened / softened.sum()).numpy())


def test_a_network_of_another_game_is_refused(tmp_path: Path) -> None:
    agent = whist_agents.load(f"pimc:samples=2,net={saved(tmp_path, WHIST)}")
    table = next(after_random_play(HEARTS, 1, 20, 21))
    with pytest.raises(ValueError, match="plays whist, not omnibus_hearts"):
        ask(agent, table, 0)


def test_net_stands_for_the_networks_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net_module, "HOUSE", tmp_path)
    inference._of_the_house.cache_clear()
    net_module._of_the_house.cache_clear()
    path = saved(tmp_path, WHIST)
    path.rename(net_module.house_file(WHIST.rules))
    table = next(after_random_play(WHIST, 1, 32, 33))
    by_path = str(net_module.house_file(WHIST.rules))
    for setting in ("pimc:samples=3,net=", "rollout:worlds=3,net="):
        moves = {
            ask(whist_agents.load(setting + net), table, 3) for net in ("net", by_path)
        }
        assert len(moves) == 1
    inference._of_the_house.cache_clear()
    net_module._of_the_house.cache_clear()


def test_the_network_that_weighs_worlds_is_settled_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spec_module, "_file", lambda path: f"{path}/best.safetensors")
    settled = spec_module.settled("pimc:samples=4,net=runs/a")
    assert settled == "pimc:samples=4,net=runs/a/best.safetensors"
    assert spec_module.settled("pimc:samples=4,net=net") == "pimc:samples=4,net=net"
    assert spec_module.settled("rollout:net=net") == "rollout:net=net"


def test_a_network_that_is_to_weigh_worlds_is_looked_for() -> None:
    with pytest.raises(FileNotFoundError, match="runs/none"):
        whist_agents.load("pimc:net=runs/none")
