"""What is known of a hand before buckets are made: its share of the pot against groups of opposing hands.

On the flop of this game a hand is what it will be, so there its equity is one number against every group of opposing
hands (OCHS, Johanson et al. 2013), and a distribution over the flops only before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, Showdown, scratch_of, terminals_of
from counterplay.poker.whole_game.flops import Flops

Floats = NDArray[np.float32]
BINS = 50


def equities(flops: Flops, groups: NDArray[Any]) -> Floats:
    """(F, n, groups) share of the pot, from 0 to 1, of the hand at each place against each group of hands.

    Args:
        groups: (groups, classes) weight of the hands of a class in each group. A hand that meets nobody of a group, since
            it holds their cards, gets 1/2.
    """
    n, many = flops.places, len(groups)
    run = -(-n // 16) * 16
    listed: list[Showdown | Fold] = [Showdown(run * g, run * g, 1, 0, 0.5) for g in range(many)]
    listed += [Fold(run * g, run * (many + g), 1) for g in range(many)]
    plan, values = np.zeros(many * run, np.float32), np.zeros(2 * many * run, np.float32)
    laid = terminals_of(flops.layouts[0], listed, (len(plan), len(values)), np.float32)
    scratch = scratch_of(flops.layouts[0], np.float32)
    weights = groups.astype(np.float32)
    out = np.empty((flops.flops, n, many), np.float32)
    for f, layout in enumerate(flops.layouts):
        plan.reshape(many, run)[:, :n] = weights[:, flops.at[f]]
        values[:] = 0
        evaluate(layout, laid, plan, values, scratch)
        won, met = values.reshape(2, many, run)[:, :, :n]
        few = met <= 1e-4 * weights.max()
        out[f] = np.clip(np.where(few, 0.5, won / np.where(few, 1, met)), 0, 1).T
    return out


def strength(flops: Flops) -> Floats:
    """(F, n) share of the pot against any hand."""
    return equities(flops, np.ones((1, flops.classes)))[:, :, 0]


def histograms(flops: Flops, shares: Floats, bins: int = BINS) -> NDArray[np.float64]:
    """(classes, bins) the distribution of each class's strength over the flops, summed up from 0 to 1.

    The distance of two such rows, value by value, is the earth mover's distance of the distributions (times the bins).
    """
    column = np.minimum((shares * bins).astype(np.int64), bins - 1)
    counts = np.broadcast_to(flops.counts[:, None].astype(float), shares.shape)
    flat = np.bincount((flops.at * bins + column).ravel(), counts.ravel(), flops.classes * bins)
    rows = flat.reshape(flops.classes, bins)
    return np.cumsum(rows / rows.sum(axis=1, keepdims=True), axis=1)
