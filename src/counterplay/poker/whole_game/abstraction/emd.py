"""k-means over histograms of equity, by the earth mover's distance; on the last street over equity against groups (OCHS)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.abstraction.k_means import Points
from counterplay.poker.whole_game.abstraction.make_tables import HandFeatures

_BINS, _SCALE = 50, 1000


def cumulative(counts: NDArray[np.uint16]) -> Points:
    """(n, bins) of last boards, the share of those with equity in a bin or below, in thousandths."""
    below = np.cumsum(counts, axis=1, dtype=np.int64)
    return np.asarray(below * _SCALE // below[:, -1:], np.float32)


FEATURES = HandFeatures(_BINS, cumulative, absolute=True, rivals=True, scale=_SCALE)
