"""Many tables of a game on a GPU, stepped together."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import warnings
from types import SimpleNamespace
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from whist_env.engine.cuda import kernels
from whist_env.engine.record import save
from whist_env.engine.rules import Rules
from whist_env.envs.game import Game, IllegalAction, bound_names, form_name
from whist_env.envs.table import Table, observation_dtype, restart_stream
from whist_env.envs.vector import (
    Batch,
    check_index,
    check_number,
    saved_tables,
    table_seeds,
    whole_numbers,
    zero_batch,
)


@functools.cache
def compiled_kernels(rules: Rules) -> SimpleNamespace:
    """The kernels of a game; see `whist_env.engine.cuda.kernels`."""
    return kernels(rules.name, form_name(rules), bound_names(rules))


class CudaTables:
    """A vector environment on an NVIDIA GPU: `Tables` whose memory is the GPU's.

    The rules are those of the CPU, and so is every result, bit for bit: the same seed
    and the same actions make the same records, observations, masks and rewards.

    What a step gives lies on the GPU, in arrays of Numba. Torch takes such an array
    without a copy: ``torch.as_tensor(batch.observation, device="cuda")``. Actions may
    be a tensor on the GPU. All work is queued on the default stream, in order, as torch
    queues its own unless told otherwise.

    Attributes:
        game: the game.
        num_tables: how many tables there are.
        records: the records of all tables, ``(num_tables,)``, on the GPU.
        finished: for each table the record of its last finished episode, as it stood
            at the end, ``(num_tables,)``; all zero before the first. On the GPU.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        seed: SupportsIndex | npt.NDArray[np.uint64] | None = None,
        *,
        dtype: npt.DTypeLike = np.float32,
        observations: bool = True,
    ) -> None:
        """Tables, not dealt yet: call `reset` first.

        Args:
            game: the game with its options.
            num_tables: how many tables.
            seed: a seed for all, or an array of one uint64 seed for each table.
            dtype: the type of observations, float32 or int8; the values are the same.
            observations: False to leave observations out (agents that need none).

        Raises:
            ValueError: a number or a type that cannot be.
            ImportError: the extra ``cuda`` is not installed.
            RuntimeError: there is no GPU.
        """
        check_number("num_tables", num_tables)
        self._dtype = observation_dtype(dtype)
        self._observed = observations
        self._cuda = numba_cuda()
        self.game = game
        self.num_tables = num_tables
        self.records: Any = self._cuda.to_device(game.new_records(num_tables))
        self.finished: Any = self._cuda.to_device(
            np.zeros(num_tables, game.rules.record)
        )
        self._memory = self.records.view(np.uint8)
        self._finished_memory = self.finished.view(np.uint8)
        # The first table whose action is illegal; this number where there is none.
        self._illegal = self._cuda.to_device(np.array([num_tables], np.int64))
        self._kernels = compiled_kernels(game.rules)
        self._configure()
        self._batch = self.new_batch()
        self._dealt = False
        self._restart(seed)

    def new_batch(self) -> Batch:
        """Buffers on the GPU for one step, of your own."""
        batch = zero_batch(self.game, self.num_tables, self._dtype, self._observed)
        arrays = [getattr(batch, field.name) for field in dataclasses.fields(Batch)]
        return Batch(*map(self._cuda.to_device, arrays))

    def reset(
        self,
        seed: SupportsIndex | npt.NDArray[np.uint64] | None = None,
        out: Batch | None = None,
    ) -> Batch:
        """Begin an episode at every table.

        Args:
            seed: begin the random streams anew; ``None`` goes on with fresh deals.
            out: the batch to write into, by default one that is used at every step.
        """
        if seed is not None:
            self._restart(seed)
        self._launch("start_each", self._memory)
        self._dealt = True
        return self.look(out)

    def look(self, out: Batch | None = None) -> Batch:
        """The tables as they stand, with no rewards: after a change of `records`."""
        self._check_dealt()
        batch = self._checked(out)
        arrays: tuple[Any, ...] = (batch.rewards, batch.done)
        for array in arrays:
            array.copy_to_device(np.zeros(array.shape, array.dtype))
        self._launch(
            "see_each",
            self._memory,
            self._observed,
            batch.agent,
            batch.observation,
            batch.action_mask,
        )
        return out or batch

    def step(self, actions: Any, out: Batch | None = None) -> Batch:
        """Carry out one action at every table.

        Args:
            actions: whole numbers, ``(num_tables,)``: an int64 array or tensor on the
                GPU, or what NumPy takes for an array.
            out: the batch to write into, by default one that is used at every step.
                Its parts may be tensors on the GPU.

        Raises:
            IllegalAction: an action is illegal; no table is changed.
            ValueError: the actions are not one whole number for each table.
            RuntimeError: `reset` was never called.
        """
        self._check_dealt()
        batch = self._checked(out)
        chosen = self._whole_numbers(actions)
        self._refuse_illegal(chosen)
        self._launch(
            "step_each",
            self._memory,
            self._finished_memory,
            chosen,
            batch.rewards,
            batch.done,
            self._observed,
            batch.agent,
            batch.observation,
            batch.action_mask,
        )
        return out or batch

    def sample_actions(self, out: Any = None) -> Any:
        """A uniformly random legal action for each table, ``(num_tables,)`` int64.

        It comes from the table's own stream: the same position at the same table
        always gives the same action.

        Args:
            out: an array or tensor on the GPU to write into.
        """
        self._check_dealt()
        if out is None:
            out = self._cuda.device_array(self.num_tables, np.int64)
        actions = self._on_device("out", out, (self.num_tables,), np.int64)
        self._launch("sample_each", self._memory, actions)
        return out

    def state(self, out: Any = None) -> Any:
        """Everything about each table as seen from its agent to act.

        Args:
            out: an array or tensor on the GPU, of the observations' type and of shape
                ``(num_tables, state_features.size)``, to write into.
        """
        self._check_dealt()
        shape = (self.num_tables, self.game.state_features.size)
        if out is None:
            out = self._cuda.device_array(shape, self._dtype)
        states = self._on_device("out", out, shape, self._dtype)
        self._launch("state_each", self._memory, states)
        return out

    def table(self, index: int) -> Table:
        """A native table equal to one of these, on the CPU, sharing nothing with it.

        Raises:
            IndexError: there is no such table.
        """
        check_index(index, self.num_tables)
        record = self.records[index : index + 1].copy_to_host()
        return Table(self.game, record.view(np.uint8))

    def to_bytes(self) -> bytes:
        """All tables as they stand; `restore` takes them back, as `Tables` does."""
        return save(self.records.copy_to_host())

    def restore(self, data: bytes) -> None:
        """Put all tables back as `to_bytes` saved them, here or on a CPU.

        Raises:
            ValueError: the bytes are not this number of tables of this game.
        """
        self.records.copy_to_device(saved_tables(self.game, self.num_tables, data))
        self._dealt = True

    def _restart(self, seed: SupportsIndex | npt.NDArray[np.uint64] | None) -> None:
        records = self.records.copy_to_host()
        restart_stream(records, table_seeds(seed, self.num_tables))
        self.records.copy_to_device(records)

    def _configure(self) -> None:
        """Let Numba say once, to nobody, that so few tables are a waste of a GPU."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Grid size")
            for kernel in self._kernels.threads:
                self._configured(kernel)

    def _configured(self, kernel: str) -> Any:
        """A kernel for this number of tables; Numba keeps what it has configured."""
        threads = self._kernels.threads[kernel]
        return getattr(self._kernels, kernel)[-(-self.num_tables // threads), threads]

    def _launch(self, kernel: str, *arguments: Any) -> None:
        self._configured(kernel)(*arguments)

    def _check_dealt(self) -> None:
        if not self._dealt:
            raise RuntimeError("nothing has been dealt yet: call reset() first")

    def _refuse_illegal(self, actions: Any) -> None:
        self._launch("find_illegal", self._memory, actions, self._illegal)
        index = int(self._illegal.copy_to_host()[0])
        if index < self.num_tables:
            self._illegal.copy_to_device(np.array([self.num_tables], np.int64))
            try:
                self.table(index).apply(int(actions.copy_to_host()[index]))
            except IllegalAction as error:
                raise IllegalAction(f"table {index}: {error}") from None

    def _whole_numbers(self, actions: Any) -> Any:
        if _is_on_device(actions):
            return self._on_device("actions", actions, (self.num_tables,), np.int64)
        return self._cuda.to_device(whole_numbers(actions, self.num_tables))

    def _checked(self, out: Batch | None) -> Batch:
        """The arrays of a batch to write into."""
        if out is None:
            return self._batch
        arrays = []
        for field in dataclasses.fields(Batch):
            mine, theirs = getattr(self._batch, field.name), getattr(out, field.name)
            name = f"out.{field.name}"
            arrays.append(self._on_device(name, theirs, mine.shape, mine.dtype))
        return Batch(*arrays)

    def _on_device(
        self, name: str, given: Any, shape: tuple[int, ...], dtype: npt.DTypeLike
    ) -> Any:
        """A given array or tensor as an array of Numba that shares its memory.

        Raises:
            TypeError: it is not on the GPU.
            ValueError: it has another type or shape, or gaps.
        """
        if not _is_on_device(given):
            raise TypeError(
                f"{name} must be an array or tensor on the GPU, not "
                f"{type(given).__name__} on the CPU"
            )
        is_of_numba = hasattr(given, "copy_to_host")
        array = given if is_of_numba else self._cuda.as_cuda_array(given)
        fits = (tuple(array.shape), array.dtype) == (tuple(shape), np.dtype(dtype))
        if not fits or not array.is_c_contiguous():
            gaps = "" if array.is_c_contiguous() else " with gaps"
            raise ValueError(
                f"{name} must be {np.dtype(dtype)} of shape {tuple(shape)} without "
                f"gaps, not {array.dtype} of shape {tuple(array.shape)}{gaps}"
            )
        return array


def numba_cuda() -> Any:
    """Numba's part for GPUs.

    Raises:
        ImportError: the extra ``cuda`` is not installed.
        RuntimeError: there is no GPU.
    """
    if importlib.util.find_spec("numba_cuda") is None:
        raise ImportError(
            "device='cuda' needs the extra 'cuda': pip install \"whist-env[cuda]\""
        )
    from numba import cuda

    if not cuda.is_available():
        raise RuntimeError(
            "device='cuda' needs an NVIDIA GPU and its driver, and Numba finds none "
            f"here ({' '.join(str(cuda.cuda_error()).split())}); use device='cpu'"
        )
    return cuda


def _is_on_device(array: Any) -> bool:
    """Whether this is an array of Numba, or a tensor, on the GPU."""
    return hasattr(array, "copy_to_host") or hasattr(array, "__cuda_array_interface__")
