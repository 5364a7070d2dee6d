"""What the cards of each agent have cost it: the account of the deals of a match.

With all hands open every card has an exact value (`whist_env.account`). What an agent
takes is what perfect play of all would have given it (*par*), less what its own cards
have cost, plus what the cards of the other have. Over both rooms of a board par is even
where neither bids, so that the rest of the difference is what the cards have cost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Final, Self

from rich.table import Table as RichTable

import whist_env
from whist_env import Account, Game, SolverLimit, Table
from whist_env.records import Episode
from whist_env.solver import dds
from whist_env.solver.account import ROLES, AccountSum, Tally
from whist_train.replay import ends_of_deals

ACCOUNT_DEALS: Final = 200
"""Deals that are judged if no number is given, those of both rooms together."""

GAMES: Final = ("whist", "dummy_whist", "bridge_whist", "cayenne")
"""Games of two pairs that play for tricks, which DDS solves at once."""

KINDS: Final = ("follow", "ruff", "discard")
"""What a card can be besides a lead."""

_A, _B = "AB"
"""The agents, which may have the same name."""


@dataclasses.dataclass(frozen=True)
class Costs:
    """What an agent took, and why; ``tricks == par - own + others``, exactly.

    Attributes:
        deals: deals that were judged.
        tricks: tricks that the agent took in them.
        par: tricks that it would have taken had both sides played perfectly.
        own: tricks that its own cards have cost it.
        others: tricks that the cards of the other have cost that one.
        by_role: its own cost by the hand that played the card: ``"lead"``,
            ``"second"``, ``"third"`` or ``"fourth"``.
        by_kind: the same by what the card was: ``"lead"``, ``"follow"``, ``"ruff"`` or
            ``"discard"``.
    """

    deals: int
    tricks: int
    par: int
    own: int
    others: int
    by_role: dict[str, int]
    by_kind: dict[str, int]

    @classmethod
    def of(cls, player: str, takings: Takings, sums: AccountSum) -> Self:
        """The costs of one of the two."""
        (other,) = {_A, _B} - {player}
        return cls(
            deals=takings.deals,
            tricks=takings.tricks[player],
            par=takings.par[player],
            own=sums.total[player].regret,
            others=sums.total[other].regret,
            by_role={
                role: sums.by_role.get((player, role), Tally()).regret
                for role in ROLES[:4]
            },
            by_kind={
                kind: sums.by_kind.get((player, kind), Tally()).regret
                for kind in ("lead", *KINDS)
            },
        )


@dataclasses.dataclass
class Takings:
    """Tricks of both agents, summed over deals.

    Attributes:
        deals: how many deals.
        tricks: what each took.
        par: what each would have taken by perfect play of all.
    """

    deals: int = 0
    tricks: dict[str, int] = dataclasses.field(default_factory=lambda: {_A: 0, _B: 0})
    par: dict[str, int] = dataclasses.field(default_factory=lambda: {_A: 0, _B: 0})

    def add(self, judged: Account, players: list[str]) -> None:
        """Add a deal, of which every trick was judged."""
        counted = players[judged.counted[0]]
        (other,) = {_A, _B} - {counted}
        tricks = len(judged.plays) // judged.seats
        self.deals += 1
        self.tricks[counted] += judged.result
        self.tricks[other] += tricks - judged.result
        self.par[counted] += judged.par
        self.par[other] += tricks - judged.par


class Accounts:
    """Judges the first deals of a match.

    Args:
        game: the game.
        most: with how many deals it is enough, those of both rooms together; a board
            that is begun is judged to its end.

    Raises:
        ImportError: DDS is not installed.
        ValueError: the game is none of those that can be judged so.
    """

    def __init__(self, game: Game, most: int) -> None:
        if game.name not in GAMES or len(set(game.rules.partners)) != 2:
            raise ValueError(
                "the account is for games of two sides that play for tricks, whole "
                f"deals of which can be solved: {', '.join(GAMES)} (dummy_whist with "
                f"players=2); not for {game!r}"
            )
        if dds.library() is None:
            raise ImportError(
                "the account needs DDS, which solves whole deals: pip install "
                "'whist-env[solve]' (with Python up to 3.13)"
            )
        self._most = most
        self._accounts: list[Account] = []
        self._players: list[list[str]] = []
        self._takings = Takings()
        self._refusal = "none was played"

    def add(self, episodes: Iterable[Episode]) -> None:
        """Judge episodes, board by board, as long as there are too few deals."""
        for episode in episodes:
            if episode.notes["room"] == 1 and self._takings.deals >= self._most:
                return
            for deal, players in _deals(episode):
                self._judge(deal, players)

    def costs(self) -> tuple[Costs, Costs]:
        """What the cards of the first agent have cost, and those of the second.

        Raises:
            ValueError: no deal could be judged.
        """
        if not self._accounts:
            raise ValueError(f"no deal of the match has an account: {self._refusal}")
        sums = whist_env.sum_accounts(self._accounts, self._players)
        return Costs.of(_A, self._takings, sums), Costs.of(_B, self._takings, sums)

    def _judge(self, deal: Table, players: list[str]) -> None:
        try:
            # What is not for DDS, such as nullo, is not waited for.
            judged = whist_env.account(deal, positions=1)
        except (SolverLimit, ValueError) as error:
            self._refusal = str(error)
            return
        self._accounts.append(judged)
        self._players.append(players)
        self._takings.add(judged, players)


def _deals(episode: Episode) -> Iterator[tuple[Table, list[str]]]:
    """Each deal at its end, with who played each seat."""
    tables = list(episode.replay())
    swapped = episode.notes["room"] == 2
    first = episode.game.rules.partners[0]
    players = [""] * len(tables[0].record.hands)
    for table in tables:
        if not table.is_over:
            is_first = (table.agent in first) != swapped
            players[table.record.seat] = _A if is_first else _B
    for table in ends_of_deals(tables):
        yield table, players


def costs_table(names: tuple[str, str], costs: tuple[Costs, Costs]) -> RichTable:
    """The table that people read."""
    title = (
        f"What the cards have cost in {costs[0].deals} deals, with all hands open: "
        "tricks a deal"
    )
    table = RichTable("", title=title)
    for name in names:
        table.add_column(name, justify="right")

    def add(heading: str, amounts: Iterable[int], sign: str = "") -> None:
        figures = (amount / costs[0].deals for amount in amounts)
        table.add_row(heading, *(f"{sign}{figure:.3f}" for figure in figures))

    add("par", (each.par for each in costs))
    add("cost of its own cards", (each.own for each in costs), "-")
    add("cost of the other's cards", (each.others for each in costs), "+")
    add("tricks", (each.tricks for each in costs))
    table.add_section()
    add("cost of leads", (each.by_role["lead"] for each in costs))
    for role in ROLES[1:4]:
        add(f"... in {role} hand", (each.by_role[role] for each in costs))
    table.add_section()
    for kind, what in zip(KINDS, ("following", "ruffing", "discarding"), strict=True):
        add(f"... of them, {what}", (each.by_kind[kind] for each in costs))
    return table
