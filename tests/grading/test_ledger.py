"""The ledger's rows and file."""

import pytest

from graders.grading import ledger
from graders.grading.ledger import Row

ROW = Row("O'Brien, 王\n\"", "toy", "a", "passed", 1.5, 2.0, ("x/y", "x/z"), 0.25, "a note")


def test_rows_come_back(tmp_path):
    path = tmp_path / "deep" / "ledger.jsonl"
    ledger.write(path, [ROW, ROW])
    assert ledger.read(path) == [ROW, ROW]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2
    assert "王" in path.read_text(encoding="utf-8")


def test_half_a_surrogate_pair_does_no_harm(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.write(path, [Row("a", "b", "c", "failed", 0.0, 1.0, note="\ud800!")])
    assert ledger.read(path)[0].note == "?!"


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", '{"student": 1}', ROW.to_json().__repr__().replace("'", '"')]
)
def test_a_bad_line_is_named(tmp_path, line):
    path = tmp_path / "ledger.jsonl"
    ledger.write(path, [ROW])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match=r"ledger\.jsonl, line 2: "):
        ledger.read(path)


def test_an_unknown_status_is_no_row():
    with pytest.raises(ValueError, match="not a ledger row"):
        Row.from_json({**ROW.to_json(), "status": "splendid"})


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.write(path, [ROW])

    def rows():
        yield ROW
        raise RuntimeError

    with pytest.raises(RuntimeError):
        ledger.write(path, rows())
    assert ledger.read(path) == [ROW]
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.jsonl"]
