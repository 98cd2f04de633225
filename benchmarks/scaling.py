"""Where one coordinator saturates: how many notebooks a second it can send out and save.

    python benchmarks/scaling.py [--students N] [--copies N]

Grades a class for real with one job, then has the same results come back at once, for a class
that is so much larger as `--copies` says; what is left is the coordinator: reading, sanitising,
gradebook and files. Prints notebooks per second of both, how many workers one coordinator feeds,
what a class of 10, 1,000 and 100,000 students costs by that, and how the coordinator's time for a
notebook and its memory change from the first quarter of the class to the last.
"""

from __future__ import annotations

import argparse
import copy
import functools
import shutil
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import psutil
from classes import ASSIGNMENT, build

from graders.grading import batch, demo, pools

PER_STUDENT = len(demo.NOTEBOOKS)


class Remembering(Executor):
    """Runs tasks in a pool and remembers what came of them."""

    def __init__(self, results: dict[tuple[str, str], Any]) -> None:
        self._pool = pools.local(1)
        self._results = results
        self._max_workers = 1

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits to the pool."""
        [task] = args
        future = self._pool.submit(fn, task)
        future.add_done_callback(
            lambda done: self._results.update({(task.student, task.notebook): done.result()})
        )
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the pool."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


class AtOnce(Executor):
    """Has every result already."""

    _max_workers = 2

    def __init__(self, results: dict[tuple[str, str], Any], students: int) -> None:
        self._results = results
        self._students = students

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Gives the result of the student whose copy this one is."""
        [task] = args
        number = int(task.student.removeprefix("student")) % self._students
        notebook, rows = self._results[f"student{number:03}", task.notebook]
        notebook = copy.deepcopy(notebook)
        notebook.metadata[batch.KEY]["digest"] = task.digest
        future: Future[Any] = Future()
        future.set_result((notebook, rows))
        return future


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--students", type=int, default=6, help="students graded for real")
    parser.add_argument("--copies", type=int, default=20, help="how often the class is repeated")
    options = parser.parse_args()
    results: dict[tuple[str, str], Any] = {}
    with tempfile.TemporaryDirectory(prefix="scaling-") as scratch:
        Path(scratch).chmod(0o755)
        course = build(Path(scratch) / "course", options.students)
        batch.autograde(course, ASSIGNMENT, pool=functools.partial(pools.local, 1))
        started = time.perf_counter()
        report = batch.autograde(course, ASSIGNMENT, force=True, pool=lambda: Remembering(results))
        worker = (time.perf_counter() - started) / len(report.graded)
        for number in range(options.students, options.students * options.copies):
            one = course.folder("submitted", f"student{number % options.students:03}", ASSIGNMENT)
            shutil.copytree(one, course.folder("submitted", f"student{number:03}", ASSIGNMENT))
        times: list[float] = []
        memory: list[int] = []

        def note(*_: Any) -> None:
            times.append(time.perf_counter())
            memory.append(psutil.Process().memory_full_info().uss)

        started = time.perf_counter()
        report = batch.autograde(
            course, ASSIGNMENT, force=True, progress=note,
            pool=lambda: AtOnce(results, options.students),
        )  # fmt: skip
        coordinator = (time.perf_counter() - started) / len(report.graded)
    if report.failures:
        raise SystemExit(f"These could not be graded: {report.failures}")
    quarter = len(times) // 4
    first = (times[quarter] - times[0]) / quarter
    last = (times[-1] - times[-1 - quarter]) / quarter
    print(f"one job: {worker:.2f} s a notebook, {1 / worker:.1f} notebooks/s")
    print(
        f"coordinator alone, {len(times)} notebooks: {coordinator:.3f} s a notebook, "
        f"{1 / coordinator:.1f} notebooks/s; first quarter {first:.3f} s, last {last:.3f} s"
    )
    print(
        f"its own memory: {memory[quarter] / 2**20:.0f} MiB after the first quarter, "
        f"{memory[-1] / 2**20:.0f} MiB at the end"
    )
    print(f"workers that one coordinator feeds: {worker / coordinator:.0f}")  # fmt: skip
    for students in (10, 1_000, 100_000):
        count = students * PER_STUDENT
        print(
            f"{students:>7,} students, {count:>7,} notebooks: {_spoken(count * worker):>6} for one "
            f"job; at least {_spoken(count * coordinator)}, however many workers"
        )


def _spoken(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
