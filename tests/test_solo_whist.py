"""Solo Whist by its rule sheet: every example, every option, every way to bid."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from contract import Options, contract
from oracle_solo_whist import (
    EB_UNITS,
    LADDER,
    PACK,
    RED_COUNTERS,
    SUITS,
    Said,
    Sitting,
    callers,
    deal_in_threes,
    legal_words,
    next_to_speak,
    payments,
    standing_call,
    winning_card,
)
from oracle_solo_whist import Options as OracleOptions
from whist_tables import changed, deal_with

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import card_name, deal_text, members, parse_card, parse_deal
from whist_env.games import solo_whist

WORDS = [*PACK, "pass", *LADDER, *SUITS]
"""What the oracle says for each action."""
SUIT_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
"""Seat 0 holds the spades, 1 the hearts, 2 the diamonds, 3 the clubs."""


def oracle_options(options: Options) -> OracleOptions:
    known = {field.name for field in dataclasses.fields(OracleOptions)}
    return OracleOptions(**{k: v for k, v in options.items() if k in known})


class SoloWhistReferee:
    """The slow oracle of Solo Whist as a referee."""

    def __init__(self, options: Options) -> None:
        self.options = oracle_options(options)
        self.sitting: Sitting | None = None

    def deal(self, table: Table) -> None:
        record = table.record
        if self.sitting is None:
            self.sitting = Sitting(self.options, int(record.dealer))
        assert self.sitting.dealer == record.dealer
        pack = [PACK[card] for card in record.pack]
        hands = deal_in_threes(pack, self.sitting.dealer)
        assert [sorted(map(PACK.index, hand)) for hand in hands] == [
            list(members(hand)) for hand in record.hands
        ]
        self.dealt = [set(map(PACK.index, hand)) for hand in hands]
        self.now = self.sitting.start_deal(hands, pack[-1])
        self.open_cards = {PACK.index(pack[-1])}

    def agent(self) -> int:
        return -1 if self.now.seat is None else self.now.seat

    def legal_actions(self) -> list[int]:
        return sorted(map(WORDS.index, self.now.legal()))

    def play(self, action: int) -> list[int]:
        assert self.sitting is not None
        if action < 52:
            self.open_cards.add(action)
        earned = self.sitting.act(WORDS[action])
        exposed = self.now.exposed_seat()
        if exposed is not None:
            self.open_cards |= set(map(PACK.index, self.now.hands[exposed]))
        return earned

    def knows(self, agent: int) -> set[int]:
        return self.open_cards | self.dealt[agent]


WAYS: list[Options] = [
    {},
    {"deals": 3, "reward": "match", "redeal": "same_dealer", "history": "last_trick"},
    {
        "stakes": "eb",
        "solo_stake": 2,
        "trick_stake": 1,
        "general_misere": "on",
        "trump_named": "with_call",
        "decided_hands": "stop",
        "deals": 2,
    },
    {
        "eldest": "stays_out",
        "amendment": "solo_only",
        "slam_trump": "none",
        "dealer": 2,
    },
]
TestSoloWhist = contract("solo_whist", SoloWhistReferee, *WAYS[:3])


# Helpers ----------------------------------------------------------------------------


def new_table(deal: str | None = None, turned: str = "S2", **how: Any) -> Table:
    """A table at which seat 3 deals, so that seat 0 is eldest hand."""
    game = whist_env.game("solo_whist", **how)
    if deal is None:
        return game.new_table(0, dealer=3)
    return game.new_table(0, deal=deal, turned=turned, dealer=3)


def number_of(table: Table, name: str) -> int:
    return table.game.action_names.index(name)


def say(table: Table, words: str) -> Table:
    """Say ``"0 pass, 1 propose"``: who speaks, in turn, and what."""
    for word in words.split(", "):
        seat, name = word.split()
        assert table.agent == int(seat), f"player_{table.agent} is to act, not {word}"
        table.apply(number_of(table, name))
    return table


def may_say(table: Table) -> list[str]:
    return [table.game.action_names[action] for action in table.legal_actions()]


def above(call: str) -> list[str]:
    """A pass and all calls above one."""
    return ["pass", *LADDER[LADDER.index(call) + 1 :]]


def play_at_random(table: Table, rng: random.Random) -> Table:
    while not table.is_over:
        table.apply(rng.choice(table.legal_actions()))
    return table


def play_for(table: Table, side: Sequence[int], tricks: int) -> Table:
    """Play the deal out so that a side takes this many tricks."""
    rng = random.Random(0)
    for _ in range(500):
        trial = table.clone()
        won = 0
        for trick in range(13):
            wants = rng.randrange(13 - trick) < tricks - won
            for _ in range(4):
                trial.apply(card_for(trial, (trial.agent in side) == wants))
            if not trial.is_over:
                won = sum(int(trial.record.tricks_won[seat]) for seat in side)
        if sum(int(trial.record.tricks_won[seat]) for seat in side) == tricks:
            return trial
    raise AssertionError(f"no way was found to take {tricks} tricks with this deal")


def card_for(table: Table, wins: bool) -> int:
    """The strongest card, or the strongest that does not win the trick."""
    record = table.record
    trump = None if record.trump < 0 else SUITS[record.trump]
    trick = [int(record.trick[(record.leader + i) % 4]) for i in range(4)]
    on_table = [PACK[card] for card in trick if card >= 0]
    cards = sorted(
        table.legal_actions(), key=lambda card: (PACK[card][0] == trump, card % 13)
    )
    if wins:
        return cards[-1]
    losing = [
        card
        for card in cards
        if on_table and winning_card([*on_table, PACK[card]], trump) != PACK[card]
    ]
    return losing[-1] if losing else cards[0]


FOUR_SPADES = deal_with("SA SK SQ SJ", "", "", "S2")
EVEN = deal_with("", "", "", "S2")


# The worked examples of the rules ---------------------------------------------------


def test_a_solo_of_seven_tricks_wins_twelve_from_each() -> None:
    table = say(new_table(FOUR_SPADES), "0 solo, 1 pass, 2 pass, 3 pass")
    assert play_for(table, [0], 7).returns() == [36, -12, -12, -12]


@pytest.mark.parametrize(
    ("bidding", "side"),
    [
        ("0 propose, 1 accept, 2 pass, 3 pass", [0, 1]),
        ("0 propose, 1 pass, 2 accept, 3 pass", [0, 2]),
        ("0 pass, 1 pass, 2 propose, 3 pass, 0 accept", [0, 2]),
        ("0 pass, 1 propose, 2 accept, 3 pass", [1, 2]),
    ],
)
def test_an_alliance_of_six_tricks_pays_seven_each(
    bidding: str, side: list[int]
) -> None:
    table = play_for(say(new_table(EVEN), bidding), side, 6)
    assert table.returns() == [-7 if seat in side else 7 for seat in range(4)]


def test_a_failed_misere_pays_fifteen_to_each() -> None:
    table = say(new_table(SUIT_EACH, "C2"), "0 misere, 1 pass, 2 pass, 3 pass")
    assert play_at_random(table, random.Random(0)).returns() == [-45, 15, 15, 15]


def test_an_abundance_of_ten_tricks_wins_twenty_one_from_each() -> None:
    strong = deal_with("HA HK HQ HJ HT H9 H8", "", "", "S2")
    bidding = "0 abundance, 1 pass, 2 pass, 3 pass, 0 hearts"
    table = play_for(say(new_table(strong), bidding), [0], 10)
    assert table.returns() == [63, -21, -21, -21]


def test_a_spread_wins_thirty_from_each_and_a_failed_slam_pays_forty() -> None:
    table = say(new_table(SUIT_EACH, "C2"), "0 pass, 1 spread, 2 pass, 3 pass")
    assert play_at_random(table, random.Random(0)).returns() == [-30, 90, -30, -30]
    table = say(new_table(SUIT_EACH, "C2"), "0 slam, 1 pass, 2 pass, 3 pass, 0 hearts")
    assert play_at_random(table, random.Random(0)).returns() == [-120, 40, 40, 40]


# Payments ---------------------------------------------------------------------------

SIDES = {"accept": [1, 3], **{call: [2] for call in LADDER[2:]}}


def splits(side: Sequence[int], taken: int) -> list[int]:
    """Tricks by seat, of which a side has taken so many."""
    tricks = [0, 0, 0, 0]
    others = [seat for seat in range(4) if seat not in side]
    for number in range(13):
        group = list(side) if number < taken else others
        tricks[group[number % len(group)]] += 1
    return tricks


def settled(call: str | None, tricks: Sequence[int], **how: Any) -> list[int]:
    """What the rules pay for tricks taken in a deal."""
    record = whist_env.game("solo_whist", **how).new_records(1)[0]
    solo_whist.start(record)
    if call is not None:
        record.standing = 1 + LADDER.index(call)
        if call == "accept":
            record.made_by[solo_whist.PROPOSE] = SIDES[call][0]
        record.made_by[record.standing] = SIDES[call][-1]
    record.tricks_won[:] = tricks
    solo_whist.settle(record)
    reward: list[int] = record.reward.tolist()
    return reward


PAYMENT_WAYS: list[Options] = [
    {},
    {"trick_stake": 0},
    {"trick_stake": 10},
    {"stakes": "eb"},
    {"stakes": "eb", "solo_stake": 2},
    {"stakes": "eb", "trick_stake": 2},
]


@pytest.mark.parametrize("how", PAYMENT_WAYS, ids=str)
@pytest.mark.parametrize("call", LADDER[1:])
def test_every_call_is_paid_by_the_rules_for_any_number_of_tricks(
    call: str, how: Options
) -> None:
    for taken in range(14):
        tricks = splits(SIDES[call], taken)
        expected = payments(call, SIDES[call], tricks, oracle_options(how))
        assert settled(call, tricks, **how) == expected
        assert sum(expected) == 0


@pytest.mark.parametrize(
    ("call", "tricks", "white", "units"),
    [
        ("accept", 8, 5, 1),
        ("accept", 13, 10, 1),
        ("accept", 7, -6, -1),
        ("accept", 0, -13, -1),
        ("solo", 5, 10, 1),
        ("solo", 4, -11, -1),
        ("misere", 0, 15, 2),
        ("misere", 1, -15, -2),
        ("misere", 9, -15, -2),
        ("abundance", 9, 20, 3),
        ("abundance", 8, -21, -3),
        ("abundance_in_trumps", 13, 24, 3),
        ("abundance_in_trumps", 0, -29, -3),
        ("spread", 0, 30, 4),
        ("spread", 13, -30, -4),
        ("slam", 13, 40, 6),
        ("slam", 12, -40, -6),
        ("slam", 0, -40, -6),
    ],
)
def test_amounts_in_white_counters_and_in_units(
    call: str, tricks: int, white: int, units: int
) -> None:
    side = SIDES[call]
    taken = splits(side, tricks)
    assert settled(call, taken)[side[0]] == white * (4 - len(side)) // len(side)
    by_eb = settled(call, taken, stakes="eb")
    assert by_eb[side[0]] == units * (4 - len(side)) // len(side)
    assert by_eb[0] == -units


def test_the_stakes_of_both_sources() -> None:
    assert list(RED_COUNTERS.values()) == [1, 2, 3, 4, 4, 6, 8]
    assert list(EB_UNITS.values()) == [1, 1, 2, 3, 3, 4, 6]


@pytest.mark.parametrize(
    ("tricks", "each", "none"),
    [
        ([4, 3, 3, 3], [-15, 5, 5, 5], [-15, 5, 5, 5]),
        ([1, 2, 10, 0], [5, 5, -15, 5], [5, 5, -15, 5]),
        ([5, 5, 3, 0], [-10, -10, 10, 10], [0, 0, 0, 0]),
        ([4, 1, 4, 4], [-5, 15, -5, -5], [0, 0, 0, 0]),
    ],
)
def test_in_a_general_misere_the_taker_of_most_tricks_pays_each_a_single_stake(
    tricks: list[int], each: list[int], none: list[int]
) -> None:
    how = {"general_misere": "on"}
    assert settled(None, tricks, **how) == each
    assert settled(None, tricks, **how, general_misere_tie="none") == none
    units = [amount // 5 for amount in each]
    assert settled(None, tricks, stakes="eb", **how) == units


# Bidding ----------------------------------------------------------------------------


def every_bidding(
    table: Table, said: list[Said], options: OracleOptions
) -> Iterator[tuple[Table, list[Said]]]:
    """Every position of the bidding of a deal, compared with the oracle's."""
    yield table, said
    if table.is_over or table.record.phase != solo_whist.BID:
        return
    for action in table.legal_actions():
        after = table.clone()
        after.apply(action)
        yield from every_bidding(after, [*said, (table.agent, WORDS[action])], options)


@pytest.mark.parametrize("amendment", ["any_call", "solo_only"])
@pytest.mark.parametrize("eldest", ["may_return", "stays_out"])
def test_every_possible_bidding_is_that_of_the_rules(
    eldest: str, amendment: str
) -> None:
    how = {"eldest": eldest, "amendment": amendment}
    options = OracleOptions(eldest=eldest, amendment=amendment)
    longest = 0
    for dealer in range(4):
        table = whist_env.game("solo_whist", **how).new_table(dealer, dealer=dealer)
        first = (dealer + 1) % 4
        for now, said in every_bidding(table, [], options):
            record = now.record
            speaker = next_to_speak(said, first, options)
            if speaker is not None:
                assert now.agent == speaker
                assert record.phase == solo_whist.BID
                words = legal_words(said, speaker, first, options)
                assert now.legal_actions() == sorted(map(WORDS.index, words))
                continue
            longest = max(longest, len(said))
            side = callers(said)
            call = standing_call(said)
            if call in (None, "propose"):
                assert now.is_over
                assert now.returns() == [0, 0, 0, 0]
                continue
            assert solo_whist.caller_of(record) == side[0]
            assert solo_whist.ally_of(record) == (side[1] if len(side) == 2 else -1)
            names = call in ("abundance", "slam")
            assert record.phase == (solo_whist.NAME if names else solo_whist.PLAY)
            assert now.agent == (side[0] if names else first)
    assert longest == 11


def test_bidding_goes_round_from_eldest_hand_until_all_others_have_passed() -> None:
    table = new_table()
    assert table.agent == 0
    assert may_say(table) == ["pass", "propose", *LADDER[2:]]
    say(table, "0 pass, 1 solo, 2 pass, 3 pass")
    assert table.record.phase == solo_whist.PLAY
    assert table.agent == 0


def test_a_call_of_the_last_speaker_ends_the_bidding() -> None:
    table = say(new_table(), "0 pass, 1 pass, 2 pass, 3 solo")
    assert table.record.phase == solo_whist.PLAY
    assert solo_whist.caller_of(table.record) == 3


def test_only_one_may_propose_and_only_one_may_accept() -> None:
    table = say(new_table(), "0 pass, 1 propose")
    assert may_say(table) == ["pass", "accept", *LADDER[2:]]
    say(table, "2 accept")
    assert may_say(table) == above("accept")
    say(table, "3 pass")
    assert table.record.phase == solo_whist.PLAY


def test_eldest_hand_may_accept_after_having_passed() -> None:
    table = say(new_table(), "0 pass, 1 pass, 2 propose, 3 pass")
    assert table.agent == 0
    assert may_say(table) == ["pass", "accept"]
    table.apply(number_of(table, "accept"))
    assert table.record.phase == solo_whist.PLAY
    assert solo_whist.caller_of(table.record) == 2
    assert solo_whist.ally_of(table.record) == 0


def test_eldest_hand_is_asked_once_and_nobody_else_comes_back() -> None:
    table = say(new_table(), "0 pass, 1 pass, 2 propose, 3 pass, 0 pass")
    assert table.agent == 2
    table = say(new_table(), "0 propose, 1 pass, 2 pass, 3 pass")
    assert table.agent == 0
    # Here eldest hand has already refused this very proposal.
    table = say(new_table(), "0 pass, 1 propose, 2 pass, 3 pass, 0 pass, 1 pass")
    assert table.is_over


@pytest.mark.parametrize("over", LADDER[1:])
def test_eldest_hand_stays_out_once_more_than_a_proposal_stands(over: str) -> None:
    table = say(new_table(), f"0 pass, 1 propose, 2 {over}, 3 pass")
    assert table.agent == (1 if over != "accept" else 0)
    assert (table.record.phase == solo_whist.BID) == (over != "accept")


def test_by_option_eldest_hand_stays_out() -> None:
    table = say(new_table(eldest="stays_out"), "0 pass, 1 propose, 2 pass, 3 pass")
    assert table.agent == 1


def test_a_proposer_whom_nobody_accepts_may_amend() -> None:
    bidding = "0 propose, 1 pass, 2 pass, 3 pass"
    table = say(new_table(), bidding)
    assert may_say(table) == ["pass", *LADDER[2:]]
    say(table, "0 misere")
    assert table.record.phase == solo_whist.PLAY
    assert table.record.standing == solo_whist.MISERE
    table = say(new_table(amendment="solo_only"), bidding)
    assert may_say(table) == ["pass", "solo"]


def test_an_over_called_proposer_may_call_more_than_a_solo_in_any_case() -> None:
    table = say(new_table(amendment="solo_only"), "0 propose, 1 solo, 2 pass, 3 pass")
    assert may_say(table) == above("solo")


def test_a_proposal_not_accepted_and_not_amended_is_thrown_in() -> None:
    table = say(new_table(), "0 propose, 1 pass, 2 pass, 3 pass, 0 pass")
    assert table.is_over
    assert table.returns() == [0, 0, 0, 0]
    assert table.record.hands.tolist() == [0, 0, 0, 0]
    assert table.record.deals_played == 1


def test_only_who_is_over_called_may_amend() -> None:
    table = say(new_table(), "0 solo, 1 misere, 2 pass, 3 pass")
    assert table.agent == 0
    assert may_say(table) == above("misere")
    say(table, "0 abundance")
    assert table.agent == 1
    assert may_say(table) == above("abundance")
    say(table, "1 pass")
    # Seat 0 was not over-called, and has no turn: it names trumps.
    assert (table.agent, table.record.phase) == (0, solo_whist.NAME)


def test_an_over_called_alliance_dissolves() -> None:
    table = say(new_table(), "0 propose, 1 accept, 2 solo")
    assert solo_whist.ally_of(table.record) == -1
    assert solo_whist.caller_of(table.record) == 2
    say(table, "3 pass")
    assert table.agent == 0
    assert may_say(table) == above("solo")
    say(table, "0 misere")
    # The former ally may call against the former proposer.
    assert table.agent == 1
    assert may_say(table) == above("misere")
    say(table, "1 spread, 2 pass, 0 pass")
    assert table.record.phase == solo_whist.PLAY
    finished = play_at_random(table, random.Random(1))
    assert abs(finished.returns()[1]) == 90


def test_the_longest_chain_of_over_calls() -> None:
    table = new_table(trump_named="after_bidding")
    say(table, "0 propose, 1 accept, 2 solo, 3 misere, 0 abundance")
    assert may_say(table) == above("abundance")
    say(table, "1 abundance_in_trumps, 2 spread, 3 slam")
    for seat in (0, 1, 2):
        assert table.agent == seat
        assert may_say(table) == ["pass"]
        table.apply(number_of(table, "pass"))
    assert (table.agent, table.record.phase) == (3, solo_whist.NAME)
    assert table.record.made_by.tolist() == [-1, 0, 1, 2, 3, 0, 1, 2, 3]
    say(table, "3 hearts")
    assert (table.agent, table.record.leader) == (3, 3)


def test_two_players_over_call_each_other_to_the_top() -> None:
    table = say(new_table(), "0 propose, 1 pass, 2 solo, 3 pass, 0 misere, 2 abundance")
    say(table, "0 abundance_in_trumps, 2 spread, 0 slam, 2 pass, 0 clubs")
    assert (table.agent, table.record.standing) == (0, solo_whist.SLAM)


@pytest.mark.parametrize(
    ("bidding", "name", "why"),
    [
        ("", "S2", "the bidding goes on"),
        ("", "clubs", "the bidding goes on"),
        ("", "accept", "no proposal to accept"),
        ("0 propose", "propose", "a call has been made: propose"),
        ("0 propose, 1 accept", "accept", "neither accepted nor over-called"),
        ("0 propose, 1 solo", "accept", "neither accepted nor over-called"),
        ("0 misere", "solo", "must be higher than the one that stands, misere"),
        ("0 misere", "misere", "must be higher than the one that stands, misere"),
        ("0 propose, 1 pass, 2 pass, 3 pass", "accept", "nobody accepts his own"),
        ("0 propose, 1 pass, 2 pass, 3 pass", "misere", "may amend to a solo only"),
        ("0 pass, 1 propose, 2 pass, 3 pass", "solo", "may only accept the proposal"),
        ("0 abundance, 1 pass, 2 pass, 3 pass", "S2", "trumps are to be named"),
        ("0 abundance, 1 pass, 2 pass, 3 pass", "pass", "trumps are to be named"),
        ("0 abundance, 1 pass, 2 pass, 3 pass", "spades", "spades were turned"),
        ("0 solo, 1 pass, 2 pass, 3 pass", "pass", "the bidding is over"),
        ("0 solo, 1 pass, 2 pass, 3 pass", "S2", "does not hold S2"),
    ],
)
def test_what_is_illegal_is_refused_with_the_rule(
    bidding: str, name: str, why: str
) -> None:
    table = new_table(EVEN, amendment="solo_only")
    if bidding:
        say(table, bidding)
    with pytest.raises(IllegalAction, match=f"may not choose {name}: .*{why}"):
        table.apply(number_of(table, name))


def test_a_suit_led_must_be_followed() -> None:
    table = say(new_table(EVEN), "0 solo, 1 pass, 2 pass, 3 pass")
    table.apply(next(card for card in table.legal_actions() if card // 13 == 2))
    spade = next(iter(members(table.record.hands[1] >> 39))) + 39
    with pytest.raises(IllegalAction, match="hearts were led and must be followed"):
        table.apply(spade)


# Trumps, leads, the turned card and exposed hands -----------------------------------


@pytest.mark.parametrize(
    ("bidding", "trump", "leader"),
    [
        ("0 pass, 1 propose, 2 accept, 3 pass", "S", 0),
        ("0 pass, 1 solo, 2 pass, 3 pass", "S", 0),
        ("0 pass, 1 misere, 2 pass, 3 pass", None, 0),
        ("0 pass, 1 abundance, 2 pass, 3 pass, 1 diamonds", "D", 0),
        ("0 pass, 1 abundance_in_trumps, 2 pass, 3 pass", "S", 0),
        ("0 pass, 1 spread, 2 pass, 3 pass", None, 0),
        ("0 pass, 1 slam, 2 pass, 3 pass, 1 spades", "S", 1),
        ("0 pass, 1 solo, 2 pass, 3 misere, 1 pass", None, 0),
        ("0 pass, 1 pass, 2 pass, 3 slam, 3 clubs", "C", 3),
    ],
)
def test_trumps_and_the_first_lead_are_those_of_the_call(
    bidding: str, trump: str | None, leader: int
) -> None:
    table = say(new_table(EVEN), bidding)
    assert table.record.phase == solo_whist.PLAY
    assert table.record.trump == (-1 if trump is None else SUITS.index(trump))
    assert table.agent == table.record.leader == leader
    assert len(table.legal_actions()) == 13


def test_an_abundance_names_any_suit_but_the_turned_one_and_a_slam_any_suit() -> None:
    for turned, suit in (("S2", "spades"), ("C2", "clubs")):
        deal = deal_with("", "", "", turned)
        for call in ("abundance", "slam"):
            table = new_table(deal, turned)
            say(table, f"0 {call}, 1 pass, 2 pass, 3 pass")
            suits = ["clubs", "diamonds", "hearts", "spades"]
            if call == "abundance":
                suits.remove(suit)
            assert may_say(table) == suits


def test_a_slam_without_trumps_names_none() -> None:
    table = say(new_table(slam_trump="none"), "0 pass, 1 slam, 2 pass, 3 pass")
    assert table.record.phase == solo_whist.PLAY
    assert (table.agent, table.record.trump) == (1, -1)


def test_trumps_are_named_with_the_call_by_option() -> None:
    table = say(new_table(EVEN, trump_named="with_call"), "0 abundance, 0 hearts")
    assert (table.agent, table.record.phase) == (1, solo_whist.BID)
    assert table.record.trump == 2
    assert may_say(table) == above("abundance")
    say(table, "1 spread")
    assert table.record.trump == -1
    say(table, "2 slam, 2 spades, 3 pass, 0 pass, 1 pass")
    assert (table.agent, table.record.phase) == (2, solo_whist.PLAY)
    assert table.record.trump == 3
    seen = features_of(table, 0)["named"].tolist()
    assert seen == [[0, 0, 1, 0], [0] * 4, [0, 0, 0, 1], [0] * 4]


def features_of(table: Table, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    return table.game.features.named(table.observe(seat))


def names_at(plane: np.ndarray[Any, Any]) -> set[int]:
    return set(np.flatnonzero(plane).tolist())


def test_the_hand_of_a_spread_is_exposed_after_the_first_trick() -> None:
    table = say(new_table(), "0 pass, 1 spread, 2 pass, 3 pass")
    rng = random.Random(0)
    for played in range(52):
        hand = set(members(table.record.hands[1]))
        for seat in range(4):
            exposed = features_of(table, seat)["exposed"]
            shown = [names_at(row) for row in np.roll(exposed, seat, axis=0)]
            assert shown == [set(), hand if played >= 4 else set(), set(), set()]
            visible = set(members(solo_whist.visible(table.record, seat, 1)))
            assert visible == (hand if played >= 4 or seat == 1 else set())
        assert ("exposed" in str(table)) == (played >= 4)
        table.apply(rng.choice(table.legal_actions()))


def test_no_hand_is_exposed_but_that_of_a_spread() -> None:
    for call in ("solo", "misere", "abundance_in_trumps"):
        table = say(new_table(), f"0 {call}, 1 pass, 2 pass, 3 pass")
        while not table.is_over:
            assert not any(features_of(table, seat)["exposed"].any() for seat in (1, 2))
            table.apply(table.legal_actions()[0])


def test_the_turned_card_lies_open_until_the_dealer_plays_to_the_first_trick() -> None:
    for bidding, plays in (
        ("0 solo, 1 pass, 2 pass, 3 pass", 4),
        ("0 pass, 1 slam, 2 pass, 3 pass, 1 hearts", 3),
        ("0 pass, 1 pass, 2 pass, 3 slam, 3 hearts", 1),
    ):
        for history in ("all", "last_trick"):
            table = new_table(EVEN, history=history)
            check_turned(table, True)
            for word in bidding.split(", "):
                say(table, word)
                check_turned(table, True)
            for number in range(1, 6):
                table.apply(table.legal_actions()[-1])
                check_turned(table, number < plays)


def check_turned(table: Table, lies_open: bool) -> None:
    options: Any = table.game.options
    turned = parse_card("S2")
    for seat in range(4):
        seen = features_of(table, seat)
        assert seen["turned_lies_open"] == lies_open
        shown = lies_open or options.history == "all"
        assert names_at(seen["turned"]) == ({turned} if shown else set())
        visible = set(members(solo_whist.visible(table.record, seat, 3)))
        if seat != 3:
            assert visible == ({turned} if lies_open else set())
    assert ("lies open" in str(table)) == lies_open


# Play that stops, sittings, rewards ---------------------------------------------------


@pytest.mark.parametrize(
    ("bidding", "seat", "tricks", "amount"),
    [
        ("0 misere, 1 pass, 2 pass, 3 pass", 0, 1, -45),
        ("0 pass, 1 misere, 2 pass, 3 pass", 1, 13, 45),
        ("0 spread, 1 pass, 2 pass, 3 pass", 0, 1, -90),
        ("0 slam, 1 pass, 2 pass, 3 pass, 0 hearts", 0, 1, -120),
        ("0 slam, 1 pass, 2 pass, 3 pass, 0 spades", 0, 13, 120),
        ("0 solo, 1 pass, 2 pass, 3 pass", 0, 13, -45),
    ],
)
def test_by_option_a_hand_stops_when_it_has_failed(
    bidding: str, seat: int, tricks: int, amount: int
) -> None:
    for decided_hands in ("stop", "play_on"):
        table = new_table(SUIT_EACH, "C2", decided_hands=decided_hands)
        play_at_random(say(table, bidding), random.Random(0))
        assert table.record.tricks_played == (tricks if decided_hands == "stop" else 13)
        assert table.returns()[seat] == amount


def test_all_pass_throws_the_hands_in_or_plays_a_general_misere() -> None:
    bidding = "0 pass, 1 pass, 2 pass, 3 pass"
    table = say(new_table(SUIT_EACH, "C2"), bidding)
    assert table.is_over
    assert table.returns() == [0, 0, 0, 0]
    table = say(new_table(SUIT_EACH, "C2", general_misere="on"), bidding)
    assert (table.agent, table.record.trump) == (0, -1)
    assert table.record.phase == solo_whist.PLAY
    assert features_of(table, 1)["standing"].tolist() == [1] + [0] * 8
    assert play_at_random(table, random.Random(0)).returns() == [-15, 5, 5, 5]


@pytest.mark.parametrize("redeal", ["next_dealer", "same_dealer"])
def test_the_deal_passes_to_the_left(redeal: str) -> None:
    table = new_table(deals=5, redeal=redeal)
    thrown_in = ["pass"] * 4, ["propose", *["pass"] * 4], ["pass"] * 4
    stays = redeal == "same_dealer"
    expected = [3, 3, 3, 3, 0] if stays else [3, 0, 1, 2, 3]
    for number, words in enumerate([*thrown_in, ["solo", "pass", "pass", "pass"]]):
        assert table.record.dealer == expected[number]
        assert table.record.deals_played == number
        assert features_of(table, 0)["deals_left"] == 5 - number
        assert table.agent == (expected[number] + 1) % 4
        for word in words:
            table.apply(number_of(table, word))
    while table.record.deals_played == 3:
        table.apply(table.legal_actions()[0])
    assert table.record.dealer == expected[4]
    assert not table.is_over


def test_a_sitting_adds_up_what_its_deals_won() -> None:
    for seed in range(20):
        table = whist_env.game("solo_whist", deals=4).new_table(seed)
        rng = random.Random(seed)
        total = np.zeros(4, int)
        while not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
            total += np.array(table.rewards(), int)
        assert table.record.points.tolist() == table.returns() == total.tolist()
        finished = np.array([table.record], table.record.dtype)
        measures = table.game.rules.measures
        assert measures["points"](finished).tolist() == [total.tolist()]
        best = total == total.max()
        assert measures["won"](finished)[0] == pytest.approx(best / best.sum())


@pytest.mark.parametrize(
    ("bidding", "rewards"),
    [
        ("0 slam, 1 pass, 2 pass, 3 pass, 0 spades", [3, -1, -1, -1]),
        ("0 slam, 1 pass, 2 pass, 3 pass, 0 hearts", [-3, 1, 1, 1]),
        ("0 propose, 1 pass, 2 accept, 3 pass", [-2, 2, -2, 2]),
        ("0 pass, 1 pass, 2 pass, 3 pass", [0, 0, 0, 0]),
    ],
)
def test_the_match_is_won_by_who_has_most(bidding: str, rewards: list[int]) -> None:
    table = new_table(SUIT_EACH, "C2", reward="match")
    play_at_random(say(table, bidding), random.Random(0))
    assert table.rewards() == table.returns() == rewards
    finished = np.array([table.record], table.record.dtype)
    won = table.game.rules.measures["won"](finished)[0]
    best = np.array(rewards) == max(rewards)
    assert won == pytest.approx(best / best.sum())


@pytest.mark.parametrize(
    ("how", "amount"),
    [
        ({}, 40 + 9),
        ({"trick_stake": 10}, 40 + 90),
        ({"stakes": "eb"}, 6),
        ({"reward": "match"}, 1),
    ],
)
def test_a_forfeit_costs_a_slam_and_nine_tricks(how: Options, amount: int) -> None:
    for bidding, loser in (("0 pass", 1), ("0 solo, 1 pass, 2 pass, 3 pass", 0)):
        table = say(new_table(**how), bidding)
        table.forfeit()
        expected = [-3 * amount if seat == loser else amount for seat in range(4)]
        assert table.is_over
        assert table.rewards() == table.returns() == expected
        finished = np.array([table.record], table.record.dtype)
        won = [0 if seat == loser else 1 / 3 for seat in range(4)]
        assert table.game.rules.measures["won"](finished)[0] == pytest.approx(won)


# What players see -------------------------------------------------------------------


def check_observation(table: Table, referee: SoloWhistReferee, seat: int) -> None:
    """Each feature shows what was said, by the oracle's account of it."""
    now, seen = referee.now, features_of(table, seat)
    assert names_at(seen["hand"]) == {PACK.index(card) for card in now.hands[seat]}
    phase = ["bid", "name", "play"].index(now.phase)
    assert names_at(seen["phase"]) == {phase}
    standing = 0 if now.call is None else 1 + LADDER.index(now.call)
    assert names_at(seen["standing"]) == {standing}
    side = callers(now.said)
    assert names_at(seen["caller"]) == {(s - seat) % 4 for s in side[:1]}
    assert names_at(seen["ally"]) == {(s - seat) % 4 for s in side[1:]}
    trump = set() if now.trump is None else {SUITS.index(now.trump)}
    assert names_at(seen["trump"]) == trump
    for offset in range(4):
        other = (seat + offset) % 4
        stood, passes, calls, suits = 0, set(), set(), set()
        for speaker, word in now.said:
            if word in LADDER:
                stood = 1 + LADDER.index(word)
            if speaker == other:
                if word == "pass":
                    passes.add(stood)
                elif word in LADDER:
                    calls.add(LADDER.index(word))
                else:
                    suits.add(SUITS.index(word))
        assert names_at(seen["passes"][offset]) == passes
        assert names_at(seen["calls"][offset]) == calls
        assert names_at(seen["named"][offset]) == suits
        assert seen["tricks"][offset] == now.tricks[other]
        exposed = set()
        if now.exposed_seat() == other:
            exposed = {PACK.index(card) for card in now.hands[other]}
        assert names_at(seen["exposed"][offset]) == exposed
        assert referee.sitting is not None
        total = seen["points"][offset] @ np.array([10000, 100, 1])
        assert total == referee.sitting.totals[other]
    assert seen["turned_lies_open"] == now.turned_card_is_public()
    hands = table.game.state_features.part(table.state(seat), "hands")
    for offset in range(4):
        held = {PACK.index(card) for card in now.hands[(seat + offset) % 4]}
        assert names_at(hands[offset]) == held


@pytest.mark.parametrize("options", WAYS, ids=range(4))
def test_every_feature_shows_what_it_claims(options: Options) -> None:
    game = whist_env.game("solo_whist", **options)
    for seed in range(15):
        table, referee = game.new_table(seed), SoloWhistReferee(options)
        rng = random.Random(seed)
        deals = -1
        while not table.is_over:
            if table.record.deals_played > deals:
                deals = int(table.record.deals_played)
                referee.deal(table)
            for seat in range(4):
                check_observation(table, referee, seat)
            action = a_choice(table, rng)
            referee.play(action)
            table.apply(action)


def test_points_keep_their_bounds_over_a_hundred_dear_deals() -> None:
    game = whist_env.game("solo_whist", deals=100, trick_stake=10)
    table = changed(game.new_table(0), lambda record: record.points.fill(-33000))
    digits = features_of(table, 0)["points"]
    assert digits.tolist() == [[-3, -30, 0]] * 4
    assert (table.observe() >= game.features.low).all()


def test_pictures_tell_the_calls() -> None:
    table = say(new_table(), "0 pass, 1 propose, 2 solo")
    assert solo_whist.notes(table.record, 0) == (
        ("calls", "player_1 propose, player_2 solo"),
        ("passed", "player_0"),
    )
    assert "may call pass, misere, abundance" in str(table)
    table = say(new_table(EVEN, trump_named="with_call"), "0 abundance, 0 hearts")
    assert ("named", "player_0 hearts") in solo_whist.notes(table.record, -1)


# Oracle and engine --------------------------------------------------------------------


def a_choice(table: Table, rng: random.Random) -> int:
    """A random action that favours low calls, so that all contracts are played."""
    legal = table.legal_actions()
    if table.record.phase == solo_whist.BID and rng.random() < 0.8:
        return legal[min(len(legal) - 1, int(rng.expovariate(1.2)))]
    return rng.choice(legal)


EVERY_OPTION: list[Options] = [
    *WAYS,
    {"stakes": "eb", "deals": 4, "eldest": "stays_out"},
    {"trick_stake": 3, "trump_named": "with_call", "slam_trump": "none"},
    {"general_misere": "on", "general_misere_tie": "none", "deals": 3},
    {"decided_hands": "stop", "reward": "match", "deals": 2},
]


@pytest.mark.parametrize("options", EVERY_OPTION, ids=range(8))
def test_random_games_are_those_of_the_oracle(options: Options) -> None:
    game = whist_env.game("solo_whist", **options)
    played = set()
    for seed in range(150):
        table, referee = game.new_table(seed), SoloWhistReferee(options)
        rng = random.Random(seed)
        deals = -1
        while not table.is_over:
            if table.record.deals_played > deals:
                deals = int(table.record.deals_played)
                referee.deal(table)
            assert table.agent == referee.agent()
            assert table.legal_actions() == referee.legal_actions()
            action = a_choice(table, rng)
            call = referee.now.call if referee.now.phase == "play" else None
            played.add(call)
            earned = referee.play(action)
            table.apply(action)
            assert table.rewards() == earned
        assert referee.sitting is not None
        assert referee.sitting.over
        assert table.record.points.tolist() == referee.sitting.totals
        first = referee.sitting.first()
        assert names_at(table.record.winners) == set(first)
    assert played >= {None, *LADDER[1:]}


# Positions and options ----------------------------------------------------------------


def test_a_given_deal_is_dealt_exactly_and_in_threes() -> None:
    rng = random.Random(0)
    for seed in range(20):
        pack = rng.sample(PACK, 52)
        dealer = seed % 4
        hands = deal_in_threes(pack, dealer)
        assert [len(hand) for hand in hands] == [13] * 4
        assert pack[51] in hands[dealer]
        bits = [sum(1 << PACK.index(card) for card in hand) for hand in hands]
        game = whist_env.game("solo_whist")
        table = game.new_table(
            seed, deal=deal_text(bits), dealer=dealer, turned=pack[51]
        )
        assert table.record.hands.tolist() == bits
        assert card_name(int(table.record.turned)) == pack[51]
        dealt = deal_in_threes([PACK[card] for card in table.record.pack], dealer)
        assert [set(hand) for hand in dealt] == [set(hand) for hand in hands]


def test_the_turned_card_of_a_given_deal_is_drawn_if_not_given() -> None:
    game = whist_env.game("solo_whist")
    tables = [game.new_table(seed, deal=EVEN, dealer=1) for seed in range(100)]
    turned = {int(table.record.turned) for table in tables}
    assert turned == set(members(parse_deal(EVEN)[1]))


@pytest.mark.parametrize(
    ("position", "error", "message"),
    [
        ({"dealer": 4}, ValueError, "dealer=4 is not a seat"),
        ({"deal": 5}, TypeError, "deal=5 must be a text"),
        ({"deal": "N:AK"}, ValueError, "is not a deal"),
        ({"turned": "S2"}, ValueError, "give deal= as well"),
        ({"deal": EVEN, "dealer": 3, "turned": "SA"}, ValueError, "not in the hand of"),
        ({"points": 1}, TypeError, "has deal, turned, dealer"),
    ],
)
def test_a_position_that_cannot_be_is_refused(
    position: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        whist_env.game("solo_whist").new_table(0, **position)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deals": 0}, "deals=0 must be a whole number from 1 to 100"),
        ({"deals": None}, "deals=None must be a whole number from 1 to 100"),
        ({"reward": "tricks"}, "reward='tricks' .*'points' or 'match'"),
        ({"dealer": 4}, "dealer=4 must be .* from 0 to 3, or None"),
        ({"stakes": "fh"}, "stakes='fh' .*'foster' or 'eb'"),
        ({"solo_stake": 2}, "solo_stake=2 has a meaning only with stakes='eb'"),
        ({"stakes": "eb", "solo_stake": 3}, "solo_stake=3 must be .* from 1 to 2"),
        ({"trick_stake": 11}, "trick_stake=11 must be .* from 0 to 10, or None"),
        ({"eldest": "yes"}, "eldest='yes' .*'may_return' or 'stays_out'"),
        ({"amendment": "none"}, "amendment='none' .*'any_call' or 'solo_only'"),
        ({"trump_named": 1}, "trump_named=1 .*'after_bidding' or 'with_call'"),
        ({"slam_trump": "turned"}, "slam_trump='turned' .*'named' or 'none'"),
        ({"general_misere": True}, "general_misere=True .*'off' or 'on'"),
        ({"general_misere_tie": "none"}, "only with general_misere='on'"),
        ({"redeal": "left"}, "redeal='left' .*'next_dealer' or 'same_dealer'"),
        ({"decided_hands": "end"}, "decided_hands='end' .*'play_on' or 'stop'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: Options, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("solo_whist", **options)


def test_actions_are_cards_calls_and_suits() -> None:
    names = whist_env.game("solo_whist").action_names
    assert names[52:] == (
        *("pass", "propose", "accept", "solo", "misere", "abundance"),
        *("abundance_in_trumps", "spread", "slam"),
        *("clubs", "diamonds", "hearts", "spades"),
    )
