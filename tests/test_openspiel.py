"""The card play of Bridge Whist against that of OpenSpiel's bridge, card by card."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import whist_env

pyspiel = pytest.importorskip("pyspiel")

DEALS = 10_000
SPADES, CLUBS, DIAMONDS, HEARTS, NOTRUMP = range(52, 57)
THEIR_PASS, THEIR_FIRST_BID = 52, 55
THEIR_BIDS = {CLUBS: 0, DIAMONDS: 1, HEARTS: 2, SPADES: 3, NOTRUMP: 4}
"""One trick in each denomination, in the order in which OpenSpiel ranks them."""
ODD_TRICK = {CLUBS: 20, DIAMONDS: 20, HEARTS: 30, SPADES: 30, NOTRUMP: 30}


def their_card(card: Any) -> Any:
    """OpenSpiel counts cards by rank first."""
    return 4 * (card % 13) + card // 13


def their_deal(pack: npt.NDArray[np.int8], dealer: int) -> Any:
    """A state of OpenSpiel in which these cards are dealt, from its seat 0 on."""
    state = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    state = state.new_initial_state()
    by_seat = np.empty(52, np.int64)
    for place, card in enumerate(pack.tolist()):
        seat = (dealer + 1 + place) % 4
        by_seat[4 * (place // 4) + seat] = card
    for card in by_seat.tolist():
        state.apply_action(their_card(card))
    return state


def declare(state: Any, dealer: int, declaration: int) -> None:
    """Let our dealer be their declarer."""
    for _ in range(dealer):
        state.apply_action(THEIR_PASS)
    state.apply_action(THEIR_FIRST_BID + THEIR_BIDS[declaration])
    for _ in range(3):
        state.apply_action(THEIR_PASS)


def their_score(declaration: int, tricks: int) -> int:
    """What a contract of one, not vulnerable, earns in bridge, from its law 77."""
    if tricks < 7:
        return -50 * (7 - tricks)
    first = 10 if declaration == NOTRUMP else 0
    odd_tricks = first + ODD_TRICK[declaration] * (tricks - 6)
    contract = first + ODD_TRICK[declaration]
    return odd_tricks + (300 if contract >= 100 else 50)


def test_tricks_fall_as_in_openspiels_bridge_over_ten_thousand_deals() -> None:
    tables = whist_env.vector(
        "bridge_whist", DEALS, seed=1, dtype="int8", observations=False
    )
    batch = tables.reset()
    rng = np.random.default_rng(1)
    packs = tables.records["pack"].copy()
    dealers = tables.records["dealer"].tolist()
    declarations = rng.integers(SPADES, NOTRUMP + 1, DEALS)
    batch = tables.step(declarations)
    pass_ = tables.game.action_names.index("pass")
    for _ in range(2):
        batch = tables.step(np.full(DEALS, pass_))
    states = [their_deal(*deal) for deal in zip(packs, dealers, strict=True)]
    for state, dealer, declaration in zip(states, dealers, declarations, strict=True):
        declare(state, dealer, int(declaration))
    suits, ranks = np.divmod(np.arange(52), 13)
    theirs = np.empty(52, np.int64)
    theirs[4 * ranks + suits] = np.arange(52)
    for _ in range(52):
        actions = tables.sample_actions()
        masks = batch.action_mask[:, theirs]
        cards = their_card(actions)
        for row, state in enumerate(states):
            assert state.current_player() == batch.agent[row]
            assert state.legal_actions() == np.flatnonzero(masks[row]).tolist()
            state.apply_action(int(cards[row]))
        batch = tables.step(actions)
    ours = tables.finished["tricks"]
    for row, (state, dealer) in enumerate(zip(states, dealers, strict=True)):
        assert state.is_terminal()
        tricks = int(ours[row, dealer % 2])
        assert state.returns()[dealer] == their_score(int(declarations[row]), tricks)
