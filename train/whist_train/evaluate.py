"""Judging two agents at duplicate.

Every board is played in two rooms with the seats swapped, so that both agents hold the
same cards: the pair of tables is one observation. Partners are one agent; where there
are none, the agents take every other seat. What an agent holds in one room the other
holds in the other. Luck cancels within the pair in two
ways. Deal *k* of an episode depends on the seed of its table and on *k* alone, and both
tables of a board have the same seed. And the random bits that an agent is given for a
decision depend on the board, the seat and the number of the decision, not on who sits
there. An agent against itself therefore plays alike in both rooms, card by card, and
comes to exactly 0 on every board, even an agent that plays at random: the control.

Boards are played in blocks of a fixed size, whatever the number of processes, so that
the same seed gives the same results to the last bit. The tables of a block in one room
advance together; an agent never sees both tables of a board in one call, and an agent
that a spec ``module:attribute`` names is made afresh for every block and room.

All this judges agents that one trusts. Partners are one object, which is shown both
hands; code of this process can keep what it sees in its module, or in the object that
`evaluate` is given, and find it there in the other room. Partners and rooms of agents
that one does not trust are kept apart in tournaments alone, and for ``cmd:`` programs
alone (`whist_train.tournament`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import json
import os
import platform
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

import whist_env
from whist_env import Game
from whist_env.records import Episode, Start, write_jsonl
from whist_train.costs import ACCOUNT_DEALS, Accounts, Costs, costs_table
from whist_train.rooms import (
    BLOCK,
    SMALL_BLOCK,
    Agent,
    Block,
    Contestant,
    Played,
    Sitting,
    admitted,
    blocks_of,
    groups,
    measure_of,
    name_of,
    play_sittings,
    sides_of_agents,
    what_to_play,
    whole_number,
)
from whist_train.sequential import SequentialTest, Verdict
from whist_train.statistics import (
    Estimate,
    Interval,
    bootstrap_ratios,
    ratio_of_sums,
)

_Array: TypeAlias = npt.NDArray[Any]

DEFAULT_DEALS: Final = 1000
"""Boards that are played if no number is given."""

MOST_DEALS: Final = 100_000
"""Boards after which a sequential test gives up if no number is given."""

PER_DEAL: Final = ("points", "tricks")
"""Measures that add up over the deals of an episode; others belong to the whole."""


@dataclasses.dataclass(frozen=True)
class Pairs:
    """What was played: one row a board, one column a room.

    In the first room A has the seats of the first group, in the second the others.

    Attributes:
        deals: deals played, ``(pairs, 2)``.
        results: for each measure of the game how far A is above the middle between the
            agents, ``(pairs, 2)``: what its seats have less what the others have, by
            the number of seats. A measure that is already a difference between two
            sides, such as points of Whist, is that difference.
    """

    deals: npt.NDArray[np.int64]
    results: Mapping[str, npt.NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.deals)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All pairs of several parts, in order."""
        results = {
            name: np.concatenate([part.results[name] for part in parts])
            for name in parts[0].results
        }
        return cls(np.concatenate([part.deals for part in parts]), results)

    def estimates(self) -> dict[str, Estimate]:
        """Each measure as A makes it against B, per deal or per episode."""
        return {
            name: ratio_of_sums(result.sum(1), self._counts(name))
            for name, result in self.results.items()
        }

    def bootstraps(self, seed: int) -> dict[str, Interval]:
        """The same figures, with intervals from a bootstrap over boards."""
        totals = [result.sum(1) for result in self.results.values()]
        counts = [self._counts(name) for name in self.results]
        figures = bootstrap_ratios(np.stack(totals, 1), np.stack(counts, 1), seed)
        return dict(zip(self.results, figures, strict=True))

    def differences(self, measure: str) -> npt.NDArray[np.float64]:
        """What A makes against B in each pair, per episode, ``(pairs,)``."""
        return np.asarray(self.results[measure].mean(1))

    def _counts(self, measure: str) -> npt.NDArray[np.int64]:
        """How many deals, or episodes, each pair has."""
        return self.deals.sum(1) if measure in PER_DEAL else np.full(len(self), 2)

    def won(self) -> tuple[int, int, int]:
        """Episodes that A won, that B won, and that were even."""
        won = self.results["won"]
        return int((won > 0).sum()), int((won < 0).sum()), int((won == 0).sum())

    def unequal(self) -> int:
        """How many pairs differ from 0 in any measure."""
        differs = [result.sum(1) != 0 for result in self.results.values()]
        return int(np.any(differs, axis=0).sum())


@dataclasses.dataclass(frozen=True)
class Control:
    """An agent against itself, on the first boards of the evaluation.

    Attributes:
        pairs: how many pairs were played.
        unequal: how many of them did not come to exactly 0 in every measure. Above 0
            the agent draws on chance of its own, and its results cannot be repeated.
    """

    pairs: int
    unequal: int

    def in_words(self) -> tuple[str, str, str]:
        """Its row in a table."""
        name = f"control, {self.pairs} pairs"
        if self.unequal:
            return name, "not 0", f"{self.unequal} pairs differ"
        return name, "0", "exactly 0 at each"


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Two agents judged at duplicate; prints as a table with `rich.print`.

    Attributes:
        agents: the names of A and B.
        players: the agents that played; the path of a network is that of its file.
        game: the name of the game.
        options: all its options.
        seed: the seed of the boards and of the agents' chance.
        pairs: how many deals, or rubbers, were played twice.
        deals: deals played in all, at both tables of every pair.
        estimates: for each measure of the game what A makes against B; 0 is even.
            Points and settlements are those of A less those of B, tricks and wins are
            counted from an even share.
        bootstraps: the same figures, with intervals from a bootstrap over boards.
        verdicts: for the measure of a sequential test, if there was one, what it
            decided. The match ended with its block, so the figures are a little
            farther from 0 than those of a match of fixed length would be.
        won: episodes won by A and by B.
        even: episodes that nobody won.
        control: A against itself.
        versions: of what the result depends on.
        costs: what the cards of A and of B have cost, with all hands open, if that was
            asked for.
    """

    agents: tuple[str, str]
    players: tuple[str, str]
    game: str
    options: dict[str, Any]
    seed: int
    pairs: int
    deals: int
    estimates: dict[str, Estimate]
    bootstraps: dict[str, Interval]
    verdicts: dict[str, Verdict]
    won: tuple[int, int]
    even: int
    control: Control
    versions: dict[str, str]
    costs: tuple[Costs, Costs] | None = None

    @property
    def episode(self) -> str:
        """What was played twice: ``"deal"`` or ``"rubber"``."""
        return str(self.options.get("episode", "deal"))

    def unit(self, measure: str) -> str:
        """What the figure of a measure is counted by: a deal or a rubber."""
        return "deal" if measure in PER_DEAL else self.episode

    def to_json(self) -> str:
        """Everything, as text that `from_json` takes back."""
        return json.dumps(dataclasses.asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The evaluation that `to_json` wrote."""
        fields = json.loads(text)
        fields["agents"] = tuple(fields["agents"])
        fields["players"] = tuple(fields["players"])
        fields["won"] = tuple(fields["won"])
        fields["control"] = Control(**fields["control"])
        fields["estimates"] = {
            name: Estimate(**figures) for name, figures in fields["estimates"].items()
        }
        fields["bootstraps"] = {
            name: Interval(**figures) for name, figures in fields["bootstraps"].items()
        }
        fields["verdicts"] = {
            name: Verdict(**verdict | {"test": SequentialTest(**verdict["test"])})
            for name, verdict in fields["verdicts"].items()
        }
        if fields["costs"] is not None:
            fields["costs"] = tuple(Costs(**costs) for costs in fields["costs"])
        return cls(**fields)

    def __rich__(self) -> RenderableType:
        """The tables that people read."""
        if self.costs is None:
            return self._results()
        return Group(self._results(), costs_table(self.agents, self.costs))

    def _results(self) -> RichTable:
        a, b = self.agents
        title = f"{a} against {b}: {self.pairs} duplicate {self.episode}s"
        caption = Text(self._caption(), justify="left")
        table = RichTable("measure", title=Text(title), caption=caption)
        for heading in ("mean", "95% interval", "p", "bootstrap"):
            table.add_column(heading, justify="right")
        for name, figures in self.estimates.items():
            bootstrap = self.bootstraps[name]
            table.add_row(
                f"{name} per {self.unit(name)}",
                f"{figures.mean:+.3f}",
                f"{figures.low:+.3f} to {figures.high:+.3f}",
                "<0.001" if figures.p_value < 0.001 else f"{figures.p_value:.3f}",
                f"{bootstrap.low:+.3f} to {bootstrap.high:+.3f}",
            )
        table.add_section()
        table.add_row(*self.control.in_words())
        return table

    def _caption(self) -> str:
        """What the figures mean, and how they can be repeated."""
        (a, b), (won, lost) = self.agents, self.won
        even = f", even {self.even}" if self.even else ""
        versions = ", ".join(f"{name} {v}" for name, v in self.versions.items())
        tested = [
            f"Sequential test of {name} per {self.episode}: {verdict.in_words()}."
            for name, verdict in self.verdicts.items()
        ]
        return "\n".join(
            [
                f"Above 0 is in favour of {a}. Tricks and wins are counted from an "
                f"even share. The control is {a} against itself.",
                f"{self.episode.capitalize()}s won: {a} {won}, {b} {lost}{even}. Each "
                f"of the {self.pairs} was played twice with the sides swapped, "
                f"{self.deals} deals in all.",
                *tested,
                f"{whist_env.game(self.game, **self.options)!r}, seed {self.seed}",
                versions,
            ]
        )


def evaluate(
    a: Agent,
    b: Agent,
    *,
    game: str = "whist",
    rubbers: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    workers: int = 1,
    records: str | os.PathLike[str] | None = None,
    oracles: bool = False,
    sprt: SequentialTest | None = None,
    measure: str | None = None,
    account: bool = False,
    account_deals: int | None = None,
    **options: Any,
) -> Evaluation:
    """Judge two agents at duplicate.

    Args:
        a: the first agent, a spec or a player.
        b: the second agent.
        game: the name of the game.
        rubbers: how many rubbers to play twice.
        deals: how many single deals to play twice instead; 1000 if neither is given.
            Either is at least 2, which an interval needs.
        seed: the seed; the same seed gives the same result.
        workers: how many processes play; with more than one, agents are given by specs.
        records: a file to which every episode that counts is added, the control left
            out; see `whist_env.records`.
        oracles: whether an agent may see all hands, as the ``oracle`` does.
        sprt: a sequential test that ends the match as soon as it is decided; ``deals``
            or ``rubbers`` is then the most to be played, by default 100,000 deals.
        measure: the measure that it tests, per episode; by default tricks, or points
            where tricks are not what is played for.
        account: whether to find out what the cards of each agent have cost, with all
            hands open; for games of two sides that play for tricks, where DDS is
            installed.
        account_deals: with how many deals it is enough, those of both rooms together;
            200 if not given.
        **options: options of the game, such as ``scoring="robber"``.

    Raises:
        IllegalAction: an agent chose an action that the rules forbid.
        ImportError: the account is asked for, and DDS is not installed.
        OSError: the records cannot be written.
        TypeError: there is no option of some name, or a number is not whole.
        ValueError: a number, an option, an agent or what an agent returned is wrong.
    """
    usual = DEFAULT_DEALS if sprt is None else MOST_DEALS
    played_game, boards = what_to_play(game, rubbers, deals, usual, options)
    tested = measure_of(played_game, measure)
    size = BLOCK if sprt is None else SMALL_BLOCK
    blocks = blocks_of(played_game, boards, seed, size)
    accounts = _accounts(played_game, account, account_deals)
    names = (name_of(a), name_of(b))
    first, second = admitted((a, b), played_game, oracles)
    contests = [_Contest(first, first, blocks[0])]
    contests += [_Contest(first, second, block) for block in blocks]
    if records is not None:
        write_jsonl(records, [])  # what cannot be written is found out before the play
    with contextlib.closing(_play(contests, workers)) as outcomes:
        control = next(outcomes).pairs
        noted = _noted(outcomes, records, accounts)
        played, verdicts = _until_decided(noted, sprt, tested)
    won, lost, even = played.won()
    return Evaluation(
        agents=names,
        players=(first.name, second.name),
        game=game,
        options=dataclasses.asdict(played_game.options),
        seed=int(seed),
        pairs=len(played),
        deals=int(played.deals.sum()),
        estimates=played.estimates(),
        bootstraps=played.bootstraps(int(seed)),
        verdicts=verdicts,
        won=(won, lost),
        even=even,
        control=Control(len(control), control.unequal()),
        versions=versions(),
        costs=None if accounts is None else accounts.costs(),
    )


def play_pairs(
    a: Agent,
    b: Agent,
    game: Game,
    pairs: int,
    seed: int = 0,
    *,
    workers: int = 1,
    oracles: bool = False,
) -> Pairs:
    """Play boards in two rooms and give back every result.

    Args:
        a: the first agent, a spec or a player.
        b: the second agent.
        game: the game with its options.
        pairs: how many boards; the first are the same however many follow.
        seed: the seed; the same seed gives the same result.
        workers: how many processes play; with more than one, agents are given by specs.
        oracles: whether an agent may see all hands, as the ``oracle`` does.

    Raises:
        IllegalAction: an agent chose an action that the rules forbid.
        TypeError: a number is not whole.
        ValueError: a number, an agent or what an agent returned is wrong.
    """
    first, second = admitted((a, b), game, oracles)
    contests = [
        _Contest(first, second, block) for block in blocks_of(game, pairs, seed)
    ]
    return Pairs.joined([part.pairs for part in _play(contests, workers)])


def versions() -> dict[str, str]:
    """The versions of what a result depends on."""
    found = {"whist_env": whist_env.__version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "torch"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _accounts(game: Game, account: bool, deals: int | None) -> Accounts | None:
    """What judges the deals card by card, if that is asked for."""
    if account:
        most = ACCOUNT_DEALS if deals is None else deals
        return Accounts(game, whole_number("account_deals", most, 1))
    if deals is not None:
        raise ValueError("account_deals= has a meaning only with account=True")
    return None


# Contests ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Contest:
    """A block of boards for two agents; it is played in two rooms."""

    a: Contestant
    b: Contestant
    block: Block

    def sittings(self) -> tuple[Sitting, Sitting]:
        """The two rooms, the sides swapped in the second."""
        side_of_agent = tuple(sides_of_agents(self.block.game))
        return (
            Sitting((self.a, self.b), side_of_agent, self.block),
            Sitting((self.b, self.a), side_of_agent, self.block),
        )


@dataclasses.dataclass(frozen=True)
class _Outcome:
    """What came of a contest: its pairs, and what was played in both rooms."""

    contest: _Contest
    rooms: tuple[Played, Played]
    pairs: Pairs

    def episodes(self) -> Iterator[Episode]:
        """Every episode, board by board."""
        block = self.contest.block
        seeds = block.table_seeds()
        for place in range(block.size):
            for room, sitting in enumerate(self.contest.sittings()):
                yield self._episode(sitting, place, int(seeds[place]), room)

    def _episode(self, sitting: Sitting, place: int, seed: int, room: int) -> Episode:
        game, played = sitting.block.game, self.rooms[room]
        names = [side.name for side in sitting.sides]
        returns = played.finished[place]["returns"].tolist()
        unit = game.rules.unit
        return Episode(
            game=game,
            start=Start(seed),
            agents=tuple(names[side] for side in sitting.side_of_agent),
            actions=tuple(
                game.action_names[action] for action in played.actions_at(place)
            ),
            returns=tuple(returns if unit == 1 else (r / unit for r in returns)),
            notes={"board": sitting.block.board(place), "room": room + 1},
        )


def _play(
    contests: Sequence[_Contest], workers: int
) -> Generator[_Outcome, None, None]:
    """Play contests one after the other; closed before the end, leave the rest."""
    sittings = [sitting for contest in contests for sitting in contest.sittings()]
    with contextlib.closing(play_sittings(sittings, workers)) as played:
        for contest, first, second in zip(contests, played, played, strict=True):
            pairs = _judged(contest.block.game, first.finished, second.finished)
            yield _Outcome(contest, (first, second), pairs)


def _noted(
    outcomes: Iterator[_Outcome],
    records: str | os.PathLike[str] | None,
    accounts: Accounts | None,
) -> Iterator[_Outcome]:
    """What is played, written down and judged card by card where that is asked for."""
    for outcome in outcomes:
        if records is not None:
            write_jsonl(records, outcome.episodes())
        if accounts is not None:
            accounts.add(outcome.episodes())
        yield outcome


def _until_decided(
    outcomes: Iterator[_Outcome], test: SequentialTest | None, measure: str
) -> tuple[Pairs, dict[str, Verdict]]:
    """What is played until a test has decided; without a test, everything."""
    parts: list[Pairs] = []

    def batches() -> Iterator[npt.NDArray[np.float64]]:
        for outcome in outcomes:
            parts.append(outcome.pairs)
            yield outcome.pairs.differences(measure)

    if test is None:
        for _ in batches():
            pass
        return Pairs.joined(parts), {}
    verdict = test.decide(batches())
    return Pairs.joined(parts), {measure: verdict}


def _judged(game: Game, first: _Array, second: _Array) -> Pairs:
    """Pairs from the finished records of both rooms."""
    results = {
        name: np.stack([_margin(game, measure(first)), -_margin(game, measure(second))])
        for name, measure in game.rules.measures.items()
    }
    deals = np.stack([first["deals_played"], second["deals_played"]])
    return Pairs(
        deals.T.astype(np.int64), {name: both.T for name, both in results.items()}
    )


def _margin(game: Game, values: _Array) -> npt.NDArray[np.float64]:
    """How far the first group is above the middle between the two, ``(len,)``."""
    first, second = (values[:, group].astype(np.float64) for group in groups(game))
    margin: npt.NDArray[np.float64] = (first.sum(1) - second.sum(1)) / values.shape[1]
    return margin
