"""Cayenne.

Four players, partners opposite; seats 0 and 2 are side 0, seats 1 and 3 are side 1. Two
packs: one is dealt four, four and five cards at a time, the other lies still and is
cut; the suit of the cut card is *cayenne*, and by it the suits rank. The dealer, or his
partner if he passes that on, names the trump suit, or grand: no trumps; or nullo: no
trumps, and tricks are to be lost. The higher the suit, the more a trick counts. Ten
points make a game, points beyond it count in the next, and who first has four games
wins the rubber.

Sources: who declares as in Foster's Complete Hoyle; the deal, the cut, the game and the
rubber by the laws that Foster wrote between those of the American Whist League (1893);
what tricks and honours count, and the ace at nullo, as in Parlett's Penguin Book of
Card Games. What slams count is remembered, and no source was found for it.
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
    SUIT_NAMES,
    card_name,
    parse_card,
    rank_of,
    single,
    suit_of,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    cut_other_pack,
    dealer_option,
    first_dealer,
    parse_given_deal,
    place_in_packets,
    stack_pack,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.honours import dealt_to, honours_held
from whist_env.engine.options import NOT_GIVEN, choice, flag, number
from whist_env.engine.partners import (
    PARTNERS,
    SEATS,
    SIDES,
    check_pair,
    clear_sides,
    partner_of,
    pay_sides,
    points_made,
    side_fields,
    side_of,
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
from whist_env.engine.rules import Rules
from whist_env.engine.sight import (
    HISTORY_ALL,
    PlayOptions,
    play_features,
    relative,
    write_play,
)
from whist_env.engine.tricks import (
    NO_SUIT,
    beats,
    clear_table,
    following,
    give,
    lead,
    left_of,
    play_card_as,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

TRICKS: Final = 13
BOOK: Final = 6
GAME: Final = 10
"""Points that make a game."""
RUBBER_BONUS: Final = 8
"""What the winners of a rubber get besides the difference of the totals."""
HIGHEST_VALUE: Final = 8
"""What each odd trick counts at grand, and each trick above the book at nullo."""
FORFEIT: Final = HIGHEST_VALUE * (TRICKS - BOOK)
"""What a forfeit costs: all thirteen tricks at grand."""
HONOURS: Final = 5
POINTS_FOR_HONOURS: Final = (0, 0, 0, 2, 4, 6)
"""By the honours that a side was dealt."""

# Calls ------------------------------------------------------------------------------

FIRST_CALL: Final = CARDS
DECLARATIONS: Final = (*SUIT_NAMES, "grand", "nullo")
GRAND, NULLO = 4, 5
"""The declarations that are no suit."""
NO_DECLARATION: Final = -1
PASS_TO_PARTNER, ACE_LOW, ACE_HIGH = range(CARDS + 6, CARDS + 9)
CALLS: Final = (*DECLARATIONS, "pass_to_partner", "ace_low", "ace_high")

DECLARE, PARTNER_DECLARES, PLAY, SAY_ACE = range(4)
"""The phases of a deal."""

# Options ----------------------------------------------------------------------------

ONE_DEAL, ONE_GAME, ONE_RUBBER = range(3)
REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH = range(3)
THIRD_BLACK: Final = (0, 3)
"""Clubs or spades, by the option."""
THIRD_RED: Final = (2, 1)
"""Hearts or diamonds, by the option."""
CALLED, ALWAYS_LOW, ALWAYS_HIGH = range(3)
SUITS_AND_GRAND, SUITS_ALONE = range(2)
RESET, KEPT = range(2)
MAY_WIN, STOP = range(2)
COUNTS, STOPS_WITH_RUBBER = range(2)
MOST_GAMES_IN_RUBBER: Final = 10
MOST_FOR_SLAM: Final = 20


@dataclasses.dataclass(frozen=True)
class CayenneOptions(PlayOptions):
    """Options of Cayenne. What no source settles is an option."""

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
            "What is rewarded: the points scored in each deal, each trick (at nullo, "
            "each that the other side takes), or winning (+1) or losing (-1) the "
            "episode."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    rubber_games: int = number(
        4,
        1,
        MOST_GAMES_IN_RUBBER,
        meaning="The games that win a rubber.",
        episode=("rubber",),
    )
    third_black: str = choice(
        "clubs",
        *("clubs", "spades"),
        meaning="The black suit that counts more, twice, when cayenne is red.",
    )
    third_red: str = choice(
        "hearts",
        *("hearts", "diamonds"),
        meaning="The red suit that counts more, twice, when cayenne is black.",
    )
    nullo_ace: str = choice(
        "called",
        *("called", "low", "high"),
        meaning=(
            "Whether who plays an ace at nullo says how it counts, the lowest or the "
            "highest card of its suit, or every ace counts the same."
        ),
    )
    little_slam: int = number(
        4, 0, MOST_FOR_SLAM, meaning="What twelve tricks count besides."
    )
    grand_slam: int = number(
        6, 0, MOST_FOR_SLAM, meaning="What thirteen tricks count besides."
    )
    slams: str = choice(
        "suits_and_grand",
        *("suits_and_grand", "suits"),
        meaning="Whether slams count with trumps and at grand, or with trumps alone.",
    )
    slams_multiplied: bool = flag(
        True,
        meaning="Whether slams, like honours, are multiplied by what a trick counts.",
    )
    loser_score: str = choice(
        "reset",
        *("reset", "kept"),
        meaning=(
            "Whether the other side's points in the game in progress go back to "
            "nothing when a side wins it."
        ),
        episode=("rubber",),
    )
    trick_side_honours: str = choice(
        "may_win",
        *("may_win", "stop"),
        meaning=(
            "Whether the honours of the side that scores tricks may win games, or stop "
            "at nine as those of the other side do."
        ),
        deals=(None,),
    )
    last_deal: str = choice(
        "counts",
        *("counts", "stops"),
        meaning=(
            "Whether all points of the deal that decides a rubber count in the total, "
            "or none after the last game is won."
        ),
        episode=("rubber",),
    )


RECORD: Final = record_dtype(
    SEATS,
    CayenneOptions,
    [
        *trick_fields(SEATS),
        *side_fields(),
        ("phase", np.int8),
        # The card at which the still pack was cut.
        ("cut", np.int8),
        # What was declared, a suit or grand or nullo, and by which seat; -1.
        ("declaration", np.int8),
        ("declarer", np.int8),
        # Aces that count low: bit *suit* set once such an ace is played.
        ("low_aces", np.uint8),
        # By side: points in this game, and games won.
        ("score", np.int32, (SIDES,)),
        ("games", np.int32, (SIDES,)),
    ],
)


@rule
def plays_games(record: Record) -> bool:
    """Whether scores run towards a game; with a fixed number of deals they do not."""
    return bool(record.options.deals == NOT_GIVEN)


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_match(record)
    record.dealer = first_dealer(record)
    shuffle(record, FULL_PACK)
    record.cut = cut_other_pack(record)
    deal_out(record)


@rule
def clear_match(record: Record) -> None:
    """All scores to nothing."""
    clear_sides(record)
    for side in range(SIDES):
        record.score[side] = 0
        record.games[side] = 0


@rule
def deal_out(record: Record) -> None:
    """Deal four, four and five cards at a time from the dealer's left (law 13).

    The dealer is the first to declare.
    """
    clear_table(record)
    eldest = left_of(record.dealer, SEATS)
    for card in range(CARDS):
        give(record, (eldest + place_in_packets(card)) % SEATS, record.pack[card])
    record.phase = DECLARE
    record.trump = NO_SUIT
    record.declaration = NO_DECLARATION
    record.declarer = NOBODY
    record.low_aces = 0
    lead(record, eldest)
    record.seat = record.dealer
    record.agent = record.seat


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left; the other pack is cut anew."""
    record.deal_number += 1
    record.dealer = left_of(record.dealer, SEATS)
    shuffle(record, FULL_PACK)
    record.cut = cut_other_pack(record)
    deal_out(record)


# Cayenne, and what a trick counts ---------------------------------------------------


@rule
def cayenne(record: Record) -> int:
    """The suit of the cut card."""
    return suit_of(record.cut)


@rule
def third_suit(record: Record) -> int:
    """The suit that ranks third: of the other colour than cayenne."""
    # Clubs 0 and spades 3 are black, diamonds 1 and hearts 2 are red.
    if cayenne(record) % 3 == 0:
        return THIRD_RED[record.options.third_red]
    return THIRD_BLACK[record.options.third_black]


@rule
def suit_value(record: Record, suit: int) -> int:
    """Cayenne 4, the other suit of its colour 3, the third suit 2, the fourth 1."""
    if suit == cayenne(record):
        return 4
    if suit == 3 - cayenne(record):
        return 3
    return 2 if suit == third_suit(record) else 1


@rule
def trick_value(record: Record) -> int:
    """What a trick counts by the declaration: by the suit of trumps, else 8."""
    if record.declaration >= GRAND:
        return HIGHEST_VALUE
    return suit_value(record, record.trump)


@rule
def is_nullo(record: Record) -> bool:
    """Whether tricks are to be lost."""
    return bool(record.declaration == NULLO)


# Declaring --------------------------------------------------------------------------


@rule
def declarations(record: Record) -> np.uint64:
    """Four suits, grand and nullo; only the dealer may pass that to his partner."""
    calls = NO_CARDS
    for declaration in range(NULLO + 1):
        calls |= single(FIRST_CALL + declaration)
    if record.phase == DECLARE:
        calls |= single(PASS_TO_PARTNER)
    return calls


@rule
def declare(record: Record, call: int) -> None:
    """The dealer passes that to his partner, or what is played is declared.

    The dealer's left then leads, whoever declared.
    """
    if call == PASS_TO_PARTNER:
        record.phase = PARTNER_DECLARES
        record.seat = partner_of(int(record.seat))
        return
    record.declaration = call - FIRST_CALL
    record.declarer = record.seat
    if record.declaration < GRAND:
        record.trump = record.declaration
    record.phase = PLAY
    record.seat = record.leader


# Play -------------------------------------------------------------------------------


@rule
def counts_low(record: Record, card: int) -> bool:
    """Whether a card that was played is an ace that ranks below the deuce."""
    return rank_of(card) == ACE and (record.low_aces >> suit_of(card)) & 1 != 0


@rule
def wins_so_far(record: Record, card: int) -> bool:
    """Whether a card beats the one that wins the trick so far.

    A low ace beats nothing, and every other card of its suit beats it.
    """
    if record.cards_in_trick == 0 or counts_low(record, card):
        return False
    best = int(record.trick[record.winner])
    if counts_low(record, best):
        return suit_of(card) == suit_of(best)
    return beats(card, best, record.trump)


@rule
def play(record: Record, card: int) -> None:
    """The seat to play plays a card; at nullo an ace counts low unless it is said."""
    seat = int(record.seat)
    is_nullo_ace = is_nullo(record) and rank_of(card) == ACE
    if is_nullo_ace and record.options.nullo_ace != ALWAYS_HIGH:
        record.low_aces |= np.uint8(1 << suit_of(card))
    play_card_as(record, card, suit_of(card), wins_so_far(record, card))
    if is_nullo_ace and record.options.nullo_ace == CALLED:
        record.phase = SAY_ACE
        record.seat = seat
    else:
        go_on(record)


@rule
def say_ace(record: Record, call: int) -> None:
    """Who has just played an ace at nullo says how it counts."""
    seat = int(record.seat)
    card = int(record.trick[seat])
    if call == ACE_HIGH:
        record.low_aces ^= np.uint8(1 << suit_of(card))
        if wins_so_far(record, card):
            record.winner = seat
    record.phase = PLAY
    record.seat = left_of(seat, SEATS)
    go_on(record)


@rule
def go_on(record: Record) -> None:
    """A full trick is taken; every hand is played out."""
    if trick_is_complete(record):
        side = side_of(take_trick(record))
        if record.options.reward == REWARD_TRICKS:
            pay_sides(record, 1 - side if is_nullo(record) else side, 1)


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """Declarations, then standard play; how an ace counts after it at nullo."""
    if record.phase == PLAY:
        return following(record), NO_CARDS
    if record.phase == SAY_ACE:
        return np.uint64(single(ACE_LOW) | single(ACE_HIGH)), NO_CARDS
    return declarations(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """The seat whose turn it is declares, plays a card, or says how an ace counts."""
    begin_action(record)
    if record.phase == PLAY:
        play(record, action)
    elif record.phase == SAY_ACE:
        say_ace(record, action)
    else:
        declare(record, action)
    record.agent = record.seat
    if record.tricks_played == TRICKS:
        end_deal(record)


# Scoring ----------------------------------------------------------------------------


@rule
def tricks_for(record: Record, side: int) -> int:
    """The tricks that count for a side: its own, and at nullo those of the other."""
    return tricks_taken(record, 1 - side if is_nullo(record) else side)


@rule
def trick_side(record: Record) -> int:
    """The side that scores tricks, which one always does with thirteen."""
    return 0 if tricks_for(record, 0) > BOOK else 1


@rule
def trick_points(record: Record, side: int) -> int:
    """Each trick above the book, whoever declared; at nullo for the adversaries."""
    return max(0, tricks_for(record, side) - BOOK) * trick_value(record)


@rule
def honour_points(record: Record, side: int) -> int:
    """Ace, king, queen, jack and ten of trumps as dealt; none at grand or nullo."""
    if record.trump == NO_SUIT:
        return 0
    held = honours_held(dealt_to(record, side), record.trump, HONOURS)
    return POINTS_FOR_HONOURS[held] * trick_value(record)


@rule
def slams_count(record: Record) -> bool:
    """With trumps and, by the usual reading, at grand."""
    if record.declaration == GRAND:
        return bool(record.options.slams == SUITS_AND_GRAND)
    return not is_nullo(record)


@rule
def slam_points(record: Record, side: int) -> int:
    """Twelve tricks and thirteen tricks."""
    points = 0
    if slams_count(record):
        tricks = tricks_taken(record, side)
        if tricks == TRICKS:
            points = int(record.options.grand_slam)
        elif tricks == TRICKS - 1:
            points = int(record.options.little_slam)
    if record.options.slams_multiplied:
        points *= trick_value(record)
    return points


@rule
def score_deal(record: Record) -> None:
    """Tricks first, then honours, then slams.

    If one side goes out by cards, the other scores no honours in that deal.
    """
    side = trick_side(record)
    games = record.games[side]
    add_points(record, side, trick_points(record, side))
    goes_out_by_cards = record.games[side] > games
    if record.options.trick_side_honours == MAY_WIN:
        add_points(record, side, honour_points(record, side))
    else:
        add_up_to_nine(record, side, honour_points(record, side))
    if not goes_out_by_cards:
        add_up_to_nine(record, 1 - side, honour_points(record, 1 - side))
    add_points(record, side, slam_points(record, side))


@rule
def add_up_to_nine(record: Record, side: int, points: int) -> None:
    """Points with which a side cannot go out: it stops at nine, the rest is lost."""
    if plays_games(record):
        points = min(points, GAME - 1 - int(record.score[side]))
    add_points(record, side, points)


@rule
def add_points(record: Record, side: int, points: int) -> None:
    """Points that win a game with each ten; the surplus is carried on."""
    points = points_that_count(record, side, points)
    record.points[side] += points
    if plays_games(record):
        record.score[side] += points
        while record.score[side] >= GAME:
            win_game(record, side)


@rule
def points_that_count(record: Record, side: int, points: int) -> int:
    """All, or by the other reading none after the last game of a rubber is won."""
    if record.options.last_deal == COUNTS:
        return points
    if match_winner(record) != NOBODY:
        return 0
    games_missing = int(record.options.rubber_games) - int(record.games[side])
    return min(points, GAME * games_missing - int(record.score[side]))


@rule
def win_game(record: Record, side: int) -> None:
    """Ten points are a game; the other side begins the next at nothing."""
    record.games[side] += 1
    record.score[side] -= GAME
    if record.options.loser_score == RESET:
        record.score[1 - side] = 0


# End of a deal, a game, a rubber ----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Score the deal; end the episode or deal again."""
    before = record.points[0] - record.points[1]
    score_deal(record)
    record.deals_played += 1
    for side in range(SIDES):
        record.tricks[side] += tricks_for(record, side)
    if episode_is_complete(record):
        settle(record)
        end_episode(record)
    else:
        next_deal(record)
    if record.options.reward == REWARD_POINTS:
        pay_sides(record, 0, record.points[0] - record.points[1] - before)


@rule
def match_winner(record: Record) -> int:
    """The side that has the games that win the episode, or -1."""
    needed = 1
    if record.options.episode == ONE_RUBBER:
        needed = int(record.options.rubber_games)
    for side in range(SIDES):
        if record.games[side] >= needed:
            return side
    return NOBODY


@rule
def episode_is_complete(record: Record) -> bool:
    """Whether the deals, the game or the rubber asked for have been played."""
    if not plays_games(record):
        return bool(record.deals_played == record.options.deals)
    if record.options.episode == ONE_DEAL:
        return True
    return match_winner(record) != NOBODY


@rule
def settle(record: Record) -> None:
    """A game or a rubber is won by games; all else by who has more points.

    The value of a rubber is the winners' total and 8 more, less the losers' total.
    """
    if record.options.episode == ONE_DEAL:
        margin = record.points[0] - record.points[1]
        if margin != 0:
            record.winning_side = 0 if margin > 0 else 1
    else:
        record.winning_side = match_winner(record)
    if record.options.episode == ONE_RUBBER:
        record.points[record.winning_side] += RUBBER_BONUS
    if record.options.reward == REWARD_MATCH and record.winning_side != NOBODY:
        pay_sides(record, record.winning_side, 1)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the side to act.

    It pays 56 points, as for all thirteen tricks at grand; thirteen where tricks are
    rewarded, or one where only winning is.
    """
    other = 1 - side_of(record.agent)
    begin_action(record)
    record.points[other] += FORFEIT
    if record.options.reward == REWARD_POINTS:
        pay_sides(record, other, FORFEIT)
    else:
        pay_sides(record, other, 1 if record.options.reward == REWARD_MATCH else TRICKS)
    record.winning_side = other
    end_episode(record)


# Information ------------------------------------------------------------------------

_MOST_IN_DEAL: Final = HIGHEST_VALUE * (TRICKS - BOOK + MOST_FOR_SLAM)
_MOST_GAMES: Final = MOST_GAMES_IN_RUBBER - 1 + (GAME - 1 + _MOST_IN_DEAL) // GAME

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature(
        "phase",
        ("phase",),
        (4,),
        0,
        1,
        "The phase: dealer declares, partner declares, play, an ace at nullo.",
    ),
    Feature(
        "cut",
        ("card",),
        (52,),
        0,
        1,
        "The card at which the still pack was cut; its suit is cayenne.",
    ),
    Feature(
        "declaration",
        ("declaration",),
        (6,),
        0,
        1,
        "What was declared: clubs, diamonds, hearts, spades, grand, nullo.",
    ),
    Feature("declarer", ("seat",), (SEATS,), 0, 1, "Who declared it."),
    Feature(
        "trick_value",
        (),
        (),
        0,
        HIGHEST_VALUE,
        "What each trick above six counts; 0 before the declaration.",
    ),
    Feature(
        "low_aces",
        ("suit",),
        (4,),
        0,
        1,
        "Suits whose ace was played and counts low.",
    ),
    Feature("tricks", ("side",), (SIDES,), 0, TRICKS, "Tricks taken in this deal."),
    Feature(
        "score", ("side",), (SIDES,), 0, GAME - 1, "Points in the game in progress."
    ),
    Feature("games", ("side",), (SIDES,), 0, _MOST_GAMES, "Games won."),
    Feature(
        "points",
        ("side", "digit"),
        (SIDES, 3),
        0,
        99,
        "Points in the whole episode: ten thousands, hundreds, and the rest.",
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
    Feature("hands", ("seat", "card"), (SEATS, 52), 0, 1, "Cards in every hand."),
)

_PHASE = FEATURES.offset("phase")
_CUT = FEATURES.offset("cut")
_DECLARATION = FEATURES.offset("declaration")
_DECLARER = FEATURES.offset("declarer")
_TRICK_VALUE = FEATURES.offset("trick_value")
_LOW_ACES = FEATURES.offset("low_aces")
_TRICKS = FEATURES.offset("tricks")
_SCORE = FEATURES.offset("score")
_GAMES = FEATURES.offset("games")
_POINTS = FEATURES.offset("points")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    write(out, _PHASE + int(record.phase), 1)
    write(out, _CUT + int(record.cut), 1)
    if record.declaration != NO_DECLARATION:
        write(out, _DECLARATION + int(record.declaration), 1)
        write(out, _DECLARER + relative(record.declarer, seat, SEATS), 1)
        write(out, _TRICK_VALUE, trick_value(record))
    if record.low_aces != 0:
        write_low_aces(record, out)
    write_scores(record, side_of(seat), out)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation and every hand."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = _HANDS + CARDS * relative(other, seat, SEATS)
        write_cards(out, place, record.hands[other])


@rule
def write_low_aces(record: Record, out: npt.NDArray[Any]) -> None:
    """The aces that count low, of those of which a player remembers the trick."""
    for suit in range(4):
        ace = 13 * suit + ACE
        is_remembered = (
            record.options.history == HISTORY_ALL
            or record.trick_of[ace] >= record.tricks_played
        )
        if counts_low(record, ace) and is_remembered:
            write(out, _LOW_ACES + suit, 1)


@rule
def write_scores(record: Record, side: int, out: npt.NDArray[Any]) -> None:
    """Tricks, points and games of the observer's side and of the other."""
    for other in range(SIDES):
        holder = side if other == 0 else 1 - side
        write(out, _TRICKS + other, tricks_taken(record, holder))
        write(out, _SCORE + other, record.score[holder])
        write(out, _GAMES + other, record.games[holder])
        write_number(out, _POINTS + 3 * other, record.points[holder], 3)
    if not plays_games(record):
        write(out, _DEALS_LEFT, record.options.deals - record.deals_played)


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The cut, what was declared by whom, and aces on the table that count low."""
    low = [card_name(c) for c in record.trick.tolist() if c >= 0 and _is_low(record, c)]
    lines = (
        ("cut", f"{card_name(record.cut)}, cayenne is {SUIT_NAMES[cayenne(record)]}"),
        ("declaration", _declaration_text(record)),
        ("counts low", " ".join(low)),
    )
    return tuple((name, text) for name, text in lines if text)


def _is_low(record: Record, card: int) -> bool:
    return bool(counts_low(record, card))


def _declaration_text(record: Record) -> str:
    if record.phase == DECLARE:
        return ""
    if record.phase == PARTNER_DECLARES:
        return f"passed by player_{record.dealer}"
    declared = DECLARATIONS[record.declaration]
    return f"{declared} by player_{record.declarer}, {trick_value(record)} a trick"


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    cut: str | None = None,
    dealer: int | None = None,
    scores: tuple[int, int] | None = None,
    games: tuple[int, int] | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        cut: the card at which the still pack is cut, such as ``"H7"``.
        dealer: the seat that deals.
        scores: the points of side 0 and side 1 in the game in progress.
        games: the games that each has won in the rubber; what they scored is not
            known and counts nothing.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_match(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    if scores is not None:
        _give_scores(record, scores)
    if games is not None:
        if record.options.episode != ONE_RUBBER:
            raise ValueError("games= belongs to a rubber; take episode='rubber'")
        most = int(record.options.rubber_games) - 1
        record.games[:] = check_pair("games", games, most)
    record.cut = cut_other_pack(record) if cut is None else parse_card(cut)
    if deal is None:
        shuffle(record, FULL_PACK)
    else:
        eldest = int(record.dealer) + 1
        order = [(eldest + place_in_packets(card)) % SEATS for card in range(CARDS)]
        stack_pack(record, parse_given_deal(deal), order)
    deal_out(record)


def _give_scores(record: Record, scores: tuple[int, int]) -> None:
    """Begin in the middle of a game; its points count in the totals of the episode."""
    if not plays_games(record):
        raise ValueError("scores= belongs to a game; with deals= there are no games")
    record.score[:] = check_pair("scores", scores, GAME - 1)
    if record.options.episode != ONE_DEAL:
        record.points[:] = record.score


def reason(record: Record, action: int) -> str:
    """Why an action is illegal for the seat to act."""
    if record.phase == SAY_ACE:
        return "who has just played an ace at nullo must say first how it counts"
    if record.phase == PLAY:
        return _reason_in_play(record, action)
    if action < CARDS:
        return "no card is played before trumps, grand or nullo are declared"
    if action == PASS_TO_PARTNER:
        return "the dealer has passed to his partner, who must declare"
    return "how an ace counts is said when it is played at nullo"


def _reason_in_play(record: Record, action: int) -> str:
    if action < CARDS:
        return reason_not_to_play(record, action)
    if action >= ACE_LOW:
        return "how an ace counts is said when it has just been played at nullo"
    return "the declaration is made, and a card must be played"


RULES: Final = (
    Rules(
        name="cayenne",
        title="Cayenne",
        agents=SEATS,
        partners=PARTNERS,
        action_names=(*(card_name(card) for card in range(CARDS)), *CALLS),
        options=CayenneOptions,
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
            (
                "declare",
                "The dealer names trumps, grand or nullo, or passes that to the "
                "partner.",
            ),
            ("partner_declares", "If it was passed, the dealer's partner must name."),
            ("play", "Thirteen tricks; the dealer's left leads, whoever declared."),
            ("ace", "Who has played an ace at nullo says how it counts."),
        ),
        notes=notes,
    ),
)
