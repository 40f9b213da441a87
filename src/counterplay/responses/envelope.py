"""The corners of gain against exploitability, which are restricted Nash responses, found one by one.

The largest gain within an exploitability is a concave function of it, whose corners are the restricted Nash responses;
p is the slope at which the corner is touched, and where two corners tie,

    p · gain - (1 - p) · exploitability

is the same for both. A solve at that p finds a corner between the two, or shows that there is none (Eisner and
Severance 1976). The pair with the largest remaining uncertainty comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Protocol

import numpy as np

from counterplay.jit.clock import run_time
from counterplay.responses.method import Outcome

_ROUNDING = 1e-9
"""The least distance of a corner from the line between its neighbours, as a share of the span of payoffs."""
_NEARLY = 1.0 - 1e-5


class CornerProblem(Protocol):
    """The members of a match-up that the search for corners asks for; by `lp` corners are exact."""

    @property
    def solver(self) -> Any: ...
    @property
    def span(self) -> float: ...
    @property
    def game_value(self) -> float: ...
    def value_against_model(self, plan: Any) -> float: ...
    def exploitability(self, plan: Any) -> float: ...
    def restricted_nash(self, p: float) -> Outcome: ...
    def best_equilibrium(self) -> Outcome | None: ...


Found = Callable[["Corner", Any], None]
"""Called with every corner as soon as it is solved, and its plan."""


@dataclass(frozen=True)
class Corner:
    """A restricted Nash response. low, high: the interval of p for which it is known to be one. Chips, seconds."""

    gain: float
    exploitability: float
    low: float
    high: float
    seconds: float

    @property
    def p(self) -> float:
        """A p at which it is one."""
        return 0.5 * (self.low + self.high)

    def worth(self, p: float) -> float:
        """Its objective at p, up to a constant."""
        return p * self.gain - (1.0 - p) * self.exploitability


@dataclass(frozen=True)
class Envelope:
    """Corners from left to right. interrupted: by Ctrl-C, with the corners so far."""

    corners: tuple[Corner, ...]
    interrupted: bool = False

    def allowed(self, share: float) -> float:
        """The exploitability at a share of the largest additional gain, by linear interpolation between corners."""
        gains = [corner.gain for corner in self.corners]
        costs = [max(0.0, corner.exploitability) for corner in self.corners]
        return float(np.interp(gains[0] + share * (gains[-1] - gains[0]), gains, costs))


def envelope(match: CornerProblem, most: int, found: Found | None = None) -> Envelope:
    """The corners of a match-up: all of them, or `most` of them with the least remaining uncertainty.

    By linear program a corner is exact. A regret minimiser is run `most` times, and its corners have errors up to its
    gap.
    """
    search = _Search(match, most, found)
    interrupted = False
    try:
        search.run()
    except KeyboardInterrupt:
        interrupted = True
    return Envelope(tuple(search.corners), interrupted)


class _Search:
    """The corners so far, in order, and the solves that are left."""

    def __init__(self, match: CornerProblem, most: int, found: Found | None) -> None:
        self.match, self.most, self.exact, self.found = match, most, match.solver == "lp", found
        self.rounding = _ROUNDING * match.span
        self.spare = inf if self.exact else most - 2  # solves between the first corner and the last
        self.corners: list[Corner] = []

    def run(self) -> None:
        left = self._solved(0.0)[0]
        self.corners = [left]
        right, _ = self._solved(1.0)
        if right.gain <= left.gain + self.rounding:
            self.corners = [replace(left, high=1.0)]
            return
        if self.exact:  # the least exploitable best response, if p slightly below 1 calls for it
            cheaper, _ = self._solved(_NEARLY)
            right = replace(cheaper, high=1.0) if cheaper.gain >= right.gain - self.rounding else right
        self.corners.append(right)
        while self.spare > 0 and (pair := self._widest()) is not None:
            self.spare -= 1
            # solve at the p where two neighbours tie. Once the wanted number of corners is found, the search ends
            one, other = self.corners[pair : pair + 2]
            p = _tie(one, other)
            found, gap = self._solved(p)
            better = found.worth(p) > max(one.worth(p), other.worth(p)) + max(self.rounding, gap)
            if not better or not one.gain <= found.gain <= other.gain + self.rounding:
                self._join(pair)
            elif len(self.corners) == self.most:
                self.spare = 0
            else:
                self.corners.insert(pair + 1, found)
        if self.exact:
            self.corners = _cleaned(self.corners, self.rounding)

    def _widest(self) -> int | None:
        """The first of the two neighbours with the largest uncertainty between them; None if there is none."""
        widest, most = None, 0.0
        for pair, (one, other) in enumerate(pairwise(self.corners)):
            area = _area(one, other)
            if area > most:
                widest, most = pair, area
            elif area == 0.0 and one.high < other.low:  # one is on a line that the other touches
                self._join(pair)
        return widest

    def _join(self, pair: int) -> None:
        """Join two neighbours without a corner between them, at the p where they tie."""
        one, other = self.corners[pair : pair + 2]
        p = min(max(_tie(one, other), one.high), other.low)
        self.corners[pair], self.corners[pair + 1] = replace(one, high=p), replace(other, low=p)

    def _solved(self, p: float) -> tuple[Corner, float]:
        """The response at p, and a bound on its distance from the optimum."""
        begin, first = run_time(), p == 0.0 and self.exact  # of all equilibria the one at which p begins
        outcome = (self.match.best_equilibrium() if first else None) or self.match.restricted_nash(p)
        if outcome.interrupted:
            raise KeyboardInterrupt
        seconds = run_time() - begin
        plan = outcome.plan
        gain = self.match.value_against_model(plan) - self.match.game_value
        corner = Corner(gain, max(0.0, self.match.exploitability(plan)), p, p, seconds)
        if self.found:
            self.found(corner, plan)
        return corner, 0.0 if self.exact else outcome.gap


def _tie(one: Corner, other: Corner) -> float:
    """The p at which two corners have the same objective."""
    cost, gain = max(0.0, other.exploitability - one.exploitability), other.gain - one.gain
    return cost / (cost + gain)


def _area(one: Corner, other: Corner) -> float:
    """The area of the triangle over two neighbours, below the supporting lines of both, in which better plans may lie."""
    if one.high >= other.low:
        return 0.0
    rows = np.array([[-(1.0 - one.high), one.high], [-(1.0 - other.low), other.low]])
    top = np.linalg.solve(rows, [one.worth(one.high), other.worth(other.low)])
    cost, gain = other.exploitability - one.exploitability, other.gain - one.gain
    return max(0.0, 0.5 * float(cost * (top[1] - one.gain) - gain * (top[0] - one.exploitability)))


def _cleaned(corners: list[Corner], rounding: float) -> list[Corner]:
    """The corners that are not on the line between their neighbours, and the last one that another does not dominate."""
    while len(corners) > 1 and corners[-1].gain <= corners[-2].gain + rounding:
        corners = [*corners[:-2], replace(corners[-2], high=1.0)]
    kept = corners[:1]
    for corner, after in zip(corners[1:], [*corners[2:], None], strict=False):
        before = kept[-1]
        if after is not None and before.high >= corner.low and corner.high >= after.low:
            p = _tie(before, after)
            if corner.worth(p) <= max(before.worth(p), after.worth(p)) + rounding:
                continue
        kept.append(corner)
    return kept
