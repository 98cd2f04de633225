"""Where the processor time of grading a notebook goes.

    python benchmarks/breakdown.py [--students N]

Grades a class made from the answer bank in one process and one kernel after the other, and
prints seconds per notebook for each kind of notebook:

* kernel: forking, confining and starting it, talking to it and ending it;
* cells: the student's own cells;
* checks: calling the student's functions in the kernel (`compile` is the part of it in which
  JAX traces, lowers and compiles, by its own counters, in a process without a kernel);
* judge: judging what was observed;
* nbgrader: sanitising, gradebook, writing the graded notebook;
* rest: everything else in the driver, for all notebooks together.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import psutil
import throughput
from classes import ASSIGNMENT, build

from graders.grading import batch, demo
from graders.grading.connection import Connection
from graders.grading.course import Course
from graders.grading.writer import Writer

PARTS = ("kernel", "cells", "checks", "compile", "judge", "nbgrader", "rest")


class Spent:
    """Processor seconds by notebook and part.

    Attributes:
        notebook: the notebook that is graded at present.
        talking: seconds in this process that belong to no part but `kernel`.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Counter[str]] = defaultdict(Counter)
        self.notebook = ""
        self.talking = 0.0

    def add(self, part: str, seconds: float) -> None:
        """Counts seconds for the notebook that is graded at present."""
        self.parts[self.notebook][part] += seconds  # type: ignore[assignment]


class Here(Executor):
    """Runs a task where it is submitted, and notes what it took."""

    _max_workers = 1

    def __init__(self, spent: Spent) -> None:
        self._spent = spent

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs it."""
        future: Future[Any] = Future()
        self._spent.notebook = args[0].notebook
        started, talked = time.process_time(), self._spent.talking
        future.set_result(fn(*args, **kwargs))
        spent = time.process_time() - started - (self._spent.talking - talked)
        self._spent.add("judge", spent)
        return future


def measure(spent: Spent) -> None:
    """Has nbgrader's part and the kernels note what they take."""
    for name in ("sanitise", "save"):
        _timed(Writer, name, spent)
    execute, close = Connection.execute, Connection.close
    seen: dict[Connection, float] = {}

    def talked(started: float) -> None:
        spent.add("kernel", time.process_time() - started)
        spent.talking += time.process_time() - started

    async def timed_execute(self: Connection, *args: Any, history: bool = True) -> Any:
        if self not in seen:
            seen[self] = _kernel_seconds(self)
            spent.add("kernel", seen[self])
        started = time.process_time()
        try:
            return await execute(self, *args, history=history)
        finally:
            talked(started)
            now = _kernel_seconds(self)
            spent.add("cells" if history else "checks", now - seen[self])
            seen[self] = now

    async def timed_close(self: Connection) -> None:
        started = time.process_time()
        await close(self)
        talked(started)

    Connection.execute = timed_execute  # type: ignore[method-assign]
    Connection.close = timed_close  # type: ignore[method-assign]


def _timed(owner: Any, name: str, spent: Spent) -> None:
    function = getattr(owner, name)

    def timed(self: Any, student: str, notebook: str, *args: Any) -> Any:
        started = time.process_time()
        spent.notebook = notebook
        try:
            return function(self, student, notebook, *args)
        finally:
            spent.add("nbgrader", time.process_time() - started)

    setattr(owner, name, timed)


def _kernel_seconds(connection: Connection) -> float:
    total = 0.0
    try:
        keeper = psutil.Process(connection._manager.provisioner.pid)
        for process in (keeper, *keeper.children(recursive=True)):
            times = process.cpu_times()
            total += times.user + times.system
    except psutil.NoSuchProcess:
        pass
    return total


def compile_seconds(course: Course) -> Counter[str]:
    """Seconds in which JAX traces, lowers and compiles, for each notebook of the whole class."""
    told = subprocess.run(
        [sys.executable, throughput.__file__, "--floor"], cwd=course.root, check=True, text=True,
        stdout=subprocess.PIPE, env={**os.environ, **throughput.floor_environment(course)},
    ).stdout  # fmt: skip
    total: Counter[str] = Counter()
    for line in told.splitlines():
        name, _, seconds = line.rpartition(" ")
        total[name] += float(seconds)  # type: ignore[assignment]
    return total


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--students", type=int, default=6, help="students in the class")
    options = parser.parse_args()
    spent = Spent()
    with tempfile.TemporaryDirectory(prefix="breakdown-") as scratch:
        Path(scratch).chmod(0o755)
        course = build(Path(scratch) / "course", options.students)
        compiled = compile_seconds(course)
        batch.autograde(course, ASSIGNMENT, pool=lambda: Here(Spent()))  # imports everything
        measure(spent)
        started = time.process_time()
        report = batch.autograde(course, ASSIGNMENT, force=True, pool=lambda: Here(spent))
        here = time.process_time() - started
    if report.failures:
        raise SystemExit(f"These could not be graded: {report.failures}")
    print(f"processor seconds per notebook, mean of {options.students}")
    print(f"{'':<22}" + "".join(f"{part:>10}" for part in PARTS) + f"{'all':>10}")
    every: Counter[str] = Counter()
    for name in compiled:
        part = spent.parts[name]
        part["compile"] = compiled[name]
        every.update(part)
        print(_line(name, part, options.students))
    accounted = every["judge"] + every["nbgrader"] + spent.talking
    every["rest"] = here - accounted  # type: ignore[assignment]
    print(_line("mean", every, options.students * len(demo.NOTEBOOKS)))


def _line(name: str, part: Counter[str], count: int) -> str:
    whole = sum(part[key] for key in PARTS if key != "compile")
    cells = "".join(f"{part[key] / count:>10.3f}" for key in PARTS)
    return f"{name:<22}{cells}{whole / count:>10.3f}"


if __name__ == "__main__":
    main()
