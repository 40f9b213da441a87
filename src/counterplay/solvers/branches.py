"""Iterations of large games branch by branch, on several threads. Their number does not change the result."""

from __future__ import annotations

from functools import partial

import numpy as np

from counterplay.jit.threads import run_whole, share, threads
from counterplay.leaves.branch_leaf import GROUP, ROW
from counterplay.solvers.branch_kernels import BranchValues, BranchWork, end, work
from counterplay.solvers.cfr_state import PlayerState, Schedule
from counterplay.treeplex.memory import zeros_of
from counterplay.treeplex.simd import LANES


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
