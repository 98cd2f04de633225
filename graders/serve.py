"""The kernel's end of the line between a student's kernel and the grader.

The grader sends one line of code that calls `answer` with a JSON text; what comes of each
call is published at once as a message of type `MIME`, so that a call that hangs takes no
other's result with it. Nothing of a test or of a reference answer ever comes here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from graders import values
from graders.observe import (
    RAISED,
    Observation,
    Problem,
    call_from_json,
    observation_to_json,
)

MIME = "application/vnd.graders.reply+json"

_observers: dict[int, Any] = {}


def answer(request: str) -> None:
    """Answers one request.

    Args:
        request: JSON text. `{"describe": [names]}` asks what the names are;
            `{"name": name, "calls": [...], "epoch": n}` asks for calls of a function. Within
            one epoch no code of the student's runs, so that compiled calls can be kept.
    """
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("graders.serve answers only inside a kernel.")
    document = json.loads(request)
    namespace = shell.user_ns
    if "describe" in document:
        for name in document["describe"]:
            _publish(shell, {"name": name, "description": describe(namespace, name)})
        return
    from graders.perform import Observer

    epoch = document["epoch"]
    observer = _observers.get(epoch)
    if observer is None:
        _observers.clear()
        observer = _observers[epoch] = Observer()
    for number, call in enumerate(document["calls"]):
        try:
            seen = observer.observe(namespace[document["name"]], call_from_json(call))
            reply = observation_to_json(seen)
        except BaseException as error:
            problem = Problem(type(error).__name__, ("BaseException",), "")
            reply = observation_to_json(Observation(RAISED, problem=problem))
        _publish(shell, {"number": number, "observation": reply})


def describe(namespace: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a name is: undefined, a function, plain data with its value, or something else.

    Args:
        namespace: where to look.
        name: the name.

    Returns:
        A JSON object with `kind` and, for data, `value`, otherwise `type`.
    """
    if name not in namespace:
        return {"kind": "undefined"}
    value = namespace[name]
    try:
        return {"kind": "data", "value": values.encode(value)}
    except Exception:
        kind = "function" if callable(value) and not isinstance(value, type) else "other"
        return {"kind": kind, "type": type(value).__name__[:80]}


def _publish(shell: Any, document: dict[str, Any]) -> None:
    shell.display_pub.publish({MIME: document})
