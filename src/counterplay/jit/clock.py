"""A clock that stands still while kernels are compiled or loaded: times and limits of solves do not count them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Stopped:
    """Seconds that any thread spent on kernels, and when the running compilation or load began."""

    def __init__(self) -> None:
        self.lock, self.seconds, self.since, self.depth = Lock(), 0.0, 0.0, 0


_stopped = _Stopped()


def run_time() -> float:
    """Seconds since some moment, without compilation."""
    with _stopped.lock:
        return (_stopped.since if _stopped.depth else time.perf_counter()) - _stopped.seconds


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
