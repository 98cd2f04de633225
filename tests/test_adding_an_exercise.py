"""The five steps of the README, done with a small exercise on running totals."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import graders
from graders.grading import answers
from tests.situations.toy import cell

CHECKS = '''
"""Running totals by a scan."""

import numpy as np

from graders.checks import run
from graders.findings import Finding
from graders.observe import JIT, TRACE, Call

SUBJECT = "totals/running_totals"
EXAMPLE = np.array([1, 2, 3, 4], np.float32)
WRONG_MODELS = {"totals/leaves-out-the-present": lambda x: np.cumsum(x) - x}


def check_values(answer):
    run(SUBJECT, "values", answer, [Call((EXAMPLE,), through=(JIT,))], judge_values)


def judge_values(calls, seen):
    for call, observation in zip(calls, seen, strict=True):
        if not observation.returned:
            yield finding("totals/raises", str(observation.problem))
        elif not np.allclose(observation.value, np.cumsum(call.args[0])):
            for code, model in WRONG_MODELS.items():
                if np.allclose(observation.value, model(call.args[0])):
                    yield finding(code, str(observation.value))
                    return
            yield finding("totals/wrong-values", str(observation.value))


def check_scan(answer):
    run(SUBJECT, "scan", answer, [Call((EXAMPLE,), through=(TRACE,))], judge_scan)


def judge_scan(calls, seen):
    if seen[0].program is None or "scan" not in seen[0].program.primitives():
        yield finding("totals/no-scan", "no scan")


def finding(code, came):
    return Finding(code, "The totals are not right.", came=came, expected="[1, 3, 6, 10]",
                   why="Each total has the present number in it.", next_step="Look at the carry.")
'''

RIGHT = """# %% running_totals
def running_totals(x):
    def body(total, number):
        return total + number, total + number

    return lax.scan(body, jnp.zeros((), x.dtype), x)[1]
"""
WRONG = "# expect: totals/leaves-out-the-present\n" + RIGHT.replace(
    ", total + number\n", ", total\n"
)


def source():
    solved = answers_of(RIGHT)["running_totals"].split("\n", 1)
    body = f"{solved[0]}\n    ### BEGIN SOLUTION\n{solved[1].rstrip()}\n    ### END SOLUTION"
    notebook = new_notebook(cells=[
        new_markdown_cell("# Running totals", id="title"),
        cell(new_code_cell, "setup", "import jax.numpy as jnp\nfrom jax import lax\n"
             "from graders import totals"),
        cell(new_code_cell, "running_totals", body, solution=True),
        cell(new_code_cell, "totals-values", "totals.check_values(running_totals)", grade=True,
             points=2),
        cell(new_code_cell, "totals-scan", "### BEGIN HIDDEN TESTS\n"
             "totals.check_scan(running_totals)\n### END HIDDEN TESTS", grade=True, points=1),
    ])  # fmt: skip
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    return notebook


def answers_of(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.py")
        path.write_text(text)
        return answers.read(path).cells


@pytest.fixture(scope="module")
def project():
    """A copy of the package and an empty course; every user may read them, as kernels do."""
    with tempfile.TemporaryDirectory(prefix="adding-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(
            Path(graders.__file__).parent, folder / "graders",
            ignore=shutil.ignore_patterns("__pycache__"),
        )  # fmt: skip
        shutil.copy(Path(__file__).parents[1] / "nbgrader_config.py", folder)
        yield folder


def run(project, *command):
    done = subprocess.run(
        [sys.executable, "-m", "graders", *command], cwd=project, text=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": str(project)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_exercise_is_added_in_five_steps(project):
    # 1. Checks
    (project / "graders" / "totals.py").write_text(CHECKS)
    # 2. Notebook
    path = project / "source" / "sums" / "totals.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(source(), path)
    # 3. Prove it
    told = run(project, "check", str(path))
    assert "totals-values: passed, 2 of 2" in told and "totals-scan: passed, 1 of 1" in told
    # 4. Answers
    for kind, name, text in (("right", "scan", RIGHT), ("wrong", "shifted", WRONG)):
        answer = project / "tests" / "answers" / "totals" / kind / f"{name}.py"
        answer.parent.mkdir(parents=True)
        answer.write_text(text)
    # 5. Release
    run(project, "release", "sums")
    released = nbformat.read(project / "release" / "sums" / "totals.ipynb", as_version=4)
    text = nbformat.writes(released)
    assert "total + number" not in text and "check_scan" not in text and "check_values" in text

    given = answers.find(project / "tests" / "answers", "totals")
    for answer in given:
        target = project / "submitted" / answer.path.stem / "sums" / "totals.ipynb"
        target.parent.mkdir(parents=True)
        nbformat.write(answers.fill(released, answer.cells), target)
    run(project, "autograde", "sums", "--jobs", "1", "--quiet")
    lines = (project / "ledger" / "sums.jsonl").read_text().splitlines()
    rows = {(row["student"], row["cell"]): row for row in map(json.loads, lines)}
    assert {key: row["score"] for key, row in rows.items()} == {
        ("scan", "totals-values"): 2, ("scan", "totals-scan"): 1,
        ("shifted", "totals-values"): 0, ("shifted", "totals-scan"): 1,
    }  # fmt: skip
    wrong = next(answer for answer in given if not answer.right)
    assert rows["shifted", "totals-values"]["findings"] == list(wrong.expect)
    assert rows["scan", "totals-values"]["findings"] == []
