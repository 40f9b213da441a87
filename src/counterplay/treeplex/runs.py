"""Runs of equal neighbours in an array, without the sorting and the checks of `np.unique` and `np.diff`."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import I64, AnyArray


def starts_of(numbers: AnyArray) -> I64:
    """(runs,) the index at which each run of equal numbers begins."""
    if not len(numbers):
        return np.zeros(0, np.int64)
    begins = np.empty(len(numbers), np.bool_)
    begins[0] = True
    np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
    return begins.nonzero()[0]


def lengths_of(starts: I64, size: int) -> I64:
    """(runs,) the length of each run, given where they begin and the size of the array."""
    lengths = np.empty(len(starts), np.int64)
    if len(starts):
        np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
        lengths[-1] = size - starts[-1]
    return lengths
