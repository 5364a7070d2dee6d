"""Boston by its rule sheet: every example, every option, every phase."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from contract import Options, contract, pool_of
from oracle_boston import ACTIONS, BIDS, LEVELS, MISERES, PACK, SUITS, Match, failure
from oracle_boston import Options as OracleOptions

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import card_set, deal_text, members, parse_card, parse_deal
from whist_env.games import boston


class BostonReferee:
    """The slow oracle of Boston as a referee."""

    match: Match | None = None

    def __init__(self, options: Options) -> None:
        known = {field.name for field in dataclasses.fields(OracleOptions)}
        own = {name: value for name, value in options.items() if name in known}
        self.options = OracleOptions(**own)

    def deal(self, table: Table) -> None:
        record = table.record
        if self.match is None:
            self.match = Match(self.options, int(record.dealer), int(record.pool))
        assert self.match.dealer == record.dealer
        assert self.match.pool == record.pool
        hands = [[PACK[card] for card in members(hand)] for hand in record.hands]
        self.dealt = [set(map(ACTIONS.index, hand)) for hand in hands]
        self.open_cards: set[int] = set()
        self.current = self.match.start_deal(hands, PACK[int(record.cut)])

    def agent(self) -> int:
        assert self.match is not None
        return -1 if self.match.over else self.current.seat

    def legal_actions(self) -> list[int]:
        return sorted(map(ACTIONS.index, self.current.legal()))

    def play(self, action: int) -> list[int]:
        assert self.match is not None
        if self.current.phase == "play":
            self.open_cards.add(action)
        earned = self.match.act(ACTIONS[action])
        exposed = self.current.exposed(self.options)
        self.open_cards |= set(map(ACTIONS.index, exposed))
        return earned

    def knows(self, agent: int) -> set[int]:
        return self.open_cards | self.dealt[agent]


def discarded(record: Any) -> Iterable[int]:
    return itertools.chain(*(members(cards) for cards in record.discards))


TestBoston = contract(
    "boston",
    BostonReferee,
    {},
    {"episode": "game", "failure_scale": "english", "overtrick": 0},
    {"deals": 2, "reward": "match", "pool_min_bid": 11},
    {"deals": 3, "pool_left": "kept", "spread_exposed": "after_first_trick"},
    {"partout_tie": "nobody_pays", "red_counter": 5, "history": "last_trick"},
    {"dealer": 1, "come_back": "freely"},
    piles=discarded,
)

# Tables -----------------------------------------------------------------------------

# Seat 3 deals, so that seat 0 calls first and leads, unless something else is said.
# Hearts are the preference, diamonds colour, clubs and spades plain.
EVEN = deal_text(card_set(range(seat, 52, 4)) for seat in range(4))
STRONG = "N:AKQJT9.AKQ.A.AKQ 8765.JT98.KQ.JT9 432.765.JT98.876 .432.765432.5432"
LOW = "N:5432.432.432.432 AKQ.AKQ.AKQ.AKQJ JT9.JT98.JT9.T98 876.765.8765.765"
SUIT_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
NOBODY_ELSE = ("pass", "pass", "pass")
STAKE = 10


def boston_table(deal: str | None = EVEN, seed: int = 0, **how: Any) -> Table:
    """A table with a deal on it; options and the parts of a position as keywords."""
    position = {key: how.pop(key) for key in ("cut", "dealer", "pool") if key in how}
    position = {"cut": "H7", "dealer": 3, **position}
    return whist_env.game("boston", **how).new_table(seed, deal=deal, **position)


def do(table: Table, *names: str) -> Table:
    for name in names:
        table.apply(ACTIONS.index(name))
    return table


def may(table: Table) -> list[str]:
    """The calls open to the seat to act."""
    return [ACTIONS[action] for action in table.legal_actions() if action >= 52]


def finish(table: Table, tricks: Sequence[int | None]) -> Table:
    """Play the deal so that each seat takes so many tricks; `None` is any number."""
    rng = random.Random(0)
    for _ in range(20_000):
        trial = table.clone()
        while not trial.is_over:
            trial.apply(rng.choice(trial.legal_actions()))
        taken = trial.record.tricks_won.tolist()
        pairs = zip(taken, tricks, strict=True)
        if all(wanted in (None, number) for number, wanted in pairs):
            return trial
    raise AssertionError(f"no way was found to take {tricks} tricks with this deal")


def settled(
    bid: str, tricks: int, deal: str = EVEN, **how: Any
) -> tuple[list[float], int]:
    """What each earns besides its stake in a deal that seat 0 calls, and the pool."""
    table = do(boston_table(deal, pool_left="kept", **how), bid, *NOBODY_ELSE)
    table = finish(table, (tricks, None, None, None))
    return [made + STAKE for made in table.rewards()], int(table.record.pool)


def features_of(table: Table, seat: int) -> dict[str, Any]:
    return table.game.features.named(table.observe(seat).astype(int))


# The worked examples of the rules ---------------------------------------------------


def test_seven_in_a_plain_suit_made_takes_the_pool() -> None:
    earned, pool = settled("seven_clubs", 7, STRONG)
    assert earned == [60 + 40, -20, -20, -20]
    assert pool == 0


def test_eight_in_preference_two_short_doubles_the_pool() -> None:
    earned, pool = settled("eight_hearts", 6)
    assert earned == [-105 - 40, 35, 35, 35]
    assert pool == 80


def test_grand_misere_made() -> None:
    earned, pool = settled("grand_misere", 0, LOW)
    assert earned == [120 + 40, -40, -40, -40]
    assert pool == 0


@pytest.mark.parametrize(
    ("tricks", "red"),
    [((4, 3, 3, 3), (-3, 1, 1, 1)), ((7, 3, 2, 1), (-15, 4, 5, 6))],
)
def test_misere_partout(tricks: tuple[int, ...], red: tuple[int, ...]) -> None:
    table = do(boston_table(EVEN, pool_left="kept"), "pass", *NOBODY_ELSE)
    table = finish(table, tricks)
    assert [made + STAKE for made in table.rewards()] == [10 * each for each in red]
    assert red[0] == -(3 * tricks[0] - (13 - tricks[0]))
    assert table.record.pool == 40


def test_five_in_colour_with_two_overtricks_leaves_the_pool() -> None:
    earned, pool = settled("five_diamonds", 7)
    assert earned == [36, -12, -12, -12]
    assert pool == 40


# Payments ---------------------------------------------------------------------------


def amount(bid: str, tricks: int, **options: Any) -> int:
    """White counters from each adversary, by the rule itself."""
    record = whist_env.game("boston", **options).new_records(1).view(np.recarray)[0]
    record.bid = BIDS.index(bid)
    record.caller = 2
    record.tricks_won[2] = tricks
    return int(boston.contract_amount(record))


def test_every_bid_of_tricks_made_pays_by_the_table() -> None:
    made = [amount(f"{level}_clubs", tricks) for level, tricks in LEVELS.items()]
    assert made == [10, 15, 20, 25, 35, 45, 65, 105, 170]


@pytest.mark.parametrize("scale", ["decimal", "english"])
def test_every_failure_costs_what_its_table_says(scale: str) -> None:
    for level, wanted in LEVELS.items():
        for short in range(1, wanted + 1):
            cost = amount(f"{level}_spades", wanted - short, failure_scale=scale)
            assert cost == -failure(wanted, short, scale)


def test_some_failures_by_hand() -> None:
    assert amount("five_clubs", 0) == -50
    assert amount("ten_hearts", 7) == -70
    assert amount("thirteen_hearts", 0) == -450
    assert amount("six_clubs", 0, failure_scale="english") == -66
    assert amount("twelve_clubs", 11, failure_scale="english") == -113
    assert amount("thirteen_hearts", 0, failure_scale="english") == -433


@pytest.mark.parametrize("scale", ["decimal", "english"])
def test_a_misere_pays_the_same_won_and_lost(scale: str) -> None:
    for bid, value in MISERES.items():
        costs = [amount(bid, taken, failure_scale=scale) for taken in range(3)]
        assert costs == [value, -value, -value]


@pytest.mark.parametrize(("rate", "each"), [(0, 15), (1, 19), (3, 27)])
def test_overtricks_are_paid_at_their_rate(rate: int, each: int) -> None:
    assert amount("six_clubs", 10, overtrick=rate) == each


@pytest.mark.parametrize(
    ("least", "bid", "plays"),
    [
        (7, "six_hearts", False),
        (7, "seven_clubs", True),
        (7, "little_misere", True),
        (8, "little_misere", False),
        (8, "eight_clubs", True),
        (5, "five_clubs", True),
        (13, "grand_spread", False),
        (13, "thirteen_spades", True),
    ],
)
def test_the_pool_is_played_for_from_a_bid_on(
    least: int, bid: str, plays: bool
) -> None:
    deal = LOW if bid in MISERES else SUIT_EACH
    table = boston_table(deal, pool_min_bid=least, pool=60, pool_left="kept")
    do(table, bid, *NOBODY_ELSE)
    while not table.is_over:
        table.apply(table.legal_actions()[0])
    assert (table.record.pool == 100) != plays


@pytest.mark.parametrize(
    ("pool", "won", "left"), [(209, 249, 0), (210, 250, 0), (300, 250, 90)]
)
def test_the_excess_of_a_large_pool_waits(pool: int, won: int, left: int) -> None:
    assert settled("grand_misere", 0, LOW, pool=pool) == (
        [120 + won, -40, -40, -40],
        left,
    )


def test_a_large_pool_is_doubled_up_to_its_limit() -> None:
    earned, pool = settled("eight_hearts", 6, pool=300)
    assert earned == [-105 - 250, 35, 35, 35]
    assert pool == 340 + 250


def test_each_puts_a_red_counter_into_the_pool() -> None:
    for red in (1, 10, 100):
        table = boston_table(red_counter=red, pool_left="kept")
        table = finish(do(table, "five_hearts", *NOBODY_ELSE), (5, None, None, None))
        assert table.rewards() == [30 - red, *[-10 - red] * 3]
        assert table.record.pool == 4 * red


@pytest.mark.parametrize(
    ("tie", "red"), [("all_pay", (-3, -3, 2, 4)), ("nobody_pays", (0, 0, 0, 0))]
)
def test_a_tie_for_most_tricks_at_misere_partout(
    tie: str, red: tuple[int, ...]
) -> None:
    table = boston_table(EVEN, pool_left="kept", partout_tie=tie, red_counter=3)
    table = finish(do(table, "pass", *NOBODY_ELSE), (4, 4, 4, 1))
    if tie == "all_pay":
        assert table.rewards() == [-9 - 3, -9 - 3, -9 - 3, 27 - 3]
    else:
        assert table.rewards() == [-3, -3, -3, -3]
    other = boston_table(EVEN, pool_left="kept", partout_tie=tie)
    other = finish(do(other, "pass", *NOBODY_ELSE), (4, 4, 3, 2))
    assert [made + STAKE for made in other.rewards()] == [10 * each for each in red]


def test_one_player_with_most_tricks_pays_whatever_the_reading_of_ties() -> None:
    table = boston_table(EVEN, pool_left="kept", partout_tie="nobody_pays")
    table = finish(do(table, "pass", *NOBODY_ELSE), (5, 4, 4, 0))
    assert [made + STAKE for made in table.rewards()] == [-70, 10, 10, 50]


def test_the_pool_left_is_divided_or_kept() -> None:
    results = {}
    for left in ("divided", "kept"):
        table = boston_table(pool_left=left, pool=61)
        table = finish(do(table, "eight_hearts", *NOBODY_ELSE), (6, None, None, None))
        results[left] = (table.rewards(), int(table.record.pool))
    kept = [-105 - 101 - 10, 35 - 10, 35 - 10, 35 - 10]
    assert results["kept"] == (kept, 202)
    assert results["divided"] == ([made + 50 for made in kept], 2)


def test_a_game_is_twelve_deals_and_the_deal_passes_to_the_left() -> None:
    table = boston_table(None, episode="game", dealer=2)
    dealers = []
    rng = random.Random(0)
    while not table.is_over:
        if not table.record.cards_played and table.record.phase == boston.BID:
            dealers.append((int(table.record.deals_played), int(table.record.dealer)))
        table.apply(rng.choice(table.legal_actions()))
    assert table.record.deals_played == 12
    assert [dealer for _, dealer in sorted(set(dealers))] == [2, 3, 0, 1] * 3


def test_the_pool_goes_on_from_deal_to_deal() -> None:
    table = boston_table(None, deals=3)
    for deal in range(2):
        assert features_of(table, 0)["pool"].tolist() == [0, 0, 40 * (deal + 1)]
        do(table, "pass", *NOBODY_ELSE)
        while table.record.deals_played == deal:
            table.apply(table.legal_actions()[0])
    assert features_of(table, 0)["pool"].tolist() == [0, 1, 20]


@pytest.mark.parametrize(
    ("tricks", "rewards"),
    [
        ((4, 3, 3, 3), [-3, 1, 1, 1]),
        ((7, 3, 2, 1), [-1, -1, -1, 3]),
        ((5, 3, 3, 2), [-1, -1, -1, 3]),
        ((5, 4, 2, 2), [-2, -2, 2, 2]),
    ],
)
def test_the_winners_of_a_match_are_paid_by_the_others(
    tricks: tuple[int, ...], rewards: list[int]
) -> None:
    table = do(boston_table(EVEN, reward="match"), "pass", *NOBODY_ELSE)
    table = finish(table, tricks)
    assert table.rewards() == table.returns() == rewards
    won = boston.RULES[0].measures["won"](np.array([table.record]))[0]
    assert won.tolist() == [(r > 0) / sum(r > 0 for r in rewards) for r in rewards]


def test_a_match_that_all_win_pays_nothing() -> None:
    table = boston_table(EVEN, reward="match", partout_tie="nobody_pays")
    table = finish(do(table, "pass", *NOBODY_ELSE), (4, 4, 3, 2))
    assert table.rewards() == [0, 0, 0, 0]
    won = boston.RULES[0].measures["won"](np.array([table.record]))[0]
    assert won.tolist() == [0.25] * 4


def test_points_are_what_each_made_whatever_is_rewarded() -> None:
    for reward in ("points", "match"):
        table = do(boston_table(EVEN, reward=reward), "five_hearts", *NOBODY_ELSE)
        table = finish(table, (5, None, None, None))
        points = boston.RULES[0].measures["points"](np.array([table.record]))[0]
        assert points.tolist() == [30, -10, -10, -10]


@pytest.mark.parametrize(
    ("reward", "loss"), [("points", (-1620, 540)), ("match", (-3, 1))]
)
def test_who_forfeits_loses_more_than_by_any_bid(
    reward: str, loss: tuple[int, int]
) -> None:
    table = do(boston_table(reward=reward, pool=60), "five_hearts", "six_hearts")
    table.forfeit()
    assert table.rewards() == [loss[1], loss[1], loss[0], loss[1]]
    assert table.record.pool == 60
    won = boston.RULES[0].measures["won"](np.array([table.record]))[0]
    assert won == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


# Bidding ----------------------------------------------------------------------------


def test_eldest_hand_calls_first_and_leads_whatever_the_bid() -> None:
    for dealer in range(4):
        table = boston_table(dealer=dealer)
        eldest = (dealer + 1) % 4
        assert table.agent == eldest
        do(table, "pass", "pass", "five_hearts", "pass", "pass", "pass")
        assert table.agent == eldest
        assert table.record.caller == (eldest + 2) % 4


def test_all_bids_are_open_at_first() -> None:
    assert may(boston_table()) == ["pass", *BIDS]


def test_the_ladder_of_bids() -> None:
    names = boston.RULES[0].action_names
    assert names[52:] == ("pass", *BIDS)
    ladder = (
        "five_clubs five_diamonds five_hearts six_spades six_diamonds seven_clubs "
        "seven_hearts little_misere eight_spades nine_clubs grand_misere ten_clubs "
        "eleven_hearts little_spread twelve_clubs grand_spread thirteen_clubs "
        "thirteen_diamonds thirteen_hearts"
    ).split()
    for low, high in itertools.pairwise(ladder):
        table = do(boston_table(), low)
        assert high in may(table)
        table = do(boston_table(), high)
        assert low not in may(table)


@pytest.mark.parametrize("cut", SUITS)
def test_suits_rank_by_the_cut_card(cut: str) -> None:
    words = dict(zip(SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True))
    colour = {"C": "S", "S": "C", "D": "H", "H": "D"}[cut]
    plain = [suit for suit in SUITS if suit not in (cut, colour)]

    def sixes(bid: str) -> set[str]:
        calls = may(do(boston_table(cut=cut + "2"), f"six_{words[bid]}"))
        return {call for call in calls if call.startswith("six")}

    assert sixes(cut) == set()
    assert sixes(colour) == {f"six_{words[cut]}"}
    for suit in plain:
        assert sixes(suit) == {f"six_{words[cut]}", f"six_{words[colour]}"}


def test_who_has_passed_may_come_back_only_with_a_misere() -> None:
    table = do(boston_table(), "pass", "eight_hearts", "pass", "pass")
    assert table.agent == 0
    assert may(table) == ["pass", "grand_misere", "little_spread", "grand_spread"]
    do(table, "grand_misere")
    assert "ten_clubs" in may(table)
    do(table, "pass")
    assert may(table) == ["pass", "little_spread", "grand_spread"]


@pytest.mark.parametrize("come_back", ["miseres", "freely"])
def test_who_came_back_and_was_overcalled_may_bid_misères_or_anything(
    come_back: str,
) -> None:
    table = do(boston_table(come_back=come_back), "pass", "six_hearts", "pass", "pass")
    do(table, "little_misere", "eight_clubs", "pass", "pass")
    assert table.agent == 0
    assert features_of(table, 0)["passed"].tolist()[0] == (come_back == "miseres")
    miseres = ["grand_misere", "little_spread", "grand_spread"]
    if come_back == "miseres":
        assert may(table) == ["pass", *miseres]
    else:
        assert {"eight_hearts", "nine_clubs", *miseres} < set(may(table))
        assert "eight_clubs" not in may(table)


def test_who_passes_again_is_bound_again() -> None:
    table = do(boston_table(come_back="freely"), "pass", "six_hearts", "pass", "pass")
    do(table, "little_misere", "eight_clubs", "pass", "grand_misere", "pass")
    do(table, "ten_clubs", "pass", "pass")
    assert table.agent == 0
    assert may(table) == ["pass", "little_spread", "grand_spread"]


def test_an_overcalled_bidder_may_raise_freely() -> None:
    table = do(boston_table(), "five_hearts", "pass", "six_clubs", "pass")
    assert may(table) == ["pass", *BIDS[BIDS.index("six_diamonds") :]][:1] + [
        bid for bid in BIDS[BIDS.index("six_diamonds") :] if bid != "six_spades"
    ]


def test_three_passes_after_a_bid_end_the_bidding() -> None:
    table = do(boston_table(), "pass", "pass", "pass", "five_hearts", "pass", "pass")
    assert table.record.phase == boston.BID
    do(table, "pass")
    assert table.record.phase == boston.PLAY
    assert table.record.trump == 2


def test_passes_before_a_bid_do_not_count() -> None:
    table = do(boston_table(), "five_hearts", "pass", "pass", "six_hearts", "pass")
    assert table.record.phase == boston.BID
    assert table.agent == 1


def test_the_highest_bid_of_all_is_left_to_three_passes() -> None:
    table = do(boston_table(), "thirteen_hearts")
    for _ in range(3):
        assert may(table) == ["pass"]
        do(table, "pass")
    assert table.record.phase == boston.PLAY


def test_four_passes_are_misere_partout_without_trumps() -> None:
    table = do(boston_table(), "pass", "pass", "pass", "pass")
    assert (table.record.phase, table.record.trump, table.agent) == (boston.PLAY, -1, 0)


@pytest.mark.parametrize("bid", MISERES)
def test_miseres_have_no_trumps(bid: str) -> None:
    table = do(boston_table(), bid, *NOBODY_ELSE)
    assert table.record.trump == -1


# Discards ---------------------------------------------------------------------------


@pytest.mark.parametrize("bid", ["little_misere", "little_spread"])
def test_all_four_discard_the_caller_first(bid: str) -> None:
    table = do(boston_table(), "pass", "pass", bid, *NOBODY_ELSE)
    for agent in (2, 3, 0, 1):
        assert table.agent == agent
        hand = list(members(table.record.hands[agent]))
        assert table.legal_actions() == hand
        table.apply(hand[-1])
    assert table.agent == 0
    table = finish(table, (None, None, None, None))
    assert table.record.tricks_won.sum() == 12
    assert table.record.cards_played == 48


@pytest.mark.parametrize("bid", ["grand_misere", "grand_spread", "five_hearts"])
def test_nobody_discards_at_other_bids(bid: str) -> None:
    table = do(boston_table(), bid, *NOBODY_ELSE)
    assert table.record.phase == boston.PLAY
    assert finish(table, (None,) * 4).record.tricks_won.sum() == 13


def test_a_discard_is_known_to_its_player_alone() -> None:
    first, second = (
        do(boston_table(), "little_misere", *NOBODY_ELSE) for _ in range(2)
    )
    do(first, PACK[0])
    do(second, PACK[0])
    choices = list(members(first.record.hands[1]))
    first.apply(choices[0])
    second.apply(choices[-1])
    for seat in (0, 2, 3):
        assert (first.observe(seat) == second.observe(seat)).all()
        for mode in ("ansi", "svg"):
            pictures = [
                whist_env.envs.drawing.draw(table, mode, seat)
                for table in (first, second)
            ]
            assert pictures[0] == pictures[1]
    assert features_of(first, 1)["discard"].nonzero()[0].tolist() == choices[:1]
    assert features_of(first, 2)["discard"].sum() == 0
    hidden = first.game.state_features.part(first.state(2), "discards")
    assert [row.nonzero()[0].tolist() for row in hidden] == [
        [],
        [],
        [0],
        choices[:1],
    ]


def test_a_discard_is_shown_in_pictures_to_its_player_alone() -> None:
    table = do(boston_table(EVEN), "little_misere", *NOBODY_ELSE, "CA")
    line = ("discard of player_0", "CA")
    assert line in boston.notes(table.record, 0)
    assert line in boston.notes(table.record, -1)
    for seat in (1, 2, 3):
        assert not any(
            "discard" in name for name, _ in boston.notes(table.record, seat)
        )


# Spreads ----------------------------------------------------------------------------


@pytest.mark.parametrize("exposed", ["before_lead", "after_first_trick"])
@pytest.mark.parametrize("bid", MISERES)
def test_the_hand_of_a_spread_lies_open_and_no_other(bid: str, exposed: str) -> None:
    table = do(boston_table(spread_exposed=exposed), "pass", bid, *NOBODY_ELSE)
    while not table.is_over:
        record = table.record
        is_open = (
            bid.endswith("spread")
            and record.phase == boston.PLAY
            and (exposed == "before_lead" or record.tricks_played > 0)
        )
        for seat in range(4):
            seen = features_of(table, seat)["exposed"]
            caller = (1 - seat) % 4
            hand = list(members(record.hands[1])) if is_open else []
            assert seen[caller].nonzero()[0].tolist() == hand
            assert seen.sum() == len(hand)
            for other in range(4):
                sees = other == seat or (is_open and other == 1)
                shown = int(boston.visible(record, seat, other))
                assert shown == (int(record.hands[other]) if sees else 0)
        table.apply(table.legal_actions()[0])


# What players see -------------------------------------------------------------------


def test_calls_and_contract_are_seen_from_each_seat() -> None:
    table = do(boston_table(), "five_hearts", "pass", "six_clubs", "pass", "nine_clubs")
    seen = features_of(table, 2)
    names = [[BIDS[bid] for bid in row.nonzero()[0]] for row in seen["bids"]]
    assert names == [["six_clubs"], [], ["five_hearts", "nine_clubs"], []]
    assert seen["passed"].tolist() == [0, 1, 0, 1]
    assert [BIDS[bid] for bid in seen["contract"].nonzero()[0]] == ["nine_clubs"]
    assert seen["caller"].tolist() == [0, 0, 1, 0]
    assert seen["phase"].tolist() == [1, 0, 0]
    assert seen["to_act"].tolist() == [0, 0, 0, 1]
    assert seen["trump"].sum() == 0


def test_the_cut_card_is_seen_by_all() -> None:
    table = boston_table(cut="D9")
    for seat in range(4):
        cut = features_of(table, seat)["cut"].nonzero()[0].tolist()
        assert cut == [parse_card("D9")]


def test_the_points_are_seen_in_digits_with_their_sign() -> None:
    table = boston_table(None, deals=2)
    deal = do(table, "thirteen_hearts", *NOBODY_ELSE)
    while deal.record.deals_played == 0:
        deal.apply(deal.legal_actions()[0])
    points = deal.record.points.tolist()
    assert points[0] < -540
    for seat in range(4):
        digits = features_of(deal, seat)["points"]
        whole = (digits * [10_000, 100, 1]).sum(axis=1).tolist()
        assert whole == points[seat:] + points[:seat]
        assert (np.sign(digits) * np.sign(np.array([whole]).T) >= 0).all()
    assert features_of(deal, 0)["deals_left"] == 1


def test_pictures_tell_what_was_called() -> None:
    table = do(boston_table(), "five_hearts", "pass", "six_clubs", *NOBODY_ELSE)
    assert dict(boston.notes(table.record, 0)) == {
        "cut": "H7, hearts preferred",
        "player_0": "five_hearts, passed",
        "player_1": "passed",
        "player_2": "six_clubs",
        "player_3": "passed",
        "contract": "six_clubs by player_2",
        "pool": "40",
    }
    partout = do(boston_table(), "pass", *NOBODY_ELSE)
    assert dict(boston.notes(partout.record, 0))["contract"] == "misere partout"


# The deal ---------------------------------------------------------------------------


def test_the_pack_is_dealt_four_four_five_from_the_left() -> None:
    table = boston_table(None, dealer=1)
    pack = table.record.pack.tolist()
    for number, seat in enumerate((2, 3, 0, 1)):
        own = pack[4 * number :][:4] + pack[16 + 4 * number :][:4]
        own += pack[32 + 5 * number :][:5]
        assert sorted(own) == list(members(table.record.hands[seat]))


def test_a_given_deal_is_dealt_whoever_deals() -> None:
    for dealer in range(4):
        table = boston_table(LOW, dealer=dealer)
        hands = [int(hand) for hand in table.record.hands]
        assert hands == [int(hand) for hand in parse_deal(LOW)]


def test_the_other_pack_is_cut_apart_from_the_deal() -> None:
    """Any of 52 cards, and the hands say nothing about it."""
    game = whist_env.game("boston", dealer=3)
    cuts = []
    in_hand = [0, 0, 0, 0]
    for seed in range(2000):
        record = game.new_table(seed).record
        cuts.append(int(record.cut))
        for seat, hand in enumerate(record.hands):
            in_hand[seat] += int(hand) >> int(record.cut) & 1
    counts = np.bincount(cuts, minlength=52)
    assert counts.min() > 15
    assert counts.max() < 70
    assert sum(in_hand) == 2000
    assert all(420 < number < 580 for number in in_hand)


def test_the_cut_changes_from_deal_to_deal() -> None:
    table = whist_env.game("boston", episode="game").new_table(3)
    cuts = {int(table.record.cut)}
    while not table.is_over:
        table.apply(table.legal_actions()[0])
        cuts.add(int(table.record.cut))
    assert len(cuts) > 7


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"deal": 7}, TypeError, "deal=7 must be a text"),
        ({"deal": "N:AK"}, ValueError, "not a deal"),
        ({"deal": STRONG.replace("N:A", "N:")}, ValueError, "hand 1 .* has 12 cards"),
        ({"cut": "H1"}, ValueError, "'H1' is not a card"),
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat; the seats are 0 to 3"),
        ({"pool": -1}, ValueError, "pool=-1 must be a whole number from 0 to 10000"),
        ({"pool": 2.5}, ValueError, "pool=2.5"),
        ({"turned": "H7"}, TypeError, "has deal, cut, dealer, pool"),
    ],
)
def test_an_impossible_position_is_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = boston_table()
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(**position)
    assert table.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episode": "rubber"}, "episode='rubber'.*'deal' or 'game'"),
        ({"episode": "game", "deals": 3}, "deals=3 .*only.*episode='deal'"),
        ({"pool_min_bid": 4}, "pool_min_bid=4 must be a whole number from 5 to 13"),
        ({"failure_scale": "french"}, "'decimal' or 'english'"),
        ({"overtrick": -1}, "overtrick=-1"),
        ({"red_counter": 0}, "red_counter=0"),
        ({"partout_tie": "split"}, "'all_pay' or 'nobody_pays'"),
        ({"come_back": "never"}, "'miseres' or 'freely'"),
    ],
)
def test_an_impossible_option_is_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("boston", **options)


@pytest.mark.parametrize(
    ("done", "action", "message"),
    [
        ((), "S2", "cards are played when the bidding is over"),
        (("five_spades",), "five_clubs", "does not over-call five_spades; .*hearts"),
        (("six_clubs",), "five_hearts", "does not over-call six_clubs"),
        (
            ("pass", "pass", "pass", "five_clubs"),
            "six_clubs",
            "who has passed may come back only with a misere",
        ),
        (("little_misere", *NOBODY_ELSE), "pass", "the bidding is over"),
        (("little_misere", *NOBODY_ELSE), "C3", "the hand does not hold C3"),
        (("five_clubs", *NOBODY_ELSE), "six_clubs", "the bidding is over"),
        (("five_clubs", *NOBODY_ELSE), "C3", "the hand does not hold C3"),
        (("five_clubs", *NOBODY_ELSE, "C2"), "D2", "clubs were led and must be"),
    ],
)
def test_an_illegal_action_is_refused_with_its_reason(
    done: tuple[str, ...], action: str, message: str
) -> None:
    table = do(boston_table(EVEN), *done)
    with pytest.raises(IllegalAction, match=message):
        do(table, action)


# Random games against the oracle -----------------------------------------------------

WAYS = [
    {"deals": deals, "reward": reward, "failure_scale": scale, **rest}
    for deals, reward, scale in itertools.product(
        (1, 3), ("points", "match"), ("decimal", "english")
    )
    for rest in (
        {},
        {"overtrick": 0, "pool_min_bid": 5, "pool_left": "kept"},
        {"overtrick": 4, "pool_min_bid": 9, "red_counter": 25},
        {
            "partout_tie": "nobody_pays",
            "spread_exposed": "after_first_trick",
            "come_back": "freely",
        },
    )
]


def test_over_a_thousand_random_games_agree_with_the_oracle() -> None:
    rng = random.Random(0)
    contracts = set()
    for number in range(32 * len(WAYS)):
        options = WAYS[number % len(WAYS)]
        table = whist_env.game("boston", **options).new_table(
            number, pool=rng.choice((0, 7, 200, 1000))
        )
        contracts |= compare(table, options, rng)
    assert len(contracts) == 1 + len(BIDS)


def compare(table: Table, options: Options, rng: random.Random) -> set[str | None]:
    """Play a game beside the oracle; returns the contracts that were played."""
    referee = BostonReferee(options)
    referee.deal(table)
    eagerness = rng.choice((0, 0.1, 0.4, 1))
    contracts = set()
    while not table.is_over:
        assert table.agent == referee.agent()
        legal = table.legal_actions()
        assert legal == referee.legal_actions()
        action = rng.choice(legal)
        if legal[0] == ACTIONS.index("pass"):
            action = 52 if rng.random() > eagerness else rng.choice(legal[:12])
        deals, pool = table.record.deals_played, pool_of(table)
        expected = referee.play(action)
        table.apply(action)
        assert table.rewards() == expected
        assert sum(expected) + pool_of(table) - pool == 0
        if table.record.deals_played > deals:
            contracts.add(referee.current.bid)
            assert referee.match is not None
            assert table.record.points.tolist() == referee.match.points
            assert table.record.pool == referee.match.pool
            if not table.is_over:
                referee.deal(table)
    assert referee.agent() == -1
    return contracts
