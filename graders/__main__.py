"""Starts the `graders` command, by that name or as `python -m graders`."""

from __future__ import annotations

import sys

from graders.kernels import preloads

_GRADING = ("autograde", "demo")
_ELSEWHERE = ("--cluster", "--help", "-h")


def main() -> int:
    """Runs the command.

    Returns:
        The exit status; see `graders.grading.cli`.
    """
    command, *options = sys.argv[1:] or [""]
    if command in _GRADING and not any(option.startswith(_ELSEWHERE) for option in options):
        # Workers import as much as this process does, which takes seconds; both at the same time.
        preloads.start_fork_server()
    from graders.grading import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
