"""What is asked of the solver in each game: who plays with whom, and for what.

With all hands open a deal is a game of two sides. In games of partners, and in
contracts of some players against the others, the sides are those of the game. Where
each plays for itself, one seat is looked at as if all others played against it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final

import numpy as np

from whist_env.cards import (
    ACE,
    CARDS,
    JACK,
    NO_CARDS,
    RANKS_IN_SUIT,
    card_set,
    count,
    holds,
    rank_of,
    suit_of,
    without,
)
from whist_env.engine.options import is_whole
from whist_env.engine.record import NOBODY, Record
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.games import (
    boston,
    boston_de_fontainebleau,
    bridge_whist,
    cayenne,
    chinese_whist,
    french_boston,
    german_whist,
    omnibus_hearts,
    polignac,
    slobberhannes,
    solo_whist,
)
from whist_env.solver.search import LANE

TOP: Final = RANKS_IN_SUIT
"""The place above all thirteen ranks of a suit."""
HEARTS: Final = 2
NO_PRICES: Final = (0, 0, 0, 0)
AS_PRINTED: Final[tuple[int, ...]] = tuple(
    LANE * suit_of(card) + rank_of(card) for card in range(CARDS)
)
"""The place of each card in the lanes of the search: by suit, then by rank."""


@dataclasses.dataclass(frozen=True)
class Question:
    """What the solver is to find out at a table.

    Attributes:
        counted: the seats whose takings are counted; they play for as much as they can
            get, all others for as little.
        individual: whether each plays for itself, so that any seat could be counted.
        trick: the price of every trick.
        first_trick: the price of the trick that is first now, besides.
        last_trick: the price of the last trick, besides.
        suits: the price of each card, by suit.
        cards: prices of single cards, in place of those of their suits; one card a
            suit at most.
        all_of_it: what it is worth besides to take everything that has a price.
        exactly: to take exactly so many tricks more is worth 1, and nothing else is.
        places: by card, its place in the lanes of the search.
        turn: 1 where the turn goes round clockwise, else -1.
        barred: the suit that is not led while it has `barred_size` cards, or -1.
        barred_size: how many cards that suit has before any is played.
    """

    counted: tuple[int, ...]
    individual: bool = False
    trick: int = 0
    first_trick: int = 0
    last_trick: int = 0
    suits: tuple[int, int, int, int] = NO_PRICES
    cards: tuple[tuple[int, int], ...] = ()
    all_of_it: int = 0
    exactly: int | None = None
    places: tuple[int, ...] = AS_PRINTED
    turn: int = 1
    barred: int = NO_SUIT
    barred_size: int = 0

    @property
    def of_partners(self) -> bool:
        """Whether partners sit opposite, and tricks count and nothing else."""
        plain = Question(self.counted, trick=1, turn=self.turn)
        return self == plain and set(self.counted) in ({0, 2}, {1, 3})


def question_of(name: str, record: Record, seat: int | None) -> Question:
    """What is to be found out at a table.

    Args:
        name: the name of the game.
        record: the table.
        seat: where each plays for itself, the seat that all others play against; by
            default the seat to play.

    Raises:
        ValueError: the cards that are left are not all in hands to be played out, or a
            rule in force is beyond the solver; the message says which.
    """
    seats = record.hands.size
    if seat is not None and not is_whole(seat, 0, seats - 1):
        raise ValueError(f"seat={seat!r} is not a seat; the seats are 0 to {seats - 1}")
    question = _QUESTIONS[name](record, int(record.seat) if seat is None else seat)
    if seat is not None and not question.individual:
        raise ValueError(
            f"seat={seat} is for deals in which each plays for itself; here the sides "
            "are given"
        )
    return question


def _check_phase(record: Record, play: int) -> None:
    if record.phase != play:
        raise ValueError(
            "no cards are being played: bids, calls, passes and discards come first, "
            "and only the play can be solved"
        )


def _seats(record: Record) -> range:
    return range(record.hands.size)


def _own_side(record: Record, allies: tuple[int, ...]) -> tuple[int, ...]:
    """The side of the seat to play: these allies, or all others."""
    if record.seat in allies:
        return allies
    return tuple(seat for seat in _seats(record) if seat not in allies)


# Partners ---------------------------------------------------------------------------


def _partners(record: Record, seat: int) -> Question:
    """Tricks of the side of the seat to play; partners sit opposite."""
    return Question(_own_side(record, (0, 2)), trick=1)


def _bridge_whist(record: Record, seat: int) -> Question:
    """Tricks of the side of the seat to play, once trumps are declared."""
    _check_phase(record, bridge_whist.PLAY)
    return _partners(record, seat)


def _cayenne(record: Record, seat: int) -> Question:
    """Tricks of the side of the seat to play; at nullo they count against it."""
    if cayenne.is_nullo(record) and record.options.nullo_ace == cayenne.CALLED:
        raise ValueError(
            "nullo can be solved with nullo_ace='low' or 'high', not where a player "
            "says how an ace counts when it is played"
        )
    _check_phase(record, cayenne.PLAY)
    question = _partners(record, seat)
    if not cayenne.is_nullo(record):
        return question
    places = AS_PRINTED
    if record.options.nullo_ace == cayenne.ALWAYS_LOW:
        places = tuple(map(_place_with_low_ace, range(CARDS)))
    return dataclasses.replace(question, trick=-1, places=places)


def _place_with_low_ace(card: int) -> int:
    return AS_PRINTED[card] - ACE if rank_of(card) == ACE else AS_PRINTED[card] + 1


def _german_whist(record: Record, seat: int) -> Question:
    """Tricks of the seat to play, once the talon is gone."""
    if german_whist.talon_size(record) > 0:
        raise ValueError(
            f"the talon still has {german_whist.talon_size(record)} cards; German "
            "Whist can be solved when all of it is drawn"
        )
    return Question((int(record.seat),), trick=1)


def _chinese_whist(record: Record, seat: int) -> Question:
    """Tricks of a side or of a seat, once no card lies face down."""
    _check_phase(record, chinese_whist.PLAY)
    if (record.covered != NO_CARD).any():
        raise ValueError(
            "cards still lie face down; Chinese Whist can be solved when none does"
        )
    if record.options.exposed_leads_only and any(
        record.down[other] != NO_CARDS
        and without(record.hands[other], record.down[other]) != NO_CARDS
        for other in _seats(record)
    ):
        raise ValueError(
            "with exposed_leads_only=True the play can be solved when nobody has both "
            "down cards and cards face up"
        )
    if record.hands.size == 4:
        return _partners(record, seat)
    if record.hands.size == 2:
        return Question((int(record.seat),), trick=1)
    return Question((seat,), individual=True, trick=1)


# Contracts --------------------------------------------------------------------------


def _tricks(record: Record, allies: tuple[int, ...]) -> Question:
    """Tricks of the side of the seat to play, however many were undertaken."""
    return Question(_own_side(record, allies), trick=1)


def _allies(caller: int, ally: int) -> tuple[int, ...]:
    return (int(caller),) if ally == NOBODY else (int(caller), int(ally))


def _solo_whist(record: Record, seat: int) -> Question:
    """Tricks of the side to play; at misère the caller's count against him.

    At general misère each plays for itself, and its tricks count against it.
    """
    _check_phase(record, solo_whist.PLAY)
    if record.standing == solo_whist.PASS:
        return Question((seat,), individual=True, trick=-1)
    caller = solo_whist.caller_of(record)
    if solo_whist.UNDERTAKEN[record.standing] == 0:
        return Question((caller,), trick=-1)
    return _tricks(record, _allies(caller, solo_whist.ally_of(record)))


def _boston(record: Record, seat: int) -> Question:
    """As in Solo Whist; where nobody has bid, misère partout."""
    _check_phase(record, boston.PLAY)
    if record.bid == boston.NO_BID:
        return Question((seat,), individual=True, trick=-1)
    if boston.is_misere(record.bid):
        return Question((int(record.caller),), trick=-1)
    return _tricks(record, (int(record.caller),))


def _fontainebleau(record: Record, seat: int) -> Question:
    """As in Solo Whist; at piccolissimo the caller is to take exactly one trick."""
    _check_phase(record, boston_de_fontainebleau.PLAY)
    caller = int(record.caller)
    rung = boston_de_fontainebleau.rung(record)
    if rung == boston_de_fontainebleau.PICCOLISSIMO:
        missing = int(record.target) - int(record.tricks_won[caller])
        return Question((caller,), exactly=missing)
    if rung in boston_de_fontainebleau.EXACT:
        return Question((caller,), trick=-1)
    return _tricks(record, _allies(caller, record.partner))


def _french_boston(record: Record, seat: int) -> Question:
    """As in Solo Whist; the best Jack is the highest trump, and the turn may differ."""
    _check_phase(record, french_boston.PLAY)
    if record.contract == french_boston.QUATRE_AS and record.tricks_played < 10:
        raise ValueError(
            "a misère of four aces can be solved from the eleventh trick on, when its "
            "caller has to follow suit"
        )
    is_misere = french_boston.is_misere(record.contract)
    caller = int(record.caller)
    if is_misere:
        question = Question((caller,), trick=-1)
    else:
        question = _tricks(record, _allies(caller, record.acceptor))
    turn = 1 if french_boston.next_to_play(record, 0) == 1 else -1
    places = _places_with_best_jack(record)
    return dataclasses.replace(question, turn=turn, places=places)


def _places_with_best_jack(record: Record) -> tuple[int, ...]:
    places = list(AS_PRINTED)
    jack = french_boston.best_jack(record)
    if jack != NO_CARD:
        is_left = any(holds(hand, jack) for hand in record.hands)
        as_played = french_boston.suit_as_played(record, jack)
        if (is_left or jack in record.trick) and as_played != record.trump:
            raise ValueError(
                "with jack_suit='printed' the play can be solved when the best Jack "
                "is gone"
            )
        places[jack] = LANE * int(record.trump) + TOP
    return tuple(places)


# Each for itself --------------------------------------------------------------------


def _cards_left(record: Record) -> np.uint64:
    """The cards in hands and in the trick on the table."""
    cards = card_set(int(card) for card in record.trick if card != NO_CARD)
    for hand in record.hands:
        cards |= hand
    return np.uint64(cards)


def _polignac(record: Record, seat: int) -> Question:
    """The counters that a seat pays for Jacks, or tricks where capot is announced."""
    _check_phase(record, polignac.PLAY)
    places = AS_PRINTED
    if record.options.rank == polignac.KING_HIGH:
        places = tuple(map(_place_below_the_jack, range(CARDS)))
    announcers = [other for other in _seats(record) if record.announced[other]]
    if len(announcers) > 1:
        raise ValueError("a deal can be solved with one announcement of capot, not two")
    if announcers:
        allies = (announcers[0],)
        return dataclasses.replace(_tricks(record, allies), places=places)
    prices = [(RANKS_IN_SUIT * suit + JACK, -polignac.A_JACK) for suit in range(4)]
    prices[polignac.SPADES] = (prices[polignac.SPADES][0], -polignac.POLIGNAC)
    return Question((seat,), individual=True, cards=tuple(prices), places=places)


def _place_below_the_jack(card: int) -> int:
    """The place of a card where the ace stands between Jack and ten."""
    if rank_of(card) == ACE:
        return AS_PRINTED[card] - ACE + JACK
    return AS_PRINTED[card] + int(rank_of(card) >= JACK)


def _slobberhannes(record: Record, seat: int) -> Question:
    """The points that a seat pays for the first trick, the last, and the club queen."""
    takers = (record.first_taker, record.queen_taker)
    is_open = all(taker in (NOBODY, seat) for taker in takers)
    return Question(
        (seat,),
        individual=True,
        first_trick=-1 if record.tricks_played == 0 else 0,
        last_trick=-1,
        cards=((slobberhannes.QUEEN_OF_CLUBS, -1),),
        all_of_it=-1 if record.options.all_three and is_open else 0,
    )


def _omnibus_hearts(record: Record, seat: int) -> Question:
    """The points that a seat scores for the cards it takes from here on."""
    _check_phase(record, omnibus_hearts.PLAY)
    if record.tricks_played == 0 and record.options.no_points_first_trick:
        raise ValueError(
            "with no_points_first_trick=True the play can be solved from the second "
            "trick on"
        )
    queen, bonus = omnibus_hearts.QUEEN_OF_SPADES, omnibus_hearts.bonus_card(record)
    hearts = count(omnibus_hearts.pack_of(record) & omnibus_hearts.HEARTS)
    prices = ((queen, omnibus_hearts.THE_QUEEN), (bonus, omnibus_hearts.THE_BONUS))
    wanted = np.uint64(omnibus_hearts.HEARTS | card_set((queen, bonus)))
    left = count(_cards_left(record) & wanted)
    is_open = (
        hearts == RANKS_IN_SUIT
        and left > 0
        and (count(record.taken[seat] & wanted) + left == hearts + 2)
    )
    apart = hearts * omnibus_hearts.A_HEART + sum(price for _, price in prices)
    return Question(
        (seat,),
        individual=True,
        suits=(0, 0, omnibus_hearts.A_HEART, 0),
        cards=prices,
        all_of_it=omnibus_hearts.ALL_OF_THEM - apart if is_open else 0,
        barred=HEARTS if record.options.hearts_broken else NO_SUIT,
        barred_size=hearts,
    )


_QUESTIONS: Final[dict[str, Callable[[Record, int], Question]]] = {
    "whist": _partners,
    "dummy_whist": _partners,
    "bridge_whist": _bridge_whist,
    "german_whist": _german_whist,
    "chinese_whist": _chinese_whist,
    "solo_whist": _solo_whist,
    "boston": _boston,
    "french_boston": _french_boston,
    "boston_de_fontainebleau": _fontainebleau,
    "russian_boston": _fontainebleau,
    "cayenne": _cayenne,
    "polignac": _polignac,
    "slobberhannes": _slobberhannes,
    "omnibus_hearts": _omnibus_hearts,
}
