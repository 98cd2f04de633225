"""This project's part of nbgrader's pipelines; `graders.grading.config` puts it into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Bool, Enum, Float, Integer

from graders.findings import Outcome
from graders.grading import intake
from graders.grading.judge import KEY, Settings, cell_error, grade
from graders.grading.kernel import Budget
from graders.grading.ledger import Row
from graders.kernels.limits import MIB

HIDDEN = re.compile(
    r"^[^\n]*### BEGIN HIDDEN TESTS.*?^[^\n]*### END HIDDEN TESTS[^\n]*$", re.DOTALL | re.MULTILINE
)


class ClearAnswers(ClearSolutions):
    """Clears solutions; at a cell's top level the stub is its comment alone.

    Inside a function the stub raises, and only when the function is called. At the top level,
    as in the quiz, it would stop "Run All" at the first open question.
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        replaced = super()._replace_solution_region(cell, language)
        if replaced:
            lines = cell.source.split("\n")
            cell.source = "\n".join(line for line in lines if line != "raise NotImplementedError()")
        return bool(replaced)


class TolerantExporter(NotebookExporter):
    """Reads submissions tolerantly; one that cannot be read becomes a notebook that says so."""

    def from_filename(
        self, filename: str, resources: ResourcesDict | None = None, **kwargs: Any
    ) -> tuple[str, ResourcesDict]:
        """Reads and converts a notebook; only submissions, not what nbgrader wrote itself."""
        if not getattr(self.parent, "_sanitizing", False):
            return super().from_filename(filename, resources, **kwargs)
        notebook = read_submission(Path(filename))
        return self.from_notebook_node(notebook, resources, **kwargs)


def read_submission(path: Path) -> NotebookNode:
    """A submitted notebook, or one without cells whose metadata says why it cannot be read."""
    try:
        return intake.read(path)
    except intake.Unreadable as error:
        notebook = nbformat.v4.new_notebook()
        notebook.metadata[KEY] = {"unreadable": str(error)}
        return notebook


def repair_submission(notebook: NotebookNode, source: NotebookNode) -> NotebookNode:
    """Makes a submission fit the source; an unreadable one becomes an unanswered one.

    Args:
        notebook: as `read_submission` returns it.
        source: the instructor's notebook.

    Returns:
        The repaired notebook. Its metadata under `KEY` has `notes`, and `unreadable` with the
        reason where there is nothing to grade.
    """
    entry = dict(notebook.metadata.get(KEY, {}))
    if "unreadable" not in entry:
        try:
            notebook, entry["notes"] = intake.repair(notebook, source)
        except intake.Unreadable as error:
            entry["unreadable"] = str(error)
    if "unreadable" in entry:
        notebook, _ = intake.repair(intake.released(source), source)
        entry["notes"] = []
    notebook.metadata[KEY] = entry
    return notebook


def judge_submission(
    notebook: NotebookNode,
    source: NotebookNode,
    settings: Settings,
    files: Mapping[str, bytes] | None = None,
) -> tuple[NotebookNode, list[Row]]:
    """Grades a repaired submission; see `graders.grading.judge.grade`.

    Returns:
        The graded notebook, with what there is to say about it in a cell at its top, and the
        rows of its test cells.
    """
    entry = notebook.metadata.get(KEY, {})
    reason = entry.get("unreadable")
    if reason is None:
        notebook, rows = grade(notebook, source, settings, files)
    else:
        rows = []
        for cell in notebook.cells:
            if is_grade(cell) and not is_solution(cell) and cell.cell_type == "code":
                points = float(cell.metadata.nbgrader.points)
                name = cell.metadata.nbgrader.grade_id
                rows.append(Row("", "", name, Outcome.UNREADABLE, 0.0, points, note=reason))
                cell.outputs = [cell_error("Unreadable", reason)]
        notebook.metadata[KEY] = {**entry, "rows": [row.to_json() for row in rows]}
    lines = [reason] if reason else list(entry.get("notes", []))
    if lines:
        told = nbformat.v4.new_markdown_cell(
            "**From the grader about this file:**\n\n" + "\n".join(f"- {line}" for line in lines)
        )
        told.id = "from-the-grader"
        notebook.cells.insert(0, told)
    return notebook, rows


class _OnSource(NbGraderPreprocessor):
    """A preprocessor that needs the instructor's source notebook."""

    def source(self, resources: ResourcesDict) -> NotebookNode:
        """The source of the notebook that is being processed."""
        course = self.parent.parent.coursedir
        names = resources["nbgrader"]
        folder = course.format_path(course.source_directory, ".", names["assignment"])
        return nbformat.read(Path(folder) / f"{names['notebook']}.ipynb", as_version=4)

    def submitted(self, resources: ResourcesDict) -> Path:
        """The folder of the submission that is being processed."""
        course = self.parent.parent.coursedir
        names = resources["nbgrader"]
        return Path(
            course.format_path(course.submitted_directory, names["student"], names["assignment"])
        )


class RepairSubmission(_OnSource):
    """Makes a submission's cells fit the source's again. First of the sanitizing ones."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        return repair_submission(nb, self.source(resources)), resources


class JudgeAnswers(_OnSource):
    """Stands in for nbgrader's Execute: the student's cells run there, the locked cells here."""

    call_timeout = Float(
        10.0, min=0.1, help="Seconds for one call of a student's function, or one cell."
    ).tag(config=True)
    notebook_timeout = Float(120.0, min=1, help="Seconds for one notebook.").tag(config=True)
    memory_limit = Integer(2048, min=256, help="MiB that a kernel may hold.").tag(config=True)
    confine = Enum(
        ("auto", "required", "off"), "auto", help="Whether student code is confined."
    ).tag(config=True)
    warm = Bool(True, help="Whether kernels are forked from a warm parent.").tag(config=True)

    def settings(self) -> Settings:
        """The traits as the judge takes them."""
        budget = Budget(self.call_timeout, self.notebook_timeout, self.memory_limit * MIB)
        return Settings(budget=budget, confine=self.confine, warm=self.warm)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        files = intake.read_files(self.submitted(resources))
        nb, _ = judge_submission(nb, self.source(resources), self.settings(), files)
        return nb, resources


class RedactHiddenTests(NbGraderPreprocessor):
    """Takes the source of hidden tests out of feedback; their findings stay."""

    reveal = Bool(False, help="Leave the hidden tests in the feedback.").tag(config=True)

    def preprocess_cell(
        self, cell: NotebookNode, resources: ResourcesDict, index: int
    ) -> tuple[NotebookNode, ResourcesDict]:
        if not self.reveal and cell.cell_type == "code":
            cell.source = HIDDEN.sub("# (hidden tests: not shown)", cell.source)
        return cell, resources
