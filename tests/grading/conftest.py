"""Grading without processes: a kernel and a pool that live in this one."""

import functools
import shutil
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool

import nbformat
import pytest

from graders.grading import batch, judge
from graders.grading.course import Course, release
from graders.grading.kernel import CellRun
from graders.observe import RAISED, RETURNED, Problem
from graders.perform import Observer
from graders.perform import describe as describe_error
from graders.serve import describe
from tests.situations import toy
from tests.situations.conftest import CONFIG, hand_in


class LocalKernel:
    """Does what a `StudentKernel` does, for code that is no danger."""

    def __init__(self, budget, **options):
        self.namespace = {"__name__": "__main__"}
        self.sent = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run_cell(self, source):
        self.sent.append(source)
        try:
            exec(source, self.namespace)
        except Exception as error:
            problem = describe_error(error)
            return CellRun(RAISED, [], Problem(problem.kind, problem.bases, problem.message))
        return CellRun(RETURNED)

    def describe(self, names):
        return {name: describe(self.namespace, name) for name in names}

    def observe(self, name, calls):
        observer = Observer()
        return tuple(observer.observe(self.namespace[name], call) for call in calls)


class LocalPool(Executor):
    """Runs its tasks when the writer waits for them.

    One of a student in `deadly` takes all others with it that are running, as the death of a
    worker does.
    """

    _max_workers = 2

    def __init__(self, deadly=(), log=None):
        self._deadly = deadly
        self._log = [] if log is None else log
        self._waiting = {}

    def submit(self, fn, task):
        future = Future()
        future.finish = self.finish
        self._waiting[future] = (fn, task)
        return future

    def finish(self):
        waiting, self._waiting = self._waiting, {}
        students = [task.student for _, task in waiting.values()]
        if students:
            self._log.append(students)
        broken = set(students) & set(self._deadly)
        for future, (fn, task) in waiting.items():
            if broken:
                future.set_exception(BrokenProcessPool("a worker died"))
            else:
                future.set_result(fn(task))


@pytest.fixture
def local(monkeypatch):
    """Has everything graded in this process."""

    def wait(futures, return_when):
        for future in futures:
            future.finish()
        return list(futures), []

    monkeypatch.setattr(judge, "StudentKernel", LocalKernel)
    monkeypatch.setattr(batch, "with_cache", lambda course, assignment, settings: settings)
    monkeypatch.setattr(batch, "wait", wait)


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A released course with the toy; ada has everything right, bob has not."""
    root = tmp_path_factory.mktemp("template")
    folder = root / "source" / "toy"
    folder.mkdir(parents=True)
    nbformat.write(toy.source(), folder / "toy.ipynb")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course = Course(root)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judge, "StudentKernel", LocalKernel)
        release(course, "toy")
    hand_in(course, "ada")
    hand_in(course, "bob", lambda s: s.__setitem__("double", "def double(x):\n    return x"))
    return root


@pytest.fixture
def course(template, tmp_path, local):
    """A copy of that course."""
    return Course(shutil.copytree(template, tmp_path / "course"))


def grade(course, pool=LocalPool, **options):
    return batch.autograde(course, "toy", pool=pool, **options)


def deadly(*students, log=None):
    return functools.partial(LocalPool, students, log)


def marks(course, student):
    """The gradebook's automatic marks, and whether it asks for marks set by hand."""
    with course.gradebook() as gradebook:
        found = gradebook.find_submission_notebook("toy", "toy", student)
        return {g.name: (g.auto_score, g.needs_manual_grade) for g in found.grades}
