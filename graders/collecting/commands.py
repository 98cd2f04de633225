"""`graders collect`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from graders.collecting import archives
from graders.collecting.take import EARLIER, TAKEN, UNCHANGED, Receipt, take
from graders.exporting import sheets
from graders.grading.course import Course, CourseError

_HEADER = (
    "student", "file", "name", "status", "time", "late", "sha256", "bytes", "answered", "of",
)  # fmt: skip


def add_commands(command: Callable[[str, object, str], argparse.ArgumentParser]) -> None:
    """Adds the subcommand to the `graders` command."""
    sub = command("collect", _collect, "Take in a bulk download of Canvas or Moodle.")
    sub.add_argument(
        "--from", dest="source", type=Path, required=True, metavar="DIR|ZIP", help="the download"
    )
    sub.add_argument(
        "--times",
        action="store_true",
        help="the files' times are those of handing in: count lateness from them",
    )


def _collect(options: argparse.Namespace) -> int:
    course = Course(options.course)
    course.sources(options.assignment)
    try:
        receipts = take(
            course, options.assignment, archives.files(options.source), times=options.times
        )
    except ValueError as error:
        raise CourseError(str(error)) from None
    path = course.root / "ledger" / f"{options.assignment}.receipts.csv"
    sheets.write(path, _HEADER, [_row(receipt) for receipt in receipts])
    print(summary(receipts))
    print(f"Wrote a receipt for each file into {path}")
    return 1 if any(receipt.refused for receipt in receipts) else 0


def _row(receipt: Receipt) -> Sequence[sheets.Value]:
    return (
        receipt.student, receipt.path, receipt.target, receipt.status,
        f"{receipt.time:%Y-%m-%d %H:%M:%S}" if receipt.time else None,
        "late" if receipt.late else None, receipt.digest, receipt.size, receipt.answered,
        receipt.of or None,
    )  # fmt: skip


def summary(receipts: Sequence[Receipt]) -> str:
    """What a download came to, with what was refused and why."""
    kinds = {
        kind: [r for r in receipts if r.status == kind] for kind in (TAKEN, UNCHANGED, EARLIER)
    }
    students = {receipt.student for receipt in (*kinds[TAKEN], *kinds[UNCHANGED])}
    lines = [
        f"{len(students)} students: {len(kinds[TAKEN])} files taken, {len(kinds[UNCHANGED])} are "
        f"as they were, {len(kinds[EARLIER])} are earlier attempts."
    ]
    lines += [f"REFUSED: {r.path}: {r.status}" for r in receipts if r.refused]
    return "\n".join(lines)
