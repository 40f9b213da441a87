"""Random numbers inside kernels: SplitMix64 (Steele, Lea and Flood 2014), seeded by the purpose of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.jit import kernel

_STRIDE, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@kernel(inline=True)
def _mixed(x: Any) -> Any:
    """A bijection of 64 bits that looks random."""
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


@kernel(inline=True)
def scramble(seed: Any, number: Any) -> Any:
    """A seed derived from another seed and a number."""
    return _mixed(seed + _STRIDE + np.uint64(number))


@kernel(inline=True)
def uniform(random: Any) -> float:
    """The next number of a generator, in [0, 1); `random` holds its state."""
    random[0] += _STRIDE
    return float(_mixed(random[0]) >> _11) * 2.0**-53


@kernel(inline=True)
def draw_index(odds: Any, n: int, u: float) -> int:
    """The index of the outcome that a number below the sum of the odds draws."""
    k = 0
    while k < n - 1 and u >= odds[k]:
        u -= odds[k]
        k += 1
    return k


@kernel(inline=True)
def average_draws(worth: float, before: int, centre: float, squares: float) -> Any:
    """Mean and sum of squared deviations with one more number, by Welford's updates, which stay accurate for large
    means."""
    away = worth - centre
    centre += away / (before + 1.0)
    return centre, squares + away * (worth - centre)
