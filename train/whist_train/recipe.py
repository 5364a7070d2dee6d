"""Recipes: a budget and settings of the algorithms that go together."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any, Final

from whist_train.dmc import DMCConfig
from whist_train.ppo import PPOConfig

FOLDER: Final = Path(__file__).parent / "recipes"
NAMES: Final = ("quick", "hour", "flagship")
USUAL: Final = "quick"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What a recipe decides.

    Attributes:
        minutes: the time of training.
        ppo: settings of PPO.
        dmc: settings of deep Monte Carlo.
    """

    minutes: float
    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)
    dmc: DMCConfig = dataclasses.field(default_factory=DMCConfig)


def read_recipe(name: str) -> Recipe:
    """A recipe of the house, or one of your own.

    Args:
        name: ``"quick"``, ``"hour"``, ``"flagship"``, or the path of a TOML file with
            ``minutes`` and the tables ``[ppo]`` and ``[dmc]`` of what differs from
            `PPOConfig` and from `DMCConfig`.

    Raises:
        ValueError: there is no such recipe, or it cannot be read.
    """
    path = FOLDER / f"{name}.toml" if name in NAMES else Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise ValueError(
            f"there is no recipe {name!r}; the recipes are {', '.join(NAMES)}, or the "
            "path of a file of your own that ends in .toml"
        )
    try:
        values = tomllib.loads(path.read_text("utf-8"))
        ppo = PPOConfig(**with_tuples(values.pop("ppo", {})))
        dmc = DMCConfig(**with_tuples(values.pop("dmc", {})))
        return Recipe(**values, ppo=ppo, dmc=dmc)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"the recipe {path} cannot be read: {error}") from None


def with_tuples(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings from a file, where a tuple is written as a list."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in settings.items()
    }
