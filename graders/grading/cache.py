"""JAX's compilation cache for grading: filled on the trusted side, only read by kernels.

Most of what grading a notebook costs is XLA compiling the student's program. Programs that
were compiled before, for the reference solution or another right answer, are read from the
cache. A cache that students could write would be a way into the next student's kernel, so
kernels get it read-only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import is_grade

from graders.grading import answers, digests
from graders.grading.course import Course
from graders.grading.judge import Settings
from graders.grading.trusted import TrustedSide

_READ_ONLY = {
    # A compilation is written to the cache only if it takes at least this long.
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1000000",
    "JAX_COMPILATION_CACHE_MAX_SIZE": "-1",
}


ANSWERS = 2
"""Right answers of each exercise that fill the cache, beside the reference solution."""


def with_cache(course: Course, assignment: str, settings: Settings) -> Settings:
    """Settings whose kernels read the course's compilation cache, filled if need be.

    Args:
        course: the course. Right answers in its `tests/answers/*/right/` fill the cache, too.
        assignment: the assignment's name.
        settings: the settings without a cache.

    Returns:
        The settings with it. If the cache cannot be filled, they are returned as they are:
        grading is slower then, and otherwise the same.
    """
    sources = course.sources(assignment)
    folder = _folder(course, sources)
    if not folder.is_dir() and not _fill(course, sources, folder):
        return settings
    environment = {**settings.environment, "JAX_COMPILATION_CACHE_DIR": str(folder), **_READ_ONLY}
    return replace(settings, readonly=(*settings.readonly, folder), environment=environment)


def _folder(course: Course, sources: Mapping[str, NotebookNode]) -> Path:
    """Where the cache of these sources lies; another grader or JAX has another one."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update(json.dumps(dict(sources), sort_keys=True).encode())
    for path in _right_answers(course):
        digest.update(path.read_bytes())
    # The cache is JAX's, which looks up what it needs: an old one would be slow, never wrong.
    digest.update(f"{version('jaxlib')} {digests.of_code()}".encode())
    return course.root / ".graders-cache" / digest.hexdigest()[:16]


def _right_answers(course: Course) -> list[Path]:
    """The first few right answers of each exercise; single operations are soon all there."""
    folders = sorted((course.root / "tests" / "answers").glob("*/right"))
    return [path for folder in folders for path in sorted(folder.glob("*.py"))[:ANSWERS]]


def _fill(course: Course, sources: Mapping[str, NotebookNode], folder: Path) -> bool:
    """Fills a cache in a process of its own; the folder appears when it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".filling-") as scratch:
        made = Path(scratch) / "cache"
        made.mkdir()
        job = {
            "notebooks": {name: nbformat.writes(source) for name, source in sources.items()},
            "answers": [str(path) for path in _right_answers(course)],
        }
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "JAX_COMPILATION_CACHE_DIR": str(made),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }
        run = subprocess.run(
            [sys.executable, "-m", "graders.grading.cache"], input=json.dumps(job), text=True,
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        if run.returncode != 0:
            return False
        for old in folder.parent.glob("[0-9a-f]*"):
            shutil.rmtree(old, ignore_errors=True)
        made.rename(folder)
    return True


def _main() -> None:
    """Runs every source notebook with its own solutions and with each right answer."""
    job = json.load(sys.stdin)
    given = [answers.read(Path(path)) for path in job["answers"]]
    for text in job["notebooks"].values():
        notebook = nbformat.reads(text, as_version=4)
        names = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
        variants = [answer.cells for answer in given if names & answer.cells.keys()]
        for cells in [{}, *variants]:
            _run(answers.fill(notebook, cells))


def _run(notebook: NotebookNode) -> None:
    namespace: dict[str, Any] = {}
    trusted = TrustedSide(
        lambda names: {name: namespace[name] for name in names if name in namespace}
    )
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if is_grade(cell):
            trusted.run(cell.source)
        else:
            exec(compile(cell.source, "<answer>", "exec"), namespace)
            trusted.prepare(cell.source, imports_only=True)


if __name__ == "__main__":
    _main()
