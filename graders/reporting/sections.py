"""Where in the chapter a misunderstanding is explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from nbformat import NotebookNode

TITLES = {
    "1.1": "jit, grad and vmap",
    "1.2": "lax.scan",
    "1.3": "lax.cond and lax.switch",
    "1.4": "lax.while_loop",
    "1.5": "control flow under transformations",
    "1.6": "masks and segments",
    "1.7": "closures and staging",
}

_BY_PREFIX = {
    "returns/": "1.2",
    "returns/gradient": "1.5",
    "returns/not-traceable": "1.5",
    "newton/": "1.4",
    "newton/gradient": "1.5",
    "newton/no-scan": "1.2",
    "newton/not-traceable": "1.5",
    "softmax/": "1.6",
    "softmax/not-traceable": "1.5",
    "softmax/python-loop": "1.2",
    "piecewise/": "1.3",
    "piecewise/gradient": "1.5",
    "piecewise/not-traceable": "1.5",
}


def section(code: str, cell: str, questions: Mapping[str, str]) -> str:
    """The section to go back to, or `""`.

    Args:
        code: a finding's code.
        cell: the test cell that told it.
        questions: the quiz's sections by test cell, see `of_quiz`.
    """
    if cell in questions:
        return questions[cell]
    matching = [prefix for prefix in _BY_PREFIX if code.startswith(prefix)]
    return _BY_PREFIX[max(matching, key=len)] if matching else ""


def of_quiz(sources: Mapping[str, NotebookNode]) -> dict[str, str]:
    """The section that each question's test cell names, by grade_id."""
    found = {}
    for source in sources.values():
        for cell in source.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if cell.cell_type == "code" and name and "check_answer" in cell.source:
                match = re.search(r"\bsection=([\"'][\d.]+[\"'])", cell.source)
                if match:
                    found[name] = str(ast.literal_eval(match.group(1)))
    return found
