"""Bisections for the largest value that a bound allows: a weight in a mixture, the odds of p in a restricted Nash
response.

Restricted Nash responses solve the Lagrangian of the program that maximises the value against the model subject to a
floor on the worst-case value; so the best plan above the floor is a mixture of the two responses on either side of the
p where the floor is passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, log

_FAR = 7.0
"""Logarithm of the odds of p at which a search ends; its negative, where it begins."""


def largest_weight(holds: Callable[[float], bool], halvings: int) -> float:
    """The largest number from 0 to 1 up to which a condition holds (it holds at 0): accurate to 2^-halvings, rounded
    down.
    """
    low, high = 0.0, 1.0
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class OddsBisection:
    """The interval of a search: logarithms of the odds of p. chord: those of the next p, in place of the middle."""

    low: float = -_FAR
    high: float = _FAR
    chord: float | None = None

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def p(self) -> float:
        """The next p to try."""
        return 1.0 / (1.0 + exp(-self._next))

    @property
    def _next(self) -> float:
        return self.middle if self.chord is None else self.chord

    def toward_chord(self, won: float, lost: float) -> OddsBisection:
        """The same interval, and next the p at which two plans are worth the same, if it is inside: the response there beats
        both, or shows that no plan beats their mixtures.

        Args:
            won: what the second wins more from the model, in chips.
            lost: by how much its worst case is lower.
        """
        if not (won > 0.0 and lost > 0.0):
            return self
        chord = log(lost / won)
        return replace(self, chord=chord if self.low < chord < self.high else None)

    def after(self, above: bool) -> OddsBisection:
        """The interval after `p` was tried: p may grow if its response is above the floor."""
        return OddsBisection(self._next, self.high) if above else OddsBisection(self.low, self._next)


def most_above(floor: float, best: float, p: float) -> float:
    """Upper bound on the value against the model of any plan that keeps the floor.

    Args:
        floor: least worst-case value, in chips.
        best: the maximum of p · (value against the model) + (1 - p) · (worst-case value), in chips.
        p: above 0.
    """
    return (best - (1.0 - p) * floor) / p
