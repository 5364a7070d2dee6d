"""Training by several processes that learn one and the same policy.

Every process plays tables of its own and averages its gradients with those of the
others, so that the weights stay equal in all. They are started by ``torchrun``, which
comes with PyTorch::

    torchrun --nproc-per-node 2 -m whist_train.command_line train whist --out runs/a

The first process alone writes the run folder, judges and shows how far it is; the
others need to read the folder. In a process by itself nothing here does anything.

What is decided by measured time, or found by one process only, must be agreed upon:
whoever goes on while another stops would wait for it for ever.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

_Value = TypeVar("_Value")


@contextlib.contextmanager
def joined() -> Iterator[None]:
    """Be one of the processes that ``torchrun`` has started, where it has.

    A process that is one of several already stays so.
    """
    launched = dist.is_available() and dist.is_torchelastic_launched()
    if not launched or _are_several():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(_place_in_machine())
        dist.init_process_group("cpu:gloo,cuda:nccl")
    else:
        dist.init_process_group("gloo")
    yield
    # Not after an error: the others may never come to the end.
    dist.destroy_process_group()


def processes() -> int:
    """How many processes train together."""
    return dist.get_world_size() if _are_several() else 1


def rank() -> int:
    """The number of this process; the first is 0."""
    return dist.get_rank() if _are_several() else 0


def is_first() -> bool:
    """Whether this process writes, judges and shows."""
    return rank() == 0


def own_seed(seed: int) -> int:
    """A seed of this process alone; that of the first, or only one, is the seed."""
    if is_first():
        return seed
    words = np.random.SeedSequence(seed, spawn_key=(rank(),))
    return int(words.generate_state(1, np.uint64)[0] >> 1)


def own_device(device: str) -> str:
    """The device of this process: each takes a GPU of its own."""
    if device == "cuda" and _are_several():
        return f"cuda:{_place_in_machine()}"
    return device


def average_gradients(parameters: Iterable[Tensor]) -> None:
    """Replace the gradients by their means over all processes."""
    if not _are_several():
        return
    gradients = [p.grad for p in parameters if p.grad is not None]
    together = torch.cat([gradient.reshape(-1) for gradient in gradients])
    dist.all_reduce(together)
    together /= processes()
    sizes = [gradient.numel() for gradient in gradients]
    for gradient, mean in zip(gradients, torch.split(together, sizes), strict=True):
        gradient.copy_(mean.view_as(gradient))


def mean(figures: dict[str, float]) -> dict[str, float]:
    """The means of figures over all processes, the same in each."""
    totals = total(figures)
    return {name: value / processes() for name, value in totals.items()}


def total(figures: dict[str, float]) -> dict[str, float]:
    """The sums of figures over all processes, the same in each."""
    if not _are_several():
        return figures
    sums = torch.tensor(list(figures.values()), dtype=torch.float64)
    dist.all_reduce(sums)
    return dict(zip(figures, sums.tolist(), strict=True))


def least(number: int) -> int:
    """The smallest of the numbers of all processes."""
    if not _are_several():
        return number
    smallest = torch.tensor(number)
    dist.all_reduce(smallest, dist.ReduceOp.MIN)
    return int(smallest)


def agreed(value: _Value) -> _Value:
    """The value of the first process, in all of them."""
    if not _are_several():
        return value
    values = [value]
    dist.broadcast_object_list(values, src=0)
    return values[0]


def gathered(state: Any) -> list[bytes]:
    """What `torch.save` makes of the state of each process.

    The first process is given those of all in their order, the others none.
    """
    file = io.BytesIO()
    torch.save(state, file)
    if not _are_several():
        return [file.getvalue()]
    states: list[Any] | None = [None] * processes() if is_first() else None
    dist.gather_object(file.getvalue(), states, dst=0)
    return states or []


def _are_several() -> bool:
    return dist.is_available() and dist.is_initialized()


def _place_in_machine() -> int:
    """The number of this process among those on the same machine."""
    return int(os.environ["LOCAL_RANK"])
