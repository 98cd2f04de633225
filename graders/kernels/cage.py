"""The cage of one kernel: entering it before the kernel starts."""

from __future__ import annotations

import os
from dataclasses import dataclass

from graders.kernels import system

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_SHARED_MEMORY = 64 * 1024 * 1024


@dataclass(frozen=True)
class Confinement:
    """How one kernel is confined.

    Attributes:
        readonly: Files and folders that it may read.
        writable: Folders that it may write.
        temporary: The folder among them that is shown as `/tmp`.
        landlock: Whether Landlock refuses other files.
        filtered: Whether system calls are filtered.
        namespaces: Whether the keeper enters namespaces (bubblewrap may have done so already).
        own_processes: Whether `/proc` has only the kernel's own processes.
        user: Number of the user to become, or None to stay.
    """

    readonly: tuple[str, ...]
    writable: tuple[str, ...]
    temporary: str
    landlock: bool
    filtered: bool
    namespaces: bool
    own_processes: bool
    user: int | None

    def leave(self) -> None:
        """Enters new namespaces; the PID namespace begins with the next child."""
        user, group = os.getuid(), os.getgid()
        flags = system.CLONE_NEWNS | system.CLONE_NEWPID | system.CLONE_NEWNET
        flags |= system.CLONE_NEWIPC | system.CLONE_NEWUTS
        system.unshare(flags if user == 0 else flags | system.CLONE_NEWUSER)
        if user != 0:
            system.map_own_user(user, group)

    def enter_root(self) -> None:
        """Changes to a root folder in which there is only what the kernel may see."""
        system.keep_mounts_private()
        base = "/tmp"
        system.mount_memory(base, 1024 * 1024)
        os.chdir(base)
        for name in ("old", "proc", "dev", "tmp"):
            os.mkdir(name)
        system.enter_root(".", "old")
        system.bind("/old" + self.temporary, "/tmp", readonly=False)  # first: others may be below
        for path in self.readonly:
            _show(path, readonly=True)
        for path in self.writable:
            _show(path, readonly=False)
        for path in _DEVICES:
            _show(path, readonly=False, devices=True)
        os.mkdir("/dev/shm")
        system.mount_memory("/dev/shm", _SHARED_MEMORY)
        os.chmod("/dev/shm", 0o1777)
        system.mount_processes("/proc")
        system.make_readonly("/proc")
        system.detach("/old")
        os.rmdir("/old")
        system.make_readonly("/")

    def give_up(self) -> None:
        """Gives up rights for good. Called in the kernel, before any of a student's code."""
        if self.user is not None:
            system.become(self.user)
        system.drop_capabilities()
        system.no_new_privileges()
        if self.landlock:
            own = ("/tmp", "/dev/shm") if self.own_processes else ()
            processes = ("/proc",) if self.own_processes else ()
            system.landlock(
                (*self.readonly, *processes), (*self.writable, *own), (*_DEVICES, "/dev/tty")
            )
        if self.filtered:
            system.filter_system_calls()


def _show(path: str, *, readonly: bool, devices: bool = False) -> None:
    """Shows a path of the old root at the same place in the new one."""
    old = "/old" + path
    parent = os.path.dirname(path)
    if not os.path.lexists(old) or (readonly and os.path.lexists(path)):
        return
    if os.path.lexists(path):  # a writable folder in a read-only one
        system.bind(old, path, readonly=readonly)
        return
    os.makedirs(parent, exist_ok=True)
    if os.path.islink(old):
        target = os.path.normpath(os.path.join(parent, os.readlink(old)))
        os.symlink(os.readlink(old), path)
        _show(target, readonly=readonly, devices=devices)
        return
    if os.path.isdir(old):
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_CREAT, 0o644))
    system.bind(old, path, readonly=readonly, devices=devices)
