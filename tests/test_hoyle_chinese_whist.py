"""The rule-of-thumb player of Chinese Whist: what it knows, and each maxim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whist_agents
import whist_env
from whist_agents import hoyle
from whist_agents.hoyle.chinese_whist import choose, reflect
from whist_agents.hoyle.mind import new_mind, read
from whist_agents.hoyle.questions import opponents
from whist_env import Tables, Views
from whist_env.cards import CARDS, card_name, parse_card
from whist_env.envs.play import view_of
from whist_train.evaluate import evaluate

HOYLE = whist_agents.load("hoyle")
NAME = "chinese_whist"
PILES = {4: 6, 3: 8, 2: 12}
PLAYERS = pytest.mark.parametrize("players", [4, 3, 2])


def table_of(
    *seats: str, covers: int = 0, dealer: int = 0, players: int = 4, **options: Any
) -> Any:
    """A table where seats show these cards; the last one or two are down cards.

    Other cards lie face down, in an order that `covers` gives.
    """
    game = whist_env.game(NAME, players=players, **options)
    shown = [text.split() for text in seats]
    pack = set(range(CARDS)) - ({parse_card("S2")} if players == 3 else set())
    left = sorted(pack - {parse_card(card) for cards in shown for card in cards})
    hidden = np.random.default_rng(covers).permutation(left).tolist()
    piles = PILES[players]
    deal = ", ".join(
        " ".join(
            [f"{card}/{card_name(hidden.pop())}" for card in cards[:piles]]
            + cards[piles:]
        )
        for cards in shown
    )
    return game.new_table(seed=0, deal=deal, dealer=dealer)


def act(table: Any) -> str:
    """What hoyle does at a table, by its name."""
    game = table.game
    action = int(HOYLE.act(view_of(table, table.agent))[0])
    return str(game.action_names[action])


# Naming trumps ------------------------------------------------------------------------


def test_the_dealer_names_its_longest_and_best_suit() -> None:
    table = table_of(
        "SA SK SQ S9 H4 D3 C2",
        "H5 H6 D4 D5 C3 C4 D9",
        "H7 H8 D6 D7 C5 C6 S8",
        "H9 HT D8 DT C7 C8 S7",
    )
    assert act(table) == "spades"


def test_the_down_card_of_the_dealer_counts() -> None:
    others = (
        "D4 D5 D6 C3 C4 C5 H9",
        "D7 D8 D9 C6 C7 C8 H6",
        "DT DJ DQ C9 CT CJ S7",
    )
    assert act(table_of("SA SK HK HQ D3 C2 HA", *others)) == "hearts"
    assert act(table_of("SA SK HK HQ D3 C2 SQ", *others)) == "spades"


def test_what_partner_shows_counts_for_a_suit_and_what_opponents_show_against() -> None:
    mine = "SA SK SQ HA HK HQ D2"
    hearts, spades = "H4 H5 H6 D5 C3 C4 C9", "S4 S5 S6 D6 C5 C6 CT"
    rest = "D7 D8 D9 DT C7 C8 CJ"
    assert act(table_of(mine, rest, hearts, spades)) == "hearts"
    assert act(table_of(mine, spades, hearts, rest)) == "hearts"
    assert act(table_of(mine, rest, spades, hearts)) == "spades"


def test_without_partners_all_others_count_against_a_suit() -> None:
    mine = "SA SK SQ HA HK HQ D3 C2 C3"
    hearts, rest = "H4 H5 H6 D5 C7 C4 D6 C6 C9", "D7 D8 D9 DT C8 C5 CJ CQ CT"
    assert act(table_of(mine, hearts, rest, players=3)) == "spades"
    assert act(table_of(mine, rest, hearts, players=3)) == "spades"


def test_two_players_name_against_each_other() -> None:
    mine = "SA SK SQ HA HK HQ D3 C2 C3 D2 C4 D4 D5 C5"
    hearts = "H4 H5 H6 H7 C7 C6 D6 D7 D8 C8 D9 C9 CJ DJ"
    assert act(table_of(mine, hearts, players=2)) == "spades"


def test_honours_weigh_more_where_they_are_scored() -> None:
    seats = (
        "HA HK HQ CT C9 C8 C7",
        "S5 S6 D4 D5 S2 S3 D9",
        "S7 S4 D6 D7 D2 D3 S8",
        "S9 ST D8 DT DJ SJ SQ",
    )
    assert act(table_of(*seats)) == "clubs"
    assert act(table_of(*seats, honours=True)) == "hearts"


def test_what_lies_face_down_does_not_change_the_trumps() -> None:
    seats = (
        "SA SK H9 HQ D3 C2 C9",
        "S5 S6 D4 D5 C3 C4 H8",
        "S7 D6 D7 D8 C5 C6 H6",
        "S8 S9 D9 DT C7 C8 H7",
    )
    named = {act(table_of(*seats, covers=covers)) for covers in range(20)}
    assert len(named) == 1


# What it knows ------------------------------------------------------------------------


@PLAYERS
@pytest.mark.parametrize("history", ["all", "last_trick"])
def test_what_it_knows_of_other_hands_is_true(players: int, history: str) -> None:
    game = whist_env.game(NAME, players=players, history=history)
    tables = Tables(game, 60, seed=1, dtype=np.int8)
    batch = tables.reset()
    certain = 0
    for _ in range(45):
        for index in range(60):
            mind = new_mind(players)[0]
            read(batch.observation[index], batch.action_mask[index], mind)
            reflect(batch.observation[index], mind)
            record = tables.records[index]
            for place in range(1, players):
                seat = (int(record["agent"]) + place) % players
                hand, down = record["hands"][seat], record["down"][seat]
                assert mind.holds[place] == hand & ~down
                assert hand & ~mind.may_hold[place] == 0
                certain += mind.may_hold[place] == hand
        batch = tables.step(tables.sample_actions())
    assert certain > 100


def test_partners_are_four_only() -> None:
    for players, against in ((4, 0b1010), (3, 0b110), (2, 0b10)):
        game = whist_env.game(NAME, players=players)
        tables = Tables(game, 1, seed=1, dtype=np.int8)
        batch = tables.reset()
        mind = new_mind(players)[0]
        read(batch.observation[0], batch.action_mask[0], mind)
        reflect(batch.observation[0], mind)
        assert opponents(mind) == against


# Play against hands that lie open -----------------------------------------------------

# Clubs are trumps; seat 3 deals and seat 0 leads.
SHOWN = (
    "S9 D4 D5 H4 H5 H6 D6",
    "SQ S2 SA D7 D8 H7 D9",
    "S8 S3 S4 DJ DQ H8 H9",
    "S7 S6 S5 DK C2 HJ HT",
)


def after(seats: tuple[str, ...], *played: str, trump: str = "clubs") -> Any:
    """The table when trumps are named and these cards are played."""
    players = len(seats)
    table = table_of(*seats, dealer=players - 1, players=players)
    table.apply(table.game.action_names.index(trump))
    for card in played:
        table.apply(parse_card(card))
    return table


def test_the_cheapest_card_wins_that_is_above_what_the_others_show() -> None:
    assert act(after(SHOWN, "S9")) == "SQ"


def test_partners_winner_is_left_alone_where_the_last_hand_shows_nothing_higher() -> (
    None
):
    assert act(after(SHOWN, "S9", "S2")) in ("S3", "S4")


def test_the_last_hand_throws_its_lowest_where_it_cannot_win() -> None:
    assert act(after(SHOWN, "S9", "S2", "S3")) == "S5"


@PLAYERS
def test_a_lead_that_nobody_shows_a_higher_card_against_is_preferred(
    players: int,
) -> None:
    tables = Tables(
        whist_env.game(NAME, players=players, dealer=players - 1),
        400,
        seed=2,
        dtype=np.int8,
    )
    batch = tables.reset()
    game = tables.game
    views = Views(game, batch.observation, batch.action_mask, np.zeros(400, np.uint64))
    batch = tables.step(HOYLE.act(views))
    views = Views(game, batch.observation, batch.action_mask, np.zeros(400, np.uint64))
    led = HOYLE.act(views)
    exposed = game.features.part(batch.observation, "exposed").astype(bool)
    assert (exposed.sum((1, 2)) == players * PILES[players]).all()
    against = (1, 3) if players == 4 else range(1, players)
    others = exposed[:, list(against)].any(1)
    beaten, all_beaten = [], []
    for row, card in enumerate(led):
        suit = slice(13 * (card // 13), 13 * (card // 13) + 13)
        beaten.append(others[row, card + 1 : suit.stop].any())
        mine = np.flatnonzero(exposed[row, 0])
        over = [others[row, c + 1 : 13 * (c // 13) + 13].any() for c in mine]
        all_beaten.append(np.mean(over))
    assert np.mean(beaten) < np.mean(all_beaten) - 0.2


# All together -------------------------------------------------------------------------

OPTIONS = [
    {},
    {"players": 3},
    {"players": 2},
    {"honours": True, "deals": 2, "shuffle": "gather_and_cut"},
    {"exposed_leads_only": True, "players": 3},
    {"exposed_leads_only": True, "players": 2, "history": "last_trick"},
    {"episode": "game", "target": 5, "history": "last_trick"},
    {"players": 2, "book": 6, "honours": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_action_is_legal(options: Any) -> None:
    game = whist_env.game(NAME, **options)
    tables = Tables(game, 100, seed=3, dtype=np.int8)
    batch = tables.reset()
    rng = np.random.default_rng(0)
    for _ in range(110):
        views = Views(
            game, batch.observation, batch.action_mask, np.zeros(100, np.uint64)
        )
        actions = HOYLE.act(views)
        assert batch.action_mask[np.arange(100), actions].all()
        at_random = rng.random(100) < 0.5
        batch = tables.step(np.where(at_random, tables.sample_actions(), actions))


@PLAYERS
@pytest.mark.parametrize("plies", [0, 1, 10, 31])
def test_the_maxims_play_alike_in_plain_python_and_compiled(
    players: int, plies: int
) -> None:
    game = whist_env.game(NAME, players=players)
    tables = Tables(game, 6, seed=4, dtype=np.int8)
    batch = tables.reset()
    for _ in range(plies):
        batch = tables.step(tables.sample_actions())
    options = hoyle.table_of(game)[0][0]
    plain = [
        choose(row, mask, options, new_mind(players)[0])
        for row, mask in zip(batch.observation, batch.action_mask, strict=True)
    ]
    views = Views(game, batch.observation, batch.action_mask, np.zeros(6, np.uint64))
    assert plain == HOYLE.act(views).tolist()


@pytest.mark.parametrize(("players", "least"), [(4, 2.0), (3, 1.4), (2, 3.4)])
def test_beats_random_play_clearly(players: int, least: float) -> None:
    judged = evaluate("hoyle", "random", game=NAME, deals=400, seed=5, players=players)
    assert judged.estimates["points"].low > least
