"""Loops over tables.

Each loop takes the memory of one or many tables, a flat array of bytes, and is compiled
once for each game by `whist_env.engine.compile.bind`, which puts the game's rules in
place of the names declared below. One table is a memory of one record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from whist_env.cards import CARDS, count, holds, lowest, nth, without_lowest
from whist_env.engine.compile import rule
from whist_env.engine.features import is_row, write_cards
from whist_env.engine.random import PLAY, below, split_mix, stream_start
from whist_env.engine.record import NOBODY, Record

Memory = npt.NDArray[np.uint8]

# What `bind` supplies for each game.
RECORD: np.dtype[Any]
ACTIONS: int
OBSERVATION: int
STATE: int
UNIT: int
start: Callable[[Record], None]
legal: Callable[[Record], tuple[np.uint64, np.uint64]]
apply: Callable[[Record, int], None]
forfeit: Callable[[Record], None]
observe: Callable[[Record, int, Any], None]
state: Callable[[Record, int, Any], None]

WORD = 64
"""Actions in one set of actions."""
ILLEGAL, NO_BUFFER = -1, -2
FLOAT = np.dtype(np.float32)
BYTE = np.dtype(np.int8)


@rule
def allows(first: np.uint64, second: np.uint64, action: int) -> bool:
    """Whether two sets of actions hold an action."""
    if action < 0 or action >= 2 * WORD:
        return False
    return holds(first, action) if action < WORD else holds(second, action - WORD)


@rule
def nth_action(first: np.uint64, second: np.uint64, index: int) -> int:
    """The action at a place of two sets of actions, counted from 0."""
    in_first = count(first)
    if index < in_first:
        return nth(first, index)
    return WORD + nth(second, index - in_first)


@rule
def write_mask(first: np.uint64, second: np.uint64, mask: Any) -> None:
    """Write two sets of actions as a row of zeros and ones: cards, then calls."""
    write_cards(mask, 0, first)
    for action in range(CARDS, mask.size):
        mask[action] = allows(first, second, action)


@rule
def write_list(first: np.uint64, second: np.uint64, actions: Any) -> int:
    """Write two sets of actions in order; returns their number."""
    size = 0
    while first:
        actions[size] = lowest(first)
        first = without_lowest(first)
        size += 1
    while second:
        actions[size] = WORD + lowest(second)
        second = without_lowest(second)
        size += 1
    return size


@rule
def observer(table: Record, agent: int) -> int:
    """The agent meant: `NOBODY` is the agent to act, and agent 0 when it is over."""
    return max(table.agent, 0) if agent == NOBODY else agent


@rule
def is_observation(out: Any, size: int) -> bool:
    """Whether a buffer is a row of a type that observations have."""
    return is_row(out, size, FLOAT) or is_row(out, size, BYTE)


def start_all(memory: Memory) -> None:
    """Begin an episode at every table."""
    tables = memory.view(RECORD)
    for index in range(tables.size):
        start(tables[index])


def list_one(memory: Memory, actions: Any) -> int:
    """Write the legal actions of one table in order; returns their number."""
    table = memory.view(RECORD)[0]
    if table.agent == NOBODY:
        return 0
    first, second = legal(table)
    return write_list(first, second, actions)


def apply_one(memory: Memory, action: int, actions: Any) -> int:
    """Carry out an action at one table, then write as `list_one`.

    Returns:
        The number of actions that are legal now, or with nothing changed `ILLEGAL`.
    """
    table = memory.view(RECORD)[0]
    if table.agent == NOBODY:
        return ILLEGAL
    first, second = legal(table)
    if not allows(first, second, action):
        return ILLEGAL
    apply(table, action)
    if table.agent == NOBODY:
        return 0
    first, second = legal(table)
    return write_list(first, second, actions)


def apply_and_observe_one(memory: Memory, action: int, actions: Any, out: Any) -> int:
    """As `apply_one`, then write what the next agent to act observes.

    Returns:
        As `apply_one`, or with nothing changed `NO_BUFFER`.
    """
    if not is_observation(out, OBSERVATION):
        return NO_BUFFER
    table = memory.view(RECORD)[0]
    if table.agent == NOBODY:
        return ILLEGAL
    first, second = legal(table)
    if not allows(first, second, action):
        return ILLEGAL
    apply(table, action)
    observe(table, observer(table, NOBODY), out)
    if table.agent == NOBODY:
        return 0
    first, second = legal(table)
    return write_list(first, second, actions)


def forfeit_one(memory: Memory) -> None:
    """End the episode of one table against the side to act."""
    forfeit(memory.view(RECORD)[0])


def mask_one(memory: Memory, agent: int, mask: Any) -> bool:
    """Write an agent's action mask: zeros unless the agent is to act.

    This loop and the next two write nothing and return False for an agent that does
    not exist or a buffer of another type or shape than int8, and float32 for what is
    observed, in one row. Agent `NOBODY` is the agent to act.
    """
    table = memory.view(RECORD)[0]
    if not NOBODY <= agent < table.reward.size or not is_row(mask, ACTIONS, BYTE):
        return False
    if table.agent != NOBODY and observer(table, agent) == table.agent:
        first, second = legal(table)
        write_mask(first, second, mask)
    else:
        mask[:] = 0
    return True


def observe_one(memory: Memory, agent: int, out: Any) -> bool:
    """Write what an agent observes at one table."""
    table = memory.view(RECORD)[0]
    if not NOBODY <= agent < table.reward.size or not is_observation(out, OBSERVATION):
        return False
    observe(table, observer(table, agent), out)
    return True


def state_one(memory: Memory, agent: int, out: Any) -> bool:
    """Write everything about one table as seen from an agent."""
    table = memory.view(RECORD)[0]
    if not NOBODY <= agent < table.reward.size or not is_observation(out, STATE):
        return False
    state(table, observer(table, agent), out)
    return True


def see_one(memory: Memory, agent: int, out: Any, mask: Any) -> None:
    """Write what an agent observes at one table and its action mask, unchecked."""
    table = memory.view(RECORD)[0]
    observe(table, agent, out)
    if table.agent == agent:
        first, second = legal(table)
        write_mask(first, second, mask)
    else:
        mask[:] = 0


def first_illegal(memory: Memory, actions: Any, begin: int, end: int) -> int:
    """The first table of a part whose action is illegal, or -1."""
    tables = memory.view(RECORD)
    for index in range(begin, end):
        table = tables[index]
        first, second = legal(table)
        if table.agent == NOBODY or not allows(first, second, actions[index]):
            return index
    return -1


def see_all(
    memory: Memory,
    observed: bool,
    agents: Any,
    observation: Any,
    mask: Any,
    begin: int,
    end: int,
) -> None:
    """Write the agent to act, its observation and its mask for a part of the tables."""
    tables = memory.view(RECORD)
    for index in range(begin, end):
        table = tables[index]
        agents[index] = table.agent
        if observed:
            observe(table, table.agent, observation[index])
        first, second = legal(table)
        write_mask(first, second, mask[index])


def step_all(
    memory: Memory,
    finished: Memory,
    actions: Any,
    rewards: Any,
    done: Any,
    observed: bool,
    agents: Any,
    observation: Any,
    mask: Any,
    begin: int,
    end: int,
) -> None:
    """Carry out one legal action at each table of a part, then write as `see_all`.

    A table whose episode ends is copied to its place among the finished tables and
    begins the next episode at once.
    """
    tables = memory.view(RECORD)
    ended = finished.view(RECORD)
    for index in range(begin, end):
        table = tables[index]
        apply(table, actions[index])
        for agent in range(table.reward.size):
            rewards[index, agent] = table.reward[agent] / UNIT
        done[index] = table.over
        if table.over:
            ended[index] = table
            start(table)
        agents[index] = table.agent
        if observed:
            observe(table, table.agent, observation[index])
        first, second = legal(table)
        write_mask(first, second, mask[index])


def state_all(memory: Memory, out: Any, begin: int, end: int) -> None:
    """Write everything about each table of a part as seen from its agent to act."""
    tables = memory.view(RECORD)
    for index in range(begin, end):
        state(tables[index], tables[index].agent, out[index])


@rule
def pick(table: Record, first: np.uint64, second: np.uint64) -> int:
    """A uniformly random action of two sets, from the table's own stream of play."""
    bits = stream_start(table.seed, table.actions_taken, PLAY)
    return nth_action(first, second, below(bits, count(first) + count(second)))


def sample_all(memory: Memory, actions: Any, begin: int, end: int) -> None:
    """Write a random legal action for each table of a part."""
    tables = memory.view(RECORD)
    for index in range(begin, end):
        table = tables[index]
        first, second = legal(table)
        actions[index] = pick(table, first, second)


def play_out(
    memory: Memory, scratch: Memory, seed: np.uint64, returns: Any, begin: int, end: int
) -> int:
    """Play one table to the end of its episode many times at random.

    Returns:
        The number of actions taken in all.
    """
    total = 0
    for index in range(begin, end):
        scratch[:] = memory
        table = scratch.view(RECORD)[0]
        table.seed = split_mix(seed, index)
        begun = table.actions_taken
        while not table.over:
            first, second = legal(table)
            apply(table, pick(table, first, second))
        for agent in range(table.returns.size):
            returns[index, agent] = table.returns[agent] / UNIT
        total += table.actions_taken - begun
    return total
