"""The PettingZoo environment: its contract on Whist, and what the contract leaves."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from contract import Options, contract
from gymnasium import spaces
from oracle_whist import Match, OracleDeal, card_id
from oracle_whist import Options as OracleOptions
from oracle_whist import card_name as oracle_card_name

import whist_env
from whist_env import GameEnv, IllegalAction, RandomPlayer, Table, Views, whist_v0
from whist_env.cards import parse_card, parse_deal
from whist_env.envs.aec import NotReset, ParallelGameEnv
from whist_env.envs.page import environment_page
from whist_env.envs.spaces import MaskedDiscrete
from whist_env.registration import register_environments

DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


class WhistReferee:
    """The slow oracle of Whist as a referee."""

    match: Match
    current: OracleDeal | None = None

    def __init__(self, options: Options) -> None:
        known = {field.name for field in dataclasses.fields(OracleOptions)}
        own = {name: value for name, value in options.items() if name in known}
        self.options = OracleOptions(**own)

    def deal(self, table: Table) -> None:
        record = table.record
        if self.current is None:
            self.match = Match(self.options, dealer=int(record.dealer))
        assert self.match.dealer == record.dealer
        hands = [
            [oracle_card_name(card) for card in range(52) if int(hand) >> card & 1]
            for hand in record.hands
        ]
        self.dealt = [set(map(card_id, hand)) for hand in hands]
        self.open_cards = {int(record.turned)}
        turned = oracle_card_name(int(record.turned))
        self.current = self.match.start_deal(hands, turned)

    def agent(self) -> int:
        assert self.current is not None
        return -1 if self.match.over else self.current.seat_to_move

    def legal_actions(self) -> list[int]:
        assert self.current is not None
        return sorted(map(card_id, self.current.legal_cards()))

    def play(self, action: int) -> list[int]:
        self.open_cards.add(action)
        return self.match.play(oracle_card_name(action))

    def knows(self, agent: int) -> set[int]:
        return self.open_cards | self.dealt[agent]


TestWhist = contract(
    "whist",
    WhistReferee,
    {},
    {"scoring": "awl", "episode": "game", "reward": "settlement"},
    {"scoring": "american", "deals": 3, "reward": "tricks"},
    {"scoring": "hoyle7", "episode": "game", "reward": "match"},
    {"scoring": "short5", "episode": "rubber"},
    {"scoring": "robber", "episode": "rubber", "honours_counted": 6},
    {"scoring": "to25", "history": "last_trick", "dealer": 2},
    {"revokes": "penalty", "scoring": "short5", "deals": 2},
    {"shuffle": "gather_and_cut", "deals": 3, "ranks": 6, "suits": 2},
)


def ready(**settings: Any) -> GameEnv:
    env = whist_v0.env(**settings)
    env.reset(seed=0)
    return env


def finished(**settings: Any) -> GameEnv:
    """An environment at the end of an episode, no agent having left yet."""
    env = ready(**settings)
    while not env.table.is_over:
        env.step(env.table.legal_actions()[0])
    return env


# Construction -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"scoring": "hoyle"}, ValueError, "scoring='hoyle'.*'hoyle7'"),
        ({"scorin": "awl"}, TypeError, "'scorin'.*did you mean 'scoring'"),
        ({"rendermode": "ansi"}, TypeError, "'rendermode'.*mean 'render_mode'"),
        ({"max_cycles": 10}, TypeError, "no option 'max_cycles'"),
        ({"illegal": "ignore"}, ValueError, "illegal='ignore'.*'raise' or 'forfeit'"),
        ({"mask_in": "both"}, ValueError, "mask_in='both'.*'observation' or 'info'"),
        ({"dtype": "float64"}, ValueError, "dtype='float64'.*'float32' or 'int8'"),
        ({"dtype": "no type"}, ValueError, "dtype='no type'.*'float32' or 'int8'"),
        ({"render_mode": "pygame"}, ValueError, "'pygame' is not one of 'ansi'"),
        ({"viewer": 4}, ValueError, "viewer=4 must be 'agent'.*0 to 3"),
        ({"viewer": "player_0"}, ValueError, "viewer='player_0' must be"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_be_right(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        whist_v0.env(**settings)


def test_metadata_belongs_to_each_environment_alone() -> None:
    one, other = whist_v0.env(), whist_v0.env()
    one.metadata["render_modes"].append("fax")
    assert other.metadata == {
        "name": "whist_v0",
        "render_modes": ["ansi", "human", "rgb_array", "svg"],
        "render_fps": 2,
        "is_parallelizable": False,
    }


def test_the_module_has_the_names_that_pettingzoo_expects() -> None:
    assert isinstance(whist_v0.raw_env(), GameEnv)
    assert isinstance(whist_v0.parallel_env(), ParallelGameEnv)
    assert whist_v0.env().unwrapped.__class__ is GameEnv


def test_spaces_have_the_bounds_of_the_features() -> None:
    env = whist_v0.env(dtype="int8")
    box = env.observation_space("player_2")["observation"]
    assert box == spaces.Box(env.game.features.low, env.game.features.high, dtype="i1")
    mask = env.observation_space("player_2")["action_mask"]
    assert mask == spaces.Box(0, 1, (52,), np.int8)
    assert env.action_space("player_2") == spaces.Discrete(52)
    flat = whist_v0.env(mask_in="info").observation_space("player_2")
    assert flat.dtype == np.float32


# Order of calls ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.last(),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: list(env.agent_iter()),
        lambda env: env.agents,
        lambda env: env.num_agents,
        lambda env: env.rewards,
        lambda env: env.table,
        lambda env: whist_env.play_episode(env, RandomPlayer()),
    ],
)
def test_nothing_can_be_asked_before_reset(use: Any) -> None:
    with pytest.raises(NotReset, match=r"call reset\(\) first"):
        use(whist_v0.env())
    assert not hasattr(whist_v0.env(), "agent_selection")


def test_an_unknown_attribute_is_not_mistaken_for_a_missing_reset() -> None:
    with pytest.raises(AttributeError, match="'GameEnv' has no attribute 'agnets'"):
        ready().agnets  # noqa: B018


def test_a_loop_that_forgets_to_step_is_stopped() -> None:
    env = ready()
    with pytest.raises(RuntimeError, match=r"must call step\(\) or reset\(\)"):
        for _ in env.agent_iter():
            env.last()


def test_a_loop_may_be_left_and_begun_again() -> None:
    env = ready()
    for _ in range(3):
        for _ in env.agent_iter():
            break
    assert list(env.agent_iter(0)) == []
    turns = 0
    for _ in env.agent_iter(6):
        env.step(env.table.legal_actions()[0])
        turns += 1
    assert turns == 6


def test_a_refused_action_may_be_chosen_anew_in_a_loop() -> None:
    env = ready()
    turns = 0
    for agent in env.agent_iter(2):
        turns += 1
        illegal = np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0]
        with pytest.raises(IllegalAction):
            env.step(illegal)
    assert turns == 2


def test_finished_agents_leave_one_by_one_with_their_reward() -> None:
    env = finished(reward="match")
    expected = env.table.returns()
    for number in range(4):
        assert env.agent_selection == f"player_{number}"
        assert env.agents == [f"player_{i}" for i in range(number, 4)]
        _, reward, termination, truncation, info = env.last()
        assert (reward, termination, truncation, info) == (
            expected[number],
            True,
            False,
            {},
        )
        env.step(None)
        assert f"player_{number}" not in env.rewards
    assert env.agents == []


def test_a_finished_agent_may_only_leave() -> None:
    env = finished()
    with pytest.raises(ValueError, match=r"over for player_0: step\(None\), not"):
        env.step(3)


def test_stepping_on_when_all_have_left_is_refused() -> None:
    env = finished()
    for _ in range(4):
        env.step(None)
    with pytest.raises(NotReset, match="the episode is over: call reset"):
        env.step(None)


def test_an_agent_truncated_from_outside_is_finished() -> None:
    env = ready()
    env.truncations = dict.fromkeys(env.agents, True)
    agent = env.agent_selection
    with pytest.raises(ValueError, match="over for"):
        env.step(0)
    env.step(None)
    assert agent not in env.agents


def test_observing_without_an_agent_of_that_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'north' is not an agent.*player_3"):
        ready().observe("north")


def test_last_observes_only_on_request() -> None:
    env = ready()
    assert env.last(observe=False)[0] is None
    assert env.last()[0] is not None


def test_close_may_be_called_at_any_time_and_twice() -> None:
    env = whist_v0.env()
    env.close()
    env.reset(seed=0)
    env.close()
    env.close()
    assert env.agents


# Reset ------------------------------------------------------------------------------


def test_reset_options_set_the_position_up() -> None:
    env = whist_v0.env(scoring="short5", episode="rubber")
    options = {"deal": DEAL, "dealer": 1, "turned": "H7", "scores": (4, 0)}
    env.reset(seed=3, options={**options, "games": [1, 0]})
    record = env.table.record
    assert tuple(record.hands) == parse_deal(DEAL)
    assert (record.dealer, record.turned) == (1, parse_card("H7"))
    assert record.score.tolist() == [4, 0]
    assert record.games.tolist() == [1, 0]
    assert env.agent_selection == "player_2"


@pytest.mark.parametrize("options", [None, {}, {"options": 1}, {"board": 7, 3: 4}])
def test_reset_options_that_mean_nothing_are_ignored(options: Any) -> None:
    plain, other = whist_v0.env(), whist_v0.env()
    plain.reset(seed=1)
    other.reset(seed=1, options=options)
    assert plain.table == other.table


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"deals": DEAL}, ValueError, "'deals'.*did you mean 'deal'"),
        ({"score": (1, 2)}, ValueError, "'score'.*did you mean 'scores'"),
        ({"deal": "N:AKQ"}, ValueError, "'N:AKQ' is not a deal"),
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat"),
        ({"turned": "SA"}, ValueError, "give deal= as well"),
        (["deal"], TypeError, r"options=\['deal'\] must be a dictionary"),
    ],
)
def test_wrong_reset_options_are_refused_and_change_nothing(
    options: Any, error: type[Exception], message: str
) -> None:
    env = ready()
    env.step(env.table.legal_actions()[0])
    before = copy.deepcopy(env)
    with pytest.raises(error, match=message):
        env.reset(seed=9, options=options)
    assert env.table == before.table
    assert env.agent_selection == before.agent_selection
    fresh = whist_v0.env()
    with pytest.raises(error, match=message):
        fresh.reset(options=options)
    assert not hasattr(fresh, "agents")


@pytest.mark.parametrize("seed", [5, np.int64(5), np.uint8(5), np.array(5)])
def test_a_seed_may_be_a_whole_number_of_any_kind(seed: Any) -> None:
    env, plain = whist_v0.env(), whist_v0.env()
    env.reset(seed=seed)
    plain.reset(seed=5)
    assert env.table == plain.table


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (1.5, TypeError)])
def test_a_seed_that_cannot_be_is_refused(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed="):
        whist_v0.env().reset(seed=seed)


# Rewards ----------------------------------------------------------------------------


def test_rewards_are_those_of_the_last_step_and_add_up_until_an_agent_acts() -> None:
    env = ready(reward="tricks", deals=2)
    owed = dict.fromkeys(env.agents, 0.0)
    while not env.table.is_over:
        agent = env.agent_selection
        assert env.last()[1] == owed[agent]
        owed[agent] = 0.0
        taken = env.table.record.tricks_won.copy()
        env.step(env.table.legal_actions()[-1])
        trick_is_complete = env.table.record.cards_in_trick == 0
        if trick_is_complete and env.table.record.cards_played:
            side = np.flatnonzero(env.table.record.tricks_won - taken)[0] % 2
            expected = [1 if number % 2 == side else -1 for number in range(4)]
            assert list(env.rewards.values()) == expected
        elif not trick_is_complete:
            assert list(env.rewards.values()) == [0, 0, 0, 0]
        assert all(isinstance(reward, float) for reward in env.rewards.values())
        for other, reward in env.rewards.items():
            owed[other] += reward


def test_the_last_reward_reaches_all_four_seats() -> None:
    totals = np.zeros(4)
    env = whist_v0.env()
    expected = np.zeros(4)
    for seed in range(40):
        env.reset(seed=seed)
        totals += list(whist_env.play_episode(env, RandomPlayer(), seed).values())
        expected += env.table.returns()
    assert totals.tolist() == expected.tolist()
    assert np.abs(expected).min() > 0


class Highest:
    """Plays the legal card with the largest number, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def act(self, views: Views) -> np.ndarray[Any, Any]:
        self.asked += len(views)
        return np.array([view.legal_actions()[-1] for view in views])


def test_each_agent_is_played_by_its_own_player() -> None:
    players = [Highest() for _ in range(4)]
    env = ready(deals=2)
    whist_env.play_episode(env, players, seed=0)
    assert [player.asked for player in players] == [26, 26, 26, 26]


def test_an_episode_is_repeated_by_the_seed_of_its_players() -> None:
    ends = []
    for seed in (1, 1, 2):
        env = ready()
        whist_env.play_episode(env, RandomPlayer(), seed)
        ends.append(env.table.to_bytes())
    assert ends[0] == ends[1] != ends[2]


class Broken:
    """Answers with anything it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, views: Views) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("players", "error", "message"),
    [
        ([RandomPlayer()] * 3, ValueError, "3 players for 4 agents"),
        ([RandomPlayer, 5, 5, 5], TypeError, "5 is not a player"),
        (Broken(3), ValueError, "one action for each view"),
        (Broken([1.0]), ValueError, "one action for each view"),
        (Broken([99]), IllegalAction, "99 is not an action"),
    ],
)
def test_a_broken_player_is_named(
    players: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        whist_env.play_episode(ready(), players)


def test_a_random_player_draws_each_legal_action_equally_often() -> None:
    env = ready()
    mask = np.zeros((6000, 52), np.int8)
    mask[:, [3, 20, 51]] = 1
    bits = np.random.default_rng(0).integers(0, 2**64, 6000, np.uint64)
    views = Views(env.game, np.zeros((6000, 1), np.int8), mask, bits)
    actions, counts = np.unique(RandomPlayer().act(views), return_counts=True)
    assert actions.tolist() == [3, 20, 51]
    assert np.abs(counts - 2000).max() < 150


# Sampling ---------------------------------------------------------------------------


def test_sampling_under_a_mask_is_uniform() -> None:
    space = MaskedDiscrete(52, seed=1)
    mask = np.zeros(52, np.int8)
    mask[[0, 7, 50, 51]] = 1
    drawn = [space.sample(mask) for _ in range(8000)]
    actions, counts = np.unique(drawn, return_counts=True)
    assert actions.tolist() == [0, 7, 50, 51]
    assert np.abs(counts - 2000).max() < 150
    assert all(isinstance(action, np.int64) for action in drawn)


def test_sampling_keeps_the_contract_of_discrete() -> None:
    space, stock = MaskedDiscrete(3, seed=4), spaces.Discrete(3, seed=4)
    assert space == stock
    assert [space.sample() for _ in range(9)] == [stock.sample() for _ in range(9)]
    chances = np.array([0, 0, 1.0])
    assert space.sample(probability=chances) == 2
    assert space.sample(np.zeros(3, np.int8)) == 0
    assert MaskedDiscrete(3, start=5).sample(np.array([0, 1, 0], np.int8)) == 6
    assert copy.deepcopy(space).sample() == space.sample()


@pytest.mark.parametrize(
    "mask",
    [
        [0, 1, 0],
        np.array([0, 1, 0]),
        np.array([False, True, False]),
        np.array([0, 1], np.int8),
        np.array([[0, 1, 0]], np.int8),
        np.array([0, 2, 0], np.int8),
        np.array([0, -1, 0], np.int8),
    ],
)
def test_sampling_refuses_the_masks_that_discrete_refuses(mask: Any) -> None:
    with pytest.raises(AssertionError) as refusal:
        MaskedDiscrete(3).sample(mask)
    with pytest.raises(AssertionError) as stock:
        spaces.Discrete(3).sample(mask)
    assert str(refusal.value) == str(stock.value)


def test_sampling_for_one_agent_does_not_disturb_another() -> None:
    env = ready()
    mask = np.ones(52, np.int8)
    for agent in env.agents:
        env.action_space(agent).seed(1)
    drawn = [env.action_space("player_0").sample(mask) for _ in range(20)]
    assert [env.action_space("player_1").sample(mask) for _ in range(20)] == drawn


# State ------------------------------------------------------------------------------


def test_the_state_shows_every_hand_from_the_first_agent() -> None:
    env = ready()
    env.step(env.table.legal_actions()[0])
    state = env.state()
    features = env.game.state_features
    for seat in range(4):
        hand = np.flatnonzero(features.part(state, "hands")[seat])
        assert sum(1 << int(card) for card in hand) == env.table.record.hands[seat]
    assert np.array_equal(
        state[: env.game.features.size], env.observe("player_0")["observation"]
    )
    assert state.dtype == env.state_space.dtype == np.float32


# Parallel ---------------------------------------------------------------------------


def test_a_parallel_step_after_the_end_is_refused() -> None:
    env = whist_v0.parallel_env()
    env.reset(seed=0)
    while env.agents:
        env.step({env.aec_env.agent_selection: env.aec_env.table.legal_actions()[0]})
    with pytest.raises(NotReset, match="call reset"):
        env.step({})
    env.reset()
    assert len(env.step({env.aec_env.agent_selection: _first(env)})) == 5


def _first(env: ParallelGameEnv) -> int:
    return env.aec_env.table.legal_actions()[0]


def test_a_parallel_step_needs_an_action_of_the_agent_to_act() -> None:
    env = whist_v0.parallel_env()
    env.reset(seed=0)
    acting = env.aec_env.agent_selection
    actions = {agent: 0 for agent in env.agents if agent != acting}
    with pytest.raises(ValueError, match=f"{acting} is to act, but there is no action"):
        env.step(actions)


def test_parallel_infos_hold_masks_and_nothing_else() -> None:
    env = whist_v0.parallel_env(mask_in="info")
    _, infos = env.reset(seed=0)
    while env.agents:
        acting = env.aec_env.agent_selection
        for agent, info in infos.items():
            assert list(info) == ["action_mask"]
            legal = np.flatnonzero(info["action_mask"]).tolist()
            own = env.aec_env.table.legal_actions()
            assert legal == (own if agent == acting else list(range(52)))
        *_, infos = env.step({acting: _first(env)})
    assert not any(info["action_mask"].any() for info in infos.values())


# Rendering --------------------------------------------------------------------------


def test_rendering_without_a_mode_warns_and_draws_nothing() -> None:
    with pytest.warns(UserWarning, match="without a render mode"):
        assert ready().render() is None


def test_the_human_mode_prints_the_text_after_every_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    env = ready(render_mode="human")
    twin = ready(render_mode="ansi")
    assert capsys.readouterr().out == f"{twin.render()}\n"
    for one in (env, twin):
        one.step(one.table.legal_actions()[0])
    assert capsys.readouterr().out == f"{twin.render()}\n"


def test_the_viewer_decides_whose_cards_are_drawn() -> None:
    drawings = {
        viewer: ready(render_mode="ansi", viewer=viewer).render()
        for viewer in ("agent", "all", 0, 1, 2, 3)
    }
    acting = ready().table.agent
    assert drawings["agent"] == drawings[acting]
    assert len(set(drawings.values())) == 5


def test_pictures_differ_from_pixels_and_are_not_blank() -> None:
    picture = ready(render_mode="svg").render()
    assert isinstance(picture, str)
    pixels = ready(render_mode="rgb_array").render()
    assert isinstance(pixels, np.ndarray)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10


# The page and the registries --------------------------------------------------------


def test_the_page_lists_what_the_code_has() -> None:
    page = inspect.getdoc(whist_v0)
    game = whist_v0.env().game
    assert page is not None
    for feature in game.features.features:
        place = game.features[feature.name]
        last = place.stop - 1
        span = f"{place.start} ~ {last}" if last > place.start else f"{last}"
        assert f"| {span} | `{feature.name}` |" in page
        assert f"| [{feature.low},{feature.high}] | {feature.meaning} |" in page
    settings = inspect.signature(GameEnv).parameters.values()
    listed = [
        *(field.name for field in dataclasses.fields(game.rules.options)),
        *(p.name for p in settings if p.kind is p.KEYWORD_ONLY),
        *("deal", "turned", "dealer", "scores", "games"),
    ]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == listed
    assert "| 39 ~ 51 | spades, `S2` to `SA` |" in page


def test_the_page_has_the_form_of_pettingzoos_pages() -> None:
    page = str(whist_v0.__doc__)
    assert page.startswith('# Whist\n\n| Creation | `make("aec", "whist_env/whist-v0")')
    assert re.findall(r"^#+ .*$", page, re.MULTILINE) == [
        "# Whist",
        "### Phases",
        "### Observation Space",
        "#### Legal Actions Mask",
        "### Action Space",
        "### Rewards",
        "### Arguments",
        "### Version History",
    ]
    assert "\n* v0: " in page


def test_a_page_without_its_headings_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the headings"):
        environment_page(whist_v0.env(), "Whist.\n\n### Rewards\n\nPoints.\n")


def test_registering_again_changes_nothing_and_does_not_warn() -> None:
    before = dict(pettingzoo.aec_registry), dict(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments()
    assert (pettingzoo.aec_registry, gymnasium.registry) == before


def test_older_pettingzoos_without_a_registry_are_served_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("register", "aec_registry", "parallel_registry"):
        monkeypatch.delattr(pettingzoo, name)
    register_environments()
    assert ready().agents
