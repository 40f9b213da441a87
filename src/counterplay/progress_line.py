"""A line of progress on stderr: a bar on terminals, else a line of text a minute, for logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

Update = Callable[[str, float | None, float | None], None]
"""Called with the text, the amount done and the total; None if unknown."""
_PAUSE = 60.0
"""Seconds between two lines of a log."""


class Line(Protocol):
    """A display of the progress of long work."""

    def show(self, text: str, done: float | None, total: float | None) -> None: ...
    def stop(self) -> None: ...


@contextmanager
def progress_line(begin: str, quiet: bool) -> Iterator[Update | None]:
    """A line that is updated explicitly; None where nothing is to be shown. begin: its first text."""
    if quiet:
        yield None
        return
    line = make_line(begin)
    try:
        yield line.show
    finally:
        line.stop()


def make_line(begin: str) -> Line:
    """A bar that starts at once on a terminal, lines of a log elsewhere. begin: its first text."""
    return BarLine(begin) if sys.stderr.isatty() else LogLine()


class BarLine:
    """A text, a bar and the time that has passed, as `rich` shows them."""

    def __init__(self, begin: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(begin, total=None)

    def show(self, text: str, done: float | None, total: float | None) -> None:
        self._bar.update(self._task, description=text, completed=done, total=total)

    def stop(self) -> None:
        self._bar.stop()


class LogLine:
    """A line of text a minute; none from work that takes less."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()

    def show(self, text: str, done: float | None, total: float | None) -> None:
        now = time.monotonic()
        if now - self._last < _PAUSE:
            return
        self._last = now
        share = f", {done / total:.0%}" if total and done is not None else ""
        print(f"{text}{share}, {(now - self._began) / 60.0:.0f} min", file=sys.stderr, flush=True)

    def stop(self) -> None:
        pass
