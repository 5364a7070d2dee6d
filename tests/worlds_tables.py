"""Helpers for tests of worlds: positions, and deals that an agent cannot tell apart."""

from __future__ import annotations

import collections
import importlib
import itertools
import random
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import card_set, members
from whist_env.envs.game import Game
from whist_env.games import boston, boston_de_fontainebleau, french_boston
from whist_env.games.omnibus_hearts import PASS, giver, receiver

DISCARD = {
    "boston": boston.DISCARD,
    "boston_de_fontainebleau": boston_de_fontainebleau.DISCARD,
    "russian_boston": boston_de_fontainebleau.DISCARD,
    "french_boston": french_boston.DISCARD,
}
"""The phase in which cards are laid aside, by game."""
HIDDEN_DEMANDS = (french_boston.DEMAND_PETITE, french_boston.DEMAND_BELLE_HIDDEN)


class Position(NamedTuple):
    """The start of a deal, what was done since, and the table now."""

    start: Table
    actions: list[int]
    table: Table


class Manner(NamedTuple):
    """How calls and cards are chosen, so that what is rare comes up.

    Attributes:
        calls: calls that are made when they are legal, more often than not.
        kept: suits of which all keep their cards to the end.
    """

    calls: tuple[str, ...] = ()
    kept: tuple[int, ...] = ()


# Playing ----------------------------------------------------------------------------


def choose(table: Table, manner: Manner, rng: random.Random) -> int:
    """A legal action: wanted calls, then passes; cards of short suits, none kept."""
    names = table.game.action_names
    legal = table.legal_actions()
    for wanted, chance in ((manner.calls, 0.6), (("pass", "silent"), 0.9)):
        calls = [call for call in legal if names[call] in wanted]
        if calls and rng.random() < chance:
            return rng.choice(calls)
    cards = [card for card in legal if card < 52]
    if not cards:
        return rng.choice(legal)
    cards = [card for card in cards if card // 13 not in manner.kept] or cards
    held = [card // 13 for card in members(table.record.hands[table.record.seat])]
    fewest = min(held.count(card // 13) for card in cards)
    short = [card for card in cards if held.count(card // 13) == fewest]
    return rng.choice(short if rng.random() < 0.7 else cards)


def positions(
    game: Game, seed: int, manner: Manner, longest: int = 16, **given: Any
) -> Iterator[Position]:
    """Positions of one episode, some actions apart."""
    rng = random.Random(seed)
    table = game.new_table(seed, **given)
    start, actions = table.clone(), []
    while True:
        for _ in range(rng.randrange(1, longest)):
            actions.append(choose(table, manner, rng))
            deals = int(table.record.deals_played)
            table.apply(actions[-1])
            if table.is_over:
                return
            if table.record.deals_played > deals:
                start, actions = table.clone(), []
        yield Position(start, list(actions), table.clone())


def at(game: Game, record: Any) -> Table:
    """A table in the position of a record."""
    return Table(game, np.frombuffer(record.tobytes(), np.uint8).copy())


def changed(table: Table, **fields: Any) -> Table:
    """A copy of a table in which some fields are set by force."""
    other = table.clone()
    record = other._memory.view(table.game.rules.record)[0]
    for name, value in fields.items():
        record[name] = value
    return other


# Deals that look alike --------------------------------------------------------------


class Look:
    """What an agent observes from the start of a deal on, and what it may do."""

    def __init__(self, position: Position, agent: int) -> None:
        game = position.table.game
        self.position = position
        self.agent = agent
        self._observation = np.empty(game.features.size, np.int8)
        self._mask = np.empty(game.num_actions, np.int8)
        table = position.start.clone()
        self.hidden, self.sights = {}, [self.sight(table)]
        for step, action in enumerate(position.actions):
            if table.agent != agent and is_hidden(table, action):
                self.hidden[step] = int(table.record.seat)
            table.apply(action)
            self.sights.append(self.sight(table))
        assert table == position.table

    def sight(self, table: Table) -> bytes:
        """What the agent sees now, and who acts."""
        table.see(self.agent, self._observation, self._mask)
        seen = self._observation.tobytes() + self._mask.tobytes()
        return seen + bytes([table.agent + 1])

    def dealt(self, world: Any) -> Table:
        """The start of the deal with the pack of a world, dealt by the game."""
        game = self.position.table.game
        table = changed(self.position.start, pack=world.pack, seed=world.seed)
        rules = importlib.import_module(f"whist_env.games.{game.name}")
        rules.deal_out(table._memory.view(game.rules.record)[0])
        return table

    def replayed(self, world: Any) -> Table | None:
        """The table of a world, reached from its deal by legal actions.

        None where an action is not legal, or the agent sees a difference on the way.
        """
        table = changed(
            self.position.start,
            pack=world.pack,
            seed=world.seed,
            hands=world.dealt,
            dealt=world.dealt,
        )
        for step, sight in enumerate(self.sights):
            if self.sight(table) != sight:
                return None
            if step < len(self.position.actions):
                action = self.position.actions[step]
                if step in self.hidden:
                    action = hidden_choice(table, world, self.hidden[step], action)
                try:
                    table.apply(action)
                except IllegalAction:
                    return None
        return table


def is_hidden(table: Table, action: int) -> bool:
    """Whether others cannot see which action this is."""
    name, record = table.game.name, table.record
    if name == "omnibus_hearts":
        return bool(record.phase == PASS)
    if name in DISCARD and record.phase == DISCARD[name]:
        return True
    return name == "french_boston" and action in HIDDEN_DEMANDS


def hidden_choice(table: Table, world: Any, seat: int, action: int) -> int:
    """What a seat has done in a world, where others could not see what it was."""
    if action in HIDDEN_DEMANDS:
        return HIDDEN_DEMANDS[int(world.laid[seat] == table.record.belle)]
    if table.game.name == "omnibus_hearts":
        return next(members(world.passed[seat] & ~table.record.passed[seat]))
    return next(members(world.discards[seat]))


# All of them ------------------------------------------------------------------------

Parts = tuple[int, ...]
"""The cards of each hand, then those laid aside by each seat, then suits laid."""


def parts_of(record: Any) -> Parts:
    """Where the cards lie in a record."""
    return next(iter(parts_of_all(np.array([record], record.dtype))))


def parts_of_all(records: Any) -> collections.Counter[Parts]:
    """Where the cards lie in records of a table, and how often they lie so."""
    aside = np.zeros_like(records["hands"])
    laid = np.zeros((len(records), 0), np.uint64)
    names = records.dtype.names
    if "discards" in names:
        aside = records["discards"]
    if "laid" in names:
        laid = records["laid"].astype(np.uint64)
    if "taken" in names and records["phase"][0] == PASS:
        aside = records["passed"]
    rows, times = np.unique(
        np.hstack([records["hands"], aside, laid]), axis=0, return_counts=True
    )
    counted = zip(map(tuple, rows.tolist()), times.tolist(), strict=True)
    return collections.Counter(dict(counted))


def all_parts(look: Look, most: int) -> dict[Parts, Table] | None:
    """All ways in which cards may lie that look the same, and a table of each.

    Every deal of the cards that were not played and are not the agent's own is tried.

    Returns:
        None if there are too many to try.
    """
    record = look.position.table.record
    game = look.position.table.game
    parts = list(parts_of(record))
    seats = record.hands.size
    own = game.rules.seat_of(record, look.agent)
    places = [place for place in range(2 * seats) if place % seats != own]
    sizes = [parts[place].bit_count() for place in places]
    unseen = [card for place in places for card in members(parts[place])]
    laid = list(laid_suits(record, own))
    if ways_to_divide(sizes) * len(laid) > most:
        return None
    found = {}
    for division, suits in itertools.product(divisions(unseen, sizes), laid):
        for place, cards in zip(places, division, strict=True):
            parts[place] = int(card_set(cards))
        world = assembled(look, tuple(parts[: 2 * seats]), suits)
        table = None if world is None else look.replayed(world)
        if table is not None:
            laid_now = [suit % 2**64 for suit in suits]
            found[(*parts[: 2 * seats], *laid_now)] = table
    return found


def laid_suits(record: Any, own: int) -> Iterable[tuple[int, ...]]:
    """The suits that may have been laid for demands, as far as they are hidden."""
    if "laid" not in record.dtype.names:
        return [()]
    hidden = [
        seat != own and bool(french_boston.has_called(record, seat, HIDDEN_DEMANDS[0]))
        for seat in range(4)
    ]
    suits = [
        (int(record.belle), int(record.petite)) if is_hidden else (int(suit),)
        for suit, is_hidden in zip(record.laid, hidden, strict=True)
    ]
    return itertools.product(*suits)


def ways_to_divide(sizes: list[int]) -> int:
    """How many ways there are to divide cards into sets of these sizes."""
    ways, total = 1, 0
    for size in sizes:
        for part in range(1, size + 1):
            total += 1
            ways = ways * total // part
    return ways


def divisions(cards: list[int], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to divide cards into sets of these sizes."""
    if not sizes:
        yield []
        return
    for chosen in itertools.combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in chosen]
        for others in divisions(rest, sizes[1:]):
            yield [chosen, *others]


def assembled(look: Look, parts: Parts, laid: tuple[int, ...]) -> Any:
    """A world with these parts: its pack and its hidden choices; None if impossible."""
    record, start = look.position.table.record, look.position.start.record
    seats = record.hands.size
    held = [parts[seat] | int(record.played[seat]) for seat in range(seats)]
    world = SimpleNamespace(seed=record.seed, discards=parts[seats:], laid=laid)
    dealt = [held[seat] | parts[seats + seat] for seat in range(seats)]
    if "taken" in record.dtype.names:
        world.passed = parts[seats:]
        if record.phase != PASS and record.pass_distance > 0:
            world.passed = [passed_on(look, held, seat) for seat in range(seats)]
            dealt = [
                held[seat] & ~world.passed[giver(record, seat)] | world.passed[seat]
                for seat in range(seats)
            ]
    order = [
        next(seat for seat in range(seats) if int(start.dealt[seat]) >> card & 1)
        for card in start.pack.tolist()
        if card >= 0
    ]
    if [cards.bit_count() for cards in dealt] != [order.count(s) for s in range(seats)]:
        return None
    waiting = [list(members(cards)) for cards in dealt]
    last = int(start.pack[len(order) - 1])
    if last in waiting[order[-1]]:
        waiting[order[-1]].remove(last)
        waiting[order[-1]].append(last)
    world.dealt = np.array(dealt, np.uint64)
    pack = [waiting[seat].pop(0) for seat in order]
    if pack[-1] != last and {"turned", "turn_up"} & set(record.dtype.names):
        return None
    world.pack = pack + [-1] * (52 - len(pack))
    return world


def passed_on(look: Look, held: list[int], seat: int) -> int:
    """Cards that a seat may have passed on to one that began to play with some cards.

    The true ones where the agent knows them, else any.
    """
    record = look.position.table.record
    to = receiver(record, seat)
    if look.agent in (seat, to):
        return int(record.passed[seat])
    cards = list(members(held[to]))
    return int(card_set(cards[: record.options.cards_passed]))


def game_of(name: str, **options: Any) -> Game:
    """A game."""
    return whist_env.game(name, **options)
