"""nbgrader's preprocessors, doing once what it does for every cell of every submission.

nbgrader opens the database anew in each preprocessor and asks it for every cell. These do the
same work with what they need loaded at once; a caller that has the gradebook open hands it
over as `resources["nbgrader"]["gradebook"]`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader import preprocessors as stock
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, MissingEntry
from sqlalchemy.orm import joinedload


@contextmanager
def opened(resources: ResourcesDict) -> Iterator[Gradebook]:
    """The gradebook of what is being processed: the caller's, or one opened for now."""
    names = resources["nbgrader"]
    if "gradebook" in names:
        yield names["gradebook"]
    else:
        with Gradebook(names["db_url"]) as gradebook:
            yield gradebook


class _Known:
    """Stands in for a gradebook: what its finders are asked for is there already."""

    def __init__(self, **tables: Mapping[str, Any]) -> None:
        self._tables = tables
        # One commit at the end makes the marks of a notebook appear together.
        self.db = SimpleNamespace(commit=lambda: None)

    def _find(self, table: str, name: str) -> Any:
        try:
            return self._tables[table][name]
        except KeyError:
            raise MissingEntry(f"No such cell: {name}") from None

    def find_grade(self, name: str, *_: str) -> Any:
        return self._find("grades", name)

    def find_comment(self, name: str, *_: str) -> Any:
        return self._find("comments", name)

    def find_source_cell(self, name: str, *_: str) -> Any:
        return self._find("source", name)

    def find_graded_cell(self, name: str, *_: str) -> Any:
        return self._find("graded", name)


class SaveAutoGrades(stock.SaveAutoGrades):
    """Saves a notebook's marks in one transaction."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        names = resources["nbgrader"]
        self.notebook_id = names["notebook"]
        self.assignment_id = names["assignment"]
        self.student_id = names["student"]
        with opened(resources) as gradebook:
            found = gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            )

            def rows(kind: Any) -> dict[str, Any]:
                query = gradebook.db.query(kind).options(joinedload(kind.cell))
                query = query.filter(kind.notebook_id == found.id)
                return {row.cell.name: row for row in query.all()}

            self.gradebook = _Known(grades=rows(Grade), comments=rows(Comment))
            # Past nbgrader's own `preprocess`, which opens the database.
            nb, resources = super(stock.SaveAutoGrades, self).preprocess(nb, resources)
            gradebook.db.commit()
        return nb, resources


class OverwriteCells(stock.OverwriteCells):
    """Restores cells from what the gradebook keeps of the source."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._sources: dict[tuple[str, str, str], _Known] = {}

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        if self.add_missing_cells:
            return super().preprocess(nb, resources)
        names = resources["nbgrader"]
        self.notebook_id, self.assignment_id = names["notebook"], names["assignment"]
        key = (names["db_url"], self.assignment_id, self.notebook_id)
        if key not in self._sources:
            with opened(resources) as gradebook:
                self._sources[key] = self._load(gradebook)
        self.gradebook = self._sources[key]
        return super(stock.OverwriteCells, self).preprocess(nb, resources)

    def _load(self, gradebook: Gradebook) -> _Known:
        notebook = gradebook.find_notebook(self.notebook_id, self.assignment_id)
        source = {
            cell.name: SimpleNamespace(
                name=cell.name,
                cell_type=cell.cell_type,
                locked=cell.locked,
                source=cell.source,
                checksum=cell.checksum,
            )
            for cell in notebook.source_cells
        }
        cells: list[BaseCell] = [*notebook.grade_cells, *notebook.task_cells]
        graded = {cell.name: SimpleNamespace(max_score=cell.max_score) for cell in cells}
        return _Known(source=source, graded=graded)


class CheckCellMetadata(stock.CheckCellMetadata):
    """Checks what cells say of themselves, which is the same in most submissions, once."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._valid: set[str] = set()

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        said = json.dumps([(cell.cell_type, cell.metadata.get("nbgrader")) for cell in nb.cells])
        if said not in self._valid:
            nb, resources = super().preprocess(nb, resources)
            self._valid.add(said)
        return nb, resources


class AssignLatePenalties(stock.AssignLatePenalties):
    """Asks the late-submission plugin about what is late, and about nothing else."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        names = resources["nbgrader"]
        with opened(resources) as gradebook:
            submission = gradebook.find_submission(names["assignment"], names["student"])
            late = submission.total_seconds_late > 0
            had_penalty = any(
                notebook.late_submission_penalty is not None for notebook in submission.notebooks
            )
        if late or had_penalty:
            return super().preprocess(nb, resources)
        return nb, resources
