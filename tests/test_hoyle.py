"""The rule-of-thumb player: each maxim on a hand, and how strong they are together."""

from __future__ import annotations

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents.hoyle import HOYLE_VERSION, choose
from whist_agents.hoyle.leading import lead
from whist_agents.hoyle.mind import MIND, read
from whist_env import Tables, Views
from whist_env.cards import card_name, deal_text, members, parse_card, parse_hand
from whist_env.engine.tricks import NO_SUIT
from whist_env.envs.play import view_of
from whist_env.games.whist import FEATURES
from whist_train.evaluate import play_pairs

GAME = whist_env.game("whist")
HOYLE = whist_agents.load("hoyle")
DEALER = 3


def card_of(hand: str, *table: str, turned: str = "H6") -> str:
    """The card that hoyle plays from a hand to a trick; hearts are trumps.

    Seat 0 leads to the first trick and seat 3 deals; the player sits behind the cards
    on the table. Each other hand is drawn from the cards that are left.
    """
    player = len(table)
    hands: list[set[int]] = [set(), set(), set(), set()]
    hands[player] = set(members(parse_hand(hand)))
    assert len(hands[player]) == 13
    for seat, card in enumerate(table):
        hands[seat].add(parse_card(card))
    hands[DEALER].add(parse_card(turned))
    left = sorted(set(range(52)) - set.union(*hands))
    led = table[0][0] if table else ""
    for attempt in range(1000):
        cards = np.random.default_rng(attempt).permutation(left).tolist()
        full = [held | {cards.pop() for _ in range(13 - len(held))} for held in hands]
        followed = (
            card[0] == led or not any(card_name(c)[0] == led for c in full[seat])
            for seat, card in enumerate(table)
        )
        if all(followed):
            break
    deal = deal_text([sum(1 << card for card in held) for held in full])
    view = GAME.new_table(seed=0, deal=deal, dealer=DEALER, turned=turned)
    for card in table:
        view.apply(parse_card(card))
    return card_name(int(HOYLE.act(view_of(view, 0))[0]))


# Leads: spades, hearts (trumps), diamonds, clubs ------------------------------------


def test_leads_the_highest_of_ace_and_king() -> None:
    assert card_of("AK753.82.Q84.J92") == "SA"


def test_leads_the_highest_of_a_sequence_below_the_ace() -> None:
    assert card_of("KQJ53.82.J84.T92") == "SK"


def test_leads_the_fourth_best_of_a_long_suit_without_a_sequence() -> None:
    assert card_of("KT753.82.J84.962") == "S5"


def test_leads_trumps_from_five() -> None:
    assert card_of("96.KQJ85.T84.J92")[0] == "H"


def test_leads_a_singleton_to_ruff_the_suit_later() -> None:
    assert card_of("5.J82.J9742.J962") == "S5"


def test_does_not_lead_away_from_an_ace() -> None:
    assert card_of("A7532.82.J84.962") != "S2"
    assert card_of("A7532.82.J84.962") != "S3"


# Following suit ---------------------------------------------------------------------


def test_second_hand_plays_low() -> None:
    assert card_of("K73.A82.Q84.J952", "S9") == "S3"


def test_second_hand_finesses_with_the_best_and_the_third_best() -> None:
    assert card_of("AQ.A82.T9743.J95", "SJ") == "SQ"


def test_second_hand_takes_with_a_card_that_must_win_and_may_be_ruffed_later() -> None:
    assert card_of("A7532.982.Q84.J9", "ST") == "SA"
    assert card_of("A73.982.Q84.J952", "S5") == "S3"


def test_third_hand_plays_high() -> None:
    assert card_of("K92.A82.QT84.J95", "S4", "S6") == "SK"


def test_third_hand_plays_the_lowest_of_touching_cards() -> None:
    assert card_of("QJ3.A82.QT84.J95", "S4", "S6") == "SJ"


def test_third_hand_leaves_partners_certain_winner_alone() -> None:
    assert card_of("K53.A82.QT84.J95", "SA", "S6") == "S3"


def test_third_hand_does_not_spend_a_card_that_partners_is_as_good_as() -> None:
    assert card_of("J53.A82.QT84.K95", "SQ", "S6") == "S3"


def test_fourth_hand_wins_as_cheaply_as_it_can() -> None:
    assert card_of("KT2.A862.QT8.J95", "S9", "S4", "S6") == "ST"
    assert card_of("KT2.A862.QT8.J95", "S4", "S6", "SQ") == "SK"


def test_fourth_hand_throws_its_lowest_where_it_cannot_win() -> None:
    assert card_of("852.A862.QT8.J95", "S9", "S4", "S6") == "S2"


def test_fourth_hand_does_not_overtake_partner() -> None:
    assert card_of("KT2.A862.QT8.J95", "S4", "SJ", "S6") == "S2"


# Void of the suit led ---------------------------------------------------------------


def test_ruffs_low_where_an_opponent_wins() -> None:
    assert card_of(".Q8652.QT82.J953", "SA", "S4", "S7") == "H2"


def test_does_not_ruff_partners_winner() -> None:
    assert card_of(".AQ86.QT82.J9532", "S4", "SA", "S7")[0] in "DC"
    assert card_of(".AQ82.QT842.J953", "SA", "S7")[0] in "DC"


def test_over_ruffs_as_cheaply_as_it_can() -> None:
    hand = ".QT862.QT8.J9532"
    assert card_of(hand, "S4", "S7", "H5") == "H6"
    assert card_of(hand, "S4", "S7", "H7") == "H8"


def test_does_not_ruff_below_a_ruff() -> None:
    assert card_of(".T862.QT82.J9532", "S4", "S7", "HJ")[0] in "DC"


def test_discards_from_a_weak_suit_and_keeps_the_guard_of_a_king() -> None:
    # Partner's ace wins; the king of diamonds has one guard, clubs are worthless.
    assert card_of(".AQ82.K5.9876432", "SA", "S7")[0] == "C"


# Counting cards ---------------------------------------------------------------------


def positions(count: int, plies: int, seed: int) -> Views:
    """Positions of random play."""
    tables = Tables(GAME, count, seed, dtype=np.int8)
    batch = tables.reset()
    for _ in range(plies):
        batch = tables.step(tables.sample_actions())
    return Views(
        GAME,
        batch.observation.copy(),
        batch.action_mask.copy(),
        np.zeros(count, np.uint64),
    )


def with_voids(views: Views, seats: tuple[int, ...], suits: np.ndarray) -> Views:
    """The same positions where these seats have also shown these voids."""
    rows = views.observation.copy()
    offset = FEATURES.offset("voids")
    for seat in seats:
        rows[np.arange(len(rows)), offset + 4 * seat + suits] = 1
    return Views(views.game, rows, views.action_mask, views.random)


def test_avoids_a_lead_that_an_opponent_has_shown_to_be_void_of() -> None:
    views = positions(2000, 16, seed=1)  # a lead, with half of the trumps still out
    suits = HOYLE.act(views) // 13
    trumps = FEATURES.part(views.observation, "trump").argmax(1)
    plain = suits != trumps
    right = HOYLE.act(with_voids(views, (3,), suits)) // 13
    assert (right != suits)[plain].mean() > 0.75


def test_cashes_the_best_cards_when_no_opponent_has_a_trump() -> None:
    views = positions(4000, 32, seed=2)
    trumps = FEATURES.part(views.observation, "trump").argmax(1)
    free = with_voids(views, (1, 3), trumps)
    played = FEATURES.part(views.observation, "played").any(1)
    hand = FEATURES.part(views.observation, "hand").astype(bool)
    cards = HOYLE.act(free)
    masters = np.zeros_like(hand)
    for suit in range(4):
        for rank in reversed(range(13)):
            card = 13 * suit + rank
            higher = slice(card + 1, 13 * suit + 13)
            gone = (played | hand)[:, higher].all(1)
            masters[:, card] = hand[:, card] & gone
    some = masters.any(1)
    assert some.sum() > 1000
    assert masters[np.arange(len(cards)), cards][some].mean() > 0.7


def test_returns_the_suit_that_partner_opened() -> None:
    towards = away = 0
    for row in positions(400, 16, seed=3).observation:
        mind = np.zeros(1, MIND).view(np.recarray)[0]
        read(row, mind)
        opened = int(mind.partner_suit)
        if opened == NO_SUIT:
            continue
        returned = lead(mind) // 13 == opened
        mind.partner_suit = NO_SUIT
        otherwise = lead(mind) // 13 == opened
        towards += returned and not otherwise
        away += otherwise and not returned
    assert towards > 10
    assert away == 0


# All together -----------------------------------------------------------------------


def test_every_card_is_legal_and_depends_on_the_view_alone() -> None:
    tables = Tables(GAME, 300, seed=4, dtype=np.int8)
    batch = tables.reset()
    rng = np.random.default_rng(0)
    for _ in range(104):
        views = Views(
            GAME,
            batch.observation.copy(),
            batch.action_mask.copy(),
            rng.integers(0, 2**63, 300, dtype=np.uint64),
        )
        cards = HOYLE.act(views)
        assert batch.action_mask[np.arange(300), cards].all()
        order = rng.permutation(300)[:50]
        some = Views(
            GAME,
            views.observation[order],
            views.action_mask[order],
            rng.integers(0, 2**63, 50, dtype=np.uint64),
        )
        assert (HOYLE.act(some) == cards[order]).all()
        batch = tables.step(
            np.where(rng.random(300) < 0.5, cards, tables.sample_actions())
        )


def test_the_maxims_play_alike_in_plain_python_and_compiled() -> None:
    for plies in (0, 9, 18, 27, 39):
        views = positions(6, plies, seed=plies)
        plain = [
            choose(row, np.zeros(1, MIND).view(np.recarray)[0])
            for row in views.observation
        ]
        assert plain == HOYLE.act(views).tolist()


def test_a_player_who_remembers_the_last_trick_only_plays_legal_cards() -> None:
    game = whist_env.game("whist", history="last_trick")
    tables = Tables(game, 100, seed=5, dtype=np.int8)
    batch = tables.reset()
    for _ in range(52):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        cards = HOYLE.act(views)
        assert batch.action_mask[np.arange(100), cards].all()
        batch = tables.step(cards)


def test_beats_random_play_by_more_than_a_trick_and_a_half_a_deal() -> None:
    estimate = play_pairs("hoyle", "random", GAME, 2000, seed=6).estimates()["tricks"]
    assert estimate.low > 1.85
    assert estimate.standard_error < 0.03


def test_the_reference_player_has_a_version() -> None:
    assert HOYLE_VERSION == "hoyle-v1"


def test_other_games_are_refused() -> None:
    class Other:
        name = "euchre"

    views = positions(1, 0, seed=0)
    other = Views(Other(), views.observation, views.action_mask, views.random)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hoyle plays whist, not euchre"):
        HOYLE.act(other)
