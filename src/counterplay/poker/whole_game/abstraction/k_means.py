"""Groups of similar points: k-means by Lloyd's iterations from k-means++ seeds, weighted and reproducible.

The distance is the sum of squared differences, or of absolute ones: between cumulative histograms that is the earth mover's
distance. Centres are means either way (Johanson et al. 2013).
"""

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
    centres = fit_centres(few, share, k, random, rounds=rounds)
    if len(few) < len(table):
        centres = _lloyd(table, weights, centres, max(1, rounds // 5), absolute=False)
    labels = nearest(table, weights, centres)[0]
    return unique_below(len(centres), labels)[1]  # without empty groups


def fit_centres(
    points: Points, weights: NDArray[Any], k: int, random: np.random.Generator, *, rounds: int, absolute: bool = False
) -> Points:
    """(k, d) centres of points, or fewer where fewer points differ.

    Args:
        points, weights, k, random, rounds: see `k_means`.
        absolute: the distance is a sum of absolute differences, not of squares.
    """
    return _lloyd(points, weights, _seeds(points, weights, k, random, absolute), rounds, absolute)


def _seeds(points: Points, weights: NDArray[Any], k: int, random: np.random.Generator, absolute: bool) -> Points:
    """Points far from each other: each drawn in proportion to its squared distance from those before."""
    chosen = [int(random.choice(len(points), p=weights / weights.sum()))]
    apart = _spread(points, points[chosen[0]], absolute)
    while len(chosen) < k:
        odds = np.cumsum(apart * weights)
        if odds[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(odds, random.random() * odds[-1], side="right").clip(max=len(points) - 1)))
        apart = np.minimum(apart, _spread(points, points[chosen[-1]], absolute))
    return points[chosen].copy()


def _spread(points: Points, seed: Points, absolute: bool) -> NDArray[Any]:
    """(N,) the square of each point's distance from one of them."""
    apart = points - seed
    return np.asarray(np.abs(apart).sum(axis=1) ** 2 if absolute else (apart**2).sum(axis=1))


def _lloyd(points: Points, weights: NDArray[Any], centres: Points, rounds: int, absolute: bool) -> Points:
    """Better centres: each the mean of the points nearest to it. An empty group starts again at the worst served point."""
    before = np.inf
    for _ in range(rounds):
        _, apart, sums, mass = nearest(points, weights, centres, absolute=absolute)
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


def nearest(
    points: Points, weights: Floats, centres: Points, *, absolute: bool = False
) -> tuple[Labels, Floats, Floats, Floats]:
    """(N,) the nearest centre of each point, the first of equals, and the distance from it; (k, d) the weighted sum of the
    points of each centre, and (k,) their weight."""
    labels, apart = np.empty(len(points), np.int64), np.empty(len(points))
    sums, mass = np.zeros(centres.shape), np.zeros(len(centres))
    row = np.empty(len(centres), np.float32)
    _assign(points, weights, np.ascontiguousarray(centres.T), absolute, labels, apart, sums, mass, row)
    return labels, apart, sums, mass


@kernel
def _assign(
    points: Any, weights: Any, columns: Any, absolute: bool, labels: Any, apart: Any, sums: Any, mass: Any, row: Any
) -> None:
    k = columns.shape[1]
    for i in range(len(points)):
        measure_row(points[i], columns, 0, k, absolute, row)
        at = lowest(row, k)
        labels[i] = at
        apart[i] = row[at]
        mass[at] += weights[i]
        for j in range(len(columns)):
            sums[at, j] += weights[i] * points[i, j]


@kernel(inline=True, inner=True)
def measure_row(point: Any, columns: Any, begin: int, end: int, absolute: bool, row: Any) -> None:
    """Fill (end - begin,) the distances of a point from the centres from `begin` to `end`, which are columns."""
    k = end - begin
    row[:k] = 0
    for j in range(len(columns)):
        x, column = point[j], columns[j, begin:end]
        if absolute:
            for c in range(k):
                row[c] += abs(x - column[c])
        else:
            for c in range(k):
                row[c] += (x - column[c]) * (x - column[c])


@kernel(inline=True, inner=True)
def lowest(row: Any, k: int) -> Any:
    """The first of the lowest of k numbers."""
    best, at = row[0], 0
    for c in range(1, k):
        if row[c] < best:
            best, at = row[c], c
    return at
