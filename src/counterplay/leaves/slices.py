"""Sparse rows of similar length, eight at a time, one entry of each per step (sliced ELLPACK)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.treeplex.runs import lengths_of, starts_of
from counterplay.treeplex.treeplex import LANES, PAD


class Slices(NamedTuple):
    """rows: (S, 8); a slice with fewer rows repeats PAD. ends: (S,), the end of the steps of a slice. columns: (K, 8), one
    row per step. step, lane: for each entry, its position.
    """

    rows: I32
    ends: I32
    columns: I32
    step: I64
    lane: I64


def slices_of(row: I32, column: I32) -> Slices:
    """Slices of single entries (entries,), sorted by rows; the longest rows come first."""
    first = starts_of(row)
    names, count = row[first], lengths_of(first, len(row))
    order = (-count).argsort(kind="stable")
    rows = np.full(-(-len(names) // LANES) * LANES, PAD, np.int32)
    rows[: len(names)] = names[order]
    depth = count[order[::LANES]]  # the longest row of each slice
    ends = np.cumsum(depth)
    position = np.empty(len(names), np.int64)
    position[order] = np.arange(len(names))
    begins = (ends - depth)[position // LANES] - first
    step = np.repeat(begins, count) + np.arange(len(row))
    lane = np.repeat(position % LANES, count)
    columns = np.full((int(depth.sum()), LANES), PAD, np.int32)
    columns[step, lane] = column
    return Slices(rows.reshape(-1, LANES), ends.astype(np.int32), columns, step, lane)
