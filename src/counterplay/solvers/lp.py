"""The sequence-form linear program by HiGHS: exact values, both strategies, and any trade of guarantee against gain.

The responder chooses a plan x. The opponent's best answer is bounded by one number m(J) per infoset J of the opponent:

    Q(s) = (Mᵀx)(s) + Σ v(J')  over the infosets J' that follow the sequence s     (what s is worth to the responder)
    m(J) ≤ Q(J, b) for every action b,         v(J) = m(J),  or (1-τ) m(J) + Σ τ σ̂(b) Q(J, b) under a local restriction

and the guarantee is Q(empty sequence). The duals of `m(J) ≤ Q(J, b)` are the opponent's plan (von Stengel 1996).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.matrix import Rows
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
_INTERIOR_ABOVE = 150_000
"""Payoff entries above which the interior point method is the faster one (Goofspiel 6, not Liar's dice 1x6)."""


class LPError(RuntimeError):
    """HiGHS ended without an optimal solution."""


@dataclass(frozen=True, eq=False)
class LPResult:
    """plan: (size,) the responder's. opponent: (size,) behaviour that holds the responder to the guarantee. guarantee:
    chips of the responder against a best answer. objective: as maximised."""

    plan: Floats
    opponent: Floats
    guarantee: float
    objective: float
    seconds: float


class SequenceFormLP:
    """The program of one responder; solved again from the last basis when only the objective or the floor changes."""

    def __init__(self, subgame: Subgame, responder: int) -> None:
        self.subgame, self.responder = subgame, responder
        self.own, self.other = subgame.trees[responder], subgame.trees[1 - responder]
        self._columns = _Columns(self.own, self.other, subgame.restrictions[1 - responder].keep)
        # The tolerances of HiGHS are absolute: it gets payoffs near 1. A power of two changes no digit.
        self._unit = _power_of_two(subgame.leaves.rows.value)
        self.algorithm = "ipm" if subgame.leaves.entries > _INTERIOR_ABOVE else "simplex"
        self.model = _load(_assemble(subgame, responder, self._columns, self._unit), self.algorithm)

    def maximise(self, gain: Floats | None, guarantee: float, floor: float = -np.inf) -> LPResult:
        """The plan that maximises gain · x + guarantee · (value against a best answer).

        Args:
            gain: (size,) weight of each own sequence; None for 0.
            guarantee: weight of the guarantee.
            floor: least guarantee allowed, in chips of the responder.
        """
        begin = time.perf_counter()
        columns, model = self._columns, self.model
        cost = np.zeros(columns.count)
        if gain is not None:
            cost[: len(columns.own)] = gain[columns.own] / self._unit
        cost[columns.guarantee] = guarantee
        index = np.arange(columns.count, dtype=np.int32)
        model.changeColsCost(columns.count, index, cost)
        model.changeColBounds(columns.guarantee, floor / self._unit, np.inf)
        self._run()
        solution = model.getSolution()
        value = np.asarray(solution.col_value)
        plan = np.zeros(self.own.size)
        plan[columns.own] = np.maximum(value[: len(columns.own)], 0.0)
        plan = reach(self.own, behaviour_of(self.own, plan))  # exact flow: HiGHS keeps constraints to 1e-9 only
        duals = np.abs(np.asarray(solution.row_dual)[columns.own_rows :][: len(columns.other)])
        weights = np.zeros(self.other.size)
        weights[columns.other] = duals
        opponent = behaviour_of(self.other, weights)
        objective = self._unit * float(model.getInfo().objective_function_value)
        guaranteed = self._unit * float(value[columns.guarantee])
        return LPResult(plan, opponent, guaranteed, objective, time.perf_counter() - begin)

    def _run(self) -> None:
        import highspy

        model = self.model
        model.run()
        status = model.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise LPError(f"HiGHS ended with '{model.modelStatusToString(status)}'")


class _Columns:
    """Where the variables of the program stand.

    Columns: own sequences; then the guarantee; then m(J) for each opposing infoset; then v(J) where restricted.
    Rows: own flow (one per own infoset, one for the empty sequence); one per opposing sequence; one per v(J).
    """

    def __init__(self, own: Treeplex, other: Treeplex, keep: Floats) -> None:
        self.own: Longs = np.flatnonzero(own.real)
        self.own_at = np.full(own.size, -1, np.int64)
        self.own_at[self.own] = np.arange(len(self.own))
        self.other: Longs = np.flatnonzero(other.real)
        self.other_at = np.full(other.size, -1, np.int64)
        self.other_at[self.other] = np.arange(len(self.other))
        self.own_lanes: Longs = np.flatnonzero(own.lane_sequences[2])
        self.other_lanes: Longs = np.flatnonzero(other.lane_sequences[2])
        self.own_rows = 1 + len(self.own_lanes)
        self.guarantee = len(self.own)
        self.bound = np.full(other.lanes, -1, np.int64)
        self.bound[self.other_lanes] = self.guarantee + 1 + np.arange(len(self.other_lanes))
        after = self.guarantee + 1 + len(self.other_lanes)
        bound_lanes = np.flatnonzero(keep < 1.0) if len(keep) else np.zeros(0, np.int64)
        self.restricted: Longs = bound_lanes[np.isin(bound_lanes, self.other_lanes)]
        self.value = self.bound.copy()
        self.value[self.restricted] = after + np.arange(len(self.restricted))
        self.count = after + len(self.restricted)
        self.rows = self.own_rows + len(self.other) + len(self.restricted)


@dataclass(frozen=True, eq=False)
class _Program:
    """A linear program by columns, as HiGHS takes it."""

    start: NDArray[np.int32]
    index: NDArray[np.int32]
    value: Floats
    row_lower: Floats
    row_upper: Floats
    col_lower: Floats


def _power_of_two(payoffs: Floats) -> float:
    """The power of two next to the largest payoff; 1 if all are 0."""
    largest = float(np.abs(payoffs).max(initial=0.0))
    return float(2.0 ** np.round(np.log2(largest))) if largest > 0.0 else 1.0


def _assemble(subgame: Subgame, responder: int, columns: _Columns, unit: float) -> _Program:
    """The program with all payoffs counted in `unit` chips."""
    own, other = subgame.trees[responder], subgame.trees[1 - responder]
    rows: Rows = subgame.leaves.rows if responder == 0 else subgame.leaves.columns
    sign = (1.0 if responder == 0 else -1.0) / unit
    parts: list[tuple[Any, Any, Any]] = []
    # Own flow: x(empty) = 1 and Σ x(I, a) = x(parent of I).
    flow = np.full(own.lanes, -1, np.int64)
    flow[columns.own_lanes] = 1 + np.arange(len(columns.own_lanes))
    inner = columns.own[1:]
    parts.append(([0], [0], [1.0]))
    parts.append((flow[own.owner[inner]], columns.own_at[inner], np.ones(len(inner))))
    before = columns.own_at[own.arrays.parent[columns.own_lanes]]
    parts.append((flow[columns.own_lanes], before, -np.ones(len(before))))
    # Q(s) - m(J) ≥ 0, and Q(empty) - guarantee = 0: the payoff, the values that follow, the bound.
    lengths = np.diff(rows.start)
    sequence = np.repeat(np.arange(own.size), lengths)
    worth = columns.own_rows + columns.other_at
    parts.append((worth[rows.column], columns.own_at[sequence], sign * rows.value))
    following = worth[other.arrays.parent[columns.other_lanes]]
    parts.append((following, columns.value[columns.other_lanes], np.ones(len(following))))
    inner = columns.other[1:]
    parts.append((worth[inner], columns.bound[other.owner[inner]], -np.ones(len(inner))))
    parts.append(([columns.own_rows], [columns.guarantee], [-1.0]))
    parts.extend(_restricted_values(subgame, responder, columns, sequence, rows, sign))
    row, column, value = (np.concatenate([np.asarray(part[i]) for part in parts]) for i in range(3))
    return _by_columns(columns, row.astype(np.int64), column.astype(np.int64), value)


def _restricted_values(
    subgame: Subgame, responder: int, columns: _Columns, sequence: Longs, rows: Rows, sign: float
) -> list[tuple[Any, Any, Any]]:
    """v(J) - (1-τ) m(J) - Σ τ σ̂(b) Q(J, b) = 0, with Q written out, at the restricted infosets."""
    if not len(columns.restricted):
        return []
    other, restriction = subgame.trees[1 - responder], subgame.restrictions[1 - responder]
    row_of = np.full(other.lanes, -1, np.int64)
    row_of[columns.restricted] = columns.own_rows + len(columns.other) + np.arange(len(columns.restricted))
    line = np.full(other.size, -1, np.int64)  # the row in which a sequence's Q is mixed in, -1 if none
    inside = other.owner >= 0
    line[inside] = row_of[other.owner[inside]]
    line[restriction.mix == 0.0] = -1
    parts: list[tuple[Any, Any, Any]] = []
    at = row_of[columns.restricted]
    parts.append((at, columns.value[columns.restricted], np.ones(len(at))))
    parts.append((at, columns.bound[columns.restricted], -restriction.keep[columns.restricted]))
    mixed = line[rows.column] >= 0
    weight = -restriction.mix[rows.column[mixed]] * sign * rows.value[mixed]
    parts.append((line[rows.column[mixed]], columns.own_at[sequence[mixed]], weight))
    before = other.arrays.parent[columns.other_lanes]
    chosen = line[before] >= 0
    below = columns.other_lanes[chosen]
    parts.append((line[before[chosen]], columns.value[below], -restriction.mix[before[chosen]]))
    return parts


def _by_columns(columns: _Columns, row: Longs, column: Longs, value: Floats) -> _Program:
    from scipy.sparse import csc_matrix

    matrix = csc_matrix((value, (row, column)), shape=(columns.rows, columns.count))
    lower, upper = np.zeros(columns.rows), np.zeros(columns.rows)
    lower[0] = upper[0] = 1.0
    upper[columns.own_rows + 1 : columns.own_rows + len(columns.other)] = np.inf
    col_lower = np.full(columns.count, -np.inf)
    col_lower[: len(columns.own)] = 0.0
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
