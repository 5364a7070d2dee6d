"""The rule-of-thumb player of Bridge Whist: what it declares, doubles and plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.hoyle.bridge_whist import choose
from whist_agents.hoyle.dummies import see_open_hands
from whist_agents.hoyle.mind import new_mind, read
from whist_env import Table, Tables, Views
from whist_env.cards import card_name, deal_text, members, parse_card, parse_hand
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")
DEALER, LEFT, PARTNER, RIGHT = range(4)

STRONG_HEARTS = "A5.AKQJ93.K43.A2"
STRONG_ACES = "AK5.A43.A432.AJ2"
HOPELESS = "8642.753.9642.53"
MIDDLING = "KJ42.Q53.A642.53"
WEAK_SPADES = "86432.75.9642.53"
LONG_SPADES = "KQ9865.J32.T4.32"
TEN_SPADES = "AKQJT98765.2.2.2"
GOOD_DEFENCE = "A5.KQJ9.AK43.A92"


def table_with(hands: dict[int, str], dealer: int = DEALER, **options: Any) -> Table:
    """A table where some seats hold these hands, and the others what is left."""
    given = {seat: list(members(parse_hand(hand))) for seat, hand in hands.items()}
    assert all(len(hand) == 13 for hand in given.values())
    left = sorted(set(range(52)) - {card for hand in given.values() for card in hand})
    cards = np.random.default_rng(0).permutation(left).tolist()
    full = [given.get(seat) or [cards.pop() for _ in range(13)] for seat in range(4)]
    deal = deal_text([sum(1 << card for card in hand) for hand in full])
    game = whist_env.game("bridge_whist", **options)
    return game.new_table(seed=0, deal=deal, dealer=dealer)


def action(table: Table) -> str:
    """What hoyle does at a table."""
    chosen = int(HOYLE.act(view_of(table, 0))[0])
    return table.game.rules.action_names[chosen]


def after(table: Table, *calls: str) -> Table:
    """The table after these calls and cards."""
    for call in calls:
        table.apply(table.game.rules.action_names.index(call))
    return table


def declared(hand: str, **options: Any) -> str:
    """What a dealer with a hand declares."""
    return action(table_with({DEALER: hand}, **options))


def declared_by_partner(hand: str) -> str:
    """What his partner with a hand declares if the dealer passes."""
    return action(after(table_with({PARTNER: hand}), "pass_to_partner"))


# Declaring: spades, hearts, diamonds, clubs -------------------------------------------


def test_a_long_strong_suit_is_declared() -> None:
    assert declared(STRONG_HEARTS) == "hearts"
    assert declared("2.A5.AKQJ973.K43") == "diamonds"


def test_four_aces_are_played_without_trumps() -> None:
    assert declared(STRONG_ACES) == "notrump"


@pytest.mark.parametrize("hand", [HOPELESS, MIDDLING, WEAK_SPADES, LONG_SPADES])
def test_the_dealer_passes_with_little(hand: str) -> None:
    assert declared(hand) == "pass_to_partner"


def test_ten_spades_count_little_but_for_their_honours() -> None:
    assert declared(TEN_SPADES) == "spades"


@pytest.mark.parametrize("hand", [HOPELESS, WEAK_SPADES])
def test_partner_names_spades_where_little_can_be_made(hand: str) -> None:
    assert declared_by_partner(hand) == "spades"


def test_partner_names_what_is_strong() -> None:
    assert declared_by_partner(STRONG_HEARTS) == "hearts"
    assert declared_by_partner(STRONG_ACES) == "notrump"


# Doubling -----------------------------------------------------------------------------


def doubling(hand: str, seat: int, *calls: str) -> str:
    """What a seat with a hand says after these calls."""
    return action(after(table_with({seat: hand}), *calls))


def test_it_doubles_with_tricks() -> None:
    assert doubling(GOOD_DEFENCE, LEFT, "hearts") == "double"
    assert doubling(STRONG_ACES, RIGHT, "notrump", "pass") == "double"


@pytest.mark.parametrize("hand", [HOPELESS, MIDDLING, WEAK_SPADES])
@pytest.mark.parametrize("call", ["spades", "clubs", "diamonds", "hearts", "notrump"])
def test_it_does_not_double_without_them(hand: str, call: str) -> None:
    assert doubling(hand, LEFT, call) == "pass"
    assert doubling(hand, LEFT, "pass_to_partner", call) == "pass"


def test_a_dealer_who_declares_is_doubled_with_more_than_one_who_passed() -> None:
    hand = "A5.QJ95.AK43.942"
    assert doubling(hand, LEFT, "hearts") == "pass"
    assert doubling(hand, LEFT, "pass_to_partner", "hearts") == "double"


def test_it_redoubles_with_more_tricks() -> None:
    assert doubling(STRONG_HEARTS, DEALER, "hearts", "double") == "redouble"
    assert doubling("A5.Q98432.Q43.92", DEALER, "hearts", "double") == "pass"


def test_each_double_takes_more_than_the_last() -> None:
    hand = "A5.KJT92.AK43.93"
    assert doubling(hand, LEFT, "hearts") == "double"
    assert doubling(hand, LEFT, "hearts", "double", "redouble") == "pass"


def test_it_passes_where_a_trick_counts_as_much_as_it_may() -> None:
    calls = ("notrump", "double", "redouble", "redouble", "redouble")
    options = {"max_trick_value": 100}
    table = after(table_with({DEALER: STRONG_ACES}, **options), *calls)
    assert action(table) == "pass"


# Play ---------------------------------------------------------------------------------


def test_both_hands_of_the_dealer_are_counted_without_trumps() -> None:
    # The dealer leads low to the masters that lie open, or they are led themselves.
    hands = {DEALER: "5432.432.432.432", PARTNER: "AKQJ.AKQ.AKQ.AKQ"}
    table = after(table_with(hands), "notrump", "pass", "pass")
    while not table.is_over:
        after(table, action(table))
    assert table.record["tricks_won"][[DEALER, PARTNER]].sum() == 13


def test_dummy_is_played_from_its_own_cards_and_the_hand_opposite_is_known() -> None:
    table = after(table_with({DEALER: STRONG_HEARTS}), "hearts", "pass", "pass")
    after(table, action(table))
    assert (table.record["seat"], table.agent) == (PARTNER, DEALER)
    view = view_of(table, 0)
    mind = new_mind(4)[0]
    read(view.observation[0], view.action_mask[0], mind)
    see_open_hands(view.observation[0], mind)
    assert mind.hand == table.record["hands"][PARTNER]
    assert mind.may_hold[2] == mind.holds[2] == parse_hand(STRONG_HEARTS)
    assert parse_card(action(table)) in set(members(table.record["hands"][PARTNER]))


def test_it_never_revokes() -> None:
    table = table_with({DEALER: STRONG_HEARTS}, revokes="penalty")
    after(table, "hearts", "pass", "pass")
    for _ in range(52):
        hand = table.record["hands"][table.record["seat"]]
        led = int(table.record["trick"][table.record["leader"]])
        name = action(table)
        if led >= 0 and any(card // 13 == led // 13 for card in members(hand)):
            assert parse_card(name) // 13 == led // 13, card_name(led)
        after(table, name)


# Legality, strength -------------------------------------------------------------------

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"episode": "rubber", "max_trick_value": None, "max_doubles": 10},
    {"deals": 2, "reward": "tricks", "history": "last_trick", "notrump_value": 12},
    {"episode": "game", "reward": "match", "shuffle": "gather_and_cut"},
    {"deals": 2, "revokes": "penalty", "chicane": "deducted", "five_honours": 4},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_it_always_does_what_is_legal(options: dict[str, Any]) -> None:
    tables = Tables(whist_env.game("bridge_whist", **options), 40, 1, dtype=np.int8)
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


def test_the_rule_runs_as_plain_python() -> None:
    table = table_with({DEALER: HOPELESS})
    view = view_of(table, 0)
    options = np.array(
        [table.game.options.as_integers()],
        np.dtype((np.record, table.game.options.dtype())),
    )[0]
    row, mask = view.observation[0], view.action_mask[0]
    chosen = choose(row, mask, options, new_mind(4)[0])
    assert table.game.rules.action_names[chosen] == "pass_to_partner"


def test_it_beats_random_play_clearly() -> None:
    played = evaluate("hoyle", "random", game="bridge_whist", deals=200, seed=1)
    assert played.estimates["points"].low > 40
    assert played.estimates["tricks"].low > 1.5
