"""Judges the bank of answers under each of some Pythons, and under JAX's settings.

python -m tests.versions [--every N] [--refresh] [PYTHON...]
"""

from __future__ import annotations

import argparse
import sys

from tests.versions.settings import EXPECTED, compare, refresh


def main() -> int:
    """Prints a line for each Python and setting; 1 if a verdict differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--every", type=int, default=1, help="judge every so many answers only, "
                        "where JAX is not as it comes")  # fmt: skip
    parser.add_argument("--refresh", action="store_true", help=f"write {EXPECTED.name} anew")
    options = parser.parse_args()
    if options.refresh:
        refresh(options.pythons[0])
        print(f"{EXPECTED} is written; look at what has changed in it.")
        return 0
    changes = 0
    for compared in compare(options.pythons, options.every):
        changes += len(compared.changes)
        print(f"{compared.setting}: {compared.count} answers, {len(compared.changes)} changes",
              *compared.changes, sep="\n  ", flush=True)  # fmt: skip
    print(f"verdict changes over versions and settings: {changes}")
    return min(changes, 1)


if __name__ == "__main__":
    sys.exit(main())
