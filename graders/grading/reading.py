"""Reading what students handed in, whatever state it is in.

Nothing a student hands in makes this raise anything but `Unreadable`, whose message is a
sentence that a teacher can act on.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

MAX_SIZE = 50_000_000
"""Bytes of the largest notebook file that is read, and of a submission's other files."""

MAX_CELLS = 2_000
"""Cells of the longest notebook that is read."""

MAX_FILES = 1_000
"""Files of a submission that are looked at."""


class Unreadable(Exception):
    """A submission that cannot be read; the message says what is wrong, and where."""


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
    if path.exists() and not path.is_file():
        raise Unreadable(f"{path.name} is not a file; ask for the notebook itself.")
    try:
        size = path.stat().st_size
        if size > MAX_SIZE:
            raise Unreadable(
                f"{path.name} has {size / 1e6:.0f} MB, more than the {MAX_SIZE / 1e6:.0f} MB that "
                "are read; ask for it with its outputs cleared."
            )
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from None
    return parse(_text(data), path.name, keep_metadata=keep_metadata)


def _text(data: bytes) -> str:
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        # Windows' encoding for western languages: each byte is a character.
        return data.decode("cp1252" if encoding.startswith("utf-8") else encoding, "replace")


def parse(text: str, name: str, *, keep_metadata: bool = False) -> NotebookNode:
    """Turns a notebook's JSON text into a notebook; see `read`."""
    if not text.strip():
        raise Unreadable(f"{name} is empty; ask the student to save and submit it again.")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(_not_json(error, text, name)) from None
    if not isinstance(document, dict) or not ({"cells", "worksheets"} & document.keys()):
        raise Unreadable(f"{name} is JSON, but not a notebook: it has no cells.")
    try:
        if "cells" not in document:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                document = nbformat.convert(nbformat.from_dict(document), 4)
        cells = [cell for cell in document["cells"] if isinstance(cell, Mapping)]
    except Exception as error:
        raise Unreadable(f"{name} is not a notebook that can be read: {error}.") from None
    # Empty cells do nothing, and some people make thousands of them.
    cells = [cell for cell in cells if _source(cell).strip() or _grade_id(cell)]
    if len(cells) > MAX_CELLS:
        raise Unreadable(
            f"{name} has {len(cells)} cells, more than the {MAX_CELLS} that are read; ask the "
            "student for the notebook without all that is not part of the answers."
        )
    return _rebuild(cells, keep_metadata)


def _not_json(error: Exception, text: str, name: str) -> str:
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ", "||||||| ")):
            return (
                f"{name}, line {number}: there are merge-conflict markers; ask the student to "
                "resolve the conflict and submit again."
            )
    line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
    reason = "nested too deeply" if isinstance(error, RecursionError) else ""
    reason = reason or getattr(error, "msg", str(error).partition(":")[0])
    return f"{name}{line}: it is not complete JSON ({reason}); ask the student to submit again."


def _rebuild(cells: Sequence[Mapping[str, Any]], keep_metadata: bool) -> NotebookNode:
    """A valid notebook with the cells of a possibly odd one; outputs are left behind."""
    notebook = nbformat.v4.new_notebook()
    makers = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
    for number, cell in enumerate(cells):
        metadata = cell.get("metadata")
        if not keep_metadata or not isinstance(metadata, Mapping):
            name = _grade_id(cell)
            metadata = {"nbgrader": {"grade_id": name}} if name else {}
        maker = makers.get(str(cell.get("cell_type")), new_raw_cell)
        made = maker(_source(cell), metadata=metadata)
        made.id = f"cell-{number}"
        notebook.cells.append(made)
    return notebook


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    # Half of a surrogate pair can be written in JSON, and not in any file.
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _grade_id(cell: Mapping[str, Any]) -> str:
    """The only entry of nbgrader's metadata that is of use: the cell's name, if it has one."""
    metadata = cell.get("metadata")
    entry = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    name = entry.get("grade_id") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) else ""


def harmless(text: str) -> str:
    """Markdown whose HTML shows as text, so that it does nothing where somebody opens it."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)


# --- a submission's folder ----------------------------------------------------------------


def files_in(folder: Path) -> Iterator[Path]:
    """The files of a submission, at most `MAX_FILES`; links are left out, and what is hidden."""
    found = 0
    if folder.is_symlink():
        return
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        folders[:] = sorted(
            name for name in folders if name[0] != "." and not (here / name).is_symlink()
        )
        for name in sorted(names):
            path = here / name
            if not path.is_symlink() and path.is_file():
                found += 1
                if found > MAX_FILES:
                    return
                yield path


def is_own_file(file: str, folder: str) -> bool:
    """Whether a file in a submission's folder is one, and no link or device; nor the folder."""
    path = Path(file)
    return path.is_file() and not path.is_symlink() and not Path(folder).is_symlink()


def read_files(folder: Path) -> dict[str, bytes]:
    """A submission's files beside the notebooks, for the student's code to read.

    Args:
        folder: the submission.

    Returns:
        Contents by path relative to the folder. Links are left out, and what lies beyond
        `MAX_SIZE` bytes in all.
    """
    files: dict[str, bytes] = {}
    left = MAX_SIZE
    for path in files_in(folder):
        if path.suffix == ".ipynb":
            continue
        try:
            left -= path.stat().st_size
            if left >= 0:
                files[str(path.relative_to(folder))] = path.read_bytes()
        except OSError:
            continue
    return files


def looks_like(stem: str, name: str) -> bool:
    """Whether a file's name is what browsers, systems and people make of another name."""

    def simple(text: str) -> str:
        text = re.sub(r"\.ipynb|\(\d+\)", " ", text.lower())
        text = re.sub(r"^\W*(copy of|kopie von|copia de|copie de)\b", " ", text)
        words = "copy|kopie|copia|copie|final|fixed|new|v"
        text = re.sub(rf"(?<![^\W_])({words})[-_ ]*\d*(?![^\W_])", " ", text)
        return re.sub(r"[\W_]+", "", text)

    return simple(stem) == simple(name)
