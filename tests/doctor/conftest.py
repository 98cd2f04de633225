"""A small course in which all is well."""

import shutil
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from graders.doctor import course as checks
from graders.grading.course import Course
from tests.situations import toy

CONFIG = """
from graders.grading.config import configure
c = get_config()
c.CourseDirectory.course_id = "toys"
c.Exchange.root = {exchange!r}
configure(c)
"""


@pytest.fixture(scope="session")
def gradebook(tmp_path_factory):
    """An empty gradebook, which takes nbgrader seconds to make."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    Gradebook(f"sqlite:///{path}", "toys").close()
    return path


@pytest.fixture
def shared():
    """A folder that others may enter, as they may not enter pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


@pytest.fixture
def course(tmp_path, shared, gradebook, monkeypatch):
    """Its exchange has been released to, its gradebook has been made."""
    # What the machine or its user has configured is no business of a test.
    monkeypatch.setattr(checks, "jupyter_config_path", lambda: [])
    root = tmp_path / "course"
    (root / "source" / "toy").mkdir(parents=True)
    nbformat.write(toy.source(), root / "source" / "toy" / "toy.ipynb")
    exchange = shared / "exchange"
    for folder, mode in (
        ("", 0o777), ("toys", 0o755), ("toys/outbound", 0o755), ("toys/inbound", 0o2733),
    ):  # fmt: skip
        (exchange / folder).mkdir()
        (exchange / folder).chmod(mode)
    (root / "nbgrader_config.py").write_text(CONFIG.format(exchange=str(exchange)))
    shutil.copy(gradebook, root / "gradebook.db")
    return Course(root)


def configured(course, line):
    """The same course with a line added to its configuration."""
    path = course.root / "nbgrader_config.py"
    path.write_text(f"{path.read_text()}\n{line}\n")
    return Course(course.root)
