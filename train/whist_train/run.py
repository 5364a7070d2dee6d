"""A training run: its folder, its checkpoints, and going on after a stop.

A run folder holds::

    config.json          the settings of the run
    environment.json     versions of everything that computes
    metrics.jsonl        a line for each iteration; now and then with the strength
    curve.svg            the strength by deals
    equity.json          what the scores are worth, where rubbers are played
    events.out.*         the metrics for TensorBoard, if asked for
    checkpoints/iteration_00000024/
        model.safetensors    the policy, as `whist_agents` loads it
        learner.pt           everything else that training goes on from
        learner_1.pt         the same of the second process, if several train together
        state.json           how far the run is
    latest               the name of the newest checkpoint
    best                 the name of the strongest one of those that were judged

Files are written under another name and renamed when they are complete, so a run may be
killed at any moment. A resumed run goes on from its newest checkpoint; with a budget in
deals it ends with the very numbers of a run that was never stopped.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import pickle
import platform
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Protocol, Self

import numba
import numpy as np
import torch
from torch import Tensor
from tyro.conf import Positional

import whist_env
from whist_agents.net import NetAgent, PolicyNetwork, save_policy
from whist_env import Game
from whist_train import parallel
from whist_train.dmc import DMC, DMCConfig
from whist_train.equity import Equity, rubber_equity
from whist_train.ppo import PPO, PPOConfig
from whist_train.recipe import USUAL, read_recipe, with_tuples
from whist_train.start import (
    Weights,
    hidden_of,
    networks_to_start_from,
    path_of_start,
)
from whist_train.strength import draw_curve, judge, training_game

KEPT_CHECKPOINTS: Final = 3
LARGEST_SEED: Final = 2**62
_DAMAGE: Final = (
    *(OSError, RuntimeError, ValueError, KeyError, TypeError, EOFError),
    pickle.UnpicklingError,
)
"""What reading a damaged checkpoint may raise."""


class Learner(Protocol):
    """An algorithm at work.

    Attributes:
        game: the game with its options.
        policy: the network that plays the action with the largest output.
    """

    game: Game
    policy: PolicyNetwork

    def iterate(self, progress: float) -> dict[str, float]:
        """Play and learn; gives figures, the number of ``deals`` among them."""

    def player(self) -> PolicyNetwork:
        """The policy as one whose outputs are logits of the chances of actions."""

    def start_from(self, weights: Mapping[str, dict[str, Tensor]]) -> None:
        """Take over networks (`whist_train.start`)."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that `load_state_dict` needs to go on exactly."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""


Algorithm = Literal["ppo", "dmc"]
LEARNERS: Final[Mapping[Algorithm, Callable[..., Learner]]] = {"ppo": PPO, "dmc": DMC}
SETTINGS: Final = {"ppo": PPOConfig, "dmc": DMCConfig}
"""The settings of each algorithm, which `TrainConfig` holds by its name."""


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Settings of a training run.

    Attributes:
        game: the game to train for.
        players: the number of players, in games for several numbers.
        algorithm: ppo, proximal policy optimisation; or dmc, deep Monte Carlo.
        recipe: a budget and settings of the algorithm: quick, hour, flagship, or the
            path of a TOML file of your own. What is given besides comes before it.
        out: the run folder; runs/GAME if it is not given.
        start: what to start from: a file of networks, as 'whist distill' writes it, a
            run folder, a checkpoint, or a policy file; or the spec of a network, such
            as net:runs/a, or net for that of the package.
        rubber: play rubbers of Whist with this scoring in place of single deals, for
            the chance to win them; a last stage, for a policy to start from.
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
        ppo: settings of the algorithm ppo.
        dmc: settings of the algorithm dmc.
    """

    game: Positional[str] = "whist"
    players: int | None = None
    algorithm: Algorithm = "ppo"
    recipe: str = USUAL
    out: Path | None = None
    start: Path | None = None
    rubber: Literal["short5", "robber"] | None = None
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
    dmc: DMCConfig = dataclasses.field(default_factory=DMCConfig)

    def __post_init__(self) -> None:
        if self.minutes is not None and self.deals is not None:
            raise ValueError("give minutes or deals, not both")
        check_seed(self.seed)
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes!r} must be more than 0")
        if self.deals is not None and self.deals < 1:
            raise ValueError(f"deals={self.deals!r} must be at least 1")
        for name in ("checkpoint_minutes", "judge_minutes"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)!r} must not be negative")
        if self.judge_pairs < 2:
            raise ValueError(f"judge_pairs={self.judge_pairs!r} must be at least 2")
        if self.algorithm not in SETTINGS:
            raise ValueError(
                f"algorithm={self.algorithm!r} must be one of {', '.join(SETTINGS)}"
            )
        if self.rubber is not None:
            self._check_rubber()
        for name, usual in SETTINGS.items():
            if name != self.algorithm and getattr(self, name) != usual():
                raise ValueError(
                    f"settings of {name} are given, but algorithm={self.algorithm!r}; "
                    f"leave them out, or take the algorithm {name}"
                )

    def _check_rubber(self) -> None:
        """Refuse rubbers where they cannot be learnt."""
        if self.players is not None:
            raise ValueError(
                f"players={self.players!r} is not for rubbers, which are played by four"
            )
        if self.game != "whist" or self.algorithm != "ppo":
            raise ValueError(
                f"rubber={self.rubber!r} is for whist and the algorithm ppo, not for "
                f"{self.game} and {self.algorithm}"
            )
        if self.start is None and not self.resume:
            raise ValueError(
                f"rubber={self.rubber!r} is a last stage, for a policy that plays well "
                "already; name the run folder of one with start"
            )

    @classmethod
    def usual(cls, recipe: str, algorithm: Algorithm = "ppo") -> Self:
        """The settings that a recipe stands for.

        Raises:
            ValueError: there is no such recipe, it cannot be read, or there is no such
                algorithm.
        """
        usual = cls(recipe=recipe, algorithm=algorithm)
        chosen = {algorithm: getattr(read_recipe(recipe), algorithm)}
        return dataclasses.replace(usual, **chosen)

    @property
    def settings(self) -> PPOConfig | DMCConfig:
        """The settings of the chosen algorithm."""
        settings: PPOConfig | DMCConfig = getattr(self, self.algorithm)
        return settings

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
        game = training_game(self.game, self.players, self.rubber)
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
        chosen = self.settings
        if self.start is not None:
            path = path_of_start(str(self.start), game)
            chosen = _for_start(chosen, networks_to_start_from(path, game))
        settings: dict[str, Any] = {self.algorithm: chosen.settled_for(game)}
        return dataclasses.replace(
            self,
            out=self.folder,
            device=device,
            precision=precision,
            minutes=minutes,
            **settings,
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


def check_seed(seed: int) -> None:
    """Refuse seeds that random streams cannot count on from.

    Raises:
        ValueError: it is negative, or too large.
    """
    if not 0 <= seed < LARGEST_SEED:
        raise ValueError(f"seed={seed!r} must be from 0 to {LARGEST_SEED - 1}")


Watcher = Callable[[Progress, float, dict[str, float]], None]
"""Is told how far a run is, what part of its budget is spent, and the figures."""


def train(config: TrainConfig, watch: Watcher | None = None) -> Path:
    """Train, or go on training, until the budget is spent.

    Several processes that train together (`whist_train.parallel`) all call this.

    Args:
        config: the settings.
        watch: called after each iteration, for a progress bar; in the first process.

    Returns:
        The folder of the last checkpoint.

    Raises:
        FileExistsError: the folder holds a run and it is not to be resumed.
        FileNotFoundError: there is no run to resume.
        FloatingPointError: training has diverged; the message names the last good
            checkpoint.
        KeyboardInterrupt: somebody has stopped it; the message names the checkpoint
            that is kept and the command to go on.
        ValueError: a setting is wrong, other than that of the run to resume, the
            checkpoint is damaged, or another number of processes has written it.
    """
    run = Run.open(config) if config.resume else Run.create(config)
    try:
        with run.metrics() as write:
            for figures in run.iterations():
                write(figures)
                if watch is not None and parallel.is_first():
                    watch(run.progress, run.progress.part(run.config), figures)
        return run.save()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(run.how_to_go_on()) from None


class Run:
    """A run in progress: its settings, its learner and how far it is."""

    def __init__(
        self, config: TrainConfig, learner: Learner, progress: Progress
    ) -> None:
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
        if parallel.is_first():
            _refuse_to_overwrite(folder)
        # What is faster is measured, and every process might find something else.
        config = parallel.agreed(config.settled())
        learner = _learner(config)
        if config.start is not None:
            path = path_of_start(str(config.start), learner.game)
            learner.start_from(networks_to_start_from(path, learner.game))
        if parallel.is_first():
            _begin_folder(config)
        if config.rubber is not None:
            player = NetAgent(learner.policy)
            equity = rubber_equity(learner.game, player, seed=config.seed)
            _play_rubbers(learner, parallel.agreed(equity))
            if parallel.is_first():
                _write_text(folder / "equity.json", equity.to_json())
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
        _refuse_other_processes(checkpoint)
        learner = _learner(settings)
        if settings.rubber is not None:
            _play_rubbers(learner, _stored_equity(folder))
        try:
            state = torch.load(
                checkpoint / _learner_file(parallel.rank()),
                map_location=parallel.own_device(settings.device),
                weights_only=True,
            )
            learner.load_state_dict(state)
            progress = Progress(**json.loads((checkpoint / "state.json").read_text()))
        except _DAMAGE as error:
            raise ValueError(
                f"the checkpoint {checkpoint} is damaged ({error}); write the name of "
                f"an older one into {folder / 'latest'}"
            ) from error
        if parallel.is_first():
            _take_up_folder(settings, checkpoint, progress)
        return cls(settings, learner, progress)

    def iterations(self) -> Iterator[dict[str, float]]:
        """Train until the budget is spent; yields the figures of each iteration."""
        while (part := self.progress.part(self.config)) < 1:
            begun = time.perf_counter()
            try:
                figures = self.learner.iterate(part)
            except FloatingPointError as error:
                raise FloatingPointError(f"{error}; {self._good_ones()}") from error
            seconds = parallel.agreed(time.perf_counter() - begun)
            figures |= parallel.total({"deals": figures["deals"]})
            self.progress.iterations += 1
            self.progress.deals += int(figures["deals"])
            self.progress.seconds += seconds
            figures["deals_per_second"] = figures["deals"] / seconds
            found = self._judgement()
            yield figures | found
            self._save_if_due(judged=bool(found))

    def how_to_go_on(self) -> str:
        """Which checkpoint is kept when the run is stopped, and how to go on."""
        config = self.config
        together = parallel.processes()
        command = "whist"
        if together > 1:
            command = (
                f"torchrun --nproc-per-node {together} -m whist_train.command_line"
            )
        out = shlex.quote(str(self.folder))
        return (
            f"{_named_by(self.folder / 'latest')} is kept; go on with: "
            f"{command} train {config.game} --out {out} --resume"
        )

    def _good_ones(self) -> str:
        """Where to find the last good checkpoint, and the strongest, in words."""
        words = f"the last good checkpoint is {_named_by(self.folder / 'latest')}"
        best = _named_by(self.folder / "best")
        return f"{words}, the strongest one {best}" if best.is_dir() else words

    def _save_if_due(self, *, judged: bool) -> None:
        """Write a checkpoint now and then, and of what was judged; keep the best."""
        since = self.progress.seconds - self._saved_at
        if judged or since > 60 * self.config.checkpoint_minutes:
            checkpoint = self.save()
        if judged and parallel.is_first() and self._is_the_best():
            _write_text(self.folder / "best", f"checkpoints/{checkpoint.name}")

    def save(self) -> Path:
        """Write a checkpoint and make it the latest; returns its folder."""
        self._saved_at = self.progress.seconds
        checkpoints = self.folder / "checkpoints"
        checkpoint = checkpoints / f"iteration_{self.progress.iterations:08d}"
        states = parallel.gathered(self.learner.state_dict())
        player = self.learner.player()
        if not parallel.is_first():
            return checkpoint
        if not checkpoint.exists():
            unfinished = checkpoints / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            self._write_checkpoint(unfinished, states, player)
            unfinished.rename(checkpoint)
        _write_text(self.folder / "latest", f"checkpoints/{checkpoint.name}")
        best = _named_by(self.folder / "best")
        for old in sorted(checkpoints.glob("iteration_*"))[:-KEPT_CHECKPOINTS]:
            if old != best:
                shutil.rmtree(old)
        return checkpoint

    def _judgement(self) -> dict[str, float]:
        """The strength against the rule-of-thumb player, when it is due."""
        every = 60 * self.config.judge_minutes
        done = self.progress.part(self.config) >= 1
        if not every or not (done or self.progress.seconds - self._judged_at > every):
            return {}
        self._judged_at = self.progress.seconds
        figures: dict[str, float] = {}
        if parallel.is_first():
            learner = self.learner
            found = judge(learner.policy, self.config.judge_pairs)
            figures = {"strength": found.mean, "strength_error": found.standard_error}
        return parallel.agreed(figures)

    def _is_the_best(self) -> bool:
        """Whether nothing judged before was stronger than the last."""
        lines = (self.folder / "metrics.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        strengths = [row["strength"] for row in rows if "strength" in row]
        return bool(strengths[-1] == max(strengths))

    def _write_checkpoint(
        self, folder: Path, states: list[bytes], player: PolicyNetwork
    ) -> None:
        config = self.config
        progress = dataclasses.asdict(self.progress)
        notes = {"algorithm": config.algorithm, "seed": config.seed, **progress}
        save_policy(folder / "model.safetensors", player, notes)
        for rank, state in enumerate(states):
            (folder / _learner_file(rank)).write_bytes(state)
        _write_json(folder / "state.json", progress)
        _flush(folder)

    def metrics(
        self,
    ) -> contextlib.AbstractContextManager[Callable[[dict[str, float]], None]]:
        """Where the figures go: a context that gives a function to write them."""
        if parallel.is_first():
            return _Metrics(self)
        return contextlib.nullcontext(lambda figures: None)


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
            episode = "deal" if self._run.config.rubber is None else "rubber"
            title = f"{self._run.config.game}: strength against hoyle, a {episode}"
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


def _for_start(settings: PPOConfig | DMCConfig, weights: Weights) -> Any:
    """The settings for networks that have learnt already, in their sizes."""
    changes: dict[str, Any] = {"hidden": hidden_of(weights["policy"])}
    if isinstance(settings, PPOConfig):
        settings = settings.without_lessons()
        if "critic" in weights:
            changes["critic_hidden"] = hidden_of(weights["critic"])
    return dataclasses.replace(settings, **changes)


def _learner(config: TrainConfig) -> Learner:
    return LEARNERS[config.algorithm](
        training_game(config.game, config.players, config.rubber),
        config.settings,
        seed=config.seed,
        device=parallel.own_device(config.device),
        precision=config.precision,
    )


def _play_rubbers(learner: Learner, equity: Equity) -> None:
    """Let a learner play for what scores are worth, which PPO alone does."""
    assert isinstance(learner, PPO)
    learner.play_for(equity)


def _stored_equity(folder: Path) -> Equity:
    """What the scores were found to be worth when the run began."""
    path = folder / "equity.json"
    try:
        return Equity.from_json(path.read_text())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _learner_file(rank: int) -> str:
    """The file in a checkpoint of what one of several processes goes on from."""
    return f"learner_{rank}.pt" if rank else "learner.pt"


def _refuse_other_processes(checkpoint: Path) -> None:
    """A run goes on with as many processes as it has had: each has its own tables."""
    files = len(list(checkpoint.glob("learner*.pt")))
    if files not in (0, parallel.processes()):
        raise ValueError(
            f"{checkpoint} was written by {files} processes, and now there are "
            f"{parallel.processes()}; resume with torchrun --nproc-per-node {files}"
            if files > 1
            else f"{checkpoint} was written by one process; resume without torchrun"
        )


def _refuse_to_overwrite(folder: Path) -> None:
    """A new run needs a folder that holds none."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder for the run")
    if (folder / "latest").exists():
        raise FileExistsError(
            f"{folder} holds a run already; add --resume to go on with it, or "
            "choose another folder with --out"
        )


def _begin_folder(config: TrainConfig) -> None:
    """Make the folder of a new run."""
    folder = config.folder
    # Without `latest` there is no run yet: what an early stop left is replaced.
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    (folder / "checkpoints").mkdir(parents=True)
    for left in ("metrics.jsonl", "best", "curve.svg", "equity.json"):
        (folder / left).unlink(missing_ok=True)
    _write_json(folder / "environment.json", _environment())
    _write_json(folder / "config.json", _as_json(config))


def _take_up_folder(config: TrainConfig, checkpoint: Path, progress: Progress) -> None:
    """Make the folder of a run what it was at the checkpoint that it goes on from.

    What the run did afterwards never happened.
    """
    folder = config.folder
    _forget_after(folder / "metrics.jsonl", progress.iterations)
    for later in (folder / "checkpoints").glob("iteration_*"):
        if later.name > checkpoint.name:
            shutil.rmtree(later)
    if not _named_by(folder / "best").is_dir():
        (folder / "best").unlink(missing_ok=True)
    _write_json(folder / "config.json", _as_json(config))


def _as_json(config: TrainConfig) -> dict[str, Any]:
    """The settings, but for those of algorithms that are not used."""
    start = None if config.start is None else str(config.start)
    values = {**dataclasses.asdict(config), "out": str(config.folder), "start": start}
    return {
        name: value
        for name, value in values.items()
        if name not in SETTINGS or name == config.algorithm
    }


def _stored_settings(folder: Path) -> TrainConfig:
    """The settings that a run was started with."""
    path = folder / "config.json"
    try:
        values = json.loads(path.read_text())
        settings = {**values, "out": folder, "resume": True}
        algorithm = values.get("algorithm", TrainConfig.algorithm)
        settings[algorithm] = SETTINGS[algorithm](**with_tuples(values[algorithm]))
        if values.get("start") is not None:
            settings["start"] = Path(values["start"])
        return TrainConfig(**settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} holds no settings of a run: {error}") from error


def _refuse_other_settings(given: TrainConfig, stored: TrainConfig) -> None:
    """A resumed run keeps its settings; only the budget may be another."""
    usual = TrainConfig.usual(given.recipe, given.algorithm)
    left_out = {
        **vars(_as_decided(usual, stored)),
        "recipe": USUAL,
        "algorithm": TrainConfig.algorithm,
    }
    given = _as_decided(given, stored)
    for field in dataclasses.fields(TrainConfig):
        if field.name in ("out", "resume", "minutes", "deals"):
            continue
        value, kept = getattr(given, field.name), getattr(stored, field.name)
        if value != kept and value != left_out[field.name]:
            raise ValueError(
                f"{field.name}={value!r} is not the setting of the run in {stored.out} "
                f"({kept!r}), which is kept; leave it out, or start another run"
            )


def _as_decided(given: TrainConfig, stored: TrainConfig) -> TrainConfig:
    """Settings with what they leave open as it was decided when the run began."""
    if given.algorithm != stored.algorithm:
        return given
    left_open: dict[str, Any] = {
        field.name: getattr(stored.settings, field.name)
        for field in dataclasses.fields(stored.settings)
        if getattr(given.settings, field.name) is None
    }
    settings: Any = dataclasses.replace(given.settings, **left_open)
    return dataclasses.replace(given, **{given.algorithm: settings})


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
        "processes": parallel.processes(),
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
