"""The README tells the truth: its code runs and prints what stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_the_first_example_has_ten_lines_and_shows_its_output() -> None:
    code, output = EXAMPLES[0]
    assert len([line for line in code.splitlines() if line.strip()]) == 10
    assert output.strip()


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_prints_what_stands_below_it(code: str, output: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == output


def test_every_file_that_the_readme_names_is_there() -> None:
    named = re.findall(r"\]\(([^)#]+)\)", README)
    assert named
    missing = [
        name
        for name in named
        if not name.startswith("http") and not (ROOT / name).exists()
    ]
    assert not missing


def test_every_verb_that_the_readme_names_is_a_verb() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "whist_train.command_line", "--help"],
        capture_output=True,
        text=True,
        env={"NO_COLOR": "1", "PATH": "", "COLUMNS": "100"},
    ).stdout
    for verb in set(re.findall(r"^whist (\w+)", README, re.MULTILINE)):
        assert re.search(rf"\b{verb}\b", told), verb
