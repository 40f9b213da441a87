"""A responder against a model in a large spot: plans are stores of the compact engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.errors import InputError
from counterplay.lookahead.search import LookAhead
from counterplay.poker.betting.stakes import NO_BOUND
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.responses.matchup.data_trust import trust_of
from counterplay.responses.matchup.depth_limited import depth_limited_by_street, search_all_decisions
from counterplay.responses.matchup.lbr_stored import local_best_response_of_store
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing, Searching, T
from counterplay.responses.matchup.risk_search import computed_best_equilibrium
from counterplay.responses.matchup.stored_lookahead import check_stored_value
from counterplay.responses.matchup.stored_needs import check_needs
from counterplay.responses.matchup.street_parts import check_search
from counterplay.solvers.cfr import Solution, Stop
from counterplay.solvers.minimiser import Minimiser, minimiser
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.branch_restriction import BranchRestriction, LaneTrust
from counterplay.treeplex.restriction import check_p

_SLACK = 1e-10
"""Rounding tolerance of exploitability as a share of the span of payoffs."""


@dataclass(eq=False)
class StoredSpotMatchup(Pairing):
    """`SpotMatchup` without arrays of the whole tree: a plan is a store, of which the responder's part counts.

    Attributes:
        halvings_of_p, halvings_of_mixture: as of `Matchup`; float32 does not tell finer steps apart.
    """

    halvings_of_p: ClassVar[int] = 12
    halvings_of_mixture: ClassVar[int] = 20

    game: StoredSpotGame
    model: StoredStrategy

    def __post_init__(self) -> None:
        if not strategies_of(self.game).owns(self.model, getattr(self.model, "player", 0)):
            raise InputError(f"the model is not a strategy of {self.game.name}, as `opponent` returns one")
        self.model = self.game.kept(self.model)
        if self.solver == "lp":
            raise InputError(f"{self.game.name} is too large for the linear program; use a minimiser such as dcfr")
        if self.solver == "auto":
            self.solver = self.game.solver
        minimiser(self.solver)  # refuses an unknown one, whether or not the method needs it
        if self.stop == Stop():
            self.stop = Stop(self.game.fine)

    def in_game(self, method: T) -> T:
        """See `Pairing`; what does not fit in memory is refused.

        Raises:
            InputError: the message has the method and the estimate.
        """
        found: Any = super().in_game(method)
        check_needs(found, self.game, self.model)
        return found  # type: ignore[no-any-return]

    def refine_for(self, risk: float) -> None:
        """See `Pairing`."""
        self.game = self.game.refined_for(risk)

    @property
    def rake(self) -> float:
        """See `Matchup`."""
        return self.game.rake

    @property
    def span(self) -> float:
        """See `Matchup`."""
        return self.game.span

    @property
    def has_corners(self) -> bool:
        """See `worlds.AnyMatchup`."""
        return True

    @property
    def about(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        stakes = self.game.stakes
        return {"pot": stakes.pot, "big_blind": stakes.big_blind, "note": NO_BOUND if self.game.rake else None}

    def identity(self) -> dict[str, Any]:
        """See `worlds.AnyMatchup`."""
        model = self.model.plans.facing(self.seat, self.game.uniform_plans).digest()
        return {"game": self.game.name, "model": model, "solver": self.solver}

    def forget_solves(self) -> None:
        """See `worlds.AnyMatchup`."""

    @property
    def _solution(self) -> Solution:
        return self.game.equilibrium(self.progress)

    @cached_property
    def game_value(self) -> float:
        """Value of the game in chips of the responder, an upper bound; with a rake, the responder's in the computed
        equilibrium."""
        return self.game.value_of(self.seat, self._solution)

    @property
    def least_value(self) -> float:
        """See `Matchup`."""
        return -self.game.value_of(self.model.player, self._solution)

    @property
    def value_gap(self) -> float | None:
        """See `Matchup`."""
        return None if self.game.rake else max(0.0, self.game_value - self.least_value)

    def equilibrium(self) -> Outcome:
        """An equilibrium plan."""
        found = self._solution
        return Outcome(self.game.equilibrium_plans(), found.nash_conv, found.interrupted, found.method)

    @cached_property
    def _faced(self) -> CompactPlans:
        """The equilibrium with the model in the opponent's place."""
        return self.game.equilibrium_plans(self.progress).facing(self.model.player, self.model.plans)

    def value_against_model(self, plan: CompactPlans) -> float:
        """Chips of the responder with a plan against the model."""
        return plan.facing(self.model.player, self._faced).value(self.seat)

    def guarantee(self, plan: CompactPlans) -> float:
        """Chips of the responder with a plan against a best responder."""
        return -plan.best_value(self.model.player)

    def exploitability(self, plan: CompactPlans) -> float:
        """The loss of a plan to a best responder below the game's value."""
        if self.game.rake:  # what the opponent wins is not what the responder loses
            return -self.guarantee(plan) - self.game.value_of(self.model.player, self._solution)
        return self.game_value - self.guarantee(plan)

    def within(self, plan: CompactPlans, epsilon: float) -> bool:
        """Whether the exploitability of a plan is at most epsilon, up to rounding."""
        return self.exploitability(plan) <= epsilon + _SLACK * self.span

    def mixed_plan(self, safe: CompactPlans, greedy: CompactPlans, weight: float) -> CompactPlans:
        """The plan of a player who draws `greedy` with probability `weight`, else `safe`, before the game."""
        return safe.mixed(self.seat, greedy, weight)

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Any:
        """See `worlds.AnyMatchup`."""
        return StoredStrategy(outcome.plan, self.seat, facts)

    def best_response(self) -> Outcome:
        """The plan with the largest value against the model."""
        return Outcome(self._faced.best_response(self.seat), solver="sweep")

    def restricted_nash(self, p: float, accuracy: float = 1.0) -> Outcome:
        """Restricted Nash response (see `Matchup`)."""
        check_p(p)
        if p == 0.0:
            return self.equilibrium()
        if p == 1.0:
            return self.best_response()
        return self._restricted(BranchRestriction(self._faced.behaviour(self.model.player), p=p), accuracy)

    def data_biased(self, p: float) -> Outcome:
        """Data-biased response (see `Matchup`)."""
        check_p(p)
        if p == 0.0:
            return self.equilibrium()
        model, runs = self.model, self.game.tree.runs[self.model.player]
        if model.counts is None:
            trust = LaneTrust(elsewhere=p)
        else:
            known = np.flatnonzero(model.counts)
            trust = LaneTrust(known, trust_of(model, p)[known])
        dealt = int(runs.lane[DEAL]) + np.arange(self.game.tree.boards.layers[0].places)
        return self._restricted(BranchRestriction(model.behaviour, trust.put(dealt, 0.0)))  # the range binds already

    def _restricted(self, restriction: BranchRestriction, accuracy: float = 1.0) -> Outcome:
        method, stop = self._minimiser, replace(self.stop, exploitability=accuracy * self.stop.exploitability)
        plans, found = self._faced.solved_against(self.model.player, restriction, 1.0, method, stop, self.progress)
        return Outcome(plans, found.nash_conv, found.interrupted, method.name)

    @property
    def _minimiser(self) -> Minimiser:
        """That of solves on the compact engine."""
        method = minimiser(self.solver).changed(single=False)
        if not has_compact_form(method):
            raise InputError(
                f"{self.game.name} is large: players update in turn and without predictions, as by cfr, cfr+ or dcfr, "
                f"not as by {method.name}"
            )
        return method

    def best_equilibrium(self) -> Outcome:
        """The plan with the largest value against the model whose worst case is no worse than the equilibrium's."""
        return computed_best_equilibrium(self)

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:
        """See `Matchup`."""
        check_stored_value(look.leaf)
        check_search(self.game, search_all_decisions(self, look, 0.0, alpha))

    def check_local(self) -> None:
        """Every spot is a poker game."""

    def depth_limited(self, method: Searching, p: float, alpha: float = 0.0) -> Outcome:
        """The response of a player who searches every decision, with trust p in the model and alpha at the entries."""
        return depth_limited_by_street(self, method.far, p, alpha)

    def local_best_response(self) -> Outcome:
        """The best action at each decision if both sides only call from then on."""
        return local_best_response_of_store(self.model.plans, self.seat)
