"""How fast a class is graded: stock nbgrader, this kit with one job and two, and the floor.

Builds a class from the answer bank and grades it in every way, interleaved, several times.
Prints medians and ratios, and where the time goes, as `breakdown.py` finds it. Processor time is
the whole machine's, because kernels are nobody's children; so nothing else should run.

    python benchmarks/throughput.py [--students N] [--rounds N]

* stock nbgrader: `nbgrader autograde` with nbgrader's own Execute and a cold kernel per notebook,
  where JAX compiles what a test calls, as it does for tests that are plain assertions;
* stock, our tests: the same with the tests as they are, most of which compile nothing;
* one job, two jobs: `graders autograde --jobs N`;
* floor: the same cells with `exec` in a forked process that has imported everything, with a
  warm compilation cache: no kernel, no nbgrader, no protection.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from classes import ASSIGNMENT, build
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from graders.grading import cache, demo
from graders.grading.course import Course

STOCK_CONFIG = "c = get_config()\nc.ExecutePreprocessor.timeout = 120\n"

COMPILE_ALL = """
import contextlib
from graders import eager, stepwise
eager.computing = contextlib.nullcontext
stepwise.MAX_OPERATIONS = -1
del contextlib, eager, stepwise
"""
"""Run by IPython at its start: what a test calls is compiled."""


@dataclass(frozen=True)
class Spent:
    """Wall and processor seconds of one run over the class."""

    wall: float
    processor: float


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--students", type=int, default=12, help="students in the class")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="throughput-") as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        course = build(folder / "course", options.students)
        # Stock nbgrader has a course, and so a gradebook, of its own.
        stock_course = build(folder / "stock", options.students)
        (stock_course.root / "nbgrader_config.py").write_text(STOCK_CONFIG)
        profile = folder / "ipython"
        startup = profile / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "compile_all.py").write_text(COMPILE_ALL)
        count = options.students * len(demo.NOTEBOOKS)
        print(f"{options.students} students, {count} notebooks, {os.cpu_count()} cores", flush=True)
        started = time.perf_counter()
        cache.with_cache(course, ASSIGNMENT, course.settings())
        seconds = time.perf_counter() - started
        print(f"filling the compilation cache, once per course: {seconds:.1f} s", flush=True)
        ways: dict[str, Callable[[], Spent]] = {
            "stock nbgrader": lambda: stock(stock_course, IPYTHONDIR=str(profile)),
            "stock, our tests": lambda: stock(stock_course),
            "graders, 1 job": lambda: kit(course, 1),
            "graders, 2 jobs": lambda: kit(course, 2),
            "floor": lambda: floor(course),
        }
        spent: dict[str, list[Spent]] = {name: [] for name in ways}
        for number in range(options.rounds):
            for name, run in ways.items():
                spent[name].append(run())
                last = spent[name][-1]
                print(f"  round {number + 1}, {name}: {last.wall:.1f} s", flush=True)
        same, of = compare(course, stock_course)
    print(table(spent, count))
    print(f"{same} of {of} notebooks have the same mark from stock nbgrader\n", flush=True)
    breakdown = [sys.executable, str(Path(__file__).with_name("breakdown.py"))]
    subprocess.run(breakdown, check=True, stderr=subprocess.DEVNULL)


def run(command: list[str], folder: Path, **environment: str) -> Spent:
    """Runs a command to its end and measures it with everything that it started."""
    before = _processor()
    started = time.perf_counter()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PATH": path, **environment},
    )  # fmt: skip
    return Spent(time.perf_counter() - started, _processor() - before)


def _processor() -> float:
    """Seconds that the machine's processors have worked."""
    times = psutil.cpu_times()
    return float(times.user + times.system)


def stock(course: Course, **environment: str) -> Spent:
    """Stock nbgrader, with the same notebooks and tests."""
    command = [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT, "--force"]
    return run(command, course.root, **environment)


def kit(course: Course, jobs: int) -> Spent:
    """This project's command."""
    return run(
        [sys.executable, "-m", "graders", "autograde", ASSIGNMENT, "--force",
         "--jobs", str(jobs), "--quiet"],
        course.root,
    )  # fmt: skip


def floor(course: Course) -> Spent:
    """The cells alone; run in a process of its own, so that its imports are counted once."""
    return run([sys.executable, __file__, "--floor"], course.root, **floor_environment(course))


def floor_environment(course: Course) -> dict[str, str]:
    """The environment variables with which `--floor` reads the course's compilation cache."""
    settings = cache.with_cache(course, ASSIGNMENT, course.settings())
    return {"OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", **settings.environment}


def run_floor(root: Path) -> None:
    """Executes every submission's cells, each notebook in a forked child, one at a time.

    Each child prints the notebook's name and the seconds in which JAX traced, lowered and compiled.
    """
    import jax.numpy

    import graders.perform  # noqa: F401

    spent = [0.0]

    def listen(event: str, seconds: float, **_: object) -> None:
        if event.startswith("/jax/core/compile/"):
            spent[0] += seconds

    jax.monitoring.register_event_duration_secs_listener(listen)

    course = Course(root)
    sources = course.sources(ASSIGNMENT)
    for student in course.students(ASSIGNMENT):
        for name, source in sources.items():
            path = course.folder("submitted", student, ASSIGNMENT) / f"{name}.ipynb"
            child = os.fork()
            if child == 0:
                with contextlib.redirect_stdout(io.StringIO()):
                    execute_cells(path, source)
                print(name, spent[0], flush=True)
                os._exit(0)
            os.waitpid(child, 0)


def execute_cells(path: Path, source: NotebookNode) -> None:
    """Executes a submission's cells in this process, with the tests of the source notebook."""
    from graders.checks import recording

    tests = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in source.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
    namespace: dict[str, object] = {}
    with recording(lambda result: None):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
                try:
                    exec(tests.get(grade_id, cell.source), namespace)
                except Exception:
                    pass


def compare(course: Course, other: Course) -> tuple[int, int]:
    """How many of the notebooks have the same mark in both courses' gradebooks, and of how many."""
    marks = []
    for each in (course, other):
        with Gradebook(f"sqlite:///{each.root / 'gradebook.db'}", each.directory.course_id) as book:
            marks.append(
                {
                    (entry.student.id, notebook.name): notebook.score
                    for entry in book.assignment_submissions(ASSIGNMENT)
                    for notebook in entry.notebooks
                }
            )
    return sum(marks[1].get(key) == mark for key, mark in marks[0].items()), len(marks[0])


def table(spent: dict[str, list[Spent]], count: int) -> str:
    """Medians and ratios."""
    base = statistics.median(item.wall for item in spent["stock nbgrader"])
    least = statistics.median(item.processor for item in spent["floor"])
    lines = ["", f"{'':<18}{'s/notebook':>12}{'notebooks/s':>13}{'× stock':>9}"
                 f"{'cpu s/notebook':>16}{'× floor':>9}"]  # fmt: skip
    for name, items in spent.items():
        wall = statistics.median(item.wall for item in items)
        processor = statistics.median(item.processor for item in items)
        lines.append(
            f"{name:<18}{wall / count:>12.2f}{count / wall:>13.2f}{base / wall:>9.1f}"
            f"{processor / count:>16.2f}{processor / least:>9.1f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--floor"]:
        run_floor(Path.cwd())
    else:
        main()
