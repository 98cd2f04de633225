"""A traced program as a small tree, in which what the exercise asks for is marked."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from graders.jaxprs import Equation, Program

MOST = 12
"""Most branches of the tree that are shown at one place."""

KINDS = 6
"""Most kinds of operations that are named in one line."""

_TRANSPARENT = frozenset(
    {"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"}
)
"""Primitives that only wrap others; the tree shows what is in them."""

_TELLING = ("reverse", "length", "branches", "indices_are_sorted")
"""The parameters worth showing, where they are not False."""

FOUND, MISSING, UNWANTED = "◀ asked for", "✗ asked for, but not there", "✗ not wanted here"


@dataclass(frozen=True)
class Wanted:
    """Something that a program should have, or should not.

    Attributes:
        words: what it is, in a few words.
        matches: whether an equation is it.
        unwanted: whether it should not be there.
    """

    words: str
    matches: Callable[[Equation], bool]
    unwanted: bool = False


@dataclass(frozen=True)
class Node:
    """A place in the tree.

    Attributes:
        label: the primitive and what matters about it, or several primitives.
        mark: one of `FOUND`, `MISSING` and `UNWANTED`, or `""`.
        children: what is nested in it.
    """

    label: str
    mark: str = ""
    children: tuple[Node, ...] = field(default=())


def tree(program: Program, wanted: Sequence[Wanted], title: str = "program") -> Node:
    """The tree of a program.

    Args:
        program: the program.
        wanted: what to mark.
        title: the label of its root.

    Returns:
        The root. What is wanted and not there stands at its end.
    """
    missing = [
        Node(one.words, MISSING)
        for one in wanted
        if not one.unwanted and not any(map(one.matches, program.walk()))
    ]
    return Node(title, children=(*_nodes(program, wanted), *missing))


def _nodes(program: Program, wanted: Sequence[Wanted]) -> tuple[Node, ...]:
    nodes: list[Node] = []
    plain: list[str] = []  # operations in a row that are nothing special

    def close() -> None:
        if plain:
            kinds = [f"{n} ×{c}" if c > 1 else n for n, c in Counter(plain).items()]
            nodes.append(Node(", ".join([*kinds[:KINDS], *(["…"] if len(kinds) > KINDS else [])])))
            plain.clear()

    for equation in _flat(program):
        mark = next(
            (UNWANTED if one.unwanted else FOUND for one in wanted if one.matches(equation)), ""
        )
        if not mark and not equation.inner:
            plain.append(equation.primitive)
            continue
        close()
        nodes.append(Node(_label(equation), mark, _inside(equation, wanted)))
    close()
    if len(nodes) > MOST:
        more = len(nodes) - MOST + 1
        nodes[MOST - 1 :] = [Node(f"… and {more} more like these")]
    return tuple(nodes)


def _flat(program: Program) -> Iterator[Equation]:
    for equation in program.equations:
        if equation.primitive in _TRANSPARENT:
            for inner in equation.inner:
                yield from _flat(inner)
        else:
            yield equation


def _inside(equation: Equation, wanted: Sequence[Wanted]) -> tuple[Node, ...]:
    if equation.primitive.startswith("scatter"):
        return ()  # how two entries are combined: its name says it
    names: Iterable[str] = [f"branch {number}" for number in range(len(equation.inner))]
    if equation.primitive == "while":
        names = ("test", "body")
    elif len(equation.inner) == 1:
        return _nodes(equation.inner[0], wanted)
    return tuple(
        Node(name, children=_nodes(inner, wanted))
        for name, inner in zip(names, equation.inner, strict=False)
    )


def _label(equation: Equation) -> str:
    told = [
        f"{name}={equation.parameters[name]}"
        for name in _TELLING
        if equation.parameters.get(name, False) is not False
    ]
    return f"{equation.primitive}  {', '.join(told)}".rstrip()


# --- showing it ---------------------------------------------------------------------------


def to_text(root: Node) -> str:
    """A tree as text, a line for each node."""
    return "\n".join([root.label, *_lines(root.children, "")])


def _lines(nodes: Sequence[Node], indent: str) -> Iterator[str]:
    for number, node in enumerate(nodes):
        last = number == len(nodes) - 1
        mark = f"   {node.mark}" if node.mark else ""
        yield f"{indent}{'└─' if last else '├─'} {node.label}{mark}"
        yield from _lines(node.children, indent + ("   " if last else "│  "))


def to_html(root: Node) -> str:
    """A tree as nested lists, which screen readers announce with their depth.

    What is marked is framed and in bold, and says why in words; no colour carries a meaning.
    """
    return f"<div><code>{html.escape(root.label)}</code>{_list(root.children)}</div>"


def _list(nodes: Sequence[Node]) -> str:
    if not nodes:
        return ""
    return f'<ul style="margin:0">{"".join(map(_item, nodes))}</ul>'


def _item(node: Node) -> str:
    label = f"<code>{html.escape(node.label)}</code>"
    if node.mark:
        label = (
            '<strong style="border:2px solid currentColor;border-radius:3px;padding:0 6px">'
            f"{label} {html.escape(node.mark)}</strong>"
        )
    return f"<li>{label}{_list(node.children)}</li>"
