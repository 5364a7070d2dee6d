"""What the past tells of worlds: policy inference.

All worlds that agree with what an agent knows are equally likely as far as the rules go
(`whist_env.worlds`). But the others, each knowing what it knew in that world, would
have done in some of them what they did, and in others hardly. So a world weighs as much
as a policy makes it likely that they called and played as they did: the product, over
all their decisions in this deal, of the policy's probability of the action that was
taken (Rebstock, Solinas, Buro and Sturtevant, "Policy Based Inference in Trick-Taking
Card Games", IEEE Conference on Games 2019). By Bayes' rule these are the chances of the
worlds if the policy is how the others play.

For this the deal is played again in every world. Where a decision counts, and where it
does not:

* Calls and cards that are played count. What a record does not keep of the bidding,
  such as in which order a player came back into it, no player remembers either; the
  first bidding counts that leads to the position.
* Cards that are laid aside or passed on face down are what the world has them be, and
  do not count: nobody has seen that they were chosen. The suit of a demand that the
  demander keeps to himself is that of the world as well, but that he demanded counts.
* The agent's own decisions do not count. It made them by what it saw, which is the same
  in all worlds.
* Who had no choice tells nothing.

No policy is quite how others play. Networks are surer of an action than anybody may be
that others take it, so theirs are softened (`HEAT`). With a small chance others are
taken to do anything (`SURPRISE`), so that no single action rules a world out, and where
few worlds remain all the same, weights are made more even (`tempered`).
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from whist_env import Table, Tables, Views
from whist_env.cards import CARDS
from whist_env.engine.record import Record
from whist_env.engine.rules import Rules
from whist_env.games.french_boston import DEMAND_BELLE_HIDDEN, DEMAND_PETITE
from whist_env.worlds.compiled import bind

SURPRISE: Final = 0.05
"""How often others are taken to choose at random among what is legal."""

HEAT: Final = 16.0
"""By what the logits of networks are divided. Chosen among powers of two so that the
true world of Whist weighs most in the mean, in play by `hoyle` and by PIMC."""

_HALVINGS: Final = 20
"""How often the bounds of the power that evens weights are halved."""

HOUSE: Final = "net"
"""What stands for the networks that come with the package, in place of a path."""

PILES: Final[Mapping[str, str]] = {
    "boston": "discards",
    "boston_de_fontainebleau": "discards",
    "russian_boston": "discards",
    "french_boston": "discards",
    "omnibus_hearts": "passed",
}
"""What a record calls the cards that a seat has laid aside or passed on, by game."""

CALLS: Final[Mapping[str, tuple[str, ...]]] = {
    "boston": ("bids",),
    "boston_de_fontainebleau": ("bidders", "passed"),
    "russian_boston": ("bidders", "passed", "solos", "answers"),
    "french_boston": ("calls", "laid"),
    "solo_whist": ("made_by", "passed", "named"),
    "bridge_whist": ("doubled_by",),
    "polignac": ("announced",),
}
"""What a record keeps of the calls and never takes back within a deal, by game."""

TOTALS: Final = ("actions_taken", "returns", "points", "half_tricks")
"""What a record adds up over deals and within them."""

_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


class Policy(Protocol):
    """How others are taken to play."""

    def chances(self, views: Views, actions: _Integers) -> _Floats:
        """The probability of one legal action in each view, ``(len(views),)``."""
        ...


def weights(policy: Policy, table: Table, worlds: npt.NDArray[Any]) -> _Floats:
    """How likely worlds are, of all that are given, by what the others have done.

    Args:
        policy: how the others are taken to play.
        table: one of the worlds of the agent to act.
        worlds: worlds of the same agent, records of shape ``(len,)``.

    Returns:
        Weights that add up to 1, ``(len(worlds),)``.

    Raises:
        ValueError: the deal cannot be played again from its start.
    """
    logs = np.zeros(len(worlds), np.float64)
    made = list(_decisions(table, worlds))
    if made:
        views = Views(
            table.game,
            np.concatenate([part.observation for part in made]),
            np.concatenate([part.action_mask for part in made]),
            np.zeros(sum(len(part.worlds) for part in made), np.uint64),
        )
        actions = np.concatenate([part.actions for part in made])
        chances = (1 - SURPRISE) * policy.chances(views, actions)
        chances += SURPRISE / views.action_mask.sum(1)
        np.add.at(logs, np.concatenate([p.worlds for p in made]), np.log(chances))
    likely = np.exp(logs - logs.max())
    shares: _Floats = likely / likely.sum()
    return shares


def tempered(shares: _Floats, number: int) -> _Floats:
    """Weights made more even, as far as it takes for enough worlds to count.

    After many decisions two or three of some hundred worlds may have nearly all the
    weight, and an average over them would rest on too little. Then all weights are
    raised to the same power, below 1 and as high as can be, with which they are worth
    as many worlds of equal weight as are asked for (the effective sample size of Kong,
    Liu and Wong, "Sequential Imputations and Bayesian Missing Data Problems", JASA 89,
    1994).

    Args:
        shares: weights above 0 that add up to 1.
        number: how many worlds the weights are to be worth; no more than there are.
    """
    if _effective(shares) >= number:
        return shares
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _effective(_raised(shares, middle)) >= number:
            low = middle
        else:
            high = middle
    return _raised(shares, low)


def _raised(shares: _Floats, power: float) -> _Floats:
    likely = (shares / shares.max()) ** power
    raised: _Floats = likely / likely.sum()
    return raised


def _effective(shares: _Floats) -> float:
    """How many worlds of equal weight the weights are worth."""
    return float(1 / (shares**2).sum())


def resampled(shares: _Floats, number: int) -> tuple[_Integers, _Integers]:
    """Choose so many worlds out of many, each as often as its weight says.

    This is systematic resampling: so many equal steps are taken through the weights,
    laid end to end. The worlds are a random sample in a random order, which is all the
    chance that is needed. With equal weights the first ones are chosen, once each.

    Args:
        shares: weights that add up to 1; their number is a multiple of the next.
        number: how many are chosen.

    Returns:
        The numbers of the chosen worlds, and how often each was chosen.
    """
    order = np.arange(len(shares)).reshape(-1, number).T.ravel()
    steps = (np.arange(number) + 0.5 * number / len(shares)) / number
    places = np.searchsorted(np.cumsum(shares[order]), steps, side="right")
    chosen = order[np.minimum(places, len(order) - 1)]
    return np.unique(chosen, return_counts=True)


# Networks as policies ---------------------------------------------------------------


class NetworkPolicy:
    """The policy of a network, softened: its logits over the legal actions.

    Args:
        net: the path of a network (a run, a checkpoint or a file), or ``"net"`` for
            those that come with the package.

    Raises:
        ValueError: the file is damaged.
        FileNotFoundError: there is no network at the path.
        ImportError: a library that networks need is not installed.
    """

    def __init__(self, net: str) -> None:
        from whist_agents.spec import load

        self._player: Any = load(spec_of(net))
        self._is_of_the_house = net == HOUSE

    def chances(self, views: Views, actions: _Integers) -> _Floats:
        """The probability of one legal action in each view, ``(len(views),)``.

        Raises:
            ValueError: the network plays another game.
            FileNotFoundError: no network for the game comes with the package.
        """
        import torch

        from whist_agents.net import masked

        player = self._player
        if self._is_of_the_house:
            player = _of_the_house(views.game.rules)
        elif views.game.rules is not player.game.rules:
            raise ValueError(
                f"this network plays {player.game.name}, not {views.game.name}; "
                "train or load one for that game"
            )
        seen = player.network.sight
        observation = np.ascontiguousarray(views.observation, np.int8)
        action_mask = np.ascontiguousarray(views.action_mask, np.int8)
        orders = seen.orders(observation)
        rows = seen.observation(observation, action_mask, orders)
        mask = seen.mask(action_mask, orders)
        taken = seen.canonical_action(actions, orders)
        with torch.inference_mode():
            device = player.network.scale.device
            logits = player.network(torch.from_numpy(rows).to(device))
            logits = masked(logits, torch.from_numpy(mask).to(device)).double()
            all_chances = (logits / HEAT).softmax(1).cpu().numpy()
        found: _Floats = all_chances[np.arange(len(taken)), taken]
        return found


def spec_of(net: str) -> str:
    """The spec of the player that a setting ``net=`` means."""
    return HOUSE if net == HOUSE else f"net:{net}"


@functools.cache
def _of_the_house(rules: Rules) -> Any:
    from whist_agents.net import house_file, load_net

    return load_net(house_file(rules))


# The actions of a deal --------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Deed:
    """Something that was done in a deal.

    Attributes:
        action: the action.
        is_laid_aside: whether it is a card that was laid aside or passed on.
    """

    action: int
    is_laid_aside: bool


def deeds(table: Table) -> list[Deed]:
    """What was done in the deal so far, in order.

    Raises:
        ValueError: nothing that the rules allow leads from the deal to the table.
    """
    begun = _begun(table)
    found = _Way(begun.record, table).on_from(begun)
    if found is None:
        raise ValueError(
            f"this deal of {table.game.name} cannot be played again: no calls lead "
            "from its start to the position; leave out net="
        )
    return found


def _begun(table: Table) -> Table:
    """A table at the start of its deal, but that totals are as they are now."""
    memory = np.frombuffer(table.record.tobytes(), np.uint8).copy()
    _deal_again(table.game.rules)(memory)
    return Table(table.game, memory)


class _Way:
    """The way from the start of a deal to a position, looked for in depth first.

    Cards are kept in the order in which they were played. What is kept of calls shows
    soon when one is wrong.

    Args:
        begun: the record at the start of the deal.
        table: the table in the position.
    """

    def __init__(self, begun: Any, table: Table) -> None:
        self._begun = begun
        self._target = table.record
        self._pile = PILES.get(table.game.name)
        piles = () if self._pile is None else (self._pile,)
        self._kept = (*CALLS.get(table.game.name, ()), *piles)

    def on_from(self, table: Table) -> list[Deed] | None:
        """What was done from a table on; None if nothing leads to the position."""
        before = table.record
        if self._is_reached(before):
            return []
        for action in self._possible(table):
            after = table.clone()
            after.apply(action)
            if self._is_on_the_way(after.record):
                rest = self.on_from(after)
                if rest is not None:
                    is_played = after.record.cards_played > before.cards_played
                    return [Deed(action, action < CARDS and not is_played), *rest]
        return None

    def _possible(self, table: Table) -> list[int]:
        """Any call, the card that was played next, and one that was laid aside."""
        now = table.record
        cards = {int(self._target.history[now.cards_played])}
        if self._pile is not None:
            left = int(self._target[self._pile][now.seat] & ~now[self._pile][now.seat])
            cards.add((left & -left).bit_length() - 1)
        return [a for a in table.legal_actions() if a >= CARDS or a in cards]

    def _is_on_the_way(self, now: Any) -> bool:
        """Whether all that was done is kept in the position as well."""
        target, begun = self._target, self._begun
        played = int(now.cards_played)
        if now.over or now.deal_number != target.deal_number:
            return False
        if played > target.cards_played:
            return False
        if (now.history[:played] != target.history[:played]).any():
            return False
        if (now.history_seats[:played] != target.history_seats[:played]).any():
            return False
        return all(
            _leads_to(begun[name], now[name], target[name]) for name in self._kept
        )

    def _is_reached(self, now: Any) -> bool:
        target = self._target
        if now.cards_played != target.cards_played or now.agent != target.agent:
            return False
        others = (*TOTALS, "reward")
        names = [name for name in target.dtype.names if name not in others]
        return all(np.array_equal(now[name], target[name]) for name in names)


def _leads_to(begun: Any, now: Any, target: Any) -> bool:
    """Whether a field may go on to a value: set by set of cards, else one by one."""
    if now.dtype == np.uint64:
        return not np.any(now & ~target)
    return bool(np.all((now == begun) | (now == target)))


# The deal again, in many worlds -----------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Decision:
    """A decision of another agent, in those worlds in which it had a choice.

    Attributes:
        worlds: the numbers of these worlds.
        actions: what was done in each.
        observation: what was observed in each, ``(len, features.size)`` int8.
        action_mask: what was legal in each, ``(len, num_actions)`` int8.
    """

    worlds: _Integers
    actions: _Integers
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]


def _decisions(table: Table, worlds: npt.NDArray[Any]) -> Iterator[_Decision]:
    """Every decision of the others in this deal that counts, in turn."""
    past = deeds(table)
    if not past:
        return
    tables = Tables(table.game, len(worlds), 0, dtype=np.int8)
    tables.reset()
    tables.records[:] = worlds
    _deal_again(table.game.rules)(tables.records.view(np.uint8))
    for name, added in _added(table, past).items():
        tables.records[name] -= added
    batch = tables.look()
    for deed in past:
        actions = _in_each(table.game.name, worlds, tables.records, deed)
        counts = (batch.agent != table.agent) & (batch.action_mask.sum(1) > 1)
        rows = np.flatnonzero(counts & (not deed.is_laid_aside))
        if len(rows):
            observation, mask = batch.observation[rows], batch.action_mask[rows]
            yield _Decision(rows, actions[rows], observation, mask)
        batch = tables.step(actions)
    tables.close()


def _added(table: Table, past: list[Deed]) -> dict[str, Any]:
    """What this deal has added to each total so far."""
    begun = _begun(table)
    now = begun.clone()
    for deed in past:
        now.apply(deed.action)
    names = [name for name in TOTALS if name in begun.record.dtype.names]
    return {name: now.record[name] - begun.record[name] for name in names}


def _in_each(
    game: str, worlds: npt.NDArray[Any], now: npt.NDArray[Any], deed: Deed
) -> _Integers:
    """What was done in each world, as far as it is hidden: there it may be other."""
    rows, seats = np.arange(len(worlds)), now["seat"]
    if deed.is_laid_aside:
        pile = PILES[game]
        left = worlds[pile][rows, seats] & ~now[pile][rows, seats]
        lowest = left & (~left + np.uint64(1))
        cards: _Integers = np.bitwise_count(lowest - np.uint64(1)).astype(np.int64)
        return cards
    if game == "french_boston" and deed.action in (DEMAND_PETITE, DEMAND_BELLE_HIDDEN):
        in_belle = worlds["laid"][rows, seats] == now["belle"]
        return np.where(in_belle, DEMAND_BELLE_HIDDEN, DEMAND_PETITE).astype(np.int64)
    return np.full(len(worlds), deed.action, np.int64)


# What `bind` supplies for each game.
RECORD: np.dtype[Any]
deal_out: Callable[[Record], None]


def deal_again(memory: npt.NDArray[np.uint8]) -> None:
    """Put tables back to where their deal began."""
    tables = memory.view(RECORD)  # noqa: F821
    for index in range(tables.size):
        deal_out(tables[index])  # noqa: F821


@functools.cache
def _deal_again(rules: Rules) -> Any:
    """`deal_again` for a game."""
    module = importlib.import_module(f"whist_env.games.{rules.name}")
    return bind(deal_again, rules, {"deal_out": module.deal_out}, Path(__file__))
