"""Whether JAX traces the same program from two answers, seen in confined kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from graders.grading.judge import Settings
from graders.grading.kernel import StudentKernel
from graders.jaxprs import Program
from graders.observe import Call, Step
from graders.reporting.classroom import Classroom
from graders.reporting.similar import Pair, by_student

_TRACE = (Step("trace"),)
_ONES = np.ones(8, np.float32)

CALLS: Mapping[str, Call] = {
    "discounted_returns": Call((_ONES, 0 * _ONES, 0.5), through=_TRACE),
    "newton_sqrt_scan": Call((np.float32(2.0),), through=_TRACE),
    "newton_sqrt_while": Call((np.float32(2.0),), through=_TRACE),
    "segment_softmax": Call(
        (_ONES, np.arange(8, dtype=np.int32) % 3), {"num_segments": 3}, through=_TRACE
    ),
    "piecewise": Call((np.float32(1.0),), through=_TRACE),
    "piecewise_select": Call((_ONES,), through=_TRACE),
}
"""What each answer is traced on."""


def compare(room: Classroom, found: Sequence[Pair], settings: Settings) -> list[Pair]:
    """Adds to each pair whether JAX traces the same program from both.

    Args:
        room: the class.
        found: the pairs.
        settings: how to run the students' code: confined as when grading.
    """
    programs: dict[tuple[str, str], Program | None] = {}
    for (student, notebook), names in by_student(found).items():
        with StudentKernel(
            settings.budget,
            confine=settings.confine,
            warm=settings.warm,
            readonly=settings.readonly,
            environment=dict(settings.environment),
        ) as kernel:
            for who, where, _, source in room.code:
                if (who, where) == (student, notebook):
                    kernel.run_cell(source)
            for name in names:
                if name in CALLS:
                    [seen] = kernel.observe(name, [CALLS[name]])
                    programs[student, name] = seen.program
    told = []
    for pair in found:
        one, other = (programs.get((student, pair.answer)) for student in pair.students)
        words = "" if one is None or other is None else "the same traced program"
        if words and one != other:
            words = "another traced program"
        told.append(replace(pair, also="; ".join(filter(None, (pair.also, words)))))
    return told
