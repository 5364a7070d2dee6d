"""Every agent with and against every other: cross-play.

Where partners share their result, every two of the agents, and every agent with itself,
form a partnership, and every partnership meets every other, or one reference. What two
make together above the mean of what each makes with itself is their cross-play gap:
agents that have learned to understand only themselves are found out by it. Where
everybody plays for itself, one of an agent meets a table of each other.

All encounters are played on the same boards, at duplicate: two partnerships meet at
four tables, at which each of the four agents has each of the four hands once (two
tables are enough where partners are one agent); a single agent has each hand of the
table in turn. Deals and the agents' chance are those of `whist_train.evaluate`.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

import whist_env
from whist_env import Game
from whist_train.evaluate import DEFAULT_DEALS, PER_DEAL, Control, versions
from whist_train.ratings import Cycle, Partnership, Ratings, Results, rate
from whist_train.rooms import (
    Agent,
    Block,
    Contestant,
    Sitting,
    admitted,
    blocks_of,
    measure_of,
    name_of,
    play_sittings,
    what_to_play,
)
from whist_train.statistics import Estimate, Interval, ratio_of_sums

LEAST_AGENTS: Final = 2
"""There is nothing to compare in fewer."""


@dataclasses.dataclass(frozen=True)
class Encounter:
    """Two sides that met.

    Attributes:
        sides: the two by number.
        margin: what the first makes, by the paired t test over boards: how far it is
            above the mean of the table, which between two sides is half the difference
            of their results. A measure that is already a difference between two sides,
            such as points of Whist, is that difference.
        won: boards that the first won over all tables.
        lost: boards that it lost.
        even: boards at which both made the same.
    """

    sides: tuple[int, int]
    margin: Estimate
    won: int
    lost: int
    even: int


@dataclasses.dataclass(frozen=True)
class CrossPlay:
    """Agents judged with and against one another; prints as tables with `rich.print`.

    Attributes:
        agents: the names of the agents.
        players: the agents that played; the path of a network is that of its file.
        against: the name of the reference that all met, ``None`` where all met all.
        game: the name of the game.
        options: all its options.
        measure: by which measure of the game they were judged.
        seed: the seed of the boards, the agents' chance and the bootstrap.
        boards: how many deals, or rubbers, each encounter has.
        tables: how many of them were played in all.
        sides: the agents of each side, by number; a reference that is none of the
            agents has the next.
        encounters: every two sides that met.
        ratings: what follows from all encounters for sides and agents.
        controls: for each agent a table of nothing else, played twice.
        versions: of what the result depends on.
    """

    agents: tuple[str, ...]
    players: tuple[str, ...]
    against: str | None
    game: str
    options: dict[str, Any]
    measure: str
    seed: int
    boards: int
    tables: int
    sides: tuple[tuple[int, ...], ...]
    encounters: tuple[Encounter, ...]
    ratings: Ratings
    controls: tuple[Control, ...]
    versions: dict[str, str]

    @property
    def episode(self) -> str:
        """What a board is: ``"deal"`` or ``"rubber"``."""
        return str(self.options.get("episode", "deal"))

    @property
    def unit(self) -> str:
        """What the figures are counted by: a deal or a rubber."""
        return "deal" if self.measure in PER_DEAL else self.episode

    def side_name(self, side: int) -> str:
        """The names of the agents of a side: ``"hoyle + random"``."""
        return " + ".join(self._names()[agent] for agent in self.sides[side])

    def to_json(self) -> str:
        """Everything, as text that `from_json` takes back.

        Where an interval has no end, that is null.
        """
        fields = _without_infinities(dataclasses.asdict(self))
        return json.dumps(fields, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The result that `to_json` wrote."""
        fields = json.loads(text)
        for name in ("agents", "players"):
            fields[name] = tuple(fields[name])
        fields["sides"] = tuple(map(tuple, fields["sides"]))
        fields["encounters"] = tuple(map(_encounter, fields["encounters"]))
        fields["ratings"] = _ratings(fields["ratings"])
        fields["controls"] = tuple(Control(**each) for each in fields["controls"])
        return cls(**fields)

    def __rich__(self) -> Group:
        """The tables that people read."""
        tables = [self._table_of_sides(), self._table_of_agents()]
        if self.ratings.partnerships:
            tables.append(self._table_of_partners())
        return Group(*tables, self._notes())

    def _names(self) -> tuple[str, ...]:
        if self.against is None or self.against in self.agents:
            return self.agents
        return (*self.agents, self.against)

    def _in_pairs(self) -> bool:
        return len(self.sides[0]) == 2

    def _table_of_sides(self) -> RichTable:
        """What each two make as partners, or what one makes at a table of another."""
        figures = self._partners() if self._in_pairs() else self._duels()
        columns = sorted({column for _, column in figures})
        what = "with" if self._in_pairs() else "one of, among"
        table = RichTable("", title=Text(f"{self.measure} per {self.unit}, {what}"))
        for column in columns:
            table.add_column(Text(self._names()[column]), justify="right")
        for row, name in enumerate(self.agents):
            cells = (figures.get((row, column)) for column in columns)
            table.add_row(
                Text(name), *("" if cell is None else f"{cell:+.3f}" for cell in cells)
            )
        return table

    def _partners(self) -> dict[tuple[int, ...], float]:
        """The strength of each two of the agents together."""
        strengths = {
            side: strength.value
            for side, strength in zip(self.sides, self.ratings.sides, strict=True)
            if max(side) < len(self.agents)
        }
        return strengths | {side[::-1]: value for side, value in strengths.items()}

    def _duels(self) -> dict[tuple[int, ...], float]:
        """What one agent makes at a table of another."""
        margins: dict[tuple[int, ...], float] = {
            each.sides: each.margin.mean for each in self.encounters
        }
        if self.against is not None:
            return margins
        return {sides[::-1]: -margin for sides, margin in margins.items()} | margins

    def _table_of_agents(self) -> RichTable:
        table = RichTable("agent", title=Text("Agents"))
        for heading in (f"{self.measure} per {self.unit}", "Elo", "control"):
            table.add_column(heading, justify="right")
        for agent, control in enumerate(self.controls):
            side = self.sides.index((agent,) * len(self.sides[0]))
            table.add_row(
                Text(self.agents[agent]),
                _in_words(self.ratings.agents[agent], "+.3f"),
                _in_words(self.ratings.elo[side], "+.0f"),
                f"{control.unequal} differ" if control.unequal else "0",
            )
        return table

    def _table_of_partners(self) -> RichTable:
        table = RichTable("partners", title=Text("Partners of two kinds"))
        table.add_column("cross-play gap", justify="right")
        for pair in self.ratings.partnerships:
            names = " + ".join(self.agents[agent] for agent in pair.agents)
            table.add_row(Text(names), _in_words(pair.gap, "+.3f"))
        if self.ratings.gap is not None:
            table.add_section()
            table.add_row("all", _in_words(self.ratings.gap, "+.3f"))
        return table

    def _notes(self) -> Text:
        zero = "the mean of all sides" if self.against is None else self.against
        options = whist_env.game(self.game, **self.options)
        met = len(self.encounters)
        encounters = "1 encounter" if met == 1 else f"{met} encounters"
        lines = [
            f"0 is {zero}. {self._meaning()}",
            f"Largest cycle: {self._cycle_in_words()}.",
            f"{encounters} on the same {self.boards} "
            f"{self.episode}s, {self.tables} tables in all; intervals of 95% from a "
            "bootstrap over boards. The control is an agent at a table of its own, "
            "played twice.",
            f"{options!r}, seed {self.seed}",
            ", ".join(f"{name} {version}" for name, version in self.versions.items()),
        ]
        return Text("\n".join(lines))

    def _meaning(self) -> str:
        if self._in_pairs():
            return (
                "Agents are rated by what they are worth with every partner; Elo is "
                "that of an agent with itself, by boards won. The gap is what two "
                "make above the mean of what each makes with itself."
            )
        return "Elo is by boards won."

    def _cycle_in_words(self) -> str:
        cycle = self.ratings.cycle
        if cycle is None:
            return "none"
        names = [self.side_name(side) for side in cycle.sides]
        beaten = [*names[1:], names[0]]
        return ", ".join(
            f"{name} beats {other} by {_in_words(margin, '.3f')}"
            for name, other, margin in zip(names, beaten, cycle.margins, strict=True)
        )


def crossplay(
    agents: Sequence[Agent],
    *,
    against: Agent | None = None,
    game: str = "whist",
    measure: str | None = None,
    rubbers: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    workers: int = 1,
    oracles: bool = False,
    **options: Any,
) -> CrossPlay:
    """Play every agent with and against every other, and rate them.

    With *k* agents there are k(k+1)/2 partnerships. That every one meets every other is
    the whole picture; with many agents let them all meet one reference instead.

    Args:
        agents: two or more agents, specs or players.
        against: the reference that all sides meet, a table or a partnership of nothing
            but this agent; by default all sides meet one another.
        game: the name of the game.
        measure: the measure of the game to judge by; by default tricks, or points where
            tricks are not what is played for.
        rubbers: how many rubbers each encounter has.
        deals: how many single deals instead; 1000 if neither is given.
        seed: the seed; the same seed gives the same result.
        workers: how many processes play; with more than one, agents are given by specs.
        oracles: whether an agent may see all hands, as the ``oracle`` does.
        **options: options of the game, such as ``scoring="robber"``.

    Raises:
        IllegalAction: an agent chose an action that the rules forbid.
        TypeError: there is no option of some name, or a number is not whole, or what is
            given is no agent.
        ValueError: a number, an option, an agent or what an agent returned is wrong.
    """
    played_game, boards = what_to_play(game, rubbers, deals, DEFAULT_DEALS, options)
    chosen = measure_of(played_game, measure)
    names, roster, reference = _roster(agents, against)
    players = admitted(roster, played_game, oracles)
    plan = _plan(played_game, len(agents), reference)
    blocks = blocks_of(played_game, boards, seed)
    results, controls = plan.play(players, blocks, chosen, workers)
    return CrossPlay(
        agents=names[: len(agents)],
        players=tuple(player.name for player in players[: len(agents)]),
        against=None if reference is None else names[reference],
        game=game,
        options=dataclasses.asdict(played_game.options),
        measure=chosen,
        seed=int(seed),
        boards=boards,
        tables=boards * sum(len(plan.seatings(cell)) for cell in plan.cells),
        sides=plan.sides,
        encounters=tuple(_encounters(results)),
        ratings=rate(results, plan.origin, int(seed)),
        controls=controls[: len(agents)],
        versions=versions(),
    )


def _roster(
    agents: Sequence[Agent], against: Agent | None
) -> tuple[tuple[str, ...], list[Agent], int | None]:
    """Names, agents, and the place of the reference; it comes last if it is new."""
    if isinstance(agents, str):
        raise TypeError(f"give a list of agents, not {agents!r} alone")
    roster = list(agents)
    reference = None
    if against is not None:
        same = (agent is against or name_of(agent) == against for agent in roster)
        reference = next((n for n, found in enumerate(same) if found), len(roster))
        roster[reference:] = roster[reference:] or [against]
    names = tuple(map(name_of, roster))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} comes twice: give each agent once")
    if len(roster) < LEAST_AGENTS:
        raise ValueError(f"give {LEAST_AGENTS} agents or more, not {len(roster)}")
    return names, roster, reference


# Who meets whom ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Seating:
    """The agents of one table, by number, and the seats of the side that is judged."""

    agents: tuple[int, ...]
    own: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class _Plan:
    """Who meets whom.

    Attributes:
        game: the game.
        sides: the agents of each side, by number.
        cells: the sides that meet, by number; the first is the one that is judged.
        origin: the side of the reference, if there is one.
    """

    game: Game
    sides: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[int, int], ...]
    origin: int | None

    def seatings(self, cell: tuple[int, int]) -> list[_Seating]:
        """The different tables at which two sides meet."""
        first, second = (self.sides[side] for side in cell)
        if len(first) == 1:
            return _one_among(self.game.num_agents, first[0], second[0])
        return _partners_against(_seats_of_sides(self.game), first, second)

    def play(
        self,
        players: Sequence[Contestant],
        blocks: Sequence[Block],
        measure: str,
        workers: int,
    ) -> tuple[Results, tuple[Control, ...]]:
        """Everything that is to be played, on the same boards in every cell."""
        tables = [
            (cell, block, seating)
            for cell, sides in enumerate(self.cells)
            for block in blocks
            for seating in self.seatings(sides)
        ]
        alone = _tables_alone(players, blocks[0])
        sittings = [_sitting(players, seating.agents, b) for _, b, seating in tables]
        played = play_sittings([*alone, *sittings], workers)
        measured = self.game.rules.measures[measure]
        controls = _controls(
            [measured(next(played).finished).astype(float) for _ in alone]
        )
        totals = np.zeros((sum(block.size for block in blocks), len(self.cells)))
        counts = np.zeros_like(totals)
        for (cell, block, seating), table in zip(tables, played, strict=True):
            rows = slice(block.board(0), block.board(block.size))
            values = measured(table.finished).astype(float)
            totals[rows, cell] += values[:, seating.own].mean(1) - values.mean(1)
            deals = table.finished["deals_played"]
            counts[rows, cell] += deals if measure in PER_DEAL else 1
        return Results(self.sides, self.cells, totals, counts), controls


def _plan(game: Game, agents: int, reference: int | None) -> _Plan:
    """Every side against every other, or against the reference."""
    partners = len(game.rules.partners[0])
    sides = list(itertools.combinations_with_replacement(range(agents), partners))
    if reference is None:
        # One among others is another encounter than the other among the first.
        both_ways = len(_seats_of_sides(game)) > 2
        meet = itertools.permutations if both_ways else itertools.combinations
        return _Plan(game, tuple(sides), tuple(meet(range(len(sides)), 2)), None)
    alone = (reference,) * partners
    if alone not in sides:
        sides.append(alone)
    origin = sides.index(alone)
    cells = tuple((side, origin) for side in range(len(sides)) if side != origin)
    return _Plan(game, tuple(sides), cells, origin)


def _seats_of_sides(game: Game) -> list[tuple[int, ...]]:
    return sorted(set(game.rules.partners))


def _one_among(seats: int, one: int, others: int) -> list[_Seating]:
    """One agent at each seat in turn; the others have the rest."""
    return [
        _Seating(tuple(one if s == own else others for s in range(seats)), (own,))
        for own in range(seats)
    ]


def _partners_against(
    seats: Sequence[tuple[int, ...]], first: Sequence[int], second: Sequence[int]
) -> list[_Seating]:
    """Both sides at both pairs of seats, in both orders; each table once."""
    found = []
    for turned in (1, -1):
        for own, other in (seats, seats[::-1]):
            at = dict(zip(own, first[::turned], strict=True))
            at |= dict(zip(other, second[::turned], strict=True))
            found.append(_Seating(tuple(at[seat] for seat in sorted(at)), own))
    return list(dict.fromkeys(found))


def _sitting(
    players: Sequence[Contestant], agents: Sequence[int], block: Block
) -> Sitting:
    """A block of boards for these agents; each is asked for all its seats at once."""
    present = sorted(set(agents))
    places = tuple(present.index(agent) for agent in agents)
    return Sitting(tuple(players[agent] for agent in present), places, block)


def _tables_alone(players: Sequence[Contestant], block: Block) -> list[Sitting]:
    """For each agent a table of nothing else, twice on the first boards."""
    return [
        _sitting(players, [agent] * block.game.num_agents, block)
        for agent in range(len(players))
        for _ in range(2)
    ]


def _controls(values: Sequence[npt.NDArray[np.float64]]) -> tuple[Control, ...]:
    """Whether each agent played the same both times, as it does by given chance."""
    return tuple(
        Control(len(first), int((first != second).any(1).sum()))
        for first, second in zip(values[::2], values[1::2], strict=True)
    )


# Results ----------------------------------------------------------------------------


def _encounters(results: Results) -> Iterator[Encounter]:
    columns = zip(results.totals.T, results.counts.T, strict=True)
    for sides, (totals, counts) in zip(results.cells, columns, strict=True):
        yield Encounter(
            sides,
            ratio_of_sums(totals, counts),
            won=int((totals > 0).sum()),
            lost=int((totals < 0).sum()),
            even=int((totals == 0).sum()),
        )


def _in_words(figure: Interval, form: str) -> str:
    """A figure with its interval."""
    return f"{figure.value:{form}} ({figure.low:{form}} to {figure.high:{form}})"


def _without_infinities(value: Any) -> Any:
    """The same with ``None`` for infinite numbers, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _without_infinities(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(part) for part in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _encounter(fields: dict[str, Any]) -> Encounter:
    margin = Estimate(**fields.pop("margin"))
    return Encounter(tuple(fields.pop("sides")), margin, **fields)


def _interval(fields: dict[str, Any]) -> Interval:
    low, high = fields["low"], fields["high"]
    return Interval(
        fields["value"],
        -math.inf if low is None else low,
        math.inf if high is None else high,
    )


def _ratings(fields: dict[str, Any]) -> Ratings:
    """The ratings that JSON holds."""
    gap, cycle = fields["gap"], fields["cycle"]
    return Ratings(
        sides=tuple(map(_interval, fields["sides"])),
        agents=tuple(map(_interval, fields["agents"])),
        partnerships=tuple(
            Partnership(tuple(each["agents"]), _interval(each["gap"]))
            for each in fields["partnerships"]
        ),
        gap=None if gap is None else _interval(gap),
        elo=tuple(map(_interval, fields["elo"])),
        cycle=None if cycle is None else _cycle(cycle),
    )


def _cycle(fields: dict[str, Any]) -> Cycle:
    first, second, third = map(_interval, fields["margins"])
    return Cycle(tuple(fields["sides"]), (first, second, third))
