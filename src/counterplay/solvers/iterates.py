"""The running state of counterfactual regret minimisation on one subgame, and the schedule of looks at its exploitability,
at Ctrl-C and at the clock."""

from __future__ import annotations

from math import exp, log
from typing import Any, Protocol

import numpy as np

from counterplay.arrays import F64
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.leaves.branch_leaf import BranchLeaf
from counterplay.leaves.protocol import advance_by
from counterplay.problem.subgame import Subgame
from counterplay.solvers import kernels
from counterplay.solvers.best_response import bound_of, leaves_of
from counterplay.solvers.branches import advance as advance_branches
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.memory import zeros_of
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, LANES, OFFSET, WIDTH

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
