"""Iterations of large games branch by branch, on several threads. Their number does not change the result."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.jit.threads import run_whole, share, threads
from counterplay.leaves.branch_leaf import GROUP, ROW, TOPS, WIDE, leaf_at
from counterplay.leaves.product import multiply
from counterplay.leaves.protocol import open_leaf
from counterplay.solvers.kernels import (
    PlayerState,
    Schedule,
    descend_lanes,
    descend_root,
    group_of,
    pointers,
    rule_of,
    update_lanes,
    with_cfvs,
)
from counterplay.treeplex.memory import zeros_of
from counterplay.treeplex.simd import LANES, get, load, pointer, same_as, shifted, store, take_turn
from counterplay.treeplex.sweeps import to_parents


def advance(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> bool:
    """As `kernels.advance`, if the treeplexes are those of the leaves; returns whether they are."""
    if not schedule.alternating or any(len(side.groups) != side.leaf.branches[-1, GROUP] for side in (one, two)):
        return False
    run_whole(_Run(one, two, schedule), done, iterations)
    return True


class _Run:
    """Some iterations of two sides, and the places where threads work on them."""

    def __init__(self, one: PlayerState, two: PlayerState, schedule: Schedule) -> None:
        self._schedule, self._sides, self._turn = schedule, ((one, two), (two, one)), np.zeros(1, np.int64)
        dtype = one.plan.dtype
        self._below = [
            BranchValues(np.arange(len(side.parent), dtype=np.int32), zeros_of((len(side.parent),), dtype))
            for side in (one, two)
        ]
        rows = max(int(np.diff(side.leaf.branches[:, ROW]).max()) for side in (one, two))
        count = min(threads(), max(1, len(one.leaf.branches) - 2))
        self._rooms = [zeros_of((rows + LANES,), dtype) for _ in range(count)]

    def __call__(self, done: int, iterations: int) -> None:
        """Run them."""
        weight = 0.0
        for t in range(done + 1, done + iterations + 1):
            for player, (mine, other) in enumerate(self._sides):
                self._share(player, BranchWork(weight, t, self._turn))
                end(mine, other, self._schedule, t, self._below[player])
                weight = float(t + 1) ** self._schedule.gamma
        self._share(0, BranchWork(weight, 0, self._turn))

    def _share(self, player: int, task: BranchWork) -> None:
        """Process all branches, by all threads."""
        self._turn[0] = 0
        given = (*self._sides[player], self._schedule, task, self._below[player])
        share([partial(work, *given, room) for room in self._rooms])


class BranchWork(NamedTuple):
    """The task in the branches. weight: that of the other player's plan, 0 if it is there already. t: this player's
    iteration, 0 if there is nothing more to do. turn: (1,) int64, the number of branches taken, shared by the threads."""

    weight: float
    t: int
    turn: AnyArray


class BranchValues(NamedTuple):
    """What the branches of a player leave for the trunk. lanes: (lanes,) int32, the numbers of all lanes. values:
    (lanes,) the values of those just below the trunk."""

    lanes: AnyArray
    values: AnyArray


@kernel(nogil=True)
def work(
    one: PlayerState, two: PlayerState, schedule: Schedule, task: BranchWork, below: BranchValues, room: Any
) -> None:
    """Process branches until all are taken: carry down the plan of player `two`, update player `one`. room: the CFVs of
    a branch, of each thread."""
    mine, other, counter = pointers(one), pointers(two), pointer(task.turn)
    leaf, their_leaf, rule = open_leaf(one.leaf), open_leaf(two.leaf), rule_of(mine.cfv, schedule, task.t)
    number = take_turn(counter) + 1
    while number < leaf.count:
        if task.weight > 0.0:
            _descend(other, their_leaf.branches, number, task.weight)
        if task.t > 0:
            # `room` holds the CFVs from the branch's first sequence on, so that its pointer is moved back by so many.
            row = get(leaf.branches, WIDE * number + ROW)
            multiply(leaf_at(leaf, number), shifted(mine.base, row), mine.shifted, other.plan, pointer(room))
            cfv, lanes = shifted(pointer(room), -row), pointer(below.lanes)
            here, top = with_cfvs(mine, mine.parent, cfv), with_cfvs(mine, lanes, cfv)
            _update(here, top, leaf.branches, number, rule, pointer(below.values))
        number = take_turn(counter) + 1


@kernel(nogil=True)
def end(one: PlayerState, two: PlayerState, schedule: Schedule, t: int, below: BranchValues) -> None:
    """Process the trunk after all branches: player one's CFVs, regrets and plan in iteration t."""
    mine, other, leaf = pointers(one), pointers(two), open_leaf(one.leaf)
    multiply(leaf_at(leaf, 0), mine.base, mine.shifted, other.plan, mine.cfv)
    values = pointer(below.values)
    # Values of the groups just below the trunk, by lane, go to their parents: the last branch first, whatever the threads.
    for number in range(leaf.count - 1, 0, -1):
        first = get(leaf.branches, WIDE * number + GROUP)
        for g in range(first + get(leaf.branches, WIDE * number + TOPS) - 1, first - 1, -1):
            group = group_of(mine, g)
            for lane in range(group.lane, group.lane + group.width, LANES):
                to_parents(mine.parent, lane, load(values, lane), mine.cfv)
    _update(mine, mine, leaf.branches, 0, rule_of(mine.cfv, schedule, t), mine.cfv)
    weight = float(t + 1) ** schedule.gamma
    descend_root(mine, weight)
    _descend(mine, leaf.branches, 0, weight)


@kernel(inner=True)
def _update(side: Any, top: Any, branches: Any, number: int, rule: Any, values: Any) -> None:
    """Update the regrets of a branch, bottom-up. top: the pointers for groups just below the trunk, with lanes as
    parents; their values become those of `values`."""
    # The groups of a branch are those from `first` to `end`; from `inner` on their parents are in the branch itself.
    first, end = get(branches, WIDE * number + GROUP), get(branches, WIDE * (number + 1) + GROUP)
    inner = first + get(branches, WIDE * number + TOPS) if number > 0 else first
    for g in range(end - 1, inner - 1, -1):
        group = group_of(side, g)
        for i in range(0, group.width, LANES):
            update_lanes(side, group, i, rule, side.cfv, 0, LANES)
    for g in range(inner - 1, first - 1, -1):
        group = group_of(side, g)
        for i in range(0, group.width, LANES):
            store(values, group.lane + i, same_as(values, 0.0))
            update_lanes(top, group, i, rule, values, 0, LANES)


@kernel(inner=True)
def _descend(side: Any, branches: Any, number: int, weight: float) -> None:
    """Compute the plan of a branch, top-down."""
    weights = same_as(side.total, weight)
    for g in range(get(branches, WIDE * number + GROUP), get(branches, WIDE * (number + 1) + GROUP)):
        group = group_of(side, g)
        for i in range(0, group.width, LANES):
            descend_lanes(side, group, i, weights, 0, LANES)
