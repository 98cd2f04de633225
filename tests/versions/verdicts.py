"""Prints, as JSON, the verdict on each answer of the bank under this Python, JAX and settings.

    python -m tests.versions.verdicts [FIRST [STEP]]

takes every STEP-th answer, beginning with number FIRST.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Sequence

Verdicts = dict[str, dict[str, list[str]]]
"""By answer and test cell the codes told where points were lost; a right answer has none."""


def verdicts(first: int = 0, step: int = 1) -> Verdicts:
    """The verdicts on every `step`-th answer."""
    from tests import bank

    found = {}
    for answer in bank.answers()[first::step]:
        with contextlib.redirect_stdout(io.StringIO()):
            found[answer.name] = bank.verdict(bank.grade(answer))
    return found


def main(arguments: Sequence[str]) -> None:
    """Prints them."""
    print(json.dumps(verdicts(*map(int, arguments)), indent=1, sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1:])
