"""The sequence-form linear program by HiGHS: exact values, both strategies, and any trade-off of guarantee and gain.

The responder chooses a plan x. The opponent's best response is bounded by one number m(J) per infoset J of the
opponent:

    Q(s) = (Mᵀx)(s) + Σ v(J')  over the infosets J' that follow the sequence s     (the value of s to the responder)
    m(J) ≤ Q(J, b) for every action b,         v(J) = m(J),  or (1-τ) m(J) + Σ τ σ̂(b) Q(J, b) under a local restriction

and the guarantee is Q(empty sequence). The duals of `m(J) ≤ Q(J, b)` are the opponent's plan (von Stengel 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.read_only import lock_fields
from counterplay.solvers.lp_assembly import (
    Copy,
    FixedInfosets,
    Flow,
    GadgetOpponent,
    assemble,
    load_program,
    payoff_entries,
    power_of_two,
)
from counterplay.treeplex.restriction import Restriction

_INTERIOR_ABOVE = 150_000
"""Payoff entries above which the interior point method is faster (Goofspiel 6, not Liar's dice 1x6)."""


_FARTHEST = 2.0**40
"""Payoffs, in the unit of the program, are cut here: HiGHS takes none above 1e15. What the plans lose in the game itself is
measured by best responses in any case."""
_QUICK = 100_000
"""Nonzeros below which HiGHS finishes in about a second."""
_RUNNING: list[Event] = []
"""Events set by programs in threads when they have stopped."""


class LPError(InputError):
    """HiGHS found no optimal solution, or an inexact one, as for payoffs of very different sizes."""


@contextmanager
def avoidable() -> Iterator[None]:
    """Name another solver where a linear program fails that was chosen as the solver; the cause of the error is the
    program's own."""
    try:
        yield
    except LPError as error:
        raise LPError(f"{error}; solver='dcfr' needs no linear program") from error


@dataclass(frozen=True, eq=False)
class LPResult:
    """plan: (size,) the responder's plan. opponents: per copy, the (size,) behaviour that holds the responder to its
    guarantee. guarantees: per copy, chips of the responder against a best response. objective: the maximised objective.
    """

    plan: F64
    opponents: tuple[F64, ...]
    guarantees: tuple[float, ...]
    objective: float
    seconds: float

    def __post_init__(self) -> None:
        lock_fields(self, "plan", "opponents")


class SequenceFormLP:
    """The program of one responder; warm-started from the last basis when only the objective or a floor changes.

    Attributes:
        own, other: the treeplexes.
        largest: the largest payoff as HiGHS sees it, in chips: the unit of its tolerances.
        algorithm, model: algorithm and model of HiGHS.
    """

    def __init__(
        self,
        subgame: Subgame,
        responder: int,
        copies: Sequence[Restriction] | None = None,
        fixed: FixedInfosets | None = None,
        also: Sequence[GadgetOpponent] = (),
    ) -> None:
        """Build the program.

        Args:
            subgame: trees and leaves; its restriction of the opponent (local scope) binds the only copy by default.
            responder: 0 or 1.
            copies: the simultaneous opponents, each with its own local restriction; the plan is the same against all of
                them.
            fixed: own infosets with given behaviour.
            also: more opponents, after the copies, each with its own tree.
        """
        self.own, self.other = subgame.trees[responder], subgame.trees[1 - responder]
        bound = copies if copies is not None else [subgame.restrictions[1 - responder]]
        # The tolerances of HiGHS are absolute: it gets payoffs near 1. A power of two changes no digit.
        payoff = payoff_entries(subgame, responder)
        self._flow = Flow(self.own, fixed, payoff)
        chips = self._flow.paid(payoff)[2]
        self.largest = float(np.abs(chips).max(initial=0.0))
        self._unit = power_of_two(chips)
        self._copies: list[Copy] = []
        columns, rows, parts = self._flow.columns, self._flow.rows, self._flow.parts()
        for faced in [*(GadgetOpponent(self.other, restriction, payoff) for restriction in bound), *also]:
            copy = Copy(faced.tree, faced.restriction, columns, rows)
            self._copies.append(copy)
            columns, rows = copy.columns, copy.rows
            first, second, chips = self._flow.paid(faced.payoff)
            parts += copy.parts(self._flow, (first, second, np.clip(chips / self._unit, -_FARTHEST, _FARTHEST)))
        self._count = columns
        self.algorithm = "ipm" if subgame.leaves.entries > _INTERIOR_ABOVE else "simplex"
        self.model = load_program(assemble(self._flow, self._copies, parts, (rows, columns)), self.algorithm)

    def maximise(
        self, gain: F64 | None, guarantee: float | Sequence[float], floor: float | Sequence[float] = -np.inf
    ) -> LPResult:
        """The plan that maximises gain · x + Σ guarantee · (value against a best response of each copy).

        Args:
            gain: (size,) weight of each own sequence; None for 0.
            guarantee: weight of the guarantee against each copy; one number if there is one copy.
            floor: least guarantee against the last opponent, or against each of them, in chips of the responder.
        """
        begin = run_time()
        flow, model = self._flow, self.model
        weights = [guarantee] if isinstance(guarantee, int | float) else list(guarantee)
        cost = np.zeros(self._count)
        if gain is not None:
            cost[: len(flow.real)] = gain[flow.real] * flow.unit[flow.real] / self._unit
        for copy, weight in zip(self._copies, weights, strict=True):
            cost[copy.guarantee] = weight
        model.changeColsCost(self._count, np.arange(self._count, dtype=np.int32), cost)
        floors = floor if isinstance(floor, Sequence) else [-np.inf] * (len(self._copies) - 1) + [floor]
        for copy, least in zip(self._copies, floors, strict=True):
            model.changeColBounds(copy.guarantee, least / self._unit, np.inf)
        self._run()
        solution = model.getSolution()
        value, dual = np.asarray(solution.col_value), np.asarray(solution.row_dual)
        plan = flow.plan(value)
        objective = self._unit * float(model.getInfo().objective_function_value)
        guarantees = tuple(self._unit * float(value[copy.guarantee]) for copy in self._copies)
        opponents = tuple(copy.answer(dual) for copy in self._copies)
        return LPResult(plan, opponents, guarantees, objective, run_time() - begin)

    def _run(self) -> None:
        import highspy

        model = self.model
        _run_interruptibly(model)
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            if self.algorithm == "simplex":
                model.clearSolver()  # the last basis leads to where rounding is too large: begin without it
            else:
                model.setOptionValue("solver", "simplex")  # the interior point method gave up; simplex does not
            _run_interruptibly(model)
            model.setOptionValue("solver", self.algorithm)
        status = model.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise LPError(
                f"the linear program ended with '{model.modelStatusToString(status)}', as happens where payoffs or chances "
                "differ greatly in size"
            )


def _run_interruptibly(model: Any) -> None:
    """Run HiGHS in a separate thread, so that Ctrl-C is handled; small programs run in this one."""
    if model.getNumNz() < _QUICK:
        model.run()
        return
    stop, done = Event(), Event()
    hooks = model.cbSimplexInterrupt, model.cbIpmInterrupt

    def heed(event: Any) -> None:
        if stop.is_set():
            event.interrupt()

    def work() -> None:
        try:
            model.run()
        finally:
            for hook in hooks:
                hook.unsubscribe(heed)
            done.set()

    for hook in hooks:
        hook.subscribe(heed)
    _RUNNING.append(done)
    # No daemon: Python aborts if it ends while HiGHS runs. No join: Ctrl-C there makes Python 3.11 take it for ended.
    Thread(target=work).start()
    try:
        while not done.wait(0.2):
            pass
    finally:
        stop.set()  # where it was cut short, it stops when it next looks, without being waited for


def is_running() -> bool:
    """Whether an interrupted program is still running."""
    _RUNNING[:] = [done for done in _RUNNING if not done.is_set()]
    return bool(_RUNNING)
