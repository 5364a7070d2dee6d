"""Dummy Whist.

Three players at four seats. The dealer sits opposite a hand without an owner, the
dummy, which lies open and which he plays with his own, against the other two. Seats
clockwise: the dealer, the player on his left, dummy, the player on his right. The deal
passes to the left, so that partners, and the seat of dummy, change with every deal.

With two players it is double dummy: they sit side by side, and each plays the open hand
opposite with his own.

The play and the scores are those of Hoyle's games, for three players. What they leave
open, and the game of two, which follows the same rules, are options.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    SUIT_NAMES,
    card_name,
    count,
    holds,
    single,
    suit_of,
    whole_suit,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    dealer_option,
    first_dealer,
    stack_turned_pack,
)
from whist_env.engine.dummy import DUMMY_FEATURES, write_decider, write_open_hand
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    offsets,
    write,
    write_cards,
)
from whist_env.engine.honours import honour_points
from whist_env.engine.individual import all_win_but, pay_winners, won
from whist_env.engine.options import choice, flag, number
from whist_env.engine.record import (
    NOBODY,
    Record,
    begin_action,
    end_episode,
    pay,
    record_dtype,
)
from whist_env.engine.rules import Rules
from whist_env.engine.sight import (
    HISTORY_ALL,
    PlayOptions,
    play_features,
    relative,
    write_play,
)
from whist_env.engine.tricks import (
    clear_table,
    following,
    give,
    lead,
    left_of,
    play_card,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

SEATS: Final = 4
SIDES: Final = 2
TRICKS: Final = 13
BOOK: Final = 6
DOUBLE_DUMMY: Final = 2
"""The number of players who have a dummy each."""
PLAYERS: Final = (3, DOUBLE_DUMMY)
HALVES: Final = 2
"""Points are counted in halves, since two players may have to share them."""

# Options ----------------------------------------------------------------------------

REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH = range(3)
BEFORE_LEAD, AFTER_LEAD = range(2)
SHARED, UNDECIDED = range(2)
FULL, HALF = range(2)


@dataclasses.dataclass(frozen=True)
class DummyWhistOptions(PlayOptions):
    """Options of Dummy Whist. What no source settles is an option."""

    players: int = number(
        3, 2, 3, meaning="Three players, or two who have a dummy each."
    )
    deals: int = number(
        1,
        1,
        100,
        meaning="The deals of an episode; 3, 6 or 9 let all three deal alike.",
    )
    reward: str = choice(
        "points",
        *("points", "tricks", "match"),
        meaning=(
            "What is rewarded: points, or each trick, above the mean of all players; "
            "or the episode, whose losers pay 1 to each winner."
        ),
    )
    tie: str = choice(
        "shared",
        *("shared", "undecided"),
        meaning=(
            "Whether those who are first with equal totals share the win, or the "
            "episode is undecided and nobody has lost."
        ),
    )
    dealer: int | None = dealer_option(3)
    dummy_exposed: str = choice(
        "before_lead",
        *("before_lead", "after_lead"),
        meaning="When dummy is laid open. Who plays it sees it from the start.",
    )
    split: str = choice(
        "full",
        *("full", "half"),
        meaning=(
            "Whether the points of the two against the dealer are scored by each in "
            "full, or by halves."
        ),
        players=(3,),
    )
    honours: bool = flag(True, meaning="Whether honours are scored.")

    def __post_init__(self) -> None:
        """Check each option, and that the dealer is one of the players."""
        super().__post_init__()
        if self.dealer is not None and self.dealer >= self.players:
            raise ValueError(
                f"dealer={self.dealer} is not a player; with players={self.players} "
                f"they are 0 to {self.players - 1}"
            )


RECORDS: Final = {
    players: record_dtype(
        players,
        DummyWhistOptions,
        [
            *trick_fields(SEATS),
            ("turned", np.int8),
            # By player, in this episode: points and tricks, each counted in halves,
            # and 1 for who has won.
            ("half_points", np.int32, (players,)),
            ("half_tricks", np.int32, (players,)),
            ("winners", np.int8, (players,)),
        ],
    )
    for players in PLAYERS
}


# Seats and sides --------------------------------------------------------------------


@rule
def players_of(record: Record) -> int:
    """The number of players."""
    return record.returns.size


@rule
def seat_of(record: Record, agent: int) -> int:
    """The seat of a player: the dealer's has his own number, then clockwise.

    Three players leave the seat opposite the dealer to dummy; two sit side by side.
    """
    if players_of(record) == DOUBLE_DUMMY:
        return agent
    dealer = int(record.dealer)
    to_the_left = relative(agent, dealer, 3)
    return (dealer + (3 if to_the_left == 2 else to_the_left)) % SEATS


@rule
def player_of(record: Record, seat: int) -> int:
    """The player who decides for a seat; that of a dummy sits opposite."""
    if players_of(record) == DOUBLE_DUMMY:
        return seat % SIDES
    dealer = int(record.dealer)
    to_the_left = relative(seat, dealer, SEATS)
    if to_the_left == 2:
        return dealer
    return (dealer + (2 if to_the_left == 3 else to_the_left)) % 3


@rule
def is_dummy(record: Record, seat: int) -> bool:
    """Whether the hand of a seat is a dummy."""
    return seat_of(record, player_of(record, seat)) != seat


@rule
def side_of(seat: int) -> int:
    """The side of a seat in this deal; partners sit opposite."""
    return seat % SIDES


@rule
def let_act(record: Record, seat: int) -> None:
    """It is the turn of a seat, for which its player decides."""
    record.seat = seat
    record.agent = player_of(record, seat)


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_match(record)
    record.dealer = first_dealer(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def clear_match(record: Record) -> None:
    """All scores to nothing."""
    for player in range(players_of(record)):
        record.half_points[player] = 0
        record.half_tricks[player] = 0
        record.winners[player] = 0


@rule
def deal_out(record: Record) -> None:
    """Deal the pack one card at a time from the dealer's left; turn the last card."""
    clear_table(record)
    for place in range(CARDS):
        give(record, (record.dealer + 1 + place) % SEATS, record.pack[place])
    record.turned = record.pack[CARDS - 1]
    record.trump = suit_of(record.turned)
    lead(record, left_of(int(record.dealer), SEATS))
    let_act(record, int(record.seat))


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the next player on the left."""
    record.deal_number += 1
    record.dealer = left_of(int(record.dealer), players_of(record))
    shuffle(record, FULL_PACK)
    deal_out(record)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """A follower plays a card of the suit led if the hand in turn holds one."""
    return following(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """The hand in turn plays a card; all thirteen tricks are played."""
    begin_action(record)
    play_card(record, action)
    if trick_is_complete(record):
        count_trick(record, side_of(take_trick(record)))
    let_act(record, int(record.seat))
    if record.tricks_played == TRICKS:
        end_deal(record)


@rule
def dummy_lies_open(record: Record) -> bool:
    """Dummy is laid open at once, or after the opening lead."""
    return bool(record.options.dummy_exposed == BEFORE_LEAD or record.cards_played > 0)


@rule
def turned_card_lies_open(record: Record) -> bool:
    """The turned card stays on the table until the dealer plays to trick 1."""
    return bool(record.tricks_played == 0)


# Scoring ----------------------------------------------------------------------------


@rule
def tricks_of(record: Record, side: int) -> int:
    """The tricks that a side has taken in this deal."""
    return int(record.tricks_won[side]) + int(record.tricks_won[side + 2])


@rule
def points_of(record: Record, side: int) -> int:
    """One for each odd trick, and honours, those of dummy included."""
    points = max(0, tricks_of(record, side) - BOOK)
    if record.options.honours:
        points += honour_points(record, side)
    return points


@rule
def share(record: Record, player: int, side: int) -> int:
    """The halves that a player has of each point of a side.

    The dealer alone scores for his side, and of the others each in full, or each a
    half.
    """
    if side_of(seat_of(record, player)) != side:
        return 0
    if record.options.split == HALF and side != side_of(record.dealer):
        return 1
    return HALVES


@rule
def count_trick(record: Record, side: int) -> None:
    """A trick counts for the players of a side as a point would."""
    for player in range(players_of(record)):
        halves = share(record, player, side)
        record.half_tricks[player] += halves
        if record.options.reward == REWARD_TRICKS:
            gain(record, player, halves)


@rule
def score_deal(record: Record) -> None:
    """Both sides may score in a deal; each player is credited with points."""
    for player in range(players_of(record)):
        for side in range(SIDES):
            add_points(
                record, player, share(record, player, side) * points_of(record, side)
            )


@rule
def add_points(record: Record, player: int, halves: int) -> None:
    """A player is credited with half points."""
    record.half_points[player] += halves
    if record.options.reward == REWARD_POINTS:
        gain(record, player, halves)


@rule
def gain(record: Record, player: int, halves: int) -> None:
    """A player gains what all pay in equal parts, itself included.

    It so has what it scores less the mean of all. A record counts rewards in as many
    parts of a half as there are players.
    """
    players = players_of(record)
    for other in range(players):
        pay(record, other, -halves)
    pay(record, player, players * halves)


# End of a deal and of the match -----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Score the deal; end the episode or deal again."""
    score_deal(record)
    record.deals_played += 1
    if record.deals_played == record.options.deals:
        find_winners(record)
        finish(record)
    else:
        next_deal(record)


@rule
def find_winners(record: Record) -> None:
    """The highest total wins; equal totals share the win, or all players do."""
    players = players_of(record)
    most = 0
    for player in range(players):
        most = max(most, int(record.half_points[player]))
    first = 0
    for player in range(players):
        first += int(record.half_points[player] == most)
    undecided = first > 1 and record.options.tie == UNDECIDED
    for player in range(players):
        record.winners[player] = int(undecided or record.half_points[player] == most)


@rule
def finish(record: Record) -> None:
    """End the episode; where that is rewarded, each loser pays 1 to each winner."""
    if record.options.reward == REWARD_MATCH:
        pay_winners(record, HALVES * players_of(record))
    end_episode(record)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the player to act, as if all others had every trick.

    Each of them is credited with thirteen points, or tricks, and wins.
    """
    loser = int(record.agent)
    begin_action(record)
    all_win_but(record, loser)
    for player in range(players_of(record)):
        if player != loser:
            add_points(record, player, HALVES * TRICKS)
            if record.options.reward == REWARD_TRICKS:
                gain(record, player, HALVES * TRICKS)
    finish(record)


# Information ------------------------------------------------------------------------


def _features(players: int) -> FeatureTable:
    return FeatureTable(
        *play_features(SEATS),
        *DUMMY_FEATURES,
        Feature(
            "dummies",
            ("seat",),
            (SEATS,),
            0,
            1,
            "The seats of dummies, each played by the player opposite.",
        ),
        Feature(
            "turned",
            ("card",),
            (52,),
            0,
            1,
            "The card that the dealer turned for trumps.",
        ),
        Feature(
            "turned_lies_open",
            (),
            (),
            0,
            1,
            "Whether the turned card still lies on the table.",
        ),
        Feature("tricks", ("side",), (SIDES,), 0, 13, "Tricks taken in this deal."),
        Feature(
            "half_points",
            ("player", "digit"),
            (players, 2),
            0,
            99,
            "Twice the points of each player in this episode, the observer's first and "
            "then to the left: hundreds, and the rest.",
        ),
        Feature("deals_left", (), (), 0, 100, "Deals still to end."),
    )


FEATURES: Final = {players: _features(players) for players in PLAYERS}
STATE_FEATURES: Final = {
    players: FeatureTable(
        *FEATURES[players].features,
        Feature("hands", ("seat", "card"), (4, 52), 0, 1, "Cards in every hand."),
    )
    for players in PLAYERS
}

_DUMMIES = offsets(FEATURES, "dummies")
_TURNED = offsets(FEATURES, "turned")
_TURNED_LIES_OPEN = offsets(FEATURES, "turned_lies_open")
_TRICKS = offsets(FEATURES, "tricks")
_HALF_POINTS = offsets(FEATURES, "half_points")
_DEALS_LEFT = offsets(FEATURES, "deals_left")
_HANDS = offsets(STATE_FEATURES, "hands")


@rule
def observe(record: Record, agent: int, out: npt.NDArray[Any]) -> None:
    """Everything that a player may know; his own seat is 0, the next on the left 1."""
    seat = seat_of(record, agent)
    write_play(record, seat, out)
    write_dummies(record, agent, out)
    write_turned(record, out)
    write_scores(record, agent, out)


@rule
def state(record: Record, agent: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen by a player: his observation and every hand."""
    observe(record, agent, out)
    for other in range(SEATS):
        to_the_left = relative(other, seat_of(record, agent), SEATS)
        place = _HANDS[players_of(record)] + CARDS * to_the_left
        write_cards(out, place, record.hands[other])


@rule
def sees(record: Record, agent: int, seat: int) -> bool:
    """Whether a player sees a hand: his own, his dummy's, and what lies open."""
    if player_of(record, seat) == agent:
        return True
    return is_dummy(record, seat) and dummy_lies_open(record)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The hands that a player sees, and the turned card while it lies open."""
    if sees(record, agent, seat):
        return np.uint64(record.hands[seat])
    if turned_card_lies_open(record):
        return np.uint64(record.hands[seat] & single(record.turned))
    return NO_CARDS


@rule
def write_dummies(record: Record, agent: int, out: npt.NDArray[Any]) -> None:
    """Which hands are dummies, what they hold as far as it is seen, and who decides."""
    seat = seat_of(record, agent)
    if record.agent != NOBODY:
        write_decider(seat_of(record, record.agent), seat, out)
    for other in range(SEATS):
        if is_dummy(record, other):
            place = _DUMMIES[players_of(record)] + relative(other, seat, SEATS)
            write(out, place, 1)
            if sees(record, agent, other):
                write_open_hand(record.hands[other], other, seat, out)


@rule
def write_turned(record: Record, out: npt.NDArray[Any]) -> None:
    """The turned card, which a player remembers or not."""
    lies_open = turned_card_lies_open(record)
    if lies_open or record.options.history == HISTORY_ALL:
        write(out, _TURNED[players_of(record)] + int(record.turned), 1)
    if lies_open:
        write(out, _TURNED_LIES_OPEN[players_of(record)], 1)


@rule
def write_scores(record: Record, agent: int, out: npt.NDArray[Any]) -> None:
    """Tricks by side, the player's own first, points by player, and deals left."""
    players = players_of(record)
    side = side_of(seat_of(record, agent))
    write(out, _TRICKS[players], tricks_of(record, side))
    write(out, _TRICKS[players] + 1, tricks_of(record, 1 - side))
    for other in range(players):
        halves = record.half_points[other]
        place = _HALF_POINTS[players] + 2 * relative(other, agent, players)
        write(out, place, halves // 100)
        write(out, place + 1, halves % 100)
    write(out, _DEALS_LEFT[players], record.options.deals - record.deals_played)


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """Who plays each dummy, and the points once there are any."""
    seen = [
        ("dummy", f"seat {seat}, played by player_{player_of(record, seat)}")
        for seat in range(SEATS)
        if is_dummy(record, seat)
    ]
    points = [
        f"player_{player} {halves / HALVES:g}"
        for player, halves in enumerate(record.half_points)
    ]
    if record.half_points.any():
        seen.append(("points", ", ".join(points)))
    return tuple(seen)


# Judging finished episodes -----------------------------------------------------------


def above_the_mean(halves: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What each player has, counted in halves, less the mean of all."""
    return (halves - halves.mean(axis=1, keepdims=True)) / HALVES


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points of the player less the mean of all players."""
    return above_the_mean(records["half_points"])


def tricks_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Tricks credited to the player, as points are, less the mean of all players."""
    return above_the_mean(records["half_tricks"])


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    turned: str | None = None,
    dealer: int | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation by seat; seat 0 is North. The
            dealer sits at the seat of his own number.
        turned: the card that the dealer turns, such as ``"H7"``, one of the dealer's;
            drawn from the dealer's hand where it is not given.
        dealer: the player that deals.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_match(record)
    players = players_of(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, players)
    )
    if deal is not None:
        stack_turned_pack(record, deal, turned)
    elif turned is not None:
        raise ValueError("turned= names a card of a given deal; give deal= as well")
    else:
        shuffle(record, FULL_PACK)
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why a card may not be played from the hand in turn."""
    hand = record.hands[record.seat]
    owner = "dummy" if is_dummy(record, int(record.seat)) else "the player's own hand"
    if not holds(hand, action):
        return f"{owner} is in turn and does not hold {card_name(action)}"
    led = suit_of(int(record.trick[record.leader]))
    held = count(hand & whole_suit(led))
    return (
        f"{SUIT_NAMES[led]} were led and must be followed: {owner} holds {held} of "
        "that suit"
    )


def _rules(players: int) -> Rules:
    return Rules(
        name="dummy_whist",
        title="Dummy Whist" if players > DOUBLE_DUMMY else "Double Dummy Whist",
        agents=players,
        partners=tuple((player,) for player in range(players)),
        action_names=tuple(card_name(card) for card in range(CARDS)),
        options=DummyWhistOptions,
        record=RECORDS[players],
        features=FEATURES[players],
        state_features=STATE_FEATURES[players],
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": points_made, "tricks": tricks_made, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(("play", "Thirteen tricks; the dealer's left leads to the first."),),
        visible=visible,
        seat_of=seat_of,
        notes=notes,
        unit=HALVES * players,
    )


RULES: Final = tuple(_rules(players) for players in PLAYERS)
