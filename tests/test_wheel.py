"""What students install: the wheel, in a clean environment, and what is not in it.

The environment is made without this repository. It borrows the heavy packages (JAX, Jupyter)
from the one that runs the tests, by a path file; `graders` is there only from the wheel.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from benchmarks.run_all import solved
from graders import __version__
from graders.grading import demo

ROOT = Path(__file__).parent.parent
RELEASE = ROOT / "release" / demo.ASSIGNMENT
SOURCE = ROOT / "source" / demo.ASSIGNMENT
WHEEL = f"graders-{__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    _pip("wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    [path] = folder.iterdir()
    return path


def _pip(*arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _environment(folder: Path, *wheels: Path) -> Path:
    """A clean environment with these wheels; returns the folder of its kernel specifications."""
    venv.EnvBuilder(symlinks=True).create(folder)
    python = folder / "bin" / "python"
    for path in wheels:
        _pip("--python", python, "install", "--no-deps", "--no-index", path)
    # Path files in the borrowed folder are not read, so that the repository stays out of it.
    here = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    Path(here, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    spec = folder / "kernels" / "clean" / "kernel.json"
    spec.parent.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    command.append("--IPKernelApp.log_level=40")
    document = {"argv": command, "display_name": "clean", "language": "python"}
    spec.write_text(json.dumps(document), encoding="utf-8")
    return folder / "kernels"


class Client(NotebookClient):
    """Keeps in each cell's metadata what it displayed at first."""

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        if msg["msg_type"] == "display_data":
            cell.metadata.setdefault("first", msg["content"]["data"]["text/plain"])
        return super().process_message(msg, cell, cell_index)


async def _run(kernels: Path, folder: Path, notebook: NotebookNode) -> None:
    client = Client(
        notebook, kernel_name="clean", allow_errors=True, timeout=120,
        resources={"metadata": {"path": str(folder)}},
    )  # fmt: skip
    manager = client.create_kernel_manager()
    manager.kernel_spec_manager = KernelSpecManager(kernel_dirs=[str(kernels)])
    await client.async_execute()


def _released(name: str) -> NotebookNode:
    return nbformat.read(RELEASE / f"{name}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def executed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, NotebookNode]:
    """Notebooks after Run All, by the state they were in."""
    folder = tmp_path_factory.mktemp("student")
    bare = _environment(folder / "bare")
    clean = _environment(folder / "clean", wheel)
    work = {
        **{f"solved {exercise}": (clean, solved(exercise)) for exercise in demo.NOTEBOOKS},
        **{
            f"untouched {exercise}": (clean, _released(demo.NOTEBOOKS[exercise]))
            for exercise in ("returns", "quiz")
        },
        "without graders": (bare, _released(demo.NOTEBOOKS["returns"])),
    }

    async def run_all() -> None:
        two = asyncio.Semaphore(2)

        async def run(kernels: Path, notebook: NotebookNode) -> None:
            async with two:
                await _run(kernels, folder, notebook)

        await asyncio.gather(*(run(*one) for one in work.values()))

    asyncio.run(run_all())
    return {state: notebook for state, (_, notebook) in work.items()}


def _outputs(notebook: NotebookNode) -> dict[str, list[NotebookNode]]:
    return {
        cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): cell.outputs
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def _checks(notebook: NotebookNode) -> dict[str, list[NotebookNode]]:
    grade = {c.metadata.nbgrader.grade_id for c in notebook.cells
             if c.metadata.get("nbgrader", {}).get("grade")}  # fmt: skip
    return {name: outputs for name, outputs in _outputs(notebook).items() if name in grade}


# --- with the wheel -----------------------------------------------------------------------


@pytest.mark.parametrize("exercise", demo.NOTEBOOKS)
def test_a_solved_notebook_passes_every_check(
    executed: dict[str, NotebookNode], exercise: str
) -> None:
    notebook = executed[f"solved {exercise}"]
    checks = _checks(notebook)
    assert checks
    for name, outputs in checks.items():
        # One output: what said that the check was working has been replaced by the result.
        [output] = outputs
        assert output.output_type == "display_data", name
        assert re.match("✓ .*: passed$", output.data["text/plain"]), name
        assert "<table" in output.data["text/html"], name
    assert not any(
        output.get("name") == "stderr" or output.output_type == "error"
        for outputs in _outputs(notebook).values()
        for output in outputs
    )


def test_a_check_says_at_once_that_it_is_working(executed: dict[str, NotebookNode]) -> None:
    cells = {cell.id: cell for cell in executed["solved returns"].cells}
    assert cells["returns-scan"].metadata["first"] == "… discounted_returns – structure: working"


@pytest.mark.parametrize("exercise", ["returns", "quiz"])
def test_an_untouched_notebook_says_not_attempted(
    executed: dict[str, NotebookNode], exercise: str
) -> None:
    for name, outputs in _checks(executed[f"untouched {exercise}"]).items():
        shown, error = outputs
        assert "not attempted" in shown.data["text/plain"], name
        assert error.ename == "CheckFailed", name
        [line] = error.traceback
        assert "not attempted" in line


# --- without it ---------------------------------------------------------------------------


def test_without_graders_the_first_cell_says_how_to_get_it(
    executed: dict[str, NotebookNode],
) -> None:
    [output] = _outputs(executed["without graders"])["setup"]
    assert (output.output_type, output.name) == ("stream", "stdout")
    assert output.text == (
        "No module named 'graders': run the %pip line above in a cell of its own, then restart "
        "the kernel.\n"
    )


@pytest.mark.parametrize("name", demo.NOTEBOOKS.values())
def test_the_pip_line_names_the_wheel_that_is_built(wheel: Path, name: str) -> None:
    assert wheel.name == WHEEL
    [setup] = [cell for cell in _released(name).cells if cell.id == "setup"]
    assert f"# %pip install {WHEEL} matplotlib\n" in setup.source


# --- what is in it ------------------------------------------------------------------------


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    kernel = f"graders-{__version__}.data/data/share/jupyter/kernels/graders/kernel.json"
    assert kernel in names
    names.remove(kernel)
    assert {name.split("/")[0] for name in names} == {"graders"}
    assert {Path(name).suffix for name in names} <= {".py", ".json", ".css", ".js", ".j2"}
    tracked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "graders").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert set(names) == tracked


def test_the_wheel_holds_nothing_that_an_instructor_would_hide(wheel: Path) -> None:
    hidden = _hidden_lines()
    assert len(hidden) > 200
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            lines = {line.strip() for line in archive.read(name).decode().splitlines()}
            assert not lines & hidden, name


def _hidden_lines() -> set[str]:
    """Solutions, hidden tests, and with them the keys and explanations; lines that say something.

    Lines that the release shows as well, and those too short to tell anything, are left out.
    """
    lines: set[str] = set()
    for path in SOURCE.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            parts = re.findall(
                r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", cell.source, re.S
            )
            lines |= {line.strip() for part in parts for line in part.splitlines()}
    shown = {
        line.strip()
        for path in RELEASE.glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        for line in cell.source.splitlines()
    }
    return {line for line in lines - shown if len(line) >= 30}


def test_the_package_says_what_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["readme"] == "README.md"
    assert any(
        line.startswith("matplotlib") for line in project["optional-dependencies"]["pictures"]
    )
    required = {re.split("[<>=]", line)[0] for line in project["dependencies"]}
    # No check needs a picture, and no student needs nbgrader.
    assert required == {"ipython", "jax", "jaxlib", "numpy"}
