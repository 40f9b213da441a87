"""One segment on one board: reach goes down, CFVs and regrets go up, in a working set that stays in the cache.

A player's numbers of a segment on a board are rows in order of its actions, of `width` hands each; in the working set rows
begin with the one by which the player enters, and stand `stride` apart. What is stored, regrets or averages, is proportional
to a strategy where it is positive, and stands for the uniform one where nothing is.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.compact.kernels.decision_kernels import (
    ActionRows,
    RowLock,
    RunningAverages,
    bind_reach,
    bound_value,
    carry,
    pack,
    play,
    update,
)
from counterplay.poker.compact.kernels.storage_lanes import (
    LARGEST_SIGNED,
    LARGEST_UNSIGNED,
    is_packed,
    read_lanes,
    write_lanes,
)
from counterplay.poker.compact.kernels.sweep_records import RESPOND, VALUE, side_of, stride_of
from counterplay.poker.compact.layout.streets import (
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

FETCHED = 4
"""Rows that are fetched before their segment is entered."""


@kernel(inline=True, inner=True)
def _rows_of(node: Any, stored: Any, numbers: Any, scale: Any, width: int, stride: int, lanes: int) -> Any:
    """The rows of a decision, so many lanes of each. stored, numbers: those of the player in the segment, in memory and in
    the working set."""
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
        node = shifted(tree.nodes, COLUMNS * k)
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
        node = shifted(tree.nodes, COLUMNS * k)
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
        node = shifted(tree.nodes, COLUMNS * k)
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
        node = shifted(tree.nodes, COLUMNS * k)
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
