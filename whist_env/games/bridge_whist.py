"""Bridge Whist.

Four players, partners opposite; seats 0 and 2 are side 0, seats 1 and 3 are side 1. The
whole pack is dealt one card at a time from the dealer's left, and none is turned. The
dealer names trumps or no trump, or passes that to his partner. Then the sides may
double in turn. After the opening lead the hand of the dealer's partner, the dummy, is
laid open, and the dealer plays it with his own.

The play, the order of declaring and the scores are those of Hoyle's games; the order
of doubling is that of the bridge laws of 1902 to 1906; what hands without trumps and
five divided honours count, and that slams are not doubled, is from the laws of auction
bridge of 1914.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    ACE,
    CARDS,
    FULL_PACK,
    NO_CARDS,
    RANKS_IN_SUIT,
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
    parse_given_deal,
    stack_pack,
)
from whist_env.engine.dummy import DUMMY_FEATURES, write_decider, write_open_hand
from whist_env.engine.features import Feature, FeatureTable, write, write_cards
from whist_env.engine.honours import honours_held
from whist_env.engine.options import NOT_GIVEN, choice, number
from whist_env.engine.partners import (
    PARTNERS,
    SEATS,
    SIDES,
    check_pair,
    clear_sides,
    clear_transfers,
    partner_of,
    pay_sides,
    points_made,
    revokes_of,
    side_fields,
    side_of,
    transfer_fields,
    transfer_tricks,
    tricks_counted,
    tricks_made,
    tricks_taken,
    won,
)
from whist_env.engine.record import (
    NOBODY,
    Record,
    begin_action,
    end_episode,
    record_dtype,
)
from whist_env.engine.revokes import (
    PENALTY,
    broken_off,
    clear_revokes,
    note_revoke,
    playable,
    revoke_features,
    revoke_fields,
    revokes_option,
    write_revokes,
)
from whist_env.engine.rules import Rules
from whist_env.engine.sight import PlayOptions, play_features, relative, write_play
from whist_env.engine.tricks import (
    NO_SUIT,
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

TRICKS: Final = 13
BOOK: Final = 6
GAME: Final = 30
"""Points below the line that make a game."""
SHORT_OF_GAME: Final = 28
"""The score at which a side stops that has revoked."""
TRICKS_FOR_A_REVOKE: Final = 3
RUBBER_BONUS: Final = 100
"""Points above the line for winning the rubber, and what a forfeit costs."""

# Calls ------------------------------------------------------------------------------

SPADES, CLUBS, DIAMONDS, HEARTS, NOTRUMP = range(CARDS, CARDS + 5)
"""The declarations, from the lowest value of a trick to the highest."""
PASS_TO_PARTNER, DOUBLE, REDOUBLE, PASS = range(CARDS + 5, CARDS + 9)
CALLS: Final = (
    *("spades", "clubs", "diamonds", "hearts", "notrump"),
    *("pass_to_partner", "double", "redouble", "pass"),
)
SUIT_DECLARED: Final = (3, 0, 1, 2, NO_SUIT)
"""The trump suit by declaration."""
VALUES: Final = (2, 4, 6, 8)
"""The value of a trick by declaration of a suit; that at no trump is an option."""

DECLARE, PARTNER_DECLARES, DOUBLES, PLAY = range(4)
"""The phases of a deal."""

# Options ----------------------------------------------------------------------------

ONE_DEAL, ONE_GAME, ONE_RUBBER = range(3)
REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH = range(3)
SCORED, DEDUCTED = range(2)
MOST_DOUBLES: Final = 10
"""Spades reach the highest limit, 1000 a trick, with nine doubles."""


@dataclasses.dataclass(frozen=True)
class BridgeWhistOptions(PlayOptions):
    """Options of Bridge Whist. What no source settles is an option."""

    episode: str = choice(
        "deal",
        *("deal", "game", "rubber"),
        meaning="How long an episode lasts.",
    )
    deals: int | None = number(
        None,
        1,
        100,
        meaning="A fixed number of deals instead: running totals, no games.",
        episode=("deal",),
    )
    reward: str = choice(
        "points",
        *("points", "tricks", "match"),
        meaning=(
            "What is rewarded: the points scored in each deal, each trick, or winning "
            "(+1) or losing (-1) the episode."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    max_trick_value: int | None = number(
        100,
        12,
        1000,
        or_none=True,
        meaning=(
            "The limit to which doubling raises the value of a trick; with None there "
            "is none."
        ),
    )
    max_doubles: int = number(
        6,
        1,
        MOST_DOUBLES,
        meaning="How many doubles and redoubles a deal may have without that limit.",
        max_trick_value=(None,),
    )
    notrump_value: int = number(10, 10, 12, meaning="The value of a trick at no trump.")
    five_honours: int = number(
        5,
        4,
        5,
        meaning=(
            "Five honours divided three and two count so many times the value of a "
            "trick."
        ),
    )
    chicane: str = choice(
        "scored",
        *("scored", "deducted"),
        meaning=(
            "A hand dealt no trump: its side scores it, or it is deducted from the "
            "honours of the other side if that has them."
        ),
    )
    revokes: str = revokes_option()

    def __post_init__(self) -> None:
        """Check each option; at no trump a trick counts ten or twelve."""
        super().__post_init__()
        if self.notrump_value == 11:
            raise ValueError("notrump_value=11 must be 10 or 12")


RECORD: Final = record_dtype(
    SEATS,
    BridgeWhistOptions,
    [
        *trick_fields(SEATS),
        *revoke_fields(SEATS),
        *side_fields(),
        *transfer_fields(),
        ("phase", np.int8),
        # What was declared, 0 for spades to 4 for no trump, and by which seat; -1.
        ("declaration", np.int8),
        ("declarer", np.int8),
        # The doubles and redoubles, who made each, and how many of the side in turn
        # have passed since the last.
        ("doubles", np.int8),
        ("doubled_by", np.int8, (MOST_DOUBLES,)),
        ("passes", np.int8),
        # By side: points below the line in this game, games won, and points above the
        # line in the whole episode.
        ("score", np.int32, (SIDES,)),
        ("games", np.int32, (SIDES,)),
        ("above", np.int32, (SIDES,)),
    ],
)


@rule
def plays_games(record: Record) -> bool:
    """Whether scores run towards a game; in single deals they do not."""
    return bool(record.options.episode != ONE_DEAL)


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
    clear_sides(record)
    for side in range(SIDES):
        record.score[side] = 0
        record.games[side] = 0
        record.above[side] = 0


@rule
def deal_out(record: Record) -> None:
    """Deal the pack one card at a time from the dealer's left; none is turned.

    The dealer is the first to call.
    """
    clear_table(record)
    clear_revokes(record)
    clear_transfers(record)
    for place in range(CARDS):
        give(record, (record.dealer + 1 + place) % SEATS, record.pack[place])
    record.phase = DECLARE
    record.trump = NO_SUIT
    record.declaration = -1
    record.declarer = NOBODY
    record.doubles = 0
    for number_of_double in range(MOST_DOUBLES):
        record.doubled_by[number_of_double] = NOBODY
    record.passes = 0
    lead(record, left_of(record.dealer, SEATS))
    let_act(record, record.dealer)


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = left_of(record.dealer, SEATS)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def let_act(record: Record, seat: int) -> None:
    """It is the turn of a seat, for which the dealer decides if it is dummy's."""
    record.seat = seat
    record.agent = record.dealer if is_dummy(record, seat) else seat


@rule
def dummy(record: Record) -> int:
    """The seat of the dealer's partner."""
    return partner_of(int(record.dealer))


@rule
def is_dummy(record: Record, seat: int) -> bool:
    """Whether a seat is dummy: in the play its owner has no more to say."""
    return bool(record.phase == PLAY and seat == dummy(record))


@rule
def dummy_lies_open(record: Record) -> bool:
    """The hand of the dealer's partner is laid open after the opening lead."""
    return bool(record.cards_played > 0)


# Legality ---------------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """The calls or the cards of the seat to act, by phase."""
    if record.phase == PLAY:
        return cards_to_play(record), NO_CARDS
    if record.phase == DOUBLES:
        return doubling_calls(record), NO_CARDS
    return declarations(record), NO_CARDS


@rule
def cards_to_play(record: Record) -> np.uint64:
    """A follower plays a card of the suit led if it holds one, else any card.

    Where players may revoke, dummy does not: all would see it.
    """
    if is_dummy(record, record.seat):
        return following(record)
    return playable(record)


@rule
def declarations(record: Record) -> np.uint64:
    """The four suits and no trump; only the dealer may pass that to his partner."""
    calls = NO_CARDS
    for call in range(SPADES, NOTRUMP + 1):
        calls |= single(call)
    if record.phase == DECLARE:
        calls |= single(PASS_TO_PARTNER)
    return calls


@rule
def doubling_calls(record: Record) -> np.uint64:
    """Pass, or double what the other side declared or redouble what it doubled."""
    calls = single(PASS)
    if may_double(record):
        calls |= single(DOUBLE if record.doubles == 0 else REDOUBLE)
    return calls


@rule
def may_double(record: Record) -> bool:
    """Whether the value of a trick may still be raised."""
    if record.options.max_trick_value == NOT_GIVEN:
        return bool(record.doubles < record.options.max_doubles)
    return trick_value(record) < record.options.max_trick_value


@rule
def undoubled_value(record: Record) -> int:
    """The value of a trick: spades 2, clubs 4, diamonds 6, hearts 8, no trump 10."""
    if record.trump == NO_SUIT:
        return int(record.options.notrump_value)
    return VALUES[record.declaration]


@rule
def trick_value(record: Record) -> int:
    """The value of a trick, twice as much for each double, up to the limit.

    The redouble that would pass the limit makes it exactly the limit.
    """
    value = undoubled_value(record) << int(record.doubles)
    if record.options.max_trick_value == NOT_GIVEN:
        return value
    return min(value, int(record.options.max_trick_value))


# Calling and play -------------------------------------------------------------------


@rule
def apply(record: Record, action: int) -> None:
    """The agent to act makes a call, or plays a card from the hand in turn."""
    begin_action(record)
    if record.phase == PLAY:
        play(record, action)
    elif record.phase == DOUBLES:
        double(record, action)
    elif action == PASS_TO_PARTNER:
        record.phase = PARTNER_DECLARES
        let_act(record, partner_of(int(record.seat)))
    else:
        declare(record, action)


@rule
def declare(record: Record, call: int) -> None:
    """Trumps are named; the eldest hand is the first who may double."""
    record.declaration = call - SPADES
    record.trump = SUIT_DECLARED[call - SPADES]
    record.declarer = record.seat
    record.phase = DOUBLES
    let_act(record, left_of(record.dealer, SEATS))


@rule
def double(record: Record, call: int) -> None:
    """Double, or pass to the partner; the passes of both end the doubling.

    Who doubles gives the turn to the other side: to the player who named the trump, or
    if that player's side has redoubled, to the one who doubled first. His partner
    follows if he passes.
    """
    if call == PASS:
        record.passes += 1
        if record.passes == 2:
            open_play(record)
        else:
            let_act(record, partner_of(int(record.seat)))
        return
    record.doubled_by[record.doubles] = record.seat
    record.doubles += 1
    record.passes = 0
    if record.doubles % 2 == 1:
        let_act(record, record.declarer)
    else:
        let_act(record, record.doubled_by[0])


@rule
def open_play(record: Record) -> None:
    """The eldest hand makes the opening lead."""
    record.phase = PLAY
    let_act(record, record.leader)


@rule
def play(record: Record, card: int) -> None:
    """The hand in turn plays a card; all thirteen tricks are played."""
    note_revoke(record, card)
    play_card(record, card)
    if trick_is_complete(record):
        side = side_of(take_trick(record))
        if record.options.reward == REWARD_TRICKS:
            pay_sides(record, side, 1)
    let_act(record, record.seat)
    if record.tricks_played == TRICKS:
        end_deal(record)


# Honours and slams, from the hands as dealt and the tricks --------------------------


@rule
def odd_tricks(record: Record, side: int) -> int:
    """Tricks above the book of six."""
    return max(0, tricks_counted(record, side) - BOOK)


@rule
def slam_points(record: Record, side: int) -> int:
    """Thirteen tricks 40, twelve tricks 20, to either side."""
    tricks = tricks_taken(record, side)
    if tricks == TRICKS:
        return 40
    return 20 if tricks == TRICKS - 1 else 0


@rule
def aces_held(cards: np.uint64) -> int:
    """How many aces are among the cards."""
    held = 0
    for suit in range(4):
        if holds(cards, RANKS_IN_SUIT * suit + ACE):
            held += 1
    return held


@rule
def ace_points(record: Record, side: int) -> int:
    """At no trump: three aces 30, four 40, four in one hand 100."""
    one = aces_held(record.dealt[side])
    other = aces_held(record.dealt[side + 2])
    if one + other == 4:
        return 100 if max(one, other) == 4 else 40
    return 30 if one + other == 3 else 0


@rule
def honour_factor(record: Record, side: int) -> int:
    """How many times the value of a trick a side has in honours.

    Ace, king, queen, jack and ten of trumps: three 2, four divided 4, five divided
    three and two 5, four in one hand 8, and 9 with the fifth in the other, five in one
    hand 10.
    """
    one = honours_held(record.dealt[side], record.trump, 5)
    other = honours_held(record.dealt[side + 2], record.trump, 5)
    held = one + other
    in_one_hand = max(one, other)
    if in_one_hand == 5:
        return 10
    if in_one_hand == 4:
        return 9 if held == 5 else 8
    if held == 5:
        return int(record.options.five_honours)
    if held == 4:
        return 4
    return 2 if held == 3 else 0


@rule
def chicane_factor(record: Record, side: int) -> int:
    """Twice the value of a trick for each hand of a side that was dealt no trump."""
    trumps = whole_suit(record.trump)
    factor = 0
    if record.dealt[side] & trumps == NO_CARDS:
        factor += 2
    if record.dealt[side + 2] & trumps == NO_CARDS:
        factor += 2
    return factor


@rule
def trump_points(record: Record, side: int) -> int:
    """Honours and chicane of a side, by the undoubled value of a trick.

    By the other reading a chicane is deducted from the honours of the other side, and
    scored only where that has none.
    """
    own = honour_factor(record, side)
    others = honour_factor(record, 1 - side)
    factor = own
    if record.options.chicane == SCORED or others == 0:
        factor += chicane_factor(record, side)
    if record.options.chicane == DEDUCTED and own > 0:
        factor -= chicane_factor(record, 1 - side)
    return factor * undoubled_value(record)


@rule
def above_the_line(record: Record, side: int) -> int:
    """What a side scores above the line in a deal; doubling does not raise it."""
    if record.trump == NO_SUIT:
        return slam_points(record, side) + ace_points(record, side)
    return slam_points(record, side) + trump_points(record, side)


# Revokes ----------------------------------------------------------------------------


@rule
def settle_revokes(record: Record) -> None:
    """Three tricks pass over for each revoke, before the deal is scored."""
    transfer_tricks(record, TRICKS_FOR_A_REVOKE)
    if record.options.reward == REWARD_TRICKS:
        pay_sides(record, 0, record.transferred[0])


@rule
def stopped_by_revokes(record: Record, side: int, points: int) -> int:
    """Points below the line of a deal; a side that has revoked stops short of game."""
    if plays_games(record) and revokes_of(record, side) > 0:
        return min(points, max(0, SHORT_OF_GAME - int(record.score[side])))
    return points


# Scoring ----------------------------------------------------------------------------


@rule
def score_deal(record: Record) -> None:
    """Odd tricks below the line, to whichever side has them; the rest above it."""
    for side in range(SIDES):
        below = odd_tricks(record, side) * trick_value(record)
        below = stopped_by_revokes(record, side, below)
        add_above(record, side, above_the_line(record, side))
        record.points[side] += below
        if plays_games(record):
            record.score[side] += below


@rule
def add_above(record: Record, side: int, points: int) -> None:
    """Points above the line, which do not count towards the game."""
    record.above[side] += points
    record.points[side] += points


@rule
def game_winner(record: Record) -> int:
    """The side that has won the game in progress, or -1; only one scores below."""
    for side in range(SIDES):
        if record.score[side] >= GAME:
            return side
    return NOBODY


# End of a deal, a game, a rubber ----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Score the deal; end the episode or deal again."""
    before = record.points[0] - record.points[1]
    settle_revokes(record)
    score_deal(record)
    record.deals_played += 1
    for side in range(SIDES):
        record.tricks[side] += tricks_counted(record, side)
    winner = game_winner(record)
    if winner != NOBODY:
        win_game(record, winner)
    if episode_is_complete(record, winner):
        find_winner(record, winner)
        end_episode(record)
    else:
        next_deal(record)
    if record.options.reward == REWARD_POINTS:
        pay_sides(record, 0, record.points[0] - record.points[1] - before)


@rule
def win_game(record: Record, winner: int) -> None:
    """Both begin the next game at nothing below; two games win the rubber."""
    record.games[winner] += 1
    for side in range(SIDES):
        record.score[side] = 0
    if record.games[winner] == 2:
        add_above(record, winner, RUBBER_BONUS)


@rule
def episode_is_complete(record: Record, winner: int) -> bool:
    """Whether the deals, the game or the rubber asked for have been played."""
    if record.options.deals != NOT_GIVEN:
        return bool(record.deals_played == record.options.deals)
    if record.options.episode == ONE_DEAL or broken_off(record):
        return True
    if winner == NOBODY:
        return False
    return bool(record.options.episode == ONE_GAME or record.games[winner] == 2)


@rule
def find_winner(record: Record, winner: int) -> None:
    """A game is won by who makes it; all else by who has more points.

    At the end of a rubber the totals are compared, the bonus included: a side may win
    two games and lose by the totals.
    """
    margin = record.points[0] - record.points[1]
    if record.options.episode == ONE_GAME:
        record.winning_side = winner
    elif margin != 0:
        record.winning_side = 0 if margin > 0 else 1
    if record.options.reward == REWARD_MATCH and record.winning_side != NOBODY:
        pay_sides(record, record.winning_side, 1)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the side to act.

    It pays as much as the bonus of a rubber; thirteen where tricks are rewarded, or one
    where only winning is.
    """
    other = 1 - side_of(record.agent)
    begin_action(record)
    add_above(record, other, RUBBER_BONUS)
    if record.options.reward == REWARD_POINTS:
        pay_sides(record, other, RUBBER_BONUS)
    else:
        pay_sides(record, other, 1 if record.options.reward == REWARD_MATCH else TRICKS)
    record.winning_side = other
    end_episode(record)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    *DUMMY_FEATURES,
    *revoke_features(SEATS),
    Feature(
        "phase",
        ("phase",),
        (4,),
        0,
        1,
        "The phase: dealer declares, partner declares, doubling, play.",
    ),
    Feature(
        "declaration",
        ("declaration",),
        (5,),
        0,
        1,
        "What was declared: spades, clubs, diamonds, hearts, no trump.",
    ),
    Feature("declarer", ("seat",), (SEATS,), 0, 1, "Who declared it."),
    Feature(
        "doubled_by",
        ("double", "seat"),
        (MOST_DOUBLES, SEATS),
        0,
        1,
        "Who made each double and redouble.",
    ),
    Feature(
        "passes",
        (),
        (),
        0,
        2,
        "How many of the side in turn, or last in turn, would not double.",
    ),
    Feature(
        "trick_value",
        ("digit",),
        (3,),
        0,
        99,
        "The value of an odd trick: ten thousands, hundreds, and the rest.",
    ),
    Feature("tricks", ("side",), (SIDES,), 0, 13, "Tricks taken in this deal."),
    Feature("score", ("side",), (SIDES,), 0, 29, "Points below the line in this game."),
    Feature("games", ("side",), (SIDES,), 0, 2, "Games won in the rubber."),
    Feature(
        "points",
        ("side", "digit"),
        (SIDES, 4),
        0,
        99,
        "Points in the whole episode: millions, ten thousands, hundreds, and the rest.",
    ),
    Feature(
        "deals_left",
        (),
        (),
        0,
        100,
        "Deals still to end with a fixed number of deals; 0 otherwise.",
    ),
)
STATE_FEATURES: Final = FeatureTable(
    *FEATURES.features,
    Feature("hands", ("seat", "card"), (4, 52), 0, 1, "Cards in every hand."),
    Feature("revokes", ("seat",), (4,), 0, 13, "Revokes of each seat in this deal."),
)

_REVOKED = FEATURES.offset("revoked")
_PHASE = FEATURES.offset("phase")
_DECLARATION = FEATURES.offset("declaration")
_DECLARER = FEATURES.offset("declarer")
_DOUBLED_BY = FEATURES.offset("doubled_by")
_PASSES = FEATURES.offset("passes")
_TRICK_VALUE = FEATURES.offset("trick_value")
_TRICKS = FEATURES.offset("tricks")
_SCORE = FEATURES.offset("score")
_GAMES = FEATURES.offset("games")
_POINTS = FEATURES.offset("points")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")
_REVOKES = STATE_FEATURES.offset("revokes")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    if record.options.revokes == PENALTY:
        write_revokes(record, seat, out, _REVOKED)
    if record.agent != NOBODY:
        write_decider(record.agent, seat, out)
    if dummy_lies_open(record) and seat != dummy(record):
        write_open_hand(record.hands[dummy(record)], dummy(record), seat, out)
    write(out, _PHASE + int(record.phase), 1)
    if record.declaration >= 0:
        write_calls(record, seat, out)
    write_scores(record, side_of(seat), out)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, every hand and revoke."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write_cards(out, _HANDS + CARDS * place, record.hands[other])
        write(out, _REVOKES + place, record.revokes[other])


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, and dummy's after the opening lead."""
    if agent == seat or (dummy_lies_open(record) and seat == dummy(record)):
        return np.uint64(record.hands[seat])
    return NO_CARDS


@rule
def write_calls(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """What was declared and doubled, and by whom."""
    write(out, _DECLARATION + int(record.declaration), 1)
    write(out, _DECLARER + relative(record.declarer, seat, SEATS), 1)
    for number_of_double in range(int(record.doubles)):
        row = _DOUBLED_BY + SEATS * number_of_double
        doubler = record.doubled_by[number_of_double]
        write(out, row + relative(doubler, seat, SEATS), 1)
    write(out, _PASSES, record.passes)
    value = trick_value(record)
    write(out, _TRICK_VALUE, value // 10000)
    write(out, _TRICK_VALUE + 1, value // 100 % 100)
    write(out, _TRICK_VALUE + 2, value % 100)


@rule
def write_scores(record: Record, side: int, out: npt.NDArray[Any]) -> None:
    """Tricks, points and games of the observer's side and of the other."""
    for other in range(SIDES):
        holder = side if other == 0 else 1 - side
        write(out, _TRICKS + other, tricks_counted(record, holder))
        write(out, _SCORE + other, record.score[holder])
        write(out, _GAMES + other, record.games[holder])
        points = record.points[holder]
        write(out, _POINTS + 4 * other, points // 1000000)
        write(out, _POINTS + 4 * other + 1, points // 10000 % 100)
        write(out, _POINTS + 4 * other + 2, points // 100 % 100)
        write(out, _POINTS + 4 * other + 3, points % 100)
    if record.options.deals != NOT_GIVEN:
        write(out, _DEALS_LEFT, record.options.deals - record.deals_played)


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """What was called, what a trick is worth, and whose hand is dummy's."""
    seen = []
    if record.phase == PARTNER_DECLARES:
        seen.append(("declaration", f"passed by player_{record.dealer}"))
    if record.declaration >= 0:
        declared = CALLS[record.declaration]
        seen.append(("declaration", f"{declared} by player_{record.declarer}"))
        seen.append(("a trick", _worth(record)))
    if record.phase == PLAY:
        played_by = f"player_{dummy(record)}, played by player_{record.dealer}"
        seen.append(("dummy", played_by))
    return tuple(seen)


def _worth(record: Record) -> str:
    """The value of a trick, and who doubled it in turn."""
    doublers = record.doubled_by[: record.doubles]
    by = ", ".join(str(doubler) for doubler in doublers)
    return f"{trick_value(record)}, doubled by {by}" if by else f"{trick_value(record)}"


# Judging finished episodes -----------------------------------------------------------


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    dealer: int | None = None,
    scores: tuple[int, int] | None = None,
    games: tuple[int, int] | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        dealer: the seat that deals.
        scores: the points of side 0 and side 1 below the line in the game in progress.
        games: the games that each has won in the rubber; what they scored is not
            known and counts nothing.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_match(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    if scores is not None:
        if not plays_games(record):
            raise ValueError(
                "scores= belongs to a game; take episode='game' or 'rubber'"
            )
        record.score[:] = record.points[:] = check_pair("scores", scores, GAME - 1)
    if games is not None:
        if record.options.episode != ONE_RUBBER:
            raise ValueError("games= belongs to a rubber; take episode='rubber'")
        record.games[:] = check_pair("games", games, 1)
    if deal is None:
        shuffle(record, FULL_PACK)
    else:
        hands = parse_given_deal(deal)
        places = [(int(record.dealer) + 1 + place) % SEATS for place in range(CARDS)]
        stack_pack(record, hands, places)
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why the agent to act may not do something."""
    if record.phase == PLAY:
        return _reason_in_play(record, action)
    if action < CARDS:
        return "no card is played before trumps are named and the doubling is over"
    if record.phase == DOUBLES:
        return _reason_in_doubling(record, action)
    if action == PASS_TO_PARTNER:
        return "the dealer has passed to his partner, who must declare"
    return "trumps, or no trump, must be declared first"


def _reason_in_doubling(record: Record, action: int) -> str:
    if action not in (DOUBLE, REDOUBLE):
        return f"{CALLS[record.declaration]} was declared, and may only be doubled"
    if may_double(record):
        if action == DOUBLE:
            return "the other side has doubled already, which may be redoubled"
        return "the other side has not doubled, and there is nothing to redouble"
    if record.options.max_trick_value == NOT_GIVEN:
        return f"there have been all of the {record.doubles} doubles that may be made"
    return f"a trick counts {trick_value(record)}, the most that it may"


def _reason_in_play(record: Record, action: int) -> str:
    if action >= CARDS:
        return "the calls are over, and a card must be played"
    hand = record.hands[record.seat]
    owner = "dummy" if is_dummy(record, int(record.seat)) else "the hand"
    if not holds(hand, action):
        return f"{owner} is to play and does not hold {card_name(action)}"
    led = suit_of(int(record.trick[record.leader]))
    held = count(hand & whole_suit(led))
    return (
        f"{SUIT_NAMES[led]} were led and must be followed: {owner} holds {held} of "
        "that suit"
    )


RULES: Final = (
    Rules(
        name="bridge_whist",
        title="Bridge Whist",
        agents=SEATS,
        partners=PARTNERS,
        action_names=(*(card_name(card) for card in range(CARDS)), *CALLS),
        options=BridgeWhistOptions,
        record=RECORD,
        features=FEATURES,
        state_features=STATE_FEATURES,
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": points_made, "tricks": tricks_made, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(
            ("declare", "The dealer names trumps, or no trump, or passes that."),
            ("partner_declares", "If it was passed, the dealer's partner must name."),
            ("double", "The sides may double and redouble in turn, eldest hand first."),
            ("play", "Thirteen tricks; after the lead dummy is open, dealer plays it."),
        ),
        visible=visible,
        notes=notes,
    ),
)
