"""The memory that this process may take: the least of the machine's, its control groups' and that of `ulimit -v`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_PROCESS, _GROUPS = Path("/proc/self"), Path("/sys/fs/cgroup")
_MOUNTS = (("", "memory.max"), ("unified", "memory.max"))
_MOUNTS_1 = (("memory", "memory.limit_in_bytes"),)
"""Folders in which the groups of version 2, and of version 1, are mounted, and the file of a group's limit."""
_GIB = 2**30


class MemoryLimit(NamedTuple):
    """A limit in bytes, and what sets it."""

    bytes: float
    source: str


def memory_limit() -> MemoryLimit:
    """The least limit; that of `ulimit -v` less the address space in use."""
    return min((_machine(), *_control_groups(), *_address_space()), key=lambda limit: limit.bytes)


def default_memory() -> float:
    """Half of the limit, in bytes: what one solve may take unless it is told otherwise."""
    return 0.5 * memory_limit().bytes


def lacking(error: MemoryError) -> str:
    """The sentence of work that failed for lack of memory: what was tried, where the error says it, and the limit."""
    limit, wanted = memory_limit(), " ".join(str(error).split())[:200]
    return f"there is not enough memory{f' ({wanted})' if wanted else ''}: {limit.source} {limit.bytes / _GIB:.3g} GiB"


def _machine() -> MemoryLimit:
    return MemoryLimit(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")), "this machine has")


def _control_groups() -> Iterator[MemoryLimit]:
    """Limits of the groups of this process and of all above them, as far as they are mounted (versions 2 and 1)."""
    with suppress(OSError):
        for line in (_PROCESS / "cgroup").read_text().splitlines():
            _, controllers, name = line.split(":", 2)
            group = PurePosixPath(name.lstrip("/"))
            for place, file in _MOUNTS if not controllers else _MOUNTS_1 if "memory" in controllers.split(",") else ():
                for folder in (group, *group.parents):
                    with suppress(OSError, ValueError):  # not mounted here, or "max"
                        yield MemoryLimit(
                            float(int((_GROUPS / place / folder / file).read_text())), "its control group allows"
                        )


def _address_space() -> Iterator[MemoryLimit]:
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY:
        used = 0
        with suppress(OSError, ValueError, IndexError):
            used = int((_PROCESS / "statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        yield MemoryLimit(float(max(most - used, 0)), "ulimit -v leaves")
