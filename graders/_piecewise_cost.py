"""The written part of exercise 4: what a switch costs, as a dict of four small facts.

What the dict should hold is not written here; it comes with the call from the hidden tests,
together with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graders import values
from graders.checks import run_data
from graders.compare import brief
from graders.findings import Finding

_SUBJECT = "piecewise/piecewise_cost"

_QUESTIONS = {
    "scalar": "how many branches run in one plain call",
    "batched_index": "how many branches are computed for each element under jax.vmap over x",
    "unbatched_index": "how many branches run if the operand is mapped and the index is not",
    "primitive": "what the switch has become in the jaxpr under jax.vmap",
}

_NEXT = {
    "scalar": "Put a jax.debug.print into each branch and call piecewise with one scalar.",
    "batched_index": "Put a jax.debug.print into each branch, map piecewise over three x and "
    "count the lines for each x.",
    "unbatched_index": "Write g(i, x) with a lax.switch on i, map it with in_axes=(None, 0) and "
    "look for a cond in its jaxpr.",
    "primitive": "Print jax.make_jaxpr(jax.vmap(piecewise))(xs) and see which operation decides "
    "in the end what comes out.",
}

KEYS = tuple(_QUESTIONS)
"""The keys of `piecewise_cost`."""


def check_cost(answer: Any, key: str, *, expected: int | str | None = None, why: str = "") -> None:
    """Checks one entry of `piecewise_cost`.

    Args:
        answer: the student's `piecewise_cost`. Case and spaces in keys and texts do not
            matter, nor does which kind of number says 3.
        key: the entry, one of `KEYS`.
        expected: what it should be; `None` checks the form only.
        why: the reason why that is so, for those who got it wrong.

    Raises:
        graders.report.CheckFailed: if the entry is missing, of the wrong form, or wrong.
    """
    run_data(_SUBJECT, f'"{key}"', answer, lambda value: judge_cost(value, key, expected, why))


def judge_cost(
    answer: Any, key: str, expected: int | str | None = None, why: str = ""
) -> Iterable[Finding] | None:
    """Judges `check_cost`; `None` means that the entry is still open."""
    number = key != "primitive"
    form = "a whole number" if number else 'the name of a primitive, in quotes, like "add"'
    wanted = f"{form}: {_QUESTIONS[key]}"

    def wrong(headline: str, came: str, expected: str, because: str, next_step: str) -> Finding:
        code = f"piecewise/cost-{key.replace('_', '-')}"
        return Finding(code, headline, "", came, expected, because, next_step)

    if not isinstance(answer, dict) or not _is_plain(answer):
        kind = "a dict that holds other things" if isinstance(answer, dict) else _kind(answer)
        return [
            wrong(
                "piecewise_cost is not a dict of numbers and text",
                kind,
                "a dict with the keys " + ", ".join(f'"{name}"' for name in KEYS),
                "the check looks the answers up by these keys.",
                "Fill in the dict as the task shows it, with numbers and text only.",
            )
        ]
    entries = {_plain(name): entry for name, entry in answer.items() if isinstance(name, str)}
    if key not in entries:
        because = "the check looks the answer up by this key, and the dict does not have it."
        return [
            wrong(f'the entry "{key}" is missing', "", wanted, because, f'Add "{key}" to the dict.')
        ]
    entry = entries[key]
    if entry is None:
        return None
    read: Callable[[Any], Any] = _whole if number else _primitive
    came = read(entry)
    if came is None:
        because = "this entry is compared as it stands, so it takes the bare answer."
        next_step = f"Write {form}, without explanation."
        return [
            wrong(f'the entry "{key}" has the wrong form', brief(entry), wanted, because, next_step)
        ]
    if expected is None or came == read(expected):
        return []
    return [wrong(f'the entry "{key}" is not right', brief(entry), "", why, _NEXT[key])]


def _is_plain(answer: Any) -> bool:
    # What is not plain data would not reach the grader; so it must not pass here either.
    try:
        values.encode(answer)
    except values.NotPlainError:
        return False
    return True


def _kind(answer: Any) -> str:
    return "a function" if callable(answer) else f"a value of type {type(answer).__name__[:80]}"


def _plain(text: str) -> str:
    """A text without what does not matter: case, spaces, quotes, - for _."""
    return re.sub(r"[\s_-]+", "_", text.strip(" \t\n\"'`")).lower()


def _whole(entry: Any) -> int | None:
    """A whole number, whatever kind of number or text says it, or `None`."""
    if isinstance(entry, str):
        text = entry.strip()
        return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None
    array = np.asarray(entry) if isinstance(entry, int | float | np.ndarray) else None
    # True is no count.
    if array is None or array.size != 1 or array.dtype.kind not in "iuf":
        return None
    value = float(array.reshape(())[()])
    return int(value) if value.is_integer() else None


def _primitive(entry: Any) -> str | None:
    """A primitive's name without `lax.` before it or `()` behind it, or `None`."""
    if not isinstance(entry, str) or not entry.strip():
        return None
    return _plain(entry).removesuffix("()").removesuffix("_p").split(".")[-1]
