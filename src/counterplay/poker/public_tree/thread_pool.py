"""Threads for public trees that decompose into branches: their number, and their tasks.

A solve runs in a separate thread, with helpers that take its remaining branches, and the caller waits. So Ctrl-C is
noticed at once, and handled after the current iterations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError, quoted
from counterplay.poker.public_tree.branch_kernels import BranchTask, EntryConstants, Workplace, end, work
from counterplay.poker.public_tree.branches import room_for
from counterplay.poker.public_tree.payoff_kernel import PayoffSweep
from counterplay.solvers.cfr_state import PlayerState, Schedule
from counterplay.treeplex.memory import zeros

VARIABLE = "COUNTERPLAY_THREADS"
_MOST, _EACH, _DIGITS = 64, 4, 9
"""Threads that may be asked for on any machine, and of each core; digits of such a number."""


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_threads(number: int, what: str) -> None:
    """Reject no threads, and more than this machine could use.

    Args:
        number: number of threads.
        what: source of the number, for the message.

    Raises:
        InputError: too few or too many threads.
    """
    if number < 1:
        raise InputError(f"{what}: at least 1 is needed, not {number}")
    most = max(_MOST, _EACH * cores())
    if number > most:
        raise InputError(f"{what} is at most {most} on this machine, not {number}")


def threads() -> int:
    """The number of threads for large spots with cards to come: the number of cores, or less if COUNTERPLAY_THREADS is
    set. It does not change the result.

    Raises:
        InputError: COUNTERPLAY_THREADS is not a number, or far too large.
    """
    said = os.environ.get(VARIABLE, "")
    if not said:
        return cores()
    if not said.isdecimal() or len(said) > _DIGITS or int(said) < 1:
        raise InputError(f"{VARIABLE} must be a positive number of threads, not {quoted(said)}")
    check_threads(int(said), VARIABLE)
    return min(int(said), cores())


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2 * cores(), thread_name_prefix="counterplay")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads stay behind


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


def _unpaid(plan: NDArray[Any]) -> EntryConstants:
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


def run_whole(call: Callable[..., None], *args: Any) -> None:
    """Call it in a thread of the pool, to its end, even if Ctrl-C comes: then it is raised afterwards."""
    running = _pool().submit(call, *args)
    try:
        running.result()
    except KeyboardInterrupt:
        running.result()  # whoever interrupts finds whole iterations
        raise


def share(jobs: Sequence[Callable[[], None]]) -> None:
    """Call all of them at once: the first here, the others in the pool, unless they start too late to be of use."""
    first, *others = jobs
    helpers = [_pool().submit(job) for job in others]
    first()
    for helper in helpers:
        if not helper.cancel():
            helper.result()


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
                self._branches(player, BranchTask(weight, t))
                end(mine, other, self._schedule, t, self._places[player][0], self._paid[player])
                weight = float(t + 1) ** self._schedule.gamma
        self._branches(0, BranchTask(weight, 0))

    def _branches(self, player: int, task: BranchTask) -> None:
        """Process all branches, by all threads, without waiting for late helpers."""
        self._turn[0] = 0
        mine, other = self._sides[player]
        share([partial(work, mine, other, self._schedule, task, self._turn, place) for place in self._places[player]])


def _like(array: NDArray[Any]) -> NDArray[Any]:
    """Scratch of the same size and dtype, aligned as by `memory.zeros`."""
    size = len(array)
    return zeros(-(-size * array.itemsize // 8)).view(array.dtype)[:size]
