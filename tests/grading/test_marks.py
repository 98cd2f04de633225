"""nbgrader's preprocessors, doing once what is the same for many submissions."""

import copy

import pytest
from nbgrader.nbgraderformat import ValidationError
from nbgrader.preprocessors import CheckCellMetadata as Stock

from graders.grading.marks import CheckCellMetadata
from tests.situations import toy


def test_cell_metadata_are_checked_once(monkeypatch):
    checked = []
    stock = Stock.preprocess
    monkeypatch.setattr(Stock, "preprocess", lambda *a: checked.append(a) or stock(*a))
    preprocessor, notebook = CheckCellMetadata(), toy.source()
    for _ in range(3):
        changed = copy.deepcopy(notebook)
        changed.cells[-1].source += "# another answer"
        assert preprocessor.preprocess(changed, {})[0] is changed
    assert len(checked) == 1
    wrong = copy.deepcopy(notebook)
    wrong.cells[-1].metadata["nbgrader"] = {**wrong.cells[-1].metadata["nbgrader"], "points": "x"}
    for _ in range(2):
        with pytest.raises(ValidationError):
            preprocessor.preprocess(wrong, {})
