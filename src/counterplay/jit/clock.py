"""A clock that stands still while kernels are compiled or loaded: what a solve takes is told without them, and no limit of
seconds is spent on them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Stopped:
    """Seconds that were spent on kernels by any thread, and since when some thread has been at it."""

    def __init__(self) -> None:
        self.lock, self.seconds, self.since, self.depth = Lock(), 0.0, 0.0, 0


_stopped = _Stopped()


def run_time() -> float:
    """Seconds since some moment, without those that kernels took."""
    with _stopped.lock:
        return (_stopped.since if _stopped.depth else time.perf_counter()) - _stopped.seconds


def kernel_seconds() -> float:
    """Seconds that kernels took in this process so far."""
    with _stopped.lock:
        return _stopped.seconds


@contextmanager
def stopped() -> Iterator[None]:
    """Let the clock stand still."""
    with _stopped.lock:
        if not _stopped.depth:
            _stopped.since = time.perf_counter()
        _stopped.depth += 1
    try:
        yield
    finally:
        with _stopped.lock:
            _stopped.depth -= 1
            if not _stopped.depth:
                _stopped.seconds += time.perf_counter() - _stopped.since
