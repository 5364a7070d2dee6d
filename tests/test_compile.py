"""Rules stay compilable, compiled rules stay true, and the disk cache is never stale.

Each of the four ways in which Numba would silently play old rules, compile anew or lose
cards has its test here.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from whist_tables import whist_game

import whist_env
from whist_env import cards
from whist_env.engine import compile as compilation
from whist_env.engine import loops
from whist_env.envs.vector import Tables
from whist_env.games import GAMES, rules_of, whist

PACKAGE = Path(whist_env.__file__).parent

# The disk cache ---------------------------------------------------------------------

DEAL = """
import json, re
import whist_env

game = whist_env.game("whist", dealer=0)
table = game.new_table(0)
seen = {
    "file": whist_env.__file__,
    "agent": table.agent,
    "pack": table.record.pack.tolist(),
    "legal": table.legal_actions(),
}
"""
PLAY = """
while not table.is_over:
    table.apply(table.legal_actions()[0])
seen["tricks"] = table.record.tricks.tolist()
"""
TELL = """
used = [loop for loop in vars(game.loops).values() if loop.signatures]
seen["loaded"] = sum(sum(loop.stats.cache_hits.values()) for loop in used)
seen["compiled"] = sum(sum(loop.stats.cache_misses.values()) for loop in used)
seen["code"] = "".join(
    code for loop in used if loop.stats.cache_misses
    for code in loop.inspect_llvm().values()
)
print(json.dumps(seen))
"""


class CopiedPackage:
    """A copy of the package with a disk cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        shutil.copytree(
            PACKAGE, folder / "whist_env", ignore=shutil.ignore_patterns("__pycache__")
        )

    def run(self, program: str) -> dict[str, Any]:
        """What a new process with this copy prints."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "NUMBA_CACHE_DIR": str(self.cache),
        }
        command = [sys.executable, "-c", program]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed: dict[str, Any] = json.loads(done.stdout)
        assert Path(printed["file"]).is_relative_to(self.folder)
        return printed

    def cache_files(self) -> set[str]:
        return {path.name for path in self.cache.rglob("*.nb*")}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> CopiedPackage:
    return CopiedPackage(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def first_process(package: CopiedPackage) -> dict[str, Any]:
    """What the first process with the copy saw, which found nothing in the cache."""
    return package.run(DEAL + PLAY + TELL)


@pytest.fixture
def edited(package: CopiedPackage) -> Iterator[Any]:
    """A function that edits a source file; the edits are undone in the end."""
    before: dict[Path, str] = {}

    def edit(file: str, old: str, new: str) -> None:
        path = package.folder / "whist_env" / file
        text = path.read_text()
        before.setdefault(path, text)
        assert text.count(old) == 1, f"{file} does not hold {old!r} once"
        path.write_text(text.replace(old, new))

    yield edit
    for path, text in before.items():
        path.write_text(text)


def test_the_second_process_loads_every_loop_from_the_disk_cache(
    package: CopiedPackage, first_process: dict[str, Any]
) -> None:
    assert first_process["loaded"] == 0
    assert first_process["compiled"] == 3
    files = package.cache_files()
    assert len(files) == 2 * 3  # an index and the code of each loop
    second = package.run(DEAL + PLAY + TELL)
    assert second["compiled"] == 0
    assert second["loaded"] == 3
    assert second["tricks"] == first_process["tricks"]
    assert package.cache_files() == files


def test_the_next_process_plays_by_rules_edited_in_a_game_and_in_the_engine(
    package: CopiedPackage, first_process: dict[str, Any], edited: Any
) -> None:
    edited(
        "games/whist.py",
        "lead(record, (record.dealer + 1) % SEATS)",
        "lead(record, (record.dealer + 2) % SEATS)",
    )
    edited(
        "engine/tricks.py",
        "record.pack[place] = lowest(cards)",
        "record.pack[place] = CARDS - 1 - lowest(cards)",
    )
    after = package.run(DEAL + TELL)
    assert after["loaded"] == 0
    assert (first_process["agent"], after["agent"]) == (1, 2)
    assert after["pack"] == [51 - card for card in first_process["pack"]]
    assert after["legal"] != first_process["legal"]


def test_a_process_compiles_what_it_imported_and_leaves_edits_to_the_next(
    tmp_path: Path,
) -> None:
    copy = CopiedPackage(tmp_path)
    edit = """
import pathlib
import whist_env
whist_env.game("whist")
path = pathlib.Path(whist_env.__file__).with_name("games") / "whist.py"
old, new = "(record.dealer + 1) % SEATS)", "(record.dealer + 2) % SEATS)"
path.write_text(path.read_text().replace("lead(record, " + old, "lead(record, " + new))
"""
    assert copy.run(edit + DEAL + TELL)["agent"] == 1
    assert copy.run(DEAL + TELL)["agent"] == 2


def test_the_digest_covers_every_source_that_the_rules_of_a_game_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = CopiedPackage(tmp_path).folder / "whist_env"
    monkeypatch.setattr(compilation, "PACKAGE", copy)

    def digest(game: str) -> str:
        compilation.text_of.cache_clear()
        return compilation.source_digest.__wrapped__(game)

    variant = copy / "games" / "variant.py"
    variant.write_text("from whist_env.games.whist import start\n")
    files = [copy / "cards.py", *copy.glob("engine/*.py"), copy / "games/whist.py"]
    assert len(files) > 8
    seen = {digest("whist")}
    seen_of_variant = {digest("variant")}
    for file in files:
        file.write_text(file.read_text() + "\n")
        seen.add(digest("whist"))
        seen_of_variant.add(digest("variant"))
    variant.write_text(variant.read_text() + "\n")
    assert digest("whist") in seen
    seen_of_variant.add(digest("variant"))
    assert len(seen) == 1 + len(files)
    assert len(seen_of_variant) == 2 + len(files)


def test_the_cached_name_of_every_loop_ends_in_the_digest() -> None:
    for name, loop in vars(whist_game().loops).items():
        expected = f"{name}_whist_4_{compilation.source_digest('whist')}"
        assert loop.py_func.__qualname__ == expected


def test_a_loop_reaches_its_game_through_globals_and_not_through_a_closure() -> None:
    for loop in vars(whist_game().loops).values():
        assert loop.py_func.__closure__ is None
        assert loop.py_func.__globals__["apply"] is whist.apply


def test_one_thread_and_many_run_the_same_serial_build() -> None:
    game = whist_game()

    def play(threads: int) -> bytes:
        tables = Tables(game, 50, seed=1, threads=threads)
        tables.reset()
        for _ in range(60):
            tables.step(tables.sample_actions())
        tables.state()
        tables.close()
        return tables.to_bytes()

    def builds() -> dict[str, tuple[int, int]]:
        return {
            name: (len(loop.signatures), sum(loop.stats.cache_misses.values()))
            for name, loop in vars(game.loops).items()
        }

    serial = play(1)
    before = builds()
    assert play(3) == serial
    assert builds() == before
    for loop in vars(game.loops).values():
        assert not loop.targetoptions.get("parallel")


def test_nothing_is_compiled_in_parallel() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.keyword) and node.arg == "parallel")
            assert not (isinstance(node, ast.Name) and node.id == "prange")
            assert not (isinstance(node, ast.Attribute) and node.attr == "prange")


# No float in card sets ----------------------------------------------------------------


def compiled_for_a_record(rule: Any, *arguments: Any) -> Any:
    function = numba.njit(rule)
    function.compile((numba.from_dtype(whist.RECORD), *arguments))
    return function


def test_rules_give_sets_of_cards_as_unsigned_integers() -> None:
    legal = compiled_for_a_record(whist.legal)
    (signature,) = legal.nopython_signatures
    assert signature.return_type == numba.types.UniTuple(numba.uint64, 2)
    dealt = compiled_for_a_record(whist.dealt_to, numba.int64)
    (signature,) = dealt.nopython_signatures
    assert signature.return_type == numba.uint64


def test_no_rule_of_play_computes_with_floats(first_process: dict[str, Any]) -> None:
    code = first_process["code"]
    assert all(f"{name}_whist" in code for name in ("start_all", "apply_one"))
    assert re.search(r"\b(double|float)\b", code) is None


# Plain Python -------------------------------------------------------------------------

SEVERAL_DEALS = """
import hashlib
import numpy as np
import whist_env

digest = hashlib.sha256()
ways = [
    {"scoring": "robber", "episode": "rubber", "sequence_holder": "side"},
    {"scoring": "hoyle7", "deals": 1, "reward": "tricks", "history": "last_trick"},
    {"scoring": "short5", "episode": "rubber", "surplus": "carried"},
]
for seed, how in enumerate(ways):
    game = whist_env.game("whist", **how)
    table = game.new_table(seed)
    observation = np.empty(game.features.size, np.int8)
    state = np.empty(game.state_features.size, np.int8)
    for turn in range(60):
        if table.is_over:
            table.reset()
        legal = table.legal_actions()
        table.apply(legal[turn * turn % len(legal)])
        digest.update(table.to_bytes())
        digest.update(table.observe(turn % 4, observation).tobytes())
        digest.update(table.state(turn % 4, state).tobytes())
        digest.update(table.action_mask().tobytes())
    table.forfeit()
    digest.update(table.to_bytes())
    given = game.new_table(seed, deal=whist_env.cards.deal_text(table.record.dealt))
    digest.update(given.to_bytes())
tables = whist_env.vector("whist", 3, seed=1)
batch = tables.reset()
for _ in range(54):
    batch = tables.step(tables.sample_actions())
    digest.update(batch.observation.tobytes() + batch.action_mask.tobytes())
    digest.update(batch.rewards.tobytes() + batch.agent.tobytes())
digest.update(tables.to_bytes() + tables.finished.tobytes() + tables.state().tobytes())
digest.update(tables.table(0).play_out(1, seed=2).tobytes())
print(digest.hexdigest())
"""


def test_plain_python_plays_the_very_same_game_as_compiled_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", SEVERAL_DEALS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    exec(SEVERAL_DEALS, {})
    assert plain.stdout == capsys.readouterr().out
    assert len(plain.stdout.strip()) == 64


# What a rule may be made of -----------------------------------------------------------

RULE_FILES = [
    *sorted((PACKAGE / "engine").glob("*.py")),
    *sorted((PACKAGE / "games").glob("*.py")),
]
FORBIDDEN = (
    *(ast.Raise, ast.Try, ast.Assert, ast.With, ast.Delete, ast.Global, ast.Nonlocal),
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp),
    *(ast.GeneratorExp, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.JoinedStr, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Starred),
    *(ast.Match, ast.NamedExpr, ast.Div, ast.MatMult, ast.AsyncFunctionDef),
)
BUILTINS = {"int", "bool", "range", "min", "max"}
WORDS = {"np.uint64", "np.uint8", "np.int64"}
"""What a rule may call of NumPy: conversions of one number, which allocate nothing."""
CARD_SETS = {
    name
    for name, function in vars(cards).items()
    if inspect.isfunction(function) and function.__module__ == cards.__name__
}
BOUND = {"start", "legal", "apply", "forfeit", "observe", "state"}
"""The rules that a game supplies to the loops."""


def is_decorated(node: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id == name for d in node.decorator_list)


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def rules_by_file() -> dict[str, dict[str, ast.FunctionDef]]:
    """Every rule of the engine and the games, and every loop, by file and name."""
    found: dict[str, dict[str, ast.FunctionDef]] = {}
    for path in RULE_FILES:
        is_loops = path.name == Path(loops.__file__).name
        found[path.stem] = {
            node.name: node
            for node in functions_of(ast.parse(path.read_text()))
            if is_decorated(node, "rule") or is_loops
        }
    return found


def rules_in_reach(file: str) -> dict[str, ast.FunctionDef]:
    """The rules that those of a file may call: the engine's, its own, and imported."""
    by_file = rules_by_file()
    module = ast.parse(next(p for p in RULE_FILES if p.stem == file).read_text())
    imported = {
        alias.asname or alias.name: by_file[node.module.split(".")[-1]][alias.name]
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if node.module.split(".")[-1] in by_file
        and alias.name in by_file[node.module.split(".")[-1]]
    }
    return imported | by_file[file]


def overloaded() -> set[str]:
    """Functions of the engine that have a compiled form of their own."""
    return {
        decorator.args[0].id
        for path in RULE_FILES
        for node in functions_of(ast.parse(path.read_text()))
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        and ast.unparse(decorator.func) == "overload"
        and isinstance(decorator.args[0], ast.Name)
    }


def complaints(node: ast.FunctionDef, callable_names: set[str]) -> list[str]:
    """What a rule is made of that it should not be."""
    found = []
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    for part in (p for statement in body for p in ast.walk(statement)):
        what = ast.unparse(part) if isinstance(part, ast.expr | ast.stmt) else ""
        where = f"{node.name}:{getattr(part, 'lineno', '?')}: {what}"
        if isinstance(part, FORBIDDEN):
            found.append(f"{type(part).__name__} in {where}")
        elif isinstance(part, ast.FunctionDef):
            found.append(f"a function in {where}")
        elif isinstance(part, ast.Constant) and not isinstance(
            part.value, int | bool | None
        ):
            found.append(f"a constant that is no integer in {where}")
        elif isinstance(part, ast.Call):
            name = ast.unparse(part.func)
            allowed = BUILTINS | WORDS | CARD_SETS | callable_names
            if name not in allowed and not re.fullmatch(r"\w+\.view", name):
                found.append(f"a call of {name} in {where}")
            if part.keywords:
                found.append(f"a keyword in {where}")
        elif isinstance(part, ast.Slice) and (part.lower, part.upper) != (None, None):
            found.append(f"a slice in {where}")
    return found


def calls_of(node: ast.FunctionDef) -> set[str]:
    return {
        part.func.id
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    }


def recursion(calls: dict[str, set[str]]) -> list[str]:
    """A rule that in the end calls itself, with the rules between."""

    def path_back(path: list[str]) -> list[str]:
        for name in calls.get(path[-1], set()):
            if name in path:
                return [*path, name]
            longer = path_back([*path, name]) if name in calls else []
            if longer:
                return longer
        return []

    for name in calls:
        found = path_back([name])
        if found:
            return found
    return []


@pytest.mark.parametrize("file", [path.stem for path in RULE_FILES])
def test_rules_allocate_nothing_raise_nothing_and_use_numbers_alone(file: str) -> None:
    allowed = set(rules_in_reach(file)) | overloaded() | BOUND
    found = [
        complaint
        for node in rules_by_file()[file].values()
        for complaint in complaints(node, allowed)
    ]
    # A loop gives rewards in the game's own unit.
    assert [c for c in found if not (file == "loops" and c.startswith("Div in"))] == []


def test_there_are_rules_to_check() -> None:
    assert len(rules_by_file()["whist"]) > 40
    assert sum(map(len, rules_by_file().values())) > 80


@pytest.mark.parametrize("file", [path.stem for path in RULE_FILES])
def test_rules_do_not_recurse(file: str) -> None:
    rules = rules_in_reach(file)
    assert recursion({name: calls_of(node) for name, node in rules.items()}) == []


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_of_a_game_is_among_the_rules_checked(game: str) -> None:
    checked = rules_by_file()
    for name in BOUND:
        function = getattr(rules_of(game), name)
        assert function.__name__ in checked[function.__module__.rpartition(".")[2]]


def test_memory_is_looked_at_as_records_by_loops_alone() -> None:
    for path in RULE_FILES:
        for node in functions_of(ast.parse(path.read_text())):
            if is_decorated(node, "rule"):
                assert ".view(" not in ast.unparse(node)


@pytest.mark.parametrize(
    "line",
    [
        "x = np.empty(4)",
        "x = np.zeros(4)",
        "x = record.hands.copy()",
        "x = [1, 2]",
        "x = {1: 2}",
        "x = [card for card in range(4)]",
        "x = sum(card for card in range(4))",
        "x = sorted(record.hands)",
        "x = list(record.hands)",
        "x = record.hands[1:3]",
        "x = 'spades'",
        "x = f'{record}'",
        "x = 0.5",
        "x = 1 / 2",
        "raise ValueError",
        "assert record",
        "try:\n        pass\n    finally:\n        pass",
        "print(record)",
        "unknown(record)",
        "f = lambda: 1",
    ],
)
def test_a_rule_that_breaks_the_rules_would_be_found(line: str) -> None:
    (node,) = functions_of(ast.parse(f"def broken(record):\n    {line}\n"))
    assert complaints(node, set()) != []


def test_recursion_would_be_found() -> None:
    assert recursion({"a": {"b"}, "b": {"c", "int"}, "c": {"a"}}) != []
    assert recursion({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_rules_are_ordinary_functions_when_called_by_themselves() -> None:
    record = whist_game().new_records(1)[0]
    record.deal_number = -1
    whist.start(record)
    legal, calls = whist.legal(record)
    assert type(legal) is type(calls) is np.uint64
    whist.apply(record, cards.lowest(legal))
    assert record.cards_played == 1
