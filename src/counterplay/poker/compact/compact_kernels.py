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
from counterplay.poker.compact.compact_layout import (
    CHILD,
    CHILD_END,
    DEAL,
    DEAL_END,
    FOLDED,
    FOLDED_END,
    GROUPS,
    HANDS,
    LANES_ON,
    LAYER,
    OF_PLAYER,
    OUT,
    PAIRS,
    PLAYERS,
    ROWS,
    SAME,
    SHOWN,
    SHOWN_END,
    SLOTS,
    STEPS,
    UP,
    WIDTH,
)
from counterplay.poker.compact.compact_terminals import AMOUNT, BATCH, COUNT, ENDS, FIELDS, PLACE
from counterplay.poker.compact.compact_terminals import SHOWN as TO_COME
from counterplay.poker.compact.street_kernels import (
    BEST,
    UPDATE,
    Level,
    Memory,
    RegretStep,
    carry_down,
    play_down,
    update_up,
    value_up,
)
from counterplay.poker.showdown.showdown import evaluate_batches
from counterplay.poker.showdown.terminals import RankedBoard, Terminals
from counterplay.treeplex.partial import lane_of
from counterplay.treeplex.simd import LANES, gather, get, load, pointer, put, same_as, shifted, store

BOARD, SEGMENT, LEAF = OUT + 1, PLAYERS + 2 * OF_PLAYER, 3
"""Columns of `Streets.boards`, `Streets.segments` and `Streets.leaves`."""
DEALT, BRANCH, INTO, TASK = range(4)
"""Columns of `tasks`: the deal, -1 for all showdowns of the trunk with cards to come; the board; the row of `sums` for its
CFVs."""


BEGIN, WORK, END = range(3)
"""Parts of a sweep: carry both players' reach down the trunk, from its first rows; process its branches; end the trunk."""


class Sweep(NamedTuple):
    """A part of a sweep: the player whose CFVs go up; UPDATE, VALUE or BEST; the segment and the board where it begins, the
    trunk; BEGIN, WORK or END."""

    player: int
    what: int
    segment: int
    board: int
    part: int


class WorkRoom(NamedTuple):
    """The work space of a thread: two levels, moved hands of terminals and the distance of these, scratch for showdowns."""

    middle: Level
    last: Level
    room: Any
    distance: int
    scratch: Any


class TrunkBranches(NamedTuple):
    """The branches of a sweep. tasks: (T, 3) in the order in which they are taken. turn: (1,) how many are, shared by the
    threads. sums: (R, stride of the trunk) their CFVs, and rows: (R, 2) both players' rows of the trunk to add them to.
    """

    tasks: Any
    turn: Any
    sums: Any
    rows: Any


class _Open(NamedTuple):
    """`Streets` and `SegmentTerminals` as pointers."""

    boards: Any
    shares: Any
    segments: Any
    nodes: Any
    leaves: Any
    strides: Any
    up: Any
    pairs: Any
    steps: Any
    table: Any
    batches: Any
    places: Any
    amounts: Any
    blank: Any
    rows: Any
    room: Any
    depth: Any


class _Work(NamedTuple):
    """A sweep in progress: what it does, whose memory it reads and writes, and where."""

    player: Any
    what: Any
    mine: Any
    theirs: Any
    step: Any
    room: Any
    scratch: Any


class _Moved(NamedTuple):
    """Leaves whose hands are moved: the first of them and their number, the map to their lanes, a factor of the reach, the
    distance of rows of reach and CFVs, and whether CFVs have a row for each leaf, in order."""

    first: Any
    count: Any
    way: Any
    factor: Any
    stride: Any
    apart: Any


@intrinsic  # type: ignore[untyped-decorator]
def _next(_: Any, at: Any) -> Any:
    """Fetch the counter behind a pointer and add one, atomically."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(at), emit


@kernel(inner=True)
def _opened(streets: Any, terminals: Any, room: int) -> Any:
    return _Open(
        pointer(streets.boards), pointer(streets.shares), pointer(streets.segments), pointer(streets.nodes),
        pointer(streets.leaves), pointer(streets.strides), pointer(streets.up), pointer(streets.pairs),
        pointer(streets.steps), pointer(terminals.table), pointer(terminals.batches), pointer(terminals.places),
        pointer(terminals.amounts), pointer(terminals.blank), pointer(terminals.rows), room, len(streets.strides),
    )  # fmt: skip


@kernel(inner=True)
def _working(sweep: Any, memories: Any, step: Any, place: Any) -> Any:
    mine, theirs = _memory(memories[0]), _memory(memories[1])
    return _Work(sweep.player, sweep.what, mine, theirs, step, pointer(place.room), pointer(place.scratch))


@kernel(inner=True)
def _level(level: Any) -> Any:
    return Level(pointer(level.first), pointer(level.second), pointer(level.cfv), pointer(level.scale))


@kernel(inner=True)
def _memory(memory: Any) -> Any:
    return Memory(
        pointer(memory.regret), pointer(memory.total), pointer(memory.regret_scale), pointer(memory.total_scale)
    )


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
    """Do a part of a sweep. memories: of the player and of the other one. trunk: its working set.

    One kernel for all parts, as they are made of the same functions: compiling these takes seconds.
    """
    tree, work, level = (
        _opened(streets, terminals, place.distance),
        _working(sweep, memories, step, place),
        _level(trunk),
    )
    if sweep.part == BEGIN:
        segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
        _down(tree, work, segment, board, level)
    elif sweep.part == WORK:
        _work_on_branches(tree, work, sweep, level, _level(place.middle), _level(place.last), branches)
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
        if get(task, DEALT) < 0:
            _run_out(tree, work, sweep.segment, b, top.second, into)
        else:
            leaf, board = shifted(tree.leaves, LEAF * get(task, DEALT)), shifted(tree.boards, BOARD * b)
            clear(into, 0, stride)
            if streets_left == 2:
                _enter(tree, work, leaf, b, top, last, stride)
                _last(tree, work, get(leaf, 2), board, last)
                _leave(tree, board, last.cfv, into)
            else:
                _enter(tree, work, leaf, b, top, middle, stride)
                _middle(tree, work, get(leaf, 2), board, middle, last)
                _leave(tree, board, middle.cfv, into)
        number = _next(counter)


@kernel(inner=True)
def _end_trunk(tree: Any, work: Any, sweep: Any, level: Any, branches: Any) -> None:
    """The player's CFVs and regrets of the trunk, after all branches; the CFVs of the first row are those of the game."""
    segment, board = shifted(tree.segments, SEGMENT * sweep.segment), shifted(tree.boards, BOARD * sweep.board)
    layer, out, rows = get(segment, LAYER), pointer(branches.sums), pointer(branches.rows)
    stride = get(tree.strides, layer)
    if layer + 1 == tree.depth:
        _pay(tree, work, sweep.segment, board, level)
    else:
        clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * stride)
        _fold(tree, work, sweep.segment, board, level)
    for k in range(len(branches.rows)):
        source, target = shifted(out, k * stride), shifted(level.cfv, get(rows, 2 * k + work.player) * stride)
        for i in range(0, stride, LANES):
            store(target, i, load(target, i) + load(source, i))
    _up(tree, work, segment, board, level)


@kernel(inner=True)
def clear(out: Any, begin: int, end: int) -> None:
    """Set numbers to 0."""
    zero = same_as(out, 0.0)
    for i in range(begin, end, LANES):
        store(out, i, zero)


@kernel(inner=True)
def _down(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """Reach of both players in a segment."""
    if work.what == UPDATE:
        play_down(tree, segment, board, work.player, work.mine, level, work.step)
        carry_down(tree, segment, board, 1 - work.player, work.theirs.regret, level.second, work.step.least)
    else:
        carry_down(tree, segment, board, 1 - work.player, work.theirs.total, level.second, 0.0)


@kernel(inner=True)
def _up(tree: Any, work: Any, segment: Any, board: Any, level: Any) -> None:
    """CFVs of the player in a segment, from those of its leaves."""
    if work.what == UPDATE:
        update_up(tree, segment, board, work.player, work.mine, level, work.step)
    else:
        value_up(tree, segment, board, work.player, work.mine.total, level.cfv, work.what == BEST)


@kernel(inner=True)
def _enter(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, stride: int) -> None:
    """The first rows of reach in a segment on a board, from the deal before it."""
    board = shifted(tree.boards, BOARD * b)
    way, lanes, width = shifted(tree.up, get(board, UP)), get(board, LANES_ON), get(board, WIDTH)
    source, share = shifted(above.second, get(leaf, 1 - work.player) * stride), get(tree.shares, 2 * b)
    _move(source, way, lanes, same_as(source, share), level.second)
    clear_some(level.second, lanes, width)
    if work.what == UPDATE:
        source = shifted(above.first, get(leaf, work.player) * stride)
        _move(source, way, lanes, same_as(source, 1.0), level.first)
        clear_some(level.first, lanes, width)


@kernel(inner=True)
def clear_some(out: Any, begin: int, end: int) -> None:
    """Set a few numbers to 0."""
    for i in range(begin, end):
        put(out, i, 0.0)


@kernel(inner=True)
def _move(source: Any, way: Any, count: int, factor: Any, target: Any) -> None:
    """The numbers at the places that a map tells, times a factor."""
    full = count - count % LANES
    for i in range(0, full, LANES):
        store(target, i, gather(source, way, i) * factor)
    for i in range(full, count):
        put(target, i, get(source, get(way, i)) * lane_of(factor, 0))


@kernel(inner=True)
def _leave(tree: Any, board: Any, cfv: Any, into: Any) -> None:
    """Add the CFVs of a segment's first row to those of the deal before it."""
    way = shifted(tree.up, get(board, UP))
    for i in range(get(board, LANES_ON)):
        at = get(way, i)
        put(into, at, get(into, at) + get(cfv, i))


@kernel(inner=True)
def _last(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """A segment of the last street on a board."""
    segment = shifted(tree.segments, SEGMENT * s)
    _down(tree, work, segment, board, level)
    _pay(tree, work, s, board, level)
    _up(tree, work, segment, board, level)


@kernel(inner=True)
def _pay(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """CFVs at the terminals of the last street."""
    segment, at = shifted(tree.segments, SEGMENT * s), 2 * (2 * s + work.player)
    stride, width = get(tree.strides, get(segment, LAYER)), get(board, WIDTH)
    for k in range(get(tree.blank, at), get(tree.blank, at + 1)):
        row = get(tree.rows, k) * stride
        clear(level.cfv, row, row + width)
    terminals, count = _terminals(tree, s, work.player, ENDS)
    evaluate_batches(_ranked(tree, board), terminals, count, level.second, level.cfv, work.scratch)
    for row in range(1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)):
        clear_some(level.cfv, row * stride + get(board, LANES_ON), row * stride + width)


@kernel(inner=True)
def _ranked(tree: Any, board: Any) -> Any:
    pairs, steps = shifted(tree.pairs, get(board, PAIRS)), shifted(tree.steps, get(board, STEPS))
    return RankedBoard(get(board, HANDS), get(board, SLOTS), get(board, GROUPS), pairs, steps)


@kernel(inner=True)
def _terminals(tree: Any, s: int, player: int, kind: int) -> Any:
    """Terminals of a segment, and the number of their batches."""
    row = shifted(tree.table, FIELDS * (2 * (2 * s + player) + kind))
    found = Terminals(
        shifted(tree.batches, 2 * get(row, BATCH)), shifted(tree.places, get(row, PLACE)),
        shifted(tree.amounts, get(row, AMOUNT)),
    )  # fmt: skip
    return found, get(row, COUNT)


@kernel(inner=True)
def _middle(tree: Any, work: Any, s: int, board: Any, level: Any, last: Any) -> None:
    """A segment of a street before the last on a board, and all that follows."""
    segment = shifted(tree.segments, SEGMENT * s)
    stride, first, end = get(tree.strides, get(segment, LAYER)), get(segment, SHOWN), get(segment, SHOWN_END)
    _down(tree, work, segment, board, level)
    clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * stride)
    _fold(tree, work, s, board, level)
    for b in range(get(board, CHILD), get(board, CHILD_END)):
        below = shifted(tree.boards, BOARD * b)
        if end > first:
            way = shifted(tree.up, get(below, UP))
            gathered = _Moved(first, end - first, way, get(tree.shares, 2 * b), stride, False)
            _evaluate(tree, work, s, TO_COME, below, gathered, level.second, level.cfv)
    for k in range(get(segment, DEAL), get(segment, DEAL_END)):
        leaf = shifted(tree.leaves, LEAF * k)
        for b in range(get(board, CHILD), get(board, CHILD_END)):  # as their numbers stand in memory
            below = shifted(tree.boards, BOARD * b)
            _enter(tree, work, leaf, b, level, last, stride)
            _last(tree, work, get(leaf, 2), below, last)
            _leave(tree, below, last.cfv, shifted(level.cfv, get(leaf, work.player) * stride))
    _up(tree, work, segment, board, level)


@kernel(inner=True)
def _fold(tree: Any, work: Any, s: int, board: Any, level: Any) -> None:
    """Add the CFVs of a segment's folds before the last street."""
    segment = shifted(tree.segments, SEGMENT * s)
    first, count = get(segment, FOLDED), get(segment, FOLDED_END) - get(segment, FOLDED)
    if count > 0:
        stride, way = get(tree.strides, get(segment, LAYER)), shifted(tree.up, get(board, SAME))
        moved = _Moved(first, count, way, 1.0, stride, False)
        _evaluate(tree, work, s, ENDS, board, moved, level.second, level.cfv)


@kernel(inner=True)
def _run_out(tree: Any, work: Any, s: int, b: int, reach: Any, into: Any) -> None:
    """CFVs of the trunk's showdowns with cards to come, on the last boards of a branch; a row of `into` for each."""
    segment = shifted(tree.segments, SEGMENT * s)
    first, stride = get(segment, SHOWN), get(tree.strides, get(segment, LAYER))
    count = get(segment, SHOWN_END) - first
    clear(into, 0, count * stride)
    begin, end, column, share = b, b + 1, UP, 2 * b
    if tree.depth - get(segment, LAYER) > 2:
        board = shifted(tree.boards, BOARD * b)
        begin, end, column = get(board, CHILD), get(board, CHILD_END), OUT
        share = 2 * begin + 1
    for at in range(begin, end):
        board = shifted(tree.boards, BOARD * at)
        moved = _Moved(first, count, shifted(tree.up, get(board, column)), get(tree.shares, share), stride, True)
        _evaluate(tree, work, s, TO_COME, board, moved, reach, into)
        share += 2


@kernel(inner=True)
def _evaluate(tree: Any, work: Any, s: int, kind: int, board: Any, moved: Any, reach: Any, cfv: Any) -> None:
    """Evaluate leaves whose hands are moved to the order of a board, and add their CFVs to their rows."""
    hands, room, count, way = get(board, HANDS), work.room, moved.count, moved.way
    factor = same_as(room, moved.factor)
    for k in range(count):
        leaf = shifted(tree.leaves, LEAF * (moved.first + k))
        _move(
            shifted(reach, get(leaf, 1 - work.player) * moved.stride), way, hands, factor, shifted(room, k * tree.room)
        )
    terminals, batches = _terminals(tree, s, work.player, kind)
    evaluate_batches(_ranked(tree, board), terminals, batches, room, room, work.scratch)
    for k in range(count):
        leaf = shifted(tree.leaves, LEAF * (moved.first + k))
        row = k if moved.apart else get(leaf, work.player)
        target, source = shifted(cfv, row * moved.stride), shifted(room, (count + k) * tree.room)
        for i in range(hands):
            at = get(way, i)
            put(target, at, get(target, at) + get(source, i))
