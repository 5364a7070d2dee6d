"""The exact account of a deal: which card has cost whom how many tricks.

With all hands open every position has a value, what a side takes if all play on
perfectly. A card of that side can leave it as it is or lower it, a card of the other
side leave it or raise it. So what a side takes in the end is what it would have taken
by perfect play of all (*par*), less what its own cards have lost (their *regret*), plus
what the cards of the others have lost. It is an identity, for every deal, however it
was played.

Regret is measured with all hands open. A card can be right by all that its player could
know and have a regret, and the other way round.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from whist_env.cards import NO_CARDS, SUIT_NAMES, card_name, card_set, members
from whist_env.engine.options import is_whole
from whist_env.engine.record import NOBODY, Record
from whist_env.engine.tricks import NO_CARD, NO_SUIT
from whist_env.envs.table import Table
from whist_env.solver import dds
from whist_env.solver.own import Search, mark_of
from whist_env.solver.search import LANE
from whist_env.solver.solution import (
    POSITIONS,
    Solver,
    SolverLimit,
    advice,
    check_positions,
    solver_for,
)

if TYPE_CHECKING:
    from whist_env.solver.questions import Question

Kind = Literal["lead", "follow", "ruff", "discard"]
"""What a card was: it was led, followed suit, was a trump on another suit, or neither.
"""
ROLES: Final = ("lead", "second", "third", "fourth", "fifth", "sixth")
"""Who played it: the leader, or the second, third ... hand."""
_Key = TypeVar("_Key", bound=Hashable)


@dataclasses.dataclass(frozen=True)
class Play:
    """A card played, and what it has cost.

    Attributes:
        trick: the trick to which it was played, counted from 1.
        seat: the seat that played it.
        card: the card.
        role: ``"lead"``, or which hand played it: ``"second"``, ``"third"`` ...
        kind: ``"lead"``, ``"follow"``, ``"ruff"`` or ``"discard"``.
        regret: what the best card was worth more than this one, for whoever played it.
    """

    trick: int
    seat: int
    card: int
    role: str
    kind: Kind
    regret: int


@dataclasses.dataclass(frozen=True)
class Tally:
    """Cards, counted.

    Attributes:
        cards: how many cards were played.
        mistakes: how many of them have a regret.
        regret: the sum of what they have cost.
    """

    cards: int = 0
    mistakes: int = 0
    regret: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.cards + other.cards,
            self.mistakes + other.mistakes,
            self.regret + other.regret,
        )


@dataclasses.dataclass(frozen=True)
class Account:
    """The exact account of a deal; ``result == par - own + others``, always.

    All amounts are what the counted seats take, in the unit of `Solution`: tricks, or
    at nullo and misère tricks that count against them, or points. As text it is a table
    of all tricks and of all cards that have cost something.

    Attributes:
        title: the name of the game.
        trump: the trump suit, or -1.
        seats: how many seats there are.
        counted: the seats whose takings are counted.
        par: what they take from the first card judged on, if all play perfectly.
        result: what they took from there on; if the deal was not played to its end,
            with what they take of the rest if all play perfectly.
        is_complete: whether the deal was played to its end. The cards of the last
            trick, which nobody chooses, are added where they were not played.
        plays: the cards judged, in the order in which they were played.
        solver: who has solved the positions: ``"own"``, or ``"dds"``.
    """

    title: str
    trump: int
    seats: int
    counted: tuple[int, ...]
    par: int
    result: int
    is_complete: bool
    plays: tuple[Play, ...]
    solver: Solver

    @property
    def own(self) -> int:
        """What the cards of the counted seats have lost."""
        return sum(play.regret for play in self.plays if play.seat in self.counted)

    @property
    def others(self) -> int:
        """What the cards of all other seats have lost."""
        return sum(play.regret for play in self.plays if play.seat not in self.counted)

    @property
    def mistakes(self) -> tuple[Play, ...]:
        """The cards that have cost something."""
        return tuple(play for play in self.plays if play.regret > 0)

    def by_seat(self) -> dict[int, Tally]:
        """All cards, counted by seat."""
        return _tallies((play.seat, play) for play in self.plays)

    def by_trick(self) -> dict[int, Tally]:
        """All cards, counted by trick."""
        return _tallies((play.trick, play) for play in self.plays)

    def by_role(self) -> dict[str, Tally]:
        """All cards, counted by the hand that played them."""
        return _tallies((play.role, play) for play in self.plays)

    def by_kind(self) -> dict[Kind, Tally]:
        """All cards, counted by what they were."""
        return _tallies((play.kind, play) for play in self.plays)

    def __str__(self) -> str:
        return _text(self)


def account(
    table: Table,
    seat: int | None = None,
    positions: int = POSITIONS,
    first_trick: int = 1,
) -> Account:
    """The exact account of the deal at a table, as far as it was played.

    Args:
        table: a table at which cards have been played. The deal is judged from its
            first card on that the solver can judge: German Whist from when the talon is
            gone, Chinese Whist from when no card lies face down.
        seat: where each plays for itself, the seat that all others play against; by
            default the seat that led to the first of them.
        positions: for each card, how many positions our own search looks at before
            giving up; DDS solves what `solve` would let it solve.
        first_trick: judge from this trick on. Where our own search has to do with whole
            deals, the first tricks are dear.

    Raises:
        SolverLimit: some position took too much work.
        ValueError: no card was played, a seat has revoked, the solver is not for this
            deal, or the other arguments make no sense here; the message says which.
    """
    check_positions(positions)
    if not is_whole(first_trick, 1, len(table.record.history)):
        raise ValueError(f"first_trick={first_trick!r} must be a trick, from 1 on")
    line = _Line.of(table, seat, first_trick)
    if line.solver == "dds":
        values = line.values_by_dds()
    else:
        values = line.values_by_search(positions)
    return Account(
        title=table.game.rules.title,
        trump=int(table.record.trump),
        seats=line.seats,
        counted=line.question.counted,
        par=values[0],
        result=values[-1],
        is_complete=not line.hands[-1].any(),
        plays=tuple(line.judged(values)),
        solver=line.solver,
    )


# The line of play -------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Line:
    """The play of a deal from the first trick on that can be solved.

    Attributes:
        record: the table as it stood then.
        question: what was asked of the solver then.
        skipped: how many of the cards are not judged.
        cards: the cards played.
        players: who played each.
        hands: by position and seat, the cards held; one position more than cards.
    """

    record: Record
    question: Question
    skipped: int
    cards: list[int]
    players: list[int]
    hands: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, table: Table, seat: int | None, first_trick: int) -> _Line:
        """The play of the deal at a table, to be judged from a trick on.

        Raises:
            ValueError: the solver is not for it, nothing is to be judged, or a seat
                has revoked.
        """
        start, question = _first_solvable(table, seat)
        before = _rewound(table.record, start)
        cards, players = _played(table.record, start, question.turn)
        hands = np.tile(before.hands, (len(cards) + 1, 1))
        for place, (card, player) in enumerate(zip(cards, players, strict=True)):
            hands[place + 1 :, player] &= ~card_set((card,))
        skipped = max(0, (first_trick - 1) * len(before.hands) - start)
        if skipped >= len(cards):
            raise ValueError(f"no card of trick {first_trick} or later was played")
        line = cls(before, question, skipped, cards, players, hands)
        line.refuse_revokes()
        return line

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.record.hands)

    @property
    def places(self) -> range:
        """The places of the cards that are judged."""
        return range(self.skipped, len(self.cards))

    @property
    def solver(self) -> Solver:
        """Who values the positions."""
        return solver_for(self.question, self.hands[self.skipped])

    def suit(self, card: int) -> int:
        """The suit of a card as it is played."""
        return self.question.places[card] // LANE

    def led(self, place: int) -> int:
        """The suit led to the trick of a card."""
        return self.suit(self.cards[place - place % self.seats])

    def trick(self, place: int) -> int:
        """The number of the trick of a card, counted from 1 in the deal."""
        return int(self.record.tricks_played) + place // self.seats + 1

    def refuse_revokes(self) -> None:
        """Refuse a play in which a seat did not follow suit and could.

        Raises:
            ValueError: one did.
        """
        for place in self.places:
            card, player = self.cards[place], self.players[place]
            led, held = self.led(place), members(self.hands[place, player])
            if self.suit(card) != led and led in map(self.suit, held):
                raise ValueError(
                    f"seat {player} revoked with {card_name(card)} in trick "
                    f"{self.trick(place)}; only deals without revokes have an account"
                )

    def values_by_dds(self) -> list[int]:
        """What the counted seats take of what is judged, by position."""
        leader = self.players[self.skipped]
        hands = self.hands[self.skipped : self.skipped + 1]
        trump, turn = int(self.record.trump), self.question.turn
        position = dds.Position(hands, (NO_CARD,) * self.seats, leader, trump, turn)
        values = dds.value_play(position, self.cards[self.skipped :])
        if leader in self.question.counted:
            return values
        tricks = int(hands[0, 0]).bit_count()
        return [tricks - value for value in values]

    def values_by_search(self, allowed: int) -> list[int]:
        """As `values_by_dds`, in the unit of the question.

        Raises:
            SolverLimit: some position took too much work.
        """
        search = Search(self.question, self.record, allowed)
        tricks, leaders = self._tricks_and_leaders()
        gained, marks = self._gains_and_marks()
        judged = slice(self.skipped, None)
        values, first = search.value_positions(
            *(self.hands[judged], tricks[judged], leaders[judged]),
            *(marks[judged], gained[judged]),
        )
        if first > 0:
            raise self._limit(self.skipped + first - 1, allowed)
        taken = np.cumsum(gained[judged]) - gained[judged]
        return [int(value) for value in taken + values]

    def _limit(self, place: int, allowed: int) -> SolverLimit:
        trick = self.trick(place)
        return SolverLimit(
            f"trick {trick} of the deal was not solved after {allowed:,} positions for "
            "one card; allow more positions, or judge from a later trick on, such as "
            f"first_trick={trick + 1}{advice(self.question, self.hands[place])}",
            {},
        )

    def _tricks_and_leaders(
        self,
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """By position, the trick on the table and who led to it or is to lead."""
        tricks = np.full((len(self.hands), self.seats), NO_CARD, np.int8)
        leaders = np.empty(len(self.hands), np.int8)
        for position in range(len(self.hands)):
            begin = position - position % self.seats
            for place in range(begin, position):
                tricks[position, self.players[place]] = self.cards[place]
            leaders[position] = self._leader(begin)
        return tricks, leaders

    def _leader(self, begin: int) -> int:
        """Who leads to the trick of which the first card is at a place."""
        if begin < len(self.players):
            return self.players[begin]
        last_trick = slice(begin - self.seats, begin)
        return _winner(
            self.question,
            int(self.record.trump),
            self.cards[last_trick],
            self.players[last_trick],
        )

    def _gains_and_marks(self) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
        """By position, what the counted seats take with the next card, and the mark.

        See `whist_env.solver.search.next_mark`.
        """
        gained = np.zeros(len(self.hands), np.int16)
        marks = np.full(len(self.hands), mark_of(self.question), np.int8)
        for end in range(self.seats, len(self.hands), self.seats):
            prices = self._prices(end - self.seats)
            is_counted = self._leader(end) in self.question.counted
            if is_counted:
                gained[end - 1] = sum(prices)
            if self.question.exactly is not None:
                marks[end:] -= int(is_counted and marks[end] > 0)
            elif any(prices) and not is_counted:
                marks[end:] = 0
        return gained, marks

    def _prices(self, begin: int) -> list[int]:
        """The price of a trick, and of each card in it."""
        question = self.question
        left = int(self.hands[begin, self.players[begin]]).bit_count()
        single = dict(question.cards)
        price = question.trick
        price += question.first_trick * int(begin == 0)
        price += question.last_trick * int(left == 1)
        cards = self.cards[begin : begin + self.seats]
        return [price] + [
            single.get(card, question.suits[self.suit(card)]) for card in cards
        ]

    def judged(self, values: list[int]) -> Iterable[Play]:
        """Each card with its regret, from the values of all positions."""
        for place, before, after in zip(
            self.places, values[:-1], values[1:], strict=True
        ):
            player = self.players[place]
            is_counted = player in self.question.counted
            yield Play(
                trick=self.trick(place),
                seat=player,
                card=self.cards[place],
                role=ROLES[place % self.seats],
                kind=self._kind(place),
                regret=before - after if is_counted else after - before,
            )

    def _kind(self, place: int) -> Kind:
        suit = self.suit(self.cards[place])
        if place % self.seats == 0:
            return "lead"
        if suit == self.led(place):
            return "follow"
        return "ruff" if suit == self.record.trump else "discard"


def _winner(
    question: Question, trump: int, cards: list[int], players: list[int]
) -> int:
    """Who wins a trick."""
    places = [question.places[card] for card in cards]
    suits = [place // LANE for place in places]
    wins = trump if trump in suits else suits[0]
    best = max(place for place in places if place // LANE == wins)
    return players[places.index(best)]


# Turning back a table ---------------------------------------------------------------


def _first_solvable(table: Table, seat: int | None) -> tuple[int, Question]:
    """From how many cards on the deal at a table can be solved, and what is asked.

    Raises:
        ValueError: no card was played, or it cannot be solved at all.
    """
    from whist_env.solver.questions import question_of

    record = table.record
    if record.cards_played == 0:
        raise ValueError("no card was played in this deal yet; there is no account")
    refusal = ValueError()
    for start in range(0, int(record.cards_played), record.hands.size):
        try:
            before = _rewound(record, start)
            return start, question_of(table.game.name, before, seat)
        except ValueError as error:
            refusal = error
    raise refusal


def _hands_at(record: Record, place: int) -> npt.NDArray[np.uint64]:
    """What each seat held when so many cards were played, if none was drawn since."""
    hands = np.array(record.hands)
    if record.over and "capot_early_stop" in record.options.dtype.names:
        # Where the play stops early, what is left is put away.
        hands |= record.dealt & ~record.played
    for later in range(place, int(record.cards_played)):
        hands[record.history_seats[later]] |= card_set((int(record.history[later]),))
    return hands


def _rewound(record: Record, place: int) -> Record:
    """The table before the lead to a trick, as far as the solver asks about it."""
    before = record.copy()
    seats = record.hands.size
    tricks = place // seats
    before["hands"] = _hands_at(record, place)
    before["trick"] = NO_CARD
    before["cards_in_trick"] = 0
    before["cards_played"] = place
    before["tricks_played"] = tricks
    before["seat"] = before["leader"] = record.history_seats[place]
    before["led"] = NO_SUIT
    takers = [int(record.history_seats[seats * (trick + 1)]) for trick in range(tricks)]
    before["tricks_won"] = [takers.count(seat) for seat in range(seats)]
    _forget_takings(before, record, takers)
    _cover(before, record, tricks)
    return before


def _forget_takings(before: Record, record: Record, takers: list[int]) -> None:
    """Turn back who has taken which cards of those that have a price."""
    names = record.dtype.names
    if "first_taker" in names:
        before["first_taker"] = takers[0] if takers else NOBODY
        before["queen_taker"] = NOBODY
    if "taken" in names:
        before["taken"] = NO_CARDS
        seats = len(record.hands)
        for trick, taker in enumerate(takers):
            cards = record.history[seats * trick : seats * (trick + 1)]
            before["taken"][taker] |= card_set(map(int, cards))


def _cover(before: Record, record: Record, tricks: int) -> None:
    """Turn face down again what was turned up later, and give back the down cards."""
    if "covered" not in record.dtype.names:
        return
    face_up_since = record.face_up_since
    for card in np.flatnonzero(face_up_since > tricks + 1):
        owner = int(np.flatnonzero(record.dealt & card_set((int(card),)))[0])
        before["covered"][owner, 0] = card
    down = card_set(int(card) for card in np.flatnonzero(face_up_since == 0))
    if not (before["covered"] != NO_CARD).any():
        before["down"] = before["hands"] & down


def _played(record: Record, place: int, turn: int) -> tuple[list[int], list[int]]:
    """The cards played from a place on and who played them, with the last trick.

    Where each has one card at most, it is played out.
    """
    cards = record.history[place : record.cards_played].tolist()
    players = record.history_seats[place : record.cards_played].tolist()
    left = [int(hand) for hand in _hands_at(record, int(record.cards_played))]
    is_last = max(hand.bit_count() for hand in left) == 1
    if is_last and cards and not record.over:
        player = int(record.seat)
        while left[player]:
            cards.append(left[player].bit_length() - 1)
            players.append(player)
            left[player] = 0
            player = (player + turn) % len(left)
    return cards, players


# Text -------------------------------------------------------------------------------


def _text(account: Account) -> str:
    trumps = "no trumps"
    if account.trump != NO_SUIT:
        trumps = f"{SUIT_NAMES[account.trump]} are trumps"
    side = _and(f"{seat}" for seat in account.counted)
    noun = "seat" if len(account.counted) == 1 else "seats"
    outcome = "result" if account.is_complete else "result by perfect play of the rest"
    lines = [
        f"{account.title}, {trumps}; counted: {noun} {side}",
        f"par {account.par} - own losses {account.own} + losses of the others "
        f"{account.others} = {outcome} {account.result}",
        "",
        *_grid(account),
        "",
        *(_sentence(play) for play in account.mistakes),
    ]
    if not account.mistakes:
        lines.append("No card has cost anything.")
    return "\n".join(lines)


def _and(words: Iterable[str]) -> str:
    words = list(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _grid(account: Account) -> list[str]:
    """A line a trick: the leader's card marked, and behind a card what it has cost."""
    lines = ["trick" + "".join(f"   seat {seat} " for seat in range(account.seats))]
    tricks = dict.fromkeys(play.trick for play in account.plays)
    for trick in tricks:
        cells = [""] * account.seats
        for play in account.plays:
            if play.trick == trick:
                lead = ">" if play.kind == "lead" else " "
                cost = f" -{play.regret}" if play.regret else ""
                cells[play.seat] = f"{lead}{card_name(play.card)}{cost}"
        lines.append(f"{trick:5}" + "".join(f"  {cell:8}" for cell in cells))
    lost = account.by_seat()
    sums = [lost.get(seat, Tally()).regret for seat in range(account.seats)]
    lines.append("lost " + "".join(f"   {regret:<7}" for regret in sums))
    return [line.rstrip() for line in lines]


def _sentence(play: Play) -> str:
    what = play.kind if play.kind == "lead" else f"{play.role} hand, {play.kind}"
    return (
        f"trick {play.trick:2}: seat {play.seat} lost {play.regret} with "
        f"{card_name(play.card)} ({what})"
    )


# Many accounts ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class AccountSum:
    """The accounts of many deals, summed by who played.

    As text it is a table of what each has lost per deal, and with which cards.

    Attributes:
        deals: by player, the deals it took part in.
        total: by player, all its cards.
        by_trick: by player and trick.
        by_role: by player and the hand that it played.
        by_kind: by player and what the card was.
    """

    deals: dict[str, int]
    total: dict[str, Tally]
    by_trick: dict[tuple[str, int], Tally]
    by_role: dict[tuple[str, str], Tally]
    by_kind: dict[tuple[str, Kind], Tally]

    def __str__(self) -> str:
        return _sum_text(self)


def sum_accounts(
    accounts: Iterable[Account], players: Iterable[Sequence[str]]
) -> AccountSum:
    """Sum the accounts of many deals by who played.

    Args:
        accounts: the accounts.
        players: for each account, who played each seat; one player may have several.

    Raises:
        ValueError: there are not as many names as seats, or as many rows of names as
            accounts.
    """
    deals: collections.Counter[str] = collections.Counter()
    plays: list[tuple[str, Play]] = []
    accounts, players = list(accounts), list(players)
    if len(players) != len(accounts):
        raise ValueError(
            f"players= has {len(players)} rows of names; there are {len(accounts)} "
            "accounts"
        )
    for judged, names in zip(accounts, players, strict=True):
        if len(names) != judged.seats:
            raise ValueError(
                f"players={list(names)!r} must be {judged.seats} names, one for each "
                "seat"
            )
        deals.update(dict.fromkeys(names, 1))
        plays += [(names[play.seat], play) for play in judged.plays]
    return AccountSum(
        deals=dict(deals),
        total=_tallies((name, play) for name, play in plays),
        by_trick=_tallies(((name, play.trick), play) for name, play in plays),
        by_role=_tallies(((name, play.role), play) for name, play in plays),
        by_kind=_tallies(((name, play.kind), play) for name, play in plays),
    )


def _tallies(plays: Iterable[tuple[_Key, Play]]) -> dict[_Key, Tally]:
    """Cards counted by what they belong to, in the order in which that comes up."""
    tallies: dict[_Key, Tally] = {}
    for key, play in plays:
        one = Tally(1, int(play.regret > 0), play.regret)
        tallies[key] = tallies.get(key, Tally()) + one
    return tallies


def _sum_text(accounts: AccountSum) -> str:
    kinds: tuple[Kind, ...] = ("lead", "follow", "ruff", "discard")
    columns = ["deals", "lost per deal", "mistakes per deal"]
    columns += [f"lost by {kind}" for kind in kinds]
    rows = [["", *columns]]
    for name, total in accounts.total.items():
        deals = accounts.deals[name]
        amounts = [total.regret, total.mistakes]
        amounts += [
            accounts.by_kind.get((name, kind), Tally()).regret for kind in kinds
        ]
        rows.append([name, str(deals), *(f"{each / deals:.3f}" for each in amounts)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
