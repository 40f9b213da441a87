"""A sparse payoff as small dense tiles, for games in which the hands of a public state meet each other.

Rows are cut into *runs* of up to eight neighbours that meet the same columns. Where a run meets a range of neighbouring
columns often enough, the two form a *tile*: eight values per column, so that one column costs one fused multiply-add.
Equal tiles are stored once. Every row is in exactly one run, so that a product writes its result instead of adding to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.treeplex.treeplex import LANES

Ints = NDArray[np.int32]


class Tiles(NamedTuple):
    """runs: (R, 2) int32, first row of a run, and where its places end. places: (P, 3) int32, number of the tile's first
    column among `cells`, first column, column after the last. cells: (C, 8) float64, a tile's columns. rest: (entries,)
    bool, which entries are in no tile. pay: whether most tiles occur more than once."""

    runs: Ints
    places: Ints
    cells: NDArray[np.float64]
    rest: NDArray[np.bool_]
    pay: bool


def tiles_of(start: NDArray[np.int64], column: Ints, value: NDArray[np.float64]) -> Tiles:
    """Cover a matrix, given by rows with sorted columns, with tiles."""
    rest = np.ones(len(column), np.bool_)
    counts = np.zeros(3, np.int64)
    nothing = np.zeros((0, 3), np.int32)
    _cover(start, column, value, rest, counts, nothing, nothing, np.zeros((0, LANES)))
    runs, places = np.zeros((counts[0], 2), np.int32), np.zeros((counts[1], 3), np.int32)
    cells = np.zeros((counts[2], LANES))
    _cover(start, column, value, rest, counts, runs, places, cells)
    unique, kinds = _unique(places, cells)
    return Tiles(runs, unique, kinds, rest, 2 * len(kinds) <= len(cells))


def _unique(places: Ints, cells: NDArray[np.float64]) -> tuple[Ints, NDArray[np.float64]]:
    """The same with equal tiles stored once."""
    sizes = places[:, 2] - places[:, 1]
    kept, count, out = [np.zeros((0, LANES))], 0, places.copy()
    for size in np.unique(sizes).tolist():
        members = np.flatnonzero(sizes == size)
        bodies = cells[places[members, 0, None] + np.arange(size)].reshape(len(members), -1) + 0.0  # no negative zeros
        raw = np.ascontiguousarray(bodies).view(np.dtype((np.void, bodies.shape[1] * 8)))[:, 0]
        _, first, which = np.unique(raw, return_index=True, return_inverse=True)
        out[members, 0] = count + size * which
        kept.append(bodies[first].reshape(-1, LANES))
        count += size * len(first)
    return out, np.concatenate(kept)


@kernel
def _cover(start: Any, column: Any, value: Any, rest: Any, counts: Any, runs: Any, places: Any, cells: Any) -> None:
    """Count runs, places and columns of tiles, and write them down if there is room."""
    rows, fill = len(start) - 1, len(runs) > 0
    at, begin = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    counts[0], counts[1], counts[2] = 0, 0, 0
    r = start[0]  # 0
    while r < rows:
        end = _end_of_run(start, column, r)
        height = end - r
        for i in range(height):
            at[i] = begin[i] = start[r + i]
        first, expected, met, cell = -1, -1, 0, counts[2]
        while True:
            c = np.int64(1) << 60
            for i in range(height):
                if at[i] < start[r + i + 1]:
                    c = min(c, np.int64(column[at[i]]))
            if c != expected:  # a range of columns ends before c
                width = expected - first
                if first >= 0 and met >= 2 * width + 2:
                    if fill:
                        places[counts[1], 0], places[counts[1], 1], places[counts[1], 2] = counts[2], first, expected
                        for i in range(height):
                            for k in range(begin[i], at[i]):
                                rest[k] = False
                    counts[1] += 1
                    counts[2] += width
                if c == np.int64(1) << 60:
                    break
                for i in range(height):
                    begin[i] = at[i]
                first, met, cell = c, 0, counts[2]
            for i in range(height):
                if at[i] < start[r + i + 1] and column[at[i]] == c:
                    if fill and cell < len(cells):
                        cells[cell, i] = value[at[i]]
                    at[i] += 1
                    met += 1
                elif fill and cell < len(cells):
                    cells[cell, i] = 0.0
            expected = c + 1
            cell += 1
        if fill:
            runs[counts[0], 0], runs[counts[0], 1] = r, counts[1]
        counts[0] += 1
        r = end


@kernel(inner=True)
def _end_of_run(start: Any, column: Any, first: int) -> int:
    """The row after the run that begins at `first`: each row shares half of its columns with the one before."""
    end = first + 1
    while end < len(start) - 1 and end < first + LANES:
        a, b, shared = start[end - 1], start[end], 0
        stop_a, stop_b = start[end], start[end + 1]
        least = min(stop_a - a, stop_b - b)
        while a < stop_a and b < stop_b:
            shared += column[a] == column[b]
            if column[a] <= column[b]:
                a += 1
                b += column[a - 1] == column[b]
            else:
                b += 1
        if (least == 0) != (stop_a - start[end - 1] == 0 and stop_b - start[end] == 0) or 2 * shared < least:
            break
        end += 1
    return end
