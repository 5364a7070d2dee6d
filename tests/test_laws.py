"""The laws in play, in Whist: revokes, packs that are not shuffled, smaller games."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import oracle_whist as oracle
import pytest
from oracle_whist import Match
from whist_tables import deal_with, new_table, play_at_random, whist_game

import whist_env
from whist_env.cards import card_set, deal_text, members, parse_card
from whist_env.envs.table import Table
from whist_env.games import bridge_whist, whist

# Revokes ------------------------------------------------------------------------------

SPADES, HEARTS = 3, 2


def table_with_revokes(**options: Any) -> Table:
    """Seat 1 leads; seat 2 holds spades and clubs alone."""
    deal = deal_with(
        "SA HA", "SK HK", "S5 S4 C9 C8 C7 C6 C5 C4 C3 CT CJ CQ CK", "SQ HQ"
    )
    return new_table(deal, trump="D", dealer=0, revokes="penalty", **options)


def play(table: Table, *cards: str) -> None:
    for card in cards:
        table.apply(parse_card(card))


def part(table: Table, seat: int, name: str) -> Any:
    return table.game.features.part(table.observe(seat), name)


def test_every_card_held_may_be_played_where_revokes_have_a_penalty() -> None:
    table = table_with_revokes()
    play(table, "SK")
    assert table.legal_actions() == list(members(table.record.hands[2]))
    strict = new_table(
        deal_with("SA", "SK", "S5 S4 C9 C8 C7 C6 C5 C4 C3 CT CJ CQ CK"), "D", 0
    )
    play(strict, "SK")
    assert strict.legal_actions() == [parse_card("S4"), parse_card("S5")]


def test_a_revoke_looks_like_a_void_until_the_card_appears() -> None:
    table = table_with_revokes()
    play(table, "SK", "C3", "SQ", "SA")
    assert table.record.revokes.tolist() == [0, 0, 1, 0]
    for seat in range(4):
        two = (2 - seat) % 4
        assert part(table, seat, "voids")[two].tolist() == [0, 0, 0, 1]
        assert not part(table, seat, "revoked").any()
        assert part(table, seat, "own_revokes") == (seat == 2)
    play(table, "HA", "HK", "S4")
    for seat in range(4):
        two = (2 - seat) % 4
        assert part(table, seat, "voids")[two].tolist() == [0, 0, 1, 0]
        assert part(table, seat, "revoked")[two].tolist() == [0, 0, 0, 1]
    assert table.record.revokes.tolist() == [0, 0, 1, 0]


def test_who_cannot_follow_does_not_revoke() -> None:
    table = table_with_revokes()
    play(table, "HK", "C3", "HQ", "HA")
    assert table.record.revokes.tolist() == [0, 0, 0, 0]


def test_by_default_nobody_can_revoke() -> None:
    table = whist_game(deals=20).new_table(1)
    play_at_random(table, random.Random(1))
    assert not table.record.revokes.any()


def settled(
    tricks: int,
    revokes: tuple[int, int],
    scores: tuple[int, int] = (0, 0),
    **options: Any,
) -> Any:
    """The record after a deal in which side 0 took so many tricks."""
    options = {"episode": "game", **options}
    game = whist_game(revokes="penalty", **options)
    table = game.new_table(0, deal=deal_with(), dealer=0, scores=scores)
    records = np.array([table.record], table.record.dtype)
    record = records[0]
    record.tricks_won[:] = (tricks, 13 - tricks, 0, 0)
    record.tricks_played = 13
    record.revokes[:2] = revokes
    whist.begin_action(record)
    whist.end_deal(record)
    return record


@pytest.mark.parametrize(
    ("options", "tricks", "revokes", "scores"),
    [
        # American: two tricks for each revoke.
        ({"scoring": "awl"}, 8, (1, 0), (0, 1)),
        ({"scoring": "american"}, 8, (0, 1), (4, 0)),
        ({"scoring": "american"}, 8, (2, 0), (0, 3)),
        # English: three tricks, or three points taken or given.
        ({"scoring": "short5"}, 9, (1, 0), (0, 1)),
        ({"scoring": "short5"}, 2, (1, 0), (0, 4 + 3)),
        ({"scoring": "hoyle7", "revoke_penalty": "add_three"}, 9, (1, 0), (3, 3)),
        ({"scoring": "to25", "revoke_penalty": "deduct_three"}, 9, (1, 0), (3, 0)),
        ({"scoring": "to25", "revoke_penalty": "add_three"}, 7, (1, 1), (4, 3)),
        ({"scoring": "to25", "revoke_penalty": "five_points"}, 9, (1, 0), (3, 5)),
        # Robber: five points to the other side.
        ({"scoring": "robber"}, 8, (1, 0), (4, 5)),
        ({"scoring": "robber", "revoke_penalty": "three_tricks"}, 8, (1, 0), (0, 4)),
    ],
)
def test_a_revoke_is_paid_for_before_the_deal_is_scored(
    options: dict[str, Any],
    tricks: int,
    revokes: tuple[int, int],
    scores: tuple[int, int],
) -> None:
    record = settled(tricks, revokes, target=50, **options)
    assert record.score.tolist() == list(scores)


def test_points_are_deducted_as_far_as_there_are_any() -> None:
    how = {"scoring": "to25", "revoke_penalty": "deduct_three"}
    assert settled(6, (1, 0), (2, 0), **how).score.tolist() == [0, 1]
    assert settled(6, (1, 0), (5, 0), **how).score.tolist() == [2, 1]


def test_a_side_does_not_win_the_game_in_a_deal_in_which_it_revoked() -> None:
    how = {"scoring": "short5", "revoke_penalty": "add_three"}
    record = settled(9, (1, 0), (4, 0), **how)
    assert not record.over
    assert record.score.tolist() == [4, 3]
    assert settled(9, (0, 0), (4, 0), **how).over
    # Who did not revoke may win by the other side's revoke.
    record = settled(9, (1, 0), (4, 2), **how)
    assert (record.over, record.winning_side) == (1, 1)


def test_where_both_sides_revoke_neither_wins() -> None:
    how = {"scoring": "short5", "revoke_penalty": "add_three"}
    record = settled(10, (1, 1), (4, 4), **how)
    assert not record.over
    assert record.score.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("whist", {"episode": "game"}),
        ("whist", {"scoring": "short5", "episode": "rubber"}),
        ("bridge_whist", {"episode": "rubber"}),
    ],
)
def test_a_game_that_nobody_can_win_for_revokes_is_broken_off(
    game: str, options: dict[str, Any]
) -> None:
    lengths = set()
    for seed in range(6):
        table = whist_env.game(game, revokes="penalty", **options).new_table(seed)
        play_at_random(table, random.Random(seed))
        lengths.add(int(table.record.deals_played))
        assert sum(table.returns()) == 0
    assert max(lengths) == 100


def test_tricks_that_a_revoke_costs_are_paid_where_tricks_are() -> None:
    record = settled(
        8,
        (1, 0),
        scoring="american",
        reward="tricks",
        deals=1,
        episode="deal",
        scores=None,
    )
    assert record.reward.tolist() == [-2, 2, -2, 2]
    assert record.tricks.tolist() == [6, 7]


# Revokes in Bridge Whist --------------------------------------------------------------


def bridge_settled(
    tricks: int, revokes: tuple[int, int], scores: tuple[int, int] = (0, 0)
) -> Any:
    """The record after a deal in hearts in which side 0 took so many tricks."""
    game = whist_env.game("bridge_whist", revokes="penalty", episode="game")
    table = game.new_table(0, deal=deal_with(), dealer=0, scores=scores)
    table.apply(bridge_whist.HEARTS)
    for _ in range(2):
        table.apply(bridge_whist.PASS)
    records = np.array([table.record], table.record.dtype)
    record = records[0]
    record.tricks_won[:] = (tricks, 13 - tricks, 0, 0)
    record.tricks_played = 13
    record.revokes[:2] = revokes
    bridge_whist.begin_action(record)
    bridge_whist.end_deal(record)
    return record


def test_a_revoke_at_bridge_whist_costs_three_tricks() -> None:
    assert bridge_settled(8, (0, 0)).score.tolist() == [16, 0]
    assert bridge_settled(8, (1, 0)).score.tolist() == [0, 16]
    assert bridge_settled(7, (1, 1)).score.tolist() == [8, 0]


def test_a_side_that_revoked_at_bridge_whist_stops_at_28() -> None:
    record = bridge_settled(13, (1, 0), (8, 0))
    assert not record.over
    assert record.score.tolist() == [28, 0]
    assert bridge_settled(13, (0, 0), (8, 0)).over
    assert bridge_settled(4, (1, 0), (8, 0)).winning_side == 1


def test_dummy_follows_suit_where_others_may_revoke() -> None:
    deal = deal_with("SA", "SK", "S5 S4 C9 C8 C7 C6 C5 C4 C3 CT CJ CQ CK", "SQ")
    game = whist_env.game("bridge_whist", revokes="penalty")
    table = game.new_table(0, deal=deal, dealer=0)
    for call in (bridge_whist.HEARTS, bridge_whist.PASS, bridge_whist.PASS):
        table.apply(call)
    play(table, "SK")
    assert (table.agent, table.record.seat) == (0, 2)
    assert table.legal_actions() == [parse_card("S4"), parse_card("S5")]
    play(table, "S4")
    assert len(table.legal_actions()) == 13


# Packs that are not shuffled ----------------------------------------------------------


def two_deals(seed: int, shuffle: str) -> tuple[list[int], Table]:
    """The cards of a first deal in the order in which they were played; the second."""
    table = whist_game(deals=2, shuffle=shuffle).new_table(seed)
    rng = random.Random(seed)
    played = []
    while table.record.deals_played == 0:
        action = rng.choice(table.legal_actions())
        played.append(action)
        table.apply(action)
    return played, table


def test_a_pack_is_gathered_trick_by_trick_and_cut() -> None:
    cuts = set()
    for seed in range(200):
        played, table = two_deals(seed, "gather_and_cut")
        pack = table.record.pack.tolist()
        cut = played.index(pack[0])
        assert pack == played[cut:] + played[:cut]
        cuts.add(cut)
    # At least four cards lie in each packet.
    assert min(cuts) == 4
    assert max(cuts) == 48
    assert len(cuts) > 40


def test_players_remember_how_the_pack_was_gathered_but_not_where_it_was_cut() -> None:
    played, table = two_deals(3, "gather_and_cut")
    for seat in range(4):
        gathered = part(table, seat, "gathered")
        assert [int(gathered[card]) for card in played] == list(range(1, 53))
    _, fresh = two_deals(3, "fresh")
    assert not part(fresh, 0, "gathered").any()


def test_nothing_is_remembered_of_the_pack_before_a_given_deal() -> None:
    table = whist_game(deals=2, shuffle="gather_and_cut").new_table(5)
    play_at_random(table, random.Random(1))
    table.reset(deal=deal_with())
    assert not part(table, 0, "gathered").any()


def test_players_who_see_the_last_trick_alone_do_not_remember_the_pack() -> None:
    how = {"deals": 2, "shuffle": "gather_and_cut", "history": "last_trick"}
    table = whist_game(**how).new_table(5)
    while table.record.deals_played == 0:
        table.apply(table.legal_actions()[0])
    assert table.record.gathered.any()
    assert not part(table, 0, "gathered").any()


def test_the_first_deal_of_an_episode_is_always_shuffled() -> None:
    table = whist_game(deals=2, shuffle="gather_and_cut").new_table(5)
    plain = whist_game(deals=2).new_table(5)
    assert table.record.pack.tolist() == plain.record.pack.tolist()
    play_at_random(table, random.Random(1))
    table.reset()
    play_at_random(plain, random.Random(2))
    plain.reset()
    assert table.record.pack.tolist() == plain.record.pack.tolist()


# Smaller games ------------------------------------------------------------------------


def every_small_deal(pack: list[str]) -> Iterator[list[tuple[str, ...]]]:
    """Every way to give two cards to each of four seats."""
    for first in itertools.combinations(pack, 2):
        rest = [card for card in pack if card not in first]
        for second in itertools.combinations(rest, 2):
            left = [card for card in rest if card not in second]
            for third in itertools.combinations(left, 2):
                fourth = tuple(card for card in left if card not in third)
                yield [first, second, third, fourth]


def every_playing(table: Table, played: list[int]) -> Iterator[list[int]]:
    """Every legal way to play a table out."""
    if table.is_over:
        yield played
    for action in table.legal_actions():
        following = table.clone()
        following.apply(action)
        yield from every_playing(following, [*played, action])


def test_a_two_suit_mini_whist_is_enumerated_completely() -> None:
    options = {"ranks": 4, "suits": 2, "scoring": "american"}
    game = whist_game(**options)
    pack = oracle.Options(**options).pack
    deals = playings = 0
    for hands in every_small_deal(pack):
        deal = deal_text([card_set(map(oracle.card_id, hand)) for hand in hands])
        for turned in hands[0]:
            deals += 1
            table = game.new_table(0, deal=deal, turned=turned, dealer=0)
            for played in every_playing(table, []):
                playings += 1
                compare(table, hands, turned, played, oracle.Options(**options))
    assert deals == 2 * 2520
    assert playings > deals


def compare(
    table: Table,
    hands: list[tuple[str, ...]],
    turned: str,
    played: list[int],
    options: oracle.Options,
) -> None:
    """Play the same cards at a table and before the oracle."""
    match = Match(options)
    deal = match.start_deal(hands, turned)
    engine = table.clone()
    for card in played:
        assert engine.agent == deal.seat_to_move
        assert engine.legal_actions() == sorted(map(oracle.card_id, deal.legal_cards()))
        engine.apply(card)
        assert engine.rewards() == match.play(oracle.card_name(card))
    assert match.over
    assert engine.is_over


def test_small_packs_keep_the_highest_ranks_of_the_first_suits() -> None:
    table = whist_game(ranks=4, suits=2).new_table(0)
    cards = sorted(itertools.chain(*map(members, table.record.hands)))
    assert cards == [9, 10, 11, 12, 22, 23, 24, 25]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ranks": 5, "suits": 3}, "make a pack of 15 cards.* a multiple of 4"),
        ({"ranks": 1}, "ranks=1 must be a whole number from 2 to 13"),
        ({"suits": 5}, "suits=5 must be a whole number from 1 to 4"),
        ({"ranks": 8, "scoring": "robber"}, "only with scoring='awl' or 'american'"),
        ({"revoke_penalty": "two_tricks"}, "only with revokes='penalty'"),
        (
            {"revokes": "penalty", "revoke_penalty": "deduct_three"},
            "needs points to deduct from; take episode='game'",
        ),
        (
            {"revokes": "penalty", "scoring": "robber", "reward": "tricks"},
            "reward='tricks' needs revoke_penalty='two_tricks' or 'three_tricks'",
        ),
    ],
)
def test_laws_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        whist_env.game("whist", **options)


def test_a_given_deal_must_be_of_the_small_pack() -> None:
    game = whist_game(ranks=4, suits=2)
    with pytest.raises(ValueError, match="hand 1 of the deal has 13 cards"):
        game.new_table(0, deal=deal_with())
    with pytest.raises(ValueError, match="S2 is not in the pack of this game"):
        game.new_table(0, deal="N:2...A ..AK. ..QJ. ...KQ")
