"""Iterations of a public tree that decomposes into a trunk and branches (see `branches`).

Half an iteration is one player's part: CFVs against the other's plan, regrets, a new plan. It takes two steps. First each
branch by itself: the other player's plan is carried down into it, which the previous half left undone; this player's CFVs
and regrets go up. Then the trunk, finally with this player's new plan. So what is written in a branch is read again while it
is still in the cache, and only the trunk is sequential.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.leaves.protocol import open_leaf
from counterplay.poker.public_tree.branches import (
    BEFORE,
    BOARD,
    BOARD_TO,
    FRESH,
    FROM,
    GROUP,
    IN_PLACE,
    ON,
    RUN_ON,
    START,
    TO,
    UP,
)
from counterplay.poker.public_tree.payoff_kernel import (
    BOARDS,
    BOARDS_END,
    COLUMNS,
    FAR,
    FAR_END,
    LAYER,
    Rooms,
    branches_of,
    clear,
    far,
    near,
)
from counterplay.solvers import kernels
from counterplay.solvers.cfr_state import PlayerState, Schedule, group_of, pointers
from counterplay.solvers.kernels import rule_of
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, shifted, store, take_turn


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


@kernel(nogil=True)
def work(
    one: PlayerState, two: PlayerState, schedule: Schedule, task: BranchTask, place: Workplace, paid: EntryConstants
) -> None:
    """Process branches until all are taken: carry down the plan of player `two`, update player `one`. Or the trunk.

    One kernel for both, as they are made of the same functions: compiling these takes seconds.
    """
    mine, other, leaf, tree = pointers(one), pointers(two), open_leaf(one.leaf), branches_of(one.leaf)
    if task.trunk:
        _end(mine, other, leaf, tree, schedule, task.t, place, paid)
        return
    counter, size, rule = pointer(task.turn), place.sums.shape[1], rule_of(mine.cfv, schedule, task.t)
    their_tree = branches_of(two.leaf)
    branch = take_turn(counter)
    while branch < tree.count:
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
    _sweep(mine, leaf, tree, tree.count, other.plan, rooms)
    for k in range(len(paid.at)):
        at = paid.at[k]
        put(mine.cfv, at, get(mine.cfv, at) + get(other.plan, 0) * paid.chips[k])
    for branch in range(tree.count):
        for k in range(tree.drop_count):
            _add(mine.cfv, get(tree.drops, k), tree.pad, shifted(sums, branch * size + k * tree.pad))
    _update(mine, tree, tree.count, rule_of(mine.cfv, schedule, t), mine.cfv)
    weight = float(t + 1) ** schedule.gamma
    kernels.descend_root(mine, weight)
    _descend(mine, tree, tree.count, weight)


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
    """Update the regrets of a branch, bottom-up."""
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
    """Compute the plan of a branch, top-down."""
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
