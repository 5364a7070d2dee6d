"""Chinese Whist by its rule sheet: every example, every option, and hidden cards."""

from __future__ import annotations

import collections
import itertools
import random
from typing import Any

import numpy as np
import pytest
from contract import contract
from oracle_chinese_whist import (
    CALLS,
    DOWN_CARDS,
    PILES,
    SIDES,
    ChineseDeal,
    Match,
    Options,
    card_id,
    card_name,
    pack,
)

import whist_env
from whist_env import IllegalAction, Table
from whist_env.cards import members, parse_card
from whist_env.envs.vector import Tables
from whist_env.games import chinese_whist
from whist_env.games.chinese_whist import ChineseWhistOptions

PLAYERS = (4, 3, 2)


def names(cards: Any) -> list[str]:
    return [card_name(int(card)) for card in cards]


def rows_of(piles: Any) -> list[list[str | None]]:
    return [[card_name(int(c)) if c >= 0 else None for c in row] for row in piles]


def covered_cards(record: Any) -> list[int]:
    return [int(card) for card in np.ravel(record.covered) if card >= 0]


class ChineseReferee:
    """The slow oracle of Chinese Whist as a referee."""

    match: Match | None = None
    current: ChineseDeal

    def __init__(self, options: dict[str, Any]) -> None:
        known = Options.__dataclass_fields__
        self.options = Options(**{k: v for k, v in options.items() if k in known})

    def deal(self, table: Table) -> None:
        self.follow(table.record)

    def follow(self, record: Any) -> None:
        if self.match is None:
            self.match = Match(self.options, int(record.dealer))
        assert self.match.dealer == record.dealer
        self.current = self.match.start_deal(
            rows_of(record.exposed),
            rows_of(record.covered),
            [names(members(cards)) for cards in record.down],
        )

    def agent(self) -> int:
        assert self.match is not None
        return -1 if self.match.over else self.current.to_move

    def legal_actions(self) -> list[int]:
        return self.current.legal_actions()

    def play(self, action: int) -> list[int]:
        assert self.match is not None
        return self.match.act(action)

    def knows(self, agent: int) -> set[int]:
        deal = self.current
        seen = {*deal.face_up_since, *deal.played, *deal.first_down[agent]}
        return set(map(card_id, seen))


TestChineseWhist = contract(
    "chinese_whist",
    ChineseReferee,
    {},
    {"honours": True, "episode": "game", "reward": "match", "target": 5},
    {"players": 4, "episode": "game", "target": 1, "honours": True, "tie": "shared"},
    {"players": 3, "book": 5, "episode": "game", "reward": "settlement", "target": 5},
    {"players": 3, "reward": "tricks", "exposed_leads_only": True, "dealer": 2},
    {"players": 2, "deals": 2, "history": "last_trick", "shuffle": "gather_and_cut"},
    piles=covered_cards,
)


def new_game(**options: Any) -> whist_env.Game:
    return whist_env.game("chinese_whist", **options)


def play(table: Table, actions: str) -> None:
    """Name trumps by a word, or play cards."""
    for action in actions.split():
        table.apply(table.game.action_names.index(action))


def legal(table: Table) -> list[str]:
    return [table.game.action_names[action] for action in table.legal_actions()]


def features_of(table: Table, seat: int) -> dict[str, Any]:
    return table.game.features.named(table.observe(seat).astype(int))


def shown(plane: Any) -> set[str]:
    return set(names(np.flatnonzero(plane)))


def layout(players: int, wanted: dict[tuple[int, str], str], seed: int = 0) -> str:
    """A deal as text, with cards at chosen places and the others anywhere.

    Args:
        players: how many play.
        wanted: the card of a seat and a place: ``"up3"`` (face up on pile 3),
            ``"under3"`` or ``"down0"``.
        seed: where the others lie.
    """
    others = [card for card in pack(players) if card not in wanted.values()]
    random.Random(seed).shuffle(others)
    seats = []
    for seat in range(players):
        at = {
            place: wanted.get((seat, place)) or others.pop()
            for place in (
                *(f"up{pile}" for pile in range(PILES[players])),
                *(f"under{pile}" for pile in range(PILES[players])),
                *(f"down{card}" for card in range(DOWN_CARDS[players])),
            )
        }
        piles = [f"{at[f'up{p}']}/{at[f'under{p}']}" for p in range(PILES[players])]
        down = [at[f"down{card}"] for card in range(DOWN_CARDS[players])]
        seats.append(" ".join([*piles, *down]))
    return ", ".join(seats)


def finished_with(tricks: list[int], **options: Any) -> tuple[int, list[int]]:
    """The seed and the actions of a deal in which the sides take these tricks."""
    table = new_game(dealer=0, **options).new_table(0)
    rng = random.Random(1)
    for seed in range(20_000):
        table.reset(seed=seed)
        actions = []
        while table.record.deals_played == 0 and not table.is_over:
            actions.append(rng.choice(table.legal_actions()))
            table.apply(actions[-1])
        if table.record.tricks.tolist() == tricks:
            return seed, actions
    raise AssertionError("no such deal was found")


def played(
    deal: tuple[int, list[int]], scores: tuple[int, ...] | None = None, **options: Any
) -> Table:
    """A table after a deal of `finished_with`."""
    seed, actions = deal
    position = {} if scores is None else {"scores": scores}
    table = new_game(dealer=0, **options).new_table(seed, **position)
    for action in actions:
        table.apply(action)
    return table


def score_of(table: Table) -> list[int]:
    score: list[int] = table.record.points.tolist()
    return score


# The worked examples of the rules ---------------------------------------------------


def test_nine_tricks_of_four_players_win_the_game() -> None:
    deal = finished_with([9, 4])
    assert score_of(played(deal)) == [3, 0]
    assert played(deal).rewards() == [3, -3, 3, -3]
    how = {"episode": "game", "scores": (8, 6)}
    per_point = played(deal, reward="settlement", **how)
    assert per_point.is_over
    assert score_of(per_point) == [11, 6]
    assert per_point.rewards() == [5, -5, 5, -5]
    assert played(deal, reward="match", **how).rewards() == [1, -1, 1, -1]
    assert played(deal, **how).rewards() == [3, -3, 3, -3]


def test_three_players_have_a_book_of_six_each() -> None:
    deal = finished_with([8, 6, 3], players=3)
    assert score_of(played(deal, players=3)) == [2, 0, 0]
    assert played(deal, players=3).rewards() == [4, -2, -2]
    even = finished_with([6, 6, 5], players=3)
    assert score_of(played(even, players=3)) == [0, 0, 0]
    # The other reading, a book of five.
    assert score_of(played(deal, players=3, book=5)) == [3, 1, 0]
    assert played(deal, players=3, book=5).rewards() == [5, -1, -4]
    assert score_of(played(even, players=3, book=5)) == [1, 1, 0]


def test_two_players_have_a_book_of_thirteen_or_six() -> None:
    deal = finished_with([15, 11], players=2)
    assert score_of(played(deal, players=2)) == [2, 0]
    assert played(deal, players=2).rewards() == [2, -2]
    assert score_of(played(deal, players=2, book=6)) == [9, 5]
    assert played(deal, players=2, book=6).rewards() == [4, -4]


def test_a_covered_card_is_turned_up_after_the_trick_and_played_from_then_on() -> None:
    wanted = {
        (1, "up3"): "H9",
        (1, "under3"): "HA",
        (2, "up0"): "HT",
        (3, "up0"): "H3",
        (0, "up0"): "H4",
    }
    table = new_game().new_table(0, deal=layout(4, wanted), dealer=0)
    play(table, "spades H9")
    assert parse_card("HA") in covered_cards(table.record)
    assert not shown(features_of(table, 1)["exposed"][0]) & {"H9", "HA"}
    play(table, "HT H3")
    # Still not: the trick is not over.
    assert parse_card("HA") in covered_cards(table.record)
    play(table, "H4")
    assert table.record.exposed[1, 3] == parse_card("HA")
    assert table.record.covered[1, 3] == -1
    for seat in range(4):
        seen = features_of(table, seat)
        place = (1 - seat) % 4
        assert "HA" in shown(seen["exposed"][place])
        assert "HA" not in shown(seen["covering"][place])
        assert seen["face_up_since"][parse_card("HA")] == 2
        assert seen["covered"][place] == 5
    # Player 2 leads; hearts must now be followed with the ace.
    assert table.agent == 2
    table = new_game().new_table(
        0, deal=layout(4, {**wanted, (1, "up3"): "HQ"}), dealer=0
    )
    play(table, "spades HQ HT H3 H4")
    assert table.agent == 1
    assert "HA" in legal(table)
    play(table, "HA")


# Deal -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "piles", "down", "tricks"),
    [(4, 6, 1, 13), (3, 8, 1, 17), (2, 12, 2, 26)],
)
def test_the_pack_is_dealt_face_down_face_up_and_to_the_hand(
    players: int, piles: int, down: int, tricks: int
) -> None:
    for seed in range(10):
        table = new_game(players=players).new_table(seed)
        record = table.record
        cards = [card for card in record.pack.tolist() if card >= 0]
        assert sorted(names(cards)) == sorted(pack(players))
        # All cards face down first, then those face up, then the down cards, from the
        # dealer's left, two at a time with two players and else one at a time.
        packet = 2 if players == 2 else 1
        left = (int(record.dealer) + 1) % players
        for layer, laid in enumerate((record.covered, record.exposed)):
            dealt = collections.defaultdict(list)
            for place in range(players * piles):
                seat = (left + place // packet) % players
                dealt[seat].append(cards[layer * players * piles + place])
            assert laid.tolist() == [dealt[seat] for seat in range(players)]
        hands = collections.defaultdict(set)
        for place in range(players * down):
            seat = (left + place // packet) % players
            hands[seat].add(cards[2 * players * piles + place])
        assert [set(members(h)) for h in record.down] == [
            hands[seat] for seat in range(players)
        ]
        assert table.agent == record.dealer
        actions = 0
        while not table.is_over:
            table.apply(table.legal_actions()[0])
            actions += 1
        assert actions == 1 + players * tricks
        assert table.record.tricks.sum() == tricks


def test_the_deuce_of_spades_is_left_out_with_three_players() -> None:
    assert parse_card("S2") not in new_game(players=3).new_table(0).record.pack
    assert parse_card("S2") in new_game(players=2).new_table(0).record.pack


@pytest.mark.parametrize("players", PLAYERS)
def test_the_deal_passes_left_and_the_dealers_left_leads(players: int) -> None:
    for first in range(players):
        table = new_game(players=players, deals=5, dealer=first).new_table(4)
        for number in range(5):
            dealer = (first + number) % players
            assert table.record.dealer == table.agent == dealer
            assert legal(table) == ["clubs", "diamonds", "hearts", "spades"]
            play(table, "hearts")
            assert table.record.trump == 2
            assert table.agent == (dealer + 1) % players
            while table.record.deals_played == number and not table.is_over:
                table.apply(table.legal_actions()[-1])
        assert table.is_over


# Play -------------------------------------------------------------------------------


def test_the_first_lead_is_a_card_face_up() -> None:
    for players in PLAYERS:
        table = new_game(players=players).new_table(2)
        play(table, "spades")
        leader = table.agent
        down = set(names(members(table.record.down[leader])))
        assert len(legal(table)) == PILES[players]
        assert not down & set(legal(table))
        with pytest.raises(IllegalAction, match="a card face up must be led"):
            play(table, min(down))


def test_a_later_lead_may_be_a_down_card_unless_only_cards_face_up_are_led() -> None:
    wanted = {
        (1, "up0"): "HA",
        (2, "up0"): "H2",
        (3, "up0"): "H3",
        (0, "up0"): "H4",
        (1, "down0"): "C5",
    }
    deal = layout(4, wanted)
    for exposed_only in (False, True):
        game = new_game(exposed_leads_only=exposed_only)
        table = game.new_table(0, deal=deal, dealer=0)
        play(table, "spades HA H2 H3 H4")
        assert table.agent == 1
        assert ("C5" in legal(table)) != exposed_only
    with pytest.raises(IllegalAction, match="C5 is a down card"):
        play(table, "C5")


def test_a_leader_without_cards_face_up_leads_a_down_card() -> None:
    met = 0
    game = new_game(players=2, exposed_leads_only=True)
    for seed in range(100):
        table = game.new_table(seed)
        rng = random.Random(seed)
        while not table.is_over:
            record = table.record
            exposed = set(members(record.hands[table.agent])) - set(
                members(record.down[table.agent])
            )
            if record.phase == chinese_whist.PLAY and record.cards_in_trick == 0:
                if not exposed:
                    met += 1
                    down = sorted(members(record.down[table.agent]))
                    assert table.legal_actions() == down
                else:
                    assert table.legal_actions() == sorted(exposed)
            table.apply(rng.choice(table.legal_actions()))
    assert met > 20


def test_suit_is_followed_with_a_card_face_up_or_a_down_card() -> None:
    wanted = {(1, "up0"): "HA", (2, "down0"): "H2"}
    clubs = {(2, f"up{pile}"): f"C{rank}" for pile, rank in enumerate("345678")}
    hearts = {(2, f"under{pile}"): f"H{rank}" for pile, rank in enumerate("345678")}
    deal = layout(4, {**wanted, **clubs, **hearts})
    table = new_game().new_table(0, deal=deal, dealer=0)
    play(table, "spades HA")
    # The down card is the only heart that can be played.
    assert legal(table) == ["H2"]
    wanted[(2, "down0")] = "D2"
    deal = layout(4, {**wanted, **clubs, **hearts})
    table = new_game().new_table(0, deal=deal, dealer=0)
    play(table, "spades HA")
    assert legal(table) == ["C3", "C4", "C5", "C6", "C7", "C8", "D2"]
    with pytest.raises(IllegalAction, match="the hand does not hold H3"):
        play(table, "H3")


def test_a_void_lasts_until_a_card_of_the_suit_is_turned_up() -> None:
    clubs = {(2, f"up{pile}"): f"C{rank}" for pile, rank in enumerate("345678")}
    wanted = {(1, "up0"): "HA", (2, "down0"): "D2", (2, "under0"): "H7", **clubs}
    wanted |= {(3, "up0"): "H3", (0, "up0"): "H4"}
    table = new_game().new_table(0, deal=layout(4, wanted), dealer=0)
    play(table, "spades HA C3")
    assert table.record.voids.tolist() == [0, 0, 1 << 2, 0]
    play(table, "H3 H4")
    # The seven of hearts lies face up now; the down card is still known to be none.
    assert table.record.voids.tolist() == [0, 0, 0, 0]
    assert table.record.down_voids.tolist() == [0, 0, 1 << 2, 0]
    assert features_of(table, 0)["down_voids"][2].tolist() == [0, 0, 1, 0]


def test_who_plays_the_down_card_turns_nothing() -> None:
    wanted = {
        (1, "up0"): "HA",
        (2, "down0"): "H2",
        (3, "up0"): "H3",
        (0, "up0"): "H4",
    }
    table = new_game().new_table(0, deal=layout(4, wanted), dealer=0)
    before = table.record.exposed[2].tolist()
    play(table, "spades HA H2 H3 H4")
    assert table.record.exposed[2].tolist() == before
    assert [sum(row >= 0) for row in table.record.covered] == [5, 5, 6, 5]
    assert features_of(table, 1)["down_cards"].tolist() == [1, 0, 1, 1]


# Honours, games, stakes -------------------------------------------------------------


def with_honours(players: int, owners: list[tuple[int, str]]) -> Table:
    """A finished deal with ace, king, queen and jack of hearts at these places."""
    wanted = dict(zip(owners, ("HA", "HK", "HQ", "HJ"), strict=True))
    game = new_game(players=players, honours=True)
    table = game.new_table(0, deal=layout(players, wanted), dealer=0)
    play(table, "hearts")
    while not table.is_over:
        table.apply(table.legal_actions()[0])
    return table


@pytest.mark.parametrize(
    ("players", "owners", "honours"),
    [
        (4, [(0, "up0"), (2, "under0"), (0, "down0"), (1, "up0")], [2, 0]),
        (4, [(0, "up0"), (2, "under0"), (0, "down0"), (2, "up5")], [4, 0]),
        (4, [(0, "up0"), (2, "under0"), (1, "down0"), (3, "up0")], [0, 0]),
        (3, [(1, "up0"), (1, "under3"), (1, "down0"), (2, "up0")], [0, 2, 0]),
        (3, [(2, "up0"), (2, "under3"), (2, "down0"), (2, "up7")], [0, 0, 4]),
        (2, [(1, "up0"), (1, "under3"), (1, "down1"), (0, "up0")], [0, 2]),
    ],
)
def test_honours_count_for_those_to_whom_they_were_dealt(
    players: int, owners: list[tuple[int, str]], honours: list[int]
) -> None:
    table = with_honours(players, owners)
    book = {4: 6, 3: 6, 2: 13}[players]
    tricks = table.record.tricks.tolist()
    expected = [
        max(0, taken - book) + extra
        for taken, extra in zip(tricks, honours, strict=True)
    ]
    assert score_of(table) == expected


def test_a_game_goes_on_until_one_alone_is_first_at_the_target() -> None:
    deal = finished_with([6, 6, 5], players=3)
    how = {"players": 3, "book": 5, "episode": "game"}
    tied = played(deal, (9, 9, 0), **how)
    assert score_of(tied) == [10, 10, 0]
    assert not tied.is_over
    shared = played(deal, (9, 9, 0), tie="shared", reward="settlement", **how)
    assert shared.is_over
    assert shared.record.winners.tolist() == [1, 1, 0]
    assert shared.rewards() == [10, 10, -20]
    higher = played(deal, (9, 8, 0), **how)
    assert higher.is_over
    assert higher.record.winners.tolist() == [1, 0, 0]
    short = played(deal, (8, 8, 0), **how)
    assert not short.is_over
    assert played(deal, (4, 3, 0), target=5, **how).is_over


def test_the_higher_total_wins_where_two_pass_the_target_in_one_deal() -> None:
    deal = finished_with([8, 6, 3], players=3)
    how = {"players": 3, "book": 5, "episode": "game", "reward": "settlement"}
    table = played(deal, (8, 9, 2), **how)
    assert table.is_over
    assert score_of(table) == [11, 10, 2]
    # The winner collects its total less each loser's from each.
    assert table.rewards() == [1 + 9, -1, -9]


def test_equal_sides_of_four_play_on() -> None:
    # A has nine tricks, and B three or four honours.
    game = new_game(honours=True, episode="game", dealer=0)
    rng = random.Random(3)
    for seed in range(5000):
        table = game.new_table(seed, scores=(9, 8))
        while table.record.deals_played == 0 and not table.is_over:
            table.apply(rng.choice(table.legal_actions()))
        if score_of(table)[0] == score_of(table)[1] >= 10:
            assert not table.is_over
            return
    raise AssertionError("no such deal was found")


def test_several_who_share_the_first_place_are_all_paid() -> None:
    deal = finished_with([6, 6, 5], players=3)
    how = {"players": 3, "book": 5, "deals": 1}
    assert played(deal, reward="match", **how).rewards() == [1, 1, -2]
    table = played(deal, reward="settlement", **how)
    assert table.rewards() == [1, 1, -2]
    assert measures_of(table)["won"] == [0.5, 0.5, 0]
    nobody = played(deal, players=3, reward="match")
    assert nobody.rewards() == [0, 0, 0]
    assert measures_of(nobody)["won"] == pytest.approx([1 / 3] * 3)


def measures_of(table: Table) -> dict[str, list[float]]:
    finished = np.array([table.record], table.record.dtype)
    return {
        name: measure(finished)[0].tolist()
        for name, measure in table.game.rules.measures.items()
    }


def test_measures_judge_finished_episodes_by_agent() -> None:
    four = played(finished_with([9, 4]))
    assert measures_of(four) == {
        "points": [3, -3, 3, -3],
        "tricks": [2.5, -2.5, 2.5, -2.5],
        "settlement": [3, -3, 3, -3],
        "won": [1, 0, 1, 0],
    }
    three = played(finished_with([8, 6, 3], players=3), players=3, book=5)
    measures = measures_of(three)
    assert measures["points"] == [5, -1, -4]
    assert measures["tricks"] == pytest.approx([8 - 17 / 3, 6 - 17 / 3, 3 - 17 / 3])
    assert measures["settlement"] == [5, -2, -3]
    assert measures["won"] == [1, 0, 0]


@pytest.mark.parametrize("reward", ["points", "tricks", "match", "settlement"])
@pytest.mark.parametrize(("players", "tricks"), [(4, 13), (3, 17), (2, 26)])
def test_a_forfeit_pays_each_other_side_all_tricks(
    players: int, tricks: int, reward: str
) -> None:
    table = new_game(players=players, reward=reward, dealer=1).new_table(1)
    table.forfeit()
    amount = 1 if reward == "match" else tricks
    expected = {
        4: [amount, -amount, amount, -amount],
        3: [amount, -2 * amount, amount],
        2: [amount, -amount],
    }[players]
    assert table.rewards() == expected
    assert measures_of(table)["won"][1] == 0
    assert table.is_over


@pytest.mark.parametrize("reward", ["points", "tricks", "match", "settlement"])
def test_measures_of_a_forfeit_are_its_returns_whoever_led(reward: str) -> None:
    how = {"players": 3, "episode": "game", "reward": reward}
    table = new_game(**how).new_table(1, scores=(2, 9, 0), dealer=0)
    table.forfeit()
    assert table.returns() == ([-2, 1, 1] if reward == "match" else [-34, 17, 17])
    assert measures_of(table)["settlement"] == [-34, 17, 17]
    assert measures_of(table)["won"] == [0, 0.5, 0.5]
    # In the game so far player 0 was behind by 7 and ahead by 2.
    assert measures_of(table)["points"] == [-34 - 5, 17 + 16, 17 - 11]


# Hidden information -----------------------------------------------------------------


def test_pictures_show_no_card_face_down() -> None:
    wanted = {(1, "up3"): "H9", (1, "under3"): "HA", (1, "down0"): "C5"}
    table = new_game().new_table(0, deal=layout(4, wanted), dealer=0)
    record = table.record
    for agent in range(4):
        lines = dict(chinese_whist.notes(record, agent))
        assert list(lines) == [f"player_{seat} covers by" for seat in range(4)]
        assert lines["player_1 covers by"].split()[3] == "H9"
        assert "HA" not in " ".join(lines.values())
        seen = names(members(chinese_whist.visible(record, agent, 1)))
        assert ("C5" in seen) == (agent == 1)
        assert "H9" in seen
        assert "HA" not in seen
    everything = dict(chinese_whist.notes(record, -1))
    assert everything["player_1 covers by"].split()[3] == "H9/HA"
    play(table, "spades H9")
    lines = dict(chinese_whist.notes(table.record, 1))
    assert lines["player_1 covers by"].split()[3] == "--"


def test_the_short_memory_sees_the_table_and_forgets_when_it_came() -> None:
    table = new_game(history="last_trick").new_table(0)
    rng = random.Random(0)
    while not table.is_over:
        for seat in range(4):
            seen = features_of(table, seat)
            assert not seen["face_up_since"].any()
            assert not seen["down_voids"].any()
            assert [shown(row) for row in seen["exposed"]] == [
                set(names(c for c in table.record.exposed[(seat + o) % 4] if c >= 0))
                for o in range(4)
            ]
        table.apply(rng.choice(table.legal_actions()))


def check_observation(table: Table, match: Match) -> None:
    """Each feature shows what it claims, by the oracle's book."""
    deal = match.deal
    assert deal is not None
    players = deal.players
    sides = SIDES[players]
    for seat in range(players):
        seen = features_of(table, seat)
        assert shown(seen["hand"]) == deal.visible(seat) | deal.down[seat]
        assert seen["naming"] == (deal.trump is None)
        assert {"CDHS"[s] for s in np.flatnonzero(seen["trump"])} == (
            {deal.trump} if deal.trump else set()
        )
        since = {card_name(c): seen["face_up_since"][c] for c in range(52)}
        assert {c: n for c, n in since.items() if n} == deal.face_up_since
        for offset in range(players):
            other = (seat + offset) % players
            assert shown(seen["exposed"][offset]) == deal.visible(other)
            piles = list(zip(deal.exposed[other], deal.covered[other], strict=True))
            covering = {up for up, under in piles if up and under}
            assert shown(seen["covering"][offset]) == covering
            assert seen["covered"][offset] == sum(bool(under) for _, under in piles)
            assert seen["down_cards"][offset] == len(deal.down[other])
            for name, expected in (
                ("voids", deal.voids[other]),
                ("down_voids", deal.down_voids[other]),
            ):
                suits = {"CDHS"[s] for s in np.flatnonzero(seen[name][offset])}
                assert suits == expected
            held = deal.visible(other) | deal.down[other]
            assert not any(card[0] in deal.voids[other] for card in held)
            down = deal.down[other]
            assert not any(card[0] in deal.down_voids[other] for card in down)
        own = next(n for n, side in enumerate(sides) if seat in side)
        order = [(own + place) % len(sides) for place in range(len(sides))]
        assert seen["tricks"].tolist() == [deal.tricks()[side] for side in order]
        score = (seen["score"] @ [100, 1]).tolist()
        assert score == [match.scores[side] for side in order]
        left = 0
        if match.options.episode == "deal":
            left = (match.options.deals or 1) - match.deals_played
        assert seen["deals_left"] == left
    check_state(table, deal)


def check_state(table: Table, deal: ChineseDeal) -> None:
    seat = deal.players - 1
    state = table.state(seat).astype(int)
    assert (state[: table.game.features.size] == table.observe(seat)).all()
    everything = table.game.state_features.named(state)
    for offset in range(deal.players):
        other = (seat + offset) % deal.players
        held = deal.visible(other) | deal.down[other]
        assert shown(everything["hands"][offset]) == held
        under = {card for card in deal.covered[other] if card}
        assert shown(everything["face_down"][offset]) == under
    piles = {
        card: pile + 1
        for rows in (deal.exposed, deal.covered)
        for row in rows
        for pile, card in enumerate(row)
        if card
    }
    place = {card_name(c): everything["pile"][c] for c in range(52)}
    assert {card: pile for card, pile in place.items() if pile} == piles


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"players": 3, "deals": 2, "book": 5},
        {"players": 2, "episode": "game", "target": 5, "honours": True},
    ],
)
def test_every_feature_shows_what_it_claims(how: dict[str, Any]) -> None:
    for seed in range(5):
        table = new_game(**how).new_table(seed)
        referee = ChineseReferee(how)
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


def ways(players: int) -> list[dict[str, Any]]:
    """Every option with every other, as far as both have a meaning."""
    books = {4: [None, 6], 3: [None, 5], 2: [None, 6]}[players]
    lengths: list[dict[str, Any]] = [
        {},
        {"deals": 3},
        {"episode": "game", "target": 5},
    ]
    return [
        {
            "players": players,
            "book": book,
            "reward": reward,
            "honours": honours,
            "exposed_leads_only": exposed,
            **length,
        }
        for book, reward, honours, exposed, length in itertools.product(
            books,
            ("points", "tricks", "match", "settlement"),
            (False, True),
            (False, True),
            lengths,
        )
    ]


@pytest.mark.parametrize("players", PLAYERS)
def test_random_play_agrees_with_the_oracle_at_every_step(players: int) -> None:
    options = ways(players)
    tables = Tables(new_game(players=players), len(options), seed=1, observations=False)
    for record, how in zip(tables.records, options, strict=True):
        record["options"] = ChineseWhistOptions(**how).as_integers()
    referees = [ChineseReferee(how) for how in options]
    batch = tables.reset()
    fresh = [True] * len(options)
    deals_finished = 0
    games = 0
    for _ in range(53 * 6):
        actions = tables.sample_actions()
        masks = batch.action_mask.copy()
        for index, (referee, record) in enumerate(
            zip(referees, tables.records, strict=True)
        ):
            if fresh[index]:
                referee.follow(record)
            assert referee.match is not None
            assert record["agent"] == record["seat"] == referee.agent()
            assert np.flatnonzero(masks[index]).tolist() == referee.legal_actions()
            assert record["points"].tolist() == referee.match.scores
        deals = tables.records["deals_played"].copy()
        batch = tables.step(actions)
        for index, referee in enumerate(referees):
            earned = referee.play(int(actions[index]))
            assert batch.rewards[index].tolist() == earned
            done = bool(batch.done[index])
            after = tables.records["deals_played"][index]
            fresh[index] = done or bool(after > deals[index])
            deals_finished += int(fresh[index])
            if done:
                match = referee.match
                assert match is not None
                assert match.over
                finished = tables.finished[index]
                assert finished["points"].tolist() == match.scores
                assert finished["tricks"].tolist() == match.tricks
                firsts = np.flatnonzero(finished["winners"]).tolist()
                assert firsts == match.winners()
                games += match.options.episode == "game"
                referee.match = None
    assert deals_finished >= 500
    assert games > 10


@pytest.mark.parametrize("players", PLAYERS)
def test_bounds_hold_over_a_hundred_rich_deals(players: int) -> None:
    game = new_game(players=players, deals=100, honours=True)
    if players == 2:
        game = new_game(players=2, deals=100, honours=True, book=6)
    table = game.new_table(0)
    low, high = game.features.low, game.features.high
    while not table.is_over:
        seen = table.observe()
        assert (seen >= low).all()
        assert (seen <= high).all()
        table.apply(table.legal_actions()[-1])
    assert table.record.points.sum() > 100


def test_both_have_the_same_options() -> None:
    mine = {
        name: field.default
        for name, field in ChineseWhistOptions.__dataclass_fields__.items()
    }
    theirs = {
        name: field.default for name, field in Options.__dataclass_fields__.items()
    }
    assert {name: mine[name] for name in theirs} == theirs
    assert set(mine) - set(theirs) == {"dealer", "history", "shuffle"}
    assert list(CALLS) == [52, 53, 54, 55]
    assert new_game().action_names[52:] == ("clubs", "diamonds", "hearts", "spades")


# Positions to begin from, and options -----------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_a_given_deal_is_laid_exactly(players: int) -> None:
    for seed in range(10):
        deal = layout(players, {}, seed)
        for dealer in range(players):
            game = new_game(players=players)
            record = game.new_table(seed, deal=deal, dealer=dealer).record
            for seat, text in enumerate(deal.split(",")):
                parts = text.split()
                piles = [part.split("/") for part in parts if "/" in part]
                down = {part for part in parts if "/" not in part}
                assert names(record.exposed[seat]) == [up for up, _ in piles]
                assert names(record.covered[seat]) == [under for _, under in piles]
                assert set(names(members(record.down[seat]))) == down
            cards = [card for card in record.pack.tolist() if card >= 0]
            assert sorted(names(cards)) == sorted(pack(players))
            assert record.dealer == record.agent == dealer


GIVEN = layout(4, {(0, "down0"): "SA"})


@pytest.mark.parametrize(
    ("options", "position", "message"),
    [
        ({}, {"dealer": 4}, "dealer=4 is not a seat"),
        ({"players": 3}, {"dealer": 3}, "the seats are 0 to 2"),
        ({}, {"scores": (1, 1)}, "scores= belongs to a game"),
        ({"episode": "game"}, {"scores": (10, 0)}, "2 whole numbers from 0 to 9"),
        ({"episode": "game"}, {"scores": (1, 2, 3)}, "one for each side"),
        ({"episode": "game"}, {"scores": 3}, "2 whole numbers"),
        (
            {"episode": "game", "players": 3, "target": 5},
            {"scores": (1, 5, 0)},
            "3 whole numbers from 0 to 4, one for each player",
        ),
        ({}, {"deal": "SA/H2"}, "must be the cards of 4 players"),
        ({}, {"deal": 7}, "must be the cards of 4 players"),
        ({}, {"deal": "SA/H2, , ,"}, "seat 0 has 1 piles .* and 0 down"),
        ({}, {"deal": GIVEN.replace("SA", "S1")}, "'S1' is not a card"),
        ({}, {"deal": GIVEN.replace("SA", "SK")}, "SK is in the deal twice"),
        ({"players": 3}, {"deal": GIVEN}, "must be the cards of 3 players"),
        (
            {"players": 3},
            {"deal": layout(3, {(0, "up0"): "SA"}).replace("SA", "S2")},
            "S2 is not in the pack",
        ),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_changes_nothing(
    options: dict[str, Any], position: dict[str, Any], message: str
) -> None:
    table = new_game(**options).new_table(9)
    table.apply(table.legal_actions()[0])
    before = table.to_bytes()
    with pytest.raises(ValueError, match=message):
        table.reset(seed=4, **position)
    assert table.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"players": 5}, ValueError, "players=5 must be a whole number from 2 to 4"),
        ({"players": 3, "dealer": 3}, ValueError, "with players=3 the seats are 0 to"),
        ({"dealer": 4}, ValueError, "dealer=4 must be .* from 0 to 3"),
        ({"book": 5}, ValueError, "book=5 is not one for players=4; take 6$"),
        ({"players": 3, "book": 13}, ValueError, "players=3; take 6 or 5"),
        ({"players": 2, "book": 5}, ValueError, "players=2; take 13 or 6"),
        ({"book": 14}, ValueError, "book=14 must be .* from 5 to 13, or None"),
        ({"target": 5}, ValueError, "only with episode='game'"),
        ({"deals": 2, "episode": "game"}, ValueError, "only with episode='deal'"),
        ({"reward": "stake"}, ValueError, "'match' or 'settlement'"),
        ({"honours": "yes"}, ValueError, "honours='yes'"),
        ({"episode": "rubber"}, ValueError, "'deal' or 'game'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        new_game(**options)


def test_illegal_actions_are_refused_in_words() -> None:
    table = new_game().new_table(0)
    with pytest.raises(IllegalAction, match="name trumps: clubs, diamonds, hearts"):
        table.apply(0)
    play(table, "diamonds")
    with pytest.raises(IllegalAction, match="named already: diamonds"):
        play(table, "spades")
