"""Chinese Whist.

Four players, partners opposite, or three or two, each for itself. Most cards are dealt
on the table: first a row of piles face down, which nobody may look at, then a card face
up on each of them, and last one card (with two players two) to be kept in hand, the
down cards. The dealer sees what lies face up and his down card and names trumps. A card
face down is turned up after the trick to which the card on it was played.

The source is Foster's Hoyle. What it leaves open, the book of two and of three players
and what may be led, is an option.
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
    SUIT_NAMES,
    card_name,
    count,
    holds,
    parse_card,
    single,
    suit_of,
    without,
)
from whist_env.engine.compile import rule
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    check_pack,
    dealer_option,
    first_dealer,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    offsets,
    write,
    write_by_card,
    write_cards,
    write_number,
)
from whist_env.engine.honours import honours_held, points_for_honours
from whist_env.engine.individual import (
    ONE_DEAL,
    ONE_GAME,
    find_winners,
    most_points,
    number_of_deals,
)
from whist_env.engine.options import NOT_GIVEN, choice, flag, is_whole, number
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
    NO_CARD,
    NO_SUIT,
    clear_table,
    following,
    give,
    lead,
    left_of,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

PLAYERS: Final = (4, 3, 2)
# By the number of players: two, three, four.
SIDES: Final = (0, 0, 2, 3, 2)
PILES: Final = (0, 0, 12, 8, 6)
DOWN_CARDS: Final = (0, 0, 2, 1, 1)
PACKETS: Final = (0, 0, 2, 1, 1)
"""The cards that are dealt to a player at a time."""
TRICKS: Final = (0, 0, 26, 17, 13)
BOOK: Final = (0, 0, 13, 6, 6)
"""The tricks of a deal that do not count."""
OTHER_BOOK: Final = (0, 0, 6, 5, 6)
"""The same by the other reading of the source."""
DEUCE_OF_SPADES: Final = parse_card("S2")
NAME_TRUMP, PLAY = range(2)
PLAYED_ON, SHARED = range(2)

# Options ----------------------------------------------------------------------------

REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH, REWARD_SETTLEMENT = range(4)


@dataclasses.dataclass(frozen=True)
class ChineseWhistOptions(PlayOptions):
    """Options of Chinese Whist. What no source settles is an option."""

    players: int = number(
        PLAYERS[0], min(PLAYERS), max(PLAYERS), meaning="The number of players."
    )
    episode: str = choice(
        "deal", *("deal", "game"), meaning="How long an episode lasts."
    )
    deals: int | None = number(
        None,
        1,
        100,
        meaning="A fixed number of deals instead: running totals, no game.",
        episode=("deal",),
    )
    reward: str = choice(
        "points",
        *("points", "tricks", "match", "settlement"),
        meaning=(
            "What is rewarded: the points scored in each deal, each trick, or the "
            "episode, whose losers pay its winner a flat stake of 1 (`'match'`) or the "
            "winner's total less their own (`'settlement'`)."
        ),
    )
    dealer: int | None = dealer_option(max(PLAYERS))
    target: int = number(
        10,
        1,
        100,
        meaning="The points that make a game: 5, 7 or 10.",
        episode=("game",),
    )
    tie: str = choice(
        "played_on",
        *("played_on", "shared"),
        meaning=(
            "Whether a game in which several reach the target with equal totals is "
            "played on, or won by all of them."
        ),
        episode=("game",),
    )
    book: int | None = number(
        None,
        5,
        13,
        meaning=(
            "The tricks of a deal that do not count; None is 6, and 13 for two "
            "players. Three players may take 5, two players 6."
        ),
    )
    honours: bool = flag(
        False,
        meaning=(
            "Whether honours count: 4 points for ace, king, queen and jack of trumps, "
            "2 for three of them."
        ),
    )
    exposed_leads_only: bool = flag(
        False,
        meaning=(
            "Whether every lead, and not the first of a deal alone, is a card that "
            "lies face up, where the leader has one."
        ),
    )

    def __post_init__(self) -> None:
        """Check each option, and that dealer and book fit the number of players."""
        super().__post_init__()
        if self.dealer is not None and self.dealer >= self.players:
            raise ValueError(
                f"dealer={self.dealer} is not a seat; with players={self.players} the "
                f"seats are 0 to {self.players - 1}"
            )
        books = (BOOK[self.players], OTHER_BOOK[self.players])
        if self.book is not None and self.book not in books:
            raise ValueError(
                f"book={self.book} is not one for players={self.players}; take "
                + " or ".join(map(str, dict.fromkeys(books)))
            )


def record_of(players: int) -> Any:
    """The record of a table for so many players."""
    piles = PILES[players]
    return record_dtype(
        players,
        ChineseWhistOptions,
        [
            # Held are the cards that can be played, face up or down cards; dealt are
            # all, those face down too.
            *trick_fields(players),
            ("phase", np.int8),
            # Down cards that a seat still holds, and suits of which it is proven that
            # they are not among them: bit *suit* set.
            ("down", np.uint64, (players,)),
            ("down_voids", np.uint8, (players,)),
            # The card face up on each pile and the one face down under it, or -1.
            ("exposed", np.int8, (players, piles)),
            ("covered", np.int8, (players, piles)),
            # By card: the first trick for which it lay face up; 0 if it did not yet.
            ("face_up_since", np.int8, (CARDS,)),
            # By side: points in this episode, tricks in the deals finished, 1 for those
            # who won the episode or share the first place, and what the losers owe the
            # winners by their points.
            ("points", np.int32, (SIDES[players],)),
            ("tricks", np.int32, (SIDES[players],)),
            ("winners", np.int8, (SIDES[players],)),
            ("settlement", np.int32, (SIDES[players],)),
        ],
    )


@rule
def side_of(record: Record, seat: int) -> int:
    """The side of a seat: partners sit opposite; without partners, the seat."""
    return seat % record.points.size


@rule
def pack_of(record: Record) -> np.uint64:
    """52 cards, or for three players 51: the deuce of spades is left out."""
    if record.hands.size == 3:
        return without(FULL_PACK, single(DEUCE_OF_SPADES))
    return FULL_PACK


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
    """Nobody has a point, and nobody has won or owes anything."""
    for side in range(record.points.size):
        record.points[side] = 0
        record.tricks[side] = 0
        record.winners[side] = 0
        record.settlement[side] = 0


@rule
def deal_out(record: Record) -> None:
    """Deal all cards face down, then those face up on them, then the down cards."""
    clear_table(record)
    clear_piles(record)
    seats = record.hands.size
    layer = seats * PILES[seats]
    for card in range(layer):
        lay_covered(record, card, record.pack[card])
    for card in range(layer):
        seat, pile = receiver(record, card), pile_dealt(record, card)
        record.dealt[seat] |= single(record.pack[layer + card])
        lay_face_up(record, seat, pile, record.pack[layer + card])
    for card in range(seats * DOWN_CARDS[seats]):
        seat = receiver(record, card)
        give(record, seat, record.pack[2 * layer + card])
        record.down[seat] |= single(record.pack[2 * layer + card])
    record.trump = NO_SUIT
    record.phase = NAME_TRUMP
    lead(record, left_of(int(record.dealer), seats))
    record.seat = record.dealer
    record.agent = record.dealer


@rule
def clear_piles(record: Record) -> None:
    """No card lies on the table yet."""
    seats = record.hands.size
    for seat in range(seats):
        record.down[seat] = NO_CARDS
        record.down_voids[seat] = 0
        for pile in range(PILES[seats]):
            record.exposed[seat, pile] = NO_CARD
            record.covered[seat, pile] = NO_CARD
    for card in range(CARDS):
        record.face_up_since[card] = 0


@rule
def receiver(record: Record, card: int) -> int:
    """Who is dealt a card of a layer, by its number: from the dealer's left."""
    seats = record.hands.size
    return int((record.dealer + 1 + card // PACKETS[seats]) % seats)


@rule
def pile_dealt(record: Record, card: int) -> int:
    """The pile to which a card of a layer is dealt, by its number."""
    seats = record.hands.size
    packet = PACKETS[seats]
    return int(card // (packet * seats) * packet + card % packet)


@rule
def lay_covered(record: Record, number_in_layer: int, card: int) -> None:
    """Lay a card face down; it belongs to its seat, which cannot play it yet."""
    seat = receiver(record, number_in_layer)
    record.covered[seat, pile_dealt(record, number_in_layer)] = card
    record.dealt[seat] |= single(card)


@rule
def lay_face_up(record: Record, seat: int, pile: int, card: int) -> None:
    """A card lies face up on a pile from the next trick on, and can be played."""
    record.exposed[seat, pile] = card
    record.hands[seat] |= single(card)
    record.face_up_since[card] = record.tricks_played + 1


@rule
def next_deal(record: Record) -> None:
    """The deal passes to the left."""
    record.deal_number += 1
    record.dealer = left_of(int(record.dealer), record.hands.size)
    shuffle(record, pack_of(record))
    deal_out(record)


# Legality ---------------------------------------------------------------------------

SUIT_CALLS: Final = np.uint64(15 << CARDS)


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """The dealer names one of four suits; then cards are played.

    A follower plays a card of the suit led, face up or down card, if it has one.
    """
    if record.phase == NAME_TRUMP:
        return SUIT_CALLS, NO_CARDS
    if record.cards_in_trick == 0:
        return cards_to_lead(record), NO_CARDS
    return following(record), NO_CARDS


@rule
def exposed_cards(record: Record, seat: int) -> np.uint64:
    """The cards of a seat that lie face up."""
    return without(record.hands[seat], record.down[seat])


@rule
def cards_to_lead(record: Record) -> np.uint64:
    """The first lead of a deal is a card face up; later any card, or again such."""
    exposed = exposed_cards(record, record.seat)
    restricted = record.tricks_played == 0 or record.options.exposed_leads_only
    if restricted and exposed != NO_CARDS:
        return exposed
    return np.uint64(record.hands[record.seat])


# Play -------------------------------------------------------------------------------


@rule
def apply(record: Record, action: int) -> None:
    """The dealer names trumps, then the seats play."""
    begin_action(record)
    if record.phase == NAME_TRUMP:
        name_trump(record, action - CARDS)
    else:
        play(record, action)


@rule
def name_trump(record: Record, suit: int) -> None:
    """The dealer names trumps, and the seat on his left leads."""
    record.trump = suit
    record.phase = PLAY
    record.seat = record.leader
    record.agent = record.seat


@rule
def play(record: Record, card: int) -> None:
    """A card is played from a pile or as a down card."""
    seat = int(record.seat)
    play_card(record, card)
    # A suit that a seat cannot follow is not among its down cards, and never will be.
    record.down_voids[seat] |= record.voids[seat]
    leave_place(record, seat, card)
    if trick_is_complete(record):
        end_trick(record)
    record.agent = record.seat
    if record.tricks_played == TRICKS[record.hands.size]:
        end_deal(record)


@rule
def leave_place(record: Record, seat: int, card: int) -> None:
    """The card played is no down card any more and lies on no pile."""
    record.down[seat] = without(record.down[seat], single(card))
    for pile in range(PILES[record.hands.size]):
        if record.exposed[seat, pile] == card:
            record.exposed[seat, pile] = NO_CARD


@rule
def end_trick(record: Record) -> None:
    """The winner takes the trick; before the next lead covered cards are turned up."""
    winner = side_of(record, take_trick(record))
    if record.options.reward == REWARD_TRICKS:
        gain(record, winner, 1)
    seats = record.hands.size
    for seat in range(seats):
        for pile in range(PILES[seats]):
            card = int(record.covered[seat, pile])
            if card != NO_CARD and record.exposed[seat, pile] == NO_CARD:
                record.covered[seat, pile] = NO_CARD
                lay_face_up(record, seat, pile, card)
                record.voids[seat] &= np.uint8(15 - (1 << suit_of(card)))


# Scoring ----------------------------------------------------------------------------


@rule
def book(record: Record) -> int:
    """The tricks that do not count."""
    if record.options.book != NOT_GIVEN:
        return int(record.options.book)
    return BOOK[record.hands.size]


@rule
def tricks_of(record: Record, side: int) -> int:
    """The tricks that a side has taken in this deal."""
    tricks = 0
    for seat in range(record.hands.size):
        if side_of(record, seat) == side:
            tricks += int(record.tricks_won[seat])
    return tricks


@rule
def cards_of(record: Record, side: int) -> np.uint64:
    """All cards dealt to a side, those face down too."""
    cards = NO_CARDS
    for seat in range(record.hands.size):
        if side_of(record, seat) == side:
            cards |= record.dealt[seat]
    return cards


@rule
def points_of(record: Record, side: int) -> int:
    """A point for each trick above the book and, by agreement, honours as in Whist."""
    points = max(0, tricks_of(record, side) - book(record))
    if record.options.honours:
        points += points_for_honours(
            honours_held(cards_of(record, side), record.trump, 4)
        )
    return points


@rule
def transfer(record: Record, loser: int, winner: int, amount: int) -> None:
    """One side pays an amount to another; partners get and pay the same."""
    for agent in range(record.reward.size):
        side = side_of(record, agent)
        if side == winner:
            pay(record, agent, amount)
        elif side == loser:
            pay(record, agent, -amount)


@rule
def gain(record: Record, winner: int, amount: int) -> None:
    """Each other side pays an amount to this side."""
    for side in range(record.points.size):
        if side != winner:
            transfer(record, side, winner, amount)


# End of a deal and of an episode ----------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Score the deal; end the episode or deal again."""
    record.deals_played += 1
    for side in range(record.points.size):
        points = points_of(record, side)
        record.points[side] += points
        record.tricks[side] += tricks_of(record, side)
        if record.options.reward == REWARD_POINTS:
            gain(record, side, points)
    if episode_is_complete(record):
        settle(record)
        end_episode(record)
    else:
        next_deal(record)


@rule
def leading_side(record: Record) -> int:
    """The side that has more points than any other, or -1."""
    highest = most_points(record)
    leader = NOBODY
    for side in range(record.points.size):
        if record.points[side] == highest:
            if leader != NOBODY:
                return NOBODY
            leader = side
    return leader


@rule
def episode_is_complete(record: Record) -> bool:
    """Whether the deals, or the game, have been played.

    Where two reach the game in one deal the higher total wins; equal totals play on,
    or share the win.
    """
    if record.options.episode == ONE_DEAL:
        return bool(record.deals_played == number_of_deals(record))
    reached = most_points(record) >= record.options.target
    decided = record.options.tie == SHARED or leading_side(record) != NOBODY
    return reached and decided


@rule
def settle(record: Record) -> None:
    """Who has most points has won; several may have.

    Each loser owes each winner the winner's total less its own.
    """
    find_winners(record)
    most = most_points(record)
    for winner in range(record.points.size):
        for loser in range(record.points.size):
            if record.winners[winner] > record.winners[loser]:
                owe(record, loser, winner, most - int(record.points[loser]))


@rule
def owe(record: Record, loser: int, winner: int, amount: int) -> None:
    """A loser owes a winner an amount, or a stake of 1 where that is rewarded."""
    record.settlement[winner] += amount
    record.settlement[loser] -= amount
    if record.options.reward == REWARD_SETTLEMENT:
        transfer(record, loser, winner, amount)
    elif record.options.reward == REWARD_MATCH:
        transfer(record, loser, winner, 1)


@rule
def forfeit(record: Record) -> None:
    """End the episode against the side to act, as if others had taken every trick.

    It pays each other side a point for every trick of a deal (13, 17 or 26), or one
    where only winning is rewarded.
    """
    loser = side_of(record, record.agent)
    begin_action(record)
    lost = TRICKS[record.hands.size]
    reward = record.options.reward
    for side in range(record.points.size):
        if side != loser:
            record.points[side] += lost
            record.winners[side] = 1
            owe(record, loser, side, lost)
            if reward == REWARD_POINTS or reward == REWARD_TRICKS:
                transfer(record, loser, side, lost)
    end_episode(record)


# Information ------------------------------------------------------------------------


def _features(players: int) -> FeatureTable:
    sides = "side" if players == 4 else "seat"
    return FeatureTable(
        *play_features(players),
        Feature(
            "naming", (), (), 0, 1, "Whether the dealer is still to name the trumps."
        ),
        Feature(
            "exposed",
            ("seat", "card"),
            (players, 52),
            0,
            1,
            "Cards of each seat that lie face up.",
        ),
        Feature(
            "covering",
            ("seat", "card"),
            (players, 52),
            0,
            1,
            "Those of them under which a card lies face down.",
        ),
        Feature(
            "face_up_since",
            ("card",),
            (52,),
            0,
            TRICKS[players],
            "The number of the first trick for which each card lay face up, played or "
            "not; 0 of cards that never did.",
        ),
        Feature(
            "covered",
            ("seat",),
            (players,),
            0,
            PILES[players],
            "How many cards of each seat lie face down.",
        ),
        Feature(
            "down_cards",
            ("seat",),
            (players,),
            0,
            DOWN_CARDS[players],
            "How many down cards each seat holds.",
        ),
        Feature(
            "down_voids",
            ("seat", "suit"),
            (players, 4),
            0,
            1,
            "Suits that are proven not to be among the down cards of each seat.",
        ),
        Feature(
            "tricks",
            (sides,),
            (SIDES[players],),
            0,
            TRICKS[players],
            "Tricks taken in this deal.",
        ),
        Feature(
            "score",
            (sides, "digit"),
            (SIDES[players], 2),
            0,
            99,
            "Points in this episode: hundreds, and the rest.",
        ),
        Feature(
            "deals_left",
            (),
            (),
            0,
            100,
            "Deals still to end; 0 where a game is played.",
        ),
    )


def _state_features(players: int) -> FeatureTable:
    return FeatureTable(
        *FEATURES[players].features,
        Feature(
            "hands",
            ("seat", "card"),
            (players, 52),
            0,
            1,
            "Cards of every seat that can be played: face up, and down cards.",
        ),
        Feature(
            "face_down",
            ("seat", "card"),
            (players, 52),
            0,
            1,
            "Cards of every seat that lie face down.",
        ),
        Feature(
            "pile",
            ("card",),
            (52,),
            0,
            PILES[players],
            "The pile on which or under which each card lies, from 1; 0 if on none.",
        ),
    )


FEATURES: Final = {players: _features(players) for players in PLAYERS}
STATE_FEATURES: Final = {players: _state_features(players) for players in PLAYERS}

_NAMING = offsets(FEATURES, "naming")
_EXPOSED = offsets(FEATURES, "exposed")
_COVERING = offsets(FEATURES, "covering")
_FACE_UP_SINCE = offsets(FEATURES, "face_up_since")
_COVERED = offsets(FEATURES, "covered")
_DOWN_CARDS = offsets(FEATURES, "down_cards")
_DOWN_VOIDS = offsets(FEATURES, "down_voids")
_TRICKS = offsets(FEATURES, "tricks")
_SCORE = offsets(FEATURES, "score")
_DEALS_LEFT = offsets(FEATURES, "deals_left")
_HANDS = offsets(STATE_FEATURES, "hands")
_FACE_DOWN = offsets(STATE_FEATURES, "face_down")
_PILE = offsets(STATE_FEATURES, "pile")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    seats = record.hands.size
    write_play(record, seat, out)
    if record.phase == NAME_TRUMP:
        write(out, _NAMING[seats], 1)
    for other in range(seats):
        write_piles(record, other, relative(other, seat, seats), out)
    write_memory(record, seat, out)
    write_totals(record, seat, out)


@rule
def write_piles(record: Record, seat: int, place: int, out: npt.NDArray[Any]) -> None:
    """What lies before a seat: face up, and how much face down and where."""
    seats = record.hands.size
    write_cards(out, _EXPOSED[seats] + CARDS * place, exposed_cards(record, seat))
    covered = 0
    for pile in range(PILES[seats]):
        if record.covered[seat, pile] != NO_CARD:
            covered += 1
            top = int(record.exposed[seat, pile])
            if top != NO_CARD:
                write(out, _COVERING[seats] + CARDS * place + top, 1)
    write(out, _COVERED[seats] + place, covered)
    write(out, _DOWN_CARDS[seats] + place, count(record.down[seat]))


@rule
def write_memory(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """When cards were turned up, and what was proved of down cards."""
    if record.options.history != HISTORY_ALL:
        return
    seats = record.hands.size
    write_by_card(out, _FACE_UP_SINCE[seats], record.face_up_since)
    for other in range(seats):
        row = _DOWN_VOIDS[seats] + 4 * relative(other, seat, seats)
        for suit in range(4):
            write(out, row + suit, (record.down_voids[other] >> suit) & 1)


@rule
def write_totals(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Tricks and points, the observer's side first, and the deals to come."""
    seats = record.hands.size
    sides = record.points.size
    for side in range(sides):
        place = relative(side, side_of(record, seat), sides)
        write(out, _TRICKS[seats] + place, tricks_of(record, side))
        write_number(out, _SCORE[seats] + 2 * place, record.points[side], 2)
    if record.options.episode == ONE_DEAL:
        left = number_of_deals(record) - int(record.deals_played)
        write(out, _DEALS_LEFT[seats], left)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, and all cards of every seat."""
    observe(record, seat, out)
    seats = record.hands.size
    for card in range(CARDS):
        write(out, _PILE[seats] + card, 0)
    for other in range(seats):
        row = CARDS * relative(other, seat, seats)
        write_cards(out, _HANDS[seats] + row, record.hands[other])
        face_down = NO_CARDS
        for pile in range(PILES[seats]):
            top = int(record.exposed[other, pile])
            under = int(record.covered[other, pile])
            if top != NO_CARD:
                write(out, _PILE[seats] + top, pile + 1)
            if under != NO_CARD:
                write(out, _PILE[seats] + under, pile + 1)
                face_down |= single(under)
        write_cards(out, _FACE_DOWN[seats] + row, face_down)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """All see the cards face up, and each its own down cards."""
    if agent == seat:
        return np.uint64(record.hands[seat])
    return exposed_cards(record, seat)


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The cards under which another lies face down, seat by seat.

    Who sees everything is shown the other as well.
    """
    lines = []
    for seat in range(len(record.hands)):
        piles = [
            _pile_text(int(top), int(under), agent == NOBODY)
            for top, under in zip(
                record.exposed[seat], record.covered[seat], strict=True
            )
            if under != NO_CARD
        ]
        if piles:
            lines.append((f"player_{seat} covers by", " ".join(piles)))
    return tuple(lines)


def _pile_text(top: int, under: int, shown: bool) -> str:
    """A pile; two strokes stand for a card just played."""
    text = "--" if top == NO_CARD else card_name(top)
    return f"{text}/{card_name(under)}" if shown else text


# Judging finished episodes -----------------------------------------------------------


def _for_agents(
    by_side: npt.NDArray[Any], records: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Values by side as values by agent."""
    agents = np.arange(records["hands"].shape[1])
    return by_side[:, agents % by_side.shape[1]]


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points of the agent's side less those of each other side."""
    points = records["points"].astype(np.int64)
    made = points.shape[1] * points - points.sum(axis=1, keepdims=True)
    return _for_agents(made, records)


def tricks_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Tricks of the agent's side above an even share of all deals."""
    tricks = records["tricks"]
    made = tricks - tricks.mean(axis=1, keepdims=True)
    return _for_agents(made, records)


def paid(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What each loser pays each winner: the winner's total less its own.

    After a forfeit it is a point for every trick of a deal.
    """
    return _for_agents(records["settlement"], records)


def won(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winners of the episode, 0 for losers; equal shares of a first place."""
    winners = records["winners"]
    return _for_agents(winners / winners.sum(axis=1, keepdims=True), records)


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
        deal: the cards of each player, with commas between players. A pile is written
            as the card face up, a stroke, and the card under it; a down card stands
            alone: ``"SA/H2 C7/DK ... D5, ..."``.
        dealer: the seat that deals.
        scores: the points that each side has in the game in progress; without partners
            each player.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_match(record)
    seats = len(record.hands)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, seats)
    )
    if scores is not None:
        _give_scores(record, scores)
    shuffle(record, pack_of(record))
    if deal is not None:
        _stack_deal(record, deal)
    deal_out(record)


def _give_scores(record: Record, scores: Sequence[int]) -> None:
    """Begin in the middle of a game."""
    if record.options.episode != ONE_GAME:
        raise ValueError("scores= belongs to a game; take episode='game'")
    sides = len(record.points)
    most = int(record.options.target) - 1
    given = tuple(scores) if isinstance(scores, Sequence) else ()
    if len(given) != sides or not all(is_whole(value, 0, most) for value in given):
        raise ValueError(
            f"scores={scores!r} must be {sides} whole numbers from 0 to {most}, one "
            + ("for each side" if len(record.hands) == 4 else "for each player")
        )
    record.points[:] = given


def _stack_deal(record: Record, deal: str) -> None:
    """Order the pack so that dealing it out lays these cards."""
    seats = len(record.hands)
    if not isinstance(deal, str) or len(deal.split(",")) != seats:
        raise ValueError(
            f"deal={deal!r} must be the cards of {seats} players with commas between "
            "them, such as 'SA/H2 C7/DK ... D5, ...'"
        )
    given = [
        _parse_seat(text, seat, seats) for seat, text in enumerate(deal.split(","))
    ]
    cards = [card for piles, down in given for card in (*sum(piles, ()), *down)]
    check_pack([single(card) for card in cards], pack_of(record))
    layer = seats * PILES[seats]
    for place in range(layer):
        top, under = given[receiver(record, place)][0][pile_dealt(record, place)]
        record.pack[place] = under
        record.pack[layer + place] = top
    for place in range(seats * DOWN_CARDS[seats]):
        record.pack[2 * layer + place] = given[receiver(record, place)][1].pop(0)


def _parse_seat(
    text: str, seat: int, seats: int
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The piles, each a card face up and the one under it, and the down cards."""
    parts = [tuple(map(parse_card, part.split("/"))) for part in text.split()]
    piles: list[tuple[int, ...]] = [part for part in parts if len(part) == 2]
    down = [part[0] for part in parts if len(part) == 1]
    expected = (PILES[seats], DOWN_CARDS[seats])
    if (len(piles), len(down)) != expected or len(parts) != sum(expected):
        raise ValueError(
            f"seat {seat} has {len(piles)} piles of two cards and {len(down)} down "
            f"cards; each of {seats} players has {expected[0]} and {expected[1]}"
        )
    return piles, down


def reason(record: Record, action: int) -> str:
    """Why an action is illegal for the agent to act."""
    if record.phase == NAME_TRUMP:
        return "the dealer is to name trumps: " + ", ".join(SUIT_NAMES)
    if action >= CARDS:
        return f"trumps are named already: {SUIT_NAMES[record.trump]}"
    if record.cards_in_trick == 0 and holds(record.down[record.seat], action):
        return f"{card_name(action)} is a down card, and a card face up must be led"
    return reason_not_to_play(record, action)


def rules_for(players: int) -> Rules:
    """The game for so many players."""
    sides = SIDES[players]
    return Rules(
        name="chinese_whist",
        title="Chinese Whist",
        agents=players,
        partners=tuple(
            tuple(range(player % sides, players, sides)) for player in range(players)
        ),
        action_names=(*(card_name(card) for card in range(CARDS)), *SUIT_NAMES),
        options=ChineseWhistOptions,
        record=record_of(players),
        features=FEATURES[players],
        state_features=STATE_FEATURES[players],
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
        phases=(
            (
                "name_trump",
                "The dealer names trumps, seeing the cards face up and his down cards.",
            ),
            (
                "play",
                "The dealer's left leads a card face up. After each trick every card "
                "that is uncovered is turned up, before the next lead.",
            ),
        ),
        visible=visible,
        notes=notes,
    )


RULES: Final = tuple(rules_for(players) for players in PLAYERS)
