"""Solving by counterfactual regret minimisation: any method, any restriction, stopped when the user says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import Minimiser
from counterplay.subgames.subgame import Subgame

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
    """A twentieth of what is done, but no more than about a quarter of a second, nor past the time limit."""
    rate = done / max(elapsed, 1e-9)
    wish = min(max(16, done // 20), int(rate * min(0.25, max(seconds - elapsed, 0.0))))
    return max(wish, 1)
