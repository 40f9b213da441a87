"""A lock between processes: what one of them makes, the others wait for and then find."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


@contextmanager
def locked(path: Path, waiting: Callable[[], object]) -> Iterator[None]:
    """Hold the lock of a file, which is made and removed again; it ends with the process at the latest. Without effect
    where files cannot be made or locked.

    Args:
        path: of the file.
        waiting: called if another process has it.
    """
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        yield
        return
    try:
        if fcntl is not None:
            with suppress(OSError):
                _take(handle, waiting)
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        os.close(handle)


def _take(handle: int, waiting: Callable[[], object]) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(handle, fcntl.LOCK_EX)
