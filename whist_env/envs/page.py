"""The page of an environment: its documentation, with every table made from the code.

The module of an environment holds the prose, in the form of PettingZoo's own pages. The
parts that the code knows better than its author are made here and put in their places.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from whist_env.cards import CARDS, RANKS_IN_SUIT, SUIT_NAMES
from whist_env.engine.features import Feature, FeatureTable
from whist_env.envs.aec import GameEnv
from whist_env.envs.game import Game

REWARDS = "### Rewards\n"
HISTORY = "### Version History\n"


def environment_page(env: GameEnv, prose: str) -> str:
    """The documentation of an environment.

    Args:
        env: the environment as it is made without options.
        prose: what the game is; then a section of rewards and one of versions, under
            the headings `REWARDS` and `HISTORY`.

    Raises:
        ValueError: a heading is missing.
    """
    introduction, rewards, rest = prose.partition(REWARDS)
    rewarding, history, versions = rest.partition(HISTORY)
    if not rewards or not history:
        raise ValueError(f"the prose needs the headings {REWARDS!r} and {HISTORY!r}")
    parts = (
        f"# {env.game.rules.title}",
        _overview(env),
        introduction,
        _phase_section(env.game),
        _observation_section(env.game),
        _action_section(env.game),
        rewards + rewarding,
        _argument_section(env.game),
        history + versions,
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _overview(env: GameEnv) -> str:
    name, _, version = str(env).rpartition("_")
    features = env.game.features
    low, high = features.low.min(), features.high.max()
    rows = (
        ("Actions", "Discrete"),
        ("Parallel API", "Yes: all hand in an action, that of one agent counts"),
        ("Manual Control", "No"),
        ("Agents", f"`agents= {env.possible_agents}`"),
        ("Agents", str(len(env.possible_agents))),
        ("Action Shape", "()"),
        ("Action Values", f"Discrete({env.game.num_actions})"),
        ("Observation Shape", f"({features.size},)"),
        ("Observation Values", f"[{low},{high}]"),
    )
    return _table(("Creation", f'`make("aec", "whist_env/{name}-{version}")`'), rows)


def _phase_section(game: Game) -> str:
    return f"""### Phases

{_table(("Phase", "What is done"), game.rules.phases)}"""


def _observation_section(game: Game) -> str:
    return f"""### Observation Space

The observation is a dictionary of an `'observation'`, described here, and an
`'action_mask'`, described below. With `mask_in="info"` it is the `'observation'` alone.
It holds what an agent with a perfect memory may know. Seats are counted from the
observer, who is 0, to the left. `game.features["{next(iter(game.features))}"]` is the
slice of a part.

{_table(("Index", "Part", "Shape", "Values", "Meaning"), _feature_rows(game.features))}

`state()` shows everything, for critics: {game.state_features.size} numbers, the same
ones and then {" and ".join(_parts_added(game))}.

#### Legal Actions Mask

The `action_mask` is an int8 vector with 1 for each legal action and 0 for the others.
It is all 0 for an agent that is not to act and for one whose episode is over (in the
parallel form it is all 1 for waiting agents). An illegal action raises `IllegalAction`
and changes nothing; with `illegal="forfeit"` it ends the episode against the side of
the agent, whose partner shares the loss."""


def _action_section(game: Game) -> str:
    return f"""### Action Space

{_table(("Action", "Meaning"), _action_rows(game))}"""


def _argument_section(game: Game) -> str:
    settings = [(f"`{name}`", text) for name, text in _documented(GameEnv)]
    position = [(f"`{name}`", text) for name, text in _documented(game.rules.set_up)]
    return f"""### Arguments

Options of the game:

{_table(("Option", "Default", "Values", "Meaning"), _option_rows(game))}

Settings of the environment:

{_table(("Setting", "Meaning"), settings)}

`reset(options=...)` begins from a given position; names that it does not know are
ignored, unless they look like one of these misspelt:

{_table(("Reset option", "Meaning"), position)}"""


def _feature_rows(features: FeatureTable) -> Iterator[tuple[str, ...]]:
    for feature in features.features:
        yield (
            _span(features[feature.name]),
            f"`{feature.name}`",
            _shape(feature),
            f"[{feature.low},{feature.high}]",
            feature.meaning,
        )


def _span(place: slice) -> str:
    first, last = place.start, place.stop - 1
    return str(first) if first == last else f"{first} ~ {last}"


def _shape(feature: Feature) -> str:
    lengths = zip(feature.axes, feature.shape, strict=True)
    return " x ".join(f"{length} {axis}s" for axis, length in lengths) or "1"


def _parts_added(game: Game) -> list[str]:
    return [
        f"`{f.name}` ({_shape(f)}): {f.meaning[0].lower()}{f.meaning[1:].rstrip('.')}"
        for f in game.state_features.features
        if f.name not in game.features
    ]


def _action_rows(game: Game) -> Iterator[tuple[str, str]]:
    names = game.action_names
    for suit, name in enumerate(SUIT_NAMES):
        first = RANKS_IN_SUIT * suit
        last = first + RANKS_IN_SUIT - 1
        yield f"{first} ~ {last}", f"{name}, `{names[first]}` to `{names[last]}`"
    for call in range(CARDS, game.num_actions):
        yield str(call), names[call]


def _option_rows(game: Game) -> Iterator[tuple[str, ...]]:
    for field in dataclasses.fields(game.rules.options):
        words = field.metadata.get("values")
        if words:
            values = ", ".join(f"`{word!r}`" for word in words)
        else:
            values = f"{field.metadata['low']} to {field.metadata['high']}"
            values += ", or `None`" if field.metadata["or_none"] else ""
        limits = " ".join(
            f"Only with `{other}`={' or '.join(repr(word) for word in only)}."
            for other, only in field.metadata["only"].items()
        )
        meaning = f"{field.metadata['meaning']} {limits}".strip()
        yield f"`{field.name}`", f"`{field.default!r}`", values, meaning


def _documented(described: Callable[..., Any]) -> list[tuple[str, str]]:
    """The keywords of a function or class and what its docstring says of each."""
    parameters = inspect.signature(described).parameters.values()
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    texts: dict[str, str] = {}
    name = ""
    _, _, arguments = (inspect.getdoc(described) or "").partition("\nArgs:\n")
    for line in arguments.splitlines():
        first, colon, rest = line.partition(":")
        if line.startswith("    ") and line[4:5].strip() and colon:
            name = first.strip()
            texts[name] = rest.strip()
        elif line.startswith("        ") and name:
            texts[name] += f" {line.strip()}"
        elif line:
            break
    return [
        (name, text.replace("``", "`"))
        for name, text in texts.items()
        if name in keywords
    ]


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    rule = ("---",) * len(heads)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))
