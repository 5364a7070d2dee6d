"""What the project promises about itself: its wheel, its imports, its commands."""

import ast
import configparser
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {
    "whist_env": ROOT / "whist_env",
    "whist_agents": ROOT / "agents" / "whist_agents",
    "whist_train": ROOT / "train" / "whist_train",
}
HEAVY_LIBRARIES = ["torch", "matplotlib", "pygame"]

# What each package may import of the others.
PACKAGES_BELOW: dict[str, set[str]] = {
    "whist_env": set(),
    "whist_agents": {"whist_env"},
    "whist_train": {"whist_env", "whist_agents"},
}

# What each part of whist_env may import of the other parts. The files beside these
# folders, `whist_env/__init__.py` among them, stand on top and may import them all.
PARTS_BELOW: dict[str, set[str]] = {
    "cards": set(),
    "engine": {"cards"},
    "games": {"cards", "engine"},
    "render": {"cards", "engine", "games"},
    "envs": {"cards", "engine", "games", "render"},
    "records": {"cards", "engine", "games", "render", "envs"},
    "worlds": {"cards", "engine", "games", "envs"},
    "solver": {"cards", "engine", "games", "envs"},
}

# Names of numpy.random that make a generator of their own and touch no shared one.
OWN_GENERATORS = {
    "BitGenerator",
    "Generator",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "SFC64",
    "SeedSequence",
    "default_rng",
}


def project_version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return str(project["project"]["version"])


def sources(package: str) -> list[Path]:
    files = sorted(PACKAGES[package].rglob("*.py"))
    assert files, f"{package} has no source files"
    return files


def module_name(package: str, path: Path) -> str:
    parts = path.relative_to(PACKAGES[package].parent).with_suffix("").parts
    return ".".join(parts)


def imports(package: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a file imports."""
    folder = module_name(package, path).split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else []
            origin = [*above, *([node.module] if node.module else [])]
            for alias in node.names:
                yield node.lineno, ".".join([*origin, alias.name])


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel of the working tree, built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *options,
        "-w",
        str(folder),
        str(ROOT),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_the_wheel_holds_every_source_file_of_the_three_packages(
    wheel: zipfile.ZipFile,
) -> None:
    expected = {
        path.relative_to(folder.parent).as_posix()
        for package, folder in PACKAGES.items()
        for path in sources(package)
    }
    assert expected <= set(wheel.namelist())


def test_the_wheel_marks_each_package_as_typed(wheel: zipfile.ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


def test_the_wheel_takes_no_import_name_but_the_three(wheel: zipfile.ZipFile) -> None:
    top = {name.split("/")[0] for name in wheel.namelist()}
    assert top == {*PACKAGES, f"whist_env-{project_version()}.dist-info"}


def test_the_wheel_installs_the_command_whist(wheel: zipfile.ZipFile) -> None:
    (name,) = (n for n in wheel.namelist() if n.endswith("/entry_points.txt"))
    entry_points = configparser.ConfigParser()
    entry_points.read_string(wheel.read(name).decode())
    scripts = dict(entry_points["console_scripts"])
    assert scripts == {"whist": "whist_train.command_line:main"}


def test_no_module_of_whist_env_loads_a_heavy_library() -> None:
    program = f"""
import importlib, pkgutil, sys
import whist_env
for module in pkgutil.walk_packages(whist_env.__path__, "whist_env."):
    importlib.import_module(module.name)
print([name for name in {HEAVY_LIBRARIES} if name in sys.modules])
"""
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_one_way(package: str) -> None:
    upward = [
        f"{where(path, line)} imports {name}"
        for path in sources(package)
        for line, name in imports(package, path)
        if (top := name.split(".")[0]) in PACKAGES
        and top != package
        and top not in PACKAGES_BELOW[package]
    ]
    assert upward == []


@pytest.mark.parametrize("part", PARTS_BELOW)
def test_the_parts_of_whist_env_import_one_way(part: str) -> None:
    upward = [
        f"{where(path, line)} imports {name}"
        for path in sources("whist_env")
        if module_name("whist_env", path).split(".")[1] == part
        for line, name in imports("whist_env", path)
        if name.split(".")[0] == "whist_env"
        and not {*name.split(".")[1:2]} & {part, *PARTS_BELOW[part]}
    ]
    assert upward == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_code_imports_the_random_generators_that_all_share(package: str) -> None:
    shared = [
        f"{where(path, line)} imports {name}"
        for path in sources(package)
        for line, name in imports(package, path)
        if name.split(".")[0] == "random"
        or (
            name.startswith("numpy.random.")
            and name.split(".")[2] not in OWN_GENERATORS
        )
    ]
    assert shared == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_code_draws_from_the_generator_that_numpy_shares(package: str) -> None:
    shared = [
        f"{where(path, node.lineno)} uses {ast.unparse(node)}"
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value) in {"np.random", "numpy.random"}
        and node.attr not in OWN_GENERATORS
    ]
    assert shared == []


def test_every_file_that_states_the_version_states_the_same() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    cited = re.findall(r"^version: (\S+)$", citation, re.MULTILINE)
    logged = re.findall(r"^## \[([^\]]+)\]", changelog, re.MULTILINE)
    assert cited == [project_version()]
    assert logged[0] == project_version()


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in script if line and not line.startswith("#")]
    change_folder = 'cd "$(dirname "${BASH_SOURCE[0]}")/.."'
    assert commands == ["set -euo pipefail", change_folder, "make test"]
    readme = (ROOT / "README.md").read_text()
    assert re.search(r"^make test\b", readme, re.MULTILINE)


def make(folder: Path, python: Path) -> subprocess.CompletedProcess[str]:
    """Run `make demo` in a folder that has the Makefile and nothing else."""
    (folder / "Makefile").write_text((ROOT / "Makefile").read_text())
    (folder / "pyproject.toml").touch()
    command = ["make", "demo", f"PYTHON={python}"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


def test_make_says_which_python_it_found_when_that_is_too_old(tmp_path: Path) -> None:
    old = tmp_path / "python3.10"
    pretend = "import sys; sys.version_info = (3, 10, 4)"
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{pretend}\n$2"\n')
    old.chmod(0o755)
    result = make(tmp_path, python=old)
    assert result.returncode != 0
    assert f"needs Python 3.11 or newer, but {old} is Python 3.10.4" in result.stderr
    assert not (tmp_path / ".venv").exists()


def test_make_says_so_when_there_is_no_python(tmp_path: Path) -> None:
    result = make(tmp_path, python=tmp_path / "no-python")
    assert result.returncode != 0
    assert "needs Python 3.11 or newer, but there is no" in result.stderr
    assert not (tmp_path / ".venv").exists()
