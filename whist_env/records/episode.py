"""An episode as it is recorded: what it began from and every action, by name.

A table keeps no log: its record is a position. An episode is rebuilt by playing its
actions again, so that whatever is read from a file has been through the rules.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import html
import json
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self, SupportsIndex

import numpy as np

from whist_env.engine.options import is_whole
from whist_env.envs.game import Game, IllegalAction, game
from whist_env.envs.seeding import seed_word
from whist_env.envs.table import Table, restart_stream

FORMAT: Final = "whist_env.episode"
VERSION: Final = 1
"""What the first two fields of a record say; another meaning is another version."""

_LARGEST_SEED: Final = (1 << 64) - 1
_MANY: Final = (1 << 63) - 1


class RecordError(ValueError):
    """A record that cannot be, or whose episode the rules forbid."""


class DamagedRecord(RecordError):
    """A text that is no JSON, such as the first half of a line."""


@dataclasses.dataclass(frozen=True)
class Start:
    """What an episode began from: enough to lay the same table again.

    Attributes:
        seed: the seed of the table's random stream, below 2**64.
        deals: how many deals the stream had made before this episode.
        actions: how many actions had been taken at the table since it was seeded;
            random play depends on it.
        position: the position, as the game's ``set_up`` takes it; empty for a deal
            from the stream.
    """

    seed: int
    deals: int = 0
    actions: int = 0
    position: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_whole("seed", self.seed, _LARGEST_SEED)
        _check_whole("deals", self.deals, _MANY)
        _check_whole("actions", self.actions, _MANY)
        position = {
            name: _plain(value)
            for name, value in self.position.items()
            if value is not None
        }
        object.__setattr__(self, "position", position)

    def table(self, played: Game) -> Table:
        """The table at the start of the episode.

        Raises:
            TypeError: a position of this game has no part of some name.
            ValueError: the position cannot be.
        """
        records = played.new_records(1)
        restart_stream(records, np.uint64(self.seed))
        records["deal_number"] = self.deals - 1
        records["actions_taken"] = self.actions
        table = Table(played, records.view(np.uint8))
        table.reset(**self.position)
        return table


@dataclasses.dataclass(frozen=True)
class Fault:
    """Something that an agent did wrong.

    Attributes:
        action: the number, from 1, of the action that it was asked for.
        agent: whose fault it was.
        kind: what it was, such as ``"timeout"`` or ``"illegal"``.
        reply: what the agent answered, word for word; ``None`` if it did not.
    """

    action: int
    agent: int
    kind: str
    reply: str | None = None


@dataclasses.dataclass(frozen=True)
class Episode:
    """An episode that was played, in whole or in part.

    Attributes:
        game: the game with its options.
        start: what the episode began from.
        agents: the name of each agent.
        actions: every action in turn, by its name.
        returns: what the episode earned each agent; ``None`` if it is not over.
        forfeit: whether the agent to act after the last action forfeited.
        times: the seconds that each action took.
        faults: what went wrong.
        notes: whatever else its driver wants to keep, such as the number of a board.
        source: the file and the line from which it was read; no part of the record.

    Raises:
        RecordError: a value cannot be. Whether the rules allow the actions is found
            out by `replay`.
    """

    game: Game
    start: Start
    agents: tuple[str, ...]
    actions: tuple[str, ...]
    returns: tuple[float, ...] | None
    forfeit: bool = False
    times: tuple[float, ...] | None = None
    faults: tuple[Fault, ...] = ()
    notes: Mapping[str, str | float | bool | None] = dataclasses.field(
        default_factory=dict
    )
    source: str = dataclasses.field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("agents", "actions", "returns", "times", "faults"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, tuple(value))
        _check_episode(self)

    @classmethod
    def played(
        cls,
        game: Game,
        start: Start,
        agents: Sequence[str],
        actions: Sequence[str],
        **others: Any,
    ) -> Self:
        """An episode whose actions are played, which finds out what they earned.

        Args:
            game: the game with its options.
            start: what the episode begins from.
            agents: the name of each agent.
            actions: the actions by name; the episode may end with the last or not.
            **others: the other attributes.

        Raises:
            RecordError: a value cannot be, or the rules forbid an action.
        """
        unfinished = cls(game, start, tuple(agents), tuple(actions), None, **others)
        *_, table = unfinished._tables()
        if not table.is_over:
            return unfinished
        return dataclasses.replace(unfinished, returns=tuple(table.returns()))

    def replay(self) -> Iterator[Table]:
        """The table at the start, and then as it stands after each action.

        Each is a table of its own. After a forfeit there is one more.

        Raises:
            RecordError: the position cannot be, the rules forbid an action, or the
                returns are not those of the record.
        """
        for table in self._tables():
            yield table.clone()
        self._check_returns(table)

    def last_table(self) -> Table:
        """The table after everything that was recorded.

        Raises:
            RecordError: as `replay` raises it.
        """
        *_, last = self.replay()
        return last

    def to_json(self) -> str:
        """The record: one line of JSON, without its end."""
        return json.dumps(
            _to_fields(self), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )

    @classmethod
    def from_json(cls, text: str, source: str = "") -> Self:
        """The episode that `to_json` wrote.

        Args:
            text: one line of JSON.
            source: where it comes from, for messages of errors.

        Raises:
            DamagedRecord: it is no JSON.
            RecordError: it is JSON, but no such record; the message says why.
        """
        where = f"{source}: " if source else ""
        try:
            return cls(**_from_fields(_parsed(text)), source=source)
        except (json.JSONDecodeError, RecursionError) as error:
            raise DamagedRecord(f"{where}this is no JSON: {error}") from None
        except (TypeError, ValueError) as error:
            raise RecordError(f"{where}{error}") from None

    def _repr_html_(self) -> str:
        """What a notebook shows: the page of the episode, in a frame."""
        from whist_env.records.page import replay_page

        page = html.escape(replay_page(self))
        style = "width:100%;height:46rem;border:0"
        return f'<iframe title="Replay" style="{style}" srcdoc="{page}"></iframe>'

    def _tables(self) -> Iterator[Table]:
        """One table as it stands at the start and after each action."""
        try:
            table = self.start.table(self.game)
        except (TypeError, ValueError) as error:
            raise self._error(f"it cannot begin: {error}") from None
        yield table
        places = _places(self.game)
        for number, name in enumerate(self.actions, start=1):
            self._apply(table, number, places[name])
            yield table
        if self.forfeit:
            self._give_up(table)
            yield table

    def _apply(self, table: Table, number: int, action: int) -> None:
        try:
            table.apply(action)
        except IllegalAction as error:
            raise self._error(f"action {number}: {error}") from None

    def _give_up(self, table: Table) -> None:
        try:
            table.forfeit()
        except IllegalAction:
            raise self._error(
                f"nobody can forfeit after action {len(self.actions)}: the episode is "
                "over"
            ) from None

    def _check_returns(self, table: Table) -> None:
        if self.returns is None:
            if table.is_over:
                raise self._error(
                    "it has no returns, but the episode is over: they are "
                    f"{table.returns()}"
                )
        elif not table.is_over:
            raise self._error(
                f"it has returns, but after action {len(self.actions)} the episode is "
                "not over"
            )
        elif list(self.returns) != table.returns():
            raise self._error(
                f"its returns are {list(self.returns)}, but its actions give "
                f"{table.returns()}"
            )

    def _error(self, what: str) -> RecordError:
        return RecordError(f"{self.source}: {what}" if self.source else what)


class Recorder:
    """A table that keeps what is done at it.

    It is used in place of the table by whoever drives the agents::

        recorder = Recorder(game, agents=["hoyle", "random", "hoyle", "random"])
        recorder.reset(seed=7)
        while not recorder.table.is_over:
            recorder.apply(choose(recorder.table))
        write_jsonl("games.jsonl", [recorder.episode()])

    Attributes:
        table: the table itself, to be looked at; an action that is applied to it
            directly is not recorded.
        agents: the name of each agent.
    """

    def __init__(
        self, played: Game, agents: Sequence[str], seed: SupportsIndex | None = None
    ) -> None:
        """A table at the start of an episode.

        Args:
            played: the game.
            agents: the name of each agent.
            seed: the seed of the table's random stream; ``None`` draws one.
        """
        self.agents = tuple(agents)
        self.table = played.new_table(seed)
        self._begin(Start(int(self.table.record.seed)))

    def reset(self, seed: SupportsIndex | None = None, **position: Any) -> None:
        """Begin the next episode, as `Table.reset` does.

        Args:
            seed: begin the random stream anew; ``None`` goes on with fresh deals.
            **position: a position to begin from, as the game's ``set_up`` takes it.

        Raises:
            TypeError: there is no such part of a position; nothing is changed.
            ValueError: an impossible value; nothing is changed.
        """
        if seed is None:
            record = self.table.record
            word, deals = int(record.seed), int(record.deal_number) + 1
            actions = int(record.actions_taken)
        else:
            word, deals, actions = int(seed_word(seed)), 0, 0
        self.table.reset(seed, **position)
        self._begin(Start(word, deals, actions, position))

    def apply(self, action: SupportsIndex) -> None:
        """Carry out an action of the agent to act, and keep it.

        Raises:
            IllegalAction: the rules forbid it; nothing is changed.
            TypeError: the action is not a whole number.
        """
        self.table.apply(action)
        self._actions.append(self.table.game.action_names[operator.index(action)])

    def forfeit(self) -> None:
        """End the episode against the side of the agent to act.

        Raises:
            IllegalAction: the episode is over.
        """
        self.table.forfeit()
        self._forfeit = True

    def episode(
        self,
        *,
        times: Sequence[float] | None = None,
        faults: Sequence[Fault] = (),
        **notes: str | float | bool | None,
    ) -> Episode:
        """What was recorded since the start of the episode.

        Args:
            times: the seconds that each action took.
            faults: what went wrong.
            **notes: whatever else is to be kept.
        """
        return Episode(
            game=self.table.game,
            start=self._start,
            agents=self.agents,
            actions=tuple(self._actions),
            returns=tuple(self.table.returns()) if self.table.is_over else None,
            forfeit=self._forfeit,
            times=None if times is None else tuple(times),
            faults=tuple(faults),
            notes=notes,
        )

    def _begin(self, start: Start) -> None:
        self._start = start
        self._actions: list[str] = []
        self._forfeit = False


# Checks -----------------------------------------------------------------------------


def _check_whole(name: str, value: Any, most: int) -> None:
    if not is_whole(value, 0, most):
        raise RecordError(f"{name}={value!r} must be a whole number from 0 to {most}")


def _plain(value: Any) -> Any:
    """A value of a position, in a form that JSON can write and that compares equal."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Sequence):
        return tuple(_plain(part) for part in value)
    try:
        return operator.index(value)
    except TypeError:
        return value


@functools.cache
def _places(played: Game) -> dict[str, int]:
    """The number of each action by its name."""
    return {name: action for action, name in enumerate(played.action_names)}


def _check_episode(episode: Episode) -> None:
    agents = episode.game.num_agents
    _check_texts("agents", episode.agents, agents)
    places = _places(episode.game)
    for number, name in enumerate(episode.actions, start=1):
        if name not in places:
            near = difflib.get_close_matches(str(name), places, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise RecordError(
                f"action {number}: {name!r} is not an action of {episode.game.name}"
                f"{hint}"
            )
    if episode.returns is not None:
        _check_numbers("returns", episode.returns, agents)
    if episode.times is not None:
        _check_numbers("times", episode.times, len(episode.actions))
    if not isinstance(episode.forfeit, bool):
        raise RecordError(f"forfeit={episode.forfeit!r} must be true or false")
    if episode.forfeit and episode.returns is None:
        raise RecordError("an episode that was forfeited is over and has returns")
    for fault in episode.faults:
        _check_fault(fault, agents)
    for name, value in episode.notes.items():
        if not isinstance(value, str | int | float | None) or not _is_finite(value):
            raise RecordError(
                f"the note {name!r} is {value!r}; it must be a text, a number, true, "
                "false or null"
            )


def _check_texts(name: str, values: Sequence[Any], count: int) -> None:
    if len(values) != count or not all(isinstance(value, str) for value in values):
        raise RecordError(f"{name}={list(values)!r} must be {count} texts")


def _check_numbers(name: str, values: Sequence[Any], count: int) -> None:
    numbers = all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
    )
    if len(values) != count or not numbers or not all(map(_is_finite, values)):
        raise RecordError(f"{name}={list(values)!r} must be {count} numbers")


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _check_fault(fault: Fault, agents: int) -> None:
    if not is_whole(fault.action, 1, _MANY) or not is_whole(fault.agent, 0, agents - 1):
        raise RecordError(
            f"{fault!r} must have the number of an action, from 1, and an agent from "
            f"0 to {agents - 1}"
        )
    if not isinstance(fault.kind, str) or not isinstance(fault.reply, str | None):
        raise RecordError(f"{fault!r}: its kind and its reply must be texts")


# JSON -------------------------------------------------------------------------------

_REQUIRED: Final = ("format", "version", "game", "options", "start", "agents")
_FIELDS: Final = (
    *_REQUIRED,
    *("actions", "returns", "forfeit", "times", "faults", "notes"),
)


_KINDS: Final[dict[type[Any], str]] = {
    dict: "an object",
    list: "a list",
    str: "a text",
}


def _to_fields(episode: Episode) -> dict[str, Any]:
    """The fields of a record in order; what is empty and optional is left out."""
    start = episode.start
    began: dict[str, Any] = {"seed": str(start.seed)}
    for name in ("deals", "actions", "position"):
        if getattr(start, name):
            began[name] = getattr(start, name)
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": episode.game.name,
        "options": dataclasses.asdict(episode.game.options),
        "start": began,
        "agents": episode.agents,
        "actions": episode.actions,
        "returns": episode.returns,
    }
    if episode.forfeit:
        fields["forfeit"] = True
    if episode.times is not None:
        fields["times"] = episode.times
    if episode.faults:
        fields["faults"] = [dataclasses.asdict(fault) for fault in episode.faults]
    if episode.notes:
        fields["notes"] = dict(episode.notes)
    return fields


def _parsed(text: str) -> dict[str, Any]:
    """The fields of a record of this version."""
    fields = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise RecordError(f'this is no record: it has no "format":"{FORMAT}"')
    if fields.get("version") != VERSION:
        raise RecordError(
            f"it is of version {fields.get('version')!r} of the format, and this "
            f"program reads version {VERSION}"
        )
    return fields


def _refuse_constant(name: str) -> Any:
    raise RecordError(f"{name} is not a number of JSON")


def _from_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an `Episode` from the fields of its record."""
    _check_names("field", fields, _FIELDS, (*_REQUIRED, "actions", "returns"))
    options = _of_type("options", fields["options"], dict)
    return {
        "game": _game(_of_type("game", fields["game"], str), json.dumps(options)),
        "start": _start_from(_of_type("start", fields["start"], dict)),
        "agents": _of_type("agents", fields["agents"], list),
        "actions": _of_type("actions", fields["actions"], list),
        "returns": _list_or_none("returns", fields["returns"]),
        "forfeit": fields.get("forfeit", False),
        "times": _list_or_none("times", fields.get("times")),
        "faults": [
            _fault_from(_of_type("a fault", fault, dict))
            for fault in _of_type("faults", fields.get("faults", []), list)
        ],
        "notes": _of_type("notes", fields.get("notes", {}), dict),
    }


@functools.lru_cache(256)
def _game(name: str, options: str) -> Game:
    """The game of a record; a file of many records is of few games."""
    return game(name, **json.loads(options))


def _start_from(fields: dict[str, Any]) -> Start:
    _check_names("part of start", fields, ("seed", "deals", "actions", "position"), ())
    seed = fields.get("seed")
    if not isinstance(seed, str) or not (seed.isascii() and seed.isdigit()):
        raise RecordError(
            f'seed={seed!r} must be a text of digits, such as "7": many readers of '
            "JSON lose digits of large numbers"
        )
    position = _of_type("position", fields.get("position", {}), dict)
    return Start(int(seed), fields.get("deals", 0), fields.get("actions", 0), position)


def _fault_from(fields: dict[str, Any]) -> Fault:
    names = ("action", "agent", "kind", "reply")
    _check_names("part of a fault", fields, names, names[:3])
    return Fault(**fields)


def _check_names(
    what: str, fields: dict[str, Any], known: Sequence[str], required: Sequence[str]
) -> None:
    for name in fields:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise RecordError(
                f"there is no {what} {name!r}{hint}; what is your own belongs into "
                "notes"
            )
    for name in required:
        if name not in fields:
            raise RecordError(f"the {what} {name!r} is missing")


def _of_type(name: str, value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise RecordError(f"{name} must be {_KINDS[kind]}, not {value!r}")
    return value


def _list_or_none(name: str, value: Any) -> Any:
    return value if value is None else _of_type(name, value, list)
