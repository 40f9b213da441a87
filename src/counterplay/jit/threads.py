"""Threads of large solves: their number, and how they share work.

A solve runs in a separate thread, with helpers that take some of its work, and the caller waits. So Ctrl-C is noticed at
once, and handled after the current iterations.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from counterplay.errors import InputError, quoted

VARIABLE = "COUNTERPLAY_THREADS"
OURS = "counterplay"
"""The beginning of the names of threads of the library: none holds a lock that a fork of the process needs."""
_MOST, _EACH, _DIGITS = 64, 4, 9
"""Threads that may be asked for on any machine, and of each core; digits of such a number."""


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_threads(number: int, what: str) -> None:
    """Reject no threads, and more than this machine could use. what: source of the number, for the message."""
    if number < 1:
        raise InputError(f"{what}: at least 1 is needed, not {number}")
    most = max(_MOST, _EACH * cores())
    if number > most:
        raise InputError(f"{what} is at most {most} on this machine, not {number}")


def threads() -> int:
    """The number of threads of large solves: the number of cores, or less if COUNTERPLAY_THREADS is set. It does not
    change the result.
    """
    text = os.environ.get(VARIABLE, "")
    if not text:
        return cores()
    if not text.isdecimal() or len(text) > _DIGITS or int(text) < 1:
        raise InputError(f"{VARIABLE} must be a positive number of threads, not {quoted(text)}")
    check_threads(int(text), VARIABLE)
    return min(int(text), cores())


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2 * cores(), thread_name_prefix=OURS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads stay behind


def run_whole(call: Callable[..., None], *args: Any) -> None:
    """Call it in a thread of the pool, to its end, even if Ctrl-C comes: then it is raised afterwards."""
    running = _pool().submit(call, *args)
    try:
        running.result()
    except KeyboardInterrupt:
        running.result()  # whoever interrupts finds whole iterations
        raise


def share(jobs: Sequence[Callable[[], None]]) -> None:
    """Call all of them at once: the first here, the others in the pool, unless they start too late to be of use."""
    first, *others = jobs
    helpers = [_pool().submit(job) for job in others]
    first()
    for helper in helpers:
        if not helper.cancel():
            helper.result()


def share_out(jobs: Sequence[Callable[[], None]]) -> None:
    """Call each of them once, on as many threads as there are."""
    left = deque(jobs)

    def work() -> None:
        while True:
            try:
                job = left.popleft()
            except IndexError:
                return
            job()

    share([work] * max(1, min(threads(), len(jobs))))
