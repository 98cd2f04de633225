"""A small course in which all is well."""

import nbformat
import pytest
from nbgrader.api import Gradebook

from graders.grading.course import Course
from tests.situations import toy

CONFIG = """
from graders.grading.config import configure
c = get_config()
c.CourseDirectory.course_id = "toys"
c.Exchange.root = {exchange!r}
configure(c)
"""


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Its exchange has been released to, its gradebook has been made."""
    # What the machine or its user has configured is no business of a test.
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "nothing"))
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    root = tmp_path / "course"
    (root / "source" / "toy").mkdir(parents=True)
    nbformat.write(toy.source(), root / "source" / "toy" / "toy.ipynb")
    exchange = tmp_path / "exchange"
    for folder, mode in (
        ("", 0o777), ("toys", 0o755), ("toys/outbound", 0o755), ("toys/inbound", 0o2733),
    ):  # fmt: skip
        (exchange / folder).mkdir()
        (exchange / folder).chmod(mode)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o001)
    (root / "nbgrader_config.py").write_text(CONFIG.format(exchange=str(exchange)))
    made = Course(root)
    Gradebook(made.directory.db_url, "toys").close()
    return made


def configured(course, line):
    """The same course with a line added to its configuration."""
    path = course.root / "nbgrader_config.py"
    path.write_text(f"{path.read_text()}\n{line}\n")
    return Course(course.root)
