"""Signals and garbage collection put off for the length of a block."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
