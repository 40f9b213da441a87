"""One segment on one board: reach goes down, CFVs and regrets go up, in a working set that stays in the cache.

A player's numbers of a segment on a board are rows in order of its actions, of `width` hands each; in the working set rows
begin with the one by which the player enters, and stand `stride` apart. What is stored, regrets or averages, is proportional
to a strategy where it is positive, and stands for the uniform one where nothing is.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.compact.compact_layout import (
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
from counterplay.poker.compact.storage_lanes import (
    LARGEST_SIGNED,
    LARGEST_UNSIGNED,
    fetch_lanes,
    is_packed,
    largest_lane,
    magnitudes,
    read_lanes,
    write_lanes,
)
from counterplay.poker.compact.sweep_records import RESPOND, VALUE, side_of, stride_of
from counterplay.treeplex.simd import LANES, get, load, put, same_as, shifted, store, where_above


@kernel(inline=True, inner=True)
def _positive(value: Any, least: Any, zero: Any) -> Any:
    return where_above(value, least, value, zero)


@kernel(inner=True)
def _bind(rows: Any, above: Any, below: Any, n: int, width: int, stride: int) -> None:
    """The reach of what is played under a lock, from that of what would be chosen."""
    for i in range(0, width, LANES):
        up, free = load(above, i), read_lanes(rows, i, above)
        for a in range(n):
            must = up * read_lanes(rows, (1 + a) * width + i, above)
            store(below, a * stride + i, load(below, a * stride + i) * free + must)


@kernel(inner=True)
def _bound_value(value: Any, rows: Any, below: Any, n: int, width: int, stride: int, i: int) -> Any:
    """CFVs under a lock, from those of a free choice."""
    found = value * read_lanes(rows, i, below)
    for a in range(n):
        found += read_lanes(rows, (1 + a) * width + i, below) * load(below, a * stride + i)
    return found


@kernel(inner=True)
def carry_down(
    tree: Any, segment: Any, board: Any, player: int, memory: Any, numbers: Any, reach: Any, least: float
) -> None:
    """The reach of a player's rows, from that of their first row: by the strategy that `numbers` are proportional to, bound
    by the locks."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, player)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    base = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    zero, low = same_as(reach, 0.0), same_as(reach, least)
    for k in range(get(segment, NODE), get(segment, NODE_END)):
        node = shifted(tree.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            n, stored = get(node, ACTIONS), shifted(numbers, base + (get(node, ROW) - 1) * width)
            above, below = shifted(reach, get(node, PARENT) * stride), shifted(reach, get(node, ROW) * stride)
            even = same_as(reach, 1.0 / n)
            for i in range(0, width, LANES):
                for a in range(n, 2 * n):
                    fetch_lanes(stored, a * width + i)
                x = _positive(read_lanes(stored, i, reach), low, zero)
                y = _positive(read_lanes(stored, width + i, reach), low, zero)
                total = x + y
                for a in range(2, n):
                    total += _positive(read_lanes(stored, a * width + i, reach), low, zero)
                up = load(above, i)
                scale = where_above(total, zero, up / total, zero)
                share = where_above(total, zero, zero, even * up)
                store(below, i, x * scale + share)
                store(below, stride + i, y * scale + share)
                for a in range(2, n):
                    z = _positive(read_lanes(stored, a * width + i, reach), low, zero)
                    store(below, a * stride + i, z * scale + share)
            lock = get(memory.locks, (decisions + get(node, RANK)) * memory.bound)
            if lock >= 0:
                _bind(shifted(memory.rows, lock), above, below, n, width, stride)


@kernel(inner=True)
def play_down(tree: Any, segment: Any, board: Any, player: int, memory: Any, level: Any, step: Any) -> None:
    """`carry_down` of the player whose regrets are updated then: their strategy is kept and added to the average."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, player)
    base = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    scales = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    reach = level.first
    zero, one, low, decay = (
        same_as(reach, 0.0),
        same_as(reach, 1.0),
        same_as(reach, step.least),
        same_as(reach, step.decay),
    )
    for k in range(get(segment, NODE), get(segment, NODE_END)):
        node = shifted(tree.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            n, rank, at = get(node, ACTIONS), get(node, RANK), base + (get(node, ROW) - 1) * width
            stored, total = shifted(memory.regret, at), shifted(memory.total, at)
            above, below = shifted(reach, get(node, PARENT) * stride), shifted(reach, get(node, ROW) * stride)
            fresh, even = level.fresh, same_as(reach, 1.0 / n)
            factor, largest = decay, zero
            if is_packed(total):
                factor = same_as(reach, step.decay * get(memory.total_scale, scales + rank))
            for i in range(0, width, LANES):
                for a in range(n, 2 * n):
                    fetch_lanes(stored, a * width + i)
                    fetch_lanes(total, a * width + i)
                x = _positive(read_lanes(stored, i, reach), low, zero)
                y = _positive(read_lanes(stored, width + i, reach), low, zero)
                whole = x + y
                for a in range(2, n):
                    whole += _positive(read_lanes(stored, a * width + i, reach), low, zero)
                inverse = where_above(whole, zero, one / whole, zero)
                store(level.scale, rank * stride + i, inverse)
                up = load(above, i)
                scale, share = inverse * up, where_above(whole, zero, zero, even * up)
                for a in range(n):
                    z = _positive(read_lanes(stored, a * width + i, reach), low, zero) * scale + share
                    store(below, a * stride + i, z)
                    z = read_lanes(total, a * width + i, reach) * factor + z
                    if is_packed(total):
                        largest = where_above(z, largest, z, largest)
                        store(fresh, a * stride + i, z)
                    else:
                        write_lanes(total, a * width + i, z)
            if is_packed(total):
                most = largest_lane(largest)
                put(memory.total_scale, scales + rank, most / LARGEST_UNSIGNED)
                _pack(fresh, total, n, width, stride, LARGEST_UNSIGNED / most if most > 0.0 else 0.0)
            lock = get(memory.locks, (scales + rank) * memory.bound)
            if lock >= 0:
                _bind(shifted(memory.rows, lock), above, below, n, width, stride)


@kernel(inner=True)
def _pack(fresh: Any, stored: Any, n: int, width: int, stride: int, factor: float) -> None:
    """Store rows as 16-bit numbers."""
    times = same_as(fresh, factor)
    for a in range(n):
        for i in range(0, width, LANES):
            write_lanes(stored, a * width + i, load(fresh, a * stride + i) * times)


@kernel(inner=True)
def update_up(tree: Any, segment: Any, board: Any, player: int, memory: Any, level: Any, step: Any) -> None:
    """CFVs of all rows of the player, and new regrets; the first row has the CFVs of entering."""
    own, side = shifted(segment, PLAYERS + OF_PLAYER * player), side_of(board, player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, player)
    base = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    scales, cfv = get(own, SCALES) + get(own, OWN) * get(board, NUMBER), level.cfv
    zero, least, low = same_as(cfv, 0.0), same_as(cfv, step.least), same_as(cfv, step.low)
    grow, shrink = same_as(cfv, step.grow), same_as(cfv, step.shrink)
    for k in range(get(segment, NODE_END) - 1, get(segment, NODE) - 1, -1):
        node = shifted(tree.nodes, COLUMNS * k)
        if get(node, WHO) == player:
            n, rank, at = get(node, ACTIONS), get(node, RANK), base + (get(node, ROW) - 1) * width
            stored, even = shifted(memory.regret, at), same_as(cfv, 1.0 / n)
            above, below = shifted(cfv, get(node, PARENT) * stride), shifted(cfv, get(node, ROW) * stride)
            unit, largest = same_as(cfv, 1.0), zero
            lock = get(memory.locks, (scales + rank) * memory.bound)
            if is_packed(stored):
                unit = same_as(cfv, get(memory.regret_scale, scales + rank))
            for i in range(0, width, LANES):
                scale = load(level.scale, rank * stride + i)
                share = where_above(scale, zero, zero, even)
                value = zero
                for a in range(n):
                    chosen = _positive(read_lanes(stored, a * width + i, cfv), least, zero) * scale + share
                    value += chosen * load(below, a * stride + i)
                if lock >= 0:
                    played = _bound_value(value, shifted(memory.rows, lock), below, n, width, stride, i)
                    store(above, i, load(above, i) + played)
                else:
                    store(above, i, load(above, i) + value)
                for a in range(n):
                    z = read_lanes(stored, a * width + i, cfv)
                    if is_packed(stored):
                        z *= unit
                    z += load(below, a * stride + i) - value
                    z = where_above(z, low, z, low)
                    z *= where_above(z, zero, grow, shrink)
                    if is_packed(stored):
                        size = magnitudes(z)
                        largest = where_above(size, largest, size, largest)
                        store(below, a * stride + i, z)
                    else:
                        write_lanes(stored, a * width + i, z)
            if is_packed(stored):
                most = largest_lane(largest)
                put(memory.regret_scale, scales + rank, most / LARGEST_SIGNED)
                _pack(below, stored, n, width, stride, LARGEST_SIGNED / most if most > 0.0 else 0.0)


@kernel(inner=True)
def value_up(tree: Any, segment: Any, board: Any, work: Any, cfv: Any) -> None:
    """CFVs of all rows of the player, by the best action, which RESPOND stores, or by the average. What is to be seen is
    kept."""
    own, memory = shifted(segment, PLAYERS + OF_PLAYER * work.player), work.mine
    side = side_of(board, work.player)
    width, stride = get(side, WIDTH), stride_of(tree, segment, work.player)
    base = get(own, START) + get(own, ROWS) * get(side, BEFORE)
    decisions = get(own, SCALES) + get(own, OWN) * get(board, NUMBER)
    zero, one = same_as(cfv, 0.0), same_as(cfv, 1.0)
    for k in range(get(segment, NODE_END) - 1, get(segment, NODE) - 1, -1):
        node = shifted(tree.nodes, COLUMNS * k)
        if get(node, WHO) == work.player:
            n, at = get(node, ACTIONS), base + (get(node, ROW) - 1) * width
            stored, lock = shifted(memory.total, at), get(memory.locks, (decisions + get(node, RANK)) * memory.bound)
            above, below = shifted(cfv, get(node, PARENT) * stride), shifted(cfv, get(node, ROW) * stride)
            even = same_as(cfv, 1.0 / n)
            if work.seen_from <= at and at + n * width <= work.seen_to:
                _keep(below, shifted(work.seen, at - work.seen_from), n, width, stride)
            for i in range(0, width, LANES):
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
                if lock >= 0:
                    value = _bound_value(value, shifted(memory.rows, lock), below, n, width, stride, i)
                store(above, i, load(above, i) + value)


@kernel(inner=True)
def _keep(below: Any, seen: Any, n: int, width: int, stride: int) -> None:
    """Keep the CFVs of the actions of a decision."""
    for a in range(n):
        for i in range(0, width, LANES):
            store(seen, a * width + i, load(below, a * stride + i))
