"""Trust in a model at each infoset, from how often the infoset was observed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.treeplex.restriction import check_p
from counterplay.treeplex.strategy import Strategy

ENOUGH = 10
"""Observations of an infoset from which on the model is trusted fully there (Johanson and Bowling 2009)."""


def trust_of(model: Strategy, p: float) -> NDArray[np.float64]:
    """(lanes,) p · min(1, n(I)/10), with n(I) the observations behind the model; p everywhere if it was not observed.

    Raises:
        InputError: p outside [0, 1].
    """
    check_p(p)
    if model.counts is None:
        return np.full(model.tree.lanes, p)
    return p * np.minimum(1.0, model.counts / ENOUGH)
