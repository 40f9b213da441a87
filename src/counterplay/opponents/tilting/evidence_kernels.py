"""Sums over all hands that a player may hold, hand by hand of a history: the inner loops of expectation maximisation."""

from __future__ import annotations

from math import log
from typing import Any

from counterplay.jit import kernel


@kernel
def share_out(
    first: Any, may: Any, kinds: Any, chosen: Any, kind: Any, category: Any, weights: Any, odds: Any
) -> float:
    """Set `odds` to how likely each holding is; return the log-likelihood of all hands. Arguments as of `add_expected`."""
    likely, decisions, size = 0.0, len(kind), may.shape[1]
    for hand in range(len(first)):
        row, count = odds[hand], 0
        for j in range(size):
            row[j] = 1.0 if may[hand, j] else 0.0
            count += may[hand, j]
        for d in range(first[hand], first[hand + 1] if hand + 1 < len(first) else decisions):
            own = kind[d]
            for j in range(size):
                if row[j] > 0.0:
                    factor, total = weights[category[d, j]], 0.0
                    for k in range(len(factor)):
                        total += kinds[d, k, j] * factor[k]
                    row[j] *= chosen[d, j] * factor[own] / total
        total = 0.0
        for j in range(size):
            total += row[j]
        for j in range(size):
            row[j] /= total
        likely += log(total / count)
    return likely


@kernel
def add_expected(
    hand: Any, kinds: Any, kind: Any, category: Any, weights: Any, odds: Any, seen: Any, tilted: Any, prior: Any
) -> None:
    """Add expected numbers of all decisions to (categories, kinds) what was seen, and what the tilted strategy and the prior
    do there.

    Args:
        hand: (decisions,) number of its hand.
        kinds: (decisions, kinds, holdings) the prior's probabilities.
        kind: (decisions,) what was seen.
        category: (decisions, holdings).
        weights: (categories, kinds) of the tilt.
        odds: (hands, holdings) how likely each holding is.
    """
    for d in range(len(kind)):
        row, own = odds[hand[d]], kind[d]
        for j in range(len(row)):
            mass = row[j]
            if mass > 0.0:
                place = category[d, j]
                factor, total = weights[place], 0.0
                for k in range(len(factor)):
                    total += kinds[d, k, j] * factor[k]
                seen[place, own] += mass
                for k in range(len(factor)):
                    one = mass * kinds[d, k, j]
                    prior[place, k] += one
                    tilted[place, k] += one * factor[k] / total
