"""Gymnasium: one seat of a game, the others being taken by players."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt

from whist_env.engine.options import is_whole
from whist_env.envs.aec import refuse_misspelt_settings
from whist_env.envs.drawing import (
    FRAMES_PER_SECOND,
    RENDER_MODES,
    Drawing,
    check_drawing,
    draw,
)
from whist_env.envs.game import IllegalAction, game
from whist_env.envs.play import RandomPlayer, ask, seat_players
from whist_env.envs.position import position_from
from whist_env.envs.seeding import seed_word
from whist_env.envs.spaces import MaskedDiscrete, feature_box
from whist_env.envs.table import Table, observation_dtype
from whist_env.envs.view import Player

if TYPE_CHECKING:
    from whist_env.render.scene import Viewer


class SeatEnv(gymnasium.Env[npt.NDArray[Any], np.int64]):
    """A game seen from one seat; between its turns the other seats play.

    The reward of a step is all that the seat has earned since its last one, whoever's
    action earned it. An illegal action ends the episode as the game's forfeit does,
    because Gymnasium's tools try actions without a look at the mask.

    The legal actions are `action_masks`, and ``info["action_mask"]``.

    Args:
        name: the name of the game.
        seat: the learner's seat.
        others: who sits in the other seats: one player for all of them, or a list of
            players clockwise from the learner's left. By default they choose uniformly
            among their legal actions. Their randomness comes from `np_random`.
        render_mode: ``"ansi"`` (`render` gives a text), ``"human"`` (that text is
            printed after each step), ``"svg"`` (a picture), ``"rgb_array"`` (its
            pixels), or ``None``.
        dtype: the type of observations, ``"float32"`` or ``"int8"``; the values are the
            same whole numbers.
        viewer: whose cards are drawn: ``None`` for the learner's, ``"agent"``,
            ``"all"``, or a seat.
        **options: the options of the game.

    Raises:
        TypeError: there is no such option or setting, or something is no player.
        ValueError: an option or a setting does not take the value.

    Attributes:
        game: the game with its options.
        seat: the learner's seat.
        table: the native table, from the first `reset` on.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        name: str,
        *,
        seat: int = 0,
        others: Player | Sequence[Player] | None = None,
        render_mode: str | None = None,
        dtype: npt.DTypeLike = "float32",
        viewer: Viewer | None = None,
        **options: Any,
    ) -> None:
        refuse_misspelt_settings(type(self), options)
        self.game = game(name, **options)
        if not is_whole(seat, 0, self.game.num_agents - 1):
            raise ValueError(
                f"seat={seat!r} is not one of 0 to {self.game.num_agents - 1}"
            )
        self.seat = seat
        self.render_mode = render_mode
        self._viewer: Viewer = seat if viewer is None else viewer
        check_drawing(self.game, render_mode, self._viewer)
        self._players = self._seated(RandomPlayer() if others is None else others)
        self._dtype = observation_dtype(dtype)
        self.observation_space = feature_box(self.game.features, self._dtype)
        self.action_space = MaskedDiscrete(self.game.num_actions)
        self.table: Table | None = None

    def _seated(self, others: Player | Sequence[Player]) -> dict[int, Player]:
        """The players by the seats they take."""
        agents = self.game.num_agents
        seated = seat_players(others, agents - 1, "other seats")
        return {
            (self.seat + place) % agents: player
            for place, player in enumerate(seated, start=1)
        }

    def reset(
        self,
        *,
        seed: SupportsIndex | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begin an episode and play on to the learner's first turn.

        Args:
            seed: begin the random streams of the table and of the players anew;
                ``None`` goes on with fresh deals.
            options: a position to begin from, by the names that the game's ``set_up``
                takes. Names that mean nothing to it are ignored.

        Returns:
            The observation, ``(features.size,)``, and ``{"action_mask": ...}`` with
            ``(num_actions,)`` int8; both new arrays.

        Raises:
            TypeError: the seed is not a whole number, or the options no dictionary.
            ValueError: an impossible seed, a misspelt option or an impossible value.
        """
        position = position_from(self.game, options)
        if seed is not None:
            seed_word(seed)  # says what is wrong with what is no seed
        super().reset(seed=None if seed is None else operator.index(seed))
        if self.table is None:
            self.table = self.game.new_table(seed, **position)
        else:
            self.table.reset(seed, **position)
        self._paid: float = 0
        self._let_others_play(self.table)
        return self._look(self.table)

    def step(
        self, action: SupportsIndex
    ) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and play on to its next turn or to the end.

        Returns:
            The observation, what the seat has earned since its last step, whether the
            episode is over, False, and ``{"action_mask": ...}``.

        Raises:
            ResetNeeded: there is no episode in progress.
            IllegalAction: there is no action of this number, or another player chose an
                illegal one.
            TypeError: the action is not a whole number.
        """
        table = self._table_in_play()
        try:
            table.apply(action)
        except IllegalAction:
            if not 0 <= operator.index(action) < self.game.num_actions:
                raise
            table.forfeit()
        self._let_others_play(table)
        observation, info = self._look(table)
        return observation, self._pay(table), table.is_over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, ``(num_actions,)`` bool; none at the end.

        Raises:
            ResetNeeded: `reset` was never called.
        """
        return self._dealt_table().action_mask(self.seat).astype(np.bool_)

    def render(self) -> Drawing:
        """Draw the table by the render mode: a text, a picture, pixels or nothing."""
        return draw(self._dealt_table(), self.render_mode, self._viewer)

    def _let_others_play(self, table: Table) -> None:
        chance = self.np_random.bit_generator
        while not table.is_over and table.agent != self.seat:
            player = self._players[table.agent]
            table.apply(ask(player, table, chance.random_raw()))

    def _look(self, table: Table) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        observation = np.empty(self.game.features.size, self._dtype)
        mask = np.empty(self.game.num_actions, np.int8)
        table.see(self.seat, observation, mask)
        if self.render_mode == "human":
            self.render()
        return observation, {"action_mask": mask}

    def _pay(self, table: Table) -> float:
        """What the seat has earned and was not paid yet."""
        earned = table.returns()[self.seat]
        owed = earned - self._paid
        self._paid = earned
        return float(owed)

    def _dealt_table(self) -> Table:
        if self.table is None:
            raise gymnasium.error.ResetNeeded("call reset() first")
        return self.table

    def _table_in_play(self) -> Table:
        table = self._dealt_table()
        if table.is_over:
            raise gymnasium.error.ResetNeeded(
                "the episode is over: call reset() for the next"
            )
        return table
