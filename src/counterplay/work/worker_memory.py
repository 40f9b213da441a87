"""The memory of workers: no more are started than there is room for."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from counterplay.errors import InputError
from counterplay.work.work import RoomyWork, Work

_MEMINFO, _GIB = Path("/proc/meminfo"), 2**30


def free_memory() -> float | None:
    """Bytes that this machine could give to new processes; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return 1024.0 * float(lines["MemAvailable"].split()[0]) if "MemAvailable" in lines else None
    return None


def workers_that_fit(work: Work, workers: int) -> int:
    """How many of so many workers fit into the free memory of this machine, for work that knows how much it takes. If not
    all do, one line on stderr says so.

    Raises:
        InputError: not even one fits.
    """
    free = free_memory()
    if workers < 2 or free is None or not isinstance(work, RoomyWork):
        return workers
    needed = work.worker_memory()
    most = int(free / needed) if needed > 0.0 else workers
    if most >= workers:
        return workers
    told = f"a worker takes about {needed / _GIB:.3g} GiB for this, and {free / _GIB:.3g} GiB are free"
    if most == 0:
        raise InputError(f"{told}: leave out --workers, or ask for something smaller")
    print(f"{told}: {most} of {workers} workers are started", file=sys.stderr, flush=True)
    return most


def check_worker_memory(work: Work, name: str, limit: float | None) -> None:
    """Refuse a worker elsewhere that has too little memory for work that knows how much it takes.

    Args:
        work: what it would compute.
        name: of the worker.
        limit: its bytes; None or 0 where it has no limit.

    Raises:
        InputError: it has too little.
    """
    if not limit or not isinstance(work, RoomyWork):
        return
    needed = work.worker_memory()
    if needed > limit:
        raise InputError(
            f"{name} has {limit / _GIB:.3g} GiB of memory, and a worker takes about {needed / _GIB:.3g} GiB"
        )
