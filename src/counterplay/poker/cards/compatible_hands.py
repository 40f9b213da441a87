"""Compatible hands: those that share no card and can be dealt together."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64, AnyArray


def compatible_weight(hands: AnyArray, weights: F64) -> F64:
    """(n,) the weight of the hands that share no card with each of them."""
    first, second = hands.T
    size = int(hands.max(initial=0)) + 1
    by_card = np.bincount(first, weights, size) + np.bincount(second, weights, size)
    left: F64 = weights.sum() - by_card[first] - by_card[second] + weights
    return np.maximum(left, 0.0)
