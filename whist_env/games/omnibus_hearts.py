"""Omnibus Hearts.

Four players have thirteen cards each; five have ten, without two low cards, and six
have eight, without four, none of which are hearts.
There are no partners and no trumps. Each passes some cards to its left neighbour. Then
nobody wants hearts and the queen of spades, and everybody the ten of diamonds, unless
it can win all of them.

Sources: the values of the cards as the makers of playing cards print them; Hoyle's
games name the game alone. The rest is as it is mostly played, with the usual choices as
options.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    FULL_PACK,
    NO_CARDS,
    card_name,
    card_set,
    count,
    holds,
    lowest,
    members,
    parse_card,
    single,
    whole_suit,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import begin_episode, check_dealer, first_dealer
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    offsets,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.individual import (
    MOST_DEALS,
    ONE_AT_A_TIME,
    ONE_DEAL,
    REWARD_POINTS,
    IndividualOptions,
    above_the_mean,
    all_win_but,
    clear_points,
    deal_whole_pack,
    eldest,
    fewest_points,
    find_winners,
    finish,
    gain_from_all,
    give_scores,
    match_fields,
    number_of_deals,
    stack_hands,
    won,
)
from whist_env.engine.options import choice, flag, number
from whist_env.engine.record import NOBODY, Record, begin_action, record_dtype
from whist_env.engine.rules import Rules
from whist_env.engine.sight import play_features, relative, write_play
from whist_env.engine.tricks import (
    following,
    lead,
    left_of,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

PLAYERS: Final = (4, 5, 6)
LOW_CARDS: Final = (("C2", "D2", "C3", "S2"), ("C2", "S2", "C3", "S3"))
"""By option: the cards that six players leave out; five leave out the first two."""
PACKS: Final = tuple(
    (
        *(NO_CARDS,) * 4,
        *(without(FULL_PACK, card_set(map(parse_card, out[:n]))) for n in (0, 2, 4)),
    )
    for out in LOW_CARDS
)
"""By option, the pack by the number of players."""
CLUBS: Final = whole_suit(0)
HEARTS: Final = whole_suit(2)
QUEEN_OF_SPADES: Final = parse_card("SQ")
PENALTY_CARDS: Final = np.uint64(HEARTS | single(QUEEN_OF_SPADES))

PASS, PLAY = range(2)

A_HEART: Final = -1
THE_QUEEN: Final = -13
THE_BONUS: Final = 10
ALL_OF_THEM: Final = 26
THE_WORST: Final = 13 * A_HEART + THE_QUEEN
MOST_GIVEN: Final = 999

# Options ----------------------------------------------------------------------------

ALWAYS_LEFT, CYCLE = range(2)
TO_LEFT, TO_RIGHT, ACROSS, HOLD = range(4)
ELDEST, TWO_OF_CLUBS = range(2)
BONUS_CARDS: Final = (parse_card("DT"), parse_card("DJ"))
"""The card that everybody wants, by option."""


@dataclasses.dataclass(frozen=True)
class OmnibusHeartsOptions(IndividualOptions):
    """Options of Omnibus Hearts. What no source settles is an option."""

    players: int = number(
        PLAYERS[0], PLAYERS[0], PLAYERS[-1], meaning="The number of players."
    )
    limit: int = number(
        100,
        1,
        MOST_GIVEN + 1,
        meaning=(
            "A game ends when somebody is as many points below 0; the highest score "
            "wins."
        ),
        episode=("game",),
    )
    low_cards_out: str = choice(
        "mixed",
        *("mixed", "black"),
        meaning=(
            "Which low cards are out of the pack where five or six play: C2 and D2, "
            "with six C3 and S2 as well; or C2 and S2, with six C3 and S3 as well."
        ),
        players=(5, 6),
    )
    cards_passed: int = number(
        3, 1, 5, meaning="How many cards each player passes before the play."
    )
    pass_cycle: str = choice(
        "left",
        *("left", "left,right,across,hold"),
        meaning=(
            "To whom cards are passed: always to the left, or in one deal after the "
            "other to the left, to the right, half way round the table, and to nobody."
        ),
    )
    lead: str = choice(
        "eldest",
        *("eldest", "2c"),
        meaning=(
            "Who leads first: the dealer's left any card, or who holds it the deuce of "
            "clubs (the lowest club in the pack)."
        ),
    )
    hearts_broken: bool = flag(
        False,
        meaning=(
            "Whether hearts may not be led before one has been played, as long as "
            "anything else is held."
        ),
    )
    no_points_first_trick: bool = flag(
        False,
        meaning=(
            "Whether no heart and no queen of spades may be played to the first trick, "
            "as long as anything else may."
        ),
    )
    bonus_card: str = choice(
        "DT", *("DT", "DJ"), meaning="The diamond that counts ten points."
    )


def record_of(players: int) -> Any:
    """The record of a table for so many players."""
    return record_dtype(
        players,
        OmnibusHeartsOptions,
        [
            *trick_fields(players),
            *match_fields(players),
            ("phase", np.int8),
            # How many places to the left cards are passed in this deal, 0 if not.
            ("pass_distance", np.int8),
            # By player: the cards it passes on in this deal, and those it has taken in
            # tricks.
            ("passed", np.uint64, (players,)),
            ("taken", np.uint64, (players,)),
        ],
    )


@rule
def pack_for(options: Any, players: int) -> np.uint64:
    """The pack for so many players."""
    return PACKS[options.low_cards_out][players]


@rule
def pack_of(record: Record) -> np.uint64:
    """The pack for the players at the table."""
    return pack_for(record.options, record.hands.size)


@rule
def tricks_of_deal(record: Record) -> int:
    """How many tricks a deal has: as many as each player has cards."""
    return count(pack_of(record)) // int(record.hands.size)


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_points(record)
    record.dealer = first_dealer(record)
    shuffle(record, pack_of(record))
    deal_out(record)


@rule
def deal_out(record: Record) -> None:
    """Deal the whole pack; the dealer's left is the first to pass on cards."""
    deal_whole_pack(record, ONE_AT_A_TIME)
    record.phase = PASS
    for seat in range(record.hands.size):
        record.passed[seat] = NO_CARDS
        record.taken[seat] = NO_CARDS
    record.pass_distance = distance_to_pass(record)
    if record.pass_distance == 0:
        begin_play(record)


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = left_of(int(record.dealer), record.hands.size)
    shuffle(record, pack_of(record))
    deal_out(record)


# Passing ----------------------------------------------------------------------------


@rule
def distance_to_pass(record: Record) -> int:
    """How many places to the left cards are passed in the next deal; 0 is a hold."""
    players = int(record.hands.size)
    direction = TO_LEFT
    if record.options.pass_cycle == CYCLE:
        direction = int(record.deals_played) % 4
    if direction == TO_LEFT:
        return 1
    if direction == TO_RIGHT:
        return players - 1
    return players // 2 if direction == ACROSS else 0


@rule
def receiver(record: Record, seat: int) -> int:
    """The player that gets the cards of a player."""
    return (int(seat) + int(record.pass_distance)) % int(record.hands.size)


@rule
def giver(record: Record, seat: int) -> int:
    """The player whose cards a player gets."""
    players = int(record.hands.size)
    return (int(seat) + players - int(record.pass_distance)) % players


@rule
def pass_on(record: Record, card: int) -> None:
    """Lay a card aside for another player.

    Who has laid aside all that it is to pass is followed by the next. The cards change
    hands when all have chosen, so that nobody chooses by what it gets.
    """
    seat = int(record.seat)
    record.hands[seat] = without(record.hands[seat], single(card))
    record.passed[seat] |= single(card)
    if count(record.passed[seat]) < record.options.cards_passed:
        return
    record.seat = left_of(seat, record.hands.size)
    if record.seat == eldest(record):
        take_up_passed(record)
        begin_play(record)


@rule
def take_up_passed(record: Record) -> None:
    """All take up the cards that were passed to them."""
    for seat in range(record.hands.size):
        record.hands[receiver(record, seat)] |= record.passed[seat]


@rule
def begin_play(record: Record) -> None:
    """The dealer's left leads, or who holds the lowest club."""
    record.phase = PLAY
    lead(record, eldest(record))
    if record.options.lead == TWO_OF_CLUBS:
        for seat in range(record.hands.size):
            if holds(record.hands[seat], lowest_club(record)):
                lead(record, seat)
    record.agent = record.seat


@rule
def lowest_club(record: Record) -> int:
    """The deuce of clubs, or the lowest that the pack has."""
    return lowest(pack_of(record) & CLUBS)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """First any card to pass on; then what may be played."""
    if record.phase == PASS:
        return np.uint64(record.hands[record.seat]), NO_CARDS
    return playable(record), NO_CARDS


@rule
def playable(record: Record) -> np.uint64:
    """The suit led if it is held, else any card, as far as the options allow."""
    if record.cards_played == 0 and record.options.lead == TWO_OF_CLUBS:
        return single(lowest_club(record))
    cards = following(record)
    if record.cards_in_trick == 0 and not hearts_may_be_led(record):
        cards = others_first(cards, HEARTS)
    if record.tricks_played == 0 and record.options.no_points_first_trick:
        cards = others_first(cards, PENALTY_CARDS)
    return cards


@rule
def others_first(cards: np.uint64, last: np.uint64) -> np.uint64:
    """The cards without those that come last, as long as there are any."""
    others = without(cards, last)
    return cards if others == NO_CARDS else others


@rule
def hearts_may_be_led(record: Record) -> bool:
    """Whether a heart has been played, or need not have been."""
    if not record.options.hearts_broken:
        return True
    for seat in range(record.hands.size):
        if record.played[seat] & HEARTS != NO_CARDS:
            return True
    return False


@rule
def apply(record: Record, action: int) -> None:
    """A player passes on a card or plays it; all tricks are played."""
    begin_action(record)
    if record.phase == PASS:
        pass_on(record, action)
    else:
        play(record, action)
    record.agent = record.seat
    if record.tricks_played == tricks_of_deal(record):
        end_deal(record)


@rule
def play(record: Record, card: int) -> None:
    """A player plays a card; who wins the trick takes the cards in it."""
    play_card(record, card)
    if trick_is_complete(record):
        for seat in range(record.hands.size):
            record.taken[record.winner] |= single(record.trick[seat])
        take_trick(record)


# Scoring ----------------------------------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """All score what they have taken; the next deal, or the end."""
    for seat in range(record.hands.size):
        points = points_of(record, seat)
        record.points[seat] += points
        if record.options.reward == REWARD_POINTS:
            gain_from_all(record, seat, points)
    record.deals_played += 1
    if episode_is_complete(record):
        find_winners(record)
        finish(record, record.points.size)
    else:
        next_deal(record)


@rule
def bonus_card(record: Record) -> int:
    """The card that everybody wants."""
    return BONUS_CARDS[record.options.bonus_card]


@rule
def points_of(record: Record, seat: int) -> int:
    """What a player scores for the cards it has taken; all fifteen count 26."""
    taken = record.taken[seat]
    hearts = count(taken & HEARTS)
    has_queen = holds(taken, QUEEN_OF_SPADES)
    has_bonus = holds(taken, bonus_card(record))
    if hearts == 13 and has_queen and has_bonus:
        return ALL_OF_THEM
    points = A_HEART * hearts
    if has_queen:
        points += THE_QUEEN
    if has_bonus:
        points += THE_BONUS
    return points


@rule
def episode_is_complete(record: Record) -> bool:
    """When the deals asked for are played, or somebody is low enough.

    A game that somebody saves again and again with all fifteen cards ends after a
    hundred deals.
    """
    if record.options.episode == ONE_DEAL:
        return bool(record.deals_played == number_of_deals(record))
    is_low = fewest_points(record) <= -record.options.limit
    return bool(is_low or record.deals_played == MOST_DEALS)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, as if it had every heart and queen."""
    loser = int(record.agent)
    begin_action(record)
    record.points[loser] += THE_WORST
    if record.options.reward == REWARD_POINTS:
        gain_from_all(record, loser, THE_WORST)
    all_win_but(record, loser)
    finish(record, record.points.size)


# Information ------------------------------------------------------------------------

FEATURES: Final = {
    players: FeatureTable(
        *play_features(players),
        Feature("phase", ("phase",), (2,), 0, 1, "Passing or play; none at the end."),
        Feature(
            "passes_to",
            ("seat",),
            (players,),
            0,
            1,
            "The player to whom the observer passes cards in this deal, if to any.",
        ),
        Feature(
            "passed", ("card",), (52,), 0, 1, "Cards that the observer has passed on."
        ),
        Feature(
            "received",
            ("card",),
            (52,),
            0,
            1,
            "Cards that were passed to the observer.",
        ),
        Feature("tricks", ("seat",), (players,), 0, 13, "Tricks taken in this deal."),
        Feature("hearts", ("seat",), (players,), 0, 13, "Hearts that each has taken."),
        Feature("queen", ("seat",), (players,), 0, 1, "Who has taken the spade queen."),
        Feature("bonus", ("seat",), (players,), 0, 1, "Who has taken the bonus card."),
        Feature(
            "score",
            ("seat", "digit"),
            (players, 2),
            -99,
            99,
            "Points in the whole episode: hundreds, and the rest.",
        ),
        Feature(
            "deals_left",
            (),
            (),
            0,
            MOST_DEALS,
            "Deals still to end at most: a game ends after a hundred.",
        ),
    )
    for players in PLAYERS
}
STATE_FEATURES: Final = {
    players: FeatureTable(
        *FEATURES[players].features,
        Feature("hands", ("seat", "card"), (players, 52), 0, 1, "Cards in every hand."),
        Feature(
            "all_passed",
            ("seat", "card"),
            (players, 52),
            0,
            1,
            "Cards that each player has passed on.",
        ),
    )
    for players in PLAYERS
}

_PHASE = offsets(FEATURES, "phase")
_PASSES_TO = offsets(FEATURES, "passes_to")
_PASSED = offsets(FEATURES, "passed")
_RECEIVED = offsets(FEATURES, "received")
_TRICKS = offsets(FEATURES, "tricks")
_HEARTS = offsets(FEATURES, "hearts")
_QUEEN = offsets(FEATURES, "queen")
_BONUS = offsets(FEATURES, "bonus")
_SCORE = offsets(FEATURES, "score")
_DEALS_LEFT = offsets(FEATURES, "deals_left")
_HANDS = offsets(STATE_FEATURES, "hands")
_ALL_PASSED = offsets(STATE_FEATURES, "all_passed")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a player may know; it is 0 itself, its left neighbour 1."""
    write_play(record, seat, out)
    write_passing(record, seat, out)
    write_scores(record, seat, out)


@rule
def write_passing(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The phase, and the own cards that were passed and received."""
    players = record.hands.size
    if record.seat != NOBODY:
        write(out, _PHASE[players] + int(record.phase), 1)
    if record.pass_distance != 0:
        place = relative(receiver(record, seat), seat, players)
        write(out, _PASSES_TO[players] + place, 1)
    write_cards(out, _PASSED[players], record.passed[seat])
    write_cards(out, _RECEIVED[players], received(record, seat))


@rule
def received(record: Record, seat: int) -> np.uint64:
    """The cards that were passed to a player, once all have chosen."""
    if record.phase == PASS:
        return NO_CARDS
    return np.uint64(record.passed[giver(record, seat)])


@rule
def write_scores(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """What each has taken, all points, and how long the episode lasts at most."""
    players = record.hands.size
    for other in range(players):
        place = relative(other, seat, players)
        taken = record.taken[other]
        write(out, _TRICKS[players] + place, record.tricks_won[other])
        write(out, _HEARTS[players] + place, count(taken & HEARTS))
        write(out, _QUEEN[players] + place, int(holds(taken, QUEEN_OF_SPADES)))
        write(out, _BONUS[players] + place, int(holds(taken, bonus_card(record))))
        write_number(out, _SCORE[players] + 2 * place, record.points[other], 2)
    deals = MOST_DEALS
    if record.options.episode == ONE_DEAL:
        deals = number_of_deals(record)
    write(out, _DEALS_LEFT[players], deals - int(record.deals_played))


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, all hands and cards passed."""
    observe(record, seat, out)
    players = record.hands.size
    for other in range(players):
        place = CARDS * relative(other, seat, players)
        write_cards(out, _HANDS[players] + place, record.hands[other])
        write_cards(out, _ALL_PASSED[players] + place, record.passed[other])


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """What was passed, as far as the agent knows, and who has taken what counts."""
    seats = range(record.hands.size)
    passing = [("phase", "passing")] if record.phase == PASS else []
    passed = [
        (
            f"player_{seat} passes to player_{receiver(record, seat)}",
            " ".join(map(card_name, members(record.passed[seat]))),
        )
        for seat in seats
        if record.passed[seat]
        and (agent in (NOBODY, seat) or seat == _known_giver(record, agent))
    ]
    taken = [
        (f"player_{seat} has taken", ", ".join(counting))
        for seat in seats
        if (counting := _counting_cards(record, seat))
    ]
    return (*passing, *passed, *taken)


def _known_giver(record: Record, agent: int) -> int:
    """The player whose passed cards an agent has seen, if it has seen any."""
    return NOBODY if record.phase == PASS else giver(record, agent)


def _counting_cards(record: Record, seat: int) -> list[str]:
    """The cards that count among those that a player has taken, in words."""
    taken = record.taken[seat]
    hearts = count(taken & HEARTS)
    counted = [f"{hearts} heart{'s' if hearts > 1 else ''}"] if hearts else []
    others = (QUEEN_OF_SPADES, bonus_card(record))
    return counted + [card_name(card) for card in others if holds(taken, card)]


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    dealer: int | None = None,
    scores: Sequence[int] | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the hands in Portable Bridge Notation from seat 0 on, parted by spaces,
            before any card is passed.
        dealer: the seat that deals.
        scores: the points of each player in the game in progress.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_points(record)
    seats = record.hands.size
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, seats)
    )
    if scores is not None:
        give_scores(record, scores, 1 - int(record.options.limit), MOST_GIVEN)
    if deal is None:
        shuffle(record, pack_of(record))
    else:
        stack_hands(record, deal, pack_of(record), ONE_AT_A_TIME)
    deal_out(record)


def reason(record: Record, action: int) -> str:
    """Why the agent to act may not pass on or play a card."""
    if record.phase == PASS:
        return f"the hand does not hold {card_name(action)}"
    if not holds(following(record), action):
        return reason_not_to_play(record, action)
    if not holds(playable(record), action) and record.cards_played == 0:
        if record.options.lead == TWO_OF_CLUBS:
            return f"the first lead is {card_name(lowest_club(record))}"
    if record.tricks_played == 0 and record.options.no_points_first_trick:
        return "hearts and the queen of spades are kept from the first trick"
    return "hearts may not be led before one has been played"


def rules_for(players: int) -> Rules:
    """The game for so many players."""
    return Rules(
        name="omnibus_hearts",
        title="Omnibus Hearts",
        agents=players,
        partners=tuple((player,) for player in range(players)),
        action_names=tuple(card_name(card) for card in range(CARDS)),
        options=OmnibusHeartsOptions,
        record=record_of(players),
        features=FEATURES[players],
        state_features=STATE_FEATURES[players],
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": above_the_mean, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(
            (
                "pass",
                "Each in turn from the dealer's left lays cards aside (three, if no "
                "option says another number), one after the other; they change hands "
                "when all have chosen.",
            ),
            ("play", "All cards are played; the dealer's left leads to the first."),
        ),
        notes=notes,
        unit=players,
    )


RULES: Final = tuple(rules_for(players) for players in PLAYERS)
