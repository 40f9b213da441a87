"""Executors of pieces of work, and the memory of workers: no more are started than there is room for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, Protocol

from counterplay.errors import InputError
from counterplay.work.work import Work, worker_memory

Begin = Callable[[str], None]
"""Called with the key of a piece when its computation begins."""
Results = Generator[tuple[str, Any], None, None]
"""Keys and results as they are finished; closing it ends the computation."""


class Executor(Protocol):
    """Computes pieces. Results do not depend on the executor."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """Compute these pieces; an `InputError` of one ends the computation."""

    def held(self) -> AbstractContextManager[None]:
        """A context in which the workers stay from one call of `compute` to the next: for work after work."""

    def size(self) -> int:
        """The number of workers; an `InputError` where they are elsewhere and cannot be asked."""


class InProcess:
    """Computes the pieces one by one in this process."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        for key in keys:
            begin(key)
            yield key, work.compute(key)

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()

    def size(self) -> int:
        return 1


_MEMINFO, _GIB = Path("/proc/meminfo"), 2**30


def free_memory() -> float | None:
    """Bytes that this machine could give to new processes; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return 1024.0 * float(lines["MemAvailable"].split()[0]) if "MemAvailable" in lines else None
    return None


def workers_that_fit(work: Work, workers: int) -> int:
    """How many of so many workers fit into the free memory of this machine. If not all do, one line on stderr says so.

    Raises:
        InputError: not even one fits.
    """
    free = free_memory()
    needed = worker_memory(work)
    if workers < 2 or free is None or needed <= 0.0 or (most := int(free / needed)) >= workers:
        return workers
    told = f"a worker takes about {needed / _GIB:.3g} GiB for this, and {free / _GIB:.3g} GiB are free"
    if most == 0:
        raise InputError(f"{told}: leave out --workers, or ask for something smaller")
    print(f"{told}: {most} of {workers} workers are started", file=sys.stderr, flush=True)
    return most


def check_worker_memory(work: Work, name: str, limit: float | None) -> None:
    """Refuse a worker elsewhere that has too little memory. limit: its bytes; None or 0 where it has no limit.

    Raises:
        InputError: it has too little.
    """
    needed = worker_memory(work)
    if limit and needed > limit:
        raise InputError(
            f"{name} has {limit / _GIB:.3g} GiB of memory, and a worker takes about {needed / _GIB:.3g} GiB"
        )
