"""Searches by halving for the most that a bound allows: a weight in a mixture, the odds of p in a restricted Nash response.

Restricted Nash responses are the Lagrangian of the program that wins most from the model above a floor of what everybody
leaves us; so the best plan above the floor is a mixture of the two responses between whose p the floor is passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

_FAR = 7.0
"""Logarithm of the odds of p at which a search ends and, negative, begins."""


def largest_weight(holds: Callable[[float], bool], halvings: int) -> float:
    """The largest number from 0 to 1 up to which something holds, which it does at 0: at most that, and as near to it as so
    many halvings come."""
    low, high = 0.0, 1.0
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class OddsBisection:
    """Logarithms of the odds of p between which a search goes on."""

    low: float = -_FAR
    high: float = _FAR

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def p(self) -> float:
        """What to try next."""
        return 1.0 / (1.0 + exp(-self.middle))

    def after(self, above: bool) -> OddsBisection:
        """Where to go on once `p` was tried: its response is above the floor, so p may grow, or it is not."""
        return OddsBisection(self.middle, self.high) if above else OddsBisection(self.low, self.middle)


def most_above(floor: float, best: float, p: float) -> float:
    """What no plan that keeps the floor wins more than from the model.

    Args:
        floor: chips that are kept against everybody.
        best: no plan has more of p · (chips from the model) + (1 - p) · (chips kept against everybody).
        p: above 0.
    """
    return (best - (1.0 - p) * floor) / p
