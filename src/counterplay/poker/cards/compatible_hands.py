"""Compatible hands: those that share no card and can be dealt together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[Any]


def compatible_weight(hands: Ints, weights: Floats) -> Floats:
    """(n,) the weight of the hands that share no card with each of them."""
    first, second = hands.T
    size = int(hands.max(initial=0)) + 1
    by_card = np.bincount(first, weights, size) + np.bincount(second, weights, size)
    left: Floats = weights.sum() - by_card[first] - by_card[second] + weights
    return np.maximum(left, 0.0)
