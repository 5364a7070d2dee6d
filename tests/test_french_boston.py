"""French Boston by its rule sheet: every example, every option, every phase."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from contract import Options, contract
from oracle_french_boston import (
    ACTIONS,
    CALLS,
    MISERES,
    PACK,
    SOLO_BIDS,
    SUITS,
    TABLE,
    WORDS,
    OracleMatch,
)
from oracle_french_boston import Options as OracleOptions
from whist_tables import changed, deal_with

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import (
    card_set,
    deal_text,
    members,
    parse_card,
    parse_deal,
    parse_hand,
)
from whist_env.envs.drawing import draw
from whist_env.games import french_boston

HIDDEN = (ACTIONS.index("demand_petite"), ACTIONS.index("demand_belle_hidden"))


class FrenchBostonReferee:
    """The slow oracle of French Boston as a referee."""

    match: OracleMatch | None = None

    def __init__(self, options: Options) -> None:
        known = {field.name for field in dataclasses.fields(OracleOptions)}
        own = {name: value for name, value in options.items() if name in known}
        self.options = OracleOptions(**own)

    def deal(self, table: Table) -> None:
        record = table.record
        if self.match is None:
            belle = None
            if self.options.episode == "deal" and self.options.belle == "drawn":
                belle = SUITS[record.belle]
            pool = int(record.pool)
            self.match = OracleMatch(self.options, int(record.dealer), belle, pool)
        assert self.match.dealer == record.dealer
        assert self.match.pool == record.pool
        assert self.match.points == record.points.tolist()
        hands = [[PACK[card] for card in members(hand)] for hand in record.hands]
        self.dealt = [set(map(ACTIONS.index, hand)) for hand in hands]
        self.current = self.match.start_deal(hands, PACK[record.turn_up])
        assert self.current.belle == SUITS[record.belle]
        assert self.current.petite == (
            None if record.petite < 0 else SUITS[record.petite]
        )

    def agent(self) -> int:
        assert self.match is not None
        return -1 if self.match.over else self.current.turn

    def legal_actions(self) -> list[int]:
        return sorted(map(ACTIONS.index, self.current.legal()))

    def play(self, action: int) -> list[int]:
        assert self.match is not None
        return self.match.play(ACTIONS[action])

    def knows(self, agent: int) -> set[int]:
        deal = self.current
        known = {ACTIONS.index(deal.turned), *self.dealt[agent]}
        for trick in [*(trick for trick, _ in deal.tricks), deal.trick]:
            known |= {ACTIONS.index(card) for _, card in trick}
        if deal.is_exposed():
            known |= set(map(ACTIONS.index, deal.hands[deal.caller]))
        if deal.is_in_play() and deal.contract.startswith("demand"):
            known |= set(HIDDEN)
        return known


def discarded(record: Any) -> Iterable[int]:
    return itertools.chain(*(members(cards) for cards in record.discards))


TestFrenchBoston = contract(
    "french_boston",
    FrenchBostonReferee,
    {},
    {"episode": "game", "deals": 3, "double_deals": 1, "revokes": "penalty"},
    {"belle": "turned", "counts": "double", "reward": "match"},
    {
        "episode": "game",
        "deals": 2,
        "counterclockwise": "nothing",
        "deal_passes": "left",
        "after_passing": "any_higher",
        "raised_demand": "laid_suit",
        "pool_left": "played_out",
        "extra_deals": 2,
    },
    {
        "counterclockwise": "deal_and_bidding",
        "history": "last_trick",
        "jack_suit": "printed",
        "declare_after": "no",
        "sur_table_exposed": "after_first_trick",
        "dealer": 1,
    },
    piles=discarded,
    alike=(HIDDEN,),
)

# Tables -----------------------------------------------------------------------------

# Seat 0 deals and turns the six of clubs, so that clubs are petite and calls and play
# go round as 3, 2, 1, 0; hearts are belle; 20 counters lie in the pool, so that nobody
# puts in a stake; two deals are played, so that the pool is not divided at once; unless
# something else is said.

EVEN = deal_text(card_set(range(seat, 52, 4)) for seat in range(4))
"""Each seat holds one honour in each suit; seat 2 holds the Jack of diamonds."""
STRONG = "N:432.765.JT98.876 .432.765432.5432 8765.JT98.KQ.JT9 AKQJT9.AKQ.A.AKQ"
"""Seat 3 is strong; seat 0 holds the Jack of diamonds."""
LOW = "N:876.765.8765.765 AKQ.AKQ.AKQ.AKQJ JT9.JT98.JT9.T98 5432.432.432.432"
"""Seat 3 loses all tricks; seat 2 holds the Jack of diamonds."""
ALL_ACES = "N:KQJ.KQJT.KQJ.KQJ T987.987.T98.T98 65.654.7654.7654 A432.A32.A32.A32"
JACK_ALONE = "N:432.432.65.KQJT9 65.AKQJT98765.J. AKQJT987..87432. ..AKQT9.A8765432"
"""Seat 1 holds the Jack of diamonds, no other diamond and no club."""
TOP_AND_BOTTOM = deal_with(
    *("C6", "", "S2 S3 S4 H2 H3 H4 D2 D3 D4 C2 C3 C4 C5"),
    "SA SK HA HK DA DK CA CK",
)
"""Seat 3 is strong, and seat 2 takes no trick."""
THREE_PASS = ("pass", "pass", "pass")
PLAIN = {"episode": "game", "deals": 2, "double_deals": 0}
POSITION = ("turned", "dealer", "belle", "pool")


def fb_table(deal: str | None = EVEN, seed: int = 0, **how: Any) -> Table:
    """A table with a deal on it; options and the parts of a position as keywords."""
    standard = {"turned": "C6", "dealer": 0, "belle": "H", "pool": 20}
    if deal is None:
        del standard["turned"]
    position = {**standard, **{key: how.pop(key) for key in POSITION if key in how}}
    options = how if how.get("episode") == "deal" else {**PLAIN, **how}
    return whist_env.game("french_boston", **options).new_table(
        seed, deal=deal, **position
    )


def do(table: Table, *names: str) -> Table:
    for name in names:
        table.apply(ACTIONS.index(name))
    return table


def may(table: Table) -> list[str]:
    """The calls open to the seat to act."""
    return [ACTIONS[action] for action in table.legal_actions() if action >= 52]


def cards_open(table: Table) -> set[str]:
    return {ACTIONS[action] for action in table.legal_actions()}


def play_at_random(table: Table, rng: random.Random) -> tuple[list[int], list[int]]:
    """Play the deal to its end; returns the actions and the tricks of each seat."""
    actions = []
    tricks = [0, 0, 0, 0]
    while table.record.deals_played == 0:
        before = table.record.tricks_won.tolist()
        actions.append(rng.choice(table.legal_actions()))
        last = table.clone()
        table.apply(actions[-1])
        if table.record.deals_played == 0:
            tricks = table.record.tricks_won.tolist()
        else:
            tricks = before
            tricks[winner_of_last_trick(last, actions[-1])] += 1
    return actions, tricks


def winner_of_last_trick(table: Table, card: int) -> int:
    """Who takes the trick that a card completes."""
    record = np.array([table.record], table.record.dtype)[0]
    french_boston.play(record, card)
    return int(record.leader)


def finish(table: Table, tricks: Sequence[int | None]) -> Table:
    """Play the deal so that each seat takes so many tricks; `None` is any number."""
    rng = random.Random(0)
    for _ in range(4000):
        trial = table.clone()
        _, taken = play_at_random(trial, rng)
        pairs = zip(taken, tricks, strict=True)
        if all(wanted in (None, number) for number, wanted in pairs):
            return trial
    raise AssertionError(f"no way was found to take {tricks} tricks with this deal")


def apart_from_jack(
    table: Table, deal: str, jack: str = "DJ", bonus: int = 2
) -> list[float]:
    """The rewards without what the holder of the Jack of diamonds got."""
    earned = table.rewards()
    for seat, hand in enumerate(parse_deal(deal)):
        holds_it = int(hand) >> parse_card(jack) & 1
        earned[seat] -= 3 * bonus if holds_it else -bonus
    return earned


def settled(
    calls: Sequence[str], tricks: Sequence[int | None], deal: str = EVEN, **how: Any
) -> tuple[list[float], int]:
    """What each earns in a deal, the bonus of the Jack apart, and the pool then."""
    bonus = 4 if how.get("double_deals") else 2
    table = finish(do(fb_table(deal, **how), *calls), tricks)
    return apart_from_jack(table, deal, bonus=bonus), int(table.record.pool)


def features_of(table: Table, seat: int) -> dict[str, Any]:
    return table.game.features.named(table.observe(seat).astype(int))


# The worked examples of the rules ---------------------------------------------------

ALLIES = ("demand_petite", "accept", "pass", "pass")


def test_allies_in_clubs_share_the_pool() -> None:
    earned, pool = settled(ALLIES, (None, None, 3, 5))
    assert earned == [-8, -8, 18, 18]
    assert pool == 0


def test_six_in_diamonds_with_three_honours_and_an_extra_trick() -> None:
    strong = "DA DK DQ D8 D7 D6 HA HK SA SK C5 C4 C3"
    deal = deal_with("C6 DJ", "", "", strong)
    calls = ("six_diamonds", *THREE_PASS, "six_diamonds")
    earned, pool = settled(calls, (None, None, None, 7), deal)
    assert earned == [-36, -36, -36, 108 + 20]
    assert pool == 0


def test_the_demander_who_is_short_pays_for_both_allies() -> None:
    earned, pool = settled(ALLIES, (None, None, 3, 4), turned="S3")
    assert earned == [5, 5, 0, -30]
    assert pool == 40


@pytest.mark.parametrize(("double_deals", "each"), [(0, 64), (2, 128)])
def test_petite_misere_with_hearts_turned(double_deals: int, each: int) -> None:
    table = fb_table(LOW, turned="H5", belle="S", double_deals=double_deals)
    do(table, "petite_misere", *THREE_PASS, "S5", "ST", "SA", "S8")
    table = finish(table, (None, None, None, 0))
    assert table.rewards() == [-each, -each, -each, 3 * each + 20]


@pytest.mark.parametrize(("double_deals", "each"), [(0, 48), (2, 96)])
def test_a_forced_solo_in_belle_with_eight_tricks(double_deals: int, each: int) -> None:
    calls = ("demand_belle_hidden", *THREE_PASS)
    earned, pool = settled(
        calls, (None, None, None, 8), STRONG, double_deals=double_deals
    )
    assert earned == [-each, -each, -each, 3 * each + 20]
    assert pool == 0


def test_nine_in_spades_exactly() -> None:
    strong = "SA SK ST S9 S8 S7 HA HK HQ DA DK CA CK"
    deal = deal_with("C6", "", "", strong)
    calls = ("nine_spades", *THREE_PASS, "nine_spades")
    earned, _ = settled(calls, (None, None, None, 9), deal)
    assert earned == [-12, -12, -12, 36 + 20]


@pytest.mark.parametrize(("double_deals", "bonus"), [(0, 6), (2, 12)])
def test_the_jack_of_diamonds_brings_its_holder_counters(
    double_deals: int, bonus: int
) -> None:
    calls = ("demand_petite", *THREE_PASS)
    table = do(fb_table(double_deals=double_deals), *calls)
    table = finish(table, (None, None, None, 5))
    without = 8 * (2 if double_deals else 1)
    assert table.rewards() == [
        -without - bonus / 3,
        -without - bonus / 3,
        -without + bonus,
        3 * without + 20 - bonus / 3,
    ]


def test_misere_des_quatre_as_made() -> None:
    table = do(fb_table(ALL_ACES, turned="CQ"), "misere_des_quatre_as", *THREE_PASS)
    while table.record.deals_played == 0:
        legal = table.legal_actions()
        led = int(table.record.led)
        if table.agent == 3 and led >= 0:
            # Whoever need not follow throws the aces off.
            free = [card for card in legal if card // 13 != led]
            table.apply(max(free or legal, key=lambda card: card % 13))
        elif table.agent == 3:
            table.apply(min(legal, key=lambda card: card % 13))
        else:
            table.apply(max(legal, key=lambda card: card % 13))
    assert table.rewards() == [-64, -64, -64, 192 + 20]


def test_the_caller_with_four_aces_renounces_at_pleasure_in_ten_tricks() -> None:
    table = do(fb_table(ALL_ACES, turned="CQ"), "misere_des_quatre_as", *THREE_PASS)

    assert cards_open(at_trick(table, 10, 3, "3..A.2")) == {"S3", "DA", "C2"}
    assert cards_open(at_trick(table, 11, 3, "3..A.2")) == {"S3"}
    assert cards_open(at_trick(table, 13, 3, "..A.")) == {"DA"}
    assert cards_open(at_trick(table, 1, 0, "3..A.2")) == {"S3"}


def at_trick(table: Table, number: int, seat: int, hand: str) -> Table:
    """A table at which a seat plays to a trick to which a spade was led."""

    def change(record: Any) -> None:
        record.tricks_played = number - 1
        record.hands[seat] = parse_hand(hand)
        record.hands[2] = parse_hand("6.6.6.6")
        french_boston.lead(record, 2)
        record.agent = 2
        french_boston.apply(record, parse_card("S6"))
        record.seat = record.agent = seat

    return changed(table, change)


def test_the_jack_of_diamonds_beats_the_ace_of_trumps() -> None:
    table = do(fb_table(JACK_ALONE, turned="C9"), "six_spades", *THREE_PASS)
    do(table, "six_spades", "CA", "SA")
    assert table.agent == 1
    do(table, "DJ")
    assert table.record.winner == 1
    do(table, "C9")
    assert table.record.tricks_won.tolist() == [0, 1, 0, 0]


def test_the_jack_of_diamonds_does_not_answer_a_lead_of_diamonds() -> None:
    table = do(fb_table(JACK_ALONE, turned="C9"), "six_spades", *THREE_PASS)
    do(table, "six_spades", "DA", "D2")
    assert table.agent == 1
    assert len(table.legal_actions()) == 13
    do(table, "H5")
    assert features_of(table, 1)["voids"][0].tolist() == [0, 1, 0, 0]


# The Jacks --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("jack_suit", "follows"),
    [("trumps", {"S6", "S5", "DJ"}), ("printed", {"S6", "S5"})],
)
def test_the_best_jack_follows_a_lead_of_trumps(
    jack_suit: str, follows: set[str]
) -> None:
    table = fb_table(JACK_ALONE, turned="C9", jack_suit=jack_suit)
    do(table, "six_spades", *THREE_PASS, "six_spades", "CA", "SA", "H5", "C9", "S7")
    assert table.agent == 1
    assert cards_open(table) == follows


def test_the_best_jack_may_belong_to_the_suit_printed_on_it() -> None:
    table = fb_table(JACK_ALONE, turned="C9", jack_suit="printed")
    do(table, "six_spades", *THREE_PASS, "six_spades", "DA", "D2")
    assert cards_open(table) == {"DJ"}
    do(table, "DJ")
    assert table.record.winner == 1
    assert table.record.voids.sum() == 0


@pytest.mark.parametrize(
    ("jack_suit", "follows"),
    [("trumps", {"S4", "S3", "S2"}), ("printed", {"D6", "D5"})],
)
def test_the_best_jack_led_asks_for_its_suit(jack_suit: str, follows: set[str]) -> None:
    table = fb_table(JACK_ALONE, turned="S7", dealer=2, jack_suit=jack_suit)
    do(table, "six_spades", *THREE_PASS, "six_spades", "DJ")
    assert table.agent == 0
    assert cards_open(table) == follows


@pytest.mark.parametrize(
    ("turned", "trump", "by_turned", "by_trumps"),
    [
        ("C9", "spades", "DJ", "DJ"),
        ("C9", "diamonds", "DJ", "HJ"),
        ("D6", "spades", "HJ", "DJ"),
        ("D6", "diamonds", "HJ", "HJ"),
    ],
)
def test_the_jack_of_hearts_takes_its_place(
    turned: str, trump: str, by_turned: str, by_trumps: str
) -> None:
    for reading, best in (
        ("diamonds_turned", by_turned),
        ("diamonds_trumps", by_trumps),
    ):
        table = fb_table(JACK_ALONE, turned=turned, jack_of_hearts=reading)
        do(table, "six_spades", *THREE_PASS, f"six_{trump}")
        assert french_boston.best_jack(table.record) == parse_card(best)


def test_the_jack_of_diamonds_is_a_plain_jack_where_diamonds_were_turned() -> None:
    table = fb_table(JACK_ALONE, turned="D6")
    do(table, "six_spades", *THREE_PASS, "six_diamonds", "DQ", "D2")
    assert cards_open(table) == {"DJ", "HJ"}
    do(table, "DJ")
    assert table.record.winner == 3


def test_miseres_have_no_best_jack() -> None:
    table = do(fb_table(JACK_ALONE, turned="C9"), "grand_misere", *THREE_PASS)
    assert french_boston.best_jack(table.record) == -1
    assert table.record.trump == -1
    do(table, "DA", "D2")
    assert cards_open(table) == {"DJ"}
    do(table, "DJ")
    assert table.record.winner == 3


@pytest.mark.parametrize(
    ("bonus", "earned"),
    [("diamonds", [-2, 6, -2, -2]), ("best_trump", [6, -2, -2, -2])],
)
def test_the_bonus_is_for_one_jack_or_for_the_other(
    bonus: str, earned: list[int]
) -> None:
    deal = deal_with("D6 HJ", "DJ", "", "")
    table = fb_table(deal, turned="D6", jack_bonus=bonus)
    table = do(table, "six_spades", *THREE_PASS, "six_spades")
    table = finish(table, (None, None, None, 5))
    amount = 6 + 2
    alone = [amount, amount, amount, -3 * amount - 20]
    assert table.rewards() == [a + b for a, b in zip(alone, earned, strict=True)]


def test_there_is_no_bonus_in_miseres() -> None:
    table = fb_table(LOW, turned="C5")
    table = finish(do(table, "grand_misere", *THREE_PASS), (None, None, None, 0))
    assert table.rewards() == [-64, -64, -64, 192 + 20]


# Payments ---------------------------------------------------------------------------

ROW_NAMES = {"six": "six", "eight": "eight", "nine": "eight"}
TARGETS = {"six": 6, "eight": 8, "nine": 9}


def amount(
    call: str,
    tricks: int,
    trump: str = "S",
    honours: str = "",
    turned: str = "C6",
    partner: int | None = None,
    **options: Any,
) -> int:
    """What each adversary pays or receives, by the rule itself; hearts are belle."""
    game = whist_env.game("french_boston", **options)
    record = game.new_records(1).view(np.recarray)[0]
    record.contract = ACTIONS.index(call)
    record.caller = 2
    record.acceptor = -1 if partner is None else partner
    record.trump = SUITS.index(trump)
    record.belle = SUITS.index("H")
    record.turn_up = parse_card(turned)
    record.tricks_won[2] = tricks
    record.dealt[2] = card_set(parse_card(trump + rank) for rank in honours)
    return int(french_boston.contract_amount(record))


@pytest.mark.parametrize("suit", WORDS)
@pytest.mark.parametrize("number", TARGETS)
def test_the_table_of_bids_alone(number: str, suit: str) -> None:
    trump, row = WORDS[suit], ROW_NAMES[number]
    place = "SCDH".index(trump)
    extra = TABLE[f"{row}, trick"][place]
    base = TABLE[row][place] + (extra if number == "nine" else 0)
    call = f"{number}_{suit}"
    for tricks in range(13):
        cost = base + abs(tricks - TARGETS[number]) * extra
        assert amount(call, tricks, trump) == cost
        for honours in ("AKQ", "AKQJ"):
            more = TABLE[f"{row}, {len(honours)} honours"][place]
            assert amount(call, tricks, trump, honours) == cost + more


@pytest.mark.parametrize("trump", "SCDH")
def test_the_table_of_demands(trump: str) -> None:
    place = "SCDH".index(trump)
    for tricks in range(8):
        cost = (4 + abs(tricks - 5)) * (place + 1)
        assert amount("demand_petite", tricks, trump) == cost
        assert amount("demand_belle", tricks, trump, "AQJ") == cost + 3 * (place + 1)
    for tricks in range(13):
        cost = (4 + abs(tricks - 8)) * (place + 1)
        assert amount("demand_petite", tricks, trump, partner=0) == cost
        four = amount("demand_belle", tricks, trump, "AKQJ", partner=0)
        assert four == cost + 4 * (place + 1)


@pytest.mark.parametrize("misere", MISERES)
def test_miseres_are_paid_by_the_suit_turned(misere: str) -> None:
    paid = [amount(misere, 0, turned=suit + "6") for suit in "SCDH"]
    assert paid == list(TABLE[misere])
    assert [amount(misere, 3, turned=suit + "6") for suit in "SCDH"] == paid


def test_honours_count_in_both_hands_of_allies() -> None:
    deal = deal_with("C6", "", "SA SK", "SQ")
    calls = ("demand_belle_hidden", "accept", "pass", "pass")
    earned, _ = settled(calls, (None, None, 4, 5), deal, belle="S")
    assert earned == [-4 - 3 - 1, -4 - 3 - 1, 8 + 10, 8 + 10]
    against = deal_with("C6 SA", "SK", "", "SQ")
    earned, _ = settled(calls, (None, None, 4, 5), against, belle="S")
    assert earned == [-4 - 1, -4 - 1, 5 + 10, 5 + 10]


@pytest.mark.parametrize(
    ("failure", "cost"), [("all", 6 + 4 + 4), ("tricks", 6 + 4), ("base", 6)]
)
def test_a_failure_costs_honours_and_tricks_or_not(failure: str, cost: int) -> None:
    assert amount("six_spades", 4, "S", "AKQ", failure=failure) == cost
    assert amount("six_spades", 7, "S", "AKQ", failure=failure) == 6 + 2 + 4


@pytest.mark.parametrize(("nine", "bases"), [("row_and_extra", 12), ("row", 8)])
def test_nine_is_paid_by_the_row_of_eight(nine: str, bases: int) -> None:
    assert amount("nine_spades", 9, nine=nine) == bases
    assert amount("nine_spades", 11, nine=nine) == bases + 8
    assert amount("nine_belle", 7, "H", nine=nine) == 4 * (bases + 8)
    assert amount("nine_petite", 9, "C", nine=nine) == 2 * bases


def test_slams() -> None:
    # Eight tricks of a demander who must play alone, honours or not.
    assert amount("demand_petite", 8, "C", "AKQ") == 24
    assert amount("demand_petite", 13, "H", "AKQJ") == 48
    # Thirteen tricks of two allies, by the text or by the table.
    assert amount("demand_petite", 13, "C", partner=0) == 24
    assert amount("demand_belle", 13, "H", "AKQJ", partner=0) == 48
    by_table = [
        amount("demand_petite", 13, suit, partner=0, ally_slam="table")
        for suit in "SCDH"
    ]
    assert by_table == [50, 100, 150, 200]
    # Thirteen tricks alone, by the column or by the row.
    for call in ("six_spades", "eight_spades", "nine_spades"):
        column = [amount(call, 13, suit) for suit in "SCDH"]
        assert column == [100, 200, 300, 400]
    assert amount("six_spades", 13, "S", "AKQ") == 100 + 4
    assert amount("eight_spades", 13, "S", "AKQJ") == 100 + 8
    assert amount("six_spades", 13, "S", solo_slam="row") == 6 + 7 * 2
    assert amount("nine_spades", 13, "S", solo_slam="row") == 12 + 4 * 4


@pytest.mark.parametrize("doubles", ["everything", "slams_and_jack"])
def test_what_counts_double(doubles: str) -> None:
    how = {"counts": "double", "doubles": doubles}
    factor = 2 if doubles == "everything" else 1
    assert amount("six_spades", 6, **how) == 6 * factor
    assert amount("grand_misere", 1, **how) == 64 * factor
    assert amount("demand_petite", 9, "C", **how) == 2 * 24
    assert amount("demand_belle", 13, "H", partner=0, **how) == 2 * 48
    assert amount("six_hearts", 13, "H", **how) == 2 * 400
    table = do(fb_table(double_deals=2, doubles=doubles), "six_spades", *THREE_PASS)
    table = finish(do(table, "six_spades"), (None, None, None, 5))
    each = 8 * factor
    assert table.rewards() == [each - 4, each - 4, each + 12, -3 * each - 20 - 4]


@pytest.mark.parametrize(
    ("tricks", "caller_pays", "acceptor_pays"),
    [
        ((4, 3), 2 * 5 + 20, 0),
        ((5, 2), 0, 2 * 5 + 20),
        ((7, 0), 0, 2 * 5 + 20),
        ((3, 4), 2 * 5 + 20, 0),
        ((4, 2), 6 + 10, 6 + 10),
        ((2, 2), 8 + 10, 8 + 10),
    ],
)
def test_who_is_short_pays_for_a_failed_alliance(
    tricks: tuple[int, int], caller_pays: int, acceptor_pays: int
) -> None:
    missing = 8 - sum(tricks)
    calls = ("demand_belle_hidden", "accept", "pass", "pass")
    deal = TOP_AND_BOTTOM if tricks == (7, 0) else EVEN
    earned, pool = settled(calls, (None, None, *tricks[::-1]), deal, belle="S")
    each = 4 + missing
    assert earned == [each, each, -acceptor_pays, -caller_pays]
    assert pool == 40


@pytest.mark.parametrize("tricks", [(8, 0), (1, 7), (4, 4)])
def test_allies_succeed_with_eight_tricks_however_divided(
    tricks: tuple[int, int],
) -> None:
    strong, weak = "HA HK DA DK CA CK SA SK", "HQ DQ CQ SQ"
    wanted = ["C6", "", weak, strong] if tricks[0] > 4 else ["C6", "", strong, weak]
    deal = EVEN if tricks == (4, 4) else deal_with(*wanted)
    calls = ("demand_petite", "accept", "pass", "pass")
    earned, pool = settled(calls, (None, None, *tricks[::-1]), deal)
    base = 8 if tricks == (4, 4) else 8 + 6
    assert earned == [-base, -base, base + 10, base + 10]
    assert pool == 0


# Revokes ----------------------------------------------------------------------------


def test_revokes_go_by_the_suit_to_which_the_best_jack_belongs() -> None:
    table = fb_table(JACK_ALONE, turned="C9", revokes="penalty")
    do(table, "six_spades", *THREE_PASS, "six_spades", "DA", "D2")
    assert table.agent == 1
    for card in ("DJ", "H5"):
        # The Jack is no diamond.
        assert do(table.clone(), card).record.revokes.tolist() == [0, 0, 0, 0]
    table = fb_table(JACK_ALONE, turned="C9", revokes="penalty")
    do(table, "six_spades", *THREE_PASS, "six_spades", "CA", "SA", "H5", "C9", "S7")
    assert table.agent == 1
    assert len(table.legal_actions()) == 12
    assert do(table.clone(), "DJ").record.revokes.tolist() == [0, 0, 0, 0]
    do(table, "H6")
    assert table.record.revokes.tolist() == [0, 1, 0, 0]
    assert [features_of(table, seat)["own_revokes"] for seat in range(4)] == [
        *(0, 1, 0, 0)
    ]
    # Others take it for a void until a trump comes out.
    assert features_of(table, 3)["voids"][2].tolist() == [1, 0, 0, 1]
    assert features_of(table, 3)["revoked"].sum() == 0
    do(table, "S2", "C2", "S8", "DJ")
    assert features_of(table, 3)["voids"][2].tolist() == [1, 0, 0, 0]
    assert features_of(table, 3)["revoked"][2].tolist() == [0, 0, 0, 1]
    assert table.state(0)[table.game.state_features["revokes"]].tolist() == [0, 1, 0, 0]


def test_the_holder_of_four_aces_revokes_in_the_last_three_tricks_alone() -> None:
    table = fb_table(ALL_ACES, turned="CQ", revokes="penalty")
    do(table, "misere_des_quatre_as", *THREE_PASS)
    for trick, revokes in ((10, 0), (11, 1)):
        after = do(at_trick(table, trick, 3, "3..A.2"), "DA")
        assert after.record.revokes.tolist() == [0, 0, 0, revokes]


def settled_with_revokes(
    call: str,
    tricks: Sequence[int],
    revokes: Sequence[int],
    partner: int | None = None,
    pool: int = 20,
    **options: Any,
) -> tuple[list[int], int]:
    """What each gets for a contract of seat 3, in spades, and the pool then."""
    game = whist_env.game("french_boston", revokes="penalty", **options)
    record = game.new_records(1).view(np.recarray)[0]
    record.contract = ACTIONS.index(call)
    record.caller = 3
    record.acceptor = -1 if partner is None else partner
    record.trump = SUITS.index("S")
    record.turn_up = parse_card("C6")
    record.tricks_won[:] = tricks
    record.revokes[:] = revokes
    record.pool = pool
    french_boston.settle_contract(record)
    assert record.reward.sum() + record.pool == pool
    return record.reward.tolist(), int(record.pool)


@pytest.mark.parametrize(
    ("tricks", "revokes", "earned", "pool"),
    [
        # The allies make it, and win what an adversary has added too.
        ((2, 3, 3, 5), (1, 0, 0, 0), [-4 - 8 - 20, -4, 8 + 20, 8 + 20], 0),
        # An ally has revoked: they collect nothing.
        ((2, 3, 3, 5), (0, 0, 2, 0), [4, 4, -8 - 20, 0], 40),
        ((2, 3, 3, 5), (1, 0, 0, 1), [4 - 28, 4, 4, 4 - 28], 60),
        # The caller is short as well.
        ((3, 3, 3, 4), (0, 0, 0, 1), [4 + 5, 4 + 5, 0, -28 - 10 - 40], 80),
        # The adversaries do not win by a revoke of theirs.
        ((3, 3, 3, 4), (0, 1, 0, 0), [0, -8 - 20, 4, 4], 40),
    ],
)
def test_a_revoke_against_or_of_allies(
    tricks: Sequence[int], revokes: Sequence[int], earned: list[int], pool: int
) -> None:
    for call in ("demand_petite", "demand_belle"):
        settled = settled_with_revokes(call, tricks, revokes, partner=2)
        assert settled == (earned, pool)


@pytest.mark.parametrize(
    ("tricks", "revokes", "earned", "pool"),
    [
        ((3, 2, 2, 6), (0, 0, 0, 1), [6, 6, 6, -18 - 20], 40),
        ((3, 2, 2, 6), (0, 4, 0, 0), [-6, -6 - 20 - 6, -6, 6 + 18 + 40], 0),
        ((3, 3, 2, 5), (0, 0, 0, 1), [14, 14, 14, -18 - 20 - 24 - 40], 80),
        ((3, 3, 2, 5), (1, 1, 0, 0), [-6 - 20, -6 - 20, 0, 12], 60),
    ],
)
def test_a_revoke_against_or_of_a_caller_who_plays_alone(
    tricks: Sequence[int], revokes: Sequence[int], earned: list[int], pool: int
) -> None:
    assert settled_with_revokes("six_spades", tricks, revokes) == (earned, pool)


def test_a_revoke_costs_the_contract_without_honours_and_tricks() -> None:
    def cost(call: str, **options: Any) -> int:
        earned, _ = settled_with_revokes(call, (13, 0, 0, 0), (0, 1, 0, 0), **options)
        return earned[3]

    assert [cost(call) for call in ("demand_belle", "six_spades")] == [4, 6]
    assert [cost("nine_spades", nine=nine) for nine in ("row_and_extra", "row")] == [
        *(12, 8)
    ]
    assert cost("eight_spades", counts="double") == 16
    assert cost("eight_spades", counts="double", doubles="slams_and_jack") == 8
    # A misere is paid by the suit turned; the caller made this one.
    assert cost("grand_misere") == 64 + 3 * 64 + 40
    assert settled_with_revokes("grand_misere", (13, 0, 0, 0), (0, 0, 0, 1)) == (
        [64, 64, 64, -3 * 64 - 20],
        40,
    )


def test_a_revoke_doubles_the_pool_up_to_the_limit() -> None:
    contract = ("six_spades", (3, 2, 2, 6), (0, 0, 0, 1))
    for limit, added in ((250, 250), (40, 40), (1000, 300)):
        _, pool = settled_with_revokes(*contract, pool=300, pool_limit=limit)
        assert pool == 300 + added


# The pool ---------------------------------------------------------------------------


def test_all_fill_an_empty_pool_and_the_dealer_puts_in_most() -> None:
    table = do(fb_table(pool=0), *["pass"] * 4)
    assert table.rewards() == [-8, -4, -4, -4]
    assert table.record.pool == 20
    table = do(fb_table(pool=0, stake=0, dealer_stake=5), *["pass"] * 4)
    assert table.rewards() == [-5, 0, 0, 0]


def test_the_next_dealer_adds_to_the_pool_when_cards_were_thrown_in() -> None:
    for added in (0, 8, 12):
        table = do(fb_table(deals=3, added_stake=added), *["pass"] * 4)
        assert table.rewards() == [0, 0, 0, 0]
        assert table.record.dealer == 3
        assert features_of(table, 0)["pool"].tolist() == [0, 0, 20 + added]
        do(table, *["pass"] * 4)
        assert table.rewards() == [0, 0, 0, -added]
        assert table.record.pool == 20 + added


def test_nobody_adds_to_the_pool_when_cards_were_played() -> None:
    table = do(fb_table(), "six_spades", *THREE_PASS, "six_spades")
    table = finish(table, (None, None, None, 5))
    assert table.record.pool == 40
    before = table.record.points.tolist()
    table = do(table, *["pass"] * 4)
    assert table.is_over
    assert table.rewards() == [10, 10, 10, 10]
    assert table.record.points.tolist() == [points + 10 for points in before]


def test_what_exceeds_the_limit_waits_for_the_next_deal() -> None:
    calls = ("six_spades", *THREE_PASS, "six_spades")
    earned, pool = settled(calls, (None, None, None, 5), pool=300)
    assert earned == [8, 8, 8, -24 - 250]
    assert pool == 550
    earned, pool = settled(calls, (None, None, None, 6), pool=300, pool_limit=40)
    assert earned == [-6, -6, -6, 18 + 40]
    assert pool == 260


def test_an_odd_counter_stays_in_the_pool_of_allies() -> None:
    earned, pool = settled(ALLIES, (None, None, 3, 5), pool=21)
    assert earned == [-8, -8, 18, 18]
    assert pool == 1


def test_the_pool_is_divided_at_the_end_and_the_rest_stays() -> None:
    table = do(fb_table(deals=1, pool=23), *["pass"] * 4)
    assert table.is_over
    assert table.rewards() == [5, 5, 5, 5]
    assert table.record.pool == 3


def test_the_pool_may_be_played_out_in_extra_deals_that_count_single() -> None:
    how = {"deals": 1, "double_deals": 8, "pool_left": "played_out", "extra_deals": 3}
    table = fb_table(**how)
    assert features_of(table, 0)["counts_double"] == 1
    do(table, *["pass"] * 4)
    for left in (3, 2):
        seen = features_of(table, 0)
        assert (seen["deals_left"], seen["extra_deals_left"]) == (0, left)
        assert seen["counts_double"] == 0
        do(table, *["pass"] * 4)
    assert not table.is_over
    do(table, *["pass"] * 4)
    assert table.is_over
    assert table.record.deals_played == 4
    assert table.record.pool == 0


def test_extra_deals_end_when_somebody_wins_the_pool() -> None:
    how = {"deals": 1, "pool_left": "played_out", "extra_deals": 3}
    table = do(fb_table(STRONG, **how), "six_hearts", *THREE_PASS, "six_hearts")
    table = finish(table, (None, None, None, 9))
    assert table.is_over
    assert table.record.deals_played == 1


def test_an_episode_of_one_deal_divides_what_is_left() -> None:
    table = fb_table(episode="deal", pool=0)
    table = finish(
        do(table, "six_spades", *THREE_PASS, "six_spades"), (None, None, None, 5)
    )
    assert table.is_over
    stakes = [-8, -4, -4, -4]
    contract = [8, 8, 8, -24 - 20]
    jack = [-2, -2, 6, -2]
    assert table.rewards() == [
        sum(x) + 10 for x in zip(stakes, contract, jack, strict=True)
    ]


# Bidding ----------------------------------------------------------------------------


def test_the_dealers_right_calls_first_and_leads() -> None:
    for dealer in range(4):
        table = fb_table(None, dealer=dealer)
        for place in range(1, 4):
            assert table.agent == (dealer - place) % 4
            do(table, "pass")
        assert table.agent == dealer
        do(table, "six_spades", "six_spades")
        assert table.agent == (dealer - 1) % 4
        table.apply(table.legal_actions()[0])
        assert table.agent == (dealer - 2) % 4


@pytest.mark.parametrize(
    ("direction", "calling", "playing"),
    [("deal_and_bidding", -1, 1), ("nothing", 1, 1), ("everything", -1, -1)],
)
def test_what_goes_to_the_right_is_an_option(
    direction: str, calling: int, playing: int
) -> None:
    table = fb_table(None, counterclockwise=direction)
    pack = table.record.pack.tolist()
    for place in range(4):
        seat = calling * (place + 1) % 4
        own = pack[4 * place :][:4] + pack[16 + 4 * place :][:4]
        own += pack[32 + 5 * place :][:5]
        assert sorted(own) == list(members(table.record.hands[seat]))
    assert table.agent == calling % 4
    do(table, "grand_misere")
    assert table.agent == 2 * calling % 4
    do(table, *THREE_PASS)
    assert table.agent == calling % 4
    table.apply(table.legal_actions()[0])
    assert table.agent == (calling + playing) % 4


@pytest.mark.parametrize(("side", "step"), [("right", -1), ("left", 1)])
def test_the_deal_passes_to_the_right(side: str, step: int) -> None:
    table = fb_table(None, deals=5, deal_passes=side)
    dealers = []
    while not table.is_over:
        dealers.append(int(table.record.dealer))
        do(table, *["pass"] * 4)
    assert dealers == [step * number % 4 for number in range(5)]


def test_all_calls_but_three_are_open_at_first() -> None:
    closed = {"demand_belle", "accept", "misere_des_quatre_as"}
    assert may(fb_table()) == [call for call in CALLS if call not in closed]
    assert may(fb_table(ALL_ACES, turned="CQ"))[-9] == "misere_des_quatre_as"


def test_the_ladder_of_bids() -> None:
    assert french_boston.RULES[0].action_names == tuple(ACTIONS)
    for number, low in enumerate(SOLO_BIDS):
        if low == "misere_des_quatre_as":
            continue
        calls = may(do(fb_table(), low))
        higher = set(SOLO_BIDS[number + 1 :]) - {"misere_des_quatre_as"}
        assert set(calls) == {"pass", *higher}


def test_a_demand_opens_the_bidding_alone() -> None:
    table = do(fb_table(), "demand_petite")
    assert set(may(table)) == set(CALLS) - {
        *("demand_petite", "demand_belle_hidden", "misere_des_quatre_as")
    }
    for bid in ("demand_belle", "six_spades"):
        raised = do(fb_table(), "demand_petite", bid)
        assert not {"demand_petite", "demand_belle_hidden"} & set(may(raised))
        assert ("accept" in may(raised)) == (bid == "demand_belle")


def test_a_demander_holds_a_card_of_the_suit_to_lay() -> None:
    table = fb_table(
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
        turned="S9",
    )
    calls = {call for call in may(table) if "demand" in call}
    assert calls == set()
    table = fb_table(
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
        turned="S9",
        belle="C",
    )
    calls = {call for call in may(table) if "demand" in call}
    assert calls == {"demand_belle_hidden"}


def test_a_public_demand_in_belle_over_calls_a_demand_or_not() -> None:
    table = do(fb_table(), "demand_belle_hidden", "demand_belle")
    assert (table.record.caller, table.record.laid[2]) == (2, 2)
    assert "demand_belle" not in may(table)
    table = do(fb_table(), "demand_petite", "accept", "demand_belle")
    assert (table.record.caller, table.record.acceptor) == (1, -1)
    table = do(fb_table(belle_overcall="impossible"), "demand_petite")
    assert "demand_belle" not in may(table)


def test_one_accepts_even_after_passing() -> None:
    table = do(fb_table(), "pass", "pass", "demand_petite", "pass")
    assert table.agent == 3
    assert may(table) == ["pass", "accept"]
    do(table, "pass")
    assert table.agent == 2
    do(table, "accept")
    assert table.record.phase == french_boston.PLAY
    assert (table.record.caller, table.record.acceptor) == (1, 2)
    assert table.agent == 3


def test_there_is_one_acceptor() -> None:
    table = do(fb_table(), "demand_petite", "accept")
    assert "accept" not in may(table)
    do(table, "pass", "pass")
    assert table.record.phase == french_boston.PLAY


def test_a_pair_is_over_called_and_dissolved() -> None:
    table = do(fb_table(), "demand_petite", "accept", "six_spades", "pass")
    assert table.record.acceptor == -1
    assert table.agent == 3
    do(table, "pass")
    assert table.agent == 2
    assert "eight_hearts" in may(table)
    assert not set(MISERES) & set(may(table))
    do(table, "eight_hearts", "pass")
    assert table.record.phase == french_boston.DECLARE
    assert table.agent == 2


def test_an_over_called_demander_accepts_raises_or_passes() -> None:
    table = do(fb_table(), "demand_petite", "demand_belle", "pass", "pass")
    assert table.agent == 3
    calls = set(may(table))
    assert {call for call in calls if call.startswith("six")} == {"six_clubs"}
    assert {"pass", "accept", "eight_spades", "nine_belle", "grand_misere"} < calls
    do(table, "accept")
    assert (table.record.caller, table.record.acceptor) == (2, 3)
    assert table.record.trump == 2


@pytest.mark.parametrize(
    ("raised", "calls"),
    [
        (
            "freely",
            {"eight_diamonds", "eight_hearts", "nine_clubs", "nine_belle"},
        ),
        ("laid_suit", {"nine_clubs", "nine_petite"}),
    ],
)
def test_what_a_demander_may_raise_to(raised: str, calls: set[str]) -> None:
    table = fb_table(raised_demand=raised)
    do(table, "demand_petite", "eight_clubs", "pass", "pass")
    assert table.agent == 3
    assert calls < set(may(table))
    if raised == "laid_suit":
        assert set(may(table)) == {"pass", *calls}


def test_a_demander_declares_six_in_the_suit_that_he_laid_alone() -> None:
    table = do(fb_table(), "demand_petite", "six_spades", "pass", "pass", "six_clubs")
    do(table, "pass")
    assert table.record.phase == french_boston.DECLARE
    sixes = {call for call in may(table) if call.startswith("six")}
    assert sixes == {"six_clubs"}
    assert "eight_spades" in may(table)


def test_who_has_passed_may_only_accept_or_also_bid() -> None:
    table = do(fb_table(), "pass", "six_spades", "pass", "pass")
    assert table.record.phase == french_boston.DECLARE
    table = do(
        fb_table(after_passing="any_higher"), "pass", "six_spades", "pass", "pass"
    )
    assert table.agent == 3
    calls = may(table)
    assert "six_clubs" in calls
    assert not set(MISERES) & set(calls)
    do(table, "six_clubs", "pass", "eight_spades", "pass", "pass", "pass")
    assert table.record.phase == french_boston.DECLARE
    assert table.agent == 1


def test_four_passes_throw_the_cards_in_whatever_the_reading() -> None:
    for reading in ("accept", "any_higher"):
        table = do(fb_table(after_passing=reading), *["pass"] * 4)
        assert table.record.deals_played == 1


def test_the_fourth_player_who_demands_alone_plays_alone() -> None:
    for reading in ("alone", "thrown_in"):
        table = do(fb_table(unaccepted=reading), *THREE_PASS, "demand_petite")
        assert may(table) == ["pass", "accept"]
        do(table, *THREE_PASS)
        assert table.record.phase == french_boston.PLAY
        assert (table.record.acceptor, table.record.trump) == (-1, 0)
        assert french_boston.target(table.record) == 5


def test_any_other_demand_left_unaccepted_is_played_alone_or_thrown_in() -> None:
    for calls in (
        ("demand_petite", *THREE_PASS),
        ("pass", "demand_belle_hidden", "pass", "pass", "pass"),
        ("demand_petite", "pass", "pass", "demand_belle", *THREE_PASS),
    ):
        table = do(fb_table(), *calls)
        assert table.record.phase == french_boston.PLAY
        assert table.record.acceptor == -1
        table = do(fb_table(unaccepted="thrown_in"), *calls)
        assert table.record.deals_played == 1
        assert table.rewards() == [0, 0, 0, 0]


def test_bidding_goes_on_until_all_others_have_passed() -> None:
    table = do(fb_table(), "six_spades", "six_clubs", "pass", "six_hearts")
    assert table.agent == 3
    do(table, "eight_spades", "pass")
    assert table.agent == 0
    do(table, "grand_misere")
    assert table.agent == 3
    do(table, "pass")
    assert table.record.phase == french_boston.PLAY
    assert table.record.caller == 0


# Belle and petite -------------------------------------------------------------------


def test_the_suit_turned_first_is_belle_for_the_whole_game() -> None:
    table = whist_env.game("french_boston", episode="game", deals=30).new_table(5)
    belle = int(table.record.turn_up) // 13
    petites = []
    while not table.is_over:
        assert table.record.belle == belle
        turned = int(table.record.turn_up) // 13
        petites.append(int(table.record.petite))
        assert petites[-1] == (-1 if turned == belle else turned)
        do(table, *["pass"] * 4)
    assert petites[0] == -1
    assert set(petites) == {-1, 0, 1, 2, 3} - {belle}


def test_without_petite_there_is_no_bid_in_petite() -> None:
    table = fb_table(turned="H4", belle="H")
    assert table.record.petite == -1
    assert not {"demand_petite", "nine_petite"} & set(may(table))
    do(table, "demand_belle_hidden")
    assert not {"demand_belle", "nine_petite"} & set(may(table))
    do(table, "nine_hearts", *THREE_PASS)
    assert may(table) == ["nine_hearts", "nine_belle"]


def test_one_deal_has_a_belle_drawn_or_turned() -> None:
    drawn, turned = (
        [
            whist_env.game("french_boston", belle=belle).new_table(seed).record
            for seed in range(400)
        ]
        for belle in ("drawn", "turned")
    )
    assert all(record.petite == -1 for record in turned)
    assert all(record.belle == record.turn_up // 13 for record in turned)
    without = sum(record.petite == -1 for record in drawn)
    assert 60 < without < 140
    belles = np.bincount([record.belle for record in drawn])
    assert (belles > 60).all()


def test_one_deal_counts_single_or_double() -> None:
    for counts in ("single", "double"):
        table = fb_table(episode="deal", counts=counts)
        assert features_of(table, 0)["counts_double"] == (counts == "double")


def test_a_game_has_forty_deals_of_which_the_last_eight_count_double() -> None:
    table = whist_env.game("french_boston", episode="game").new_table(0)
    double = []
    while not table.is_over:
        double.append(int(features_of(table, 0)["counts_double"]))
        assert features_of(table, 2)["deals_left"] == 40 - len(double) + 1
        do(table, *["pass"] * 4)
    assert double == [0] * 32 + [1] * 8


# Declaring --------------------------------------------------------------------------


def test_the_winner_declares_at_least_as_high_as_he_called() -> None:
    table = do(fb_table(), "eight_diamonds", *THREE_PASS)
    assert may(table) == [
        *("eight_diamonds", "eight_hearts"),
        *("nine_spades", "nine_clubs", "nine_diamonds", "nine_hearts"),
        *("nine_petite", "nine_belle"),
    ]
    do(table, "nine_spades")
    assert (table.record.trump, table.record.caller) == (3, 3)
    assert french_boston.target(table.record) == 9


@pytest.mark.parametrize(
    ("call", "trump"), [("nine_petite", 0), ("nine_belle", 2), ("six_diamonds", 1)]
)
def test_the_suit_called_may_be_the_suit_played(call: str, trump: int) -> None:
    table = do(fb_table(declare_after="no"), call, *THREE_PASS)
    assert table.record.phase == french_boston.PLAY
    assert table.record.trump == trump


# Misères ----------------------------------------------------------------------------


@pytest.mark.parametrize("bid", ["petite_misere", "petite_misere_sur_table"])
def test_all_four_discard_the_caller_first(bid: str) -> None:
    table = do(fb_table(), "pass", bid, "pass", "pass")
    for agent in (2, 1, 0, 3):
        assert table.agent == agent
        hand = list(members(table.record.hands[agent]))
        assert table.legal_actions() == hand
        table.apply(hand[-1])
    assert table.agent == 3
    actions, tricks = play_at_random(table, random.Random(0))
    assert sum(tricks) == 12
    assert len(actions) == 48


def test_a_discard_is_known_to_its_player_alone() -> None:
    """Even if it is the card that the dealer turned."""
    tables = []
    for choice in ("C6", "CT"):
        calls = ("petite_misere", *THREE_PASS)
        tables.append(do(fb_table(), *calls, "CK", "CQ", "CJ", choice))
    for seat in (1, 2, 3):
        assert (tables[0].observe(seat) == tables[1].observe(seat)).all()
        for mode in ("ansi", "svg"):
            pictures = [draw(table, mode, seat) for table in tables]
            assert pictures[0] == pictures[1]
    seen = features_of(tables[0], 0)["discard"].nonzero()[0].tolist()
    assert seen == [parse_card("C6")]
    hidden = tables[0].game.state_features.part(tables[0].state(1), "discards")
    cards = [PACK[card] for row in hidden for card in row.nonzero()[0]]
    assert cards == ["CJ", "CQ", "CK", "C6"]


def test_no_misere_for_who_has_passed_or_accepted() -> None:
    table = do(fb_table(), "demand_petite", "accept", "six_spades", "pass")
    assert set(MISERES) & set(may(table)) == set(MISERES) - {"misere_des_quatre_as"}
    do(table, "pass")
    assert not set(MISERES) & set(may(table))


def test_renouncing_at_pleasure_proves_nothing() -> None:
    table = fb_table(ALL_ACES, turned="CQ")
    do(table, "misere_des_quatre_as", *THREE_PASS, "S2", "S6", "ST", "SJ")
    assert table.agent == 0
    do(table, "HT", "DA")
    assert table.record.voids.sum() == 0
    do(table, "H6")
    assert table.record.voids.sum() == 0


@pytest.mark.parametrize("exposed", ["before_lead", "after_first_trick"])
@pytest.mark.parametrize("bid", MISERES[:2] + MISERES[3:])
def test_the_hand_of_a_misere_sur_table_lies_open_and_no_other(
    bid: str, exposed: str
) -> None:
    table = do(fb_table(sur_table_exposed=exposed), "pass", bid, "pass", "pass")
    while table.record.deals_played == 0:
        record = table.record
        is_open = (
            bid.endswith("table")
            and record.phase == french_boston.PLAY
            and (exposed == "before_lead" or record.tricks_played > 0)
        )
        for seat in range(4):
            seen = features_of(table, seat)["exposed"]
            hand = list(members(record.hands[2])) if is_open else []
            assert seen[(2 - seat) % 4].nonzero()[0].tolist() == hand
            assert seen.sum() == len(hand)
            for other in range(4):
                sees = other == seat or (is_open and other == 2)
                shown = int(french_boston.visible(record, seat, other))
                assert shown == (int(record.hands[other]) if sees else 0)
        table.apply(table.legal_actions()[0])


# What players see -------------------------------------------------------------------


def test_the_suit_of_a_demand_is_hidden_until_it_is_played() -> None:
    tables = [fb_table() for _ in HIDDEN]
    for table, demand in zip(tables, HIDDEN, strict=True):
        table.apply(demand)
    after: tuple[tuple[str, ...], ...] = (("pass",), ("demand_belle",), ("pass",))
    for calls in ((), *after):
        for table in tables:
            do(table, *calls)
        for seat in (0, 1, 2):
            assert (tables[0].observe(seat) == tables[1].observe(seat)).all()
            for mode in ("ansi", "svg"):
                pictures = [draw(table, mode, seat) for table in tables]
                assert pictures[0] == pictures[1]
    laid = [features_of(table, 3)["laid"].tolist() for table in tables]
    assert laid == [[1, 0, 0, 0], [0, 0, 1, 0]]
    whole = [
        table.game.state_features.part(table.state(0), "all_laid") for table in tables
    ]
    assert [rows[3].tolist() for rows in whole] == laid
    # Over-called, it never comes out.
    for table in tables:
        do(table, "pass", "pass")
        assert table.record.phase == french_boston.PLAY
    for seat in (0, 1, 2):
        assert (tables[0].observe(seat) == tables[1].observe(seat)).all()


def test_the_suit_of_a_demand_comes_out_when_the_play_begins() -> None:
    for demand, trump in zip(HIDDEN, (0, 2), strict=True):
        table = fb_table()
        table.apply(demand)
        do(table, "accept", "pass")
        for seat in range(4):
            assert features_of(table, seat)["trump"].sum() == 0
        do(table, "pass")
        for seat in range(4):
            assert features_of(table, seat)["trump"].nonzero()[0].tolist() == [trump]


def test_calls_and_contract_are_seen_from_each_seat() -> None:
    table = do(fb_table(), "demand_belle_hidden", "accept", "pass", "six_spades")
    do(table, "eight_clubs")
    seen = features_of(table, 2)
    names = [[CALLS[call] for call in row.nonzero()[0]] for row in seen["calls"]]
    assert names == [
        ["accept"],
        ["demand_petite", "eight_clubs"],
        ["six_spades"],
        ["pass"],
    ]
    assert [CALLS[call] for call in seen["contract"].nonzero()[0]] == ["eight_clubs"]
    assert seen["caller"].tolist() == [0, 1, 0, 0]
    assert seen["acceptor"].sum() == 0
    assert seen["phase"].tolist() == [1, 0, 0, 0, 0]
    assert seen["belle"].tolist() == [0, 0, 1, 0]
    assert seen["petite"].tolist() == [1, 0, 0, 0]
    assert seen["to_act"].tolist() == [1, 0, 0, 0]
    assert seen["turn_up"].nonzero()[0].tolist() == [parse_card("C6")]


def test_the_turned_card_lies_open_while_players_call() -> None:
    table = fb_table(history="last_trick")
    turned = 1 << parse_card("C6")
    for seat in (1, 2, 3):
        assert int(french_boston.visible(table.record, seat, 0)) == turned
        assert features_of(table, seat)["turn_up"].sum() == 1
    do(table, "grand_misere", *THREE_PASS)
    for seat in (1, 2, 3):
        assert int(french_boston.visible(table.record, seat, 0)) == 0
        assert features_of(table, seat)["turn_up"].sum() == 0


def test_pictures_tell_what_was_called() -> None:
    table = do(fb_table(), "demand_belle_hidden", "accept", "pass")
    notes = {
        "turned": "C6",
        "belle": "hearts",
        "petite": "clubs",
        "player_1": "pass",
        "player_2": "accept",
        "player_3": "demand",
        "pool": "20",
    }
    assert dict(french_boston.notes(table.record, 0)) == notes
    own = {**notes, "laid by player_3": "hearts"}
    assert dict(french_boston.notes(table.record, 3)) == own
    assert dict(french_boston.notes(table.record, -1)) == own
    do(table, "pass")
    contract = dict(french_boston.notes(table.record, 0))["contract"]
    assert contract == "demand by player_3 with player_2"


# The end ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "tricks", "rewards"),
    [
        (("six_spades", *THREE_PASS, "six_spades"), 6, [-1, -1, -1, 3]),
        (("six_spades", *THREE_PASS, "six_spades"), 5, [-1, -1, 3, -1]),
        (("grand_misere", *THREE_PASS), 5, [1, 1, 1, -3]),
        (["pass"] * 4, 0, [0, 0, 0, 0]),
    ],
)
def test_the_winners_of_a_match_are_paid_by_the_others(
    calls: Sequence[str], tricks: int, rewards: list[int]
) -> None:
    table = do(fb_table(episode="deal", reward="match"), *calls)
    if not table.is_over:
        table = finish(table, (None, None, None, tricks))
    assert table.rewards() == table.returns() == rewards
    won = french_boston.RULES[0].measures["won"](np.array([table.record]))[0]
    first = max(rewards)
    share = 1 / rewards.count(first)
    assert won == pytest.approx([share * (r == first) for r in rewards])


@pytest.mark.parametrize(
    ("reward", "loss"), [("points", (-2400, 800)), ("match", (-3, 1))]
)
def test_who_forfeits_loses_more_than_in_any_contract(
    reward: str, loss: tuple[int, int]
) -> None:
    table = do(fb_table(reward=reward), "six_spades", "six_clubs")
    table.forfeit()
    assert table.rewards() == [loss[1], loss[0], loss[1], loss[1]]
    assert table.record.pool == 20
    measures = french_boston.RULES[0].measures
    won = measures["won"](np.array([table.record]))[0]
    assert won == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    points = measures["points"](np.array([table.record]))[0]
    assert points.tolist() == [800, -2400, 800, 800]


def test_points_add_up_with_the_pool_whatever_is_rewarded() -> None:
    for reward in ("points", "match"):
        table = fb_table(None, reward=reward, deals=4, pool=0)
        rng = random.Random(1)
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
        assert table.record.points.sum() + table.record.pool == 0
        if reward == "points":
            assert table.returns() == table.record.points.tolist()


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": 7}, TypeError, "deal=7 must be a text"),
        ({"deal": "N:AK"}, ValueError, "not a deal"),
        ({"deal": STRONG.replace("N:4", "N:")}, ValueError, "hand 1 .* has 12 cards"),
        ({"deal": EVEN, "turned": "C7", "dealer": 0}, ValueError, "'C7' is not in the"),
        ({"turned": "C7"}, ValueError, "turned= names a card of a given deal"),
        ({"belle": "X"}, ValueError, "belle='X' must be one of the suits CDHS"),
        ({"belle": "CD"}, ValueError, "belle='CD' must be one"),
        ({"belle": 2}, ValueError, "belle=2 must be one"),
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat; the seats are 0 to 3"),
        ({"pool": -1}, ValueError, "pool=-1 must be a whole number from 0 to 10000"),
        ({"pool": 2.5}, ValueError, "pool=2.5"),
        ({"cut": "H7"}, TypeError, "has deal, turned, dealer, belle, pool"),
    ],
)
def test_an_impossible_position_is_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = fb_table()
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episode": "rubber"}, "episode='rubber'.*'deal' or 'game'"),
        ({"deals": 3}, "deals=3 .*only.*episode='game'"),
        ({"double_deals": 3}, "double_deals=3 .*only.*episode='game'"),
        ({"episode": "game", "belle": "turned"}, "belle='turned' .*episode='deal'"),
        ({"episode": "game", "counts": "double"}, "counts='double' .*episode='deal'"),
        ({"pool_left": "played_out"}, "pool_left='played_out' .*episode='game'"),
        ({"extra_deals": 3}, "extra_deals=3 .*pool_left='played_out'"),
        ({"episode": "game", "deals": 101}, "deals=101 must be .* from 1 to 100"),
        ({"pool_limit": 0}, "pool_limit=0"),
        (
            {"counterclockwise": "yes"},
            "'everything' or 'deal_and_bidding' or 'nothing'",
        ),
    ],
)
def test_an_impossible_option_is_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("french_boston", **options)


@pytest.mark.parametrize(
    ("done", "action", "message"),
    [
        ((), "S2", "cards are played when the bidding is over"),
        ((), "accept", "no demand that waits for a partner"),
        ((), "demand_belle", "over-calls a demand whose suit is hidden"),
        ((), "misere_des_quatre_as", "does not hold all four aces"),
        (("six_spades",), "demand_petite", "six_spades stands, and a demand opens"),
        (("six_clubs",), "six_spades", "does not rank above six_clubs"),
        (
            ("pass", "demand_petite", "pass", "pass"),
            "six_clubs",
            "who has passed may only accept a demand",
        ),
        (
            ("demand_petite", "accept", "six_spades", "pass", "pass"),
            "grand_misere",
            "who has passed or accepted may not call a misere",
        ),
        (
            ("demand_petite", "six_spades", "pass", "pass"),
            "six_hearts",
            "six in the suit that he laid, clubs, alone",
        ),
        (("six_clubs", *THREE_PASS), "C3", "must declare how many tricks"),
        (("six_clubs", *THREE_PASS), "grand_misere", "must declare how many tricks"),
        (("six_clubs", *THREE_PASS), "six_spades", "ranks below six_clubs"),
        (("petite_misere", *THREE_PASS), "pass", "the bidding is over"),
        (("petite_misere", *THREE_PASS), "C2", "the hand does not hold C2"),
        (("grand_misere", *THREE_PASS), "C2", "the hand does not hold C2"),
        (("grand_misere", *THREE_PASS, "C5"), "H6", "clubs were led and must be"),
    ],
)
def test_an_illegal_action_is_refused_with_its_reason(
    done: tuple[str, ...], action: str, message: str
) -> None:
    table = do(fb_table(), *done)
    with pytest.raises(IllegalAction, match=message):
        do(table, action)


@pytest.mark.parametrize(
    ("how", "done", "action", "message"),
    [
        ({"turned": "H4"}, (), "demand_petite", "no petite in this deal"),
        ({"turned": "H4"}, (), "nine_petite", "no petite in this deal"),
        ({"turned": "H4"}, ("demand_belle_hidden",), "demand_belle", "no petite in"),
        (
            {"belle_overcall": "impossible"},
            ("demand_petite",),
            "demand_belle",
            "does not over-call another at this table",
        ),
        (
            {"raised_demand": "laid_suit"},
            ("demand_petite", "six_spades", "pass", "pass"),
            "eight_hearts",
            "tricks in the suit that he laid, clubs",
        ),
        (
            {"raised_demand": "laid_suit"},
            ("demand_petite", "six_spades", "pass", "pass"),
            "grand_misere",
            "tricks in the suit that he laid, clubs",
        ),
        (
            {"deal": JACK_ALONE, "turned": "S4"},
            (),
            "demand_petite",
            "holds none of the spades to lay",
        ),
    ],
)
def test_options_and_positions_have_their_reasons(
    how: dict[str, Any], done: tuple[str, ...], action: str, message: str
) -> None:
    table = do(fb_table(**how), *done)
    with pytest.raises(IllegalAction, match=message):
        do(table, action)


# Random games against the oracle -----------------------------------------------------

READINGS: dict[str, tuple[Any, ...]] = {
    "reward": ("points", "match"),
    "counterclockwise": ("everything", "deal_and_bidding", "nothing"),
    "deal_passes": ("right", "left"),
    "jack_of_hearts": ("diamonds_turned", "diamonds_trumps"),
    "jack_suit": ("trumps", "printed"),
    "jack_bonus": ("diamonds", "best_trump"),
    "belle_overcall": ("public", "impossible"),
    "after_passing": ("accept", "any_higher"),
    "raised_demand": ("freely", "laid_suit"),
    "unaccepted": ("alone", "thrown_in"),
    "declare_after": ("yes", "no"),
    "sur_table_exposed": ("before_lead", "after_first_trick"),
    "failure": ("all", "tricks", "base"),
    "ally_slam": ("text", "table"),
    "solo_slam": ("column", "row"),
    "nine": ("row_and_extra", "row"),
    "doubles": ("everything", "slams_and_jack"),
    "dealer_stake": (8, 3),
    "stake": (4, 0),
    "added_stake": (8, 5),
    "pool_limit": (250, 30),
    "shuffle": ("fresh", "gather_and_cut"),
    "revokes": ("never", "never", "penalty"),
}
LENGTHS = (
    {},
    {"belle": "turned"},
    {"counts": "double"},
    {"episode": "game", "deals": 3, "double_deals": 1},
    {"episode": "game", "deals": 2, "pool_left": "played_out", "extra_deals": 3},
)


def random_options(rng: random.Random) -> Options:
    chosen = {name: rng.choice(values) for name, values in READINGS.items()}
    return {**chosen, **rng.choice(LENGTHS)}


def random_deal(rng: random.Random) -> str:
    """A deal whose suits lie together more or less, so that there are slams."""
    scatter = rng.choice((5, 20, 1000))
    order = sorted(range(52), key=lambda card: card + scatter * rng.random())
    return deal_text(card_set(order[13 * seat :][:13]) for seat in range(4))


def test_over_a_thousand_random_games_agree_with_the_oracle() -> None:
    rng = random.Random(0)
    seen: set[tuple[str, bool, bool]] = set()
    tables = [
        (options, whist_env.game("french_boston", **options).new_table(number))
        for number, options in enumerate(random_options(rng) for _ in range(200))
    ]
    for options, table in tables:
        for _ in range(6):
            deal = random_deal(rng) if rng.random() < 0.6 else None
            table.reset(deal=deal, pool=rng.choice((0, 7, 20, 300)))
            seen |= compare(table, options, rng)
    demands = {"demand_petite", "demand_belle_hidden", "demand_belle"}
    for contract_played in demands:
        for allied, made in itertools.product((True, False), repeat=2):
            assert (contract_played, allied, made) in seen
    for contract_played in set(SOLO_BIDS) - {"misere_des_quatre_as"}:
        assert (contract_played, False, False) in seen
    assert {("all tricks", True, True), ("all tricks", False, True)} < seen


def compare(
    table: Table, options: Options, rng: random.Random
) -> set[tuple[str, bool, bool]]:
    """Play a game beside the oracle.

    Returns:
        The contracts that were played, with whether there was a partner and whether the
        caller's side earned something.
    """
    referee = FrenchBostonReferee(options)
    referee.deal(table)
    seen = set()
    while not table.is_over:
        deal, deals = referee.current, int(table.record.deals_played)
        assert table.agent == referee.agent()
        legal = table.legal_actions()
        assert legal == referee.legal_actions()
        if rng.random() < 0.1:
            check_sight(table, referee)
        action = quiet_choice(legal, rng)
        earned = referee.play(action)
        table.apply(action)
        assert table.rewards() == earned
        if table.record.deals_played > deals:
            if not deal.thrown_in:
                tricks = deal.tricks_of(deal.caller, deal.partner())
                allied = deal.partner() is not None
                if tricks == 13:
                    seen.add(("all tricks", allied, True))
                seen.add((deal.contract, allied, tricks >= (8 if allied else 5)))
            if not table.is_over:
                referee.deal(table)
    assert referee.agent() == -1
    assert referee.match is not None
    assert referee.match.points == table.record.points.tolist()
    assert referee.match.pool == table.record.pool
    won = [seat for seat in range(4) if table.record.winners[seat]]
    assert won == referee.match.winners
    return seen


def quiet_choice(legal: list[int], rng: random.Random) -> int:
    """Players who mostly pass, demand and accept leave more to be played low."""
    quiet = [action for action in legal if 52 <= action <= ACTIONS.index("accept")]
    return rng.choice(quiet if quiet and rng.random() < 0.7 else legal)


def check_sight(table: Table, referee: FrenchBostonReferee) -> None:
    """What the agent to act sees of suits, calls and tricks is what the oracle says."""
    deal, agent = referee.current, table.agent
    seen = features_of(table, agent)
    around = [(agent + place) % 4 for place in range(4)]
    for place, seat in enumerate(around):
        calls = {call for caller, call in deal.calls if caller == seat}
        calls = {"demand_petite" if c == "demand_belle_hidden" else c for c in calls}
        assert {CALLS[c] for c in seen["calls"][place].nonzero()[0]} == calls
        assert seen["tricks"][place] == deal.tricks_of(seat)
        voids = {SUITS[suit] for suit in seen["voids"][place].nonzero()[0]}
        revoked = {SUITS[suit] for suit in seen["revoked"][place].nonzero()[0]}
        expected = (
            deal.suits_not_followed(seat) if deal.is_in_play() else (set(), set())
        )
        assert (voids, revoked) == expected
    assert seen["own_revokes"] == deal.revokers.count(agent)
    laid = deal.laid_suit(agent)
    assert "".join(SUITS[s] for s in seen["laid"].nonzero()[0]) == (laid or "")
    trump = deal.trump if deal.is_in_play() else None
    assert "".join(SUITS[s] for s in seen["trump"].nonzero()[0]) == (trump or "")
