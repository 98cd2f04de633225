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
* rest: everything else in the driver.
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


class Here(Executor):
    """Runs a task where it is submitted, and notes what it took."""

    _max_workers = 1

    def __init__(self, spent: Counter[str]) -> None:
        self._spent = spent

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs it."""
        future: Future[Any] = Future()
        started = time.process_time(), self._spent["here"]
        future.set_result(fn(*args, **kwargs))
        talked = self._spent["here"] - started[1]
        self._spent["judge"] += time.process_time() - started[0] - talked
        return future


def measure(spent: Counter[str]) -> None:
    """Has nbgrader's part and the kernels note what they take."""
    for name in ("begin", "sanitise", "save"):
        _timed(Writer, name, spent)
    opened, execute, close = Connection.open, Connection.execute, Connection.close
    seen: dict[Connection, float] = {}

    async def timed_open(self: Connection) -> None:
        # Its own share of this process is small and runs beside other work: it counts as rest.
        await opened(self)

    async def timed_execute(self: Connection, *args: Any, history: bool = True) -> Any:
        if self not in seen:
            seen[self] = _kernel_seconds(self)
            spent["kernel"] += seen[self]
        started = time.process_time()
        try:
            return await execute(self, *args, history=history)
        finally:
            here = time.process_time() - started
            spent["kernel"] += here
            spent["here"] += here
            now = _kernel_seconds(self)
            spent["cells" if history else "checks"] += now - seen[self]
            seen[self] = now

    async def timed_close(self: Connection) -> None:
        started = time.process_time()
        await close(self)
        spent["kernel"] += time.process_time() - started
        spent["here"] += time.process_time() - started

    Connection.open, Connection.execute = timed_open, timed_execute  # type: ignore[method-assign]
    Connection.close = timed_close  # type: ignore[method-assign]


def _timed(owner: Any, name: str, spent: Counter[str]) -> None:
    function = getattr(owner, name)

    def timed(*args: Any, **kwargs: Any) -> Any:
        started = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            spent["nbgrader"] += time.process_time() - started

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
    spent: Counter[str] = Counter()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory(prefix="breakdown-") as scratch:
        Path(scratch).chmod(0o755)
        course = build(Path(scratch) / "course", options.students)
        compiled = compile_seconds(course)
        batch.autograde(course, ASSIGNMENT, pool=lambda: Here(Counter()))  # imports everything
        measure(spent)
        last = [Counter[str](), time.process_time()]

        def note(student: str, notebook: str, *_: Any) -> None:
            now = time.process_time()
            part = Counter(spent)
            part.subtract(last[0])
            own = part["judge"] + part["here"] + part["nbgrader"]
            part["rest"] = now - last[1] - own  # type: ignore[operator]
            table[notebook].update(part)
            last[:] = [Counter(spent), time.process_time()]

        batch.autograde(course, ASSIGNMENT, force=True, pool=lambda: Here(spent), progress=note)
    print(f"processor seconds per notebook, mean of {options.students}")
    print(f"{'':<22}" + "".join(f"{part:>10}" for part in PARTS) + f"{'all':>10}")
    every: Counter[str] = Counter()
    for name, part in table.items():
        part["compile"] = compiled[name]
        every.update(part)
        print(_line(name, part, options.students))
    print(_line("mean", every, options.students * len(demo.NOTEBOOKS)))


def _line(name: str, part: Counter[str], count: int) -> str:
    whole = sum(part[key] for key in PARTS if key != "compile")
    cells = "".join(f"{part[key] / count:>10.3f}" for key in PARTS)
    return f"{name:<22}{cells}{whole / count:>10.3f}"


if __name__ == "__main__":
    main()
