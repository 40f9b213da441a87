"""Tie-breaking: among all optimal plans of a problem, one with the largest gain against a model."""

from __future__ import annotations

from counterplay.arrays import F64
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap, played_plan
from counterplay.solvers.cfr import Solution
from counterplay.solvers.equilibrium import check_exact
from counterplay.solvers.lp import FixedInfosets, LPError, SequenceFormLP

_ROUNDING = 1e-9
"""Tolerance as a share of the program's largest payoff: that of HiGHS."""


def solve_toward(subgame: Subgame, responder: int, gain: F64) -> Solution:
    """The exact saddle point whose plan has the largest gain.

    Args:
        subgame: the problem; the opponent is bound by local restrictions only, and some of the responder's decisions
            may be fixed.
        responder: 0 or 1.
        gain: (size,) chips of each own sequence against the model.

    Raises:
        LPError: HiGHS is not exact enough.
    """
    begin = run_time()
    own = subgame.restrictions[responder]
    fixed = FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
    program = SequenceFormLP(subgame, responder, fixed=fixed)
    first = program.maximise(None, 1.0)
    floor = first.guarantees[0]
    try:
        plan = program.maximise(gain, 0.0, floor).plan
    except LPError:  # the value as printed may be a rounding error too much
        plan = program.maximise(gain, 0.0, floor - _ROUNDING * program.largest).plan
    answer = played_plan(subgame, 1 - responder, first.opponents[0])
    plans = (plan, answer) if responder == 0 else (answer, plan)
    nash_conv, value = gap(subgame, plans)
    check_exact(nash_conv, subgame.leaves.largest)
    return Solution(plans, value, nash_conv, "lp", 0, run_time() - begin)
