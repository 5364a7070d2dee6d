"""The rule-of-thumb player of Cayenne: what it declares and how it plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_env import Table, Tables, Views
from whist_env.cards import deal_text, members, parse_hand
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")
DEALER, LEFT, PARTNER, RIGHT = range(4)

HEARTS = "A5.AKQJ93.743.92"
ALL_SUITS = "AKQ.AK4.AQ32.AJ2"
LOW_CARDS = "A532.432.A43.A42"
LONE_HIGH_CARDS = "KQJT.KQ.KQJT.KQJ"
MIDDLING = "KT76.K76.Q987.T9"
COLD_NULLO = "A2345.A234.A2.A2"


def table_with(
    hands: dict[int, str], *, cut: str = "H7", dealer: int = DEALER, **options: Any
) -> Table:
    """A table where some seats hold these hands, and the others what is left."""
    given = {seat: list(members(parse_hand(hand))) for seat, hand in hands.items()}
    assert all(len(hand) == 13 for hand in given.values())
    left = sorted(set(range(52)) - {card for hand in given.values() for card in hand})
    cards = np.random.default_rng(0).permutation(left).tolist()
    full = [given.get(seat) or [cards.pop() for _ in range(13)] for seat in range(4)]
    deal = deal_text([sum(1 << card for card in hand) for hand in full])
    game = whist_env.game("cayenne", **options)
    return game.new_table(seed=0, deal=deal, cut=cut, dealer=dealer)


def action(table: Table) -> str:
    """What hoyle does at a table."""
    chosen = int(HOYLE.act(view_of(table, 0))[0])
    return table.game.rules.action_names[chosen]


def after(table: Table, *actions: str) -> Table:
    """The table after these calls and cards."""
    for name in actions:
        table.apply(table.game.rules.action_names.index(name))
    return table


def declared(hand: str, cut: str = "H7", **options: Any) -> str:
    """What a dealer with a hand declares."""
    return action(table_with({DEALER: hand}, cut=cut, **options))


def declared_by_partner(hand: str, cut: str = "H7", **options: Any) -> str:
    """What his partner with a hand declares if the dealer passes."""
    table = table_with({PARTNER: hand}, cut=cut, **options)
    return action(after(table, "pass_to_partner"))


# Declaring: spades, hearts, diamonds, clubs -------------------------------------------


def test_a_long_strong_suit_is_declared_where_it_counts_much() -> None:
    assert declared(HEARTS, "H7") == "hearts"
    assert declared(HEARTS, "D7") == "hearts"
    assert declared(HEARTS, "C7", third_red="diamonds") != "hearts"


def test_high_cards_in_all_suits_are_played_at_grand() -> None:
    assert declared(ALL_SUITS) == "grand"


def test_low_cards_are_played_at_nullo() -> None:
    assert declared(COLD_NULLO) == "nullo"
    assert declared(LOW_CARDS) == "nullo"


def test_aces_are_dangers_at_nullo_where_they_count_high() -> None:
    hand = "A2.A2.A2.A765432"
    assert declared(hand, "S7", nullo_ace="low") == "nullo"
    assert declared(hand, "S7", nullo_ace="high") != "nullo"


def test_high_cards_are_not_played_at_nullo() -> None:
    assert declared(LONE_HIGH_CARDS) != "nullo"
    assert declared_by_partner(LONE_HIGH_CARDS) != "nullo"


def test_the_dealer_passes_with_a_middling_hand() -> None:
    for cut in ("C7", "D7", "H7", "S7"):
        assert declared(MIDDLING, cut) == "pass_to_partner"


def test_partner_with_a_middling_hand_names_a_suit_that_counts_little() -> None:
    assert declared_by_partner("9865.T9.K976.QT8", "H2") in ("spades", "clubs")


def test_which_suit_counts_more_is_an_option() -> None:
    hand = "AKQJ9.5.987.T984"
    assert declared(hand, "H2", third_black="spades") == "spades"
    assert declared(hand, "C2") == "spades"


# Play ---------------------------------------------------------------------------------


def test_an_ace_at_nullo_counts_low() -> None:
    table = after(table_with({LEFT: COLD_NULLO}), "nullo", "SA")
    assert action(table) == "ace_low"


@pytest.mark.parametrize(
    ("nullo_ace", "spades", "card"),
    [("called", "A9", "SA"), ("low", "A9", "SA"), ("high", "A3", "S3")],
)
def test_an_ace_at_nullo_ducks_unless_all_count_high(
    nullo_ace: str, spades: str, card: str
) -> None:
    hands = {
        LEFT: "KQJ5.AKJ.AKJ.AKJ",
        PARTNER: "T86.T98.T98.T987",
        DEALER: f"{spades}.Q432.Q432.Q32",
    }
    table = after(table_with(hands, nullo_ace=nullo_ace), "nullo", "S5", "S6", "S7")
    assert action(table) == card


def test_nullo_is_played_to_lose_tricks() -> None:
    table = after(table_with({DEALER: COLD_NULLO}), "nullo")
    while not table.is_over:
        after(table, action(table))
    assert table.record["tricks_won"][DEALER] == 0


def test_grand_is_played_to_win_them() -> None:
    table = after(table_with({DEALER: ALL_SUITS}), "grand")
    while not table.is_over:
        after(table, action(table))
    assert table.record["tricks_won"][DEALER] >= 9


def test_nullo_goes_better_for_hoyle_than_for_random_play() -> None:
    game = whist_env.game("cayenne", reward="tricks", dealer=0)
    random = whist_agents.load("random")
    tables = Tables(game, 300, 3, dtype=np.int8)
    batch = tables.reset()
    batch = tables.step(np.full(300, game.rules.action_names.index("nullo")))
    while not tables.finished["deals_played"].all():
        bits = np.random.default_rng(int(batch.agent.sum())).integers(
            0, 2**63, 300, np.uint64
        )
        views = Views(game, batch.observation, batch.action_mask, bits)
        ours = batch.agent % 2 == 0
        batch = tables.step(np.where(ours, HOYLE.act(views), random.act(views)))
    assert tables.finished["tricks_won"][:, ::2].sum(1).mean() < 4.5


# Legality, strength -------------------------------------------------------------------

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"episode": "rubber", "third_black": "spades", "third_red": "diamonds"},
    {"deals": 2, "reward": "tricks", "history": "last_trick"},
    {"episode": "game", "reward": "match", "nullo_ace": "high"},
    {"deals": 2, "nullo_ace": "low", "shuffle": "gather_and_cut"},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_it_always_does_what_is_legal(options: dict[str, Any]) -> None:
    tables = Tables(whist_env.game("cayenne", **options), 40, 1, dtype=np.int8)
    batch = tables.reset()
    random = np.random.default_rng(1)
    for _ in range(120):
        views = Views(
            tables.game, batch.observation, batch.action_mask, np.zeros(40, np.uint64)
        )
        chosen = HOYLE.act(views)
        assert batch.action_mask[np.arange(40), chosen].all()
        other = tables.sample_actions()
        batch = tables.step(np.where(random.random(40) < 0.5, chosen, other))


def test_it_beats_random_play_clearly() -> None:
    played = evaluate("hoyle", "random", game="cayenne", deals=200, seed=1)
    assert played.estimates["points"].low > 12
    assert played.estimates["tricks"].low > 1.5
