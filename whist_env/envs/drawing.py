"""Drawing: what an environment's `render` gives in each of its modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from whist_env.envs.game import Game
from whist_env.envs.table import Table

if TYPE_CHECKING:
    from whist_env.render.scene import Viewer

Drawing: TypeAlias = str | npt.NDArray[np.uint8] | None

RENDER_MODES: Final = ("ansi", "human", "rgb_array", "svg")
FRAMES_PER_SECOND: Final = 2


def check_drawing(game: Game, render_mode: str | None, viewer: Any) -> None:
    """Refuse what `draw` cannot draw.

    Raises:
        ValueError: there is no such render mode or no such viewer.
    """
    if render_mode is not None and render_mode not in RENDER_MODES:
        modes = ", ".join(repr(mode) for mode in RENDER_MODES)
        raise ValueError(f"render_mode={render_mode!r} is not one of {modes} or None")
    agents = game.num_agents
    if viewer not in ("agent", "all", *range(agents)):
        raise ValueError(
            f"viewer={viewer!r} must be 'agent' (the agent to act), 'all', or an agent "
            f"from 0 to {agents - 1}"
        )


def draw(table: Table, render_mode: str | None, viewer: Viewer) -> Drawing:
    """Draw a table.

    Args:
        table: the table.
        render_mode: ``"ansi"`` for a text, ``"human"`` to print that text, ``"svg"``
            for a picture, ``"rgb_array"`` for that picture in pixels; with ``None``
            there is a warning and no drawing.
        viewer: whose cards are shown.

    Returns:
        A text, ``None``, an SVG document, or ``(height, width, 3)`` uint8.
    """
    if render_mode is None:
        gymnasium.logger.warn(
            "render() draws nothing without a render mode: make the environment with "
            "render_mode='ansi', or another of " + ", ".join(map(repr, RENDER_MODES))
        )
        return None
    if render_mode in ("ansi", "human"):
        return _write(table, viewer, printed=render_mode == "human")
    return _paint(table, viewer, pixels=render_mode == "rgb_array")


# What draws is imported here, and only if it is needed: most runs draw nothing.


def _write(table: Table, viewer: Viewer, *, printed: bool) -> str | None:
    from whist_env.render.text import table_text

    text = table_text(table, viewer)
    if not printed:
        return text
    print(text)
    return None


def _paint(table: Table, viewer: Viewer, *, pixels: bool) -> Drawing:
    from whist_env.render.svg import table_svg

    picture = table_svg(table, viewer)
    if not pixels:
        return picture
    from whist_env.render.pixels import svg_pixels

    return svg_pixels(picture)
