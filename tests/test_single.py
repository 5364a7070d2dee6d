"""The Gymnasium environment: one seat against players."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import whist_env
from whist_env import IllegalAction, RandomPlayer, SeatEnv, Views, whist_v0

ID = "whist_env/Whist-v0"


class First:
    """Plays its first legal card and notes the seats it sat in and the bits it got."""

    def __init__(self) -> None:
        self.observations: list[npt.NDArray[np.int8]] = []
        self.bits: list[int] = []

    def act(self, views: Views) -> npt.NDArray[np.int64]:
        self.observations += list(views.observation)
        self.bits += views.random.tolist()
        return np.array([view.legal_actions()[0] for view in views])


def legal_step(env: SeatEnv, rng: np.random.Generator) -> tuple[float, bool]:
    action = rng.choice(np.flatnonzero(env.action_masks()))
    _, reward, termination, _, _ = env.step(action)
    return reward, termination


# Gymnasium --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seat": 3, "dtype": "int8"},
        {"scoring": "short5", "episode": "rubber", "reward": "match"},
    ],
)
def test_it_passes_the_checker_of_gymnasium_without_a_warning(
    options: dict[str, Any],
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, **options).unwrapped)


def test_gymnasium_makes_the_same_environment_as_the_package() -> None:
    made = gymnasium.make(ID, seat=2, scoring="hoyle7").unwrapped
    own = whist_env.single("whist", seat=2, scoring="hoyle7")
    assert isinstance(made, SeatEnv)
    assert isinstance(own, SeatEnv)
    assert (made.game, made.seat) == (own.game, own.seat)
    assert np.array_equal(made.reset(seed=1)[0], own.reset(seed=1)[0])


def test_a_vector_of_environments_stacks_the_masks() -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync")
    observations, infos = envs.reset(seed=0)
    assert observations.shape == (3, whist_env.game("whist").features.size)
    assert infos["action_mask"].shape == (3, 52)
    actions = infos["action_mask"].argmax(1)
    observations, rewards, _, _, infos = envs.step(actions)
    assert infos["action_mask"].shape == (3, 52)
    assert rewards.tolist() == [0, 0, 0]


def test_the_spaces_are_those_of_one_seat() -> None:
    env = whist_env.single("whist", dtype="int8")
    features = env.game.features
    assert env.observation_space == spaces.Box(features.low, features.high, dtype="i1")
    assert env.action_space == spaces.Discrete(52)


# The game ---------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("reward", ["points", "tricks", "match"])
def test_the_learner_gets_all_that_is_owed_to_its_seat(seat: int, reward: str) -> None:
    env = whist_env.single("whist", seat=seat, reward=reward, deals=2)
    rng = np.random.default_rng(seat)
    paid, earned, deals = [], 0.0, 0
    env.reset(seed=seat)
    for _ in range(100):
        over = False
        while not over:
            reward_of_step, over = legal_step(env, rng)
            paid.append(reward_of_step)
        earned += env.table.returns()[seat]
        deals += env.table.record.deals_played
        env.reset()
    assert sum(paid) == earned
    assert deals == 200
    assert {*np.sign(paid)} >= {-1.0, 1.0}
    assert all(isinstance(amount, float) for amount in paid)


def test_what_was_paid_is_at_every_turn_what_the_seat_has_earned() -> None:
    env = whist_env.single("whist", seat=1, reward="tricks", deals=30)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    total, over = 0.0, False
    while not over:
        reward, over = legal_step(env, rng)
        total += reward
        assert total == env.table.returns()[1]


def test_the_learner_acts_thirteen_times_a_deal_and_never_for_another() -> None:
    env = whist_env.single("whist", seat=2, deals=3)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    turns, over = 0, False
    while not over:
        assert env.table.agent == 2
        _, over = legal_step(env, rng)
        turns += 1
    assert turns == 39


def test_the_seat_sees_what_the_agent_of_that_seat_sees() -> None:
    env = whist_env.single("whist", seat=3)
    aec = whist_v0.env()
    seen, info = env.reset(seed=12)
    aec.reset(seed=12)
    over = False
    while not over:
        played = env.table.record.history[: env.table.record.cards_played]
        for card in played[aec.table.record.cards_played :]:
            aec.step(card)
        expected = aec.observe("player_3")
        assert np.array_equal(seen, expected["observation"])
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        assert np.array_equal(env.action_masks(), expected["action_mask"] == 1)
        assert env.action_masks().dtype == np.bool_
        action = np.flatnonzero(env.action_masks())[0]
        seen, _, over, truncated, info = env.step(action)
        assert truncated is False
    assert not env.action_masks().any()
    assert not info["action_mask"].any()


def test_a_list_of_players_sits_clockwise_from_the_learner() -> None:
    players = [First(), First(), First()]
    env = whist_env.single("whist", seat=2, others=players, dealer=2)
    env.reset(seed=0)
    hands = env.table.record.dealt
    features = env.game.features
    assert all(len(player.observations) == 1 for player in players)
    for player, seat in zip(players, (3, 0, 1), strict=True):
        hand = np.flatnonzero(features.part(player.observations[0], "hand"))
        assert sum(1 << int(card) for card in hand) == hands[seat]


def test_one_player_may_take_all_other_seats() -> None:
    player = First()
    env = whist_env.single("whist", others=player)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while not legal_step(env, rng)[1]:
        pass
    assert len(player.observations) == 39
    assert len(set(player.bits)) == 39


def test_players_draw_from_the_seed_of_the_environment() -> None:
    bits = []
    for seed in (7, 7, 8):
        player = First()
        env = whist_env.single("whist", others=player, dealer=0)
        env.reset(seed=seed)
        bits.append(player.bits)
    assert bits[0] == bits[1] != bits[2]


def test_the_default_players_are_random_and_repeat_with_the_seed() -> None:
    def play(seed: int | None) -> list[bytes]:
        env.reset(seed=seed)
        rng = np.random.default_rng(0)
        while not legal_step(env, rng)[1]:
            pass
        return [env.table.to_bytes(), env.table.record.history.tobytes()]

    env = whist_env.single("whist")
    chain = [play(3), play(None), play(None)]
    assert [play(3), play(None), play(None)] == chain
    assert chain[0] != chain[1] != chain[2]
    assert play(4) != chain[0]


def test_the_deal_is_that_of_the_pettingzoo_environment_with_the_same_seed() -> None:
    for seed in (0, 2**64 + 5, np.int64(3)):
        env, aec = whist_env.single("whist"), whist_v0.env()
        env.reset(seed=seed)
        aec.reset(seed=seed)
        assert env.table.record.dealt.tolist() == aec.table.record.dealt.tolist()


def test_reset_options_set_the_position_up() -> None:
    env = whist_env.single("whist", episode="game")
    env.reset(seed=0, options={"dealer": 3, "scores": (6, 5), "nothing": 1})
    assert env.table.record.dealer == 3
    assert env.table.record.score.tolist() == [6, 5]
    with pytest.raises(ValueError, match=r"'delaer'.*did you mean 'dealer'"):
        env.reset(options={"delaer": 1})


# Illegal actions --------------------------------------------------------------------


@pytest.mark.parametrize(("reward", "penalty"), [("points", -13.0), ("match", -1.0)])
def test_an_illegal_action_ends_the_episode_with_the_forfeit(
    reward: str, penalty: float
) -> None:
    env = whist_env.single("whist", reward=reward)
    rng = np.random.default_rng(0)
    for seed in range(20):
        env.reset(seed=seed)
        for _ in range(seed % 12):
            legal_step(env, rng)
        illegal = rng.choice(np.flatnonzero(~env.action_masks()))
        seen, paid, termination, truncation, info = env.step(illegal)
        assert (paid, termination, truncation) == (penalty, True, False)
        assert env.table.returns() == [penalty, -penalty, penalty, -penalty]
        assert env.observation_space.contains(seen)
        assert not info["action_mask"].any()


def test_a_forfeit_keeps_what_was_earned_before() -> None:
    env = whist_env.single("whist", reward="tricks", seat=1)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    paid = sum(legal_step(env, rng)[0] for _ in range(7))
    assert paid != 0
    _, last, *_ = env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert paid + last == env.table.returns()[1]


def test_numbers_that_are_no_actions_are_refused() -> None:
    env = whist_env.single("whist")
    env.reset(seed=0)
    before = env.table.to_bytes()
    for action in (-1, 52, 2**70):
        with pytest.raises(IllegalAction, match="not an action"):
            env.step(action)
    with pytest.raises(TypeError):
        env.step(1.5)  # type: ignore[arg-type]
    assert env.table.to_bytes() == before


def test_an_illegal_action_of_another_player_is_no_forfeit_of_the_learner() -> None:
    class Wrong:
        def act(self, views: Views) -> npt.NDArray[np.int64]:
            return np.flatnonzero(views.action_mask[0] == 0)[:1]

    env = whist_env.single("whist", others=Wrong(), dealer=0)
    with pytest.raises(IllegalAction, match="player_1 may not choose"):
        env.reset(seed=0)


# Errors, copies, drawing ------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"seat": 4}, ValueError, "seat=4 is not one of 0 to 3"),
        ({"others": [RandomPlayer()]}, ValueError, "1 players for 3 other seats"),
        ({"others": [1, 2, 3]}, TypeError, "1 is not a player"),
        ({"viewer": 7}, ValueError, "viewer=7"),
        ({"render_mode": "window"}, ValueError, "render_mode='window'"),
        ({"dtype": "int32"}, ValueError, "dtype='int32'"),
        ({"seats": 1}, TypeError, "'seats'.*did you mean 'seat'"),
        ({"scoring": "bridge"}, ValueError, "scoring='bridge'"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_be_right(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        whist_env.single("whist", **settings)


def test_reset_comes_first_and_after_every_end() -> None:
    env = whist_env.single("whist", render_mode="ansi")
    for use in (lambda: env.step(0), env.action_masks, env.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
            use()
    env.reset(seed=0)
    env.step(int(np.flatnonzero(~env.action_masks())[0]))
    with pytest.raises(gymnasium.error.ResetNeeded, match="episode is over"):
        env.step(0)


def test_copies_in_the_middle_of_an_episode_play_on_alike() -> None:
    env = whist_env.single("whist", deals=2)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(9):
        legal_step(env, rng)
    ends = []
    for player in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env):
        chance = np.random.default_rng(1)
        rewards = []
        over = False
        while not over:
            reward, over = legal_step(player, chance)
            rewards.append(reward)
        ends.append((rewards, player.table.to_bytes()))
    assert ends[0] == ends[1] == ends[2]


def test_arrays_given_out_never_change() -> None:
    env = whist_env.single("whist")
    seen, info = env.reset(seed=0)
    given, over = [seen, info["action_mask"], env.action_masks()], False
    copies = [array.copy() for array in given]
    while not over:
        action = np.flatnonzero(env.action_masks())[0]
        seen, _, over, _, info = env.step(action)
        given += [seen, info["action_mask"], env.action_masks()]
        copies += [array.copy() for array in given[len(copies) :]]
    assert all(map(np.array_equal, given, copies))


def test_drawings_show_the_learners_cards_unless_told_otherwise() -> None:
    def draw(**settings: Any) -> Any:
        env = whist_env.single("whist", seat=2, render_mode="ansi", **settings)
        env.reset(seed=4)
        return env.render()

    assert draw() == draw(viewer=2)
    assert draw() != draw(viewer=1)
    assert draw() != draw(viewer="all")


def test_drawing_without_a_render_mode_warns() -> None:
    env = whist_env.single("whist")
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render mode"):
        assert env.render() is None


@pytest.mark.parametrize("seat", [4, -1, 1.0, True, "0"])
def test_a_seat_that_is_not_there_is_refused(seat: Any) -> None:
    with pytest.raises(ValueError, match="not one of 0 to 3"):
        whist_env.single("whist", seat=seat)


def test_a_seed_that_cannot_be_is_named_and_a_spec_is_no_player() -> None:
    env = whist_env.single("whist")
    with pytest.raises(ValueError, match="seed=-1 must not be negative"):
        env.reset(seed=-1)
    with pytest.raises(TypeError, match=r"seed=1.5 must be a whole number"):
        env.reset(seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"whist_agents.load"):
        whist_env.single("whist", others="random")
