"""Telling how far a run is: a live bar on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm

from graders.grading.ledger import Row


class Progress:
    """Told after each notebook; see `graders.grading.batch.Progress`.

    Args:
        quiet: tell nothing.
        before: what every plain line begins with.
    """

    def __init__(self, *, quiet: bool = False, before: str = "") -> None:
        self._quiet = quiet
        self._before = before
        self._live = not quiet and sys.stdout.isatty()
        self._bar: Any = None
        self._look = 0

    def __call__(
        self, student: str, notebook: str, done: int, of: int, rows: Sequence[Row]
    ) -> None:
        if self._quiet:
            return
        score, most = sum(row.score for row in rows), sum(row.max_score for row in rows)
        if not self._live:
            line = f"[{done}/{of}] {student}, {notebook}: {score:g} / {most:g}"
            print(f"{self._before}{line}", flush=True)
            return
        if self._bar is None:
            self._bar = tqdm(total=of, unit="notebook", file=sys.stdout, dynamic_ncols=True)
        plain = ("passed", "failed", "not-attempted")
        self._look += any(row.status not in plain for row in rows)
        self._bar.set_postfix_str(f"to look at: {self._look}", refresh=False)
        self._bar.update(done - self._bar.n)
        if done == of:
            self._bar.close()
            self._bar = None
