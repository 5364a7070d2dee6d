"""Golden playthroughs: an episode written down, so that a change shows as a diff.

    python tests/playthrough.py        # writes tests/golden anew: read the diff

Every step of the first deal shows the table as the agent to act sees it, all that it
observes by name, its legal actions, its action and the rewards. What the other agents
observe, and the state, stand as digests. Later deals of an episode are one line each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import whist_env
from whist_env import Game, Table
from whist_env.cards import card_name
from whist_env.engine.features import Feature
from whist_env.render.text import table_text

GOLDEN = Path(__file__).parent / "golden"
EPISODES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"whist_{scoring}": ("whist", {"scoring": scoring, "episode": "game"})
        for scoring in ("awl", "american", "hoyle7", "short5", "to25", "robber")
    },
    "whist_short5_rubber": (
        "whist",
        {"scoring": "short5", "episode": "rubber", "reward": "settlement"},
    ),
    "whist_deals3_tricks": (
        "whist",
        {"deals": 3, "reward": "tricks", "history": "last_trick"},
    ),
}


def playthrough(name: str, options: dict[str, Any], seed: int = 20) -> str:
    """The text of an episode of random play."""
    return "\n".join(_lines(whist_env.game(name, **options), seed)) + "\n"


def _lines(game: Game, seed: int) -> Iterator[str]:
    yield f"{game!r}, seed {seed}"
    yield f"{game.features.size} features, {game.num_actions} actions"
    table = game.new_table(seed=seed)
    chance = np.random.default_rng(seed)
    step = 0
    while not table.is_over:
        first_deal = table.record.deals_played == 0
        if first_deal:
            yield from _position(table, step)
        agent, legal = table.agent, table.legal_actions()
        action = int(chance.choice(legal))
        deals = table.record.deals_played
        table.apply(action)
        if first_deal:
            yield f"player_{agent} chooses {game.action_names[action]}"
            yield f"rewards {table.rewards()}"
        elif table.record.deals_played > deals or table.is_over:
            yield f"deal {deals + 1}: rewards {table.rewards()} {_scores(table)}"
        step += 1
    yield f"the end after {step} actions: returns {table.returns()} {_scores(table)}"
    yield table_text(table, "all")


def _position(table: Table, step: int) -> Iterator[str]:
    game = table.game
    yield f"\n# {step}"
    yield table_text(table, "agent").rstrip()
    observation = table.observe(out=np.empty(game.features.size, np.int8))
    for feature in game.features.features:
        text = _in_words(feature, game.features.part(observation, feature.name))
        if text:
            yield f"{feature.name}: {text}"
    others = (_digest(table.observe(agent)) for agent in range(game.num_agents))
    yield f"observations {' '.join(others)} state {_digest(table.state())}"
    legal = [game.action_names[action] for action in table.legal_actions()]
    yield f"legal {' '.join(legal)}"


def _in_words(feature: Feature, part: np.ndarray) -> str:
    """The numbers that are not 0, each by its place and, if not 1, with its value."""
    words = []
    for place in np.argwhere(part):
        value = int(part[tuple(place)])
        names = [
            card_name(int(index)) if counts == "card" else str(index)
            for counts, index in zip(feature.axes, place, strict=True)
        ]
        words.append("/".join(names) + (f"={value}" if value != 1 or not names else ""))
    return " ".join(words)


def _scores(table: Table) -> str:
    record = table.record
    return (
        f"score {record.score.tolist()} games {record.games.tolist()} "
        f"points {record.points.tolist()} settlement {record.settlement.tolist()}"
    )


def _digest(values: np.ndarray) -> str:
    return hashlib.sha256(values.astype(np.int8).tobytes()).hexdigest()[:8]


def main() -> None:
    """Write every golden file anew."""
    GOLDEN.mkdir(exist_ok=True)
    for title, (name, options) in EPISODES.items():
        (GOLDEN / f"{title}.txt").write_text(playthrough(name, options))


if __name__ == "__main__":
    main()
