"""Sweeps of a compact tree: the trunk on the first board, and branches, each one next card after one betting sequence.

A branch is processed depth first, by one thread, in its own working set: each last board after the segment before it. Its
CFVs go to a place of its own, and are added up in a fixed order, so that the number of threads changes no bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.jit import kernel
from counterplay.poker.compact.kernels.leaf_kernels import clear, clear_some, fold, move, pay, run_out
from counterplay.poker.compact.kernels.shared_turns import (
    ADDED,
    FINISHED,
    OPEN,
    OVER,
    STATE,
    SUMMED,
    SUMMING,
    TAKEN,
    TURNS,
    count_one,
    publish,
    reaches,
)
from counterplay.poker.compact.kernels.storage_lanes import is_packed
from counterplay.poker.compact.kernels.street_kernels import carry_down, fetch_first, play_down, update_up, value_up
from counterplay.poker.compact.kernels.sweep_records import (
    AFTER,
    BEFORE_THEM,
    EACH,
    HELP,
    LEAD,
    LEAF,
    SEGMENT,
    STEP,
    UPDATE,
    Level,
    OpenedTree,
    RegretStep,
    Sweep,
    WorkRoom,
    side_of,
    stride_of,
    working,
)
from counterplay.poker.compact.layout.compact_layout import (
    BOARD,
    CHILD,
    CHILD_END,
    DEAL,
    LANES_ON,
    LAYER,
    OF_PLAYER,
    PLAYERS,
    ROWS,
    SHOWN_END,
    UP,
    WIDTH,
)
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, shifted, store, with_pointers


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
    board, them = shifted(tree.streets.boards, BOARD * b), 1 - work.player
    side, row = side_of(board, them), get(leaf, them) * stride_of(tree, segment, them)
    way, lanes, width = shifted(tree.streets.up, get(side, UP)), get(side, LANES_ON), get(side, WIDTH)
    share = same_as(level.second, get(tree.streets.shares, 2 * b))
    for number in range(work.ways):
        source = above.second if number == 0 else above.other
        target = level.second if number == 0 else level.other
        move(shifted(source, row), way, lanes, share, target)
        clear_some(target, lanes, width)


@kernel(inner=True)
def play(tree: Any, work: Any, leaf: Any, b: int, above: Any, level: Any, segment: Any) -> None:
    """The first row of the player whose CFVs go up."""
    own = side_of(shifted(tree.streets.boards, BOARD * b), work.player)
    source = shifted(above.first, get(leaf, work.player) * stride_of(tree, segment, work.player))
    move(source, shifted(tree.streets.up, get(own, UP)), get(own, LANES_ON), same_as(source, 1.0), level.first)
    clear_some(level.first, get(own, LANES_ON), get(own, WIDTH))


@kernel(inner=True)
def leave(tree: Any, work: Any, board: Any, cfv: Any, into: Any) -> None:
    """Add the CFVs of a segment's first row to those of the deal before it."""
    side = side_of(board, work.player)
    way = shifted(tree.streets.up, get(side, UP))
    for i in range(get(side, LANES_ON)):
        at = get(way, i)
        put(into, at, get(into, at) + get(cfv, i))


@kernel(inner=True)
def last_street(tree: Any, work: Any, s: int, b: int, above: Any, last: Any, gathering: Any) -> None:
    """All that follows a segment on one last board: its showdowns, and the segments after its deals. Their terminals are
    evaluated together, then they are processed one by one."""
    segment, board, them = (
        shifted(tree.streets.segments, SEGMENT * s),
        shifted(tree.streets.boards, BOARD * b),
        1 - work.player,
    )
    strides = shifted(tree.streets.strides, 2 * (tree.depth - 1))
    mine, theirs = get(strides, work.player), get(strides, them)
    begin, end, wide = get(segment, DEAL), get(segment, SHOWN_END), get(side_of(board, them), WIDTH)
    for k in range(begin, end):
        leaf = shifted(tree.streets.leaves, LEAF * k)
        here = _placed(last, get(leaf, BEFORE_THEM + them) * theirs, 0)
        if k + 1 < end:
            fetch_met(tree, work, shifted(tree.streets.leaves, LEAF * (k + 1)), board)
        meet(tree, work, leaf, b, above, here, segment)
        if get(leaf, AFTER) >= 0:
            meet_down(tree, work, shifted(tree.streets.segments, SEGMENT * get(leaf, AFTER)), board, here)
        elif work.ways == 2:
            _add_ways(here, 1, theirs, wide)
    fetch_played(tree, work, shifted(tree.streets.leaves, LEAF * begin), board)
    pay(tree, work, s, board, last)
    for k in range(begin, end):
        leaf = shifted(tree.streets.leaves, LEAF * k)
        if k + 1 < end:
            fetch_played(tree, work, shifted(tree.streets.leaves, LEAF * (k + 1)), board)
        here = _placed(last, 0, get(leaf, BEFORE_THEM + work.player) * mine)
        if get(leaf, AFTER) >= 0:
            after = shifted(tree.streets.segments, SEGMENT * get(leaf, AFTER))
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
        segment, them = shifted(tree.streets.segments, SEGMENT * get(leaf, AFTER)), 1 - work.player
        if work.what == UPDATE and work.theirs.fixed == 0:
            fetch_first(segment, board, them, work.theirs.regret)
        else:
            fetch_first(segment, board, them, work.theirs.total)


@kernel(inner=True)
def fetch_played(tree: Any, work: Any, leaf: Any, board: Any) -> None:
    """Fetch what is updated first after a deal."""
    if get(leaf, AFTER) >= 0 and work.what == UPDATE:
        segment = shifted(tree.streets.segments, SEGMENT * get(leaf, AFTER))
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
    segment = shifted(tree.streets.segments, SEGMENT * s)
    mine = stride_of(tree, segment, work.player)
    down(tree, work, segment, board, level)
    clear(level.cfv, 0, (1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)) * mine)
    fold(tree, work, s, board, level)
    for b in range(get(board, CHILD), get(board, CHILD_END)):
        last_street(tree, work, s, b, level, last, Gathering(level.cfv, mine, False))
    up(tree, work, segment, board, level)


DEALT, BRANCH, INTO, TASK = range(4)
"""Columns of `tasks`: the deal, -1 for all showdowns of the trunk with two cards to come, or for all that follows the trunk
on a last board, or in part EACH a segment; the board; the row of `sums` for its CFVs, or the first of them."""
_PART = 128
"""Lanes of the trunk that one thread ends at a time: sums, and CFVs and regrets from them."""


class TrunkBranches(NamedTuple):
    """The branches of a sweep. tasks: (T, 3) in the order in which they are taken. turns: those of
    `shared_turns.new_turns`. sums: (R, largest distance of rows of the trunk) their CFVs, and rows: (R, 2) the rows of the
    trunk, of each player, to add them to.
    """

    tasks: Any
    turns: Any
    sums: Any
    rows: Any


@kernel(nogil=True)
def do_part(
    streets: Any,
    terminals: Any,
    trunk: Level,
    place: WorkRoom,
    branches: TrunkBranches,
    sweeps: tuple[Sweep, Sweep],
    steps: Any,
    part: tuple[int, int],
) -> int:
    """Do a part in sweeps that are led one after the other.

    One kernel for all parts, as they are made of the same functions: compiling these takes seconds.

    Args:
        streets, terminals: the tree.
        trunk: the working set of the trunk.
        place: that of the thread.
        branches: the branches.
        sweeps: those that take turns; of a single sweep the first.
        steps: (n, 5) the numbers of a `RegretStep` for each sweep in turn.
        part: LEAD, HELP, END or EACH, and the number of the sweep to begin with.

    Returns:
        n, or the number of a sweep in which the leader waited in vain for a helper, or a helper for the leader.
    """
    tree = OpenedTree(with_pointers(streets), with_pointers(terminals), place.distance, len(streets.strides) // 2)
    level, numbers, listed = with_pointers(trunk), pointer(steps), pointer(branches.turns)
    middle, last = with_pointers(place.middle), with_pointers(place.last)
    for k in range(part[1], len(steps)):
        at, turns, asked = shifted(numbers, STEP * k), shifted(listed, TURNS * k), sweeps[k % 2]
        step = RegretStep(get(at, 0), get(at, 1), get(at, 2), get(at, 3), get(at, 4))
        work, sweep = working(asked, step, place), with_pointers(asked)
        if part[0] == EACH:
            _follow_each(tree, work, sweep, turns, (middle, last), branches)
        elif part[0] == HELP:
            if not reaches(turns, STATE, OPEN):
                return k
            _work_on_branches(tree, work, sweep, turns, level, (middle, last), branches)
            if reaches(turns, STATE, SUMMING):
                _add_branches(tree, work, sweep, turns, level, branches)
        else:
            if part[0] == LEAD or k > part[1]:
                _begin_trunk(tree, work, sweep, level)
                publish(shifted(turns, STATE), OPEN)
                _pay_trunk(tree, work, sweep, level)
                _work_on_branches(tree, work, sweep, turns, level, (middle, last), branches)
            if not _end_trunk(tree, work, sweep, turns, level, branches):
                return k
    return len(steps)


@kernel(inner=True)
def _begin_trunk(tree: Any, work: Any, sweep: Any, level: Any) -> None:
    """Reach of both players in the trunk, from how they enter it."""
    _enter(level.first, sweep.entered.first_at, sweep.entered.first, sweep.entered.first_count)
    _enter(level.second, sweep.entered.second_at, sweep.entered.second, sweep.entered.second_count)
    if sweep.ways == 2:
        _enter(level.other, sweep.entered.second_at, sweep.entered.other, sweep.entered.second_count)
    segment, board = (
        shifted(tree.streets.segments, SEGMENT * sweep.segment),
        shifted(tree.streets.boards, BOARD * sweep.board),
    )
    down(tree, work, segment, board, level)


@kernel(inner=True)
def _enter(rows: Any, at: int, entered: Any, count: int) -> None:
    for i in range(0, count, LANES):
        store(rows, at + i, load(entered, i))


@kernel(inner=True)
def _work_on_branches(tree: Any, work: Any, sweep: Any, turns: Any, top: Any, levels: Any, branches: Any) -> None:
    """Process branches until all are taken. levels: working sets of the streets that follow."""
    out, listed, stride = pointer(branches.sums), pointer(branches.tasks), branches.sums.shape[1]
    middle, last = levels
    segment, counter, finished = (
        shifted(tree.streets.segments, SEGMENT * sweep.segment),
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
            leaf, board = shifted(tree.streets.leaves, LEAF * get(task, DEALT)), shifted(tree.streets.boards, BOARD * b)
            clear(into, 0, stride)
            enter(tree, work, leaf, b, top, middle, segment)
            middle_street(tree, work, get(leaf, AFTER), board, middle, last)
            leave(tree, work, board, middle.cfv, into)
        count_one(finished)
        number = count_one(counter)


@kernel(inner=True)
def _follow_each(tree: Any, work: Any, sweep: Any, turns: Any, levels: Any, branches: Any) -> None:
    """Process segments on boards until all are taken. Each is entered by a row of its own of what `entered` holds."""
    out, listed, stride = pointer(branches.sums), pointer(branches.tasks), branches.sums.shape[1]
    second, other, counter = sweep.entered.second, sweep.entered.other, shifted(turns, TAKEN)
    number = count_one(counter)
    while number < len(branches.tasks):
        task = shifted(listed, TASK * number)
        s, board, row = (
            get(task, DEALT),
            shifted(tree.streets.boards, BOARD * get(task, BRANCH)),
            stride * get(task, INTO),
        )
        segment = shifted(tree.streets.segments, SEGMENT * s)
        theirs, mine = stride_of(tree, segment, 1 - work.player), stride_of(tree, segment, work.player)
        level = levels[1] if get(segment, LAYER) + 1 == tree.depth else levels[0]
        for i in range(0, theirs, LANES):
            store(level.second, i, load(second, row + i))
            if work.ways == 2:
                store(level.other, i, load(other, row + i))
        if get(segment, LAYER) + 1 == tree.depth:
            down(tree, work, segment, board, level)
            pay(tree, work, s, board, level)
            up(tree, work, segment, board, level)
        else:
            middle_street(tree, work, s, board, level, levels[1])
        for i in range(0, mine, LANES):
            store(out, row + i, load(level.cfv, i))
        number = count_one(counter)


@kernel(inner=True)
def _pay_trunk(tree: Any, work: Any, sweep: Any, level: Any) -> None:
    """The player's CFVs at terminals of the trunk on its own board; 0 where branches follow."""
    segment, board = (
        shifted(tree.streets.segments, SEGMENT * sweep.segment),
        shifted(tree.streets.boards, BOARD * sweep.board),
    )
    if get(segment, LAYER) + 1 == tree.depth:
        pay(tree, work, sweep.segment, board, level)
    else:
        rows = 1 + get(segment, PLAYERS + OF_PLAYER * work.player + ROWS)
        clear(level.cfv, 0, rows * stride_of(tree, segment, work.player))
        fold(tree, work, sweep.segment, board, level)


@kernel(inner=True)
def _add_branches(tree: Any, work: Any, sweep: Any, turns: Any, level: Any, branches: Any) -> None:
    """Add the CFVs of branches to those of the trunk in the order of their rows, some lanes at a time, and end these lanes
    of the trunk if they do not depend on others."""
    out, rows = pointer(branches.sums), pointer(branches.rows)
    segment, board = (
        shifted(tree.streets.segments, SEGMENT * sweep.segment),
        shifted(tree.streets.boards, BOARD * sweep.board),
    )
    stride, width = stride_of(tree, segment, work.player), get(side_of(board, work.player), WIDTH)
    apart, counter, summed = branches.sums.shape[1], shifted(turns, ADDED), shifted(turns, SUMMED)
    begin = _PART * count_one(counter)
    while begin < stride:
        end = min(begin + _PART, stride)
        for k in range(len(branches.rows)):
            source, target = shifted(out, k * apart), shifted(level.cfv, get(rows, 2 * k + work.player) * stride)
            for i in range(begin, end, LANES):
                store(target, i, load(target, i) + load(source, i))
        if _by_lanes(work):
            up_some(tree, work, segment, board, level, (begin, min(end, width)))
        count_one(summed)
        begin = _PART * count_one(counter)


@kernel(inline=True, inner=True)
def _by_lanes(work: Any) -> bool:
    """Return whether CFVs of some lanes go up without others: not where packed regrets are updated, which share a scale."""
    return work.what != UPDATE or not is_packed(work.mine.regret)


@kernel(inner=True)
def _end_trunk(tree: Any, work: Any, sweep: Any, turns: Any, level: Any, branches: Any) -> Any:
    """The player's CFVs and regrets of the trunk, after all branches; returns whether these were added up in time."""
    segment, board = (
        shifted(tree.streets.segments, SEGMENT * sweep.segment),
        shifted(tree.streets.boards, BOARD * sweep.board),
    )
    stride = stride_of(tree, segment, work.player)
    if not reaches(turns, FINISHED, len(branches.tasks)):
        return False
    publish(shifted(turns, STATE), SUMMING)
    _add_branches(tree, work, sweep, turns, level, branches)
    if not reaches(turns, SUMMED, (stride + _PART - 1) // _PART):
        return False
    publish(shifted(turns, STATE), OVER)
    if not _by_lanes(work):
        up(tree, work, segment, board, level)
    for i in range(0, sweep.root_count, LANES):
        store(sweep.root, i, load(level.cfv, sweep.entered.first_at + i))
    return True
