"""Leaves of a public tree as a kind of `leaves.protocol`: folds and showdowns of all boards by sorted sweeps; and the tasks
of threads on trees that decompose into the trunk, before a card is dealt, and *branches*, each some of the possible first
cards with all that follows.

Terminals where both players' last choices were made on the terminal's own board are *near*: their runs are read and written
in place, and all boards of a layer share one list of them, since only the offset of a board's hands differs. The others are
*far* (both all-in before the last card): their hands are first permuted into the board's order.

Work on the boards of one branch touches no other branch, so that several threads may work at once. The CFVs of a few runs
that go up from a branch into the trunk are summed separately. The number of branches does not depend on the threads, nor do
the sums.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.jit import kernel
from counterplay.jit.threads import run_whole, share, threads
from counterplay.leaves.protocol import register
from counterplay.poker.showdown.showdown import all_held, evaluate_batches, ranked_board
from counterplay.poker.showdown.terminals import BOARD_COLUMNS, HANDS, Terminals
from counterplay.solvers import kernels
from counterplay.solvers.kernels import PlayerState, Schedule, group_of, pointers, rule_of
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, shifted, store, take_turn, with_pointers
from counterplay.treeplex.sweeps import zeros

GROUP, BEFORE, ON, UP = range(4)
"""Columns of `Branches.nodes`: the group of the treeplex, how many of its lanes come before the node's, the node's layer,
and how far the sums for the trunk stand from the sequences before its lanes, `IN_PLACE` if they are not apart."""
START, RUN_ON, FRESH = range(3)
"""Columns of `Branches.runs`: where the run begins in the CFVs, its layer, whether no near terminal sets it."""
FROM, TO, BOARD, BOARD_TO = range(4)
"""Columns of `Branches.spans`."""
IN_PLACE = -(1 << 62)
"""Stands for a place among the sums where there is none."""


class Branches(NamedTuple):
    """One player's branches.

    number: number of branches; 0 if the tree is not decomposed. spans: (number + 1, layers, 4) for each branch, and last the
    trunk, on each layer: its first lane and one past the last; the same of its boards, as `PayoffSweep.boards` numbers them.
    After the layers of boards come two for each group in front of the deal, which only the trunk has: the group's lanes, and
    its sequences. nodes: (N, 4) the player's decisions, parents first. runs: (R, 3) the runs that these lead to. drops: (D,)
    the starts of the trunk's runs into which branches add CFVs. pad: lanes of such a run, padded to whole vectors. Arrays
    are int64; their lengths stand before them.
    """

    number: int
    layers: int
    spans: I64
    node_count: int
    nodes: I64
    run_count: int
    runs: I64
    drop_count: int
    drops: I64
    pad: int


FIRST, ROW = BOARD_COLUMNS, BOARD_COLUMNS + 1
"""Columns of `PayoffSweep.boards` after those of a `RankedBoard`: where its hands begin in its layer."""
BOARDS, BOARDS_END, NEAR, AWAY, FAR, FAR_END, LAYER, COLUMNS = 0, 1, 2, 6, 10, 11, 12, 13
"""Columns of `PayoffSweep.layers`: its boards; how many batches of near terminals there are, and where these, their
places and their amounts begin; the same of the far ones; the first of them and one past the last; its number."""
REACH, REACH_UP, CFV, CFV_UP, DROP, FAR_COLUMNS = range(6)
"""Columns of `PayoffSweep.far`: the opponent's run and where `up` tells the places in it; the same of the player; where the
sums of that run stand if they are apart, else `IN_PLACE` (see `Branches`)."""


class PayoffSweep(NamedTuple):
    """One player's leaves, in the dtype of amounts, scratch and room: float64 or float32.

    size: length of the CFVs. depth: L. layers: (L, 13), for boards of a layer with equal multiplicity, and boards: (B, 6)
    int64, see above. pairs, steps: those of all boards (see `terminals.RankedBoard`). batches, places, amounts: those of all
    layers (see `terminals.Terminals`). blanks: Z. blank: (Z, 2) int64, the spans of CFVs that no near terminal sets: from,
    to. far: (F, 4) int64. up: int64, for hands of a board their place on an earlier one. scratch: for the kernels. room:
    reaches, then CFVs, of the far terminals of one board, `row` numbers each.
    """

    size: int
    depth: int
    layers: AnyArray
    boards: AnyArray
    pairs: AnyArray
    steps: AnyArray
    batches: AnyArray
    places: AnyArray
    amounts: AnyArray
    blanks: int
    blank: AnyArray
    far: AnyArray
    up: AnyArray
    scratch: AnyArray
    room: AnyArray
    row: int
    branches: Branches


class Rooms(NamedTuple):
    """The work space of a thread: scratch, room (see `PayoffSweep`), sums for the trunk, and whether these are separate."""

    scratch: Any
    room: Any
    sums: Any
    apart: Any


@kernel(shared=True)
def multiply(leaf: Any, base: Any, shift: bool, plan: Any, out: Any) -> None:
    """out = CFVs against the plan, plus `base` if `shift`; all are pointers, including those of the leaf."""
    rooms = Rooms(leaf.scratch, leaf.room, out, False)
    for k in range(leaf.blanks):
        clear(out, get(leaf.blank, 2 * k), get(leaf.blank, 2 * k + 1))
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        near(leaf, layer, get(layer, BOARDS), get(layer, BOARDS_END), plan, out, rooms)
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        if get(layer, FAR_END) > get(layer, FAR):
            far(leaf, layer, get(layer, BOARDS), get(layer, BOARDS_END), plan, out, rooms)
    if shift:
        for at in range(0, leaf.size, LANES):
            store(out, at, load(out, at) + load(base, at))


@kernel(inner=True)
def near(leaf: Any, layer: Any, begin: int, end: int, plan: Any, out: Any, rooms: Any) -> None:
    """Evaluate the near terminals of a layer on some of its boards."""
    terminals = _terminals(leaf, layer, NEAR)
    for b in range(begin, end):
        board = shifted(leaf.boards, ROW * b)
        first = get(board, FIRST)
        ranked = ranked_board(board, leaf.pairs, leaf.steps)
        evaluate_batches(
            ranked,
            all_held(ranked),
            terminals,
            get(layer, NEAR),
            shifted(plan, first),
            shifted(out, first),
            rooms.scratch,
        )


@kernel(inner=True)
def clear(out: Any, begin: int, end: int) -> None:
    """Set a span of numbers to 0."""
    full = begin + (end - begin) // LANES * LANES
    for at in range(begin, full, LANES):
        store(out, at, same_as(out, 0.0))
    for at in range(full, end):
        put(out, at, 0.0)


@kernel(inner=True)
def _terminals(leaf: Any, layer: Any, kind: int) -> Any:
    return Terminals(
        shifted(leaf.batches, 2 * get(layer, kind + 1)), shifted(leaf.places, get(layer, kind + 2)),
        shifted(leaf.amounts, get(layer, kind + 3)),
    )  # fmt: skip


@kernel(inner=True)
def far(leaf: Any, layer: Any, begin: int, end: int, plan: Any, out: Any, rooms: Any) -> None:
    """Evaluate the far terminals of a layer on some of its boards."""
    for b in range(begin, end):
        _run_out(leaf, layer, shifted(leaf.boards, ROW * b), plan, out, rooms)


@kernel(inner=True)
def _run_out(leaf: Any, layer: Any, row: Any, plan: Any, out: Any, rooms: Any) -> None:
    first, count = get(layer, FAR), get(layer, FAR_END) - get(layer, FAR)
    begin, hands, room = get(row, FIRST), get(row, HANDS), rooms.room
    # The reach of each end far above, brought to the hands of this board: run k of the room, `leaf.row` numbers apart.
    for k in range(count):
        one = shifted(leaf.far, FAR_COLUMNS * (first + k))
        source, way, to = shifted(plan, get(one, REACH)), shifted(leaf.up, get(one, REACH_UP) + begin), k * leaf.row
        for i in range(hands):
            put(room, to + i, get(source, get(way, i)))
    ranked = ranked_board(row, leaf.pairs, leaf.steps)
    evaluate_batches(
        ranked, all_held(ranked), _terminals(leaf, layer, AWAY), get(layer, AWAY), room, room, rooms.scratch
    )
    # What they are worth stands in the `count` runs after these, and goes back to the hands above, or to a sum of its own.
    for k in range(count):
        one = shifted(leaf.far, FAR_COLUMNS * (first + k))
        target, way, at = (
            shifted(out, get(one, CFV)),
            shifted(leaf.up, get(one, CFV_UP) + begin),
            (count + k) * leaf.row,
        )
        if rooms.apart and get(one, DROP) != IN_PLACE:
            target = shifted(rooms.sums, get(one, DROP))
        for i in range(hands):
            place = get(way, i)
            put(target, place, get(target, place) + get(room, at + i))


register(PayoffSweep, multiply)


def advance(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> bool:
    """As `kernels.advance`, if the tree is processed branch by branch; returns whether it is."""
    paid = _unpaid(one.plan), _unpaid(two.plan)
    return _advance(one, two, paid, schedule, (done, iterations))


def advance_paid(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> bool:
    """As `advance`, with leaves to which constants are added."""
    if not isinstance(one.leaf.inner, PayoffSweep):
        return False
    paid = tuple(
        EntryConstants(side.leaf.at, side.leaf.chips.astype(side.plan.dtype)) if side.leaf.paid else _unpaid(side.plan)
        for side in (one, two)
    )
    first, second = (side._replace(leaf=side.leaf.inner) for side in (one, two))
    return _advance(first, second, (paid[0], paid[1]), schedule, (done, iterations))


def _unpaid(plan: AnyArray) -> EntryConstants:
    return EntryConstants(np.zeros(0, np.int64), np.zeros(0, plan.dtype))


def _advance(
    one: PlayerState, two: PlayerState, paid: _Constants, schedule: Schedule, portion: tuple[int, int]
) -> bool:
    branches = one.leaf.branches.number
    if branches < 1 or not schedule.alternating:
        return False
    count = min(threads(), branches)
    run_whole(_Run(one, two, paid, schedule, count), *portion)
    return True


class _Run:
    """Some iterations of two sides, and the places where threads work on them."""

    def __init__(self, one: PlayerState, two: PlayerState, paid: _Constants, schedule: Schedule, threads: int) -> None:
        self._schedule, self._sides, self._paid = schedule, ((one, two), (two, one)), paid
        self._turn = np.zeros(1, np.int64)
        self._places = []
        for side in (one, two):
            leaf, branches = side.leaf, side.leaf.branches
            sums = np.empty((branches.number, len(branches.drops) * branches.pad), side.plan.dtype)  # into the trunk
            self._places.append([Workplace(_like(leaf.scratch), _like(leaf.room), sums) for _ in range(threads)])

    def __call__(self, done: int, iterations: int) -> None:
        weight = 0.0
        for t in range(done + 1, done + iterations + 1):
            for player, (mine, other) in enumerate(self._sides):
                self._branches(player, weight, t)
                trunk = BranchTask(0.0, t, self._turn, True)
                work(mine, other, self._schedule, trunk, self._places[player][0], self._paid[player])
                weight = float(t + 1) ** self._schedule.gamma
        self._branches(0, weight, 0)

    def _branches(self, player: int, weight: float, t: int) -> None:
        """Process all branches, by all threads, without waiting for late helpers."""
        self._turn[0] = 0
        given = (*self._sides[player], self._schedule, BranchTask(weight, t, self._turn, False))
        share([partial(work, *given, place, self._paid[player]) for place in self._places[player]])


def _like(array: AnyArray) -> AnyArray:
    """Scratch of the same size and dtype, aligned as by `memory.zeros`."""
    size = len(array)
    return zeros(-(-size * array.itemsize // 8)).view(array.dtype)[:size]


class BranchTask(NamedTuple):
    """The task in the branches, or in the trunk after them. weight: that of the other player's plan in branches, 0 if it is
    there already. t: this player's iteration, 0 if there is nothing more to do. turn: (1,) int64, the number of branches
    taken, shared by the threads.
    """

    weight: float
    t: int
    turn: AnyArray
    trunk: bool


class Workplace(NamedTuple):
    """The work space of a thread. scratch, room: see `PayoffSweep`. sums: (branches, size) for the trunk, of all threads."""

    scratch: AnyArray
    room: AnyArray
    sums: AnyArray


class EntryConstants(NamedTuple):
    """Constants of a player, which an entry pays. at: (n,) int64, the paid sequences, all of the trunk. chips: (n,) the
    payments, in the player's own chips.
    """

    at: AnyArray
    chips: AnyArray


_Constants = tuple[EntryConstants, EntryConstants]


@kernel(nogil=True)
def work(
    one: PlayerState, two: PlayerState, schedule: Schedule, task: BranchTask, place: Workplace, paid: EntryConstants
) -> None:
    """Process branches until all are taken: carry down the plan of player `two`, update player `one`. Or the trunk.

    One kernel for both, as they are made of the same functions: compiling these takes seconds.
    """
    mine, other, leaf = pointers(one), pointers(two), with_pointers(one.leaf)
    tree = leaf.branches
    if task.trunk:
        _end(mine, other, leaf, tree, schedule, task.t, place, paid)
        return
    counter, size, rule = pointer(task.turn), place.sums.shape[1], rule_of(mine.cfv, schedule, task.t)
    their_tree = with_pointers(two.leaf.branches)
    branch = take_turn(counter)
    while branch < tree.number:
        if task.weight > 0.0:
            _descend(other, their_tree, branch, task.weight)
        if task.t > 0:
            sums = shifted(pointer(place.sums), branch * size)
            clear(sums, 0, size)
            _sweep(mine, leaf, tree, branch, other.plan, Rooms(pointer(place.scratch), pointer(place.room), sums, True))
            _update(mine, tree, branch, rule, sums)
        branch = take_turn(counter)


@kernel(inner=True)
def _end(mine: Any, other: Any, leaf: Any, tree: Any, schedule: Any, t: int, place: Any, paid: Any) -> None:
    """Process the trunk after all branches: player one's CFVs, constants included, regrets and plan in iteration t."""
    sums, size = pointer(place.sums), place.sums.shape[1]
    rooms = Rooms(pointer(place.scratch), pointer(place.room), sums, False)
    put(mine.cfv, 0, 0.0)
    _sweep(mine, leaf, tree, tree.number, other.plan, rooms)
    for k in range(len(paid.at)):
        at = paid.at[k]
        put(mine.cfv, at, get(mine.cfv, at) + get(other.plan, 0) * paid.chips[k])
    for branch in range(tree.number):
        for k in range(tree.drop_count):
            _add(mine.cfv, get(tree.drops, k), tree.pad, shifted(sums, branch * size + k * tree.pad))
    _update(mine, tree, tree.number, rule_of(mine.cfv, schedule, t), mine.cfv)
    weight = float(t + 1) ** schedule.gamma
    kernels.descend_root(mine, weight)
    _descend(mine, tree, tree.number, weight)


@kernel(inner=True)
def _span(tree: Any, branch: int, layer: int) -> Any:
    return shifted(tree.spans, 4 * (branch * tree.layers + layer))


@kernel(inner=True)
def _sweep(side: Any, leaf: Any, tree: Any, branch: int, plan: Any, rooms: Any) -> None:
    """Compute the CFVs of a branch against a plan."""
    for k in range(tree.run_count):
        run = shifted(tree.runs, 3 * k)
        if get(run, FRESH):
            span = _span(tree, branch, get(run, RUN_ON))
            clear(side.cfv, get(run, START) + get(span, FROM), get(run, START) + get(span, TO))
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        begin, stop = _here(tree, branch, layer)
        if begin < stop:
            near(leaf, layer, begin, stop, plan, side.cfv, rooms)
    for k in range(leaf.depth):
        layer = shifted(leaf.layers, COLUMNS * k)
        begin, stop = _here(tree, branch, layer)
        if begin < stop and get(layer, FAR_END) > get(layer, FAR):
            far(leaf, layer, begin, stop, plan, side.cfv, rooms)
    if side.shifted:
        for k in range(tree.run_count):
            run = shifted(tree.runs, 3 * k)
            span = _span(tree, branch, get(run, RUN_ON))
            start = get(run, START) + get(span, FROM)
            _add(side.cfv, start, get(span, TO) - get(span, FROM), shifted(side.base, start))


@kernel(inner=True)
def _here(tree: Any, branch: int, layer: Any) -> Any:
    """The boards of a branch among those of a row of `PayoffSweep.layers`."""
    span = _span(tree, branch, get(layer, LAYER))
    return max(get(span, BOARD), get(layer, BOARDS)), min(get(span, BOARD_TO), get(layer, BOARDS_END))


@kernel(inner=True)
def _add(out: Any, begin: int, count: int, what: Any) -> None:
    full = count // LANES * LANES
    for k in range(0, full, LANES):
        store(out, begin + k, load(out, begin + k) + load(what, k))
    for k in range(full, count):
        put(out, begin + k, get(out, begin + k) + get(what, k))


@kernel(inner=True)
def _update(side: Any, tree: Any, branch: int, rule: Any, sums: Any) -> None:
    for k in range(tree.node_count - 1, -1, -1):
        node = shifted(tree.nodes, 4 * k)
        span, up = _span(tree, branch, get(node, ON)), side.cfv
        if get(span, FROM) < get(span, TO):
            if get(node, UP) != IN_PLACE:
                up = shifted(sums, get(node, UP))
            group = group_of(side, get(node, GROUP))
            begin, stop = get(node, BEFORE) + get(span, FROM), get(node, BEFORE) + get(span, TO)
            low, high = -(-begin // LANES) * LANES, stop // LANES * LANES
            for i in range(low, high, LANES):
                kernels.update_lanes(side, group, i, rule, up, 0, LANES)
            if begin < low:
                _update_some(side, group, low - LANES, rule, up, begin + LANES - low, min(stop + LANES - low, LANES))
            if high < stop and low <= high:
                _update_some(side, group, high, rule, up, 0, stop - high)


@kernel(inner=True)
def _update_some(side: Any, group: Any, i: int, rule: Any, up: Any, first: int, last: int) -> None:
    kernels.update_lanes(side, group, i, rule, up, first, last)


@kernel(inner=True)
def _descend(side: Any, tree: Any, branch: int, weight: float) -> None:
    weights = same_as(side.total, weight)
    for k in range(tree.node_count):
        node = shifted(tree.nodes, 4 * k)
        span = _span(tree, branch, get(node, ON))
        if get(span, FROM) < get(span, TO):
            group = group_of(side, get(node, GROUP))
            begin, stop = get(node, BEFORE) + get(span, FROM), get(node, BEFORE) + get(span, TO)
            low, high = -(-begin // LANES) * LANES, stop // LANES * LANES
            for i in range(low, high, LANES):
                kernels.descend_lanes(side, group, i, weights, 0, LANES)
            if begin < low:
                _descend_some(side, group, low - LANES, weights, begin + LANES - low, min(stop + LANES - low, LANES))
            if high < stop and low <= high:
                _descend_some(side, group, high, weights, 0, stop - high)


@kernel(inner=True)
def _descend_some(side: Any, group: Any, i: int, weights: Any, first: int, last: int) -> None:
    kernels.descend_lanes(side, group, i, weights, first, last)
