"""Intervals of 95 % of a mean: of a number of values fixed in advance, and one that holds at all times together."""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterplay.arrays import F64

HALF_95 = 1.96
"""Half of the interval of a mean of many values, in standard errors."""
NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, which that rounds: for intervals of counts."""
_MISSED = 0.05
_TUNED = 1000.0
"""The number of observations at which a confidence sequence is narrowest; elsewhere it is little wider."""
_MANY = 1000
"""Values from which Student's t differs by less than 0.2 % from the normal distribution."""


def half_interval(error: float, values: int) -> float:
    """Half of the 95 % interval of a mean, by Student's t (Student 1908); 0 for fewer than two values.

    Args:
        error: the standard error, estimated from the values.
        values: how many independent values there are.
    """
    if values < 2:
        return 0.0
    if values > _MANY:
        return HALF_95 * error
    from scipy.special import stdtrit

    return float(stdtrit(values - 1, 0.975)) * error


def mean_interval(values: F64) -> tuple[float, float] | None:
    """The interval of the mean of independent values (n,), by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    mean, half = float(values.mean()), half_interval(_error(values), len(values))
    return mean - half, mean + half


def anytime_interval(values: F64) -> tuple[float, float] | None:
    """The present interval of a confidence sequence: of all intervals, one after every value, all hold with 95 %.

    So one may look at any time, and stop for what one sees. It is asymptotic, as `mean_interval` is, and about 1.6 times as
    wide (Waudby-Smith et al. 2024, theorem 2.2).

    Args:
        values: (n,) independent, in order; None for fewer than two.
    """
    n = len(values)
    if n < 2:
        return None
    rate = (-2.0 * log(_MISSED) + log(-2.0 * log(_MISSED) + 1.0)) / _TUNED  # their rho squared, equation 24
    width = sqrt((n * rate + 1.0) / (n * rate) * log((n * rate + 1.0) / _MISSED**2))
    mean, half = float(values.mean()), width * _error(values)
    return mean - half, mean + half


def _error(values: F64) -> float:
    """The standard error of the mean of at least two values."""
    return float(values.std(ddof=1)) / sqrt(len(values))
