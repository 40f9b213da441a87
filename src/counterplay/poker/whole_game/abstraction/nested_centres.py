"""k-means of two levels: centres of cells, and in each cell the centres of its groups.

A point belongs to the nearest centre of the nearest cell, which takes some 2 √k distances instead of k. Points and centres
are whole numbers, and small enough for sums in float32 to be exact: equal seeds give equal groups on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.poker.whole_game.abstraction.k_means import Points, fit_centres, lowest, measure_row, nearest

_ROUNDS = 12
_SEEN = 60_000
"""Points from which cells are made."""


@dataclass(frozen=True, eq=False)
class NestedCentres:
    """Groups of points.

    Attributes:
        cells: (d, cells) their centres.
        groups: (d, groups) centres of groups, those of a cell side by side.
        starts: (cells + 1,) where those of each cell begin.
        absolute: the distance is a sum of absolute differences, not of squares.
    """

    cells: Points
    groups: Points
    starts: NDArray[np.int64]
    absolute: bool

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.groups.shape[1])

    def label(self, points: Points, out: NDArray[Any]) -> None:
        """Fill (n,) the group of each point (n, d)."""
        row = np.empty(max(self.cells.shape[1], int(np.diff(self.starts).max())), np.float32)
        _label(points, self.cells, self.groups, self.starts, self.absolute, row, out)


def fit_nested(
    points: Points, weights: NDArray[Any], k: int, random: np.random.Generator, *, absolute: bool
) -> NestedCentres:
    """Groups of points, k of them or fewer where fewer points differ.

    Args:
        points: (N, d) whole numbers.
        weights: (N,) how often each counts.
        k: number of groups.
        random: where seeds are drawn from.
        absolute: see `NestedCentres`.
    """
    few, share = points, weights
    if len(points) > _SEEN:
        few, share = points[random.choice(len(points), _SEEN, p=weights / weights.sum())], np.ones(_SEEN)
    cells = np.round(fit_centres(few, share, round(np.sqrt(k)), random, rounds=_ROUNDS, absolute=absolute))
    label, apart, _, mass = nearest(points, weights, cells, absolute=absolute)
    kept = np.flatnonzero(mass > 0)
    cost = np.bincount(label, apart * weights, len(cells))[kept]
    found = []
    for cell, count in zip(kept.tolist(), _divide(k, cost).tolist(), strict=True):
        own = np.flatnonzero(label == cell)
        groups = fit_centres(points[own], weights[own], count, random, rounds=_ROUNDS, absolute=absolute)
        found.append(np.unique(np.round(groups), axis=0))
    starts = np.append(0, np.cumsum([len(groups) for groups in found]))
    return NestedCentres(_columns(cells[kept]), _columns(np.concatenate(found)), starts, absolute)


def _divide(k: int, cost: NDArray[Any]) -> NDArray[np.int64]:
    """(cells,) groups of each cell, one or more, in proportion to what its points are apart from its centre."""
    if k <= len(cost) or cost.sum() <= 0:
        return np.ones(len(cost), np.int64)
    share = (k - len(cost)) * cost / cost.sum()
    count = np.floor(share).astype(np.int64)
    count[np.argsort(count - share, kind="stable")[: k - len(cost) - int(count.sum())]] += 1
    return np.asarray(count + 1)


def _columns(centres: Points) -> Points:
    return np.ascontiguousarray(centres.T, np.float32)


@kernel
def _label(points: Any, cells: Any, groups: Any, starts: Any, absolute: bool, row: Any, out: Any) -> None:
    for i in range(len(points)):
        measure_row(points[i], cells, 0, cells.shape[1], absolute, row)
        cell = lowest(row, cells.shape[1])
        begin, end = starts[cell], starts[cell + 1]
        measure_row(points[i], groups, begin, end, absolute, row)
        out[i] = begin + lowest(row, end - begin)
