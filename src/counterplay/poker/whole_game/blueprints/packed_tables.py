"""Probabilities in 8 bits, for files: steps of 1/255, and of each decision one action less, since they sum to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64, U8, AnyArray
from counterplay.errors import InputError

STEPS = 255
"""A probability of 1."""


def rows_of(decisions: I64) -> int:
    """Rows of a packed table: one for each action but the first of every decision; decisions are (decisions, 4)."""
    return int((decisions[:, 3] - 1).sum())


def pack(table: AnyArray, decisions: I64) -> U8:
    """(rows, lanes) of a table (sequences, lanes) of probabilities.

    Sums of probabilities are rounded, so that the steps of a decision sum to 255; none is off by more than one.
    """
    out = np.empty((rows_of(decisions), table.shape[1]), np.uint8)
    at = 0
    for _, _, first, count in decisions:
        sums = np.rint(np.cumsum(table[first : first + count], axis=0, dtype=np.float64) * STEPS).astype(np.int16)
        sums[-1] = STEPS
        out[at : at + count - 1] = np.diff(sums, axis=0)
        at += count - 1
    return out


def unpack(packed: U8, decisions: I64, size: int, dtype: Any) -> AnyArray:
    """(size, lanes) the table again; rows of entries are 0.

    Raises:
        InputError: the steps of a decision sum to more than 255.
    """
    out = np.zeros((size, packed.shape[1]), dtype)
    at = 0
    for _, _, first, count in decisions:
        steps = packed[at : at + count - 1]
        left = STEPS - steps.sum(axis=0, dtype=np.int64)
        if left.min(initial=0) < 0:
            raise InputError("its probabilities do not sum to 1")
        out[first] = left / STEPS
        out[first + 1 : first + count] = steps / np.asarray(STEPS, dtype)
        at += count - 1
    return out
