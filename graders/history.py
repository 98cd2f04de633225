"""Running a traced program and writing down what its loop carries from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graders import jaxprs
from graders.stepwise import Stepwise


class _EnoughError(Exception):
    """The loop has taken as many steps as were to be written down."""


class Historian(Stepwise):
    """Evaluates a jaxpr, and keeps what each step of its first loop gave.

    Args:
        limit: the number of steps after which the evaluation is given up.

    Attributes:
        steps: for each step the results of the loop's body, first to last.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._most = limit
        self._body: Any = None
        self.steps: list[list[Any]] = []

    def results(self, jaxpr: Any, args: Sequence[Any]) -> list[Any] | None:
        """Evaluates a closed jaxpr.

        Args:
            jaxpr: the closed jaxpr.
            args: its inputs, flat.

        Returns:
            Its outputs, or `None` if its loop had not ended after `limit` steps.
        """
        try:
            return self.run(jaxpr, args)
        except _EnoughError:
            return None

    def _one(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        if self._body is None and equation.primitive.name in ("scan", "while"):
            parameters = equation.params
            self._body = jaxprs.bare(parameters.get("body_jaxpr") or parameters["jaxpr"])
        return super()._one(equation, operands, record)

    def _inner(self, jaxpr: Any, operands: Sequence[Any], record: bool) -> list[Any]:
        results = super()._inner(jaxpr, operands, record)
        if jaxprs.bare(jaxpr) is self._body:
            self.steps.append([np.asarray(result) for result in results])
            if len(self.steps) > self._most:
                raise _EnoughError
        return results
