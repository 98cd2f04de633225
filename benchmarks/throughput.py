"""How fast a class is graded: stock nbgrader, this kit with one job and two, and the floor.

Builds a class from the answer bank and grades it in every way, interleaved, several times.
Prints medians, ratios, and where the processor time of a notebook goes.

    python benchmarks/throughput.py [--students N] [--rounds N]

* stock: `nbgrader autograde` with nbgrader's own Execute and a cold kernel per notebook;
* one job, two jobs: `graders autograde --jobs N`;
* floor: the same cells with `exec` in a forked process that has imported everything, with a
  warm compilation cache: no kernel, no nbgrader, no protection.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from graders.grading import answers, cache, demo
from graders.grading.course import Course, release

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = demo.ASSIGNMENT


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
    parser.add_argument("--students", type=int, default=6, help="students in the class")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="throughput-") as scratch:
        course = build(Path(scratch) / "course", options.students)
        count = options.students * len(demo.NOTEBOOKS)
        print(f"{options.students} students, {count} notebooks, {os.cpu_count()} cores", flush=True)
        started = time.perf_counter()
        cache.with_cache(course, ASSIGNMENT, course.settings())
        print(
            f"filling the compilation cache, once per course: {time.perf_counter() - started:.1f} s"
        )
        ways: dict[str, Callable[[], Spent]] = {
            "stock nbgrader": lambda: stock(course),
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
    print(table(spent, count))


def build(folder: Path, students: int) -> Course:
    """A course with a class made of right and wrong answers in turn, and no loop that hangs."""
    bank = ROOT / "tests" / "answers"
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for exercise in demo.NOTEBOOKS:
        shutil.copytree(
            bank / exercise / "right", folder / "tests" / "answers" / exercise / "right"
        )
    course = Course(folder)
    released = release(course, ASSIGNMENT)
    for student in range(students):
        target = course.folder("submitted", f"student{student:03}", ASSIGNMENT)
        target.mkdir(parents=True)
        for number, (exercise, name) in enumerate(demo.NOTEBOOKS.items()):
            kind = "right" if (student + number) % 2 else "wrong"
            found = [
                answer
                for answer in answers.find(bank, exercise, kind)
                if "unbounded" not in "".join(answer.expect)
            ]
            notebook = nbformat.read(released / f"{name}.ipynb", as_version=4)
            turn = 7 * student + number
            cells = answers.all_cells(bank, exercise, turn) | found[turn % len(found)].cells
            nbformat.write(answers.fill(notebook, cells), target / f"{name}.ipynb")
    return course


def run(command: list[str], **environment: str) -> Spent:
    """Runs a command to its end and measures it with everything that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )  # fmt: skip
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def stock(course: Course) -> Spent:
    """Stock nbgrader, with the same notebooks and tests."""
    config = course.root / "nbgrader_config.py"
    ours = config.read_text()
    config.write_text(
        "c = get_config()\nc.ExecutePreprocessor.timeout = 120\nc.Execute.timeout = 120\n"
    )
    try:
        return run(
            [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT, "--force",
             f"--CourseDirectory.root={course.root}"],
            PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        )  # fmt: skip
    finally:
        config.write_text(ours)


def kit(course: Course, jobs: int) -> Spent:
    """This project's command."""
    return run(
        [sys.executable, "-m", "graders.grading.cli", "autograde", ASSIGNMENT, "--force",
         "--course", str(course.root), "--jobs", str(jobs), "--quiet"]
    )  # fmt: skip


def floor(course: Course) -> Spent:
    """The cells alone; run in a process of its own, so that its imports are counted once."""
    settings = cache.with_cache(course, ASSIGNMENT, course.settings())
    return run([sys.executable, __file__, "--floor", str(course.root)], **settings.environment)


def run_floor(root: Path) -> None:
    """Executes every submission's cells, each notebook in a forked child, one at a time."""
    import jax.numpy  # noqa: F401

    import graders.perform  # noqa: F401
    from graders.checks import recording

    course = Course(root)
    sources = course.sources(ASSIGNMENT)
    for student in course.students(ASSIGNMENT):
        for name, source in sources.items():
            path = course.folder("submitted", student, ASSIGNMENT) / f"{name}.ipynb"
            submission = nbformat.read(path, as_version=4)
            tests = {
                cell.metadata.nbgrader.grade_id: cell.source
                for cell in source.cells
                if cell.metadata.get("nbgrader", {}).get("grade")
            }
            child = os.fork()
            if child == 0:
                namespace: dict[str, object] = {}
                with recording(lambda result: None):
                    for cell in submission.cells:
                        if cell.cell_type == "code":
                            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
                            try:
                                exec(tests.get(grade_id, cell.source), namespace)
                            except Exception:
                                pass
                os._exit(0)
            os.waitpid(child, 0)


def table(spent: dict[str, list[Spent]], count: int) -> str:
    """Medians and ratios."""
    base = statistics.median(item.wall for item in spent["stock nbgrader"])
    least = statistics.median(item.processor for item in spent["floor"])
    lines = ["", f"{'':<16}{'s/notebook':>12}{'notebooks/s':>13}{'× stock':>9}"
                 f"{'cpu s/notebook':>16}{'× floor':>9}"]  # fmt: skip
    for name, items in spent.items():
        wall = statistics.median(item.wall for item in items)
        processor = statistics.median(item.processor for item in items)
        lines.append(
            f"{name:<16}{wall / count:>12.2f}{count / wall:>13.2f}{base / wall:>9.1f}"
            f"{processor / count:>16.2f}{processor / least:>9.1f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--floor"]:
        run_floor(Path(sys.argv[2]))
    else:
        main()
