"""The parts of the linear program of `lp.py`: own flow, copies of the opponent, and the model for HiGHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.leaves.matrix import Rows
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import Treeplex

Entries = tuple[Any, Any, Any]
"""Rows, columns and values of some entries of a sparse matrix."""
_UNEVEN = 64.0
"""The least reduction of the largest payoff for which units of columns are used."""
_TINY = 2.0**-500
_FARTHEST = 2.0**12
"""By how much the largest payoff may exceed the median, and still be the unit."""


@dataclass(frozen=True, eq=False)
class FixedInfosets:
    """Own infosets with given behaviour. lanes: (lanes,) whether each is fixed. behaviour: (size,) the
    behaviour there.
    """

    lanes: Flags
    behaviour: F64


class Flow:
    """The responder's part of the program. Columns: own sequences. Rows: x(empty) = 1; Σ x(I, a) = x(parent of I) at
    each free infoset; x(I, a) = σ(I, a) · x(parent of I) for each action of a fixed one.

    Where fixed infosets make sequences rare, and payoffs were scaled up for it, each column has its own unit: the power
    of two next to the most that any plan can give it.
    """

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
            unit = self._units(fixed)
            first, _, chips = payoff
            if np.abs(chips).max(initial=0.0) > _UNEVEN * np.abs(chips * unit[first]).max(initial=0.0):
                self.unit = unit

    def _units(self, fixed: FixedInfosets) -> F64:
        """(size,) the unit of each own sequence; a sequence fixed at probability 0 has the unit of its parent."""
        odds = np.ones(self.tree.size)
        given = fixed.behaviour[self.given]
        odds[self.given] = np.where(given > 0.0, given, 1.0)
        most = np.maximum(reach(self.tree, odds), _TINY)
        return np.asarray(2.0 ** np.round(np.log2(most)))

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
        """The entries of these rows."""
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
    """An opponent with its own tree, against whom the same plan is measured.

    Attributes:
        tree: its treeplex.
        restriction: its restriction, local scope.
        payoff: every payoff entry as (own sequence in the program's tree, sequence in this tree, chips of the responder).
    """

    tree: Treeplex
    restriction: Restriction
    payoff: Entries


class Copy:
    """One opponent. Columns: the guarantee; m(J) where the opponent has a choice; v(J) where they are restricted. Rows:
    Q(empty) = guarantee; Q(J, b) ≥ m(J); the equation of v(J).
    """

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


def payoff_entries(subgame: Subgame, responder: int, unit: float = 1.0) -> Entries:
    """Every payoff entry as (own sequence, opposing sequence, chips of the responder / unit)."""
    rows: Rows = subgame.leaves.rows if responder == 0 else subgame.leaves.columns
    first = np.repeat(np.arange(len(rows.start) - 1), np.diff(rows.start))
    return first, rows.column.astype(np.int64), (1.0 if responder == 0 else -1.0) / unit * rows.value


def power_of_two(payoffs: F64) -> float:
    """The power of two next to the largest of the payoffs (entries,) in absolute value; 1 if all are 0. Where few are far
    larger than others, as fines for what nobody does, HiGHS would take these for 0: then it is nearer to the median.
    """
    sizes = np.abs(payoffs[payoffs != 0.0])
    if not len(sizes):
        return 1.0
    largest = min(float(sizes.max()), _FARTHEST * float(np.median(sizes)))
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
