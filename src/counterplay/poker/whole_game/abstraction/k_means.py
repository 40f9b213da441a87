"""Groups of similar points: k-means by Lloyd's iterations from k-means++ seeds, weighted and reproducible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel

Points = NDArray[np.float32]
Labels = NDArray[np.int64]


def k_means(
    points: NDArray[Any],
    weights: NDArray[Any],
    k: int,
    random: np.random.Generator,
    *,
    rounds: int = 30,
    sample: int = 60_000,
) -> Labels:
    """(N,) the group of each point, from 0 on; fewer than k groups where fewer points differ.

    Args:
        points: (N, d).
        weights: (N,) how often each counts.
        k: number of groups.
        random: where seeds are drawn from.
        rounds: most iterations, first on a sample and then a fifth as many on all points.
        sample: size of the sample.
    """
    table = np.ascontiguousarray(points, np.float32)
    weights = np.asarray(weights, np.float64)
    few = table
    if len(table) > sample:
        few = table[random.choice(len(table), sample, p=weights / weights.sum())]
    share = np.ones(len(few)) if len(few) < len(table) else weights
    centres = _seeds(few, share, k, random)
    centres = _lloyd(few, share, centres, rounds)
    if len(few) < len(table):
        centres = _lloyd(table, weights, centres, max(1, rounds // 5))
    labels, _ = _nearest(table, centres)
    return np.unique(labels, return_inverse=True)[1]  # without empty groups


def _seeds(points: Points, weights: NDArray[Any], k: int, random: np.random.Generator) -> Points:
    """Points far from each other: each drawn in proportion to its squared distance from those before."""
    chosen = [int(random.choice(len(points), p=weights / weights.sum()))]
    apart = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k:
        odds = np.cumsum(apart * weights)
        if odds[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(odds, random.random() * odds[-1], side="right").clip(max=len(points) - 1)))
        apart = np.minimum(apart, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _lloyd(points: Points, weights: NDArray[Any], centres: Points, rounds: int) -> Points:
    """Better centres: each the mean of the points nearest to it. An empty group starts again at the worst served point."""
    before = np.inf
    for _ in range(rounds):
        labels, apart = _nearest(points, centres)
        total = float(apart @ weights)
        if total >= before * (1 - 1e-4):
            break
        before = total
        mass = np.bincount(labels, weights, len(centres))
        sums = np.array([np.bincount(labels, weights * column, len(centres)) for column in points.T]).T
        centres = (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32)
        empty = np.flatnonzero(mass == 0)
        if len(empty):
            centres[empty] = points[np.argsort(-apart * weights, kind="stable")[: len(empty)]]
            before = np.inf
    return centres


def _nearest(points: Points, centres: Points) -> tuple[Labels, NDArray[np.float64]]:
    """(N,) the nearest centre of each point, the first of equals, and the squared distance from it."""
    labels, apart = np.empty(len(points), np.int64), np.empty(len(points))
    _assign(points, np.ascontiguousarray(centres.T), labels, apart, np.empty(len(centres), np.float32))
    return labels, apart


@kernel
def _assign(points: Any, columns: Any, labels: Any, apart: Any, row: Any) -> None:
    d, k = columns.shape
    for i in range(len(points)):
        row[:] = 0
        for j in range(d):
            x, column = points[i, j], columns[j]
            for c in range(k):
                row[c] += (x - column[c]) * (x - column[c])
        best, at = row[0], 0
        for c in range(1, k):
            if row[c] < best:
                best, at = row[c], c
        labels[i] = at
        apart[i] = best
