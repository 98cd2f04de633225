"""A student's kernel: running cells, asking for observations, starting afresh.

Each call and each cell has a time budget. What overruns it or kills the kernel is named,
the kernel's whole process group is ended, and a fresh kernel runs the student's cells
again without the guilty one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jupyter_core.utils import run_sync

from graders import observe as seeing
from graders.grading.connection import Connection, Ended, Take
from graders.grading.outputs import Outputs, clean
from graders.grading.supply import Supply
from graders.kernels.limits import MIB, Limits
from graders.observe import Call, Observation, Problem
from graders.serve import MIME

STRIKES = 2
"""Checks in a row that a function may not come back from before further ones are not tried."""

SETTLE = 0.3
"""Seconds in which a kernel that a cell has told to end stops answering."""


@dataclass(frozen=True)
class Budget:
    """What grading one notebook may cost.

    Attributes:
        call_seconds: for one call of a function, or one cell of the student's.
        notebook_seconds: for all of the notebook.
        memory: bytes that the kernel and its children may hold.
    """

    call_seconds: float = 10.0
    notebook_seconds: float = 120.0
    memory: int = 2048 * MIB


@dataclass
class CellRun:
    """What came of running a cell.

    Attributes:
        status: `"returned"`, `"raised"`, `"timed-out"`, `"crashed"` or `"out-of-memory"`.
        outputs: nbformat outputs.
        problem: the exception, if it raised.
    """

    status: str
    outputs: list[Any] = field(default_factory=list)
    problem: Problem | None = None


class StudentKernel:
    """Runs a student's cells and observes a student's functions; never raises for their faults.

    Args:
        budget: the limits.
        confine: `"auto"`, `"required"` or `"off"`.
        warm: whether to fork from a warm parent.
        files: the submission's other files by relative path, written afresh for each kernel.
        readonly: further folders that the kernel may read, as they are.
        environment: further environment variables.
        supply: where kernels come from; without one, each is started when it is needed.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        confine: str = "auto",
        warm: bool = True,
        files: Mapping[str, bytes] | None = None,
        readonly: Sequence[Path] = (),
        environment: dict[str, str] | None = None,
        supply: Supply | None = None,
    ) -> None:
        self._supply = supply
        self._budget = budget
        self._options: dict[str, Any] = {
            "confine": confine, "warm": warm, "readonly": tuple(readonly),
            "env": environment or {}, "limits": Limits(memory=budget.memory),
        }  # fmt: skip
        self._files = dict(files or {})
        self._deadline = time.monotonic() + budget.notebook_seconds
        self._connection: Connection | None = None
        self._cells: list[str] = []
        self._epoch = 0
        self._strikes: dict[str, list[str]] = {}
        self._crashed = False
        self.restarts = 0
        self.sent: list[str] = []
        """Every text that was sent to a kernel."""

    # --- what the judge calls ---------------------------------------------------------------

    def __enter__(self) -> StudentKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run_cell(self, source: str) -> CellRun:
        """Runs one of the student's cells; one that ends the kernel is left out from then on."""
        run = run_sync(self._run_cell)(source)
        if run.status in (seeing.RETURNED, seeing.RAISED):
            self._cells.append(source)
        self._epoch += 1
        return run

    def describe(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What the student's notebook has under these names.

        Returns:
            For each name what `graders.serve.describe` says of it; or, where looking at it did
            not come to an end, `{"kind": "stopped", "status": …}`.
        """
        found: dict[str, dict[str, Any]] = {}
        retried = False
        while left := [name for name in names if name not in found]:

            def take(document: dict[str, Any], left: list[str] = left) -> bool:
                name, description = document.get("name"), document.get("description")
                if name not in left or name in found or not isinstance(description, dict):
                    return False
                found[name] = description
                return True

            unreadable = {"kind": "other", "type": "value that cannot be read"}
            try:
                run_sync(self._ask)({"describe": left}, take)
            except Ended as end:
                unreadable = {"kind": "stopped", "status": end.status}
                if end.status == seeing.CRASHED and not retried:
                    retried = True  # as in `observe`
                    continue
            guilty = next((name for name in left if name not in found), left[-1])
            found.setdefault(guilty, unreadable)
        return found

    def observe(self, name: str, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes calls of one of the student's functions; see `graders.observe`.

        A call that does not come back ends the check that it belongs to: the calls after it are
        not made, and come to the same.
        """
        strikes = self._strikes.setdefault(name, [])
        if len(strikes) >= STRIKES:
            return tuple(Observation(strikes[-1]) for _ in calls)
        seen: dict[int, Observation] = {}
        try:
            try:
                self._observe(name, calls, seen)
            except Ended as end:
                # A cell may have told the kernel to end a moment later, or somebody else may have
                # ended it: the function is to blame if it happens again.
                if end.status != seeing.CRASHED:
                    raise
                seen.clear()
                self._observe(name, calls, seen, at_once=True)
        except Ended as end:
            if seen:
                strikes.clear()
            strikes.append(end.status)
            rest = Observation(end.status)
        else:
            strikes.clear()
            # The kernel says that it is done, and has not answered.
            rest = Observation(seeing.MALFORMED)
        return tuple(seen.get(number, rest) for number in range(len(calls)))

    def _observe(
        self,
        name: str,
        calls: Sequence[Call],
        seen: dict[int, Observation],
        *,
        at_once: bool = False,
    ) -> None:
        request = {
            "name": name,
            "epoch": self._epoch,
            "calls": [seeing.call_to_json(call) for call in calls],
            "at_once": at_once,
        }

        def take(document: dict[str, Any]) -> bool:
            number = document.get("number")
            if number != len(seen) or number >= len(calls):
                return False
            try:
                seen[number] = _observation(document["observation"], seen)
            except Exception as error:
                reason = Problem("MalformedReply", (), str(error)[:200])
                seen[number] = Observation(seeing.MALFORMED, problem=reason)
            return True

        run_sync(self._ask)(request, take)

    def close(self) -> None:
        """Ends the kernel."""
        run_sync(self._give_back if self._supply is not None else self._stop)()

    async def _give_back(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._supply is not None:
            await self._supply.take_back(connection)

    # --- the kernel -------------------------------------------------------------------------

    def _until(self) -> float:
        """When the present call or cell has to have come to its end."""
        now = time.monotonic()
        if now >= self._deadline:
            raise Ended(seeing.TIMED_OUT)
        return min(self._deadline, now + self._budget.call_seconds)

    async def _start(self) -> None:
        """Makes sure that there is a kernel which has run the student's cells so far."""
        careful = False
        while self._connection is None:
            self._until()
            if self._supply is not None:
                self._connection = await self._supply.take(self._files, self._options)
            else:
                self._connection = Connection(self._files, **self._options)
                await self._connection.open()
            careful = await self._replay(careful)

    async def _replay(self, careful: bool) -> bool:
        """Runs the cells so far; one that does not come to its end this time is left out.

        Args:
            careful: whether to wait after each cell whether it has told the kernel to end.

        Returns:
            Whether the next replay has to be careful, because it is open which cell it was.
        """
        for number, source in enumerate(self._cells):
            try:
                await self._execute(source, lambda *_: False)
            except Ended as end:
                if end.status == seeing.CRASHED and not careful:
                    return True
                del self._cells[number]
                return careful
            if careful and not await self._settles():
                del self._cells[number]
                return careful
        return self._crashed and not careful and not await self._settles()

    async def _settles(self) -> bool:
        """Whether the kernel stays; if not, it is ended."""
        assert self._connection is not None
        try:
            await self._connection.settle(SETTLE)
            # One that is about to end does not answer any more.
            await self._connection.execute("pass", lambda *_: False, self._until, history=False)
        except Ended as end:
            await self._stop(end)
            return False
        return True

    async def _stop(self, end: Ended | None = None) -> None:
        if end is not None:
            self.restarts += 1
            self._crashed = end.status == seeing.CRASHED
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _execute(self, code: str, take: Take, *, history: bool = True) -> Mapping[str, Any]:
        """Has the kernel execute code; where it does not come to its end, the kernel is ended."""
        assert self._connection is not None
        self.sent.append(code)
        try:
            return await self._connection.execute(code, take, self._until, history=history)
        except Ended as end:
            await self._stop(end)
            raise

    async def _ask(
        self, request: Mapping[str, Any], take: Callable[[dict[str, Any]], bool]
    ) -> None:
        def unwrap(_: str, content: dict[str, Any]) -> bool:
            data = content.get("data")
            texts = data.get(MIME) if isinstance(data, dict) else None
            taken = False
            for text in texts if isinstance(texts, list) else ():
                document = _document(text)
                taken = (document is not None and take(document)) or taken
            return taken

        await self._start()
        code = f"__import__('graders.serve').serve.answer({json.dumps(request)!r})"
        await self._execute(code, unwrap, history=False)

    async def _run_cell(self, source: str) -> CellRun:
        for once_more in (True, False):
            outputs = Outputs()

            def take(kind: str, content: dict[str, Any], outputs: Outputs = outputs) -> bool:
                outputs.take(kind, content)
                return False

            try:
                await self._start()
                reply = await self._execute(source, take)
                break
            except Ended as end:
                # The cell before may have told the kernel to end, or somebody else.
                if end.status != seeing.CRASHED or not once_more:
                    return CellRun(end.status, outputs.outputs)
        if reply.get("status") != "error":
            return CellRun(seeing.RETURNED, outputs.outputs)
        name = str(reply.get("ename", ""))[:80]
        problem = Problem(name, (name,), str(reply.get("evalue", ""))[:600])
        return CellRun(seeing.RAISED, outputs.outputs, problem)


def _document(text: Any) -> dict[str, Any] | None:
    """A reply as JSON, or `None` if it is none."""
    try:
        document = json.loads(text)
        if "\\ud" in text.lower():  # else it holds no half of a surrogate pair
            document = clean(document)
    except (TypeError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _observation(document: Any, seen: Mapping[int, Observation]) -> Observation:
    """An observation, whose program may be that of an earlier one.

    Raises:
        ValueError: if the document has another form.
    """
    program = document.get("program") if isinstance(document, dict) else None
    if not (isinstance(program, dict) and program.keys() == {"same_as"}):
        return seeing.observation_from_json(document)
    earlier = seen.get(program["same_as"])
    if earlier is None:
        raise ValueError("malformed observation: it refers to no earlier one")
    return replace(
        seeing.observation_from_json({**document, "program": None}), program=earlier.program
    )
