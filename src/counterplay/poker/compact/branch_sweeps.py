"""A branch of a compact tree: one next card after one betting sequence, and all that follows, depth first."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.compact.compact_layout import (
    BOARD,
    CHILD,
    CHILD_END,
    DEAL,
    DEAL_END,
    LANES_ON,
    OF_PLAYER,
    PLAYERS,
    ROWS,
    SHOWN,
    SHOWN_END,
    UP,
    WIDTH,
)
from counterplay.poker.compact.compact_terminals import SHOWN as TO_COME
from counterplay.poker.compact.leaf_kernels import MovedLeaves, clear, clear_some, evaluate_moved, fold, move, pay
from counterplay.poker.compact.street_kernels import carry_down, play_down, update_up, value_up
from counterplay.poker.compact.sweep_records import LEAF, SEGMENT, UPDATE, side_of, stride_of
from counterplay.treeplex.simd import LANES, get, load, put, same_as, shifted, store


@kernel(inner=True)
def down(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """Reach of both players in a segment."""
    them = 1 - work.player
    if work.what == UPDATE:
        play_down(tree, segment, board, work.player, work.mine, level, work.step)
    for way in range(work.ways):
        reach = level.second if way == 0 else level.other
        theirs = work.theirs if way == 0 else work.other
        if work.what == UPDATE and theirs.fixed == 0:
            carry_down(tree, segment, board, them, theirs, theirs.regret, reach, work.step.least)
        else:
            carry_down(tree, segment, board, them, theirs, theirs.total, reach, 0.0)
    if work.ways == 2:
        stride, width = stride_of(tree, segment, them), get(side_of(board, them), WIDTH)
        for row in range(1 + get(segment, PLAYERS + OF_PLAYER * them + ROWS)):
            for i in range(row * stride, row * stride + width, LANES):
                store(level.paid, i, load(level.second, i) + load(level.other, i))


@kernel(inner=True)
def up(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """CFVs of the player in a segment, from those of its leaves."""
    if work.what == UPDATE:
        update_up(tree, segment, board, work.player, work.mine, level, work.step)
    else:
        value_up(tree, segment, board, work, level.cfv)


@kernel(inner=True)
def enter(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, segment: Any) -> None:
    """The first rows of reach in a segment on a board, from the deal of the segment before it."""
    board, them = shifted(tree.boards, BOARD * b), 1 - work.player
    side, row = side_of(board, them), get(leaf, them) * stride_of(tree, segment, them)
    way, lanes, width = shifted(tree.up, get(side, UP)), get(side, LANES_ON), get(side, WIDTH)
    share = same_as(level.second, get(tree.shares, 2 * b))
    for number in range(work.ways):
        source = above.second if number == 0 else above.other
        target = level.second if number == 0 else level.other
        move(shifted(source, row), way, lanes, share, target)
        clear_some(target, lanes, width)
    if work.what == UPDATE:
        own = side_of(board, work.player)
        source = shifted(above.first, get(leaf, work.player) * stride_of(tree, segment, work.player))
        move(source, shifted(tree.up, get(own, UP)), get(own, LANES_ON), same_as(source, 1.0), level.first)
        clear_some(level.first, get(own, LANES_ON), get(own, WIDTH))


@kernel(inner=True)
def leave(tree: Any, work: Any, board: Any, cfv: Any, into: Any) -> None:
    """Add the CFVs of a segment's first row to those of the deal before it."""
    side = side_of(board, work.player)
    way = shifted(tree.up, get(side, UP))
    for i in range(get(side, LANES_ON)):
        at = get(way, i)
        put(into, at, get(into, at) + get(cfv, i))


@kernel(inner=True)
def last_street(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """A segment of the last street on a board."""
    segment = shifted(tree.segments, SEGMENT * s)
    down(tree, work, segment, board, level)
    pay(tree, work, s, board, level)
    up(tree, work, segment, board, level)


@kernel(inner=True)
def middle_street(tree: Any, work: Any, s: int, board: Any, level: Any, last: Any) -> None:
    """A segment of a street before the last on a board, and all that follows."""
    segment = shifted(tree.segments, SEGMENT * s)
    first, end = get(segment, SHOWN), get(segment, SHOWN_END)
    mine, theirs = stride_of(tree, segment, work.player), stride_of(tree, segment, 1 - work.player)
    down(tree, work, segment, board, level)
    clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * mine)
    fold(tree, work, s, board, level)
    for b in range(get(board, CHILD), get(board, CHILD_END)):
        below = shifted(tree.boards, BOARD * b)
        if end > first:
            gathered = MovedLeaves(first, end - first, UP, get(tree.shares, 2 * b), theirs, mine, False)
            evaluate_moved(tree, work, s, TO_COME, below, gathered, level.paid, level.cfv)
    for k in range(get(segment, DEAL), get(segment, DEAL_END)):
        leaf = shifted(tree.leaves, LEAF * k)
        for b in range(get(board, CHILD), get(board, CHILD_END)):  # as their numbers stand in memory
            below = shifted(tree.boards, BOARD * b)
            enter(tree, work, leaf, b, level, last, segment)
            last_street(tree, work, get(leaf, 2), below, last)
            leave(tree, work, below, last.cfv, shifted(level.cfv, get(leaf, work.player) * mine))
    up(tree, work, segment, board, level)
