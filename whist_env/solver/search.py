"""The search: alpha-beta with all hands open.

Cards are laid out in four *lanes* of sixteen bits, one for each suit as it is played,
the lowest card of a suit in the lowest bit. Between tricks the cards that are left
stand in each lane without gaps, so that positions that differ only in cards already
gone are one position. Only the owner of a place matters then: neighbouring cards in one
hand are worth the same, and only the lowest of them is tried.

What is searched is what the *counted* seats take, at the prices of a problem; they play
for as much as they can get, all others for as little. The search answers one kind of
question, whether that is at least `beta` (a zero window), with a bound: a result not
below `beta` is a lower bound, any other an upper bound. Bounds are kept in a table
under the whole position, not under a hash of it, so that no two positions can be
mistaken for each other.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from whist_env.cards import (
    NO_CARDS,
    count,
    highest,
    holds,
    lowest,
    single,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.random import split_mix
from whist_env.engine.record import FieldList
from whist_env.engine.tricks import NO_CARD, NO_SUIT

Work: TypeAlias = Any
"""A problem and the memory to solve it in: one `WORK` record."""
Entries: TypeAlias = Any
"""The table of bounds: an array of `ENTRY` records."""

LANE: Final = 16
"""Bits for a suit; the topmost is never used, so that lanes have no neighbours."""
MOST_SEATS: Final = 6
MOST_TRICKS: Final = 26
_MOST_MOVES: Final = 28
_ROWS: Final = MOST_TRICKS + 1
_LANE_BITS: Final = np.uint64(0xFFFF)
_LANE_ONES: Final = np.uint64(0x0001_0001_0001_0001)
_ONE: Final = np.uint64(1)
_ENDLESS: Final = 1000


def _layout(fields: FieldList) -> np.dtype[Any]:
    """A type of records with these fields."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


WORK: Final = _layout(
    [
        # By trick from here on and by seat: the cards held when the trick begins, and
        # the cards with a price of their own that are still held.
        ("hands", np.uint64, (_ROWS, MOST_SEATS)),
        ("priced", np.uint64, (_ROWS,)),
        # By trick and turn: the cards to try, each with its weight.
        ("moves", np.int32, (_ROWS * MOST_SEATS, _MOST_MOVES)),
        # The problem: how many seats, which way the turn goes round (1 or -1), the
        # trump lane or -1, and whose takings are counted (bit *seat*).
        ("seats", np.int64),
        ("turn", np.int64),
        ("trump", np.int64),
        ("counted", np.int64),
        # What a trick is worth, by how many are left; what each card of a lane is
        # worth, and the card with a price of its own in the lane.
        ("trick_prices", np.int64, (_ROWS,)),
        ("lane_prices", np.int64, (4,)),
        ("card_prices", np.int64, (4,)),
        # Whether tricks are worth 1 and nothing else has a price; whether cards have
        # prices; whether takings are to be avoided on the whole.
        ("plain", np.bool_),
        ("cards_count", np.bool_),
        ("avoids", np.bool_),
        # The mark that is left at the end decides the bonus; see `next_mark`.
        ("bonus", np.int64),
        ("exact", np.bool_),
        # The lane that is not led while it has so many cards; -1 for none.
        ("barred", np.int64),
        ("barred_size", np.int64),
        # The card that stands at a place when the search begins.
        ("card_at", np.int8, (4 * LANE,)),
        # Positions looked at, and how many there may be.
        ("nodes", np.int64),
        ("limit", np.int64),
    ]
)
ENTRY: Final = _layout(
    [
        # Who owns each place, and how many there are: see `find_key`.
        ("owners", np.uint64, (3,)),
        ("rest", np.uint32),
        ("low", np.int8),
        ("high", np.int8),
        # The card that was best, and the tricks left; 0 in an empty entry.
        ("move", np.int8),
        ("left", np.int8),
    ]
)
FRAME: Final = _layout(
    [
        # The trick from here on, how many have played to it, whose turn it is, the
        # cards played, who wins so far and with which card, and the lane led.
        ("depth", np.int64),
        ("place", np.int64),
        ("seat", np.int64),
        ("played", np.uint64),
        ("winner", np.int64),
        ("best", np.int64),
        ("led", np.int64),
        # What is still possible of the bonus, all that is good and all that is bad and
        # still to be taken, and the question: is it at least so much?
        ("mark", np.int64),
        ("most", np.int64),
        ("least", np.int64),
        ("beta", np.int64),
        # What was just taken, and the best that is found for what follows.
        ("gained", np.int64),
        ("value", np.int64),
        # How many cards to try, the next of them, the one being tried and the best.
        ("choices", np.int64),
        ("index", np.int64),
        ("tried", np.int64),
        ("move", np.int64),
        # Whether the bound is to be kept, where, and under which key.
        ("is_kept", np.bool_),
        ("at", np.int64),
        ("owners", np.uint64, (3,)),
        ("rest", np.uint32),
        ("left", np.int64),
    ]
)
FRAMES: Final = 160
"""Enough for a full pack."""
UNKNOWN: Final = 127
"""The upper bound of an entry without one; the lower bound is then its negative."""


# Lanes ------------------------------------------------------------------------------


@rule
def lane(suit: int) -> np.uint64:
    """All places of a suit."""
    return np.uint64(_LANE_BITS << np.uint64(LANE * suit))


@rule
def below(card: int) -> np.uint64:
    """All places under a card, of its own and of lower lanes."""
    return np.uint64(single(card) - _ONE)


@rule
def union(work: Work, depth: int) -> np.uint64:
    """All cards held when a trick begins."""
    cards = NO_CARDS
    for seat in range(work.seats):
        cards |= work.hands[depth, seat]
    return cards


@rule
def close_gaps(cards: np.uint64, gone: np.uint64) -> np.uint64:
    """A set of cards after others have gone, the cards above them moved down."""
    cards = without(cards, gone)
    while gone != NO_CARDS:
        card = highest(gone)
        gone = without(gone, single(card))
        above = lane(card // LANE) & ~(below(card) | single(card))
        cards = without(cards, above) | ((cards & above) >> _ONE)
    return np.uint64(cards)


@rule
def on_counted_side(work: Work, seat: int) -> bool:
    """Whether the takings of a seat are counted."""
    return bool((work.counted >> seat) & 1)


@rule
def next_seat(work: Work, seat: int) -> int:
    """The seat whose turn is next."""
    following = seat + work.turn
    if following == work.seats:
        return 0
    return int(work.seats - 1 if following < 0 else following)


@rule
def outranks(work: Work, card: int, best: int) -> bool:
    """Whether a card played later beats the best so far."""
    if card // LANE == best // LANE:
        return card > best
    return bool(card // LANE == work.trump)


# Prices -----------------------------------------------------------------------------


@rule
def price_of(work: Work, depth: int, card: int) -> int:
    """What a card is worth to whoever takes it."""
    if holds(work.priced[depth], card):
        return int(work.card_prices[card // LANE])
    return int(work.lane_prices[card // LANE])


@rule
def gains_and_losses(
    work: Work, depth: int, cards: np.uint64, left: int
) -> tuple[int, int]:
    """What is good and what is bad in a trick of these cards."""
    price = int(work.trick_prices[left])
    gain, loss = max(price, 0), min(price, 0)
    if work.cards_count:
        while cards != NO_CARDS:
            price = price_of(work, depth, lowest(cards))
            gain, loss = gain + max(price, 0), loss + min(price, 0)
            cards = without_lowest(cards)
    return gain, loss


@rule
def next_mark(work: Work, mark: int, counted: bool, has_price: bool) -> int:
    """What is still possible of a bonus after a trick; a mark of 1 at the end earns it.

    For everything that has a price, the mark is 1 until another takes some of it. For
    an exact number of tricks, it is one more than the tricks still to be taken.
    """
    if work.exact:
        return mark - 1 if counted and mark > 0 else mark
    return 0 if has_price and not counted else mark


# The table of bounds ----------------------------------------------------------------


@rule
def find_key(work: Work, frame: Any) -> None:
    """Write the whole position before a trick as four numbers.

    The number of a place's owner is spread over the first three, one binary digit in
    each; a further bit in each lane of the first stands above the places there are.
    """
    depth = int(frame.depth)
    hands = work.hands[depth]
    ends = union(work, depth) + _LANE_ONES
    frame.owners[0] = hands[1] | hands[3] | hands[5] | ends
    frame.owners[1] = hands[2] | hands[3]
    frame.owners[2] = hands[4] | hands[5]
    frame.left = count(hands[frame.seat])
    rest = np.uint64(8 * frame.mark + frame.seat)
    priced = work.priced[depth]
    while priced != NO_CARDS:
        card = lowest(priced)
        shift = np.uint64(8 + 5 * (card // LANE))
        rest |= np.uint64(16 + card % LANE) << shift
        priced = without_lowest(priced)
    frame.rest = np.uint32(rest)


@rule
def place_in_table(entries: Entries, frame: Any) -> int:
    """Where a position is kept: in this entry or the next."""
    mixed = split_mix(frame.owners[0], frame.owners[1])
    mixed = split_mix(mixed ^ frame.owners[2], frame.rest)
    return int(np.int64(mixed & np.uint64(entries.size - 2)))


@rule
def is_entry_of(entry: Any, frame: Any) -> bool:
    """Whether an entry is that of the position of a frame."""
    return bool(
        entry.owners[0] == frame.owners[0]
        and entry.owners[1] == frame.owners[1]
        and entry.owners[2] == frame.owners[2]
        and entry.rest == frame.rest
        and entry.left == frame.left
    )


# Bounds without search --------------------------------------------------------------


@rule
def top_run(hand: np.uint64, cards: np.uint64, suit: int) -> int:
    """How many of the highest cards of a suit a hand holds without a gap."""
    others = without(cards, hand) & lane(suit)
    top = highest(others) if others != NO_CARDS else LANE * suit - 1
    return count((hand & lane(suit)) >> np.uint64(max(top + 1, 0)))


@rule
def longest_elsewhere(work: Work, depth: int, leader: int, suit: int) -> int:
    """The most cards of a suit that any seat but the leader holds."""
    longest = 0
    for seat in range(work.seats):
        if seat != leader:
            longest = max(longest, count(work.hands[depth, seat] & lane(suit)))
    return longest


@rule
def rounds_without_ruff(
    work: Work, depth: int, leader: int, suit: int, drawn: int
) -> int:
    """How often a suit can be led before a seat with a trump left is out of it.

    So many rounds of trumps have been drawn before.
    """
    rounds = _ENDLESS
    if work.trump != NO_SUIT:
        for seat in range(work.seats):
            hand = work.hands[depth, seat]
            if seat != leader and count(hand & lane(int(work.trump))) > drawn:
                rounds = min(rounds, count(hand & lane(suit)))
    return rounds


@rule
def tricks_to_cash(work: Work, depth: int, leader: int, cards: np.uint64) -> int:
    """Tricks that the leader can take one after the other by leading highest cards.

    Trumps are drawn first. Who can ruff then is thought to do so, the partner too, who
    would take the lead. Where all others run out of a suit, the leader's cards that are
    left of it are as good as the highest.
    """
    hand = work.hands[depth, leader]
    trump = int(work.trump)
    drawn = 0
    taken = 0
    if trump != NO_SUIT:
        drawn = top_run(hand, cards, trump)
        taken = drawn
        if longest_elsewhere(work, depth, leader, trump) <= drawn:
            taken = count(hand & lane(trump))
    for suit in range(4):
        run = 0 if suit == trump else top_run(hand, cards, suit)
        if run > 0:
            if longest_elsewhere(work, depth, leader, suit) <= run:
                run = count(hand & lane(suit))
            taken += min(run, rounds_without_ruff(work, depth, leader, suit, drawn))
    return taken


@rule
def sure_trumps(work: Work, depth: int, cards: np.uint64, counted: bool) -> int:
    """Tricks that one side takes however it plays: the longest run of top trumps."""
    longest = 0
    for seat in range(work.seats):
        if on_counted_side(work, seat) == counted:
            hand = work.hands[depth, seat]
            longest = max(longest, top_run(hand, cards, int(work.trump)))
    return longest


@rule
def quick_bounds(
    work: Work, depth: int, leader: int, cards: np.uint64, left: int
) -> tuple[int, int]:
    """At least and at most how many of the tricks left the counted side takes."""
    ours, theirs = 0, 0
    if work.trump != NO_SUIT:
        ours = sure_trumps(work, depth, cards, True)
        theirs = sure_trumps(work, depth, cards, False)
    cashed = tricks_to_cash(work, depth, leader, cards)
    if on_counted_side(work, leader):
        ours = max(ours, cashed)
    else:
        theirs = max(theirs, cashed)
    return ours, left - theirs


# The order in which cards are tried -------------------------------------------------


@rule
def playable(work: Work, depth: int, place: int, seat: int, led: int) -> np.uint64:
    """The cards that a seat may play."""
    hand = np.uint64(work.hands[depth, seat])
    preferred = hand
    if place > 0:
        preferred = np.uint64(hand & lane(led))
    elif work.barred != NO_SUIT:
        suit = lane(int(work.barred))
        if count(union(work, depth) & suit) == work.barred_size:
            preferred = without(hand, suit)
    return hand if preferred == NO_CARDS else preferred


@rule
def one_of_each(work: Work, depth: int, cards: np.uint64) -> np.uint64:
    """Of neighbours, which are worth the same, only the lowest."""
    alike = without(cards, work.priced[depth])
    return np.uint64(without(cards, (alike << _ONE) & alike))


@rule
def holds_off(
    work: Work, depth: int, card: int, led: int, seat: int, place: int
) -> bool:
    """Whether no adversary who plays later can beat a card."""
    side = on_counted_side(work, seat)
    other = seat
    for _ in range(place + 1, work.seats):
        other = next_seat(work, other)
        if on_counted_side(work, other) == side:
            continue
        hand = work.hands[depth, other]
        follows = hand & lane(led)
        suit = lane(card // LANE)
        if follows != NO_CARDS:
            if card // LANE == led and follows & suit > single(card):
                return False
        elif work.trump != NO_SUIT:
            trumps = hand & lane(work.trump)
            if trumps != NO_CARDS and outranks(work, highest(trumps), card):
                return False
    return True


@rule
def weight_of_lead(
    work: Work, depth: int, seat: int, cards: np.uint64, card: int
) -> int:
    """How promising a lead is where tricks are wanted."""
    suit = card // LANE
    held = cards & lane(suit)
    rank = card % LANE
    if holds_off(work, depth, card, suit, seat, 0):
        if without(held, work.hands[depth, seat]) >> np.uint64(card) == NO_CARDS:
            return 60 + count(held)
        return 40 - rank
    top = highest(held)
    side = on_counted_side(work, seat)
    for other in range(work.seats):
        if other != seat and on_counted_side(work, other) == side:
            hand = work.hands[depth, other]
            if holds(hand, top) and holds_off(work, depth, top, suit, seat, 0):
                return 50 - rank
            if hand & lane(suit) == NO_CARDS and work.trump != NO_SUIT:
                if hand & lane(work.trump) != NO_CARDS:
                    return 30 - rank
    if work.trump == suit:
        return 20 - rank
    return 25 - rank - count(work.hands[depth, seat] & lane(suit))


@rule
def weight_of_card(
    work: Work, depth: int, place: int, seat: int, winner: int, best: int, card: int
) -> int:
    """How promising a card is that follows, where tricks are wanted."""
    led_partner_wins = on_counted_side(work, winner) == on_counted_side(work, seat)
    rank = card % LANE
    if not outranks(work, card, best):
        return 40 - rank if led_partner_wins else 20 - rank
    if place + 1 == work.seats:
        return 30 - rank if led_partner_wins else 60 - rank
    return 10 - rank


@rule
def weight_to_avoid(
    work: Work, depth: int, place: int, seat: int, winner: int, best: int, card: int
) -> int:
    """How promising a card is where takings are to be avoided."""
    rank = card % LANE
    if place == 0:
        return 20 - rank
    if not outranks(work, card, best):
        weight = 40 + rank
        if on_counted_side(work, winner) != on_counted_side(work, seat):
            weight -= 8 * price_of(work, depth, card)
        return weight
    return 20 + rank if place + 1 == work.seats else 20 - rank


@rule
def weight(work: Work, frame: Any, cards: np.uint64, card: int) -> int:
    """How promising a card is; those with more weight are tried first."""
    depth, place = int(frame.depth), int(frame.place)
    seat, winner, best = int(frame.seat), int(frame.winner), int(frame.best)
    if work.avoids:
        return weight_to_avoid(work, depth, place, seat, winner, best, card)
    if place == 0:
        return weight_of_lead(work, depth, seat, cards, card)
    if outranks(work, card, best) and place + 1 < work.seats:
        if holds_off(work, depth, card, int(frame.led), seat, place):
            partner_wins = on_counted_side(work, winner) == on_counted_side(work, seat)
            return (35 if partner_wins else 60) - card % LANE
    return weight_of_card(work, depth, place, seat, winner, best, card)


@rule
def list_moves(work: Work, frame: Any, first: int) -> int:
    """Write the cards to try, the most promising first; returns their number.

    Args:
        work: the problem.
        frame: the position.
        first: a card to be tried before all others, or -1.
    """
    depth, place = int(frame.depth), int(frame.place)
    moves = work.moves[depth * MOST_SEATS + place]
    cards = union(work, depth)
    left = playable(work, depth, place, int(frame.seat), int(frame.led))
    left = one_of_each(work, depth, left)
    size = 0
    while left != NO_CARDS:
        card = lowest(left)
        left = without_lowest(left)
        heavy = _ENDLESS if card == first else weight(work, frame, cards, card)
        # The weight above the card, so that both are compared at once.
        move = 256 * (heavy + 256) + card
        at = size
        while at > 0 and moves[at - 1] < move:
            moves[at] = moves[at - 1]
            at -= 1
        moves[at] = move
        size += 1
    return size


# The search -------------------------------------------------------------------------


@rule
def enter(work: Work, entries: Entries, frame: Any) -> None:
    """Begin with a position: answer it at once, or list the cards to try."""
    work.nodes += 1
    frame.gained = 0
    frame.index = 0
    frame.choices = 0
    frame.is_kept = False
    if frame.place == work.seats:
        take_trick(work, frame)
    first = NO_CARD
    if frame.place == 0:
        if answer(work, frame):
            return
        if count(work.hands[frame.depth, frame.seat]) > 1:
            find_key(work, frame)
            frame.is_kept = True
            frame.at = place_in_table(entries, frame)
            for other in range(2):
                entry = entries[frame.at + other]
                if is_entry_of(entry, frame):
                    if entry.low >= frame.beta or entry.high < frame.beta:
                        low_enough = entry.high < frame.beta
                        frame.value = entry.high if low_enough else entry.low
                        frame.is_kept = False
                        return
                    first = int(entry.move)
    frame.choices = list_moves(work, frame, first)
    frame.value = -_ENDLESS if on_counted_side(work, frame.seat) else _ENDLESS


@rule
def take_trick(work: Work, frame: Any) -> None:
    """A trick is full: who wins it takes what is in it, and leads to the next."""
    depth, seat = int(frame.depth), int(frame.winner)
    counted = on_counted_side(work, seat)
    left = count(work.hands[depth, seat])
    gain, loss = gains_and_losses(work, depth, frame.played, left)
    if counted:
        frame.gained = gain + loss
        frame.beta -= gain + loss
    frame.most -= gain
    frame.least -= loss
    frame.mark = next_mark(work, frame.mark, counted, gain != loss)
    for other in range(work.seats):
        held = work.hands[depth, other]
        work.hands[depth + 1, other] = close_gaps(held, frame.played)
    work.priced[depth + 1] = NO_CARDS
    if work.priced[depth] != NO_CARDS:
        work.priced[depth + 1] = close_gaps(work.priced[depth], frame.played)
    frame.depth = depth + 1
    frame.place = 0
    frame.seat = seat
    frame.played = NO_CARDS
    frame.best = NO_CARD
    frame.led = NO_SUIT


@rule
def answer(work: Work, frame: Any) -> bool:
    """Whether a position before a trick can be answered by bounds alone."""
    depth, seat = int(frame.depth), int(frame.seat)
    left = count(work.hands[depth, seat])
    bonus = int(work.bonus) if frame.mark > 0 else 0
    lower = int(frame.least) + min(bonus, 0)
    upper = int(frame.most) + max(bonus, 0)
    if left == 0:
        lower = int(work.bonus) if frame.mark == 1 else 0
        upper = lower
    elif work.plain and lower < frame.beta <= upper:
        lower, upper = quick_bounds(work, depth, seat, union(work, depth), left)
    if lower >= frame.beta:
        frame.value = lower
    elif upper < frame.beta:
        frame.value = upper
    else:
        return False
    return True


@rule
def play(work: Work, frame: Any, next_frame: Any) -> None:
    """Try the next card: what follows is in the next frame."""
    seat, place = int(frame.seat), int(frame.place)
    row = frame.depth * MOST_SEATS + place
    card = int(work.moves[row, frame.index] % 256)
    frame.index += 1
    frame.tried = card
    wins = place == 0 or outranks(work, card, frame.best)
    next_frame.depth = frame.depth
    next_frame.place = place + 1
    next_frame.seat = next_seat(work, seat)
    next_frame.played = frame.played | single(card)
    next_frame.winner = seat if wins else frame.winner
    next_frame.best = card if wins else frame.best
    next_frame.led = card // LANE if place == 0 else frame.led
    next_frame.mark = frame.mark
    next_frame.most = frame.most
    next_frame.least = frame.least
    next_frame.beta = frame.beta


@rule
def weigh_up(work: Work, frame: Any, found: int) -> None:
    """Note what the card tried has come to; if that is enough, try no more."""
    if on_counted_side(work, frame.seat):
        if found > frame.value:
            frame.value = found
            frame.move = frame.tried
            if found >= frame.beta:
                frame.choices = frame.index
    elif found < frame.value:
        frame.value = found
        frame.move = frame.tried
        if found < frame.beta:
            frame.choices = frame.index


@rule
def remember(entries: Entries, frame: Any) -> None:
    """Keep the bound found in the table: where most work lies, or else beside it."""
    at = int(frame.at)
    if not is_entry_of(entries[at], frame):
        if entries[at].left > frame.left or is_entry_of(entries[at + 1], frame):
            at += 1
    entry = entries[at]
    if not is_entry_of(entry, frame):
        for digit in range(3):
            entry.owners[digit] = frame.owners[digit]
        entry.rest = frame.rest
        entry.left = frame.left
        entry.low = -UNKNOWN
        entry.high = UNKNOWN
    entry.move = frame.move
    if frame.value >= frame.beta:
        entry.low = max(entry.low, frame.value)
    else:
        entry.high = min(entry.high, frame.value)


@rule
def search(work: Work, entries: Entries, frames: Any) -> int:
    """A bound of what the counted seats take from the position of the first frame on.

    What a recursive search would keep in its calls is here in an array of frames, one
    for each card played.
    """
    level = 0
    enter(work, entries, frames[0])
    while True:
        frame = frames[level]
        if frame.index < frame.choices:
            level += 1
            play(work, frame, frames[level])
            enter(work, entries, frames[level])
            continue
        if work.nodes > work.limit:
            return 0
        if frame.is_kept:
            remember(entries, frame)
        found = int(frame.gained + frame.value)
        if level == 0:
            return found
        level -= 1
        weigh_up(work, frames[level], found)


# From the outside -------------------------------------------------------------------


@rule
def place_of(all_cards: np.uint64, place: int) -> int:
    """Where a card stands among cards whose lanes have no gaps."""
    suit = place // LANE
    return LANE * suit + count(all_cards & lane(suit) & below(place))


@rule
def take_up(work: Work, hands: Any, trick: Any, places: Any, priced: np.uint64) -> None:
    """Take up the cards of a position as they were before the trick on the table.

    Args:
        work: the problem.
        hands: by seat, the cards held now, as sets of cards.
        trick: by seat, the card in the trick on the table, or -1.
        places: by card, its place among all cards of the pack.
        priced: the cards with a price of their own, a set of cards.
    """
    all_cards = NO_CARDS
    for seat in range(work.seats):
        held = np.uint64(hands[seat])
        if trick[seat] != NO_CARD:
            held |= single(trick[seat])
        while held != NO_CARDS:
            all_cards |= single(places[lowest(held)])
            held = without_lowest(held)
    work.priced[0] = NO_CARDS
    for seat in range(MOST_SEATS):
        work.hands[0, seat] = NO_CARDS
    for seat in range(work.seats):
        held = np.uint64(hands[seat])
        if trick[seat] != NO_CARD:
            held |= single(trick[seat])
        while held != NO_CARDS:
            card = lowest(held)
            place = place_of(all_cards, places[card])
            work.hands[0, seat] |= single(place)
            work.card_at[place] = card
            if holds(priced, card):
                work.priced[0] |= single(place)
            held = without_lowest(held)


@rule
def all_prices(work: Work) -> tuple[int, int]:
    """All that is good and all that is bad in the tricks left."""
    gain, loss = gains_and_losses(work, 0, union(work, 0), 0)
    for left in range(1, count(work.hands[0, 0]) + 1):
        gain += max(int(work.trick_prices[left]), 0)
        loss += min(int(work.trick_prices[left]), 0)
    return gain, loss


@rule
def set_out(work: Work, trick: Any, leader: int, mark: int, frame: Any) -> None:
    """Write the position with which the search begins, the trick on the table in it."""
    frame.depth = 0
    frame.place = 0
    frame.seat = leader
    frame.played = NO_CARDS
    frame.winner = leader
    frame.best = NO_CARD
    frame.led = NO_SUIT
    frame.mark = mark
    frame.most, frame.least = all_prices(work)
    while trick[frame.seat] != NO_CARD:
        card = find_place(work, int(frame.seat), int(trick[frame.seat]))
        if frame.place == 0:
            frame.led = card // LANE
        if frame.place == 0 or outranks(work, card, int(frame.best)):
            frame.best = card
            frame.winner = frame.seat
        frame.played |= single(card)
        frame.place += 1
        frame.seat = next_seat(work, int(frame.seat))


@rule
def find_place(work: Work, seat: int, card: int) -> int:
    """Where a card of a seat stands when the search begins."""
    held = work.hands[0, seat]
    while work.card_at[lowest(held)] != card:
        held = without_lowest(held)
    return lowest(held)


@rule
def narrow(
    work: Work, entries: Entries, frames: Any, low: int, high: int, guess: int
) -> tuple[int, int]:
    """The value of the card that is next in the first frame, between two bounds.

    Each search asks about the bound that the last one found (the algorithm known as
    MTD(f)). Where that takes too much work, the bounds are as close as it got.
    """
    while low < high:
        beta = max(guess, low + 1)
        frames[0].beta = beta
        play(work, frames[0], frames[1])
        frames[0].index -= 1
        guess = search(work, entries, frames[1:])
        if work.nodes > work.limit:
            break
        if guess >= beta:
            low = guess
        else:
            high = guess
    return low, high


@rule
def value_cards(work: Work, entries: Entries, frames: Any, low: Any, high: Any) -> None:
    """Value every card of the seat to play in the first frame; see `value_all`."""
    frame = frames[0]
    bonus = int(work.bonus) if frame.mark > 0 else 0
    least, most = int(frame.least) + min(bonus, 0), int(frame.most) + max(bonus, 0)
    place, seat = int(frame.place), int(frame.seat)
    cards = playable(work, 0, place, seat, int(frame.led))
    left = cards
    while left != NO_CARDS:
        card = work.card_at[lowest(left)]
        low[card], high[card] = least, most
        left = without_lowest(left)
    guess = (least + most + 1) // 2
    size = list_moves(work, frame, NO_CARD)
    for index in range(size):
        frame.index = index
        card = work.card_at[work.moves[place, index] % 256]
        low[card], high[card] = narrow(work, entries, frames, least, most, guess)
        if work.nodes > work.limit:
            return
        guess = int(low[card])
    # The higher neighbours of each card tried are worth as much as it is.
    left = without(cards, one_of_each(work, 0, cards))
    while left != NO_CARDS:
        card, like = work.card_at[lowest(left)], work.card_at[lowest(left) - 1]
        low[card], high[card] = low[like], high[like]
        left = without_lowest(left)


def value_all(
    work: Work,
    entries: Entries,
    frames: Any,
    hands: Any,
    trick: Any,
    leader: int,
    mark: int,
    places: Any,
    priced: np.uint64,
    low: Any,
    high: Any,
) -> int:
    """Value every card of the seat to play, with the hands of each of many worlds.

    Args:
        work: the problem.
        entries: memory for the table of bounds, a power of two of entries.
        frames: memory for `FRAMES` frames.
        hands: by world and seat, the cards held now, as sets of cards.
        trick: by seat, the card in the trick on the table, or -1.
        leader: who led to it, or is to lead.
        mark: what is still possible of the bonus.
        places: by card, its place among all cards of the pack.
        priced: the cards with a price of their own, a set of cards.
        low: by world and card, written for each card that may be played: the least
            that the counted seats take from here on if it is played.
        high: the most; the same number where the search was finished.

    Returns:
        The number of worlds finished; fewer than all where one took too much work.
    """
    for world in range(hands.shape[0]):
        take_up(work, hands[world], trick, places, priced)
        for entry in range(entries.size):
            entries[entry].left = 0
        work.nodes = 0
        set_out(work, trick, leader, mark, frames[0])
        value_cards(work, entries, frames, low[world], high[world])
        if work.nodes > work.limit:
            return world
    return int(hands.shape[0])


@rule
def value_position(
    work: Work, entries: Entries, frames: Any, guess: int
) -> tuple[int, int]:
    """At least and at most what the counted seats take from the first frame on.

    Both are the same unless that takes too much work; see `narrow`.
    """
    frame = frames[0]
    bonus = int(work.bonus) if frame.mark > 0 else 0
    low, high = int(frame.least) + min(bonus, 0), int(frame.most) + max(bonus, 0)
    while low < high:
        beta = min(max(guess, low + 1), high)
        frame.beta = beta
        guess = search(work, entries, frames)
        if work.nodes > work.limit:
            break
        if guess >= beta:
            low = guess
        else:
            high = guess
    return low, high


def value_positions(
    work: Work,
    entries: Entries,
    frames: Any,
    hands: Any,
    tricks: Any,
    leaders: Any,
    marks: Any,
    gained: Any,
    places: Any,
    priced: np.uint64,
    low: Any,
    high: Any,
) -> int:
    """Value the positions of a play, from the last to the first.

    What is found for later positions is kept for earlier ones.

    Args:
        work: the problem, as it stands at the first position.
        entries: memory for the table of bounds, a power of two of entries.
        frames: memory for `FRAMES` frames.
        hands: by position and seat, the cards held, as sets of cards.
        tricks: by position and seat, the card in the trick on the table, or -1.
        leaders: by position, who led to it, or is to lead.
        marks: by position, what is still possible of the bonus.
        gained: by position, what the counted seats take between it and the next.
        places: by card, its place among all cards of the pack.
        priced: the cards with a price of their own, a set of cards.
        low: by position, written: the least that the counted seats take from there on.
        high: the most; the same number where the search was finished.

    Returns:
        The first position that was solved; not 0 where one took too much work.
    """
    for entry in range(entries.size):
        entries[entry].left = 0
    guess = 0
    for position in range(hands.shape[0] - 1, -1, -1):
        take_up(work, hands[position], tricks[position], places, priced)
        work.nodes = 0
        leader, mark = int(leaders[position]), int(marks[position])
        set_out(work, tricks[position], leader, mark, frames[0])
        guess += gained[position]
        least, most = value_position(work, entries, frames, guess)
        low[position], high[position] = least, most
        if least < most:
            return position + 1
        guess = least
    return 0
