"""Solving by counterfactual regret minimisation: any method, any restriction, stopped when the user says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
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

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if not number >= 0:
                raise InputError(f"the limit of {name} must be a number from 0 on, not {number}")


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


def solve_cfr(
    subgame: Subgame, method: Minimiser, stop: Stop, progress: Progress | None = None, *, look: bool = True
) -> Solution:
    """Iterate until `stop` says so; Ctrl-C ends early with the best average so far. Without `look` nobody asks for
    exploitability on the way, and the last average is the answer, with NashConv unknown (NaN).

    Exploitability is looked at after numbers of iterations that depend on nothing else, so that equal calls give equal
    strategies, however fast the machine is; only a limit of seconds may cut a call short anywhere.
    """
    begin = time.perf_counter()
    iterates = Iterates(subgame, method)
    if not look:
        interrupted = _blindly(iterates, stop, begin)
        seconds = time.perf_counter() - begin
        return Solution(iterates.average(), nan, nan, method.name, iterates.done, seconds, interrupted)
    best = iterates.average()
    nash_conv, value = gap(subgame, best)
    pace, interrupted = _Pace(begin + stop.seconds), False
    try:
        while iterates.done < stop.iterations and nash_conv > 2.0 * stop.exploitability and not pace.late:
            goal = min(iterates.done + max(_LEAST, iterates.done // _SHARE), stop.iterations)
            while iterates.done < goal and not pace.late:
                pace.advance(iterates, goal)
            plans = iterates.average()
            now, middle = gap(subgame, plans)
            if now < nash_conv:
                best, nash_conv, value = plans, now, middle
            if progress:
                progress(iterates.done, 0.5 * now)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - begin
    return Solution(best, value, nash_conv, method.name, iterates.done, seconds, interrupted)


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
_PATIENCE = 0.1
"""Seconds that one call of the compiled loop should take at most: Ctrl-C and the clock are heard between calls."""


class _Pace:
    """Cuts the iterations up to the next look into calls of bearable length. end: when time is up."""

    def __init__(self, end: float, most: int = 1) -> None:
        self._end, self._most = end, most

    @property
    def late(self) -> bool:
        """Whether time is up."""
        return time.perf_counter() > self._end

    def advance(self, iterates: Iterates, goal: int) -> None:
        """Run towards `goal`, and learn how many iterations fit into one call."""
        begin, count = time.perf_counter(), min(self._most, goal - iterates.done)
        iterates.advance(count)
        per_second = count / max(time.perf_counter() - begin, 1e-9)
        left = min(_PATIENCE, max(self._end - time.perf_counter(), 0.0))
        self._most = max(1, min(4 * self._most, int(per_second * left)))
