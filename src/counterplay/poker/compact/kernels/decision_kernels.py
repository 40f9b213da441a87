"""One decision on one board: rows of its actions, by vectors of hands.

Nearly all decisions have two or three actions: these have code of their own, in which the number of actions is known to the
compiler, and what is stored is read once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.kernels.storage_lanes import is_packed, largest_lane, magnitudes, read_lanes, write_lanes
from counterplay.treeplex.simd import LANES, fetch, load, same_as, store, where_above


class ActionRows(NamedTuple):
    """The rows of a decision of `n` actions on a board.

    stored: what its strategy is proportional to, rows `width` apart. above: reach or CFVs of the row by which it is reached;
    below: those of its actions, `stride` apart. scale: one over the sum of the positive stored numbers. lanes: how many
    hands of each row are worked on.
    """

    stored: Any
    above: Any
    below: Any
    scale: Any
    n: Any
    width: Any
    stride: Any
    lanes: Any


@kernel(inline=True, inner=True)
def read_positive(rows: Any, a: int, i: int, least: Any) -> Any:
    """What is stored of an action, 0 up to a bound."""
    value = read_lanes(rows.stored, a * rows.width + i, rows.below)
    return where_above(value, least, value, same_as(rows.below, 0.0))


@kernel(inline=True, inner=True)
def _third(rows: Any, n: int, i: int, least: Any) -> Any:
    """`read_positive` of the third action, 0 if there is none."""
    if n > 2:
        return read_positive(rows, 2, i, least)
    return same_as(rows.below, 0.0)


@kernel(inner=True)
def carry(rows: Any, least: float) -> None:
    """The reach of the actions, from that of the decision."""
    if rows.n == 2:
        _carry(rows, 2, least)
    elif rows.n == 3:
        _carry(rows, 3, least)
    else:
        _carry(rows, rows.n, least)


@kernel(inline=True, inner=True)
def _carry(rows: Any, n: int, least: float) -> None:
    below, width, stride = rows.below, rows.width, rows.stride
    zero, low, even = same_as(below, 0.0), same_as(below, least), same_as(below, 1.0 / n)
    for i in range(0, rows.lanes, LANES):
        for a in range(n, 2 * n):
            fetch(rows.stored, a * width + i)
        x, y, z = read_positive(rows, 0, i, low), read_positive(rows, 1, i, low), _third(rows, n, i, low)
        total = x + y + z
        for a in range(3, n):
            total += read_positive(rows, a, i, low)
        up = load(rows.above, i)
        scale = where_above(total, zero, up / total, zero)
        share = where_above(total, zero, zero, even * up)
        store(below, i, x * scale + share)
        store(below, stride + i, y * scale + share)
        if n > 2:
            store(below, 2 * stride + i, z * scale + share)
        for a in range(3, n):
            store(below, a * stride + i, read_positive(rows, a, i, low) * scale + share)


class RunningAverages(NamedTuple):
    """The averages of a decision. total: as stored. fresh: new ones, if they are packed. factor: of the old ones."""

    total: Any
    fresh: Any
    factor: Any


@kernel(inner=True)
def play(rows: Any, least: float, averages: Any) -> Any:
    """`carry`; the scales are kept, and the reach is added to the averages. If these are packed, the new ones are left for
    `pack`; the largest of them."""
    if rows.n == 2:
        return _play(rows, 2, least, averages)
    if rows.n == 3:
        return _play(rows, 3, least, averages)
    return _play(rows, rows.n, least, averages)


@kernel(inline=True, inner=True)
def _play(rows: Any, n: int, least: float, averages: Any) -> Any:
    below, width = rows.below, rows.width
    zero, one, low = same_as(below, 0.0), same_as(below, 1.0), same_as(below, least)
    even, largest = same_as(below, 1.0 / n), same_as(below, 0.0)
    for i in range(0, rows.lanes, LANES):
        for a in range(n, 2 * n):
            fetch(rows.stored, a * width + i)
            fetch(averages.total, a * width + i)
        x, y, z = read_positive(rows, 0, i, low), read_positive(rows, 1, i, low), _third(rows, n, i, low)
        whole = x + y + z
        for a in range(3, n):
            whole += read_positive(rows, a, i, low)
        inverse = where_above(whole, zero, one / whole, zero)
        store(rows.scale, i, inverse)
        up = load(rows.above, i)
        scale, share = inverse * up, where_above(whole, zero, zero, even * up)
        largest = _add(rows, averages, 0, i, x * scale + share, largest)
        largest = _add(rows, averages, 1, i, y * scale + share, largest)
        if n > 2:
            largest = _add(rows, averages, 2, i, z * scale + share, largest)
        for a in range(3, n):
            largest = _add(rows, averages, a, i, read_positive(rows, a, i, low) * scale + share, largest)
    return largest_lane(largest)


@kernel(inline=True, inner=True)
def _add(rows: Any, averages: Any, a: int, i: int, reach: Any, largest: Any) -> Any:
    """Set the reach of an action and add it to the average; the largest number so far."""
    store(rows.below, a * rows.stride + i, reach)
    at = a * rows.width + i
    found = read_lanes(averages.total, at, rows.below) * same_as(rows.below, averages.factor) + reach
    if is_packed(averages.total):
        store(averages.fresh, a * rows.stride + i, found)
        return where_above(found, largest, found, largest)
    write_lanes(averages.total, at, found)
    return largest


@kernel(inner=True)
def update(rows: Any, step: Any, unit: float, lock: Any) -> Any:
    """Add the CFVs of the decision to those of its row, and update its regrets. If these are packed, the new ones are left
    for `pack` in the place of the CFVs; the largest magnitude of them. step: a `RegretStep`. unit: of packed regrets. lock:
    a `RowLock`."""
    if rows.n == 2:
        return _update(rows, 2, step, unit, lock)
    if rows.n == 3:
        return _update(rows, 3, step, unit, lock)
    return _update(rows, rows.n, step, unit, lock)


@kernel(inline=True, inner=True)
def _update(rows: Any, n: int, step: Any, unit: float, lock: Any) -> Any:
    below, stride = rows.below, rows.stride
    zero, least, even = same_as(below, 0.0), same_as(below, step.least), same_as(below, 1.0 / n)
    largest = zero
    for i in range(0, rows.lanes, LANES):
        scale = load(rows.scale, i)
        share, value = where_above(scale, zero, zero, even), zero
        for a in range(n):
            value += (read_positive(rows, a, i, least) * scale + share) * load(below, a * stride + i)
        played = value
        if lock.at >= 0:
            played = bound_value(rows, lock, value, i)
        store(rows.above, i, load(rows.above, i) + played)
        for a in range(n):
            largest = _regret(rows, step, unit, a, i, value, largest)
    return largest_lane(largest)


@kernel(inline=True, inner=True)
def _regret(rows: Any, step: Any, unit: float, a: int, i: int, value: Any, largest: Any) -> Any:
    """Set the regret of an action; the largest magnitude so far."""
    below, at = rows.below, a * rows.stride + i
    zero, low = same_as(below, 0.0), same_as(below, step.low)
    found = read_lanes(rows.stored, a * rows.width + i, below)
    if is_packed(rows.stored):
        found *= same_as(below, unit)
    found += load(below, at) - value
    found = where_above(found, low, found, low)
    found *= where_above(found, zero, same_as(below, step.grow), same_as(below, step.shrink))
    if is_packed(rows.stored):
        size = magnitudes(found)
        store(below, at, found)
        return where_above(size, largest, size, largest)
    write_lanes(rows.stored, a * rows.width + i, found)
    return largest


@kernel(inner=True)
def pack(fresh: Any, stored: Any, rows: Any, factor: float) -> None:
    """Store numbers, in rows as those of the working set, as 16 bits."""
    times = same_as(fresh, factor)
    for a in range(rows.n):
        for i in range(0, rows.lanes, LANES):
            write_lanes(stored, a * rows.width + i, load(fresh, a * rows.stride + i) * times)


class RowLock(NamedTuple):
    """What must be played: where it begins in `rows`, below 0 for nothing; first what is left free, then by action."""

    rows: Any
    at: Any


@kernel(inner=True)
def bind_reach(rows: Any, lock: Any) -> None:
    """The reach of what is played under a lock, from that of what would be chosen."""
    above, below, width = rows.above, rows.below, rows.width
    for i in range(0, rows.lanes, LANES):
        up, free = load(above, i), read_lanes(lock.rows, lock.at + i, above)
        for a in range(rows.n):
            must = up * read_lanes(lock.rows, lock.at + (1 + a) * width + i, above)
            store(below, a * rows.stride + i, load(below, a * rows.stride + i) * free + must)


@kernel(inner=True)
def bound_value(rows: Any, lock: Any, value: Any, i: int) -> Any:
    """CFVs under a lock, from those of a free choice."""
    below = rows.below
    found = value * read_lanes(lock.rows, lock.at + i, below)
    for a in range(rows.n):
        must = read_lanes(lock.rows, lock.at + (1 + a) * rows.width + i, below)
        found += must * load(below, a * rows.stride + i)
    return found
