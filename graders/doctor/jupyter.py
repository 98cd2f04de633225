"""nbgrader's extensions of JupyterLab, and the kernels that notebooks ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from graders.doctor.checkup import Finding, ok, problem, warning

LAB_EXTENSION = "@jupyter/nbgrader"

SERVER_EXTENSIONS = tuple(
    f"nbgrader.server_extensions.{name}"
    for name in ("assignment_list", "course_list", "formgrader", "validate_assignment")
)


def lab_extension() -> Iterator[Finding]:
    """The part of nbgrader that runs in the browser."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config
    from nbgrader import __version__

    name = "JupyterLab extension"
    folders = jupyter_path("labextensions")
    there = get_federated_extensions(folders).get(LAB_EXTENSION)
    off = get_page_config(folders).get("disabledExtensions", {})
    off = [entry for entry in off if entry.partition(":")[0] == LAB_EXTENSION]
    if there is None:
        yield problem(
            name,
            f"{LAB_EXTENSION} is in none of Jupyter's folders, so JupyterLab has no menu of it",
            "Run python -m pip install --force-reinstall nbgrader.",
        )
    elif off:
        yield problem(name, f"{off[0]} is disabled", f"Run jupyter labextension enable {off[0]}.")
    elif there["version"] != __version__:
        yield problem(
            name,
            f"{there['version']} in {there['ext_path']}, but nbgrader is {__version__}",
            "Remove that folder, or install nbgrader again.",
        )
    else:
        yield ok(name, f"{LAB_EXTENSION} {there['version']} is enabled")


def server_extensions() -> Iterator[Finding]:
    """The parts of nbgrader that run in Jupyter's server."""
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager

    manager = ExtensionConfigManager(read_config_path=jupyter_config_path())
    enabled = manager.get_jpserver_extensions()
    off = [name for name in SERVER_EXTENSIONS if not enabled.get(name)]
    if off:
        commands = "; ".join(f"jupyter server extension enable --sys-prefix {name}" for name in off)
        short = [name.rpartition(".")[2] for name in off]
        yield problem("server extensions", f"{', '.join(short)} not enabled", f"Run {commands}.")
    else:
        yield ok("server extensions", f"nbgrader's {len(SERVER_EXTENSIONS)} are enabled")


def kernels(names: Iterable[str]) -> Iterator[Finding]:
    """The kernels that the course's notebooks ask for, as JupyterLab would start them.

    Args:
        names: the kernels' names.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    manager = KernelSpecManager()
    for name in sorted(set(names)):
        title = f"kernel {name}"
        mend = f"Run {sys.executable} -m ipykernel install --sys-prefix --name {name}"
        try:
            spec = manager.get_kernel_spec(name)
        except NoSuchKernel:
            yield problem(title, "notebooks ask for it and it is not installed", f"{mend}.")
            continue
        program = spec.argv[0] if spec.argv else ""
        if program in ("python", f"python{sys.version_info[0]}") or _is_this(program):
            yield ok(title, f"{spec.resource_dir} runs this Python")
        elif not shutil.which(program):
            yield problem(
                title,
                f"{spec.resource_dir} runs {program or 'nothing'}, which is not there",
                f"{mend}, or remove that folder.",
            )
        elif not _has_checks(program):
            yield problem(
                title,
                f"{spec.resource_dir} runs {program}, which lacks jax or graders",
                f"{mend}, or install graders there.",
            )
        else:
            yield warning(
                title,
                f"{spec.resource_dir} runs another Python, {program}",
                "Students' notebooks run there when looked at, and here when graded; "
                "keep both at the same versions.",
            )


def _is_this(program: str) -> bool:
    """Whether a program is the Python of this environment; links in it lead outside."""
    return os.path.isabs(program) and Path(program).parent.parent == Path(sys.prefix)


def _has_checks(program: str) -> bool:
    run = subprocess.run(
        [program, "-c", "import importlib.util as u; import sys; "
         "sys.exit(not all(map(u.find_spec, ('jax', 'graders', 'ipykernel'))))"],
        capture_output=True, cwd="/", check=False,
    )  # fmt: skip
    return run.returncode == 0
