"""How much an agent can be exploited for: a lower bound, from a trained attack.

The exploitability of a strategy is what the best response to it gains. For games of
this size it cannot be computed, but what any response gains is a lower bound
(approximate exploitability; Timbers et al. 2022). Here the response is learnt by PPO
against the target, which is frozen: at every table the learner has all seats of one
side, the sides in turn, and the target all others. Where there are no partners, one
learner sits among targets. Then the policy that was learnt meets the target on fresh
boards at duplicate. The target in its place would make exactly 0.

A small gain shows that this attack has failed, not that none succeeds. The strongest
short attack on a network begins from its own weights.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
import torch
from tyro.conf import Positional, arg

import whist_agents
from whist_agents.net import NetAgent, PolicyNetwork, save_policy
from whist_agents.spec import settled
from whist_env import Game, Player
from whist_train.crossplay import crossplay
from whist_train.evaluate import versions
from whist_train.opponents import LEARNER, Others
from whist_train.ppo import PPO, PPOConfig
from whist_train.run import (
    Progress,
    Watcher,
    check_device,
    check_seed,
    faster_precision,
)
from whist_train.start import path_of_start
from whist_train.statistics import Estimate
from whist_train.strength import measure_of, training_game

TARGET: Final = 1
"""Who holds the seats of the target."""

USUAL_MINUTES: Final = 10.0


@dataclasses.dataclass(frozen=True)
class ExploitConfig:
    """Train a best response to an agent, and measure what it gains at duplicate.

    What any response gains is a lower bound on what the agent can be exploited for.

    Attributes:
        target: the agent to exploit, such as hoyle or net:runs/a.
        game: the game.
        players: the number of players, in games for several numbers.
        out: the folder for everything that is written.
        start: a network to begin from, such as net:runs/a or runs/a, or net for that
            of the package; the target itself, if it is one, makes the strongest short
            attack.
        minutes: how long to train; 10 if neither this nor a number of deals is given.
        deals: how many deals to train for instead.
        seed: the seed of everything.
        pairs: the boards on which the gain is measured; each is played once by the
            learner for every side.
        device: where the learner computes; ``auto`` takes a GPU if there is one.
        precision: of the products of matrices; ``auto`` takes the faster one here.
        ppo: settings of the algorithm; the widths of the policy are those of the
            network to begin from.
    """

    target: Positional[Annotated[str, arg(metavar="TARGET")]]
    game: Positional[Annotated[str, arg(metavar="[GAME]")]] = "whist"
    players: int | None = None
    out: Path = Path("runs/exploit")
    start: str | None = None
    minutes: float | None = None
    deals: int | None = None
    seed: int = 0
    pairs: int = 2000
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)

    def __post_init__(self) -> None:
        if self.minutes is not None and self.deals is not None:
            raise ValueError("give minutes or deals, not both")
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes!r} must be more than 0")
        if self.deals is not None and self.deals < 1:
            raise ValueError(f"deals={self.deals!r} must be at least 1")
        check_seed(self.seed)
        if self.pairs < 2:
            raise ValueError(f"pairs={self.pairs!r} must be at least 2")
        if self.ppo.league:
            raise ValueError(
                f"league={self.ppo.league!r} has no meaning in an attack: all seats "
                "but the learner's are the target's"
            )

    def settled(self) -> ExploitConfig:
        """The same with all that is left open decided.

        Raises:
            TypeError: the game is not one for several numbers of players.
            ValueError: there is no such game, device or agent, or it cannot be begun
                from.
            FileNotFoundError: there is no network at the path of an agent.
        """
        game = training_game(self.game, self.players)
        by_usage = self.minutes is None and self.deals is None
        start, ppo = self.start, self.ppo
        if start is not None:
            start = _spec_of_start(start, game)
            network = _network(start, game)
            ppo = dataclasses.replace(
                ppo.without_lessons(),
                hidden=network.hidden,
                advice=network.sight.advised,
            )
        device = self.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        check_device(device)
        precision = self.precision
        if precision == "auto":
            precision = faster_precision(device)
        return dataclasses.replace(
            self,
            target=settled(self.target),
            start=start,
            minutes=USUAL_MINUTES if by_usage else self.minutes,
            device=device,
            precision=precision,
            ppo=ppo.settled_for(game),
        )

    def part(self, progress: Progress) -> float:
        """The part of the budget that is spent, 0 to 1."""
        if self.deals is not None:
            return min(1.0, progress.deals / self.deals)
        assert self.minutes is not None
        return min(1.0, progress.seconds / (60 * self.minutes))


@dataclasses.dataclass(frozen=True)
class Bound:
    """A lower bound on what an agent can be exploited for.

    Attributes:
        gain: what the policy that was learnt makes against the target, a deal: its
            side's result less the mean of the table, over boards at duplicate.
        measure: what is counted: ``"tricks"`` or ``"points"``.
        trained: what the attack took.
        config: its settings.
        policy: the spec of the policy that was learnt.
        versions: of what the result depends on.
    """

    gain: Estimate
    measure: str
    trained: Progress
    config: ExploitConfig
    policy: str
    versions: dict[str, str]

    @property
    def found(self) -> bool:
        """Whether the gain is above 0 beyond chance: its 95% interval is."""
        return self.gain.low > 0

    def in_words(self) -> str:
        """The bound, what it took and what it means."""
        gain, config, trained = self.gain, self.config, self.trained
        makes = (
            f"{gain.mean:+.3f} {self.measure} a deal "
            f"(95% interval {gain.low:+.3f} to {gain.high:+.3f})"
        )
        if self.found:
            verdict = f"{config.target} can be exploited for at least {makes}."
            meaning = "It is a lower bound: a longer or better attack may gain more."
        else:
            verdict = (
                f"no exploit of {config.target} was found; this one makes {makes}."
            )
            meaning = "It is a lower bound, and no proof that there is no exploit."
        start = "random weights" if config.start is None else config.start
        return "\n".join(
            [
                f"{config.game}: {verdict}",
                meaning,
                f"The attack: PPO from {start} against the frozen target, "
                f"{trained.seconds / 60:.1f} minutes, {trained.deals:,} deals, seed "
                f"{config.seed}; measured on {config.pairs:,} boards at duplicate.",
                f"The policy: {self.policy}",
            ]
        )

    def to_json(self) -> str:
        """Everything, as text."""
        return json.dumps(dataclasses.asdict(self), indent=2, default=str)


def exploit(config: ExploitConfig, watch: Watcher | None = None) -> Bound:
    """Train a best response to an agent, and measure what it gains.

    The folder then holds ``config.json``, ``metrics.jsonl`` with a line for each
    iteration, the policy as ``model.safetensors``, and the bound as ``result.json``.

    Args:
        config: the settings.
        watch: called after each iteration, for a progress bar.

    Raises:
        FileExistsError: the folder holds another run.
        FileNotFoundError: there is no network at the path of an agent.
        FloatingPointError: training has diverged.
        TypeError: the game is not one for several numbers of players.
        ValueError: a setting is wrong.
    """
    config = config.settled()
    game = training_game(config.game, config.players)
    learner = _learner(config, game)
    _begin(config)
    trained = _train(config, learner, watch)
    path = config.out / "model.safetensors"
    notes = {"algorithm": "best response", "target": config.target, "seed": config.seed}
    save_policy(path, learner.player(), notes | dataclasses.asdict(trained))
    bound = Bound(
        gain=_gain(config, f"net:{path}"),
        measure=measure_of(game.name),
        trained=trained,
        config=config,
        policy=f"net:{path}",
        versions=versions(),
    )
    (config.out / "result.json").write_text(bound.to_json() + "\n", "utf-8")
    return bound


def against(game: Game, target: Player, tables: int, seed: int) -> Others:
    """The target at all seats but those of one side, from table to table the next."""
    sides = sorted(set(game.rules.partners))
    held_by = np.full((tables, game.num_agents), TARGET, np.int64)
    for table in range(tables):
        held_by[table, list(sides[table % len(sides)])] = LEARNER
    return Others({TARGET: target}, held_by, seed)


def _learner(config: ExploitConfig, game: Game) -> PPO:
    target = whist_agents.load(config.target)
    learner = PPO(
        game,
        config.ppo,
        seed=config.seed,
        device=config.device,
        precision=config.precision,
        others=against(game, target, config.ppo.tables, config.seed),
    )
    if config.start is not None:
        weights = _network(config.start, game).state_dict()
        learner.policy.load_state_dict(weights)
    return learner


def _spec_of_start(start: str, game: Game) -> str:
    """The spec of the network that a spec or a path names, for good."""
    path = path_of_start(start, game)
    return settled(f"net:{path}" if path.exists() else start)


def _network(spec: str, game: Game) -> PolicyNetwork:
    """The network of an agent by its spec.

    Raises:
        ValueError: the agent is no network, or one for another game.
    """
    agent = whist_agents.load(spec)
    if not isinstance(agent, NetAgent):
        raise ValueError(f"start={spec!r} is no network; write one as 'net:PATH'")
    if agent.game.rules is not game.rules:
        raise ValueError(
            f"start={spec!r} plays {agent.game.name} with {agent.game.num_agents} "
            f"agents, not {game.name} with {game.num_agents}"
        )
    return agent.network


def _begin(config: ExploitConfig) -> None:
    """Make the folder; what an attack that was cut short left there is replaced."""
    folder = config.out
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder")
    for name in ("result.json", "latest"):
        if (folder / name).exists():
            raise FileExistsError(
                f"{folder} holds a run already; choose another folder with --out"
            )
    folder.mkdir(parents=True, exist_ok=True)
    settings = json.dumps(dataclasses.asdict(config), indent=2, default=str)
    (folder / "config.json").write_text(settings + "\n", "utf-8")


def _train(config: ExploitConfig, learner: PPO, watch: Watcher | None) -> Progress:
    """Train until the budget is spent."""
    progress = Progress()
    with (config.out / "metrics.jsonl").open("w") as lines:
        while (part := config.part(progress)) < 1:
            begun = time.perf_counter()
            figures = learner.iterate(part)
            progress.iterations += 1
            progress.deals += int(figures["deals"])
            progress.seconds += time.perf_counter() - begun
            figures["deals"] = progress.deals
            lines.write(json.dumps(dataclasses.asdict(progress) | figures) + "\n")
            lines.flush()
            if watch is not None:
                watch(progress, config.part(progress), figures)
    return progress


def _gain(config: ExploitConfig, policy: str) -> Estimate:
    """What the policy makes against nothing but the target."""
    options: dict[str, Any] = {}
    if config.players is not None:
        options["players"] = config.players
    played = crossplay(
        [policy],
        against=config.target,
        game=config.game,
        measure=measure_of(config.game),
        deals=config.pairs,
        seed=config.seed,
        **options,
    )
    return played.encounters[0].margin
