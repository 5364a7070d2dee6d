"""What is done at a table in words, as far as a viewer may know it."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np

from whist_env.cards import CARDS, RANKS, card_name, rank_of, suit_of, without
from whist_env.engine.record import Record
from whist_env.envs.game import Game
from whist_env.envs.table import Table
from whist_env.records.episode import Episode
from whist_env.render.scene import Viewer, see
from whist_env.render.text import SYMBOLS


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of an episode: an action, or a forfeit.

    Attributes:
        deal: the number of the deal, from 1.
        trick: the number of the trick to which a card was played, from 1; 0 for calls
            and for cards that were not played.
        who: the name of the seat.
        what: the card or the call; that it is hidden where the viewer may not know it.
        earned: what it earned each side, in words; empty where it earned nothing.
    """

    deal: int
    trick: int
    who: str
    what: str
    earned: str

    def __str__(self) -> str:
        return f"{self.who}: {self.what}" + (f" ({self.earned})" if self.earned else "")


def steps_of(episode: Episode, tables: list[Table], viewer: Viewer) -> list[Step]:
    """Every step of an episode as a viewer sees it.

    Args:
        episode: the episode.
        tables: what its `replay` gave.
        viewer: an agent, or ``"all"`` for somebody who sees every hand.
    """
    names = [*episode.actions, *(["forfeits"] if episode.forfeit else [])]
    return [
        _step(before, name, after, viewer)
        for (before, after), name in zip(pairwise(tables), names, strict=True)
    ]


def _step(before: Table, name: str, after: Table, viewer: Viewer) -> Step:
    scene = see(before, "all")
    assert scene.to_play is not None
    trick = trick_of(before, name, after)
    if name in before.game.action_names and not trick:
        name = as_seen(before, before.game.action_names.index(name), viewer)
    return Step(
        deal=scene.deal,
        trick=trick,
        who=scene.seats[scene.to_play].name,
        what=signed(name),
        earned=_earned(after, scene.sides),
    )


def trick_of(before: Table, name: str, after: Table) -> int:
    """The trick to which a card was played; 0 if it was not."""
    record = before.record
    is_card = name in before.game.action_names[:CARDS]
    ends_deal = after.record.deals_played > record.deals_played
    if is_card and (ends_deal or after.record.cards_played > record.cards_played):
        return int(record.tricks_played) + 1
    return 0


def as_seen(table: Table, action: int, viewer: Viewer) -> str:
    """The name of a call or of a card that was not played, or that it is hidden.

    Cards passed, discarded or laid aside lie face down. A call is hidden from a viewer
    who would have seen the same after another call that some hand allows.
    """
    name = table.game.action_names[action]
    if viewer == "all" or viewer == table.agent:
        return name
    if action < CARDS:
        return "hidden card"
    record = _with_any_hand(table, int(viewer))
    seen = _seen_after(table.game, record, action, int(viewer))
    for other in _calls(table.game, record):
        if other != action and seen == _seen_after(
            table.game, record, other, int(viewer)
        ):
            return "hidden call"
    return name


def _with_any_hand(table: Table, viewer: int) -> Record:
    """The table, where the seat to act holds all cards that the viewer does not see."""
    record = table.record.copy()
    for seat in range(len(record.hands)):
        if seat != record.seat:
            hidden = without(
                record.hands[seat], table.game.rules.visible(record, viewer, seat)
            )
            record.hands[record.seat] |= hidden
    return record


def _calls(game: Game, record: Record) -> list[int]:
    """The calls open to the agent to act."""
    first, second = map(int, game.rules.legal(record))
    legal = first | second << 64
    return [call for call in range(CARDS, game.num_actions) if legal >> call & 1]


def _seen_after(game: Game, record: Record, call: int, viewer: int) -> bytes:
    """What a viewer observes after a call."""
    later = record.copy()
    game.rules.apply(later, call)
    observation = np.zeros(game.features.size, np.int8)
    game.rules.observe(later, viewer, observation)
    return observation.tobytes()


def signed(name: str) -> str:
    """The name of an action as people read it: cards with the sign of their suit."""
    for card in range(CARDS):
        if name == card_name(card):
            return SYMBOLS[suit_of(card)] + RANKS[rank_of(card)]
    return name.replace("_", " ")


def _earned(table: Table, sides: tuple[tuple[int, ...], ...]) -> str:
    """What the last action earned each side."""
    rewards = table.rewards()
    if not any(rewards):
        return ""
    return ", ".join(
        f"{' and '.join(map(str, side))} {rewards[side[0]]:+g}" for side in sides
    )
