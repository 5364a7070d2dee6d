"""The engine on a GPU.

Without a GPU every game's kernels are compiled to the assembly of GPUs, and run in
Numba's simulator on a few tables; with one they are run on many.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cuda_tables import (
    assert_same_array,
    assert_same_batch,
    on_host,
    play_side_by_side,
)
from whist_tables import whist_game

import whist_env
from whist_env import CudaTables, IllegalAction, Tables
from whist_env.engine import cuda as engine
from whist_env.engine.compile import source_digest
from whist_env.engine.rules import Rules
from whist_env.envs import cuda_vector
from whist_env.games import GAMES, forms_of

HAS_EXTRA = importlib.util.find_spec("numba_cuda") is not None
needs_extra = pytest.mark.skipif(
    not HAS_EXTRA, reason="the extra 'cuda' is not installed"
)


def has_gpu() -> bool:
    if not HAS_EXTRA:
        return False
    from numba import cuda

    return bool(cuda.is_available())


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="there is no GPU, or no extra")

ALL = [(name, form) for name in GAMES for form in forms_of(name)]
# Compiling takes some seconds for each number of players: all of them are asked for.
ASKED = os.environ.get("WHIST_ENV_CUDA_ALL_PLAYERS")
SOME = [(name, form) for name, form in ALL if ASKED or form is forms_of(name)[0]]


def parameters(forms: list[tuple[str, Rules]]) -> list[Any]:
    return [pytest.param(form, id=f"{name}-{form.agents}") for name, form in forms]


# What is asked for and refused --------------------------------------------------------


def test_another_device_is_refused() -> None:
    with pytest.raises(ValueError, match="device='gpu' must be 'cpu' or 'cuda'"):
        whist_env.vector("whist", 4, device="gpu")  # type: ignore[call-overload]


def test_threads_of_the_cpu_are_refused_on_a_gpu() -> None:
    with pytest.raises(ValueError, match="threads are of a CPU"):
        whist_env.vector("whist", 4, device="cuda", threads=2)


def test_the_cpu_is_the_usual_device() -> None:
    assert type(whist_env.vector("whist", 4)) is Tables
    assert type(whist_env.vector("whist", 4, device="cpu")) is Tables


def test_without_the_extra_one_is_told_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'pip install "whist-env\[cuda\]"'):
        whist_env.vector("whist", 4, device="cuda")


@needs_extra
@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_one_is_told_so() -> None:
    with pytest.raises(RuntimeError, match=r"needs an NVIDIA GPU.* use device='cpu'"):
        whist_env.vector("whist", 4, device="cuda")


def test_what_is_wrong_with_the_tables_is_said_before_a_gpu_is_looked_for() -> None:
    with pytest.raises(ValueError, match="num_tables=0"):
        whist_env.vector("whist", 0, device="cuda")
    with pytest.raises(ValueError, match="dtype='int16'"):
        whist_env.vector("whist", 4, device="cuda", dtype="int16")
    with pytest.raises(TypeError, match="no option 'scorin'"):
        whist_env.vector("whist", 4, device="cuda", scorin="short5")


def test_importing_the_package_does_not_import_what_compiles_for_gpus() -> None:
    program = "import sys, whist_env; print('numba.cuda' in sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# Kernels, without a GPU ---------------------------------------------------------------


@pytest.mark.parametrize("form", parameters(ALL))
def test_what_the_threads_of_a_block_share_is_as_much_as_every_gpu_has(
    form: Rules,
) -> None:
    sizes = engine._sizes(cuda_vector.bound_names(form))
    observed = sizes["OBSERVATION_SHARED"] + sizes["ACTIONS_SHARED"]
    assert engine.THREADS * observed <= engine.SHARED
    assert sizes["STATE_THREADS"] * sizes["STATE_SHARED"] <= engine.SHARED
    assert sizes["STATE_SHARED"] >= form.state_features.size


def signatures() -> dict[str, tuple[Any, ...]]:
    """The types with which `CudaTables` launches each kernel."""
    from numba import types

    memory, whole, row = types.uint8[::1], types.int64[::1], types.int8[:, ::1]
    rewards, done = types.float32[:, ::1], types.boolean[::1]
    seen = (types.boolean, whole, row, row)
    return {
        "start_each": (memory,),
        "find_illegal": (memory, whole, whole),
        "step_each": (memory, memory, whole, rewards, done, *seen),
        "see_each": (memory, *seen),
        "state_each": (memory, row),
        "sample_each": (memory, whole),
    }


@needs_extra
@pytest.mark.parametrize("form", parameters(SOME))
def test_every_kernel_compiles_to_the_assembly_of_gpus(
    form: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba.cuda.dispatcher
    from numba import cuda

    if cuda.config.ENABLE_CUDASIM:
        pytest.skip("Numba simulates a GPU and compiles nothing")
    capability = (8, 0)
    # What a kernel calls is compiled for the GPU at hand. Here is none.
    device = SimpleNamespace(compute_capability=capability)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)
    kernels = cuda_vector.compiled_kernels.__wrapped__(form)
    for name, signature in signatures().items():
        kernel = getattr(kernels, name).py_func
        assembly, _ = cuda.compile_ptx(kernel, signature, cc=capability)
        assert ".target sm_80" in assembly
        assert re.search(rf"\.entry \w*{name}_{form.name}", assembly)
        # Nothing is left to be found that a GPU does not have.
        assert ".extern" not in assembly


@needs_extra
def test_the_cached_name_of_every_kernel_ends_in_the_digest_of_the_rules() -> None:
    kernels = cuda_vector.compiled_kernels(whist_game().rules)
    for name in signatures():
        expected = f"{name}_whist_4_{source_digest('whist')}"
        assert getattr(kernels, name).py_func.__qualname__ == expected


def test_kernels_are_launched_with_the_types_that_were_compiled() -> None:
    assert set(signatures()) == {kernel.__name__ for kernel in engine._KERNELS}


@needs_extra
def test_kernels_play_every_game_as_loops_do_in_the_simulator_of_a_gpu() -> None:
    tests = Path(__file__).parent
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *words, str(tests / "simulated_cuda.py")],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"},
        cwd=tests.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


# On a GPU -----------------------------------------------------------------------------


@needs_gpu
@pytest.mark.parametrize("form", parameters(SOME))
def test_thousands_of_steps_on_a_gpu_are_those_of_the_cpu_bit_for_bit(
    form: Rules,
) -> None:
    several = len(forms_of(form.name)) > 1
    options = {"players": form.agents} if several else {}
    game = whist_env.game(form.name, **options)
    assert play_side_by_side(game, size=1000, steps=300, dtype="int8") > 1000
    play_side_by_side(game, size=33, steps=100, dtype="float32")


@needs_gpu
def test_torch_takes_what_is_observed_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this torch has no GPU")
    tables = whist_env.vector("whist", 100, seed=1, device="cuda", dtype="int8")
    batch = tables.reset()
    observation = torch.as_tensor(batch.observation, device="cuda")
    mask = torch.as_tensor(batch.action_mask, device="cuda")
    assert observation.data_ptr() == batch.observation.device_ctypes_pointer.value
    assert (observation.dtype, mask.dtype) == (torch.int8, torch.int8)
    expected = Tables(whist_game(), 100, seed=1, dtype="int8")
    other = expected.reset()
    for _ in range(60):
        assert (observation.cpu().numpy() == other.observation).all()
        # The first legal action, chosen on the GPU.
        actions = mask.argmax(1)
        other = expected.step(actions.cpu().numpy())
        tables.step(actions)
    assert_same_batch(batch, other)


@needs_gpu
def test_a_step_writes_into_tensors_of_your_own() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this torch has no GPU")
    tables = whist_env.vector("whist", 100, seed=1, device="cuda", dtype="int8")
    tables.reset()
    size = tables.game.features.size
    stored = torch.zeros((7, 100, size), dtype=torch.int8, device="cuda")
    own = dataclasses.replace(tables.new_batch(), observation=stored[3])
    assert tables.step(tables.sample_actions(), out=own) is own
    expected = tables.look()
    assert (stored[3].cpu().numpy() == on_host(expected.observation)).all()
    assert stored[[0, 1, 2, 4, 5, 6]].count_nonzero() == 0
    assert_same_array(own.action_mask, expected.action_mask)


@needs_gpu
def test_an_illegal_action_on_a_gpu_is_named_and_changes_no_table() -> None:
    tables = CudaTables(whist_game(), 100, seed=1)
    tables.reset()
    actions = tables.sample_actions().copy_to_host()
    before = tables.to_bytes()
    wrong = actions.copy()
    wrong[[40, 70]] = 99
    with pytest.raises(IllegalAction, match=r"table 40: .*99"):
        tables.step(wrong)
    assert tables.to_bytes() == before
    tables.step(actions)
    assert tables.to_bytes() != before
