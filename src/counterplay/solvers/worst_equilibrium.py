"""The least worst-case value among all plans that keep some guarantees: a mixed-integer program by HiGHS.

A best response chooses one action at every infoset, so that "the worst plan against its best response" is not a linear
program: with z(J, b) = 1 where the opponent takes b at J,

    minimise g,   g = Q(empty),   m(J) ≥ Q(J, b) - M (1 - z(J, b)),   Σ z(J, b) = 1

where M bounds the difference of two actions. For small games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.problem.subgame import Subgame
from counterplay.solvers.lp import (
    Copy,
    Entries,
    FixedInfosets,
    Flow,
    GadgetOpponent,
    LPError,
    assemble,
    load_program,
    payoff_entries,
    power_of_two,
)
from counterplay.treeplex.sweeps import reach


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
    from. If `seconds` end the search, the plan's value and the bound differ; an LPError without a plan."""
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
