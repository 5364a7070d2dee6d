"""The demonstration: an agent is trained, judged, and watched for one hand."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import whist_agents
import whist_env
from whist_env import Table
from whist_env.envs.play import ask
from whist_env.render.svg import table_svg
from whist_train.evaluate import evaluate
from whist_train.run import Progress as RunProgress
from whist_train.run import TrainConfig, Watcher, train

OPPONENTS: Final = ("random", "hoyle")
RUBBERS: Final = 200
CARDS_PLAYED: Final = 27
"""The picture shows the seventh trick with three cards on the table."""


def demo(out: Path, minutes: float, seed: int, console: Console) -> None:
    """Train a Whist agent by self-play, judge it over rubbers, and draw one hand.

    Args:
        out: the folder for everything that is written; the run of an earlier
            demonstration in it is replaced.
        minutes: how long to train.
        seed: the seed of everything.
        console: where the results are printed.
    """
    run = out / "run"
    if run.is_dir():
        shutil.rmtree(run)
    config = TrainConfig(game="whist", out=run, minutes=minutes, seed=seed)
    console.print(f"Training for {minutes:g} minutes: lessons, then self-play.")
    with training_bar(console) as watch:
        train(config, watch)
    agent = f"net:{run}"
    written = {run: "the training run: settings, figures, checkpoints"}
    for opponent in OPPONENTS:
        with console.status(f"Playing {RUBBERS} duplicate rubbers against {opponent}"):
            evaluation = evaluate(agent, opponent, rubbers=RUBBERS, seed=seed)
        console.print(evaluation)
        result = out / f"against_{opponent}.json"
        result.write_text(evaluation.to_json())
        written[result] = f"the evaluation against {opponent}"
    picture = out / "hand.svg"
    picture.write_text(table_svg(hand_in_play(agent, seed), "all"))
    written[picture] = "a hand that the agent plays, in the seventh trick"
    for path, what in written.items():
        console.print(f"{path}: {what}", highlight=False, markup=False, soft_wrap=True)


@contextlib.contextmanager
def training_bar(console: Console) -> Iterator[Watcher]:
    """A progress bar for a training run; a line at each judgement in no terminal."""
    columns = (
        TextColumn("training"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TextColumn("{task.fields[deals]} deals{task.fields[strength]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("training", total=1.0, deals=0, strength="")

        def watch(progress: RunProgress, part: float, seen: dict[str, float]) -> None:
            bar.update(task, completed=part, deals=progress.deals)
            if "strength" in seen:
                strength = f", hoyle {seen['strength']:+.2f}"
                bar.update(task, strength=strength)
                if not console.is_terminal:
                    line = f"{part:.0%} trained, {progress.deals} deals{strength}"
                    console.print(line, highlight=False, soft_wrap=True)

        yield watch


def hand_in_play(agent: str, seed: int) -> Table:
    """A hand of Whist in the seventh trick; the agent plays all four seats."""
    player = whist_agents.load(agent)
    table = whist_env.game("whist").new_table(seed)
    for _ in range(CARDS_PLAYED):
        table.apply(ask(player, table, 0))
    return table
