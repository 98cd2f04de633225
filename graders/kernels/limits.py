"""How much a kernel may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Caps on one kernel together with its children.

    Attributes:
        memory: Bytes of memory that the kernel and its children may hold. The keeper watches it
            and ends them all at the cap; see `graders.kernels.keeper`.
        cpu_seconds: Processor seconds of one process; SIGXCPU ends it.
        processes: Processes and threads beside those that the kernel itself needs.
        file_size: Bytes of the largest file that may be written.
        open_files: Open file descriptors of one process.
    """

    memory: int = 2048 * MIB
    cpu_seconds: int = 600
    processes: int = 256
    file_size: int = 64 * MIB
    open_files: int = 512

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"Limits.{name} is {value!r}; give a whole number above zero.")

    def apply(self, processes_now: int = 0) -> None:
        """Caps the calling process and what it starts from now on.

        Args:
            processes_now: How many processes count against the same user already.

        The address space is not capped: XLA maps far more than it touches. Data pages are, at twice
        the memory cap, so that one huge request fails at once instead of racing the keeper.
        """
        import resource  # Windows has none, and no use for it

        def cap(what: int, value: int, grace: int = 0) -> None:
            hard = resource.getrlimit(what)[1]
            if hard == resource.RLIM_INFINITY:
                hard = value + grace
            resource.setrlimit(what, (min(value, hard), min(value + grace, hard)))

        cap(resource.RLIMIT_CORE, 0)
        cap(resource.RLIMIT_CPU, self.cpu_seconds, 1)  # the soft limit's signal says why
        cap(resource.RLIMIT_FSIZE, self.file_size)
        cap(resource.RLIMIT_NOFILE, self.open_files)
        cap(resource.RLIMIT_DATA, 2 * self.memory)
        cap(resource.RLIMIT_NPROC, self.processes + processes_now)
