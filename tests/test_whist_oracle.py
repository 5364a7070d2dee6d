"""The engine against the slow, independent oracle, over thousands of random matches."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import oracle_whist as oracle
import pytest
from oracle_whist import Match
from whist_tables import whist_game

from whist_env.cards import card_set, members
from whist_env.envs.vector import Tables
from whist_env.games import whist
from whist_env.games.whist import WhistOptions

EPISODES = {
    scoring: ["deal", "game"] + ["rubber"] * (scoring in oracle.SCORINGS_WITH_RUBBER)
    for scoring in oracle.SCORINGS
}
REWARDS = oracle.CHOICES["reward"]
READINGS: dict[str, dict[str, Sequence[Any]]] = {
    "awl": {},
    "american": {},
    "hoyle7": {"count_order": ["tricks_first", "sum"]},
    "short5": {"surplus": ["lost", "carried"]},
    "to25": {},
    "robber": {
        "honours_counted": [5, 6],
        "rubber_bonus": [0, 10],
        "slam": ["bonus", "replaces_honours"],
        "sequence_holder": ["hand", "side"],
        "long_sequence": ["step", "per_card"],
        "trump_sequence_and_honours": ["both", "one"],
    },
}
"""The oracle's options by preset: every reading of every open point."""


def every_combination() -> Iterator[dict[str, Any]]:
    """Each preset with each length, reward and combination of readings."""
    for scoring in oracle.SCORINGS:
        readings = READINGS[scoring]
        for episode, reward, *values in itertools.product(
            [*EPISODES[scoring], 1, 3], REWARDS, *readings.values()
        ):
            length = {"deals": episode} if episode in (1, 3) else {"episode": episode}
            named = dict(zip(readings, values, strict=True))
            yield {"scoring": scoring, "reward": reward, **length, **named}


def some_combinations(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Of each preset and length equally many, half of them with another target."""
    by_kind = defaultdict(list)
    for options in every_combination():
        kind = (options["scoring"], options.get("episode"), options.get("deals"))
        by_kind[kind].append(options)
    chosen = [dict(rng.choice(kind)) for kind in by_kind.values() for _ in range(count)]
    for options in chosen[::2]:
        if "deals" not in options:
            options["target"] = rng.choice([1, 2, 3, 9, 15])
    return chosen


def as_integers(cards: Sequence[str]) -> int:
    return int(card_set(map(oracle.card_id, cards)))


def as_names(cards: int) -> list[str]:
    return [oracle.card_name(card) for card in members(cards)]


class Follower:
    """An oracle that follows one table of the engine, and compares at every step."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = oracle.Options(**options)
        self.match: Match | None = None

    def follow(self, record: Any) -> None:
        """The table is about to be played at: compare what stands on it."""
        if self.match is None:
            self.match = Match(self.options, dealer=int(record["dealer"]))
        if self.match.deal is None or self.match.deal.is_over:
            self.start_deal(record)
        deal = self.match.deal
        assert deal is not None
        assert record["dealer"] == deal.dealer == self.match.dealer
        assert record["agent"] == record["seat"] == deal.seat_to_move
        assert record["turned"] == oracle.card_id(deal.turned)
        assert whist.turned_card_lies_open(record) == deal.turned_card_on_table
        assert oracle.SUITS[record["trump"]] == deal.trump
        voids = [sum(1 << oracle.SUITS.index(s) for s in v) for v in deal.voids]
        assert record["voids"].tolist() == voids
        assert record["revokes"].tolist() == deal.revokes
        revoked = [sum(1 << oracle.SUITS.index(s) for s in v) for v in deal.revoked]
        assert record["revoked"].tolist() == revoked
        won = record["tricks_won"].tolist()
        assert [won[0] + won[2], won[1] + won[3]] == deal.tricks
        assert record["hands"].tolist() == [as_integers(h) for h in deal.hands]
        self.compare_match(record)

    def start_deal(self, record: Any) -> None:
        assert self.match is not None
        hands = [as_names(hand) for hand in record["dealt"].tolist()]
        self.match.start_deal(hands, oracle.card_name(int(record["turned"])))

    def compare_match(self, record: Any) -> None:
        match = self.match
        assert match is not None
        if self.options.deals is None:
            assert record["score"].tolist() == match.scores
        assert record["games"].tolist() == match.games
        assert record["points"].tolist() == match.totals
        assert record["above"].tolist() == match.above
        assert record["deals_played"] == match.deals_scored
        assert record["over"] == match.over
        if self.options.scoring == "short5":
            assert record["rubber_points"].tolist() == match.rubber_points
        assert record["settlement"].tolist() == match.settlement
        winner = -1 if match.winner is None else match.winner
        assert record["winning_side"] == winner

    def legal(self) -> list[int]:
        assert self.match is not None
        assert self.match.deal is not None
        return sorted(map(oracle.card_id, self.match.deal.legal_cards()))

    def play(self, card: int) -> list[int]:
        assert self.match is not None
        return self.match.play(oracle.card_name(card))

    def finish(self, record: Any) -> None:
        """The table has ended an episode; the next begins with a new match."""
        assert self.match is not None
        assert self.match.over
        self.compare_match(record)
        self.match = None


def mixed_tables(options: list[dict[str, Any]], seed: int) -> Tables:
    """Tables that each have options of their own."""
    tables = Tables(whist_game(), len(options), seed=seed, observations=False)
    for record, how in zip(tables.records, options, strict=True):
        record["options"] = WhistOptions(**how).as_integers()
    return tables


def revoking(rng: random.Random) -> list[dict[str, Any]]:
    """Every preset, length and penalty where players may revoke."""
    ways = [
        {"scoring": scoring, "revokes": "penalty", "revoke_penalty": penalty}
        | ({"deals": length} if length in (1, 3) else {"episode": length})
        for scoring in oracle.SCORINGS
        for penalty in oracle.CHOICES["revoke_penalty"]
        for length in [*EPISODES[scoring], 1, 3]
    ]
    ways = [how | {"reward": rng.choice(REWARDS)} for how in ways]
    return [how for how in ways if costs_something(oracle.Options(**how))]


def costs_something(options: oracle.Options) -> bool:
    """Whether a revoke can cost anything; what cannot is refused."""
    if options.reward == "tricks" and "tricks" not in options.penalty:
        return False
    return options.penalty != "deduct_three" or options.episode != "deal"


def with_small_packs(rng: random.Random) -> list[dict[str, Any]]:
    """Smaller games of every size, some of them with revokes."""
    return [
        {
            "scoring": rng.choice(["awl", "american", "to25"]),
            "reward": rng.choice(REWARDS),
            "ranks": ranks,
            "suits": suits,
            "revokes": rng.choice(["never", "never", "penalty"]),
            "revoke_penalty": "preset",
            "deals": rng.choice([1, 3]),
        }
        for ranks in range(2, 14)
        for suits in range(1, 5)
        if ranks * suits % 4 == 0
        for _ in range(3)
    ]


@pytest.mark.parametrize("part", range(4))
def test_play_agrees_with_the_oracle_at_every_step(part: int) -> None:
    options = some_combinations(random.Random(part), 3)
    finished = follow(options, 52 * 9, part)
    assert sum(finished.values()) > 200
    assert len(finished) > 0.7 * len(set(map(str, options)))


@pytest.mark.parametrize("kind", [revoking, with_small_packs])
def test_play_with_revokes_and_small_packs_agrees_with_the_oracle(kind: Any) -> None:
    options = kind(random.Random(0))
    finished = follow(options, 52 * 6, seed=1)
    # Games last long where nobody who has revoked can win them.
    assert len(finished) > 0.6 * len(set(map(str, options)))


def follow(options: list[dict[str, Any]], steps: int, seed: int) -> Counter[str]:
    """Play tables at random beside the oracle; returns the episodes finished."""
    followers = [Follower(how) for how in options]
    tables = mixed_tables(options, seed=seed)
    batch = tables.reset()
    finished: Counter[str] = Counter()
    for _ in range(steps):
        actions = tables.sample_actions()
        masks = batch.action_mask.copy()
        for follower, record, mask in zip(
            followers, tables.records, masks, strict=True
        ):
            follower.follow(record)
            assert np.flatnonzero(mask).tolist() == follower.legal()
        batch = tables.step(actions)
        for index, follower in enumerate(followers):
            rewards = follower.play(int(actions[index]))
            assert batch.rewards[index].tolist() == rewards
            if batch.done[index]:
                follower.finish(tables.finished[index])
                finished[str(options[index])] += 1
    return finished


# Scores alone: random results of rich deals, so that every slam, honour and sequence
# occurs, at a hundred times the speed.


def rich_hands(rng: random.Random) -> list[list[str]]:
    """Four hands between which high cards and suits are unevenly divided."""
    bias = rng.choice([0, 3, 12, 40])
    favour = [rng.random() * bias for _ in range(4)]
    long_suit = rng.choice([0, 0, 6, 20])
    seat_of_suit = [rng.randrange(4) for _ in range(4)]
    hands: list[list[str]] = [[], [], [], []]
    for card in sorted(oracle.PACK, key=lambda c: -oracle.RANKS.index(c[1])):
        high = oracle.RANKS.index(card[1]) > 5
        weights = [
            (
                1
                + high * favour[s]
                + long_suit * (seat_of_suit["CDHS".index(card[0])] == s)
            )
            * (len(hands[s]) < 13)
            for s in range(4)
        ]
        hands[rng.choices(range(4), weights)[0]].append(card)
    return hands


def random_tricks(rng: random.Random) -> int:
    return rng.choice([0, 1, 5, 6, 7, 8, 12, 13, *range(14)])


def enter_deal(record: Any, hands: list[list[str]], turned: str, tricks: int) -> None:
    """Put a deal on a record as it stands after its last trick."""
    record.dealt[:] = [as_integers(hand) for hand in hands]
    record.turned = oracle.card_id(turned)
    record.trump = oracle.SUITS.index(turned[0])
    record.tricks_won[:] = [tricks // 2, 0, tricks - tricks // 2, 13 - tricks]
    record.tricks_played = 13
    whist.begin_action(record)


def score_rich_match(options: dict[str, Any], rng: random.Random) -> Iterator[str]:
    """Score a match of rich deals twice and compare; yields what occurred."""
    follower = Follower(options)
    record = whist_game().new_records(1)[0]
    record.options = WhistOptions(**options).as_integers()
    whist.start(record)
    follower.match = match = Match(follower.options, dealer=int(record.dealer))
    while not match.over:
        hands, tricks = rich_hands(rng), random_tricks(rng)
        dealer = match.dealer
        turned = rng.choice(hands[dealer])
        enter_deal(record, hands, turned, tricks)
        whist.end_deal(record)
        match.score(hands, turned[0], [tricks, 13 - tricks])
        follower.compare_match(record)
        paid = oracle_deal_rewards(match)
        assert record.reward.tolist() == paid, options
        if not match.over:
            assert record.dealer == match.dealer
        yield from occurrences(options, hands, turned[0], tricks)


def oracle_deal_rewards(match: Match) -> list[int]:
    """What the end of a deal earns, beyond its last trick."""
    kind = match.options.reward
    side_0 = 0
    if kind == "points":
        side_0 = match.points[0] - match.points[1]
    elif kind == "match" and match.winner is not None:
        side_0 = 1 - 2 * match.winner
    elif kind == "settlement":
        side_0 = match.settlement[0]
    return oracle.by_seat(side_0)


def occurrences(
    options: dict[str, Any], hands: list[list[str]], trump: str, tricks: int
) -> Iterator[str]:
    yield f"{tricks} tricks"
    for side in (0, 1):
        held = oracle.count_honours(hands, side, trump, "AKQJT9")
        yield f"{held} of six honours"
        for hand in (hands[side], hands[side + 2]):
            for suit in oracle.SUITS:
                length = oracle.sequence_length(hand, suit)
                yield f"{length} in sequence{' of trumps' * (suit == trump)}"


@pytest.mark.parametrize("scoring", oracle.SCORINGS)
def test_scores_agree_with_the_oracle_for_every_reading(scoring: str) -> None:
    rng = random.Random(scoring)
    ways = [how for how in every_combination() if how["scoring"] == scoring]
    occurred: Counter[str] = Counter()
    for how in rng.choices(ways, k=400 if scoring == "robber" else 120):
        options = dict(how)
        if "deals" not in how and rng.random() < 0.4:
            options["target"] = rng.choice([1, 2, 3, 8, 20])
        occurred.update(score_rich_match(options, rng))
    assert {f"{tricks} tricks" for tricks in (0, 6, 7, 12, 13)} <= set(occurred)
    assert {f"{held} of six honours" for held in range(7)} <= set(occurred)
    if scoring == "robber":
        for length in range(8):
            assert occurred[f"{length} in sequence"] > 0
            assert occurred[f"{length} in sequence of trumps"] > 0


def test_both_have_the_same_options() -> None:
    mine = {f.name: f for f in dataclasses.fields(WhistOptions)}
    theirs = {f.name: f for f in dataclasses.fields(oracle.Options)}
    assert set(mine) - set(theirs) == {"dealer", "history", "shuffle"}
    assert set(theirs) <= set(mine)
    for name, field in theirs.items():
        assert mine[name].default == field.default
        if name in oracle.CHOICES:
            assert mine[name].metadata["values"] == oracle.CHOICES[name]
