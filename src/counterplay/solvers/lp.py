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
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.leaves.matrix import Rows
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Solution
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import Treeplex

_ROUNDING = 1e-6  # of the payoffs that count
_INTERIOR_ABOVE = 150_000
"""Payoff entries above which the interior point method is faster (Goofspiel 6, not Liar's dice 1x6)."""
_LARGEST_PAYOFF = 2.0**40
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
    """Name another solver where a linear program fails that was chosen as the solver."""
    try:
        yield
    except LPError as error:
        raise LPError(f"{error}; solver='dcfr' needs no linear program") from error


@dataclass(frozen=True, eq=False)
class LPResult:
    """plan: (size,) the responder's plan. opponents: per copy, the (size,) behaviour that holds the responder to its
    guarantee. guarantees: per copy, chips of the responder against a best response. objective: the maximised objective."""

    plan: F64
    opponents: tuple[F64, ...]
    guarantees: tuple[float, ...]
    objective: float


class SequenceFormLP:
    """The program of one responder; warm-started from the last basis when only the objective or a floor changes.
    largest: the largest payoff as HiGHS sees it, in chips: the unit of its tolerances."""

    def __init__(
        self,
        subgame: Subgame,
        responder: int,
        copies: Sequence[Restriction] | None = None,
        fixed: FixedInfosets | None = None,
        also: Sequence[GadgetOpponent] = (),
    ) -> None:
        """Build the program. Against the `copies`, simultaneous opponents with a local restriction each, the plan is
        the same; by default the only one is bound by the subgame's restriction. Opponents with their own trees, `also`,
        come after them."""
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
            parts += copy.parts(
                self._flow, (first, second, np.clip(chips / self._unit, -_LARGEST_PAYOFF, _LARGEST_PAYOFF))
            )
        self._count = columns
        self.algorithm = "ipm" if subgame.leaves.entries > _INTERIOR_ABOVE else "simplex"
        self.model = load_program(assemble(self._flow, self._copies, parts, (rows, columns)), self.algorithm)

    def maximise(
        self, gain: F64 | None, guarantee: float | Sequence[float], floor: float | Sequence[float] = -np.inf
    ) -> LPResult:
        """The plan that maximises gain · x + Σ guarantee · (value against a best response of each copy). `gain` is
        (size,), None for 0; `floor` is the least guarantee against the last opponent, or against each of them, in chips
        of the responder."""
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
        return LPResult(plan, opponents, guarantees, objective)

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
    _RUNNING[:] = [done for done in _RUNNING if not done.is_set()]
    return bool(_RUNNING)


Entries = tuple[Any, Any, Any]
"""Rows, columns and values of some entries of a sparse matrix."""
_UNEVEN = 64.0
"""The least reduction of the largest payoff for which units of columns are used."""
_TINY = 2.0**-500
_MOST_TIMES_MEDIAN = 2.0**12
"""By how much the largest payoff may exceed the median, and still be the unit."""


@dataclass(frozen=True, eq=False)
class FixedInfosets:
    """Own infosets with given behaviour. lanes: (lanes,) whether each is fixed. behaviour: (size,) at those."""

    lanes: Flags
    behaviour: F64

    @staticmethod
    def of(own: Restriction) -> FixedInfosets | None:
        """The infosets that a local restriction fixes; None without one."""
        return FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None


class Flow:
    """The responder's part of the program. Columns: own sequences. Rows: x(empty) = 1; Σ x(I, a) = x(parent of I) at
    each free infoset; x(I, a) = σ(I, a) · x(parent of I) for each action of a fixed one.

    Where fixed infosets make sequences rare, and payoffs were scaled up for it, each column has its own unit: the power
    of two next to the most that any plan can give it."""

    def __init__(self, tree: Treeplex, fixed: FixedInfosets | None, payoff: Entries | None = None) -> None:
        self.tree, self.fixed = tree, fixed
        self.real: I64 = np.flatnonzero(tree.real)
        self.column = np.full(tree.size, -1, np.int64)
        self.column[self.real] = np.arange(len(self.real))
        self.columns = len(self.real)
        lanes: I64 = np.flatnonzero(tree.lane_sequences[2])
        given = fixed.lanes[lanes] if fixed else np.zeros(len(lanes), np.bool_)
        self.free: I64 = lanes[~given]
        inner = self.real[1:]
        self.given: I64 = inner[fixed.lanes[tree.owner[inner]]] if fixed else inner[:0]
        self.rows = 1 + len(self.free) + len(self.given)
        self.unit = np.ones(tree.size)
        if fixed and payoff is not None:
            # A sequence fixed at probability 0 has the unit of its parent.
            odds, behaviour = np.ones(tree.size), fixed.behaviour[self.given]
            odds[self.given] = np.where(behaviour > 0.0, behaviour, 1.0)
            unit = np.asarray(2.0 ** np.round(np.log2(np.maximum(reach(tree, odds), _TINY))))
            first, _, chips = payoff
            if np.abs(chips).max(initial=0.0) > _UNEVEN * np.abs(chips * unit[first]).max(initial=0.0):
                self.unit = unit

    def paid(self, payoff: Entries) -> Entries:
        """Payoff entries for columns in their units."""
        first, second, chips = payoff
        return first, second, chips * self.unit[first]

    def plan(self, columns: F64) -> F64:
        """(size,) the plan of a solution's columns, with exact flow: HiGHS keeps constraints only to 1e-9."""
        plan = np.zeros(self.tree.size)
        plan[self.real] = np.maximum(columns[: len(self.real)], 0.0) * self.unit[self.real]
        return reach(self.tree, self.behaviour(plan))

    def parts(self) -> list[Entries]:
        tree, column = self.tree, self.column
        # Row 0: the empty sequence is 1. Rows 1..: actions of a free infoset add up to its parent.
        row = np.full(tree.lanes, -1, np.int64)
        row[self.free] = 1 + np.arange(len(self.free))
        inner = self.real[1:]
        inner = inner[row[tree.owner[inner]] >= 0]
        before = column[tree.arrays.parent[self.free]]
        parts: list[Entries] = [
            ([0], [0], [1.0]),
            (row[tree.owner[inner]], column[inner], np.ones(len(inner))),
            (row[self.free], before, -np.ones(len(before))),
        ]
        if self.fixed and len(self.given):
            # Rows after those: a fixed sequence is its share of the parent, both in their columns' units.
            at = 1 + len(self.free) + np.arange(len(self.given))
            above = column[tree.arrays.parent[tree.owner[self.given]]]
            parts.append((at, column[self.given], np.ones(len(at))))
            ratio = self.unit[tree.arrays.parent[tree.owner[self.given]]] / self.unit[self.given]
            parts.append((at, above, -self.fixed.behaviour[self.given] * ratio))
        return parts

    def behaviour(self, plan: F64) -> F64:
        """(size,) the behaviour of a plan, exactly the given one at fixed infosets."""
        behaviour = behaviour_of(self.tree, plan)
        if self.fixed:
            behaviour[self.given] = self.fixed.behaviour[self.given]
        return behaviour


@dataclass(frozen=True, eq=False)
class GadgetOpponent:
    """An opponent with its own tree and local restriction, against whom the same plan is measured. payoff: every entry
    as (own sequence in the program's tree, sequence in this tree, chips of the responder)."""

    tree: Treeplex
    restriction: Restriction
    payoff: Entries


class Copy:
    """One opponent. Columns: the guarantee; m(J) where the opponent has a choice; v(J) where they are restricted. Rows:
    Q(empty) = guarantee; Q(J, b) ≥ m(J); the equation of v(J)."""

    def __init__(self, tree: Treeplex, restriction: Restriction, column: int, row: int) -> None:
        self.tree, self.restriction = tree, restriction
        # Columns, in this order: the guarantee, m of the lanes with a choice, v of the restricted ones.
        lanes: I64 = np.flatnonzero(tree.lane_sequences[2])
        keep = restriction.keep if restriction.is_local else np.ones(tree.lanes)
        choosing, bound = lanes[keep[lanes] > 0.0], lanes[keep[lanes] < 1.0]
        self.lanes, self.choosing, self.bound, self.keep = lanes, choosing, bound, keep
        self.guarantee = column
        self.m = np.full(tree.lanes, -1, np.int64)
        self.m[choosing] = column + 1 + np.arange(len(choosing))
        self.v = self.m.copy()
        self.v[bound] = column + 1 + len(choosing) + np.arange(len(bound))
        self.columns = column + 1 + len(choosing) + len(bound)
        # Rows, in this order: the empty sequence, sequences that may be answered with, equations of restricted lanes.
        inner: I64 = np.flatnonzero(tree.owner >= 0)
        self.answers: I64 = inner[keep[tree.owner[inner]] > 0.0]
        self.first = row
        self.worth = np.full(tree.size, -1, np.int64)  # the row that says what a sequence is worth, if any
        self.worth[0] = row
        self.worth[self.answers] = row + 1 + np.arange(len(self.answers))
        self.equation = np.full(tree.lanes, -1, np.int64)
        self.equation[bound] = row + 1 + len(self.answers) + np.arange(len(bound))
        self.rows = row + 1 + len(self.answers) + len(bound)

    def parts(self, flow: Flow, payoff: Entries) -> list[Entries]:
        """The entries of these rows, given the payoff as (own sequence, opposing sequence, chips)."""
        tree, mix = self.tree, self.restriction.mix
        before = tree.arrays.parent[self.lanes]
        # Q(s), with sign 1, in the row of s; and again, weighted, in the equation of the infoset that mixes it in.
        parts: list[Entries] = [
            ([self.first], [self.guarantee], [-1.0]),
            (self.worth[self.answers], self.m[tree.owner[self.answers]], -np.ones(len(self.answers))),
        ]
        parts += _worth(self.worth, np.ones(tree.size), flow.column, payoff, before, self.v[self.lanes])
        if len(self.bound):
            line = np.full(tree.size, -1, np.int64)
            inside = tree.owner >= 0
            line[inside] = self.equation[tree.owner[inside]]
            line[mix == 0.0] = -1
            parts += _worth(line, -mix, flow.column, payoff, before, self.v[self.lanes])
            both = self.bound[self.keep[self.bound] > 0.0]
            parts.append((self.equation[self.bound], self.v[self.bound], np.ones(len(self.bound))))
            parts.append((self.equation[both], self.m[both], -self.keep[both]))
        return parts

    def answer(self, dual: F64) -> F64:
        """(size,) the free behaviour that holds the responder to the guarantee, from the duals of the rows."""
        weights = np.zeros(self.tree.size)
        weights[self.answers] = np.abs(dual[self.worth[self.answers]])
        return behaviour_of(self.tree, weights)


def _worth(row: I64, weight: F64, own: I64, payoff: Entries, before: Any, value: I64) -> list[Entries]:
    """weight(s) · Q(s) in the row of each opposing sequence s that has one: payoff, and the values that follow."""
    first, second, chips = payoff
    there = row[second] >= 0
    after = row[before] >= 0
    return [
        (row[second[there]], own[first[there]], weight[second[there]] * chips[there]),
        (row[before[after]], value[after], weight[before[after]]),
    ]


def payoff_entries(subgame: Subgame, responder: int) -> Entries:
    """Every payoff entry as (own sequence, opposing sequence, chips of the responder)."""
    rows: Rows = subgame.leaves.rows if responder == 0 else subgame.leaves.columns
    first = np.repeat(np.arange(len(rows.start) - 1), np.diff(rows.start))
    return first, rows.column.astype(np.int64), (1.0 if responder == 0 else -1.0) * rows.value


def power_of_two(payoffs: F64) -> float:
    """The power of two next to the largest of the payoffs (entries,) in absolute value; 1 if all are 0. Where few are
    far larger than others, as fines for what nobody does, HiGHS would take these for 0: then it is nearer to the
    median."""
    sizes = np.abs(payoffs[payoffs != 0.0])
    if not len(sizes):
        return 1.0
    largest = min(float(sizes.max()), _MOST_TIMES_MEDIAN * float(np.median(sizes)))
    return float(2.0 ** np.round(np.log2(largest)))


@dataclass(frozen=True, eq=False)
class Program:
    """A linear program by columns, as HiGHS takes it."""

    start: I32
    index: I32
    value: F64
    row_lower: F64
    row_upper: F64
    col_lower: F64


def assemble(flow: Flow, copies: Sequence[Copy], parts: Sequence[Entries], shape: tuple[int, int]) -> Program:
    row, column, value = (np.concatenate([np.asarray(part[i]) for part in parts]) for i in range(3))
    at = column.astype(np.int64) * shape[0] + row
    place, entry = np.unique(at, return_inverse=True)  # entries of one place add up
    start = np.searchsorted(place, np.arange(shape[1] + 1, dtype=np.int64) * shape[0]).astype(np.int32)
    index, sums = (place % shape[0]).astype(np.int32), np.bincount(entry, value, len(place)).astype(np.float64)
    lower, upper = np.zeros(shape[0]), np.zeros(shape[0])
    lower[0] = upper[0] = 1.0
    for copy in copies:
        upper[copy.worth[copy.answers]] = np.inf
    col_lower = np.full(shape[1], -np.inf)
    col_lower[: flow.columns] = 0.0
    return Program(start, index, sums, lower, upper, col_lower)


def load_program(program: Program, algorithm: str) -> Any:
    """The program in HiGHS, all costs 0. It is given as arrays: lists of a `HighsLp` would be filled number by number."""
    import highspy

    n, m = len(program.start) - 1, len(program.row_lower)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, 1e-9)
    model.setOptionValue("small_matrix_value", 1e-12)  # usually 1e-9: payoffs of rare deals would be taken for 0
    model.setOptionValue("solver", algorithm)
    by_column, most = int(highspy.MatrixFormat.kColwise), int(highspy.ObjSense.kMaximize)
    model.passModel(
        n, m, len(program.value), by_column, most, 0.0, np.zeros(n), program.col_lower, np.full(n, np.inf),
        program.row_lower, program.row_upper, program.start, program.index, program.value, np.zeros(n, np.int32),
    )  # fmt: skip
    return model


def solve_lp(subgame: Subgame, responder: int | None = None) -> Solution:
    """The exact saddle point: both plans by one linear program, from the side of a player who is unrestricted, or whose
    restriction only fixes decisions; `responder` selects the player if both qualify.

    Raises:
        InputError: both players are restricted otherwise, or the problem has a limit with a value function.
    """
    begin = run_time()
    if subgame.beyond:
        raise InputError(
            "the linear program takes no value function, which is not linear; use a minimiser such as cfr+"
        )
    if responder is None:  # the other may be restricted in any way, this one only fixed
        plain = [r.p == 0.0 and (not r.is_local or r.is_fixed) for r in subgame.restrictions]
        if not any(plain):
            raise InputError("the linear program takes one restricted player, not two")
        local = [r.is_local for r in subgame.restrictions]
        responder = int(local[0] and not local[1]) if all(plain) else plain.index(True)
    copies, weights, gain = opponents_of(subgame, responder)
    fixed = FixedInfosets.of(subgame.restrictions[responder])
    result = SequenceFormLP(subgame, responder, copies, fixed).maximise(gain, weights)
    return exact_solution(subgame, responder, result.plan, result.opponents, begin)


def opponents_of(subgame: Subgame, responder: int) -> tuple[list[Restriction], list[float], F64 | None]:
    """The simultaneous opponents in a problem's value, their weights, and the (size,) further gain of each own sequence.

    A model with a horizon plays at the same time as everybody else: two copies, one plan against both.
    """
    other = subgame.restrictions[1 - responder]
    rest = replace(other, p=0.0, plan=np.zeros(0), copy=None)
    if other.copy:
        return [other.copy, rest], [other.p, 1.0 - other.p], None
    gain = other.p * subgame.leaves.product(responder, other.plan) if other.p > 0.0 else None
    return [rest], [1.0 - other.p], gain


def exact_solution(subgame: Subgame, responder: int, plan: F64, free: Sequence[F64], begin: float) -> Solution:
    """The solution by a (size,) plan of the responder and the free (size,) behaviour of each opponent of `opponents_of`.

    Raises:
        LPError: the plans are not exact enough.
    """
    opponent = 1 - responder
    if len(free) == 1:
        answer = subgame.restrictions[opponent].played(subgame.trees[opponent], free[0])
    else:
        copies, weights, _ = opponents_of(subgame, responder)
        parts = [copy.played(subgame.trees[opponent], one) for copy, one in zip(copies, free, strict=True)]
        answer = np.asarray(weights[0] * parts[0] + weights[1] * parts[1])
    plans = (plan, answer) if responder == 0 else (answer, plan)
    nash_conv, value = gap(subgame, plans)
    check_exact(nash_conv, subgame.leaves.largest)
    return Solution(plans, value, nash_conv, "lp", 0, run_time() - begin)


def check_exact(error: float, unit: float) -> None:
    """Raise an LPError if the error of an answer, in chips, is more than rounding of payoffs of size `unit`: the
    largest, or `usual_payoff`."""
    if not error <= _ROUNDING * unit:
        raise LPError(
            f"the linear program is off by {error:.2g} chips, as happens where payoffs or chances differ greatly in size"
        )
