"""A responder against a model in a game in memory, whose plans are arrays.

A player who looks ahead (CDBR, CDRNR, continual re-solving, SES; Milec et al. 2024) solves all decisions: the complete
strategy has exact gain and exploitability.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.step import decide, decide_group
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.responses.local_responses import local_best_response
from counterplay.responses.method import AnyMatchup, Method, Outcome
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Stop, begin_part
from counterplay.solvers.equilibrium import LP_UP_TO, pick, solve_by, usual_payoff
from counterplay.solvers.lp import FixedInfosets, SequenceFormLP, check_exact
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import ENOUGH
from counterplay.value_functions.leaf_value import ValueFunction
from counterplay.value_functions.portfolio import Portfolio

_PROGRAM = "response by linear program"
_SLACK, _FAR = 1e-10, 1e3
"""Rounding tolerance of exploitability as a share of the span of payoffs, or of so many times the usual payoff if that is
less: 0 and a requested bound are met up to it."""
ITERATIONS = 1000
"""Iterations of a look-ahead with a value function that is not linear, as in the paper, if no number is given; its gap need
not go to 0.
"""
MIXED_ITERATIONS = 5000
"""Iterations where 0 < p < 1 and a call of the value function is quick, as of a network. Many responses are about as good
there, so that gain and exploitability settle long after what is maximised.
"""


@dataclass(eq=False)
class Matchup(AnyMatchup):
    """One responder, one model, in a `SolvableGame`; by `auto` an lp if the game is small enough. Nothing is drawn."""

    model: Strategy

    def _check(self) -> tuple[Solver, float]:
        if not isinstance(self.model, Strategy):
            raise InputError(f"the model must be a Strategy, as `opponent` returns it, not {type(self.model).__name__}")
        if not self.model.is_of(self.game):
            raise InputError(f"the model is a strategy of another game than {self.game.name}")
        if self.solver == "lp" and self.rake:
            check_zero_sum(self.rake, "the linear program takes none; use a minimiser such as dcfr")
        return "lp" if self.game.payoff.entries <= LP_UP_TO else "auto", 1e-5 * self.game.span

    @cached_property
    def slack(self) -> float:
        """Rounding tolerance in chips: payoffs that both avoid may be as large as one likes."""
        usual = usual_payoff(self.game.subgame, self.solution.plans) if self.solver == "lp" else self.span
        return _SLACK * min(self.span, _FAR * usual)

    def identity(self) -> dict[str, Any]:
        model = hashlib.sha256(np.ascontiguousarray(self.model.plan).tobytes()).hexdigest()[:16]
        return {"game": self.game.name, "model": model, "solver": self.solver}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        tree = self.game.trees[self.seat]
        if outcome.behaviour is None:
            return Strategy.from_plan(tree, outcome.plan, facts)
        return Strategy.made(tree, outcome.behaviour, facts)

    @cached_property
    def rewards(self) -> F64:
        """(size,) chips of the responder for each own sequence, against the model."""
        return self.game.payoff.product(self.seat, self.model.plan)  # type: ignore[no-any-return]

    @cached_property
    def program(self) -> SequenceFormLP:
        """The linear program of the responder, cached for its basis."""
        own = self.game.subgame.restrictions[self.seat]
        fixed = FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
        return SequenceFormLP(self.game.subgame, self.seat, fixed=fixed)

    def value_against_model(self, plan: F64) -> float:
        return float(self.rewards @ plan)

    def guarantee(self, plan: F64) -> float:
        return -best_response(self.game.subgame, 1 - self.seat, plan).value

    def mixed_plan(self, safe: F64, greedy: F64, weight: float) -> F64:
        return (1.0 - weight) * safe + weight * greedy

    def equilibrium(self) -> Outcome:
        solution = self.solution
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    def best_response(self) -> Outcome:
        behaviour = best_response(self.game.subgame, self.seat, self.model.plan).behaviour
        own = self.game.subgame.restrictions[self.seat]
        return Outcome(own.played(self.game.trees[self.seat], behaviour), solver="sweep")

    def restricted(self, p: float, *, by_infoset: bool, accuracy: float = 1.0) -> Outcome:
        tree, behaviour = self.model.tree, self.model.behaviour
        if by_infoset:
            restriction = Restriction.local(tree, behaviour, trust_of(self.model, p))
        elif self.solver == "lp":
            begin_part(self.progress, _PROGRAM)
            return Outcome(self.program.maximise(p * self.rewards, 1.0 - p).plan)
        else:
            restriction = Restriction.of_plan(tree, behaviour, p)
        problem = self.game.subgame.bound(1 - self.seat, restriction)
        stop = replace(self.stop, exploitability=accuracy * self.stop.exploitability)
        solution = solve_by(problem, self.solver, stop, self.progress)
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    def best_equilibrium(self) -> Outcome:
        return self.guaranteeing(self._exact_value - self.slack)

    def exactly_safe(self, epsilon: float) -> Outcome | None:
        return self.guaranteeing(self._exact_value - epsilon) if self.solver == "lp" else None

    @property
    def _exact_value(self) -> float:
        """The value for the responder, by linear program where the known one was iterated."""
        if self.solution.method == "lp":
            return self.game_value
        begin_part(self.progress, "value by linear program")
        return self.program.maximise(None, 1.0).guarantees[0]

    def guaranteeing(self, floor: float) -> Outcome:
        """The largest value against the model with a worst-case value of at least `floor`, by linear program."""
        begin_part(self.progress, _PROGRAM)
        plan, them = self.program.maximise(self.rewards, 0.0, floor=floor).plan, 1 - self.seat
        best = best_response(self.game.subgame, them, plan)
        theirs = played_plan(self.game.subgame, them, best.behaviour)
        plans = (plan, theirs) if self.seat == 0 else (theirs, plan)
        check_exact(floor + best.value, usual_payoff(self.game.subgame, plans))
        return Outcome(plan)

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:
        """Reject a depth, a value function or a strategy of a portfolio that the game does not have."""
        search = search_all_decisions(self, look, 0.0, alpha)
        self._check_search(search)
        if isinstance(search.value, Portfolio):
            for player in (0, 1):
                search.value.strategies(self.game, player)

    def _check_search(self, search: Search) -> None:
        search.depth.clock(self.game)

    def check_local(self) -> None:
        local_best_response(self)

    def depth_limited(self, method: Method, p: float, alpha: float = 0.0) -> Outcome:
        look = method.far
        settles_late = 0.0 < p < 1.0 and getattr(look.leaf, "quick", False)
        search = search_all_decisions(self, look, p, alpha, MIXED_ITERATIONS if settles_late else ITERATIONS)
        chain = SearchState(self.game, self.seat, search, self.model)

        def solve(unit: DecisionGroup) -> None:
            if search.joint:
                decide_group(chain, unit)
            else:
                decide(chain, unit)

        return solve_chain(self, chain, decision_groups(self.game, self.seat, search.depth, search.joint), solve)

    def local_best_response(self) -> Outcome:
        return local_best_response(self)


def trust_of(model: Strategy | StoredStrategy, p: float) -> F64:
    """(lanes,) trust in a model: p · min(1, n(I)/10), with n(I) its observations of an infoset; p everywhere if it has no
    counts."""
    check_p(p)
    if model.counts is None:
        return np.full(model.tree.lanes, p)
    return p * np.minimum(1.0, model.counts / ENOUGH)


def search_all_decisions(
    match: AnyMatchup, look: LookAhead, p: float, alpha: float = 0.0, usual: int = ITERATIONS
) -> Search:
    """The search of every decision of a responder; `usual`: iterations over a value function if none are given."""
    check_p(p)
    solver, stop = match.solver, match.stop
    if solver == "auto":
        solver = pick(match.game.subgame).name
    if isinstance(look.leaf, ValueFunction) and stop.iterations == Stop.iterations:
        stop = replace(stop, iterations=usual)
    return Search(look, p, alpha, solver, stop)


def solve_chain(match: AnyMatchup, chain: Any, units: Sequence[Any], solve: Callable[[Any], None]) -> Outcome:
    """The complete strategy of a chain of look-aheads whose units are solved in turn; Ctrl-C keeps those so far."""
    try:
        for number, unit in enumerate(units):
            begin_part(match.progress, f"look-ahead {number + 1:,} of {len(units):,}")
            solve(unit)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(chain.search.method), chain.behaviour)
