"""The product of a payoff and a plan, in the layout that suits the payoff: tiles, pairs, slices.

Tiles suit games in which all hands of a public state meet. Rows are cut into *runs* of up to eight neighbours with entries
in nearly the same columns. Where a run has enough entries in a range of neighbouring columns, the two form a *tile*: eight
values per column, so that one column costs one fused multiply-add. Equal tiles are stored once. Every row is in exactly one
run, so that a product writes its result instead of adding to it.

Games without hands (Goofspiel) have few equal tiles, but their last decisions are between two actions. *Pairs* of such
infosets hold four small integers, times one scale. Eight infosets are served at once, and one look at the other player's
two probabilities serves four payoffs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I8, I32, I64, AnyArray, Flags
from counterplay.jit import kernel
from counterplay.leaves.protocol import register
from counterplay.treeplex.simd import (
    LANES,
    gather,
    get,
    load,
    load_small,
    same_as,
    scatter_add,
    shifted,
    store,
)
from counterplay.treeplex.sweeps import zeros
from counterplay.treeplex.treeplex import ACTIONS, OFFSET, PAD, WIDTH

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


Mask = Flags
_FACTOR, _NEGATIVE_ZERO = 0x1B873593CC9E2D51, -(1 << 63)
_NEAR = 2
"""Columns so far apart still speak for one run: hands that tie, or hold the same card, leave holes."""


class Tiles(NamedTuple):
    """runs: (R, 2), first row of a run, and the end of its places. places: (P, 3), index of the tile's first column
    among `cells`, first column, column after the last. cells: (C, 8), a tile's columns. rest: (entries,), the entries
    in no tile. pay: whether most tiles occur more than once."""

    runs: I32
    places: I32
    cells: F64
    rest: Mask
    pay: bool


def tiles_of(start: I64, column: I32, value: F64) -> Tiles:
    """The tiles of a matrix that is given by rows: `start` (rows + 1,) says where the entries of each row begin, and
    the columns (entries,) of a row rise."""
    begins, rest = np.empty(len(start) - 1, np.bool_), np.ones(len(column), np.bool_)
    _begin_runs(start, column, begins)
    first, at, counts = begins.nonzero()[0], np.empty((3, LANES), np.int64), np.empty(2, np.int64)
    nothing = np.empty((0, 2), np.int32), np.empty((0, 3), np.int32), np.empty((0, LANES))
    _join(start, column, value, first, at, counts, False, *nothing, rest)
    runs, places = np.empty((len(first), 2), np.int32), np.empty((counts[0], 3), np.int32)
    cells = np.zeros((counts[1], LANES))
    _join(start, column, value, first, at, counts, True, runs, places, cells, rest)
    table = np.full(1 << (2 * len(places)).bit_length(), -1, np.int64)
    kept = _keep_once(places, cells.view(np.int64), table)
    return Tiles(runs, places, cells[:kept], rest, 2 * kept <= len(cells))


@kernel
def _begin_runs(start: Any, column: Any, begins: Any) -> None:
    """Set (rows,) `begins` to whether a run begins with the row: with every eighth row of a chain of rows of which each has
    at least half of the columns of the next, or as many."""
    place = 0
    for row in range(len(begins)):
        if row > 0 and _is_near(start, column, row):
            place += 1
        else:
            place = 0
        begins[row] = place % LANES == 0


@kernel(inner=True)
def _is_near(start: Any, column: Any, row: int) -> bool:
    """Return whether a row has columns near those of the row before, for half of the shorter one's entries or more."""
    at, stop = start[row], start[row + 1]
    above, here = at - start[row - 1], stop - at
    less = min(above, here)
    if less == 0:
        return bool(above == here)
    shared = 0
    for entry in range(at - above, at):
        while at < stop and column[at] < column[entry] - _NEAR:
            at += 1
        if at < stop and column[at] <= column[entry] + _NEAR:
            shared += 1
    return bool(2 * shared >= less)


@kernel
def _join(
    start: Any, column: Any, value: Any, first: Any, at: Any, counts: Any, fill: bool, runs: Any, places: Any, cells: Any,
    rest: Any,
) -> None:  # fmt: skip
    """Join the rows of each run: neighbouring columns that any of them has are a range, and one that is filled well
    enough becomes a tile. first: (R,) the first row of each run. at: (3, 8) scratch: of each row of a run the next
    entry, the first of the range, and the end. counts: (2,) set to the numbers of tiles and of their columns. With
    `fill` the arrays that follow, of these sizes, are written as of `Tiles`, beginning as zeros, and `rest` as True."""
    count = number = 0
    for run in range(len(first)):
        row = first[run]
        rows = (first[run + 1] if run + 1 < len(first) else len(start) - 1) - row
        for k in range(rows):
            at[0, k], at[2, k] = start[row + k], start[row + k + 1]
        begin = _next_column(column, rows, at)
        while begin >= 0:
            end, met = _end_of_range(column, rows, at, begin)
            if met >= 2 * (end - begin) + 2:
                if fill:
                    _fill_tile(column, value, rows, at, begin, number, cells, rest)
                    places[count, 0], places[count, 1], places[count, 2] = number, begin, end
                count += 1
                number += end - begin
            begin = _next_column(column, rows, at)
        if fill:
            runs[run, 0], runs[run, 1] = row, count
    counts[0], counts[1] = count, number


@kernel(inner=True)
def _next_column(column: Any, rows: int, at: Any) -> int:
    """The least column that is left in a run, at which a range begins; -1 if none is."""
    least = -1
    for k in range(rows):
        at[1, k] = at[0, k]
        if at[0, k] < at[2, k] and (least < 0 or column[at[0, k]] < least):
            least = column[at[0, k]]
    return least


@kernel(inner=True)
def _end_of_range(column: Any, rows: int, at: Any, begin: int) -> Any:
    """The column after a range, and how many entries it has; the rows' next entries are then behind it."""
    end, met, more = begin, 0, True
    while more:
        more = False
        for k in range(rows):
            if at[0, k] < at[2, k] and column[at[0, k]] == end:
                at[0, k] += 1
                met += 1
                more = True
        if more:
            end += 1
    return end, met


@kernel(inner=True)
def _fill_tile(column: Any, value: Any, rows: int, at: Any, begin: int, number: int, cells: Any, rest: Any) -> None:
    """Write the entries of a range to a tile whose first column has a number."""
    for k in range(rows):
        for entry in range(at[1, k], at[0, k]):
            cells[number + column[entry] - begin, k] = value[entry]
            rest[entry] = False


@kernel
def _keep_once(places: Any, bits: Any, table: Any) -> int:
    """Store equal tiles once, at the front of the columns; return the number of columns that are kept. bits: (C, 8) the
    columns of all tiles as integers; negative zeros become zeros. table: a power of two of -1, at least twice as many
    as there are tiles; then the places of different ones by hash. The first numbers of `places` change."""
    kept = 0
    for place in range(len(places)):
        number, size = places[place, 0], places[place, 2] - places[place, 1]
        slot = _hash_of(bits, number, size) & (len(table) - 1)
        while table[slot] >= 0 and not _are_equal(bits, places, table[slot], number, size):
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] >= 0:
            places[place, 0] = places[table[slot], 0]
            continue
        table[slot], places[place, 0] = place, kept
        for c in range(size):  # columns that were kept before are never behind this tile's
            for k in range(LANES):
                bits[kept + c, k] = bits[number + c, k]
        kept += size
    return kept


@kernel(inner=True)
def _hash_of(bits: Any, number: int, size: int) -> int:
    """A hash of a tile's columns (multiplication and shift), whose negative zeros it clears."""
    found = size
    for c in range(number, number + size):
        for k in range(LANES):
            if bits[c, k] == _NEGATIVE_ZERO:
                bits[c, k] = 0
            found = (found ^ bits[c, k]) * _FACTOR
            found ^= found >> 29
    return int(found)


@kernel(inner=True)
def _are_equal(bits: Any, places: Any, place: int, number: int, size: int) -> bool:
    """Return whether a tile that is kept has the columns of one."""
    if places[place, 2] - places[place, 1] != size:
        return False
    for c in range(size):
        for k in range(LANES):
            if bits[places[place, 0] + c, k] != bits[number + c, k]:
                return False
    return True


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


register(Leaf, multiply)
