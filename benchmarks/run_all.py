"""What Run All on a solved notebook costs a student: a cold stock kernel, one core, no cache.

Fills each release notebook with a right answer from the bank, runs it with nbclient in a fresh
ipykernel, everything pinned to one core, and prints the seconds from starting the kernel to the
end of the last cell. The last column has the longest that a check took until it first said
something, which should be below half a second.

    python benchmarks/run_all.py [--rounds N] [--core N] [--cells]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from graders.grading import answers, demo

ROOT = Path(__file__).resolve().parent.parent
RELEASE = ROOT / "release" / demo.ASSIGNMENT
TYPICAL = {
    "returns": "textbook", "newton": "textbook", "softmax": "plain", "piecewise": "reference-like",
    "quiz": "as_asked",
}  # fmt: skip
"""For each exercise the right answer that most students would give."""

GOAL = 6.0
"""Seconds that Run All may take."""


class Timed(NotebookClient):
    """Runs a notebook and notes when each cell begins, first shows something, and ends."""

    def __init__(self, notebook: Any, **options: Any) -> None:
        super().__init__(notebook, **options)
        self.begun: dict[int, float] = {}
        self.shown: dict[int, float] = {}
        self.ended: dict[int, float] = {}
        self.on_cell_execute = lambda cell, cell_index: self._note(self.begun, cell_index)
        self.on_cell_executed = lambda cell, cell_index, execute_reply: self._note(
            self.ended, cell_index
        )

    def _note(self, notes: dict[int, float], index: int) -> None:
        notes.setdefault(index, time.perf_counter())

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        if msg["msg_type"] == "display_data":
            self._note(self.shown, cell_index)
        return super().process_message(msg, cell, cell_index)


def main() -> None:
    """Measures, and says whether the goal is met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run")
    parser.add_argument("--core", type=int, default=0, help="the core to run on")
    parser.add_argument("--cells", action="store_true", help="print the seconds of each cell")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core})
    print(f"{'notebook':<24}{'median':>8}{'worst':>8}{'a check is silent for':>24}")
    slow = []
    for exercise, name in demo.NOTEBOOKS.items():
        walls, waits = [], []
        for _ in range(options.rounds):
            wall, wait, cells = run(exercise)
            walls.append(wall)
            waits.append(wait)
        print(f"{name:<24}{statistics.median(walls):7.2f}s{max(walls):7.2f}s{max(waits):23.2f}s")
        if options.cells:
            for grade_id, seconds in cells.items():
                print(f"    {grade_id:<28}{seconds:6.2f}s")
        if statistics.median(walls) > GOAL:
            slow.append(name)
    print(f"over {GOAL:g} s: {', '.join(slow)}" if slow else f"all end within {GOAL:g} s")
    raise SystemExit(bool(slow))


def solved(exercise: str) -> NotebookNode:
    """An exercise's release notebook with typical right answers."""
    right = ROOT / "tests" / "answers" / exercise / "right" / f"{TYPICAL[exercise]}.py"
    release = nbformat.read(RELEASE / f"{demo.NOTEBOOKS[exercise]}.ipynb", as_version=4)
    return answers.fill(release, answers.read(right).cells)


def run(exercise: str) -> tuple[float, float, dict[str, float]]:
    """Runs one notebook.

    Returns:
        Seconds in all; the longest that a check took to say something; seconds by cell.

    Raises:
        nbclient.exceptions.CellExecutionError: if a check does not pass.
    """
    notebook = solved(exercise)
    for variable in ("JAX_COMPILATION_CACHE_DIR", "NBGRADER_EXECUTION"):
        os.environ.pop(variable, None)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        client = Timed(
            notebook, kernel_name="python3", timeout=120,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--IPKernelApp.log_level=40"],
        )  # fmt: skip
        client.execute()
        wall = time.perf_counter() - started
    begun, shown = client.begun, client.shown
    wait = max((shown[index] - begun[index] for index in shown), default=0.0)
    spent = {
        cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): client.ended[index]
        - begun[index]
        for index, cell in enumerate(notebook.cells)
        if index in client.ended
    }
    return wall, wait, spent


if __name__ == "__main__":
    main()
