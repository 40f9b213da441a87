"""A branch of a compact tree: one next card after one betting sequence, and all that follows, depth first."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.kernels.leaf_kernels import clear, clear_some, fold, move, pay
from counterplay.poker.compact.kernels.street_kernels import carry_down, fetch_first, play_down, update_up, value_up
from counterplay.poker.compact.kernels.sweep_records import (
    AFTER,
    BEFORE_THEM,
    LEAF,
    SEGMENT,
    UPDATE,
    Level,
    side_of,
    stride_of,
)
from counterplay.poker.compact.layout.streets import (
    BOARD,
    CHILD,
    CHILD_END,
    DEAL,
    LANES_ON,
    OF_PLAYER,
    PLAYERS,
    ROWS,
    SHOWN_END,
    UP,
    WIDTH,
)
from counterplay.treeplex.simd import LANES, get, load, put, same_as, shifted, store


class Gathering(NamedTuple):
    """Where CFVs go, in rows of the player's lanes on the board before. apart: whether each deal and showdown has a row of
    its own, in order, else they are added to the rows by which they are reached."""

    into: Any
    stride: Any
    apart: Any


@kernel(inner=True)
def down(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """Reach of both players in a segment."""
    if work.what == UPDATE:
        play_down(tree, segment, board, work.player, work.mine, level, work.step)
    meet_down(tree, work, segment, board, level)


@kernel(inner=True)
def meet_down(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """Reach of the player whose CFVs do not go up in a segment."""
    them = 1 - work.player
    for way in range(work.ways):
        reach = level.second if way == 0 else level.other
        theirs = work.theirs if way == 0 else work.other
        if work.what == UPDATE and theirs.fixed == 0:
            carry_down(tree, segment, board, them, theirs, theirs.regret, reach, work.step.least)
        else:
            carry_down(tree, segment, board, them, theirs, theirs.total, reach, 0.0)
    if work.ways == 2:
        rows = 1 + get(segment, PLAYERS + OF_PLAYER * them + ROWS)
        _add_ways(level, rows, stride_of(tree, segment, them), get(side_of(board, them), WIDTH))


@kernel(inner=True)
def _add_ways(level: Any, rows: int, stride: int, width: int) -> None:
    """The sum of the two ways in which the other player plays."""
    for row in range(rows):
        for i in range(row * stride, row * stride + width, LANES):
            store(level.paid, i, load(level.second, i) + load(level.other, i))


@kernel(inner=True)
def up(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """CFVs of the player in a segment, from those of its leaves."""
    up_some(tree, work, segment, board, level, (0, get(side_of(board, work.player), WIDTH)))


@kernel(inner=True)
def up_some(tree: Any, work: Any, segment: Any, board: Any, level: Any, part: tuple[int, int]) -> None:
    """The same of the lanes from one on up to another."""
    if work.what == UPDATE:
        update_up(tree, segment, board, work.player, work.mine, level, work.step, part)
    else:
        value_up(tree, segment, board, work, level.cfv, part)


@kernel(inner=True)
def enter(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, segment: Any) -> None:
    """The first rows of reach in a segment on a board, from the deal of the segment before it."""
    meet(tree, work, leaf, b, above, level, segment)
    if work.what == UPDATE:
        play(tree, work, leaf, b, above, level, segment)


@kernel(inner=True)
def meet(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, segment: Any) -> None:
    """The first row of the player whose CFVs do not go up."""
    board, them = shifted(tree.boards, BOARD * b), 1 - work.player
    side, row = side_of(board, them), get(leaf, them) * stride_of(tree, segment, them)
    way, lanes, width = shifted(tree.up, get(side, UP)), get(side, LANES_ON), get(side, WIDTH)
    share = same_as(level.second, get(tree.shares, 2 * b))
    for number in range(work.ways):
        source = above.second if number == 0 else above.other
        target = level.second if number == 0 else level.other
        move(shifted(source, row), way, lanes, share, target)
        clear_some(target, lanes, width)


@kernel(inner=True)
def play(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, segment: Any) -> None:
    """The first row of the player whose CFVs go up."""
    own = side_of(shifted(tree.boards, BOARD * b), work.player)
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
def last_street(tree: Any, work: Any, s: int, b: int, above: Any, last: Any, gathering: Any) -> None:
    """All that follows a segment on one last board: its showdowns, and the segments after its deals. Their terminals are
    evaluated together, then they are processed one by one."""
    segment, board, them = shifted(tree.segments, SEGMENT * s), shifted(tree.boards, BOARD * b), 1 - work.player
    strides = shifted(tree.strides, 2 * (tree.depth - 1))
    mine, theirs = get(strides, work.player), get(strides, them)
    begin, end, wide = get(segment, DEAL), get(segment, SHOWN_END), get(side_of(board, them), WIDTH)
    for k in range(begin, end):
        leaf = shifted(tree.leaves, LEAF * k)
        here = _placed(last, get(leaf, BEFORE_THEM + them) * theirs, 0)
        if k + 1 < end:
            fetch_met(tree, work, shifted(tree.leaves, LEAF * (k + 1)), board)
        meet(tree, work, leaf, b, above, here, segment)
        if get(leaf, AFTER) >= 0:
            meet_down(tree, work, shifted(tree.segments, SEGMENT * get(leaf, AFTER)), board, here)
        elif work.ways == 2:
            _add_ways(here, 1, theirs, wide)
    fetch_played(tree, work, shifted(tree.leaves, LEAF * begin), board)
    pay(tree, work, s, board, last)
    for k in range(begin, end):
        leaf = shifted(tree.leaves, LEAF * k)
        if k + 1 < end:
            fetch_played(tree, work, shifted(tree.leaves, LEAF * (k + 1)), board)
        here = _placed(last, 0, get(leaf, BEFORE_THEM + work.player) * mine)
        if get(leaf, AFTER) >= 0:
            after = shifted(tree.segments, SEGMENT * get(leaf, AFTER))
            if work.what == UPDATE:
                play(tree, work, leaf, b, above, here, segment)
                play_down(tree, after, board, work.player, work.mine, here, work.step)
            up(tree, work, after, board, here)
        row = k - begin if gathering.apart else get(leaf, work.player)
        leave(tree, work, board, here.cfv, shifted(gathering.into, row * gathering.stride))


@kernel(inner=True)
def fetch_met(tree: Any, work: Any, leaf: Any, board: Any) -> None:
    """Fetch what the other player plays first after a deal."""
    if get(leaf, AFTER) >= 0:
        segment, them = shifted(tree.segments, SEGMENT * get(leaf, AFTER)), 1 - work.player
        if work.what == UPDATE and work.theirs.fixed == 0:
            fetch_first(segment, board, them, work.theirs.regret)
        else:
            fetch_first(segment, board, them, work.theirs.total)


@kernel(inner=True)
def fetch_played(tree: Any, work: Any, leaf: Any, board: Any) -> None:
    """Fetch what is updated first after a deal."""
    if get(leaf, AFTER) >= 0 and work.what == UPDATE:
        segment = shifted(tree.segments, SEGMENT * get(leaf, AFTER))
        fetch_first(segment, board, work.player, work.mine.regret)
        fetch_first(segment, board, work.player, work.mine.total)


@kernel(inline=True, inner=True)
def _placed(level: Any, theirs: int, mine: int) -> Any:
    """The working set from some numbers on: of the other player's reach, and of CFVs."""
    return Level(
        level.first, shifted(level.second, theirs), shifted(level.other, theirs), shifted(level.paid, theirs),
        shifted(level.cfv, mine), level.scale, level.fresh,
    )  # fmt: skip


@kernel(inner=True)
def middle_street(tree: Any, work: Any, s: int, board: Any, level: Any, last: Any) -> None:
    """A segment of a street before the last on a board, and all that follows."""
    segment = shifted(tree.segments, SEGMENT * s)
    mine = stride_of(tree, segment, work.player)
    down(tree, work, segment, board, level)
    clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * mine)
    fold(tree, work, s, board, level)
    for b in range(get(board, CHILD), get(board, CHILD_END)):
        last_street(tree, work, s, b, level, last, Gathering(level.cfv, mine, False))
    up(tree, work, segment, board, level)
