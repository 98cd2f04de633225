"""Runs the instructor's locked cells, in this process, against proxies of a student's names."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import math
import numbers
import symtable
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    """

    results: tuple[Result, ...]
    error: BaseException | None
    value: Any
    printed: str
    resolved: Mapping[str, Any]

    def score(self, points: float) -> float:
        """The mark: finite, and between 0 and `points`.

        The cell earns all points if it ends without an exception, without a failed check and
        without a value. A number as its value is partial credit, as in nbgrader, where it
        lies between 0 and the points; any other value earns nothing.
        """
        if self.error is not None or not all(result.passed for result in self.results):
            return 0.0
        if self.value is None:
            return points
        partial = partial_credit(self.value, points)
        return 0.0 if partial is None else partial


def partial_credit(value: Any, points: float) -> float | None:
    """A cell's value as a mark, or `None` if it is none.

    Args:
        value: the value of the cell's last expression.
        points: the cell's maximum.

    Returns:
        The value as a float if it is a finite real number from 0 to `points`.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        item = getattr(value, "item", None)
        if item is None or getattr(value, "shape", None) != () or value.dtype.kind not in "iuf":
            return None
        value = item()
    mark = float(value)
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
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, "<instructor>", "exec"), self._namespace)

    def run(self, source: str) -> TrustedRun:
        """Runs a test cell.

        Args:
            source: the cell's source, from the instructor's notebook.

        Returns:
            What came of it; an exception is part of that.
        """
        known = self._namespace.keys() | vars(builtins).keys()
        resolved = dict(self._resolve(sorted(free_names(source) - known)))
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
                value = self._execute(source)
            except BaseException as caught:
                if isinstance(caught, KeyboardInterrupt):
                    raise
                error = caught
        # The student's cells may define these names anew before the next test.
        for name in resolved:
            self._namespace.pop(name, None)
        return TrustedRun(tuple(results), error, value, printed.getvalue()[:10_000], resolved)

    def _execute(self, source: str) -> Any:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<test>", "exec"), self._namespace)
        if last is None:
            return None
        return eval(compile(ast.Expression(last.value), "<test>", "eval"), self._namespace)


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
