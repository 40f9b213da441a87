"""Solving by counterfactual regret minimisation: any method, any restriction, any stopping rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf, log, nan

import numpy as np
from numpy.typing import NDArray

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import Minimiser

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stop:
    """Stopping rule, whichever limit comes first. exploitability: half of NashConv, in chips. iterations. seconds."""

    exploitability: float = 0.0
    iterations: int = 1 << 62
    seconds: float = float("inf")

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if not number >= 0:
                raise InputError(f"the limit of {name} must be at least 0, not {number}")

    def __repr__(self) -> str:
        usual = Stop()
        given = (f"{name}={number:g}" for name, number in vars(self).items() if number != getattr(usual, name))
        return f"Stop({', '.join(given)})"


@dataclass(frozen=True, eq=False)
class Solution:
    """Two played plans, their value and their NashConv.

    Attributes:
        plans: the realization plans of players 0 and 1, restriction included, so that each fits the other's problem.
        value: chips of player 0, midway between the two bounds.
        nash_conv: the sum of what both players could still gain.
        iterations: number of iterations; 0 for the LP.
        seconds: wall-clock time.
        interrupted: whether Ctrl-C stopped it.
    """

    plans: tuple[Floats, Floats]
    value: float
    nash_conv: float
    method: str
    iterations: int
    seconds: float
    interrupted: bool = False

    def __repr__(self) -> str:
        return brief(
            self, f"by {self.method}", labelled("value", self.value), labelled("nash conv", self.nash_conv),
            f"{self.iterations:,} iterations",
        )  # fmt: skip

    @cached_property
    def exploitability(self) -> float:
        """Mean of what a best responder wins from each player: half of NashConv."""
        return 0.5 * self.nash_conv


Progress = Callable[[int, float], None]
"""Called now and then with iterations done and current exploitability."""


def solve_cfr(
    subgame: Subgame,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None = None,
    *,
    look: bool = True,
    single: bool = False,
) -> Solution:
    """Iterate until `stop`; Ctrl-C ends early with the best average so far. Without `look` exploitability is not
    computed on the way, and the last average is the answer, with NashConv unknown (NaN). `single` iterates in float32,
    which halves the memory (see `Iterates`).

    Exploitability is computed after numbers of iterations that depend only on the problem and on earlier results, so
    that equal calls give equal strategies on any machine; only a limit of seconds may cut a call short anywhere.
    """
    begin = run_time()
    run = Run(subgame, method, stop, single=single)
    if not look:
        interrupted = _blindly(run.iterates, stop, begin)
        seconds = run_time() - begin
        return Solution(_double(run.iterates.average()), nan, nan, method.name, run.iterates.done, seconds, interrupted)
    interrupted = run.advance(stop, progress, begin)
    done, best, nash_conv, value = run.done, run.best, run.nash_conv, run.value
    del run  # before the answer is written out in float64
    return Solution(_double(best), value, nash_conv, method.name, done, run_time() - begin, interrupted)


class Run:
    """A solve that can be interrupted and continued: the iterates, and the best average so far.

    Args:
        subgame: the problem.
        method: the regret minimiser.
        stop: its exploitability is the target.
        single: iterate in float32.

    Attributes:
        iterates: the running state.
        best: the plans of the smallest NashConv seen.
        nash_conv, value: those of these plans; infinite and NaN before the first evaluation.
    """

    best: tuple[Floats, Floats]

    def __init__(self, subgame: Subgame, method: Minimiser, stop: Stop, *, single: bool = False) -> None:
        self.subgame, self.method = subgame, method
        self.iterates = Iterates(subgame, method, np.float32 if single else np.float64)
        self.nash_conv, self.value = inf, nan
        self._looks = _Looks(subgame, stop)

    @property
    def done(self) -> int:
        """Iterations so far."""
        return self.iterates.done

    def advance(self, stop: Stop, progress: Progress | None = None, begin: float | None = None) -> bool:
        """Iterate until `stop`; returns whether Ctrl-C ended it.

        Args:
            stop: its iterations count from the very first, its seconds from `begin`, by default now.
            progress: see `Progress`.
        """
        pace = _Pace((run_time() if begin is None else begin) + stop.seconds)
        interrupted = False
        try:
            if self.nash_conv == inf and not self._looks.aims:
                self._look()
            while self.done < stop.iterations and self.nash_conv > 2.0 * stop.exploitability and not pace.late:
                goal = min(self._looks.after(self.done), stop.iterations)
                while self.done < goal and not pace.late:
                    pace.advance(self.iterates, goal)
                now = self._look()
                self._looks.saw(self.done, now)
                if progress:
                    progress(self.done, 0.5 * now)
        except KeyboardInterrupt:
            interrupted = True
        if self.nash_conv == inf:  # it ended before the first look
            self._look()
        return interrupted

    def _look(self) -> float:
        """The NashConv of the average, which is kept if it is the best so far."""
        plans = self.iterates.average()
        now, middle = gap(self.subgame, plans)
        if now < self.nash_conv or self.nash_conv == inf:
            self.best, self.nash_conv, self.value = plans, now, middle
        return now


def _double(plans: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Plans as float64."""
    first, second = (plan.astype(np.float64, copy=False) for plan in plans)
    return first, second


def _blindly(iterates: Iterates, stop: Stop, begin: float) -> bool:
    """Iterate without evaluations; returns whether Ctrl-C ended it."""
    pace = _Pace(begin + stop.seconds, _MANY)
    try:
        while iterates.done < stop.iterations and not pace.late:
            pace.advance(iterates, stop.iterations)
    except KeyboardInterrupt:
        return True
    return False


_MANY = 64
"""Iterations of the first call without evaluations."""
_LEAST, _SHARE = 16, 20
"""Least iterations between two evaluations of exploitability; also a twentieth of those done."""
_LARGE, _FEW, _FURTHER = 500_000, 2, 1.05
"""Number of sequences from which an evaluation costs more than an iteration; least iterations between two evaluations
there; factor by which the target is overshot.
"""
_PATIENCE = 0.1
"""Target duration in seconds of one call of the compiled loop: Ctrl-C and the clock are checked between calls."""


class _Looks:
    """The schedule of evaluations of exploitability. In a large problem it aims slightly beyond the target: NashConv
    falls about like a power of the iterations, fitted to the last two evaluations. There is no evaluation before the
    first iteration.
    """

    def __init__(self, subgame: Subgame, stop: Stop) -> None:
        self._goal, self.aims = 2.0 * stop.exploitability, sum(tree.size for tree in subgame.trees) >= _LARGE
        self._seen: list[tuple[int, float]] = []

    def saw(self, done: int, nash_conv: float) -> None:
        """Record an evaluation."""
        self._seen = [*self._seen[-1:], (done, nash_conv)]

    def after(self, done: int) -> int:
        """The number of iterations before the next evaluation."""
        usual = done + max(_LEAST, done // _SHARE)
        if not self.aims or len(self._seen) < 2 or not self._goal > 0.0:
            return usual
        (early, high), (late, low) = self._seen
        if not high > low > self._goal:
            return usual
        wanted = late * (low / self._goal) ** (log(late / early) / log(high / low))
        return min(max(int(_FURTHER * wanted) + 1, done + _FEW), done + max(_LEAST, done))


class _Pace:
    """Splits the iterations up to the next evaluation into short calls. end: the deadline."""

    def __init__(self, end: float, most: int = 1) -> None:
        self._end, self._most = end, most

    @property
    def late(self) -> bool:
        """Whether time is up."""
        return run_time() > self._end

    def advance(self, iterates: Iterates, goal: int) -> None:
        """Run towards `goal`, and adapt the number of iterations per call."""
        begin, count = run_time(), min(self._most, goal - iterates.done)
        iterates.advance(count)
        per_second = count / max(run_time() - begin, 1e-9)
        left = min(_PATIENCE, max(self._end - run_time(), 0.0))
        self._most = max(1, min(4 * self._most, int(per_second * left)))
