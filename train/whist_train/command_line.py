"""The command ``whist``.

Each verb is a function of the words that follow it. It imports what it needs itself, so
that ``whist --help`` is quick and PyTorch is loaded only by verbs that compute with it.

The exit code is 0 after success, 2 where what was typed is wrong, 130 after Ctrl-C, and
1 after any other failure. An error is one line; with ``WHIST_DEBUG=1`` its traceback is
shown as well.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import difflib
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import tyro
from rich.console import Console
from rich.table import Column, Table
from tyro.conf import FlagCreatePairsOff, OmitArgPrefixes, Positional, arg

if TYPE_CHECKING:
    from whist_env.engine.rules import Rules
    from whist_train.sequential import SequentialTest
    from whist_train.tournament import Executor, Shard, Standings

SUCCESS, FAILURE, MISUSE = range(3)
STOPPED: Final = 130
"""The exit codes; the last is the shell's own for Ctrl-C."""

MISTAKES: Final = (ValueError, TypeError, FileExistsError, FileNotFoundError)
"""What is raised where the user asked for something that cannot be."""

EXTRAS: Final = {
    "torch": "torch",
    "safetensors": "torch",
    "tensorboard": "track",
    "resvg_py": "render",
    "openskill": "ratings",
    "ray": "ray",
}
"""Which extra installs a library that not everybody needs."""

_Arguments = TypeVar("_Arguments")


class _Ended(Exception):
    """The words asked for help, or cannot be read, as has been said.

    Attributes:
        code: the exit code.
    """

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


_Verb = Callable[[list[str]], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code.

    Args:
        arguments: the words after ``whist``; by default those of this process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if os.environ.get("NO_COLOR"):
        # Rich looks at NO_COLOR by itself; what prints the help of a verb does not.
        tyro._experimental_options["ansi_codes"] = False
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return SUCCESS
    try:
        _run(words)
    except _Ended as end:
        return end.code
    except KeyboardInterrupt as stop:
        what = f"stopped; {stop}" if str(stop) else "stopped"
        print(f"whist {words[0]}: {what}", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # Whoever reads the output has had enough, as `head` has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception as error:
        if os.environ.get("WHIST_DEBUG"):
            raise
        return _complain(words[0], error)
    return SUCCESS


def _help() -> str:
    width = max(map(len, VERBS))
    verbs = [
        f"  {name:{width}}  {(verb.__doc__ or '').splitlines()[0]}"
        for name, verb in VERBS.items()
    ]
    return "\n".join(
        [
            "usage: whist VERB ...",
            "",
            "The whist family of card games: environments, self-play and evaluation.",
            "",
            *verbs,
            "",
            "'whist VERB --help' says what a verb takes.",
        ]
    )


def _run(words: list[str]) -> None:
    """Run a verb, of which nothing ends the process without a word."""
    try:
        _verb(words[0])(words[1:])
    except SystemExit as end:
        raise RuntimeError(
            f"an agent tried to end the command by SystemExit({end.code!r})"
        ) from end


def _verb(name: str) -> _Verb:
    if name not in VERBS:
        near = difflib.get_close_matches(name, VERBS, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(f"no such verb{hint}; the verbs are " + ", ".join(VERBS))
    return VERBS[name]


def _complain(verb: str, error: Exception) -> int:
    """Say in one line what went wrong and what to do; gives the exit code."""
    from whist_agents import AgentError
    from whist_env import IllegalAction

    what = " ".join(_in_words(error).split()) or type(error).__name__
    failures = IllegalAction, AgentError
    misuse = isinstance(error, MISTAKES) and not isinstance(error, failures)
    if misuse:
        hint = f"see 'whist {verb} --help'" if verb in VERBS else "see 'whist --help'"
    elif isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        hint = f"pip install 'whist-env[{EXTRAS[error.name]}]'"
    else:
        hint = "WHIST_DEBUG=1 shows where"
    print(f"whist {verb}: {what} ({hint})", file=sys.stderr)
    return MISUSE if misuse else FAILURE


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _read(
    form: type[_Arguments],
    verb: str,
    words: list[str],
    *config: Any,
    default: Any = None,
) -> _Arguments:
    """The arguments of a verb.

    Raises:
        _Ended: help was asked for, or there is a mistake.
    """
    try:
        arguments: _Arguments = tyro.cli(
            form,
            prog=f"whist {verb}",
            args=words,
            config=(FlagCreatePairsOff, *config),
            default=default,
        )
    except SystemExit as end:
        raise _Ended(end.code if isinstance(end.code, int) else SUCCESS) from None
    return arguments


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


# games ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class GamesArguments:
    """List the games, or show the options, actions and features of one.

    Attributes:
        game: The game to show; without one all games are listed.
        json: Print JSON.
    """

    game: Positional[Annotated[str | None, arg(metavar="GAME")]] = None
    json: bool = False


def games(words: list[str]) -> None:
    """List the games, or show the options, actions and features of one."""
    from whist_env.games import GAMES, forms_of

    arguments = _read(GamesArguments, "games", words)
    if arguments.game is None:
        listed = [_summary(forms_of(name)) for name in GAMES]
        (_print_json if arguments.json else _print_games)(listed)
    else:
        described = _described(forms_of(arguments.game))
        (_print_json if arguments.json else _print_game)(described)


def _summary(forms: tuple[Rules, ...]) -> dict[str, Any]:
    rules = forms[0]
    return {
        "name": rules.name,
        "title": rules.title,
        "agents": [form.agents for form in forms],
        "actions": len(rules.action_names),
        "features": rules.features.size,
    }


def _described(forms: tuple[Rules, ...]) -> dict[str, Any]:
    """A game as its rules declare it, with the usual number of players."""
    rules = forms[0]
    return {
        "name": rules.name,
        "title": rules.title,
        "agents": [form.agents for form in forms],
        "partners": rules.partners,
        "phases": [{"name": name, "meaning": text} for name, text in rules.phases],
        "measures": {
            name: (measure.__doc__ or "").splitlines()[0]
            for name, measure in rules.measures.items()
        },
        "actions": rules.action_names,
        "options": [
            {"name": field.name, "default": field.default, **field.metadata}
            for field in dataclasses.fields(rules.options)
        ],
        "features": [
            {"place": rules.features.offset(part.name), **dataclasses.asdict(part)}
            for part in rules.features.features
        ],
    }


def _print_games(games: list[dict[str, Any]]) -> None:
    table = Table(_names("game", games), "title", "agents", "actions", "features")
    for game in games:
        table.add_row(*(_words(value) for value in game.values()))
    Console().print(table)


def _print_game(game: dict[str, Any]) -> None:
    options = Table(
        _names("option", game["options"]),
        Column("takes", overflow="fold"),
        *("default", "meaning"),
        title="Options",
    )
    for option in game["options"]:
        options.add_row(
            option["name"], _takes(option), str(option["default"]), _meaning(option)
        )
    features = Table(
        _names("feature", game["features"]),
        *("place", "shape", "values", "meaning"),
        title="Features",
    )
    for feature in game["features"]:
        features.add_row(
            feature["name"],
            str(feature["place"]),
            " x ".join(
                f"{size} {axis}s"
                for axis, size in zip(feature["axes"], feature["shape"], strict=True)
            ),
            f"{feature['low']} to {feature['high']}",
            feature["meaning"],
        )
    measures = Table("measure", "meaning", title="What an episode is judged by")
    for name, meaning in game["measures"].items():
        measures.add_row(name, meaning)
    phases = Table(_names("phase", game["phases"]), "what is done", title="Phases")
    for phase in game["phases"]:
        phases.add_row(phase["name"], phase["meaning"])
    console = Console()
    agents = f"{_words(game['agents'])} agents"
    console.print(f"{game['title']}: {agents}", highlight=False)
    console.print(phases, options)
    console.print(f"Actions 0 to {len(game['actions']) - 1}:", *game["actions"])
    console.print(features, measures)


def _words(value: Any) -> str:
    """A value of a table as people read it, the usual one of several first."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _names(heading: str, rows: list[dict[str, Any]]) -> Column:
    """A column of names, which are never cut short."""
    longest = max((len(row["name"]) for row in rows), default=0)
    return Column(heading, no_wrap=True, min_width=longest)


def _takes(option: dict[str, Any]) -> str:
    if "values" in option:
        return ", ".join(map(str, option["values"]))
    allowed = f"{option['low']} to {option['high']}"
    return f"{allowed}, or None" if option["or_none"] else allowed


def _meaning(option: Mapping[str, Any]) -> str:
    """What an option means, and beside which others it has a meaning."""
    conditions = [
        f"{name} {' or '.join(map(str, values))}"
        for name, values in option["only"].items()
    ]
    meaning = str(option["meaning"])
    return f"{meaning} (With {', '.join(conditions)}.)" if conditions else meaning


# evaluate ---------------------------------------------------------------------------

DECIDED_BY_EVALUATION: Final = ("episode", "deals", "reward")
"""Options of games that evaluation itself decides, or that it does not depend on."""


@dataclasses.dataclass(frozen=True)
class EvaluateArguments:
    """Judge two agents over duplicate deals or rubbers.

    Every deal is played twice with the sides swapped. The figures are means with their
    95% interval; the last row is the first agent against itself, which is exactly 0.

    Attributes:
        a: The first agent: random, hoyle, net:PATH or module:attribute.
        b: The second agent.
        game: The game.
        rubbers: How many rubbers to play twice; Whist then scores as short5, if not
            told otherwise.
        deals: How many deals to play twice; 1000 if neither is given, and with --sprt
            100,000 at the most.
        seed: The seed of the boards and of the agents' chance.
        workers: How many processes play; the result does not depend on it.
        records: A file to which every episode is added, for 'whist replay'.
        oracles: Let an agent play that sees all hands, such as oracle.
        sprt: Two means, such as 0 0.1: stop as soon as it is decided whether the true
            one is at most the first or at least the second.
        alpha: How often the second may be accepted where the first is true; 0.05.
        beta: How often the first may be accepted where the second is true; 0.05.
        measure: What the sequential test is about; tricks, or points where tricks are
            not what is played for.
        account: Say also what the cards of each agent have cost, by the hand that
            played them and by what they were, with all hands open. For games of two
            sides that play for tricks; needs DDS.
        account_deals: How many deals are judged so, those of both rooms together; 200.
        json: Print JSON.
    """

    a: Positional[Annotated[str, arg(metavar="A")]]
    b: Positional[Annotated[str, arg(metavar="B")]]
    game: str = "whist"
    rubbers: int | None = None
    deals: int | None = None
    seed: int = 0
    workers: int = 1
    records: Path | None = None
    oracles: bool = False
    sprt: tuple[float, float] | None = None
    alpha: float | None = None
    beta: float | None = None
    measure: str | None = None
    account: bool = False
    account_deals: int | None = None
    json: bool = False


def evaluate(words: list[str]) -> None:
    """Judge two agents over duplicate deals or rubbers."""
    from whist_env.games import rules_of
    from whist_train.evaluate import evaluate

    rules = rules_of(_named(words, "--game", "whist"))
    form = _with_options(EvaluateArguments, rules)
    arguments = vars(_read(form, "evaluate", words, OmitArgPrefixes))
    as_json, chosen = arguments.pop("json"), _chosen(arguments.pop(rules.name))
    test = _sequential_test(arguments)
    _check_file("--records", arguments["records"])
    _find_own_agents()
    with _playing("Playing every board twice; compiling at first", as_json):
        evaluation = evaluate(**arguments, sprt=test, **chosen)
    _print_judgement(evaluation, as_json)


def _sequential_test(arguments: dict[str, Any]) -> SequentialTest | None:
    """Take the sequential test that is asked for out of the arguments."""
    from whist_train.sequential import SequentialTest

    means = arguments.pop("sprt")
    chances = {name: arguments.pop(name) for name in ("alpha", "beta")}
    given = {name: value for name, value in chances.items() if value is not None}
    if means is not None:
        return SequentialTest(*means, **given)
    for name in (*given, "measure"):
        if given.get(name, arguments.get(name)) is not None:
            raise ValueError(f"--{name} has a meaning only with --sprt")
    return None


def _chosen(options: object) -> dict[str, Any]:
    """The options of a game that the words name."""
    return {name: value for name, value in vars(options).items() if value is not None}


def _find_own_agents() -> None:
    """An agent of the user's own, module:attribute, lies where the command is run."""
    sys.path.append(os.getcwd())


@contextlib.contextmanager
def _playing(what: str, as_json: bool) -> Iterator[None]:
    """Say what is done; what agents print then does not come between JSON."""
    out = sys.stderr if as_json else sys.stdout
    with contextlib.redirect_stdout(out), Console(stderr=True).status(what):
        yield


def _print_judgement(judgement: Any, as_json: bool) -> None:
    if as_json:
        print(judgement.to_json())
    else:
        Console().print(judgement)


# crossplay --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class CrossPlayArguments:
    """Play every agent with and against every other, and rate them.

    Every partnership of two of the agents is a side, so that what an agent is worth can
    be told from what its partners are worth.

    Attributes:
        agents: Two or more agents.
        against: Let all sides meet this agent alone; by default they meet one another.
        game: The game.
        measure: What is judged: tricks, or points where tricks are not what is played
            for.
        rubbers: How many rubbers each encounter has.
        deals: How many deals; 1000 if neither is given.
        seed: The seed of the boards and of the agents' chance.
        workers: How many processes play; the result does not depend on it.
        oracles: Let an agent play that sees all hands, such as oracle.
        json: Print JSON.
    """

    agents: Positional[Annotated[tuple[str, ...], arg(metavar="AGENT...")]]
    against: str | None = None
    game: str = "whist"
    measure: str | None = None
    rubbers: int | None = None
    deals: int | None = None
    seed: int = 0
    workers: int = 1
    oracles: bool = False
    json: bool = False


def crossplay(words: list[str]) -> None:
    """Play every agent with and against every other, and rate them."""
    from whist_env.games import rules_of
    from whist_train.crossplay import crossplay

    rules = rules_of(_named(words, "--game", "whist"))
    form = _with_options(CrossPlayArguments, rules)
    arguments = vars(_read(form, "crossplay", words, OmitArgPrefixes))
    as_json, chosen = arguments.pop("json"), _chosen(arguments.pop(rules.name))
    _find_own_agents()
    with _playing("Playing all with and against all ...", as_json):
        result = crossplay(**arguments, **chosen)
    _print_judgement(result, as_json)


# What verbs that judge have in common ------------------------------------------------


def _named(words: list[str], flag: str, usual: str) -> str:
    """What the words give for a flag; what they may say besides depends on it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(flag, nargs="?", default=usual, const=usual, dest="named")
    named: str = parser.parse_known_args(words)[0].named
    return named


def _with_options(form: type[_Arguments], rules: Rules) -> type[_Arguments]:
    """Arguments of a verb together with the options of a game."""
    flags = dataclasses.make_dataclass(
        rules.options.__name__,
        [
            _flag(field)
            for field in dataclasses.fields(rules.options)
            if field.name not in DECIDED_BY_EVALUATION
        ],
        frozen=True,
    )
    return dataclasses.make_dataclass(
        form.__name__,
        [(rules.name, flags, dataclasses.field(default=flags()))],
        bases=(form,),
        frozen=True,
        namespace={"__doc__": form.__doc__},
    )


def _flag(field: dataclasses.Field[Any]) -> tuple[str, Any, None]:
    """An option of a game as a flag; ``None`` leaves it to the game."""
    values = field.metadata.get("values")
    kind = int if values is None else tyro.extras.literal_type_from_choices(values)
    usual = f"(default: {field.default})"
    note = arg(help=_meaning(field.metadata), help_behavior_hint=usual)
    return field.name, Annotated[kind | None, note], None


# train ------------------------------------------------------------------------------


def train(words: list[str]) -> None:
    """Train an agent by self-play."""
    from whist_train import parallel
    from whist_train.demo import training_bar
    from whist_train.recipe import USUAL
    from whist_train.run import TrainConfig, train

    recipe = _named(words, "--recipe", USUAL)
    algorithm: Any = _named(words, "--algorithm", TrainConfig.algorithm)
    usual = TrainConfig.usual(recipe, algorithm)
    config = _read(TrainConfig, "train", words, default=usual)
    with parallel.joined():
        console = Console(stderr=True, quiet=not parallel.is_first())
        with training_bar(console) as watch:
            train(config, watch)
        if parallel.is_first():
            print(f"net:{config.folder}")


# tournament, report ------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class TournamentArguments:
    """Play a cup that a file describes, or go on with it, and print the standings.

    Attributes:
        cup: The file of the cup.
        out: The folder for everything that is written; the same folder again goes on
            where the last run was cut short.
        workers: How many processes play; by default as many as there are processors;
            with 1 this one does. The records do not depend on it.
        ray: Play on a Ray cluster instead: the address of its head, such as
            10.0.0.1:6379, or 'auto' for the cluster that this machine belongs to.
        shard: Play a part only, such as 2/8 for the second of eight; 'whist report'
            takes the folders of all of them together.
        json: Print JSON.
    """

    cup: Positional[Annotated[Path, arg(metavar="CUP")]]
    out: Path
    workers: int | None = None
    ray: str | None = None
    shard: str | None = None
    json: bool = False


def tournament(words: list[str]) -> None:
    """Play a cup, or go on with it."""
    arguments = _read(TournamentArguments, "tournament", words)
    from whist_train.tournament import play_cup, read_cup
    from whist_train.tournament.shards import WHOLE, Shard

    if arguments.out.exists() and not arguments.out.is_dir():
        raise ValueError(f"--out {arguments.out}: this is a file; name a folder")
    cup = read_cup(arguments.cup)
    shard = WHOLE if arguments.shard is None else Shard.parse(arguments.shard)
    executor = _executor(arguments.workers, arguments.ray)
    # An agent of the user's own, module:attribute, lies where the command is run.
    sys.path.append(os.getcwd())
    with _complaints_on_stderr(), _playing(f"Playing {cup.name} ...", arguments.json):
        standings = play_cup(cup, arguments.out, executor, shard)
    if shard == WHOLE:
        _print_judgement(standings, arguments.json)
    else:
        _print_part(standings, shard, arguments.json)


def _print_part(standings: Standings, shard: Shard, as_json: bool) -> None:
    """Say how much was played in a part of a cup, from which no standings follow."""
    name, episodes = standings.cup.name, standings.episodes
    if as_json:
        _print_json({"name": name, "shard": str(shard), "episodes": episodes})
    else:
        print(
            f"{name}: this is part {shard.number} of {shard.of}, of which {episodes} "
            "episodes were played; 'whist report DIR...' with the folders of all parts "
            "gives the standings"
        )


def _executor(workers: int | None, ray: str | None) -> Executor:
    """Where a cup is played."""
    from whist_train.tournament import InProcess, ProcessPool

    if ray is not None:
        if workers is not None:
            raise ValueError(
                "give --workers or --ray, not both: a cluster plays on all processors "
                "that it has"
            )
        from whist_train.tournament.cluster import RayCluster

        return RayCluster(ray)
    if workers is None:
        workers = os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"--workers {workers} must be at least 1")
    return InProcess() if workers == 1 else ProcessPool(workers)


@dataclasses.dataclass(frozen=True)
class ReportArguments:
    """Print the standings of a cup, and write a report of it as a page of HTML.

    Attributes:
        folders: The folder of the cup, or those of all its shards.
        out: The file of the page, which has a folder with replays beside it; by default
            report.html in the folder of the cup. With several folders it must be given.
        json: Print the standings as JSON, and write no page.
    """

    folders: Positional[Annotated[tuple[Path, ...], arg(metavar="DIR")]]
    out: Path | None = None
    json: bool = False


def report(words: list[str]) -> None:
    """Print the standings of a cup, and write a page about it."""
    arguments = _read(ReportArguments, "report", words)
    _check_report(arguments)
    if arguments.json:
        from whist_train.tournament import read_standings

        with _complaints_on_stderr():
            print(read_standings(arguments.folders).to_json())
    else:
        _report_on_page(arguments.folders, arguments.out)


def _check_report(arguments: ReportArguments) -> None:
    """Refuse arguments that make no sense together."""
    if arguments.out is not None and arguments.json:
        raise ValueError("give --out or --json, not both")
    if arguments.out is None and not arguments.json and len(arguments.folders) > 1:
        raise ValueError("--out must name the file of the page for several folders")
    _check_file("--out", arguments.out)


def _report_on_page(folders: Sequence[Path], out: Path | None) -> None:
    """Print the standings, and write the page."""
    from whist_train.report import PAGE, read_cup_records, write_report

    with _complaints_on_stderr():
        records = read_cup_records(folders)
    Console().print(records.standings)
    page = folders[0] / PAGE if out is None else out
    with Console(stderr=True).status("Judging deals ...") as status:
        write_report(
            records,
            page,
            lambda done, of: status.update(f"Judging deals: {done} of {of}"),
        )
    print(page, file=sys.stderr)


@contextlib.contextmanager
def _complaints_on_stderr() -> Iterator[None]:
    """Print what is wrong with records as plain lines."""
    from whist_env.records import DamagedLine
    from whist_train.tournament import UnevenShards

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamagedLine)
        warnings.simplefilter("always", UnevenShards)
        yield
    for complaint in caught:
        print(complaint.message, file=sys.stderr)


# distill ----------------------------------------------------------------------------


def distill(words: list[str]) -> None:
    """Fit networks to the double-dummy solver, for 'whist train --start'."""
    from whist_train.distill import DistillConfig, distill

    config = _read(DistillConfig, "distill", words)
    with Console(stderr=True).status("Solving positions ...") as status:
        path = distill(config, status.update)
    print(path)


# exploit ----------------------------------------------------------------------------


def exploit(words: list[str]) -> None:
    """Train an attack on an agent: a lower bound on what it can be exploited for."""
    from whist_train.best_response import ExploitConfig, exploit
    from whist_train.demo import training_bar

    config = _read(ExploitConfig, "exploit", words)
    _find_own_agents()
    with training_bar(Console(stderr=True)) as watch:
        bound = exploit(config, watch)
    print(bound.in_words())


# draw -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class DrawArguments:
    """Draw a deal as a picture.

    Attributes:
        game: The game.
        seed: The seed of the deal.
        viewer: Whose cards lie open: a seat's, those of the agent to act, or all.
        out: The file to write, .svg or .png.
    """

    game: Positional[Annotated[str, arg(metavar="GAME")]]
    seed: int = 0
    viewer: int | Literal["agent", "all"] = "agent"
    out: Path = Path("hand.svg")


def draw(words: list[str]) -> None:
    """Draw a deal as a picture."""
    import whist_env
    from whist_env.render.svg import table_svg

    arguments = _read(DrawArguments, "draw", words)
    table = whist_env.game(arguments.game).new_table(arguments.seed)
    picture = _encoded(table_svg(table, arguments.viewer), arguments.out)
    _check_file("--out", arguments.out)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_bytes(picture)
    print(arguments.out)


def _encoded(svg: str, out: Path) -> bytes:
    """A picture in the format that the name of its file asks for."""
    if out.suffix == ".svg":
        return svg.encode()
    if out.suffix != ".png":
        raise ValueError(f"--out {out}: the name must end in .svg or .png")
    from resvg_py import svg_to_bytes

    return svg_to_bytes(svg_string=svg, background="white", skip_system_fonts=True)


# replay -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class ReplayArguments:
    """Step through a recorded episode.

    Where nobody can type, every step is printed.

    Attributes:
        file: The file of records, JSON Lines or .pbn.
        episode: Which of its episodes, counted from 1.
        seat: See the table from this seat alone; otherwise all hands lie open.
        step: The step to begin with; where nobody can type, the only one printed.
        html: Write a page of HTML to this file instead.
        dd: Print the exact account of each deal instead: which card has cost whom how
            many tricks, with all hands open.
    """

    file: Positional[Annotated[Path, arg(metavar="FILE")]]
    episode: int = 1
    seat: int | None = None
    step: int | None = None
    html: Path | None = None
    dd: bool = False


def replay(words: list[str]) -> None:
    """Step through a recorded episode."""
    arguments = _read(ReplayArguments, "replay", words)
    from whist_train.replay import episode_from, print_accounts, show

    _check_replay(arguments)
    episode = episode_from(arguments.file, arguments.episode)
    viewer = _viewer(arguments.seat, len(episode.agents))
    if arguments.dd:
        print_accounts(episode)
    elif arguments.html is None:
        show(episode, viewer, arguments.step)
    else:
        from whist_env.records.page import replay_page

        _write_text(arguments.html, replay_page(episode, viewer))
        print(arguments.html)


def _viewer(seat: int | None, seats: int) -> int | Literal["all"]:
    """Whose view a replay shows: that of a seat, or all hands."""
    if seat is None:
        return "all"
    if not 0 <= seat < seats:
        raise ValueError(f"--seat {seat}: the seats are 0 to {seats - 1}")
    return seat


def _check_replay(arguments: ReplayArguments) -> None:
    """Refuse arguments that make no sense together."""
    if arguments.html is not None and arguments.dd:
        raise ValueError("give --html or --dd, not both")
    for name in ("seat", "step"):
        if arguments.dd and getattr(arguments, name) is not None:
            raise ValueError(f"--{name} has no meaning with --dd")
    if arguments.html is not None and arguments.step is not None:
        raise ValueError("--step has no meaning with --html")
    _check_file("--html", arguments.html)


def _check_file(flag: str, file: Path | None) -> None:
    """Refuse a folder in place of a file."""
    if file is not None and file.is_dir():
        raise ValueError(f"{flag} {file}: this is a folder; name a file")


def _write_text(out: Path, text: str) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, "utf-8")


# demo, version ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class DemoArguments:
    """Train a Whist agent by self-play, judge it, and draw one of its hands.

    Attributes:
        out: The folder for everything that is written.
        minutes: How long to train.
        seed: The seed of everything.
    """

    out: Path = Path("demo")
    minutes: float = 2.0
    seed: int = 0


def demo(words: list[str]) -> None:
    """Train a Whist agent for two minutes, judge it, and draw one of its hands."""
    arguments = _read(DemoArguments, "demo", words)
    from whist_train.demo import demo

    demo(arguments.out, arguments.minutes, arguments.seed, Console())


@dataclasses.dataclass(frozen=True)
class VersionArguments:
    """Say which versions of this project and of what it computes with are installed.

    Attributes:
        json: Print JSON.
    """

    json: bool = False


def version(words: list[str]) -> None:
    """Say which versions are installed."""
    from whist_train.evaluate import versions

    arguments = _read(VersionArguments, "version", words)
    if arguments.json:
        _print_json(versions())
    else:
        for name, number in versions().items():
            print(name, number)


VERBS: Final[dict[str, _Verb]] = {
    "games": games,
    "evaluate": evaluate,
    "crossplay": crossplay,
    "train": train,
    "distill": distill,
    "exploit": exploit,
    "tournament": tournament,
    "report": report,
    "draw": draw,
    "replay": replay,
    "demo": demo,
    "version": version,
}
"""What may follow ``whist``."""


if __name__ == "__main__":
    sys.exit(main())
