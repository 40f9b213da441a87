"""Groups of similar points: k-means by Lloyd's iterations from k-means++ seeds, weighted and reproducible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.poker.cards.occurring import unique_below

Points = NDArray[np.float32]
Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


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
    labels = _nearest(table, weights, centres)[0]
    return unique_below(len(centres), labels)[1]  # without empty groups


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
        _, apart, sums, mass = _nearest(points, weights, centres)
        total = float(apart @ weights)
        if total >= before * (1 - 1e-4):
            break
        before = total
        centres = (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32)
        empty = np.flatnonzero(mass == 0)
        if len(empty):
            centres[empty] = points[np.argsort(-apart * weights, kind="stable")[: len(empty)]]
            before = np.inf
    return centres


def _nearest(points: Points, weights: Floats, centres: Points) -> tuple[Labels, Floats, Floats, Floats]:
    """(N,) the nearest centre of each point, the first of equals, and the squared distance from it; (k, d) the weighted sum
    of the points of each centre, and (k,) their weight."""
    labels, apart = np.empty(len(points), np.int64), np.empty(len(points))
    sums, mass = np.zeros(centres.shape), np.zeros(len(centres))
    row = np.empty(len(centres), np.float32)
    _assign(points, weights, np.ascontiguousarray(centres.T), labels, apart, sums, mass, row)
    return labels, apart, sums, mass


@kernel
def _assign(points: Any, weights: Any, columns: Any, labels: Any, apart: Any, sums: Any, mass: Any, row: Any) -> None:
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
        mass[at] += weights[i]
        for j in range(d):
            sums[at, j] += weights[i] * points[i, j]
