"""How a kernel ended."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ExitReason:
    """How a kernel ended.

    Attributes:
        signal: Number of the signal that ended it, or None.
        code: Its exit code, or None when a signal ended it.
        out_of_memory: Whether it ended because it wanted more memory than it may have.
        requested: Whether we ended it.
        cpu_seconds: Processor seconds that it and the children it waited for took.
        peak_memory: Most bytes of memory that it held at a look of the keeper's.
        stderr: The end of what it wrote to standard error past IPython.
    """

    signal: int | None
    code: int | None
    out_of_memory: bool = False
    requested: bool = False
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    stderr: str = ""

    @classmethod
    def from_keeper(cls, told: Mapping[str, Any], *, requested: bool, stderr: str) -> ExitReason:
        """The reason, from what the keeper tells.

        C++ code that is refused memory aborts and says `bad_alloc`; that is out of memory too.
        """
        code = told["code"]
        refused = code == -signal.SIGABRT and "bad_alloc" in stderr
        return cls(
            signal=-code if code < 0 else None,
            code=code if code >= 0 else None,
            out_of_memory=told["out_of_memory"] or refused,
            requested=requested,
            cpu_seconds=told["cpu_seconds"],
            peak_memory=told["peak_memory"],
            stderr=stderr,
        )

    @property
    def returncode(self) -> int:
        """The same as `subprocess.Popen.returncode`: negative for a signal."""
        return -self.signal if self.signal else self.code or 0
