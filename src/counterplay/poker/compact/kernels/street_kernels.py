"""One segment on one board: reach goes down, CFVs and regrets go up, in a working set that stays in the cache.

A player's numbers of a segment on a board are rows in order of its actions, of `width` hands each; in the working set rows
begin with the one by which the player enters, and stand `stride` apart. What is stored, regrets or averages, is proportional
to a strategy where it is positive, and stands for the uniform one where nothing is.

Nearly all decisions have two or three actions: these have code of their own, in which the number of actions is known to the
compiler, and what is stored is read once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.kernels.storage_lanes import (
    LARGEST_SIGNED,
    LARGEST_UNSIGNED,
    is_packed,
    largest_lane,
    magnitudes,
    read_lanes,
    write_lanes,
)
from counterplay.poker.compact.kernels.sweep_records import RESPOND, VALUE, side_of, stride_of
from counterplay.poker.compact.layout.compact_layout import (
    ACTIONS,
    BEFORE,
    COLUMNS,
    NODE,
    NODE_END,
    NUMBER,
    OF_PLAYER,
    OWN,
    PARENT,
    PLAYERS,
    RANK,
    ROW,
    ROWS,
    SCALES,
    START,
    WHO,
    WIDTH,
)
from counterplay.treeplex.simd import LANES, fetch, get, load, put, same_as, shifted, store, where_above


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


FETCHED = 4
"""Rows that are fetched before their segment is entered."""


@kernel(inline=True, inner=True)
def _rows_of(node: Any, stored: Any, numbers: Any, scale: Any, width: int, stride: int, lanes: int) -> Any:
    """The rows of a decision, so many lanes of each: `stored` in memory, and `numbers` in the working set."""
    return ActionRows(
        shifted(stored, (get(node, ROW) - 1) * width), shifted(numbers, get(node, PARENT) * stride),
        shifted(numbers, get(node, ROW) * stride), shifted(scale, get(node, RANK) * stride), get(node, ACTIONS),
        width, stride, lanes,
    )  # fmt: skip


@kernel(inline=True, inner=True)
def _lock_of(memory: Any, decision: int) -> Any:
    return RowLock(memory.rows, get(memory.locks, decision * memory.bound))


@kernel(inner=True)
def fetch_first(segment: Any, board: Any, player: int, numbers: Any) -> None:
    """Bring the first rows of a player in a segment on a board into the cache: they are needed soon."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    stored = shifted(numbers, get(own, START) + get(own, ROWS) * get(side, BEFORE))
    for i in range(0, min(get(own, ROWS), FETCHED) * get(side, WIDTH), 2 * LANES):
        fetch(stored, i)


@kernel(inner=True)
def carry_down(
    tree: Any, segment: Any, board: Any, player: int, memory: Any, numbers: Any, reach: Any, least: float
) -> None:
    """The reach of a player's rows, from that of their first row: by the strategy that `numbers` are proportional to, bound
    by the locks."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, player)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    stored = shifted(numbers, get(own, START) + get(own, ROWS) * get(side, BEFORE))
    for k in range(get(segment, NODE), get(segment, NODE_END)):
        node = shifted(tree.streets.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            rows = _rows_of(node, stored, reach, reach, width, stride, width)
            carry(rows, least)
            lock = _lock_of(memory, decisions + get(node, RANK))
            if lock.at >= 0:
                bind_reach(rows, lock)


@kernel(inner=True)
def play_down(tree: Any, segment: Any, board: Any, player: int, memory: Any, level: Any, step: Any) -> None:
    """`carry_down` of the player whose regrets are updated then: their strategy is kept and added to the average."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, player)
    begin = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    stored, totals = shifted(memory.regret, begin), shifted(memory.total, begin)
    for k in range(get(segment, NODE), get(segment, NODE_END)):
        node = shifted(tree.streets.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            rows, decision = (
                _rows_of(node, stored, level.first, level.scale, width, stride, width),
                decisions + get(node, RANK),
            )
            total, factor = shifted(totals, (get(node, ROW) - 1) * width), step.decay
            if is_packed(total):
                factor *= get(memory.total_scale, decision)
            largest = play(rows, step.least, RunningAverages(total, level.fresh, factor))
            if is_packed(total):
                put(memory.total_scale, decision, largest / LARGEST_UNSIGNED)
                pack(level.fresh, total, rows, LARGEST_UNSIGNED / largest if largest > 0.0 else 0.0)
            lock = _lock_of(memory, decision)
            if lock.at >= 0:
                bind_reach(rows, lock)


@kernel(inner=True)
def update_up(
    tree: Any, segment: Any, board: Any, player: int, memory: Any, level: Any, step: Any, part: tuple[int, int]
) -> None:
    """CFVs of all rows of the player, and new regrets; the first row has the CFVs of entering. part: the lanes to do, which
    do not depend on others unless regrets are packed."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride, begin = get(side, WIDTH), stride_of(tree, segment, player), part[0]
    stored = shifted(memory.regret, get(own, START) + get(own, ROWS) * get(side, BEFORE) + begin)
    cfv, scale, locks = shifted(level.cfv, begin), shifted(level.scale, begin), shifted(memory.rows, begin)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    for k in range(get(segment, NODE_END) - 1, get(segment, NODE) - 1, -1):
        node = shifted(tree.streets.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            decision = decisions + get(node, RANK)
            rows = _rows_of(node, stored, cfv, scale, width, stride, part[1] - begin)
            unit = 1.0
            if is_packed(stored):
                unit = float(get(memory.regret_scale, decision))
            largest = update(rows, step, unit, RowLock(locks, get(memory.locks, decision * memory.bound)))
            if is_packed(stored):
                put(memory.regret_scale, decision, largest / LARGEST_SIGNED)
                pack(rows.below, rows.stored, rows, LARGEST_SIGNED / largest if largest > 0.0 else 0.0)


@kernel(inner=True)
def value_up(tree: Any, segment: Any, board: Any, work: Any, numbers: Any, part: tuple[int, int]) -> None:
    """CFVs of all rows of the player, by the best action, which RESPOND stores, or by the average. What is to be seen is
    kept. part: the lanes to do."""
    own, memory = shifted(segment, PLAYERS + OF_PLAYER * work.player), work.mine
    side, begin = side_of(board, work.player), part[0]
    width, stride, lanes = get(side, WIDTH), stride_of(tree, segment, work.player), part[1] - begin
    base = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    cfv, totals, locks = shifted(numbers, begin), shifted(memory.total, base + begin), shifted(memory.rows, begin)
    zero, one = same_as(cfv, 0.0), same_as(cfv, 1.0)
    for k in range(get(segment, NODE_END) - 1, get(segment, NODE) - 1, -1):
        node = shifted(tree.streets.nodes, COLUMNS * k)
        if get(node, WHO) == work.player:
            at = base + (get(node, ROW) - 1) * width
            lock = RowLock(locks, get(memory.locks, (decisions + get(node, RANK)) * memory.bound))
            rows = _rows_of(node, totals, cfv, cfv, width, stride, lanes)
            stored, above, below, _, n, _, _, _ = rows
            even = same_as(cfv, 1.0 / n)
            if work.seen_from <= at and at + n * width <= work.seen_to:
                _keep(rows, shifted(work.seen, at - work.seen_from + begin))
            for i in range(0, lanes, LANES):
                value = load(below, i)
                if work.what != VALUE:
                    for a in range(1, n):
                        z = load(below, a * stride + i)
                        value = where_above(z, value, z, value)
                    if work.what == RESPOND:
                        left = one  # until the first of the best actions
                        for a in range(n):
                            chosen = where_above(value, load(below, a * stride + i), zero, left)
                            write_lanes(stored, a * width + i, chosen)
                            left = left - chosen
                else:
                    total, mean, value = zero, zero, zero
                    for a in range(n):
                        x, z = read_lanes(stored, a * width + i, cfv), load(below, a * stride + i)
                        total += x
                        value += x * z
                        mean += z
                    value = where_above(total, zero, value / total, mean * even)
                if lock.at >= 0:
                    value = bound_value(rows, lock, value, i)
                store(above, i, load(above, i) + value)


@kernel(inner=True)
def _keep(rows: Any, seen: Any) -> None:
    """Keep the CFVs of the actions of a decision."""
    for a in range(rows.n):
        for i in range(0, rows.lanes, LANES):
            store(seen, a * rows.width + i, load(rows.below, a * rows.stride + i))
