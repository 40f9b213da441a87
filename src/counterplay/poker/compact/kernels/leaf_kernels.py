"""Leaves of segments: terminals laid out in the dtype of the working set, and CFVs at folds and showdowns, on the boards of
a segment or on those to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.compact.kernels.storage_lanes import sum_of_lanes
from counterplay.poker.compact.kernels.sweep_records import LEAF, SEGMENT, side_of, stride_of
from counterplay.poker.compact.layout.compact_layout import (
    BOARD,
    CHILD,
    CHILD_END,
    FOLDED,
    FOLDED_END,
    HELD,
    LANES_ON,
    OUT,
    SAME,
    SHARED,
    SHOWN,
    SHOWN_END,
    TAKES,
    WIDTH,
    CompactLayout,
)
from counterplay.poker.compact.layout.segments import Pair, SegmentLeaf, ends_of, rows_of
from counterplay.poker.public_tree.boards import COUNT as LANES_OF
from counterplay.poker.public_tree.boards import FROM, MATRIX, SMALL, bundle_matrices
from counterplay.poker.public_tree.payoff import terminal_at
from counterplay.poker.showdown.showdown import evaluate_batches, ranked_board
from counterplay.poker.showdown.terminals import Held, Terminals, terminals_of
from counterplay.treeplex.simd import LANES, gather, get, lane_of, load, put, same_as, shifted, store

PLACED, MOVED, TO_COME = range(3)
"""Kinds: terminals on last boards, whose hands stand in the working set, those of a segment or those that follow it; folds
before the last street, and showdowns on last boards two cards ahead, whose hands are moved."""
KINDS = 3
COUNT, BATCH, PLACE, AMOUNT = range(4)
FIELDS = 4
"""Columns of the last axis of `SegmentTerminals.table`."""


class SegmentTerminals(NamedTuple):
    """Both players' terminals.

    table: (segments, 2 players, 3 kinds, 4) the number of batches and where batches, places and amounts begin. batches,
    places, amounts: see `terminals.Terminals`. blank: (segments, 2, 3) the part of `rows` with the rows of CFVs that no
    terminal of kind PLACED sets, and the number of all of them. small, matrices: those of `bundle_matrices`, empty without
    bundles.
    """

    table: I64
    batches: I64
    places: I64
    amounts: AnyArray
    blank: I64
    rows: I64
    small: I64
    matrices: AnyArray


def segment_terminals(layout: CompactLayout, dtype: Any, *, alone: bool) -> SegmentTerminals:
    """Lay them out, for plans and CFVs of a dtype. alone: those of single segments of the last street, with which sweeps
    begin there; else those of all that follow a segment of a street before it."""
    none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, dtype)
    parts: list[list[AnyArray]] = [[array] for array in none]
    ends_at, last_layer, room = [0, 0, 0], layout.depth - 1, layout.room

    def lay(row: I64, leaves: Sequence[SegmentLeaf], player: int, layer: int, places: list[Pair], sizes: Pair) -> None:
        row[1:] = ends_at
        if leaves:
            unit = 1.0 / layout.boards.cards.pairs * layout.boards.layers[layer].chance  # of a chip
            terminals = [
                terminal_at(layout.betting, leaf.node, player, place, unit)
                for leaf, place in zip(leaves, places, strict=True)
            ]
            board = layout.tables.widest[layer]._replace(hands=min(own.most[layer] for own in layout.own))
            laid = terminals_of(board, terminals, sizes, dtype, store=True)
            row[0] = len(laid.batches)
            for k, array in enumerate(laid):
                parts[k].append(array)
                ends_at[k] += len(array)

    index = np.zeros((len(layout.segments), 2, KINDS, FIELDS), np.int64)
    blank, rows = np.zeros((len(layout.segments), 2, 3), np.int64), list[int]()
    for k, one in enumerate(layout.segments):
        last = one.layer == last_layer
        if last != alone:
            continue
        followed = layout.followed(one)
        ends = one.ends if last else list(ends_of(followed))
        most = (one.rows[0], one.rows[1]) if last else rows_of(followed)
        for player in (0, 1):
            # Those on last boards, in rows of the working set; then those whose hands are moved to the order of boards.
            mine, theirs = (layout.stride(last_layer, side) for side in (player, 1 - player))
            places = [(leaf.rows[1 - player] * theirs, leaf.rows[player] * mine) for leaf in ends]
            sizes = theirs * most[1 - player], mine * most[player]
            lay(index[k, player, PLACED], ends, player, last_layer, places, sizes)
            shown = [] if followed else one.shown
            for kind, leaves, layer in ((MOVED, layout.folds_of(one), one.layer), (TO_COME, shown, last_layer)):
                count = len(leaves)
                moved = [(j * room, (count + j) * room) for j in range(count)]
                lay(index[k, player, kind], leaves, player, layer, moved, (2 * count * room, 2 * count * room))
            free = set(range(most[player])) - {leaf.rows[player] for leaf in ends}
            blank[k, player] = len(rows), len(rows) + len(free), most[player]
            rows += sorted(free)
    batches, amount_places, amounts = (np.concatenate(part) for part in parts)
    small = np.zeros((0, SMALL), np.int64), np.zeros(0, dtype)
    if layout.bundled:
        small = bundle_matrices(layout.boards, dtype)
    return SegmentTerminals(index, batches.ravel(), amount_places, amounts, blank, np.array(rows, np.int64), *small)


class MovedLeaves(NamedTuple):
    """Leaves whose hands are moved: the first of them and their number, the column of the maps to their lanes, a factor of
    the reach, the distances of rows of reach and of CFVs, and whether CFVs have a row for each leaf, in order."""

    first: Any
    count: Any
    way: Any
    factor: Any
    theirs: Any
    mine: Any
    apart: Any


@kernel(inner=True)
def clear(out: Any, begin: int, end: int) -> None:
    """Set numbers to 0."""
    zero = same_as(out, 0.0)
    for i in range(begin, end, LANES):
        store(out, i, zero)


@kernel(inner=True)
def clear_some(out: Any, begin: int, end: int) -> None:
    """Set a few numbers to 0."""
    for i in range(begin, end):
        put(out, i, 0.0)


@kernel(inner=True)
def move(source: Any, way: Any, count: int, factor: Any, target: Any) -> None:
    """The numbers at the places that a map tells, times a factor."""
    full = count - count % LANES
    for i in range(0, full, LANES):
        store(target, i, gather(source, way, i) * factor)
    for i in range(full, count):
        put(target, i, get(source, get(way, i)) * lane_of(factor, 0))


@kernel(inner=True)
def pay(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """CFVs at terminals of the last street: those of a segment, or those that follow it."""
    blank, side = shifted(tree.terminals.blank, 3 * (2 * s + work.player)), side_of(board, work.player)
    stride, width = get(tree.streets.strides, 2 * (tree.depth - 1) + work.player), get(side, WIDTH)
    for k in range(get(blank, 0), get(blank, 1)):
        row = get(tree.terminals.rows, k) * stride
        clear(level.cfv, row, row + width)
    terminals, count = _terminals(tree, s, work.player, PLACED)
    if get(board, CHILD_END) > 0:
        pay_bundle(tree, board, terminals, count, level.paid, level.cfv)
    else:
        held = _held(tree, board, work.player)
        evaluate_batches(
            ranked_board(board, tree.streets.pairs, tree.streets.steps),
            held,
            terminals,
            count,
            level.paid,
            level.cfv,
            work.scratch,
        )
    for row in range(get(blank, 2)):
        clear_some(level.cfv, row * stride + get(side, LANES_ON), row * stride + width)


@kernel(inner=True)
def _held(tree: Any, board: Any, player: int) -> Any:
    """The hands of a board that the players hold."""
    mine, theirs = side_of(board, player), side_of(board, 1 - player)
    takes, gives = shifted(tree.streets.up, get(theirs, TAKES)), shifted(tree.streets.up, get(mine, TAKES))
    return Held(get(theirs, HELD), get(mine, HELD), takes, gives, shifted(tree.streets.up, get(mine, SHARED)))


@kernel(inner=True)
def _terminals(tree: Any, s: int, player: int, kind: int) -> Any:
    """Terminals of a segment, and the number of their batches."""
    row = shifted(tree.terminals.table, FIELDS * (KINDS * (2 * s + player) + kind))
    found = Terminals(
        shifted(tree.terminals.batches, 2 * get(row, BATCH)), shifted(tree.terminals.places, get(row, PLACE)),
        shifted(tree.terminals.amounts, get(row, AMOUNT)),
    )  # fmt: skip
    return found, get(row, COUNT)


@kernel(inner=True)
def fold(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """Add the CFVs of a segment's folds before the last street."""
    segment = shifted(tree.streets.segments, SEGMENT * s)
    first, count = get(segment, FOLDED), get(segment, FOLDED_END) - get(segment, FOLDED)
    if count > 0:
        mine, theirs = stride_of(tree, segment, work.player), stride_of(tree, segment, 1 - work.player)
        moved = MovedLeaves(first, count, SAME, 1.0, theirs, mine, False)
        evaluate_moved(tree, work, s, MOVED, board, moved, level.paid, level.cfv)


@kernel(inner=True)
def run_out(tree: Any, work: Any, s: int, b: int, reach: Any, into: Any, stride: int) -> None:
    """CFVs of the trunk's showdowns with two cards to come, on the last boards of a branch; a row of `into` for each,
    `stride` apart."""
    segment = shifted(tree.streets.segments, SEGMENT * s)
    first, theirs = get(segment, SHOWN), stride_of(tree, segment, 1 - work.player)
    count = get(segment, SHOWN_END) - first
    clear(into, 0, count * stride)
    dealt = shifted(tree.streets.boards, BOARD * b)
    for at in range(get(dealt, CHILD), get(dealt, CHILD_END)):
        board = shifted(tree.streets.boards, BOARD * at)
        moved = MovedLeaves(first, count, OUT, get(tree.streets.shares, 2 * at + 1), theirs, stride, True)
        evaluate_moved(tree, work, s, TO_COME, board, moved, reach, into)


@kernel(inner=True)
def evaluate_moved(tree: Any, work: Any, s: int, kind: int, board: Any, moved: Any, reach: Any, cfv: Any) -> None:
    """Evaluate leaves whose hands are moved to the order of a board, and add their CFVs to their rows."""
    held, room, count = _held(tree, board, work.player), work.room, moved.count
    takes = shifted(tree.streets.up, get(side_of(board, 1 - work.player), moved.way))
    gives = shifted(tree.streets.up, get(side_of(board, work.player), moved.way))
    factor = same_as(room, moved.factor)
    for k in range(count):
        leaf = shifted(tree.streets.leaves, LEAF * (moved.first + k))
        source = shifted(reach, get(leaf, 1 - work.player) * moved.theirs)
        move(source, takes, held.taken, factor, shifted(room, k * tree.room))
    terminals, batches = _terminals(tree, s, work.player, kind)
    evaluate_batches(
        ranked_board(board, tree.streets.pairs, tree.streets.steps), held, terminals, batches, room, room, work.scratch
    )
    for k in range(count):
        leaf = shifted(tree.streets.leaves, LEAF * (moved.first + k))
        row = k if moved.apart else get(leaf, work.player)
        target, source = shifted(cfv, row * moved.mine), shifted(room, (count + k) * tree.room)
        for i in range(held.given):
            at = get(gives, i)
            put(target, at, get(target, at) + get(source, i))


@kernel(inner=True)
def pay_bundle(tree: Any, bundle: Any, terminals: Any, count: int, plan: Any, out: Any) -> None:
    """CFVs at terminals, of which there are `count` batches, on all boards of a bundle, by small matrices. The vectors of a
    board may reach into the lanes of the next one, which comes after it."""
    for b in range(get(bundle, CHILD), get(bundle, CHILD_END)):
        board = shifted(tree.terminals.small, SMALL * b)
        lanes, begin = get(board, LANES_OF), get(board, FROM)
        matrix, here, there = (
            shifted(tree.terminals.matrices, get(board, MATRIX)),
            shifted(plan, begin),
            shifted(out, begin),
        )
        places, amounts = terminals.places, terminals.amounts
        for k in range(count):
            size, shows = get(terminals.batches, 2 * k), 0
            while shows < size and get(places, size + shows) >= 0:  # they come first
                shows += 1
            for one in range(0, shows - shows % 4, 4):
                _show_four(matrix, lanes, size, shifted(places, one), shifted(amounts, size + one), here, there)
            for one in range(shows - shows % 4, shows):
                row = shifted(there, get(places, size + one))
                chips, fresh = get(amounts, size + one), get(places, 2 * size + one)
                _show(matrix, lanes, shifted(here, get(places, one)), chips, row, fresh)
            for one in range(size):
                if get(places, 3 * size + one) >= 0:
                    row = shifted(there, get(places, 3 * size + one))
                    chips, fresh = get(amounts, 5 * size + one), get(places, 4 * size + one)
                    _fold(matrix, lanes, shifted(here, get(places, one)), chips, row, fresh)
            places, amounts = shifted(places, 5 * size), shifted(amounts, 6 * size)


@kernel(inner=True)
def _show_four(matrix: Any, lanes: int, size: int, places: Any, amounts: Any, plan: Any, out: Any) -> None:
    """Four showdowns at once: their sums do not wait for each other, and share what is read of the matrix."""
    one, two = shifted(plan, get(places, 0)), shifted(plan, get(places, 1))
    three, four = shifted(plan, get(places, 2)), shifted(plan, get(places, 3))
    for i in range(0, lanes, LANES):
        rows = shifted(matrix, i * lanes)
        first, second, third, fourth = same_as(out, 0.0), same_as(out, 0.0), same_as(out, 0.0), same_as(out, 0.0)
        for j in range(lanes):
            row = load(rows, LANES * j)
            first += row * same_as(out, get(one, j))
            second += row * same_as(out, get(two, j))
            third += row * same_as(out, get(three, j))
            fourth += row * same_as(out, get(four, j))
        shows, fresh = shifted(places, size), shifted(places, 2 * size)
        _give(shifted(out, get(shows, 0)), i, first * same_as(out, get(amounts, 0)), get(fresh, 0))
        _give(shifted(out, get(shows, 1)), i, second * same_as(out, get(amounts, 1)), get(fresh, 1))
        _give(shifted(out, get(shows, 2)), i, third * same_as(out, get(amounts, 2)), get(fresh, 2))
        _give(shifted(out, get(shows, 3)), i, fourth * same_as(out, get(amounts, 3)), get(fresh, 3))


@kernel(inner=True)
def _show(matrix: Any, lanes: int, reach: Any, chips: float, out: Any, fresh: int) -> None:
    """A showdown of so many chips."""
    for i in range(0, lanes, LANES):
        rows, found = shifted(matrix, i * lanes), same_as(out, 0.0)
        for j in range(lanes):
            found += load(rows, LANES * j) * same_as(out, get(reach, j))
        _give(out, i, found * same_as(out, chips), fresh)


@kernel(inner=True)
def _fold(matrix: Any, lanes: int, reach: Any, chips: float, out: Any, fresh: int) -> None:
    """A fold of so many chips: each hand gets the reach of all hands but itself."""
    wide = (lanes + LANES - 1) // LANES * LANES
    hands, total, times = shifted(matrix, wide * lanes), same_as(out, 0.0), same_as(out, chips)
    for i in range(0, lanes, LANES):
        total += load(hands, i) * load(reach, i)
    every = same_as(out, sum_of_lanes(total))
    for i in range(0, lanes, LANES):
        _give(out, i, (every - load(reach, i)) * load(hands, wide + i) * times, fresh)


@kernel(inline=True, inner=True)
def _give(out: Any, i: int, value: Any, fresh: int) -> None:
    if fresh:
        store(out, i, value)
    else:
        store(out, i, load(out, i) + value)
