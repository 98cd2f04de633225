"""Runs Python as an ordinary user; needs root. `python ordinary.py ARGUMENTS FOR PYTHON`.

Where this Python is below a folder that only root may enter, such as root's home, the new process
sees it through mounts of its own.
"""

import os
import sys
import tempfile
from pathlib import Path

from graders.kernels import confine, system

USER = 65534


def main(arguments):
    system.unshare(system.CLONE_NEWNS)
    system.keep_mounts_private()
    repository = Path(__file__).parents[2]
    needed = [
        *(path for path in confine.python_paths() if repository not in Path(path).parents),
        str(repository),
    ]  # the tests are there, and perhaps all of the others
    hidden = [path for path in needed if confine.closed_parent(Path(path))]
    kept = {}
    for path in hidden:
        kept[path] = tempfile.mkdtemp(dir="/dev/shm")
        system.bind(path, kept[path], readonly=True)
    for top in {str(confine.closed_parent(Path(path))) for path in hidden}:
        system.mount_memory(top, 1 << 20)
    for path, place in kept.items():
        Path(path).mkdir(parents=True)
        system.bind(place, path, readonly=True)
        system.detach(place)
        os.rmdir(place)
    system.become(USER)
    system.set_traceable(True)
    os.environ.update(HOME="/nonexistent", USER="nobody")
    os.execv(sys.executable, [sys.executable, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
