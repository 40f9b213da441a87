"""Searches for the largest value that a bound allows: a weight in a mixture, the odds of p in a restricted Nash
response. Both take chords of a concave function, and halve the interval where these do not help.

Restricted Nash responses solve the Lagrangian of the program that maximises the value against the model subject to a
floor on the worst-case value; so the best plan above the floor is a mixture of the two responses on either side of the
p where the floor is passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, log

_FAR = 7.0
"""Logarithm of the odds of p at which a search ends; its negative, where it begins."""


_Point = tuple[float, float]
"""A weight, and what is left there."""


def largest_weight(left: Callable[[float], float], ends: tuple[float, float], halvings: int) -> float:
    """The largest number from 0 to 1 at which a concave function `left` is at least 0, as it is at 0: accurate to
    2^-halvings, rounded down. `ends` are its values at 0 and 1. Chords of the function come near it from both sides;
    where two of them leave more than half of the interval, it is halved."""
    if ends[1] >= 0.0:
        return 1.0
    known, finest = _Bracket([(0.0, max(ends[0], 0.0))], [(1.0, ends[1])]), 2.0**-halvings

    def look(weight: float) -> None:
        if known.least < weight < known.above[0][0]:
            known.add((weight, left(weight)))

    while known.most - known.least > finest:
        wide = known.width
        look(_crossing(known.below[0], known.above[0]) - 0.25 * finest)
        look(known.most + 0.25 * finest)
        if known.width > 0.5 * wide:
            look(known.least + 0.5 * known.width)
    return known.least


@dataclass
class _Bracket:
    """Where a concave function falls to 0. below, above: the last points where it is at least 0 and less, nearest first."""

    below: list[_Point]
    above: list[_Point]

    @property
    def least(self) -> float:
        """The largest weight at which it is known to be at least 0."""
        return self.below[0][0]

    @property
    def most(self) -> float:
        """From where on it is known to be at most 0: a chord through two points on one side lies above it beyond them."""
        bounds = [self.above[0][0]]
        if len(self.below) == 2 and self.below[0][1] < self.below[1][1]:
            bounds.append(_crossing(*self.below))
        if len(self.above) == 2 and self.above[0][1] > self.above[1][1]:
            bounds.append(_crossing(*self.above))
        return max(min(bounds), self.least)

    @property
    def width(self) -> float:
        return self.above[0][0] - self.least

    def add(self, point: _Point) -> None:
        if point[1] >= 0.0:
            self.below = [point, self.below[0]]
        else:
            self.above = [point, self.above[0]]


def _crossing(one: _Point, other: _Point) -> float:
    """Where the chord through two points is 0."""
    return one[0] + one[1] * (other[0] - one[0]) / (one[1] - other[1])


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
        return 1.0 / (1.0 + exp(-self._next))

    @property
    def _next(self) -> float:
        return self.middle if self.chord is None else self.chord

    def toward_chord(self, won: float, lost: float) -> OddsBisection:
        """The same interval, and next the p at which two plans are worth the same, if it is inside: the response there
        beats both, or shows that no plan beats their mixtures. The second plan has `won` more chips from the model, and
        `lost` as many in its worst case."""
        if not (won > 0.0 and lost > 0.0):
            return self
        chord = log(lost / won)
        return replace(self, chord=chord if self.low < chord < self.high else None)

    def after(self, above: bool) -> OddsBisection:
        """The interval after `p` was tried: p may grow if its response is above the floor."""
        return OddsBisection(self._next, self.high) if above else OddsBisection(self.low, self._next)


def most_above(floor: float, best: float, p: float) -> float:
    """Upper bound on the value against the model of any plan with a worst case of at least `floor`, given the maximum
    `best` of p · (value against the model) + (1 - p) · (worst-case value), p above 0."""
    return (best - (1.0 - p) * floor) / p
