"""How wide intervals of 95 % are, in standard errors."""

HALF_95 = 1.96
"""Half of the interval of a mean."""
NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, which that rounds: for intervals of counts."""
