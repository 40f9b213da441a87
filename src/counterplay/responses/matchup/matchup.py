"""A responder against a model in one game: the plans of all methods, with shared results computed once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.problem.solvable_game import SolvableGame
from counterplay.responses.matchup.data_trust import trust_of
from counterplay.responses.matchup.depth_limited import depth_limited, search_all_decisions
from counterplay.responses.matchup.lbr_infosets import local_best_response
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing, Searching
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Solution, Stop, begin_part
from counterplay.solvers.equilibrium import LP_UP_TO, check_exact, equilibrium_of, solve_by, usual_payoff
from counterplay.solvers.lp import SequenceFormLP
from counterplay.solvers.lp_assembly import FixedInfosets
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.portfolio import Portfolio

_PROGRAM = "response by linear program"
_SLACK, _FAR = 1e-10, 1e3
"""Rounding tolerance of exploitability as a share of the span of payoffs, or of so many times the usual payoff if that is
less: 0 and a requested bound are met up to it."""


@dataclass(eq=False)
class Matchup(Pairing):
    """One responder, one model, in a `SolvableGame`; by `auto` an lp if the game is small enough. Nothing is drawn.

    Attributes:
        halvings_of_p, halvings_of_mixture: steps of searches for the largest p, and the largest weight in a mixture.
    """

    halvings_of_p: ClassVar[int] = 14
    halvings_of_mixture: ClassVar[int] = 40

    model: Strategy

    def __post_init__(self) -> None:
        if not isinstance(self.model, Strategy):
            raise InputError(f"the model must be a Strategy, as `opponent` returns it, not {type(self.model).__name__}")
        if not self.model.is_of(self.game):
            raise InputError(f"the model is a strategy of another game than {self.game.name}")
        if self.rake and self.solver == "lp":
            check_zero_sum(self.rake, "the linear program takes none; use a minimiser such as dcfr")
        if self.solver == "auto" and not self.rake and self.game.payoff.entries <= LP_UP_TO:
            self.solver = "lp"
        if self.solver not in ("auto", "lp"):
            minimiser(self.solver)  # refuses an unknown one, whether or not the method needs it
        if self.stop == Stop():
            self.stop = Stop(self.fine)

    @property
    def rake(self) -> float:
        """The share of the payoffs that the house takes; 0 where the game is zero-sum."""
        return 0.0

    @property
    def fine(self) -> float:
        """The default accuracy of iterative solves, in chips."""
        return 1e-5 * self._game.span

    @property
    def span(self) -> float:
        """The largest less the smallest payoff, in chips."""
        return self._game.span

    @property
    def _game(self) -> SolvableGame:
        """The game as a `SolvableGame`."""
        found: SolvableGame = self.game
        return found

    @cached_property
    def game_value(self) -> float:
        """Value of the game in chips of the responder, an upper bound where it is iterated; with a rake, the responder's
        value in the computed equilibrium.
        """
        return self._worth(self.seat)

    @property
    def least_value(self) -> float:
        """Lower bound on the value of a zero-sum game in chips of the responder."""
        return -self._worth(1 - self.seat)

    @property
    def value_gap(self) -> float | None:
        """The most by which the value of the game is below `game_value`, in chips; 0 by linear program. None with a rake,
        where there is no value."""
        if self.rake:
            return None
        return 0.0 if self._solution.method == "lp" else max(0.0, self.game_value - self.least_value)

    def _worth(self, player: int) -> float:
        """A player's value in the equilibrium, in the player's own chips."""
        return self._solution.bound(player)

    @property
    def _solution(self) -> Solution:
        """The game's equilibrium, cached for the game."""
        return equilibrium_of(self.game, self.progress)

    def equilibrium(self) -> Outcome:
        """An equilibrium plan."""
        solution = self._solution
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    @cached_property
    def rewards(self) -> F64:
        """(size,) chips of the responder for each own sequence, against the model."""
        return self._game.payoff.product(self.seat, self.model.plan)

    @cached_property
    def program(self) -> SequenceFormLP:
        """The linear program of the responder, cached for its basis."""
        own = self.game.subgame.restrictions[self.seat]
        return SequenceFormLP(
            self.game.subgame, self.seat, fixed=FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
        )

    def value_against_model(self, plan: F64) -> float:
        """Chips of the responder with a plan (size,) against the model."""
        return float(self.rewards @ plan)

    def guarantee(self, plan: F64) -> float:
        """Chips of the responder with a plan (size,) against a best responder."""
        return -best_response(self.game.subgame, 1 - self.seat, plan).value

    def exploitability(self, plan: F64) -> float:
        """The loss of a plan (size,) to a best responder below the game's value."""
        if self.rake:  # what the opponent wins is not what the responder loses
            return -self.guarantee(plan) - self._worth(1 - self.seat)
        return self.game_value - self.guarantee(plan)

    def forget_solves(self) -> None:
        """See `worlds.AnyMatchup`."""

    @property
    def has_corners(self) -> bool:
        """See `worlds.AnyMatchup`."""
        return True

    @property
    def about(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        return {}

    def identity(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        model = hashlib.sha256(np.ascontiguousarray(self.model.plan).tobytes()).hexdigest()[:16]
        return {"game": self.game.name, "model": model, "solver": self.solver}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        """See `worlds.AnyMatchup`."""
        tree = self.game.trees[self.seat]
        if outcome.behaviour is None:
            return Strategy.from_plan(tree, outcome.plan, facts)
        return Strategy.made(tree, outcome.behaviour, facts)

    def mixed_plan(self, safe: F64, greedy: F64, weight: float) -> F64:
        """(size,) the plan of a player who draws `greedy` with probability `weight`, else `safe`, before the game."""
        return (1.0 - weight) * safe + weight * greedy

    def within(self, plan: F64, epsilon: float) -> bool:
        """Whether the exploitability of a plan (size,) is at most epsilon, up to rounding."""
        return self.exploitability(plan) <= epsilon + self._slack

    @cached_property
    def _slack(self) -> float:
        """What counts as rounding, in chips: payoffs that both avoid may be as large as one likes."""
        usual = usual_payoff(self.game.subgame, self._solution.plans) if self.solver == "lp" else self._game.span
        return _SLACK * min(self._game.span, _FAR * usual)

    def best_response(self) -> Outcome:
        """The plan with the largest value against the model."""
        behaviour = best_response(self.game.subgame, self.seat, self.model.plan).behaviour
        return Outcome(played_plan(self.game.subgame, self.seat, behaviour), solver="sweep")

    def restricted_nash(self, p: float, accuracy: float = 1.0) -> Outcome:
        """Restricted Nash response (Johanson, Zinkevich and Bowling 2007): the opponent is the model with probability
        p.

        An iterative solver stops at `accuracy` times its usual exploitability.
        """
        check_p(p)
        if p == 0.0:
            return self.equilibrium()
        if p == 1.0:
            return self.best_response()
        if self.solver == "lp":
            begin_part(self.progress, _PROGRAM)
            return Outcome(self.program.maximise(p * self.rewards, 1.0 - p).plan)
        return self._restricted(Restriction.of_plan(self.model.tree, self.model.behaviour, p), accuracy)

    def data_biased(self, p: float) -> Outcome:
        """Data-biased response (Johanson and Bowling 2009): each infoset is trusted in proportion to its data."""
        if p == 0.0:
            return self.equilibrium()
        return self._restricted(Restriction.local(self.model.tree, self.model.behaviour, trust_of(self.model, p)))

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:
        """Reject, before any long computation, a look-ahead that does not fit the game.

        Raises:
            InputError: its depth, its value function or a strategy of its portfolio.
        """
        search = search_all_decisions(self, look, 0.0, alpha)
        self._check_search(search)
        if isinstance(search.value, Portfolio):
            for player in (0, 1):
                search.value.strategies(self.game, player)

    def _check_search(self, search: Search) -> None:
        search.depth.clock(self.game)

    def check_local(self) -> None:
        """Reject a game in which not every decision offers a call.

        Raises:
            InputError: it is no poker game.
        """
        local_best_response(self)

    def depth_limited(self, method: Searching, p: float, alpha: float = 0.0) -> Outcome:
        """The response of a player who searches every decision, with trust p in the model and alpha at the entries."""
        return depth_limited(self, method.far, p, alpha)

    def local_best_response(self) -> Outcome:
        """The best action at each decision if both sides only call from then on."""
        return local_best_response(self)

    def _restricted(self, restriction: Restriction, accuracy: float = 1.0) -> Outcome:
        problem = self.game.subgame.bound(1 - self.seat, restriction)
        stop = replace(self.stop, exploitability=accuracy * self.stop.exploitability)
        solution = solve_by(problem, self.solver, stop, self.progress)
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    def best_equilibrium(self) -> Outcome:
        """The equilibrium plan with the largest value against the model; by linear program only."""
        return self.guaranteeing(self.exact_value - self._slack)

    @property
    def exact_value(self) -> float:
        """The value for the responder, by linear program where the known one was iterated."""
        if self._solution.method == "lp":
            return self.game_value
        begin_part(self.progress, "value by linear program")
        return self.program.maximise(None, 1.0).guarantees[0]

    def guaranteeing(self, floor: float) -> Outcome:
        """The plan with the largest value against the model among those with a worst-case value of at least `floor`; by
        LP only.
        """
        begin_part(self.progress, _PROGRAM)
        plan, them = self.program.maximise(self.rewards, 0.0, floor=floor).plan, 1 - self.seat
        best = best_response(self.game.subgame, them, plan)
        theirs = played_plan(self.game.subgame, them, best.behaviour)
        plans = (plan, theirs) if self.seat == 0 else (theirs, plan)
        check_exact(floor + best.value, usual_payoff(self.game.subgame, plans))
        return Outcome(plan)
