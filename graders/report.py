"""Results for readers: text, HTML for JupyterLab, and an exception with a clean traceback."""

from __future__ import annotations

import html
import os
import sys
import textwrap
from typing import Any

from graders.findings import Finding, Outcome, Result

WIDTH = 80

_SIGN = {Outcome.PASSED: "✓", Outcome.NOT_ATTEMPTED: "○"}

_BEGIN = "There is no answer yet. Write it, run its cell, then run this check again."


class CheckFailed(AssertionError):
    """A check found something to mend.

    Attributes:
        result: what it found.
    """

    def __init__(self, result: Result) -> None:
        super().__init__(text(result))
        self.result = result

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback.

        nbgrader's Validate shows this and nothing else, so there it is the whole message;
        in a notebook the message is displayed above and one line is enough.
        """
        if os.environ.get("NBGRADER_EXECUTION") == "validate":
            return text(self.result).splitlines()
        return [f"{type(self).__name__}: {summary(self.result)}"]


def summary(result: Result) -> str:
    """One line: what was checked, and what came of it."""
    words = result.outcome.words
    codes = ", ".join(dict.fromkeys(finding.code for finding in result.findings))
    return f"{result.subject}, {result.title}: {words}" + (f" ({codes})" if codes else "")


def first_lines(message: str, limit: int = 400) -> str:
    """The beginning of a message: at most three lines and `limit` characters."""
    short = "\n".join(message.strip().split("\n")[:3])
    return short if len(short) <= limit else short[: limit - 1] + "…"


def _sign(outcome: Outcome) -> str:
    return _SIGN.get(outcome, "✗")


def _pairs(finding: Finding) -> list[tuple[str, str]]:
    return [
        (name, body)
        for name, body in (
            ("Input", finding.given),
            ("Your answer", finding.came),
            ("Expected", finding.expected),
        )
        if body
    ]


def _wrap(body: str, indent: str, first: str | None = None) -> list[str]:
    lines: list[str] = []
    for paragraph in body.split("\n"):
        lead = indent if lines or first is None else first
        lines += textwrap.wrap(paragraph, WIDTH, initial_indent=lead, subsequent_indent=indent) or [
            ""
        ]
    return lines


def finding_text(finding: Finding) -> str:
    """A finding as plain text, at most 80 columns wide."""
    lines = _wrap(f"{finding.headline}  [{finding.code}]", "  ", "✗ ")
    for name, body in _pairs(finding):
        lines += _wrap(body, " " * 15, f"  {name + ':':<13}")
    if finding.why:
        lines += _wrap(f"Why: {finding.why}", "  ", "  ")
    if finding.next_step:
        lines += _wrap(f"Try next: {finding.next_step}", "  ", "  ")
    return "\n".join(lines)


def text(result: Result) -> str:
    """A result as plain text, at most 80 columns wide."""
    heading = f"{result.subject} – {result.title}: {result.outcome.words}"
    lines = _wrap(heading, "  ", f"{_sign(result.outcome)} ")
    # The heading has said it already where the whole is the only part.
    if not result.passed and [label for label, _ in result.parts] != [result.title]:
        for label, outcome in result.parts:
            lines += _wrap(f"{label}: {outcome.words}", "      ", f"    {_sign(outcome)} ")
    if result.outcome is Outcome.NOT_ATTEMPTED:
        lines += ["", _BEGIN]
    for finding in result.findings:
        lines += ["", finding_text(finding)]
    if result.see:
        lines += ["", f"See it: {result.see}"]
    return "\n".join(lines)


# Borders and words carry the meaning; colours are only added, so that the table reads in
# light and dark themes and without colour. `inherit` leaves contrast to the theme.
_CELL = (
    "padding:2px 10px;text-align:left;border:1px solid #8888;vertical-align:top;"
    "overflow-wrap:anywhere"
)


def finding_html(finding: Finding) -> str:
    """A finding as an HTML fragment."""
    escape = html.escape
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};white-space:nowrap">{escape(name)}</th>'
        f'<td style="{_CELL}"><code>{escape(body)}</code></td></tr>'
        for name, body in _pairs(finding)
    )
    table = (
        f'<table aria-label="What was seen" style="border-collapse:collapse;margin:6px 0">'
        f"<tbody>{rows}</tbody></table>"
        if rows
        else ""
    )
    why = f"<p><strong>Why:</strong> {escape(finding.why)}</p>" if finding.why else ""
    next_step = (
        f"<p><strong>Try next:</strong> {escape(finding.next_step)}</p>"
        if finding.next_step
        else ""
    )
    return (
        '<section style="border-left:4px solid #b3261e;padding:2px 12px;margin:8px 0">'
        f"<p><strong>✗ {escape(finding.headline)}</strong> "
        f"<code>{escape(finding.code)}</code></p>{table}{why}{next_step}</section>"
    )


def to_html(result: Result) -> str:
    """A result as an HTML fragment: a table of the parts, then the findings."""
    escape = html.escape
    rows = "".join(
        f'<tr><th scope="row" style="{_CELL};font-weight:normal">{escape(label)}</th>'
        f'<td style="{_CELL};white-space:nowrap">{_sign(outcome)} {escape(outcome.words)}</td></tr>'
        for label, outcome in result.parts
    )
    head = (
        f'<tr><th scope="col" style="{_CELL}">Checked</th>'
        f'<th scope="col" style="{_CELL}">Result</th></tr>'
    )
    caption = (
        '<caption style="text-align:left;font-weight:bold;padding:2px 0;color:inherit">'
        f"{_sign(result.outcome)} {escape(result.subject)} – {escape(result.title)}: "
        f"{escape(result.outcome.words)}</caption>"
    )
    # A caption is never wider than its table: without a least width it would be broken.
    table = (
        f'<table style="border-collapse:collapse;min-width:min(100%,36em)">{caption}'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table>"
    )
    begin = f"<p>{_BEGIN}</p>" if result.outcome is Outcome.NOT_ATTEMPTED else ""
    findings = "".join(finding_html(finding) for finding in result.findings)
    see = f"<p><strong>See it:</strong> <code>{escape(result.see)}</code></p>" if result.see else ""
    return f'<div class="graders-result">{table}{begin}{findings}{see}</div>'


class Rendered:
    """A result as IPython displays it: HTML where there is a browser, text elsewhere."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return mimebundle(self._result)

    def __repr__(self) -> str:
        return text(self._result)


def mimebundle(result: Result) -> dict[str, str]:
    """A result by MIME type, as Jupyter's `display_data` message carries it."""
    return {"text/plain": text(result), "text/html": to_html(result)}


def show(result: Result) -> None:
    """Displays a result.

    Raises:
        CheckFailed: unless the check has passed.
    """
    Waiting("", quiet=True).show(result)


def is_graded() -> bool:
    """Whether this kernel grades or validates a notebook, so that nobody looks on."""
    # nbgrader sets the variable; a kernel of this package marks itself.
    return "NBGRADER_EXECUTION" in os.environ or getattr(_shell(), "is_graded", False)


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()


class Waiting:
    """Says that a check is at work, in the place where its result will be.

    In a notebook the sentence is replaced by the result, in a terminal its line is overwritten,
    and elsewhere, as where nobody looks on, there is none. As a context manager it takes the
    sentence away if the check is interrupted.

    Args:
        what: what is checked.
        quiet: whether to say nothing.
    """

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._handle: Any = None
        self._line = False
        if quiet or is_graded():
            return
        sentence = f"… {what}: working"
        if hasattr(_shell(), "kernel"):
            from IPython.display import display

            words = f'<p role="status">{html.escape(sentence)}</p>'
            bundle = {"text/plain": sentence, "text/html": words}
            self._handle = display(bundle, raw=True, display_id=True)
        elif sys.stdout.isatty():
            self._line = True
            print(sentence[:WIDTH], end="", flush=True)

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)
        if self._line:
            print("\r\033[K", end="", flush=True)

    def show(self, result: Result) -> None:
        """Displays the result in this place.

        Raises:
            CheckFailed: unless the check has passed.
        """
        if self._handle is not None:
            self._handle.update(Rendered(result))
        elif _shell() is None:
            print(text(result))
        else:
            from IPython.display import display

            display(Rendered(result))
        if not result.passed:
            raise CheckFailed(result)
