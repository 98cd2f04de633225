"""The page for the instructor: one file, made to be read in five minutes before the lecture."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from graders.findings import Finding
from graders.reporting import sections, stats, svg
from graders.reporting.choices import Choices
from graders.reporting.classroom import Classroom
from graders.reporting.needs import Need, needs
from graders.reporting.similar import Pair
from graders.reporting.stats import Item, Misunderstanding
from graders.reporting.tables import Cell, number, table, text


@dataclass(frozen=True)
class Content:
    """What the page shows.

    Attributes:
        room: the class.
        ranking: what it misunderstood.
        items: the item analysis.
        choices: the quiz's answers.
        before: the class of an earlier run to compare with, or `None`.
        similar: answers that are built alike, or `None` if nobody asked.
    """

    room: Classroom
    ranking: Sequence[Misunderstanding]
    items: Sequence[Item]
    choices: Sequence[Choices] = ()
    before: Classroom | None = None
    similar: Sequence[Pair] | None = None


def page(content: Content) -> str:
    """The page as HTML, which needs nothing from anywhere else."""
    parts = [
        ("Marks", _marks(content)),
        ("What the class misunderstood", _ranking(content)),
        ("Who needs a person", _needs(needs(content.room))),
        ("The checks", _items(content)),
        ("The quiz, answer by answer", _choices(content.choices)),
        ("Time", _time(content.room)),
    ]
    if content.similar is not None:
        parts.append(("Answers that are built alike", _similar(content.similar)))
    parts = [(heading, body) for heading, body in parts if body]
    links = "".join(
        f'<li><a href="#part-{n}">{escape(heading)}</a></li>'
        for n, (heading, _) in enumerate(parts)
    )
    body = "".join(
        f'<section id="part-{n}"><h2>{escape(heading)}</h2>{part}</section>'
        for n, (heading, part) in enumerate(parts)
    )
    title = escape(f"{content.room.assignment}: the class at a glance")
    files = resources.files(__package__)
    style = (files / "page.css").read_text(encoding="utf-8")
    script = (files / "page.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{style}</style></head><body>"
        f'<header><h1>{title}</h1>{_facts(content.room)}<nav aria-label="Parts"><ul>{links}</ul>'
        f"</nav></header><main>{body}</main><script>{script}</script></body></html>\n"
    )


def _facts(room: Classroom) -> str:
    graded = {mark.row.student for mark in room.marks}
    everything = stats.shares(room)
    facts = [
        ("students", f"{len(room.students)}"),
        ("handed in", f"{sum(student.handed_in for student in room.students)}"),
        ("graded", f"{len(graded)}"),
        ("median of all points", f"{statistics.median(everything):.0%}" if everything else "–"),
        ("need a person", f"{len({need.student for need in needs(room)})}"),
    ]
    items = "".join(f"<div><dt>{words}</dt><dd>{value}</dd></div>" for words, value in facts)
    return f'<dl class="facts">{items}</dl>'


def _marks(content: Content) -> str:
    charts = []
    for notebook in content.room.notebooks:
        shares = stats.shares(content.room, notebook)
        words = f"{len(shares)} students"
        if shares:
            full = sum(share >= 1 - 1e-9 for share in shares)
            words += f", median {statistics.median(shares):.0%}, full marks {full}"
        if content.before is not None:
            earlier = stats.shares(content.before, notebook)
            if earlier:
                words += f"; before: median {statistics.median(earlier):.0%}"
        charts.append(
            f"<figure><h3>{escape(notebook)}</h3>{svg.histogram(shares, notebook)}"
            f'<figcaption class="quiet">{words}</figcaption></figure>'
        )
    return (
        "<p>Students by the share of an exercise's points that they have. Notebooks that are "
        "missing or cannot be read are left out, and marks set by hand count as set.</p>"
        f'<div class="charts">{"".join(charts)}</div>'
    )


def _ranking(content: Content) -> str:
    columns = [("Misunderstanding", False), ("Students", True), ("Share", True)]
    earlier: Mapping[tuple[str, str], Misunderstanding] = {}
    found = list(content.ranking)
    if content.before is not None:
        columns.append(("Before", True))
        earlier = {item.key: item for item in stats.ranking(content.before, {})}
    rows = []
    for item in found:
        share = len(item.students) / item.of if item.of else 0.0
        row = [
            Cell(_misunderstanding(item), item.code + item.question),
            Cell(f"{len(item.students)}{svg.meter(share)}", len(item.students)),
            number(share, "{:.0%}"),
        ]
        if content.before is not None:
            same = earlier.get(item.key)
            row.append(number(len(same.students) if same else 0))
        rows.append(row)
    gone = [
        f"{' '.join(filter(None, key))} ({len(item.students)})"
        for key, item in earlier.items()
        if key not in {other.key for other in found}
    ]
    more = f"<p>Told before and nobody now: {escape(', '.join(gone))}.</p>" if gone else ""
    if not rows:
        return f"<p>Nobody was told anything.</p>{more}"
    return (
        "<p>Each student counts once for a misunderstanding, however many checks found it. The "
        "share is of those who answered that exercise.</p>"
        + table("Most frequent first", columns, rows)
        + more
    )


def _misunderstanding(item: Misunderstanding) -> str:
    name = f"<code>{escape(item.code)}</code>"
    if item.question:
        name += f" · {escape(item.question)}"
    if item.section:
        title = sections.TITLES.get(item.section, "")
        name += f" · section {escape(item.section)}{f', {escape(title)}' if title else ''}"
    if item.example is None:
        return name
    return (
        f'{escape(item.example.headline)}<br><span class="quiet">{name}</span>'
        f"<details><summary>The message</summary>{_message(item.example)}</details>"
    )


def _message(finding: Finding) -> str:
    pairs = [("Input", finding.given), ("Answer", finding.came), ("Expected", finding.expected)]
    given = "".join(
        f"<dt>{name}</dt><dd><code>{escape(words)}</code></dd>" for name, words in pairs if words
    )
    why = "".join(f"<p>{escape(words)}</p>" for words in (finding.why, finding.next_step) if words)
    return f'<div class="message">{f"<dl>{given}</dl>" if given else ""}{why}</div>'


def _with_note(words: str, note: str, kind: str) -> Cell:
    more = f'<br><span class="{kind}">{escape(note)}</span>' if note else ""
    return Cell(escape(words) + more, words)


def _needs(found: Sequence[Need]) -> str:
    if not found:
        return "<p>Nobody: everything was graded, and no mark was set by hand.</p>"
    columns = [("Student", False), ("What", False), ("Where", False)]
    rows = [
        [text(need.student), _with_note(need.what, need.note, "quiet"), text(need.where)]
        for need in found
    ]
    return table("Could not be graded, or was graded by a person", columns, rows)


def _items(content: Content) -> str:
    columns = [
        ("Check", False), ("Answered", True), ("Difficulty", True), ("Discrimination", True),
    ]  # fmt: skip
    earlier: dict[str, Item] = {}
    if content.before is not None:
        earlier = {item.cell: item for item in stats.items(content.before)}
        columns.insert(3, ("Before", True))
    rows = []
    for item in content.items:
        reason = f'<span class="quiet">{escape(item.reason)}</span>'
        row = [
            _with_note(item.cell, "; ".join(item.flags), "flag"),
            Cell(f"{item.answered} of {item.of}", item.answered),
            number(item.difficulty, "{:.2f}"),
            number(item.discrimination, "{:.2f}") if not item.reason else Cell(reason, -1e9),
        ]
        if content.before is not None:
            same = earlier.get(item.cell)
            row.insert(3, number(same.difficulty if same else None, "{:.2f}"))
        rows.append(row)
    flagged = [row for row, item in zip(rows, content.items, strict=True) if item.flags]
    look = "<p>None of them is conspicuous.</p>"
    if flagged:
        look = table("Checks to look at, and why", columns, flagged)
    return (
        "<p>Difficulty is the mean share of a check's points among those who answered: 1 is easy. "
        "Discrimination is the correlation of its mark with the marks of all other checks, from "
        f"−1 to 1: good checks have 0.2 and more. With fewer than {stats.FEWEST} answers it is "
        f"noise and is not shown.</p>{look}"
        f"<details><summary>All {len(rows)} checks</summary>"
        f"{table('Check by check', columns, rows)}</details>"
    )


def _choices(found: Sequence[Choices]) -> str:
    parts = []
    for choice in found:
        question, of = choice.question, max(len(choice.answers), 1)
        columns = [("Answer", False), ("Students", True), ("Right", False)]
        rows = [
            [
                Cell(f"<code>{escape(name)}</code>", name),
                Cell(f"{count}{svg.meter(count / of)}", count),
                Cell('<span class="right">✓ yes</span>' if right else "", "1" if right else "0"),
            ]
            for name, count, right in choice.counts
        ]
        rows += [
            [Cell(f'<span class="quiet">{escape(kind)}</span>', kind), number(count), text("")]
            for kind, count in choice.others
        ]
        where = f" · section {question.section}" if question.section else ""
        caption = f"{question.name}: {question.form.words}{where}"
        parts.append(f"<figure>{table(caption, columns, rows)}</figure>")
    return f'<div class="charts">{"".join(parts)}</div>' if parts else ""


def _time(room: Classroom) -> str:
    columns = [
        ("Notebook", False), ("Median, s", True), ("Longest, s", True), ("Whose", False),
    ]  # fmt: skip
    rows = [
        [text(t.notebook), number(t.median, "{:.1f}"), number(t.longest, "{:.1f}"), text(t.student)]
        for t in stats.timings(room)
    ]
    return table("Time that grading a notebook took", columns, rows) if rows else ""


def _similar(pairs: Sequence[Pair]) -> str:
    words = (
        "<p>A list to look at, never a verdict: short answers to the same task look alike, and a "
        "pair may have learned from the same example. What most of the class writes counts for "
        "next to nothing here.</p>"
    )
    if not pairs:
        return words + "<p>No two answers are more alike than the task makes them.</p>"
    columns = [
        ("Answer", False), ("Students", False), ("Alike", True), ("Written so by", True),
        ("Also", False),
    ]  # fmt: skip
    rows = [
        [
            text(pair.answer),
            text(" and ".join(pair.students)),
            number(pair.alike, "{:.0%}"),
            Cell(f"{pair.shared_by} of {pair.of}", pair.shared_by),
            text(pair.also),
        ]
        for pair in pairs
    ]
    return words + table("Pairs, the most alike first", columns, rows)
