"""A line of progress on stderr, for all long work: a bar on terminals; elsewhere lines of text, the first after a second.

Estimates of the time that is left go by the recent pace of the work; there is none while it is unknown.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import expm1, inf, log

from counterplay.display import duration
from counterplay.jit.threads import OURS

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


_AGREE = 2.0
"""Factor within which two estimates agree, so that the later one is believed."""
_FAR = 7.0
"""Logarithm of the factor of iterations beyond which nothing is foretold."""
_MOST = 256
"""Observations that are kept: then every second one."""


@dataclass(frozen=True)
class Left:
    """The time left of some work. As a text, at any later time: `, about 40 s left`; empty once that time is over, as the
    estimate was wrong.

    Attributes:
        seconds: from `since`.
        bound: "about", or "at most" for a limit that work may not need.
        since: when it was estimated, by `time.monotonic`.
    """

    seconds: float
    bound: str = "about"
    since: float = field(default_factory=lambda: time.monotonic())

    def __str__(self) -> str:
        rest = self.seconds - (time.monotonic() - self.since)
        return f", {self.bound} {duration(rest)} left" if rest >= 0.5 else ""


def soonest(ends: Iterable[float | None]) -> Left | None:
    """The time left of work that ends at the first of several limits; seconds until each, None while unknown."""
    seconds = list(ends)
    known = [end for end in seconds if end is not None]
    return Left(max(0.0, min(known)), "about" if len(known) == len(seconds) else "at most") if known else None


class RecentPace:
    """The pace of work in amounts of any unit whose cost is about even: iterations, parts, hands."""

    def __init__(self) -> None:
        self._seen: list[tuple[float, float]] = []

    def saw(self, done: float, now: float | None = None) -> None:
        """Record the amount done so far, at a time in seconds (by default now); less than before begins other work."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        if not self._seen or done > self._seen[-1][1]:
            self._seen.append((time.monotonic() if now is None else now, done))
        if len(self._seen) > _MOST:
            self._seen = self._seen[:-1:2] + self._seen[-1:]

    def seconds(self, amount: float) -> float | None:
        """Seconds that a further amount takes, by the pace of the later half of what is done; None unless the two halves of
        that agree."""
        if len(self._seen) < 3:
            return None
        half = 0.5 * (self._seen[0][1] + self._seen[-1][1])
        since = min(sum(done <= half for _, done in self._seen) - 1, len(self._seen) - 3)
        (begin, first), *between, (end, last) = self._seen[since:]
        middle, done = min(between, key=lambda one: abs(one[1] - 0.5 * (first + last)))
        early, late = (middle - begin) / (done - first), (end - middle) / (last - done)
        return amount * (end - begin) / (last - first) if max(early, late) < _AGREE * min(early, late) else None


class SolvePace:
    """The time left of an iterative solve up to an exploitability, which falls as a power of the iterations."""

    def __init__(self, goal: float) -> None:
        self._goal, self._pace, self._looks = goal, RecentPace(), list[tuple[int, float]]()

    def saw(self, iterations: int, exploitability: float, now: float | None = None) -> None:
        """Record a look at the solve."""
        if self._looks and iterations < self._looks[-1][0]:
            self._looks.clear()
        self._looks.append((iterations, exploitability))
        self._pace.saw(iterations, now)

    def seconds(self) -> float | None:
        """Seconds left; None unless the powers since about half and since about a quarter of the iterations agree, and the
        pace is known."""
        done, now = self._looks[-1]
        if not 0.0 < self._goal < now:
            return None
        half = [look for look in self._looks if 0 < look[0] <= 0.5 * done][-1:]
        quarter = [look for look in self._looks if half and 0 < look[0] <= 0.5 * half[0][0]][-1:]
        factors = list[float]()
        for iterations, exploitability in half + quarter:
            fallen, wanted = log(exploitability / now), log(now / self._goal)
            exponent = wanted * log(done / iterations) / fallen if fallen > 0.0 else inf
            factors.append(expm1(exponent) if exponent < _FAR else inf)
        if len(factors) < 2 or not max(factors) < _AGREE * min(factors):
            return None
        return self._pace.seconds(done * factors[0])
