"""Reading what students handed in, and repairing it where one reading is clear.

Nothing a student hands in makes this raise anything but `Unreadable`, whose message is a
sentence that a teacher can act on.
"""

from __future__ import annotations

import codecs
import copy
import difflib
import json
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions
from nbgrader.utils import is_grade, is_solution

MAX_SIZE = 50_000_000
"""Bytes of the largest notebook file that is read."""


class Unreadable(Exception):
    """A submission that cannot be read; the message says what is wrong, and where."""


# --- reading ------------------------------------------------------------------------------


def read(path: Path, *, keep_metadata: bool = False) -> NotebookNode:
    """Reads a notebook file.

    Args:
        path: a file in a submission.
        keep_metadata: keep nbgrader's metadata whole, where the file's author is trusted.

    Returns:
        The notebook in nbformat 4, without outputs.

    Raises:
        Unreadable: if it is not a notebook.
    """
    if path.is_symlink():
        raise Unreadable(f"{path.name} is a link, not a file; ask for the notebook itself.")
    try:
        size = path.stat().st_size
        if size > MAX_SIZE:
            raise Unreadable(
                f"{path.name} has {size / 1e6:.0f} MB, more than the {MAX_SIZE / 1e6:.0f} MB that "
                "are read; ask for it with its outputs cleared."
            )
        text = _text(path.read_bytes())
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from None
    return parse(text, path.name, keep_metadata=keep_metadata)


def _text(data: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
    ):  # fmt: skip
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def parse(text: str, name: str, *, keep_metadata: bool = False) -> NotebookNode:
    """Turns a notebook's JSON text into a notebook; see `read`."""
    if not text.strip():
        raise Unreadable(f"{name} is empty; ask the student to save and submit it again.")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            raise Unreadable(
                f"{name}, line {number}: there are merge-conflict markers; ask the student to "
                "resolve the conflict and submit again."
            )
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise Unreadable(
            f"{name}{line}: it is not complete JSON ({reason}); ask the student to submit again."
        ) from None
    if not isinstance(document, dict) or not ({"cells", "worksheets"} & document.keys()):
        raise Unreadable(f"{name} is JSON, but not a notebook: it has no cells.")
    try:
        if document.get("nbformat", 4) < 4 or "worksheets" in document:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                document = nbformat.convert(nbformat.from_dict(document), 4)
        return _rebuild(document, keep_metadata)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"{name} is not a notebook that can be read: {error}.") from None


def _rebuild(document: Mapping[str, Any], keep_metadata: bool) -> NotebookNode:
    """A valid notebook with the cells of a possibly odd one; outputs are left behind."""
    notebook = nbformat.v4.new_notebook()
    makers = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
    for number, cell in enumerate(document["cells"]):
        if not isinstance(cell, Mapping):
            continue
        source = cell.get("source", "")
        source = "".join(map(str, source)) if isinstance(source, list) else str(source)
        metadata = cell.get("metadata")
        maker = makers.get(str(cell.get("cell_type")), new_raw_cell)
        made = maker(source, metadata=metadata if keep_metadata else _plain_metadata(metadata))
        made.id = f"cell-{number}"
        notebook.cells.append(made)
    return notebook


def _plain_metadata(metadata: Any) -> dict[str, Any]:
    """Only nbgrader's entry is of use, and only where it names a cell."""
    entry = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    if isinstance(entry, Mapping) and isinstance(entry.get("grade_id"), str):
        return {"nbgrader": {"grade_id": entry["grade_id"]}}
    return {}


# --- finding files ------------------------------------------------------------------------


def find_notebooks(folder: Path, names: Sequence[str]) -> tuple[dict[str, Path], dict[str, str]]:
    """Finds each expected notebook in a submission's folder.

    Args:
        folder: the submission.
        names: the notebooks' names, without extension.

    Returns:
        (path by name, note by name): a renamed file, `1-x (1).ipynb` for example, is taken
        where it is the only candidate for a name, and the note says so.
    """
    files = {path.stem: path for path in sorted(folder.glob("*.ipynb"))}
    found = {name: files[name] for name in names if name in files}
    notes: dict[str, str] = {}
    spare = {stem: path for stem, path in files.items() if stem not in found}
    for name in names:
        if name in found:
            continue
        candidates = [stem for stem in spare if _could_be(stem, name)]
        if len(candidates) == 1:
            found[name] = spare.pop(candidates[0])
            notes[name] = f"the file was named {found[name].name}"
    return found, notes


def read_files(folder: Path) -> dict[str, bytes]:
    """A submission's other files, for the student's code to read.

    Args:
        folder: the submission.

    Returns:
        Contents by path relative to the folder. Links are left out, and what lies beyond
        `MAX_SIZE` bytes in all.
    """
    files: dict[str, bytes] = {}
    left = MAX_SIZE
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not (Path(parent) / name).is_symlink())
        for name in sorted(names):
            path = Path(parent) / name
            if path.suffix == ".ipynb" or path.is_symlink() or not path.is_file():
                continue
            left -= path.stat().st_size
            if left >= 0:
                files[str(path.relative_to(folder))] = path.read_bytes()
    return files


def _could_be(stem: str, name: str) -> bool:
    def simple(text: str) -> str:
        text = re.sub(r"\(\d+\)|[-_ ]*(copy|kopie|final|fixed|v\d+)\b[-_ \d]*", " ", text.lower())
        return re.sub(r"[^a-z0-9]+", "", text)

    return simple(stem) == simple(name)


# --- repairing ----------------------------------------------------------------------------


def released(source: NotebookNode) -> NotebookNode:
    """The notebook as students got it: without solutions and hidden tests."""
    notebook = copy.deepcopy(source)
    resources: dict[str, Any] = {}
    notebook, resources = ClearSolutions(enforce_metadata=False).preprocess(notebook, resources)
    notebook, _ = ClearHiddenTests(enforce_metadata=False).preprocess(notebook, resources)
    return notebook


def by_name(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """A notebook's cells that have a grade_id, by it."""
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id")
    }


def repair(notebook: NotebookNode, source: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Makes a submission's cells fit the source's again.

    Every locked cell of the source is there exactly once with its own text, type and points;
    every solution cell is there exactly once; whatever else the student wrote is kept.

    Args:
        notebook: as `read` returns it; its nbgrader metadata holds grade_ids at the most.
        source: the instructor's notebook.

    Returns:
        (the repaired notebook, notes for student and teacher).

    Raises:
        Unreadable: if no cell of the notebook can be recognised.
    """
    reference = by_name(released(source))
    originals = by_name(source)
    notes: list[str] = []
    cells = [copy.deepcopy(cell) for cell in notebook.cells]
    named = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in cells]
    named = [name if name in reference else None for name in named]
    if not any(named):
        named = _match(cells, reference)
        if not any(name and is_solution(reference[name]) for name in named):
            raise Unreadable("unrecognised notebook: no cell of the assignment was found in it.")
        notes.append("the cells' metadata was gone; cells were matched by their content")
    else:
        _match_rest(cells, named, reference)
    _settle_duplicates(cells, named, reference, notes)
    for name in reference:
        if name not in named:
            notes.append(f"{_kind(reference[name])} cell {name} was missing; put back")
    _restore_order(cells, named, reference, notes)
    for cell, name in zip(cells, named, strict=True):
        cell.metadata = {}
        if name is not None:
            _restore(cell, reference[name], originals[name], notes)
    _put_back(
        cells, named, {n: c if is_solution(c) else originals[n] for n, c in reference.items()}
    )
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    notebook = copy.copy(notebook)
    notebook.cells = cells
    notebook.metadata = copy.deepcopy(source.metadata)
    return notebook, notes


def _match(cells: Sequence[Any], reference: Mapping[str, Any]) -> list[str | None]:
    """Names for cells without metadata, by their content."""
    named: list[str | None] = [None] * len(cells)
    _match_rest(cells, named, reference)
    return named


def _match_rest(
    cells: Sequence[Any], named: list[str | None], reference: Mapping[str, Any]
) -> None:
    """Fills in names that are still missing where one cell clearly is that one."""
    missing = [name for name in reference if name not in named]
    for name in missing:
        wanted = reference[name]
        if is_solution(wanted):
            scores = [_defines(cell, name) for cell in cells]
        else:
            scores = [_likeness(cell.source, wanted.source) for cell in cells]
        candidates = [
            (score, index)
            for index, score in enumerate(scores)
            if named[index] is None and score >= 0.8
        ]
        if candidates:
            # Of several definitions the last one counts, as it does when the cells run.
            named[max(candidates)[1]] = name


def _defines(cell: Any, name: str) -> float:
    pattern = rf"^(def\s+{re.escape(name)}\b|{re.escape(name)}\s*(:[^=\n]*)?=(?!=))"
    return 1.0 if re.search(pattern, cell.source, re.MULTILINE) else 0.0


def _likeness(a: str, b: str) -> float:
    a, b = " ".join(a.split()), " ".join(b.split())
    return 1.0 if a == b else difflib.SequenceMatcher(None, a[:5000], b[:5000]).ratio()


def _settle_duplicates(
    cells: list[Any], named: list[str | None], reference: Mapping[str, Any], notes: list[str]
) -> None:
    """Leaves each name to one cell: of a pasted answer the last one that is not the stub."""
    for name in sorted({name for name in named if name is not None and named.count(name) > 1}):
        places = [index for index, other in enumerate(named) if other == name]
        if is_solution(reference[name]):
            stub = " ".join(reference[name].source.split())
            changed = [i for i in places if " ".join(cells[i].source.split()) != stub]
            keep = (changed or places)[-1]
            # An untouched stub would undo the answer when it runs after it.
            drop = [i for i in places if changed and i not in changed]
        else:
            keep, drop = places[0], places[1:]
        notes.append(f"cell {name} was there {len(places)} times")
        kept = cells[keep]
        for index in places:
            named[index] = None
        for index in sorted({*drop, keep}, reverse=True):
            del cells[index], named[index]
        # The one that counts stands behind the first of its copies, before the tests.
        place = places[0] + (places[0] not in (*drop, keep))
        cells.insert(place, kept)
        named.insert(place, name)


def _restore_order(
    cells: list[Any], named: list[str | None], reference: Mapping[str, Any], notes: list[str]
) -> None:
    """Takes out locked cells that are not where they belong; they are put back afterwards."""
    order = list(reference)
    places = [order.index(name) for name in named if name is not None]
    if places == sorted(places):
        return
    notes.append("cells had been moved; the locked ones were put back in order")
    for index in reversed(range(len(cells))):
        name = named[index]
        if name is not None and not is_solution(reference[name]):
            del cells[index], named[index]


def _restore(cell: Any, wanted: Any, original: Any, notes: list[str]) -> None:
    """Gives a cell the metadata and type of the source's, and a locked one its full text."""
    name = wanted.metadata.nbgrader.grade_id
    cell.metadata = copy.deepcopy(wanted.metadata)
    if cell.cell_type != wanted.cell_type:
        notes.append(f"cell {name} had been turned into a {cell.cell_type} cell; restored")
        cell.cell_type = wanted.cell_type
        cell.pop("attachments", None)
        if wanted.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    if not is_solution(wanted) and " ".join(cell.source.split()) != " ".join(wanted.source.split()):
        notes.append(f"locked cell {name} had been changed; restored")
    if not is_solution(wanted):
        cell.source = original.source


def _put_back(cells: list[Any], named: list[str | None], reference: Mapping[str, Any]) -> None:
    """Inserts what is missing, each cell behind the ones that it follows in the source."""
    order = list(reference)
    for position, name in enumerate(order):
        if name not in named:
            before = [named.index(other) for other in order[:position] if other in named]
            index = max(before) + 1 if before else 0
            cells.insert(index, copy.deepcopy(reference[name]))
            named.insert(index, name)


def _kind(cell: Any) -> str:
    return "test" if is_grade(cell) else "answer" if is_solution(cell) else "locked"
