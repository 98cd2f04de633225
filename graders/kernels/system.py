"""Calls into Linux that Python does not offer, each with the reason for it.

Python 3.12 has `os.unshare`; until 3.11 is gone everything goes through the C library. Filters on
system calls are made by libseccomp, which knows every architecture's numbers.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import platform
import signal
import stat
from collections.abc import Iterable
from functools import cache
from typing import Any

_libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUTS = 0x00020000, 0x08000000, 0x04000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_ANY_NAMESPACE = 0x7E020080

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_SLAVE = 2, 4, 8, 4096, 16384, 1 << 19
_AT_FDCWD, _AT_RECURSIVE, _MNT_DETACH = -100, 0x8000, 2
_MOUNT_ATTR_READONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 442, 444, 445, 446
"""These four have one number on every architecture."""


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _syscall(what: str, number: int, *arguments: Any) -> int:
    return _check(_libc.syscall(ctypes.c_long(number), *arguments), what)


def _prctl(what: str, option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), what)


# Processes


def adopt_orphans() -> None:
    """Children of a child that ends become ours, so that none escapes by outliving its parent."""
    _prctl("adopt orphans", _PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Ends this process when its parent ends, even if that one is killed."""
    _prctl("die with the parent", _PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def set_traceable(traceable: bool) -> None:
    """Whether processes of the same user may trace this one and look into its memory."""
    _prctl("set dumpable", _PR_SET_DUMPABLE, int(traceable))


def no_new_privileges() -> None:
    """Makes set-user-ID programs ordinary ones; Landlock and seccomp ask for it."""
    _prctl("no new privileges", _PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Gives up every capability; in a user namespace of our own we have them all."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "drop capabilities")


def become(user: int) -> None:
    """Changes to a user and group that own nothing else. Needs root."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


# Namespaces and mounts


def unshare(flags: int) -> None:
    """Leaves the namespaces of the parent, so that what is in them is out of reach."""
    _check(_libc.unshare(flags), "unshare")


def map_own_user(user: int, group: int) -> None:
    """Keeps user and group the same in a new user namespace; nobody else exists in it."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    arguments = [text.encode() for text in (source, target, kind)]
    result = _libc.mount(*arguments, ctypes.c_ulong(flags), options.encode())
    _check(result, f"mount {target}")


def keep_mounts_private() -> None:
    """What we mount is not seen outside."""
    _mount("none", "/", "", _MS_REC | _MS_SLAVE)


def mount_memory(target: str, size: int) -> None:
    """Mounts an empty file system of at most `size` bytes in memory."""
    _mount("tmpfs", target, "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={size},mode=755")


def mount_processes(target: str) -> None:
    """Mounts a /proc that has only the processes of our own PID namespace."""
    _mount("proc", target, "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)


def bind(source: str, target: str, *, readonly: bool, devices: bool = False) -> None:
    """Shows a file or folder at a second place, with what is mounted below it."""
    _mount(source, target, "", _MS_BIND | _MS_REC)
    attributes = _MOUNT_ATTR_NOSUID | (0 if devices else _MOUNT_ATTR_NODEV)
    _set_mount(target, attributes | (_MOUNT_ATTR_READONLY if readonly else 0), _AT_RECURSIVE)


def make_readonly(target: str) -> None:
    """Makes one mount read-only, not those below it."""
    _set_mount(target, _MOUNT_ATTR_READONLY, 0)


def _set_mount(target: str, attributes: int, flags: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    path = target.encode()
    _syscall(f"mount_setattr {target}", _MOUNT_SETATTR, _AT_FDCWD, path, flags, wanted, size)


def enter_root(new: str, old: str) -> None:
    """Makes `new` the root; the old root is then at `old`, a folder in `new`."""
    number = _PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, f"pivot_root: not known for {platform.machine()}")
    _syscall("pivot_root", number, new.encode(), old.encode())
    os.chdir("/")


def detach(target: str) -> None:
    """Unmounts a file system, now from view and for good when its last user ends."""
    _check(_libc.umount2(target.encode(), _MNT_DETACH), f"umount {target}")


# Landlock: which files may be used, without any privilege

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_FS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many file rights each ABI knows; the rights are the lowest so many bits."""


def landlock_abi() -> int:
    """Version of Landlock that the kernel offers, 0 if none."""
    return max(0, _libc.syscall(ctypes.c_long(_LANDLOCK_CREATE), None, ctypes.c_size_t(0), 1))


def landlock(readonly: Iterable[str], writable: Iterable[str], devices: Iterable[str]) -> None:
    """Refuses every file outside these, all of TCP, abstract sockets and signals to others.

    Args:
        readonly: Files and folders that may be read and executed.
        writable: Folders in which everything is allowed.
        devices: Files that may be read and written.

    Raises:
        OSError: The kernel has no Landlock.
    """
    abi = landlock_abi()
    all_rights = (1 << _FS_BY_ABI.get(abi, 16)) - 1
    network = 0b11 if abi >= 4 else 0  # bind and connect
    scopes = 0b11 if abi >= 6 else 0  # abstract sockets and signals
    rules = (ctypes.c_uint64 * 3)(all_rights, network, scopes)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _syscall("landlock", _LANDLOCK_CREATE, rules, ctypes.c_size_t(size), 0)
    try:
        for paths, rights in (
            (readonly, _READ),
            (writable, all_rights),
            (devices, _READ_FILE | _WRITE_FILE),
        ):
            for path in paths:
                _allow(ruleset, path, rights & all_rights)
        _syscall("landlock", _LANDLOCK_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("fd", ctypes.c_int32))


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_ONLY
        rule = _PathBeneath(rights, fd)
        _syscall(f"landlock {path}", _LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    finally:
        os.close(fd)


# seccomp: which system calls may be made, without any privilege

_REFUSED = (
    # no way to any socket but through one that is connected already
    *("connect", "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    # nothing that could be left for the next kernel, or that the keeper does not count as memory
    *("shmget", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret", "keyctl"),
    *("add_key", "request_key"),
    # no look into other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"),
    *("perf_event_open", "userfaultfd"),
    # no new view of the machine
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount"),
    *("fsopen", "fsmount", "mount_setattr", "open_by_handle_at"),
)


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("value2", ctypes.c_uint64),
    )


_NOT_EQUAL, _MASKED_EQUAL = 1, 7
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


@cache
def _libseccomp() -> Any:
    lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    lib.seccomp_init.restype = ctypes.c_void_p
    lib.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.POINTER(_Comparison),
    )
    lib.seccomp_load.argtypes = lib.seccomp_release.argtypes = (ctypes.c_void_p,)
    return lib


def has_seccomp() -> bool:
    """Whether system calls can be filtered: libseccomp is installed."""
    try:
        _libseccomp()
    except OSError:
        return False
    return True


def filter_system_calls() -> None:
    """Refuses the calls that a grading kernel has no use for.

    Sockets are left only as UNIX streams, which the kernel listens on; `connect` is refused, and
    with it every server on the machine, whatever its address.
    """
    lib = _libseccomp()
    rules = lib.seccomp_init(_ALLOW)
    if not rules:
        raise OSError("seccomp: no filter")
    try:
        for name in _REFUSED:
            _refuse(rules, name, errno.EPERM)
        _refuse(rules, "socket", errno.EACCES, _Comparison(0, _NOT_EQUAL, 1))  # AF_UNIX
        _refuse(rules, "socket", errno.EACCES, _Comparison(1, _MASKED_EQUAL, 0xF, 2))  # datagrams
        # clone3 hides its flags in memory; without it the C library uses clone
        _refuse(rules, "clone3", errno.ENOSYS)
        for flag in (1 << bit for bit in range(32) if _ANY_NAMESPACE >> bit & 1):
            _refuse(rules, "clone", errno.EPERM, _Comparison(0, _MASKED_EQUAL, flag, flag))
        if lib.seccomp_load(rules):
            raise OSError("seccomp: the filter was not taken")
    finally:
        lib.seccomp_release(rules)


def _refuse(rules: Any, name: str, number: int, *conditions: _Comparison) -> None:
    lib = _libseccomp()
    call = lib.seccomp_syscall_resolve_name(name.encode())
    if call == -1:  # newer than this libseccomp
        return
    array = (_Comparison * max(1, len(conditions)))(*conditions)
    failed = lib.seccomp_rule_add_array(rules, _ERRNO | number, call, len(conditions), array)
    if failed:
        raise OSError(-failed, f"seccomp {name}: {os.strerror(-failed)}")
