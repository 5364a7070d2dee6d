"""Russian Boston: Boston de Fontainebleau with these differences.

* A caller of six, seven or eight tricks is open to a partner, with whom he must make
  four more, unless he says *solo*. Both forms of a bid rank alike.
* *Carte blanche*: a hand without a trump, declared before its first card, gets ten
  counters from each other player.
* Honours are paid like tricks over: four as four, three as two.

Source: Foster's Complete Hoyle, where it is a variation of Boston de Fontainebleau.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.cards import (
    JACK,
    KING,
    NO_CARDS,
    QUEEN,
    RANKS_IN_SUIT,
    card_set,
    holds,
    single,
    whole_suit,
)
from whist_env.engine.compile import rule
from whist_env.engine.contracts import enter_points, settle_with_each, with_action
from whist_env.engine.features import Feature, FeatureTable, write
from whist_env.engine.options import NOT_GIVEN, choice, flag, number
from whist_env.engine.record import Record, begin_action, record_dtype
from whist_env.engine.sight import relative
from whist_env.engine.tricks import NO_SUIT
from whist_env.games.boston_de_fontainebleau import (
    ACTION_NAMES as FONTAINEBLEAU_ACTIONS,
)
from whist_env.games.boston_de_fontainebleau import (
    BID,
    BID_NAMES,
    BIDS,
    EIGHT,
    FIELDS,
    FIRST_BID,
    FIVE,
    HIDDEN,
    PLAY,
    RUNGS,
    SEATS,
    SEVEN,
    SIX,
    TRICKS_BID,
    WHIST,
    FontainebleauOptions,
    bidding_is_over,
    call,
    deal_is_over,
    end_bidding,
    end_deal,
    go_on,
    over_calls,
    rewards_points,
    rung,
    write_hidden,
)
from whist_env.games.boston_de_fontainebleau import (
    FEATURES as FONTAINEBLEAU_FEATURES,
)
from whist_env.games.boston_de_fontainebleau import RULES as FONTAINEBLEAU
from whist_env.games.boston_de_fontainebleau import deal_out as deal_hands
from whist_env.games.boston_de_fontainebleau import legal as fontainebleau_legal
from whist_env.games.boston_de_fontainebleau import notes as fontainebleau_notes
from whist_env.games.boston_de_fontainebleau import observe as fontainebleau_observe
from whist_env.games.boston_de_fontainebleau import reason as fontainebleau_reason
from whist_env.games.boston_de_fontainebleau import set_up as fontainebleau_set_up
from whist_env.games.boston_de_fontainebleau import start as fontainebleau_start

MORE_WITH_PARTNER: Final = 4
"""The tricks that a bid open to a partner is raised by when one accepts."""
CARTE_BLANCHE: Final = 10
"""What a declared carte blanche gets from each of the others."""
COURT_CARDS: Final = card_set(
    RANKS_IN_SUIT * suit + rank for suit in range(4) for rank in (JACK, QUEEN, KING)
)

OPEN_OR_SOLO: Final = (SIX, SEVEN, EIGHT)
SOLO_BIDS: Final = tuple(bid for bid in range(BIDS) if RUNGS[bid] in OPEN_OR_SOLO)
"""The bids, as Boston de Fontainebleau counts them, that have a solo form."""
SOLO_FORMS: Final = len(SOLO_BIDS)
FIRST_SOLO: Final = WHIST + 1
DECLARE: Final = FIRST_SOLO + SOLO_FORMS
SILENT: Final = DECLARE + 1
ACTION_NAMES: Final = (
    *FONTAINEBLEAU_ACTIONS,
    *(f"{BID_NAMES[bid]}_solo" for bid in SOLO_BIDS),
    "declare",
    "silent",
)

NOT_ASKED, DECLARED, WAS_SILENT = range(3)

# Options ----------------------------------------------------------------------------

OPTIONAL, AUTO = range(2)
NO_TRUMP_CARD, NO_COURT_CARD = range(2)
WITH_TRUMPS, IN_ALL = range(2)


@dataclasses.dataclass(frozen=True)
class RussianBostonOptions(FontainebleauOptions):
    """Options of Russian Boston: those of Boston de Fontainebleau, and its own."""

    honours: bool = flag(
        True,
        meaning=(
            "Whether four honours of the caller's side count as four tricks over, and "
            "three as two."
        ),
    )
    five_with_partner: int | None = number(
        8,
        6,
        13,
        or_none=True,
        meaning=(
            "The tricks that a caller of five undertakes with a partner; None lets "
            "him have none."
        ),
        partner=(True,),
    )
    carte_blanche: str = choice(
        "optional",
        *("optional", "auto"),
        meaning=(
            "Whether a player may keep a carte blanche to himself, or declares it "
            "always."
        ),
    )
    carte_blanche_hand: str = choice(
        "no_trump",
        *("no_trump", "no_court_card"),
        meaning=(
            "What a carte blanche is: a hand without a trump, or without a king, queen "
            "or jack."
        ),
    )
    carte_blanche_contracts: str = choice(
        "with_trumps",
        *("with_trumps", "all"),
        meaning=(
            "In which contracts a hand without a king, queen or jack is declared: in "
            "those with trumps, or in all."
        ),
        carte_blanche_hand=("no_court_card",),
    )


RECORD: Final = record_dtype(
    SEATS,
    RussianBostonOptions,
    [
        *FIELDS,
        # The set of the bids that were said solo.
        ("solos", np.uint64),
        # Whether the seat to act is asked for a carte blanche; what each has answered.
        ("asking", np.int8),
        ("answers", np.int8, (SEATS,)),
    ],
)

# Deal -------------------------------------------------------------------------------


@rule
def start(record: Record) -> None:
    """Begin an episode with its first deal."""
    fontainebleau_start(record)
    clear_answers(record)


@rule
def deal_out(record: Record) -> None:
    """Deal; nobody has said solo or been asked for a carte blanche."""
    deal_hands(record)
    clear_answers(record)


@rule
def clear_answers(record: Record) -> None:
    """Forget the calls that Boston de Fontainebleau does not have."""
    record.solos = NO_CARDS
    record.asking = 0
    for seat in range(SEATS):
        record.answers[seat] = NOT_ASKED


# Phases and legality ----------------------------------------------------------------


@rule
def legal(record: Record) -> tuple[np.uint64, np.uint64]:
    """Higher bids may be solo; a seat asked for a carte blanche answers.

    Solo says that no partner is taken; where none may be, there is nothing to say.
    """
    if record.asking:
        return legal_answers(record)
    first, second = fontainebleau_legal(record)
    if record.phase == BID and record.options.partner:
        for form in range(SOLO_FORMS):
            if over_calls(record, SOLO_BIDS[form]):
                first, second = with_action(first, second, FIRST_SOLO + form)
    return first, second


@rule
def legal_answers(record: Record) -> tuple[np.uint64, np.uint64]:
    """Declare a carte blanche, or be silent, as all must that have none."""
    first, second = NO_CARDS, NO_CARDS
    is_blank = has_carte_blanche(record, record.seat)
    if is_blank:
        first, second = with_action(first, second, DECLARE)
    if not is_blank or record.options.carte_blanche == OPTIONAL:
        first, second = with_action(first, second, SILENT)
    return first, second


@rule
def has_carte_blanche(record: Record, seat: int) -> bool:
    """Whether a hand holds no trump, or was dealt no court card by another reading."""
    if record.options.carte_blanche_hand == NO_COURT_CARD:
        return bool(record.dealt[seat] & COURT_CARDS == NO_CARDS)
    return bool(record.hands[seat] & whole_suit(record.trump) == NO_CARDS)


@rule
def apply(record: Record, action: int) -> None:
    """As in Boston de Fontainebleau; for a carte blanche each is asked once."""
    begin_action(record)
    if record.asking:
        answer_for_carte_blanche(record, action)
    elif record.phase == BID:
        make_call(record, action)
    else:
        go_on(record, action)
    if deal_is_over(record):
        end_deal(record)
        if not record.over:
            deal_out(record)
    record.asking = is_to_be_asked(record)


@rule
def make_call(record: Record, action: int) -> None:
    """Pass, or bid, open to a partner or solo."""
    if action < FIRST_SOLO:
        call(record, action)
    else:
        call(record, FIRST_BID + SOLO_BIDS[action - FIRST_SOLO])
        record.solos |= single(record.contract)
    if bidding_is_over(record):
        end_bidding(record, alliance_target(record))


@rule
def alliance_target(record: Record) -> int:
    """Open bids of six to eight need four more tricks with a partner; five needs eight.

    0 where the caller is to play alone.
    """
    options = record.options
    if not options.partner or holds(record.solos, record.contract):
        return 0
    if rung(record) == FIVE and options.five_with_partner != NOT_GIVEN:
        return int(options.five_with_partner)
    if rung(record) in OPEN_OR_SOLO:
        return TRICKS_BID[rung(record)] + MORE_WITH_PARTNER
    return 0


@rule
def is_to_be_asked(record: Record) -> bool:
    """Whether a seat is about to play its first card, and may have a carte blanche.

    Where there are no trumps every hand is without one; nobody is asked, unless court
    cards make the difference and it is so agreed.
    """
    if record.over or record.phase != PLAY:
        return False
    in_all = record.options.carte_blanche_contracts == IN_ALL
    if record.trump == NO_SUIT and not in_all:
        return False
    return bool(record.answers[record.seat] == NOT_ASKED)


@rule
def answer_for_carte_blanche(record: Record, action: int) -> None:
    """A declared carte blanche is paid at once; all know that the hand is void."""
    seat = int(record.seat)
    record.answers[seat] = WAS_SILENT
    if action == DECLARE:
        record.answers[seat] = DECLARED
        settle_with_each(record, seat, CARTE_BLANCHE)
        enter_points(record, rewards_points(record))
        if record.options.carte_blanche_hand == NO_TRUMP_CARD:
            record.voids[seat] |= np.uint8(1 << int(record.trump))


# Information ------------------------------------------------------------------------

FEATURES: Final = FeatureTable(
    *FONTAINEBLEAU_FEATURES.features,
    Feature(
        "solos",
        ("bid",),
        (SOLO_FORMS,),
        0,
        1,
        "The bids of six, seven and eight tricks that were said solo.",
    ),
    Feature(
        "asking",
        (),
        (),
        0,
        1,
        "Whether the seat whose turn it is is asked for a carte blanche.",
    ),
    Feature(
        "answers",
        ("seat", "answer"),
        (4, 2),
        0,
        1,
        "Who has declared a carte blanche, and who was silent.",
    ),
)
STATE_FEATURES: Final = FeatureTable(*FEATURES.features, *HIDDEN)

_SOLOS = FEATURES.offset("solos")
_ASKING = FEATURES.offset("asking")
_ANSWERS = FEATURES.offset("answers")
_HANDS = STATE_FEATURES.offset("hands")


@rule
def observe(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything that a seat may know; the seat itself is 0, its left neighbour 1."""
    fontainebleau_observe(record, seat, out)
    for form in range(SOLO_FORMS):
        write(out, _SOLOS + form, holds(record.solos, SOLO_BIDS[form]))
    write(out, _ASKING, record.asking)
    for other in range(SEATS):
        place = _ANSWERS + 2 * relative(other, seat, SEATS)
        write(out, place, record.answers[other] == DECLARED)
        write(out, place + 1, record.answers[other] == WAS_SILENT)


@rule
def state(record: Record, seat: int, out: npt.NDArray[Any]) -> None:
    """Everything, as seen from a seat: its observation, every hand, every discard."""
    observe(record, seat, out)
    write_hidden(record, seat, out, _HANDS)


def notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """What Boston de Fontainebleau shows; solo bids and cartes blanches."""
    solos = [BID_NAMES[bid] for bid in SOLO_BIDS if holds(record.solos, bid)]
    declared = [
        f"player_{seat}" for seat in range(SEATS) if record.answers[seat] == DECLARED
    ]
    added = (("solo", ", ".join(solos)), ("carte blanche", ", ".join(declared)))
    return (
        *fontainebleau_notes(record, agent),
        *((name, text) for name, text in added if text),
    )


# Setting up a given position --------------------------------------------------------


def set_up(
    record: Record,
    *,
    deal: str | None = None,
    dealer: int | None = None,
    pool: int = 0,
) -> None:
    """Begin an episode from a given position.

    Args:
        record: the table.
        deal: the four hands in Portable Bridge Notation; seat 0 is North.
        dealer: the seat that deals.
        pool: the counters in the pool before the dealer adds his stake.

    Raises:
        TypeError: the deal is no text.
        ValueError: a value cannot be; the message says why.
    """
    fontainebleau_set_up(record, deal=deal, dealer=dealer, pool=pool)
    clear_answers(record)


def reason(record: Record, action: int) -> str:
    """Why an action is not open to the seat to act."""
    if record.asking:
        return _reason_not_to_answer(record, action)
    if record.phase == BID and action in (DECLARE, SILENT):
        return "a carte blanche is declared after the bidding"
    if record.phase == BID and action >= FIRST_SOLO and not record.options.partner:
        return "solo refuses a partner, and none is taken (partner=False)"
    return fontainebleau_reason(record, action)


def _reason_not_to_answer(record: Record, action: int) -> str:
    if action == SILENT:
        return "a carte blanche is always declared (carte_blanche='auto')"
    if action != DECLARE:
        return "first a carte blanche is declared, or the player is silent"
    if record.options.carte_blanche_hand == NO_COURT_CARD:
        return "the hand holds a king, queen or jack, and is no carte blanche"
    return "the hand holds a trump, and is no carte blanche"


RULES: Final = (
    dataclasses.replace(
        FONTAINEBLEAU[0],
        name="russian_boston",
        title="Russian Boston",
        action_names=ACTION_NAMES,
        options=RussianBostonOptions,
        record=RECORD,
        features=FEATURES,
        state_features=STATE_FEATURES,
        start=start,
        legal=legal,
        apply=apply,
        observe=observe,
        state=state,
        set_up=set_up,
        reason=reason,
        phases=(
            FONTAINEBLEAU[0].phases[0],
            (
                "accept",
                "After a bid of five, or one of six to eight that was not said solo, "
                "the others are asked in turn from the caller's left; the first who "
                "says whist is the partner.",
            ),
            FONTAINEBLEAU[0].phases[2],
            (
                "carte blanche",
                "Where there are trumps, each is asked before his first card; a hand "
                "with a trump is silent. By an option it is court cards that count, "
                "and by another these are asked for in every contract.",
            ),
            FONTAINEBLEAU[0].phases[3],
        ),
        notes=notes,
    ),
)
