"""The compiled loops of search: play-outs, and the growth of a tree.

`whist_agents.search.compiled` puts the compiled loops over one table of a game, and
those of its rules of thumb, in place of the names declared below. Nothing of a game is
compiled anew for search.

The tree is that of information set Monte Carlo tree search with a single observer
(Cowling, Powley and Whitehouse 2012): each iteration draws a world, goes down the one
tree through actions that are legal in that world, tries a new action, plays on to the
end of the deal, and credits what came of it. A node is *what the observer sees* there,
so that worlds which look the same to it share their statistics, and actions that it
cannot tell apart lead to the same node. How often an action could have been chosen is
counted for each action, as not every world allows it.
"""

# ruff: noqa: F821

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from whist_env.engine.compile import rule
from whist_env.engine.loops import Memory
from whist_env.engine.random import below, split_mix
from whist_env.engine.record import Record

# What the compiler supplies for each game: `whist_env.engine.loops` says what they do.
RECORD: np.dtype[Any]
list_one: Callable[[Memory, Any], int]
apply_one: Callable[[Memory, int, Any], int]
see_one: Callable[[Memory, int, Any, Any], None]
choose_all: Callable[[Any, Any, Any, Any, Any], None]
"""What the rule-of-thumb player does in the view in each row."""
play_to_the_end: Callable[..., None]
"""`to_the_end`, compiled."""

RANDOM, HOYLE = range(2)
"""How a deal is played to its end: at random, or by rules of thumb."""

NONE: Final = -1
"""No edge, no node."""

TREE: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("nodes", np.int64),
                ("edges", np.int64),
                # The least and the most that anybody earned, in units of the record.
                ("least", np.int64),
                ("most", np.int64),
            ]
        ),
    )
)
NODE: Final = np.dtype((np.record, np.dtype([("key", np.uint64), ("edge", np.int64)])))
EDGE: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("action", np.int64),
                # The next edge of the same node.
                ("next", np.int64),
                ("visits", np.int64),
                # How often the action was legal when its node was visited.
                ("available", np.int64),
                # What the agent that chose here has earned over all visits.
                ("total", np.int64),
            ]
        ),
    )
)
STEP: Final = np.dtype((np.record, np.dtype([("edge", np.int64), ("mover", np.int64)])))
"""An edge on the way down, and the agent that acted there."""


# Playing on -------------------------------------------------------------------------


def to_the_end(
    memory: Memory,
    deal: int,
    size: int,
    policy: int,
    start: np.uint64,
    actions: Any,
    rows: Any,
    masks: Any,
    chosen: Any,
    options: Any,
    minds: Any,
) -> None:
    """Play a table on by a policy until the deal of this number is over.

    Args:
        memory: the table.
        deal: the number of the deal.
        size: how many actions are legal.
        policy: how it is played on.
        start: the random numbers of play at random.
        actions: the actions that are legal; the next are written there.
        rows: room for one observation.
        masks: room for one mask.
        chosen: room for one action.
        options: the options of the game, an array of one.
        minds: an array of one mind.
    """
    table = memory.view(RECORD)[0]
    index = 0
    while not table.over and table.deal_number == deal:
        action = int(actions[0])
        if size > 1 and policy == HOYLE:
            see_one(memory, int(table.agent), rows[0], masks[0])
            choose_all(rows, masks, options, minds, chosen)
            action = int(chosen[0])
        elif size > 1:
            action = int(actions[below(split_mix(start, index), size)])
        size = apply_one(memory, action, actions)
        index += 1


def play_out(
    worlds: Memory,
    tried: npt.NDArray[np.int64],
    policy: int,
    start: np.uint64,
    memory: Memory,
    actions: Any,
    rows: Any,
    masks: Any,
    chosen: Any,
    options: Any,
    minds: Any,
    earned: npt.NDArray[np.int64],
) -> None:
    """Take each action in each world, and play on by a policy to the end of the deal.

    Writes what the agent to act earns from here on, by world and action, in the units
    of the record. Where chance decides, it is the same for all actions of a world.
    The other arguments are those of `to_the_end`.
    """
    table = memory.view(RECORD)[0]
    for index in range(worlds.size // memory.size):
        for place in range(tried.size):
            memory[:] = worlds[index * memory.size : (index + 1) * memory.size]
            agent, deal = int(table.agent), int(table.deal_number)
            before = int(table.returns[agent])
            size = apply_one(memory, tried[place], actions)
            play_to_the_end(
                memory,
                deal,
                size,
                policy,
                split_mix(start, index),
                actions,
                rows,
                masks,
                chosen,
                options,
                minds,
            )
            earned[index, place] = table.returns[agent] - before


def value_all(
    tables: Memory,
    policy: int,
    start: np.uint64,
    tried: Any,
    memory: Memory,
    actions: Any,
    rows: Any,
    masks: Any,
    chosen: Any,
    options: Any,
    minds: Any,
    earned: npt.NDArray[np.int64],
) -> None:
    """At each table take some legal actions, and play on to the end of the deal.

    Writes what the agent to act earns from here on, by table and action, in the units
    of the record; nothing for actions that are not marked in ``tried``, which has a row
    for each table. The other arguments are those of `to_the_end`.
    """
    table = memory.view(RECORD)[0]
    for index in range(tables.size // memory.size):
        here = tables[index * memory.size : (index + 1) * memory.size]
        for action in np.flatnonzero(tried[index]):
            memory[:] = here
            agent, deal = int(table.agent), int(table.deal_number)
            before = int(table.returns[agent])
            size = apply_one(memory, int(action), actions)
            play_to_the_end(
                memory,
                deal,
                size,
                policy,
                split_mix(start, index),
                actions,
                rows,
                masks,
                chosen,
                options,
                minds,
            )
            earned[index, action] = table.returns[agent] - before


# The tree ---------------------------------------------------------------------------


@rule
def key_of(row: Any) -> np.uint64:
    """A hash of an observation, whose length is a whole number of words."""
    words = row.view(np.uint64)
    key = np.uint64(0)
    for index in range(words.size):
        key = split_mix(key ^ words[index], index)
    return key


@rule
def node_of(tree: Any, slots: Any, nodes: Any, key: np.uint64) -> int:
    """The node with a key, made if there is none yet."""
    size = np.uint64(slots.size - 1)
    slot = key & size
    while slots[slot] != NONE:
        if nodes[slots[slot]].key == key:
            return int(slots[slot])
        slot = (slot + np.uint64(1)) & size
    node = int(tree.nodes)
    slots[slot] = node
    nodes[node].key = key
    nodes[node].edge = NONE
    tree.nodes += 1
    return node


@rule
def add_edge(tree: Any, nodes: Any, edges: Any, node: int, action: int) -> int:
    """A new edge of a node, for an action that is tried for the first time."""
    edge = int(tree.edges)
    edges[edge].action = action
    edges[edge].next = nodes[node].edge
    edges[edge].visits = 0
    edges[edge].available = 1
    edges[edge].total = 0
    nodes[node].edge = edge
    tree.edges += 1
    return edge


@rule
def promise(tree: Any, edge: Any, exploration: float) -> float:
    """The upper confidence bound of an action; what is earned is scaled to 0..1."""
    width = int(max(tree.most - tree.least, 1))
    mean = float(edge.total / edge.visits - tree.least) / width
    return mean + exploration * math.sqrt(math.log(edge.available) / edge.visits)


@rule
def select(
    tree: Any,
    nodes: Any,
    edges: Any,
    node: int,
    actions: Any,
    size: int,
    exploration: float,
    bits: np.uint64,
) -> int:
    """The edge to follow: one for an action not tried yet, or the most promising.

    Actions that were not tried yet are brought to the front of those that are legal.
    """
    best, highest = NONE, 0.0
    edge = int(nodes[node].edge)
    untried = size
    while edge != NONE:
        place = place_of(edges[edge].action, actions, untried)
        if place != NONE:
            untried -= 1
            actions[place], actions[untried] = actions[untried], actions[place]
            edges[edge].available += 1
            promised = promise(tree, edges[edge], exploration)
            if best == NONE or promised > highest:
                best, highest = edge, promised
        edge = int(edges[edge].next)
    if untried == 0:
        return best
    return add_edge(tree, nodes, edges, node, int(actions[below(bits, untried)]))


@rule
def place_of(action: int, actions: Any, size: int) -> int:
    """The place of an action among the first of some, or `NONE`."""
    for place in range(size):
        if actions[place] == action:
            return place
    return NONE


@rule
def credit(tree: Any, edges: Any, path: Any, depth: int, table: Record) -> None:
    """Credit every action on the way down with what its agent has earned.

    Returns of the table were set to 0 at the root.
    """
    for agent in range(table.returns.size):
        tree.least = min(tree.least, table.returns[agent])
        tree.most = max(tree.most, table.returns[agent])
    for place in range(depth):
        edge = edges[path[place].edge]
        edge.visits += 1
        edge.total += table.returns[path[place].mover]


def grow(
    trees: Any,
    slots: npt.NDArray[np.int64],
    nodes: Any,
    edges: Any,
    path: Any,
    sight: npt.NDArray[np.int8],
    worlds: Memory,
    exploration: float,
    policy: int,
    start: np.uint64,
    memory: Memory,
    actions: Any,
    rows: Any,
    masks: Any,
    chosen: Any,
    options: Any,
    minds: Any,
) -> None:
    """Let a tree grow by one iteration for each world.

    Args:
        trees: the tree, an array of one.
        slots: the nodes by their keys, a hash table of a power of two.
        nodes: room for one node more than there are iterations.
        edges: room for an edge for each iteration.
        path: room for the actions of a deal.
        sight: zeros with room for an observation, a whole number of words.
        worlds: the worlds, records in which the agent that searches is to act.
        exploration: how much more what was tried less often promises.
        policy: how deals are played to their end.
        start: the random numbers, of which each world has its own.
        memory: room for a table.
        actions: room for legal actions.
        rows: as in `to_the_end`.
        masks: as in `to_the_end`.
        chosen: as in `to_the_end`.
        options: as in `to_the_end`.
        minds: as in `to_the_end`.
    """
    tree, table = trees[0], memory.view(RECORD)[0]
    seen = sight[: rows.shape[1]]
    for index in range(worlds.size // memory.size):
        memory[:] = worlds[index * memory.size : (index + 1) * memory.size]
        for agent in range(table.returns.size):
            table.returns[agent] = 0
        observer, deal = int(table.agent), int(table.deal_number)
        chance = split_mix(start, index)
        size = list_one(memory, actions)
        depth, is_new = 0, False
        while not is_new and not table.over and table.deal_number == deal:
            action = int(actions[0])
            if size > 1:
                see_one(memory, observer, seen, masks[0])
                node = node_of(tree, slots, nodes, key_of(sight))
                bits = split_mix(chance, depth)
                edge = select(
                    tree, nodes, edges, node, actions, size, exploration, bits
                )
                is_new = edges[edge].visits == 0
                path[depth].edge = edge
                path[depth].mover = table.agent
                depth += 1
                action = int(edges[edge].action)
            size = apply_one(memory, action, actions)
        play_to_the_end(
            memory,
            deal,
            size,
            policy,
            ~chance,
            actions,
            rows,
            masks,
            chosen,
            options,
            minds,
        )
        credit(tree, edges, path, depth, table)
