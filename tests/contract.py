"""What every environment of this package promises, as one class of tests.

The test module of a game gets all of them in one line, which names the game, a referee
and the options to test it with::

    TestWhist = contract("whist", WhistReferee, {}, {"scoring": "short5"})

Besides the promises of the package these are PettingZoo's official tests. Not among
them: `max_cycles_test`, `test_save_obs` and `manual_control_test` do not apply (no
cycles, no pictures as observations, no keyboard); `bombardment_test` fails for every
observation that is a dictionary (it calls an array's method on it), in PettingZoo's own
environments too. That no environment loads a heavy library is tested with the imports
of the whole package.
"""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pettingzoo
import pytest
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import whist_env
from whist_env import GameEnv, IllegalAction, ParallelGameEnv, RandomPlayer, Table
from whist_env.cards import CARDS, members
from whist_env.envs.drawing import draw
from whist_env.envs.play import view_of

with warnings.catch_warnings():
    # PettingZoo's tests import one of its own environments in a deprecated way.
    warnings.filterwarnings(
        "ignore", "The old environment creation API", DeprecationWarning
    )
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        parallel_seed_test,
        performance_benchmark,
        render_test,
        seed_test,
        state_test,
    )

Options = dict[str, Any]
Alike = tuple[tuple[int, ...], ...]
Frame = tuple[Any, ...]

SEEDS = 200
"""Seeds of random episodes for each set of options."""

# What PettingZoo 1.27.0 says of every observation that is a dictionary and not its own.
dictionary_warnings_of_pettingzoo = [
    pytest.mark.filterwarnings(f"ignore:{message}$:UserWarning")
    for message in (
        "Observation is not a NumPy array",
        r"Observation space for each agent probably should be gymnasium\.spaces\.box "
        r"or gymnasium\.spaces\.discrete",
    )
]


class Referee(Protocol):
    """Knows the rules of a game and shares no code with the engine."""

    def deal(self, table: Table) -> None:
        """Take note of the deal that was just made at a table."""

    def agent(self) -> int:
        """The agent to act; -1 when the episode is over."""

    def legal_actions(self) -> list[int]:
        """The legal actions of the agent to act, in order."""

    def play(self, action: int) -> Sequence[float]:
        """Play an action; returns what it earns each agent."""

    def knows(self, agent: int) -> set[int]:
        """The cards of which an agent knows, or knew, where they lie in this deal.

        And hidden calls that have come out.
        """


# Playing ----------------------------------------------------------------------------


def part(env: GameEnv, agent: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int8]]:
    """The observation and the mask of an agent, in either dialect."""
    if env.mask_in == "info":
        mask = env.infos[agent]["action_mask"] if agent in env.infos else np.int8([])
        return env.observe(agent), mask
    seen = env.observe(agent)
    return seen["observation"], seen["action_mask"]


def random_action(env: GameEnv, rng: np.random.Generator) -> int | None:
    """A legal action for the agent to step; `None` if it is finished."""
    agent = env.agent_selection
    if env.terminations[agent]:
        return None
    return int(rng.choice(np.flatnonzero(part(env, agent)[1])))


def frame(env: GameEnv) -> Frame:
    """Everything that the environment says at this moment, fit to be compared."""
    seen = tuple(
        (array.tobytes(), array.dtype, array.shape)
        for agent in env.possible_agents
        for array in part(env, agent)
    )
    _, reward, termination, truncation, info = env.last()
    return (
        env.agent_selection,
        seen,
        reward,
        termination,
        truncation,
        sorted(info),
        dict(env.rewards),
        dict(env.terminations),
        list(env.agents),
        env.state().tobytes(),
        env.table.to_bytes(),
    )


def frames_of(env: GameEnv, rng: np.random.Generator) -> Iterator[Frame]:
    """Play at random to the end of the episode; yields what there is to see."""
    for _ in env.agent_iter():
        action = random_action(env, rng)
        yield (*frame(env), action)
        env.step(action)


def episode(env: GameEnv, seed: int | None, chance: int = 0) -> list[Frame]:
    """One random episode from a reset with this seed."""
    env.reset(seed=seed)
    return list(frames_of(env, np.random.default_rng(chance)))


def play_some(env: GameEnv, rng: np.random.Generator, steps: int) -> None:
    """Play at random for a number of steps, or until the episode is over."""
    for _ in range(steps):
        if any(env.terminations.values()):
            return
        env.step(random_action(env, rng))


def random_positions(
    env: GameEnv, count: int, longest: int = 60
) -> Iterator[np.random.Generator]:
    """Bring an environment to random positions in which an agent is to act."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        play_some(env, rng, int(rng.integers(longest)))
        if not env.table.is_over:
            yield rng


# What a seat cannot know ------------------------------------------------------------


def pack_twin(
    start: Table,
    actions: list[int],
    seat: int,
    known: set[int],
    alike: Alike,
    rng: np.random.Generator,
) -> tuple[Table, list[int]]:
    """Another start of an episode, and what was done in it, that look alike to a seat.

    Cards of which the seat knows nothing change places in the pack, and hidden choices
    of the others change with them, as far as all that was done stays legal.

    Args:
        start: the table at the start of the episode.
        actions: what was done since.
        seat: the agent that is not to see any difference.
        known: the cards of which it knows where they lie or lay, and hidden calls that
            have come out.
        alike: sets of calls that nobody can tell apart but the agent that makes them.
        rng: what chooses.
    """
    unknown = [int(card) for card in start.record.pack if card >= 0]
    unknown = [card for card in unknown if card not in known]
    cards = list(range(CARDS))
    disguise = {call: int(rng.choice(calls)) for calls in alike for call in calls}
    twin, others = replayed(start, actions, seat, known, cards, {})
    assert twin is not None
    for calls in (disguise, {}):
        changed = replayed(start, actions, seat, known, cards, calls)
        if changed[0] is not None:
            disguise, (twin, others) = calls, changed
            break
    for _ in range(60 if len(unknown) > 1 else 0):
        one, other = rng.choice(unknown, 2, replace=False).tolist()
        trial = cards.copy()
        trial[one], trial[other] = cards[other], cards[one]
        changed = replayed(start, actions, seat, known, trial, disguise)
        if changed[0] is not None:
            cards, (twin, others) = trial, changed
    return twin, others


def replayed(
    start: Table,
    actions: list[int],
    seat: int,
    known: set[int],
    cards: list[int],
    calls: dict[int, int],
) -> tuple[Table, list[int]] | tuple[None, list[int]]:
    """A start with other cards, and the actions; no table if they are not legal."""
    twin = start.clone()
    record = twin._memory.view(start.game.rules.record)[0]
    record.pack[:] = [cards[card] if card >= 0 else -1 for card in record.pack]
    game = importlib.import_module(f"whist_env.games.{start.game.name}")
    game.deal_out(record)
    original, played, others = start.clone(), twin.clone(), []
    for action in actions:
        assert played.agent == original.agent
        changed = action
        if original.agent != seat and action not in known:
            changed = cards[action] if action < CARDS else calls.get(action, action)
        if changed not in played.legal_actions():
            return None, others
        original.apply(action)
        played.apply(changed)
        others.append(changed)
    return twin, others


def knowledge(env: GameEnv, seat: int) -> list[Any]:
    """All that reaches a seat in any way; the viewer of the environment is the seat."""
    agent = env.possible_agents[seat]
    observation, mask = part(env, agent)
    known: list[Any] = [
        env.agent_selection,
        observation.tobytes(),
        mask.tobytes(),
        sorted(env.infos[agent]),
        env.rewards[agent],
        env.terminations[agent],
        repr(env),
        str(env),
        env.render(),
    ]
    if env.table.agent == seat:
        views = view_of(env.table, random=1)
        known += [views.observation.tobytes(), views[0].legal_actions()]
    return known


def pool_of(table: Table) -> int:
    """What lies in the pool, in the units of the record, where that is the reward."""
    record = table.record
    rewarded = getattr(table.game.options, "reward", "points") == "points"
    return int(record.pool) if rewarded and "pool" in record.dtype.names else 0


# The contract -----------------------------------------------------------------------


class EnvironmentContract:
    """The promises; `contract` fills in the game."""

    game: str
    referee: Callable[[Options], Referee]
    piles: Callable[[Any], Iterable[int]]
    alike: Alike

    def make(self, options: Options, **settings: Any) -> GameEnv:
        env = self.module().env(**options, **settings)
        assert isinstance(env, GameEnv)
        return env

    def module(self) -> Any:
        return importlib.import_module(f"whist_env.{self.game}_v0")

    # Rules

    def test_random_episodes_agree_with_the_referee_at_every_step(
        self, options: Options
    ) -> None:
        env = self.make(options, dtype="int8")
        partners = env.game.rules.partners
        for seed in range(SEEDS):
            env.reset(seed=seed)
            rng = np.random.default_rng(seed)
            referee = self.referee(options)
            referee.deal(env.table)
            while not all(env.terminations.values()):
                deals = int(env.table.record.deals_played)
                assert env.agent_selection == f"player_{referee.agent()}"
                legal = referee.legal_actions()
                mask = env.observe(env.agent_selection)["action_mask"]
                assert np.flatnonzero(mask).tolist() == legal
                action = legal[rng.integers(len(legal))]
                earned = referee.play(action)
                pool = pool_of(env.table)
                env.step(action)
                rewards = list(env.rewards.values())
                assert rewards == pytest.approx(earned)
                added = pool_of(env.table) - pool
                assert env.table.record.reward.sum() + added == 0
                assert all(
                    rewards[agent] == rewards[partner]
                    for agent, group in enumerate(partners)
                    for partner in group
                )
                if env.table.record.deals_played > deals and not env.table.is_over:
                    referee.deal(env.table)
            assert referee.agent() == -1

    def test_every_card_of_the_pack_is_in_one_place(self, options: Options) -> None:
        env = self.make(options)
        for rng in random_positions(env, 60):
            for _ in range(8):
                if env.table.is_over:
                    break
                record = env.table.record
                played = record.history[: record.cards_played].tolist()
                by_seat = [list(members(hand)) for hand in record.hands]
                elsewhere = list(self.piles(record))
                pack = sorted(card for card in record.pack if card >= 0)
                assert sorted([*played, *itertools.chain(*by_seat), *elsewhere]) == pack
                for seat, cards in enumerate(record.played):
                    seats = record.history_seats[: record.cards_played]
                    assert list(members(cards)) == sorted(
                        card
                        for card, of in zip(played, seats, strict=True)
                        if of == seat
                    )
                env.step(random_action(env, rng))

    @pytest.mark.parametrize("mask_in", ["observation", "info"])
    @pytest.mark.parametrize("dtype", ["float32", "int8"])
    def test_observations_are_in_their_space_for_all_seats_at_all_times(
        self, options: Options, dtype: str, mask_in: str
    ) -> None:
        env = self.make(options, dtype=dtype, mask_in=mask_in)
        for seed in range(3):
            env.reset(seed=seed)
            rng = np.random.default_rng(seed)
            for _ in env.agent_iter():
                for agent in env.possible_agents:
                    seen = env.observe(agent)
                    assert env.observation_space(agent).contains(seen)
                assert env.state_space.contains(env.state())
                env.step(random_action(env, rng))

    def test_only_the_agent_to_act_has_legal_actions(self, options: Options) -> None:
        env = self.make(options)
        env.reset(seed=5)
        rng = np.random.default_rng(5)
        for _ in env.agent_iter():
            for agent in env.possible_agents:
                acts = env.table.agent == env.possible_agents.index(agent)
                assert env.observe(agent)["action_mask"].any() == acts
            env.step(random_action(env, rng))
        assert not env.agents
        assert not any(env.observe(a)["action_mask"].any() for a in env.possible_agents)

    def test_both_dialects_and_both_types_say_the_same(self, options: Options) -> None:
        envs = [
            self.make(options),
            self.make(options, dtype="int8"),
            self.make(options, mask_in="info"),
        ]
        for env in envs:
            env.reset(seed=8)
        rng = np.random.default_rng(8)
        for agent in envs[0].agent_iter():
            for other in envs[0].agents:
                parts = [part(env, other) for env in envs]
                for observation, mask in parts[1:]:
                    assert np.array_equal(observation, parts[0][0])
                    assert np.array_equal(mask, parts[0][1])
            assert all(env.last()[1:4] == envs[0].last()[1:4] for env in envs)
            action = random_action(envs[0], rng)
            for env in envs:
                assert env.agent_selection == agent
                env.step(action)

    def test_infos_have_the_same_keys_from_reset_to_end(self, options: Options) -> None:
        for mask_in, keys in (("observation", set()), ("info", {"action_mask"})):
            env = self.make(options, mask_in=mask_in)
            env.reset(seed=1)
            rng = np.random.default_rng(1)
            for _ in env.agent_iter():
                assert set(env.infos) == set(env.agents)
                assert all(set(info) == keys for info in env.infos.values())
                env.step(random_action(env, rng))

    # Randomness

    def test_a_seed_gives_the_same_episode_again(self, options: Options) -> None:
        env = self.make(options)
        first = episode(env, 0)
        assert episode(env, 0) == first
        env.reset(seed=3)
        play_some(env, np.random.default_rng(0), 17)
        assert episode(env, 0) == first
        assert episode(self.make(options), 0) == first
        assert env.game == self.make(options).game

    def test_different_seeds_and_later_episodes_have_different_deals(
        self, options: Options
    ) -> None:
        env = self.make(options)
        deals = set()
        for seed in range(20):
            env.reset(seed=seed)
            deals.add(env.table.record.dealt.tobytes())
        for _ in range(20):
            env.reset()
            deals.add(env.table.record.dealt.tobytes())
        unseeded = self.make(options)
        unseeded.reset()
        deals.add(unseeded.table.record.dealt.tobytes())
        assert len(deals) == 41

    def test_a_chain_of_episodes_is_repeated_by_its_first_seed(
        self, options: Options
    ) -> None:
        chains = []
        for _ in range(2):
            env = self.make(options)
            chains.append([episode(env, seed) for seed in (11, None, None)])
        assert chains[0] == chains[1]
        assert chains[0][0] != chains[0][1] != chains[0][2]

    def test_what_is_played_does_not_change_the_next_deal(
        self, options: Options
    ) -> None:
        env = self.make(options)
        dealt = []
        for chance in range(3):
            env.reset(seed=4)
            first = int(env.table.record.deal_number)
            play_some(env, np.random.default_rng(chance), 10_000)
            last = int(env.table.record.deal_number)
            env.reset()
            dealt.append((last - first, env.table.record.dealt.tobytes()))
        assert len(set(dealt)) == len(dict(dealt))

    def test_action_spaces_draw_again_what_their_seed_says_across_resets(
        self, options: Options
    ) -> None:
        env = self.make(options)
        drawn = []
        spaces = [env.action_space(agent) for agent in env.possible_agents]
        for _ in range(2):
            for number, space in enumerate(spaces):
                space.seed(number)
            env.reset(seed=2)
            actions = []
            for agent in env.agent_iter():
                seen, _, termination, _, _ = env.last()
                action = None
                if not termination:
                    action = env.action_space(agent).sample(seen["action_mask"])
                actions.append(action)
                env.step(action)
            drawn.append(actions)
            assert spaces == [env.action_space(a) for a in env.possible_agents]
        assert drawn[0] == drawn[1]

    def test_every_agent_has_spaces_of_its_own(self, options: Options) -> None:
        env = self.make(options)
        agents = env.possible_agents
        for space_of in (env.action_space, env.observation_space):
            assert len({id(space_of(agent)) for agent in agents}) == len(agents)
            assert all(space_of(agent) is space_of(agent) for agent in agents)

    def test_the_agent_selected_after_reset_is_the_one_to_act(
        self, options: Options
    ) -> None:
        env = self.make(options)
        firsts = set()
        for seed in range(100):
            env.reset(seed=seed)
            assert env.agent_selection == f"player_{env.table.agent}"
            assert env.observe(env.agent_selection)["action_mask"].any()
            firsts.add(env.agent_selection)
        if options.get("dealer") is None:
            assert firsts == set(env.possible_agents)

    # Hidden information

    def test_hidden_cards_leave_no_trace(self, options: Options) -> None:
        for seed in range(3):
            for seat in range(len(self.make(options).possible_agents)):
                self.compare_with_twins(options, seed, seat)

    def compare_with_twins(self, options: Options, seed: int, seat: int) -> None:
        rng = np.random.default_rng([seed, seat])
        env = self.make(options, render_mode="ansi", viewer=seat)
        twin = self.make(options, render_mode="ansi", viewer=seat)
        env.reset(seed=seed)
        start = env.table.clone()
        referee = self.referee(options)
        referee.deal(env.table)
        seen: list[list[Any]] = []
        actions: list[int] = []
        stops = set(rng.integers(1, 52, 6).tolist())
        while env.table.record.deals_played == 0:
            seen.append(knowledge(env, seat))
            if len(actions) in stops:
                known = referee.knows(seat)
                other, others = pack_twin(start, actions, seat, known, self.alike, rng)
                twin.reset(seed=seed)
                twin.table._memory[:] = other._memory
                twin.table._size = -1
                for action, expected in zip([*others, None], seen, strict=True):
                    assert knowledge(twin, seat) == expected
                    if action is not None:
                        twin.step(action)
                assert draw(twin.table, "svg", seat) == draw(env.table, "svg", seat)
                if env.table.agent == seat:
                    views = view_of(env.table, random=1)
                    assert repr(view_of(twin.table, random=1)) == repr(views)
                if (start.record.pack >= 0).sum() - len(known) > 20:
                    assert twin.table != env.table
            actions.append(random_action(env, rng))
            referee.play(actions[-1])
            env.step(actions[-1])

    # Copies

    def test_arrays_given_out_never_change(self, options: Options) -> None:
        for mask_in in ("observation", "info"):
            env = self.make(options, mask_in=mask_in)
            env.reset(seed=6)
            rng = np.random.default_rng(6)
            given: list[npt.NDArray[Any]] = []
            copies = []
            for _ in env.agent_iter():
                for agent in env.agents:
                    given += [*part(env, agent), env.state()]
                copies += [array.copy() for array in given[len(copies) :]]
                env.step(random_action(env, rng))
            assert all(map(np.array_equal, given, copies))
            assert all(array.base is None for array in given)

    def test_writing_into_an_array_given_out_changes_nothing(
        self, options: Options
    ) -> None:
        env = self.make(options)
        env.reset(seed=6)
        before = frame(env)
        seen = env.observe(env.agent_selection)
        seen["observation"][:] = 0
        seen["action_mask"][:] = 0
        env.state()[:] = 0
        assert frame(env) == before

    @pytest.mark.parametrize("mask_in", ["observation", "info"])
    def test_copies_in_the_middle_of_an_episode_play_on_alike(
        self, options: Options, mask_in: str
    ) -> None:
        env = self.make(options, mask_in=mask_in)
        for rng in random_positions(env, 5):
            copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
            state = rng.bit_generator.state
            rest = []
            for player in (*copies, env):
                chance = np.random.default_rng()
                chance.bit_generator.state = state
                rest.append(list(frames_of(player, chance)))
            assert rest[0] == rest[1] == rest[2]
            assert episode(copies[0], None) == episode(env, None)

    def test_playing_a_copy_leaves_the_original_alone(self, options: Options) -> None:
        env = self.make(options)
        env.reset(seed=9)
        rng = np.random.default_rng(9)
        play_some(env, rng, 21)
        before = frame(env)
        draws = copy.deepcopy(env).action_space("player_0")
        play_some(copy.deepcopy(env), rng, 20)
        assert frame(env) == before
        assert draws is not env.action_space("player_0")

    @pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array"])
    def test_an_environment_is_pickled_before_and_after_reset(
        self, options: Options, render_mode: str | None
    ) -> None:
        env = self.make(options, render_mode=render_mode)
        fresh = pickle.loads(pickle.dumps(env))
        assert episode(fresh, 1) == episode(env, 1)
        env.reset(seed=1)
        again = pickle.loads(pickle.dumps(env))
        assert frame(again) == frame(env)
        assert again.render_mode == render_mode

    # Illegal actions

    def test_an_illegal_action_is_refused_by_name_and_changes_nothing(
        self, options: Options
    ) -> None:
        env = self.make(options)
        seats = set()
        for _ in random_positions(env, 40):
            agent = env.agent_selection
            seats.add(agent)
            before = frame(env)
            mask = env.observe(agent)["action_mask"]
            for action in np.flatnonzero(mask == 0).tolist():
                name = env.game.action_names[action]
                with pytest.raises(IllegalAction, match=f"{agent} .*{name}") as refusal:
                    env.step(action)
                assert len(str(refusal.value).partition(": ")[2]) > 10
            assert frame(env) == before
        assert seats == set(env.possible_agents)

    def test_a_forfeit_ends_the_episode_and_partners_share_it(
        self, options: Options
    ) -> None:
        env = self.make(options, illegal="forfeit")
        seats = set()
        for rng in random_positions(env, 40):
            agent = env.table.agent
            seats.add(agent)
            earned_before = np.array(env.table.returns())
            paid = np.array(list(env._cumulative_rewards.values()))
            mask = env.observe(env.agent_selection)["action_mask"]
            pool = pool_of(env.table)
            env.step(int(rng.choice(np.flatnonzero(mask == 0))))
            rewards = list(env.rewards.values())
            assert all(env.terminations.values())
            assert not any(env.truncations.values())
            taken = pool - pool_of(env.table)
            assert env.table.record.reward.sum() == taken
            losers = env.game.rules.partners[agent]
            for other, reward in enumerate(rewards):
                assert (reward < max(rewards)) == (other in losers)
                # Where all share a pool the loser may get back more than it pays.
                assert taken > 0 or (reward < 0) == (other in losers)
                assert all(rewards[p] == reward for p in env.game.rules.partners[other])
            assert env.table.returns() == pytest.approx(earned_before + rewards)
            paid[agent] = 0
            for number, name in enumerate(env.agent_iter()):
                assert env.last()[1] == pytest.approx(paid[number] + rewards[number])
                assert name == f"player_{number}"
                env.step(None)
            assert not env.agents
        assert len(seats) == len(env.possible_agents)

    def test_the_episode_after_a_forfeit_is_like_any_other(
        self, options: Options
    ) -> None:
        env = self.make(options, illegal="forfeit")
        for finished in range(len(env.possible_agents) + 1):
            env.reset(seed=1)
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(np.flatnonzero(mask == 0)[0]))
            for _ in range(finished):
                env.step(None)
            assert episode(env, 2) == episode(self.make(options), 2)

    def test_numbers_that_are_no_actions_never_forfeit(self, options: Options) -> None:
        for illegal in ("raise", "forfeit"):
            env = self.make(options, illegal=illegal)
            env.reset(seed=1)
            before = frame(env)
            for action in (-1, env.game.num_actions, 127, 2**63, -(2**70)):
                with pytest.raises(IllegalAction, match="not an action"):
                    env.step(action)
            for action in (None, 1.0, "S2", [0], np.array([0])):
                with pytest.raises(TypeError, match="not a whole number"):
                    env.step(action)
            assert frame(env) == before

    def test_actions_may_be_whole_numbers_of_any_kind(self, options: Options) -> None:
        frames = []
        for kind in (int, np.int64, np.int32, np.uint8, np.uint64, np.array):
            env = self.make(options)
            env.reset(seed=1)
            env.step(kind(random_action(env, np.random.default_rng(0))))
            frames.append(frame(env))
        assert all(other == frames[0] for other in frames)

    # Other forms of the same game

    def test_the_vector_environment_plays_the_same_game(self, options: Options) -> None:
        env_seeds = [3, 2**64 - 1, 77]
        env = [self.make(options) for _ in env_seeds]
        for one, seed in zip(env, env_seeds, strict=True):
            one.reset(seed=seed)
        seeds = np.array(env_seeds, np.uint64)
        tables = whist_env.vector(self.game, len(env), seed=seeds, **options)
        batch = tables.reset()
        for _ in range(120):
            actions = tables.sample_actions()
            seen = [one.observe(one.agent_selection) for one in env]
            for row, one in enumerate(env):
                assert one.agent_selection == f"player_{batch.agent[row]}"
                assert np.array_equal(seen[row]["observation"], batch.observation[row])
                assert np.array_equal(seen[row]["action_mask"], batch.action_mask[row])
                one.step(actions[row])
            batch = tables.step(actions)
            for row, one in enumerate(env):
                rewards = batch.rewards[row].tolist()
                assert rewards == pytest.approx(list(one.rewards.values()))
                assert all(one.terminations.values()) == batch.done[row]
                if batch.done[row]:
                    one.reset()

    def test_the_parallel_form_plays_the_same_game(self, options: Options) -> None:
        parallel: ParallelGameEnv = self.module().parallel_env(**options)
        env = self.make(options)
        env.reset(seed=4)
        observations, infos = parallel.reset(seed=4)
        rng = np.random.default_rng(4)
        while parallel.agents:
            for agent, seen in observations.items():
                own = env.observe(agent)
                assert np.array_equal(seen["observation"], own["observation"])
                mask = own["action_mask"]
                if agent != env.agent_selection:
                    mask[:] = 1
                assert np.array_equal(seen["action_mask"], mask)
            assert infos == {agent: {} for agent in env.possible_agents}
            actions = {
                agent: int(rng.choice(np.flatnonzero(seen["action_mask"])))
                for agent, seen in observations.items()
            }
            env.step(actions[env.agent_selection])
            observations, rewards, terminations, _, infos = parallel.step(actions)
            assert rewards == env.rewards
            assert terminations == env.terminations
        assert env.table == parallel.aec_env.table

    def test_playing_an_episode_collects_every_reward(self, options: Options) -> None:
        env = self.make(options)
        for seed in range(10):
            env.reset(seed=seed)
            earned = whist_env.play_episode(env, RandomPlayer(), seed=seed)
            assert list(earned) == env.possible_agents
            assert list(earned.values()) == pytest.approx(env.table.returns())
            assert env.agents == []

    def test_it_is_registered_with_pettingzoo(self, options: Options) -> None:
        id = f"whist_env/{self.game}-v0"
        env = pettingzoo.make("aec", id, **options)
        assert isinstance(env, GameEnv)
        assert env.game == self.make(options).game
        assert str(env) == f"{self.game}_v0"
        assert isinstance(pettingzoo.make("parallel", id, **options), ParallelGameEnv)

    def test_unwrapping_finds_the_environment(self, options: Options) -> None:
        env = self.make(options)
        wrapped = TerminateIllegalWrapper(BaseWrapper(env), illegal_reward=-1)
        wrapped = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))
        assert wrapped.unwrapped is env
        for seed in (1, 2):
            wrapped.reset(seed=seed)
            whist_env.play_episode(wrapped, RandomPlayer(), seed=0)
            assert env.table.is_over

    def test_nothing_is_printed_without_rendering(
        self, options: Options, capsys: pytest.CaptureFixture[str]
    ) -> None:
        episode(self.make(options), 0)
        assert capsys.readouterr() == ("", "")

    # The official tests

    @pytest.mark.parametrize("dtype", ["float32", "int8"])
    @pytest.mark.parametrize("illegal", ["raise", "forfeit"])
    def test_api(self, options: Options, illegal: str, dtype: str) -> None:
        api_test(self.make(options, illegal=illegal, dtype=dtype), num_cycles=10_000)

    def test_api_with_the_mask_in_info(self, options: Options) -> None:
        api_test(self.make(options, mask_in="info"), num_cycles=10_000)

    def test_seeds(self, options: Options) -> None:
        for mask_in in ("observation", "info"):
            seed_test(lambda mask_in=mask_in: self.make(options, mask_in=mask_in))

    def test_parallel_api(self, options: Options) -> None:
        parallel_api_test(self.module().parallel_env(**options))

    def test_parallel_seeds(self, options: Options) -> None:
        # It draws actions without a mask.
        parallel_seed_test(
            lambda: self.module().parallel_env(**options, illegal="forfeit")
        )

    def test_state(self, options: Options) -> None:
        # It draws actions without a mask.
        parallel = self.module().parallel_env(**options)
        state_test(self.make(options, illegal="forfeit"), parallel, num_cycles=50)

    def test_rendering(self, options: Options) -> None:
        is_picture = {"svg": lambda picture: picture.startswith("<svg")}
        render_test(lambda **mode: self.make(options, **mode), is_picture)

    def test_benchmark(self, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
        # It plays for five seconds, by a clock of which each tick is one here.
        ticks = itertools.count()
        clock = type("clock", (), {"time": staticmethod(lambda: next(ticks))})
        monkeypatch.setitem(performance_benchmark.__globals__, "time", clock)
        performance_benchmark(self.make(options))


for _name in ("test_api", "test_rendering"):
    for _mark in dictionary_warnings_of_pettingzoo:
        setattr(EnvironmentContract, _name, _mark(getattr(EnvironmentContract, _name)))


def no_piles(record: Any) -> Iterable[int]:
    """All cards are in hands or played."""
    return ()


def contract(
    game: str,
    referee: Callable[[Options], Referee],
    *cases: Options,
    piles: Callable[[Any], Iterable[int]] = no_piles,
    alike: Alike = (),
) -> type[EnvironmentContract]:
    """The contract of a game.

    Args:
        game: its name.
        referee: makes a referee for some options.
        *cases: the options to test it with.
        piles: the cards of a record that are neither in a hand nor played.
        alike: sets of calls that nobody can tell apart but the agent that makes them.
    """
    names = [
        "-".join(f"{name}={value}" for name, value in case.items()) or "default"
        for case in cases
    ]
    members = {
        "game": game,
        "referee": staticmethod(referee),
        "piles": staticmethod(piles),
        "alike": alike,
    }
    tests = type(f"Test{game.title()}", (EnvironmentContract,), members)
    marked: type[EnvironmentContract] = pytest.mark.parametrize(
        "options", cases, ids=names
    )(tests)
    return marked
