"""Acts as several Unix users, one command after the other; see `conftest.Town`.

Runs as root among mounts of its own. Each line of standard input is a JSON object that names a
user and what to run: nbgrader, graders, another program, or Python code. Each line of standard
output tells the exit status and what was printed. nbgrader is imported once, and a command runs in
a fork that has become the user for good.
"""

import json
import os
import pwd
import subprocess
import sys
import tempfile
import traceback

from nbgrader.apps.nbgraderapp import NbGraderApp

from graders.grading import cli


def become(user, folder):
    """Gives up everything that root has; there is no way back."""
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.umask(0o022)
    home = entry.pw_dir
    os.environ.update(
        HOME=home,
        USER=user,
        IPYTHONDIR=f"{home}/ipython",
        JUPYTER_CONFIG_DIR=f"{home}/config",
        JUPYTER_DATA_DIR=f"{home}/data",
    )
    os.chdir(folder or home)


def run(order):
    """One command; returns its exit status."""
    become(order["user"], order.get("folder"))
    if "program" in order:
        return subprocess.call(order["program"], stdin=subprocess.DEVNULL)
    if "graders" in order:
        return cli.main(order["graders"])
    if "python" in order:
        exec(order["python"], {})
        return 0
    NbGraderApp.launch_instance(order["nbgrader"])
    return 0


def give(root, owners):
    """Has each of the folders, with all that is in it, belong to somebody."""
    for name, owner in owners.items():
        for folder, _, files in os.walk(os.path.join(root, name)):
            for path in (folder, *(os.path.join(folder, file) for file in files)):
                os.chown(path, owner, owner, follow_symlinks=False)


def main():
    root, users = sys.argv[1], json.loads(sys.argv[2])
    give(root, users)
    try:
        serve()
    finally:
        give(root, {"": 0})  # so that whoever runs the tests can remove it


def serve():
    for line in sys.stdin:
        with tempfile.TemporaryFile() as printed:
            child = os.fork()
            if child == 0:
                status = 70
                try:
                    for stream in (1, 2):
                        os.dup2(printed.fileno(), stream)
                    status = run(json.loads(line))
                except SystemExit as end:
                    status = end.code if isinstance(end.code, int) else int(bool(end.code))
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    os._exit(status)
            _, waited = os.waitpid(child, 0)
            printed.seek(0)
            told = {
                "status": os.waitstatus_to_exitcode(waited),
                "printed": printed.read().decode(errors="replace"),
            }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
