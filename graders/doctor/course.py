"""The course's configuration and its database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from jupyter_core.paths import jupyter_config_path
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from graders.doctor.checkup import Finding, ok, problem, warning
from graders.grading.course import Course


def configuration(course: Course) -> Iterator[Finding]:
    """The course's id and how it grades.

    Raises:
        CourseError: if there is a value that cannot be.
    """
    course.settings()
    file = course.root / "nbgrader_config.py"
    identity = nbgrader_config(course).CourseDirectory.get("course_id", "")
    if not file.is_file():
        yield warning(
            "configuration",
            f"there is no {file}",
            "graders grades as if there were the kit's own; nbgrader does not. Copy the kit's.",
        )
    if not identity or set(identity) & set("/*+ "):
        words = f"the course id is {identity!r}" if identity else "there is no course id"
        yield problem(
            "course id",
            f"{words}; nbgrader can neither release nor collect",
            f'Write c.CourseDirectory.course_id = "a-short-name" into {file}.',
        )
    else:
        yield ok("course id", identity)


def nbgrader_config(course: Course) -> Config:
    """The configuration as nbgrader sees it: the machine's, the user's, and the course's."""
    config = Config()
    for folder in reversed(jupyter_config_path()):
        try:
            config.merge(PyFileConfigLoader("nbgrader_config.py", path=folder).load_config())
        except ConfigFileNotFound:
            continue
    config.merge(course.config)
    return config


def assignments(course: Course) -> Iterator[Finding]:
    """The source notebooks."""
    found, broken = 0, []
    for path in sorted(course.source_folder.glob("*/*.ipynb")):
        found += 1
        try:
            nbformat.read(path, as_version=4)
        except Exception as error:
            kind = type(error).__name__
            broken.append(f"{path.relative_to(course.root)} cannot be read ({kind})")
    if broken:
        yield problem("source", "; ".join(broken), "Take the file from a backup or mend it.")
    elif not found:
        yield problem(
            "source",
            f"{course.source_folder} has no notebooks",
            f"Put them into {course.source_folder}/ASSIGNMENT/, or give another --course.",
        )
    else:
        yield ok("source", f"{found} notebooks in {course.source_folder}")


def kernel_names(course: Course) -> set[str]:
    """The kernels that the source notebooks ask for."""
    names = set()
    for path in course.source_folder.glob("*/*.ipynb"):
        try:
            notebook = nbformat.read(path, as_version=4)
        except Exception:
            continue  # `assignments` says so
        names.add(notebook.metadata.get("kernelspec", {}).get("name", "python3"))
    return names or {"python3"}


def database(course: Course) -> Iterator[Finding]:
    """The gradebook: whether it opens, and whether its tables are this nbgrader's."""
    name, url = "database", make_url(course.directory.db_url)
    where = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite" and url.database:
        path = Path(url.database)
        where = str(path)
        if not path.exists():
            if os.access(path.parent, os.W_OK | os.X_OK):
                yield ok(name, f"{path} will be made by the first release or grading")
            else:
                yield problem(
                    name, f"{path} cannot be made: {path.parent} cannot be written",
                    f"Make that folder yours: chown {_user()} {path.parent}.",
                )  # fmt: skip
            return
        if not os.access(path, os.R_OK | os.W_OK):
            yield problem(
                name, f"{path} cannot be read and written by you",
                f"Run chown {_user()} {path}; chmod u+rw {path}.",
            )  # fmt: skip
            return
    try:
        engine = create_engine(url, poolclass=NullPool)
        with engine.connect() as connection:
            have = MigrationContext.configure(connection).get_current_revision()
    except (SQLAlchemyError, ImportError) as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        yield problem(
            name, f"{where} cannot be opened ({reason})",
            "Take the file from a backup, or move it away: graders autograde --force makes another "
            "from the submissions, without what was marked by hand.",
        )  # fmt: skip
        return
    script = ScriptDirectory(ALEMBIC_DIR)
    want = script.get_current_head()
    if have == want:
        yield ok(name, f"{where} opens and has this nbgrader's tables")
    elif have is not None and have not in {entry.revision for entry in script.walk_revisions()}:
        yield problem(
            name, f"{where} has the tables of a newer nbgrader ({have}, not {want})",
            "Install that nbgrader: python -m pip install --upgrade nbgrader.",
        )  # fmt: skip
    else:
        yield problem(
            name, f"{where} has {'older' if have else 'no'} tables of nbgrader's",
            "Run nbgrader db upgrade in the course's folder; it makes a backup first.",
        )  # fmt: skip


def _user() -> str:
    return os.environ.get("USER") or os.environ.get("USERNAME") or "YOU"
