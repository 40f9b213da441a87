"""Solving by counterfactual regret minimisation: any method, any restriction, stopped when the user says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    """When to stop, whichever comes first. exploitability: half of NashConv, in chips. iterations. seconds."""

    exploitability: float = 0.0
    iterations: int = 1 << 62
    seconds: float = float("inf")

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if not number >= 0:
                raise InputError(f"the limit of {name} must be a number from 0 on, not {number}")

    def __repr__(self) -> str:
        usual = Stop()
        given = (f"{name}={number:g}" for name, number in vars(self).items() if number != getattr(usual, name))
        return f"Stop({', '.join(given)})"


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

    def __repr__(self) -> str:
        return brief(
            self, f"by {self.method}", labelled("value", self.value), labelled("nash conv", self.nash_conv),
            f"{self.iterations:,} iterations",
        )  # fmt: skip

    @property
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
    """Iterate until `stop` says so; Ctrl-C ends early with the best average so far. Without `look` nobody asks for
    exploitability on the way, and the last average is the answer, with NashConv unknown (NaN). `single` iterates in
    float32, which halves the memory (see `Iterates`).

    Exploitability is looked at after numbers of iterations that depend on the problem and on what was seen before, so that
    equal calls give equal strategies, however fast the machine is; only a limit of seconds may cut a call short anywhere.
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
    """A solve that can be cut short and gone on with: the iterates, and the best average so far.

    Args:
        subgame: the problem.
        method: how to iterate.
        stop: its exploitability is what is aimed at.
        single: iterate in float32.

    Attributes:
        iterates: the running state.
        best: the plans of the smallest NashConv seen.
        nash_conv, value: of those plans; infinite and NaN before the first look.
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
        """Iterate until `stop` says so; whether Ctrl-C ended it.

        Args:
            stop: its iterations are counted from the first of all, its seconds from `begin`, which is now unless given.
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
        """NashConv of the average, which is kept if it is the best so far."""
        plans = self.iterates.average()
        now, middle = gap(self.subgame, plans)
        if now < self.nash_conv or self.nash_conv == inf:
            self.best, self.nash_conv, self.value = plans, now, middle
        return now


def _double(plans: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Plans as everybody else takes them."""
    first, second = (plan.astype(np.float64, copy=False) for plan in plans)
    return first, second


def _blindly(iterates: Iterates, stop: Stop, begin: float) -> bool:
    """Iterate without a look at exploitability; whether Ctrl-C ended it."""
    pace = _Pace(begin + stop.seconds, _MANY)
    try:
        while iterates.done < stop.iterations and not pace.late:
            pace.advance(iterates, stop.iterations)
    except KeyboardInterrupt:
        return True
    return False


_MANY = 64
"""Iterations of the first call where nothing is looked at in between."""
_LEAST, _SHARE = 16, 20
"""Iterations between two looks at exploitability: at least so many, and a twentieth of those done."""
_LARGE, _FEW, _FURTHER = 500_000, 2, 1.05
"""Sequences from which on a look costs more than an iteration; iterations between two looks there, at least; how much
further than the goal is aimed."""
_PATIENCE = 0.1
"""Seconds that one call of the compiled loop should take at most: Ctrl-C and the clock are heard between calls."""


class _Looks:
    """When to look at exploitability. In a large problem the goal is aimed at, and a little further: NashConv falls about
    like a power of the iterations, which the last two looks tell. There nobody looks before the first iteration."""

    def __init__(self, subgame: Subgame, stop: Stop) -> None:
        self._goal, self.aims = 2.0 * stop.exploitability, sum(tree.size for tree in subgame.trees) >= _LARGE
        self._seen: list[tuple[int, float]] = []

    def saw(self, done: int, nash_conv: float) -> None:
        """What a look has found."""
        self._seen = [*self._seen[-1:], (done, nash_conv)]

    def after(self, done: int) -> int:
        """The iterations after which to look next."""
        usual = done + max(_LEAST, done // _SHARE)
        if not self.aims or len(self._seen) < 2 or not self._goal > 0.0:
            return usual
        (early, high), (late, low) = self._seen
        if not high > low > self._goal:
            return usual
        wanted = late * (low / self._goal) ** (log(late / early) / log(high / low))
        return min(max(int(_FURTHER * wanted) + 1, done + _FEW), done + max(_LEAST, done))


class _Pace:
    """Cuts the iterations up to the next look into calls of bearable length. end: when time is up."""

    def __init__(self, end: float, most: int = 1) -> None:
        self._end, self._most = end, most

    @property
    def late(self) -> bool:
        """Whether time is up."""
        return run_time() > self._end

    def advance(self, iterates: Iterates, goal: int) -> None:
        """Run towards `goal`, and learn how many iterations fit into one call."""
        begin, count = run_time(), min(self._most, goal - iterates.done)
        iterates.advance(count)
        per_second = count / max(run_time() - begin, 1e-9)
        left = min(_PATIENCE, max(self._end - run_time(), 0.0))
        self._most = max(1, min(4 * self._most, int(per_second * left)))
