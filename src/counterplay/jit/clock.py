"""A clock that stands still while kernels are compiled or loaded, so that times and limits of solves do not count them;
signals and garbage collection put off for the length of a block."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class _Stopped:
    """Seconds that any thread spent on kernels, and when the running compilation or load began."""

    def __init__(self) -> None:
        self.lock, self.seconds, self.since, self.depth = threading.Lock(), 0.0, 0.0, 0


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


@contextmanager
def interrupts_held() -> Iterator[list[int]]:
    """Defer SIGINT and SIGTERM to the end of the block, which may end early when its list holds one; without effect in
    other threads than the main one. Inside a callback of LLVM a signal would be lost, and the kernel too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {number: handler for number, handler in usual.items() if callable(handler)}
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as a handler is called
        came.append(number)

    for number in ours:
        signal.signal(number, note)
    try:
        yield came
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        if came:
            ours[signal.Signals(came[0])](came[0], None)


@contextmanager
def collection_suspended() -> Iterator[None]:
    """Suspend garbage collection where many objects are made and few are in cycles: each search would find nothing."""
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if usual:
            gc.enable()
