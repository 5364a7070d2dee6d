"""Kernels: the loops over tables on a GPU, one thread a table.

A kernel gives each thread one table and calls the very loop that the CPU runs, on a
part of the tables that is this table alone: there is one source of the rules and of
what a step is. `kernels` binds them for one game as `whist_env.engine.compile.bind`
binds loops, and nothing here imports Numba's part for GPUs before that.

Observations, states and masks are written to the memory that the threads of a block
share, and from there to the GPU's by all threads together, neighbours to neighbouring
places. Written by each thread alone they would go to memory a byte at a time, 32 times
as much as there is to write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from whist_env.engine import loops
from whist_env.engine.compile import copied
from whist_env.engine.loops import Memory

# What `kernels` supplies for each game.
cuda: Any
RECORD: np.dtype[Any]
ACTIONS: int
OBSERVATION: int
STATE: int
RECORD_BYTES: int
ACTIONS_SHARED: int
OBSERVATION_SHARED: int
STATE_SHARED: int
STATE_THREADS: int
start_all: Callable[..., None]
first_illegal: Callable[..., int]
step_all: Callable[..., None]
see_all: Callable[..., None]
state_all: Callable[..., None]
sample_all: Callable[..., None]
hand_out: Callable[..., None]

THREADS = 32
"""Threads of a block: those that a GPU runs in step."""
SHARED = 48 * 1024
"""Bytes that the threads of a block can share on every GPU."""
BANK = 4
"""Neighbouring bytes of shared memory that are read and written at once."""

_LOOPS = (
    loops.start_all,
    loops.first_illegal,
    loops.step_all,
    loops.see_all,
    loops.state_all,
    loops.sample_all,
)


def hand_out_rows(shared: Any, out: Any, threads: int) -> None:
    """Write the shared rows of a block to the places of its tables."""
    first = threads * cuda.blockIdx.x
    for row in range(min(threads, out.shape[0] - first)):
        for place in range(cuda.threadIdx.x, out.shape[1], threads):
            out[first + row, place] = shared[row, place]


def start_each(memory: Memory) -> None:
    """Begin an episode at every table."""
    index = cuda.grid(1)
    begin, end = RECORD_BYTES * index, RECORD_BYTES * (index + 1)
    if begin < memory.size:
        start_all(memory[begin:end])


def find_illegal(memory: Memory, actions: Any, found: Any) -> None:
    """Lower a number to that of the first table whose action is illegal."""
    index = cuda.grid(1)
    if index < actions.size and first_illegal(memory, actions, index, index + 1) >= 0:
        cuda.atomic.min(found, 0, index)


def step_each(
    memory: Memory,
    finished: Memory,
    actions: Any,
    rewards: Any,
    done: Any,
    observed: bool,
    agents: Any,
    observation: Any,
    mask: Any,
) -> None:
    """Carry out one legal action at each table, then write as `see_each`."""
    observations = cuda.shared.array((THREADS, OBSERVATION_SHARED), np.int8)
    masks = cuda.shared.array((THREADS, ACTIONS_SHARED), np.int8)
    index, thread = cuda.grid(1), cuda.threadIdx.x
    if index < agents.size:
        begin, end = RECORD_BYTES * index, RECORD_BYTES * (index + 1)
        step_all(
            memory[begin:end],
            finished[begin:end],
            actions[index : index + 1],
            rewards[index : index + 1],
            done[index : index + 1],
            observed,
            agents[index : index + 1],
            observations[thread : thread + 1, :OBSERVATION],
            masks[thread : thread + 1, :ACTIONS],
            0,
            1,
        )
    cuda.syncthreads()
    hand_out(observations, observation, THREADS)
    hand_out(masks, mask, THREADS)


def see_each(
    memory: Memory, observed: bool, agents: Any, observation: Any, mask: Any
) -> None:
    """Write the agent to act, its observation and its mask for each table.

    What is observed goes to rows of the features' size, or of none.
    """
    observations = cuda.shared.array((THREADS, OBSERVATION_SHARED), np.int8)
    masks = cuda.shared.array((THREADS, ACTIONS_SHARED), np.int8)
    index, thread = cuda.grid(1), cuda.threadIdx.x
    if index < agents.size:
        see_all(
            memory[RECORD_BYTES * index : RECORD_BYTES * (index + 1)],
            observed,
            agents[index : index + 1],
            observations[thread : thread + 1, :OBSERVATION],
            masks[thread : thread + 1, :ACTIONS],
            0,
            1,
        )
    cuda.syncthreads()
    hand_out(observations, observation, THREADS)
    hand_out(masks, mask, THREADS)


def state_each(memory: Memory, out: Any) -> None:
    """Write everything about each table as seen from its agent to act."""
    states = cuda.shared.array((STATE_THREADS, STATE_SHARED), np.int8)
    index, thread = cuda.grid(1), cuda.threadIdx.x
    if index < out.shape[0]:
        state_all(
            memory[RECORD_BYTES * index : RECORD_BYTES * (index + 1)],
            states[thread : thread + 1, :STATE],
            0,
            1,
        )
    cuda.syncthreads()
    hand_out(states, out, STATE_THREADS)


def sample_each(memory: Memory, actions: Any) -> None:
    """Write a random legal action for each table."""
    index = cuda.grid(1)
    if index < actions.size:
        sample_all(memory, actions, index, index + 1)


_KERNELS = (start_each, find_illegal, step_each, see_each, state_each, sample_each)


def kernels(game: str, name: str, names: Mapping[str, Any]) -> SimpleNamespace:
    """The kernels of a game by name; each is compiled, or loaded, when first launched.

    Args:
        game: the name of the game.
        name: the name of its rules, part of the name in the disk cache.
        names: the game's rules and constants, by the names that the loops use.

    Returns:
        The kernels, and ``threads`` with the threads of a block of each.
    """
    from numba import cuda

    def on_device(function: Callable[..., Any], known: Mapping[str, Any]) -> Any:
        return cuda.jit(device=True)(copied(function, game, name, known))

    known = {**names, **_sizes(names), "cuda": cuda}
    called = {loop.__name__: on_device(loop, known) for loop in _LOOPS}
    known |= called | {"hand_out": on_device(hand_out_rows, known)}
    bound = {
        kernel.__name__: cuda.jit(cache=True)(copied(kernel, game, name, known))
        for kernel in _KERNELS
    }
    threads = dict.fromkeys(bound, THREADS) | {"state_each": known["STATE_THREADS"]}
    return SimpleNamespace(**bound, threads=threads)


def _sizes(names: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of what a thread reads and writes, in bytes."""
    state = _spread_over_banks(names["STATE"])
    return {
        "RECORD_BYTES": names["RECORD"].itemsize,
        "ACTIONS_SHARED": _spread_over_banks(names["ACTIONS"]),
        "OBSERVATION_SHARED": _spread_over_banks(names["OBSERVATION"]),
        "STATE_SHARED": state,
        "STATE_THREADS": THREADS if THREADS * state <= SHARED else THREADS // 2,
    }


def _spread_over_banks(size: int) -> int:
    """The bytes to leave for a shared row of a size.

    They are an odd number of banks, so that threads that write the same place of
    their rows write to different banks.
    """
    banks = -(-size // BANK)
    return BANK * (banks | 1)
