"""French Boston.

Four players, each for himself, with alliances for a deal. All goes to the right: the
deal, the bidding and the play. The dealer's last card is turned. The suit turned in the
first deal of a game is *belle* for the whole game; the suit turned in a later deal is
the *petite* of that deal. A player demands a partner for eight tricks in one of these
two suits, or offers to play alone: for six, eight or nine tricks with any trump, or in
a misere for none. The Jack of diamonds is the best trump, whatever the trump suit.

Sources: Foster's Complete Hoyle (bids, bidding, payments, slams; pack, belle and
petite; who revokes pays both adversaries and doubles the pool) and French rules of
Boston with the Jack of diamonds (packets, stakes). What they leave open is an option.
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
    JACK,
    NO_CARDS,
    RANKS_IN_SUIT,
    SUIT_NAMES,
    SUITS,
    card_name,
    card_set,
    count,
    holds,
    lowest,
    single,
    suit_of,
    whole_suit,
    without,
    without_lowest,
)
from whist_env.engine.compile import rule
from whist_env.engine.contracts import (
    enter_points,
    settle_in_pairs,
    settle_with_each,
    with_action,
)
from whist_env.engine.deals import (
    begin_episode,
    check_dealer,
    cut_other_pack,
    dealer_option,
    first_dealer,
    place_in_packets,
    stack_turned_pack,
)
from whist_env.engine.features import (
    Feature,
    FeatureTable,
    write,
    write_cards,
    write_number,
)
from whist_env.engine.honours import honours_held
from whist_env.engine.individual import (
    REWARD_POINTS,
    all_win_but,
    clear_points,
    find_winners,
    finish,
    match_fields,
    won,
)
from whist_env.engine.options import choice, is_whole, number
from whist_env.engine.pool import (
    divide_pool,
    pay_into_pool,
    pool_fields,
    take_from_pool,
)
from whist_env.engine.record import NOBODY, Record, begin_action, pay, record_dtype
from whist_env.engine.revokes import (
    PENALTY,
    clear_revokes,
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
    NO_CARD,
    NO_SUIT,
    beats,
    clear_table,
    give,
    lead,
    left_of,
    play_card_as,
    shuffle,
    take_trick,
    trick_fields,
    trick_is_complete,
)

SEATS: Final = 4
TRICKS: Final = 13
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
SUIT_ORDER: Final = (SPADES, CLUBS, DIAMONDS, HEARTS)
"""The permanent order of the suits, the lowest first."""
PRICES: Final = tuple(SUIT_ORDER.index(suit) + 1 for suit in range(4))
"""By suit, what multiplies every amount: spades 1, clubs 2, diamonds 3, hearts 4."""
JACK_OF_DIAMONDS: Final = RANKS_IN_SUIT * DIAMONDS + JACK
JACK_OF_HEARTS: Final = RANKS_IN_SUIT * HEARTS + JACK
ACES: Final = card_set(RANKS_IN_SUIT * suit + ACE for suit in range(4))
BID, DECLARE, DISCARD, PLAY, THROWN_IN = range(5)
NO_BID: Final = -1

# The calls: pass, the bids from the lowest to the highest, and accept ----------------

_SUITS_IN_ORDER = [SUIT_NAMES[suit] for suit in SUIT_ORDER]
CALL_NAMES: Final = (
    *("pass", "demand_petite", "demand_belle_hidden", "demand_belle", "accept"),
    *(f"six_{suit}" for suit in _SUITS_IN_ORDER),
    "petite_misere",
    *(f"eight_{suit}" for suit in _SUITS_IN_ORDER),
    *("grand_misere", "misere_des_quatre_as"),
    *(f"nine_{suit}" for suit in _SUITS_IN_ORDER),
    *("nine_petite", "nine_belle"),
    *("petite_misere_sur_table", "grand_misere_sur_table"),
)
CALLS: Final = len(CALL_NAMES)
PASS, DEMAND_PETITE, DEMAND_BELLE_HIDDEN, DEMAND_BELLE, ACCEPT = range(CARDS, CARDS + 5)
DEMAND: Final = DEMAND_PETITE
"""How a demand is written whose suit its maker alone knows."""
FIRST_ALONE: Final = ACCEPT + 1
PETITE_MISERE: Final = CARDS + CALL_NAMES.index("petite_misere")
QUATRE_AS: Final = CARDS + CALL_NAMES.index("misere_des_quatre_as")
NINE_PETITE: Final = CARDS + CALL_NAMES.index("nine_petite")
NINE_BELLE: Final = CARDS + CALL_NAMES.index("nine_belle")
PETITE_SUR_TABLE: Final = CARDS + CALL_NAMES.index("petite_misere_sur_table")

TOGETHER, SIX, EIGHT, NINE, MISERE, NO_PLAY = range(6)
_KINDS = {
    "pass": NO_PLAY,
    "accept": NO_PLAY,
    "demand": TOGETHER,
    "six": SIX,
    "eight": EIGHT,
    "nine": NINE,
}
KIND_OF: Final = tuple(_KINDS.get(name.split("_")[0], MISERE) for name in CALL_NAMES)
"""By call, what is undertaken."""
SUIT_OF: Final = tuple(
    SUIT_NAMES.index(suit) if (suit := name.split("_")[-1]) in SUIT_NAMES else NO_SUIT
    for name in CALL_NAMES
)
"""By call, the suit that it names."""
TARGETS: Final = (5, 6, 8, 9)
"""By kind, the tricks to take; a demander who has a partner takes eight with him."""
SHARES: Final = (5, 3)
"""Of these eight, the tricks that demander and acceptor answer for."""

# Payments to and from each adversary in spades; clubs are twice as dear, diamonds three
# times, hearts four times.

BASE, THREE_HONOURS, FOUR_HONOURS, EXTRA_TRICK = range(4)
ROWS: Final = ((4, 3, 4, 1), (6, 4, 6, 2), (8, 6, 8, 4), (8, 6, 8, 4))
"""By kind. Nine tricks have no row; they are paid by the row of eight."""
PETITE_AMOUNT, GRAND_AMOUNT, SUR_TABLE_AMOUNT = 16, 32, 64
ALLY_SLAM, SOLO_SLAM = 50, 100
SLAM_IN_PETITE, SLAM_IN_BELLE = 24, 48
"""What the text names for a slam of a demander, whatever the suit."""
JACK_BONUS: Final = 2
FORFEIT: Final = 800
"""What a forfeit pays to each of the others: the dearest amount of the table."""

# Options ----------------------------------------------------------------------------

ONE_DEAL, ONE_GAME = range(2)
DRAWN, TURNED = range(2)
SINGLE, DOUBLE = range(2)
EVERYTHING, DEAL_AND_BIDDING, NOTHING = range(3)
TO_THE_RIGHT, TO_THE_LEFT = range(2)
DIAMONDS_TURNED, DIAMONDS_TRUMPS = range(2)
JACK_IN_TRUMPS, JACK_AS_PRINTED = range(2)
BONUS_OF_DIAMONDS, BONUS_OF_BEST_JACK = range(2)
PUBLIC, IMPOSSIBLE = range(2)
ACCEPT_ONLY, ANY_HIGHER = range(2)
FREELY, LAID_SUIT = range(2)
ALONE, FALLS_THROUGH = range(2)
DECLARED_AFTER, AS_CALLED = range(2)
BEFORE_LEAD, AFTER_FIRST_TRICK = range(2)
PAYS_ALL, PAYS_TRICKS, PAYS_BASE = range(3)
TEXT, TABLE = range(2)
COLUMN, ROW = range(2)
ROW_AND_EXTRA, ROW_ALONE = range(2)
DOUBLES_ALL, DOUBLES_SLAMS = range(2)
DIVIDED, PLAYED_OUT = range(2)


@dataclasses.dataclass(frozen=True)
class FrenchBostonOptions(PlayOptions):
    """Options of French Boston. What no source settles is an option."""

    episode: str = choice(
        "deal", *("deal", "game"), meaning="How long an episode lasts."
    )
    deals: int = number(40, 1, 100, meaning="The deals of a game.", episode=("game",))
    double_deals: int = number(
        8, 0, 100, meaning="How many deals at its end count double.", episode=("game",)
    )
    belle: str = choice(
        "drawn",
        *("drawn", "turned"),
        meaning=(
            "The belle of an episode of one deal: drawn, as if a deal before had fixed "
            "it, or the suit turned, as in the first deal of a game, which has no "
            "petite."
        ),
        episode=("deal",),
    )
    counts: str = choice(
        "single",
        *("single", "double"),
        meaning="Whether an episode of one deal counts double, as the last of a game.",
        episode=("deal",),
    )
    reward: str = choice(
        "points",
        *("points", "match"),
        meaning=(
            "What is rewarded: the counters won and lost in each deal, or having most "
            "of them at the end of the episode."
        ),
    )
    dealer: int | None = dealer_option(SEATS)
    counterclockwise: str = choice(
        "everything",
        *("everything", "deal_and_bidding", "nothing"),
        meaning="What goes to the right; the rest goes to the left.",
    )
    deal_passes: str = choice(
        "right", *("right", "left"), meaning="To which side the deal passes."
    )
    jack_of_hearts: str = choice(
        "diamonds_turned",
        *("diamonds_turned", "diamonds_trumps"),
        meaning=(
            "When the Jack of hearts is the best trump in place of that of diamonds: "
            "if diamonds are turned up, or if they are trumps."
        ),
    )
    jack_suit: str = choice(
        "trumps",
        *("trumps", "printed"),
        meaning="The suit that the best trump Jack follows and answers.",
    )
    jack_bonus: str = choice(
        "diamonds",
        *("diamonds", "best_trump"),
        meaning="Whose holder gets the bonus: the Jack of diamonds or the best trump.",
    )
    belle_overcall: str = choice(
        "public",
        *("public", "impossible"),
        meaning="Whether a public demand in belle may over-call a demand.",
    )
    after_passing: str = choice(
        "accept",
        *("accept", "any_higher"),
        meaning=(
            "What a player who has passed may still do: accept alone, or also bid "
            "tricks higher than another."
        ),
    )
    raised_demand: str = choice(
        "freely",
        *("freely", "laid_suit"),
        meaning=(
            "What a demander who was over-called may raise to beside six in the suit "
            "that he laid: eight, nine and miseres freely, or tricks in that suit only."
        ),
    )
    unaccepted: str = choice(
        "alone",
        *("alone", "thrown_in"),
        meaning=(
            "What becomes of a demand that nobody accepts, unless it was the fourth "
            "player's after three passes, who always plays alone."
        ),
    )
    declare_after: str = choice(
        "yes",
        *("yes", "no"),
        meaning=(
            "Whether the winner of a bid of tricks declares after the bidding what he "
            "plays, at least as high as he bid."
        ),
    )
    sur_table_exposed: str = choice(
        "before_lead",
        *("before_lead", "after_first_trick"),
        meaning="When the caller of a misere sur table lays his hand open.",
    )
    failure: str = choice(
        "all",
        *("all", "tricks", "base"),
        meaning=(
            "What a failure costs: base, honours and tricks short; base and tricks; or "
            "the base alone."
        ),
    )
    ally_slam: str = choice(
        "text",
        *("text", "table"),
        meaning=(
            "Thirteen tricks of two allies: 24 in petite and 48 in belle as the text "
            "says, or 50 to 200 as the table says."
        ),
    )
    solo_slam: str = choice(
        "column",
        *("column", "row"),
        meaning=(
            "Thirteen tricks of six, eight or nine alone: 100 to 400 in place of base "
            "and extra tricks, or these."
        ),
    )
    nine: str = choice(
        "row_and_extra",
        *("row_and_extra", "row"),
        meaning=(
            "Nine tricks: the row of eight with one extra trick, or with none and "
            "tricks counted from nine."
        ),
    )
    doubles: str = choice(
        "everything",
        *("everything", "slams_and_jack"),
        meaning="What is doubled in a deal that counts double.",
    )
    dealer_stake: int = number(
        8, 0, 100, meaning="What the dealer puts into an empty pool."
    )
    stake: int = number(
        4, 0, 100, meaning="What each other player puts into an empty pool."
    )
    added_stake: int = number(
        8, 0, 100, meaning="What the next dealer adds after cards were thrown in."
    )
    pool_limit: int = number(
        250,
        1,
        1000,
        meaning=(
            "The most that can be won from the pool, or doubled, at once, as in "
            "Boston; an excess waits for the next deal."
        ),
    )
    pool_left: str = choice(
        "divided",
        *("divided", "played_out"),
        meaning=(
            "What becomes of the pool at the end of a game: divided, or played out in "
            "extra deals that count single."
        ),
        episode=("game",),
    )
    extra_deals: int = number(
        20,
        1,
        100,
        meaning="The most extra deals; what is left then is divided.",
        pool_left=("played_out",),
    )
    revokes: str = revokes_option()


RECORD: Final = record_dtype(
    SEATS,
    FrenchBostonOptions,
    [
        *trick_fields(SEATS),
        *revoke_fields(SEATS),
        *pool_fields(),
        *match_fields(SEATS),
        ("phase", np.int8),
        # The card that the dealer turned, and the two suits; -1 where there is none.
        ("turn_up", np.int8),
        ("belle", np.int8),
        ("petite", np.int8),
        # By seat: the calls that all have heard (call *n* of the names is bit *n*; a
        # hidden demand is a demand), the suit laid with a demand, the card discarded.
        ("calls", np.uint64, (SEATS,)),
        ("laid", np.int8, (SEATS,)),
        ("discards", np.uint64, (SEATS,)),
        # The bid that stands, in the end the contract, whose it is, and his partner.
        ("contract", np.int8),
        ("caller", np.int8),
        ("acceptor", np.int8),
        # Whether the cards of the deal before were thrown in.
        ("thrown_in_before", np.int8),
    ],
)

# Direction --------------------------------------------------------------------------


@rule
def right_of(seat: int) -> int:
    """The next seat counterclockwise."""
    return seat - 1 if seat > 0 else SEATS - 1


@rule
def next_to_call(record: Record, seat: int) -> int:
    """Cards are dealt and calls are made from right to left."""
    if record.options.counterclockwise == NOTHING:
        return left_of(seat, SEATS)
    return right_of(seat)


@rule
def next_to_play(record: Record, seat: int) -> int:
    """Play goes the same way."""
    if record.options.counterclockwise == EVERYTHING:
        return right_of(seat)
    return left_of(seat, SEATS)


@rule
def next_dealer(record: Record) -> int:
    """The deal passes to the right."""
    if record.options.deal_passes == TO_THE_RIGHT:
        return right_of(int(record.dealer))
    return left_of(int(record.dealer), SEATS)


@rule
def eldest(record: Record) -> int:
    """The dealer's right is dealt to first, calls first and leads first."""
    return next_to_call(record, int(record.dealer))


@rule
def receiver(record: Record, card: int) -> int:
    """Who is dealt a card of the pack: four, four and five cards from eldest on."""
    place = 1 + place_in_packets(card)
    if record.options.counterclockwise == NOTHING:
        return (int(record.dealer) + place) % SEATS
    return (int(record.dealer) + SEATS - place) % SEATS


# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    begin_episode(record)
    clear_points(record)
    record.pool = 0
    record.thrown_in_before = 0
    record.dealer = first_dealer(record)
    record.belle = belle_before(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


@rule
def belle_before(record: Record) -> int:
    """The belle before the first deal of an episode: none, or any suit."""
    options = record.options
    if options.episode == ONE_GAME or options.belle == TURNED:
        return NO_SUIT
    return suit_of(cut_other_pack(record))


@rule
def deal_out(record: Record) -> None:
    """Deal the pack and turn the last card, which fixes belle or petite."""
    clear_table(record)
    clear_revokes(record)
    for card in range(CARDS):
        give(record, receiver(record, card), record.pack[card])
    record.trump = NO_SUIT
    turn_up(record, record.pack[CARDS - 1])
    begin_bidding(record)
    lead(record, eldest(record))
    record.agent = record.seat


@rule
def turn_up(record: Record, card: int) -> None:
    """The first suit turned is belle, each later one petite; belle is never petite."""
    record.turn_up = card
    suit = suit_of(card)
    if record.belle == NO_SUIT:
        record.belle = suit
    record.petite = NO_SUIT if suit == record.belle else suit


@rule
def next_deal(record: Record) -> None:
    """The next dealer deals."""
    record.deal_number += 1
    record.dealer = next_dealer(record)
    shuffle(record, FULL_PACK)
    deal_out(record)


# Bids -------------------------------------------------------------------------------


@rule
def is_misere(call: int) -> bool:
    """Whether a call is one of the five misères."""
    return KIND_OF[call - PASS] == MISERE


@rule
def is_demand(call: int) -> bool:
    """Whether a call asks for a partner."""
    return DEMAND_PETITE <= call <= DEMAND_BELLE


@rule
def heard(call: int) -> int:
    """A call as the others hear it: a demand does not name its suit."""
    return DEMAND if call == DEMAND_BELLE_HIDDEN else call


@rule
def trump_of(record: Record, call: int) -> int:
    """The trump suit of a bid; none in a misère, or where there is no petite."""
    if call == DEMAND_PETITE or call == NINE_PETITE:
        return int(record.petite)
    if is_demand(call) or call == NINE_BELLE:
        return int(record.belle)
    return SUIT_OF[call - PASS]


@rule
def has_called(record: Record, seat: int, call: int) -> bool:
    """Whether a seat has made a call in this deal."""
    return holds(record.calls[seat], call - PASS)


@rule
def may_demand(record: Record, call: int) -> bool:
    """A demand opens the bidding; a card of its suit is laid face down.

    A public demand in belle over-calls a demand, unless that must be one in belle.
    """
    if call == DEMAND_BELLE:
        over_calls = record.contract == DEMAND and record.petite != NO_SUIT
        return over_calls and record.options.belle_overcall == PUBLIC
    suit = trump_of(record, call)
    if record.contract != NO_BID or suit == NO_SUIT:
        return False
    return record.hands[record.seat] & whole_suit(suit) != NO_CARDS


@rule
def may_accept(record: Record) -> bool:
    """A demand that nobody has accepted, even by one who has passed."""
    return is_demand(record.contract) and record.acceptor == NOBODY


@rule
def may_call_misere(record: Record, call: int) -> bool:
    """Not after passing or accepting; "des quatre as" with all four aces alone."""
    seat = record.seat
    if has_called(record, seat, PASS) or has_called(record, seat, ACCEPT):
        return False
    if record.laid[seat] != NO_SUIT and record.options.raised_demand == LAID_SUIT:
        return False
    return call != QUATRE_AS or without(ACES, record.hands[seat]) == NO_CARDS


@rule
def may_play_alone(record: Record, call: int) -> bool:
    """Any suit; a demander plays six in the suit that he laid alone."""
    suit = trump_of(record, call)
    laid = record.laid[record.seat]
    if suit == NO_SUIT or laid == NO_SUIT or suit == laid:
        return suit != NO_SUIT
    return KIND_OF[call - PASS] != SIX and record.options.raised_demand == FREELY


@rule
def may_call(record: Record, call: int) -> bool:
    """Whether the seat to call may make a call."""
    if call == PASS:
        return True
    if call == ACCEPT:
        return may_accept(record)
    passed = has_called(record, record.seat, PASS)
    if passed and record.options.after_passing == ACCEPT_ONLY:
        return False
    if is_demand(call):
        return may_demand(record, call)
    if call <= record.contract:
        return False
    if is_misere(call):
        return may_call_misere(record, call)
    return may_play_alone(record, call)


# Bidding ----------------------------------------------------------------------------


@rule
def begin_bidding(record: Record) -> None:
    """Nobody has called yet."""
    record.phase = BID
    record.contract = NO_BID
    record.caller = NOBODY
    record.acceptor = NOBODY
    for seat in range(SEATS):
        record.calls[seat] = NO_CARDS
        record.laid[seat] = NO_SUIT
        record.discards[seat] = NO_CARDS


@rule
def make_call(record: Record, call: int) -> None:
    """The seat to call passes, accepts or bids; a higher bid dissolves an alliance."""
    seat = int(record.seat)
    record.calls[seat] |= single(heard(call) - PASS)
    if call == ACCEPT:
        record.acceptor = seat
    elif call != PASS:
        record.contract = heard(call)
        record.caller = seat
        record.acceptor = NOBODY
        if is_demand(call):
            record.laid[seat] = trump_of(record, call)
    after = next_caller(record)
    if after == NOBODY:
        end_bidding(record)
    else:
        record.seat = after


@rule
def next_caller(record: Record) -> int:
    """Who is to call next; nobody once all others have passed on the last call."""
    last = record.caller if record.acceptor == NOBODY else record.acceptor
    seat = int(record.seat)
    for _ in range(SEATS):
        seat = next_to_call(record, seat)
        if seat == last:
            return NOBODY
        if is_asked(record, seat):
            return seat
    return NOBODY


@rule
def is_asked(record: Record, seat: int) -> bool:
    """Who has passed is asked once more where there is a demand to accept."""
    if seat == record.caller or seat == record.acceptor:
        return False
    if not has_called(record, seat, PASS):
        return True
    comes_back = record.options.after_passing == ANY_HIGHER
    return may_accept(record) or (comes_back and record.contract != NO_BID)


@rule
def end_bidding(record: Record) -> None:
    """What the highest bid leads to."""
    contract = int(record.contract)
    if contract == NO_BID or falls_through(record):
        record.phase = THROWN_IN
    elif is_demand(contract):
        record.trump = record.laid[record.caller]
        begin_play(record)
    elif not is_misere(contract):
        if record.options.declare_after == DECLARED_AFTER:
            record.phase = DECLARE
            record.seat = record.caller
        else:
            declare(record, contract)
    elif is_petite_misere(contract):
        record.phase = DISCARD
        record.seat = record.caller
    else:
        begin_play(record)


@rule
def falls_through(record: Record) -> bool:
    """A demand that nobody accepts is played alone, for five tricks.

    The source says so of the fourth player after three passes, who is the dealer; of
    the others by one reading alone.
    """
    if record.options.unaccepted == ALONE or not may_accept(record):
        return False
    return record.contract != DEMAND or record.caller != record.dealer


# Final suit and number, discards ----------------------------------------------------


@rule
def may_declare(record: Record, call: int) -> bool:
    """A number and a suit that rank at least as high as what was called."""
    if call < record.contract or is_misere(call):
        return False
    return may_play_alone(record, call)


@rule
def declare(record: Record, call: int) -> None:
    """The caller fixes what he plays."""
    record.contract = call
    record.trump = trump_of(record, call)
    begin_play(record)


@rule
def is_petite_misere(call: int) -> bool:
    """Whether each player discards a card before the play."""
    return call == PETITE_MISERE or call == PETITE_SUR_TABLE


@rule
def discard(record: Record, card: int) -> None:
    """The seat to discard lays a card face down; the caller first, then in turn."""
    seat = int(record.seat)
    record.hands[seat] = without(record.hands[seat], single(card))
    record.discards[seat] = single(card)
    record.seat = next_to_call(record, seat)
    if record.seat == record.caller:
        begin_play(record)


# Trumps -----------------------------------------------------------------------------


@rule
def best_jack(record: Record) -> int:
    """The Jack that is the best trump; none in a misère.

    It is that of diamonds, but that of hearts if diamonds are turned up.
    """
    if record.trump == NO_SUIT:
        return NO_CARD
    diamonds = record.trump == DIAMONDS
    if record.options.jack_of_hearts == DIAMONDS_TURNED:
        diamonds = suit_of(record.turn_up) == DIAMONDS
    return JACK_OF_HEARTS if diamonds else JACK_OF_DIAMONDS


@rule
def suit_as_played(record: Record, card: int) -> int:
    """The suit to which a card belongs: the best trump Jack is a trump."""
    if card == best_jack(record) and record.options.jack_suit == JACK_IN_TRUMPS:
        return int(record.trump)
    return suit_of(card)


@rule
def cards_of(record: Record, suit: int) -> np.uint64:
    """All cards that belong to a suit."""
    cards = whole_suit(suit)
    jack = best_jack(record)
    if jack != NO_CARD and record.options.jack_suit == JACK_IN_TRUMPS:
        cards = without(cards, single(jack))
        if suit == record.trump:
            cards = np.uint64(cards | single(jack))
    return cards


@rule
def beats_winner(record: Record, card: int) -> bool:
    """The best trump Jack, then the highest trump, else the highest of the suit led."""
    winning = int(record.trick[record.winner])
    jack = best_jack(record)
    if jack != NO_CARD and (card == jack or winning == jack):
        return card == jack
    return beats(card, winning, record.trump)


# Play -------------------------------------------------------------------------------


@rule
def begin_play(record: Record) -> None:
    """Eldest hand leads, whatever the bid."""
    record.phase = PLAY
    lead(record, eldest(record))


@rule
def is_exposed(record: Record, seat: int) -> bool:
    """Whether a seat's hand lies open: that of the caller of a misère sur table."""
    if record.phase != PLAY or seat != record.caller:
        return False
    if record.contract < PETITE_SUR_TABLE:
        return False
    return record.options.sur_table_exposed == BEFORE_LEAD or record.tricks_played > 0


@rule
def may_renounce(record: Record) -> bool:
    """The holder of four aces follows as he pleases in the first ten tricks."""
    is_caller = record.contract == QUATRE_AS and record.seat == record.caller
    return is_caller and record.tricks_played < 10


@rule
def following(record: Record) -> np.uint64:
    """A follower plays a card of the suit led if it holds one, else any card."""
    hand = np.uint64(record.hands[record.seat])
    if record.cards_in_trick == 0 or may_renounce(record):
        return hand
    same_suit = np.uint64(hand & cards_of(record, record.led))
    return hand if same_suit == NO_CARDS else same_suit


@rule
def playable(record: Record) -> np.uint64:
    """The cards that the seat to play may play: all it holds, where it may revoke."""
    if record.options.revokes == PENALTY:
        return np.uint64(record.hands[record.seat])
    return following(record)


@rule
def note_revoke(record: Record, card: int) -> None:
    """Note a revoke before the card is played, and an earlier one that it gives away.

    This goes by the suits to which cards belong, as `suit_as_played` has it.
    """
    if record.options.revokes != PENALTY:
        return
    seat = int(record.seat)
    record.revokes[seat] += int(not holds(following(record), card))
    suit = suit_as_played(record, card)
    given_away = np.uint8(record.voids[seat] & np.uint8(1 << suit))
    record.revoked[seat] |= given_away
    record.voids[seat] ^= given_away


@rule
def play(record: Record, card: int) -> None:
    """The seat to play plays a card; all tricks are played."""
    seat = int(record.seat)
    note_revoke(record, card)
    proven = record.voids[seat]
    at_pleasure = may_renounce(record)
    wins = beats_winner(record, card)
    play_card_as(record, card, suit_as_played(record, card), wins)
    if at_pleasure:
        # Renouncing proves nothing of a player who need not follow.
        record.voids[seat] = proven
    record.seat = next_to_play(record, seat)
    if trick_is_complete(record):
        take_trick(record)


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """Calls, what may be declared, discards where they are made, cards."""
    if record.phase == PLAY:
        return playable(record), NO_CARDS
    if record.phase == DISCARD:
        return np.uint64(record.hands[record.seat]), NO_CARDS
    first, second = NO_CARDS, NO_CARDS
    for call in range(PASS, PASS + CALLS):
        if record.phase == BID:
            is_open = may_call(record, call)
        else:
            is_open = may_declare(record, call)
        if is_open:
            first, second = with_action(first, second, call)
    return first, second


@rule
def apply(record: Record, action: int) -> None:
    """The seat whose turn it is calls, declares, discards or plays."""
    begin_action(record)
    if record.phase == BID:
        make_call(record, action)
    elif record.phase == DECLARE:
        declare(record, action)
    elif record.phase == DISCARD:
        discard(record, action)
    else:
        play(record, action)
    record.agent = record.seat
    if deal_is_over(record):
        end_deal(record)


# Payments ---------------------------------------------------------------------------


@rule
def is_allied(record: Record, seat: int) -> bool:
    """Whether a seat is the caller or his partner."""
    return seat == record.caller or seat == record.acceptor


@rule
def tricks_of_callers(record: Record) -> int:
    """The tricks of the caller and, where he has one, of his partner."""
    tricks = 0
    for seat in range(SEATS):
        if is_allied(record, seat):
            tricks += int(record.tricks_won[seat])
    return tricks


@rule
def target(record: Record) -> int:
    """The tricks that the contract asks for."""
    if record.acceptor != NOBODY:
        return SHARES[0] + SHARES[1]
    return TARGETS[KIND_OF[record.contract - PASS]]


@rule
def is_made(record: Record) -> bool:
    """Whether the callers did what they undertook."""
    if is_misere(record.contract):
        return bool(record.tricks_won[record.caller] == 0)
    return tricks_of_callers(record) >= target(record)


@rule
def counts_double(record: Record) -> bool:
    """Whether this deal is one of the last of the game, which count double."""
    options = record.options
    if options.episode == ONE_DEAL:
        return bool(options.counts == DOUBLE)
    left = options.deals - record.deals_played
    return bool(0 < left <= options.double_deals)


@rule
def doubled(record: Record, amount: int, always: bool) -> int:
    """An amount as it counts in this deal; slams and the Jack always count double."""
    doubles = always or record.options.doubles == DOUBLES_ALL
    return 2 * amount if doubles and counts_double(record) else amount


@rule
def misere_amount(record: Record) -> int:
    """Misères are paid by the suit turned."""
    price = PRICES[suit_of(record.turn_up)]
    if record.contract >= PETITE_SUR_TABLE:
        return SUR_TABLE_AMOUNT * price
    return (PETITE_AMOUNT if record.contract == PETITE_MISERE else GRAND_AMOUNT) * price


@rule
def honours_amount(record: Record) -> int:
    """Three or four of ace, king, queen and jack of trumps dealt to the callers."""
    cards = NO_CARDS
    for seat in range(SEATS):
        if is_allied(record, seat):
            cards = np.uint64(cards | record.dealt[seat])
    held = honours_held(cards, record.trump, 4)
    if held < 3:
        return 0
    column = FOUR_HONOURS if held == 4 else THREE_HONOURS
    return ROWS[KIND_OF[record.contract - PASS]][column] * PRICES[record.trump]


@rule
def base_amount(record: Record) -> int:
    """The base of a contract of tricks."""
    kind = KIND_OF[record.contract - PASS]
    base = ROWS[kind][BASE]
    if kind == NINE and record.options.nine == ROW_AND_EXTRA:
        base += ROWS[kind][EXTRA_TRICK]
    return base * PRICES[record.trump]


@rule
def tricks_amount(record: Record) -> int:
    """Each trick above or below the target."""
    difference = tricks_of_callers(record) - target(record)
    extra = ROWS[KIND_OF[record.contract - PASS]][EXTRA_TRICK] * PRICES[record.trump]
    return max(difference, -difference) * extra


@rule
def row_amount(record: Record) -> int:
    """Base, honours and tricks, for success and failure alike."""
    amount = base_amount(record)
    if is_made(record) or record.options.failure != PAYS_BASE:
        amount += tricks_amount(record)
    if is_made(record) or record.options.failure == PAYS_ALL:
        amount += honours_amount(record)
    return amount


@rule
def slam_amount(record: Record) -> int:
    """What a slam is worth in place of the row; 0 where there is none.

    A demander who must play alone has one with eight tricks, two allies with thirteen,
    any other caller with thirteen.
    """
    tricks = tricks_of_callers(record)
    if not is_demand(record.contract):
        if tricks < TRICKS or record.options.solo_slam == ROW:
            return 0
        return SOLO_SLAM * PRICES[record.trump] + honours_amount(record)
    is_alone = record.acceptor == NOBODY
    if tricks < (8 if is_alone else TRICKS):
        return 0
    if not is_alone and record.options.ally_slam == TABLE:
        return ALLY_SLAM * PRICES[record.trump]
    return SLAM_IN_BELLE if record.trump == record.belle else SLAM_IN_PETITE


@rule
def contract_amount(record: Record) -> int:
    """What each adversary pays or receives."""
    if is_misere(record.contract):
        return doubled(record, misere_amount(record), False)
    slam = slam_amount(record)
    if slam > 0:
        return doubled(record, slam, True)
    return doubled(record, row_amount(record), False)


@rule
def settle_contract(record: Record) -> None:
    """Revokes first; a side does not win by one of its own."""
    settle_revokes(record)
    if has_revoked(record, is_made(record)):
        return
    if record.acceptor == NOBODY:
        settle_alone(record)
    else:
        settle_alliance(record)


@rule
def settle_alone(record: Record) -> None:
    """With each adversary; success also wins the pool, failure doubles it."""
    caller = int(record.caller)
    amount = contract_amount(record)
    if is_made(record):
        settle_with_each(record, caller, amount)
        take_from_pool(record, caller, pool_at_stake(record))
    else:
        settle_with_each(record, caller, -amount)
        pay_into_pool(record, caller, pool_at_stake(record))


@rule
def settle_alliance(record: Record) -> None:
    """Two allies share alike, except that who alone is short pays for both.

    Where both are short each settles with one adversary and for half of the pool. An
    odd counter of the pool stays out of it.
    """
    caller = int(record.caller)
    acceptor = int(record.acceptor)
    amount = contract_amount(record)
    half = pool_at_stake(record) // 2
    if is_made(record):
        settle_in_pairs(record, caller, acceptor, amount)
        take_from_pool(record, caller, half)
        take_from_pool(record, acceptor, half)
    elif record.tricks_won[caller] >= SHARES[0]:
        pay_for_both(record, acceptor, amount)
    elif record.tricks_won[acceptor] >= SHARES[1]:
        pay_for_both(record, caller, amount)
    else:
        settle_in_pairs(record, caller, acceptor, -amount)
        pay_into_pool(record, caller, half)
        pay_into_pool(record, acceptor, half)


@rule
def pay_for_both(record: Record, payer: int, amount: int) -> None:
    """One of two allies pays both adversaries and doubles the pool."""
    pay_other_side(record, payer, amount)
    pay_into_pool(record, payer, pool_at_stake(record))


@rule
def pay_other_side(record: Record, payer: int, amount: int) -> None:
    """A seat pays an amount to each seat of the other side."""
    for other in range(SEATS):
        if is_allied(record, other) != is_allied(record, payer):
            pay(record, other, amount)
            pay(record, payer, -amount)


@rule
def settle_jack(record: Record) -> None:
    """The holder of the Jack of diamonds gets 2 of each other, but not in misères."""
    card = JACK_OF_DIAMONDS
    if record.options.jack_bonus == BONUS_OF_BEST_JACK:
        card = best_jack(record)
    for seat in range(SEATS):
        if holds(record.dealt[seat], card):
            settle_with_each(record, seat, doubled(record, JACK_BONUS, True))


# Revokes ----------------------------------------------------------------------------


@rule
def settle_revokes(record: Record) -> None:
    """Who has revoked pays the other side and doubles the pool.

    The source has two allies against two: the revoker alone pays both adversaries. The
    amount is that of the contract, without honours and tricks; with a caller who plays
    alone, it is paid to each of three, or by each of three to the caller. The pool is
    doubled for each as it was before.
    """
    amount = revoke_amount(record)
    at_stake = pool_at_stake(record)
    for seat in range(SEATS):
        if record.revokes[seat] > 0:
            pay_other_side(record, seat, amount)
            pay_into_pool(record, seat, at_stake)


@rule
def revoke_amount(record: Record) -> int:
    """The base of the contract, or the amount of a misère."""
    if is_misere(record.contract):
        return doubled(record, misere_amount(record), False)
    return doubled(record, base_amount(record), False)


@rule
def has_revoked(record: Record, allied: bool) -> bool:
    """Whether one of the callers, or one of their adversaries, has revoked."""
    for seat in range(SEATS):
        if record.revokes[seat] > 0 and is_allied(record, seat) == allied:
            return True
    return False


# Pool -------------------------------------------------------------------------------


@rule
def stake_of(record: Record, seat: int) -> int:
    """What a seat puts into the pool for this deal.

    All fill an empty pool; the dealer adds to it if cards were thrown in before.
    """
    if record.pool == 0:
        if seat == record.dealer:
            return int(record.options.dealer_stake)
        return int(record.options.stake)
    if record.thrown_in_before and seat == record.dealer:
        return int(record.options.added_stake)
    return 0


@rule
def stakes(record: Record) -> int:
    """All stakes for this deal."""
    total = 0
    for seat in range(SEATS):
        total += stake_of(record, seat)
    return total


@rule
def pay_stakes(record: Record) -> None:
    """The stakes of a deal are counted when it ends: each reward has its action."""
    filled = record.pool + stakes(record)
    for seat in range(SEATS):
        pay(record, seat, -stake_of(record, seat))
    record.pool = filled


@rule
def pool_at_stake(record: Record) -> int:
    """What can be won or doubled in one deal."""
    return min(int(record.pool), int(record.options.pool_limit))


# End of a deal, end of the episode --------------------------------------------------


@rule
def end_deal(record: Record) -> None:
    """Settle the deal; end the episode or deal again."""
    pay_stakes(record)
    if record.phase == PLAY:
        settle_contract(record)
        if not is_misere(record.contract):
            settle_jack(record)
    record.thrown_in_before = int(record.phase == THROWN_IN)
    record.deals_played += 1
    is_complete = deals_left(record) + extra_deals_left(record) == 0
    if is_complete:
        divide_pool(record)
    enter_points(record, record.options.reward == REWARD_POINTS)
    if is_complete:
        throw_in(record)
        find_winners(record)
        finish(record, 1)
    else:
        next_deal(record)


@rule
def deal_is_over(record: Record) -> bool:
    """Whether the cards are thrown in, or all are played."""
    if record.phase == THROWN_IN:
        return True
    return record.hands[record.seat] == NO_CARDS and record.cards_in_trick == 0


@rule
def throw_in(record: Record) -> None:
    """Nothing is left of the last deal."""
    for seat in range(SEATS):
        record.hands[seat] = NO_CARDS


@rule
def deals_left(record: Record) -> int:
    """Deals of the episode still to end, extra deals apart."""
    deals = 1 if record.options.episode == ONE_DEAL else record.options.deals
    return max(0, int(deals - record.deals_played))


@rule
def extra_deals_left(record: Record) -> int:
    """Deals after the last of the game that may yet be played for the pool."""
    options = record.options
    if options.pool_left == DIVIDED or deals_left(record) > 0 or record.pool == 0:
        return 0
    return max(0, int(options.deals + options.extra_deals - record.deals_played))


@rule
def forfeit(record: Record) -> None:
    """End the episode against the agent to act, who pays 800 to each of the others.

    Where winning is rewarded it loses 1 to each. The pool stays where it is.
    """
    loser = int(record.agent)
    begin_action(record)
    settle_with_each(record, loser, -FORFEIT)
    enter_points(record, record.options.reward == REWARD_POINTS)
    all_win_but(record, loser)
    finish(record, 1)


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *play_features(SEATS),
    Feature(
        "phase",
        ("phase",),
        (5,),
        0,
        1,
        "Bidding, declaring, discarding, playing, or thrown in.",
    ),
    Feature("turn_up", ("card",), (52,), 0, 1, "The card that the dealer turned."),
    Feature("belle", ("suit",), (4,), 0, 1, "The suit that is belle."),
    Feature(
        "petite",
        ("suit",),
        (4,),
        0,
        1,
        "The suit that is petite; none if belle was turned.",
    ),
    Feature(
        "calls",
        ("seat", "call"),
        (SEATS, CALLS),
        0,
        1,
        "The calls of each seat in this deal, in the order of the actions; a demand "
        "with a hidden suit counts as one in petite.",
    ),
    Feature(
        "contract",
        ("call",),
        (CALLS,),
        0,
        1,
        "The bid that stands, and once it is declared what is played.",
    ),
    Feature("caller", ("seat",), (SEATS,), 0, 1, "Whose bid that is."),
    Feature("acceptor", ("seat",), (SEATS,), 0, 1, "Who has accepted it."),
    Feature(
        "laid", ("suit",), (4,), 0, 1, "The suit that the observer laid for a demand."
    ),
    Feature("discard", ("card",), (52,), 0, 1, "The card that the observer discarded."),
    Feature(
        "exposed",
        ("seat", "card"),
        (SEATS, 52),
        0,
        1,
        "The cards of each hand that lies open.",
    ),
    Feature("tricks", ("seat",), (SEATS,), 0, 13, "Tricks taken in this deal."),
    Feature(
        "points",
        ("seat", "digit"),
        (SEATS, 3),
        -99,
        99,
        "Counters made in this episode: ten thousands, hundreds, and the rest, each "
        "with the sign of the whole.",
    ),
    Feature(
        "pool",
        ("digit",),
        (3,),
        0,
        99,
        "Counters in the pool, with the stakes of this deal: ten thousands, hundreds, "
        "and the rest.",
    ),
    Feature("counts_double", (), (), 0, 1, "Whether this deal counts double."),
    Feature(
        "deals_left",
        (),
        (),
        0,
        100,
        "Deals still to end in this episode, extra deals apart.",
    ),
    Feature(
        "extra_deals_left",
        (),
        (),
        0,
        100,
        "Extra deals that may still end, once the others are played.",
    ),
    *revoke_features(SEATS),
)
STATE_FEATURES: Final = FeatureTable(
    *FEATURES.features,
    Feature("hands", ("seat", "card"), (SEATS, 52), 0, 1, "Cards in every hand."),
    Feature("discards", ("seat", "card"), (SEATS, 52), 0, 1, "Every discard."),
    Feature("all_laid", ("seat", "suit"), (SEATS, 4), 0, 1, "The suits laid by all."),
    Feature("revokes", ("seat",), (SEATS,), 0, 26, "Revokes of each in this deal."),
)

_PHASE = FEATURES.offset("phase")
_TURN_UP = FEATURES.offset("turn_up")
_BELLE = FEATURES.offset("belle")
_PETITE = FEATURES.offset("petite")
_CALLS = FEATURES.offset("calls")
_CONTRACT = FEATURES.offset("contract")
_CALLER = FEATURES.offset("caller")
_ACCEPTOR = FEATURES.offset("acceptor")
_LAID = FEATURES.offset("laid")
_DISCARD = FEATURES.offset("discard")
_EXPOSED = FEATURES.offset("exposed")
_TRICKS = FEATURES.offset("tricks")
_POINTS = FEATURES.offset("points")
_POOL = FEATURES.offset("pool")
_COUNTS_DOUBLE = FEATURES.offset("counts_double")
_DEALS_LEFT = FEATURES.offset("deals_left")
_EXTRA_DEALS_LEFT = FEATURES.offset("extra_deals_left")
_REVOKED = FEATURES.offset("revoked")
_HANDS = STATE_FEATURES.offset("hands")
_DISCARDS = STATE_FEATURES.offset("discards")
_ALL_LAID = STATE_FEATURES.offset("all_laid")
_REVOKES = STATE_FEATURES.offset("revokes")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    write_play(record, seat, out)
    write(out, _PHASE + int(record.phase), 1)
    if turned_card_lies_open(record) or record.options.history == HISTORY_ALL:
        write(out, _TURN_UP + int(record.turn_up), 1)
    write_suit(out, _BELLE, record.belle)
    write_suit(out, _PETITE, record.petite)
    write_calls(record, seat, out)
    write_suit(out, _LAID, record.laid[seat])
    write_cards(out, _DISCARD, record.discards[seat])
    for other in range(SEATS):
        if is_exposed(record, other):
            place = _EXPOSED + CARDS * relative(other, seat, SEATS)
            write_cards(out, place, record.hands[other])
    write_scores(record, seat, out)
    if record.options.revokes == PENALTY:
        write_revokes(record, seat, out, _REVOKED)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation and all that is hidden."""
    observe(record, seat, out)
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write_cards(out, _HANDS + CARDS * place, record.hands[other])
        write_cards(out, _DISCARDS + CARDS * place, record.discards[other])
        row = _ALL_LAID + 4 * place
        for suit in range(4):
            write(out, row + suit, int(record.laid[other] == suit))
        write(out, _REVOKES + place, record.revokes[other])


@rule
def turned_card_lies_open(record: Record) -> bool:
    """The dealer takes up the turned card when the bidding is over."""
    return bool(record.phase == BID)


@rule
def write_suit(out: npt.NDArray[Any], place: int, suit: int) -> None:
    """One of four suits, or none."""
    if suit != NO_SUIT:
        write(out, place + int(suit), 1)


@rule
def write_calls(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """All calls. Bids rise and turns go round, so this tells their order."""
    for other in range(SEATS):
        row = _CALLS + CALLS * relative(other, seat, SEATS)
        rest = record.calls[other]
        while rest != NO_CARDS:
            write(out, row + lowest(rest), 1)
            rest = without_lowest(rest)
    if record.contract != NO_BID:
        write(out, _CONTRACT + int(record.contract) - PASS, 1)
        write(out, _CALLER + relative(record.caller, seat, SEATS), 1)
    if record.acceptor != NOBODY:
        write(out, _ACCEPTOR + relative(record.acceptor, seat, SEATS), 1)


@rule
def write_scores(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Tricks and counters of each seat, the pool, and how long it goes on."""
    for other in range(SEATS):
        place = relative(other, seat, SEATS)
        write(out, _TRICKS + place, record.tricks_won[other])
        write_number(out, _POINTS + 3 * place, record.points[other], 3)
    write_number(out, _POOL, pool_in_view(record), 3)
    write(out, _COUNTS_DOUBLE, int(counts_double(record)))
    write(out, _DEALS_LEFT, deals_left(record))
    write(out, _EXTRA_DEALS_LEFT, extra_deals_left(record))


@rule
def pool_in_view(record: Record) -> int:
    """The pool and, until they are counted, the stakes of the deal in progress."""
    return int(record.pool) if record.over else int(record.pool) + stakes(record)


@rule
def visible(record: Record, agent: int, seat: int) -> np.uint64:
    """The own hand, an exposed one, and the turned card while it lies open."""
    hand = np.uint64(record.hands[seat])
    if agent == seat or is_exposed(record, seat):
        return hand
    if turned_card_lies_open(record):
        return np.uint64(hand & single(record.turn_up))
    return NO_CARDS


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """The suits, calls by player, the contract, what the agent laid away, the pool."""
    seats = range(SEATS)
    lines = (
        ("turned", card_name(record.turn_up)),
        ("belle", SUIT_NAMES[record.belle]),
        ("petite", "" if record.petite == NO_SUIT else SUIT_NAMES[record.petite]),
        *((f"player_{seat}", _calls_of(record, seat)) for seat in seats),
        ("contract", _contract_text(record)),
        *(
            (f"laid by player_{seat}", SUIT_NAMES[record.laid[seat]])
            for seat in seats
            if agent in (seat, NOBODY) and record.laid[seat] != NO_SUIT
        ),
        *(
            (f"discard of player_{seat}", card_name(lowest(record.discards[seat])))
            for seat in seats
            if agent in (seat, NOBODY) and record.discards[seat]
        ),
        ("pool", str(pool_in_view(record))),
        ("counts", "double" if counts_double(record) else ""),
    )
    return tuple((name, text) for name, text in lines if text)


def _heard_name(call: int) -> str:
    return "demand" if call == DEMAND else CALL_NAMES[call - PASS]


def _calls_of(record: Record, seat: int) -> str:
    """Bids in the order in which they were made, then accepting and passing."""
    bids = (call for call in range(PASS + 1, PASS + CALLS) if call != ACCEPT)
    in_order = (*bids, ACCEPT, PASS)
    made = (call for call in in_order if has_called(record, seat, call))
    return ", ".join(_heard_name(call) for call in made)


def _contract_text(record: Record) -> str:
    if record.phase == THROWN_IN:
        return "the cards were thrown in"
    if record.phase == BID:
        return ""
    text = f"{_heard_name(record.contract)} by player_{record.caller}"
    if record.acceptor != NOBODY:
        return f"{text} with player_{record.acceptor}"
    return f"{text} alone" if is_demand(record.contract) else text


# Judging finished episodes -----------------------------------------------------------


def points_made(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Counters that the agent has won, those lost taken off."""
    return np.asarray(records["points"])


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    turned: str | None = None,
    dealer: int | None = None,
    belle: str | None = None,
    pool: int | None = None,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        turned: the card that the dealer turns, such as ``"H7"``, one of the dealer's;
            drawn from the dealer's hand where it is not given.
        dealer: the seat that deals.
        belle: the suit that is belle, such as ``"H"``, as if a deal before had fixed
            it.
        pool: counters that lie in the pool; where they are not 0 nobody puts in a stake
            for the first deal.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    begin_episode(record)
    clear_points(record)
    record.dealer = (
        first_dealer(record) if dealer is None else check_dealer(dealer, SEATS)
    )
    record.pool = 0 if pool is None else _check_pool(pool)
    record.thrown_in_before = 0
    record.belle = belle_before(record) if belle is None else _check_suit(belle)
    if deal is not None:
        first = int(record.dealer) + 1
        places = [(receiver(record, card) - first) % SEATS for card in range(CARDS)]
        stack_turned_pack(record, deal, turned, places)
    elif turned is not None:
        raise ValueError("turned= names a card of a given deal; give deal= as well")
    else:
        shuffle(record, FULL_PACK)
    deal_out(record)


def _check_pool(pool: int) -> int:
    if not is_whole(pool, 0, 10_000):
        raise ValueError(f"pool={pool!r} must be a whole number from 0 to 10000")
    return pool


def _check_suit(belle: str) -> int:
    if not isinstance(belle, str) or len(belle) != 1 or belle not in SUITS:
        raise ValueError(f"belle={belle!r} must be one of the suits {SUITS}")
    return SUITS.index(belle)


def reason(record: Record, action: int) -> str:
    """Why an action is illegal for the seat to act."""
    if record.phase == BID:
        return _reason_not_to_call(record, action)
    if record.phase == DECLARE:
        return _reason_not_to_declare(record, action)
    if action >= PASS:
        return "the bidding is over"
    if not holds(record.hands[record.seat], action):
        return f"the hand does not hold {card_name(action)}"
    held = count(record.hands[record.seat] & cards_of(record, record.led))
    return (
        f"{SUIT_NAMES[record.led]} were led and must be followed: the hand holds "
        f"{held} of that suit"
    )


def _reason_not_to_call(record: Record, action: int) -> str:
    seat = record.seat
    if action < PASS:
        return "cards are played when the bidding is over"
    if action == ACCEPT:
        return "there is no demand that waits for a partner"
    passed = has_called(record, seat, PASS)
    if passed and record.options.after_passing == ACCEPT_ONLY:
        return "who has passed may only accept a demand"
    if is_demand(action):
        return _reason_not_to_demand(record, action)
    if action <= record.contract:
        return f"it does not rank above {_heard_name(record.contract)}"
    if is_misere(action):
        if passed or has_called(record, seat, ACCEPT):
            return "who has passed or accepted may not call a misere"
        if action == QUATRE_AS and without(ACES, record.hands[seat]):
            return "the hand does not hold all four aces"
    return _reason_not_to_play_alone(record, action)


def _reason_not_to_demand(record: Record, action: int) -> str:
    if action != DEMAND_BELLE and record.contract != NO_BID:
        return f"{_heard_name(record.contract)} stands, and a demand opens the bidding"
    if record.petite == NO_SUIT and action != DEMAND_BELLE_HIDDEN:
        return "there is no petite in this deal: belle was turned"
    if action == DEMAND_BELLE:
        if record.options.belle_overcall == IMPOSSIBLE:
            return "a demand does not over-call another at this table"
        return "it over-calls a demand whose suit is hidden, and no such demand stands"
    suit = SUIT_NAMES[trump_of(record, action)]
    return f"the hand holds none of the {suit} to lay one face down"


def _reason_not_to_play_alone(record: Record, action: int) -> str:
    if action == NINE_PETITE and record.petite == NO_SUIT:
        return "there is no petite in this deal: belle was turned"
    laid = SUIT_NAMES[record.laid[record.seat]]
    if record.options.raised_demand == LAID_SUIT:
        return f"a demander raises to tricks in the suit that he laid, {laid}"
    return f"a demander raises to six in the suit that he laid, {laid}, alone"


def _reason_not_to_declare(record: Record, action: int) -> str:
    if action < FIRST_ALONE or is_misere(action):
        return "the caller must declare how many tricks he plays for, and the trumps"
    if action < record.contract:
        return f"it ranks below {_heard_name(record.contract)}, which was called"
    return _reason_not_to_play_alone(record, action)


RULES: Final = (
    Rules(
        name="french_boston",
        title="French Boston",
        agents=SEATS,
        partners=((0,), (1,), (2,), (3,)),
        action_names=(*(card_name(card) for card in range(CARDS)), *CALL_NAMES),
        options=FrenchBostonOptions,
        record=RECORD,
        features=FEATURES,
        state_features=STATE_FEATURES,
        start=start,
        legal=legal,
        apply=apply,
        forfeit=forfeit,
        observe=observe,
        state=state,
        measures={"points": points_made, "won": won},
        set_up=set_up,
        reason=reason,
        phases=(
            (
                "bid",
                "From the dealer's right each bids higher, accepts a demand or passes, "
                "until all others have passed; if all pass, the cards are thrown in.",
            ),
            (
                "declare",
                "Who won the bidding with a bid of tricks fixes number and trumps, at "
                "least as high as he bid.",
            ),
            (
                "discard",
                "In a petite misere all lay one card face down, the caller first.",
            ),
            ("play", "The dealer's right leads to the first trick, whatever the bid."),
        ),
        visible=visible,
        notes=notes,
    ),
)
