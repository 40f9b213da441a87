"""Sweeps of a compact tree: the trunk on the first board, and branches, each one next card after one betting sequence.

A branch is processed depth first, by one thread, in its own working set: each last board after the segment before it. Its
CFVs go to a place of its own, and are added up in a fixed order, so that the number of threads changes no bit.
"""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from counterplay.jit import kernel
from counterplay.poker.compact.branch_sweeps import Gathering, down, enter, last_street, leave, middle_street, up
from counterplay.poker.compact.compact_layout import BOARD, DEAL, LAYER, OF_PLAYER, PLAYERS, ROWS, SHOWN_END
from counterplay.poker.compact.leaf_kernels import clear, fold, pay, run_out
from counterplay.poker.compact.sweep_records import (
    AFTER,
    BEGIN,
    LEAF,
    SEGMENT,
    WORK,
    Level,
    RegretStep,
    Sweep,
    WorkRoom,
    level_of,
    opened,
    stride_of,
    working,
)
from counterplay.treeplex.simd import LANES, get, load, pointer, shifted, store

DEALT, BRANCH, INTO, TASK = range(4)
"""Columns of `tasks`: the deal, -1 for all showdowns of the trunk with two cards to come, or for all that follows the trunk
on a last board; the board; the row of `sums` for its CFVs, or the first of them."""


class TrunkBranches(NamedTuple):
    """The branches of a sweep. tasks: (T, 3) in the order in which they are taken. turn: (1,) how many are, shared by the
    threads. sums: (R, largest distance of rows of the trunk) their CFVs, and rows: (R, 2) both players' rows of the trunk to
    add them to.
    """

    tasks: Any
    turn: Any
    sums: Any
    rows: Any


@intrinsic  # type: ignore[untyped-decorator]
def _next(_: Any, at: Any) -> Any:
    """Fetch the counter behind a pointer and add one, atomically."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(at), emit


@kernel(nogil=True)
def do_part(
    streets: Any,
    terminals: Any,
    sweep: Sweep,
    memories: Any,
    step: RegretStep,
    trunk: Level,
    place: WorkRoom,
    branches: TrunkBranches,
) -> None:
    """Do a part of a sweep. memories: of the player, the other one, and the latter's second way. trunk: its working set.

    One kernel for all parts, as they are made of the same functions: compiling these takes seconds.
    """
    tree, work, level = (
        opened(streets, terminals, place.distance),
        working(sweep, memories, step, place),
        level_of(trunk),
    )
    if sweep.part == BEGIN:
        segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
        down(tree, work, segment, board, level)
    elif sweep.part == WORK:
        _work_on_branches(tree, work, sweep, level, level_of(place.middle), level_of(place.last), branches)
    else:
        _end_trunk(tree, work, sweep, level, branches)


@kernel(inner=True)
def _work_on_branches(tree: Any, work: Any, sweep: Any, top: Any, middle: Any, last: Any, branches: Any) -> None:
    """Process branches until all are taken."""
    out, listed, counter, stride = (
        pointer(branches.sums),
        pointer(branches.tasks),
        pointer(branches.turn),
        branches.sums.shape[1],
    )
    segment = shifted(tree.segments, SEGMENT * sweep.segment)
    streets_left = tree.depth - get(segment, LAYER)
    number = _next(counter)
    while number < len(branches.tasks):
        task = shifted(listed, TASK * number)
        into, b = shifted(out, stride * get(task, INTO)), get(task, BRANCH)
        if streets_left == 2:
            clear(into, 0, (get(segment, SHOWN_END) - get(segment, DEAL)) * stride)
            last_street(tree, work, sweep.segment, b, top, last, Gathering(into, stride, True))
        elif get(task, DEALT) < 0:
            run_out(tree, work, sweep.segment, b, top.paid, into, stride)
        else:
            leaf, board = shifted(tree.leaves, LEAF * get(task, DEALT)), shifted(tree.boards, BOARD * b)
            clear(into, 0, stride)
            enter(tree, work, leaf, b, top, middle, segment)
            middle_street(tree, work, get(leaf, AFTER), board, middle, last)
            leave(tree, work, board, middle.cfv, into)
        number = _next(counter)


@kernel(inner=True)
def _end_trunk(tree: Any, work: Any, sweep: Any, level: Any, branches: Any) -> None:
    """The player's CFVs and regrets of the trunk, after all branches; the CFVs of the first row are those of the game."""
    segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
    layer, out, rows = get(segment, LAYER), pointer(branches.sums), pointer(branches.rows)
    stride, apart = stride_of(tree, segment, work.player), branches.sums.shape[1]
    if layer + 1 == tree.depth:
        pay(tree, work, sweep.segment, board, level)
    else:
        clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * stride)
        fold(tree, work, sweep.segment, board, level)
    for k in range(len(branches.rows)):
        source, target = shifted(out, k * apart), shifted(level.cfv, get(rows, 2 * k + work.player) * stride)
        for i in range(0, stride, LANES):
            store(target, i, load(target, i) + load(source, i))
    up(tree, work, segment, board, level)
