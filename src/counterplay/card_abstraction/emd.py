"""k-means over histograms of equity by the earth mover's distance; on the last street over equity against groups (OCHS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F32, U16
from counterplay.card_abstraction.abstraction_record import TabledAbstraction
from counterplay.card_abstraction.card_abstraction import HandFeatures

_BINS, _SCALE = 50, 1000


@dataclass(frozen=True)
class EMD(TabledAbstraction):
    """Buckets of hands with similar distributions of equity over the last boards, by the earth mover's distance; on the
    last street of hands with similar equities against each of 8 groups of hands (Johanson et al. 2013)."""

    HEAD = "emd"

    @property
    def features(self) -> HandFeatures:
        return HandFeatures(_BINS, cumulative, absolute=True, rivals=True, scale=_SCALE)


def cumulative(counts: U16) -> F32:
    """(n, bins) cumulative histograms from counts (n, bins) of last boards by equity, in thousandths."""
    below = np.cumsum(counts, axis=1, dtype=np.int64)
    return np.asarray(below * _SCALE // below[:, -1:], np.float32)
