"""Sweeps of a compact tree: the trunk on the first board, and branches, each one next card after one betting sequence.

A branch is processed depth first, by one thread, in its own working set: each last board after the segment before it. Its
CFVs go to a place of its own, and are added up in a fixed order, so that the number of threads changes no bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.branch_sweeps import Gathering, down, enter, last_street, leave, middle_street, up
from counterplay.poker.compact.compact_layout import BOARD, DEAL, LAYER, OF_PLAYER, PLAYERS, ROWS, SHOWN_END
from counterplay.poker.compact.leaf_kernels import clear, fold, pay, run_out
from counterplay.poker.compact.shared_turns import (
    ADDED,
    FINISHED,
    OPEN,
    OVER,
    STATE,
    SUMMED,
    SUMMING,
    TAKEN,
    count_one,
    publish,
    reaches,
)
from counterplay.poker.compact.sweep_records import (
    AFTER,
    HELP,
    LEAD,
    LEAF,
    SEGMENT,
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
_PART = 128
"""Lanes whose sums one thread adds up at a time."""


class TrunkBranches(NamedTuple):
    """The branches of a sweep. tasks: (T, 3) in the order in which they are taken. turns: as of `shared_turns.new_turns`,
    shared by the threads. sums: (R, largest distance of rows of the trunk) their CFVs, and rows: (R, 2) both players' rows
    of the trunk to add them to.
    """

    tasks: Any
    turns: Any
    sums: Any
    rows: Any


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
) -> Any:
    """Do a part of a sweep. memories: of the player, the other one, and the latter's second way. trunk: its working set.

    One kernel for all parts, as they are made of the same functions: compiling these takes seconds. Returns whether it was
    done: the leader may have waited in vain for a helper, and a helper for the leader.
    """
    tree, work, level = (
        opened(streets, terminals, place.distance),
        working(sweep, memories, step, place),
        level_of(trunk),
    )
    turns = pointer(branches.turns)
    if sweep.part == HELP:
        if not reaches(turns, STATE, OPEN):
            return False
        _work_on_branches(tree, work, sweep, level, level_of(place.middle), level_of(place.last), branches)
        if reaches(turns, STATE, SUMMING):
            _add_branches(tree, work, sweep, level, branches)
        return True
    if sweep.part == LEAD:
        segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
        down(tree, work, segment, board, level)
        publish(shifted(turns, STATE), OPEN)
        _pay_trunk(tree, work, sweep, level)
        _work_on_branches(tree, work, sweep, level, level_of(place.middle), level_of(place.last), branches)
    return _end_trunk(tree, work, sweep, level, branches)


@kernel(inner=True)
def _work_on_branches(tree: Any, work: Any, sweep: Any, top: Any, middle: Any, last: Any, branches: Any) -> None:
    """Process branches until all are taken."""
    out, listed, turns, stride = (
        pointer(branches.sums),
        pointer(branches.tasks),
        pointer(branches.turns),
        branches.sums.shape[1],
    )
    segment, counter, finished = (
        shifted(tree.segments, SEGMENT * sweep.segment),
        shifted(turns, TAKEN),
        shifted(turns, FINISHED),
    )
    streets_left = tree.depth - get(segment, LAYER)
    number = count_one(counter)
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
        count_one(finished)
        number = count_one(counter)


@kernel(inner=True)
def _pay_trunk(tree: Any, work: Any, sweep: Any, level: Any) -> None:
    """The player's CFVs at terminals of the trunk on its own board; 0 where branches follow."""
    segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
    if get(segment, LAYER) + 1 == tree.depth:
        pay(tree, work, sweep.segment, board, level)
    else:
        rows = 1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)
        clear(level.cfv, 0, rows * stride_of(tree, segment, work.player))
        fold(tree, work, sweep.segment, board, level)


@kernel(inner=True)
def _add_branches(tree: Any, work: Any, sweep: Any, level: Any, branches: Any) -> None:
    """Add the CFVs of branches to those of the trunk in the order of their rows, some lanes at a time."""
    out, rows, turns = pointer(branches.sums), pointer(branches.rows), pointer(branches.turns)
    stride = stride_of(tree, shifted(tree.segments, SEGMENT * sweep.segment), work.player)
    apart, counter, summed = branches.sums.shape[1], shifted(turns, ADDED), shifted(turns, SUMMED)
    begin = _PART * count_one(counter)
    while begin < stride:
        end = min(begin + _PART, stride)
        for k in range(len(branches.rows)):
            source, target = shifted(out, k * apart), shifted(level.cfv, get(rows, 2 * k + work.player) * stride)
            for i in range(begin, end, LANES):
                store(target, i, load(target, i) + load(source, i))
        count_one(summed)
        begin = _PART * count_one(counter)


@kernel(inner=True)
def _end_trunk(tree: Any, work: Any, sweep: Any, level: Any, branches: Any) -> Any:
    """The player's CFVs and regrets of the trunk, after all branches; the CFVs of the first row are those of the game.
    Returns whether all branches were finished and added up in time."""
    segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
    turns, stride = pointer(branches.turns), stride_of(tree, segment, work.player)
    if not reaches(turns, FINISHED, len(branches.tasks)):
        return False
    publish(shifted(turns, STATE), SUMMING)
    _add_branches(tree, work, sweep, level, branches)
    if not reaches(turns, SUMMED, (stride + _PART - 1) // _PART):
        return False
    publish(shifted(turns, STATE), OVER)
    up(tree, work, segment, board, level)
    return True
