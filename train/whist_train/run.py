"""A training run: its folder, its checkpoints, and going on after a stop.

A run folder holds::

    config.json          the settings of the run
    environment.json     versions of everything that computes
    metrics.jsonl        a line for each iteration
    events.out.*         the same for TensorBoard, if asked for
    checkpoints/deals_000012288/
        model.safetensors    the policy, as `whist_agents` loads it
        learner.pt           everything else that training goes on from
        state.json           how far the run is
    latest               the name of the newest checkpoint

Files are written under another name and renamed when they are complete, so a run may be
killed at any moment. A resumed run goes on from its newest checkpoint; with a budget in
deals it ends with the very numbers of a run that was never stopped.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pickle
import platform
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, Self

import numba
import numpy as np
import torch
from tyro.conf import Positional

import whist_env
from whist_agents.net import save_policy
from whist_train.ppo import PPO, PPOConfig

KEPT_CHECKPOINTS: Final = 3
DEFAULT_MINUTES: Final = 10.0
_DAMAGE: Final = (
    *(OSError, RuntimeError, ValueError, KeyError, TypeError, EOFError),
    pickle.UnpicklingError,
)
"""What reading a damaged checkpoint may raise."""


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Settings of a training run.

    Attributes:
        game: the game to train for.
        out: the run folder.
        minutes: how long to train in all, stops not counted; 10 if neither this nor a
            number of deals is given.
        deals: how many deals to play in all instead.
        seed: the seed of everything.
        device: where the networks compute; ``auto`` takes a GPU if there is one.
        precision: of the products of matrices; ``auto`` takes the faster one here.
        checkpoint_minutes: the time between checkpoints.
        track: also write the metrics for TensorBoard.
        resume: go on with the run in the folder, by its own settings; only a new budget
            (minutes or deals) may be given with it.
        ppo: settings of the algorithm.
    """

    game: Positional[str] = "whist"
    out: Path = Path("runs/whist")
    minutes: float | None = None
    deals: int | None = None
    seed: int = 0
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    checkpoint_minutes: float = 1.0
    track: bool = False
    resume: bool = False
    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)

    def __post_init__(self) -> None:
        if self.minutes is not None and self.deals is not None:
            raise ValueError("give minutes or deals, not both")
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes!r} must be more than 0")
        if self.deals is not None and self.deals < 1:
            raise ValueError(f"deals={self.deals!r} must be at least 1")
        if not 0 <= self.checkpoint_minutes < math.inf:
            raise ValueError(
                f"checkpoint_minutes={self.checkpoint_minutes!r} must not be negative"
            )

    def settled(self) -> Self:
        """The same with all that is left open decided: budget, device, precision.

        Raises:
            ValueError: this machine has no such device.
        """
        device = self.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        check_device(device)
        precision = self.precision
        if precision == "auto":
            precision = faster_precision(device)
        minutes = self.minutes
        if minutes is None and self.deals is None:
            minutes = DEFAULT_MINUTES
        return dataclasses.replace(
            self, device=device, precision=precision, minutes=minutes
        )


@dataclasses.dataclass
class Progress:
    """How far a run is.

    Attributes:
        iterations: iterations made.
        deals: deals played to the end.
        seconds: time spent in training.
    """

    iterations: int = 0
    deals: int = 0
    seconds: float = 0.0

    def part(self, config: TrainConfig) -> float:
        """The part of the budget that is spent, 0 to 1."""
        if config.deals is not None:
            return min(1.0, self.deals / config.deals)
        assert config.minutes is not None
        return min(1.0, self.seconds / (60 * config.minutes))


Watcher = Callable[[Progress, float, dict[str, float]], None]
"""Is told how far a run is, what part of its budget is spent, and the figures."""


def train(config: TrainConfig, watch: Watcher | None = None) -> Path:
    """Train, or go on training, until the budget is spent.

    Args:
        config: the settings.
        watch: called after each iteration, for a progress bar.

    Returns:
        The folder of the last checkpoint.

    Raises:
        FileExistsError: the folder holds a run and it is not to be resumed.
        FileNotFoundError: there is no run to resume.
        FloatingPointError: training has diverged; the message names the last good
            checkpoint.
        ValueError: a setting is wrong, other than that of the run to resume, or the
            checkpoint is damaged.
    """
    run = Run.open(config) if config.resume else Run.create(config)
    with run.metrics() as write:
        for figures in run.iterations():
            write(figures)
            if watch is not None:
                watch(run.progress, run.progress.part(run.config), figures)
    return run.save()


class Run:
    """A run in progress: its settings, its learner and how far it is."""

    def __init__(self, config: TrainConfig, learner: PPO, progress: Progress) -> None:
        self.config = config
        self.learner = learner
        self.progress = progress
        self.folder = config.out
        self._saved_at = progress.seconds

    @classmethod
    def create(cls, config: TrainConfig) -> Self:
        """A new run in a new folder."""
        if config.out.exists() and not config.out.is_dir():
            raise ValueError(f"{config.out} is a file; name a folder for the run")
        if (config.out / "latest").exists():
            raise FileExistsError(
                f"{config.out} holds a run already; add --resume to go on with it, or "
                "choose another folder with --out"
            )
        config = config.settled()
        learner = _learner(config)
        # Without `latest` there is no run yet: what an early stop left is replaced.
        shutil.rmtree(config.out / "checkpoints", ignore_errors=True)
        (config.out / "checkpoints").mkdir(parents=True)
        (config.out / "metrics.jsonl").unlink(missing_ok=True)
        _write_json(config.out / "environment.json", _environment())
        _write_json(config.out / "config.json", _as_json(config))
        run = cls(config, learner, Progress())
        run.save()
        return run

    @classmethod
    def open(cls, config: TrainConfig) -> Self:
        """The run in a folder, as its newest checkpoint left it."""
        folder = config.out
        if not (folder / "latest").is_file():
            raise FileNotFoundError(
                f"there is no run to resume in {folder}; leave out --resume to start "
                "one there"
            )
        settings = _stored_settings(folder)
        _refuse_other_settings(config, settings)
        if config.minutes is not None or config.deals is not None:
            settings = dataclasses.replace(
                settings, minutes=config.minutes, deals=config.deals
            )
        check_device(settings.device)
        checkpoint = folder / (folder / "latest").read_text().strip()
        learner = _learner(settings)
        try:
            state = torch.load(
                checkpoint / "learner.pt",
                map_location=settings.device,
                weights_only=True,
            )
            learner.load_state_dict(state)
            progress = Progress(**json.loads((checkpoint / "state.json").read_text()))
        except _DAMAGE as error:
            raise ValueError(
                f"the checkpoint {checkpoint} is damaged ({error}); write the name of "
                f"an older one into {folder / 'latest'}"
            ) from error
        # What a run did after the checkpoint that it goes on from never happened.
        _forget_after(folder / "metrics.jsonl", progress.iterations)
        for later in (folder / "checkpoints").glob("iteration_*"):
            if later.name > checkpoint.name:
                shutil.rmtree(later)
        _write_json(folder / "config.json", _as_json(settings))
        return cls(settings, learner, progress)

    def iterations(self) -> Iterator[dict[str, float]]:
        """Train until the budget is spent; yields the figures of each iteration."""
        while (part := self.progress.part(self.config)) < 1:
            begun = time.perf_counter()
            try:
                figures = self.learner.iterate(part)
            except FloatingPointError as error:
                raise FloatingPointError(
                    f"{error}; the last good checkpoint is "
                    f"{(self.folder / 'latest').read_text().strip()} in {self.folder}"
                ) from error
            seconds = time.perf_counter() - begun
            self.progress.iterations += 1
            self.progress.deals += int(figures["deals"])
            self.progress.seconds += seconds
            yield {**figures, "deals_per_second": figures["deals"] / seconds}
            if self.progress.seconds - self._saved_at > (
                60 * self.config.checkpoint_minutes
            ):
                self.save()

    def save(self) -> Path:
        """Write a checkpoint and make it the latest; returns its folder."""
        checkpoints = self.folder / "checkpoints"
        checkpoint = checkpoints / f"iteration_{self.progress.iterations:08d}"
        if not checkpoint.exists():
            unfinished = checkpoints / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            self._write_checkpoint(unfinished)
            unfinished.rename(checkpoint)
        _write_text(self.folder / "latest", f"checkpoints/{checkpoint.name}")
        for old in sorted(checkpoints.glob("iteration_*"))[:-KEPT_CHECKPOINTS]:
            shutil.rmtree(old)
        self._saved_at = self.progress.seconds
        return checkpoint

    def _write_checkpoint(self, folder: Path) -> None:
        learner = self.learner
        progress = dataclasses.asdict(self.progress)
        notes = {"algorithm": "ppo", "seed": self.config.seed, **progress}
        save_policy(folder / "model.safetensors", learner.game, learner.policy, notes)
        torch.save(learner.state_dict(), folder / "learner.pt")
        _write_json(folder / "state.json", progress)
        _flush(folder)

    def metrics(self) -> _Metrics:
        """Where the figures go: a context that gives a function to write them."""
        return _Metrics(self)


class _Metrics:
    """Appends the figures of each iteration to the files of the run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lines = (run.folder / "metrics.jsonl").open("a")
        self._board = _board(run.folder) if run.config.track else None

    def __enter__(self) -> Callable[[dict[str, float]], None]:
        return self._write

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        if self._board is not None:
            self._board.close()

    def _write(self, figures: dict[str, float]) -> None:
        row = {**dataclasses.asdict(self._run.progress), **figures}
        row["deals"] = self._run.progress.deals
        self._lines.write(json.dumps(row) + "\n")
        self._lines.flush()
        if self._board is not None:
            for name, value in figures.items():
                group = "losses" if "loss" in name else "charts"
                self._board.add_scalar(
                    f"{group}/{name}", value, self._run.progress.deals
                )


def faster_precision(device: str) -> Literal["float32", "bfloat16"]:
    """The precision in which products of matrices are faster on a device."""
    times = {}
    for precision in ("float32", "bfloat16"):
        left = torch.ones(4096, 512, device=device, dtype=getattr(torch, precision))
        right = torch.ones(512, 256, device=device, dtype=left.dtype)
        best = float("inf")
        for _ in range(5):
            begun = time.perf_counter()
            # Reading one number waits until a GPU has finished.
            (left @ right)[0, 0].item()
            best = min(best, time.perf_counter() - begun)
        times[precision] = best
    return "bfloat16" if times["bfloat16"] < 0.8 * times["float32"] else "float32"


def _learner(config: TrainConfig) -> PPO:
    # Tricks are the dense zero-sum reward that adds up to what the deal is worth.
    made_for = whist_env.game(config.game, reward="tricks")
    return PPO(
        made_for,
        config.ppo,
        seed=config.seed,
        device=config.device,
        precision=config.precision,
    )


def _as_json(config: TrainConfig) -> dict[str, Any]:
    return {**dataclasses.asdict(config), "out": str(config.out)}


def _stored_settings(folder: Path) -> TrainConfig:
    """The settings that a run was started with."""
    path = folder / "config.json"
    try:
        values = json.loads(path.read_text())
        ppo: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values["ppo"].items()
        }
        settings = {**values, "out": folder, "resume": True, "ppo": PPOConfig(**ppo)}
        return TrainConfig(**settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} holds no settings of a run: {error}") from error


def _refuse_other_settings(given: TrainConfig, stored: TrainConfig) -> None:
    """A resumed run keeps its settings; only the budget may be another."""
    for field in dataclasses.fields(TrainConfig):
        if field.name in ("out", "resume", "minutes", "deals"):
            continue
        value, kept = getattr(given, field.name), getattr(stored, field.name)
        if value != kept and value != getattr(TrainConfig(), field.name):
            raise ValueError(
                f"{field.name}={value!r} is not the setting of the run in {stored.out} "
                f"({kept!r}), which is kept; leave it out, or start another run"
            )


def check_device(device: str) -> None:
    """Make sure that networks can compute on a device.

    Raises:
        ValueError: there is no such device here.
    """
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(
            f"device={device!r} cannot be used here ({str(error).splitlines()[0]}); "
            "take 'auto' or 'cpu'"
        ) from None


def _environment() -> dict[str, Any]:
    return {
        "whist_env": whist_env.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "torch": torch.__version__,
        "platform": platform.platform(),
        "threads": torch.get_num_threads(),
    }


def _forget_after(metrics: Path, iterations: int) -> None:
    """Keep the lines of the first iterations; a half-written line goes as well."""
    if not metrics.exists():
        return
    kept = []
    for line in metrics.read_text().splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            break
        if row["iterations"] > iterations:
            break
        kept.append(line + "\n")
    _write_text(metrics, "".join(kept))


def _board(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ImportError(
            "tracking for TensorBoard needs the extra 'track': "
            "pip install 'whist-env[track]'"
        ) from None
    return SummaryWriter(str(folder))


def _write_json(path: Path, values: Any) -> None:
    _write_text(path, json.dumps(values, indent=2) + "\n")


def _write_text(path: Path, text: str) -> None:
    """Write a file so that it is there whole or as it was."""
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _flush(folder: Path) -> None:
    """Make sure that the files of a folder are on the disk before it is renamed."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
