"""Distinct small numbers: `np.unique` for numbers with a known bound, without sorting."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import I64, AnyArray


def unique_below(bound: int, numbers: AnyArray) -> tuple[I64, I64]:
    """The distinct numbers, ascending, and the index of each given number among them, in the shape of `numbers`. bound:
    all numbers lie from 0 to below it."""
    found = np.zeros(bound, np.bool_)
    found[numbers] = True
    place = np.cumsum(found) - 1
    return np.flatnonzero(found), place[numbers]
