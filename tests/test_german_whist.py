"""German Whist by its rule sheet: every example, every option, and hidden cards."""

from __future__ import annotations

import collections
import copy
import itertools
import random
from typing import Any

import numpy as np
import pytest
from contract import contract
from oracle_german_whist import (
    GermanDeal,
    Match,
    Options,
    card_id,
    card_name,
    counted,
    pack,
    points,
)

import whist_env
from whist_env import Table
from whist_env.cards import card_set, hand_text, members, parse_card
from whist_env.envs.vector import Tables
from whist_env.games import german_whist
from whist_env.games.german_whist import GermanWhistOptions


def names(cards: Any) -> list[str]:
    return [card_name(int(card)) for card in cards]


def talon_of(record: Any) -> list[int]:
    """The cards of the pack that are neither dealt nor drawn, from the top."""
    gone = int(record.dealt[0] | record.dealt[1])
    gone |= int(record.taken[0] | record.taken[1] | record.drawn[0] | record.drawn[1])
    return [int(c) for c in record.pack if c >= 0 and not gone >> int(c) & 1]


class GermanReferee:
    """The slow oracle of German Whist as a referee."""

    match: Match | None = None
    current: GermanDeal

    def __init__(self, options: dict[str, Any]) -> None:
        known = Options.__dataclass_fields__
        self.options = Options(**{k: v for k, v in options.items() if k in known})

    def deal(self, table: Table) -> None:
        self.follow(table.record)

    def follow(self, record: Any) -> None:
        if self.match is None:
            self.match = Match(self.options, int(record.dealer))
        assert self.match.dealer == record.dealer
        hands = [names(members(hand)) for hand in record.hands]
        self.current = self.match.start_deal(hands, names(talon_of(record)))

    def agent(self) -> int:
        assert self.match is not None
        return -1 if self.match.over else self.current.to_move

    def legal_actions(self) -> list[int]:
        return sorted(map(card_id, self.current.legal_cards()))

    def play(self, action: int) -> list[int]:
        assert self.match is not None
        return self.match.play(card_name(action))

    def knows(self, agent: int) -> set[int]:
        deal = self.current
        seen = deal.turned | deal.played | deal.private[agent]
        return set(map(card_id, seen))


TestGermanWhist = contract(
    "german_whist",
    GermanReferee,
    {},
    {"count": "last13", "deals": 2, "shuffle": "gather_and_cut"},
    {"reward": "tricks", "history": "last_trick", "dealer": 1},
    {"reward": "match", "deals": 3, "ranks": 8, "suits": 3},
    piles=talon_of,
)


def new_game(**options: Any) -> whist_env.Game:
    return whist_env.game("german_whist", **options)


def given(
    first: str, second: str, talon: str = "", dealer: int = 0, **options: Any
) -> Table:
    """A table with hands of single cards such as ``"SA H2"``."""
    hands = [
        hand_text(card_set(map(parse_card, cards.split()))) for cards in (first, second)
    ]
    return new_game(**options).new_table(
        0, deal=" ".join(hands), talon=talon, dealer=dealer
    )


def play(table: Table, cards: str) -> None:
    for card in cards.split():
        table.apply(parse_card(card))


def legal(table: Table) -> str:
    return " ".join(names(table.legal_actions()))


def hands_of(table: Table) -> list[str]:
    return [" ".join(names(members(hand))) for hand in table.record.hands]


def features_of(table: Table, seat: int) -> dict[str, Any]:
    return table.game.features.named(table.observe(seat).astype(int))


def play_to(first_phase: tuple[int, int], second: tuple[int, int]) -> list[Any]:
    """The pack, dealer and cards of a deal with these tricks before and after."""
    game = new_game(dealer=0)
    rng = random.Random(5)
    for seed in range(20_000):
        table = game.new_table(seed)
        record = table.record
        actions = []
        while not table.is_over:
            actions.append(rng.choice(table.legal_actions()))
            table.apply(actions[-1])
            if record.tricks_played == 13 and record.cards_in_trick == 0:
                if tuple(record.tricks_won) != first_phase:
                    break
        won = tuple(record.tricks_won[seat] - first_phase[seat] for seat in (0, 1))
        if table.is_over and won == second:
            return [seed, actions]
    raise AssertionError("no such deal was found")


def rewards_of(deal: list[Any], **options: Any) -> list[float]:
    """What a deal of `play_to` earns."""
    seed, actions = deal
    table = new_game(dealer=0, **options).new_table(seed)
    for action in actions:
        table.apply(action)
    assert table.is_over
    return table.returns()


# The worked examples of the rules ---------------------------------------------------


def test_the_majority_of_all_tricks_gets_the_difference() -> None:
    deal = play_to((8, 5), (7, 6))
    assert rewards_of(deal) == [4, -4]
    assert rewards_of(deal, reward="match") == [1, -1]
    assert rewards_of(deal, reward="tricks") == [4, -4]
    # By the other reading, 7-6.
    assert rewards_of(deal, count="last13") == [1, -1]


def test_thirteen_tricks_each_are_a_draw() -> None:
    deal = play_to((7, 6), (6, 7))
    for reward in ("points", "match", "tricks"):
        assert rewards_of(deal, reward=reward) == [0, 0]


def test_one_deal_counted_by_all_tricks_and_by_the_last_thirteen() -> None:
    deal = play_to((4, 9), (8, 5))
    assert rewards_of(deal) == [-2, 2]
    assert rewards_of(deal, reward="match") == [-1, 1]
    for reward, amount in (("points", 3), ("match", 1), ("tricks", 3)):
        expected = [amount, -amount]
        assert rewards_of(deal, count="last13", reward=reward) == expected
    # As OpenSpiel counts: twice the tricks of the last thirteen, less thirteen.
    assert 2 * 8 - 13 == 3


# Deal, draw and play ----------------------------------------------------------------


def test_the_twenty_seventh_card_is_turned_and_fixes_trumps() -> None:
    for seed in range(30):
        record = new_game().new_table(seed).record
        dealer = int(record.dealer)
        dealt = record.pack[:26].tolist()
        assert set(members(record.hands[1 - dealer])) == set(dealt[0::2])
        assert set(members(record.hands[dealer])) == set(dealt[1::2])
        assert record.face_up == record.pack[26]
        assert record.trump == record.pack[26] // 13
        assert record.agent == 1 - dealer


EIGHT = {"ranks": 4, "suits": 2}
"""A pack of C J Q K A and D J Q K A: hands of two, a talon of four."""


def test_the_winner_takes_the_card_face_up_and_the_loser_the_next() -> None:
    table = given("CJ DJ", "CQ DQ", "DK CA CK DA", dealer=1, **EIGHT)
    assert (table.agent, table.record.trump) == (0, 1)
    assert legal(table) == "CJ DJ"
    play(table, "CJ")
    assert legal(table) == "CQ"
    play(table, "CQ")
    assert hands_of(table) == ["CA DJ", "DQ DK"]
    assert table.record.face_up == parse_card("CK")
    assert (table.agent, table.record.tricks_won.tolist()) == (1, [0, 1])
    play(table, "DK DJ")
    # The last two cards of the talon are taken as well.
    assert hands_of(table) == ["CA DA", "CK DQ"]
    assert table.record.face_up == -1
    play(table, "DQ DA")
    assert hands_of(table) == ["CA", "CK"]
    play(table, "CA CK")
    assert table.is_over
    assert table.record.tricks_won.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("lead", "follow", "winner"),
    [
        ("CA", "DJ", 1),  # the higher trump
        ("DA", "DJ", 0),
        ("DJ", "DA", 1),
        ("CJ", "CA", 1),  # the higher card of the suit led
        ("DJ", "CA", 0),  # not another plain suit
        ("CJ", "HA", 0),
    ],
)
def test_who_wins_a_trick(lead: str, follow: str, winner: int) -> None:
    # Only one card is in the follower's hand that is not a high heart or spade.
    others = [c for c in pack(4, 4) if c not in (lead, follow, "DK")]
    if follow[0] != lead[0]:
        others.sort(key=lambda card: card[0] != lead[0])
    else:
        others.sort(key=lambda card: card[0] == lead[0])
    first, second = [lead, *others[:3]], [follow, *others[-3:]]
    assert follow[0] == lead[0] or not any(c[0] == lead[0] for c in second)
    table = given(" ".join(first), " ".join(second), "DK", 1, ranks=4, suits=4)
    play(table, f"{lead} {follow}")
    assert table.agent == winner


def test_suit_is_followed_from_the_first_trick_on() -> None:
    table = given("CJ DJ", "CQ DQ", "DK", dealer=0, **EIGHT)
    play(table, "DQ")
    assert legal(table) == "DJ"


def test_a_seat_that_draws_unseen_is_proven_void_of_nothing() -> None:
    table = given("CJ CQ", "DJ DQ", "DK CA CK DA", dealer=1, **EIGHT)
    play(table, "CJ DJ")
    # Player 1 has no club, has won with a trump and has taken another in sight.
    assert hands_of(table) == ["CQ CA", "DQ DK"]
    assert table.record.voids.tolist() == [0, 0b01]
    play(table, "DK CQ")
    # Player 0 had no diamond, but has drawn one that player 1 did not see; and all saw
    # player 1 take a club.
    assert hands_of(table) == ["CA DA", "CK DQ"]
    assert table.record.voids.tolist() == [0, 0]


def test_a_card_drawn_unseen_clears_voids_of_whatever_suit_it_is() -> None:
    for drawn in ("CA", "DA"):
        other = "DA" if drawn == "CA" else "CA"
        table = given("DJ DQ", "CJ CQ", f"DK {drawn} {other} CK", dealer=1, **EIGHT)
        play(table, "DJ CJ")
        assert table.record.voids.tolist() == [0, 0]


def test_voids_stay_when_the_talon_is_gone() -> None:
    table = given("DJ DQ", "CJ CQ", "DK CA DA CK", dealer=1, **EIGHT)
    play(table, "DJ CJ DQ CQ DK CK")
    assert table.record.voids.tolist() == [0, 0b10]


def test_the_deal_alternates_and_the_non_dealer_leads() -> None:
    for first in (0, 1):
        table = new_game(deals=4, dealer=first).new_table(3)
        for number in range(4):
            assert table.record.dealer == (first + number) % 2
            assert table.agent == (first + number + 1) % 2
            for _ in range(52):
                table.apply(table.legal_actions()[0])
        assert table.is_over


@pytest.mark.parametrize("ranks", range(2, 14))
@pytest.mark.parametrize("suits", range(1, 5))
def test_small_packs_keep_the_highest_ranks_of_the_first_suits(
    ranks: int, suits: int
) -> None:
    if ranks * suits % 4:
        with pytest.raises(ValueError, match="must be a multiple of 4"):
            new_game(ranks=ranks, suits=suits)
        return
    table = new_game(ranks=ranks, suits=suits).new_table(1)
    record = table.record
    cards = [int(card) for card in record.pack if card >= 0]
    assert sorted(names(cards)) == sorted(pack(ranks, suits))
    size = ranks * suits // 4
    assert [len(list(members(hand))) for hand in record.hands] == [size, size]
    actions = 0
    while not table.is_over:
        table.apply(table.legal_actions()[0])
        actions += 1
    assert actions == 4 * size
    assert table.record.tricks.sum() == 2 * size


# Hidden information -----------------------------------------------------------------


def test_both_know_the_cards_taken_face_up_until_they_are_played() -> None:
    table = given("CJ DJ", "CQ DQ", "DK CA CK DA", dealer=1, **EIGHT)
    play(table, "CJ CQ")
    for seat in (0, 1):
        seen = features_of(table, seat)
        known = [names(np.flatnonzero(plane)) for plane in seen["known"]]
        assert known[(1 - seat) % 2] == ["DK"]
        assert known[(0 - seat) % 2] == []
        assert names(np.flatnonzero(seen["face_up"])) == ["CK"]
        assert seen["talon"] == 2
    mine, theirs = (features_of(table, seat)["drawn_after"] for seat in (0, 1))
    assert names(np.flatnonzero(mine)) == ["CA", "DK"]
    assert names(np.flatnonzero(theirs)) == ["DK"]
    play(table, "DK")
    assert not features_of(table, 0)["known"].any()


def test_the_short_memory_knows_the_card_face_up_alone() -> None:
    table = given(
        "CJ DJ", "CQ DQ", "DK CA CK DA", dealer=1, history="last_trick", **EIGHT
    )
    play(table, "CJ CQ")
    for seat in (0, 1):
        seen = features_of(table, seat)
        assert not seen["known"].any()
        assert not seen["drawn_after"].any()
        assert names(np.flatnonzero(seen["face_up"])) == ["CK"]


def test_a_full_memory_knows_the_other_hand_when_the_talon_is_gone() -> None:
    for seed in range(20):
        table = new_game().new_table(seed)
        rng = random.Random(seed)
        while not table.is_over:
            if table.record.tricks_played >= 13:
                for seat in (0, 1):
                    seen = features_of(table, seat)
                    gone = seen["hand"] + seen["played"].sum(axis=0)
                    other = set(members(table.record.hands[1 - seat]))
                    assert set(np.flatnonzero(gone == 0).tolist()) == other
            table.apply(rng.choice(table.legal_actions()))


def test_pictures_show_what_was_taken_face_up_and_no_other_card() -> None:
    table = given("CJ DJ", "CQ DQ", "DK CA CK DA", dealer=1, **EIGHT)
    assert german_whist.notes(table.record, 0) == (("talon", "DK on 3 cards"),)
    play(table, "CJ CQ")
    record = table.record
    assert german_whist.notes(record, 0) == (("talon", "CK on 1 card"),)
    assert german_whist.notes(record, -1) == (("talon", "CK DA"),)
    assert names(members(german_whist.visible(record, 0, 1))) == ["DK"]
    assert names(members(german_whist.visible(record, 1, 0))) == []
    play(table, "DK DJ DQ DA CA CK")
    assert german_whist.notes(table.record, 0) == ()


def check_observation(table: Table, match: Match) -> None:
    """Each feature shows what it claims, by the oracle's book."""
    deal = match.deal
    assert deal is not None
    record = table.record
    for seat in (0, 1):
        seen = features_of(table, seat)
        order = (seat, 1 - seat)
        assert set(names(np.flatnonzero(seen["hand"]))) == deal.hands[seat]
        assert names(np.flatnonzero(seen["face_up"])) == deal.talon[:1]
        assert seen["talon"] == len(deal.talon)
        for offset, other in enumerate(order):
            known = set(names(np.flatnonzero(seen["known"][offset])))
            assert known == deal.seen_taken[other]
            voids = {"CDHS"[s] for s in np.flatnonzero(seen["voids"][offset])}
            assert voids == deal.voids[other]
            assert not any(card[0] in voids for card in deal.hands[other])
        told = deal.turned | deal.private[seat]
        after = {card_name(c): seen["drawn_after"][c] for c in range(52)}
        assert {card: trick for card, trick in after.items() if trick} == {
            card: trick for card, trick in deal.drawn_after.items() if card in told
        }
        assert seen["tricks"].tolist() == [deal.tricks()[o] for o in order]
        tricks = counted(deal, match.options.count)
        assert seen["counted"].tolist() == [tricks[o] for o in order]
        digits = (seen["points"] @ [100, 1]).tolist()
        assert digits == [match.points[o] for o in order]
        assert seen["deals_left"] == match.options.deals - match.deals_played
    state = table.state(1).astype(int)
    everything = table.game.state_features.named(state)
    assert (state[: table.game.features.size] == table.observe(1)).all()
    hands = [set(names(np.flatnonzero(plane))) for plane in everything["hands"]]
    assert hands == [deal.hands[1], deal.hands[0]]
    place = everything["talon_order"]
    order = sorted(np.flatnonzero(place).tolist(), key=lambda card: place[card])
    assert names(order) == deal.talon
    assert talon_of(record) == [card_id(card) for card in deal.talon]


@pytest.mark.parametrize(
    "how", [{}, {"count": "last13", "deals": 2}, {"ranks": 3, "deals": 3}]
)
def test_every_feature_shows_what_it_claims(how: dict[str, Any]) -> None:
    for seed in range(8):
        table = new_game(**how).new_table(seed)
        referee = GermanReferee(how)
        rng = random.Random(seed)
        deals = -1
        while not table.is_over:
            if table.record.deals_played > deals:
                referee.deal(table)
                deals = int(table.record.deals_played)
            assert referee.match is not None
            check_observation(table, referee.match)
            action = rng.choice(table.legal_actions())
            referee.play(action)
            table.apply(action)


# The oracle -------------------------------------------------------------------------


def walk(table: Table, match: Match) -> int:
    """Play every line from here with both, and compare; returns their number."""
    deal = match.deal
    assert deal is not None
    if table.is_over:
        assert match.over
        assert table.record.points.tolist() == match.points
        assert table.record.tricks.tolist() == deal.tricks()
        return 1
    assert table.agent == deal.to_move
    assert hands_of(table) == [
        " ".join(sorted(hand, key=card_id)) for hand in deal.hands
    ]
    assert names(talon_of(table.record)) == deal.talon
    actions = table.legal_actions()
    assert actions == sorted(map(card_id, deal.legal_cards()))
    lines = 0
    for action in actions:
        next_table, next_match = table.clone(), copy.deepcopy(match)
        next_table.apply(action)
        assert next_table.rewards() == next_match.play(card_name(action))
        lines += walk(next_table, next_match)
    return lines


def every_line(order: tuple[str, ...], dealer: int, options: dict[str, Any]) -> int:
    """Every line of play of a pack in this order."""
    size = len(order) // 4
    hands = [order[0 : 2 * size : 2], order[1 : 2 * size : 2]]
    if dealer == 0:
        hands.reverse()
    talon = order[2 * size :]
    first, second = (" ".join(hand) for hand in hands)
    table = given(first, second, " ".join(talon), dealer, **options)
    assert names(c for c in table.record.pack if c >= 0) == [
        *itertools.chain(
            *zip(
                *(sorted(h, key=card_id) for h in (hands[1 - dealer], hands[dealer])),
                strict=True,
            )
        ),
        *talon,
    ]
    known = {k: v for k, v in options.items() if k in Options.__dataclass_fields__}
    match = Match(Options(**known), dealer)
    match.start_deal(hands, talon)
    return walk(table, match)


@pytest.mark.parametrize("shape", [(2, 2), (4, 1)])
@pytest.mark.parametrize("count", ["all", "last13"])
def test_the_smallest_games_agree_with_the_oracle_in_every_line(
    shape: tuple[int, int], count: str
) -> None:
    """All orders of four cards, and all play: one of two tricks has a draw."""
    options = {"ranks": shape[0], "suits": shape[1], "count": count}
    lines = 0
    for order in itertools.permutations(pack(*shape)):
        for dealer in (0, 1):
            lines += every_line(order, dealer, options)
    # One line each: a hand is never more than one card.
    assert lines == 24 * 2


def test_games_of_eight_cards_agree_with_the_oracle_in_every_line() -> None:
    rng = random.Random(0)
    lines = 0
    for number in range(60):
        shape = rng.choice([(4, 2), (2, 4), (8, 1)])
        order = pack(*shape)
        rng.shuffle(order)
        options = {
            "ranks": shape[0],
            "suits": shape[1],
            "count": rng.choice(["all", "last13"]),
            "reward": rng.choice(["points", "tricks", "match"]),
        }
        lines += every_line(tuple(order), number % 2, options)
    assert lines > 60 * 10


WAYS = [
    {"count": count, "reward": reward, **length, **shape}
    for count in ("all", "last13")
    for reward in ("points", "tricks", "match")
    for length in ({}, {"deals": 3})
    for shape in ({}, {"ranks": 5, "suits": 4}, {"ranks": 8, "suits": 1}, {"suits": 4})
]


def test_random_play_agrees_with_the_oracle_at_every_step() -> None:
    tables = Tables(new_game(), len(WAYS), seed=1, observations=False)
    for record, how in zip(tables.records, WAYS, strict=True):
        record["options"] = GermanWhistOptions(**how).as_integers()
    referees = [GermanReferee(how) for how in WAYS]
    batch = tables.reset()
    played = collections.Counter[str]()
    fresh = [True] * len(WAYS)
    for _ in range(52 * 14):
        actions = tables.sample_actions()
        masks = batch.action_mask.copy()
        for index, (referee, record) in enumerate(
            zip(referees, tables.records, strict=True)
        ):
            if fresh[index]:
                referee.follow(record)
            match = referee.match
            assert match is not None
            assert record["agent"] == record["seat"] == referee.agent()
            assert np.flatnonzero(masks[index]).tolist() == referee.legal_actions()
            assert record["points"].tolist() == match.points
        deals = tables.records["deals_played"].copy()
        batch = tables.step(actions)
        for index, referee in enumerate(referees):
            earned = referee.play(int(actions[index]))
            assert batch.rewards[index].tolist() == earned
            fresh[index] = bool(
                batch.done[index]
                or tables.records["deals_played"][index] > deals[index]
            )
            if batch.done[index]:
                finished = tables.finished[index]
                match = referee.match
                assert match is not None
                assert match.over
                assert finished["points"].tolist() == match.points
                assert finished["tricks"].tolist() == match.tricks
                winner = -1 if match.winner is None else match.winner
                assert finished["winning_agent"] == winner
                referee.match = None
            played[str(WAYS[index])] += int(fresh[index])
    assert sum(played.values()) > 1000
    assert min(played.values()) >= 10


def test_both_have_the_same_options() -> None:
    mine = {
        f: GermanWhistOptions.__dataclass_fields__[f].default
        for f in GermanWhistOptions.__dataclass_fields__
    }
    theirs = {
        f: Options.__dataclass_fields__[f].default for f in Options.__dataclass_fields__
    }
    assert {name: mine[name] for name in theirs} == theirs
    assert set(mine) - set(theirs) == {"dealer", "history", "shuffle"}


def test_all_tricks_are_those_of_both_phases() -> None:
    rng = random.Random(2)
    cards = pack()
    for _ in range(50):
        rng.shuffle(cards)
        deal = GermanDeal([cards[:13], cards[13:26]], cards[26:], 0)
        while not deal.is_over:
            deal.play(rng.choice(deal.legal_cards()))
        everything, last = points(deal, "all"), points(deal, "last13")
        first = deal.winners[:13]
        in_first = first.count(0) - first.count(1)
        assert everything[0] - everything[1] == in_first + last[0] - last[1]
        # OpenSpiel's form of the modern score.
        assert last[0] - last[1] == 2 * deal.winners[13:].count(0) - 13


# Rewards and measures ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "amount"),
    [
        ({}, 26),
        ({"count": "last13"}, 13),
        ({"reward": "tricks"}, 26),
        ({"reward": "match"}, 1),
        ({"ranks": 4, "suits": 2}, 4),
    ],
)
def test_a_forfeit_costs_all_tricks_that_count(
    options: dict[str, Any], amount: int
) -> None:
    for dealer in (0, 1):
        table = new_game(dealer=dealer, **options).new_table(1)
        table.forfeit()
        sign = 1 if dealer == 0 else -1
        assert table.returns() == [sign * amount, -sign * amount]
        assert table.record.winning_agent == dealer


def test_measures_judge_finished_episodes_by_agent() -> None:
    seed, actions = play_to((4, 9), (8, 5))
    table = new_game(dealer=0).new_table(seed)
    for action in actions:
        table.apply(action)
    finished = np.array([table.record], table.record.dtype)
    measures = {
        name: measure(finished)[0].tolist()
        for name, measure in german_whist.RULES[0].measures.items()
    }
    assert measures == {"points": [-2, 2], "tricks": [-1, 1], "won": [0, 1]}
    seed, actions = play_to((7, 6), (6, 7))
    table = new_game(dealer=0).new_table(seed)
    for action in actions:
        table.apply(action)
    finished = np.array([table.record], table.record.dtype)
    assert german_whist.won(finished).tolist() == [[0.5, 0.5]]


def test_bounds_hold_where_one_player_takes_every_trick() -> None:
    """A hundred deals in which player 0 wins whenever he can."""
    table = new_game(deals=100, dealer=0).new_table(0)
    low, high = table.game.features.low, table.game.features.high
    while not table.is_over:
        for seat in (0, 1):
            seen = table.observe(seat)
            assert (seen >= low).all()
            assert (seen <= high).all()
        actions = table.legal_actions()
        by_rank = sorted(
            actions, key=lambda card: (card // 13 == table.record.trump, card % 13)
        )
        table.apply(by_rank[-1] if table.agent == 0 else by_rank[0])
    assert table.record.points[0] >= 250


# Positions to begin from, and options -----------------------------------------------


def test_a_given_deal_is_dealt_exactly() -> None:
    rng = random.Random(0)
    for seed in range(20):
        cards = rng.sample(range(52), 52)
        hands = [card_set(cards[:13]), card_set(cards[13:26])]
        talon = cards[26 : 26 + rng.choice([0, 1, 5, 26])]
        for dealer in (0, 1):
            table = new_game().new_table(
                seed,
                deal=" ".join(map(hand_text, hands)),
                talon=" ".join(names(talon)),
                dealer=dealer,
            )
            record = table.record
            assert record.hands.tolist() == [int(hand) for hand in hands]
            assert talon_of(record)[: len(talon)] == talon
            assert sorted(record.pack.tolist()) == list(range(52))
            assert table.agent == 1 - dealer
            if talon:
                assert record.face_up == talon[0]


TWO_HANDS = "AKQJT98765432... .AKQJT98765432.."


@pytest.mark.parametrize(
    ("options", "position", "error", "message"),
    [
        ({}, {"dealer": 2}, ValueError, "dealer=2 is not a seat; the seats are 0 to 1"),
        ({}, {"deal": "AK"}, ValueError, "must be two hands"),
        ({}, {"deal": 3}, ValueError, "must be two hands"),
        ({}, {"deal": "AK AK"}, ValueError, "is not a hand"),
        ({}, {"deal": "AK... .AK.."}, ValueError, "seat 0 has 2 cards; each is .* 13"),
        ({}, {"deal": " ".join([TWO_HANDS.split()[0]] * 2)}, ValueError, "S2 is .*twi"),
        ({}, {"talon": "SA"}, ValueError, "give deal= as well"),
        ({}, {"deal": TWO_HANDS, "talon": "SA"}, ValueError, "SA is in the deal twice"),
        ({}, {"deal": TWO_HANDS, "talon": "DA DA"}, ValueError, "has a card twice"),
        ({}, {"deal": TWO_HANDS, "talon": "D1"}, ValueError, "'D1' is not a card"),
        ({}, {"deal": TWO_HANDS, "talon": 5}, TypeError, "talon=5 must be a text"),
        (
            EIGHT,
            {"deal": "..AK. AK...", "talon": ""},
            ValueError,
            "SK is not in the pack",
        ),
        (
            EIGHT,
            {"deal": "..AK. ..QJ.", "talon": "CA CK CQ CJ DA"},
            ValueError,
            "talon= has 5 cards; the talon has 4",
        ),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_changes_nothing(
    options: dict[str, Any],
    position: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    game = new_game(**options)
    table = game.new_table(9)
    table.apply(table.legal_actions()[0])
    before = table.to_bytes()
    with pytest.raises(error, match=message):
        table.reset(seed=4, **position)
    assert table.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"count": "last"}, ValueError, "count='last' .*'all' or 'last13'"),
        ({"reward": "settlement"}, ValueError, "'points' or 'tricks' or 'match'"),
        ({"deals": None}, ValueError, "deals=None must be a whole number"),
        ({"deals": 101}, ValueError, "from 1 to 100"),
        ({"dealer": 2}, ValueError, "dealer=2 must be a whole number from 0 to 1"),
        ({"ranks": 1}, ValueError, "ranks=1 must be a whole number from 2 to 13"),
        ({"suits": 5}, ValueError, "suits=5 must be a whole number from 1 to 4"),
        ({"ranks": 3, "suits": 2}, ValueError, "a pack of 6 cards"),
        ({"episode": "game"}, TypeError, "no option 'episode'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        new_game(**options)


def test_an_illegal_card_is_refused_in_words() -> None:
    table = given("CJ DJ", "CQ DQ", "DK", dealer=0, **EIGHT)
    with pytest.raises(whist_env.IllegalAction, match="does not hold CA"):
        play(table, "CA")
    play(table, "DQ")
    with pytest.raises(whist_env.IllegalAction, match=r"diamonds were led .* holds 1"):
        play(table, "CJ")
