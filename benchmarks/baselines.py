"""The networks that come with the package: taking them over, and their model cards.

    python benchmarks/baselines.py take runs/whist runs/solo_whist
    python benchmarks/baselines.py cards [--deals 2000] [--seed 11]

`take` copies the policy at the end of each run into the package, in half precision.
`cards` plays each network of the package against random play and against the
rule-of-thumb player at duplicate, and where there are partnerships also beside it, and
writes docs/models.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import whist_env
from whist_agents.net import HOUSE, house_file, load_policy, policy_file, save_policy
from whist_env.games import forms_of
from whist_train.crossplay import crossplay
from whist_train.evaluate import evaluate
from whist_train.run import TrainConfig
from whist_train.statistics import Estimate
from whist_train.strength import measure_of, training_game

CARDS = Path(__file__).parents[1] / "docs" / "models.md"
LEFT_OUT = ("out", "resume", "device", "precision", "start", "judge_minutes")


def take(run: Path) -> None:
    """Copy the last policy of a run, with what it took, into the package."""
    header, network = load_policy(policy_file(run))
    path = house_file(network.sight.game.rules)
    HOUSE.mkdir(exist_ok=True)
    made_in = json.loads((run / "environment.json").read_text())
    processes = made_in["processes"]
    command = command_of(json.loads((run / "config.json").read_text()), processes)
    cores = made_in["threads"] * processes
    notes = {**header.notes, "command": command, "threads": cores}
    save_policy(path, network.half(), notes)
    print(f"{path}: {path.stat().st_size / 2**20:.2f} MB, {command}")


def command_of(settings: dict[str, Any], processes: int) -> str:
    """The command that made a run, from its settings."""
    usual = TrainConfig.usual(settings["recipe"])
    game = training_game(settings["game"], settings["players"])
    usual = dataclasses.replace(usual, ppo=usual.ppo.settled_for(game))
    unchanged = dict(_flat(dataclasses.asdict(usual)))
    words = ["whist"]
    if processes > 1:
        words = ["torchrun", "--nproc-per-node", str(processes)]
        words += ["-m", "whist_train.command_line"]
    words += ["train", settings["game"]]
    if settings["recipe"] != TrainConfig.recipe:
        words += ["--recipe", settings["recipe"]]
    for name, value in _flat(settings):
        if name not in ("game", *LEFT_OUT) and value != unchanged.get(name):
            words += [f"--{name.replace('_', '-')}", *_words(value)]
    return shlex.join(words)


def _flat(settings: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows = []
    for name, value in settings.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append((prefix + name, list(value) if _many(value) else value))
    return rows


def _many(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _words(value: Any) -> list[str]:
    return [str(part) for part in value] if _many(value) else [str(value)]


def cards(deals: int, seed: int) -> str:
    """The page of all networks of the package."""
    heads = ("game", "unit", "against random", "against hoyle", "beside hoyle", "MB")
    rows, notes = [], []
    for name in whist_env.games():
        for form in forms_of(name):
            path = house_file(form)
            if path.is_file():
                row, note = _card(name, form.agents, path, deals, seed)
                print(row, flush=True)
                rows.append(row)
                notes.append(note)
    table = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    command = f"python benchmarks/baselines.py cards --deals {deals} --seed {seed}"
    return "\n".join([TEXT.format(command=command), *table, *rows, "", *notes, ""])


TEXT = """# The networks that come with the package

`net` alone names them: `whist evaluate net hoyle --game polignac`. Each is a small
multilayer perceptron that chooses without search. It sees what its seat may see, as
[sight.py](../agents/whist_agents/sight.py) shows it, with the advice of the
rule-of-thumb player among it. It was trained with lessons from that player
([lesson.py](../train/whist_train/lesson.py)), and some by self-play after them
([ppo.py](../train/whist_train/ppo.py)), for single deals, not for whole rubbers; who
plays otherwise than all its kind, such as people, was never at its table. Not all
were trained as it is done now: only that of Whist with lessons of decisions that
mattered, only those of Whist and French Boston with lessons in which the network plays
too, and those of Polignac, Slobberhannes and Omnibus Hearts when lessons were the first
three tenths of a training and self-play the rest, in larger steps.

Figures are means a deal with 95% intervals, over deals at duplicate: what a side, or in
games without partnerships a seat, makes above the middle between the two. Beside hoyle
means a partnership of the network and `hoyle` against two of `hoyle`.
`{command}` printed them.
"""


def _card(name: str, agents: int, path: Path, deals: int, seed: int) -> tuple[str, str]:
    header, network = load_policy(path)
    options: dict[str, Any] = {}
    if len(forms_of(name)) > 1:
        options["players"] = agents
    settings = {"game": name, "deals": deals, "seed": seed, **options}
    measure = measure_of(name)
    against = [
        evaluate("net", other, **settings).estimates[measure]
        for other in ("random", "hoyle")
    ]
    beside = "-"
    if len(set(network.sight.game.rules.partners)) == 2 and agents == 4:
        played = crossplay(
            ["net", "hoyle"], against="hoyle", measure=measure, **settings
        )
        mixed = next(
            e for e in played.encounters if len(set(played.sides[e.sides[0]])) == 2
        )
        beside = _in_words(mixed.margin)
    title = f"{name}, {agents} players" if options else name
    size = path.stat().st_size / 2**20
    shown = [*map(_in_words, against), beside]
    row = f"| {title} | {measure} | {' | '.join(shown)} | {size:.2f} |"
    kept = header.notes
    note = (
        f"* **{title}**: `{kept['command']}`; {kept['deals']:,} deals, "
        f"{kept['seconds'] / 60:.0f} minutes on {kept['threads']} core"
        f"{'s' if kept['threads'] > 1 else ''}, seed {kept['seed']}; hidden layers "
        f"{' and '.join(map(str, header.hidden))}."
    )
    return row, note


def _in_words(figure: Estimate) -> str:
    return f"{figure.mean:+.3f} ({figure.low:+.3f} to {figure.high:+.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    taking = verbs.add_parser("take")
    taking.add_argument("runs", type=Path, nargs="+")
    judging = verbs.add_parser("cards")
    judging.add_argument("--deals", type=int, default=2000)
    judging.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    if given.verb == "take":
        for run in given.runs:
            take(run)
    else:
        CARDS.write_text(cards(given.deals, given.seed), "utf-8")


if __name__ == "__main__":
    main()
