"""A cup: everything that decides what is played, read from a file of TOML."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import os
import secrets
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import whist_agents
import whist_env
from whist_agents.program import MOVE_LIMIT, START_LIMIT, split_command
from whist_agents.spec import settled
from whist_env import Game
from whist_env.engine.options import is_whole
from whist_env.envs.seeding import seed_word
from whist_train.rooms import refuse_imagining

FORMAT: Final = "whist_env.cup"
VERSION: Final = 1
"""What the first two fields of ``cup.json`` say."""

FORMATS: Final = ("round robin", "gauntlet", "swiss", "teams", "individual", "club")
"""What a cup can be."""

WITH_ROUNDS: Final = ("swiss", "club")
"""Formats whose number of rounds is chosen; that of others follows from the field."""

POLICIES: Final = ("forfeit", "fallback", "disqualify")
"""What becomes of an agent that does something wrong."""

_PROGRAM: Final = "cmd:"


@dataclasses.dataclass(frozen=True)
class Clock:
    """How long programs may take, in seconds.

    Attributes:
        start: until a program is ready, each time that it is started.
        deal: what it has for all actions of one deal; ``None`` for any time.
        increment: what it is given back after each action.
        move: the most that it may take for one action, however much it has.
    """

    start: float = START_LIMIT
    deal: float | None = None
    increment: float = 0.0
    move: float = MOVE_LIMIT

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = 0 if name == "increment" else 0.001
            if value is None and name == "deal":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"clock.{name}={value!r} must be a number of seconds")
            if not least <= value < 1e9:
                raise ValueError(f"clock.{name}={value!r} must be at least {least:g}")


@dataclasses.dataclass(frozen=True)
class Team:
    """A team of four: two pairs, of which one sits in each room.

    Attributes:
        name: its name.
        agents: the names of four agents: the first two are partners, as are the others.
    """

    name: str
    agents: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Cup:
    """What is played.

    Attributes:
        name: the name of the cup.
        format: one of `FORMATS`.
        game: the name of the game.
        options: its options.
        agents: the agents by their names, as specs, in the order of the file.
        boards: how many boards a meeting has; at the club table, how many episodes are
            played before the table is made up anew.
        rounds: how many rounds are played, where that can be chosen.
        teams: the teams, in a cup of teams.
        seed: the seed of the boards, of the cuts and of the agents' chance; ``None``
            to draw one when the cup is settled. Whoever can guess it knows all hands.
        faults: one of `POLICIES`: the episode is forfeited; another agent acts instead;
            or the episode is forfeited and all results of the agent are struck out.
        fallback: the agent that acts instead, a spec.
        clock: how long programs may take.
        budget: what programs are told that they may put into an action.

    Raises:
        ValueError: a value cannot be.
    """

    name: str
    format: str
    agents: Mapping[str, str]
    game: str = "whist"
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    boards: int = 32
    rounds: int | None = None
    teams: tuple[Team, ...] = ()
    seed: int | None = None
    faults: str = "forfeit"
    fallback: str = "random"
    clock: Clock = Clock()
    budget: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def entrants(self) -> tuple[str, ...]:
        """Who is ranked: the teams, or else the agents."""
        names = [team.name for team in self.teams] or list(self.agents)
        return tuple(names)

    def made_game(self) -> Game:
        """The game with its options, from which all tables of the cup are made."""
        # By the laws the lowest cut deals; it is given seat 0.
        dealer = {"dealer": 0} if self.format == "club" else {}
        return _game(self.game, json.dumps(dealer | dict(self.options)))

    def settled(self) -> Self:
        """The same cup with a seed, where specs stand for the same agents for good."""
        seed = secrets.randbits(64) if self.seed is None else self.seed
        return dataclasses.replace(self.with_specs(settled), seed=seed)

    def with_specs(self, changed: Callable[[str], str]) -> Self:
        """The same cup, where every spec is another."""
        agents = {name: changed(spec) for name, spec in self.agents.items()}
        return dataclasses.replace(self, agents=agents, fallback=changed(self.fallback))

    @property
    def settled_seed(self) -> int:
        """The seed of a settled cup.

        Raises:
            ValueError: none was given, and none has been drawn yet.
        """
        if self.seed is None:
            raise ValueError("the cup has no seed yet: settled() draws one")
        return self.seed

    def is_program(self, agent: str) -> bool:
        """Whether an agent is another program."""
        return self.agents[agent].startswith(_PROGRAM)

    def command(self, agent: str) -> str:
        """The command of an agent that is a program."""
        return self.agents[agent].removeprefix(_PROGRAM)

    def to_json(self) -> str:
        """Everything, as text that `from_json` takes back."""
        fields = {"format": FORMAT, "version": VERSION, "cup": dataclasses.asdict(self)}
        return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str = "cup.json") -> Self:
        """The cup that `to_json` wrote.

        Raises:
            ValueError: the text is none, or of another version.
        """
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{source} is damaged: {error}") from None
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ValueError(f'{source}: this is no cup: it has no "format"')
        if fields.get("version") != VERSION:
            raise ValueError(
                f"{source} is of version {fields.get('version')!r}, and this program "
                f"reads version {VERSION}"
            )
        cup = fields["cup"]
        teams = tuple(Team(t["name"], tuple(t["agents"])) for t in cup["teams"])
        return cls(**cup | {"teams": teams, "clock": Clock(**cup["clock"])})


def read_cup(path: str | os.PathLike[str]) -> Cup:
    """The cup that a file of TOML describes.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no TOML, or a value cannot be; the message names it.
    """
    try:
        with open(path, "rb") as file:
            fields = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    try:
        return _cup_from(fields, Path(path).stem)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def _cup_from(fields: dict[str, Any], name: str) -> Cup:
    known = [field.name for field in dataclasses.fields(Cup)]
    _check_names("setting", fields, known)
    for wanted in ("format", "agents"):
        if wanted not in fields:
            raise ValueError(f"the setting {wanted!r} is missing")
    clock = _table("clock", fields.get("clock", {}))
    _check_names("setting of the clock", clock, vars(Clock()))
    if "fallback" in fields and fields.get("faults") != "fallback":
        raise ValueError(
            f"fallback={fields['fallback']!r} has a meaning only with "
            "faults = 'fallback'"
        )
    given: dict[str, Any] = {"name": name} | fields
    given["clock"] = Clock(**clock)
    given["agents"] = _agents(fields["agents"])
    given["options"] = _table("options", fields.get("options", {}))
    given["teams"] = tuple(
        Team(team, _names(f"the team {team!r}", members))
        for team, members in _table("teams", fields.get("teams", {})).items()
    )
    return Cup(**given)


def _agents(value: Any) -> dict[str, str]:
    """Agents as a list of specs, which are their names, or as a table of them."""
    if isinstance(value, list):
        specs = _names("agents", value)
        if len(set(specs)) < len(specs):
            raise ValueError(
                "agents has one spec twice; give each a name of its own in a table "
                "[agents]: name = 'spec'"
            )
        return dict(zip(specs, specs, strict=True))
    return dict(_table("agents", value))


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a table, not {value!r}")
    return value


def _names(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ValueError(f"{what} must be a list of texts, not {value!r}")
    return tuple(value)


def _check_names(what: str, given: Mapping[str, Any], known: Any) -> None:
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(known)
            raise ValueError(f"there is no {what} {name!r}{hint}; there are {listed}")


@functools.lru_cache(64)
def _game(name: str, options: str) -> Game:
    return whist_env.game(name, **json.loads(options))


# Checks -----------------------------------------------------------------------------


def _check(cup: Cup) -> None:
    _check_choice("format", cup.format, FORMATS)
    _check_choice("faults", cup.faults, POLICIES)
    if not isinstance(cup.name, str):
        raise ValueError(f"name={cup.name!r} must be a text")
    if not is_whole(cup.boards, 1, 1 << 31):
        raise ValueError(f"boards={cup.boards!r} must be a whole number from 1")
    if cup.budget is not None and not is_whole(cup.budget, 1, 1 << 53):
        raise ValueError(f"budget={cup.budget!r} must be a whole number from 1")
    if cup.seed is not None:
        seed_word(cup.seed)
    _check_rounds(cup)
    game = cup.made_game()
    _check_agents(cup)
    _check_field(cup, game)


def _check_choice(name: str, value: Any, values: Sequence[str]) -> None:
    if value not in values:
        near = difflib.get_close_matches(str(value), values, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(
            f"{name}={value!r} must be one of " + ", ".join(map(repr, values)) + hint
        )


def _check_rounds(cup: Cup) -> None:
    if cup.format in WITH_ROUNDS:
        if not is_whole(cup.rounds, 1, 1 << 31):
            raise ValueError(
                f"rounds={cup.rounds!r} must be a whole number from 1: the format "
                f"{cup.format!r} needs it"
            )
    elif cup.rounds is not None:
        raise ValueError(
            f"rounds={cup.rounds!r} has no meaning: in the format {cup.format!r} it "
            "follows from the field"
        )


def _check_agents(cup: Cup) -> None:
    for name, spec in [*cup.agents.items(), ("fallback", cup.fallback)]:
        if not isinstance(spec, str):
            raise ValueError(f"agent {name!r}: {spec!r} is not a spec, such as 'hoyle'")
        if spec.startswith(_PROGRAM):
            split_command(spec.removeprefix(_PROGRAM))
        elif spec.partition(":")[0] == "oracle":
            raise ValueError(f"agent {name!r} sees all hands and is no fair agent")
    if cup.fallback.startswith(_PROGRAM):
        raise ValueError(
            f"fallback={cup.fallback!r} must be an agent that cannot fail, such as "
            "'random' or 'hoyle', and no program"
        )


def _check_field(cup: Cup, game: Game) -> None:
    """Whether the format takes this game and so many entrants."""
    if cup.format == "teams" and not cup.teams:
        raise ValueError(
            "the format 'teams' needs teams: give each the names of its four agents "
            "in a table [teams]"
        )
    if cup.teams and cup.format != "teams":
        raise ValueError(f"teams have no meaning in the format {cup.format!r}")
    for team in cup.teams:
        unknown = [agent for agent in team.agents if agent not in cup.agents]
        if unknown or len(team.agents) != 4:
            raise ValueError(
                f"the team {team.name!r} must have the names of four agents, not "
                f"{list(team.agents)}"
            )
    if cup.format in ("teams", "individual", "club") and game.num_agents != 4:
        raise ValueError(
            f"the format {cup.format!r} needs four agents at a table, and "
            f"{cup.game} has {game.num_agents}"
        )
    if cup.format == "teams" and len(set(game.rules.partners)) != 2:
        raise ValueError(f"teams need partners, and {cup.game} has none")
    least, most = {"individual": (4, 64), "club": (4, 6)}.get(cup.format, (2, 1000))
    if not least <= len(cup.entrants) <= most:
        raise ValueError(
            f"the format {cup.format!r} takes {least} to {most} entrants, not "
            f"{len(cup.entrants)}"
        )


def load_all(cup: Cup) -> None:
    """Load every agent that is no program once, so that a wrong spec is found early.

    Raises:
        ValueError: there is no such agent, or it imagines hands, which the rules of the
            cup do not let it.
        FileNotFoundError: there is no network at a path.
        ImportError: a library that an agent needs is not installed.
    """
    for spec in {*cup.agents.values(), cup.fallback}:
        if not spec.startswith(_PROGRAM):
            refuse_imagining(whist_agents.load(spec), repr(spec), cup.made_game())
