"""Whist.

Four players, partners opposite; seats 0 and 2 are side 0, seats 1 and 3 are side 1. The
whole pack is dealt one card at a time from the dealer's left. The last card is the
dealer's, is turned face up and fixes trumps.

Sources of the scoring presets:

========== =========================================================================
`awl`      Laws of the American Whist League (1893), law 1
`american` American whist scoring, where the winner's overshoot counts
`hoyle7`   Whist in Hoyle's games: seven points, honours counted
`short5`   English short whist: five points, honours counted, rubber of three games
`to25`     Whist to twenty-five points
`robber`   Robber whist: a rubber of two games, slams, honours and sequences
========== =========================================================================
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    RANKS_IN_SUIT,
    card_name,
    card_set,
    holds,
    single,
    suit_of,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    check_pack,
    check_small_pack,
    dealer_option,
    first_dealer,
    ranks_option,
    small_pack,
    stack_turned_pack,
    suits_option,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.honours import dealt_to, honour_points, honours_held
from whist_env.engine.options import NOT_GIVEN, choice, number
from whist_env.engine.partners import (
    PARTNERS,
    SEATS,
    SIDES,
    check_pair,
    clear_sides,
    clear_transfers,
    for_agents,
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
from whist_env.engine.sight import (
    HISTORY_ALL,
    PlayOptions,
    play_features,
    relative,
    write_play,
)
from whist_env.engine.tricks import (
    clear_table,
    give,
    lead,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

# Options ----------------------------------------------------------------------------

AWL, AMERICAN, HOYLE7, SHORT5, TO25, ROBBER = range(6)
TARGETS: Final = (7, 7, 7, 5, 25, 10)
"""The points that make a game, by scoring preset."""
ONE_DEAL, ONE_GAME, ONE_RUBBER = range(3)
REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH, REWARD_SETTLEMENT = range(4)
TRICKS_FIRST, SUM = range(2)
LOST, CARRIED = range(2)
BONUS, REPLACES_HONOURS = range(2)
IN_HAND, IN_SIDE = range(2)
STEP, PER_CARD = range(2)
BOTH, ONE = range(2)
BY_PRESET, TWO_TRICKS, THREE_TRICKS, DEDUCT_THREE, ADD_THREE, FIVE_POINTS = range(6)
PENALTIES: Final = (
    *(TWO_TRICKS, TWO_TRICKS),
    *(THREE_TRICKS, THREE_TRICKS, THREE_TRICKS),
    FIVE_POINTS,
)
"""The penalty for a revoke, by scoring preset: American, English, robber whist."""


@dataclasses.dataclass(frozen=True)
class WhistOptions(PlayOptions):
    """Options of Whist. What no source settles is an option."""

    scoring: str = choice(
        "awl",
        *("awl", "american", "hoyle7", "short5", "to25", "robber"),
        meaning="The scoring preset.",
    )
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
        *("points", "tricks", "match", "settlement"),
        meaning=(
            "What is rewarded: the points scored in each deal, each trick, winning "
            "(+1) or losing (-1) the episode, or what its loser pays its winner."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    target: int | None = number(
        None,
        1,
        100,
        meaning="The points that make a game; None takes the preset's.",
    )
    count_order: str = choice(
        "tricks_first",
        *("tricks_first", "sum"),
        meaning=(
            "Where both sides reach the game in one deal: tricks count before honours, "
            "or both are added and the higher total wins."
        ),
        scoring=("hoyle7",),
    )
    surplus: str = choice(
        "lost",
        *("lost", "carried"),
        meaning="Whether points beyond the game count in the next game of a rubber.",
        scoring=("short5",),
    )
    honours_counted: int = number(
        5, 5, 6, meaning="Honours from the ace down: five, or six.", scoring=("robber",)
    )
    rubber_bonus: int = number(
        0, 0, 100, meaning="Points for winning the rubber.", scoring=("robber",)
    )
    slam: str = choice(
        "bonus",
        *("bonus", "replaces_honours"),
        meaning="Whether a slam counts besides the honours or in their place.",
        scoring=("robber",),
    )
    sequence_holder: str = choice(
        "hand",
        *("hand", "side"),
        meaning="Whether a sequence lies in one hand or in both hands of a side.",
        scoring=("robber",),
    )
    long_sequence: str = choice(
        "step",
        *("step", "per_card"),
        meaning=(
            "A sequence longer than ace to ten: 5 more for each further card, or 5 for "
            "each of its cards (twice that in trumps)."
        ),
        scoring=("robber",),
    )
    trump_sequence_and_honours: str = choice(
        "both",
        *("both", "one"),
        meaning="Whether a side scores both, or only the higher of the two.",
        scoring=("robber",),
    )

    revokes: str = revokes_option()
    revoke_penalty: str = choice(
        "preset",
        *("preset", "two_tricks", "three_tricks"),
        *("deduct_three", "add_three", "five_points"),
        meaning=(
            "What each revoke costs: two or three tricks that pass to the other side, "
            "three points, three or five points to the other side; by default what the "
            "laws of the preset say."
        ),
        revokes=("penalty",),
    )
    ranks: int = ranks_option(scoring=("awl", "american", "to25"))
    suits: int = suits_option(scoring=("awl", "american", "to25"))

    def __post_init__(self) -> None:
        """Check each option, and that the preset has rubbers where one is asked for."""
        super().__post_init__()
        check_small_pack(self.ranks, self.suits, 4)
        if self.revokes == "penalty":
            self._check_penalty()
        if self.deals is not None and self.target is not None:
            raise ValueError(
                f"target={self.target} belongs to a game; with deals={self.deals} "
                "there are no games"
            )
        if self.episode == "rubber" and self.scoring not in ("short5", "robber"):
            raise ValueError(
                f"episode='rubber' needs scoring='short5' or 'robber'; "
                f"scoring={self.scoring!r} has no rubbers, take episode='game'"
            )

    def _check_penalty(self) -> None:
        """Refuse penalties that would cost nothing."""
        of_preset = PENALTIES[_place("scoring", self.scoring)]
        penalty = _place("revoke_penalty", self.revoke_penalty) or of_preset
        if penalty == DEDUCT_THREE and self.episode == "deal":
            raise ValueError(
                "revoke_penalty='deduct_three' needs points to deduct from; take "
                "episode='game', or another penalty"
            )
        if self.reward == "tricks" and penalty not in (TWO_TRICKS, THREE_TRICKS):
            raise ValueError(
                "reward='tricks' needs revoke_penalty='two_tricks' or 'three_tricks': "
                "points cost nothing there"
            )


def _place(option: str, word: str) -> int:
    """The number of a word of an option."""
    words = WhistOptions.__dataclass_fields__[option].metadata["values"]
    return int(words.index(word))


RECORD: Final = record_dtype(
    SEATS,
    WhistOptions,
    [
        *trick_fields(SEATS),
        *revoke_fields(SEATS),
        *side_fields(),
        *transfer_fields(),
        ("turned", np.int8),
        # By side: points in this game, games won, points above the line in the whole
        # episode, rubber points, what the episode is worth in the end.
        ("score", np.int32, (SIDES,)),
        ("games", np.int32, (SIDES,)),
        ("above", np.int32, (SIDES,)),
        ("rubber_points", np.int32, (SIDES,)),
        ("settlement", np.int32, (SIDES,)),
    ],
)


@rule
def pack_of(record: Record) -> np.uint64:
    """The pack: 52 cards, or those of a smaller game."""
    return small_pack(record.options.ranks, record.options.suits)


@rule
def hand_size(record: Record) -> int:
    """The cards dealt to each, and the tricks of a deal: thirteen."""
    return int(record.options.ranks * record.options.suits) // SEATS


@rule
def book(record: Record) -> int:
    """The tricks that do not count: six, or half the tricks of a smaller game."""
    return hand_size(record) // 2


@rule
def target(record: Record) -> int:
    """The points that make a game."""
    if record.options.target != NOT_GIVEN:
        return int(record.options.target)
    return TARGETS[record.options.scoring]


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
    shuffle(record, pack_of(record))
    deal_out(record)


@rule
def clear_match(record: Record) -> None:
    """All scores to nothing."""
    clear_sides(record)
    for side in range(SIDES):
        record.score[side] = 0
        record.games[side] = 0
        record.above[side] = 0
        record.rubber_points[side] = 0
        record.settlement[side] = 0


@rule
def deal_out(record: Record) -> None:
    """Deal the pack one card at a time from the dealer's left; turn the last card."""
    clear_table(record)
    clear_revokes(record)
    clear_transfers(record)
    cards = SEATS * hand_size(record)
    for place in range(cards):
        give(record, (record.dealer + 1 + place) % SEATS, record.pack[place])
    record.turned = record.pack[cards - 1]
    record.trump = suit_of(record.turned)
    lead(record, (record.dealer + 1) % SEATS)
    record.agent = record.seat


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = (record.dealer + 1) % SEATS
    shuffle(record, pack_of(record))
    deal_out(record)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """A follower plays a card of the suit led if it holds one, else any card."""
    return playable(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """The seat to play plays a card; all thirteen tricks are played."""
    begin_action(record)
    note_revoke(record, action)
    play_card(record, action)
    if trick_is_complete(record):
        side = side_of(take_trick(record))
        if record.options.reward == REWARD_TRICKS:
            pay_sides(record, side, 1)
    record.agent = record.seat
    if record.tricks_played == hand_size(record):
        end_deal(record)


@rule
def turned_card_lies_open(record: Record) -> bool:
    """The turned card stays on the table until the dealer plays to trick 1 (law 18)."""
    return bool(record.tricks_played == 0)


# Honours and sequences, from the hands as dealt -------------------------------------


@rule
def run_from_ace(cards: np.uint64, suit: int) -> int:
    """How many cards of a suit the set holds from the ace down without a gap."""
    length = 0
    while length < RANKS_IN_SUIT and holds(cards, 13 * suit + 12 - length):
        length += 1
    return length


@rule
def robber_honour_points(record: Record, side: int) -> int:
    """Robber whist: as many points as honours, but three honours count 2."""
    held = honours_held(
        dealt_to(record, side), record.trump, record.options.honours_counted
    )
    if held < 3:
        return 0
    return 2 if held == 3 else held


@rule
def sequence_points(record: Record, cards: np.uint64, suit: int) -> int:
    """Robber whist: a sequence from the ace down, three to seven cards; trumps double.

    A-K-Q 5, A-K-Q-J 10, A-K-Q-J-10 20, each further card down to the eight 5 more; by
    the other reading a sequence longer than ace to ten counts 5 for each card.
    """
    length = min(run_from_ace(cards, suit), 7)
    points = 0
    if length == 3:
        points = 5
    elif length == 4:
        points = 10
    elif length == 5:
        points = 20
    elif length > 5:
        if record.options.long_sequence == PER_CARD:
            points = 5 * length
        else:
            points = 20 + 5 * (length - 5)
    return 2 * points if suit == record.trump else points


@rule
def side_sequence_points(record: Record, side: int, suit: int) -> int:
    """The sequence of a side in a suit, in one hand or in both together."""
    if record.options.sequence_holder == IN_SIDE:
        return sequence_points(record, dealt_to(record, side), suit)
    # Only one hand can hold the ace, so at most one of the two counts.
    return sequence_points(record, record.dealt[side], suit) + sequence_points(
        record, record.dealt[side + 2], suit
    )


@rule
def slam_points(record: Record, side: int) -> int:
    """Robber whist: twelve tricks 10, thirteen tricks 20, besides the odd tricks."""
    tricks = tricks_taken(record, side)
    if tricks == 13:
        return 20
    return 10 if tricks == 12 else 0


@rule
def above_the_line(record: Record, side: int) -> int:
    """Robber whist: what a side scores above the line in a deal."""
    options = record.options
    slam = slam_points(record, side)
    honours = robber_honour_points(record, side)
    if slam > 0 and options.slam == REPLACES_HONOURS:
        honours = 0
    plain = 0
    in_trumps = 0
    for suit in range(4):
        points = side_sequence_points(record, side, suit)
        if suit == record.trump:
            in_trumps = points
        else:
            plain += points
    if options.trump_sequence_and_honours == ONE:
        return slam + plain + max(in_trumps, honours)
    return slam + plain + in_trumps + honours


# Revokes ----------------------------------------------------------------------------


@rule
def revoke_penalty(record: Record) -> int:
    """What a revoke costs, as the laws of the preset say or as is agreed.

    English whist leaves the choice of three penalties to the other side, American
    whist transfers two tricks, robber whist gives five points.
    """
    if record.options.revoke_penalty == BY_PRESET:
        return PENALTIES[record.options.scoring]
    return int(record.options.revoke_penalty)


@rule
def settle_revokes(record: Record) -> None:
    """Every revoke of the deal is paid for, before anything else is scored."""
    penalty = revoke_penalty(record)
    if penalty == TWO_TRICKS:
        transfer_tricks(record, 2)
    elif penalty == THREE_TRICKS:
        transfer_tricks(record, 3)
    else:
        for side in range(SIDES):
            if penalty == DEDUCT_THREE:
                points = min(3 * revokes_of(record, side), int(record.score[side]))
                add_points(record, side, -points)
            else:
                points = 3 if penalty == ADD_THREE else 5
                add_points(record, 1 - side, points * revokes_of(record, side))
    if record.options.reward == REWARD_TRICKS:
        pay_sides(record, 0, record.transferred[0])


# Scoring ----------------------------------------------------------------------------


@rule
def odd_tricks(record: Record, side: int) -> int:
    """Tricks above the book."""
    return max(0, tricks_counted(record, side) - book(record))


@rule
def majority_side(record: Record) -> int:
    """The side that took more tricks than the book, which one always does with 13."""
    return 0 if tricks_counted(record, 0) > book(record) else 1


@rule
def has_game(record: Record, side: int) -> bool:
    """Whether a side's points make a game."""
    return plays_games(record) and record.score[side] >= target(record)


@rule
def add_points(record: Record, side: int, points: int) -> None:
    """Points that count towards the game, which no side wins that has revoked."""
    if plays_games(record) and revokes_of(record, side) > 0:
        points = min(points, target(record) - 1 - int(record.score[side]))
    record.score[side] += points
    record.points[side] += points


@rule
def score_awl(record: Record) -> None:
    """One point for each odd trick; points above seven do not count."""
    side = majority_side(record)
    points = odd_tricks(record, side)
    if plays_games(record):
        points = min(points, target(record) - record.score[side])
    add_points(record, side, points)


@rule
def score_odd_tricks(record: Record) -> None:
    """American whist and whist to 25: one point for each odd trick."""
    side = majority_side(record)
    add_points(record, side, odd_tricks(record, side))


@rule
def score_hoyle7(record: Record) -> None:
    """Odd tricks and honours; tricks go before honours, or both are added."""
    side = majority_side(record)
    add_points(record, side, odd_tricks(record, side))
    if record.options.count_order == TRICKS_FIRST and has_game(record, side):
        return
    for holder in range(SIDES):
        add_points(record, holder, honour_points(record, holder))


@rule
def score_short5(record: Record) -> None:
    """Tricks, then the majority side's honours, then the other side's up to four.

    The side with the majority may go out by honours; the other may not, and scores
    nothing for honours where the majority side has won the game.
    """
    side = majority_side(record)
    add_points(record, side, odd_tricks(record, side))
    if has_game(record, side):
        return
    add_points(record, side, honour_points(record, side))
    if has_game(record, side):
        return
    other = 1 - side
    points = honour_points(record, other)
    if plays_games(record):
        points = min(points, max(0, target(record) - 1 - record.score[other]))
    add_points(record, other, points)


@rule
def score_robber(record: Record) -> None:
    """Two below the line for each odd trick; the rest above it."""
    side = majority_side(record)
    add_points(record, side, 2 * odd_tricks(record, side))
    for holder in range(SIDES):
        points = above_the_line(record, holder)
        record.above[holder] += points
        record.points[holder] += points


@rule
def score_deal(record: Record) -> None:
    """Score the thirteen tricks by the preset."""
    scoring = record.options.scoring
    if scoring == AWL:
        score_awl(record)
    elif scoring == HOYLE7:
        score_hoyle7(record)
    elif scoring == SHORT5:
        score_short5(record)
    elif scoring == ROBBER:
        score_robber(record)
    else:
        score_odd_tricks(record)


@rule
def game_winner(record: Record) -> int:
    """The side that has won the game in progress, or -1.

    Both sides can have the points only where tricks and honours are added; then the
    higher total wins, and equal totals play on.
    """
    if not has_game(record, 0) and not has_game(record, 1):
        return NOBODY
    lead_of_first = record.score[0] - record.score[1]
    if lead_of_first == 0:
        return NOBODY
    return 0 if lead_of_first > 0 else 1


# End of a deal, a game, a rubber ----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Score the deal; end the episode or deal again."""
    before = record.points[0] - record.points[1]
    if record.options.revokes == PENALTY:
        settle_revokes(record)
    score_deal(record)
    record.deals_played += 1
    for side in range(SIDES):
        record.tricks[side] += tricks_counted(record, side)
    winner = game_winner(record)
    if winner != NOBODY:
        win_game(record, winner)
    if episode_is_complete(record, winner):
        settle(record, winner)
        end_episode(record)
    else:
        next_deal(record)
    if record.options.reward == REWARD_POINTS:
        pay_sides(record, 0, record.points[0] - record.points[1] - before)


@rule
def win_game(record: Record, winner: int) -> None:
    """Count a game won and, where another follows, start it."""
    count_game(record, winner, record.score[1 - winner])
    if record.options.episode != ONE_RUBBER:
        return
    if record.options.surplus == CARRIED:
        # A surplus that makes a whole game wins it at once, from opponents without a
        # point. The sources are silent; Cayenne, which carries surpluses, does so.
        while record.games[winner] < 2 and record.score[winner] >= 2 * target(record):
            record.score[winner] -= target(record)
            record.score[1 - winner] = 0
            count_game(record, winner, 0)
    if record.games[winner] < 2:
        carried = record.score[winner] - target(record)
        record.score[winner] = carried if record.options.surplus == CARRIED else 0
        record.score[1 - winner] = 0
    elif record.options.scoring == ROBBER:
        record.above[winner] += record.options.rubber_bonus
        record.points[winner] += record.options.rubber_bonus


@rule
def count_game(record: Record, winner: int, loser_score: int) -> None:
    """A game won, and what it is worth in rubber points."""
    record.games[winner] += 1
    record.rubber_points[winner] += rubber_points(record, loser_score)


@rule
def rubber_points(record: Record, loser_score: int) -> int:
    """Short whist: 3 if the losers have no point, 2 below half the game, else 1."""
    if loser_score == 0:
        return 3
    return 2 if 2 * loser_score < target(record) else 1


@rule
def episode_is_complete(record: Record, winner: int) -> bool:
    """Whether the deals, the game or the rubber asked for have been played."""
    if not plays_games(record):
        return bool(record.deals_played == record.options.deals)
    if record.options.episode == ONE_DEAL or broken_off(record):
        return True
    if winner == NOBODY:
        return False
    return bool(record.options.episode == ONE_GAME or record.games[winner] == 2)


@rule
def settle(record: Record, winner: int) -> None:
    """What the episode is worth, and to whom."""
    amount = settlement_of_first(record, winner)
    record.settlement[0] = amount
    record.settlement[1] = -amount
    record.winning_side = winning_side(record, winner)
    if record.options.reward == REWARD_SETTLEMENT:
        pay_sides(record, 0, amount)
    elif record.options.reward == REWARD_MATCH and record.winning_side != NOBODY:
        pay_sides(record, record.winning_side, 1)


@rule
def settlement_of_first(record: Record, winner: int) -> int:
    """What side 1 owes side 0 at the end of the episode.

    A game of the American Whist League is worth seven less the loser's score; a rubber
    of short whist the winner's rubber points and two more, less the loser's; all
    others the difference of the points.
    """
    scoring = record.options.scoring
    if winner == NOBODY or record.options.episode == ONE_DEAL or scoring == ROBBER:
        return int(record.points[0]) - int(record.points[1])
    sign = 1 if winner == 0 else -1
    if scoring == AWL:
        return sign * int(target(record) - record.score[1 - winner])
    if scoring == SHORT5:
        value = record.rubber_points[winner] - record.rubber_points[1 - winner]
        if record.options.episode == ONE_RUBBER:
            value += 2
        return sign * int(value)
    return int(record.score[0]) - int(record.score[1])


@rule
def winning_side(record: Record, winner: int) -> int:
    """The winner of the game or rubber; else, and in robber whist, who has more.

    Robber whist compares totals at the end of the rubber: a side may win the rubber
    and lose by the totals.
    """
    episode = record.options.episode
    totals_decide = episode == ONE_RUBBER and record.options.scoring == ROBBER
    if plays_games(record) and episode != ONE_DEAL and not totals_decide:
        return winner
    if record.settlement[0] == record.settlement[1]:
        return NOBODY
    return 0 if record.settlement[0] > record.settlement[1] else 1


@rule
def forfeit(record: Record) -> None:
    """End the episode against the side to act, as if it had lost all thirteen tricks.

    It pays thirteen, or one where only winning is rewarded.
    """
    other = 1 - side_of(record.agent)
    tricks = hand_size(record)
    begin_action(record)
    pay_sides(record, other, 1 if record.options.reward == REWARD_MATCH else tricks)
    record.winning_side = other
    record.settlement[other] = tricks
    record.settlement[1 - other] = -tricks
    end_episode(record)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    *revoke_features(SEATS),
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
    Feature("tricks", ("side",), (2,), 0, 13, "Tricks taken in this deal."),
    Feature(
        "score",
        ("side", "digit"),
        (2, 2),
        0,
        99,
        "Points in the game in progress: hundreds, and the rest.",
    ),
    Feature("games", ("side",), (2,), 0, 2, "Games won in the rubber."),
    Feature(
        "points",
        ("side", "digit"),
        (2, 3),
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
    Feature("hands", ("seat", "card"), (4, 52), 0, 1, "Cards in every hand."),
    Feature("revokes", ("seat",), (4,), 0, 13, "Revokes of each seat in this deal."),
)

_REVOKED = FEATURES.offset("revoked")
_TURNED = FEATURES.offset("turned")
_TURNED_LIES_OPEN = FEATURES.offset("turned_lies_open")
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
    write_turned(record, out)
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
def write_turned(record: Record, out: npt.NDArray[Any]) -> None:
    """The turned card, which a player remembers or not."""
    lies_open = turned_card_lies_open(record)
    if lies_open or record.options.history == HISTORY_ALL:
        write(out, _TURNED + int(record.turned), 1)
    if lies_open:
        write(out, _TURNED_LIES_OPEN, 1)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, and the turned card while it lies open."""
    if agent == seat:
        return np.uint64(record.hands[seat])
    if turned_card_lies_open(record):
        return np.uint64(record.hands[seat] & single(record.turned))
    return NO_CARDS


@rule
def write_scores(record: Record, side: int, out: npt.NDArray[Any]) -> None:
    """Tricks, points and games of the observer's side and of the other."""
    for other in range(SIDES):
        holder = side if other == 0 else 1 - side
        write(out, _TRICKS + other, tricks_counted(record, holder))
        write(out, _GAMES + other, record.games[holder])
        if plays_games(record):
            write_number(out, _SCORE + 2 * other, record.score[holder], 2)
        write_number(out, _POINTS + 3 * other, record.points[holder], 3)
    if not plays_games(record):
        write(out, _DEALS_LEFT, record.options.deals - record.deals_played)


# Judging finished episodes -----------------------------------------------------------


def paid(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What the other side pays the agent's side in the end."""
    return for_agents(records["settlement"])


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    turned: str | None = None,
    dealer: int | None = None,
    scores: tuple[int, int] | None = None,
    games: tuple[int, int] | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        turned: the card that the dealer turns, such as ``"H7"``, one of the dealer's;
            drawn from the dealer's hand where it is not given.
        dealer: the seat that deals.
        scores: the points of side 0 and side 1 in the game in progress.
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
        _give_scores(record, scores)
    if games is not None:
        if record.options.episode != ONE_RUBBER:
            raise ValueError("games= belongs to a rubber; take episode='rubber'")
        record.games[:] = check_pair("games", games, 1)
    if deal is not None:
        _stack_pack(record, deal, turned)
    elif turned is not None:
        raise ValueError("turned= names a card of a given deal; give deal= as well")
    else:
        shuffle(record, pack_of(record))
    deal_out(record)


def _give_scores(record: Record, scores: tuple[int, int]) -> None:
    """Begin in the middle of a game; its points count in the totals of the episode."""
    if not plays_games(record):
        raise ValueError("scores= belongs to a game; with deals= there are no games")
    record.score[:] = check_pair("scores", scores, target(record) - 1)
    if record.options.episode != ONE_DEAL:
        record.points[:] = record.score


def _stack_pack(record: Record, deal: str, turned: str | None) -> None:
    """Order the pack so that dealing it out gives these hands."""
    cards = SEATS * hand_size(record)
    stack_turned_pack(record, deal, turned, [place % SEATS for place in range(cards)])
    check_pack([card_set(record.pack[:cards].tolist())], pack_of(record))


def reason(record: Record, action: int) -> str:
    """Why a card may not be played by the seat to play."""
    return reason_not_to_play(record, action)


RULES: Final = (
    Rules(
        name="whist",
        title="Whist",
        agents=SEATS,
        partners=PARTNERS,
        action_names=tuple(card_name(card) for card in range(CARDS)),
        options=WhistOptions,
        record=RECORD,
        features=FEATURES,
        state_features=STATE_FEATURES,
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={
            "points": points_made,
            "tricks": tricks_made,
            "settlement": paid,
            "won": won,
        },
        set_up=set_up,
        reason=reason,
        phases=(("play", "Thirteen tricks; the dealer's left leads to the first."),),
        visible=visible,
    ),
)
