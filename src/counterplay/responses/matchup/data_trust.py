"""Trust in a model at each infoset, from its number of observations."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.treeplex.restriction import check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.visits import ENOUGH


def trust_of(model: Strategy | StoredStrategy, p: float) -> F64:
    """(lanes,) p · min(1, n(I)/10), with n(I) the observations of the model; p everywhere if it has no counts.

    Raises:
        InputError: p outside [0, 1].
    """
    check_p(p)
    if model.counts is None:
        return np.full(model.tree.lanes, p)
    return p * np.minimum(1.0, model.counts / ENOUGH)
