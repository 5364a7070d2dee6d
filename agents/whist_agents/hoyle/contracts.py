"""Contracts of one player, or of two allies, against the others: discards and play."""

from __future__ import annotations

from whist_agents.hoyle.avoiding import avoid, force
from whist_agents.hoyle.evaluation import most_dangerous, sure_trick
from whist_agents.hoyle.mind import ME, Mind, side_with
from whist_agents.hoyle.questions import (
    is_in,
    length,
    rank_in_play,
    suit_in_play,
)
from whist_env.cards import NO_CARDS, count, lowest, single, without, without_lowest
from whist_env.engine.compile import rule

# Discarding a card before the play ----------------------------------------------------


@rule
def discard_before_misere(mind: Mind, caller: int) -> int:
    """A caller who must take no trick puts the most dangerous card aside."""
    if caller == ME:
        return most_dangerous(mind, mind.legal)
    return discard_against_misere(mind)


@rule
def discard_before_one_trick(mind: Mind, caller: int) -> int:
    """A caller who must take one trick does so, too, but keeps his highest card."""
    if caller == ME and count(mind.legal) > 1:
        return most_dangerous(mind, without(mind.legal, single(sure_trick(mind))))
    return discard_against_misere(mind)


@rule
def discard_against_misere(mind: Mind) -> int:
    """The others keep low cards, and would be void: a high card of a short suit."""
    best = lowest(mind.legal)
    most = -10000
    cards = mind.legal
    while cards != NO_CARDS:
        card = lowest(cards)
        cards = without_lowest(cards)
        worth = rank_in_play(mind, card) - 2 * length(mind, suit_in_play(mind, card))
        if worth > most:
            best = card
            most = worth
    return best


# Playing ------------------------------------------------------------------------------


@rule
def join_side(mind: Mind, allies: int) -> None:
    """The allies are one side, all others the other.

    Args:
        mind: what `read` has filled.
        allies: the set of seats of the caller's side.
    """
    for seat in range(1, int(mind.seats)):
        if is_in(allies, seat) == is_in(allies, ME):
            side_with(mind, seat)


@rule
def play_misere(mind: Mind, caller: int) -> int:
    """The card to play where the caller must take no trick, or no more."""
    if caller == ME:
        mind.trick_price = 1
        return avoid(mind)
    return force(mind, caller)
