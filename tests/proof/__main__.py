"""Measures the graders: on the bank of answers, on mutants, and under other conditions.

    python -m tests.proof [--seeds N] [PYTHON...]

The verdicts are compared under each PYTHON, an interpreter with this project installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from functools import partial
from multiprocessing import get_context
from multiprocessing.pool import Pool

os.environ["JAX_PLATFORMS"] = "cpu"

from tests.proof import mutants, trials
from tests.versions.settings import compare

_PARTS = 16  # of the bank and of the mutants, so that all processes are done at about one time


def _share(count: int, total: int) -> str:
    return f"{count}/{total}"


def _tell(headline: str, details: Iterable[str] = ()) -> None:
    print(headline, *details, sep="\n    ", flush=True)


def _bank(pool: Pool, seeds: int) -> int:
    """Prints what became of the bank; how many things are not as they should be."""
    found: list[trials.Trial] = []
    try_part = partial(trials.part, parts=_PARTS, seeds=seeds)
    for number, part in enumerate(pool.imap_unordered(try_part, range(_PARTS)), 1):
        print(f"tried {number} of {_PARTS} parts of the bank", file=sys.stderr, flush=True)
        found += part
    done = sorted(found, key=lambda trial: trial.name)
    right = [trial for trial in done if trial.right]
    wrong = [trial for trial in done if not trial.right]
    failed = [trial for trial in right if not trial.passed]
    passed = [trial for trial in wrong if trial.passed]
    misnamed = [trial for trial in wrong if not trial.named]
    by_seed = [trial for trial in done if trial.seeds]
    by_tolerance = [trial for trial in done if trial.tolerances]
    _tell(f"right passed {_share(len(right) - len(failed), len(right))}",
          (f"{t.name} is told {', '.join(t.told)}" for t in failed))  # fmt: skip
    _tell(f"wrong caught {_share(len(wrong) - len(passed), len(wrong))}",
          (t.name for t in passed))  # fmt: skip
    _tell(f"named {_share(len(wrong) - len(misnamed), len(wrong))}",
          (f"{t.name}: {t.told} for {t.expect}" for t in misnamed))  # fmt: skip
    for exercise in sorted({trial.exercise for trial in wrong}):
        _tell(f"confusion matrix of {exercise}",
              trials.matrix(t for t in wrong if t.exercise == exercise))  # fmt: skip
    off = {pair: n for pair, n in trials.confusion(wrong).items() if pair[0] != pair[1]}
    _tell(f"off the diagonal {sum(off.values())}",
          (f"{a} named {b}: {n}" for (a, b), n in off.items()))  # fmt: skip
    changed = sum(len(t.seeds) for t in by_seed)
    _tell(f"verdict changes over {seeds} seeds: {changed}",
          (f"{t.name}: seeds {', '.join(map(str, t.seeds))}" for t in by_seed))  # fmt: skip
    _tell(f"verdict changes with tolerances halved (right) and doubled (wrong): "
          f"{len(by_tolerance)}", (t.name for t in by_tolerance))  # fmt: skip
    return len(failed) + len(misnamed) + len(by_seed) + len(by_tolerance)


def _all_mutants(pool: Pool) -> int:
    """Prints what became of the mutants; how many things are not as they should be."""
    try_part = partial(mutants.part, parts=_PARTS)
    found = [one for part in pool.imap_unordered(try_part, range(_PARTS)) for one in part]
    listed = mutants.EQUIVALENT
    caught = {name for _, name, codes in found if codes}
    survivors = {name for _, name, codes in found if not codes}
    _tell(f"mutants caught {_share(len(caught), len(found) - len(survivors & listed.keys()))}",
          sorted(survivors - listed.keys()))  # fmt: skip
    _tell(f"equivalent mutants {len(survivors & listed.keys())}",
          (f"{name}\n        {reason}" for name, reason in listed.items()))  # fmt: skip
    wrongly = sorted(caught & listed.keys()) + sorted(listed.keys() - caught - survivors)
    if wrongly:
        _tell("listed as equivalent, but caught or not there", wrongly)
    return len(survivors - listed.keys()) + len(wrongly)


def main() -> int:
    """Prints the counts; 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--seeds", type=int, default=trials.SEEDS)
    options = parser.parse_args()
    # JAX keeps what it compiles, so that a process that goes on for long takes much memory.
    # Not an executor with `max_tasks_per_child`: that one comes to a standstill in Python 3.13.
    with get_context("spawn").Pool(os.cpu_count(), maxtasksperchild=2) as pool:
        amiss = _bank(pool, options.seeds) + _all_mutants(pool)
    changes = 0
    for compared in compare(options.pythons):
        changes += len(compared.changes)
        _tell(f"{compared.setting}: {compared.count} answers, {len(compared.changes)} changes",
              compared.changes)  # fmt: skip
    _tell(f"verdict changes over versions and settings: {changes}")
    return min(amiss + changes, 1)


if __name__ == "__main__":
    sys.exit(main())
