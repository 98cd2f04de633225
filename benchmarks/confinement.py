"""What confinement costs: seconds to grade a solved notebook with it and without, and their ratio.

    python benchmarks/confinement.py [--rounds N] [--notebook FILE]

Both ways are measured in turn, each in a worker of its own and each notebook in a kernel of its
own, as in grading. The ratio is the median of the rounds' ratios, so that whatever else the machine
does falls on both; on a busy machine give more rounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from graders.grading import pools
from graders.grading.cache import with_cache
from graders.grading.course import Course
from graders.grading.demo import ASSIGNMENT
from graders.grading.judge import Settings, grade
from graders.kernels import confine

ROOT = Path(__file__).resolve().parent.parent
MODES = ("off", "auto")
LIMIT = 1.10
"""What confinement may cost at most."""


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15, help="how often each way is measured")
    parser.add_argument("--notebook", type=Path,
                        default=ROOT / "source" / ASSIGNMENT / "1-discounted-returns.ipynb",
                        help="a solved one (default: the first exercise's source)")  # fmt: skip
    options = parser.parse_args()
    notebook = nbformat.read(options.notebook, as_version=4)
    print(confine.describe())
    with tempfile.TemporaryDirectory(prefix="confinement-") as scratch:
        settings = with_cache(course(Path(scratch)), ASSIGNMENT, Settings())
        spent: dict[str, list[float]] = {mode: [] for mode in MODES}
        with ExitStack() as stack:
            workers = {mode: stack.enter_context(pools.local(1)) for mode in MODES}
            for number in range(options.rounds + 1):
                for mode in MODES if number % 2 else reversed(MODES):
                    graded = workers[mode].submit(run, notebook, replace(settings, confine=mode))
                    if number:  # the first starts the warm parent
                        spent[mode].append(graded.result())
                    else:
                        graded.result()
    for mode, seconds in spent.items():
        low, middle, high = statistics.quantiles(seconds)
        print(f"{mode:<5}{middle:7.3f} s a notebook (half of them {low:.3f} to {high:.3f})")
    ratio = statistics.median(b / a for a, b in zip(*spent.values(), strict=True))
    verdict = "within" if ratio <= LIMIT else "MORE THAN"
    print(f"with confinement it takes × {ratio:.3f}: {verdict} the 10 % allowed")


def course(folder: Path) -> Course:
    """A course with the real sources, in a place that every user may read."""
    folder.chmod(0o755)
    (folder / "source").symlink_to(ROOT / "source")
    (folder / "nbgrader_config.py").symlink_to(ROOT / "nbgrader_config.py")
    return Course(folder)


def run(notebook: NotebookNode, settings: Settings) -> float:
    """Seconds to grade the notebook."""
    copy = nbformat.from_dict(notebook)
    started = time.perf_counter()
    _, rows = grade(copy, notebook, settings, {})
    seconds = time.perf_counter() - started
    wrong = [row.cell for row in rows if row.score != row.max_score]
    if wrong:
        raise SystemExit(f"{', '.join(wrong)} did not get full marks; give a solved notebook.")
    return seconds


if __name__ == "__main__":
    main()
