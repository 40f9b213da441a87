"""Progress of iterative solves and of loading, on stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import inf, isnan, log
from types import TracebackType
from typing import NamedTuple

from counterplay.display import duration
from counterplay.gametree.build.listing import Watch
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import Line, make_line
from counterplay.solvers.cfr import Progress, Stop

_LONGEST = 1e6
"""Seconds beyond which no time left is told."""


_BETTER = 0.25
"""The exploitability, as a share of the last that was told, at which strategies are told again."""


class _Look(NamedTuple):
    """A look at a solve: iterations, exploitability in chips, and the clock in seconds."""

    iterations: int
    exploitability: float
    time: float


class Bar:
    """Context that gives a `Progress` callback, or None where nothing is to be shown."""

    def __init__(self, stop: Stop | None, quiet: bool, stakes: Stakes | None = None, most: int = 0) -> None:
        """stop: where the bar is full. quiet: show nothing. stakes: gives the unit. most: number of solves,
        if several.
        """
        self._stop = stop or Stop()
        self._stakes, self._most, self._solve = stakes or Stakes(), most, ""
        self._quiet = quiet
        self._first: _Look | None = None
        self._last, self._number, self._told = 0, 1, inf

    def __enter__(self) -> Progress | None:
        if self._quiet:
            return None
        self._line, self._began = make_line("solving"), time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._quiet:
            self._line.stop()

    def phase(self, number: int) -> None:
        """Begin a solve, whose number is shown from now on."""
        self._solve = f"solve {number} of at most {self._most}: "
        if not self._quiet:
            self._first = None
            self._line.show(f"{self._solve}begins", 0.0, self._total)

    def begin_part(self, part: str) -> None:
        """Name a part of the work, which is shown until it tells iterations. What earlier parts told no longer counts."""
        if self._last:
            self._number, self._solve = self._number + 1, f"solve {self._number + 1}: "
        self._first, self._last = None, 0
        self._line.show(f"{self._solve}{part}", None, None)

    def so_far(self, shares: Mapping[str, float], exploitability: float) -> None:
        """Tell the strategies at hand, at first and whenever they are far better (see `compact_solve.EarlyWatch`)."""
        if exploitability > _BETTER * self._told:
            return
        self._told = exploitability
        told = ", ".join(f"{action} {100.0 * share:.0f} %" for action, share in shares.items())
        self._line.note(f"so far, to {self._stakes.short(exploitability)}: {told}; Ctrl-C keeps the best")

    def __call__(self, iterations: int, exploitability: float) -> None:
        """See `Progress`."""
        if iterations < self._last and not self._most:  # another solve of the same method
            self._number, self._first = self._number + 1, None
            self._solve = f"solve {self._number}: "
        self._last = iterations
        self._first = self._first or _Look(iterations, exploitability, time.perf_counter())
        told = "" if isnan(exploitability) else f", exploitability {self._stakes.short(exploitability)}"
        left = self._left(iterations, exploitability)
        about = "" if left is None else f", about {duration(left)} left"
        text = f"{self._solve}{iterations:,} iterations{told}{about}"
        self._line.show(text, self._done(iterations, exploitability), self._total)

    def _left(self, iterations: int, exploitability: float) -> float | None:
        """Seconds to the exploitability that is asked for, if it falls as a power of iterations; None if it does not."""
        first, goal = self._first, self._stop.exploitability
        if first is None or not 0.0 < goal < exploitability < first.exploitability or not first.iterations < iterations:
            return None
        power = log(first.exploitability / exploitability) / log(iterations / first.iterations)
        more = iterations * ((exploitability / goal) ** (1.0 / power) - 1.0)
        seconds = (time.perf_counter() - first.time) * more / (iterations - first.iterations)
        return seconds if seconds < _LONGEST else None

    @property
    def _total(self) -> float | None:
        """None: no end is known."""
        return None if self._stop == Stop() else 1.0

    def _done(self, iterations: int, exploitability: float) -> float:
        """Share of the way to the nearest stop; exploitability counts on a logarithmic scale."""
        first = self._first.exploitability if self._first else exploitability
        shares = [iterations / self._stop.iterations]
        if self._stop.seconds < inf:
            shares.append((time.perf_counter() - self._began) / self._stop.seconds)
        if 0.0 < self._stop.exploitability < first and exploitability > 0.0:
            shares.append(log(first / exploitability) / log(first / self._stop.exploitability))
        return min(1.0, max(shares))


class ListingBar:
    """Context that gives a `Watch` of the histories of a game while it is loaded."""

    _PATIENCE = 0.5  # seconds before a bar is worth it

    def __init__(self) -> None:
        self._line: Line | None = None
        self._began = time.perf_counter()

    def __enter__(self) -> Watch:
        return self._show

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._line:
            self._line.stop()

    def _show(self, histories: int, expected: float) -> None:
        if not self._line:
            if time.perf_counter() - self._began < self._PATIENCE:
                return
            self._line = make_line("histories")
        about = f" of about {expected:,.0f}" if expected else ""
        self._line.show(f"{histories:,}{about} histories", histories, max(expected, histories) or None)
