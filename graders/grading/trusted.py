"""Runs the instructor's locked cells, in this process, against proxies of a student's names."""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import io
import math
import numbers
import signal
import symtable
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from graders.checks import recording
from graders.findings import Result

Resolver = Callable[[Sequence[str]], Mapping[str, Any]]
"""Looks names up in the student's notebook; names that are not there are left out."""


@dataclass(frozen=True)
class TrustedRun:
    """What came of a locked cell.

    Attributes:
        results: the results of the checks that it ran, in order.
        error: the exception that it raised, or `None`.
        value: the value of its last expression, or `None`.
        printed: what it printed.
        resolved: the student's names that it used, with their proxies.
        borrowed: whether that value is the student's own, as it came from their kernel.
    """

    results: tuple[Result, ...]
    error: BaseException | None
    value: Any
    printed: str
    resolved: Mapping[str, Any]
    borrowed: bool = False

    def score(self, points: float) -> float:
        """The mark: finite, and between 0 and `points`.

        The cell earns all points if it ends without an exception, without a failed check and
        without a value. A number as its value is partial credit, as in nbgrader, where it
        lies between 0 and the points; any other value earns nothing, and a student's neither.
        """
        if self.error is not None or not all(result.passed for result in self.results):
            return 0.0
        if self.value is None and not self.borrowed:
            return points
        return self.partial(points) or 0.0

    def partial(self, points: float) -> float | None:
        """The cell's value as a mark, or `None` if it is none."""
        return None if self.borrowed else partial_credit(self.value, points)


def partial_credit(value: Any, points: float) -> float | None:
    """A cell's value as a mark, or `None` if it is none.

    Args:
        value: the value of the cell's last expression.
        points: the cell's maximum.

    Returns:
        The value as a float if it is a finite real number from 0 to `points`.
    """
    if isinstance(value, bool):
        return None
    try:
        if not isinstance(value, numbers.Real):
            if value.shape != () or value.dtype.kind not in "iuf":
                return None
            value = value.item()
        mark = float(value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    return mark if math.isfinite(mark) and 0 <= mark <= points else None


class TrustedSide:
    """The instructor's namespace.

    Args:
        resolve: looks up the names that the instructor's cells do not define themselves.
    """

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self._namespace: dict[str, Any] = {"__name__": "__main__"}

    def prepare(self, source: str, *, imports_only: bool = False) -> None:
        """Runs a cell that test cells rely on.

        Args:
            source: its source.
            imports_only: run nothing but its import statements.

        Raises:
            Exception: whatever the instructor's code raises.
        """
        tree = ast.parse(source)
        if imports_only:
            tree.body = [
                node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
            ]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(NameError):
            # A locked cell may show what a student's function does; tests do not rely on that.
            exec(compile(tree, "<instructor>", "exec"), self._namespace)

    def run(self, source: str, seconds: float = math.inf) -> TrustedRun:
        """Runs a test cell.

        Args:
            source: the cell's source, from the instructor's notebook.
            seconds: after which it is stopped; a student's value may make it run for ever.

        Returns:
            What came of it; an exception is part of that.
        """
        try:
            test = _Test.of(source)
        except SyntaxError as mistake:
            return TrustedRun((), mistake, None, "", {})
        known = self._namespace.keys() | vars(builtins).keys()
        resolved = dict(self._resolve(sorted(test.names - known)))
        self._namespace.update(resolved)
        results: list[Result] = []
        printed = io.StringIO()
        value, error = None, None
        with (
            recording(results.append),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            try:
                with _stopping_after(seconds):
                    exec(test.body, self._namespace)
                    value = eval(test.last, self._namespace)
            except BaseException as caught:
                if isinstance(caught, KeyboardInterrupt):
                    raise
                error = caught
        # The student's cells may define these names anew before the next test.
        for name in resolved:
            self._namespace.pop(name, None)
        borrowed = test.root in resolved
        printed_text = printed.getvalue()[:10_000]
        return TrustedRun(tuple(results), error, value, printed_text, resolved, borrowed)


@dataclass(frozen=True)
class _Test:
    """A test cell made ready, once for all submissions.

    Attributes:
        names: those that it uses without defining them.
        body: its statements.
        last: the expression that it ends with.
        root: the name that this expression starts from: `f` for `f`, `f(x)` and `f(x)[0].y`.
    """

    names: frozenset[str]
    body: CodeType
    last: CodeType
    root: str

    @classmethod
    @functools.lru_cache(maxsize=256)
    def of(cls, source: str) -> _Test:
        """The test of a source.

        Raises:
            SyntaxError: if it is no Python.
        """
        tree = ast.parse(source)
        last: ast.expr = ast.Constant(None, lineno=1, col_offset=0)
        if tree.body and isinstance(end := tree.body[-1], ast.Expr):
            last = end.value
            del tree.body[-1]
        node = last
        while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
            node = node.func if isinstance(node, ast.Call) else node.value
        return cls(
            names=frozenset(free_names(source)),
            body=compile(tree, "<test>", "exec"),
            last=compile(ast.Expression(last), "<test>", "eval"),
            root=node.id if isinstance(node, ast.Name) else "",
        )


class TookTooLong(Exception):
    """A test cell did not come to its end in time."""


@contextlib.contextmanager
def _stopping_after(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in its block after so many seconds, where the system lets it."""
    if not math.isfinite(seconds) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong(f"the test did not come to its end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def free_names(source: str) -> set[str]:
    """The global names that a cell uses without defining them before.

    Args:
        source: a cell's source.

    Returns:
        The names, builtins included; attribute names and local variables are not among them.
    """
    table = symtable.symtable(source, "<test>", "exec")
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    defined = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }

    def visit(inner: symtable.SymbolTable) -> None:
        names.update(s.get_name() for s in inner.get_symbols() if s.is_global())
        for child in inner.get_children():
            visit(child)

    for child in table.get_children():
        visit(child)
    return names - defined
