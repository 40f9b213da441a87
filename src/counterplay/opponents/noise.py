"""Random strategies, and noise in strategies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]


def _by_infoset(tree: Treeplex, row: Callable[[int, slice], Floats]) -> Floats:
    """(size,) a behaviour made infoset by infoset in the order of the labels' first visit, so that seeds mean the same
    in every layout; `row` gets the number of actions and where they stand."""
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    actions = tree.lane_sequences[2]
    for lane in tree.visit_order.tolist():
        where = tree.sequences_of(lane)
        behaviour[where] = row(int(actions[lane]), where)
    return behaviour


def dirichlet(tree: Treeplex, seed: int, alpha: float = 1.0) -> Strategy:
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    return Strategy(tree, _by_infoset(tree, lambda n, _: rng.dirichlet(np.full(n, alpha))), {"seed": seed})


def mix_with_uniform(strategy: Strategy, weight: float) -> Strategy:
    """At every infoset uniform with probability `weight`, else as before."""
    tree = strategy.tree
    return Strategy(tree, (1.0 - weight) * strategy.behaviour + weight * tree.uniform(), counts=strategy.counts)


def shuffle_probabilities(strategy: Strategy, share: float, seed: int) -> Strategy:
    """With probability `share` an infoset's probabilities are multiplied by uniform draws from (0, 1) and scaled to sum
    to 1 (the shuffled opponents of the SES paper)."""
    rng = np.random.default_rng(seed)
    behaviour = strategy.behaviour

    def row(n: int, where: slice) -> Floats:
        chosen, factors = rng.random() < share, 1.0 - rng.random(n)
        changed: Floats = behaviour[where] * factors
        return changed / changed.sum() if chosen else behaviour[where]

    return Strategy(strategy.tree, _by_infoset(strategy.tree, row), {"seed": seed}, strategy.counts)
