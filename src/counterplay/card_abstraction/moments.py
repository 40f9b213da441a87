"""k-means over moments of equity over the boards to come: mean, standard deviation and skew; on the last street equity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F32, U16
from counterplay.card_abstraction.abstraction_record import TabledAbstraction
from counterplay.card_abstraction.card_abstraction import HandFeatures

_STEPS, _SCALE, _LAST_SCALE = 256, 1000, 4000


@dataclass(frozen=True)
class Moments(TabledAbstraction):
    """Buckets of hands with similar mean, standard deviation and skew of equity over the last boards; on the last
    street of hands with similar equity."""

    HEAD = "moments"

    @property
    def features(self) -> HandFeatures:
        return HandFeatures(_STEPS, moments, absolute=False, rivals=False, scale=_LAST_SCALE)


def moments(counts: U16) -> F32:
    """(n, 3) mean, standard deviation, and third central moment over variance, from counts (n, bins) of last boards by
    equity; in thousandths."""
    steps = np.arange(counts.shape[1])
    number, first, second, third = (counts.astype(np.int64) @ steps**power for power in range(4))
    whole = counts.shape[1] - 1
    mean = first / (number * whole)
    variance = np.maximum((number * second - first**2) / (number * whole) ** 2, 0.0)
    skewed = third / (number * whole**3) - 3.0 * mean * variance - mean**3
    skew = np.divide(skewed, variance, out=np.zeros_like(mean), where=variance > 0)
    return np.floor(np.stack((mean, np.sqrt(variance), skew), axis=1) * _SCALE + 0.5).astype(np.float32)
