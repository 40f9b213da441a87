"""Progress of iterative solves and of loading, on stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import inf, isnan

from counterplay.gametree.build.size_estimate import Watch
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import BarLine, LogLine, RecentPace, SolvePace, make_line, soonest
from counterplay.solvers.cfr import Progress, Stop

_BETTER = 0.25
"""The exploitability, as a share of the last that was told, at which strategies are told again."""


class Bar:
    """Context that gives a `Progress` callback, or None where nothing is to be shown."""

    def __init__(self, stop: Stop | None, quiet: bool, stakes: Stakes | None = None, most: int = 0) -> None:
        """stop: where the bar is full. quiet: show nothing. stakes: gives the unit. most: number of solves,
        if several.
        """
        self._stop = stop or Stop()
        self._stakes, self._most, self._solve = stakes or Stakes(), most, ""
        self._quiet, self._looks, self._pace = quiet, SolvePace(self._stop.exploitability), RecentPace()
        self._last, self._number, self._told = 0, 1, inf

    def __enter__(self) -> Progress | None:
        if self._quiet:
            return None
        self._line, self._began = make_line("solving"), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._quiet:
            self._line.stop()

    def phase(self, number: int) -> None:
        """Begin a solve, whose number is shown from now on."""
        self._solve = f"solve {number} of at most {self._most}: "
        if not self._quiet:
            self._line.show(f"{self._solve}begins", None, None)

    def begin_part(self, part: str) -> None:
        """Name a part of the work, which is shown until it tells iterations. What earlier parts told no longer
        counts."""
        if self._last:
            self._number, self._solve = self._number + 1, f"solve {self._number + 1}: "
        self._last = 0
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
            self._number, self._began = self._number + 1, time.perf_counter()
            self._solve = f"solve {self._number}: "
        self._last = iterations
        told = "" if isnan(exploitability) else f", exploitability {self._stakes.short(exploitability)}"
        now, stop, stops = time.perf_counter(), self._stop, list[float | None]()
        spent = now - self._began
        if stop.exploitability > 0.0 and not isnan(exploitability):
            self._looks.saw(iterations, exploitability, now)
            stops.append(self._looks.seconds())
        if stop.iterations < Stop().iterations:
            self._pace.saw(iterations, now)
            stops.append(self._pace.seconds(stop.iterations - iterations))
        if stop.seconds < inf:
            stops.append(stop.seconds - spent)
        left = soonest(stops)
        ends = None if left is None or left.bound != "about" else spent + left.seconds
        self._line.show(f"{self._solve}{iterations:,} iterations{told}", ends and spent, ends, left)


class ListingBar:
    """Context that gives a `Watch` of the histories of a game while it is loaded."""

    _PATIENCE = 0.5  # seconds before a bar is worth it

    def __init__(self) -> None:
        self._line: BarLine | LogLine | None = None
        self._began = time.perf_counter()

    def __enter__(self) -> Watch:
        return self.show

    def __exit__(self, *_: object) -> None:
        if self._line:
            self._line.stop()

    def show(self, histories: int, expected: float) -> None:
        if not self._line:
            if time.perf_counter() - self._began < self._PATIENCE:
                return
            self._line = make_line("histories")
        about = f" of about {expected:,.0f}" if expected else ""
        self._line.show(f"{histories:,}{about} histories", histories, max(expected, histories) or None)
