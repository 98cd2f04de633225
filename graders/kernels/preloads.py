"""What processes from which others are forked import beforehand."""

from __future__ import annotations

import pkgutil

import graders

_LIBRARIES = ("numpy", "jax", "jax.numpy")


def student_side() -> list[str]:
    """Names of the modules that student code and its kernel import, as far as they are installed.

    Among them are the exercises, which notebooks import for their own checks, and what these are
    made of. The grader's trusted side imports them as well.
    """
    modules = pkgutil.iter_modules(graders.__path__, "graders.")
    return [*_LIBRARIES, *(module.name for module in modules if not module.ispkg)]
