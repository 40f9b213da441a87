"""Solving by counterfactual regret minimisation: any method, any restriction, stopped when the user says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.solvers import kernels
from counterplay.solvers.best_response import gap
from counterplay.solvers.minimiser import Minimiser
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.sweeps import reach

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stop:
    """When to stop, whichever comes first. exploitability: half of NashConv, in chips. iterations. seconds."""

    exploitability: float = 0.0
    iterations: int = 1 << 62
    seconds: float = float("inf")


@dataclass(frozen=True, eq=False)
class Solution:
    """Two played plans and what is known of them.

    Attributes:
        plans: the realization plans of players 0 and 1, restriction included, so that each fits the other's problem.
        value: chips of player 0, in the middle of the two bounds.
        nash_conv: what both players together could still win.
        iterations: done; 0 for the LP.
        seconds: wall clock.
        interrupted: stopped by Ctrl-C.
    """

    plans: tuple[Floats, Floats]
    value: float
    nash_conv: float
    method: str
    iterations: int
    seconds: float
    interrupted: bool = False

    @property
    def exploitability(self) -> float:
        """Mean of what a best responder wins from each player: half of NashConv."""
        return 0.5 * self.nash_conv


Progress = Callable[[int, float], None]
"""Called now and then with iterations done and current exploitability."""


class Iterates:
    """The running state of CFR on a subgame: `advance` it, read the average or the current plans."""

    def __init__(self, subgame: Subgame, method: Minimiser) -> None:
        self.subgame, self.method = subgame, method
        self.done = 0
        self.schedule = kernels.Schedule(
            method.floor, method.predictive, method.alpha, method.beta, method.gamma, method.alternating
        )
        self.sides = (self._side(0), self._side(1))

    def _side(self, player: int) -> kernels.Side:
        tree, payoff = self.subgame.trees[player], self.subgame.leaves
        own, other = self.subgame.restrictions[player], self.subgame.restrictions[1 - player]
        # The model's part of the other player is constant: with weight p against 1 - p it is a base of the CFVs.
        base = np.zeros(tree.size)
        if other.p > 0.0:
            base = payoff.product(player, other.plan) * (other.p / (1.0 - other.p))
        behaviour = tree.uniform()
        return kernels.Side(
            tree=tree.arrays,
            rows=payoff.rows if player == 0 else payoff.columns,
            sign=1.0 if player == 0 else -1.0,
            base=base,
            keep=own.keep,
            mix=own.mix,
            regret=np.zeros(tree.size),
            last=np.zeros(tree.size if self.method.predictive else 0),
            behaviour=behaviour,
            plan=reach(tree, own.behaviour(tree, behaviour)),
            total=np.zeros(tree.size),
            scratch=np.zeros(tree.size),
        )

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        kernels.advance(*self.sides, self.schedule, self.done, iterations)
        self.done += iterations

    def _played(self, player: int, plan: Floats) -> Floats:
        restriction = self.subgame.restrictions[player]
        return restriction.p * restriction.plan + (1.0 - restriction.p) * plan if restriction.p > 0.0 else plan

    def average(self) -> tuple[Floats, Floats]:
        """The weighted average of the played plans so far; the current ones before the first iteration."""
        if self.done == 0:
            return self.current()
        first, second = (self._played(i, side.total / side.total[0]) for i, side in enumerate(self.sides))
        return first, second

    def current(self) -> tuple[Floats, Floats]:
        """The last played plans."""
        first, second = (self._played(i, side.plan.copy()) for i, side in enumerate(self.sides))
        return first, second


def solve_cfr(subgame: Subgame, method: Minimiser, stop: Stop, progress: Progress | None = None) -> Solution:
    """Iterate until `stop` says so; Ctrl-C ends early with the best average so far."""
    begin = time.perf_counter()
    iterates = Iterates(subgame, method)
    best = iterates.average()
    nash_conv, value = gap(subgame, best)
    step, interrupted = 16, False
    try:
        while iterates.done < stop.iterations and nash_conv > 2.0 * stop.exploitability:
            if time.perf_counter() - begin > stop.seconds:
                break
            iterates.advance(min(step, stop.iterations - iterates.done))
            plans = iterates.average()
            now, middle = gap(subgame, plans)
            if now < nash_conv:
                best, nash_conv, value = plans, now, middle
            if progress:
                progress(iterates.done, 0.5 * now)
            step = _next_step(iterates.done, time.perf_counter() - begin, stop.seconds)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - begin
    return Solution(best, value, nash_conv, method.name, iterates.done, seconds, interrupted)


def _next_step(done: int, elapsed: float, seconds: float) -> int:
    """A tenth of what is done, but no more than about a quarter of a second, nor past the time limit."""
    rate = done / max(elapsed, 1e-9)
    wish = min(max(16, done // 10), int(rate * min(0.25, max(seconds - elapsed, 0.0))))
    return max(wish, 1)
