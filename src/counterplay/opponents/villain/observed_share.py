"""Frequencies from few observations: k of n, with Wilson's interval, and shrunk toward a known figure; and the coverage of a
player's decisions by observations."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from counterplay.arrays import F64
from counterplay.intervals import NORMAL_975

STRENGTH = 15.0
"""Observations that the known figure is worth."""
ENOUGH = 20
"""Observations from which a frequency counts for itself."""
COUNTED, TILTED, ASSUMED, UNKNOWN = "counted", "tilted", "assumed", "unknown"


@dataclass(frozen=True)
class ObservedShare:
    """k of n observations."""

    k: int = 0
    n: int = 0

    @property
    def share(self) -> float | None:
        """k / n; None without observations."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson 1927); from 0 to 1 without observations."""
        if not self.n:
            return 0.0, 1.0
        p, scale = self.k / self.n, NORMAL_975 * NORMAL_975 / self.n
        middle, half = p + scale / 2.0, NORMAL_975 * sqrt(p * (1.0 - p) / self.n + scale / (4.0 * self.n))
        return max(0.0, (middle - half) / (1.0 + scale)), min(1.0, (middle + half) / (1.0 + scale))

    def estimate(self, known: float | None) -> tuple[float | None, str]:
        """A figure, and its source: "counted" from `ENOUGH` observations on, else "tilted" toward a known figure (mean of
        the posterior of a Beta prior worth `STRENGTH` observations), "assumed" (the known figure alone) or "unknown"."""
        if self.n >= ENOUGH or (self.n and known is None):
            return self.share, COUNTED
        if known is None:
            return None, UNKNOWN
        if not self.n:
            return known, ASSUMED
        return (self.k + STRENGTH * known) / (self.n + STRENGTH), TILTED

    def nearest(self, known: float) -> float:
        """The end of the interval that is nearer to a known figure; the known figure if it is inside."""
        low, high = self.interval
        return min(max(known, low), high)


class CoveredShares(NamedTuple):
    """Shares of decisions by what was observed there: `seen` with enough observations, `little` with fewer, `unseen`."""

    seen: float
    little: float
    unseen: float

    @staticmethod
    def of(counts: F64, weights: F64, enough: float) -> CoveredShares:
        """The shares of decisions with counts (n,) of observations. weights: (n,) of the decisions, which sum to 1."""
        seen, unseen = float(weights[counts >= enough].sum()), float(weights[counts == 0.0].sum())
        return CoveredShares(seen, max(0.0, 1.0 - seen - unseen), unseen)
