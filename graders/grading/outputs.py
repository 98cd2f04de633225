"""What a student's cells show, as it may be kept in a graded notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from nbformat.v4 import new_output

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
        output = self._output(kind, content)
        if output is None:
            return
        last = self.outputs[-1] if self.outputs else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            self.outputs.append(output)
        self._left -= len(json.dumps({**output, "data": output.get("data", {}).get("text/plain")}))
        if self._left <= 0:
            note = "\n[the rest of this cell's output was left out by the grader]\n"
            self.outputs.append(new_output("stream", name="stdout", text=note))

    def _output(self, kind: str, content: Mapping[str, Any]) -> Any:
        match kind:
            case "stream":
                name = "stderr" if content.get("name") == "stderr" else "stdout"
                return new_output("stream", name=name, text=self._text(content.get("text")))
            case "display_data" | "execute_result":
                data = content.get("data")
                shown = self._shown(data) if isinstance(data, dict) else {}
                return new_output("display_data", data=shown) if shown else None
            case "error":
                lines = content.get("traceback")
                told = "\n".join(map(str, lines if isinstance(lines, list) else []))
                return new_output(
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
