"""Distinct small numbers: `np.unique` for numbers with a known bound, without sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unique_below(bound: int, numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct numbers, ascending, and the index of each given number among them, in the shape of `numbers`.

    Args:
        bound: all numbers lie from 0 to below it.
        numbers: whole numbers, in an array of any shape.
    """
    found = np.zeros(bound, np.bool_)
    found[numbers] = True
    place = np.cumsum(found) - 1
    return np.flatnonzero(found), place[numbers]
