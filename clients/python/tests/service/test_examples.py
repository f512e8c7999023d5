"""The examples and the notebook do what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from drs_client import Drs

client = Path(__file__).parents[2]
examples = sorted((client / "examples").glob("*.py"))
notebooks = sorted((client.parents[1] / "examples" / "python-notebook").glob("*.ipynb"))


def run(example: str, folder: Path, *words: str) -> str:
    """What an example prints, run as its readers would."""
    command = [sys.executable, str(client / "examples" / example), *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("example", examples, ids=lambda example: example.name)
def test_the_readme_shows_the_example_as_it_is(example: Path) -> None:
    assert f"```python\n{example.read_text()}```\n" in (client / "README.md").read_text()


def test_search_finds_a_page(drs: Drs, minutes: Path) -> None:
    for example, end in (("search.py", "http://"), ("search_async.py", "Heating of the old building")):
        first = run(example, minutes.parent, minutes.name, "heating").splitlines()[0]
        assert "page 2" in first
        assert end in first


def test_pages_are_saved(drs: Drs, dataset_id: str, tmp_path: Path) -> None:
    assert run("pages.py", tmp_path, dataset_id, "2:3") == "page-2.jpg\npage-3.jpg\n"
    assert (tmp_path / "page-3.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert "there is no dataset ds_none" in run("pages.py", tmp_path, "ds_none", "1")


def test_a_large_upload_leaves_no_state_behind(drs: Drs, minutes: Path) -> None:
    assert run("large_upload.py", minutes.parent, minutes.name).split()[1] == "SUCCESS"
    assert [path.name for path in minutes.parent.iterdir()] == [minutes.name]


@pytest.mark.parametrize("notebook", notebooks, ids=lambda notebook: notebook.name)
def test_the_notebook_runs(drs: Drs, notebook: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(notebook.parent, tmp_path / "notebook")
    cells = nbformat.read(folder / notebook.name, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(cells, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    shown = [output for cell in cells.cells for output in cell.get("outputs", [])]
    assert any("data:image/jpeg;base64," in output.get("data", {}).get("text/html", "") for output in shown)
    assert os.environ["DRS_API_KEY"] not in str(shown)
