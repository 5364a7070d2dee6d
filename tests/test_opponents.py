"""Others at the learner's tables: past selves, fixed agents, and who sits where."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import numpy as np
import pytest
import torch

import whist_env
from whist_agents.net import PolicyNetwork, masked
from whist_agents.sight import sight
from whist_env import Tables, Views
from whist_train.opponents import LEARNER, MOST_PAST_SELVES, League, Others, PastSelf
from whist_train.ppo import PPO, PPOConfig

GAME = whist_env.game("whist", reward="tricks")
SMALL = PPOConfig(
    tables=32,
    hidden=(32,),
    critic_hidden=(32,),
    minibatch=256,
    value_scale=4.0,
    lessons=0.0,
    critic_alone=0.0,
)
OTHER = 1


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """The same arithmetic in every process, and no contest between test workers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Highest:
    """Plays its highest legal card, and remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Views] = []

    def act(self, views: Views) -> Any:
        self.shown.append(views)
        return views.game.num_actions - 1 - views.action_mask[:, ::-1].argmax(1)


def seats_of_side_1(tables: int) -> Any:
    """The others have seats 1 and 3 of every table."""
    return np.tile(np.array([LEARNER, OTHER, LEARNER, OTHER]), (tables, 1))


def league(tables: int = 8, share: float = 0.5, every: int = 0, **more: Any) -> League:
    policy = PolicyNetwork(sight(GAME, advised=True), (8,))
    settings = {"specs": (), "seed": 1} | more
    return League(GAME, policy, tables=tables, share=share, every=every, **settings)


# Others at a table ------------------------------------------------------------------


def test_others_choose_where_it_is_their_turn_and_are_shown_nothing_else() -> None:
    player = Highest()
    held_by = seats_of_side_1(40)
    held_by[:20] = held_by[:20, ::-1]  # at half of the tables they have the others
    others = Others({OTHER: player}, held_by, seed=1)
    tables = Tables(GAME, 40, seed=4, dtype=np.int8)
    batch = tables.reset()
    for _ in range(10):
        acting = held_by[np.arange(40), batch.agent]
        lowest = batch.action_mask.argmax(1)
        actions = lowest.copy()
        expected = batch.observation[acting == OTHER].copy()
        own = others.play(tables, batch, actions)
        assert own.tolist() == (acting == LEARNER).tolist()
        assert (actions[own] == lowest[own]).all()
        views = player.shown[-1]
        assert (views.observation == expected).all() and views.worlds is None
        assert (actions[~own] == Highest().act(views)).all()
        batch = tables.step(actions)
    assert len(player.shown) == 10


def test_players_are_asked_once_for_all_tables_each_for_its_own() -> None:
    first, second = Highest(), Highest()
    held_by = np.array([[1] * 4, [2] * 4, [1] * 4, [LEARNER] * 4])
    others = Others({1: first, 2: second}, held_by, seed=1)
    tables = Tables(GAME, 4, seed=4, dtype=np.int8)
    batch = tables.reset()
    others.play(tables, batch, batch.action_mask.argmax(1))
    assert [len(views) for views in first.shown] == [2]
    assert (first.shown[0].observation == batch.observation[[0, 2]]).all()
    assert [len(views) for views in second.shown] == [1]


def test_players_that_search_are_given_worlds() -> None:
    player = Highest()
    player.imagines = True  # type: ignore[attr-defined]
    others = Others({OTHER: player}, np.full((3, 4), OTHER), seed=1)
    tables = Tables(GAME, 3, seed=4, dtype=np.int8)
    batch = tables.reset()
    others.play(tables, batch, batch.action_mask.argmax(1))
    worlds = player.shown[0].worlds
    assert worlds is not None and len(worlds) == 3
    assert player.shown[0][1].table().agent == batch.agent[1]


def test_an_answer_that_is_no_action_for_each_view_is_refused() -> None:
    class Wrong:
        def act(self, views: Views) -> Any:
            return np.zeros(len(views))

    others = Others({OTHER: Wrong()}, np.full((3, 4), OTHER), seed=1)
    tables = Tables(GAME, 3, seed=4, dtype=np.int8)
    batch = tables.reset()
    with pytest.raises(ValueError, match="one whole number for each of 3 views"):
        others.play(tables, batch, batch.action_mask.argmax(1))


def test_the_chance_of_others_is_another_at_every_decision() -> None:
    player = Highest()
    others = Others({OTHER: player}, np.full((50, 4), OTHER), seed=1)
    tables = Tables(GAME, 50, seed=4, dtype=np.int8)
    batch = tables.reset()
    for _ in range(2):
        others.play(tables, batch, batch.action_mask.argmax(1))
    bits = np.concatenate([views.random for views in player.shown])
    assert len(set(bits.tolist())) == 100
    assert 0.4 < (bits >> np.uint64(63)).mean() < 0.6


# What is learnt ---------------------------------------------------------------------


def learner_against(player: Any) -> PPO:
    others = Others({OTHER: player}, seats_of_side_1(SMALL.tables), seed=3)
    return PPO(GAME, SMALL, seed=3, others=others)


def test_decisions_of_others_do_not_improve_the_policy() -> None:
    weights = []
    for disturbed in (False, True):
        learner = learner_against(Highest())
        played = learner.play()
        assert (played.own == (played.agents % 2 == 0)).all()
        targets, advantages = learner.judge(played)
        theirs = ~played.own
        if disturbed:
            played.actions[theirs] = played.masks[theirs].argmax(1)
            played.log_probabilities[theirs] -= 1
            advantages[theirs] += 100
        figures = learner.learn(played, targets, advantages, 0.0)
        free = played.masks.sum(2) > 1
        assert figures["decisions"] == (free & played.own).sum()
        weights.append(torch.cat([p.flatten() for p in learner.policy.parameters()]))
    assert torch.equal(*weights)


def test_the_critic_learns_from_the_plies_of_others_too() -> None:
    weights = []
    for disturbed in (False, True):
        learner = learner_against(Highest())
        played = learner.play()
        targets, advantages = learner.judge(played)
        if disturbed:
            targets[~played.own] += 1
        learner.learn(played, targets, advantages, 0.0)
        weights.append(learner.critic.layers[-1].bias.item())  # type: ignore[operator]
    assert weights[1] > weights[0]


def test_advantages_look_ahead_over_the_plies_of_others() -> None:
    learner = learner_against(Highest())
    played = learner.play()
    _, advantages = learner.judge(played)
    values = learner._values(played.states)[..., 0]
    values *= np.where(played.agents % 2, -1, 1)
    table, total = 5, 0.0
    for ply in reversed(range(52)):
        following = values[ply + 1, table] if ply < 51 else 0.0
        surprise = played.rewards[ply, table, 0] / 4 + following - values[ply, table]
        total = surprise + SMALL.gae_lambda * total
        if played.own[ply, table]:
            assert advantages[ply, table] == pytest.approx(total, abs=1e-5)


def test_a_step_with_none_of_its_own_decisions_leaves_numbers_finite() -> None:
    everything = np.full((SMALL.tables, 4), OTHER)
    others = Others({OTHER: Highest()}, everything, seed=3)
    learner = PPO(GAME, SMALL, seed=3, others=others)
    played = learner.play()
    states = torch.from_numpy(played.states[0])
    nothing = torch.zeros(SMALL.tables, dtype=torch.bool)
    rows = (played.masks[0], played.actions[0], played.log_probabilities[0])
    decisions = [*map(torch.from_numpy, rows), torch.zeros(SMALL.tables)]
    figures = learner._gradient_step(
        0.01, states, torch.zeros(SMALL.tables, 1), nothing, *decisions
    )
    assert figures["policy_loss"] == 0 and np.isfinite(list(figures.values())).all()


# The league -------------------------------------------------------------------------


def test_who_sits_where_is_drawn_evenly_and_the_learner_always_has_a_seat() -> None:
    drawn = league(6000, specs=("random", "hoyle"))
    drawn.begin_episodes(np.ones(6000, np.bool_))
    others = (drawn.held_by != LEARNER).sum(1)
    assert np.bincount(others, minlength=5)[[0, 4]].tolist() == [(others == 0).sum(), 0]
    assert (others > 0).mean() == pytest.approx(0.5, abs=0.03)
    for seats in (1, 2, 3):
        assert (others == seats).mean() == pytest.approx(0.5 / 3, abs=0.03)
    for number in (-1, -2):
        has_seats = (drawn.held_by == number).any(1)
        assert has_seats.mean() == pytest.approx(0.25, abs=0.03)
        assert others[has_seats].tolist() == (
            (drawn.held_by[has_seats] == number).sum(1).tolist()
        )
    for seat in range(4):
        assert (drawn.held_by[:, seat] != LEARNER).mean() == pytest.approx(
            0.25, abs=0.03
        )


def test_partners_come_from_the_pool_as_well_as_opponents() -> None:
    drawn = league(2000, share=1.0, specs=("random",))
    drawn.begin_episodes(np.ones(2000, np.bool_))
    own = drawn.held_by == LEARNER
    partner_is_own = own[:, [2, 3, 0, 1]]
    left_is_own = own[:, [1, 2, 3, 0]]
    for beside in (partner_is_own, left_is_own):
        # One, two or three of the four seats are the learner's, equally often: beside
        # a seat of its own it has 1/3 of the others on average.
        assert beside[own].mean() == pytest.approx(4 / 9, abs=0.03)


def test_seats_change_only_where_an_episode_begins() -> None:
    drawn = league(2000, share=1.0, specs=("random",))
    drawn.begin_episodes(np.ones(2000, np.bool_))
    before = drawn.held_by.copy()
    begins = np.arange(2000) % 2 == 0
    drawn.begin_episodes(begins)
    changed = (drawn.held_by != before).any(1)
    assert not changed[~begins].any() and changed[begins].mean() > 0.8


def test_a_learner_in_a_league_meets_its_pool_from_the_next_deal_on() -> None:
    config = dataclasses.replace(SMALL, league=1.0, opponents=("random",), plies=104)
    learner = PPO(GAME, config, seed=1)
    played = learner.play()
    assert played.own[:52].all()
    own = played.own[52:]
    assert 0.4 < own.mean() < 0.6 and not own.all(0).any() and own.any(0).all()
    for table in range(SMALL.tables):
        agents = played.agents[52:, table]
        seats = [set(own[agents == agent, table].tolist()) for agent in range(4)]
        assert all(len(answers) == 1 for answers in seats)


def test_with_an_empty_pool_the_policy_has_all_seats() -> None:
    drawn = league(share=1.0, every=5)
    drawn.begin_episodes(np.ones(8, np.bool_))
    assert (drawn.held_by == LEARNER).all()


def test_the_pool_spans_the_whole_training() -> None:
    growing = league(every=3)
    for iteration in range(1, 400):
        growing.end_iteration()
        pool = growing.pool
        assert len(pool) <= MOST_PAST_SELVES
        if iteration >= 3:
            distances = {b - a for a, b in zip([0, *pool], pool, strict=False)}
            assert len(distances) == 1
            assert iteration - pool[-1] < distances.pop()
        if iteration >= 3 * MOST_PAST_SELVES:
            assert len(pool) >= MOST_PAST_SELVES // 2


def test_fixed_agents_stay_in_the_pool() -> None:
    growing = league(every=1, specs=("random", "hoyle"))
    for _ in range(50):
        growing.end_iteration()
    assert growing.pool[:2] == [-1, -2] and len(growing.pool) > 4


def test_whoever_leaves_the_pool_ends_its_episodes() -> None:
    leaving = league(4, every=1)
    leaving.end_iteration()
    leaving.held_by[2, 1] = 1
    for _ in range(MOST_PAST_SELVES):
        leaving.end_iteration()
    assert 1 not in leaving.pool and 1 in leaving.players and 3 not in leaving.players
    leaving.held_by[2, 1] = LEARNER
    leaving.end_iteration()
    leaving.end_iteration()
    assert 1 not in leaving.players


def test_a_past_self_draws_by_the_probabilities_of_its_time() -> None:
    with_past = league(every=1)
    policy = with_past._policy
    torch.nn.init.normal_(policy.layers[-1].weight, std=2.0)  # type: ignore[arg-type]
    tables = Tables(GAME, 1, seed=2, dtype=np.int8)
    batch = tables.reset()
    seen = policy.sight
    orders = seen.orders(batch.observation)
    given = seen.observation(batch.observation, batch.action_mask, orders)
    rows = torch.from_numpy(given)
    mask = torch.from_numpy(seen.mask(batch.action_mask, orders))
    expected = masked(policy(rows), mask).softmax(1)[0]
    with_past.end_iteration()
    torch.nn.init.zeros_(policy.layers[-1].weight)  # type: ignore[arg-type]

    many = 20_000
    bits = np.random.default_rng(5).integers(0, 2**64, many, np.uint64)
    views = Views(
        GAME, batch.observation.repeat(many, 0), batch.action_mask.repeat(many, 0), bits
    )
    actions = with_past.players[1].act(views)
    assert batch.action_mask[0, actions].all()
    drawn = seen.canonical_action(actions, orders.repeat(many, 0))
    frequencies = np.bincount(drawn, minlength=GAME.num_actions) / many
    assert frequencies == pytest.approx(expected.detach().numpy(), abs=0.012)
    assert expected.max() > 0.15


def test_a_past_self_at_the_ends_of_chance_plays_a_legal_card() -> None:
    player = PastSelf(PolicyNetwork(sight(GAME, advised=False), (8,)))
    tables = Tables(GAME, 64, seed=2, dtype=np.int8)
    batch = tables.reset()
    for bits in (0, 2**64 - 1):
        chance = np.full(64, bits, np.uint64)
        views = Views(GAME, batch.observation, batch.action_mask, chance)
        assert batch.action_mask[np.arange(64), player.act(views)].all()


# Going on after a stop --------------------------------------------------------------


def test_a_learner_in_a_league_goes_on_exactly() -> None:
    config = dataclasses.replace(
        SMALL, league=0.7, league_every=1, opponents=("random",), plies=30
    )
    learner = PPO(GAME, config, seed=1)
    for _ in range(MOST_PAST_SELVES + 2):
        learner.iterate(0.0)
    file = io.BytesIO()
    torch.save(learner.state_dict(), file)
    expected = [learner.iterate(0.5) for _ in range(4)]

    file.seek(0)
    other = PPO(GAME, config, seed=2)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert [other.iterate(0.5) for _ in range(4)] == expected
    pairs = zip(learner.policy.parameters(), other.policy.parameters(), strict=True)
    assert all(torch.equal(one, same) for one, same in pairs)
    mine, theirs = learner._others, other._others
    assert isinstance(mine, League) and isinstance(theirs, League)
    assert (mine.held_by == theirs.held_by).all() and mine.pool == theirs.pool
    assert len(mine.pool) > 4 and len(set(mine.held_by.flat)) > 3


def test_without_a_league_nobody_else_is_asked_and_nothing_more_is_stored() -> None:
    learner = PPO(GAME, SMALL, seed=1)
    learner.iterate(0.0)
    assert learner._others is None and "others" not in learner.state_dict()


# Settings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"league": 1.5}, "league=1.5 must be from 0 to 1"),
        ({"league": float("nan")}, "league=nan must be from 0 to 1"),
        ({"league": 0.5, "league_every": -1}, "league_every=-1 must not be negative"),
        ({"opponents": ("hoyle",)}, "never met with league=0"),
        ({"league": 0.5, "league_every": 0}, "league=0.5 has nobody to play"),
    ],
)
def test_a_league_that_cannot_be_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        PPOConfig(**settings)


@pytest.mark.parametrize(
    ("spec", "message"),
    [("hoile", "did you mean 'hoyle'"), ("oracle", "sees all hands")],
)
def test_an_opponent_that_is_no_fair_agent_is_refused_at_once(
    spec: str, message: str
) -> None:
    config = dataclasses.replace(SMALL, league=0.5, opponents=(spec,))
    with pytest.raises(ValueError, match=message):
        PPO(GAME, config)
