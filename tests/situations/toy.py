"""A small notebook in nbgrader's ordinary style, and submissions of it to be spoilt by cases."""

import copy
import json
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

NAME = "toy"
SECRET = "31.0625"
"""Stands in hidden tests only."""

ANSWERS = {
    "double": "def double(x):\n    return 2 * x",
    "shift": "def shift(x):\n    return x + 1",
    "q1": 'q1 = "b"',
}
POINTS = {
    "double-plain": 2, "double-traced": 1, "shift-plain": 2, "shift-large": 1, "shift-partial": 2,
    "q1-answer": 2,
}  # fmt: skip
DOUBLE = ("double-plain", "double-traced")
SHIFT = ("shift-plain", "shift-large", "shift-partial")


def cell(maker, name, source, *, grade=False, solution=False, points=None):
    entry = {
        "grade": grade, "grade_id": name, "locked": not solution, "schema_version": 3,
        "solution": solution, "task": False,
    }  # fmt: skip
    if points is not None:
        entry["points"] = points
    return maker(source, metadata={"nbgrader": entry}, id=name)


def _solution(name, shown, hidden):
    body = f"{shown}### BEGIN SOLUTION\n{hidden}\n### END SOLUTION"
    return cell(new_code_cell, name, body, solution=True)


def _test(name, shown, hidden=""):
    if hidden:
        shown += f"\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    return cell(new_code_cell, name, shown, grade=True, points=POINTS[name])


def source():
    """The instructor's notebook."""
    cells = [
        new_markdown_cell("# A toy", id="title"),
        cell(new_code_cell, "setup", "import numpy as np\nimport jax.numpy as jnp\n"
              "from jax import lax\nfrom graders import observe, quiz"),
        _solution("double", "def double(x):\n    ", "    return 2 * x"),
        _test("double-plain", "assert np.allclose(double(np.arange(3.0)), [0, 2, 4])",
              f"assert double({SECRET}) == 2 * {SECRET}"),
        _test("double-traced",
              "seen = observe.observe(double, np.ones(3, np.float32), through='jit')\n"
              "assert seen.returned, seen.problem\n"
              "assert np.array_equal(seen.value, np.full(3, 2, np.float32))\n"
              "assert seen.program.count('mul', 'add') == 1"),
        _solution("shift", "def shift(x):\n    ", "    return x + 1"),
        _test("shift-plain", "assert shift(1.0) == 2.0", f"assert shift({SECRET}) > 32"),
        _test("shift-large", "assert shift(1e6) == 1e6 + 1"),
        _test("shift-partial", "right = np.isclose(shift(np.array([1.0, 2.0])), [2.0, 3.0])\n"
              "2.0 * float(np.mean(right))"),
        _solution("q1", "q1 = None  # your answer\n", 'q1 = "b"'),
        _test("q1-answer", "quiz.check_form('q1', q1, quiz.PickOne('abc'))",
              "quiz.check_answer('q1', q1, quiz.PickOne('abc'), key='b',\n"
              "    explain={'a': 'no, hush', 'b': 'yes, hush', 'c': 'no, hush'}, section='1.1')"),
    ]  # fmt: skip
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernelspec})


def booked(course, student):
    """The marks that a course's gradebook has, by cell."""
    with course.gradebook() as gradebook:
        found = gradebook.find_submission_notebook(NAME, NAME, student)
        return {grade.name: grade.score for grade in found.grades}


class Submission:
    """What one student hands in; a case changes it before it is written."""

    def __init__(self, released, folder: Path):
        self.nb = json.loads(json.dumps(released))
        self.folder = folder
        self.filename = f"{NAME}.ipynb"
        self.content = None
        self.stubs = {name: self.cell(name)["source"] for name in ANSWERS}
        for name, text in ANSWERS.items():
            self[name] = text

    def index(self, name):
        for index, cell in enumerate(self.nb["cells"]):
            metadata = cell.get("metadata")
            entry = metadata.get("nbgrader") if isinstance(metadata, dict) else None
            if isinstance(entry, dict) and entry["grade_id"] == name:
                return index
        raise KeyError(name)

    def cell(self, name):
        return self.nb["cells"][self.index(name)]

    def __setitem__(self, name, text):
        self.cell(name)["source"] = text

    def copy_of(self, name, text=None):
        cell = copy.deepcopy(self.cell(name))
        return cell if text is None else {**cell, "source": text}

    def insert(self, name, cell, by=0):
        """Puts a cell, or a code cell with this source, before the named one, or `by` cells on."""
        if isinstance(cell, str):
            cell = {"cell_type": "code", "metadata": {}, "source": cell, "outputs": [],
                    "execution_count": None, "id": "own"}  # fmt: skip
        self.nb["cells"].insert(self.index(name) + by, cell)

    def remove(self, *names):
        for name in names:
            del self.nb["cells"][self.index(name)]

    def strip(self):
        for cell in self.nb["cells"]:
            cell["metadata"] = {}

    def text(self, **options):
        return json.dumps(self.nb, **options)

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.filename is not None:
            path = self.folder / self.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            content = self.text() if self.content is None else self.content
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
