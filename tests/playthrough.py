"""Playthroughs: everything that a game shows, step by step, as text.

The files in ``tests/golden`` are such texts. A change of behaviour shows there as a
readable difference. Where the change is meant, write the files anew and look at what
differs::

    python tests/playthrough.py [GAME ...]
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from whist_env.cards import SUITS, hand_text
from whist_env.engine.features import Feature, FeatureTable
from whist_env.engine.random import split_mix
from whist_env.envs.game import Game, game
from whist_env.envs.table import Table

GOLDEN = Path(__file__).parent / "golden"
WAYS: dict[str, tuple[dict[str, Any], ...]] = {
    "whist": (
        {"scoring": "awl", "episode": "game"},
        {"scoring": "american", "episode": "game", "reward": "tricks"},
        {"scoring": "hoyle7", "episode": "game", "reward": "match"},
        {"scoring": "short5", "episode": "rubber", "reward": "settlement"},
        {"scoring": "to25", "episode": "game", "history": "last_trick"},
        {"scoring": "robber", "episode": "rubber"},
        {"scoring": "awl"},
        {"scoring": "robber", "deals": 3},
    ),
    "dummy_whist": (
        {"deals": 3, "split": "half", "dummy_exposed": "after_lead"},
        {"players": 2},
    ),
    "bridge_whist": (
        {"episode": "rubber"},
        {"deals": 2, "max_trick_value": None, "chicane": "deducted"},
    ),
    "solo_whist": (
        {},
        {"stakes": "eb", "deals": 2, "decided_hands": "stop"},
    ),
    "boston": (
        {},
        {"failure_scale": "english", "deals": 5, "reward": "match"},
    ),
    "french_boston": (
        {},
        {"episode": "game", "deals": 3, "double_deals": 1, "reward": "match"},
    ),
    "boston_de_fontainebleau": (
        {},
        {"episode": "game", "suit_order": "HDCS", "reward": "match"},
    ),
    "russian_boston": (
        {},
        {"deals": 4, "carte_blanche": "auto"},
    ),
    "cayenne": (
        {"episode": "rubber"},
        {"deals": 2, "nullo_ace": "low", "reward": "tricks", "history": "last_trick"},
    ),
    "german_whist": (
        {"deals": 2},
        {"count": "last13", "reward": "tricks", "history": "last_trick"},
    ),
    "chinese_whist": (
        {"episode": "game", "reward": "settlement", "honours": True},
        {"players": 2, "history": "last_trick"},
    ),
    "polignac": (
        {"deals": 2, "settlement": "stacks", "stack": 6},
        {"players": 5, "announcements": "all", "rank": "KQJA10987"},
    ),
    "slobberhannes": (
        {"deals": 2},
        {"players": 3, "episode": "game", "game_end": "points", "revokes": "penalty"},
    ),
    "omnibus_hearts": (
        {"deals": 2, "pass_cycle": "left,right,across,hold", "lead": "2c"},
        {"players": 6, "hearts_broken": True, "no_points_first_trick": True},
    ),
}
"""The options of each playthrough: of Whist every preset, rubbers, three deals."""

SEEDS = {"boston_de_fontainebleau": 49, "russian_boston": 3940, "cayenne": 83}
"""The seed of a game's playthroughs, where another than 1 shows more."""


def file_of(name: str, options: dict[str, Any]) -> Path:
    """Where the playthrough of a game with these options is kept."""
    values = [f"{option}={value}" for option, value in options.items()]
    return GOLDEN / ("-".join([name, *values]) + ".txt")


def playthrough(name: str, options: dict[str, Any]) -> str:
    """An episode of a game: each step of its first deal, and what each deal left."""
    lines = _lines(game(name, **options), SEEDS.get(name, 1))
    return "\n".join(lines) + "\n"


def _lines(played: Game, seed: int) -> Iterator[str]:
    yield from _description(played, seed)
    table = played.new_table(seed)
    rewards: list[float] = [0] * played.num_agents
    while not table.is_over:
        if table.record.deal_number == 0:
            yield from _step(table)
        action = _choice(table, seed)
        deals = int(table.record.deals_played)
        table.apply(action)
        rewards = table.rewards()
        if deals == 0:
            yield f"action       {played.action_names[action]}"
            yield f"rewards      {_numbers(rewards)}"
        if table.record.deals_played > deals:
            yield from _summary(table, rewards)
    yield from _ending(table)


def _choice(table: Table, seed: int) -> int:
    """A legal action that depends on the number of the action alone."""
    legal = table.legal_actions()
    return legal[
        int(split_mix(np.uint64(seed), int(table.record.actions_taken))) % len(legal)
    ]


def _description(played: Game, seed: int) -> Iterator[str]:
    yield f"{played!r}, seed {seed}"
    yield f"{played.num_agents} agents, partners {played.rules.partners}"
    yield f"{played.num_actions} actions: {' '.join(played.action_names)}"
    yield f"positions: {' '.join(played.positions)}"
    for what, features in _feature_tables(played):
        yield f"{what}: {features.size} numbers"
        for feature in features.features:
            axes = " x ".join(
                f"{axis} {length}"
                for axis, length in zip(feature.axes, feature.shape, strict=True)
            )
            bounds = f"{feature.low} to {feature.high}"
            yield f"  {feature.name} [{axes}] {bounds}: {feature.meaning}"
    yield f"record: {played.rules.record.itemsize} bytes"
    for field, (kind, offset, *_) in (played.rules.record.fields or {}).items():
        yield f"  {offset:3} {field} {kind.base} {_numbers(kind.shape)}".rstrip()


def _feature_tables(played: Game) -> Iterator[tuple[str, FeatureTable]]:
    yield "observation", played.features
    only_in_state = [
        f for f in played.state_features.features if f.name not in played.features
    ]
    yield "state, after the observation", FeatureTable(*only_in_state)


def _step(table: Table) -> Iterator[str]:
    """Everything about a table that is to be played at."""
    record = table.record
    title = f"deal {record.deal_number + 1}, action {record.actions_taken + 1}"
    yield ""
    yield f"{'=' * 20} {title} {'=' * 20}"
    yield str(table)
    yield ""
    yield f"agent        {table.agent}"
    names = [table.game.action_names[action] for action in table.legal_actions()]
    yield f"legal        {' '.join(names)}"
    yield from _observation(table, table.agent)
    yield from _hidden(table, table.agent)
    others = [_digest(table, agent) for agent in range(table.game.num_agents)]
    yield f"digests      {' '.join(others)}"


def _digest(table: Table, agent: int) -> str:
    """What any agent observes, is shown as its mask and has as its state, in brief."""
    arrays = (table.observe(agent), table.action_mask(agent), table.state(agent))
    numbers = np.concatenate(arrays).astype(np.int8)
    return hashlib.sha256(numbers.tobytes()).hexdigest()[:8]


def _observation(table: Table, agent: int) -> Iterator[str]:
    yield f"observation of {agent}"
    features = table.game.features
    yield from _parts(table.game, features, table.observe(agent))


def _hidden(table: Table, agent: int) -> Iterator[str]:
    """The state, which begins with the observation."""
    state = table.state(agent)
    size = table.game.features.size
    assert (state[:size] == table.observe(agent)).all()
    yield f"state of {agent}"
    _, (_, hidden) = _feature_tables(table.game)
    yield from _parts(table.game, hidden, state[size:])


def _parts(played: Game, features: FeatureTable, numbers: Any) -> Iterator[str]:
    for feature in features.features:
        part = features.part(numbers, feature.name).astype(int)
        yield f"  {feature.name:18} {_compact(played, feature, part)}"


def _compact(played: Game, feature: Feature, part: Any) -> str:
    """The numbers of a feature that are not zero, by the names of their places."""
    if part.ndim == 0:
        return str(part)
    if part.ndim > 1:
        rows = [_compact_row(played, feature, row) for row in part]
        return " | ".join(rows) if part.any() else "-"
    return _compact_row(played, feature, part)


def _compact_row(played: Game, feature: Feature, row: Any) -> str:
    places = [
        _place(played, feature.axes[-1], place)
        + ("" if feature.high == 1 else f"={row[place]}")
        for place in np.flatnonzero(row).tolist()
    ]
    return " ".join(places) or "-"


def _place(played: Game, axis: str, place: int) -> str:
    if axis == "card":
        return played.action_names[place]
    return SUITS[place] if axis == "suit" else str(place)


def _summary(table: Table, rewards: list[float]) -> Iterator[str]:
    """What the end of a deal left: the whole record, with the next deal in it."""
    record = table.record
    yield ""
    yield f"{'=' * 20} after deal {record.deals_played} {'=' * 20}"
    yield f"rewards      {_numbers(rewards)}"
    for field in record.dtype.names:
        if field != "options":
            yield f"  {field:18} {_value(record[field])}"


def _value(value: Any) -> str:
    array = np.asarray(value)
    if array.dtype == np.uint64 and array.ndim:
        return " ".join(map(hand_text, array.tolist()))
    return _numbers(array.ravel().tolist())


def _ending(table: Table) -> Iterator[str]:
    """The end of the episode, as everyone sees it and as it is judged."""
    yield ""
    yield f"{'=' * 20} the end {'=' * 20}"
    yield str(table)
    yield ""
    yield f"returns      {_numbers(table.returns())}"
    finished = np.array([table.record], table.record.dtype)
    for name, measure in table.game.rules.measures.items():
        yield f"{name:12} {_numbers(measure(finished)[0].tolist())}"
    for agent in range(table.game.num_agents):
        yield from _observation(table, agent)
        yield from _hidden(table, agent)


def _numbers(values: Any) -> str:
    return " ".join(f"{value:g}" for value in values)


def main() -> None:
    """Write the files of some games, or of all, anew."""
    GOLDEN.mkdir(exist_ok=True)
    names = sys.argv[1:] or WAYS
    for name in names:
        for options in WAYS[name]:
            path = file_of(name, options)
            path.write_text(playthrough(name, options), "utf-8", newline="\n")
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
