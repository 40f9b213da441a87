"""The product of a payoff and a plan, in the layout that suits the payoff: tiles, pairs, slices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.jit import kernel
from counterplay.leaves.action_pairs import Section, pairs_of, slices_of
from counterplay.leaves.protocol import register
from counterplay.leaves.tiles import tiles_of
from counterplay.treeplex.memory import zeros
from counterplay.treeplex.simd import (
    LANES,
    gather,
    get,
    load,
    load_small,
    pointer,
    same_as,
    scatter_add,
    shifted,
    store,
)

_LINE = 16  # int32 in a cache line: every part of `Leaf.numbers` begins at one
RUNS, PLACES, SLICES, ROWS, ENDS, COLUMNS, WEIGHTS, SECTIONS, FIRST, SCALE = range(10)
"""Head of `Leaf.numbers`: how many runs (they follow the head), where the places begin, how many slices, where their
rows, ends, columns and weights begin, how many sections of pairs, where the first begins, where their scale stands.
Weights and scale are in `Leaf.values`, all else in `Leaf.numbers`."""
S_ROW, S_COLUMN, S_SLICES, S_ENDS, S_STEPS, S_LENGTH = range(6)
"""Head of a section: distance of the two actions in rows and columns, how many slices, where their ends and steps begin,
and the next section, counted from the section's beginning. The rows follow the head. A step is one cache line: eight
columns, then 32 int8."""


class Leaf(NamedTuple):
    """A payoff from one player's side: `Tiles`, `Slices` and `Pairs` in two arrays. The values are of the dtype of
    plans."""

    numbers: Any
    values: Any


def leaf_of(start: I64, column: I32, value: F64, groups: tuple[I64, I64] | None = None, unit: float = 0.0) -> Leaf:
    """Lay out a matrix that is given by rows.

    Args:
        start: (rows + 1,) where the entries of each row begin.
        column, value: (entries,) each; the columns of a row rise.
        groups: (G, 5) as in `TreeArrays`, of the rows and of the columns, if known.
        unit: the payoff of which all others are multiples, if this is a part of a matrix; else it is the smallest.
            Parts take pairs wherever they can: they need less memory than tiles, which equal ones elsewhere do not
            save.
    """
    row = np.repeat(np.arange(len(start) - 1, dtype=np.int32), start[1:] - start[:-1])
    tiles = None if unit else tiles_of(start, column, value)
    pairs = pairs_of(row, column, value, groups, unit) if groups is not None and not (tiles and tiles.pay) else None
    if pairs is not None:
        left = ~pairs.used
        start = np.append(0, np.cumsum(left))[start]
        row, column, value = row[left], column[left], value[left]
    if tiles is None or pairs is not None:
        tiles = tiles_of(start, column, value)
    slices = slices_of(row[tiles.rest], column[tiles.rest])
    weights = np.zeros(slices.columns.shape)
    weights[slices.step, slices.lane] = value[tiles.rest]
    sections = [_packed(section) for section in pairs.sections] if pairs else []
    head = np.zeros(_LINE)
    parts: list[AnyArray] = [
        head,
        tiles.runs,
        tiles.places * [LANES, 1, 1],
        slices.rows,
        slices.ends,
        slices.columns,
        *sections,
    ]
    numbers, at = _joined(parts)
    numbers[RUNS], numbers[SLICES], numbers[SECTIONS] = len(tiles.runs), len(slices.rows), len(sections)
    numbers[[PLACES, ROWS, ENDS, COLUMNS, FIRST]] = at[2:7]
    numbers[WEIGHTS], numbers[SCALE] = tiles.cells.size, tiles.cells.size + weights.size
    values = zeros(tiles.cells.size + weights.size + 1)
    np.concatenate([tiles.cells.ravel(), weights.ravel(), [pairs.scale if pairs else 0.0]], out=values)
    return Leaf(numbers, values)


def _joined(parts: list[AnyArray]) -> tuple[I32, I64]:
    """The parts in one array, each aligned to a cache line, and their offsets, followed by the end."""
    at = np.append(0, np.cumsum([-(-part.size // _LINE) * _LINE for part in parts]))
    numbers = zeros(int(at[-1]) // 2).view(np.int32)
    for part, first in zip(parts, at.tolist(), strict=False):
        numbers[first : first + part.size] = part.ravel()
    return numbers, at


def _packed(section: Section) -> I32:
    rows, ends, columns, _, _ = section.slices
    steps = np.concatenate([columns, section.cells.reshape(len(columns), -1).view(np.int32)], axis=1)
    numbers, at = _joined([np.zeros(_LINE), rows, ends, steps])
    numbers[: S_LENGTH + 1] = *section.strides, len(rows), *at[2:5]
    return numbers


@kernel(inline=True, inner=True)
def _three(values: Any, cell: int, plan: Any, column: int, total: Any) -> Any:
    """Three columns of a tile."""
    total += load(values, cell) * same_as(plan, get(plan, column))
    total += load(values, cell + LANES) * same_as(plan, get(plan, column + 1))
    return total + load(values, cell + 2 * LANES) * same_as(plan, get(plan, column + 2))


@kernel(inner=True)
def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """out = leaf · plan, plus `base` if `shift`; all are pointers, and `out` has 8 spare elements at its end."""
    numbers, values = leaf.numbers, leaf.values
    run, stop = _LINE, _LINE + 2 * get(numbers, RUNS)
    place = places = get(numbers, PLACES)
    while run < stop:
        row, end = get(numbers, run), places + 3 * get(numbers, run + 1)
        total = same_as(plan, 0.0)
        if shift:
            total = load(base, row)
        while place < end:
            cell, column, last = get(numbers, place), get(numbers, place + 1), get(numbers, place + 2)
            while last - column >= 6:
                total = _three(values, cell, plan, column, total)
                total = _three(values, cell + 3 * LANES, plan, column + 3, total)
                cell += 6 * LANES
                column += 6
            if last - column >= 3:
                total = _three(values, cell, plan, column, total)
                cell += 3 * LANES
                column += 3
            while column < last:
                total += load(values, cell) * same_as(plan, get(plan, column))
                cell += LANES
                column += 1
            place += 3
        store(out, row, total)
        run += 2
    _add_slices(leaf, plan, out)
    section, scale = get(numbers, FIRST), same_as(plan, get(values, get(numbers, SCALE)))
    for _ in range(get(numbers, SECTIONS)):
        _add_pairs(shifted(numbers, section), scale, plan, out)
        section += get(numbers, section + S_LENGTH)


@kernel(inner=True)
def _add_slices(leaf: Any, plan: Any, out: Any) -> None:
    numbers, values = leaf.numbers, leaf.values
    rows, ends = get(numbers, ROWS), get(numbers, ENDS)
    column, weight, step = get(numbers, COLUMNS), get(numbers, WEIGHTS), 0
    for k in range(get(numbers, SLICES)):
        end = get(numbers, ends + k)
        total = same_as(plan, 0.0)
        while step < end:
            total += load(values, weight) * gather(plan, numbers, column)
            weight += LANES
            column += LANES
            step += 1
        scatter_add(out, numbers, rows + LANES * k, total)


@kernel(inner=True)
def _add_pairs(section: Any, scale: Any, plan: Any, out: Any) -> None:
    """One section of pairs; `section` points to its head."""
    plan_second, out_second = shifted(plan, get(section, S_COLUMN)), shifted(out, get(section, S_ROW))
    ends, steps = get(section, S_ENDS), get(section, S_STEPS)
    at = steps
    for k in range(get(section, S_SLICES)):
        end = steps + _LINE * get(section, ends + k)
        first, second = same_as(plan, 0.0), same_as(plan, 0.0)
        while at < end:
            x, y = gather(plan, section, at), gather(plan_second, section, at)
            first += load_small(plan, section, at + 8) * x + load_small(plan, section, at + 10) * y
            second += load_small(plan, section, at + 12) * x + load_small(plan, section, at + 14) * y
            at += _LINE
        scatter_add(out, section, _LINE + LANES * k, first * scale)
        scatter_add(out_second, section, _LINE + LANES * k, second * scale)


@kernel(inline=True, inner=True)
def _opened(leaf: Any) -> Any:
    return Leaf(pointer(leaf.numbers), pointer(leaf.values))


register(Leaf, _opened, Leaf, multiply)
