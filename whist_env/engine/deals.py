"""Deals: what comes before the play in every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    RANKS_IN_SUIT,
    card_name,
    count,
    holds,
    members,
    nth,
    parse_card,
    parse_deal,
    single,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.options import NOT_GIVEN, is_whole, number
from whist_env.engine.random import CUT, DEALER, TURN_UP, fair_below, stream_start
from whist_env.engine.record import Record, clear_rewards
from whist_env.engine.tricks import NO_CARD


def dealer_option(agents: int) -> Any:
    """The option that names the first dealer, in a game of this many agents."""
    return number(
        None,
        0,
        agents - 1,
        meaning="The first dealer of an episode; None draws one.",
    )


@rule
def begin_episode(record: Record) -> None:
    """Nothing is earned, no deal is played, and the next deal of the stream is due."""
    for agent in range(record.returns.size):
        record.returns[agent] = 0
    clear_rewards(record)
    record.deals_played = 0
    record.over = 0
    record.deal_number += 1


@rule
def first_dealer(record: Record) -> int:
    """The first dealer is given, or drawn (lowest cut, or any draw)."""
    if record.options.dealer != NOT_GIVEN:
        return int(record.options.dealer)
    start = stream_start(record.seed, record.deal_number, DEALER)
    return fair_below(start, 0, record.returns.size)


@rule
def cut_other_pack(record: Record) -> int:
    """The card at which the other pack is cut while it lies still: any of its 52."""
    return fair_below(stream_start(record.seed, record.deal_number, CUT), 0, CARDS)


@rule
def place_in_packets(card: int) -> int:
    """Four, four and five cards at a time to four players: who gets each card.

    Args:
        card: the number of a card of the pack, from 0.

    Returns:
        The place of its receiver in the order in which the cards are dealt.
    """
    return card // 4 % 4 if card < 32 else (card - 32) // 5


# Smaller packs ----------------------------------------------------------------------


def ranks_option(**only: tuple[Any, ...]) -> Any:
    """The option for a pack of fewer ranks; see `choice` for ``only``."""
    meaning = "Ranks in the pack, from the ace down; a smaller game."
    return number(13, 2, 13, meaning=meaning, or_none=False, **only)


def suits_option(**only: tuple[Any, ...]) -> Any:
    """The option for a pack of fewer suits; see `choice` for ``only``."""
    meaning = "Suits in the pack, from clubs up; a smaller game."
    return number(4, 1, 4, meaning=meaning, or_none=False, **only)


@rule
def small_pack(ranks: int, suits: int) -> np.uint64:
    """The pack with the highest ranks of the first suits: all 52 cards at the most."""
    cards = NO_CARDS
    for suit in range(suits):
        for rank in range(RANKS_IN_SUIT - ranks, RANKS_IN_SUIT):
            cards |= single(RANKS_IN_SUIT * suit + rank)
    return cards


def check_small_pack(ranks: int, suits: int, parts: int) -> None:
    """Check that a pack can be dealt in so many equal parts.

    Raises:
        ValueError: it cannot.
    """
    if ranks * suits % parts != 0:
        raise ValueError(
            f"ranks={ranks} and suits={suits} make a pack of {ranks * suits} cards; "
            f"their number must be a multiple of {parts}"
        )


# Setting up a given position --------------------------------------------------------


def check_dealer(dealer: int, agents: int) -> int:
    """The dealer that a user asked for.

    Raises:
        ValueError: there is no such agent.
    """
    if not is_whole(dealer, 0, agents - 1):
        raise ValueError(
            f"dealer={dealer!r} is not a seat; the seats are 0 to {agents - 1}"
        )
    return dealer


def stack_pack(
    record: Record, hands: Sequence[np.uint64], order: Sequence[int]
) -> None:
    """Order the pack so that dealing it out gives these hands.

    Args:
        record: the table.
        hands: a set of cards for each place to which cards are dealt.
        order: the place that gets each card of the pack in turn.

    Raises:
        ValueError: a place gets more or fewer cards than it should.
    """
    waiting = [list(members(cards)) for cards in hands]
    for place, cards in enumerate(waiting):
        if len(cards) != order.count(place):
            raise ValueError(
                f"place {place} of the deal has {len(cards)} cards, but is dealt "
                f"{order.count(place)}"
            )
    record.pack[:] = NO_CARD
    record.gathered[:] = 0
    for number_in_pack, place in enumerate(order):
        record.pack[number_in_pack] = waiting[place].pop(0)


SINGLY: Final = tuple(card % 4 for card in range(CARDS))
"""The place from the dealer's left that gets each card dealt one at a time to four."""


def stack_turned_pack(
    record: Record, deal: str, turned: str | None, places: Sequence[int] = SINGLY
) -> None:
    """Order the pack so that dealing it out gives the hands of a deal.

    Args:
        record: a table at which the dealer is known and turns the last card.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        turned: the card that the dealer turns; drawn from the dealer's hand where it is
            not given.
        places: the place, counted from the dealer's left, that gets each card of the
            pack; the last card is the dealer's.

    Raises:
        TypeError: the deal is no text.
        ValueError: it is no deal, or the dealer does not hold the card.
    """
    hands = list(parse_given_deal(deal, len(places) // 4))
    dealer = int(record.dealer)
    if turned is None:
        start_of_draw = stream_start(record.seed, record.deal_number, TURN_UP)
        last = nth(hands[dealer], fair_below(start_of_draw, 0, count(hands[dealer])))
    else:
        last = parse_card(turned)
        if not holds(hands[dealer], last):
            raise ValueError(
                f"turned={turned!r} is not in the hand of the dealer (seat {dealer})"
            )
    hands[dealer] = without(hands[dealer], single(last))
    stack_pack(record, hands, [(dealer + 1 + place) % 4 for place in places[:-1]])
    record.pack[len(places) - 1] = last


def parse_given_deal(deal: str, size: int = 13) -> tuple[np.uint64, ...]:
    """The four hands of a deal that a user gives, each of this size.

    Raises:
        TypeError: the deal is no text.
        ValueError: it is no deal.
    """
    if not isinstance(deal, str):
        raise TypeError(f"deal={deal!r} must be a text such as deal_text() writes")
    return parse_deal(deal, size)


def check_pack(hands: Sequence[np.uint64], pack: np.uint64) -> None:
    """Check that some sets of cards are parts of a pack without a common card.

    Raises:
        ValueError: they are not.
    """
    seen: set[int] = set()
    for cards in hands:
        for card in members(cards):
            if card in seen:
                raise ValueError(f"{card_name(card)} is in the deal twice")
            if not int(pack) >> card & 1:
                raise ValueError(f"{card_name(card)} is not in the pack of this game")
            seen.add(card)
