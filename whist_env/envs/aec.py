"""PettingZoo: every game as an agent-environment cycle.

`GameEnv` is a thin skin over a `whist_env.Table`. It checks the order of calls, the
bounds and the legality of actions by itself, so that it needs no wrappers: each of them
would cost more time than the whole game.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
from pettingzoo.utils.env import AECIterable, AECIterator

from whist_env.engine.record import NOBODY
from whist_env.envs.drawing import (
    FRAMES_PER_SECOND,
    RENDER_MODES,
    Drawing,
    check_drawing,
    draw,
)
from whist_env.envs.game import IllegalAction, game
from whist_env.envs.position import position_from, refuse_misspelt
from whist_env.envs.spaces import MaskedDiscrete, feature_box, mask_box
from whist_env.envs.table import Table, observation_dtype

if TYPE_CHECKING:
    from whist_env.render.scene import Viewer

_SET_BY_RESET: Final = frozenset(
    {
        "agent_selection",
        "agents",
        "infos",
        "num_agents",
        "rewards",
        "table",
        "terminations",
        "truncations",
        "_cumulative_rewards",
    }
)


class NotReset(gymnasium.error.ResetNeeded, AttributeError):
    """Something was asked of an environment that has no episode in progress."""


class GameEnv(AECEnv[str, Any, Any]):
    """A game of the family as a PettingZoo environment.

    All agents begin and end together. An observation is a dictionary of

    * ``"observation"``: ``(features.size,)`` float32 or int8, what the agent may know;
    * ``"action_mask"``: ``(num_actions,)`` int8, its legal actions; all 0 for an agent
      that is not to act.

    Both are new arrays each time. `observe` answers for any agent at any time, also
    when it waits and when the episode is over.

    Args:
        name: the name of the game.
        version: the version of its environment.
        render_mode: ``"ansi"`` (`render` gives a text), ``"human"`` (that text is
            printed after each step), ``"svg"`` (a picture), ``"rgb_array"`` (its
            pixels), or ``None``.
        illegal: what an illegal action does: ``"raise"`` an `IllegalAction` and change
            nothing, or ``"forfeit"`` the episode.
        dtype: the type of observations, ``"float32"`` or ``"int8"``; the values are the
            same whole numbers.
        mask_in: where the action mask is given: in the ``"observation"``, or in the
            ``"info"`` of each agent; then observations are arrays, not dictionaries.
        viewer: whose cards are drawn: ``"agent"`` (of the agent to act), ``"all"``, or
            a seat by its number.
        **options: the options of the game.

    Raises:
        TypeError: there is no such option or setting.
        ValueError: an option or a setting does not take the value.

    Attributes:
        game: the game with its options.
        table: the native table, from the first `reset` on.
        mask_in: where the action mask is given.
        state_space: the space of `state`.
    """

    def __init__(
        self,
        name: str,
        version: int = 0,
        *,
        render_mode: str | None = None,
        illegal: Literal["raise", "forfeit"] = "raise",
        dtype: npt.DTypeLike = "float32",
        mask_in: Literal["observation", "info"] = "observation",
        viewer: Viewer = "agent",
        **options: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        refuse_misspelt_settings(type(self), options)
        _check_word("illegal", illegal, "raise", "forfeit")
        _check_word("mask_in", mask_in, "observation", "info")
        self.game = game(name, **options)
        check_drawing(self.game, render_mode, viewer)
        self.render_mode = render_mode
        self.mask_in = mask_in
        self.metadata = {
            "name": f"{name}_v{version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{i}" for i in range(self.game.num_agents)]
        self.table: Table
        self._illegal = illegal
        self._viewer = viewer
        self._nothing = [0] * self.game.num_agents
        self._number_of = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._make_spaces(observation_dtype(dtype))
        self._was_asked = False

    def _make_spaces(self, dtype: np.dtype[Any]) -> None:
        """One space for each agent, so that each draws from a stream of its own."""
        self._dtype = dtype
        self._observation_size = self.game.features.size
        self._mask_size = self.game.num_actions
        self.state_space = feature_box(self.game.state_features, dtype)
        self.action_spaces = {
            agent: MaskedDiscrete(self.game.num_actions)
            for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: self._observation_space() for agent in self.possible_agents
        }

    def _observation_space(self) -> spaces.Space[Any]:
        box = feature_box(self.game.features, self._dtype)
        if self.mask_in == "info":
            return box
        return spaces.Dict(
            {"observation": box, "action_mask": mask_box(self.game.num_actions)}
        )

    # Spaces and looks -----------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        """What an agent may know now: new arrays, as the class describes them.

        Raises:
            ValueError: there is no such agent.
        """
        try:
            number = self._number_of[agent]
        except KeyError:
            raise ValueError(
                f"{agent!r} is not an agent; the agents are "
                + ", ".join(self.possible_agents)
            ) from None
        observation = np.empty(self._observation_size, self._dtype)
        mask = np.empty(self._mask_size, np.int8)
        self.table.see(number, observation, mask)
        if self.mask_in == "info":
            return observation
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[Any]:
        """Everything, as ``player_0`` would see it: for critics, never for players.

        Returns:
            ``(state_features.size,)``, of the type of observations. `Table.state` gives
            it as any other agent would see it.
        """
        out = np.empty(self.game.state_features.size, self._dtype)
        return self.table.state(0, out)

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """The agents in the order in which they are to step, to the end.

        The body of the loop must call `step` or `reset`: a loop that forgets would
        never end, and gets a RuntimeError.
        """
        return _Turns(self, max_iter)  # type: ignore[no-untyped-call]

    def render(self) -> Drawing:
        """Draw the table by the render mode: a text, a picture, pixels or nothing."""
        return draw(self.table, self.render_mode, self._viewer)

    def close(self) -> None:
        """Nothing needs to be closed."""

    # Reset and step -------------------------------------------------------------------

    def reset(
        self,
        seed: SupportsIndex | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin an episode.

        Args:
            seed: begin the random stream of the table anew; ``None`` goes on with fresh
                deals.
            options: a position to begin from, by the names that the game's ``set_up``
                takes. Names that mean nothing to it are ignored.

        Raises:
            TypeError: the seed is not a whole number, or the options no dictionary.
            ValueError: an impossible seed, a misspelt option or an impossible value.
                The episode in progress is unchanged.
        """
        position = position_from(self.game, options)
        if "table" in self.__dict__:
            self.table.reset(seed, **position)
        else:
            self.table = self.game.new_table(seed, **position)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._earned_nothing = True
        self._was_asked = False
        self._move_on(self.table.agent)

    def step(self, action: SupportsIndex | None) -> None:
        """Carry out an action of the agent to act, `agent_selection`.

        A finished agent steps with ``None``, which removes it.

        Raises:
            IllegalAction: the rules forbid the action, or there is none of this number;
                nothing is changed. With ``illegal="forfeit"`` only for a number that is
                no action.
            TypeError: the action is not a whole number.
            ValueError: a finished agent stepped with an action.
            NotReset: every agent is finished.
        """
        self._was_asked = False
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations[agent]:
            self._leave(agent, action)
            return
        try:
            self.table.apply(action)  # type: ignore[arg-type]
        except (IllegalAction, TypeError) as refusal:
            self._punish(agent, action, refusal)
        self._cumulative_rewards[agent] = 0.0
        *earned, number = self.table.outcome()
        if earned != self._nothing or not self._earned_nothing:
            self._pay(earned)
        self._move_on(number)

    def _leave(self, agent: str, action: object) -> None:
        """Remove a finished agent."""
        if not self.agents:
            raise NotReset("the episode is over: call reset() for the next")
        if action is not None:
            raise ValueError(
                f"the episode is over for {agent}: step(None), not step({action!r})"
            )
        self._was_dead_step(None)

    def _punish(self, agent: str, action: Any, refusal: Exception) -> None:
        """Let the agent forfeit the episode, or raise what the table says."""
        if isinstance(refusal, TypeError):
            raise TypeError(
                f"{agent} is to act: the action {action!r} is not a whole number"
            ) from None
        if self._illegal == "raise" or not 0 <= action < self.game.num_actions:
            raise refusal
        self.table.forfeit()

    def _pay(self, earned: list[float]) -> None:
        """Hand out what the last action earned; after most actions nothing changes."""
        self.rewards = dict(zip(self.possible_agents, map(float, earned), strict=True))
        self._accumulate_rewards()
        self._earned_nothing = earned == self._nothing

    def _move_on(self, number: int) -> None:
        """Select who steps next: the agent to act, or at the end the first agent."""
        if number == NOBODY:
            self.terminations = dict.fromkeys(self.possible_agents, True)
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[number]
        if self.mask_in == "info":
            self._inform(number)
        if self.render_mode == "human":
            self.render()

    def _inform(self, number: int) -> None:
        """Give each agent its action mask; all 0 but for the agent to act."""
        actions = self.game.num_actions
        self.infos = {
            agent: {"action_mask": np.zeros(actions, np.int8)}
            for agent in self.possible_agents
        }
        if number != NOBODY:
            mask = self.infos[self.agent_selection]["action_mask"]
            self.table.action_mask(number, out=mask)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say why something that `reset` makes is not there yet."""
            if name in _SET_BY_RESET:
                raise NotReset(f"call reset() first: before it there is no {name!r}")
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<{self}: {self.game!r}>"


class _Turns(AECIterable[str, Any, Any]):
    """The agents that are to step, one after another."""

    def __iter__(self) -> AECIterator[str, Any, Any]:
        return _TurnIterator(self.env, self.max_iter)


class _TurnIterator(AECIterator[str, Any, Any]):
    """Agents in turn; refuses to name the next before the last one has stepped."""

    env: GameEnv

    def __init__(self, env: GameEnv, max_iter: int) -> None:
        super().__init__(env, max_iter)
        self._begun = False

    def __next__(self) -> str:
        env = self.env
        if not env.agents or self.iters_til_term <= 0:
            raise StopIteration
        if env._was_asked and self._begun:
            raise RuntimeError(
                "the body of a loop over agent_iter() must call step() or reset()"
            )
        self._begun = True
        self.iters_til_term -= 1
        env._was_asked = True
        return env.agent_selection


class ParallelGameEnv(turn_based_aec_to_parallel_wrapper[str, Any, Any]):
    """A game in which all agents hand in an action, and that of one of them counts.

    It differs from PettingZoo's own conversion in three things. The action masks of
    waiting agents are all 1, since their actions are ignored and a policy cannot draw
    from an empty mask. No info is added in the course of the game. And a step after the
    end of the episode is refused.

    Args:
        env: the environment to convert.
    """

    aec_env: GameEnv

    def __init__(self, env: GameEnv) -> None:
        super().__init__(env)

    def reset(
        self,
        seed: SupportsIndex | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode; see `GameEnv.reset`.

        Returns:
            What each agent observes, and the info of each.
        """
        observations, infos = super().reset(seed, options)  # type: ignore[no-untyped-call]
        self._open_masks(observations, infos)
        return observations, infos

    def step(
        self, actions: Mapping[str, SupportsIndex | None]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Carry out the action of the agent to act; the others' are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            NotReset: the episode is over.
            ValueError: there is no action for the agent to act.
        """
        if not self.agents:
            raise NotReset("the episode is over: call reset() for the next")
        agent = self.aec_env.agent_selection
        if agent not in actions:
            raise ValueError(f"{agent} is to act, but there is no action for it")
        stepped = super().step(actions)  # type: ignore[no-untyped-call]
        observations, rewards, terminations, truncations, infos = stepped
        for info in infos.values():
            info.pop("active_agent", None)
        self._open_masks(observations, infos)
        return observations, rewards, terminations, truncations, infos

    def _open_masks(
        self, observations: dict[str, Any], infos: dict[str, dict[str, Any]]
    ) -> None:
        """Fill the masks of waiting agents with ones."""
        seen = infos if self.aec_env.mask_in == "info" else observations
        for agent in self.aec_env.agents:
            if agent != self.aec_env.agent_selection:
                seen[agent]["action_mask"][:] = 1


def refuse_misspelt_settings(env_class: type, options: Mapping[str, Any]) -> None:
    """Refuse an option whose name is close to that of a setting of an environment.

    Raises:
        TypeError: there is one.
    """
    parameters = inspect.signature(env_class).parameters.values()
    settings = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    for option in options:
        refuse_misspelt("setting", option, settings, TypeError)


def _check_word(setting: str, value: object, *words: str) -> None:
    if value not in words:
        allowed = " or ".join(repr(word) for word in words)
        raise ValueError(f"{setting}={value!r} must be {allowed}")
