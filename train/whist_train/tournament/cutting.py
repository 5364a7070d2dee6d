"""Cutting at a club table: for partners, for the deal, and for who stays.

The laws of the American Whist League (1893), numbers 2 to 5. In cutting the ace is the
lowest, and suits never break a tie. What those laws leave open is decided so: two that
tie for the lowest cut again for the deal alone; four equal cards are all cut again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

SEATS = 4
"""How many play at a table."""


def cut_for_partners(
    players: Sequence[str], cards: Iterator[int]
) -> tuple[str, str, str, str]:
    """Who sits where.

    The two highest play the two lowest; the lowest deals. The dealer's left is taken by
    the lower of the opponents, which has no meaning for the laws.

    Args:
        players: the four in some order.
        cards: the ranks that are drawn, one after the other, ace 1 to king 13.

    Returns:
        The players from the dealer clockwise: partners sit opposite each other.
    """
    first = _drawn(players, cards)
    order = sorted(players, key=first.__getitem__)
    ranks = [first[player] for player in order]
    if ranks[0] == ranks[3]:
        return cut_for_partners(players, cards)
    if ranks[0] == ranks[2]:
        # Law 4: the fourth had the highest card.
        low, partner, high = _ordered_anew(order[:3], cards)
        return _seated(low, partner, high, order[3])
    if ranks[1] == ranks[3]:
        # Law 4: the fourth had the lowest card, and deals.
        partner, low, high = _ordered_anew(order[1:], cards)
        return _seated(order[0], partner, low, high)
    if ranks[1] == ranks[2]:
        # Law 3: the lower of the new cut plays with the lowest.
        partner, opponent = _ordered_anew(order[1:3], cards)
        return _seated(order[0], partner, opponent, order[3])
    if ranks[0] == ranks[1]:
        dealer, partner = _ordered_anew(order[:2], cards)
        return _seated(dealer, partner, order[2], order[3])
    return _seated(*order)


def stay(
    games: Mapping[str, int], waiting: int, cards: Iterator[int]
) -> tuple[list[str], list[str]]:
    """Who stays at the table, and who retires to admit those that wait (law 5).

    The player with fewer consecutive games stays; of those that tie, the lower cut.

    Args:
        games: how many games in a row each player has played.
        waiting: how many wait.
        cards: the ranks that are drawn.
    """
    by_games: dict[int, list[str]] = {}
    for player, count in games.items():
        by_games.setdefault(count, []).append(player)
    order: list[str] = []
    places = len(games) - waiting
    for count in sorted(by_games):
        tied = by_games[count]
        # They cut only if some of them stay and some retire.
        split = len(order) < places < len(order) + len(tied)
        order += _ordered_anew(tied, cards) if split else tied
    return order[:places], order[places:]


def _seated(
    dealer: str, partner: str, opponent: str, other: str
) -> tuple[str, str, str, str]:
    return dealer, opponent, partner, other


def _drawn(players: Sequence[str], cards: Iterator[int]) -> dict[str, int]:
    return {player: next(cards) for player in players}


def _ordered_anew(players: Sequence[str], cards: Iterator[int]) -> list[str]:
    """Players by a new cut, the lowest first; those that tie cut again."""
    if len(players) == 1:
        return list(players)
    drawn = _drawn(players, cards)
    ordered: list[str] = []
    for rank in sorted(set(drawn.values())):
        ordered += _ordered_anew([p for p in players if drawn[p] == rank], cards)
    return ordered
