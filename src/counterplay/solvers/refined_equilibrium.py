"""Choices among the equilibria of a problem: the one that is best against small errors of the opponent, by linear programs,
and the plan with the least worst-case value (`least_worth`).

The opponent errs at a few decisions (the entry of a gadget game) toward a given strategy, the prior, with probability ε
-> 0. Such a gadget game sequential equilibrium (Kubíček et al. 2026, definition 2) maximises

    (1 - ε) · value + ε · (value against an opponent who follows the prior there)          for all small ε,

that is, first the value, then the second term among all plans that attain the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import Solution
from counterplay.solvers.lp import (
    Copy,
    Entries,
    FixedInfosets,
    Flow,
    GadgetOpponent,
    LPError,
    LPResult,
    SequenceFormLP,
    assemble,
    exact_solution,
    load_program,
    opponents_of,
    payoff_entries,
    power_of_two,
)
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach

_EPSILONS = (1e-3, 1e-4, 1e-5)
_EXACT = 1e-9
"""Tolerance of the value as a share of the program's largest payoff: that of HiGHS."""


@dataclass(frozen=True)
class Gaps:
    """The distance of a plan from a refined equilibrium, in chips of the problem. value: from the value. prior: from
    the best that plans of this value have against an opponent who follows the prior; below 0 only if the value is
    missed."""

    value: float
    prior: float


class Refinement:
    """A problem and the prior of the opponent's errors, as one program that is solved for several objectives. An
    opponent bound by `toward` follows the prior wherever it is defined; some of the responder's decisions may be fixed.
    rounding: tolerance of the value, in chips."""

    def __init__(self, subgame: Subgame, toward: Restriction, responder: int) -> None:
        self.subgame, self.toward, self.responder = subgame, toward, responder
        self._main, self._weights, self._gain = opponents_of(subgame, responder)
        fixed = FixedInfosets.of(subgame.restrictions[responder])
        self._program = SequenceFormLP(subgame, responder, [toward, *self._main], fixed)
        self.rounding = _EXACT * max(self._program.largest, 1e-300)
        self._best: tuple[float, LPResult] | None = None

    def perturbed(self, epsilon: float) -> LPResult:
        """The best plan if the opponent errs with this probability (Kubíček et al. 2026, program 3)."""
        gain = None if self._gain is None else (1.0 - epsilon) * self._gain
        return self._program.maximise(gain, [epsilon, *((1.0 - epsilon) * w for w in self._weights)])

    def value(self) -> float:
        """The value of the problem, in chips of the responder."""
        if self._best is None:
            result = self.perturbed(0.0)
            self._best = result.objective, result
        return self._best[0]

    def by_shrinking(self) -> F64 | None:
        """(size,) the plan for an ε so small that it is also optimal at 0, and hence exact; None if no tried ε is."""
        for epsilon in _EPSILONS:
            plan = self.perturbed(epsilon).plan
            if self.value() - self._worth(self.subgame, plan) <= self.rounding:
                return plan
        return None

    def in_two_stages(self) -> F64:
        """(size,) the plan by the limit itself: the value first, then the prior, with the value as a floor. An LPError
        if the model is also trusted (p > 0), so that the value does not bound a single opponent."""
        if self._gain is not None or len(self._main) != 1:
            raise LPError("the two-stage program takes no trust in a model; use the perturbed one")
        floor = self.value()
        try:
            return self._program.maximise(None, [1.0, 0.0], floor).plan
        except LPError:  # the value as printed may be a rounding error too much
            return self._program.maximise(None, [1.0, 0.0], floor - self.rounding).plan

    def gaps(self, plan: F64) -> Gaps:
        """The distance of a (size,) plan of the responder from a refined equilibrium for this prior; errors as of
        `in_two_stages`."""
        missed = self.value() - self._worth(self.subgame, plan)
        return Gaps(missed, self.against_prior() - self._worth(self._followed, plan))

    @property
    def _followed(self) -> Subgame:
        return self.subgame.restricted(1 - self.responder, self.toward)

    def against_prior(self) -> float:
        """The best that plans of the problem's value have against an opponent who follows the prior, in chips; errors
        as of `in_two_stages`."""
        return self._worth(self._followed, self.in_two_stages())

    def solution(self) -> Solution:
        """The refined equilibrium, with the opponent's part of an equilibrium; an LPError if HiGHS is not exact enough."""
        begin = run_time()
        self.value()
        plan = self.by_shrinking()
        if plan is None:
            plan = self.in_two_stages()
        assert self._best is not None
        return exact_solution(self.subgame, self.responder, plan, self._best[1].opponents[1:], begin)

    def _worth(self, subgame: Subgame, plan: F64) -> float:
        return -best_response(subgame, 1 - self.responder, plan).value


def solve_toward(subgame: Subgame, responder: int, gain: F64) -> Solution:
    """Tie-breaking: the exact saddle point whose plan has the largest `gain`, (size,) chips of each own sequence
    against a model. The opponent is bound by local restrictions only; some of the responder's decisions may be fixed.

    Raises:
        LPError: HiGHS is not exact enough.
    """
    begin = run_time()
    program = SequenceFormLP(subgame, responder, fixed=FixedInfosets.of(subgame.restrictions[responder]))
    first = program.maximise(None, 1.0)
    floor = first.guarantees[0]
    try:
        plan = program.maximise(gain, 0.0, floor).plan
    except LPError:  # the value as printed may be a rounding error too much
        plan = program.maximise(gain, 0.0, floor - _EXACT * program.largest).plan
    return exact_solution(subgame, responder, plan, first.opponents, begin)


@dataclass(frozen=True, eq=False)
class Least:
    """plan: (size,) the worst plan found. value: its value against a best response, chips of the responder. bound: a
    lower bound over all plans."""

    plan: F64
    value: float
    bound: float


def least_worth(
    subgame: Subgame,
    responder: int,
    fixed: FixedInfosets,
    also: Sequence[GadgetOpponent],
    floors: Sequence[float],
    seconds: float,
) -> Least:
    """The plan with the least value against a best response, among those that keep a floor against each of `also`: in
    chips of the responder, `floors`. A local restriction may bind the opponent, such as the range that they are dealt
    from. If `seconds` end the search, the plan's value and the bound differ; an LPError without a plan.

    A mixed-integer program, for small games. A best response chooses one action at every infoset: z(J, b) = 1 where the
    opponent takes b at J, and M bounds the difference of two actions in

        minimise g,   g = Q(empty),   m(J) ≥ Q(J, b) - M (1 - z(J, b)),   Σ z(J, b) = 1
    """
    payoff = payoff_entries(subgame, responder)
    flow, tree = Flow(subgame.trees[responder], fixed, payoff), subgame.trees[1 - responder]
    unit = power_of_two(flow.paid(payoff)[2])
    first, second, chips = flow.paid((payoff[0], payoff[1], payoff[2] / unit))
    parts, columns, rows, copies = flow.parts(), flow.columns, flow.rows, []
    for faced in also:
        copy = Copy(faced.tree, faced.restriction, columns, rows)
        parts += copy.parts(flow, flow.paid((faced.payoff[0], faced.payoff[1], faced.payoff[2] / unit)))
        columns, rows = copy.columns, copy.rows
        copies.append(copy)
    main = Copy(tree, subgame.restrictions[1 - responder], columns, rows)
    parts += main.parts(flow, (first, second, chips))
    chosen = main.columns + np.arange(len(main.answers))
    odds = np.ones(flow.tree.size)
    odds[flow.given] = fixed.behaviour[flow.given]
    most = np.asarray(reach(flow.tree, odds) / flow.unit)  # of each own sequence, in the units of the columns
    apart = _apart(main, most, (first, second, chips))[main.answers]
    owner = tree.owner[main.answers]
    one = main.rows + np.unique(owner, return_inverse=True)[1]
    parts += [(main.worth[main.answers], chosen, apart), (one, chosen, np.ones(len(chosen)))]
    shape = (int(one.max(initial=main.rows - 1)) + 1, main.columns + len(chosen))
    program = assemble(flow, copies, parts, shape)
    program.row_lower[main.worth[main.answers]] = -np.inf
    program.row_upper[main.worth[main.answers]] = apart
    program.row_lower[one], program.row_upper[one] = 1.0, 1.0
    program.col_lower[chosen] = 0.0
    model = load_program(program, "choose")
    for copy, floor in zip(copies, floors, strict=True):
        model.changeColBounds(copy.guarantee, floor / unit, np.inf)
    model.changeColCost(main.guarantee, -1.0)
    columns_value, value, bound = _choose(model, chosen, seconds)
    return Least(flow.plan(columns_value), -unit * value, -unit * bound)


def _choose(model: Any, chosen: I64, seconds: float) -> tuple[F64, float, float]:
    """Solve with 0 or 1 in the columns `chosen`: all columns, the objective and its bound."""
    import highspy

    for column in chosen.tolist():
        model.changeColBounds(column, 0.0, 1.0)
        model.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    for name, number in (("time_limit", seconds), ("mip_rel_gap", 0.0), ("mip_feasibility_tolerance", 1e-9)):
        model.setOptionValue(name, number)
    model.run()
    info = model.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        raise LPError("no worst equilibrium was found in time; take a smaller game or more seconds")
    return np.asarray(model.getSolution().col_value), info.objective_function_value, info.mip_dual_bound


def _apart(main: Copy, most: F64, payoff: Entries) -> F64:
    """(size,) the most by which the value of each opposing sequence can differ from that of another action there. An
    infoset is worth what is chosen there, and what its restriction mixes in."""
    first, second, chips = payoff
    tree, mix = main.tree, main.restriction.mix
    size = np.bincount(second, np.abs(chips) * most[first], tree.size)
    largest = np.zeros(tree.lanes)
    for lane in tree.visit_order[::-1].tolist():
        here = tree.sequences_of(lane)
        largest[lane] = main.keep[lane] * size[here].max()
        if len(mix):
            largest[lane] += float(mix[here] @ size[here])
        size[tree.arrays.parent[lane]] += largest[lane]
    out = np.zeros(tree.size)
    inner = tree.owner >= 0
    out[inner] = size[inner] + largest[tree.owner[inner]]
    return out
