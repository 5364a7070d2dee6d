"""German Whist.

Two players. Each is dealt thirteen cards, one at a time; the next card is turned, fixes
trumps and lies face up on the talon of twenty-six. While the talon lasts the winner of
each trick takes the card that lies face up, the loser takes the next one unseen, and
another is turned. Thirteen more tricks are played without the talon.

The source is Foster's Hoyle, which counts all tricks; that only the last thirteen count
is the modern rule. Smaller packs, for study and for search, are an option.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    CARDS,
    NO_CARDS,
    card_name,
    card_set,
    count,
    holds,
    members,
    parse_card,
    parse_hand,
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
    stack_pack,
    suits_option,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.options import choice, number
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
    clear_table,
    following,
    give,
    lead,
    play_card,
    reason_not_to_play,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

SEATS: Final = 2

# Options ----------------------------------------------------------------------------

COUNT_ALL, COUNT_LAST = range(2)
REWARD_POINTS, REWARD_TRICKS, REWARD_MATCH = range(3)


@dataclasses.dataclass(frozen=True)
class GermanWhistOptions(PlayOptions):
    """Options of German Whist. What no source settles is an option."""

    count: str = choice(
        "all",
        *("all", "last13"),
        meaning=(
            "Which tricks count: all twenty-six, or the last thirteen, those after the "
            "talon is gone."
        ),
    )
    deals: int = number(1, 1, 100, meaning="The number of deals of an episode.")
    reward: str = choice(
        "points",
        *("points", "tricks", "match"),
        meaning=(
            "What is rewarded: the points of each deal, each trick that counts, or "
            "winning (+1) or losing (-1) the episode."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    ranks: int = ranks_option()
    suits: int = suits_option()

    def __post_init__(self) -> None:
        """Check each option, and that each can be dealt a quarter of the pack."""
        super().__post_init__()
        check_small_pack(self.ranks, self.suits, 4)


RECORD: Final = record_dtype(
    SEATS,
    GermanWhistOptions,
    [
        *trick_fields(SEATS),
        # The card that lies face up on the talon, or -1.
        ("face_up", np.int8),
        # By seat: cards taken face up, and cards drawn unseen, in this deal.
        ("taken", np.uint64, (SEATS,)),
        ("drawn", np.uint64, (SEATS,)),
        # By card: the trick after which it came from the talon to a hand; 0 if never.
        ("drawn_after", np.int8, (CARDS,)),
        # By seat: tricks that count in this deal, points in the whole episode, and
        # tricks in the deals finished.
        ("counted", np.int8, (SEATS,)),
        ("points", np.int32, (SEATS,)),
        ("tricks", np.int32, (SEATS,)),
        # The agent that won the episode, or -1.
        ("winning_agent", np.int8),
    ],
)


@rule
def pack_of(record: Record) -> np.uint64:
    """The pack: 52 cards, or those of a smaller game."""
    return small_pack(record.options.ranks, record.options.suits)


@rule
def hand_size(record: Record) -> int:
    """The cards dealt to each, a quarter of the pack; so many tricks have a draw."""
    return int(record.options.ranks * record.options.suits // 4)


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
    for seat in range(SEATS):
        record.points[seat] = 0
        record.tricks[seat] = 0
    record.winning_agent = NOBODY


@rule
def deal_out(record: Record) -> None:
    """Deal one card at a time, first to the non-dealer; turn the first of the rest."""
    clear_table(record)
    clear_talon(record)
    for place in range(2 * hand_size(record)):
        give(record, (record.dealer + 1 + place) % SEATS, record.pack[place])
    record.face_up = record.pack[top_of_talon(record)]
    record.trump = suit_of(record.face_up)
    lead(record, 1 - record.dealer)
    record.agent = record.seat


@rule
def clear_talon(record: Record) -> None:
    """Nothing has come from the talon yet, and no trick counts."""
    for seat in range(SEATS):
        record.taken[seat] = NO_CARDS
        record.drawn[seat] = NO_CARDS
        record.counted[seat] = 0
    for card in range(CARDS):
        record.drawn_after[card] = 0


@rule
def next_deal(record: Record) -> None:
    """The deal alternates."""
    record.deal_number += 1
    record.dealer = 1 - record.dealer
    shuffle(record, pack_of(record))
    deal_out(record)


# Legality and play ------------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """A follower plays a card of the suit led if it holds one, from trick 1 on."""
    return following(record), NO_CARDS


@rule
def apply(record: Record, action: int) -> None:
    """Play a card; after a trick draw from the talon while it lasts."""
    begin_action(record)
    play_card(record, action)
    if trick_is_complete(record):
        end_trick(record)
    record.agent = record.seat
    if record.tricks_played == 2 * hand_size(record):
        end_deal(record)


@rule
def end_trick(record: Record) -> None:
    """The winner takes the trick, which may count, and both draw."""
    draws = record.face_up != NO_CARD
    winner = take_trick(record)
    if record.options.count == COUNT_ALL or not draws:
        record.counted[winner] += 1
        if record.options.reward == REWARD_TRICKS:
            pay_winner(record, winner, 1)
    if draws:
        draw(record, winner)


# Draw -------------------------------------------------------------------------------


@rule
def talon_size(record: Record) -> int:
    """The cards of the talon: the one that lies face up and those under it."""
    return max(0, 2 * (hand_size(record) - int(record.tricks_played)))


@rule
def top_of_talon(record: Record) -> int:
    """The place in the pack of the card that lies face up."""
    return 4 * hand_size(record) - talon_size(record)


@rule
def draw(record: Record, winner: int) -> None:
    """The winner takes the card face up, the loser the next; another is turned.

    The winner now holds a card of a suit that all have seen. The loser's card may be of
    any suit as far as the winner can tell, and proves no more than that.
    """
    loser = 1 - winner
    unseen = int(record.pack[top_of_talon(record) - 1])
    record.taken[winner] |= single(record.face_up)
    record.voids[winner] &= np.uint8(15 - (1 << suit_of(record.face_up)))
    take_up(record, winner, record.face_up)
    record.drawn[loser] |= single(unseen)
    record.voids[loser] = 0
    take_up(record, loser, unseen)
    record.face_up = NO_CARD
    if talon_size(record) > 0:
        record.face_up = record.pack[top_of_talon(record)]


@rule
def take_up(record: Record, seat: int, card: int) -> None:
    """A card comes to a hand after the trick just played."""
    record.hands[seat] |= single(card)
    record.drawn_after[card] = record.tricks_played


# Scoring ----------------------------------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """The majority of the tricks that count scores the difference; one deal, a game."""
    difference = int(record.counted[0]) - int(record.counted[1])
    winner = 0 if difference > 0 else 1
    record.points[winner] += max(difference, -difference)
    record.deals_played += 1
    for seat in range(SEATS):
        record.tricks[seat] += record.tricks_won[seat]
    if record.deals_played == record.options.deals:
        settle(record)
        end_episode(record)
    else:
        next_deal(record)
    if record.options.reward == REWARD_POINTS:
        pay_winner(record, 0, difference)


@rule
def settle(record: Record) -> None:
    """Who has more points has won; equal points are a draw."""
    difference = record.points[0] - record.points[1]
    if difference != 0:
        record.winning_agent = 0 if difference > 0 else 1
    if record.options.reward == REWARD_MATCH and difference != 0:
        pay_winner(record, record.winning_agent, 1)


@rule
def pay_winner(record: Record, winner: int, amount: int) -> None:
    """The other pays an amount to the winner."""
    pay(record, winner, amount)
    pay(record, 1 - winner, -amount)


@rule
def tricks_that_count(record: Record) -> int:
    """How many tricks of a deal count."""
    size = hand_size(record)
    return 2 * size if record.options.count == COUNT_ALL else size


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, as if it had lost a deal.

    It pays a point for every trick of a deal that counts, or one where only winning is
    rewarded.
    """
    other = 1 - record.agent
    begin_action(record)
    lost = tricks_that_count(record)
    pay_winner(record, other, 1 if record.options.reward == REWARD_MATCH else lost)
    record.points[other] += lost
    record.winning_agent = other
    end_episode(record)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature(
        "face_up",
        ("card",),
        (52,),
        0,
        1,
        "The card that lies face up on the talon.",
    ),
    Feature("talon", (), (), 0, 26, "Cards left in the talon, the one face up too."),
    Feature(
        "known",
        ("seat", "card"),
        (2, 52),
        0,
        1,
        "Cards in each hand that were taken face up, so that both players know them.",
    ),
    Feature(
        "drawn_after",
        ("card",),
        (52,),
        0,
        13,
        "The number of the trick after which a card came from the talon, of those of "
        "which the observer knows it; 0 of others.",
    ),
    Feature("tricks", ("seat",), (2,), 0, 26, "Tricks taken in this deal."),
    Feature(
        "counted",
        ("seat",),
        (2,),
        0,
        26,
        "Tricks taken in this deal that count for points.",
    ),
    Feature(
        "points",
        ("seat", "digit"),
        (2, 2),
        0,
        99,
        "Points in the whole episode: hundreds, and the rest.",
    ),
    Feature("deals_left", (), (), 0, 100, "Deals still to end."),
)
STATE_FEATURES: Final = FeatureTable(
    *FEATURES.features,
    Feature("hands", ("seat", "card"), (2, 52), 0, 1, "Cards in every hand."),
    Feature(
        "talon_order",
        ("card",),
        (52,),
        0,
        26,
        "The place of each card in the talon, 1 for the one face up; 0 elsewhere.",
    ),
)

_FACE_UP = FEATURES.offset("face_up")
_TALON = FEATURES.offset("talon")
_KNOWN = FEATURES.offset("known")
_DRAWN_AFTER = FEATURES.offset("drawn_after")
_TRICKS = FEATURES.offset("tricks")
_COUNTED = FEATURES.offset("counted")
_POINTS = FEATURES.offset("points")
_DEALS_LEFT = FEATURES.offset("deals_left")
_HANDS = STATE_FEATURES.offset("hands")
_TALON_ORDER = STATE_FEATURES.offset("talon_order")


@rule
def known_holding(record: Record, seat: int) -> np.uint64:
    """The cards of a hand that all saw it take, as far as players remember."""
    if record.options.history == HISTORY_ALL:
        return np.uint64(record.hands[seat] & record.taken[seat])
    return NO_CARDS


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, the other 1."""
    write_play(record, seat, out)
    write_talon(record, seat, out)
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write_cards(out, _KNOWN + CARDS * place, known_holding(record, other))
        write(out, _TRICKS + place, record.tricks_won[other])
        write(out, _COUNTED + place, record.counted[other])
        write_number(out, _POINTS + 2 * place, record.points[other], 2)
    write(out, _DEALS_LEFT, record.options.deals - record.deals_played)


@rule
def write_talon(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """The card face up, and what has come from the talon in the sight of a seat."""
    if record.face_up != NO_CARD:
        write(out, _FACE_UP + int(record.face_up), 1)
    write(out, _TALON, talon_size(record))
    if record.options.history != HISTORY_ALL:
        return
    seen = record.taken[0] | record.taken[1] | record.drawn[seat]
    for card in range(CARDS):
        if holds(seen, card):
            write(out, _DRAWN_AFTER + card, record.drawn_after[card])


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, both hands and the talon."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = _HANDS + CARDS * relative(other, seat, SEATS)
        write_cards(out, place, record.hands[other])
    for card in range(CARDS):
        write(out, _TALON_ORDER + card, 0)
    top = top_of_talon(record)
    for place in range(top, 4 * hand_size(record)):
        write(out, _TALON_ORDER + int(record.pack[place]), place - top + 1)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, and the cards that the other took face up."""
    return np.uint64(
        record.hands[seat] if agent == seat else known_holding(record, seat)
    )


def talon_cards(record: Record) -> list[int]:
    """The cards of the talon from the top, the one face up first."""
    cards = record.pack[top_of_talon(record) : 4 * hand_size(record)].tolist()
    return [int(card) for card in cards]


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The talon, and the tricks that count where not all do."""
    lines = []
    cards = talon_cards(record)
    if cards and agent == NOBODY:
        lines.append(("talon", " ".join(map(card_name, cards))))
    elif cards:
        hidden = len(cards) - 1
        noun = "card" if hidden == 1 else "cards"
        lines.append(("talon", f"{card_name(cards[0])} on {hidden} {noun}"))
    if record.options.count == COUNT_LAST and not cards:
        counted = " and ".join(map(str, record.counted))
        lines.append(("tricks that count", counted))
    return tuple(lines)


# Judging finished episodes -----------------------------------------------------------


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points of the agent less those of the other."""
    points: npt.NDArray[Any] = records["points"]
    return points - points[:, ::-1]


def tricks_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Half the difference in tricks: tricks above an even share of all deals."""
    tricks: npt.NDArray[Any] = records["tricks"]
    return (tricks - tricks[:, ::-1]) / 2


def won(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """1 for the winner of the episode, 0 for the loser, a half where it is even."""
    agent = records["winning_agent"][:, None]
    return np.where(agent == NOBODY, 0.5, agent == np.arange(SEATS))


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    talon: str | None = None,
    dealer: int | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the hands of both players, with a space between them, as Portable Bridge
            Notation writes hands: ``"AKQ.T9.87.65432 J.QJ.KJ95.AKQJT9"``.
        talon: cards of the talon from the top, such as ``"H7 SA"``: the first lies
            face up. Any that are not given follow in random order.
        dealer: the seat that deals.

    Raises:
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_match(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    shuffle(record, pack_of(record))
    if deal is not None:
        _stack_deal(record, deal, talon)
    elif talon is not None:
        raise ValueError("talon= belongs to a given deal; give deal= as well")
    deal_out(record)


def _stack_deal(record: Record, deal: str, talon: str | None) -> None:
    """Order the pack so that dealing it out gives these hands and this talon."""
    hands = _parse_hands(deal, hand_size(record))
    top = _parse_talon(talon, 2 * hand_size(record))
    dealt = list(members(hands[0] | hands[1]))
    check_pack([*hands, *map(single, top)], pack_of(record))
    others = [
        int(card) for card in record.pack if card >= 0 and card not in (*dealt, *top)
    ]
    dealer = int(record.dealer)
    order = [(dealer + 1 + place) % SEATS for place in range(len(dealt))]
    stack_pack(record, hands, order)
    cards = [*top, *others]
    record.pack[len(dealt) : len(dealt) + len(cards)] = cards


def _parse_hands(deal: str, size: int) -> list[np.uint64]:
    if not isinstance(deal, str) or len(deal.split()) != SEATS:
        raise ValueError(
            f"deal={deal!r} must be two hands with a space between them, such as "
            "'AKQ.T9.87.65432 J.QJ.KJ95.AKQJT9'"
        )
    hands = [parse_hand(hand) for hand in deal.split()]
    for seat, hand in enumerate(hands):
        if count(hand) != size:
            raise ValueError(
                f"the hand of seat {seat} has {count(hand)} cards; each is dealt {size}"
            )
    return hands


def _parse_talon(talon: str | None, size: int) -> list[int]:
    if talon is None:
        return []
    if not isinstance(talon, str):
        raise TypeError(f"talon={talon!r} must be a text such as 'H7 SA'")
    cards = [parse_card(card) for card in talon.split()]
    if len(cards) > size:
        raise ValueError(f"talon= has {len(cards)} cards; the talon has {size}")
    if count(card_set(cards)) < len(cards):
        raise ValueError(f"talon={talon!r} has a card twice")
    return cards


RULES: Final = (
    Rules(
        name="german_whist",
        title="German Whist",
        agents=SEATS,
        partners=((0,), (1,)),
        action_names=tuple(card_name(card) for card in range(CARDS)),
        options=GermanWhistOptions,
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
        reason=reason_not_to_play,
        phases=(
            (
                "draw",
                "Thirteen tricks; after each the winner takes the card face up on the "
                "talon and the loser the next, unseen. The non-dealer leads first.",
            ),
            ("play", "Thirteen more tricks, without a talon."),
        ),
        visible=visible,
        notes=notes,
    ),
)
