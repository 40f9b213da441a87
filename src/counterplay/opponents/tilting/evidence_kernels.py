"""Sums over all hands that a player may hold, hand by hand of a history: the inner loops of expectation maximisation."""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

from counterplay.jit import kernel


class SeenHands(NamedTuple):
    """The arrays of `Evidence` and of its `PriorRows`, as kernels take them. spans: (boards,) more than any lane there."""

    first: Any
    may: Any
    kind: Any
    board: Any
    row: Any
    part: Any
    lanes: Any
    spans: Any
    kinds: Any
    category: Any
    parts: Any


@kernel(loops=True)
def tilt_rows(kinds: Any, category: Any, weights: Any, tilted: Any) -> None:
    """Set `tilted`, (rows, KINDS), to the tilted strategy. weights: (categories, KINDS)."""
    for r in range(len(kinds)):
        factor, total = weights[category[r]], 0.0
        for k in range(len(factor)):
            total += kinds[r, k] * factor[k]
        for k in range(len(factor)):
            tilted[r, k] = kinds[r, k] * factor[k] / total


@kernel(loops=True)
def share_out(seen: Any, tilted: Any, begin: int, odds: Any, by_lane: Any) -> None:
    """Set (hands, holdings) `odds` to how likely each holding is, for the hands from `begin` on. tilted: (rows, KINDS)
    the strategy. odds: (hands, holdings) filled. by_lane: (holdings,) scratch."""
    for number in range(len(odds)):
        _share(seen, tilted, begin + number, odds[number], by_lane)


@kernel(loops=True)
def add_expected(
    seen: Any, tilted: Any, observed: Any, moved: Any, prior: Any, mass: Any, odds: Any, by_lane: Any
) -> float:
    """Add expected numbers of all decisions to (categories, KINDS) what was seen, and what the tilted strategy and the
    prior do there; return the log-likelihood of all hands. seen, tilted: as of `share_out`. observed, moved, prior:
    (categories, KINDS) added to: what was seen, and what the tilted strategy and the prior do. mass: (rows,) zeros; then
    the expected number of decisions in each row. odds, by_lane: (holdings,) scratch."""
    likely = 0.0
    for hand in range(len(seen.may)):
        likely += _share(seen, tilted, hand, odds, by_lane)
        for d in range(seen.first[hand], seen.first[hand + 1]):
            own, at, lanes, span = seen.kind[d], seen.row[d], seen.lanes[seen.board[d]], seen.spans[seen.board[d]]
            if span > len(odds):
                for j in range(len(odds)):
                    _count(seen, at + lanes[j], own, odds[j], mass, observed)
                continue
            for k in range(span):
                by_lane[k] = 0.0
            for j in range(len(odds)):
                by_lane[lanes[j]] += odds[j]
            for k in range(span):
                _count(seen, at + k, own, by_lane[k], mass, observed)
    for r in range(len(mass)):
        if mass[r] > 0.0:
            place = seen.category[r]
            for k in range(tilted.shape[1]):
                moved[place, k] += mass[r] * tilted[r, k]
                prior[place, k] += mass[r] * seen.kinds[r, k]
    return likely


@kernel(inline=True, inner=True)
def _count(seen: Any, row: int, kind: int, number: float, mass: Any, observed: Any) -> None:
    if number > 0.0:
        mass[row] += number
        observed[seen.category[row], kind] += number


@kernel(inner=True)
def _share(seen: Any, tilted: Any, hand: int, odds: Any, by_lane: Any) -> float:
    """Set (holdings,) `odds` to how likely each holding of a hand is; return the log-likelihood of the hand.

    Holdings of a lane do the same, so that a decision is read once for each lane, unless there are more lanes than holdings.
    """
    count, total = 0, 0.0
    for j in range(len(odds)):
        odds[j] = 1.0 if seen.may[hand, j] else 0.0
        count += seen.may[hand, j]
    for d in range(seen.first[hand], seen.first[hand + 1]):
        own, at, part = seen.kind[d], seen.row[d], seen.part[d]
        lanes, span = seen.lanes[seen.board[d]], seen.spans[seen.board[d]]
        if span > len(odds):
            for j in range(len(odds)):
                if odds[j] > 0.0:
                    odds[j] *= tilted[at + lanes[j], own] * seen.parts[part + lanes[j]]
            continue
        for k in range(span):
            by_lane[k] = tilted[at + k, own] * seen.parts[part + k]
        for j in range(len(odds)):
            odds[j] *= by_lane[lanes[j]]
    for j in range(len(odds)):
        total += odds[j]
    for j in range(len(odds)):
        odds[j] /= total
    return log(total / count)
