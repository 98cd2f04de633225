"""The front door: a kernel manager that is ready to start a grading kernel."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from graders.kernels.limits import Limits
from graders.kernels.provisioner import GradersProvisioner, KernelStartError
from graders.kernels.reason import ExitReason

__all__ = ["ExitReason", "KernelStartError", "Limits", "exit_reason", "kernel_manager"]


class GradingKernelManager(AsyncKernelManager):
    """An `AsyncKernelManager` with the kernelspec of this package, installed or not."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The grading kernel's."""
        return KernelSpec.from_resource_dir(str(Path(__file__).with_name("spec")))


def kernel_manager(
    folder: Path,
    *,
    warm: bool = True,
    confine: str = "auto",
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    readonly: Sequence[Path] = (),
) -> AsyncKernelManager:
    """A kernel manager, ready for `await manager.start_kernel()`.

    Args:
        folder: The kernel's working folder, which it may write; nothing else is written there.
        warm: Fork the kernel from a warm parent where that is possible.
        confine: "auto" for what the machine offers, "required" for all of it or none, "off".
        env: Environment variables beside the short list that a kernel keeps. Each different set
            has a warm parent of its own, so use few.
        limits: Caps on what the kernel may use; default `Limits()`.
        readonly: More folders that the kernel may read, such as JAX's compilation cache.

    Returns:
        A manager with its provisioner set. Use it as any other; end with `shutdown_kernel`, which
        also removes the connection's files.

    Raises:
        FileNotFoundError: `folder` does not exist.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"The kernel's folder {folder} does not exist; make it first.")
    manager: Any = GradingKernelManager(kernel_id=str(uuid.uuid4()))
    manager.provisioner = GradersProvisioner(
        kernel_id=manager.kernel_id,
        kernel_spec=manager.kernel_spec,
        parent=manager,
        warm=warm,
        confine=confine,
        folder=str(folder.resolve()),
        environment=dict(env or {}),
        limits=limits or Limits(),
        readonly=[str(path) for path in readonly],
    )
    return manager


def exit_reason(manager: AsyncKernelManager) -> ExitReason | None:
    """How the manager's kernel ended, or None while it runs."""
    provisioner = manager.provisioner
    return provisioner.ended() if isinstance(provisioner, GradersProvisioner) else None
