"""What `nbgrader_config.py` calls: puts this project's parts into nbgrader's pipelines."""

from __future__ import annotations

import os
import sys
from functools import wraps
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader import preprocessors as stock
from nbgrader.converters import Autograde, base
from nbgrader.utils import find_all_files
from traitlets.config import Config

from graders.grading import marks
from graders.grading import preprocessors as ours
from graders.grading.export import SpreadsheetExport
from graders.grading.page import FeedbackExporter
from graders.grading.reading import is_own_file


def configure(config: Config) -> Config:
    """Fills in a course's configuration; what it sets can be set otherwise afterwards.

    Args:
        config: nbgrader's configuration object, changed in place.

    Returns:
        The same object.
    """
    _find_programs()
    _refuse_links()
    config.Autograde.pre_convert_hook = ours.also_renamed(config)
    config.ExportApp.plugin_class = SpreadsheetExport
    # nbgrader's order; repairing comes before everything that trusts the cells' metadata, and
    # restores the kernelspec with it.
    config.Autograde.exporter_class = ours.TolerantExporter
    config.Autograde.sanitize_preprocessors = [
        ours.RepairSubmission,
        stock.ClearOutput,
        stock.DeduplicateIds,
        marks.OverwriteCells,
        marks.CheckCellMetadata,
    ]
    # nbgrader's order, with its Execute replaced; the metadata was checked when sanitizing.
    config.Autograde.autograde_preprocessors = [
        ours.JudgeAnswers,
        stock.IgnorePattern,
        ClearMetadataPreprocessor,
        stock.LimitOutput,
        marks.SaveAutoGrades,
        marks.AssignLatePenalties,
    ]
    config.GenerateAssignment.preprocessors = [
        stock.IncludeHeaderFooter,
        stock.InstantiateTests,
        stock.LockCells,
        ours.ClearAnswers,
        stock.ClearOutput,
        stock.CheckCellMetadata,
        stock.ComputeChecksums,
        stock.SaveCells,
        stock.ClearHiddenTests,
        stock.ClearMarkScheme,
        stock.ComputeChecksums,
        stock.CheckCellMetadata,
    ]
    config.GenerateFeedback.exporter_class = FeedbackExporter
    config.GenerateFeedback.preprocessors = [
        stock.GetGrades,
        ours.RedactHiddenTests,
        CSSHTMLHeaderPreprocessor,
    ]
    return config


def _find_programs() -> None:
    """Nbgrader starts alembic by its bare name, which is not on PATH in every environment."""
    programs = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "")
    if programs not in path.split(os.pathsep):
        os.environ["PATH"] = programs + os.pathsep + path


def _refuse_links() -> None:
    """Autograding copies a submission's files, and what its links point to, into `autograded`."""
    stock_init = Autograde.init_assignment
    if hasattr(stock_init, "__wrapped__"):
        return

    @wraps(stock_init)
    def init_assignment(self: Autograde, assignment_id: str, student_id: str) -> None:
        def own_files(path: str, exclude: list[str] | None = None) -> list[str]:
            return [file for file in find_all_files(path, exclude) if is_own_file(file, path)]

        base.find_all_files = own_files
        try:
            stock_init(self, assignment_id, student_id)
        finally:
            base.find_all_files = find_all_files

    Autograde.init_assignment = init_assignment
