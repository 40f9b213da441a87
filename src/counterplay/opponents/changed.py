"""Variants of a strategy that prefer some actions: the usual portfolio of a blueprint that folds, calls or raises more."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from counterplay.errors import InputError
from counterplay.treeplex.strategy import Strategy


def biased(strategy: Strategy, factors: Mapping[str, float]) -> Strategy:
    """The strategy with the probability of some actions multiplied, and scaled to sum to 1 again; as it was where that
    leaves nothing.

    Args:
        strategy: any.
        factors: by the beginning of the action's text, in lower or upper case; the first that fits counts.

    Raises:
        InputError: a beginning that no action has, naming it.
    """
    tree = strategy.tree
    labels, behaviour = tree.labels, strategy.behaviour.copy()
    met: set[str] = set()
    for lane, names in zip(labels.lanes, labels.actions, strict=True):
        factor = np.ones(len(names))
        for k, name in enumerate(names):
            found = next((start for start in factors if name.casefold().startswith(start.casefold())), None)
            if found is not None:
                factor[k] = factors[found]
                met.add(found)
        if lane >= 0:
            here = tree.sequences_of(lane)
            row = behaviour[here] * factor
            if row.sum() > 0.0:
                behaviour[here] = row / row.sum()
    if missing := [start for start in factors if start not in met]:
        known = sorted({name for row in labels.actions for name in row})
        raise InputError(f"bias: no action begins with '{missing[0]}'; they are {', '.join(known[:12])}")
    return Strategy(tree, behaviour)
