"""Clusters of similar points: k-means by Lloyd's iterations from k-means++ seeds, weighted and reproducible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.cards.deck import unique_below


class Assigned(NamedTuple):
    """F32 assigned to their nearest centres: (N,) the centre of each, the first of ties, and its distance; (k, d)
    the weighted sum of the points of each centre, and (k,) their weight."""

    labels: I64
    apart: F64
    sums: F64
    mass: F64


class Metric(NamedTuple):
    """A distance: `assign` maps points, weights and centres to `Assigned`, `odds` points and one centre to (N,) the
    odds that each is the next seed, `settle` means of points to centres."""

    assign: Callable[[F32, AnyArray, F32], Assigned]
    odds: Callable[[F32, F32], AnyArray]
    settle: Callable[[F64], F32]


def k_means(
    points: AnyArray, weights: AnyArray, k: int, random: np.random.Generator, *, rounds: int = 30, sample: int = 60_000
) -> I64:
    """(N,) the cluster of each point (N, d), from 0; fewer than k clusters if fewer points are distinct. rounds: the
    most iterations on a sample of so many points; then a fifth as many on all."""
    table = np.ascontiguousarray(points, np.float32)
    weights = np.asarray(weights, np.float64)
    few = table
    if len(table) > sample:
        few = table[random.choice(len(table), sample, p=weights / weights.sum())]
    share = np.ones(len(few)) if len(few) < len(table) else weights
    centres = fit_centres(few, share, k, random, rounds=rounds)
    if len(few) < len(table):
        centres = _lloyd(table, weights, centres, max(1, rounds // 5), SQUARES)
    labels = _nearest(table, weights, centres).labels
    return unique_below(len(centres), labels)[1]  # without empty clusters


def fit_centres(
    points: F32, weights: AnyArray, k: int, random: np.random.Generator, *, rounds: int, metric: Metric | None = None
) -> F32:
    """(k, d) centres of points; fewer if fewer points are distinct; by default by squared distances."""
    by = SQUARES if metric is None else metric
    return _lloyd(points, weights, _seeds(points, weights, k, random, by), rounds, by)


def _seeds(points: F32, weights: AnyArray, k: int, random: np.random.Generator, metric: Metric) -> F32:
    """Initial centres far from each other: each drawn in proportion to its squared distance from those before."""
    chosen = [int(random.choice(len(points), p=weights / weights.sum()))]
    apart = metric.odds(points, points[chosen[0]])
    while len(chosen) < k:
        odds = np.cumsum(apart * weights)
        if odds[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(odds, random.random() * odds[-1], side="right").clip(max=len(points) - 1)))
        apart = np.minimum(apart, metric.odds(points, points[chosen[-1]]))
    return points[chosen].copy()


def _lloyd(points: F32, weights: AnyArray, centres: F32, rounds: int, metric: Metric) -> F32:
    """Improved centres: each the mean of the points nearest to it. An empty cluster restarts at the point farthest from
    its centre."""
    before = np.inf
    for _ in range(rounds):
        found = metric.assign(points, weights, centres)
        total = float(found.apart @ weights)
        if total >= before * (1 - 1e-4):
            break
        before = total
        centres = metric.settle(found.sums / np.maximum(found.mass, 1e-300)[:, None])
        empty = np.flatnonzero(found.mass == 0)
        if len(empty):
            centres[empty] = points[np.argsort(-found.apart * weights, kind="stable")[: len(empty)]]
            before = np.inf
    return centres


def _nearest(points: F32, weights: AnyArray, centres: F32) -> Assigned:
    labels, apart = np.empty(len(points), np.int64), np.empty(len(points))
    sums, mass = np.zeros(centres.shape), np.zeros(len(centres))
    row = np.empty(len(centres), np.float32)
    _assign(points, weights, np.ascontiguousarray(centres.T), labels, apart, sums, mass, row)
    return Assigned(labels, apart, sums, mass)


SQUARES = Metric(
    _nearest,
    lambda points, seed: np.asarray(((points - seed) ** 2).sum(axis=1)),
    lambda means: means.astype(np.float32),
)


@kernel(loops=True)
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
