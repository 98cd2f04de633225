"""Python and the packages that grading needs, and whether JAX computes."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from graders.doctor.checkup import INSTALL, Finding, from_sentence, ok, problem, warning

PYTHONS = ((3, 11), (3, 14))
"""The oldest and the newest Python that this was tried with."""

SUPPORTED_JAX = ("0.10.2", "0.13")
"""The oldest supported version of JAX, and the first that is not."""


def python() -> Iterator[Finding]:
    """Python's version."""
    words = f"{sys.version.split()[0]} in {sys.prefix}"
    oldest, newest = PYTHONS
    span = "Python {}.{} to {}.{}".format(*oldest, *newest)
    if sys.version_info[:2] < oldest:
        yield problem("Python", words, f"Make an environment with {span}.")
    elif sys.version_info[:2] > newest:
        yield warning("Python", f"{words}, which was not tried", f"{span} were tried.")
    else:
        yield ok("Python", words)


def unsupported_jax() -> str:
    """Why the installed JAX is not supported, as a sentence; empty if it is.

    Raises:
        importlib.metadata.PackageNotFoundError: if there is none.
    """
    oldest, first_not = SUPPORTED_JAX
    installed = importlib.metadata.version("jax")
    if Version(oldest) <= Version(installed) < Version(first_not):
        return ""
    return (
        f"JAX {installed} is installed, but the checks are proved from {oldest} to below "
        f"{first_not}; install jax==0.12.0.1."
    )


def jax() -> Iterator[Finding]:
    """JAX's version, and whether it computes right."""
    try:
        unsupported = unsupported_jax()
    except importlib.metadata.PackageNotFoundError:
        yield problem("JAX", "it is not installed", f"Run {INSTALL}.")
        return
    versions = [importlib.metadata.version(name) for name in ("jax", "jaxlib")]
    if unsupported:
        yield from_sentence("JAX", unsupported)
    elif len(set(versions)) != 1:
        yield problem(
            "JAX",
            "jax {} and jaxlib {} do not belong together".format(*versions),
            f"Run python -m pip install jax=={versions[0]} jaxlib=={versions[0]}.",
        )
    else:
        yield ok(
            "JAX", f"{versions[0]} (supported: {SUPPORTED_JAX[0]} to below {SUPPORTED_JAX[1]})"
        )
    yield from closures()


def closures() -> Iterator[Finding]:
    """Products with a constant matrix, in a process of their own, because JAX may end it."""
    name = "JAX computes"
    run = subprocess.run(
        [sys.executable, "-m", "graders.doctor.closure"], capture_output=True, text=True,
        cwd=Path(__file__).parents[2], env={**os.environ, "JAX_PLATFORMS": "cpu"}, check=False,
    )  # fmt: skip
    if run.returncode:
        last = run.stderr.strip().rpartition("\n")[2] or f"exit status {run.returncode}"
        yield problem(name, f"JAX does not run here ({last})", "Install jax and jaxlib again.")
        return
    wrong = json.loads(run.stdout)
    if wrong:
        yield problem(
            name,
            f"W @ x comes out wrong where W is a constant from a closure ({'; '.join(wrong[:3])}"
            f"{' and more' if wrong[3:] else ''})",
            "This jaxlib has a bug: pass matrices as arguments of jitted functions, tell students "
            "so, and install another version of jax and jaxlib.",
        )
    else:
        yield ok(name, "W @ x is right where W is a constant from a closure, up to 512×512")


def packages() -> Iterator[Finding]:
    """The packages that grading needs, in the versions that this package asks for."""
    wanted = [Requirement(text) for text in importlib.metadata.requires("graders") or []]
    wanted = [
        need
        for need in wanted
        if need.marker is None or need.marker.evaluate({"extra": "instructor"})
    ]
    lacking = []
    for need in wanted:
        try:
            installed = importlib.metadata.version(need.name)
        except importlib.metadata.PackageNotFoundError:
            lacking.append(f"{need.name} is not installed")
            continue
        if need.name not in ("jax", "jaxlib") and not need.specifier.contains(installed):
            lacking.append(f"{need.name} {installed} is not {need.specifier}")
    if lacking:
        yield problem("packages", ", ".join(lacking), f"Run {INSTALL}.")
    else:
        yield ok("packages", f"all {len(wanted)} that grading needs")


def nbgrader() -> Iterator[Finding]:
    """Whether nbgrader can be used."""
    try:
        import nbgrader
    except ImportError as error:
        yield problem("nbgrader", f"it cannot be imported ({error})", f"Run {INSTALL}.")
    else:
        yield ok("nbgrader", nbgrader.__version__)
