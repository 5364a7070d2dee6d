"""Whist_env: the whist family of card games as reinforcement-learning environments."""

from __future__ import annotations

from typing import Any, Final, Literal, SupportsIndex, overload

from whist_env.envs.aec import GameEnv, ParallelGameEnv
from whist_env.envs.cuda_vector import CudaTables
from whist_env.envs.game import Game, IllegalAction, game
from whist_env.envs.play import RandomPlayer, play_episode
from whist_env.envs.single import SeatEnv
from whist_env.envs.table import Table
from whist_env.envs.vector import Batch, Tables
from whist_env.envs.view import Player, View, Views
from whist_env.games import GAMES
from whist_env.registration import register_environments
from whist_env.solver import (
    Account,
    Solution,
    SolverLimit,
    account,
    solve,
    sum_accounts,
)
from whist_env.worlds import Worlds

__version__: Final = "0.1.0"

__all__ = [
    "Account",
    "Batch",
    "CudaTables",
    "Game",
    "GameEnv",
    "IllegalAction",
    "ParallelGameEnv",
    "Player",
    "RandomPlayer",
    "SeatEnv",
    "Solution",
    "SolverLimit",
    "Table",
    "Tables",
    "View",
    "Views",
    "Worlds",
    "account",
    "game",
    "games",
    "play_episode",
    "single",
    "solve",
    "sum_accounts",
    "vector",
]


def games() -> list[str]:
    """The names of all games."""
    return list(GAMES)


@overload
def vector(
    name: str,
    num_tables: int,
    seed: SupportsIndex | None = None,
    *,
    device: Literal["cpu"] = "cpu",
    **settings: Any,
) -> Tables: ...


@overload
def vector(
    name: str,
    num_tables: int,
    seed: SupportsIndex | None = None,
    *,
    device: Literal["cuda"],
    **settings: Any,
) -> CudaTables: ...


def vector(
    name: str,
    num_tables: int,
    seed: SupportsIndex | None = None,
    *,
    device: str = "cpu",
    **settings: Any,
) -> Tables | CudaTables:
    """Many tables of a game, stepped together.

    Args:
        name: the name of the game.
        num_tables: how many tables.
        seed: the seed of all their random streams; ``None`` draws one.
        device: ``"cpu"``, or ``"cuda"`` for tables on an NVIDIA GPU, which gives the
            same results in arrays on the GPU (`CudaTables`; the extra ``cuda``).
        **settings: ``dtype``, ``observations`` and, on the CPU, ``threads`` as `Tables`
            takes them; all others are options of the game.

    Raises:
        ValueError: there is no such game, device or value of a setting.
        ImportError: the device is ``"cuda"``, and the extra is not installed.
        RuntimeError: the device is ``"cuda"``, and there is no GPU.
    """
    own = ("dtype", "observations", "threads")
    options = {key: value for key, value in settings.items() if key not in own}
    how = {key: value for key, value in settings.items() if key in own}
    if device == "cpu":
        return Tables(game(name, **options), num_tables, seed, **how)
    if device != "cuda":
        raise ValueError(f"device={device!r} must be 'cpu' or 'cuda'")
    if "threads" in how:
        raise ValueError(
            "threads are of a CPU; with device='cuda' each table has one of its own"
        )
    return CudaTables(game(name, **options), num_tables, seed, **how)


def single(name: str, **settings: Any) -> SeatEnv:
    """One seat of a game as a Gymnasium environment.

    Args:
        name: the name of the game.
        **settings: ``seat``, ``others``, ``render_mode``, ``dtype`` and ``viewer`` as
            `SeatEnv` takes them; all others are options of the game.
    """
    return SeatEnv(name, **settings)


register_environments()
