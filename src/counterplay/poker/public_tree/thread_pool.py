"""Threads for public trees that decompose into branches: their tasks."""

from __future__ import annotations

from functools import partial

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.jit.threads import run_whole, share, threads
from counterplay.poker.public_tree.branch_kernels import BranchTask, EntryConstants, Workplace, work
from counterplay.poker.public_tree.branches import room_for
from counterplay.poker.public_tree.payoff_kernel import PayoffSweep
from counterplay.solvers.cfr_state import PlayerState, Schedule
from counterplay.treeplex.memory import zeros

_Constants = tuple[EntryConstants, EntryConstants]


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
    one: PlayerState,
    two: PlayerState,
    paid: _Constants,
    schedule: Schedule,
    portion: tuple[int, int],
) -> bool:
    branches = one.leaf.branches.number
    if branches < 1 or not schedule.alternating:
        return False
    count = min(threads(), branches)
    run_whole(_Run(one, two, paid, schedule, count), *portion)
    return True


class _Run:
    """Some iterations of two sides, and the places where threads work on them."""

    def __init__(
        self,
        one: PlayerState,
        two: PlayerState,
        paid: _Constants,
        schedule: Schedule,
        threads: int,
    ) -> None:
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
