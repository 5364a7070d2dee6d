"""Every notebook runs from top to bottom and shows what it produced."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.filterwarnings("default")  # of the machinery that runs notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHIST_NB_FAST", "1")
    notebook = nbformat.read(path, as_version=4)
    # A cell that raises makes the client raise, with the cell and its error.
    # Where the notebook lies, as for who opens it there.
    beside = {"metadata": {"path": str(path.parent)}}
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources=beside
    ).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_reader_sees_the_output_of_every_cell_run_in_order(path: Path) -> None:
    cells = [
        cell
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
    ]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [
        output
        for cell in cells
        for output in cell.outputs
        if output.output_type == "error"
    ]
