"""How strong a policy is while it trains, and the picture of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import whist_agents
from whist_agents.net import NetAgent, PolicyNetwork
from whist_env import Game, Tables, Views, game
from whist_train.evaluate import play_pairs
from whist_train.statistics import Estimate

OPPONENT: Final = "hoyle"
SEED: Final = 0
"""Every judgement of every run is on the same boards."""

MEASURED_DEALS: Final = 1000
IN_TRICKS: Final = ("whist", "dummy_whist", "german_whist", "chinese_whist")
"""Games that are about tricks: points there are tricks with honours, or above a book.
Tricks are paid as they fall, which is easier to learn from."""

RUBBERS: Final = {"short5": "match", "robber": "settlement"}
"""The scoring presets of Whist that have rubbers, and what these are played for."""


def measure_of(name: str) -> str:
    """What a game is trained for and judged by: ``"tricks"`` or ``"points"``."""
    return "tricks" if name in IN_TRICKS else "points"


def training_game(name: str, players: int | None, rubber: str | None = None) -> Game:
    """A game as it is trained for: single deals, rewarded by its measure.

    Args:
        name: the name of the game.
        players: the number of players, in games for several numbers.
        rubber: a scoring preset of Whist, for rubbers in place of single deals.

    Raises:
        TypeError: the number of players is given and the game has no such option.
        ValueError: there is no such game, or it is not for so many players.
    """
    if rubber is not None:
        reward = RUBBERS[rubber]
        return game(name, scoring=rubber, episode="rubber", reward=reward)
    options: dict[str, Any] = {} if players is None else {"players": players}
    return game(name, reward=measure_of(name), **options)


def judge(policy: PolicyNetwork, pairs: int) -> Estimate:
    """What a policy makes against the rule-of-thumb player at duplicate, a deal.

    One that was trained for rubbers plays those: how many it wins above a half.
    """
    agent, made_for = NetAgent(policy), policy.sight.game
    played = play_pairs(agent, OPPONENT, made_for, pairs, SEED)
    policy.train()
    options: Any = made_for.options
    of_rubbers = getattr(options, "episode", "deal") == "rubber"
    return played.estimates()["won" if of_rubbers else measure_of(made_for.name)]


def usual_return(made_for: Game) -> float:
    """The spread of what a deal brings where all play by rules of thumb.

    It is the standard deviation, rounded to one digit.
    """
    spread = float(_returns(made_for).std())
    if not spread:
        return 1.0
    digit = 10.0 ** math.floor(math.log10(spread))
    return round(spread / digit) * digit


def _returns(made_for: Game) -> npt.NDArray[np.float64]:
    """What an episode brought each agent, ``(MEASURED_DEALS, agents)``."""
    player = whist_agents.load(OPPONENT)
    tables = Tables(made_for, MEASURED_DEALS, SEED, dtype=np.int8)
    chance = np.random.PCG64(SEED)
    batch = tables.reset()
    totals = np.zeros((MEASURED_DEALS, made_for.num_agents))
    playing = np.ones(MEASURED_DEALS, np.bool_)
    while playing.any():
        bits = chance.random_raw(MEASURED_DEALS)
        views = Views(made_for, batch.observation, batch.action_mask, bits)
        batch = tables.step(player.act(views))
        totals[playing] += batch.rewards[playing]
        playing &= ~batch.done
    return totals


# The picture ------------------------------------------------------------------------

WIDTH, HEIGHT, MARGIN, LINE = 640, 360, 56, 16


def draw_curve(metrics: Path, picture: Path, title: str) -> None:
    """Draw the strength by deals, with 95% intervals, from the lines of a run."""
    rows = [json.loads(line) for line in metrics.read_text("utf-8").splitlines()]
    judged = [row for row in rows if "strength" in row]
    if judged:
        picture.write_text(_curve(judged, title), "utf-8")


def _curve(judged: list[dict[str, float]], title: str) -> str:
    deals = np.array([row["deals"] for row in judged], float)
    middle = np.array([row["strength"] for row in judged])
    reach = 1.96 * np.array([row["strength_error"] for row in judged])
    low, high = min(0, *(middle - reach)), max(0, *(middle + reach))
    room = (high - low) or 1.0

    def x(value: Any) -> Any:
        return MARGIN + (WIDTH - 2 * MARGIN) * value / max(1, deals.max())

    def y(value: Any) -> Any:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - low) / room

    bars = "".join(
        f'<path d="M{x(d):.1f} {y(m - r):.1f}V{y(m + r):.1f}" stroke="#9bb8d3"/>'
        for d, m, r in zip(deals, middle, reach, strict=True)
    )
    line = " ".join(
        f"{x(d):.1f},{y(m):.1f}" for d, m in zip(deals, middle, strict=True)
    )
    dots = "".join(
        f'<circle cx="{x(d):.1f}" cy="{y(m):.1f}" r="3"/>'
        for d, m in zip(deals, middle, strict=True)
    )
    texts = "".join(
        f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="{anchor}">{text}</text>'
        for left, top, anchor, text in (
            (WIDTH / 2, MARGIN / 2, "middle", title),
            (WIDTH / 2, HEIGHT - 12, "middle", "deals"),
            (MARGIN, HEIGHT - MARGIN + 18, "middle", "0"),
            (WIDTH - MARGIN, HEIGHT - MARGIN + 18, "middle", f"{deals.max():,.0f}"),
            (MARGIN - 6, y(0) + 4, "end", "0"),
            *(
                (MARGIN - 6, y(end) + 4, "end", f"{end:+.2g}")
                for end in (low, high)
                if abs(y(end) - y(0)) > LINE
            ),
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f'<path d="M{MARGIN} {y(0):.1f}H{WIDTH - MARGIN}" stroke="#888"/>'
        f'{bars}<polyline points="{line}" fill="none" stroke="#1f5a99" '
        f'stroke-width="2"/><g fill="#1f5a99">{dots}</g>'
        f'<g fill="#333">{texts}</g></svg>\n'
    )
