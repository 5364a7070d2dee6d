"""Helpers for tests of Boston de Fontainebleau and of its variant."""

from __future__ import annotations

import random
from typing import Any

from contract import Options
from oracle_boston_de_fontainebleau import Match
from whist_tables import deal_with

from whist_env.cards import card_name, members
from whist_env.envs.game import Game, game
from whist_env.envs.table import Table

PLAIN_DEAL = deal_with()
SEVEN_HEARTS = deal_with("HA HK HQ HJ HT H9 H8")
FOUR_PASSES = ("pass",) * 4


READINGS: dict[str, list[Any]] = {
    "suit_order": ["DHCS", "HDCS"],
    "partner": [True, True, False],
    "discards": ["all", "caller"],
    "expose": ["before_lead", "after_first_trick"],
    "all_pass": ["next_dealer", "same_dealer"],
    "passed_stake": ["stays", "returned"],
    "alliance_row": ["bid", "target"],
    "odd_counter": ["caller", "partner"],
    "divide_leftover": [True, False],
    "honours": [True, False],
    "reward": ["points", "points", "match"],
    "level_step": [20, 1, 50],
    "level_growth": [0, 3],
    "black_suits": ["alike", "differ"],
    "over_trick": [5, 1],
    "under_trick": [None, 0, 7],
    "slam_failure": ["flat", "by_tricks"],
    "piccolissimo": [100, 33],
}
LENGTHS: list[dict[str, Any]] = [{}, {"deals": 1}, {"deals": 3}, {"episode": "game"}]


class FontainebleauReferee:
    """A slow oracle as a referee."""

    oracle = Match
    match: Match | None = None

    def __init__(self, options: Options) -> None:
        known = self.oracle.defaults
        self.options = {name: options[name] for name in options if name in known}

    def deal(self, table: Table) -> None:
        record = table.record
        if self.match is None:
            self.match = self.oracle(self.options, int(record.dealer))
        assert self.match.dealer == record.dealer
        self.match.start_deal([names_of(hand) for hand in record.dealt])
        self.dealt = [set(members(hand)) for hand in record.dealt]
        self.seen: set[int] = set()

    def agent(self) -> int:
        assert self.match is not None
        return -1 if self.match.over else self.match.seat

    def legal_actions(self) -> list[int]:
        assert self.match is not None
        return sorted(map(self.number_of, self.match.legal()))

    def play(self, action: int) -> list[int]:
        assert self.match is not None
        earned = self.match.play(self.name_of(action))
        shown = [*self.match.played, *self.match.open_hand()]
        self.seen |= set(map(self.number_of, shown))
        return earned

    def knows(self, agent: int) -> set[int]:
        return self.seen | self.dealt[agent]

    def number_of(self, action: str) -> int:
        """Cards by suit and rank, then the calls as the rules list them."""
        return self.oracle.actions.index(action)

    def name_of(self, action: int) -> str:
        return self.oracle.actions[action]


def piles(record: Any) -> list[int]:
    """The discards of a table."""
    return [card for cards in record.discards for card in members(cards)]


def random_options(rng: random.Random) -> Options:
    """Any length of an episode with any reading of each open point."""
    options: Options = {name: rng.choice(values) for name, values in READINGS.items()}
    if not options["partner"]:
        del options["alliance_row"], options["odd_counter"]
    if options["honours"]:
        options["honours_on_failure"] = rng.choice([True, False])
    options["shuffle"] = rng.choice(["fresh", "gather_and_cut"])
    return options | rng.choices(LENGTHS, [4, 3, 2, 1])[0]


def names_of(cards: Any) -> list[str]:
    return [card_name(card) for card in members(cards)]


def do(table: Table, *actions: str) -> None:
    """Carry out actions by their names."""
    for action in actions:
        table.apply(table.game.action_names.index(action))


def legal_names(table: Table) -> list[str]:
    return [table.game.action_names[action] for action in table.legal_actions()]


def bought(played: Game, bid: str, deal: str = PLAIN_DEAL, **position: Any) -> Table:
    """A table at which seat 0 has the contract; seat 3 deals unless it is said."""
    table = played.new_table(0, **{"deal": deal, "dealer": 3, **position})
    do(table, *["pass"] * ((4 - table.agent) % 4), bid)
    while len(table.record.passed.nonzero()[0]) < 3:
        do(table, "pass")
    return table


def finish(table: Table, tricks: int) -> list[float]:
    """Play the deal of a one-deal episode out so that the caller's side takes these.

    Returns:
        The rewards of the last card.
    """
    rng = random.Random(0)
    names, avoided = table.game.action_names, ("whist", "declare")
    for _ in range(5000):
        trial = table.clone()
        played = []
        while not trial.is_over:
            legal = trial.legal_actions()
            # Nobody else is a partner, and nobody declares a carte blanche.
            played.append(rng.choice([a for a in legal if names[a] not in avoided]))
            trial.apply(played[-1])
        record = trial.record
        allies = {int(record.caller), int(record.partner)} - {-1}
        if sum(int(record.tricks_won[seat]) for seat in allies) == tricks:
            for action in played:
                table.apply(action)
            return table.rewards()
    raise AssertionError(f"no way was found to take {tricks} tricks with this deal")


def play_on(table: Table, rng: random.Random) -> None:
    """Play at random to the end of the deal in progress."""
    deals = table.record.deals_played
    while table.record.deals_played == deals:
        table.apply(likely(table, rng))


def likely(table: Table, rng: random.Random) -> int:
    """A random action; mostly low bids, so that every contract is played."""
    legal = table.legal_actions()
    if legal[0] != 52 or len(legal) == 2:
        return rng.choice(legal)
    return 52 if rng.random() < 0.6 else rng.choice(rng.choice([legal, legal[:9]]))


def compare_episode(
    name: str, referee_of: type[FontainebleauReferee], options: Options, seed: int
) -> Table:
    """Play an episode at random, comparing with the oracle at every step."""
    rng = random.Random(seed)
    table = game(name, **options).new_table(seed)
    referee = referee_of(options)
    referee.deal(table)
    while not table.is_over:
        assert table.agent == referee.agent()
        assert table.legal_actions() == referee.legal_actions()
        deals = int(table.record.deals_played)
        action = likely(table, rng)
        earned = referee.play(action)
        table.apply(action)
        assert table.rewards() == earned
        if table.record.deals_played > deals and not table.is_over:
            referee.deal(table)
    match = referee.match
    assert match is not None
    assert match.over
    assert table.record.points.tolist() == match.totals
    assert table.record.pool == match.pool
    return table
