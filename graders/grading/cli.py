"""The `graders` command."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from sqlalchemy.exc import SAWarning

from graders.collecting import commands as collecting
from graders.doctor import commands as doctor
from graders.doctor import software
from graders.grading import batch, demo, feedback, pools, tables
from graders.grading.cache import with_cache
from graders.grading.check import check_notebook
from graders.grading.course import Course, CourseError, release
from graders.grading.progress import Progress
from graders.kernels import confine
from graders.lab import commands as lab
from graders.reporting import commands as reporting

_EPILOG = "Exit status: 0 all is well, 1 something was not graded or a check failed, 2 bad input."


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        arguments: the command line without the program's name; `sys.argv` if `None`.

    Returns:
        The exit status: 0, 1 (a check failed, or something was not graded), 2 (bad input),
        130 (interrupted).
    """
    # nbgrader's models add rows before they are in a session; SQLAlchemy warns of each.
    warnings.filterwarnings("ignore", category=SAWarning)
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    options = _parser().parse_args(arguments)
    try:
        if options.run is not doctor.examine:  # which says so itself
            _check_jax()
        return int(options.run(options))
    except CourseError as error:
        print(f"graders: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\ngraders: interrupted. What is graded is saved; the same command goes on from there.",
            file=sys.stderr,
        )
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="graders", description=__doc__, epilog=_EPILOG)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: object, words: str, *, assignment: bool = True
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=words, description=words, epilog=_EPILOG)
        sub.set_defaults(run=run)
        if assignment:
            sub.add_argument("assignment", help="for example control-flow")
            sub.add_argument("--course", type=Path, default=Path(), metavar="DIR",
                             help="the course's folder (default: this one)")  # fmt: skip
        return sub

    command("release", _release, "Generate the students' notebooks and prove that nothing leaks.")
    collecting.add_commands(command)
    sub = command("autograde", _autograde, "Grade the submissions of an assignment.")
    sub.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help="only this one; may be repeated",
    )
    sub.add_argument("--force", action="store_true", help="grade again what was graded already")
    sub.add_argument("--ledger", type=Path, metavar="FILE", help="where the ledger goes")
    sub.add_argument(
        "--confine",
        choices=confine.MODES,
        help="confine student code as far as this machine can (auto), refuse to grade where it "
        "cannot (required), or do not (off); default: what the course's configuration says",
    )
    _pool_options(sub)
    sub.add_argument("--quiet", action="store_true", help="print only what needs attention")
    sub = command("feedback", _feedback, "Write the students' feedback pages.")
    sub.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help="only this one; may be repeated",
    )
    _pool_options(sub)
    reporting.add_commands(command)
    doctor.add_commands(command)
    sub = command(
        "check", _check, "Run a notebook's checks as a student sees them.", assignment=False
    )
    sub.add_argument("notebook", type=Path, help="a notebook file")
    sub.add_argument("--json", action="store_true", help="print the results as JSON")
    sub = command("demo", _demo, "Grade a made-up class in a folder of its own.", assignment=False)
    sub.add_argument(
        "--course", type=Path, default=Path("demo-course"), metavar="DIR", help="that folder"
    )
    _pool_options(sub)
    lab.add_commands(command)
    return parser


def _pool_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=_positive, metavar="N", default=batch.jobs_by_default(),
                        help="worker processes (default: the cores)")  # fmt: skip
    parser.add_argument("--cluster", metavar="ADDRESS",
                        help="the Dask scheduler whose workers to use instead")  # fmt: skip


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give a number above zero")
    return number


def _pool(options: argparse.Namespace) -> Executor:
    return pools.cluster(options.cluster) if options.cluster else pools.local(options.jobs)


def _prepare(course: Course, assignment: str, options: argparse.Namespace) -> None:
    """Has local workers get ready while the course is looked at."""
    if not options.cluster:
        pools.prepare(with_cache(course, assignment, course.settings()))


def _check_jax() -> None:
    if unsupported := software.unsupported_jax():
        raise CourseError(unsupported)


def _release(options: argparse.Namespace) -> int:
    folder = release(Course(options.course), options.assignment)
    print(f"Released {options.assignment}: {folder}")
    return 0


def _autograde(options: argparse.Namespace) -> int:
    course = Course(options.course)
    started = time.monotonic()
    in_force = _confinement(course, options)
    _prepare(course, options.assignment, options)
    report = batch.autograde(
        course, options.assignment, students=options.student, force=options.force,
        ledger_path=options.ledger, pool=lambda: _pool(options),
        progress=Progress(quiet=options.quiet),
    )  # fmt: skip
    stale = sorted(
        {student for student, _ in report.graded}
        & {s for s in course.students(options.assignment)
           if course.folder("feedback", s, options.assignment).is_dir()}
    )  # fmt: skip
    if stale:
        with _pool(options) as executor:
            feedback.generate(course, options.assignment, stale, executor)
    if not options.quiet or report.failures:
        print(f"{tables.run_summary(report, time.monotonic() - started)}\n{in_force}")
    return 1 if report.failures else 0


def _confinement(course: Course, options: argparse.Namespace) -> str:
    """A sentence on how student code is confined; refuses where it has to be and cannot."""
    if options.confine:
        course.config.JudgeAnswers.confine = options.confine
    mode = course.settings().confine
    if options.cluster:
        with _pool(options) as executor:
            offered = executor.submit(confine.available).result()
    else:
        offered = confine.available()
    try:
        confine.check(mode, offered)
    except confine.ConfinementError as error:
        raise CourseError(str(error)) from None
    words = confine.describe(offered, mode)
    if mode == "auto" and offered.missing:
        print(f"graders: warning: {words}", file=sys.stderr)
    return words


def _feedback(options: argparse.Namespace) -> int:
    course = Course(options.course)
    course.sources(options.assignment)
    graded = [
        student
        for student in course.students(options.assignment)
        if course.folder("autograded", student, options.assignment).is_dir()
    ]
    for student in options.student:
        if student not in graded:
            raise CourseError(f"Nothing of {student!r} is graded yet; run graders autograde first.")
    with _pool(options) as executor:
        pages = feedback.generate(course, options.assignment, options.student or graded, executor)
    where = course.root / course.directory.feedback_directory
    print(f"Wrote feedback for {len(pages)} students into {where}")
    return 0


def _check(options: argparse.Namespace) -> int:
    rows, words = check_notebook(options.notebook)
    if options.json:
        print(json.dumps([row.to_json() for row in rows], ensure_ascii=False, indent=1))
    else:
        print(words)
    return 0 if all(row.status == "passed" for row in rows) else 1


def _demo(options: argparse.Namespace) -> int:
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:5.1f} s  {text}", flush=True)

    course = demo.build(Path.cwd(), options.course, say)

    say(f"Grading with {options.jobs} jobs")
    _prepare(course, demo.ASSIGNMENT, options)
    report = batch.autograde(
        course, demo.ASSIGNMENT, pool=lambda: _pool(options), progress=Progress(before=" " * 9)
    )
    say("Writing feedback")
    with _pool(options) as executor:
        feedback.generate(course, demo.ASSIGNMENT, course.students(demo.ASSIGNMENT), executor)
    say("Done")
    print(f"\n{tables.class_table(report.rows)}\n")
    print(f"What the class misunderstood most often:\n{tables.findings_table(report.rows)}\n")
    print(f"Everything lies in {course.root}:")
    for folder, what in (
        ("release", "what students get"), ("submitted", "what they handed in"),
        ("autograded", "their graded notebooks"), ("feedback", "the pages that they get back"),
        ("ledger", "a line for every graded cell"), ("gradebook.db", "nbgrader's gradebook"),
    ):  # fmt: skip
        print(f"  {folder:<13} {what}")
    return 1 if report.failures else 0
