"""A table as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final

from whist_env.cards import RANKS, SUITS, card_name, card_set, hand_text, rank_of
from whist_env.render.scene import Scene, Seat, TableLike, Trick, Viewer, by_suit, see

SYMBOLS: Final = "\u2663\u2666\u2665\u2660"
"""The signs of clubs, diamonds, hearts and spades."""


def table_text(
    table: TableLike, viewer: Viewer = "agent", *, symbols: bool = True
) -> str:
    """A table as text, a line for each seat.

    Args:
        table: the table.
        viewer: who looks: an agent; ``"agent"`` for the agent to act, agent 0 when the
            episode is over; or ``"all"``, who sees every hand.
        symbols: whether to write suits as signs. Otherwise the text is ASCII, cards
            are written ``"SA"`` and hands ``"AKQ.T9.87.65432"``.

    Raises:
        ValueError: there is no such viewer.
    """
    scene = see(table, viewer)
    notation = _SIGNS if symbols else _LETTERS
    parts = [_headline(scene, notation), _aligned(_seat_rows(scene, notation))]
    if scene.scores:
        parts.append(_aligned(_score_rows(scene)))
    if scene.notes:
        parts.append(_aligned([[name, text] for name, text in scene.notes]))
    if scene.calls:
        parts.append(f"may call {', '.join(scene.calls)}")
    if scene.last_trick is not None:
        parts.append(_last_trick(scene, scene.last_trick, notation))
    return "\n\n".join(parts)


@dataclasses.dataclass(frozen=True)
class _Notation:
    """How suits, cards and hands are written."""

    suit: Callable[[int], str]
    card: Callable[[int], str]
    hand: Callable[[tuple[int, ...]], str]


def _suit_sign(suit: int) -> str:
    return SYMBOLS[suit]


def _card_with_sign(card: int) -> str:
    return card_name(card).translate(_SIGN_OF_LETTER)


def _hand_with_signs(cards: tuple[int, ...]) -> str:
    return " ".join(
        _card_with_sign(suit[0]) + "".join(RANKS[rank_of(card)] for card in suit[1:])
        for suit in by_suit(cards)
    )


def _suit_letter(suit: int) -> str:
    return SUITS[suit]


def _hand_with_letters(cards: tuple[int, ...]) -> str:
    return hand_text(card_set(cards))


_SIGN_OF_LETTER: Final = str.maketrans(SUITS, SYMBOLS)
_SIGNS: Final = _Notation(_suit_sign, _card_with_sign, _hand_with_signs)
_LETTERS: Final = _Notation(_suit_letter, card_name, _hand_with_letters)


def _headline(scene: Scene, notation: _Notation) -> str:
    facts = [f"{scene.title}, deal {scene.deal}"]
    if scene.trump is not None:
        facts.append(f"trumps {notation.suit(scene.trump)}")
    if scene.turned is not None:
        facts.append(f"{notation.card(scene.turned)} lies open")
    if scene.to_play is not None:
        name = scene.seats[scene.to_play].name
        facts.append(f"{name} to {'call' if scene.calls else 'play'}")
    if scene.returns:
        facts.append("the episode is over")
        facts += [
            f"{_side(side)} earned {value:+g}"
            for side, value in zip(scene.sides, scene.returns, strict=True)
        ]
    return ", ".join(facts)


def _seat_rows(scene: Scene, notation: _Notation) -> list[list[str]]:
    rows = [["", "", "trick", "tricks", "hand"]]
    for number, seat in enumerate(scene.seats):
        turn = ">" if number == scene.to_play else ""
        name = seat.name + (" (dealer)" if number == scene.dealer else "")
        played = _played(scene, number, notation)
        rows.append([turn, name, played, str(seat.tricks), _hand(seat, notation)])
    return rows


def _played(scene: Scene, seat: int, notation: _Notation) -> str:
    """The card of a seat on the table, and what it does there."""
    card = scene.seats[seat].played
    if card is None:
        return "to lead" if seat == scene.leader and scene.winner is None else ""
    led = " led" if seat == scene.leader else ""
    wins = " wins" if seat == scene.winner else ""
    return notation.card(card) + led + wins


def _hand(seat: Seat, notation: _Notation) -> str:
    if not seat.unknown:
        return notation.hand(seat.known) if seat.known else "no cards"
    cards = [notation.card(card) for card in seat.known]
    hidden = "card" if seat.unknown == 1 else "cards"
    return " ".join([*cards, *(["and"] if cards else []), f"{seat.unknown} {hidden}"])


def _score_rows(scene: Scene) -> list[list[str]]:
    rows = [["", *(name for name, _ in scene.scores)]]
    for number, side in enumerate(scene.sides):
        values = [str(values[number]) for _, values in scene.scores]
        rows.append([_side(side), *values])
    return rows


def _side(side: Sequence[int]) -> str:
    """A side by the numbers of its seats."""
    return " and ".join(map(str, side))


def _last_trick(scene: Scene, trick: Trick, notation: _Notation) -> str:
    cards = " ".join(map(notation.card, trick.cards))
    return f"last trick {cards}, taken by {scene.seats[trick.taker].name}"


def _aligned(rows: list[list[str]]) -> str:
    """Rows with their columns below one another."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )
