"""Two-level k-means: centres of cells, and in each cell the centres of its clusters.

A point belongs to the nearest centre of the nearest cell, which takes about 2 √k distances instead of k. Points and centres
are whole numbers, and small enough for sums in float32 to be exact: equal seeds give equal clusters on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.card_abstraction.tables.centre_blocks import blocks_of, label_points, new_room, whole_metric
from counterplay.card_abstraction.tables.k_means import Points, fit_centres

_ROUNDS = 12
_SEEN = 60_000
"""The most points that cells are fitted to."""


@dataclass(frozen=True, eq=False)
class NestedCentres:
    """Clusters of points.

    Attributes:
        cells: (cells, d) centres of cells.
        clusters: (clusters, d) centres of clusters, cell by cell.
        starts: (cells + 1,) where the clusters of each cell begin.
        absolute: whether distances are L1 distances, not squared ones.
    """

    cells: Points
    clusters: Points
    starts: I64
    absolute: bool

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.clusters)

    @cached_property
    def _blocks(self) -> tuple[AnyArray, ...]:
        """Cells and clusters in the layout of the kernel."""
        parts = [blocks_of(self.clusters[a:b]) for a, b in pairwise(self.starts.tolist())]
        starts = np.append(0, np.cumsum([len(part) for part in parts]))
        return blocks_of(self.cells), np.concatenate(parts), starts, self.starts[:-1]

    def label(self, points: Points, out: AnyArray) -> None:
        """Fill (n,) the cluster of each point (n, d)."""
        label_points(np.ascontiguousarray(points), *self._blocks, self.absolute, out, new_room())


def fit_nested(
    points: Points, weights: AnyArray, k: int, random: np.random.Generator, *, absolute: bool
) -> NestedCentres:
    """Clusters of points: k, or fewer if fewer points are distinct.

    Args:
        points: (N, d) whole numbers.
        weights: (N,) weight of each point.
        k: number of clusters.
        random: generator of the seeds.
        absolute: see `NestedCentres`.
    """
    few, share = points, weights
    if len(points) > _SEEN:
        few, share = points[random.choice(len(points), _SEEN, p=weights / weights.sum())], np.ones(_SEEN)
    metric = whole_metric(absolute)
    cells = fit_centres(few, share, round(np.sqrt(k)), random, rounds=_ROUNDS, metric=metric)
    near = metric.assign(points, weights, cells)
    kept = np.flatnonzero(near.mass > 0)
    cost = np.bincount(near.labels, near.apart * weights, len(cells))[kept]
    found = []
    for cell, count in zip(kept.tolist(), _divide(k, cost).tolist(), strict=True):
        own = np.flatnonzero(near.labels == cell)
        centres = fit_centres(points[own], weights[own], count, random, rounds=_ROUNDS, metric=metric)
        found.append(np.unique(centres, axis=0))
    starts = np.append(0, np.cumsum([len(centres) for centres in found]))
    return NestedCentres(cells[kept], np.concatenate(found), starts, absolute)


def _divide(k: int, cost: AnyArray) -> I64:
    """(cells,) numbers of clusters, at least 1 each, in proportion to the distances of a cell's points from its centre."""
    if k <= len(cost) or cost.sum() <= 0:
        return np.ones(len(cost), np.int64)
    share = (k - len(cost)) * cost / cost.sum()
    count = np.floor(share).astype(np.int64)
    count[np.argsort(count - share, kind="stable")[: k - len(cost) - int(count.sum())]] += 1
    return np.asarray(count + 1)
