"""The product of a payoff and a plan, from the layout that suits the payoff: tiles, then slices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.leaves.slices import slices_of
from counterplay.leaves.tiles import tiles_of
from counterplay.treeplex.memory import zeros
from counterplay.treeplex.simd import LANES, gather, get, load, pointer, scatter_add, splat, store

Floats = NDArray[np.float64]
RUNS, PLACES, SLICES, ROWS, ENDS, COLUMNS, WEIGHTS, HEAD = range(8)
"""The numbers at the head of `Leaf.numbers`: how many runs, where the places begin, how many slices, where their rows,
ends and columns begin, and where the weights begin in `Leaf.values`. Runs begin at HEAD."""


class Leaf(NamedTuple):
    """A payoff from one player's side, as the kernels take it: all of `Tiles` and `Slices` in two arrays."""

    numbers: Any
    values: Any


def leaf_of(start: NDArray[np.int64], column: NDArray[np.int32], value: Floats) -> Leaf:
    """Lay out a matrix, given by rows with sorted columns."""
    tiles = tiles_of(start, column, value)
    tiles.places[:, 0] *= LANES
    row = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    slices = slices_of(row[tiles.rest], column[tiles.rest], value[tiles.rest])
    parts = [tiles.runs, tiles.places, slices.rows, slices.ends, slices.columns]
    at = HEAD + np.cumsum([0] + [part.size for part in parts])
    head = [len(tiles.runs), at[1], len(slices.rows), at[2], at[3], at[4], tiles.cells.size]
    numbers = np.concatenate([np.array([*head], np.int32), np.zeros(1, np.int32)[: HEAD - len(head)]])
    numbers = np.concatenate([numbers] + [part.ravel() for part in parts])
    values = zeros(tiles.cells.size + slices.weights.size)
    np.concatenate([tiles.cells.ravel(), slices.weights.ravel()], out=values)
    return Leaf(numbers, values)


@kernel(inline=True)
def _three(values: Any, cell: int, plan: Any, column: int, total: Any) -> Any:
    total += load(values, cell) * splat(get(plan, column))
    total += load(values, cell + 8) * splat(get(plan, column + 1))
    return total + load(values, cell + 16) * splat(get(plan, column + 2))


@kernel
def multiply(leaf: Any, base: Any, shifted: bool, plan: Any, out: Any) -> None:
    """out = leaf · plan, plus `base` if `shifted`; all are pointers, and `out` has room for 8 more at its end."""
    numbers, values = leaf.numbers, leaf.values
    run, stop = HEAD, HEAD + 2 * get(numbers, RUNS)
    place = places = get(numbers, PLACES)
    while run < stop:
        row, end = get(numbers, run), places + 3 * get(numbers, run + 1)
        total = splat(0.0)
        if shifted:
            total = load(base, row)
        while place < end:
            cell = get(numbers, place)
            column, last = get(numbers, place + 1), get(numbers, place + 2)
            place += 3
            while last - column >= 6:
                total = _three(values, cell + 24, plan, column + 3, _three(values, cell, plan, column, total))
                cell += 48
                column += 6
            if last - column >= 3:
                total = _three(values, cell, plan, column, total)
                cell += 24
                column += 3
            while column < last:
                total += load(values, cell) * splat(get(plan, column))
                cell += LANES
                column += 1
        store(out, row, total)
        run += 2
    rows, ends = get(numbers, ROWS), get(numbers, ENDS)
    column, weight, step = get(numbers, COLUMNS), get(numbers, WEIGHTS), 0
    for k in range(get(numbers, SLICES)):
        end = get(numbers, ends + k)
        total = splat(0.0)
        while step < end:
            total += load(values, weight) * gather(plan, numbers, column)
            weight += LANES
            column += LANES
            step += 1
        scatter_add(out, numbers, rows + LANES * k, total)


@kernel
def product(numbers: Any, values: Any, plan: Any, out: Any) -> None:
    """The same on arrays, without a base."""
    leaf = Leaf(pointer(numbers), pointer(values))
    multiply(leaf, pointer(plan), False, pointer(plan), pointer(out))
