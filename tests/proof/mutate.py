"""Small changes to a program, one at a time, at its syntax tree."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A program with one change.

    Attributes:
        kind: what was changed: comparison, constant, operator, argument, keyword, index, call,
            order, element or name.
        source: the program.
        change: its first line that differs, with its number, before and after.
    """

    kind: str
    source: str
    change: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a program, each once.

    Args:
        source: the program.
    """
    tree = ast.parse(source)
    original = ast.unparse(tree)
    found = {original: Mutant("", original, "")}
    for kind, change in itertools.chain(_replacements(tree), _names(tree)):
        changed = _unparsed(tree, change)
        if changed not in found:
            found[changed] = Mutant(kind, changed, _difference(original, changed))
    del found[original]
    return list(found.values())


Change = tuple[ast.AST, Callable[[Any], Any]]
"""A node, and what to put in its place, from a copy of it."""


def _unparsed(tree: ast.AST, change: Change) -> str:
    node, replace = change

    class Replace(ast.NodeTransformer):
        def visit(self, here: ast.AST) -> Any:
            if here is node:
                return replace(copy.deepcopy(here))
            return self.generic_visit(here)

    # The transformer changes the tree in place, down to the node: so it works on a copy whose
    # nodes are found by their place.
    position = next(n for n, each in enumerate(ast.walk(tree)) if each is node)
    twin = copy.deepcopy(tree)
    node = next(each for n, each in enumerate(ast.walk(twin)) if n == position)
    return ast.unparse(ast.fix_missing_locations(Replace().visit(twin)))


def _difference(before: str, after: str) -> str:
    pairs = itertools.zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next(
        f"{number}: {a.strip()}  →  {b.strip()}" for number, (a, b) in enumerate(pairs, 1) if a != b
    )


_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.Sub),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}


def _replacements(tree: ast.AST) -> Iterator[tuple[str, Change]]:
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=[op]) if isinstance(op, _COMPARISONS):
                for other in _COMPARISONS:
                    yield "comparison", (node, _setting(ops=[other()]))
            case ast.Constant() if id(node) not in docstrings:
                for value in _other_values(node.value):
                    yield "constant", (node, _setting(value=value))
            case ast.BinOp():
                for operator in _OPERATORS.get(type(node.op), ()):
                    yield "operator", (node, _setting(op=operator()))
                yield "operator", (node, lambda it: it.left)
                yield "operator", (node, lambda it: it.right)
            case ast.UnaryOp():
                yield "operator", (node, lambda it: it.operand)
            case ast.Subscript(ctx=ast.Load()):
                yield "index", (node, lambda it: it.value)
            case ast.Call():
                yield from _calls(node)
            case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()) | ast.Set():
                ordered = not isinstance(node, ast.Set)
                for n in range(len(node.elts) - 1 if ordered else 0):
                    yield "order", (node, _swapping("elts", n))
                for n in range(len(node.elts)):
                    yield "element", (node, _dropping("elts", n))


def _calls(node: ast.Call) -> Iterator[tuple[str, Change]]:
    for n in range(len(node.args) - 1):
        yield "argument", (node, _swapping("args", n))
    for n in range(len(node.args)):
        yield "argument", (node, _dropping("args", n))
        yield "call", (node, lambda it, n=n: it.args[n])
    for n in range(len(node.keywords)):
        yield "keyword", (node, _dropping("keywords", n))


def _names(tree: ast.AST) -> Iterator[tuple[str, Change]]:
    """Each use of a local name, replaced by each other one in reach."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        known = _bound(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known:
                for other in sorted(known - {node.id}):
                    yield "name", (node, _setting(id=other))


def _bound(function: ast.FunctionDef) -> set[str]:
    """What a function takes and assigns, and so do the functions in it."""
    inside = list(ast.walk(function))
    names = {node.arg for node in inside if isinstance(node, ast.arg)}
    names |= {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names - {"_"}


def _other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [2 * value, value / 2, 0.0]
    if isinstance(value, str):
        return [chr(ord(value) + 1)] if len(value) == 1 else [value[:-1]]
    return []


def _setting(**fields: Any) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        for name, value in fields.items():
            setattr(node, name, value)
        return node

    return change


def _swapping(name: str, n: int) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        items = getattr(node, name)
        items[n], items[n + 1] = items[n + 1], items[n]
        return node

    return change


def _dropping(name: str, n: int) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        del getattr(node, name)[n]
        return node

    return change
