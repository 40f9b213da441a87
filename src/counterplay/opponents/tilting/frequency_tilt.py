"""The smallest change of a strategy that meets frequencies: every probability is multiplied by exp(weight of its classes).

A class is a set of decisions with some of their actions; its frequency is how often these are taken there. With one weight
for each class the change of least relative entropy, counted where the player comes, is of this form (Csiszár 1975), and a
class whose frequency is within its bounds keeps the weight 0. Hands keep the order that the strategy gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, nan
from typing import Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.opponents.villain.seen_decisions import ObservedShare

Bounds = Mapping[str, tuple[float, float]]
"""The least and the largest frequency of each class, by name."""
_MISSED = 1e-3
"""The difference from which a figure was not reached."""
LEAST = 1e-4
"""The least probability of an action before it is multiplied: what a strategy never does may yet be asked for."""
_ROUNDS, _CLOSE, _MOST, _STILL = 60, 2e-5, 12.0, 1e-4
_LONGEST, _CAREFUL, _DEAF = 2.0, 0.5, 1e-9


@dataclass(frozen=True)
class FrequencyRow:
    """A class of decisions under a tilt. known: the frequency without the tilt; None where the player never comes
    there. low, high: what was asked for. target: the near end of it, which the tilt aims at; None where it is met
    already. achieved: what the tilt reaches; None as `known`. locked: whether the class is changed, and locked.
    counted: what was observed; None where the figure was given."""

    name: str
    known: float | None
    low: float
    high: float
    target: float | None
    achieved: float | None
    locked: bool
    counted: ObservedShare | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        seen = {} if self.counted is None else {"k": self.counted.k, "n": self.counted.n}
        return {name: value for name, value in vars(self).items() if name != "counted"} | seen


@dataclass(frozen=True)
class FrequencyFit:
    """Weights by class, the frequencies without and with them, and the frequencies that were asked for; classes that are
    never reached are in none of them."""

    weights: dict[str, float]
    before: dict[str, float]
    goals: dict[str, float]
    after: dict[str, float]

    @property
    def moved(self) -> dict[str, float]:
        """The weights that are not 0."""
        return {name: weight for name, weight in self.weights.items() if weight}

    def rows(self, bounds: Bounds, counted: Mapping[str, ObservedShare]) -> tuple[FrequencyRow, ...]:
        """The report by class. bounds: that were fitted. counted: what was observed, by class."""
        out = []
        for name, (low, high) in bounds.items():
            goal, after, locked = self.goals.get(name), self.after.get(name), self.weights[name] != 0.0
            missed = goal is not None and after is not None and abs(goal - after) > _MISSED
            target = goal if locked or missed else None
            out.append(FrequencyRow(name, self.before.get(name), low, high, target, after, locked, counted.get(name)))
        return tuple(out)


def fit_frequencies(figures: Callable[[Mapping[str, float]], Mapping[str, float]], bounds: Bounds) -> FrequencyFit:
    """The weights with which all classes are within their bounds, 0 where they are without.

    Quasi-Newton steps (Broyden 1965) in the log odds of all classes at once, which a weight moves by about its size.
    """
    names, low, high = list(bounds), *np.array(list(bounds.values()), np.float64).reshape(-1, 2).T
    weights, slopes, is_stuck = np.zeros(len(names)), np.eye(len(names)), np.zeros(len(names), np.bool_)
    last: tuple[F64, F64, float] | None = None

    def measured() -> F64:
        """(classes,) frequencies, NaN of classes that are not reached."""
        found = figures(dict(zip(names, weights.tolist(), strict=True)))
        return np.array([found.get(name, nan) for name in names])

    def aims() -> F64:
        """(classes,) the near bounds; what pushes upward pushes no further than the lower one."""
        return np.where(weights > 0.0, low, np.where(weights < 0.0, high, np.clip(now, low, high)))

    before = now = measured()
    for _ in range(_ROUNDS):
        goals, is_free = aims(), ~np.isnan(now) & ~is_stuck
        if (np.abs(now - goals)[is_free] <= _CLOSE).all():
            break
        here = _log_odds(np.where(np.isnan(now), 0.5, now))
        left = np.where(is_free, _log_odds(goals) - here, 0.0)
        start, distance, scale = weights.copy(), float(np.linalg.norm(left)), 1.0
        if last is not None:
            moved, change = start - last[0], here - last[1]
            is_deaf = (np.abs(moved) > _STILL) & (np.abs(change) < _DEAF)
            is_stuck |= is_deaf  # no weight moves the class, which is left alone
            weights[is_deaf] = 0.0
            if distance > last[2]:  # the last step went astray
                slopes, scale = np.eye(len(names)), _CAREFUL
            elif moved.any():
                slopes += np.outer(change - slopes @ moved, moved) / (moved @ moved)
        last = start, here, distance
        active = np.flatnonzero(is_free & ((start != 0.0) | (np.abs(left) > 0.0)))
        steps = np.linalg.lstsq(slopes[np.ix_(active, active)], left[active], rcond=1e-3)[0]
        after = np.clip(weights[active] + scale * np.clip(steps, -_LONGEST, _LONGEST), -_MOST, _MOST)
        after[weights[active] * after < 0.0] = 0.0  # beyond 0 the other bound counts
        weights[active] = np.where(is_stuck[active], weights[active], after)
        now = measured()
        if np.abs(weights - start).max(initial=0.0) < _STILL:
            break  # what is left cannot be reached
    reached = np.flatnonzero(~np.isnan(now)).tolist()
    old, goal, new = ({names[k]: float(of[k]) for k in reached} for of in (before, aims(), now))
    return FrequencyFit(dict(zip(names, weights.tolist(), strict=True)), old, goal, new)


def shift_rows(rows: AnyArray, shift: F64) -> F64:
    """(places, actions) probabilities multiplied by exp of the shifts, (actions,), and normalised."""
    out = (np.asarray(rows, np.float64) + LEAST) * np.exp(shift - shift.max())
    return np.asarray(out / out.sum(axis=1, keepdims=True), np.float64)


def _log_odds(shares: F64) -> F64:
    return np.array([log(share / (1.0 - share)) for share in np.clip(shares, LEAST, 1.0 - LEAST).tolist()])
