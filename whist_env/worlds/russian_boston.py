"""Worlds of Russian Boston: those of Boston de Fontainebleau, with cartes blanches.

A declared carte blanche proves what the hand did not hold, and where one is always
declared, silence proves that the hand held a trump, or by the other reading a king,
queen or jack.
"""

from __future__ import annotations

import numpy as np

from whist_env.cards import NO_CARDS, single, whole_suit
from whist_env.engine.compile import rule
from whist_env.engine.record import Record
from whist_env.games.boston_de_fontainebleau import SEATS
from whist_env.games.russian_boston import (
    AUTO,
    COURT_CARDS,
    DECLARED,
    NO_COURT_CARD,
    NOT_ASKED,
)
from whist_env.worlds.boston_de_fontainebleau import draw, note, places
from whist_env.worlds.counting import (
    PLAN,
    Plan,
    bar,
    complaint,
    marginals,
    number,
    pile_of,
    prepare,
    require,
)

__all__ = ["PLAN", "complaint", "draw", "marginals", "number", "places", "read"]


@rule
def read(record: Record, agent: int, plan: Plan) -> None:
    """Take note of what an agent knows, and count."""
    note(record, agent, plan)
    for seat in range(SEATS):
        note_answer(record, plan, seat)
    prepare(plan)


@rule
def note_answer(record: Record, plan: Plan, seat: int) -> None:
    """What a seat has said before its first card.

    A hand without a trump has none now and, where there are trumps, has discarded
    nothing. Court cards are counted as they were dealt.
    """
    if record.answers[seat] == NOT_ASKED:
        return
    cards = COURT_CARDS
    if record.options.carte_blanche_hand != NO_COURT_CARD:
        cards = whole_suit(record.trump)
    pile = pile_of(plan, seat)
    if record.answers[seat] == DECLARED:
        bar(plan, seat, cards)
        bar(plan, pile, cards)
    elif record.options.carte_blanche == AUTO:
        seen = plan.held[seat] | plan.held[pile] | record.played[seat]
        if seen & cards == NO_CARDS:
            require(plan, np.uint64(single(seat) | single(pile)), cards)
