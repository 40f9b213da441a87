"""Payoffs between infosets of two actions each: four small integers per pair, times one scale.

Games without hands (Goofspiel) have few equal tiles, but their last decisions are between two actions. Eight infosets
are served at once, and one look at the other player's two probabilities serves four payoffs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I8, I32, I64, AnyArray, Flags
from counterplay.treeplex.treeplex import ACTIONS, LANES, OFFSET, PAD, WIDTH

_MOST = 127


class Section(NamedTuple):
    """Pairs between two groups of infosets. strides: distance between the two actions, in rows and in columns. slices:
    over first actions. cells: (K, 4, 8) int8, payoffs in units of the scale; action of the column fastest, lanes last."""

    strides: tuple[int, int]
    slices: Slices
    cells: I8


class Pairs(NamedTuple):
    """scale: the unit. used: (entries,) bool, the entries that are in a pair."""

    sections: list[Section]
    scale: float
    used: Flags


def pairs_of(row: I32, column: I32, value: F64, groups: tuple[I64, I64], unit: float = 0.0) -> Pairs | None:
    """The pairs of a matrix given by row, column and value (entries,), sorted by rows; None where pairs would be slower
    or not exact. `groups` are those of the rows and of the columns, (G, 5) as in `TreeArrays`; `unit` is the scale to
    try, by default the smallest payoff."""
    (row_first, row_stride), (column_first, column_stride) = (_halves(side) for side in groups)
    used = (row_first[np.minimum(row, len(row_first) - 1)] > 0) & (
        column_first[np.minimum(column, len(column_first) - 1)] > 0
    )
    row, column, value = row[used], column[used], value[used]
    if not len(value):
        return None
    scale = unit or float(np.abs(value).min())
    units = np.rint(value / scale)
    if np.abs(units).max() > _MOST or (units * scale != value).any():
        return None
    # A pair of infosets is named by their first sequences in one word; its four cells are (row action, column action).
    key = row_first[row].astype(np.int64) << 32 | column_first[column]
    names, which = np.unique(key, return_inverse=True)
    if 2 * len(value) < 5 * len(names):  # four cells a pair, most of which must not be empty
        return None
    cells = np.zeros((len(names), 4), np.int8)
    cells[which, 2 * (row != row_first[row]) + (column != column_first[column])] = units
    first, second = (names >> 32).astype(np.int32), (names & 0xFFFFFFFF).astype(np.int32)
    # Pairs between the same two groups share both strides, and make a section.
    strides = row_stride[first].astype(np.int64) << 32 | column_stride[second]
    sections = []
    for stride in np.unique(strides).tolist():
        members = np.flatnonzero(strides == stride)
        slices = slices_of(first[members], second[members])
        packed = np.zeros((len(slices.columns), 4, LANES), np.int8)
        packed[slices.step, :, slices.lane] = cells[members]
        sections.append(Section((stride >> 32, stride & 0xFFFFFFFF), slices, packed))
    return Pairs(sections, scale, used)


def _halves(groups: I64) -> tuple[I32, I32]:
    """For each sequence of an infoset with two actions: the infoset's first sequence, and the distance between the two;
    0 elsewhere."""
    size = 1 + max((int(g[OFFSET] + g[WIDTH] * g[ACTIONS]) for g in groups), default=0)
    first, stride = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for group in groups[groups[:, ACTIONS] == 2]:
        offset, width = int(group[OFFSET]), int(group[WIDTH])
        first[offset : offset + 2 * width] = np.tile(np.arange(offset, offset + width), 2)
        stride[offset : offset + 2 * width] = width
    return first, stride


def starts_of(numbers: AnyArray) -> I64:
    """(runs,) the index at which each run of equal numbers begins."""
    changes = numbers[1:] != numbers[:-1]
    return np.append(True, changes)[: len(numbers)].nonzero()[0]


class Slices(NamedTuple):
    """rows: (S, 8); a slice with fewer rows repeats PAD. ends: (S,), the end of the steps of a slice. columns: (K, 8),
    one row per step. step, lane: for each entry, its position."""

    rows: I32
    ends: I32
    columns: I32
    step: I64
    lane: I64


def slices_of(row: I32, column: I32) -> Slices:
    """Slices of single entries (entries,), sorted by rows; the longest rows come first."""
    first = starts_of(row)
    names, count = row[first], np.diff(first, append=len(row))
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
