"""Messages while kernels are compiled: one line at the first one, one at the end, and one for each kind of trouble.

The lines go to the logger `counterplay.kernels`, which prints them to stderr unless the program has set up logging;
`logging.getLogger("counterplay.kernels").setLevel("ERROR")` turns them off.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from counterplay.jit import kernel_folder

_log = logging.getLogger("counterplay.kernels")
_WORTH_A_LINE = 1.0  # seconds


class _Work:
    """Kernels compiled by this process."""

    def __init__(self) -> None:
        self.kernels: list[tuple[str, Any]] = []
        self.seconds, self.said = 0.0, set[str]()


_work = _Work()
_watchers: list[Callable[[str], None]] = []


def compiled() -> list[tuple[str, Any]]:
    """The kernels that this process has compiled, by name and types of arguments."""
    return _work.kernels


def seconds() -> float:
    """Seconds that it took."""
    return _work.seconds


@contextmanager
def compiling(name: str, args: Any) -> Iterator[None]:
    """Around the compilation of one kernel."""
    say_first()
    for watcher in _watchers:
        watcher(name)
    begin = time.perf_counter()
    try:
        yield
    finally:
        _work.kernels.append((name, args))
        _work.seconds += time.perf_counter() - begin


@contextmanager
def watched(watcher: Callable[[str], None]) -> Iterator[None]:
    """Let `watcher` have the name of every kernel that is compiled, in place of the lines."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def say_once(topic: str, line: str) -> None:
    """A line about kernels on disk, unless its topic has been told."""
    if topic not in _work.said:
        _work.said.add(topic)
        _log.warning(line)


def say_first() -> None:
    """The line at the beginning, unless somebody watches."""
    if _watchers:
        return
    folder = kernel_folder.writable()
    if folder is None:
        text = "compiling for this machine; a first run takes about 10 s longer, and so does every run: no folder can keep "
        say_once("first", text + "the kernels. Set NUMBA_CACHE_DIR to one that you can write, and nobody else")
    elif "first" not in _work.said:
        say_once("first", f"compiling for this machine, once; a first run takes about 10 s longer (kept in {folder})")


@atexit.register
def say_last() -> None:
    """The line at the end, if anything was said at the beginning; a command that fails says it before its error."""
    if "first" in _work.said and "last" not in _work.said and _work.seconds >= _WORTH_A_LINE:
        with suppress(Exception):  # stderr may be closed by now
            say_once("last", f"compiled {len(_work.kernels)} kernels in {_work.seconds:.1f} s")
