"""Widths of intervals of 95 %."""

from __future__ import annotations

HALF_95 = 1.96
"""Half of the interval of a mean of many values, in standard errors."""
NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, which that rounds: for intervals of counts."""
_MANY = 1000
"""Values from which Student's t differs by less than 0.2 % from the normal distribution."""


def half_interval(error: float, values: int) -> float:
    """Half of the 95 % interval of a mean of so many independent values, whose standard error is estimated from these, by
    Student's t (Student 1908); 0 for fewer than two values.
    """
    if values < 2:
        return 0.0
    if values > _MANY:
        return HALF_95 * error
    from scipy.special import stdtrit

    return float(stdtrit(values - 1, 0.975)) * error
