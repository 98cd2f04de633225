"""What a kernel may see and reach: the Python environment, its own folder, and nothing else.

Three layers, each of which would do for most promises, so that one missing leaves few gaps:

* namespaces and a root of its own (files, processes, network, shared memory, leftovers);
* Landlock (files, TCP, abstract sockets, signals), which needs no privilege;
* a filter on system calls (ways to a server, tracing, new namespaces), which needs none either.

When root grades, the kernel also becomes a user that owns nothing else.
"""

from __future__ import annotations

import json
import os
import random
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.kernels import runtime, system
from graders.kernels.cage import Confinement

MODES = ("auto", "required", "off")

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload"),
    *("/etc/alternatives", "/etc/localtime", "/etc/mime.types"),
)
_OWN_USERS = range(65000, 65500)
"""User numbers that Debian's policy reserves; one is drawn for each kernel that root starts."""


class ConfinementError(RuntimeError):
    """Student code cannot be confined as required; the message says what is missing."""


@dataclass(frozen=True)
class Report:
    """What this machine offers.

    Attributes:
        landlock: Landlock's ABI version, 0 if there is none.
        namespaces: Whether kernels get namespaces and a root folder of their own.
        seccomp: Whether system calls are filtered.
        reason: Why there are no namespaces; empty if there are.
    """

    landlock: int
    namespaces: bool
    seccomp: bool
    reason: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The promises that cannot be kept here."""
        kept = {
            "files": self.namespaces or self.landlock >= 1,
            "network": self.namespaces or self.seccomp,
            "processes": self.namespaces or self.landlock >= 6,
            "privileges": self.seccomp or self.landlock >= 1,
        }
        return tuple(name for name, value in kept.items() if not value)


def plan(mode: str, folder: str, private: str, readonly: Iterable[str] = ()) -> Confinement | None:
    """How to confine a kernel.

    Args:
        mode: "auto" for what the machine offers, "required" for all promises or none at all, "off".
        folder: The kernel's working folder.
        private: Its private folder, see `graders.kernels.runtime`.
        readonly: More paths that it may read.

    Returns:
        The confinement, or None for none.

    Raises:
        ConfinementError: Mode "required" and some promise cannot be kept.
        ValueError: Unknown mode, or a path that the kernel's user could not read.
    """
    if mode not in MODES:
        raise ValueError(f"confine is {mode!r}; give one of {', '.join(MODES)}.")
    if mode == "off":
        return None
    report = available()
    check(mode, report)
    if sys.platform != "linux":
        return None
    more = tuple(os.path.abspath(path) for path in readonly)
    user = None
    if os.getuid() == 0:
        closed = [path for path in more if os.path.exists(path) and not _open_to_all(path)]
        if report.namespaces and closed:
            raise ValueError(
                f"{closed[0]} cannot be read by the user that kernels run as; chmod -R a+rX it."
            )
        ways = [os.path.dirname(path) for path in (*python_paths(), *more, folder, private)]
        if report.namespaces or not (closed or any(not _enterable(way) for way in ways)):
            user = random.SystemRandom().choice(_OWN_USERS)
    return Confinement(
        readonly=(*_SYSTEM, *python_paths(), *more, private),
        writable=(folder, *(os.path.join(private, name) for name in runtime.OPEN)),
        temporary=os.path.join(private, "tmp"),
        landlock=report.landlock > 0,
        filtered=report.seccomp,
        namespaces=report.namespaces,
        own_processes=report.namespaces,
        user=user,
    )


def check(mode: str, report: Report) -> None:
    """Refuses mode "required" where some promise cannot be kept.

    Raises:
        ConfinementError: It is so; the message says what is missing and what to do.
    """
    if mode == "required" and report.missing:
        raise ConfinementError(
            f"Student code cannot be confined here ({', '.join(report.missing)}: "
            f"{report.reason or 'the system offers nothing'}); grade in a Linux with Landlock and "
            "libseccomp, for example in a container, or with --confine auto."
        )


def _open_to_all(path: str) -> bool:
    """Whether any user who comes to this path may read it."""
    wanted = 0o005 if os.path.isdir(path) else 0o004
    return os.stat(path).st_mode & wanted == wanted


def closed_parent(path: Path) -> Path | None:
    """The highest folder above this path that others may not enter."""
    return next((p for p in reversed(path.parents) if not p.stat().st_mode & 0o001), None)


def _enterable(folder: str) -> bool:
    """Whether any user may go to this folder."""
    real = Path(folder).resolve()
    return bool(real.stat().st_mode & 0o001) and closed_parent(real) is None


@cache
def python_paths() -> tuple[str, ...]:
    """Where this Python and its packages are; of this package only its own folder."""
    found = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    found += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    found += site.getsitepackages()
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    found.append(str(Path(__file__).parent.parent))
    paths: list[str] = []
    for path in sorted({*found, *map(os.path.realpath, found)}):
        covered = any(path.startswith(other + os.sep) for other in (*paths, "/usr"))
        if os.path.exists(path) and not covered and path not in ("/", "/usr"):
            paths.append(path)
    return tuple(paths)


@cache
def available() -> Report:
    """What this machine offers, tried for real in a process of its own."""
    if sys.platform != "linux":
        name = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
        return Report(0, False, False, f"{name} has no Landlock and no namespaces")
    run = subprocess.run(
        [sys.executable, "-m", "graders.kernels.confine"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
    )
    last = run.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    namespaces = run.returncode == 0 and json.loads(run.stdout or "false") is True
    return Report(
        landlock=system.landlock_abi(),
        namespaces=namespaces,
        seccomp=system.has_seccomp(),
        reason="" if namespaces else last or "namespaces were refused",
    )


def describe(report: Report | None = None, mode: str = "auto") -> str:
    """One sentence about how student code runs."""
    if mode == "off":
        return "Student code runs unconfined, as you asked."
    report = report or available()
    layers = [
        name
        for name, there in (
            ("namespaces", report.namespaces),
            (f"Landlock (ABI {report.landlock})", report.landlock),
            ("a system call filter", report.seccomp),
        )
        if there
    ]
    if not layers:
        return f"Student code runs unconfined ({report.reason}); grade in a Linux container."
    text = "Student code runs confined by " + _join(layers)
    if report.missing:
        return f"{text}, but not its {_join(report.missing)} ({report.reason})."
    return text + "."


def _join(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _try() -> None:
    """Enters namespaces and a root of its own; raises OSError where that is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tmp"))
        trial = Confinement(
            readonly=(*_SYSTEM, *python_paths()),
            writable=(folder,),
            temporary=os.path.join(folder, "tmp"),
            landlock=False,
            filtered=False,
            namespaces=True,
            own_processes=True,
            user=None,
        )
        child = os.fork()
        if child == 0:
            status = 1
            try:
                trial.leave()
                inner = os.fork()
                if inner == 0:
                    trial.enter_root()
                    os._exit(0)
                status = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
            finally:
                if sys.exc_info()[1]:
                    print(sys.exc_info()[1], file=sys.stderr, flush=True)
                os._exit(status)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit(1)


if __name__ == "__main__":
    _try()
    print("true")
