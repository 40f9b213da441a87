"""What no tile holds: rows of like length, eight at a time, one entry of each in a step (sliced ELLPACK)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.treeplex.treeplex import LANES, PAD

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Slices(NamedTuple):
    """rows: (S, 8) int32; a slice with fewer rows repeats PAD. ends: (S,) int32, where the steps of a slice end.
    columns: (K, 8) int32 and weights: (K, 8), the steps."""

    rows: Ints
    ends: Ints
    columns: Ints
    weights: Floats


def slices_of(row: Ints, column: Ints, value: Floats) -> Slices:
    """Single entries, sorted by rows, as slices."""
    names, first, count = np.unique(row, return_index=True, return_counts=True)
    order = np.argsort(-count, kind="stable")
    slices = -(-len(names) // LANES)
    rows = np.full(slices * LANES, PAD, np.int32)
    rows[: len(names)] = names[order]
    depth = count[order[::LANES]]  # the longest row of each slice
    ends = np.cumsum(depth)
    lane_of = np.empty(len(names), np.int64)
    lane_of[order] = np.arange(len(names))
    lane = np.repeat(lane_of, count)
    step = np.repeat(np.append(0, ends)[lane_of // LANES], count) + np.arange(len(row)) - np.repeat(first, count)
    columns = np.full((int(depth.sum()), LANES), PAD, np.int32)
    weights = np.zeros(columns.shape)
    columns[step, lane % LANES], weights[step, lane % LANES] = column, value
    return Slices(rows.reshape(-1, LANES), ends.astype(np.int32), columns, weights)
