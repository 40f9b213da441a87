"""Threads for public trees that decompose into branches: their tasks."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.jit.threads import run_whole, share, threads
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
    room_for,
)
from counterplay.poker.public_tree.payoff_kernel import (
    BOARDS,
    BOARDS_END,
    COLUMNS,
    FAR,
    FAR_END,
    LAYER,
    PayoffSweep,
    Rooms,
    branches_of,
    clear,
    far,
    near,
)
from counterplay.solvers import kernels
from counterplay.solvers.cfr_state import PlayerState, Schedule, group_of, pointers
from counterplay.solvers.kernels import rule_of
from counterplay.treeplex.memory import zeros
from counterplay.treeplex.simd import LANES, get, load, pointer, put, same_as, shifted, store, take_turn


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
            leaf, sums = side.leaf, room_for(side.leaf.branches, side.plan.dtype)
            self._places.append([Workplace(_like(leaf.scratch), _like(leaf.room), sums) for _ in range(threads)])

    def __call__(self, done: int, iterations: int) -> None:
        """Run them."""
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
