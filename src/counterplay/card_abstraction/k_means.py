"""Clusters of similar points: k-means by Lloyd's iterations from k-means++ seeds, weighted and reproducible.

Two levels, centres of cells and in each cell the centres of its clusters, take about 2 √k distances for a point instead of
k. Points and centres of such clusters are whole numbers, and small enough for sums in float32 to be exact: equal seeds give
equal clusters on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.cards.deck import unique_below
from counterplay.treeplex.simd import get, load, pointer, same_as, shifted, store, where_above

WIDE = 8
_FAR = 2.0**20
"""The coordinates of padding in a block: farther away than any centre."""
_FARTHEST = 1e30
_ROUNDS = 12
_SEEN = 60_000
"""The most points that cells are fitted to."""


class Assigned(NamedTuple):
    """Points assigned to their nearest centres: (N,) the centre of each, the first of ties, and its distance; (k, d)
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
    centres = fit_centres(few, share, k, random, rounds=rounds, metric=SQUARES)
    if len(few) < len(table):
        centres = _lloyd(table, weights, centres, max(1, rounds // 5), SQUARES)
    labels = SQUARES.assign(table, weights, centres).labels
    return unique_below(len(centres), labels)[1]  # without empty clusters


def fit_centres(
    points: F32, weights: AnyArray, k: int, random: np.random.Generator, *, rounds: int, metric: Metric
) -> F32:
    """(k, d) centres of points; fewer if fewer points are distinct. The first ones are far from each other: each is
    drawn in proportion to its squared distance from those before."""
    chosen = [int(random.choice(len(points), p=weights / weights.sum()))]
    apart = metric.odds(points, points[chosen[0]])
    while len(chosen) < k:
        odds = np.cumsum(apart * weights)
        if odds[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(odds, random.random() * odds[-1], side="right").clip(max=len(points) - 1)))
        apart = np.minimum(apart, metric.odds(points, points[chosen[-1]]))
    return _lloyd(points, weights, points[chosen].copy(), rounds, metric)


def _lloyd(points: F32, weights: AnyArray, centres: F32, rounds: int, metric: Metric) -> F32:
    """Means of the points nearest to each centre; an empty cluster restarts at the point farthest from its centre."""
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


def blocks_of(centres: F32) -> F32:
    """(blocks, d, WIDE) centres (k, d), the last block padded."""
    k, d = centres.shape
    blocks = np.full((-(-k // WIDE) * WIDE, d), _FAR, np.float32)
    blocks[:k] = centres
    return np.ascontiguousarray(blocks.reshape(-1, WIDE, d).transpose(0, 2, 1))


def new_room() -> F32:
    """(2, WIDE) scratch of a search for the nearest centres."""
    return np.empty((2, WIDE), np.float32)


def metric_of(*, absolute: bool, whole: bool) -> Metric:
    """The L1 or the squared distance; centres of whole numbers are rounded means, as in Johanson et al. 2013."""

    def assign(points: F32, weights: AnyArray, centres: F32) -> Assigned:
        labels, apart = np.empty(len(points), np.int64), np.empty(len(points))
        sums, mass, blocks = np.zeros(centres.shape), np.zeros(len(centres)), blocks_of(centres)
        _assign_blocks(points, weights.astype(float), blocks, absolute, labels, apart, sums, mass, new_room())
        return Assigned(labels, apart, sums, mass)

    def odds(points: F32, seed: F32) -> AnyArray:
        apart = points - seed
        return np.asarray(np.abs(apart).sum(axis=1).astype(float) ** 2 if absolute else (apart * apart).sum(axis=1))

    return Metric(assign, odds, lambda means: (np.floor(means + 0.5) if whole else means).astype(np.float32))


SQUARES = metric_of(absolute=False, whole=False)


@kernel
def _assign_blocks(
    points: Any, weights: Any, blocks: Any, absolute: bool, labels: Any, apart: Any, sums: Any, mass: Any, room: Any
) -> None:
    best, where = room[0], room[1]
    for i in range(len(points)):
        at = nearest_block(points, i, blocks, 0, len(blocks), absolute, best, where)
        labels[i] = at
        apart[i] = best[0]
        mass[at] += weights[i]
        for j in range(points.shape[1]):
            sums[at, j] += weights[i] * points[i, j]


@kernel
def label_points(
    points: Any, cells: Any, clusters: Any, starts: Any, firsts: Any, absolute: bool, out: Any, room: Any
) -> None:
    """Fill (n,) the cluster of each point (n, d): the nearest one in the nearest cell. cells, clusters: blocks of
    centres, those of clusters padded for each cell. starts: (cells + 1,) the first block of each cell. firsts: (cells,)
    its first cluster."""
    best, where = room[0], room[1]
    for i in range(len(points)):
        cell = nearest_block(points, i, cells, 0, len(cells), absolute, best, where)
        begin, end = starts[cell], starts[cell + 1]
        out[i] = firsts[cell] + nearest_block(points, i, clusters, begin, end, absolute, best, where)


@kernel(inline=True, inner=True)
def nearest_block(points: Any, i: int, blocks: Any, begin: int, end: int, absolute: bool, best: Any, where: Any) -> Any:
    """The number of the nearest centre of point i among blocks from `begin` to `end`, counted from the first block, the
    first of ties; its distance is stored in `best[0]`. blocks: (blocks, d, WIDE) as of `blocks_of`. absolute: distances
    are sums of absolute differences, not of squared ones. best, where: (WIDE,) scratch."""
    d, point, at = points.shape[1], shifted(pointer(points), i * points.shape[1]), pointer(blocks)
    nothing = same_as(at, 0.0)
    low, low_at = same_as(at, _FARTHEST), nothing
    for b in range(begin, end):
        total, own = nothing, shifted(at, b * d * WIDE)
        if absolute:
            for j in range(d):
                apart = load(own, j * WIDE) - same_as(at, get(point, j))
                total = total + where_above(nothing, apart, nothing - apart, apart)
        else:
            for j in range(d):
                apart = load(own, j * WIDE) - same_as(at, get(point, j))
                total = total + apart * apart
        low_at = where_above(low, total, same_as(at, float(b - begin)), low_at)
        low = where_above(low, total, total, low)
    store(pointer(best), 0, low)
    store(pointer(where), 0, low_at)
    # each lane has its nearest block; of equal lanes the one whose centre has the lower number
    distance, number = best[0], int(where[0]) * WIDE
    for lane in range(1, WIDE):
        own_number = int(where[lane]) * WIDE + lane
        if best[lane] < distance or (best[lane] == distance and own_number < number):
            distance, number = best[lane], own_number
    best[0] = distance
    return number


@dataclass(frozen=True, eq=False)
class NestedCentres:
    """Clusters of points: (cells, d) centres of cells, (clusters, d) of clusters, cell by cell, and (cells + 1,) where
    those of each cell begin. absolute: distances are L1, not squared."""

    cells: F32
    clusters: F32
    starts: I64
    absolute: bool

    @cached_property
    def _blocks(self) -> tuple[AnyArray, ...]:
        parts = [blocks_of(self.clusters[a:b]) for a, b in pairwise(self.starts.tolist())]
        starts = np.append(0, np.cumsum([len(part) for part in parts]))
        return blocks_of(self.cells), np.concatenate(parts), starts, self.starts[:-1]

    def label(self, points: F32, out: AnyArray) -> None:
        """Fill (n,) the cluster of each point (n, d)."""
        label_points(np.ascontiguousarray(points), *self._blocks, self.absolute, out, new_room())


def fit_nested(points: F32, weights: AnyArray, k: int, random: np.random.Generator, *, absolute: bool) -> NestedCentres:
    """Clusters of points (N, d), whole numbers, by weights (N,): k, or fewer if fewer points are distinct."""
    few, share = points, weights
    if len(points) > _SEEN:
        few, share = points[random.choice(len(points), _SEEN, p=weights / weights.sum())], np.ones(_SEEN)
    metric = metric_of(absolute=absolute, whole=True)
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
    """(cells,) numbers of clusters, at least 1, in proportion to the distances of a cell's points from its centre."""
    if k <= len(cost) or cost.sum() <= 0:
        return np.ones(len(cost), np.int64)
    share = (k - len(cost)) * cost / cost.sum()
    count = np.floor(share).astype(np.int64)
    count[np.argsort(count - share, kind="stable")[: k - len(cost) - int(count.sum())]] += 1
    return np.asarray(count + 1)
