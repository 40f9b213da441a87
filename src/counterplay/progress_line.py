"""A line of progress on stderr, for all long work: a bar on terminals; elsewhere lines of text, the first after a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from counterplay.display import duration
from counterplay.jit.threads import OURS
from counterplay.time_left import Left

Update = Callable[..., None]
"""Called with the text, the amount done and the total, and an estimate of the time left; None if unknown."""


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


def make_line(begin: str) -> BarLine | LogLine:
    """A bar that starts at once on a terminal, lines of a log elsewhere: `show` updates it, `note` prints a line that stays.
    begin: its first text."""
    return BarLine(begin) if sys.stderr.isatty() else LogLine(begin)


class BarLine:
    """A text, a bar and the time that has passed, as `rich` shows them."""

    def __init__(self, begin: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}{task.fields[left]}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        before = threading.enumerate()
        self._bar.start()
        for thread in threading.enumerate():
            if thread not in before:
                thread.name = OURS
        self._task = self._bar.add_task(begin, total=None, left="")

    def show(self, text: str, done: float | None, total: float | None, left: Left | None = None, /) -> None:
        self._bar.update(self._task, description=text, completed=done, total=total, left=left or "")
        if total is None:
            self._bar.tasks[0].total = None  # which an update keeps: the bar of a part without an end pulses

    def note(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)

    def stop(self) -> None:
        self._bar.stop()


class LogLine:
    """Lines of a log, each with the time that has passed: the first after a second, then fewer (see `pause`). They come by
    themselves, so that work announces itself even while one long part says nothing.
    """

    _left: Left | None

    def __init__(self, begin: str) -> None:
        self._text, self._left, self._stream, self._began = begin, None, sys.stderr, time.monotonic()
        self._stopped = threading.Event()
        self._teller = threading.Thread(target=self._tell, name=OURS, daemon=True)
        self._teller.start()

    def show(self, text: str, _done: float | None, _total: float | None, left: Left | None = None, /) -> None:
        self._text, self._left = text, left

    def note(self, text: str) -> None:
        self._print(text)

    def stop(self) -> None:
        self._stopped.set()
        self._teller.join()

    def _tell(self) -> None:
        spent = 0.0
        while not self._stopped.wait(pause(spent)):
            spent = time.monotonic() - self._began
            self._print(f"{self._text}{self._left or ''}, after {duration(spent)}")

    def _print(self, text: str) -> None:
        with suppress(OSError, ValueError):  # stderr may be closed by now
            print(text, file=self._stream, flush=True)


def pause(spent: float) -> float:
    """Seconds until the next line of a log, after so many of work: 1, then 10 in the first minute, then 60."""
    return 1.0 if spent < 1.0 else 10.0 if spent < 60.0 else 60.0
