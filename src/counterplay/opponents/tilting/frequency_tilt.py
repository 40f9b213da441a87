"""The smallest change of a strategy that meets frequencies: every probability is multiplied by exp(weight of its classes).

A class is a set of decisions with some of their actions; its frequency is how often these are taken there. With one weight
for each class the change of least relative entropy, counted where the player comes, is of this form (Csiszár 1975), and a
class whose frequency is within its bounds keeps the weight 0. Hands keep the order that the strategy gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
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
    """The weights with which all classes are within their bounds, 0 where they are without."""
    search = _Search(bounds)
    before = found = dict(figures({}))
    for _ in range(_ROUNDS):
        if search.is_met_by(found):
            break
        moved = search.step(found)
        found = dict(figures(search.weights))
        if moved < _STILL:
            break  # what is left cannot be reached
    goals = search.goals(found)
    return FrequencyFit(search.weights, {n: before[n] for n in goals}, goals, {n: found[n] for n in goals})


class _Search:
    """Quasi-Newton steps (Broyden 1965) in the log odds of all classes at once, which a weight moves by about its size."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds, self._names = bounds, list(bounds)
        self.weights = dict.fromkeys(bounds, 0.0)
        self._slopes = np.eye(len(bounds))
        self._last: tuple[F64, F64, float] | None = None
        self._stuck: set[str] = set()

    def goals(self, found: Mapping[str, float]) -> dict[str, float]:
        """What each class that is reached aims at: the near bound; upward only to the lower one."""
        goals = {}
        for name, (low, high) in self._bounds.items():
            if name in found:
                weight = self.weights[name]
                goals[name] = low if weight > 0.0 else high if weight < 0.0 else min(max(found[name], low), high)
        return goals

    def is_met_by(self, found: Mapping[str, float]) -> bool:
        """Return whether all classes are where they aim at, but for those that no weight moves."""
        return all(abs(found[n] - goal) <= _CLOSE for n, goal in self.goals(found).items() if n not in self._stuck)

    def step(self, found: Mapping[str, float]) -> float:
        """New weights from what the present ones gave; the largest change."""
        goals, here = self.goals(found), np.array([_odds(found.get(name, 0.5)) for name in self._names])
        free = [name in goals and name not in self._stuck for name in self._names]
        left = np.array([_odds(goals[n]) - h if f else 0.0 for n, h, f in zip(self._names, here, free, strict=True)])
        weights = np.array(list(self.weights.values()))
        scale = self._learn(weights, here, float(np.linalg.norm(left)))
        active = np.flatnonzero((np.array(free)) & ((weights != 0.0) | (np.abs(left) > 0.0)))
        steps = np.linalg.lstsq(self._slopes[np.ix_(active, active)], left[active], rcond=1e-3)[0]
        for k, move in zip(active.tolist(), (scale * np.clip(steps, -_LONGEST, _LONGEST)).tolist(), strict=True):
            name = self._names[k]
            if name not in self._stuck:
                after = min(max(self.weights[name] + move, -_MOST), _MOST)
                self.weights[name] = (
                    0.0 if self.weights[name] * after < 0.0 else after
                )  # beyond 0 the other bound counts
        return float(np.abs(np.array(list(self.weights.values())) - weights).max(initial=0.0))

    def _learn(self, weights: F64, here: F64, left: float) -> float:
        """Learn the slopes from the last step; the share of the next one to take, less where the last one went astray."""
        last, self._last = self._last, (weights, here, left)
        if last is None:
            return 1.0
        moved, change = weights - last[0], here - last[1]
        for k in np.flatnonzero((np.abs(moved) > _STILL) & (np.abs(change) < _DEAF)).tolist():
            self._stuck.add(self._names[k])  # no weight moves the class, which is left alone
            self.weights[self._names[k]] = 0.0
        if left > last[2]:
            self._slopes = np.eye(len(weights))
            return _CAREFUL
        if moved.any():
            self._slopes += np.outer(change - self._slopes @ moved, moved) / (moved @ moved)
        return 1.0


def shift_rows(rows: AnyArray, shift: F64) -> F64:
    """(places, actions) probabilities multiplied by exp of the shifts, (actions,), and normalised."""
    out = (np.asarray(rows, np.float64) + LEAST) * np.exp(shift - shift.max())
    return np.asarray(out / out.sum(axis=1, keepdims=True), np.float64)


def _odds(share: float) -> float:
    share = min(max(share, LEAST), 1.0 - LEAST)
    return log(share / (1.0 - share))
