"""Refined equilibria by linear programming: among all equilibria of a problem, one that is best against small errors of
the opponent.

The opponent errs at a few decisions (the entry of a gadget game) toward a given strategy, the prior, with probability ε
-> 0. Such a gadget game sequential equilibrium (Kubíček et al. 2026, definition 2) maximises

    (1 - ε) · value + ε · (value against an opponent who follows the prior there)          for all small ε,

that is, first the value, then the second term among all plans that attain the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.jit.clock import run_time
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response, gap
from counterplay.solvers.cfr import Solution
from counterplay.solvers.equilibrium import check_exact
from counterplay.solvers.lp import FixedInfosets, LPError, LPResult, SequenceFormLP
from counterplay.treeplex.restriction import Restriction

_EPSILONS = (1e-3, 1e-4, 1e-5)
_EXACT = 1e-9
"""Tolerance of the value as a share of the program's largest payoff: that of HiGHS."""


@dataclass(frozen=True)
class Gaps:
    """The distance of a plan from a refined equilibrium, in chips of the problem. value: from the value. prior: from
    the best that plans of this value have against an opponent who follows the prior; below 0 only if the value is
    missed.
    """

    value: float
    prior: float


class Refinement:
    """A problem and the prior of the opponent's errors, as one program that is solved for several objectives.

    Args:
        subgame: the problem; some of the responder's decisions may be fixed.
        toward: the restriction of the opponent who follows the prior wherever it is defined.
        responder: the player whose plan is refined.

    Attributes:
        subgame, toward, responder: as given.
        rounding: tolerance of the value, in chips.
    """

    def __init__(self, subgame: Subgame, toward: Restriction, responder: int) -> None:
        self.subgame, self.toward, self.responder = subgame, toward, responder
        own, other = subgame.restrictions[responder], subgame.restrictions[1 - responder]
        self._main, self._weights, self._gain = _objective(subgame, responder)
        fixed = FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
        self._program = SequenceFormLP(subgame, responder, [toward, *self._main], fixed)
        self._other = other
        self.rounding = _EXACT * max(self._program.largest, 1e-300)
        self._best: tuple[float, LPResult] | None = None

    def perturbed(self, epsilon: float) -> LPResult:
        """The best plan if the opponent errs with this probability (Kubíček et al. 2026, program 3)."""
        gain = None if self._gain is None else (1.0 - epsilon) * self._gain
        return self._program.maximise(gain, [epsilon, *((1.0 - epsilon) * w for w in self._weights)])

    def value(self) -> float:
        """The value of the problem, in chips of the responder."""
        if self._best is None:
            found = self.perturbed(0.0)
            self._best = found.objective, found
        return self._best[0]

    def by_shrinking(self) -> F64 | None:
        """(size,) the plan for an ε so small that it is also optimal at 0, and hence exact; None if no tried ε is."""
        for epsilon in _EPSILONS:
            plan = self.perturbed(epsilon).plan
            if self.value() - self._worth(self.subgame, plan) <= self.rounding:
                return plan
        return None

    def in_two_stages(self) -> F64:
        """(size,) the plan by the limit itself: the value first, then the prior, with the value as a floor.

        Raises:
            LPError: the model is also trusted (p > 0), so that the value does not bound a single opponent.
        """
        if self._gain is not None or len(self._main) != 1:
            raise LPError("the two-stage program takes no trust in a model; use the perturbed one")
        floor = self.value()
        try:
            return self._program.maximise(None, [1.0, 0.0], floor).plan
        except LPError:  # the value as printed may be a rounding error too much
            return self._program.maximise(None, [1.0, 0.0], floor - self.rounding).plan

    def gaps(self, plan: F64) -> Gaps:
        """The distance of a (size,) plan of the responder from a refined equilibrium for this prior.

        Raises:
            LPError: as in `in_two_stages`.
        """
        missed = self.value() - self._worth(self.subgame, plan)
        return Gaps(missed, self.against_prior() - self._worth(self._followed, plan))

    @property
    def _followed(self) -> Subgame:
        """The problem with an opponent who follows the prior."""
        return self.subgame.restricted(1 - self.responder, self.toward)

    def against_prior(self) -> float:
        """The best that plans of the problem's value have against an opponent who follows the prior, in chips.

        Raises:
            LPError: as in `in_two_stages`.
        """
        return self._worth(self._followed, self.in_two_stages())

    def solution(self) -> Solution:
        """The refined equilibrium, with the opponent's part of an equilibrium.

        Raises:
            LPError: HiGHS is not exact enough.
        """
        begin = run_time()
        self.value()
        plan = self.by_shrinking()
        if plan is None:
            plan = self.in_two_stages()
        assert self._best is not None
        answer = self._answer(self._best[1].opponents[1:])
        plans = (plan, answer) if self.responder == 0 else (answer, plan)
        nash_conv, value = gap(self.subgame, plans)
        check_exact(nash_conv, self.subgame.leaves.largest)
        return Solution(plans, value, nash_conv, "lp", 0, run_time() - begin)

    def _answer(self, found: Sequence[F64]) -> F64:
        tree, other = self.subgame.trees[1 - self.responder], self._other
        if len(found) == 1:
            return other.played(tree, found[0])
        parts = [part.played(tree, free) for part, free in zip(self._main, found, strict=True)]
        return np.asarray(sum(w * part for w, part in zip(self._weights, parts, strict=True)))

    def _worth(self, subgame: Subgame, plan: F64) -> float:
        return -best_response(subgame, 1 - self.responder, plan).value


def _objective(subgame: Subgame, responder: int) -> tuple[list[Restriction], list[float], F64 | None]:
    """The opponents in a problem's value, their weights, and the further gain of each own sequence."""
    from dataclasses import replace

    other = subgame.restrictions[1 - responder]
    rest = replace(other, p=0.0, plan=np.zeros(0), copy=None)
    if other.copy:
        return [other.copy, rest], [other.p, 1.0 - other.p], None
    gain = other.p * subgame.leaves.product(responder, other.plan) if other.p > 0.0 else None
    return [rest], [1.0 - other.p], gain
