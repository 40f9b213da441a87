"""The sequence-form linear program by HiGHS: exact values, both strategies, and any trade of guarantee against gain.

The responder chooses a plan x. The opponent's best answer is bounded by one number m(J) per infoset J of the opponent:

    Q(s) = (Mᵀx)(s) + Σ v(J')  over the infosets J' that follow the sequence s     (what s is worth to the responder)
    m(J) ≤ Q(J, b) for every action b,         v(J) = m(J),  or (1-τ) m(J) + Σ τ σ̂(b) Q(J, b) under a local restriction

and the guarantee is Q(empty sequence). The duals of `m(J) ≤ Q(J, b)` are the opponent's plan (von Stengel 1996).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.leaves.matrix import Rows
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Entries = tuple[Any, Any, Any]
"""Rows, columns and values of some entries of a sparse matrix."""
_INTERIOR_ABOVE = 150_000
"""Payoff entries above which the interior point method is the faster one (Goofspiel 6, not Liar's dice 1x6)."""


_QUICK = 100_000
"""Nonzeros below which HiGHS is done in about a second."""


class LPError(InputError):
    """HiGHS found no optimal solution, or one that is not exact: payoffs of very different sizes are beyond it."""


@dataclass(frozen=True, eq=False)
class LPResult:
    """plan: (size,) the responder's. opponents: per copy, the (size,) behaviour that holds the responder to its guarantee.
    guarantees: per copy, chips of the responder against a best answer. objective: as maximised."""

    plan: Floats
    opponents: tuple[Floats, ...]
    guarantees: tuple[float, ...]
    objective: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Fixed:
    """Own infosets where the behaviour is given. lanes: (lanes,) which. behaviour: (size,) how."""

    lanes: NDArray[np.bool_]
    behaviour: Floats


class SequenceFormLP:
    """The program of one responder; solved again from the last basis when only the objective or a floor changes."""

    def __init__(
        self, subgame: Subgame, responder: int, copies: Sequence[Restriction] | None = None, fixed: Fixed | None = None
    ) -> None:
        """Build the program.

        Args:
            subgame: trees and leaves; its restriction of the opponent (local scope) binds the only copy by default.
            responder: 0 or 1.
            copies: the opponents that are faced at once, each bound by a local restriction of its own; the plan is the
                same against all of them.
            fixed: own infosets where the behaviour is given.
        """
        self.own, self.other = subgame.trees[responder], subgame.trees[1 - responder]
        bound = copies if copies is not None else [subgame.restrictions[1 - responder]]
        # The tolerances of HiGHS are absolute: it gets payoffs near 1. A power of two changes no digit.
        self._unit = _power_of_two(subgame.leaves.rows.value)
        self._flow = _Flow(self.own, fixed)
        payoff = _payoff(subgame, responder, self._unit)
        self._copies: list[_Copy] = []
        columns, rows = self._flow.columns, self._flow.rows
        for restriction in bound:
            copy = _Copy(self.other, restriction, columns, rows)
            self._copies.append(copy)
            columns, rows = copy.columns, copy.rows
        self._count = columns
        self.algorithm = "ipm" if subgame.leaves.entries > _INTERIOR_ABOVE else "simplex"
        parts = self._flow.parts() + [part for copy in self._copies for part in copy.parts(self._flow, payoff)]
        self.model = _load(_program(self._flow, self._copies, parts, (rows, columns)), self.algorithm)

    def maximise(self, gain: Floats | None, guarantee: float | Sequence[float], floor: float = -np.inf) -> LPResult:
        """The plan that maximises gain · x + Σ guarantee · (value against a best answer of each copy).

        Args:
            gain: (size,) weight of each own sequence; None for 0.
            guarantee: weight of the guarantee against each copy; one number if there is one copy.
            floor: least guarantee allowed against the last copy, in chips of the responder.
        """
        begin = time.perf_counter()
        flow, model = self._flow, self.model
        weights = [guarantee] if isinstance(guarantee, int | float) else list(guarantee)
        cost = np.zeros(self._count)
        if gain is not None:
            cost[: len(flow.real)] = gain[flow.real] / self._unit
        for copy, weight in zip(self._copies, weights, strict=True):
            cost[copy.guarantee] = weight
        model.changeColsCost(self._count, np.arange(self._count, dtype=np.int32), cost)
        model.changeColBounds(self._copies[-1].guarantee, floor / self._unit, np.inf)
        self._run()
        solution = model.getSolution()
        value, dual = np.asarray(solution.col_value), np.asarray(solution.row_dual)
        plan = np.zeros(self.own.size)
        plan[flow.real] = np.maximum(value[: len(flow.real)], 0.0)
        plan = reach(self.own, flow.behaviour(plan))  # exact flow: HiGHS keeps constraints to 1e-9 only
        objective = self._unit * float(model.getInfo().objective_function_value)
        guarantees = tuple(self._unit * float(value[copy.guarantee]) for copy in self._copies)
        opponents = tuple(copy.answer(dual) for copy in self._copies)
        return LPResult(plan, opponents, guarantees, objective, time.perf_counter() - begin)

    def _run(self) -> None:
        import highspy

        model = self.model
        _run_interruptibly(model)
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal and self.algorithm != "simplex":
            model.setOptionValue("solver", "simplex")  # the interior point method gave up; simplex does not
            _run_interruptibly(model)
            model.setOptionValue("solver", self.algorithm)
        status = model.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise LPError(f"the linear program ended with '{model.modelStatusToString(status)}'; try --solver dcfr")


def _run_interruptibly(model: Any) -> None:
    """Run HiGHS in a thread of its own, so that Ctrl-C is heard meanwhile; small programs run where we are."""
    if model.getNumNz() < _QUICK:
        model.run()
        return
    worker = Thread(target=model.run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.2)
    except KeyboardInterrupt:
        model.cancelSolve()  # it stops when it next looks; nobody waits for that
        raise


class _Flow:
    """Own part of the program. Columns: own sequences. Rows: x(empty) = 1; Σ x(I, a) = x(parent of I) at each free
    infoset; x(I, a) = σ(I, a) · x(parent of I) for each action of a fixed one."""

    def __init__(self, tree: Treeplex, fixed: Fixed | None) -> None:
        self.tree, self.fixed = tree, fixed
        self.real: Longs = np.flatnonzero(tree.real)
        self.column = np.full(tree.size, -1, np.int64)
        self.column[self.real] = np.arange(len(self.real))
        self.columns = len(self.real)
        lanes: Longs = np.flatnonzero(tree.lane_sequences[2])
        given = fixed.lanes[lanes] if fixed else np.zeros(len(lanes), np.bool_)
        self.free: Longs = lanes[~given]
        inner = self.real[1:]
        self.given: Longs = inner[fixed.lanes[tree.owner[inner]]] if fixed else inner[:0]
        self.rows = 1 + len(self.free) + len(self.given)

    def parts(self) -> list[Entries]:
        """The entries of these rows."""
        tree, column = self.tree, self.column
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
            at = 1 + len(self.free) + np.arange(len(self.given))
            above = column[tree.arrays.parent[tree.owner[self.given]]]
            parts.append((at, column[self.given], np.ones(len(at))))
            parts.append((at, above, -self.fixed.behaviour[self.given]))
        return parts

    def behaviour(self, plan: Floats) -> Floats:
        """(size,) the behaviour of a plan, exactly the given one where it is fixed."""
        behaviour = behaviour_of(self.tree, plan)
        if self.fixed:
            behaviour[self.given] = self.fixed.behaviour[self.given]
        return behaviour


class _Copy:
    """One opponent. Columns: the guarantee; m(J) where the opponent has a choice; v(J) where it is restricted. Rows:
    Q(empty) = guarantee; Q(J, b) ≥ m(J); the equation of v(J)."""

    def __init__(self, tree: Treeplex, restriction: Restriction, column: int, row: int) -> None:
        self.tree, self.restriction = tree, restriction
        lanes: Longs = np.flatnonzero(tree.lane_sequences[2])
        keep = restriction.keep if restriction.is_local else np.ones(tree.lanes)
        choosing, bound = lanes[keep[lanes] > 0.0], lanes[keep[lanes] < 1.0]
        self.lanes, self.choosing, self.bound, self.keep = lanes, choosing, bound, keep
        self.guarantee = column
        self.m = np.full(tree.lanes, -1, np.int64)
        self.m[choosing] = column + 1 + np.arange(len(choosing))
        self.v = self.m.copy()
        self.v[bound] = column + 1 + len(choosing) + np.arange(len(bound))
        self.columns = column + 1 + len(choosing) + len(bound)
        inner: Longs = np.flatnonzero(tree.owner >= 0)
        self.answers: Longs = inner[keep[tree.owner[inner]] > 0.0]
        self.first = row
        self.worth = np.full(tree.size, -1, np.int64)  # the row that says what a sequence is worth, if any
        self.worth[0] = row
        self.worth[self.answers] = row + 1 + np.arange(len(self.answers))
        self.equation = np.full(tree.lanes, -1, np.int64)
        self.equation[bound] = row + 1 + len(self.answers) + np.arange(len(bound))
        self.rows = row + 1 + len(self.answers) + len(bound)

    def parts(self, flow: _Flow, payoff: Entries) -> list[Entries]:
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

    def answer(self, dual: Floats) -> Floats:
        """(size,) the free behaviour that holds the responder to the guarantee, from the duals of the rows."""
        weights = np.zeros(self.tree.size)
        weights[self.answers] = np.abs(dual[self.worth[self.answers]])
        return behaviour_of(self.tree, weights)


def _worth(row: Longs, weight: Floats, own: Longs, payoff: Entries, before: Any, value: Longs) -> list[Entries]:
    """weight(s) · Q(s) in the row of each opposing sequence s that has one: payoff, and the values that follow."""
    first, second, chips = payoff
    there = row[second] >= 0
    after = row[before] >= 0
    return [
        (row[second[there]], own[first[there]], weight[second[there]] * chips[there]),
        (row[before[after]], value[after], weight[before[after]]),
    ]


def _payoff(subgame: Subgame, responder: int, unit: float) -> Entries:
    """Every payoff entry as (own sequence, opposing sequence, chips of the responder / unit)."""
    rows: Rows = subgame.leaves.rows if responder == 0 else subgame.leaves.columns
    first = np.repeat(np.arange(len(rows.start) - 1), np.diff(rows.start))
    return first, rows.column.astype(np.int64), (1.0 if responder == 0 else -1.0) / unit * rows.value


def _power_of_two(payoffs: Floats) -> float:
    """The power of two next to the largest payoff; 1 if all are 0."""
    largest = float(np.abs(payoffs).max(initial=0.0))
    return float(2.0 ** np.round(np.log2(largest))) if largest > 0.0 else 1.0


@dataclass(frozen=True, eq=False)
class _Program:
    """A linear program by columns, as HiGHS takes it."""

    start: NDArray[np.int32]
    index: NDArray[np.int32]
    value: Floats
    row_lower: Floats
    row_upper: Floats
    col_lower: Floats


def _program(flow: _Flow, copies: Sequence[_Copy], parts: Sequence[Entries], shape: tuple[int, int]) -> _Program:
    from scipy.sparse import csc_matrix

    row, column, value = (np.concatenate([np.asarray(part[i]) for part in parts]) for i in range(3))
    matrix = csc_matrix((value, (row, column)), shape=shape)
    lower, upper = np.zeros(shape[0]), np.zeros(shape[0])
    lower[0] = upper[0] = 1.0
    for copy in copies:
        upper[copy.worth[copy.answers]] = np.inf
    col_lower = np.full(shape[1], -np.inf)
    col_lower[: flow.columns] = 0.0
    return _Program(matrix.indptr, matrix.indices, matrix.data, lower, upper, col_lower)


def _load(program: _Program, algorithm: str) -> Any:
    import highspy

    n, m = len(program.start) - 1, len(program.row_lower)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, m
    lp.col_cost_ = np.zeros(n)
    lower = program.col_lower
    lp.col_lower_, lp.col_upper_ = lower, np.full(n, np.inf)
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = program.start, program.index
    lp.a_matrix_.value_ = program.value
    lp.sense_ = highspy.ObjSense.kMaximize
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, 1e-9)
    model.setOptionValue("solver", algorithm)
    model.passModel(lp)
    return model
