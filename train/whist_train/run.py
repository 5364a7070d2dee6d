"""A training run: its folder, its checkpoints, and going on after a stop.

A run folder holds::

    config.json          the settings of the run
    environment.json     versions of everything that computes
    metrics.jsonl        a line for each iteration; now and then with the strength
    curve.svg            the strength by deals
    events.out.*         the metrics for TensorBoard, if asked for
    checkpoints/iteration_00000024/
        model.safetensors    the policy, as `whist_agents` loads it
        learner.pt           everything else that training goes on from
        state.json           how far the run is
    latest               the name of the newest checkpoint
    best                 the name of the strongest one of those that were judged

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
from whist_train.distill import load_networks
from whist_train.ppo import PPO, PPOConfig
from whist_train.recipe import USUAL, read_recipe
from whist_train.strength import draw_curve, judge, training_game

KEPT_CHECKPOINTS: Final = 3
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
        players: the number of players, in games for several numbers.
        recipe: a budget and settings of the algorithm: quick, hour, flagship, or the
            path of a TOML file of your own. What is given besides comes before it.
        out: the run folder; runs/GAME if it is not given.
        start: a file of networks to start from, as 'whist distill' writes it.
        minutes: how long to train in all, stops and judging not counted; what the
            recipe says if neither this nor a number of deals is given.
        deals: how many deals to play in all instead.
        seed: the seed of everything.
        device: where the networks compute; ``auto`` takes a GPU if there is one.
        precision: of the products of matrices; ``auto`` takes the faster one here.
        checkpoint_minutes: the time between checkpoints.
        judge_minutes: the time between judgements of the strength against hoyle; 0
            leaves them out.
        judge_pairs: the pairs of deals in a judgement.
        track: also write the metrics for TensorBoard.
        resume: go on with the run in the folder, by its own settings; only a new budget
            (minutes or deals) may be given with it.
        ppo: settings of the algorithm.
    """

    game: Positional[str] = "whist"
    players: int | None = None
    recipe: str = USUAL
    out: Path | None = None
    start: Path | None = None
    minutes: float | None = None
    deals: int | None = None
    seed: int = 0
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    checkpoint_minutes: float = 1.0
    judge_minutes: float = 2.0
    judge_pairs: int = 2000
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
        for name in ("checkpoint_minutes", "judge_minutes"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)!r} must not be negative")
        if self.judge_pairs < 2:
            raise ValueError(f"judge_pairs={self.judge_pairs!r} must be at least 2")

    @classmethod
    def usual(cls, recipe: str) -> Self:
        """The settings that a recipe stands for.

        Raises:
            ValueError: there is no such recipe, or it cannot be read.
        """
        return cls(recipe=recipe, ppo=read_recipe(recipe).ppo)

    @property
    def folder(self) -> Path:
        """The run folder."""
        return Path("runs") / self.game if self.out is None else self.out

    def settled(self) -> Self:
        """The same with all that is left open decided: budget, device, scale and so on.

        Raises:
            TypeError: the game is not one for several numbers of players.
            ValueError: there is no such game, device or recipe.
        """
        game = training_game(self.game, self.players)
        device = self.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        check_device(device)
        precision = self.precision
        if precision == "auto":
            precision = faster_precision(device)
        minutes = self.minutes
        if minutes is None and self.deals is None:
            minutes = read_recipe(self.recipe).minutes
        return dataclasses.replace(
            self,
            out=self.folder,
            device=device,
            precision=precision,
            minutes=minutes,
            ppo=self.ppo.settled_for(game),
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
        self.folder = config.folder
        self._saved_at = progress.seconds
        self._judged_at = progress.seconds

    @classmethod
    def create(cls, config: TrainConfig) -> Self:
        """A new run in a new folder."""
        folder = config.folder
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is a file; name a folder for the run")
        if (folder / "latest").exists():
            raise FileExistsError(
                f"{folder} holds a run already; add --resume to go on with it, or "
                "choose another folder with --out"
            )
        config = config.settled()
        learner = _learner(config)
        if config.start is not None:
            learner.start_from(load_networks(config.start))
        # Without `latest` there is no run yet: what an early stop left is replaced.
        shutil.rmtree(folder / "checkpoints", ignore_errors=True)
        (folder / "checkpoints").mkdir(parents=True)
        for left in ("metrics.jsonl", "best", "curve.svg"):
            (folder / left).unlink(missing_ok=True)
        _write_json(folder / "environment.json", _environment())
        _write_json(folder / "config.json", _as_json(config))
        run = cls(config, learner, Progress())
        run.save()
        return run

    @classmethod
    def open(cls, config: TrainConfig) -> Self:
        """The run in a folder, as its newest checkpoint left it."""
        folder = config.folder
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
        if not _named_by(folder / "best").is_dir():
            (folder / "best").unlink(missing_ok=True)
        _write_json(folder / "config.json", _as_json(settings))
        return cls(settings, learner, progress)

    def iterations(self) -> Iterator[dict[str, float]]:
        """Train until the budget is spent; yields the figures of each iteration."""
        while (part := self.progress.part(self.config)) < 1:
            begun = time.perf_counter()
            try:
                figures = self._iterate(part)
            except FloatingPointError as error:
                raise FloatingPointError(f"{error}; {self._good_ones()}") from error
            seconds = time.perf_counter() - begun
            self.progress.iterations += 1
            self.progress.deals += int(figures["deals"])
            self.progress.seconds += seconds
            figures["deals_per_second"] = figures["deals"] / seconds
            found = self._judgement()
            yield figures | found
            self._save_if_due(judged=bool(found))

    def _good_ones(self) -> str:
        """Where to find the last good checkpoint, and the strongest, in words."""
        words = f"the last good checkpoint is {_named_by(self.folder / 'latest')}"
        best = _named_by(self.folder / "best")
        return f"{words}, the strongest one {best}" if best.is_dir() else words

    def _iterate(self, part: float) -> dict[str, float]:
        imitation = self.learner.config.imitation
        assert imitation is not None
        if self.progress.iterations < imitation:
            return self.learner.imitate()
        return self.learner.iterate(part)

    def _save_if_due(self, *, judged: bool) -> None:
        """Write a checkpoint now and then, and of what was judged; keep the best."""
        since = self.progress.seconds - self._saved_at
        if judged or since > 60 * self.config.checkpoint_minutes:
            checkpoint = self.save()
        if judged and self._is_the_best():
            _write_text(self.folder / "best", f"checkpoints/{checkpoint.name}")

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
        best = _named_by(self.folder / "best")
        for old in sorted(checkpoints.glob("iteration_*"))[:-KEPT_CHECKPOINTS]:
            if old != best:
                shutil.rmtree(old)
        self._saved_at = self.progress.seconds
        return checkpoint

    def _judgement(self) -> dict[str, float]:
        """The strength against the rule-of-thumb player, when it is due."""
        every = 60 * self.config.judge_minutes
        done = self.progress.part(self.config) >= 1
        if not every or not (done or self.progress.seconds - self._judged_at > every):
            return {}
        self._judged_at = self.progress.seconds
        learner = self.learner
        found = judge(learner.game, learner.policy, self.config.judge_pairs)
        return {"strength": found.mean, "strength_error": found.standard_error}

    def _is_the_best(self) -> bool:
        """Whether nothing judged before was stronger than the last."""
        lines = (self.folder / "metrics.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        strengths = [row["strength"] for row in rows if "strength" in row]
        return bool(strengths[-1] == max(strengths))

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
        self._path = run.folder / "metrics.jsonl"
        self._lines = self._path.open("a")
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
        if "strength" in figures:
            title = f"{self._run.config.game}: strength against hoyle, a deal"
            draw_curve(self._path, self._run.folder / "curve.svg", title)
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
    return PPO(
        training_game(config.game, config.players),
        config.ppo,
        seed=config.seed,
        device=config.device,
        precision=config.precision,
    )


def _as_json(config: TrainConfig) -> dict[str, Any]:
    start = None if config.start is None else str(config.start)
    return {**dataclasses.asdict(config), "out": str(config.folder), "start": start}


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
        if values.get("start") is not None:
            settings["start"] = Path(values["start"])
        return TrainConfig(**settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} holds no settings of a run: {error}") from error


def _refuse_other_settings(given: TrainConfig, stored: TrainConfig) -> None:
    """A resumed run keeps its settings; only the budget may be another."""
    usual = dataclasses.replace(TrainConfig.usual(given.recipe), recipe=USUAL)
    usual, given = _as_decided(usual, stored), _as_decided(given, stored)
    for field in dataclasses.fields(TrainConfig):
        if field.name in ("out", "resume", "minutes", "deals"):
            continue
        value, kept = getattr(given, field.name), getattr(stored, field.name)
        if value != kept and value != getattr(usual, field.name):
            raise ValueError(
                f"{field.name}={value!r} is not the setting of the run in {stored.out} "
                f"({kept!r}), which is kept; leave it out, or start another run"
            )


def _as_decided(given: TrainConfig, stored: TrainConfig) -> TrainConfig:
    """Settings with what they leave open as it was decided when the run began."""
    left_open: dict[str, Any] = {
        field.name: getattr(stored.ppo, field.name)
        for field in dataclasses.fields(PPOConfig)
        if getattr(given.ppo, field.name) is None
    }
    return dataclasses.replace(given, ppo=dataclasses.replace(given.ppo, **left_open))


def _named_by(pointer: Path) -> Path:
    """The checkpoint that a file such as ``latest`` names; none where it is missing."""
    return pointer.parent / (pointer.read_text().strip() if pointer.is_file() else "-")


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
