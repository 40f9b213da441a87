"""Longer steps along the path of expectation maximisation (Varadhan and Roland 2008).

They are summed in one order by kernels: those of BLAS, and NumPy's logarithms, differ between processors in the last digit,
which a few dozen such steps amplify to the third.
"""

from __future__ import annotations

from math import exp, inf, log
from typing import Any

from counterplay.jit import kernel

_LEAST = 1e-12


@kernel(loops=True)
def extrapolate(start: Any, one: Any, two: Any, far: Any) -> None:
    """Set `far` to where the path of three behaviours (size,) leads in logarithms; unnormalised, at most 1."""
    along, bent = 0.0, 0.0
    for i in range(len(start)):
        x, y, z = log(max(start[i], _LEAST)), log(max(one[i], _LEAST)), log(max(two[i], _LEAST))
        along += (y - x) ** 2
        bent += (z - 2.0 * y + x) ** 2
    length = max(1.0, (along / max(bent, 1e-300)) ** 0.5)
    for i in range(len(start)):
        x, y, z = log(max(start[i], _LEAST)), log(max(one[i], _LEAST)), log(max(two[i], _LEAST))
        far[i] = exp(min(x + 2.0 * length * (y - x) + length**2 * (z - 2.0 * y + x), 0.0))


@kernel
def sum_logs(hands: Any, likelihoods: Any) -> float:
    """The sum of hands (n,) times logarithms of likelihoods (n,), over those with hands; -inf if one is impossible."""
    total = 0.0
    for i in range(len(hands)):
        if hands[i] > 0.0:
            if likelihoods[i] <= 0.0:
                return -inf
            total += hands[i] * log(likelihoods[i])
    return total
