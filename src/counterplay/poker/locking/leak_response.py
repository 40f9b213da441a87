"""Responses to an opponent with leaks. "The leak" is the worst opponent who has it: where nothing is locked they
minimise the responder's value (or play as solved, on request).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from operator import itemgetter

from counterplay.errors import InputError
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.solvers.bisection import OddsBisection, largest_weight, most_above
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import BranchRestriction

Phase = Callable[[int], None]
"""Called with the number of a solve, from 1 on, when it begins."""
MOST_SOLVES = 14
"""The most solves: two for a response, and this many for a limit on exploitability."""
_ITERATIONS = 20_000
_HALVINGS, _MIXTURES = 12, 40
_ENOUGH = 3.0
"""Tolerance of a safe answer's distance from the optimum, in units of the accuracy of a solve."""
_ROUNDING = 1e-9
_FINEST = 0.02
"""The most by which solves at small p are made more accurate, since the value against the leak has weight p."""


class LeakResponder:
    """The responder to one lock. With a rake opponents maximise their own chips, and no bound on the risk holds.

    Attributes:
        lock: the opponent.
        fine: accuracy of all solves, in chips.
        interrupted: whether Ctrl-C cut a solve short.
        solved: an equilibrium of that accuracy.
        equilibrium: both strategies in it; the responder's is played without a leak.
        value: upper bound on the responder's value of the spot: that of a best response to the equilibrium's opponent.
        least: lower bound on it: the worst case of the equilibrium. Bounds on what others may win count from there.

    What we play is a plan store, of which our seat counts.
    """

    def __init__(
        self, lock: NodeLock, free: bool, fine: float, progress: Progress | None = None, phase: Phase | None = None
    ) -> None:
        self.lock, self.fine, self.interrupted, self._solves = lock, fine, False, 0
        self._progress, self._phase = progress, phase
        self._known: dict[float, tuple[SpotPlans, float]] = {}
        self._worst: SpotPlans | None = None
        self._them, self._us = lock.opponent, 1 - lock.opponent
        self._rake = lock.solved.spot.rake
        self._restriction = lock.restriction(elsewhere_free=free)
        self.solved = lock.solved
        if 0.5 * lock.solved.plans.gap()[0] > fine:
            plans, solution = self._solve(lock.solved.plans, None, 1.0, fine)
            facts = {**lock.solved.facts, "exploitability": solution.exploitability}
            self.solved = replace(lock.solved, plans=plans, facts=facts)
        self.equilibrium = self.solved.plans
        self.value, self.least = self.equilibrium.best_value(self._us), self.against_all(self.equilibrium)

    def _solve(
        self, plans: SpotPlans, restriction: BranchRestriction | None, p: float, fine: float
    ) -> tuple[SpotPlans, Solution]:
        self._solves += 1
        if self._phase:
            self._phase(self._solves)
        stop = Stop(fine, _ITERATIONS)
        after, found = plans.solved_against(self._them, restriction, p, minimiser(METHOD), stop, self._progress)
        self.interrupted |= found.interrupted
        return after, found

    @property
    def _certain(self) -> bool:
        """Return whether an opponent with the leak has no choice but their hand."""
        trust = self._restriction.trust
        return trust is None or trust.free(self.solved.tree.infosets(self._them)) == self.lock.dealt

    def against_leak(self, plans: SpotPlans) -> float:
        """The responder's chips against the worst opponent who has the leak; with a rake, the one who then wins most."""
        return self.against_all(plans.bound(self._them, self._restriction))

    def against_all(self, plans: SpotPlans) -> float:
        """The responder's chips against the worst opponent; with a rake, the one who wins most."""
        if not self._rake:
            return -plans.best_value(self._them)
        return plans.best_response(self._them).value(self._us)

    def exploitability(self, plans: SpotPlans) -> float:
        """What a best responder to a plan wins beyond the value of the spot; with a rake, beyond the equilibrium."""
        if not self._rake:
            return max(0.0, self.value - self.against_all(plans))
        return max(0.0, plans.best_value(self._them) - self.equilibrium.value(self._them))

    def response(self, p: float) -> tuple[SpotPlans, float | None]:
        """The restricted Nash response to the leak, and for p = 1 an upper bound on the value against it."""
        plan, bound = self._response(p)
        # A solve is exact to some chips only: the equilibrium may happen to be better by less, and its risk is the smallest.
        ours, safest = (p * self.against_leak(x) + (1.0 - p) * self.against_all(x) for x in (plan, self.equilibrium))
        best = plan if ours > safest + _ROUNDING else self.equilibrium
        return best, bound if p == 1.0 and bound < inf else None

    def _response(self, p: float) -> tuple[SpotPlans, float]:
        """A plan that maximises p · (chips against the leak) + (1 - p) · (chips against all), and an upper bound on
        that; found once."""
        if p not in self._known:
            self._known[p] = self._found(p)
        return self._known[p]

    def _found(self, p: float) -> tuple[SpotPlans, float]:
        if p == 0.0:
            return self.equilibrium, self.value
        if self.interrupted and not (self._certain and p == 1.0):
            return self.equilibrium, inf  # no further solve is begun
        if self._certain and p == 1.0:
            faced = self.equilibrium.facing(self._them, self.lock.plans)
            return faced.best_response(self._us), faced.best_value(self._us)
        restriction = self._restriction
        if self._certain:
            restriction = BranchRestriction(self.lock.plans.behaviour(self._them), p=p)
        plans, found = self._solve(self.equilibrium, restriction, p, self.fine * max(p, _FINEST))
        if p == 1.0:
            self._worst = plans
        value = found.value if self._us == 0 else -found.value
        return plans, inf if self._rake else value + found.exploitability

    @property
    def value_gap(self) -> float | None:
        """The most by which the value of the spot is below `value`; None with a rake, where there is no value."""
        return None if self._rake else max(0.0, self.value - self.least)

    def worst_opponent(self) -> SpotPlans | None:
        """The opponent with the leak who elsewhere plays as well as they can, as plans of which their seat counts: a best
        response wins at most the upper bound of `response(1)` from them. None if Ctrl-C came before they were solved for.
        """
        if self._certain:
            return self.lock.plans
        self._response(1.0)
        return self._worst

    def safe(self, epsilon: float) -> tuple[SpotPlans, float]:
        """The plan with the largest value against the leak among those with exploitability at most epsilon, and an upper
        bound.

        Restricted Nash responses are the Lagrangian of that (`solvers.bisection`): between the two whose exploitability
        encloses epsilon the best mixture is taken, and the next response is that to the p at which both are worth the
        same. Exploitability is convex in its weight, and the chips against the leak are concave. The answer is the least
        exploitable plan found whose value is within the accuracy of the best.

        The plan counts its exploitability from the upper bound on the value, the bound that of others from the lower
        one."""
        floor, others = self.value - epsilon, self.least - epsilon
        low = self.equilibrium
        if self.interrupted:  # in the solve of the spot itself: nothing is known exactly enough to go on
            return low, inf
        if self.least < floor:
            raise InputError(
                f"the equilibrium itself is known only to {self.value - self.least:.3g} chips: allow a larger exploitability"
            )
        high, bound = self._response(1.0)
        proved = bound
        found = self._close([], low, self._mixed(low, high, floor))
        odds = OddsBisection()
        for _ in range(_HALVINGS):
            if bound - max(worth for worth, _ in found) <= _ENOUGH * self.fine or self.interrupted:
                break
            odds = odds.toward_chord(
                self.against_leak(high) - self.against_leak(low), self.against_all(low) - self.against_all(high)
            )
            corner, most = self._found(odds.p)  # asked for once: those that are left take no memory
            bound = min(bound, most_above(floor, most, odds.p))
            proved = min(proved, most_above(others, most, odds.p))
            above = self.against_all(corner) >= floor
            low, high, odds = (corner, high, odds.after(True)) if above else (low, corner, odds.after(False))
            found = self._close(found, low, self._mixed(low, high, floor))
        risks = [self.against_all(plan) for _, plan in found]
        safest = max(risks) - _ROUNDING  # many mixtures lie on the floor, up to rounding
        _, best = max((one for one, risk in zip(found, risks, strict=True) if risk >= safest), key=itemgetter(0))
        return best, proved

    def _close(self, found: list[tuple[float, SpotPlans]], *more: SpotPlans) -> list[tuple[float, SpotPlans]]:
        """Plans with their values against the leak: those within the accuracy of the best. Others take no memory."""
        every = [*found, *((self.against_leak(plan), plan) for plan in more)]
        enough = max(worth for worth, _ in every) - self.fine
        return [one for one in every if one[0] >= enough]

    def _mixed(self, low: SpotPlans, high: SpotPlans, floor: float) -> SpotPlans:
        """The mixture of two plans with the largest weight of `high` whose worst-case value is at least `floor`."""
        ends = self.against_all(low) - floor, self.against_all(high) - floor
        if ends[1] >= 0.0:
            return high

        def mixture(weight: float) -> SpotPlans:
            return low.mixed(self._us, high, weight)

        return mixture(largest_weight(lambda weight: self.against_all(mixture(weight)) - floor, ends, _MIXTURES))
