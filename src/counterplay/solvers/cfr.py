"""Solving by counterfactual regret minimisation: any method, any restriction, any stopping rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from numbers import Real
from typing import Any

import numpy as np

from counterplay.arrays import F64, locked, read_only
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates, Looks, Pace
from counterplay.solvers.minimiser import Minimiser
from counterplay.texts.arguments import Checked, instance, or_none, shown

_ROUNDING = 1e-6
_FIRST_CALL = 64
"""Iterations of the first call without evaluations."""


@dataclass(frozen=True)
class Stop(metaclass=Checked):
    """Stopping rule, whichever limit comes first. exploitability: half of NashConv, in chips. iterations. seconds."""

    exploitability: float = 0.0
    iterations: int = 1 << 62
    seconds: float = float("inf")

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            # Plain numbers first, since `Real` takes a microsecond.
            if not isinstance(number, float | int | Real) or not float(number) >= 0.0:
                raise InputError(f"the limit of {name} must be a number of at least 0, not {shown(number)}")
        if self.iterations != self.iterations // 1:
            raise InputError(f"the limit of iterations must be a whole number, not {shown(self.iterations)}")

    def __repr__(self) -> str:
        usual = Stop()
        given = (f"{name}={number:g}" for name, number in vars(self).items() if number != getattr(usual, name))
        return f"Stop({', '.join(given)})"


STOP = or_none(instance("a Stop", Stop))
"""The kind of an argument that may be one."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Two played plans, their value and their NashConv.

    Attributes:
        plans: the realization plans of players 0 and 1, restriction included, so that each fits the other's problem;
            arrays are checked and read-only. A plan that stands in a store is read there.
        value: chips of player 0, midway between the two bounds.
        nash_conv: the sum of what both players could still gain.
        iterations: 0 for the LP.
        interrupted: whether Ctrl-C stopped it.
    """

    plans: tuple[F64, F64]
    value: float
    nash_conv: float
    method: str
    iterations: int
    seconds: float
    interrupted: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.plans, tuple) or len(self.plans) != 2:
            raise InputError(f"a solution has a pair of plans, not {shown(self.plans)}")
        first, second = (_checked_plan(plan, player) for player, plan in enumerate(self.plans))
        object.__setattr__(self, "plans", (first, second))

    def __repr__(self) -> str:
        return brief(
            self, f"by {self.method}", labelled("value", self.value), labelled("nash conv", self.nash_conv),
            f"{self.iterations:,} iterations",
        )  # fmt: skip

    @cached_property
    def exploitability(self) -> float:
        """Mean of what a best responder wins from each player: half of NashConv."""
        return 0.5 * self.nash_conv

    def bound(self, player: int) -> float:
        """Upper bound on the value of the game for a player, in their chips: what a best responder wins from the other's
        plan. What is measured against it, gain and exploitability, errs on the safe side."""
        return (self.value if player == 0 else -self.value) + 0.5 * self.nash_conv


def _checked_plan(plan: Any, player: int) -> Any:
    if not isinstance(plan, np.ndarray):
        if hasattr(plan, "__getitem__") and not isinstance(plan, Sequence):
            return plan  # of a store
        raise InputError(f"the plan of player {player} must be an array, not {shown(plan)}")
    checked = read_only(plan, f"the plan of player {player}", (plan.size,), single=True)
    # Both reductions propagate NaN.
    if not (np.minimum.reduce(checked, initial=0.0) >= -_ROUNDING and np.maximum.reduce(checked, initial=0.0) < inf):
        raise InputError(f"the plan of player {player} must be finite numbers of at least 0")
    return checked


Progress = Callable[[int, float], None]
"""Called now and then with iterations done and current exploitability."""


def begin_part(progress: Progress | None, part: str) -> None:
    """Name the part of the work that begins, to a `Progress` that has a method `begin_part(part)`."""
    if (listener := getattr(progress, "begin_part", None)) is not None:
        listener(part)


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
    computed on the way, and the last average is the answer, with NashConv unknown (NaN). `single` iterates in float32
    (see `Iterates`).

    Exploitability is computed after numbers of iterations that depend only on the problem and on earlier results, so
    that equal calls give equal strategies on any machine; only a limit of seconds may cut a call short anywhere."""
    begin = run_time()
    run = Run(subgame, method, stop, single=single)
    if not look:
        pace, interrupted = Pace(begin + stop.seconds, _FIRST_CALL), False
        try:
            while run.done < stop.iterations and not pace.late:
                pace.advance(run.iterates, stop.iterations)
        except KeyboardInterrupt:
            interrupted = True
        seconds = run_time() - begin
        return Solution(_double(run.iterates.average()), nan, nan, method.name, run.iterates.done, seconds, interrupted)
    interrupted = run.advance(stop, progress, begin)
    done, best, nash_conv, value = run.done, run.best, run.nash_conv, run.value
    del run  # before the answer is written out in float64
    return Solution(_double(best), value, nash_conv, method.name, done, run_time() - begin, interrupted)


class Run:
    """A solve that can be interrupted and continued: the iterates, and the best average so far.

    Attributes:
        iterates: the running state; in float32 if `single`.
        best: the plans of the smallest NashConv seen.
        nash_conv, value: those of these plans; infinite and NaN before the first evaluation.
    """

    best: tuple[F64, F64]

    def __init__(self, subgame: Subgame, method: Minimiser, stop: Stop, *, single: bool = False) -> None:
        self.subgame, self.method = subgame, method
        self.iterates = Iterates(subgame, method, np.float32 if single or method.single else np.float64)
        self.nash_conv, self.value = inf, nan
        self._looks = Looks(sum(tree.size for tree in subgame.trees), stop.exploitability)

    @property
    def done(self) -> int:
        return self.iterates.done

    def advance(self, stop: Stop, progress: Progress | None = None, begin: float | None = None) -> bool:
        """Iterate until `stop`, whose iterations count from the very first and whose seconds from `begin` (by
        `run_time`; by default now); returns whether Ctrl-C ended it."""
        pace = Pace((run_time() if begin is None else begin) + stop.seconds)
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
        now, middle = gap(self.subgame, _double(plans) if self.method.single else plans)
        if now < self.nash_conv or self.nash_conv == inf:
            self.best, self.nash_conv, self.value = plans, now, middle
        return now


def _double(plans: tuple[F64, F64]) -> tuple[F64, F64]:
    first, second = (locked(plan.astype(np.float64, copy=False)) for plan in plans)
    return first, second
