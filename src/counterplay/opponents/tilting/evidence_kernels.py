"""Sums over all hands that a player may hold, hand by hand of a history: the inner loops of expectation maximisation."""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

from counterplay.jit import kernel


class SeenHands(NamedTuple):
    """The arrays of `Evidence` and of its `PriorRows`, as kernels take them."""

    first: Any
    may: Any
    kind: Any
    board: Any
    row: Any
    part: Any
    lanes: Any
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
def share_out(seen: Any, tilted: Any, begin: int, odds: Any) -> None:
    """Set (hands, holdings) `odds` to how likely each holding is, for the hands from `begin` on.

    Args:
        seen: see `SeenHands`.
        tilted: (rows, KINDS) the strategy.
    """
    for number in range(len(odds)):
        _share(seen, tilted, begin + number, odds[number])


@kernel(loops=True)
def add_expected(seen: Any, tilted: Any, observed: Any, moved: Any, prior: Any, mass: Any, odds: Any) -> float:
    """Add expected numbers of all decisions to (categories, KINDS) what was seen, and what the tilted strategy and the prior
    do there; return the log-likelihood of all hands.

    Args:
        seen, tilted: as of `share_out`.
        mass: (rows,) zeros; then the expected number of decisions in each row.
        odds: (holdings,) scratch.
    """
    likely = 0.0
    for hand in range(len(seen.may)):
        likely += _share(seen, tilted, hand, odds)
        for d in range(seen.first[hand], seen.first[hand + 1]):
            own, at, lanes = seen.kind[d], seen.row[d], seen.lanes[seen.board[d]]
            for j in range(len(odds)):
                if odds[j] > 0.0:
                    r = at + lanes[j]
                    mass[r] += odds[j]
                    observed[seen.category[r], own] += odds[j]
    for r in range(len(mass)):
        if mass[r] > 0.0:
            place = seen.category[r]
            for k in range(tilted.shape[1]):
                moved[place, k] += mass[r] * tilted[r, k]
                prior[place, k] += mass[r] * seen.kinds[r, k]
    return likely


@kernel(inner=True)
def _share(seen: Any, tilted: Any, hand: int, odds: Any) -> float:
    """Set (holdings,) `odds` to how likely each holding of a hand is; return the log-likelihood of the hand."""
    count, total = 0, 0.0
    for j in range(len(odds)):
        odds[j] = 1.0 if seen.may[hand, j] else 0.0
        count += seen.may[hand, j]
    for d in range(seen.first[hand], seen.first[hand + 1]):
        own, at, part, lanes = seen.kind[d], seen.row[d], seen.part[d], seen.lanes[seen.board[d]]
        for j in range(len(odds)):
            if odds[j] > 0.0:
                odds[j] *= tilted[at + lanes[j], own] * seen.parts[part + lanes[j]]
    for j in range(len(odds)):
        total += odds[j]
    for j in range(len(odds)):
        odds[j] /= total
    return log(total / count)
