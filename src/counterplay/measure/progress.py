"""Progress bars for iterative solves and for loading: on stderr, on terminals only."""

from __future__ import annotations

import sys
import time
from math import inf, log
from types import TracebackType
from typing import Any

from counterplay.gametree.build.listing import Watch
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import bar_line
from counterplay.solvers.cfr import Progress, Stop


class Bar:
    """Context that gives a `Progress` callback, or None without a terminal."""

    def __init__(self, stop: Stop | None, quiet: bool, stakes: Stakes | None = None, most: int = 0) -> None:
        """stop: where the bar is full. quiet: show nothing. stakes: gives the unit. most: number of solves,
        if several.
        """
        self._stop = stop or Stop()
        self._stakes, self._most, self._solve = stakes or Stakes(), most, ""
        self._quiet = quiet or not sys.stderr.isatty()
        self._first: float | None = None

    def __enter__(self) -> Progress | None:
        if self._quiet:
            return None
        self._bar = bar_line()
        self._bar.start()
        self._task = self._bar.add_task("solving", total=None if self._stop == Stop() else 1.0)  # None: no end known
        return self._show

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._quiet:
            self._bar.stop()

    def phase(self, number: int) -> None:
        """Begin a solve, whose number is shown from now on."""
        self._solve = f"solve {number} of at most {self._most}: "
        if not self._quiet:
            self._first = None
            self._bar.update(self._task, completed=0.0, description=f"{self._solve}begins")

    def _show(self, iterations: int, exploitability: float) -> None:
        text = f"{self._solve}{iterations:,} iterations, exploitability {self._stakes.short(exploitability)}"
        self._bar.update(self._task, completed=self._done(iterations, exploitability), description=text)

    def _done(self, iterations: int, exploitability: float) -> float:
        """Share of the way to the nearest stop; exploitability counts on a logarithmic scale."""
        self._first = self._first or exploitability
        shares = [iterations / self._stop.iterations]
        if self._stop.seconds < inf:
            shares.append(self._bar.tasks[0].elapsed / self._stop.seconds if self._bar.tasks[0].elapsed else 0.0)
        if 0.0 < self._stop.exploitability < self._first and exploitability > 0.0:
            shares.append(log(self._first / exploitability) / log(self._first / self._stop.exploitability))
        return min(1.0, max(shares))


class ListingBar:
    """Context that gives a `Watch` of the histories of a game while it is loaded; None without a terminal."""

    _PATIENCE = 0.5  # seconds before a bar is worth it

    def __init__(self) -> None:
        self._bar: Any = None
        self._began = time.perf_counter()

    def __enter__(self) -> Watch | None:
        return self._show if sys.stderr.isatty() else None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def _show(self, histories: int, expected: float) -> None:
        if not self._bar:
            if time.perf_counter() - self._began < self._PATIENCE:
                return
            self._start()
        about = f" of about {expected:,.0f}" if expected else ""
        text = f"{histories:,}{about} histories"
        self._bar.update(self._task, completed=histories, total=max(expected, histories) or None, description=text)

    def _start(self) -> None:
        self._bar = bar_line()
        self._bar.start()
        self._task = self._bar.add_task("histories", total=None)
