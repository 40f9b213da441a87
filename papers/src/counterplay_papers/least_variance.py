"""The least variance of any unbiased estimate of a match where one side's strategy is unknown.

Whatever the other side may play, the expected result is linear in their plan, and what they do at an infoset is drawn from
a distribution that nobody knows. Of the steps of the value over a hand, those of chance and of the known side have a known
mean of 0 and can be subtracted; those of the other side cannot. The sum of their variances,

    sum over infosets I of the other side: P(I) · sum over a of b(a | I) · (Q(I, a) - V(I))²,

Q and V being what the *other side* may expect there, is the Cramér-Rao bound of the family of all their strategies, for any
number of hands. It is reached by one function of a hand: value + sum of (Q - V), with Q and V of the true strategy. By the
lemma of performance differences its mean is exact against every other strategy, too (Kakade and Langford 2002). So AIVAT,
which knows no Q, leaves at least this much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay import TERMINAL, GameTree, Strategy
from counterplay.arrays import F64
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.treeplex.sweeps import values


class LeastVariance(NamedTuple):
    """Of single hands, in squared chips. plain: of the results. least: of the best unbiased estimate. steps: (size,) at
    each sequence of the unknown side, what the best estimate adds to the value, in the unknown side's chips."""

    plain: float
    least: float
    steps: F64

    @property
    def share(self) -> float:
        """The part of the variance that stays whatever is done."""
        return self.least / self.plain if self.plain > 0.0 else 0.0


def least_variance(game: GameTree, known: Strategy, other: Strategy) -> LeastVariance:
    """The bound of a match.

    Args:
        game: compiled; it lists its histories.
        known: the strategy of the side that is known.
        other: the true strategy of the other side.
    """
    side, tree = other.player, other.tree
    worth = values(tree, other.behaviour, game.payoff.product(side, known.plan))
    brought = counterfactual_reach(game, side, known.plan)
    steps, least = np.zeros(tree.size), 0.0
    for offset, width, n, lane, count in tree.arrays.groups.tolist():
        # (actions, infosets): chips by action, less their mean; what was added above stays added below.
        rows, odds, above = (
            part[offset : offset + n * width].reshape(n, width)[:, :count] for part in (worth, other.behaviour, steps)
        )
        met = brought[lane : lane + count]
        gained = np.divide(rows - (odds * rows).sum(axis=0), met, out=np.zeros_like(rows), where=met > 0.0)
        before = tree.arrays.parent[lane : lane + count]
        least += float((other.plan[before] * met * (odds * gained**2).sum(axis=0)).sum())
        above[:] = steps[before] + gained
    return LeastVariance(_variance(game, known, other), least, steps)


def _variance(game: GameTree, known: Strategy, other: Strategy) -> float:
    """Of the result of a hand."""
    table = game.histories
    ends = np.flatnonzero(table.player == TERMINAL)
    odds = table.reach[ends]
    for strategy in (known, other):
        odds = odds * strategy.plan[game.sequences[strategy.player][ends]]
    paid = table.utility[ends]
    mean = float(odds @ paid)
    return float(odds @ paid**2) - mean**2
