"""What a game file declares."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from whist_env.cards import NO_CARDS
from whist_env.engine.compile import rule
from whist_env.engine.features import FeatureTable
from whist_env.engine.options import Options
from whist_env.engine.record import Record

_Array = npt.NDArray[Any]


@rule
def own_hand(record: Record, agent: int, seat: int) -> np.uint64:
    """Each sees its own hand and no other."""
    return np.uint64(record.hands[seat]) if agent == seat else NO_CARDS


@rule
def own_seat(record: Record, agent: int) -> int:
    """Each agent has one seat, of its own number."""
    return agent


def no_notes(record: Record, agent: int) -> tuple[tuple[str, str], ...]:
    """There is nothing else to see."""
    return ()


@dataclasses.dataclass(frozen=True, eq=False)
class Rules:
    """A game: its tables and its rules, as functions on a record.

    Attributes:
        name: the name users type.
        title: the name in prose.
        agents: how many agents decide.
        partners: for each agent the agents that share its reward, itself included.
        action_names: the name of each action; 0 to 51 are the cards.
        options: the options of the game.
        record: the layout of a table (see `whist_env.engine.record.record_dtype`).
        features: what an agent observes.
        state_features: what a critic that sees everything observes.
        start: begin an episode: clear the scores and make the first deal.
        legal: the actions open to the agent to act, as two sets: action *a* is bit
            ``a % 64`` of set ``a // 64``.
        apply: carry out a legal action of the agent to act.
        forfeit: end the episode against the side of the agent to act.
        observe: write the observation of an agent into an array of
            ``features.size`` numbers.
        state: write everything, as seen from an agent, into an array of
            ``state_features.size`` numbers.
        measures: what an episode is judged by, each a function of an array of finished
            records that gives an array of shape ``(len(records), agents)``.
        set_up: begin an episode from a given position (a plain function with the
            reset options of the game as keywords).
        reason: why an action is illegal for the agent to act, in words.
        visible: the cards in the hand of a seat that an agent may see.
        seat_of: the seat at which an agent sits.
        phases: the parts of a deal in order, each with a sentence on what is done.
        notes: what else an agent may see, in words, each with a name: what was called,
            what lies on the table.
        unit: how many of the integers in which a record counts rewards make one of the
            game's own units.
    """

    name: str
    title: str
    agents: int
    partners: tuple[tuple[int, ...], ...]
    action_names: tuple[str, ...]
    options: type[Options]
    record: np.dtype[Any]
    features: FeatureTable
    state_features: FeatureTable
    start: Callable[[Record], None]
    legal: Callable[[Record], tuple[np.uint64, np.uint64]]
    apply: Callable[[Record, int], None]
    forfeit: Callable[[Record], None]
    observe: Callable[[Record, int, _Array], None]
    state: Callable[[Record, int, _Array], None]
    measures: Mapping[str, Callable[[_Array], _Array]]
    set_up: Callable[..., None]
    reason: Callable[[Record, int], str]
    phases: tuple[tuple[str, str], ...]
    visible: Callable[[Record, int, int], np.uint64] = own_hand
    seat_of: Callable[[Record, int], int] = own_seat
    notes: Callable[[Record, int], tuple[tuple[str, str], ...]] = no_notes
    unit: int = 1
