"""The exact account of a sample of deals: which cards have cost whom how much."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import whist_env
from whist_env import SolverLimit, Table
from whist_env.records import Episode
from whist_env.solver import Account, AccountSum, sum_accounts
from whist_train.replay import ends_of_deals
from whist_train.report.reading import CupRecords
from whist_train.statistics import Estimate, ratio_of_sums
from whist_train.tournament.ledger import Entry

DEALS: Final = 24
"""How many deals are taken for each agent."""

POSITIONS: Final = 200_000
"""How many positions our own search may look at for one card: some tenths of a second
for a deal."""

LATE: Final = 6
"""The cards in each hand from which on a deal is judged that took too much work."""

HUNDRED: Final = 100
"""Costs are given for so many cards."""

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many deals are done, and of how many."""


@dataclasses.dataclass(frozen=True)
class Costs:
    """What the cards of a sample of deals have cost, all hands being open.

    Attributes:
        chosen: how many deals were chosen.
        judged: how many of them have an account.
        late: how many of those are judged in their last tricks only.
        refusal: why a deal has none, of the first of the most frequent kind.
        solvers: who has solved the deals.
        sums: the accounts, summed by agent.
        lost: by agent, what 100 of its cards have cost; ``None`` for an interval that
            one deal cannot give.
    """

    chosen: int
    judged: int
    late: int
    refusal: str
    solvers: tuple[str, ...]
    sums: AccountSum
    lost: Mapping[str, Estimate | None]


def costs_of(records: CupRecords, progress: Progress) -> Costs:
    """The account of a sample of deals, which depends on the records alone.

    For each agent `DEALS` of the episodes in which it sat and nobody forfeited are
    taken, evenly spaced in the order of the cup; of each the first deal.

    Args:
        records: the records.
        progress: is told how many deals are done.
    """
    sample = _sample(records)
    accounts: list[Account] = []
    seated: list[Sequence[str]] = []
    refusals: collections.Counter[str] = collections.Counter()
    late = 0
    for done, entry in enumerate(sample):
        progress(done, len(sample))
        table = _first_deal(records.episode(entry.key))
        try:
            account, is_late = _judged(table)
        except (SolverLimit, ValueError) as error:
            refusals[str(error)] += 1
            continue
        accounts.append(account)
        seated.append(entry.agents)
        late += is_late
    progress(len(sample), len(sample))
    return Costs(
        chosen=len(sample),
        judged=len(accounts),
        late=late,
        refusal=refusals.most_common(1)[0][0] if refusals else "",
        solvers=tuple(sorted({account.solver for account in accounts})),
        sums=sum_accounts(accounts, seated),
        lost=_lost(records, accounts, seated),
    )


def _sample(records: CupRecords) -> list[Entry]:
    """The episodes of which a deal is judged, in the order of the cup."""
    played = [entry for entry in records.entries if not entry.forfeited]
    chosen = set()
    for name in records.cup.agents:
        own = [entry for entry in played if name in entry.agents]
        count = min(DEALS, len(own))
        chosen |= {own[place * len(own) // count].key for place in range(count)}
    return [entry for entry in played if entry.key in chosen]


def _first_deal(episode: Episode) -> Table:
    """The first deal of an episode, played to its end."""
    return next(ends_of_deals(list(episode.replay())))


def _judged(table: Table) -> tuple[Account, bool]:
    """The account of a deal, and whether it is of the last tricks only.

    Raises:
        SolverLimit: even these took too much work.
        ValueError: the deal can have no account.
    """
    try:
        return whist_env.account(table, positions=POSITIONS), False
    except SolverLimit:
        # At the end of a deal its last card may be missing.
        tricks = -(-int(table.record.cards_played) // len(table.record.hands))
        last = max(1, tricks - LATE + 1)
        return whist_env.account(table, positions=POSITIONS, first_trick=last), True


def _lost(
    records: CupRecords, accounts: Sequence[Account], seated: Sequence[Sequence[str]]
) -> dict[str, Estimate | None]:
    """By agent what its cards have cost, from deal to deal."""
    tallies: dict[str, list[tuple[int, int]]] = {}
    for account, names in zip(accounts, seated, strict=True):
        regrets: collections.Counter[str] = collections.Counter()
        cards: collections.Counter[str] = collections.Counter()
        for play in account.plays:
            regrets[names[play.seat]] += play.regret
            cards[names[play.seat]] += 1
        for name, count in cards.items():
            tallies.setdefault(name, []).append((HUNDRED * regrets[name], count))
    return {
        name: ratio_of_sums(*zip(*tallies[name], strict=True))
        if len(tallies[name]) > 1
        else None
        for name in records.cup.agents
        if name in tallies
    }
