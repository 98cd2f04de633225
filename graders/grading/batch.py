"""Grading a class: tasks to a pool of workers, one writer for gradebook and files.

`discover → sanitise (nbgrader) → judge in a pool → save (nbgrader) → ledger`. The pool is
anything with the interface of `concurrent.futures.Executor`. Work is known by its content:
what was graded already from the same submission, source and grader is not graded again.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from graders.grading import digests, intake, ledger
from graders.grading.cache import with_cache
from graders.grading.course import Course, CourseError, register
from graders.grading.judge import KEY, Settings
from graders.grading.ledger import Row
from graders.grading.pools import width
from graders.grading.preprocessors import judge_submission
from graders.grading.rows import rows_of_class
from graders.grading.writer import Writer

RETRIES = 2
"""How often a notebook is tried again after the worker that graded it died."""


@dataclass(frozen=True)
class Task:
    """One notebook to grade, with all that grading it needs.

    Attributes:
        student: the student's id.
        notebook: the notebook's name.
        document: the sanitised submission.
        source: the instructor's notebook.
        files: the submission's other files.
        settings: how to grade.
        digest: what tells this piece of work from others.
    """

    student: str
    notebook: str
    document: NotebookNode
    source: NotebookNode
    files: Mapping[str, bytes]
    settings: Settings
    digest: str


def run_task(task: Task) -> tuple[NotebookNode, list[Row]]:
    """Grades one notebook; runs in a worker."""
    notebook, rows = judge_submission(
        nbformat.from_dict(task.document),
        nbformat.from_dict(task.source),
        task.settings,
        task.files,
    )
    notebook.metadata[KEY]["digest"] = task.digest
    return notebook, [replace(row, student=task.student, notebook=task.notebook) for row in rows]


@dataclass
class Report:
    """What a run came to.

    Attributes:
        rows: the ledger's rows, of notebooks graded now and before.
        graded: (student, notebook) graded in this run.
        skipped: how many were left as they are.
        changes: (student, notebook, cell, mark before, mark now) where a mark changed.
        hand_set: (student, notebook, cell, mark) of marks set by hand, which were kept.
        failures: (student, notebook, reason) that got no marks.
    """

    rows: list[Row] = field(default_factory=list)
    graded: list[tuple[str, str]] = field(default_factory=list)
    skipped: int = 0
    changes: list[tuple[str, str, str, float, float]] = field(default_factory=list)
    hand_set: list[tuple[str, str, str, float]] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)


Progress = Callable[[str, str, int, int, Sequence[Row]], None]
"""Told after each notebook: student, notebook, number done, number of all, its rows."""


def autograde(
    course: Course,
    assignment: str,
    *,
    students: Sequence[str] = (),
    force: bool = False,
    ledger_path: Path | None = None,
    pool: Callable[[], Executor],
    progress: Progress = lambda *_: None,
) -> Report:
    """Grades the submissions of an assignment.

    Args:
        course: the course.
        assignment: the assignment's name.
        students: only these; all who submitted if empty.
        force: grade again what was graded already.
        ledger_path: where the ledger goes; `ledger/<assignment>.jsonl` in the course if `None`.
        pool: makes the executor that runs `run_task`; called again if its workers die.
        progress: told of each notebook.

    Returns:
        The report. The ledger holds every student's rows, whichever were graded now.

    Raises:
        CourseError: if the assignment or a student does not exist.
    """
    sources = course.sources(assignment)
    known = course.students(assignment)
    for student in students:
        if student not in known:
            raise CourseError(
                f"There is no submission of {student!r} for {assignment} in "
                f"{course.root / course.directory.submitted_directory}; check the student's id."
            )
    register(course, assignment)
    report = Report()
    chosen = [student for student in known if not students or student in students]
    with Writer(course, assignment, list(sources)) as writer:
        stamp = digests.of_grader(course)
        work = list(_discover(course, assignment, sources, chosen, stamp, force, writer, report))
        path = ledger_path or course.root / "ledger" / f"{assignment}.jsonl"
        if work:
            # Should this run be killed, no old row looks like a new one.
            graded_now = {(job.student, job.notebook) for job in work}
            rows = rows_of_class(course, assignment, sources, known)
            ledger.write(path, [r for r in rows if (r.student, r.notebook) not in graded_now])
        _run(work, pool, writer, report, progress)
    report.rows = rows_of_class(course, assignment, sources, known)
    ledger.write(path, report.rows)
    return report


@dataclass(frozen=True, eq=False)
class _Job:
    """A piece of work before the submission is read; see `Task`."""

    student: str
    notebook: str
    path: Path
    note: str
    digest: str
    source: NotebookNode
    files: Mapping[str, bytes]
    settings: Settings

    def task(self, writer: Writer) -> Task:
        """Reads and sanitises the submission."""
        writer.begin(self.student)
        document = writer.sanitise(self.student, self.notebook, self.path, self.note)
        return Task(
            self.student,
            self.notebook,
            document,
            self.source,
            self.files,
            self.settings,
            self.digest,
        )


def _discover(
    course: Course,
    assignment: str,
    sources: Mapping[str, NotebookNode],
    students: Sequence[str],
    stamp: str,
    force: bool,
    writer: Writer,
    report: Report,
) -> Iterator[_Job]:
    """What there is to do; what is missing is written down at once."""
    settings: Settings | None = None
    for student in students:
        folder = course.folder("submitted", student, assignment)
        found, notes = intake.find_notebooks(folder, sources)
        files = intake.read_files(folder)
        given = digests.of_files(files, stamp)
        done = {name: writer.graded_digest(student, name) for name in sources}
        current = {
            name: digests.of_notebook(path, sources[name], given) for name, path in found.items()
        }
        todo = [name for name in found if force or done[name] != current[name]]
        gone = [name for name in sources if name not in found]
        report.skipped += len(found) - len(todo)
        try:
            for name in gone:
                writer.begin(student)
                writer.missing(student, name)
        except Exception as error:
            for name in todo:
                _fail(student, name, sources[name], error, writer, report)
            continue
        if todo and settings is None:
            settings = with_cache(course, assignment, course.settings())
        for name in todo:
            assert settings is not None
            yield _Job(
                student, name, found[name], notes.get(name, ""), current[name], sources[name],
                files, settings,
            )  # fmt: skip


def _fail(
    student: str, name: str, source: NotebookNode, error: Exception, writer: Writer, report: Report
) -> list[Row]:
    """Writes down that a notebook could not be graded."""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    report.failures.append((student, name, reason))
    return writer.failed(student, name, reason, source)


def _run(
    jobs: Sequence[_Job],
    pool: Callable[[], Executor],
    writer: Writer,
    report: Report,
    progress: Progress,
) -> None:
    """Sends the jobs to the pool, a few ahead of the workers, and saves what comes back.

    What was being graded when a worker died is tried again, one notebook at a time, so that
    the one that kills workers costs no other.
    """
    waiting = list(reversed(jobs))
    tries: Counter[_Job] = Counter()
    running: dict[Future[Any], _Job] = {}
    executor = pool() if jobs else None

    def tell(job: _Job, rows: Sequence[Row]) -> None:
        done = len(report.graded) + len(report.failures)
        progress(job.student, job.notebook, done, len(jobs), rows)

    def fail(job: _Job, error: Exception) -> None:
        tell(job, _fail(job.student, job.notebook, job.source, error, writer, report))

    try:
        while executor is not None and (waiting or running):
            while waiting and len(running) < _ahead(executor):
                alone = tries[waiting[-1]] or any(tries[job] for job in running.values())
                if running and alone:
                    break
                job = waiting.pop()
                try:
                    task = job.task(writer)
                except Exception as error:
                    fail(job, error)
                    continue
                try:
                    running[executor.submit(run_task, task)] = job
                except BrokenProcessPool:
                    waiting.append(job)
                    executor = _renew(executor, pool)
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = False
            for future in finished:
                job = running.pop(future)
                try:
                    notebook, rows = future.result()
                    changes, hand_set = writer.save(job.student, job.notebook, notebook)
                except Exception as error:
                    broken = broken or isinstance(error, BrokenProcessPool)
                    tries[job] += 1
                    if tries[job] <= RETRIES:
                        waiting.append(job)
                    else:
                        fail(job, error)
                    continue
                report.changes += changes
                report.hand_set += hand_set
                report.graded.append((job.student, job.notebook))
                tell(job, rows)
            if broken:
                executor = _renew(executor, pool)
    except BaseException:
        if executor is not None:
            _kill(executor)
        raise
    if executor is not None:
        executor.shutdown()


def _ahead(executor: Executor) -> int:
    return 2 * width(executor)


def _renew(executor: Executor, pool: Callable[[], Executor]) -> Executor:
    executor.shutdown(wait=False, cancel_futures=True)
    return pool()


def _kill(executor: Executor) -> None:
    """Ends a pool at once: its workers take their kernels with them."""
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        with contextlib.suppress(Exception):
            process.terminate()
    executor.shutdown(wait=False, cancel_futures=True)


def jobs_by_default() -> int:
    """As many jobs as this process has cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
