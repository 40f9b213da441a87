"""Estimates of the time that is left of long work, from its recent pace; none while it is unknown."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import expm1, inf, log

from counterplay.display import duration

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
        more = self._iterations()
        return None if more is None else self._pace.seconds(more)

    def _iterations(self) -> float | None:
        """Iterations left, by the power that both intervals give."""
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
        return done * factors[0]
