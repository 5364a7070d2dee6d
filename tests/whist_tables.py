"""Helpers for tests of Whist: deals with chosen cards, played to a chosen result.

Cards are written as ``"SA"``; seats 0 and 2 are side 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from whist_env.cards import (
    RANKS,
    SUITS,
    card_name,
    card_set,
    deal_text,
    members,
    parse_card,
    parse_deal,
)
from whist_env.engine.tricks import beats
from whist_env.envs.game import Game, game
from whist_env.envs.table import Table
from whist_env.games import whist

PRESETS = whist.WhistOptions.__dataclass_fields__["scoring"].metadata["values"]
WITH_RUBBERS = ("short5", "robber")


def whist_game(**options: Any) -> Game:
    """Whist with these options."""
    return game("whist", **options)


def deal_with(*wanted: str) -> str:
    """A deal in which each seat holds the cards wanted, parted by spaces.

    All others are dealt round from the ace down, suit by suit from spades, so that
    neighbours in rank go to neighbours at the table: no honours or sequences arise by
    accident.
    """
    hands = [seat.split() for seat in [*wanted, "", "", "", ""][:4]]
    placed = {card for hand in hands for card in hand}
    seat = 0
    for suit in reversed(SUITS):
        for rank in reversed(RANKS):
            if suit + rank not in placed:
                while len(hands[seat]) == 13:
                    seat = (seat + 1) % 4
                hands[seat].append(suit + rank)
                seat = (seat + 1) % 4
    return deal_text([card_set(map(parse_card, hand)) for hand in hands])


def a_card_of(deal: str, seat: int, suit: str = "S") -> str:
    """The lowest card of a suit in a hand of a deal."""
    held = parse_deal(deal)[seat]
    return next(card_name(card) for card in members(held) if card_name(card)[0] == suit)


def new_table(deal: str, trump: str = "S", dealer: int = 0, **how: Any) -> Table:
    """A table with a deal on it; options and the parts of a position as keywords."""
    position = {key: how.pop(key) for key in ("scores", "games") if key in how}
    turned = a_card_of(deal, dealer, trump)
    return whist_game(**how).new_table(
        0, deal=deal, turned=turned, dealer=dealer, **position
    )


def changed(table: Table, change: Callable[[Any], None]) -> Table:
    """A table like this one but for a change of its record."""
    records = np.array([table.record], table.record.dtype)
    change(records[0])
    return Table(table.game, records.view(np.uint8))


def redeal(table: Table, deal: str, trump: str = "S") -> Table:
    """A table like this one with another deal, of which no card has been played."""

    def change(record: Any) -> None:
        assert record.cards_played == 0
        record.pack[:] = new_table(deal, trump, int(record.dealer)).record.pack
        whist.deal_out(record)

    return changed(table, change)


def play_deal(table: Table, tricks: int) -> list[int]:
    """Play the deal on the table out so that side 0 takes this many tricks.

    Returns:
        The rewards of the last card.
    """
    rng = random.Random(0)
    for _ in range(500):
        actions = _try_to_take(table.clone(), tricks, rng)
        if actions is not None:
            for action in actions:
                table.apply(action)
            return table.rewards()
    raise AssertionError(f"no way was found to take {tricks} tricks with this deal")


def _try_to_take(table: Table, tricks: int, rng: random.Random) -> list[int] | None:
    before = int(table.record.tricks[0])
    actions: list[int] = []
    for trick in range(13):
        missing = tricks - sum(table.record.tricks_won[::2].tolist())
        side = 0 if rng.randrange(13 - trick) < missing else 1
        for _ in range(4):
            actions.append(_card_for(table, side))
            table.apply(actions[-1])
    return actions if table.record.tricks[0] - before == tricks else None


def _card_for(table: Table, side: int) -> int:
    """A card with which this side may win the trick."""
    record = table.record
    trump = int(record.trump)
    by_strength = sorted(
        table.legal_actions(), key=lambda card: (card // 13 == trump, card % 13)
    )
    if table.agent % 2 == side:
        return by_strength[-1]
    if record.cards_in_trick == 0:
        return by_strength[0]
    best = int(record.trick[record.winner])
    losing = [card for card in by_strength if not beats(card, best, trump)]
    return losing[-1] if losing else by_strength[0]


def play_at_random(table: Table, rng: random.Random) -> None:
    """Play to the end of the episode."""
    while not table.is_over:
        table.apply(rng.choice(table.legal_actions()))


def twin_deal(table: Table, seat: int, rng: np.random.Generator) -> dict[str, Any]:
    """Reset options for a deal that a seat cannot tell from the one on the table.

    Cards that the seat has not seen change places among the other seats, as far as the
    play so far allows: a seat that did not follow suit gets no card of that suit, and a
    card that was turned in the sight of all stays with the dealer.
    """
    record = table.record
    seats = range(len(record.hands))
    unseen = {s: list(members(record.hands[s])) for s in seats if s != seat}
    turned = int(record.turned) if "turned" in record.dtype.names else None
    fixed = [(s, turned) for s in unseen if turned in unseen[s]]
    for holder, card in fixed:
        unseen[holder].remove(card)

    def may_hold(holder: int, card: int) -> bool:
        return not int(record.voids[holder]) >> (card // 13) & 1

    holders = [holder for holder in unseen if unseen[holder]]
    for chance in rng.random((150, 4)) if len(holders) > 1 else ():
        one = holders[int(chance[0] * len(holders))]
        other = holders[int(chance[1] * len(holders))]
        i, j = int(chance[2] * len(unseen[one])), int(chance[3] * len(unseen[other]))
        if may_hold(one, unseen[other][j]) and may_hold(other, unseen[one][i]):
            unseen[one][i], unseen[other][j] = unseen[other][j], unseen[one][i]

    hands = {s: set(cards) for s, cards in unseen.items()}
    hands[seat] = set(members(record.hands[seat]))
    for holder, card in fixed:
        hands[holder].add(card)
    for place in range(record.cards_played):
        hands[int(record.history_seats[place])].add(int(record.history[place]))
    bits = [sum(1 << card for card in hands[s]) for s in seats]
    options: dict[str, Any] = {"deal": deal_text(bits), "dealer": int(record.dealer)}
    if turned is not None:
        options["turned"] = card_name(turned)
    return options
