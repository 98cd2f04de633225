"""What a student's cells show, as it may be kept in a graded notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode, from_dict

MAX_OUTPUT = 100_000
"""Characters of output that a cell may leave in a notebook."""

MAX_PICTURES = 2_000_000
"""Characters of pictures that a cell may leave beside that."""

_PICTURES = ("image/png", "image/jpeg")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")


def clean(value: Any) -> Any:
    """A JSON value without halves of surrogate pairs, which no file can hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def output(output_type: str, **content: Any) -> NotebookNode:
    """An output of a cell, as `nbformat.v4.new_output` makes it, which would validate each.

    Args:
        output_type: `"stream"`, `"display_data"`, `"execute_result"` or `"error"`.
        **content: all that belongs to it, except for what most have not.
    """
    usual: dict[str, Any] = {}
    if output_type in ("display_data", "execute_result"):
        usual["metadata"] = {}
    if output_type == "execute_result":
        usual["execution_count"] = None
    return from_dict({"output_type": output_type, **usual, **content})


class Outputs:
    """Collects a cell's outputs, up to the limits above.

    Only text and pictures: HTML and scripts would run in the browser of whoever opens the
    graded notebook or its feedback.
    """

    def __init__(self) -> None:
        self.outputs: list[Any] = []
        self._left = MAX_OUTPUT
        self._pictures = MAX_PICTURES

    def take(self, kind: str, content: Mapping[str, Any]) -> None:
        """Takes a message of the kernel's.

        Args:
            kind: its type, for example `"stream"`.
            content: its content, which may be of any form.
        """
        if self._left <= 0:
            return
        new = self._output(kind, content)
        if new is None:
            return
        last = self.outputs[-1] if self.outputs else None
        if last and last.output_type == new.output_type == "stream" and last.name == new.name:
            last.text += new.text
        else:
            self.outputs.append(new)
        self._left -= len(json.dumps({**new, "data": new.get("data", {}).get("text/plain")}))
        if self._left <= 0:
            note = "\n[the rest of this cell's output was left out by the grader]\n"
            self.outputs.append(output("stream", name="stdout", text=note))

    def _output(self, kind: str, content: Mapping[str, Any]) -> Any:
        match kind:
            case "stream":
                name = "stderr" if content.get("name") == "stderr" else "stdout"
                return output("stream", name=name, text=self._text(content.get("text")))
            case "display_data" | "execute_result":
                data = content.get("data")
                shown = self._shown(data) if isinstance(data, dict) else {}
                return output("display_data", data=shown) if shown else None
            case "error":
                lines = content.get("traceback")
                told = "\n".join(map(str, lines if isinstance(lines, list) else []))
                return output(
                    "error",
                    ename=self._text(content.get("ename")),
                    evalue=self._text(content.get("evalue")),
                    traceback=self._text(told).split("\n"),
                )
        return None

    def _text(self, value: Any) -> str:
        return "" if value is None else str(value)[: self._left]

    def _shown(self, data: Mapping[str, Any]) -> dict[str, str]:
        shown = {}
        if "text/plain" in data:
            shown["text/plain"] = self._text(data["text/plain"])
        for kind in _PICTURES:
            picture = data.get(kind)
            if not isinstance(picture, str) or len(picture) > self._pictures:
                continue
            if _BASE64.fullmatch(picture):
                self._pictures -= len(picture)
                shown[kind] = picture
        return shown
