"""Finding each expected notebook in a submission, and repairing it where one reading is clear."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.utils import is_grade, is_solution

from graders.grading.reading import (
    Unreadable,
    files_in,
    harmless,
    looks_like,
    parse,
    read,
    read_files,
)
from graders.grading.stubs import released

__all__ = ["Unreadable", "find_notebooks", "parse", "read", "read_files", "released", "repair"]


def find_notebooks(
    folder: Path, sources: Mapping[str, NotebookNode]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Finds each expected notebook in a submission's folder.

    Args:
        folder: the submission.
        sources: the instructor's notebooks by name, without extension.

    Returns:
        (path by name, note by name). A renamed file, `1-x (1).ipynb` for example, is taken
        where it is the only candidate, by its name or by its cells, and the note says so. Where
        there are several the note names them.
    """
    found = {}
    for name in sources:
        path = folder / f"{name}.ipynb"
        if path.is_symlink() or path.exists():
            found[name] = path
    notes: dict[str, str] = {}
    spare = [path for path in files_in(folder) if path not in found.values() and _may_be(path)]
    for name in sources:
        named = [path for path in spare if looks_like(path.name, name)]
        if name in found:
            if named:
                notes[name] = f"not looked at, though named alike: {_names(named, folder)}"
            continue
        candidates = _different(named) or _different(
            [path for path in spare if _is_of(path, name, sources)]
        )
        if len(candidates) == 1:
            found[name] = candidates[0]
            notes[name] = f"the file was named {_names(candidates, folder)}"
            spare.remove(candidates[0])
        elif candidates:
            notes[name] = f"several files could be it: {_names(candidates, folder)}"
    return found, notes


def _may_be(path: Path) -> bool:
    return ".ipynb" in path.name.lower() or path.suffix.lower() == ".json"


def _names(paths: Sequence[Path], folder: Path) -> str:
    return ", ".join(str(path.relative_to(folder)) for path in paths)


def _different(paths: Sequence[Path]) -> list[Path]:
    """Of files that are alike to the byte only the first."""
    contents: dict[bytes, Path] = {}
    for path in paths:
        contents.setdefault(path.read_bytes(), path)
    return list(contents.values())


def _is_of(path: Path, name: str, sources: Mapping[str, NotebookNode]) -> bool:
    """Whether a file has more cells of this source than of any other."""
    try:
        notebook = read(path)
    except Unreadable:
        return False
    scores = {}
    for other, source in sources.items():
        originals = by_name(source)
        names, _ = _recognise(notebook.cells, originals, by_name(released(source)))
        scores[other] = sum(_counts(originals, found) for found in names)
    best = max(scores.values())
    return best > 0 and [other for other, score in scores.items() if score == best] == [name]


def _counts(reference: Mapping[str, Any], name: str | None) -> bool:
    """Whether a cell is one that only this assignment has."""
    return name is not None and bool(is_grade(reference[name]) or is_solution(reference[name]))


# --- repairing ----------------------------------------------------------------------------


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
    named, by_content = _recognise(cells, originals, reference)
    if not any(_counts(reference, name) for name in named):
        raise Unreadable(
            "unrecognised notebook: no cell of the assignment was found in it; look at it, or ask "
            "the student for the notebook that was handed out."
        )
    if by_content:
        notes.append("the cells' metadata was gone; cells were matched by their content")
    _settle_duplicates(cells, named, reference, notes)
    for name in reference:
        if name not in named:
            notes.append(f"{_kind(reference[name])} cell {name} was missing; put back")
    _restore_order(cells, named, reference, notes)
    for index in reversed(range(len(cells))):
        cell, known = cells[index], named[index]
        cell.metadata = {}
        if known is not None:
            changed = _restore(cell, reference[known], originals[known], notes)
            if changed and cell.cell_type == "code" and not is_grade(reference[known]):
                # An import that the student added here may be needed further down.
                cells.insert(index + 1, new_code_cell(changed))
                named.insert(index + 1, None)
    _put_back(
        cells,
        named,
        {
            name: _stub(cell, originals[name], cells) if is_solution(cell) else originals[name]
            for name, cell in reference.items()
        },
    )
    texts = {_simple(cell.source) for cell in source.cells}
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type != "code" and _simple(cell.source) not in texts:
            cell.source = harmless(cell.source)
    notebook = copy.copy(notebook)
    notebook.cells = cells
    notebook.metadata = copy.deepcopy(source.metadata)
    return notebook, notes


def _recognise(
    cells: Sequence[Any], originals: Mapping[str, Any], reference: Mapping[str, Any]
) -> tuple[list[str | None], bool]:
    """Names for a submission's cells.

    Args:
        cells: the submission's cells.
        originals: the source's cells by name.
        reference: the same as students got them.

    Returns:
        (a name or `None` for each cell, whether all names come from the cells' contents).
    """
    given = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in cells]
    named: list[str | None] = [name if name in originals else None for name in given]
    by_content = not any(named)
    texts = {_simple(cell.source): name for name, cell in reference.items()}
    known = set(named)
    for index, cell in enumerate(cells):
        match = texts.get(_simple(cell.source))
        if named[index] is None and match is not None and match not in known:
            named[index] = match
    for name, original in originals.items():
        if name not in named and is_solution(original):
            defines = _definition(name, original)
            # Of several definitions the last one counts, as it does when the cells run.
            for index in reversed(range(len(cells))):
                if named[index] is None and defines.search(cells[index].source):
                    named[index] = name
                    break
    return named, by_content and any(named)


def _simple(source: str) -> str:
    return " ".join(source.split())


def _definition(name: str, original: Any) -> re.Pattern[str]:
    """What a cell's source looks like where it defines what this solution cell is for."""
    names = []
    try:
        body = ast.parse(original.source).body if original.cell_type == "code" else []
    except SyntaxError:
        body = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    wanted = "|".join(map(re.escape, [name] if name in names else names or [name]))
    return re.compile(
        rf"^((async\s+)?def\s+({wanted})\b|class\s+({wanted})\b|({wanted})\s*(:[^=\n]*)?=(?!=))",
        re.MULTILINE,
    )


def _settle_duplicates(
    cells: list[Any], named: list[str | None], reference: Mapping[str, Any], notes: list[str]
) -> None:
    """Leaves each name to one cell: of a pasted answer to the last one that is not the stub."""
    for name in sorted({name for name in named if name is not None and named.count(name) > 1}):
        places = [index for index, other in enumerate(named) if other == name]
        notes.append(f"cell {name} was there {len(places)} times; {_which(reference[name])}")
        copies = [cells[index] for index in places]
        if is_solution(reference[name]):
            stub = _simple(reference[name].source)
            # An untouched stub would undo the answer when it runs after it.
            copies = [cell for cell in copies if _simple(cell.source) != stub] or copies[-1:]
        else:
            copies = copies[:1]
        for index in reversed(places):
            del cells[index], named[index]
        # They all stand where the first one stood, before the tests, and run in their order.
        cells[places[0] : places[0]] = copies
        named[places[0] : places[0]] = [*[None] * (len(copies) - 1), name]


def _which(cell: Any) -> str:
    return "the last answer counts" if is_solution(cell) else "restored"


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


def _restore(cell: Any, wanted: Any, original: Any, notes: list[str]) -> str:
    """Gives a cell the metadata and type of the source's, and a locked one its full text.

    Returns:
        What the student had written into a locked cell, or `""`.
    """
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
    if is_solution(wanted):
        return ""
    changed = "" if _simple(cell.source) == _simple(wanted.source) else str(cell.source)
    if changed:
        notes.append(f"locked cell {name} was not as in the teacher's notebook; restored")
    cell.source = original.source
    return changed


def _stub(wanted: Any, original: Any, cells: Sequence[Any]) -> Any:
    """What is put back where an answer cell is gone: nothing that undoes an answer elsewhere."""
    defines = _definition(wanted.metadata.nbgrader.grade_id, original)
    if any(cell.cell_type == "code" and defines.search(cell.source) for cell in cells):
        wanted = copy.deepcopy(wanted)
        wanted.source = "# (the answer is in another cell)"
    return wanted


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
