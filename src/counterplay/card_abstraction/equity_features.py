"""Equities of hands against groups of opposing hands: the features that buckets are made from.

On the last street, the equity of a hand against each group is one number (OCHS, Johanson et al. 2013); before it, equity has
a distribution over the boards to come.
"""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F32, F64, AnyArray
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, RankedBoard, Showdown, scratch_of, terminals_of
from counterplay.poker.whole_game.boards.flops import Flops

BINS = 50


def equities(flops: Flops, groups: AnyArray) -> F32:
    """(F, n, groups) share of the pot, from 0 to 1, of the hand at each place against each group of hands.

    Args:
        flops: all flops of the game.
        groups: (groups, classes) weight of the hands of a class in each group. A hand whose cards block all hands of a
            group gets 1/2.
    """
    sweep = EquitySweep(flops.layouts[0], groups)
    return np.array([sweep.on(layout, flops.at[f]) for f, layout in enumerate(flops.layouts)])


class EquitySweep:
    """Equities on boards of a game, one board at a time.

    Args:
        board: any board of the game.
        groups: (groups, classes) weight of the hands of a class in each group.
    """

    def __init__(self, board: RankedBoard, groups: AnyArray) -> None:
        many, self._run = len(groups), -(-board.hands // 16) * 16
        run = self._run
        listed: list[Showdown | Fold] = [Showdown(run * g, run * g, 1, 0, 0.5) for g in range(many)]
        listed += [Fold(run * g, run * (many + g), 1) for g in range(many)]
        self._plan, self._values = np.zeros(many * run, np.float32), np.zeros(2 * many * run, np.float32)
        self._terminals = terminals_of(board, listed, (len(self._plan), len(self._values)), np.float32)
        self._scratch, self._weights = scratch_of(board, np.float32), groups.astype(np.float32)

    def on(self, board: RankedBoard, classes: AnyArray) -> F32:
        """(n, groups) of the hands of a board; classes: (n,) those before the flop."""
        n, many = len(classes), len(self._weights)
        self._plan.reshape(many, self._run)[:, :n] = self._weights[:, classes]
        self._values[:] = 0
        evaluate(board, self._terminals, self._plan, self._values, self._scratch)
        won, met = self._values.reshape(2, many, self._run)[:, :, :n]
        few = met <= 1e-4 * self._weights.max()
        return np.asarray(np.clip(np.where(few, 0.5, won / np.where(few, 1, met)), 0, 1).T, np.float32)


def strength(flops: Flops) -> F32:
    """(F, n) share of the pot against any hand."""
    return equities(flops, np.ones((1, flops.classes)))[:, :, 0]


def histograms(flops: Flops, shares: F32, bins: int = BINS) -> F64:
    """(classes, bins) cumulative distribution over the flops of the equity of each class.

    The L1 distance of two rows is the earth mover's distance of the two distributions, times the number of bins.
    """
    column = np.minimum((shares * bins).astype(np.int64), bins - 1)
    counts = np.broadcast_to(flops.counts[:, None].astype(float), shares.shape)
    flat = np.bincount((flops.at * bins + column).ravel(), counts.ravel(), flops.classes * bins)
    rows = flat.reshape(flops.classes, bins)
    return np.cumsum(rows / rows.sum(axis=1, keepdims=True), axis=1)
