"""The running state of counterfactual regret minimisation on one subgame, and the schedule of looks at its exploitability,
at Ctrl-C and at the clock.

Large games go on branch by branch, on several threads. Their number does not change the result."""

from __future__ import annotations

from functools import partial
from math import exp, log
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.jit.clock import run_time
from counterplay.jit.threads import run_whole, share, threads
from counterplay.leaves.branch_leaf import GROUP, ROW, TOPS, WIDE, BranchLeaf, leaf_at
from counterplay.leaves.product import multiply
from counterplay.leaves.protocol import advance_by
from counterplay.problem.subgame import Subgame
from counterplay.solvers import kernels
from counterplay.solvers.best_response import bound_of, leaves_of
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
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.simd import LANES, get, load, pointer, same_as, shifted, store, take_turn, with_pointers
from counterplay.treeplex.sweeps import reach, to_parents, zeros_of
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, WIDTH


def advance_branches(one: PlayerState, two: PlayerState, schedule: Schedule, done: int, iterations: int) -> bool:
    """As `kernels.advance_branches`, if the treeplexes are those of the leaves; returns whether they are."""
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
    leaf, their_leaf, rule = with_pointers(one.leaf), with_pointers(two.leaf), rule_of(mine.cfv, schedule, task.t)
    number = take_turn(counter) + 1
    while number < leaf.number:
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
    mine, other, leaf = pointers(one), pointers(two), with_pointers(one.leaf)
    multiply(leaf_at(leaf, 0), mine.base, mine.shifted, other.plan, mine.cfv)
    values = pointer(below.values)
    # Values of the groups just below the trunk, by lane, go to their parents: the last branch first, whatever the threads.
    for number in range(leaf.number - 1, 0, -1):
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
    """Update the regrets of a branch, bottom-up. top: groups just below the trunk, whose values become those of `values`."""
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


STEEPEST_SINGLE = 6.0
"""Largest exponent of averages in float32, where sums of weights must stay below 1e38."""


_PORTION = 1 << 16
"""Numbers of a plan that are mixed at a time."""
advance_by(BranchLeaf, advance_branches)


class Iterates:
    """The running state of CFR on a subgame. In float32 it needs half of the memory; rounding errors are about a
    millionth of the largest payoff."""

    def __init__(self, subgame: Subgame, method: Minimiser, dtype: Any = np.float64) -> None:
        if any(restriction.p == 1.0 for restriction in subgame.restrictions):
            raise InputError("against a model with p = 1 there is nothing to iterate: the answer is a best response")
        if dtype == np.float32 and method.gamma > STEEPEST_SINGLE:
            raise InputError(f"in float32 the average takes exponents up to {STEEPEST_SINGLE:g}, not {method.gamma:g}")
        self.subgame, self.method, self.dtype = subgame, method, dtype
        self.done = 0
        self.schedule = kernels.Schedule(
            method.floor, method.predictive, method.alpha, method.beta, method.gamma, method.alternating
        )
        self.sides = (self._side(0), self._side(1))
        # With a value function, each side answers plans that stand still while it is asked.
        if subgame.beyond is not None:
            self._seen = tuple(side._replace(plan=side.plan.copy()) for side in self.sides[::-1])
            self._constant = tuple(side.base.copy()[: len(side.plan)] for side in self.sides)

    def _side(self, player: int) -> kernels.PlayerState:
        tree, payoff = self.subgame.trees[player], self.subgame.leaves
        own, other = self.subgame.restrictions[player], self.subgame.restrictions[1 - player]
        regret, total, plan = self._zeros(tree.size), self._zeros(tree.size), self._zeros(tree.size)
        shift, lift = np.zeros(0, self.dtype), np.zeros(0, self.dtype)
        bound = bound_of(tree, own, self.dtype)
        starts = self.dtype == np.float32 and own.copy is None
        if own.copy:
            shift, lift = self._zeros(tree.size), self._zeros(tree.lanes)
            shift[:], lift[:] = own.shifts(tree)
            plan[:] = own.played(tree, tree.uniform()) / (1.0 - own.p)
        elif not starts:
            behaviour = tree.uniform()
            for g in range(bound.groups):
                offset, width, n, lane, count = tree.arrays.groups[g, [OFFSET, WIDTH, ACTIONS, LANE, COUNT]].tolist()
                here = (slice(None), slice(count))
                mix = own.mix[offset : offset + n * width].reshape(n, width)[here]
                free = behaviour[offset : offset + n * width].reshape(n, width)[here]
                free[:] = mix + own.keep[lane : lane + count] * free
            plan[:] = reach(tree, behaviour)
        if not starts:
            total[:] = plan
            total[0] = 1.0  # counts the weights
        made = kernels.PlayerState(
            groups=tree.arrays.groups,
            parent=tree.arrays.parent,
            leaf=leaves_of(payoff, self.dtype)[player],
            base=self._base(player, other),
            keep=bound.keep,
            mix=bound.mix,
            bound=bound.groups,
            shift=shift,
            lift=lift,
            regret=regret,
            source=self._zeros(tree.size) if self.method.predictive else regret,
            scale=self._zeros(tree.lanes),
            plan=plan,
            total=total,
            cfv=self._zeros(tree.size + LANES),
        )
        if starts:
            kernels.start(made._replace(leaf=None))
        return made

    def _zeros(self, size: int) -> Any:
        return zeros_of((size,), np.dtype(self.dtype))

    def _base(self, player: int, other: Restriction) -> Any:
        """The model's constant part of the other player: with weight p against 1 - p it is a base of the CFVs. For a
        model with a horizon, its part is in the other player's plan instead."""
        fixed = other.p > 0.0 and other.copy is None
        if not fixed and self.subgame.beyond is None:
            return np.zeros(0, self.dtype)
        size = self.subgame.trees[player].size
        base = self._zeros(size + LANES)
        if fixed:
            base[:size] = self.subgame.leaves.product(player, other.plan) * (other.p / (1.0 - other.p))
        return base

    def advance(self, iterations: int) -> None:
        if self.subgame.beyond is None:
            kernels.advance(*self.sides, self.schedule, self.done, iterations)
            self.done += iterations
            return
        for _ in range(iterations):
            self.done += 1
            if not self.method.alternating:
                self._ask((0, 1))
            for player in (0, 1):
                if self.method.alternating:
                    self._ask((player,))
                kernels.advance_one(self.sides[player], self._seen[player], self.schedule, self.done)

    def _ask(self, players: tuple[int, ...]) -> None:
        """Evaluate the value function beyond the limit, and write its CFVs to the bases of these players."""
        beyond = self.subgame.beyond
        if beyond is None:
            return
        plans = self.current()
        cfvs = beyond(*plans)
        for player in players:
            size, other = self.subgame.trees[player].size, self.subgame.restrictions[1 - player]
            if not np.isfinite(cfvs[player]).all():
                raise InputError("the value function returned something that is not a number")
            side = self.sides[player]
            side.base[:size] = self._constant[player] + cfvs[player] / (1.0 - other.p)
            self._seen[player].plan[:] = self.sides[1 - player].plan

    def average(self) -> tuple[F64, F64]:
        """Per player (size,) the weighted average of the plans played so far, of which the first is uniform."""
        if self.done == 0:
            return self.current()
        ahead = float(self.done + 1) ** self.method.gamma  # the current plan is in the sum, and not yet played
        averages = []
        for player, side in enumerate(self.sides):
            out = np.empty(len(side.plan), self.dtype)
            kernels.average(side.total, side.plan, ahead, float(side.total[0]) - ahead, out)
            if self.dtype == np.float32:
                np.maximum(out, 0.0, out=out)  # what rounding left below it
            averages.append(self._played(player, out))
        return averages[0], averages[1]

    def current(self) -> tuple[F64, F64]:
        """Per player (size,) the last played plan."""
        first, second = (self._played(i, side.plan.copy()) for i, side in enumerate(self.sides))
        return first, second

    def _played(self, player: int, plan: F64) -> F64:
        restriction = self.subgame.restrictions[player]
        if restriction.copy:
            plan = plan * (1.0 - restriction.p)
        elif restriction.p > 0.0:
            for at in range(0, len(plan), _PORTION):  # in portions, without copies of large plans
                here = slice(at, at + _PORTION)
                plan[here] = restriction.p * restriction.plan[here] + (1.0 - restriction.p) * plan[here]
        plan[0] = 1.0
        return plan


class Advancing(Protocol):
    @property
    def done(self) -> int:
        """Iterations so far."""

    def advance(self, iterations: int) -> None:
        """Run more."""


_LEAST, _SHARE = 16, 20
"""Least iterations between two evaluations of exploitability; also a twentieth of those done."""
_LARGE, _FEW, _FURTHER = 500_000, 2, 1.01
"""Number of sequences from which an evaluation costs about an iteration; least iterations between two evaluations
there; factor by which the target is overshot."""
_USUAL, _SLOW, _FAST = 1.75, 0.8, 2.5
"""Powers of the iterations of which NashConv is the inverse: as assumed after a single evaluation, and the least and
largest that are believed of two, between which it falls unevenly."""
_FAR = 10
"""Iterations to the target from which NashConv may fall by ever higher powers before it is reached."""
_PATIENCE = 0.1
"""Target duration in seconds of one call of the compiled loop: Ctrl-C and the clock are checked between calls."""


class Looks:
    """The schedule of evaluations of exploitability; none before the first iteration. In a large problem (by the
    sequences of both players) it aims slightly beyond the target: NashConv falls like a power of the iterations, or
    faster, by the same factor in as many iterations. Far from the target it aims midway between what both say after the
    last two evaluations; after a rise it aims as after a single one."""

    def __init__(self, sequences: int, exploitability: float) -> None:
        self._goal, self.aims = 2.0 * exploitability, sequences >= _LARGE
        self._seen: list[tuple[int, float]] = []

    def saw(self, done: int, nash_conv: float) -> None:
        self._seen = [*(one for one in self._seen[-1:] if one[0] < done), (done, nash_conv)]

    def after(self, done: int) -> int:
        """The number of iterations before the next evaluation."""
        usual = done + max(_LEAST, done // _SHARE)
        if not self.aims or not self._goal > 0.0:
            return usual
        if not self._seen:
            return _LEAST if done < _LEAST else usual
        if not self._seen[-1][1] > self._goal:
            return usual
        # `wanted`: the number of iterations after which the target is likely to be reached.
        (early, high), (late, low) = self._seen[0], self._seen[-1]
        left = log(low / self._goal)
        if not high > low:  # a single one, or one after a rise, which soon ends
            wanted = late * exp(left / _USUAL)
        else:
            fallen = log(high / low)
            wanted = late * exp(left / min(max(fallen / log(late / early), _SLOW), _FAST))
            if wanted > late + _FAR:
                wanted = 0.5 * (wanted + min(wanted, late + left * (late - early) / fallen))
        return min(max(int(_FURTHER * wanted) + 1, done + _FEW), done + max(_LEAST, done))


class Pace:
    """Splits the iterations up to the next evaluation into short calls. end: the deadline."""

    def __init__(self, end: float, most: int = 1) -> None:
        self._end, self._most = end, most

    @property
    def late(self) -> bool:
        """Return whether time is up, here or in the budget that is held."""
        return run_time() > self._end or not time_left()

    def advance(self, iterates: Advancing, goal: int) -> None:
        """Run towards `goal`, and adapt the number of iterations per call."""
        begin, count = run_time(), min(self._most, goal - iterates.done)
        iterates.advance(count)
        per_second = count / max(run_time() - begin, 1e-9)
        left = min(_PATIENCE, max(self._end - run_time(), 0.0), time_left())
        self._most = max(1, min(4 * self._most, int(per_second * left)))
