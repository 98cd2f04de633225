"""The kernel's end of the line between a student's kernel and the grader.

The grader sends one line of code that calls `answer` with a JSON text. What comes of its calls is
published in messages of type `MIME`, soon after each call, so that a call that hangs takes no
other's result with it. Nothing of a test or of a reference answer ever comes here.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
import threading
from collections.abc import Mapping
from dataclasses import replace
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
"""The type of a message that holds a list of JSON texts, one for each reply."""

WAIT = 0.05
"""Seconds that a reply may wait for others to go with it."""

MOST_WAITING = 2**20
"""Characters of replies that may wait."""

_observers: dict[int, Any] = {}


class _Outbox:
    """Publishes replies, those that come shortly after one another in one message.

    A message costs a millisecond on either side, and many a call takes less.
    """

    def __init__(self, publisher: Any, *, at_once: bool) -> None:
        self._publisher = publisher
        self._at_once = at_once
        self._waiting: list[str] = []
        self._size = 0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def put(self, document: Mapping[str, Any]) -> None:
        """Takes a reply."""
        text = json.dumps(document)
        with self._lock:
            self._waiting.append(text)
            self._size += len(text)
            wait = not self._at_once and self._size < MOST_WAITING and self._has_timer()
        if not wait:
            self.close()

    def _has_timer(self) -> bool:
        """Sees to it that what waits goes out, also if the next call hangs."""
        if self._timer is None:
            # Which request a message belongs to is known by context.
            context = contextvars.copy_context()
            timer = threading.Timer(WAIT, context.run, [self.close])
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # a student's code has used up all threads
                return False
            self._timer = timer
        return True

    def close(self) -> None:
        """Publishes what waits."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            texts, self._waiting, self._size = self._waiting, [], 0
            if texts:
                self._publisher.publish({MIME: texts})


def answer(request: str) -> None:
    """Answers one request.

    Args:
        request: JSON text. `{"describe": [names]}` asks what the names are;
            `{"name": name, "calls": [...], "epoch": n}` asks for calls of a function. Within
            one epoch no code of the student's runs, so that compiled calls can be kept.
            With `"at_once": true` no reply waits for another.
    """
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("graders.serve answers only inside a kernel.")
    document = json.loads(request)
    outbox = _Outbox(shell.display_pub, at_once=document.get("at_once", False))
    with contextlib.closing(outbox):
        if "describe" in document:
            for name in document["describe"]:
                outbox.put({"name": name, "description": describe(shell.user_ns, name)})
        else:
            _observe(document, shell.user_ns, outbox)


def _observe(document: Mapping[str, Any], namespace: Mapping[str, Any], outbox: _Outbox) -> None:
    from graders.perform import Observer

    epoch = document["epoch"]
    observer = _observers.get(epoch)
    if observer is None:
        _observers.clear()
        observer = _observers[epoch] = Observer()
    programs: list[tuple[Any, int]] = []
    for number, call in enumerate(document["calls"]):
        try:
            seen = observer.observe(namespace[document["name"]], call_from_json(call))
            first = next((n for program, n in programs if program is seen.program), None)
            if first is None:
                reply = observation_to_json(seen)
                if seen.program is not None:
                    programs.append((seen.program, number))
            else:
                reply = observation_to_json(replace(seen, program=None))
                reply["program"] = {"same_as": first}
        except BaseException as error:
            problem = Problem(type(error).__name__, ("BaseException",), "")
            reply = observation_to_json(Observation(RAISED, problem=problem))
        outbox.put({"number": number, "observation": reply})


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
