"""Worlds of German and of Chinese Whist: all that can be, and each as likely."""

from __future__ import annotations

import collections
import functools
import importlib
import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from test_chinese_whist import layout
from test_german_whist import given, play

import whist_env
from whist_env import Table
from whist_env.cards import CARDS, card_name, members, parse_card
from whist_env.engine.compile import bind
from whist_env.worlds import Worlds

Actions = list[int]
Position = tuple[Table, Actions, Table]
"""The start of an episode, what was done since, and the table now."""

FORMS: list[dict[str, Any]] = [
    {"name": "german_whist"},
    {"name": "german_whist", "count": "last13", "deals": 2, "ranks": 8, "suits": 3},
    {"name": "chinese_whist", "players": 4, "deals": 2},
    {"name": "chinese_whist", "players": 3, "exposed_leads_only": True},
    {"name": "chinese_whist", "players": 2},
]
NAMES = ["german", "small_german", "chinese_4", "chinese_3", "chinese_2"]
forms = pytest.mark.parametrize("form", FORMS, ids=NAMES)


# Positions, and what is seen of them ------------------------------------------------


def deal_again(memory: Any, pack: Any) -> None:
    """Deal a pack at a table; `deal_out` is the game's."""
    table = memory.view(RECORD)[0]  # type: ignore[name-defined]  # noqa: F821
    for place in range(pack.size):
        table.pack[place] = pack[place]
    deal_out(table)  # type: ignore[name-defined]  # noqa: F821


@functools.cache
def dealing(rules: Any) -> Any:
    module = importlib.import_module(f"whist_env.games.{rules.name}")
    names = {"RECORD": rules.record, "deal_out": module.deal_out}
    return bind(deal_again, rules.name, f"{rules.name}_{rules.agents}", names)


def dealt_again(start: Table, pack: npt.NDArray[np.int8]) -> Table:
    """The start of a deal with another pack."""
    table = start.clone()
    dealing(start.game.rules)(table._memory, pack)
    return table


def at(start: Table, record: Any) -> Table:
    """A table in the position of a record."""
    return Table(start.game, np.frombuffer(record.tobytes(), np.uint8).copy())


def choose(table: Table, rng: random.Random) -> int:
    """An action that makes for proofs: short suits go first, and down cards last."""
    legal = table.legal_actions()
    if "down" in table.record.dtype.names:
        down = int(table.record.down[table.agent])
        legal = [card for card in legal if not down >> card & 1] or legal
    held = [card // 13 for card in members(table.record.hands[table.agent])]
    shortest = min(held.count(card // 13) for card in legal)
    short = [card for card in legal if held.count(card // 13) == shortest]
    return rng.choice(short if rng.random() < 0.7 else legal)


def play_on(start: Table, steps: int, rng: random.Random) -> Position:
    """Play at random, so many steps, but not beyond the first deal."""
    table, actions = start.clone(), []
    for _ in range(steps):
        before = table.clone()
        table.apply(action := choose(table, rng))
        if table.is_over or table.record.deals_played > 0:
            return start, actions, before
        actions.append(action)
    return start, actions, table


def positions(form: dict[str, Any], seeds: int, first: int = 0) -> Iterator[Position]:
    """Random positions, from so many actions on."""
    game = whist_env.game(**form)
    for seed in range(seeds):
        rng = random.Random(seed)
        yield play_on(game.new_table(seed), rng.randrange(first, CARDS), rng)


def sights(start: Table, actions: Actions, agent: int) -> Iterator[npt.NDArray[Any]]:
    """What an agent observes, and its mask, at each step while all is legal."""
    table = start.clone()
    size = table.game.features.size
    for action in [*actions, None]:
        seen = np.empty(size + table.game.num_actions, np.int8)
        table.see(agent, seen[:size], seen[size:])
        yield seen
        if action is None or action not in table.legal_actions():
            return
        table.apply(action)


def sees_the_same(
    before: list[npt.NDArray[Any]], other: Table, actions: Actions, agent: int
) -> bool:
    """Whether another deal gives an agent these sights at every step."""
    after = sights(other, actions, agent)
    return all(
        sight is not None and np.array_equal(sight, seen)
        for seen, sight in itertools.zip_longest(before, after)
    )


def hidden_places(start: Table, actions: Actions, agent: int) -> list[int]:
    """Places of the pack whose cards were never in the agent's hand or face up."""
    seen = np.zeros(CARDS, bool)
    size = start.game.features.size
    for sight in sights(start, actions, agent):
        shown = start.game.features.named(sight[:size])
        seen |= shown["hand"] > 0
        if "face_up" in shown:
            seen |= (shown["face_up"] > 0) | (shown["known"] > 0).any(axis=0)
        else:
            seen |= (shown["exposed"] > 0).any(axis=0)
    pack = start.record.pack
    return [
        place for place in range(CARDS) if pack[place] >= 0 and not seen[pack[place]]
    ]


def replayed(start: Table, actions: Actions) -> Table:
    table = start.clone()
    for action in actions:
        table.apply(action)
    return table


def talon_places(record: Any) -> slice:
    """The places of the pack whose order matters besides what lies where."""
    is_german = "drawn" in record.dtype.names
    dealt = sum(len(list(members(cards))) for cards in record.dealt)
    return slice(dealt, CARDS) if is_german else slice(CARDS, CARDS)


def content(record: Any) -> bytes:
    """What makes a world: all but its seed, and in which order a hand was dealt."""
    own = record.copy()
    own["seed"] = 0
    own["pack"] = 0
    talon = talon_places(record)
    own["pack"][talon] = record.pack[talon]
    return bytes(own.tobytes())


def all_worlds(position: Position, agent: int, most: int) -> set[bytes] | None:
    """Every world, by dealing every pack; nothing if there are too many packs."""
    start, actions, _ = position
    hidden = hidden_places(start, actions, agent)
    cards = [int(start.record.pack[place]) for place in hidden]
    in_hand = sum(place < talon_places(start.record).start for place in hidden)
    if start.game.name != "german_whist":
        in_hand = 0
    packs = math.factorial(len(cards)) // math.factorial(in_hand)
    if packs > most:
        return None
    before = list(sights(start, actions, agent))
    found = set()
    for hand in itertools.combinations(cards, in_hand):
        for rest in itertools.permutations([c for c in cards if c not in hand]):
            pack = start.record.pack.copy()
            pack[hidden] = [*hand, *rest]
            other = dealt_again(start, pack)
            if sees_the_same(before, other, actions, agent):
                found.add(content(replayed(other, actions).record))
    return found


def check_frequencies(seen: collections.Counter[bytes], number: int) -> None:
    """Whether so many outcomes are equally likely, by a chi-square test."""
    expected = seen.total() / number
    chi_square = sum((times - expected) ** 2 / expected for times in seen.values())
    chi_square += expected * (number - len(seen))
    freedom = number - 1
    assert chi_square < freedom + 4 * math.sqrt(2 * freedom) + 8


# Every world, and each as likely ----------------------------------------------------


def check_against_all(position: Position, agent: int, most: int) -> int:
    """Compare with every pack; returns the number of worlds, 0 if not compared."""
    expected = all_worlds(position, agent, most)
    if expected is None:
        return 0
    worlds = Worlds(position[2], agent)
    assert worlds.count == len(expected)
    samples = worlds.sample(40 * len(expected), seed=1)
    seen = collections.Counter(map(content, samples))
    assert set(seen) <= expected
    check_frequencies(seen, len(expected))
    return len(expected)


@pytest.mark.parametrize(("ranks", "suits"), [(4, 2), (3, 4), (6, 2), (4, 4)])
def test_small_packs_of_german_whist_have_exactly_the_worlds_that_can_be(
    ranks: int, suits: int
) -> None:
    form = {"name": "german_whist", "ranks": ranks, "suits": suits}
    numbers = []
    for seed in range(25):
        rng = random.Random(seed)
        start = whist_env.game(**form).new_table(seed)
        position = play_on(start, rng.randrange(ranks * suits), rng)
        numbers += [check_against_all(position, agent, 800) for agent in range(2)]
    assert sum(number > 0 for number in numbers) > 20
    assert max(numbers) > 20


@pytest.mark.parametrize("players", [4, 3, 2])
def test_chinese_whist_has_exactly_the_worlds_that_can_be(players: int) -> None:
    form = {"name": "chinese_whist", "players": players}
    numbers = []
    for position in positions(form, 30, first=38):
        numbers += [check_against_all(position, agent, 120) for agent in range(players)]
    assert sum(number > 0 for number in numbers) > 30
    assert sum(number > 1 for number in numbers) > 20


# Counting full packs in another way -------------------------------------------------


def windows(record: Any, agent: int) -> list[tuple[bool, list[int], bool]]:
    """Of each card that may be in three places of German Whist: in which.

    Whether it may have been dealt to the other player, the tricks after which he may
    have drawn it unseen, and whether it may be left in the talon.
    """
    other = 1 - agent
    public = int(record.taken[0] | record.taken[1])
    seen = public | int(record.dealt[agent] | record.drawn[agent])
    if record.face_up >= 0:
        seen |= 1 << int(record.face_up)
    draws = [int(record.drawn_after[c]) for c in members(record.taken[agent])]
    played = record.history[: record.cards_played].tolist()
    denied = [
        (trick, played[2 * trick - 2] // 13)
        for trick in range(1, len(played) // 2 + 1)
        if record.history_seats[2 * trick - 1] == other
        and played[2 * trick - 1] // 13 != played[2 * trick - 2] // 13
    ]
    found = []
    for card in (int(c) for c in record.pack if c >= 0 and not seen >> int(c) & 1):
        until = played.index(card) // 2 + 1 if card in played else 99
        gone = max((t for t, s in denied if s == card // 13 and t <= until), default=0)
        drawn = [trick for trick in draws if gone <= trick < until]
        found.append((gone == 0, drawn, card not in played))
    return found


def ways(cards: list[tuple[bool, list[int], bool]], dealt: int, talon: int) -> int:
    """How many ways there are to put cards in their places, card by card."""
    numbers = {(dealt, frozenset[int](), talon): 1}
    for may_be_dealt, draws, may_be_left in cards:
        after: collections.Counter[Any] = collections.Counter()
        for (room, filled, left), number in numbers.items():
            if may_be_dealt and room:
                after[room - 1, filled, left] += number
            if may_be_left and left:
                after[room, filled, left - 1] += number
            for draw in draws:
                if draw not in filled:
                    after[room, filled | {draw}, left] += number
        numbers = dict(after)
    return sum(numbers.values())


def test_worlds_of_german_whist_are_as_many_as_counted_card_by_card() -> None:
    compared = 0
    for _, _, table in positions({"name": "german_whist"}, 60, first=12):
        record = table.record
        for agent in range(2):
            draws = len(list(members(record.taken[agent])))
            if draws > 9:
                continue
            cards = windows(record, agent)
            talon = len(cards) - 13 - draws
            expected = ways(cards, 13, talon) * math.factorial(talon)
            assert Worlds(table, agent).count == expected
            compared += any(not first for first, _, _ in cards)
    assert compared > 20


@pytest.mark.parametrize("players", [4, 3, 2])
def test_worlds_of_chinese_whist_are_as_many_as_counted_down_card_by_down_card(
    players: int,
) -> None:
    compared = 0
    form = {"name": "chinese_whist", "players": players}
    for _, _, table in positions(form, 40, first=10):
        record = table.record
        for agent in range(players):
            unseen = [int(card) for card in np.ravel(record.covered) if card >= 0]
            owners = []
            for seat in set(range(players)) - {agent}:
                down = list(members(record.down[seat]))
                unseen += down
                owners += [seat] * len(down)
            number = sum(
                all(
                    not record.down_voids[seat] >> (card // 13) & 1
                    for seat, card in zip(owners, cards, strict=True)
                )
                for cards in itertools.permutations(unseen, len(owners))
            )
            number //= 2 if len(owners) > len(set(owners)) else 1
            number *= math.factorial(len(unseen) - len(owners))
            assert Worlds(table, agent).count == number
            compared += any(record.down_voids[seat] for seat in owners)
    assert compared > 20


def test_the_largest_number_of_ways_in_german_whist_fits_its_word() -> None:
    """Thirteen cards are dealt, some are drawn one by one, the others are left."""
    most = 0
    for tricks in range(14):
        talon = max(0, 25 - 2 * tricks)
        unknown = 13 + tricks + talon
        orders = math.factorial(unknown) // math.factorial(13)
        most = max(most, orders // math.factorial(talon))
    assert most < 2**59


# Worlds are positions that the rules produce ----------------------------------------


@forms
def test_samples_dealt_again_replay_the_history_and_look_the_same(
    form: dict[str, Any],
) -> None:
    replays = 0
    for start, actions, table in positions(form, 50):
        for agent in range(start.game.num_agents):
            before = list(sights(start, actions, agent))
            for record in Worlds(table, agent).sample(50 // start.game.num_agents, 7):
                other = dealt_again(start, record.pack)
                after = list(sights(other, actions, agent))
                assert np.array_equal(before, after)
                end = replayed(other, actions).record.copy()
                end["seed"] = record.seed
                assert end.tobytes() == record.tobytes()
                replays += 1
    assert replays > 2000


@forms
def test_samples_of_a_world_are_those_of_the_table(form: dict[str, Any]) -> None:
    """Other unseen cards change nothing: drawn ones, and ones that changed places."""
    rng = random.Random(0)
    twins = 0
    for start, actions, table in positions(form, 12):
        agent = rng.randrange(start.game.num_agents)
        expected = Worlds(table, agent).sample(20, seed=3).tobytes()
        for record in Worlds(table, agent).sample(10, seed=4):
            there = Worlds(at(start, record), agent)
            assert there.sample(20, seed=3).tobytes() == expected
        pack = start.record.pack.copy()
        hidden = hidden_places(start, actions, agent)
        before = list(sights(start, actions, agent))
        for _ in range(30 if len(hidden) > 1 else 0):
            changed = pack.copy()
            one, other = rng.sample(hidden, 2)
            changed[[one, other]] = changed[[other, one]]
            twin = dealt_again(start, changed)
            if sees_the_same(before, twin, actions, agent):
                pack = changed
                there = Worlds(replayed(twin, actions), agent)
                assert there.sample(20, seed=3).tobytes() == expected
                twins += 1
    assert twins > 30


@forms
def test_nobody_foresees_the_next_deal(form: dict[str, Any]) -> None:
    start = whist_env.game(**{**form, "deals": 2}).new_table(0)
    _, _, table = play_on(start, 10, random.Random(0))
    packs = set()
    for record in Worlds(table).sample(20, seed=0):
        assert record.seed != table.record.seed
        world = at(start, record)
        while world.record.deals_played == 0:
            world.apply(world.legal_actions()[0])
        packs.add(bytes(world.record.pack))
    assert len(packs) == 20


# Chances ----------------------------------------------------------------------------


def place_of_each(record: Any) -> npt.NDArray[np.float64]:
    """By place and card, whether the card lies there, in the order of the places."""
    sets = [list(members(hand)) for hand in record.hands]
    if "drawn" in record.dtype.names:
        gone = int(record.dealt[0] | record.dealt[1] | record.taken[0])
        gone |= int(record.taken[1] | record.drawn[0] | record.drawn[1])
        sets.append([int(c) for c in record.pack if c >= 0 and not gone >> int(c) & 1])
    else:
        sets += [[int(card) for card in row if card >= 0] for row in record.covered]
    found = np.zeros((len(sets), CARDS))
    for place, cards in enumerate(sets):
        found[place, cards] = 1
    return found


@forms
def test_marginals_are_the_frequencies_of_samples(form: dict[str, Any]) -> None:
    number = 1500
    uncertain = 0
    for _, _, table in positions(form, 8):
        worlds = Worlds(table)
        chances = worlds.marginals()
        here = place_of_each(table.record)
        assert chances.shape == here.shape == (len(worlds.places), CARDS)
        assert chances.sum(axis=1) == pytest.approx(here.sum(axis=1))
        assert chances.sum(axis=0) == pytest.approx(here.sum(axis=0))
        samples = worlds.sample(number, seed=5)
        seen = sum(map(place_of_each, samples)) / number
        deviation = np.sqrt(chances * (1 - chances) / number)
        assert (abs(seen - chances) <= 5 * deviation + 1e-12).all()
        uncertain += int((deviation > 0).sum())
    assert uncertain > 40


def test_places_are_named_in_the_order_of_the_marginals() -> None:
    german = Worlds(whist_env.game("german_whist").new_table(0))
    assert german.places == ("hand of player_0", "hand of player_1", "talon")
    game = whist_env.game("chinese_whist", players=2)
    assert Worlds(game.new_table(0)).places == (
        *("hand of player_0", "hand of player_1"),
        *("cards face down of player_0", "cards face down of player_1"),
    )


# Dead ends and what is proven --------------------------------------------------------


def test_a_suit_not_followed_and_played_later_was_drawn_in_between() -> None:
    """Clubs are trumps and player 0 wins every trick with an ace or a king.

    Player 1 has neither clubs nor diamonds, draws the club five and then the diamond
    five, and has to follow with each; two other cards are drawn as well.
    """
    first = "CA CK CQ CJ DA DK DQ DJ H2 H3 H4 H5 H6"
    second = "H7 H8 H9 HT HJ HQ HK HA S2 S3 S4 S5 S6"
    talon = "C2 C5 C3 D5 C4 S7 C6 S8"
    table = given(first, second, talon, dealer=1)
    play(table, "CA H7 DA H8")
    assert Worlds(table, 0).marginals()[1, parse_card("D2")] < 0.5
    play(table, "CK C5 DK D5")
    after = collections.Counter()
    worlds = Worlds(table, 0)
    samples = worlds.sample(4000, seed=0)
    for record in samples:
        assert not any(card < 26 for card in members(record.dealt[1]))
        after[tuple(record.drawn_after[[parse_card("C5"), parse_card("D5")]])] += 1
    assert set(after) == {(1, 2), (1, 3), (2, 3)}
    assert worlds.count == ways(windows(table.record, 0), 13, 17) * math.factorial(17)
    assert Worlds(table, 1).marginals()[0, parse_card("CQ")] > 0


def test_a_card_that_only_one_draw_can_have_brought_is_never_drawn_elsewhere() -> None:
    """Player 1 lacks clubs at the first trick and follows with one at the next."""
    first = "CA CK CQ CJ DA DK DQ DJ H2 H3 H4 H5 H6"
    second = "H7 H8 H9 HT HJ HQ HK HA S2 S3 S4 S5 S6"
    table = given(first, second, "C2 C5 C3 C7 C4 S7 C6 S8", dealer=1)
    play(table, "CA H7 CK C5 CQ C7 CJ S2")
    for record in Worlds(table, 0).sample(300, seed=0):
        drawn = [card_name(card) for card in np.flatnonzero(record.drawn_after == 1)]
        assert drawn == ["C2", "C5"]
        drawn = [card_name(card) for card in np.flatnonzero(record.drawn_after == 2)]
        assert drawn == ["C3", "C7"]
        assert record.hands[1] & np.uint64(0x1FFF) & ~record.drawn[1] == 0
    # The winner of all tricks knows nothing of what the other drew last, but the other
    # knows all that he drew himself.
    own = [parse_card(card) for card in ("C5", "C7", "S7", "S8")]
    for record in Worlds(table, 1).sample(50, seed=0):
        assert record.drawn_after[own].tolist() == [1, 2, 3, 4]


def test_when_the_talon_is_gone_both_hands_are_known() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        start = whist_env.game("german_whist").new_table(seed)
        _, _, table = play_on(start, 26 + rng.randrange(20), rng)
        for agent in range(2):
            worlds = Worlds(table, agent)
            assert (worlds.hands(50, seed=1) == table.record.hands).all()
            assert set(worlds.marginals().ravel()) <= {0.0, 1.0}


def chinese(wanted: dict[tuple[int, str], str], voids: list[str]) -> Table:
    """Four players who have shown that they have no down cards of these suits."""
    game = whist_env.game("chinese_whist")
    table = game.new_table(0, deal=layout(4, wanted), dealer=0)
    record = table._memory.view(game.rules.record)[0]
    for seat, suits in enumerate(voids):
        record.down_voids[seat] = sum(1 << "CDHS".index(suit) for suit in suits)
    return table


HEARTS_FACE_UP = {
    (seat, f"up{pile}"): f"H{rank}"
    for (seat, pile), rank in zip(
        itertools.product(range(4), range(3)), "2346789TJQK", strict=False
    )
}


def test_down_cards_leave_each_other_what_they_must_have() -> None:
    """Two must have the last two hearts, so that the third, who might, has none."""
    down = {(1, "down0"): "H5", (2, "down0"): "HA", (3, "down0"): "S7"}
    table = chinese({**HEARTS_FACE_UP, **down}, ["", "CDS", "CDS", "CD"])
    worlds = Worlds(table, 0)
    unseen = [int(card) for card in np.ravel(table.record.covered)]
    spades = 1 + sum(card // 13 == 3 for card in unseen)
    assert worlds.count == 2 * spades * math.factorial(24)
    pairs = collections.Counter()
    for record in worlds.sample(2000, seed=0):
        (one,), (two,), (third,) = (members(cards) for cards in record.down[1:])
        pairs[card_name(one), card_name(two)] += 1
        assert third // 13 == 3
    assert set(pairs) == {("H5", "HA"), ("HA", "H5")}
    chances = worlds.marginals()
    assert chances[1:3, parse_card("H5")].tolist() == [0.5, 0.5]
    assert chances[3, parse_card("S7")] == pytest.approx(1 / spades)
    assert chances[4:, parse_card("H5")].sum() == 0


def test_what_lies_face_down_is_hidden_from_its_owner_and_proves_nothing() -> None:
    down = {(1, "down0"): "H5", (2, "down0"): "HA", (3, "down0"): "S7"}
    table = chinese({**HEARTS_FACE_UP, **down}, ["", "CDS", "CDS", "CD"])
    chances = Worlds(table, 3).marginals()
    face_down = [card for card in np.ravel(table.record.covered) if card // 13 == 1]
    assert len(face_down) > 2
    for card in face_down:
        # A diamond lies face down before anybody, even before those without one in
        # hand, or is the down card of the dealer, of whom nothing is proven.
        assert chances[[1, 2, 3], card].tolist() == [0, 0, 0]
        assert chances[0, card] > 0
        assert chances[4:, card] == pytest.approx([(1 - chances[0, card]) / 4] * 4)


def test_positions_that_cannot_be_are_refused() -> None:
    down = {(1, "down0"): "H5", (2, "down0"): "HA", (3, "down0"): "S7"}
    table = chinese({**HEARTS_FACE_UP, **down}, ["", "CDS", "CDS", "CDS"])
    with pytest.raises(ValueError, match="impossible position"):
        Worlds(table, 0)
    for form in FORMS:
        table = whist_env.game(**form).new_table(0)
        record = table._memory.view(table.game.rules.record)[0]
        # The card of another is put into the own hand as well.
        record.hands[0] |= record.hands[1]
        record.dealt[0] |= record.dealt[1]
        if "down" in record.dtype.names:
            record.down[0] |= record.down[1]
        with pytest.raises(ValueError, match="impossible position"):
            Worlds(table, 0)
