"""The rule-of-thumb player: its mind, each maxim on a hand, how strong it is.

First the player of Whist, then what the players of all games share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents import hoyle
from whist_agents.hoyle import odds, questions
from whist_agents.hoyle.avoiding import avoid, force
from whist_agents.hoyle.leading import lead
from whist_agents.hoyle.mind import (
    ME,
    know_cards,
    know_hand,
    lay_aside,
    new_mind,
    price_suit,
    rank_as_best_trump,
    read,
    side_with,
)
from whist_agents.hoyle.taking import take
from whist_agents.hoyle.whist import HOYLE_VERSION, choose, reflect
from whist_env import Tables, Views
from whist_env.cards import (
    card_name,
    count,
    deal_text,
    members,
    parse_card,
    parse_hand,
    single,
)
from whist_env.engine.compile import rule
from whist_env.engine.features import FeatureTable
from whist_env.engine.sight import play_features
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
    views = positions(400, 16, seed=3)
    for row, mask in zip(views.observation, views.action_mask, strict=True):
        mind = new_mind(4)[0]
        read(row, mask, mind)
        reflect(row, mind)
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
            choose(row, mask, None, new_mind(4)[0])
            for row, mask in zip(views.observation, views.action_mask, strict=True)
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


FROZEN = "cf916b254a3e4bce4df364be5386694668a70eee958efe86215485da47c03b96"
"""Of all cards that hoyle-v1 plays at 400 tables."""


def test_the_reference_player_is_frozen() -> None:
    assert HOYLE_VERSION == "hoyle-v1"
    tables = Tables(GAME, 400, seed=12, dtype=np.int8)
    batch = tables.reset()
    digest = hashlib.sha256()
    for ply in range(52):
        views = Views(
            GAME, batch.observation, batch.action_mask, np.zeros(400, np.uint64)
        )
        cards = HOYLE.act(views)
        digest.update(cards.astype(np.uint8).tobytes())
        # Every fourth card is played at random, so that few positions are usual ones.
        batch = tables.step(tables.sample_actions() if ply % 4 == 3 else cards)
    assert digest.hexdigest() == FROZEN


def test_hoyle_never_revokes_where_players_may() -> None:
    game = whist_env.game("whist", revokes="penalty")
    tables = Tables(game, 100, seed=8, dtype=np.int8)
    batch = tables.reset()
    for _ in range(51):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        batch = tables.step(HOYLE.act(views))
    assert not tables.records["revokes"].any()


def test_other_games_are_refused_by_naming_those_that_hoyle_plays() -> None:
    class Other:
        name = "euchre"

    views = positions(1, 0, seed=0)
    other = Views(Other(), views.observation, views.action_mask, views.random)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"hoyle plays whist.*; not euchre"):
        HOYLE.act(other)
    assert set(hoyle.games()) <= set(whist_env.games())


def test_the_compiled_player_is_named_by_every_source_that_it_is_from() -> None:
    files = {file.stem for file in hoyle._files_of("whist")}
    assert {"whist", "partners", "leading", "discarding", "questions", "mind"} <= files
    assert "taking" not in files


# The mind, at any table ---------------------------------------------------------------


def look(
    seats: int,
    hand: str,
    table: dict[int, str] | None = None,
    *,
    leader: int = 0,
    trump: int | None = None,
    gone: str = "...",
    voids: dict[int, str] | None = None,
    player: int = 0,
    legal: str | None = None,
) -> Any:
    """A mind that has read an observation of a table with this many seats.

    Args:
        seats: how many seats there are.
        hand: the observer's hand.
        table: the card of each seat in the trick on the table; the first was led.
        leader: the seat that leads, where no card is on the table.
        trump: the trump suit.
        gone: cards that the seat on the left played to earlier tricks.
        voids: suits that seats have shown not to hold, by their letters.
        player: the seat whose hand plays.
        legal: the cards that may be played; by default by following suit.
    """
    table = table or {}
    features = FeatureTable(*play_features(seats))
    row = np.zeros(features.size, np.int8)
    parts = features.named(row)
    held = list(members(parse_hand(hand)))
    parts["hand"][held] = 1
    parts["played"][1, list(members(parse_hand(gone)))] = 1
    for seat, card in table.items():
        parts["played"][seat, parse_card(card)] = 1
        parts["trick"][seat, parse_card(card)] = 1
    if table:
        led = next(iter(table.values()))[0]
        cards = [parse_card(card) for card in table.values()]
        worth = [(c // 13 == trump, card_name(c)[0] == led, c) for c in cards]
        parts["winning_card"][max(worth)[2]] = 1
        leader = next(iter(table))
        following = [card for card in held if card_name(card)[0] == led]
        held = following or held
    for seat, suits in (voids or {}).items():
        parts["voids"][seat, ["CDHS".index(suit) for suit in suits]] = 1
    if trump is not None:
        parts["trump"][trump] = 1
    parts["leader"][leader] = 1
    parts["to_act"][player] = 1
    mask = np.zeros(52, np.int8)
    mask[list(members(parse_hand(legal))) if legal else held] = 1
    mind = new_mind(seats)[0]
    read(row, mask, mind)
    return mind


def cards(text: str) -> np.uint64:
    """A set of cards, written as a hand."""
    return parse_hand(text)


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_mind_serves_any_number_of_seats(seats: int) -> None:
    last = seats - 1
    mind = look(seats, "AK..2.", {last: "S5"}, voids={1: "D"}, gone=".9..")
    assert (mind.position, mind.leader, mind.winner) == (1, last, last)
    assert (mind.led, mind.winning_card) == (3, parse_card("S5"))
    assert mind.to_follow == sum(1 << seat for seat in range(1, last))
    assert mind.legal == cards("AK...")
    assert count(mind.out) == 52 - 3 - 1 - 1
    assert (mind.may_hold[1] & cards("..23456789TJQKA.") == 0) == (seats > 1)
    assert questions.opponents(mind) == sum(1 << seat for seat in range(1, seats))
    side_with(mind, last)
    assert questions.opponents(mind) == sum(1 << seat for seat in range(1, last))
    assert questions.partner_wins(mind)


def test_a_mind_serves_games_that_run_counter_clockwise() -> None:
    mind = look(4, "AK..2.", {1: "S5"})
    assert (mind.position, mind.to_follow) == (1, 0b1100)


def test_a_dummy_is_played_from_its_own_seat() -> None:
    row_hand = "AK..2."
    mind = look(4, row_hand, {1: "S5"}, player=2, legal="Q...")
    know_hand(mind, ME, cards("Q...43"))
    assert (mind.player, mind.position, mind.winner) == (2, 1, 3)
    assert (mind.hand, mind.legal) == (cards("Q...43"), cards("Q..."))
    assert mind.may_hold[2] == mind.holds[2] == cards(row_hand)
    assert mind.out & cards("Q...43") == 0
    assert mind.out & cards(row_hand) == cards(row_hand)


def test_a_hand_that_lies_open_is_known_and_in_no_other() -> None:
    mind = look(4, "AK..2.")
    know_hand(mind, 3, cards("Q...3"))
    assert mind.may_hold[3] == cards("Q...3")
    assert mind.may_hold[1] & cards("Q...3") == 0
    assert mind.out & cards("Q...3") == cards("Q...3")
    know_cards(mind, 1, cards("J..."))
    assert mind.holds[1] == cards("J...")
    assert mind.may_hold[2] & cards("J...") == 0
    assert mind.may_hold[1] & cards("T...") == cards("T...")


def test_cards_that_are_not_in_the_pack_are_in_no_hand() -> None:
    mind = look(4, "AK..2.")
    low = cards("65432.65432.65432.65432")
    lay_aside(mind, low)
    assert mind.out & low == 0
    assert all(mind.may_hold[seat] & low == 0 for seat in range(1, 4))
    assert count(mind.out) == 32 - 2


def test_a_jack_may_be_the_best_trump_whatever_its_suit() -> None:
    jack, ace = parse_card("DJ"), parse_card("SA")
    mind = look(4, "A..Q.", {3: "DJ"}, trump=3, voids={1: "D", 2: "S"}, legal="A...")
    assert mind.led == 2 - 1
    rank_as_best_trump(mind, jack)
    assert mind.led == 3
    assert questions.higher(mind, ace) == single(jack)
    assert questions.higher(mind, parse_card("DT")) == cards("..AKQ.")
    assert not questions.beats_the_table(mind, ace)
    hidden = look(4, "A..Q.", trump=3, voids={1: "D", 2: "S"})
    rank_as_best_trump(hidden, jack)
    assert [bool(hidden.may_hold[seat] & single(jack)) for seat in range(1, 4)] == [
        *(True, False, True)
    ]
    assert not questions.is_master(hidden, ace)
    plain = look(4, "A..Q.")
    rank_as_best_trump(plain, jack)
    assert questions.higher(plain, parse_card("DT")) == cards("..AKQJ.")


def test_aces_may_rank_below_other_cards() -> None:
    mind = look(4, "AK..2.", {3: "SJ"})
    mind.ace_rank = 9  # king, queen, jack, ace, ten
    ace = parse_card("SA")
    assert questions.higher(mind, ace) == cards("KQJ...")
    assert questions.lower(mind, parse_card("SJ")) == cards("AT98765432...")
    assert not questions.beats_the_table(mind, ace)
    assert questions.weakest(mind, cards("AKT...")) == parse_card("ST")
    assert questions.strongest(mind, cards("AKT...")) == parse_card("SK")
    mind.ace_rank = 0
    assert questions.lower(mind, ace) == 0
    assert questions.weakest(mind, cards("AK2...")) == ace


def test_without_trumps_nobody_ruffs() -> None:
    mind = look(4, "K..2.A", voids={1: "S", 2: "SHD", 3: "S"})
    assert not questions.has_trumps(mind)
    assert not questions.opponents_may_hold_trumps(mind)
    assert odds.odds_for_the_side(mind, parse_card("SK")) == 100
    assert not questions.can_ruff(mind, 1, 3)


# Odds ---------------------------------------------------------------------------------


def test_a_card_that_is_out_is_in_any_hand_with_the_same_chance() -> None:
    # The ace of spades is above the king; two of three hands are still to play.
    mind = look(4, "K.A98765.A98765.", {3: "S4"}, legal="K...")
    king = parse_card("SK")
    standing = odds.odds_of_standing(mind, king, 3, mind.to_follow)
    assert standing == pytest.approx(100 * (2 / 3) ** 2, abs=2)
    know_hand(mind, 1, cards("Q...AKQJT98765432"))
    standing = odds.odds_of_standing(mind, king, 3, mind.to_follow)
    assert standing == pytest.approx(50, abs=2)
    know_cards(mind, 2, cards("A..."))
    assert odds.odds_of_standing(mind, king, 3, mind.to_follow) == 0


def test_a_card_may_be_in_the_stock() -> None:
    # Two players with 13 cards each: the ace is among the other 38 cards.
    mind = look(2, "K.A98765.A98765.", {}, legal="K...")
    standing = odds.odds_of_standing(mind, parse_card("SK"), 3, mind.to_follow)
    assert standing == pytest.approx(100 * (1 - 13 / 39), abs=2)


def test_partner_still_to_play_may_save_the_trick() -> None:
    mind = look(4, "32.65432.65432.A", {3: "S9"})
    three = parse_card("S3")
    assert odds.odds_for_the_side(mind, three) == 0
    side_with(mind, 2)
    assert odds.odds_for_the_side(mind, three) > 40


# Taking tricks ------------------------------------------------------------------------

HEARTS = 2


def taken(mind: Any, *partners: int) -> str:
    """The card that a side plays that wants tricks."""
    for seat in partners:
        side_with(mind, seat)
    return card_name(take(mind))


def test_taking_second_hand_plays_low_before_partner() -> None:
    assert taken(look(4, "K73.A82.Q84.J952", {3: "S9"}, trump=HEARTS), 2) == "S3"


def test_taking_third_hand_plays_high() -> None:
    table = {2: "S4", 3: "S6"}
    assert taken(look(4, "K92.A82.QT84.J95", table, trump=HEARTS), 2) == "SK"
    assert taken(look(4, "K92.A82.QT84.J95", table), 2) == "SK"


def test_taking_the_last_hand_wins_as_cheaply_as_it_can() -> None:
    hand = "KT2.A862.QT8.J95"
    table = {1: "S9", 2: "S4", 3: "S6"}
    assert taken(look(4, hand, table, trump=HEARTS)) == "ST"
    assert taken(look(4, hand, table, trump=HEARTS), 1) == "S2"
    assert taken(look(4, hand, {1: "SA", 2: "S4", 3: "S6"})) == "S2"


def test_taking_a_ruff_is_made_with_the_lowest_trump_and_not_from_partner() -> None:
    hand = ".Q8652.QT82.J953"
    table = {1: "SA", 2: "S4", 3: "S7"}
    assert taken(look(4, hand, table, trump=HEARTS)) == "H2"
    assert taken(look(4, hand, table, trump=HEARTS), 1)[0] in "DC"


def test_taking_masters_are_led_where_nobody_can_ruff() -> None:
    assert taken(look(4, "AKQ5.32.432.5432")) == "SA"
    assert taken(look(3, "AKQ5.32.432.5432")) == "SA"


def test_taking_a_soloist_with_many_trumps_draws_them() -> None:
    assert taken(look(4, "A5.AKQJ93.43.A32", trump=HEARTS)) == "HA"


def test_taking_does_not_lead_what_opponents_ruff() -> None:
    hand = "AKQ5.32.AK2.5432"
    ruffed = look(
        4, hand, trump=HEARTS, voids={1: "S", 3: "S"}, gone="JT9876.AKQJT98.."
    )
    assert taken(ruffed) == "DA"


def test_taking_keeps_the_guard_of_a_king() -> None:
    table = {1: "SA", 2: "S4", 3: "S7"}
    assert taken(look(4, ".K5.QJT98.986432", table)) not in ("H5", "HK")


# Avoiding tricks ----------------------------------------------------------------------


def avoided(mind: Any, price: int = 1) -> str:
    """The card that a player plays who wants no trick."""
    mind.trick_price = price
    return card_name(avoid(mind))


def test_avoiding_plays_the_highest_card_that_still_loses() -> None:
    assert avoided(look(4, "KT82.A82.Q8.J95", {3: "SJ"})) == "ST"
    assert avoided(look(4, "KT82.A82.Q8.J95", {1: "S9", 2: "S4", 3: "S6"})) == "S8"


def test_avoiding_takes_with_the_highest_where_it_must_take() -> None:
    assert avoided(look(4, "KT8.A82.Q8.J9542", {1: "S5", 2: "S4", 3: "S6"})) == "SK"


def test_avoiding_throws_the_most_dangerous_card_away() -> None:
    hand = ".432.A8.8765432"
    assert avoided(look(4, hand, {1: "SA", 2: "S4", 3: "S7"})) == "DA"


def test_avoiding_leads_low_and_never_what_nobody_else_holds() -> None:
    assert avoided(look(4, "AKQ.AKQJ.KQJ.432"))[0] == "C"
    void = look(4, "AKQ.AKQ3.KQJ.432", voids={1: "C", 2: "C", 3: "C"})
    assert avoided(void) == "H3"


def test_avoiding_gives_the_dear_cards_away_and_takes_cheap_tricks() -> None:
    mind = look(4, ".432.A8.Q765432", {1: "SA", 2: "S4", 3: "S7"})
    price_suit(mind, HEARTS, 1)
    assert avoided(mind, price=0)[0] == "H"
    mind = look(4, "Q4...", {1: "S9", 2: "S5", 3: "S6"})
    mind.prices[parse_card("SQ")] = 13
    assert avoided(mind, price=0) == "S4"


def test_avoiding_takes_a_prize() -> None:
    mind = look(4, "..AQ2.", {1: "D9", 2: "DT", 3: "DJ"})
    mind.prices[parse_card("DT")] = -10
    assert avoided(mind, price=0) in ("DA", "DQ")


def forced(mind: Any, caller: int) -> str:
    """The card that is played against a seat that undertook to take no trick."""
    return card_name(force(mind, caller))


def test_forcing_leads_below_what_the_caller_holds() -> None:
    mind = look(4, "K2.K9.K9.")
    know_hand(mind, 2, cards("3.84.84.A"))
    assert forced(mind, 2) == "S2"


def test_forcing_leads_the_short_suit_unless_the_caller_is_void_of_it() -> None:
    hand = "4.9732.9732.9732"
    assert forced(look(4, hand), 2) == "S4"
    assert forced(look(4, hand, voids={2: "S"}), 2) != "S4"


def test_forcing_leads_what_the_caller_surely_takes_rather_than_a_short_suit() -> None:
    # The caller can duck the lone heart, and not the deuce of a long suit, which the
    # other two, who follow with the tray and the four, need not take from him.
    mind = look(4, "K9852.4..", leader=0)
    know_hand(mind, 2, cards("7.2.."))
    know_hand(mind, 1, cards("3.K.."))
    know_hand(mind, 3, cards("4.Q.."))
    assert forced(mind, 2) == "S2"


def test_forcing_does_not_count_on_a_trick_that_a_partner_must_take() -> None:
    # The seven of spades falls to the ace that the next player must play.
    mind = look(4, "2.4..", leader=0)
    know_hand(mind, 2, cards("7.K.."))
    know_hand(mind, 1, cards("A.3.."))
    know_hand(mind, 3, cards("4.5.."))
    assert forced(mind, 2) == "H4"


def test_forcing_stays_below_a_caller_who_wins_and_gets_rid_of_high_cards() -> None:
    assert forced(look(4, "KT2...", {2: "SJ", 3: "S4"}), 2) == "ST"
    assert forced(look(4, "KT2...", {2: "S3", 3: "S4"}), 2) == "SK"


# How strong the maxims of play are ----------------------------------------------------

TAKE, AVOID, FORCE = range(3)


@rule
def play_as(row: Any, mask: Any, manner: Any, mind: Any) -> int:
    """Play Whist for oneself or with a partner, to take or to avoid tricks."""
    read(row, mask, mind)
    mind.trick_price = 1
    if manner.partner:
        side_with(mind, 2)
    if manner.aim == TAKE:
        return take(mind)
    if manner.aim == AVOID:
        return avoid(mind)
    return force(mind, manner.caller)


@pytest.fixture(scope="module")
def loop() -> Any:
    """Many decisions by `play_as`."""
    return numba.njit(
        hoyle._choose_all.__class__(
            hoyle._choose_all.__code__, {**vars(hoyle), "choose": play_as}
        )
    )


class Mannered:
    """A player of Whist with an aim."""

    def __init__(
        self, loop: Any, aim: int, *, partner: bool = False, caller: int = 0
    ) -> None:
        layout = [("aim", np.int32), ("partner", np.int32), ("caller", np.int32)]
        self.manner = np.array([(aim, partner, caller)], np.dtype((np.record, layout)))
        self.loop = loop

    def act(self, views: Views) -> np.ndarray:
        actions = np.empty(len(views), np.int64)
        self.loop(
            views.observation, views.action_mask, self.manner, new_mind(4), actions
        )
        return actions


def tricks(
    players: Sequence[Any], deals: int, seed: int, *, trumps: bool = True
) -> np.ndarray:
    """The tricks that each seat takes in a deal, ``(deals, 4)``."""
    game = whist_env.game("whist", dealer=3)
    tables = Tables(game, deals, seed, dtype=np.int8)
    tables.reset()
    if not trumps:
        tables.records["trump"] = NO_SUIT
    batch = tables.look()
    for _ in range(52):
        bits = np.random.default_rng(seed).integers(0, 2**63, deals, np.uint64)
        actions = np.empty(deals, np.int64)
        for seat, player in enumerate(players):
            rows = batch.agent == seat
            views = Views(
                game, batch.observation[rows], batch.action_mask[rows], bits[rows]
            )
            if rows.any():
                actions[rows] = player.act(views)
        batch = tables.step(actions)
    return tables.finished["tricks_won"].astype(float)


RANDOM = whist_agents.load("random")


def test_taking_beats_random_play_and_is_not_far_below_hoyle(loop: Any) -> None:
    side = Mannered(loop, TAKE, partner=True)
    taken = tricks([side, RANDOM] * 2, 500, seed=1)
    assert taken[:, ::2].sum(1).mean() - 6.5 > 1.4
    taken = tricks([side, RANDOM] * 2, 500, seed=1, trumps=False)
    assert taken[:, ::2].sum(1).mean() - 6.5 > 1.4
    taken = tricks([side, HOYLE] * 2, 500, seed=1)
    assert taken[:, ::2].sum(1).mean() - 6.5 > -0.5


def test_taking_alone_beats_random_play(loop: Any) -> None:
    taken = tricks([Mannered(loop, TAKE), RANDOM, RANDOM, RANDOM], 500, seed=2)
    assert taken[:, 0].mean() - 3.25 > 0.8


def test_avoiding_takes_far_fewer_tricks_than_random_play(loop: Any) -> None:
    shy = Mannered(loop, AVOID)
    for trumps in (True, False):
        taken = tricks([shy, RANDOM, RANDOM, RANDOM], 500, seed=3, trumps=trumps)
        assert taken[:, 0].mean() < 2.4
    both = Mannered(loop, AVOID, partner=True)
    taken = tricks([both, RANDOM] * 2, 500, seed=3, trumps=False)
    assert taken[:, ::2].sum(1).mean() < 5


def test_forcing_makes_a_caller_take_more_tricks(loop: Any) -> None:
    shy = Mannered(loop, AVOID)
    against = [Mannered(loop, FORCE, caller=4 - seat) for seat in range(1, 4)]
    forced = tricks([shy, *against], 500, seed=4, trumps=False)[:, 0]
    free = tricks([shy, RANDOM, RANDOM, RANDOM], 500, seed=4, trumps=False)[:, 0]
    alike = tricks([shy] * 4, 500, seed=4, trumps=False)[:, 0]
    assert forced.mean() > free.mean() + 1
    assert (forced == 0).mean() < (free == 0).mean() / 2
    assert (forced == 0).mean() < (alike == 0).mean()
