"""Registration: the environments by their ids in PettingZoo and in Gymnasium.

`pettingzoo.make("aec", "whist_env/whist-v0")`, the same with ``"parallel"``, and
`gymnasium.make("whist_env/Whist-v0")` work once whist_env is imported. Each game has
the module of its environment beside this one.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from whist_env.games import GAMES

VERSION = 0
"""The version of every environment so far."""


def register_environments() -> None:
    """Register the environments of every game, once."""
    for name in GAMES:
        _register_with_pettingzoo(name)
        _register_with_gymnasium(name)


def _register_with_pettingzoo(name: str) -> None:
    """Register with PettingZoo's registry, which came with its release 1.27."""
    if not hasattr(pettingzoo, "register"):
        return
    id = f"whist_env/{name}-v{VERSION}"
    module = f"whist_env.{name}_v{VERSION}"
    if id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", id, f"{module}:env")
    if id not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", id, f"{module}:parallel_env")


def _register_with_gymnasium(name: str) -> None:
    id = f"whist_env/{name.title().replace('_', '')}-v{VERSION}"
    if id not in gymnasium.registry:
        gymnasium.register(
            id, entry_point="whist_env.envs.single:SeatEnv", kwargs={"name": name}
        )
