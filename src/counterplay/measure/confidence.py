"""Intervals of a mean: one for a number of hands fixed in advance, and one that holds at all times together."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.intervals import half_interval

Interval = tuple[float, float]
_ERROR = 0.05
_TUNED = 1000.0
"""The number of observations at which the sequence is narrowest; elsewhere it is little wider."""


def interval_of(values: F64) -> Interval | None:
    """The 95 % interval of the mean of independent values (n,), by Student's t; None for fewer than two."""
    half = half_interval(_error(values), len(values))
    return None if len(values) < 2 else (float(values.mean()) - half, float(values.mean()) + half)


def anytime_interval(values: F64) -> Interval | None:
    """The present interval of a confidence sequence: of all intervals, one after every value, all hold with 95 %.

    So one may look at any time, and stop for what one sees. It is asymptotic, as `interval_of` is, and about 1.6 times as
    wide (Waudby-Smith et al. 2024, theorem 2.2).

    Args:
        values: (n,) independent, in order; None for fewer than two.
    """
    n = len(values)
    if n < 2:
        return None
    rate = (-2.0 * np.log(_ERROR) + np.log(-2.0 * np.log(_ERROR) + 1.0)) / _TUNED  # their rho squared, equation 24
    width = np.sqrt((n * rate + 1.0) / (n * rate) * np.log((n * rate + 1.0) / _ERROR**2))
    half = float(width) * _error(values)
    return float(values.mean()) - half, float(values.mean()) + half


def _error(values: F64) -> float:
    """The standard error of the mean; 0 for fewer than two values."""
    return float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
