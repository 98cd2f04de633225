"""What students get of a source notebook: no solutions, no hidden tests."""

from __future__ import annotations

import copy
import re
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

HIDDEN = re.compile(
    r"^[^\n]*### BEGIN HIDDEN TESTS.*?^[^\n]*### END HIDDEN TESTS[^\n]*$", re.DOTALL | re.MULTILINE
)
"""A hidden region of a cell's source."""


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


def released(source: NotebookNode) -> NotebookNode:
    """The notebook as students got it: without solutions and hidden tests."""
    notebook = copy.deepcopy(source)
    resources: dict[str, Any] = {}
    notebook, resources = ClearAnswers(enforce_metadata=False).preprocess(notebook, resources)
    notebook, _ = ClearHiddenTests(enforce_metadata=False).preprocess(notebook, resources)
    return notebook
